/* capture.h - programs that start a training run, replaced by ones that write down how they were
 * called: this executable under their names, first on PATH (`reckon capture`).
 *
 * srun and mpirun are written down and start their command, so that a script that they run is
 * followed too. Python is written down where it runs a file or starts ranks; else the real one
 * runs, as for `python -c`.
 */
#ifndef RECKON_CLI_CAPTURE_H
#define RECKON_CLI_CAPTURE_H

#include <stdbool.h>

/* The names, ended by NULL. */
extern const char *const capture_names[];

/* Variables of the environment: the folder with these names, in which "started" is; PATH without
 * it; words of srun or mpirun that started this, as a line of a shell. */
#define CAPTURE_FOLDER "RECKON_CAPTURE"
#define CAPTURE_PATH   "RECKON_CAPTURE_PATH"
#define CAPTURE_OUTER  "RECKON_CAPTURE_OUTER"

/* Was this executable started under one of the names, by a script that is captured? */
bool capture_stands_in(const char *name);

/* Writes down how, and ends or becomes the command that continues. Returns the exit status. */
int capture_stand_in(int argc, char **argv);

#endif
