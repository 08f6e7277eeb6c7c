#include "text/python_values.h"
#include "base/limits.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Counted on from the place that was asked for before. */
static int line_of(struct reader *r, const char *at)
{
    if (!r->counted || at < r->counted) {
        r->counted = r->text;
        r->line = 1;
    }
    for (; r->counted < at; r->counted++)
        r->line += *r->counted == '\n';
    return r->line;
}

void python_fail(struct reader *r, const char *at, const char *what)
{
    if (r->status == RK_OK)
        r->status = rk_fail(r->error, RK_BAD_INPUT, r->path, line_of(r, at), 0, "%s", what);
}

void *python_take(struct reader *r, size_t size)
{
    struct block *block = NULL;
    r->allocated += size;
    if (r->allocated <= MOST_PYTHON_BYTES) block = calloc(1, sizeof *block + size);
    if (!block) {
        if (r->status == RK_OK)
            r->status =
                rk_fail(r->error, r->allocated > MOST_PYTHON_BYTES ? RK_BAD_INPUT : RK_NO_MEMORY,
                        r->path, 0, 0, "out of memory");
        return NULL;
    }
    block->next = r->memory;
    r->memory = block;
    return block->bytes;
}

const char *python_copy(struct reader *r, const char *text, size_t length)
{
    char *made = python_take(r, length + 1);
    if (!made) return "";
    memcpy(made, text, length);
    return made;
}

struct value *python_make(struct reader *r, enum kind kind, const char *text, size_t length,
                          const char *at)
{
    struct value *v = python_take(r, sizeof *v);
    if (v)
        *v = (struct value){
            .kind = kind, .text = python_copy(r, text, length), .line = line_of(r, at)};
    return v;
}

struct member *python_find(const struct value *v, const char *name, size_t length)
{
    struct member *m = v ? v->member : NULL;
    while (m && !(strncmp(m->name, name, length) == 0 && !m->name[length]))
        m = m->next;
    return m;
}

void python_set(struct reader *r, struct value *v, const char *name, size_t length,
                struct value *to)
{
    struct member *m = python_find(v, name, length), **last = &v->member;
    if (!m) {
        m = python_take(r, sizeof *m);
        if (!m) return;
        m->name = python_copy(r, name, length);
        while (*last)
            last = &(*last)->next;
        *last = m;
    }
    m->value = to;
}

struct value *python_deep(struct reader *r, const struct value *v, int depth)
{
    if (v && depth >= MOST_PYTHON_DEPTH && r->status == RK_OK)
        r->status = rk_fail(r->error, RK_BAD_INPUT, r->path, v->line, 0, "is nested too deeply");
    struct value *made = v && r->status == RK_OK ? python_take(r, sizeof *made) : NULL;
    if (!made) return NULL;
    *made = *v;
    made->member = NULL;
    for (const struct member *m = v->member; m && r->status == RK_OK; m = m->next)
        python_set(r, made, m->name, strlen(m->name), python_deep(r, m->value, depth + 1));
    return made;
}

/* ---- text ---- */

size_t python_name_length(const char *at, const char *end)
{
    size_t n = 0;
    if (at == end || isdigit((unsigned char)*at)) return 0;
    while (at + n < end && (isalnum((unsigned char)at[n]) || at[n] == '_'))
        n++;
    return n;
}

const char *python_string_end(const char *at, const char *end)
{
    const char quote = *at;
    const bool three = end - at > 2 && at[1] == quote && at[2] == quote;
    const char *p = at + (three ? 3 : 1);
    for (; p < end; p++) {
        if (*p == '\\')
            p++;
        else if (*p == quote && (!three || (end - p > 2 && p[1] == quote && p[2] == quote)))
            return p + (three ? 3 : 1);
    }
    return end;
}

const char *python_scan(const char *at, const char *end, const char *stops)
{
    int depth = 0;
    while (at < end) {
        if (!depth && strchr(stops, *at) && *at) return at;
        if (*at == '\'' || *at == '"') {
            at = python_string_end(at, end);
            continue;
        }
        if (*at == '#') {
            while (at < end && *at != '\n')
                at++;
            continue;
        }
        if (*at == '\\' && at + 1 < end) at++;
        depth += strchr("([{", *at) != NULL && *at;
        if (strchr(")]}", *at) && *at && depth-- == 0) return end;
        at++;
    }
    return end;
}

const char *python_skip(const char *at, const char *end)
{
    for (; at < end; at++) {
        if (*at == '#')
            while (at + 1 < end && at[1] != '\n')
                at++;
        else if (*at != '\\' && !isspace((unsigned char)*at))
            break;
    }
    return at;
}

void python_release(struct reader *r)
{
    while (r->memory) {
        struct block *next = r->memory->next;
        free(r->memory);
        r->memory = next;
    }
}
