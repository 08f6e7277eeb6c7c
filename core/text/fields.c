#include "text/fields.h"
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_KEYS = 128 };

static const double largest_count = 9007199254740992; /* 2^53: beyond it doubles skip integers */

/* ---- shares ---- */

static size_t column_of(double number)
{
    return number > 0 ? (size_t)ceil(number) - 1 : 0;
}

static void store_share(const struct field *field, double *share, double number)
{
    const size_t columns = (size_t)field->max;
    const size_t column = column_of(number);
    for (size_t i = 0; i < field->size * columns; i++)
        share[i] = i % columns == column ? number - (double)column : 0;
}

void field_add_share(const struct field *field, void *target, double number)
{
    double *share = (double *)(void *)((char *)target + field->offset);
    const size_t columns = (size_t)field->max, column = column_of(number);
    for (size_t i = column; i < field->size * columns; i += columns)
        share[i] = number - (double)column;
}

int field_shares(const struct field *field, const void *target, double number[FIELD_COLUMNS])
{
    const double *share = (const double *)(const void *)((const char *)target + field->offset);
    int count = 0;
    for (size_t column = 0; column < (size_t)field->max && column < FIELD_COLUMNS; column++)
        if (share[column] > 0) number[count++] = (double)column + share[column];
    return count;
}

/* That of the first row. */
static double share_value(const struct field *field, const double *share)
{
    for (size_t column = 0; column < (size_t)field->max; column++)
        if (share[column] > 0) return (double)column + share[column];
    return 0;
}

/* ---- presets ---- */

void field_store(const struct field *field, void *base, double number)
{
    char *target = (char *)base + field->offset;
    uint64_t count;
    unsigned bits;
    int index;
    bool flag;
    switch (field->type) {
    case FIELD_COUNT:
        count = (uint64_t)number;
        memcpy(target, &count, sizeof count);
        break;
    case FIELD_TIER:
    case FIELD_CHOICE:
        index = (int)number;
        memcpy(target, &index, sizeof index);
        break;
    case FIELD_SET:
        bits = (unsigned)number;
        memcpy(target, &bits, sizeof bits);
        break;
    case FIELD_NUMBER:
        memcpy(target, &number, sizeof number);
        break;
    case FIELD_BOOL:
        flag = number != 0;
        memcpy(target, &flag, sizeof flag);
        break;
    case FIELD_SHARE:
        store_share(field, (double *)(void *)target, number);
        break;
    case FIELD_TEXT:
    case FIELD_SOURCE:
    case FIELD_OTHER:
        break;
    }
}

double field_value(const struct field *field, const void *base)
{
    const char *at = (const char *)base + field->offset;
    uint64_t count = 0;
    unsigned bits;
    double number;
    int index;
    bool flag;
    switch (field->type) {
    case FIELD_TIER:
    case FIELD_CHOICE:
        memcpy(&index, at, sizeof index);
        return index;
    case FIELD_SET:
        memcpy(&bits, at, sizeof bits);
        return bits;
    case FIELD_NUMBER:
        memcpy(&number, at, sizeof number);
        return number;
    case FIELD_BOOL:
        memcpy(&flag, at, sizeof flag);
        return flag;
    case FIELD_COUNT:
        memcpy(&count, at, sizeof count);
        break;
    case FIELD_SHARE:
        return share_value(field, (const double *)(const void *)at);
    case FIELD_TEXT:
    case FIELD_SOURCE:
    case FIELD_OTHER:
        break;
    }
    return (double)count;
}

size_t field_size(const struct field *field)
{
    switch (field->type) {
    case FIELD_BOOL:
        return sizeof(bool);
    case FIELD_TIER:
    case FIELD_CHOICE:
        return sizeof(int);
    case FIELD_SET:
        return sizeof(unsigned);
    case FIELD_NUMBER:
        return sizeof(double);
    case FIELD_SHARE:
        return field->size * (size_t)field->max * sizeof(double);
    case FIELD_COUNT:
        return sizeof(uint64_t);
    default:
        return 0;
    }
}

static struct unit field_unit(const struct field *field)
{
    struct unit unit = {QUANTITY_PLAIN, 1, 1};
    if (field->unit) {
        const bool known = unit_find(field->unit, strlen(field->unit), &unit);
        assert(known); /* a slip in a table of fields */
        (void)known;
    }
    return unit;
}

static void field_preset(const struct field *field, void *target)
{
    const struct unit unit = field_unit(field);
    field_store(field, target, unit_to_si(&unit, field->preset));
}

void fields_preset(const struct field *fields, void *target)
{
    for (; fields->key; fields++)
        field_preset(fields, target);
}

/* ---- numbers ---- */

void field_range(const struct field *field, char *buffer, size_t size)
{
    const char *space = field->unit ? " " : "", *unit = field->unit ? field->unit : "";
    const int used = snprintf(buffer, size, "%s %.16g%s%s",
                              field->above_min ? ">" : ">=", field->min, space, unit);
    if (field->max != 0 && (size_t)used < size)
        snprintf(buffer + used, size - (size_t)used, " and %s %.16g%s%s",
                 field->below_max ? "<" : "<=", field->max, space, unit);
}

bool field_allows(const struct field *field, double number)
{
    const struct unit unit = field_unit(field);
    const double min = unit_to_si(&unit, field->min), max = unit_to_si(&unit, field->max);
    if (field->above_min ? number <= min : number < min) return false;
    return field->max == 0 || (field->below_max ? number < max : number <= max);
}

static enum rk_status fail_range(const struct place *place, const struct field *field,
                                 struct rk_error *error)
{
    char range[128], got[PLACE_TEXT];
    field_range(field, range, sizeof range);
    return place_fail(place, error, "must be %s, got %s", range, place_describe(got, place));
}

/* An integer, or a real number that is one: 1e12. */
static enum rk_status load_count(const struct place *place, const struct field *field,
                                 double *number, struct rk_error *error)
{
    char got[PLACE_TEXT];
    if (!json_is_number(place->value) ||
        json_number_value(place->value) != floor(json_number_value(place->value)))
        return place_fail(place, error, "must be an integer, got %s", place_describe(got, place));
    *number = json_number_value(place->value);
    const bool exact = !json_is_integer(place->value) ||
                       (json_integer_value(place->value) <= (json_int_t)largest_count &&
                        json_integer_value(place->value) >= -(json_int_t)largest_count);
    if (*number > largest_count || !exact)
        return place_fail(place, error, "must be at most 2^53 = %.0f, got %s", largest_count,
                          place_describe(got, place));
    return field_allows(field, *number) ? RK_OK : fail_range(place, field, error);
}

static enum rk_status fail_number(const struct place *place, const struct field *field,
                                  enum quantity quantity, struct rk_error *error)
{
    char got[PLACE_TEXT];
    place_describe(got, place);
    if (!field->unit)
        return place_fail(place, error, "must be a number, got %s", place_describe(got, place));
    return place_fail(place, error, "must be a number in %s or %s, got %s", field->unit,
                      quantity_example(quantity), place_describe(got, place));
}

static enum rk_status load_number(const struct place *place, const struct field *field,
                                  double *number, struct rk_error *error)
{
    const struct unit unit = field_unit(field);
    if (json_is_number(place->value)) {
        *number = unit_to_si(&unit, json_number_value(place->value));
    } else if (json_is_string(place->value) && (field->unit || field->unlimited)) {
        struct units_error problem;
        if (!quantity_parse(json_string_value(place->value), json_string_length(place->value),
                            unit.quantity, field->unlimited, number, &problem))
            return place_fail(place, error, "%s", problem.text);
        if (isinf(*number)) return RK_OK; /* "unlimited" */
    } else {
        return fail_number(place, field, unit.quantity, error);
    }
    if (!isfinite(*number))
        return place_fail(place, error, "must be finite: the number is too large");
    return field_allows(field, *number) ? RK_OK : fail_range(place, field, error);
}

/* ---- the other types ---- */

void field_list(const char *const *names, char *buffer, size_t size)
{
    const size_t room = size - sizeof ", ...";
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; names[i]; i++) {
        const char *comma = i ? ", " : "";
        const bool fits = used + strlen(comma) + strlen(names[i]) <= room;
        used +=
            (size_t)snprintf(buffer + used, size - used, "%s%s", comma, fits ? names[i] : "...");
        if (!fits) return;
    }
}

static enum rk_status load_choice(const struct place *place, const struct field *field,
                                  double *number, struct rk_error *error)
{
    char list[256], got[PLACE_TEXT];
    const char *text = json_string_value(place->value);
    *number = json_is_true(place->value);
    if (field->switches && json_is_boolean(place->value)) return RK_OK;
    for (int i = 0; text && field->choices[i]; i++)
        if (strcmp(text, field->choices[i]) == 0) {
            *number = i;
            return RK_OK;
        }
    const char *nearest = text ? text_nearest(text, field->choices) : NULL;
    field_list(field->choices, list, sizeof list);
    place_describe(got, place);
    return place_fail(place, error, "must be one of %s; got %s%s%s%s", list,
                      place_describe(got, place), nearest ? "; did you mean \"" : "",
                      nearest ? nearest : "", nearest ? "\"?" : "");
}

/* A list of names, each once. */
static enum rk_status load_set(const struct place *place, const struct field *field, double *number,
                               struct rk_error *error)
{
    unsigned bits = 0;
    enum rk_status status = place_need_array(place, 1, 32, error);
    for (size_t i = 0; status == RK_OK && i < json_array_size(place->value); i++) {
        const struct place element = place_element(place, i);
        double index = 0;
        status = load_choice(&element, field, &index, error);
        const unsigned bit = 1u << (unsigned)index;
        if (status == RK_OK && bits & bit)
            return place_fail(&element, error, "stands in the list twice: leave one out");
        bits |= bit;
    }
    *number = bits;
    return status;
}

static enum rk_status load_bool(const struct place *place, double *number, struct rk_error *error)
{
    char got[PLACE_TEXT];
    *number = json_is_true(place->value);
    if (json_is_boolean(place->value)) return RK_OK;
    return place_fail(place, error, "must be true or false, got %s", place_describe(got, place));
}

static enum rk_status load_text(const struct place *place, const struct field *field, char *target,
                                struct rk_error *error)
{
    char got[PLACE_TEXT];
    const size_t length = json_string_length(place->value);
    if (!json_is_string(place->value) || !length)
        return place_fail(place, error, "must be a text, got %s", place_describe(got, place));
    if (field->size && length >= field->size)
        return place_fail(place, error, "is %zu bytes long: at most %zu", length, field->size - 1);
    if (!text_is_name(json_string_value(place->value)))
        return place_fail(place, error, "holds a control character or no UTF-8: leave it out");
    if (field->size) memcpy(target, json_string_value(place->value), length + 1);
    return RK_OK;
}

static enum rk_status check_source(const struct place *place, struct rk_error *error)
{
    const struct field text = {.type = FIELD_TEXT};
    if (!json_is_array(place->value)) return load_text(place, &text, NULL, error);
    enum rk_status status = place_need_array(place, 1, 64, error);
    for (size_t i = 0; status == RK_OK && i < json_array_size(place->value); i++) {
        const struct place element = place_element(place, i);
        status = load_text(&element, &text, NULL, error);
    }
    return status;
}

static enum rk_status load_shares(const struct place *place, const struct field *field,
                                  void *target, struct rk_error *error)
{
    enum rk_status status = place_need_array(place, 1, (size_t)field->max, error);
    if (status == RK_OK) field_store(field, target, 0);
    for (size_t i = 0; status == RK_OK && i < json_array_size(place->value); i++) {
        const struct place element = place_element(place, i);
        double number = 0;
        status = load_number(&element, field, &number, error);
        if (status == RK_OK) field_add_share(field, target, number);
    }
    return status;
}

enum rk_status field_load(const struct place *place, const struct field *field, void *target,
                          struct rk_error *error)
{
    char *at = target ? (char *)target + field->offset : NULL; /* of a text only to be checked */
    double number = 0;
    enum rk_status status = RK_OK;
    switch (field->type) {
    case FIELD_COUNT:
    case FIELD_TIER:
        status = load_count(place, field, &number, error);
        break;
    case FIELD_NUMBER:
        status = load_number(place, field, &number, error);
        break;
    case FIELD_SHARE:
        if (json_is_array(place->value)) return load_shares(place, field, target, error);
        if (json_is_boolean(place->value))
            number = json_is_true(place->value);
        else
            status = load_number(place, field, &number, error);
        break;
    case FIELD_BOOL:
        status = load_bool(place, &number, error);
        break;
    case FIELD_CHOICE:
        status = load_choice(place, field, &number, error);
        break;
    case FIELD_SET:
        status = load_set(place, field, &number, error);
        break;
    case FIELD_TEXT:
        return load_text(place, field, at, error);
    case FIELD_SOURCE:
        return check_source(place, error);
    case FIELD_OTHER:
        return field->load(place, at, error);
    }
    if (status == RK_OK) field_store(field, target, number);
    return status;
}

/* ---- objects ---- */

enum rk_status place_need_object(const struct place *place, struct rk_error *error)
{
    char got[PLACE_TEXT];
    if (json_is_object(place->value)) return RK_OK;
    return place_fail(place, error, "must be an object, {...}, got %s", place_describe(got, place));
}

enum rk_status place_need_array(const struct place *place, size_t min, size_t max,
                                struct rk_error *error)
{
    char got[PLACE_TEXT];
    if (!json_is_array(place->value))
        return place_fail(place, error, "must be a list, [...], got %s",
                          place_describe(got, place));
    const size_t size = json_array_size(place->value);
    if (size < min)
        return place_fail(place, error, "must have at least %zu element%s, has %zu", min,
                          min == 1 ? "" : "s", size);
    if (size > max)
        return place_fail(place, error, "must have at most %zu element%s, has %zu", max,
                          max == 1 ? "" : "s", size);
    return RK_OK;
}

/* Files that people mistake for each other, by keys that only they have: a table that has all of
 * `keys` is of this kind, and an object that has some of them or of `more`. */
static const struct {
    const char *what;
    const char *keys[5], *more[7];
} kinds[] = {
    {"a model", {"layers", "hidden", "feedforward"}, {"kv_heads", "vocabulary"}},
    {"a system", {"memory", "network", "matrix"}, {NULL}},
    {"a plan",
     {"tensor", "pipeline", "framework", "microbatch"},
     {"gpus", "zero", "data", "gradient_overlap", "weight_overlap", "recompute"}},
    {"a plan over clusters, which reckon predict `plan` takes", {"round", "stages"}, {"plan"}},
    {"a study", {"models", "systems", "figures", "columns"}, {NULL}},
    {"a config.json of Hugging Face",
     {"hidden_size", "num_hidden_layers", "model_type", "architectures"},
     {NULL}},
    {"a configuration of DeepSpeed",
     {"zero_optimization", "train_batch_size", "train_micro_batch_size_per_gpu"},
     {NULL}},
    {"a strategy of the tool calculon", {"tensor_par", "pipeline_par", "data_par"}, {"num_procs"}},
    {"the answer of a command", {"command", "best", "counts", "reasons"}, {NULL}},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static bool is_among(const char *key, const char *const *keys)
{
    while (*keys && strcmp(*keys, key) != 0)
        keys++;
    return *keys != NULL;
}

/* The kind whose keys are all `keys` of a table; -1 where the table is of no whole file. */
static int kind_of_table(const char *const *keys)
{
    for (int kind = 0; kind < KINDS; kind++) {
        int i = 0;
        while (kinds[kind].keys[i] && is_among(kinds[kind].keys[i], keys))
            i++;
        if (!kinds[kind].keys[i]) return kind;
    }
    return -1;
}

static int kind_of_object(const json_t *object)
{
    int found = -1, most = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        int count = 0;
        for (int i = 0; kinds[kind].keys[i]; i++)
            count += json_object_get(object, kinds[kind].keys[i]) != NULL;
        for (int i = 0; kinds[kind].more[i]; i++)
            count += json_object_get(object, kinds[kind].more[i]) != NULL;
        if (count <= most) continue;
        most = count;
        found = kind;
    }
    return found;
}

static enum rk_status fail_unknown(const struct place *object, const struct place *member,
                                   const char *const *keys, struct rk_error *error)
{
    char quoted[TEXT_QUOTE], list[400];
    const char *nearest = text_nearest(member->key, keys);
    const int wanted = kind_of_table(keys), is = kind_of_object(object->value);
    text_quote(quoted, member->key, strlen(member->key));
    if (wanted >= 0 && is >= 0 && is != wanted)
        return place_fail_key(member, error,
                              "unknown key %s: this looks like %s, %s is wanted here", quoted,
                              kinds[is].what, kinds[wanted].what);
    if (nearest)
        return place_fail_key(member, error, "unknown key %s; did you mean \"%s\"?", quoted,
                              nearest);
    field_list(keys, list, sizeof list);
    return place_fail_key(member, error, "unknown key %s; known here: %s", quoted, list);
}

enum rk_status place_need_keys(const struct place *object, const char *const *keys,
                               struct rk_error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach(object->value, key, value)
    {
        struct place member;
        if (is_among(key, keys)) continue;
        place_member(object, key, &member);
        return fail_unknown(object, &member, keys, error);
    }
    return RK_OK;
}

static enum rk_status check_keys(const struct place *object, const struct field *fields,
                                 struct rk_error *error)
{
    const char *keys[MAX_KEYS + 1] = {NULL};
    for (size_t i = 0; fields[i].key; i++) {
        assert(i < MAX_KEYS);
        keys[i] = fields[i].key;
    }
    return place_need_keys(object, keys, error);
}

static enum rk_status fail_missing(const struct place *object, const struct field *field,
                                   struct rk_error *error)
{
    return place_fail(object, error, "missing key \"%s\"%s%s%s: add it", field->key,
                      field->help ? " (" : "", field->help ? field->help : "",
                      field->help ? ")" : "");
}

enum rk_status fields_load(const struct place *object, const struct field *fields, void *target,
                           struct rk_error *error)
{
    enum rk_status status = place_need_object(object, error);
    if (status == RK_OK) status = check_keys(object, fields, error);
    for (; status == RK_OK && fields->key; fields++) {
        struct place member;
        if (place_member(object, fields->key, &member))
            status = field_load(&member, fields, target, error);
        else if (fields->need == FIELD_REQUIRED)
            status = fail_missing(object, fields, error);
        else
            field_preset(fields, target);
    }
    return status;
}
