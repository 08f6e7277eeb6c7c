/* layer.h - a layer as a list of operations, and what each of them has. */
#ifndef RECKON_WORKLOAD_LAYER_H
#define RECKON_WORKLOAD_LAYER_H

#include "plan/ranks.h"
#include "workload/op.h"
#include "workload/pattern.h"
#include <reckon/predict.h>
#include <stdbool.h>

/* Blocks are numbered by what they are made of, in the order in which stages sum them. */
enum layer_kind {
    LAYER_EMBEDDING, /* tables of tokens and positions, followed by norm and dropout */
    LAYER_BLOCKS,    /* the first of MIXERS * MLP_KINDS */
    LAYER_PREDICT = LAYER_BLOCKS + MIXERS * MLP_KINDS, /* multi-token prediction: a projection of
                                              2h to h, a block, its share of the head */
    LAYER_HEAD,                                        /* final norm, logits, loss */
    LAYER_KINDS,

    LAYER_DENSE = LAYER_BLOCKS + MLP_DENSE * MIXERS + MIXER_ATTENTION,
    LAYER_DENSE_LOCAL = LAYER_BLOCKS + MLP_DENSE * MIXERS + MIXER_LOCAL,
    LAYER_EXPERTS = LAYER_BLOCKS + MLP_EXPERTS * MIXERS + MIXER_ATTENTION,
    LAYER_EXPERTS_LOCAL = LAYER_BLOCKS + MLP_EXPERTS * MIXERS + MIXER_LOCAL,
    LAYER_NOTHING = LAYER_BLOCKS + MLP_NONE * MIXERS + MIXER_NONE
};

/* Ranks an operation communicates with: a group of plan/ranks.h. */
enum comm_over {
    OVER_NONE,
#define GROUP(id, name, counted) OVER_##id,
    RANK_GROUPS_OF(GROUP)
#undef GROUP
};

/* Of OVER_NONE, which sends nothing, any. */
static inline enum rank_groups comm_group(enum comm_over over)
{
    return over ? (enum rank_groups)(over - 1) : RANKS_OF_TENSOR;
}

/* As machine/kernels.h orders them. */
enum comm_what {
    COMM_ALL_REDUCE,
    COMM_REDUCE_SCATTER,
    COMM_ALL_GATHER,
    COMM_ALL_TO_ALL,
    COMM_SEND
};

enum { NOT_A_PART = -1, MAX_OPERATIONS = 128 };

/* Kernels that memory limits. */
enum memory_kind {
    MEMORY_OTHER,
    MEMORY_NORM,
    MEMORY_RESIDUAL, /* without dropout */
    MEMORY_ACTIVATION,
    MEMORY_ROTARY,
    MEMORY_LOSS
};

/* clang-format off */
/* What an operation holds, in bytes; of samples of several lengths, that of the longest. */
#define OPERATION_HOLDS(MEMBER) \
    MEMBER(saved_bytes)            /* held from forward to backward */ \
    MEMBER(saved_recomputed_bytes) /* ... when `part` is recomputed */ \
    MEMBER(put_off_bytes)          /* a microbatch, where the weight gradient is put off */ \
    MEMBER(cache_kept_bytes)       /* that recomputation keeps: cache_kept, qkv_kept */ \
    MEMBER(working_bytes)          /* while it runs, in forward or backward, on top of saved tensors */ \
    MEMBER(released_bytes)         /* of these, where it is not recomputed: its output, which only the \
                                      next operation reads, is freed when its own backward pass runs */ \
    MEMBER(buffer_bytes)           /* of a buffer that all operations of a rank share and nobody frees */
/* clang-format on */

struct operation {
    enum op op;
    enum operation_kind kind; /* op.def's class of it */
    int part;                 /* enum rk_part whose recomputation runs it again, or NOT_A_PART */
    enum rk_holding holding;  /* what its saved tensors count as */
    enum rk_graph_part graph; /* the part of a CUDA graph that has it; RK_GRAPH_PARTS: none */

    double flop[RK_PASSES]; /* executed, on this rank */
    double useful_flop;     /* of forward, as model FLOP are counted: pairs that the mask leaves, no
                               padding of capacity, busiest rank = mean */
    double masked_flop;     /* what counts of attention in full have more: pairs that it hides */
    double megatron_flop;   /* what Megatron-LM's own count has more, negative where less */
    double elements;        /* OPERATION_MEMORY: what it works on, and mostly brings */
    enum memory_kind memory;   /* likewise */
    double bytes[RK_PASSES];   /* OPERATION_MEMORY: read and written. Fused attention runs both
                                  gradients in RK_AGRAD; likewise an operation without weights */
    double table_bytes;        /* likewise, of RK_AGRAD with torch alone: the gradient of a table */
    double added[RK_PASSES];   /* likewise: elements that atomic operations add, one by one */
    double kernels[RK_PASSES]; /* kernels launched; of a matrix, its products one after the other */

    /* OPERATION_MATRIX: `count` products (m, k) x (k, n) in forward; gradients (m, n) x (n, k) and
     * (k, m) x (m, n), the second in RK_WGRAD when it is of weights, else both in RK_AGRAD */
    double count, m, n, k;
    bool of_weights;
    double slower; /* time over that of a library's kernel; 0: 1 */
    double starts; /* products of `count` that the library starts apart, one after the other; 0: one
                      kernel does all */
    double again;  /* of its forward products, how many backward runs once more */
    bool stays;    /* its result is kept where the layer is recomputed whole */
    bool narrow;   /* runs in the plan's 8-bit or 4-bit precision where it has one; else 16 bits */

    /* OPERATION_ATTENTION */
    double batch, heads, kv_heads, queries, keys, head_dim, value_dim;
    double pairs;                     /* computed */
    double window;                    /* tokens that a query sees at most; 0: all before it */
    bool slides;                      /* ... the last ones, not those of its chunk */
    double loaded_bytes[RK_PASSES];   /* from memory tier 1 in front of each pair of chunks */
    double returned_bytes[RK_PASSES]; /* to it: forward after each chunk, backward each pair */
    double lent_bytes;                /* there of all chunks, while the layer runs */
    double merged_bytes[RK_PASSES];   /* read and written to add up what each pair brings */
    double packed_bytes;              /* keys and values that other ranks need, side by side */
    double cache_bytes;               /* one query a sample: read of the cache; 0: no cache */
    double chunks;                    /* of the sequence, one after the other; 0: all at once */

    /* communication of each pass; several operations in a row may stand for one exchange */
    enum comm_over over;
    enum comm_what what[RK_PASSES];
    double comm_bytes[RK_PASSES];   /* whole vector, as collective_time_s wants it; 0: none */
    double comm_element[RK_PASSES]; /* bytes of an element of it */
    double comm_times[RK_PASSES];   /* how often (ring steps); preset 1 */
    double told_bytes; /* whole vector of an exchange in front of it, forward, of how much comes */
    double rearranged_bytes; /* read and written around it, in each pass, by its kernels but one */
    double copies; /* all-to-all: ranks that each token goes to; those of one network domain are
                      sent one, and pass it on; 0: each is sent its own */
    double reach;  /* share of the ranks, neighbours, that these are among; with copies */
    bool beside_attention; /* overlaps with the attention operation that follows */
    bool beside_matrix;    /* overlaps with the matrix that follows or precedes it, with
                              plan->tensor_overlap */

    double parameters;        /* of this rank */
    double copied_parameters; /* of these: copies of tables that the first stage has */
    bool expert;              /* ... which are an expert's: another data-parallel group */
    bool adapter;             /* ... which are an adapter's: trained though the others are frozen */

    bool ends; /* neither it nor a later operation holds anything: torch's checkpoints stop */

#define OPERATION_MEMBER(name) double name;
    OPERATION_HOLDS(OPERATION_MEMBER)
#undef OPERATION_MEMBER
};

struct layer {
    enum layer_kind kind;
    int operations;
    struct operation operation[MAX_OPERATIONS];
    double input_bytes; /* of the residual stream: what a checkpoint of the layer holds, and what a
                           stage sends to the next one (per tensor rank when sequence_parallel) */
    double message_bytes; /* to the next stage, from this rank */
};

/* A forward pass of plan->microbatch samples, plan->sequence tokens of each, after tokens whose
 * keys, values or states are kept. Prefill begins with none cached; a step of decoding has a
 * sequence of 1. */
struct served {
    double cached;        /* tokens of each sample before these */
    double cache_element; /* bytes of an element of keys and values in the cache */
    bool heads_apart;     /* each query head reads its keys and values itself */
    bool cache_split;     /* ranks with the same keys and values have some of the samples each,
                             whose queries and outputs are exchanged [pope2023, 3.3] */
};

#endif
