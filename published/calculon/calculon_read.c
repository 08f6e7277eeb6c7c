#include "calculon/calculon_read.h"

#include "base/limits.h"
#include "base/memory.h"
#include "base/text.h"
#include "text/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file's name without folders and endings. */
static void name_of(char *id, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    snprintf(id, size, "%s", name);
    char *ending = strstr(id, ".json");
    if (ending && ending != id) *ending = '\0';
    text_make_name(id);
}

/* ---- models ---- */

/* A member that a file must have. */
#define NEED(name, as, base, member, ...)                                                          \
    {                                                                                              \
        .key = name, .type = FIELD_##as, .need = FIELD_REQUIRED, .offset = offsetof(base, member), \
        __VA_ARGS__                                                                                \
    }
#define SIZE(name, member, text)                                                                   \
    NEED(name, COUNT, struct rk_model, member, .min = 1, .max = 0x1p40, .help = text)

static const struct field model_fields[] = {
    SIZE("hidden", hidden, "width of the residual stream"),
    SIZE("feedforward", feedforward, "width inside the MLP"),
    SIZE("seq_size", sequence, "tokens of a sample"),
    SIZE("attn_heads", heads, "attention heads"),
    SIZE("attn_size", head_dim, "width of a head"),
    SIZE("num_blocks", layers, "transformer blocks"),
    {.key = NULL},
};

/* Parameters and activations of one sample are counted in doubles: exact to 2^53, and estimates
 * keep their meaning far beyond; this bound is for typing errors. */
static enum rk_status check_model(const struct place *root, const struct rk_model *model,
                                  struct rk_error *error)
{
    const double limit = 0x1p63;
    const double scores = (double)model->heads * (double)model->sequence * (double)model->sequence;
    if (calculon_parameters(model) > limit)
        return place_fail(root, error,
                          "the model has %.3g parameters, more than 2^63: check its sizes",
                          calculon_parameters(model));
    if (scores > limit)
        return place_fail(root, error,
                          "attn_heads * seq_size^2 is %.3g, more than 2^63: check these sizes",
                          scores);
    return RK_OK;
}

enum rk_status calculon_parse_model(const struct document *document, struct rk_model *model,
                                    struct rk_error *error)
{
    struct rk_model read = {.attention = RK_ATTENTION_MULTIHEAD,
                            .position = RK_POSITION_LEARNED,
                            .vocabulary = 51200,
                            .tied_embeddings = true,
                            .biases = true,
                            .count_embeddings = true};
    const struct place root = place_root(document);
    enum rk_status status = fields_load(&root, model_fields, &read, error);
    if (status == RK_OK) status = check_model(&root, &read, error);
    if (status != RK_OK) return status;
    name_of(read.id, sizeof read.id, document->path);
    *model = read;
    return RK_OK;
}

enum rk_status calculon_read_model(const char *path, struct rk_model *model, struct rk_error *error)
{
    struct document document = {.text = NULL};
    enum rk_status status = document_load(path, &document, error);
    if (status == RK_OK) status = calculon_parse_model(&document, model, error);
    document_release(&document);
    return status;
}

/* ---- executions ---- */

/* The fields of a file, from calculon_fields; offloads are flags there, tiers in a strategy. */
struct execution_file {
    struct calculon_execution execution;
    bool offload[CALCULON_FIELDS];
};

static struct field field_of(int index)
{
    const struct calculon_field *from = &calculon_fields[index];
    struct field field = {.key = from->name,
                          .need = FIELD_REQUIRED,
                          .offset = offsetof(struct execution_file, execution) + from->offset,
                          .choices = from->choices};
    switch (from->type) {
    case CALCULON_COUNT:
        field.type = FIELD_COUNT;
        field.min = 1;
        break;
    case CALCULON_TIER:
        field.type = FIELD_TIER;
        field.max = 63;
        break;
    case CALCULON_FLAG:
        field.type = FIELD_BOOL;
        break;
    case CALCULON_OFFLOAD:
        field.type = FIELD_BOOL;
        field.offset = offsetof(struct execution_file, offload) + (size_t)index * sizeof(bool);
        break;
    case CALCULON_CHOICE:
        field.type = FIELD_CHOICE;
        break;
    }
    return field;
}

/* What the options of an execution demand of each other, and the key to blame. */
static enum rk_status check_options(const struct place *root, const struct rk_strategy *s,
                                    struct rk_error *error)
{
    const bool inference = !s->training;
    const struct {
        bool bad;
        const char *key, *text;
    } rules[] = {
        {inference && s->recompute != RK_RECOMPUTE_NONE, "activation_recompute",
         "recomputation needs training true"},
        {s->pipeline == 1 && s->interleaving != 1, "pipeline_interleaving",
         "must be 1 with pipeline_par 1"},
        {s->data == 1 && s->optimizer_sharding, "optimizer_sharding", "needs data_par above 1"},
        {s->tensor == 1 && s->tensor_overlap != RK_OVERLAP_NONE, "tensor_par_overlap",
         "needs tensor_par above 1, else none"},
        {s->redo_all_gather && s->tensor_comm != RK_COMM_RS_AG, "seq_par_ag_redo",
         "needs tensor_par_comm_type rs_ag"},
        {s->redo_all_gather && s->recompute == RK_RECOMPUTE_FULL, "seq_par_ag_redo",
         "must be false with activation_recompute full"},
        {inference && s->data_overlap, "data_par_overlap", "needs training true"},
        {s->data == 1 && s->data_overlap, "data_par_overlap", "needs data_par above 1"},
        {inference && s->optimizer_offload, "optimizer_offload", "needs training true"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct place at;
        if (!rules[i].bad) continue;
        place_member(root, rules[i].key, &at);
        return place_fail(&at, error, "%s", rules[i].text);
    }
    return RK_OK;
}

static enum rk_status check_degrees(const struct place *root, const struct rk_strategy *s,
                                    struct rk_error *error)
{
    struct place at;
    const double product = (double)s->tensor * (double)s->pipeline * (double)s->data;
    if (product != (double)s->ranks) {
        place_member(root, "num_procs", &at);
        return place_fail(&at, error,
                          "must be tensor_par * pipeline_par * data_par = %" PRIu64 " * %" PRIu64
                          " * %" PRIu64 " = %.0f, got %" PRIu64,
                          s->tensor, s->pipeline, s->data, product, s->ranks);
    }
    if (s->batch % s->data != 0) {
        place_member(root, "batch_size", &at);
        return place_fail(&at, error, "must be a multiple of data_par %" PRIu64 ", got %" PRIu64,
                          s->data, s->batch);
    }
    if (s->batch / s->data % s->microbatch != 0) {
        place_member(root, "microbatch_size", &at);
        return place_fail(&at, error,
                          "must divide batch_size / data_par = %" PRIu64 ", got %" PRIu64,
                          s->batch / s->data, s->microbatch);
    }
    return check_options(root, s, error);
}

enum rk_status calculon_parse_execution(const struct document *document,
                                        struct calculon_execution *execution,
                                        struct rk_error *error)
{
    struct execution_file read;
    struct field fields[CALCULON_FIELDS + 1];
    memset(&read, 0, sizeof read);
    for (int i = 0; i < CALCULON_FIELDS; i++)
        fields[i] = field_of(i);
    fields[CALCULON_FIELDS] = (struct field){.key = NULL};
    const struct place root = place_root(document);
    enum rk_status status = fields_load(&root, fields, &read, error);
    if (status != RK_OK) return status;
    for (int i = 0; i < CALCULON_FIELDS; i++)
        if (calculon_fields[i].type == CALCULON_OFFLOAD)
            calculon_field_set(&read.execution, &calculon_fields[i], read.offload[i]);
    status = check_degrees(&root, &read.execution.strategy, error);
    if (status == RK_OK) *execution = read.execution;
    return status;
}

enum rk_status calculon_read_execution(const char *path, struct calculon_execution *execution,
                                       struct rk_error *error)
{
    struct document document = {.text = NULL};
    enum rk_status status = document_load(path, &document, error);
    if (status == RK_OK) status = calculon_parse_execution(&document, execution, error);
    document_release(&document);
    return status;
}

/* ---- systems ---- */

/* One step of a curve, [threshold, efficiency]. */
static enum rk_status read_step(const struct place *place, struct rk_curve *curve, double unit,
                                struct rk_error *error)
{
    static const struct field threshold = {.type = FIELD_NUMBER, .max = 1e15};
    static const struct field efficiency = {.type = FIELD_NUMBER, .min = 1e-6, .max = 1};
    const int step = curve->steps;
    double from;
    enum rk_status status = place_need_array(place, 2, 2, error);
    if (status != RK_OK) return status;
    const struct place first = place_element(place, 0), second = place_element(place, 1);
    if ((status = field_load(&first, &threshold, &from, error)) != RK_OK) return status;
    status = field_load(&second, &efficiency, &curve->step[step].efficiency, error);
    if (status != RK_OK) return status;
    curve->step[step].from = from * unit;
    if (step > 0 && curve->step[step].from >= curve->step[step - 1].from)
        return place_fail(&first, error, "must be smaller than that of the step before");
    curve->steps++;
    return RK_OK;
}

static enum rk_status read_curve(const struct place *place, struct rk_curve *curve, double unit,
                                 struct rk_error *error)
{
    enum rk_status status = place_need_array(place, 1, RK_CURVE_STEPS, error);
    curve->steps = 0;
    for (size_t i = 0; status == RK_OK && i < json_array_size(place->value); i++) {
        const struct place step = place_element(place, i);
        status = read_step(&step, curve, unit, error);
        if (status == RK_OK && i + 1 == json_array_size(place->value) && curve->step[i].from != 0)
            status = place_fail(&step, error, "the last step must start at 0");
    }
    return status;
}

static enum rk_status read_flop_curve(const struct place *place, void *curve,
                                      struct rk_error *error)
{
    return read_curve(place, curve, 1e9, error);
}

static enum rk_status read_byte_curve(const struct place *place, void *curve,
                                      struct rk_error *error)
{
    return read_curve(place, curve, 1e6, error);
}

/* clang-format off */
static const struct field engine_fields[] = {
    NEED("tflops", NUMBER, struct rk_engine, peak_flops, .unit = "TFLOP/s", .min = 1e-6, .max = 1e12, .help = "peak rate"),
    NEED("gflops_efficiency", OTHER, struct rk_engine, curve, .load = read_flop_curve, .help = "[GFLOP, efficiency] descending to 0: what work of that size reaches"),
    {.key = NULL},
};
/* clang-format on */

/* Engines by datatype; `target` is (RK_DATATYPES). */
static enum rk_status read_engines(const struct place *place, void *target, struct rk_error *error)
{
    struct rk_engine *engines = target;
    const char *names[RK_DATATYPES + 1] = {NULL};
    for (enum rk_datatype type = 0; type < RK_DATATYPES; type++)
        names[type] = rk_datatype_name(type);
    enum rk_status status = place_need_object(place, error);
    if (status == RK_OK) status = place_need_keys(place, names, error);
    if (status == RK_OK && json_object_size(place->value) == 0)
        return place_fail(place, error, "names no datatype: give one of float8, float16, ...");
    for (enum rk_datatype type = 0; status == RK_OK && type < RK_DATATYPES; type++) {
        struct place engine;
        if (!place_member(place, names[type], &engine)) continue;
        status = fields_load(&engine, engine_fields, &engines[type], error);
        if (status == RK_OK) rk_curve_set_peak(&engines[type].curve, engines[type].peak_flops);
    }
    return status;
}

/* clang-format off */
static const struct field memory_fields[] = {
    NEED("GiB", NUMBER, struct rk_memory, capacity_bytes, .unit = "GiB", .max = 1e15, .help = "capacity"),
    NEED("GBps", NUMBER, struct rk_memory, bandwidth_Bps, .unit = "GB/s", .min = 1e-6, .max = 1e15, .help = "bandwidth"),
    NEED("MB_efficiency", OTHER, struct rk_memory, curve, .load = read_byte_curve, .help = "[MB, efficiency] descending to 0: what a transfer of that size reaches"),
    {.key = NULL},
};
/* clang-format on */

static enum rk_status read_memory(const struct place *place, void *target, struct rk_error *error)
{
    struct rk_memory *memory = target;
    const enum rk_status status = fields_load(place, memory_fields, memory, error);
    if (status != RK_OK) return status;
    snprintf(memory->name, sizeof memory->name, "%s", place->key);
    rk_curve_set_peak(&memory->curve, memory->bandwidth_Bps);
    return RK_OK;
}

/* [scale, offset]; a message from rank to rank has the offset null. */
static enum rk_status read_collective(const struct place *place, enum rk_collective collective,
                                      struct rk_network *network, struct rk_error *error)
{
    static const struct field scale = {.type = FIELD_NUMBER, .min = 1e-6, .max = 1e6};
    static const struct field offset = {.type = FIELD_NUMBER, .min = -2, .max = 1e6};
    enum rk_status status = place_need_array(place, 2, 2, error);
    if (status != RK_OK) return status;
    const struct place first = place_element(place, 0), second = place_element(place, 1);
    status = field_load(&first, &scale, &network->collective[collective].scale, error);
    if (status != RK_OK) return status;
    network->collective[collective].offset = 0;
    if (collective != RK_POINT_TO_POINT)
        return field_load(&second, &offset, &network->collective[collective].offset, error);
    if (!json_is_null(second.value))
        return place_fail(&second, error, "must be null: p2p has no offset");
    return RK_OK;
}

static enum rk_status read_collectives(const struct place *place, void *target,
                                       struct rk_error *error)
{
    static const char *const names[] = {[RK_POINT_TO_POINT] = "p2p",
                                        [RK_REDUCE_SCATTER] = "reduce_scatter",
                                        [RK_ALL_GATHER] = "all_gather",
                                        [RK_ALL_REDUCE] = "all_reduce",
                                        [RK_COLLECTIVES] = NULL};
    enum rk_status status = place_need_object(place, error);
    if (status == RK_OK) status = place_need_keys(place, names, error);
    for (enum rk_collective c = 0; status == RK_OK && c < RK_COLLECTIVES; c++) {
        struct place operation;
        if (!place_member(place, names[c], &operation))
            status = place_fail(place, error, "the key \"%s\" is missing", names[c]);
        else
            status = read_collective(&operation, c, target, error);
    }
    return status;
}

/* clang-format off */
static const struct field network_fields[] = {
    NEED("bandwidth", NUMBER, struct rk_network, bandwidth_Bps, .unit = "GB/s", .min = 1e-6, .max = 1e15, .help = "of a rank in one direction"),
    NEED("efficiency", NUMBER, struct rk_network, efficiency, .min = 1e-6, .max = 1, .help = "share of the bandwidth that is reached"),
    NEED("size", COUNT, struct rk_network, size, .min = 1, .help = "ranks that one domain joins"),
    NEED("latency", NUMBER, struct rk_network, latency_s, .unit = "s", .max = 1e6, .help = "of one operation"),
    {.key = "ops", .type = FIELD_OTHER, .need = FIELD_REQUIRED, .load = read_collectives, /* of the whole network */ .help = "[scale, offset] of p2p, reduce_scatter, all_gather, all_reduce"},
    NEED("must_be_filled", BOOL, struct rk_network, must_be_filled, .help = "a parallelism must divide the size"),
    NEED("processor_usage", NUMBER, struct rk_network, processor_usage, .max = 1, .below_max = true, .help = "share of the engines that driving it costs"),
    {.key = NULL},
};
/* clang-format on */

static enum rk_status read_networks(const struct place *place, void *target, struct rk_error *error)
{
    struct rk_system *system = target;
    enum rk_status status = place_need_array(place, 1, MOST_CALCULON_NETWORKS, error);
    if (status != RK_OK) return status;
    const size_t count = json_array_size(place->value);
    system->network = calloc(count, sizeof *system->network);
    if (!system->network) return no_memory(error);
    system->networks = (int)count;
    for (size_t i = 0; status == RK_OK && i < count; i++) {
        const struct place network = place_element(place, i);
        status = fields_load(&network, network_fields, &system->network[i], error);
        snprintf(system->network[i].name, sizeof system->network[i].name, "tier%zu", i);
    }
    return status;
}

/* Where the memories go before they are a list. */
struct system_file {
    struct rk_system system; /* first: read_networks() gets it at offset 0 */
    struct rk_memory memory[2];
};

static const char *const processing_modes[] = {
    [RK_NO_OVERLAP] = "no_overlap", [RK_ROOFLINE] = "roofline", NULL};

/* clang-format off */
static const struct field system_fields[] = {
    NEED("matrix", OTHER, struct system_file, system.matrix, .load = read_engines, .help = "engine of matrix multiplications, by datatype"),
    NEED("vector", OTHER, struct system_file, system.vector, .load = read_engines, .help = "engine of everything else, by datatype"),
    NEED("mem1", OTHER, struct system_file, memory[0], .load = read_memory, .help = "memory of the accelerator itself"),
    NEED("mem2", OTHER, struct system_file, memory[1], .load = read_memory, .help = "memory to offload to; 0 GiB: there is none"),
    NEED("processing_mode", CHOICE, struct system_file, system.processing, .choices = processing_modes, .help = "how engine time and memory time of an operation make its time"),
    NEED("networks", OTHER, struct system_file, system, .load = read_networks, .help = "tiers, the innermost first"),
    {.key = NULL},
};
/* clang-format on */

static enum rk_status check_memory(const struct place *root, const struct rk_memory *memory,
                                   struct rk_error *error)
{
    struct place first, capacity;
    if (memory->capacity_bytes > 0) return RK_OK;
    place_member(root, "mem1", &first);
    place_member(&first, "GiB", &capacity);
    return place_fail(&capacity, error, "must be > 0");
}

enum rk_status calculon_parse_system(const struct document *document, struct rk_system *system,
                                     struct rk_error *error)
{
    struct system_file read;
    memset(&read, 0, sizeof read);
    const struct place root = place_root(document);
    enum rk_status status = fields_load(&root, system_fields, &read, error);
    if (status == RK_OK) status = check_memory(&root, &read.memory[0], error);
    if (status == RK_OK) {
        read.system.memory = malloc(sizeof read.memory);
        if (!read.system.memory)
            status = rk_fail(error, RK_NO_MEMORY, document->path, 0, 0, "out of memory");
    }
    if (status != RK_OK) {
        rk_system_release(&read.system);
        return status;
    }
    memcpy(read.system.memory, read.memory, sizeof read.memory);
    read.system.memories = 2;
    name_of(read.system.id, sizeof read.system.id, document->path);
    *system = read.system;
    return RK_OK;
}

enum rk_status calculon_read_system(const char *path, struct rk_system *system,
                                    struct rk_error *error)
{
    struct document document = {.text = NULL};
    enum rk_status status = document_load(path, &document, error);
    if (status == RK_OK) status = calculon_parse_system(&document, system, error);
    document_release(&document);
    return status;
}

void calculon_drop_absent_memory(struct rk_system *system)
{
    if (system->memories == 2 && system->memory[1].capacity_bytes == 0) system->memories = 1;
}
