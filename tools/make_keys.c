/* make_keys FILE.csv FILE.h - the rows of a table of data/formats, as C that includes them sees
 * them (formats/keys/key_rows.h, megatron_flags.c), in the order of their names:
 *
 *     FORMAT_KEY(name, effect, words, why, values, since, until, tools)
 *     FORMAT_READ(name, use, member, words, preset)
 *
 * data/formats/README.md says what the columns mean; only the name must be there. All that is
 * wrong is reported, each with its line; then no file is left behind.
 *
 * A table without a column `name` has columns of its own, and its order counts: a row is
 * ROW(cell, ...), where a column whose title begins with a capital holds words of C, any other
 * text; in one whose title is all capitals, so are words in capitals, each other word is text that
 * ends in a blank.
 */
#include "text/csv.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column { NAME, VALUES, SINCE, UNTIL, TOOLS, EFFECT, OFF, ARGUMENT, PRESET, WHY, COLUMNS };
static const char *const titles[COLUMNS] = {"name",   "values", "since",    "until",  "tools",
                                            "effect", "off",    "argument", "preset", "why"};

struct word {
    const char *text, *token; /* of the enumerations in C */
};
static const struct word effects[] = {
    {"", "NONE"},
    {"none", "NONE"},
    {"not-followed", "NOT_FOLLOWED"},
    {"unsupported", "NOT_COVERED"},
    {"value", "VALUE"},
    {"on", "ON"},
    {"off", "OFF"},
    {"map", "MAP"},
    {"count", "COUNT"},
    {"number", "NUMBER"},
    {"flag", "FLAG"},
    {"text", "TEXT"},
    {"word", "WORD"},
    {"integer", "INTEGER"},
    {"later", "LATER"},
    {"set", "SET"},
    {NULL, NULL},
};
static const struct word values[] = {
    {"", "NO_VALUE"},       {"none", "NO_VALUE"},     {"one", "ONE_VALUE"}, {"many", "MANY_VALUES"},
    {"count", "ONE_COUNT"}, {"number", "ONE_NUMBER"}, {NULL, NULL},
};
static const struct word tools[] = {
    {"core", "MEGATRON_CORE"},           {"megatron-2", "MEGATRON_2"},
    {"deepspeed", "MEGATRON_DEEPSPEED"}, {"pai", "MEGATRON_PAI"},
    {"mindspeed", "MEGATRON_MINDSPEED"}, {NULL, NULL},
};

struct row {
    const char *cell[COLUMNS];
    int line;
};

struct table {
    const char *path;
    struct row *row;
    size_t count;
    bool has[COLUMNS];
    int faults;
};

static void fault(struct table *t, int line, const char *text, const char *what)
{
    fprintf(stderr, "%s:%d: %s: %s\n", t->path, line, what, text);
    t->faults++;
}

/* ---- cells ---- */

static const char *token_of(const struct word *words, const char *text, size_t length)
{
    for (; words->text; words++)
        if (strlen(words->text) == length && strncmp(words->text, text, length) == 0)
            return words->token;
    return NULL;
}

static bool is_version(const char *text)
{
    return strspn(text, "0123456789") == strlen(text) && strlen(text) <= 2;
}

/* "megatron-2 deepspeed" are two. */
static bool are_tools(const char *text)
{
    while (*text) {
        const size_t n = strcspn(text, " ");
        if (!token_of(tools, text, n)) return false;
        text += n + (text[n] == ' ');
    }
    return true;
}

static bool is_name(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-*";
    return *text && strspn(text, letters) == strlen(text);
}

static bool is_one_of(const char *effect, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(effect, list[i]) == 0) return true;
    return false;
}

static bool is_inert(const char *effect)
{
    static const char *const uses[] = {"NONE", "LATER", "SET"};
    return is_one_of(effect, uses, sizeof uses / sizeof *uses);
}

/* Is it read into a member of the reader's struct? */
static bool is_read(const char *effect)
{
    static const char *const uses[] = {"COUNT", "INTEGER", "NUMBER", "FLAG", "TEXT", "WORD"};
    return is_one_of(effect, uses, sizeof uses / sizeof *uses);
}

/* What has an effect says why; what is an argument under another name says which. */
static void check_effect(struct table *t, const struct row *r)
{
    const char *const *cell = r->cell, *name = cell[NAME];
    const char *effect = token_of(effects, cell[EFFECT], strlen(cell[EFFECT]));
    if (!effect) {
        fault(t, r->line,
              "the effect is none, not-followed, unsupported, later, set, value, on, off, map, "
              "count, integer, number, flag, text or word",
              name);
        return;
    }
    const bool says = strncmp(effect, "NOT_", 4) == 0, inert = is_inert(effect);
    if (says && !*cell[WHY]) fault(t, r->line, "say why, for whom reads the message", name);
    if (!says && *cell[WHY])
        fault(t, r->line, "nothing is said of it, so it needs no reason", name);
    if (says + inert == 0 && !*cell[ARGUMENT]) fault(t, r->line, "say which argument it is", name);
    if (*cell[PRESET] && !is_read(effect)) fault(t, r->line, "has no preset by its effect", name);
    if (says + inert && *cell[ARGUMENT]) fault(t, r->line, "is no argument by its effect", name);
}

static void check_row(struct table *t, const struct row *r)
{
    const char *const *cell = r->cell, *name = cell[NAME];
    if (!is_name(name))
        fault(t, r->line, "a name has letters, digits, '_', '-', '.' and '*'", name);
    check_effect(t, r);
    if (!token_of(values, cell[VALUES], strlen(cell[VALUES])))
        fault(t, r->line, "values are none, one, many, count or number", name);
    if (!is_version(cell[SINCE]) || !is_version(cell[UNTIL]))
        fault(t, r->line, "since and until are minor numbers of Megatron Core, 9 for 0.9", name);
    else if (*cell[UNTIL] && atoi(cell[UNTIL]) < atoi(cell[SINCE]))
        fault(t, r->line, "it is gone before it came", name);
    if (!are_tools(cell[TOOLS]))
        fault(t, r->line, "tools are core, megatron-2, deepspeed, pai and mindspeed", name);
    if (t->has[TOOLS] && !*cell[SINCE] == !*cell[TOOLS])
        fault(t, r->line, "either a version of Megatron Core has it or tools are named", name);
}

/* ---- the table ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct row *)a)->cell[NAME], ((const struct row *)b)->cell[NAME]);
}

static void check_twice(struct table *t)
{
    char text[64];
    for (size_t i = 1; i < t->count; i++)
        if (by_name(&t->row[i - 1], &t->row[i]) == 0) {
            const int a = t->row[i - 1].line, b = t->row[i].line;
            snprintf(text, sizeof text, "is in line %d, too", a < b ? a : b);
            fault(t, a < b ? b : a, text, t->row[i].cell[NAME]);
        }
}

static bool read_table(struct table *t, const struct csv *csv)
{
    int at[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
        at[c] = csv_column(csv, titles[c]);
        t->has[c] = at[c] >= 0;
    }
    for (size_t i = 0; i < csv->columns; i++) {
        bool known = false;
        for (int c = 0; c < COLUMNS; c++)
            known |= at[c] == (int)i;
        if (!known) fault(t, 1, "no such column", csv->name[i]);
    }
    t->row = calloc(csv->rows + 1, sizeof *t->row);
    if (t->faults || !t->row) return false;
    for (; t->count < csv->rows; t->count++) {
        struct row *r = &t->row[t->count];
        r->line = csv->line[t->count];
        for (int c = 0; c < COLUMNS; c++)
            r->cell[c] = t->has[c] ? csv_cell(csv, t->count, (size_t)at[c]) : "";
        check_row(t, r);
    }
    qsort(t->row, t->count, sizeof *t->row, by_name);
    check_twice(t);
    return !t->faults;
}

/* ---- C ---- */

static void put_quoted(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++)
        fprintf(file, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', file);
}

static void put_text(FILE *file, const char *text)
{
    if (*text)
        put_quoted(file, text);
    else
        fputs("NULL", file);
    fputs(", ", file);
}

static void put_tools(FILE *file, const char *text)
{
    if (!*text) fputc('0', file);
    for (bool first = true; *text; first = false) {
        const size_t n = strcspn(text, " ");
        fprintf(file, "%s%s", first ? "" : " | ", token_of(tools, text, n));
        text += n + (text[n] == ' ');
    }
}

/* ---- tables with columns of their own ---- */

static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* "LLAMA head_dim=64" */
static void put_mixed(FILE *file, const char *text)
{
    fputs("\"\"", file);
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        const int n = (int)strcspn(text, " ");
        const bool name = strspn(text, capitals) == (size_t)n;
        fprintf(file, name ? " %.*s" : " \"%.*s \"", n, text);
        text += n;
    }
}

static void put_own_row(FILE *file, const struct csv *csv, size_t row)
{
    for (size_t i = 0; i < csv->columns; i++) {
        const char *text = csv_cell(csv, row, i), *title = csv->name[i];
        fputs(i ? ", " : "ROW(", file);
        if (strlen(title) > 1 && strspn(title, capitals) == strlen(title))
            put_mixed(file, text);
        else if (strchr(capitals, *title))
            fputs(*text ? text : "0", file);
        else
            put_quoted(file, text);
    }
    fputs(")\n", file);
}

/* ---- tables of keys ---- */

static void put_row(FILE *file, const char *const *cell)
{
    const char *effect = token_of(effects, cell[EFFECT], strlen(cell[EFFECT]));
    const bool map = strcmp(effect, "MAP") == 0;
    if (is_read(effect)) {
        fprintf(file, "FORMAT_READ(\"%s\", %s, %s, ", cell[NAME], effect, cell[ARGUMENT]);
        put_text(file, cell[OFF]);
        fputs(*cell[PRESET] ? "\"" : "NULL", file);
        fprintf(file, *cell[PRESET] ? "%s\")\n" : "%s)\n", cell[PRESET]);
        return;
    }
    fprintf(file, "FORMAT_KEY(\"%s\", %s, ", cell[NAME], effect);
    put_text(file, map ? cell[ARGUMENT] : cell[OFF]);
    put_text(file, *cell[ARGUMENT] && !map ? cell[ARGUMENT] : cell[WHY]);
    fprintf(file, "%s, %d, %d, ", token_of(values, cell[VALUES], strlen(cell[VALUES])),
            atoi(cell[SINCE]), atoi(cell[UNTIL]));
    put_tools(file, cell[TOOLS]);
    fprintf(file, ")\n");
}

/* Of a table of keys in the order of their names. */
static bool write_rows(const struct table *t, const struct csv *csv, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) return false;
    for (size_t i = 0; i < csv->rows; i++)
        if (t->row)
            put_row(file, t->row[i].cell);
        else
            put_own_row(file, csv, i);
    const bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

/* ---- the program ---- */

enum { FILE_BYTES = 1 << 20 };

static bool read_file(const char *path, char *text, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    *size = fread(text, 1, FILE_BYTES, file);
    const bool good = !ferror(file) && *size < FILE_BYTES;
    return fclose(file) == 0 && good;
}

int main(int argc, char **argv)
{
    static char text[FILE_BYTES];
    char message[1024];
    size_t size;
    struct csv csv = {0};
    struct rk_error error;
    if (argc != 3) {
        fprintf(stderr, "usage: make_keys FILE.csv FILE.h\n");
        return 2;
    }
    struct table table = {.path = argv[1]};
    bool good = read_file(argv[1], text, &size);
    if (!good) fprintf(stderr, "%s: cannot be read\n", argv[1]);
    if (good && csv_parse(argv[1], text, size, &csv, &error) != RK_OK) {
        rk_error_format(&error, message, sizeof message);
        fprintf(stderr, "%s\n", message);
        good = false;
    }
    if (good && csv_column(&csv, titles[NAME]) >= 0) good = read_table(&table, &csv);
    if (good && !write_rows(&table, &csv, argv[2])) {
        fprintf(stderr, "%s: cannot be written\n", argv[2]);
        good = false;
    }
    free(table.row);
    csv_release(&csv);
    return good ? 0 : 1;
}
