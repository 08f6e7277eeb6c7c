/* lower.c - a plan becomes the program of a rank: the order of its stage's passes times the layers
 * of the stage.
 */
#include "base/limits.h"
#include "clusters/predict.h"
#include "estimate/plan_check.h"
#include "plan/layers.h"
#include "program/build.h"
#include "program/uneven.h"

#include <stdlib.h>
#include <string.h>

static enum rk_status refuse(struct rk_error *error, const char *what)
{
    return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0, "the plan cannot be lowered: %s", what);
}

/* ---- places ---- */

static void kind_open(struct build *b, struct place *place, enum layer_kind kind)
{
    struct program_kind *k = malloc(sizeof *k);
    place->kind[kind] = k;
    b->failed |= !k;
    if (!k) return;
    memset(k->task, 0xff, sizeof k->task);
    memset(k->form, 0xff, sizeof k->form);
    memset(k->mask_form, 0xff, sizeof k->mask_form);
    memset(k->waits, 0xff, sizeof k->waits);
    time_layer(&k->timed, kind, b->model, b->system, &place->plan);
    if (kind == LAYER_NOTHING) k->timed.layer.operations = 0;
    const char *unknown = flow_of(&k->flow, &k->timed.layer, b->model, &place->plan);
    if (!unknown) return;
    b->status =
        rk_fail(b->error, RK_UNSUPPORTED, NULL, 0, 0,
                "the plan cannot be lowered: what \"%s\" of a layer reads is not known", unknown);
    b->failed = true;
}

static void place_open(struct build *b, struct place *place, const struct rk_plan *plan)
{
    *place = (struct place){.plan = *plan, .map = rank_map_of(plan), .sharing = sharing_of(plan)};
    memset(place->group, 0xff, sizeof place->group);
    fold_layers(&place->folds, b->model, b->system, plan);
    place->rule = memory_rule_of(&place->folds, &place->sharing, plan);
}

/* ---- the layers of a rank ---- */

/* Segments say what they recompute. */
static enum treatment treatment_of(const struct build *b, int place, uint64_t i, uint64_t count)
{
    if (rk_plan_layout(b->plan)->segments)
        return b->place[place].plan.recompute == RK_KEEP ? AS_IT_IS : RECOMPUTED;
    return stage_recomputes(b->plan, i, count) ? RECOMPUTED : AS_IT_IS;
}

static int place_of_block(const struct build *b, uint64_t block)
{
    return plan_local_of(b->plan, block);
}

static uint64_t first_block(const struct build *b, uint64_t part)
{
    uint64_t first = 0;
    for (uint64_t i = 0; i < part; i++)
        first += rk_plan_split(b->plan, b->model, i);
    return first;
}

/* Embedding and head are as the plan itself says, and so is a stage without layers. */
int place_at_end(const struct build *b, uint64_t part, bool last)
{
    const uint64_t count = rk_plan_split(b->plan, b->model, part);
    if (b->stages) return place_of_stage(b, part % b->pipeline.stages);
    if (count == 0 || (part == 0 && !last)) return 0;
    if (last && part + 1 == pipeline_parts(&b->pipeline)) return 0;
    return place_of_block(b, first_block(b, part) + (last ? count - 1 : 0));
}

static struct slot *add_slot(struct build *b, int32_t layer, enum layer_kind kind, uint16_t chunk,
                             enum treatment treatment, int place)
{
    struct slot *slot = &b->slot[b->slots++];
    *slot = (struct slot){.layer = layer,
                          .kind = kind,
                          .treatment = treatment,
                          .chunk = chunk,
                          .place = place,
                          .begins_group = true,
                          .ends_group = true};
    memset(slot->away_form, 0xff, sizeof slot->away_form);
    for (int k = 0; k < STATES; k++)
        slot->state[k].gathered_form = slot->state[k].fresh_form = RK_NONE;
    if (!place_of(b, slot)->kind[kind]) kind_open(b, place_of(b, slot), kind);
    return slot;
}

/* Puts the recomputed layers of a part into groups with one stored input each. */
static void group_layers(struct build *b, uint32_t first)
{
    uint64_t run = 0;
    for (uint32_t i = first; i < b->slots; i++) {
        struct slot *slot = &b->slot[i];
        const struct rk_plan *plan = &place_of(b, slot)->plan;
        const uint64_t every = plan->recompute_every > 1 ? plan->recompute_every : 1;
        const bool next = i + 1 < b->slots && b->slot[i + 1].treatment == RECOMPUTED &&
                          b->slot[i + 1].place == slot->place &&
                          b->slot[i + 1].kind != LAYER_PREDICT;
        if (slot->treatment != RECOMPUTED || plan->recompute != RK_WHOLE ||
            slot->kind == LAYER_PREDICT) {
            run = 0;
            continue;
        }
        slot->begins_group = run == 0;
        slot->ends_group = run + 1 == every || !next;
        run = slot->ends_group ? 0 : run + 1;
    }
}

/* Blocks through two buffers, but for the two that backward comes back to at once. */
static void mark_swapped(struct build *b, uint64_t part, uint32_t first)
{
    const bool last = part + 1 == pipeline_parts(&b->pipeline);
    const bool returns = last && b->plan->chunks == 1 &&
                         (b->plan->schedule != RK_GPIPE || b->pipeline.microbatches <= 1);
    uint32_t blocks = 0;
    for (uint32_t i = first; i < b->slots && b->plan->recompute_rest; i++)
        blocks += is_block(&b->slot[i]);
    for (uint32_t i = first; blocks && i < b->slots; i++)
        if (is_block(&b->slot[i])) b->slot[i].swapped = blocks-- > (returns ? 2 : 0);
}

static void add_part(struct build *b, uint64_t part, uint16_t chunk)
{
    const struct rk_model *model = b->model;
    const uint32_t begin = b->slots;
    const uint64_t first = first_block(b, part);
    const uint64_t count = rk_plan_split(b->plan, model, part);
    b->first_slot[chunk] = begin;
    if (part == 0) add_slot(b, RK_LAYER_EMBEDDING, LAYER_EMBEDDING, chunk, AS_IT_IS, 0);
    for (uint64_t i = 0; i < count; i++) {
        const enum layer_kind kind = layer_kind_of(model, first + i);
        const int place = place_of_block(b, first + i);
        add_slot(b, (int32_t)(first + i), kind, chunk, treatment_of(b, place, i, count), place);
    }
    group_layers(b, begin);
    if (part + 1 == pipeline_parts(&b->pipeline)) {
        const int32_t behind = (int32_t)model->layers;
        add_slot(b, behind + (int32_t)model->predict_layers, LAYER_HEAD, chunk, AS_IT_IS, 0);
        for (uint64_t i = 0; i < model->predict_layers; i++)
            add_slot(b, behind + (int32_t)i, LAYER_PREDICT, chunk,
                     b->plan->recompute == RK_KEEP ? AS_IT_IS : RECOMPUTED, 0);
    }
    if (b->slots == begin) /* hands on what it receives */
        add_slot(b, (int32_t)first, LAYER_NOTHING, chunk, AS_IT_IS, 0);
    mark_swapped(b, part, begin);
    b->first_slot[chunk + 1] = b->slots;
}

/* Which layers this rank has; the places; their tasks are made when they are first needed. */
static void build_open(struct build *b)
{
    const uint32_t chunks = pipeline_chunks(&b->pipeline);
    const size_t most = b->model->layers + b->model->predict_layers + chunks + 2;
    b->slot = calloc(most, sizeof *b->slot);
    b->place = calloc(RK_MAX_LOCALS + 1, sizeof *b->place);
    b->failed |= !b->slot || !b->place;
    if (b->failed) return;
    for (int i = 0; i <= rk_plan_layout(b->plan)->others; i++) {
        const struct rk_plan own = run_plan(b->plan, i);
        place_open(b, &b->place[b->places++], &own);
    }
    if (b->stages) neighbours_open(b);
    for (uint32_t chunk = 0; chunk < chunks && !b->failed; chunk++)
        add_part(b, pipeline_part(&b->pipeline, b->stage, chunk), (uint16_t)chunk);
    b->live = calloc((size_t)b->slots * b->pipeline.microbatches, sizeof *b->live);
    b->failed |= !b->live;
}

static void build_release(struct build *b)
{
    for (uint32_t i = 0; b->live && i < b->slots; i++)
        for (int32_t m = 0; m < (int32_t)b->pipeline.microbatches; m++)
            live_close(b, &b->slot[i], m);
    for (int i = 0; i < b->places; i++)
        for (int kind = 0; kind < LAYER_KINDS; kind++)
            free(b->place[i].kind[kind]);
    free(b->live);
    free(b->slot);
    free(b->place);
    free(b->afters);
    free(b->passes);
    free(b->added_s);
}

/* ---- passes ---- */

static struct slot *slot_at(const struct build *b, uint32_t i)
{
    return &b->slot[i];
}

/* The residual stream, from layer to layer; head and prediction layers read the last block's. */
static int32_t result_of(struct build *b, const struct slot *slot, int32_t microbatch)
{
    const struct flow *flow = &kind_of(b, slot)->flow;
    const struct live *live = live_of(b, slot, microbatch);
    if (slot->kind == LAYER_HEAD || flow->output == FLOW_INPUT) return live->input;
    return live->brought[flow->output];
}

/* What comes in for a layer begins no sooner than the layer before. */
static void next_layer(struct build *b)
{
    b->begun = b->next_begun;
    b->next_begun = b->last[RK_ON_GPU];
}

static void run_forward(struct build *b, const struct order_pass *pass)
{
    const int32_t m = (int32_t)pass->microbatch;
    const uint32_t first = b->first_slot[pass->chunk], end = b->first_slot[pass->chunk + 1];
    int32_t stream = NO_TENSOR;
    for (uint32_t i = first; i < end && !b->failed; i++) {
        struct slot *slot = slot_at(b, i);
        struct live *live = live_open(b, slot, m);
        if (i > first)
            live->input = relayout(b, slot, slot[-1].place, slot->place, stream, m, true);
        if (i == first) gather_weights(b, slot, m, true);
        if (i + 1 < end) gather_weights(b, slot_at(b, i + 1), m, true);
        next_layer(b);
        fetch_weights(b, slot, m, true);
        if (slot->swapped && i > first + 1 && slot[-2].swapped) /* its buffer is free */
            b->after = live_of(b, &slot[-2], m)->left;
        layer_forward(b, slot, m);
        offload_activations(b, slot, m);
        release_weights(b, slot);
        stream = result_of(b, slot, m);
        if (i + 1 == end) live->output = stream;
    }
    wait_for_data(b, pass->chunk, m, true);
}

/* What comes again is computed for all layers of a group, in front of its last one's backward. */
static void run_again(struct build *b, uint32_t i, int32_t m)
{
    uint32_t first = i;
    if (!slot_at(b, i)->ends_group) return;
    while (!slot_at(b, first)->begins_group)
        first--;
    for (uint32_t k = first; k <= i; k++) {
        struct slot *slot = slot_at(b, k);
        return_activations(b, slot, m);
        layer_again(b, slot, m);
        if (k == i) break;
        const struct flow *flow = &kind_of(b, slot)->flow;
        live_of(b, slot_at(b, k + 1), m)->input = live_of(b, slot, m)->again[flow->output];
    }
}

static void hand_back(struct build *b, uint32_t i, uint32_t first, int32_t m)
{
    const struct slot *slot = slot_at(b, i);
    if (i == first) return;
    const struct slot *before = slot_at(b, i - 1);
    const int32_t gradient = relayout(b, before, slot->place, before->place,
                                      live_of(b, slot, m)->input_gradient, m, false);
    struct live *live = live_of(b, before, m);
    const int output = kind_of(b, before)->flow.output;
    if (before->kind == LAYER_HEAD) /* of what both read */
        live->input_gradient = gradient;
    else if (output >= 0)
        live->gradient[output] = gradient;
}

static void run_backward(struct build *b, const struct order_pass *pass, bool input, bool weight)
{
    const int32_t m = (int32_t)pass->microbatch;
    const uint32_t first = b->first_slot[pass->chunk], end = b->first_slot[pass->chunk + 1];
    for (uint32_t i = end; i-- > first && !b->failed;) {
        struct slot *slot = slot_at(b, i);
        struct live *live = live_of(b, slot, m);
        const int output = kind_of(b, slot)->flow.output;
        if (input && i + 1 == end && live->output_gradient != NO_TENSOR)
            *(output >= 0 ? &live->gradient[output] : &live->input_gradient) =
                live->output_gradient;
        if (input && i + 1 == end) gather_weights(b, slot, m, false);
        if (input && i > first) gather_weights(b, slot_at(b, i - 1), m, false);
        next_layer(b);
        if (input) fetch_weights(b, slot, m, false);
        if (input) run_again(b, i, m);
        layer_backward(b, slot, m, input, weight);
        if (weight) add_fresh(b, slot, m);
        if (input) hand_back(b, i, first, m);
        if (weight) reduce_fresh(b, slot, m);
        release_weights(b, slot);
    }
    if (input) wait_for_data(b, pass->chunk, m, false);
}

static bool completes(const struct build *b, const struct order_pass *pass)
{
    const uint64_t each = pipeline_microbatches(&b->pipeline);
    const bool dual = b->pipeline.schedule == RK_DUALPIPE;
    return pass->microbatch + 1 == (dual ? pass->chunk + 1 : 1) * each &&
           (pass->pass == PASS_BACKWARD || pass->pass == PASS_WEIGHT_GRAD);
}

static void run_pass(struct build *b, const struct order_pass *pass)
{
    const uint32_t first = b->first_slot[pass->chunk], end = b->first_slot[pass->chunk + 1];
    if (pass->pass == PASS_FORWARD)
        run_forward(b, pass);
    else
        run_backward(b, pass, pass->pass != PASS_WEIGHT_GRAD, pass->pass != PASS_INPUT_GRAD);
    b->arrived = NO_TENSOR;
    send_result(b, pass);
    if (pass->pass == PASS_BACKWARD || pass->pass == PASS_WEIGHT_GRAD)
        for (uint32_t i = first; i < end; i++)
            live_close(b, slot_at(b, i), (int32_t)pass->microbatch);
    if (completes(b, pass))
        for (uint32_t i = end; i-- > first;)
            reduce_layer(b, slot_at(b, i));
}

static void run_passes(struct build *b)
{
    struct order_cursor cursor = order_open(&b->pipeline, b->stage);
    struct mailbox *mail = mailbox_open(b);
    struct order_pass pass, next;
    bool more = order_next(&cursor, &pass);
    while (more && !b->failed) {
        const bool another = order_next(&cursor, &next);
        post_receives(b, mail, &pass);
        if (another) post_receives(b, mail, &next);
        take_message(b, &pass);
        run_pass(b, &pass);
        pass = next;
        more = another;
    }
    mailbox_release(mail);
}

/* ---- all of it ---- */

/* What a part takes beyond its layers and what lies between them is what adds up gradients. */
static double added_of(const struct build *b, uint32_t chunk)
{
    double added_s = b->passes->chunk[pipeline_part(&b->pipeline, b->stage, chunk)].input_s;
    for (uint32_t i = b->first_slot[chunk]; i < b->first_slot[chunk + 1]; i++) {
        const struct slot *slot = &b->slot[i];
        added_s -= place_of(b, slot)->folds.layer[slot->kind][slot->treatment].pass_s[FOLD_AGRAD];
        if (i > b->first_slot[chunk])
            added_s -= relayout_s(b->model, b->system, &place_of(b, slot)->plan,
                                  &place_of(b, slot - 1)->plan);
    }
    return added_s > 1e-12 ? added_s : 0;
}

static void time_parts(struct build *b)
{
    const uint32_t chunks = pipeline_chunks(&b->pipeline);
    b->passes = malloc(sizeof *b->passes);
    b->added_s = calloc(chunks, sizeof *b->added_s);
    b->failed |= !b->passes || !b->added_s;
    if (b->failed) return;
    rk_predict_passes(b->model, b->system, b->plan, b->passes);
    b->message_bytes = b->passes->message_bytes;
    for (uint32_t chunk = 0; chunk < chunks; chunk++)
        b->added_s[chunk] = added_of(b, chunk);
}

static enum rk_status refuse_many(struct rk_error *error, double need, double have,
                                  const char *what)
{
    return rk_fail_numbers(error, RK_LIMIT, have, need, "the plan cannot be lowered: %s", what);
}

static enum rk_status check_chunks(const struct rk_plan *plan, double layers,
                                   struct rk_error *error)
{
    const double u = (double)plan->sequence_chunks, pairs = u * (u + 1) / 2 * layers;
    if (u <= 1) return RK_OK;
    if (plan->schedule != RK_1F1B && plan->schedule != RK_GPIPE)
        return refuse(error, "in chunks of the sequence both gradients come of one pass; give "
                             "schedule=1f1b or gpipe");
    if (pairs <= MOST_CHUNK_PAIRS) return RK_OK;
    return refuse_many(error, pairs, MOST_CHUNK_PAIRS,
                       "more than 300,000 pairs of chunks of the sequence on a rank; give fewer "
                       "chunks");
}

enum rk_status build_check(const struct rk_model *model, const struct rk_system *system,
                           const struct rk_plan *plan, struct rk_error *error)
{
    struct rk_reason reason;
    if (!rk_answerer(plan->framework)->runs)
        return refuse(error, "framework calculon has no list of kernels; give another framework");
    plan_check(model, system, plan, &reason);
    if (reason.verdict != RK_FITS)
        return rk_fail_numbers(error, RK_NOTHING_FITS, reason.have, reason.need,
                               "the plan cannot run: %s: %s: %g, needs %g",
                               rk_verdict_name(reason.verdict), reason.what, reason.have,
                               reason.need);
    const double layers = microbatches_of(plan) * (double)model->layers / (double)plan->pipeline;
    const enum rk_status status = check_chunks(plan, layers, error);
    if (status != RK_OK) return status;
    if (plan->lora || plan->base || rk_plan_bare_passes(plan))
        return refuse(error, "adapters, weights of 4 and 8 bits and passes of a reference are not "
                             "lowered; leave lora, base and reference out");
    if (plan->step_in_backward)
        return refuse(error, "steps of the optimizer within backward are not lowered; leave "
                             "step-in-backward out");
    if (plan->deferred_wgrad)
        return refuse(error, "weight gradients of the head that are put off are not lowered; leave "
                             "defer-wgrad out");
    if (layers > MOST_LAYER_PASSES)
        return refuse_many(error, layers, MOST_LAYER_PASSES,
                           "more than 500,000 layers times microbatches on a rank; give a smaller "
                           "batch, or larger microbatches");
    return RK_OK;
}

static void begin(struct build *b)
{
    struct rk_program *p = b->program;
    *p = (struct rk_program){
        .rank = (uint32_t)(b->rank + b->moved),
        .ranks =
            (uint32_t)(b->stages ? first_of_stage(b->stages, b->pipeline.stages) : b->plan->ranks),
        .stage = b->stage,
        .layers = (uint32_t)b->model->layers,
        .predict_layers = (uint32_t)b->model->predict_layers,
        .microbatches = (uint32_t)b->pipeline.microbatches,
    };
    b->after = b->begun = b->next_begun = b->tied_group = b->pair_group = RK_NONE;
    b->arrived = NO_TENSOR;
    memset(b->message_form, 0xff, sizeof b->message_form);
    memset(b->relayout_task, 0xff, sizeof b->relayout_task);
    memset(b->relayout_form, 0xff, sizeof b->relayout_form);
    memset(b->last, 0xff, sizeof b->last);
}

enum rk_status build_program(struct build *b)
{
    begin(b);
    build_open(b);
    if (!b->failed) {
        time_parts(b);
    }
    if (!b->failed) {
        states_open(b);
        reserve_buffers(b, true);
        run_passes(b);
        reserve_buffers(b, false);
        finish_step(b);
        order_streams(b);
    }
    build_release(b);
    if (!b->failed) return RK_OK;
    const uint32_t rank = b->program->rank;
    rk_program_release(b->program);
    if (b->status != RK_OK) return b->status;
    return rk_fail(b->error, RK_NO_MEMORY, NULL, 0, 0, "out of memory for the program of rank %u",
                   rank);
}

enum rk_status program_of_plan(struct rk_program *program, const struct rk_model *model,
                               const struct rk_system *system, const struct rk_plan *plan,
                               uint64_t rank, struct rk_error *error)
{
    *program = (struct rk_program){.rank = 0};
    enum rk_status status = build_check(model, system, plan, error);
    if (status != RK_OK) return status;
    if (rank >= plan->ranks)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "there is no rank %llu: the plan's are 0 to %llu", (unsigned long long)rank,
                       (unsigned long long)plan->ranks - 1);
    const struct rank_map map = rank_map_of(plan);
    struct build b = {.model = model,
                      .system = system,
                      .plan = plan,
                      .program = program,
                      .pipeline = pipeline_of(plan, microbatches_of(plan)),
                      .stage = (uint32_t)rank_position(&map, RANKS_OF_PIPELINE, rank),
                      .rank = (uint32_t)rank,
                      .error = error};
    return build_program(&b);
}

enum rk_status rk_program_of(struct rk_program *program, const struct rk_model *model,
                             const struct rk_system *system, const struct rk_plan *plan,
                             uint64_t rank, struct rk_error *error)
{
    return (plan_has_parts(system, plan) ? program_of_parts : program_of_plan)(
        program, model, system, plan, rank, error);
}

void rk_program_release(struct rk_program *program)
{
    for (size_t i = 0; i < program->groups; i++)
        free(program->group[i].rank);
    free(program->instruction);
    free(program->tensor);
    free(program->task);
    free(program->form);
    free(program->group);
    free(program->reference);
    *program = (struct rk_program){.rank = 0};
}
