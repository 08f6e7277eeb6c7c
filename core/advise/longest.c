#include "advise/longest.h"
#include "base/memory.h"

#include <reckon/offload.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[RK_LONGEST_KINDS] = {
    [RK_LONGEST_SWAPPED] = "two buffers",
    [RK_LONGEST_MEGATRON] = "megatron",
    [RK_LONGEST_DEEPSPEED] = "deepspeed",
    [RK_LONGEST_CHUNKED] = "chunks",
};

const char *rk_longest_kind_name(enum rk_longest_kind kind)
{
    return kind_names[kind];
}

/* ---- candidates ---- */

static bool add(struct rk_longest *p, struct rk_longest_candidate c, enum rk_longest_kind kind,
                bool again)
{
    if (!ARRAY_ROOM(p->candidate, p->candidates)) return false;
    c.kind = kind;
    c.again = again;
    p->candidate[p->candidates++] = c;
    return true;
}

static uint64_t context_of(const struct rk_longest *p, const struct rk_longest_candidate *c)
{
    return p->gpus / c->tensor / c->pipeline / c->data;
}

/* One split of the GPUs, with all treatments. DeepSpeed's has heads over Ulysses ranks, ZeRO-3, and
 * recomputes whole layers. */
static bool add_split(struct rk_longest *p, struct rk_longest_candidate c)
{
    const bool lower = p->system[RK_LONGEST_SWAPPED]->memories > 1;
    const bool whole = c.tensor == 1 && c.pipeline == 1;
    const bool exchanged = c.context_kind == RK_ULYSSES || context_of(p, &c) == 1;
    for (c.zero = 1; c.zero <= 3; c.zero += 2) {
        const bool deepspeed = whole && c.zero == 3 && exchanged;
        if (lower && !add(p, c, RK_LONGEST_SWAPPED, false)) return false;
        if (!add(p, c, RK_LONGEST_MEGATRON, false) || !add(p, c, RK_LONGEST_MEGATRON, true))
            return false;
        if (!deepspeed) continue;
        if (!add(p, c, RK_LONGEST_DEEPSPEED, true)) return false;
        if (lower && !add(p, c, RK_LONGEST_CHUNKED, true)) return false;
    }
    return true;
}

/* Experts over 1, 2, 4 ... ranks, as the model and the ranks of a stage allow. */
static bool add_experts(struct rk_longest *p, struct rk_longest_candidate c)
{
    const uint64_t ranks = p->gpus / c.pipeline, experts = p->model->experts;
    const bool given = p->expert_given || !experts;
    const uint64_t least = given ? p->words.expert : 1, most = given ? least : experts;
    for (c.expert = least; c.expert <= most; c.expert *= 2) {
        if (!given && (experts % c.expert || ranks % c.expert)) continue;
        c.context_kind = RK_RING;
        if (!add_split(p, c)) return false;
        c.context_kind = RK_ULYSSES;
        if (context_of(p, &c) > 1 && !add_split(p, c)) return false;
    }
    return true;
}

/* How layers are treated: the search deals them, and has each stage compute again what it must. */
static bool list_over(struct rk_longest *p)
{
    static const enum rk_context_kind kinds[] = {RK_RING, RK_ULYSSES};
    struct rk_longest_candidate c = {.data = 1};
    bool lower = true;
    for (int i = 0; i < p->over->system->machine->clusters; i++)
        lower &= rk_system_of(p->over->system, i)->memories > 1;
    for (int k = 0; k < 2; k++)
        for (c.context_kind = kinds[k], c.zero = 1; c.zero <= 3; c.zero += 2) {
            if (lower && !add(p, c, RK_LONGEST_SWAPPED, false)) return false;
            if (!add(p, c, RK_LONGEST_MEGATRON, false)) return false;
        }
    return true;
}

enum rk_status rk_longest_list(struct rk_longest *p, struct rk_error *error)
{
    struct rk_longest_candidate c = {.data = 1};
    p->candidates = 0;
    if (p->over) return list_over(p) ? RK_OK : no_memory(error);
    for (c.pipeline = 1; c.pipeline <= 16; c.pipeline *= 2)
        for (c.tensor = 1; c.tensor <= 16; c.tensor *= 2)
            for (c.data = 1; c.data * c.tensor * c.pipeline <= p->gpus; c.data++) {
                if (c.pipeline > p->model->layers) continue;
                if (p->gpus % (c.tensor * c.pipeline * c.data)) continue;
                if (!add_experts(p, c)) return no_memory(error);
            }
    return RK_OK;
}

void rk_longest_release(struct rk_longest *p)
{
    free(p->candidate);
    p->candidate = NULL;
    p->candidates = 0;
    rk_longest_forget(p);
}

void rk_longest_forget(struct rk_longest *p)
{
    free(p->tried);
    p->tried = NULL;
    p->tries = 0;
}

/* ---- does it fit? ---- */

enum rk_framework rk_longest_framework(enum rk_longest_kind kind, const struct rk_system *system,
                                       const struct rk_plan *words)
{
    const bool deepspeed = kind == RK_LONGEST_DEEPSPEED || kind == RK_LONGEST_CHUNKED;
    return deepspeed ? RK_DEEPSPEED : rk_usual_framework_of(system, words);
}

static struct rk_plan plan_of(const struct rk_longest *p, const struct rk_longest_candidate *c,
                              uint64_t tokens)
{
    struct rk_plan plan = p->words;
    plan.ranks = p->gpus;
    plan.tensor = c->tensor;
    plan.pipeline = c->pipeline;
    plan.context = context_of(p, c);
    plan.context_kind = c->context_kind;
    plan.expert = c->expert;
    plan.sequence_parallel = c->tensor > 1;
    plan.sequence = tokens;
    plan.microbatch = 1;
    plan.batch = c->pipeline * c->data;
    plan.zero = c->zero;
    plan.gradient_overlap = plan.weight_overlap = true;
    plan.framework = rk_longest_framework(c->kind, p->system[c->kind], &p->words);
    if (!p->xla_given)
        plan.xla = rk_usual_xla(p->system[c->kind], plan.framework) && !plan.flat_units;
    if (!p->attention_given)
        plan.attention =
            rk_usual_attention(plan.framework, p->system[c->kind]->kernels.attention_kernels);
    plan.recompute = c->again ? RK_WHOLE : RK_KEEP;
    plan.recompute_rest = c->kind == RK_LONGEST_SWAPPED;
    plan.loss_in_chunks = c->kind == RK_LONGEST_SWAPPED || c->kind == RK_LONGEST_CHUNKED;
    return plan;
}

enum { CHUNK_TOKENS = 65536 }; /* --ds-sequence-parallel-fpdt-chunk-size, unless it is given */

/* Chunks of that many tokens, or fewer where that divides the tokens of a rank; the layers' inputs
 * go to the host. */
static void settle_chunks(struct rk_plan *plan)
{
    const uint64_t tokens = plan->sequence / plan->context;
    uint64_t chunks = (plan->sequence + CHUNK_TOKENS - 1) / CHUNK_TOKENS;
    while (chunks < tokens && tokens % chunks)
        chunks++;
    plan->sequence_chunks = chunks;
    rk_plan_offload_activations(plan, 1);
}

bool rk_longest_fits(struct rk_longest *p, const struct rk_longest_candidate *c, uint64_t tokens,
                     struct rk_plan *plan)
{
    if (p->over) return longest_fits_over(p, c, tokens, plan);
    *plan = plan_of(p, c, tokens);
    if (c->kind == RK_LONGEST_CHUNKED) settle_chunks(plan);
    const struct rk_system *system = p->system[c->kind];
    struct rk_reason reason;
    if (!rk_plan_starts(p->model, system, plan, &reason)) {
        p->prediction.outcome = (struct rk_outcome){.verdict = reason.verdict};
        return false;
    }
    rk_predict(p->model, system, plan, &p->prediction);
    if (!p->prediction.timed) return false;
    if (plan->recompute_rest) {
        const struct rk_swap swap = rk_swap_of_plan(p->model, system, plan);
        const double share = rk_swap_share_best(&swap);
        if (share > 0) rk_plan_offload_activations(plan, share * (1 - 1e-12));
        rk_predict(p->model, system, plan, &p->prediction);
    }
    return p->prediction.verdict == RK_FITS;
}

/* ---- how long? ---- */

/* Tokens that the ranks which share a sequence can split, and that are whole steps. */
static uint64_t unit_of(const struct rk_longest *p, const struct rk_longest_candidate *c)
{
    if (p->over) return p->step; /* degrees that divide it are found */
    const uint64_t parts = context_of(p, c) * c->tensor;
    uint64_t a = parts, b = p->step;
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return parts / a * p->step;
}

enum { CHUNKS_AHEAD = 16 };

/* The next longer length that fits, of those that are tried; 0: none. */
static uint64_t next_that_fits(struct rk_longest *p, const struct rk_longest_candidate *c,
                               uint64_t unit, uint64_t units)
{
    const uint64_t ahead = c->kind == RK_LONGEST_CHUNKED ? CHUNKS_AHEAD : 1;
    struct rk_plan plan;
    for (uint64_t i = units + 1; i <= units + ahead && i * unit <= p->most; i++)
        if (rk_longest_fits(p, c, i * unit, &plan)) return i;
    return 0;
}

/* From a length that fits on, twice as long until one does not, then between these. */
static uint64_t bisect(struct rk_longest *p, const struct rk_longest_candidate *c, uint64_t unit,
                       uint64_t good)
{
    struct rk_plan plan;
    uint64_t bad = 2 * good;
    while (bad * unit <= p->most && rk_longest_fits(p, c, bad * unit, &plan)) {
        good = bad;
        bad *= 2;
    }
    while (bad - good > 1) {
        const uint64_t middle = good + (bad - good) / 2;
        if (middle * unit <= p->most && rk_longest_fits(p, c, middle * unit, &plan))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

/* Tokens of one candidate where they are more than `known`, else 0. */
static uint64_t longest_of(struct rk_longest *p, const struct rk_longest_candidate *c,
                           uint64_t known)
{
    const uint64_t unit = unit_of(p, c);
    uint64_t found = 0;
    for (uint64_t next = known / unit; (next = next_that_fits(p, c, unit, next));)
        found = next = bisect(p, c, unit, next);
    return found * unit;
}

void rk_longest_find(struct rk_longest *p, uint64_t tokens[RK_LONGEST_KINDS + 1])
{
    memset(tokens, 0, (RK_LONGEST_KINDS + 1) * sizeof *tokens);
    for (size_t i = 0; i < p->candidates; i++) {
        uint64_t *own = &tokens[p->candidate[i].kind];
        const uint64_t found = longest_of(p, &p->candidate[i], *own);
        if (found > *own) *own = found;
        if (found > tokens[RK_LONGEST_KINDS]) tokens[RK_LONGEST_KINDS] = found;
    }
}

static bool is_of(const struct rk_longest_candidate *c, enum rk_longest_kind kind)
{
    return (int)kind == RK_LONGEST_KINDS || c->kind == kind;
}

bool rk_longest_fastest(struct rk_longest *p, uint64_t tokens, enum rk_longest_kind kind,
                        struct rk_plan *best, struct rk_outcome *outcome)
{
    bool found = false;
    for (size_t i = 0; i < p->candidates; i++) {
        struct rk_plan plan;
        if (!is_of(&p->candidate[i], kind)) continue;
        if (!rk_longest_fits(p, &p->candidate[i], tokens, &plan)) continue;
        if (found && p->prediction.samples_per_s <= outcome->samples_per_s) continue;
        found = true;
        *best = plan;
        *outcome = p->prediction.outcome;
    }
    return found;
}

const char *rk_longest_limit(struct rk_longest *p, uint64_t tokens, enum rk_longest_kind kind)
{
    if (p->over) return longest_limit_over(p, tokens, kind);
    const char *name = "no plan splits it";
    double nearest = INFINITY;
    for (size_t i = 0; i < p->candidates; i++) {
        const struct rk_longest_candidate *c = &p->candidate[i];
        const uint64_t unit = unit_of(p, c), next = (tokens / unit + 1) * unit;
        struct rk_plan plan;
        if (!is_of(c, kind) || rk_longest_fits(p, c, next, &plan) || !p->prediction.timed) continue;
        const struct rk_reason *reason = &p->prediction.reason[0];
        const double over = reason->have > 0 ? reason->need / reason->have : INFINITY;
        if (p->prediction.verdict != RK_MEMORY_EXCEEDED || over >= nearest) continue;
        nearest = over;
        name = p->system[c->kind]->memory[reason->tier].name;
    }
    return name;
}
