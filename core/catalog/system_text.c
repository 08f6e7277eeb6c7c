#include "catalog/catalog.h"

#include "base/units.h"
#include "catalog/kernels.h"
#include "catalog/rates.h"

#include <math.h>
#include <string.h>

/* Every function returns a new reference, or NULL when there is no memory; jansson's setters and
 * packers take NULL and hand the failure on. */

static json_t *number(double value)
{
    if (isinf(value)) return json_string("unlimited");
    if (value == floor(value) && fabs(value) < 1e15) return json_integer((json_int_t)value);
    return json_real(value);
}

static bool put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static bool put_text(json_t *object, const char *key, const char *text)
{
    return !text || put(object, key, json_string(text));
}

/* One reference for the caller when all went well; else none is left. */
static json_t *finished(json_t *object, bool good)
{
    if (good) return object;
    json_decref(object);
    return NULL;
}

static json_t *curve_json(const struct rk_curve *curve, double unit)
{
    json_t *list = json_array();
    bool good = list;
    for (int i = 0; good && i < curve->steps; i++)
        good = json_array_append_new(list, json_pack("[oo]", number(curve->step[i].from / unit),
                                                     number(curve->step[i].efficiency))) == 0;
    return finished(list, good);
}

static json_t *engines_json(const struct rk_engine *engines)
{
    json_t *object = json_object();
    bool good = object;
    for (int i = 0; i < RK_DATATYPES; i++)
        if (engines[i].curve.steps)
            good &= put(object, rk_datatype_name((enum rk_datatype)i),
                        json_pack("{soso}", "peak_TFLOPps", number(engines[i].peak_flops / 1e12),
                                  "efficiency_from_GFLOP", curve_json(&engines[i].curve, 1e9)));
    return finished(object, good);
}

static json_t *memory_json(const struct rk_memory *memory)
{
    const struct {
        const char *key;
        double value;
    } more[] = {{"read_GBps", memory->read_Bps / 1e9},
                {"write_GBps", memory->write_Bps / 1e9},
                {"latency_us", memory->latency_s * 1e6},
                {"update_GBps", memory->update_Bps / 1e9},
                {"endurance_PB", memory->endurance_bytes / 1e15},
                {"rated_amplification", memory->rated_amplification},
                {"write_amplification", memory->write_amplification},
                {"retention_gain", memory->retention_gain},
                {"price_USD", memory->price_USD},
                {"through_host", memory->through_host}};
    json_t *object = json_pack("{sssososo}", "name", memory->name, "capacity_GiB",
                               number(memory->capacity_bytes / 1073741824.0), "bandwidth_GBps",
                               number(memory->bandwidth_Bps / 1e9), "efficiency_from_MB",
                               curve_json(&memory->curve, 1e6));
    bool good = object;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (good && more[i].value != 0) good = put(object, more[i].key, number(more[i].value));
    return finished(object, good);
}

static json_t *collectives_json(const struct rk_network *network)
{
    static const char *const names[RK_COLLECTIVES] = {"point_to_point", "reduce_scatter",
                                                      "all_gather", "all_reduce"};
    json_t *object = json_object();
    bool good = object;
    for (int i = 0; i < RK_COLLECTIVES; i++) {
        json_t *volume = json_pack("{so}", "scale", number(network->collective[i].scale));
        if (volume && i != RK_POINT_TO_POINT)
            good &= put(volume, "offset", number(network->collective[i].offset));
        good &= put(object, names[i], volume);
    }
    return finished(object, good);
}

/* ---- groups of fields ---- */

static json_t *names_json(const struct field *field, const void *values)
{
    const unsigned bits = (unsigned)field_value(field, values);
    json_t *list = json_array();
    bool good = list;
    for (int i = 0; good && field->choices[i]; i++)
        if (bits >> i & 1) good = json_array_append_new(list, json_string(field->choices[i])) == 0;
    return finished(list, good);
}

/* A list of names that is not there stands for all of them. */
static bool is_written(const struct field *field, const void *values)
{
    if (field->type == FIELD_SET) return field_value(field, values) != 0;
    return field->type != FIELD_TEXT && field->type != FIELD_SOURCE && field->type != FIELD_OTHER;
}

static json_t *field_json(const struct field *field, const void *values)
{
    const char *at = (const char *)values + field->offset;
    struct unit unit = {QUANTITY_PLAIN, 1, 1};
    double value;
    uint64_t count;
    bool flag;
    if (field->type == FIELD_COUNT) {
        memcpy(&count, at, sizeof count);
        return json_integer((json_int_t)count);
    }
    if (field->type == FIELD_BOOL) {
        memcpy(&flag, at, sizeof flag);
        return json_boolean(flag);
    }
    if (field->type == FIELD_SET) return names_json(field, values);
    memcpy(&value, at, sizeof value);
    if (field->unit) unit_find(field->unit, strlen(field->unit), &unit);
    return number(value * unit.divisor / unit.factor);
}

static json_t *fields_json(const struct field *fields, const void *values, const char *source)
{
    json_t *object = json_object();
    bool good = object;
    for (; fields->key; fields++)
        if (is_written(fields, values))
            good &= put(object, fields->key, field_json(fields, values));
    return finished(object, good && put_text(object, "source", source));
}

static json_t *network_json(const struct rk_network *network, const char *source)
{
    json_t *object =
        json_pack("{sssososososbsoso}", "name", network->name, "bandwidth_GBps",
                  number(network->bandwidth_Bps / 1e9), "efficiency", number(network->efficiency),
                  "latency_us", number(network->latency_s * 1e6), "size",
                  json_integer((json_int_t)network->size), "must_be_filled",
                  network->must_be_filled, "processor_usage", number(network->processor_usage),
                  "collectives", collectives_json(network));
    bool good = object;
    if (good && network->link.efficiency > 0)
        good = put(object, "link", fields_json(link_fields, &network->link, source));
    if (good && network->link.efficiency > 0 && network->link.rates.sizes)
        good =
            put(json_object_get(object, "link"), "rates", stream_rates_json(&network->link.rates));
    if (good && network->link.efficiency > 0 && network->link.exchange[0].sizes)
        good = put(json_object_get(object, "link"), "exchange_rates",
                   exchange_rates_json(network->link.exchange));
    return finished(object, good);
}

/* ---- the whole ---- */

static json_t *memories_json(const struct rk_system *system)
{
    json_t *list = json_array();
    bool good = list;
    for (int i = 0; good && i < system->memories; i++)
        good = json_array_append_new(list, memory_json(&system->memory[i])) == 0;
    return finished(list, good);
}

static json_t *networks_json(const struct rk_system *system, const char *const *sources)
{
    json_t *list = json_array();
    bool good = list;
    for (int i = 0; good && i < system->networks; i++)
        good = json_array_append_new(
                   list, network_json(&system->network[i], sources ? sources[i] : NULL)) == 0;
    return finished(list, good);
}

static json_t *kernels_json(const struct rk_kernels *kernels, const char *source)
{
    json_t *object = fields_json(kernels_fields, kernels, source);
    const struct rk_attention_rates *attention = &kernels->attention_rates;
    const struct rk_stream_rates *optimizer = &kernels->optimizer_rates,
                                 *memory = &kernels->memory_rates;
    bool good = object;
    if (good && attention->dims)
        good = put(object, "attention_rates", attention_rates_json(attention));
    if (good && optimizer->sizes)
        good = put(object, "optimizer_rates", stream_rates_json(optimizer));
    if (good && memory->sizes) good = put(object, "memory_rates", stream_rates_json(memory));
    for (int i = 1; good && i < RK_KERNELS; i++)
        if (kernels->element_s[i][0] > 0) {
            good = put(object, "element_ns", element_times_json(kernels->element_s));
            break;
        }
    return finished(object, good);
}

static json_t *busy_json(const struct rk_system *system, const char *source)
{
    json_t *object = json_object();
    const bool good = object &&
                      put(object, "devices", json_integer((json_int_t)system->busy_devices)) &&
                      put(object, "kernels", kernels_json(&system->busy, source));
    return finished(object, good);
}

char *system_text(const struct rk_system *system, const char *name, const char *description,
                  const struct system_sources *sources)
{
    json_t *root = json_object();
    bool good = root && put_text(root, "name", name) && put_text(root, "description", description);
    if (good && system->devices)
        good = put(root, "devices", json_integer((json_int_t)system->devices));
    good = good &&
           put(root, "processing",
               json_string(system->processing == RK_ROOFLINE ? "roofline" : "no_overlap")) &&
           put(root, "matrix", engines_json(system->matrix)) &&
           put(root, "vector", engines_json(system->vector)) &&
           put(root, "memory", memories_json(system)) &&
           put(root, "network", networks_json(system, sources->links)) &&
           put(root, "kernels", kernels_json(&system->kernels, sources->kernels)) &&
           (!system->busy_devices || put(root, "busy", busy_json(system, sources->kernels))) &&
           put_text(root, "source", sources->whole);
    char *text = good ? json_dumps(root, JSON_INDENT(4) | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(root);
    return text;
}
