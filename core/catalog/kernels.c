#include "catalog/kernels.h"

#include "base/text.h"
#include "base/units.h"
#include "catalog/catalog.h"
#include "catalog/rates.h"
#include "catalog/readers.h"
#include "plan/names.h"

#include <math.h>
#include <reckon/catalog.h>
#include <stdio.h>
#include <string.h>

#define AT(type, member) .offset = offsetof(struct type, member)
#define SHARE(member)    FIELD_NUMBER, AT(rk_kernels, member), .above_min = true, .max = 1

/* The presets are round figures near those of the catalog's A100 and H100. */
/* clang-format off */
const struct field kernels_fields[] = {
    { "like",                        FIELD_TEXT,   .help = "id or path of the system whose kernels these are but for the other keys" },
    { "host_accelerators",           FIELD_COUNT,  AT(rk_kernels, host_accelerators), .help = "accelerators of a host, which fail and are spared together; 0: those of the innermost network" },
    { "multiprocessors",             FIELD_COUNT,  AT(rk_kernels, multiprocessors), .min = 1, .preset = 120, .help = "units that run tiles of a matrix product at the same time" },
    { "tile_m",                      FIELD_COUNT,  AT(rk_kernels, tile_m), .min = 16, .max = 65536, .preset = 128, .help = "rows of the largest tile" },
    { "tile_n",                      FIELD_COUNT,  AT(rk_kernels, tile_n), .min = 16, .max = 65536, .preset = 256, .help = "columns of the largest tile" },
    { "float4_TFLOPps",              FIELD_NUMBER, .unit = "TFLOP/s", AT(rk_kernels, float4_FLOPps), .help = "dense peak of 4-bit operands; 0: none" },
    { "int8_TFLOPps",                FIELD_NUMBER, .unit = "TFLOP/s", AT(rk_kernels, int8_FLOPps), .help = "dense peak of 8-bit integers; 0: none" },
    { "tfloat32_TFLOPps",            FIELD_NUMBER, .unit = "TFLOP/s", AT(rk_kernels, tfloat32_FLOPps), .help = "dense peak of float32 operands rounded to TF32; 0: none" },
    { "matrix_efficiency",           SHARE(matrix_efficiency), .preset = 0.75, .help = "share of the peak of a large product under sustained power" },
    { "narrow_efficiency",           SHARE(narrow_efficiency), .preset = 0.7, .help = "matrix_efficiency of 8-bit operands" },
    { "float4_efficiency",           SHARE(float4_efficiency), .preset = 0.6, .help = "matrix_efficiency of 4-bit operands" },
    { "tile_efficiency",             SHARE(tile_efficiency), .preset = 0.9, .help = "share of a multiprocessor's peak in one tile at full clocks" },
    { "narrow_tile_efficiency",      SHARE(narrow_tile_efficiency), .preset = 0.75, .help = "tile_efficiency of 8-bit and 4-bit operands" },
    { "tile_loss",                   FIELD_NUMBER, AT(rk_kernels, tile_loss), .max = 65536, .preset = 20, .help = "how smaller tiles are slower: 1 + loss * (1/m + 1/n) over that of the largest" },
    { "matrix_k_half",               FIELD_NUMBER, AT(rk_kernels, matrix_k_half), .max = 65536, .preset = 200, .help = "length k at which half of a tile's time is start and end" },
    { "weights_GBps",                FIELD_NUMBER, .unit = "GB/s", AT(rk_kernels, weights_Bps), .max = 1e6, .help = "rate at which a product reads its weights, or adds to their gradients, before it computes; 0: it does both at once" },
    { "attention_forward",           SHARE(attention_efficiency[0]), .preset = 0.6, .help = "share of the peak, FlashAttention-2, head dimension 128, long sequences" },
    { "attention_backward",          SHARE(attention_efficiency[1]), .preset = 0.5, .help = "attention_forward in backward" },
    { "newest_attention_forward",    SHARE(newest_attention_efficiency[0]), .preset = 0.65, .help = "attention_forward of FlashAttention-3 and cuDNN" },
    { "newest_attention_backward",   SHARE(newest_attention_efficiency[1]), .preset = 0.55, .help = "newest_attention_forward in backward" },
    { "attention_dim_half",          FIELD_NUMBER, AT(rk_kernels, attention_dim_half), .max = 65536, .preset = 40, .help = "head dimension at which exponentials take as long as products" },
    { "attention_key_half",          FIELD_NUMBER, AT(rk_kernels, attention_key_half), .max = 65536, .preset = 300, .help = "keys at which half of a tile's time is start and end" },
    { "memory_efficiency",           SHARE(memory_efficiency), .preset = 0.85, .help = "share of the bandwidth of memory 0, large kernels" },
    { "additions_GFLOPps",           FIELD_NUMBER, .unit = "GFLOP/s", AT(rk_kernels, additions_FLOPps), .max = 1e6, .preset = 32, .help = "16-bit elements that kernels add in memory one by one, with atomic operations; 0: as fast as memory is" },
    { "kernel_us",                   FIELD_NUMBER, .unit = "us", AT(rk_kernels, kernel_s), .max = 1e6, .preset = 4, .help = "start and end of a kernel on the device" },
    { "launch_us",                   FIELD_NUMBER, .unit = "us", AT(rk_kernels, launch_s), .max = 1e6, .preset = 50, .help = "of the host to start one kernel" },
    { "sustained",                   SHARE(sustained), .preset = 0.9, .help = "rate of matrix products in a long run over that of an isolated kernel: clocks under the power limit, caches, jitter" },
    { "power_W",                     FIELD_NUMBER, AT(rk_kernels, power_W), .max = 1e6, .help = "power limit of the board; 0: that under which sustained was found" },
    { "sustained_power_W",           FIELD_NUMBER, AT(rk_kernels, sustained_power_W), .max = 1e6, .help = "power limit under which sustained was found; the rate goes with the cube root of power" },
    { "reserve_GiB",                 FIELD_NUMBER, .unit = "GiB", AT(rk_kernels, reserve_bytes), .max = 1024, .preset = 1.5, .help = "context and libraries on the device" },
    { "workspace_MiB",               FIELD_NUMBER, .unit = "MiB", AT(rk_kernels, workspace_bytes), .max = 1048576, .preset = 32, .help = "workspace of a handle of cuBLAS or its like, which the framework allocates" },
    { "engine_workspace_MiB",        FIELD_NUMBER, .unit = "MiB", AT(rk_kernels, engine_workspace_bytes), .max = 1048576, .preset = 32, .help = "workspace of Transformer Engine, in the framework's allocator" },
    { "fragmentation",               FIELD_NUMBER, AT(rk_kernels, fragmentation), .max = 1, .preset = 0.06, .help = "share of the activations that the allocator loses" },
    { "attention_kernels",           FIELD_SET,    AT(rk_kernels, attention_kernels), .choices = names_of_attention_kernel, .help = "kernels of attention that there are for the device; left out: any" },
    { "dispatchers",                 FIELD_SET,    AT(rk_kernels, dispatchers), .choices = names_of_dispatcher, .help = "ways of tokens to experts that there are for it; left out: any" },
    { "frameworks",                  FIELD_SET,    AT(rk_kernels, frameworks), .choices = names_of_framework, .help = "frameworks that run on it, or stand for what does; left out: any" },
    { "platforms",                   FIELD_SET,    AT(rk_kernels, platforms), .choices = names_of_platform, .help = "whose libraries there are for it; left out: any" },
    { "attention_rates",             FIELD_OTHER,  AT(rk_kernels, attention_rates), .load = attention_rates_load, .help = "measured rates of attention instead of its constants: rows of head dimension, mean keys of a query, GFLOP/s forward and backward" },
    { "memory_rates",                FIELD_OTHER,  AT(rk_kernels, memory_rates), .load = stream_rates_load, .help = "measured rates of memory-bound kernels instead of the memory's: rows of MB that a kernel reads and writes, GB/s" },
    { "element_ns",                  FIELD_OTHER,  AT(rk_kernels, element_s), .load = element_times_load, .help = "measured times of memory-bound kernels instead of memory_rates: of each that was measured, the time of an element forward and backward" },
    { "optimizer_rates",             FIELD_OTHER,  AT(rk_kernels, optimizer_rates), .load = stream_rates_load, .help = "measured rates of the optimizer instead of the memory's: rows of MB read and written, GB/s" },
    { "source",                      FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};

const struct field link_fields[] = {
    { "efficiency", FIELD_NUMBER, FIELD_REQUIRED, AT(rk_link, efficiency), .above_min = true, .max = 1, .help = "achieved share of the bandwidth, large messages" },
    { "base_us",    FIELD_NUMBER, FIELD_REQUIRED, "us", AT(rk_link, base_s), .max = 1e6, .help = "time of any collective, whatever its ranks and bytes" },
    { "hop_us",     FIELD_NUMBER, FIELD_REQUIRED, "us", AT(rk_link, hop_s), .max = 1e6, .help = "time of one step from rank to rank" },
    { "ramp_MB",    FIELD_NUMBER, .unit = "MB", AT(rk_link, ramp_bytes), .max = 1e6, .help = "message at which the start of the pipeline takes as long as the rest" },
    { "in_network", FIELD_NUMBER, AT(rk_link, in_network), .max = 1, .help = "share of the bandwidth of all-reduces inside the switches; 0: none" },
    { "mesh_to",    FIELD_NUMBER, AT(rk_link, mesh_to), .max = 64, .help = "accelerators of the largest board with a wire for each pair instead of a switch; 0: none" },
    { "mesh",       FIELD_BOOL,   AT(rk_link, mesh), .help = "a wire for each pair instead of a switch" },
    { "copied",     FIELD_BOOL,   AT(rk_link, copied), .help = "by the processors that compute, as between threads: no overlap" },
    { "rates",      FIELD_OTHER,  AT(rk_link, rates), .load = stream_rates_load, .help = "measured rates instead of bandwidth, efficiency and ramp: rows of MB of a stream, GB/s" },
    { "exchange_rates", FIELD_OTHER, AT(rk_link, exchange), .load = exchange_rates_load, .help = "measured rates of reckon train's exchanges, by kind (all_reduce, reduce_scatter, all_gather, all_to_all, send, pass; for gradients and weights sum_whole, sum_part, gather_here), in place of rates: rows of MB from one rank to each other one, GB/s" },
    { "source",     FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};
/* clang-format on */

/* The keys that are there, over what the struct has. */
static enum rk_status load_present(const struct place *place, struct rk_kernels *kernels,
                                   struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (const struct field *field = kernels_fields; status == RK_OK && field->key; field++) {
        struct place member;
        if (place_member(place, field->key, &member))
            status = field_load(&member, field, kernels, error);
    }
    return status;
}

static enum rk_status load_like(const struct place *like, int depth, struct rk_kernels *kernels,
                                struct rk_error *error)
{
    struct rk_system system = {.memories = 0};
    struct rk_error inner;
    const struct field text = {.type = FIELD_TEXT};
    enum rk_status status = field_load(like, &text, NULL, error);
    if (status != RK_OK) return status;
    if (depth >= SYSTEM_MAX_DEPTH)
        return place_fail(like, error, "systems that name each other %d times: is it a circle?",
                          SYSTEM_MAX_DEPTH);
    status = system_load(json_string_value(like->value), depth + 1, &system, &inner);
    if (status == RK_BAD_ARGUMENT) return place_fail(like, error, "%s", inner.text);
    if (status != RK_OK && error) *error = inner;
    if (status == RK_OK) *kernels = system.kernels;
    rk_system_release(&system);
    return status;
}

enum rk_status kernels_read(const struct place *place, int depth, struct rk_kernels *kernels,
                            struct rk_error *error)
{
    struct place like;
    struct rk_kernels read;
    memset(&read, 0, sizeof read);
    enum rk_status status = place_need_object(place, error);
    if (status != RK_OK) return status;
    if (!place_member(place, "like", &like)) {
        status = fields_load(place, kernels_fields, &read, error);
    } else {
        struct rk_kernels checked;
        memset(&checked, 0, sizeof checked);
        status = fields_load(place, kernels_fields, &checked, error);
        if (status == RK_OK) status = load_like(&like, depth, &read, error);
        read.host_accelerators = 0; /* its host is not that one's */
        if (status == RK_OK) status = load_present(place, &read, error);
    }
    if (status == RK_OK) *kernels = read;
    return status;
}

enum rk_status kernels_change(const struct place *place, struct rk_kernels *kernels,
                              struct rk_error *error)
{
    struct place like;
    struct rk_kernels checked, read = *kernels;
    memset(&checked, 0, sizeof checked);
    enum rk_status status = fields_load(place, kernels_fields, &checked, error);
    if (status == RK_OK && place_member(place, "like", &like))
        status = place_fail(&like, error, "these change the system's own kernels: remove it");
    if (status == RK_OK) status = load_present(place, &read, error);
    if (status == RK_OK) *kernels = read;
    return status;
}

/* ---- one constant in a line of text ---- */

static const struct field *find_number(const char *key, size_t length)
{
    for (const struct field *field = kernels_fields; field->key; field++)
        if ((field->type == FIELD_COUNT || field->type == FIELD_NUMBER) &&
            strlen(field->key) == length && memcmp(field->key, key, length) == 0)
            return field;
    return NULL;
}

static bool unknown_key(const char *key, size_t length, char why[static KERNELS_WHY])
{
    const char *names[48] = {NULL};
    char said[TEXT_QUOTE], copy[64];
    size_t count = 0;
    for (const struct field *field = kernels_fields; field->key; field++)
        if (field->type == FIELD_COUNT || field->type == FIELD_NUMBER) names[count++] = field->key;
    snprintf(copy, sizeof copy, "%.*s", (int)(length < 60 ? length : 60), key);
    const char *nearest = text_nearest(copy, names);
    snprintf(why, KERNELS_WHY, "unknown property %s%s%s%s", text_quote(said, key, length),
             nearest ? ": did you mean " : "; reckon-system(5) lists those of kernels",
             nearest ? nearest : "", nearest ? "?" : "");
    return false;
}

/* In the unit of the key, or with a unit. */
static bool read_value(const struct field *field, const char *value, size_t length, double *number,
                       char why[static KERNELS_WHY])
{
    struct unit unit = {QUANTITY_PLAIN, 1, 1};
    struct units_error problem;
    char said[TEXT_QUOTE];
    if (field->unit) unit_find(field->unit, strlen(field->unit), &unit);
    if (length && number_parse(value, length, number) == length) {
        *number = unit_to_si(&unit, *number);
        return true;
    }
    if (!field->unit) {
        snprintf(why, KERNELS_WHY, "%s is not a number", text_quote(said, value, length));
        return false;
    }
    if (quantity_parse(value, length, unit.quantity, false, number, &problem)) return true;
    snprintf(why, KERNELS_WHY, "%s", problem.text);
    return false;
}

static bool allowed(const struct field *field, double number)
{
    struct unit unit = {QUANTITY_PLAIN, 1, 1};
    if (field->unit) unit_find(field->unit, strlen(field->unit), &unit);
    const double min = unit_to_si(&unit, field->min), max = unit_to_si(&unit, field->max);
    if (!isfinite(number) || (field->above_min ? number <= min : number < min)) return false;
    if (field->type == FIELD_COUNT && (number != floor(number) || number > 1e9)) return false;
    return field->max == 0 || number <= max;
}

bool kernels_set(struct rk_kernels *kernels, const char *key, size_t key_length, const char *value,
                 size_t value_length, bool *key_wrong, char why[static KERNELS_WHY])
{
    const struct field *field = find_number(key, key_length);
    double number = 0;
    *key_wrong = !field;
    if (!key_length) {
        snprintf(why, KERNELS_WHY, "say which constant: kernels.matrix_efficiency=0.7");
        return false;
    }
    if (!field) return unknown_key(key, key_length, why);
    if (!read_value(field, value, value_length, &number, why)) return false;
    if (!allowed(field, number)) {
        char most[64] = "";
        if (field->max != 0)
            snprintf(most, sizeof most, " and <= %.15g%s%s", field->max, field->unit ? " " : "",
                     field->unit ? field->unit : "");
        snprintf(why, KERNELS_WHY, "must be %s %.15g%s%s%s%s",
                 field->above_min ? ">" : ">=", field->min, field->unit ? " " : "",
                 field->unit ? field->unit : "", most,
                 field->type == FIELD_COUNT ? ", an integer" : "");
        return false;
    }
    char *at = (char *)kernels + field->offset;
    const uint64_t count = (uint64_t)number;
    if (field->type == FIELD_COUNT)
        memcpy(at, &count, sizeof count);
    else
        memcpy(at, &number, sizeof number);
    return true;
}

bool rk_system_describes_kernels(const struct rk_system *system)
{
    struct rk_kernels usual = {0};
    fields_preset(kernels_fields, &usual);
    return memcmp(&usual, &system->kernels, sizeof usual) != 0; /* numbers of 8 bytes alone */
}
