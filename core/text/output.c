#include "text/output.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- a stdio stream that compresses ---- */

static ssize_t gz_write(void *gz, const char *data, size_t size)
{
    const int written = size ? gzwrite(gz, data, (unsigned)size) : 0;
    return written > 0 ? written : 0; /* 0 is an error to stdio */
}

static int gz_close(void *gz)
{
    return gzclose(gz) == Z_OK ? 0 : EOF;
}

static FILE *stream_on(int descriptor, bool compress)
{
    if (!compress) return fdopen(descriptor, "w");
    gzFile gz = gzdopen(descriptor, "wb");
    if (!gz) return NULL;
    FILE *file =
        fopencookie(gz, "w", (cookie_io_functions_t){.write = gz_write, .close = gz_close});
    if (!file) gzclose(gz);
    return file;
}

/* ---- which are open ---- */

static struct output *opened; /* those that write to a temporary file */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void note_open(struct output *output)
{
    pthread_mutex_lock(&lock);
    output->next = opened;
    opened = output;
    pthread_mutex_unlock(&lock);
}

static void note_closed(struct output *output)
{
    pthread_mutex_lock(&lock);
    for (struct output **at = &opened; *at; at = &(*at)->next)
        if (*at == output) {
            *at = output->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    output->beside[0] = '\0';
}

void output_remove_all(void) /* in a signal's handler: no lock */
{
    for (const struct output *o = opened; o; o = o->next)
        unlink(o->beside);
}

/* ---- where it goes ---- */

/* Fills in the names of the target and of the temporary file. False when a name is too long. */
static bool name_files(struct output *output, const char *path)
{
    struct stat info;
    char *real = realpath(path, NULL);
    const char *target = real ? real : path;
    const bool direct = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    bool fits =
        (size_t)snprintf(output->path, sizeof output->path, "%s", path) < sizeof output->path;
    fits &= (size_t)snprintf(output->target, sizeof output->target, "%s", target) <
            sizeof output->target;
    output->beside[0] = '\0';
    if (!direct)
        fits &= (size_t)snprintf(output->beside, sizeof output->beside, "%s.part-%ld", target,
                                 (long)getpid()) < sizeof output->beside;
    free(real);
    return fits;
}

static enum rk_status fail(const struct output *output, const char *what, struct rk_error *error)
{
    return rk_fail(error, RK_IO, output->path, 0, 0, "%s: %s", what,
                   errno ? strerror(errno) : "the data could not be written");
}

enum rk_status output_fail(const struct output *output, struct rk_error *error)
{
    return fail(output, "cannot write", error);
}

enum rk_status output_open(struct output *output, const char *path, struct rk_error *error)
{
    int descriptor;
    *output = (struct output){.path = ""};
    if (strcmp(path, "-") == 0) {
        output->file = stdout;
        return RK_OK;
    }
    if (!name_files(output, path))
        return rk_fail(error, RK_IO, path, 0, 0, "cannot write: the name is too long");
    errno = 0;
    if (output->beside[0])
        descriptor = open(output->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    else
        descriptor = open(output->target, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) {
        const enum rk_status status = fail(output, "cannot write", error);
        output->beside[0] = '\0'; /* not ours to remove */
        return status;
    }
    if (output->beside[0]) note_open(output);
    output->file = stream_on(descriptor, text_ends_in(path, ".gz"));
    if (output->file) return RK_OK;
    close(descriptor);
    output_abandon(output);
    return rk_fail(error, RK_NO_MEMORY, path, 0, 0, "cannot write: out of memory");
}

enum rk_status output_commit(struct output *output, struct rk_error *error)
{
    FILE *file = output->file;
    bool failed;
    errno = 0;
    output->file = NULL;
    if (file == stdout) {
        failed = fflush(stdout) != 0 || ferror(stdout);
    } else {
        failed = ferror(file) != 0;
        failed |= fclose(file) != 0;
    }
    if (!failed && output->beside[0]) failed = rename(output->beside, output->target) != 0;
    if (failed) {
        const enum rk_status status = fail(output, "cannot write", error);
        output_abandon(output);
        return status;
    }
    note_closed(output);
    return RK_OK;
}

void output_abandon(struct output *output)
{
    if (output->file && output->file != stdout) fclose(output->file);
    if (output->beside[0]) unlink(output->beside);
    output->file = NULL;
    note_closed(output);
}

void output_blame(const struct output *output, struct rk_error *error)
{
    if (!error || error->status != RK_IO || error->path[0] || strcmp(output->path, "-") == 0)
        return;
    snprintf(error->path, sizeof error->path, "%.*s", (int)sizeof error->path - 1, output->path);
}

enum rk_status output_write(const char *path,
                            enum rk_status (*write)(FILE *, const void *what, struct rk_error *),
                            const void *what, struct rk_error *error)
{
    struct output output = {.file = NULL};
    if (!path) return RK_OK;
    enum rk_status status = output_open(&output, path, error);
    if (status == RK_OK) status = write(output.file, what, error);
    if (status == RK_OK)
        status = output_commit(&output, error);
    else
        output_blame(&output, error);
    output_abandon(&output);
    return status;
}

/* Devices and pipes are left alone: their readers would see them end. */
enum rk_status output_try(const char *path, struct rk_error *error)
{
    struct output output;
    struct stat about;
    if (!path || output_is_stdout(path)) return RK_OK;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) return RK_OK;
    const enum rk_status status = output_open(&output, path, error);
    if (status == RK_OK) output_abandon(&output);
    return status;
}

bool output_is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}
