/* predict.h - time and memory of one training step under a plan, stage by stage.
 *
 * Unlike estimate.h, which is the published model, this one knows embedding and head, unequal
 * stages, experts, context parallelism, ZeRO, kernels by shape, and what frameworks store. Pure: no
 * allocation, no files, no globals, no failure. docs/prediction.md has the formulas.
 */
#ifndef RECKON_PREDICT_H
#define RECKON_PREDICT_H

#include <reckon/plan.h>
#include <reckon/strategy.h>
#include <reckon/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the time of a step goes, on the stage that sets the pace. X(name, help); seconds, they sum
 * up to step_s. */
/* clang-format off */
#define RK_TIMES(X) \
    X(matrix_s,           "matrix products") \
    X(attention_s,        "attention kernels") \
    X(memory_s,           "operations that memory limits: norms, activations, casts") \
    X(recompute_s,        "forward work done again in backward, communication too") \
    X(tensor_s,           "tensor-parallel communication that is waited for") \
    X(context_s,          "context-parallel communication that is waited for") \
    X(expert_s,           "all-to-all of experts that is waited for") \
    X(offload_s,          "offload transfers that are waited for") \
    X(launch_s,           "the host, where it is slower than the device") \
    X(pipeline_s,         "messages between stages that are waited for") \
    X(bubble_s,           "stages that wait for others: start, end, imbalance") \
    X(data_s,             "gradients and weights of data parallelism that are waited for") \
    X(optimizer_s,        "optimizer step")

/* What a stage's memory holds; X(name, help); bytes of one rank. */
#define RK_HOLDINGS(X) \
    X(weights,         "weights in the datatype they are kept in") \
    X(gradients,       "weight gradients") \
    X(optimizer,       "master copy and moments") \
    X(gathered,        "weights and gradients gathered for the layer at hand (ZeRO-3)") \
    X(attention,       "activations of attention") \
    X(mlp,             "activations of dense MLPs") \
    X(experts,         "activations of mixtures") \
    X(norms,           "activations of norms and the residual stream") \
    X(checkpoints,     "inputs of layers that are computed again") \
    X(embedding,       "activations of embedding, head and loss") \
    X(working,         "what the operation at hand needs beside that") \
    X(communication,   "buffers of collectives and messages") \
    X(context,         "the device's context, libraries and their workspaces") \
    X(fragmentation,   "what the allocator loses")
/* clang-format on */

enum rk_holding {
#define RK_HOLDING_ENUM(name, help) RK_HOLD_##name,
    RK_HOLDINGS(RK_HOLDING_ENUM)
#undef RK_HOLDING_ENUM
        RK_HOLDING_COUNT
};

RK_API const char *rk_holding_name(enum rk_holding holding);
RK_API const char *rk_holding_help(enum rk_holding holding);

struct rk_stage {
    uint64_t blocks;              /* of all its chunks */
    double parameters;            /* of one rank, before ZeRO divides them */
    double forward_s, backward_s; /* of one microbatch, all chunks; recomputation in backward */
    double in_flight;             /* microbatches whose activations are held, in whole stages */
    double holds[RK_HOLDING_COUNT];
    double static_bytes;    /* weights, gradients, optimizer, lasting buffers, workspaces */
    double allocated_bytes; /* the allocator's peak: without context, libraries, fragmentation */
    double total_bytes;     /* all of it */
    double offloaded_bytes; /* in memory tier 1 */
};

struct rk_prediction {
    enum rk_verdict verdict; /* of the first reason */
    struct rk_reason reason; /* when it is not RK_FITS */
    bool timed;              /* figures are filled: also when only memory is exceeded */
    double step_s;
#define RK_TIME_MEMBER(name, help) double name;
    RK_TIMES(RK_TIME_MEMBER)
#undef RK_TIME_MEMBER
    double samples_per_s, tokens_per_s; /* all ranks */
    double model_flop;                  /* of a step, all ranks: 3 x forward, attention in full */
    double executed_flop;               /* recomputation too */
    double mfu, hfu;                    /* over the peak rate of the plan's precision */
    double parameters;                  /* of the model */
    double data_link_s, tensor_link_s, expert_link_s,
        context_link_s; /* links busy, hidden or not */
    double tensor_sent_bytes, expert_sent_bytes,
        context_sent_bytes; /* that leave ranks in a step, all ranks */
    int stages;             /* pipeline */
    int tightest, slowest;  /* stages */
    struct rk_stage stage[RK_MAX_STAGES];
};

/* Fills `prediction` and returns its verdict. Requires a checked model and system. */
RK_API enum rk_verdict rk_predict(const struct rk_model *model, const struct rk_system *system,
                                  const struct rk_plan *plan, struct rk_prediction *prediction);

/* ---- for who simulates the step ---- */

enum rk_way { RK_WAY_FORWARD, RK_WAY_BACKWARD, RK_WAYS };

/* One microbatch on one part of the model: a stage, or one of its chunks. The parts of a stage add
 * up to the stage's forward_s and backward_s. */
struct rk_chunk {
    uint64_t blocks;
    double forward_s, recompute_s, input_s,
        weight_s; /* backward: gradients of inputs, of weights */
    double tensor_s[RK_WAYS], context_s[RK_WAYS], expert_s[RK_WAYS]; /* waited for, within these */
    double offload_s[RK_WAYS]; /* waits for transfers, beside these */
    double data_s[RK_WAYS];    /* ... for weights and gradients that ZeRO-2 and 3 move */
    double reduce_s;           /* its gradients once, hidden or not (ZeRO-0 and 1) */
    double held_bytes;         /* from forward to backward */
    double released_bytes;     /* ... of it, behind the gradient of the input: the loss' */
    double moving_bytes;       /* ... of activations on their way to memory tier 1 or back */
};

struct rk_passes {
    int stages, parts;
    struct rk_chunk chunk[RK_MAX_CHUNKS]; /* (parts), in model order */
    struct {
        double optimizer_s;
        double gather_s; /* waits for its result, which ZeRO-1 and 2 gather */
    } end[RK_MAX_STAGES];
    double send_s, message_bytes; /* from one part to the next, and back */
    bool sends_wait;              /* computing waits for messages */
    bool reduce_beside;           /* gradients are reduced while backward runs */
};

/* Requires a plan that rk_predict times. */
RK_API void rk_predict_passes(const struct rk_model *model, const struct rk_system *system,
                              const struct rk_plan *plan, struct rk_passes *passes);

#ifdef __cplusplus
}
#endif
#endif
