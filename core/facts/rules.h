/* rules.h - how cells of measured rows are read, and what is assumed where they are empty.
 *
 * A rules file is a JSON object with a list "rules", applied in order to each row. A rule has
 *
 *     "when"     column: pattern, ...   all must match (POSIX extended regular expressions, which
 *                                       find; a leading "!" means: does not match; "^$": empty)
 *     "set"      column: value, ...     fills cells that are empty
 *     "replace"  column: value, ...     overwrites
 *     "from"     [source, ...]          found from the figures of these sources (row_source())
 *     "why"                             the reason, or the source of what is set
 *
 * and a list "fitted" of the constants of systems that were fitted to measured runs:
 *
 *     "constant"  "sustained" of kernels, or "link.efficiency" of the outermost network
 *     "system"    pattern of the systems that have the value
 *     "from"      [source, ...]          what it was fitted to
 *     "why"
 *
 * and a list "about" of what is known of sources and no prediction reads: "from" [source, ...],
 * "set" column: value, ..., "why". A cell of it: "published" (benchmark or ordinary).
 *
 * A pattern that begins with "(?i)" does not tell upper from lower case. $1 ... $9 in a value are
 * the groups of the last pattern of the rule that has groups, ${column} is a cell. So one list says
 * how spellings are read, what free text means, which machine a name is, whose habits a source has,
 * and what is assumed: the same for all rows.
 */
#ifndef RECKON_FACTS_RULES_H
#define RECKON_FACTS_RULES_H

#include "facts/row.h"

/* Which rules a row is read by. */
enum rules_use {
    RULES_ALL,
    RULES_OWN,   /* none that was found from the figures of another source */
    RULES_BLIND, /* as of a source that nobody has seen: none that was found from its own figures,
                    and patterns see no name (source, source_group, id) */
};

struct rules {
    size_t count, abouts, fits;
    struct rule *rule;     /* (count) */
    struct rule *about;    /* (abouts) of sources: no conditions */
    struct fitted *fitted; /* (fits) */
    enum rules_use use;
};

/* RK_BAD_INPUT when the file cannot be read or a rule is wrong. */
enum rk_status rules_load(const char *path, struct rules *rules, struct rk_error *error);

/* The catalog's own, measured/rules.json; or those of `path`, unless it is NULL. */
enum rk_status rules_load_or_own(const char *path, struct rules *rules, struct rk_error *error);

/* A zeroed struct is fine. */
void rules_release(struct rules *rules);

/* Not for two threads with the same rules: patterns keep their last answers. Sets the cell "fitted"
 * too: the constants of the row's system that were fitted to its source.
 * Cells keep pointing to the rules for their `why`. RK_NO_MEMORY when there is no memory. */
enum rk_status rules_apply(const struct rules *rules, struct row *row, struct rk_error *error);

#endif
