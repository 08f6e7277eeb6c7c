/* uneven.c - stages of different numbers of ranks.
 *
 * A rank is lowered as one of a plan all of whose stages are like its own: what a rank does in its
 * stage asks nothing of the others. Only whom it talks to differs: ranks are counted through the
 * stages as they are, and a message goes to all ranks of the other stage that have some of the same
 * samples and tokens (messages.c).
 */
#include "program/build.h"

/* ---- ranks ---- */

static uint64_t ranks_of_stage(const struct rk_program_stage *stage)
{
    return stage->plan.ranks / stage->plan.pipeline;
}

uint64_t first_of_stage(const struct rk_program_stage *stages, uint64_t stage)
{
    uint64_t first = 0;
    for (uint64_t i = 0; i < stage; i++)
        first += ranks_of_stage(&stages[i]);
    return first;
}

void build_of_stage(struct build *b, uint32_t stage)
{
    b->stage = stage;
    b->system = b->stages[stage].system;
    b->plan = &b->stages[stage].plan;
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
    }
}

/* ---- what cannot be ---- */

static enum rk_status refuse(struct rk_error *error, uint64_t stage, const char *what)
{
    return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0, "the plan cannot be lowered: stage %llu: %s",
                   (unsigned long long)stage, what);
}

static bool is_fp32(const struct rk_plan *plan)
{
    return plan->precision == RK_FP32 || plan->precision == RK_TF32;
}

/* What all stages have in common. */
static const char *differs(const struct rk_plan *a, const struct rk_plan *b)
{
    if (a->pipeline != b->pipeline || a->chunks != b->chunks || a->schedule != b->schedule ||
        a->batch != b->batch)
        return "stages, chunks, schedule and batch are those of all; give the same";
    if (a->microbatch * rk_plan_data(a) != b->microbatch * rk_plan_data(b))
        return "its replicas together take other samples of a microbatch than stage 0's";
    if (a->framework != b->framework || a->sequence != b->sequence || a->frozen != b->frozen)
        return "framework, sequence and frozen are those of all; give the same";
    if (is_fp32(a) != is_fp32(b) || (a->precision == RK_FP16) != (b->precision == RK_FP16))
        return "activations are sent in another precision than stage 0's; give the same";
    return NULL;
}

static const char *check_stage(const struct rk_plan *plan)
{
    if (plan->schedule == RK_DUALPIPE)
        return "with dualpipe each rank has two stages, which need as many GPUs each; give another "
               "schedule";
    if (plan->order != RK_ORDER_TP_CP_DP_PP)
        return "stages of different numbers of GPUs are counted one behind the other; give "
               "order=tp-cp-dp-pp";
    if (plan->segments) return "all layers of it are run alike; leave segments out";
    return NULL;
}

/* A tied table is summed rank by rank: both have the same part of it. */
static bool ends_match(const struct rk_model *model, const struct rk_plan *first,
                       const struct rk_plan *last)
{
    return !model->tied_embeddings ||
           (first->tensor == last->tensor && first->ranks == last->ranks &&
            first->vocabulary_multiple == last->vocabulary_multiple &&
            first->gradient_element_bytes == last->gradient_element_bytes &&
            first->zero == last->zero && rk_plan_shards(first) == rk_plan_shards(last));
}

static enum rk_status check(const struct rk_model *model, const struct rk_program_stage *stages,
                            struct rk_error *error)
{
    const uint64_t count = stages[0].plan.pipeline;
    enum rk_status status = RK_OK;
    for (uint64_t i = 0; i < count && status == RK_OK; i++) {
        const struct rk_plan *plan = &stages[i].plan;
        const char *what = differs(plan, &stages[0].plan);
        if (!what) what = check_stage(plan);
        status = what ? refuse(error, i, what) : build_check(model, stages[i].system, plan, error);
    }
    if (status != RK_OK || ends_match(model, &stages[0].plan, &stages[count - 1].plan))
        return status;
    return refuse(error, count - 1,
                  "embedding and head share weights, which it cuts otherwise than stage 0 does; "
                  "give both as many GPUs and tensor ranks, or weights of their own");
}

enum rk_status rk_program_of_uneven(struct rk_program *program, const struct rk_model *model,
                                    const struct rk_program_stage *stages, uint64_t rank,
                                    struct rk_error *error)
{
    *program = (struct rk_program){.rank = 0};
    const enum rk_status status = check(model, stages, error);
    if (status != RK_OK) return status;
    const uint64_t ranks = first_of_stage(stages, stages[0].plan.pipeline);
    uint32_t stage = 0;
    if (rank >= ranks)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "there is no rank %llu: the plan's are 0 to %llu", (unsigned long long)rank,
                       (unsigned long long)ranks - 1);
    while (rank >= first_of_stage(stages, stage + 1))
        stage++;
    struct build b = {.model = model, .program = program, .stages = stages, .error = error};
    build_of_stage(&b, stage);
    b.rank = (uint32_t)((int64_t)rank - b.moved);
    b.pipeline = pipeline_of(b.plan, microbatches_of(b.plan));
    return build_program(&b);
}
