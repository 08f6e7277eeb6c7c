#include "check/variables.h"
#include "base/text.h"
#include "check/findings.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
#define ROW(name) name,
#include "tables/variables.h"
#undef ROW
    NULL};

/* Names with these prefixes belong to libraries; others are the script's own. */
static const char *const families[] = {"NCCL_", "UCX_",  "TORCH_", "PYTORCH_",
                                       "GLOO_", "CUDA_", "NVTE_",  NULL};

enum { LONGEST_NAME = 63, LETTERS_OF_A_SLIP = 6, MOST_SLIPS = 2 };

static const char *family_of(const char *name)
{
    for (int i = 0; families[i]; i++)
        if (strncmp(name, families[i], strlen(families[i])) == 0) return families[i];
    return NULL;
}

static bool is_known(const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* NAME1 and NAME2 are two names, not a misspelt one. */
static bool differs_in_digits(const char *a, const char *b)
{
    while (*a && *b) {
        while (isdigit((unsigned char)*a))
            a++;
        while (isdigit((unsigned char)*b))
            b++;
        if (*a != *b) return false;
        a += *a != '\0';
        b += *b != '\0';
    }
    return !a[strspn(a, "0123456789")] && !b[strspn(b, "0123456789")];
}

/* The name that was meant; NULL: it is known, or like none that is. */
static const char *variable_meant(const char *name)
{
    const char *family = family_of(name), *meant = NULL;
    const size_t length = strlen(name);
    if (!family || length > LONGEST_NAME || is_known(name)) return NULL;
    int slips = (int)(length - strlen(family)) / LETTERS_OF_A_SLIP;
    if (slips > MOST_SLIPS) slips = MOST_SLIPS;
    for (int i = 0; names[i] && slips > 0; i++) {
        if (family_of(names[i]) != family) continue;
        const int distance = text_distance(name, names[i]);
        if (distance > slips || differs_in_digits(name, names[i])) continue;
        slips = distance - 1; /* a nearer one may follow */
        meant = names[i];
    }
    return meant;
}

static void judge(const char *name, int line, int column, struct rk_findings *findings)
{
    const char *meant = variable_meant(name);
    if (!meant) return;
    struct rk_finding *f = findings_add(findings, "12.environment");
    f->line = line;
    f->column = column;
    snprintf(f->what, sizeof f->what, "%s", name);
    snprintf(f->need, sizeof f->need, "is not known, so that nothing reads it");
    snprintf(f->fix, sizeof f->fix, "did you mean %s?", meant);
}

void check_variables(const struct rk_variable *variables, struct rk_findings *findings)
{
    for (; variables && variables->name; variables++)
        judge(variables->name, 0, 0, findings);
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A name followed by "="; its length, or 0. */
static size_t assigned(const char *at, const char *end)
{
    const char *p = at;
    while (p < end && is_name(*p))
        p++;
    return p > at && p < end && *p == '=' ? (size_t)(p - at) : 0;
}

void check_variables_of_text(const char *text, size_t size, struct rk_findings *findings)
{
    const char *end = text + size, *begin = text;
    char name[LONGEST_NAME + 1];
    int line = 1;
    for (const char *p = text; p < end; p++) {
        const bool first = p == begin || strchr(" \t;&|('\",{", p[-1]);
        if (*p == '#' && first)
            while (p + 1 < end && p[1] != '\n')
                p++;
        const size_t n = first ? assigned(p, end) : 0;
        if (n && n <= LONGEST_NAME) {
            memcpy(name, p, n);
            name[n] = '\0';
            judge(name, line, (int)(p - begin) + 1, findings);
        }
        if (*p != '\n') continue;
        line++;
        begin = p + 1;
    }
}

void check_placeholders(const char *text, size_t size, struct rk_findings *findings)
{
    static const char placeholder[] = "/path/to/";
    enum { LENGTH = sizeof placeholder - 1 };
    const char *end = text + size, *begin = text;
    struct rk_finding *f = NULL;
    int line = 1, more = 0;
    for (const char *p = text; p < end; p++) {
        if (*p == '#' && (p == begin || strchr(" \t", p[-1])))
            while (p + 1 < end && p[1] != '\n')
                p++;
        if ((size_t)(end - p) >= LENGTH && memcmp(p, placeholder, LENGTH) == 0 &&
            (p - begin < 2 || memcmp(p - 2, ":-", 2) != 0)) {
            int length = LENGTH;
            while (p + length < end && !strchr(" \t\r\n\"',;)}", p[length]))
                length++;
            more += f != NULL;
            if (!f && (f = findings_add(findings, "1.value"))) {
                f->severity = RK_WARNING;
                f->line = line;
                f->column = (int)(p - begin) + 1;
                snprintf(f->what, sizeof f->what, "%.*s", length < 80 ? length : 80, p);
                snprintf(f->need, sizeof f->need, "is a placeholder");
            }
            p += length - 1;
        }
        if (*p != '\n') continue;
        line++;
        begin = p + 1;
    }
    if (f) snprintf(f->fix, sizeof f->fix, "give the path%s", more ? ", and those like it" : "");
}
