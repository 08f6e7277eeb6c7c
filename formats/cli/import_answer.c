#include "cli/import_answer.h"
#include "catalog/hosts.h"
#include "catalog/plan_fields.h"
#include "cli/check.h"

#include "catalog/model_fields.h"
#include "cli/describe.h"
#include "cli/entry.h"
#include "cli/prediction.h"
#include "cli/verdict.h"
#include "text/save.h"

#include <stdlib.h>
#include <string.h>

#define AT(member) .offset = offsetof(struct import_args, member)

/* clang-format off */
const struct option import_answer_options[] = {
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "SYSTEM", AT(system), .complete = "systems",
     .help = "Predict the plan on this machine: an id of `reckon systems`, a file, or a description in one line"},
    {.letter = 'o', .name = "output", .data = true, .type = OPTION_OUTPUT, .argument = "FILE", AT(plan_output), .complete = "file",
     .help = "Write the plan to FILE, as in reckon-plan(5); - prints it instead of the report"},
    {.name = "save-plan", .type = OPTION_OUTPUT, .argument = "FILE", AT(plan_output), .complete = "file",
     .help = "Write the plan to FILE, as --output does"},
    {.name = "model-output", .type = OPTION_OUTPUT, .argument = "FILE", AT(model_output), .complete = "file",
     .help = "Write the model to FILE, as in reckon-model(5)"},
    {.name = NULL},
};
/* clang-format on */

static void print_note(const struct rk_finding *note, const char *path, const char *kind)
{
    fprintf(stderr, "reckon: %s", kind);
    if (*path) fprintf(stderr, "%s:", path);
    if (*path && note->line) fprintf(stderr, "%d:%d:", note->line, note->column);
    fprintf(stderr, "%s%s%s%s: %s%s%s\n", *path ? " " : "", note->what, *note->have ? " " : "",
            note->have, note->need, *note->fix ? ": " : "", note->fix);
}

enum { UNKNOWN_LINES = 8, UNKNOWN_NAMES = 3000 };

static bool is_unknown(const struct rk_finding *note)
{
    return note->severity == NOTE_REFUSED && strcmp(note->rule, "1.unknown") == 0;
}

/* The unknown keys that may decide what the run costs, or the others, as --ignore takes them. */
static void list_unknown(const struct notes *notes, bool cost, char *names, size_t size)
{
    size_t used = 0;
    *names = '\0';
    for (int i = 0; i < notes->count; i++) {
        const struct rk_finding *note = &notes->note[i];
        if (is_unknown(note) && (strstr(note->need, KEY_MAY_COST) != NULL) == cost &&
            used + strlen(note->what) + 2 < size)
            used +=
                (size_t)snprintf(names + used, size - used, "%s%s", used ? "," : "", note->what);
    }
}

/* Many keys that no row knows, in two lines. */
static void print_unknown(const struct notes *notes, const char *path)
{
    char names[UNKNOWN_NAMES], cost[UNKNOWN_NAMES];
    const char *colon = *path ? ": " : "";
    list_unknown(notes, false, names, sizeof names);
    list_unknown(notes, true, cost, sizeof cost);
    if (*names)
        fprintf(stderr, "reckon: %s%scorrect all that are not known, or give --ignore %s\n", path,
                colon, names);
    if (*cost)
        fprintf(stderr,
                "reckon: %s%sthese may decide what the run costs: say them by --set and this "
                "tool's keys: %s\n",
                path, colon, cost);
}

void import_warn(const struct notes *notes, const char *path)
{
    bool first = true; /* the first refusal is the error's */
    int unknown = 0;
    for (int i = 0; i < notes->count; i++)
        unknown += is_unknown(&notes->note[i]);
    const bool many = unknown > UNKNOWN_LINES;
    for (int i = 0; i < notes->count; i++) {
        const struct rk_finding *note = &notes->note[i];
        if (note->severity == NOTE_WARNING || note->severity == NOTE_UNKNOWN)
            print_note(note, path, "warning: ");
        if (note->severity == NOTE_REFUSED && !first && !(many && is_unknown(note)))
            print_note(note, path, "");
        if (note->severity == NOTE_REFUSED) first = false;
    }
    if (many) print_unknown(notes, path);
    if (notes->dropped)
        fprintf(stderr, "reckon: warning: %d more remarks found no room\n", notes->dropped);
}

/* ---- files ---- */

enum { SOURCES = NOTES_MAX + 1, SOURCE_TEXT = 384 };

static char *model_file(const struct import_answer *answer)
{
    char(*lines)[SOURCE_TEXT] = malloc(SOURCES * sizeof *lines);
    const char *sources[SOURCES];
    size_t count = 0;
    if (!lines) return NULL;
    snprintf(lines[count++], SOURCE_TEXT, "arguments of %s%s%.200s", answer->tool,
             *answer->path ? ", " : "", answer->path);
    for (int i = 0; i < answer->notes->count; i++) {
        const struct rk_finding *note = &answer->notes->note[i];
        if (note->severity == NOTE_ASSUMED)
            snprintf(lines[count++], SOURCE_TEXT, "assumed: %s %s: %s", note->what, note->have,
                     note->need);
    }
    for (size_t i = 0; i < count; i++)
        sources[i] = lines[i];
    char *text = model_text(answer->model, answer->model->id, NULL, sources, count);
    free(lines);
    return text;
}

static void put_text(FILE *file, const void *text)
{
    fprintf(file, "%s\n", (const char *)text);
}

static enum rk_status write_files(const struct import_answer *answer,
                                  const struct import_args *args, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    if (args->model_output) {
        char *text = model_file(answer);
        if (!text) return rk_fail(error, RK_NO_MEMORY, args->model_output, 0, 0, "out of memory");
        status = save_file(args->model_output, put_text, text, error);
        free(text);
    }
    if (status == RK_OK && args->plan_output)
        status = rk_plan_save(args->plan_output, answer->plan, error);
    return status;
}

/* ---- the report ---- */

static void add_notes(struct report *report, const struct notes *notes, enum rk_severity kind,
                      const char *name, const char *title, unsigned formats)
{
    static const struct report_column columns[] = {
        {.name = "what"}, {.name = "value"}, {.name = "why"}};
    if (!notes_count(notes, kind)) formats &= ~(unsigned)REPORT_IN_TEXT; /* no empty table */
    struct report_table *table = REPORT_LIST(report, name, title, formats, columns);
    for (int i = 0; i < notes->count; i++) {
        const struct rk_finding *note = &notes->note[i];
        if (note->severity != kind) continue;
        const struct report_cell cells[] = {cell_text(note->what),
                                            cell_text(*note->have ? note->have : NULL),
                                            cell_text(note->need)};
        report_row(report, table, cells);
    }
}

static void add_headline(struct report *report, const struct import_answer *answer,
                         const struct rk_system *system)
{
    char total[REPORT_DIGITS], active[REPORT_DIGITS];
    const struct rk_model *model = answer->model;
    report_digits(rk_model_parameters(model), total);
    report_digits(rk_model_active_parameters(model), active);
    report_note(report, report_text(report, "%s: %s parameters%s%s%s, %llu GPU%s%s%s with %s",
                                    model->id, total, model->experts ? ", of which " : "",
                                    model->experts ? active : "", model->experts ? " active" : "",
                                    (unsigned long long)answer->plan->ranks,
                                    answer->plan->ranks == 1 ? "" : "s", system ? " of " : "",
                                    system ? system->id : "", answer->tool));
    if (answer->remark) report_note(report, answer->remark);
}

static void add_verdict(struct report *report, const struct import_answer *answer,
                        const struct forecast *f)
{
    char text[RK_PLAN_TEXT];
    rk_plan_text(answer->plan, text, sizeof text);
    const bool fits = f && f->prediction->verdict == RK_FITS;
    REPORT_OBJECT(report, NULL, {"command", cell_text("import")}, {"tool", cell_text(answer->tool)},
                  {"plan_words", cell_text(report_text(report, "%s", text))},
                  {"fits", f ? cell_flag(fits) : cell_none()},
                  {"verdict", cell_text(f ? rk_verdict_name(f->prediction->verdict) : NULL)},
                  {"outcome", cell_text(f ? verdict_word(f, verdict_sure(f, NULL)) : NULL)});
    if (f) report_answer(report, verdict_tone(verdict_sure(f, NULL)), verdict_line(report, f));
}

/* Samples of a data set may be far shorter than what their lengths were assumed to be. */
static void warn_length(struct report *report, const struct notes *notes)
{
    for (int i = 0; i < notes->count; i++) {
        const struct rk_finding *note = &notes->note[i];
        if (note->severity == NOTE_ASSUMED && strcmp(note->what, "sequence") == 0)
            report_paragraph(report, report_text(report,
                                                 "the verdict rests on samples of %s tokens, "
                                                 "which are assumed (%s): give their length",
                                                 note->have, note->need));
    }
}

static void add_prediction(struct report *report, const struct forecast *f)
{
    const struct rk_prediction *p = f->prediction;
    describe_system(report, f->system, REPORT_IN_JSON);
    forecast_refusal(report, f);
    forecast_line(report, f);
    if (!p->timed) return;
    forecast_times(report, f);
    forecast_rates(report, f);
    forecast_stages(report, f, false);
}

static int print_answer(const struct import_answer *answer, const struct import_args *args,
                        const struct rk_system *system, const char *assumed)
{
    struct report report = {.first = NULL};
    struct rk_prediction prediction;
    const struct forecast forecast = {answer->model, system,  answer->plan,
                                      &prediction,   assumed, NULL};
    if (system) rk_predict(answer->model, system, answer->plan, &prediction);
    add_headline(&report, answer, system);
    add_verdict(&report, answer, system ? &forecast : NULL);
    forecast_plan(&report, &forecast);
    if (system) warn_length(&report, answer->notes);
    if (system) report_paragraph(&report, verdict_cost(&report, &forecast));
    if (answer->own_model) {
        describe_model(&report, answer->model, REPORT_IN_TEXT | REPORT_IN_JSON);
        entry_shape(&report, answer->model);
    }
    forecast_record(&report, &forecast);
    add_notes(&report, answer->notes, NOTE_ASSUMED, "assumed",
              "Assumed because the arguments do not state it", REPORT_IN_TEXT | REPORT_IN_JSON);
    add_notes(&report, answer->notes, NOTE_WARNING, "warnings", NULL, REPORT_IN_JSON);
    add_notes(&report, answer->notes, NOTE_UNKNOWN, "unknown", NULL, REPORT_IN_JSON);
    if (system) add_prediction(&report, &forecast);
    const int code =
        show_report(&report, &args->show, NULL, system ? verdict_exit(&forecast) : (int)RK_OK);
    report_release(&report);
    return code;
}

/* With the memory of its nodes, where the plan offloads and there is no other. */
static enum rk_status load_system(const char *line, const struct rk_plan *plan,
                                  struct rk_system *system, char host[static HOST_WORD],
                                  struct rk_error *error)
{
    const enum rk_status status = rk_system_load(line, system, error);
    return status == RK_OK ? host_add(plan, line, system, host, error) : status;
}

int import_answer(const struct import_answer *answer, const struct import_args *args)
{
    struct rk_system system = {.memories = 0};
    struct rk_plan plan = *answer->plan;
    struct import_answer there = *answer;
    struct rk_error error;
    enum rk_status status = RK_OK;
    import_warn(answer->notes, answer->path);
    char host[HOST_WORD] = "";
    if (args->system) status = load_system(args->system, answer->plan, &system, host, &error);
    if (status == RK_OK) status = write_files(answer, args, &error);
    if (status == RK_OK && args->system) plan_attend_on(&plan, &system); /* files have no device */
    there.plan = &plan;
    if (status != RK_OK) {
        rk_system_release(&system);
        return options_fail(&error);
    }
    const bool printed = args->plan_output && strcmp(args->plan_output, "-") == 0;
    check_remark("the plan", answer->model, args->system ? &system : NULL, &plan);
    const int code =
        printed ? (int)RK_OK : print_answer(&there, args, args->system ? &system : NULL, host);
    rk_system_release(&system);
    return code;
}
