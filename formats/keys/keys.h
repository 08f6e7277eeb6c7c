/* keys.h - one table of keys for each format: what a setting means, or that it does not matter.
 *
 * Every key of a file is in its table: read into a member of the target, known not to matter, not
 * followed (a warning), or not covered (a refusal); what is in no row is refused by name, with the
 * nearest one, until the caller ignores it.
 */
#ifndef RECKON_KEYS_KEYS_H
#define RECKON_KEYS_KEYS_H

#include "keys/notes.h"
#include "text/settings.h"
#include <stdint.h>

enum key_use {
    KEY_COUNT,   /* uint64_t */
    KEY_INTEGER, /* int64_t */
    KEY_NUMBER,  /* double */
    KEY_FLAG,    /* bool */
    KEY_WORD,    /* int: the index in `words` ("a|b|c"), in any case */
    KEY_TEXT,    /* const char *: lives as long as the settings */
    KEY_VALUE,   /* an argument of Megatron-LM, `why`, with this value (config_words.c) */
    KEY_ON,      /* ... that is there when the value is true */
    KEY_OFF,     /* ... when it is false */
    KEY_MAP,     /* arguments by the value: "silu=--swiglu|gelu=" in its words; others refused */
    KEY_NONE,    /* does not matter here; what only a wildcard passes is named, and refused where
                    its name says that it decides what a run costs */
    KEY_LATER,   /* another table reads it, or refuses it */
    KEY_SET,     /* a variable of the file's values, which --set gives; no key of the file */
    KEY_NOT_FOLLOWED, /* changes time or memory slightly: a warning unless it is off */
    KEY_NOT_COVERED   /* makes a run that plans do not describe: refused unless it is off */
};

struct key {
    const char *path; /* "zero_optimization.stage"; "optimizer.*": all below; "*_steps": at its end;
                         "*_x_*" */
    enum key_use use;
    size_t offset;      /* of the member; a preset stays where the file has no such key, or null */
    const char *words;  /* KEY_WORD; of others the values that mean off, in addition to false, 0 and
                           none */
    const char *why;    /* KEY_NOT_FOLLOWED, KEY_NOT_COVERED: what it changes */
    const char *preset; /* what the member is before a file is read; NULL: what it was */
};

struct key_table {
    const struct key *row;
    size_t count;
};
#define KEY_TABLE(rows)                                                                            \
    {                                                                                              \
        rows, sizeof(rows) / sizeof *(rows)                                                        \
    }

/* A key that the command line of a script gives. */
struct key_given {
    const char *key, *unknown; /* why its value is not known, and how to give it; NULL: it is */
    bool passed;               /* with a warning, where no row knows it: by its name */
};

struct key_options {
    const char *const *ignored; /* "a,b": keys that are passed over, and all below them */
    size_t ignored_count;
    const struct key_given *given;
    size_t given_count;
};

/* Reads the settings into `target` by the table. What is wrong is in `notes`, what
 * is refused too (rules 1.unknown, 1.value, 1.covered); the first refusal is the error. A value
 * "auto" of a row that is read is refused: --set gives it. */
enum rk_status keys_read(const struct settings *settings, const struct key_table *table,
                         const struct key_options *options, void *target, struct notes *notes,
                         struct rk_error *error);

/* Reads what the table has rows for into `target` and judges no other key. RK_BAD_INPUT at a value
 * that a row does not take. */
enum rk_status keys_take(const struct settings *settings, const struct key_table *table,
                         void *target, struct rk_error *error);

/* Stands in what is said of an unknown key whose name says that it may decide what a run costs. */
#define KEY_MAY_COST ", and may decide what the run costs"

/* Does a word of the name, "sp-sequence_parallel_size", say so? */
bool key_may_cost(const char *name);

/* Is a word of the name, "--vision-seq-length", of images, video or sound? */
bool key_of_media(const char *name);
/* Ends what is said of a file whose keys are those of a tool in a section. */
#define KEY_OF_ANOTHER "this is another's file"

/* Is the name one of those that the caller passes over, "a,b" or "a" each? `below`: or below one.
 */
bool key_ignored(const char *const *ignored, size_t count, const char *name, bool below);

/* The row of a key; NULL: none. */
const struct key *key_find(const struct key_table *table, const char *name);

/* The only key of the table that begins so, as argparse takes an option; NULL: it is a key itself,
 * or there is none, or several. */
const char *key_abbreviated(const struct key_table *table, const char *name);

/* Is it a key that a row of KEY_NONE passes? One that only its family's name passes is named in
 * `notes`; it is not passed where its name says that it decides what a run costs. */
bool key_passes(const struct key *row, const char *key, const struct setting *setting,
                struct notes *notes);

/* "true", "1", "on", "yes": whether a text is on, off (0) or neither (-1). */
int key_flag(const char *text);

#endif
