/* frontier.h - plans none of which is at least as good as another in everything. */
#ifndef RECKON_SEARCH_FRONTIER_H
#define RECKON_SEARCH_FRONTIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OBJECTIVES = 8 };

struct point {
    double objective[OBJECTIVES]; /* less is better; those that are not asked for: 0 */
    double step_s, samples_per_s;
    uint64_t index;
};

struct frontier {
    size_t count;
    struct point *point; /* (count) */
    bool failed;         /* there was no memory for one of them */
};

/* Of points that are equal in everything the one with the smallest index stays. */
void frontier_offer(struct frontier *frontier, const struct point *point);

/* All of `from`, which is cleared. */
void frontier_move(struct frontier *to, struct frontier *from);

/* By the first objective, then the others, then the index. */
void frontier_sort(struct frontier *frontier);
void frontier_release(struct frontier *frontier);

#endif
