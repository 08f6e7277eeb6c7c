#include "text/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is to be written. */
struct content {
    void (*write)(FILE *file, const void *what);
    const void *what;
};

static enum rk_status fail_write(const char *path, struct rk_error *error)
{
    return rk_fail(error, RK_IO, path, 0, 0, "cannot write: %s", strerror(errno));
}

/* Into what is not a regular file: a terminal, a pipe, /dev/null. */
static enum rk_status write_through(const char *path, const struct content *content,
                                    struct rk_error *error)
{
    FILE *file = fopen(path, "w");
    if (!file) return fail_write(path, error);
    content->write(file, content->what);
    const bool failed = ferror(file);
    return fclose(file) != 0 || failed ? fail_write(path, error) : RK_OK;
}

/* Creates a temporary file next to `path` and returns its name through the second argument; -1 with
 * errno. */
static int open_beside(const char *path, char **beside)
{
    for (int try = 0; try < 100; try++) {
        if (asprintf(beside, "%s.%ld.%d", path, (long)getpid(), try) < 0) {
            *beside = NULL;
            return -1;
        }
        const int descriptor = open(*beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
        free(*beside);
        *beside = NULL;
    }
    return -1;
}

/* Writes and syncs, with the permissions `mode` unless 0; closes `descriptor` in any case. */
static bool write_descriptor(int descriptor, mode_t mode, const struct content *content)
{
    FILE *file = fdopen(descriptor, "w");
    if (!file) {
        close(descriptor);
        return false;
    }
    content->write(file, content->what);
    const bool written = fflush(file) == 0 && !ferror(file) &&
                         (!mode || fchmod(descriptor, mode) == 0) && fsync(descriptor) == 0;
    return fclose(file) == 0 && written;
}

/* `mode` is that of the file to be replaced, 0 when there is none. */
static enum rk_status write_beside(const char *path, mode_t mode, const struct content *content,
                                   struct rk_error *error)
{
    char *beside = NULL;
    enum rk_status status = RK_OK;
    const int descriptor = open_beside(path, &beside);
    if (descriptor < 0) {
        status = fail_write(path, error);
    } else if (!write_descriptor(descriptor, mode, content) || rename(beside, path) != 0) {
        status = fail_write(path, error);
        unlink(beside);
    }
    free(beside);
    return status;
}

enum rk_status save_file(const char *path, void (*write)(FILE *file, const void *what),
                         const void *what, struct rk_error *error)
{
    const struct content content = {write, what};
    struct stat info;
    if (strcmp(path, "-") == 0) {
        write(stdout, what);
        return fflush(stdout) == 0 ? RK_OK : fail_write("<stdout>", error);
    }
    if (stat(path, &info) != 0) return write_beside(path, 0, &content, error);
    if (!S_ISREG(info.st_mode)) return write_through(path, &content, error);
    char *file = realpath(path, NULL); /* what a symbolic link points to is replaced */
    const enum rk_status status =
        file ? write_beside(file, info.st_mode & 0777, &content, error) : fail_write(path, error);
    free(file);
    return status;
}
