#include "study/run_load.h"

#include <math.h>

enum { DAY_S = 86400, MOST_SPARES = 100000, NOT_SAID = MOST_SPARES + 1 };

static const char *const checkpoint_names[] = {[RK_CHECKPOINTS_SYNC] = "sync",
                                               [RK_CHECKPOINTS_ASYNC] = "async",
                                               [RK_CHECKPOINTS_MEMORY] = "memory",
                                               NULL};

/* What the file says; 0 and "" where it says nothing. */
struct said {
    struct rk_run run;
    double mtbf_s, price;
    uint64_t spares;
    bool never;
};

/* clang-format off */
#define AT(member) .offset = offsetof(struct said, member)
#define TEXT(member) FIELD_TEXT, AT(member), .size = sizeof ((struct said *)0)->member
const struct field study_run_fields[] = {
    { "tokens",       FIELD_NUMBER, .offset = offsetof(struct said, run.tokens), .max = 1e18, .help = "that are trained on (those that the model was)" },
    { "price",        FIELD_NUMBER, AT(price), .max = 1e6, .preset = -1, .help = "US dollars for an hour of an accelerator (the cheapest of the list)" },
    { "offer",        TEXT(run.offer),         .help = "... or that of an offer of the list" },
    { "failures",     TEXT(run.logbook),       .help = "a logbook of failures: llama3, opt-175b, bloom (llama3)" },
    { "never",        FIELD_BOOL,   AT(never), .help = "nothing fails" },
    { "mtbf_h",       FIELD_NUMBER, FIELD_OPTIONAL, "h",    AT(mtbf_s),          .max = 1e12, .help = "mean time between failures of an accelerator (the logbook's)" },
    { "storage_GBps", FIELD_NUMBER, FIELD_OPTIONAL, "GB/s", AT(run.storage_Bps), .max = 1e9, .help = "that checkpoints are written with (1 for each node)" },
    { "interval_s",   FIELD_NUMBER, FIELD_OPTIONAL, "s",    AT(run.interval_s),  .max = 1e9, .help = "between checkpoints (the best)" },
    { "restart_s",    FIELD_NUMBER, FIELD_OPTIONAL, "s",    AT(run.restart_s),   .max = 1e9, .help = "from a failure until work goes on" },
    { "repair_h",     FIELD_NUMBER, FIELD_OPTIONAL, "h",    AT(run.repair_s),    .max = 1e9, .help = "until a broken node is back" },
    { "spares",       FIELD_COUNT,  AT(spares), .max = MOST_SPARES, .preset = NOT_SAID, .help = "nodes that stand ready (as many as leave one failure of fifty waiting)" },
    { "checkpoints",  FIELD_CHOICE, AT(run.checkpoints), .choices = checkpoint_names, .help = "training waits for them; written behind its back; in memory of other nodes" },
    { "carbon",       FIELD_NUMBER, AT(run.carbon), .max = 1e6, .help = "grams of CO2 for a kWh" },
    { .key = NULL },
};
/* clang-format on */

/* The campaign of a step of one second with the largest batch: everything else follows. */
static enum rk_status share_of(const struct study *study, struct study_point *point,
                               struct rk_error *error)
{
    const struct rk_model *model = &study->model[point->model].model;
    const struct rk_system *system = &study->system[point->system].system;
    const struct rk_prediction second = {.outcome = {.step_s = 1}};
    struct rk_plans_problem problem;
    struct rk_campaign campaign;
    struct rk_campaign_outcome o;
    double tokens;
    study_problem(study, point, &problem);
    problem.base.ranks = point->gpus;
    problem.base.batch = point->max_batch;
    enum rk_status status = rk_run_tokens(study->facts, &study->run, model, &tokens, NULL, error);
    if (status == RK_OK)
        status = rk_run_campaign(study->facts, &study->run, model, system, &problem.base, &second,
                                 tokens, &campaign, NULL, 0, error);
    if (status != RK_OK) return status;
    rk_campaign_expect(&campaign, &o);
    point->run = (struct study_share){.tokens = tokens,
                                      .days = o.total_s / DAY_S,
                                      .gpu_hours = o.gpu_hours,
                                      .cost = o.cost,
                                      .kW = campaign.node_factor * campaign.cooling_factor / 1000};
    return RK_OK;
}

enum rk_status run_load(const struct place *place, struct study *study, struct rk_error *error)
{
    struct said said = {.price = -1, .spares = NOT_SAID};
    struct rk_error inner;
    enum rk_status status = place_need_object(place, error);
    if (status == RK_OK) status = fields_load(place, study_run_fields, &said, error);
    if (status != RK_OK) return status;
    study->has_run = true;
    study->run = said.run;
    study->run.has_price = said.price >= 0;
    study->run.price = said.price;
    study->run.mtbf_s = said.never ? INFINITY : said.mtbf_s;
    study->run.has_spares = said.spares <= MOST_SPARES;
    study->run.spares = said.spares;
    for (size_t i = 0; i < study->points; i++) {
        status = share_of(study, &study->point[i], &inner);
        if (status != RK_OK) return place_fail(place, error, "%.400s", inner.text);
    }
    return RK_OK;
}
