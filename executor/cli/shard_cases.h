/* shard_cases.h - `reckon shard --cases`: trees of weights, a line of JSON each. */
#ifndef RECKON_CLI_SHARD_CASES_H
#define RECKON_CLI_SHARD_CASES_H

#include "shard/redco.h"

/* Reads a list of cases {"shapes": {path: [..]}, "shards": S}, or one a line, and prints for each
 * "split_dimension" by key, with the case's other members. A case that gives no rules has "error"
 * instead. `generation` is for cases that do not say "generation": "first". Returns the exit
 * code. */
int shard_cases(const char *path, enum redco_generation generation);

#endif
