#include "search/layerwise_climb.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* Neighbours that are judged before a mix counts as the best around, and pairs of them. */
enum { MOST_JUDGED = 48, MOST_PAIRED = 40 };

/* Sums may be wrong by this share of the memory, for one change. */
#define LEEWAY 0.02

/* ---- mixes ---- */

static double worth(const struct shape *s, double step_s, double excess_bytes, double weight)
{
    return step_s * (1 + weight * excess_bytes / s->system->memory[0].capacity_bytes);
}

double mix_worth(const struct shape *s, const struct mix_judged *judged, double weight)
{
    return worth(s, judged->step_s, judged->excess_bytes, weight);
}

struct stages_answer mix_answer(struct mix *mix)
{
    return (struct stages_answer){.found = true, .first = mix->first, .choice = mix->choice};
}

static void set_end(const struct shape *s, struct mix *mix, int end)
{
    mix->end = mix->choice[0] = mix->choice[s->layers - 1] = end;
}

struct mix mix_of(const struct shape *s, const struct stages_answer *answer, int end)
{
    struct mix mix;
    for (uint64_t k = 0; k <= s->base.pipeline; k++)
        mix.first[k] = answer->first[k];
    for (int i = 0; i < s->layers; i++)
        mix.choice[i] = answer->choice[i];
    set_end(s, &mix, end);
    return mix;
}

/* Embedding and head of layers that are run in a way: with all kept, where that may be. */
static int end_beside(const struct shape *s, int way)
{
    int end = -1;
    for (int w = 0; w < s->ways; w++) {
        const struct rk_local *own = &s->way[w].local;
        const bool alike = s->way[w].layout == s->way[way].layout,
                   kept = own->recompute == RK_KEEP && own->zero == s->way[way].local.zero;
        if (!s->way[w].end) continue;
        if (alike && kept) return w;
        if (end < 0 || (alike && s->way[end].layout != s->way[way].layout)) end = w;
    }
    return end < 0 || s->way[way].end ? way : end;
}

struct mix mix_alike(const struct shape *s, int way)
{
    const int stages = (int)s->base.pipeline, blocks = s->layers - 2;
    struct mix mix = {.first = {0}};
    for (int k = 1; k <= stages; k++)
        mix.first[k] = 1 + k * (blocks / stages) + (k < blocks % stages ? k : blocks % stages);
    mix.first[stages] = s->layers;
    for (int i = 0; i < s->layers; i++)
        mix.choice[i] = way;
    set_end(s, &mix, end_beside(s, way));
    return mix;
}

/* ---- neighbours ---- */

enum change { OF_LAYERS, OF_ALL, OF_ENDS, OF_BORDER };

struct move {
    enum change change;
    int from, to; /* layers; of OF_ALL the way that they have, of OF_BORDER stage and first layer */
    int way;
    double step_s, excess_bytes; /* by the sums, corrected */
    double worth;                /* the less, the sooner it is judged */
    int number;
};

static void make_move(const struct shape *s, const struct move *move, struct mix *mix)
{
    switch (move->change) {
    case OF_LAYERS:
        for (int i = move->from; i < move->to; i++)
            mix->choice[i] = move->way;
        break;
    case OF_ALL:
        for (int i = 1; i < s->layers - 1; i++)
            if (mix->choice[i] == move->from) mix->choice[i] = move->way;
        break;
    case OF_ENDS:
        set_end(s, mix, move->way);
        break;
    case OF_BORDER:
        mix->first[move->from] = move->to;
        break;
    }
}

/* What the sums say of a mix. */
struct summed {
    double step_s, stage_bytes[LAYERWISE_MOST_STAGES];
};

struct hill {
    struct climb *climb;
    struct stages_problem problem;
    struct summed here;
    const struct mix *mix; /* at hand */
    const struct mix_judged *judged;
    int moves;
    struct move *move; /* (moves) */
    bool failed;       /* no memory */
};

/* One stage: layers and changes between them add up; of what is waited for once, and of what is
 * there for a moment, the largest counts. */
static double sum_stage(const struct hill *h, const struct mix *mix, int stage, double *bytes)
{
    const struct stages_problem *p = &h->problem;
    const struct stage_place *place = &p->place[stage];
    double time_s = 0, once_s = 0, moment = 0;
    *bytes = 0;
    for (int i = mix->first[stage]; i < mix->first[stage + 1]; i++) {
        const int way = mix->choice[i];
        const struct stage_choice *choice = &place->choice[p->kind[i] * p->choices + way];
        *bytes += choice->fixed_bytes + place->in_flight * choice->flight_bytes;
        moment = fmax(moment, choice->moment_bytes);
        once_s = fmax(once_s, choice->first_s);
        time_s += choice->time_s;
        if (i > mix->first[stage]) time_s += place->change_s[mix->choice[i - 1] * p->choices + way];
    }
    *bytes += moment;
    return time_s + once_s;
}

static void sum_up(const struct hill *h, const struct mix *mix, struct summed *summed)
{
    const struct stages_problem *p = &h->problem;
    double all_s = 0, most_s = 0, end_s = 0;
    for (int k = 0; k < p->stages; k++) {
        const double stage_s = sum_stage(h, mix, k, &summed->stage_bytes[k]);
        all_s += stage_s;
        most_s = fmax(most_s, stage_s);
    }
    for (int i = 0; i < mix->first[1]; i++)
        end_s += p->place[0].choice[p->kind[i] * p->choices + mix->choice[i]].end_s;
    summed->step_s = all_s + (p->microbatches - 1) * most_s + end_s;
}

/* A mix near the one at hand: what the sums say, and what they are off there. */
static void expect(const struct hill *h, const struct mix *near, struct move *move)
{
    const struct shape *s = h->climb->shape;
    const double capacity = s->system->memory[0].capacity_bytes;
    struct summed summed;
    sum_up(h, near, &summed);
    move->step_s = h->judged->step_s + (summed.step_s - h->here.step_s);
    move->excess_bytes = 0;
    for (int k = 0; k < h->problem.stages; k++)
        move->excess_bytes += fmax(0, h->judged->stage_bytes[k] + summed.stage_bytes[k] -
                                          h->here.stage_bytes[k] - capacity);
    move->worth = worth(h->climb->shape, move->step_s, move->excess_bytes, h->climb->weight);
}

/* May it be better than the mix at hand? Sums may be off by some of a change. */
static bool promises(const struct hill *h, const struct move *move)
{
    const struct shape *s = h->climb->shape;
    const double leeway = LEEWAY * s->system->memory[0].capacity_bytes;
    const double least =
        worth(s, move->step_s, fmax(0, move->excess_bytes - leeway), h->climb->weight);
    return least < (1 + 1e-3) * mix_worth(s, h->judged, h->climb->weight);
}

static void add_move(struct hill *h, struct move move)
{
    struct mix near = *h->mix;
    if (!ARRAY_ROOM(h->move, h->moves)) {
        h->failed = true;
        return;
    }
    make_move(h->climb->shape, &move, &near);
    expect(h, &near, &move);
    move.number = h->moves;
    if (!isinf(move.step_s)) h->move[h->moves++] = move;
}

/* Layers from ... to - 1, which are run alike: all of them, and some at either end, in another way.
 */
static void add_run(struct hill *h, int from, int to)
{
    const struct shape *s = h->climb->shape;
    for (int way = 0; way < s->ways && !h->failed; way++) {
        if (way == h->mix->choice[from]) continue;
        add_move(h, (struct move){.from = from, .to = to, .way = way});
        for (int part = 1; part < to - from; part += part < 4 ? 1 : part / 2) {
            add_move(h, (struct move){.from = from, .to = from + part, .way = way});
            add_move(h, (struct move){.from = to - part, .to = to, .way = way});
        }
    }
}

static void add_runs(struct hill *h)
{
    const struct shape *s = h->climb->shape;
    for (uint64_t k = 0; k < s->base.pipeline; k++) {
        const int end = h->mix->first[k + 1] - (k + 1 == s->base.pipeline);
        for (int from = h->mix->first[k] + (k == 0), to; from < end; from = to) {
            for (to = from + 1; to < end && h->mix->choice[to] == h->mix->choice[from];)
                to++;
            add_run(h, from, to);
        }
    }
}

/* All layers that are run in a way, in another; the ends. */
static void add_wide(struct hill *h)
{
    const struct shape *s = h->climb->shape;
    for (int from = 0; from < s->ways && !h->failed; from++) {
        int used = 0;
        for (int i = 1; i < s->layers - 1; i++)
            used += h->mix->choice[i] == from;
        for (int way = 0; way < s->ways && used && !h->failed; way++)
            if (way != from) add_move(h, (struct move){.change = OF_ALL, .from = from, .way = way});
        if (s->way[from].end && from != h->mix->end)
            add_move(h, (struct move){.change = OF_ENDS, .way = from});
    }
}

static void add_borders(struct hill *h)
{
    const struct shape *s = h->climb->shape;
    for (int k = 1; k < (int)s->base.pipeline && !h->failed; k++)
        for (int by = -2; by <= 2; by++) {
            const int at = h->mix->first[k] + by;
            if (by && at > h->mix->first[k - 1] + (k == 1) &&
                at < h->mix->first[k + 1] - (k + 1 == (int)s->base.pipeline))
                add_move(h, (struct move){.change = OF_BORDER, .from = k, .to = at});
        }
}

static int by_worth(const void *a, const void *b)
{
    const struct move *x = a, *y = b;
    if (x->worth != y->worth) return x->worth < y->worth ? -1 : 1;
    return x->number - y->number;
}

/* ---- judging them ---- */

/* Judges a mix; true: it is better, and the one at hand now. */
static bool take(struct hill *h, const struct mix *near, struct mix *mix, struct mix_judged *judged)
{
    struct mix_judged its;
    h->climb->left--;
    h->climb->judge(h->climb->context, near, &its);
    const double weight = h->climb->weight;
    if (!(mix_worth(h->climb->shape, &its, weight) <
          mix_worth(h->climb->shape, judged, weight) * (1 - 1e-12)))
        return false;
    *mix = *near;
    *judged = its;
    return true;
}

/* The best of single neighbours, the most promising first. */
static bool take_one(struct hill *h, struct mix *mix, struct mix_judged *judged)
{
    int count = 0;
    for (int i = 0; i < h->moves && count < MOST_JUDGED && h->climb->left > 0; i++) {
        struct mix near = *mix;
        if (!promises(h, &h->move[i])) continue;
        make_move(h->climb->shape, &h->move[i], &near);
        if (take(h, &near, mix, judged)) return true;
        count++;
    }
    return false;
}

/* Tries all ways for embedding and head, whose cost depends on the adjacent layers and is least
 * like a sum. */
static bool take_end(struct hill *h, struct mix *mix, struct mix_judged *judged)
{
    const struct shape *s = h->climb->shape;
    for (int way = 0; way < s->ways && h->climb->left > 0; way++) {
        struct mix near = *mix;
        if (!s->way[way].end || way == mix->end) continue;
        set_end(s, &near, way);
        if (take(h, &near, mix, judged)) return true;
    }
    return false;
}

/* Two together: of what is faster and too large, and of what is smaller, those that have most of
 * one for the least of the other. */
struct pairs {
    int faster, smaller, count;
    struct move fast[MOST_PAIRED], small[MOST_PAIRED];
    struct pair {
        double worth;
        int fast, small;
    } pair[MOST_PAIRED * MOST_PAIRED];
};

static int by_pair(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->worth != y->worth) return x->worth < y->worth ? -1 : 1;
    return x->fast != y->fast ? x->fast - y->fast : x->small - y->small;
}

/* Keeps the best few of a list by `worth`. */
static void keep_move(struct move list[MOST_PAIRED], int *count, struct move move, double worth)
{
    int at = *count;
    move.worth = worth;
    while (at > 0 && list[at - 1].worth > worth)
        at--;
    if (at == MOST_PAIRED) return;
    if (*count < MOST_PAIRED) (*count)++;
    for (int i = *count - 1; i > at; i--)
        list[i] = list[i - 1];
    list[at] = move;
}

static void find_pairs(struct hill *h, struct pairs *all)
{
    const double capacity = h->climb->shape->system->memory[0].capacity_bytes;
    for (int i = 0; i < h->moves; i++) {
        const struct move *move = &h->move[i];
        const double won_s = h->judged->step_s - move->step_s;
        if (won_s > 0 && move->excess_bytes > 0)
            keep_move(all->fast, &all->faster, *move,
                      move->excess_bytes / won_s + 1e-3 * capacity / h->judged->step_s);
        else if (won_s <= 0 && move->excess_bytes <= 0)
            keep_move(all->small, &all->smaller, *move, -won_s);
    }
    for (int a = 0; a < all->faster; a++)
        for (int b = 0; b < all->smaller; b++) {
            struct mix near = *h->mix;
            struct move both;
            make_move(h->climb->shape, &all->fast[a], &near);
            make_move(h->climb->shape, &all->small[b], &near);
            expect(h, &near, &both);
            if (promises(h, &both)) all->pair[all->count++] = (struct pair){both.worth, a, b};
        }
    qsort(all->pair, (size_t)all->count, sizeof *all->pair, by_pair);
}

static bool take_two(struct hill *h, struct mix *mix, struct mix_judged *judged)
{
    struct pairs *all = calloc(1, sizeof *all);
    bool better = false;
    if (!all) {
        h->failed = true;
        return false;
    }
    find_pairs(h, all);
    for (int i = 0; i < all->count && i < MOST_JUDGED && h->climb->left > 0 && !better; i++) {
        struct mix near = *mix;
        make_move(h->climb->shape, &all->fast[all->pair[i].fast], &near);
        make_move(h->climb->shape, &all->small[all->pair[i].small], &near);
        better = take(h, &near, mix, judged);
    }
    free(all);
    return better;
}

/* The sums of a shape whose stages have all the memory that there can be. */
static void open_hill(struct hill *h, struct climb *climb)
{
    shape_allow(climb->shape, -1);
    h->climb = climb;
    h->problem = shape_problem(climb->shape, 0);
}

/* The most promising neighbour that is better. */
static bool go_on(struct hill *h, struct mix *mix, struct mix_judged *judged)
{
    h->mix = mix;
    h->judged = judged;
    h->moves = 0;
    sum_up(h, mix, &h->here);
    add_runs(h);
    add_wide(h);
    add_borders(h);
    if (h->moves) qsort(h->move, (size_t)h->moves, sizeof *h->move, by_worth);
    return take_one(h, mix, judged) || take_end(h, mix, judged) || take_two(h, mix, judged);
}

bool climb_from(struct climb *climb, struct mix *mix, struct mix_judged *judged)
{
    enum { TIMES = 4, MOST_WEIGHT = 1000 };
    struct hill h = {.failed = false};
    open_hill(&h, climb);
    while (climb->left > 0 && climb->weight < MOST_WEIGHT && !h.failed) {
        if (go_on(&h, mix, judged)) continue;
        if (judged->excess_bytes <= 0) break;
        climb->weight *= TIMES; /* the best around does not fit */
    }
    free(h.move);
    return !h.failed;
}
