/* settings_refer.c - values that refer to others, in OmegaConf's way: "${model.seq_length}",
 * "${.hidden_size}" of the same section, "${multiply:4, ${.hidden_size}}", "${oc.env:GPUS,8}". A
 * reference to nothing stays as it is. */
#include "text/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 8, TEXT = 256 };

static bool resolve(const struct settings *s, const struct setting *at, const char *text, char *out,
                    int depth);

/* A key as it stands, below the section of `at`, or without the first part of its name: the files
 * of a launcher are put below one name. */
static const struct setting *find(const struct settings *s, const struct setting *at,
                                  const char *name)
{
    char key[TEXT];
    if (*name == '.') {
        const char *dot = strrchr(at->key, '.');
        snprintf(key, sizeof key, "%.*s%s", dot ? (int)(dot - at->key) + 1 : 0, at->key, name + 1);
        return settings_find(s, key);
    }
    const struct setting *found = settings_find(s, name);
    const char *rest = strchr(name, '.');
    return found || !rest ? found : settings_find(s, rest + 1);
}

/* "4, ${.hidden_size}" as numbers. */
static int operands(const struct settings *s, const struct setting *at, char *text, int64_t *number,
                    int most, int depth)
{
    int count = 0;
    for (char *p = text; *p && count < most;) {
        char value[TEXT], *end;
        size_t n = 0;
        int open = 0;
        p += strspn(p, " ,");
        while (p[n] && (open || p[n] != ',')) {
            open += (p[n] == '{') - (p[n] == '}');
            n++;
        }
        const char after = p[n];
        p[n] = '\0';
        if (!resolve(s, at, p, value, depth)) return -1;
        number[count++] = strtoll(value, &end, 10);
        if (end == value || *end) return -1;
        p += n + (after != '\0');
    }
    return count;
}

static bool compute(const struct settings *s, const struct setting *at, const char *name,
                    char *text, char *out, int depth)
{
    int64_t x[4];
    const int count = operands(s, at, text, x, 4, depth);
    if (count < 2) return false;
    int64_t value = x[0];
    for (int i = 1; i < count; i++) {
        const bool divides = strncmp(name, "divide", 6) == 0;
        if (divides && x[i] <= 0) return false;
        if (strcmp(name, "multiply") == 0 || strcmp(name, "mul") == 0)
            value = (int64_t)((uint64_t)value * (uint64_t)x[i]);
        else if (strcmp(name, "sum") == 0 || strcmp(name, "add") == 0)
            value = (int64_t)((uint64_t)value + (uint64_t)x[i]);
        else if (strcmp(name, "divide_ceil") == 0)
            value = (value + x[i] - 1) / x[i];
        else if (strcmp(name, "divide_floor") == 0)
            value /= x[i];
        else
            return false;
    }
    snprintf(out, TEXT, "%" PRId64, value);
    return true;
}

/* "GPUS,8": what a set gives GPUS, or 8. */
static bool of_environment(const struct settings *s, const char *text, char *out)
{
    char name[TEXT];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ","), text);
    const struct setting *set = settings_find(s, name);
    const char *comma = strchr(text, ',');
    if ((!set || !set->given) && !comma) return false;
    const char *value = set && set->given ? set->text : comma + 1 + strspn(comma + 1, " ");
    snprintf(out, TEXT, "%s", value);
    return true;
}

static bool call(const struct settings *s, const struct setting *at, const char *name, char *text,
                 char *out, int depth)
{
    if (strcmp(name, "oc.env") == 0) return of_environment(s, text, out);
    if (strcmp(name, "oc.decode") == 0) return resolve(s, at, text, out, depth);
    return compute(s, at, name, text, out, depth);
}

static bool resolve(const struct settings *s, const struct setting *at, const char *text, char *out,
                    int depth)
{
    const size_t n = strlen(text);
    char inner[TEXT];
    if (depth > DEPTH || n >= sizeof inner) return false;
    if (strncmp(text, "${", 2) != 0 || text[n - 1] != '}') {
        snprintf(out, TEXT, "%s", text);
        return true;
    }
    snprintf(inner, sizeof inner, "%.*s", (int)n - 3, text + 2);
    char *colon = strchr(inner, ':');
    if (colon) {
        *colon = '\0';
        return call(s, at, inner, colon + 1, out, depth + 1);
    }
    const struct setting *found = find(s, at, inner);
    return found && found != at && resolve(s, found, found->text, out, depth + 1);
}

/* Marks what the text names, "${base}/tokenizer.model" too. */
static void mark(struct settings *s, const struct setting *at)
{
    for (const char *p = strstr(at->text, "${"); p; p = strstr(p + 2, "${")) {
        char name[TEXT];
        const char *from = p + (strncmp(p + 2, "oc.env:", 7) == 0 ? 9 : 2);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(from, ":,}"), from);
        const struct setting *found = find(s, at, name);
        if (!found) continue;
        struct setting *it = &s->setting[found - s->setting];
        it->referred = true;
        if (from == at->text + 2 && strcmp(from + strlen(name), "}") == 0) it->stood_for = true;
    }
}

enum rk_status settings_refer(struct settings *settings, struct rk_error *error)
{
    for (size_t i = 0; i < settings->count; i++)
        mark(settings, &settings->setting[i]);
    for (size_t i = 0; i < settings->count; i++) {
        struct setting *at = &settings->setting[i];
        char value[TEXT];
        if (strncmp(at->text, "${", 2) != 0 || !resolve(settings, at, at->text, value, 0)) continue;
        const char *text = settings_keep(settings, value);
        if (!text) return rk_fail(error, RK_NO_MEMORY, settings->path, 0, 0, "out of memory");
        at->text = text;
        at->null = !*text;
    }
    return RK_OK;
}
