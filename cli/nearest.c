#include "cli/nearest.h"

#include <string.h>

enum { LONGEST = 48 }; /* longer words are not worth a guess */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The Damerau-Levenshtein distance in its restricted form: no pair is swapped twice. */
static size_t edits(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t row[3][LONGEST + 1]; /* of the prefix of a two shorter, one shorter, this one */
    for (size_t j = 0; j <= b_length; j++)
        row[0][j] = row[1][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        row[2][0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t replaced = row[1][j - 1] + (a[i - 1] != b[j - 1]);
            row[2][j] = least(replaced, least(row[1][j], row[2][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[2][j] = least(row[2][j], row[0][j - 2] + 1);
        }
        memcpy(row[0], row[1], sizeof row[0]);
        memcpy(row[1], row[2], sizeof row[1]);
    }
    return row[1][b_length];
}

void nearest_offer(struct nearest *nearest, const char *known)
{
    const size_t typed_length = strlen(nearest->word), length = strlen(known);
    if (typed_length == 0 || typed_length > LONGEST || length > LONGEST) return;
    const size_t distance = edits(nearest->word, typed_length, known, length);
    const size_t longer = length > typed_length ? length : typed_length;
    if (distance * 2 > longer || (nearest->best && distance >= nearest->distance)) return;
    nearest->best = known;
    nearest->distance = distance;
}
