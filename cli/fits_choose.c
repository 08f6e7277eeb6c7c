/* fits_choose.c - a sensible plan where the user gave none. */
#include "cli/fits.h"

#include <string.h>

/* What says how a model is split: where one of these is given, nothing is chosen. */
static const char *const deciding[] = {"tensor",    "pipeline", "chunks",        "context",
                                       "data",      "expert",   "expert_tensor", "zero",
                                       "recompute", "split",    "shard_ranks",   NULL};

bool fits_is_open(const struct plan_draft *draft)
{
    for (const char *const *key = deciding; *key; key++)
        if (plan_given(draft, *key)) return false;
    return true;
}

/* A walk over candidates, and the best so far. */
struct choice {
    const struct plan_input *input;
    struct rk_plan best;
    struct rk_prediction prediction; /* of the candidate at hand */
    double best_need_bytes, best_rate;
    bool any, fits;
    int tried;
};

static void try_plan(struct choice *c, const struct rk_plan *plan)
{
    struct plan_draft draft = c->input->draft;
    struct plan_fault fault;
    draft.plan = *plan;
    if (!plan_complete(&draft, &fault)) return;
    rk_predict(&c->input->model, &c->input->system, &draft.plan, &c->prediction);
    if (!c->prediction.timed) return;
    const bool fits = c->prediction.verdict == RK_FITS;
    const double need = c->prediction.stage[c->prediction.tightest].total_bytes;
    const double rate = c->prediction.tokens_per_s;
    c->tried++;
    const bool better =
        !c->any || (fits && !c->fits) ||
        (fits == c->fits && (fits ? rate > c->best_rate : need < c->best_need_bytes));
    if (!better) return;
    c->best = draft.plan;
    c->any = true;
    c->fits = fits;
    c->best_need_bytes = need;
    c->best_rate = rate;
}

static void try_recomputes(struct choice *c, struct rk_plan plan)
{
    static const enum rk_recompute_mode modes[] = {RK_KEEP, RK_WHOLE};
    for (int i = 0; i < 2; i++) {
        plan.recompute = modes[i];
        try_plan(c, &plan);
    }
}

static void try_experts(struct choice *c, struct rk_plan plan)
{
    const struct rk_model *model = &c->input->model;
    if (!model->experts) {
        try_recomputes(c, plan);
        return;
    }
    for (plan.expert = 1; plan.expert <= model->experts; plan.expert++) {
        if (model->experts % plan.expert) continue;
        plan.expert_tensor = 0; /* as the others */
        try_recomputes(c, plan);
        plan.expert_tensor = 1;
        if (plan.tensor > 1) try_recomputes(c, plan);
    }
}

/* Samples of more than so many tokens on a rank are worth splitting. */
enum { LONG_SEQUENCE = 16384 };

static void try_contexts(struct choice *c, struct rk_plan plan)
{
    const uint64_t sequence = plan.sequence ? plan.sequence : c->input->model.sequence;
    for (plan.context = 1; plan.context <= 64; plan.context *= 2) {
        try_experts(c, plan);
        if (sequence / plan.context <= LONG_SEQUENCE) break;
    }
}

/* FSDP and DeepSpeed are about sharding; pipelines are Megatron-LM's way. */
static uint64_t most_stages(const struct plan_input *input)
{
    const uint64_t ranks = input->draft.plan.ranks, layers = input->model.layers;
    if (input->draft.plan.framework != RK_MEGATRON) return 1;
    const uint64_t most = ranks < layers ? ranks : layers;
    return most < 64 ? most : 64;
}

static uint64_t node_of(const struct rk_system *system)
{
    enum { MOST_TENSOR = 8 }; /* wider ones are rarely worth their communication */
    const uint64_t size = system->network[0].size;
    return size < MOST_TENSOR ? size : MOST_TENSOR;
}

static void try_degrees(struct choice *c, struct rk_plan plan)
{
    const struct plan_input *input = c->input;
    for (plan.tensor = 1; plan.tensor <= node_of(&input->system); plan.tensor++) {
        if (!plan_given(&input->draft, "sequence_parallel"))
            plan.sequence_parallel = plan.tensor > 1;
        for (plan.pipeline = 1; plan.pipeline <= most_stages(input); plan.pipeline++)
            if (plan.ranks % (plan.tensor * plan.pipeline) == 0) try_contexts(c, plan);
    }
}

static void note(struct plan_input *input, const struct choice *c)
{
    const char *why =
        c->fits ? "the fastest that fits" : "none fits, this is the one that needs least";
    plan_assume(input, "degrees, sharding, overlap and recomputation (of %d plans tried %s)",
                c->tried, why);
}

/* The habits of the framework, where nothing else is said. */
static void walk(struct choice *c)
{
    const struct plan_draft *draft = &c->input->draft;
    struct rk_plan plan = draft->plan;
    plan.zero = plan.framework == RK_MEGATRON ? 1 : 3;
    if (!plan_given(draft, "gradient_overlap")) plan.gradient_overlap = true;
    if (!plan_given(draft, "weight_overlap")) plan.weight_overlap = true;
    try_degrees(c, plan);
}

void fits_choose(struct plan_input *input)
{
    struct choice c = {.input = input};
    walk(&c);
    if (!c.any) return;
    input->draft.plan = c.best;
    note(input, &c);
}

bool fits_more_gpus(const struct plan_input *input, struct rk_plan *plan)
{
    enum { DOUBLINGS = 10 };
    struct plan_input more = *input;
    for (int i = 0; i < DOUBLINGS; i++) {
        struct choice c = {.input = &more};
        more.draft.plan.ranks *= 2;
        walk(&c);
        if (c.fits) *plan = c.best;
        if (c.fits) return true;
    }
    return false;
}
