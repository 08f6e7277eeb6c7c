/* transfers.c - what of a layer's activations and weights is in a lower memory tier, and comes and
 * goes with the passes.
 */
#include "program/build.h"

#include <math.h>

/* Bytes of a microbatch's activations that a layer has in a lower tier, and of its weights. */
static double activations_away(const struct build *b, const struct slot *slot)
{
    const struct place *place = place_of(b, slot);
    return place->folds.layer[slot->kind][slot->treatment].saved_total_bytes *
           rk_plan_activations_away(&place->plan);
}

static double weights_away(const struct build *b, const struct slot *slot)
{
    const struct place *place = place_of(b, slot);
    const double parameters = slot->state[DENSE].parameters + slot->state[OF_EXPERTS].parameters;
    return parameters * place->rule.bytes.weight *
           rk_plan_offloaded(&place->plan, RK_SHARE_WEIGHTS);
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
static const struct rk_memory *tier_of(const struct build *b, const struct slot *slot,
                                       enum rk_share share)
{
    const struct rk_plan *plan = &place_of(b, slot)->plan;
    int tier = 1;
    while (tier < RK_SHARE_TIERS && tier + 1 < b->system->memories &&
           !(plan->share[share][tier - 1] > 0))
        tier++;
    return &b->system->memory[tier];
}

/* In the order of computing; what comes in, no sooner than the layer before is begun. */
static int32_t transfer(struct build *b, struct slot *slot, int32_t microbatch, int what,
                        const char *name, double bytes, int32_t read, int32_t other)
{
    static const enum rk_stream streams[] = {RK_ON_OUT, RK_ON_IN, RK_ON_IN};
    int32_t *form = &slot->away_form[what];
    const bool forward = b->draft.work == RK_WORK_FORWARD;
    const struct rk_memory *tier =
        tier_of(b, slot, what == 2 ? RK_SHARE_WEIGHTS : RK_SHARE_ATTENTION);
    const double rate = what == 0 ? rk_memory_write_Bps(tier) : rk_memory_read_Bps(tier);
    const int32_t task =
        step_task(b, slot, name, bytes, transfer_s(b, slot, bytes, forward), bytes / rate, 0);
    if (*form == RK_NONE)
        *form = new_form(b, what == 0 ? RK_TENSOR_AWAY : RK_TENSOR_REST, what == 0 ? "" : name,
                         RK_IN_BYTES, ceil(bytes), 1, bytes);
    const int32_t moved = new_tensor(b, *form, slot->layer, microbatch);
    if (!forward && what == 2 && !b->failed) b->program->tensor[moved].number = 1;
    b->after = b->last[RK_ON_GPU];
    put_begin(b, RK_DO_RUN, streams[what], task);
    put_read(b, read);
    put_read(b, other);
    put_write(b, moved);
    put_end(b);
    b->after = RK_NONE;
    return moved;
}

void offload_activations(struct build *b, struct slot *slot, int32_t microbatch)
{
    struct live *live = live_of(b, slot, microbatch);
    const int last = kind_of(b, slot)->flow.operations - 1;
    const double bytes = activations_away(b, slot);
    if (!(bytes > 0)) return;
    step_begins(b, slot, microbatch);
    b->draft.work = RK_WORK_FORWARD;
    live->away = transfer(b, slot, microbatch, 0, "offload", bytes,
                          last >= 0 ? live->brought[last] : live->input, NO_TENSOR);
}

void return_activations(struct build *b, struct slot *slot, int32_t microbatch)
{
    struct live *live = live_of(b, slot, microbatch);
    if (live->away == NO_TENSOR) return;
    step_begins(b, slot, microbatch);
    b->draft.work = RK_WORK_INPUT;
    live->returned = transfer(b, slot, microbatch, 1, "returned", activations_away(b, slot),
                              live->away, NO_TENSOR);
    live->away = NO_TENSOR;
}

void fetch_weights(struct build *b, struct slot *slot, int32_t microbatch, bool forward)
{
    const double bytes = weights_away(b, slot);
    if (!(bytes > 0)) return;
    step_begins(b, slot, microbatch);
    b->draft.work = forward ? RK_WORK_FORWARD : RK_WORK_INPUT;
    live_of(b, slot, microbatch)->fetched =
        transfer(b, slot, microbatch, 2, "fetched", bytes, slot->state[DENSE].away,
                 slot->state[OF_EXPERTS].away);
}
