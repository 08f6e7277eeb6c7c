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
#include "catalog/kernels.h"
#include "catalog/one_line.h"
#include "catalog/readers.h"
#include "catalog/synthetic_settings.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- engines ---- */

/* clang-format off */
static const struct property engine_properties[] = {
    { "peak",            VALUE_QUANTITY, QUANTITY_FLOP_PER_S,  false,    offsetof(struct rk_engine, peak_flops) },
    { "efficiency",      VALUE_CURVE,    QUANTITY_FLOP,        false,    offsetof(struct rk_engine, curve) },
    { 0 },
};
/* clang-format on */

static enum rk_status find_datatype(const struct parser *parser, struct span name, int *datatype)
{
    const char *names[RK_DATATYPES + 1] = {NULL};
    for (int i = 0; i < RK_DATATYPES; i++) {
        names[i] = rk_datatype_name((enum rk_datatype)i);
        if (span_is(name, names[i])) {
            *datatype = i;
            return RK_OK;
        }
    }
    return synthetic_fail_name(parser, name, "datatype", names);
}

static enum rk_status set_engine(const struct parser *parser, struct span property,
                                 struct span value, struct rk_engine *engine)
{
    if (!property.length && span_is(value, "none")) {
        *engine = (struct rk_engine){0};
        return RK_OK;
    }
    if (!engine->curve.steps) /* new */
        engine->curve = (struct rk_curve){.steps = 1, .step = {{.efficiency = 1}}};
    return property.length ? synthetic_set_named(parser, property, value, engine_properties, engine)
                           : synthetic_set_property(parser, value, &engine_properties[0], engine);
}

/* Without a datatype: all that the engine has. */
static enum rk_status set_engines(const struct parser *parser, struct span part,
                                  struct span property, struct span value,
                                  struct rk_engine *engines)
{
    struct span first, rest;
    span_cut(property, '.', &first, &rest);
    int datatype = 0;
    if (first.length && !synthetic_find_property(engine_properties, first)) {
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
        if (span_is(value, names[i])) {
            parser->system->processing = (enum rk_processing)i;
            return RK_OK;
        }
    return synthetic_fail_name(parser, value, "processing", names);
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
    return span_begins(span, prefix) && span.length > skip && isdigit((unsigned char)span.at[skip]);
}

/* A price is of a run, and no part of what the machine is: the id is without it. */
static bool is_price(struct span word)
{
    return span_begins(word, "price=");
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
                    "price: give US dollars per accelerator-hour, price=2.5, or an offer of "
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
    if (span_is(target, "price")) return set_price(parser, value);
    if (span_cut(target, '.', &part, &property) && !property.length)
        return fail(parser, property.at, "expected a property after the dot");
    if (!value.length)
        return fail(parser, value.at,
                    "expected a value after %.*s=", (int)(target.length < 40 ? target.length : 40),
                    target.at);
    if (span_is(part, "ssd") && !property.length) return synthetic_read_drives(parser, value);
    if (span_is(part, "hbm") || numbered(part, "mem"))
        return synthetic_set_memory(parser, part, property, value);
    if (numbered(part, "net")) return synthetic_set_network(parser, part, property, value);
    if (span_is(part, "leaf") && !property.length) return synthetic_split_network(parser, value);
    if (span_is(part, "matrix"))
        return set_engines(parser, part, property, value, parser->system->matrix);
    if (span_is(part, "vector"))
        return set_engines(parser, part, property, value, parser->system->vector);
    if (span_is(part, "kernels")) return set_kernels(parser, property, value);
    if (span_is(part, "processing") && !property.length) return set_processing(parser, value);
    return synthetic_fail_name(parser, part, "part", parts);
}

static enum rk_status read_devices(const struct parser *parser, struct span number)
{
    uint64_t devices;
    if (!span_integer(number, &devices) || !devices)
        return fail(parser, number.at, "must be a number of accelerators from 1 to 2^53: x4096");
    parser->system->devices = devices;
    return RK_OK;
}

static enum rk_status read_domain(const struct parser *parser, struct span number)
{
    uint64_t size;
    if (!span_integer(number, &size) || !size)
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
    if (!span_cut(word, '=', &key, &value))
        while (key.length && isdigit((unsigned char)key.at[key.length - 1]))
            key.length--;
    return key;
}

bool catalog_is_system_word(const char *text)
{
    const struct span word = {text, strlen(text)}, key = key_of(word);
    struct span part, property;
    if (span_is(key, "x") || span_is(key, "nvl")) return key.length < word.length;
    span_cut(key, '.', &part, &property);
    bool known = numbered(part, "mem") || numbered(part, "net");
    for (const char *const *name = parts; *name; name++)
        known |= span_is(part, *name);
    return known && key.length < word.length && text[key.length] == '=';
}

/* Drives, leaves and a tier that is taken away may be followed by more of the kind. */
static bool may_come_again(struct span word)
{
    struct span key, value;
    span_cut(word, '=', &key, &value);
    return span_is(key, "ssd") || span_is(key, "leaf") || span_is(value, "none");
}

/* The word before `end` that sets the same, since the last "then"; none: its length is 0. */
static struct span same_before(const char *text, const char *end, struct span word)
{
    const struct span key = key_of(word);
    struct span found = {text, 0};
    for (struct span other = span_next(text + synthetic_base(text)); other.length && other.at < end;
         other = span_next(span_end(other))) {
        const struct span same = key_of(other);
        if (span_is(other, "then") || span_is(other, "+"))
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
    for (struct span word = span_next(words); word.length; word = span_next(span_end(word)))
        again |= same_before(base, base + strlen(base), word).length > 0;
    return (size_t)snprintf(text, size, "%s%s %s", base, again ? " then" : "", words) < size;
}

static enum rk_status read_word(const struct parser *parser, struct span word)
{
    char said[TEXT_QUOTE];
    struct span target, value;
    if (span_cut(word, '=', &target, &value)) return read_setting(parser, target, value);
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
    const struct span word = span_next(text);
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
        const struct span word = span_next(at);
        if (!is_price(word))
            used += (size_t)snprintf(system->id + used, sizeof system->id - used, "%s%.*s",
                                     used ? " " : "", (int)word.length, word.at);
        at = span_end(word) + strspn(span_end(word), " \t\n");
    }
}

enum rk_status synthetic_read(const char *text, int depth, struct rk_system *system,
                              struct rk_error *error)
{
    struct rk_system read = {0};
    const struct parser parser = {text, &read, error};
    fields_preset(kernels_fields, &read.kernels);
    const size_t base = synthetic_base(text);
    for (struct span word = span_next(text); word.length; word = span_next(span_end(word)))
        if (span_is(word, "+"))
            return fail(&parser, word.at,
                        "this takes one cluster: give one of those that + joins; reckon search, "
                        "predict and check take plans over several");
    enum rk_status status = base ? load_base(&parser, base, depth) : RK_OK;
    struct span word = span_next(text + base);
    for (; status == RK_OK && word.length; word = span_next(span_end(word))) {
        if (span_is(word, "then")) continue;
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
