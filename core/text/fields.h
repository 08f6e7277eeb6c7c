/* fields.h - one table of fields: how a JSON object becomes a C struct.
 *
 * A row says the key, its type and unit, where it goes, its range and default. From the rows come
 * loading, checking, the messages for unknown and missing keys, and the tables of the manual.
 */
#ifndef RECKON_TEXT_FIELDS_H
#define RECKON_TEXT_FIELDS_H

#include "base/units.h"
#include "text/document.h"
#include <stdint.h>

enum field_type {
    FIELD_COUNT,  /* uint64_t: an integer, at most 2^53 */
    FIELD_TIER,   /* int: an integer */
    FIELD_NUMBER, /* double; with a unit also a string such as "80GiB" */
    FIELD_BOOL,   /* bool */
    FIELD_CHOICE, /* an enum: the index of the name in `choices` */
    FIELD_SET,    /* unsigned: bits 1 << index; a list of names of `choices`, not empty */
    FIELD_SHARE,  /* double [size][max], all rows alike: 0.5 is a half in column 0, 1 all of it, 1.5
                     a half in column 1, 2 all of it there, ... true is 1; [0.5, 1.5] half and half
                   */
    FIELD_TEXT,   /* char [size]: not empty, fits */
    FIELD_SOURCE, /* one text or a list of them; checked, not kept: see catalog.h */
    FIELD_OTHER   /* `load` reads it */
};

enum field_need { FIELD_OPTIONAL, FIELD_REQUIRED };

struct field {
    const char *key; /* NULL ends a table */
    enum field_type type;
    enum field_need need;
    const char *unit; /* of a plain number: "GB/s"; NULL: none */
    size_t offset;
    double min, max;             /* allowed, in the unit of the key; max 0: no limit */
    bool above_min, below_max;   /* min or max itself is not allowed */
    bool unlimited;              /* the text "unlimited" is infinity */
    double preset;               /* value of an optional key that is not there */
    size_t size;                 /* FIELD_TEXT, FIELD_SHARE */
    const char *const *choices;  /* FIELD_CHOICE, FIELD_SET; ended by NULL */
    const char *const *meanings; /* of the choices; may be NULL */
    unsigned predictors;         /* of a plan: who gives it a meaning, plan/members.h */
    bool switches;               /* FIELD_CHOICE: the first two are also said as no and yes */
    enum rk_status (*load)(const struct place *place, void *target, struct rk_error *error);
    const char *help;
    const char *word; /* the key in one line of text; NULL: there is none */
};

/* Sets every field of the table in the struct at `target`: from `object`, or to its preset
 * (FIELD_OTHER and FIELD_TEXT without a key stay as they are). RK_BAD_INPUT at the first thing
 * wrong: not an object, an unknown key, a missing key, a value of the wrong type or range. */
enum rk_status fields_load(const struct place *object, const struct field *fields, void *target,
                           struct rk_error *error);

/* One value by one row; `place` need not be a member of that name. */
enum rk_status field_load(const struct place *place, const struct field *field, void *target,
                          struct rk_error *error);

/* The presets alone. */
void fields_preset(const struct field *fields, void *target);

/* ---- for readers of other texts than JSON ---- */

/* Stores a count, an index, 0 or 1, bits, or a number in SI units. */
void field_store(const struct field *field, void *target, double number);

/* What field_store stores; only for the types that it stores. */
double field_value(const struct field *field, const void *target);

/* Bytes that the row has in the struct; 0 for types that are not stored. */
size_t field_size(const struct field *field);

/* FIELD_SHARE in more than one column: adds one to those stored; and all of them, at most
 * FIELD_COLUMNS, as such numbers. Returns how many. */
enum { FIELD_COLUMNS = 8 };
void field_add_share(const struct field *field, void *target, double number);
int field_shares(const struct field *field, const void *target, double number[FIELD_COLUMNS]);

/* Is the number, in SI units, in the range of the row? "> 0 GB/s and <= 1" says the range. */
bool field_allows(const struct field *field, double number);
void field_range(const struct field *field, char *buffer, size_t size);

/* "a, b, c", or "a, b, ..." where there are too many. */
void field_list(const char *const *names, char *buffer, size_t size);

/* ---- checks that loaders of FIELD_OTHER share ---- */

enum rk_status place_need_object(const struct place *place, struct rk_error *error);

/* An array of `min` to `max` elements. */
enum rk_status place_need_array(const struct place *place, size_t min, size_t max,
                                struct rk_error *error);

/* Fails when `object` has a key that is not in `keys` (ended by NULL). */
enum rk_status place_need_keys(const struct place *object, const char *const *keys,
                               struct rk_error *error);

#endif
