#include "text/toml.h"

#include "base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct toml *toml;
    const char *at, *line_start;
    int line;
    char table[96];
    struct rk_error *error;
};

static int column(const struct reader *r)
{
    return (int)(r->at - r->line_start) + 1;
}

static enum rk_status fail(const struct reader *r, const char *what)
{
    return rk_fail(r->error, RK_BAD_INPUT, r->toml->path, r->line, column(r), "%s", what);
}

static void skip_blanks(struct reader *r)
{
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
        r->at++;
    if (*r->at == '#') r->at += strcspn(r->at, "\n");
}

static void skip_lines(struct reader *r)
{
    for (skip_blanks(r); *r->at == '\n'; skip_blanks(r)) {
        r->line++;
        r->line_start = ++r->at;
    }
}

/* A quoted text without the quotes; escapes stay as they are but for \" and \\. */
static enum rk_status read_quoted(struct reader *r, char *text, size_t size)
{
    const char quote = *r->at++;
    size_t n = 0;
    if (*r->at == quote && r->at[1] == quote) return fail(r, "texts of several lines are not read");
    while (*r->at && *r->at != quote && *r->at != '\n') {
        if (quote == '"' && *r->at == '\\' && (r->at[1] == '"' || r->at[1] == '\\')) r->at++;
        if (n + 1 >= size) return fail(r, "this text is too long");
        text[n++] = *r->at++;
    }
    if (*r->at != quote) return fail(r, "this text is not closed");
    r->at++;
    text[n] = '\0';
    return RK_OK;
}

/* "a.b-c" or "a" . "b" */
static enum rk_status read_key(struct reader *r, char *text, size_t size)
{
    size_t n = 0;
    for (;;) {
        skip_blanks(r);
        if (*r->at == '"' || *r->at == '\'') {
            const enum rk_status status = read_quoted(r, text + n, size - n);
            if (status != RK_OK) return status;
            n += strlen(text + n);
        } else {
            const size_t start = n;
            while (isalnum((unsigned char)*r->at) || *r->at == '_' || *r->at == '-') {
                if (n + 2 >= size) return fail(r, "this key is too long");
                text[n++] = *r->at++;
            }
            if (n == start) return fail(r, "a key is expected here");
        }
        skip_blanks(r);
        if (*r->at != '.' || n + 2 >= size) break;
        text[n++] = *r->at++;
    }
    text[n] = '\0';
    return RK_OK;
}

static enum rk_status read_plain(struct reader *r, struct toml_entry *entry)
{
    const size_t n = strcspn(r->at, " \t\r\n,]#}");
    char digits[64];
    size_t used = 0;
    if (n == 0 || n >= sizeof digits) return fail(r, "a value is expected here");
    snprintf(entry->text, sizeof entry->text, "%.*s", (int)n, r->at);
    for (size_t i = 0; i < n; i++)
        if (r->at[i] != '_') digits[used++] = r->at[i];
    digits[used] = '\0';
    const bool yes = strcmp(digits, "true") == 0;
    if (yes || strcmp(digits, "false") == 0) {
        entry->type = TOML_BOOL;
        entry->number = yes;
    } else {
        char *end;
        entry->type = TOML_NUMBER;
        entry->number = strtod(digits, &end);
        if (*end || !isfinite(entry->number))
            return fail(r, "must be a text in quotes, a number, true, false or a list");
    }
    r->at += n;
    return RK_OK;
}

static enum rk_status read_array(struct reader *r, struct toml_entry *entry)
{
    size_t used = 0;
    entry->type = TOML_ARRAY;
    entry->text[0] = '\0';
    r->at++;
    for (;;) {
        struct toml_entry element = {.type = TOML_STRING};
        skip_lines(r);
        if (*r->at == ']') break;
        if (*r->at == '[' || *r->at == '{') return fail(r, "lists within lists are not read");
        const enum rk_status status = *r->at == '"' || *r->at == '\''
                                          ? read_quoted(r, element.text, sizeof element.text)
                                          : read_plain(r, &element);
        if (status != RK_OK) return status;
        used += (size_t)snprintf(entry->text + used, sizeof entry->text - used, "%s%s",
                                 used ? "\n" : "", element.text);
        if (used >= sizeof entry->text) return fail(r, "this list is too long");
        skip_lines(r);
        if (*r->at == ',')
            r->at++;
        else if (*r->at != ']')
            return fail(r, "',' or ']' is expected here");
    }
    r->at++;
    return RK_OK;
}

static enum rk_status add(struct reader *r, struct toml_entry **entry)
{
    struct toml *toml = r->toml;
    if (!ARRAY_ROOM(toml->entry, toml->count)) return no_memory(r->error);
    *entry = &toml->entry[toml->count++];
    **entry = (struct toml_entry){.line = r->line, .column = column(r)};
    return RK_OK;
}

static enum rk_status read_pair(struct reader *r)
{
    struct toml_entry *entry = NULL;
    char key[96];
    enum rk_status status = add(r, &entry);
    if (status == RK_OK) status = read_key(r, key, sizeof key);
    if (status != RK_OK) return status;
    char full[sizeof entry->key];
    if ((size_t)snprintf(full, sizeof full, "%s%s%s", r->table, *r->table ? "." : "", key) >=
        sizeof full)
        return fail(r, "this key is too long");
    for (size_t i = 0; i + 1 < r->toml->count; i++)
        if (strcmp(r->toml->entry[i].key, full) == 0) return fail(r, "this key is given twice");
    memcpy(entry->key, full, sizeof full);
    if (*r->at != '=') return fail(r, "'=' is expected here");
    r->at++;
    skip_blanks(r);
    entry->column = column(r);
    if (*r->at == '{') return fail(r, "tables in one line are not read: give them a [section]");
    if (*r->at == '[') return read_array(r, entry);
    if (*r->at == '"' || *r->at == '\'') return read_quoted(r, entry->text, sizeof entry->text);
    return read_plain(r, entry);
}

static enum rk_status read_table(struct reader *r)
{
    r->at++;
    if (*r->at == '[') return fail(r, "arrays of tables are not read");
    const enum rk_status status = read_key(r, r->table, sizeof r->table);
    if (status != RK_OK) return status;
    if (*r->at != ']') return fail(r, "']' is expected here");
    r->at++;
    return RK_OK;
}

enum rk_status toml_read(struct toml *toml, const char *path, const char *text,
                         struct rk_error *error)
{
    struct reader r = {.toml = toml, .at = text, .line_start = text, .line = 1, .error = error};
    enum rk_status status = RK_OK;
    *toml = (struct toml){.count = 0};
    snprintf(toml->path, sizeof toml->path, "%s", path);
    for (skip_lines(&r); *r.at && status == RK_OK; skip_lines(&r)) {
        status = *r.at == '[' ? read_table(&r) : read_pair(&r);
        skip_blanks(&r);
        if (status == RK_OK && *r.at && *r.at != '\n')
            status = fail(&r, "the line should end here");
    }
    return status;
}

void toml_release(struct toml *toml)
{
    free(toml->entry);
    *toml = (struct toml){.count = 0};
}
