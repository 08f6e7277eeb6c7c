#include "base/units.h"
#include "catalog/catalog.h"
#include "cli/check.h"
#include "cli/describe.h"
#include "cli/export_plan.h"
#include "cli/launchable.h"
#include "cli/pages.h"
#include "cli/placement.h"
#include "cli/plan_axes.h"
#include "cli/prediction.h"
#include "cli/search_best.h"
#include "cli/search_beyond.h"
#include "cli/search_clusters.h"
#include "cli/search_context.h"
#include "cli/search_divides.h"
#include "cli/search_job.h"
#include "cli/search_select.h"
#include "cli/verdict.h"
#include "report/chart.h"
#include "search/clusters_space.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What was given, so that commands name it: a file by its path, an entry of the catalog by its id.
 */
static const char *input_word(struct report *report, enum catalog_kind kind,
                              const struct option_texts *given, const char *id)
{
    const char *path = given->count == 1 ? given->text[0] : NULL;
    const bool file = path && strcmp(path, "-") != 0 && !strchr(path, ',') && !strchr(path, ' ') &&
                      !catalog_has(kind, path);
    return shell_word(report, file ? path : id);
}

const char *search_model_word(struct report *report, const struct search *search)
{
    return input_word(report, CATALOG_MODELS, &search->args->models, search->problem.model->id);
}

const char *search_system_word(struct report *report, const struct search *search)
{
    return input_word(report, CATALOG_SYSTEMS, &search->args->systems, search->problem.system->id);
}

/* The best plan and its prediction. */
struct first {
    struct rk_plan plan;
    struct rk_prediction prediction;
    struct forecast forecast; /* of these */
};

static void take_first(const struct search *search, struct first *first)
{
    const struct rk_plans_problem *p = &search->problem;
    search_plan(search, 0, &first->plan);
    rk_predict(p->model, p->system, &first->plan, &first->prediction);
    first->forecast =
        (struct forecast){p->model, p->system, &first->plan, &first->prediction, "", NULL};
}

/* How long such runs took that were predicted so. */
static void add_times(struct report *report, const struct search *search)
{
    struct first best;
    take_first(search, &best);
    const char *times = learned_times(report, &best.forecast);
    if (times) report_note(report, report_text(report, "Best plan: %s", times));
    forecast_fabric(report, &best.forecast);
}

/* The same for programs, with its memory. */
static void add_ranges(struct report *report, const struct search *search)
{
    struct first best;
    if (!search->result.found) return;
    take_first(search, &best);
    forecast_error_records(report, &best.forecast);
}

enum rk_status search_answer_nearest(struct report *report, const struct search *search,
                                     struct rk_error *error)
{
    struct first best;
    if (!search->result.found) return RK_OK;
    take_first(search, &best);
    return forecast_nearest(report, &best.forecast, NULL, search->args->nearest, error);
}

/* What to do with the best one. */
static void add_next(struct report *report, const struct search *search)
{
    char words[RK_PLAN_TEXT];
    struct rk_plan plan;
    search_plan(search, 0, &plan);
    const char *model = search_model_word(report, search);
    const char *system = search_system_word(report, search);
    const char *format =
        launch_refusal(report, search->problem.model, search->problem.system, &plan)
            ? NULL
            : launch_format(search->problem.system, &plan);
    rk_plan_text(&plan, words, sizeof words);
    if (search_is_over_clusters(search)) {
        search_clusters_next(report, search, &plan);
        return;
    }
    report_note(report, format ? "To launch the best plan, and to see where its time goes:"
                               : "To see where the time of the best plan goes:");
    if (format)
        report_note(report, report_text(report, "  reckon export %s -m %s gpus%" PRIu64 " %s",
                                        format, model, plan.ranks, words));
    report_note(report, report_text(report, "  reckon predict -m %s -s %s -g %" PRIu64 " %s", model,
                                    system, plan.ranks, words));
}

/* The free memory that the best plans were asked for, and what that leaves out. */
static void add_headroom(struct report *report, const struct search *search)
{
    const struct rk_plans_problem *p = &search->problem;
    const struct rk_outcome *out = &search->left_out.outcome;
    const double capacity = p->system->memory[0].capacity_bytes;
    char step[QUANTITY_TEXT], roomy[REPORT_DIGITS];
    const char *asked = search->args->headroom;
    const bool filed = search->args->all && search->room != SEARCH_NO_ROOM;
    if (isinf(search->usable_bytes) || (search->room == SEARCH_ROOM_ENOUGH && !asked && !filed))
        return;
    const char *room = report_text(report, "  headroom %.1f of %.1f GiB%s",
                                   (capacity - search->usable_bytes) / 0x1p30, capacity / 0x1p30,
                                   !asked || strcmp(asked, "learned") == 0
                                       ? ", which three of four measured runs like it keep"
                                       : "");
    if (search->room == SEARCH_NO_ROOM)
        room = report_text(report, "%s: no plan keeps it, these fill the memory", room);
    if (search->room == SEARCH_ROOM_ASKED)
        room = report_text(report, "%s: %s plans keep it", room,
                           report_digits(search->result.matches, roomy));
    if (search->room == SEARCH_ROOM_FASTEST)
        room = report_text(report, "%s; --headroom none adds slower plans that need more", room);
    report_note(report, room);
    if (filed)
        report_note(report,
                    "  the file has the plans that keep it; --headroom none takes all that fit");
    if (search->room != SEARCH_LEAVES_ROOM) return;
    const double less = 1 - search->result.best[0].samples_per_s / out->samples_per_s;
    const double chance =
        rk_fit_chance(p->model, p->system, &search->left_out.plan, out->hbm_bytes);
    report_note(report,
                report_text(report, "  with --headroom none: %s (%.1f %% less) at %.1f GiB; %s",
                            quantity_format(step, QUANTITY_SECONDS, out->step_s), 100 * less,
                            out->hbm_bytes / 0x1p30, verdict_chance(report, chance)));
}

static void add_headroom_record(struct report *report, const struct search *search)
{
    const struct rk_found *out = &search->left_out;
    const bool some = search->room == SEARCH_LEAVES_ROOM;
    char words[RK_PLAN_TEXT];
    if (isinf(search->usable_bytes)) return;
    if (some) rk_plan_text(&out->plan, words, sizeof words);
    REPORT_OBJECT(report, "headroom",
                  {"usable_bytes", search->room == SEARCH_NO_ROOM
                                       ? cell_none()
                                       : cell_number(search->usable_bytes)},
                  {"left_out_step_s", some ? cell_number(out->outcome.step_s) : cell_none()},
                  {"left_out_hbm_bytes", some ? cell_number(out->outcome.hbm_bytes) : cell_none()},
                  {"left_out_plan", cell_text(some ? report_text(report, "%s", words) : NULL)});
}

static void remark_best(const struct search *search)
{
    struct first best;
    if (search_is_over_clusters(search)) return;
    take_first(search, &best);
    check_remark("the best plan", search->problem.model, search->problem.system, &best.plan);
}

/* ---- what became of all ---- */

static const struct report_column outcome_columns[] = {
    {.name = "outcome"},
    {.name = "tier"},
    {.name = "where"},
    {.name = "plans"},
    {.name = "share", .unit = "%", .digits = 2},
    {.name = "bar", .bar = REPORT_BAR_SHARE},
};

static const struct chart outcome_chart = {.id = "outcomes",
                                           .title = "Plans by outcome",
                                           .kind = CHART_BARS,
                                           .role = {[CHART_Y] = "outcome", [CHART_VALUE] = "plans"},
                                           .x = {.title = "plans"}};

/* `where` is the name of the tier; NULL: the reason names none. */
static void outcome_row(struct report *report, struct report_table *table, uint64_t total,
                        const char *name, int tier, const char *where, uint64_t count)
{
    const double share = total ? (double)count / (double)total : 0;
    REPORT_ROW(report, table, cell_text(name), where ? cell_count((uint64_t)tier) : cell_none(),
               cell_text(where), cell_count(count), cell_number(share), cell_number(share));
}

/* The detailed model names no network. */
static const char *tier_name(const struct search *search, enum rk_verdict verdict, int tier)
{
    const struct rk_system *system = search->problem.system;
    const bool network = verdict == RK_NETWORK_TOO_SMALL || verdict == RK_NETWORK_NOT_FILLED;
    if (verdict == RK_MEMORY_EXCEEDED && tier < system->memories) return system->memory[tier].name;
    return network && search_is_published(search) && tier < system->networks
               ? system->network[tier].name
               : NULL;
}

/* Reasons that never occurred are left out. */
static void add_outcomes(struct report *report, const struct search *search)
{
    const struct rk_search_counts *c = &search->result.counts;
    const unsigned text =
        search->args->verbose || !search->result.found ? REPORT_IN_TEXT : REPORT_IN_PAGE;
    struct report_table *table =
        REPORT_LIST(report, "outcomes", "Plans by outcome", text | REPORT_IN_JSON, outcome_columns);
    if (table) table->chart = &outcome_chart;
    for (int i = 0; i < RK_VERDICTS; i++)
        for (int tier = 0; tier < RK_MAX_TIERS; tier++)
            if (c->verdict[i][tier] || (i == RK_FITS && tier == 0))
                outcome_row(report, table, c->total, rk_verdict_name((enum rk_verdict)i), tier,
                            tier_name(search, (enum rk_verdict)i, tier), c->verdict[i][tier]);
    if (c->repeated) outcome_row(report, table, c->total, "repeated", 0, NULL, c->repeated);
}

static const char *divisors_note(struct report *report, const struct search *search)
{
    const struct rk_plan *base = &search->problem.base;
    return search_is_published(search) ? NULL : search_divides(report, base->ranks, base->batch);
}

/* The restriction that leaves no plan. */
static const char *restriction_note(struct report *report, const struct search *search)
{
    char text[RK_PLANS_EMPTY_TEXT];
    if (rk_plans_empty(&search->problem, text)) return report_text(report, "%s", text);
    return "ranks, batch and restrictions leave no plan";
}

static uint64_t sequence_of(const struct rk_plans_problem *p)
{
    return p->base.sequence ? p->base.sequence : p->model->sequence;
}

/* The constraint that the plans violate that come furthest: memory is checked last. Of several
 * tiers it is the one that rules out the most plans. */
const char *search_reason(struct report *report, const struct search *search)
{
    const struct rk_search_counts *c = &search->result.counts;
    const struct rk_system *system = search->problem.system;
    int tier = 0, most = RK_BAD_MODEL;
    char why[CLUSTERS_WHY];
    if (system->devices && search->problem.base.ranks > system->devices)
        return report_text(report, "the system has %" PRIu64 " GPUs", system->devices);
    if (!search->result.complete && !search->result.found)
        return "Stopped before a plan was found: what fits is not known yet";
    if (search_is_over_clusters(search)) {
        clusters_space_why(clusters_space_of(search->space), why);
        return report_text(report, "%s", why);
    }
    const char *divides = divisors_note(report, search);
    if (c->total == 0) return divides ? divides : restriction_note(report, search);
    if (c->verdict[RK_FITS][0] && search->where[0])
        return report_text(report, "no plan satisfies %s", search->said);
    for (int i = 0; i < RK_MAX_TIERS; i++)
        if (c->verdict[RK_MEMORY_EXCEEDED][i] > c->verdict[RK_MEMORY_EXCEEDED][tier]) tier = i;
    if (c->verdict[RK_MEMORY_EXCEEDED][tier])
        return report_text(report, "%s is too small", memory_name(report, system, tier));
    for (int i = RK_BAD_MODEL; i < RK_VERDICTS; i++)
        if (rk_search_count(c, (enum rk_verdict)i) > rk_search_count(c, (enum rk_verdict)most))
            most = i;
    const struct rk_plans_problem *p = &search->problem;
    const char *unknown = rk_model_unmodelled(p->model, sequence_of(p));
    if (most == RK_BAD_MODEL && unknown)
        return report_text(report, "%s has %s", p->model->id, unknown);
    return report_text(report, "most are infeasible: %s", rk_verdict_name((enum rk_verdict)most));
}

/* ---- the report ---- */

/* The one that all plans have, or NULL. */
static const char *precision_of(const struct rk_plans_problem *p)
{
    const int axis = RK_PLAN_PRECISION, count = p->pinned[axis].count;
    if (count == 0) return rk_precision_name(p->base.precision);
    if (count > 1 || p->pinned[axis].to[0] > p->pinned[axis].value[0]) return NULL;
    return rk_precision_name((enum rk_precision)p->pinned[axis].value[0]);
}

/* ", 1,234 of them satisfy hbm<=60GiB" */
static const char *matching(struct report *report, const struct search *search)
{
    char matches[REPORT_DIGITS];
    if (!search->where[0]) return "";
    return report_text(report, ", %s of them satisfy %s",
                       report_digits(search->result.matches, matches), search->said);
}

const char *search_model_name(const struct search *search)
{
    return search_is_published(search) ? "Calculon model" : "detailed model";
}

static void add_headline_over(struct report *report, const struct search *search)
{
    search_clusters_head(report, search);
    if (!search->result.found && search->result.complete)
        report_note(report, report_text(report, "  %s", search_reason(report, search)));
    if (search->room == SEARCH_NO_ROOM)
        report_note(report, "  no plan leaves the headroom of the memory: these fill it");
}

/* The verdict of the first row, or why there is none; of several clusters, the head says why.
 * Returns whether it is unsure that it fits; `price` is the line that says what its cost assumes.
 */
static bool add_best(struct report *report, const struct search *search, const char **price)
{
    *price = NULL;
    struct first best;
    const bool over = search_is_over_clusters(search);
    if (!search->result.found && over) return false;
    if (!search->result.found) {
        const bool can_run = search->result.counts.verdict[RK_FITS][0] > 0;
        const char *reason = search_reason(report, search);
        if (search->result.complete)
            report_answer(report, REPORT_BAD,
                          can_run ? reason : report_text(report, "no plan can run: %s", reason));
        if (search->result.complete && !can_run && strstr(reason, "infeasible: bad_option"))
            check_remark("a plan of data parallelism alone", search->problem.model,
                         search->problem.system, &search->problem.base);
        return false;
    }
    take_first(search, &best);
    const enum rk_sure sure = verdict_best(report, search->result.complete, &best.forecast);
    if (!search->args->run.tokens) *price = verdict_cost(report, &best.forecast);
    return sure == RK_SURE_UNSURE;
}

/* Does the best plan keep anything in the memory of the nodes that is assumed? */
static bool offloads(const struct search *search)
{
    struct rk_plan best;
    if (!*search->assumed || !search->result.found) return false;
    search_plan(search, 0, &best);
    return host_wanted(&best);
}

/* What there is of plans that do not offload, where the memory of the nodes is assumed. */
static const char *without_host(struct report *report, const struct search *search)
{
    const struct rk_found *alone = &search->alone;
    const struct rk_plans_problem *p = &search->problem;
    char step[QUANTITY_TEXT];
    if (!alone->outcome.step_s) return "nothing in the space fits without offload";
    const double chance =
        rk_fit_chance(p->model, p->system, &alone->plan, alone->outcome.hbm_bytes);
    return report_text(report, "without offload: %s, %s",
                       quantity_format(step, QUANTITY_SECONDS, alone->outcome.step_s),
                       verdict_chance(report, chance));
}

/* Where what fits offloads, or nothing surely fits. */
static void say_context(struct report *report, const struct search *search)
{
    const bool plain = !search->where[0] && !search->sort[0] && !search->pareto[0];
    const bool short_of = offloads(search) || search->room == SEARCH_NO_ROOM ||
                          (!search->result.found && search->result.complete);
    const char *text = plain && short_of && !search_is_published(search)
                           ? search_context_text(report, &search->problem, search->share)
                           : NULL;
    if (text) report_note(report, text);
}

static void add_headline(struct report *report, const struct search *search)
{
    const struct rk_plans_problem *p = &search->problem;
    const struct rk_search_counts *c = &search->result.counts;
    char total[REPORT_DIGITS], fits[REPORT_DIGITS], tokens[QUANTITY_TEXT];
    const char *price;
    const bool unsure = add_best(report, search, &price);
    if (!search->result.complete && !report->leads)
        report_note(report, report_text(report, "INCOMPLETE: stopped by a signal%s",
                                        search->result.found
                                            ? "; the best so far"
                                            : " before a plan was found: what fits is not known "
                                              "yet"));
    report_note(
        report,
        report_text(
            report, "%s on %s, %" PRIu64 " GPU%s, batch %s%" PRIu64 " of %s tokens, %s, %s, %s%s%s",
            p->model->id, p->system->id, p->base.ranks, p->base.ranks == 1 ? "" : "s",
            search_is_published(search) ? "up to " : "", p->base.batch,
            whole_format(tokens, sequence_of(p)), rk_framework_name(p->base.framework),
            precision_of(p) ? precision_of(p) : "several precisions", search_model_name(search),
            search->why ? ": " : "", search->why ? search->why : ""));
    report_paragraph(report, price);
    if (unsure && search->room != SEARCH_NO_ROOM)
        report_note(
            report,
            "  --headroom learned keeps plans with more free memory, --headroom 8GiB with 8 GiB");
    if (offloads(search))
        report_note(report, report_text(report, "  %s; assumed: %s", without_host(report, search),
                                        search->assumed));
    say_context(report, search);
    if (search_is_over_clusters(search)) {
        add_headline_over(report, search);
        return;
    }
    report_note(report,
                report_text(report, "  %s plans, %s feasible%s", report_digits(c->total, total),
                            report_digits(c->verdict[RK_FITS][0], fits), matching(report, search)));
    const char *divides = divisors_note(report, search);
    if (divides && c->total) report_note(report, report_text(report, "  %s", divides));
    if (search->result.found) {
        struct rk_plan best;
        search_plan(search, 0, &best);
        placement_say(report, p->system, &best);
    }
    add_headroom(report, search);
    const char *beyond = search->args->verbose ? search_beyond_text(report, search) : NULL;
    if (beyond) report_note(report, report_text(report, "  %s", beyond));
}

static void add_summary(struct report *report, const struct search *search)
{
    const struct search_args *args = search->args;
    const struct rk_plans_problem *p = &search->problem;
    const struct rk_search_counts *c = &search->result.counts;
    const bool asks = search->where[0] || args->sort || args->pareto;
    const struct report_pair counts[] = {{"plans", cell_count(c->total)},
                                         {"fits", cell_count(c->verdict[RK_FITS][0])},
                                         {"repeated", cell_count(c->repeated)},
                                         {"matches", cell_count(search->result.matches)}};
    REPORT_OBJECT(report, NULL, {"command", cell_text("search")},
                  {"predictor", cell_text(search_is_published(search) ? "calculon" : "reckon")},
                  {"complete", cell_flag(search->result.complete)});
    REPORT_OBJECT(report, "problem", {"gpus", cell_count(p->base.ranks)},
                  {"batch", cell_count(p->base.batch)}, {"sequence", cell_count(sequence_of(p))},
                  {"framework", cell_text(rk_framework_name(p->base.framework))},
                  {"precision", cell_text(precision_of(p))});
    if (asks)
        REPORT_OBJECT(report, "query", {"where", cell_text(search->said[0] ? search->said : NULL)},
                      {"sort", cell_text(args->sort)}, {"pareto", cell_text(args->pareto)});
    report_object(report, "counts", counts, asks ? 4 : 3);
}

void search_answer_fill(struct report *report, const struct search *search,
                        const struct search_keys *keys)
{
    if (search->args->show.format == REPORT_AS_TEXT) {
        add_headline(report, search);
        if (search->result.found) {
            search_best_text(report, search, keys);
            if (search_is_over_clusters(search)) search_clusters_proof(report, search);
            add_times(report, search);
            add_next(report, search);
            remark_best(search);
        }
    } else {
        add_summary(report, search);
        add_headroom_record(report, search);
        describe_model(report, search->problem.model, REPORT_IN_JSON);
        describe_system(report, search->problem.system, REPORT_IN_JSON);
        search_best_all(report, search, keys);
        if (search_is_over_clusters(search) && search->result.found)
            search_clusters_proof(report, search);
        add_ranges(report, search);
    }
    if (!search_is_over_clusters(search)) add_outcomes(report, search);
}

/* ---- standard error: time, rate, arguments ---- */

/* Number of plans decided before the search was stopped. */
static uint64_t settled(const struct rk_search_counts *counts)
{
    uint64_t sum = counts->repeated;
    for (int i = 0; i < RK_VERDICTS; i++)
        sum += rk_search_count(counts, (enum rk_verdict)i);
    return sum;
}

void search_answer_rate(const struct search *search, const struct search_session *session)
{
    const double seconds = search->result.seconds;
    const uint64_t plans = settled(&search->result.counts);
    char digits[REPORT_DIGITS];
    if (session->resumed) {
        fprintf(stderr, "reckon: resumed from %s; the rest took %.3f s\n", session->state.path,
                seconds);
        return;
    }
    if (search_is_over_clusters(search)) {
        fprintf(stderr, "reckon: %s plans simulated in %.3f s; %.3f s in all\n",
                report_digits(search->result.counts.total, digits), seconds,
                progress_seconds(&session->progress));
        return;
    }
    fprintf(stderr, "reckon: %s plans evaluated in %.3f s (%.4g million/s); %.3f s in all\n",
            report_digits(plans, digits), seconds,
            seconds > 0 ? (double)plans / seconds / 1e6 : 0.0,
            progress_seconds(&session->progress));
}

void search_answer_explain(const struct search *search)
{
    static const struct report_column columns[] = {
        {.name = "pruned by"}, {.name = "plans"}, {.name = "share", .unit = "%", .digits = 3}};
    const struct rk_search_explain *e = &search->result.explain;
    const struct {
        const char *argument;
        uint64_t count;
    } rows[] = {
        {"a check, for many at once", e->refused},
        {"memory", e->refused_by_memory},
        {"a bound on the time of their group", e->bounded},
        {"evaluated", e->timed},
    };
    const uint64_t total = search->result.counts.total;
    struct report report = {.first = NULL};
    struct rk_error error;
    const struct report_style style = show_style(&search->args->show, stderr);
    struct report_table *table = REPORT_LIST(&report, NULL, NULL, REPORT_IN_TEXT, columns);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        REPORT_ROW(&report, table, cell_text(rows[i].argument), cell_count(rows[i].count),
                   cell_number(total ? (double)rows[i].count / (double)total : 0));
    report_write(&report, REPORT_AS_TEXT, &style, stderr, &error);
    report_release(&report);
}
