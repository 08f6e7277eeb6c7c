/* The best split of a chain against all splits of it, with all states in between; and by hand. */
#include "shard/cost.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>

static uint64_t state = 7;

static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (state >> 33) % below;
}

/* ---- the twin: every choice, every state, one collective at a time ---- */

static double gather(double n)
{
    return n;
}
static double scatter(double n)
{
    return n;
}
static double reduce(double n)
{
    return 2 * n;
}

static double twin_read(const struct cost_step *s, const struct cost_choices *c,
                        enum cost_state from)
{
    double width = 0, sent = 0;
    bool need_whole = false, need_split = false, partial_gradient = false, split_gradient = false;
    for (int i = 0; i < s->matrices; i++) {
        width = fmax(width, s->matrix[i].in);
        need_split |= c->of[i] == COST_IN;
        need_whole |= c->of[i] != COST_IN;
        partial_gradient |= c->of[i] == COST_OUT;
        split_gradient |= c->of[i] == COST_IN;
    }
    if (need_whole && from == COST_IS_SPLIT) sent += gather(width);
    if (need_whole && from == COST_IS_PARTIAL) sent += reduce(width);
    if (need_split && !need_whole && from == COST_IS_PARTIAL) sent += scatter(width);
    if (from == COST_IS_SPLIT && partial_gradient) sent += scatter(width);
    if (from != COST_IS_SPLIT && partial_gradient) sent += reduce(width);
    if (from != COST_IS_SPLIT && split_gradient) sent += gather(width);
    return sent;
}

static double twin_bring(const struct cost_matrix *m, enum cost_choice c, enum cost_state to)
{
    const double n = m->out;
    if (to == COST_IS_PARTIAL) return c == COST_IN ? 0 : INFINITY;
    if (to == COST_IS_WHOLE) return c == COST_OUT ? gather(n) : c == COST_IN ? reduce(n) : 0;
    return c == COST_OUT ? 0 : c == COST_IN ? scatter(n) + gather(n) : gather(n);
}

static double twin(const struct cost_step *s, size_t count, enum cost_state from)
{
    double best = INFINITY;
    if (count == 0) return from == COST_IS_WHOLE ? 0 : INFINITY;
    const int codes[] = {1, 3, 9, 27, 81};
    for (int code = 0; code < codes[s->matrices]; code++) {
        struct cost_choices c = {{(enum cost_choice)(code % 3), (enum cost_choice)(code / 3 % 3),
                                  (enum cost_choice)(code / 9 % 3), (enum cost_choice)(code / 27)}};
        bool possible = true;
        for (int i = 0; i < s->matrices; i++) {
            const struct cost_matrix *m = &s->matrix[i];
            possible &= c.of[i] == COST_OUT  ? m->can_out
                        : c.of[i] == COST_IN ? m->can_in
                                             : !m->can_in && !m->can_out;
        }
        for (int to = 0; to < COST_STATES && possible; to++) {
            double sent = twin_read(s, &c, from);
            if (s->behind == COST_NORM && to != COST_IS_WHOLE) continue;
            if (s->behind == COST_POINTWISE && to == COST_IS_PARTIAL) continue;
            for (int i = 0; i < s->matrices; i++)
                sent += twin_bring(&s->matrix[i], c.of[i], (enum cost_state)to);
            best = fmin(best, sent + twin(s + 1, count - 1, (enum cost_state)to));
        }
    }
    return best;
}

Test(shard_cost, twin)
{
    for (int k = 0; k < 300; k++) {
        struct cost_step steps[4];
        struct cost_choices choices[4];
        const size_t count = 1 + draw(3);
        for (size_t i = 0; i < count; i++) {
            steps[i].matrices = 1 + (int)draw(i == 0 ? 3 : 2);
            steps[i].behind = (enum cost_behind)draw(3);
            const double in = (double)(1 + draw(9));
            for (int m = 0; m < steps[i].matrices; m++)
                steps[i].matrix[m] =
                    (struct cost_matrix){in, (double)(1 + draw(9)), draw(4) > 0, draw(4) > 0};
        }
        const double best = cost_best(steps, count, 2, choices);
        const double expected = twin(steps, count, COST_IS_WHOLE) / 2;
        cr_assert(best == expected, "%g instead of %g", best, expected);
        cr_assert_eq(cost_of(steps, count, choices, 2), best);
    }
}

/* An MLP of h = 4, f = 16 over 2 ranks, half of a vector each: out then in, one all-reduce of h
 * each way: 2 * 4 * 2 / 2 = 8. In then out, as Redco splits GPT-2's: the gradient of the input
 * gathered (4), 16 partial sums all-reduced forward and their gradients backward (32 + 32), or
 * scattered and gathered both ways (64), the output gathered (4): 72 / 2 = 36. */
Test(shard_cost, by_hand)
{
    static const struct cost_step mlp[] = {
        {1, {{4, 16, true, true}}, COST_POINTWISE},
        {1, {{16, 4, true, true}}, COST_NORM},
    };
    static const struct cost_choices turned[] = {{{COST_IN}}, {{COST_OUT}}};
    struct cost_choices best[2];
    cr_assert_eq(cost_best(mlp, 2, 2, best), 8);
    cr_assert_eq(best[0].of[0], COST_OUT);
    cr_assert_eq(best[1].of[0], COST_IN);
    cr_assert_eq(cost_of(mlp, 2, turned, 2), 36);
}
