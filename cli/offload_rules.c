#include "cli/offload_rules.h"
#include "base/units.h"
#include "cli/plan_input.h"
#include "cli/verdict.h"

#include <math.h>
#include <stdlib.h>

/* ---- the table ---- */

/* clang-format off */
static const struct report_column columns[] = {
    {.name = "rule"},
    {.name = "shares", .title = "offloaded"},
    {.name = "rest", .title = "rest"},
    {.name = "step_s", .title = "step", .unit = "s", .digits = 3, .own_scale = true},
    {.name = "mfu", .title = "MFU", .unit = "%", .digits = 1},
    {.name = "hbm_bytes", .title = "GPU", .unit = "B", .digits = 1},
    {.name = "offload_bytes", .title = "lower tiers", .unit = "B", .digits = 1},
    {.name = "wait_s", .title = "exposed", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "recompute_s", .title = "recompute", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "recompute_by_tensor_s", .title = "... by tensor", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "written_bytes", .title = "written per step", .unit = "B", .digits = 1, .own_scale = true},
    {.name = "needed_GBps", .title = "GB/s needed", .digits = 3},
    {.name = "life_years", .title = "life, years", .digits = 3},
    {.name = "life_rated_years", .title = "as rated", .digits = 3},
    {.name = "cost_USD_a_year", .title = "USD per year", .digits = 3},
    {.name = "verdict"},
    {.name = "plan"},
};
/* clang-format on */
enum { COLUMNS = sizeof columns / sizeof *columns };

static bool is_sure(const struct rk_offload_job *job, const struct rk_plan *plan,
                    const struct rk_prediction *p)
{
    const struct forecast f = {job->model, job->system, plan, p, "", NULL};
    return verdict_sure(&f, NULL) == RK_SURE_FITS;
}

/* How sure it is of what is predicted to fit: "unsure: P(fits) 59 %". */
static const char *rule_sure(const struct rk_offload_job *job, const struct rk_plan *plan,
                             const struct rk_prediction *p, struct report *report)
{
    const struct forecast f = {job->model, job->system, plan, p, "", NULL};
    return is_sure(job, plan, p)
               ? "fits"
               : report_text(report, "unsure: %s", verdict_chance(report, verdict_probability(&f)));
}

static const char *rule_verdict(const struct rk_offload_job *job, const struct rk_plan *plan,
                                const struct rk_prediction *p, struct report *report)
{
    char need[QUANTITY_TEXT], have[QUANTITY_TEXT];
    const double years = rk_offload_life_years(job, p);
    const bool here = p->verdict == RK_MEMORY_EXCEEDED && p->reason[0].tier == 0;
    int stage = p->tightest;
    const int small = here ? 0 : rk_offload_small_tier(job, p, &stage);
    if (small >= 0) {
        const struct rk_offload_job *at = rk_offload_at(job, p, stage);
        const struct rk_memory part = rk_offload_memory(at, small - 1);
        const struct rk_memory *memory = &part;
        const double bytes = here         ? p->stage[stage].total_bytes
                             : job->parts ? p->stage[stage].away_bytes[small - 1]
                                          : rk_offload_held(p, small - 1);
        return report_text(report, "%s%s%s too small: %s of %s", at->cluster ? at->cluster : "",
                           at->cluster ? ": " : "", memory->name,
                           quantity_format(need, QUANTITY_BYTES, bytes),
                           quantity_format(have, QUANTITY_BYTES, memory->capacity_bytes));
    }
    if (p->verdict != RK_FITS && p->reason[0].what)
        return report_text(report, "cannot run: %s", p->reason[0].what);
    if (p->verdict != RK_FITS) return rk_verdict_name(p->verdict);
    if (years < job->lifetime_years) return report_text(report, "wears out in %.2f years", years);
    if (p->offload_s > 0.01 * p->step_s)
        return report_text(report, "%s; too slow: %.1f %% exposed", rule_sure(job, plan, p, report),
                           100 * p->offload_s / p->step_s);
    return rule_sure(job, plan, p, report);
}

static const char *shares_text(const struct rk_plan *plan, struct report *report)
{
    const double *share = plan->share[RK_SHARE_ATTENTION];
    char text[96] = "";
    size_t used = 0;
    for (int tier = 0; tier < RK_SHARE_TIERS; tier++)
        if (share[tier] > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.4g to %d",
                                     used ? " + " : "", share[tier], tier + 1);
    return used ? report_text(report, "%s", text) : "-";
}

static const char by_tensor_and_layer[] = "by tensor and layer";
/* The best of keeping, computing again, and shares of tokens to one tier or two. */
static const char by_token[] = "by token, all tiers";

static void add_row(const struct rk_offload_job *job, struct report *report,
                    struct report_table *table, const char *rule, const struct rk_plan *plan,
                    const struct rk_prediction *p)
{
    char *text = report_alloc(report, RK_PLAN_TEXT);
    double bytes = 0;
    if (text) rk_plan_text(plan, text, RK_PLAN_TEXT);
    for (int tier = 0; tier < rk_offload_tiers(job->system); tier++)
        bytes += rk_offload_written(p, tier);
    const double years = p->timed ? rk_offload_life_years(job, p) : INFINITY;
    struct report_cell cells[COLUMNS] = {
        cell_text(rule),
        cell_text(shares_text(plan, report)),
        cell_text(plan->recompute_rest              ? "recompute by token"
                  : plan->recompute == RK_WHOLE     ? "recompute whole layers"
                  : plan->recompute == RK_SELECTIVE ? "recompute parts"
                                                    : "kept"),
        cell_number(p->step_s),
        cell_number(p->mfu),
        cell_number(p->hbm_bytes),
        cell_number(p->offload_bytes),
        cell_number(p->offload_s),
        cell_number(p->recompute_s),
        !plan->recompute_rest ? cell_none()
        : rule == by_tensor_and_layer
            ? cell_number(p->recompute_s)
            : cell_number(p->recompute_s * rk_offload_by_tensor(rk_offload_at(job, p, p->slowest),
                                                                rk_plan_activations_away(plan))),
        cell_number(bytes),
        p->step_s > 0 ? cell_number(bytes / (p->step_s / 2) / 1e9) : cell_none(),
        isfinite(years) ? cell_number(years) : cell_none(),
        isfinite(years) ? cell_number(rk_offload_rated_life_years(job, p)) : cell_none(),
        cell_number(rk_offload_cost_USD_a_year(job, p)),
        cell_text(rule_verdict(job, plan, p, report)),
        rule == by_tensor_and_layer ? cell_none() : cell_text(text ? text : ""), /* of no plan */
    };
    for (int i = 3; i < COLUMNS - 2 && !p->timed; i++) /* figures, which it has none of */
        cells[i] = cell_none();
    report_row(report, table, cells);
}

struct table {
    const struct rk_offload_job *job;
    struct report *report;
    struct report_table *rows;
    struct rk_prediction *prediction;
    bool any, surely; /* surely: a plan that is unsure is not the fastest */
    int rules;
    struct kept_rule {
        const char *name;
        double step_s; /* NAN: it does not fit */
    } rule[8 + RK_SHARE_TIERS];
    const char *fastest; /* the rule of the fastest plan that fits; NULL: none does */
    struct rk_plan plan;
    double plan_s;
    const char *said; /* why the plan does not fit as it is */
};

/* `plan` NULL: a bound that no plan reaches. */
static void note_rule(struct table *t, const char *rule, const struct rk_plan *plan)
{
    const bool fits = rk_offload_counts(t->job, t->prediction);
    t->any |= fits;
    if (!t->rules) t->said = rule_verdict(t->job, &t->job->plan, t->prediction, t->report);
    const bool counts = fits && plan && (!t->surely || is_sure(t->job, plan, t->prediction));
    if (counts && (!t->fastest || t->prediction->step_s < t->plan_s)) {
        t->fastest = rule;
        t->plan = *plan;
        t->plan_s = t->prediction->step_s;
    }
    t->rule[t->rules++] = (struct kept_rule){rule, fits ? t->prediction->step_s : (double)NAN};
}

static void add_rule(struct table *t, const char *rule, const struct rk_plan *plan)
{
    rk_predict(t->job->model, t->job->system, plan, t->prediction);
    add_row(t->job, t->report, t->rows, rule, plan, t->prediction);
    note_rule(t, rule, plan);
}

/* What the fastest that fits gains over each rule. */
static void add_gains(struct table *t)
{
    static const struct report_column gain_columns[] = {
        {.name = "rule"},
        {.name = "fastest"},
        {.name = "gain", .title = "less time", .unit = "%", .digits = 2},
        {.name = "what", .title = ""},
    };
    const struct kept_rule *best = NULL;
    for (int i = 0; i < t->rules; i++)
        if (!isnan(t->rule[i].step_s) && (!best || t->rule[i].step_s < best->step_s))
            best = &t->rule[i];
    if (!best) return;
    struct report_table *table =
        REPORT_LIST(t->report, "gains", "Gain of the fastest fit over each rule",
                    REPORT_IN_TEXT | REPORT_IN_JSON, gain_columns);
    for (int i = 0; i < t->rules; i++) {
        const bool fits = !isnan(t->rule[i].step_s);
        if (&t->rule[i] == best) continue;
        REPORT_ROW(t->report, table, cell_text(t->rule[i].name), cell_text(best->name),
                   fits ? cell_number(1 - best->step_s / t->rule[i].step_s) : cell_none(),
                   cell_text(fits ? "" : "cannot run, does not fit, or wears out its drives"));
    }
}

/* ---- by tensor and layer ---- */

static const struct report_column tensor_columns[] = {
    {.name = "tensor"},
    {.name = "bytes", .title = "per layer", .unit = "B", .digits = 1, .own_scale = true},
    {.name = "again_s", .title = "recompute time", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "to_1", .title = "tier 1", .unit = "%", .digits = 1},
    {.name = "to_2", .title = "tier 2", .unit = "%", .digits = 1},
    {.name = "again", .title = "recompute", .unit = "%", .digits = 1},
    {.name = "layers", .title = "layers that offload all, some, none"},
};
enum { TENSOR_COLUMNS = sizeof tensor_columns / sizeof *tensor_columns };

static void add_tensor(const struct rk_offload_dealt *d, struct report *report,
                       struct report_table *table, int row)
{
    const struct rk_offload_tensor *t = &d->tensor[row];
    const char *layers =
        report_text(report, "%d, %d, %d", t->all, t->some, d->layers - t->all - t->some);
    report_row(report, table,
               (struct report_cell[TENSOR_COLUMNS]){
                   cell_text(t->name ? t->name : "input, attention"), cell_number(t->bytes),
                   t->name ? cell_number(t->again_s) : cell_none(), cell_number(t->to[0]),
                   d->tiers > 1 ? cell_number(t->to[1]) : cell_none(), cell_number(t->again),
                   cell_text(layers)});
}

static void add_dealt(struct table *t)
{
    struct rk_offload_dealt d;
    struct rk_plan plan;
    if (rk_offload_deal(t->job, &plan, t->prediction, &d)) {
        add_row(t->job, t->report, t->rows, by_tensor_and_layer, &plan, t->prediction);
        note_rule(t, by_tensor_and_layer, NULL);
        struct report_table *table = REPORT_LIST(
            t->report, "tensors", "By tensor and layer: placement (first stage, one microbatch)",
            REPORT_IN_TEXT | REPORT_IN_JSON, tensor_columns);
        for (int i = 0; i < d.tensors; i++)
            add_tensor(&d, t->report, table, i);
    }
    rk_offload_dealt_release(&d);
}

static void add_rules(struct table *t)
{
    const struct rk_offload_job *job = t->job;
    struct rk_plan plan = rk_offload_with_share(job, 0, 0, false);
    add_rule(t, "as the plan says", &job->plan);
    rk_offload_recompute(&plan, RK_KEEP);
    add_rule(t, "keep", &plan);
    rk_offload_recompute(&plan, RK_WHOLE);
    add_rule(t, "recompute", &plan);
    for (int best = 0; best < 2; best++) {
        const double share = rk_offload_share(job, best);
        plan = rk_offload_with_share(job, 0, fmax(0, share * (1 - 1e-12)), true);
        add_rule(t, best ? "best share of tokens" : "MEMO", &plan);
    }
    plan = rk_offload_with_share(job, 0, 1, true);
    add_rule(t, "offload all", &plan);
    for (int tier = 0; tier < rk_offload_tiers(job->system); tier++) {
        plan = rk_offload_with_share(job, tier, rk_offload_adaptive_share(job, tier), false);
        add_rule(t, report_text(t->report, "SSDTrain, to %d", tier + 1), &plan);
    }
    if (!job->parts) add_dealt(t);
    if (rk_offload_optimum(job, &plan, t->prediction)) {
        add_row(job, t->report, t->rows, by_token, &plan, t->prediction);
        note_rule(t, by_token, &plan);
    }
    add_gains(t);
}

/* What the lives assume of each tier of drives. */
static void say_lives(const struct rk_offload_job *job, struct report *report)
{
    for (int tier = 0; tier < rk_offload_tiers(job->system); tier++) {
        const struct rk_memory memory = rk_offload_memory(job, tier);
        if (!(memory.endurance_bytes > 0)) continue;
        report_note(
            report,
            report_text(report,
                        "Life of %s%s%s: %.4g PB rated, times %.3g of the rating's write "
                        "amplification over %.3g of this use, times %.3g as data need not last "
                        "the rating's years (\"as rated\" without)",
                        memory.name, job->cluster ? " of cluster " : "",
                        job->cluster ? job->cluster : "", memory.endurance_bytes / 1e15,
                        memory.rated_amplification > 0 ? memory.rated_amplification : 1,
                        memory.write_amplification > 0 ? memory.write_amplification : 1,
                        memory.retention_gain > 0 ? memory.retention_gain : 1));
    }
}

/* Is it the first part on its cluster? */
static bool is_first(const struct rk_offload_job *job, int part)
{
    for (int i = 0; i < part; i++)
        if (job->part[i].cluster == job->part[part].cluster) return false;
    return true;
}

static void say_all_lives(const struct rk_offload_job *job, struct report *report)
{
    if (!job->parts) say_lives(job, report);
    for (int i = 0; i < job->parts; i++)
        if (is_first(job, i)) say_lives(&job->part[i], report);
}

/* clang-format off */
/* The first two columns are of several clusters. */
static const struct report_column stored_columns[] = {
    {.name = "cluster"},
    {.name = "stage"},
    {.name = "tier"},
    {.name = "slower", .digits = 3},
    {.name = "write_GBps", .title = "write GB/s", .digits = 4},
    {.name = "read_GBps", .title = "read GB/s", .digits = 4},
    {.name = "stored", .title = "modules stored"},
    {.name = "modules", .title = "of"},
    {.name = "kept_peak_bytes", .title = "peak, all kept", .unit = "B", .digits = 2},
    {.name = "peak_bytes", .title = "peak", .unit = "B", .digits = 2},
    {.name = "lower", .unit = "%", .digits = 1},
    {.name = "written_bytes", .title = "written", .unit = "B", .digits = 2},
    {.name = "wait_s", .title = "exposed", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "early_wait_s", .title = "exposed, all reads from the turn on", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "early_lower", .title = "lower then", .unit = "%", .digits = 1},
    {.name = "pass_s", .title = "forward and backward", .unit = "s", .digits = 2, .own_scale = true},
};
/* clang-format on */

enum { STORED_COLUMNS = sizeof stored_columns / sizeof *stored_columns };

static void add_stored(const struct rk_offload_job *job, int tier, double slower,
                       struct report *report, struct report_table *table)
{
    struct rk_offload_stored s;
    if (!rk_offload_simulate(job, tier, slower, &s)) return;
    const struct report_cell cells[STORED_COLUMNS] = {
        cell_text(job->cluster ? report_text(report, "%s", job->cluster) : NULL),
        cell_count((uint64_t)job->stage),
        cell_text(report_text(report, "%s", job->system->memory[tier + 1].name)),
        cell_number(slower),
        cell_number(s.write_Bps / 1e9),
        cell_number(s.read_Bps / 1e9),
        cell_count((uint64_t)s.stored),
        cell_count((uint64_t)s.modules),
        cell_number(s.kept.peak_bytes),
        cell_number(s.run.peak_bytes),
        cell_number(1 - s.run.peak_bytes / s.kept.peak_bytes),
        cell_number(s.run.written_bytes),
        cell_number(s.run.wait_s),
        cell_number(s.early.wait_s),
        cell_number(1 - s.early.peak_bytes / s.kept.peak_bytes),
        cell_number(s.run.step_s)};
    report_row(report, table, cells + (job->cluster ? 0 : 2));
}

void offload_simulated(const struct rk_offload_job *job, struct report *report)
{
    static const double slower[] = {1, 2, 4, 8, 16};
    const int skip = job->parts ? 0 : 2, tiers = rk_offload_tiers(job->system);
    struct report_table *table = report_list(
        report, "simulated",
        job->parts
            ? "SSDTrain's rule, one microbatch of each stage event by event, on slower drives too"
            : "SSDTrain's rule, one microbatch of the first stage event by event, on slower drives "
              "too",
        REPORT_IN_ALL, stored_columns + skip, STORED_COLUMNS - skip);
    for (int part = 0; part < (job->parts ? job->parts : 1); part++)
        for (int tier = 0; tier < tiers; tier++)
            for (size_t i = 0; i < sizeof slower / sizeof *slower; i++)
                add_stored(job->parts ? &job->part[part] : job, tier, slower[i], report, table);
}

/* Choices that leave the degrees as they are, with which a rule may fit. */
#define EVERY_REMEDY "loss-in-chunks zero3 offload-optimizer=1"
static const char *const remedies[] = {
    "loss-in-chunks",       "zero2",      "zero3",
    "loss-in-chunks zero3", EVERY_REMEDY, ("framework=fsdp " EVERY_REMEDY " offload-weights=1")};

/* The fastest rule with the words of a remedy; false: none fits. */
static bool try_remedy(const struct table *t, const char *words, bool surely, struct table *tried)
{
    struct plan_draft draft = plan_draft();
    struct report aside = {.first = NULL}; /* of a table that nobody sees */
    struct rk_offload_job job = {
        .model = t->job->model, .system = t->job->system, .lifetime_years = t->job->lifetime_years};
    struct rk_error error;
    draft.plan = t->job->plan;
    bool found = plan_read_words(words, &draft, &error) == RK_OK;
    job.plan = draft.plan;
    *tried = (struct table){
        .job = &job, .report = &aside, .prediction = t->prediction, .surely = surely};
    tried->rows = REPORT_LIST(&aside, "rules", NULL, REPORT_IN_TEXT, columns);
    found = found && tried->rows && rk_offload_open(&job, &error) == RK_OK;
    if (found) add_rules(tried);
    rk_offload_release(&job);
    found = found && tried->fastest;
    if (found) tried->fastest = report_text(t->report, "%s", tried->fastest);
    report_release(&aside);
    return found;
}

static void say_remedy(const struct table *t)
{
    enum { REMEDIES = sizeof remedies / sizeof *remedies };
    struct table tried;
    for (int i = 0; i < 2 * REMEDIES; i++) { /* those that surely fit, then those that may */
        const char *words = remedies[i % REMEDIES];
        if (!try_remedy(t, words, i < REMEDIES, &tried)) continue;
        rk_predict(t->job->model, t->job->system, &tried.plan, t->prediction);
        const struct forecast f = {t->job->model, t->job->system, &tried.plan, t->prediction, "",
                                   NULL};
        report_paragraph(t->report, report_text(t->report, "remedy: add %s: by rule %s, %s", words,
                                                tried.fastest, verdict_line(t->report, &f)));
        return;
    }
    report_paragraph(
        t->report,
        "no rule fits with loss-in-chunks, zero3, or optimizer and weights offloaded "
        "by FSDP either: take more GPUs, a shorter sequence, or see what `reckon longest` reaches");
}

/* The fastest plan that fits, before the table that compares it. */
static void say_fastest(const struct table *t)
{
    struct report *report = t->report;
    const struct rk_offload_job *job = t->job;
    const struct forecast f = {job->model, job->system, &t->plan, t->prediction, "", NULL};
    if (!t->fastest) {
        report_answer(report, REPORT_BAD,
                      report_text(report, "does not fit by any rule; as the plan says: %s",
                                  t->said ? t->said : "it cannot run"));
        say_remedy(t);
        return;
    }
    rk_predict(job->model, job->system, &t->plan, t->prediction);
    verdict_of(report, report_text(report, "fastest rule: %s; ", t->fastest), &f);
}

enum rk_status offload_rules(const struct rk_offload_job *job, bool verbose, struct report *report)
{
    struct table t = {.job = job, .report = report, .prediction = malloc(sizeof *t.prediction)};
    t.rows = REPORT_LIST(report, "rules", "Rules compared on the plan", REPORT_IN_ALL, columns);
    if (t.prediction && t.rows) add_rules(&t);
    say_all_lives(job, report);
    if (t.prediction && t.rows) say_fastest(&t);
    if (!t.any && !verbose) verdict_alone(report);
    free(t.prediction);
    return t.any ? RK_OK : RK_NOTHING_FITS;
}
