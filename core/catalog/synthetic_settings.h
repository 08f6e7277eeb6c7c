/* synthetic_settings.h - a setting of a one-line system: a part, a property and a value. */
#ifndef RECKON_CATALOG_SYNTHETIC_SETTINGS_H
#define RECKON_CATALOG_SYNTHETIC_SETTINGS_H

#include "base/units.h"
#include "catalog/one_line.h"
#include <reckon/system.h>

struct parser {
    const char *text;
    struct rk_system *system;
    struct rk_error *error;
};

#define fail(parser, at, ...) one_line_fail((parser)->error, (parser)->text, at, __VA_ARGS__)

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

const struct property *synthetic_find_property(const struct property *properties, struct span name);

/* A word in a message, with the nearest of `names`. */
enum rk_status synthetic_fail_name(const struct parser *parser, struct span name, const char *what,
                                   const char *const *names);

enum rk_status synthetic_set_property(const struct parser *parser, struct span value,
                                      const struct property *property, void *part);

/* ssd=N*DRIVE{,raid=10}{,path=host}{,write_amplification=1.2}{,retention_gain=86}
 * {,capacity_shared_by=8}{,bandwidth_shared_by=8}: one tier more. */
enum rk_status synthetic_read_drives(const struct parser *parser, struct span value);

enum rk_status synthetic_set_named(const struct parser *parser, struct span name, struct span value,
                                   const struct property *properties, void *part);

enum rk_status synthetic_set_memory(const struct parser *parser, struct span part,
                                    struct span property, struct span value);

enum rk_status synthetic_set_network(const struct parser *parser, struct span part,
                                     struct span property, struct span value);

/* Splits the outermost network into one of `size` accelerators below a leaf switch and one between
 * leaves, where each accelerator has 1/`over` of the bandwidth. leaf=SIZE{,over=RATIO}; a repeated
 * leaf splits the level above. */
enum rk_status synthetic_split_network(const struct parser *parser, struct span value);

#endif
