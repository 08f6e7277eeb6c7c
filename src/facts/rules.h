/* rules.h - how cells of measured rows are read, and what is assumed where they are empty.
 *
 * A rules file is a JSON object with a list "rules", applied in order to each row. A rule has
 *
 *     "when"     column: pattern, ...   all must match (POSIX extended regular expressions, which
 *                                       find; a leading "!" means: does not match; "^$": empty)
 *     "set"      column: value, ...     fills cells that are empty
 *     "replace"  column: value, ...     overwrites
 *     "inferred" true: it was found from the figures of the source's own runs, and is left out
 * where errors are those of a source that nobody has seen "why"      the reason, or the source of
 * what is set
 *
 * A pattern that begins with "(?i)" does not tell upper from lower case. $1 ... $9 in a value are
 * the groups of the last pattern of the rule that has groups, ${column} is a cell. So one list says
 * how spellings are read, what free text means, which machine a name is, whose habits a source has,
 * and what is assumed: the same for all rows.
 */
#ifndef RECKON_FACTS_RULES_H
#define RECKON_FACTS_RULES_H

#include "facts/row.h"

struct rules {
    size_t count;
    struct rule *rule; /* (count) */
    bool stated_only;  /* apply no inferred ones */
};

/* RK_BAD_INPUT when the file cannot be read or a rule is wrong. */
enum rk_status rules_load(const char *path, struct rules *rules, struct rk_error *error);

/* The catalog's own, measured/rules.json; or those of `path`, unless it is NULL. */
enum rk_status rules_load_or_own(const char *path, struct rules *rules, struct rk_error *error);

/* A zeroed struct is fine. */
void rules_release(struct rules *rules);

/* Cells keep pointing to the rules for their `why`. RK_IO when there is no memory. */
enum rk_status rules_apply(const struct rules *rules, struct row *row, struct rk_error *error);

#endif
