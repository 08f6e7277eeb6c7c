#include "trainers/deepspeed.h"
#include "keys/key_rows.h"
#include "keys/target.h"
#include "plan/members.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- reading ---- */

#define AT(member) offsetof(struct deepspeed_choices, member)

/* clang-format off */
/* What those of optimizer.type store, in its order [deepspeed-config]. */
enum { FIRST_OF_ONE_BIT = 12 };
static const enum rk_optimizer optimizers[] = {
    RK_ADAM, RK_ADAM, RK_ADAM, RK_ADAM, RK_ADAM, RK_ADAM, RK_ADAM, RK_LION, RK_SGD, RK_SGD, RK_MOMENTUM, RK_MUON,
    RK_ADAM, RK_ADAM, RK_ADAM};

static const struct key rows[] = {
#include "tables/deepspeed-plan.h"
#include "tables/deepspeed.h"
};
/* clang-format on */

const struct key_table deepspeed_keys = KEY_TABLE(rows);

static void refuse_range(const struct settings *settings, const char *key, struct notes *notes,
                         const char *range)
{
    const struct setting *s = settings_find(settings, key);
    if (s && !s->null)
        notes_add_rule(notes, "1.value", NOTE_REFUSED, s->line, s->column, s->key, s->text, "",
                       "must be %s", range);
}

static void check_ranges(const struct settings *settings, const struct deepspeed_choices *c,
                         const struct key_options *options, struct notes *notes)
{
    if (c->stage > 3) refuse_range(settings, "zero_optimization.stage", notes, "0 to 3");
    if (c->ratio < 0 || c->ratio > 1)
        refuse_range(settings, "zero_optimization.offload_optimizer.ratio", notes, "0 to 1");
    const struct {
        const char *key;
        uint64_t value;
    } batches[] = {{"train_batch_size", c->batch},
                   {"train_micro_batch_size_per_gpu", c->microbatch},
                   {"gradient_accumulation_steps", c->accumulation}};
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        if (!batches[i].value &&
            !key_ignored(options->ignored, options->ignored_count, batches[i].key, true))
            refuse_range(settings, batches[i].key, notes, "at least 1");
}

/* DeepSpeed's own deals matrices to ranks in its way, which nothing here times. */
static void refuse_muon(const struct settings *settings, const struct deepspeed_choices *c,
                        struct notes *notes)
{
    const struct setting *s = settings_find(settings, "optimizer.type");
    if (s && c->optimizer >= 0 && optimizers[c->optimizer] == RK_MUON)
        notes_add_rule(notes, "1.covered", NOTE_REFUSED, s->line, s->column, s->key, s->text,
                       "give --ignore optimizer.type to estimate the run with AdamW",
                       "DeepSpeed's Muon is not known, only those of Megatron-LM and of FSDP");
}

/* DeepSpeed's own loader does (dict_raise_error_on_duplicate_keys). */
static enum rk_status refuse_twice(const struct settings *settings, const char *path,
                                   struct rk_error *error)
{
    for (size_t i = 0; i < settings->count; i++) {
        const struct setting *s = &settings->setting[i];
        if (s->earlier)
            return rk_fail(error, RK_BAD_INPUT, path, s->line, s->column,
                           "%.200s: is given twice: remove one", s->key);
    }
    return RK_OK;
}

/* Without ZeRO the sums of bf16's gradients are fp32 unless told otherwise (get_data_types of
 * runtime/engine.py, DeepSpeed 0.9 to 0.17), and so its bf16 optimizer runs, whose state all
 * data-parallel ranks share (runtime/bf16_optimizer.py). */
void deepspeed_bf16_optimizer(struct deepspeed_choices *c, struct notes *notes)
{
    if (!c->bf16 || c->stage || c->accumulate > 0 || c->optimizer_device) return;
    c->stage = 1;
    c->implied = true;
    c->accumulate = 0;
    notes_add(notes, NOTE_ASSUMED, 0, 0, "zero_optimization.stage", "1",
              "0 with bf16: DeepSpeed's bf16 optimizer shards its state as ZeRO-1 does");
}

enum rk_status deepspeed_choices(const struct config_source *source, struct deepspeed_choices *c,
                                 struct notes *notes, struct rk_error *error)
{
    struct settings settings;
    *c = (struct deepspeed_choices){.prefetch = 50000000,
                                    .autotp = 1,
                                    .sequence = 1,
                                    .ratio = 1,
                                    .overlap = -1,
                                    .optimizer = -1,
                                    .accumulate = -1};
    enum rk_status status = settings_read(&settings, source->path, source->text, source->sets,
                                          source->set_count, error);
    for (size_t i = 0; i < settings.count; i++) { /* what the trainer fills in */
        struct setting *s = &settings.setting[i];
        if (strcmp(s->text, "auto") != 0) continue;
        c->auto_precision |= !strcmp(s->key, "bf16.enabled") || !strcmp(s->key, "fp16.enabled");
        c->auto_batch |= !strcmp(s->key, "train_batch_size") ||
                         !strcmp(s->key, "train_micro_batch_size_per_gpu");
        s->null = true;
    }
    if (status == RK_OK) status = refuse_twice(&settings, source->path, error);
    const bool whole = status == RK_OK;
    if (whole) status = keys_read(&settings, &deepspeed_keys, &source->keys, c, notes, error);
    if (whole) check_ranges(&settings, c, &source->keys, notes);
    if (whole) refuse_muon(&settings, c, notes);
    if (status == RK_OK) status = notes_refusal(notes, source->path, error);
    settings_release(&settings);
    if (status == RK_OK && c->optimizer >= FIRST_OF_ONE_BIT)
        notes_add(notes, NOTE_WARNING, 0, 0, "optimizer.type", "",
                  "of one bit: what it sends is estimated as uncompressed");
    if (status == RK_OK &&
        (c->optimizer_device == DEEPSPEED_NVME || c->param_device == DEEPSPEED_NVME))
        notes_add(notes, NOTE_WARNING, 0, 0, "device", "nvme",
                  "is estimated as the second memory tier");
    return status;
}

/* The file's optimizer takes the place of the trainer's, with all that is of that one alone. */
static void choose_optimizer(const struct deepspeed_choices *c, struct rk_plan *plan)
{
    if (c->optimizer >= 0) {
        plan->optimizer = optimizers[c->optimizer];
        plan->embedding_fp32 = plan->optimizer_paged = plan->step_in_backward = false;
        plan->optimizer_rank = 0;
        plan->moment1_element_bytes = rk_plan_default().moment1_element_bytes;
    }
    if (plan->optimizer == RK_SGD && c->momentum > 0) plan->optimizer = RK_MOMENTUM;
}

void deepspeed_choose(const struct deepspeed_choices *c, struct rk_plan *plan)
{
    static const int bytes[] = {4, 2, 2};
    plan->framework = RK_DEEPSPEED;
    choose_optimizer(c, plan);
    plan->zero = (int)c->stage;
    plan->gradient_overlap = c->overlap < 0 ? c->stage == 3 : c->overlap;
    plan->weight_overlap = c->stage == 3 && c->prefetch > 0;
    plan->shard_ranks = c->stage == 3 ? c->mics : 0;
    plan->gradient_element_bytes = c->accumulate < 0 ? 0 : bytes[c->accumulate];
    if (c->narrow_master) plan->master_element_bytes = plan->gradient_element_bytes = 2;
    if (c->narrow_moments) plan->moment1_element_bytes = plan->moment2_element_bytes = 2;
    plan->share[RK_SHARE_OPTIMIZER][0] = c->optimizer_device && c->stage ? c->ratio : 0;
    plan->share[RK_SHARE_WEIGHTS][0] = c->param_device && c->stage == 3;
}

/* batch = microbatch * accumulation * data: what is missing follows, as DeepSpeed has it. */
static enum rk_status derive_batch(const char *path, struct deepspeed_choices *c, uint64_t data,
                                   struct rk_error *error)
{
    if (!c->microbatch && c->batch && c->accumulation)
        c->microbatch = c->batch / c->accumulation / data;
    if (!c->microbatch && c->batch) c->microbatch = c->batch / data;
    if (!c->microbatch)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "train_batch_size %" PRIu64 " is less than a sample for each of %" PRIu64
                       " data-parallel GPUs: correct it, or give --gpus",
                       c->batch, data);
    if ((double)c->microbatch * (double)(c->accumulation ? c->accumulation : 1) * (double)data >
        1e15)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "the batch is larger than 1e15 samples");
    if (!c->batch) c->batch = c->microbatch * (c->accumulation ? c->accumulation : 1) * data;
    if (c->batch % (c->microbatch * data) ||
        (c->accumulation && c->batch != c->microbatch * c->accumulation * data))
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "train_batch_size %" PRIu64 " is not train_micro_batch_size_per_gpu %" PRIu64
                       " * gradient_accumulation_steps * %" PRIu64 " data-parallel GPUs: correct "
                       "one of them, or give --gpus",
                       c->batch, c->microbatch, data);
    return RK_OK;
}

enum { MOST_RANKS = 1 << 24 };

uint64_t deepspeed_gpus(const struct deepspeed_choices *c)
{
    const uint64_t model = c->autotp * c->sequence;
    if (c->batch && c->microbatch && c->accumulation &&
        c->batch % (c->microbatch * c->accumulation) == 0)
        return c->batch / (c->microbatch * c->accumulation) * model;
    return 0;
}

/* All that the file leaves to the trainer, in one answer. */
static enum rk_status check_open(const char *path, const struct deepspeed_choices *c, uint64_t gpus,
                                 struct rk_error *error)
{
    const bool precision = !c->bf16 && !c->fp16 && c->auto_precision;
    const bool batch = !c->batch && !c->microbatch;
    if (gpus && !precision && !batch) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                   "the file leaves a part of the run open: give%s%s%s", gpus ? "" : " --gpus N",
                   precision ? " --set bf16.enabled=true (or fp16.enabled)" : "",
                   batch ? " --set train_micro_batch_size_per_gpu=N" : "");
}

static void fill(const struct deepspeed_choices *c, uint64_t gpus, struct rk_plan *plan)
{
    *plan = plan_of_framework(RK_DEEPSPEED);
    deepspeed_choose(c, plan);
    plan->precision = c->bf16 ? RK_BF16 : c->fp16 ? RK_FP16 : RK_FP32;
    plan->ranks = gpus;
    plan->tensor = c->autotp;
    plan->context = c->sequence;
    plan->context_kind = c->sequence > 1 ? RK_ULYSSES : RK_RING;
    plan->batch = c->batch;
    plan->microbatch = c->microbatch;
}

static enum rk_status check(const struct config_source *source, const struct deepspeed_choices *c,
                            uint64_t gpus, struct rk_error *error)
{
    const double degrees = (double)c->autotp * (double)c->sequence;
    if (degrees < 1 || degrees > MOST_RANKS)
        return rk_fail(error, RK_BAD_INPUT, source->path, 0, 0,
                       "parallel degrees must be at least 1, and make at most %d ranks",
                       MOST_RANKS);
    if (gpus > MOST_RANKS)
        return rk_fail(error, RK_BAD_INPUT, source->path, 0, 0, "more than %d GPUs", MOST_RANKS);
    if (gpus % (c->autotp * c->sequence))
        return rk_fail(error, RK_BAD_INPUT, source->path, 0, 0,
                       "%" PRIu64 " GPUs are not divisible by autotp_size * "
                       "sequence_parallel_size = %" PRIu64,
                       gpus, c->autotp * c->sequence);
    return RK_OK;
}

enum rk_status deepspeed_read(const struct config_source *source, struct rk_model *model,
                              struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    struct deepspeed_choices c;
    (void)model;
    enum rk_status status = deepspeed_choices(source, &c, notes, error);
    if (status != RK_OK) return status;
    uint64_t gpus = source->gpus ? source->gpus : deepspeed_gpus(&c);
    if (!gpus) gpus = notes_machine(notes, source->machine);
    status = check(source, &c, gpus, error);
    if (status == RK_OK) status = check_open(source->path, &c, gpus, error);
    if (status == RK_OK)
        status = derive_batch(source->path, &c, gpus / (c.autotp * c.sequence), error);
    if (status != RK_OK) return status;
    fill(&c, gpus, plan);
    if (c.cpu_checkpointing)
        notes_add(notes, NOTE_WARNING, 0, 0, "cpu_checkpointing", "true",
                  "has effect only where the training code recomputes: say recompute=full "
                  "offload-activations=1 in the plan if it does");
    if (plan->precision == RK_FP32)
        notes_add(notes, NOTE_ASSUMED, 0, 0, "precision", "fp32",
                  "neither bf16 nor fp16 is enabled: --set bf16.enabled=true where the trainer is");
    notes_add(notes, NOTE_ASSUMED, 0, 0, "recompute", "none", "the training code decides it");
    notes_add(notes, NOTE_ASSUMED, 0, 0, "attention", "flash", "the training code decides it");
    return RK_OK;
}

/* ---- writing ---- */

/* What the training code decides. */
static const char *const outside[] = {"recompute",
                                      "recompute_parts",
                                      "recompute_layers",
                                      "recompute_every",
                                      "recompute_stride",
                                      "attention",
                                      "fused",
                                      "full_attention",
                                      "context_contiguous",
                                      TARGET_TUNING,
                                      "loss_in_chunks",
                                      "cuda_graphs",
                                      "graph_parts",
                                      "grouped",
                                      "imbalance",
                                      "natural_load",
                                      "gathered_copies",
                                      "compiled_rows",
                                      "capacity_factor",
                                      "capacity_padded",
                                      "dispatcher",
                                      "expert",
                                      "expert_tensor",
                                      "vocabulary_multiple",
                                      "sequence",
                                      "sequence_parallel",
                                      "tensor_overlap",
                                      "activation_offload",
                                      "expert_overlap",
                                      NULL};

static const char *yes(bool flag)
{
    return flag ? "true" : "false";
}

/* What the plan does not ask for keeps DeepSpeed's default: with ZeRO-3 both overlaps are on. */
static void write_overlap(FILE *file, const struct rk_plan *p)
{
    if (p->zero == 3 && !p->gradient_overlap && !p->weight_overlap) return;
    if (p->zero == 3)
        fprintf(file, "        \"stage3_prefetch_bucket_size\": %d,\n",
                p->weight_overlap ? 50000000 : 0);
    if (p->zero == 3 || p->gradient_overlap)
        fprintf(file, "        \"overlap_comm\": %s,\n", yes(p->gradient_overlap));
}

static void write_zero(FILE *file, const struct rk_plan *p)
{
    fprintf(file, "    \"zero_optimization\": {\n");
    if (p->zero)
        fprintf(file,
                "        \"contiguous_gradients\": true,\n        \"reduce_scatter\": true,\n");
    if (p->zero && rk_plan_offloaded(p, RK_SHARE_OPTIMIZER) > 0)
        fprintf(file,
                "        \"offload_optimizer\": {\"device\": \"cpu\", \"pin_memory\": true, "
                "\"ratio\": %.17g},\n",
                rk_plan_offloaded(p, RK_SHARE_OPTIMIZER));
    if (p->zero == 3) {
        if (rk_plan_offloaded(p, RK_SHARE_WEIGHTS) > 0)
            fprintf(file,
                    "        \"offload_param\": {\"device\": \"cpu\", \"pin_memory\": true},\n");
        fprintf(file, "        \"stage3_gather_16bit_weights_on_model_save\": true,\n");
        if (p->shard_ranks)
            fprintf(file, "        \"mics_shard_size\": %" PRIu64 ",\n", p->shard_ranks);
    }
    write_overlap(file, p);
    fprintf(file, "        \"stage\": %d\n    },\n", p->zero);
}

static bool has_narrow_master(const struct rk_plan *p)
{
    return p->zero && p->precision >= RK_FP16 && p->master_element_bytes == 2 &&
           p->gradient_element_bytes == 2;
}

static void write_config(FILE *file, const struct rk_plan *p)
{
    const uint64_t data = rk_plan_data(p);
    fprintf(file,
            "{\n    \"train_batch_size\": %" PRIu64 ",\n"
            "    \"train_micro_batch_size_per_gpu\": %" PRIu64 ",\n"
            "    \"gradient_accumulation_steps\": %" PRIu64 ",\n",
            p->batch, p->microbatch, p->batch / (p->microbatch * data));
    write_zero(file, p);
    if (p->tensor > 1)
        fprintf(file, "    \"tensor_parallel\": {\"autotp_size\": %" PRIu64 "},\n", p->tensor);
    if (p->context > 1) fprintf(file, "    \"sequence_parallel_size\": %" PRIu64 ",\n", p->context);
    if (p->recompute != RK_KEEP)
        fprintf(file,
                "    \"activation_checkpointing\": {\"partition_activations\": %s, "
                "\"cpu_checkpointing\": %s},\n",
                yes(p->checkpoint_sharded), yes(rk_plan_offloaded(p, RK_SHARE_ATTENTION) > 0));
    if (p->gradient_element_bytes > 0)
        fprintf(file, "    \"data_types\": {\"grad_accum_dtype\": \"%s\"},\n",
                p->gradient_element_bytes == 4 ? "fp32"
                : p->precision == RK_FP16      ? "fp16"
                                               : "bf16");
    const char *precision = p->precision == RK_FP16 ? "fp16" : "bf16";
    fprintf(file, "    \"gradient_clipping\": 1.0,\n");
    fprintf(file, "    \"%s\": {\"enabled\": %s", precision, yes(p->precision >= RK_FP16));
    if (has_narrow_master(p)) fprintf(file, ", \"%s_master_weights_and_grads\": true", precision);
    if (has_narrow_master(p) && p->precision != RK_FP16 && p->moment1_element_bytes == 2 &&
        p->moment2_element_bytes == 2)
        fprintf(file, ", \"bf16_optimizer_states\": true");
    fprintf(file, "}\n}\n");
}

static void write_file(FILE *file, const struct rk_model *m, const struct rk_plan *p,
                       uint64_t gpus_per_node)
{
    (void)m;
    (void)gpus_per_node;
    write_config(file, p);
}

const struct target deepspeed_target = {.name = "ds_config.json",
                                        .file = "ds_config.json",
                                        .who = BY_DS_CONFIG,
                                        .write = write_file,
                                        .read = deepspeed_read,
                                        .given_gpus = true,
                                        .outside = outside};
