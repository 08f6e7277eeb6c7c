#include "clusters/costs.h"

#include "base/memory.h"
#include "clusters/told.h"
#include "estimate/experts.h"
#include "estimate/fold.h"
#include "estimate/plan_check.h"
#include "machine/part.h"
#include "plan/habits.h"
#include "schedule/flight.h"
#include "workload/layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_MICROBATCH = 32, /* samples of a replica's microbatch */
    LEAST_TOKENS = 4096,  /* of a sample that a rank has, where it is shared */
    MOST_NETWORKS = 8     /* of a cluster that is no longer than one of its stages */
};

/* ---- folds ---- */

struct kept_fold {
    int cluster;
    uint64_t gpus; /* of a stage that has more of a memory than others; 0: it has not */
    uint64_t pipeline;
    struct rk_local local;
    struct layer_folds *fold;
};

void fold_shelf_release(struct fold_shelf *shelf)
{
    for (int i = 0; i < shelf->count; i++)
        free(shelf->kept[i].fold);
    free(shelf->kept);
    *shelf = (struct fold_shelf){.count = 0};
}

/* NULL: no memory. */
static const struct layer_folds *fold_of(struct fold_shelf *shelf,
                                         const struct clusters_question *question, int cluster,
                                         const struct rk_plan *plan)
{
    struct stage_machine own;
    const uint64_t stage = plan->ranks / plan->pipeline;
    const struct rk_system *system = clusters_machine(question->machine, cluster, stage, &own);
    const uint64_t gpus = system == &own.system ? stage : 0;
    for (int i = 0; i < shelf->count; i++) {
        const struct kept_fold *kept = &shelf->kept[i];
        if (kept->cluster == cluster && kept->gpus == gpus && kept->pipeline == plan->pipeline &&
            kept->local.tensor == plan->tensor && kept->local.microbatch == plan->microbatch &&
            memcmp(&kept->local, &plan->local, sizeof kept->local) == 0)
            return kept->fold;
    }
    if (!ARRAY_ROOM(shelf->kept, shelf->count)) return NULL;
    struct layer_folds *fold = calloc(1, sizeof *fold);
    if (!fold) return NULL;
    fold_layers(fold, question->model, system, plan);
    struct kept_fold *kept = &shelf->kept[shelf->count++];
    *kept = (struct kept_fold){
        .cluster = cluster, .gpus = gpus, .pipeline = plan->pipeline, .fold = fold};
    memcpy(&kept->local, &plan->local, sizeof kept->local); /* with what is between members */
    return fold;
}

/* ---- one stage ---- */

struct stage_view {
    const struct rk_model *model;
    const struct rk_system *system; /* the cluster's, or `own` */
    struct stage_machine own;
    const struct layer_folds *fold;
    struct rk_plan plan;
    struct sharing sharing;
    struct memory_rule rule;
    double usable_bytes;
    const struct clusters_filter *filter;
};

static double usable_bytes(const struct clusters_question *question, int cluster)
{
    const double bytes = question->usable_bytes[cluster];
    return bytes > 0 ? bytes : question->machine->cluster[cluster].system.memory[0].capacity_bytes;
}

static void view_open(struct stage_view *view, const struct clusters_question *question,
                      int cluster, const struct layer_folds *fold, const struct rk_plan *plan)
{
    view->model = question->model;
    view->system =
        clusters_machine(question->machine, cluster, plan->ranks / plan->pipeline, &view->own);
    view->fold = fold;
    view->plan = *plan;
    view->sharing = sharing_of(plan);
    view->rule = memory_rule_of(fold, &view->sharing, plan);
    view->usable_bytes = usable_bytes(question, cluster);
    view->filter = question->filter;
}

static struct stage_blocks blocks_of(const struct stage_view *view, const struct stage_run *run,
                                     int chunks)
{
    struct stage_blocks blocks = {.all = 0};
    for (int i = 0; i < chunks; i++) {
        const enum chain_place place = run[i].place;
        blocks.first |= place == CHAIN_FIRST || place == CHAIN_ALONE;
        blocks.last |= place == CHAIN_LAST || place == CHAIN_ALONE;
        stage_add_blocks(&blocks, view->model, &view->plan, (uint64_t)run[i].first,
                         (uint64_t)run[i].layers);
    }
    return blocks;
}

bool clusters_overfull(const struct clusters_question *question, int cluster, uint64_t gpus,
                       const struct rk_stage *memory, struct rk_reason *reason)
{
    struct stage_machine own;
    const struct rk_system *system = clusters_machine(question->machine, cluster, gpus, &own);
    for (int tier = 0; tier <= RK_SHARE_TIERS && tier < system->memories; tier++) {
        const double need = tier ? memory->away_bytes[tier - 1] : memory->total_bytes;
        *reason = (struct rk_reason){.verdict = RK_MEMORY_EXCEEDED,
                                     .tier = tier,
                                     .need = need,
                                     .have = tier ? system->memory[tier].capacity_bytes
                                                  : usable_bytes(question, cluster),
                                     .what = "memory of a GPU"};
        if (need > reason->have) return true;
    }
    *reason = (struct rk_reason){.verdict = RK_FITS};
    return false;
}

/* Is there memory for `in_flight` microbatches, in every tier? */
static bool holds(const struct stage_view *view, const struct stage_sum *sum, double in_flight)
{
    const struct rk_system *system = view->system;
    struct memory_rule rule = view->rule;
    rule.ends_in_flight[FIRST_END] = in_flight;
    rule.ends_in_flight[LAST_END] = view->plan.schedule == RK_GPIPE ? in_flight : 1;
    const struct stage_demand demand = stage_demand_by(&rule, sum);
    const double bytes = demanded_bytes(&demand, system, in_flight);
    bool good = bytes <= view->usable_bytes;
    if (good && view->filter) good = view->filter->stage(view->filter->context, &view->plan, bytes);
    for (int tier = 0; good && tier < RK_SHARE_TIERS && tier + 1 < system->memories; tier++)
        good = !rule_lowers(&rule, tier) || lowered_bytes(&rule, sum, in_flight, tier) <=
                                                system->memory[tier + 1].capacity_bytes;
    return good;
}

/* Microbatches that there is memory for, up to `most`. */
static double most_in_flight(const struct stage_view *view, const struct stage_sum *sum, int most)
{
    int low = 0, high = most;
    if (!holds(view, sum, 1)) return 0;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (holds(view, sum, middle))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* What a microbatch takes; `sum` is that of stage_moves. */
static struct chain_cost cost_of_sum(const struct stage_sum *sum, const struct stage_end *end)
{
    const double backward_s = sum->pass_s[FOLD_AGRAD] + sum->pass_s[FOLD_WGRAD] +
                              sum->pass_s[FOLD_RECOMPUTE] + sum->data_s[FOLD_AGRAD];
    return (struct chain_cost){
        .time_s = sum->pass_s[FOLD_FORWARD] + sum->data_s[FOLD_FORWARD] + backward_s,
        .backward_s = backward_s,
        .sync_s = end->data_s + end->optimizer_s,
    };
}

static struct chain_cost cost_of_run(const struct stage_view *view, const struct stage_run *run,
                                     int most)
{
    const struct stage_blocks blocks = blocks_of(view, run, 1);
    struct stage_sum sum;
    memset(&sum, 0, sizeof sum);
    stage_outline(&sum, view->fold, view->model, &view->plan, &blocks);
    const struct exchange exchange = exchange_of(&sum, view->system, &view->sharing, &view->plan);
    const struct stage_sum alone = sum;
    stage_moves(&sum, &exchange, view->system, &view->sharing, &view->plan);
    const struct stage_end end =
        stage_end_of(&sum, &exchange, view->system, &view->sharing, &view->plan);
    struct chain_cost cost = cost_of_sum(&sum, &end);
    cost.in_flight = most_in_flight(view, &alone, most);
    return cost;
}

/* The whole plan, had all its stages the same degrees: memory depends on its schedule. */
static struct rk_plan plan_around(const struct stage_view *view, const struct stage_asked *asked)
{
    struct rk_plan plan = view->plan;
    plan.ranks = plan.ranks / plan.pipeline * (uint64_t)asked->stages;
    plan.pipeline = (uint64_t)asked->stages;
    plan.chunks = (uint64_t)asked->chunks;
    plan.batch = asked->microbatches * rk_plan_data(&plan) * plan.microbatch;
    return plan;
}

static double spent(const struct stage_sum *sum, enum spending spending)
{
    return sum->spent_s[FOLD_FORWARD][spending] + sum->spent_s[FOLD_AGRAD][spending] +
           sum->spent_s[FOLD_WGRAD][spending];
}

static void tell_stage(const struct stage_view *view, const struct stage_asked *asked,
                       struct stage_told *told)
{
    const struct stage_blocks blocks = blocks_of(view, asked->run, asked->chunks);
    const struct rk_plan plan = plan_around(view, asked);
    const struct sharing sharing = sharing_of(&plan);
    struct stage_sum sum;
    memset(&sum, 0, sizeof sum);
    stage_sum(&sum, view->fold, view->model, &view->plan, &blocks);
    const struct exchange exchange = exchange_of(&sum, view->system, &view->sharing, &view->plan);
    const struct stage_sum alone = sum;
    stage_moves(&sum, &exchange, view->system, &view->sharing, &view->plan);
    const struct stage_end end =
        stage_end_of(&sum, &exchange, view->system, &view->sharing, &view->plan);
    *told = (struct stage_told){.cost = cost_of_sum(&sum, &end),
                                .work = {.matrix_s = spent(&sum, SPENT_MATRIX),
                                         .attention_s = spent(&sum, SPENT_ATTENTION),
                                         .memory_s = spent(&sum, SPENT_MEMORY),
                                         .again_s = sum.pass_s[FOLD_RECOMPUTE],
                                         .optimizer_s = end.optimizer_s},
                                .weights_s = sum.pass_s[FOLD_WGRAD],
                                .again_s = sum.pass_s[FOLD_RECOMPUTE],
                                .data_link_s = end.data_link_s,
                                .gradient_bytes = (sum.parameters + sum.expert_parameters) *
                                                  view->sharing.bytes.sent_gradient,
                                .sum = sum};
    stage_memory(&told->memory, &alone, view->fold, view->system, &sharing, &plan,
                 (uint64_t)asked->index);
}

/* The view of a stage; a stage alone is no pipeline. False: no memory. */
static bool view_stage(const struct clusters_question *question, struct fold_shelf *shelf,
                       int cluster, const struct rk_plan *pair, bool alone, struct stage_view *view)
{
    struct rk_plan plan = *pair;
    if (alone) {
        plan.ranks /= plan.pipeline;
        plan.pipeline = 1;
    }
    const struct layer_folds *fold = fold_of(shelf, question, cluster, &plan);
    if (fold) view_open(view, question, cluster, fold, &plan);
    return fold != NULL;
}

bool clusters_stage_cost(const struct clusters_question *question, struct fold_shelf *shelf,
                         const struct stage_asked *asked, struct stage_told *told)
{
    struct stage_view view;
    if (!view_stage(question, shelf, asked->cluster, asked->plan, asked->stages == 1, &view))
        return false;
    view.sharing.alone = experts_share(asked->stages, (double)asked->microbatches);
    tell_stage(&view, asked, told);
    return true;
}

/* ---- all ways of a cluster ---- */

/* Which runs of layers cost the same: those with equal counts of each kind of layer and the same
 * ends of the model. Where the words recompute only some layers of a stage, the position of the run
 * counts, too. */
static bool same_run(const struct clusters_question *q, const struct stage_run *a,
                     const struct stage_run *b)
{
    double counts[2][LAYER_KINDS] = {{0}};
    if (a->layers != b->layers || a->place != b->place) return false;
    if (q->words.recompute_layers || q->words.recompute_stride > 1) return a->first == b->first;
    layer_count(q->model, (uint64_t)a->first, (uint64_t)a->layers, counts[0]);
    layer_count(q->model, (uint64_t)b->first, (uint64_t)b->layers, counts[1]);
    return memcmp(counts[0], counts[1], sizeof counts[0]) == 0;
}

/* Rows of a model whose layers are all alike: by place and count. */
static void list_alike(struct clusters_costs *costs)
{
    const int layers = (int)costs->question->model->layers;
    for (int i = 0; i < costs->rows; i++) {
        const enum chain_place place = (enum chain_place)(i / (layers + 1));
        const int n = i % (layers + 1);
        if (n && (place == CHAIN_ALONE) == (n == layers))
            costs->run[i] = (struct stage_run){place == CHAIN_INNER ? 1 : 0, n, place};
    }
}

static void list_runs(struct clusters_costs *costs)
{
    const int layers = (int)costs->question->model->layers;
    for (int n = 1; n <= layers; n++)
        for (int first = 0, begin = costs->rows; first + n <= layers; first++) {
            const bool last = first + n == layers;
            const struct stage_run run = {first, n,
                                          first == 0 ? (last ? CHAIN_ALONE : CHAIN_FIRST)
                                                     : (last ? CHAIN_LAST : CHAIN_INNER)};
            int row = begin;
            while (row < costs->rows && !same_run(costs->question, &run, &costs->run[row]))
                row++;
            if (row == costs->rows) costs->run[costs->rows++] = run;
            costs->row[first * (layers + 1) + n] = row;
        }
}

static bool open_rows(struct clusters_costs *costs)
{
    const struct rk_model *model = costs->question->model;
    const size_t layers = (size_t)model->layers + 1;
    const bool alike = layer_run(model, 0) == model->layers;
    costs->run = calloc(alike ? CHAIN_PLACES * layers : layers * layers, sizeof *costs->run);
    costs->row = alike ? NULL : calloc(layers * layers, sizeof *costs->row);
    if (!costs->run || (!alike && !costs->row)) return false;
    if (alike) costs->rows = CHAIN_PLACES * (int)layers;
    if (alike)
        list_alike(costs);
    else
        list_runs(costs);
    return true;
}

/* Microbatches in flight of the k-th stage from the last one of `stages`. */
static double clusters_in_flight(const struct clusters_costs *costs, int stages, int k)
{
    const struct pipeline pipeline = {
        costs->question->words.schedule, (uint32_t)stages, 1, costs->microbatches, false, 0};
    return flight_of_stage(&pipeline, (uint64_t)(stages - k));
}

static bool open_flights(struct clusters_costs *costs)
{
    const size_t most = (size_t)costs->most_stages + 1;
    if (costs->question->words.schedule == RK_1F1B) return true;
    costs->in_flight = calloc(most * most, sizeof *costs->in_flight);
    for (int stages = 1; costs->in_flight && stages <= costs->most_stages; stages++)
        for (int k = 1; k <= stages; k++)
            costs->in_flight[(size_t)stages * most + (size_t)k] =
                clusters_in_flight(costs, stages, k);
    return costs->in_flight;
}

/* Of a stage that is the whole model, what only such a one starts with. */
static bool is_alone(const struct clusters_question *q, const struct rk_plan *plan)
{
    return (plan->zero > 1 && !q->zero) || (plan->expert_overlap && !q->expert_overlap);
}

static bool fill_costs(struct clusters_costs *costs, int cluster, int way, struct fold_shelf *shelf)
{
    struct cluster_costs *c = &costs->cluster[cluster];
    struct chain_cost *row = &c->cost[(size_t)way * (size_t)costs->rows];
    const bool only_alone = is_alone(costs->question, &c->way[way].plan);
    struct stage_view view[2]; /* of a stage in a pipeline, and of one alone */
    for (int alone = only_alone; alone < 2; alone++)
        if (!view_stage(costs->question, shelf, cluster, &c->way[way].plan, alone, &view[alone]))
            return false;
    int full[CHAIN_PLACES] = {0}; /* this number of layers of one kind does not fit, nor does a
                                     larger one */
    for (int i = 0; i < costs->rows; i++) {
        const struct stage_run *run = &costs->run[i];
        row[i] = (struct chain_cost){.time_s = INFINITY};
        if (!run->layers || (!costs->row && full[run->place])) continue;
        if (only_alone && run->place != CHAIN_ALONE) continue;
        const bool behind = run->place == CHAIN_INNER || run->place == CHAIN_FIRST;
        const int stages = run->place == CHAIN_ALONE ? 1 : costs->most_stages;
        const double most = clusters_in_flight(costs, stages, behind ? stages : 1);
        row[i] = cost_of_run(&view[run->place == CHAIN_ALONE], run, (int)most);
        full[run->place] |= run->place != CHAIN_ALONE && row[i].in_flight < 1;
    }
    return true;
}

static int width_of(struct clusters_costs *costs, int cluster, uint64_t gpus, uint64_t copies)
{
    for (int i = 0; i < costs->widths; i++)
        if (costs->width[i].cluster == cluster && costs->width[i].gpus == gpus &&
            costs->width[i].copies == copies)
            return i;
    if (!ARRAY_ROOM(costs->width, costs->widths)) return -1;
    costs->width[costs->widths] = (struct stage_width){cluster, gpus, copies};
    return costs->widths++;
}

/* Two such stages stand for all; their machine is as large as it takes. */
bool clusters_can_run(const struct clusters_question *question, int cluster,
                      const struct rk_plan *plan, struct rk_reason *reason)
{
    struct rk_system system = question->machine->cluster[cluster].system;
    struct rk_network network[MOST_NETWORKS];
    const bool one = question->model->layers < 2;
    struct rk_plan checked = *plan;
    system.devices = 0;
    if (one) {
        checked.pipeline = 1;
        checked.ranks /= 2;
    }
    if (system.networks <= MOST_NETWORKS) {
        memcpy(network, system.network, (size_t)system.networks * sizeof *network);
        struct rk_network *last = &network[system.networks - 1];
        if (last->size < checked.ranks) last->size = checked.ranks;
        system.network = network;
    }
    *reason = (struct rk_reason){.verdict = RK_FITS};
    plan_check(question->model, &system, &checked, reason);
    return reason->verdict == RK_FITS;
}

static bool add_way(struct clusters_costs *costs, int cluster, const struct rk_plan *plan)
{
    struct cluster_costs *c = &costs->cluster[cluster];
    if (!ARRAY_ROOM(c->way, c->ways)) return false;
    const uint64_t gpus = plan->ranks / 2;
    const int width = width_of(costs, cluster, gpus, plan->messages_sharded ? 1 : plan->tensor);
    c->way[c->ways++] = (struct stage_way){*plan, gpus, width};
    return width >= 0;
}

/* Shares of the activations and of the optimizer's state that a stage may have in memory tier 1. */
static const double offloads[][2] = {{0, 0}, {0.5, 0}, {1, 0}, {0, 1}, {0.5, 1}, {1, 1}};
enum { OFFLOADS = sizeof offloads / sizeof *offloads };

/* The plan with what is offloaded, each way, where there is somewhere to put it. */
static bool list_offloads(struct clusters_costs *costs, int cluster, const struct rk_plan *plan)
{
    const struct clusters_question *q = costs->question;
    struct cluster_costs *c = &costs->cluster[cluster];
    const bool all = !q->offload && q->machine->cluster[cluster].system.memories > 1;
    for (int i = 0; i < (all ? OFFLOADS : 1); i++) {
        struct rk_plan own = *plan;
        if (i) plan_offload(&own, offloads[i][0], offloads[i][1]);
        struct rk_reason reason;
        if (!clusters_can_run(q, cluster, &own, &reason)) {
            if (c->refused.verdict == RK_FITS) c->refused = reason;
            continue;
        }
        if (q->filter && !q->filter->stage(q->filter->context, &own, NAN)) {
            c->barred = true;
            continue;
        }
        if (!add_way(costs, cluster, &own)) return false;
    }
    return true;
}

bool clusters_overlaps(const struct clusters_question *question, const struct rk_plan *plan)
{
    struct rk_plan alone = *plan;
    alone.pipeline = 1;
    return habits_of(plan)->overlaps_experts && question->model->experts &&
           plan_overlaps_experts(question->model, &alone);
}

bool clusters_shards(const struct clusters_question *question, const struct rk_plan *plan)
{
    return !question->zero && plan->zero == 1 && !habits_of(plan)->zero_2;
}

/* With gradients and weights sharded, and with the exchange of experts overlapped, where there is
 * no pipeline. */
static bool list_alone(struct clusters_costs *costs, int cluster, const struct rk_plan *plan)
{
    const struct clusters_question *q = costs->question;
    const bool overlaps = clusters_overlaps(q, plan), may_overlap = overlaps && !q->expert_overlap;
    const int most = clusters_shards(q, plan) && plan->ranks > 2 * plan->tensor ? 3 : plan->zero;
    if (plan->expert_overlap && !overlaps && habits_of(plan)->overlaps_experts) {
        const struct rk_reason why = {RK_BAD_OPTION,
                                      .what = "ep-overlap: needs ep2, and not recompute=full"};
        struct rk_reason *refused = &costs->cluster[cluster].refused;
        if (refused->verdict == RK_FITS) *refused = why;
        return true;
    }
    for (int zero = plan->zero; zero <= most; zero++)
        for (int overlap = 0; overlap <= may_overlap; overlap++) {
            struct rk_plan own = *plan;
            own.zero = zero;
            own.expert_overlap |= overlap;
            if (!list_offloads(costs, cluster, &own)) return false;
        }
    return true;
}

/* Adds the plan with each recompute mode. */
static bool list_modes(struct clusters_costs *costs, int cluster, struct rk_plan plan)
{
    const struct clusters_question *q = costs->question;
    for (int mode = RK_KEEP; mode <= RK_WHOLE; mode++) {
        if (q->recompute && mode != (int)q->words.recompute) continue;
        plan.recompute = (enum rk_recompute_mode)mode;
        plan.recompute_parts = clusters_parts(&q->words, plan.recompute);
        if (!list_alone(costs, cluster, &plan)) return false;
    }
    return true;
}

/* Every data degree that divides the round. */
static bool list_data(struct clusters_costs *costs, int cluster, struct rk_plan plan)
{
    const uint64_t devices = costs->question->machine->cluster[cluster].system.devices;
    for (uint64_t d = 1; d * plan.tensor * plan.context <= devices; d++) {
        if (costs->round % d || costs->round / d > MOST_MICROBATCH) continue;
        plan.ranks = 2 * plan.tensor * plan.context * d;
        plan.microbatch = costs->round / d;
        if (!list_modes(costs, cluster, plan)) return false;
    }
    return true;
}

/* Every tensor degree within a node, context degree that leaves a rank enough tokens, expert degree
 * that divides the experts, data degree that divides the round, and mode. */
static bool list_ways(struct clusters_costs *costs, int cluster)
{
    const struct clusters_question *q = costs->question;
    const uint64_t node = rk_cluster_node(&q->machine->cluster[cluster]);
    const uint64_t tokens = q->words.sequence ? q->words.sequence : q->model->sequence;
    const uint64_t experts = q->model->experts ? q->model->experts : 1;
    for (uint64_t t = 1; t <= node; t++) {
        if (node % t || (q->tensor && t != q->words.tensor)) continue;
        for (uint64_t c = q->context ? q->words.context : 1;; c *= 2) {
            if (!q->context && c > 1 && (tokens % c || tokens / c < LEAST_TOKENS)) break;
            for (uint64_t e = 1; e <= experts || e == q->words.expert; e++) {
                struct rk_plan plan = q->words;
                if (q->expert ? e != q->words.expert : experts % e != 0) continue;
                plan.tensor = t;
                plan.context = c;
                plan.expert = e;
                clusters_fit_width(&plan);
                plan.pipeline = 2;
                if (!list_data(costs, cluster, plan)) return false;
            }
            if (q->context) break;
        }
    }
    return true;
}

enum { WAYS_ASKED = 64 }; /* one in so many asks whether to stop */

static bool open_cluster(struct clusters_costs *costs, int cluster, struct fold_shelf *shelf)
{
    const struct clusters_question *q = costs->question;
    struct cluster_costs *c = &costs->cluster[cluster];
    const struct rk_cluster *machine = &q->machine->cluster[cluster];
    const uint64_t node = rk_cluster_node(machine);
    const size_t rows = (size_t)costs->rows;
    if (!list_ways(costs, cluster)) return false;
    c->choice = calloc((size_t)c->ways + 1, sizeof *c->choice);
    c->cost = calloc(((size_t)c->ways + 1) * rows, sizeof *c->cost);
    if (!c->choice || !c->cost) return false;
    for (int i = 0; i < c->ways; i++) {
        if (q->stopped && i % WAYS_ASKED == 0 && q->stopped(q->stopper)) {
            c->ways = i; /* nothing is made of them */
            break;
        }
        if (!fill_costs(costs, cluster, i, shelf)) return false;
        c->choice[i] = (struct chain_choice){.units = (int)((c->way[i].gpus + node - 1) / node),
                                             .width = c->way[i].width,
                                             .cost = &c->cost[(size_t)i * rows]};
    }
    return true;
}

static bool fill_boundaries(struct clusters_costs *costs)
{
    const size_t widths = (size_t)costs->widths;
    costs->boundary_s = calloc(widths * widths + 1, sizeof *costs->boundary_s);
    for (size_t i = 0; costs->boundary_s && i < widths * widths; i++)
        costs->boundary_s[i] =
            clusters_boundary_s(costs, &costs->width[i / widths], &costs->width[i % widths]);
    return costs->boundary_s;
}

/* ---- the whole ---- */

bool clusters_costs_open(struct clusters_costs *costs, const struct clusters_question *question,
                         uint64_t round, struct fold_shelf *shelf)
{
    *costs = (struct clusters_costs){
        .question = question, .round = round, .microbatches = question->words.batch / round};
    const uint64_t layers = question->model->layers;
    const uint64_t filled = plan_must_fill(&question->words) ? costs->microbatches : RK_MAX_STAGES;
    costs->most_stages = (int)(layers < filled ? layers : filled);
    if (costs->most_stages > RK_MAX_STAGES) costs->most_stages = RK_MAX_STAGES;
    if (!open_rows(costs) || !open_flights(costs)) return false;
    for (int i = 0; i < question->machine->clusters; i++)
        if (!open_cluster(costs, i, shelf)) return false;
    return fill_boundaries(costs);
}

void clusters_costs_release(struct clusters_costs *costs)
{
    for (int i = 0; i < RK_MAX_CLUSTERS; i++) {
        free(costs->cluster[i].way);
        free(costs->cluster[i].choice);
        free(costs->cluster[i].cost);
    }
    free(costs->run);
    free(costs->row);
    free(costs->in_flight);
    free(costs->width);
    free(costs->boundary_s);
    *costs = (struct clusters_costs){.question = NULL};
}
