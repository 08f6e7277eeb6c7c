/* Layers to stages, and a way to run each: against every way there is. */
#include "optimize/stages.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS = 7, CHOICES = 4, STAGES = 4, KINDS = 3 };

struct instance {
    struct stages_problem problem;
    struct stage_place place[STAGES];
    struct stage_choice choice[STAGES][KINDS * CHOICES];
    struct stage_lower lower[STAGES][KINDS * CHOICES];
    double change_s[CHOICES * CHOICES];
    int kind[LAYERS];
    bool cut[LAYERS + 1];
};

static unsigned seed = 20261122;

static int below(int n)
{
    return rand_r(&seed) % n;
}

/* Whole numbers with many ties, or none. */
static double some(int n, bool ties)
{
    return ties ? below(n) : below(n) + 1e-3 * below(1000);
}

static void make(struct instance *x)
{
    const int moments = below(2) ? 4 : 25;
    const bool ties = below(2), clusters = below(3) == 0, changes = below(3) > 0;
    struct stages_problem *p = &x->problem;
    memset(x, 0, sizeof *x);
    *p = (struct stages_problem){.layers = 1 + below(LAYERS),
                                 .kinds = 1 + below(KINDS),
                                 .choices = 1 + below(CHOICES),
                                 .tiers = below(2) ? 0 : 1 + below(STAGES_TIERS),
                                 .microbatches = 1 + below(8),
                                 .kind = x->kind,
                                 .cut = below(3) ? NULL : x->cut,
                                 .place = x->place};
    p->stages = 1 + below(p->layers < STAGES ? p->layers : STAGES);
    for (int i = 0; i < p->layers; i++)
        x->kind[i] = below(p->kinds);
    for (int i = 0; i <= p->layers; i++)
        x->cut[i] = below(4) > 0;
    for (int i = 0; i < CHOICES * CHOICES; i++)
        x->change_s[i] = changes ? some(4, ties) : 0;
    for (int s = 0; s < p->choices; s++)
        x->change_s[s * p->choices + s] = 0;
    if (changes && p->choices > 1 && below(2)) /* two choices that change alike */
        for (int s = 0; s < p->choices; s++) {
            x->change_s[p->choices + s] = x->change_s[s];
            x->change_s[s * p->choices + 1] = x->change_s[s * p->choices];
        }
    for (int k = 0; k < STAGES; k++) {
        for (int i = 0; i < KINDS * CHOICES; i++)
            x->choice[k][i] =
                k && !clusters
                    ? x->choice[0][i]
                    : (struct stage_choice){.fixed_bytes = 1 + some(6, ties),
                                            .flight_bytes = some(3, ties),
                                            .moment_bytes = some(moments, ties),
                                            .time_s = below(12) ? 1 + some(9, ties) : INFINITY,
                                            .first_s = some(3, ties),
                                            .end_s = some(5, ties)};
        for (int i = 0; i < KINDS * CHOICES; i++)
            for (int t = 0; t < STAGES_TIERS; t++) {
                x->lower[k][i].fixed_bytes[t] =
                    k && !clusters ? x->lower[0][i].fixed_bytes[t] : some(4, ties);
                x->lower[k][i].flight_bytes[t] =
                    k && !clusters ? x->lower[0][i].flight_bytes[t] : some(3, ties);
            }
        x->place[k] = (struct stage_place){.in_flight = p->stages - k,
                                           .capacity_bytes = 10 + below(40),
                                           .choice = x->choice[k],
                                           .change_s = x->change_s,
                                           .lower = x->lower[k],
                                           .lower_capacity_bytes = {4 + below(30), 4 + below(30)}};
    }
}

/* Every split and every choice. */
static double brute(const struct instance *x)
{
    const struct stages_problem *p = &x->problem;
    int first[STAGES + 1] = {0}, choice[LAYERS] = {0};
    double stage_s[STAGES], stage_bytes[STAGES], best = INFINITY;
    struct stages_answer answer = {
        .first = first, .choice = choice, .stage_s = stage_s, .stage_bytes = stage_bytes};
    long splits = 1, ways = 1;
    for (int i = 0; i < p->stages - 1; i++)
        splits *= p->layers;
    for (int i = 0; i < p->layers; i++)
        ways *= p->choices;
    first[p->stages] = p->layers;
    for (long split = 0; split < splits; split++) {
        bool right = true;
        long rest = split;
        for (int k = 1; k < p->stages; k++, rest /= p->layers) {
            first[k] = (int)(rest % p->layers);
            right &= first[k] > first[k - 1] && (!p->cut || p->cut[first[k]]);
        }
        if (!right) continue;
        for (long way = 0; way < ways; way++) {
            long left = way;
            for (int i = 0; i < p->layers; i++, left /= p->choices)
                choice[i] = (int)(left % p->choices);
            best = fmin(best, stages_value(p, &answer));
        }
    }
    return best;
}

Test(stages_search, is_the_best_of_all_ways)
{
    int found = 0, walked = 0;
    for (int round = 0; round < 4000; round++) {
        struct instance x;
        struct stages_answer answer, walk;
        make(&x);
        const double best = brute(&x);
        cr_assert(stages_solve(&x.problem, &answer));
        cr_assert_eq(answer.found, !isinf(best), "round %d: %g", round, best);
        if (!answer.found) {
            stages_answer_release(&answer);
            continue;
        }
        found++;
        cr_assert_float_eq(answer.value_s, best, 1e-9 * best, "round %d: %.12g, %.12g", round,
                           answer.value_s, best);
        cr_assert_float_eq(stages_value(&x.problem, &answer), best, 1e-9 * best, "round %d", round);
        cr_assert_eq(answer.bound_s, answer.value_s);
        cr_assert(stages_walk(&x.problem, &walk));
        if (walk.found) {
            walked++;
            cr_assert_geq(walk.value_s, best * (1 - 1e-9));
            cr_assert_float_eq(stages_value(&x.problem, &walk), walk.value_s, 1e-9 * walk.value_s);
        }
        stages_answer_release(&walk);
        stages_answer_release(&answer);
    }
    cr_expect_gt(found, 1500);
    cr_expect_gt(walked, 1000);
}

/* More memory, cheaper changes, another choice: never slower. */
Test(stages_search, more_room_never_hurts)
{
    for (int round = 0; round < 500; round++) {
        struct instance x;
        struct stages_answer before, after;
        make(&x);
        cr_assert(stages_solve(&x.problem, &before));
        switch (round % 4) {
        case 3:
            for (int k = 0; k < STAGES; k++)
                x.place[k].lower_capacity_bytes[0] += below(10);
            break;
        case 0:
            for (int k = 0; k < STAGES; k++)
                x.place[k].capacity_bytes += below(10);
            break;
        case 1:
            for (int i = 0; i < CHOICES * CHOICES; i++)
                x.change_s[i] *= 0.5;
            break;
        default:
            for (int k = 0; k < STAGES; k++)
                for (int i = 0; i < KINDS * CHOICES; i++)
                    x.choice[k][i].fixed_bytes *= 0.75;
        }
        cr_assert(stages_solve(&x.problem, &after));
        cr_assert(after.found || !before.found);
        if (before.found) cr_assert_leq(after.value_s, before.value_s * (1 + 1e-12));
        stages_answer_release(&before);
        stages_answer_release(&after);
    }
}

/* A cut search says how far off it may be, and is no better than the whole one. */
Test(stages_search, a_limit_keeps_the_bound_true)
{
    int cut = 0;
    for (int round = 0; round < 500; round++) {
        struct instance x;
        struct stages_answer whole, limited;
        make(&x);
        cr_assert(stages_solve(&x.problem, &whole));
        x.problem.label_limit = 2;
        cr_assert(stages_solve(&x.problem, &limited));
        if (limited.found) {
            cr_assert(whole.found);
            cr_assert_geq(limited.value_s, whole.value_s * (1 - 1e-12));
            cr_assert_leq(limited.bound_s, whole.value_s * (1 + 1e-12));
            cut += limited.bound_s < limited.value_s;
        }
        stages_answer_release(&whole);
        stages_answer_release(&limited);
    }
    cr_expect_gt(cut, 50);
}

/* Bytes and time of layers `first` and on, run so on a stage. */
static struct stage_point value_of(const struct stages_problem *p, int stage, int first, int count,
                                   const int *choice)
{
    const struct stage_place *place = &p->place[stage];
    double bytes = 0, moment = 0, time_s = 0, end_s = 0, lower[STAGES_TIERS] = {0};
    for (int i = 0; i < count; i++) {
        const int row = p->kind[first + i] * p->choices + choice[i];
        const struct stage_choice *one = &place->choice[row];
        for (int t = 0; t < p->tiers; t++)
            lower[t] += place->lower[row].fixed_bytes[t] +
                        place->in_flight * place->lower[row].flight_bytes[t];
        bytes += one->fixed_bytes + place->in_flight * one->flight_bytes;
        moment = fmax(moment, one->moment_bytes);
        time_s += one->time_s +
                  (i ? place->change_s[choice[i - 1] * p->choices + choice[i]] : one->first_s);
        if (stage == 0) end_s += one->end_s;
    }
    for (int t = 0; t < p->tiers; t++)
        if (lower[t] > place->lower_capacity_bytes[t]) time_s = INFINITY;
    return (struct stage_point){bytes + moment, time_s + end_s / p->microbatches};
}

/* The front of a stage: falling, each point made of the choices beside it, and no way that fits is
 * below it. */
Test(stages_search, the_front_of_a_stage)
{
    for (int round = 0; round < 1500; round++) {
        struct instance x;
        struct stage_point point[256];
        int made[256 * LAYERS], choice[LAYERS];
        make(&x);
        const struct stages_problem *p = &x.problem;
        const int stage = below(p->stages), first = below(p->layers);
        const int n = 1 + below(p->layers - first);
        const size_t count = stages_front(p, stage, first, first + n, point, made, 256);
        cr_assert_leq(count, 256);
        for (size_t i = 0; i < count; i++) {
            const struct stage_point own = value_of(p, stage, first, n, made + i * (size_t)n);
            cr_assert_float_eq(own.bytes, point[i].bytes, 1e-9, "round %d", round);
            cr_assert_float_eq(own.time_s, point[i].time_s, 1e-9, "round %d", round);
            cr_assert(i == 0 || (point[i].bytes > point[i - 1].bytes &&
                                 point[i].time_s < point[i - 1].time_s));
        }
        long ways = 1;
        for (int i = 0; i < n; i++)
            ways *= p->choices;
        for (long way = 0; way < ways; way++) {
            long left = way;
            for (int i = 0; i < n; i++, left /= p->choices)
                choice[i] = (int)(left % p->choices);
            const struct stage_point one = value_of(p, stage, first, n, choice);
            if (one.bytes > p->place[stage].capacity_bytes || isinf(one.time_s)) continue;
            bool reached = false;
            for (size_t i = 0; i < count && !reached; i++)
                reached =
                    point[i].bytes <= one.bytes + 1e-9 && point[i].time_s <= one.time_s + 1e-9;
            cr_assert(reached, "round %d", round);
        }
    }
}
