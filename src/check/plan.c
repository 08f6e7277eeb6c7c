/* plan.c - rules 2 to 6, 9 and 12 of a plan, whatever file it came from: what the predictor refuses
 * (estimate/plan_check.h), and what it could time but no framework would run. */
#include "catalog/plan_fields.h"
#include "check/findings.h"
#include "check/launch.h"
#include "check/memory.h"
#include "estimate/fold.h"
#include "estimate/plan_check.h"
#include "machine/kernels.h"
#include "plan/layers.h"
#include "plan/ranks.h"
#include "workload/pattern.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct asked {
    const struct rk_model *m;
    const struct rk_system *system;
    const struct rk_plan *p;
    const struct rk_launch *launch;
    struct rk_findings *out;
    uint64_t data, microbatches; /* 0: there is no such number */
};

static void put(char *to, size_t size, const char *format, va_list values)
{
    vsnprintf(to, size, format, values);
}

/* A finding at a key of the plan: what it has, and why that is wrong. */
static struct rk_finding *blame(const struct asked *a, const char *rule, const char *key,
                                const char *have, const char *format, ...) RK_PRINTF(5, 6);

static struct rk_finding *blame(const struct asked *a, const char *rule, const char *key,
                                const char *have, const char *format, ...)
{
    struct rk_finding *finding = findings_add(a->out, rule);
    va_list values;
    snprintf(finding->what, sizeof finding->what, "%s", key);
    snprintf(finding->have, sizeof finding->have, "%s", have);
    va_start(values, format);
    put(finding->need, sizeof finding->need, format, values);
    va_end(values);
    return finding;
}

RK_PRINTF(2, 3)
static void fix(struct rk_finding *finding, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    put(finding->fix, sizeof finding->fix, format, values);
    va_end(values);
}

static const char *number(char buffer[static 24], uint64_t value)
{
    snprintf(buffer, 24, "%" PRIu64, value);
    return buffer;
}

/* ---- numbers near a wrong one ---- */

/* "use 96 or 128": the multiples of `unit` on both sides. */
static void fix_multiple(struct rk_finding *finding, uint64_t value, uint64_t unit)
{
    if (!unit) return;
    const uint64_t below = value / unit * unit;
    if (below)
        fix(finding, "use %" PRIu64 " or %" PRIu64, below, below + unit);
    else
        fix(finding, "use %" PRIu64, unit);
}

enum { NEAR = 1 << 16 };

/* "5 or 1 divide them": divisors of both numbers (0: of any), on both sides of `value`. */
static void fix_divisor(struct rk_finding *finding, uint64_t value, uint64_t a, uint64_t b)
{
    uint64_t below = 0, above = 0;
    for (uint64_t d = 1; d <= a && d <= 4 * value && d <= NEAR; d++) {
        if (a % d || (b && b % d)) continue;
        if (d <= value) below = d;
        if (d > value && !above) above = d;
    }
    if (above)
        fix(finding, "use %" PRIu64 " or %" PRIu64, below, above);
    else
        fix(finding, "use %" PRIu64, below);
}

/* ---- what the predictor refuses, in words ---- */

typedef void explain(const struct asked *a, const struct plan_refusal *r);

static void explain_product(const struct asked *a, const struct plan_refusal *r)
{
    const struct rk_plan *p = a->p;
    char context[48] = "";
    const uint64_t inner = p->tensor * p->context * p->pipeline;
    if (p->context > 1) snprintf(context, sizeof context, "context %" PRIu64 " * ", p->context);
    fix_multiple(blame(a, r->rule, r->key, "",
                       "%" PRIu64 " GPUs are no multiple of tensor %" PRIu64
                       " * %spipeline %" PRIu64 " = %" PRIu64,
                       p->ranks, p->tensor, context, p->pipeline, inner),
                 p->ranks, inner);
}

static void explain_expert(const struct asked *a, const struct plan_refusal *r)
{
    const struct rk_plan *p = a->p;
    char have[24];
    const uint64_t x = rk_plan_expert_tensor(p), ranks = p->ranks / p->pipeline;
    struct rk_finding *f =
        blame(a, r->rule, r->key, number(have, p->expert),
              "pipeline %" PRIu64 " * expert %" PRIu64 " * expert tensor %" PRIu64 " = %" PRIu64
              " does not divide %" PRIu64 " ranks",
              p->pipeline, p->expert, x, p->pipeline * p->expert * x, p->ranks);
    if (ranks / x) fix_divisor(f, p->expert, ranks / x, a->m->experts);
}

static void explain_stages(const struct asked *a, const struct plan_refusal *r)
{
    const struct rk_plan *p = a->p;
    const uint64_t layers = a->m->layers;
    char have[24];
    if (p->first_layers || p->last_layers) {
        struct rk_finding *f = blame(
            a, r->rule, r->key, number(have, p->first_layers ? p->first_layers : p->last_layers),
            "first %" PRIu64 " and last %" PRIu64 " leave %" PRIu64
            " layers, which the other stages cannot share evenly",
            p->first_layers, p->last_layers, layers - p->first_layers - p->last_layers);
        if (p->pipeline > 2 && layers / p->pipeline)
            fix(f, "give first and last %" PRIu64 " and %" PRIu64,
                (layers - layers / p->pipeline * (p->pipeline - 2)) / 2,
                layers - layers / p->pipeline * (p->pipeline - 2) -
                    (layers - layers / p->pipeline * (p->pipeline - 2)) / 2);
        return;
    }
    struct rk_finding *f =
        blame(a, r->rule, r->key, number(have, p->pipeline),
              "%" PRIu64 " layers for %" PRIu64 " stages%s: one has none", layers,
              p->pipeline * p->chunks, p->chunks > 1 ? " of all chunks" : "");
    fix_divisor(f, p->pipeline < layers ? p->pipeline : layers, layers, 0);
}

static void explain_lists(const struct asked *a, const struct plan_refusal *r)
{
    char have[48];
    snprintf(have, sizeof have, "%d entries", rk_plan_layout(a->p)->splits);
    fix(blame(a, r->rule, r->key, have,
              "pipeline %" PRIu64 " * chunks %" PRIu64 " needs one for each virtual stage",
              a->p->pipeline, a->p->chunks),
        "give %" PRIu64, a->p->pipeline * a->p->chunks);
}

static void explain_layers(const struct asked *a, const struct plan_refusal *r)
{
    fix(blame(a, r->rule, r->key, "", "%.0f of %" PRIu64 " blocks are on a stage", r->reason.need,
              a->m->layers),
        "deal out %" PRIu64, a->m->layers);
}

static void explain_divide(const struct asked *a, const struct plan_refusal *r)
{
    const struct rk_plan *p = a->p;
    char have[24];
    fix_multiple(blame(a, r->rule, r->key, number(have, p->batch),
                       "no multiple of %" PRIu64 " copies * microbatch %" PRIu64, a->data,
                       p->microbatch),
                 p->batch, a->data * p->microbatch);
}

static void explain_fill(const struct asked *a, const struct plan_refusal *r)
{
    const struct rk_plan *p = a->p;
    char have[24];
    fix(blame(a, r->rule, r->key, number(have, p->batch),
              "%" PRIu64 " microbatches for %" PRIu64
              " stages of dualpipe: it needs twice as many, and an even number",
              a->microbatches, p->pipeline),
        "a batch of %" PRIu64 " fills them", 2 * p->pipeline * a->data * p->microbatch);
}

/* "25 heads over 8 ranks: 5 or 1 divide them" */
static void explain_tensor(const struct asked *a, const struct plan_refusal *r)
{
    char have[24];
    fix_divisor(blame(a, r->rule, r->key, number(have, a->p->tensor),
                      "%s: %.0f over %.0f ranks is not whole", r->reason.what, r->reason.have,
                      r->reason.need),
                a->p->tensor, (uint64_t)r->reason.have, a->m->heads);
}

static void explain_sequence(const struct asked *a, const struct plan_refusal *r)
{
    const struct rk_plan *p = a->p;
    char have[24];
    const uint64_t s = p->sequence ? p->sequence : a->m->sequence;
    const bool of_tensor = strcmp(r->rule, "4.sequence") == 0;
    struct rk_finding *f =
        blame(a, r->rule, r->key, number(have, of_tensor ? s : p->context),
              of_tensor ? "%" PRIu64 " tokens of a rank over %" PRIu64 " tensor ranks"
                        : "%" PRIu64 " tokens are no multiple of 2 * context %" PRIu64,
              of_tensor ? s / p->context : s, of_tensor ? p->tensor : p->context);
    const uint64_t unit = of_tensor ? p->context * p->tensor : 2 * p->context;
    fix(f, "use a sequence of %" PRIu64 " or %" PRIu64, s / unit * unit, (s / unit + 1) * unit);
}

static void explain_ulysses(const struct asked *a, const struct plan_refusal *r)
{
    const struct rk_plan *p = a->p;
    const uint64_t heads = a->m->heads / p->tensor;
    const bool part = strcmp(r->key, "ulysses") == 0;
    struct rk_finding *f =
        part ? blame(a, r->rule, r->key, "", "%" PRIu64 " ranks do not divide context %" PRIu64,
                     p->ulysses, p->context)
             : blame(a, r->rule, r->key, rk_context_kind_name(p->context_kind),
                     "%" PRIu64 " heads / tensor %" PRIu64 " = %" PRIu64 " heads, which %.0f "
                     "ranks cannot share by all-to-all",
                     a->m->heads, p->tensor, heads, r->reason.need);
    fix_divisor(f, part ? p->ulysses : p->context, heads, part ? p->context : 0);
}

static void explain_experts(const struct asked *a, const struct plan_refusal *r)
{
    char have[24];
    fix_divisor(blame(a, r->rule, r->key, number(have, a->p->expert),
                      "%" PRIu64 " experts over %" PRIu64 " ranks", a->m->experts, a->p->expert),
                a->p->expert, a->m->experts, 0);
}

static void explain_expert_width(const struct asked *a, const struct plan_refusal *r)
{
    char have[24];
    fix_divisor(blame(a, r->rule, r->key, number(have, rk_plan_expert_tensor(a->p)),
                      "an expert's width %" PRIu64 " over expert tensor %" PRIu64,
                      a->m->expert_feedforward, rk_plan_expert_tensor(a->p)),
                rk_plan_expert_tensor(a->p), a->m->expert_feedforward, 0);
}

static void explain_shards(const struct asked *a, const struct plan_refusal *r)
{
    char have[24];
    fix_divisor(blame(a, r->rule, r->key, number(have, a->p->shard_ranks),
                      "does not divide data %" PRIu64 " * context %" PRIu64 " = %" PRIu64, a->data,
                      a->p->context, a->data * a->p->context),
                a->p->shard_ranks, a->data * a->p->context, 0);
}

static void explain_datatype(const struct asked *a, const struct plan_refusal *r)
{
    const enum rk_precision precision = a->p->precision;
    struct rk_finding *f = blame(a, r->rule, r->key, rk_precision_name(precision),
                                 "%.100s does not multiply it", a->system->id);
    for (int i = RK_BF16; i >= RK_FP16; i--)
        if (operand_peak(a->system, operand_of((enum rk_precision)i, true)) > 0) {
            fix(f, "use %s", rk_precision_name((enum rk_precision)i));
            return;
        }
}

static void explain_plainly(const struct asked *a, const struct plan_refusal *r)
{
    char have[24];
    snprintf(have, sizeof have, "%.0f", r->reason.have);
    blame(a, r->rule, r->key, "", "%s: need %.0f, have %s", r->reason.what, r->reason.need, have);
}

/* clang-format off */
static const struct { const char *rule; explain *explain; } explanations[] = {
    {"2.product", explain_product},     {"2.expert", explain_expert},
    {"2.stages", explain_stages},       {"2.lists", explain_lists},
    {"3.divide", explain_divide},       {"3.fill", explain_fill},
    {"4.heads", explain_tensor},        {"4.kv_heads", explain_tensor},
    {"4.feedforward", explain_tensor},  {"4.hidden", explain_tensor},
    {"4.context", explain_sequence},    {"4.sequence", explain_sequence},
    {"4.ulysses", explain_ulysses},     {"4.experts", explain_experts},
    {"4.expert_feedforward", explain_expert_width},
    {"6.layers", explain_layers},       {"6.shards", explain_shards},
    {"12.datatype", explain_datatype},
};
/* clang-format on */

static void take_refusals(const struct asked *a, bool of_layer)
{
    struct plan_faults faults;
    plan_check_all(a->m, a->system, a->p, &faults);
    for (int i = 0; i < faults.count; i++) {
        const struct plan_refusal *r = &faults.fault[i];
        if (of_layer && *r->rule != '4' && strcmp(r->rule, "2.product") != 0 &&
            strcmp(r->rule, "3.divide") != 0)
            continue;
        explain *say = explain_plainly;
        for (size_t k = 0; k < sizeof explanations / sizeof *explanations; k++)
            if (strcmp(explanations[k].rule, r->rule) == 0) say = explanations[k].explain;
        if (*r->rule && !findings_have(a->out, r->rule)) say(a, r);
    }
}

static void find_numbers(struct asked *a)
{
    const struct rk_plan *p = a->p;
    const bool whole = p->tensor && p->context && p->pipeline && p->microbatch;
    a->data = whole ? rk_plan_data(p) : 0;
    a->microbatches = a->data && p->batch % (a->data * p->microbatch) == 0
                          ? p->batch / (a->data * p->microbatch)
                          : 0;
}

/* Layers with degrees of their own: as if all were so. */
static void check_layers(const struct asked *a)
{
    const struct rk_layout *layout = rk_plan_layout(a->p);
    for (int i = 0; i < layout->others && layout->segments; i++) {
        struct rk_plan plan = plan_alike(a->p);
        struct asked one = *a;
        plan.local = layout->other[i];
        one.p = &plan;
        find_numbers(&one);
        take_refusals(&one, true);
    }
}

/* ---- stages and microbatches ---- */

static void check_empty(const struct asked *a)
{
    const struct rk_layout *layout = rk_plan_layout(a->p);
    for (int i = 0; i < layout->splits; i++) {
        const bool end = i == 0 || i == layout->splits - 1; /* holds the embedding, or the head */
        const bool predicts = a->m->predict_layers && i >= layout->splits - 2;
        if (layout->split[i] || predicts || (end && a->launch->lone_ends)) continue;
        if (findings_have(a->out, "2.stages")) return;
        blame(a, "2.stages", "split", "0", "virtual stage %d has no layers", i);
    }
}

static void check_uneven(const struct asked *a)
{
    const struct rk_plan *p = a->p;
    const uint64_t ends = (p->first_layers > 0) + (p->last_layers > 0), v = p->chunks;
    const uint64_t given = p->first_layers + p->last_layers;
    if (rk_plan_layout(p)->splits || !ends || given > a->m->layers ||
        findings_have(a->out, "2.stages"))
        return;
    const uint64_t middle = p->pipeline > ends ? p->pipeline - ends : 0;
    const uint64_t rest = a->m->layers - given;
    if (p->first_layers % v || p->last_layers % v || (rest > 0) != (middle > 0) ||
        (middle && rest % (middle * v)))
        blame(a, "2.stages", "first_layers", "",
              "first %" PRIu64 " and last %" PRIu64 " leave %" PRIu64 " layers for %" PRIu64
              " stages",
              p->first_layers, p->last_layers, rest, middle);
}

static void check_filling(const struct asked *a)
{
    const struct rk_plan *p = a->p;
    char have[24];
    if (p->pipeline < 2 || p->chunks > 1 || !a->microbatches || a->microbatches >= p->pipeline ||
        p->schedule == RK_DUALPIPE)
        return;
    struct rk_finding *f =
        blame(a, "3.fill", "batch", number(have, p->batch),
              "%" PRIu64 " microbatches for %" PRIu64 " stages: some always idle", a->microbatches,
              p->pipeline);
    fix(f, "a batch of %" PRIu64 " fills them", p->pipeline * a->data * p->microbatch);
    f->severity = plan_must_fill(p) || rk_plan_layout(p)->segments || a->launch->fills_stages
                      ? RK_ERROR
                      : RK_WARNING;
}

static void check_interleaving(const struct asked *a)
{
    const struct rk_plan *p = a->p;
    char have[24];
    const uint64_t given = a->launch->group ? a->launch->group : p->microbatch_group;
    const uint64_t group = given ? given : p->pipeline;
    if (p->chunks < 2 || p->pipeline < 2 || !a->microbatches ||
        (p->schedule != RK_1F1B && p->schedule != RK_GPIPE))
        return;
    if (plan_interleaves(a->microbatches, p->pipeline, group)) return;
    fix_multiple(blame(a, "3.interleave", "batch", number(have, p->batch),
                       "%" PRIu64 " microbatches over %" PRIu64 " stages in groups of %" PRIu64
                       ": the last group must have none or at least %" PRIu64,
                       a->microbatches, p->pipeline, group, p->pipeline),
                 p->batch, group * a->data * p->microbatch);
}

/* ---- shapes ---- */

static void check_halves(const struct asked *a)
{
    const uint64_t s = a->p->sequence ? a->p->sequence : a->m->sequence;
    if (a->p->context > 1 && s % (2 * a->p->context) && !findings_have(a->out, "4.context"))
        explain_sequence(a, &(struct plan_refusal){.rule = "4.context", .key = "context"});
}

static void check_vocabulary(const struct asked *a)
{
    const struct rk_plan *p = a->p;
    char have[24];
    const uint64_t multiple = p->vocabulary_multiple * p->tensor;
    if (a->launch->pads || multiple || !a->m->vocabulary || a->m->vocabulary % p->tensor == 0)
        return;
    fix_multiple(blame(a, "4.vocabulary", "tensor", number(have, p->tensor),
                       "%" PRIu64 " entries of the vocabulary over %" PRIu64 " ranks",
                       a->m->vocabulary, p->tensor),
                 a->m->vocabulary, p->tensor);
}

static void check_tied(const struct asked *a)
{
    if (a->p->framework == RK_FSDP && a->p->pipeline > 1 && a->m->tied_embeddings)
        blame(a, "6.tied", "pipeline", "",
              "embedding and head share weights, but are on stages that FSDP shards apart");
}

/* ---- fast links ---- */

static uint64_t domain_of(const struct asked *a)
{
    if (a->launch->domain) return a->launch->domain;
    return a->system ? a->system->network[0].size : 0; /* not known */
}

enum { RANKS_LOOKED_AT = 1 << 14 };

/* Does one of the groups lie in more than one domain? */
static bool crosses(const struct asked *a, const struct rank_map *map, enum rank_groups groups)
{
    const uint64_t domain = domain_of(a), n = ranks_of_group(map, groups);
    const uint64_t most = a->p->ranks < RANKS_LOOKED_AT ? a->p->ranks : RANKS_LOOKED_AT;
    for (uint64_t rank = 0; rank < most && n > 1; rank++) {
        if (rank_position(map, groups, rank)) continue;
        for (uint64_t i = 1; i < n; i++)
            if (rank_member(map, groups, rank, i) / domain != rank / domain) return true;
    }
    return false;
}

static void check_tensor_domain(const struct asked *a)
{
    const struct rk_plan *p = a->p;
    const uint64_t domain = domain_of(a);
    char have[24];
    if (p->tensor < 2 || !domain || domain % p->tensor == 0) return;
    struct rk_finding *f = blame(a, "9.tensor", "tensor", number(have, p->tensor),
                                 "crosses domains of %" PRIu64 " ranks", domain);
    uint64_t inside = 1;
    for (uint64_t t = 1; t < p->tensor; t++)
        if (domain % t == 0 && p->tensor % t == 0) inside = t;
    if (a->system) memory_compare(a->m, a->system, p, inside, f);
}

static void check_other_domains(const struct asked *a)
{
    const struct rk_plan *p = a->p;
    char have[24];
    const uint64_t domain = domain_of(a);
    if (!a->data || !domain || !rk_plan_expert_data(p)) return;
    const bool ring = p->context_kind == RK_RING || p->context_kind == RK_RING_ULYSSES;
    const bool exchange = a->m->experts && p->expert > 1 && p->dispatcher == RK_ALL_TO_ALL;
    const struct rank_map map = rank_map_of(p);
    if (exchange && crosses(a, &map, RANKS_OF_EXPERT))
        fix(blame(a, "9.expert", "expert", number(have, p->expert),
                  "the all-to-all of tokens crosses domains of %" PRIu64 " ranks", domain),
            "take a dispatcher that sends a token to a domain once, or fewer ranks");
    if (ring && p->context > 1 && p->tensor * p->context <= domain &&
        crosses(a, &map, RANKS_OF_RING))
        fix(blame(a, "9.context", "context", number(have, p->context),
                  "the ring crosses domains of %" PRIu64 " ranks although it would fit", domain),
            "count tensor and context first (order=tp-cp-dp-pp)");
}

/* ---- kernels ---- */

static void check_kernels(const struct asked *a)
{
    struct plan_lack lack;
    if (a->system && plan_lacks(a->p, a->system, &lack))
        fix(blame(a, "12.needs", lack.key, lack.name, "%s", lack.why), "%s", lack.fix);
}

/* ---- pairs ---- */

/* 1.5 means a half in memory tier 2, which has to be there. */
static void check_shares(const struct asked *a)
{
    for (int i = 0; i < RK_SHARES; i++)
        for (int tier = 1; tier < RK_SHARE_TIERS; tier++)
            if (a->system && a->p->share[i][tier] > 0 && a->system->memories < tier + 2) {
                fix(blame(a, "1.value", "offload", "",
                          "a share is at most 1: above it means memory tier %d, which is not there",
                          tier + 1),
                    "give a share from 0 to 1");
                return;
            }
}

/* A position of the sequence is named before, and a type that the device has not. */
static void check_pairs(const struct asked *a)
{
    const unsigned broken = plan_pairs_broken(a->m, a->system, a->p, domain_of(a));
    for (int i = 0; i < PLAN_PAIRS; i++) {
        const struct plan_pair *pair = &plan_pairs[i];
        const bool other = *pair->rule != '1' || strcmp(pair->rule, "12.datatype") == 0;
        if (broken >> i & 1 && !(other && findings_have(a->out, pair->rule)))
            fix(blame(a, pair->rule, pair->key, "", "%s", pair->why), "%s", pair->fix);
    }
    const bool starts = !a->m->experts || a->p->framework != RK_MEGATRON || !a->p->expert_overlap ||
                        plan_overlaps_experts(a->m, a->p);
    for (int i = 0; i < a->out->count; i++) /* named above */
        if (strcmp(a->out->finding[i].what, "expert_overlap") == 0) return;
    if (!starts)
        fix(blame(a, "12.needs", "expert_overlap", "",
                  "needs tokens exchanged, and layers that are not computed again whole"),
            "leave it out");
}

/* ---- all ---- */

/* Memory is judged of plans that could run. */
static bool can_be_judged(const struct rk_findings *findings)
{
    static const char *const rules[] = {"1.*", "2.*", "3.divide",   "3.interleave",
                                        "4.*", "6.*", "12.datatype"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct rk_finding *found = findings_find(findings, rules[i]);
        if (found && found->severity == RK_ERROR) return false;
    }
    return true;
}

void rk_check_plan(const struct rk_model *model, const struct rk_system *system,
                   const struct rk_plan *plan, const struct rk_launch *launch,
                   struct rk_findings *findings)
{
    static const struct rk_launch nothing = {.domain = 0};
    const bool whole = plan->tensor && plan->context && plan->pipeline && plan->microbatch;
    struct asked a = {model, system, plan, launch ? launch : &nothing, findings, 0, 0};
    find_numbers(&a);
    take_refusals(&a, false);
    check_layers(&a);
    if (!whole || !plan->expert || !plan->chunks || !plan->batch) return;
    check_empty(&a);
    check_uneven(&a);
    check_filling(&a);
    check_interleaving(&a);
    check_halves(&a);
    check_vocabulary(&a);
    check_tied(&a);
    check_shares(&a);
    check_kernels(&a);
    check_pairs(&a);
    check_tensor_domain(&a);
    check_other_domains(&a);
    if (system) check_environment(system, plan, a.launch, findings);
    check_checkpoint(model, plan, a.launch->checkpoint, findings);
    if (system && can_be_judged(findings)) check_memory(model, system, plan, a.launch, findings);
    findings_settle(findings);
}

bool rk_plan_launches(const struct rk_model *model, const struct rk_system *system,
                      const struct rk_plan *plan)
{
    const struct rk_launch launch = {.pads = true, .lone_ends = true};
    struct rk_findings *findings = malloc(sizeof *findings);
    if (!findings) return false;
    findings->count = findings->dropped = 0;
    rk_check_plan(model, system, plan, &launch, findings);
    const bool launches = rk_findings_errors(findings) == 0;
    free(findings);
    return launches;
}
