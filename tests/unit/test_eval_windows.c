/* Windows over a text: each token but the first is scored once, behind enough others. */
#include "cli/eval_set.h"

#include <criterion/criterion.h>

static void check(size_t at, size_t tokens, uint64_t sequence, uint64_t stride)
{
    struct eval_set set = {.count = 0};
    size_t next = at + 1;
    cr_assert(eval_windows(&set, at, at + tokens, sequence, stride));
    for (size_t i = 0; i < set.count; i++) {
        const struct rk_sequence *s = &set.sequence[i];
        cr_assert(s->first >= 1 && s->first < s->tokens && s->tokens <= sequence + 1);
        for (uint64_t t = s->first; t < s->tokens; t++, next++) {
            const size_t there = next - at; /* tokens of the text before it */
            const uint64_t least = there < sequence - stride + 1 ? there : sequence - stride + 1;
            cr_assert_eq(set.at[i] + t, next);
            cr_assert(t >= least, "%zu tokens, %llu by %llu: token %zu sees %llu", tokens,
                      (unsigned long long)sequence, (unsigned long long)stride, there,
                      (unsigned long long)t);
        }
    }
    cr_assert_eq(next, tokens ? at + tokens : at + 1);
    cr_assert_eq(set.scored, tokens ? tokens - 1 : 0);
    eval_set_release(&set);
}

Test(eval, each_token_is_scored_once)
{
    for (size_t tokens = 0; tokens < 30; tokens++)
        for (uint64_t sequence = 1; sequence < 12; sequence++)
            for (uint64_t stride = 1; stride <= sequence; stride++) {
                check(0, tokens, sequence, stride);
                check(7, tokens, sequence, stride);
            }
}
