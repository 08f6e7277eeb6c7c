/* clusters_tables.h - a plan over clusters as tables: of the step, its stages, what each cluster
 * does by itself, what other links would do. */
#ifndef RECKON_CLI_CLUSTERS_TABLES_H
#define RECKON_CLI_CLUSTERS_TABLES_H

#include "cli/prediction_clusters.h"
#include "clusters/given.h"
#include "clusters/kept.h"
#include "clusters/price.h"
#include "report/report.h"

/* What is searched for again. */
struct clusters_also {
    bool links;   /* with other links */
    bool why;     /* without a choice */
    uint64_t top; /* the best so many of the simulated plans; 0: no list */
    bool pareto;  /* with fewer nodes, time against price; prices are known */
};

/* `given`: the plan was given, not searched; else NULL. `kept`: of also->top. False: no memory. */
bool clusters_show(struct report *report, const struct clusters_question *question,
                   const struct clusters_answer *answer, const struct given_plan *given,
                   const struct clusters_kept *kept, const struct clusters_also *also);

/* ---- what the tables share ---- */

struct clusters_shown {
    struct report *report;
    const struct clusters_question *question;
    const struct clusters_answer *answer;
    const struct given_plan *given;
    const struct clusters_kept *kept;
};

/* clusters_top.c: the list of the plans that were kept. */
void clusters_show_top(const struct clusters_shown *show);

/* clusters_again.c; false: no memory. */
bool clusters_show_links(const struct clusters_shown *show);
bool clusters_show_why(const struct clusters_shown *show);
bool clusters_show_pareto(const struct clusters_shown *show);

#endif
