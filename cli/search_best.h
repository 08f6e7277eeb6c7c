/* search_best.h - the best plans of a search as a table. */
#ifndef RECKON_CLI_SEARCH_BEST_H
#define RECKON_CLI_SEARCH_BEST_H

#include "cli/search_job.h"
#include "cli/search_select.h"

/* What a plan found is known by, as columns of tables. */
/* clang-format off */
#define SEARCH_FIGURES \
    {.name = "step_s",           .title = "step",         .unit = "s", .digits = 4}, \
    {.name = "samples_per_s",    .title = "samples/s",    .unit = "",  .digits = 5}, \
    {.name = "tokens_per_s",     .title = "tokens/s",     .unit = "n", .digits = 2}, \
    {.name = "tokens_per_s_gpu", .title = "tokens/s/GPU", .unit = "",  .digits = 5}, \
    {.name = "mfu",              .title = "MFU",          .unit = "%", .digits = 2}, \
    {.name = "hbm_bytes",        .title = "memory",       .unit = "B", .digits = 1}
/* clang-format on */

/* For people: what all have in common above, in the table what varies. */
void search_best_text(struct report *report, const struct search *search,
                      const struct search_keys *keys);

/* For programs: every row and column. */
void search_best_all(struct report *report, const struct search *search,
                     const struct search_keys *keys);

#endif
