/* megatron_plan.c - the plan that the arguments make: degrees, pipeline, memory, precision. */
#include "keys/tokenizers.h"
#include "megatron/megatron_args.h"
#include "megatron/megatron_plan_parts.h"
#include "plan/layers.h"

#include <inttypes.h>
#include <reckon/predict.h>
#include <stdlib.h>
#include <string.h>

/* ---- degrees ---- */

enum { MOST_RANKS = 1 << 24 };

/* megablocks: one group of experts is all data-parallel ranks, or as many as there are experts. */
static uint64_t experts_by_data(const struct megatron_args *args, const struct rk_plan *plan)
{
    const uint64_t data = plan->ranks / plan->tensor / plan->pipeline;
    const uint64_t experts = COUNT(NUM_EXPERTS, 1);
    return data < 1 ? 1 : data < experts ? data : experts;
}

static enum rk_status read_degrees(const struct megatron_args *args, struct rk_plan *plan)
{
    static const enum megatron_flag degrees[] = {
        FLAG(TP),  FLAG(PP),          FLAG(CP),           FLAG(EP),
        FLAG(ETP), FLAG(MICRO_BATCH), FLAG(GLOBAL_BATCH), FLAG(DS_SEQUENCE)};
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++)
        if (megatron_has(args, degrees[i]) && args->value[degrees[i]].count == 0)
            return megatron_args_break(args, "1.value", args->value[degrees[i]].word,
                                       "--%s: must be at least 1", megatron_flags[degrees[i]].name);
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) /* products stay exact */
        if (megatron_count(args, degrees[i], 1) > MOST_RANKS)
            return megatron_args_fail(args, args->value[degrees[i]].word,
                                      "--%s: at most %d are covered",
                                      megatron_flags[degrees[i]].name, MOST_RANKS);
    plan->ranks = args->gpus;
    plan->tensor = COUNT(TP, 1);
    plan->pipeline = COUNT(PP, 1);
    plan->context = COUNT(CP, 1);
    plan->expert = COUNT(EP, 1);
    plan->expert_tensor = COUNT(ETP, 0) == plan->tensor ? 0 : COUNT(ETP, 0);
    plan->order = HAS(TP_PP_DP) ? RK_ORDER_TP_CP_PP_DP : RK_ORDER_TP_CP_DP_PP;
    if (args->tool == MEGATRON_DEEPSPEED) {
        plan->context = COUNT(DS_SEQUENCE, 1);
        plan->context_kind = plan->context > 1 ? RK_ULYSSES : RK_RING;
        plan->expert_tensor =
            COUNT(NUM_EXPERTS, 1) > 1 && !HAS(EXPERT_TENSOR) && plan->tensor > 1 ? 1 : 0;
    }
    if (HAS(EXPERTS_BY_DATA)) plan->expert = experts_by_data(args, plan);
    if (HAS(TP_EXTENDS_EP) && plan->tensor > 1) {
        plan->expert *= plan->tensor;
        plan->expert_tensor = 1;
    }
    plan->sequence_parallel = HAS(SP) && plan->tensor > 1;
    plan->tensor_overlap = HAS(TP_OVERLAP) || HAS(ASCEND_MC2) ? RK_OVERLAP_RING : RK_OVERLAP_NONE;
    if (HAS(SP) && plan->tensor == 1)
        megatron_note(args, NOTE_WARNING, FLAG(SP), "", "has no effect: tensor parallelism is 1");
    if (plan->pipeline > RK_MAX_STAGES)
        return megatron_args_fail(args, args->value[FLAG(PP)].word,
                                  "--pipeline-model-parallel-size: at most %d are covered",
                                  RK_MAX_STAGES);
    return RK_OK;
}

static enum rk_status read_batch(const struct megatron_args *args, struct rk_plan *plan)
{
    char text[32];
    if (!HAS(MICRO_BATCH))
        return megatron_args_break(args, "1.missing", NULL,
                                   "--micro-batch-size is missing: give it, Megatron-LM needs it");
    plan->microbatch = COUNT(MICRO_BATCH, 1);
    plan->batch = COUNT(GLOBAL_BATCH, 0);
    if (HAS(RAMPUP))
        megatron_note(args, NOTE_WARNING, FLAG(RAMPUP), "",
                      "is not followed: the step is that of the full batch");
    if (plan->batch) return RK_OK;
    plan->batch = plan->microbatch * rk_plan_data(plan);
    snprintf(text, sizeof text, "%" PRIu64, plan->batch);
    megatron_note(args, NOTE_ASSUMED, FLAG(GLOBAL_BATCH), text,
                  "not given: one microbatch for each data-parallel rank");
    return RK_OK;
}

static void read_context(const struct megatron_args *args, struct rk_plan *plan)
{
    static const struct {
        const char *text;
        enum rk_context_kind kind;
    } kinds[] = {{"p2p", RK_RING},
                 {"all_gather", RK_GATHER},
                 {"allgather", RK_GATHER},
                 {"a2a", RK_ULYSSES},
                 {"a2a+p2p", RK_RING_ULYSSES}};
    const struct megatron_value *value = &args->value[FLAG(CP_COMM)];
    if (plan->context > 1 && args->tool == MEGATRON_MINDSPEED) {
        plan->context_kind = IS(CP_ALGO, "megatron_cp_algo")      ? RK_RING
                             : IS(CP_ALGO, "hybrid_cp_algo")      ? RK_RING_ULYSSES
                             : IS(CP_ALGO, "kvallgather_cp_algo") ? RK_GATHER
                                                                  : RK_ULYSSES;
        if (plan->context_kind == RK_RING_ULYSSES) plan->ulysses = COUNT(ULYSSES_DEGREE, 1);
        if (!HAS(CP_ALGO))
            megatron_note(args, NOTE_ASSUMED, FLAG(CP_ALGO), "ulysses_cp_algo",
                          "MindSpeed's default");
    }
    if (plan->context == 1 || !HAS(CP_COMM)) return;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (IS(CP_COMM, kinds[i].text)) plan->context_kind = kinds[i].kind;
    for (int i = 1; i < value->words; i++)
        if (strcmp(value->word[i].text, value->word[0].text) != 0) {
            megatron_note(args, NOTE_WARNING, FLAG(CP_COMM), value->word[0].text,
                          "differs by layer: all are estimated as the first");
            break;
        }
    if (plan->context_kind == RK_RING_ULYSSES && HAS(CP_SIZES))
        plan->ulysses = strtoull(megatron_text(args, FLAG(CP_SIZES)), NULL, 10);
}

/* ---- pipeline ---- */

static enum rk_status read_layout(const struct megatron_args *args, const struct rk_model *model,
                                  struct rk_plan *plan)
{
    const struct shell_word *word = args->value[FLAG(LAYOUT)].word;
    struct megatron_layout layout = {.lost = false};
    char why[MEGATRON_WHY];
    if (!megatron_layout_read(word->text, &layout, why))
        return megatron_args_break(args, layout.lost ? "6.layers" : "1.value", word,
                                   "--pipeline-model-parallel-layout: %s", why);
    if ((uint64_t)layout.stages % plan->pipeline)
        return megatron_args_break(
            args, "2.stages", word,
            "--pipeline-model-parallel-layout: %d stages are not a multiple of "
            "the %" PRIu64 " pipeline ranks",
            layout.stages, plan->pipeline);
    if (layout.all != model->layers || layout.predict != model->predict_layers)
        return megatron_args_break(
            args, "6.layers", word,
            "--pipeline-model-parallel-layout: has %" PRIu64 " t and %" PRIu64 " m, for %" PRIu64
            " layers and %" PRIu64 " of --mtp-num-layers",
            layout.all, layout.predict, model->layers, model->predict_layers);
    plan->chunks = (uint64_t)layout.stages / plan->pipeline;
    plan_set_split(plan, layout.blocks, layout.stages);
    if (layout.predict && layout.predict_stage != layout.stages - 1)
        megatron_note(
            args, NOTE_WARNING, FLAG(LAYOUT), "",
            "the layers of multi-token prediction are estimated on the last stage, not on "
            "stage %d",
            layout.predict_stage);
    return RK_OK;
}

/* "15,15,15,16": layers of each stage. */
static enum rk_status read_layer_list(const struct megatron_args *args,
                                      const struct rk_model *model, struct rk_plan *plan)
{
    const struct shell_word *word = args->value[FLAG(LAYER_LIST)].word;
    uint16_t split[RK_MAX_CHUNKS];
    uint64_t stages = 0, layers = 0;
    for (const char *p = word->text; *p && stages < RK_MAX_CHUNKS;) {
        char *end;
        const unsigned long each = strtoul(p, &end, 10);
        if (end == p || (*end && *end != ',') || each > UINT16_MAX) break;
        split[stages++] = (uint16_t)each;
        layers += each;
        p = *end ? end + 1 : end;
    }
    if (stages != plan->pipeline || layers != model->layers)
        return megatron_args_break(args, "6.layers", word,
                                   "--num-layer-list: %s has %" PRIu64 " stages and %" PRIu64
                                   " layers, for %" PRIu64 " and %" PRIu64,
                                   word->text, stages, layers, plan->pipeline, model->layers);
    plan_set_split(plan, split, (int)stages);
    return RK_OK;
}

/* A layout that is no other than the even split. */
static void forget_even_split(const struct rk_model *model, struct rk_plan *plan)
{
    struct rk_plan even = *plan;
    plan_be_even(&even);
    for (uint64_t i = 0; i < plan->pipeline * plan->chunks; i++)
        if (rk_plan_split(&even, model, i) != rk_plan_split(plan, model, i)) return;
    if (model->layers % (plan->pipeline * plan->chunks) == 0) *plan = even;
}

static enum rk_status read_pipeline(const struct megatron_args *args, const struct rk_model *model,
                                    struct rk_plan *plan)
{
    plan->first_layers = COUNT(FIRST_LAYERS, 0);
    plan->last_layers = COUNT(LAST_LAYERS, 0);
    plan->embedding_counts = HAS(COUNT_EMBEDDING);
    plan->head_counts = HAS(COUNT_LOSS);
    if (HAS(PARTITION_METHOD)) { /* 'type:transformer|embedding': the head is the embedding's class,
                                    too (PipelineModule._partition_layers of DeepSpeed) */
        const struct shell_word *how = args->value[FLAG(PARTITION_METHOD)].word;
        plan->embedding_counts = plan->head_counts = strstr(how->text, "embedding") != NULL;
        if (strncmp(how->text, "type:transformer", 16) != 0)
            megatron_note(args, NOTE_WARNING, FLAG(PARTITION_METHOD), how->text,
                          "is not followed: stages are estimated with equal layers");
    }
    plan->pipeline_blocking = HAS(NO_P2P_OVERLAP);
    if (HAS(LAYER_LIST)) {
        const enum rk_status status = read_layer_list(args, model, plan);
        if (status == RK_OK) forget_even_split(model, plan);
        return status;
    }
    if (HAS(LAYOUT)) {
        const enum rk_status status = read_layout(args, model, plan);
        if (status == RK_OK) forget_even_split(model, plan);
        return args->options->collect ? RK_OK : status;
    }
    if (HAS(VP_STAGES)) plan->chunks = COUNT(VP_STAGES, 1);
    if (HAS(LAYERS_PER_VP)) {
        const uint64_t slots = model->layers + plan->embedding_counts + plan->head_counts;
        const uint64_t each = COUNT(LAYERS_PER_VP, 0);
        const bool whole =
            each && slots % plan->pipeline == 0 && slots / plan->pipeline % each == 0;
        if (whole) plan->chunks = slots / plan->pipeline / each;
        const enum rk_status status =
            whole ? RK_OK
                  : megatron_args_break(
                        args, each ? "2.stages" : "1.value", args->value[FLAG(LAYERS_PER_VP)].word,
                        "--num-layers-per-virtual-pipeline-stage: %" PRIu64 " layers on %" PRIu64
                        " pipeline ranks are not divisible into groups of %" PRIu64,
                        slots, plan->pipeline, each);
        if (status != RK_OK && !(args->options->collect && each)) return status;
    }
    if (plan->chunks < 1 || plan->chunks * plan->pipeline > RK_MAX_CHUNKS)
        return megatron_args_break(args, plan->chunks ? "2.stages" : "1.value", NULL,
                                   "a pipeline of %" PRIu64 " ranks times %" PRIu64
                                   " virtual stages is not covered: at most %d in all",
                                   plan->pipeline, plan->chunks, RK_MAX_CHUNKS);
    return RK_OK;
}

/* ---- data ---- */

static int sharding_level(const char *text)
{
    static const char *const levels[] = {"no_shard", "optim", "optim_grads", "optim_grads_params"};
    for (int i = 0; i < 4; i++)
        if (strcmp(text, levels[i]) == 0) return i;
    return 0;
}

static void read_data(const struct megatron_args *args, struct rk_plan *plan)
{
    const uint64_t all = rk_plan_data(plan) * plan->context;
    const uint64_t copies = COUNT(DIST_OPT_INSTANCES, 1);
    plan->gradient_overlap = HAS(GRAD_OVERLAP);
    plan->weight_overlap = HAS(PARAM_OVERLAP);
    plan->zero = HAS(DIST_OPT) ? 1 : 0;
    if (HAS(MEGATRON_FSDP) || HAS(CUSTOM_FSDP)) {
        plan->zero = sharding_level(megatron_text(args, FLAG(SHARDING)));
        if (!HAS(SHARDING))
            megatron_note(args, NOTE_ASSUMED, FLAG(SHARDING), "no_shard", "Megatron-LM's default");
        if (plan->zero == 3) plan->gradient_overlap = plan->weight_overlap = true;
    } else if (HAS(SHARDING)) {
        megatron_note(args, NOTE_WARNING, FLAG(SHARDING), megatron_text(args, FLAG(SHARDING)),
                      "is not followed by Megatron-LM without --use-megatron-fsdp");
    }
    if (HAS(TORCH_FSDP2)) {
        plan->framework = RK_FSDP;
        plan->zero = 3;
        plan->gradient_overlap = plan->weight_overlap = true;
        plan->keep_gathered = HAS(FSDP2_NO_RESHARD);
    }
    if (plan->zero && copies > 1 && all % copies == 0) plan->shard_ranks = all / copies;
}

/* ---- experts ---- */

static void read_experts(const struct megatron_args *args, const struct rk_model *model,
                         struct rk_plan *plan)
{
    if (!model->experts) return;
    plan->dispatcher = RK_ALL_GATHER_TOKENS;
    if (IS(DISPATCHER, "alltoall") || IS(DISPATCHER, "alltoall_seq"))
        plan->dispatcher = RK_ALL_TO_ALL;
    if (IS(DISPATCHER, "flex")) plan->dispatcher = RK_DEEPEP;
    if (IS(DISPATCHER, "flex") && IS(FLEX_BACKEND, "hybridep"))
        megatron_note(args, NOTE_WARNING, FLAG(FLEX_BACKEND), "hybridep", "is estimated as deepep");
    if (megatron_is_old(args))
        plan->dispatcher = RK_ALL_TO_ALL;
    else if (!HAS(DISPATCHER))
        megatron_note(args, NOTE_ASSUMED, FLAG(DISPATCHER), "allgather", "Megatron-LM's default");
    const bool drops = args->tool == MEGATRON_DEEPSPEED && !HAS(NO_TOKEN_DROP);
    const double factor = args->tool == MEGATRON_DEEPSPEED && !drops
                              ? 0
                              : megatron_number(args, FLAG(CAPACITY_FACTOR), drops);
    plan->capacity_factor = factor > 0 ? factor : 0;
    plan->capacity_padded = HAS(PAD_CAPACITY);
    plan->expert_overlap = HAS(EP_OVERLAP);
    plan->grouped = HAS(GROUPED_GEMM) || args->tool == MEGATRON_2;
    megatron_note(args, NOTE_ASSUMED, FLAG(NUM_EXPERTS), "even",
                  "the busiest expert rank is taken to have its share of the tokens and no more");
}

/* ---- recomputation ---- */

enum { FPDT_TOKENS = 65536 }; /* of the whole sequence, unless the script says other */

/* Megatron-DeepSpeed's layers in chunks of the sequence, with the loss in chunks; without
 * offloading their keys and values stay on the GPU. */
static void read_chunks(const struct megatron_args *args, const struct rk_model *model,
                        struct rk_plan *plan)
{
    const uint64_t tokens = COUNT(FPDT_CHUNK, FPDT_TOKENS);
    const uint64_t sequence = plan->sequence ? plan->sequence : model->sequence;
    char text[24];
    if (!HAS(FPDT)) return;
    snprintf(text, sizeof text, "%" PRIu64, tokens);
    if (!HAS(FPDT_OFFLOADING))
        megatron_note(args, NOTE_REFUSED, FLAG(FPDT), "",
                      "chunks of the sequence are covered whose keys and values go to the host: "
                      "add --ds-sequence-parallel-fpdt-offloading");
    if (!tokens || sequence % tokens)
        megatron_note(args, NOTE_REFUSED, FLAG(FPDT_CHUNK), text,
                      "does not divide --seq-length %" PRIu64, sequence);
    plan->sequence_chunks = tokens && sequence > tokens ? sequence / tokens : 1;
    plan->loss_in_chunks = true;
}

/* ---- precision ---- */

static enum rk_status read_precision(const struct megatron_args *args, struct rk_plan *plan)
{
    static const struct {
        const char *recipe;
        enum rk_precision precision;
    } recipes[] = {{"delayed", RK_FP8_DELAYED},
                   {"tensorwise", RK_FP8_CURRENT},
                   {"blockwise", RK_FP8_BLOCK},
                   {"mxfp8", RK_MXFP8}};
    plan->precision = HAS(BF16) ? RK_BF16 : HAS(FP16) ? RK_FP16 : RK_FP32;
    if (!HAS(BF16) && !HAS(FP16))
        megatron_note(args, NOTE_ASSUMED, FLAG(BF16), "no",
                      "neither --bf16 nor --fp16 is given: all is computed in fp32");
    if (IS(FP8_RECIPE, "custom") || IS(FP4_RECIPE, "custom"))
        return megatron_args_fail(args, NULL, "a recipe of your own (custom) is not covered");
    if (HAS(FP8_FORMAT) || HAS(FP8_E4M3) || HAS(FP8_HYBRID)) plan->precision = RK_FP8_DELAYED;
    for (size_t i = 0; HAS(FP8_FORMAT) && i < sizeof recipes / sizeof *recipes; i++)
        if (IS(FP8_RECIPE, recipes[i].recipe)) plan->precision = recipes[i].precision;
    if (HAS(FP8_FORMAT) && !HAS(FP8_RECIPE))
        megatron_note(args, NOTE_ASSUMED, FLAG(FP8_RECIPE), "delayed", "Megatron-LM's default");
    if (HAS(FP4_FORMAT)) plan->precision = RK_NVFP4;
    plan->weights_fp8 = HAS(FP8_PARAM_GATHER) || HAS(FP4_PARAM_GATHER);
    if (HAS(FIRST_LAST_BF16))
        megatron_note(args, NOTE_WARNING, FLAG(FIRST_LAST_BF16), "",
                      "is not followed: all layers are estimated in the narrow format");
    return RK_OK;
}

static double dtype_bytes(const struct megatron_args *args, enum megatron_flag flag)
{
    const char *text = megatron_text(args, flag);
    if (strcmp(text, "fp8") == 0) return 1;
    return strcmp(text, "bf16") == 0 || strcmp(text, "fp16") == 0 ? 2 : 0;
}

/* With bf16 weights the master copy is kept as the 16 bits that they lack. */
static bool keeps_remainders(const struct megatron_args *args, const struct rk_plan *plan)
{
    return HAS(BF16) && !HAS(OPT_OFFLOAD) && plan->precision <= RK_FP8_DELAYED &&
           !IS(MAIN_PARAMS, "fp16");
}

static void read_bytes(const struct megatron_args *args, struct rk_plan *plan)
{
    const bool old = args->tool == MEGATRON_2;
    const bool narrow_fp16 = HAS(FP16) && !HAS(GRADS_FP32) && !(old && HAS(FP32_ALLREDUCE));
    if (HAS(BNB_OPTIMIZER)) plan->moment1_element_bytes = plan->moment2_element_bytes = 1;
    if (HAS(REUSE_FP32)) plan->master_element_bytes = 2; /* what bf16 weights lack */
    if (HAS(GRAD_REDUCE_BF16) || narrow_fp16) plan->gradient_element_bytes = 2;
    if (!HAS(PRECISION_AWARE)) {
        if (IS(OPTIMIZER, "soap") || IS(OPTIMIZER, "adaptive_muon"))
            megatron_note(args, NOTE_WARNING, FLAG(OPTIMIZER), megatron_text(args, FLAG(OPTIMIZER)),
                          "is estimated with the two moments of Adam");
        return;
    }
    if (IS(MAIN_GRADS, "bf16")) plan->gradient_element_bytes = 2;
    if (dtype_bytes(args, FLAG(MAIN_PARAMS)) > 0)
        plan->master_element_bytes = dtype_bytes(args, FLAG(MAIN_PARAMS));
    plan->moment1_element_bytes = dtype_bytes(args, FLAG(EXP_AVG));
    plan->moment2_element_bytes = dtype_bytes(args, FLAG(EXP_AVG_SQ));
    if (!keeps_remainders(args, plan)) return;
    plan->master_element_bytes = 2;
    megatron_note(args, NOTE_ASSUMED, FLAG(PRECISION_AWARE), "2 bytes",
                  "of the master copy: what bf16 weights lack, as Transformer Engine 2.1 and later "
                  "keep it");
}

/* Without a limit all microbatches are put off (wgrad_deferral_limit 0). */
static void read_optimizer(const struct megatron_args *args, struct rk_plan *plan)
{
    const uint64_t samples = rk_plan_data(plan) * plan->microbatch;
    const uint64_t all = samples ? plan->batch / samples : 1, limit = COUNT(DEFERRAL_LIMIT, 0);
    if (HAS(DEFER_WGRAD)) plan->deferred_wgrad = limit && limit < all ? limit : all;
    plan->bucket = COUNT(BUCKET_SIZE, 0);
    if (IS(OPTIMIZER, "muon") || IS(OPTIMIZER, "dist_muon")) plan->optimizer = RK_MUON;
    if (IS(OPTIMIZER, "lion")) plan->optimizer = RK_LION;
    if (IS(OPTIMIZER, "sgd")) plan->optimizer = RK_MOMENTUM; /* --sgd-momentum: default 0.9 */
    if (IS(OPTIMIZER, "dist_muon")) plan->zero = 1;
}

/* All parts that the model's layers have. */
static unsigned whole_layers(const struct rk_model *m)
{
    return 1u << RK_GRAPH_ATTENTION | (m->recurrence ? 1u << RK_GRAPH_RECURRENCE : 0) |
           (m->experts ? 1u << RK_GRAPH_EXPERTS : 0) |
           (!m->experts || m->dense_layers ? 1u << RK_GRAPH_MLP : 0);
}

/* Named parts of a layer; "full", and a list of none, are whole layers, and full_iteration the
 * step. */
static void read_graphs(const struct megatron_args *args, const struct rk_model *model,
                        struct rk_plan *plan)
{
    plan->cuda_graphs = HAS(ENABLE_CUDA_GRAPH) || HAS(EXTERNAL_CUDA_GRAPH) ||
                        (HAS(CUDA_GRAPH_IMPL) && !IS(CUDA_GRAPH_IMPL, "none"));
    const enum megatron_flag scope =
        HAS(CUDA_GRAPH_MODULES) ? FLAG(CUDA_GRAPH_MODULES) : FLAG(CUDA_GRAPH_SCOPE);
    if (!plan->cuda_graphs && args->value[scope].given)
        megatron_note(args, NOTE_WARNING, scope, "", "has no effect without --cuda-graph-impl");
    for (int i = 0; plan->cuda_graphs && i < RK_GRAPH_PARTS; i++) {
        const char *name = rk_graph_part_name((enum rk_graph_part)i);
        if (megatron_lists(args, FLAG(CUDA_GRAPH_SCOPE), name) ||
            megatron_lists(args, FLAG(CUDA_GRAPH_MODULES), name))
            plan->graph_parts |= 1u << i;
    }
    const bool step = IS(CUDA_GRAPH_IMPL, "full_iteration") ||
                      megatron_lists(args, FLAG(CUDA_GRAPH_SCOPE), "full_iteration") ||
                      megatron_lists(args, FLAG(CUDA_GRAPH_MODULES), "full_iteration");
    if (plan->cuda_graphs && !plan->graph_parts && !step) plan->graph_parts = whole_layers(model);
}

/* ---- kernels ---- */

static void read_kernels(const struct megatron_args *args, const struct rk_model *model,
                         struct rk_plan *plan)
{
    const bool old = megatron_is_old(args) && !HAS(TRANSFORMER_IMPL);
    const bool local = IS(TRANSFORMER_IMPL, "local") || old;
    plan->attention = RK_FLASH_3;
    if (HAS(FLASH_ATTN) && !local && args->tool == MEGATRON_CORE)
        megatron_note(args, NOTE_WARNING, FLAG(FLASH_ATTN), "",
                      "has no effect on models of Megatron Core: --attention-backend flash has");
    if (args->tool == MEGATRON_MINDSPEED) {
        megatron_note(args, NOTE_ASSUMED, FLAG(FLASH_ATTN), "yes", "MindSpeed's own kernel");
        plan->attention = RK_FLASH;
    } else if (IS(ATTENTION_BACKEND, "flash") || (HAS(FLASH_ATTN) && local))
        plan->attention = RK_FLASH;
    else if (IS(ATTENTION_BACKEND, "unfused") || IS(ATTENTION_BACKEND, "local") || local)
        plan->attention = RK_UNFUSED;
    else if (!HAS(ATTENTION_BACKEND) || IS(ATTENTION_BACKEND, "auto"))
        megatron_note(args, NOTE_ASSUMED, FLAG(ATTENTION_BACKEND), "auto",
                      "Transformer Engine takes the fastest kernel of the device: cuDNN's");
    plan->transformer_engine = !local;
    plan->gradient_fusion = !HAS(NO_GRAD_FUSION) && !old;
    plan->activation_fused = !HAS(NO_SWIGLU_FUSION) && !HAS(NO_GELU_FUSION);
    plan->activation_fp8 = HAS(ACTIVATION_FP8);
    plan->attention_fp8 = HAS(ATTENTION_FP8);
    plan->fused = !HAS(NO_ROPE_FUSION);
    plan->loss_in_place = HAS(CROSS_ENTROPY_FUSION) && IS(CROSS_ENTROPY_IMPL, "te");
    plan->loss_compiled = HAS(CROSS_ENTROPY_FUSION) && !plan->loss_in_place;
    read_graphs(args, model, plan);
}

/* Of zero bubble's fork, whose V has two chunks by itself. */
static void read_schedule(const struct megatron_args *args, struct rk_plan *plan)
{
    const char *memory =
        HAS(ZERO_BUBBLE_V_MEMORY) ? megatron_text(args, FLAG(ZERO_BUBBLE_V_MEMORY)) : "zb";
    if (HAS(ZBH1) || HAS(ZERO_BUBBLE)) plan->schedule = RK_ZERO_BUBBLE;
    if (!HAS(ZERO_BUBBLE_V)) return;
    plan->schedule = strcmp(memory, "half") == 0  ? RK_V_HALF
                     : strcmp(memory, "min") == 0 ? RK_V_MIN
                                                  : RK_V_ZERO;
    if (plan->chunks == 1) plan->chunks = 2;
}

enum rk_status megatron_plan(const struct megatron_args *args, const struct rk_model *model,
                             struct rk_plan *plan)
{
    *plan = rk_plan_default();
    enum rk_status status = read_degrees(args, plan);
    if (status == RK_OK) status = read_batch(args, plan);
    if (status == RK_OK) status = read_pipeline(args, model, plan);
    if (status == RK_OK) status = read_precision(args, plan);
    if (status != RK_OK) return status;
    read_context(args, plan);
    read_data(args, plan);
    read_experts(args, model, plan);
    megatron_read_recompute(args, plan);
    megatron_read_offload(args, model, plan);
    read_chunks(args, model, plan);
    read_bytes(args, plan);
    read_optimizer(args, plan);
    read_kernels(args, model, plan);
    read_schedule(args, plan);
    const bool whole =
        HAS(PADDED_VOCAB_SIZE) || HAS(PAD_VOCAB_TO) ||
        (HAS(EXTRA_VOCAB) && tokenizer_is_whole(megatron_text(args, FLAG(TOKENIZER_TYPE))));
    plan->vocabulary_multiple = whole ? 0 : COUNT(VOCAB_DIVISIBLE, 128);
    return RK_OK;
}
