/* run.c - what is said of a run, and what the facts say where nothing is said. */
#include "base/units.h"
#include "campaign/facts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HOUR_S = 3600 };

/* ---- notes ---- */

struct notes {
    char *text; /* NULL: nobody reads them */
    size_t size;
};

static void note(const struct notes *notes, const char *format, ...) RK_PRINTF(2, 3);

static void note(const struct notes *notes, const char *format, ...)
{
    size_t used = notes->text ? strlen(notes->text) : 0;
    va_list values;
    if (!notes->text || used + 3 >= notes->size) return;
    used += (size_t)snprintf(notes->text + used, notes->size - used, "%s", used ? "; " : "");
    va_start(values, format);
    vsnprintf(notes->text + used, notes->size - used, format, values);
    va_end(values);
}

/* ---- tokens ---- */

enum rk_status rk_run_tokens(const struct rk_campaign_facts *facts, const struct rk_run *run,
                             const struct rk_model *model, double *tokens, const char **source,
                             struct rk_error *error)
{
    const struct trained *usual = run->tokens > 0 ? NULL : facts_trained(facts, model->id);
    if (source) *source = usual ? usual->source : NULL;
    *tokens = usual ? usual->tokens : run->tokens;
    if (*tokens > 0) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "tokens: the catalog does not know on how many tokens %s was trained: give a "
                   "number, 2T",
                   model->id);
}

/* ---- prices ---- */

enum rk_status rk_run_check_price(const struct rk_campaign_facts *facts, const struct rk_run *run,
                                  const struct rk_system *system, struct rk_error *error)
{
    const struct rk_price_offer *offer;
    char asked[sizeof run->offer];
    if (!*system->price || !(run->has_price || *run->offer)) return RK_OK;
    snprintf(asked, sizeof asked, "%s", run->offer);
    if (run->has_price) snprintf(asked, sizeof asked, "%.10g", run->price);
    if (strcmp(asked, system->price) == 0 ||
        (run->has_price && rk_price_of(facts, system, "", &offer) == run->price))
        return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "price: %s is not the price=%s that %s has in its line: leave one of them out",
                   asked, system->price, system->id);
}

static enum rk_status set_price(const struct rk_campaign_facts *facts, const struct rk_run *run,
                                const struct rk_system *system, struct rk_campaign *c,
                                const struct notes *notes, struct rk_error *error)
{
    const struct rk_price_offer *offer;
    const bool said = run->has_price && !*system->price;
    if (said && !(run->price > 0))
        return rk_fail(
            error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "price: %g US dollars for an hour make no cost: give more than 0, an offer of "
            "the list, or leave it out",
            run->price);
    c->price = said ? run->price : rk_price_of(facts, system, run->offer, &offer);
    if (said || (c->price > 0 && !offer)) return RK_OK;
    const char *name = *system->price ? system->price : run->offer;
    if (!offer && *name)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "price: no offer \"%s\" of %s in the list: give US dollars for an hour, 2.5",
                       name, system->id);
    if (!offer) {
        note(notes, "no price of %s is known: give one", system->id);
        return RK_OK;
    }
    if (offer->preempted_every_h > 0) c->rates.preempt_s = offer->preempted_every_h * HOUR_S;
    note(notes, "%.4g USD per GPU-hour, %s of %s: %s", offer->usd_per_hour, offer->name,
         offer->date, offer->source);
    return RK_OK;
}

/* ---- failures ---- */

/* "llama3, opt-175b" */
static const char *logbook_names(const struct rk_campaign_facts *facts, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < facts->logbooks && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
                                 facts->logbook[i].name);
    return text;
}

static enum rk_status set_failures(const struct rk_campaign_facts *facts, const struct rk_run *run,
                                   struct rk_campaign *c, const struct notes *notes,
                                   struct rk_error *error)
{
    const struct logbook *l = facts_logbook(facts, *run->logbook ? run->logbook : NULL);
    char names[MOST_LOGBOOKS * sizeof l->name];
    if (!l)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "failures: no logbook \"%s\": one of %s",
                       run->logbook, logbook_names(facts, names, sizeof names));
    c->rates = logbook_rates(l);
    if (isinf(run->mtbf_s)) {
        c->rates.device_s = c->rates.network_s = c->rates.node_s = INFINITY;
        return RK_OK;
    }
    if (!(run->mtbf_s > 0)) {
        note(notes, "failures as of %s: %.*s", l->name, (int)strcspn(l->source, ":,."), l->source);
        return RK_OK;
    }
    if (!isfinite(c->rates.device_s))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "failures: the logbook %s has none of accelerators that a mean time between "
                       "them could scale: name another",
                       l->name);
    const double scale = run->mtbf_s / c->rates.device_s;
    c->rates.device_s *= scale;
    c->rates.network_s *= scale;
    c->rates.node_s *= scale;
    return RK_OK;
}

static void set_recovery(const struct rk_run *run, struct rk_recovery *r)
{
    if (run->storage_Bps > 0) r->storage_Bps = run->storage_Bps;
    if (run->interval_s > 0) r->interval_s = run->interval_s;
    if (run->repair_s > 0) r->repair_s = run->repair_s;
    if (run->restart_s > 0) {
        const double scale = run->restart_s / (r->detect_s + r->restart_s);
        r->detect_s *= scale;
        r->restart_s *= scale;
    }
    r->async = run->checkpoints == RK_CHECKPOINTS_ASYNC;
    r->in_memory = run->checkpoints == RK_CHECKPOINTS_MEMORY;
}

/* ---- all of it ---- */

enum rk_status rk_run_campaign(const struct rk_campaign_facts *facts, const struct rk_run *run,
                               const struct rk_model *model, const struct rk_system *system,
                               const struct rk_plan *plan, const struct rk_prediction *prediction,
                               double tokens, struct rk_campaign *campaign, char *assumed,
                               size_t size, struct rk_error *error)
{
    const struct notes notes = {assumed, size};
    *campaign = rk_campaign_of(facts, model, system, plan, prediction, tokens);
    campaign->carbon = run->carbon;
    enum rk_status status = set_failures(facts, run, campaign, &notes, error);
    if (status == RK_OK) status = rk_run_check_price(facts, run, system, error);
    if (status == RK_OK) status = set_price(facts, run, system, campaign, &notes, error);
    if (status != RK_OK) return status;
    set_recovery(run, &campaign->recovery);
    campaign->recovery.spares = run->has_spares ? run->spares : rk_campaign_spares(campaign);
    const char *fault = rk_campaign_fault(campaign);
    return fault ? rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "the run: %s", fault) : RK_OK;
}
