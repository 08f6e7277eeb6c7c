/* lengths.h - how long the samples of a data set are, in tokens, and what padding and packing make
 * of them.
 */
#ifndef RECKON_LENGTHS_H
#define RECKON_LENGTHS_H

#include <reckon/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rk_length_row {
    double tokens;  /* of a sample, above 0 */
    double samples; /* that are so long, above 0 */
};

struct rk_lengths {
    size_t rows;
    struct rk_length_row *row; /* by tokens, the shortest first; free with rk_lengths_release */
    double samples;            /* of all rows */
};

/* `said`: a file of lines "TOKENS" or "TOKENS SAMPLES" (# begins a comment), or "MEAN:LONGEST", for
 * which an exponential density that ends at the longest is assumed: of all with that mean and that
 * end it has the greatest entropy. RK_BAD_INPUT at the line, RK_BAD_ARGUMENT. Release it in any
 * case. */
RK_API enum rk_status rk_lengths_load(const char *said, struct rk_lengths *lengths,
                                      struct rk_error *error);
RK_API void rk_lengths_release(struct rk_lengths *lengths); /* a zeroed one is fine */

/* Samples above `most` tokens are cut there, as trainers do. */
RK_API void rk_lengths_cut(struct rk_lengths *lengths, double most);

/* Tokens: of a sample in the mean; of the longest. */
RK_API double rk_lengths_mean(const struct rk_lengths *lengths);
RK_API double rk_lengths_longest(const struct rk_lengths *lengths);

/* Mean length, in tokens, of the longest of `samples` samples drawn at random: what a microbatch is
 * padded to. */
RK_API double rk_lengths_padded(const struct rk_lengths *lengths, uint64_t samples);

/* Likewise where 50 microbatches of samples are sorted by length before they are cut into
 * microbatches: group_by_length of transformers (trainer_pt_utils.py,
 * get_length_grouped_indices). */
RK_API double rk_lengths_grouped(const struct rk_lengths *lengths, uint64_t samples);

/* Tokens of a text in the mean over tokens, sum of squares by sum: texts of that one length have as
 * many pairs of tokens as these when they are packed. */
RK_API double rk_lengths_packed(const struct rk_lengths *lengths);

#ifdef __cplusplus
}
#endif

#endif
