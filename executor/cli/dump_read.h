/* dump_read.h - a step's dump (run/dump.h), of all ranks, put together tensor by tensor. */
#ifndef RECKON_CLI_DUMP_READ_H
#define RECKON_CLI_DUMP_READ_H

#include "shard/safetensors.h"

#include <stdio.h>

struct dump_tensor {
    char *order, *name;
    uint64_t rows, cols;
    bool part; /* boxes are parts of a sum */
};

struct dump_set {
    int files;
    struct dump_file {
        char path[800];
        struct safetensors header;
        FILE *data;
        int rank;
    } * file;                   /* (files) */
    struct dump_tensor *tensor; /* (tensors), in the order of a step */
    size_t tensors;
    struct dump_box {
        const char *name; /* "NAME@ROW,COL" */
        size_t length;    /* of NAME */
        int file, rank;
        const struct tensor *tensor;
        uint64_t row, col;
    } * box; /* (boxes), by name */
    size_t boxes;
};

/* Of a folder with rank-*.safetensors, or with step-* folders: of `step`, or 0 for the first. */
enum rk_status dump_set_open(const char *folder, uint64_t step, struct dump_set *set,
                             struct rk_error *error);
void dump_set_close(struct dump_set *set); /* a zeroed one is fine */

/* NULL: it has none. */
const struct dump_tensor *dump_set_find(const struct dump_set *set, const char *name);

/* A whole tensor. Elements of copies that differ by more than `tolerance` of the tensor's size are
 * those of one of two ranks. */
struct dump_whole {
    double *value;  /* (rows, cols) */
    int *rank;      /* (rows, cols): who has it; -1: nobody */
    int one, other; /* ranks whose copies differ; -1: none */
    double apart;   /* ... by so much of the size of what they have */
};

enum rk_status dump_set_whole(const struct dump_set *set, const struct dump_tensor *tensor,
                              double tolerance, struct dump_whole *whole, struct rk_error *error);
void dump_whole_release(struct dump_whole *whole);

#endif
