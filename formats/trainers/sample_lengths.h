/* sample_lengths.h - how long samples are, which no key of a trainer says: a comment of the files
 * that Reckon writes, "# reckon: padded=1300" or "# reckon: packed=700", by the plan's words. */
#ifndef RECKON_TRAINERS_SAMPLE_LENGTHS_H
#define RECKON_TRAINERS_SAMPLE_LENGTHS_H

#include "keys/notes.h"
#include <reckon/plan.h>

#include <stdio.h>

void sample_lengths_write(FILE *file, const struct rk_plan *plan);

/* Takes it from the text over into a plan whose sequence is known, and says so; without a comment
 * nothing changes. */
void sample_lengths_read(const char *text, struct rk_plan *plan, struct notes *notes);

#endif
