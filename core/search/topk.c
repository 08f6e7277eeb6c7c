#include "search/topk.h"

#include <math.h>
#include <stdlib.h>

bool topk_init(struct topk *topk, uint64_t room)
{
    topk->count = 0;
    topk->room = room;
    topk->heap = malloc(room * sizeof *topk->heap);
    return topk->heap != NULL;
}

void topk_release(struct topk *topk)
{
    free(topk->heap);
    *topk = (struct topk){0};
}

static void topk_clear(struct topk *topk)
{
    topk->count = 0;
}

static void swap(struct rk_candidate *a, struct rk_candidate *b)
{
    const struct rk_candidate kept = *a;
    *a = *b;
    *b = kept;
}

static void rise(struct rk_candidate *heap, uint64_t i)
{
    while (i > 0 && candidate_before(&heap[(i - 1) / 2], &heap[i])) {
        swap(&heap[(i - 1) / 2], &heap[i]);
        i = (i - 1) / 2;
    }
}

static void sink(struct rk_candidate *heap, uint64_t count)
{
    uint64_t i = 0;
    for (;;) {
        uint64_t worst = i;
        for (uint64_t child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++)
            if (candidate_before(&heap[worst], &heap[child])) worst = child;
        if (worst == i) return;
        swap(&heap[i], &heap[worst]);
        i = worst;
    }
}

void topk_offer(struct topk *topk, struct rk_candidate candidate)
{
    if (topk->count < topk->room) {
        topk->heap[topk->count] = candidate;
        rise(topk->heap, topk->count++);
    } else if (candidate_before(&candidate, &topk->heap[0])) {
        topk->heap[0] = candidate;
        sink(topk->heap, topk->count);
    }
}

void topk_move(struct topk *to, struct topk *from)
{
    for (uint64_t i = 0; i < from->count; i++)
        topk_offer(to, from->heap[i]);
    topk_clear(from);
}

double topk_least(const struct topk *topk)
{
    return topk->count < topk->room ? 0 : topk->heap[0].key;
}

static int compare(const void *a, const void *b)
{
    const struct rk_candidate *x = a, *y = b;
    return candidate_before(x, y) ? -1 : candidate_before(y, x);
}

void topk_sort(struct topk *topk)
{
    if (topk->count > 0) qsort(topk->heap, topk->count, sizeof *topk->heap, compare);
}

/* ---- ties ---- */

static int by_index(const void *a, const void *b)
{
    const struct rk_candidate *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

void rk_answer_settle(struct rk_answer *answer)
{
    for (uint64_t i = 0, end; i < answer->found; i = end) {
        const double step_s = answer->best[i].step_s;
        for (end = i + 1; end < answer->found; end++)
            if (fabs(answer->best[end].step_s - step_s) > 1e-12 * step_s) break;
        qsort(answer->best + i, end - i, sizeof *answer->best, by_index);
    }
}
