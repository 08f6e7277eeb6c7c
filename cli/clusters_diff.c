/* clusters_diff.c - reckon diff of two plans over the same clusters: where the time of each goes,
 * and what each stage that differs is worth. */
#include "base/memory.h"
#include "base/number.h"
#include "cli/clusters_ask.h"
#include "cli/commands.h"
#include "cli/plan_input.h"

#include <math.h>
#include <reckon/plans.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct operand operands[] = {
    {.name = "A B", .help = "two plan files of reckon clusters, then words that both keep",
     .offset = offsetof(struct clusters_basics, source.words), .optional = OPERAND_MANY, .complete = "file"},
    {.name = NULL},
};
static const struct usage usage = {
    .name = "diff",
    .summary = "what differs between two plans over several clusters",
    .operands = operands,
    .groups = {CLUSTERS_BASICS},
    .wider = &diff_usage,
    .with = "several clusters",
};
static const struct report_column term_columns[] = {
    {.name = "term", .title = ""},
    {.name = "a", .title = "A", .unit = "s", .digits = 4},
    {.name = "b", .title = "B", .unit = "s", .digits = 4},
    {.name = "more", .title = "B - A", .unit = "s", .digits = 4},
    {.name = "what", .title = ""},
};
static const struct report_column worth_columns[] = {
    {.name = "what"},
    {.name = "a", .title = "A"},
    {.name = "b", .title = "B"},
    {.name = "alone", .unit = "%", .digits = 1, .help = "A with it alone"},
    {.name = "without", .unit = "%", .digits = 1, .help = "B without it"},
};
/* clang-format on */

enum { TERMS = 6 };

struct side {
    struct clusters_input input;
    double term[TERMS];
};

/* ---- where the time goes ---- */

static const char *const term_names[TERMS] = {"compute", "messages", "pipeline",
                                              "end",     "overlap",  "step"};
static const char *const term_helps[TERMS] = {
    "passes of the slowest stage, without its messages",
    "messages of the slowest stage to the stages behind and back",
    "once through the other stages: the pipeline fills and drains",
    "gradients, optimizer and weights behind the last microbatch",
    "what the simulation finds beside the sum of these",
    "all of it"};

static void find_terms(struct side *side)
{
    const struct clusters_plan *plan = &side->input.answer->best;
    const double m = (double)plan->microbatches;
    double sum = 0, slowest = -1, tail = 0, drained = 0;
    double *term = side->term;
    for (int i = 0; i < plan->stages; i++) {
        const struct clusters_stage *s = &plan->stage[i];
        const double time_s = s->forward_s + s->backward_s + s->message_s;
        sum += time_s;
        tail = fmax(tail, s->sync_s - drained);
        drained += s->backward_s;
        if (!(time_s > slowest)) continue;
        slowest = time_s;
        term[0] = m * (s->forward_s + s->backward_s);
        term[1] = m * s->message_s;
    }
    term[2] = sum - slowest;
    term[3] = tail;
    term[5] = plan->simulated_s;
    term[4] = term[5] - (term[0] + term[1] + term[2] + term[3]);
    if (fabs(term[4]) < 1e-9 * term[5]) term[4] = 0;
}

static void show_terms(struct report *report, const struct side side[2])
{
    struct report_table *table =
        REPORT_LIST(report, "terms", "Where the time of a step goes", REPORT_IN_ALL, term_columns);
    for (int i = 0; i < TERMS; i++)
        report_row(report, table,
                   (const struct report_cell[]){
                       cell_text(term_names[i]), cell_number(side[0].term[i]),
                       cell_number(side[1].term[i]), cell_number(side[1].term[i] - side[0].term[i]),
                       cell_text(term_helps[i])});
}

/* ---- what each difference is worth ---- */

static bool same_stage(const struct given_stage *a, const struct given_stage *b)
{
    if (a->parts != b->parts || a->equal != b->equal) return false;
    for (int k = 0; k < a->parts; k++)
        if (a->part[k].cluster != b->part[k].cluster || a->part[k].data != b->part[k].data ||
            memcmp(&a->part[k].plan, &b->part[k].plan, sizeof a->part[k].plan) != 0)
            return false;
    return true;
}

static void take_layers(struct given_plan *to, const struct given_plan *from)
{
    memcpy(to->split, from->split, sizeof to->split);
    for (int i = 0; i < to->stages; i++)
        to->stage[i].layers = from->stage[i].layers;
}

static void take_stage(struct given_plan *to, const struct given_plan *from, int i)
{
    const int layers = to->stage[i].layers;
    to->stage[i] = from->stage[i];
    to->stage[i].layers = layers;
}

struct worth {
    struct report *report;
    struct report_table *table;
    const struct side *side;
    struct given_plan changed;
    struct clusters_plan plan;
};

/* The step of `to` with one thing of `from`: `stage` -1 layers, -2 the round. NAN: it does not fit.
 */
static double step_with(struct worth *w, int to, int stage)
{
    const struct given_plan *from = w->side[!to].input.given;
    struct given_fault fault;
    w->changed = *w->side[to].input.given;
    if (stage == -2)
        w->changed.round = from->round;
    else if (stage == -1)
        take_layers(&w->changed, from);
    else
        take_stage(&w->changed, from, stage);
    memset(&w->plan, 0, sizeof w->plan);
    if (!given_judge(&w->side[to].input.question, &w->changed, &w->plan, &fault)) return NAN;
    return fault.reason.verdict == RK_FITS ? w->plan.simulated_s : NAN;
}

static const char *text_of(struct report *report, const struct side *side, int stage)
{
    const struct given_plan *given = side->input.given;
    if (stage == -2) return report_text(report, "%d", (int)given->round);
    if (stage == -1) {
        const char *text = "";
        for (int i = 0; i < given->stages * given->chunks; i++)
            text = report_text(report, "%s%s%d", text, i ? " " : "", given->split[i]);
        return text;
    }
    const struct given_part *part = &given->stage[stage].part[0];
    char recompute[RK_PLAN_AXIS_TEXT];
    return report_text(
        report, "%s tp%d cp%d dp%d %s%s%s", side->input.machine.cluster[part->cluster].name,
        (int)part->plan.tensor, (int)part->plan.context, (int)part->data,
        rk_plan_axis_text(RK_PLAN_RECOMPUTE,
                          RK_RECOMPUTE_VALUE(part->plan.recompute, part->plan.recompute_parts),
                          recompute),
        given->stage[stage].parts > 1 ? ", ..." : "",
        given->stage[stage].equal ? ", equal shares" : "");
}

static void add_worth(struct worth *w, const char *what, int stage)
{
    const double alone = step_with(w, 0, stage) / w->side[0].term[TERMS - 1] - 1;
    const double without = step_with(w, 1, stage) / w->side[1].term[TERMS - 1] - 1;
    if (!w->table)
        w->table = REPORT_LIST(w->report, "worth",
                               "What differs, and what it is worth: A with it alone, "
                               "B without it; -: does not run",
                               REPORT_IN_TEXT | REPORT_IN_JSON, worth_columns);
    report_row(w->report, w->table,
               (const struct report_cell[]){cell_text(what),
                                            cell_text(text_of(w->report, &w->side[0], stage)),
                                            cell_text(text_of(w->report, &w->side[1], stage)),
                                            isnan(alone) ? cell_none() : cell_number(alone),
                                            isnan(without) ? cell_none() : cell_number(without)});
}

/* What all stages keep, and no stage can take from the other plan. */
static const char *differing(const struct rk_plan *a, const struct rk_plan *b)
{
    return a->batch != b->batch                           ? "batch"
           : a->sequence != b->sequence                   ? "sequence"
           : a->precision != b->precision                 ? "precision"
           : a->schedule != b->schedule                   ? "schedule"
           : a->pipeline_blocking != b->pipeline_blocking ? "pipeline_blocking"
                                                          : NULL;
}

static bool show_worth(struct report *report, const struct side side[2])
{
    const struct given_plan *a = side[0].input.given, *b = side[1].input.given;
    if (a->stages != b->stages || a->chunks != b->chunks) {
        report_note(report, report_text(report,
                                        "stages times runs of layers differ, %d x %d and %d x %d: "
                                        "only the whole can be compared",
                                        a->stages, a->chunks, b->stages, b->chunks));
        return true;
    }
    const char *other = differing(&side[0].input.question.words, &side[1].input.question.words);
    if (other) {
        report_note(report,
                    report_text(report, "%s differs: only the whole can be compared", other));
        return true;
    }
    struct worth *w = calloc(1, sizeof *w);
    if (!w) return false;
    w->report = report;
    w->side = side;
    if (a->round != b->round) add_worth(w, "round", -2);
    if (memcmp(a->split, b->split, sizeof a->split) != 0) add_worth(w, "layers", -1);
    for (int i = 0; i < a->stages; i++)
        if (!same_stage(&a->stage[i], &b->stage[i]))
            add_worth(w, report_text(report, "stage %d", i), i);
    if (!w->table) report_note(report, "the two plans are the same");
    free(w);
    return true;
}

/* ---- the command ---- */

static enum rk_status open_side(struct side *side, const struct clusters_basics *args, int index,
                                struct rk_error *error)
{
    struct clusters_source source = args->source;
    source.plan = args->source.words.text[index];
    source.words.count -= 2;
    memmove(source.words.text, source.words.text + 2,
            sizeof source.words.text - 2 * sizeof *source.words.text);
    memmove(source.words.name, source.words.name + 2,
            sizeof source.words.name - 2 * sizeof *source.words.name);
    enum rk_status status = clusters_input_open(&side->input, &source, error);
    if (status == RK_OK) status = clusters_input_answer(&side->input, false, error);
    if (status == RK_OK) find_terms(side);
    return status;
}

static int tell(const struct side side[2], const struct clusters_basics *args)
{
    struct report report = {.first = NULL};
    struct rk_error error;
    const double a = side[0].term[TERMS - 1], b = side[1].term[TERMS - 1];
    const double samples =
        (double)side[1].input.question.words.batch / (double)side[0].input.question.words.batch;
    for (int i = 0; i < 2; i++)
        report_note(&report, report_text(&report, "%c  %s: %.4g s a step", 'A' + i,
                                         args->source.words.text[i], side[i].term[TERMS - 1]));
    report_note(
        &report,
        b == a ? "both take the same time"
               : report_text(&report, "B takes %.1f %% %s time than A: %.3f times the throughput",
                             100 * fabs(b / a - 1), b > a ? "more" : "less", samples * a / b));
    int code = RK_NO_MEMORY;
    if (show_worth(&report, side)) {
        show_terms(&report, side);
        code = show_report(&report, &args->show, args->output, RK_OK);
    } else {
        code = options_fail((no_memory(&error), &error));
    }
    report_release(&report);
    return code;
}

int clusters_diff(int argc, char **argv)
{
    struct clusters_basics args = {.output = NULL};
    struct side *side = calloc(2, sizeof *side);
    struct rk_error error;
    plan_words_prepare();
    int code = options_read(&usage, argc, argv, &args);
    if (code >= 0) {
        free(side);
        return code;
    }
    enum rk_status status = RK_OK;
    if (!side)
        status = no_memory(&error);
    else if (args.source.words.count < 2 || args.source.plan)
        status = rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "give two plan files, as reckon clusters --save-plan writes them");
    for (int i = 0; status == RK_OK && i < 2; i++)
        status = open_side(&side[i], &args, i, &error);
    code = status == RK_OK ? tell(side, &args) : options_fail(&error);
    for (int i = 0; side && i < 2; i++)
        clusters_input_release(&side[i].input);
    free(side);
    return code;
}
