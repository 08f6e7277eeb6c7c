/* states.c - weights, gradients and optimizer of a rank's layers, and what data parallelism does
 * with them: docs/prediction.md says which frameworks do what under which level of ZeRO.
 */
#include "machine/kernels.h"
#include "program/build.h"

#include <math.h>
#include <string.h>

static const enum rank_groups shard_groups[STATES] = {RANKS_OF_SHARDS, RANKS_OF_EXPERT_SHARDS};
static const enum rank_groups copy_groups[STATES] = {RANKS_OF_COPIES, RANKS_OF_EXPERT_COPIES};
static const char *const state_names[STATES] = {"", "experts"};

int32_t weights_of(const struct slot *slot, bool expert)
{
    const struct layer_state *s = &slot->state[expert];
    return s->gathered != NO_TENSOR ? s->gathered : s->weights;
}

/* ---- what there is ---- */

/* Norms and whatever else each tensor rank has whole, and sees its own tokens of. */
static double summed_parameters(const struct build *b, const struct slot *slot)
{
    const struct layer *layer = &kind_of(b, slot)->timed.layer;
    const struct rk_plan *plan = &place_of(b, slot)->plan;
    double sum = 0;
    if (plan->tensor == 1 || !plan->sequence_parallel || plan->frozen) return 0;
    for (int i = 0; i < layer->operations; i++) {
        const struct operation *op = &layer->operation[i];
        const size_t length = strlen(op->name);
        if (length > 4 && strcmp(op->name + length - 4, "norm") == 0) sum += op->parameters;
        if (strcmp(op->name, "router") == 0) sum += op->parameters;
    }
    return sum;
}

static int32_t state_tensor(struct build *b, const struct slot *slot, enum rk_tensor_kind kind,
                            int expert, double parameters, double bytes, double share)
{
    if (!(parameters * bytes > 0)) return NO_TENSOR;
    const struct rk_plan *plan = &place_of(b, slot)->plan;
    const enum rk_element element =
        kind == RK_TENSOR_OPTIMIZER ? RK_IN_BYTES : flow_element(plan, bytes);
    const double elements = kind == RK_TENSOR_OPTIMIZER ? bytes : 1;
    const int32_t form = new_form(b, kind, state_names[expert], element, ceil(parameters * share),
                                  elements, parameters * bytes * share);
    return new_tensor(b, form, slot->layer, RK_NONE);
}

static void open_state(struct build *b, struct slot *slot, int expert)
{
    const struct place *place = place_of(b, slot);
    const struct memory_rule *rule = &place->rule;
    struct layer_state *s = &slot->state[expert];
    const double n = s->parameters;
    const struct element_bytes *bytes = &rule->bytes;
    const double copies =
        rule->zero < 3 && n > 0
            ? place->folds.layer[slot->kind][AS_IT_IS].narrow_parameters * bytes->narrow_copies
            : 0;
    s->gathered = s->shard = NO_TENSOR;
    s->weights = state_tensor(b, slot, RK_TENSOR_WEIGHTS, expert, n, bytes->weight,
                              rule->shares[expert].weights);
    if (s->weights != NO_TENSOR &&
        (expert || !(place->folds.layer[slot->kind][AS_IT_IS].expert_parameters > 0)))
        b->program->form[b->program->tensor[s->weights].form].bytes += copies;
    s->gradient =
        state_tensor(b, slot, rule->zero < 2 ? RK_TENSOR_WEIGHT_GRADIENT : RK_TENSOR_SHARD, expert,
                     n, bytes->gradient, rule->shares[expert].gradients);
    s->optimizer =
        state_tensor(b, slot, RK_TENSOR_OPTIMIZER, expert, n,
                     bytes->optimizer - bytes->step_gradient, rule->shares[expert].optimizer);
    if (expert == DENSE) s->summed = summed_parameters(b, slot);
}

void states_open(struct build *b)
{
    for (uint32_t i = 0; i < b->slots; i++) {
        const struct layer_fold *fold =
            &place_of(b, &b->slot[i])->folds.layer[b->slot[i].kind][AS_IT_IS];
        b->slot[i].state[DENSE].parameters = fold->parameters;
        b->slot[i].state[OF_EXPERTS].parameters = fold->expert_parameters;
        for (int k = 0; k < STATES; k++) {
            b->stage_parameters[k] += b->slot[i].state[k].parameters;
            open_state(b, &b->slot[i], k);
        }
    }
}

/* ---- tasks ---- */

static int32_t step_task(struct build *b, const struct slot *slot, const char *name, double sent,
                         double seconds, double parameters)
{
    struct rk_task task = {.work = RK_WORK_STEP,
                           .sent_bytes = sent,
                           .seconds = seconds,
                           .link_s = seconds,
                           .parameters = parameters};
    strncpy(task.name, name, sizeof task.name - 1);
    strncpy(task.layer, layer_kind_name(slot->kind), sizeof task.layer - 1);
    return new_task(b, &task);
}

static double sent_by_ring(double ranks, double bytes, double passes)
{
    return ranks > 1 ? passes * (ranks - 1) / ranks * bytes : 0;
}

static void step_begins(struct build *b, const struct slot *slot, int32_t microbatch)
{
    b->draft.layer = slot->layer;
    b->draft.microbatch = microbatch;
    b->draft.chunk = slot->chunk;
    b->draft.work = RK_WORK_STEP;
}

/* All collectives of a group are on one stream, so that its ranks meet in them in one order. */
static enum rk_stream data_stream(const struct rk_plan *plan)
{
    return plan->gradient_overlap || plan->weight_overlap ? RK_ON_DATA : RK_ON_GPU;
}

static enum rk_stream tensor_stream(const struct rk_plan *plan)
{
    return plan->tensor_overlap ? RK_ON_TENSOR : RK_ON_GPU;
}

/* ---- gathering ---- */

static void gather(struct build *b, struct slot *slot, int expert, int32_t read, int32_t write,
                   enum rk_stream stream)
{
    const struct place *place = place_of(b, slot);
    const struct layer_state *s = &slot->state[expert];
    const double bytes = s->parameters * place->rule.bytes.sent_weight;
    const double ranks = place->sharing.shards[expert].ranks;
    const double element = place->rule.bytes.sent_weight;
    if (!(bytes > 0) || ranks <= 1) return;
    const int32_t task = step_task(
        b, slot, "gather weights", sent_by_ring(ranks, bytes, 1),
        collective_time_s(b->system, ALL_GATHER, place->sharing.shards[expert], bytes), 0);
    const enum rk_element type = flow_element(&place->plan, element);
    put_collective(b, place, stream, task,
                   &(struct exchanged){RK_DO_ALL_GATHER, shard_groups[expert], type, bytes,
                                       type == RK_IN_BYTES ? 1 : element},
                   read, write);
}

/* ZeRO-3: before each pass, one layer ahead of it where the plan lets them overlap. */
void gather_weights(struct build *b, struct slot *slot, int32_t microbatch, bool forward)
{
    const struct place *place = place_of(b, slot);
    const struct rk_plan *plan = &place->plan;
    if (plan->zero < 3 || (!forward && plan->keep_gathered)) return;
    step_begins(b, slot, microbatch);
    for (int k = 0; k < STATES; k++) {
        struct layer_state *s = &slot->state[k];
        const double width = place->rule.bytes.gathered;
        if (!(s->parameters > 0) || place->sharing.shards[k].ranks <= 1) continue;
        if (s->gathered_form == RK_NONE)
            s->gathered_form =
                new_form(b, RK_TENSOR_GATHERED, state_names[k], flow_element(plan, width),
                         s->parameters, 1, s->parameters * width);
        s->gathered = new_tensor(b, s->gathered_form, slot->layer, microbatch);
        b->after = b->last[RK_ON_GPU];
        gather(b, slot, k, s->weights, s->gathered, data_stream(plan));
        if (!forward && !b->failed) b->program->tensor[s->gathered].number = 1;
        b->after = RK_NONE;
    }
}

void release_weights(struct build *b, struct slot *slot)
{
    if (place_of(b, slot)->plan.keep_gathered) return;
    for (int k = 0; k < STATES; k++)
        slot->state[k].gathered = NO_TENSOR;
}

/* ---- reducing ---- */

static void reduce(struct build *b, struct slot *slot, int expert, int32_t read, int32_t write,
                   enum rk_stream stream)
{
    const struct place *place = place_of(b, slot);
    const struct rk_plan *plan = &place->plan;
    const double width = place->rule.bytes.sent_gradient;
    const double bytes = slot->state[expert].parameters * width;
    const struct rank_group shards = place->sharing.shards[expert];
    const struct rank_group copies = place->sharing.copies[expert];
    const bool whole = plan->whole_gradients && plan->zero == 1;
    const double part = whole ? bytes : bytes / shards.ranks;
    const enum rk_element type = flow_element(plan, width);
    const double element = type == RK_IN_BYTES ? 1 : width;
    if (!(bytes > 0)) return;
    if (shards.ranks > 1) {
        const int32_t task = step_task(
            b, slot, "reduce gradients", sent_by_ring(shards.ranks, bytes, whole ? 2 : 1),
            collective_time_s(b->system, whole ? ALL_REDUCE : REDUCE_SCATTER, shards, bytes), 0);
        put_collective(b, place, stream, task,
                       &(struct exchanged){whole ? RK_DO_ALL_REDUCE : RK_DO_REDUCE_SCATTER,
                                           shard_groups[expert], type, bytes, element},
                       read, write);
    }
    if (copies.ranks > 1) {
        const int32_t task =
            step_task(b, slot, "reduce copies", sent_by_ring(copies.ranks, part, 2),
                      collective_time_s(b->system, ALL_REDUCE, copies, part), 0);
        put_collective(
            b, place, stream, task,
            &(struct exchanged){RK_DO_ALL_REDUCE, copy_groups[expert], type, part, element},
            shards.ranks > 1 ? write : read, write);
    }
}

/* Where backward adds up gradients: with ZeRO-2 and 3 in a tensor of the microbatch. */
int32_t gradient_of(struct build *b, struct slot *slot, bool expert, int32_t microbatch)
{
    const struct place *place = place_of(b, slot);
    struct layer_state *s = &slot->state[expert];
    const double width = place->rule.bytes.sent_gradient;
    if (place->plan.zero < 2 || place->sharing.shards[expert].ranks <= 1 || !(width > 0))
        return s->gradient;
    if (s->fresh_form == RK_NONE)
        s->fresh_form =
            new_form(b, RK_TENSOR_WEIGHT_GRADIENT, state_names[expert],
                     flow_element(&place->plan, width), s->parameters, 1, s->parameters * width);
    int32_t *fresh = &live_of(b, slot, microbatch)->fresh[expert];
    if (*fresh == NO_TENSOR) *fresh = new_tensor(b, s->fresh_form, slot->layer, microbatch);
    return *fresh;
}

/* ZeRO-2 and 3: each microbatch's. */
void reduce_fresh(struct build *b, struct slot *slot, int32_t microbatch)
{
    const struct rk_plan *plan = &place_of(b, slot)->plan;
    if (plan->zero < 2) return;
    step_begins(b, slot, microbatch);
    for (int k = 0; k < STATES; k++) {
        const int32_t fresh = live_of(b, slot, microbatch)->fresh[k];
        if (fresh == NO_TENSOR) continue;
        reduce(b, slot, k, fresh, slot->state[k].gradient, data_stream(plan));
    }
}

/* Sums over tensor ranks that each has whole, but saw other tokens of. */
static void sum_over_tensor(struct build *b, struct slot *slot)
{
    const struct place *place = place_of(b, slot);
    const struct layer_state *s = &slot->state[DENSE];
    const double width = place->rule.bytes.sent_gradient;
    const enum rk_element type = flow_element(&place->plan, width);
    if (!(s->summed * width > 0)) return;
    step_begins(b, slot, RK_NONE);
    put_collective(b, place, tensor_stream(&place->plan), step_task(b, slot, "sum norms", 0, 0, 0),
                   &(struct exchanged){RK_DO_ALL_REDUCE, RANKS_OF_TENSOR, type, s->summed * width,
                                       type == RK_IN_BYTES ? 1 : width},
                   s->gradient, s->gradient);
}

/* A tied embedding is on the first stage and on the last: their gradients are one. */
static bool is_tied(const struct build *b, const struct slot *slot)
{
    const bool end = slot->kind == LAYER_EMBEDDING || slot->kind == LAYER_HEAD;
    return end && b->model->tied_embeddings && b->pipeline.stages > 1;
}

static void sum_tied(struct build *b, struct slot *slot)
{
    const struct place *place = place_of(b, slot);
    const struct pipeline *p = &b->pipeline;
    const double width = place->rule.bytes.sent_gradient;
    const enum rk_element type = flow_element(&place->plan, width);
    if (!is_tied(b, slot) || !(width > 0)) return;
    const uint32_t ends[2] = {
        (uint32_t)rank_member(&place->map, RANKS_OF_PIPELINE, b->rank, 0),
        (uint32_t)rank_member(&place->map, RANKS_OF_PIPELINE, b->rank, p->stages - 1)};
    const double elements = padded_vocabulary(b->model, &place->plan) / (double)place->plan.tensor *
                            (double)b->model->hidden * place->rule.shares[DENSE].gradients;
    step_begins(b, slot, RK_NONE);
    if (b->tied_group == RK_NONE) b->tied_group = new_group(b, "tied", ends, 2);
    put_begin(b, RK_DO_ALL_REDUCE, RK_ON_GPU, step_task(b, slot, "sum tied", 0, 0, 0));
    put_read(b, slot->state[DENSE].gradient);
    put_write(b, slot->state[DENSE].gradient);
    b->draft.element = (uint8_t)type;
    b->draft.count = (uint64_t)ceil(elements * (type == RK_IN_BYTES ? width : 1));
    b->draft.other = (uint32_t)b->tied_group;
    put_end(b);
}

static void reduce_all(struct build *b, struct slot *slot)
{
    const struct rk_plan *plan = &place_of(b, slot)->plan;
    if (plan->zero >= 2) return;
    step_begins(b, slot, RK_NONE);
    for (int k = 0; k < STATES; k++)
        reduce(b, slot, k, slot->state[k].gradient, slot->state[k].gradient, data_stream(plan));
}

/* What comes behind the last microbatch of a layer. Both ends of a tied table are summed before
 * data parallelism cuts them, which is when the pipeline is empty. */
void reduce_layer(struct build *b, struct slot *slot)
{
    sum_over_tensor(b, slot);
    if (!is_tied(b, slot)) reduce_all(b, slot);
}

/* ---- the step ---- */

static void step_layer(struct build *b, struct slot *slot, int expert)
{
    const struct layer_state *s = &slot->state[expert];
    const double all = b->stage_parameters[DENSE] + b->stage_parameters[OF_EXPERTS];
    if (s->optimizer == NO_TENSOR) return;
    step_begins(b, slot, RK_NONE);
    put_begin(b, RK_DO_RUN, RK_ON_GPU,
              step_task(b, slot, "optimizer", 0,
                        all > 0 ? b->end.optimizer_s * s->parameters / all : 0, s->parameters));
    put_read(b, s->gradient);
    put_read(b, s->optimizer);
    put_write(b, s->optimizer);
    put_write(b, s->weights);
    put_end(b);
}

void finish_step(struct build *b)
{
    for (uint32_t i = b->slots; i-- > 0;)
        if (is_tied(b, &b->slot[i])) {
            sum_tied(b, &b->slot[i]);
            reduce_all(b, &b->slot[i]);
        }
    for (uint32_t i = 0; i < b->slots; i++)
        for (int k = 0; k < STATES; k++)
            step_layer(b, &b->slot[i], k);
    for (uint32_t i = 0; i < b->slots; i++) {
        struct slot *slot = &b->slot[i];
        const struct rk_plan *plan = &place_of(b, slot)->plan;
        if (plan->zero != 1 && plan->zero != 2) continue;
        step_begins(b, slot, RK_NONE);
        for (int k = 0; k < STATES; k++)
            gather(b, slot, k, slot->state[k].weights, slot->state[k].weights, data_stream(plan));
    }
}
