/* left_out.h - how far off predictions are for a source that nobody has seen.
 *
 * The rows of a source are read blind (RULES_BLIND of rules.h: no rule that names it or was found
 * from its figures), and constants of systems that were fitted to it (the list "fitted" of the
 * rules) are fitted again without it: to the runs of the other sources they were fitted to, each
 * source counting once; where there is none, to those of all other sources with this accelerator,
 * or else of its generation; where there is none of those, the constant is the preset of all.
 */
#ifndef RECKON_STUDY_LEFT_OUT_H
#define RECKON_STUDY_LEFT_OUT_H

#include "facts/results.h"

/* A constant without a source. */
struct refit {
    const char *constant; /* static storage: "sustained" */
    char source[FACT_TEXT], system[FACT_TEXT];
    double before, after;
};

struct refits {
    size_t count;
    struct refit *refit; /* (count), owned */
};
void refits_release(struct refits *refits); /* a zeroed struct is fine */

/* Sets in the facts of `blind` what was fitted to their own source to what others say, and notes
 * what that is. `facts` are the runs of the catalog, read with RULES_OWN. RK_NO_MEMORY: no memory.
 */
enum rk_status left_out(struct facts *facts, struct facts *blind, struct refits *refits,
                        struct rk_error *error);

#endif
