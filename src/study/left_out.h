/* left_out.h - how far off predictions are for a source that nobody has seen.
 *
 * For each source everything that was fitted or inferred is done again without it, then its runs
 * are predicted: where `sustained` of an accelerator was fitted to the source, it is fitted to the
 * dense runs of the other sources it is fitted to, each source counting once; where there is none,
 * to all other sources with this accelerator, or else of its generation; where there is none of
 * those, it is the preset of all. Cells are read without the rules that were inferred from the
 * source's own figures.
 */
#ifndef RECKON_STUDY_LEFT_OUT_H
#define RECKON_STUDY_LEFT_OUT_H

#include "facts/results.h"

/* Adds a result for each figure of each fact of `bare`, its error that of its source left out.
 * `facts` are read with all rules, `bare` without the inferred ones; of the latter the constants
 * are left as they were fitted last. RK_IO: no memory. */
enum rk_status left_out(struct results *results, struct facts *facts, struct facts *bare,
                        struct rk_error *error);

/* The scores of sources, each once: mean of their means. */
struct source_means {
    size_t sources;
    double all, experts; /* of sources with experts */
    size_t expert_sources;
};

enum rk_status source_means(const struct results *results, struct source_means *means,
                            struct rk_error *error);

#endif
