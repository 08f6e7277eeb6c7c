#include "catalog/synthetic_settings.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "catalog/drives.h"
#include "catalog/one_line.h"
#include "catalog/readers.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- properties ---- */

#define AT(type, member) offsetof(struct type, member)

/* clang-format off */
static const struct property memory_properties[] = {
    /* name              type            quantity              unlimited offset */
    { "capacity",        VALUE_QUANTITY, QUANTITY_BYTES,       true,     AT(rk_memory, capacity_bytes) },
    { "bandwidth",       VALUE_QUANTITY, QUANTITY_BYTES_PER_S, true,     AT(rk_memory, bandwidth_Bps) },
    { "efficiency",      VALUE_CURVE,    QUANTITY_BYTES,       false,    AT(rk_memory, curve) },
    { "read",            VALUE_QUANTITY, QUANTITY_BYTES_PER_S, false,    AT(rk_memory, read_Bps) },
    { "write",           VALUE_QUANTITY, QUANTITY_BYTES_PER_S, false,    AT(rk_memory, write_Bps) },
    { "latency",         VALUE_TIME,     QUANTITY_SECONDS,     false,    AT(rk_memory, latency_s) },
    { "update",          VALUE_QUANTITY, QUANTITY_BYTES_PER_S, false,    AT(rk_memory, update_Bps) },
    { "endurance",       VALUE_QUANTITY, QUANTITY_BYTES,       true,     AT(rk_memory, endurance_bytes) },
    { "rated_amplification", VALUE_FACTOR, QUANTITY_PLAIN,     false,    AT(rk_memory, rated_amplification) },
    { "write_amplification", VALUE_FACTOR, QUANTITY_PLAIN,     false,    AT(rk_memory, write_amplification) },
    { "retention_gain",  VALUE_FACTOR,   QUANTITY_PLAIN,       false,    AT(rk_memory, retention_gain) },
    { "price",           VALUE_FACTOR,   QUANTITY_PLAIN,       false,    AT(rk_memory, price_USD) },
    { "capacity_shared_by",  VALUE_COUNT, QUANTITY_PLAIN,      false,    AT(rk_memory, capacity_shared_by) },
    { "bandwidth_shared_by", VALUE_COUNT, QUANTITY_PLAIN,      false,    AT(rk_memory, bandwidth_shared_by) },
    { "name",            VALUE_NAME,     QUANTITY_PLAIN,       false,    AT(rk_memory, name) },
    { 0 },
};

static const struct property network_properties[] = {
    { "bandwidth",       VALUE_QUANTITY, QUANTITY_BYTES_PER_S, true,     AT(rk_network, bandwidth_Bps) },
    { "size",            VALUE_COUNT,    QUANTITY_PLAIN,       false,    AT(rk_network, size) },
    { "efficiency",      VALUE_SHARE,    QUANTITY_PLAIN,       false,    AT(rk_network, efficiency) },
    { "latency",         VALUE_TIME,     QUANTITY_SECONDS,     false,    AT(rk_network, latency_s) },
    { "must_be_filled",  VALUE_FLAG,     QUANTITY_PLAIN,       false,    AT(rk_network, must_be_filled) },
    { "processor_usage", VALUE_USAGE,    QUANTITY_PLAIN,       false,    AT(rk_network, processor_usage) },
    { "point_to_point",  VALUE_VOLUME,   QUANTITY_PLAIN,       false,    AT(rk_network, collective[RK_POINT_TO_POINT]) },
    { "reduce_scatter",  VALUE_VOLUME,   QUANTITY_PLAIN,       false,    AT(rk_network, collective[RK_REDUCE_SCATTER]) },
    { "all_gather",      VALUE_VOLUME,   QUANTITY_PLAIN,       false,    AT(rk_network, collective[RK_ALL_GATHER]) },
    { "all_reduce",      VALUE_VOLUME,   QUANTITY_PLAIN,       false,    AT(rk_network, collective[RK_ALL_REDUCE]) },
    { "name",            VALUE_NAME,     QUANTITY_PLAIN,       false,    AT(rk_network, name) },
    { 0 },
};

/* clang-format on */

const struct property *synthetic_find_property(const struct property *properties, struct span name)
{
    for (; properties->name; properties++)
        if (span_is(name, properties->name)) return properties;
    return NULL;
}

enum rk_status synthetic_fail_name(const struct parser *parser, struct span name, const char *what,
                                   const char *const *names)
{
    char said[TEXT_QUOTE], copy[64], list[256] = "";
    snprintf(copy, sizeof copy, "%.*s", (int)name.length, name.at);
    const char *nearest = text_nearest(copy, names);
    text_quote(said, name.at, name.length);
    if (nearest)
        return fail(parser, name.at, "unknown %s %s: did you mean \"%s\"?", what, said, nearest);
    for (size_t used = 0; *names && used < sizeof list; names++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", *names);
    return fail(parser, name.at, "unknown %s %s: there are %s", what, said, list);
}

static enum rk_status fail_property(const struct parser *parser, struct span name,
                                    const struct property *properties)
{
    const char *names[24] = {NULL};
    for (size_t i = 0; properties[i].name; i++)
        names[i] = properties[i].name;
    return synthetic_fail_name(parser, name, "property", names);
}

/* ---- values ---- */

static enum rk_status read_quantity(const struct parser *parser, struct span value,
                                    enum quantity quantity, bool unlimited, double *number)
{
    struct units_error problem;
    if (quantity_parse(value.at, value.length, quantity, unlimited, number, &problem)) return RK_OK;
    return fail(parser, value.at + problem.at, "%s", problem.text);
}

static enum rk_status read_plain(const struct parser *parser, struct span value, double *number)
{
    char said[TEXT_QUOTE];
    if (value.length && number_parse(value.at, value.length, number) == value.length &&
        isfinite(*number))
        return RK_OK;
    return fail(parser, value.at, "%s is not a number", text_quote(said, value.at, value.length));
}

static enum rk_status read_share(const struct parser *parser, struct span value, double *share)
{
    const enum rk_status status = read_plain(parser, value, share);
    if (status != RK_OK || (*share > 0 && *share <= 1)) return status;
    return fail(parser, value.at, "must be > 0 and <= 1, got %.15g", *share);
}

/* [from:]share */
static enum rk_status read_step(const struct parser *parser, struct span text,
                                enum quantity quantity, double *from, double *share)
{
    struct span size, rest;
    *from = 0;
    if (!span_cut(text, ':', &size, &rest)) return read_share(parser, text, share);
    if (!span_is(size, "0")) {
        const enum rk_status status = read_quantity(parser, size, quantity, false, from);
        if (status != RK_OK) return status;
    }
    return read_share(parser, rest, share);
}

/* step { / step }, sizes descending to 0 */
static enum rk_status read_curve(const struct parser *parser, struct span value,
                                 enum quantity quantity, struct rk_curve *curve)
{
    struct rk_curve read = {0};
    struct span step, rest = value;
    bool more = true;
    while (more) {
        more = span_cut(rest, '/', &step, &rest);
        double from, share;
        const enum rk_status status = read_step(parser, step, quantity, &from, &share);
        if (status != RK_OK) return status;
        if (read.steps == RK_CURVE_STEPS)
            return fail(parser, step.at, "more than %d steps", RK_CURVE_STEPS);
        if (read.steps && !(from < read.step[read.steps - 1].from))
            return fail(parser, step.at, "the steps must descend: put the largest size first");
        read.step[read.steps].from = from;
        read.step[read.steps++].efficiency = share;
    }
    if (read.step[read.steps - 1].from != 0)
        return fail(parser, value.at, "the last step must start at 0: end with \"/0:0.5\"");
    *curve = read;
    return RK_OK;
}

/* scale[:offset] */
static enum rk_status read_volume(const struct parser *parser, struct span value, double pair[2])
{
    struct span scale, offset;
    const bool both = span_cut(value, ':', &scale, &offset);
    enum rk_status status = read_plain(parser, scale, &pair[0]);
    pair[1] = 0;
    if (status == RK_OK && both) status = read_plain(parser, offset, &pair[1]);
    if (status != RK_OK) return status;
    if (!(pair[0] > 0)) return fail(parser, scale.at, "must be > 0, got %.15g", pair[0]);
    if (!(pair[1] >= -1)) return fail(parser, offset.at, "must be >= -1, got %.15g", pair[1]);
    return RK_OK;
}

static enum rk_status read_flag(const struct parser *parser, struct span value, bool *flag)
{
    char said[TEXT_QUOTE];
    *flag = span_is(value, "yes") || span_is(value, "true");
    if (*flag || span_is(value, "no") || span_is(value, "false")) return RK_OK;
    return fail(parser, value.at, "must be yes or no, got %s",
                text_quote(said, value.at, value.length));
}

static enum rk_status read_name(const struct parser *parser, struct span value, char name[32])
{
    if (!value.length || value.length > 31)
        return fail(parser, value.at, "a name has 1 to 31 characters");
    for (size_t i = 0; i < value.length; i++)
        if (!isalnum((unsigned char)value.at[i]) && !strchr("._-", value.at[i]))
            return fail(parser, value.at + i, "a name is made of letters, digits, '.', '_', '-'");
    memset(name, 0, 32);
    memcpy(name, value.at, value.length);
    return RK_OK;
}

static enum rk_status read_number(const struct parser *parser, struct span value,
                                  const struct property *property, double *number)
{
    enum rk_status status;
    switch (property->type) {
    case VALUE_SHARE:
        return read_share(parser, value, number);
    case VALUE_FACTOR:
        status = read_plain(parser, value, number);
        if (status != RK_OK || *number >= 1) return status;
        return fail(parser, value.at, "must be >= 1, got %.15g", *number);
    case VALUE_USAGE:
        status = read_plain(parser, value, number);
        if (status != RK_OK || (*number >= 0 && *number < 1)) return status;
        return fail(parser, value.at, "must be >= 0 and < 1, got %.15g", *number);
    case VALUE_TIME:
        status = span_is(value, "0")
                     ? RK_OK
                     : read_quantity(parser, value, property->quantity, false, number);
        if (span_is(value, "0")) *number = 0;
        if (status != RK_OK || *number >= 0) return status;
        return fail(parser, value.at, "must be >= 0");
    default:
        status = read_quantity(parser, value, property->quantity, property->unlimited, number);
        if (status != RK_OK || *number > 0) return status;
        return fail(parser, value.at, "must be > 0");
    }
}

enum rk_status synthetic_set_property(const struct parser *parser, struct span value,
                                      const struct property *property, void *part)
{
    char *at = (char *)part + property->offset;
    double number[2];
    uint64_t count;
    bool flag;
    enum rk_status status;
    switch (property->type) {
    case VALUE_CURVE:
        return read_curve(parser, value, property->quantity, (struct rk_curve *)(void *)at);
    case VALUE_NAME:
        return read_name(parser, value, at);
    case VALUE_FLAG:
        status = read_flag(parser, value, &flag);
        if (status == RK_OK) memcpy(at, &flag, sizeof flag);
        return status;
    case VALUE_COUNT:
        if (!span_integer(value, &count) || !count)
            return fail(parser, value.at, "must be an integer from 1 to 2^53");
        memcpy(at, &count, sizeof count);
        return RK_OK;
    case VALUE_VOLUME:
        status = read_volume(parser, value, number);
        if (status == RK_OK) memcpy(at, number, sizeof number);
        return status;
    default:
        status = read_number(parser, value, property, &number[0]);
        if (status == RK_OK) memcpy(at, &number[0], sizeof number[0]);
        return status;
    }
}

/* ---- tiers ---- */

/* Room for `count` tiers of `size` bytes; new ones are zero. */
static bool resize(void **tiers, int *count, int wanted, size_t size)
{
    char *grown = realloc(*tiers, (size_t)(wanted ? wanted : 1) * size);
    if (!grown) return false;
    if (wanted > *count) memset(grown + (size_t)*count * size, 0, (size_t)(wanted - *count) * size);
    *tiers = grown;
    *count = wanted;
    return true;
}

static enum rk_status resize_memories(const struct parser *parser, int wanted)
{
    struct rk_system *system = parser->system;
    const int before = system->memories;
    void *tiers = system->memory;
    const bool done = resize(&tiers, &system->memories, wanted, sizeof *system->memory);
    system->memory = tiers;
    for (int i = before; done && i < wanted; i++)
        memory_init(&system->memory[i], i);
    return done ? RK_OK : no_memory(parser->error);
}

/* Is the factor one of an array, at least 1? */
static bool factor(struct span text, double *value)
{
    char copy[32], *end;
    if (!text.length || text.length >= sizeof copy) return false;
    memcpy(copy, text.at, text.length);
    copy[text.length] = '\0';
    *value = strtod(copy, &end);
    return !*end && isfinite(*value) && *value >= 1;
}

enum rk_status synthetic_read_drives(const struct parser *parser, struct span value)
{
    struct rk_system *system = parser->system;
    struct drive_array array = {.raid = RAID_0};
    struct span first, rest, count, drive, name, text;
    struct rk_error inner;
    bool more = span_cut(value, ',', &first, &rest);
    if (!span_cut(first, '*', &count, &drive) || !span_integer(count, &array.drives) ||
        !array.drives || !drive.length || drive.length >= sizeof array.drive)
        return fail(parser, value.at,
                    "write ssd=4*samsung-980pro-1tb: how many of which drive an "
                    "accelerator has");
    memcpy(array.drive, drive.at, drive.length);
    enum rk_status status = resize_memories(parser, system->memories + 1);
    if (status != RK_OK) return status;
    struct rk_memory *memory = &system->memory[system->memories - 1];
    while (more) {
        struct span setting;
        more = span_cut(rest, ',', &setting, &rest);
        span_cut(setting, '=', &name, &text);
        int raid = 0;
        while (raid < RAIDS && !span_is(text, raid_names[raid]))
            raid++;
        if (span_is(name, "raid") && raid < RAIDS)
            array.raid = (enum raid)raid;
        else if (span_is(name, "path") && (span_is(text, "host") || span_is(text, "gds")))
            array.through_host = span_is(text, "host");
        else if (span_is(name, "write_amplification") && factor(text, &array.write_amplification))
            continue;
        else if (span_is(name, "retention_gain") && factor(text, &array.retention_gain))
            continue;
        else if (span_is(name, "capacity_shared_by") || span_is(name, "bandwidth_shared_by"))
            status = synthetic_set_property(
                parser, text, synthetic_find_property(memory_properties, name), memory);
        else
            return fail(
                parser, setting.at,
                "drives have raid=0, 1, 5 or 10, path=gds or host, write_amplification=N and "
                "retention_gain=N of at least 1, capacity_shared_by=N and "
                "bandwidth_shared_by=N");
        if (status != RK_OK) return status;
    }
    status = drive_array_memory(&array, memory, &inner);
    return status == RK_OK ? RK_OK : fail(parser, first.at, "%s", inner.text);
}

static enum rk_status resize_networks(const struct parser *parser, int wanted)
{
    struct rk_system *system = parser->system;
    const int before = system->networks;
    void *tiers = system->network;
    const bool done = resize(&tiers, &system->networks, wanted, sizeof *system->network);
    system->network = tiers;
    for (int i = before; done && i < wanted; i++)
        network_init(&system->network[i], i);
    return done ? RK_OK : no_memory(parser->error);
}

/* "mem2" with base "mem" and first 1 is index 1. The index may be one past the last, to add a
 * tier. */
static enum rk_status tier_index(const struct parser *parser, struct span part, const char *base,
                                 int first, int count, int *index)
{
    const size_t skip = strlen(base);
    uint64_t number;
    const struct span digits = {part.at + skip, part.length - skip};
    if (!span_integer(digits, &number) || number < (uint64_t)first)
        return fail(parser, part.at, "number the %s tiers from %s%d on", base, base, first);
    if (number > (uint64_t)first + (uint64_t)count)
        return fail(parser, part.at, "there %s %d such tier%s: the next one is %s%d",
                    count == 1 ? "is" : "are", count, count == 1 ? "" : "s", base, first + count);
    *index = (int)number - first;
    return RK_OK;
}

/* ---- settings ---- */

/* The value directly after "part=", and the properties that may follow it. */
static enum rk_status set_list(const struct parser *parser, struct span list,
                               const struct property *properties, void *part)
{
    uint64_t given = 0; /* a bit for each property */
    bool more = list.length > 0;
    while (more) {
        struct span setting, name, value;
        more = span_cut(list, ',', &setting, &list);
        if (!span_cut(setting, '=', &name, &value))
            return fail(parser, setting.at, "expected property=value after the comma");
        const struct property *property = synthetic_find_property(properties, name);
        if (!property) return fail_property(parser, name, properties);
        if (given >> (property - properties) & 1)
            return fail(parser, setting.at, "%s is given twice: leave one out", property->name);
        given |= UINT64_C(1) << (property - properties);
        const enum rk_status status = synthetic_set_property(parser, value, property, part);
        if (status != RK_OK) return status;
    }
    return RK_OK;
}

enum rk_status synthetic_set_named(const struct parser *parser, struct span name, struct span value,
                                   const struct property *properties, void *part)
{
    const struct property *property = synthetic_find_property(properties, name);
    if (!property) return fail_property(parser, name, properties);
    return synthetic_set_property(parser, value, property, part);
}

/* SIZE[@RATE]{,property=value} */
static enum rk_status set_memory_value(const struct parser *parser, struct span value,
                                       struct rk_memory *memory)
{
    struct span first, list, size, rate;
    span_cut(value, ',', &first, &list);
    const bool both = span_cut(first, '@', &size, &rate);
    enum rk_status status = synthetic_set_property(parser, size, &memory_properties[0], memory);
    if (status == RK_OK && both)
        status = synthetic_set_property(parser, rate, &memory_properties[1], memory);
    if (status == RK_OK) status = set_list(parser, list, memory_properties, memory);
    if (status == RK_OK && !(memory->bandwidth_Bps > 0))
        return fail(parser, span_end(size), "a new memory needs a rate: %.*s@100GB/s",
                    (int)(size.length < 32 ? size.length : 32), size.at);
    return status;
}

enum rk_status synthetic_set_memory(const struct parser *parser, struct span part,
                                    struct span property, struct span value)
{
    struct rk_system *system = parser->system;
    int index = 0;
    enum rk_status status = RK_OK;
    if (!span_is(part, "hbm"))
        status = tier_index(parser, part, "mem", 1, system->memories, &index);
    if (status != RK_OK) return status;
    if (!property.length && span_is(value, "none")) {
        if (!index) return fail(parser, value.at, "a system needs its first memory");
        return index < system->memories ? resize_memories(parser, index) : RK_OK;
    }
    if (index == system->memories) {
        if (property.length)
            return fail(parser, part.at, "no such memory yet: write %.*s=SIZE@RATE first",
                        (int)part.length, part.at);
        status = resize_memories(parser, index + 1);
    }
    if (status != RK_OK) return status;
    struct rk_memory *memory = &system->memory[index];
    status = property.length
                 ? synthetic_set_named(parser, property, value, memory_properties, memory)
                 : set_memory_value(parser, value, memory);
    if (status == RK_OK && !index && (memory->capacity_shared_by || memory->bandwidth_shared_by))
        return fail(parser, part.at,
                    "the first memory is not shared by accelerators: only lower ones, mem2 and on, "
                    "can be");
    return status;
}

/* RATE{,property=value} */
static enum rk_status set_network_value(const struct parser *parser, struct span value,
                                        struct rk_network *network)
{
    struct span rate, list;
    span_cut(value, ',', &rate, &list);
    enum rk_status status = synthetic_set_property(parser, rate, &network_properties[0], network);
    if (status == RK_OK) status = set_list(parser, list, network_properties, network);
    if (status == RK_OK && !network->size)
        return fail(parser, span_end(rate), "a new network needs a size: %.*s,size=65536",
                    (int)(rate.length < 32 ? rate.length : 32), rate.at);
    return status;
}

static enum rk_status check_message(const struct parser *parser, struct span value,
                                    const struct rk_network *network)
{
    if (network->collective[RK_POINT_TO_POINT].offset == 0) return RK_OK;
    return fail(parser, value.at, "point_to_point has two ends: leave the offset out");
}

/* What a message loses until it streams is a time, whatever the rate: its bytes follow the rate. */
static void keep_ramp_time(struct rk_network *network, double was_Bps)
{
    const double times = network->bandwidth_Bps / was_Bps; /* NAN, infinite: one has no limit */
    if (times > 0 && isfinite(times)) network->link.ramp_bytes *= times;
}

enum rk_status synthetic_set_network(const struct parser *parser, struct span part,
                                     struct span property, struct span value)
{
    struct rk_system *system = parser->system;
    int index;
    enum rk_status status = tier_index(parser, part, "net", 0, system->networks, &index);
    if (status != RK_OK) return status;
    if (!property.length && span_is(value, "none")) {
        if (!index) return fail(parser, value.at, "a system needs its first network");
        return index < system->networks ? resize_networks(parser, index) : RK_OK;
    }
    if (index == system->networks) {
        if (property.length)
            return fail(parser, part.at, "no such network yet: write %.*s=RATE,size=N first",
                        (int)part.length, part.at);
        status = resize_networks(parser, index + 1);
    }
    if (status != RK_OK) return status;
    struct rk_network *network = &system->network[index];
    const double rate_Bps = network->bandwidth_Bps;
    status = property.length
                 ? synthetic_set_named(parser, property, value, network_properties, network)
                 : set_network_value(parser, value, network);
    if (status == RK_OK) keep_ramp_time(network, rate_Bps);
    return status == RK_OK ? check_message(parser, value, network) : status;
}

enum rk_status synthetic_split_network(const struct parser *parser, struct span value)
{
    struct rk_system *system = parser->system;
    struct span first, list, name, ratio;
    uint64_t size;
    double over = 1;
    span_cut(value, ',', &first, &list);
    if (!span_integer(first, &size) || !size)
        return fail(parser, first.at, "how many accelerators are below a leaf? leaf=256,over=2");
    if (list.length) {
        if (!span_cut(list, '=', &name, &ratio) || !span_is(name, "over"))
            return fail(parser, list.at, "a leaf has only over=RATIO: leaf=256,over=2");
        const enum rk_status status = read_plain(parser, ratio, &over);
        if (status != RK_OK) return status;
        if (!(over >= 1)) return fail(parser, ratio.at, "must be >= 1, got %.15g", over);
    }
    const int last = system->networks - 1;
    if (last < 0) return fail(parser, value.at, "no network yet: write net0=RATE,size=N first");
    if (size >= system->network[last].size || (last && size <= system->network[last - 1].size))
        return fail(parser, first.at,
                    "a leaf joins more than the network below it, %" PRIu64
                    ", and less than the whole, %" PRIu64,
                    last ? system->network[last - 1].size : 0, system->network[last].size);
    if (last && size % system->network[last - 1].size)
        return fail(parser, first.at,
                    "a leaf joins whole nodes of %" PRIu64 ": %" PRIu64 " is the nearest",
                    system->network[last - 1].size,
                    (size / system->network[last - 1].size + 1) * system->network[last - 1].size);
    const enum rk_status status = resize_networks(parser, last + 2);
    if (status != RK_OK) return status;
    struct rk_network *leaf = &system->network[last], *spine = &system->network[last + 1];
    *spine = *leaf;
    spine->bandwidth_Bps /= over;
    snprintf(leaf->name, sizeof leaf->name, strcmp(leaf->name, "spine") == 0 ? "pod" : "leaf");
    snprintf(spine->name, sizeof spine->name, "spine");
    leaf->size = size;
    leaf->must_be_filled = false;
    return RK_OK;
}
