/* shell_expand.c - from the raw text of a word to the words that a command is given. */
#include "shell/shell_build.h"
#include "shell/shell_state.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- where things end ---- */

size_t shell_name_length(const char *at, const char *end)
{
    size_t n = 0;
    if (at == end || isdigit((unsigned char)*at)) return 0;
    while (at + n < end && (isalnum((unsigned char)at[n]) || at[n] == '_'))
        n++;
    return n;
}

static size_t span_single(const char *at, const char *end)
{
    const char *close = at + 1 < end ? memchr(at + 1, '\'', (size_t)(end - at - 1)) : NULL;
    return close ? (size_t)(close - at) + 1 : 0;
}

enum { MOST_OPEN = 128 };

/* Counts what opens and closes, quotes aside, without recursion. */
size_t shell_span(const char *at, const char *end)
{
    char open[MOST_OPEN]; /* what closes each */
    int depth = 0;
    const char *p = at;
    do {
        const char inside = depth ? open[depth - 1] : 0;
        const char next = p + 1 < end ? p[1] : 0;
        const bool quoted = inside == '"';
        if (depth == MOST_OPEN) return 0;
        if (*p == '\\') {
            p++;
        } else if (depth && *p == inside) {
            depth--;
        } else if (*p == '\'' && !quoted) {
            const size_t n = span_single(p, end);
            if (!n) return 0;
            p += n - 1;
        } else if (*p == '$' && next == '{') {
            open[depth++] = '}';
            p++;
        } else if (*p == '$' && next == '(') {
            open[depth++] = ')';
            p++;
        } else if (*p == '$' && next == '[') {
            open[depth++] = ']';
            p++;
        } else if (*p == '"' || *p == '`') {
            open[depth++] = *p;
        } else if (*p == '(' && (!depth || inside == ')')) {
            open[depth++] = ')';
        }
        p++;
    } while (depth && p < end);
    return depth || p > end ? 0 : (size_t)(p - at);
}

/* "<Specify path>": begins with a letter, has no blank before the '>', and ends a word. */
size_t shell_placeholder(const char *at, const char *end)
{
    if (at + 2 >= end || *at != '<' || !isalpha((unsigned char)at[1])) return 0;
    const char *p = at + 1;
    while (p < end && (isalnum((unsigned char)*p) || strchr(" _-/.,:'()", *p)) && *p)
        p++;
    if (p == end || *p != '>' || p[-1] == ' ') return 0;
    const char next = p + 1 < end ? p[1] : '\n';
    return isalnum((unsigned char)next) || strchr(">&(", next) ? 0 : (size_t)(p + 1 - at);
}

/* ---- parameters ---- */

/* What a parameter stands for; count 0 and set false: nothing. */
struct parameter {
    bool set, list, at;
    size_t count;
    const struct shell_value *value;
    struct shell_value one;
    const char *name;
};

static struct shell_value number_value(struct builder *b, int64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, number);
    return (struct shell_value){shell_copy(b->s, text, strlen(text)), 0, 0, b->place};
}

static void set_one(struct parameter *p, struct shell_value value)
{
    p->one = value;
    p->value = &p->one;
    p->count = 1;
    p->set = true;
}

static void positional(struct builder *b, struct parameter *p, const char *name)
{
    struct shell_state *s = b->s;
    s->counted |= *name == '#' && !s->arguments;
    if (*name == '@' || *name == '*') {
        struct shell_value *all = shell_alloc(b->s, (s->arguments + 1) * sizeof *all);
        if (!all) return;
        for (size_t i = 0; i < s->arguments; i++)
            all[i] = (struct shell_value){s->argument[i].text, s->argument[i].unknown,
                                          s->argument[i].maybe, s->argument[i].place};
        *p = (struct parameter){true, true, *name == '@', s->arguments, all, p->one, name};
    } else if (*name == '#') {
        set_one(p, number_value(b, (int64_t)s->arguments));
    } else if (strcmp(name, "0") == 0) {
        set_one(p, (struct shell_value){s->shell->path, 0, 0, b->place});
    } else if (isdigit((unsigned char)*name) && strtoul(name, NULL, 10) - 1 < s->arguments) {
        const struct shell_word *word = &s->argument[strtoul(name, NULL, 10) - 1];
        set_one(p, (struct shell_value){word->text, word->unknown, word->maybe, word->place});
    }
}

/* An index after the name: "[@]", "[3]"; returns its length. */
static size_t read_index(struct builder *b, const char *at, const char *end, struct parameter *p)
{
    if (at == end || *at != '[') return 0;
    const char *close = memchr(at, ']', (size_t)(end - at));
    if (!close) return 0;
    const size_t inner = (size_t)(close - at) - 1;
    if (inner == 1 && (at[1] == '@' || at[1] == '*')) {
        p->list = true;
        p->at = at[1] == '@';
    } else {
        size_t unknown = 0;
        const struct shell_variable *v = shell_find(b->s, p->name, strlen(p->name));
        const struct shell_value text = shell_expand_one(b->s, at + 1, inner, b->place);
        int64_t i = text.unknown    ? 0
                    : v && v->keyed ? shell_key(v, text.text)
                                    : shell_arithmetic(b->s, text.text, b->place, &unknown);
        if (i < 0 && !(v && v->keyed)) i += (int64_t)p->count;
        if (text.unknown || unknown)
            set_one(p,
                    (struct shell_value){"", text.unknown ? text.unknown : unknown, 0, b->place});
        else if (i >= 0 && (size_t)i < p->count)
            set_one(p, p->value[i]);
        else if (p->count == 1 && p->value[0].unknown) /* whatever it has */
            set_one(p, p->value[0]);
        else
            *p = (struct parameter){.name = p->name, .set = v && v->set};
        p->list = false;
    }
    return inner + 2;
}

/* Reads the name at `at`; returns its length, 0: none. */
static size_t read_parameter(struct builder *b, const char *at, const char *end,
                             struct parameter *p)
{
    size_t n = shell_name_length(at, end);
    *p = (struct parameter){.set = false};
    if (!n && at < end && strchr("@*#?$!-", *at) && *at) n = 1;
    if (!n)
        while (at + n < end && isdigit((unsigned char)at[n]))
            n++;
    if (!n) return 0;
    p->name = shell_copy(b->s, at, n);
    const struct shell_variable *v = shell_find(b->s, at, n);
    if (v && v->set) {
        p->set = true;
        p->count = v->count;
        p->value = v->value;
    } else if (strcmp(p->name, "BASH_SOURCE") == 0) {
        set_one(p, (struct shell_value){b->s->shell->path, 0, 0, b->place});
    } else if (strcmp(p->name, "BASH_VERSION") == 0) {
        set_one(p, (struct shell_value){"5.2", 0, 0, b->place}); /* scripts only ask for it */
    } else if (!isalpha((unsigned char)*at) && *at != '_') {
        positional(b, p, p->name);
    }
    return n;
}

static void put_not_set(struct builder *b, const struct parameter *p, bool quoted)
{
    const size_t index = shell_unknown(b->s, p->name, "is not set in this script", b->place);
    if (index) b->s->shell->unknown[index - 1].unset = shell_name_length(p->name, p->name + 1);
    shell_build_unknown(b, index, quoted);
}

static void put_parameter(struct builder *b, const struct parameter *p, bool quoted)
{
    if (!p->set && p->list && shell_name_length(p->name, p->name + 1) && !b->s->unread)
        shell_assume(b->s, p->name, b->place); /* lists are not of the environment */
    else if (!p->set)
        put_not_set(b, p, quoted);
    else if (p->list)
        shell_build_list(b, p->value, p->count, quoted, p->at);
    else if (p->count)
        shell_build_value(b, &p->value[0], quoted);
}

static void put_raw(struct builder *b, const char *raw, size_t length, bool quoted);

static bool is_empty(const struct parameter *p)
{
    return p->count == 0 || (p->count == 1 && !p->value[0].unknown && !*p->value[0].text);
}

/* Of "abc", the first (or last) so many characters match the pattern. */
static void cut(struct builder *b, struct shell_value *value, const char *pattern, char side,
                bool longest)
{
    const size_t length = strlen(value->text);
    for (size_t i = 0; i <= length; i++) {
        const size_t n = longest ? length - i : i;
        const char *part =
            side == '#' ? shell_copy(b->s, value->text, n) : value->text + length - n;
        if (fnmatch(pattern, part, 0) != 0) continue;
        value->text = side == '#' ? value->text + n : shell_copy(b->s, value->text, length - n);
        return;
    }
}

static void replace(struct builder *b, struct shell_value *value, const char *from, const char *to,
                    bool all)
{
    struct builder made = {.s = b->s, .place = b->place};
    const size_t n = strlen(from);
    const char *p = value->text, *found;
    if (!n) return;
    while ((found = strstr(p, from))) {
        shell_build(&made, p, (size_t)(found - p));
        shell_build(&made, to, strlen(to));
        p = found + n;
        if (!all) break;
    }
    shell_build(&made, p, strlen(p));
    value->text = made.text ? made.text : "";
}

static void slice(struct builder *b, struct shell_value *value, const char *raw, size_t length)
{
    const char *colon = memchr(raw, ':', length);
    const size_t first = colon ? (size_t)(colon - raw) : length;
    size_t unknown[2] = {0, 0};
    const int64_t size = (int64_t)strlen(value->text);
    const struct shell_value from_text = shell_expand_one(b->s, raw, first, b->place);
    int64_t from = shell_arithmetic(b->s, from_text.text, b->place, &unknown[0]), count = size;
    if (colon) {
        const struct shell_value text =
            shell_expand_one(b->s, colon + 1, length - first - 1, b->place);
        count = shell_arithmetic(b->s, text.text, b->place, &unknown[1]);
    }
    if (from < 0) from = from + size < 0 ? 0 : from + size;
    if (from > size) from = size;
    if (count < 0) count = count + size - from < 0 ? 0 : count + size - from;
    if (count > size - from) count = size - from;
    value->text = shell_copy(b->s, value->text + from, (size_t)count);
    if (unknown[0] || unknown[1]) value->unknown = unknown[0] ? unknown[0] : unknown[1];
}

static void change_case(struct builder *b, struct shell_value *value, char how, bool all)
{
    char *text = (char *)(uintptr_t)shell_copy(b->s, value->text, strlen(value->text));
    for (size_t i = 0; text[i] && (all || i == 0); i++)
        text[i] =
            (char)(how == ',' ? tolower((unsigned char)text[i]) : toupper((unsigned char)text[i]));
    value->text = text;
}

/* "@]:1:2" */
static void put_sublist(struct builder *b, const struct parameter *p, const char *raw,
                        size_t length, bool quoted)
{
    const char *colon = memchr(raw, ':', length);
    const size_t first = colon ? (size_t)(colon - raw) : length;
    size_t unknown[2] = {0, 0};
    const struct shell_value from_text = shell_expand_one(b->s, raw, first, b->place);
    int64_t from = shell_arithmetic(b->s, from_text.text, b->place, &unknown[0]);
    int64_t count = (int64_t)p->count;
    if (colon) {
        const struct shell_value text =
            shell_expand_one(b->s, colon + 1, length - first - 1, b->place);
        count = shell_arithmetic(b->s, text.text, b->place, &unknown[1]);
    }
    if (from < 0) from += (int64_t)p->count;
    if (unknown[0] || unknown[1] || from < 0 || count < 0) {
        shell_build_unknown(
            b, shell_unknown(b->s, p->name, "is sliced in a way that is not followed", b->place),
            quoted);
        return;
    }
    if (from > (int64_t)p->count) from = (int64_t)p->count;
    if (count > (int64_t)p->count - from) count = (int64_t)p->count - from;
    shell_build_list(b, p->value + from, (size_t)count, quoted, p->at);
}

/* "%.sh", "/a/b", ":2:3", ",,": changes a copy of the value. */
static void put_changed(struct builder *b, const struct parameter *p, const char *op, size_t length,
                        bool quoted)
{
    if (!p->set || !p->count || p->value[0].unknown || p->value[0].maybe) {
        put_parameter(b, p, quoted);
        return;
    }
    if (p->list && *op == ':') {
        put_sublist(b, p, op + 1, length - 1, quoted);
        return;
    }
    struct shell_value value = p->value[0];
    const bool twice = length > 1 && op[1] == op[0];
    const char *rest = op + 1 + twice;
    const size_t left = length - 1 - twice;
    if (*op == '%' || *op == '#') {
        cut(b, &value, shell_expand_one(b->s, rest, left, b->place).text, *op, twice);
    } else if (*op == '/') {
        const char *bar = memchr(rest, '/', left);
        const size_t n = bar ? (size_t)(bar - rest) : left;
        replace(b, &value, shell_expand_one(b->s, rest, n, b->place).text,
                bar ? shell_expand_one(b->s, bar + 1, left - n - 1, b->place).text : "", twice);
    } else if (*op == ',' || *op == '^') {
        change_case(b, &value, *op, twice);
    } else if (*op == ':') {
        slice(b, &value, op + 1, length - 1);
    } else {
        shell_fail(b->s, b->place, "${%s...}: this expansion is not understood", p->name);
    }
    shell_build_value(b, &value, quoted);
}

/* Words of their own within "${A:+--flag "$B"}": blanks outside quotes part them. */
static void put_words(struct builder *b, const char *raw, size_t length)
{
    const char *end = raw + length;
    for (const char *p = raw; p < end;) {
        size_t n = 0;
        while (p + n < end && !strchr(" \t\n", p[n])) {
            const bool opens =
                strchr("\"'`", p[n]) || (p[n] == '$' && p + n + 1 < end && strchr("({", p[n + 1]));
            const size_t span = p[n] == '\\' ? 2 : opens ? shell_span(p + n, end) : 1;
            n += span && p + n + span <= end ? span : 1;
        }
        if (n)
            put_raw(b, p, n, false);
        else
            shell_build_end(b);
        p += n ? n : 1;
    }
}

/* ":-word" and its kin; false when it is another operator. */
static bool put_default(struct builder *b, const struct parameter *p, const char *op, size_t length,
                        bool quoted)
{
    const bool colon = length > 1 && *op == ':';
    const char kind = op[colon];
    if (!length || !strchr("-=+?", kind) || !kind) return false;
    const bool there = p->set && !(colon && is_empty(p));
    const char *word = op + 1 + colon;
    const size_t left = length - 1 - colon;
    if (kind == '+') {
        if (there && !quoted && b->words)
            put_words(b, word, left);
        else if (there)
            put_raw(b, word, left, quoted);
    } else if (there) {
        put_parameter(b, p, quoted);
    } else if (kind == '?') {
        put_not_set(b, p, quoted);
    } else if (!quoted && b->words && !memchr(word, '"', left) && !memchr(word, '\'', left)) {
        const struct shell_value value = shell_expand_one(b->s, word, left, b->place);
        if (kind == '=') shell_assign(b->s, p->name, strlen(p->name), &value, 1, false, false);
        shell_build_value(b, &value, false); /* its blanks part words */
    } else {
        if (kind == '=') {
            const struct shell_value value = shell_expand_one(b->s, word, left, b->place);
            shell_assign(b->s, p->name, strlen(p->name), &value, 1, false, false);
        }
        if (!quoted && b->words)
            put_words(b, word, left);
        else
            put_raw(b, word, left, quoted);
    }
    return true;
}

/* What stands between "${" and "}". */
static void put_braced(struct builder *b, const char *at, size_t length, bool quoted)
{
    const char *end = at + length;
    struct parameter p;
    const bool count = length > 1 && *at == '#';
    const bool indirect = length > 1 && *at == '!';
    at += count || indirect;
    const size_t name = read_parameter(b, at, end, &p);
    if (!name) {
        shell_fail(b->s, b->place, "a variable's name is expected after ${");
        return;
    }
    at += name;
    at += read_index(b, at, end, &p);
    if (count) {
        const size_t n = p.list ? p.count : p.count ? strlen(p.value[0].text) : 0;
        size_t maybe = 0; /* the condition without which an element is not there */
        for (size_t i = 0; i < p.count && !maybe; i++)
            maybe = p.value[i].maybe;
        if (maybe)
            shell_build_unknown(b, maybe, quoted);
        else if (!p.set || (p.count == 1 && p.value[0].unknown && (!p.list || !*p.value[0].text)))
            put_parameter(b, &p, quoted);
        else {
            const struct shell_value value = number_value(b, (int64_t)n);
            shell_build_value(b, &value, quoted);
        }
        return;
    }
    if (indirect && p.set && p.count && !p.value[0].unknown) {
        const char *other = p.value[0].text;
        read_parameter(b, other, other + strlen(other), &p);
    }
    if (at == end)
        put_parameter(b, &p, quoted);
    else if (!put_default(b, &p, at, (size_t)(end - at), quoted))
        put_changed(b, &p, at, (size_t)(end - at), quoted);
}

/* ---- the rest of a word ---- */

static void put_arithmetic(struct builder *b, const char *raw, size_t length, bool quoted)
{
    size_t unknown = 0;
    const struct shell_value text = shell_expand_one(b->s, raw, length, b->place);
    struct shell_value value = {"", text.unknown, 0, b->place};
    if (!text.unknown) {
        const int64_t number = shell_arithmetic(b->s, text.text, b->place, &unknown);
        if (!unknown) value = number_value(b, number);
        value.unknown = unknown;
    }
    value.unknown = shell_derived(b->s, value.unknown);
    shell_build_value(b, &value, quoted);
}

/* What has no name of its own is given by its place, "@41:17=VALUE". False: it is not. */
static bool put_given(struct builder *b, bool quoted)
{
    char name[32];
    snprintf(name, sizeof name, "@%d:%d", b->place.line, b->place.column);
    const struct shell_variable *v = shell_find(b->s, name, strlen(name));
    if (v && v->set) shell_build_value(b, &v->value[0], quoted);
    return v && v->set;
}

static void put_command(struct builder *b, const char *command, size_t length, bool quoted)
{
    struct shell_value value;
    if (put_given(b, quoted)) return;
    if (shell_output(b->s, command, length, b->place, &value)) {
        shell_build_value(b, &value, quoted);
        return;
    }
    shell_build_unknown(
        b, shell_unknown(b->s, "", "is the output of a command, which is not run", b->place),
        quoted);
}

/* From a '$' on; returns how many characters were read. */
static size_t put_dollar(struct builder *b, const char *at, const char *end, bool quoted)
{
    const char next = at + 1 < end ? at[1] : '\0';
    struct parameter p;
    if (next == '{' || next == '(' || next == '[') {
        const size_t n = shell_span(at, end);
        if (!n) {
            shell_fail(b->s, b->place, "$%c is not closed", next);
            return (size_t)(end - at);
        }
        if (next == '{')
            put_braced(b, at + 2, n - 3, quoted);
        else if (next == '[') /* $[1 + 2], as of old */
            put_arithmetic(b, at + 2, n - 3, quoted);
        else if (n >= 5 && at[2] == '(' && at[n - 2] == ')')
            put_arithmetic(b, at + 3, n - 5, quoted);
        else
            put_command(b, at + 2, n - 3, quoted);
        return n;
    }
    if ((next == '"' || next == '\'') && !quoted) return 1; /* as without the dollar */
    size_t n = next ? read_parameter(b, at + 1, end, &p) : 0;
    if (!n) {
        shell_build(b, "$", 1);
        return 1;
    }
    if (isdigit((unsigned char)next) && n > 1) n = read_parameter(b, at + 1, at + 2, &p);
    if (p.set || next != '@') put_parameter(b, &p, quoted);
    return n + 1;
}

static size_t put_quoted(struct builder *b, const char *at, const char *end)
{
    const size_t n = shell_span(at, end);
    if (!n) {
        shell_fail(b->s, b->place, "a quote is not closed");
        return (size_t)(end - at);
    }
    const bool only_list = n == 4 && (memcmp(at, "\"$@\"", 4) == 0) && b->s->arguments == 0;
    if (*at == '\'') {
        shell_build(b, at + 1, n - 2);
    } else {
        if (!only_list) shell_build(b, "", 0);
        put_raw(b, at + 1, n - 2, true);
    }
    return n;
}

/* Elements of an empty list between quotes make no word: undo the start that the quotes made. */
static size_t put_list_word(struct builder *b, const char *at, const char *end)
{
    const size_t n = shell_span(at, end);
    struct parameter p;
    if (n < 7 || memcmp(at, "\"${", 3) != 0 || memcmp(at + n - 5, "[@]}\"", 5) != 0) return 0;
    const size_t name = read_parameter(b, at + 3, end, &p);
    if (3 + name + 5 != n || !p.set) return 0;
    shell_build_list(b, p.value, p.count, true, true);
    return n;
}

static void put_raw(struct builder *b, const char *raw, size_t length, bool quoted)
{
    const char *end = raw + length;
    if (++b->s->depth > SHELL_MAX_DEPTH) shell_fail(b->s, b->place, "nested too deeply");
    for (const char *p = raw; p < end && b->s->status == RK_OK;) {
        size_t n;
        if (*p == '\\' && p + 1 < end) {
            const bool keep = quoted && !strchr("$`\"\\\n", p[1]);
            if (p[1] != '\n') shell_build(b, keep ? p : p + 1, keep ? 2 : 1);
            n = 2;
        } else if (*p == '$') {
            n = put_dollar(b, p, end, quoted);
        } else if (!quoted && (n = shell_placeholder(p, end)) > 0) {
            if (!put_given(b, quoted))
                shell_build_unknown(b, shell_unknown(b->s, "", "is a place to fill in", b->place),
                                    quoted);
        } else if (*p == '`') {
            n = shell_span(p, end);
            if (!n) n = (size_t)(end - p);
            put_command(b, p + 1, n > 1 ? n - 2 : 0, quoted);
        } else if (!quoted && *p == '"' && (n = put_list_word(b, p, end)) > 0) {
            /* done */
        } else if (!quoted && (*p == '"' || *p == '\'')) {
            n = put_quoted(b, p, end);
        } else {
            for (n = 1; p + n < end && !strchr("\\$`\"'<", p[n]); n++) {
            }
            shell_build(b, p, n);
        }
        p += n;
    }
    b->s->depth--;
}

void shell_expand(struct shell_state *s, const char *raw, size_t length, struct shell_place place,
                  struct shell_words *words)
{
    struct builder b = {.s = s, .place = place, .words = words, .origin = place};
    put_raw(&b, raw, length, false);
    shell_build_end(&b);
}

struct shell_value shell_expand_one(struct shell_state *s, const char *raw, size_t length,
                                    struct shell_place place)
{
    struct builder b = {.s = s, .place = place, .origin = place};
    put_raw(&b, raw, length, false);
    return (struct shell_value){b.text ? b.text : "", b.unknown, b.maybe, place};
}

struct shell_value shell_expand_document(struct shell_state *s, const char *raw, size_t length,
                                         struct shell_place place)
{
    struct shell_words words = {0};
    struct builder b = {.s = s, .place = place, .words = &words, .origin = place};
    shell_build(&b, "", 0);
    put_raw(&b, raw, length, true);
    shell_build_end(&b);
    if (!words.count) return (struct shell_value){"", 0, 0, place};
    return (struct shell_value){words.word->text, words.word->unknown, words.word->maybe, place};
}
