#include "cli/doctor_memory.h"
#include "base/extremes.h"
#include "base/limits.h"
#include "base/units.h"
#include "catalog/plan_compare.h"
#include "catalog/plan_fields.h"
#include "cli/export_plan.h"
#include "cli/verdict.h"
#include "keys/target.h"
#include "megatron/changed_lines.h"
#include "text/text_file.h"
#include <reckon/advise.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum rk_status doctor_memory_load(const char *path, struct memory_report *m, struct rk_error *error)
{
    char *bytes = NULL;
    size_t size = 0;
    *m = (struct memory_report){.kind = MEMORY_UNKNOWN};
    if (strcmp(path, "-") == 0) return RK_OK; /* a log: read once */
    enum rk_status status = text_file_load(path, MOST_MEMORY_BYTES, &bytes, &size, error);
    if (status == RK_OK && memory_report_is(bytes, size))
        status = memory_report_read(bytes, size, text_file_name(path), m, error);
    free(bytes);
    return status;
}

/* ---- the table ---- */

/* More than contexts and libraries differ by. */
static const double MUCH_OF_OTHERS = 2 * 0x1p30;

static const struct report_column columns[] = {
    {.name = "part"},
    {.name = "measured_bytes", .title = "the run", .unit = "B", .digits = 1},
    {.name = "predicted_bytes", .title = "predicted", .unit = "B", .digits = 1},
    {.name = "what"},
};
static const struct report_column holder_columns[] = {
    {.name = "asked_by"},
    {.name = "bytes", .title = "bytes", .unit = "B", .digits = 2},
    {.name = "blocks"},
};
static const struct report_column predicted_columns[] = {
    {.name = "holding"},
    {.name = "bytes", .title = "predicted", .unit = "B", .digits = 1},
    {.name = "what"},
};
static const struct report_column change_columns[] = {
    {.name = "change"},
    {.name = "saved_bytes", .title = "saves", .unit = "B", .digits = 1},
    SAVING_COLUMNS,
    {.name = "step_s", .title = "step", .unit = "s", .digits = 3, .own_scale = true},
    {.name = "line"},
};

static struct report_cell bytes_cell(double bytes)
{
    return bytes > 0 ? cell_number(bytes) : cell_none();
}

/* What is neither free nor in this process's allocator: its context, libraries, and other
 * processes. 0: not said. */
static double outside_of(const struct memory_report *m)
{
    if (!(m->reserved_bytes > 0)) return 0;
    if (m->frees && m->capacity_bytes > 0)
        return larger(0, m->capacity_bytes - m->free_bytes - m->reserved_bytes);
    return larger(0, m->process_bytes - m->reserved_bytes); /* of this process, or not known */
}

/* Of other processes: what is more than this one's, or where that is not said, than its context. */
static double others_of(const struct forecast *f, const struct memory_report *m)
{
    const struct rk_prediction *p = f->prediction;
    const double own = m->process_bytes > m->reserved_bytes
                           ? m->process_bytes - m->reserved_bytes
                           : p->stage[p->tightest].holds[RK_HOLD_context];
    const double others = outside_of(m) - own;
    return others > MUCH_OF_OTHERS ? others : 0;
}

static void add_parts(struct report *report, const struct forecast *f,
                      const struct memory_report *m)
{
    const struct rk_prediction *p = f->prediction;
    const struct rk_stage *s = &p->stage[p->tightest];
    const double kept = m->reserved_bytes - m->allocated_bytes;
    const double others = others_of(f, m), outside = outside_of(m) - others;
    const struct {
        const char *part, *what;
        double run, predicted;
    } rows[] = {
        {"tensors", "weights, states, activations", m->allocated_bytes, s->allocated_bytes},
        {"kept by the allocator", "freed but not returned, fragments",
         m->allocated_bytes > 0 ? kept : 0, s->holds[RK_HOLD_fragmentation]},
        {"outside the allocator", "context, libraries, NCCL", outside, s->holds[RK_HOLD_context]},
        {"of other processes", "nvidia-smi names them", others, 0},
        {"requested, and not available", "", m->asked_bytes, 0},
        {"free", "", m->free_bytes, 0},
        {"of the device", "", m->capacity_bytes, f->system->memory[0].capacity_bytes},
    };
    struct report_table *table =
        REPORT_LIST(report, "memory", "Memory of the run and prediction of its tightest stage",
                    REPORT_IN_ALL, columns);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].run > 0 || rows[i].predicted > 0)
            REPORT_ROW(report, table, cell_text(rows[i].part), bytes_cell(rows[i].run),
                       bytes_cell(rows[i].predicted), cell_text(rows[i].what));
}

static void add_holders(struct report *report, const struct memory_report *m)
{
    if (!m->groups) return;
    struct report_table *table = REPORT_LIST(
        report, "holders", "Allocations that are held at the end", REPORT_IN_ALL, holder_columns);
    for (size_t i = 0; i < m->groups; i++)
        REPORT_ROW(report, table, cell_text(report_text(report, "%s", m->group[i].where)),
                   cell_number(m->group[i].bytes), cell_count(m->group[i].blocks));
    if (!m->frames)
        report_note(report, "  no block names its line: torch.cuda.memory._record_memory_history() "
                            "at the start of the run records them");
}

static void add_predicted(struct report *report, const struct rk_prediction *p)
{
    const struct rk_stage *s = &p->stage[p->tightest];
    struct report_table *table =
        REPORT_LIST(report, "predicted", "Predicted contents", REPORT_IN_ALL, predicted_columns);
    for (int i = 0; i < RK_HOLDING_COUNT; i++)
        if (s->holds[i] > 0)
            REPORT_ROW(report, table, cell_text(rk_holding_name((enum rk_holding)i)),
                       cell_number(s->holds[i]), cell_text(rk_holding_help((enum rk_holding)i)));
}

/* ---- the line to change ---- */

/* The changed plan's figures in place of those of the words alone. */
static void predict_saving(const struct forecast *f, const struct rk_plan *plan,
                           struct rk_saving *s)
{
    static struct rk_prediction p;
    rk_predict(f->model, f->system, plan, &p);
    if (!p.timed) return;
    const struct rk_stage *stage = &p.stage[p.tightest];
    s->saved_bytes += s->need_bytes - stage->total_bytes;
    s->left_bytes += s->need_bytes - stage->total_bytes;
    s->need_bytes = stage->total_bytes;
    s->states_bytes = rk_sure_states(stage->holds);
    s->step_s = p.step_s;
    s->fits = p.verdict == RK_FITS;
    s->short_tier = s->fits ? -1 : p.reason[0].tier;
}

/* What the tool's line changes along with what was meant: loss-in-chunks is "loss-in-chunks
 * fused=true" where one key turns on all of Liger's kernels. */
static void take_along(const struct forecast *f, const struct target *target,
                       const struct rk_plan *to, struct rk_saving *s)
{
    static struct plan_difference meant[PLAN_MAX_FIELDS], read[PLAN_MAX_FIELDS];
    struct rk_plan before, after, all = *to;
    size_t used = strlen(s->words);
    bool more = false;
    if (!target_reads(target, f->model, f->plan, &before) ||
        !target_reads(target, f->model, to, &after))
        return;
    const int changes = plan_compare(f->plan, to, meant),
              count = plan_compare(&before, &after, read);
    for (int i = 0; i < count; i++) {
        const char *word = plan_fields[read[i].row].word;
        bool said = !word;
        for (int k = 0; k < changes; k++)
            said |= meant[k].row == read[i].row;
        if (said || used + strlen(word) + strlen(read[i].b) + 3 > sizeof s->words) continue;
        used +=
            (size_t)snprintf(s->words + used, sizeof s->words - used, " %s=%s", word, read[i].b);
        plan_take(&all, &after, read[i].row);
        more = true;
    }
    if (more) predict_saving(f, &all, s);
}

/* Of which tool they are; no line: its file does not make the change; "", too: none is known. What
 * else the line changes joins the change. */
static const char *changed_line(const struct forecast *f, struct rk_saving *s,
                                char line[static CHANGED_LINES])
{
    struct plan_draft draft = plan_draft_of(f->plan);
    struct plan_fault fault;
    struct rk_error ignored;
    line[0] = '\0';
    if (plan_read_words(s->words, &draft, &ignored) != RK_OK || !plan_complete(&draft, &fault))
        return "";
    const struct target *target = launch_tool(&draft.plan)->file;
    if (target && draft.plan.recompute_layers) return ""; /* they recompute all layers or none */
    if (!target || target_says_change(target, f->model, f->plan, &draft.plan))
        changed_lines(target, f->model, f->plan, &draft.plan, line);
    if (target && *line) take_along(f, target, &draft.plan, s);
    return target ? target->name : "Megatron-LM";
}

/* Returns the one to make first, for the answer. */
static const char *add_changes(struct report *report, const struct forecast *f)
{
    enum { FEW = 5 };
    static struct rk_saving saving[RK_MAX_SAVINGS];
    const int count = verdict_savings(f, NULL, saving);
    const char *first = "no single change of the plan saves memory";
    struct report_table *table =
        count ? REPORT_LIST(report, "changes", "Changes, the first one first", REPORT_IN_ALL,
                            change_columns)
              : NULL;
    for (int i = 0; i < count && i < FEW; i++) {
        char line[CHANGED_LINES];
        struct rk_saving *s = &saving[i];
        const char *of = changed_line(f, s, line);
        const char *none = *of ? report_text(report, "no line of %s: %s", of, s->what) : s->what;
        if (i == 0)
            first = report_text(report, "change first: %s (%s)%s%s%s%s", s->words, s->what,
                                *line ? "; in " : "", *line ? of : "", *line ? ": " : "", line);
        REPORT_ROW(report, table, cell_text(report_text(report, "%s", s->words)),
                   cell_number(s->saved_bytes), SAVING_CELLS(f, s, NULL), cell_number(s->step_s),
                   cell_text(*line ? report_text(report, "%s", line) : none));
    }
    return first;
}

/* ---- the answer ---- */

static void add_headline(struct report *report, const struct forecast *f,
                         const struct memory_report *m)
{
    static const char *const kinds[] = {"", "an out-of-memory error", "a summary of memory",
                                        "a memory snapshot"};
    char asked[QUANTITY_TEXT], held[QUANTITY_TEXT];
    const double measured = m->allocated_bytes;
    report_note(report,
                report_text(report, "  %s: %s%s%s%s%s%s", kinds[m->kind],
                            measured > 0         ? "tensors held "
                            : m->asked_bytes > 0 ? "the run"
                                                 : "its sizes are not said",
                            measured > 0 ? quantity_format(held, QUANTITY_BYTES, measured) : "",
                            m->asked_bytes > 0 ? " when it asked for " : "",
                            m->asked_bytes > 0
                                ? quantity_format(asked, QUANTITY_BYTES, m->asked_bytes)
                                : "",
                            *m->where ? ", at " : "", m->where));
    if (m->failures > 0 || m->retries > 0)
        report_note(report, report_text(report,
                                        "  %.0f allocations failed, %.0f were tried again after a "
                                        "flush",
                                        m->failures, m->retries));
    const double here = f->system->memory[0].capacity_bytes;
    if (m->capacity_bytes > 0 && fabs(m->capacity_bytes / here - 1) > 0.1)
        report_note(report, report_text(report, "  the run's device has %s, which %s has not",
                                        quantity_format(held, QUANTITY_BYTES, m->capacity_bytes),
                                        f->system->id));
    const double kept = m->reserved_bytes - measured;
    if (measured > 0 && kept > 0.1 * m->reserved_bytes)
        report_note(report, report_text(report,
                                        "  the allocator keeps %.0f %% of what it reserved: "
                                        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
                                        100 * kept / m->reserved_bytes));
    forecast_plan(report, f);
}

/* Does the plan fit, and if so, what else filled the memory? */
static void add_verdict(struct report *report, const struct forecast *f,
                        const struct memory_report *m, const char *change)
{
    const enum rk_sure sure = verdict_sure(f, NULL);
    const double bytes = f->prediction->stage[f->prediction->tightest].allocated_bytes;
    const bool more = m->allocated_bytes + m->asked_bytes > 1.1 * bytes;
    char predicted[QUANTITY_TEXT], taken[QUANTITY_TEXT] = "";
    const double others = others_of(f, m);
    if (others > 0) {
        quantity_format(taken, QUANTITY_BYTES, others);
        change = report_text(report,
                             "other processes have %s of this device: leftovers, or ranks that "
                             "share it (LOCAL_RANK, CUDA_VISIBLE_DEVICES); %s",
                             taken, change);
    }
    report_answer(report, verdict_tone(sure),
                  report_text(report, "%s: tensors take %s at the predicted peak%s; %s",
                              rk_sure_name(sure), quantity_format(predicted, QUANTITY_BYTES, bytes),
                              sure != RK_SURE_FITS || others > 0 ? ""
                              : more ? ", and the run stores something that the plan does not have"
                                     : ": look at what the run holds outside its tensors",
                              change));
}

void doctor_memory(struct report *report, const struct forecast *f, const struct memory_report *m)
{
    add_headline(report, f, m);
    add_parts(report, f, m);
    add_holders(report, m);
    add_predicted(report, f->prediction);
    add_verdict(report, f, m, add_changes(report, f));
}
