/* launch_input.h - a launch script or a configuration of another tool as a model and a plan: what
 * `reckon import FILE` reads, for commands that take such a file in place of a plan. */
#ifndef RECKON_CLI_LAUNCH_INPUT_H
#define RECKON_CLI_LAUNCH_INPUT_H

#include "cli/options.h"
#include "keys/notes.h"
#include "keys/reader.h"
#include "megatron/megatron.h"
#include <reckon/reckon.h>

struct launch_source {
    const char *path, *model;           /* `model` NULL: the file's, or the one that it names */
    uint64_t gpus, vocabulary, variant; /* 0: as the file says */
    uint64_t machine;                   /* GPUs where neither says how many; 0: not known */
    const char *const *sets;            /* "NAME=VALUE" */
    size_t set_count;
    const char *const *ignored;
    size_t ignored_count;
};

struct launch {
    const struct plan_format *format; /* NULL: arguments of Megatron-LM */
    const char *tool;                 /* "torchtitan" */
    struct rk_model model;
    struct rk_plan plan;
    struct notes notes;
    char *text; /* of the file */
    size_t size;
    int version; /* the newest of Megatron Core that knows its arguments */
    bool core;   /* they are Megatron Core's: megatron_change() changes them */
    bool script; /* a shell script that starts the tool of `format` */
};

/* Is there a file of that name that is no plan file? A plan is in words then, or in a file. */
bool launch_is(const char *name);

/* Does it end as the names of files do, and there is none of that name? */
bool launch_is_absent(const char *name);

/* Is it a configuration that one of the readers of reader.h reads, by what stands in it? */
bool launch_is_config(const char *path);

/* RK_BAD_INPUT: no tool's file, one of a tool that is not read, or one that its reader refuses;
 * RK_BAD_ARGUMENT: it has no model, and none is given. The notes are valid in any case; release the
 * launch in any case. */
enum rk_status launch_open(const struct launch_source *source, struct launch *launch,
                           struct rk_error *error);

/* The same text with other sets, as knobs.h tries them. */
struct config_source launch_config(const struct launch_source *source, const struct launch *launch);
void launch_release(struct launch *launch); /* a zeroed one is fine */

/* What a configuration of `format` trains: `name`, or else the catalog's model that the file names
 * (a note says so). */
enum rk_status launch_model(const char *name, const struct config_source *source,
                            struct rk_model *model, struct notes *notes, struct rk_error *error);

/* Where a reader's results go. */
struct launch_answer {
    struct rk_model *model;
    struct rk_plan *plan;
    struct notes *notes;
};

/* Reads a configuration, or the script that starts it, of `model`; NULL: of the model that the
 * file or the command names. RK_BAD_ARGUMENT: there is none; the error says what else is missing.
 */
enum rk_status launch_read(const struct plan_format *format, const struct config_source *source,
                           const char *model, struct launch_answer *to, struct rk_error *error);

/* How many GPUs a machine has; 0: its line does not say, or there is none (NULL). */
uint64_t launch_machine(const char *system);

/* The id of a model that a file describes, from the file's name. */
void launch_name_model(const char *path, struct rk_model *model);

#endif
