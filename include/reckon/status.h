/* status.h - how the library says that something went wrong.
 *
 * Functions at the edges (files, catalogs, databases) return an enum rk_status and fill a
 * struct rk_error. The core (estimate, search arithmetic) cannot fail: a plan that cannot
 * run is a value there, see strategy.h and estimate.h. The library never prints or exits.
 */
#ifndef RECKON_STATUS_H
#define RECKON_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RK_API                  __attribute__((visibility("default")))
#define RK_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define RK_API
#define RK_PRINTF(text, values)
#endif

/* Members of an unnamed struct are those of the struct around it; C++ asks for a word. */
#ifdef __cplusplus
#define RK_UNNAMED __extension__
#else
#define RK_UNNAMED
#endif

/* The values are the exit codes of the command line tool. */
enum rk_status {
    RK_OK = 0,
    RK_NOTHING_FITS = 1, /* nothing feasible, or a check failed */
    RK_USAGE = 2,        /* a flag or an argument is wrong */
    RK_BAD_INPUT = 3,    /* a file's content is wrong */
    RK_IO = 4,           /* a file, database or the memory could not be had */
    RK_INTERRUPTED = 130 /* stopped by a signal; what is printed is the best so far */
};

/* One message. `path` is "" when no file is involved, `line` and `column` (1-based) are 0
 * when they are not known. `text` says what is wrong and how to mend it, without a newline. */
struct rk_error {
    enum rk_status status;
    char path[256];
    int line;
    int column;
    char text[512];
};

/* Fills `error` (which may be NULL) and returns `status`; `path` may be NULL. Long texts are cut.
 */
RK_API enum rk_status rk_fail(struct rk_error *error, enum rk_status status, const char *path,
                              int line, int column, const char *format, ...) RK_PRINTF(6, 7);

/* Writes "path:line:column: text" (the parts that are known) to buffer, as snprintf does. */
RK_API int rk_error_format(const struct rk_error *error, char *buffer, unsigned long size);

#ifdef __cplusplus
}
#endif
#endif
