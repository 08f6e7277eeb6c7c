/* rules.c - the rows of rules.def, asked: part by part for the first that is broken, or all. */
#include "rules/rules.h"

#include "rules/predicates.h"

#include <reckon/predict.h>

struct rule_case rule_case_of(const struct rk_model *model, const struct rk_system *system,
                              const struct rk_plan *plan)
{
    const uint64_t data = rk_plan_data(plan), samples = data * plan->microbatch;
    return (struct rule_case){.model = model,
                              .system = system,
                              .plan = plan,
                              .who = 1u << plan->framework,
                              .data = data,
                              .microbatches = samples ? plan->batch / samples : 0,
                              .domain = system ? system->network[0].size : 0};
}

/* What a part answers: the first reason, or all rows that are broken. */
struct answer {
    struct rk_reason *reason; /* NULL: all */
    enum rule *broken;
    int count;
};

/* False: nothing else of the part is asked. */
static bool note(struct answer *a, int part, enum rule rule, const struct rk_reason *reason)
{
    if (a->reason) {
        *a->reason = *reason;
        return false;
    }
    a->broken[a->count++] = rule;
    return part != CHECK_STAGES; /* whose rows need what is above them */
}

/* A part is a constant wherever this is called: of the rows its own are left. */
__attribute__((always_inline)) static inline bool ask(const struct rule_case *c, struct answer *a,
                                                      const int part)
{
    const struct rk_model *const m = c->model;
    const struct rk_system *const s = c->system;
    const struct rk_plan *const p = c->plan;
    const struct rk_layout *const l = rk_plan_layout(p);
    (void)m, (void)s, (void)l;
    /* clang-format off */
#define RULE(name, part_, who_, id, key, verdict_, what_, holds, need_, have_, says, fix)                   \
    if (part == CHECK_##part_ && ((who_) == ALL || (who_) & c->who) && !(holds) &&                          \
        !note(a, part, RULE_##name, &(const struct rk_reason){.verdict = RK_##verdict_, .tier = -1,         \
                    .need = (double)(need_), .have = (double)(have_), .what = (what_)}))                    \
        return false;
#include "rules/rules.def"
    /* clang-format on */
    return true;
}

/* clang-format off */
#define PARTS(X)                                                                                   \
    X(MODEL) X(MEMBERS) X(DEGREES) X(BATCH) X(TENSOR) X(SEQUENCE) X(EXPERTS) X(STAGES) X(SCHEDULE) \
    X(START) X(SHARDING) X(OFFLOAD) X(AGAIN) X(PRECISION) X(KERNELS) X(NETWORKS) X(PAIRS) X(RUNS) X(RUN) X(LAUNCH) \
    X(TOOL)
/* clang-format on */

#define ASK(part)                                                                                  \
    static bool ask_##part(const struct rule_case *c, struct answer *a)                            \
    {                                                                                              \
        return ask(c, a, CHECK_##part);                                                            \
    }
PARTS(ASK)
#undef ASK

static bool (*const parts_asked[CHECK_PARTS])(const struct rule_case *, struct answer *) = {
#define ASKED(part) [CHECK_##part] = ask_##part,
    PARTS(ASKED)
#undef ASKED
};

/* The first part that is failed; CHECK_PARTS: none is. */
static int first_failed(const struct rule_case *c, unsigned parts, struct rk_reason *reason)
{
    struct answer first = {.reason = reason};
    int i = 0;
    while (i < CHECK_PARTS && (!(parts >> i & 1) || parts_asked[i](c, &first)))
        i++;
    return i;
}

static bool keeps(const struct rule_case *c, unsigned parts, struct rk_reason *reason)
{
    return first_failed(c, parts, reason) == CHECK_PARTS;
}

int plan_check_parts(const struct rk_model *model, const struct rk_system *system,
                     const struct rk_plan *plan, unsigned parts, struct rk_reason *reason)
{
    const struct rule_case c = rule_case_of(model, system, plan);
    const int failed = first_failed(&c, parts, reason);
    return failed < PLAN_CHECKS ? failed : PLAN_CHECKS;
}

struct rule_case rule_case_of_local(const struct rule_case *whole, int local, struct rk_plan *own)
{
    *own = plan_of_local(whole->plan, local);
    struct rule_case c = rule_case_of(whole->model, whole->system, own);
    c.of = whole->plan;
    c.local = local;
    return c;
}

static void check_runs(const struct rule_case *whole, struct rk_reason *reason)
{
    const int others = rk_plan_layout(whole->plan)->others;
    bool good = keeps(whole, 1u << CHECK_RUNS, reason);
    for (int i = 1; good && i <= others; i++) {
        struct rk_plan own;
        const struct rule_case c = rule_case_of_local(whole, i, &own);
        good = keeps(&c, 1u << CHECK_RUN, reason) && keeps(&c, LOCAL_CHECKS, reason);
    }
}

void plan_check(const struct rk_model *model, const struct rk_system *system,
                const struct rk_plan *plan, struct rk_reason *reason)
{
    const struct rule_case c = rule_case_of(model, system, plan);
    const unsigned all =
        ((1u << PLAN_CHECKS) - 1) & ~(unsigned)PLAN_STARTS & ~(1u << CHECK_KERNELS);
    *reason = (struct rk_reason){.verdict = RK_FITS, .tier = -1};
    if (keeps(&c, all, reason) && rk_plan_layout(plan)->segments) check_runs(&c, reason);
}

bool rk_plan_starts(const struct rk_model *model, const struct rk_system *system,
                    const struct rk_plan *plan, struct rk_reason *reason)
{
    plan_check(model, system, plan, reason);
    return reason->verdict == RK_FITS &&
           plan_check_parts(model, system, plan, PLAN_STARTS | 1u << CHECK_KERNELS, reason) ==
               PLAN_CHECKS;
}

int rules_broken(const struct rule_case *c, unsigned parts, enum rule broken[static RULES])
{
    static const unsigned of_none = 1u << CHECK_MODEL | 1u << CHECK_DEGREES | 1u << CHECK_RUN;
    static const unsigned of_data = 1u << CHECK_BATCH | 1u << CHECK_SCHEDULE | 1u << CHECK_SHARDING;
    static const unsigned of_system =
        1u << CHECK_OFFLOAD | 1u << CHECK_PRECISION | 1u << CHECK_KERNELS | 1u << CHECK_NETWORKS;
    struct answer all = {.broken = broken};
    if (!is_whole(c->plan)) parts &= of_none;
    if (!c->data) parts &= ~of_data;
    if (!c->system) parts &= ~of_system;
    for (int i = 0; i < CHECK_PARTS; i++)
        if (parts >> i & 1) parts_asked[i](c, &all);
    return all.count;
}

bool rule_holds(enum rule rule, const struct rule_case *c)
{
    const struct rk_model *const m = c->model;
    const struct rk_system *const s = c->system;
    const struct rk_plan *const p = c->plan;
    const struct rk_layout *const l = rk_plan_layout(p);
    switch (rule) {
        /* clang-format off */
#define RULE(name, part, who_, id, key, verdict, what, holds, need, have, says, fix) \
    case RULE_##name: return !((who_) & c->who) || (holds);
#include "rules/rules.def"
    /* clang-format on */
    case RULES:
        break;
    }
    return true;
}

enum rule rules_first(const struct rule_case *c, const enum rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!rule_holds(rules[i], c)) return rules[i];
    return RULES;
}

enum { RANKS_LOOKED_AT = 1 << 14 };

bool rule_crosses(const struct rule_case *c, enum rank_groups groups)
{
    if (!c->data || !c->domain || !rk_plan_expert_data(c->plan)) return false;
    const struct rank_map map = rank_map_of(c->plan);
    const uint64_t n = ranks_of_group(&map, groups);
    const uint64_t placed = ranks_placed(&map, groups, c->domain);
    const uint64_t most = c->plan->ranks < RANKS_LOOKED_AT ? c->plan->ranks : RANKS_LOOKED_AT;
    for (uint64_t rank = 0; rank < most && n > 1; rank++) {
        if (rank_position(&map, groups, rank)) continue;
        for (uint64_t i = 1; i < n; i++)
            if (rank_member(&map, groups, rank, i) / placed != rank / placed) return true;
    }
    return false;
}
