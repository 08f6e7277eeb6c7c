/* timeline.h - one training step as events: which stage computes, sends, reduces, moves what, when.
 *
 * An event simulation of a pipeline schedule, not a drawing of a formula. Each stage runs its
 * passes one after the other in the order of the schedule (schedule/order.h); a pass starts when
 * the stage is free and its message has arrived. Durations are those of the published estimate's
 * blocks, or of the prediction's layers. Because each stage's order is fixed, the result does not
 * depend on the order of simulation. With dualpipe a "stage" is a rank, which has two.
 *
 *     timeline_plan_of(estimate, schedule)   -> durations and sizes, of a strategy
 *     timeline_plan_of_plan(prediction)      -> ... of a plan
 *     timeline_simulate(plan)                -> totals per stage, peaks of memory
 *     timeline_log_open(plan, window)        -> arrays of events and memory samples
 *
 * A simulation keeps no events: about 10 ns a pass, memory for the messages on their way. Events
 * come from running it again with a visitor, so a window of a huge step costs no more than it.
 * The same input gives the same bits. Callers release plans and results.
 */
#ifndef RECKON_TIMELINE_TIMELINE_H
#define RECKON_TIMELINE_TIMELINE_H

#include "schedule/order.h"

#include <reckon/predict.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- what to simulate ---- */

enum timeline_schedule {
    TIMELINE_GPIPE,
    TIMELINE_1F1B,
    TIMELINE_INTERLEAVED,
    TIMELINE_ZB_H1,
    TIMELINE_SCHEDULES
};

/* How a stage pays for its messages. */
enum timeline_messages {
    TIMELINE_CHARGED,  /* as in the estimate: a stage waits for one after every pass of a chunk,
                          also at the ends of the pipeline, where nothing is sent */
    TIMELINE_BLOCKING, /* it waits for those that are sent */
    TIMELINE_BESIDE,   /* messages overlap with computation, one at a time in each direction */
    TIMELINE_MESSAGES
};
extern const char *const timeline_messages_names[];

struct timeline_options {
    enum timeline_schedule schedule;
    enum timeline_messages messages;
};

/* ---- the plan: durations and sizes ---- */

/* Communication of layers that is exposed, or that overlaps with computation. */
enum timeline_link { TIMELINE_BY_TENSOR, TIMELINE_BY_CONTEXT, TIMELINE_BY_EXPERT, TIMELINE_LINKS };

/* What a pass of a chunk takes: recompute, compute, data and wait follow each other. */
struct timeline_duration {
    double recompute_s;
    double compute_s; /* with exposed communication of layers */
    double data_s; /* waits for weights and gradients that data parallelism moves for this pass */
    double wait_s; /* for offload transfers, on top */
    double total_s;
    double recompute_link_s;               /* the tensor network is busy */
    double compute_link_s[TIMELINE_LINKS]; /* networks are */
    double in_bytes, in_s; /* from lower tiers, all of the chunk; the slowest tier */
    double out_bytes, out_s;
    double chunks_in_bytes, chunks_in_s; /* chunks of the sequence, after these on the same link */
    double chunks_out_bytes, chunks_out_s;
};

struct timeline_chunk {
    uint64_t blocks;
    double held;     /* in flight while a microbatch is between forward and backward */
    double released; /* ... of it, with the gradient of the input, where backward is split */
    double reduce_s; /* of the gradients of one of its pieces: a block, or all if it has none */
    double reduce_bytes;
    double send_s[2]; /* of its messages, forward and backward, on top of the plan's */
    struct timeline_duration pass[PASSES];
};

/* Work after the last pass of a stage and its reductions. */
struct timeline_end {
    double optimizer_s;
    double gather_s; /* waits for the new weights */
};

/* Bytes = fixed + in_flight * what is in flight, and `computing` while a pass runs, `backward`
 * while one of backward does. */
struct timeline_bytes {
    double fixed, in_flight, computing, backward;
};

enum { TIMELINE_TIERS = 4, TIMELINE_CATEGORIES = 10 }; /* HBM, and one for each kind offloaded */

struct timeline_tier {
    int tier; /* of the system */
    char name[32];
    double *capacity_bytes;       /* (stages) */
    double estimate_bytes;        /* what the estimate needs there */
    struct timeline_bytes *bytes; /* (stages, TIMELINE_CATEGORIES) */
};

struct timeline_plan {
    struct pipeline pipeline;
    uint32_t stages, chunks, microbatches; /* chunks of a rank; dualpipe has 2 */
    const char *schedule;                  /* its name */
    enum timeline_messages messages;
    struct timeline_chunk *chunk; /* (stages, chunks) */
    struct timeline_end *end;     /* (stages) */
    double message_s[2];          /* forward, backward */
    double message_bytes[2];
    bool reduces;
    bool reduce_beside;     /* while backward runs */
    double processor_usage; /* share of computation that an overlapping reduction takes */
    const char *in_flight;  /* what is counted: "blocks", "microbatches" */
    const char *category[TIMELINE_CATEGORIES]; /* names of memory; NULL: none */
    int tiers;
    struct timeline_tier tier[TIMELINE_TIERS];
    double estimate_s; /* the formula's step */
    double estimate_bubble_s;
    unsigned time_reasons;    /* bits: why the step may differ from the formula's */
    unsigned memory_reasons;  /* ... and the peaks */
    uint64_t ranks_per_stage; /* 0: they have no run of their own */
};

/* Room for what the pipeline and the count of tiers, which are set, ask for. RK_IO without. */
enum rk_status timeline_plan_open(struct timeline_plan *plan, struct rk_error *error);

/* The same on every stage. */
void timeline_set_capacity(struct timeline_plan *plan, int tier, double bytes);
void timeline_plan_release(struct timeline_plan *plan); /* a zeroed plan is fine */

/* Of a plan whose framework is calculon: timeline_plan_of_plan asks for it. The Calculon model has
 * no schedule, its formula is that of 1F1B; the plan's is what runs. */
enum rk_status timeline_plan_of_published(struct timeline_plan *plan, const struct rk_model *model,
                                          const struct rk_system *system,
                                          const struct rk_plan *training,
                                          const struct rk_prediction *prediction, int messages,
                                          struct rk_error *error);

/* Of a plan and its prediction, which is timed: with its schedule, and messages as the prediction
 * counts them unless `messages` is not negative. */
enum rk_status timeline_plan_of_plan(struct timeline_plan *timeline, const struct rk_model *model,
                                     const struct rk_system *system, const struct rk_plan *plan,
                                     const struct rk_prediction *prediction, int messages,
                                     struct rk_error *error);

/* Longest schedule: passes of all stages together. */
#define TIMELINE_MAX_PASSES (UINT64_C(1) << 30)
uint64_t timeline_passes(const struct timeline_plan *plan);

/* Sentences for the bits of the plan's reasons; NULL for a bit that means nothing. */
const char *timeline_reason(unsigned bit);
enum { TIMELINE_REASONS = 19 };

/* Blocks of a stage. */
uint64_t timeline_blocks(const struct timeline_plan *plan, uint32_t stage);

static inline const struct timeline_chunk *timeline_chunk_of(const struct timeline_plan *plan,
                                                             uint32_t stage, uint32_t chunk)
{
    return &plan->chunk[(size_t)stage * plan->chunks + chunk];
}

/* Pieces whose gradients are reduced one by one. */
static inline uint64_t timeline_pieces(const struct timeline_chunk *chunk)
{
    return chunk->blocks ? chunk->blocks : 1;
}

/* ---- memory ---- */

enum timeline_phase { TIMELINE_IDLE, TIMELINE_IN_FORWARD, TIMELINE_IN_BACKWARD, TIMELINE_PHASES };

/* From `time_s` on, until the next sample of the stage. */
struct timeline_sample {
    double time_s;
    uint32_t stage;
    enum timeline_phase phase;
    double held; /* in flight: forward is done or running, backward is not */
};

/* Bytes of one category in plan->tier[tier]. */
double timeline_category_bytes(const struct timeline_plan *plan, int tier, int category,
                               const struct timeline_sample *sample);
double timeline_tier_bytes(const struct timeline_plan *plan, int tier,
                           const struct timeline_sample *sample);

/* ---- the result ---- */

struct timeline_stage {
    uint64_t blocks;
    double compute_s; /* passes, with exposed tensor-parallel communication */
    double offload_s; /* waits for offload transfers */
    double message_s; /* waits for its messages to be sent */
    double reduce_s;  /* waits for data parallelism, in and after passes */
    double optimizer_s;
    double idle_s; /* the rest of the step: the bubble */
    double bubble; /* idle_s / step_s */
    double end_s;
    struct timeline_sample peak[TIMELINE_TIERS]; /* the first sample with the most bytes */
    double peak_bytes[TIMELINE_TIERS];
};

struct timeline {
    double step_s;
    uint64_t passes;
    uint32_t stages;
    struct timeline_stage *stage; /* (stages) */
    uint32_t tightest_stage;      /* the largest share of a tier's capacity */
    int tightest_tier;            /* index into plan->tier */
};

/* RK_NO_MEMORY when there is no memory. Release with timeline_release; a zeroed struct is fine
 * there. */
enum rk_status timeline_simulate(const struct timeline_plan *plan, struct timeline *timeline,
                                 struct rk_error *error);
void timeline_release(struct timeline *timeline);

/* ---- its events ---- */

enum timeline_kind {
    TIMELINE_EVENT_FORWARD,
    TIMELINE_EVENT_RECOMPUTE,
    TIMELINE_EVENT_BACKWARD, /* both gradients */
    TIMELINE_EVENT_AGRAD,
    TIMELINE_EVENT_WGRAD,
    TIMELINE_EVENT_DATA_WAIT, /* ... for weights or gradients on their way */
    TIMELINE_EVENT_WAIT,      /* ... for an offload transfer */
    TIMELINE_EVENT_OPTIMIZER,
    TIMELINE_EVENT_TENSOR_COMM,
    TIMELINE_EVENT_CONTEXT_COMM,
    TIMELINE_EVENT_EXPERT_COMM,
    TIMELINE_EVENT_SEND,
    TIMELINE_EVENT_CHARGE,  /* a message's time where nothing is sent */
    TIMELINE_EVENT_RECEIVE, /* from when a message is there until the pass that needs it starts */
    TIMELINE_EVENT_REDUCE,
    TIMELINE_EVENT_GATHER,
    TIMELINE_EVENT_IN,
    TIMELINE_EVENT_OUT,
    TIMELINE_EVENT_CHUNKS_IN,
    TIMELINE_EVENT_CHUNKS_OUT,
    TIMELINE_KIND_COUNT
};

/* Tracks of a device, whose events may overlap. */
enum timeline_track {
    TIMELINE_COMPUTE,
    TIMELINE_TENSOR,
    TIMELINE_SENDS, /* forward; backward has the next one */
    TIMELINE_SENDS_BACK,
    TIMELINE_RECEIVES,
    TIMELINE_RECEIVES_BACK,
    TIMELINE_DATA,
    TIMELINE_OFFLOAD_IN,
    TIMELINE_OFFLOAD_OUT,
    TIMELINE_CONTEXT,
    TIMELINE_EXPERT,
    TIMELINE_TRACKS
};

struct timeline_kind_info {
    const char *name;
    enum timeline_track track; /* of forward passes; see timeline_track_of */
};
extern const struct timeline_kind_info timeline_kinds[TIMELINE_KIND_COUNT];
extern const char *const timeline_tracks[TIMELINE_TRACKS];

struct timeline_event {
    enum timeline_kind kind;
    enum pass pass; /* that it belongs to */
    uint32_t stage, chunk, microbatch;
    uint32_t peer;   /* of sends and receives: the stage at the other end */
    bool down;       /* ... which is in front of this one, or the last one, of the first */
    uint64_t blocks; /* that are computed or reduced */
    uint64_t flow;   /* of sends and receives: the same number at both ends, unique */
    double start_s, end_s;
    double bytes; /* sent, reduced or moved */
};

/* Messages to the previous stage have tracks of their own: they overlap with those to the next
 * one. */
static inline enum timeline_track timeline_track_of(const struct timeline_event *event)
{
    const enum timeline_track track = timeline_kinds[event->kind].track;
    const bool message = track == TIMELINE_SENDS || track == TIMELINE_RECEIVES;
    return message && event->down ? (enum timeline_track)(track + 1) : track;
}

/* Events that touch [from_s, to_s] on stages first_stage .. last_stage. */
struct timeline_window {
    double from_s, to_s;
    uint32_t first_stage, last_stage;
};
struct timeline_window timeline_everything(void);

/* Called for each event and each change of memory; either may be NULL. In time order on each track
 * of each stage; stages take turns. The sample before the window is given, too, at its begin. */
struct timeline_visitor {
    void *context;
    void (*event)(void *context, const struct timeline_event *event);
    void (*sample)(void *context, const struct timeline_sample *sample);
};

enum rk_status timeline_visit(const struct timeline_plan *plan,
                              const struct timeline_window *window,
                              const struct timeline_visitor *visitor, struct rk_error *error);

/* The same as arrays. */
struct timeline_log {
    size_t event_count, sample_count;
    struct timeline_event *events;
    struct timeline_sample *samples;
};

enum rk_status timeline_log_open(const struct timeline_plan *plan,
                                 const struct timeline_window *window, struct timeline_log *log,
                                 struct rk_error *error);
void timeline_log_release(struct timeline_log *log);

/* About how many events the whole trace has. */
uint64_t timeline_event_estimate(const struct timeline_plan *plan);

/* A window around the middle of the step with about `events` events. */
struct timeline_window timeline_middle(const struct timeline_plan *plan,
                                       const struct timeline *timeline, uint64_t events);

/* ---- files ---- */

struct timeline_labels {
    const char *model, *system;
    const char *version;
};

/* A Chrome trace that Perfetto and chrome://tracing load: a process for each stage, a thread for
 * each track, counters of memory per tier, arrows from sends to receives; times in microseconds
 * with three decimals. RK_IO when `out` cannot be written. */
enum rk_status timeline_write_trace(FILE *out, const struct timeline_plan *plan,
                                    const struct timeline *timeline,
                                    const struct timeline_window *window,
                                    const struct timeline_labels *labels, struct rk_error *error);

/* The schedule as PyTorch's pipeline runtime loads it (format "compute_only"): a line for each
 * stage, a cell for each step, [chunk * stages + stage][F|B|I|W][microbatch], empty when idle.
 * RK_BAD_ARGUMENT without backward passes. */
enum rk_status timeline_write_pytorch(FILE *out, const struct timeline_plan *plan,
                                      struct rk_error *error);

#endif
