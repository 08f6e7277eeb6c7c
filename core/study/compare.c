#include "study/compare.h"

#include "base/limits.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "study/compare_load.h"
#include "study/compare_script.h"

#include <errno.h>
#include <reckon/catalog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPT_MOST = 8 << 20 };

/* ---- results ---- */

static struct comparison_item *add_item(struct study_comparison *comparison,
                                        enum comparison_kind kind, const char *name,
                                        const char *title)
{
    if (!ARRAY_ROOM(comparison->item, comparison->items)) return NULL;
    struct comparison_item *item = &comparison->item[comparison->items];
    *item = (struct comparison_item){.kind = kind, .verdict = COMPARISON_UNKNOWN};
    comparison->items++;
    item->name = strdup(name);
    item->title = strdup(title);
    return item->name && item->title ? item : NULL;
}

void compare_release_item(struct comparison_item *item)
{
    for (size_t i = 0; i < item->rows * (size_t)item->columns; i++)
        free((char *)item->value[i].text);
    for (int i = 0; i < item->columns; i++)
        free(item->column[i]);
    free(item->column);
    free(item->value);
    free(item->because);
    free(item->name);
    free(item->title);
}

void study_comparison_release(struct study_comparison *comparison)
{
    for (size_t i = 0; i < comparison->items; i++)
        compare_release_item(&comparison->item[i]);
    free(comparison->item);
    compare_release_asked(comparison);
    *comparison = (struct study_comparison){.items = 0};
}

/* ---- the script ---- */

enum rk_status compare_fail(const struct script *script, int line, const char *format,
                            const char *what)
{
    char text[480];
    snprintf(text, sizeof text, format, what);
    return rk_fail(script->error, RK_BAD_INPUT, script->path, line, 0, "%s", text);
}

static enum rk_status fail_memory(const struct script *script)
{
    return no_memory(script->error);
}

enum rk_status compare_fail_inside(const struct script *script, const struct section *section,
                                   const struct rk_error *inner)
{
    char text[512];
    rk_error_format(inner, text, sizeof text);
    return rk_fail(script->error, inner->status, script->path, section->line, 0, "%.470s", text);
}

/* ---- queries ---- */

/* Nothing but blanks and comments? */
static bool compare_is_blank(const char *sql)
{
    while (*sql) {
        sql += strspn(sql, " \t\r\n;");
        if (strncmp(sql, "--", 2) != 0) return *sql == '\0';
        sql += strcspn(sql, "\n");
    }
    return true;
}

static bool copy_value(sqlite3_stmt *statement, int column, struct study_value *value)
{
    *value = (struct study_value){.type = STUDY_NULL};
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        value->type = STUDY_INTEGER;
        value->integer = sqlite3_column_int64(statement, column);
        return true;
    case SQLITE_FLOAT:
        value->type = STUDY_REAL;
        value->real = sqlite3_column_double(statement, column);
        return true;
    case SQLITE_NULL:
        return true;
    default:
        value->type = STUDY_TEXT;
        value->text = strdup((const char *)sqlite3_column_text(statement, column));
        return value->text != NULL;
    }
}

static bool name_columns(struct comparison_item *item, sqlite3_stmt *statement)
{
    const int columns = sqlite3_column_count(statement);
    item->column = calloc((size_t)columns + 1, sizeof *item->column);
    if (!item->column) return false;
    for (item->columns = 0; item->columns < columns; item->columns++) {
        item->column[item->columns] = strdup(sqlite3_column_name(statement, item->columns));
        if (!item->column[item->columns]) return false;
    }
    return true;
}

static bool add_row(struct comparison_item *item, sqlite3_stmt *statement)
{
    if (item->rows == item->room) {
        const size_t room = 2 * item->room + 16;
        struct study_value *grown =
            realloc(item->value, room * ((size_t)item->columns + 1) * sizeof *grown);
        if (!grown) return false;
        item->value = grown;
        item->room = room;
    }
    struct study_value *row = &item->value[item->rows * (size_t)item->columns];
    memset(row, 0, (size_t)item->columns * sizeof *row);
    item->rows++;
    for (int i = 0; i < item->columns; i++)
        if (!copy_value(statement, i, &row[i])) return false;
    return true;
}

enum rk_status compare_query(const struct script *script, const struct section *section,
                             struct comparison_item *item)
{
    sqlite3_stmt *statement = NULL;
    const char *rest = NULL;
    enum rk_status status = RK_OK;
    int code = sqlite3_prepare_v2(script->sqlite, section->sql, -1, &statement, &rest);
    if (code == SQLITE_OK && (!statement || !compare_is_blank(rest)))
        status = compare_fail(script, section->line, "@%s: give it one SELECT", section->word);
    else if (code == SQLITE_OK && !name_columns(item, statement))
        status = fail_memory(script);
    while (status == RK_OK && code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        code = add_row(item, statement) ? SQLITE_OK : SQLITE_NOMEM;
    if (status == RK_OK && code != SQLITE_DONE)
        status = compare_fail(script, section->line, "%s", sqlite3_errmsg(script->sqlite));
    sqlite3_finalize(statement);
    return status;
}

/* ---- sections ---- */

typedef enum rk_status section_fn(const struct script *script, const struct section *section);

static enum rk_status do_heading(const struct script *script, const struct section *section)
{
    return add_item(script->comparison, COMPARISON_HEADING, "", section->text)
               ? RK_OK
               : fail_memory(script);
}

static enum rk_status do_table(const struct script *script, const struct section *section)
{
    struct comparison_item *item =
        add_item(script->comparison, COMPARISON_TABLE, section->name, section->text);
    return item ? compare_query(script, section, item) : fail_memory(script);
}

static enum rk_status do_chart(const struct script *script, const struct section *section)
{
    static const char *const kinds[] = {"lines", "points", "bars"}; /* enum comparison_drawing */
    const size_t length = strcspn(section->text, " \t");
    int kind = 0;
    while (kind < COUNT_OF(kinds) &&
           (strlen(kinds[kind]) != length || strncmp(section->text, kinds[kind], length) != 0))
        kind++;
    if (kind == COUNT_OF(kinds))
        return compare_fail(script, section->line,
                            "@chart NAME KIND TEXT: KIND of %s is lines, points or bars",
                            section->name);
    const char *title = section->text + length;
    struct comparison_item *item =
        add_item(script->comparison, COMPARISON_CHART, section->name, title + strspn(title, " \t"));
    if (!item) return fail_memory(script);
    item->drawing = (enum comparison_drawing)kind;
    const enum rk_status status = compare_query(script, section, item);
    if (status == RK_OK && item->columns != 3)
        return compare_fail(script, section->line,
                            "%s: the query of a chart must yield three columns", section->name);
    return status;
}

static enum rk_status do_note(const struct script *script, const struct section *section)
{
    if (*section->text && !add_item(script->comparison, COMPARISON_NOTE, "", section->text))
        return fail_memory(script);
    if (compare_is_blank(section->sql)) return RK_OK;
    struct comparison_item rows = {.name = NULL};
    enum rk_status status = compare_query(script, section, &rows);
    for (size_t i = 0; status == RK_OK && i < rows.rows; i++) {
        const struct study_value *value = &rows.value[i * (size_t)rows.columns];
        if (value->type == STUDY_TEXT &&
            !add_item(script->comparison, COMPARISON_NOTE, "", value->text))
            status = fail_memory(script);
    }
    compare_release_item(&rows);
    return status;
}

static void count_check(struct study_comparison *comparison, const struct comparison_item *item)
{
    comparison->checks++;
    comparison->hold += item->verdict == COMPARISON_HOLDS;
    comparison->unknown += item->verdict == COMPARISON_UNKNOWN;
    comparison->required += item->required;
    comparison->broken += item->required && item->verdict != COMPARISON_HOLDS;
}

static enum rk_status do_check(const struct script *script, const struct section *section)
{
    struct comparison_item rows = {.name = NULL};
    struct comparison_item *item =
        add_item(script->comparison, COMPARISON_CHECK, section->name, section->text);
    if (!item) return fail_memory(script);
    enum rk_status status = compare_query(script, section, &rows);
    if (status == RK_OK && (rows.columns != 2 || rows.rows > 1))
        status = compare_fail(script, section->line,
                              "%s: the query must yield one row (holds, because)", section->name);
    item->required = strcmp(section->word, "require") == 0;
    if (status == RK_OK && rows.rows == 1) {
        if (rows.value[0].type == STUDY_INTEGER)
            item->verdict = rows.value[0].integer ? COMPARISON_HOLDS : COMPARISON_FAILS;
        if (rows.value[1].type == STUDY_TEXT) item->because = strdup(rows.value[1].text);
    }
    compare_release_item(&rows);
    count_check(script->comparison, item);
    return status;
}

static enum rk_status do_setup(const struct script *script, const struct section *section)
{
    if (sqlite3_exec(script->sqlite, section->sql, NULL, NULL, NULL) == SQLITE_OK) return RK_OK;
    return compare_fail(script, section->line, "%s", sqlite3_errmsg(script->sqlite));
}

void compare_beside(const struct script *script, const char *name, char buffer[COMPARE_PATH])
{
    const char *slash = strrchr(script->path, '/');
    const int folder = slash && *name != '/' ? (int)(slash + 1 - script->path) : 0;
    snprintf(buffer, COMPARE_PATH, "%.*s%s", folder, script->path, name);
}

static enum rk_status do_expect(const struct script *script, const struct section *section)
{
    char path[COMPARE_PATH];
    struct rk_error inner;
    compare_beside(script, section->text, path);
    const enum rk_status status = compare_load_csv(script->sqlite, section->name, path, &inner);
    return status == RK_OK ? RK_OK : compare_fail_inside(script, section, &inner);
}

int compare_fields(char *text, char *field[COMPARE_FIELDS])
{
    int fields = 0;
    for (char *at = text; at && fields < COMPARE_FIELDS; fields++) {
        char *bar = strchr(at, '|'), *end = bar ? bar : at + strlen(at);
        at += strspn(at, " \t");
        while (end > at && strchr(" \t", end[-1]))
            end--;
        *end = '\0';
        field[fields] = at;
        at = bar ? bar + 1 : NULL;
    }
    return fields;
}

static model_reader *model_reader_of(const struct script *script)
{
    return script->hooks ? script->hooks->model_of : rk_model_load;
}

static enum rk_status do_estimate(const struct script *script, const struct section *section)
{
    char *field[COMPARE_FIELDS], text[1024], path[COMPARE_PATH];
    struct rk_error inner;
    snprintf(text, sizeof text, "%s %s", section->name, section->text);
    if (compare_fields(text, field) != 4)
        return compare_fail(script, section->line, "%s",
                            "@estimate NAME | MODEL | SYSTEM | STRATEGY");
    snprintf(path, sizeof path, "%s", field[3]);
    if (strncmp(field[3], "./", 2) == 0) compare_beside(script, field[3] + 2, path);
    const enum rk_status status = compare_load_estimate(script->sqlite, model_reader_of(script),
                                                        field[0], field[1], field[2], path, &inner);
    return status == RK_OK ? RK_OK : compare_fail_inside(script, section, &inner);
}

static enum rk_status do_distribution(const struct script *script, const struct section *section)
{
    char *field[COMPARE_FIELDS], text[1024];
    struct rk_error inner;
    snprintf(text, sizeof text, "%s %s", section->name, section->text);
    if (compare_fields(text, field) != 7)
        return compare_fail(script, section->line, "%s",
                            "@distribution NAME | BINS | MODEL | SYSTEM | GPUS | BATCH | DATATYPE");
    const struct compare_distribution wanted = {
        .name = field[0],
        .bins = strtoull(field[1], NULL, 10),
        .model = field[2],
        .system = field[3],
        .gpus = strtoull(field[4], NULL, 10),
        .batch = strtoull(field[5], NULL, 10),
        .datatype = field[6],
        .model_of = model_reader_of(script),
    };
    if (!wanted.bins || !wanted.gpus || !wanted.batch || wanted.bins > 1000)
        return compare_fail(script, section->line, "%s",
                            "bins, GPUs and batch are whole numbers above 0");
    const enum rk_status status = compare_load_distribution(script->sqlite, &wanted, &inner);
    return status == RK_OK ? RK_OK : compare_fail_inside(script, section, &inner);
}

static section_fn do_include;

/* clang-format off */
static const struct {
    const char *word;
    section_fn *run;
    bool named; /* its first word is a name */
} directives[] = {
    {"heading",      do_heading,      false},
    {"expect",       do_expect,       true},
    {"estimate",     do_estimate,     true},
    {"distribution", do_distribution, true},
    {"setup",        do_setup,        false},
    {"table",        do_table,        true},
    {"chart",        do_chart,        true},
    {"answer",       compare_answer,  true},
    {"measured",     compare_measured, true},
    {"include",      do_include,      false},
    {"note",         do_note,         false},
    {"check",        do_check,        true},
    {"require",      do_check,        true},
};
/* clang-format on */

static enum rk_status run_section(const struct script *script, struct section *section)
{
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        if (strcmp(section->word, directives[i].word) != 0) continue;
        if (directives[i].named) {
            const size_t length = strcspn(section->text, " \t");
            snprintf(section->name, sizeof section->name, "%.*s", (int)length, section->text);
            section->text += length;
            section->text += strspn(section->text, " \t");
        }
        return directives[i].run(script, section);
    }
    const char *words[sizeof directives / sizeof *directives + 1] = {NULL};
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        words[i] = directives[i].word;
    const char *nearest = text_nearest(section->word, words);
    return rk_fail(script->error, RK_BAD_INPUT, script->path, section->line, 0,
                   "no directive \"@%s\": %s%s", section->word,
                   nearest ? "did you mean @" : "reckon-compare(5) lists them",
                   nearest ? nearest : "");
}

/* ---- cutting the script ---- */

static const char mark[] = "-- @";

static char *next_line(char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

static char *find_section(char *at)
{
    while (*at && strncmp(at, mark, sizeof mark - 1) != 0)
        at = next_line(at);
    return at;
}

/* Joins the directive's line with those below it that continue; returns where the SQL begins. */
static char *read_head(char *at, struct section *section)
{
    size_t used = strcspn(at, "\r\n");
    char *next = next_line(at);
    while (strncmp(next, "--  ", 4) == 0) {
        char *from = next + 4 + strspn(next + 4, " ");
        const size_t length = strcspn(from, "\r\n");
        char *below = next_line(next);
        at[used++] = ' ';
        memmove(at + used, from, length);
        used += length;
        next = below;
    }
    /* The head grew over what it took in; its end lies before `next`, unless the file ends. */
    at[used] = '\0';
    const size_t word = strcspn(at, " \t");
    snprintf(section->word, sizeof section->word, "%.*s", (int)word, at);
    section->text = at + word + strspn(at + word, " \t");
    return next;
}

static enum rk_status run_script(struct script *script)
{
    enum rk_status status = RK_OK;
    char *const copy = strdup(script->text); /* heads are joined in place: lines are counted here */
    char *at = find_section(script->text);
    if (!copy) return fail_memory(script);
    copy[at - script->text] = '\0';
    if (!compare_is_blank(copy))
        status = compare_fail(
            script, 1, "%s",
            "SQL in front of the first directive is not run: put \"-- @table NAME TEXT\" "
            "above a query to have its rows shown, \"-- @setup\" above what only prepares");
    copy[at - script->text] = *at;
    while (status == RK_OK && *at) {
        struct section section = {.line = text_line(copy, copy + (at - script->text))};
        char *sql = read_head(at + sizeof mark - 1, &section);
        char *end = find_section(sql);
        section.sql = strndup(sql, (size_t)(end - sql));
        status = section.sql ? run_section(script, &section) : fail_memory(script);
        free(section.sql);
        at = end;
    }
    free(copy);
    return status;
}

static enum rk_status read_script(struct script *script)
{
    FILE *file = fopen(script->path, "rb");
    if (!file)
        return rk_fail(script->error, RK_IO, script->path, 0, 0, "cannot be read: %s",
                       strerror(errno));
    script->text = malloc(SCRIPT_MOST + 1);
    const size_t used = script->text ? fread(script->text, 1, SCRIPT_MOST, file) : 0;
    const bool failed = ferror(file) || !script->text || used == SCRIPT_MOST;
    fclose(file);
    if (failed) return rk_fail(script->error, RK_IO, script->path, 0, 0, "cannot be read whole");
    script->text[used] = '\0';
    return RK_OK;
}

/* A file that includes itself ends at MOST_INCLUDED. */
static enum rk_status do_include(const struct script *script, const struct section *section)
{
    char path[COMPARE_PATH];
    struct rk_error inner;
    struct script other = *script;
    compare_beside(script, section->text, path);
    if (script->depth == MOST_INCLUDED)
        return compare_fail(script, section->line, "%s: scripts include each other", section->text);
    other.path = path;
    other.text = NULL;
    other.error = &inner;
    other.depth = script->depth + 1;
    enum rk_status status = read_script(&other);
    if (status == RK_OK) status = run_script(&other);
    free(other.text);
    return status == RK_OK ? RK_OK : compare_fail_inside(script, section, &inner);
}

/* Reading alone; what the script makes lives in memory. */
static enum rk_status open_database(struct script *script, const char *path)
{
    struct study_database *check = NULL;
    enum rk_status status =
        path ? study_database_open(path, STUDY_READ, &check, script->error) : RK_OK;
    study_database_close(check);
    if (status != RK_OK) return status;
    if (sqlite3_open_v2(path ? path : ":memory:", &script->sqlite, SQLITE_OPEN_READONLY, NULL) !=
            SQLITE_OK ||
        sqlite3_exec(script->sqlite, "PRAGMA temp_store = memory", NULL, NULL, NULL) != SQLITE_OK)
        return rk_fail(script->error, RK_IO, path, 0, 0, "cannot be read: %s",
                       sqlite3_errmsg(script->sqlite));
    sqlite3_busy_timeout(script->sqlite, 20000);
    return RK_OK;
}

enum rk_status study_compare(const char *database, const char *path,
                             const struct comparison_hooks *hooks,
                             struct study_comparison *comparison, struct rk_error *error)
{
    struct script script = {.path = path, .hooks = hooks, .comparison = comparison, .error = error};
    *comparison = (struct study_comparison){.items = 0};
    enum rk_status status = open_database(&script, database);
    if (status == RK_OK) status = read_script(&script);
    if (status == RK_OK) status = run_script(&script);
    if (status == RK_OK && !comparison->items)
        status = compare_fail(&script, 0, "%s",
                              "nothing in it is shown: a query is below \"-- @table NAME TEXT\"; "
                              "reckon-compare(5) has the others");
    sqlite3_close(script.sqlite);
    free(script.text);
    return status;
}
