#include "search/layerwise.h"

#include "estimate/plan_check.h"
#include "estimate/runs.h"
#include "optimize/stages.h"
#include "search/numbers.h"
#include "search/plans_axes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_LAYERS = 256, MOST_STAGES = 64 };
enum {
    MOST_WAYS = 1024,
    OFFLOAD_STEPS = 4,
    MOST_SAMPLES = 16,
    LABELS_OF_STAGE = 1600000,
    RETRIES = 5
};

/* The surrogate may be above the prediction by so much. */
#define SURROGATE_SLACK 1.005

/* ---- one way to run a layer ---- */

struct way {
    struct rk_plan plan; /* all layers run so */
    bool end;            /* nothing is computed again or offloaded: may run embedding and head */
    int layout;          /* equal: activations lie alike */
};

/* Layers, ways and prices of one number of stages and of samples in flight. */
struct shape {
    const struct rk_model *model;
    const struct rk_system *system;
    struct rk_plan base;
    uint64_t samples; /* in one microbatch, of all data ranks */
    int ways;
    struct way way[MOST_WAYS];
    int kinds; /* of blocks, then embedding and head */
    enum layer_kind kind_of[LAYER_KINDS];
    int layers;                  /* with embedding and head */
    int *kind;                   /* (layers) */
    bool *cut;                   /* (layers + 1) */
    struct stage_choice *price;  /* (kinds, ways) as they are */
    struct stage_choice *choice; /* ... of those that may be used */
    double *change_s;            /* (ways, ways) */
    struct stage_place place[RK_MAX_STAGES];
    double constant_bytes; /* of a stage, whatever its layers */
    double send_s;
};

static uint64_t microbatches(const struct shape *s)
{
    return s->base.batch / s->samples;
}

static bool pinned_to(const struct rk_plans_problem *problem, enum rk_plan_axis axis,
                      uint64_t value)
{
    if (!problem->pinned[axis].count) return true;
    for (int i = 0; i < problem->pinned[axis].count; i++)
        if (value >= problem->pinned[axis].value[i] &&
            value <= fmax(problem->pinned[axis].to[i], problem->pinned[axis].value[i]))
            return true;
    return false;
}

/* The largest value that is offered, of yes and no or an overlap. */
static uint64_t most_offered(const struct rk_plans_problem *problem, enum rk_plan_axis axis,
                             const struct rk_plan *plan)
{
    struct offered offered;
    uint64_t most = 0;
    plan_axis_offer(&offered, problem, axis, plan);
    for (int i = 0; i < offered.count; i++)
        if (offered.value[i] > most) most = offered.value[i];
    return most;
}

/* What goes with a tensor degree. */
static void set_width(struct rk_plan *plan, const struct rk_plans_problem *problem,
                      const struct rk_plan *base)
{
    plan->sequence_parallel =
        plan->tensor > 1 && most_offered(problem, RK_PLAN_SEQUENCE_PARALLEL, plan) > 0;
    plan->tensor_overlap =
        plan->tensor == 1 ? RK_OVERLAP_NONE
        : base->tensor > 1
            ? base->tensor_overlap
            : (enum rk_tensor_overlap)most_offered(problem, RK_PLAN_TENSOR_OVERLAP, plan);
    if (plan->tensor_overlap > RK_OVERLAP_RING) plan->tensor_overlap = RK_OVERLAP_RING;
}

static bool can_run(const struct shape *s, const struct rk_plan *plan)
{
    struct rk_reason reason;
    plan_check(s->model, s->system, plan, &reason);
    return reason.verdict == RK_FITS;
}

static void add_way(struct shape *s, const struct rk_plan *plan)
{
    if (s->ways == MOST_WAYS || !can_run(s, plan)) return;
    struct way *way = &s->way[s->ways++];
    *way = (struct way){.plan = *plan,
                        .end = plan->recompute == RK_KEEP &&
                               rk_plan_offloaded(plan, RK_SHARE_ATTENTION) <= 0,
                        .layout = s->ways - 1};
    for (int i = 0; i < s->ways - 1 && way->layout == s->ways - 1; i++)
        if (s->way[i].plan.tensor == plan->tensor && s->way[i].plan.context == plan->context)
            way->layout = s->way[i].layout;
}

/* ZeRO, recomputation and offload of a layout. */
static void add_manners(struct shape *s, const struct rk_plans_problem *problem,
                        const struct rk_plan *layout)
{
    struct offered zero, again;
    const bool offloads = most_offered(problem, RK_PLAN_ACTIVATION_OFFLOAD, layout) > 0;
    struct rk_plan plan = *layout;
    plan_axis_offer(&zero, problem, RK_PLAN_ZERO, layout);
    plan_axis_offer(&again, problem, RK_PLAN_RECOMPUTE, layout);
    for (int z = 0; z < zero.count; z++)
        for (int r = 0; r < again.count; r++)
            for (int part = 0; part <= (offloads ? OFFLOAD_STEPS : 0); part++) {
                rk_plan_axis_set(&plan, RK_PLAN_ZERO, zero.value[z]);
                rk_plan_axis_set(&plan, RK_PLAN_RECOMPUTE, again.value[r]);
                if (plan.recompute == RK_WHOLE && part) continue; /* little is left to offload */
                rk_plan_offload_activations(&plan, (double)part / OFFLOAD_STEPS);
                add_way(s, &plan);
            }
}

static void find_ways(struct shape *s, const struct rk_plans_problem *problem)
{
    const uint64_t group = s->base.ranks / s->base.pipeline;
    struct offered tensor, context;
    struct rk_plan plan = s->base;
    plan.splits = 0;
    plan_axis_offer(&tensor, problem, RK_PLAN_TENSOR, &plan);
    for (int t = 0; t < tensor.count; t++) {
        plan.tensor = tensor.value[t];
        plan_axis_offer(&context, problem, RK_PLAN_CONTEXT, &plan);
        for (int c = 0; c < context.count; c++) {
            const uint64_t split = tensor.value[t] * context.value[c];
            plan.context = context.value[c];
            if (group % split || s->samples * split % group) continue;
            plan.microbatch = s->samples * split / group;
            if (plan.microbatch > MOST_SAMPLES ||
                !pinned_to(problem, RK_PLAN_MICROBATCH, plan.microbatch))
                continue;
            set_width(&plan, problem, &s->base);
            add_manners(s, problem, &plan);
        }
        plan.context = 1;
    }
}

/* ---- prices ---- */

/* What stage_sum, what it moves and what it holds make of some blocks. */
struct bill {
    double time_s, end_s, fixed_bytes, flight_bytes, moment_bytes, constant_bytes;
};

struct meter {
    const struct rk_model *model;
    const struct rk_system *system;
    const struct rk_plan *plan;
    const struct layer_folds *fold;
    struct sharing sharing;
    struct memory_rule rule;
};

static struct bill measure(const struct meter *m, const struct stage_blocks *blocks)
{
    struct stage_sum sum;
    stage_sum(&sum, m->fold, m->model, m->plan, blocks);
    const struct exchange exchange = exchange_of(&sum, m->system, &m->sharing, m->plan);
    stage_moves(&sum, &exchange, m->system, &m->sharing, m->plan);
    const struct stage_end end = stage_end_of(&sum, &exchange, m->system, &m->sharing, m->plan);
    const struct stage_demand demand = stage_demand_by(&m->rule, &sum);
    const double lost = 1 + m->system->kernels.fragmentation;
    double ends = 0, time_s = 0;
    for (int i = 0; i < ENDS; i++)
        ends += sum.ends_total_bytes[i] * m->rule.ends_in_flight[i] * m->rule.kept_here;
    for (int pass = 0; pass < FOLD_PASSES; pass++)
        time_s += sum.pass_s[pass] + sum.data_s[pass];
    const double placeholders =
        (sum.block_shapes + sum.end_shapes) * m->rule.placeholder_bytes + sum.buffer_bytes;
    return (struct bill){
        .time_s = time_s,
        .end_s = end.data_s + end.optimizer_work_s,
        .fixed_bytes = demand.static_bytes - placeholders + lost * ends,
        .flight_bytes = lost * demand.flight_bytes,
        .moment_bytes =
            lost * (demand.fixed_bytes - m->rule.messages_bytes - ends + demand.away_bytes),
        .constant_bytes = placeholders + lost * m->rule.messages_bytes + demand.outside_bytes +
                          demanded_workspaces(&demand, m->system) +
                          m->system->kernels.reserve_bytes,
    };
}

/* Of one block more among as many as a stage has: those of n and of 2n differ by n of them; what n
 * of them take beyond that is the first one's. */
static struct stage_choice price_block(struct shape *s, const struct meter *m, enum layer_kind kind)
{
    const double n = fmax(1, floor((double)s->model->layers / (double)s->base.pipeline));
    const enum treatment treatment = m->plan->recompute == RK_KEEP ? AS_IT_IS : RECOMPUTED;
    struct stage_blocks one = {.all = n}, two = {.all = 2 * n};
    one.counts[treatment][kind] = n;
    two.counts[treatment][kind] = 2 * n;
    const struct bill a = measure(m, &one), b = measure(m, &two);
    const double each_s = (b.time_s - a.time_s) / n;
    s->constant_bytes = fmax(s->constant_bytes, a.constant_bytes);
    return (struct stage_choice){
        .fixed_bytes = (b.fixed_bytes - a.fixed_bytes) / n,
        .flight_bytes = (b.flight_bytes - a.flight_bytes) / n,
        .moment_bytes = a.moment_bytes,
        .time_s = each_s,
        .first_s = fmax(0, a.time_s - n * each_s),
        .end_s = (b.end_s - a.end_s) / n,
    };
}

/* Embedding or head: what it adds to the blocks of a stage. */
static struct stage_choice price_end(struct shape *s, const struct meter *m, bool head)
{
    const double n = fmax(1, floor((double)s->model->layers / (double)s->base.pipeline));
    struct stage_blocks blocks = {.all = n};
    blocks.counts[AS_IT_IS][s->kind_of[0]] = n;
    const struct bill without = measure(m, &blocks);
    blocks.first = !head;
    blocks.last = head;
    const struct bill with = measure(m, &blocks);
    s->constant_bytes = fmax(s->constant_bytes, with.constant_bytes);
    return (struct stage_choice){
        .fixed_bytes = with.fixed_bytes - without.fixed_bytes,
        .flight_bytes = with.flight_bytes - without.flight_bytes,
        .moment_bytes = with.moment_bytes,
        .time_s = fmax(0, with.time_s - without.time_s),
        .end_s = with.end_s - without.end_s,
    };
}

static bool same_fold(const struct rk_plan *a, const struct rk_plan *b)
{
    return a->tensor == b->tensor && a->context == b->context && a->recompute == b->recompute &&
           a->recompute_parts == b->recompute_parts;
}

/* Ways of a layout are neighbours, so that layers are timed once for them, and folded once for
 * those that are computed again alike. */
static bool price_ways(struct shape *s)
{
    struct timed_layers *timed = calloc(1, sizeof *timed);
    struct layer_folds *folds = calloc((size_t)s->ways + 1, sizeof *folds);
    int *fold_of = calloc((size_t)s->ways + 1, sizeof *fold_of);
    const bool done = timed && folds && fold_of;
    for (int i = 0; done && i < s->ways; i++) {
        struct way *way = &s->way[i];
        fold_of[i] = i;
        if (i == 0 || way->layout != s->way[i - 1].layout)
            time_layers(timed, s->model, s->system, &way->plan);
        for (int j = i - 1; j >= 0 && s->way[j].layout == way->layout && fold_of[i] == i; j--)
            if (same_fold(&s->way[j].plan, &way->plan)) fold_of[i] = fold_of[j];
        const struct layer_folds *fold = &folds[fold_of[i]];
        if (fold_of[i] == i) fold_timed(&folds[i], timed, s->system, &way->plan);
        struct meter m = {s->model,   s->system, &way->plan, fold, sharing_of(&way->plan),
                          {.zero = 0}};
        m.rule = memory_rule_of(fold, &m.sharing, &way->plan);
        for (int kind = 0; kind < s->kinds - 2; kind++)
            s->price[kind * s->ways + i] = price_block(s, &m, s->kind_of[kind]);
        for (int head = 0; head < 2; head++) {
            struct stage_choice *price = &s->price[(s->kinds - 2 + head) * s->ways + i];
            *price = way->end ? price_end(s, &m, head) : (struct stage_choice){.time_s = INFINITY};
            if (!head) price->first_s = s->price[i].first_s; /* the blocks behind wait as well */
        }
        s->send_s = fmax(s->send_s, send_s_of(fold, s->system, &way->plan));
    }
    free(timed);
    free(folds);
    free(fold_of);
    return done;
}

static bool no_worse(const struct stage_choice *a, const struct stage_choice *b)
{
    return a->fixed_bytes <= b->fixed_bytes && a->flight_bytes <= b->flight_bytes &&
           a->moment_bytes <= b->moment_bytes && a->time_s <= b->time_s &&
           a->first_s <= b->first_s && a->end_s <= b->end_s;
}

/* Is `j` in no kind of layer better than `i`, where activations lie alike? */
static bool is_worse(const struct shape *s, int j, int i)
{
    if (i == j || s->way[i].layout != s->way[j].layout || (s->way[j].end && !s->way[i].end))
        return false;
    bool equal = true;
    for (int kind = 0; kind < s->kinds; kind++) {
        const struct stage_choice *a = &s->price[kind * s->ways + i],
                                  *b = &s->price[kind * s->ways + j];
        if (!no_worse(a, b)) return false;
        equal &= no_worse(b, a);
    }
    return !equal || i < j;
}

/* Leaves out ways that another is in no way worse than. */
static void drop_worse(struct shape *s)
{
    bool keep[MOST_WAYS];
    int kept = 0;
    for (int j = 0; j < s->ways; j++) {
        keep[j] = true;
        for (int i = 0; i < s->ways && keep[j]; i++)
            keep[j] = !is_worse(s, j, i);
    }
    for (int i = 0; i < s->ways; i++)
        kept += keep[i];
    for (int kind = 0; kind < s->kinds; kind++)
        for (int i = 0, to = 0; i < s->ways; i++)
            if (keep[i]) s->price[kind * kept + to++] = s->price[kind * s->ways + i];
    for (int i = 0, to = 0; i < s->ways; i++)
        if (keep[i]) s->way[to++] = s->way[i];
    s->ways = kept;
    for (int i = 0; i < kept; i++) { /* layouts by number of a way that is still there */
        s->way[i].layout = i;
        for (int j = 0; j < i; j++)
            if (s->way[j].plan.tensor == s->way[i].plan.tensor &&
                s->way[j].plan.context == s->way[i].plan.context)
                s->way[i].layout = s->way[j].layout;
    }
}

static void price_changes(struct shape *s)
{
    for (int from = 0; from < s->ways; from++)
        for (int to = 0; to < s->ways; to++) {
            const struct rk_plan *a = &s->way[from].plan, *b = &s->way[to].plan;
            s->change_s[from * s->ways + to] =
                s->way[from].layout == s->way[to].layout
                    ? 0
                    : relayout_s(s->model, s->system, a, b) + relayout_s(s->model, s->system, b, a);
        }
}

/* ---- a shape ---- */

static void shape_close(struct shape *s)
{
    if (!s) return;
    free(s->kind);
    free(s->cut);
    free(s->price);
    free(s->choice);
    free(s->change_s);
    free(s);
}

static void list_layers(struct shape *s)
{
    s->kinds = 0;
    s->layers = (int)s->model->layers + 2;
    for (int i = 0; i < s->layers - 2; i++) {
        const enum layer_kind kind = layer_kind_of(s->model, (uint64_t)i);
        int at = 0;
        while (at < s->kinds && s->kind_of[at] != kind)
            at++;
        if (at == s->kinds) s->kind_of[s->kinds++] = kind;
        s->kind[i + 1] = at;
    }
    s->kind[0] = s->kinds++;
    s->kind[s->layers - 1] = s->kinds++;
    for (int i = 0; i <= s->layers; i++)
        s->cut[i] = i != 1 && i != s->layers - 1;
}

/* NULL when there is no memory; no ways: nothing can be run so. */
static struct shape *shape_open(const struct rk_plans_problem *problem, const struct rk_plan *base,
                                uint64_t samples)
{
    const size_t layers = (size_t)problem->model->layers + 2;
    struct shape *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->model = problem->model;
    s->system = problem->system;
    s->base = *base;
    s->samples = samples;
    s->kind = calloc(layers, sizeof *s->kind);
    s->cut = calloc(layers + 1, sizeof *s->cut);
    find_ways(s, problem);
    const size_t ways = (size_t)s->ways + 1;
    s->price = calloc(LAYER_KINDS * ways, sizeof *s->price);
    s->choice = calloc(LAYER_KINDS * ways, sizeof *s->choice);
    s->change_s = calloc(ways * ways, sizeof *s->change_s);
    if (!s->kind || !s->cut || !s->price || !s->choice || !s->change_s) {
        shape_close(s);
        return NULL;
    }
    list_layers(s);
    if (!price_ways(s)) {
        shape_close(s);
        return NULL;
    }
    drop_worse(s);
    price_changes(s);
    for (uint64_t k = 0; k < base->pipeline; k++)
        s->place[k] = (struct stage_place){
            .in_flight =
                s->ways ? in_flight_of_plan(&s->way[0].plan, (double)microbatches(s), k) : 0,
            .capacity_bytes = s->system->memory[0].capacity_bytes - s->constant_bytes,
            .choice = s->choice,
            .change_s = s->change_s,
        };
    return s;
}

/* ---- from an answer to a plan ---- */

/* How often blocks are run in each way. */
static void count_uses(const struct shape *s, const struct stages_answer *answer, int *uses)
{
    memset(uses, 0, (size_t)s->ways * sizeof *uses);
    for (int i = 1; i < s->layers - 1; i++)
        uses[answer->choice[i]]++;
}

static int compare_numbers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Layers of one kind side by side whose activations lie alike may change places: those that are
 * run alike come together. */
static void tidy(const struct shape *s, const struct stages_answer *answer, int *choice)
{
    memcpy(choice, answer->choice, (size_t)s->layers * sizeof *choice);
    for (uint64_t k = 0; k < s->base.pipeline; k++)
        for (int i = answer->first[k], end; i < answer->first[k + 1]; i = end) {
            for (end = i + 1; end < answer->first[k + 1]; end++)
                if (s->kind[end] != s->kind[i] ||
                    s->way[choice[end]].layout != s->way[choice[i]].layout)
                    break;
            qsort(choice + i, (size_t)(end - i), sizeof *choice, compare_numbers);
        }
}

/* Ends are run in way `end`. False when the plan has no room for all runs and ways. */
static bool plan_of(const struct shape *s, const struct stages_answer *answer, int end,
                    struct rk_plan *plan)
{
    int local_of[MOST_WAYS] = {0}, choice[MOST_LAYERS + 2];
    *plan = s->way[end].plan;
    tidy(s, answer, choice);
    plan->segments = plan->others = 0;
    plan->embedding_counts = plan->head_counts = false;
    plan->first_layers = plan->last_layers = 0;
    plan->splits = s->base.pipeline > 1 ? (int)s->base.pipeline : 0;
    for (int k = 0; k < plan->splits; k++)
        plan->split[k] = (uint16_t)(answer->first[k + 1] - answer->first[k] - (k == 0) -
                                    (k == plan->splits - 1));
    for (int i = 1; i < s->layers - 1; i++) {
        const int way = choice[i];
        if (way != end && !local_of[way]) {
            if (plan->others == RK_MAX_LOCALS) return false;
            plan->other[plan->others++] = s->way[way].plan.local;
            local_of[way] = plan->others;
        }
        struct rk_segment *last = plan->segments ? &plan->segment[plan->segments - 1] : NULL;
        if (last && last->local == local_of[way]) {
            last->layers++;
            continue;
        }
        if (plan->segments == RK_MAX_SEGMENTS) return false;
        plan->segment[plan->segments++] = (struct rk_segment){1, (uint16_t)local_of[way]};
    }
    if (plan->segments == 1 && plan->segment[0].local == 0) plan->segments = 0;
    return true;
}

/* ---- solving ---- */

/* Embedding and head in way `end` alone; -1: in any. */
static void allow(struct shape *s, int end)
{
    memcpy(s->choice, s->price, (size_t)s->kinds * (size_t)s->ways * sizeof *s->choice);
    for (int kind = s->kinds - 2; kind < s->kinds; kind++)
        for (int w = 0; w < s->ways; w++)
            if (end >= 0 && w != end) s->choice[kind * s->ways + w].time_s = INFINITY;
}

/* Long stages keep fewer labels a layer: work goes with layers times labels, and there are as many
 * ways to mix more layers. */
static struct stages_problem problem_of(const struct shape *s, double enough_s)
{
    const uint64_t layers = (uint64_t)s->layers / s->base.pipeline;
    const size_t limit = LABELS_OF_STAGE / (layers > 8 ? layers * layers : 64);
    return (struct stages_problem){.layers = s->layers,
                                   .kinds = s->kinds,
                                   .choices = s->ways,
                                   .stages = (int)s->base.pipeline,
                                   .kind = s->kind,
                                   .cut = s->cut,
                                   .microbatches = (double)microbatches(s),
                                   .place = s->place,
                                   .enough_s = enough_s,
                                   .label_limit = limit};
}

/* More ways than a plan can say: those that are used least are not allowed. */
static void forbid_rare(struct shape *s, const struct stages_answer *answer, int end)
{
    int uses[MOST_WAYS];
    count_uses(s, answer, uses);
    uses[end] = s->layers;
    for (int kept = 0; kept <= RK_MAX_LOCALS; kept++) {
        int most = 0;
        for (int w = 1; w < s->ways; w++)
            if (uses[w] > uses[most]) most = w;
        uses[most] = -1;
    }
    for (int w = 0; w < s->ways; w++)
        for (int kind = 0; uses[w] >= 0 && kind < s->kinds; kind++)
            s->choice[kind * s->ways + w].time_s = INFINITY;
}

struct quest {
    const struct layerwise_query *query;
    struct layerwise_answer *answer;
    double least_s;                  /* predicted, of what is found */
    struct rk_prediction prediction; /* of the plan at hand */
    bool failed;
};

static double messages_s(const struct shape *s)
{
    return 2 * ((double)s->base.pipeline - 1) * s->send_s *
           (1 + (double)microbatches(s) / fmax(1, (double)s->base.pipeline - 1));
}

/* Takes a plan over when its prediction is the fastest so far. */
static void offer(struct quest *q, const struct stages_problem *problem,
                  const struct stages_answer *found, double bound_s, const struct rk_plan *plan,
                  const struct rk_prediction *p)
{
    struct layerwise_answer *best = q->answer;
    struct stages_answer walk;
    if (p->verdict != RK_FITS || p->step_s >= q->least_s) return;
    q->least_s = p->step_s;
    best->found = true;
    best->plan = *plan;
    best->prediction = *p;
    best->value_s = found->value_s;
    best->bound_s = bound_s;
    best->walk_s = 0;
    struct stages_problem any = *problem;
    any.enough_s = 0;
    if (any.stages == 1 || !stages_walk(&any, &walk)) return;
    best->walk_s = walk.found ? walk.value_s : 0;
    stages_answer_release(&walk);
}

/* What is slower than this by the surrogate is not looked for. */
static double enough(const struct quest *q, const struct shape *s)
{
    return isinf(q->least_s) ? 0 : fmax(1e-12, (q->least_s - messages_s(s)) * SURROGATE_SLACK);
}

/* The bytes that a prediction has above the memory; 0: it fits. */
static double excess(const struct shape *s, const struct rk_prediction *p)
{
    const double over =
        p->timed ? p->stage[p->tightest].total_bytes - s->system->memory[0].capacity_bytes : 0;
    return over > 0 ? over : 0;
}

static void set_capacity(struct shape *s, double bytes)
{
    for (uint64_t k = 0; k < s->base.pipeline; k++)
        s->place[k].capacity_bytes = bytes;
}

/* Predicts and offers what was found; the bytes that the memory of the surrogate has too many. */
static double judge(struct quest *q, struct shape *s, const struct stages_problem *problem,
                    struct stages_answer *answer, double bound_s, const struct rk_plan *plan)
{
    rk_predict(s->model, s->system, plan, &q->prediction);
    offer(q, problem, answer, fmin(bound_s, answer->value_s), plan, &q->prediction);
    return excess(s, &q->prediction);
}

/* The best with embedding and head in way `end`; `bound_s` is that of any ends. */
static double solve_end(struct quest *q, struct shape *s, int end, double bound_s)
{
    double over = 0;
    allow(s, end);
    for (int try = 0; try < RETRIES; try++) {
        struct stages_answer answer;
        struct rk_plan plan;
        const struct stages_problem problem = problem_of(s, enough(q, s));
        if (!stages_solve(&problem, &answer)) {
            q->failed = true;
            return 0;
        }
        q->answer->counts.labels += answer.labels;
        const bool said = answer.found && plan_of(s, &answer, end, &plan);
        const bool again = answer.found && !said;
        if (said) over = judge(q, s, &problem, &answer, bound_s, &plan);
        if (again) forbid_rare(s, &answer, end);
        stages_answer_release(&answer);
        if (!again) return over;
    }
    return over;
}

/* No mix takes less, whatever the one way is in which embedding and head are run. */
static double bound_of_ends(struct shape *s)
{
    double bound_s = INFINITY;
    for (int end = 0; end < s->ways; end++) {
        if (!s->way[end].end) continue;
        allow(s, end);
        const struct stages_problem problem = problem_of(s, 0);
        bound_s = fmin(bound_s, stages_bound(&problem));
    }
    allow(s, -1);
    return bound_s;
}

/* Embedding and head in any way: no slower than in one and the same. Where they are in one, or for
 * each of the two that they are in, that is solved; and all over again with less memory where the
 * prediction says that the surrogate took too much. */
static bool solve_shape(struct quest *q, struct shape *s)
{
    double capacity = s->system->memory[0].capacity_bytes - s->constant_bytes;
    bool found = false;
    for (int try = 0; try < RETRIES && !q->failed; try++) {
        struct stages_answer answer;
        set_capacity(s, capacity);
        allow(s, -1);
        const struct stages_problem problem = problem_of(s, enough(q, s));
        if (!stages_solve(&problem, &answer)) {
            q->failed = true;
            return false;
        }
        q->answer->counts.labels += answer.labels;
        const bool any = answer.found;
        const double bound_s = any && answer.bound_s < answer.value_s
                                   ? fmax(answer.bound_s, bound_of_ends(s))
                                   : answer.bound_s;
        const int ends[] = {any ? answer.choice[0] : 0, any ? answer.choice[s->layers - 1] : 0};
        struct rk_plan plan;
        const bool done = any && ends[0] == ends[1] && plan_of(s, &answer, ends[0], &plan);
        double over = done ? judge(q, s, &problem, &answer, bound_s, &plan) : 0;
        stages_answer_release(&answer);
        if (!any) return found;
        found = true;
        for (int i = 0; !done && i < 2; i++)
            if (i == 0 || ends[1] != ends[0]) over = fmax(over, solve_end(q, s, ends[i], bound_s));
        if (over <= 0) return true;
        capacity -= 1.01 * over;
    }
    return found;
}

/* ---- all shapes ---- */

/* The best plan of so many stages whose layers are alike; false when there is none. */
static bool best_uniform(struct quest *q, uint64_t stages, struct rk_plan *plan)
{
    struct rk_plans_problem problem = *q->query->problem;
    struct rk_prediction p;
    problem.pinned[RK_PLAN_PIPELINE].count = 1;
    problem.pinned[RK_PLAN_PIPELINE].value[0] = problem.pinned[RK_PLAN_PIPELINE].to[0] = stages;
    if (rk_plans_best(&problem, plan, &p, NULL) != RK_OK) return false;
    if (!q->answer->uniform_s || p.step_s < q->answer->uniform_s) {
        q->answer->uniform = *plan;
        q->answer->uniform_s = p.step_s;
    }
    return true;
}

struct candidate {
    struct shape *shape;
    double bound_s;
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return (x->bound_s > y->bound_s) - (x->bound_s < y->bound_s);
}

enum { MOST_SHAPES = 512 };

/* Shapes of so many stages: samples in flight that divide the batch. */
static void add_shapes(struct quest *q, const struct rk_plan *base, struct candidate *list,
                       int *count)
{
    uint64_t divisor[MAX_DIVISORS];
    const int divisors = divisors_of(base->batch, divisor);
    for (int i = 0; i < divisors && *count < MOST_SHAPES; i++) {
        struct shape *s = shape_open(q->query->problem, base, divisor[i]);
        if (!s) {
            q->failed = true;
            return;
        }
        if (!s->ways) {
            shape_close(s);
            continue;
        }
        q->answer->counts.shapes++;
        q->answer->counts.ways += (uint64_t)s->ways;
        allow(s, -1);
        const struct stages_problem problem = problem_of(s, 0);
        list[(*count)++] = (struct candidate){s, stages_bound(&problem) + messages_s(s)};
    }
}

/* Not interleaved, 1F1B. */
static struct rk_plans_problem plain(const struct rk_plans_problem *problem)
{
    struct rk_plans_problem p = *problem;
    p.pinned[RK_PLAN_CHUNKS].count = p.pinned[RK_PLAN_SCHEDULE].count = 1;
    p.pinned[RK_PLAN_CHUNKS].value[0] = p.pinned[RK_PLAN_CHUNKS].to[0] = 1;
    p.pinned[RK_PLAN_SCHEDULE].value[0] = p.pinned[RK_PLAN_SCHEDULE].to[0] = RK_1F1B;
    p.pinned[RK_PLAN_RECOMPUTE_LAYERS].count = 1;
    p.pinned[RK_PLAN_RECOMPUTE_LAYERS].value[0] = p.pinned[RK_PLAN_RECOMPUTE_LAYERS].to[0] = 0;
    return p;
}

static bool stopped(const struct layerwise_query *query)
{
    return query->stop && query->stop(query->context);
}

enum rk_status layerwise_search(const struct layerwise_query *query,
                                struct layerwise_answer *answer, struct rk_error *error)
{
    const struct rk_plans_problem problem = plain(query->problem);
    const struct layerwise_query own = {&problem, query->threads, query->stop, query->context};
    static const struct quest none = {.least_s = INFINITY};
    struct quest q = none;
    q.query = &own;
    q.answer = answer;
    struct candidate *list = calloc(MOST_SHAPES, sizeof *list);
    struct rk_plan base = problem.base;
    struct offered stages;
    int count = 0;
    bool any = false;
    memset(answer, 0, sizeof *answer);
    answer->complete = true;
    if (problem.base.framework == RK_CALCULON) {
        free(list);
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--layerwise: the published model runs all layers alike; leave framework "
                       "calculon out");
    }
    if (problem.model->layers > MOST_LAYERS) {
        free(list);
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--layerwise: %s has more than %d layers: leave it out", problem.model->id,
                       MOST_LAYERS);
    }
    plan_axis_offer(&stages, &problem, RK_PLAN_PIPELINE, &base);
    for (int i = 0; list && i < stages.count && !q.failed && answer->complete; i++) {
        struct rk_plan plan;
        if (base.ranks % stages.value[i] || stages.value[i] > MOST_STAGES) continue;
        if (best_uniform(&q, stages.value[i], &plan)) {
            base = plan;
            any = true;
        }
        base.pipeline = stages.value[i];
        base.order = RK_ORDER_TP_CP_DP_PP;
        base.splits = 0;
        if (any) add_shapes(&q, &base, list, &count);
        answer->complete = !stopped(query);
    }
    if (rk_plans_best(query->problem, NULL, &q.prediction, NULL) == RK_OK)
        answer->any_s = q.prediction.step_s;
    if (answer->uniform_s) q.least_s = answer->uniform_s;
    if (list) qsort(list, (size_t)count, sizeof *list, compare_candidates);
    for (int i = 0; i < count; i++) {
        struct shape *s = list[i].shape;
        if (isinf(list[i].bound_s))
            answer->counts.unfit++;
        else if (list[i].bound_s >= q.least_s)
            answer->counts.excluded++;
        else if (!q.failed && answer->complete)
            answer->counts.unfit += !solve_shape(&q, s);
        answer->complete = answer->complete && !stopped(query);
        shape_close(s);
    }
    if (q.failed || !list) {
        free(list);
        return rk_fail(error, RK_IO, NULL, 0, 0, "out of memory");
    }
    free(list);
    if (!answer->found && answer->uniform_s) { /* the best are alike */
        answer->found = true;
        answer->plan = answer->uniform;
        rk_predict(problem.model, problem.system, &answer->plan, &answer->prediction);
    }
    if (answer->found) return RK_OK;
    return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                   "%s on %s: no mix of ways to run layers fits", problem.model->id,
                   problem.system->id);
}

struct rk_plan layerwise_run(const struct rk_plan *plan, int local)
{
    return run_plan(plan, local);
}
