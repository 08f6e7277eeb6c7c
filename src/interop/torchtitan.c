#include "interop/torchtitan.h"
#include "interop/target.h"
#include "interop/toml.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

struct job {
    struct toml *toml;
    const struct rk_model *m;
    struct rk_plan *p;
    struct notes *notes;
    struct rk_error *error;
    int64_t replicate, shard, tensor, pipeline, context, expert, expert_tensor;
    int64_t local, global, pipeline_microbatch, per_stage;
};

static enum rk_status read_degrees(struct job *j)
{
    const struct {
        const char *key;
        int64_t *value, least;
    } rows[] = {
        {"parallelism.data_parallel_replicate_degree", &j->replicate, 1},
        {"parallelism.data_parallel_shard_degree", &j->shard, -1},
        {"parallelism.tensor_parallel_degree", &j->tensor, 1},
        {"parallelism.pipeline_parallel_degree", &j->pipeline, 1},
        {"parallelism.context_parallel_degree", &j->context, 1},
        {"parallelism.expert_parallel_degree", &j->expert, 1},
        {"parallelism.expert_tensor_parallel_degree", &j->expert_tensor, 1},
        {"parallelism.pipeline_parallel_microbatch_size", &j->pipeline_microbatch, 1},
        {"parallelism.pipeline_parallel_layers_per_stage", &j->per_stage, 1},
        {"training.local_batch_size", &j->local, 1},
        {"training.global_batch_size", &j->global, -1},
    };
    enum rk_status status = RK_OK;
    for (size_t i = 0; status == RK_OK && i < sizeof rows / sizeof *rows; i++)
        status = toml_integer(j->toml, rows[i].key, rows[i].least, rows[i].value, j->error);
    return status;
}

enum { MOST_RANKS = 1 << 24 };

static enum rk_status derive_ranks(struct job *j, uint64_t gpus)
{
    struct rk_plan *p = j->p;
    const double all = (double)j->tensor * (double)j->pipeline * (double)j->context *
                       (double)j->replicate * (double)(j->shard > 0 ? j->shard : 1);
    const struct toml_entry *shard = toml_find(j->toml, "parallelism.data_parallel_shard_degree");
    if (all > MOST_RANKS || j->expert > MOST_RANKS || j->expert_tensor > MOST_RANKS)
        return rk_fail(j->error, RK_BAD_INPUT, j->toml->path, 0, 0,
                       "the degrees make more than %d ranks", MOST_RANKS);
    if (j->shard < 1 && !gpus)
        return rk_fail(j->error, RK_BAD_INPUT, j->toml->path, shard ? shard->line : 0,
                       shard ? shard->column : 0,
                       "data_parallel_shard_degree is what is left of the GPUs: give --gpus N");
    const uint64_t model = (uint64_t)(j->tensor * j->pipeline * j->context * j->replicate);
    if (j->shard < 1 && (gpus % model || gpus < model))
        return rk_fail(j->error, RK_BAD_INPUT, j->toml->path, 0, 0,
                       "%" PRIu64 " GPUs are not divisible by the degrees' product %" PRIu64, gpus,
                       model);
    if (j->shard < 1) j->shard = (int64_t)(gpus / model);
    p->ranks = model * (uint64_t)j->shard;
    if (gpus && gpus != p->ranks)
        return rk_fail(j->error, RK_BAD_INPUT, j->toml->path, 0, 0,
                       "the degrees' product is %" PRIu64 ", not the %" PRIu64
                       " GPUs of --gpus: correct one of them",
                       p->ranks, gpus);
    p->tensor = (uint64_t)j->tensor;
    p->pipeline = (uint64_t)j->pipeline;
    p->context = (uint64_t)j->context;
    p->expert = (uint64_t)j->expert;
    p->expert_tensor = j->expert > 1 ? (uint64_t)j->expert_tensor : 0;
    p->sequence_parallel = j->tensor > 1;
    return RK_OK;
}

static enum rk_status derive_batch(struct job *j)
{
    struct rk_plan *p = j->p;
    const uint64_t data = (uint64_t)(j->replicate * j->shard);
    const int64_t micro = j->pipeline > 1 ? j->pipeline_microbatch : j->local;
    const int64_t batch = j->global > 0 ? j->global : j->local * (int64_t)data;
    if (batch % (j->local * (int64_t)data) || j->local % micro)
        return rk_fail(j->error, RK_BAD_INPUT, j->toml->path, 0, 0,
                       "global_batch_size %lld is not divisible by local_batch_size %lld * %" PRIu64
                       " data-parallel ranks, or that by the pipeline's microbatch %lld",
                       (long long)batch, (long long)j->local, data, (long long)micro);
    p->batch = (uint64_t)batch;
    p->microbatch = (uint64_t)micro;
    if (j->pipeline > 1 && batch != j->local * (int64_t)data)
        notes_add(j->notes, NOTE_WARNING, 0, 0, "global_batch_size", "",
                  "the pipeline is emptied for each local batch; it is estimated as one run");
    return RK_OK;
}

/* clang-format off */
static const struct { const char *name; enum rk_schedule schedule; bool chunks; } schedules[] = {
    {"1F1B",                 RK_1F1B,        false},
    {"GPipe",                RK_GPIPE,       false},
    {"Interleaved1F1B",      RK_1F1B,        true},
    {"InterleavedZeroBubble", RK_ZERO_BUBBLE, true},
    {"DualPipeV",            RK_DUALPIPE,    true},
};
/* clang-format on */

static enum rk_status read_pipeline(struct job *j)
{
    const char *name = "1F1B";
    struct rk_plan *p = j->p;
    enum rk_status status =
        toml_string(j->toml, "parallelism.pipeline_parallel_schedule", &name, j->error);
    if (status != RK_OK || j->pipeline == 1) return status;
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        if (strcmp(name, schedules[i].name) != 0) continue;
        p->schedule = schedules[i].schedule;
        p->chunks = schedules[i].chunks ? 2 : 1;
        const uint64_t each = (uint64_t)j->per_stage * p->pipeline; /* at most 1e9 * 2^24 */
        if (schedules[i].chunks && j->per_stage) /* embedding and head count as a layer each */
            p->chunks = (j->m->layers + 2 + each - 1) / each;
        p->embedding_counts = p->head_counts = true; /* ... less_layers = 1 */
        return p->chunks * p->pipeline <= RK_MAX_CHUNKS
                   ? RK_OK
                   : rk_fail(j->error, RK_BAD_INPUT, j->toml->path, 0, 0,
                             "more than %d virtual stages", RK_MAX_CHUNKS);
    }
    return toml_fail(j->toml, toml_find(j->toml, "parallelism.pipeline_parallel_schedule"),
                     j->error,
                     "is not known: give 1F1B, GPipe, Interleaved1F1B, InterleavedZeroBubble or "
                     "DualPipeV");
}

static enum rk_status read_ends(struct job *j)
{
    int64_t first = 1, last = 1;
    enum rk_status status = toml_integer(
        j->toml, "parallelism.pipeline_parallel_first_stage_less_layers", 0, &first, j->error);
    if (status == RK_OK)
        status = toml_integer(j->toml, "parallelism.pipeline_parallel_last_stage_less_layers", 0,
                              &last, j->error);
    if (j->pipeline == 1) return status;
    j->p->embedding_counts = first > 0;
    j->p->head_counts = last > 0;
    if (first > 1 || last > 1)
        notes_add(j->notes, NOTE_WARNING, 0, 0, "less_layers", "",
                  "more than one layer less is estimated as one");
    return status;
}

static enum rk_status read_data(struct job *j)
{
    struct rk_plan *p = j->p;
    const char *reshard = "default", *rotate = "allgather";
    bool async = false, offload = false;
    enum rk_status status =
        toml_string(j->toml, "parallelism.fsdp_reshard_after_forward", &reshard, j->error);
    if (status == RK_OK)
        status =
            toml_string(j->toml, "parallelism.context_parallel_rotate_method", &rotate, j->error);
    if (status == RK_OK)
        status = toml_bool(j->toml, "parallelism.enable_async_tensor_parallel", &async, j->error);
    if (status == RK_OK)
        status = toml_bool(j->toml, "training.enable_cpu_offload", &offload, j->error);
    if (status != RK_OK) return status;
    p->zero = j->shard * j->context > 1 ? 3 : 0;
    p->gradient_overlap = true;
    p->weight_overlap = p->zero == 3;
    p->keep_gathered = p->zero == 3 && (strcmp(reshard, "never") == 0 ||
                                        (strcmp(reshard, "default") == 0 && j->pipeline > 1));
    if (p->zero && j->replicate > 1) p->shard_ranks = (uint64_t)(j->shard * j->context);
    if (j->context > 1) p->context_kind = strcmp(rotate, "alltoall") == 0 ? RK_RING : RK_GATHER;
    p->tensor_overlap = async && j->tensor > 1;
    p->share[RK_SHARE_OPTIMIZER][0] = p->share[RK_SHARE_WEIGHTS][0] =
        offload && p->zero == 3 ? 1 : 0;
    return RK_OK;
}

static bool has_line(const char *list, const char *line)
{
    const size_t n = strlen(line);
    for (const char *at = list; (at = strstr(at, line)); at++)
        if ((at == list || at[-1] == '\n') && (at[n] == '\0' || at[n] == '\n')) return true;
    return false;
}

static enum rk_status read_precision(struct job *j)
{
    const struct toml_entry *converters = toml_find(j->toml, "model.converters");
    const char *mixed = "bfloat16", *reduce = "float32";
    bool gather = false;
    enum rk_status status =
        toml_string(j->toml, "training.mixed_precision_param", &mixed, j->error);
    if (status == RK_OK)
        status = toml_string(j->toml, "training.mixed_precision_reduce", &reduce, j->error);
    if (status == RK_OK)
        status = toml_bool(j->toml, "quantize.linear.float8.enable_fsdp_float8_all_gather", &gather,
                           j->error);
    if (status == RK_OK && !gather)
        status = toml_bool(j->toml, "float8.enable_fsdp_float8_all_gather", &gather, j->error);
    j->p->precision = strcmp(mixed, "float32") == 0 ? RK_FP32 : RK_BF16;
    if (!converters) return status;
    if (has_line(converters->text, "quantize.linear.float8") ||
        has_line(converters->text, "float8"))
        j->p->precision = RK_FP8_CURRENT;
    if (has_line(converters->text, "quantize.linear.mx") || has_line(converters->text, "mx"))
        j->p->precision = RK_MXFP8;
    j->p->weights_fp8 = gather && j->p->precision == RK_FP8_CURRENT;
    return status;
}

static enum rk_status read_checkpointing(struct job *j)
{
    const char *mode = "selective", *option = "2";
    bool compile = false;
    enum rk_status status = toml_string(j->toml, "activation_checkpoint.mode", &mode, j->error);
    if (status == RK_OK)
        status =
            toml_string(j->toml, "activation_checkpoint.selective_ac_option", &option, j->error);
    if (status == RK_OK) status = toml_bool(j->toml, "compile.enable", &compile, j->error);
    j->p->fused = compile;
    if (!toml_find(j->toml, "activation_checkpoint.mode"))
        notes_add(j->notes, NOTE_ASSUMED, 0, 0, "activation_checkpoint.mode", mode,
                  "torchtitan's default");
    if (strcmp(mode, "full") == 0) {
        j->p->recompute = RK_WHOLE;
    } else if (strcmp(mode, "selective") == 0 && strtoull(option, NULL, 10) > 0) {
        j->p->recompute = RK_WHOLE;
        j->p->recompute_stride = strtoull(option, NULL, 10);
    } else if (strcmp(mode, "selective") == 0) {
        j->p->recompute = RK_SELECTIVE;
        j->p->recompute_parts = 1u << RK_PART_ACTIVATION | 1u << RK_PART_NORM;
        notes_add(j->notes, NOTE_WARNING, 0, 0, "selective_ac_option", option,
                  "is estimated as computing norms and activations again");
    } else if (strcmp(mode, "none") != 0) {
        return toml_fail(j->toml, toml_find(j->toml, "activation_checkpoint.mode"), j->error,
                         "must be none, selective or full");
    }
    return status;
}

static enum rk_status read_experts(struct job *j)
{
    const char *backend = "standard";
    const enum rk_status status =
        toml_string(j->toml, "parallelism.expert_parallel_comm_backend", &backend, j->error);
    if (strcmp(backend, "deepep") == 0) j->p->dispatcher = RK_DEEPEP;
    return status;
}

static enum rk_status interpret(struct job *j, uint64_t gpus)
{
    int64_t sequence = 2048;
    *j->p = rk_plan_default();
    j->p->framework = RK_FSDP;
    enum rk_status status = read_degrees(j);
    if (status == RK_OK) status = derive_ranks(j, gpus);
    if (status == RK_OK) status = derive_batch(j);
    if (status == RK_OK) status = toml_integer(j->toml, "training.seq_len", 1, &sequence, j->error);
    if (status == RK_OK) status = read_pipeline(j);
    if (status == RK_OK) status = read_ends(j);
    if (status == RK_OK) status = read_data(j);
    if (status == RK_OK) status = read_precision(j);
    if (status == RK_OK) status = read_checkpointing(j);
    if (status == RK_OK) status = read_experts(j);
    j->p->sequence = (uint64_t)sequence == j->m->sequence ? 0 : (uint64_t)sequence;
    if (!toml_find(j->toml, "training.seq_len"))
        notes_add(j->notes, NOTE_ASSUMED, 0, 0, "training.seq_len", "2048", "torchtitan's default");
    return status;
}

/* Keys of the sections that decide a plan, which nothing above has asked for. */
static void note_unused(const struct toml *toml, struct notes *notes)
{
    for (size_t i = 0; i < toml->count; i++) {
        const struct toml_entry *entry = &toml->entry[i];
        if (!entry->used && strncmp(entry->key, "parallelism.", 12) == 0)
            notes_add(notes, NOTE_UNKNOWN, entry->line, entry->column, entry->key, "",
                      "is not followed");
    }
}

enum rk_status torchtitan_read(const char *path, const char *text, const struct rk_model *model,
                               uint64_t gpus, struct rk_plan *plan, struct notes *notes,
                               struct rk_error *error)
{
    struct toml toml;
    struct job j = {.toml = &toml,
                    .m = model,
                    .p = plan,
                    .notes = notes,
                    .error = error,
                    .replicate = 1,
                    .shard = -1,
                    .tensor = 1,
                    .pipeline = 1,
                    .context = 1,
                    .expert = 1,
                    .expert_tensor = 1,
                    .local = 8,
                    .global = -1,
                    .pipeline_microbatch = 1};
    enum rk_status status = toml_read(&toml, path, text, error);
    if (status == RK_OK) status = interpret(&j, gpus);
    if (status == RK_OK) note_unused(&toml, notes);
    toml_release(&toml);
    return status;
}

/* ---- writing ---- */

static const char *const outside[] = {"vocabulary_multiple",
                                      "attention",
                                      "full_attention",
                                      "cuda_graphs",
                                      "imbalance",
                                      "grouped",
                                      NULL};

/* Flavors of torchtitan's models, by their parameters. */
static const struct {
    uint64_t parameters;
    const char *name, *flavor;
} flavors[] = {
    {UINT64_C(8030261248), "llama3", "8B"},
    {UINT64_C(70553706496), "llama3", "70B"},
    {UINT64_C(405853388800), "llama3", "405B"},
    {UINT64_C(671026419200), "deepseek_v3", "671B"},
};

static void write_model(FILE *file, const struct rk_model *m, const struct rk_plan *p)
{
    const char *name = NULL, *flavor = NULL;
    for (size_t i = 0; i < sizeof flavors / sizeof *flavors; i++)
        if (rk_model_parameters(m) == flavors[i].parameters) {
            name = flavors[i].name;
            flavor = flavors[i].flavor;
        }
    fprintf(file, "[model]\n");
    if (name)
        fprintf(file, "name = \"%s\"\nflavor = \"%s\"\n", name, flavor);
    else
        fprintf(file, "# name and flavor: of %s, in your fork of torchtitan\n", m->id);
    if (p->precision == RK_FP8_CURRENT)
        fprintf(file,
                "converters = [\"quantize.linear.float8\"]\n\n[quantize.linear.float8]\n"
                "enable_fsdp_float8_all_gather = %s\n",
                p->weights_fp8 ? "true" : "false");
    if (p->precision == RK_MXFP8) fprintf(file, "converters = [\"quantize.linear.mx\"]\n");
    fprintf(file, "\n");
}

static const char *schedule_name(const struct rk_plan *p)
{
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++)
        if (schedules[i].schedule == p->schedule && schedules[i].chunks == (p->chunks > 1))
            return schedules[i].name;
    return p->chunks > 1 ? "Interleaved1F1B" : "1F1B";
}

static void write_pipeline(FILE *file, const struct rk_model *m, const struct rk_plan *p)
{
    if (p->pipeline == 1) return;
    const uint64_t stages = p->pipeline * p->chunks;
    fprintf(file,
            "pipeline_parallel_degree = %" PRIu64 "\npipeline_parallel_schedule = \"%s\"\n"
            "pipeline_parallel_microbatch_size = %" PRIu64 "\n"
            "pipeline_parallel_first_stage_less_layers = %d\n"
            "pipeline_parallel_last_stage_less_layers = %d\n",
            p->pipeline, schedule_name(p), p->microbatch, p->embedding_counts, p->head_counts);
    if (p->chunks > 1)
        fprintf(file, "pipeline_parallel_layers_per_stage = %" PRIu64 "\n",
                (m->layers + 2 + stages - 1) / stages);
}

static void write_parallelism(FILE *file, const struct rk_model *m, const struct rk_plan *p)
{
    const uint64_t data = rk_plan_data(p);
    uint64_t shard = p->zero ? data : 1;
    if (p->zero && p->shard_ranks && p->shard_ranks % p->context == 0 &&
        data % (p->shard_ranks / p->context) == 0)
        shard = p->shard_ranks / p->context;
    fprintf(file,
            "[parallelism]\ndata_parallel_replicate_degree = %" PRIu64 "\n"
            "data_parallel_shard_degree = %" PRIu64 "\n"
            "fsdp_reshard_after_forward = \"%s\"\ntensor_parallel_degree = %" PRIu64 "\n"
            "enable_async_tensor_parallel = %s\n",
            data / shard, shard, p->keep_gathered ? "never" : "always", p->tensor,
            p->tensor_overlap && p->tensor > 1 ? "true" : "false");
    write_pipeline(file, m, p);
    if (p->context > 1)
        fprintf(file,
                "context_parallel_degree = %" PRIu64 "\ncontext_parallel_rotate_method = \"%s\"\n",
                p->context, p->context_kind == RK_RING ? "alltoall" : "allgather");
    if (p->expert > 1)
        fprintf(file,
                "expert_parallel_degree = %" PRIu64 "\nexpert_tensor_parallel_degree = %" PRIu64
                "\nexpert_parallel_comm_backend = \"%s\"\n",
                p->expert, rk_plan_expert_tensor(p),
                p->dispatcher == RK_DEEPEP ? "deepep" : "standard");
    fprintf(file, "\n");
}

static void write_training(FILE *file, const struct rk_model *m, const struct rk_plan *p)
{
    const uint64_t data = rk_plan_data(p);
    static const char *const modes[] = {
        [RK_KEEP] = "none", [RK_SELECTIVE] = "selective", [RK_WHOLE] = "full"};
    fprintf(file,
            "[training]\nlocal_batch_size = %" PRIu64 "\nglobal_batch_size = %" PRIu64
            "\nseq_len = %" PRIu64 "\n",
            p->pipeline > 1 ? p->batch / data : p->microbatch, p->batch,
            p->sequence ? p->sequence : m->sequence);
    fprintf(file, "mixed_precision_param = \"%s\"\nmixed_precision_reduce = \"float32\"\n",
            p->precision <= RK_TF32 ? "float32" : "bfloat16");
    fprintf(file, "enable_cpu_offload = %s\nsteps = 20\n\n",
            rk_plan_offloaded(p, RK_SHARE_OPTIMIZER) > 0 &&
                    rk_plan_offloaded(p, RK_SHARE_WEIGHTS) > 0
                ? "true"
                : "false");
    const bool strides = p->recompute == RK_WHOLE && p->recompute_stride > 1;
    fprintf(file, "[activation_checkpoint]\nmode = \"%s\"\n",
            modes[strides ? RK_SELECTIVE : p->recompute]);
    if (strides) fprintf(file, "selective_ac_option = \"%" PRIu64 "\"\n", p->recompute_stride);
    if (p->recompute == RK_SELECTIVE) fprintf(file, "selective_ac_option = \"op\"\n");
    fprintf(file, "\n[compile]\nenable = %s\n", p->fused ? "true" : "false");
}

static void refuse(const struct rk_plan *p, struct notes *notes)
{
    const uint64_t data = rk_plan_data(p);
    if (p->pipeline > 1 && p->chunks == 1 && p->schedule > RK_1F1B)
        notes_add(notes, NOTE_REFUSED, 0, 0, "schedule", rk_schedule_name(p->schedule),
                  "torchtitan runs it only with at least two virtual stages a rank (chunks)");
    if (!data || p->batch % (data * p->microbatch))
        notes_add(notes, NOTE_REFUSED, 0, 0, "batch", "",
                  "is not divisible by microbatch * data parallelism");
    if (p->precision == RK_FP16)
        notes_add(notes, NOTE_REFUSED, 0, 0, "precision", "fp16",
                  "torchtitan trains in bf16, float8 or fp32");
}

static enum rk_status read_back(const char *text, const struct rk_model *model,
                                const struct rk_plan *plan, struct notes *notes,
                                struct rk_error *error)
{
    struct notes *spare = malloc(sizeof *spare);
    struct rk_plan run;
    if (!spare) return rk_fail(error, RK_IO, NULL, 0, 0, "out of memory");
    *spare = (struct notes){.count = 0};
    const enum rk_status status =
        torchtitan_read("job.toml", text, model, plan->ranks, &run, spare, error);
    free(spare);
    if (status != RK_OK) return status;
    return target_compare(model, plan, &run, "torchtitan's TOML", outside, notes, error);
}

enum rk_status torchtitan_write(FILE *file, const struct rk_model *model,
                                const struct rk_plan *plan, struct notes *notes,
                                struct rk_error *error)
{
    char *text = NULL;
    size_t size = 0;
    refuse(plan, notes);
    if (notes_refusal(notes, NULL, error) != RK_OK) return error->status = RK_NOTHING_FITS;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return rk_fail(error, RK_IO, NULL, 0, 0, "out of memory");
    write_model(memory, model, plan);
    write_parallelism(memory, model, plan);
    write_training(memory, model, plan);
    if (fclose(memory) != 0) return rk_fail(error, RK_IO, NULL, 0, 0, "out of memory");
    const enum rk_status status = read_back(text, model, plan, notes, error);
    if (status == RK_OK) {
        fprintf(file, "# torchtitan up to v0.2.2, written by reckon %s\n", RECKON_VERSION);
        for (int i = 0; i < notes->count; i++)
            fprintf(file, "# %s %s: %s\n", notes->note[i].what, notes->note[i].value,
                    notes->note[i].why);
        fprintf(file, "\n%s", text);
    }
    free(text);
    return status;
}
