/* python_calls.c - what a program in Python gives to calls of some classes, as settings. */
#include "base/limits.h"
#include "text/python_data.h"
#include "text/python_values.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Statements of one function, or of the file. */
struct body {
    const char *begin, *end;
};

struct search {
    const struct python_call *call;
    const char *at, *end; /* of the call in the text */
    struct value *made;
    bool done; /* what follows cannot change it */
};

/* ---- where the calls are ---- */

/* Of "Class.name(" or "Class(" at this place, the opening bracket; NULL: none begins here. */
static const char *call_opens(const char *text, const char *at, const char *name)
{
    const size_t n = strlen(name);
    if (strncmp(at, name, n) != 0 ||
        (at > text && (isalnum((unsigned char)at[-1]) || strchr("_.", at[-1]))))
        return NULL;
    const char *end = at + strlen(at);
    for (at += n; *at == '.';)
        at += 1 + python_name_length(at + 1, end);
    return *at == '(' ? at : NULL;
}

/* The next call that is neither in a string nor in a comment; *open is its bracket. */
static const char *find_call(const char *text, const char *from, const struct python_call *call,
                             const char **open)
{
    const char *end = text + strlen(text);
    for (const char *p = from; *p;) {
        if (*p == '"' || *p == '\'') {
            p = python_string_end(p, end);
        } else if (*p == '#') {
            p += strcspn(p, "\n");
        } else {
            *open = call_opens(text, p, call->name);
            if (*open && call->first) {
                const char *first = python_skip(*open + 1, end);
                const size_t n = python_name_length(first, end);
                if (n != strlen(call->first) || strncmp(first, call->first, n) != 0) *open = NULL;
            }
            if (*open) return p;
            p++;
        }
    }
    return NULL;
}

/* A line in the first column that begins a statement, not the end of one before. */
static bool begins_statement(const char *line)
{
    return isalpha((unsigned char)*line) || *line == '_';
}

/* The function that a place is in, or the lines in front of it outside of functions. */
static struct body body_around(const char *text, const char *at)
{
    const char *head = text;
    for (const char *line = text; line <= at; line += strcspn(line, "\n"), line += *line == '\n') {
        if (begins_statement(line)) head = line;
        if (!*line) break;
    }
    if (head + strcspn(head, "\n") > at) return (struct body){head, python_line_end(head)};
    struct body b = {.begin = python_line_end(head)};
    b.begin += *b.begin == '\n';
    for (b.end = b.begin; *b.end && !begins_statement(b.end);) {
        b.end = b.end + strcspn(b.end, "\n");
        b.end += *b.end == '\n';
    }
    return b;
}

/* ---- names ---- */

/* "opts.length or DEFAULT": what the program takes where no option is given. */
static void take_default(struct scope *s, const char *at, const char *end)
{
    const size_t n = python_name_length(at, end);
    const struct member *m = n ? python_find(s->names, at, n) : NULL;
    const char * or = NULL;
    if (!m || m->value->kind != RAW) return;
    for (const char *p = python_scan(at, end, "="); p + 4 < end; p++)
        if (strncmp(p, " or ", 4) == 0) or = p;
    if (or) python_set(s->r, s->names, at, n, python_evaluate(s, or +4, end));
}

/* A name or member that is assigned under a condition, or changed: its value is not known. */
static void forget(struct scope *s, const char *at, const char *end)
{
    size_t n;
    const char *name = at;
    struct value *owner = python_owner(s, &name, end, &n);
    const char *op = owner ? python_skip(name + n, end) : end;
    const char *equals = python_scan(op, end, "=");
    if (equals == end || equals[1] == '=' || !strchr("=+-*/%|&:", *op) ||
        (*op != ':' && equals - op > 2))
        return;
    python_set(s->r, owner, name, n, python_make(s->r, RAW, at, (size_t)(end - at), at));
}

static bool returns(const char *at, const char *end)
{
    return python_name_length(at, end) == 6 && strncmp(at, "return", 6) == 0;
}

/* "config = CALL": the name, so that what is assigned to its members later is seen. */
static void name_call(struct scope *s, struct search *f, const char *at, const char *end)
{
    const size_t n = python_name_length(at, end);
    const char *equals = python_scan(at, end, "=");
    const bool direct = equals < end && python_skip(equals + 1, end) == f->at;
    if (n && direct) python_set(s->r, s->names, at, n, f->made);
    f->done = returns(at, end);
}

/* Runs through the statements; what stands deeper than the first is under a condition. */
static void follow(struct scope *s, struct body b, struct search *f)
{
    long indent = -1;
    for (const char *line = b.begin; line < b.end && s->r->status == RK_OK && !(f && f->done);) {
        const char *at = line + strspn(line, " \t\r"), *end = python_line_end(at);
        if (*at == '\n' || *at == '#' || !*at) {
            line = at + strcspn(at, "\n");
            line += *line == '\n';
            if (!*line) break;
            continue;
        }
        if (indent < 0) indent = at - line;
        if (f && at <= f->at && f->at < end) {
            f->made = python_evaluate(s, f->at, f->end);
            name_call(s, f, at, end);
        } else if (at - line == indent) {
            if (python_assign(s, at, end))
                take_default(s, at, end);
            else
                forget(s, at, end);
        } else {
            forget(s, at, end);
        }
        line = end + (*end == '\n');
    }
}

/* Names that the file assigns outside of functions. */
static void follow_file(struct scope *s)
{
    for (const char *line = s->r->text; *line && s->r->status == RK_OK;) {
        const char *end = line + strcspn(line, "\n");
        if (*line == '"' || *line == '\'') {
            end = python_string_end(line, line + strlen(line));
        } else if (begins_statement(line)) {
            end = python_line_end(line);
            python_assign(s, line, end);
        }
        end += strcspn(end, "\n");
        line = end + (*end == '\n');
    }
}

/* ---- the calls ---- */

static enum rk_status read_call(struct reader *r, const struct value *shared,
                                const struct python_call *call, struct value **made)
{
    const char *open, *at = find_call(r->text, r->text, call, &open);
    if (!at) return RK_OK;
    struct search f = {.call = call, .at = at};
    f.end = python_scan(open + 1, open + strlen(open), ")");
    f.end += *f.end == ')';
    const char *again_open, *again = find_call(r->text, f.end, call, &again_open);
    for (; again && strncmp(again, at, (size_t)(f.end - at)) == 0;
         again = find_call(r->text, again + 1, call, &again_open))
        ;
    if (again)
        return rk_fail(r->error, RK_BAD_INPUT, r->path, 0, 0,
                       "calls %.80s more than once: give a file that does it once", call->name);
    struct scope s = {.r = r, .names = python_deep(r, shared, 0)};
    if (s.names) follow(&s, body_around(r->text, at), &f);
    *made = f.made;
    return r->status;
}

static void emit_call(struct reader *r, const struct python_call *call, const struct value *made)
{
    char key[KEY];
    const struct member *m = call->only ? python_find(made, call->only, strlen(call->only)) : NULL;
    snprintf(key, sizeof key, "%s.%s", call->key, call->only ? call->only : "");
    if (!call->only)
        python_emit(r, call->key, made, 0);
    else if (m)
        python_emit(r, key, m->value, 0);
}

enum rk_status python_calls(struct settings *settings, const char *path, const char *text,
                            const struct python_call *calls, size_t count, const char *const *sets,
                            size_t set_count, struct rk_error *error)
{
    struct reader r = {.path = path, .text = text, .settings = settings, .error = error};
    r.status = settings_begin(settings, path, sets, set_count, error);
    if (r.status == RK_OK && strlen(text) > SETTINGS_MAX_BYTES)
        r.status = rk_fail(error, RK_BAD_INPUT, path, 0, 0, "is too large");
    struct scope file = {.r = &r};
    if (r.status == RK_OK) file.names = python_make(&r, LIST, "", 0, text);
    if (file.names) follow_file(&file);
    if (!count && r.status == RK_OK) python_emit(&r, "", file.names, 0);
    for (size_t i = 0; i < count && r.status == RK_OK; i++) {
        struct value *made = NULL;
        r.status = read_call(&r, file.names, &calls[i], &made);
        if (made && calls[i].known)
            python_set(&r, file.names, calls[i].known, strlen(calls[i].known), made);
        if (made && r.status == RK_OK) emit_call(&r, &calls[i], made);
    }
    python_release(&r);
    return r.status;
}
