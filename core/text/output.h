/* output.h - a file that appears whole or not at all, compressed when its name ends in ".gz".
 *
 * Output goes to a temporary file next to the target, which output_commit renames. "-" is standard
 * output; a target that is not a regular file (a device, a pipe) is written directly.
 */
#ifndef RECKON_TEXT_OUTPUT_H
#define RECKON_TEXT_OUTPUT_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stdio.h>

struct output {
    char path[4096];   /* as the caller named it */
    char target[4096]; /* links followed */
    char beside[4096]; /* "" when the target itself is written */
    FILE *file;        /* write here; text is compressed on the way */
    struct output
        *next; /* that is open, too: stays where it is until it is committed or abandoned */
};

/* RK_IO when the file cannot be written; nothing is left to release then. */
enum rk_status output_open(struct output *output, const char *path, struct rk_error *error);

/* Can the file be opened for writing? Leaves nothing on disk. NULL and standard output always
 * can. */
enum rk_status output_try(const char *path, struct rk_error *error);

/* Finishes the file and puts it in its place. On failure nothing appears. */
enum rk_status output_commit(struct output *output, struct rk_error *error);

/* Gives up: no trace is left. Fine on a zeroed or committed struct. */
void output_abandon(struct output *output);

/* For the handler of a signal that ends the process: removes the temporary files. */
void output_remove_all(void);

/* RK_IO of the output's file and, where errno has it, why it could not be written. */
enum rk_status output_fail(const struct output *output, struct rk_error *error);

/* An error of writing that names no file gets the output's name. */
void output_blame(const struct output *output, struct rk_error *error);

/* All of it: `write` fills the file from `what`. `path` NULL: nothing is written. */
enum rk_status output_write(const char *path,
                            enum rk_status (*write)(FILE *, const void *what, struct rk_error *),
                            const void *what, struct rk_error *error);

/* "-"; false of NULL. */
bool output_is_stdout(const char *path);

#endif
