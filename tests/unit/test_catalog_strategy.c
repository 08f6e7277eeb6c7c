/* Strategy files: defaults, all keys, and what is wrong with one. */
#include "catalog/readers.h"
#include "catalog_cases.h"

#include <reckon/catalog.h>
#include <stdio.h>

static enum rk_status read_text(const char *text, struct rk_plan *plan, struct rk_error *error)
{
    struct document document;
    struct plan_draft draft;
    enum rk_status status = document_parse("x.json", text, strlen(text), &document, error);
    if (status == RK_OK) status = strategy_read(&document, &draft, error);
    if (status == RK_OK) *plan = draft.plan;
    document_release(&document);
    return status;
}

static int tier_of(const struct rk_plan *plan, enum rk_share share)
{
    for (int i = 0; i < RK_SHARE_TIERS; i++)
        if (plan->share[share][i] == 1) return i + 1;
    return 0;
}

Test(catalog_strategy, presets)
{
    struct rk_plan read;
    struct rk_error error;
    cr_assert_eq(read_text("{\"batch\": 8}", &read, &error), RK_OK, "%s", formatted(&error));
    cr_expect_eq(read.ranks, 1);
    cr_expect_eq(read.tensor, 1);
    cr_expect_eq(read.pipeline, 1);
    cr_expect_eq(read.framework, RK_CALCULON);
    cr_expect_eq(read.chunks, 1);
    cr_expect_eq(read.batch, 8);
    cr_expect_eq(read.microbatch, 1);
    cr_expect_eq(read.precision, RK_FP16);
    cr_expect(read.training && read.fused);
    cr_expect_eq(read.recompute, RK_KEEP);
    cr_expect_not(read.sequence_parallel || read.messages_sharded);
    cr_expect_eq(read.tensor_overlap, RK_OVERLAP_NONE);
    cr_expect_not(read.zero || read.regather || read.gradient_overlap);
    for (int i = 0; i < RK_SHARES; i++)
        cr_expect_eq(tier_of(&read, (enum rk_share)i), 0);
    cr_expect_eq(read.tensor_network + read.pipeline_network + read.data_network, 0);
}

Test(catalog_strategy, degrees_complete_each_other)
{
    struct rk_plan read;
    struct rk_error error;
    cr_assert_eq(
        read_text("{\"tensor\": 8, \"pipeline\": 4, \"data\": 2, \"batch\": 8}", &read, &error),
        RK_OK, "%s", formatted(&error));
    cr_expect_eq(read.ranks, 64);
    cr_assert_eq(read_text("{\"tensor\": 8, \"gpus\": 64, \"batch\": 8}", &read, &error), RK_OK);
    cr_expect_eq(rk_plan_data(&read), 8);
}

Test(catalog_strategy, offload_is_a_tier_or_a_flag)
{
    struct rk_plan read;
    struct rk_error error;
    cr_assert_eq(read_text("{\"batch\": 1, \"weight_offload\": true, \"activation_offload\": 2,"
                           "\"optimizer_offload\": false}",
                           &read, &error),
                 RK_OK, "%s", formatted(&error));
    cr_expect_eq(tier_of(&read, RK_SHARE_WEIGHTS), 1);
    cr_expect_eq(tier_of(&read, RK_SHARE_ATTENTION), 2);
    cr_expect_eq(tier_of(&read, RK_SHARE_CHECKPOINTS), 2);
    cr_expect_eq(tier_of(&read, RK_SHARE_OPTIMIZER), 0);
}

static const struct bad_case texts[] = {
    {"{}", "x.json:1:1: missing key \"batch\" (samples of one step, over all ranks): add it"},
    {"{\"batch\": 0}", "x.json:1:11: batch: must be >= 1, got 0"},
    {"{\"batch\": 8, \"tensor\": 0}", "x.json:1:24: tensor: must be >= 1, got 0"},
    {"{\"batch\": 8, \"tensor\": -4}", "x.json:1:24: tensor: must be >= 1, got -4"},
    {"{\"batch\": 8, \"tensor_par\": 4}",
     "x.json:1:14: unknown key \"tensor_par\"; did you mean \"tensor\"?"},
    {"{\"batch\": 8, \"gpus\": 64, \"tensor\": 3}",
     "x.json:1:22: gpus: tensor 3 * pipeline 1 * data 21 = 63 is not gpus = 64: change one of "
     "them"},
    {"{\"batch\": 8, \"gpus\": 64, \"tensor\": 8, \"pipeline\": 8, \"data\": 2}",
     "x.json:1:22: gpus: tensor 8 * pipeline 8 * data 2 = 128 is not gpus = 64: change one of "
     "them"},
    {"{\"batch\": 9, \"data\": 2}", "x.json:1:11: batch: 9 samples are not divisible by data 2 * "
                                    "microbatch 1 = 2: change one of them"},
    {"{\"batch\": 8, \"tensor\": 9007199254740992, \"pipeline\": 2}",
     "x.json:1:54: pipeline: tensor * pipeline is more than 2^53"},
    {"{\"batch\": 8, \"tensor\": 4294967296, \"data\": 4294967296}",
     "x.json:1:44: data: tensor * pipeline * data is more than 2^53"},
    {"{\"batch\": 8, \"recompute\": \"fulll\"}",
     "x.json:1:27: recompute: must be one of full, attention, none; got the string \"fulll\"; "
     "did you mean \"full\"?"},
    {"{\"batch\": 8, \"weight_offload\": \"yes\"}",
     "x.json:1:32: weight_offload: must be a memory tier (1, 2, ...), true or false, got the "
     "string \"yes\""},
    {"{\"batch\": 8, \"weight_offload\": -1}",
     "x.json:1:32: weight_offload: must be >= 0 and <= 4, got -1"},
    {"{\"batch\": 8, \"data_network\": 1e9}",
     "x.json:1:30: data_network: must be >= 0 and <= 4095, got 1000000000"},
    {"{\"batch\": 8, \"datatype\": \"fp16\"}",
     "x.json:1:26: datatype: must be one of float8, float16, bfloat16, float32; got the string "
     "\"fp16\""},
};

Test(catalog_strategy, bad_texts)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct rk_plan read = {.ranks = 77};
        struct rk_error error = {0};
        cr_expect_eq(read_text(texts[i].input, &read, &error), RK_BAD_INPUT, "%s", texts[i].input);
        cr_expect_str_eq(formatted(&error), texts[i].message, "%s", formatted(&error));
        cr_expect_eq(read.ranks, 77, "untouched on failure");
    }
}

/* Every key, under the name that a plan has for it. */
Test(catalog_strategy, every_key)
{
    struct rk_plan read;
    struct rk_error error;
    static const char text[] =
        "{\"gpus\": 4096, \"tensor\": 8, \"pipeline\": 16, \"data\": 32, \"interleaving\": 2,"
        " \"batch\": 1024, \"microbatch\": 2, \"datatype\": \"float8\", \"training\": false,"
        " \"recompute\": \"attention\", \"optimizer_sharding\": true, \"tensor_comm\": \"rs_ag\","
        " \"redo_all_gather\": true, \"data_overlap\": true, \"tensor_overlap\": \"pipe\","
        " \"optimizer_offload\": 3, \"fused_activation\": false, \"tensor_network\": 1,"
        " \"pipeline_network\": 2, \"data_network\": 3}";
    cr_assert_eq(read_text(text, &read, &error), RK_OK, "%s", formatted(&error));
    cr_expect(read.ranks == 4096 && read.tensor == 8 && read.pipeline == 16 && read.chunks == 2);
    cr_expect(read.batch == 1024 && read.microbatch == 2 && read.precision == RK_FP8_CURRENT);
    cr_expect(read.recompute == RK_SELECTIVE &&
              read.recompute_parts == 1u << RK_PART_CORE_ATTENTION);
    cr_expect(read.zero == 1 && read.sequence_parallel && !read.messages_sharded);
    cr_expect(read.regather && read.gradient_overlap && !read.training && !read.fused);
    cr_expect_eq(read.tensor_overlap, RK_OVERLAP_PIPE);
    cr_expect_eq(tier_of(&read, RK_SHARE_OPTIMIZER), 3);
    cr_expect(read.tensor_network == 1 && read.pipeline_network == 2 && read.data_network == 3);
    cr_assert_eq(read_text("{\"batch\": 1, \"tensor_comm\": \"p2p_rs_ag\"}", &read, &error), RK_OK);
    cr_expect(read.messages_sharded && !read.sequence_parallel);
}
