/* unit_batch.h - a unit of the search, a batch of its lanes, and the arrays of a thread that goes
 * through them. */
#ifndef RECKON_CALCULON_UNIT_BATCH_H
#define RECKON_CALCULON_UNIT_BATCH_H

#include "calculon/folio.h"
#include "calculon/kernel.h"
#include "calculon/space.h"

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

#endif
