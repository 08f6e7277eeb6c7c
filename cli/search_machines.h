/* search_machines.h - machines side by side: what each costs under its best plan, and how much was
 * measured on such accelerators. */
#ifndef RECKON_CLI_SEARCH_MACHINES_H
#define RECKON_CLI_SEARCH_MACHINES_H

#include "cli/search_grid.h"
#include "facts/learned.h"
#include "text/csv.h"

/* What a row says beyond its step; 0 and NAN: not known or not asked. */
struct machine_facts {
    double price;                 /* US dollars of an accelerator for an hour */
    char price_kind[RK_RUN_NAME]; /* the offer whose price it is: on-demand, spot; given */
    double power_kW;          /* of all of it at work, hosts and cooling included, in the mean */
    double energy_kWh;        /* of the run */
    double cost_per_trillion; /* US dollars of 10^12 tokens */
    bool ranged;
    double ratio[ERROR_SHARES]; /* measured over predicted steps of runs like it (error_bar.h) */
    uint64_t measured;          /* rows of data/measured/steps.csv on this accelerator */
};

/* The measured steps of the catalog; without them the table is empty. */
void search_machines_open(struct csv *steps);

/* Of the best plan of a search; `cost` is that of its run, 0: not known. */
enum rk_status search_machines_facts(const struct search *search, const struct rk_plan *plan,
                                     const struct rk_prediction *prediction, double cost,
                                     const struct csv *steps, struct machine_facts *facts,
                                     struct rk_error *error);

/* Is --sort the name of a column that only rows have, not plans? */
bool search_machines_orders(const char *sort);

#endif
