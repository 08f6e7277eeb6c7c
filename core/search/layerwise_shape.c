#include "search/layerwise_shape.h"

#include "base/limits.h"
#include "machine/part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS_OF_STAGE = 1600000, INTERLEAVED_LABELS = 300 };

/* ---- a shape ---- */

uint64_t shape_microbatches(const struct shape *s)
{
    return s->base.batch / s->samples;
}

struct rk_plan shape_plan(const struct shape *s, int way)
{
    struct rk_plan plan = s->base;
    plan.layout = NULL;
    plan.local = s->way[way].local;
    return plan;
}

static void close_ways(struct shape *s)
{
    free(s->price);
    free(s->lower);
    free(s->choice);
    free(s->change_s);
    free(s->way);
    s->price = s->choice = NULL;
    s->lower = NULL;
    s->change_s = NULL;
    s->way = NULL;
    s->ways = 0;
}

void shape_close(struct shape *s)
{
    if (!s) return;
    free(s->kind);
    free(s->cut);
    close_ways(s);
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

/* Of an accelerator's part of a lower memory, what layers may fill. */
static double lower_room(const struct shape *s, int watched)
{
    return memory_part_bytes(&s->system->memory[s->tier[watched] + 1], s->base.ranks) -
           s->lower_constant_bytes[watched];
}

/* All ways with their prices; false when there is no memory. */
static bool open_ways(struct shape *s)
{
    shape_find_ways(s, s->problem);
    if (!s->kinds) list_layers(s);
    if (s->failed || !shape_price(s)) return false;
    const struct rk_plan any = s->ways ? shape_plan(s, 0) : s->base;
    for (uint64_t k = 0; k < s->base.pipeline; k++)
        s->place[k] = (struct stage_place){
            .in_flight = s->ways ? in_flight_of_plan(&any, (double)shape_microbatches(s), k) : 0,
            .capacity_bytes = s->system->memory[0].capacity_bytes - s->constant_bytes,
            .choice = s->choice,
            .change_s = s->change_s,
            .lower = s->lower,
        };
    for (uint64_t k = 0; k < s->base.pipeline; k++)
        for (int t = 0; t < s->watched; t++)
            s->place[k].lower_capacity_bytes[t] = fmax(1, lower_room(s, t));
    return true;
}

struct shape *shape_open(const struct rk_plans_problem *problem, const struct rk_plan *base,
                         uint64_t samples)
{
    const size_t layers = (size_t)problem->model->layers + 2;
    struct shape *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->problem = problem;
    s->model = problem->model;
    s->system = problem->system;
    s->base = *base;
    s->samples = samples;
    s->kind = calloc(layers, sizeof *s->kind);
    s->cut = calloc(layers + 1, sizeof *s->cut);
    if (s->kind && s->cut && open_ways(s)) return s;
    shape_close(s);
    return NULL;
}

/* ---- lower memories ---- */

bool shape_watch(struct shape *s, int tier)
{
    if (s->watched == STAGES_TIERS) return false;
    s->tier[s->watched++] = tier;
    s->constant_bytes = s->send_s = 0; /* as prices have them, which are found again */
    memset(s->lower_constant_bytes, 0, sizeof s->lower_constant_bytes);
    close_ways(s);
    s->failed = !open_ways(s);
    return !s->failed;
}

/* Does any way use memory tier `tier` + 1, which is not unlimited? */
static bool lowers(const struct shape *s, int tier)
{
    bool any = tier == 0 && (s->base.recompute_rest || s->base.sequence_chunks > 1);
    if (tier + 1 >= s->system->memories || isinf(s->system->memory[tier + 1].capacity_bytes))
        return false;
    for (int w = 0; w < s->ways; w++)
        for (int i = 0; i < RK_SHARES; i++)
            any |= s->way[w].local.share[i][tier] > 0;
    return any;
}

/* Would a stage of all layers, each in the way that has most there, fill it? */
static bool may_fill(const struct shape *s, int watched)
{
    double all = 0;
    for (int i = 0; i < s->layers; i++) {
        double most = 0;
        for (int w = 0; w < s->ways; w++) {
            const struct stage_lower *own = &s->lower[s->kind[i] * s->ways + w];
            most = fmax(most, own->fixed_bytes[watched] +
                                  s->place[0].in_flight * own->flight_bytes[watched]);
        }
        all += most;
    }
    return all > lower_room(s, watched);
}

bool shape_watch_all(struct shape *s)
{
    for (int tier = 0; tier < RK_SHARE_TIERS && s->watched < STAGES_TIERS; tier++) {
        bool watched = !lowers(s, tier);
        for (int t = 0; t < s->watched; t++)
            watched |= s->tier[t] == tier;
        if (watched) continue;
        if (!shape_watch(s, tier)) return false;
        if (!may_fill(s, s->watched - 1)) s->watched--;
    }
    return true;
}

struct capacity shape_capacity(const struct shape *s)
{
    struct capacity all = {.bytes = s->system->memory[0].capacity_bytes - s->constant_bytes};
    for (int t = 0; t < s->watched; t++)
        all.lower[t] = lower_room(s, t);
    return all;
}

void shape_set_capacity(struct shape *s, const struct capacity *capacity)
{
    for (uint64_t k = 0; k < s->base.pipeline; k++) {
        s->place[k].capacity_bytes = capacity->bytes;
        for (int t = 0; t < s->watched; t++) /* the surrogate divides by it */
            s->place[k].lower_capacity_bytes[t] = fmax(1, capacity->lower[t]);
    }
}

/* ---- from an answer to a plan ---- */

static int compare_numbers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

void shape_tidy(const struct shape *s, struct stages_answer *answer)
{
    int *choice = answer->choice, layout[LAYERWISE_MOST_LAYERS + 2];
    for (int i = 0; i < s->layers; i++) {
        layout[i] = s->way[choice[i]].layout;
        if (s->way[choice[i]].local.recompute == RK_WHOLE) choice[i] -= s->ways;
    }
    for (uint64_t k = 0; k < s->base.pipeline; k++)
        for (int i = answer->first[k], end; i < answer->first[k + 1]; i = end) {
            for (end = i + 1; end < answer->first[k + 1]; end++)
                if (s->kind[end] != s->kind[i] || layout[end] != layout[i]) break;
            qsort(choice + i, (size_t)(end - i), sizeof *choice, compare_numbers);
        }
    for (int i = 0; i < s->layers; i++)
        if (choice[i] < 0) choice[i] += s->ways;
}

/* The layout's number of a way, new or not; -1: there are too many. */
static int local_of(const struct shape *s, const struct rk_plan *plan, struct rk_layout *layout,
                    int way_of[RK_MAX_LOCALS], int way)
{
    for (int i = 0; i < layout->others; i++)
        if (way_of[i] == way) return i + 1;
    if (layout->others == RK_MAX_LOCALS) return -1;
    way_of[layout->others] = way;
    struct rk_local *other = &layout->other[layout->others++];
    *other = s->way[way].local;
    if (other->context == 1 && plan->context_kind != RK_RING_ULYSSES)
        other->context_kind = plan->context_kind; /* means nothing, says nothing */
    return layout->others;
}

/* ZeRO of layers of which no two ranks have a copy means nothing: they have what the others have,
 * as frameworks know one level. */
static void agree_on_zero(const struct rk_plan *plan, struct rk_local *end,
                          struct rk_layout *layout)
{
    const uint64_t alone = plan->ranks / plan->pipeline;
    const struct rk_local *said = end->tensor < alone ? end : NULL;
    for (int i = 0; i < layout->others && !said; i++)
        if (layout->other[i].tensor < alone) said = &layout->other[i];
    if (!said) return;
    if (end->tensor == alone) end->zero = said->zero;
    for (int i = 0; i < layout->others; i++)
        if (layout->other[i].tensor == alone) layout->other[i].zero = said->zero;
}

bool shape_answer(const struct shape *s, const struct stages_answer *answer, int end,
                  struct rk_plan *plan, struct rk_layout *layout)
{
    int way_of[RK_MAX_LOCALS];
    *layout = (struct rk_layout){.splits = s->base.pipeline > 1 ? (int)s->base.pipeline : 0};
    *plan = shape_plan(s, end);
    plan->chunks = 1;
    plan->embedding_counts = plan->head_counts = false;
    plan->first_layers = plan->last_layers = 0;
    for (int k = 0; k < layout->splits; k++)
        layout->split[k] = (uint16_t)(answer->first[k + 1] - answer->first[k] - (k == 0) -
                                      (k == layout->splits - 1));
    for (int i = 1; i < s->layers - 1; i++) {
        const int way = answer->choice[i];
        const int local = way == end ? 0 : local_of(s, plan, layout, way_of, way);
        struct rk_segment *last = layout->segments ? &layout->segment[layout->segments - 1] : NULL;
        if (local < 0) return false;
        if (last && last->local == local) {
            last->layers++;
            continue;
        }
        if (layout->segments == RK_MAX_SEGMENTS) return false;
        layout->segment[layout->segments++] = (struct rk_segment){1, (uint16_t)local};
    }
    if (layout->segments == 1 && layout->segment[0].local == 0) layout->segments = 0;
    agree_on_zero(plan, &plan->local, layout);
    plan->layout = layout;
    return true;
}

/* ---- solving ---- */

void shape_allow(struct shape *s, int end)
{
    const double chunks = (double)s->base.chunks;
    for (int i = 0; i < s->kinds * s->ways; i++) {
        s->choice[i] = s->price[i];
        s->choice[i].time_s /= chunks;
        s->choice[i].first_s /= chunks;
    }
    for (int kind = s->kinds - 2; kind < s->kinds; kind++)
        for (int w = 0; w < s->ways; w++)
            if (end >= 0 && w != end) s->choice[kind * s->ways + w].time_s = INFINITY;
}

/* Long stages keep fewer labels a layer: work goes with layers times labels, and there are as many
 * ways to mix more layers. With virtual stages there are more shapes, and a surrogate that says
 * less of them. */
struct stages_problem shape_problem(const struct shape *s, double enough_s)
{
    const uint64_t layers = (uint64_t)s->layers / s->base.pipeline;
    const size_t most = LABELS_OF_STAGE / (layers > 8 ? layers * layers : 64);
    const bool few = s->base.chunks > 1 && most > INTERLEAVED_LABELS;
    return (struct stages_problem){.layers = s->layers,
                                   .kinds = s->kinds,
                                   .choices = s->ways,
                                   .tiers = s->watched,
                                   .stages = (int)s->base.pipeline,
                                   .kind = s->kind,
                                   .cut = s->cut,
                                   .microbatches = (double)(shape_microbatches(s) * s->base.chunks),
                                   .place = s->place,
                                   .enough_s = enough_s,
                                   .label_limit = few ? INTERLEAVED_LABELS : most};
}

void shape_unlimited(struct stages_problem *problem,
                     struct stage_place place[LAYERWISE_MOST_STAGES])
{
    for (int k = 0; k < problem->stages; k++) {
        place[k] = problem->place[k];
        place[k].capacity_bytes = INFINITY;
        for (int t = 0; t < STAGES_TIERS; t++)
            place[k].lower_capacity_bytes[t] = INFINITY;
    }
    problem->place = place;
}

void shape_forbid_rare(struct shape *s, const struct stages_answer *answer, int end)
{
    for (int w = 0; w < s->ways; w++)
        s->way[w].uses = w == end ? s->layers : 0;
    for (int i = 1; i < s->layers - 1; i++)
        s->way[answer->choice[i]].uses++;
    for (int kept = 0; kept <= RK_MAX_LOCALS; kept++) {
        int most = 0;
        for (int w = 1; w < s->ways; w++)
            if (s->way[w].uses > s->way[most].uses) most = w;
        s->way[most].uses = -1;
    }
    for (int w = 0; w < s->ways; w++)
        for (int kind = 0; s->way[w].uses >= 0 && kind < s->kinds; kind++)
            s->choice[kind * s->ways + w].time_s = INFINITY;
}
