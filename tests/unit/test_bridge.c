/* Overrides of Megatron-Bridge: what a plan becomes, and what it loses by name. */
#include "keys/target.h"
#include "megatron/bridge.h"
#include "random_plans.h"

#include <criterion/criterion.h>
#include <reckon/catalog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct notes notes; /* large */

static struct rk_model load(const char *name)
{
    struct rk_model model;
    struct rk_error error;
    cr_assert_eq(rk_model_load(name, &model, &error), RK_OK, "%s", error.text);
    return model;
}

/* Keys that its configuration has in a form that no override can take (types of torch, recipes of
 * mixed precision), or leaves to the kernels. */
static bool may_be_lost(const char *key)
{
    static const char *const keys[] = {"attention",
                                       "rope_factor",
                                       "weights_fp8",
                                       "master_element_bytes",
                                       "moment1_element_bytes",
                                       "moment2_element_bytes",
                                       "gradient_element_bytes",
                                       "activation_offload",
                                       "optimizer_offload",
                                       "dispatcher",
                                       "expert_overlap",
                                       "ulysses",
                                       "context_kind",
                                       "cuda_graphs",
                                       "graph_parts",
                                       "fused",
                                       "transformer_engine"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0) return true;
    return false;
}

Test(bridge, plans_survive_or_lose_by_name)
{
    static const char *const names[] = {"llama3.1-8b", "llama3.1-70b", "mixtral-8x7b", "qwen3-8b"};
    struct rk_error error;
    for (int k = 0; k < 400; k++) {
        const struct rk_model model = load(names[k % 4]);
        const struct rk_plan p = random_megatron(&model);
        char *text = NULL;
        size_t size;
        FILE *memory = open_memstream(&text, &size);
        notes = (struct notes){.count = 0};
        const enum rk_status status =
            target_write(&bridge_target, memory, &model, &p, 0, &notes, &error);
        fclose(memory);
        cr_expect_eq(status, RK_OK, "%s", error.text);
        for (int i = 0; i < notes.count; i++)
            cr_expect(may_be_lost(notes.note[i].what), "%s %s: %s", notes.note[i].what,
                      notes.note[i].have, notes.note[i].need);
        free(text);
    }
}

/* Whatever an override may say, the reader of the same tool knows. */
Test(bridge, every_key_is_read)
{
    static const struct {
        const char *key, *kind;
    } rows[] = {
#define ROW(flag, key, kind, text) {key, #kind},
#include "tables/bridge-plan.h"
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char key[80];
        snprintf(key, sizeof key, "%s%s", rows[i].key, strcmp(rows[i].kind, "LIST") ? "" : ".0");
        const struct key *row = key_find(&nemo_keys, key);
        cr_expect(row && (strcmp(row->path, key) == 0 || !key_may_cost(key)), "%s", key);
    }
}

Test(bridge, sharded_plans_survive)
{
    static const char *const plans[] = {
        "gpus256 tp4 mbs2 gbs512 sp zero2 grad-overlap",
        "gpus256 tp4 mbs2 gbs512 sp zero3 grad-overlap weight-overlap",
        "gpus256 gbs512 zero3 grad-overlap weight-overlap recompute=full precision=fp8-current"};
    const struct rk_model model = load("qwen3-32b");
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct rk_plan plan;
        struct rk_error error;
        FILE *file = tmpfile();
        cr_assert_eq(rk_plan_parse(plans[i], &plan, &error), RK_OK, "%s", error.text);
        notes = (struct notes){.count = 0};
        cr_expect_eq(target_write(&bridge_target, file, &model, &plan, 0, &notes, &error), RK_OK,
                     "%s: %s", plans[i], error.text);
        for (int k = 0; k < notes.count; k++)
            cr_expect_str_neq(notes.note[k].what, "zero", "%s", plans[i]);
        fclose(file);
    }
}

Test(bridge, what_it_writes)
{
    static const char *const lines[] = {"model.num_layers: 80\n",
                                        "model.gated_linear_unit: true\n",
                                        "model.activation_func: silu\n",
                                        "model.virtual_pipeline_model_parallel_size: 5\n",
                                        "model.recompute_modules: [core_attn,layernorm]\n",
                                        "mixed_precision: bf16_with_fp8_current_scaling_mixed\n",
                                        "train.global_batch_size: 512\n",
                                        "ddp.use_distributed_optimizer: true\n"};
    const struct rk_model model = load("llama3.1-70b");
    struct rk_plan plan;
    struct rk_error error;
    char *text = NULL;
    size_t size;
    cr_assert_eq(rk_plan_parse("gpus256 tp4 pp4 vpp5 cp2 gbs512 sp zero1 precision=fp8-current "
                               "recompute=selective:core_attn+layernorm",
                               &plan, &error),
                 RK_OK, "%s", error.text);
    FILE *memory = open_memstream(&text, &size);
    notes = (struct notes){.count = 0};
    cr_assert_eq(target_write(&bridge_target, memory, &model, &plan, 0, &notes, &error), RK_OK,
                 "%s", error.text);
    fclose(memory);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_expect(strstr(text, lines[i]), "%s in\n%s", lines[i], text);
    free(text);
}

Test(bridge, refuses_what_it_would_not_train)
{
    static const char *const cases[][3] = {
        {"deepseek-v3", "gpus64 ep8 gbs64", "kv_rank"},
        {"llama3.1-8b", "gpus8 gbs64 precision=fp32", "precision"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rk_model model = load(cases[i][0]);
        struct rk_plan plan;
        struct rk_error error;
        bool named = false;
        cr_assert_eq(rk_plan_parse(cases[i][1], &plan, &error), RK_OK, "%s", error.text);
        notes = (struct notes){.count = 0};
        FILE *file = tmpfile();
        cr_expect_eq(target_write(&bridge_target, file, &model, &plan, 0, &notes, &error),
                     RK_UNSUPPORTED);
        cr_expect_eq(ftell(file), 0);
        for (int k = 0; k < notes.count; k++)
            named |= strcmp(notes.note[k].what, cases[i][2]) == 0;
        cr_expect(named, "%s", cases[i][0]);
        fclose(file);
    }
}
