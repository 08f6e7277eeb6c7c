/* plan.c - the table of a plan's choices, and plan files, reckon-plan(5). */
#include "catalog/plan_fields.h"

#include <assert.h>
#include <inttypes.h>
#include <reckon/catalog.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const frameworks[] = {"megatron", "fsdp", "deepspeed", NULL};
static const char *const precisions[] = {"fp32",        "tf32",        "fp16",      "bf16",
                                         "fp8-delayed", "fp8-current", "fp8-block", "mxfp8",
                                         "nvfp4",       NULL};
static const char *const schedules[] = {"gpipe", "1f1b", "zero-bubble", "dualpipe", NULL};
static const char *const context_kinds[] = {"ring", "gather", "ulysses", "ring+ulysses", NULL};
static const char *const dispatchers[] = {"alltoall", "allgather", "deepep", NULL};
static const char *const recomputes[] = {"none", "selective", "full", NULL};
static const char *const kernels[] = {"unfused", "flash", "flash3", "flash1", NULL};
static const char *const parts[] = {"core_attn", "moe_act", "layernorm",      "mla_up_proj",
                                    "mlp",       "moe",     "shared_experts", NULL};

static enum rk_status load_split(const struct place *place, void *target, struct rk_error *error)
{
    static const struct field blocks = {.type = FIELD_COUNT, .max = UINT16_MAX};
    struct rk_plan *plan = target;
    enum rk_status status = place_need_array(place, 1, RK_MAX_CHUNKS, error);
    if (status != RK_OK) return status;
    plan->splits = (int)json_array_size(place->value);
    for (int i = 0; status == RK_OK && i < plan->splits; i++) {
        const struct place element = place_element(place, (size_t)i);
        uint64_t count = 0;
        status = field_load(&element, &blocks, &count, error);
        plan->split[i] = (uint16_t)count;
    }
    return status;
}

#define AT(member) .offset = offsetof(struct plan_draft, plan.member)
#define DEGREE     .min = 1, .preset = 1
#define SHARE      .max = 1
#define ELEMENT    .max = 8

/* clang-format off */
const struct field plan_fields[] = {
    { "name",              FIELD_TEXT,   .help = "what people call it" },
    { "description",       FIELD_TEXT,   .help = "a sentence or two" },

    { "framework",         FIELD_CHOICE, AT(framework), .choices = frameworks, .word = "framework", .help = "whose habits decide what is stored how" },
    { "precision",         FIELD_CHOICE, AT(precision), .choices = precisions, .preset = RK_BF16, .word = "precision", .help = "what matrices are multiplied in" },

    { "gpus",              FIELD_COUNT,  AT(ranks),     DEGREE, .word = "gpus", .help = "accelerators in use; default the product of the degrees" },
    { "tensor",            FIELD_COUNT,  AT(tensor),    DEGREE, .word = "tp", .help = "tensor parallel degree" },
    { "pipeline",          FIELD_COUNT,  AT(pipeline),  DEGREE, .word = "pp", .help = "pipeline parallel degree" },
    { "chunks",            FIELD_COUNT,  AT(chunks),    DEGREE, .word = "vpp", .help = "virtual stages of a rank: interleaving" },
    { "context",           FIELD_COUNT,  AT(context),   DEGREE, .word = "cp", .help = "context parallel degree" },
    { "data",              FIELD_COUNT,  .offset = offsetof(struct plan_draft, data), .min = 1, .word = "dp", .help = "data parallel degree; default what gpus leaves" },
    { "expert",            FIELD_COUNT,  AT(expert),    DEGREE, .word = "ep", .help = "ranks that share the experts of a layer" },
    { "expert_tensor",     FIELD_COUNT,  AT(expert_tensor), .word = "etp", .help = "tensor parallel degree within an expert; 0: as tensor" },
    { "pipeline_inside",   FIELD_BOOL,   AT(pipeline_inside), .word = "pipeline-inside", .help = "ranks are counted through the pipeline before data" },

    { "microbatch",        FIELD_COUNT,  AT(microbatch), DEGREE, .word = "mbs", .help = "samples of one forward pass" },
    { "batch",             FIELD_COUNT,  AT(batch),     DEGREE, .word = "gbs", .help = "samples of one step, over all ranks; default 4 * gpus * microbatch" },
    { "sequence",          FIELD_COUNT,  AT(sequence),  .max = 1e9, .word = "seq", .help = "tokens of a sample; 0: the model's" },

    { "schedule",          FIELD_CHOICE, AT(schedule),  .choices = schedules, .preset = RK_1F1B, .word = "schedule", .help = "order of the pipeline's work; 1f1b is interleaved when chunks > 1" },
    { "split",             FIELD_OTHER,  .offset = offsetof(struct plan_draft, plan), .load = load_split, .word = "split", .help = "blocks of each virtual stage, in model order" },
    { "first_layers",      FIELD_COUNT,  AT(first_layers), .max = 1e6, .word = "first-layers", .help = "blocks of the first stage; 0: as the others" },
    { "last_layers",       FIELD_COUNT,  AT(last_layers),  .max = 1e6, .word = "last-layers", .help = "blocks of the last stage; 0: as the others" },
    { "embedding_counts",  FIELD_BOOL,   AT(embedding_counts), .word = "embedding-counts", .help = "the embedding takes the place of a block in the even split" },
    { "head_counts",       FIELD_BOOL,   AT(head_counts), .word = "head-counts", .help = "the head takes the place of a block in the even split" },
    { "messages_sharded",  FIELD_BOOL,   AT(messages_sharded), .word = "messages-sharded", .help = "messages between stages are split over tensor ranks" },
    { "pipeline_blocking", FIELD_BOOL,   AT(pipeline_blocking), .word = "pipeline-blocking", .help = "messages between stages and computing wait for each other" },

    { "sequence_parallel", FIELD_BOOL,   AT(sequence_parallel), .word = "sp", .help = "norms and dropout on shards of the sequence, over tensor" },
    { "tensor_overlap",    FIELD_BOOL,   AT(tensor_overlap), .word = "tp-overlap", .help = "tensor communication in tiles beside the matrices" },
    { "context_kind",      FIELD_CHOICE, AT(context_kind), .choices = context_kinds, .word = "cp-kind", .help = "how ranks of a context share keys and values" },
    { "ulysses",           FIELD_COUNT,  AT(ulysses),   .word = "ulysses", .help = "ranks of an all-to-all within ring+ulysses" },

    { "zero",              FIELD_TIER,   AT(zero),      .max = 3, .word = "zero", .help = "what data parallelism shards: 1 optimizer, 2 gradients, 3 weights too" },
    { "shard_ranks",       FIELD_COUNT,  AT(shard_ranks), .word = "shard", .help = "ranks that share one copy; 0: all of data * context" },
    { "whole_gradients",   FIELD_BOOL,   AT(whole_gradients), .word = "whole-grads", .help = "ZeRO-1 all-reduces gradients instead of scattering them" },
    { "gradient_overlap",  FIELD_BOOL,   AT(gradient_overlap), .word = "grad-overlap", .help = "gradients are reduced while backward runs" },
    { "weight_overlap",    FIELD_BOOL,   AT(weight_overlap), .word = "weight-overlap", .help = "weights are gathered while forward runs" },
    { "keep_gathered",     FIELD_BOOL,   AT(keep_gathered), .word = "keep-gathered", .help = "ZeRO-3 keeps gathered weights from forward to backward" },

    { "dispatcher",        FIELD_CHOICE, AT(dispatcher), .choices = dispatchers, .word = "dispatcher", .help = "how tokens get to their experts" },
    { "capacity_factor",   FIELD_NUMBER, AT(capacity_factor), .max = 1e6, .word = "capacity", .help = "an expert takes so many times its share of the tokens; 0: all that come" },
    { "capacity_padded",   FIELD_BOOL,   AT(capacity_padded), .word = "capacity-padded", .help = "experts are filled up to their capacity" },
    { "imbalance",         FIELD_NUMBER, AT(imbalance), .min = 1, .max = 1e6, .preset = 1, .word = "imbalance", .help = "tokens of the busiest expert rank over the mean" },
    { "expert_overlap",    FIELD_BOOL,   AT(expert_overlap), .word = "ep-overlap", .help = "all-to-all beside the computing of another microbatch" },
    { "grouped",           FIELD_BOOL,   AT(grouped),   .preset = true, .word = "grouped", .help = "experts of a rank in one grouped product" },

    { "recompute",         FIELD_CHOICE, AT(recompute), .choices = recomputes, .word = "recompute", .help = "what backward computes again: nothing, parts of layers, or whole layers" },
    { "recompute_parts",   FIELD_SET,    AT(recompute_parts), .choices = parts, .word = "recompute-parts", .help = "parts that selective recomputation means; default core_attn" },
    { "recompute_layers",  FIELD_COUNT,  AT(recompute_layers), .max = 1e6, .word = "recompute-layers", .help = "so many first layers of a virtual stage; 0: all" },
    { "recompute_every",   FIELD_COUNT,  AT(recompute_every), .max = 1e6, .word = "recompute-every", .help = "whole layers are checkpointed in groups of so many; 0: 1" },
    { "checkpoint_sharded",FIELD_BOOL,   AT(checkpoint_sharded), .word = "checkpoint-sharded", .help = "checkpoints are split over tensor ranks" },

    { "attention",         FIELD_CHOICE, AT(attention), .choices = kernels, .preset = RK_FLASH, .word = "attention", .help = "the kernel of attention" },
    { "full_attention",    FIELD_BOOL,   AT(full_attention), .word = "full-attention", .help = "the kernel does not skip what the causal mask hides" },
    { "fused",             FIELD_BOOL,   AT(fused),     .preset = true, .word = "fused", .help = "norms, rotary, activation and cross entropy in one kernel each" },
    { "gradient_fusion",   FIELD_BOOL,   AT(gradient_fusion), .preset = true, .word = "gradient-fusion", .help = "of megatron: products of matrices add weight gradients to the main ones" },
    { "whole_logits",      FIELD_BOOL,   AT(whole_logits), .word = "whole-logits", .help = "tensor ranks gather the logits before the loss, which torch works out" },
    { "transformer_engine", FIELD_BOOL,  AT(transformer_engine), .preset = true, .word = "transformer-engine", .help = "of megatron: the layers are Transformer Engine's, not its own" },
    { "cuda_graphs",       FIELD_BOOL,   AT(cuda_graphs), .word = "cuda-graphs", .help = "the host launches nothing" },

    { "weight_element_bytes",   FIELD_NUMBER, AT(weight_element_bytes),   ELEMENT, .word = "weight-bytes",   .help = "of an element of the weights; 0: as framework and precision imply" },
    { "gradient_element_bytes", FIELD_NUMBER, AT(gradient_element_bytes), ELEMENT, .word = "gradient-bytes", .help = "likewise of the gradients" },
    { "master_element_bytes",   FIELD_NUMBER, AT(master_element_bytes),   ELEMENT, .word = "master-bytes",   .help = "likewise of the master copy of the weights" },
    { "moment1_element_bytes",  FIELD_NUMBER, AT(moment1_element_bytes),  ELEMENT, .word = "moment1-bytes",  .help = "likewise of the first moment" },
    { "moment2_element_bytes",  FIELD_NUMBER, AT(moment2_element_bytes),  ELEMENT, .word = "moment2-bytes",  .help = "likewise of the second moment" },
    { "weights_fp8",       FIELD_BOOL,   AT(weights_fp8), .word = "weights-fp8", .help = "weights are kept and gathered in 8 bits" },

    { "activation_offload",FIELD_NUMBER, AT(activation_offload), SHARE, .word = "offload-activations", .help = "share of the activations that goes to memory tier 1" },
    { "optimizer_offload", FIELD_NUMBER, AT(optimizer_offload),  SHARE, .word = "offload-optimizer",   .help = "likewise of the optimizer state" },
    { "weight_offload",    FIELD_NUMBER, AT(weight_offload),     SHARE, .word = "offload-weights",     .help = "likewise of the weights" },
    { "vocabulary_multiple", FIELD_COUNT, AT(vocabulary_multiple), .max = 1e6, .word = "vocab-multiple", .help = "the vocabulary is padded to multiples of it times tensor; 0: it is not" },

    { "source",            FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};
/* clang-format on */

_Static_assert(sizeof plan_fields / sizeof *plan_fields - 1 <= PLAN_MAX_FIELDS,
               "a bit for each row");

int plan_row(const char *key)
{
    int row = 0;
    while (plan_fields[row].key && strcmp(plan_fields[row].key, key) != 0)
        row++;
    assert(plan_fields[row].key);
    return row;
}

struct plan_draft plan_draft(void)
{
    return (struct plan_draft){.plan = rk_plan_default()};
}

/* ---- what follows from the rest ---- */

static bool fault_at(struct plan_fault *fault, const char *key, const char *format, ...)
    RK_PRINTF(3, 4);

static bool fault_at(struct plan_fault *fault, const char *key, const char *format, ...)
{
    va_list values;
    fault->row = plan_row(key);
    va_start(values, format);
    vsnprintf(fault->text, sizeof fault->text, format, values);
    va_end(values);
    return false;
}

/* False beyond 2^53. */
static bool product(const uint64_t *factors, int count, uint64_t *value)
{
    *value = 1;
    for (int i = 0; i < count; i++)
        if (__builtin_mul_overflow(*value, factors[i], value)) return false;
    return *value <= UINT64_C(1) << 53;
}

static bool complete_ranks(struct plan_draft *draft, struct plan_fault *fault)
{
    struct rk_plan *p = &draft->plan;
    uint64_t inner, all;
    if (!product((uint64_t[]){p->tensor, p->context, p->pipeline}, 3, &inner) ||
        !product((uint64_t[]){inner, draft->data ? draft->data : 1}, 2, &all))
        return fault_at(fault, "pipeline", "the product of all degrees is more than 2^53");
    if (!plan_given(draft, "gpus")) p->ranks = all;
    if (draft->data && p->ranks != all)
        return fault_at(fault, "data",
                        "tensor %" PRIu64 " * context %" PRIu64 " * pipeline %" PRIu64
                        " * data %" PRIu64 " = %" PRIu64 " is not gpus = %" PRIu64
                        ": change one of them",
                        p->tensor, p->context, p->pipeline, draft->data, all, p->ranks);
    if (p->ranks % inner == 0) return true;
    return fault_at(fault, "gpus",
                    "%" PRIu64 " is not a multiple of tensor %" PRIu64 " * context %" PRIu64
                    " * pipeline %" PRIu64 " = %" PRIu64 ": change one of them",
                    p->ranks, p->tensor, p->context, p->pipeline, inner);
}

static bool complete_batch(struct plan_draft *draft, struct plan_fault *fault)
{
    struct rk_plan *p = &draft->plan;
    uint64_t together, batch;
    if (!product((uint64_t[]){4, p->ranks, p->microbatch}, 3, &batch))
        return fault_at(fault, "microbatch", "4 * gpus * microbatch is more than 2^53");
    if (!plan_given(draft, "batch")) p->batch = batch;
    together = rk_plan_data(p) * p->microbatch; /* at most `batch` */
    if (p->batch % together == 0) return true;
    return fault_at(fault, "batch",
                    "%" PRIu64 " samples are not divisible by data %" PRIu64
                    " * microbatch %" PRIu64 " = %" PRIu64 ": change one of them",
                    p->batch, rk_plan_data(p), p->microbatch, together);
}

static bool complete_experts(const struct rk_plan *p, struct plan_fault *fault)
{
    const uint64_t tensor = rk_plan_expert_tensor(p), ranks = p->ranks / p->pipeline;
    uint64_t together;
    if (product((uint64_t[]){p->expert, tensor}, 2, &together) && ranks % together == 0)
        return true;
    return fault_at(fault, "expert",
                    "expert %" PRIu64 " * expert_tensor %" PRIu64 " does not divide the %" PRIu64
                    " ranks of a stage",
                    p->expert, tensor, ranks);
}

static bool complete_context(const struct rk_plan *p, struct plan_fault *fault)
{
    const uint64_t copies = rk_plan_data(p) * p->context;
    if (p->shard_ranks && copies % p->shard_ranks)
        return fault_at(fault, "shard_ranks",
                        "%" PRIu64 " does not divide data * context = %" PRIu64, p->shard_ranks,
                        copies);
    if (p->context_kind != RK_RING_ULYSSES) return true;
    if (p->ulysses && p->context % p->ulysses == 0) return true;
    return fault_at(fault, "ulysses",
                    "ring+ulysses needs a number of ranks that divides context %" PRIu64
                    ", got %" PRIu64,
                    p->context, p->ulysses);
}

static bool complete_split(const struct rk_plan *p, struct plan_fault *fault)
{
    uint64_t stages;
    if (!p->splits) return true;
    if (p->first_layers || p->last_layers)
        return fault_at(fault, "split",
                        "says what first_layers and last_layers say: leave one out");
    if (product((uint64_t[]){p->pipeline, p->chunks}, 2, &stages) && stages == (uint64_t)p->splits)
        return true;
    return fault_at(fault, "split",
                    "has %d entries, pipeline %" PRIu64 " * chunks %" PRIu64
                    " needs one for each virtual stage",
                    p->splits, p->pipeline, p->chunks);
}

static bool complete_recompute(struct plan_draft *draft, struct plan_fault *fault)
{
    struct rk_plan *p = &draft->plan;
    if (p->recompute == RK_SELECTIVE && !p->recompute_parts)
        p->recompute_parts = 1u << RK_PART_CORE_ATTENTION; /* as Megatron-LM does */
    if (p->recompute == RK_SELECTIVE || !p->recompute_parts) return true;
    return fault_at(fault, "recompute_parts", "need recompute to be selective, it is %s",
                    rk_recompute_mode_name(p->recompute));
}

bool plan_complete(struct plan_draft *draft, struct plan_fault *fault)
{
    return complete_ranks(draft, fault) && complete_batch(draft, fault) &&
           complete_experts(&draft->plan, fault) && complete_context(&draft->plan, fault) &&
           complete_split(&draft->plan, fault) && complete_recompute(draft, fault);
}

/* ---- files ---- */

static void note_key(struct plan_draft *draft, int row, const struct place *member)
{
    struct rk_error spot;
    place_fail(member, &spot, "%s", ""); /* only to learn where it stands */
    draft->given |= UINT64_C(1) << row;
    draft->at[row].line = spot.line;
    draft->at[row].column = spot.column;
}

enum rk_status plan_read(const struct document *document, struct plan_draft *draft,
                         struct rk_error *error)
{
    const struct place root = place_root(document);
    struct plan_draft read = plan_draft();
    const enum rk_status status = fields_load(&root, plan_fields, &read, error);
    if (status != RK_OK) return status;
    for (int row = 0; plan_fields[row].key; row++) {
        struct place member;
        if (place_member(&root, plan_fields[row].key, &member)) note_key(&read, row, &member);
    }
    snprintf(read.path, sizeof read.path, "%s", document->path);
    *draft = read;
    return RK_OK;
}

enum rk_status plan_read_file(const struct document *document, struct rk_plan *plan,
                              struct rk_error *error)
{
    struct plan_draft draft;
    struct plan_fault fault;
    const enum rk_status status = plan_read(document, &draft, error);
    if (status != RK_OK) return status;
    if (!plan_complete(&draft, &fault)) return plan_fail(&draft, &fault, error);
    *plan = draft.plan;
    return RK_OK;
}

enum rk_status plan_named(const char *name, struct plan_draft *draft, struct rk_error *error)
{
    struct document document = {0};
    enum rk_status status = document_load(name, &document, error);
    if (status == RK_OK) status = plan_read(&document, draft, error);
    document_release(&document);
    return status;
}

/* As <reckon/catalog.h> says what is a file. */
static bool is_file(const char *name)
{
    const size_t length = strlen(name), ending = strlen(".json");
    return strcmp(name, "-") == 0 || strchr(name, '/') ||
           (length >= ending && strcmp(name + length - ending, ".json") == 0);
}

enum rk_status rk_plan_load(const char *name, struct rk_plan *plan, struct rk_error *error)
{
    struct document document = {0};
    if (!is_file(name)) return rk_plan_parse(name, plan, error);
    enum rk_status status = document_load(name, &document, error);
    if (status == RK_OK) status = plan_read_file(&document, plan, error);
    document_release(&document);
    return status;
}
