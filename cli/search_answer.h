/* search_answer.h - the answer to one search as a report: the best strategies, what became of all.
 */
#ifndef RECKON_CLI_SEARCH_ANSWER_H
#define RECKON_CLI_SEARCH_ANSWER_H

#include "cli/search_select.h"

struct search_answer {
    const struct search *search;
    struct search_keys keys; /* of --sort and --pareto: columns */
};

/* Rows are made as they are written: any number of them takes no memory. The answer must outlive
 * the report. */
void search_answer_fill(struct report *report, const struct search_answer *answer);

/* "tensor 8, pipeline 16, data 8, ...": what is most worth knowing of a plan. Lives in the report.
 */
const char *search_plan_text(struct report *report, const struct rk_strategy *strategy);

/* On standard error: how long it took, and by which argument the strategies were settled. */
void search_answer_rate(const struct search *search, const struct search_session *session);
void search_answer_explain(const struct search *search);

#endif
