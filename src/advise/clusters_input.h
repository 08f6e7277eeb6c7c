/* clusters_input.h - a question about several clusters in words: model, machine and plan are read,
 * the plan is searched for where none is given, and judged. */
#ifndef RECKON_ADVISE_CLUSTERS_INPUT_H
#define RECKON_ADVISE_CLUSTERS_INPUT_H

#include "catalog/clusters_plan.h"
#include "clusters/kept.h"

struct clusters_input {
    struct rk_model model;
    struct rk_machine machine;
    struct plan_draft draft;
    struct clusters_file file;
    struct clusters_question question;
    struct given_plan *given;       /* NULL: none is */
    struct clusters_answer *answer; /* best: the plan that was found, or is given */
    struct clusters_kept kept;      /* of a search, where `most` is set: the best plans */
    struct given_fault fault;       /* of a plan that is given */
};

/* Machine and plan file (NULL: none) into a zeroed input whose model is there; words of a line may
 * be added to its draft then. Release in every case. */
enum rk_status clusters_input_begin(struct clusters_input *input, const char *machine,
                                    const char *plan, struct rk_error *error);

/* What the words did not say; the question is ready. `batch` 0: the words or the file have it. */
enum rk_status clusters_input_settle(struct clusters_input *input, uint64_t batch,
                                     struct rk_error *error);

/* Searches, or judges what is given; RK_INTERRUPTED where input->question.stopped says so.
 * RK_NOTHING_FITS: `error` says why. With `tight` a plan that is given may need more memory than
 * there is: then input->fault says so. */
enum rk_status clusters_input_answer(struct clusters_input *input, bool tight,
                                     struct rk_error *error);

/* The same; where no plan leaves what question.usable_bytes asks for, the best that fits, and
 * `full` says so. Progress is kept of the first search alone. */
enum rk_status clusters_input_roomy(struct clusters_input *input, bool tight, bool *full,
                                    struct rk_error *error);

/* Makes one of the plans that were kept the answer's best. */
enum rk_status clusters_input_take(struct clusters_input *input, const struct clusters_plan *plan,
                                   struct rk_error *error);
void clusters_input_release(struct clusters_input *input);

#endif
