/* deepspeed_check.c - what DeepSpeed refuses when it starts: DeepSpeedConfig, the classes of its
 * sections, and what makes optimizer and schedule of their names (engine.py) [deepspeed-config]. A
 * value "auto" is the trainer's to give, and nothing is said of it. */
#include "base/text.h"
#include "keys/settings_check.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* ---- optimizer and schedule ---- */

static const char *const own_optimizers[] = {
    "adagrad", "adam",    "adamw", "lamb", "onebitadam", "onebitlamb", "zerooneadam",
    "muadam",  "muadamw", "musgd", "lion", "muon",       NULL};

/* torch.optim's: by their exact names. */
static const char *const torch_optimizers[] = {
    "ASGD", "Adadelta", "Adafactor", "Adagrad", "Adam",  "AdamW", "Adamax",     "LBFGS",
    "Muon", "NAdam",    "RAdam",     "RMSprop", "Rprop", "SGD",   "SparseAdam", NULL};

static const char *const schedulers[] = {
    "LRRangeTest", "OneCycle", "WarmupLR", "WarmupDecayLR", "WarmupCosineLR",
    /* torch.optim.lr_scheduler's */
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts",
    "CyclicLR", "ExponentialLR", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR",
    "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR", NULL};

/* What each takes; of those that are not here nothing is known. */
static const struct takes {
    const char *name, *parameters, *needs;
} optimizer_parameters[] =
    {
#define ROW(name, parameters, needs) {name, parameters, needs},
#include "tables/deepspeed-optimizers.h"
},
  scheduler_parameters[] = {
#include "tables/deepspeed-schedulers.h"
#undef ROW
};

static bool in_list(const char *const *list, const char *text, bool any_case)
{
    for (; *list; list++)
        if ((any_case ? strcasecmp : strcmp)(*list, text) == 0) return true;
    return false;
}

static void check_parameters(const struct settings_check *c, const char *section,
                             const struct takes *takes)
{
    const size_t n = strlen(section);
    char key[96];
    for (size_t i = 0; i < c->settings->count; i++) {
        const struct setting *s = &c->settings->setting[i];
        if (strncmp(s->key, section, n) != 0) continue;
        const char *name = s->key + n;
        if (strcmp(name, "max_grad_norm") == 0)
            check_refuse(c, "1.unknown", s->key, "give gradient_clipping",
                         "is not a parameter of an optimizer");
        else if (text_word(takes->parameters, name, strcspn(name, "."), false) < 0)
            check_refuse(c, "1.unknown", s->key, "correct it, or leave it out",
                         "is none of its parameters");
    }
    for (const char *p = takes->needs; *p;) {
        const size_t length = strcspn(p, "|");
        snprintf(key, sizeof key, "%s%.*s", section, (int)length, p);
        if (!settings_find(c->settings, key))
            check_refuse(c, "1.missing", key, "give it", "is missing");
        p += length + (p[length] == '|');
    }
}

static void check_optimizer(const struct settings_check *c)
{
    const struct setting *type = check_find(c, "optimizer.type");
    const bool sharded = check_number(c, "zero_optimization.stage") >= 1;
    static const char *const sharded_ones[] = {
        "adam",    "adamw", "adagrad",    "lion",       "muon",        "lamb", "muadam",
        "muadamw", "musgd", "onebitadam", "onebitlamb", "zerooneadam", NULL};
    static const char *const bits[] = {"onebitadam", "onebitlamb", "zerooneadam", NULL};
    char fix[208];
    if (!type) return;
    if (!in_list(own_optimizers, type->text, true) &&
        !in_list(torch_optimizers, type->text, false)) {
        const char *nearest = text_nearest(type->text, torch_optimizers);
        snprintf(fix, sizeof fix, "did you mean %s?", nearest ? nearest : "AdamW");
        check_refuse(c, "1.value", "optimizer.type", fix,
                     "is an optimizer of neither DeepSpeed nor torch.optim");
        return;
    }
    if (sharded && in_list(bits, type->text, true))
        check_refuse(c, "12.excludes", "optimizer.type", "use stage 0, or AdamW",
                     "cannot run with stages 1 to 3 of zero_optimization");
    else if (sharded && !in_list(sharded_ones, type->text, true) &&
             !check_is_on(c, "zero_allow_untested_optimizer"))
        check_refuse(c, "12.needs", "optimizer.type", "set it to true, or use AdamW",
                     "is sharded with zero_allow_untested_optimizer only");
    if (strcasecmp(type->text, "lamb") == 0 && check_number(c, "fp16.loss_scale") > 0)
        check_refuse(c, "12.excludes", "optimizer.type", "use loss_scale 0",
                     "needs a scale of losses that follows them");
    for (size_t i = 0; i < sizeof optimizer_parameters / sizeof *optimizer_parameters; i++)
        if (strcasecmp(optimizer_parameters[i].name, type->text) == 0)
            check_parameters(c, "optimizer.params.", &optimizer_parameters[i]);
}

static void check_scheduler(const struct settings_check *c)
{
    const struct setting *type = check_find(c, "scheduler.type");
    char fix[208];
    if (!type) return;
    if (!in_list(schedulers, type->text, false)) {
        const char *nearest = text_nearest(type->text, schedulers);
        snprintf(fix, sizeof fix, "did you mean %s?", nearest ? nearest : "WarmupDecayLR");
        check_refuse(c, "1.value", "scheduler.type", fix,
                     "is a schedule of neither DeepSpeed nor torch.optim.lr_scheduler");
        return;
    }
    for (size_t i = 0; i < sizeof scheduler_parameters / sizeof *scheduler_parameters; i++)
        if (strcmp(scheduler_parameters[i].name, type->text) == 0)
            check_parameters(c, "scheduler.params.", &scheduler_parameters[i]);
}

/* ---- ranges ---- */

static const struct check_range ranges[] = {
    {"optimizer.params.lr", 0, INFINITY, false},
    {"optimizer.params.eps", 0, INFINITY, false},
    {"optimizer.params.weight_decay", 0, INFINITY, false},
    {"optimizer.params.betas.0", 0, 1, true},
    {"optimizer.params.betas.1", 0, 1, true},
    {"scheduler.params.lr_range_test_step_size", 1, INFINITY, false},
    {"scheduler.params.cycle_first_step_size", 1, INFINITY, false},
    {"fp16.loss_scale", 0, INFINITY, false},
    {"fp16.initial_scale_power", 0, INFINITY, false},
    {"fp16.loss_scale_window", 0, INFINITY, false},
    {"fp16.hysteresis", 0, INFINITY, false},
    {"fp16.min_loss_scale", 0, INFINITY, false},
    {"zero_optimization.reduce_bucket_size", 0, INFINITY, false},
    {"zero_optimization.allgather_bucket_size", 0, INFINITY, false},
    {"zero_optimization.sub_group_size", 0, INFINITY, false},
    {"zero_optimization.stage3_param_persistence_threshold", 0, INFINITY, false},
    {"zero_optimization.stage3_model_persistence_threshold", 0, INFINITY, false},
    {"zero_optimization.stage3_max_live_parameters", 0, INFINITY, false},
    {"zero_optimization.stage3_max_reuse_distance", 0, INFINITY, false},
    {"zero_optimization.zero_hpz_partition_size", 0, INFINITY, false},
    {"zero_optimization.offload_optimizer.buffer_count", 0, INFINITY, false},
    {"zero_optimization.offload_param.buffer_count", 0, INFINITY, false},
    {"zero_optimization.offload_param.buffer_size", 0, INFINITY, false},
    {"zero_optimization.offload_param.max_in_cpu", 0, INFINITY, false},
};

static const struct check_words chosen[] = {
    {"communication_data_type", "fp16|bf16|fp32"},
    {"seq_parallel_communication_data_type", "fp16|bf16|fp32"},
    {"scheduler.params.warmup_type", "log|linear"},
    {"checkpoint.tag_validation", "Ignore|Warn|Fail"},
};

/* ---- what needs or excludes another ---- */

static void check_groups(const struct settings_check *c, uint64_t gpus)
{
    static const char *const keys[] = {"zero_optimization.zero_hpz_partition_size",
                                       "zero_optimization.mics_shard_size"};
    char need[96];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const double size = check_number(c, keys[i]);
        if (!(size > 1) || !gpus || size > (double)gpus || fmod((double)gpus, size) == 0) continue;
        snprintf(need, sizeof need, "does not divide %" PRIu64 " GPUs", gpus);
        check_refuse(c, "6.shards", keys[i], "use a divisor", need);
    }
}

static void check_pairs(const struct settings_check *c)
{
    const double stage = check_number(c, "zero_optimization.stage");
    const bool sharded = stage >= 1, all = stage == 3;
    const char *optimizer = "zero_optimization.offload_optimizer.device";
    const char *weights = "zero_optimization.offload_param.device";
    const bool elastic = check_is_on(c, "elasticity.enabled") &&
                         !check_is_on(c, "elasticity.ignore_non_elastic_batch_info");
    const char *batch = check_find(c, "train_batch_size") ? "train_batch_size"
                        : check_find(c, "gradient_accumulation_steps")
                            ? "gradient_accumulation_steps"
                            : "train_micro_batch_size_per_gpu";
    const struct check_pair pairs[] = {
        {check_says(c, optimizer, "nvme") &&
             !check_find(c, "zero_optimization.offload_optimizer.nvme_path"),
         "12.needs", optimizer, "needs the folder of a disk", "give nvme_path next to it"},
        {check_says(c, weights, "nvme") &&
             !check_find(c, "zero_optimization.offload_param.nvme_path"),
         "12.needs", weights, "needs the folder of a disk", "give nvme_path next to it"},
        {check_says(c, optimizer, "nvme") && sharded && !all, "12.needs", optimizer,
         "a disk is used with stage 3 only", "use stage 3, or cpu"},
        {check_number(c, "zero_optimization.offload_optimizer.ratio") < 1 && !all, "12.needs",
         "zero_optimization.offload_optimizer.ratio", "a part is offloaded with stage 3 only",
         "use stage 3, or 1"},
        {check_is_on(c, "fp16.fp16_master_weights_and_grads") && !sharded, "12.needs",
         "fp16.fp16_master_weights_and_grads", "needs stages 1 to 3 of zero_optimization",
         "use stage 1"},
        {check_is_on(c, "bf16.bf16_master_weights_and_grads") && !sharded, "12.needs",
         "bf16.bf16_master_weights_and_grads", "needs stages 1 to 3 of zero_optimization",
         "use stage 1"},
        {check_is_on(c, "bf16.bf16_optimizer_states") &&
             !check_is_on(c, "bf16.bf16_master_weights_and_grads"),
         "12.needs", "bf16.bf16_optimizer_states", "needs bf16_master_weights_and_grads",
         "set it to true"},
        {check_is_on(c, "amp.enabled") && sharded, "12.excludes", "amp.enabled",
         "cannot run with stages 1 to 3 of zero_optimization", "use fp16 or bf16"},
        {all && check_says(c, "gradient_allreduce_op", "sum"), "12.excludes",
         "gradient_allreduce_op", "sum cannot run with stage 3", "use stage 2"},
        {check_number(c, "zero_optimization.zero_hpz_partition_size") > 1 && !all, "12.needs",
         "zero_optimization.zero_hpz_partition_size", "needs stage 3", "use stage 3"},
        {check_number(c, "zero_optimization.mics_shard_size") > 1 && !all, "12.needs",
         "zero_optimization.mics_shard_size", "needs stage 3", "use stage 3"},
        {elastic && check_find(c, batch), "12.excludes", batch,
         "cannot be given with elasticity, which chooses it",
         "leave it out, or set ignore_non_elastic_batch_info"},
    };
    check_pairs_of(c, pairs, CHECK_COUNT(pairs));
}

void deepspeed_check(const struct settings_check *c, uint64_t gpus)
{
    check_optimizer(c);
    check_scheduler(c);
    check_ranges_of(c, ranges, CHECK_COUNT(ranges));
    check_words_of(c, chosen, CHECK_COUNT(chosen));
    check_groups(c, gpus);
    check_pairs(c);
}
