/* blend.h - one training set of several, each with a weight, none repeated too often.
 *
 * Of a training run of so many tokens, data set i gives the share weight_i / sum of weights, and is
 * gone through share * tokens / size_i times: its epochs. One that would be gone through more often
 * than the cap gives as much as the cap allows, and the others share the rest by their weights,
 * until none is above: the reasoning of [smith2022], section 3, where no data set has more than a
 * few epochs.
 */
#ifndef RECKON_CORPUS_BLEND_H
#define RECKON_CORPUS_BLEND_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blend_set {
    char name[64];
    const char *file; /* of its documents; NULL where only epochs are asked for */
    double weight;    /* as given */
    double tokens;    /* its size; or bytes: one unit for all */
    /* found: */
    double share;  /* of the run */
    double epochs; /* how often it is gone through */
    bool capped;
};

/* Fills share and epochs. Requires weights and sizes above 0. Returns what the run has: less than
 * `tokens` when all sets are capped. */
double blend_epochs(struct blend_set *set, size_t sets, double tokens, double most_epochs);

struct blend_options {
    const char *folder; /* for what memory does not hold */
    uint64_t seed;
};

/* Hands the documents of all sets to `take` as JSON lines in shuffled order: a whole epoch has
 * every document once, of a part of one a document is in it or not by the seed. Sets have files. */
typedef bool (*blend_taker)(void *context, const char *line, size_t size);
enum rk_status blend_write(const struct blend_set *set, size_t sets,
                           const struct blend_options *options, blend_taker take, void *context,
                           struct rk_error *error);

/* Bytes of text in a set's file, for `tokens`. */
enum rk_status blend_size(const char *file, double *bytes, struct rk_error *error);

#endif
