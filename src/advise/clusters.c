/* clusters.c - <reckon/clusters.h>: questions about several clusters in words, answered in structs.
 */
#include "advise/clusters_input.h"

#include <reckon/clusters.h>
#include <stdlib.h>

static void tell(const struct clusters_plan *from, double bound_s, struct rk_clusters_plan *plan)
{
    *plan = (struct rk_clusters_plan){.step_s = from->simulated_s,
                                      .objective_s = from->value_s,
                                      .bound_s = bound_s,
                                      .round = from->round,
                                      .microbatches = from->microbatches,
                                      .stages = from->stages};
    for (int i = 0; i < from->stages; i++) {
        const struct clusters_stage *s = &from->stage[i];
        plan->stage[i] = (struct rk_clusters_stage){.cluster = s->cluster,
                                                    .layers = s->layers,
                                                    .nodes = s->nodes,
                                                    .accelerators = s->gpus,
                                                    .tensor = s->tensor,
                                                    .context = s->context,
                                                    .expert = s->expert,
                                                    .data = s->data,
                                                    .microbatch = s->microbatch,
                                                    .recompute = s->recompute,
                                                    .activations_away = s->activations_away,
                                                    .optimizer_away = s->optimizer_away,
                                                    .forward_s = s->forward_s,
                                                    .backward_s = s->backward_s,
                                                    .message_s = s->message_s,
                                                    .sync_s = s->sync_s,
                                                    .bytes = s->bytes,
                                                    .capacity_bytes = s->capacity_bytes};
    }
}

static enum rk_status answer(const struct rk_model *model, const char *machine, const char *path,
                             const char *words, struct rk_clusters_plan *plan,
                             struct rk_error *error)
{
    struct clusters_input *input = calloc(1, sizeof *input);
    if (!input) return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for the question");
    input->model = *model;
    enum rk_status status = clusters_input_begin(input, machine, path, error);
    if (status == RK_OK) status = plan_read_words(words, &input->draft, error);
    if (status == RK_OK) status = clusters_input_settle(input, 0, error);
    if (status == RK_OK) status = clusters_input_answer(input, false, error);
    if (status == RK_OK)
        tell(&input->answer->best,
             path ? input->answer->best.value_s : input->answer->proved.value_s, plan);
    clusters_input_release(input);
    free(input);
    return status;
}

enum rk_status rk_clusters_search(const struct rk_model *model, const char *machine,
                                  const char *words, struct rk_clusters_plan *plan,
                                  struct rk_error *error)
{
    return answer(model, machine, NULL, words, plan, error);
}

enum rk_status rk_clusters_predict(const struct rk_model *model, const char *machine,
                                   const char *path, const char *words,
                                   struct rk_clusters_plan *plan, struct rk_error *error)
{
    return answer(model, machine, path, words, plan, error);
}
