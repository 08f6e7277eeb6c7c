/* Which part of which tensor is where: against the predictor's parameters on every model of the
 * catalog, by the worked examples of docs/shard.md, and (layout_finish) that every element of every
 * tensor is in one box, on random plans. */
#include "catalog/catalog.h"
#include "catalog_cases.h"
#include "shard/manifest.h"
#include "shard/placing.h"
#include "workload/layers.h"

#include <inttypes.h>
#include <reckon/reckon.h>

static uint64_t state = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (state >> 33) % below;
}

static uint64_t one_of(const uint64_t *list, uint64_t count)
{
    return list[draw(count)];
}

/* ---- the catalog ---- */

static double elements_of(const struct layout *layout, const struct rk_model *model)
{
    double sum = 0;
    for (size_t i = 0; i < layout->tensors; i++) {
        const struct part part = part_of(layout->tensor[i].name, "");
        uint64_t elements;
        tensor_elements(layout->tensor[i].rank, layout->tensor[i].shape, &elements);
        cr_assert_neq(part.role, ROLE_UNKNOWN, "%s", layout->tensor[i].name);
        if (part.layer < (int64_t)model->layers) sum += (double)elements;
    }
    return sum;
}

static struct rk_plan random_plan(const struct rk_model *model)
{
    static const uint64_t tensors[] = {1, 2, 3, 4, 8, 16}, pipelines[] = {1, 2, 3, 4, 6, 8};
    static const uint64_t experts[] = {1, 2, 4, 8, 16}, multiples[] = {0, 0, 1, 128};
    struct rk_plan plan = rk_plan_default();
    plan.tensor = one_of(tensors, 6);
    plan.pipeline = one_of(pipelines, 6);
    plan.context = 1 + draw(2);
    plan.chunks = plan.pipeline > 1 ? 1 + draw(2) : 1;
    plan.vocabulary_multiple = one_of(multiples, 4);
    plan.expert = model->experts ? one_of(experts, 5) : 1;
    plan.expert_tensor = model->experts ? draw(2) : 0;
    plan.zero = (int)draw(3); /* ZeRO-3 divides what a rank holds between its uses */
    plan.order = draw(4) ? RK_ORDER_TP_CP_DP_PP : (enum rk_order)draw(RK_ORDERS);
    plan.ranks = plan.tensor * plan.pipeline * plan.context * plan.expert * (1 + draw(2));
    plan.batch = plan.ranks * 64;
    if (plan.pipeline % 2 == 0 && plan.chunks == 1 && draw(6) == 0) plan.schedule = RK_DUALPIPE;
    return plan;
}

static bool can_run(const struct rk_model *model, const struct rk_plan *plan,
                    struct rk_prediction *prediction)
{
    static struct rk_system system;
    if (!system.memories) cr_assert_eq(rk_system_load("h100-sxm5-80g x1048576", &system, NULL), RK_OK);
    rk_predict(model, &system, plan, prediction);
    return prediction->timed;
}

/* With DualPipe the first and the last stage are on one rank, and share the table of a tied
 * embedding [deepseek2024v3, 3.2.3]; the predictor counts it for both. */
static double shared_table(const struct rk_model *model, const struct rk_plan *plan, uint64_t stage)
{
    const bool ends = stage == 0 || stage == plan->pipeline - 1;
    if (plan->schedule != RK_DUALPIPE || !ends || !model->tied_embeddings) return 0;
    return padded_vocabulary(model, plan) / (double)plan->tensor * (double)model->hidden;
}

static void check_plan(const struct rk_model *model, const struct rk_plan *plan,
                       const struct layout *tensors, const struct rk_prediction *prediction)
{
    const struct placing placing = {.rules = {*model, plan, false}, .type = "", .only = -1};
    struct layout layout = {.files = 0};
    struct placed placed;
    struct rk_error error = {0};
    char words[RK_PLAN_TEXT];
    rk_plan_text(plan, words, sizeof words);
    cr_assert_eq(layout_copy_tensors(&layout, tensors, &error), RK_OK);
    cr_assert_eq(place_plan(&placing, &layout, &placed, &error), RK_OK, "%s %s: %s", model->id,
                 words, error.text);
    for (size_t i = 0; i < layout.files; i++) {
        const struct placed_file *file = &placed.file[i];
        const double bytes = prediction->stage[file->stage].holds[RK_HOLD_weights] -
                             2 * shared_table(model, plan, file->stage);
        cr_assert_eq(2 * (double)file->parameters, bytes,
                     "%s %s: stage %u tensor %u expert %u: %" PRIu64 " parameters, %.17g bytes",
                     model->id, words, file->stage, file->tensor, file->expert, file->parameters,
                     bytes);
        cr_assert_eq((double)file->parameters, placed_predicted(model, plan, file->stage));
    }
    placed_release(&placed);
    layout_release(&layout);
}

Test(shard_placing, catalog)
{
    struct catalog_list list;
    static struct rk_prediction prediction;
    int checked = 0, models = 0;
    use_source_catalog();
    cr_assert_eq(catalog_list(CATALOG_MODELS, &list, NULL), RK_OK);
    for (size_t i = 0; i < list.count; i++) {
        struct rk_model model;
        struct layout tensors = {.files = 0};
        struct rk_error error = {0};
        cr_assert_eq(rk_model_load(list.id[i], &model, NULL), RK_OK);
        cr_assert_eq(manifest_of(&model, TENSOR_BF16, &tensors, &error), RK_OK, "%s: %s",
                     model.id, error.text);
        if (model.count_embeddings)
            cr_expect_eq(elements_of(&tensors, &model), (double)rk_model_parameters(&model), "%s",
                         model.id);
        const int plans = tensors.tensors > 10000 ? 1 : 5;
        int done = 0;
        for (int k = 0; k < 200 && done < plans; k++) {
            const struct rk_plan plan = random_plan(&model);
            if (!can_run(&model, &plan, &prediction)) continue;
            check_plan(&model, &plan, &tensors, &prediction);
            done++;
        }
        models += done > 0;
        checked += done;
        layout_release(&tensors);
    }
    cr_assert_eq(models, (int)list.count);
    cr_assert_gt(checked, 250);
    catalog_list_release(&list);
}
