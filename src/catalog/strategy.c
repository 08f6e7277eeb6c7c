/* strategy.c - strategy files, reckon-strategy(5): read and written by one table. */
#include "catalog/catalog.h"
#include "catalog/fields.h"
#include "catalog/readers.h"
#include "catalog/save.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const datatypes[] = {[RK_FLOAT8] = "float8",
                                        [RK_FLOAT16] = "float16",
                                        [RK_BFLOAT16] = "bfloat16",
                                        [RK_FLOAT32] = "float32",
                                        NULL};
static const char *const recomputes[] = {[RK_RECOMPUTE_FULL] = "full",
                                         [RK_RECOMPUTE_ATTENTION] = "attention",
                                         [RK_RECOMPUTE_NONE] = "none",
                                         NULL};
static const char *const tensor_comms[] = {[RK_COMM_ALL_REDUCE] = "all_reduce",
                                           [RK_COMM_P2P_RS_AG] = "p2p_rs_ag",
                                           [RK_COMM_RS_AG] = "rs_ag",
                                           NULL};
static const char *const tensor_overlaps[] = {
    [RK_OVERLAP_NONE] = "none", [RK_OVERLAP_RING] = "ring", [RK_OVERLAP_PIPE] = "pipe", NULL};

/* A memory tier, or true for tier 1 and false for none. */
static enum rk_status load_offload(const struct place *place, void *target, struct rk_error *error)
{
    const struct field tier = {.type = FIELD_TIER, .max = 4096};
    int number = json_is_true(place->value);
    char got[PLACE_TEXT];
    if (json_is_number(place->value)) {
        const enum rk_status status = field_load(place, &tier, &number, error);
        if (status != RK_OK) return status;
    } else if (!json_is_boolean(place->value)) {
        return place_fail(place, error, "must be a memory tier (1, 2, ...), true or false, got %s",
                          place_describe(got, place));
    }
    memcpy(target, &number, sizeof number);
    return RK_OK;
}

#define AT(member) .offset = offsetof(struct rk_strategy, member)

/* clang-format off */
static const struct field fields[] = {
    { "name",               FIELD_TEXT,   .help = "what people call it" },
    { "description",        FIELD_TEXT,   .help = "a sentence or two" },
    { "gpus",               FIELD_COUNT,  AT(ranks), .min = 1, .help = "accelerators; default tensor * pipeline * data" },
    { "tensor",             FIELD_COUNT,  AT(tensor),       .min = 1, .preset = 1, .help = "tensor parallel degree" },
    { "pipeline",           FIELD_COUNT,  AT(pipeline),     .min = 1, .preset = 1, .help = "pipeline parallel degree" },
    { "data",               FIELD_COUNT,  AT(data),         .min = 1, .help = "data parallel degree; default what gpus leaves, else 1" },
    { "interleaving",       FIELD_COUNT,  AT(interleaving), .min = 1, .preset = 1, .help = "chunks of blocks on a rank" },
    { "batch",              FIELD_COUNT,  FIELD_REQUIRED, AT(batch), .min = 1, .help = "samples of one step, over all ranks" },
    { "microbatch",         FIELD_COUNT,  AT(microbatch),   .min = 1, .preset = 1, .help = "samples of one forward pass on a rank" },
    { "datatype",           FIELD_CHOICE, AT(datatype), .choices = datatypes, .preset = RK_FLOAT16, .help = "type of weights and activations" },
    { "training",           FIELD_BOOL,   AT(training), .preset = true, .help = "false: forward passes only" },
    { "recompute",          FIELD_CHOICE, AT(recompute), .choices = recomputes, .preset = RK_RECOMPUTE_NONE, .help = "activations computed again in backward" },
    { "optimizer_sharding", FIELD_BOOL,   AT(optimizer_sharding), .help = "optimizer state and gradients sharded over data" },
    { "tensor_comm",        FIELD_CHOICE, AT(tensor_comm), .choices = tensor_comms, .help = "what tensor parallelism sends" },
    { "redo_all_gather",    FIELD_BOOL,   AT(redo_all_gather), .help = "gather again in backward instead of keeping" },
    { "data_overlap",       FIELD_BOOL,   AT(data_overlap), .help = "gradients are reduced while backward runs" },
    { "tensor_overlap",     FIELD_CHOICE, AT(tensor_overlap), .choices = tensor_overlaps, .help = "tensor-parallel communication beside the matrices" },
    { "weight_offload",     FIELD_OTHER,  AT(weight_offload),     .load = load_offload, .help = "memory tier of the weights" },
    { "activation_offload", FIELD_OTHER,  AT(activation_offload), .load = load_offload, .help = "memory tier of the activations" },
    { "optimizer_offload",  FIELD_OTHER,  AT(optimizer_offload),  .load = load_offload, .help = "memory tier of the optimizer state and the gradients" },
    { "fused_activation",   FIELD_BOOL,   AT(fused_activation), .preset = true, .help = "GeLU fused: its input is not held" },
    { "tensor_network",     FIELD_TIER,   AT(tensor_network),   .max = 4095, .help = "network tier of tensor parallelism" },
    { "pipeline_network",   FIELD_TIER,   AT(pipeline_network), .max = 4095, .help = "network tier of pipeline parallelism" },
    { "data_network",       FIELD_TIER,   AT(data_network),     .max = 4095, .help = "network tier of data parallelism" },
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

static enum rk_status complete_degrees(const struct place *root, struct rk_strategy *strategy,
                                       struct rk_error *error)
{
    static const char *const keys[] = {"gpus", "data", "pipeline", "tensor", NULL};
    char text[256];
    uint64_t stages, all;
    if (!product((uint64_t[]){strategy->tensor, strategy->pipeline}, 2, &stages))
        return fail_first(root, keys + 2, error, "tensor * pipeline is more than 2^53");
    if (!strategy->data) /* what the others leave; a remainder shows below */
        strategy->data = strategy->ranks > stages ? strategy->ranks / stages : 1;
    if (!product((uint64_t[]){stages, strategy->data}, 2, &all))
        return fail_first(root, keys + 1, error, "tensor * pipeline * data is more than 2^53");
    if (!strategy->ranks) strategy->ranks = all;
    if (strategy->ranks == all) return RK_OK;
    snprintf(text, sizeof text,
             "tensor %" PRIu64 " * pipeline %" PRIu64 " * data %" PRIu64 " = %" PRIu64
             " is not gpus = %" PRIu64 ": change one of them",
             strategy->tensor, strategy->pipeline, strategy->data, all, strategy->ranks);
    return fail_first(root, keys, error, text);
}

static enum rk_status check_batch(const struct place *root, const struct rk_strategy *strategy,
                                  struct rk_error *error)
{
    static const char *const keys[] = {"batch", NULL};
    char text[256];
    uint64_t together;
    if (!product((uint64_t[]){strategy->data, strategy->microbatch}, 2, &together))
        return fail_first(root, keys, error, "data * microbatch is more than 2^53");
    if (strategy->batch % together == 0) return RK_OK;
    snprintf(text, sizeof text,
             "%" PRIu64 " samples are not divisible by data %" PRIu64 " * microbatch %" PRIu64
             " = %" PRIu64 ": change one of them",
             strategy->batch, strategy->data, strategy->microbatch, together);
    return fail_first(root, keys, error, text);
}

enum rk_status strategy_read(const struct document *document, struct rk_strategy *strategy,
                             struct rk_error *error)
{
    const struct place root = place_root(document);
    struct rk_strategy read = {0};
    enum rk_status status = fields_load(&root, fields, &read, error);
    if (status == RK_OK) status = complete_degrees(&root, &read, error);
    if (status == RK_OK) status = check_batch(&root, &read, error);
    if (status == RK_OK) *strategy = read;
    return status;
}

enum rk_status rk_strategy_load(const char *name, struct rk_strategy *strategy,
                                struct rk_error *error)
{
    struct document document = {0};
    char id[64];
    enum rk_status status = catalog_open(CATALOG_STRATEGIES, name, &document, id, sizeof id, error);
    if (status == RK_OK) status = strategy_read(&document, strategy, error);
    document_release(&document);
    return status;
}

/* ---- writing ---- */

static void write_field(FILE *file, const struct field *field, const struct rk_strategy *strategy)
{
    const char *at = (const char *)strategy + field->offset;
    uint64_t count;
    int number;
    bool flag;
    fprintf(file, "    \"%s\": ", field->key);
    switch (field->type) {
    case FIELD_COUNT:
        memcpy(&count, at, sizeof count);
        fprintf(file, "%" PRIu64, count);
        break;
    case FIELD_BOOL:
        memcpy(&flag, at, sizeof flag);
        fputs(flag ? "true" : "false", file);
        break;
    case FIELD_CHOICE:
        memcpy(&number, at, sizeof number);
        fprintf(file, "\"%s\"", field->choices[number]);
        break;
    default: /* a tier */
        memcpy(&number, at, sizeof number);
        fprintf(file, "%d", number);
        break;
    }
}

static void write_strategy(FILE *file, const void *strategy)
{
    const char *before = "{\n";
    for (const struct field *field = fields; field->key; field++) {
        if (field->type == FIELD_TEXT || field->type == FIELD_SOURCE) continue;
        fputs(before, file);
        write_field(file, field, strategy);
        before = ",\n";
    }
    fputs("\n}\n", file);
}

enum rk_status rk_strategy_save(const char *path, const struct rk_strategy *strategy,
                                struct rk_error *error)
{
    return save_file(path, write_strategy, strategy, error);
}
