/* trainer.c - configurations around the trainer of Hugging Face: TrainingArguments, accelerate,
 * axolotl, LLaMA-Factory. They say batch, precision, sharding and recomputation, by DeepSpeed or
 * FSDP or neither; the model is the caller's.
 *
 * Keys and defaults: transformers' training_args.py, accelerate's config_args.py and
 * dataclasses.py, axolotl's utils/schemas, LLaMA-Factory's hparams. */
#include "keys/key_rows.h"
#include "shell/shell.h"
#include "text/text_file.h"
#include "trainers/deepspeed.h"
#include "trainers/trainer_tuning.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum mixed { MIXED_NO, MIXED_FP16, MIXED_BF16, MIXED_FP8 };
enum launch { LAUNCH_PLAIN, LAUNCH_DEEPSPEED, LAUNCH_FSDP, LAUNCH_MEGATRON, LAUNCH_ONE };
enum strategy { SHARD_FULL, SHARD_GRAD_OP, SHARD_NONE, SHARD_HYBRID, SHARD_HYBRID_GRAD_OP };

#define STRATEGIES "FULL_SHARD|SHARD_GRAD_OP|NO_SHARD|HYBRID_SHARD|HYBRID_SHARD_ZERO2"

struct trainer {
    uint64_t microbatch, accumulation, batch, sequence, processes, machines;
    uint64_t tensor, context, ring, ulysses, replicate, expert;
    int64_t shard;
    int offloading; /* of axolotl: "false|true|..." */
    int mixed, launch, strategy, attention, zero_stage, optimizer_device, param_device;
    int bf16, fp16; /* "false|true|auto|full" */
    bool fp8, tf32, checkpointing, no_checkpointing, fsdp_checkpointing, activation_offload,
        offload;
    bool reentrant; /* checkpoints of `checkpointing` */
    bool compile, liger, liger_mlp;
    bool chunked; /* the head and its loss are one kernel over chunks of tokens */
    bool gather;  /* float8 weights are gathered in 8 bits */
    int rotate;   /* of torch's context parallelism: "allgather|alltoall" */
    int reshard;  /* of FSDP2: "false|true"; -1: not said */
    uint64_t version;
    const char *deepspeed, *fsdp, *type;
    struct trainer_tuning tuning;
};

#define AT(member) offsetof(struct trainer, member)

/* clang-format off */

/* What DeepSpeed's own file would say, where it stands within another or is given by words. */
#define DEEPSPEED_ROWS(prefix) LATER(prefix "*")

/* The names of FSDP's keys with and without "fsdp_" [accelerate]. */
#define FSDP_ROWS(prefix) \
    {prefix "sharding_strategy",       KEY_WORD, AT(strategy), STRATEGIES "|1|2|3|4|5", NULL}, \
    {prefix "reshard_after_forward",   KEY_WORD, AT(reshard), "false|true|" STRATEGIES, NULL}, \
    READ(prefix "offload_params",      KEY_FLAG, offload), \
    READ(prefix "activation_checkpointing", KEY_FLAG, fsdp_checkpointing), \
    READ(prefix "version",             KEY_COUNT, version)

/* Of TrainingArguments: what decides a plan. */
#define TRAINER_ROWS \
    READ("per_device_train_batch_size", KEY_COUNT, microbatch), READ("gradient_accumulation_steps", KEY_COUNT, accumulation), \
    {"bf16", KEY_WORD, AT(bf16), "false|true|auto|full", NULL}, {"fp16", KEY_WORD, AT(fp16), "false|true|auto|full", NULL}, \
    READ("gradient_checkpointing", KEY_FLAG, checkpointing), READ("torch_compile", KEY_FLAG, compile), READ("use_liger_kernel", KEY_FLAG, liger), READ("tf32", KEY_FLAG, tf32), \
    READ("optim", KEY_TEXT, tuning.optimizer), READ("gradient_checkpointing_kwargs.use_reentrant", KEY_FLAG, reentrant)

/* Of trl's model_config.py and of PEFT. */
#define PEFT_ROWS \
    READ("lora_r", KEY_COUNT, tuning.rank), READ("lora_dropout", KEY_NUMBER, tuning.dropout), \
    LATER("lora_target_modules"), LATER("lora_target_modules.*"), \
    READ("load_in_4bit", KEY_FLAG, tuning.four_bits), READ("load_in_8bit", KEY_FLAG, tuning.eight_bits)

static const struct key trainer_rows[] = {
    TRAINER_ROWS, PEFT_ROWS,
    READ("use_peft", KEY_FLAG, tuning.peft), READ("use_dora", KEY_FLAG, tuning.dora), READ("use_bnb_nested_quant", KEY_TEXT, tuning.double_),
    READ("max_seq_length", KEY_COUNT, sequence), READ("max_length", KEY_COUNT, sequence), READ("block_size", KEY_COUNT, sequence),
    READ("model_max_length", KEY_COUNT, sequence), READ("deepspeed", KEY_TEXT, deepspeed), DEEPSPEED_ROWS("deepspeed."), DEEPSPEED_ROWS("zero_optimization."),
    READ("fsdp", KEY_TEXT, fsdp), READ("fsdp.0", KEY_TEXT, fsdp), FSDP_ROWS("fsdp_config."), FSDP_ROWS("fsdp_config.fsdp_"),
    {"attn_implementation", KEY_WORD, AT(attention), "sdpa|flash_attention_2|flash_attention_3|eager", NULL},
#include "tables/fsdp.h"
#include "tables/trainer.h"
#include "tables/training-scripts.h"
#include "tables/transformers.h"
};

static const struct key accelerate_rows[] = {
    TRAINER_ROWS, PEFT_ROWS, READ("use_peft", KEY_FLAG, tuning.peft), READ("use_dora", KEY_FLAG, tuning.dora),
    {"distributed_type", KEY_WORD, AT(launch), "MULTI_GPU|DEEPSPEED|FSDP|MEGATRON_LM|NO|MULTI_XPU|MULTI_NPU|XLA|TPU|MULTI_CPU", NULL},
    {"mixed_precision", KEY_WORD, AT(mixed), "no|fp16|bf16|fp8", NULL},
    READ("num_processes", KEY_COUNT, processes), READ("num_machines", KEY_COUNT, machines),
    READ("max_seq_length", KEY_COUNT, sequence), READ("max_length", KEY_COUNT, sequence), READ("block_size", KEY_COUNT, sequence), READ("model_max_length", KEY_COUNT, sequence),
    READ("deepspeed", KEY_TEXT, deepspeed),
    {"attn_implementation", KEY_WORD, AT(attention), "sdpa|flash_attention_2|flash_attention_3|eager", NULL},
    FSDP_ROWS("fsdp_config."), FSDP_ROWS("fsdp_config.fsdp_"),
    {"deepspeed_config.zero_stage", KEY_WORD, AT(zero_stage), "0|1|2|3", NULL},
    {"deepspeed_config.offload_optimizer_device", KEY_WORD, AT(optimizer_device), "none|cpu|nvme", NULL},
    {"deepspeed_config.offload_param_device", KEY_WORD, AT(param_device), "none|cpu|nvme", NULL},
    READ("deepspeed_config.gradient_accumulation_steps", KEY_COUNT, accumulation), READ("deepspeed_config.deepspeed_config_file", KEY_TEXT, deepspeed),
    DEEPSPEED_ROWS("zero_optimization."),
    READ("parallelism_config.parallelism_config_dp_replicate_size", KEY_COUNT, replicate), READ("parallelism_config.parallelism_config_dp_shard_size", KEY_INTEGER, shard),
    READ("parallelism_config.parallelism_config_tp_size", KEY_COUNT, tensor), READ("parallelism_config.parallelism_config_cp_size", KEY_COUNT, context),
    READ("parallelism_config.parallelism_config_sp_size", KEY_COUNT, ulysses),
    {"parallelism_config.parallelism_config_cp_comm_strategy", KEY_WORD, AT(rotate), "allgather|alltoall", NULL},
    READ("fp8_config.fp8_enable_fsdp_float8_all_gather", KEY_FLAG, gather), READ("fp8_config.enable_fsdp_float8_all_gather", KEY_FLAG, gather),
#include "tables/accelerate.h"
#include "tables/fsdp.h"
#include "tables/training-scripts.h"
#include "tables/transformers.h"
};

static const struct key axolotl_rows[] = {
    TRAINER_ROWS, PEFT_ROWS,
    READ("lora_target_linear", KEY_FLAG, tuning.all_linear), READ("peft_use_dora", KEY_FLAG, tuning.dora), READ("rl", KEY_TEXT, tuning.objective),
    READ("gptq", KEY_TEXT, tuning.gptq),
    READ("micro_batch_size", KEY_COUNT, microbatch), READ("batch_size", KEY_COUNT, batch), READ("sequence_len", KEY_COUNT, sequence),
    {"float16", KEY_WORD, AT(fp16), "false|true", NULL}, {"fp8", KEY_FLAG, AT(fp8), NULL, NULL}, {"bfloat16", KEY_WORD, AT(bf16), "false|true", NULL},
    READ("deepspeed", KEY_TEXT, deepspeed), DEEPSPEED_ROWS("deepspeed."), DEEPSPEED_ROWS("zero_optimization."),
    READ("fsdp", KEY_TEXT, fsdp), READ("fsdp.0", KEY_TEXT, fsdp), READ("fsdp_version", KEY_COUNT, version),
    FSDP_ROWS("fsdp_config."), FSDP_ROWS("fsdp_config.fsdp_"),
    READ("tensor_parallel_size", KEY_COUNT, tensor), READ("context_parallel_size", KEY_COUNT, ring), READ("sequence_parallel_degree", KEY_COUNT, ring),
    READ("dp_shard_size", KEY_INTEGER, shard), READ("dp_replicate_size", KEY_COUNT, replicate), READ("expert_parallel_size", KEY_COUNT, expert),
    READ("adapter", KEY_TEXT, tuning.adapter), {"activation_offloading", KEY_WORD, AT(offloading), "false|true|legacy|hidden_states|disk", NULL},
    {"attn_implementation", KEY_WORD, AT(attention), "sdpa|flash_attention_2|flash_attention_3|eager|flex_attention|xformers|sage", NULL},
    READ("liger_rms_norm", KEY_FLAG, liger), READ("liger_glu_activation", KEY_FLAG, liger_mlp),
    READ("liger_fused_linear_cross_entropy", KEY_FLAG, chunked), READ("cut_cross_entropy", KEY_FLAG, chunked),
    READ("optimizer", KEY_TEXT, tuning.optimizer),
    READ("fp8_enable_fsdp_float8_all_gather", KEY_FLAG, gather),
#include "tables/axolotl.h"
#include "tables/fsdp.h"
#include "tables/transformers.h"
};

static const struct key llama_factory_rows[] = {
    TRAINER_ROWS,
    READ("cutoff_len", KEY_COUNT, sequence), READ("stage", KEY_TEXT, tuning.stage), READ("finetuning_type", KEY_TEXT, tuning.finetuning),
    READ("pref_loss", KEY_TEXT, tuning.preference), READ("lora_rank", KEY_COUNT, tuning.rank), READ("lora_dropout", KEY_NUMBER, tuning.dropout),
    LATER("lora_target"), LATER("lora_target.*"), READ("use_dora", KEY_FLAG, tuning.dora), READ("quantization_bit", KEY_COUNT, tuning.bits),
    READ("double_quantization", KEY_TEXT, tuning.double_), READ("use_galore", KEY_FLAG, tuning.galore), READ("galore_rank", KEY_COUNT, tuning.galore_rank),
    READ("use_apollo", KEY_FLAG, tuning.apollo), READ("apollo_rank", KEY_COUNT, tuning.apollo_rank),
    READ("deepspeed", KEY_TEXT, deepspeed), DEEPSPEED_ROWS("deepspeed."), DEEPSPEED_ROWS("zero_optimization."),
    READ("fsdp", KEY_TEXT, fsdp), READ("fsdp.0", KEY_TEXT, fsdp), FSDP_ROWS("fsdp_config."), FSDP_ROWS("fsdp_config.fsdp_"),
    {"flash_attn", KEY_WORD, AT(attention), "sdpa|fa2|fa3|disabled|auto", NULL},
    READ("disable_gradient_checkpointing", KEY_FLAG, no_checkpointing), READ("enable_liger_kernel", KEY_FLAG, liger), READ("sequence_parallel_size", KEY_COUNT, ulysses), READ("cp_size", KEY_COUNT, ulysses),
    {"fp8", KEY_FLAG, AT(fp8), NULL, NULL},
    READ("use_reentrant_gc", KEY_FLAG, reentrant),
#include "tables/fsdp.h"
#include "tables/llama-factory.h"
#include "tables/transformers.h"
};

/* ms-swift 3 and 4: TrainingArguments and swift/llm/argument. */
static const struct key ms_swift_rows[] = {
    TRAINER_ROWS,
    READ("train_type", KEY_TEXT, tuning.finetuning), READ("tuner_type", KEY_TEXT, tuning.finetuning), READ("sft_type", KEY_TEXT, tuning.finetuning),
    READ("rlhf_type", KEY_TEXT, tuning.objective), READ("lora_rank", KEY_COUNT, tuning.rank), READ("lora_dropout", KEY_NUMBER, tuning.dropout),
    LATER("target_modules"), LATER("target_modules.*"), READ("use_dora", KEY_FLAG, tuning.dora),
    READ("quant_bits", KEY_COUNT, tuning.bits), READ("bnb_4bit_use_double_quant", KEY_TEXT, tuning.double_),
    READ("max_length", KEY_COUNT, sequence), READ("torch_dtype", KEY_TEXT, type),
    {"attn_impl", KEY_WORD, AT(attention), "sdpa|flash_attn|flash_attention_3|eager|flash_attention_2|flex_attention", NULL},
    READ("sequence_parallel_size", KEY_COUNT, ulysses), READ("use_cce", KEY_FLAG, chunked),
    READ("use_galore", KEY_FLAG, tuning.galore), READ("galore_rank", KEY_COUNT, tuning.galore_rank),
    READ("deepspeed", KEY_TEXT, deepspeed), DEEPSPEED_ROWS("deepspeed."), DEEPSPEED_ROWS("zero_optimization."),
    READ("fsdp", KEY_TEXT, fsdp), READ("fsdp.0", KEY_TEXT, fsdp), FSDP_ROWS("fsdp_config."), FSDP_ROWS("fsdp_config.fsdp_"),
#include "tables/fsdp.h"
#include "tables/ms-swift.h"
#include "tables/transformers.h"
};

/* adapter_config.json of PEFT 0.10 to 0.17 (tuners/lora/config.py), of runs whose rest is --set. */
static const struct key peft_rows[] = {
    TRAINER_ROWS,
    READ("peft_type", KEY_TEXT, tuning.adapter), READ("r", KEY_COUNT, tuning.rank), READ("lora_dropout", KEY_NUMBER, tuning.dropout),
    READ("use_dora", KEY_FLAG, tuning.dora), LATER("target_modules"), LATER("target_modules.*"),
    READ("load_in_4bit", KEY_FLAG, tuning.four_bits), READ("load_in_8bit", KEY_FLAG, tuning.eight_bits),
    READ("max_length", KEY_COUNT, sequence), READ("deepspeed", KEY_TEXT, deepspeed), READ("fsdp", KEY_TEXT, fsdp),
#include "tables/peft.h"
};
/* clang-format on */

const struct key_table trainer_keys = KEY_TABLE(trainer_rows);
const struct key_table accelerate_keys = KEY_TABLE(accelerate_rows);
const struct key_table axolotl_keys = KEY_TABLE(axolotl_rows);
const struct key_table llama_factory_keys = KEY_TABLE(llama_factory_rows);
const struct key_table ms_swift_keys = KEY_TABLE(ms_swift_rows);
const struct key_table peft_keys = KEY_TABLE(peft_rows);

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
        !settings_find(r->settings, "micro_batch_size") && !t->batch) {
        char text[32];
        snprintf(text, sizeof text, "%" PRIu64, t->microbatch);
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "per_device_train_batch_size", text,
                  "the trainer's default");
    }
    return RK_OK;
}

static void read_precision(const struct reading *r)
{
    const struct trainer *t = &r->t;
    const bool bf16 =
        t->bf16 || t->mixed == MIXED_BF16 || (t->type && strcmp(t->type, "bfloat16") == 0);
    const bool fp16 =
        t->fp16 || t->mixed == MIXED_FP16 || (t->type && strcmp(t->type, "float16") == 0);
    r->p->precision = t->fp8 || t->mixed == MIXED_FP8 ? RK_FP8_CURRENT
                      : bf16                          ? RK_BF16
                      : fp16                          ? RK_FP16
                      : t->tf32                       ? RK_TF32
                                                      : RK_FP32;
    r->p->weights_fp8 = t->gather && r->p->precision == RK_FP8_CURRENT;
    if (t->bf16 == 2)
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "bf16", "auto",
                  "current GPUs have it: assumed to be on");
    if (r->p->precision == RK_FP32 && !settings_find(r->settings, "bf16") &&
        !settings_find(r->settings, "fp16") && !settings_find(r->settings, "mixed_precision"))
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "precision", "fp32",
                  "the trainer's default: the file has neither bf16 nor fp16");
}

/* ---- DeepSpeed ---- */

enum { CONFIG_BYTES = 1 << 20 };

/* The file in the configuration's folder, or up to four folders above it. */
static char *load_config(const struct reading *r)
{
    char path[4096], *text = NULL;
    size_t size;
    struct rk_error error;
    struct shell_word written = {.unknown = 0};
    const char *inner =
        r->source->script ? shell_file(r->source->script, r->t.deepspeed, &written) : NULL;
    if (inner) return written.unknown ? NULL : strdup(inner);
    const char *slash = strrchr(r->source->path, '/');
    int folder = slash ? (int)(slash - r->source->path) + 1 : 0;
    for (int up = 0; up < 5; up++) {
        snprintf(path, sizeof path, "%.*s%.*s%s", *r->t.deepspeed == '/' ? 0 : folder,
                 r->source->path, *r->t.deepspeed == '/' ? 0 : 3 * up, "../../../../../",
                 r->t.deepspeed);
        if (text_file_load(path, CONFIG_BYTES, &text, &size, &error) == RK_OK) return text;
    }
    return NULL;
}

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
    if (!text && named) text = load_config(r);
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
    deepspeed_choose(&c, r->p);
    r->p->precision = c.bf16 ? RK_BF16 : c.fp16 ? RK_FP16 : r->p->precision;
    return RK_OK;
}

/* accelerate's own short form. */
static void read_zero(const struct reading *r)
{
    const struct deepspeed_choices c = {.stage =
                                            (uint64_t)(r->t.zero_stage < 0 ? 2 : r->t.zero_stage),
                                        .optimizer_device = r->t.optimizer_device,
                                        .param_device = r->t.param_device,
                                        .overlap = -1,
                                        .accumulate = -1,
                                        .prefetch = 50000000,
                                        .ratio = 1};
    deepspeed_choose(&c, r->p);
}

/* ---- FSDP ---- */

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
    p->share[RK_SHARE_WEIGHTS][0] = p->share[RK_SHARE_OPTIMIZER][0] =
        (t->offload || strstr(words, "offload")) && p->zero == 3;
    if (strategy >= SHARD_HYBRID && t->machines > 1 && p->ranks % t->machines == 0)
        p->shard_ranks = p->ranks / t->machines; /* within a machine */
    const uint64_t all = rk_plan_data(p) * p->context;
    if (t->replicate > 1 && all % t->replicate == 0) p->shard_ranks = all / t->replicate;
}

static void read_kernels(const struct reading *r)
{
    const struct trainer *t = &r->t;
    static const enum rk_attention_kernel kernels[] = {RK_FLASH, RK_FLASH, RK_FLASH_3, RK_UNFUSED};
    /* use_liger_kernel and its like have the fused loss on (liger_kernel, monkey_patch.py) */
    r->p->loss_in_chunks =
        t->chunked || (t->liger && !settings_find(r->settings, "liger_rms_norm"));
    r->p->attention = t->attention >= 0 && t->attention < 4 ? kernels[t->attention] : RK_FLASH;
    r->p->fused = t->compile || (t->liger && t->liger_mlp) ||
                  (t->liger && !settings_find(r->settings, "liger_rms_norm"));
    if ((t->checkpointing && !t->no_checkpointing) || t->fsdp_checkpointing)
        r->p->recompute = RK_WHOLE;
    r->p->recompute_to_end = t->checkpointing && !t->no_checkpointing && t->reentrant;
    if ((t->activation_offload || t->offloading > 0)) rk_plan_offload_activations(r->p, 1);
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
                         "is not the gradient_accumulation_steps of the training, %s: the trainer "
                         "does not start so. Give one of them with --set",
                         of_trainer->text);
}

static enum rk_status interpret(struct reading *r)
{
    const struct trainer *t = &r->t;
    *r->p = rk_plan_default();
    r->p->framework = RK_FSDP;
    r->p->gradient_overlap = true;
    enum rk_status status = check_kind(r);
    if (status == RK_OK) status = check_accumulation(r);
    if (status == RK_OK) status = read_degrees(r);
    if (status == RK_OK) status = read_batch(r);
    if (status != RK_OK) return status;
    read_precision(r);
    read_kernels(r);
    status = trainer_tuning_read(r->settings, &t->tuning, r->p, r->notes, r->error);
    if (status != RK_OK) return status;
    const bool fsdp = t->launch == LAUNCH_FSDP || (t->fsdp && *t->fsdp) ||
                      settings_has(r->settings, "fsdp_config.") || t->shard > 1;
    if (read_named_zero(r)) return RK_OK;
    if (t->deepspeed || settings_has(r->settings, "deepspeed.") ||
        settings_has(r->settings, "zero_optimization."))
        return read_deepspeed(r);
    if (t->launch == LAUNCH_DEEPSPEED)
        read_zero(r);
    else if (fsdp)
        read_fsdp(r);
    else
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "sharding", "none",
                  "neither DeepSpeed nor FSDP is named: every GPU keeps all weights");
    return RK_OK;
}

static enum rk_status read_with(const struct key_table *table, const struct trainer *presets,
                                const struct config_source *source, const struct rk_model *model,
                                struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    struct settings settings;
    struct reading r = {source, &settings, *presets, model, plan, notes, error};
    enum rk_status status = settings_read(&settings, source->path, source->text, source->sets,
                                          source->set_count, error);
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
    static const struct trainer presets = {PRESETS, .microbatch = 8, .tuning.rank = 16};
    return read_with(&trainer_keys, &presets, source, model, plan, notes, error);
}

enum rk_status accelerate_read(const struct config_source *source, struct rk_model *model,
                               struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    static const struct trainer presets = {PRESETS, .microbatch = 1, .tuning.rank = 16};
    return read_with(&accelerate_keys, &presets, source, model, plan, notes, error);
}

enum rk_status axolotl_read(const struct config_source *source, struct rk_model *model,
                            struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    static const struct trainer presets = {PRESETS, .microbatch = 1, .tuning.doubles = true};
    return read_with(&axolotl_keys, &presets, source, model, plan, notes, error);
}

enum rk_status llama_factory_read(const struct config_source *source, struct rk_model *model,
                                  struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    static const struct trainer presets = {PRESETS,
                                           .microbatch = 8,
                                           .checkpointing = true,
                                           .sequence = 2048,
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
