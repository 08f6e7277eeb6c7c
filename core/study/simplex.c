#include "study/simplex.h"

#include <math.h>
#include <string.h>

enum { SCAN_STEPS = 24 };
static const double FIRST_STEP = 0.7; /* of a coordinate */

struct corner {
    double at[SIMPLEX_MOST];
    double value;
};

struct search {
    simplex_function *function;
    const void *context;
    int count;
    struct simplex_variable *variables;
    struct corner corner[SIMPLEX_MOST + 1];
    int best, worst, second; /* corners; second: the worst but one */
};

/* ---- bounded values and free coordinates ---- */

static double coordinate(const struct simplex_variable *v)
{
    const double share = log(v->value / v->low) / log(v->high / v->low);
    const double inside = fmin(0.99, fmax(0.01, share));
    return log(inside / (1 - inside));
}

static void set_values(struct search *s, const double *at)
{
    for (int i = 0; i < s->count; i++) {
        struct simplex_variable *v = &s->variables[i];
        v->value = v->low * pow(v->high / v->low, 1 / (1 + exp(-at[i])));
    }
}

static double evaluate(struct search *s, const double *at)
{
    set_values(s, at);
    return s->function(s->context, s->variables);
}

/* ---- moves ---- */

static void rank(struct search *s)
{
    s->best = s->worst = 0;
    for (int i = 1; i <= s->count; i++) {
        if (s->corner[i].value < s->corner[s->best].value) s->best = i;
        if (s->corner[i].value > s->corner[s->worst].value) s->worst = i;
    }
    s->second = s->best;
    for (int i = 0; i <= s->count; i++)
        if (i != s->worst && s->corner[i].value > s->corner[s->second].value) s->second = i;
}

/* The worst corner moved along the line through the centre of the others. */
static struct corner moved(struct search *s, double factor)
{
    struct corner to;
    for (int j = 0; j < s->count; j++) {
        double centre = 0;
        for (int i = 0; i <= s->count; i++)
            if (i != s->worst) centre += s->corner[i].at[j] / s->count;
        to.at[j] = centre + factor * (s->corner[s->worst].at[j] - centre);
    }
    to.value = evaluate(s, to.at);
    return to;
}

static void shrink(struct search *s)
{
    for (int i = 0; i <= s->count; i++) {
        if (i == s->best) continue;
        for (int j = 0; j < s->count; j++)
            s->corner[i].at[j] = (s->corner[i].at[j] + s->corner[s->best].at[j]) / 2;
        s->corner[i].value = evaluate(s, s->corner[i].at);
    }
}

static void step(struct search *s)
{
    rank(s);
    struct corner *worst = &s->corner[s->worst];
    const struct corner reflected = moved(s, -1);
    if (reflected.value < s->corner[s->best].value) {
        const struct corner expanded = moved(s, -2);
        *worst = expanded.value < reflected.value ? expanded : reflected;
    } else if (reflected.value < s->corner[s->second].value) {
        *worst = reflected;
    } else {
        const struct corner contracted = moved(s, 0.5);
        if (contracted.value < worst->value)
            *worst = contracted;
        else
            shrink(s);
    }
}

/* Where the function is flat around the start, as when the bottleneck is elsewhere, a simplex would
 * not move, so first each variable alone is tried over its whole range. */
static void scan(simplex_function *function, const void *context, int count,
                 struct simplex_variable *variables)
{
    double least = function(context, variables);
    for (int i = 0; i < count; i++) {
        struct simplex_variable *v = &variables[i];
        double best = v->value;
        for (int j = 0; j <= SCAN_STEPS; j++) {
            v->value = v->low * pow(v->high / v->low, (double)j / SCAN_STEPS);
            const double value = function(context, variables);
            if (value < least) {
                least = value;
                best = v->value;
            }
        }
        v->value = best;
    }
}

double simplex_minimise(simplex_function *function, const void *context, int count,
                        struct simplex_variable *variables, int iterations)
{
    struct search s = {
        .function = function, .context = context, .count = count, .variables = variables};
    struct simplex_variable start[SIMPLEX_MOST];
    scan(function, context, count, variables);
    memcpy(start, variables, (size_t)count * sizeof *start);
    const double before = function(context, variables);
    for (int i = 0; i <= count; i++) {
        for (int j = 0; j < count; j++)
            s.corner[i].at[j] = coordinate(&start[j]) + (i == j + 1 ? FIRST_STEP : 0);
        s.corner[i].value = evaluate(&s, s.corner[i].at);
    }
    for (int i = 0; i < iterations; i++)
        step(&s);
    rank(&s);
    if (!(s.corner[s.best].value < before)) {
        memcpy(variables, start, (size_t)count * sizeof *start);
        return before;
    }
    set_values(&s, s.corner[s.best].at);
    return s.corner[s.best].value;
}
