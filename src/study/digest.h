/* digest.h - the key of a search: a hash of everything its result depends on.
 *
 * FNV-1a with 128 bits [fnv]: meant to tell inputs apart, not to withstand an attack. Numbers are
 * hashed by their bits, lowest byte first, so that the key is the same on every machine.
 */
#ifndef RECKON_STUDY_DIGEST_H
#define RECKON_STUDY_DIGEST_H

#include "study/study.h"

/* Fills point->key from the rest of the point. */
void digest_point(const struct study *study, struct study_point *point);

/* Do the two stand for the same inputs, whatever their names are? */
bool digest_same_model(const struct rk_model *a, const struct rk_model *b);
bool digest_same_system(const struct rk_system *a, const struct rk_system *b);

/* A key of the whole grid with its names: has it changed since it was last written? */
void digest_grid(const struct study *study, char key[STUDY_KEY]);

#endif
