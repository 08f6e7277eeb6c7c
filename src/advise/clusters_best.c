#include "advise/clusters_best.h"

#include "advise/clusters_input.h"
#include "base/memory.h"
#include "clusters/predict.h"

#include <stdlib.h>
#include <string.h>

enum rk_status clusters_best(const struct rk_model *model, const struct rk_system *system,
                             const struct rk_plan *words, const double *usable_bytes,
                             struct rk_plan *plan, bool *full, struct rk_error *error)
{
    struct clusters_input *in = calloc(1, sizeof *in);
    struct given_plan *given = malloc(sizeof *given);
    enum rk_status status = in && given ? RK_OK : no_memory(error);
    if (status == RK_OK) {
        in->model = *model;
        in->machine = *system->machine; /* borrowed */
        in->question = clusters_question_of(&in->model, system, words);
        in->question.machine = &in->machine;
        memcpy(in->question.usable_bytes, usable_bytes,
               (size_t)in->machine.clusters * sizeof *usable_bytes);
        status = clusters_input_roomy(in, false, full, error);
    }
    if (status == RK_OK) given_of(&in->question, &in->answer->best, given);
    if (status == RK_OK && !plan_of_given(&in->question.words, given, plan))
        status = rk_fail(error, RK_LIMIT, NULL, 0, 0, "stages: more than %d kinds of layers",
                         RK_MAX_LOCALS);
    if (in) in->machine.clusters = 0;
    if (in) clusters_input_release(in);
    free(given);
    free(in);
    return status;
}
