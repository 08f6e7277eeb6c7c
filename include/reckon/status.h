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

/* What went wrong. These are no exit codes: the command line has its own, reckon(1). */
enum rk_status {
    RK_OK = 0,
    RK_NOTHING_FITS, /* what was asked for, one plan or the best of many, cannot be: only that */
    RK_BAD_ARGUMENT, /* a value of the caller; error->key names it where it is one of many */
    RK_BAD_INPUT,    /* a file's content is wrong */
    RK_IO,           /* a file or a database could not be had */
    RK_NO_MEMORY,
    RK_UNSUPPORTED,  /* legal, but the executor, or the program that is written for, has it not */
    RK_LIMIT,        /* more than there is room for: error->need of error->have */
    RK_PROTOCOL,     /* ranks contradict each other: another message came than was expected */
    RK_CHECK_FAILED, /* what was to be judged does not hold: a comparison, a loss that is a number
                      */
    RK_INTERRUPTED   /* stopped by a signal; what there is, is the best so far */
};

/* One message. `path` is "" when no file is involved, `line` and `column` (1-based) are 0
 * when they are not known. `text` says what is wrong and how to mend it, without a newline. What
 * the caller gives, members of structs and arguments of functions, it names in backquotes,
 * "`rate`"; `key` is the first of them, "" when there is none. Options of the command line have
 * these names,
 * "--rate", and it says so. */
struct rk_error {
    enum rk_status status;
    char key[48];
    char path[256];
    int line;
    int column;
    double have, need; /* numbers that do not agree; NaN: none are known */
    char text[1024];
};

/* Fills `error` (which may be NULL) and returns `status`; `path` may be NULL. Long texts are cut.
 */
RK_API enum rk_status rk_fail(struct rk_error *error, enum rk_status status, const char *path,
                              int line, int column, const char *format, ...) RK_PRINTF(6, 7);

/* As rk_fail() without a place, with the numbers that do not agree. */
RK_API enum rk_status rk_fail_numbers(struct rk_error *error, enum rk_status status, double have,
                                      double need, const char *format, ...) RK_PRINTF(5, 6);

/* Writes "path:line:column: text" (the parts that are known) to buffer, as snprintf does. */
RK_API int rk_error_format(const struct rk_error *error, char *buffer, unsigned long size);

#ifdef __cplusplus
}
#endif
#endif
