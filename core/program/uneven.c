/* uneven.c - stages of different numbers of ranks.
 *
 * A rank is lowered as one of a plan all of whose stages are like its own: what a rank does in its
 * stage asks nothing of the others. Only whom it talks to differs: ranks are counted through the
 * stages as they are, and a message goes to all ranks of the other stage that have some of the same
 * samples and tokens (messages.c).
 */
#include "program/build.h"

/* ---- ranks ---- */

static uint64_t ranks_of_stage(const struct uneven_stage *stage)
{
    return stage->plan.ranks / stage->plan.pipeline;
}

uint64_t first_of_stage(const struct uneven_stage *stages, uint64_t stage)
{
    uint64_t first = 0;
    for (uint64_t i = 0; i < stage; i++)
        first += ranks_of_stage(&stages[i]);
    return first;
}

int kind_of_rank(const struct uneven_stage *stage, uint64_t rank)
{
    uint64_t replica = rank / (stage->plan.tensor * stage->plan.context);
    int kind = 0;
    while (kind + 1 < stage->kinds && replica >= stage->kind[kind].replicas)
        replica -= stage->kind[kind++].replicas;
    return kind;
}

void build_of_stage(struct build *b, uint32_t stage, uint64_t rank)
{
    const struct uneven_stage *s = &b->stages[stage];
    const struct uneven_kind *kind = s->kinds ? &s->kind[kind_of_rank(s, rank)] : NULL;
    b->stage = stage;
    b->system = kind ? kind->system : s->system;
    b->plan = kind ? &kind->plan : &s->plan;
    b->moved = (int64_t)first_of_stage(b->stages, stage) -
               (int64_t)(stage * ranks_of_stage(&b->stages[stage]));
}

/* ---- neighbours ---- */

int place_of_stage(const struct build *b, uint64_t stage)
{
    if (stage == b->stage) return PLACE_OWN;
    return stage == (b->stage + 1) % b->pipeline.stages ? PLACE_NEXT : PLACE_PREVIOUS;
}

void neighbours_open(struct build *b)
{
    const uint64_t stages = b->pipeline.stages;
    for (int i = PLACE_NEXT; i <= PLACE_PREVIOUS; i++) {
        struct place *place = &b->place[i];
        place->plan = b->stages[(b->stage + (i == PLACE_NEXT ? 1 : stages - 1)) % stages].plan;
        place->map = rank_map_of(&place->plan);
        place->stage = &b->stages[(b->stage + (i == PLACE_NEXT ? 1 : stages - 1)) % stages];
    }
    b->place[PLACE_OWN].stage = &b->stages[b->stage];
}

/* ---- replicas of several kinds ---- */

const struct rk_plan *plan_of_rank(const struct place *place, uint64_t rank)
{
    const struct uneven_stage *s = place->stage;
    return s && s->kinds ? &s->kind[kind_of_rank(s, rank)].plan : &place->plan;
}

static uint64_t round_of(const struct uneven_stage *stage)
{
    uint64_t samples = 0;
    for (int k = 0; k < stage->kinds; k++)
        samples += stage->kind[k].replicas * stage->kind[k].plan.microbatch;
    return stage->kinds ? samples : rk_plan_data(&stage->plan) * stage->plan.microbatch;
}

double samples_of_round(const struct place *place)
{
    return (double)(place->stage ? round_of(place->stage)
                                 : rk_plan_data(&place->plan) * place->plan.microbatch);
}

/* Samples of a round are dealt to the replicas in their order. */
struct run_part part_of_rank(const struct place *place, uint64_t rank)
{
    const struct uneven_stage *s = place->stage;
    struct run_part part = run_part_of(plan_of_rank(place, rank), rank);
    if (!s || !s->kinds) return part;
    uint64_t replica = rank / (s->plan.tensor * s->plan.context), first = 0;
    int kind = 0;
    for (; kind + 1 < s->kinds && replica >= s->kind[kind].replicas; kind++) {
        replica -= s->kind[kind].replicas;
        first += s->kind[kind].replicas * s->kind[kind].plan.microbatch;
    }
    const uint64_t each = s->kind[kind].plan.microbatch, round = round_of(s);
    first += replica * each;
    part.sample[0] = (double)first / (double)round;
    part.sample[1] = (double)(first + each) / (double)round;
    return part;
}

/* ---- what cannot be ---- */

static enum rk_status refuse(struct rk_error *error, uint64_t stage, const char *what)
{
    return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0, "the plan cannot be lowered: stage %llu: %s",
                   (unsigned long long)stage, what);
}

static bool is_fp32(const struct rk_plan *plan)
{
    return plan->precision == RK_FP32 || plan->precision == RK_TF32;
}

/* What all stages, and all kinds of replicas, have in common. */
static const char *plans_differ(const struct rk_plan *a, const struct rk_plan *b)
{
    if (a->pipeline != b->pipeline || a->chunks != b->chunks || a->schedule != b->schedule ||
        microbatches_of(a) != microbatches_of(b))
        return "stages, chunks, schedule and batch are those of all; give the same";
    if (a->framework != b->framework || a->sequence != b->sequence || a->frozen != b->frozen ||
        a->lora != b->lora)
        return "framework, sequence and frozen are those of all; give the same";
    if (is_fp32(a) != is_fp32(b) || (a->precision == RK_FP16) != (b->precision == RK_FP16))
        return "activations are sent in another precision than stage 0's; give the same";
    return NULL;
}

static const char *differs(const struct uneven_stage *one, const struct uneven_stage *other)
{
    if (round_of(one) != round_of(other))
        return "its replicas together take other samples of a microbatch than stage 0's";
    return plans_differ(&one->plan, &other->plan);
}

/* What ranks do together that hold copies or shards of the same weights. */
static bool same_state(const struct rk_plan *a, const struct rk_plan *b)
{
    return a->zero == b->zero && a->shard_ranks == b->shard_ranks &&
           a->gradient_overlap == b->gradient_overlap && a->weight_overlap == b->weight_overlap &&
           a->whole_gradients == b->whole_gradients && a->keep_gathered == b->keep_gathered &&
           a->precision == b->precision && a->gradient_element_bytes == b->gradient_element_bytes &&
           a->weight_element_bytes == b->weight_element_bytes &&
           a->vocabulary_multiple == b->vocabulary_multiple;
}

static const char *check_kinds(const struct uneven_stage *stage)
{
    const struct rk_plan *first = &stage->plan;
    uint64_t replicas = 0;
    for (int k = 0; k < stage->kinds; k++) {
        const struct rk_plan *plan = &stage->kind[k].plan;
        const uint64_t of_experts = rk_plan_expert_tensor(plan) * plan->expert;
        replicas += stage->kind[k].replicas;
        if (!plan->microbatch)
            return "a replica is too slow for a sample of a round; leave its part out, or give a "
                   "larger round";
        if (plan->tensor != first->tensor || plan->context != first->context)
            return "its replicas have different tensor or context degrees, whose shards no group "
                   "of ranks can reduce; give all the same";
        if (plan->expert != first->expert || plan->expert_tensor != first->expert_tensor)
            return "its replicas have different expert degrees; give all the same";
        if (plan->expert > 1 && stage->kind[k].replicas * plan->tensor * plan->context % of_experts)
            return "ranks that share experts have replicas of several kinds; give an expert degree "
                   "that divides each kind's GPUs";
        if (!same_state(plan, first))
            return "its replicas differ in precision, ZeRO or what is overlapped with gradients; "
                   "give all the same";
        if (plan->ranks != first->ranks)
            return "the plans of its kinds have different numbers of ranks; give the stage's, "
                   "all replicas times the stages";
        const char *what = plans_differ(plan, first);
        if (what) return what;
    }
    if (stage->kinds && replicas != rk_plan_data(first))
        return "its kinds do not have its replicas";
    return NULL;
}

static const char *check_stage(const struct rk_plan *plan)
{
    if (rk_schedule_folds(plan->schedule))
        return "a V-shaped schedule needs the same number of GPUs on each stage; give another "
               "schedule";
    if (plan->schedule == RK_DUALPIPE)
        return "with dualpipe each rank has two stages, which need the same number of GPUs; give "
               "another "
               "schedule";
    if (plan->order != RK_ORDER_TP_CP_DP_PP)
        return "stages of different numbers of GPUs need ranks stage by stage; give "
               "order=tp-cp-dp-pp";
    if (rk_plan_layout(plan)->segments) return "all layers of it are run alike; leave segments out";
    return NULL;
}

/* Two stages sum their gradients of a tied table in elements of one type. */
static bool ends_match(const struct rk_model *model, const struct rk_plan *first,
                       const struct rk_plan *last)
{
    return !model->tied_embeddings || first->gradient_element_bytes == last->gradient_element_bytes;
}

static enum rk_status check_lowered(const struct rk_model *model, const struct uneven_stage *stage,
                                    struct rk_error *error)
{
    enum rk_status status = RK_OK;
    if (!stage->kinds) return build_check(model, stage->system, &stage->plan, error);
    for (int k = 0; k < stage->kinds && status == RK_OK; k++)
        status = build_check(model, stage->kind[k].system, &stage->kind[k].plan, error);
    return status;
}

static enum rk_status check(const struct rk_model *model, const struct uneven_stage *stages,
                            struct rk_error *error)
{
    const uint64_t count = stages[0].plan.pipeline;
    enum rk_status status = RK_OK;
    for (uint64_t i = 0; i < count && status == RK_OK; i++) {
        const char *what = check_kinds(&stages[i]);
        if (!what) what = differs(&stages[i], &stages[0]);
        if (!what) what = check_stage(&stages[i].plan);
        status = what ? refuse(error, i, what) : check_lowered(model, &stages[i], error);
    }
    if (status != RK_OK || ends_match(model, &stages[0].plan, &stages[count - 1].plan))
        return status;
    return refuse(error, count - 1,
                  "embedding and head share weights, whose gradients have other widths than in "
                  "stage 0; give both the same gradient-bytes");
}

enum rk_status program_of_uneven(struct rk_program *program, const struct rk_model *model,
                                 const struct uneven_stage *stages, uint64_t rank,
                                 struct rk_error *error)
{
    *program = (struct rk_program){.rank = 0};
    const enum rk_status status = check(model, stages, error);
    if (status != RK_OK) return status;
    const uint64_t ranks = first_of_stage(stages, stages[0].plan.pipeline);
    uint32_t stage = 0;
    if (rank >= ranks)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "there is no rank %llu: the plan's are 0 to %llu", (unsigned long long)rank,
                       (unsigned long long)ranks - 1);
    while (rank >= first_of_stage(stages, stage + 1))
        stage++;
    struct build b = {.model = model, .program = program, .stages = stages, .error = error};
    build_of_stage(&b, stage, rank - first_of_stage(stages, stage));
    b.rank = (uint32_t)((int64_t)rank - b.moved);
    b.pipeline = pipeline_of(b.plan, microbatches_of(b.plan));
    return build_program(&b);
}
