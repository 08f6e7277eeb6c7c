/* clusters_top.c - the best of the plans over clusters that were simulated. */
#include "catalog/clusters_words.h"
#include "cli/clusters_tables.h"

#include <math.h>
#include <stdlib.h>

/* clang-format off */
static const struct report_column top_columns[] = {
    {.name = "rank"},
    {.name = "step_s", .title = "step", .unit = "s", .digits = 4},
    {.name = "slower", .title = "slower", .unit = "%", .digits = 3, .help = "than the best"},
    {.name = "objective_s", .title = "objective", .unit = "s", .digits = 4},
    {.name = "gpus", .title = "GPUs used"},
    {.name = "usd", .title = "USD a step", .digits = 4},
    {.name = "plan", .title = "plan"},
};
/* clang-format on */

static void add_row(const struct clusters_shown *show, struct report_table *table, int rank,
                    struct given_plan *given)
{
    const struct clusters_plan *plan = &show->kept->plan[rank];
    const double usd = clusters_price(show->question->machine, plan);
    char words[2048];
    given_of(show->question, plan, given);
    clusters_words_of(show->question, given, words, sizeof words);
    report_row(show->report, table,
               (const struct report_cell[]){
                   cell_count((uint64_t)rank + 1),
                   cell_number(plan->simulated_s),
                   cell_number(plan->simulated_s / show->kept->plan[0].simulated_s - 1),
                   plan->chunks > 1 ? cell_none() : cell_number(plan->value_s),
                   cell_count(clusters_gpus_used(plan)),
                   isnan(usd) ? cell_none() : cell_number(usd),
                   cell_text(report_text(show->report, "%s", words)),
               });
}

void clusters_show_top(const struct clusters_shown *show)
{
    struct given_plan *given = malloc(sizeof *given);
    struct report_table *table =
        REPORT_LIST(show->report, "top", "The best plans of those that were simulated",
                    REPORT_IN_TEXT | REPORT_IN_JSON, top_columns);
    for (int i = 0; given && i < show->kept->count; i++)
        add_row(show, table, i, given);
    free(given);
    report_note(show->report, "the first is the best that was found, and its bounds stand above; "
                              "others nearly as good may have been left out by bounds, unseen");
}
