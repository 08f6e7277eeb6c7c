/* torchtitan.c - job files (TOML) of torchtitan up to v0.2.2, and its configurations in Python,
 * as far as they decide a plan.
 *
 * The file names a flavor of a model and says degrees, schedule, batch, checkpointing and float8.
 * Keys and defaults: torchtitan/config/job_config.py at v0.2.2 [torchtitan].
 */
#include "keys/key_rows.h"
#include "keys/optimizers.h"
#include "keys/target.h"
#include "plan/members.h"
#include "text/python_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

enum ac_mode { AC_NONE, AC_SELECTIVE, AC_FULL };
enum reshard { RESHARD_DEFAULT, RESHARD_ALWAYS, RESHARD_NEVER };

/* What the file says; presets are torchtitan's. */
struct job {
    const char *model, *flavor;
    int64_t replicate, shard, local, global;
    uint64_t tensor, pipeline, context, expert, expert_tensor, microbatch, per_stage, sequence;
    uint64_t first_less, last_less;
    uint64_t old_pipeline, old_batches; /* of 2024; 0: not said */
    int loss_parallel;
    const char *schedule, *option, *recipe;
    int reshard, rotate, mode, backend, param, half;
    bool async_tensor, offload, compile, gather, float8, mx;
    /* of configurations in Python */
    uint64_t tokens, pipeline_batches;
    int64_t step_tokens;
    const char *config, *checkpointing, *loss, *dispatch;
    bool no_graphs;
    int sequence_off;
};

#define AT(member) offsetof(struct job, member)

/* clang-format off */
static const struct key rows[] = {
#include "tables/torchtitan-plan.h"
#include "tables/torchtitan.h"
};

/* Models of torchtitan's own, by what --model can be compared with [torchtitan]: models/<name>/__init__.py */
static const struct titan_model {
    const char *name, *flavor; /* of which "_flex" and the like are variants */
    uint64_t layers, hidden, experts, parameters; /* 0: not known */
} titan_models[] = {
#define ROW(name, flavor, layers, hidden, experts, parameters) {name, flavor, layers, hidden, experts, UINT64_C(parameters)},
#include "tables/torchtitan-models.h"
#undef ROW
};
/* clang-format on */

const struct key_table torchtitan_keys = KEY_TABLE(rows);

enum { MOST_RANKS = 1 << 24 };

struct reading {
    bool python; /* not TOML */
    const struct config_source *source;
    const struct settings *settings;
    struct job j;
    const struct rk_model *m;
    struct rk_plan *p;
    struct notes *notes;
    struct rk_error *error;
};

/* The model of a configuration in Python: the folder it is in, or else how its function begins. */
static const char *find_name(const struct reading *r)
{
    char folder[40];
    for (size_t i = 0; i < sizeof titan_models / sizeof *titan_models; i++) {
        const char *name = titan_models[i].name, *config = r->j.config ? r->j.config : "";
        snprintf(folder, sizeof folder, "%s/", name);
        if (strstr(r->source->path, folder) || strncmp(config, name, strlen(name)) == 0)
            return name;
    }
    return "";
}

/* What is trained is --model's business: the two must agree. */
static void compare_model(struct reading *r)
{
    const char *name = r->j.model ? r->j.model : "", *flavor = r->j.flavor ? r->j.flavor : "";
    const struct setting *at = settings_find(r->settings, "model.flavor");
    const struct titan_model *found = NULL;
    if (!at) at = settings_find(r->settings, "model_spec.0");
    if (r->python && !r->j.model) name = find_name(r);
    if (!at) at = settings_find(r->settings, "model.name");
    if (!at || r->source->keys.ignored_count) return; /* --ignore model */
    for (size_t i = 0; i < sizeof titan_models / sizeof *titan_models; i++) {
        const size_t n = strlen(titan_models[i].flavor);
        if (strcmp(name, titan_models[i].name) == 0 &&
            strncmp(flavor, titan_models[i].flavor, n) == 0 && (!flavor[n] || flavor[n] == '_'))
            found = &titan_models[i];
    }
    if (!found)
        notes_add_rule(r->notes, "13.model", NOTE_REFUSED, at->line, at->column, at->key, at->text,
                       "give --ignore model if --model is what it trains",
                       "%s %s is not a language model of torchtitan that is known", name, flavor);
    else if (found->layers != r->m->layers || found->hidden != r->m->hidden ||
             found->experts != r->m->experts)
        notes_add_rule(r->notes, "13.model", NOTE_REFUSED, at->line, at->column, at->key, at->text,
                       "give another --model, or --ignore model",
                       "has %" PRIu64 " layers of width %" PRIu64 " and %" PRIu64
                       " experts, --model %s %" PRIu64 " of %" PRIu64 " and %" PRIu64,
                       found->layers, found->hidden, found->experts, r->m->id, r->m->layers,
                       r->m->hidden, r->m->experts);
}

static enum rk_status derive_ranks(struct reading *r)
{
    static const char *const shard_key = "parallelism.data_parallel_shard_degree";
    struct job *j = &r->j;
    struct rk_plan *p = r->p;
    uint64_t gpus = r->source->gpus;
    const double all = (double)j->tensor * (double)j->pipeline * (double)j->context *
                       (double)j->replicate * (double)(j->shard > 0 ? j->shard : 1);
    if (!j->tensor || !j->pipeline || !j->context || !j->expert || !j->expert_tensor ||
        j->replicate < 1 || !j->shard)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings->path, 0, 0,
                       "degrees must be at least 1, data_parallel_shard_degree -1 or that");
    if (all > MOST_RANKS || j->expert > MOST_RANKS || j->expert_tensor > MOST_RANKS)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings->path, 0, 0,
                       "the degrees make more than %d ranks", MOST_RANKS);
    if (j->shard < 1 && !gpus) gpus = notes_machine(r->notes, r->source->machine);
    if (j->shard < 1 && !gpus)
        return settings_fail_key(
            r->settings, shard_key, r->error,
            "data_parallel_shard_degree is what is left of the GPUs: give --gpus N");
    const uint64_t model = j->tensor * j->pipeline * j->context * (uint64_t)j->replicate;
    if (j->shard < 1 && (gpus % model || gpus < model))
        return rk_fail(r->error, RK_BAD_INPUT, r->settings->path, 0, 0,
                       "%" PRIu64 " GPUs are not divisible by the degrees' product %" PRIu64, gpus,
                       model);
    if (j->shard < 1) j->shard = (int64_t)(gpus / model);
    p->ranks = model * (uint64_t)j->shard;
    if (gpus && gpus != p->ranks)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings->path, 0, 0,
                       "the degrees' product is %" PRIu64 ", not the %" PRIu64
                       " GPUs of --gpus: correct one of them",
                       p->ranks, gpus);
    p->tensor = j->tensor;
    p->pipeline = j->pipeline;
    p->context = j->context;
    p->expert = j->expert;
    p->expert_tensor = j->expert > 1 ? j->expert_tensor : 0;
    p->sequence_parallel = j->tensor > 1 && !j->sequence_off;
    return RK_OK;
}

/* Python's tokens of a microbatch and of a step, as samples of the longest context. */
static enum rk_status derive_samples(struct reading *r)
{
    static const char *const micro = "training.num_tokens_per_microbatch_per_dp_rank";
    struct job *j = &r->j;
    if (!r->python || settings_find(r->settings, "training.local_batch_size")) return RK_OK;
    if (!settings_find(r->settings, micro))
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, micro, "16384", "torchtitan's default");
    if (!j->sequence || j->tokens < j->sequence || j->tokens % j->sequence)
        return settings_fail_key(r->settings, micro, r->error,
                                 "%" PRIu64 " tokens are not a whole number of samples of %" PRIu64
                                 ": samples that are packed or cut are not covered",
                                 j->tokens, j->sequence);
    j->microbatch = j->tokens / j->sequence;
    j->local = (int64_t)(j->microbatch * (j->pipeline > 1 ? j->pipeline_batches : 1));
    if (j->step_tokens <= 0) return RK_OK;
    if (j->step_tokens % (int64_t)j->sequence)
        return settings_fail_key(r->settings, "training.num_tokens_per_train_step", r->error,
                                 "is not a whole number of samples of %" PRIu64 " tokens",
                                 j->sequence);
    j->global = j->step_tokens / (int64_t)j->sequence;
    return RK_OK;
}

/* Files of 2024: stages of equal layers, and by default as many microbatches as stages. */
static enum rk_status derive_old(struct reading *r)
{
    static const char *const key = "experimental.pipeline_parallel_microbatches";
    struct job *j = &r->j;
    if (!j->loss_parallel)
        notes_add_rule(r->notes, "1.followed", NOTE_WARNING, 0, 0, "training.enable_loss_parallel",
                       "false", "", "is not followed: the loss is computed on whole logits");
    if (!j->old_pipeline) return RK_OK;
    j->pipeline = j->old_pipeline;
    if (j->pipeline == 1) return RK_OK;
    if (!settings_find(r->settings, "parallelism.pipeline_parallel_first_stage_less_layers"))
        j->first_less = j->last_less = 0;
    if (settings_find(r->settings, "parallelism.pipeline_parallel_microbatch_size")) return RK_OK;
    const int64_t count = (int64_t)(j->old_batches ? j->old_batches : j->pipeline);
    if (!j->old_batches)
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, key, "", "%lld, one a stage: torchtitan's default",
                  (long long)count);
    if (count > j->local || j->local % count)
        return settings_fail_key(r->settings, key, r->error,
                                 "%lld microbatches do not divide the batch %lld of a rank",
                                 (long long)count, (long long)j->local);
    j->microbatch = (uint64_t)(j->local / count);
    return RK_OK;
}

static enum rk_status derive_batch(struct reading *r)
{
    const struct job *j = &r->j;
    const int64_t data = j->replicate * j->shard, most = 1000000000;
    const int64_t micro = j->pipeline > 1 ? (int64_t)j->microbatch : j->local;
    if (j->local < 1 || micro < 1 || j->local > most || micro > most || j->global > most)
        return settings_fail_key(r->settings, "training.local_batch_size", r->error,
                                 "batches must be at least 1, at most 1e9");
    const int64_t batch = j->global > 0 ? j->global : j->local * data;
    if (batch % (j->local * data) || j->local % micro)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings->path, 0, 0,
                       "global_batch_size %lld is not divisible by local_batch_size %lld * %lld"
                       " data-parallel ranks, or that by the pipeline's microbatch %lld",
                       (long long)batch, (long long)j->local, (long long)data, (long long)micro);
    r->p->batch = (uint64_t)batch;
    r->p->microbatch = (uint64_t)micro;
    if (j->pipeline > 1 && batch != j->local * data)
        notes_add(r->notes, NOTE_WARNING, 0, 0, "global_batch_size", "",
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
    {"ZBVZeroBubble",        RK_V_ZERO,      true},
    {"1f1b",                 RK_1F1B,        false}, /* of 2024 */
    {"gpipe",                RK_GPIPE,       false},
    {"interleaved_1f1b",     RK_1F1B,        true},
};
/* clang-format on */

static enum rk_status read_pipeline(struct reading *r)
{
    static const char *const key = "parallelism.pipeline_parallel_schedule";
    const struct job *j = &r->j;
    struct rk_plan *p = r->p;
    if (j->pipeline == 1) return RK_OK;
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        if (strcmp(j->schedule, schedules[i].name) != 0) continue;
        p->schedule = schedules[i].schedule;
        p->chunks = schedules[i].chunks ? 2 : 1;
        if (j->per_stage > 1000000)
            return settings_fail_key(r->settings, "parallelism.pipeline_parallel_layers_per_stage",
                                     r->error, "must be 1 to 1e6");
        const uint64_t each = j->per_stage * p->pipeline;
        if (schedules[i].chunks && each) /* embedding and head count as a layer each */
            p->chunks = (r->m->layers + 2 + each - 1) / each;
        p->embedding_counts = j->first_less > 0;
        p->head_counts = j->last_less > 0;
        if (j->first_less > 1 || j->last_less > 1)
            notes_add(r->notes, NOTE_WARNING, 0, 0, "less_layers", "",
                      "more than one layer less is estimated as one");
        return p->chunks * p->pipeline <= RK_MAX_CHUNKS
                   ? RK_OK
                   : settings_fail_key(r->settings, key, r->error, "more than %d virtual stages",
                                       RK_MAX_CHUNKS);
    }
    return settings_fail_key(
        r->settings, key, r->error,
        "is not known: give 1F1B, GPipe, Interleaved1F1B, InterleavedZeroBubble, ZBVZeroBubble or "
        "DualPipeV");
}

static void read_data(struct reading *r)
{
    const struct job *j = &r->j;
    struct rk_plan *p = r->p;
    p->zero = j->shard * (int64_t)j->context > 1 ? 3 : 0;
    p->gradient_overlap = true;
    p->weight_overlap = p->zero == 3;
    p->keep_gathered = p->zero == 3 && (j->reshard == RESHARD_NEVER ||
                                        (j->reshard == RESHARD_DEFAULT && j->pipeline > 1));
    if (p->zero && j->replicate > 1) p->shard_ranks = (uint64_t)j->shard * j->context;
    if (j->context > 1) p->context_kind = j->rotate ? RK_RING : RK_GATHER;
    p->tensor_overlap = j->async_tensor && j->tensor > 1 ? RK_OVERLAP_RING : RK_OVERLAP_NONE;
    p->share[RK_SHARE_OPTIMIZER][0] = p->share[RK_SHARE_WEIGHTS][0] = j->offload && p->zero == 3;
    if (j->backend) p->dispatcher = RK_DEEPEP;
    if (j->dispatch && strcmp(j->dispatch, "standard") != 0) p->dispatcher = RK_DEEPEP;
    p->loss_in_chunks = j->loss && strncmp(j->loss, "Chunked", 7) == 0;
    p->cuda_graphs = r->python &&
                     settings_find(r->settings, "training.num_tokens_per_microbatch_per_dp_rank") &&
                     !j->no_graphs && j->pipeline == 1 && j->expert == 1;
}

/* "model.converters" lists what changes the model's products. */
static enum rk_status read_converters(struct reading *r)
{
    for (size_t i = 0; i < r->settings->count; i++) {
        const struct setting *s = &r->settings->setting[i];
        const bool python = r->python && strstr(s->key, "converters.") && strstr(s->text, "Config");
        if (strncmp(s->key, "model.converters.", 17) != 0 && !python) continue;
        if (strstr(s->text, "LoRA") || strstr(s->text, "NVFP4"))
            return settings_fail(r->settings, s, r->error, "%.60s is not covered", s->text);
        if ((strstr(s->text, "float8") && !strstr(s->text, "grouped")) ||
            strstr(s->text, "Float8Linear"))
            r->j.float8 = true;
        else if (strstr(s->text, ".mx") || strcmp(s->text, "mx") == 0 ||
                 strstr(s->text, "MXFP8Linear"))
            r->j.mx = true;
        else
            notes_add_rule(r->notes, "1.followed", NOTE_WARNING, s->line, s->column, s->key,
                           s->text, "", "is not followed");
    }
    r->p->precision = r->j.param ? RK_BF16 : RK_FP32;
    if (r->j.float8)
        r->p->precision =
            r->j.recipe && strncmp(r->j.recipe, "rowwise", 7) == 0 ? RK_FP8_ROW : RK_FP8_CURRENT;
    if (r->j.mx) r->p->precision = RK_MXFP8;
    if (r->j.half) /* "all parameters, gradients, and optimizer states": training.dtype there */
        r->p->weight_element_bytes = r->p->gradient_element_bytes = r->p->moment1_element_bytes =
            r->p->moment2_element_bytes = 2;
    r->p->weights_fp8 = r->j.gather && r->p->precision == RK_FP8_CURRENT;
    return RK_OK;
}

/* The class that a configuration in Python names; without one it is selective. */
static enum rk_status read_class(struct reading *r)
{
    static const char *const key = "activation_checkpoint";
    const struct setting *at = settings_find(r->settings, key);
    const char *name = at ? at->text : "SelectiveAC.Config";
    if (!r->python || settings_find(r->settings, "activation_checkpoint.mode")) return RK_OK;
    r->j.option = "op";
    r->j.mode = at && at->null ? AC_NONE : strncmp(name, "Full", 4) == 0 ? AC_FULL : AC_SELECTIVE;
    return (at && at->null) || strncmp(name, "Full", 4) == 0 || strncmp(name, "Selective", 9) == 0
               ? RK_OK
               : settings_fail_key(r->settings, key, r->error,
                                   "%.60s is not covered: SelectiveAC and FullAC are", name);
}

static void read_checkpointing(struct reading *r)
{
    const struct job *j = &r->j;
    r->p->fused = j->compile;
    if (!settings_has(r->settings, "activation_checkpoint"))
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "activation_checkpoint.mode", "selective",
                  "torchtitan's default");
    if (j->mode == AC_FULL) r->p->recompute = RK_WHOLE;
    if (j->mode != AC_SELECTIVE) return;
    const uint64_t stride = strtoull(j->option, NULL, 10);
    if (stride) {
        r->p->recompute = RK_WHOLE;
        r->p->recompute_stride = stride;
        return;
    }
    r->p->recompute = RK_SELECTIVE;
    r->p->recompute_parts = 1u << RK_PART_ACTIVATION | 1u << RK_PART_NORM;
    notes_add(r->notes, NOTE_WARNING, 0, 0, "selective_ac_option", j->option,
              "is estimated as computing norms and activations again, which keeps more: torchtitan "
              "computes every second product of a block again, too");
}

static enum rk_status interpret(struct reading *r)
{
    *r->p = plan_of_framework(RK_FSDP);
    compare_model(r);
    enum rk_status status = notes_refusal(r->notes, r->settings->path, r->error);
    if (status == RK_OK) status = derive_old(r);
    if (status == RK_OK) status = derive_ranks(r);
    if (status == RK_OK) status = read_class(r);
    if (status == RK_OK) status = derive_samples(r);
    if (status == RK_OK) status = derive_batch(r);
    if (status == RK_OK) status = read_pipeline(r);
    if (status == RK_OK) status = read_converters(r);
    static const char *const optimizer[] = {"optimizer.name", "optimizer", NULL};
    if (status == RK_OK)
        status = optimizer_read(r->source, r->settings, optimizer, r->p, r->notes, r->error);
    if (status != RK_OK) return status;
    read_data(r);
    read_checkpointing(r);
    if (!r->j.sequence || r->j.sequence > 1000000000)
        return settings_fail_key(r->settings, "training.seq_len", r->error, "must be 1 to 1e9");
    r->p->sequence = r->j.sequence == r->m->sequence ? 0 : r->j.sequence;
    if (!settings_find(r->settings, "training.seq_len") &&
        !settings_find(r->settings, "training.max_context_length"))
        notes_add(r->notes, NOTE_ASSUMED, 0, 0,
                  r->python ? "training.max_context_length" : "training.seq_len", "2048",
                  "torchtitan's default");
    return RK_OK;
}

/* `config = to_other_config(llama3_8b(), registry)`: what it is changed to stands elsewhere. */
static enum rk_status refuse_foreign(const struct settings *settings, struct rk_error *error)
{
    const struct setting *first = settings_find(settings, "0");
    return first ? rk_fail(error, RK_BAD_INPUT, settings->path, first->line, first->column,
                           "the configuration is what a function of another file makes of "
                           "%.80s: give the module and configuration of that one",
                           first->text)
                 : RK_OK;
}

enum rk_status torchtitan_read(const struct config_source *source, struct rk_model *model,
                               struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    struct settings settings;
    struct reading r = {.source = source,
                        .settings = &settings,
                        .m = model,
                        .p = plan,
                        .notes = notes,
                        .error = error};
    const size_t length = strlen(source->path);
    r.python = length > 3 && strcmp(source->path + length - 3, ".py") == 0;
    const char *config = NULL;
    for (size_t i = 0; i < source->set_count; i++)
        if (strncmp(source->sets[i], "config=", 7) == 0) config = source->sets[i] + 7;
    enum rk_status status = r.python
                                ? python_settings(&settings, source->path, source->text, config,
                                                  source->sets, source->set_count, error)
                                : settings_read(&settings, source->path, source->text, source->sets,
                                                source->set_count, error);
    if (status == RK_OK && r.python) status = refuse_foreign(&settings, error);
    if (status == RK_OK)
        status = keys_read(&settings, &torchtitan_keys, &source->keys, &r.j, notes, error);
    if (status == RK_OK) status = interpret(&r);
    settings_release(&settings);
    return status;
}

/* ---- writing ---- */

static const char *const outside[] = {"vocabulary_multiple", "attention",    "full_attention",
                                      "context_contiguous",  "cuda_graphs",  "graph_parts",
                                      "imbalance",           "natural_load", "gathered_copies",
                                      "compiled_rows",       "grouped",      NULL};

static void write_model(FILE *file, const struct rk_model *m, const struct rk_plan *p)
{
    const struct titan_model *of = NULL;
    for (size_t i = 0; i < sizeof titan_models / sizeof *titan_models; i++)
        if (rk_model_parameters(m) == titan_models[i].parameters) of = &titan_models[i];
    fprintf(file, "[model]\n");
    if (of)
        fprintf(file, "name = \"%s\"\nflavor = \"%s\"\n", of->name, of->flavor);
    else
        fprintf(file, "# name and flavor: of %s, in your fork of torchtitan\n", m->id);
    if (p->precision == RK_FP8_ROW)
        fprintf(file, "converters = [\"quantize.linear.float8\"]\n\n[quantize.linear.float8]\n"
                      "recipe_name = \"rowwise\"\n");
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
            data / shard, shard, p->keep_gathered || p->zero == 2 ? "never" : "always", p->tensor,
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
    fprintf(file, "enable_cpu_offload = %s\nsteps = 20 # a trial: --tokens says the run\n\n",
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

static void write_file(FILE *file, const struct rk_model *m, const struct rk_plan *p,
                       uint64_t gpus_per_node)
{
    (void)gpus_per_node;
    putc('\n', file);
    write_model(file, m, p);
    write_parallelism(file, m, p);
    write_training(file, m, p);
}

static void write_head(FILE *file, const struct rk_model *m, const struct rk_plan *p)
{
    (void)m;
    (void)p;
    fprintf(file, "# torchtitan up to v0.2.2, written by reckon %s\n", RECKON_VERSION);
}

const struct target torchtitan_target = {.name = "torchtitan's TOML",
                                         .file = "job.toml",
                                         .who = BY_TORCHTITAN,
                                         .write = write_file,
                                         .head = write_head,
                                         .read = torchtitan_read,
                                         .given_gpus = true,
                                         .ignored = "model", /* it is the writer's */
                                         .outside = outside};
