/* program_source.h - what a command lowers to programs: a plan, or stages over several clusters. */
#ifndef RECKON_CLI_PROGRAM_SOURCE_H
#define RECKON_CLI_PROGRAM_SOURCE_H

#include "cli/plan_input.h"
#include "clusters/predict.h"

#include <reckon/program.h>

/* A plan; or `stages` of it, where they have different numbers of GPUs (not NULL). */
struct program_stages;
struct program_source {
    struct plan_input plan;
    struct program_stages *stages;
};

/* Into a zeroed one with .plan = {.assumed = ""}. Release in any case. */
enum rk_status program_source_open(struct program_source *asked, const struct plan_source *source,
                                   struct rk_error *error);
void program_source_release(struct program_source *asked);

uint64_t program_ranks(const struct program_source *asked);
enum rk_status program_lower(struct rk_program *program, const struct program_source *asked,
                             uint64_t rank, struct rk_error *error);

/* As rk_program_classes(). */
size_t program_classes(const struct program_source *asked, struct rk_program_class *classes,
                       size_t most);

/* A stage of different numbers of GPUs, and the replicas of all; NULL: the plan has none. */
const struct rk_program_stage *program_stage(const struct program_source *asked, int stage);
const struct given_plan *program_replicas(const struct program_source *asked);

#endif
