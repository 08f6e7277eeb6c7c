/* transfers.c - what of a layer's activations and weights is in a lower memory tier, and comes and
 * goes with the passes.
 */
#include "machine/part.h"
#include "program/build.h"

#include <math.h>

/* Bytes of a microbatch's activations that a layer has in a lower tier, and of its weights. */
static double activations_away(const struct build *b, const struct slot *slot)
{
    const struct place *place = place_of(b, slot);
    const struct layer_fold *kept = &place->folds.layer[slot->kind][AS_IT_IS];
    const double always = kept->swap.always_bytes;
    if (slot->swapped)
        return always + (kept->saved_total_bytes - always) * rk_plan_activations_away(&place->plan);
    if (b->plan->recompute_rest) return 0;
    return place->folds.layer[slot->kind][slot->treatment].saved_total_bytes *
           rk_plan_activations_away(&place->plan);
}

static double weights_away(const struct build *b, const struct slot *slot)
{
    const struct place *place = place_of(b, slot);
    const double parameters = slot->state[DENSE].parameters + slot->state[OF_EXPERTS].parameters;
    return parameters * place->rule.bytes.weight * share_away(&place->plan, RK_SHARE_WEIGHTS);
}

/* What computing waits for of a transfer: of its part, by bytes. */
static double transfer_s(const struct build *b, const struct slot *slot, double bytes, bool forward)
{
    double all = 0;
    for (uint32_t i = b->first_slot[slot->chunk]; i < b->first_slot[slot->chunk + 1]; i++)
        all += activations_away(b, &b->slot[i]) + weights_away(b, &b->slot[i]);
    const double waits_s =
        part_times(b, slot)->offload_s[forward ? RK_WAY_FORWARD : RK_WAY_BACKWARD];
    return all > 0 ? waits_s * bytes / all : 0;
}

/* The memory tier that a class of tensors is offloaded to, the first one with a share. */
static struct rk_memory tier_of(const struct build *b, const struct slot *slot, enum rk_share share)
{
    const struct rk_plan *plan = &place_of(b, slot)->plan;
    int tier = 1;
    while (tier < RK_SHARE_TIERS && tier + 1 < b->system->memories &&
           !(plan->share[share][tier - 1] > 0))
        tier++;
    return memory_part(&b->system->memory[tier], plan->ranks);
}

static int32_t transfer_task(struct build *b, const struct slot *slot, int what, const char *name,
                             double bytes)
{
    const bool forward = b->draft.work == RK_WORK_FORWARD;
    const struct rk_memory tier =
        tier_of(b, slot, what == 2 ? RK_SHARE_WEIGHTS : RK_SHARE_ATTENTION);
    const double rate = what == 0 ? rk_memory_write_Bps(&tier) : rk_memory_read_Bps(&tier);
    return step_task(b, slot, name, bytes, transfer_s(b, slot, bytes, forward), bytes / rate, 0);
}

static int32_t moved_tensor(struct build *b, struct slot *slot, int32_t microbatch, int what,
                            const char *name, double bytes)
{
    int32_t *form = &slot->away_form[what];
    if (*form == RK_NONE)
        *form = new_form(b, what == 0 ? RK_TENSOR_AWAY : RK_TENSOR_REST, name, RK_IN_BYTES,
                         ceil(bytes), 1, bytes);
    return new_tensor(b, *form, slot->layer, microbatch);
}

/* What comes in, no sooner than the layer before is begun. */
static int32_t fetch(struct build *b, struct slot *slot, int32_t microbatch, int what,
                     const char *name, double bytes, const int32_t from[STATES])
{
    const int32_t task = transfer_task(b, slot, what, name, bytes);
    const int32_t moved = moved_tensor(b, slot, microbatch, what, name, bytes);
    const bool again = what == 2 && b->draft.work != RK_WORK_FORWARD;
    if (again && !b->failed) b->program->tensor[moved].number = 1;
    b->after = b->begun;
    put_begin(b, RK_DO_RUN, RK_ON_IN, task);
    for (int i = 0; i < STATES; i++)
        put_read(b, from[i]);
    put_write(b, moved);
    put_end(b);
    return moved;
}

/* Are all kept tensors, or all that are not recomputed, offloaded? Then none of them is left here.
 * A share in between does not say which tensors it consists of. */
static bool goes_whole(const struct build *b, const struct slot *slot)
{
    return slot->swapped || rk_plan_activations_away(&place_of(b, slot)->plan) > 1 - 1e-9;
}

static void read_kept(struct build *b, const struct slot *slot, const struct live *live)
{
    const struct program_kind *kind = kind_of(b, slot);
    const struct rk_plan *plan = &place_of(b, slot)->plan;
    put_read(b, live->input);
    for (int i = 0; i < kind->flow.operations; i++) {
        const struct operation *op = &kind->timed.layer.operation[i];
        if (slot->treatment == RECOMPUTED && runs_again(plan, op)) continue;
        if (op->saved_bytes > 0) put_read(b, live->brought[i]);
        put_read(b, live->mask[i]);
    }
}

/* The two buffers are there from the beginning to the end: of two layers of the stage's mean. */
void reserve_buffers(struct build *b, bool begin)
{
    double held[RK_HOLDING_COUNT] = {0}, blocks = 0;
    for (uint32_t i = 0; i < b->slots && b->plan->recompute_rest; i++) {
        const struct slot *slot = &b->slot[i];
        if (!is_block(slot)) continue;
        blocks++;
        for (int h = 0; h < RK_HOLDING_COUNT; h++)
            held[h] += place_of(b, slot)->folds.layer[slot->kind][AS_IT_IS].saved_bytes[h];
    }
    for (int h = 0; h < RK_HOLDING_COUNT; h++) {
        if (!(held[h] > 0)) continue;
        const double bytes = held[h] * (blocks > 2 ? 2 / blocks : 1);
        struct rk_task task = {.work = RK_WORK_STEP, .name = "buffers"};
        task.holding = (enum rk_holding)h;
        *(begin ? &task.keeps_bytes : &task.drops[h]) = bytes;
        step_begins(b, &b->slot[0], RK_NONE);
        b->draft.layer = RK_LAYER_NONE;
        put_run(b, RK_ON_GPU, new_task(b, &task), NO_TENSOR, NO_TENSOR);
    }
}

void offload_activations(struct build *b, struct slot *slot, int32_t microbatch)
{
    struct live *live = live_of(b, slot, microbatch);
    const int last = kind_of(b, slot)->flow.operations - 1;
    const double bytes = activations_away(b, slot);
    if (!(bytes > 0)) return;
    step_begins(b, slot, microbatch);
    b->draft.work = RK_WORK_FORWARD;
    const int32_t task = transfer_task(b, slot, 0, "offload", bytes);
    live->away = moved_tensor(b, slot, microbatch, 0, "", bytes);
    b->after = b->last[RK_ON_GPU];
    put_begin(b, RK_DO_RUN, RK_ON_OUT, task);
    if (goes_whole(b, slot))
        read_kept(b, slot, live);
    else
        put_read(b, last >= 0 ? live->brought[last] : live->input);
    put_write(b, live->away);
    live->left = put_end(b);
}

void return_activations(struct build *b, struct slot *slot, int32_t microbatch)
{
    struct live *live = live_of(b, slot, microbatch);
    if (live->away == NO_TENSOR) return;
    step_begins(b, slot, microbatch);
    b->draft.work = RK_WORK_INPUT;
    live->returned = fetch(b, slot, microbatch, 1, "returned", activations_away(b, slot),
                           (int32_t[STATES]){live->away, NO_TENSOR});
    if (goes_whole(b, slot)) live->all_returned = live->returned;
    live->away = NO_TENSOR;
}

void fetch_weights(struct build *b, struct slot *slot, int32_t microbatch, bool forward)
{
    const double bytes = weights_away(b, slot);
    if (!(bytes > 0)) return;
    step_begins(b, slot, microbatch);
    b->draft.work = forward ? RK_WORK_FORWARD : RK_WORK_INPUT;
    live_of(b, slot, microbatch)->fetched =
        fetch(b, slot, microbatch, 2, "fetched", bytes,
              (int32_t[STATES]){slot->state[DENSE].away, slot->state[OF_EXPERTS].away});
}
