#include "study/run_load.h"

#include <math.h>

enum { DAY_S = 86400, NOT_SAID = 1 << 30 };

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
#define TEXT(member) FIELD_TEXT, AT(run.member), .size = sizeof ((struct said *)0)->run.member
const struct field study_run_fields[] = {
#define RUN_TOKENS(member, option, argument, most, what) \
    { option, FIELD_NUMBER, AT(run.member), .max = most, .help = what },
#define RUN_PRICE(member, offer, option, argument, most, what, offered, usual) \
    { option, FIELD_NUMBER, AT(member), .max = most, .preset = -1, .help = what " (" usual ")" }, \
    { #offer, TEXT(offer), .help = "... or that of " offered },
#define RUN_NAME(member, option, argument, what) { option, TEXT(member), .help = what },
#define RUN_RARE(member, option, argument, key, most, what) \
    { "never", FIELD_BOOL, AT(never), .help = "nothing fails" }, \
    { key, FIELD_NUMBER, FIELD_OPTIONAL, "h", AT(member), .max = most, .help = what },
#define RUN_COUNT(member, option, argument, most, what) \
    { option, FIELD_COUNT, AT(member), .max = most, .preset = NOT_SAID, .help = what },
#define RUN_MEASURE(member, option, argument, quantity, key, unit, what) \
    { key, FIELD_NUMBER, FIELD_OPTIONAL, unit, AT(run.member), .max = 1e9, .help = what },
#define RUN_CHECKPOINTS(member, option, what) \
    { option, FIELD_CHOICE, AT(run.member), .choices = checkpoint_names, .help = what },
#define RUN_NUMBER(member, option, argument, most, what) \
    { option, FIELD_NUMBER, AT(run.member), .max = most, .help = what },
#include <reckon/run.def>
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
    study->run.has_spares = said.spares != NOT_SAID;
    study->run.spares = said.spares;
    for (size_t i = 0; i < study->systems; i++)
        if (study->system[i].machine)
            return place_fail(place, error,
                              "%.200s has several clusters, whose runs a study does not tell: "
                              "leave \"run\" out; reckon clusters --tokens tells one",
                              study->system[i].name);
    for (size_t i = 0; i < study->points; i++) {
        status = share_of(study, &study->point[i], &inner);
        if (status != RK_OK) return place_fail(place, error, "%.400s", inner.text);
    }
    return RK_OK;
}
