#include "cli/verdict.h"

#include "base/units.h"
#include "cli/describe.h"
#include "cli/launchable.h"

#include <inttypes.h>
#include <math.h>
#include <reckon/machine.h>
#include <string.h>

const char *verdict_chance(struct report *report, double probability)
{
    return isnan(probability) ? "" : report_text(report, "P(fits) %.0f %%", 100 * probability);
}

/* Is a device too small even for what is the same in all runs? */
static bool is_hopeless(const struct forecast *f)
{
    for (int i = 0; i < f->prediction->stages; i++)
        if (rk_sure_states(f->prediction->stage[i].holds) >
            forecast_system(f, i)->memory[0].capacity_bytes)
            return true;
    return false;
}

double verdict_probability(const struct forecast *f)
{
    const int tightest = f->prediction->tightest;
    if (is_hopeless(f)) return 0;
    return rk_fit_chance(f->model, forecast_system(f, tightest), f->plan,
                         f->prediction->stage[tightest].total_bytes);
}

enum rk_sure verdict_sure(const struct forecast *f, const struct rk_sure_bounds *bounds)
{
    const struct rk_prediction *p = f->prediction;
    if (!p->timed || is_hopeless(f)) return RK_SURE_NOT;
    for (int i = 0; p->verdict != RK_FITS && i < p->reasons && i < RK_MAX_REASONS; i++)
        if (p->reason[i].tier != 0) return RK_SURE_NOT; /* what is measured is the device's peak */
    return rk_sure_of(f->model, f->plan, p->stage[p->tightest].total_bytes,
                      forecast_system(f, p->tightest)->memory[0].capacity_bytes,
                      bounds ? bounds : f->sure);
}

/* A device too small for what is the same in all runs, or another memory that is too small. */
static bool saving_fails(const struct forecast *f, const struct rk_saving *change)
{
    const double room = forecast_system(f, f->prediction->tightest)->memory[0].capacity_bytes;
    return (!change->fits && change->short_tier != 0) ||
           (change->states_bytes > room && !f->system->machine);
}

enum rk_sure verdict_saving(const struct forecast *f, const struct rk_saving *change,
                            const struct rk_sure_bounds *bounds)
{
    if (saving_fails(f, change)) return RK_SURE_NOT;
    return rk_sure_of(f->model, f->plan, change->need_bytes,
                      forecast_system(f, f->prediction->tightest)->memory[0].capacity_bytes,
                      bounds ? bounds : f->sure);
}

int verdict_savings(const struct forecast *f, const struct rk_sure_bounds *bounds,
                    struct rk_saving saving[RK_MAX_SAVINGS])
{
    static const enum rk_sure order[] = {RK_SURE_FITS, RK_SURE_UNSURE, RK_SURE_NOT};
    struct rk_saving found[RK_MAX_SAVINGS];
    int kept = 0;
    if (f->prediction->verdict == RK_FITS)
        return rk_savings(f->model, f->system, f->plan, f->prediction, saving);
    const int count = rk_savings(f->model, f->system, f->plan, f->prediction, found);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < count; k++)
            if (verdict_saving(f, &found[k], bounds) == order[i]) saving[kept++] = found[k];
    return count;
}

struct report_cell verdict_saving_chance(const struct forecast *f, const struct rk_saving *change)
{
    const double chance = rk_fit_chance(f->model, forecast_system(f, f->prediction->tightest),
                                        f->plan, change->need_bytes);
    return isnan(chance) ? cell_none() : cell_number(saving_fails(f, change) ? 0 : chance);
}

/* Of a step outside of its own 50 % interval: where the middle is; "" of others. */
static const char *middle_of(struct report *report, double step_s,
                             const double range[FORECAST_QUANTILES])
{
    char middle[QUANTITY_TEXT];
    if (range[1] <= step_s && step_s <= range[3]) return "";
    quantity_format(middle, QUANTITY_SECONDS, range[2]);
    return report_text(report, ": half of runs like it took %s than %s",
                       range[1] > step_s ? "more" : "less", middle);
}

static const char *step_of(struct report *report, const struct forecast *f)
{
    char step[QUANTITY_TEXT], half[2 * QUANTITY_TEXT];
    double range[FORECAST_QUANTILES];
    quantity_format(step, QUANTITY_SECONDS, f->prediction->step_s);
    if (!forecast_range(f, range)) return report_text(report, "%s per step", step);
    return report_text(report, "%s per step (50 %% %s%s)", step,
                       quantity_interval(half, QUANTITY_SECONDS, range[1], range[3]),
                       middle_of(report, f->prediction->step_s, range));
}

const char *verdict_memory(struct report *report, double need_bytes, double capacity_bytes)
{
    return report_text(report, "memory %.1f of %.1f GiB", need_bytes / 0x1p30,
                       capacity_bytes / 0x1p30);
}

/* "memory 65.1 of 80.0 GiB on stage 0 of 0-3" */
static const char *memory_of(struct report *report, const struct forecast *f)
{
    const struct rk_prediction *p = f->prediction;
    const char *stage =
        p->stages > 1 ? report_text(report, " on stage %d of 0-%d", p->tightest, p->stages - 1)
                      : "";
    const char *memory = verdict_memory(report, p->stage[p->tightest].total_bytes,
                                        forecast_system(f, p->tightest)->memory[0].capacity_bytes);
    return report_text(report, "%s%s", memory, stage);
}

const char *verdict_word(const struct forecast *f, enum rk_sure sure)
{
    return f->prediction->timed ? rk_sure_name(sure) : "cannot run";
}

int verdict_exit(const struct forecast *f)
{
    return verdict_sure(f, NULL) == RK_SURE_NOT ? RK_NOTHING_FITS : RK_OK;
}

static const char *line_of(struct report *report, const struct forecast *f, enum rk_sure sure)
{
    const struct rk_prediction *p = f->prediction;
    const char *of = verdict_chance(report, verdict_probability(f));
    if (sure == RK_SURE_NOT)
        return report_text(report, "%s: %s", verdict_word(f, sure),
                           p->verdict == RK_FITS
                               ? report_text(report, "%s, %s", of, memory_of(report, f))
                               : forecast_reason(report, f, 0));
    return report_text(report, "%s: %s%s%s, MFU %.1f %%, %s", rk_sure_name(sure), of,
                       *of ? ", " : "", step_of(report, f), 100 * p->mfu, memory_of(report, f));
}

const char *verdict_behind(struct report *report, const struct forecast *f)
{
    const enum rk_sure sure = verdict_sure(f, NULL);
    if (sure == RK_SURE_FITS) return "";
    return report_text(
        report, ", %s%s%s", verdict_word(f, sure), sure == RK_SURE_UNSURE ? ": " : "",
        sure == RK_SURE_UNSURE ? verdict_chance(report, verdict_probability(f)) : "");
}

const char *verdict_line(struct report *report, const struct forecast *f)
{
    return line_of(report, f, verdict_sure(f, NULL));
}

const char *verdict_money(struct report *report, double usd)
{
    char text[QUANTITY_TEXT];
    return report_text(report, "%s USD", quantity_format(text, QUANTITY_COUNT, usd));
}

const char *verdict_bill(struct report *report, double days, double usd, uint64_t spares)
{
    const char *text = report_text(report, "%.4g days", days);
    if (usd > 0) text = report_text(report, "%s and %s", text, verdict_money(report, usd));
    if (usd > 0 && spares)
        text = report_text(report, "%s with %" PRIu64 " spare node%s", text, spares,
                           spares == 1 ? "" : "s");
    return text;
}

void verdict_run(struct report *report, double days, double usd, uint64_t spares)
{
    if (!report->leads) return;
    report_answer(
        report, report->tone,
        report_text(report, "%s, %s", report->verdict, verdict_bill(report, days, usd, spares)));
}

/* ---- the cost of training tokens, where no run is asked about ---- */

/* USD of a GPU-hour; 0: not known. */
static double price_of(struct report *report, const struct rk_system *system, const char **source)
{
    struct rk_campaign_facts *facts;
    const struct rk_price_offer *offer;
    struct rk_error error;
    *source = "as the machine's line says";
    if (rk_campaign_facts_load(NULL, &facts, &error) != RK_OK) return 0;
    const double price = rk_price_of(facts, system, "", &offer);
    if (offer)
        *source = report_text(report, "%s: %s, %s", *system->price ? "listed" : "cheapest listed",
                              offer->name, offer->date);
    rk_campaign_facts_release(facts);
    return price;
}

/* USD of an hour of all GPUs, with the line that says at which prices; 0: one is not known. */
static double hour_of(struct report *report, const struct forecast *f, const char **price)
{
    const struct rk_machine *m = f->system->machine;
    const char *source;
    double sum = m ? 0 : price_of(report, f->system, &source);
    if (!m) {
        *price = report_text(report, "cost: %.4g USD per GPU-hour (%s)", sum, source);
        return sum * (double)f->plan->ranks;
    }
    *price = "cost:";
    for (int i = 0; i < m->clusters; i++) {
        const struct rk_system *s = &m->cluster[i].system;
        const double usd = price_of(report, s, &source);
        if (!(usd > 0)) return 0;
        *price = report_text(report, "%s%s %.4g USD per GPU-hour on %s (%s)", *price, i ? "," : "",
                             usd, m->cluster[i].name, source);
        sum += usd * (double)s->devices;
    }
    *price = report_text(report, "%s, of all GPUs of all clusters", *price);
    return sum;
}

const char *verdict_cost_of(struct report *report, const struct forecast *f, const char **price)
{
    enum { HOUR_S = 3600 };
    const struct rk_prediction *p = f->prediction;
    *price = "";
    if (!p->timed || !f->plan->local.training || verdict_sure(f, NULL) == RK_SURE_NOT) return "";
    const char *at;
    const double usd = hour_of(report, f, &at);
    if (!(usd > 0) || !(p->outcome.tokens_per_s > 0)) return "";
    *price = report_text(report, "%s, without failures%s", at,
                         rk_plan_answers(f->plan) > 1 ? ", tokens of both answers of a pair" : "");
    return report_text(report, "%s per 1B tokens",
                       verdict_money(report, usd / HOUR_S * 1e9 / p->outcome.tokens_per_s));
}

const char *verdict_cost(struct report *report, const struct forecast *f)
{
    const char *price, *cost = verdict_cost_of(report, f, &price);
    if (!report->leads || !*cost) return NULL;
    report_answer(report, report->tone, report_text(report, "%s, %s", report->verdict, cost));
    return price;
}

enum report_tone verdict_tone(enum rk_sure sure)
{
    static const enum report_tone tones[] = {
        [RK_SURE_FITS] = REPORT_GOOD, [RK_SURE_NOT] = REPORT_BAD, [RK_SURE_UNSURE] = REPORT_UNSURE};
    return tones[sure];
}

static void add_launch(struct report *report, const struct forecast *f)
{
    if (!f->prediction->timed) return;
    report_paragraph(report, launch_refusal(report, f->model, f->system, f->plan));
    report_paragraph(report, launch_no_file(report, f->system, f->plan));
}

void verdict_add(struct report *report, const struct forecast *f,
                 const struct rk_sure_bounds *bounds)
{
    const enum rk_sure sure = verdict_sure(f, bounds);
    report_answer(report, verdict_tone(sure), line_of(report, f, sure));
    report_note(report, report_text(report, "  %s on %s, %llu GPU%s, %s", f->model->id,
                                    f->system->id, (unsigned long long)f->plan->ranks,
                                    f->plan->ranks == 1 ? "" : "s", forecast_model(f->plan)));
    forecast_plan(report, f);
    add_launch(report, f);
}

void verdict_of(struct report *report, const char *what, const struct forecast *f)
{
    const enum rk_sure sure = verdict_sure(f, NULL);
    report_answer(report, verdict_tone(sure),
                  report_text(report, "%s%s", what, line_of(report, f, sure)));
    struct report_table *before = report->last;
    forecast_plan(report, f);
    add_launch(report, f);
    report_paragraph(report, launch_lost(report, f->model, f->system, f->plan));
    report_to_front(report, before);
}

enum rk_sure verdict_best(struct report *report, bool complete, const struct forecast *f)
{
    const enum rk_sure sure = verdict_sure(f, NULL);
    report_answer(report, verdict_tone(sure),
                  report_text(report, "%s %s%s",
                              complete ? "Best plan"
                                       : "INCOMPLETE, stopped by a signal: the best plan so far",
                              sure == RK_SURE_UNSURE ? "is " : "", line_of(report, f, sure)));
    add_launch(report, f);
    if (!rk_plan_layout(f->plan)->parts) /* over clusters its stages say what no file does */
        report_paragraph(report, launch_lost(report, f->model, f->system, f->plan));
    return sure;
}

const char *verdict_remedy(struct report *report, const struct forecast *f,
                           struct rk_saving *change, bool *helps)
{
    struct rk_saving saving[RK_MAX_SAVINGS];
    const struct rk_prediction *p = f->prediction;
    *helps = false;
    if (!p->timed || p->verdict != RK_MEMORY_EXCEEDED) return NULL;
    const int count = verdict_savings(f, NULL, saving);
    *helps = (count > 0 && saving[0].fits) ||
             rk_savings_pair(f->model, f->system, f->plan, p, false, saving);
    if (!*helps)
        return "remedy: no change of one or two choices makes it fit: use more GPUs, or `reckon "
               "search`, which tries all choices together";
    *change = saving[0];
    const int tier = p->reason[0].tier;
    const struct rk_system *system = forecast_system(f, p->tightest);
    const bool sure = verdict_saving(f, change, NULL) == RK_SURE_FITS;
    return report_text(
        report,
        "remedy: %s: %s, %.1f GiB%s left, %.1f %% %s time per step (`reckon fits` lists "
        "others)",
        change->words,
        sure ? "fits"
             : verdict_chance(report, rk_fit_chance(f->model, system, f->plan, change->need_bytes)),
        change->left_bytes / 0x1p30,
        tier > 0 ? report_text(report, " of %s", memory_name(report, system, tier)) : "",
        100 * fabs(change->step_s / p->step_s - 1), change->step_s < p->step_s ? "less" : "more");
}

void verdict_alone(struct report *report)
{
    for (struct report_table *t = report->first; t; t = t->next)
        if (t->columns) t->formats &= ~(unsigned)REPORT_IN_TEXT;
}
