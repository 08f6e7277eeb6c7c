#include "advise/clusters_effects.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

struct trial {
    struct clusters_question question; /* on `machine` */
    struct rk_machine machine;
    const struct clusters_question *asked;
    int cluster; /* whose number is changed */
    struct clusters_answer *answer;
    bool failed; /* no memory */
};

static void trial_begin(struct trial *t)
{
    t->question = *t->asked;
    t->machine = *t->asked->machine;
    t->question.machine = &t->machine;
}

static double trial_s(struct trial *t)
{
    t->failed |= !clusters_search(&t->question, t->answer);
    return t->answer->best.simulated_s;
}

/* What is left of the memory stays as large as it is. */
static double with_system(void *context, const struct rk_system *changed)
{
    struct trial *t = context;
    trial_begin(t);
    struct rk_system *system = &t->machine.cluster[t->cluster].system;
    const double more_bytes = changed->memory[0].capacity_bytes - system->memory[0].capacity_bytes;
    *system = *changed;
    if (t->question.usable_bytes[t->cluster] > 0)
        t->question.usable_bytes[t->cluster] += more_bytes;
    return trial_s(t);
}

static bool is_stopped(void *context)
{
    const struct clusters_question *q = ((const struct trial *)context)->asked;
    return q->stopped && q->stopped(q->stopper);
}

/* ---- links ---- */

/* clang-format off */
static const struct {
    const char *parameter, *unit;
    size_t offset; /* in struct rk_cluster_link */
} numbers[] = {
    {"bandwidth_Bps", "B/s", offsetof(struct rk_cluster_link, bandwidth_Bps)},
    {"cap_Bps",       "B/s", offsetof(struct rk_cluster_link, cap_Bps)},
    {"latency_s",     "s",   offsetof(struct rk_cluster_link, latency_s)},
};
/* clang-format on */
enum { LINK_NUMBERS = sizeof numbers / sizeof *numbers };

static double *number_of(struct rk_machine *machine, int a, int b, int number)
{
    return (double *)((char *)&machine->link[a][b] + numbers[number].offset);
}

static double with_link(struct trial *t, int a, int b, int number, double factor)
{
    trial_begin(t);
    *number_of(&t->machine, a, b, number) *= factor;
    *number_of(&t->machine, b, a, number) *= factor;
    return trial_s(t);
}

static bool add_link(struct trial *t, int a, int b, int number, struct rk_effects *effects)
{
    const double step = EFFECTS_PERCENT / 100.0;
    trial_begin(t);
    const double value = *number_of(&t->machine, a, b, number);
    if (!isfinite(value) || value == 0 || is_stopped(t)) return true;
    struct rk_effect *e = effects_room(effects);
    if (!e) return false;
    *e = (struct rk_effect){.part = "link",
                            .parameter = numbers[number].parameter,
                            .unit = numbers[number].unit,
                            .tier = -1,
                            .value = value,
                            .more_s = with_link(t, a, b, number, 1 + step),
                            .less_s = with_link(t, a, b, number, 1 - step)};
    e->sensitivity = effects_sensitivity(effects->now_s, e->more_s, 1 + step, e->less_s, 1 - step);
    return true;
}

/* ---- all ---- */

/* Effects that were added are of this place. */
static bool mark(struct clusters_effects *all, int *marked, int cluster, int other)
{
    while (*marked < all->effects.count) {
        if (!ARRAY_ROOM(all->place, *marked)) return false;
        all->place[(*marked)++] = (struct effect_place){cluster, other};
    }
    return true;
}

static void sort(struct clusters_effects *all)
{
    struct rk_effect *e = all->effects.effect;
    for (int i = 1; i < all->effects.count; i++)
        for (int k = i; k > 0 && fabs(e[k].sensitivity) > fabs(e[k - 1].sensitivity); k--) {
            const struct rk_effect effect = e[k];
            const struct effect_place place = all->place[k];
            e[k] = e[k - 1], all->place[k] = all->place[k - 1];
            e[k - 1] = effect, all->place[k - 1] = place;
        }
}

static bool add_all(struct trial *t, struct clusters_effects *all, struct rk_error *error)
{
    const int clusters = t->asked->machine->clusters;
    int marked = 0;
    bool good = true;
    for (int i = 0; i < clusters && good; i++) {
        const struct effects_question q = {.system = &t->asked->machine->cluster[i].system,
                                           .plan = &t->asked->words,
                                           .now_s = all->effects.now_s,
                                           .best_s = with_system,
                                           .stopped = is_stopped,
                                           .context = t};
        t->cluster = i;
        good = effects_add(&q, &all->effects, error) == RK_OK && mark(all, &marked, i, -1);
    }
    for (int a = 0; a < clusters; a++)
        for (int b = a + 1; b < clusters; b++) {
            for (int n = 0; n < LINK_NUMBERS && good; n++)
                good = add_link(t, a, b, n, &all->effects);
            good = good && mark(all, &marked, a, b);
        }
    return good && !t->failed;
}

enum rk_status clusters_effects_find(const struct clusters_question *question, double now_s,
                                     struct clusters_effects *all, struct rk_error *error)
{
    struct trial *t = calloc(1, sizeof *t);
    bool good = t;
    *all = (struct clusters_effects){.effects = {.now_s = now_s}};
    if (t) {
        t->asked = question;
        t->answer = malloc(sizeof *t->answer);
        good = t->answer && add_all(t, all, error);
    }
    const bool stopped = good && is_stopped(t);
    if (t) free(t->answer);
    free(t);
    if (!good) return no_memory(error);
    sort(all);
    return stopped ? rk_fail(error, RK_INTERRUPTED, NULL, 0, 0, "interrupted") : RK_OK;
}

void clusters_effects_release(struct clusters_effects *all)
{
    rk_effects_release(&all->effects);
    free(all->place);
    all->place = NULL;
}
