/* unit.h - a piece of a search that one thread does alone: some lanes of one group.
 *
 * Lanes are pairs of a row (kind of layer) and a microbatch size. A unit goes through all
 * interleavings, sharding, offloads, data overlap and networks for its lanes, decides memory
 * first, then time where memory admits a plan.
 */
#ifndef RECKON_CALCULON_UNIT_H
#define RECKON_CALCULON_UNIT_H

#include "calculon/folio.h"
#include "calculon/kernel.h"
#include "calculon/space.h"
#include "search/visitor.h"

struct unit {
    const struct group *group;
    const struct folio *folio;
    int first_row, rows;  /* all recompute in full, or none does */
    int first_microbatch; /* in the group's list */
    int folio_microbatch; /* the same one in the folio's list */
    int microbatches;
    double bound_s; /* no strategy of the unit is faster */
};

/* A batch of the lanes of a unit, and where they stand in the space. */
struct unit_batch {
    struct batch batch; /* first: its index() gets back to what follows */
    const struct unit *unit;
    int interleaving; /* position in the group's list */
    bool sharding;
    int at[INNERS]; /* without what differs from lane to lane */
};

struct scratch; /* arrays of one thread */

struct scratch *scratch_open(const struct strategies *space);
void scratch_close(struct scratch *scratch);

/* A time for a sample below those of all strategies of the unit. */
double unit_bound_s(const struct strategies *space, const struct unit *unit);

void unit_run(const struct strategies *space, const struct unit *unit, struct scratch *scratch,
              struct visitor *visitor);

#endif
