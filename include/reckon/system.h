/* system.h - the machine one rank sees: two engines, a list of memories, a list of networks.
 *
 * Units are SI: bytes, seconds, FLOP/s, bytes/s. memory[0] is the one beside the engines (HBM);
 * memory[1], memory[2], ... are lower tiers (host, CXL, SSD) that tensors can be offloaded to.
 * network[0] is the innermost (NVLink), later ones reach further.
 */
#ifndef RECKON_SYSTEM_H
#define RECKON_SYSTEM_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rk_datatype { RK_FLOAT8, RK_FLOAT16, RK_BFLOAT16, RK_FLOAT32, RK_DATATYPES };

/* "float8", "float16", "bfloat16", "float32"; NULL outside the range. */
RK_API const char *rk_datatype_name(enum rk_datatype datatype);
RK_API double rk_datatype_bytes(enum rk_datatype datatype);

enum { RK_CURVE_STEPS = 32 };

/* Achieved rate of work of size n: that of the first step whose `from` is <= n. The steps
 * descend and the last one starts at 0. A rate of infinity is allowed (time 0). */
struct rk_curve {
    int steps; /* 0: the datatype is not supported by this engine */
    struct {
        double from;       /* FLOP for engines, bytes for memories */
        double efficiency; /* 0 < efficiency <= 1 */
        double rate;       /* peak * efficiency: FLOP/s or bytes/s */
    } step[RK_CURVE_STEPS];
};

struct rk_engine {
    double peak_flops; /* FLOP/s, dense */
    struct rk_curve curve;
};

struct rk_memory {
    char name[32];
    double capacity_bytes;
    double bandwidth_Bps; /* infinity: transfers are free */
    struct rk_curve curve;
};

enum rk_collective {
    RK_POINT_TO_POINT,
    RK_REDUCE_SCATTER,
    RK_ALL_GATHER,
    RK_ALL_REDUCE,
    RK_COLLECTIVES
};

/* What a collective of predict.h meets on one tier, beside size and bandwidth; docs/kernels.md. */
struct rk_link {
    double efficiency; /* of the bandwidth, large messages; 0: the tier's `efficiency` */
    double base_s;     /* of any collective, whatever its ranks and bytes */
    double hop_s;      /* of one step from rank to rank */
    double ramp_bytes; /* message at which the start of the pipeline takes as long as the rest */
    double in_network; /* share of the bandwidth of reductions inside the switches; 0: none */
    bool mesh;         /* a wire for each pair: two ranks see bandwidth / (size - 1) */
};

/* Time of a collective on p ranks, n bytes in all:
 *     latency + (n * scale + n * scale * offset / p) / (bandwidth * efficiency)   [isaev2023] */
struct rk_network {
    char name[32];
    double bandwidth_Bps; /* per rank and direction */
    double efficiency;
    double latency_s;
    uint64_t size;          /* ranks that one domain of this tier joins */
    bool must_be_filled;    /* a parallelism on this tier must divide its size */
    double processor_usage; /* share of the engines that driving it costs, 0 .. <1 */
    struct {
        double scale;
        double offset;
    } collective[RK_COLLECTIVES]; /* [RK_POINT_TO_POINT].offset is 0 */
    struct rk_link link;
};

enum rk_processing {
    RK_NO_OVERLAP, /* an operation takes its FLOP time plus its memory time */
    RK_ROOFLINE    /* the longer of the two */
};

/* What predictions (predict.h) need to know of an accelerator's kernels. One set an accelerator:
 * data/systems/ has them, with source or fit; docs/kernels.md what they mean. */
struct rk_kernels {
    uint64_t multiprocessors;       /* that run tiles at the same time */
    uint64_t tile_m, tile_n;        /* of the largest matrix kernel */
    double float4_FLOPps;           /* dense peak of 4-bit operands; 0: there are none */
    double tfloat32_FLOPps;         /* of fp32 operands rounded to 10 bits of mantissa; 0: none */
    double matrix_efficiency;       /* of the dense peak, a large product under sustained power */
    double narrow_efficiency;       /* likewise with 8-bit operands */
    double float4_efficiency;       /* likewise with 4-bit operands */
    double tile_efficiency;         /* of a multiprocessor's peak, one tile at full clocks */
    double narrow_tile_efficiency;  /* likewise with 8-bit and 4-bit operands */
    double tile_loss;               /* in elements: how smaller tiles are slower */
    double matrix_k_half;           /* length k at which half of a tile's time is start and end */
    double attention_efficiency[2]; /* of the peak: FlashAttention-2-like, forward and
                                       backward, head dimension 128, long sequences */
    double newest_attention_efficiency[2]; /* FlashAttention-3-like */
    double attention_dim_half; /* head dimension at which exponentials take as long as products */
    double attention_key_half; /* keys at which half of a tile's time is start and end */
    double memory_efficiency;  /* of the bandwidth, large kernels */
    double kernel_s;           /* start and end of a kernel on the device */
    double launch_s;           /* of the host for one operation, when it does not run ahead */
    double sustained;     /* rate of matrix products in a long run over that of an isolated kernel:
                             clocks under the power limit, caches, jitter. Attention draws less power */
    double power_W, sustained_power_W; /* limit of a board; that under which `sustained` was found.
                                          0: not known, and the same */
    double reserve_bytes; /* context and libraries on the device */
    double workspace_bytes; /* of a handle of cuBLAS or its like, in the framework's allocator */
    double engine_workspace_bytes; /* of Transformer Engine, likewise */
    double fragmentation;          /* share of the activations that the allocator loses */
};

/* `memory` and `network` are owned by the struct; see rk_system_release. */
struct rk_system {
    char id[256]; /* an id of the catalog, a path or the one-line description; cut when longer */
    uint64_t devices; /* accelerators there are; 0: as many as the strategy asks for */
    enum rk_processing processing;
    struct rk_engine matrix[RK_DATATYPES];
    struct rk_engine vector[RK_DATATYPES];
    struct rk_kernels kernels;
    int memories;
    int networks;
    struct rk_memory *memory;   /* (memories), at least 1 */
    struct rk_network *network; /* (networks), at least 1 */
};

/* Recomputes curve->step[].rate from `peak` and the efficiencies. */
RK_API void rk_curve_set_peak(struct rk_curve *curve, double peak);

/* A deep copy. RK_IO when there is no memory. */
RK_API enum rk_status rk_system_copy(struct rk_system *to, const struct rk_system *from,
                                     struct rk_error *error);

/* Frees the arrays and clears the struct; a zeroed struct is fine. */
RK_API void rk_system_release(struct rk_system *system);

#ifdef __cplusplus
}
#endif
#endif
