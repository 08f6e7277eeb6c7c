/* folio.h - tables of layer costs: every kind of layer of one tensor degree, for some microbatch
 * sizes, on every network. Folded once, read by all groups of that degree.
 */
#ifndef RECKON_CALCULON_FOLIO_H
#define RECKON_CALCULON_FOLIO_H

#include "calculon/layer.h"
#include "calculon/space.h"

/* One kind of layer. */
struct row {
    enum rk_recompute recompute;
    enum rk_tensor_comm comm;
    bool redo;
    enum rk_tensor_overlap overlap;
    bool fused;
    int at_overlap, at_fused; /* positions in the options' lists */
};

enum { MAX_ROWS = 11 * RK_TENSOR_OVERLAPS * 2 };

struct rows {
    int count;
    int full; /* rows [0, full) recompute in full, the others do not */
    struct row row[MAX_ROWS];
};

/* The rows that a problem's options allow, with or without tensor parallelism. */
void rows_open(struct rows *rows, const struct strategies *space, bool tensor);

/* Entries are written by different threads: none shares a cache line. */
struct folio_entry {
    _Alignas(64) struct layer_cost cost;
};

struct folio {
    uint64_t tensor;
    const struct rows *rows;
    int microbatches;
    const uint64_t *microbatch; /* (microbatches) ascending */
    int networks;               /* 1 when tensor is 1 */
    struct folio_entry *layer;  /* (rows, microbatches, networks) */
    struct folio_weights {      /* operations with weights, for the optimizer's fold */
        struct block block;
        struct block_cost cost;
    } * weights; /* (2) without and with overlapped communication */
};

/* Whether tensor parallelism can run on a network at all. It cannot on the others:
 * whatever shares such a network only adds to its load. Their tables lack communication. */
bool folio_uses_network(const struct rk_system *system, uint64_t tensor, uint64_t network);

/* Bytes that folio_fold needs for each microbatch size. */
size_t folio_bytes(const struct strategies *space, const struct rows *rows, uint64_t tensor);

/* Fills the layer costs of one microbatch size; different sizes may be filled at the same time. */
void folio_fold(struct folio *folio, const struct rk_problem *problem, int microbatch);

/* Fills folio->weights. */
void folio_fold_weights(struct folio *folio, const struct rk_problem *problem);

/* The entry of one row, microbatch and network, followed by that of the next network. */
static inline struct folio_entry *folio_layer(const struct folio *folio, int microbatch, int row,
                                              int network)
{
    return &folio->layer[((size_t)row * (size_t)folio->microbatches + (size_t)microbatch) *
                             (size_t)folio->networks +
                         (size_t)network];
}

#endif
