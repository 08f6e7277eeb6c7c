/* findings.h - lists of findings: adding, ordering, and what one finding makes of another. */
#ifndef RECKON_CHECK_FINDINGS_H
#define RECKON_CHECK_FINDINGS_H

#include <reckon/check.h>
#include <stdbool.h>

/* Where rk_rules() has a rule; how many there are when it has none of that id. */
int rule_index(const char *id);

/* Adds a finding of a rule with its usual severity, nowhere in particular; its other members are
 * the caller's. Where there is no room it is counted as dropped, and written to a scratch. */
struct rk_finding *findings_add(struct rk_findings *findings, const char *rule);

/* The first of a rule, which may end in ".*"; NULL: there is none. */
const struct rk_finding *findings_find(const struct rk_findings *findings, const char *rule);
bool findings_have(const struct rk_findings *findings, const char *rule);

/* Takes over those of a rule that are in none of `findings` yet; the plan's own texts give way to
 * those of who read the file, with a position. */
void findings_merge(struct rk_findings *findings, const struct rk_finding *more, int count);

/* Drops what follows from another finding (4.sequence from 4.context, ...), and orders them. */
void findings_settle(struct rk_findings *findings);

#endif
