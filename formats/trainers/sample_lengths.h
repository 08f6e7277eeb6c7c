/* sample_lengths.h - what no key of a trainer says, in comments of the files that Reckon writes, by
 * the plan's words: how long samples are, "# reckon: padded=1300" or "# reckon: packed=700", and
 * what is learned where the tool's command decides it, "# reckon: objective=dpo". */
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

void objective_write(FILE *file, const struct rk_plan *plan);

/* The name that a comment of the file says, "dpo"; NULL: none does. */
const char *objective_read(const struct config_source *source, struct notes *notes);

#endif
