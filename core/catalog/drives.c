#include "catalog/drives.h"
#include "catalog/catalog.h"
#include "text/fields.h"

#include <stdio.h>

const char *const raid_names[] = {
    [RAID_0] = "0", [RAID_1] = "1", [RAID_5] = "5", [RAID_10] = "10", [RAIDS] = NULL};

#define AT(member) .offset = offsetof(struct drive, member)

/* clang-format off */
static const struct field drive_fields[] = {
    { "name",                FIELD_TEXT,   .help = "what people call it" },
    { "description",         FIELD_TEXT,   .help = "a sentence or two" },
    { "capacity_TB",         FIELD_NUMBER, FIELD_REQUIRED, "TB",   AT(capacity_bytes), .above_min = true, .help = "size" },
    { "read_GBps",           FIELD_NUMBER, FIELD_REQUIRED, "GB/s", AT(read_Bps), .above_min = true, .help = "sequential reads" },
    { "write_GBps",          FIELD_NUMBER, FIELD_REQUIRED, "GB/s", AT(write_Bps), .above_min = true, .help = "sequential writes, sustained where that is known" },
    { "latency_us",          FIELD_NUMBER, FIELD_OPTIONAL, "us",   AT(latency_s), .help = "of a write" },
    { "endurance_PB",        FIELD_NUMBER, FIELD_REQUIRED, "PB",   AT(endurance_bytes), .above_min = true, .help = "bytes that it is rated to be written" },
    { "rated_amplification", FIELD_NUMBER, AT(rated_amplification), .min = 1, .preset = 1, .help = "write amplification of the rating's workload; default 1: no more can be written in large blocks" },
    { "retention_gain",      FIELD_NUMBER, AT(retention_gain), .min = 1, .preset = 1, .help = "how much more can be written when data need to last a day, not the years of the rating; default 1: not known" },
    { "price_USD",           FIELD_NUMBER, AT(price_USD), .help = "price; 0: not known" },
    { "source",              FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};
/* clang-format on */

enum rk_status drive_load(const char *name, struct drive *drive, struct rk_error *error)
{
    struct document document = {.size = 0};
    struct drive read;
    char id[64];
    enum rk_status status = catalog_open(CATALOG_DRIVES, name, &document, id, sizeof id, error);
    if (status != RK_OK) return status;
    const struct place root = place_root(&document);
    status = fields_load(&root, drive_fields, &read, error);
    document_release(&document);
    if (status == RK_OK) *drive = read;
    return status;
}

/* Of n drives, how many hold what is written. */
static double holding(enum raid raid, double n)
{
    return raid == RAID_0 ? n : raid == RAID_5 ? n - 1 : n / 2;
}

static enum rk_status check_array(const struct drive_array *array, struct rk_error *error)
{
    static const char *const wants[RAIDS] = {"1 drive or more", "2 drives", "3 drives or more",
                                             "an even number of drives, 4 or more"};
    const uint64_t n = array->drives;
    const bool holds[RAIDS] = {n >= 1, n == 2, n >= 3, n >= 4 && n % 2 == 0};
    if (holds[array->raid]) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "raid %s takes %s, got %llu",
                   raid_names[array->raid], wants[array->raid], (unsigned long long)n);
}

enum rk_status drive_array_memory(const struct drive_array *array, struct rk_memory *memory,
                                  struct rk_error *error)
{
    struct drive drive = {0};
    enum rk_status status = drive_load(array->drive, &drive, error);
    if (status == RK_OK) status = check_array(array, error);
    if (status != RK_OK) return status;
    const double n = (double)array->drives, held = holding(array->raid, n);
    snprintf(memory->name, sizeof memory->name, "%dx %.24s", (int)array->drives, array->drive);
    memory->capacity_bytes = held * drive.capacity_bytes;
    memory->read_Bps = n * drive.read_Bps;
    memory->write_Bps = held * drive.write_Bps;
    memory->bandwidth_Bps = memory->write_Bps;
    memory->latency_s = drive.latency_s;
    memory->endurance_bytes = held * drive.endurance_bytes;
    memory->rated_amplification = drive.rated_amplification;
    memory->write_amplification = array->write_amplification > 0 ? array->write_amplification : 1;
    memory->retention_gain =
        array->retention_gain > 0 ? array->retention_gain : drive.retention_gain;
    memory->price_USD = n * drive.price_USD;
    memory->through_host = array->through_host;
    memory->curve = (struct rk_curve){.steps = 1, .step = {{0, 1, 0}}};
    rk_curve_set_peak(&memory->curve, memory->bandwidth_Bps);
    return RK_OK;
}
