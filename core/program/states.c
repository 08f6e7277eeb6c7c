/* states.c - weights, gradients and optimizer of a rank's layers, and what data parallelism does
 * with them: docs/prediction.md says which frameworks do what under which level of ZeRO.
 */
#include "machine/kernels.h"
#include "machine/part.h"
#include "program/build.h"

#include <math.h>

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
    if (plan->tensor == 1 || !plan->sequence_parallel || rk_plan_freezes(plan)) return 0;
    for (int i = 0; i < layer->operations; i++) {
        const struct operation *op = &layer->operation[i];
        if (op_facts[op->op].marks & MARK_SUMMED) sum += op->parameters;
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

/* Of the state, what is in a lower memory tier is a tensor there. */
static int32_t split_away(struct build *b, const struct slot *slot, int expert, int32_t tensor,
                          double share)
{
    if (tensor == NO_TENSOR || !(share > 0) || b->failed) return NO_TENSOR;
    struct rk_form *form = &b->program->form[b->program->tensor[tensor].form];
    const int which = form->kind == RK_TENSOR_WEIGHTS     ? 0
                      : form->kind == RK_TENSOR_OPTIMIZER ? 1
                                                          : 2;
    const double bytes = form->bytes * share;
    form->bytes -= bytes;
    const char *names[3][STATES] = {{"weights", "experts weights"},
                                    {"optimizer", "experts optimizer"},
                                    {"gradients", "experts gradients"}};
    const int32_t away =
        new_form(b, RK_TENSOR_AWAY, names[which][expert], RK_IN_BYTES, ceil(bytes), 1, bytes);
    return new_tensor(b, away, slot->layer, RK_NONE);
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
    const bool end = slot->kind == LAYER_EMBEDDING || slot->kind == LAYER_HEAD;
    s->optimizer =
        state_tensor(b, slot, RK_TENSOR_OPTIMIZER, expert, n,
                     bytes->optimizer - bytes->step_gradient + (end ? bytes->of_tables : 0) +
                         (slot->kind == LAYER_EMBEDDING ? bytes->of_embedding : 0),
                     rule->shares[expert].optimizer);
    s->away = split_away(b, slot, expert, s->weights, share_away(&place->plan, RK_SHARE_WEIGHTS));
    s->optimizer_away =
        split_away(b, slot, expert, s->optimizer, share_away(&place->plan, RK_SHARE_OPTIMIZER));
    s->gradient_away = split_away(b, slot, expert, s->gradient, 1 - rule->gradients_here);
    if (expert == DENSE) s->summed = summed_parameters(b, slot);
}

void states_open(struct build *b)
{
    const bool dual = b->pipeline.schedule == RK_DUALPIPE;
    for (uint32_t i = 0; i < b->slots; i++) {
        const struct layer_fold *fold =
            &place_of(b, &b->slot[i])->folds.layer[b->slot[i].kind][AS_IT_IS];
        b->slot[i].state[DENSE].parameters =
            fold->parameters - (dual ? fold->copied_parameters : 0);
        b->slot[i].state[OF_EXPERTS].parameters = fold->expert_parameters;
        for (int k = 0; k < STATES; k++) {
            b->stage_parameters[k] += b->slot[i].state[k].parameters;
            open_state(b, &b->slot[i], k);
        }
    }
}

/* ---- streams ---- */

/* All collectives of a group are on one stream, so that its ranks meet in them in one order. */
static enum rk_stream data_stream(const struct rk_plan *plan)
{
    return plan->gradient_overlap || plan->weight_overlap ? RK_ON_DATA : RK_ON_GPU;
}

static enum rk_stream tensor_stream(const struct rk_plan *plan)
{
    return plan->tensor_overlap ? RK_ON_TENSOR : RK_ON_GPU;
}

static double sent_by_ring(double ranks, double bytes, double passes)
{
    return ranks > 1 ? passes * (ranks - 1) / ranks * bytes : 0;
}

/* ---- gathering ---- */

static void gather(struct build *b, struct slot *slot, int expert, int32_t read, int32_t write,
                   double seconds)
{
    const struct place *place = place_of(b, slot);
    const struct layer_state *s = &slot->state[expert];
    const double bytes = s->parameters * place->rule.bytes.sent_weight;
    const double ranks = place->sharing.shards[expert].ranks;
    const double element = place->rule.bytes.sent_weight;
    if (!(bytes > 0) || ranks <= 1) return;
    const int32_t task = step_task(
        b, slot, "gather weights", sent_by_ring(ranks, bytes, 1), seconds,
        collective_time_s(b->system, ALL_GATHER, place->sharing.shards[expert], bytes), 0);
    const enum rk_element type = flow_element(&place->plan, element);
    put_collective(b, place, data_stream(&place->plan), task,
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
    b->draft.work = forward ? RK_WORK_FORWARD : RK_WORK_INPUT;
    const double waits_s = forward                 ? part_times(b, slot)->data_s[RK_WAY_FORWARD]
                           : rk_plan_freezes(plan) ? part_times(b, slot)->data_s[RK_WAY_BACKWARD]
                                                   : 0; /* the reduction's */
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
        gather(b, slot, k, s->weights, s->gathered,
               waits_s * waiting_share(b, slot, k, ZERO_3 | GATHERED));
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
                   double seconds)
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
    const enum rk_stream stream = data_stream(plan);
    if (!(bytes > 0)) return;
    if (shards.ranks > 1) {
        const int32_t task = step_task(
            b, slot, "reduce gradients", sent_by_ring(shards.ranks, bytes, whole ? 2 : 1), seconds,
            collective_time_s(b->system, whole ? ALL_REDUCE : REDUCE_SCATTER, shards, bytes), 0);
        put_collective(b, place, stream, task,
                       &(struct exchanged){whole ? RK_DO_ALL_REDUCE : RK_DO_REDUCE_SCATTER,
                                           shard_groups[expert], type, bytes, element},
                       read, write);
    }
    if (copies.ranks > 1) {
        const int32_t task =
            step_task(b, slot, "reduce copies", sent_by_ring(copies.ranks, part, 2),
                      shards.ranks > 1 ? 0 : seconds,
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
    const bool alone =
        place->sharing.shards[expert].ranks <= 1 && place->sharing.copies[expert].ranks <= 1;
    if (place->plan.zero < 2 || alone || !(width > 0)) return s->gradient;
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
    const double waits_s = part_times(b, slot)->data_s[RK_WAY_BACKWARD];
    if (place_of(b, slot)->plan.zero < 2) return;
    step_begins(b, slot, microbatch);
    b->draft.work = RK_WORK_WEIGHT;
    for (int k = 0; k < STATES; k++) {
        const int32_t fresh = live_of(b, slot, microbatch)->fresh[k];
        if (fresh == NO_TENSOR) continue;
        reduce(b, slot, k, fresh, slot->state[k].gradient,
               waits_s * waiting_share(b, slot, k, ZERO_2_3 | REDUCED));
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
    put_collective(b, place, tensor_stream(&place->plan),
                   step_task(b, slot, "sum norms", 0, 0, 0, 0),
                   &(struct exchanged){RK_DO_ALL_REDUCE, RANKS_OF_TENSOR, type, s->summed * width,
                                       type == RK_IN_BYTES ? 1 : width},
                   s->gradient, s->gradient);
}

/* A tied embedding is on the first stage and on the last: their gradients are one. With dualpipe
 * the two ranks of both ends have one table, which is summed with all that the pair has. */
static bool is_tied(const struct build *b, const struct slot *slot)
{
    const bool end = slot->kind == LAYER_EMBEDDING || slot->kind == LAYER_HEAD;
    return end && b->model->tied_embeddings && !rk_plan_joins_ends(b->plan) &&
           b->pipeline.schedule != RK_DUALPIPE;
}

static void sum_tied(struct build *b, struct slot *slot)
{
    const struct place *place = place_of(b, slot);
    const struct pipeline *p = &b->pipeline;
    const double width = place->rule.bytes.sent_gradient;
    const enum rk_element type = flow_element(&place->plan, width);
    if (!is_tied(b, slot) || !(width > 0)) return;
    const uint32_t ends[2] = {rank_in_stage(b, place, 0), rank_in_stage(b, place, p->stages - 1)};
    const double elements = padded_vocabulary(b->model, &place->plan) / (double)place->plan.tensor *
                            (double)b->model->hidden * place->rule.shares[DENSE].gradients;
    step_begins(b, slot, RK_NONE);
    if (b->tied_group == RK_NONE) b->tied_group = new_group(b, "tied", ends, 2);
    put_begin(b, RK_DO_ALL_REDUCE, RK_ON_GPU, step_task(b, slot, "sum tied", 0, 0, 0, 0));
    put_read(b, slot->state[DENSE].gradient);
    put_write(b, slot->state[DENSE].gradient);
    b->draft.element = (uint8_t)type;
    b->draft.count = (uint64_t)ceil(elements * (type == RK_IN_BYTES ? width : 1));
    b->draft.other = (uint32_t)b->tied_group;
    put_end(b);
}

static void reduce_all(struct build *b, struct slot *slot)
{
    const bool dual = b->pipeline.schedule == RK_DUALPIPE;
    const double reduce_s = part_times(b, slot)->reduce_s / (dual ? 2 : 1);
    if (place_of(b, slot)->plan.zero >= 2) return;
    step_begins(b, slot, RK_NONE);
    for (int k = 0; k < STATES; k++)
        reduce(b, slot, k, slot->state[k].gradient, slot->state[k].gradient,
               reduce_s * waiting_share(b, slot, k, ZERO_0_1 | REDUCED));
}

/* With dualpipe the rank as far from the other end has the same stages. */
static void sum_pair(struct build *b, struct slot *slot)
{
    const struct place *place = place_of(b, slot);
    const uint32_t other = b->pipeline.stages - 1 - b->stage;
    const double width = place->rule.bytes.sent_gradient;
    const enum rk_element type = flow_element(&place->plan, width);
    const uint32_t mate = (uint32_t)rank_member(&place->map, RANKS_OF_PIPELINE, b->rank, other);
    const uint32_t pair[2] = {b->rank < mate ? b->rank : mate, b->rank < mate ? mate : b->rank};
    if (b->pair_group == RK_NONE) b->pair_group = new_group(b, "pair", pair, 2);
    step_begins(b, slot, RK_NONE);
    for (int k = 0; k < STATES; k++) {
        const double bytes = slot->state[k].parameters * width * place->rule.shares[k].gradients;
        if (!(bytes > 0) || b->failed) continue;
        put_begin(b, RK_DO_ALL_REDUCE, RK_ON_GPU, step_task(b, slot, "sum pair", bytes, 0, 0, 0));
        put_read(b, slot->state[k].gradient);
        put_write(b, slot->state[k].gradient);
        b->draft.element = (uint8_t)type;
        b->draft.count = (uint64_t)ceil(bytes / (type == RK_IN_BYTES ? 1 : width));
        b->draft.other = (uint32_t)b->pair_group;
        put_end(b);
    }
}

/* Is the layer reduced after backward, instead of during its last microbatch? Both ends of a tied
 * table, and both ranks of a stage, are summed before data parallelism shards them, which is when
 * the pipeline is empty. */
static bool is_late(const struct build *b, const struct slot *slot)
{
    return is_tied(b, slot) || b->pipeline.schedule == RK_DUALPIPE ||
           !place_of(b, slot)->plan.gradient_overlap;
}

void reduce_layer(struct build *b, struct slot *slot)
{
    if (is_late(b, slot)) return;
    sum_over_tensor(b, slot);
    reduce_all(b, slot);
}

static void reduce_late(struct build *b, struct slot *slot)
{
    if (!is_late(b, slot)) return;
    const bool apart = is_tied(b, slot) && tied_apart(b);
    sum_over_tensor(b, slot);
    if (!apart) sum_tied(b, slot);
    if (b->pipeline.schedule == RK_DUALPIPE) sum_pair(b, slot);
    reduce_all(b, slot);
    if (apart) exchange_tied(b, slot);
}

/* ---- the step ---- */

/* State on drives is read and written besides, one after the other [rajbhandari2021]. */
static void move_state(struct build *b, struct slot *slot, int expert, double own)
{
    const struct place *place = place_of(b, slot);
    const struct element_bytes *bytes = &place->rule.bytes;
    const int32_t away = slot->state[expert].optimizer_away;
    for (int tier = 0; tier < RK_SHARE_TIERS && tier + 1 < b->system->memories; tier++) {
        const struct rk_memory part = memory_part(&b->system->memory[tier + 1], place->plan.ranks);
        const double state = place->plan.share[RK_SHARE_OPTIMIZER][tier] * own *
                             (bytes->optimizer - bytes->step_gradient);
        if (!(state > 0) || (tier == 0 && !(part.endurance_bytes > 0))) continue;
        const double read_s = state / rk_memory_read_Bps(&part);
        const double write_s = state / rk_memory_write_Bps(&part);
        put_run(b, RK_ON_IN, step_task(b, slot, "read state", state, 0, read_s, 0), away, away);
        put_run(b, RK_ON_OUT, step_task(b, slot, "write state", state, 0, write_s, 0), away, away);
    }
}

/* Of the share of the optimizer that is in lower memory tiers gradients go there, and weights
 * come back. */
static void offload_optimizer(struct build *b, struct slot *slot, int expert, int32_t gradient)
{
    const struct place *place = place_of(b, slot);
    const struct element_bytes *bytes = &place->rule.bytes;
    const double away = share_away(&place->plan, RK_SHARE_OPTIMIZER);
    const double own = slot->state[expert].parameters / place->sharing.shards[expert].ranks;
    if (!(away > 0)) return;
    const double out = away * own * bytes->gradient, back = away * own * bytes->weight;
    const double rate = memory_part(&b->system->memory[1], place->plan.ranks).bandwidth_Bps;
    const struct layer_state *s = &slot->state[expert];
    put_run(b, RK_ON_OUT, step_task(b, slot, "offload gradients", out, 0, out / rate, 0), gradient,
            s->gradient_away != NO_TENSOR ? s->gradient_away : s->optimizer_away);
    move_state(b, slot, expert, own);
    put_run(b, RK_ON_IN, step_task(b, slot, "return weights", back, 0, back / rate, 0),
            s->optimizer_away, s->weights);
}

static void step_layer(struct build *b, struct slot *slot, int expert)
{
    const struct layer_state *s = &slot->state[expert];
    if (!(s->parameters > 0) || s->gradient == NO_TENSOR) return;
    step_begins(b, slot, RK_NONE);
    offload_optimizer(b, slot, expert, s->gradient);
    put_begin(b, RK_DO_RUN, RK_ON_GPU,
              step_task(b, slot, "optimizer", 0, optimizer_s(b, slot, expert), 0, s->parameters));
    put_read(b, s->gradient);
    put_read(b, s->optimizer);
    put_write(b, s->optimizer);
    put_write(b, s->weights);
    put_end(b);
}

/* Both ranks of a pair go through their layers in the model's order. */
static struct slot *in_order(const struct build *b, uint32_t i)
{
    const uint32_t first = b->first_slot[1];
    if (b->pipeline.schedule != RK_DUALPIPE || b->slot[0].layer < b->slot[first].layer)
        return &b->slot[i];
    const uint32_t behind = b->slots - first;
    return &b->slot[i < behind ? first + i : i - behind];
}

/* ---- waits that no layer has ---- */

static double takers(const struct build *b, uint32_t chunk, unsigned levels)
{
    double all = 0;
    for (uint32_t i = b->first_slot[chunk]; i < b->first_slot[chunk + 1]; i++)
        all += parameters_of(b, &b->slot[i], levels);
    return all;
}

static void put_wait(struct build *b, struct slot *slot, double seconds)
{
    if (seconds > 0)
        put_run(b, RK_ON_GPU, step_task(b, slot, "waits", 0, seconds, 0, 0), NO_TENSOR, NO_TENSOR);
}

/* A stage's waits are its parts' by their blocks, also where a part has nothing to move. */
void wait_for_data(struct build *b, uint32_t chunk, int32_t microbatch, bool forward)
{
    struct slot *slot = &b->slot[b->first_slot[chunk]];
    const unsigned levels = forward || rk_plan_freezes(&place_of(b, slot)->plan)
                                ? ZERO_3 | GATHERED
                                : ZERO_2_3 | REDUCED;
    const enum rk_way way = forward ? RK_WAY_FORWARD : RK_WAY_BACKWARD;
    if (takers(b, chunk, levels) > 0) return;
    step_begins(b, slot, microbatch);
    b->draft.work = forward ? RK_WORK_FORWARD : RK_WORK_INPUT;
    put_wait(b, slot, part_times(b, slot)->data_s[way]);
}

/* Of a part that has nothing to reduce. */
static void wait_for_reduction(struct build *b, uint32_t chunk)
{
    struct slot *slot = &b->slot[b->first_slot[chunk]];
    const double share = b->pipeline.schedule == RK_DUALPIPE ? 0.5 : 1;
    if (takers(b, chunk, ZERO_0_1 | REDUCED) > 0) return;
    step_begins(b, slot, RK_NONE);
    put_wait(b, slot, share * part_times(b, slot)->reduce_s);
}

void finish_step(struct build *b)
{
    for (uint32_t chunk = 0; chunk < pipeline_chunks(&b->pipeline); chunk++)
        wait_for_reduction(b, chunk);
    for (uint32_t i = b->slots; i-- > 0;)
        reduce_late(b, in_order(b, i));
    for (uint32_t i = 0; i < b->slots; i++)
        for (int k = 0; k < STATES; k++)
            step_layer(b, in_order(b, i), k);
    for (uint32_t i = 0; i < b->slots; i++) {
        struct slot *slot = in_order(b, i);
        const struct rk_plan *plan = &place_of(b, slot)->plan;
        if (plan->zero != 1 && plan->zero != 2) continue;
        step_begins(b, slot, RK_NONE);
        for (int k = 0; k < STATES; k++)
            gather(b, slot, k, slot->state[k].weights, slot->state[k].weights,
                   end_gather_s(b, slot, k));
    }
}

/* ---- a microbatch's gradients ---- */

/* Where the products do not add to the sum of gradients themselves, a kernel does. */
void add_fresh(struct build *b, struct slot *slot, int32_t microbatch)
{
    const double added = place_of(b, slot)->rule.bytes.added;
    const double added_s = b->added_s[slot->chunk];
    step_begins(b, slot, microbatch);
    b->draft.work = RK_WORK_WEIGHT;
    for (int k = 0; k < STATES && added > 0; k++) {
        const double bytes = slot->state[k].parameters * added;
        const int32_t gradient = bytes > 0 ? gradient_of(b, slot, k, microbatch) : NO_TENSOR;
        if (gradient == NO_TENSOR) continue;
        struct rk_task task = step_task_of(b, slot, "add gradients", 0,
                                           added_s * waiting_share(b, slot, k, EVERY_ZERO), 0, 0);
        task.access_bytes = bytes;
        put_run(b, RK_ON_GPU, new_task(b, &task), gradient, gradient);
    }
}
