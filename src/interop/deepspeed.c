#include "interop/deepspeed.h"
#include "catalog/fields.h"
#include "interop/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

#define LARGE .max = 1e9
static const struct field count_field = {.type = FIELD_COUNT, LARGE};
static const struct field bool_field = {.type = FIELD_BOOL};
static const struct field share_field = {.type = FIELD_NUMBER, .max = 1};

static bool find(const struct place *object, const char *key, struct place *member)
{
    return object->value && place_member(object, key, member) && !json_is_null(member->value);
}

/* "auto" is what the trainer of Hugging Face fills in. */
static enum rk_status read_count(const struct place *object, const char *key, uint64_t *count,
                                 struct rk_error *error)
{
    struct place member;
    if (!find(object, key, &member)) return RK_OK;
    if (json_is_string(member.value) && strcmp(json_string_value(member.value), "auto") == 0)
        return place_fail(&member, error,
                          "\"auto\" is filled in by the trainer: write the number here");
    if (json_is_real(member.value)) { /* "5e7" */
        const double number = json_real_value(member.value);
        if (!(number >= 0 && number <= 1e9)) return place_fail(&member, error, "must be 0 to 1e9");
        *count = (uint64_t)number;
        return RK_OK;
    }
    return field_load(&member, &count_field, count, error);
}

static enum rk_status read_bool(const struct place *object, const char *key, bool *flag,
                                struct rk_error *error)
{
    struct place member;
    if (!find(object, key, &member)) return RK_OK;
    return field_load(&member, &bool_field, flag, error);
}

/* "offload_optimizer": {"device": "cpu"} */
static enum rk_status read_device(const struct place *zero, const char *key, bool *cpu,
                                  double *ratio, struct notes *notes, struct rk_error *error)
{
    struct place object, device, share;
    if (!find(zero, key, &object)) return RK_OK;
    enum rk_status status = place_need_object(&object, error);
    if (status != RK_OK || !find(&object, "device", &device)) return status;
    const char *name = json_string_value(device.value);
    if (!name) return place_fail(&device, error, "must be \"none\", \"cpu\" or \"nvme\"");
    *cpu = strcmp(name, "none") != 0;
    if (strcmp(name, "nvme") == 0)
        notes_add(notes, NOTE_WARNING, 0, 0, key, "nvme", "is estimated as the second memory tier");
    if (ratio && find(&object, "ratio", &share))
        status = field_load(&share, &share_field, ratio, error);
    return status;
}

static enum rk_status read_zero(const struct place *root, struct deepspeed_choices *c,
                                struct notes *notes, struct rk_error *error)
{
    struct place zero = {.value = NULL}, member;
    if (!find(root, "zero_optimization", &zero)) return RK_OK;
    enum rk_status status = place_need_object(&zero, error);
    if (status == RK_OK) status = read_count(&zero, "stage", &c->stage, error);
    if (status == RK_OK && c->stage > 3) {
        find(&zero, "stage", &member);
        return place_fail(&member, error, "must be 0 to 3");
    }
    if (status == RK_OK) status = read_count(&zero, "mics_shard_size", &c->mics, error);
    if (status == RK_OK)
        status = read_count(&zero, "stage3_prefetch_bucket_size", &c->prefetch, error);
    c->overlap = c->stage == 3;
    if (status == RK_OK) status = read_bool(&zero, "overlap_comm", &c->overlap, error);
    if (status == RK_OK)
        status =
            read_device(&zero, "offload_optimizer", &c->optimizer_cpu, &c->ratio, notes, error);
    if (status == RK_OK)
        status = read_device(&zero, "offload_param", &c->param_cpu, NULL, notes, error);
    return status;
}

static enum rk_status read_accumulation_type(const struct place *root, struct deepspeed_choices *c,
                                             struct rk_error *error)
{
    struct place types, type;
    if (!find(root, "data_types", &types) || !find(&types, "grad_accum_dtype", &type)) return RK_OK;
    const char *name = json_string_value(type.value);
    if (!name) return place_fail(&type, error, "must be \"fp32\", \"fp16\" or \"bf16\"");
    c->accumulate = strcmp(name, "fp32") == 0 ? 4 : 2;
    return RK_OK;
}

static enum rk_status read_enabled(const struct place *root, const char *key, const char *flag,
                                   bool *on, struct rk_error *error)
{
    struct place section;
    if (!find(root, key, &section)) return RK_OK;
    const enum rk_status status = place_need_object(&section, error);
    return status == RK_OK ? read_bool(&section, flag, on, error) : status;
}

static enum rk_status read_config(const struct place *root, struct deepspeed_choices *c,
                                  struct notes *notes, struct rk_error *error)
{
    struct place tensor = {.value = NULL};
    *c = (struct deepspeed_choices){.prefetch = 50000000, .autotp = 1, .sequence = 1, .ratio = 1};
    enum rk_status status = place_need_object(root, error);
    if (status == RK_OK) status = read_count(root, "train_batch_size", &c->batch, error);
    if (status == RK_OK)
        status = read_count(root, "train_micro_batch_size_per_gpu", &c->microbatch, error);
    if (status == RK_OK)
        status = read_count(root, "gradient_accumulation_steps", &c->accumulation, error);
    if (status == RK_OK) status = read_count(root, "sequence_parallel_size", &c->sequence, error);
    if (status == RK_OK && find(root, "tensor_parallel", &tensor))
        status = read_count(&tensor, "autotp_size", &c->autotp, error);
    if (status == RK_OK) status = read_enabled(root, "bf16", "enabled", &c->bf16, error);
    if (status == RK_OK) status = read_enabled(root, "fp16", "enabled", &c->fp16, error);
    if (status == RK_OK)
        status = read_enabled(root, "activation_checkpointing", "cpu_checkpointing",
                              &c->cpu_checkpointing, error);
    if (status == RK_OK) status = read_accumulation_type(root, c, error);
    return status == RK_OK ? read_zero(root, c, notes, error) : status;
}

enum rk_status deepspeed_choices(const struct document *document, struct deepspeed_choices *choices,
                                 struct notes *notes, struct rk_error *error)
{
    const struct place root = place_root(document);
    return read_config(&root, choices, notes, error);
}

void deepspeed_choose(const struct deepspeed_choices *c, struct rk_plan *plan)
{
    plan->framework = RK_DEEPSPEED;
    plan->zero = (int)c->stage;
    plan->gradient_overlap = c->overlap;
    plan->weight_overlap = c->stage == 3 && c->prefetch > 0;
    plan->shard_ranks = c->stage == 3 ? c->mics : 0;
    plan->gradient_element_bytes = c->accumulate;
    plan->share[RK_SHARE_OPTIMIZER][0] = c->optimizer_cpu && c->stage ? c->ratio : 0;
    plan->share[RK_SHARE_WEIGHTS][0] = c->param_cpu && c->stage == 3;
}

/* batch = microbatch * accumulation * data: what is missing follows, as DeepSpeed has it. */
static enum rk_status derive_batch(const struct place *root, struct deepspeed_choices *c,
                                   uint64_t data, struct rk_error *error)
{
    if (!c->microbatch && c->batch && c->accumulation)
        c->microbatch = c->batch / c->accumulation / data;
    if (!c->microbatch && c->batch) c->microbatch = c->batch / data;
    if (!c->microbatch)
        return place_fail(root, error,
                          "missing key \"train_micro_batch_size_per_gpu\": add it, or "
                          "\"train_batch_size\"");
    if ((double)c->microbatch * (double)(c->accumulation ? c->accumulation : 1) * (double)data >
        1e15)
        return place_fail(root, error, "the batch is larger than 1e15 samples");
    if (!c->batch) c->batch = c->microbatch * (c->accumulation ? c->accumulation : 1) * data;
    if (c->batch % (c->microbatch * data) ||
        (c->accumulation && c->batch != c->microbatch * c->accumulation * data))
        return place_fail(
            root, error,
            "train_batch_size %" PRIu64 " is not train_micro_batch_size_per_gpu %" PRIu64
            " * gradient_accumulation_steps * %" PRIu64 " data-parallel GPUs: correct "
            "one of them, or give --gpus",
            c->batch, c->microbatch, data);
    return RK_OK;
}

enum { MOST_RANKS = 1 << 24 };

static uint64_t derive_gpus(const struct deepspeed_choices *c)
{
    const uint64_t model = c->autotp * c->sequence;
    if (c->batch && c->microbatch && c->accumulation &&
        c->batch % (c->microbatch * c->accumulation) == 0)
        return c->batch / (c->microbatch * c->accumulation) * model;
    return model;
}

static void fill(const struct deepspeed_choices *c, uint64_t gpus, struct rk_plan *plan)
{
    *plan = rk_plan_default();
    deepspeed_choose(c, plan);
    plan->precision = c->bf16 ? RK_BF16 : c->fp16 ? RK_FP16 : RK_FP32;
    plan->ranks = gpus;
    plan->tensor = c->autotp;
    plan->context = c->sequence;
    plan->context_kind = c->sequence > 1 ? RK_ULYSSES : RK_RING;
    plan->batch = c->batch;
    plan->microbatch = c->microbatch;
}

enum rk_status deepspeed_read(const struct document *document, const struct rk_model *model,
                              uint64_t gpus, struct rk_plan *plan, struct notes *notes,
                              struct rk_error *error)
{
    const struct place root = place_root(document);
    struct deepspeed_choices c;
    (void)model;
    enum rk_status status = read_config(&root, &c, notes, error);
    if (status != RK_OK) return status;
    const uint64_t degrees = c.autotp * c.sequence;
    if (!degrees || degrees > MOST_RANKS)
        return place_fail(&root, error,
                          "parallel degrees must be at least 1, and make at most %d "
                          "ranks",
                          MOST_RANKS);
    if (!gpus) gpus = derive_gpus(&c);
    if (gpus > MOST_RANKS) return place_fail(&root, error, "more than %d GPUs", MOST_RANKS);
    if (gpus % degrees)
        return place_fail(&root, error,
                          "%" PRIu64 " GPUs are not divisible by autotp_size * "
                          "sequence_parallel_size = %" PRIu64,
                          gpus, degrees);
    status = derive_batch(&root, &c, gpus / degrees, error);
    if (status != RK_OK) return status;
    fill(&c, gpus, plan);
    if (c.cpu_checkpointing)
        notes_add(notes, NOTE_WARNING, 0, 0, "cpu_checkpointing", "true",
                  "has effect only where the training code recomputes: say recompute=full "
                  "offload-activations=1 in the plan if it does");
    notes_add(notes, NOTE_ASSUMED, 0, 0, "recompute", "none", "the training code decides it");
    notes_add(notes, NOTE_ASSUMED, 0, 0, "attention", "flash", "the training code decides it");
    return RK_OK;
}

/* ---- writing ---- */

/* What the training code decides. */
static const char *const outside[] = {"recompute",        "recompute_parts",
                                      "recompute_layers", "recompute_every",
                                      "recompute_stride",
                                      "attention",        "fused",
                                      "full_attention",   "cuda_graphs",
                                      "grouped",          "imbalance",
                                      "capacity_factor",  "capacity_padded",
                                      "dispatcher",       "expert",
                                      "expert_tensor",    "vocabulary_multiple",
                                      "sequence",         "sequence_parallel",
                                      "tensor_overlap",   "activation_offload",
                                      "expert_overlap",   NULL};

static const char *yes(bool flag)
{
    return flag ? "true" : "false";
}

static void write_zero(FILE *file, const struct rk_plan *p)
{
    fprintf(file, "    \"zero_optimization\": {\n        \"stage\": %d,\n", p->zero);
    if (p->zero) {
        fprintf(file,
                "        \"contiguous_gradients\": true,\n        \"reduce_scatter\": true,\n");
        if (rk_plan_offloaded(p, RK_SHARE_OPTIMIZER) > 0)
            fprintf(file,
                    "        \"offload_optimizer\": {\"device\": \"cpu\", \"pin_memory\": true, "
                    "\"ratio\": %.17g},\n",
                    rk_plan_offloaded(p, RK_SHARE_OPTIMIZER));
    }
    if (p->zero == 3) {
        if (rk_plan_offloaded(p, RK_SHARE_WEIGHTS) > 0)
            fprintf(file,
                    "        \"offload_param\": {\"device\": \"cpu\", \"pin_memory\": true},\n");
        fprintf(file, "        \"stage3_prefetch_bucket_size\": %d,\n",
                p->weight_overlap ? 50000000 : 0);
        fprintf(file, "        \"stage3_gather_16bit_weights_on_model_save\": true,\n");
        if (p->shard_ranks)
            fprintf(file, "        \"mics_shard_size\": %" PRIu64 ",\n", p->shard_ranks);
    }
    fprintf(file, "        \"overlap_comm\": %s\n    },\n", yes(p->gradient_overlap));
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
    fprintf(file, "    \"gradient_clipping\": 1.0,\n");
    fprintf(file, "    \"%s\": {\"enabled\": %s}\n}\n", p->precision == RK_FP16 ? "fp16" : "bf16",
            yes(p->precision >= RK_FP16));
}

static enum rk_status read_back(const char *text, size_t size, const struct rk_model *model,
                                const struct rk_plan *plan, struct notes *notes,
                                struct rk_error *error)
{
    struct document document;
    struct notes *spare = malloc(sizeof *spare);
    struct rk_plan run;
    if (!spare) return rk_fail(error, RK_IO, NULL, 0, 0, "out of memory");
    *spare = (struct notes){.count = 0};
    enum rk_status status = document_parse("ds_config.json", text, size, &document, error);
    if (status == RK_OK) {
        status = deepspeed_read(&document, model, plan->ranks, &run, spare, error);
        document_release(&document);
    }
    free(spare);
    if (status != RK_OK) return status;
    return target_compare(model, plan, &run, "ds_config.json", outside, notes, error);
}

enum rk_status deepspeed_write(FILE *file, const struct rk_model *model, const struct rk_plan *plan,
                               struct notes *notes, struct rk_error *error)
{
    char *text = NULL;
    size_t size = 0;
    const uint64_t data = rk_plan_data(plan);
    if (plan->pipeline > 1)
        notes_add(notes, NOTE_REFUSED, 0, 0, "pipeline", "",
                  "%" PRIu64 " stages need a model that is written as a PipelineModule: no "
                  "ds_config.json makes them. Give a plan with pipeline 1, or export to megatron",
                  plan->pipeline);
    if (!data || plan->batch % (plan->microbatch * data))
        notes_add(notes, NOTE_REFUSED, 0, 0, "batch", "",
                  "is not divisible by microbatch * data parallelism");
    if (notes_refusal(notes, NULL, error) != RK_OK) return error->status = RK_NOTHING_FITS;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return rk_fail(error, RK_IO, NULL, 0, 0, "out of memory");
    write_config(memory, plan);
    if (fclose(memory) != 0) return rk_fail(error, RK_IO, NULL, 0, 0, "out of memory");
    const enum rk_status status = read_back(text, size, model, plan, notes, error);
    if (status == RK_OK) fputs(text, file);
    free(text);
    return status;
}
