/* lengths.h - how long the samples of a data set are, in tokens, and what padding and packing make
 * of them.
 */
#ifndef RECKON_CATALOG_LENGTHS_H
#define RECKON_CATALOG_LENGTHS_H

#include <reckon/status.h>
#include <stddef.h>
#include <stdint.h>

struct length_row {
    double tokens;  /* of a sample, above 0 */
    double samples; /* that are so long, above 0 */
};

struct lengths {
    size_t rows;
    struct length_row *row; /* by tokens, the shortest first; free with lengths_release */
    double samples;         /* of all rows */
};

/* `said`: a file of lines "TOKENS" or "TOKENS SAMPLES" (# begins a comment), or "MEAN:LONGEST", for
 * which an exponential density that ends at the longest is assumed: of all with that mean and that
 * end it has the greatest entropy. RK_BAD_INPUT at the line, RK_BAD_ARGUMENT. Release it in any
 * case. */
enum rk_status lengths_load(const char *said, struct lengths *lengths, struct rk_error *error);
void lengths_release(struct lengths *lengths); /* a zeroed one is fine */

/* Samples above `most` tokens are cut there, as trainers do. */
void lengths_cut(struct lengths *lengths, double most);

/* Tokens: of a sample in the mean; of the longest. */
double lengths_mean(const struct lengths *lengths);
double lengths_longest(const struct lengths *lengths);

/* Mean length, in tokens, of the longest of `samples` samples drawn at random: what a microbatch is
 * padded to. */
double lengths_padded(const struct lengths *lengths, uint64_t samples);

/* Likewise where 50 microbatches of samples are sorted by length before they are cut into
 * microbatches: group_by_length of transformers (trainer_pt_utils.py,
 * get_length_grouped_indices). */
double lengths_grouped(const struct lengths *lengths, uint64_t samples);

/* Tokens of a text in the mean over tokens, sum of squares by sum: texts of that one length have as
 * many pairs of tokens as these when they are packed. */
double lengths_packed(const struct lengths *lengths);

#endif
