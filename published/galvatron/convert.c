#include "galvatron/convert.h"

#include "base/memory.h"
#include "plan/layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- from a file to a plan ---- */

static void set_local(struct rk_local *local, const struct galvatron_strategy *strategy)
{
    local->tensor = (uint64_t)strategy->tensor;
    local->sequence_parallel = strategy->tensor > 1;
    local->context = (uint64_t)strategy->ulysses;
    local->context_kind = strategy->ulysses > 1 ? RK_ULYSSES : RK_RING;
    local->zero = strategy->zero == GALVATRON_ZERO3 ? 3 : strategy->zero == GALVATRON_ZERO2 ? 2 : 0;
    local->recompute = strategy->recompute ? RK_WHOLE : RK_KEEP;
}

/* The local part of a layer; -1: there are too many. */
static int local_of(struct rk_layout *layout, const struct rk_plan *plan,
                    const struct galvatron_strategy *layer,
                    const struct galvatron_strategy *known[RK_MAX_LOCALS + 1])
{
    for (int i = 0; i <= layout->others; i++)
        if (galvatron_same(known[i], layer)) return i;
    if (layout->others == RK_MAX_LOCALS) return -1;
    struct rk_local *local = &layout->other[layout->others++];
    *local = plan->local;
    set_local(local, layer);
    known[layout->others] = layer;
    return layout->others;
}

enum rk_status galvatron_plan_of(const struct galvatron_file *file, struct rk_plan *plan,
                                 struct rk_error *error)
{
    const struct galvatron_strategy *known[RK_MAX_LOCALS + 1] = {&file->embedding};
    const int samples = file->batch / file->chunks;
    *plan = rk_plan_default();
    set_local(&plan->local, &file->embedding);
    plan->ranks = (uint64_t)file->world;
    plan->pipeline = (uint64_t)file->stages;
    plan->batch = (uint64_t)file->batch;
    plan->schedule = file->pipeline == GALVATRON_GPIPE ? RK_GPIPE : RK_1F1B;
    plan->microbatch = (uint64_t)(samples / file->embedding.data);
    plan->gradient_overlap = plan->weight_overlap = true; /* as its cost model has it */
    if (file->stages > RK_MAX_STAGES)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "a plan has at most %d stages",
                       RK_MAX_STAGES);
    struct rk_layout layout = {.splits = file->stages > 1 ? file->stages : 0};
    for (int i = 0; i < layout.splits; i++)
        layout.split[i] = (uint16_t)file->division[i];
    for (int i = -1; i < file->layers; i++) {
        const struct galvatron_strategy *one = i < 0 ? &file->embedding : &file->layer[i];
        if (samples % one->data)
            return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                           "%s %d: %d samples a chunk do not divide among %d data ranks, which "
                           "Galvatron rounds down: no plan says so",
                           i < 0 ? "embedding, layer" : "layer", i + 1, samples, one->data);
        if (i < 0) continue;
        const int local = local_of(&layout, plan, one, known);
        struct rk_segment *last = layout.segments ? &layout.segment[layout.segments - 1] : NULL;
        if (local < 0 || (layout.segments == RK_MAX_SEGMENTS && last->local != local))
            return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                           "a plan has at most %d kinds of layers besides embedding and head, and "
                           "%d runs of them",
                           RK_MAX_LOCALS, RK_MAX_SEGMENTS);
        if (last && last->local == local)
            last->layers++;
        else
            layout.segment[layout.segments++] = (struct rk_segment){1, (uint16_t)local};
    }
    if (layout.segments == 1 && layout.segment[0].local == 0) layout.segments = 0;
    plan->layout = rk_layout_keep(&layout);
    return RK_OK;
}

/* ---- from a plan to a file ---- */

static enum rk_status refuse(const char *what, const char *remedy, struct rk_error *error)
{
    return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0, "%s cannot be said in a strategy file: %s",
                   what, remedy);
}

static enum rk_status check_plan(const struct rk_model *model, const struct rk_plan *plan,
                                 struct rk_error *error)
{
    if (plan->chunks > 1) return refuse("interleaving", "give vpp1", error);
    if (plan->schedule != RK_1F1B && plan->schedule != RK_GPIPE)
        return refuse("the schedule", "give schedule=1f1b or schedule=gpipe", error);
    if (model->experts && plan->expert > 1)
        return refuse("experts on ranks of their own", "give ep1", error);
    for (uint64_t stage = 0; stage < plan->pipeline; stage++)
        if (!rk_plan_split(plan, model, stage))
            return refuse("a stage without layers", "give each stage a layer", error);
    if (!galvatron_power_of_two((long)plan->pipeline))
        return refuse("a pipeline degree that is not a power of two", "give pp1, pp2, pp4, ...",
                      error);
    return RK_OK;
}

/* What a strategy can say of a layer. */
static enum rk_status strategy_of(const struct rk_plan *plan, const struct rk_local *local,
                                  const char *what, struct galvatron_strategy *strategy,
                                  struct rk_error *error)
{
    const uint64_t split = local->tensor * local->context;
    const uint64_t data = plan->ranks / plan->pipeline / split;
    if (local->tensor > 1 && local->context > 1)
        return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0,
                       "%s: tensor %ju and context %ju at once cannot be said in a strategy file: "
                       "a layer is split one way, give tp%ju cp1 or tp1 cp%ju",
                       what, (uintmax_t)local->tensor, (uintmax_t)local->context, (uintmax_t)split,
                       (uintmax_t)split);
    if (!galvatron_power_of_two((long)split) || !galvatron_power_of_two((long)data))
        return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0,
                       "%s: split over %ju ranks, %ju data ranks: a strategy file has powers of "
                       "two",
                       what, (uintmax_t)split, (uintmax_t)data);
    *strategy = (struct galvatron_strategy){
        .pipeline = (int)plan->pipeline,
        .tensor = (int)local->tensor,
        .ulysses = (int)local->context,
        .data = (int)data,
        .zero = data == 1          ? GALVATRON_DDP
                : local->zero == 3 ? GALVATRON_ZERO3
                : local->zero      ? GALVATRON_ZERO2
                                   : GALVATRON_DDP,
        .recompute = local->recompute == RK_WHOLE,
    };
    return RK_OK;
}

/* One kind of data parallelism that is not ZeRO-3 for all: ZeRO-2 where any layer has it. */
static void settle_ordinary(struct galvatron_question *question, struct galvatron_answer *answer)
{
    bool sharded = answer->embedding.zero == GALVATRON_ZERO2;
    for (int i = 0; i < answer->layers; i++)
        sharded |= answer->layer[i].zero == GALVATRON_ZERO2;
    question->ordinary = sharded ? GALVATRON_ZERO2 : GALVATRON_DDP;
    for (int i = -1; i < answer->layers; i++) {
        struct galvatron_strategy *one = i < 0 ? &answer->embedding : &answer->layer[i];
        if (one->data > 1 && one->zero != GALVATRON_ZERO3)
            one->zero = (enum galvatron_zero)question->ordinary;
    }
}

static enum rk_status list_layers(const struct rk_model *model, const struct rk_plan *plan,
                                  struct galvatron_answer *answer, struct rk_error *error)
{
    struct plan_layers at = {.plan = plan, .model = model};
    enum rk_status status =
        strategy_of(plan, &plan->local, "embedding and head", &answer->embedding, error);
    answer->embedding.recompute = false;
    for (int k = 0; k < answer->stages; k++)
        answer->division[k] = (int)rk_plan_split(plan, model, (uint64_t)k);
    for (int i = 0; status == RK_OK && i < answer->layers; i++, plan_layers_next(&at)) {
        const struct rk_local local = plan_layer(&at);
        char what[32];
        snprintf(what, sizeof what, "layer %d", i);
        status = strategy_of(plan, &local, what, &answer->layer[i], error);
    }
    return status;
}

/* The plan as what the file says of it would be run. */
static enum rk_status run_of(const struct rk_plan *plan, const struct galvatron_question *question,
                             const struct galvatron_answer *answer, struct rk_plan *run,
                             struct rk_error *error)
{
    const struct galvatron_file file = {.world = (int)plan->ranks,
                                        .batch = answer->batch,
                                        .chunks = answer->chunks,
                                        .stages = answer->stages,
                                        .layers = answer->layers,
                                        .pipeline = question->pipeline,
                                        .embedding = answer->embedding,
                                        .layer = answer->layer,
                                        .division = answer->division};
    struct rk_plan said;
    const enum rk_status status = galvatron_plan_of(&file, &said, error);
    *run = *plan; /* what the file does not decide is as the plan has it */
    run->recompute_layers = 0;
    const struct rk_layout *has = rk_plan_layout(&said);
    struct rk_layout layout = *rk_plan_layout(plan);
    layout.segments = has->segments;
    memcpy(layout.segment, has->segment, sizeof layout.segment);
    layout.others = has->others;
    for (int i = -1; i < has->others; i++) {
        const struct rk_local *from = i < 0 ? &said.local : &has->other[i];
        struct rk_local *to = i < 0 ? &run->local : &layout.other[i];
        *to = plan->local;
        to->tensor = from->tensor;
        to->sequence_parallel = /* an argument of the runtime, for all */
            from->tensor > 1 && (plan->tensor == 1 || plan->sequence_parallel);
        to->context = from->context;
        to->context_kind = from->context_kind;
        to->ulysses = 0;
        to->zero = from->zero;
        to->recompute = from->recompute;
        to->recompute_parts = 0;
        to->microbatch = from->microbatch;
        memset(to->share, 0, sizeof to->share);
    }
    run->layout = rk_layout_keep(&layout);
    run->microbatch = said.microbatch;
    return status;
}

enum rk_status galvatron_of_plan(const struct rk_model *model, const struct rk_plan *plan,
                                 struct galvatron_question *question,
                                 struct galvatron_answer *answer, struct rk_plan *run,
                                 struct rk_error *error)
{
    const uint64_t samples = rk_plan_data(plan) * plan->microbatch;
    *question = (struct galvatron_question){
        .pipeline = plan->schedule == RK_GPIPE ? GALVATRON_GPIPE : GALVATRON_1F1B};
    *answer = (struct galvatron_answer){.found = true};
    enum rk_status status = check_plan(model, plan, error);
    if (status != RK_OK) return status;
    if (!samples || plan->batch % samples)
        return refuse("a batch that microbatch * data does not divide", "give another mbs", error);
    answer->batch = (int)plan->batch;
    answer->chunks = (int)(plan->batch / samples);
    answer->stages = (int)plan->pipeline;
    answer->layers = (int)model->layers;
    if (answer->chunks < answer->stages)
        return refuse("fewer microbatches than stages", "give a larger gbs or a smaller mbs",
                      error);
    answer->layer = calloc((size_t)answer->layers, sizeof *answer->layer);
    answer->division = calloc((size_t)answer->stages, sizeof *answer->division);
    if (!answer->layer || !answer->division) return no_memory(error);
    status = list_layers(model, plan, answer, error);
    if (status != RK_OK) return status;
    settle_ordinary(question, answer);
    return run_of(plan, question, answer, run, error);
}
