#include "run/choose.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static uint32_t likeliest(const double *logits, uint64_t words)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < words; i++)
        if (logits[i] > logits[best]) best = i;
    return best;
}

/* Splits into what is above x[0], equal to it, and below; returns how many are above. */
static uint64_t split(double *x, uint64_t n, uint64_t *equal)
{
    const double pivot = x[n / 2];
    uint64_t above = 0, end = 0; /* [above, end) are equal */
    for (uint64_t i = 0; i < n; i++) {
        const double value = x[i];
        if (value < pivot) continue;
        x[i] = x[end];
        x[end++] = value;
        if (value == pivot) continue;
        x[end - 1] = x[above];
        x[above++] = value;
    }
    *equal = end - above;
    return above;
}

/* The least of the largest of n values that together reach `wanted`: each counts one, or itself. */
static double threshold(double *x, uint64_t n, double wanted, bool by_value)
{
    double before = 0;
    for (;;) {
        uint64_t equal, above = split(x, n, &equal);
        const double pivot = x[above];
        double sum = 0;
        for (uint64_t i = 0; i < above; i++)
            sum += by_value ? x[i] : 1;
        const double here = (double)equal * (by_value ? pivot : 1);
        if (above && before + sum >= wanted) {
            n = above;
        } else if (before + sum + here >= wanted || above + equal == n) {
            return pivot;
        } else {
            before += sum + here;
            x += above + equal;
            n -= above + equal;
        }
    }
}

/* What is below the least weight that counts becomes 0. */
static void keep_from(double *weight, uint64_t words, double least)
{
    for (uint64_t i = 0; i < words; i++)
        if (weight[i] < least) weight[i] = 0;
}

uint32_t choose_word(const struct choice *choice, double *logits, uint64_t words, double chance,
                     double *scratch)
{
    double sum = 0, seen = 0;
    uint32_t best = likeliest(logits, words);
    const double most = logits[best];
    if (!(choice->temperature > 0)) return best;
    if (choice->top && choice->top < words) {
        memcpy(scratch, logits, words * sizeof *logits);
        const double least = threshold(scratch, words, (double)choice->top, false);
        for (uint64_t i = 0; i < words; i++)
            if (logits[i] < least) logits[i] = -INFINITY;
    }
    for (uint64_t i = 0; i < words; i++)
        sum += logits[i] = exp((logits[i] - most) / choice->temperature);
    if (choice->share > 0 && choice->share < 1) {
        memcpy(scratch, logits, words * sizeof *logits);
        keep_from(logits, words, threshold(scratch, words, choice->share * sum, true));
        sum = 0;
        for (uint64_t i = 0; i < words; i++)
            sum += logits[i];
    }
    for (uint32_t i = 0; i < words; i++) {
        if (!(logits[i] > 0)) continue;
        seen += logits[i];
        best = i;
        if (seen >= chance * sum) break;
    }
    return best;
}
