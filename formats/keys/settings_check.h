/* settings_check.h - what a tool refuses of a configuration when it starts, as notes: ranges and
 * words of single keys, and pairs. A value "auto" is somebody else's to give, and nothing is said
 * of it. */
#ifndef RECKON_KEYS_SETTINGS_CHECK_H
#define RECKON_KEYS_SETTINGS_CHECK_H

#include "keys/reader.h"

struct settings_check {
    const struct settings *settings;
    struct notes *notes;
};

/* NULL: not there, null, or "auto". */
const struct setting *check_find(const struct settings_check *c, const char *key);
bool check_is_on(const struct settings_check *c, const char *key);
bool check_says(const struct settings_check *c, const char *key, const char *text);

/* NAN, with which nothing compares: not there, or no number. */
double check_number(const struct settings_check *c, const char *key);

/* A NOTE_REFUSED at the key, with its value. */
void check_refuse(const struct settings_check *c, const char *rule, const char *key,
                  const char *fix, const char *need);

struct check_range {
    const char *key;
    double least, most;
    bool below; /* `most` itself is not in it */
};
void check_ranges_of(const struct settings_check *c, const struct check_range *ranges,
                     size_t count);

struct check_words {
    const char *key, *words; /* "a|b|c" */
};
void check_words_of(const struct settings_check *c, const struct check_words *words, size_t count);

struct check_pair {
    bool broken;
    const char *rule, *key, *need, *fix;
};
void check_pairs_of(const struct settings_check *c, const struct check_pair *pairs, size_t count);

#define CHECK_COUNT(list) (sizeof(list) / sizeof *(list))

/* What the tool of a format refuses, where something is known of it; of a text that can be read. */
void settings_check(const char *format, const struct config_source *source, struct notes *notes);

/* deepspeed_check.c */
void deepspeed_check(const struct settings_check *c, uint64_t gpus);

#endif
