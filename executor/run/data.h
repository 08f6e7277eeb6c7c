/* data.h - samples for training: a file of tokens, cut into windows, in an order of its own.
 *
 * A file is a shard as `reckon tokenize --as bin` writes it (llm.c's: 256 integers, then 16- or
 * 32-bit ids), or anything else: its bytes are the tokens. Window i are tokens i s ... i s + s, so
 * that targets are the next tokens. Which window is sample n is a pure function of seed and n: the
 * order does not depend on the plan, and resuming takes one number.
 */
#ifndef RECKON_RUN_DATA_H
#define RECKON_RUN_DATA_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct data {
    const unsigned char *map; /* the file, mapped */
    size_t map_bytes;
    const unsigned char *token; /* (tokens), each of `width` bytes */
    int width;
    uint64_t tokens, windows, sequence, seed;
    struct rk_error doubt; /* why bytes may be no tokens; RK_OK: nothing speaks against it */
};

/* RK_BAD_INPUT: a header that is wrong, an id at or beyond `vocabulary` (with its place), fewer
 * tokens than one window takes. */
enum rk_status data_open(struct data *data, const char *path, uint64_t sequence,
                         uint64_t vocabulary, uint64_t seed, struct rk_error *error);
void data_close(struct data *data); /* a zeroed one is fine */

/* Tokens 0 ... sequence of sample n; each epoch of `windows` samples is another permutation. */
void data_sample(const struct data *data, uint64_t n, uint32_t *tokens);

#endif
