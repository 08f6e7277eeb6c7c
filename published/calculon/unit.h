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
#include "calculon/unit_batch.h"
#include "search/visitor.h"

/* A time for a sample below those of all strategies of the unit. */
double unit_bound_s(const struct strategies *space, const struct unit *unit);

void unit_run(const struct strategies *space, const struct unit *unit, struct scratch *scratch,
              struct visitor *visitor);

#endif
