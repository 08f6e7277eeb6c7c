/* ranks_map.h - where the ranks of a plan over clusters are, as a chart: devices in nodes, nodes
 * in racks (those below one leaf), racks in clusters; coloured by stage, numbered by replica,
 * tensor groups framed; and what a step sends over each boundary. */
#ifndef RECKON_CLI_RANKS_MAP_H
#define RECKON_CLI_RANKS_MAP_H

#include "clusters/ranks.h"
#include "report/html.h"

enum { MAP_MOST_DEVICES = 16384 };

/* Adds the chart; nothing where there are more devices than can be drawn. */
void clusters_map(struct html_page *page, const struct clusters_plan *plan,
                  const struct rk_machine *machine);

/* The same as a page of its own: `--draw`. RK_BAD_ARGUMENT: more devices than can be drawn, or a
 * name that does not end in .html. */
enum rk_status clusters_draw(const char *path, const struct clusters_plan *plan,
                             const struct rk_machine *machine, struct rk_error *error);

#endif
