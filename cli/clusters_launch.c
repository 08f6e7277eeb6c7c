/* clusters_launch.c - which plans over clusters Megatron-LM launches as one job, said in the first
 * lines of an answer. */
#include "catalog/clusters_words.h"
#include "cli/clusters_ask.h"
#include "cli/pages.h"
#include "clusters/predict.h"
#include "plan/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *clusters_unlaunchable(const struct rk_plan *plan, struct rk_plan *plain)
{
    if ((uint64_t)rk_plan_layout(plan)->parts != plan->pipeline)
        return "replicas on several clusters take samples by their speed";
    if (!plan_plain(plan, plain)) return "its stages differ in more than their layers";
    if (plan->schedule != RK_1F1B) return "its schedule is not 1F1B";
    if (rk_plan_offloaded(plan, RK_SHARE_ATTENTION) > 0) return "its activations go to the host";
    return NULL;
}

/* ---- the first lines ---- */

/* The best that it launches: stage by stage, the order of its clusters, and as words of a launcher.
 * All "": there is none. */
struct alike_words {
    char plan[2048], order[256], words[RK_PLAN_TEXT];
};

static void alike_words(const struct clusters_input *in, struct alike_words *w)
{
    const struct clusters_plan *alike = &in->answer->alike;
    struct rk_error error;
    struct rk_plan plain;
    *w = (struct alike_words){.plan = ""};
    if (!isfinite(alike->simulated_s)) return;
    struct answered *answered = answered_open(&in->question, alike, NULL, &error);
    if (answered && plan_plain(&answered->plan, &plain)) {
        clusters_words_of(&in->question, &answered->given, w->plan, sizeof w->plan);
        clusters_order_of(&in->machine, &answered->given, w->order, sizeof w->order);
        rk_plan_text(&plain, w->words, sizeof w->words);
    }
    free(answered);
}

/* What it costs to be launched, and how to have that as the answer. */
static const char *alike_text(struct report *report, const struct clusters_input *in,
                              const struct alike_words *w)
{
    const double alike_s = in->answer->alike.simulated_s;
    if (in->question.words.schedule != RK_1F1B)
        return "leave the schedule out, and the best that it launches is named here";
    if (isinf(alike_s)) return "no plan that it launches fits";
    return report_text(report,
                       "the best that it launches takes %.4f s a step, %.1f %% more: %s on %s "
                       "(--launchable makes it the answer)",
                       alike_s, 100 * (alike_s / in->answer->best.simulated_s - 1), w->words,
                       w->order);
}

static void add_record(struct report *report, const struct clusters_input *in,
                       const struct alike_words *w)
{
    static const struct report_column columns[] = {{.name = "step_s"},
                                                   {.name = "slower"},
                                                   {.name = "clusters"},
                                                   {.name = "plan"},
                                                   {.name = "words"}};
    const double alike_s = in->answer->alike.simulated_s;
    const bool some = isfinite(alike_s);
    report_record(report, "launchable", columns, 5,
                  (const struct report_cell[]){
                      some ? cell_number(alike_s) : cell_none(),
                      some ? cell_number(alike_s / in->answer->best.simulated_s - 1) : cell_none(),
                      cell_text(some ? report_text(report, "%s", w->order) : NULL),
                      cell_text(some ? report_text(report, "%s", w->plan) : NULL),
                      cell_text(some ? report_text(report, "%s", w->words) : NULL)});
}

void clusters_note_launchable(struct report *report, const struct clusters_input *in,
                              const struct answered *answered)
{
    struct alike_words words;
    struct rk_plan plain;
    const char *why = clusters_unlaunchable(&answered->plan, &plain);
    const bool searched = in->question.alike == CLUSTERS_ALIKE_ALSO;
    if (searched) alike_words(in, &words);
    if (why) report_note(report, report_text(report, "Megatron-LM does not launch it: %s", why));
    if (why && searched) report_note(report, alike_text(report, in, &words));
    if (searched) add_record(report, in, &words);
}
