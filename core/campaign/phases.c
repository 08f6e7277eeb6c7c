/* phases.c - campaigns one after another: batches and sequences that grow, plans that change. */
#include <reckon/campaign.h>
#include <reckon/catalog.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* But for the batch. */
static bool same_but_batch(const struct rk_plan *a, const struct rk_plan *b)
{
    char words[2][RK_PLAN_TEXT];
    struct rk_plan other = *b;
    other.batch = a->batch;
    rk_plan_text(a, words[0], sizeof words[0]);
    rk_plan_text(&other, words[1], sizeof words[1]);
    return strcmp(words[0], words[1]) == 0;
}

double rk_campaign_switch_s(const struct rk_campaign *from, const struct rk_plan *from_plan,
                            const struct rk_campaign *to, const struct rk_plan *to_plan)
{
    if (same_but_batch(from_plan, to_plan)) return 0;
    return from->checkpoint_bytes / from->recovery.storage_Bps + to->recovery.restart_s +
           to->checkpoint_bytes / to->recovery.storage_Bps;
}

static void add(struct rk_campaign_outcome *sum, const struct rk_campaign_outcome *o)
{
    sum->steps += o->steps;
    sum->work_s += o->work_s;
    sum->failures += o->failures;
    sum->checkpoint_s += o->checkpoint_s;
    sum->lost_s += o->lost_s;
    sum->down_s += o->down_s;
    sum->total_s += o->total_s;
    sum->gpu_hours += o->gpu_hours;
    sum->cost += o->cost;
    sum->energy_kWh += o->energy_kWh;
    sum->carbon_t += o->carbon_t;
}

void rk_campaign_expect_phases(const struct rk_campaign *phases, size_t count,
                               struct rk_campaign_outcome *outcome)
{
    struct rk_campaign_outcome sum = {0}, longest = {0}, one;
    double tokens = 0;
    for (size_t i = 0; i < count; i++) {
        rk_campaign_expect(&phases[i], &one);
        if (i == 0 || one.total_s > longest.total_s) longest = one;
        add(&sum, &one);
        tokens += phases[i].tokens;
    }
    *outcome = longest; /* what is no sum */
    outcome->steps = outcome->work_s = outcome->failures = outcome->checkpoint_s = 0;
    outcome->lost_s = outcome->down_s = outcome->total_s = outcome->gpu_hours = 0;
    outcome->cost = outcome->energy_kWh = outcome->carbon_t = 0;
    add(outcome, &sum);
    outcome->goodput = sum.work_s / sum.total_s;
    outcome->cost_per_trillion = sum.cost / tokens * 1e12;
}

/* The shortest path through the phases. */
bool rk_campaign_choose(const struct rk_campaign *campaign, size_t count, size_t choices,
                        double (*switch_s)(void *context, size_t phase, size_t from, size_t to),
                        void *context, size_t *choice)
{
    double *least_s = malloc(count * choices * sizeof *least_s);
    size_t *before = malloc(count * choices * sizeof *before), last = 0;
    bool found = least_s && before;
    for (size_t phase = 0; found && phase < count; phase++) {
        found = false;
        for (size_t to = 0; to < choices; to++) {
            const struct rk_campaign *c = &campaign[phase * choices + to];
            double *best = &least_s[phase * choices + to], arrive_s = phase ? INFINITY : 0;
            struct rk_campaign_outcome o = {.total_s = INFINITY};
            if (c->step_s > 0) rk_campaign_expect(c, &o);
            for (size_t from = 0; phase && from < choices && c->step_s > 0; from++) {
                const double before_s = least_s[(phase - 1) * choices + from];
                if (!isfinite(before_s)) continue;
                const double s = before_s + switch_s(context, phase, from, to);
                if (s >= arrive_s) continue;
                arrive_s = s;
                before[phase * choices + to] = from;
            }
            *best = arrive_s + o.total_s;
            found |= isfinite(*best);
        }
    }
    for (size_t i = 1; found && i < choices; i++)
        if (least_s[(count - 1) * choices + i] < least_s[(count - 1) * choices + last]) last = i;
    for (size_t phase = count; found && phase-- > 0;) {
        choice[phase] = last;
        if (phase) last = before[phase * choices + last];
    }
    free(least_s);
    free(before);
    return found;
}
