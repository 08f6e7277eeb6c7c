/* Findings as text, JSON, SARIF 2.1.0, CSV and a page. */
#include "base/text.h"
#include "cli/check.h"
#include "cli/pages.h"
#include "text/output.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const levels[] = {"error", "warning", "note"};
enum { LEVELS = sizeof levels / sizeof *levels };

const char *check_level(enum rk_severity severity)
{
    return levels[severity == RK_ERROR ? 0 : severity == RK_WARNING ? 1 : 2];
}

static const char *level_of(const struct rk_finding *f)
{
    return check_level(f->severity);
}

/* The file that a finding is in; "" : none. */
static const char *file_of(const struct rk_finding *f, const struct checked *checked)
{
    if (f->rank >= 0) return checked->paths ? checked->paths[f->rank] : "";
    return checked->path ? checked->path : "";
}

static int sentence(const struct rk_finding *f, char *text, size_t size)
{
    return snprintf(text, size, "%s%s%s%s%s%s%s", f->what, *f->have ? " " : "", f->have,
                    *f->what ? ": " : "", f->need, *f->fix ? ": " : "", f->fix);
}

enum { SENTENCE = 640 };

/* ---- text ---- */

static int count_level(const struct rk_findings *findings, const char *level)
{
    int count = 0;
    for (int i = 0; i < findings->count; i++)
        count += strcmp(level_of(&findings->finding[i]), level) == 0;
    return count;
}

/* "2 errors, 1 note" */
static void write_counts(FILE *out, const struct rk_findings *findings)
{
    if (!findings->count) fprintf(out, "nothing found");
    for (int i = 0, some = 0; i < LEVELS; i++) {
        const int count = count_level(findings, levels[i]);
        if (!count) continue;
        fprintf(out, "%s%d %s%s", some++ ? ", " : "", count, levels[i], count == 1 ? "" : "s");
    }
}

static void write_text(FILE *out, const struct rk_findings *findings, const struct checked *checked)
{
    char text[SENTENCE];
    for (int i = 0; i < findings->count; i++) {
        const struct rk_finding *f = &findings->finding[i];
        const char *file = file_of(f, checked);
        sentence(f, text, sizeof text);
        if (*file) fprintf(out, "%s:", file);
        if (*file && f->line) fprintf(out, "%d:", f->line);
        if (*file && f->line && f->column) fprintf(out, "%d:", f->column);
        if (*file) fputc(' ', out);
        fprintf(out, "%s%s%s: %s\n", level_of(f), *f->rule ? " " : "", f->rule, text);
    }
    if (checked->title) fprintf(out, "%s: ", checked->title);
    write_counts(out, findings);
    fputc('\n', out);
    if (findings->dropped)
        fprintf(out, "%d more of the same kinds are left out\n", findings->dropped);
}

/* ---- JSON ---- */

static void set_text(json_t *object, const char *key, const char *text)
{
    if (*text) json_object_set_new(object, key, json_string(text));
}

static void set_number(json_t *object, const char *key, int number, int least)
{
    if (number >= least) json_object_set_new(object, key, json_integer(number));
}

static json_t *json_of(const struct rk_findings *findings, const struct checked *checked)
{
    json_t *list = json_array();
    for (int i = 0; i < findings->count; i++) {
        const struct rk_finding *f = &findings->finding[i];
        json_t *one = json_object();
        set_text(one, "rule", f->rule);
        set_text(one, "severity", level_of(f));
        set_text(one, "file", file_of(f, checked));
        set_number(one, "line", f->line, 1);
        set_number(one, "column", f->column, 1);
        set_number(one, "rank", f->rank, 0);
        set_text(one, "what", f->what);
        set_text(one, "have", f->have);
        set_text(one, "need", f->need);
        set_text(one, "fix", f->fix);
        json_array_append_new(list, one);
    }
    return json_pack("{s:s, s:i, s:i, s:i, s:o}", "command", "check", "errors",
                     count_level(findings, "error"), "warnings", count_level(findings, "warning"),
                     "left_out", findings->dropped, "findings", list);
}

/* ---- SARIF ---- */

static json_t *sarif_rules(void)
{
    json_t *list = json_array();
    for (const struct rk_rule *rule = rk_rules(); rule->id; rule++)
        json_array_append_new(list, json_pack("{s:s, s:{s:s}, s:{s:s}}", "id", rule->id,
                                              "shortDescription", "text", rule->asks,
                                              "defaultConfiguration", "level",
                                              check_level(rule->severity)));
    return list;
}

static json_t *sarif_result(const struct rk_finding *f, const struct checked *checked)
{
    char text[SENTENCE];
    const char *file = file_of(f, checked);
    sentence(f, text, sizeof text);
    json_t *result = json_pack("{s:s, s:{s:s}}", "level", level_of(f), "message", "text", text);
    set_text(result, "ruleId", f->rule);
    json_t *locations = json_array();
    if (*file) {
        json_t *place = json_pack("{s:{s:s}}", "artifactLocation", "uri", file);
        if (f->line) {
            json_t *region = json_pack("{s:i}", "startLine", f->line);
            set_number(region, "startColumn", f->column, 1);
            json_object_set_new(place, "region", region);
        }
        json_array_append_new(locations, json_pack("{s:o}", "physicalLocation", place));
    }
    json_object_set_new(result, "locations", locations);
    return result;
}

static json_t *sarif_of(const struct rk_findings *findings, const struct checked *checked)
{
    json_t *results = json_array();
    for (int i = 0; i < findings->count; i++)
        json_array_append_new(results, sarif_result(&findings->finding[i], checked));
    return json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:o}]}", "$schema",
                     "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs",
                     "tool", "driver", "name", "reckon", "version", RECKON_VERSION, "rules",
                     sarif_rules(), "results", results);
}

/* ---- CSV ---- */

/* The members of the JSON; a header alone where nothing was found. */
static bool write_rows(FILE *out, const struct rk_findings *findings, const struct checked *checked)
{
    static const struct report_column columns[] = {
        {.name = "rule"},   {.name = "severity"}, {.name = "file"}, {.name = "line"},
        {.name = "column"}, {.name = "rank"},     {.name = "what"}, {.name = "have"},
        {.name = "need"},   {.name = "fix"}};
    struct report report = {.first = NULL};
    struct report_style style = {.utf8 = true};
    struct rk_error error;
    struct report_table *table = REPORT_LIST(&report, NULL, NULL, REPORT_IN_CSV, columns);
    for (int i = 0; i < findings->count; i++) {
        const struct rk_finding *f = &findings->finding[i];
        report_row(&report, table,
                   (const struct report_cell[]){
                       cell_text(f->rule), cell_text(level_of(f)), cell_text(file_of(f, checked)),
                       f->line ? cell_count((uint64_t)f->line) : cell_none(),
                       f->column ? cell_count((uint64_t)f->column) : cell_none(),
                       f->rank >= 0 ? cell_count((uint64_t)f->rank) : cell_none(),
                       cell_text(f->what), cell_text(f->have), cell_text(f->need),
                       cell_text(f->fix)});
    }
    const enum rk_status status = report_write(&report, REPORT_AS_CSV, &style, out, &error);
    report_release(&report);
    return status == RK_OK;
}

/* ---- page ---- */

static void add_counts(struct report *report, const struct rk_findings *findings)
{
    static const struct report_column columns[] = {{.name = "severity"}, {.name = "findings"}};
    struct report_table *table =
        REPORT_LIST(report, "counts", "Findings by severity", REPORT_IN_ALL, columns);
    for (int i = 0; i < LEVELS; i++)
        REPORT_ROW(report, table, cell_text(levels[i]),
                   cell_count(count_level(findings, levels[i])));
}

static void add_findings(struct report *report, const struct rk_findings *findings,
                         const struct checked *checked)
{
    static const struct report_column columns[] = {{.name = "severity"}, {.name = "rule"},
                                                   {.name = "where"},    {.name = "found"},
                                                   {.name = "needs"},    {.name = "remedy"}};
    struct report_table *table =
        REPORT_LIST(report, "findings", "Findings", REPORT_IN_ALL, columns);
    for (int i = 0; i < findings->count; i++) {
        const struct rk_finding *f = &findings->finding[i];
        const char *file = file_of(f, checked);
        REPORT_ROW(report, table, cell_text(level_of(f)), cell_text(f->rule),
                   cell_text(*file && f->line ? report_text(report, "%s:%d", file, f->line)
                             : *file          ? report_text(report, "%s", file)
                                              : NULL),
                   cell_text(report_text(report, "%s%s%s", f->what, *f->have ? " " : "", f->have)),
                   cell_text(f->need), cell_text(*f->fix ? f->fix : NULL));
    }
}

static int write_page(const struct rk_findings *findings, const struct checked *checked,
                      const char *path)
{
    const bool errors = rk_findings_errors(findings) > 0;
    struct report report = {.title = checked->title};
    struct rk_error error;
    char counts[SENTENCE] = "";
    FILE *out = fmemopen(counts, sizeof counts, "w");
    if (out) write_counts(out, findings);
    if (out) fclose(out);
    report_verdict(&report,
                   errors                             ? REPORT_BAD
                   : count_level(findings, "warning") ? REPORT_UNSURE
                                                      : REPORT_GOOD,
                   report_text(&report, "%s: %s.", errors ? "It will fail" : "No error", counts));
    if (findings->count) add_findings(&report, findings, checked);
    add_counts(&report, findings);
    if (findings->dropped)
        report_note(&report, report_text(&report, "%d more of the same kinds are left out.",
                                         findings->dropped));
    const int code = errors ? RK_CHECK_FAILED : RK_OK;
    const enum rk_status status = page_of_answer(&report, path, code, &error);
    report_release(&report);
    return status == RK_OK ? code : options_fail(&error);
}

/* ---- all ---- */

static bool write_json(FILE *out, json_t *json)
{
    char *text = json ? json_dumps(json, JSON_INDENT(2)) : NULL;
    if (text) fprintf(out, "%s\n", text);
    const bool good = text != NULL;
    free(text);
    json_decref(json);
    return good;
}

int check_write(const struct rk_findings *findings, const struct checked *checked,
                enum check_format format, const char *path)
{
    struct output output = {.file = NULL};
    struct rk_error error;
    bool good = true;
    if (path && format == CHECK_TEXT && text_ends_in(path, ".html"))
        return write_page(findings, checked, path);
    if (output_open(&output, path ? path : "-", &error) != RK_OK) return options_fail(&error);
    if (format == CHECK_JSON)
        good = write_json(output.file, json_of(findings, checked));
    else if (format == CHECK_SARIF)
        good = write_json(output.file, sarif_of(findings, checked));
    else if (format == CHECK_CSV)
        good = write_rows(output.file, findings, checked);
    else
        write_text(output.file, findings, checked);
    if (!good) {
        rk_fail(&error, RK_NO_MEMORY, path, 0, 0,
                "cannot write: out of memory, or text that is not UTF-8");
        return options_fail(&error);
    }
    if (output_commit(&output, &error) != RK_OK) return options_fail(&error);
    return rk_findings_errors(findings) ? RK_CHECK_FAILED : RK_OK;
}

int check_forbids(const struct rk_model *model, const struct rk_system *system,
                  const struct rk_plan *plan, struct rk_finding *first)
{
    const struct rk_launch launch = {.pads = true, .lone_ends = true, .states_only = true};
    struct rk_findings *findings = calloc(1, sizeof *findings);
    int errors = 0;
    if (!findings || !rk_answerer(plan->framework)->runs) {
        free(findings);
        return 0;
    }
    rk_check_plan(model, system, plan, &launch, findings);
    for (int i = 0; i < findings->count; i++) {
        const struct rk_finding *f = &findings->finding[i];
        if (f->severity != RK_ERROR || strncmp(f->rule, "5.", 2) == 0) continue;
        if (first && !errors) *first = *f;
        errors++;
    }
    free(findings);
    return errors;
}

bool check_remark(const char *name, const struct rk_model *model, const struct rk_system *system,
                  const struct rk_plan *plan)
{
    struct rk_finding first;
    char text[SENTENCE];
    const int errors = check_forbids(model, system, plan, &first);
    if (!errors) return true;
    sentence(&first, text, sizeof text);
    fprintf(stderr, "reckon: %s%scannot be launched: %s %s", name, *name ? " " : "", first.rule,
            text);
    if (errors > 1) fprintf(stderr, "; and %d more: reckon check lists all", errors - 1);
    fputc('\n', stderr);
    return false;
}
