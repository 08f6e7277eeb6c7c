/* clusters_draw.h - where the ranks of a plan over clusters are, as a drawing (SVG): devices in
 * nodes, nodes in racks (those below one leaf), racks in clusters; coloured by stage, shaded by
 * replica, tensor groups framed; and what a step sends over each boundary. */
#ifndef RECKON_CLI_CLUSTERS_DRAW_H
#define RECKON_CLI_CLUSTERS_DRAW_H

#include "clusters/ranks.h"
#include "report/report.h"

enum { DRAW_MOST_DEVICES = 16384 };

/* RK_USAGE: more devices than can be drawn. */
enum rk_status clusters_draw(const char *path, const struct clusters_plan *plan,
                             const struct rk_machine *machine, struct rk_error *error);

/* The same as a text in `memory`; NULL: more devices than can be drawn, or no memory. */
const char *clusters_drawn(struct report *memory, const struct clusters_plan *plan,
                           const struct rk_machine *machine);

#endif
