#include "study/run_load.h"

#include "base/memory.h"
#include "study/digest.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

enum { DAY_S = 86400, NOT_SAID = 1 << 30 };

static const char *const checkpoint_names[] = {[RK_CHECKPOINTS_SYNC] = "sync",
                                               [RK_CHECKPOINTS_ASYNC] = "async",
                                               [RK_CHECKPOINTS_MEMORY] = "memory",
                                               NULL};

double run_kW(const struct rk_campaign *campaign)
{
    return campaign->node_factor * campaign->cooling_factor / 1000;
}

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
static const struct field study_run_fields[] = {
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

/* How the pieces between checkpoints lengthen a run, the mean time between failures apart, as
 * rk_campaign_expect() and the views of schema.c have it; t: what is worked between two. */
static double slowed(double t, double blocking_s, double rate)
{
    const double piece_s = t + blocking_s, failures = piece_s * rate;
    return piece_s / t * (failures > 0 ? expm1(failures) / failures : 1);
}

/* What is so of all steps. */
static void tell_pieces(struct rk_campaign campaign, const struct rk_campaign_outcome *second,
                        struct study_share *share)
{
    struct rk_campaign_outcome longest;
    share->steps = second->steps;
    share->blocking_s = second->blocking_s;
    share->rate = isfinite(second->mtbf_s) ? 1 / second->mtbf_s : 0;
    share->slowed = slowed(second->interval_s, share->blocking_s, share->rate);
    campaign.tokens *= 1e12;
    rk_campaign_expect(&campaign, &longest);
    share->interval_s = longest.interval_s;
}

/* The campaign of a step of one second with the largest batch, on a machine of `gpus` of the
 * system's accelerators: everything else follows. */
static enum rk_status share_of(const struct study *study, const struct study_point *point,
                               const struct rk_system *system, uint64_t gpus,
                               struct study_share *share, struct rk_error *error)
{
    const struct rk_model *model = &study->model[point->model].model;
    const struct rk_prediction second = {.outcome = {.step_s = 1}};
    struct rk_plans_problem problem;
    struct rk_campaign campaign;
    struct rk_campaign_outcome o, alone;
    double tokens;
    study_problem(study, point, &problem);
    problem.base.ranks = gpus;
    problem.base.batch = point->max_batch;
    enum rk_status status = rk_run_tokens(study->facts, &study->run, model, &tokens, NULL, error);
    if (status == RK_OK)
        status = rk_run_campaign(study->facts, &study->run, model, system, &problem.base, &second,
                                 tokens, &campaign, NULL, 0, error);
    if (status != RK_OK) return status;
    const bool said = study->run.has_spares;
    if (!said) campaign.recovery.spares = rk_campaign_spares_long(&campaign);
    rk_campaign_expect(&campaign, &o);
    if (!said) campaign.recovery.spares = 0;
    rk_campaign_expect(&campaign, &alone);
    *share = (struct study_share){.tokens = tokens,
                                  .days = o.total_s / DAY_S,
                                  .gpu_hours = o.gpu_hours,
                                  .cost = o.cost,
                                  .kW = run_kW(&campaign),
                                  .long_step_s = rk_campaign_long_step_s(&campaign),
                                  .short_days = alone.total_s / DAY_S,
                                  .short_gpu_hours = alone.gpu_hours,
                                  .short_cost = alone.cost};
    tell_pieces(campaign, &alone, share);
    return RK_OK;
}

/* Over several clusters the plan says which GPUs it uses: its search tells the run, and is another
 * one if the run is, or what is known of its kinds. */
static enum rk_status shares_over(const struct study *study, const char *said,
                                  struct study_point *point, struct rk_error *error)
{
    const struct rk_machine *machine = study_machine(study, point);
    struct study_share share = {.tokens = 0};
    digest_run(point, said);
    for (int i = 0; i < machine->clusters; i++) {
        const struct rk_system *system = &machine->cluster[i].system;
        char known[160];
        const enum rk_status status =
            share_of(study, point, system, system->devices, &share, error);
        if (status != RK_OK) return status;
        snprintf(known, sizeof known, "%a %a %a %a", share.days, share.gpu_hours, share.cost,
                 share.kW);
        digest_run(point, known);
    }
    point->run = (struct study_share){.tokens = share.tokens};
    return RK_OK;
}

static enum rk_status shares_of(struct study *study, const char *said, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (size_t i = 0; i < study->points && status == RK_OK; i++) {
        struct study_point *point = &study->point[i];
        const struct study_system *system = &study->system[point->system];
        status = system->machine
                     ? shares_over(study, said, point, error)
                     : share_of(study, point, &system->system, point->gpus, &point->run, error);
    }
    return status;
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
    char *text = json_dumps(place->value, JSON_COMPACT | JSON_SORT_KEYS);
    if (!text) return no_memory(error);
    status = shares_of(study, text, &inner);
    free(text);
    return status == RK_OK ? RK_OK : place_fail(place, error, "%.400s", inner.text);
}
