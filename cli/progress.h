/* progress.h - a long job on a terminal: a bar on standard error, and SIGINT and SIGTERM as a wish
 * to stop.
 *
 * One job at a time. The bar is drawn ten times a second at most, first after a quarter of a
 * second, and only on a terminal; a second signal of the same kind ends the process as usual.
 */
#ifndef RECKON_CLI_PROGRESS_H
#define RECKON_CLI_PROGRESS_H

#include <reckon/command.h>
#include <reckon/search.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what; /* "plans" */
    bool draw;
    bool drawn;
    double started_s, drawn_s;
    bool began;     /* `first` is known */
    uint64_t first; /* what was done when the job began to tell: it may continue from a state */
    double first_s;
};

/* From now on jobs are those of rk_command(): no bar, no signals; `tell` (NULL: nobody) hears of
 * them and can stop them. Off again: as before. */
void progress_embed(bool on, rk_command_progress *tell, void *context);

void progress_start(struct progress *progress, const char *what);

/* Since then. */
double progress_seconds(const struct progress *progress);

/* What a search calls (struct rk_query.progress), with a struct progress as context. */
bool progress_step(void *context, uint64_t done, uint64_t total, double best_s);

/* rk_ask() under this bar; RK_INTERRUPTED when it was asked to stop. */
enum rk_status progress_ask(struct progress *progress, const struct rk_space *space,
                            const struct rk_query *query, struct rk_answer *answer,
                            struct rk_error *error);

/* Was the job that was started last asked to stop? */
bool progress_stopped(void);

/* The exit code of a job that was asked to stop: 130 after SIGINT, 143 after SIGTERM. */
int progress_code(void);

/* Wipes the bar and gives the signals back. True when the job was asked to stop. */
bool progress_end(struct progress *progress);

#endif
