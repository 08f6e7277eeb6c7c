/* clusters_ask.h - what all commands do that are asked about several clusters: model, machine and
 * plan are read, the plan is searched for where none is given, and judged. */
#ifndef RECKON_CLI_CLUSTERS_ASK_H
#define RECKON_CLI_CLUSTERS_ASK_H

#include "advise/clusters_input.h"
#include "cli/check.h"
#include "cli/clusters_plan.h"
#include "cli/options.h"
#include "cli/plan_input.h"
#include "cli/run_args.h"
#include "cli/show.h"

#include <reckon/program.h>

/* What a command line says; NULL, 0: nothing. */
struct clusters_source {
    const char *model, *system, *plan; /* plan: a file */
    const char *batch;                 /* a list only where clusters_grid.h takes it */
    struct option_texts words;
};
/* The flags that say it, but for the words. */
extern const struct option clusters_source_options[];

/* What every command of a plan takes, first in its arguments; and the tables of it. */
struct clusters_basics {
    struct clusters_source source;
    const char *output;
    struct show_args show;
};
extern const struct operand clusters_words[];
extern const struct option clusters_output_options[];
/* clang-format off */
#define CLUSTERS_BASICS \
    {"Input", clusters_source_options, offsetof(struct clusters_basics, source)}, \
    {"Output", clusters_output_options, 0}, \
    {"Form", show_options, offsetof(struct clusters_basics, show)}, \
    {"General", options_help_rows, 0}
/* clang-format on */

/* Reads; the question is ready. Release in every case; a zeroed one is fine. */
enum rk_status clusters_input_open(struct clusters_input *input,
                                   const struct clusters_source *source, struct rk_error *error);

/* What plans that are searched for leave of each cluster's memory: headroom.h. */
enum rk_status clusters_input_leave(struct clusters_input *input, const char *headroom,
                                    struct rk_error *error);

/* The same of what a command of one plan was given, and answers it, searching plans that leave
 * what was learned, or (`alike`) those that Megatron-LM launches alone. `input` is zeroed. */
enum rk_status clusters_input_of(struct clusters_input *input, const struct plan_source *source,
                                 bool alike, struct rk_error *error);

/* reckon check of the plan at source->plan; clusters_check.c. Returns the exit code. */
int clusters_check(const struct clusters_source *source, const struct rk_launch *launch,
                   enum check_format format, const char *output);

/* Does a stage have replicas of several kinds? `given` may be NULL. */
bool clusters_mixed(const struct given_plan *given);

/* The plan that an ordinary launcher can run: the same degrees and choices in all stages. False: it
 * cannot. */
bool clusters_plain_plan(const struct clusters_input *input, struct rk_plan *plain);

/* Why Megatron-LM does not launch the answer as one job; NULL: it does. */
const char *clusters_unlaunchable(const struct clusters_input *input);

/* Among the first lines: where it does not, the best that it does, where that was searched for
 * (clusters_question.alike); and a record of it. clusters_launch.c. */
void clusters_note_launchable(struct report *report, const struct clusters_input *input);

/* A plan whose stages are alike, of a search, as one that an ordinary launcher can run. */
void clusters_alike_plan(const struct clusters_question *question, const struct clusters_plan *plan,
                         struct rk_plan *plain);

/* The plan whose layers each have the degrees and choices of their stage, as plans over layers
 * have them. False: stages have different numbers of GPUs (clusters_stage_plans), or replicas on
 * several clusters. */
bool clusters_layered_plan(const struct clusters_input *input, struct rk_plan *layered);

/* As a plan of stages that are all like a part of one; its batch is what such stages take. */
struct rk_plan clusters_plan_like(const struct clusters_input *input,
                                  const struct given_plan *given, int stage, int part);

/* The stages of a plan, those of replicas on several clusters with their kinds, on machines of
 * `input`, whose networks are made as large as programs ask. free() them in any case. */
enum rk_status clusters_stage_plans(struct clusters_input *input, struct rk_program_stage **stages,
                                    struct rk_error *error);

#endif
