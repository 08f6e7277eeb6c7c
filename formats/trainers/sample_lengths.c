#include "trainers/sample_lengths.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void sample_lengths_write(FILE *file, const struct rk_plan *plan)
{
    if (plan->padded) fprintf(file, "# reckon: padded=%" PRIu64 "\n", plan->padded);
    if (plan->packed) fprintf(file, "# reckon: packed=%" PRIu64 "\n", plan->packed);
}

static uint64_t said(const char *text, const char *word, struct notes *notes)
{
    char comment[32];
    const size_t length = (size_t)snprintf(comment, sizeof comment, "# reckon: %s=", word);
    const char *found = text ? strstr(text, comment) : NULL;
    const uint64_t tokens = found ? strtoull(found + length, NULL, 10) : 0;
    snprintf(comment, sizeof comment, "%" PRIu64, tokens);
    if (tokens)
        notes_add(notes, NOTE_ASSUMED, 0, 0, word, comment, "a comment of the file says so");
    return tokens;
}

void sample_lengths_read(const char *text, struct rk_plan *plan, struct notes *notes)
{
    plan->padded = said(text, "padded", notes);
    plan->packed = said(text, "packed", notes);
}
