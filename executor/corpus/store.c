#include "corpus/store.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum rk_status fail(const struct store *s, const char *what, struct rk_error *error)
{
    return rk_fail(error, RK_IO, s->folder, 0, 0, "%s: %s", what,
                   errno ? strerror(errno) : "the file is too short");
}

static int open_file(const struct store *s, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
}

/* All of it, or false. */
static bool write_at(int file, const void *data, size_t size, uint64_t at)
{
    const char *from = data;
    while (size > 0) {
        const ssize_t count = pwrite(file, from, size, (off_t)at);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        from += count;
        size -= (size_t)count;
        at += (uint64_t)count;
    }
    return true;
}

static bool read_at(int file, void *data, size_t size, uint64_t at)
{
    char *to = data;
    while (size > 0) {
        const ssize_t count = pread(file, to, size, (off_t)at);
        if (count < 0 && errno == EINTR) continue;
        if (count == 0) errno = 0;
        if (count <= 0) return false;
        to += count;
        size -= (size_t)count;
        at += (uint64_t)count;
    }
    return true;
}

enum rk_status store_open(struct store *s, const char *folder, uint64_t documents,
                          struct rk_error *error)
{
    struct store_row last;
    *s = (struct store){.texts = -1, .rows = -1, .documents = documents};
    snprintf(s->folder, sizeof s->folder, "%s", folder);
    s->texts = open_file(s, "texts");
    s->rows = open_file(s, "rows");
    if (s->texts < 0 || s->rows < 0) return fail(s, "cannot keep documents", error);
    if (documents > 0) {
        const enum rk_status status = store_rows(s, documents - 1, 1, &last, error);
        if (status != RK_OK) return status;
        s->bytes = last.from + last.size;
    }
    if (ftruncate(s->rows, (off_t)(documents * sizeof last)) != 0 ||
        ftruncate(s->texts, (off_t)s->bytes) != 0)
        return fail(s, "cannot keep documents", error);
    return RK_OK;
}

void store_close(struct store *s)
{
    if (s->texts >= 0) close(s->texts);
    if (s->rows >= 0) close(s->rows);
    s->texts = s->rows = -1;
}

enum rk_status store_add(struct store *s, struct store_row *row, size_t count, const char *text,
                         size_t size, struct rk_error *error)
{
    uint64_t from = s->bytes;
    for (size_t i = 0; i < count; i++) {
        row[i].from = from;
        from += row[i].size;
    }
    if (!write_at(s->texts, text, size, s->bytes) ||
        !write_at(s->rows, row, count * sizeof *row, s->documents * sizeof *row))
        return fail(s, "cannot keep documents", error);
    s->bytes += size;
    s->documents += count;
    return RK_OK;
}

enum rk_status store_rows(const struct store *s, uint64_t first, size_t count,
                          struct store_row *row, struct rk_error *error)
{
    if (read_at(s->rows, row, count * sizeof *row, first * sizeof *row)) return RK_OK;
    return fail(s, "cannot read what was kept", error);
}

enum rk_status store_text(const struct store *s, uint64_t from, size_t size, struct bytes *out,
                          struct rk_error *error)
{
    out->size = 0;
    if (!bytes_reserve(out, size + 1)) return no_memory(error);
    if (!read_at(s->texts, out->data, size, from))
        return fail(s, "cannot read what was kept", error);
    out->size = size;
    return RK_OK;
}
