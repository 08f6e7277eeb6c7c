#include "text/python_data.h"
#include "base/limits.h"
#include "text/python_values.h"

#include <stdio.h>
#include <string.h>

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
            python_set(s->r, s->names, name, n, python_evaluate(s, equals + 1, stop));
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

/* "config.override.imports.append(a)": one more of a list, which may have its default; false: it is
 * none. */
static bool append(struct scope *s, const char *at, const char *end)
{
    char index[24];
    int count = 0;
    size_t n;
    struct value *list = python_owner(s, &at, end, &n);
    if (!list || n != 6 || strncmp(at, "append", n) != 0 || list == s->names) return false;
    if (list->kind != LIST && !(list->kind == CALL && !*list->text)) return false;
    struct cursor c = {at + n, end};
    struct value *given = python_make(s->r, LIST, "", 0, at);
    if (!given || !python_eat(&c, "(")) return false;
    python_parts(s, &c, ')', given);
    const struct member *what = python_find(given, "0", 1);
    if (!what || what->next || python_skip(c.at, end) != end) return false;
    for (const struct member *m = list->member; m; m = m->next)
        count++;
    snprintf(index, sizeof index, "%d", count);
    python_set(s->r, list, index, strlen(index), python_deep(s->r, what->value, 0));
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
        *result = python_evaluate(s, at + strlen("return"), end);
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
    if (python_assign(s, at, end) || append(s, at, end)) return;
    const size_t n = python_name_length(at, end);
    if (n && find_function(s->r, at, n)) { /* it may change its argument */
        python_fail(s->r, at, "this call may change the configuration, which is not followed");
        return;
    }
    python_fail(s->r, at,
                "this statement is not understood: give a file whose function says it without");
}

static struct value *run(struct scope *s, const char *body)
{
    struct value *result = NULL;
    for (const char *line = body; *line && !result && s->r->status == RK_OK;) {
        const char *at = line + strspn(line, " \t\r"), *end = python_line_end(at);
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
    r->status =
        count ? rk_fail(r->error, RK_BAD_INPUT, r->path, 0, 0,
                        "has %zu configurations: give `set` config=NAME, one of %s", count, names)
              : rk_fail(r->error, RK_BAD_INPUT, r->path, 0, 0,
                        "has no function that returns a configuration");
    return NULL;
}

enum rk_status python_settings(struct settings *settings, const char *path, const char *text,
                               const char *function, const char *const *sets, size_t set_count,
                               struct rk_error *error)
{
    struct reader r = {
        .path = path, .text = text, .settings = settings, .error = error, .call = call_function};
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
    if (r.status == RK_OK) python_emit(&r, "", made, 0);
    python_release(&r);
    return r.status;
}
