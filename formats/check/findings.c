#include "check/findings.h"

#include <stdlib.h>
#include <string.h>

static const struct rk_rule rules[] = {
#define RULE(id, severity, asks) {id, severity, asks},
#include <reckon/check.def>
    {NULL, RK_ERROR, NULL},
};

const struct rk_rule *rk_rules(void)
{
    return rules;
}

int rule_index(const char *id)
{
    int i = 0;
    while (rules[i].id && strcmp(rules[i].id, id) != 0)
        i++;
    return i;
}

int rk_findings_errors(const struct rk_findings *findings)
{
    int errors = 0;
    for (int i = 0; i < findings->count; i++)
        errors += findings->finding[i].severity == RK_ERROR;
    return errors;
}

struct rk_finding *findings_add(struct rk_findings *findings, const char *rule)
{
    const struct rk_rule *row = &rules[rule_index(rule)];
    struct rk_finding *finding = &findings->finding[findings->count];
    if (findings->count < RK_MAX_FINDINGS)
        findings->count++;
    else
        findings->dropped++;
    *finding = (struct rk_finding){.severity = row->severity, .rank = -1};
    memcpy(finding->rule, rule, strlen(rule) + 1);
    return finding;
}

static bool matches(const char *rule, const char *pattern)
{
    const size_t n = strlen(pattern);
    if (n && pattern[n - 1] == '*') return strncmp(rule, pattern, n - 1) == 0;
    return strcmp(rule, pattern) == 0;
}

const struct rk_finding *findings_find(const struct rk_findings *findings, const char *rule)
{
    for (int i = 0; i < findings->count; i++)
        if (matches(findings->finding[i].rule, rule)) return &findings->finding[i];
    return NULL;
}

bool findings_have(const struct rk_findings *findings, const char *rule)
{
    return findings_find(findings, rule) != NULL;
}

void findings_merge(struct rk_findings *findings, const struct rk_finding *more, int count)
{
    const int before = findings->count;
    for (int i = 0; i < count; i++) {
        struct rk_finding *same = NULL;
        for (int k = 0; k < before && !same; k++)
            if (strcmp(findings->finding[k].rule, more[i].rule) == 0) same = &findings->finding[k];
        if (same) { /* the file's position and name, and the plan's fix */
            if (!*same->fix && strncmp(same->rule, "12.", 3) != 0)
                memcpy(same->fix, more[i].fix, sizeof same->fix);
            continue;
        }
        *findings_add(findings, more[i].rule) = more[i];
    }
}

/* What is not judged where something else fails. */
static const struct {
    const char *rule, *where;
} follows[] = {
    {"4.sequence", "4.context"},  {"4.ulysses", "4.heads"},        {"9.*", "2.expert"},
    {"9.*", "4.experts"},         {"9.*", "4.expert_feedforward"}, {"3.*", "2.product"},
    {"6.shards", "2.product"},    {"3.fill", "3.divide"},          {"3.interleave", "3.divide"},
    {"3.interleave", "12.needs"},
};

static int compare(const void *a, const void *b)
{
    const struct rk_finding *x = a, *y = b;
    const int by_rule = rule_index(x->rule) - rule_index(y->rule);
    const int by_rank = x->rank - y->rank;
    if (by_rule) return by_rule;
    return by_rank ? by_rank : x->line - y->line;
}

void findings_settle(struct rk_findings *findings)
{
    int kept = 0;
    for (int i = 0; i < findings->count; i++) {
        bool drop = false;
        for (size_t k = 0; k < sizeof follows / sizeof *follows; k++)
            drop |= matches(findings->finding[i].rule, follows[k].rule) &&
                    findings_have(findings, follows[k].where);
        if (!drop) findings->finding[kept++] = findings->finding[i];
    }
    findings->count = kept;
    qsort(findings->finding, (size_t)kept, sizeof *findings->finding, compare);
}
