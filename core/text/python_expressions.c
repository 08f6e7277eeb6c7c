/* python_expressions.c - expressions and assignments of Python's source, as values. */
#include "base/limits.h"
#include "text/python_values.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct value *sum(struct scope *s, struct cursor *c);

bool python_eat(struct cursor *c, const char *text)
{
    const size_t n = strlen(text);
    c->at = python_skip(c->at, c->end);
    if ((size_t)(c->end - c->at) < n || strncmp(c->at, text, n) != 0) return false;
    c->at += n;
    return true;
}

/* Reads the parts of a list of arguments or values; *c is after the opening bracket. */
void python_parts(struct scope *s, struct cursor *c, char close, struct value *into)
{
    char index[24];
    int count = 0;
    for (;;) {
        const char stops[] = {',', close, 0};
        c->at = python_skip(c->at, c->end);
        if (c->at < c->end && *c->at == close) break;
        /* `close` ends the scan as a bracket that was not opened */
        const char *from = c->at, *stop = from;
        int depth = 0;
        while (stop < c->end && (depth || !strchr(stops, *stop))) {
            if (*stop == '\'' || *stop == '"') {
                stop = python_string_end(stop, c->end);
                continue;
            }
            if (*stop == '#') {
                while (stop < c->end && *stop != '\n')
                    stop++;
                continue;
            }
            depth += (strchr("([{", *stop) != NULL) - (strchr(")]}", *stop) != NULL);
            stop++;
        }
        if (stop >= c->end || s->r->status != RK_OK) {
            c->at = c->end;
            return;
        }
        const size_t n = python_name_length(from, stop);
        const char *equals = python_skip(from + n, stop);
        const bool named = n && equals < stop && *equals == '=' && equals[1] != '=';
        struct value *value = python_evaluate(s, named ? equals + 1 : from, stop);
        snprintf(index, sizeof index, "%d", count);
        if (value && named)
            python_set(s->r, into, from, n, value);
        else if (value)
            python_set(s->r, into, index, strlen(index), value);
        count += !named;
        c->at = stop + (*stop == ',');
    }
    c->at++;
}

static struct value *string(struct scope *s, struct cursor *c)
{
    struct value *v = python_make(s->r, STRING, "", 0, c->at);
    while (v && c->at < c->end && (*c->at == '"' || *c->at == '\'')) { /* "a" "b" is "ab" */
        const char *stop = python_string_end(c->at, c->end);
        const size_t quotes = stop - c->at > 5 && c->at[1] == *c->at && c->at[2] == *c->at ? 3 : 1;
        if ((size_t)(stop - c->at) < 2 * quotes) break;
        const size_t before = strlen(v->text), more = (size_t)(stop - c->at) - 2 * quotes;
        char *all = python_take(s->r, before + more + 1);
        if (!all) return NULL;
        memcpy(all, v->text, before);
        memcpy(all + before, c->at + quotes, more);
        v->text = all;
        c->at = python_skip(stop, c->end);
    }
    return v;
}

static struct value *number(struct scope *s, struct cursor *c)
{
    char digits[48];
    size_t n = 0;
    const char *from = c->at;
    while (c->at < c->end && n + 1 < sizeof digits &&
           (isalnum((unsigned char)*c->at) || strchr("._", *c->at) ||
            (strchr("+-", *c->at) && strchr("eE", c->at[-1])))) {
        if (*c->at != '_') digits[n++] = *c->at;
        c->at++;
    }
    digits[n] = '\0';
    char *end;
    struct value *v = python_make(s->r, NUMBER, digits, n, from);
    if (v) v->number = strtod(digits, &end);
    if (v && *end) v->kind = RAW;
    return v;
}

static struct value *atom(struct scope *s, struct cursor *c)
{
    c->at = python_skip(c->at, c->end);
    if (c->at >= c->end) return NULL;
    const char *from = c->at;
    if (*from == '"' || *from == '\'') return string(s, c);
    if (isdigit((unsigned char)*from) || (*from == '.' && from + 1 < c->end)) return number(s, c);
    if (*from == '[') {
        struct value *v = python_make(s->r, LIST, "", 0, from);
        c->at++;
        if (v) python_parts(s, c, ']', v);
        return v;
    }
    if (*from == '(') {
        struct cursor inside = {from + 1, python_scan(from + 1, c->end, ")")};
        if (inside.end == c->end && !(inside.end > from && *inside.end == ')')) return NULL;
        const char *close = inside.end;
        c->at = close + 1;
        return python_evaluate(s, from + 1, close);
    }
    const size_t n = python_name_length(from, c->end);
    if (!n) return NULL;
    c->at += n;
    if ((n == 4 && strncmp(from, "True", 4) == 0) || (n == 5 && strncmp(from, "False", 5) == 0) ||
        (n == 4 && strncmp(from, "None", 4) == 0))
        return python_make(s->r, WORD, from, n, from);
    const struct member *known = python_find(s->names, from, n);
    return known ? known->value : python_make(s->r, REFER, from, n, from);
}

/* `replace(config, a=b)` of dataclasses, a function of this file, or a class. */
static struct value *call(struct scope *s, struct cursor *c, struct value *callee)
{
    struct value *v = python_make(s->r, CALL, callee->text, strlen(callee->text), c->at);
    const char *name = callee->text, *dot = strrchr(name, '.');
    if (!v) return NULL;
    v->line = callee->line;
    python_parts(s, c, ')', v);
    if (callee->kind != REFER) v->kind = RAW;
    if (strcmp(dot ? dot + 1 : name, "replace") == 0 && python_find(v, "0", 1)) {
        struct value *changed = python_deep(s->r, python_find(v, "0", 1)->value, 0);
        for (struct member *m = v->member; m && changed; m = m->next)
            if (!isdigit((unsigned char)*m->name))
                python_set(s->r, changed, m->name, strlen(m->name), m->value);
        return changed;
    }
    struct value *made = dot || !s->r->call ? NULL : s->r->call(s, name, v, v->line);
    return made ? made : v;
}

static struct value *postfix(struct scope *s, struct cursor *c)
{
    struct value *v = atom(s, c);
    while (v && s->r->status == RK_OK) {
        c->at = python_skip(c->at, c->end);
        if (c->at >= c->end) return v;
        if (*c->at == '(') {
            c->at++;
            v = call(s, c, v);
        } else if (*c->at == '.') {
            const char *name = python_skip(c->at + 1, c->end);
            const size_t n = python_name_length(name, c->end);
            if (!n) return NULL;
            const struct member *m = python_find(v, name, n);
            c->at = name + n;
            if (!m && v->kind != REFER) return NULL;
            if (m) {
                v = m->value;
                continue;
            }
            char joined[KEY];
            if (snprintf(joined, sizeof joined, "%s.%.*s", v->text, (int)n, name) >= KEY)
                return NULL;
            v = python_make(s->r, REFER, joined, strlen(joined), name);
        } else {
            return *c->at == '[' ? NULL : v;
        }
    }
    return v;
}

static struct value *compute(struct scope *s, struct value *a, const char *op, struct value *b)
{
    char text[40];
    if (!a || !b || a->kind != NUMBER || b->kind != NUMBER) return NULL;
    const bool whole = !strpbrk(a->text, ".eE") && !strpbrk(b->text, ".eE") && strcmp(op, "/") != 0;
    const double x = a->number, y = b->number;
    if (whole && !(fabs(x) < 9e15 && fabs(y) < 9e15)) return NULL; /* no longer exact */
    if ((*op == '/' || *op == '%') && y == 0) return NULL;
    if (strcmp(op, "**") == 0 && y < 0) return NULL;
    double z = strcmp(op, "+") == 0   ? x + y
               : strcmp(op, "-") == 0 ? x - y
               : strcmp(op, "*") == 0 ? x * y
               : *op == '*'           ? pow(x, y)
                                      : x / y;
    if (strcmp(op, "//") == 0 && whole) z = (double)((int64_t)x / (int64_t)y);
    if ((strcmp(op, "//") == 0 && (!whole || x < 0 || y < 0)) || !(z > -9e15 && z < 9e15))
        return NULL;
    if (whole)
        snprintf(text, sizeof text, "%" PRId64, (int64_t)z);
    else
        snprintf(text, sizeof text, "%.17g", z);
    struct value *v = python_make(s->r, NUMBER, text, strlen(text), s->r->text);
    if (v) {
        v->number = z;
        v->line = a->line;
    }
    return v;
}

static struct value *sign(struct scope *s, struct cursor *c)
{
    if (++s->r->steps > MOST_PYTHON_STEPS) {
        python_fail(s->r, c->at, "builds a configuration without end");
        return NULL;
    }
    size_t signs = 0;
    while (python_eat(c, "-"))
        signs++;
    struct value *v = postfix(s, c);
    if (v && python_eat(c, "**")) v = compute(s, v, "**", sign(s, c));
    struct value *zero = signs ? python_make(s->r, NUMBER, "0", 1, c->at) : NULL;
    if (signs) v = compute(s, zero, "-", v);
    return signs && signs % 2 == 0 ? compute(s, zero, "-", v) : v;
}

static struct value *product(struct scope *s, struct cursor *c)
{
    struct value *v = sign(s, c);
    while (v) {
        c->at = python_skip(c->at, c->end);
        const char *op = python_eat(c, "//") ? "//" : python_eat(c, "/") ? "/" : NULL;
        if (!op && python_eat(c, "*")) op = "*";
        if (!op) return v;
        v = compute(s, v, op, sign(s, c));
    }
    return v;
}

static struct value *sum(struct scope *s, struct cursor *c)
{
    struct value *v = product(s, c);
    while (v) {
        const char *op = python_eat(c, "+") ? "+" : python_eat(c, "-") ? "-" : NULL;
        if (!op) return v;
        v = compute(s, v, op, product(s, c));
    }
    return v;
}

/* What is no value of these kinds is its own text. */
struct value *python_evaluate(struct scope *s, const char *at, const char *end)
{
    struct cursor c = {python_skip(at, end), end};
    const char *from = c.at;
    if (++s->depth > MOST_PYTHON_DEPTH) python_fail(s->r, at, "is nested too deeply");
    struct value *v = s->r->status == RK_OK ? sum(s, &c) : NULL;
    s->depth--;
    c.at = python_skip(c.at, end);
    if (v && c.at == end && v->kind != RAW) return v;
    while (end > from && isspace((unsigned char)end[-1]))
        end--;
    return python_make(s->r, RAW, from, (size_t)(end - from), from);
}

/* ---- assignments ---- */

/* What all names of "config.training.steps" but the last lead to, which *at and *n are set
 * to; NULL: nothing that is known here. */
struct value *python_owner(struct scope *s, const char **at, const char *stop, size_t *n)
{
    struct value *owner = s->names;
    *n = python_name_length(*at, stop);
    while (*n && *at + *n < stop && (*at)[*n] == '.') {
        struct member *m = python_find(owner, *at, *n);
        if (!m && owner->kind == CALL) { /* a member that has its default */
            python_set(s->r, owner, *at, *n, python_make(s->r, CALL, "", 0, *at));
            m = python_find(owner, *at, *n);
        }
        if (!m || !m->value) return NULL;
        owner = m->value;
        *at += *n + 1;
        *n = python_name_length(*at, stop);
    }
    return *n ? owner : NULL;
}

/* "config.training.steps = 3"; false: it is no assignment. */
bool python_assign(struct scope *s, const char *at, const char *end)
{
    const char *equals = python_scan(at, end, "="), *colon = python_scan(at, end, ":");
    if (equals == end || equals[1] == '=' || strchr("!<>+-*/%|&", equals[-1])) return false;
    const char *stop = colon < equals ? colon : equals;
    size_t n;
    struct value *owner = python_owner(s, &at, stop, &n);
    if (!owner || python_skip(at + n, stop) != stop) return false;
    struct value *value = python_evaluate(s, equals + 1, end);
    if (value)
        python_set(s->r, owner, at, n, owner == s->names ? value : python_deep(s->r, value, 0));
    return true;
}

const char *python_line_end(const char *at)
{
    const char *end = at + strlen(at);
    return python_scan(at, end, "\n");
}

/* ---- settings ---- */

void python_emit(struct reader *r, const char *key, const struct value *v, int depth)
{
    char longer[KEY];
    if (depth > MOST_PYTHON_DEPTH || r->status != RK_OK) return;
    if (*key && v->kind != LIST) {
        const bool none = v->kind == WORD && strcmp(v->text, "None") == 0;
        r->status = settings_put(r->settings, key, none ? "" : v->text, v->kind == STRING, none,
                                 v->line, r->error);
    }
    for (const struct member *m = v->member; m; m = m->next) {
        if (snprintf(longer, sizeof longer, "%s%s%s", key, *key ? "." : "", m->name) >= KEY) {
            r->status = rk_fail(r->error, RK_BAD_INPUT, r->path, v->line, 0,
                                "%.80s...: a name of more than %d characters", key, KEY - 1);
            return;
        }
        python_emit(r, longer, m->value, depth + 1);
    }
}
