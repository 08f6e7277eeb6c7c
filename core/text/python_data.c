#include "text/python_data.h"
#include "base/limits.h"
#include "text/python_values.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- expressions ---- */

struct scope {
    struct reader *r;
    struct value *names; /* LIST: those of the function */
    int depth;
};

struct cursor {
    const char *at, *end;
};

static struct value *evaluate(struct scope *s, const char *at, const char *end);
static struct value *call_function(struct scope *s, const char *name, const struct value *given,
                                   int line);
static struct value *sum(struct scope *s, struct cursor *c);

static bool eat(struct cursor *c, const char *text)
{
    const size_t n = strlen(text);
    c->at = python_skip(c->at, c->end);
    if ((size_t)(c->end - c->at) < n || strncmp(c->at, text, n) != 0) return false;
    c->at += n;
    return true;
}

/* Reads the parts of a list of arguments or values; *c is after the opening bracket. */
static void read_parts(struct scope *s, struct cursor *c, char close, struct value *into)
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
        struct value *value = evaluate(s, named ? equals + 1 : from, stop);
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
        if (v) read_parts(s, c, ']', v);
        return v;
    }
    if (*from == '(') {
        struct cursor inside = {from + 1, python_scan(from + 1, c->end, ")")};
        if (inside.end == c->end && !(inside.end > from && *inside.end == ')')) return NULL;
        const char *close = inside.end;
        c->at = close + 1;
        return evaluate(s, from + 1, close);
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
    read_parts(s, c, ')', v);
    if (callee->kind != REFER) v->kind = RAW;
    if (strcmp(dot ? dot + 1 : name, "replace") == 0 && python_find(v, "0", 1)) {
        struct value *changed = python_deep(s->r, python_find(v, "0", 1)->value, 0);
        for (struct member *m = v->member; m && changed; m = m->next)
            if (!isdigit((unsigned char)*m->name))
                python_set(s->r, changed, m->name, strlen(m->name), m->value);
        return changed;
    }
    struct value *made = dot ? NULL : call_function(s, name, v, v->line);
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
    double z = strcmp(op, "+") == 0   ? x + y
               : strcmp(op, "-") == 0 ? x - y
               : strcmp(op, "*") == 0 ? x * y
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
    while (eat(c, "-"))
        signs++;
    struct value *v = postfix(s, c);
    struct value *zero = signs ? python_make(s->r, NUMBER, "0", 1, c->at) : NULL;
    if (signs) v = compute(s, zero, "-", v);
    return signs && signs % 2 == 0 ? compute(s, zero, "-", v) : v;
}

static struct value *product(struct scope *s, struct cursor *c)
{
    struct value *v = sign(s, c);
    while (v) {
        c->at = python_skip(c->at, c->end);
        const char *op = eat(c, "//") ? "//" : eat(c, "/") ? "/" : NULL;
        if (!op && c->end - c->at > 1 && c->at[0] == '*' && c->at[1] == '*') return NULL;
        if (!op && eat(c, "*")) op = "*";
        if (!op) return v;
        v = compute(s, v, op, sign(s, c));
    }
    return v;
}

static struct value *sum(struct scope *s, struct cursor *c)
{
    struct value *v = product(s, c);
    while (v) {
        const char *op = eat(c, "+") ? "+" : eat(c, "-") ? "-" : NULL;
        if (!op) return v;
        v = compute(s, v, op, product(s, c));
    }
    return v;
}

/* What is no value of these kinds is its own text. */
static struct value *evaluate(struct scope *s, const char *at, const char *end)
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

/* ---- functions ---- */

/* The text of "def NAME(", from the name on; NULL: there is none. */
static const char *find_function(const struct reader *r, const char *name, size_t length)
{
    for (const char *p = r->text; p; p = strchr(p, '\n')) {
        p += *p == '\n';
        if (strncmp(p, "def ", 4) == 0 && strncmp(p + 4, name, length) == 0 &&
            *python_skip(p + 4 + length, p + strlen(p)) == '(')
            return p + 4;
        if (!*p) break;
    }
    return NULL;
}

/* The parameters: what is given, by place or name, or the default. */
static void bind(struct scope *s, const char *at, const char *end, const struct value *given)
{
    char index[24];
    for (int i = 0; at < end && s->r->status == RK_OK; i++) {
        const char *stop = python_scan(at, end, ","), *name = python_skip(at, stop);
        const size_t n = python_name_length(name, stop);
        const char *equals = python_scan(name, stop, "=");
        snprintf(index, sizeof index, "%d", i);
        const struct member *m = python_find(given, name, n);
        if (!m) m = python_find(given, index, strlen(index));
        if (n && m)
            python_set(s->r, s->names, name, n, m->value);
        else if (n && equals < stop)
            python_set(s->r, s->names, name, n, evaluate(s, equals + 1, stop));
        i -= !n; /* "*" */
        at = stop + (stop < end);
    }
}

static const char *const words_that_pass[] = {"assert", "import", "from", "pass", "global", NULL};

static bool begins(const char *at, const char *end, const char *word)
{
    const size_t n = strlen(word);
    return (size_t)(end - at) > n && strncmp(at, word, n) == 0 && python_name_length(at, end) == n;
}

/* What all names of "config.training.steps" but the last lead to, which *at and *n are set
 * to; NULL: nothing that is known here. */
static struct value *find_owner(struct scope *s, const char **at, const char *stop, size_t *n)
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

/* "config.override.imports.append(a)": one more of a list, which may have its default; false: it is
 * none. */
static bool append(struct scope *s, const char *at, const char *end)
{
    char index[24];
    int count = 0;
    size_t n;
    struct value *list = find_owner(s, &at, end, &n);
    if (!list || n != 6 || strncmp(at, "append", n) != 0 || list == s->names) return false;
    if (list->kind != LIST && !(list->kind == CALL && !*list->text)) return false;
    struct cursor c = {at + n, end};
    struct value *given = python_make(s->r, LIST, "", 0, at);
    if (!given || !eat(&c, "(")) return false;
    read_parts(s, &c, ')', given);
    const struct member *what = python_find(given, "0", 1);
    if (!what || what->next || python_skip(c.at, end) != end) return false;
    for (const struct member *m = list->member; m; m = m->next)
        count++;
    snprintf(index, sizeof index, "%d", count);
    python_set(s->r, list, index, strlen(index), python_deep(s->r, what->value, 0));
    return true;
}

/* "config.training.steps = 3"; false: it is no assignment. */
static bool assign(struct scope *s, const char *at, const char *end)
{
    const char *equals = python_scan(at, end, "="), *colon = python_scan(at, end, ":");
    if (equals == end || equals[1] == '=' || strchr("!<>+-*/%|&", equals[-1])) return false;
    const char *stop = colon < equals ? colon : equals;
    size_t n;
    struct value *owner = find_owner(s, &at, stop, &n);
    if (!owner || python_skip(at + n, stop) != stop) return false;
    struct value *value = evaluate(s, equals + 1, end);
    if (value)
        python_set(s->r, owner, at, n, owner == s->names ? value : python_deep(s->r, value, 0));
    return true;
}

/* One statement; *result where it returns. */
static void statement(struct scope *s, const char *at, const char *end, struct value **result)
{
    for (int i = 0; words_that_pass[i]; i++)
        if (python_name_length(at, end) == strlen(words_that_pass[i]) &&
            strncmp(at, words_that_pass[i], strlen(words_that_pass[i])) == 0)
            return;
    if (*at == '"' || *at == '\'' || *at == '@') return;
    if (begins(at, end, "return")) {
        *result = evaluate(s, at + strlen("return"), end);
        return;
    }
    static const char *const compound[] = {"if",    "for",   "while", "with",  "try", "def",
                                           "class", "match", "del",   "raise", NULL};
    for (int i = 0; compound[i]; i++)
        if (begins(at, end, compound[i])) {
            python_fail(s->r, at,
                        "this statement decides what is built: give a file whose function says it "
                        "without");
            return;
        }
    if (assign(s, at, end) || append(s, at, end)) return;
    const size_t n = python_name_length(at, end);
    if (n && find_function(s->r, at, n)) { /* it may change its argument */
        python_fail(s->r, at, "this call may change the configuration, which is not followed");
        return;
    }
    python_fail(s->r, at,
                "this statement is not understood: give a file whose function says it without");
}

static const char *line_end(const char *at)
{
    const char *end = at + strlen(at);
    return python_scan(at, end, "\n");
}

static struct value *run(struct scope *s, const char *body)
{
    struct value *result = NULL;
    for (const char *line = body; *line && !result && s->r->status == RK_OK;) {
        const char *at = line + strspn(line, " \t\r"), *end = line_end(at);
        if (*at == '\n' || *at == '#') { /* an empty line, or a comment in any column */
            line = at + strcspn(at, "\n");
            line += *line == '\n';
            continue;
        }
        if (at == line) break; /* the next function */
        statement(s, at, end, &result);
        line = end + (*end == '\n');
    }
    return result;
}

static struct value *call_function(struct scope *s, const char *name, const struct value *given,
                                   int line)
{
    const char *at = find_function(s->r, name, strlen(name));
    struct scope inner = {.r = s->r, .depth = s->depth + 1};
    if (!at) return NULL;
    if (inner.depth > MOST_PYTHON_DEPTH) {
        python_fail(s->r, at, "calls itself too often");
        return NULL;
    }
    const char *open = strchr(at, '('), *close = python_scan(open + 1, open + strlen(open), ")");
    const char *colon = *close == ')' ? python_scan(close + 1, close + strlen(close), ":") : close;
    inner.names = python_make(s->r, LIST, "", 0, at);
    if (!inner.names || *colon != ':') return NULL;
    bind(&inner, open + 1, close, given);
    const char *body = colon + 1 + strcspn(colon + 1, "\n");
    struct value *made = *body ? run(&inner, body + 1) : NULL;
    if (made) made = python_deep(s->r, made, 0);
    if (made) made->line = line;
    return made;
}

/* ---- settings ---- */

static void emit(struct reader *r, const char *key, const struct value *v, int depth)
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
        emit(r, longer, m->value, depth + 1);
    }
}

/* Functions without parameters that return a configuration, by their annotation. */
static const char *find_only(struct reader *r)
{
    char names[300] = "";
    const char *found = NULL;
    size_t used = 0, count = 0;
    for (const char *p = r->text; p; p = strchr(p, '\n')) {
        p += *p == '\n';
        if (!*p) break;
        if (strncmp(p, "def ", 4) != 0) continue;
        const size_t n = python_name_length(p + 4, p + strlen(p));
        if (!n || strncmp(p + 4 + n, "() ->", 5) != 0 || !strstr(p, "Config") ||
            strstr(p, "Config") > p + strcspn(p, "\n"))
            continue;
        if (!count++) found = python_copy(r, p + 4, n);
        if (used + n + 3 < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.*s", used ? ", " : "",
                                     (int)n, p + 4);
    }
    if (count == 1) return found;
    r->status = count ? rk_fail(r->error, RK_BAD_INPUT, r->path, 0, 0,
                                "has %zu configurations: give `set` config=NAME, one of %s",
                                count, names)
                      : rk_fail(r->error, RK_BAD_INPUT, r->path, 0, 0,
                                "has no function that returns a configuration");
    return NULL;
}

enum rk_status python_settings(struct settings *settings, const char *path, const char *text,
                               const char *function, const char *const *sets, size_t set_count,
                               struct rk_error *error)
{
    struct reader r = {.path = path, .text = text, .settings = settings, .error = error};
    r.status = settings_begin(settings, path, sets, set_count, error);
    if (r.status == RK_OK && strlen(text) > SETTINGS_MAX_BYTES)
        r.status = rk_fail(error, RK_BAD_INPUT, path, 0, 0, "is too large");
    if (r.status == RK_OK && !function) function = find_only(&r);
    struct scope s = {.r = &r};
    struct value *given = r.status == RK_OK ? python_make(&r, LIST, "", 0, text) : NULL;
    struct value *made = given ? call_function(&s, function, given, 0) : NULL;
    if (r.status == RK_OK && (!made || made->kind != CALL))
        r.status =
            rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                    "%.80s is not a function of this file that returns a configuration", function);
    if (r.status == RK_OK)
        r.status = settings_put(settings, "config", function, true, false, 0, error);
    if (r.status == RK_OK) emit(&r, "", made, 0);
    while (r.memory) {
        struct block *next = r.memory->next;
        free(r.memory);
        r.memory = next;
    }
    return r.status;
}
