/* clusters_ask.h - what reckon clusters is asked, of one machine or of many. */
#ifndef RECKON_CLI_CLUSTERS_ASK_H
#define RECKON_CLI_CLUSTERS_ASK_H

#include "advise/clusters_input.h"
#include "cli/clusters_plan.h"
#include "cli/options.h"
#include "cli/plan_input.h"
#include "cli/prediction.h"
#include "clusters/predict.h"

/* What a command line says; NULL, 0: nothing. */
struct clusters_source {
    const char *model, *system, *plan; /* plan: a file */
    const char *batch;                 /* a list only where clusters_grid.h takes it */
    struct option_texts words;
};
/* The flags that say it, but for the words. */
extern const struct option clusters_source_options[];

/* Reads; the question is ready. Release in every case; a zeroed one is fine. */
enum rk_status clusters_input_open(struct clusters_input *input,
                                   const struct clusters_source *source, struct rk_error *error);

/* What plans that are searched for leave of each cluster's memory: headroom.h. */
enum rk_status clusters_input_leave(struct clusters_input *input, const char *headroom,
                                    struct rk_error *error);

/* A plan over clusters as any plan. */
struct answered {
    struct rk_system system; /* borrowed from the question's machine */
    struct rk_plan plan;
    struct given_plan given;
    struct rk_prediction prediction;
    struct forecast forecast; /* of these */
};

/* `given` is what was asked for, NULL: `found` was searched for. free() it; NULL: `error`. */
struct answered *answered_open(const struct clusters_question *question,
                               const struct clusters_plan *found, const struct given_plan *given,
                               struct rk_error *error);

/* Why Megatron-LM does not launch a plan as one job; NULL: it does, and `plain` is what it runs. */
const char *clusters_unlaunchable(const struct rk_plan *plan, struct rk_plan *plain);

/* Among the first lines: where it does not launch the answer, the best that it does, where that was
 * searched for (clusters_question.alike); and a record of it. clusters_launch.c. */
void clusters_note_launchable(struct report *report, const struct clusters_input *input,
                              const struct answered *answered);

#endif
