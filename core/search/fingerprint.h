/* fingerprint.h - a number for what a search is about: every member of a model, a plan and a
 * system, from the tables that the structs are made of; names do not count. */
#ifndef RECKON_SEARCH_FINGERPRINT_H
#define RECKON_SEARCH_FINGERPRINT_H

#include <reckon/plan.h>
#include <reckon/system.h>

void fingerprint_model(uint64_t *hash, const struct rk_model *model);
void fingerprint_plan(uint64_t *hash, const struct rk_plan *plan);
void fingerprint_system(uint64_t *hash, const struct rk_system *system);

#endif
