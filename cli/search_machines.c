#include "cli/search_machines.h"

#include "catalog/catalog.h"
#include "cli/prediction.h"

#include <stdio.h>
#include <string.h>

enum { WATTS_OF_kW = 1000 };

bool search_machines_orders(const char *sort)
{
    static const char *const names[] = {"price",    "power",      "power_kW",
                                        "energy",   "energy_kWh", "cost_per_trillion",
                                        "measured", NULL};
    for (int i = 0; sort && names[i]; i++)
        if (strcmp(sort, names[i]) == 0) return true;
    return false;
}

/* ---- measured runs ---- */

void search_machines_open(struct csv *steps)
{
    char folder[3072], path[4096];
    struct rk_error error;
    *steps = (struct csv){.rows = 0};
    if (catalog_folder(folder, sizeof folder, &error) != RK_OK) return;
    snprintf(path, sizeof path, "%s/measured/steps.csv", folder);
    if (csv_load(path, steps, &error) != RK_OK) *steps = (struct csv){.rows = 0};
}

/* Rows whose machine is of the same accelerator: the first word of its line. */
static uint64_t count_measured(const struct csv *steps, const char *id)
{
    const int column = steps->rows ? csv_column(steps, "system") : -1;
    const size_t length = strcspn(id, " ");
    uint64_t count = 0;
    for (size_t i = 0; column >= 0 && i < steps->rows; i++) {
        const char *system = csv_cell(steps, i, (size_t)column);
        count += strcspn(system, " ") == length && strncmp(system, id, length) == 0;
    }
    return count;
}

/* ---- money and power ---- */

/* Which price it is: those of different kinds stand side by side. */
static void name_price(const struct run_terms *terms, const struct rk_system *system,
                       struct machine_facts *facts)
{
    const struct rk_price_offer *offer = NULL;
    if (!terms->run.has_price || *system->price)
        rk_price_of(terms->facts, system, terms->run.offer, &offer);
    if (facts->price > 0)
        snprintf(facts->price_kind, sizeof facts->price_kind, "%s", offer ? offer->name : "given");
}

static enum rk_status run_facts(const struct search *search, const struct forecast *f, double cost,
                                struct machine_facts *facts, struct rk_error *error)
{
    struct run_terms terms;
    struct rk_campaign c;
    struct rk_campaign_outcome outcome;
    double tokens = 0;
    enum rk_status status = run_terms_open(&terms, &search->args->run, error);
    if (status == RK_OK)
        status = rk_run_tokens(terms.facts, &terms.run, f->model, &tokens, NULL, error);
    if (status == RK_OK) {
        terms.space = &search->problem;
        status = run_campaign(&terms, f, tokens, &c, NULL, error);
    }
    if (status == RK_OK) {
        rk_campaign_expect(&c, &outcome);
        facts->price = c.price;
        name_price(&terms, f->system, facts);
        facts->power_kW =
            c.power_W * (double)c.ranks * c.node_factor * c.cooling_factor / WATTS_OF_kW;
        facts->energy_kWh = outcome.energy_kWh;
        facts->cost_per_trillion = cost > 0 ? cost / (tokens / 1e12) : 0;
    }
    run_terms_close(&terms);
    return status;
}

enum rk_status search_machines_facts(const struct search *search, const struct rk_plan *plan,
                                     const struct rk_prediction *prediction, double cost,
                                     const struct csv *steps, struct machine_facts *facts,
                                     struct rk_error *error)
{
    const struct rk_plans_problem *p = &search->problem;
    const struct forecast f = {p->model, p->system, plan, prediction, "", NULL};
    double range[FORECAST_QUANTILES];
    *facts = (struct machine_facts){.measured = count_measured(steps, p->system->id)};
    facts->ranged = forecast_range(&f, range);
    for (int i = 0; facts->ranged && i < FORECAST_QUANTILES; i++)
        facts->ratio[i] = range[i] / prediction->step_s;
    if (!search->args->run.tokens || search_is_over_clusters(search)) return RK_OK;
    return run_facts(search, &f, cost, facts, error);
}
