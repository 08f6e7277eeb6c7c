/* predict.h - time and memory of one training step under a plan.
 *
 * There are two models. The detailed model, "reckon", covers embedding and head, unequal stages,
 * experts, context parallelism, ZeRO, kernels by shape, and what frameworks store
 * (docs/prediction.md). The Calculon model, "calculon" [isaev2023], predicts plans whose framework
 * says the Calculon model (docs/model.md). Pure: no allocation, no files, no globals, no failure.
 */
#ifndef RECKON_PREDICT_H
#define RECKON_PREDICT_H

#include <reckon/plan.h>
#include <reckon/system.h>
#include <reckon/verdict.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/* What a stage's memory holds; X(name, help); bytes of one rank. */
#define RK_HOLDINGS(X) \
    X(weights,         "weights in the datatype they are stored in") \
    X(gradients,       "weight gradients") \
    X(optimizer,       "master copy and moments") \
    X(gathered,        "weights and gradients gathered for the current layer (ZeRO-3)") \
    X(activations,     "activations of layers, of all kinds (calculon)") \
    X(activation_gradients, "gradients of activations (calculon)") \
    X(attention,       "activations of attention") \
    X(mlp,             "activations of dense MLPs") \
    X(experts,         "activations of mixtures") \
    X(norms,           "activations of norms and the residual stream") \
    X(checkpoints,     "recompute inputs of layers") \
    X(embedding,       "activations of embedding, head and loss") \
    X(working,         "temporary buffers of the current operation") \
    X(communication,   "buffers of collectives and messages") \
    X(context,         "the GPU's context, libraries and their workspaces") \
    X(fragmentation,   "fragmentation")
/* clang-format on */

enum rk_holding {
#define RK_HOLDING_ENUM(name, help) RK_HOLD_##name,
    RK_HOLDINGS(RK_HOLDING_ENUM)
#undef RK_HOLDING_ENUM
        RK_HOLDING_COUNT
};

RK_API const char *rk_holding_name(enum rk_holding holding);
RK_API const char *rk_holding_help(enum rk_holding holding);

/* ... by the Calculon model and in studies, in coarser ones. */
enum rk_category {
    RK_WEIGHTS,
    RK_ACTIVATIONS,
    RK_CHECKPOINTS,
    RK_ACTIVATION_GRADS,
    RK_WEIGHT_GRADS,
    RK_OPTIMIZER,
    RK_CATEGORIES
};

RK_API const char *rk_category_name(enum rk_category category);

struct rk_stage {
    uint64_t blocks;              /* of all its chunks */
    double parameters;            /* of one rank, before ZeRO divides them */
    double forward_s, backward_s; /* of one microbatch, all chunks; recomputation in backward */
    double in_flight;             /* microbatches whose activations are held, in whole stages */
    double holds[RK_HOLDING_COUNT];
    double static_bytes;    /* weights, gradients, optimizer, lasting buffers, workspaces */
    double allocated_bytes; /* the allocator's peak: without context, libraries, fragmentation */
    double total_bytes;     /* all of it */
    double cached_bytes;    /* on top of it, while there is room: segments of the optimizer's
                               step */
    double offloaded_bytes; /* in lower memory tiers */
    double away_bytes[RK_SHARE_TIERS];    /* of these, in memory tier i + 1 */
    double written_bytes[RK_SHARE_TIERS]; /* to it in a step: activations, optimizer, weights */
    /* over several clusters, of which the memory is that of the fullest replica: */
    int cluster;
    double message_s; /* of a microbatch, to the next stage and back: overlaps with forward and
                         backward */
    double end_s;     /* after the last microbatch: gradients, weights, optimizer */
};

/* What is predicted of the whole. */
struct rk_outcome {
    enum rk_verdict verdict; /* RK_FITS, or reason[0].verdict */
    int reasons;             /* how many; those beyond RK_MAX_REASONS are dropped */
    struct rk_reason reason[RK_MAX_REASONS];
    bool timed; /* figures are filled: also when only memory or networks refuse */
#define FIGURE(by, name, unit, help) double name;
#include <reckon/figures.def>
    double holds[RK_HOLDING_COUNT]; /* of the tightest stage */
    double lower[RK_HOLDING_COUNT]; /* ... in the lower memory tiers together (calculon) */
};

/* ... and of each stage. prediction.step_s is prediction.outcome.step_s. */
struct rk_prediction {
    union {
        struct rk_outcome outcome;
        RK_UNNAMED struct {
            enum rk_verdict verdict; /* RK_FITS, or reason[0].verdict */
            int reasons;             /* how many; those beyond RK_MAX_REASONS are dropped */
            struct rk_reason reason[RK_MAX_REASONS];
            bool timed; /* figures are filled: also when only memory or networks refuse */
#define FIGURE(by, name, unit, help) double name;
#include <reckon/figures.def>
            double holds[RK_HOLDING_COUNT]; /* of the tightest stage */
            double lower[RK_HOLDING_COUNT]; /* ... in the lower memory tiers together (calculon) */
        };
    };
    int stages;            /* pipeline */
    int tightest, slowest; /* stages */
    struct rk_stage stage[RK_MAX_STAGES];
};

/* Fills `prediction` and returns its verdict. Requires a checked model and system. A plan's kernels
 * must be the device's: rk_plan_default() and rk_plan_parse() know no device, rk_usual_attention()
 * has what it takes by default. */
RK_API enum rk_verdict rk_predict(const struct rk_model *model, const struct rk_system *system,
                                  const struct rk_plan *plan, struct rk_prediction *prediction);

/* Would its framework start it, memory apart? Else the first reason: what reckon-check(1) calls an
 * error, of which no plan that is proposed has one. */
RK_API bool rk_plan_starts(const struct rk_model *model, const struct rk_system *system,
                           const struct rk_plan *plan, struct rk_reason *reason);

/* Bytes of a rank of the tightest stage in memory tier `tier`, and their contents; the detailed
 * model does not give the contents of lower tiers. Requires the prediction of `plan`. */
RK_API double rk_predict_tier(const struct rk_prediction *prediction, const struct rk_plan *plan,
                              int tier, double holds[RK_HOLDING_COUNT]);

/* ---- operations of the layers ---- */

enum rk_pass { RK_FORWARD, RK_AGRAD, RK_WGRAD, RK_PASSES };

/* One operation on one rank, for one microbatch. Communication: [0]; where calculon tells base and
 * edge blocks apart, [1] is the edge; its third pass is the recomputation. */
struct rk_operation {
    const char *layer; /* "block", "embedding", ...; static storage, as `name` */
    const char *name;
    double layers;          /* of that kind in the model */
    double inputs, outputs; /* elements (calculon) */
    double flop[RK_PASSES];
    double access_bytes[RK_PASSES];
    double time_s[RK_PASSES]; /* 0 for communication alone: its link time has all of it */
    double comm_bytes[RK_PASSES][2];
    double comm_tile_bytes[RK_PASSES][2];
    double comm_link_s[RK_PASSES][2];
    double comm_exposed_s[RK_PASSES][2];
    double optimizer_flop, optimizer_access_bytes, optimizer_s;
    double parameters, weight_bytes, activation_bytes, weight_grad_bytes, activation_grad_bytes,
        optimizer_bytes;
    bool recomputed, recommunicated, keeps_input, keeps_output, reuses_buffer;
};

/* The operations of each kind of layer, in order; returns how many there are, of which the first
 * `most` are written; 0 over several clusters. Requires a plan that rk_predict times. */
RK_API int rk_predict_operations(const struct rk_model *model, const struct rk_system *system,
                                 const struct rk_plan *plan, struct rk_operation *operations,
                                 int most);

/* ---- for who simulates the step ---- */

enum rk_way { RK_WAY_FORWARD, RK_WAY_BACKWARD, RK_WAYS };

/* One microbatch on one part of the model: a stage, or one of its chunks. The parts of a stage add
 * up to the stage's forward_s and backward_s. */
struct rk_chunk {
    uint64_t blocks;
    double forward_s, recompute_s, input_s,
        weight_s; /* backward: gradients of inputs, of weights */
    double tensor_s[RK_WAYS], context_s[RK_WAYS], expert_s[RK_WAYS]; /* waited for, within these */
    double offload_s[RK_WAYS];       /* waits for transfers, on top */
    double out_s, out_bytes;         /* activations go to lower tiers during forward */
    double back_s;                   /* ... and the same bytes come back during backward */
    double weights_s, weights_bytes; /* offloaded weights are loaded, during either pass */
    double chunks_in_s[RK_WAYS], chunks_in_bytes[RK_WAYS];   /* sequence chunks are loaded, during
                                                                either */
    double chunks_out_s[RK_WAYS], chunks_out_bytes[RK_WAYS]; /* ... and go; recomputation: back */
    double data_s[RK_WAYS]; /* ... for weights and gradients that ZeRO-2 and 3 move */
    double reduce_s;        /* its gradients once, hidden or not (ZeRO-0 and 1) */
    double held_bytes;      /* from forward to backward */
    double released_bytes;  /* ... of it, freed after the gradient of the input: the loss' */
    double moving_bytes;    /* ... of activations on their way to memory tier 1 or back */
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
    bool reduce_in_buckets;       /* ... of several layers in one message */
};

/* Requires a plan that rk_predict times. */
RK_API void rk_predict_passes(const struct rk_model *model, const struct rk_system *system,
                              const struct rk_plan *plan, struct rk_passes *passes);

/* ---- figures by name ---- */

struct rk_figure {
    const char *name;
    const char *unit; /* "s", "B", "FLOP", "B/s", "1/s" or "" */
    const char *help;
    size_t offset; /* in struct rk_outcome */
    enum rk_by by; /* which predictor fills it */
    bool time;     /* one of those that sum up to step_s */
};

/* All figures, ended by one whose name is NULL. */
RK_API const struct rk_figure *rk_figures(void);

/* The first figure after `figure` (NULL: of all) that one of these models fills; NULL when there is
 * none. */
RK_API const struct rk_figure *rk_figure_next(const struct rk_figure *figure, enum rk_by by);

/* NULL when there is no such figure. */
RK_API const struct rk_figure *rk_figure_find(const char *name);
RK_API double rk_figure_value(const struct rk_outcome *outcome, const struct rk_figure *figure);

#ifdef __cplusplus
}
#endif
#endif
