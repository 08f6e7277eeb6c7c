/* megatron_flags.h - arguments of Megatron-LM that a model or a plan depends on.
 *
 * They are those of Megatron Core and those of its ancestors and relatives, from the sources of
 * Megatron-LM v1.0 to v2.6, of Megatron-DeepSpeed (microsoft, bigscience-workshop),
 * Pai-Megatron-Patch and MindSpeed-LLM.
 *
 * One table for reading, writing, version checks and help. Versions are those of Megatron Core, by
 * the minor number of 0.9 to 0.19, as found in megatron/training/arguments.py and the dataclasses
 * that it makes arguments of, at the tags core_v0.9.0 ... core_v0.19.0 [megatron-lm].
 */
#ifndef RECKON_MEGATRON_MEGATRON_FLAGS_H
#define RECKON_MEGATRON_MEGATRON_FLAGS_H

#include <stdbool.h>

enum { MEGATRON_OLDEST = 9, MEGATRON_NEWEST = 19 };

/* Whose arguments they are. */
enum megatron_tool {
    MEGATRON_CORE = 1 << 0,      /* Megatron-LM on Megatron Core */
    MEGATRON_2 = 1 << 1,         /* Megatron-LM before it: 1.0 to 3.0 */
    MEGATRON_DEEPSPEED = 1 << 2, /* Megatron-DeepSpeed */
    MEGATRON_PAI = 1 << 3,       /* Pai-Megatron-Patch */
    MEGATRON_MINDSPEED = 1 << 4,
    MEGATRON_LLM = 1 << 5, /* Megatron-LLM of EPFL, whose arguments have underscores */
    MEGATRON_OLD = MEGATRON_2 | MEGATRON_DEEPSPEED | MEGATRON_LLM
};

enum megatron_kind {
    MEGATRON_SWITCH, /* no value */
    MEGATRON_COUNT,  /* a whole number */
    MEGATRON_COUNTS, /* one or more whole numbers, all the same */
    MEGATRON_NUMBER,
    MEGATRON_WORD,   /* any text, or one of the choices */
    MEGATRON_PATH,   /* any text, which may be missing or unknown */
    MEGATRON_LIST,   /* one or more words, each of the choices */
    MEGATRON_REFUSED /* makes a model or a run that plans do not describe */
};

/* data/formats/megatron-plan.csv: ROW(id, name, kind, since, until, tools, choices, sets). Choices
 * are Core's and, after a semicolon, those of its relatives; *: any. */

/* Another name of an argument. */
struct megatron_alias {
    const char *name;
    int flag; /* enum megatron_flag */
    int tools;
};

enum megatron_flag {
#define ROW(id, name, kind, since, until, tools, choices, sets) MEGATRON_##id##_FLAG,
#include "tables/megatron-plan.h"
#undef ROW
    MEGATRON_FLAG_COUNT
};

struct megatron_flag_facts {
    const char *name; /* without "--" */
    enum megatron_kind kind;
    int since, until; /* minor versions; until 0: up to the newest; since 0: never in Core */
    const char *choices;
    const char *sets;
    int tools; /* enum megatron_tool of those not in Core */
};

extern const struct megatron_flag_facts megatron_flags[MEGATRON_FLAG_COUNT];

/* Index of the flag called so, with or without "--", perhaps by another name; -1: there is none.
 * *tools (may be NULL): who calls it so. */
int megatron_flag_find(const char *name, int *tools);

/* Is it in that version of core? */
bool megatron_flag_in(enum megatron_flag flag, int minor);

/* What an argument does that is in none of the tables above. */
enum megatron_effect {
    MEGATRON_NONE,         /* on shape and plan: data, logging, checkpoints, learning rates */
    MEGATRON_NOT_FOLLOWED, /* on time or memory, slightly */
    MEGATRON_NOT_COVERED   /* on both, or on the shape: such runs are refused */
};

/* Values that an argument takes. */
enum megatron_values {
    MEGATRON_NO_VALUE,
    MEGATRON_ONE_VALUE,
    MEGATRON_MANY_VALUES,
    MEGATRON_ONE_COUNT, /* a whole number, in all versions of Core */
    MEGATRON_ONE_NUMBER
};

struct megatron_other {
    const char *name;
    int values;       /* enum megatron_values */
    int since, until; /* of core; since 0: never there */
    int tools;        /* of those not in Core */
    enum megatron_effect effect;
    const char *why; /* what it changes; NULL where it has no effect */
};

/* False: its name says that it is about files, logs, data, seeds or learning rates, which change
 * neither time nor memory. */
bool megatron_name_matters(const char *name);

/* The row of data/formats/megatron.csv with that name, with underscores for dashes, too. False:
 * nothing is known of it. */
bool megatron_other_find(const char *name, struct megatron_other *other);

/* The known argument nearest to a misspelled one; NULL: none is near. */
const char *megatron_flag_nearest(const char *name);

#endif
