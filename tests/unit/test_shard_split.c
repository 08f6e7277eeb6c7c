/* Splits by rules and by cost on every model of the catalog: the best sends no more than any other,
 * and each covers every tensor. */
#include "catalog/catalog.h"
#include "catalog_cases.h"
#include "shard/manifest.h"
#include "shard/placing.h"
#include "shard/split.h"
#include "shard/split_cost.h"

#include <math.h>
#include <reckon/reckon.h>

static void check_cover(const struct layout *tensors, const struct rk_model *model,
                        const struct rk_plan *plan, const int *axis)
{
    const struct placing placing = {
        .rules = {*model, plan, false}, .type = "", .axis = axis, .only = -1};
    struct layout layout = {.files = 0};
    struct placed placed;
    struct rk_error error = {0};
    cr_assert_eq(layout_copy_tensors(&layout, tensors, &error), RK_OK);
    cr_assert_eq(place_plan(&placing, &layout, &placed, &error), RK_OK, "%s tp%d: %s", model->id,
                 (int)plan->tensor, error.text);
    placed_release(&placed);
    layout_release(&layout);
}

static void check_model(const struct rk_model *model, const struct layout *tensors, uint64_t t)
{
    int *axis = calloc(tensors->tensors + 1, sizeof *axis);
    double sends[RK_SHARD_SPLITS];
    struct rk_plan plan = rk_plan_default();
    struct rk_error error = {0};
    plan.tensor = plan.ranks = t;
    for (int split = RK_SPLIT_REDCO; split < RK_SHARD_SPLITS; split++) {
        const struct rk_shard_options options = {.split = (enum rk_shard_split)split};
        sends[split] = INFINITY;
        if (split_axes(tensors, "", &options, model, &plan, axis, &error) != RK_OK) {
            cr_assert(split == RK_SPLIT_REDCO_FIRST, "%s tp%d: %s", model->id, (int)t, error.text);
            continue; /* the first generation asserts that sizes divide */
        }
        sends[split] = split_sends(tensors, "", model, &plan, axis);
        if (!model->experts && (split == RK_SPLIT_COST || split == RK_SPLIT_REDCO))
            check_cover(tensors, model, &plan, axis);
    }
    cr_assert_lt(sends[RK_SPLIT_COST], INFINITY, "%s", model->id);
    cr_assert_leq(sends[RK_SPLIT_COST], sends[RK_SPLIT_REDCO], "%s tp%d", model->id, (int)t);
    cr_assert_leq(sends[RK_SPLIT_COST], sends[RK_SPLIT_REDCO_FIRST], "%s tp%d", model->id, (int)t);
    if (model->heads % t == 0)
        cr_assert_leq(sends[RK_SPLIT_COST], split_sends(tensors, "", model, &plan, NULL), "%s tp%d",
                      model->id, (int)t);
    free(axis);
}

Test(shard_split, catalog)
{
    static const uint64_t degrees[] = {2, 4, 5, 16};
    struct catalog_list list;
    use_source_catalog();
    cr_assert_eq(catalog_list(CATALOG_MODELS, &list, NULL), RK_OK);
    for (size_t i = 0; i < list.count; i++) {
        struct rk_model model;
        struct layout tensors = {.files = 0};
        cr_assert_eq(rk_model_load(list.id[i], &model, NULL), RK_OK);
        if (model.kv_rank || model.vocabulary == 0 || model.recurrence || model.encoder_sequence)
            continue;
        model.layers = model.layers < 3 ? model.layers : 3; /* alike */
        if (model.experts) model.experts = 4;
        cr_assert_eq(manifest_of(&model, TENSOR_BF16, &tensors, NULL), RK_OK);
        for (int k = 0; k < 4; k++) { /* heads of a recurrence are cut by role alone */
            if (model.recurrence &&
                (model.recurrent_heads % degrees[k] || model.recurrent_groups % degrees[k]))
                continue;
            /* weights of norms on each head are cut with their heads */
            const uint64_t kv_heads = model.kv_heads ? model.kv_heads : model.heads;
            if (model.qk_norm_wide && kv_heads % degrees[k]) continue;
            check_model(&model, &tensors, degrees[k]);
        }
        layout_release(&tensors);
    }
    catalog_list_release(&list);
}

/* Llama-3.1-8B over 16 ranks: 8 groups, which two ranks each copy; Redco cuts their 1,024 rows in
 * 16, so that keys and values are gathered. */
Test(shard_split, groups)
{
    struct rk_model model;
    struct layout tensors = {.files = 0};
    struct rk_plan plan = rk_plan_default();
    use_source_catalog();
    plan.tensor = plan.ranks = 16;
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, NULL), RK_OK);
    cr_assert_eq(manifest_of(&model, TENSOR_BF16, &tensors, NULL), RK_OK);
    int *axis = calloc(tensors.tensors + 1, sizeof *axis);
    const struct rk_shard_options options = {.split = RK_SPLIT_REDCO};
    cr_assert_eq(split_axes(&tensors, "", &options, &model, &plan, axis, NULL), RK_OK);
    /* by roles two all-reduces of 4,096 forward and two backward, each 2 * 15/16, of 2 bytes, in 32
     * layers; the embedding's one forward, and the head's one backward */
    const double roles = 2 * 4096 * 15. / 16 * 2 * (4 * 32 + 2);
    cr_assert_eq(split_sends(&tensors, "", &model, &plan, NULL), roles);
    cr_assert_gt(split_sends(&tensors, "", &model, &plan, axis), 1.2 * roles);
    free(axis);
    layout_release(&tensors);
}
