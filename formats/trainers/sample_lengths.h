/* sample_lengths.h - how long samples are, which no key of a trainer says: a comment of the files
 * that Reckon writes, "# reckon: padded=1300" or "# reckon: packed=700", by the plan's words. */
#ifndef RECKON_TRAINERS_SAMPLE_LENGTHS_H
#define RECKON_TRAINERS_SAMPLE_LENGTHS_H

#include "keys/notes.h"
#include "keys/reader.h"
#include <stdio.h>

void sample_lengths_write(FILE *file, const struct rk_plan *plan);

/* Takes it from the file's text over into the plan, and says so; without a comment nothing changes.
 * One of more tokens than `sequence` has room for is refused with its line. */
enum rk_status sample_lengths_read(const struct config_source *source, uint64_t sequence,
                                   struct rk_plan *plan, struct notes *notes,
                                   struct rk_error *error);

#endif
