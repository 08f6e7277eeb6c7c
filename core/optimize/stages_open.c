#include "base/number.h"
#include "optimize/stages_engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool list_moments(struct engine *e)
{
    const struct stages_problem *p = e->problem;
    const size_t rows = (size_t)p->kinds * (size_t)p->choices;
    e->moment = calloc((size_t)p->stages * rows + 1, sizeof *e->moment);
    if (!e->moment) return false;
    size_t count = 1; /* none */
    for (int k = 0; k < p->stages; k++)
        for (size_t i = 0; i < rows; i++)
            e->moment[count++] = p->place[k].choice[i].moment_bytes;
    qsort(e->moment, count, sizeof *e->moment, by_number);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || e->moment[i] > e->moment[e->moments - 1])
            e->moment[e->moments++] = e->moment[i];
    return true;
}

static bool change_alike(const struct engine *e, int stage, int a, int b)
{
    for (int other = 0; other < e->problem->choices; other++)
        if (change_s(e, stage, a, other) != change_s(e, stage, b, other) ||
            change_s(e, stage, other, a) != change_s(e, stage, other, b))
            return false;
    return true;
}

static void find_groups(struct engine *e)
{
    const int choices = e->problem->choices;
    for (int k = 0; k < e->problem->stages; k++)
        for (int s = 0; s < choices; s++) {
            int *group = &e->group[k * choices + s];
            *group = s;
            for (int other = 0; other < s && *group == s; other++)
                if (change_alike(e, k, other, s)) *group = other;
        }
}

/* Starts whose next layers are of the same kinds, longest first. */
static void find_same(struct engine *e)
{
    const struct stages_problem *p = e->problem;
    const int layers = p->layers;
    for (int i = 0; i < layers; i++)
        for (int n = 0; n <= layers - i; n++)
            e->same[(size_t)i * (size_t)(layers + 1) + (size_t)n] = i;
    for (int i = 0; i < layers; i++)
        for (int before = i - 1; before >= 0; before--) {
            int common = 0;
            while (i + common < layers && p->kind[before + common] == p->kind[i + common])
                common++;
            for (int n = 0; n <= common; n++)
                e->same[(size_t)i * (size_t)(layers + 1) + (size_t)n] = before;
        }
}

double engine_fastest_s(const struct engine *e, int kind)
{
    double least = INFINITY;
    for (int k = 0; k < e->problem->stages; k++)
        for (int s = 0; s < e->problem->choices; s++)
            least = fmin(least, time_of(e, choice_of(e, k, kind, s)));
    return least;
}

bool engine_open(struct engine *e, const struct stages_problem *problem)
{
    const size_t layers = (size_t)problem->layers, stages = (size_t)problem->stages,
                 choices = (size_t)problem->choices;
    *e = (struct engine){.problem = problem,
                         .enough_s = problem->enough_s > 0 ? problem->enough_s : INFINITY};
    e->same = calloc(layers * (layers + 1), sizeof *e->same);
    e->least_s = calloc(layers + 1, sizeof *e->least_s);
    e->group = calloc(stages * choices, sizeof *e->group);
    e->set = calloc(stages * layers * (layers + 1), sizeof *e->set);
    e->front = calloc(stages * layers * (layers + 1), sizeof *e->front);
    if (!e->same || !e->least_s || !e->group || !e->set || !e->front || !list_moments(e))
        return false;
    e->levels = problem->tiers ? LEVELS : 1;
    const size_t stairs = (size_t)e->levels * (size_t)e->moments * choices;
    e->stair = calloc(stairs, sizeof *e->stair);
    e->steep = calloc(stairs, sizeof *e->steep);
    if (!e->stair || !e->steep) return false;
    find_groups(e);
    find_same(e);
    for (int i = problem->layers - 1; i >= 0; i--)
        e->least_s[i] = e->least_s[i + 1] + engine_fastest_s(e, problem->kind[i]);
    return engine_relax(e);
}

void engine_close(struct engine *e)
{
    const size_t layers = (size_t)e->problem->layers;
    const size_t sets = (size_t)e->problem->stages * layers * (layers + 1);
    for (size_t i = 0; i < sets; i++) {
        if (e->set) free(e->set[i].label);
        if (e->front) free(e->front[i].point);
        if (e->front) free(e->front[i].cost);
    }
    free(e->same);
    free(e->least_s);
    free(e->moment);
    free(e->group);
    free(e->set);
    free(e->front);
    free(e->room);
    const size_t stairs = (size_t)(e->levels * e->moments) * (size_t)e->problem->choices;
    for (size_t i = 0; e->stair && i < stairs; i++)
        free(e->stair[i].step);
    free(e->stair);
    free(e->steep);
    for (int k = 0; e->hull && k < e->problem->stages; k++)
        free(e->hull[k].bytes);
    for (int k = 0; e->mixed && k < e->problem->stages; k++)
        free(e->mixed[k].bytes);
    free(e->hull);
    free(e->mixed);
    free(e->single);
    free(e->plural_from);
    free(e->least);
    free(e->usable);
}

/* Sets and fronts begin again. */
void engine_forget(struct engine *e)
{
    const size_t layers = (size_t)e->problem->layers;
    const size_t sets = (size_t)e->problem->stages * layers * (layers + 1);
    for (size_t i = 0; i < sets; i++) {
        free(e->set[i].label);
        free(e->front[i].point);
        free(e->front[i].cost);
    }
    memset(e->set, 0, sets * sizeof *e->set);
    memset(e->front, 0, sets * sizeof *e->front);
    e->cut = false;
}

bool stages_answer_open(struct stages_answer *answer, const struct stages_problem *p)
{
    *answer = (struct stages_answer){.value_s = INFINITY, .bound_s = INFINITY};
    answer->first = calloc((size_t)p->stages + 1, sizeof *answer->first);
    answer->choice = calloc((size_t)p->layers, sizeof *answer->choice);
    answer->stage_s = calloc((size_t)p->stages, sizeof *answer->stage_s);
    answer->stage_bytes = calloc((size_t)p->stages, sizeof *answer->stage_bytes);
    return answer->first && answer->choice && answer->stage_s && answer->stage_bytes;
}
