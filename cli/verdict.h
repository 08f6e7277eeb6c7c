/* verdict.h - the answer about one plan in its first lines, alike in every command: whether it fits
 * and how probably, its step with the 50 % interval, MFU and memory; of a plan that cannot run the
 * reason. */
#ifndef RECKON_CLI_VERDICT_H
#define RECKON_CLI_VERDICT_H

#include "cli/prediction.h"

#include <reckon/advise.h>

/* "fits: P(fits) 76 %, 3.368 s per step (50 % 3.287-4.314 s), MFU 46.1 %, ..."; lives as
 * long as the report. */
const char *verdict_line(struct report *report, const struct forecast *f);

/* Suffix of a plan's figures: ", unsure: P(fits) 57 %", ", does not fit"; "". */
const char *verdict_behind(struct report *report, const struct forecast *f);

/* Does the plan fit, by its fullest stage? One that cannot run does not. `bounds` NULL: the usual.
 */
enum rk_sure verdict_sure(const struct forecast *f, const struct rk_sure_bounds *bounds);

enum report_tone verdict_tone(enum rk_sure sure);
const char *verdict_word(const struct forecast *f, enum rk_sure sure); /* or "cannot run" */

/* 1 where it does not fit by the usual bounds or cannot run, else 0: of an unsure plan there is an
 * answer, and `reckon fits` alone tells it apart by its exit status. */
int verdict_exit(const struct forecast *f);

/* The same of the plan with a change of rk_savings(): what predict and fits say of it. */
enum rk_sure verdict_saving(const struct forecast *f, const struct rk_saving *change,
                            const struct rk_sure_bounds *bounds);

/* rk_savings(), of a plan that does not fit the ones that surely fit first, then the unsure ones.
 */
int verdict_savings(const struct forecast *f, const struct rk_sure_bounds *bounds,
                    struct rk_saving saving[RK_MAX_SAVINGS]);

/* ... in the columns SAVING_COLUMNS of a table of changes. */
#define SAVING_COLUMNS                                                                             \
    {.name = "outcome", .title = "fits"},                                                          \
    {                                                                                              \
        .name = "p_fits", .title = "P(fits)", .unit = "%"                                          \
    }
#define SAVING_CELLS(f, change, bounds)                                                            \
    cell_text(rk_sure_name(verdict_saving(f, change, bounds))), verdict_saving_chance(f, change)
struct report_cell verdict_saving_chance(const struct forecast *f, const struct rk_saving *change);

/* P(fits) of the fullest stage; NAN where no measured runs say it. */
double verdict_probability(const struct forecast *f);

/* Prints it, and below it what it is about, the plan and what was assumed; pages have it, too. */
void verdict_add(struct report *report, const struct forecast *f,
                 const struct rk_sure_bounds *bounds);

/* The answer of a command that looks for a plan: `what` it found ("longest sequence: 8K tokens; "),
 * then the verdict on the plan; below it the plan. Both come before all that is there. */
void verdict_of(struct report *report, const char *what, const struct forecast *f);

/* "Best plan fits: ..."; of a search that was stopped, that this is so. */
enum rk_sure verdict_best(struct report *report, bool complete, const struct forecast *f);

/* Of a plan that lacks memory: "remedy: cp2: fits, ...", the single change, else the pair, that
 * costs least time; NULL: it does not lack it. `change` is set where one `helps`. */
const char *verdict_remedy(struct report *report, const struct forecast *f,
                           struct rk_saving *change, bool *helps);

/* Of what cannot run people get the reason alone: no table that is there. */
void verdict_alone(struct report *report);

/* "269.6 days and 10.93M USD with 2 spare nodes", which are paid for; `usd` 0: no price is known.
 */
const char *verdict_bill(struct report *report, double days, double usd, uint64_t spares);

/* Adds to the verdict what the whole run takes. */
void verdict_run(struct report *report, double days, double usd, uint64_t spares);
/* Adds to the verdict what training on 10^9 tokens costs, "611 USD per 1B tokens", and returns the
 * line that says at which price; NULL, and nothing is added, where none is known. Where a run is
 * asked about, verdict_run() says more. */
const char *verdict_cost(struct report *report, const struct forecast *f);
/* The two texts alone; "" where no price is known. */
const char *verdict_cost_of(struct report *report, const struct forecast *f, const char **price);

/* "10.93M USD" */
const char *verdict_money(struct report *report, double usd);

/* "memory 65.1 of 80.0 GiB" */
const char *verdict_memory(struct report *report, double need_bytes, double capacity_bytes);

/* "P(fits) 76 %"; "" where no measured runs say it (NAN). */
const char *verdict_chance(struct report *report, double probability);

#endif
