/* megatron_deepspeed.c - what DeepSpeed's configuration decides in runs of Megatron-DeepSpeed: the
 * file that --deepspeed_config names, which most scripts write themselves. */
#include "keys/settings_check.h"
#include "megatron/megatron_args.h"
#include "trainers/deepspeed.h"

#include <inttypes.h>

#define FLAG(name) MEGATRON_##name##_FLAG
#define HAS(name)  megatron_has(args, FLAG(name))

/* The text of the file, from the script, from the script's folder, or NULL. */
static enum rk_status find_config(const struct megatron_args *args, const char **text)
{
    const struct shell_word *name = args->value[FLAG(DEEPSPEED_CONFIG)].word;
    struct shell_word written;
    *text = args->options->deepspeed;
    if (*text || !args->shell) return RK_OK;
    *text = shell_file(args->shell, name->text, &written);
    if (*text && (written.unknown || written.maybe))
        return shell_fail_unknown(args->shell, &written, args->error);
    if (*text || name->unknown) return RK_OK;
    *text = shell_beside(args->shell, name->text);
    return RK_OK;
}

/* DeepSpeed itself stops where its file and the arguments disagree. */
static enum rk_status compare_batches(const struct megatron_args *args,
                                      const struct deepspeed_choices *c, const struct rk_plan *plan)
{
    const struct shell_word *word = args->value[FLAG(DEEPSPEED_CONFIG)].word;
    if (c->microbatch && c->microbatch != plan->microbatch)
        return megatron_args_break(args, "3.divide", word,
                                   "train_micro_batch_size_per_gpu is %" PRIu64
                                   " in DeepSpeed's file, --micro-batch-size %" PRIu64
                                   ": correct one of them, or give --ignore "
                                   "train_micro_batch_size_per_gpu to take the argument's",
                                   c->microbatch, plan->microbatch);
    if (c->batch && c->batch != plan->batch)
        return megatron_args_break(args, "3.divide", word,
                                   "train_batch_size is %" PRIu64
                                   " in DeepSpeed's file, --global-batch-size %" PRIu64
                                   ": correct one of them, or give --ignore train_batch_size to "
                                   "take the argument's",
                                   c->batch, plan->batch);
    return RK_OK;
}

/* What DeepSpeed itself refuses in its file, whose lines are not the script's. */
static void check_config(const struct megatron_args *args, const struct config_source *source)
{
    const int before = args->notes->count;
    settings_check("deepspeed", source, args->notes);
    for (int i = before; i < args->notes->count; i++)
        args->notes->note[i].line = args->notes->note[i].column = 0;
}

static enum rk_status read_config(const struct megatron_args *args, const char *text,
                                  struct rk_plan *plan)
{
    const struct config_source source = {
        .path = "DeepSpeed's configuration",
        .text = text,
        .gpus = args->gpus,
        .keys = {.ignored = args->options->ignored, .ignored_count = args->options->ignored_count}};
    struct deepspeed_choices c;
    enum rk_status status = args->options->collect
                                ? RK_OK /* the script's own refusals have its lines */
                                : notes_refusal(args->notes, args->path, args->error);
    if (status == RK_OK) status = deepspeed_choices(&source, &c, args->notes, args->error);
    if (status == RK_OK) status = compare_batches(args, &c, plan);
    if (status != RK_OK) return status;
    if (args->options->collect) check_config(args, &source);
    deepspeed_bf16_optimizer(&c, args->notes);
    c.optimizer = -1; /* the program hands DeepSpeed its own, which is the one taken */
    deepspeed_choose(&c, plan);
    const double stage = megatron_number(args, FLAG(ZERO_STAGE), plan->zero);
    if (stage != plan->zero && !(c.implied && stage == 0)) {
        char said[24];
        snprintf(said, sizeof said, "%g", stage);
        megatron_note(args, NOTE_WARNING, FLAG(ZERO_STAGE), said,
                      "DeepSpeed's configuration says %d, which counts", plan->zero);
    }
    return RK_OK;
}

/* Without the file, as the argument says: scripts pass to both what is one variable in them. */
static enum rk_status read_argument(const struct megatron_args *args, struct rk_plan *plan)
{
    const struct shell_word *word = args->value[FLAG(DEEPSPEED_CONFIG)].word;
    const double stage = megatron_number(args, FLAG(ZERO_STAGE), -1);
    char text[16];
    if (stage < 0 || stage > 3 || stage != (double)(int)stage)
        return megatron_args_break(
            args, HAS(ZERO_STAGE) ? "1.value" : "1.missing", word,
            "DeepSpeed's configuration %s is not here, and --zero-stage does "
            "not tell how it shards: give --deepspeed FILE",
            word ? word->text : "");
    plan->zero = (int)stage;
    plan->gradient_overlap = plan->weight_overlap = plan->zero == 3;
    snprintf(text, sizeof text, "%d", plan->zero);
    if (args->foreign) return RK_OK; /* its own file said it */
    megatron_note(args, NOTE_WARNING, FLAG(ZERO_STAGE), text,
                  "is taken for what DeepSpeed's configuration says, which is not here: give "
                  "--deepspeed FILE to be sure, and for offload and overlap");
    return RK_OK;
}

enum rk_status megatron_deepspeed(const struct megatron_args *args, struct rk_plan *plan)
{
    const char *text = NULL;
    if (!HAS(DEEPSPEED) && !HAS(DEEPSPEED_CONFIG)) return RK_OK;
    plan->framework = RK_DEEPSPEED;
    plan->loss = RK_LOSS_CLONED;
    plan->bucket = 0; /* of Megatron's own gradients */
    plan->zero = 0;
    enum rk_status status = RK_OK;
    if (!HAS(DEEPSPEED_CONFIG) && !args->options->deepspeed) return read_argument(args, plan);
    status = find_config(args, &text);
    if (status == RK_OK) status = text ? read_config(args, text, plan) : read_argument(args, plan);
    if (status == RK_OK && plan->pipeline > 1 && plan->zero > 1)
        megatron_refuse(args, "12.excludes", FLAG(DEEPSPEED_CONFIG),
                        "ZeRO-%d cannot run with DeepSpeed's pipeline: at most 1", plan->zero);
    return status;
}
