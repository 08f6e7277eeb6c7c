/* program_source.h - what a command lowers to programs: a plan, or stages over several clusters. */
#ifndef RECKON_CLI_PROGRAM_SOURCE_H
#define RECKON_CLI_PROGRAM_SOURCE_H

#include "cli/clusters_ask.h"
#include "cli/plan_input.h"

/* A plan; or stages of different numbers of GPUs (not NULL), on the machines of `several`. */
struct program_source {
    struct plan_input plan;
    struct rk_program_stage *stages;
    struct clusters_input *several;
};

/* Into a zeroed one with .plan = {.assumed = ""}. Release in any case. */
enum rk_status program_source_open(struct program_source *asked, const struct plan_source *source,
                                   struct rk_error *error);
void program_source_release(struct program_source *asked);

uint64_t program_ranks(const struct program_source *asked);
enum rk_status program_lower(struct rk_program *program, const struct program_source *asked,
                             uint64_t rank, struct rk_error *error);

#endif
