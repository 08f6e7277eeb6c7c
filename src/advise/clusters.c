/* clusters.c - the best plan over several clusters, for who asks no more of the search. */
#include "advise/clusters_best.h"

#include "advise/clusters_input.h"
#include "base/memory.h"
#include "clusters/predict.h"

#include <reckon/clusters.h>
#include <stdlib.h>
#include <string.h>

/* The machine is the system's: not to be released with it. NULL: no memory. */
static struct clusters_input *open_input(const struct rk_model *model,
                                         const struct rk_system *system)
{
    struct clusters_input *in = calloc(1, sizeof *in);
    if (!in) return NULL;
    in->model = *model;
    in->machine = *system->machine;
    return in;
}

static void close_input(struct clusters_input *in)
{
    in->machine.clusters = 0;
    clusters_input_release(in);
    free(in);
}

static enum rk_status take_best(const struct clusters_input *in, struct rk_plan *plan,
                                struct rk_error *error)
{
    struct given_plan *given = malloc(sizeof *given);
    if (!given) return no_memory(error);
    given_of(&in->question, &in->answer->best, given);
    const bool said = plan_of_given(&in->question.words, given, plan);
    free(given);
    if (said) return RK_OK;
    return rk_fail(error, RK_LIMIT, NULL, 0, 0, "stages: more than %d kinds of layers",
                   RK_MAX_LOCALS);
}

enum rk_status clusters_best(const struct rk_model *model, const struct rk_system *system,
                             const struct rk_plan *words, const double *usable_bytes,
                             struct rk_plan *plan, bool *full, struct rk_error *error)
{
    struct clusters_input *in = open_input(model, system);
    if (!in) return no_memory(error);
    in->question = clusters_question_of(&in->model, system, words);
    in->question.machine = &in->machine;
    memcpy(in->question.usable_bytes, usable_bytes,
           (size_t)in->machine.clusters * sizeof *usable_bytes);
    enum rk_status status = clusters_input_roomy(in, false, full, error);
    if (status == RK_OK) status = take_best(in, plan, error);
    close_input(in);
    return status;
}

enum rk_status rk_clusters_search(const struct rk_model *model, const struct rk_system *system,
                                  const char *words, struct rk_plan *plan, double *bound_s,
                                  struct rk_error *error)
{
    if (!system->machine)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s is one cluster: rk_plans_best() searches its plans", system->id);
    struct clusters_input *in = open_input(model, system);
    if (!in) return no_memory(error);
    in->draft = plan_draft();
    enum rk_status status = plan_read_words(words, &in->draft, error);
    if (status == RK_OK) status = clusters_input_settle(in, 0, error);
    if (status == RK_OK) status = clusters_input_answer(in, false, error);
    if (status == RK_OK) status = take_best(in, plan, error);
    if (status == RK_OK && bound_s) *bound_s = in->answer->proved.value_s;
    close_input(in);
    return status;
}
