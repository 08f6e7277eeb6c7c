/* team.h - the ranks of a run that are in this process: one, or all as threads. */
#ifndef RECKON_RUN_TEAM_H
#define RECKON_RUN_TEAM_H

#include "run/job.h"

#include <pthread.h>

struct checkpoint;

struct team { /* what the ranks of this process share */
    const struct job *job;
    const struct rk_train_run *run;
    const struct engine_kind *kind;
    /* What each rank does when its engine is open; false: an error, which is noted. */
    bool (*work)(struct team *team, struct comm *comm, struct engine *engine);
    struct rk_train_result *result;
    struct checkpoint *checkpoint; /* NULL: from the seed */
    pthread_mutex_t lock;
    bool stop;         /* rank 0's */
    bool whole;        /* a step of this plan was not skipped */
    double *compute_s; /* (2 ranks): sums, on rank 0, and room to sort */
    struct came {      /* of the last step, by the first of the ranks that copies travel between */
        double *most;  /* (comes) of any of them */
        size_t comes;
    } * came;            /* (ranks) */
    double most_s;       /* computed by a rank of this process, by its clock, in the last step */
    struct rk_plan next; /* the plan to continue with, where `changes` */
    bool changes;
    const char *transit;           /* folder for the state in between */
    double left_s;                 /* when the plan before was left; 0: there was none */
    struct rk_token_score *scores; /* where job->score asks for them */
    uint64_t first, end;           /* samples to predict */
    bool alone;                    /* this process has one rank */
};

/* Are there as many processes as the plan has ranks? */
enum rk_status team_check(const struct comm *comm, const struct rk_plan *plan,
                          struct rk_error *error);

/* `comm` is this process's only rank, or NULL: all ranks are threads. */
enum rk_status team_run(struct team *team, struct comm *comm, struct rk_error *error);

/* Have all ranks of this process (their share of the whole) memory for so many numbers for each
 * parameter? Without it a run is killed, or swaps for ever, before it says a word. */
enum rk_status memory_suffices(const struct job *job, double share, int elements,
                               struct rk_error *error);

#endif
