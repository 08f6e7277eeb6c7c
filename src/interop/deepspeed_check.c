/* deepspeed_check.c - what DeepSpeed refuses when it starts: DeepSpeedConfig, the classes of its
 * sections, and what makes optimizer and schedule of their names (engine.py) [deepspeed-config]. A
 * value "auto" is the trainer's to give, and nothing is said of it. */
#include "base/text.h"
#include "interop/deepspeed.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct check {
    const struct settings *settings;
    struct notes *notes;
};

/* NULL: not there, null, or the trainer's. */
static const struct setting *find(const struct check *c, const char *key)
{
    const struct setting *s = settings_find(c->settings, key);
    return s && !s->null && strcmp(s->text, "auto") != 0 ? s : NULL;
}

static bool is_on(const struct check *c, const char *key)
{
    const struct setting *s = find(c, key);
    return s && key_flag(s->text) == 1;
}

static bool says(const struct check *c, const char *key, const char *text)
{
    const struct setting *s = find(c, key);
    return s && strcasecmp(s->text, text) == 0;
}

/* NAN: not there, or no number. */
static double number(const struct check *c, const char *key)
{
    const struct setting *s = find(c, key);
    char *end = NULL;
    const double value = s ? strtod(s->text, &end) : NAN;
    return s && end != s->text && !*end ? value : NAN;
}

static void refuse(const struct check *c, const char *rule, const char *key, const char *fix,
                   const char *need)
{
    const struct setting *s = settings_find(c->settings, key);
    notes_add_rule(c->notes, rule, NOTE_REFUSED, s ? s->line : 0, s ? s->column : 0, key,
                   s ? s->text : "", fix, "%s", need);
}

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
        {"adam",
         "lr|betas|eps|weight_decay|bias_correction|adam_w_mode|adamw_mode|amsgrad|set_grad_none|"
         "torch_adam|fp32_optimizer_states|foreach|maximize|capturable|differentiable|fused",
         ""},
        {"adamw",
         "lr|betas|eps|weight_decay|bias_correction|adam_w_mode|adamw_mode|amsgrad|set_grad_none|"
         "torch_adam|fp32_optimizer_states|foreach|maximize|capturable|differentiable|fused",
         ""},
        {"lamb",
         "lr|betas|eps|weight_decay|bias_correction|eps_inside_sqrt|amsgrad|max_coeff|min_coeff",
         ""},
        {"lion", "lr|betas|weight_decay|set_grad_none|fp32_optimizer_states", ""},
        {"onebitadam",
         "lr|betas|eps|weight_decay|bias_correction|eps_inside_sqrt|amsgrad|freeze_step|cuda_aware|"
         "comm_backend_name",
         ""},
},
  scheduler_parameters[] = {
      {"LRRangeTest",
       "lr_range_test_min_lr|lr_range_test_step_size|lr_range_test_step_rate|"
       "lr_range_test_staircase|last_batch_iteration",
       ""},
      {"OneCycle",
       "cycle_min_lr|cycle_max_lr|decay_lr_rate|cycle_first_step_size|cycle_second_step_size|"
       "cycle_first_stair_count|cycle_second_stair_count|decay_step_size|cycle_momentum|"
       "cycle_min_mom|cycle_max_mom|decay_mom_rate|last_batch_iteration",
       "cycle_min_lr|cycle_max_lr"},
      {"WarmupLR", "warmup_min_lr|warmup_max_lr|warmup_num_steps|warmup_type|last_batch_iteration",
       ""},
      {"WarmupDecayLR",
       "total_num_steps|warmup_min_lr|warmup_max_lr|warmup_num_steps|warmup_type|"
       "last_batch_iteration",
       "total_num_steps"},
      {"WarmupCosineLR",
       "total_num_steps|warmup_min_ratio|warmup_num_steps|cos_min_ratio|warmup_type|"
       "last_batch_iteration",
       "total_num_steps"},
};

static bool in_words(const char *words, const char *text, size_t length)
{
    for (const char *p = words; *p;) {
        const size_t n = strcspn(p, "|");
        if (n == length && strncmp(p, text, n) == 0) return true;
        p += n + (p[n] == '|');
    }
    return false;
}

static bool in_list(const char *const *list, const char *text, bool any_case)
{
    for (; *list; list++)
        if ((any_case ? strcasecmp : strcmp)(*list, text) == 0) return true;
    return false;
}

static void check_parameters(const struct check *c, const char *section, const struct takes *takes)
{
    const size_t n = strlen(section);
    char key[96];
    for (size_t i = 0; i < c->settings->count; i++) {
        const struct setting *s = &c->settings->setting[i];
        if (strncmp(s->key, section, n) != 0) continue;
        const char *name = s->key + n;
        if (strcmp(name, "max_grad_norm") == 0)
            refuse(c, "1.unknown", s->key, "give gradient_clipping",
                   "is no parameter of an optimizer");
        else if (!in_words(takes->parameters, name, strcspn(name, ".")))
            refuse(c, "1.unknown", s->key, "correct it, or leave it out",
                   "is none of its parameters");
    }
    for (const char *p = takes->needs; *p;) {
        const size_t length = strcspn(p, "|");
        snprintf(key, sizeof key, "%s%.*s", section, (int)length, p);
        if (!settings_find(c->settings, key)) refuse(c, "1.missing", key, "give it", "is missing");
        p += length + (p[length] == '|');
    }
}

static void check_optimizer(const struct check *c)
{
    const struct setting *type = find(c, "optimizer.type");
    const bool sharded = number(c, "zero_optimization.stage") >= 1;
    static const char *const sharded_ones[] = {
        "adam",    "adamw", "adagrad",    "lion",       "muon",        "lamb", "muadam",
        "muadamw", "musgd", "onebitadam", "onebitlamb", "zerooneadam", NULL};
    static const char *const bits[] = {"onebitadam", "onebitlamb", "zerooneadam", NULL};
    char fix[96];
    if (!type) return;
    if (!in_list(own_optimizers, type->text, true) &&
        !in_list(torch_optimizers, type->text, false)) {
        const char *nearest = text_nearest(type->text, torch_optimizers);
        snprintf(fix, sizeof fix, "did you mean %s?", nearest ? nearest : "AdamW");
        refuse(c, "1.value", "optimizer.type", fix,
               "is an optimizer of neither DeepSpeed nor torch.optim");
        return;
    }
    if (sharded && in_list(bits, type->text, true))
        refuse(c, "12.excludes", "optimizer.type", "use stage 0, or AdamW",
               "cannot run with stages 1 to 3 of zero_optimization");
    else if (sharded && !in_list(sharded_ones, type->text, true) &&
             !is_on(c, "zero_allow_untested_optimizer"))
        refuse(c, "12.needs", "optimizer.type", "set it to true, or use AdamW",
               "is sharded with zero_allow_untested_optimizer only");
    if (strcasecmp(type->text, "lamb") == 0 && number(c, "fp16.loss_scale") > 0)
        refuse(c, "12.excludes", "optimizer.type", "use loss_scale 0",
               "needs a scale of losses that follows them");
    for (size_t i = 0; i < sizeof optimizer_parameters / sizeof *optimizer_parameters; i++)
        if (strcasecmp(optimizer_parameters[i].name, type->text) == 0)
            check_parameters(c, "optimizer.params.", &optimizer_parameters[i]);
}

static void check_scheduler(const struct check *c)
{
    const struct setting *type = find(c, "scheduler.type");
    char fix[96];
    if (!type) return;
    if (!in_list(schedulers, type->text, false)) {
        const char *nearest = text_nearest(type->text, schedulers);
        snprintf(fix, sizeof fix, "did you mean %s?", nearest ? nearest : "WarmupDecayLR");
        refuse(c, "1.value", "scheduler.type", fix,
               "is a schedule of neither DeepSpeed nor torch.optim.lr_scheduler");
        return;
    }
    for (size_t i = 0; i < sizeof scheduler_parameters / sizeof *scheduler_parameters; i++)
        if (strcmp(scheduler_parameters[i].name, type->text) == 0)
            check_parameters(c, "scheduler.params.", &scheduler_parameters[i]);
}

/* ---- ranges ---- */

/* clang-format off */
static const struct range {
    const char *key;
    double least, most; /* below `most` where it is 1 */
} ranges[] = {
    {"optimizer.params.lr",                               0, INFINITY},
    {"optimizer.params.eps",                              0, INFINITY},
    {"optimizer.params.weight_decay",                     0, INFINITY},
    {"optimizer.params.betas.0",                          0, 1},
    {"optimizer.params.betas.1",                          0, 1},
    {"scheduler.params.lr_range_test_step_size",          1, INFINITY},
    {"scheduler.params.cycle_first_step_size",            1, INFINITY},
    {"fp16.loss_scale",                                   0, INFINITY},
    {"fp16.initial_scale_power",                          0, INFINITY},
    {"fp16.loss_scale_window",                            0, INFINITY},
    {"fp16.hysteresis",                                   0, INFINITY},
    {"fp16.min_loss_scale",                               0, INFINITY},
    {"zero_optimization.reduce_bucket_size",              0, INFINITY},
    {"zero_optimization.allgather_bucket_size",           0, INFINITY},
    {"zero_optimization.sub_group_size",                  0, INFINITY},
    {"zero_optimization.stage3_param_persistence_threshold", 0, INFINITY},
    {"zero_optimization.stage3_model_persistence_threshold", 0, INFINITY},
    {"zero_optimization.stage3_max_live_parameters",      0, INFINITY},
    {"zero_optimization.stage3_max_reuse_distance",       0, INFINITY},
    {"zero_optimization.zero_hpz_partition_size",         0, INFINITY},
    {"zero_optimization.offload_optimizer.buffer_count",  0, INFINITY},
    {"zero_optimization.offload_param.buffer_count",      0, INFINITY},
    {"zero_optimization.offload_param.buffer_size",       0, INFINITY},
    {"zero_optimization.offload_param.max_in_cpu",        0, INFINITY},
};

/* Those of one of few words. */
static const struct { const char *key, *words; } chosen[] = {
    {"communication_data_type",  "fp16|bf16|fp32"},
    {"seq_parallel_communication_data_type", "fp16|bf16|fp32"},
    {"scheduler.params.warmup_type", "log|linear"},
    {"checkpoint.tag_validation", "Ignore|Warn|Fail|ignore|warn|fail|IGNORE|WARN|FAIL"},
};
/* clang-format on */

static void check_values(const struct check *c)
{
    char need[96];
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const double value = number(c, ranges[i].key);
        if (isnan(value) || (value >= ranges[i].least && value < ranges[i].most)) continue;
        if (ranges[i].most <= 1)
            snprintf(need, sizeof need, "must be at least 0 and below 1");
        else
            snprintf(need, sizeof need, "must be at least %.0f", ranges[i].least);
        refuse(c, "1.value", ranges[i].key, "", need);
    }
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
        const struct setting *s = find(c, chosen[i].key);
        if (!s || in_words(chosen[i].words, s->text, strlen(s->text))) continue;
        snprintf(need, sizeof need, "must be one of %.60s", chosen[i].words);
        refuse(c, "1.value", chosen[i].key, "", need);
    }
}

/* ---- what needs or excludes another ---- */

static void check_groups(const struct check *c, uint64_t gpus)
{
    static const char *const keys[] = {"zero_optimization.zero_hpz_partition_size",
                                       "zero_optimization.mics_shard_size"};
    char need[96];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const double size = number(c, keys[i]);
        if (!(size > 1) || !gpus || size > (double)gpus || fmod((double)gpus, size) == 0) continue;
        snprintf(need, sizeof need, "does not divide %" PRIu64 " GPUs", gpus);
        refuse(c, "6.shards", keys[i], "use a divisor", need);
    }
}

static void check_pairs(const struct check *c)
{
    const double stage = number(c, "zero_optimization.stage");
    const bool sharded = stage >= 1, all = stage == 3;
    const char *optimizer = "zero_optimization.offload_optimizer.device";
    const char *weights = "zero_optimization.offload_param.device";
    const bool elastic =
        is_on(c, "elasticity.enabled") && !is_on(c, "elasticity.ignore_non_elastic_batch_info");
    const char *batch = find(c, "train_batch_size")              ? "train_batch_size"
                        : find(c, "gradient_accumulation_steps") ? "gradient_accumulation_steps"
                                                                 : "train_micro_batch_size_per_gpu";
    const struct {
        bool broken;
        const char *rule, *key, *need, *fix;
    } pairs[] = {
        {says(c, optimizer, "nvme") && !find(c, "zero_optimization.offload_optimizer.nvme_path"),
         "12.needs", optimizer, "needs the folder of a disk", "give nvme_path beside it"},
        {says(c, weights, "nvme") && !find(c, "zero_optimization.offload_param.nvme_path"),
         "12.needs", weights, "needs the folder of a disk", "give nvme_path beside it"},
        {says(c, optimizer, "nvme") && sharded && !all, "12.needs", optimizer,
         "a disk is used with stage 3 only", "use stage 3, or cpu"},
        {number(c, "zero_optimization.offload_optimizer.ratio") < 1 && !all, "12.needs",
         "zero_optimization.offload_optimizer.ratio", "a part is offloaded with stage 3 only",
         "use stage 3, or 1"},
        {is_on(c, "fp16.fp16_master_weights_and_grads") && !sharded, "12.needs",
         "fp16.fp16_master_weights_and_grads", "needs stages 1 to 3 of zero_optimization",
         "use stage 1"},
        {is_on(c, "bf16.bf16_master_weights_and_grads") && !sharded, "12.needs",
         "bf16.bf16_master_weights_and_grads", "needs stages 1 to 3 of zero_optimization",
         "use stage 1"},
        {is_on(c, "bf16.bf16_optimizer_states") && !is_on(c, "bf16.bf16_master_weights_and_grads"),
         "12.needs", "bf16.bf16_optimizer_states", "needs bf16_master_weights_and_grads",
         "set it to true"},
        {is_on(c, "amp.enabled") && sharded, "12.excludes", "amp.enabled",
         "cannot run with stages 1 to 3 of zero_optimization", "use fp16 or bf16"},
        {all && says(c, "gradient_allreduce_op", "sum"), "12.excludes", "gradient_allreduce_op",
         "sum cannot run with stage 3", "use stage 2"},
        {number(c, "zero_optimization.zero_hpz_partition_size") > 1 && !all, "12.needs",
         "zero_optimization.zero_hpz_partition_size", "needs stage 3", "use stage 3"},
        {number(c, "zero_optimization.mics_shard_size") > 1 && !all, "12.needs",
         "zero_optimization.mics_shard_size", "needs stage 3", "use stage 3"},
        {elastic && find(c, batch), "12.excludes", batch,
         "cannot be given with elasticity, which chooses it",
         "leave it out, or set ignore_non_elastic_batch_info"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].broken) refuse(c, pairs[i].rule, pairs[i].key, pairs[i].fix, pairs[i].need);
}

void deepspeed_check(const struct config_source *source, struct notes *notes)
{
    struct settings settings;
    struct rk_error error;
    const struct check c = {&settings, notes};
    if (settings_read(&settings, source->path, source->text, source->sets, source->set_count,
                      &error) == RK_OK) {
        check_optimizer(&c);
        check_scheduler(&c);
        check_values(&c);
        check_groups(&c, source->gpus);
        check_pairs(&c);
    }
    settings_release(&settings);
}
