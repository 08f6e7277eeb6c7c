/* trainer.c - configurations around the trainer of Hugging Face: TrainingArguments, accelerate,
 * axolotl, LLaMA-Factory. They say batch, precision, sharding and recomputation, by DeepSpeed or
 * FSDP or neither; the model is the caller's. */
#include "base/number.h"
#include "base/text.h"
#include "keys/reader.h"
#include "keys/settings_check.h"
#include "trainers/deepspeed.h"
#include "trainers/sample_lengths.h"
#include "trainers/trainer_files.h"
#include "trainers/trainer_keys.h"
#include "trainers/trainer_tuning.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what follows from the settings ---- */

struct reading {
    const struct config_source *source;
    const struct settings *settings;
    struct trainer t;
    const struct rk_model *m;
    struct rk_plan *p;
    struct notes *notes;
    struct rk_error *error;
};

static enum rk_status fail(const struct reading *r, const char *text)
{
    return rk_fail(r->error, RK_BAD_INPUT, r->settings->path, 0, 0, "%s", text);
}

/* Of GPUs, by torch or DeepSpeed? */
static enum rk_status check_kind(const struct reading *r)
{
    const struct trainer *t = &r->t;
    if (t->launch == LAUNCH_MEGATRON || t->launch > LAUNCH_ONE)
        return settings_fail(r->settings, settings_find(r->settings, "distributed_type"), r->error,
                             "not a run on GPUs by torch or DeepSpeed, which plans do not cover");
    return RK_OK;
}

static enum rk_status read_degrees(const struct reading *r)
{
    const struct trainer *t = &r->t;
    struct rk_plan *p = r->p;
    const uint64_t sizes[] = {t->tensor,    t->context, t->ring,       t->ulysses,
                              t->replicate, t->expert,  t->microbatch, t->accumulation};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] < 1 || sizes[i] > 1 << 24)
            return fail(r, "a degree or batch is not 1 to 2^24");
    p->tensor = t->tensor;
    p->context = t->context * t->ring * t->ulysses; /* at most one is above 1 */
    p->context_kind = t->ulysses > 1 ? RK_ULYSSES : t->ring > 1 || t->rotate ? RK_RING : RK_GATHER;
    if (p->context == 1) p->context_kind = RK_RING;
    p->expert = t->expert;
    const uint64_t processes = t->launch == LAUNCH_ONE ? 1 : t->processes;
    p->ranks = r->source->gpus ? r->source->gpus : processes;
    if (!r->source->gpus && processes < t->processes)
        notes_add(r->notes, NOTE_WARNING, 0, 0, "distributed_type", "NO",
                  "starts one process, whatever num_processes says");
    const uint64_t sharded = t->shard > 0 ? (uint64_t)t->shard : 1;
    if (!p->ranks && t->shard > 0) p->ranks = sharded * t->replicate * p->tensor * p->context;
    if (!p->ranks) p->ranks = notes_machine(r->notes, r->source->machine);
    if (!p->ranks) return fail(r, "nothing says how many GPUs are used: give --gpus N");
    if (p->ranks > 1 << 24 || p->ranks % (p->tensor * p->context))
        return fail(r, "the GPUs are not divisible by the degrees of tensor and context "
                       "parallelism: give another --gpus");
    return RK_OK;
}

static enum rk_status read_batch(const struct reading *r)
{
    const struct trainer *t = &r->t;
    struct rk_plan *p = r->p;
    p->microbatch = t->microbatch;
    p->batch = t->batch ? t->batch : t->microbatch * t->accumulation * rk_plan_data(p);
    if (p->batch % (p->microbatch * rk_plan_data(p)))
        return fail(r,
                    "batch_size is not a multiple of the microbatch times the data-parallel GPUs");
    p->sequence = t->sequence == r->m->sequence ? 0 : t->sequence;
    if (!t->sequence) {
        char text[32];
        snprintf(text, sizeof text, "%" PRIu64, r->m->sequence);
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "sequence", text, "the model's: the file has none");
    }
    if (!settings_find(r->settings, "per_device_train_batch_size") &&
        !settings_find(r->settings, "per_gpu_train_batch_size") &&
        !settings_find(r->settings, "micro_batch_size") && !t->batch) {
        const struct setting *own = settings_find(r->settings, "train_batch_size");
        if (!own) own = settings_find(r->settings, "batch_size");
        if (own)
            return settings_fail(r->settings, own, r->error,
                                 "says not whether it counts the samples of one GPU or of all: "
                                 "give --set per_device_train_batch_size=N");
        char text[32];
        snprintf(text, sizeof text, "%" PRIu64, t->microbatch);
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "per_device_train_batch_size", text,
                  "the trainer's default");
    }
    return RK_OK;
}

/* DeepSpeed-Chat's main.py, and the many made of it: `--zero_stage 2 --offload --deepspeed`, the
 * last with no file, and fp16 where no type is said (utils/ds_utils.py). */
static bool says_stage(const struct reading *r)
{
    return settings_find(r->settings, "zero_stage") != NULL;
}

static void note_wide(const struct reading *r)
{
    if (r->p->precision == RK_FP32 && !settings_find(r->settings, "bf16") &&
        !settings_find(r->settings, "fp16") && !settings_find(r->settings, "mixed_precision"))
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "precision", "fp32",
                  "the trainer's default: the file has neither bf16 nor fp16");
}

static void read_precision(const struct reading *r)
{
    const struct trainer *t = &r->t;
    const bool own_fp16 = t->fp16 == 1 && !t->bf16; /* over what accelerate's file says */
    const bool bf16 = t->bf16 || (t->mixed == MIXED_BF16 && !own_fp16) || t->tuning.pure ||
                      trainer_tuning_loads(&t->tuning, "bfloat16");
    const bool fp16 =
        t->fp16 || t->mixed == MIXED_FP16 || trainer_tuning_loads(&t->tuning, "float16");
    r->p->precision = t->fp8 || t->mixed == MIXED_FP8 ? RK_FP8_CURRENT
                      : bf16                          ? RK_BF16
                      : fp16                          ? RK_FP16
                      : t->tf32                       ? RK_TF32
                                                      : RK_FP32;
    if (says_stage(r) && trainer_tuning_loads(&t->tuning, "bf16")) r->p->precision = RK_BF16;
    if (says_stage(r) && r->p->precision == RK_FP32 && !t->tuning.type) {
        r->p->precision = RK_FP16;
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "precision", "fp16",
                  "that of DeepSpeed-Chat's programs where no type is said");
    }
    r->p->weights_fp8 = t->gather && r->p->precision == RK_FP8_CURRENT;
    if (t->bf16 == 2)
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "bf16", "auto",
                  "current GPUs have it: assumed to be on");
    if (!r->t.deepspeed) note_wide(r); /* a file of DeepSpeed's may say another */
}

/* ---- DeepSpeed ---- */

static void put_string(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++) {
        if (strchr("\"\\", *text)) putc('\\', file);
        putc(*text, file);
    }
    putc('"', file);
}

/* Settings below "deepspeed." or given by words, as DeepSpeed's own. */
static char *inline_config(const struct reading *r)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file) return NULL;
    for (size_t i = 0; i < r->settings->count; i++) {
        const struct setting *s = &r->settings->setting[i];
        const bool below = strncmp(s->key, "deepspeed.", 10) == 0;
        if (!below && strncmp(s->key, "zero_optimization.", 18) != 0) continue;
        put_string(file, below ? s->key + 10 : s->key);
        fputs(": ", file);
        put_string(file, s->null ? "" : s->text);
        putc('\n', file);
    }
    fclose(file);
    if (size) return text;
    free(text);
    return NULL;
}

/* Remarks about settings of this file stand where these do. */
static void place_notes(const struct reading *r, int from)
{
    char key[128];
    for (int i = from; i < r->notes->count; i++) {
        struct rk_finding *note = &r->notes->note[i];
        snprintf(key, sizeof key, "deepspeed.%s", note->what);
        const struct setting *s = settings_find(r->settings, key);
        if (!s) s = settings_find(r->settings, note->what);
        if (!s) continue;
        snprintf(note->what, sizeof note->what, "%s", s->key);
        note->line = s->line;
        note->column = s->column;
    }
}

/* "zero3_offload" and the like: ms-swift's own files (swift/llm/ds_config). */
static bool read_named_zero(const struct reading *r)
{
    const char *name = r->t.deepspeed ? r->t.deepspeed : "";
    if (strncmp(name, "default-", 8) == 0) name += 8;
    if (strncmp(name, "zero", 4) != 0 || name[4] < '0' || name[4] > '3') return false;
    const bool offload = strcmp(name + 5, "_offload") == 0 || strcmp(name + 5, "-offload") == 0;
    if (name[5] && !offload) return false;
    const struct deepspeed_choices c = {.stage = (uint64_t)(name[4] - '0'),
                                        .optimizer_device = offload,
                                        .param_device = offload && name[4] == '3',
                                        .overlap = -1,
                                        .optimizer = -1,
                                        .accumulate = -1,
                                        .prefetch = 50000000,
                                        .ratio = 1};
    deepspeed_choose(&c, r->p);
    return true;
}

static enum rk_status read_deepspeed(const struct reading *r)
{
    struct deepspeed_choices c;
    const bool named = r->t.deepspeed && *r->t.deepspeed;
    const int before = r->notes->count;
    char *text = inline_config(r);
    const bool here = text != NULL;
    if (!text && named) text = trainer_file(r->source, r->t.deepspeed);
    if (!text && named)
        return settings_fail(r->settings, settings_find(r->settings, "deepspeed"), r->error,
                             "%.80s is not next to this file: give --set deepspeed=PATH, or --set "
                             "zero_optimization.stage=N",
                             r->t.deepspeed);
    const struct config_source source = {
        .path = named ? r->t.deepspeed : r->source->path, .text = text, .keys = r->source->keys};
    const enum rk_status status = deepspeed_choices(&source, &c, r->notes, r->error);
    free(text);
    if (here) place_notes(r, before);
    if (status != RK_OK && here) notes_refusal(r->notes, r->source->path, r->error);
    if (status != RK_OK) return status;
    const enum rk_optimizer said = r->p->optimizer;
    deepspeed_choose(&c, r->p);
    if ((r->t.tuning.optimizer || said != RK_ADAM) && r->p->optimizer != said)
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "optimizer.type",
                  rk_optimizer_name(r->p->optimizer),
                  "DeepSpeed's file has it: optim does not count");
    r->p->precision = c.bf16 ? RK_BF16 : c.fp16 ? RK_FP16 : r->p->precision;
    if (r->t.deepspeed) note_wide(r);
    return RK_OK;
}

/* accelerate's own short form, and DeepSpeed-Chat's, whose --offload is of both. */
static void read_zero(const struct reading *r)
{
    const struct deepspeed_choices c = {
        .stage = (uint64_t)(r->t.zero_stage < 0 ? 2 : r->t.zero_stage),
        .optimizer_device = r->t.optimizer_device,
        .param_device =
            says_stage(r) && r->t.optimizer_device ? r->t.optimizer_device : r->t.param_device,
        .overlap = says_stage(r) ? 1 : -1, /* get_train_ds_config of ds_utils.py */
        .optimizer = -1,
        .accumulate = -1,
        .prefetch = says_stage(r) ? 30000000 : 50000000,
        .ratio = 1};
    deepspeed_choose(&c, r->p);
}

/* ---- FSDP ---- */

static bool said(const struct reading *r, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "fsdp_config.%s", name);
    return settings_find(r->settings, name) || settings_find(r->settings, key);
}

static void read_fsdp(const struct reading *r)
{
    const struct trainer *t = &r->t;
    struct rk_plan *p = r->p;
    int strategy = t->strategy % 5;
    const char *words = t->fsdp ? t->fsdp : "";
    if (strstr(words, "shard_grad_op")) strategy = SHARD_GRAD_OP;
    if (strstr(words, "no_shard")) strategy = SHARD_NONE;
    if (strstr(words, "hybrid_shard")) strategy = SHARD_HYBRID;
    if (t->reshard >= 2) strategy = t->reshard - 2; /* older files give the strategy there */
    p->zero = strategy == SHARD_NONE ? 0 : 3;
    p->keep_gathered = strategy == SHARD_GRAD_OP || strategy == SHARD_HYBRID_GRAD_OP ||
                       (t->reshard == 0 && t->version == 2);
    p->weight_overlap = p->zero == 3;
    p->flat_units = p->zero == 3 && t->version < 2;
    if (p->flat_units && !said(r, "version") && !said(r, "fsdp_version"))
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "fsdp_version", "1",
                  "accelerate's where none is said");
    p->share[RK_SHARE_WEIGHTS][0] = p->share[RK_SHARE_OPTIMIZER][0] =
        (t->offload || strstr(words, "offload")) && p->zero == 3;
    if (strategy >= SHARD_HYBRID && t->machines > 1 && p->ranks % t->machines == 0)
        p->shard_ranks = p->ranks / t->machines; /* within a machine */
    const uint64_t all = rk_plan_data(p) * p->context;
    if (t->replicate > 1 && all % t->replicate == 0) p->shard_ranks = all / t->replicate;
}

/* axolotl's plugins: that of Cut Cross Entropy is on with the plugin alone
 * (integrations/cut_cross_entropy/args.py), Liger's does what its own keys say
 * (integrations/liger/args.py). */
static void read_plugins(struct reading *r)
{
    for (size_t i = 0; i < r->settings->count; i++) {
        const struct setting *s = &r->settings->setting[i];
        if (strncmp(s->key, "plugins", strlen("plugins")) != 0) continue;
        if (text_ends_in(s->text, ".CutCrossEntropyPlugin")) {
            if (settings_find(r->settings, "cut_cross_entropy")) continue;
            r->t.chunked = true;
            notes_add(r->notes, NOTE_ASSUMED, 0, 0, "cut_cross_entropy", "true",
                      "its plugin's preset");
        } else if (!text_ends_in(s->text, ".LigerPlugin"))
            notes_add(r->notes, NOTE_WARNING, s->line, s->column, "plugins", s->text,
                      "is not followed: what it changes is not known");
        else if (!settings_has(r->settings, "liger_"))
            notes_add(r->notes, NOTE_WARNING, s->line, s->column, "plugins", s->text,
                      "changes nothing alone: liger_fused_linear_cross_entropy, liger_rms_norm and "
                      "the like turn its kernels on");
    }
}

static void read_kernels(const struct reading *r)
{
    const struct trainer *t = &r->t;
    static const enum rk_attention_kernel kernels[] = {
        RK_FLASH, RK_FLASH, RK_FLASH_3, RK_UNFUSED, RK_FLASH,
        RK_FLASH, RK_FLASH, RK_FLASH,   RK_FLASH_3, RK_FLASH_3};
    const bool checkpoints = t->checkpointing > 0 && !t->no_checkpointing;
    /* use_liger_kernel and its like have the fused loss on (liger_kernel, monkey_patch.py) */
    const bool all = t->unsloth || (t->liger && !settings_find(r->settings, "liger_rms_norm"));
    r->p->loss_in_chunks = t->chunked || all;
    r->p->attention =
        t->attention >= 0 && t->attention < COUNT_OF(kernels) ? kernels[t->attention] : RK_FLASH;
    r->p->fused = t->compile || (t->liger && t->liger_mlp) || all;
    if (checkpoints || t->fsdp_checkpointing) r->p->recompute = RK_WHOLE;
    r->p->recompute_to_end = checkpoints && t->reentrant;
    if (t->activation_offload || t->offloading > 0 || t->checkpointing > 1 || t->unsloth)
        rk_plan_offload_activations(r->p, 1);
    if (t->unsloth)
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "use_unsloth", "true",
                  "fused kernels, a loss in chunks (since December 2024), checkpoints on the host");
}

/* "auto" in DeepSpeed's part is what the trainer's arguments say. */
static void fill_accumulation(struct settings *settings)
{
    const struct setting *of_trainer = settings_find(settings, "gradient_accumulation_steps");
    for (size_t i = 0; of_trainer && i < settings->count; i++) {
        struct setting *s = &settings->setting[i];
        if (strcmp(s->key, "deepspeed_config.gradient_accumulation_steps") == 0 &&
            strcmp(s->text, "auto") == 0)
            s->text = of_trainer->text;
    }
}

/* DeepSpeed's part and the trainer's arguments must agree, or the trainer stops. */
static enum rk_status check_accumulation(const struct reading *r)
{
    const struct setting *of_trainer = settings_find(r->settings, "gradient_accumulation_steps");
    const struct setting *of_deepspeed =
        settings_find(r->settings, "deepspeed_config.gradient_accumulation_steps");
    if (!of_trainer || !of_deepspeed || strcmp(of_trainer->text, of_deepspeed->text) == 0)
        return RK_OK;
    return settings_fail(r->settings, of_deepspeed, r->error,
                         "is not the gradient_accumulation_steps of the training, %s, so that the "
                         "trainer does not start: give --set "
                         "deepspeed_config.gradient_accumulation_steps=%.20s",
                         of_trainer->text, of_trainer->text);
}

static bool has_deepspeed(const struct reading *r)
{
    return r->t.deepspeed || settings_has(r->settings, "deepspeed.") ||
           settings_has(r->settings, "zero_optimization.");
}

static bool is_of_fsdp(const struct reading *r)
{
    const struct trainer *t = &r->t;
    return t->launch == LAUNCH_FSDP || (t->fsdp && *t->fsdp) ||
           settings_has(r->settings, "fsdp_config.") || t->shard > 1;
}

static enum rk_status read_sharding(const struct reading *r)
{
    const struct trainer *t = &r->t;
    if (says_stage(r)) {
        read_zero(r);
        return RK_OK;
    }
    if (read_named_zero(r)) return RK_OK;
    if (has_deepspeed(r)) return read_deepspeed(r);
    if (t->launch == LAUNCH_DEEPSPEED)
        read_zero(r);
    else if (is_of_fsdp(r))
        read_fsdp(r);
    else
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "sharding", "none",
                  "neither DeepSpeed nor FSDP is named: every GPU keeps all weights");
    return RK_OK;
}

static bool takes(const struct reading *r, const char *key, const char *value, const char *why)
{
    if (settings_find(r->settings, key)) return false;
    notes_add(r->notes, NOTE_ASSUMED, 0, 0, key, value, "%s", why);
    return true;
}

/* DPOConfig and those of the other preferences have a longest sample of their own. */
static void take_preference_length(struct reading *r)
{
    const struct trainer_tuning *t = &r->t.tuning;
    if (!r->t.sequence && ((t->objective && *t->objective) || t->beta > 0) &&
        !settings_find(r->settings, "max_completion_length") &&
        takes(r, "max_length", "1024", "trl's default of preferences"))
        r->t.sequence = 1024;
}

/* trl is in 16 bits and has checkpoints where TrainingArguments are not and have none. A file with
 * its older name of the longest sample, max_seq_length, is of before. */
static void take_trl(struct reading *r)
{
    static const char *const own[] = {"use_peft",
                                      "packing",
                                      "dataset_text_field",
                                      "assistant_only_loss",
                                      "lora_r",
                                      "completion_only_loss"};
    bool trl = false;
    take_preference_length(r);
    if (settings_find(r->settings, "do_train"))
        return; /* of transformers' run_clm.py and its like */
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        trl |= settings_find(r->settings, own[i]) != NULL;
    if (!trl || settings_find(r->settings, "max_seq_length")) return;
    if (!r->t.fp16 && takes(r, "bf16", "true", "trl's default since 0.21")) r->t.bf16 = 1;
    if (takes(r, "gradient_checkpointing", "true", "trl's default since 0.21"))
        r->t.checkpointing = true;
    if (!r->t.sequence && takes(r, "max_length", "1024", "trl's default")) r->t.sequence = 1024;
    if (r->t.tuning.peft && takes(r, "lora_dropout", "0.05", "trl's default"))
        r->t.tuning.dropout = 0.05;
}

/* accelerate's file has none of what the training is told; what that leaves open is said. */
static void say_apart(const struct reading *r)
{
    static const struct {
        const char *key, *value;
    } defaults[] = {{"gradient_accumulation_steps", "1"},
                    {"attn_implementation", "sdpa"},
                    {"torch_compile", "false"},
                    {"gradient_checkpointing", "false"}};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        const bool here =
            (i == 0 &&
             settings_find(r->settings, "deepspeed_config.gradient_accumulation_steps")) ||
            (i == 3 && r->t.fsdp_checkpointing);
        if (!here)
            takes(r, defaults[i].key, defaults[i].value,
                  "the trainer's default: an argument of the training, not of this file; --set "
                  "gives it");
    }
}

static enum rk_status interpret(struct reading *r)
{
    const struct trainer *t = &r->t;
    *r->p = rk_plan_default();
    if (r->t.tuning.habits.trl) take_trl(r);
    r->p->framework = RK_FSDP;
    r->p->gradient_overlap = true;
    enum rk_status status = check_kind(r);
    if (status == RK_OK) status = check_accumulation(r);
    if (status != RK_OK) return status;
    status = read_degrees(r);
    if (status == RK_OK) status = read_batch(r);
    if (status != RK_OK) return status;
    if (t->tuning.habits.apart) say_apart(r);
    read_precision(r);
    read_plugins(r);
    read_kernels(r);
    status = sample_lengths_read(r->source, r->p->sequence ? r->p->sequence : r->m->sequence, r->p,
                                 r->notes, r->error);
    if (status != RK_OK) return status;
    r->p->length_grouped =
        t->sorted || (t->sampling && strcmp(t->sampling, "group_by_length") == 0);
    if (t->tuning.habits.trl && !t->tuning.objective)
        r->t.tuning.objective = objective_read(r->source, r->notes);
    r->t.tuning.unmixed = t->bf16 == BF16_FULL;
    status = trainer_tuning_read(r->settings, &t->tuning, r->p, r->notes, r->error);
    if (status != RK_OK) return status;
    status = read_sharding(r);
    if (status == RK_OK) trainer_tuning_keep(&t->tuning, is_of_fsdp(r), r->p, r->notes);
    return status;
}

static enum rk_status read_with(const struct key_table *table, const struct trainer *presets,
                                const struct config_source *source, const struct rk_model *model,
                                struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    struct settings settings;
    struct reading r = {source, &settings, *presets, model, plan, notes, error};
    enum rk_status status = settings_read(&settings, source->path, source->text, source->sets,
                                          source->set_count, error);
    if (status == RK_OK) status = trainer_fsdp_config(source, &settings, error);
    if (status == RK_OK) fill_accumulation(&settings);
    const bool whole = status == RK_OK;
    if (whole) status = keys_read(&settings, table, &source->keys, &r.t, notes, error);
    if (status == RK_OK)
        status = interpret(&r);
    else if (whole && settings_has(&settings, "deepspeed.")) /* what else is wrong */
        status = read_deepspeed(&r);
    if (plan->framework != RK_FSDP) plan->recompute_to_end = false; /* they all do */
    settings_release(&settings);
    return status;
}

#define PRESETS                                                                                    \
    .accumulation = 1, .tensor = 1, .context = 1, .ring = 1, .ulysses = 1, .replicate = 1,         \
    .expert = 1, .machines = 1, .shard = -1, .reshard = -1, .attention = -1, .zero_stage = -1,     \
    .version = 1, .reentrant = true

enum rk_status trainer_read(const struct config_source *source, struct rk_model *model,
                            struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    static const struct trainer presets = {
        PRESETS, .microbatch = 8, .tuning.rank = 16,
        .tuning.habits = {.loads_wide = true, .trl = true, .peft_decides = true, .on_4_bits = 2}};
    return read_with(&trainer_keys, &presets, source, model, plan, notes, error);
}

enum rk_status accelerate_read(const struct config_source *source, struct rk_model *model,
                               struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    static const struct trainer presets = {
        PRESETS, .microbatch = 1, .tuning.rank = 16,
        .tuning.habits = {.loads_wide = true, .peft_decides = true, .apart = true}};
    return read_with(&accelerate_keys, &presets, source, model, plan, notes, error);
}

enum rk_status axolotl_read(const struct config_source *source, struct rk_model *model,
                            struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    static const struct trainer presets = {PRESETS, .microbatch = 1, .tuning.doubles = true,
                                           .tuning.habits = {.all_linear = true}};
    return read_with(&axolotl_keys, &presets, source, model, plan, notes, error);
}

enum rk_status llama_factory_read(const struct config_source *source, struct rk_model *model,
                                  struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    static const struct trainer presets = {
        PRESETS,
        .microbatch = 8,
        .checkpointing = true,
        .sequence = 2048,
        .tuning.habits = {.all_linear = true, .upcasts = true, .asked = true},
        .tuning.rank = 8,
        .tuning.doubles = true,
        .tuning.galore_rank = 16,
        .tuning.apollo_rank = 16};
    return read_with(&llama_factory_keys, &presets, source, model, plan, notes, error);
}

enum rk_status ms_swift_read(const struct config_source *source, struct rk_model *model,
                             struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    static const struct trainer presets = {PRESETS,
                                           .microbatch = 1,
                                           .checkpointing = true,
                                           .bf16 = 1,
                                           .tuning.finetuning = "lora",
                                           .tuning.habits = {.all_linear = true},
                                           .tuning.rank = 8,
                                           .tuning.dropout = 0.05,
                                           .tuning.doubles = true,
                                           .tuning.galore_rank = 128};
    return read_with(&ms_swift_keys, &presets, source, model, plan, notes, error);
}

enum rk_status peft_read(const struct config_source *source, struct rk_model *model,
                         struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    static const struct trainer presets = {
        PRESETS,        .microbatch = 1,          .bf16 = 1,
        .processes = 1, .tuning.adapter = "lora", .tuning.rank = 8};
    return read_with(&peft_keys, &presets, source, model, plan, notes, error);
}
