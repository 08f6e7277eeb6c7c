/* Stages dealt to unequal machines: the optima of uneven_stages.json, by enumeration of the same
 * objective elsewhere, and a twin here that enumerates every plan of small random problems. */
#include "golden/golden.h"
#include "optimize/chain.h"

#include <math.h>

enum { MOST_LAYERS = 64, MOST_CLUSTERS = 4, MOST_WAYS = 6 };

struct instance {
    struct chain_problem problem;
    struct chain_cluster cluster[MOST_CLUSTERS];
    struct chain_choice choice[MOST_CLUSTERS][MOST_WAYS];
    struct chain_cost cost[MOST_CLUSTERS][MOST_WAYS][CHAIN_PLACES][MOST_LAYERS + 1];
    double boundary_s[MOST_CLUSTERS * MOST_WAYS * MOST_CLUSTERS * MOST_WAYS];
};
static struct instance instance;

/* ---- the file ---- */

static double at(const json_t *object, const char *key, size_t i)
{
    return json_number_value(json_array_get(json_object_get(object, key), i));
}

/* A cluster for each stage, of one unit. */
static void read_case(const json_t *object)
{
    struct chain_problem *p = &instance.problem;
    const double ratio = json_number_value(json_object_get(object, "backward_over_forward"));
    memset(&instance, 0, sizeof instance);
    *p = (struct chain_problem){
        .layers = (int)json_integer_value(json_object_get(object, "layers")),
        .clusters = (int)json_array_size(json_object_get(object, "boundary")),
        .microbatches = json_number_value(json_object_get(object, "microbatches")),
        .cluster = instance.cluster,
        .boundary_s = instance.boundary_s,
        .enough_s = INFINITY,
    };
    p->widths = p->most_stages = p->clusters;
    for (int i = 0; i < p->clusters; i++) {
        const double f = at(object, "forward_per_layer", (size_t)i);
        instance.cluster[i] = (struct chain_cluster){1, 1, instance.choice[i]};
        instance.choice[i][0] = (struct chain_choice){1, i, NULL};
        for (int to = 0; to < p->clusters; to++)
            instance.boundary_s[i * p->widths + to] = at(object, "boundary", (size_t)i);
        struct chain_cost *cost = calloc((size_t)(CHAIN_PLACES * (p->layers + 1)), sizeof *cost);
        for (int place = 0; place < CHAIN_PLACES; place++)
            for (int n = 1; n <= p->layers; n++)
                cost[place * (p->layers + 1) + n] =
                    (struct chain_cost){n * f * (1 + ratio), n * f * ratio,
                                        n * at(object, "sync_per_layer", (size_t)i), 1e9};
        instance.choice[i][0].cost = cost;
    }
}

Test(chain, optima_of_the_file)
{
    json_t *root = golden_load(GOLDEN_FOLDER "/uneven_stages.json"), *object;
    json_t *cases = json_object_get(root, "cases");
    size_t i;
    cr_assert_eq(json_array_size(cases), 13);
    json_array_foreach(cases, i, object)
    {
        struct chain_answer answer;
        read_case(object);
        cr_assert(chain_solve(&instance.problem, &answer, NULL, NULL));
        const double best = json_number_value(json_object_get(object, "best"));
        const json_t *split = json_array_get(json_object_get(object, "splits"), 0);
        cr_assert(answer.found, "%zu", i);
        cr_expect_eq(answer.value_s, best, "%zu: %.17g for %.17g", i, answer.value_s, best);
        for (int k = 0; k < answer.stages; k++)
            cr_expect_eq(answer.stage[k].layers,
                         json_integer_value(json_array_get(split, (size_t)k)), "%zu: stage %d", i,
                         k);
        chain_answer_release(&answer);
        for (int k = 0; k < instance.problem.clusters; k++)
            free((void *)(uintptr_t)instance.choice[k][0].cost);
    }
    json_decref(root);
}

/* ---- a twin ---- */

static uint64_t seed;

static double draw(double low, double high)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static int draw_int(int low, int high)
{
    return (int)floor(draw(low, high + 1));
}

/* Layers of two kinds, of which the second takes more: a row for each count of both. */
static bool second[MOST_LAYERS];
static int rows[(MOST_LAYERS + 1) * (MOST_LAYERS + 1)];

static void draw_kinds(struct chain_problem *p)
{
    const int row = p->layers + 1;
    for (int i = 0; i < p->layers; i++)
        second[i] = draw_int(0, 1);
    for (int first = 0; first < p->layers; first++)
        for (int n = 0, seconds = 0; n <= p->layers - first; n++) {
            const int place = 2 * (first == 0) + (first + n == p->layers);
            rows[first * row + n] = (place * row + n) * row + seconds;
            if (first + n < p->layers) seconds += second[first + n];
        }
    p->row = rows;
    p->rows = CHAIN_PLACES * row * row;
}

/* Whole numbers, so that ties are frequent and sums exact. */
static void fill_cost(struct chain_cost *cost, const struct chain_problem *p)
{
    const double f = draw_int(1, 6), b = draw_int(1, 12), sync = draw_int(0, 20);
    const int most = draw_int(1, 3), end = draw_int(0, 5), heavier = draw_int(0, 7);
    const int row = p->layers + 1, each = p->row ? row : 1;
    for (int i = 0; i < CHAIN_PLACES * row * each; i++) {
        const int seconds = i % each, n = i / each % row, place = i / each / row;
        const double more = place == CHAIN_INNER ? 0 : end, again = heavier * seconds;
        const double held = n + seconds;
        cost[i] =
            (struct chain_cost){n * (f + b) + 2 * again + 2 * more, n * b + again + more, n * sync,
                                n == 0 ? 0 : floor(1.0 * most * p->layers / 2 / held)};
    }
}

static double in_flight[5 * 5];

/* Of every schedule: more in flight, and more of longer pipelines. */
static void draw_schedule(struct chain_problem *p)
{
    p->in_flight = in_flight;
    p->most_stages = draw_int(1, 4);
    for (int k = 1; k <= p->most_stages; k++)
        for (int stages = k; stages <= p->most_stages; stages++) {
            const double shorter =
                stages > k ? in_flight[(stages - 1) * (p->most_stages + 1) + k] : k;
            in_flight[stages * (p->most_stages + 1) + k] = shorter + draw_int(0, 1);
        }
}

static struct chain_cost costs[MOST_CLUSTERS * MOST_WAYS * CHAIN_PLACES * 8 * 8];

static void draw_problem(void)
{
    struct chain_problem *p = &instance.problem;
    memset(&instance, 0, sizeof instance);
    *p = (struct chain_problem){.layers = draw_int(2, 7),
                                .clusters = draw_int(1, 2),
                                .microbatches = draw_int(1, 9),
                                .cluster = instance.cluster,
                                .boundary_s = instance.boundary_s,
                                .closing_s = draw_int(0, 1) * draw_int(0, 30),
                                .enough_s = INFINITY,
                                .most_stages = 4};
    struct chain_cost *next = costs;
    if (draw_int(0, 1)) draw_kinds(p);
    if (draw_int(0, 2) == 0) draw_schedule(p);
    for (int i = 0; i < p->clusters; i++) {
        instance.cluster[i] =
            (struct chain_cluster){draw_int(1, 4), draw_int(1, 4), instance.choice[i]};
        for (int k = 0; k < instance.cluster[i].choices; k++) {
            const int units = draw_int(1, 3);
            instance.choice[i][k] = (struct chain_choice){units, 4 * i + units, next};
            fill_cost(next, p);
            next += CHAIN_PLACES * (p->layers + 1) * (p->row ? p->layers + 1 : 1);
        }
    }
    p->widths = 4 * p->clusters;
    for (int i = 0; i < p->widths * p->widths; i++)
        instance.boundary_s[i] = draw_int(0, 6);
}

static void double_times(void)
{
    struct chain_problem *p = &instance.problem;
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        costs[i].time_s *= 2;
        costs[i].backward_s *= 2;
        costs[i].sync_s *= 2;
    }
    for (int i = 0; i < p->widths * p->widths; i++)
        instance.boundary_s[i] *= 2;
    p->closing_s *= 2;
}

static void draw_problem_again(int i)
{
    seed = (uint64_t)i;
    draw_problem();
}

/* The best of all ways to go on behind `stages` stages. */
static double enumerate(struct chain_stage *stage, int stages, int cluster, int units, int placed)
{
    const struct chain_problem *p = &instance.problem;
    double best = INFINITY;
    if (placed == p->layers)
        return cluster + 1 == p->clusters ? chain_value(p, stage, stages) : INFINITY;
    if (stages == p->most_stages) return INFINITY;
    for (int next = cluster; next <= cluster + 1 && next < p->clusters; next++) {
        if (stages == 0 && next > 0) break;
        const int have = next == cluster ? units : p->cluster[next].units;
        for (int k = 0; k < p->cluster[next].choices; k++)
            for (int n = 1; n <= p->layers - placed; n++) {
                const int used = p->cluster[next].choice[k].units;
                if (used > have) continue;
                stage[stages] = (struct chain_stage){next, k, n};
                best = fmin(best, enumerate(stage, stages + 1, next, have - used, placed + n));
            }
    }
    return best;
}

Test(chain, enumeration_finds_nothing_better)
{
    int found = 0, none = 0, near = 0;
    for (int i = 0; i < 6000; i++) {
        struct chain_stage stage[8];
        struct chain_answer answer;
        seed = (uint64_t)i;
        draw_problem();
        const struct chain_problem *p = &instance.problem;
        const double best = enumerate(stage, 0, 0, p->cluster[0].units, 0);
        cr_assert(chain_solve(p, &answer, NULL, NULL));
        cr_assert_eq(answer.found, !isinf(best), "seed %d: %g", i, best);
        if (answer.found) {
            cr_expect_eq(answer.value_s, best, "seed %d: %g for %g", i, answer.value_s, best);
            cr_expect_eq(chain_value(p, answer.stage, answer.stages), best, "seed %d", i);
        }
        cr_expect(chain_pace(p) <= (answer.found ? answer.slowest_s : INFINITY), "seed %d", i);
        found += answer.found;
        none += !answer.found;
        chain_answer_release(&answer);
        /* twice the times are twice the step */
        double_times();
        struct chain_answer twice;
        cr_assert(chain_solve(p, &twice, NULL, NULL));
        cr_expect_eq(twice.value_s, 2 * best, "seed %d", i);
        chain_answer_release(&twice);
        draw_problem_again(i);
        /* what is enough is not looked for */
        instance.problem.enough_s = best;
        cr_assert(chain_solve(p, &answer, NULL, NULL));
        cr_expect_not(answer.found, "seed %d", i);
        chain_answer_release(&answer);
        /* a good plan is a plan */
        instance.problem.enough_s = INFINITY;
        instance.problem.narrow = true;
        cr_assert(chain_solve(p, &answer, NULL, NULL));
        if (answer.found) {
            cr_expect_geq(answer.value_s, best, "seed %d", i);
            cr_expect_eq(chain_value(p, answer.stage, answer.stages), answer.value_s, "seed %d", i);
        }
        near += answer.found && answer.value_s <= 1.1 * best;
        chain_answer_release(&answer);
    }
    cr_expect_geq(near, found * 0.9, "%d of %d", near, found);
    cr_expect(found > 2500 && none > 200, "%d found, %d not", found, none);
}

static bool stop(void *asked)
{
    return ++*(int *)asked > 0;
}

/* Who is asked whether to stop says so at once: nothing more is looked for, and it is no failure.
 */
Test(chain, stops_when_told)
{
    int asked = 0, fewer = 0;
    for (int i = 0; i < 200; i++) {
        struct chain_answer whole, stopped;
        seed = (uint64_t)i;
        draw_problem();
        cr_assert(chain_solve(&instance.problem, &whole, NULL, NULL));
        const int before = asked;
        instance.problem.stopped = stop;
        instance.problem.stopper = &asked;
        cr_assert(chain_solve(&instance.problem, &stopped, NULL, NULL));
        cr_expect_leq(asked, before + 1, "seed %d: asked again", i);
        cr_expect_leq(stopped.labels, whole.labels, "seed %d", i);
        fewer += stopped.labels < whole.labels;
        instance.problem.stopped = NULL;
        chain_answer_release(&whole);
        chain_answer_release(&stopped);
    }
    cr_expect_gt(fewer, 20, "%d of 200 were shorter", fewer);
}
