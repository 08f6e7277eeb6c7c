#include "keys/keys.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- rows ---- */

/* How well a row fits a key: its length, 0: not at all. The longest wins, the key itself always. */
static size_t fits(const char *path, const char *key)
{
    const size_t length = strlen(key);
    size_t n = strlen(path);
    if (strcmp(path, key) == 0) return SIZE_MAX;
    if (n > 3 && strcmp(path + n - 3, ".**") == 0) n--; /* a section of which nothing counts */
    if (n > 2 && *path == '*' && path[n - 1] == '*') {  /* anywhere */
        char middle[64];
        snprintf(middle, sizeof middle, "%.*s", (int)(n - 2), path + 1);
        return strstr(key, middle) ? n : 0;
    }
    if (n > 1 && path[n - 1] == '*') { /* "a.*" */
        const bool below = strncmp(path, key, n - 1) == 0;
        const bool whole = path[n - 2] == '.' && length == n - 2 && !strncmp(path, key, n - 2);
        return below || whole ? n : 0;
    }
    if (*path == '*' && length >= n - 1 && strcmp(key + length - (n - 1), path + 1) == 0) return n;
    return 0;
}

const struct key *key_find(const struct key_table *table, const char *key)
{
    const struct key *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < table->count; i++) {
        const size_t fit = fits(table->row[i].path, key);
        if (fit <= most) continue;
        most = fit;
        best = &table->row[i];
    }
    return best;
}

/* Python's argparse takes as much of a name as no other option begins with. Own options of a
 * program are mostly short: what is taken for a part of a name has two words of it. */
enum { LEAST_ABBREVIATION = 8 };

const char *key_abbreviated(const struct key_table *table, const char *name)
{
    const size_t n = strlen(name);
    const char *full = NULL;
    if (n < LEAST_ABBREVIATION || !strchr(name, '_') || key_find(table, name)) return NULL;
    for (const struct key *row = table->row; row < table->row + table->count; row++) {
        if (strncmp(row->path, name, n) != 0 || strchr(row->path, '*')) continue;
        if (full && strcmp(full, row->path) != 0) return NULL;
        full = row->path;
    }
    return full;
}

bool key_ignored(const char *const *ignored, size_t count, const char *name, bool below)
{
    for (size_t i = 0; i < count; i++)
        for (const char *p = ignored[i]; *p;) {
            p += strspn(p, "-,");
            const size_t n = strcspn(p, ",");
            if (n && strncmp(name, p, n) == 0 && (!name[n] || (below && name[n] == '.')))
                return true;
            p += n;
        }
    return false;
}

static bool is_ignored(const struct key_options *options, const char *key)
{
    return options && key_ignored(options->ignored, options->ignored_count, key, true);
}

/* ---- values ---- */

int key_flag(const char *text)
{
    static const char *const on[] = {"true", "1", "on", "yes", NULL};
    static const char *const off[] = {"false", "0", "off", "no", NULL};
    for (int i = 0; on[i]; i++) {
        if (strcasecmp(text, on[i]) == 0) return 1;
        if (strcasecmp(text, off[i]) == 0) return 0;
    }
    return -1;
}

/* What a tool would take as well: "2_048", "5e8", 16.0. */
static bool read_number(const char *text, double *number)
{
    char plain[64], *end;
    size_t used = 0;
    for (const char *p = text; *p && used + 1 < sizeof plain; p++)
        if (*p != '_') plain[used++] = *p;
    plain[used] = '\0';
    *number = strtod(plain, &end);
    return end != plain && !*end && isfinite(*number);
}

static bool store(const struct key *row, const char *text, void *target)
{
    char *at = (char *)target + row->offset;
    double number = 0;
    int value;
    switch (row->use) {
    case KEY_COUNT:
    case KEY_INTEGER:
        if (!read_number(text, &number) || number != floor(number) || fabs(number) > 1e15)
            return false;
        if (row->use == KEY_COUNT && number < 0) return false;
        if (row->use == KEY_COUNT)
            *(uint64_t *)(void *)at = (uint64_t)number;
        else
            *(int64_t *)(void *)at = (int64_t)number;
        return true;
    case KEY_NUMBER:
        return read_number(text, (double *)(void *)at);
    case KEY_FLAG:
        value = key_flag(text);
        if (value >= 0) *(bool *)(void *)at = value;
        return value >= 0;
    case KEY_WORD:
        value = text_word(row->words, text, strlen(text), true);
        if (value >= 0) *(int *)(void *)at = value;
        return value >= 0;
    case KEY_TEXT:
        *(const char **)(void *)at = text;
        return true;
    case KEY_ON:
    case KEY_OFF:
        return key_flag(text) >= 0;
    default:
        return true;
    }
}

static const char *expected(const struct key *row, char *buffer, size_t size)
{
    static const char *const kinds[] = {[KEY_COUNT] = "a whole number, at least 0",
                                        [KEY_INTEGER] = "a whole number",
                                        [KEY_NUMBER] = "a number",
                                        [KEY_FLAG] = "true or false",
                                        [KEY_ON] = "true or false",
                                        [KEY_OFF] = "true or false"};
    if (row->use != KEY_WORD) return kinds[row->use];
    snprintf(buffer, size, "one of %s", row->words);
    return buffer;
}

/* ---- findings ---- */

struct reading {
    const struct settings *settings;
    const struct key_table *table;
    struct notes *notes;
};

/* A place to fill in: "auto", "???", "${BATCH}", "<batch>", "CONFIG_MBSIZE"; of a `word` capitals
 * may be one that is wrong. */
static bool is_open(const char *text, bool word)
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const size_t length = strlen(text);
    return strcmp(text, "auto") == 0 || strcmp(text, "???") == 0 || *text == '$' ||
           (*text == '<' && length && text[length - 1] == '>') || strncmp(text, "{{", 2) == 0 ||
           (!word && length > 4 && strspn(text, capitals) == length && !strspn(text, "0123456789"));
}

static void refuse_value(const struct reading *r, const struct setting *s, const struct key *row)
{
    char words[128], fix[208];
    if (is_open(s->text, row->use == KEY_WORD)) {
        snprintf(fix, sizeof fix, "give --set %s=VALUE", s->key);
        notes_add_rule(r->notes, "1.value", NOTE_REFUSED, s->line, s->column, s->key, s->text, fix,
                       "is filled in when the run starts");
        return;
    }
    snprintf(fix, sizeof fix, "correct it, or give --set %s=VALUE", s->key);
    notes_add_rule(r->notes, "1.value", NOTE_REFUSED, s->line, s->column, s->key, s->text,
                   s->given ? "" : fix, "must be %s", expected(row, words, sizeof words));
}

/* Words of names that decide what a run costs: no wildcard passes them. */
static const char *const deciding[] = {
#define ROW(part) part,
#include "tables/deciding.h"
#undef ROW
    NULL};

/* "eval_batch_size", "validation_dataset.seq_length": what is not trained on decides nothing. */
static bool is_evaluation(const char *text)
{
    static const char *const begins[] = {"eval", "valid", "val_", "test_", "ci.", "lighteval"};
    for (const char *part = text; part; part = strchr(part, '.')) {
        part += *part == '.';
        for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
            if (strncmp(part, begins[i], strlen(begins[i])) == 0) return true;
    }
    return strstr(text, "_eval_") != NULL;
}

bool key_may_cost(const char *name)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", name);
    for (char *p = text; *p; p++)
        if (*p == '-') *p = '_';
    for (int i = 0; deciding[i]; i++)
        if (strstr(text, deciding[i])) return true;
    return false;
}

/* By its name, or by keys of one's own that follow it: `--options run.batch_size 2`. */
static bool may_cost(const struct setting *s)
{
    return !is_evaluation(s->key) &&
           (key_may_cost(s->key) || (s->given && strchr(s->text, ' ') && key_may_cost(s->text)));
}

/* Hydra's list of files that are merged with this one: "defaults.0", "defaults.1.model". */
static bool of_defaults(const char *key)
{
    return strncmp(key, "defaults.", 9) == 0 && strspn(key + 9, "0123456789") > 0;
}

/* This file, what Hydra itself does, and what NeMo has for the overlap of tensor parallelism. */
static bool passes_default(const struct setting *s)
{
    return s->null || strcmp(s->text, "_self_") == 0 || strstr(s->key, "override hydra") ||
           strstr(s->key, "tp_overlap@");
}

static void refuse_default(const struct reading *r, const struct setting *s)
{
    char fix[208];
    snprintf(fix, sizeof fix, "merge it into this file, or give --ignore %.150s", s->key);
    notes_add_rule(r->notes, "1.unknown", NOTE_REFUSED, s->line, s->column, s->key, s->text, fix,
                   "is a file whose keys count, too");
}

/* Names of whole words: "vision_encoder", "max_video_frames". */
bool key_of_media(const char *key)
{
    static const char *const media[] = {"vision", "image", "images", "video",
                                        "videos", "audio", "speech", NULL};
    const char *last = strrchr(key, '.');
    for (const char *at = last ? last + 1 : key; *at; at += strspn(at, "_-")) {
        const size_t n = strcspn(at, "_-");
        for (int i = 0; media[i]; i++)
            if (strlen(media[i]) == n && strncmp(at, media[i], n) == 0) return true;
        at += n;
    }
    return false;
}

static void refuse_media(const struct reading *r, const struct setting *s)
{
    char fix[208];
    snprintf(fix, sizeof fix, "give --ignore %.150s to estimate the text's model alone", s->key);
    notes_add_rule(r->notes, "1.covered", NOTE_REFUSED, s->line, s->column, s->key, "", fix,
                   "is of images, video or sound, which plans do not cover");
}

static bool is_degree_of_one(const struct setting *s)
{
    return strcmp(s->text, "1") == 0 &&
           (strstr(s->key, "parallel_size") || strstr(s->key, "degree"));
}

static void refuse_unknown(const struct reading *r, const struct setting *s)
{
    if (key_of_media(s->key)) {
        refuse_media(r, s);
        return;
    }
    if (of_defaults(s->key)) {
        if (!passes_default(s)) refuse_default(r, s);
        return;
    }
    if (is_degree_of_one(s)) {
        notes_add(r->notes, NOTE_WARNING, s->line, s->column, s->key, s->text,
                  "is not known: passed over, since a degree of one divides nothing");
        return;
    }
    const char *names[2048], *nearest = NULL;
    char fix[208];
    size_t used = 0;
    if (r->notes->count == NOTES_MAX) { /* of thousands, no more than have room */
        r->notes->dropped++;
        return;
    }
    for (size_t i = 0; i < r->table->count && used + 1 < sizeof names / sizeof *names; i++)
        if (!strchr(r->table->row[i].path, '*')) names[used++] = r->table->row[i].path;
    names[used] = NULL;
    nearest = text_nearest(s->key, names);
    if (may_cost(s))
        snprintf(fix, sizeof fix,
                 "correct it, or say it by --set and this tool's keys, and --ignore it then");
    else
        snprintf(fix, sizeof fix, "correct it, or give --ignore %.150s", s->key);
    notes_add_rule(r->notes, "1.unknown", NOTE_REFUSED, s->line, s->column, s->key, "", fix,
                   "is not known%s%s%s", may_cost(s) ? KEY_MAY_COST : "",
                   nearest ? ", did you mean " : "", nearest ? nearest : "");
}

/* "<=1e6|auto": numbers up to that. */
static bool is_within(const char *words, double number)
{
    return number == 0 ||
           (words && strncmp(words, "<=", 2) == 0 && number <= strtod(words + 2, NULL));
}

static bool is_off(const struct key *row, const struct setting *s)
{
    double number;
    return s->null || !*s->text || key_flag(s->text) == 0 || strcasecmp(s->text, "none") == 0 ||
           text_word(row->words, s->text, strlen(s->text), true) >= 0 ||
           (read_number(s->text, &number) && is_within(row->words, number));
}

/* "sparse_attention.*": of a section that is not covered the first key is enough. */
static bool refuse_whole(const struct reading *r, const struct setting *s, const struct key *row)
{
    char section[64], fix[208];
    const size_t n = strlen(row->path);
    if (n < 3 || n > sizeof section || strcmp(row->path + n - 2, ".*") != 0) return false;
    snprintf(section, sizeof section, "%.*s", (int)(n - 2), row->path);
    for (int i = r->notes->count; i-- > 0;)
        if (strcmp(r->notes->note[i].what, section) == 0) return true;
    snprintf(fix, sizeof fix, "give --ignore %s to estimate the run without it", section);
    notes_add_rule(r->notes, "1.covered", NOTE_REFUSED, s->line, s->column, section, "", fix,
                   "%s, which plans do not cover", row->why);
    return true;
}

static void note_row(const struct reading *r, const struct setting *s, const struct key *row)
{
    char fix[208];
    if (is_off(row, s)) return;
    if (row->use == KEY_NOT_FOLLOWED) {
        notes_add_rule(r->notes, "1.followed", NOTE_WARNING, s->line, s->column, s->key, s->text,
                       "", "is not followed: %s", row->why);
        return;
    }
    if (refuse_whole(r, s, row)) return;
    if (strlen(s->key) > 40)
        snprintf(fix, sizeof fix, "give --ignore %.150s", s->key);
    else
        snprintf(fix, sizeof fix, "give --ignore %s to estimate the run without it", s->key);
    notes_add_rule(r->notes, "1.covered", NOTE_REFUSED, s->line, s->column, s->key, s->text, fix,
                   "%s, which plans do not cover", row->why);
}

static const struct key_given *find_given(const struct key_options *options,
                                          const struct setting *s)
{
    for (size_t i = 0; options && s->given && i < options->given_count; i++)
        if (strcmp(options->given[i].key, s->key) == 0) return &options->given[i];
    return NULL;
}

/* Of the command line of a script: a value that is not known, or a key that needs none. */
static bool judge_given(const struct reading *r, const struct setting *s, const struct key *row,
                        const struct key_given *given)
{
    if (!row && given->passed) {
        notes_add(r->notes, NOTE_WARNING, 0, 0, s->key, "",
                  "is not known: passed over, since by its name it is about files, logs, data, "
                  "seeds or learning rates");
        return true;
    }
    if (!row || !given->unknown || row->use == KEY_NONE || row->use == KEY_LATER) return false;
    notes_add_rule(r->notes, "1.value", NOTE_REFUSED, 0, 0, s->key, "", "", "%s", given->unknown);
    return true;
}

/* ---- keys that only a wildcard passes ---- */

/* Last words that many tools have, and that decide nothing. */
static const char *const plain[] = {
#define FORMAT_KEY(word, ...) word,
#include "tables/plain.h"
#undef FORMAT_KEY
    NULL};

/* An element of a list, "data.paths.3", is as its list. */
static bool is_plain(const char *key)
{
    char name[256];
    snprintf(name, sizeof name, "%s", key);
    char *dot = strrchr(name, '.');
    if (dot && dot[1] && !dot[1 + strspn(dot + 1, "0123456789")]) {
        *dot = '\0';
        dot = strrchr(name, '.');
    }
    if (dot && strcmp(dot, ".name") == 0) return !strstr(name, "optim");
    for (int i = 0; plain[i]; i++)
        if (strcmp(plain[i], dot ? dot + 1 : name) == 0) return true;
    return false;
}

/* Is the key known by its family's name alone? "modules.0" is an element of "modules.*". */
static bool is_of_family(const struct key *row, const char *key)
{
    const char *star = strchr(row->path, '*');
    const bool passes = row->use == KEY_NONE || row->use == KEY_NOT_FOLLOWED;
    if (!passes || !star || strcmp(row->path, key) == 0 || is_plain(key)) return false;
    const size_t n = (size_t)(star - row->path);
    if (strcmp(star, "**") == 0) return false;
    if (n == 0 || star[1]) return true;
    const char *rest = strlen(key) > n ? key + n : "";
    rest += *rest == '.';
    return rest[strspn(rest, "0123456789.")] != '\0';
}

/* By what the wildcard stands for: "zero_*" says nothing of zero_optimization.offload_param. */
static bool decides(const struct key *row, const char *key)
{
    const size_t known = strcspn(row->path, "*");
    const char *dot = strrchr(key, '.');
    const char *last = dot ? dot : key;
    if (is_evaluation(key)) return false;
    return key_may_cost(last) || (known && known < strlen(key) && key_may_cost(key + known));
}

struct family {
    char names[160];
    int line, column, count;
};

static void note_family(const struct reading *r, struct family *f)
{
    if (f->count)
        notes_add_rule(r->notes, "1.followed", NOTE_WARNING, f->line, f->column, "not known", "",
                       "", "%s: passed over, as others whose names begin so decide no cost",
                       f->names);
    *f = (struct family){.count = 0};
}

/* "train_data_weights.7": the list's first element stands for it. */
static bool continues_list(const struct setting *s)
{
    const char *dot = strrchr(s->key, '.');
    return dot && dot[1] && dot[1 + strspn(dot + 1, "0123456789")] == '\0' &&
           strcmp(dot, ".0") != 0;
}

/* As many names as find room are one remark. */
static void add_family(const struct reading *r, struct family *f, const struct setting *s)
{
    if (continues_list(s)) return;
    const size_t used = strlen(f->names);
    if (used + strlen(s->key) + 3 > sizeof f->names) note_family(r, f);
    if (!f->count) f->line = s->line, f->column = s->column;
    snprintf(f->names + strlen(f->names), sizeof f->names - strlen(f->names), "%s%.120s",
             f->count++ ? ", " : "", s->key);
}

bool key_passes(const struct key *row, const char *key, const struct setting *setting,
                struct notes *notes)
{
    const struct reading r = {.notes = notes};
    struct family family = {.count = 0};
    if (!row || row->use != KEY_NONE) return false;
    if (!is_of_family(row, key)) return true;
    if (decides(row, key) && !is_off(row, setting)) return false;
    add_family(&r, &family, setting);
    note_family(&r, &family);
    return true;
}

/* ---- files of another tool, with these keys in a section ---- */

/* What follows the section's name; NULL: it is in none. */
static const char *in_section(const struct reading *r, const struct setting *s)
{
    if (s->null || key_find(r->table, s->key)) return NULL;
    for (const char *dot = strchr(s->key, '.'); dot; dot = strchr(dot + 1, '.')) {
        const char *rest = dot + 1;
        const struct key *row = key_find(r->table, rest);
        if (row && row->use < KEY_NONE && strcmp(row->path, rest) == 0 && key_may_cost(rest) &&
            !settings_find(r->settings, rest))
            return rest;
    }
    return NULL;
}

/* One refusal for all: to ignore such keys one by one leaves the run without what it says. */
static bool refuse_section(const struct reading *r, const struct key_options *options)
{
    for (size_t i = 0; i < r->settings->count; i++) {
        const struct setting *s = &r->settings->setting[i];
        const char *rest = in_section(r, s);
        if (!rest || is_ignored(options, s->key)) continue;
        char fix[208];
        snprintf(fix, sizeof fix, "give what is below %.*s as a file of its own",
                 (int)(rest - 1 - s->key), s->key);
        notes_add_rule(r->notes, "1.unknown", NOTE_REFUSED, s->line, s->column, s->key, s->text,
                       fix, "this tool has the key without a name before it: " KEY_OF_ANOTHER);
        return true;
    }
    return false;
}

/* What was left out as asked, where nothing of the plan may say it. */
static void note_ignored(const struct reading *r, const struct setting *s, const struct key *row)
{
    if (!row && !s->given && !s->null && key_may_cost(s->key) && !is_evaluation(s->key))
        notes_add(r->notes, NOTE_WARNING, s->line, s->column, s->key, s->text,
                  "is left out, as --ignore says: by its name it may decide what the run costs");
}

enum rk_status keys_read(const struct settings *settings, const struct key_table *table,
                         const struct key_options *options, void *target, struct notes *notes,
                         struct rk_error *error)
{
    const struct reading r = {settings, table, notes};
    struct family family = {.count = 0};
    for (const struct key *row = table->row; row < table->row + table->count; row++)
        if (row->preset) store(row, row->preset, target);
    if (refuse_section(&r, options)) return notes_refusal(notes, settings->path, error);
    for (size_t i = 0; i < settings->count; i++) {
        const struct setting *s = &settings->setting[i];
        const struct key *row = key_find(table, s->key);
        const struct key_given *given = find_given(options, s);
        if (is_ignored(options, s->key)) {
            note_ignored(&r, s, row);
            continue;
        }
        if (given && judge_given(&r, s, row, given)) continue;
        if (s->earlier)
            notes_add(notes, NOTE_WARNING, s->line, s->column, s->key, s->text,
                      "is given twice: that of line %d is dropped, as the tool does", s->earlier);
        const bool of_family = row && is_of_family(row, s->key);
        const bool variable = s->stood_for || (s->referred && !key_may_cost(s->key));
        const bool unknown = row ? row->use == KEY_SET && !s->given : !variable && !s->null;
        if (unknown || (of_family && decides(row, s->key) && !is_off(row, s)))
            refuse_unknown(&r, s);
        else if (!row)
            continue; /* a variable of the file, or null, which says no more than its absence */
        else if (of_family && row->use == KEY_NONE)
            add_family(&r, &family, s);
        else if (row->use == KEY_SET)
            continue;
        else if (row->use >= KEY_NOT_FOLLOWED)
            note_row(&r, s, row);
        else if (row->use != KEY_NONE && !s->null && !store(row, s->text, target))
            refuse_value(&r, s, row);
    }
    note_family(&r, &family);
    return notes_refusal(notes, settings->path, error);
}

enum rk_status keys_take(const struct settings *settings, const struct key_table *table,
                         void *target, struct rk_error *error)
{
    char words[128];
    for (size_t i = 0; i < settings->count; i++) {
        const struct setting *s = &settings->setting[i];
        const struct key *row = s->null ? NULL : key_find(table, s->key);
        if (row && !store(row, s->text, target))
            return settings_fail(settings, s, error, "must be %s",
                                 expected(row, words, sizeof words));
    }
    return RK_OK;
}
