#include <reckon/lengths.h>

#include "base/memory.h"
#include "text/document.h"
#include "text/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUANTILES = 4096, SORTED_MICROBATCHES = 50 };
#define MOST_TOKENS 1e9
#define RARELY      1e-9 /* of a sample: the longest occurs, and no mean feels it */

void rk_lengths_release(struct rk_lengths *lengths)
{
    free(lengths->row);
    *lengths = (struct rk_lengths){0};
}

static enum rk_status add(struct rk_lengths *lengths, size_t *room, struct rk_length_row row,
                          struct rk_error *error)
{
    if (lengths->rows == *room) {
        const size_t more = *room ? 2 * *room : QUANTILES;
        struct rk_length_row *grown = realloc(lengths->row, more * sizeof *grown);
        if (!grown) return no_memory(error);
        lengths->row = grown;
        *room = more;
    }
    lengths->row[lengths->rows++] = row;
    lengths->samples += row.samples;
    return RK_OK;
}

static int by_tokens(const void *a, const void *b)
{
    const double x = ((const struct rk_length_row *)a)->tokens;
    const double y = ((const struct rk_length_row *)b)->tokens;
    return (x > y) - (x < y);
}

/* ---- a list, a histogram ---- */

static bool is_count(const char *text, double *number)
{
    return lines_number(text, number) && *number == floor(*number) && *number <= MOST_TOKENS;
}

static enum rk_status read_lines(struct lines *lines, struct rk_lengths *lengths,
                                 struct rk_error *error)
{
    size_t room = 0;
    enum rk_status status = RK_OK;
    while (status == RK_OK && lines_next(lines)) {
        struct rk_length_row row = {.samples = 1};
        lines->text[strcspn(lines->text, "#")] = '\0';
        lines_split(lines, AT_BLANKS);
        if (!lines->words) continue;
        if (lines->words > 2 || !is_count(lines->word[0], &row.tokens) ||
            (lines->words > 1 && !is_count(lines->word[1], &row.samples)))
            return lines_fail(lines, error,
                              "a line is the tokens of a sample, or these and the number of "
                              "such samples: both whole, from 1 to 1e9");
        status = add(lengths, &room, row, error);
    }
    if (status == RK_OK && !lengths->rows)
        return rk_fail(error, RK_BAD_INPUT, lines->document->path, 0, 0, "no length is in it");
    if (status == RK_OK) qsort(lengths->row, lengths->rows, sizeof *lengths->row, by_tokens);
    return status;
}

static enum rk_status load_file(const char *path, struct rk_lengths *lengths,
                                struct rk_error *error)
{
    struct document document;
    enum rk_status status = document_load_text(path, &document, error);
    if (status != RK_OK) return status;
    struct lines *lines = calloc(1, sizeof *lines);
    if (lines) {
        lines->document = &document;
        status = read_lines(lines, lengths, error);
    } else {
        status = no_memory(error);
    }
    free(lines);
    document_release(&document);
    return status;
}

/* ---- a mean and the longest ---- */

/* Mean of the density k exp(-k x) / (1 - exp(-k)) on 0 ... 1. */
static double mean_of(double k)
{
    return fabs(k) < 1e-6 ? 0.5 - k / 12 : 1 / k - 1 / expm1(k);
}

static double falling_of(double mean)
{
    double low = -1e4, high = 1e4; /* the mean falls from 0.9999 to 0.0001 */
    for (int i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;
        *(mean_of(middle) > mean ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* Where a share `u` of the density lies below. */
static double quantile_of(double k, double u)
{
    if (fabs(k) < 1e-6) return u;
    return k > 0 ? -log1p(u * expm1(-k)) / k : 1 + log(u + (1 - u) * exp(k)) / -k;
}

static enum rk_status spread(double mean, double longest, struct rk_lengths *lengths,
                             struct rk_error *error)
{
    size_t room = 0;
    const double k = falling_of(mean / longest);
    enum rk_status status = RK_OK;
    for (int i = 0; i < QUANTILES && status == RK_OK; i++) {
        const double u = (i + 0.5) / QUANTILES;
        const double tokens = mean < longest ? longest * quantile_of(k, u) : longest;
        status = add(lengths, &room, (struct rk_length_row){fmax(tokens, 1), 1}, error);
    }
    return status == RK_OK ? add(lengths, &room, (struct rk_length_row){longest, RARELY}, error)
                           : status;
}

enum rk_status rk_lengths_load(const char *said, struct rk_lengths *lengths, struct rk_error *error)
{
    double mean, longest;
    char rest;
    *lengths = (struct rk_lengths){0};
    if (sscanf(said, "%lf:%lf%c", &mean, &longest, &rest) != 2)
        return load_file(said, lengths, error);
    if (!(mean >= 1 && mean <= longest && longest <= MOST_TOKENS && mean >= longest / 1000))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s: the mean is from 1 to the longest and at least a thousandth of it; "
                       "give a file of the lengths",
                       said);
    return spread(mean, longest, lengths, error);
}

void rk_lengths_cut(struct rk_lengths *lengths, double most)
{
    for (size_t i = 0; i < lengths->rows; i++)
        lengths->row[i].tokens = fmin(lengths->row[i].tokens, most);
}

/* ---- what they make ---- */

static double sum_of(const struct rk_lengths *lengths, double power)
{
    double sum = 0;
    for (size_t i = 0; i < lengths->rows; i++)
        sum += lengths->row[i].samples * pow(lengths->row[i].tokens, power);
    return sum;
}

double rk_lengths_mean(const struct rk_lengths *lengths)
{
    return sum_of(lengths, 1) / lengths->samples;
}

double rk_lengths_longest(const struct rk_lengths *lengths)
{
    return lengths->row[lengths->rows - 1].tokens;
}

double rk_lengths_packed(const struct rk_lengths *lengths)
{
    return sum_of(lengths, 2) / sum_of(lengths, 1);
}

double rk_lengths_padded(const struct rk_lengths *lengths, uint64_t samples)
{
    double below = 0, sum = 0, last = 0;
    for (size_t i = 0; i < lengths->rows; i++) {
        below += lengths->row[i].samples;
        const double all_below = pow(below / lengths->samples, (double)samples);
        sum += lengths->row[i].tokens * (all_below - last);
        last = all_below;
    }
    return sum;
}

/* Of the longest first: the j-th microbatch begins with the sample that a share of 1 - j / 50 is
 * not longer than. */
double rk_lengths_grouped(const struct rk_lengths *lengths, uint64_t samples)
{
    const double all = SORTED_MICROBATCHES * (double)samples;
    double below = 0, sum = 0;
    size_t at = 0;
    for (int j = SORTED_MICROBATCHES; j > 0; j--) {
        const double share = (all - (j - 1) * (double)samples) / (all + 1);
        while (at + 1 < lengths->rows &&
               below + lengths->row[at].samples < share * lengths->samples)
            below += lengths->row[at++].samples;
        sum += lengths->row[at].tokens;
    }
    return sum / SORTED_MICROBATCHES;
}
