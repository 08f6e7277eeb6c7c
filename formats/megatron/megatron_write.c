/* megatron_write.c - a plan as a launch script.
 *
 * The arguments are read back as an import reads them: what Megatron-LM would refuse is refused
 * here, and every key in which the run differs from the plan is named.
 */
#include "base/memory.h"
#include "catalog/plan_compare.h"
#include "keys/launch_file.h"
#include "keys/target.h"
#include "megatron/megatron_args.h"
#include "megatron/megatron_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

static void add(struct writer *w, const char *text, bool begins)
{
    char *copy = w->words < MOST_WORDS ? strdup(text) : NULL;
    if (!copy) {
        w->failed = true;
        return;
    }
    w->array[w->words] = w->at;
    w->begins[w->words] = begins;
    w->word[w->words++] = copy;
}

static void text_flag(struct writer *w, const char *name)
{
    char text[128];
    snprintf(text, sizeof text, "--%s", name);
    add(w, text, true);
}

void megatron_put(struct writer *w, enum megatron_flag flag, const char *format, ...)
{
    char text[WORD_TEXT];
    va_list values;
    if (!megatron_flag_in(flag, w->version)) return; /* the comparison names what is lost */
    text_flag(w, megatron_flags[flag].name);
    if (!*format) return;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    char *rest = text, *word; /* values of a list */
    while ((word = strsep(&rest, " ")))
        if (*word) add(w, word, false);
}

void megatron_put_if(struct writer *w, bool condition, enum megatron_flag flag)
{
    if (condition) megatron_put(w, flag, "%s", "");
}

void megatron_put_count(struct writer *w, enum megatron_flag flag, uint64_t count)
{
    megatron_put(w, flag, "%" PRIu64, count);
}

/* As NOTE_REFUSED. */
static void megatron_writer_refuse(struct writer *w, const char *what, const char *value,
                                   const char *format, ...)
{
    char why[256];
    va_list values;
    va_start(values, format);
    vsnprintf(why, sizeof why, format, values);
    va_end(values);
    notes_add(w->notes, NOTE_REFUSED, 0, 0, what, value, "%s", why);
}

/* ---- parallelism ---- */

/* "Et*3|(t*2|)*29m|L" of the plan's split, whatever gave it. */
static void put_layout(struct writer *w)
{
    char text[WORD_TEXT] = "E";
    const uint64_t stages = w->p->pipeline * w->p->chunks;
    size_t used = 1;
    for (uint64_t i = 0, run; i < stages && used < sizeof text - 64; i += run) {
        const uint64_t blocks = rk_plan_split(w->p, w->m, i);
        for (run = 1; i + run + 1 < stages && rk_plan_split(w->p, w->m, i + run) == blocks;)
            run++;
        const bool last = i + run == stages;
        char part[32] = "";
        if (blocks) snprintf(part, sizeof part, blocks > 1 ? "t*%" PRIu64 : "t", blocks);
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 run > 1 ? "(%s|)*%" PRIu64
                                 : last  ? "%s"
                                         : "%s|",
                                 part, run);
    }
    if (w->m->predict_layers)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "m*%" PRIu64, w->m->predict_layers);
    snprintf(text + used, sizeof text - used, "L");
    megatron_put(w, FLAG(LAYOUT), "%s", text);
}

static void put_pipeline(struct writer *w)
{
    const struct rk_plan *p = w->p;
    const uint64_t slots = w->m->layers + p->embedding_counts + p->head_counts;
    const bool ends = p->first_layers || p->last_layers;
    if (p->pipeline == 1) return;
    if ((p->embedding_counts || p->head_counts) &&
        w->version < megatron_flags[FLAG(COUNT_LOSS)].since)
        megatron_writer_refuse(w, p->embedding_counts ? "embedding_counts" : "head_counts", "yes",
                               "came with core 0.%d", megatron_flags[FLAG(COUNT_LOSS)].since);
    megatron_put_if(w, p->pipeline_blocking, FLAG(NO_P2P_OVERLAP));
    if (p->microbatch_group) megatron_put_count(w, FLAG(VP_GROUP), p->microbatch_group);
    if (rk_plan_layout(p)->splits || (!ends && slots % (p->pipeline * p->chunks))) {
        if (w->version < megatron_flags[FLAG(LAYOUT)].since)
            megatron_writer_refuse(w, "split", "", "stages of these lengths need core 0.%d",
                                   megatron_flags[FLAG(LAYOUT)].since);
        put_layout(w);
        return;
    }
    if (p->first_layers) megatron_put_count(w, FLAG(FIRST_LAYERS), p->first_layers);
    if (p->last_layers) megatron_put_count(w, FLAG(LAST_LAYERS), p->last_layers);
    megatron_put_if(w, p->embedding_counts, FLAG(COUNT_EMBEDDING));
    megatron_put_if(w, p->head_counts, FLAG(COUNT_LOSS));
    if (p->chunks > 1 && ends)
        megatron_put_count(w, FLAG(VP_STAGES), p->chunks);
    else if (p->chunks > 1)
        megatron_put_count(w, FLAG(LAYERS_PER_VP), slots / (p->pipeline * p->chunks));
}

static void put_context(struct writer *w)
{
    const struct rk_plan *p = w->p;
    static const char *const kinds[] = {[RK_RING] = "p2p",
                                        [RK_GATHER] = "allgather",
                                        [RK_ULYSSES] = "a2a",
                                        [RK_RING_ULYSSES] = "a2a+p2p"};
    if (p->context == 1) return;
    megatron_put_count(w, FLAG(CP), p->context);
    megatron_put(w, FLAG(CP_COMM), "%s", kinds[p->context_kind]);
    if (p->context_kind == RK_RING_ULYSSES && p->ulysses && p->context % p->ulysses == 0)
        megatron_put(w, FLAG(CP_SIZES), "%" PRIu64 " %" PRIu64, p->ulysses,
                     p->context / p->ulysses);
}

static bool torch_fsdp(const struct writer *w)
{
    return w->p->framework == RK_FSDP && w->p->zero == 3 && w->p->pipeline == 1 &&
           w->p->expert == 1 && w->version >= megatron_flags[FLAG(TORCH_FSDP2)].since;
}

static void put_data(struct writer *w)
{
    static const char *const levels[] = {"no_shard", "optim", "optim_grads", "optim_grads_params"};
    const struct rk_plan *p = w->p;
    const uint64_t all = rk_plan_data(p) * p->context;
    if (torch_fsdp(w)) {
        megatron_put(w, FLAG(TORCH_FSDP2), "%s", "");
        megatron_put(w, FLAG(NO_GRAD_FUSION), "%s", "");
        megatron_put(w, FLAG(CKPT_FORMAT), "%s", w->version >= 12 ? "torch_dcp" : "torch_dist");
        megatron_put_if(w, p->keep_gathered, FLAG(FSDP2_NO_RESHARD));
        return;
    }
    megatron_put_if(w, p->framework == RK_MEGATRON && !p->gradient_fusion, FLAG(NO_GRAD_FUSION));
    if (p->zero == 1) megatron_put(w, FLAG(DIST_OPT), "%s", "");
    if (p->zero > 1) {
        megatron_put(w, FLAG(CUSTOM_FSDP), "%s", "");
        megatron_put(w, FLAG(MEGATRON_FSDP), "%s", "");
        if (w->version >= megatron_flags[FLAG(MEGATRON_FSDP)].since)
            megatron_put(w, FLAG(CKPT_FORMAT), "%s", "fsdp_dtensor");
        megatron_put(w, FLAG(SHARDING), "%s", levels[p->zero]);
        megatron_put(w, FLAG(DIST_OPT), "%s", "");
    }
    megatron_put_if(w, p->gradient_overlap || p->zero == 3, FLAG(GRAD_OVERLAP));
    megatron_put_if(w, p->zero && ((p->weight_overlap && p->gradient_overlap) || p->zero == 3),
                    FLAG(PARAM_OVERLAP));
    if (p->zero && p->shard_ranks && p->shard_ranks < all && all % p->shard_ranks == 0)
        megatron_put_count(w, FLAG(DIST_OPT_INSTANCES), all / p->shard_ranks);
}

static void put_experts(struct writer *w)
{
    static const char *const dispatchers[] = {
        [RK_ALL_TO_ALL] = "alltoall", [RK_ALL_GATHER_TOKENS] = "allgather", [RK_DEEPEP] = "flex"};
    const struct rk_plan *p = w->p;
    if (!w->m->experts) return;
    if (p->expert > 1) megatron_put_count(w, FLAG(EP), p->expert);
    if (p->expert_tensor && p->expert_tensor != p->tensor)
        megatron_put_count(w, FLAG(ETP), p->expert_tensor);
    const bool deepep = p->dispatcher == RK_DEEPEP;
    const int since = megatron_flags[FLAG(DEEPEP)].since;
    megatron_put(w, FLAG(DISPATCHER), "%s",
                 deepep && w->version < since ? "alltoall" : dispatchers[p->dispatcher]);
    if (deepep && w->version >= megatron_flags[FLAG(FLEX_BACKEND)].since)
        megatron_put(w, FLAG(FLEX_BACKEND), "%s", "deepep");
    else
        megatron_put_if(w, deepep, FLAG(DEEPEP));
    megatron_put_if(w, p->grouped, FLAG(GROUPED_GEMM));
    if (p->capacity_factor > 0) megatron_put(w, FLAG(CAPACITY_FACTOR), "%.17g", p->capacity_factor);
    megatron_put_if(w, p->capacity_padded && p->capacity_factor > 0, FLAG(PAD_CAPACITY));
    megatron_put_if(w, p->expert_overlap, FLAG(EP_OVERLAP));
}

static void put_parallel(struct writer *w)
{
    const struct rk_plan *p = w->p;
    w->at = PARALLEL;
    megatron_put_count(w, FLAG(TP), p->tensor);
    megatron_put_count(w, FLAG(PP), p->pipeline);
    put_pipeline(w);
    put_context(w);
    megatron_put_if(w, p->sequence_parallel && p->tensor > 1, FLAG(SP));
    megatron_put_if(w, p->tensor_overlap && p->sequence_parallel && p->tensor > 1,
                    FLAG(TP_OVERLAP));
    megatron_put_if(w, plan_first_order(p) == RK_ORDER_TP_CP_PP_DP, FLAG(TP_PP_DP));
    put_experts(w);
    put_data(w);
}

/* ---- training ---- */

static void put_recompute(struct writer *w)
{
    const struct rk_plan *p = w->p;
    char modules[PLAN_VALUE] = "";
    if (p->recompute == RK_KEEP) return;
    megatron_put(w, FLAG(RECOMPUTE_GRANULARITY), "%s",
                 p->recompute == RK_WHOLE ? "full" : "selective");
    if (p->recompute == RK_WHOLE) {
        megatron_put(w, FLAG(RECOMPUTE_METHOD), "%s", p->recompute_layers ? "block" : "uniform");
        megatron_put_count(w, FLAG(RECOMPUTE_NUM_LAYERS),
                           p->recompute_layers  ? p->recompute_layers
                           : p->recompute_every ? p->recompute_every
                                                : 1);
        megatron_put_if(w, p->checkpoint_sharded && p->tensor > 1 && !p->sequence_parallel,
                        FLAG(DISTRIBUTE_SAVED));
        return;
    }
    for (int part = 0; part < RK_PARTS; part++)
        if (p->recompute_parts >> part & 1)
            snprintf(modules + strlen(modules), sizeof modules - strlen(modules), " %s",
                     rk_part_name((enum rk_part)part));
    if (*modules) megatron_put(w, FLAG(RECOMPUTE_MODULES), "%s", modules);
}

static void put_precision(struct writer *w)
{
    const struct rk_plan *p = w->p;
    static const struct {
        const char *format, *recipe;
    } narrow[RK_PRECISIONS] = {[RK_FP8_DELAYED] = {"hybrid", "delayed"},
                               [RK_FP8_CURRENT] = {"hybrid", "tensorwise"},
                               [RK_FP8_BLOCK] = {"e4m3", "blockwise"},
                               [RK_MXFP8] = {"e4m3", "mxfp8"}};
    megatron_put_if(w, p->precision >= RK_BF16, FLAG(BF16));
    megatron_put_if(w, p->precision == RK_FP16, FLAG(FP16));
    if (p->precision == RK_FP16 && p->gradient_element_bytes != 2)
        megatron_put(w, FLAG(GRADS_FP32), "%s", "");
    if (narrow[p->precision].format &&
        (p->precision == RK_FP8_DELAYED || w->version >= megatron_flags[FLAG(FP8_RECIPE)].since)) {
        megatron_put(w, FLAG(FP8_FORMAT), "%s", narrow[p->precision].format);
        megatron_put(w, FLAG(FP8_RECIPE), "%s", narrow[p->precision].recipe);
        megatron_put_if(w, p->weights_fp8 && p->zero, FLAG(FP8_PARAM_GATHER));
    }
    if (p->precision == RK_NVFP4) {
        megatron_put(w, FLAG(FP4_FORMAT), "%s", "e2m1");
        megatron_put(w, FLAG(FP4_RECIPE), "%s", "nvfp4");
        megatron_put_if(w, p->weights_fp8, FLAG(FP4_PARAM_GATHER));
    }
}

static const char *moment_type(double bytes)
{
    return bytes == 1 ? "fp8" : bytes == 2 ? "bf16" : "fp32";
}

static void put_optimizer(struct writer *w)
{
    const struct rk_plan *p = w->p;
    const bool narrow = p->master_element_bytes == 2 || p->moment1_element_bytes == 1 ||
                        p->moment1_element_bytes == 2 || p->moment2_element_bytes == 1 ||
                        p->moment2_element_bytes == 2 ||
                        rk_plan_offloaded(p, RK_SHARE_OPTIMIZER) > 0;
    const bool aware =
        narrow && p->zero && w->version >= megatron_flags[FLAG(PRECISION_AWARE)].since;
    const bool grads16 = p->gradient_element_bytes == 2 && p->precision >= RK_BF16;
    static const char *const names[RK_OPTIMIZERS] = {
        [RK_MUON] = "muon", [RK_LION] = "lion", [RK_MOMENTUM] = "sgd"};
    if (names[p->optimizer]) megatron_put(w, FLAG(OPTIMIZER), "%s", names[p->optimizer]);
    if (p->bucket) megatron_put(w, FLAG(BUCKET_SIZE), "%" PRIu64, p->bucket);
    if (p->deferred_wgrad) {
        megatron_put(w, FLAG(DEFER_WGRAD), "%s", "");
        megatron_put(w, FLAG(DEFERRAL_LIMIT), "%" PRIu64, p->deferred_wgrad);
    }
    if (aware) {
        megatron_put(w, FLAG(PRECISION_AWARE), "%s", "");
        megatron_put(w, FLAG(EXP_AVG), "%s", moment_type(p->moment1_element_bytes));
        megatron_put(w, FLAG(EXP_AVG_SQ), "%s", moment_type(p->moment2_element_bytes));
        /* with bf16 weights, fp32 is kept as the 16 bits that they lack */
        const bool remainders = p->precision >= RK_BF16 && p->precision <= RK_FP8_DELAYED;
        if (p->master_element_bytes == 2 &&
            (!remainders || rk_plan_offloaded(p, RK_SHARE_OPTIMIZER) > 0))
            megatron_put(w, FLAG(MAIN_PARAMS), "%s", "fp16");
        if (grads16) megatron_put(w, FLAG(MAIN_GRADS), "%s", "bf16");
    } else {
        megatron_put_if(w, grads16, FLAG(GRAD_REDUCE_BF16));
    }
    if (rk_plan_offloaded(p, RK_SHARE_OPTIMIZER) > 0 && aware) {
        megatron_put(w, FLAG(OPT_OFFLOAD), "%s", "");
        megatron_put(w, FLAG(OPT_OFFLOAD_FRACTION), "%.17g",
                     rk_plan_offloaded(p, RK_SHARE_OPTIMIZER));
    }
}

/* Before it, one of full and attn. */
enum { MANY_SCOPES = 16 };

static void put_graph_parts(struct writer *w)
{
    char names[128] = "";
    for (int i = 0; i < RK_GRAPH_PARTS; i++)
        if (w->p->graph_parts >> i & 1)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? " " : "",
                     rk_graph_part_name((enum rk_graph_part)i));
    if (!*names) return;
    if (w->version >= megatron_flags[FLAG(CUDA_GRAPH_MODULES)].since)
        megatron_put(w, FLAG(CUDA_GRAPH_MODULES), "%s", names);
    else if (w->version >= MANY_SCOPES || w->p->graph_parts == 1u << RK_GRAPH_ATTENTION)
        megatron_put(w, FLAG(CUDA_GRAPH_SCOPE), "%s", names);
    else
        megatron_writer_refuse(w, "graph_parts", names, "can be named together since core 0.%d",
                               MANY_SCOPES);
}

/* Megatron-LM asks for the last argument with it. */
static void put_graph_of_step(struct writer *w)
{
    const bool own = w->version >= megatron_flags[FLAG(CUDA_GRAPH_MODULES)].since;
    megatron_put(w, FLAG(CUDA_GRAPH_IMPL), "%s", own ? "full_iteration" : "local");
    if (!own) megatron_put(w, FLAG(CUDA_GRAPH_SCOPE), "%s", "full_iteration");
    text_flag(w, "no-check-for-nan-in-loss-and-grad");
}

static void put_kernels(struct writer *w)
{
    static const char *const kernels[RK_ATTENTION_KERNELS] = {[RK_UNFUSED] = "unfused",
                                                              [RK_FLASH_1] = "flash",
                                                              [RK_FLASH] = "flash",
                                                              [RK_FLASH_3] = "fused"};
    const struct rk_plan *p = w->p;
    if (p->transformer_engine) {
        megatron_put(w, FLAG(ATTENTION_BACKEND), "%s", kernels[p->attention]);
    } else {
        megatron_put(w, FLAG(TRANSFORMER_IMPL), "%s", "local");
        megatron_put_if(w, p->attention != RK_UNFUSED, FLAG(FLASH_ATTN));
    }
    megatron_put_if(w, p->loss_compiled || p->loss_in_place, FLAG(CROSS_ENTROPY_FUSION));
    if (p->loss_in_place && w->version >= megatron_flags[FLAG(CROSS_ENTROPY_IMPL)].since)
        megatron_put(w, FLAG(CROSS_ENTROPY_IMPL), "%s", "te");
    if (!p->activation_fused)
        megatron_put(w, w->m->gated_mlp ? FLAG(NO_SWIGLU_FUSION) : FLAG(NO_GELU_FUSION), "%s", "");
    if (p->activation_fp8 && w->version < megatron_flags[FLAG(ACTIVATION_FP8)].since)
        megatron_writer_refuse(w, "activation_fp8", "yes", "became an argument with core 0.%d",
                               megatron_flags[FLAG(ACTIVATION_FP8)].since);
    else
        megatron_put_if(w, p->activation_fp8, FLAG(ACTIVATION_FP8));
    megatron_put_if(w, !p->fused, FLAG(NO_ROPE_FUSION));
    const unsigned dropped =
        1u << RK_PART_MLP | 1u << RK_PART_EXPERTS | 1u << RK_PART_CORE_ATTENTION;
    if (!p->cuda_graphs || p->recompute == RK_WHOLE) return; /* Megatron-LM takes one of them */
    if (p->recompute == RK_SELECTIVE && p->recompute_parts & dropped && !w->m->no_dropout) return;
    if (!p->graph_parts && w->version >= megatron_flags[FLAG(CUDA_GRAPH_IMPL)].since)
        put_graph_of_step(w);
    else if (w->version >= megatron_flags[FLAG(CUDA_GRAPH_IMPL)].since)
        megatron_put(w, FLAG(CUDA_GRAPH_IMPL), "%s", "transformer_engine");
    else if (w->version >= megatron_flags[FLAG(EXTERNAL_CUDA_GRAPH)].since)
        megatron_put(w, FLAG(EXTERNAL_CUDA_GRAPH), "%s", "");
    else
        megatron_put(w, FLAG(ENABLE_CUDA_GRAPH), "%s", "");
    put_graph_parts(w);
}

static void put_training(struct writer *w)
{
    const struct rk_plan *p = w->p;
    const double layers =
        floor(rk_plan_offloaded(p, RK_SHARE_ATTENTION) * (double)w->m->layers + 0.5);
    w->at = TRAINING;
    megatron_put_count(w, FLAG(MICRO_BATCH), p->microbatch);
    megatron_put_count(w, FLAG(GLOBAL_BATCH), p->batch);
    put_precision(w);
    put_recompute(w);
    if (layers >= 1 && layers < (double)w->m->layers && p->pipeline == 1 && p->recompute == RK_KEEP)
        megatron_put(w, FLAG(CPU_OFFLOAD_LAYERS), "%.0f", layers);
    put_optimizer(w);
    put_kernels(w);
}

/* The vocabulary is the model's own size; what it is padded to, the plan says. */
static void put_vocabulary(struct writer *w)
{
    const struct rk_plan *p = w->p;
    w->at = DATA;
    megatron_put_count(w, FLAG(VOCAB_SIZE), w->m->vocabulary);
    if (p->vocabulary_multiple)
        megatron_put_count(w, FLAG(VOCAB_DIVISIBLE), p->vocabulary_multiple);
    else if (w->m->vocabulary % p->tensor == 0 &&
             megatron_flag_in(FLAG(PADDED_VOCAB_SIZE), w->version))
        megatron_put_count(w, FLAG(PADDED_VOCAB_SIZE), w->m->vocabulary);
    else
        megatron_put_count(w, FLAG(VOCAB_DIVISIBLE), 1);
}

/* ---- reading it back ---- */

/* The shape itself must come back; its plan may lose something, which is named. */
static enum rk_status compare(struct writer *w, const struct megatron_import *back,
                              struct rk_error *error)
{
    static const char *const outside[] = {"imbalance", "natural_load", "gathered_copies",
                                          "compiled_rows", NULL};
    char tool[40];
    struct rk_model model = *w->m, trained = back->model;
    struct rk_plan run = back->plan;
    if (w->p->sequence) model.sequence = w->p->sequence;
    run.sequence = w->p->sequence;
    model.count_embeddings = trained.count_embeddings = true; /* whatever a size is said by */
    if (rk_model_parameters(&model) != rk_model_parameters(&trained))
        megatron_writer_refuse(w, "model", model.id,
                               "has %" PRIu64 " parameters, the run would train %" PRIu64,
                               rk_model_parameters(&model), rk_model_parameters(&trained));
    snprintf(tool, sizeof tool, "Megatron Core 0.%d", w->version);
    return target_compare(w->m, w->p, &run, tool, outside, w->notes, error);
}

static enum rk_status read_back(struct writer *w, struct rk_error *error)
{
    const struct megatron_options options = {.gpus = w->p->ranks, .version = w->version};
    struct megatron_import *back = malloc(sizeof *back);
    if (!back) return no_memory(error);
    enum rk_status status =
        megatron_read_words((const char *const *)w->word, w->words, &options, back, error);
    for (int i = 0; i < back->notes.count; i++) {
        const struct rk_finding *note = &back->notes.note[i];
        if (note->severity == NOTE_REFUSED)
            megatron_writer_refuse(w, note->what, note->have, "%s", note->need);
    }
    if (status == RK_OK) status = compare(w, back, error);
    free(back);
    return status;
}

enum rk_status megatron_write(FILE *file, const struct rk_model *model, const struct rk_plan *plan,
                              const struct megatron_target *target, struct notes *notes,
                              struct rk_error *error)
{
    struct writer *w = calloc(1, sizeof *w);
    if (!w) return no_memory(error);
    const int version = target->version ? target->version : MEGATRON_NEWEST;
    *w = (struct writer){.m = model, .p = plan, .version = version, .notes = notes};
    struct rule_case c = rule_case_of(model, NULL, plan);
    c.who |= BY_CORE;
    c.version = version;
    target_refuse(&c, 1u << CHECK_TOOL, notes);
    megatron_put_model(w);
    put_parallel(w);
    put_training(w);
    put_vocabulary(w);
    enum rk_status status = w->failed ? RK_NO_MEMORY : RK_OK;
    if (status == RK_OK && !notes_count(notes, NOTE_REFUSED)) status = read_back(w, error);
    if (status != RK_NO_MEMORY && notes_count(notes, NOTE_REFUSED)) {
        notes_refusal(notes, NULL, error);
        error->status = status = RK_UNSUPPORTED;
    }
    if (status == RK_OK && w->failed) status = RK_NO_MEMORY;
    if (status == RK_NO_MEMORY) no_memory(error);
    if (status == RK_OK) megatron_script(file, w, target);
    for (size_t i = 0; i < w->words; i++)
        free(w->word[i]);
    free(w);
    return status;
}

/* Flag, values in one text, flag, ...; the words are the caller's then. */
static size_t collect(struct writer *w, char **words, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < w->words; i++) {
        char *last = count ? words[count - 1] : NULL;
        if (w->begins[i] && count + 2 <= most) {
            words[count++] = w->word[i];
            words[count++] = strdup("");
        } else if (last) { /* one more value */
            char *longer = malloc(strlen(last) + strlen(w->word[i]) + 2);
            if (longer) sprintf(longer, "%s%s%s", last, *last ? " " : "", w->word[i]);
            if (longer) words[count - 1] = longer;
            if (longer) free(last);
            free(w->word[i]);
        } else {
            free(w->word[i]);
        }
    }
    return count;
}

static size_t make_words(const struct rk_model *model, const struct rk_plan *plan, int version,
                         bool whole, char **words, size_t most)
{
    struct notes *none = calloc(1, sizeof *none); /* nothing is refused: it is read back */
    struct writer *w = calloc(1, sizeof *w);
    size_t count = 0;
    if (w && none) {
        *w = (struct writer){.m = model, .p = plan, .version = version, .notes = none};
        if (whole) megatron_put_model(w);
        put_parallel(w);
        put_training(w);
        if (whole) put_vocabulary(w);
        count = collect(w, words, most);
    }
    free(none);
    free(w);
    return count;
}

size_t megatron_plan_words(const struct rk_model *model, const struct rk_plan *plan, int version,
                           char **words, size_t most)
{
    return make_words(model, plan, version, false, words, most);
}

size_t megatron_run_words(const struct rk_model *model, const struct rk_plan *plan, int version,
                          char **words, size_t most)
{
    return make_words(model, plan, version, true, words, most);
}
