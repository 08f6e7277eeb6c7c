/* stages.h - a plan's pipeline stages as sums of layers, and what they make of time and memory.
 *
 * A stage is a count of each kind of layer; its cost is their sum. From stages on there are numbers
 * alone: the time of a step is the pace of the slowest stage, the others' at start and end, and
 * what data parallelism and optimizer add; memory is judged stage by stage. Pure; of one rank.
 */
#ifndef RECKON_ESTIMATE_STAGES_H
#define RECKON_ESTIMATE_STAGES_H

#include "estimate/fold.h"
#include "plan/members.h"
#include "schedule/order.h"

/* ---- which stages are alike ---- */

struct stage_blocks {
    double counts[TREATMENTS][LAYER_KINDS];
    double all;
    bool first, last; /* with the embedding, with the head */
};

/* Stages that are made of the same blocks are one class; classes are numbered as they appear. */
struct stage_map {
    int stages, classes;
    uint16_t class_of[RK_MAX_STAGES]; /* (stages) */
    uint16_t first_of[RK_MAX_STAGES]; /* (classes) its first stage */
    struct stage_blocks *blocks;      /* (classes); the caller's, with room for all stages */
};

/* Stage i of plan->pipeline has virtual stages i, i + p, ..., of a V i and 2p - 1 - i. Requires a
 * plan that plan_check accepts. */
void stage_map_of(struct stage_map *map, const struct rk_model *model, const struct rk_plan *plan);

/* Adds blocks `first` ... of one virtual stage; every recompute_stride-th of the first
 * recompute_layers blocks is recomputed. */
void stage_add_blocks(struct stage_blocks *blocks, const struct rk_model *model,
                      const struct rk_plan *plan, uint64_t first, uint64_t count);

/* Part `i` of pipeline * chunks, in model order. */
void stage_part(struct stage_blocks *blocks, const struct rk_model *model,
                const struct rk_plan *plan, uint64_t i);

/* Is block `i` of the `count` blocks of a part recomputed? */
bool stage_recomputes(const struct rk_plan *plan, uint64_t i, uint64_t count);

/* Its first stage alone: a map of one class. */
void stage_map_of_first(struct stage_map *map, const struct rk_model *model,
                        const struct rk_plan *plan);

/* ---- sums of layers ---- */

enum stage_end_of_model { FIRST_END, LAST_END, ENDS };

struct stage_sum {
    /* the outline: what time and memory depend on */
    double blocks;
    struct copied_fold copied[RK_WAYS];     /* of all blocks; 0 of plans without chunks */
    bool last;                              /* with the head: backward follows forward at once */
    double pass_s[FOLD_PASSES];             /* of all chunks, one microbatch */
    double for_experts_s, beside_experts_s; /* as of a layer: fold.h */
    double data_s[FOLD_PASSES];             /* ZeRO-2 and 3: messages that a microbatch waits for */
    double data_link_s;                     /* of one microbatch */
    double parameters, expert_parameters, narrow_parameters;
    double adapter_parameters[2]; /* dense, of experts; not among the others */
    double whole_parameters[2];   /* of ends that are trained whole next to adapters */
    double loss_bytes;            /* of what the end saves: gone when blocks run backward */
    double loss_beside_bytes;     /* of working_bytes: what the end has more than the blocks */
    double long_sides, short_sides;
    double ends_parameters;      /* embedding and head among them */
    double embedding_parameters; /* of these: the embedding */
    double copied_parameters;    /* of tables that the first stage has */
    double largest_parameters;   /* of its largest block, experts among them */
    double largest_end;          /* of embedding or head */
    double saved_total_bytes;
    double ends_total_bytes[ENDS]; /* of these: of the layers before the first block, after the last
                                      one */
    double working_bytes, buffer_bytes;
    double put_off_s, put_off_bytes; /* of a microbatch's weight gradients of the head */
    struct step_fold step[2];        /* as of a layer: fold.h */
    double end_groups;               /* operations of the ends that have parameters */
    double block_shapes, end_shapes; /* elements of weights of different shapes: of a block, of the
                                        head */
    struct swap_fold swap;           /* of all blocks; of the outline only with recompute_rest */
    /* the details: what these are made of */
    double spent_s[FOLD_PASSES][SPENDINGS];
    double link_s[LINKS], link_bytes[LINKS];
    double useful_flop, again_flop, kernel_flop; /* as of a layer: fold.h */
    double masked_flop, megatron_flop, again_masked_flop;
    double saved_bytes[RK_HOLDING_COUNT];
    double ends_saved_bytes[ENDS][RK_HOLDING_COUNT];
};

/* Adds `count` times what chunks of the sequence copy. */
static inline void add_copies(struct copied_fold sum[RK_WAYS],
                              const struct copied_fold copied[RK_WAYS], double count)
{
    for (int way = 0; way < RK_WAYS && copied[way].out_s > 0; way++) {
        sum[way].in_s += count * copied[way].in_s;
        sum[way].out_s += count * copied[way].out_s;
        sum[way].in_bytes += count * copied[way].in_bytes;
        sum[way].out_bytes += count * copied[way].out_bytes;
    }
}

/* A stage of these blocks. The outline leaves the details alone; what it fills is the same, bit by
 * bit. */
void stage_sum(struct stage_sum *sum, const struct layer_folds *fold, const struct rk_model *model,
               const struct rk_plan *plan, const struct stage_blocks *blocks);
void stage_outline(struct stage_sum *sum, const struct layer_folds *fold,
                   const struct rk_model *model, const struct rk_plan *plan,
                   const struct stage_blocks *blocks);

/* The details next to an outline. */
void stage_details(struct stage_sum *sum, const struct layer_folds *fold,
                   const struct rk_model *model, const struct rk_plan *plan,
                   const struct stage_blocks *blocks);

/* The outline of the same blocks with other layers recomputed: the same, bit by bit. */
void stage_again(struct stage_sum *sum, const struct layer_folds *fold,
                 const struct rk_model *model, const struct rk_plan *plan,
                 const struct stage_blocks *blocks);

/* Of that only what memory depends on. */
void stage_holds_again(struct stage_sum *sum, const struct layer_folds *fold,
                       const struct rk_model *model, const struct rk_plan *plan,
                       const struct stage_blocks *blocks);

/* A copy of the outline. */
void stage_copy_outline(struct stage_sum *to, const struct stage_sum *sum);

/* Without what that changes of memory. */
void stage_bare_outline(struct stage_sum *bare, const struct stage_sum *sum);

/* The two stages that DualPipe puts on rank `index`: its own, of which p - index microbatches are
 * in flight, and p - 1 - index, of which index + 1 are [deepseek2024v3]; saved tensors as a mean of
 * the p + 1. Times are those of its own. */
void stage_pair(struct stage_sum *pair, const struct stage_sum *own, const struct stage_sum *other,
                const struct rk_plan *plan, uint64_t index);
void stage_pair_outline(struct stage_sum *pair, const struct stage_sum *own,
                        const struct stage_sum *other, const struct rk_plan *plan, uint64_t index);

/* ---- bytes of one parameter ---- */

struct element_bytes {
    double weight, gradient, optimizer; /* as they are kept; optimizer: master copy and moments */
    double step_gradient;               /* of the optimizer's: from one step to the next forward */
    double gathered;                    /* of weights in the precision of the products */
    double sent_weight, sent_gradient;  /* by data parallelism */
    double narrow_copies; /* of weights that are multiplied in 8 or 4 bits, next to the kept ones */
    double added;     /* read and written to add a microbatch's gradient to the sum, when that is a
                         kernel of its own */
    double of_tables; /* more of the optimizer's for each parameter of embedding and head */
    double of_embedding; /* ... of the embedding alone */
    double master;       /* of the optimizer's: the copy of the weights that it steps; 0: none */
    double of_long_sides, of_short_sides; /* more of the optimizer's for each number of a side of a
                                             matrix */
    double base; /* of frozen matrices of blocks, as they are kept and gathered */
    double adapter_weight, adapter_gradient, adapter_optimizer;
    double whole_weight, whole_gradient, whole_optimizer[RK_ENDS]; /* of ends next to adapters */
    double autocast;  /* of weights' casts that stay from forward to backward */
    double reference; /* of weights of another model that preferences are measured against */
};

struct element_bytes element_bytes_of(const struct rk_plan *plan);

/* Of an element of a moment that the plan says, or 0 where it does not. */
double moment_bytes(const struct rk_plan *plan, double said);

/* What is trained next to frozen weights, dense or of experts: adapters and whole ends. Bytes are
 * of all of it, unsharded. */
struct next_to_frozen {
    double parameters, weights, gradients, optimizer;
};

static inline struct next_to_frozen
next_to_frozen_of(const struct stage_sum *sum, const struct element_bytes *bytes, bool expert)
{
    const double n = sum->adapter_parameters[expert];
    struct next_to_frozen all = {n, n * bytes->adapter_weight, n * bytes->adapter_gradient,
                                 n * bytes->adapter_optimizer};
    for (int i = 0; i < RK_ENDS && !expert; i++) {
        const double whole = sum->whole_parameters[i];
        all.parameters += whole;
        all.weights += whole * bytes->whole_weight;
        all.gradients += whole * bytes->whole_gradient;
        all.optimizer += whole * bytes->whole_optimizer[i];
    }
    return all;
}

/* More of the optimizer's for the tables of a stage. */
static inline double tables_bytes(const struct stage_sum *sum, const struct element_bytes *bytes)
{
    return sum->ends_parameters * bytes->of_tables +
           sum->embedding_parameters * bytes->of_embedding;
}

/* DeepSpeed's bf16 optimizer, of data_types.grad_accum_dtype fp32 with ZeRO-1: it keeps the
 * gradients of the 16-bit weights and their sums in fp32 (runtime/bf16_optimizer.py). */
bool sums_in_fp32(const struct rk_plan *plan);

/* ---- ranks that share the state ---- */

/* What a plan makes of every stage alike; [0] of dense weights, [1] of experts'. */
struct sharing {
    struct element_bytes bytes;
    struct rank_group shards[2], copies[2];
    double microbatches;
    double alone;        /* of them: experts.h */
    bool gradients_late; /* none are there when backward begins, those of blocks come one by one */
};

struct sharing sharing_of(const struct rk_plan *plan);

/* Data parallelism of a stage: all its gradients reduced once, all its weights gathered once. */
struct exchange {
    struct sent {
        double time_s;
        double engine_s; /* of it, what forwarding takes from computation meanwhile */
    } reduce, gather;
    bool copied; /* by the processors that compute: no overlap */
};

struct exchange exchange_of(const struct stage_sum *sum, const struct rk_system *system,
                            const struct sharing *sharing, const struct rk_plan *plan);

/* Of a stage whose layers go through two buffers: those that are offloaded, at most all of them; of
 * the last stage the last two stay, as their backward follows at once. */
double swapped_layers(const struct stage_sum *sum, bool returns);

/* Does backward of the last stage follow its forward at once? */
bool backward_returns(const struct rk_plan *plan);

/* Of one microbatch, what its blocks save. */
double blocks_bytes(const struct stage_sum *sum);

/* Bytes of one microbatch that its layers offload. */
double swapped_bytes(const struct stage_sum *sum, const struct rk_plan *plan);

/* What moves to the lower tiers, or back, at the same time. */
struct transfer {
    double activations_bytes; /* of which each tier gets the plan's share */
    double always_bytes;      /* to the first tier that has a share, else tier 1 */
    double weights_bytes;     /* from them, likewise; always read */
    double copied_s;          /* that chunks of the sequence take of tier 1's link */
    double requests;          /* of each tier */
};

/* Transfers of a stage that overlap with computation, per microbatch: activations out and back,
 * weights. */
struct stage_transfers {
    double out_s, back_s, weights_s;
    double activations_bytes, weights_bytes;
};
struct stage_transfers stage_transfers(const struct stage_sum *sum, const struct rk_system *system,
                                       const struct sharing *sharing, const struct rk_plan *plan);

/* The tier, from 0, that always_bytes go to. */
int first_tier_of(const struct rk_plan *plan);

/* Adds what offload, ZeRO-2 and 3, and summing gradients move for each microbatch. */
void stage_moves(struct stage_sum *sum, const struct exchange *exchange,
                 const struct rk_system *system, const struct sharing *sharing,
                 const struct rk_plan *plan);

/* ---- memory ---- */

/* Microbatches whose activations stage `index` holds at most, in whole stages. */
double in_flight_of_plan(const struct rk_plan *plan, double microbatches, uint64_t index);

/* The same of the model's first and last part alone. */
void ends_in_flight(double ends[ENDS], const struct rk_plan *plan, double microbatches);

/* What a stage needs; the activations of a microbatch in flight apart. */
struct stage_demand {
    double static_bytes;             /* weights, gradients, optimizer, lasting buffers */
    double late_bytes;               /* of these: gradients that come while activations go */
    double beside_bytes;             /* of fixed_bytes: gone before the first of them comes */
    double between_bytes;            /* on top of that, from the optimizer's step to the next one */
    double step_bytes;               /* ... while the step runs, freed after it */
    double fixed_bytes;              /* gathered, working, messages */
    double flight_bytes, away_bytes; /* of one microbatch: that stay, that are on their way */
    double handles, engines;         /* of libraries, which have a workspace each */
    double outside_bytes;            /* taken from the device past the framework's allocator */
};

/* In two steps: what a plan makes of the memory of every stage alike is the first, so that stages
 * share it. A demand grows with every number of the sum's outline. */
struct memory_rule {
    struct element_bytes bytes;
    struct shares { /* of one rank: 1 / ranks that share it; [0] of dense weights, [1] of experts'
                     */
        double weights, gradients, optimizer;
    } shares[2];
    double weights_here, gradients_here, optimizer_here, kept_here; /* what is not offloaded */
    double activations_away;
    double messages_bytes, outside_bytes;
    double placeholder_bytes; /* of an element */
    double unsplit_bytes;     /* of a parameter of blocks, beyond what was asked for */
    double engines, expert_engines;
    double ends_in_flight[ENDS]; /* microbatches of the ends of the model */
    double put_off;              /* microbatches whose weight gradients of the head wait */
    double step_element;         /* bytes of an element that the step adds; DeepSpeed's */
    double step_gathers;         /* elements that it gathers at a time, at most */
    double host_gradient;        /* bytes of an element of fp32 gradients on the host */
    double mixed;                /* 1: gradients are as large as all weights; 0 */
    double unsynced;             /* 1: whole gradients are kept between microbatches; 0 */
    double late;                 /* 1: gradients come while activations go; 0 */
    struct away {                /* shares in memory tier i + 1 */
        double activations[RK_SHARE_TIERS], weights[RK_SHARE_TIERS], optimizer[RK_SHARE_TIERS];
        double gradients[RK_SHARE_TIERS];
        double lent_bytes; /* in memory tier 1 while a layer runs */
    } away;
    int first_tier; /* from 0, that two buffers always offload to */
    int zero;
    bool freezes;
    bool plain;                    /* state is parameters times bytes of an element */
    double adapters;               /* whose weights are there, to one that is trained */
    bool steps_early;              /* gradients are there a block at a time */
    double gathered_blocks;        /* ZeRO-3: gathered at the same time */
    bool keep_gathered, by_matrix; /* ZeRO-3: gathers matrix by matrix */
    bool xla;
    bool swaps;   /* layers go through two buffers */
    bool returns; /* ... of which backward takes the last two as forward leaves them, where the head
                     is */
};

/* Bytes of a stage's weights, gradients and optimizer state, before any of them leaves. */
struct state {
    double weights, gradients, optimizer; /* gradients: what does not leave as it comes */
    double gradients_away;
    double between; /* of the optimizer's: not there while forward and backward run */
};

bool rule_is_plain(const struct memory_rule *rule);

/* Of a rule that is not plain. */
void state_add_rest(struct state *state, const struct stage_sum *sum,
                    const struct memory_rule *rule);

static inline void state_add(struct state *state, const struct memory_rule *rule, double parameters,
                             bool expert)
{
    const struct shares *shares = &rule->shares[expert];
    const struct element_bytes *bytes = &rule->bytes;
    state->weights += parameters * bytes->weight * shares->weights;
    state->gradients += parameters * bytes->gradient * shares->gradients;
    state->optimizer += parameters * (bytes->optimizer - bytes->step_gradient) * shares->optimizer;
    state->between += parameters * bytes->step_gradient * shares->optimizer;
}

static inline struct state state_of(const struct stage_sum *sum, const struct memory_rule *rule)
{
    struct state state = {.weights = 0};
    state_add(&state, rule, sum->parameters, false);
    state_add(&state, rule, sum->expert_parameters, true);
    if (!rule->plain) state_add_rest(&state, sum, rule);
    return state;
}

struct memory_rule memory_rule_of(const struct layer_folds *fold, const struct sharing *sharing,
                                  const struct rk_plan *plan);
struct stage_demand stage_demand_by(const struct memory_rule *rule, const struct stage_sum *sum);

/* What of a rule is another one where as many ranks more hold a stage: under DualPipe. */
void memory_rule_share(struct memory_rule *rule, const struct sharing *sharing,
                       const struct rk_plan *plan);

/* Does the rule put anything into memory tier `tier` + 1? */
bool rule_lowers(const struct memory_rule *rule, int tier);

/* What of a stage is in memory tier `tier` + 1: rk_stage.away_bytes. Grows with in_flight. */
double lowered_bytes(const struct memory_rule *rule, const struct stage_sum *sum, double in_flight,
                     int tier);

/* What is not there at the peak of gradients that come late: the activations, and what the loss
 * needs with them, are there first, the gradients last, and what lies between is linear in both. */
static inline double absent_bytes(const struct stage_demand *demand, double in_flight)
{
    const double flight = demand->flight_bytes * in_flight + demand->beside_bytes;
    return demand->late_bytes < flight ? demand->late_bytes : flight;
}

/* Beyond static_bytes. */
static inline double demanded_activations(const struct stage_demand *demand, double in_flight)
{
    const double bytes = demand->fixed_bytes + demand->flight_bytes * in_flight +
                         demand->away_bytes - absent_bytes(demand, in_flight);
    const double idle =
        demand->between_bytes > demand->step_bytes ? demand->between_bytes : demand->step_bytes;
    return bytes > idle ? bytes : idle;
}

static inline double demanded_workspaces(const struct stage_demand *demand,
                                         const struct rk_system *system)
{
    return demand->handles * system->kernels.workspace_bytes +
           demand->engines * system->kernels.engine_workspace_bytes;
}

/* All of it: rk_stage.total_bytes. Grows with in_flight. */
static inline double demanded_bytes(const struct stage_demand *demand,
                                    const struct rk_system *system, double in_flight)
{
    const double activations = demanded_activations(demand, in_flight);
    return demand->static_bytes + demanded_workspaces(demand, system) + activations +
           demand->outside_bytes + system->kernels.reserve_bytes +
           system->kernels.fragmentation * activations;
}

/* The same of what stage_demand_by() says. */
double stage_demanded_bytes(const struct memory_rule *rule, const struct stage_sum *sum,
                            const struct rk_system *system, double in_flight);

/* Fills holds, sums and in_flight of `stage`. */
void stage_memory(struct rk_stage *stage, const struct stage_sum *sum,
                  const struct layer_folds *fold, const struct rk_system *system,
                  const struct sharing *sharing, const struct rk_plan *plan, uint64_t index);

/* Of paged optimizer state, what has no room on the device next to the stage's peak: the driver
 * moves it to the host while forward and backward run, and back for the step. Requires one stage.
 */
double paged_out_bytes(const struct stage_sum *sum, const struct rk_system *system,
                       const struct sharing *sharing, const struct rk_plan *plan);

/* ---- time ---- */

/* Data-parallel transfers that overlap with computation: for each microbatch, and after the last
 * one. */
enum wait { WAIT_FORWARD, WAIT_BACKWARD, WAIT_REDUCE, WAIT_GATHER, WAITS };

struct waited { /* a run of layers; none: comm_s is 0 */
    double comm_s, work_s, layers;
    bool overlap;
    double engine_s; /* of computation, what comm_s takes while it overlaps */
};

/* Requires what stage_moves made of the sum. */
void stage_waits(struct waited waits[WAITS], const struct stage_sum *sum,
                 const struct exchange *exchange, const struct rk_plan *plan);

/* The exposed time: the excess of a run with the time by which computation slows down meanwhile,
 * and a layer that has nothing to overlap with. */
double waited_excess_s(const struct waited *waited);
double waited_one_s(const struct waited *waited);

/* Gradients of several layers go in one message. */
bool in_buckets(const struct stage_sum *sum, const struct rk_plan *plan);

/* Work after the last backward pass of a stage. */
struct stage_end {
    double put_off_s; /* weight gradients of the head that wait for the pipeline to drain */
    double data_s;    /* waited for */
    double gather_s;  /* ... of it, for weights */
    double reduce_excess_s, gather_excess_s; /* ... that remains when the work that overlaps with it
                                                is done */
    double gather_share;                     /* that gathering takes from computation meanwhile */
    double data_link_s;                      /* sent */
    double optimizer_s;                      /* the longer of these two: */
    double optimizer_host_s, optimizer_work_s;
};

struct stage_end stage_end_of(const struct stage_sum *sum, const struct exchange *exchange,
                              const struct rk_system *system, const struct sharing *sharing,
                              const struct rk_plan *plan);

/* Sums and ends of all classes of a plan. */
struct class_sums {
    struct stage_sum sum[RK_MAX_STAGES];
    struct stage_end end[RK_MAX_STAGES];
};

void stage_sums(struct class_sums *sums, const struct stage_map *map,
                const struct layer_folds *fold, const struct rk_model *model,
                const struct rk_system *system, const struct sharing *sharing,
                const struct rk_plan *plan);

/* Of a microbatch, with what is recomputed. */
double backward_s(const struct stage_sum *sum);

/* Does computing wait for messages between stages? */
bool sends_wait(const struct rk_plan *plan);

/* Time that messages between stages add to a pass. Where ranks copy them, a stage copies one in
 * before the pass and one out after it; each of two stages does half of that: one is the first, the
 * other the last. */
double send_s_of(const struct layer_folds *fold, const struct rk_system *system,
                 const struct rk_plan *plan);

/* All classes of stages of a plan. */
struct staged {
    const struct stage_map *map;
    const struct stage_sum *sums; /* (classes) */
    const struct stage_end *ends; /* (classes) */
    double send_s, microbatches;
};

struct step_outline {
    int slowest, last; /* stages: that sets the pace, whose end is last */
    double bubble_s, pipeline_s, data_end_s, optimizer_s, step_s;
};

void step_outline(struct step_outline *outline, const struct staged *staged,
                  const struct rk_plan *plan);

/* Time of a step, every FIGURE_TIME of figures.def apart. */
void step_time(struct rk_prediction *prediction, const struct staged *staged,
               const struct rk_plan *plan);

/* Of it, what the stage that sets the pace does with `m` microbatches. */
void microbatches_add(struct rk_prediction *prediction, const struct stage_sum *sum, double m);

double microbatches_of(const struct rk_plan *plan);

/* Microbatches whose weight gradients of the head are put off. */
double put_off_of(const struct rk_plan *plan, double microbatches);

static inline struct pipeline pipeline_of(const struct rk_plan *plan, double microbatches)
{
    return (struct pipeline){plan->schedule,
                             (uint32_t)plan->pipeline,
                             (uint32_t)plan->chunks,
                             (uint64_t)microbatches,
                             false,
                             (uint32_t)plan->microbatch_group};
}

#endif
