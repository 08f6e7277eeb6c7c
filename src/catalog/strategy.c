/* strategy.c - strategy files, reckon-strategy(5): plans of the published model under their names
 * of before. */
#include "catalog/plan_fields.h"
#include "catalog/readers.h"
#include "plan/names.h"
#include "text/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One of `names` as its index; the table's presets hold where a key is missing. */
static enum rk_status load_name(const struct place *place, const char *const *names, int *index,
                                struct rk_error *error)
{
    const struct field field = {.type = FIELD_CHOICE, .choices = names};
    return field_load(place, &field, index, error);
}

static enum rk_status load_datatype(const struct place *place, void *target, struct rk_error *error)
{
    static const char *const names[] = {"float8", "float16", "bfloat16", "float32", NULL};
    static const enum rk_precision precision[] = {RK_FP8_CURRENT, RK_FP16, RK_BF16, RK_FP32};
    struct rk_plan *plan = target;
    int index = 0;
    const enum rk_status status = load_name(place, names, &index, error);
    if (status == RK_OK) plan->precision = precision[index];
    return status;
}

static enum rk_status load_recompute(const struct place *place, void *target,
                                     struct rk_error *error)
{
    static const char *const names[] = {"full", "attention", "none", NULL};
    static const enum rk_recompute_mode mode[] = {RK_WHOLE, RK_SELECTIVE, RK_KEEP};
    struct rk_plan *plan = target;
    int index = 0;
    const enum rk_status status = load_name(place, names, &index, error);
    if (status != RK_OK) return status;
    plan->recompute = mode[index];
    plan->recompute_parts = mode[index] == RK_SELECTIVE ? 1u << RK_PART_CORE_ATTENTION : 0;
    return RK_OK;
}

static enum rk_status load_tensor_comm(const struct place *place, void *target,
                                       struct rk_error *error)
{
    static const char *const names[] = {"all_reduce", "p2p_rs_ag", "rs_ag", NULL};
    struct rk_plan *plan = target;
    int index = 0;
    const enum rk_status status = load_name(place, names, &index, error);
    if (status != RK_OK) return status;
    plan->messages_sharded = index == 1;
    plan->sequence_parallel = index == 2;
    return RK_OK;
}

static enum rk_status load_sharding(const struct place *place, void *target, struct rk_error *error)
{
    static const struct field flag = {.type = FIELD_BOOL};
    struct rk_plan *plan = target;
    bool sharded = false;
    const enum rk_status status = field_load(place, &flag, &sharded, error);
    if (status == RK_OK) plan->zero = sharded;
    return status;
}

/* A memory tier, or true for tier 1 and false for none, of the tensor classes first ... last. */
static enum rk_status load_offload(const struct place *place, struct rk_plan *plan, int first,
                                   int last, struct rk_error *error)
{
    const struct field tier = {.type = FIELD_TIER, .max = RK_SHARE_TIERS};
    int number = json_is_true(place->value);
    char got[PLACE_TEXT];
    if (json_is_number(place->value)) {
        const enum rk_status status = field_load(place, &tier, &number, error);
        if (status != RK_OK) return status;
    } else if (!json_is_boolean(place->value)) {
        return place_fail(place, error, "must be a memory tier (1, 2, ...), true or false, got %s",
                          place_describe(got, place));
    }
    for (int class = first; class <= last && number; class ++)
        plan->share[class][number - 1] = 1;
    return RK_OK;
}

static enum rk_status load_weights(const struct place *place, void *plan, struct rk_error *error)
{
    return load_offload(place, plan, RK_SHARE_WEIGHTS, RK_SHARE_WEIGHTS, error);
}

static enum rk_status load_activations(const struct place *place, void *plan,
                                       struct rk_error *error)
{
    return load_offload(place, plan, RK_SHARE_ATTENTION, RK_SHARE_CHECKPOINTS, error);
}

static enum rk_status load_optimizer(const struct place *place, void *plan, struct rk_error *error)
{
    return load_offload(place, plan, RK_SHARE_OPTIMIZER, RK_SHARE_OPTIMIZER, error);
}

#define AT(member) .offset = offsetof(struct plan_draft, member)

/* clang-format off */
static const struct field fields[] = {
    { "name",               FIELD_TEXT,   .help = "what people call it" },
    { "description",        FIELD_TEXT,   .help = "a sentence or two" },
    { "gpus",               FIELD_COUNT,  AT(plan.ranks), .min = 1, .help = "accelerators; default tensor * pipeline * data" },
    { "tensor",             FIELD_COUNT,  AT(plan.tensor),       .min = 1, .preset = 1, .help = "tensor parallel degree" },
    { "pipeline",           FIELD_COUNT,  AT(plan.pipeline),     .min = 1, .preset = 1, .help = "pipeline parallel degree" },
    { "data",               FIELD_COUNT,  AT(data),         .min = 1, .help = "data parallel degree; default what gpus leaves, else 1" },
    { "interleaving",       FIELD_COUNT,  AT(plan.chunks), .min = 1, .preset = 1, .help = "chunks of blocks on a rank" },
    { "batch",              FIELD_COUNT,  FIELD_REQUIRED, AT(plan.batch), .min = 1, .help = "samples of one step, over all ranks" },
    { "microbatch",         FIELD_COUNT,  AT(plan.microbatch),   .min = 1, .preset = 1, .help = "samples of one forward pass on a rank" },
    { "datatype",           FIELD_OTHER,  AT(plan), .load = load_datatype, .help = "type of weights and activations" },
    { "training",           FIELD_BOOL,   AT(plan.training), .preset = true, .help = "false: forward passes only" },
    { "recompute",          FIELD_OTHER,  AT(plan), .load = load_recompute, .help = "activations computed again in backward" },
    { "optimizer_sharding", FIELD_OTHER,  AT(plan), .load = load_sharding, .help = "optimizer state and gradients sharded over data" },
    { "tensor_comm",        FIELD_OTHER,  AT(plan), .load = load_tensor_comm, .help = "what tensor parallelism sends" },
    { "redo_all_gather",    FIELD_BOOL,   AT(plan.regather), .help = "gather again in backward instead of keeping" },
    { "data_overlap",       FIELD_BOOL,   AT(plan.gradient_overlap), .help = "gradients are reduced while backward runs" },
    { "tensor_overlap",     FIELD_CHOICE, AT(plan.tensor_overlap), .choices = names_of_tensor_overlap, .help = "tensor-parallel communication beside the matrices" },
    { "weight_offload",     FIELD_OTHER,  AT(plan), .load = load_weights, .help = "memory tier of the weights" },
    { "activation_offload", FIELD_OTHER,  AT(plan), .load = load_activations, .help = "memory tier of the activations" },
    { "optimizer_offload",  FIELD_OTHER,  AT(plan), .load = load_optimizer, .help = "memory tier of the optimizer state and the gradients" },
    { "fused_activation",   FIELD_BOOL,   AT(plan.fused), .preset = true, .help = "GeLU fused: its input is not held" },
    { "tensor_network",     FIELD_TIER,   AT(plan.tensor_network),   .max = 4095, .help = "network tier of tensor parallelism" },
    { "pipeline_network",   FIELD_TIER,   AT(plan.pipeline_network), .max = 4095, .help = "network tier of pipeline parallelism" },
    { "data_network",       FIELD_TIER,   AT(plan.data_network),     .max = 4095, .help = "network tier of data parallelism" },
    { "source",             FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};
/* clang-format on */

/* ---- reading ---- */

static bool product(const uint64_t *factors, int count, uint64_t *value)
{
    *value = 1;
    for (int i = 0; i < count; i++)
        if (__builtin_mul_overflow(*value, factors[i], value)) return false;
    return *value <= UINT64_C(1) << 53;
}

/* Fails at the first of `keys` that is given, else at the root. */
static enum rk_status fail_first(const struct place *root, const char *const *keys,
                                 struct rk_error *error, const char *text)
{
    struct place member;
    for (; *keys; keys++)
        if (place_member(root, *keys, &member)) return place_fail(&member, error, "%s", text);
    return place_fail(root, error, "%s", text);
}

static enum rk_status complete_degrees(const struct place *root, struct plan_draft *draft,
                                       struct rk_error *error)
{
    static const char *const keys[] = {"gpus", "data", "pipeline", "tensor", NULL};
    struct rk_plan *plan = &draft->plan;
    char text[256];
    uint64_t stages, all;
    if (!product((uint64_t[]){plan->tensor, plan->pipeline}, 2, &stages))
        return fail_first(root, keys + 2, error, "tensor * pipeline is more than 2^53");
    if (!draft->data) /* what the others leave; a remainder shows below */
        draft->data = plan->ranks > stages ? plan->ranks / stages : 1;
    if (!product((uint64_t[]){stages, draft->data}, 2, &all))
        return fail_first(root, keys + 1, error, "tensor * pipeline * data is more than 2^53");
    if (!plan->ranks) plan->ranks = all;
    if (plan->ranks == all) return RK_OK;
    snprintf(text, sizeof text,
             "tensor %" PRIu64 " * pipeline %" PRIu64 " * data %" PRIu64 " = %" PRIu64
             " is not gpus = %" PRIu64 ": change one of them",
             plan->tensor, plan->pipeline, draft->data, all, plan->ranks);
    return fail_first(root, keys, error, text);
}

static enum rk_status check_batch(const struct place *root, const struct plan_draft *draft,
                                  struct rk_error *error)
{
    static const char *const keys[] = {"batch", NULL};
    const struct rk_plan *plan = &draft->plan;
    char text[256];
    uint64_t together;
    if (!product((uint64_t[]){draft->data, plan->microbatch}, 2, &together))
        return fail_first(root, keys, error, "data * microbatch is more than 2^53");
    if (plan->batch % together == 0) return RK_OK;
    snprintf(text, sizeof text,
             "%" PRIu64 " samples are not divisible by data %" PRIu64 " * microbatch %" PRIu64
             " = %" PRIu64 ": change one of them",
             plan->batch, draft->data, plan->microbatch, together);
    return fail_first(root, keys, error, text);
}

/* It says all that the published model asks for, but how long a sample is. */
enum rk_status strategy_read(const struct document *document, struct plan_draft *draft,
                             struct rk_error *error)
{
    const struct place root = place_root(document);
    struct plan_draft read = plan_draft();
    read.plan.framework = RK_CALCULON;
    read.plan.precision = RK_FP16;
    enum rk_status status = fields_load(&root, fields, &read, error);
    if (status == RK_OK) status = complete_degrees(&root, &read, error);
    if (status == RK_OK) status = check_batch(&root, &read, error);
    if (status != RK_OK) return status;
    for (int row = 0; plan_fields[row].key; row++)
        read.given[row] = true;
    read.given[plan_row("sequence")] = read.given[plan_row("data")] = false;
    read.given[plan_row("split")] = read.given[plan_row("stages")] = false;
    read.given[plan_row("attention")] = false; /* which kernel, it does not say */
    read.data = 0;                             /* the ranks say it */
    snprintf(read.path, sizeof read.path, "%s", document->path);
    *draft = read;
    return RK_OK;
}
