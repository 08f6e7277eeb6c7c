/* digest.h - the key of a search: a hash of everything its result depends on.
 *
 * FNV-1a with 128 bits [fnv]: meant to tell inputs apart, not to withstand an attack. Numbers are
 * hashed by their bits, lowest byte first, so that the key is the same on every machine.
 */
#ifndef RECKON_STUDY_DIGEST_H
#define RECKON_STUDY_DIGEST_H

#include "study/study.h"

/* A key of the shape of a model, of the numbers of a system: names do not count. */
void digest_model(const struct rk_model *model, char key[STUDY_KEY]);
void digest_system(const struct rk_system *system, char key[STUDY_KEY]);
void digest_machine(const struct rk_machine *machine, char key[STUDY_KEY]); /* names do */

/* Fills point->key from the keys of its model and system and the rest of the point. */
void digest_point(const struct study *study, struct study_point *point);

/* Adds what is said of its run to point->key, where the result depends on it. */
void digest_run(struct study_point *point, const char *run);

/* A key of the whole grid with its names: has it changed since it was last written? */
void digest_grid(const struct study *study, char key[STUDY_KEY]);

#endif
