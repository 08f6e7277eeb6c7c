/* diff_tables.c - the answer of `reckon diff`, table by table. */
#include "base/units.h"
#include "cli/diff.h"
#include "cli/verdict.h"

#include <math.h>
#include <string.h>

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

/* A, or B; points into the diff. */
static struct forecast diff_side(const struct diff *d, bool second)
{
    return (struct forecast){
        &d->in.model, &d->in.system, second ? &d->in.b : &d->in.a, second ? &d->b : &d->a,
        "",           NULL};
}

bool diff_fits(const struct diff *d)
{
    const struct forecast a = diff_side(d, false), b = diff_side(d, true);
    return verdict_exit(&a) == RK_OK && verdict_exit(&b) == RK_OK;
}

static const char *verdict_text(struct report *report, const struct forecast *f)
{
    const struct rk_prediction *p = f->prediction;
    char step[QUANTITY_TEXT], need[QUANTITY_TEXT];
    if (!p->timed) return report_text(report, "cannot run: %s", forecast_reason(report, f, 0));
    return report_text(report, "%s per step, %s%s",
                       quantity_format(step, QUANTITY_SECONDS, p->step_s),
                       quantity_format(need, QUANTITY_BYTES, p->stage[p->tightest].total_bytes),
                       verdict_behind(report, f));
}

static void add_side(struct report *report, const struct diff *d, bool second)
{
    const struct forecast f = diff_side(d, second);
    const char *side = second ? "B" : "A";
    char text[RK_PLAN_TEXT];
    rk_plan_text(f.plan, text, sizeof text);
    report_note(report,
                report_text(report, "%s  %s: %s", side, second ? d->in.name_b : d->in.name_a,
                            verdict_text(report, &f)));
    report_paragraph(report, report_text(report, "plan: %s", text));
    const char *times = f.prediction->timed ? learned_times(report, &f) : NULL;
    struct rk_error error; /* without memory the answer stands without them */
    if (times) report_paragraph(report, times);
    if (times) forecast_nearest(report, &f, side, false, &error);
}

static const char *side_word(const struct forecast *f, enum rk_sure sure)
{
    return sure == RK_SURE_UNSURE ? "is unsure" : verdict_word(f, sure);
}

const char *diff_verdict(struct report *report, const struct diff *d, enum report_tone *tone)
{
    const struct forecast side_a = diff_side(d, false), side_b = diff_side(d, true);
    const enum rk_sure a = verdict_sure(&side_a, NULL), b = verdict_sure(&side_b, NULL);
    char step_a[QUANTITY_TEXT], step_b[QUANTITY_TEXT];
    *tone = a == b ? verdict_tone(a) : REPORT_UNSURE;
    const char *fit =
        a == RK_SURE_FITS && b == RK_SURE_FITS
            ? "both fit"
            : report_text(report, "A %s, B %s", side_word(&side_a, a), side_word(&side_b, b));
    if (!d->w.count) return report_text(report, "%s: the plans are the same", fit);
    if (!d->w.a.timed || !d->w.b.timed) return fit;
    const double times = d->w.b.step_s / d->w.a.step_s;
    return report_text(report,
                       "%s: B %s %.1f %% %s time than A, %s against %s per step, %.3g times "
                       "the throughput",
                       fit, b == RK_SURE_NOT ? "would take" : "takes", 100 * fabs(1 - times),
                       times <= 1 ? "less" : "more",
                       quantity_format(step_b, QUANTITY_SECONDS, d->w.b.step_s),
                       quantity_format(step_a, QUANTITY_SECONDS, d->w.a.step_s),
                       d->b.samples_per_s / d->a.samples_per_s);
}

static void add_headline(struct report *report, const struct diff *d)
{
    const struct diff_input *in = &d->in;
    enum report_tone tone;
    const char *verdict = diff_verdict(report, d, &tone);
    report_answer(report, tone, verdict);
    report_note(report, report_text(report, "%s on %s", in->model.id, in->system.id));
    add_side(report, d, false);
    add_side(report, d, true);
    if (*in->host) report_note(report, report_text(report, "assumed: %s", in->host));
}

static void add_record(struct report *report, const struct diff *d)
{
    char a[RK_PLAN_TEXT], b[RK_PLAN_TEXT];
    const struct plan_judgement *x = &d->w.a, *y = &d->w.b;
    rk_plan_text(&d->in.a, a, sizeof a);
    rk_plan_text(&d->in.b, b, sizeof b);
    REPORT_OBJECT(
        report, NULL, {"command", cell_text("diff")}, {"model", cell_text(d->in.model.id)},
        {"system", cell_text(d->in.system.id)}, {"a", cell_text(d->in.name_a)},
        {"b", cell_text(d->in.name_b)}, {"a_plan", cell_text(report_text(report, "%s", a))},
        {"b_plan", cell_text(report_text(report, "%s", b))},
        {"a_verdict", cell_text(rk_verdict_name(x->verdict))},
        {"b_verdict", cell_text(rk_verdict_name(y->verdict))},
        {"a_step_s", x->timed ? cell_number(x->step_s) : cell_none()},
        {"b_step_s", y->timed ? cell_number(y->step_s) : cell_none()},
        {"a_need_bytes", x->timed ? cell_number(x->need_bytes) : cell_none()},
        {"b_need_bytes", y->timed ? cell_number(y->need_bytes) : cell_none()},
        {"a_over_b", x->timed && y->timed ? cell_number(x->step_s / y->step_s) : cell_none()});
}

/* ---- differences ---- */

static struct report_cell judged(const struct plan_judgement *j, double value)
{
    return j->timed ? cell_number(value) : cell_none();
}

#define JUDGED                                                                                     \
    {.name = "alone_verdict"}, {.name = "alone_step_s"}, {.name = "alone_need_bytes"},             \
        {.name = "without_verdict"}, {.name = "without_step_s"},                                   \
    {                                                                                              \
        .name = "without_need_bytes"                                                               \
    }

/* A with something alone, B without it: for people, and for programs. */
static void worth_texts(struct report *report, const struct diff *d,
                        const struct plan_judgement *alone, const struct plan_judgement *without,
                        struct report_cell cells[3])
{
    cells[0] = cell_text(change_text(report, alone, d->w.a.step_s));
    cells[1] = cell_text(memory_text(report, alone, d->w.a.need_bytes));
    cells[2] = cell_text(change_text(report, without, d->w.b.step_s));
}

static void worth_numbers(const struct plan_judgement *alone, const struct plan_judgement *without,
                          struct report_cell cells[6])
{
    for (int i = 0; i < 2; i++) {
        const struct plan_judgement *j = i ? without : alone;
        cells[3 * i] = cell_text(rk_verdict_name(j->verdict));
        cells[3 * i + 1] = judged(j, j->step_s);
        cells[3 * i + 2] = judged(j, j->need_bytes);
    }
}

/* For people, and for programs. */
static void add_differences(struct report *report, const struct diff *d)
{
    static const struct report_column shown[] = {
        {.name = "key"},   {.name = "a", .title = "A"}, {.name = "b", .title = "B"},
        {.name = "alone"}, {.name = "memory"},          {.name = "without"}};
    static const struct report_column said[] = {
        {.name = "key"}, {.name = "a"}, {.name = "b"}, JUDGED};
    struct report_table *people = NULL; /* programs get an empty list */
    if (d->w.count)
        people = REPORT_LIST(report, NULL,
                             "Differences, and the effect of each key: A with it alone, B without "
                             "it",
                             REPORT_IN_TEXT, shown);
    struct report_table *programs =
        REPORT_LIST(report, "differences", NULL, REPORT_IN_JSON | REPORT_IN_CSV, said);
    for (int i = 0; i < d->w.count; i++) {
        const struct plan_worth *w = &d->w.worth[i];
        struct report_cell cells[9] = {cell_text(plan_fields[w->difference.row].key),
                                       cell_text(w->difference.a), cell_text(w->difference.b)};
        worth_texts(report, d, &w->alone, &w->without, cells + 3);
        report_row(report, people, cells);
        worth_numbers(&w->alone, &w->without, cells + 3);
        report_row(report, programs, cells);
    }
}

/* ---- layers ---- */

static const char *layers_text(struct report *report, const struct layers_worth *w)
{
    if (!w->layers) return "all";
    return w->layers > 1 ? report_text(report, "%ju-%ju", (uintmax_t)w->first,
                                       (uintmax_t)(w->first + w->layers - 1))
                         : report_text(report, "%ju", (uintmax_t)w->first);
}

static void add_layers(struct report *report, const struct diff *d)
{
    static const struct report_column shown[] = {{.name = "stage"},  {.name = "layers"},
                                                 {.name = "change"}, {.name = "alone"},
                                                 {.name = "memory"}, {.name = "without"}};
    static const struct report_column said[] = {
        {.name = "stage"}, {.name = "first_layer"}, {.name = "layers"}, {.name = "change"}, JUDGED};
    struct report_table *people =
        REPORT_LIST(report, NULL,
                    "Layers that are run differently, and the effect of each "
                    "run of layers",
                    REPORT_IN_TEXT, shown);
    struct report_table *programs = REPORT_LIST(report, "layers", NULL, REPORT_IN_JSON, said);
    for (int i = 0; i < d->layers.count; i++) {
        const struct layers_worth *w = &d->layers.worth[i];
        struct report_cell text[6] = {w->layers ? cell_count(w->stage) : cell_none(),
                                      cell_text(layers_text(report, w)), cell_text(w->change)};
        struct report_cell cells[10] = {cell_count(w->stage), cell_count(w->first),
                                        cell_count(w->layers), cell_text(w->change)};
        worth_texts(report, d, &w->alone, &w->without, text + 3);
        worth_numbers(&w->alone, &w->without, cells + 4);
        report_row(report, people, text);
        report_row(report, programs, cells);
    }
    if (d->layers.more) report_note(report, "... and more runs of layers");
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
    struct report_table *table =
        REPORT_LIST(report, "path", "Path from A to B, the most helpful change first",
                    REPORT_IN_TEXT | REPORT_IN_JSON, columns);
    const struct plan_judgement *before = &d->w.a;
    for (int i = 0; i < d->w.steps; i++) {
        const struct plan_judgement *after = &d->w.step[i].after;
        const bool both = before->timed && after->timed;
        REPORT_ROW(report, table, cell_text(step_text(report, &d->w, d->w.step[i].keys)),
                   judged(after, after->step_s),
                   both ? cell_number(before->step_s - after->step_s) : cell_none(),
                   both && d->w.a.timed
                       ? cell_number((before->step_s - after->step_s) / d->w.a.step_s)
                       : cell_none(),
                   judged(after, after->need_bytes));
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
#define FIGURE_TIME(by, member, text) {#member, text, d->a.member, d->b.member},
#include <reckon/figures.def>
        {"step_s", "all changes", d->a.step_s, d->b.step_s},
    };
    struct report_table *table = REPORT_LIST(report, "times", "Where the time of a step goes",
                                             REPORT_IN_TEXT | REPORT_IN_JSON, columns);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].a == 0 && rows[i].b == 0) continue;
        REPORT_ROW(
            report, table,
            cell_text(report_text(report, "%.*s", (int)strlen(rows[i].name) - 2, rows[i].name)),
            cell_number(rows[i].a), cell_number(rows[i].b), cell_number(rows[i].b - rows[i].a),
            cell_text(rows[i].help));
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
    const struct rk_stage *a = &d->a.stage[d->a.tightest], *b = &d->b.stage[d->b.tightest];
    struct report_table *table = REPORT_LIST(report, "memory", "Memory of the fullest GPU",
                                             REPORT_IN_TEXT | REPORT_IN_JSON, columns);
    for (int i = 0; i <= RK_HOLDING_COUNT; i++) {
        const bool all = i == RK_HOLDING_COUNT;
        const double x = all ? a->total_bytes : a->holds[i], y = all ? b->total_bytes : b->holds[i];
        if (x == 0 && y == 0) continue;
        REPORT_ROW(report, table, cell_text(all ? "all" : rk_holding_name((enum rk_holding)i)),
                   cell_number(x), cell_number(y), cell_number(y - x),
                   cell_text(all ? "of the device" : rk_holding_help((enum rk_holding)i)));
    }
}

/* ---- the script ---- */

/* The worth of the keys that an argument sets: those named in "recompute_layers, recompute_every".
 */
static const struct plan_worth *find_worth(const struct diff *d, const char *keys)
{
    for (int i = 0; i < d->w.count; i++) {
        const char *key = plan_fields[d->w.worth[i].difference.row].key;
        const char *at = strstr(keys, key);
        const size_t n = strlen(key);
        if (at && (at == keys || at[-1] == ' ') && strchr(", ", at[n])) return &d->w.worth[i];
    }
    return NULL;
}

static void add_changes(struct report *report, const struct diff *d,
                        const struct megatron_changes *changes)
{
    static const struct report_column columns[] = {{.name = "argument"}, {.name = "line"},
                                                   {.name = "from"},     {.name = "to"},
                                                   {.name = "alone"},    {.name = "memory"}};
    struct report_table *table = REPORT_LIST(
        report, "arguments", d->in.script ? "Changes of the script" : "Changes of the file",
        REPORT_IN_TEXT | REPORT_IN_JSON, columns);
    for (int i = 0; i < changes->count; i++) {
        const struct megatron_change *c = &changes->change[i];
        const struct plan_worth *worth = find_worth(d, c->keys);
        const bool timed = worth && d->w.a.timed;
        REPORT_ROW(report, table, cell_text(c->flag),
                   c->line ? cell_count((uint64_t)c->line) : cell_none(),
                   cell_text(!c->was      ? "not given"
                             : *c->before ? c->before
                                          : "given"),
                   cell_text(!c->is      ? "leave out"
                             : *c->after ? c->after
                                         : "give"),
                   cell_text(timed ? change_text(report, &worth->alone, d->w.a.step_s) : NULL),
                   cell_text(timed ? memory_text(report, &worth->alone, d->w.a.need_bytes) : NULL));
    }
}

void diff_tables(struct report *report, const struct diff *d,
                 const struct megatron_changes *changes)
{
    add_headline(report, d);
    add_record(report, d);
    add_differences(report, d);
    if (d->w.count) {
        if (d->layers.count) add_layers(report, d);
        if (d->w.b.timed) add_path(report, d);
    }
    if (d->w.a.timed && d->w.b.timed) {
        add_times(report, d);
        add_memory(report, d);
    }
    if (changes) add_changes(report, d, changes);
}
