/* sources.h - one function for each kind of file that is checked. */
#ifndef RECKON_CHECK_SOURCES_H
#define RECKON_CHECK_SOURCES_H

#include "catalog/plan_fields.h"
#include "keys/notes.h"
#include <reckon/check.h>

struct plan_format;

/* Adds all findings; else as rk_check_text. */
typedef enum rk_status check_source(const struct rk_check_input *input,
                                    struct rk_findings *findings, struct rk_error *error);

check_source check_words, check_plan_file, check_megatron, check_deepspeed, check_galvatron;

/* Words or a plan file, with what was not said as reckon predict takes it. False: it is neither, or
 * cannot be read. */
bool check_draft(const struct rk_check_input *input, struct plan_draft *draft);

/* Judges the plan that a file gave: the file's own findings stand first. `place` turns a key of
 * the plan into what the file calls it; may be NULL. */
typedef void place_finding(const void *context, struct rk_finding *finding);
void judge_plan(const struct rk_check_input *input, const struct rk_model *model,
                const struct rk_plan *plan, const struct rk_launch *launch, place_finding *place,
                const void *context, struct rk_findings *findings);

/* A copy of the system that surely has a second memory, of the host, as tools have that offload to
 * it; `memories` has room for it. */
struct rk_system with_host(const struct rk_system *system, struct rk_memory memories[2]);

enum rk_status check_other(const struct plan_format *format, const struct rk_check_input *input,
                           struct rk_findings *findings, struct rk_error *error);

/* Those of a reader from the `from`-th on: refusals that have a rule as errors, warnings as such.
 * What no plan covers stays an error of the reader. */
void check_take_notes(const struct notes *notes, int from, struct rk_findings *findings);

bool check_offloads(const struct rk_plan *plan);

#endif
