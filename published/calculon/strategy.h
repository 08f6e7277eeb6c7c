/* strategy.h - how a training step is split over the ranks, as the Calculon model has it. */
#ifndef RECKON_CALCULON_STRATEGY_H
#define RECKON_CALCULON_STRATEGY_H

#include <reckon/plans.h>

/* The order of the values is the order of the enumeration (strategies.h). */
enum rk_recompute { RK_RECOMPUTE_FULL, RK_RECOMPUTE_ATTENTION, RK_RECOMPUTE_NONE, RK_RECOMPUTES };

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
    bool upstream; /* with what the published tool counts amiss: docs/model.md */
};

/* The plan that a strategy is; its framework is RK_CALCULON. */
void plan_of_strategy(const struct rk_strategy *strategy, struct rk_plan *plan);

#endif
