#include "search/frontier.h"

#include "base/memory.h"

#include <stdlib.h>

/* Is a at least as good as b in everything? Of equal points the first one counts. */
static bool covers(const struct point *a, const struct point *b)
{
    bool equal = true;
    for (int i = 0; i < OBJECTIVES; i++) {
        if (!(a->objective[i] <= b->objective[i])) return false;
        equal = equal && a->objective[i] == b->objective[i];
    }
    return !equal || a->index <= b->index;
}

/* Would an offer change nothing? */
static bool frontier_covers(struct frontier *f, const struct point *point)
{
    for (size_t i = 0; i < f->count; i++) {
        if (!covers(&f->point[i], point)) continue;
        if (i > 0) { /* what covers one point covers the next ones too */
            const struct point kept = f->point[i];
            f->point[i] = f->point[i / 2];
            f->point[i / 2] = kept;
        }
        return true;
    }
    return false;
}

void frontier_offer(struct frontier *f, const struct point *point)
{
    size_t kept = 0;
    if (frontier_covers(f, point)) return;
    for (size_t i = 0; i < f->count; i++)
        if (!covers(point, &f->point[i])) f->point[kept++] = f->point[i];
    f->count = kept;
    if (!ARRAY_ROOM(f->point, f->count)) {
        f->failed = true;
        return;
    }
    f->point[f->count++] = *point;
}

void frontier_move(struct frontier *to, struct frontier *from)
{
    for (size_t i = 0; i < from->count; i++)
        frontier_offer(to, &from->point[i]);
    to->failed |= from->failed;
    from->count = 0;
}

static int compare(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    for (int i = 0; i < OBJECTIVES; i++)
        if (x->objective[i] != y->objective[i]) return x->objective[i] < y->objective[i] ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

void frontier_sort(struct frontier *f)
{
    if (f->count > 0) qsort(f->point, f->count, sizeof *f->point, compare);
}

void frontier_release(struct frontier *f)
{
    free(f->point);
    *f = (struct frontier){.count = 0};
}
