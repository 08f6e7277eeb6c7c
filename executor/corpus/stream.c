#include "corpus/stream.h"
#include "base/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { PACKED_BYTES = 1 << 18, TEXT_BYTES = 1 << 20 };

enum packing { PLAIN, GZIP, ZSTANDARD };

struct stream {
    char name[256];
    int file;
    enum packing packing;
    unsigned most_expansion;
    bool at_member; /* between two members or frames: the file may end here */
    bool ended;
    z_stream gzip;
    ZSTD_DStream *zstd;
    char *packed; /* (PACKED_BYTES), of which from .. until are left */
    size_t from, until;
    char *text; /* (TEXT_BYTES), likewise */
    size_t text_from, text_until;
    uint64_t packed_bytes, text_bytes; /* read, unpacked */
    uint64_t lines;
};

static enum rk_status fail_memory(const struct stream *s, struct rk_error *error)
{
    return rk_fail(error, RK_NO_MEMORY, s->name, 0, 0, "no memory to read the file");
}

static enum rk_status fail_damaged(const struct stream *s, const char *what, struct rk_error *error)
{
    return rk_fail(error, RK_BAD_INPUT, s->name, 0, 0,
                   "damaged or cut %s data near byte %llu (%s): fetch it again",
                   s->packing == GZIP ? "gzip" : "Zstandard",
                   (unsigned long long)(s->packed_bytes - (s->until - s->from)), what);
}

/* ---- packed bytes ---- */

/* Appends packed bytes to those that are left; none at the end of the file. */
static enum rk_status read_packed(struct stream *s, struct rk_error *error)
{
    memmove(s->packed, s->packed + s->from, s->until - s->from);
    s->until -= s->from;
    s->from = 0;
    for (;;) {
        const ssize_t count = read(s->file, s->packed + s->until, PACKED_BYTES - s->until);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0)
            return rk_fail(error, errno == EISDIR ? RK_BAD_INPUT : RK_IO, s->name, 0, 0,
                           "cannot read: %s", strerror(errno));
        s->until += (size_t)count;
        s->packed_bytes += (uint64_t)count;
        return RK_OK;
    }
}

static enum packing packing_of(const struct stream *s)
{
    if (s->until - s->from >= 2 && memcmp(s->packed + s->from, "\x1f\x8b", 2) == 0) return GZIP;
    if (s->until - s->from >= 4 && memcmp(s->packed + s->from, "\x28\xb5\x2f\xfd", 4) == 0)
        return ZSTANDARD;
    return PLAIN;
}

/* ---- unpacking: as much as there is room for ---- */

static enum rk_status unpack_gzip(struct stream *s, struct rk_error *error)
{
    z_stream *z = &s->gzip;
    z->next_in = (Bytef *)s->packed + s->from;
    z->avail_in = (uInt)(s->until - s->from);
    z->next_out = (Bytef *)s->text;
    z->avail_out = TEXT_BYTES;
    if (s->at_member) inflateReset(z);
    const int state = inflate(z, Z_NO_FLUSH);
    s->from = s->until - z->avail_in;
    s->text_until = TEXT_BYTES - z->avail_out;
    s->at_member = state == Z_STREAM_END;
    if (state == Z_MEM_ERROR) return fail_memory(s, error);
    if (state == Z_OK || state == Z_STREAM_END || state == Z_BUF_ERROR) return RK_OK;
    return fail_damaged(s, z->msg ? z->msg : "wrong data", error);
}

static enum rk_status unpack_zstd(struct stream *s, struct rk_error *error)
{
    ZSTD_inBuffer in = {s->packed, s->until, s->from};
    ZSTD_outBuffer out = {s->text, TEXT_BYTES, 0};
    const size_t state = ZSTD_decompressStream(s->zstd, &out, &in);
    s->from = in.pos;
    s->text_until = out.pos;
    s->at_member = state == 0;
    return ZSTD_isError(state) ? fail_damaged(s, ZSTD_getErrorName(state), error) : RK_OK;
}

/* What is not packed is handed on by exchanging the buffers' roles: copied, for it is cheap. */
static enum rk_status unpack_plain(struct stream *s)
{
    s->text_until = s->until - s->from;
    memcpy(s->text, s->packed + s->from, s->text_until);
    s->from = s->until = 0;
    s->at_member = true;
    return RK_OK;
}

static enum rk_status unpack(struct stream *s, struct rk_error *error)
{
    if (s->packing == GZIP) return unpack_gzip(s, error);
    if (s->packing == ZSTANDARD) return unpack_zstd(s, error);
    return unpack_plain(s);
}

static enum rk_status check_expansion(const struct stream *s, struct rk_error *error)
{
    if (s->packing == PLAIN || s->text_bytes <= STREAM_FREE_BYTES ||
        s->text_bytes / s->most_expansion <= s->packed_bytes)
        return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, s->name, 0, 0,
                   "unpacks to more than %u times its size near byte %llu: a bomb? If it is meant, "
                   "unpack it yourself",
                   s->most_expansion, (unsigned long long)s->packed_bytes);
}

/* Fills the text, which is used up. */
static enum rk_status fill(struct stream *s, struct rk_error *error)
{
    s->text_from = s->text_until = 0;
    while (s->text_until == 0 && !s->ended) {
        const size_t left = s->until - s->from;
        enum rk_status status = RK_OK;
        if (left == 0 || !s->at_member) { /* the middle of a member may need more */
            if (left < PACKED_BYTES) status = read_packed(s, error);
            if (status != RK_OK) return status;
        }
        const bool no_more = s->until - s->from == left;
        if (s->until == s->from && s->at_member) {
            s->ended = true;
            return RK_OK;
        }
        const size_t from = s->from;
        status = unpack(s, error);
        if (status != RK_OK) return status;
        if (no_more && s->text_until == 0 && s->from == from && !s->at_member)
            return fail_damaged(s, "ends too early", error);
    }
    s->text_bytes += s->text_until;
    return check_expansion(s, error);
}

/* ---- opening ---- */

static enum rk_status open_file(struct stream *s, const char *path, struct rk_error *error)
{
    struct stat info;
    const bool standard = strcmp(path, "-") == 0;
    snprintf(s->name, sizeof s->name, "%s", standard ? "<stdin>" : path);
    s->file = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (s->file < 0) return fail_to_open(s->name, error);
    if (fstat(s->file, &info) == 0 && S_ISDIR(info.st_mode))
        return rk_fail(error, RK_BAD_INPUT, s->name, 0, 0, "is a folder: name the files in it");
    return RK_OK;
}

static bool open_unpacker(struct stream *s)
{
    s->packing = packing_of(s);
    s->at_member = s->packing == PLAIN;
    if (s->packing == GZIP) return inflateInit2(&s->gzip, 15 + 16) == Z_OK;
    if (s->packing == ZSTANDARD) s->zstd = ZSTD_createDStream();
    return s->packing != ZSTANDARD || s->zstd;
}

enum rk_status stream_open(const char *path, unsigned most_expansion, struct stream **stream,
                           struct rk_error *error)
{
    struct stream *s = *stream = calloc(1, sizeof *s);
    if (!s) return rk_fail(error, RK_NO_MEMORY, path, 0, 0, "no memory to read the file");
    s->most_expansion = most_expansion ? most_expansion : STREAM_MOST_EXPANSION;
    s->packed = malloc(PACKED_BYTES);
    s->text = malloc(TEXT_BYTES);
    s->file = -1;
    enum rk_status status = open_file(s, path, error);
    if (status == RK_OK && (!s->packed || !s->text)) status = fail_memory(s, error);
    while (status == RK_OK && s->until < 4) { /* a pipe may give one byte at a time */
        const size_t before = s->until;
        status = read_packed(s, error);
        if (s->until == before) break;
    }
    if (status == RK_OK && !open_unpacker(s)) status = fail_memory(s, error);
    if (status == RK_OK) return status;
    stream_close(s);
    *stream = NULL;
    return status;
}

void stream_close(struct stream *s)
{
    if (!s) return;
    if (s->packing == GZIP) inflateEnd(&s->gzip);
    ZSTD_freeDStream(s->zstd);
    if (s->file >= 0) close(s->file);
    free(s->packed);
    free(s->text);
    free(s);
}

/* ---- reading ---- */

enum rk_status stream_peek(struct stream *s, const char **data, size_t *size,
                           struct rk_error *error)
{
    const enum rk_status status = s->text_from == s->text_until ? fill(s, error) : RK_OK;
    *data = s->text + s->text_from;
    *size = s->text_until - s->text_from;
    return status;
}

void stream_take(struct stream *s, size_t size)
{
    s->text_from += size;
}

enum rk_status stream_line(struct stream *s, size_t most, struct bytes *out, bool *whole, bool *end,
                           struct rk_error *error)
{
    const char *data, *feed = NULL;
    size_t size, left = most;
    *whole = *end = true;
    while (!feed) {
        const enum rk_status status = stream_peek(s, &data, &size, error);
        if (status != RK_OK) return status;
        if (size == 0) break;
        *end = false;
        feed = memchr(data, '\n', size);
        const size_t length = feed ? (size_t)(feed - data) : size;
        const size_t kept = length < left ? length : left;
        if (kept < length) *whole = false;
        if (!bytes_add(out, data, kept)) return fail_memory(s, error);
        left -= kept;
        stream_take(s, length + (feed != NULL));
    }
    s->lines += !*end;
    return RK_OK;
}

uint64_t stream_offset(const struct stream *s)
{
    return s->text_bytes - (s->text_until - s->text_from);
}

uint64_t stream_lines(const struct stream *s)
{
    return s->lines;
}

const char *stream_name(const struct stream *s)
{
    return s->name;
}
