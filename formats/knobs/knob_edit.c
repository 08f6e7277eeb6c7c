/* knob_edit.c - a key of a configuration set in its text, so that all else stays as it is:
 * comments, order, spelling. What is made is read once more by knobs_write(). */
#include "knobs/knobs.h"

#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beginning of the n-th line, from 1 on; the end of the text after the last. */
static const char *line_at(const char *text, int n)
{
    for (; n > 1 && *text; n--) {
        text += strcspn(text, "\n");
        if (*text) text++;
    }
    return text;
}

/* `text` with what is from `from` to `to` replaced. */
static char *splice(const char *text, const char *from, const char *to, const char *by)
{
    const size_t head = (size_t)(from - text), new = strlen(by);
    char *made = malloc(head + new + strlen(to) + 1);
    if (!made) return NULL;
    memcpy(made, text, head);
    memcpy(made + head, by, new);
    strcpy(made + head + new, to);
    return made;
}

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* The last part of a key, "mode" of "activation_checkpoint.mode". */
static const char *last_part(const char *key)
{
    const char *dot = strrchr(key, '.');
    return dot ? dot + 1 : key;
}

/* Where a name stands in its line; dashes are as underscores. NULL: it does not. */
static const char *find_name(const char *line, const char *name, size_t *length)
{
    const char *end = line + strcspn(line, "\n");
    *length = strlen(name);
    for (const char *at = line; at + *length <= end; at++) {
        size_t i = 0;
        while (i < *length && (at[i] == name[i] || (at[i] == '-' && name[i] == '_')))
            i++;
        const bool begins = at == line || !word_char(at[-1]);
        if (i == *length && begins && !word_char(at[i])) return at;
    }
    return NULL;
}

/* The value after "name:" or "name =": quoted, or up to a comma, a bracket, a comment. */
static const char *end_of_value(const char *value)
{
    const char *end = value + strcspn(value, ",}]\n");
    if (*value == '"' || *value == '\'') {
        end = strchr(value + 1, *value);
        return end ? end + 1 : NULL;
    }
    for (const char *c = value; c < end; c++)
        if (*c == '#' && (c == value || isspace((unsigned char)c[-1]))) end = c;
    while (end > value && isspace((unsigned char)end[-1]))
        end--;
    return end;
}

/* As the syntax writes it: words are quoted in JSON and TOML, and where they were. */
static void spell(const char *value, bool quote_words, char quote, char *text, size_t size)
{
    const bool plain = strspn(value, "0123456789.-+eE") == strlen(value) ||
                       strcmp(value, "true") == 0 || strcmp(value, "false") == 0 ||
                       strcmp(value, "null") == 0;
    if (quote || (quote_words && !plain))
        snprintf(text, size, "%c%s%c", quote ? quote : '"', value, quote ? quote : '"');
    else
        snprintf(text, size, "%s", value);
}

static char *replace(const char *text, const struct knob_set *set, bool quote_words)
{
    size_t length;
    char value[KNOB_TEXT + 4];
    const char *at = find_name(line_at(text, set->line), last_part(set->key), &length);
    if (!at) return NULL;
    at += length;
    if (*at == '"' || *at == '\'') at++;
    at += strspn(at, " \t");
    if (*at != ':' && *at != '=') return NULL;
    at++;
    at += strspn(at, " \t");
    const char *end = end_of_value(at);
    if (!end || end == at) return NULL;
    const bool was_quoted = *at == '"' || *at == '\'';
    spell(set->after, quote_words, was_quoted ? *at : '\0', value, sizeof value);
    return splice(text, at, end, value);
}

/* ---- new keys ---- */

static char *add_toml(const char *text, const struct knob_set *set)
{
    char section[KNOB_KEY], line[KNOB_KEY + KNOB_TEXT + 8], value[KNOB_TEXT + 4];
    char all[2 * KNOB_KEY + KNOB_TEXT + 16];
    const char *name = last_part(set->key);
    const size_t parent = name > set->key ? (size_t)(name - set->key - 1) : 0;
    spell(set->after, true, '\0', value, sizeof value);
    snprintf(section, sizeof section, "[%.*s]", (int)parent, set->key);
    snprintf(line, sizeof line, "%s = %s\n", name, value);
    for (const char *at = text; *at;) {
        const char *next = at + strcspn(at, "\n");
        if (*next) next++;
        if (strncmp(at, section, strlen(section)) == 0) return splice(text, next, next, line);
        at = next;
    }
    const char *end = text + strlen(text);
    snprintf(all, sizeof all, "%s\n%s\n%s", end > text && end[-1] != '\n' ? "\n" : "", section,
             line);
    return splice(text, end, end, all);
}

/* The line of the first key below `parent`, by the file's own keys; 0: there is none. */
static int first_below(const char *path, const char *text, const char *parent, size_t length)
{
    struct settings settings;
    struct rk_error ignored;
    int line = 0;
    if (settings_read(&settings, path, text, NULL, 0, &ignored) == RK_OK)
        for (size_t i = 0; !line && i < settings.count; i++) {
            const struct setting *s = &settings.setting[i];
            const bool below =
                strncmp(s->key, parent, length) == 0 && (length == 0 || s->key[length] == '.');
            const bool direct = below && !strchr(s->key + length + (length > 0), '.');
            if (direct) line = s->line;
        }
    settings_release(&settings);
    return line;
}

/* In a line of its own before a neighbour, as deep as that. */
static char *add_beside(const char *text, int line, const struct knob_set *set, bool json)
{
    char made[512], value[KNOB_TEXT + 4];
    const char *at = line_at(text, line);
    const int indent = (int)strspn(at, " \t");
    spell(set->after, json, '\0', value, sizeof value);
    if (indent > 200 || at[indent] == '{') return NULL;
    snprintf(made, sizeof made, json ? "%.*s\"%s\": %s,\n" : "%.*s%s: %s\n", indent, at,
             last_part(set->key), value);
    return splice(text, at, at, made);
}

/* JSON: the map that is not there, with the key in it, before the first key of all. */
static char *add_object(const char *path, const char *text, const struct knob_set *set,
                        size_t parent)
{
    char made[512], value[KNOB_TEXT + 4];
    const int line = first_below(path, text, "", 0);
    const char *at = line_at(text, line), *dot = memchr(set->key, '.', parent);
    const int indent = (int)strspn(at, " \t");
    if (!line || dot || indent > 200 || at[indent] == '{') return NULL;
    spell(set->after, true, '\0', value, sizeof value);
    snprintf(made, sizeof made, "%.*s\"%.*s\": {\"%s\": %s},\n", indent, at, (int)parent, set->key,
             last_part(set->key), value);
    return splice(text, at, at, made);
}

/* Maps that are not there, at the end. */
static char *add_maps(const char *text, const struct knob_set *set)
{
    char made[512] = "";
    size_t used = 0;
    const char *end = text + strlen(text);
    int depth = 0;
    if (end > text && end[-1] != '\n') used += (size_t)snprintf(made, sizeof made, "\n");
    for (const char *part = set->key; part; depth++) {
        const size_t n = strcspn(part, ".");
        used += (size_t)snprintf(made + used, sizeof made - used, "%*s%.*s:%s%s\n", 2 * depth, "",
                                 (int)n, part, part[n] ? "" : " ", part[n] ? "" : set->after);
        part = part[n] ? part + n + 1 : NULL;
    }
    return used < sizeof made ? splice(text, end, end, made) : NULL;
}

char *knob_edit(const char *path, const char *text, const struct knob_set *set)
{
    const bool toml = text_ends_in(path, ".toml"), json = text[strspn(text, " \t\r\n")] == '{';
    if (set->line) return replace(text, set, toml || json);
    if (toml) return add_toml(text, set);
    const char *name = last_part(set->key);
    const size_t parent = name > set->key ? (size_t)(name - set->key - 1) : 0;
    const int line = first_below(path, text, set->key, parent);
    if (line) return add_beside(text, line, set, json);
    return json ? add_object(path, text, set, parent) : add_maps(text, set);
}
