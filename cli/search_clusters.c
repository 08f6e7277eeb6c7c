#include "cli/search_clusters.h"

#include "base/units.h"
#include "catalog/clusters_words.h"
#include "cli/export_plan.h"
#include "cli/pages.h"
#include "cli/prediction.h"
#include "clusters/predict.h"
#include "report/chart.h"
#include "search/clusters_space.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* clang-format off */
static const struct report_column bound_columns[] = {
    {.name = "objective_s", .title = "objective", .unit = "s", .digits = 4, .help = "of the best plan: sum c + (m - 1) max c + the end"},
    {.name = "bound_s", .title = "objective bound", .unit = "s", .digits = 4, .help = "no plan without interleaving has a smaller objective; steps may take less: proved"},
    {.name = "floor_s", .title = "floor", .unit = "s", .digits = 4, .help = "no step is shorter, interleaved or not, stages each in one cluster: proved"},
    {.name = "gap", .unit = "%", .digits = 2, .help = "the objective above the simulation"},
    {.name = "problems", .help = "orders of clusters and rounds, each solved exactly"},
    {.name = "labels", .help = "partial plans kept"},
    {.name = "simulated", .help = "plans simulated"},
};
static const struct report_column alone_columns[] = {
    {.name = "machine"},
    {.name = "gpus", .title = "GPUs"},
    {.name = "step_s", .title = "step", .unit = "s", .digits = 4, .help = "of the best plan of a search of that cluster alone"},
    {.name = "slower", .title = "over the best", .unit = "%", .digits = 1},
};
/* clang-format on */

static const struct chart alone_chart = {.id = "alone",
                                         .title = "Each cluster by itself",
                                         .kind = CHART_BARS,
                                         .role = {[CHART_Y] = "machine", [CHART_VALUE] = "step_s"},
                                         .x = {.title = "step"}};

static const struct clusters_space *space_of(const struct search *search)
{
    return clusters_space_of(search->space);
}

/* ---- plans in words ---- */

struct plan_words {
    char stages[2048], clusters[256];
};

static struct plan_words words_of(const struct search *search, const struct rk_plan *plan)
{
    struct plan_words words = {.stages = ""};
    struct given_plan *given = malloc(sizeof *given);
    if (!given) return words;
    given_of_plan(plan, given);
    clusters_words_of(&space_of(search)->question, given, words.stages, sizeof words.stages);
    clusters_order_of(search->problem.system->machine, given, words.clusters,
                      sizeof words.clusters);
    free(given);
    return words;
}

const char *search_clusters_words(struct report *report, const struct search *search,
                                  const struct rk_plan *plan)
{
    return report_text(report, "%s", words_of(search, plan).stages);
}

/* ---- what is launched ---- */

/* The best that it launches; false: none was found, or asked for. */
static bool take_alike(const struct search *search, struct rk_plan *plan, struct rk_plan *plain)
{
    const struct clusters_space *space = space_of(search);
    return space->question.words.framework == RK_MEGATRON &&
           isfinite(space->answer->alike.simulated_s) &&
           clusters_space_plan(space, &space->answer->alike, plan) && plan_plain(plan, plain);
}

/* What it costs to be launched, and how to have that as the answer. */
static const char *alike_text(struct report *report, const struct search *search)
{
    const struct clusters_answer *answer = space_of(search)->answer;
    const double alike_s = answer->alike.simulated_s;
    char words[RK_PLAN_TEXT];
    struct rk_plan plan, plain;
    if (space_of(search)->question.words.framework != RK_MEGATRON)
        return "leave the framework out, and the best that it launches is named here";
    if (space_of(search)->question.words.schedule != RK_1F1B)
        return "leave the schedule out, and the best that it launches is named here";
    if (!take_alike(search, &plan, &plain)) return "no plan that it launches fits";
    rk_plan_text(&plain, words, sizeof words);
    return report_text(report,
                       "the best that it launches takes %.4f s per step, %.1f %% more: %s on %s "
                       "(--launchable makes it the answer)",
                       alike_s, 100 * (alike_s / answer->best.simulated_s - 1), words,
                       words_of(search, &plan).clusters);
}

static void add_alike_record(struct report *report, const struct search *search)
{
    const struct clusters_answer *answer = space_of(search)->answer;
    const double alike_s = answer->alike.simulated_s;
    char words[RK_PLAN_TEXT] = "";
    struct plan_words in = {.stages = ""};
    struct rk_plan plan, plain;
    const bool some = take_alike(search, &plan, &plain);
    if (some) in = words_of(search, &plan);
    if (some) rk_plan_text(&plain, words, sizeof words);
    REPORT_OBJECT(
        report, "launchable", {"step_s", some ? cell_number(alike_s) : cell_none()},
        {"slower", some ? cell_number(alike_s / answer->best.simulated_s - 1) : cell_none()},
        {"clusters", cell_text(some ? report_text(report, "%s", in.clusters) : NULL)},
        {"plan", cell_text(some ? report_text(report, "%s", in.stages) : NULL)},
        {"words", cell_text(some ? report_text(report, "%s", words) : NULL)});
}

/* A cluster that is faster by itself, with choices that all stages of a plan over several share. */
static void note_alone(struct report *report, const struct search *search)
{
    const struct clusters_space *space = space_of(search);
    const struct rk_machine *machine = search->problem.system->machine;
    char words[RK_PLAN_TEXT];
    for (int i = 0; i < machine->clusters; i++) {
        const double step_s = space->answer->alone_step_s[i];
        if (!(step_s < space->answer->best.simulated_s * (1 - 1e-3))) continue;
        rk_plan_text(&space->alone[i], words, sizeof words);
        report_note(report, report_text(report,
                                        "  cluster %s by itself is faster, %.4f s per step, as "
                                        "`reckon search` of it alone says: %s",
                                        machine->cluster[i].name, step_s, words));
    }
}

/* Links whose latency nobody gave, or gave as nothing. */
static void note_latency(struct report *report, const struct rk_machine *m)
{
    bool none = false;
    for (int i = 0; i < m->clusters; i++)
        for (int j = 0; j < i; j++)
            none |= !(m->link[i][j].latency_s > 0);
    if (none)
        report_note(report, "  assumed: messages between clusters have no latency where their link "
                            "names none; state it after the rate, link=100Gb/s@50us");
}

/* Devices of several sizes: the one that is fullest need not hold most. */
static void note_fullest(struct report *report, const struct search *search)
{
    struct rk_prediction p;
    struct rk_plan plan;
    search_plan(search, 0, &plan);
    rk_predict(search->problem.model, search->problem.system, &plan, &p);
    int most = 0;
    for (int i = 1; i < p.stages; i++)
        if (p.stage[i].total_bytes > p.stage[most].total_bytes) most = i;
    if (p.stage[most].total_bytes > p.stage[p.tightest].total_bytes)
        report_note(report, report_text(report,
                                        "  the first line has the memory of the stage that is "
                                        "nearest to its limit, %d; the table the most that one "
                                        "holds, stage %d",
                                        p.tightest, most));
}

/* "new 14.2 of 80.0 GiB, old ...": what plans leave of each cluster's memory. */
static void note_headroom(struct report *report, const struct search *search)
{
    const struct rk_machine *machine = search->problem.system->machine;
    const char *text = "";
    for (int i = 0; i < machine->clusters; i++) {
        const struct rk_cluster *c = &machine->cluster[i];
        const double capacity = c->system.memory[0].capacity_bytes;
        const double usable = search->problem.usable_bytes[i];
        if (usable > 0 && usable < capacity)
            text = report_text(report, "%s%s%s %.1f of %.1f GiB", text, *text ? ", " : "", c->name,
                               (capacity - usable) / 0x1p30, capacity / 0x1p30);
    }
    if (*text) report_note(report, report_text(report, "  headroom %s", text));
}

void search_clusters_head(struct report *report, const struct search *search)
{
    const struct clusters_space *space = space_of(search);
    struct rk_plan plan, plain;
    report_note(report, report_text(report,
                                    "  %" PRIu64 " plans simulated, the best of %" PRIu64
                                    " exactly solved problems and what lies near them%s",
                                    search->result.counts.total, space->answer->problems,
                                    space->kept.dropped && space->kept.most == CLUSTERS_MOST_KEPT
                                        ? "; some of the slower are left out"
                                        : ""));
    if (space->late)
        report_note(report, "  what the condition says of the step was asked of the plans that "
                            "were simulated: others may satisfy it, too");
    note_headroom(report, search);
    if (!search->result.found) return;
    note_fullest(report, search);
    note_alone(report, search);
    search_plan(search, 0, &plan);
    const char *why =
        launch_has_file(search->problem.system) ? clusters_unlaunchable(&plan, &plain) : NULL;
    if (why) report_note(report, report_text(report, "  Megatron-LM does not launch it: %s", why));
    if (why && !search->problem.launchable)
        report_note(report, report_text(report, "  %s", alike_text(report, search)));
    note_latency(report, search->problem.system->machine);
}

/* ---- what is proved ---- */

static void add_bounds(struct report *report, const struct search *search)
{
    const struct clusters_answer *a = space_of(search)->answer;
    const bool straight = a->best.chunks == 1;
    const double gap = a->best.value_s / a->best.simulated_s - 1;
    REPORT_ROW(report,
               REPORT_ONE(report, "bounds", "Proved about the fastest plan",
                          REPORT_IN_TEXT | REPORT_IN_JSON, bound_columns),
               straight ? cell_number(a->best.value_s) : cell_none(),
               cell_number(a->proved.value_s), cell_number(a->floor_s),
               straight ? cell_number(fabs(gap) < 1e-9 ? 0 : gap) : cell_none(),
               cell_count(a->problems), cell_count(a->labels), cell_count(a->simulated));
    if (!straight)
        report_note(
            report,
            report_text(report,
                        "the best plan without interleaving takes %.4f s per step; interleaved "
                        "are the plans that were simulated, so none is proved to be the best "
                        "of those: a better one could save %.1f %%, no more",
                        a->straight_s, 100 * (1 - a->floor_s / a->best.simulated_s)));
}

static void add_alone(struct report *report, const struct search *search)
{
    const struct rk_machine *machine = search->problem.system->machine;
    const struct clusters_answer *answer = space_of(search)->answer;
    struct report_table *table = REPORT_LIST(report, "alone", "Each cluster by itself",
                                             REPORT_IN_TEXT | REPORT_IN_JSON, alone_columns);
    if (table) table->chart = &alone_chart;
    for (int i = 0; i < machine->clusters; i++) {
        const struct rk_cluster *c = &machine->cluster[i];
        const double step_s = answer->alone_step_s[i];
        const bool fits = !isinf(step_s);
        REPORT_ROW(report, table,
                   cell_text(report_text(report, "%s: %s%s", c->name, c->system.id,
                                         fits ? "" : ", nothing fits")),
                   cell_count(c->system.devices), fits ? cell_number(step_s) : cell_none(),
                   fits ? cell_number(step_s / answer->best.simulated_s - 1) : cell_none());
    }
}

void search_clusters_proof(struct report *report, const struct search *search)
{
    const struct rk_plans_problem *p = &search->problem;
    struct rk_prediction prediction;
    struct rk_plan plan;
    search_plan(search, 0, &plan);
    rk_predict(p->model, p->system, &plan, &prediction);
    const struct forecast best = {p->model, p->system, &plan, &prediction, "", NULL};
    forecast_placement(report, &best);
    if (!search->result.complete) return; /* nothing is proved yet */
    add_bounds(report, search);
    add_alone(report, search);
    if (!p->launchable) add_alike_record(report, search);
}

void search_clusters_next(struct report *report, const struct search *search,
                          const struct rk_plan *plan)
{
    const char *model = search_model_word(report, search);
    const char *system = search_system_word(report, search);
    char words[RK_PLAN_TEXT];
    struct rk_plan plain;
    const bool launched = !clusters_unlaunchable(plan, &plain);
    report_note(report, launched ? "To launch the best plan, where its ranks run, and its time:"
                                 : "Where the ranks of the best plan run, and its time:");
    if (launched) {
        rk_plan_text(&plain, words, sizeof words);
        report_note(report, report_text(report, "  reckon export megatron -m %s %s", model, words));
    }
    rk_plan_text(plan, words, sizeof words);
    report_note(report,
                report_text(report, "  reckon export ranks -m %s -s %s %s", model, system, words));
    report_note(report,
                report_text(report, "  reckon predict -m %s -s %s %s", model, system, words));
}

void search_clusters_links(struct report *report, const struct search *search)
{
    const struct rk_machine *machine = search->problem.system->machine;
    for (int a = 0; a < machine->clusters; a++)
        for (int b = a + 1; b < machine->clusters && !progress_stopped(); b++) {
            char rate[QUANTITY_TEXT];
            const double even = clusters_break_even(&space_of(search)->question, a, b);
            const char *link =
                report_text(report, "%s - %s", machine->cluster[a].name, machine->cluster[b].name);
            report_note(
                report,
                isnan(even)   ? report_text(report, "%s: no memory for the search", link)
                : isinf(even) ? report_text(report,
                                            "%s: no bandwidth makes several clusters better than "
                                            "the best one",
                                            link)
                : even <= 0   ? report_text(report,
                                            "%s: several clusters are better than one at any "
                                              "bandwidth looked at",
                                            link)
                              : report_text(report,
                                            "%s: below %s per node, several clusters are no better "
                                              "than one",
                                            link, quantity_format(rate, QUANTITY_BYTES_PER_S, even)));
        }
}
