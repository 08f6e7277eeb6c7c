/* search_best.h - the best plans of a search as a table. */
#ifndef RECKON_CLI_SEARCH_BEST_H
#define RECKON_CLI_SEARCH_BEST_H

#include "cli/search_job.h"
#include "cli/search_select.h"

/* For people: what all have in common above, in the table what varies. */
void search_best_text(struct report *report, const struct search *search,
                      const struct search_keys *keys);

/* For programs: every row and column. */
void search_best_all(struct report *report, const struct search *search,
                     const struct search_keys *keys);

#endif
