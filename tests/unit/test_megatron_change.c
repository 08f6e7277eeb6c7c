/* Changing a script of Megatron-LM: spelling and order stay, and it is read back. */
#include "megatron_cases.h"

#include <reckon/catalog.h>
#include <stdlib.h>

static const char changeable[] =
    "TP=4 # ranks\nA=(\n    --tensor-model-parallel-size $TP\n    --recompute-activations # "
    "old\n)\n"
    "torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py ${A[@]} " BARE
    "--vocab-size 32000 --global-batch-size 64 --pipeline-model-parallel-size 2\n";

static enum rk_status change(const char *words, struct megatron_changes *changes, char **text,
                             struct rk_error *error)
{
    const struct megatron_options options = {.gpus = 0};
    struct rk_plan b;
    cr_assert_eq(read_text(changeable, &options, error), RK_OK, "%s", error->text);
    const struct rk_plan a = import.plan;
    const struct rk_model model = import.model;
    cr_assert_eq(rk_plan_parse(words, &b, error), RK_OK, "%s", error->text);
    return megatron_change("x.sh", changeable, sizeof changeable - 1, &options, &model, &a, &b,
                           changes, text, error);
}

Test(megatron_change, changes_keep_spelling_and_order)
{
    static struct megatron_changes changes;
    struct rk_error error = {.text = ""};
    char *text = NULL;
    cr_assert_eq(change("dp4 tp2 pp2 gbs64 zero1 attention=flash3 vocab-multiple=128", &changes,
                        &text, &error),
                 RK_OK, "%s", error.text);
    cr_assert_eq(changes.count, 3);
    cr_expect_str_eq(changes.change[0].flag, "--tensor-model-parallel-size");
    cr_expect_str_eq(changes.change[0].after, "2");
    cr_expect_str_eq(changes.change[1].flag, "--recompute-activations");
    cr_expect(!changes.change[1].is && changes.change[1].line == 4);
    cr_expect_str_eq(changes.change[2].flag, "--use-distributed-optimizer");
    cr_expect(changes.change[2].line == 0 && !changes.change[2].was);
    cr_expect_eq(
        strncmp(text, "TP=2 # ranks\nA=(\n    --tensor-model-parallel-size $TP\n     # old", 62), 0,
        "%s", text);
    cr_expect(strstr(text, "--use-distributed-optimizer --micro-batch-size 1"));
    free(text);
}

/* Stages that are uneven by counts of the ends are written as a layout, and read back as a list. */
Test(megatron_change, changes_write_a_layout)
{
    static struct megatron_changes changes;
    struct rk_error error = {.text = ""};
    char *text = NULL;
    cr_assert_eq(change("dp2 tp2 pp4 gbs64 zero1 attention=flash3 vocab-multiple=128 "
                        "embedding-counts head-counts",
                        &changes, &text, &error),
                 RK_OK, "%s", error.text);
    cr_expect(strstr(text, "--pipeline-model-parallel-layout"), "%s", text);
    free(text);
}

/* A plan that no argument of Megatron-LM says is not written as another one. */
Test(megatron_change, changes_are_read_back)
{
    static struct megatron_changes changes;
    struct rk_error error = {.text = ""};
    char *text = NULL;
    cr_expect_eq(change("dp2 tp4 pp2 gbs64 attention=flash3 vocab-multiple=128 zero1 imbalance=2 "
                        "schedule=zero-bubble",
                        &changes, &text, &error),
                 RK_BAD_INPUT);
    cr_expect(strstr(error.text, "change it by hand"), "%s", error.text);
    cr_expect_null(text);
}
