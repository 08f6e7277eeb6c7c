/* plan_lengths.c - --lengths and --batching: samples of several lengths become words of a plan. */
#include "cli/plan_input.h"
#include <reckon/lengths.h>

#include <inttypes.h>
#include <math.h>

enum batching { BATCHING_PLAN, BATCHING_PAD, BATCHING_GROUPED, BATCHING_PACKED, BATCHING_JOINED };

static void give(struct plan_draft *draft, const char *key, uint64_t *member, double tokens)
{
    *member = (uint64_t)tokens;
    draft->given[plan_row(key)] = true;
}

static void give_grouped(struct plan_draft *draft, bool grouped)
{
    draft->plan.length_grouped = grouped;
    draft->given[plan_row("length_grouped")] = true;
}

/* A microbatch holds the answers of all its samples. */
void plan_pad(struct rk_plan *plan, const struct rk_lengths *lengths)
{
    const uint64_t samples = plan->microbatch * rk_plan_answers(plan);
    plan->padded = (uint64_t)rint(plan->length_grouped ? rk_lengths_grouped(lengths, samples)
                                                       : rk_lengths_padded(lengths, samples));
}

static void pad(struct plan_input *input, struct rk_lengths *lengths, bool grouped, bool open)
{
    struct rk_plan *plan = &input->draft.plan;
    if (plan->sequence) rk_lengths_cut(lengths, (double)plan->sequence);
    const double longest = rk_lengths_longest(lengths);
    give(&input->draft, "sequence", &plan->sequence, ceil(longest));
    give_grouped(&input->draft, grouped);
    plan_pad(plan, lengths);
    input->draft.given[plan_row("padded")] = true;
    if (open)
        plan_assume(input,
                    "samples of %.0f (mean) to %.0f tokens padded to the longest of each "
                    "microbatch%s",
                    rk_lengths_mean(lengths), longest, grouped ? ", sorted by length" : "");
    else
        plan_assume(
            input,
            "samples of %.0f (mean) to %.0f tokens padded to %" PRIu64 " (mean of microbatches%s)",
            rk_lengths_mean(lengths), longest, plan->padded, grouped ? " sorted by length" : "");
}

static void pack(struct plan_input *input, struct rk_lengths *lengths, bool joined)
{
    struct rk_plan *plan = &input->draft.plan;
    const double sequence = (double)(plan->sequence ? plan->sequence : input->model.sequence);
    rk_lengths_cut(lengths, sequence);
    const double mean = input->pack_tokens = rk_lengths_mean(lengths);
    const double packed = rk_lengths_packed(lengths);
    if (!joined && rint(packed) < sequence)
        give(&input->draft, "packed", &plan->packed, rint(packed));
    give_grouped(&input->draft, false);
    plan_assume(input, "packs of %.3g samples of %.0f tokens (mean) with attention %s them",
                sequence / mean, mean, joined ? "across" : "within each of");
}

static enum rk_status refuse(const char *text, struct rk_error *error)
{
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s", text);
}

enum rk_status plan_take_lengths(const struct plan_source *source, struct plan_input *input,
                                 struct rk_error *error)
{
    const struct plan_draft *draft = &input->draft;
    const bool sorts = source->batching == BATCHING_GROUPED ||
                       (source->batching == BATCHING_PLAN && draft->plan.length_grouped);
    const bool pads = source->batching <= BATCHING_GROUPED;
    struct rk_lengths lengths;
    if (!source->lengths)
        return source->batching ? refuse("--batching goes with --lengths: give it", error) : RK_OK;
    if (plan_given(draft, "padded") || plan_given(draft, "packed"))
        return refuse("--lengths sets padded and packed: leave out --lengths, or these words",
                      error);
    const bool open = !plan_given(draft, "microbatch");
    if (pads && open && !source->batches)
        return refuse("--lengths: what samples are padded to depends on how many are in a "
                      "microbatch: give it, mbsN",
                      error);
    const enum rk_status status = rk_lengths_load(source->lengths, &lengths, error);
    if (status == RK_OK && pads) pad(input, &lengths, sorts, open);
    if (status == RK_OK && !pads) pack(input, &lengths, source->batching == BATCHING_JOINED);
    rk_lengths_release(&lengths);
    return status;
}
