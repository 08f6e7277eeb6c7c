/* strategy.h - how a training step is split over the ranks, and why a split cannot run. */
#ifndef RECKON_STRATEGY_H
#define RECKON_STRATEGY_H

#include <reckon/plan.h>
#include <reckon/system.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The order of the values is the order of the enumeration (search.h). */
enum rk_recompute { RK_RECOMPUTE_FULL, RK_RECOMPUTE_ATTENTION, RK_RECOMPUTE_NONE, RK_RECOMPUTES };

/* What tensor parallelism sends: all-reduces; the same with the pipeline's messages scattered;
 * reduce-scatters and all-gathers, with sequence parallelism between them. */
enum rk_tensor_comm { RK_COMM_ALL_REDUCE, RK_COMM_P2P_RS_AG, RK_COMM_RS_AG, RK_TENSOR_COMMS };

struct rk_strategy {
    uint64_t ranks;        /* accelerators in use; tensor * pipeline * data */
    uint64_t tensor;       /* tensor parallel degree; t */
    uint64_t pipeline;     /* pipeline parallel degree; p */
    uint64_t data;         /* data parallel degree; d */
    uint64_t interleaving; /* chunks of blocks on a rank; v */
    uint64_t batch;        /* samples of one step, over all ranks */
    uint64_t microbatch;   /* samples of one forward pass on a rank; b */
    enum rk_datatype datatype;
    bool training; /* false: forward passes only */
    enum rk_recompute recompute;
    bool optimizer_sharding; /* optimizer state and gradients sharded over data (ZeRO) */
    enum rk_tensor_comm tensor_comm;
    bool redo_all_gather; /* gather again in backward instead of keeping what was gathered */
    bool data_overlap;    /* gradients are reduced while backward runs */
    enum rk_tensor_overlap tensor_overlap;
    int weight_offload;     /* memory tier the weights are offloaded to; 0: they are not */
    int activation_offload; /* likewise */
    int optimizer_offload;  /* likewise, with the gradients */
    bool fused_activation;  /* GeLU fused: its input is not held */
    int tensor_network;     /* network tier each parallelism runs on */
    int pipeline_network;
    int data_network;
};

/* Why a plan cannot run, in the order in which the search names the first reason. Those up to
 * RK_BAD_NETWORK never occur in an enumerated space. */
enum rk_verdict {
    RK_FITS,
    RK_BAD_MODEL,          /* the model has a feature that estimates do not cover */
    RK_BAD_DEGREES,        /* tensor * pipeline * data is not ranks, or a degree is 0, ... */
    RK_BAD_BATCH,          /* batch / data / microbatch is not an integer */
    RK_BAD_TENSOR,         /* a dimension is not divisible by the tensor degree */
    RK_BAD_PIPELINE,       /* more stages than blocks, or a bad interleaving */
    RK_BAD_OPTION,         /* two options exclude each other */
    RK_BAD_DATATYPE,       /* the system does not support the datatype */
    RK_BAD_MEMORY,         /* there is no memory tier of that number */
    RK_BAD_NETWORK,        /* there is no network tier of that number */
    RK_NETWORK_TOO_SMALL,  /* the parallelism on a tier is larger than its size */
    RK_NETWORK_NOT_FILLED, /* ... or does not divide it, on a tier that asks for that */
    RK_TOO_FEW_BLOCKS,     /* offloading needs three blocks on a rank */
    RK_MEMORY_EXCEEDED,    /* a memory tier is too small */
    RK_VERDICTS
};

/* A short name, "network_too_small"; NULL outside the range. */
RK_API const char *rk_verdict_name(enum rk_verdict verdict);

/* One reason. `tier` is the memory or network tier, else -1; `need` and `have` are in the unit of
 * the matter (ranks, blocks, bytes), 0 where there is none. */
struct rk_reason {
    enum rk_verdict verdict;
    int tier;
    double need;
    double have;
    const char *what; /* the sentence's subject: "hidden", "interleaving", ...; static storage */
};

#ifdef __cplusplus
}
#endif
#endif
