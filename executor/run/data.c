#include "run/data.h"

#include "base/hash.h"
#include "base/open.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHARD_INTEGERS = 256, MAGIC_16 = 20240520, MAGIC_32 = 20240801 };

static uint32_t read_id(const struct data *d, uint64_t i)
{
    const unsigned char *at = d->token + i * (uint64_t)d->width;
    uint32_t id = at[0];
    if (d->width >= 2) id |= (uint32_t)at[1] << 8;
    if (d->width == 4) id |= (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    return id;
}

static uint32_t header_integer(const struct data *d, int i)
{
    uint32_t value;
    memcpy(&value, d->map + 4 * i, 4);
    return value;
}

static enum rk_status read_header(struct data *d, const char *path, struct rk_error *error)
{
    const size_t header = 4 * SHARD_INTEGERS;
    const uint32_t magic = d->map_bytes >= header ? header_integer(d, 0) : 0;
    d->token = d->map;
    d->width = 1;
    d->tokens = d->map_bytes;
    if (magic != MAGIC_16 && magic != MAGIC_32) return RK_OK;
    if (header_integer(d, 1) != 1)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "tokens in a form of version %u, and 1 is known: write it again with reckon "
                       "tokenize `as` bin",
                       header_integer(d, 1));
    d->width = magic == MAGIC_16 ? 2 : 4;
    d->token = d->map + header;
    d->tokens = (d->map_bytes - header) / (size_t)d->width;
    const uint64_t said = header_integer(d, 2);
    if (d->tokens == said) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                   "the header says %llu tokens, the file holds %llu: write it again with reckon "
                   "tokenize `as` bin",
                   (unsigned long long)said, (unsigned long long)d->tokens);
}

static enum rk_status check_ids(const struct data *d, const char *path, uint64_t vocabulary,
                                struct rk_error *error)
{
    for (uint64_t i = 0; i < d->tokens; i++)
        if (read_id(d, i) >= vocabulary)
            return rk_fail(
                error, RK_BAD_INPUT, path, 0, 0,
                "token %llu is %u, the model's vocabulary ends at %llu: tokenize with the "
                "model's tokenizer",
                (unsigned long long)i, read_id(d, i), (unsigned long long)vocabulary);
    return RK_OK;
}

/* Bytes as tokens are meant for text, and for models that read bytes. */
static void doubt_bytes(struct data *d, const char *path, uint64_t vocabulary)
{
    enum { LOOKED_AT = 1 << 16, BYTES_AND_MARKS = 512 };
    const size_t some = d->map_bytes < LOOKED_AT ? d->map_bytes : LOOKED_AT;
    if (d->width > 1) return;
    if (memchr(d->map, 0, some))
        rk_fail(&d->doubt, RK_BAD_INPUT, path, 0, 0,
                "neither text nor what reckon tokenize `as` bin writes: each of its bytes is taken "
                "as a token");
    else if (vocabulary > BYTES_AND_MARKS)
        rk_fail(&d->doubt, RK_BAD_INPUT, path, 0, 0,
                "each byte of this text is taken as a token, 256 of the model's %llu: reckon "
                "tokenize `as` bin -t TOKENIZER makes tokens of it",
                (unsigned long long)vocabulary);
}

static enum rk_status map_file(struct data *d, const char *path, struct rk_error *error)
{
    struct stat about;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &about) < 0) {
        const int why = errno;
        if (file >= 0) close(file);
        errno = why;
        return fail_to_open(path, error);
    }
    if (!S_ISREG(about.st_mode) || about.st_size == 0) {
        close(file);
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       about.st_size == 0 && S_ISREG(about.st_mode) ? "the file is empty"
                                                                    : "this is not a regular file");
    }
    void *map = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (map == MAP_FAILED) return rk_fail(error, RK_IO, path, 0, 0, "%s", strerror(errno));
    d->map = map;
    d->map_bytes = (size_t)about.st_size;
    return RK_OK;
}

enum rk_status data_open(struct data *d, const char *path, uint64_t sequence, uint64_t vocabulary,
                         uint64_t seed, struct rk_error *error)
{
    *d = (struct data){.sequence = sequence, .seed = seed};
    enum rk_status status = map_file(d, path, error);
    if (status == RK_OK) status = read_header(d, path, error);
    if (status == RK_OK) status = check_ids(d, path, vocabulary, error);
    if (status == RK_OK && d->tokens < sequence + 1)
        status =
            rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                    "%llu tokens are fewer than the %llu of one sample: give more data, or seqN",
                    (unsigned long long)d->tokens, (unsigned long long)sequence + 1);
    if (status != RK_OK) {
        data_close(d);
        return status;
    }
    doubt_bytes(d, path, vocabulary);
    d->windows = (d->tokens - 1) / sequence;
    return RK_OK;
}

void data_close(struct data *d)
{
    if (d->map) munmap((void *)d->map, d->map_bytes);
    *d = (struct data){.map = NULL};
}

/* A permutation of 0 ... n - 1: four Feistel rounds over the next power of four, again until the
 * result is within [black2002]. */
static uint64_t permute(uint64_t i, uint64_t n, uint64_t key)
{
    int half = 1;
    while ((UINT64_C(1) << (2 * half)) < n)
        half++;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = i >> half, right = i & mask;
        for (uint64_t round = 0; round < 4; round++) {
            const uint64_t next = left ^ (hash_pair(key + round, right) & mask);
            left = right;
            right = next;
        }
        i = left << half | right;
    } while (i >= n);
    return i;
}

void data_sample(const struct data *d, uint64_t n, uint32_t *tokens)
{
    const uint64_t epoch = n / d->windows;
    const uint64_t window = permute(n % d->windows, d->windows, hash_pair(d->seed, epoch));
    for (uint64_t i = 0; i <= d->sequence; i++)
        tokens[i] = read_id(d, window * d->sequence + i);
}
