#include "shard/roles.h"

#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum place { TOP, LAYER };
enum form { PLAIN, TURNED, STACKED, STACKED_TURNED };

static const struct row {
    enum place place;
    const char *name;
    enum shard_role role;
    enum form form;
    const char *types;
} rows[] = {
#define ROW(place, name, role, form, types) {place, name, ROLE_##role, form, types},
#include "tables/tensors.h"
#undef ROW
};

enum { ROWS_COUNT = sizeof rows / sizeof *rows };

const char *shard_role_name(enum shard_role role)
{
    static const char *const names[] = {
#define SHARD_ROLE_TEXT(role, name) name,
        SHARD_ROLES(SHARD_ROLE_TEXT)
#undef SHARD_ROLE_TEXT
    };
    return names[role];
}

/* ---- names ---- */

static const struct {
    const char *end;
    enum tensor_leaf leaf;
} leaves[] = {
    {".weight", LEAF_WEIGHT},
    {".bias", LEAF_BIAS},
    {".weight_scale_inv", LEAF_BLOCK_SCALES},
    {".weight_scale", LEAF_SCALES},
    {".input_scale", LEAF_SCALES},
};

/* Length of the name without its leaf. */
static size_t take_leaf(const char *name, enum tensor_leaf *leaf)
{
    const size_t length = strlen(name);
    *leaf = LEAF_WEIGHT;
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++)
        if (text_part_ends_in(name, length, leaves[i].end)) {
            *leaf = leaves[i].leaf;
            return length - strlen(leaves[i].end);
        }
    return length;
}

/* A number of at most 9 digits that is a whole part of the name; its length, or 0. */
static size_t number_at(const char *text, size_t length, int64_t *number)
{
    size_t digits = 0;
    *number = 0;
    while (digits < length && digits < 10 && isdigit((unsigned char)text[digits]))
        *number = *number * 10 + (text[digits++] - '0');
    const bool ends = digits == length || text[digits] == '.' || text[digits] == '/';
    return digits > 0 && digits < 10 && ends ? digits : 0;
}

/* Finds the first number of the name, and sets `rest` to the text after it. */
static bool find_layer(const char *name, size_t length, int64_t *layer, size_t *rest)
{
    for (size_t at = 0; at < length; at++) {
        if (at > 0 && name[at - 1] != '.' && name[at - 1] != '/') continue; /* Flax has '/' */
        const size_t digits = number_at(name + at, length - at, layer);
        if (digits && at + digits < length) {
            *rest = at + digits + 1;
            return true;
        }
    }
    *layer = -1;
    return false;
}

/* Does `text` (length) say `pattern`, all of it? */
static bool matches(const char *pattern, const char *text, size_t length, int64_t *expert)
{
    size_t at = 0;
    *expert = -1;
    for (; *pattern; pattern++) {
        if (pattern[0] == '{') {
            const size_t digits = number_at(text + at, length - at, expert);
            if (!digits) return false;
            at += digits;
            pattern++; /* '}' */
        } else if (at == length || text[at++] != *pattern) {
            return false;
        }
    }
    return at == length;
}

/* `text` ends in `pattern`, at the beginning of a part. */
static bool ends_with(const char *pattern, const char *text, size_t length)
{
    const size_t size = strlen(pattern);
    return text_part_ends_in(text, length, pattern) &&
           (size == length || text[length - size - 1] == '.');
}

static bool has_type(const char *types, const char *type)
{
    return !*types || (type && strcmp(types, type) == 0);
}

/* Norms have many names, and all of them say so in their last part. */
static bool is_norm(const char *name, size_t length)
{
    size_t at = length;
    while (at > 0 && name[at - 1] != '.')
        at--;
    for (size_t i = at; i + 4 <= length; i++)
        if (strncasecmp(name + i, "norm", 4) == 0) return true;
    return length - at >= 3 && memcmp(name + at, "ln_", 3) == 0;
}

/* Does a part of the name begin with `word`? */
static bool has_part(const char *name, size_t length, const char *word)
{
    const size_t size = strlen(word);
    for (size_t at = 0; at + size <= length;) {
        if (memcmp(name + at, word, size) == 0) return true;
        const char *dot = memchr(name + at, '.', length - at);
        if (!dot) return false;
        at = (size_t)(dot - name) + 1;
    }
    return false;
}

/* Parts of models that see or hear, whose layers are no layers of this model. */
static bool is_foreign(const char *name, size_t length)
{
    static const char *const towers[] = {"visual.", "vision", "audio", "multi_modal_projector",
                                         "mm_",     NULL};
    for (const char *const *tower = towers; *tower; tower++)
        if (has_part(name, length, *tower)) return true;
    return false;
}

static const struct row *find_row(const char *name, size_t length, size_t rest, bool layer,
                                  const char *type, int64_t *expert)
{
    for (int i = 0; i < ROWS_COUNT; i++) {
        const struct row *row = &rows[i];
        if ((row->place == LAYER) != layer) continue;
        *expert = -1;
        if ((layer ? matches(row->name, name + rest, length - rest, expert)
                   : ends_with(row->name, name, length)) &&
            has_type(row->types, type))
            return row;
    }
    return NULL;
}

struct part part_of(const char *name, const char *type)
{
    struct part part = {.role = ROLE_UNKNOWN, .expert = -1};
    size_t rest = 0;
    const size_t length = take_leaf(name, &part.leaf);
    const bool layer = find_layer(name, length, &part.layer, &rest);
    /* "mtp.layers.0", "model.mtp_layers.0" are counted by themselves. */
    if (layer && has_part(name, length, "mtp")) part.layer += PART_PREDICTING;
    if (is_foreign(name, length)) {
        part.layer = -1; /* not of this model */
        return part;
    }
    const struct row *row = find_row(name, length, rest, layer, type, &part.expert);
    if (row) {
        part.role = row->role;
        part.turned = row->form == TURNED || row->form == STACKED_TURNED;
        part.stacked = row->form == STACKED || row->form == STACKED_TURNED;
    } else if (is_norm(name, length)) {
        part.role = layer ? ROLE_NORM : ROLE_FINAL_NORM;
    }
    /* buffers of masks are called bias */
    part.parameter = part.role != ROLE_BUFFER && part.leaf <= LEAF_BIAS;
    return part;
}

const char *part_nearest(const char *name)
{
    const char *names[ROWS_COUNT + 1];
    enum tensor_leaf leaf;
    int64_t layer;
    size_t rest = 0;
    char tail[128];
    const size_t length = take_leaf(name, &leaf);
    if (!find_layer(name, length, &layer, &rest)) {
        const char *dot = memrchr(name, '.', length);
        rest = dot ? (size_t)(dot - name) + 1 : 0;
    }
    snprintf(tail, sizeof tail, "%.*s", (int)(length - rest), name + rest);
    for (int i = 0; i < ROWS_COUNT; i++)
        names[i] = rows[i].name;
    names[ROWS_COUNT] = NULL;
    return text_nearest(tail, names);
}
