/* synthetic.c - a system in one line of text, as hwloc has it; grammar in reckon-system(5).
 *
 * Words change a struct rk_system from left to right. A setting is a part, a property and a
 * value; the properties stand in one table per kind of part, with the quantity they take and
 * where it goes.
 */
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "catalog/catalog.h"
#include "catalog/drives.h"
#include "catalog/kernels.h"
#include "catalog/readers.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct span { /* a piece of the text */
    const char *at;
    size_t length;
};

struct parser {
    const char *text;
    struct rk_system *system;
    struct rk_error *error;
};

static enum rk_status fail(const struct parser *parser, const char *at, const char *format, ...)
    RK_PRINTF(3, 4);

static enum rk_status fail(const struct parser *parser, const char *at, const char *format, ...)
{
    char said[TEXT_QUOTE], text[384];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    int column = 1;
    for (const char *byte = parser->text; byte < at; byte++)
        column += ((unsigned char)*byte & 0xc0) != 0x80;
    return rk_fail(parser->error, RK_BAD_ARGUMENT,
                   text_quote(said, parser->text, strlen(parser->text)), 1, column, "%s", text);
}

/* ---- pieces ---- */

static bool is(struct span span, const char *text)
{
    return strlen(text) == span.length && memcmp(text, span.at, span.length) == 0;
}

static bool starts(struct span span, const char *text)
{
    return strlen(text) <= span.length && memcmp(text, span.at, strlen(text)) == 0;
}

static const char *end_of(struct span span)
{
    return span.at + span.length;
}

/* Cuts `span` at the first `mark`: true when there is one; the rest is what follows it. */
static bool cut(struct span span, char mark, struct span *head, struct span *rest)
{
    const char *found = memchr(span.at, mark, span.length);
    *head = span;
    *rest = (struct span){end_of(span), 0};
    if (!found) return false;
    head->length = (size_t)(found - span.at);
    *rest = (struct span){found + 1, span.length - head->length - 1};
    return true;
}

static struct span next_word(const char *at)
{
    at += strspn(at, " \t\n");
    return (struct span){at, strcspn(at, " \t\n")};
}

/* Digits only, at most 2^53. */
static bool integer(struct span span, uint64_t *value)
{
    uint64_t number = 0;
    if (!span.length || span.length > 16) return false;
    for (size_t i = 0; i < span.length; i++) {
        if (!isdigit((unsigned char)span.at[i])) return false;
        number = 10 * number + (uint64_t)(span.at[i] - '0');
    }
    *value = number;
    return number <= UINT64_C(1) << 53;
}

/* ---- properties ---- */

enum value_type {
    VALUE_QUANTITY, /* double, above 0 */
    VALUE_TIME,     /* double, 0 or more */
    VALUE_SHARE,    /* double, above 0, at most 1 */
    VALUE_FACTOR,   /* double, 1 or more */
    VALUE_USAGE,    /* double, 0 or more, below 1 */
    VALUE_COUNT,    /* uint64_t, 1 or more */
    VALUE_FLAG,     /* bool */
    VALUE_CURVE,    /* struct rk_curve, sizes in `quantity` */
    VALUE_VOLUME,   /* scale and offset of a collective */
    VALUE_NAME      /* char [32] */
};

struct property {
    const char *name;
    enum value_type type;
    enum quantity quantity;
    bool unlimited;
    size_t offset;
};

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
static const struct property engine_properties[] = {
    { "peak",            VALUE_QUANTITY, QUANTITY_FLOP_PER_S,  false,    AT(rk_engine, peak_flops) },
    { "efficiency",      VALUE_CURVE,    QUANTITY_FLOP,        false,    AT(rk_engine, curve) },
    { 0 },
};
/* clang-format on */

static const struct property *find_property(const struct property *properties, struct span name)
{
    for (; properties->name; properties++)
        if (is(name, properties->name)) return properties;
    return NULL;
}

/* A word in a message, with the nearest of `names`. */
static enum rk_status fail_name(const struct parser *parser, struct span name, const char *what,
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
    return fail_name(parser, name, "property", names);
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
    if (!cut(text, ':', &size, &rest)) return read_share(parser, text, share);
    if (!is(size, "0")) {
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
        more = cut(rest, '/', &step, &rest);
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
    const bool both = cut(value, ':', &scale, &offset);
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
    *flag = is(value, "yes") || is(value, "true");
    if (*flag || is(value, "no") || is(value, "false")) return RK_OK;
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
        status = is(value, "0") ? RK_OK
                                : read_quantity(parser, value, property->quantity, false, number);
        if (is(value, "0")) *number = 0;
        if (status != RK_OK || *number >= 0) return status;
        return fail(parser, value.at, "must be >= 0");
    default:
        status = read_quantity(parser, value, property->quantity, property->unlimited, number);
        if (status != RK_OK || *number > 0) return status;
        return fail(parser, value.at, "must be > 0");
    }
}

static enum rk_status set_property(const struct parser *parser, struct span value,
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
        if (!integer(value, &count) || !count)
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

/* ssd=N*DRIVE{,raid=10}{,path=host}{,write_amplification=1.2}{,retention_gain=86}
 * {,capacity_shared_by=8}{,bandwidth_shared_by=8}: one tier more. */
static enum rk_status read_drives(const struct parser *parser, struct span value)
{
    struct rk_system *system = parser->system;
    struct drive_array array = {.raid = RAID_0};
    struct span first, rest, count, drive, name, text;
    struct rk_error inner;
    bool more = cut(value, ',', &first, &rest);
    if (!cut(first, '*', &count, &drive) || !integer(count, &array.drives) || !array.drives ||
        !drive.length || drive.length >= sizeof array.drive)
        return fail(parser, value.at,
                    "write ssd=4*samsung-980pro-1tb: how many of which drive an "
                    "accelerator has");
    memcpy(array.drive, drive.at, drive.length);
    enum rk_status status = resize_memories(parser, system->memories + 1);
    if (status != RK_OK) return status;
    struct rk_memory *memory = &system->memory[system->memories - 1];
    while (more) {
        struct span setting;
        more = cut(rest, ',', &setting, &rest);
        cut(setting, '=', &name, &text);
        int raid = 0;
        while (raid < RAIDS && !is(text, raid_names[raid]))
            raid++;
        if (is(name, "raid") && raid < RAIDS)
            array.raid = (enum raid)raid;
        else if (is(name, "path") && (is(text, "host") || is(text, "gds")))
            array.through_host = is(text, "host");
        else if (is(name, "write_amplification") && factor(text, &array.write_amplification))
            continue;
        else if (is(name, "retention_gain") && factor(text, &array.retention_gain))
            continue;
        else if (is(name, "capacity_shared_by") || is(name, "bandwidth_shared_by"))
            status = set_property(parser, text, find_property(memory_properties, name), memory);
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
    if (!integer(digits, &number) || number < (uint64_t)first)
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
        more = cut(list, ',', &setting, &list);
        if (!cut(setting, '=', &name, &value))
            return fail(parser, setting.at, "expected property=value after the comma");
        const struct property *property = find_property(properties, name);
        if (!property) return fail_property(parser, name, properties);
        if (given >> (property - properties) & 1)
            return fail(parser, setting.at, "%s is given twice: leave one out", property->name);
        given |= UINT64_C(1) << (property - properties);
        const enum rk_status status = set_property(parser, value, property, part);
        if (status != RK_OK) return status;
    }
    return RK_OK;
}

static enum rk_status set_named(const struct parser *parser, struct span name, struct span value,
                                const struct property *properties, void *part)
{
    const struct property *property = find_property(properties, name);
    if (!property) return fail_property(parser, name, properties);
    return set_property(parser, value, property, part);
}

/* SIZE[@RATE]{,property=value} */
static enum rk_status set_memory_value(const struct parser *parser, struct span value,
                                       struct rk_memory *memory)
{
    struct span first, list, size, rate;
    cut(value, ',', &first, &list);
    const bool both = cut(first, '@', &size, &rate);
    enum rk_status status = set_property(parser, size, &memory_properties[0], memory);
    if (status == RK_OK && both) status = set_property(parser, rate, &memory_properties[1], memory);
    if (status == RK_OK) status = set_list(parser, list, memory_properties, memory);
    if (status == RK_OK && !(memory->bandwidth_Bps > 0))
        return fail(parser, end_of(size), "a new memory needs a rate: %.*s@100GB/s",
                    (int)(size.length < 32 ? size.length : 32), size.at);
    return status;
}

static enum rk_status set_memory(const struct parser *parser, struct span part,
                                 struct span property, struct span value)
{
    struct rk_system *system = parser->system;
    int index = 0;
    enum rk_status status = RK_OK;
    if (!is(part, "hbm")) status = tier_index(parser, part, "mem", 1, system->memories, &index);
    if (status != RK_OK) return status;
    if (!property.length && is(value, "none")) {
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
    status = property.length ? set_named(parser, property, value, memory_properties, memory)
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
    cut(value, ',', &rate, &list);
    enum rk_status status = set_property(parser, rate, &network_properties[0], network);
    if (status == RK_OK) status = set_list(parser, list, network_properties, network);
    if (status == RK_OK && !network->size)
        return fail(parser, end_of(rate), "a new network needs a size: %.*s,size=8",
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

static enum rk_status set_network(const struct parser *parser, struct span part,
                                  struct span property, struct span value)
{
    struct rk_system *system = parser->system;
    int index;
    enum rk_status status = tier_index(parser, part, "net", 0, system->networks, &index);
    if (status != RK_OK) return status;
    if (!property.length && is(value, "none")) {
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
    status = property.length ? set_named(parser, property, value, network_properties, network)
                             : set_network_value(parser, value, network);
    if (status == RK_OK) keep_ramp_time(network, rate_Bps);
    return status == RK_OK ? check_message(parser, value, network) : status;
}

/* Splits the outermost network into one of `size` accelerators below a leaf switch and one between
 * leaves, where each accelerator has 1/`over` of the bandwidth. leaf=SIZE{,over=RATIO}; a repeated
 * leaf splits the level above. */
static enum rk_status split_network(const struct parser *parser, struct span value)
{
    struct rk_system *system = parser->system;
    struct span first, list, name, ratio;
    uint64_t size;
    double over = 1;
    cut(value, ',', &first, &list);
    if (!integer(first, &size) || !size)
        return fail(parser, first.at, "how many accelerators are below a leaf? leaf=256,over=2");
    if (list.length) {
        if (!cut(list, '=', &name, &ratio) || !is(name, "over"))
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

/* ---- engines ---- */

static enum rk_status find_datatype(const struct parser *parser, struct span name, int *datatype)
{
    const char *names[RK_DATATYPES + 1] = {NULL};
    for (int i = 0; i < RK_DATATYPES; i++) {
        names[i] = rk_datatype_name((enum rk_datatype)i);
        if (is(name, names[i])) {
            *datatype = i;
            return RK_OK;
        }
    }
    return fail_name(parser, name, "datatype", names);
}

static enum rk_status set_engine(const struct parser *parser, struct span property,
                                 struct span value, struct rk_engine *engine)
{
    if (!property.length && is(value, "none")) {
        *engine = (struct rk_engine){0};
        return RK_OK;
    }
    if (!engine->curve.steps) /* new */
        engine->curve = (struct rk_curve){.steps = 1, .step = {{.efficiency = 1}}};
    return property.length ? set_named(parser, property, value, engine_properties, engine)
                           : set_property(parser, value, &engine_properties[0], engine);
}

/* Without a datatype: all that the engine has. */
static enum rk_status set_engines(const struct parser *parser, struct span part,
                                  struct span property, struct span value,
                                  struct rk_engine *engines)
{
    struct span first, rest;
    cut(property, '.', &first, &rest);
    int datatype = 0;
    if (first.length && !find_property(engine_properties, first)) {
        const enum rk_status status = find_datatype(parser, first, &datatype);
        if (status != RK_OK) return status;
        if (rest.length && !engines[datatype].curve.steps)
            return fail(parser, first.at, "no such engine yet: write %.*s.%.*s=RATE first",
                        (int)part.length, part.at, (int)first.length, first.at);
        return set_engine(parser, rest, value, &engines[datatype]);
    }
    int found = 0;
    for (datatype = 0; datatype < RK_DATATYPES; datatype++) {
        if (!engines[datatype].curve.steps) continue;
        const enum rk_status status = set_engine(parser, property, value, &engines[datatype]);
        if (status != RK_OK) return status;
        found++;
    }
    if (found) return RK_OK;
    return fail(parser, part.at, "name a datatype: %.*s.float16=312TFLOP/s", (int)part.length,
                part.at);
}

static enum rk_status set_processing(const struct parser *parser, struct span value)
{
    const char *const names[] = {"no_overlap", "roofline", NULL};
    for (int i = 0; names[i]; i++)
        if (is(value, names[i])) {
            parser->system->processing = (enum rk_processing)i;
            return RK_OK;
        }
    return fail_name(parser, value, "processing", names);
}

/* Of a device alone and of busy ones: a word says what both have. */
static enum rk_status set_kernels(const struct parser *parser, struct span property,
                                  struct span value)
{
    struct rk_kernels *const both[] = {&parser->system->kernels, &parser->system->busy};
    char why[KERNELS_WHY];
    bool key_wrong;
    for (int i = 0; i < 2; i++)
        if (!kernels_set(both[i], property.at, property.length, value.at, value.length, &key_wrong,
                         why))
            return fail(parser, key_wrong ? property.at : value.at, "%s", why);
    return RK_OK;
}

/* ---- words ---- */

static bool numbered(struct span span, const char *prefix)
{
    const size_t skip = strlen(prefix);
    return starts(span, prefix) && span.length > skip && isdigit((unsigned char)span.at[skip]);
}

/* A price is of a run, and no part of what the machine is: the id is without it. */
static bool is_price(struct span word)
{
    return starts(word, "price=");
}

/* Whether an offer of that name is known, the list says: it is read where a run is. */
static enum rk_status set_price(const struct parser *parser, struct span value)
{
    char *price = parser->system->price;
    double USDph = 1;
    const bool number = number_parse(value.at, value.length, &USDph) == value.length;
    if (!value.length || value.length >= sizeof parser->system->price ||
        (number && !(USDph > 0 && isfinite(USDph))))
        return fail(parser, value.at,
                    "price: give US dollars for an accelerator and hour, price=2.5, or an offer of "
                    "`reckon prices`, price=reserved");
    snprintf(price, sizeof parser->system->price, "%.*s", (int)value.length, value.at);
    return RK_OK;
}

static const char *const parts[] = {"hbm",    "mem2",   "ssd",     "net0",       "net1",  "leaf",
                                    "matrix", "vector", "kernels", "processing", "price", NULL};

static enum rk_status read_setting(const struct parser *parser, struct span target,
                                   struct span value)
{
    struct span part, property;
    if (is(target, "price")) return set_price(parser, value);
    if (cut(target, '.', &part, &property) && !property.length)
        return fail(parser, property.at, "expected a property after the dot");
    if (!value.length)
        return fail(parser, value.at,
                    "expected a value after %.*s=", (int)(target.length < 40 ? target.length : 40),
                    target.at);
    if (is(part, "ssd") && !property.length) return read_drives(parser, value);
    if (is(part, "hbm") || numbered(part, "mem")) return set_memory(parser, part, property, value);
    if (numbered(part, "net")) return set_network(parser, part, property, value);
    if (is(part, "leaf") && !property.length) return split_network(parser, value);
    if (is(part, "matrix"))
        return set_engines(parser, part, property, value, parser->system->matrix);
    if (is(part, "vector"))
        return set_engines(parser, part, property, value, parser->system->vector);
    if (is(part, "kernels")) return set_kernels(parser, property, value);
    if (is(part, "processing") && !property.length) return set_processing(parser, value);
    return fail_name(parser, part, "part", parts);
}

static enum rk_status read_devices(const struct parser *parser, struct span number)
{
    uint64_t devices;
    if (!integer(number, &devices) || !devices)
        return fail(parser, number.at, "must be a number of accelerators from 1 to 2^53: x4096");
    parser->system->devices = devices;
    return RK_OK;
}

static enum rk_status read_domain(const struct parser *parser, struct span number)
{
    uint64_t size;
    if (!integer(number, &size) || !size)
        return fail(parser, number.at, "must be a number of accelerators from 1 to 2^53: nvl8");
    if (!parser->system->networks)
        return fail(parser, number.at, "no network yet: write net0=RATE,size=N first");
    parser->system->network[0].size = size;
    return RK_OK;
}

/* What a word sets: "x", "nvl", "net0.size". */
static struct span key_of(struct span word)
{
    struct span key, value;
    if (!cut(word, '=', &key, &value))
        while (key.length && isdigit((unsigned char)key.at[key.length - 1]))
            key.length--;
    return key;
}

bool catalog_is_system_word(const char *text)
{
    const struct span word = {text, strlen(text)}, key = key_of(word);
    struct span part, property;
    if (is(key, "x") || is(key, "nvl")) return key.length < word.length;
    cut(key, '.', &part, &property);
    bool known = numbered(part, "mem") || numbered(part, "net");
    for (const char *const *name = parts; *name; name++)
        known |= is(part, *name);
    return known && key.length < word.length && text[key.length] == '=';
}

/* Drives, leaves and a tier that is taken away may be followed by more of the kind. */
static bool may_come_again(struct span word)
{
    struct span key, value;
    cut(word, '=', &key, &value);
    return is(key, "ssd") || is(key, "leaf") || is(value, "none");
}

/* The word before `end` that sets the same, since the last "then"; none: its length is 0. */
static struct span same_before(const char *text, const char *end, struct span word)
{
    const struct span key = key_of(word);
    struct span found = {text, 0};
    for (struct span other = next_word(text + synthetic_base(text)); other.length && other.at < end;
         other = next_word(end_of(other))) {
        const struct span same = key_of(other);
        if (is(other, "then") || is(other, "+"))
            found.length = 0;
        else if (same.length == key.length && memcmp(same.at, key.at, key.length) == 0 &&
                 !may_come_again(other))
            found = other;
    }
    return found;
}

static enum rk_status check_once(const struct parser *parser, struct span word)
{
    const struct span other = same_before(parser->text, word.at, word);
    if (!other.length) return RK_OK;
    return fail(parser, word.at,
                "%.*s is given before, as %.*s: leave one out, or write \"then\" between them",
                (int)(word.length < 80 ? word.length : 80), word.at,
                (int)(other.length < 80 ? other.length : 80), other.at);
}

bool synthetic_join(char *text, size_t size, const char *base, const char *words)
{
    bool again = false;
    for (struct span word = next_word(words); word.length; word = next_word(end_of(word)))
        again |= same_before(base, base + strlen(base), word).length > 0;
    return (size_t)snprintf(text, size, "%s%s %s", base, again ? " then" : "", words) < size;
}

static enum rk_status read_word(const struct parser *parser, struct span word)
{
    char said[TEXT_QUOTE];
    struct span target, value;
    if (cut(word, '=', &target, &value)) return read_setting(parser, target, value);
    if (numbered(word, "x"))
        return read_devices(parser, (struct span){word.at + 1, word.length - 1});
    if (numbered(word, "nvl"))
        return read_domain(parser, (struct span){word.at + 3, word.length - 3});
    return fail(parser, word.at,
                "%s is neither xN, nvlN nor a setting such as hbm=80GiB; the base comes first",
                text_quote(said, word.at, word.length));
}

size_t synthetic_base(const char *text)
{
    const struct span word = next_word(text);
    if (memchr(word.at, '=', word.length) || numbered(word, "x") || numbered(word, "nvl")) return 0;
    return word.length && word.at == text ? word.length : 0;
}

static enum rk_status load_base(const struct parser *parser, size_t length, int depth)
{
    char *name = strndup(parser->text, length);
    struct rk_error inner;
    if (!name) return no_memory(parser->error);
    const enum rk_status status = system_load(name, depth, parser->system, &inner);
    free(name);
    if (status == RK_OK) return status;
    if (!*inner.path) return fail(parser, parser->text, "%s", inner.text);
    if (parser->error) *parser->error = inner;
    return status;
}

/* ---- the whole ---- */

static enum rk_status check_complete(const struct parser *parser)
{
    const struct rk_system *system = parser->system;
    const char *end = parser->text + strlen(parser->text);
    int both = 0, missing = -1;
    for (int i = 0; i < RK_DATATYPES; i++) {
        const bool matrix = system->matrix[i].curve.steps, vector = system->vector[i].curve.steps;
        both += matrix && vector;
        if (matrix && !vector) missing = i;
    }
    if (missing >= 0)
        return fail(parser, end,
                    "the vector engine lacks %s, which the matrix engine has: add "
                    "vector.%s=78TFLOP/s",
                    rk_datatype_name((enum rk_datatype)missing),
                    rk_datatype_name((enum rk_datatype)missing));
    if (!both)
        return fail(parser, end,
                    "no engines: start with a system's id, or add "
                    "matrix.float16=312TFLOP/s vector.float16=78TFLOP/s");
    if (!system->memories) return fail(parser, end, "no memory: add hbm=80GiB@2TB/s");
    if (!system->networks) return fail(parser, end, "no network: add net0=300GB/s,size=8");
    return RK_OK;
}

static void set_rates(struct rk_system *system)
{
    for (int i = 0; i < RK_DATATYPES; i++) {
        rk_curve_set_peak(&system->matrix[i].curve, system->matrix[i].peak_flops);
        rk_curve_set_peak(&system->vector[i].curve, system->vector[i].peak_flops);
    }
    for (int i = 0; i < system->memories; i++)
        rk_curve_set_peak(&system->memory[i].curve, system->memory[i].bandwidth_Bps);
}

/* The words, one blank between them; a short name of the catalog, "h100", written out. */
static void set_id(struct rk_system *system, const char *text, size_t base)
{
    char name[sizeof system->id];
    snprintf(name, sizeof name, "%.*s", (int)base, text);
    const bool known = base && catalog_has(CATALOG_SYSTEMS, name);
    size_t used = known ? strlen(system->id) : 0;
    for (const char *at = text + (known ? base : 0) + strspn(text + (known ? base : 0), " \t\n");
         *at && used + 1 < sizeof system->id;) {
        const struct span word = next_word(at);
        if (!is_price(word))
            used += (size_t)snprintf(system->id + used, sizeof system->id - used, "%s%.*s",
                                     used ? " " : "", (int)word.length, word.at);
        at = end_of(word) + strspn(end_of(word), " \t\n");
    }
}

enum rk_status synthetic_read(const char *text, int depth, struct rk_system *system,
                              struct rk_error *error)
{
    struct rk_system read = {0};
    const struct parser parser = {text, &read, error};
    fields_preset(kernels_fields, &read.kernels);
    const size_t base = synthetic_base(text);
    for (struct span word = next_word(text); word.length; word = next_word(end_of(word)))
        if (is(word, "+"))
            return fail(&parser, word.at,
                        "this takes one cluster: reckon search finds plans over several");
    enum rk_status status = base ? load_base(&parser, base, depth) : RK_OK;
    struct span word = next_word(text + base);
    for (; status == RK_OK && word.length; word = next_word(end_of(word))) {
        if (is(word, "then")) continue;
        status = check_once(&parser, word);
        if (status == RK_OK) status = read_word(&parser, word);
    }
    if (status == RK_OK) status = check_complete(&parser);
    if (status != RK_OK) {
        rk_system_release(&read);
        return status;
    }
    set_rates(&read);
    set_id(&read, text, base);
    *system = read;
    return RK_OK;
}
