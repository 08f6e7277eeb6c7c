#include "search/plans_offer.h"

#include "estimate/plan_check.h"
#include "plan/habits.h"
#include "schedule/pace.h"
#include "search/numbers.h"
#include "workload/parts.h"

#include <string.h>

/* ---- offering ---- */

bool plans_asked(const struct offered *o)
{
    return o->problem->pinned[o->axis].count > 0;
}

static bool allowed(const struct offered *o, uint64_t value)
{
    const struct rk_plans_problem *p = o->problem;
    for (int i = 0; i < p->pinned[o->axis].count; i++) {
        const uint64_t low = p->pinned[o->axis].value[i], high = p->pinned[o->axis].to[i];
        if (value == low || (value > low && value <= high)) return true;
    }
    return !plans_asked(o);
}

void plans_only(struct offered *o, uint64_t value)
{
    o->value[o->count++] = value;
}

void plans_offer(struct offered *o, uint64_t value)
{
    if (!allowed(o, value)) return;
    for (int i = 0; i < o->count; i++)
        if (o->value[i] == value) return;
    if (o->count < MAX_OFFERED)
        o->value[o->count++] = value;
    else
        o->crowded = true;
}

void plans_offer_choice(struct offered *o, uint64_t usual, uint64_t last)
{
    if (!plans_asked(o)) plans_offer(o, usual);
    for (uint64_t i = 0; plans_asked(o) && i <= last; i++)
        plans_offer(o, i);
}

uint64_t plans_least_asked(const struct offered *o)
{
    const struct rk_plans_problem *p = o->problem;
    uint64_t least = plans_asked(o) ? p->pinned[o->axis].value[0] : 0;
    for (int i = 1; i < p->pinned[o->axis].count; i++)
        least = p->pinned[o->axis].value[i] < least ? p->pinned[o->axis].value[i] : least;
    return least;
}

void plans_offer_both(struct offered *o)
{
    plans_offer(o, 0);
    plans_offer(o, 1);
}

/* The framework whose start a value has to pass; calculon, which is none, where it need not. */
static enum rk_framework starting(const struct offered *o)
{
    return o->problem->unstartable ? rk_framework_of(RK_BY_CALCULON) : o->problem->base.framework;
}

const struct habits *plans_starts(const struct offered *o)
{
    return &habits_of_framework[starting(o)];
}

bool plans_of_trainers(const struct offered *o)
{
    const struct rk_plan *base = &o->problem->base;
    return !plans_asked(o) && habits_of_framework[starting(o)].libraries && rk_plan_is_torchs(base);
}

void plans_offer_divisors(struct offered *o, const struct rk_plan *plan, uint64_t n, is_usual *is)
{
    uint64_t divisor[MAX_DIVISORS];
    const int count = divisors_of(n, divisor);
    for (int i = 0; i < count; i++)
        if (plans_asked(o) || is(o, plan, divisor[i])) plans_offer(o, divisor[i]);
}

/* ---- layout ---- */

static uint64_t sequence_of(const struct offered *o, const struct rk_plan *plan)
{
    return plan->sequence ? plan->sequence : o->problem->model->sequence;
}

/* Within two of the innermost domains. */
static bool usual_tensor(const struct offered *o, const struct rk_plan *plan, uint64_t value)
{
    (void)plan;
    return o->problem->model->heads % value == 0 &&
           value <= (plans_of_trainers(o) ? 1 : 2 * o->problem->system->network[0].size);
}

void offer_tensor(struct offered *o, const struct rk_plan *plan)
{
    plans_offer_divisors(o, plan, plan->ranks, usual_tensor);
}

enum { LEAST_TOKENS = 2048, MOST_SAMPLES = 64, MOST_CHUNKS = 16 };

static bool usual_context(const struct offered *o, const struct rk_plan *plan, uint64_t value)
{
    const uint64_t tokens = sequence_of(o, plan);
    return value == 1 ||
           (!plans_of_trainers(o) && tokens % value == 0 && tokens / value >= LEAST_TOKENS);
}

void offer_context(struct offered *o, const struct rk_plan *plan)
{
    plans_offer_divisors(o, plan, plan->ranks / plan->tensor, usual_context);
}

/* DeepSpeed's pipeline is written into the training code, no configuration makes one. */
static bool usual_pipeline(const struct offered *o, const struct rk_plan *plan, uint64_t value)
{
    (void)plan;
    if (value > 1 && !o->problem->unstartable && !plans_starts(o)->makes_stages) return false;
    return value <= o->problem->model->layers && value <= RK_MAX_STAGES;
}

void offer_pipeline(struct offered *o, const struct rk_plan *plan)
{
    plans_offer_divisors(o, plan, plan->ranks / (plan->tensor * plan->context), usual_pipeline);
}

void offer_data(struct offered *o, const struct rk_plan *plan)
{
    const uint64_t data = rk_plan_data(plan);
    if (data > 0 && plan->batch % data == 0) plans_offer(o, data);
}

static bool usual_expert_tensor(const struct offered *o, const struct rk_plan *plan, uint64_t value)
{
    return (value == 1 && !plans_starts(o)->experts_in_code) || value == plan->tensor;
}

void offer_expert_tensor(struct offered *o, const struct rk_plan *plan)
{
    if (!o->problem->model->experts) {
        plans_only(o, 0);
        return;
    }
    plans_offer_divisors(o, plan, plan->ranks / plan->pipeline, usual_expert_tensor);
}

static bool usual_expert(const struct offered *o, const struct rk_plan *plan, uint64_t value)
{
    (void)plan;
    return value == 1 || (!plans_of_trainers(o) && !plans_starts(o)->experts_in_code &&
                          o->problem->model->experts % value == 0);
}

void offer_expert(struct offered *o, const struct rk_plan *plan)
{
    if (!o->problem->model->experts) {
        plans_offer(o, 1); /* nothing, where something else is asked for */
        return;
    }
    plans_offer_divisors(o, plan, plan->ranks / plan->pipeline / plan->expert_tensor, usual_expert);
}

/* Where there are leaves it counts who shares one: ranks of data, or stages. */
void offer_order(struct offered *o, const struct rk_plan *plan)
{
    const struct rk_system *system = o->problem->system;
    if (plan->pipeline == 1)
        plans_only(o, 0);
    else
        plans_offer_choice(o, o->problem->base.order, RK_ORDERS - 1);
    if (!plans_asked(o) && plan->pipeline > 1 && system->networks > 2 &&
        strcmp(system->network[1].name, "leaf") == 0) {
        plans_offer(o, RK_ORDER_TP_CP_DP_PP);
        plans_offer(o, RK_ORDER_TP_CP_PP_DP);
    }
}

/* ---- microbatch ---- */

static bool usual_microbatch(const struct offered *o, const struct rk_plan *plan, uint64_t value)
{
    (void)o;
    (void)plan;
    return value <= MOST_SAMPLES;
}

void offer_microbatch(struct offered *o, const struct rk_plan *plan)
{
    plans_offer_divisors(o, plan, plan->batch / rk_plan_data(plan), usual_microbatch);
}

/* ---- width ---- */

/* Megatron-LM trains experts on tensor ranks with it only, and scatters checkpoints without;
 * AutoTP of DeepSpeed has none, torchtitan always. */
void offer_sequence_parallel(struct offered *o, const struct rk_plan *plan)
{
    if (plan->tensor == 1) {
        plans_only(o, 0);
        return;
    }
    const bool whole = plans_starts(o)->sums_whole && !plans_asked(o);
    if (!whole && (!plans_starts(o)->scatters || !o->problem->base.checkpoint_sharded))
        plans_offer(o, 1);
    const bool shared = plans_starts(o)->sequence_too && !o->problem->base.xla && !plans_asked(o);
    if (!shared && (!plans_starts(o)->experts_by_sequence || !o->problem->model->experts))
        plans_offer(o, 0);
}

/* Megatron-LM has it by Transformer Engine, together with sequence parallelism, where it starts. It
 * holds the gathered input, so that long sequences may fit without it alone. */
void offer_tensor_overlap(struct offered *o, const struct rk_plan *plan)
{
    const uint64_t domain = o->problem->system->network[0].size;
    const bool lacks =
        plan->framework == RK_MEGATRON && !rk_has_engine(o->problem->system->kernels.platforms);
    const bool runs = habits_of(plan)->overlaps_sequence && plan->sequence_parallel && !lacks &&
                      plan_overlaps_within(plan, domain);
    if (plan->tensor == 1)
        plans_only(o, 0);
    else if (plans_starts(o)->overlaps_sequence && !runs)
        plans_offer(o, RK_OVERLAP_NONE);
    else {
        plans_offer_choice(o, runs ? RK_OVERLAP_RING : RK_OVERLAP_NONE, RK_OVERLAP_RING);
        plans_offer(o, RK_OVERLAP_NONE);
    }
}

/* torchtitan has rings and gathers, DeepSpeed exchanges heads. */
void offer_context_kind(struct offered *o, const struct rk_plan *plan)
{
    const uint64_t heads = o->problem->model->heads / plan->tensor;
    const bool all = plans_asked(o) || o->problem->unstartable;
    const bool heads_only = !all && !plans_starts(o)->rings;
    const bool tokens_only = !all && !plans_starts(o)->exchanges;
    if (plan->context == 1) {
        plans_only(o, o->problem->base.context_kind == RK_RING_ULYSSES
                          ? RK_RING
                          : o->problem->base.context_kind);
        return;
    }
    if (!heads_only) plans_offer(o, RK_RING);
    if (!heads_only) plans_offer(o, RK_GATHER);
    if (tokens_only) return;
    if (plans_asked(o) || (heads && heads % plan->context == 0)) plans_offer(o, RK_ULYSSES);
    if (plan->context > 2 && !heads_only) plans_offer(o, RK_RING_ULYSSES);
}

static bool usual_ulysses(const struct offered *o, const struct rk_plan *plan, uint64_t value)
{
    const uint64_t heads = o->problem->model->heads / plan->tensor;
    return value > 1 && value < plan->context && heads % value == 0;
}

void offer_ulysses(struct offered *o, const struct rk_plan *plan)
{
    if (plan->context_kind == RK_RING_ULYSSES)
        plans_offer_divisors(o, plan, plan->context, usual_ulysses);
    else
        plans_only(o, 0);
}

/* ---- kernels ---- */

void offer_precision(struct offered *o, const struct rk_plan *plan)
{
    plans_offer_choice(o, plan->precision, RK_PRECISIONS - 1);
}

void offer_attention(struct offered *o, const struct rk_plan *plan)
{
    plans_offer_choice(o, plan->attention, RK_ATTENTION_KERNELS - 1);
}

/* Chunks belong to the bundle of layers and recomputation to that of stages, and neither sees the
 * other's choice. So in a space with chunks all plans recompute whole layers. */
static bool in_chunks(const struct rk_plans_problem *problem)
{
    const int plans_asked = problem->pinned[RK_PLAN_SEQUENCE_CHUNKS].count;
    bool any = !plans_asked && problem->base.sequence_chunks > 1;
    for (int i = 0; i < plans_asked; i++)
        any |= problem->pinned[RK_PLAN_SEQUENCE_CHUNKS].to[i] > 1;
    return any;
}

/* Divisors of a rank's tokens. */
void offer_sequence_chunks(struct offered *o, const struct rk_plan *plan)
{
    const uint64_t tokens = sequence_of(o, plan) / plan->context;
    if (!plans_asked(o)) {
        plans_only(o, o->problem->base.sequence_chunks);
        return;
    }
    plans_offer_divisors(o, plan, tokens, NULL); /* NULL: it is asked for */
}

void offer_dispatcher(struct offered *o, const struct rk_plan *plan)
{
    if (plan->expert == 1)
        plans_only(o, o->problem->base.dispatcher);
    else
        plans_offer_choice(o, o->problem->base.dispatcher, RK_DISPATCHERS - 1);
}

/* With what stages choose: plan_overlaps_experts. */
void offer_expert_overlap(struct offered *o, const struct rk_plan *plan)
{
    const bool overlaps =
        habits_of(plan)->overlaps_experts && o->problem->model->predict_layers <= 1;
    if (plan->expert == 1)
        plans_only(o, 0);
    else if (plans_asked(o) || !overlaps || plan->dispatcher == RK_ALL_GATHER_TOKENS)
        plans_offer_choice(o, o->problem->base.expert_overlap, 1);
    else
        plans_offer_both(o);
}

bool plans_search_overlap(const struct rk_plans_problem *problem)
{
    const int plans_asked = problem->pinned[RK_PLAN_EXPERT_OVERLAP].count;
    bool any = !plans_asked;
    for (int i = 0; i < plans_asked; i++)
        any |= problem->pinned[RK_PLAN_EXPERT_OVERLAP].value[i] ||
               problem->pinned[RK_PLAN_EXPERT_OVERLAP].to[i];
    return any && problem->model->experts && habits_of(&problem->base)->overlaps_experts;
}

/* ---- stages ---- */

/* From cheap to dear. */
static const unsigned usual_parts[] = {
    NORM,
    ACTIVATION,
    NORM | ACTIVATION,
    UP_PROJECTION,
    NORM | ACTIVATION | UP_PROJECTION,
    ATTENTION,
    NORM | ACTIVATION | SHARED,
    MLP,
    NORM | MLP,
    MIXTURE,
    NORM | MIXTURE,
};

static void offer_asked_parts(struct offered *o)
{
    const struct rk_plans_problem *p = o->problem;
    for (int i = 0; i < p->pinned[RK_PLAN_RECOMPUTE].count; i++)
        plans_offer(o, p->pinned[RK_PLAN_RECOMPUTE].value[i]);
}

/* Parts that can be recomputed, given the precision if all plans have the same one. */
static unsigned parts_of(const struct rk_plans_problem *problem, const struct rk_plan *plan)
{
    struct rk_plan with = *plan;
    if (problem->pinned[RK_PLAN_PRECISION].count == 1)
        with.precision = (enum rk_precision)problem->pinned[RK_PLAN_PRECISION].value[0];
    return plan_parts(problem->model, &with);
}

void offer_recompute(struct offered *o, const struct rk_plan *plan)
{
    const unsigned have = parts_of(o->problem, plan);
    const bool rest = o->problem->base.recompute_rest; /* implies what is recomputed */
    const bool whole =
        in_chunks(o->problem) || (o->problem->base.checkpoint_sharded && plans_starts(o)->scatters);
    if (whole && !rest) plans_offer(o, RK_RECOMPUTE_VALUE(RK_WHOLE, 0));
    if (!whole && rest) plans_offer(o, RK_RECOMPUTE_VALUE(RK_KEEP, 0));
    if (whole || rest) return;
    if (plans_asked(o)) {
        offer_asked_parts(o);
        return;
    }
    plans_offer(o, RK_RECOMPUTE_VALUE(RK_KEEP, 0));
    for (size_t i = 0; i < sizeof usual_parts / sizeof *usual_parts; i++)
        if (!plans_of_trainers(o) && (usual_parts[i] & ~have) == 0 &&
            parts_start(starting(o), usual_parts[i]))
            plans_offer(o, RK_RECOMPUTE_VALUE(RK_SELECTIVE, usual_parts[i]));
    plans_offer(o, RK_RECOMPUTE_VALUE(RK_WHOLE, 0));
}

static bool power_of_two(uint64_t n)
{
    return (n & (n - 1)) == 0;
}

/* Powers of two, and what divides the blocks, or blocks with embedding and head. */
static bool usual_chunks(uint64_t stages, uint64_t chunks, uint64_t layers)
{
    return chunks <= MOST_CHUNKS &&
           (power_of_two(chunks) || layers % stages == 0 || (layers + 2) % stages == 0);
}

void offer_chunks(struct offered *o, const struct rk_plan *plan)
{
    const uint64_t layers = o->problem->model->layers;
    if (plan->pipeline == 1) {
        plans_only(o, 1);
        return;
    }
    for (uint64_t v = 1; v * plan->pipeline <= layers + 2 && v <= RK_MAX_CHUNKS; v++)
        if (plans_asked(o) || usual_chunks(v * plan->pipeline, v, layers)) plans_offer(o, v);
}

void offer_recompute_layers(struct offered *o, const struct rk_plan *plan)
{
    const uint64_t layers = o->problem->model->layers, stages = plan->pipeline * plan->chunks;
    const uint64_t most = (layers + stages - 1) / stages;
    if (plan->recompute == RK_KEEP || in_chunks(o->problem)) {
        plans_only(o, 0);
        return;
    }
    if (plans_asked(o)) {
        for (uint64_t n = 0; n <= layers; n++)
            plans_offer(o, n);
        return;
    }
    plans_offer(o, 0);
    if (!o->problem->unstartable && plan_of_trainers(&o->problem->base)) return; /* in no file */
    for (uint64_t n = 1; n < most && plan->recompute == RK_WHOLE; n *= 2)
        plans_offer(o, n);
}

void offer_split(struct offered *o, const struct rk_plan *plan)
{
    if (plan->pipeline == 1) {
        plans_only(o, RK_SPLIT_EVEN);
        return;
    }
    for (uint64_t split = 0; split < RK_SPLITS; split++)
        plans_offer(o, split);
}

/* Virtual stages on two ranks need messages that overlap with computation. */
void offer_pipeline_blocking(struct offered *o, const struct rk_plan *plan)
{
    const bool beside = plan->chunks > 1 && plan->pipeline == 2 && !o->problem->unstartable;
    if (plan->pipeline == 1)
        plans_only(o, 0);
    else if (beside)
        plans_offer(o, 0);
    else
        plans_offer_choice(o, o->problem->base.pipeline_blocking, 1);
}

/* Schedules that a framework can start: Megatron-LM and DeepSpeed have 1F1B, interleaved by chunks;
 * torchtitan has GPipe, too, and the others on two virtual stages a rank alone. */
static bool usual_schedule(const struct offered *o, const struct rk_plan *plan,
                           enum rk_schedule schedule)
{
    if (schedule == RK_DUALPIPE && plan->pipeline % 2) return false;
    return o->problem->unstartable || (schedule == RK_GPIPE && habits_of(plan)->gpipe);
}

bool plans_search_v(const struct rk_model *model)
{
    return !model->tied_embeddings && !model->predict_layers;
}

/* V-shaped ones where they are asked for: each is run to be timed. With a tied table, or with
 * tables that predict, other layers depend on them (rk_plan_joins_ends). */
static void offer_v(struct offered *o, const struct rk_plan *plan)
{
    const struct rk_plans_problem *p = o->problem;
    if (!plans_asked(o) || plan->chunks != 2 || plan->pipeline > V_MAX_STAGES ||
        p->base.recompute_rest || !plans_search_v(p->model))
        return;
    for (int v = RK_V_ZERO; v <= RK_V_MIN; v++)
        plans_offer(o, (uint64_t)v);
}

void offer_schedule(struct offered *o, const struct rk_plan *plan)
{
    static const enum rk_schedule others[] = {RK_GPIPE, RK_ZERO_BUBBLE, RK_DUALPIPE};
    if (plan->pipeline == 1) {
        plans_only(o, RK_1F1B);
        return;
    }
    plans_offer(o, RK_1F1B);
    for (int i = 0; i < 3 && plan->chunks == 1; i++)
        if ((plans_asked(o) || usual_schedule(o, plan, others[i])) &&
            !(others[i] == RK_DUALPIPE && o->problem->base.recompute_rest))
            plans_offer(o, others[i]);
    offer_v(o, plan);
}
