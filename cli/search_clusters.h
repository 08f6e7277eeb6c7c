/* search_clusters.h - what only a search over several clusters has to say: what is proved of the
 * best, each cluster by itself, what one launcher runs. */
#ifndef RECKON_CLI_SEARCH_CLUSTERS_H
#define RECKON_CLI_SEARCH_CLUSTERS_H

#include "cli/search_job.h"

/* Among the first lines: how the best was found; where Megatron-LM does not launch it as one job,
 * the best that it does. */
void search_clusters_head(struct report *report, const struct search *search);

/* After the best plans: the stages of the first one, bounds, each cluster by itself. */
void search_clusters_proof(struct report *report, const struct search *search);

/* What launches the best, and what else to ask of it. */
void search_clusters_next(struct report *report, const struct search *search,
                          const struct rk_plan *plan);

/* How little bandwidth makes a link useless: asked with --sensitivity. */
void search_clusters_links(struct report *report, const struct search *search);

/* Stage by stage, and the clusters in order; live in the report. */
const char *search_clusters_words(struct report *report, const struct search *search,
                                  const struct rk_plan *plan);

#endif
