/* plan.c - what plans of a simulation have in common, whatever they were made of. */
#include "timeline/reasons.h"

#include <stdlib.h>

const char *const timeline_messages_names[] = {"charged", "blocking", "beside", NULL};

/* clang-format off */
static const char *const reasons[TIMELINE_REASONS] = {
    [REASON_SPLIT]            = "zb-h1 fills the bubble with weight gradients; the estimate has the bubble of 1F1B",
    [REASON_UNEQUAL]          = "some stages have a block less; the estimate takes half a block's time for each off the bubble",
    [REASON_LAST_ROUND]       = "the stages do not divide the microbatches; the estimate lets all chunks wait for a full last round",
    [REASON_REDUCE_BESIDE]    = "gradients are reduced block by block during backward; the estimate's windows leave out memory accesses, the tensor network and messages that collide",
    [REASON_MESSAGES]         = "messages are simulated one by one; `messages` charged counts them as the estimate does, one after every pass of a chunk",
    [REASON_INFERENCE]        = "the estimate keeps a message's latency in the bubble of forward passes",
    [REASON_GPIPE_MEMORY]     = "gpipe has all microbatches in flight; the estimate has at most one per stage",
    [REASON_ROUNDED_MEMORY]   = "few microbatches: fewer chunks are in flight than the estimate's factor for interleaving says",
    [REASON_UNEQUAL_STAGES]   = "stages are unequal; the formula is the longest chain of work through one of them",
    [REASON_UNEQUAL_CHUNKS]   = "the formula's bubble of interleaved stages is that of equal chunks",
    [REASON_MESSAGES_BESIDE]  = "messages overlap with computation; the formula has them to a tenth, or one after every pass (`messages` charged)",
    [REASON_UNEQUAL_HALVES]   = "the chunks of a stage are unequal; the formula gives each half of its time",
    [REASON_REDUCE_CHUNKS]    = "gradients are reduced chunk by chunk; the formula overlaps them with a stage's last backward pass in pieces of a chunk",
    [REASON_BUCKETS]          = "gradients are reduced block by block; the formula waits for a last bucket of several",
    [REASON_DRAIN]            = "work of a stage after its last pass runs while earlier stages drain; the formula leaves messages out of that time",
    [REASON_PUT_OFF]          = "weight gradients of the head that are put off are drawn where they arise, not in the drain",
    [REASON_WEIGHT_GRADIENTS] = "weight gradients fill the bubble where they fit; the formula is that of equal stages",
    [REASON_TWO_STAGES]       = "each rank has two stages; the formula lets the slowest pair of them set the pace",
    [REASON_HELD_CHUNKS]      = "the chunks of a stage hold unequal shares; the prediction counts each as the mean",
};
/* clang-format on */

_Static_assert(REASON_COUNT <= (int)TIMELINE_REASONS, "a bit for each reason");

const char *timeline_reason(unsigned bit)
{
    return bit < TIMELINE_REASONS ? reasons[bit] : NULL;
}

enum rk_status timeline_plan_open(struct timeline_plan *plan, struct rk_error *error)
{
    const struct pipeline *p = &plan->pipeline;
    plan->stages = p->stages;
    plan->chunks = pipeline_chunks(p);
    plan->microbatches = (uint32_t)p->microbatches;
    const size_t stages = plan->stages, chunks = stages * plan->chunks;
    bool done = (plan->chunk = calloc(chunks, sizeof *plan->chunk)) != NULL;
    done &= (plan->end = calloc(stages, sizeof *plan->end)) != NULL;
    for (int tier = 0; tier < plan->tiers; tier++) {
        struct timeline_tier *t = &plan->tier[tier];
        t->bytes = calloc(stages * TIMELINE_CATEGORIES, sizeof *t->bytes);
        t->capacity_bytes = calloc(stages, sizeof *t->capacity_bytes);
        done &= t->bytes && t->capacity_bytes;
    }
    if (done) return RK_OK;
    timeline_plan_release(plan);
    return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "out of memory for %zu chunks", chunks);
}

void timeline_set_capacity(struct timeline_plan *plan, int tier, double bytes)
{
    for (uint32_t stage = 0; stage < plan->stages; stage++)
        plan->tier[tier].capacity_bytes[stage] = bytes;
}

void timeline_plan_release(struct timeline_plan *plan)
{
    free(plan->chunk);
    free(plan->end);
    for (int tier = 0; tier < plan->tiers; tier++) {
        free(plan->tier[tier].bytes);
        free(plan->tier[tier].capacity_bytes);
    }
    *plan = (struct timeline_plan){.tiers = 0};
}

enum rk_status timeline_check_length(uint64_t stages, uint64_t chunks, uint64_t microbatches,
                                     struct rk_error *error)
{
    const double passes = 3 * (double)stages * (double)chunks * (double)microbatches;
    if (passes <= (double)TIMELINE_MAX_PASSES) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "the schedule has %.3g passes, more than %.3g: give a smaller batch, or "
                   "larger microbatches",
                   passes, (double)TIMELINE_MAX_PASSES);
}

void timeline_sum_up(struct timeline_duration *d)
{
    d->total_s = d->recompute_s + d->compute_s + d->data_s + d->wait_s;
}

uint64_t timeline_blocks(const struct timeline_plan *plan, uint32_t stage)
{
    uint64_t blocks = 0;
    for (uint32_t chunk = 0; chunk < plan->chunks; chunk++)
        blocks += timeline_chunk_of(plan, stage, chunk)->blocks;
    return blocks;
}

/* With dualpipe half a rank's microbatches go through each of its stages, and p / 2 of them
 * backward in two halves, one more for each rank that it is away from the middle. */
uint64_t timeline_passes(const struct timeline_plan *plan)
{
    const struct pipeline *p = &plan->pipeline;
    const uint64_t kinds = p->forward_only ? 1 : pipeline_splits(p) ? 3 : 2;
    const uint64_t each = kinds * p->stages * plan->chunks * pipeline_microbatches(p);
    if (p->schedule != RK_DUALPIPE) return each;
    uint64_t split = 0;
    for (uint64_t rank = 0; rank < p->stages; rank++) {
        const uint64_t half = rank < p->stages / 2 ? rank : p->stages - 1 - rank;
        split += p->stages / 2 + p->stages / 2 - 1 - half;
    }
    return each + split;
}

double timeline_category_bytes(const struct timeline_plan *plan, int tier, int category,
                               const struct timeline_sample *sample)
{
    const struct timeline_bytes *b =
        &plan->tier[tier].bytes[(size_t)sample->stage * TIMELINE_CATEGORIES + (size_t)category];
    return b->fixed + b->in_flight * sample->held +
           (sample->phase != TIMELINE_IDLE ? b->computing : 0) +
           (sample->phase == TIMELINE_IN_BACKWARD ? b->backward : 0);
}

double timeline_tier_bytes(const struct timeline_plan *plan, int tier,
                           const struct timeline_sample *sample)
{
    double bytes = 0;
    for (int i = 0; i < TIMELINE_CATEGORIES && plan->category[i]; i++)
        bytes += timeline_category_bytes(plan, tier, i, sample);
    return bytes;
}
