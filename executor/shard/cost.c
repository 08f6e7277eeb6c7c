#include "shard/cost.h"

#include <math.h>

/* ---- what is sent, in units of a vector ---- */

static const double forward_from_to[COST_STATES][COST_STATES] = {
    [COST_IS_WHOLE] = {0, 0, INFINITY},
    [COST_IS_SPLIT] = {1, 0, INFINITY},
    [COST_IS_PARTIAL] = {2, 1, 0},
};

/* The gradient of a partial sum is whole on each rank, as that of a whole vector. */
static const double backward_from_to[COST_STATES][COST_STATES] = {
    [COST_IS_WHOLE] = {0, 1, INFINITY},
    [COST_IS_SPLIT] = {0, 0, INFINITY},
    [COST_IS_PARTIAL] = {0, 1, 0},
};

static const enum cost_state brings[COST_CHOICES] = {
    [COST_OUT] = COST_IS_SPLIT, [COST_IN] = COST_IS_PARTIAL, [COST_WHOLE] = COST_IS_WHOLE};

static bool is_possible(const struct cost_matrix *m, enum cost_choice choice)
{
    if (choice == COST_OUT) return m->can_out;
    if (choice == COST_IN) return m->can_in;
    return !m->can_out && !m->can_in;
}

/* The vector that all matrices of a step read, and its gradient: one exchange serves all of them.
 */
static double reading(const struct cost_step *step, const struct cost_choices *choices,
                      enum cost_state from)
{
    bool out = false, in = false, whole = false;
    double width = 0;
    for (int i = 0; i < step->matrices; i++) {
        out |= choices->of[i] == COST_OUT;
        in |= choices->of[i] == COST_IN;
        whole |= choices->of[i] == COST_WHOLE;
        width = fmax(width, step->matrix[i].in);
    }
    double sent = 0;
    if (out || whole) sent += forward_from_to[from][COST_IS_WHOLE];
    if (in && (from == COST_IS_SPLIT || !(out || whole)))
        sent += forward_from_to[from][COST_IS_SPLIT];
    if (from == COST_IS_SPLIT)
        sent += out ? 1 : 0; /* partial gradients are scattered */
    else
        sent += (out ? 2 : 0) + (in ? 1 : 0);
    return sent * width;
}

static double bringing(const struct cost_step *step, const struct cost_choices *choices,
                       enum cost_state to)
{
    double sent = 0;
    for (int i = 0; i < step->matrices; i++) {
        const enum cost_state own = brings[choices->of[i]];
        sent += (forward_from_to[own][to] + backward_from_to[own][to]) * step->matrix[i].out;
    }
    return sent;
}

static bool can_be(enum cost_behind behind, enum cost_state state)
{
    if (behind == COST_NORM) return state == COST_IS_WHOLE;
    return behind == COST_NOTHING || state != COST_IS_PARTIAL;
}

/* ---- the path ---- */

struct path {
    double sent[COST_STATES];
};

static struct path beginning(void)
{
    return (struct path){{0, INFINITY, INFINITY}};
}

/* The best path to each state after a step; `before[s]`: the state that it comes from. */
static struct path go(const struct path *path, const struct cost_step *step,
                      const struct cost_choices *choices, enum cost_state before[COST_STATES])
{
    struct path next = {{INFINITY, INFINITY, INFINITY}};
    for (int i = 0; i < step->matrices; i++)
        if (!is_possible(&step->matrix[i], choices->of[i])) return next;
    for (int from = 0; from < COST_STATES; from++)
        for (int to = 0; to < COST_STATES && path->sent[from] < INFINITY; to++) {
            if (!can_be(step->behind, (enum cost_state)to)) continue;
            const double sent = path->sent[from] + reading(step, choices, (enum cost_state)from) +
                                bringing(step, choices, (enum cost_state)to);
            if (sent >= next.sent[to]) continue;
            next.sent[to] = sent;
            before[to] = (enum cost_state)from;
        }
    return next;
}

static double per_token(double units, double t)
{
    return units * (t - 1) / t;
}

double cost_of(const struct cost_step *steps, size_t count, const struct cost_choices *choices,
               double t)
{
    struct path path = beginning();
    enum cost_state before[COST_STATES] = {COST_IS_WHOLE};
    for (size_t i = 0; i < count; i++)
        path = go(&path, &steps[i], &choices[i], before);
    return per_token(path.sent[COST_IS_WHOLE], t);
}

/* The next choices of a step, as digits; false after the last. */
static bool next_choices(const struct cost_step *step, struct cost_choices *choices)
{
    for (int i = 0; i < step->matrices; i++) {
        choices->of[i]++;
        if (choices->of[i] < COST_CHOICES) return true;
        choices->of[i] = COST_OUT;
    }
    return false;
}

enum { MOST_STEPS = 64 };

struct arrival {
    struct cost_choices choices;
    enum cost_state before;
};

double cost_best(const struct cost_step *steps, size_t count, double t,
                 struct cost_choices *choices)
{
    struct arrival by[MOST_STEPS][COST_STATES];
    struct path path = beginning();
    if (count > MOST_STEPS) return INFINITY;
    for (size_t i = 0; i < count; i++) {
        struct path best = {{INFINITY, INFINITY, INFINITY}};
        struct cost_choices tried = {{COST_OUT}};
        do {
            enum cost_state before[COST_STATES] = {COST_IS_WHOLE};
            const struct path next = go(&path, &steps[i], &tried, before);
            for (int to = 0; to < COST_STATES; to++)
                if (next.sent[to] < best.sent[to]) {
                    best.sent[to] = next.sent[to];
                    by[i][to] = (struct arrival){tried, before[to]};
                }
        } while (next_choices(&steps[i], &tried));
        path = best;
    }
    if (!(path.sent[COST_IS_WHOLE] < INFINITY)) return INFINITY;
    enum cost_state state = COST_IS_WHOLE;
    for (size_t i = count; i-- > 0;) {
        choices[i] = by[i][state].choices;
        state = by[i][state].before;
    }
    return per_token(path.sent[COST_IS_WHOLE], t);
}
