/* reckon diff: what one plan does differently from another, and what each difference is worth. */
#include "base/units.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/diff_source.h"
#include "cli/prediction.h"
#include "cli/show.h"
#include "interop/megatron.h"
#include "interop/output.h"
#include "advise/worth.h"

#include <stdlib.h>
#include <string.h>

struct diff_args {
    struct diff_source source;
    bool best;
    const char *output;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct diff_args, member)

/* clang-format off */
static const struct operand diff_operands[] = {
    {"A", "a plan: a plan file (.json), a launch script of Megatron-LM, or a line of words, \"tp8 pp4 gbs512\"",
     offsetof(struct diff_args, source.a), false, "file"},
    {"B", "the other one, likewise; \"+tp4 vpp5\" is the first one with these changes; left out: the best there is",
     offsetof(struct diff_args, source.b), true, "file"},
    {.name = NULL},
};

static const struct option input_rows[] = {
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "SYSTEM", AT(source.system), .complete = "systems",
     .help = "the machine: an id of `reckon systems`, a file, or a description in one line"},
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "MODEL", AT(source.model), .complete = "models",
     .help = "what is trained: an id of `reckon models`, or a file (what the launch script trains)"},
    {.name = "best", .type = OPTION_FLAG, AT(best),
     .help = "compare A with the best plan of a search (as without B): same GPUs, batch, precision and attention kernel"},
    {.letter = 'g', .name = "gpus", .type = OPTION_NUMBER, AT(source.gpus), .min = 1, .max = 1 << 24,
     .help = "how many GPUs a script runs on (what it says)"},
    {.name = "set", .type = OPTION_TEXTS, .argument = "NAME=VALUE", AT(source.sets),
     .help = "a variable that a script does not set; may be repeated"},
    {.name = "vocabulary", .type = OPTION_NUMBER, AT(source.vocabulary), .min = 1, .max = 1 << 28,
     .help = "entries of a script's embedding table, where only the tokenizer's files tell them"},
    {.letter = 'o', .name = "output", .type = OPTION_OUTPUT, .argument = "FILE", AT(output), .complete = "file",
     .help = "write to FILE instead of standard output (-); it appears whole or not at all. To a name that ends in .sh, .slurm or .sbatch goes the script A, changed so that it runs B"},
    {.name = NULL},
};

const struct usage diff_usage = {
    .name = "diff",
    .summary = "what one plan does differently from another, and what it is worth",
    .synopsis = "A [B|--best] --system SYSTEM [--model MODEL] [options]",
    .description =
        "Compares two plans for one model on one machine: time and memory side by side, the keys in "
        "which they differ, and what each single difference is worth. Alone is the first plan with that "
        "one key changed; without is the second plan with that one key as before. The way from A to B "
        "changes, one after the other, the key that helps most among those that can run: there the gains "
        "add up to the whole.\n\n"
        "Without B, the search finds the best plan with the GPUs, batch, sequence, precision and "
        "attention kernel of A: what a launch script of today leaves on the table. For a script of Megatron-LM the "
        "answer ends with the arguments to change, in the script's spelling and order, each with what it is worth "
        "alone and what memory it takes; -o run2.sh writes the script with them in it, after it has been "
        "read back as B. Nothing is run.\n\n"
        "Exit status 0: both can run and fit; 1: one of them does not.",
    .operands = diff_operands,
    .groups = {
        {"Input", input_rows, 0},
        {"Form", show_options, offsetof(struct diff_args, show)},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon diff train_llama3_70b.sh --best --system h100-sxm5-80g",
         "What a better plan than the script's would do, and what it is worth:"},
        {"reckon diff \"gpus64 tp8 pp2 sp zero1 gbs128\" \"+tp4 pp8\" -m llama3.1-70b -s h100-sxm5-80g",
         "A change, before it is tried:"},
        {"reckon diff old.json new.json -m llama3.1-8b -s h100-sxm5-80g --format json",
         "Two plan files, for a program:"},
    },
    .see_also = "reckon-predict(1), reckon-import(1), reckon-export(1), reckon-plan(5)",
};
/* clang-format on */

struct diff {
    const struct diff_input *in;
    const struct plan_worths *w;
    const struct rk_prediction *a, *b;
};

/* ---- text ---- */

/* "-1.3 %", or why there is none. */
static const char *change_text(struct report *report, const struct plan_judgement *j,
                               double before_s)
{
    if (!j->timed) return "cannot run";
    const double share = 100 * (j->step_s / before_s - 1);
    return report_text(report, "%+.1f %%%s", share,
                       j->verdict == RK_MEMORY_EXCEEDED ? ", does not fit" : "");
}

static const char *memory_text(struct report *report, const struct plan_judgement *j,
                               double before_bytes)
{
    if (!j->timed) return NULL;
    return report_text(report, "%+.2f GiB", (j->need_bytes - before_bytes) / 0x1p30);
}

static const char *verdict_text(struct report *report, const struct plan_judgement *j)
{
    char step[QUANTITY_TEXT], need[QUANTITY_TEXT];
    if (!j->timed) return "cannot run";
    return report_text(report, "%s a step, %s%s",
                       quantity_format(step, QUANTITY_SECONDS, j->step_s),
                       quantity_format(need, QUANTITY_BYTES, j->need_bytes),
                       j->verdict == RK_FITS ? "" : ", does not fit");
}

static void add_headline(struct report *report, const struct diff *d)
{
    const struct diff_input *in = d->in;
    char text[RK_PLAN_TEXT];
    report_note(report, report_text(report, "%s on %s", in->model.id, in->system.id));
    report_note(report,
                report_text(report, "A  %s: %s", in->name_a, verdict_text(report, &d->w->a)));
    rk_plan_text(&in->a, text, sizeof text);
    report_paragraph(report, report_text(report, "plan: %s", text));
    report_note(report,
                report_text(report, "B  %s: %s", in->name_b, verdict_text(report, &d->w->b)));
    rk_plan_text(&in->b, text, sizeof text);
    report_paragraph(report, report_text(report, "plan: %s", text));
    if (!d->w->count) {
        report_note(report, "The plans are the same.");
        return;
    }
    if (!d->w->a.timed || !d->w->b.timed) return;
    const double ratio = d->w->a.step_s / d->w->b.step_s;
    report_note(report, report_text(report, "B takes %.1f %% %s than A: %.3g times the throughput",
                                    100 * (ratio >= 1 ? 1 - 1 / ratio : 1 / ratio - 1),
                                    ratio >= 1 ? "less time" : "more time", ratio));
}

static void add_record(struct report *report, const struct diff *d)
{
    static const struct report_column columns[] = {{.name = "command"},
                                                   {.name = "model"},
                                                   {.name = "system"},
                                                   {.name = "a"},
                                                   {.name = "b"},
                                                   {.name = "a_plan"},
                                                   {.name = "b_plan"},
                                                   {.name = "a_verdict"},
                                                   {.name = "b_verdict"},
                                                   {.name = "a_step_s"},
                                                   {.name = "b_step_s"},
                                                   {.name = "a_need_bytes"},
                                                   {.name = "b_need_bytes"},
                                                   {.name = "a_over_b"}};
    char a[RK_PLAN_TEXT], b[RK_PLAN_TEXT];
    const struct plan_judgement *x = &d->w->a, *y = &d->w->b;
    rk_plan_text(&d->in->a, a, sizeof a);
    rk_plan_text(&d->in->b, b, sizeof b);
    const struct report_cell cells[] = {
        cell_text("diff"),
        cell_text(d->in->model.id),
        cell_text(d->in->system.id),
        cell_text(d->in->name_a),
        cell_text(d->in->name_b),
        cell_text(report_text(report, "%s", a)),
        cell_text(report_text(report, "%s", b)),
        cell_text(rk_verdict_name(x->verdict)),
        cell_text(rk_verdict_name(y->verdict)),
        x->timed ? cell_number(x->step_s) : cell_none(),
        y->timed ? cell_number(y->step_s) : cell_none(),
        x->timed ? cell_number(x->need_bytes) : cell_none(),
        y->timed ? cell_number(y->need_bytes) : cell_none(),
        x->timed && y->timed ? cell_number(x->step_s / y->step_s) : cell_none(),
    };
    report_row(report,
               report_add(report, &(struct report_table){.shape = REPORT_RECORD,
                                                         .formats = REPORT_IN_JSON,
                                                         .columns = columns,
                                                         .column_count = 14}),
               cells);
}

/* ---- differences ---- */

static struct report_cell judged(const struct plan_judgement *j, double value)
{
    return j->timed ? cell_number(value) : cell_none();
}

/* For people. */
static void add_differences(struct report *report, const struct diff *d)
{
    static const struct report_column columns[] = {
        {.name = "key"},   {.name = "a", .title = "A"}, {.name = "b", .title = "B"},
        {.name = "alone"}, {.name = "memory"},          {.name = "without"}};
    struct report_table *table = report_add(
        report, &(struct report_table){.title = "What differs, and what each key is worth: "
                                                "A with it alone, B without it",
                                       .formats = REPORT_IN_TEXT,
                                       .columns = columns,
                                       .column_count = 6});
    for (int i = 0; i < d->w->count; i++) {
        const struct plan_worth *w = &d->w->worth[i];
        const struct report_cell cells[] = {
            cell_text(plan_fields[w->difference.row].key),
            cell_text(w->difference.a),
            cell_text(w->difference.b),
            cell_text(change_text(report, &w->alone, d->w->a.step_s)),
            cell_text(memory_text(report, &w->alone, d->w->a.need_bytes)),
            cell_text(change_text(report, &w->without, d->w->b.step_s)),
        };
        report_row(report, table, cells);
    }
}

/* For programs. */
static void add_worths(struct report *report, const struct diff *d)
{
    static const struct report_column columns[] = {{.name = "key"},
                                                   {.name = "a"},
                                                   {.name = "b"},
                                                   {.name = "alone_verdict"},
                                                   {.name = "alone_step_s"},
                                                   {.name = "alone_need_bytes"},
                                                   {.name = "without_verdict"},
                                                   {.name = "without_step_s"},
                                                   {.name = "without_need_bytes"}};
    struct report_table *table =
        report_add(report, &(struct report_table){.name = "differences",
                                                  .formats = REPORT_IN_JSON | REPORT_IN_CSV,
                                                  .columns = columns,
                                                  .column_count = 9});
    for (int i = 0; i < d->w->count; i++) {
        const struct plan_worth *w = &d->w->worth[i];
        const struct report_cell cells[] = {
            cell_text(plan_fields[w->difference.row].key),
            cell_text(w->difference.a),
            cell_text(w->difference.b),
            cell_text(rk_verdict_name(w->alone.verdict)),
            judged(&w->alone, w->alone.step_s),
            judged(&w->alone, w->alone.need_bytes),
            cell_text(rk_verdict_name(w->without.verdict)),
            judged(&w->without, w->without.step_s),
            judged(&w->without, w->without.need_bytes),
        };
        report_row(report, table, cells);
    }
}

/* "tensor 8 -> 4, pipeline 4 -> 8" */
static const char *step_text(struct report *report, const struct plan_worths *w, uint64_t keys)
{
    const char *text = "";
    for (int i = 0; i < w->count; i++) {
        const struct plan_difference *x = &w->worth[i].difference;
        if (keys >> i & 1)
            text = report_text(report, "%s%s%s %s -> %s", text, *text ? ", " : "",
                               plan_fields[x->row].key, x->a, x->b);
    }
    return text;
}

static void add_path(struct report *report, const struct diff *d)
{
    static const struct report_column columns[] = {
        {.name = "change"},
        {.name = "step_s", .title = "step", .unit = "s", .digits = 4},
        {.name = "saved_s", .title = "saved", .unit = "s", .digits = 4},
        {.name = "saved_share", .title = "of A", .unit = "%", .digits = 1},
        {.name = "need_bytes", .title = "memory", .unit = "B", .digits = 2}};
    struct report_table *table = report_add(
        report, &(struct report_table){.name = "path",
                                       .title = "The way from A to B, what helps most first",
                                       .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                       .columns = columns,
                                       .column_count = 5});
    const struct plan_judgement *before = &d->w->a;
    for (int i = 0; i < d->w->steps; i++) {
        const struct plan_judgement *after = &d->w->step[i].after;
        const bool both = before->timed && after->timed;
        const struct report_cell cells[] = {
            cell_text(step_text(report, d->w, d->w->step[i].keys)),
            judged(after, after->step_s),
            both ? cell_number(before->step_s - after->step_s) : cell_none(),
            both && d->w->a.timed ? cell_number((before->step_s - after->step_s) / d->w->a.step_s)
                                  : cell_none(),
            judged(after, after->need_bytes),
        };
        report_row(report, table, cells);
        before = after;
    }
}

/* ---- side by side ---- */

static void add_times(struct report *report, const struct diff *d)
{
    static const struct report_column columns[] = {
        {.name = "part", .title = ""},
        {.name = "a_s", .title = "A", .unit = "s", .digits = 4},
        {.name = "b_s", .title = "B", .unit = "s", .digits = 4},
        {.name = "difference_s", .title = "B - A", .unit = "s", .digits = 4},
        {.name = "help", .title = ""}};
    const struct {
        const char *name, *help;
        double a, b;
    } rows[] = {
#define FIGURE(by, member, unit, text)
#define FIGURE_TIME(by, member, text) {#member, text, d->a->member, d->b->member},
#include <reckon/figures.def>
            {"step_s", "all of it", d->a->step_s, d->b->step_s},
    };
    struct report_table *table =
        report_add(report, &(struct report_table){.name = "times",
                                                  .title = "Where the time of a step goes",
                                                  .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                                  .columns = columns,
                                                  .column_count = 5});
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].a == 0 && rows[i].b == 0) continue;
        const struct report_cell cells[] = {
            cell_text(report_text(report, "%.*s", (int)strlen(rows[i].name) - 2, rows[i].name)),
            cell_number(rows[i].a), cell_number(rows[i].b), cell_number(rows[i].b - rows[i].a),
            cell_text(rows[i].help)};
        report_row(report, table, cells);
    }
}

static void add_memory(struct report *report, const struct diff *d)
{
    static const struct report_column columns[] = {
        {.name = "part", .title = ""},
        {.name = "a_bytes", .title = "A", .unit = "B", .digits = 2},
        {.name = "b_bytes", .title = "B", .unit = "B", .digits = 2},
        {.name = "difference_bytes", .title = "B - A", .unit = "B", .digits = 2},
        {.name = "help", .title = ""}};
    const struct rk_stage *a = &d->a->stage[d->a->tightest], *b = &d->b->stage[d->b->tightest];
    struct report_table *table =
        report_add(report, &(struct report_table){.name = "memory",
                                                  .title = "What the fullest GPU holds",
                                                  .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                                  .columns = columns,
                                                  .column_count = 5});
    for (int i = 0; i <= RK_HOLDING_COUNT; i++) {
        const bool all = i == RK_HOLDING_COUNT;
        const double x = all ? a->total_bytes : a->holds[i], y = all ? b->total_bytes : b->holds[i];
        if (x == 0 && y == 0) continue;
        const struct report_cell cells[] = {
            cell_text(all ? "all" : rk_holding_name((enum rk_holding)i)), cell_number(x),
            cell_number(y), cell_number(y - x),
            cell_text(all ? "of the device" : rk_holding_help((enum rk_holding)i))};
        report_row(report, table, cells);
    }
}

/* ---- the script ---- */

/* The worth of the keys that an argument sets: those named in "recompute_layers, recompute_every".
 */
static const struct plan_worth *find_worth(const struct diff *d, const char *keys)
{
    for (int i = 0; i < d->w->count; i++) {
        const char *key = plan_fields[d->w->worth[i].difference.row].key;
        const char *at = strstr(keys, key);
        const size_t n = strlen(key);
        if (at && (at == keys || at[-1] == ' ') && strchr(", ", at[n])) return &d->w->worth[i];
    }
    return NULL;
}

static void add_changes(struct report *report, const struct diff *d,
                        const struct megatron_changes *changes)
{
    static const struct report_column columns[] = {{.name = "argument"}, {.name = "line"},
                                                   {.name = "from"},     {.name = "to"},
                                                   {.name = "alone"},    {.name = "memory"}};
    struct report_table *table =
        report_add(report, &(struct report_table){.name = "arguments",
                                                  .title = "What to change in the script",
                                                  .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                                  .columns = columns,
                                                  .column_count = 6});
    for (int i = 0; i < changes->count; i++) {
        const struct megatron_change *c = &changes->change[i];
        const struct plan_worth *worth = find_worth(d, c->keys);
        const bool timed = worth && d->w->a.timed;
        const struct report_cell cells[] = {
            cell_text(c->flag),
            c->line ? cell_count((uint64_t)c->line) : cell_none(),
            cell_text(!c->was      ? "not given"
                      : *c->before ? c->before
                                   : "given"),
            cell_text(!c->is      ? "leave out"
                      : *c->after ? c->after
                                  : "give"),
            cell_text(timed ? change_text(report, &worth->alone, d->w->a.step_s) : NULL),
            cell_text(timed ? memory_text(report, &worth->alone, d->w->a.need_bytes) : NULL)};
        report_row(report, table, cells);
    }
}

static bool is_script_name(const char *path)
{
    return path && (output_ends_in(path, ".sh") || output_ends_in(path, ".slurm") ||
                    output_ends_in(path, ".sbatch"));
}

static enum rk_status write_script(const struct diff_input *in, const struct diff_args *args,
                                   struct rk_error *error)
{
    const struct megatron_options options = diff_options(&args->source, in->version);
    struct megatron_changes *changes = calloc(1, sizeof *changes);
    struct output output = {.file = NULL};
    char *text = NULL;
    if (!changes) return rk_fail(error, RK_IO, NULL, 0, 0, "out of memory");
    enum rk_status status = megatron_change(args->source.a, in->script, in->script_size, &options,
                                            &in->model, &in->a, &in->b, changes, &text, error);
    if (status == RK_OK) status = output_open(&output, args->output, error);
    if (status == RK_OK) {
        fputs(text, output.file);
        status = output_commit(&output, error);
    }
    free(text);
    free(changes);
    return status;
}

/* ---- the command ---- */

static int answer(const struct diff_input *in, const struct diff_args *args,
                  struct plan_worths *worths, struct rk_prediction prediction[static 3])
{
    struct report report = {.first = NULL};
    plan_worths(&in->model, &in->system, &in->a, &in->b, worths, &prediction[2]);
    rk_predict(&in->model, &in->system, &in->a, &prediction[0]);
    rk_predict(&in->model, &in->system, &in->b, &prediction[1]);
    const struct diff d = {in, worths, &prediction[0], &prediction[1]};
    add_headline(&report, &d);
    add_record(&report, &d);
    if (worths->count) {
        add_differences(&report, &d);
        add_worths(&report, &d);
        if (worths->b.timed) add_path(&report, &d);
    }
    if (worths->a.timed && worths->b.timed) {
        add_times(&report, &d);
        add_memory(&report, &d);
    }
    struct rk_error error;
    struct megatron_changes *changes = in->script ? calloc(1, sizeof *changes) : NULL;
    const struct megatron_options options = diff_options(&args->source, in->version);
    if (changes && megatron_change(args->source.a, in->script, in->script_size, &options,
                                   &in->model, &in->a, &in->b, changes, NULL, &error) == RK_OK)
        add_changes(&report, &d, changes);
    const bool fit = worths->a.verdict == RK_FITS && worths->b.verdict == RK_FITS;
    const char *to = in->script && is_script_name(args->output) ? NULL : args->output;
    const int code = show_report(&report, &args->show, to, fit ? (int)RK_OK : (int)RK_NOTHING_FITS);
    report_release(&report);
    free(changes);
    return code;
}

int cmd_diff(int argc, char **argv)
{
    struct diff_args args = {.best = false};
    struct diff_input in;
    struct rk_error error;
    const int done = options_read(&diff_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (args.best && args.source.b) {
        rk_fail(&error, RK_USAGE, NULL, 0, 0, "--best: give it, or a second plan, and not both");
        return options_fail(&error);
    }
    struct plan_worths *worths = calloc(1, sizeof *worths);
    struct rk_prediction *prediction = calloc(3, sizeof *prediction);
    enum rk_status status = diff_gather(&args.source, &in, &error);
    if (status == RK_OK && (!worths || !prediction))
        status = rk_fail(&error, RK_IO, NULL, 0, 0, "out of memory");
    int code;
    if (status == RK_OK) {
        in.a = plan_canonical(&in.model, &in.a);
        in.b = plan_canonical(&in.model, &in.b);
        if (in.script && is_script_name(args.output)) status = write_script(&in, &args, &error);
        code = status == RK_OK ? answer(&in, &args, worths, prediction) : options_fail(&error);
    } else {
        code = options_fail(&error);
    }
    diff_input_release(&in);
    free(worths);
    free(prediction);
    return code;
}
