/* serve.h - inference: time of prompts and generated tokens, and memory of the KV cache.
 *
 * A forward pass is a sum of layers as in training (docs/prediction.md), of which the weights are
 * read once and the cache once for each sequence [pope2023]. Prefill runs all tokens of a prompt,
 * decoding one token of each sequence after those in its cache. The plan gives degrees, precision,
 * kernels and how experts are reached; `weight-bytes` are those of the weights of blocks where they
 * are kept narrower than they are multiplied; `cuda-graphs` capture steps of decoding, never
 * prompts, whose lengths differ. Pure: no allocation, no files, no globals, no failure.
 * docs/serve.md.
 */
#ifndef RECKON_SERVE_H
#define RECKON_SERVE_H

#include <reckon/plan.h>
#include <reckon/status.h>
#include <reckon/system.h>
#include <reckon/verdict.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rk_serving {
    uint64_t prompt, generated; /* tokens of each sequence; at least 1 */
    uint64_t batch;             /* sequences at a time, over all ranks; at least 1 */
    uint64_t pass_tokens;       /* most tokens of a pass of prefill, of one data rank; at least 1 */
    double cache_element_bytes; /* of keys and values; above 0 */
    bool cache_split;           /* tensor ranks that would have the same keys share the sequences */
    bool heads_apart;           /* heads that share a key read it apart, as kernels of 2023 did */
};

/* One step of all ranks: everybody's prompts, or a token of each sequence. */
struct rk_served_step {
    double step_s; /* the sum of those below */
    double matrix_s, attention_s, memory_s;
    double tensor_s, expert_s; /* exchanges that are waited for */
    double launch_s;           /* the device waits for the host */
    double pipeline_s;         /* messages between stages, and waiting for the slowest */
    double flop;               /* useful ones, of all ranks */
    double mfu;                /* these over the peak of the plan's precision */
};

struct rk_served {
    enum rk_verdict verdict; /* RK_FITS, or reason.verdict */
    struct rk_reason reason;
    bool timed;                    /* what follows is filled: also when only memory refuses */
    struct rk_served_step alone;   /* one prompt while nothing else runs: time to the first token */
    struct rk_served_step prefill; /* the prompts of the whole batch, one after another */
    struct rk_served_step first, last; /* decoding: of the second and of the last token */
    double generate_s;                 /* prefill, and all steps of decoding */
    double tokens_per_s;               /* generated, over that time, of all ranks */
    double mean_token_s;               /* of a step of decoding */
    int tightest;                      /* stage */
    /* of its ranks, when all sequences are as long as they get */
    double weights_bytes, cache_bytes, working_bytes, context_bytes, total_bytes;
    double sequence_bytes; /* cache of one sequence on that rank */
    uint64_t most_batch;   /* sequences that fit, over all ranks; 0: not one */
};

/* Fills `served` and returns its verdict. Requires a checked model and system. */
RK_API enum rk_verdict rk_serve(const struct rk_model *model, const struct rk_system *system,
                                const struct rk_plan *plan, const struct rk_serving *serving,
                                struct rk_served *served);

/* ---- the layout to serve with ---- */

/* Limits on a layout; 0: none. */
struct rk_serve_limits {
    double first_s,
        token_s;  /* of the first token of a prompt alone, of a further one in the mean */
    uint64_t top; /* layouts to tell of; 0: all */
    double room;  /* share of the device's memory, in (0, 1] */
};

/* A plan with the batch that brings the most tokens a second within the limits. */
struct rk_serve_layout {
    struct rk_plan plan;
    struct rk_served served;
    uint64_t batch;
};

struct rk_serve_layouts {
    size_t count;                   /* 0: none fits, or none is within the limits */
    struct rk_serve_layout *layout; /* (count), the most tokens a second first */
    bool leaves_room;               /* false: none does, these fit without */
};

/* The plan as it stands or, to `search`, all splits of its ranks over tensor, pipeline and expert
 * degrees; each with its best batch. RK_NO_MEMORY without memory; release in any case. */
RK_API enum rk_status rk_serve_layouts(const struct rk_model *model, const struct rk_system *system,
                                       const struct rk_plan *plan, const struct rk_serving *serving,
                                       const struct rk_serve_limits *limits, bool search,
                                       struct rk_serve_layouts *layouts, struct rk_error *error);
RK_API void rk_serve_layouts_release(struct rk_serve_layouts *layouts);

#ifdef __cplusplus
}
#endif
#endif
