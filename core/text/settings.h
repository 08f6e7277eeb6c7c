/* settings.h - a configuration file of another tool as a flat list of keys and values, whatever its
 * syntax: YAML and JSON (by libyaml, which reads both) or TOML.
 *
 * "zero_optimization.stage" is a key, "plugins.0" the first of a list. Values keep their text; what
 * it means is the business of keys.h.
 */
#ifndef RECKON_TEXT_SETTINGS_H
#define RECKON_TEXT_SETTINGS_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct setting {
    const char *key;
    const char *text; /* "" of null */
    bool quoted;      /* a string, whatever it looks like */
    bool null;        /* null, or an empty map or list */
    bool given;       /* by the caller's "KEY=VALUE" */
    bool referred;    /* another value refers to it: no key, unless its name decides the cost */
    bool stood_for; /* another value is nothing but a reference to it: that key tells what it is */
    int line, column;
    int earlier; /* the line of another value, which YAML's readers drop for this one; 0: none */
};

struct settings {
    char path[256];
    size_t count;
    struct setting *setting; /* (count) in the order of the file */
    uint32_t *place; /* hash table (places) of setting numbers plus 1, with linear probing */
    size_t places;   /* a power of two, or 0 */
    struct settings_memory *memory;
};

enum { SETTINGS_MAX_BYTES = 4 << 20, SETTINGS_MAX = 20000, SETTINGS_MAX_REPEATED = 2000 };

/* `path` names the text in messages and tells its syntax: TOML when it ends in ".toml". `sets` are
 * texts "KEY=VALUE" that win over the file. What values refer to stands in their place
 * (settings_refer). Of what YAML has twice the last counts. RK_BAD_INPUT with line and column:
 * what is none of them, a key of TOML given twice, more than one document that is not empty.
 * Release in every case. */
enum rk_status settings_read(struct settings *settings, const char *path, const char *text,
                             const char *const *sets, size_t set_count, struct rk_error *error);

/* The two of which readers of other syntaxes are made: an empty list but for the sets, and one more
 * setting, which a set of the same key leaves out. */
enum rk_status settings_begin(struct settings *settings, const char *path, const char *const *sets,
                              size_t set_count, struct rk_error *error);
enum rk_status settings_put(struct settings *settings, const char *key, const char *text,
                            bool quoted, bool null, int line, struct rk_error *error);

/* NULL when there is none. */
const struct setting *settings_find(const struct settings *settings, const char *key);

/* Does any key begin so, "deepspeed." ? */
bool settings_has(const struct settings *settings, const char *prefix);

/* Dashes of all keys become underscores, for tools that know no difference. */
void settings_underscore(struct settings *settings);

/* A copy of the text that lives as long as the settings; NULL: no memory. */
const char *settings_keep(struct settings *settings, const char *text);

/* Puts what they refer to in the place of values such as "${.hidden_size}"; of "${oc.env:A,4}" what
 * a set gives A, or 4. */
enum rk_status settings_refer(struct settings *settings, struct rk_error *error);

/* RK_BAD_INPUT at a setting: "KEY: " and the text. */
enum rk_status settings_fail(const struct settings *settings, const struct setting *setting,
                             struct rk_error *error, const char *format, ...) RK_PRINTF(4, 5);

/* The same at a key that may be missing. */
enum rk_status settings_fail_key(const struct settings *settings, const char *key,
                                 struct rk_error *error, const char *format, ...) RK_PRINTF(4, 5);

/* A zeroed one is fine. */
void settings_release(struct settings *settings);

#endif
