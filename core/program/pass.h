/* pass.h - one layer and one microbatch on their way through a pass: what layer.c, all tokens at
 * once, and chunks.c, chunk by chunk, have in common.
 */
#ifndef RECKON_PROGRAM_PASS_H
#define RECKON_PROGRAM_PASS_H

#include "program/build.h"

enum { NO_CHUNK = -1 };

struct pass_of_layer {
    struct build *b;
    const struct slot *slot;
    struct place *place;
    struct program_kind *kind;
    struct live *live;
    int32_t microbatch;
    int32_t chunk; /* of the sequence; NO_CHUNK: all tokens */
    double chunks; /* that the operation at hand takes one after the other */
};

static inline const struct operation *operation_of(const struct pass_of_layer *p, int i)
{
    return &p->kind->timed.layer.operation[i];
}

struct tensors {
    int32_t read[FLOW_READS + 8], written[FLOW_READS + 2];
    int reads, writes;
};

void add_read(struct tensors *t, int32_t tensor);
void add_write(struct tensors *t, int32_t tensor);

/* ---- of one operation (layer.c) ---- */

int32_t pass_tensor(const struct pass_of_layer *p, int i, enum rk_tensor_kind kind);
int32_t pass_mask(const struct pass_of_layer *p, int i, bool again);
int32_t pass_source(const struct pass_of_layer *p, int from, bool again);
void pass_add_gradients(const struct pass_of_layer *p, int i, struct tensors *t);
void pass_put(const struct pass_of_layer *p, int32_t task, struct tensors *t);

void pass_forward(const struct pass_of_layer *p, int i, enum rk_work work, int32_t *brought);
void pass_input(const struct pass_of_layer *p, int i, bool last);
void pass_weight(const struct pass_of_layer *p, int i, bool last);

/* ---- in chunks of the sequence (chunks.c) ---- */

/* Is operation `i` one that takes the sequence chunk by chunk? Those in a row are a run, which ends
 * in front of the operation returned. */
bool in_chunks(const struct pass_of_layer *p, int i);
int chunk_run_end(const struct pass_of_layer *p, int i);
int chunk_run_begin(const struct pass_of_layer *p, int i);

/* Does operation `i` bring each chunk a tensor of its own? What others read is whole, and what
 * attention brings for backward. */
bool is_of_chunk(const struct pass_of_layer *p, int i, enum rk_tensor_kind kind);
int32_t chunk_tensor(const struct pass_of_layer *p, int32_t form);

/* Seconds of what the backward of operation `i` computes again of a chunk. */
double chunk_again_s(const struct pass_of_layer *p, int i);

/* A run of operations, forward and backward. */
void chunks_forward(const struct pass_of_layer *p, int begin, enum rk_work work, int32_t *brought);
void chunks_backward(const struct pass_of_layer *p, int end, int last, bool last_of_weight);

#endif
