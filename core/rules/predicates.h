/* predicates.h - what the rows of rules.def are made of. */
#ifndef RECKON_RULES_PREDICATES_H
#define RECKON_RULES_PREDICATES_H

#include "machine/kernels.h"
#include "plan/layers.h"
#include "plan/members.h"
#include "plan/ranks.h"
#include "rules/case.h"
#include "rules/operands.h"
#include "schedule/pace.h"
#include "workload/pattern.h"

static inline bool divides(uint64_t part, uint64_t whole)
{
    return part > 0 && whole % part == 0;
}

static inline bool divides_or_is(uint64_t ranks, uint64_t heads)
{
    return divides(ranks, heads) || divides(heads, ranks);
}

/* ---- degrees ---- */

static inline bool is_whole(const struct rk_plan *p)
{
    return p->tensor && p->context && p->pipeline && p->expert && p->chunks && p->batch &&
           p->microbatch;
}

static inline uint64_t inner_of(const struct rk_plan *p)
{
    return p->tensor * p->context * p->pipeline;
}

static inline uint64_t tokens_of(const struct rule_case *c)
{
    return c->plan->sequence ? c->plan->sequence : c->model->sequence;
}

/* A model that is not known may have experts. */
static inline bool is_dense(const struct rk_model *m)
{
    return m && !m->experts;
}

static inline uint64_t kv_heads(const struct rk_model *m)
{
    if (m->attention == RK_ATTENTION_MULTIQUERY) return 1;
    return m->kv_heads ? m->kv_heads : m->heads;
}

/* Ranks that share the tokens of a sample, and the heads of a tensor rank. */
static inline uint64_t shards_of(const struct rk_plan *p)
{
    return p->context * (p->sequence_parallel ? p->tensor : 1);
}

static inline uint64_t across_of(const struct rk_plan *p)
{
    if (p->context_kind == RK_ULYSSES) return p->context;
    return p->context_kind == RK_RING_ULYSSES && p->ulysses ? p->ulysses : 1;
}

static inline bool is_causal(const struct rk_model *m, const struct rk_plan *p)
{
    return !m->window_chunks && !m->encoder_sequence && !m->recurrence && !m->bidirectional &&
           !p->full_attention;
}

/* ---- stages ---- */

static inline uint64_t stages_of(const struct rk_plan *p)
{
    return p->pipeline * p->chunks;
}

static inline uint64_t slots_of(const struct rk_model *m, const struct rk_plan *p)
{
    return m->layers + p->embedding_counts + p->head_counts;
}

static inline uint64_t ends_of(const struct rk_plan *p)
{
    return p->first_layers + p->last_layers;
}

static inline uint64_t middle_of(const struct rk_plan *p)
{
    const uint64_t ends = (p->first_layers > 0) + (p->last_layers > 0);
    return p->pipeline > ends ? p->pipeline - ends : 0;
}

static inline uint64_t layers_dealt(const struct rk_model *m, const struct rk_plan *p)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < stages_of(p); i++)
        sum += rk_plan_split(p, m, i);
    return sum;
}

/* Can Megatron-LM divide the layers between first_layers and last_layers evenly? */
static inline bool is_even(const struct rk_model *m, const struct rk_plan *p)
{
    const uint64_t v = p->chunks, given = ends_of(p), middle = middle_of(p);
    if (rk_plan_layout(p)->splits || !given || given > m->layers) return true;
    const uint64_t rest = m->layers - given;
    return p->first_layers % v == 0 && p->last_layers % v == 0 && (rest > 0) == (middle > 0) &&
           (!middle || rest % (middle * v) == 0);
}

/* A virtual stage without layers that is allowed none; -1: there is none. */
static inline int empty_stage(const struct rule_case *c)
{
    const struct rk_layout *l = rk_plan_layout(c->plan);
    for (int i = 0; i < l->splits; i++) {
        const bool end = i == 0 || i == l->splits - 1; /* holds the embedding, or the head */
        const bool predicts = c->model->predict_layers && i >= l->splits - 2;
        if (!l->split[i] && !predicts && !(end && c->lone_ends)) return i;
    }
    return -1;
}

/* ---- layers that are not run alike ---- */

/* The first segment with a local part that the layout has not; -1: there is none. */
static inline int unknown_local(const struct rk_layout *l)
{
    for (int i = 0; i < l->segments; i++)
        if (l->segment[i].local > l->others) return i;
    return -1;
}

static inline uint64_t layers_of_runs(const struct rk_layout *l)
{
    uint64_t layers = 0;
    for (int i = 0; i < l->segments; i++)
        layers += l->segment[i].layers;
    return layers;
}

static inline bool has_whole_samples(const struct rule_case *c)
{
    return c->of->microbatch * split_of(c->plan) % split_of(c->of) == 0;
}

static inline uint64_t microbatch_said(const struct rule_case *c)
{
    return rk_plan_layout(c->of)->other[c->local - 1].microbatch;
}

static inline bool has_same_order(const struct rule_case *c)
{
    const struct rk_plan *of = c->of, *p = c->plan;
    return of->order == RK_ORDER_TP_CP_DP_PP || same_layout(of, p) ||
           (of->order == RK_ORDER_TP_CP_PP_DP && split_of(p) == split_of(of));
}

/* ---- microbatches ---- */

static inline bool interleaves(const struct rk_plan *p)
{
    return p->schedule == RK_1F1B || p->schedule == RK_GPIPE;
}

static inline uint64_t in_a_row(const struct rule_case *c)
{
    if (c->group) return c->group;
    return c->plan->microbatch_group ? c->plan->microbatch_group : c->plan->pipeline;
}

static inline bool is_filled(const struct rule_case *c)
{
    const struct rk_plan *p = c->plan;
    return p->pipeline < 2 || p->chunks > 1 || p->schedule == RK_DUALPIPE ||
           c->microbatches >= p->pipeline;
}

/* Stages without virtual ones. */
static inline bool is_unstaged(const struct rk_plan *p)
{
    return p->pipeline > 1 && p->chunks < 2 && p->schedule != RK_DUALPIPE;
}

/* ---- memory and kernels ---- */

static inline bool is_share(double value)
{
    return value >= 0 && value <= 1;
}

static inline bool has_shares(const struct rk_plan *p)
{
    bool shares = true;
    for (int tier = 0; tier < RK_SHARE_TIERS; tier++)
        for (int i = 0; i <= RK_SHARE_ATTENTION; i++)
            shares &= is_share(p->share[i][tier]);
    return shares && is_share(rk_plan_activations_away(p)) &&
           is_share(share_away(p, RK_SHARE_OPTIMIZER)) && is_share(share_away(p, RK_SHARE_WEIGHTS));
}

/* The lowest tier that has something. */
static inline int tiers_used(const struct rk_plan *p)
{
    int used = p->recompute_rest || p->sequence_chunks > 1;
    for (int tier = 0; tier < RK_SHARE_TIERS; tier++)
        for (int i = 0; i < RK_SHARES; i++)
            if (p->share[i][tier] > 0) used = tier + 1;
    return used;
}

static inline bool is_narrow8(enum rk_precision precision)
{
    return precision >= RK_FP8_DELAYED && precision <= RK_NVFP4;
}

/* The first layers whose kernel, or way of tokens to experts, the device has not; NULL: none. */
static inline const struct rk_local *local_of(const struct rk_plan *p, int i)
{
    return i < 0 ? &p->local : &rk_plan_layout(p)->other[i];
}

static inline const struct rk_local *lacks_attention(const struct rule_case *c)
{
    for (int i = -1; i < rk_plan_layout(c->plan)->others; i++) {
        const struct rk_local *l = local_of(c->plan, i);
        if (!rk_attends(c->system->kernels.attention_kernels, l->attention)) return l;
    }
    return NULL;
}

static inline const struct rk_local *lacks_dispatcher(const struct rule_case *c)
{
    const unsigned have = c->system->kernels.dispatchers;
    for (int i = -1; have && i < rk_plan_layout(c->plan)->others; i++) {
        const struct rk_local *l = local_of(c->plan, i);
        if (l->expert > 1 && !(have >> l->dispatcher & 1)) return l;
    }
    return NULL;
}

/* ---- what the executor has ---- */

static inline bool is_narrow16(const struct rk_plan *p)
{
    return p->precision == RK_BF16 || p->precision == RK_FP16;
}

/* It keeps 4 + 4 + 8 bytes of a weight, in bf16 2 + 4 + 12, in fp16 2 + 2 + 12. */
static inline bool has_usual_widths(const struct rk_plan *p)
{
    const bool narrow = is_narrow16(p);
    const double widths[][2] = {{p->weight_element_bytes, narrow ? 2 : 4},
                                {p->gradient_element_bytes, p->precision == RK_FP16 ? 2 : 4},
                                {p->master_element_bytes, narrow ? 4 : 0},
                                {p->moment1_element_bytes, 4},
                                {p->moment2_element_bytes, 4}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (widths[i][0] > 0 && widths[i][0] != widths[i][1]) return false;
    return p->master_element_bytes != 0 || !narrow;
}

static inline bool has_one_precision(const struct rk_plan *p)
{
    for (int i = 0; i < rk_plan_layout(p)->others; i++)
        if (local_of(p, i)->precision != p->precision) return false;
    return true;
}

/* As nanotron counts them. */
static inline uint64_t groups_of(const struct rk_model *m)
{
    return m->kv_heads ? m->kv_heads : m->heads;
}

/* ---- fast links ---- */

static inline bool has_ring(const struct rk_plan *p)
{
    return p->context_kind == RK_RING || p->context_kind == RK_RING_ULYSSES;
}

/* Does a group of ranks lie in more than one domain, as far as that is known? */
bool rule_crosses(const struct rule_case *c, enum rank_groups groups);

#endif
