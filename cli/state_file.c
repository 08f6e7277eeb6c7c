#include "cli/state_file.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = {'r', 'k', 'f', 'i', 'l', 'e', '0', '2'};

/* In front of the answers, which stand before the progress. */
struct header {
    char magic[8];
    uint64_t answers, progress_bytes;
    uint64_t checksum; /* of what follows */
};

enum { SHARE_OF_TIME = 20 };

/* FNV-1a over words; the tail byte by byte. */
static uint64_t checksum(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (; size >= 8; at += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    for (; size; at++, size--)
        hash = (hash ^ *at) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t content_checksum(const struct state_file *file, const void *progress, size_t bytes)
{
    const uint64_t hash =
        checksum(UINT64_C(0xcbf29ce484222325), file->answer, file->finished * sizeof *file->answer);
    return checksum(hash, progress, bytes);
}

/* ---- reading ---- */

static enum rk_status fail_io(const struct state_file *file, const char *what,
                              struct rk_error *error)
{
    return rk_fail(error, RK_IO, file->path, 0, 0, "cannot %s the state of the search: %s", what,
                   strerror(errno));
}

static enum rk_status fail_content(const struct state_file *file, struct rk_error *error)
{
    return rk_fail(
        error, RK_BAD_INPUT, file->path, 0, 0,
        "this is not a whole state of a search of this version: remove it to start over, "
        "or name another file");
}

/* Fills the struct from the file's bytes. */
static enum rk_status take(struct state_file *file, const char *bytes, size_t size,
                           struct rk_error *error)
{
    struct header h;
    if (size < sizeof h) return fail_content(file, error);
    memcpy(&h, bytes, sizeof h);
    const size_t rest = size - sizeof h;
    if (memcmp(h.magic, magic, sizeof magic) != 0 || h.answers > rest / sizeof *file->answer ||
        h.progress_bytes != rest - h.answers * sizeof *file->answer)
        return fail_content(file, error);
    file->finished = h.answers;
    file->progress_bytes = h.progress_bytes;
    file->answer = NULL;
    file->progress = h.progress_bytes ? malloc(h.progress_bytes) : NULL;
    if (!ARRAY_SIZED(file->answer, h.answers) || (h.progress_bytes && !file->progress))
        return rk_fail(error, RK_NO_MEMORY, file->path, 0, 0, "not enough memory for the state");
    memcpy(file->answer, bytes + sizeof h, h.answers * sizeof *file->answer);
    if (file->progress) memcpy(file->progress, bytes + size - h.progress_bytes, h.progress_bytes);
    if (content_checksum(file, file->progress, file->progress_bytes) != h.checksum)
        return fail_content(file, error);
    return RK_OK;
}

static enum rk_status read_file(struct state_file *file, struct rk_error *error)
{
    const int descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT ? RK_OK : fail_io(file, "read", error);
    struct stat info;
    char *bytes = NULL;
    size_t size = 0;
    enum rk_status status = RK_OK;
    if (fstat(descriptor, &info) != 0)
        status = fail_io(file, "read", error);
    else if (!S_ISREG(info.st_mode))
        status = rk_fail(error, RK_IO, file->path, 0, 0, "--state needs the name of a file");
    else if (!(bytes = malloc((size_t)info.st_size + 1)))
        status = rk_fail(error, RK_NO_MEMORY, file->path, 0, 0, "not enough memory for the state");
    while (status == RK_OK && size < (size_t)info.st_size) {
        const ssize_t more = read(descriptor, bytes + size, (size_t)info.st_size - size);
        if (more < 0) status = fail_io(file, "read", error);
        if (more <= 0) break;
        size += (size_t)more;
    }
    if (status == RK_OK) status = take(file, bytes, size, error);
    free(bytes);
    close(descriptor);
    return status;
}

/* ---- writing ---- */

static bool write_all(int descriptor, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size) {
        const ssize_t written = write(descriptor, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

static bool write_file(struct state_file *file, const void *progress, size_t bytes)
{
    struct header h = {.answers = file->finished,
                       .progress_bytes = bytes,
                       .checksum = content_checksum(file, progress, bytes)};
    memcpy(h.magic, magic, sizeof magic);
    const int descriptor = open(file->beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) return false;
    bool ok = write_all(descriptor, &h, sizeof h) &&
              write_all(descriptor, file->answer, file->finished * sizeof *file->answer) &&
              write_all(descriptor, progress, bytes) && fsync(descriptor) == 0;
    ok &= close(descriptor) == 0;
    return ok && rename(file->beside, file->path) == 0;
}

/* RK_OK, or RK_IO with a message. */
static enum rk_status save(struct state_file *file, const void *progress, size_t bytes,
                           struct rk_error *error)
{
    const double started_s = now_s();
    if (!file->writes) return RK_OK;
    errno = 0;
    if (!write_file(file, progress, bytes)) return fail_io(file, "write", error);
    file->written_s = now_s();
    file->took_s = file->written_s - started_s;
    return RK_OK;
}

bool state_file_keep(void *context, const void *progress, size_t bytes)
{
    struct state_file *file = context;
    if (now_s() - file->written_s < SHARE_OF_TIME * file->took_s) return true;
    return save(file, progress, bytes, &file->error) == RK_OK;
}

enum rk_status state_file_finish(struct state_file *file, const struct state_answer *answer,
                                 struct rk_error *error)
{
    if (!ARRAY_ROOM(file->answer, file->finished)) return no_memory(error);
    file->answer[file->finished++] = *answer;
    free(file->progress);
    file->progress = NULL;
    file->progress_bytes = 0;
    return save(file, NULL, 0, error);
}

/* ---- the file's life ---- */

enum rk_status state_file_open(struct state_file *file, const char *path, bool writes,
                               struct rk_error *error)
{
    *file = (struct state_file){.writes = writes};
    if ((size_t)snprintf(file->path, sizeof file->path, "%s", path) >= sizeof file->path)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--state: the name is too long");
    snprintf(file->beside, sizeof file->beside, "%s.part", file->path);
    const enum rk_status status = read_file(file, error);
    if (status != RK_OK || !writes) return status;
    const int descriptor = open(file->beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) return fail_io(file, "write", error);
    close(descriptor);
    return RK_OK;
}

void state_file_remove(struct state_file *file)
{
    if (file->writes && file->path[0]) unlink(file->path);
}

void state_file_close(struct state_file *file)
{
    if (file->writes && file->beside[0]) unlink(file->beside);
    free(file->answer);
    free(file->progress);
    *file = (struct state_file){.path = ""};
}
