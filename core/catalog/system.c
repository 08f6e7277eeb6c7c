/* system.c - system files, reckon-system(5). */
#include "base/limits.h"
#include "base/memory.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/drives.h"
#include "catalog/hosts.h"
#include "catalog/kernels.h"
#include "catalog/readers.h"
#include "text/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const processings[] = {
    [RK_NO_OVERLAP] = "no_overlap", [RK_ROOFLINE] = "roofline", NULL};

/* ---- efficiency curves: [[from, efficiency], ...] ---- */

static enum rk_status load_step(const struct place *place, const char *unit, double *from,
                                double *efficiency, struct rk_error *error)
{
    const struct field from_field = {.type = FIELD_NUMBER, .unit = unit};
    const struct field efficiency_field = {.type = FIELD_NUMBER, .above_min = true, .max = 1};
    enum rk_status status = place_need_array(place, 2, 2, error);
    if (status != RK_OK) return status;
    const struct place first = place_element(place, 0), second = place_element(place, 1);
    status = field_load(&first, &from_field, from, error);
    return status == RK_OK ? field_load(&second, &efficiency_field, efficiency, error) : status;
}

static enum rk_status load_curve(const struct place *place, const char *unit,
                                 struct rk_curve *curve, struct rk_error *error)
{
    enum rk_status status = place_need_array(place, 1, RK_CURVE_STEPS, error);
    if (status != RK_OK) return status;
    curve->steps = (int)json_array_size(place->value);
    for (int i = 0; i < curve->steps; i++) {
        const struct place step = place_element(place, (size_t)i);
        double from = 0, efficiency = 0;
        status = load_step(&step, unit, &from, &efficiency, error);
        if (status != RK_OK) return status;
        if (i > 0 && from >= curve->step[i - 1].from)
            return place_fail(&step, error, "the steps must descend: put the largest size first");
        if (i == curve->steps - 1 && from != 0)
            return place_fail(&step, error,
                              "the last step must start at 0, so that every size has one");
        curve->step[i].from = from;
        curve->step[i].efficiency = efficiency;
    }
    return RK_OK;
}

static enum rk_status load_flop_curve(const struct place *place, void *curve,
                                      struct rk_error *error)
{
    return load_curve(place, "GFLOP", curve, error);
}

static enum rk_status load_byte_curve(const struct place *place, void *curve,
                                      struct rk_error *error)
{
    return load_curve(place, "MB", curve, error);
}

/* ---- engines ---- */

#define AT(type, member) .offset = offsetof(struct type, member)

/* clang-format off */
static const struct field engine_fields[] = {
    { "peak_TFLOPps",          FIELD_NUMBER, FIELD_REQUIRED, "TFLOP/s", AT(rk_engine, peak_flops), .above_min = true, .help = "dense peak rate" },
    { "efficiency_from_GFLOP", FIELD_OTHER,  AT(rk_engine, curve), .load = load_flop_curve, .help = "achieved share of the peak by size of the operation" },
    { "source",                FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};
/* clang-format on */

static enum rk_status load_engine(const struct place *place, void *engine, struct rk_error *error)
{
    return fields_load(place, engine_fields, engine, error);
}

/* The engines of one kind, and the curve of those that have none of their own. */
struct engine_group {
    struct rk_engine engine[RK_DATATYPES];
    struct rk_curve shared;
};

#define ENGINE(name, datatype)                                                                     \
    {                                                                                              \
        name, FIELD_OTHER, AT(engine_group, engine[datatype]),                                     \
            .load = load_engine, .help = "rate with operands of this type"                         \
    }

/* clang-format off */
static const struct field group_fields[] = {
    ENGINE("float8", RK_FLOAT8),
    ENGINE("float16", RK_FLOAT16),
    ENGINE("bfloat16", RK_BFLOAT16),
    ENGINE("float32", RK_FLOAT32),
    { "efficiency_from_GFLOP", FIELD_OTHER,  AT(engine_group, shared), .load = load_flop_curve, .help = "... for all datatypes that do not say" },
    { "source",                FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};
/* clang-format on */

static enum rk_status finish_engine(const struct place *place, enum rk_datatype datatype,
                                    struct engine_group *group, struct rk_error *error)
{
    struct rk_engine *engine = &group->engine[datatype];
    struct place member;
    if (!place_member(place, rk_datatype_name(datatype), &member)) return RK_OK;
    if (!engine->curve.steps) engine->curve = group->shared;
    if (!engine->curve.steps)
        return place_fail(&member, error,
                          "no efficiency: add \"efficiency_from_GFLOP\" here or to the group");
    rk_curve_set_peak(&engine->curve, engine->peak_flops);
    return RK_OK;
}

static enum rk_status load_engines(const struct place *place, void *engines, struct rk_error *error)
{
    struct engine_group group = {0};
    int found = 0;
    enum rk_status status = fields_load(place, group_fields, &group, error);
    for (int datatype = 0; status == RK_OK && datatype < RK_DATATYPES; datatype++) {
        status = finish_engine(place, (enum rk_datatype)datatype, &group, error);
        found += group.engine[datatype].curve.steps > 0;
    }
    if (status == RK_OK && !found)
        status = place_fail(place, error, "no datatype: add \"float16\" or another one");
    if (status == RK_OK) memcpy(engines, group.engine, sizeof group.engine);
    return status;
}

/* ---- memories ---- */

/* clang-format off */
static const struct field memory_fields[] = {
    { "name",               FIELD_TEXT,   AT(rk_memory, name), .size = sizeof ((struct rk_memory *)0)->name, .help = "HBM3, host, ..." },
    { "capacity_GiB",       FIELD_NUMBER, FIELD_REQUIRED, "GiB",  AT(rk_memory, capacity_bytes), .above_min = true, .unlimited = true, .help = "size" },
    { "bandwidth_GBps",     FIELD_NUMBER, FIELD_REQUIRED, "GB/s", AT(rk_memory, bandwidth_Bps),  .above_min = true, .unlimited = true, .help = "peak rate, reads and writes together" },
    { "efficiency_from_MB", FIELD_OTHER,  FIELD_REQUIRED, AT(rk_memory, curve), .load = load_byte_curve, .help = "achieved share of the bandwidth by size of the transfer" },
    { "read_GBps",          FIELD_NUMBER, FIELD_OPTIONAL, "GB/s", AT(rk_memory, read_Bps), .above_min = true, .help = "rate of reads alone; default bandwidth_GBps" },
    { "write_GBps",         FIELD_NUMBER, FIELD_OPTIONAL, "GB/s", AT(rk_memory, write_Bps), .above_min = true, .help = "rate of writes alone, sustained; default bandwidth_GBps" },
    { "latency_us",         FIELD_NUMBER, FIELD_OPTIONAL, "us", AT(rk_memory, latency_s), .help = "of a request" },
    { "update_GBps",        FIELD_NUMBER, FIELD_OPTIONAL, "GB/s", AT(rk_memory, update_Bps), .above_min = true, .help = "memory bandwidth of the host's processors, where they step an optimizer, an accelerator's part; default: that of the accelerator's host in data/hosts.json, else free" },
    { "endurance_PB",       FIELD_NUMBER, FIELD_OPTIONAL, "PB", AT(rk_memory, endurance_bytes), .above_min = true, .help = "bytes that its drives are rated to be written; default: no limit" },
    { "rated_amplification", FIELD_NUMBER, AT(rk_memory, rated_amplification), .help = "write amplification of the rating; 0: 1" },
    { "write_amplification", FIELD_NUMBER, AT(rk_memory, write_amplification), .help = "write amplification of large blocks; 0: 1" },
    { "retention_gain",     FIELD_NUMBER, AT(rk_memory, retention_gain), .help = "how much more can be written when data last a day; 0: 1" },
    { "price_USD",          FIELD_NUMBER, AT(rk_memory, price_USD), .help = "price of an accelerator's part; 0: not known" },
    { "through_host",       FIELD_NUMBER, AT(rk_memory, through_host), .max = 1, .help = "share of its bytes that cross the second memory's link, too; 0: GPUDirect Storage" },
    { "capacity_shared_by",  FIELD_COUNT, AT(rk_memory, capacity_shared_by), .min = 1, .help = "accelerators that share its capacity, endurance, price and update rate; default: each has its own" },
    { "bandwidth_shared_by", FIELD_COUNT, AT(rk_memory, bandwidth_shared_by), .min = 1, .help = "accelerators that share its rates; default: each has its own" },
    { "source",             FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};

/* A tier of drives says which, how many, and how they are put together. */
struct drive_tier {
    struct drive_array array;
    uint64_t capacity_shared_by, bandwidth_shared_by;
};

static const struct field drive_fields[] = {
    { "drive",               FIELD_TEXT,   FIELD_REQUIRED, AT(drive_tier, array.drive), .size = sizeof ((struct drive_array *)0)->drive, .help = "a drive of data/drives" },
    { "drives",              FIELD_COUNT,  FIELD_REQUIRED, AT(drive_tier, array.drives), .min = 1, .max = 1024, .help = "of one accelerator, or of those that share them" },
    { "raid",                FIELD_CHOICE, AT(drive_tier, array.raid), .choices = raid_names, .help = "default 0, striped" },
    { "through_host",        FIELD_BOOL,   AT(drive_tier, array.through_host), .help = "bytes go through host memory, not by GPUDirect Storage" },
    { "write_amplification", FIELD_NUMBER, AT(drive_tier, array.write_amplification), .min = 1, .preset = 1, .help = "of large blocks" },
    { "retention_gain",      FIELD_NUMBER, AT(drive_tier, array.retention_gain), .help = "how much more can be written when data last a day; default: the drive's, 1 or more" },
    { "capacity_shared_by",  FIELD_COUNT, AT(drive_tier, capacity_shared_by), .min = 1, .help = "accelerators that share its capacity, endurance and price; default: each has its own" },
    { "bandwidth_shared_by", FIELD_COUNT, AT(drive_tier, bandwidth_shared_by), .min = 1, .help = "accelerators that share its rates; default: each has its own" },
    { "source",              FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};
/* clang-format on */

static enum rk_status load_drives(const struct place *place, struct rk_memory *memory,
                                  struct rk_error *error)
{
    struct drive_tier tier;
    struct rk_error inner;
    memset(&tier, 0, sizeof tier);
    enum rk_status status = fields_load(place, drive_fields, &tier, error);
    if (status != RK_OK) return status;
    if (tier.array.retention_gain > 0 && tier.array.retention_gain < 1)
        return place_fail(place, error, "retention_gain: must be at least 1");
    status = drive_array_memory(&tier.array, memory, &inner);
    if (status == RK_BAD_INPUT || status == RK_BAD_ARGUMENT) {
        if (!inner.path[0]) return place_fail(place, error, "%s", inner.text);
    }
    if (status != RK_OK) {
        if (error) *error = inner;
        return status;
    }
    memory->capacity_shared_by = tier.capacity_shared_by;
    memory->bandwidth_shared_by = tier.bandwidth_shared_by;
    return RK_OK;
}

void memory_init(struct rk_memory *memory, int index)
{
    *memory = (struct rk_memory){.curve = {.steps = 1, .step = {{.from = 0, .efficiency = 1}}}};
    if (index)
        snprintf(memory->name, sizeof memory->name, "mem%d", index + 1);
    else
        snprintf(memory->name, sizeof memory->name, "hbm");
}

/* The first memory is not shared. */
static enum rk_status refuse_shared(const struct place *place, struct rk_error *error)
{
    static const char *const keys[] = {"capacity_shared_by", "bandwidth_shared_by"};
    struct place member;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (place_member(place, keys[i], &member))
            return place_fail(
                &member, error,
                "the first memory is not shared by accelerators: remove it, or give it "
                "to a lower one");
    return RK_OK;
}

static enum rk_status load_memory(const struct place *place, int index, struct rk_memory *memory,
                                  struct rk_error *error)
{
    struct place drive;
    memory_init(memory, index);
    if (index && place_member(place, "drive", &drive)) return load_drives(place, memory, error);
    const enum rk_status status = fields_load(place, memory_fields, memory, error);
    rk_curve_set_peak(&memory->curve, memory->bandwidth_Bps);
    return status == RK_OK && !index ? refuse_shared(place, error) : status;
}

/* ---- networks ---- */

struct collective {
    double scale, offset;
};

/* clang-format off */
static const struct field collective_fields[] = {
    { "scale",  FIELD_NUMBER, FIELD_REQUIRED, AT(collective, scale),  .above_min = true, .help = "bytes that cross the network per byte of the operation" },
    { "offset", FIELD_NUMBER, AT(collective, offset), .min = -1, .help = "c in scale * (1 + c / ranks); a ring has -1" },
    { .key = NULL },
};
/* clang-format on */

static enum rk_status load_collective(const struct place *place, void *target,
                                      struct rk_error *error)
{
    struct collective read;
    const enum rk_status status = fields_load(place, collective_fields, &read, error);
    if (status == RK_OK) memcpy(target, &read, sizeof read);
    return status;
}

#define COLLECTIVE(op)                                                                             \
    FIELD_OTHER, .offset = (op) * sizeof(struct collective), .load = load_collective,              \
                 .help = "volume: scale and offset"

static const struct field collectives_fields[] = {
    {"point_to_point", COLLECTIVE(RK_POINT_TO_POINT)},
    {"reduce_scatter", COLLECTIVE(RK_REDUCE_SCATTER)},
    {"all_gather", COLLECTIVE(RK_ALL_GATHER)},
    {"all_reduce", COLLECTIVE(RK_ALL_REDUCE)},
    {.key = NULL},
};

static enum rk_status load_collectives(const struct place *place, void *target,
                                       struct rk_error *error)
{
    struct place message;
    struct collective table[RK_COLLECTIVES];
    memcpy(table, target, sizeof table);
    const enum rk_status status = fields_load(place, collectives_fields, table, error);
    if (status != RK_OK) return status;
    if (table[RK_POINT_TO_POINT].offset != 0) {
        place_member(place, "point_to_point", &message);
        return place_fail(&message, error, "a message has two ends: remove \"offset\"");
    }
    memcpy(target, table, sizeof table);
    return RK_OK;
}

static enum rk_status load_link(const struct place *place, void *link, struct rk_error *error)
{
    return fields_load(place, link_fields, link, error);
}

/* clang-format off */
static const struct field network_fields[] = {
    { "name",            FIELD_TEXT,   AT(rk_network, name), .size = sizeof ((struct rk_network *)0)->name, .help = "NVLink, InfiniBand, ..." },
    { "bandwidth_GBps",  FIELD_NUMBER, FIELD_REQUIRED, "GB/s", AT(rk_network, bandwidth_Bps), .above_min = true, .unlimited = true, .help = "peak rate per accelerator and direction" },
    { "efficiency",      FIELD_NUMBER, FIELD_REQUIRED, AT(rk_network, efficiency), .above_min = true, .max = 1, .help = "achieved share of the bandwidth" },
    { "latency_us",      FIELD_NUMBER, FIELD_REQUIRED, "us", AT(rk_network, latency_s), .help = "time of an operation besides its bytes" },
    { "size",            FIELD_COUNT,  FIELD_REQUIRED, AT(rk_network, size), .min = 1, .help = "accelerators that one domain joins" },
    { "must_be_filled",  FIELD_BOOL,   AT(rk_network, must_be_filled), .help = "parallelism on it must divide the size" },
    { "processor_usage", FIELD_NUMBER, AT(rk_network, processor_usage), .max = 1, .below_max = true, .help = "share of the engines that driving it costs" },
    { "collectives",     FIELD_OTHER,  AT(rk_network, collective), .load = load_collectives, .help = "volumes of operations; default: rings" },
    { "link",            FIELD_OTHER,  AT(rk_network, link), .load = load_link, .help = "what collectives of predictions meet" },
    { "source",          FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};
/* clang-format on */

/* Volumes of ring algorithms, which no other one undercuts [patarasuk2009]; a step within a node
 * and across a network as NCCL's tuner has them, rounded. */
void network_init(struct rk_network *network, int index)
{
    *network = (struct rk_network){
        .efficiency = 1,
        .collective = {[RK_POINT_TO_POINT] = {1, 0},
                       [RK_REDUCE_SCATTER] = {1, -1},
                       [RK_ALL_GATHER] = {1, -1},
                       [RK_ALL_REDUCE] = {2, -1}},
        .link = {.hop_s = index ? 5e-6 : 2e-6},
    };
    snprintf(network->name, sizeof network->name, "net%d", index);
}

static enum rk_status load_network(const struct place *place, int index, struct rk_network *network,
                                   struct rk_error *error)
{
    network_init(network, index);
    return fields_load(place, network_fields, network, error);
}

/* ---- lists of tiers ---- */

static enum rk_status allocate_tiers(const struct place *place, size_t most, size_t size,
                                     void **tiers, int *count, struct rk_error *error)
{
    const enum rk_status status = place_need_array(place, 1, most, error);
    if (status != RK_OK) return status;
    *count = (int)json_array_size(place->value);
    *tiers = calloc((size_t)*count, size);
    return *tiers ? RK_OK : no_memory(error);
}

/* At the start of a struct rk_system that owns what is allocated, also on failure. */
static enum rk_status load_memories(const struct place *place, void *target, struct rk_error *error)
{
    struct rk_system *system = target;
    void *tiers = NULL;
    enum rk_status status = allocate_tiers(place, MOST_MEMORIES, sizeof *system->memory, &tiers,
                                           &system->memories, error);
    system->memory = tiers;
    for (int i = 0; status == RK_OK && i < system->memories; i++) {
        const struct place element = place_element(place, (size_t)i);
        status = load_memory(&element, i, &system->memory[i], error);
    }
    return status;
}

static enum rk_status load_networks(const struct place *place, void *target, struct rk_error *error)
{
    struct rk_system *system = target;
    void *tiers = NULL;
    enum rk_status status = allocate_tiers(place, RK_MAX_NETWORKS, sizeof *system->network, &tiers,
                                           &system->networks, error);
    system->network = tiers;
    for (int i = 0; status == RK_OK && i < system->networks; i++) {
        const struct place element = place_element(place, (size_t)i);
        status = load_network(&element, i, &system->network[i], error);
    }
    return status;
}

/* ---- the whole ---- */

/* Its loader needs to know the depth: see read_kernels. */
static enum rk_status load_kernels(const struct place *place, void *system, struct rk_error *error)
{
    (void)system;
    return place_need_object(place, error);
}

/* clang-format off */
static const struct field system_fields[] = {
    { "name",        FIELD_TEXT,   .help = "what people call it" },
    { "description", FIELD_TEXT,   .help = "a sentence or two" },
    { "devices",     FIELD_COUNT,  AT(rk_system, devices),    .help = "accelerators there are; 0: as many as asked for" },
    { "processing",  FIELD_CHOICE, AT(rk_system, processing), .choices = processings, .help = "how engine and memory time add up" },
    { "matrix",      FIELD_OTHER,  FIELD_REQUIRED, AT(rk_system, matrix), .load = load_engines, .help = "engine of the matrix products" },
    { "vector",      FIELD_OTHER,  FIELD_REQUIRED, AT(rk_system, vector), .load = load_engines, .help = "engine of everything else" },
    { "memory",      FIELD_OTHER,  FIELD_REQUIRED, .load = load_memories, .help = "list of memories, the nearest first" },
    { "network",     FIELD_OTHER,  FIELD_REQUIRED, .load = load_networks, .help = "list of networks, the innermost first" },
    { "kernels",     FIELD_OTHER,  .load = load_kernels, .help = "constants of its kernels, for predictions" },
    { "busy",        FIELD_OTHER,  .load = load_kernels, .help = "the kernels while several accelerators of a node compute at once, each slower than alone; runs on fewer take values in between" },
    { "source",      FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};

struct alias {
    char synthetic[512];
};

static const struct field alias_fields[] = {
    { "name",        FIELD_TEXT,   .help = "what people call it" },
    { "description", FIELD_TEXT,   .help = "a sentence or two" },
    { "synthetic",   FIELD_TEXT,   FIELD_REQUIRED, .size = sizeof ((struct alias *)0)->synthetic, .help = "the system in one line" },
    { "source",      FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};
/* clang-format on */

static enum rk_status check_datatypes(const struct place *root, const struct rk_system *system,
                                      struct rk_error *error)
{
    for (int datatype = 0; datatype < RK_DATATYPES; datatype++) {
        struct place vector;
        if (!system->matrix[datatype].curve.steps || system->vector[datatype].curve.steps) continue;
        place_member(root, "vector", &vector);
        return place_fail(&vector, error, "no \"%s\", which \"matrix\" has: add it",
                          rk_datatype_name((enum rk_datatype)datatype));
    }
    return RK_OK;
}

/* A file that holds one line of text, at depth more than the last one. */
static enum rk_status read_alias(const struct place *root, int depth, struct rk_system *system,
                                 struct rk_error *error)
{
    struct alias alias = {{0}};
    struct place text;
    struct rk_error inner;
    enum rk_status status = fields_load(root, alias_fields, &alias, error);
    if (status != RK_OK) return status;
    place_member(root, "synthetic", &text);
    if (depth >= SYSTEM_MAX_DEPTH)
        return place_fail(&text, error, "systems that name each other %d times: is it a circle?",
                          SYSTEM_MAX_DEPTH);
    status = synthetic_read(alias.synthetic, depth + 1, system, &inner);
    if (status == RK_BAD_ARGUMENT)
        return place_fail(&text, error, "at column %d of the text: %s", inner.column, inner.text);
    if (status != RK_OK && error) *error = inner;
    return status;
}

static enum rk_status read_kernels(const struct place *root, int depth, struct rk_system *system,
                                   struct rk_error *error)
{
    struct place kernels;
    fields_preset(kernels_fields, &system->kernels);
    if (!place_member(root, "kernels", &kernels)) return RK_OK;
    return kernels_read(&kernels, depth, &system->kernels, error);
}

/* clang-format off */
static const struct field busy_fields[] = {
    { "devices", FIELD_COUNT, FIELD_REQUIRED, AT(rk_system, busy_devices), .min = 2, .help = "accelerators of a node that compute at once" },
    { "kernels", FIELD_OTHER, FIELD_REQUIRED, .load = load_kernels, .help = "those constants of kernels that are others then" },
    { "source",  FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};
/* clang-format on */

/* What of the kernels is another thing while others of a node compute. */
static enum rk_status read_busy(const struct place *root, struct rk_system *system,
                                struct rk_error *error)
{
    struct place busy, kernels;
    system->busy = system->kernels;
    system->busy_devices = 0;
    if (!place_member(root, "busy", &busy)) return RK_OK;
    const enum rk_status status = fields_load(&busy, busy_fields, system, error);
    if (status != RK_OK || !place_member(&busy, "kernels", &kernels)) return status;
    return kernels_change(&kernels, &system->busy, error);
}

static enum rk_status read_full(const struct place *root, int depth, struct rk_system *system,
                                struct rk_error *error)
{
    enum rk_status status = fields_load(root, system_fields, system, error);
    if (status == RK_OK) status = check_datatypes(root, system, error);
    if (status == RK_OK) status = read_kernels(root, depth, system, error);
    if (status == RK_OK) status = read_busy(root, system, error);
    if (status != RK_OK) rk_system_release(system);
    return status;
}

enum rk_status system_read(const struct document *document, const char *id, int depth,
                           struct rk_system *system, struct rk_error *error)
{
    const struct place root = place_root(document);
    struct place synthetic;
    struct rk_system read = {0};
    const enum rk_status status = place_member(&root, "synthetic", &synthetic)
                                      ? read_alias(&root, depth, &read, error)
                                      : read_full(&root, depth, &read, error);
    if (status != RK_OK) return status;
    snprintf(read.id, sizeof read.id, "%s", id);
    text_make_name(read.id);
    *system = read;
    return RK_OK;
}

enum rk_status system_load(const char *name, int depth, struct rk_system *system,
                           struct rk_error *error)
{
    struct document document = {0};
    char id[sizeof system->id];
    if (catalog_form(CATALOG_SYSTEMS, name) == CATALOG_SYNTHETIC)
        return synthetic_read(name, depth, system, error);
    enum rk_status status = catalog_open(CATALOG_SYSTEMS, name, &document, id, sizeof id, error);
    if (status == RK_OK) status = system_read(&document, id, depth, system, error);
    document_release(&document);
    return status;
}

/* ---- what accelerators share ---- */

/* Fewer than share it when the system has no more. */
static double sharers(uint64_t *shared_by, uint64_t devices)
{
    if (devices && *shared_by > devices) *shared_by = devices;
    return *shared_by ? (double)*shared_by : 1;
}

/* From what there is to the part of each, while all of them work. */
static void divide_memory(struct rk_memory *memory, uint64_t devices)
{
    const double holders = sharers(&memory->capacity_shared_by, devices);
    const double users = sharers(&memory->bandwidth_shared_by, devices);
    memory->capacity_bytes /= holders;
    memory->endurance_bytes /= holders;
    memory->price_USD /= holders;
    memory->update_Bps /= holders;
    memory->bandwidth_Bps /= users;
    memory->read_Bps /= users;
    memory->write_Bps /= users;
    rk_curve_set_peak(&memory->curve, memory->bandwidth_Bps);
}

/* Whoever states the memory of a host states no other processors than those that are assumed. */
static void take_processors(struct rk_system *system)
{
    struct host host;
    if (system->memories < 2 || system->memory[1].update_Bps > 0 ||
        system->memory[1].endurance_bytes > 0 || !host_listed(system, &host))
        return;
    system->memory[1].update_Bps = host.node_Bps / (double)host.accelerators;
}

enum rk_status rk_system_load(const char *name, struct rk_system *system, struct rk_error *error)
{
    const enum rk_status status = system_load(name, 0, system, error);
    for (int i = 1; status == RK_OK && i < system->memories; i++)
        divide_memory(&system->memory[i], system->devices);
    if (status == RK_OK) take_processors(system);
    return status;
}
