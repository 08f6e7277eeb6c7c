#include "search/plans_axes.h"

#include "base/stored.h"
#include "plan/names.h"
#include "search/plans_offer.h"

#include <stddef.h>
#include <string.h>

/* Where an axis is no member: beyond enum stored. */
enum {
    STORED_SHARE = STORED_KINDS,
    STORED_RECOMPUTE,
    STORED_SPLIT,
    STORED_TENSOR_COMM,
    DERIVED_DATA
};

static const char *const tensor_comm_names[] = {"all_reduce", "p2p_rs_ag", "rs_ag", NULL};
static const char *const split_names[] = {"even", "ends", "balanced", NULL};

struct axis_row {
    struct rk_plan_axis_info info;
    int storage;   /* enum stored, or one of the above */
    size_t offset; /* STORED_SHARE: enum rk_share */
    enum plan_bundle bundle;
    plan_offer *offer;
};

#define AT(member) offsetof(struct rk_plan, member)
/* clang-format off */
#define ROW_OF(by, axis, name, type, choices, local, storage, offset, bundle, offer, help) \
    [RK_PLAN_##axis] = {{name, RK_PLAN_##type, choices, local, RK_BY_##by, help}, storage, offset, bundle, offer}
#define ROW(axis, name, type, choices, local, storage, offset, bundle, offer, help) \
    ROW_OF(RECKON, axis, name, type, choices, local, storage, offset, BUNDLE_##bundle, offer, help)
#define BOTH(axis, name, type, choices, local, storage, offset, bundle, offer, help) \
    ROW_OF(BOTH, axis, name, type, choices, local, storage, offset, BUNDLE_##bundle, offer, help)
#define CALCULON(axis, name, type, choices, storage, offset, help) \
    ROW_OF(CALCULON, axis, name, type, choices, false, storage, offset, BUNDLES, NULL, help)
/* clang-format on */

/* clang-format off */
static const struct axis_row axes[RK_PLAN_AXES] = {
    BOTH(TENSOR,            "tensor",             NUMBER, NULL,             true,  STORED_U64,       AT(tensor),             LAYOUT,     offer_tensor,            "Tensor-parallel degree"),
    ROW(CONTEXT,           "context",            NUMBER, NULL,             true,  STORED_U64,       AT(context),            LAYOUT,     offer_context,           "Context-parallel degree: ranks that share a sample's tokens"),
    BOTH(PIPELINE,          "pipeline",           NUMBER, NULL,             false, STORED_U64,       AT(pipeline),           LAYOUT,     offer_pipeline,          "Pipeline-parallel degree"),
    BOTH(DATA,              "data",               NUMBER, NULL,             false, DERIVED_DATA,     0,                      LAYOUT,     offer_data,              "Data-parallel degree: the GPUs divided by the other degrees"),
    ROW(EXPERT_TENSOR,     "expert-tensor",      NUMBER, NULL,             true,  STORED_U64,       AT(expert_tensor),      LAYOUT,     offer_expert_tensor,     "Tensor-parallel degree within an expert"),
    ROW(EXPERT,            "expert",             NUMBER, NULL,             true,  STORED_U64,       AT(expert),             LAYOUT,     offer_expert,            "Expert-parallel degree: ranks that share the experts of a layer"),
    ROW(ORDER,             "order",              CHOICE, names_of_order,   false, STORED_INT,       AT(order),              LAYOUT,     offer_order,             "Order in which ranks are numbered, innermost first"),
    BOTH(MICROBATCH,        "microbatch",         NUMBER, NULL,             true,  STORED_U64,       AT(microbatch),         MICROBATCH, offer_microbatch,        "Samples per microbatch"),
    ROW(SEQUENCE_PARALLEL, "sequence-parallel",  BOOL,   NULL,             true,  STORED_BOOL,      AT(sequence_parallel),  WIDTH,      offer_sequence_parallel, "Shard the sequence of norms and dropout over tensor ranks"),
    BOTH(TENSOR_OVERLAP,    "tensor-overlap",     CHOICE, names_of_tensor_overlap, true,  STORED_INT,      AT(tensor_overlap),     WIDTH,      offer_tensor_overlap,    "Overlap tensor-parallel communication with matrix products, in tiles"),
    ROW(CONTEXT_KIND,      "context-kind",       CHOICE, names_of_context_kind,    true,  STORED_INT,       AT(context_kind),       WIDTH,      offer_context_kind,      "Communication of context parallelism"),
    ROW(ULYSSES,           "ulysses",            NUMBER, NULL,             true,  STORED_U64,       AT(ulysses),            WIDTH,      offer_ulysses,           "Ranks per all-to-all group within ring+ulysses"),
    BOTH(PRECISION,         "precision",          CHOICE, names_of_precision,  true,  STORED_INT,       AT(precision),          KERNELS,    offer_precision,         "Datatype of matrix products"),
    ROW(ATTENTION,         "attention",          CHOICE, names_of_attention_kernel,  true,  STORED_INT,       AT(attention),          KERNELS,    offer_attention,         "Attention kernel"),
    ROW(SEQUENCE_CHUNKS,   "sequence-chunks",    NUMBER, NULL,             true,  STORED_U64,       AT(sequence_chunks),    KERNELS,    offer_sequence_chunks,   "Number of chunks of the sequence that each layer runs one by one; above 1 layers are fully recomputed"),
    ROW(DISPATCHER,        "dispatcher",         CHOICE, names_of_dispatcher, true,  STORED_INT,       AT(dispatcher),         KERNELS,    offer_dispatcher,        "How tokens are sent to their experts"),
    ROW(EXPERT_OVERLAP,    "expert-overlap",     BOOL,   NULL,             true,  STORED_BOOL,      AT(expert_overlap),     KERNELS,    offer_expert_overlap,    "Overlap the all-to-all of experts with computation of another microbatch"),
    BOTH(RECOMPUTE,         "recompute",          PARTS,  NULL,             true,  STORED_RECOMPUTE, 0,                      STAGES,     offer_recompute,         "What backward recomputes: none, full (whole layers), or parts of a layer"),
    BOTH(CHUNKS,            "chunks",             NUMBER, NULL,             false, STORED_U64,       AT(chunks),             STAGES,     offer_chunks,            "Virtual stages per rank (interleaving)"),
    ROW(RECOMPUTE_LAYERS,  "recompute-layers",   NUMBER, NULL,             false, STORED_U64,       AT(recompute_layers),   STAGES,     offer_recompute_layers,  "Recompute the first N layers of each virtual stage; 0: all layers"),
    ROW(SPLIT,             "split",              CHOICE, split_names,      false, STORED_SPLIT,     0,                      STAGES,     offer_split,             "How layers are split over stages: evenly, with embedding and head as a layer each, or balanced by time"),
    ROW(PIPELINE_BLOCKING, "pipeline-blocking",  BOOL,   NULL,             false, STORED_BOOL,      AT(pipeline_blocking),  STAGES,     offer_pipeline_blocking, "Do not overlap messages between stages with computation"),
    ROW(SCHEDULE,          "schedule",           CHOICE, names_of_schedule,   false, STORED_INT,       AT(schedule),           STAGES,     offer_schedule,          "Pipeline schedule; 1f1b is interleaved when chunks > 1"),
    BOTH(ZERO,              "zero",               NUMBER, NULL,             false, STORED_INT,       AT(zero),               SHARDING,   offer_zero,              "ZeRO stage: 1 shards the optimizer, 2 gradients too, 3 weights too (FSDP)"),
    ROW(SHARD_RANKS,       "shard-ranks",        NUMBER, NULL,             false, STORED_U64,       AT(shard_ranks),        SHARDING,   offer_shard_ranks,       "Ranks that share one copy of the state (hybrid sharding); 0: all"),
    ROW(KEEP_GATHERED,     "keep-gathered",      BOOL,   NULL,             false, STORED_BOOL,      AT(keep_gathered),      SHARDING,   offer_keep_gathered,     "Keep gathered weights from forward to backward in ZeRO-3"),
    BOTH(GRADIENT_OVERLAP,  "gradient-overlap",   BOOL,   NULL,             false, STORED_BOOL,      AT(gradient_overlap),   SHARDING,   offer_gradient_overlap,  "Overlap the reduction of gradients with backward"),
    ROW(WEIGHT_OVERLAP,    "weight-overlap",     BOOL,   NULL,             false, STORED_BOOL,      AT(weight_overlap),     SHARDING,   offer_weight_overlap,    "Overlap the gathering of weights with forward"),
    BOTH(ACTIVATION_OFFLOAD,"activation-offload", TIER,   NULL,             false, STORED_SHARE,     RK_SHARE_ATTENTION, OFFLOAD,    offer_activation_offload,"Offload activations to memory tier 1, or to TIER"),
    BOTH(OPTIMIZER_OFFLOAD, "optimizer-offload",  TIER,   NULL,             false, STORED_SHARE,     RK_SHARE_OPTIMIZER,  OFFLOAD,    offer_optimizer_offload, "Offload the optimizer state to memory tier 1, or to TIER"),
    BOTH(WEIGHT_OFFLOAD,    "weight-offload",     TIER,   NULL,             false, STORED_SHARE,     RK_SHARE_WEIGHTS,     OFFLOAD,    offer_weight_offload,    "Offload the weights to memory tier 1, or to TIER"),
    CALCULON(TENSOR_COMM,     "tensor-comm",      CHOICE, tensor_comm_names, STORED_TENSOR_COMM, 0,             "Communication of tensor parallelism; rs_ag: sequence parallel"),
    CALCULON(REGATHER,        "regather",         BOOL,   NULL,              STORED_BOOL, AT(regather),         "All-gather again in backward instead of keeping the gathered tensors"),
    CALCULON(FUSED,           "fused",            BOOL,   NULL,              STORED_BOOL, AT(fused),            "GeLU fused into the matrix before it"),
    CALCULON(TENSOR_NETWORK,  "tensor-network",   TIER,   NULL,              STORED_INT,  AT(tensor_network),   "Network tier of tensor parallelism"),
    CALCULON(PIPELINE_NETWORK,"pipeline-network", TIER,   NULL,              STORED_INT,  AT(pipeline_network), "Network tier of pipeline parallelism"),
    CALCULON(DATA_NETWORK,    "data-network",     TIER,   NULL,              STORED_INT,  AT(data_network),     "Network tier of data parallelism"),
};
/* clang-format on */

const struct rk_plan_axis_info *rk_plan_axis_info(enum rk_plan_axis axis)
{
    return (unsigned)axis < RK_PLAN_AXES ? &axes[axis].info : NULL;
}

enum rk_plan_axis plan_bundle_axis(enum plan_bundle bundle)
{
    int axis = 0;
    while (axis < RK_PLAN_AXES && axes[axis].bundle < bundle)
        axis++;
    return (enum rk_plan_axis)axis;
}

void plan_axis_offer(struct offered *offered, const struct rk_plans_problem *problem,
                     enum rk_plan_axis axis, const struct rk_plan *plan)
{
    offered->problem = problem;
    offered->axis = axis;
    offered->count = 0;
    offered->crowded = false;
    axes[axis].offer(offered, plan);
}

/* ---- members ---- */

static uint64_t split_of(const struct rk_plan *plan)
{
    if (rk_plan_layout(plan)->splits) return RK_SPLIT_BALANCED;
    return plan->embedding_counts || plan->head_counts ? RK_SPLIT_ENDS : RK_SPLIT_EVEN;
}

/* The first memory tier that has a share of a class, and how much. */
static uint64_t tier_of(const struct rk_plan *plan, enum rk_share share)
{
    for (int i = 0; i < RK_SHARE_TIERS; i++) {
        const double part = plan->share[share][i];
        const double thousandths = part < 0.001 ? 1 : part > 0.999 && part < 1 ? 999 : 1000 * part;
        if (part > 0) return RK_OFFLOAD_VALUE(i + 1, (uint64_t)(thousandths + 0.5));
    }
    return 0;
}

static uint64_t tensor_comm_of(const struct rk_plan *plan)
{
    return plan->sequence_parallel  ? RK_COMM_RS_AG
           : plan->messages_sharded ? RK_COMM_P2P_RS_AG
                                    : RK_COMM_ALL_REDUCE;
}

uint64_t rk_plan_axis_get(const struct rk_plan *plan, enum rk_plan_axis axis)
{
    const char *member = (const char *)plan + axes[axis].offset;
    const int storage = axes[axis].storage;
    if (storage < STORED_KINDS) return stored_get(member, (enum stored)storage);
    switch (storage) {
    case STORED_SHARE:
        return tier_of(plan, (enum rk_share)axes[axis].offset);
    case STORED_RECOMPUTE:
        return RK_RECOMPUTE_VALUE(plan->recompute,
                                  plan->recompute == RK_SELECTIVE ? plan->recompute_parts : 0);
    case STORED_SPLIT:
        return split_of(plan);
    case STORED_TENSOR_COMM:
        return tensor_comm_of(plan);
    default:
        return rk_plan_data(plan);
    }
}

static void set_split(struct rk_plan *plan, uint64_t value)
{
    plan->embedding_counts = plan->head_counts = value == RK_SPLIT_ENDS;
    plan->first_layers = plan->last_layers = 0;
    plan->layout = NULL;
}

static void set_tier(struct rk_plan *plan, enum rk_share share, uint64_t value)
{
    const int last = share == RK_SHARE_ATTENTION ? RK_SHARE_CHECKPOINTS : (int)share;
    const uint64_t tier = RK_OFFLOAD_TIER(value), thousandths = value >> 8;
    const double part = thousandths ? (double)thousandths / 1000 : 1;
    for (int class = (int)share; class <= last; class ++)
        for (int i = 0; i < RK_SHARE_TIERS; i++)
            plan->share[class][i] = tier == (uint64_t)i + 1 ? part : 0;
}

static inline void set_axis(struct rk_plan *plan, enum rk_plan_axis axis, uint64_t value)
{
    char *member = (char *)plan + axes[axis].offset;
    const int storage = axes[axis].storage;
    if (storage < STORED_KINDS) {
        stored_set(member, (enum stored)storage, value);
        return;
    }
    switch (storage) {
    case STORED_SHARE:
        set_tier(plan, (enum rk_share)axes[axis].offset, value);
        break;
    case STORED_RECOMPUTE:
        plan->recompute = (enum rk_recompute_mode)(value & 3);
        plan->recompute_parts = (unsigned)(value >> 2);
        break;
    case STORED_SPLIT:
        set_split(plan, value);
        break;
    case STORED_TENSOR_COMM:
        plan->sequence_parallel = value == RK_COMM_RS_AG;
        plan->messages_sharded = value == RK_COMM_P2P_RS_AG;
        break;
    default:
        break;
    }
}

void rk_plan_axis_set(struct rk_plan *plan, enum rk_plan_axis axis, uint64_t value)
{
    set_axis(plan, axis, value);
}

void plan_axes_set(struct rk_plan *plan, enum rk_plan_axis first, int count, const uint64_t *value)
{
    for (int i = 0; i < count; i++)
        set_axis(plan, (enum rk_plan_axis)((int)first + i), value[i]);
}

/* ---- texts ---- */

/* Appends to a text of RK_PLAN_AXIS_TEXT bytes. */
static void append(char *buffer, const char *text)
{
    const size_t used = strlen(buffer), more = strlen(text);
    if (used + more < RK_PLAN_AXIS_TEXT) memcpy(buffer + used, text, more + 1);
}

static void write_number(char *buffer, uint64_t value)
{
    char digits[24], *at = digits + sizeof digits - 1;
    *at = '\0';
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    append(buffer, at);
}

/* As in a plan line: "0.25" of tier 1, "1.5" for a half of tier 2. */
static void write_offload(char *buffer, uint64_t value)
{
    const uint64_t thousandths = value >> 8;
    write_number(buffer, RK_OFFLOAD_TIER(value) - (thousandths > 0));
    if (!thousandths) return;
    char digits[5] = {'.', (char)('0' + thousandths / 100), (char)('0' + thousandths / 10 % 10),
                      (char)('0' + thousandths % 10), '\0'};
    for (int last = 3; digits[last] == '0'; last--)
        digits[last] = '\0';
    append(buffer, digits);
}

static void write_parts(char *buffer, uint64_t value)
{
    const enum rk_recompute_mode mode = (enum rk_recompute_mode)(value & 3);
    if (mode != RK_SELECTIVE) {
        append(buffer, mode == RK_KEEP ? "none" : "full");
        return;
    }
    for (int part = 0; part < RK_PARTS; part++) {
        if (!(value >> 2 >> part & 1)) continue;
        if (buffer[0]) append(buffer, "+");
        append(buffer, rk_part_name((enum rk_part)part));
    }
}

const char *rk_plan_axis_text(enum rk_plan_axis axis, uint64_t value,
                              char buffer[RK_PLAN_AXIS_TEXT])
{
    const struct rk_plan_axis_info *info = &axes[axis].info;
    buffer[0] = '\0';
    switch (info->type) {
    case RK_PLAN_NUMBER:
        write_number(buffer, value);
        break;
    case RK_PLAN_BOOL:
        append(buffer, value ? "yes" : "no");
        break;
    case RK_PLAN_CHOICE:
        append(buffer, info->choices[value]);
        break;
    case RK_PLAN_PARTS:
        write_parts(buffer, value);
        break;
    case RK_PLAN_TIER:
        if (axis >= RK_PLAN_TENSOR_NETWORK)
            write_number(buffer, value);
        else if (value > 1)
            write_offload(buffer, value);
        else
            append(buffer, value ? "yes" : "no");
        break;
    }
    return buffer;
}

static bool parse_number(const char *text, uint64_t *value)
{
    *value = 0;
    if (!*text || strlen(text) > 15) return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return false;
        *value = 10 * *value + (uint64_t)(*text - '0');
    }
    return true;
}

static bool parse_word(const char *const *words, const char *text, size_t length, uint64_t *value)
{
    for (*value = 0; words[*value]; ++*value)
        if (strlen(words[*value]) == length && memcmp(words[*value], text, length) == 0)
            return true;
    return false;
}

/* "core_attn+layernorm"; "selective" is what Megatron-LM means by it, core_attn. */
static bool parse_parts(const char *text, uint64_t *value)
{
    static const char *const modes[] = {"none", "selective", "full", "attention", NULL};
    const char *names[RK_PARTS + 1] = {NULL};
    unsigned parts = 0;
    uint64_t found;
    for (int part = 0; part < RK_PARTS; part++)
        names[part] = rk_part_name((enum rk_part)part);
    if (parse_word(modes, text, strlen(text), value)) {
        const bool attention = *value > RK_WHOLE; /* as [isaev2023] calls it */
        if (attention) *value = RK_SELECTIVE;
        if (*value == RK_SELECTIVE) *value |= UINT64_C(4) << RK_PART_CORE_ATTENTION;
        return true;
    }
    for (;;) {
        const size_t length = strcspn(text, "+");
        if (!parse_word(names, text, length, &found)) return false;
        parts |= 1u << found;
        if (!text[length]) break;
        text += length + 1;
    }
    *value = RK_RECOMPUTE_VALUE(RK_SELECTIVE, parts);
    return true;
}

/* "2": all to tier 2; "1.25": a quarter of it. */
static bool parse_offload(const char *text, uint64_t *value)
{
    uint64_t whole, thousandths = 0, place = 100;
    char before[16];
    const size_t length = strcspn(text, ".");
    if (!text[length]) return parse_number(text, value);
    if (length >= sizeof before || !text[length + 1]) return false;
    memcpy(before, text, length);
    before[length] = '\0';
    if (!parse_number(before, &whole)) return false;
    for (text += length + 1; *text; text++, place /= 10) {
        if (*text < '0' || *text > '9' || (place == 0 && *text != '0')) return false;
        thousandths += place * (uint64_t)(*text - '0');
    }
    *value = thousandths ? RK_OFFLOAD_VALUE(whole + 1, thousandths) : whole;
    return true;
}

bool rk_plan_axis_parse(enum rk_plan_axis axis, const char *text, uint64_t *value)
{
    static const char *const no_yes[] = {"no", "yes", NULL};
    const struct rk_plan_axis_info *info = &axes[axis].info;
    switch (info->type) {
    case RK_PLAN_NUMBER:
        return parse_number(text, value);
    case RK_PLAN_BOOL:
        return parse_word(no_yes, text, strlen(text), value);
    case RK_PLAN_CHOICE:
        if (parse_word(info->choices, text, strlen(text), value)) return true;
        return strcmp(info->choices[0], "none") == 0 &&
               parse_word(no_yes, text, strlen(text), value);
    case RK_PLAN_TIER:
        return parse_word(no_yes, text, strlen(text), value) ||
               (axis < RK_PLAN_TENSOR_NETWORK ? parse_offload(text, value)
                                              : parse_number(text, value));
    default:
        return parse_parts(text, value);
    }
}
