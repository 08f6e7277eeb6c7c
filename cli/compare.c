#include "cli/compare.h"

#include "base/limits.h"
#include "cli/show.h"
#include "huggingface/model_named.h"
#include <reckon/command.h>

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a check says, by whether it is required. */
static const char *const verdicts[2][3] = {
    {[COMPARISON_FAILS] = "does not hold here",
     [COMPARISON_HOLDS] = "holds",
     [COMPARISON_UNKNOWN] = "cannot be known here"},
    {[COMPARISON_FAILS] = "FAILED", [COMPARISON_HOLDS] = "ok", [COMPARISON_UNKNOWN] = "FAILED"},
};

static const char *verdict_of(const struct comparison_item *item)
{
    return verdicts[item->required][item->verdict];
}

struct report_cell compare_cell(const struct study_value *value)
{
    switch (value->type) {
    case STUDY_INTEGER:
        return value->integer >= 0 ? cell_count((uint64_t)value->integer)
                                   : cell_number((double)value->integer);
    case STUDY_REAL:
        return cell_number(value->real);
    case STUDY_TEXT:
        return cell_text(value->text);
    default:
        return cell_none();
    }
}

static void add_table(struct report *report, const struct comparison_item *item)
{
    struct report_column *column =
        report_alloc(report, (size_t)(item->columns + 1) * sizeof *column);
    struct report_cell cells[REPORT_MAX_COLUMNS];
    const int columns = item->columns < REPORT_MAX_COLUMNS ? item->columns : REPORT_MAX_COLUMNS;
    for (int i = 0; column && i < columns; i++)
        column[i] = (struct report_column){.name = item->column[i], .digits = 6};
    struct report_table *table =
        column ? report_list(report, item->name, item->title, REPORT_IN_ALL, column, columns)
               : NULL;
    for (size_t row = 0; row < item->rows; row++) {
        for (int i = 0; i < columns; i++)
            cells[i] = compare_cell(&item->value[row * (size_t)item->columns + (size_t)i]);
        report_row(report, table, cells);
    }
}

static void add_check(struct report *report, const struct comparison_item *item)
{
    const char *verdict = verdict_of(item), *why = item->because ? item->because : "";
    report_note(report, report_text(report, "%s: %s", item->name, item->title));
    report_paragraph(report, report_text(report, "%s%s%s", verdict, *why ? ", because " : "", why));
}

static void add_heading(struct report *report, const char *title)
{
    report_note(report, "");
    report_note(report, report_text(report, HEADING_EDGE " %s " HEADING_EDGE, title));
}

/* For programs: all checks in one table. */
static void list_checks(struct report *report, const struct study_comparison *comparison)
{
    static const struct report_column columns[] = {
        {.name = "check"}, {.name = "statement"}, {.name = "verdict"}, {.name = "because"}};
    struct report_table *table =
        REPORT_LIST(report, "checks", NULL, REPORT_IN_JSON | REPORT_IN_CSV, columns);
    for (size_t i = 0; i < comparison->items; i++) {
        const struct comparison_item *item = &comparison->item[i];
        if (item->kind != COMPARISON_CHECK) continue;
        REPORT_ROW(report, table, cell_text(item->name), cell_text(item->title),
                   cell_text(verdict_of(item)), cell_text(item->because));
    }
}

static void add_item(struct report *report, const struct comparison_item *item)
{
    switch (item->kind) {
    case COMPARISON_HEADING:
        add_heading(report, item->title);
        break;
    case COMPARISON_TABLE:
        add_table(report, item);
        break;
    case COMPARISON_NOTE:
        report_paragraph(report, item->title);
        break;
    case COMPARISON_CHART: /* text has the table above it */
        break;
    case COMPARISON_CHECK:
        add_check(report, item);
        break;
    }
}

static void list_commands(struct report *report, const struct study_comparison *comparison)
{
    static const struct report_column columns[] = {
        {.name = "answers"}, {.name = "row"}, {.name = "command"}};
    if (!comparison->commands) return;
    struct report_table *table =
        REPORT_LIST(report, "commands", "The command of each row", REPORT_IN_ALL, columns);
    for (size_t i = 0; i < comparison->commands; i++) {
        const struct comparison_command *asked = &comparison->command[i];
        REPORT_ROW(report, table, cell_text(asked->table), cell_text(asked->label),
                   cell_text(asked->command));
    }
}

static void list_experiments(struct report *report, const struct study_comparison *comparison)
{
    static const struct report_column columns[] = {
        {.name = "experiment"}, {.name = "made"}, {.name = "takes_s"}, {.name = "command"}};
    if (!comparison->experiments) return;
    struct report_table *table = REPORT_LIST(
        report, "experiments", "Experiments (--run makes them again)", REPORT_IN_ALL, columns);
    for (size_t i = 0; i < comparison->experiments; i++) {
        const struct comparison_measured *measured = &comparison->measured[i];
        REPORT_ROW(report, table, cell_text(measured->table),
                   cell_text(measured->ran ? "now" : "kept"), cell_number(measured->seconds),
                   cell_text(measured->command));
    }
}

void compare_fill(struct report *report, const struct study_comparison *comparison)
{
    for (size_t i = 0; i < comparison->items; i++)
        add_item(report, &comparison->item[i]);
    if (comparison->commands || comparison->experiments) report_note(report, "");
    list_commands(report, comparison);
    list_experiments(report, comparison);
    if (comparison->checks == 0) return;
    report_note(report, "");
    report_note(report,
                report_text(report, "%zu of %zu checks hold; %zu of %zu required ones.",
                            comparison->hold, comparison->checks,
                            comparison->required - comparison->broken, comparison->required));
    list_checks(report, comparison);
}

int compare_show(const struct study_comparison *comparison, const char *title, const char *source,
                 int format, const char *output)
{
    const struct show_args show = {.format = format, .colour = COLOUR_AUTO};
    const int code = comparison->broken ? RK_CHECK_FAILED : RK_OK;
    struct report report = {.first = NULL};
    struct rk_error error;
    if (show_is_page(&show, output))
        return compare_page(comparison, title, source, output, &error) == RK_OK
                   ? code
                   : options_fail(&error);
    compare_fill(&report, comparison);
    return show_end(&report, &show, output, RK_OK, code, NULL);
}

int compare_print(const char *database, const char *script, int format, const char *output)
{
    const struct comparison_hooks hooks = compare_hooks(false);
    struct study_comparison comparison;
    struct rk_error error;
    const enum rk_status status = study_compare(database, script, &hooks, &comparison, &error);
    const int code = status == RK_OK ? compare_show(&comparison, "A study", NULL, format, output)
                                     : options_fail(&error);
    study_comparison_release(&comparison);
    return code;
}

/* ---- what a script asks ---- */

static bool has_format(int words, char *const word[])
{
    for (int i = 0; i < words; i++)
        if (strcmp(word[i], "-f") == 0 || strcmp(word[i], "--format") == 0) return true;
    return false;
}

/* Also of what nobody can be sure of, exit status 2 without an error. */
static bool answered(int code, const struct rk_command_answer *given)
{
    return code <= 1 || (given->error.status == RK_OK && given->text);
}

/* The command as JSON; of one that has no --format the text that it prints, as one string. */
static int ask(int words, char *const word[], struct rk_command_answer *given, char **json)
{
    const char *all[MOST_ASKED_WORDS + 2];
    int count = 0;
    for (; count < words && count < MOST_ASKED_WORDS; count++)
        all[count] = word[count];
    const bool asked = !has_format(words, word);
    if (asked) {
        all[count] = "--format";
        all[count + 1] = "json";
    }
    int code = rk_command(count + 2 * asked, all, NULL, NULL, given);
    const bool without =
        code > 1 && asked && strstr(given->error.text, "\"--format\" is not known");
    if (without) {
        rk_command_release(given);
        code = rk_command(count, all, NULL, NULL, given);
    }
    if (!answered(code, given) || !given->text) return code;
    json_t *text = without ? json_string(given->text) : NULL;
    *json = without ? json_dumps(text, JSON_ENCODE_ANY) : strdup(given->text);
    json_decref(text);
    return code;
}

/* An answer that nothing fits, or that a check failed, is one; other failures end the script. */
static enum rk_status answer(void *context, int words, char *const word[], char **json, int *code,
                             char **said, struct rk_error *error)
{
    struct rk_command_answer given;
    (void)context;
    *code = ask(words, word, &given, json);
    enum rk_status status = RK_OK;
    if (!answered(*code, &given)) {
        *error = given.error;
        if (error->status == RK_OK)
            rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "%s ends with exit status %d", word[0], *code);
        status = error->status;
    } else {
        *said = given.remarks && *given.remarks ? strdup(given.remarks) : NULL;
    }
    rk_command_release(&given);
    return status;
}

static void become_shell(const char *folder, const char *command, int out)
{
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = '\0';
        setenv("RECKON", self, 1);
    }
    if (dup2(out, STDOUT_FILENO) < 0 || chdir(folder) != 0) _exit(126);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static enum rk_status measure(void *context, const char *folder, const char *command,
                              const char *path, struct rk_error *error)
{
    int done = 0;
    (void)context;
    const int out = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (out < 0) return rk_fail(error, RK_IO, path, 0, 0, "cannot write: %s", strerror(errno));
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) become_shell(folder, command, out);
    while (child > 0 && waitpid(child, &done, 0) < 0 && errno == EINTR)
        ;
    close(out);
    if (child < 0)
        return rk_fail(error, RK_IO, NULL, 0, 0, "cannot start a process: %s", strerror(errno));
    if (WIFEXITED(done) && WEXITSTATUS(done) == 0) return RK_OK;
    return rk_fail(error, RK_IO, NULL, 0, 0,
                   "%s: failed with exit status %d; run it by itself to see why", command,
                   WIFEXITED(done) ? WEXITSTATUS(done) : 128 + WTERMSIG(done));
}

struct comparison_hooks compare_hooks(bool run)
{
    return (struct comparison_hooks){
        .model_of = model_by_name, .answer = answer, .measure = run ? measure : NULL};
}
