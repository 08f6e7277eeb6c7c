/* safetensors.h - the header of a safetensors file, read and written.
 *
 * The format (github.com/huggingface/safetensors, README): 8 bytes N, little-endian; N bytes of
 * JSON that begin with "{", padded with blanks; then the data, in C order, little-endian. Offsets
 * count from the end of the header. The ranges of all tensors cover the data without hole or
 * overlap.
 *
 * Everything else is refused with RK_BAD_INPUT, the name of the tensor and the byte of the header.
 * Only headers are ever held in memory; values are read one at a time.
 */
#ifndef RECKON_SHARD_SAFETENSORS_H
#define RECKON_SHARD_SAFETENSORS_H

#include "base/bytes.h"

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TENSOR_MAX_RANK = 8,
    SAFETENSORS_MAX_HEADER = 100000000, /* the format's own limit */
    SAFETENSORS_MAX_NAME = 4096
};

/* X(name, bits of an element, order): files sort tensors by it, wide types first, as the format's
 * own library does. Types of less than a byte are counted in bits. */
#define TENSOR_TYPES(X)                                                                            \
    X(F64, 64, 0)                                                                                  \
    X(I64, 64, 1)                                                                                  \
    X(U64, 64, 2)                                                                                  \
    X(F32, 32, 3)                                                                                  \
    X(U32, 32, 4)                                                                                  \
    X(I32, 32, 5)                                                                                  \
    X(BF16, 16, 6)                                                                                 \
    X(F16, 16, 7)                                                                                  \
    X(U16, 16, 8)                                                                                  \
    X(I16, 16, 9)                                                                                  \
    X(F8_E8M0, 8, 10)                                                                              \
    X(F8_E4M3, 8, 11) X(F8_E5M2, 8, 12) X(I8, 8, 13) X(U8, 8, 14) X(F6_E3M2, 6, 15)                \
        X(F6_E2M3, 6, 16) X(F4, 4, 17) X(BOOL, 8, 18) X(C64, 64, 19)

enum tensor_type {
#define TENSOR_TYPE_ENUM(name, bits, order) TENSOR_##name,
    TENSOR_TYPES(TENSOR_TYPE_ENUM)
#undef TENSOR_TYPE_ENUM
        TENSOR_TYPE_COUNT
};

const char *tensor_type_name(enum tensor_type type);
unsigned tensor_type_bits(enum tensor_type type);

struct tensor {
    char *name;
    enum tensor_type type;
    int rank; /* 0: one element */
    uint64_t shape[TENSOR_MAX_RANK];
    uint64_t begin, end; /* bytes of the file */
};

/* Elements, and bytes, of a shape; false when they are more than 2^63, or no whole bytes. */
bool tensor_elements(int rank, const uint64_t *shape, uint64_t *elements);
bool tensor_bytes(enum tensor_type type, int rank, const uint64_t *shape, uint64_t *bytes);

struct pair {
    char *key, *value;
};

struct safetensors {
    size_t count;
    struct tensor *tensor; /* (count) in the order of the data */
    size_t pairs;
    struct pair *pair; /* (pairs) __metadata__ */
};

/* Reads the header of a file. On failure `file` is empty. */
enum rk_status safetensors_read(const char *path, struct safetensors *file, struct rk_error *error);

/* A header from memory, followed by `data` bytes; `path` is for messages. */
enum rk_status safetensors_parse(const char *path, const char *header, size_t size, uint64_t data,
                                 struct safetensors *file, struct rk_error *error);

/* NULL when there is none. */
const char *safetensors_value(const struct safetensors *file, const char *key);

void safetensors_release(struct safetensors *file); /* a zeroed file is fine */

/* Sorts the tensors as files have them, sets begin and end (of the file) of each, and writes N and
 * the header, as long as a multiple of 8. RK_BAD_INPUT when it is longer than the format allows. */
enum rk_status safetensors_write(const char *path, struct safetensors *file, struct bytes *header,
                                 struct rk_error *error);

#endif
