/* search_why.h - `reckon search --why`: which strategies miss by least, and what single change of
 * the machine, the size or the restrictions would admit a plan.
 *
 * When nothing fits, any plan counts; when something does, those that train at least 1 % more
 * samples per second than the best one. Nothing is guessed: the strategies that only one limit
 * refuses are selected from the space of the system without that limit, and every change is made in
 * a copy of the problem and searched.
 */
#ifndef RECKON_CLI_SEARCH_WHY_H
#define RECKON_CLI_SEARCH_WHY_H

#include "cli/search_job.h"
#include "report/report.h"

/* Adds the tables "misses" and "changes". When it was stopped, what it has until then. */
void search_why_fill(struct report *report, const struct search *search);

/* ---- between search_why.c and search_change.c ---- */

/* What a plan must be to count. */
struct search_aim {
    const struct search *search;
    double rate; /* more samples per second than this; 0: any plan */
};

/* The limits of a machine. */
enum search_limit { LIMIT_MEMORY, LIMIT_NETWORK };

/* The strategies that this limit alone keeps out, by what they need of it, the least first: bytes
 * or ranks. Of those that need the same, the fastest one. Returns how many there are. */
struct search_miss {
    double need;
    struct rk_strategy strategy;
    struct rk_estimate estimate; /* on the system without the limit: its time */
};
enum { SEARCH_MISSES = 3 };
int search_misses(const struct search_aim *aim, const struct rk_problem *problem,
                  enum search_limit limit, int tier, struct search_miss missed[SEARCH_MISSES]);

/* Does the changed problem have a plan that counts? */
bool search_admits(const struct search_aim *aim, const struct rk_problem *problem,
                   struct search_best *best);

/* Adds the table of changes. */
void search_changes_fill(struct report *report, const struct search_aim *aim);

#endif
