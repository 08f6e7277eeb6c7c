/* What a script asks of the program around it: commands, and what experiments left. */
#include "base/limits.h"
#include "base/memory.h"
#include "study/compare_load.h"
#include "study/compare_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MOST = 4096 };
_Static_assert(MOST_ASKED_WORDS == 128, "a message says how many");

void compare_release_asked(struct study_comparison *comparison)
{
    for (size_t i = 0; i < comparison->commands; i++) {
        free(comparison->command[i].table);
        free(comparison->command[i].label);
        free(comparison->command[i].command);
    }
    for (size_t i = 0; i < comparison->experiments; i++) {
        free(comparison->measured[i].table);
        free(comparison->measured[i].command);
    }
    free(comparison->command);
    free(comparison->measured);
}

/* ---- words ---- */

/* The next word of a line, unquoted in place; NULL: there is none. */
static char *cut_word(char **at)
{
    char *from = *at + strspn(*at, " \t\r\n"), *out = from, quote = '\0';
    char *in = from;
    if (!*from) return NULL;
    for (; *in && (quote || !strchr(" \t\r\n", *in)); in++) {
        if (quote ? *in == quote : *in == '"' || *in == '\'')
            quote = quote ? '\0' : *in;
        else
            *out++ = *in;
    }
    *at = *in ? in + 1 : in;
    *out = '\0';
    return from;
}

/* The line with files of the script's folder ("./x") by their path. False: it is too long. */
static bool spell_out(const struct script *script, const char *line, char out[LINE_MOST])
{
    char folder[COMPARE_PATH];
    size_t used = 0;
    compare_beside(script, "", folder);
    for (const char *at = line; *at; at++) {
        const bool begins = at == line || strchr(" \t\"'", at[-1]);
        const bool ours = begins && strncmp(at, "./", 2) == 0;
        const char *text = ours ? folder : at;
        const size_t length = ours ? strlen(folder) : 1;
        if (used + length >= LINE_MOST) return false;
        memcpy(out + used, text, length);
        used += length;
        at += ours;
    }
    out[used] = '\0';
    return true;
}

/* The words of a line, `reckon` left out. Returns how many, 0: none, or too many. */
static int cut_words(char *line, char *word[MOST_ASKED_WORDS])
{
    char *at = line, *next;
    int words = 0;
    while ((next = cut_word(&at))) {
        if (!words && strcmp(next, "reckon") == 0) continue;
        if (words == MOST_ASKED_WORDS) return 0;
        word[words++] = next;
    }
    return words;
}

/* ---- answers ---- */

static enum rk_status insert_answer(const struct script *script, const char *table,
                                    const char *const text[4], int code)
{
    char sql[256];
    sqlite3_stmt *statement = NULL;
    snprintf(sql, sizeof sql, "INSERT INTO temp.\"%s\" VALUES(?, ?, ?, ?, ?)", table);
    int done = sqlite3_prepare_v2(script->sqlite, sql, -1, &statement, NULL);
    if (done == SQLITE_OK) {
        static const int column[] = {1, 2, 3, 5};
        for (int i = 0; i < 4; i++)
            sqlite3_bind_text(statement, column[i], text[i], -1, SQLITE_TRANSIENT);
        sqlite3_bind_int(statement, 4, code);
        done = sqlite3_step(statement);
    }
    sqlite3_finalize(statement);
    return done == SQLITE_DONE ? RK_OK
                               : rk_fail(script->error, RK_BAD_INPUT, NULL, 0, 0, "%s: %s", table,
                                         sqlite3_errmsg(script->sqlite));
}

static bool keep_command(struct study_comparison *comparison, const char *table, const char *label,
                         const char *line)
{
    if (!ARRAY_ROOM(comparison->command, comparison->commands)) return false;
    struct comparison_command *made = &comparison->command[comparison->commands++];
    *made = (struct comparison_command){strdup(table), strdup(label), strdup(line)};
    return made->table && made->label && made->command;
}

/* An answer with exit status 1 is one: nothing fits, or a check failed. */
static enum rk_status ask(const struct script *script, const struct section *section,
                          const char *label, const char *line)
{
    const struct comparison_hooks *hooks = script->hooks;
    char whole[LINE_MOST], copy[LINE_MOST], *word[MOST_ASKED_WORDS], *json = NULL, *said = NULL;
    struct rk_error inner = {.status = RK_OK};
    int code = 0;
    if (!hooks || !hooks->answer)
        return compare_fail(script, section->line, "@answer %s: not in this program", label);
    if (!spell_out(script, line, whole))
        return compare_fail(script, section->line, "@answer %s: the line is too long", label);
    memcpy(copy, whole, sizeof copy);
    const int words = cut_words(copy, word);
    enum rk_status status = RK_OK;
    if (words < 1)
        status = compare_fail(script, section->line, "@answer %s: 1 to 128 words", label);
    else if (hooks->answer(hooks->context, words, word, &json, &code, &said, &inner) != RK_OK)
        status = compare_fail_inside(script, section, &inner);
    else if (!keep_command(script->comparison, section->name, label, whole))
        status = no_memory(script->error);
    else
        status = insert_answer(script, section->name,
                               (const char *const[4]){label, whole, json, said}, code);
    free(json);
    free(said);
    return status;
}

/* A row (label, words) of the query for each command. */
static enum rk_status ask_rows(const struct script *script, const struct section *section)
{
    struct comparison_item rows = {.name = NULL};
    enum rk_status status = compare_query(script, section, &rows);
    if (status == RK_OK && rows.columns != 2)
        status = compare_fail(script, section->line,
                              "@answer %s: a query must yield (label, words)", section->name);
    for (size_t i = 0; status == RK_OK && i < rows.rows; i++) {
        const struct study_value *value = &rows.value[2 * i];
        if (value[0].type == STUDY_TEXT && value[1].type == STUDY_TEXT)
            status = ask(script, section, value[0].text, value[1].text);
        else
            status = compare_fail(script, section->line,
                                  "@answer %s: label and words must be texts", section->name);
    }
    compare_release_item(&rows);
    return status;
}

enum rk_status compare_answer(const struct script *script, const struct section *section)
{
    char sql[256], *field[COMPARE_FIELDS];
    snprintf(sql, sizeof sql,
             "CREATE TEMP TABLE IF NOT EXISTS \"%s\"(label TEXT, command TEXT, json TEXT, code "
             "INTEGER, said TEXT)",
             section->name);
    if (sqlite3_exec(script->sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
        return compare_fail(script, section->line, "%s", sqlite3_errmsg(script->sqlite));
    if (!*section->text) return ask_rows(script, section);
    if (*section->text != '|' || compare_fields(section->text + 1, field) != 2)
        return compare_fail(script, section->line, "%s", "@answer TABLE | LABEL | WORDS");
    return ask(script, section, field[0], field[1]);
}

/* ---- experiments ---- */

static enum rk_status measure(const struct script *script, const struct section *section,
                              const char *command)
{
    char folder[COMPARE_PATH], path[COMPARE_PATH];
    const char *temporary = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.900s/reckon-measured-XXXXXX",
             temporary && *temporary ? temporary : P_tmpdir);
    struct rk_error inner;
    const int made = mkstemp(path);
    if (made < 0)
        return compare_fail(script, section->line, "%s: no temporary file can be made",
                            section->name);
    close(made);
    compare_beside(script, "", folder);
    enum rk_status status = script->hooks->measure(script->hooks->context, *folder ? folder : ".",
                                                   command, path, &inner);
    if (status == RK_OK) status = compare_load_csv(script->sqlite, section->name, path, &inner);
    unlink(path);
    return status == RK_OK ? RK_OK : compare_fail_inside(script, section, &inner);
}

static enum rk_status take_kept(const struct script *script, const struct section *section,
                                const char *file)
{
    char path[COMPARE_PATH];
    struct rk_error inner;
    compare_beside(script, file, path);
    return compare_load_csv(script->sqlite, section->name, path, &inner) == RK_OK
               ? RK_OK
               : compare_fail_inside(script, section, &inner);
}

enum rk_status compare_measured(const struct script *script, const struct section *section)
{
    struct study_comparison *comparison = script->comparison;
    char *field[COMPARE_FIELDS], *end = NULL;
    if (compare_fields(section->text, field) != 3)
        return compare_fail(script, section->line, "%s",
                            "@measured TABLE FILE.csv | SECONDS | COMMAND");
    const double seconds = strtod(field[1], &end);
    if (*end || !(seconds > 0))
        return compare_fail(script, section->line, "%s: give the seconds as a number above 0",
                            section->name);
    if (!ARRAY_ROOM(comparison->measured, comparison->experiments)) return no_memory(script->error);
    struct comparison_measured *kept = &comparison->measured[comparison->experiments++];
    const bool run = script->hooks && script->hooks->measure;
    *kept = (struct comparison_measured){strdup(section->name), strdup(field[2]), seconds, run};
    if (!kept->table || !kept->command) return no_memory(script->error);
    return run ? measure(script, section, field[2]) : take_kept(script, section, field[0]);
}
