/* clusters_launch.c - which plans over clusters Megatron-LM launches as one job, said in the first
 * lines of an answer. */
#include "catalog/clusters_words.h"
#include "cli/clusters_ask.h"
#include "cli/pages.h"
#include "plan/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool clusters_mixed(const struct given_plan *given)
{
    for (int i = 0; given && i < given->stages; i++)
        if (given->stage[i].parts > 1) return true;
    return false;
}

/* Degrees and layers of the plan, with all else as `plain` has it. */
static void take_stages(const struct clusters_plan *plan, struct rk_plan *plain)
{
    const struct clusters_stage *first = &plan->stage[0];
    plain->tensor = first->tensor;
    plain->context = first->context;
    plain->expert = first->expert;
    plain->pipeline = (uint64_t)plan->stages;
    plain->ranks = first->gpus * plain->pipeline;
    plain->microbatch = first->microbatch;
    plain->recompute = first->recompute;
    plain->recompute_parts = clusters_parts(plain, plain->recompute);
    plain->sequence_parallel &= plain->tensor > 1;
    plain->messages_sharded &= plain->tensor > 1 && !plain->sequence_parallel; /* is split anyway */
    plain->chunks = (uint64_t)plan->chunks;
    struct rk_layout layout = {.splits = plan->stages * plan->chunks};
    for (int i = 0; i < layout.splits; i++)
        layout.split[i] = (uint16_t)plan->chunk[i].layers;
    plain->layout = rk_layout_keep(&layout);
}

void clusters_alike_plan(const struct clusters_question *question, const struct clusters_plan *plan,
                         struct rk_plan *plain)
{
    const struct clusters_stage *first = &plan->stage[0];
    *plain = question->words;
    take_stages(plan, plain);
    if (!question->offload) plan_offload(plain, first->activations_away, first->optimizer_away);
}

bool clusters_plain_plan(const struct clusters_input *a, struct rk_plan *plain)
{
    const struct clusters_plan *plan = &a->answer->best;
    const struct clusters_stage *first = &plan->stage[0];
    if (clusters_mixed(a->given)) return false;
    clusters_alike_plan(&a->question, plan, plain);
    if (a->given) {
        *plain = a->given->stage[0].part[0].plan;
        take_stages(plan, plain);
    }
    for (int i = 0; i < plan->stages; i++) {
        const struct clusters_stage *s = &plan->stage[i];
        if (s->tensor != first->tensor || s->context != first->context ||
            s->expert != first->expert || s->data != first->data ||
            s->recompute != first->recompute || s->activations_away != first->activations_away ||
            s->optimizer_away != first->optimizer_away ||
            (a->given && memcmp(&a->given->stage[i].part[0].plan, &a->given->stage[0].part[0].plan,
                                sizeof *plain) != 0))
            return false;
    }
    return true;
}

const char *clusters_unlaunchable(const struct clusters_input *input)
{
    struct rk_plan plain;
    if (clusters_mixed(input->given))
        return "replicas on several clusters take samples by their speed";
    if (!clusters_plain_plan(input, &plain)) return "its stages differ in more than their layers";
    if (plain.schedule != RK_1F1B) return "its schedule is not 1F1B";
    if (rk_plan_offloaded(&plain, RK_SHARE_ATTENTION) > 0) return "its activations go to the host";
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
    struct given_plan *given = malloc(sizeof *given);
    struct rk_plan plain;
    *w = (struct alike_words){.plan = ""};
    if (given && isfinite(alike->simulated_s)) {
        given_of(&in->question, alike, given);
        clusters_words_of(&in->question, given, w->plan, sizeof w->plan);
        clusters_order_of(&in->machine, given, w->order, sizeof w->order);
        clusters_alike_plan(&in->question, alike, &plain);
        rk_plan_text(&plain, w->words, sizeof w->words);
    }
    free(given);
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

void clusters_note_launchable(struct report *report, const struct clusters_input *in)
{
    struct alike_words words;
    const char *why = clusters_unlaunchable(in);
    const bool searched = in->question.alike == CLUSTERS_ALIKE_ALSO;
    alike_words(in, &words);
    if (why) report_note(report, report_text(report, "Megatron-LM does not launch it: %s", why));
    if (why && searched) report_note(report, alike_text(report, in, &words));
    if (searched) add_record(report, in, &words);
}
