#include "megatron/bridge.h"
#include "keys/target.h"
#include "megatron/megatron_args.h"
#include "plan/members.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of Megatron Core's arguments, which megatron_write.c makes of a plan: the key that says the same
 * in a ConfigContainer. */
enum kind { VALUE, ON, OFF, LIST, TEXT };

/* clang-format off */
static const struct row {
    const char *flag, *key;
    enum kind kind;
    const char *text; /* TEXT: whatever the argument's value */
} rows[] = {
#define ROW(flag, key, kind, text) {flag, key, kind, text},
#include "tables/bridge-plan.h"
#undef ROW
};

/* Its recipes of mixed precision; NULL: it has none. */
static const char *const mixed[RK_PRECISIONS] = {
    [RK_BF16] = "bf16_mixed", [RK_FP16] = "fp16_mixed",
    [RK_FP8_DELAYED] = "bf16_with_fp8_delayed_scaling_mixed",
    [RK_FP8_CURRENT] = "bf16_with_fp8_current_scaling_mixed",
    [RK_MXFP8] = "bf16_with_mxfp8_mixed",
    [RK_FP8_BLOCK] = "bf16_with_fp8_subchannel_scaling_mixed",
    [RK_NVFP4] = "bf16_with_nvfp4_mixed",
};
/* clang-format on */

enum { MOST_WORDS = 512, CORE_VERSION = 16 };

static void write_row(FILE *file, const struct row *row, const char *value)
{
    fprintf(file, "%s: ", row->key);
    if (row->kind == ON || row->kind == OFF)
        fputs(row->kind == ON ? "true" : "false", file);
    else if (row->kind == TEXT)
        fputs(row->text, file);
    else if (row->kind == LIST) {
        putc('[', file);
        for (; *value; value++)
            putc(*value == ' ' ? ',' : *value, file);
        putc(']', file);
    } else {
        fputs(value, file);
    }
    putc('\n', file);
}

static void write_rows(FILE *file, const struct rk_model *model, const struct rk_plan *plan)
{
    char *words[MOST_WORDS];
    const size_t count = megatron_run_words(model, plan, CORE_VERSION, words, MOST_WORDS);
    bool fused = false, layout = false;
    for (size_t i = 0; i + 1 < count; i += 2) {
        fused |= strcmp(words[i], "--cross-entropy-loss-fusion") == 0;
        layout |= strcmp(words[i], "--pipeline-model-parallel-layout") == 0;
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            if (strcmp(words[i] + 2, rows[k].flag) == 0) write_row(file, &rows[k], words[i + 1]);
    }
    for (size_t i = 0; i < count; i++)
        free(words[i]);
    if (plan->chunks > 1 && !layout)
        fprintf(file, "model.virtual_pipeline_model_parallel_size: %" PRIu64 "\n", plan->chunks);
    if (!fused) fputs("model.cross_entropy_loss_fusion: false\n", file); /* its preset is true */
    if (mixed[plan->precision]) fprintf(file, "mixed_precision: %s\n", mixed[plan->precision]);
    fputs("train.train_iters: 20\n", file);
}

void bridge_write_model(FILE *file, const struct rk_model *model)
{
    struct rk_plan plan = plan_of_framework(RK_MEGATRON);
    plan.ranks = plan.batch = 1;
    write_rows(file, model, &plan);
}

static void write_file(FILE *file, const struct rk_model *m, const struct rk_plan *p,
                       uint64_t gpus_per_node)
{
    (void)gpus_per_node;
    write_rows(file, m, p);
}

static void write_head(FILE *file, const struct rk_model *m, const struct rk_plan *p)
{
    (void)m;
    (void)p;
    fprintf(file,
            "# Overrides of Megatron-Bridge 0.5, written by reckon %s, for\n"
            "# torchrun ... " BRIDGE_COMMAND "\n",
            RECKON_VERSION);
}

static const char *const outside[] = {"imbalance", "natural_load", "gathered_copies",
                                      "compiled_rows", NULL};
static const char *const conventions[] = {
    "sequence",    "flash_attention", "causal_skip",    "count_embeddings",
    "rotary_base", "norm_epsilon",    "router_scaling", NULL};

const struct target bridge_target = {.name = "Megatron-Bridge",
                                     .file = BRIDGE_FILE,
                                     .who = BY_BRIDGE,
                                     .write = write_file,
                                     .head = write_head,
                                     .read = nemo_read,
                                     .given_gpus = true,
                                     .outside = outside,
                                     .conventions = conventions};
