/* adapt.h - a run that is watched: what its steps say of the machine, and when another plan pays.
 *
 * Each record of a step gives estimates of four factors: how much slower the processors are than
 * described, how much of the inner and of the outer networks' bandwidth there is, how much more
 * memory is used than predicted. A factor is believed when the median of the last records has moved
 * away from what is believed by more than a dead band, so that single outliers and noise change
 * nothing. When what is believed, the sequence, the batch or the ranks change, the best plan is
 * searched for on the machine as it is believed to be.
 *
 * A switch costs the state that changes its rank (switching.h), a restart and lost steps. It is
 * made when the time lost to the better plan has added up to that cost, or at once when the steps
 * that are left would lose several times as much. What is gained while the present plan is the
 * better one is taken off the sum: a network that comes and goes faster than a switch pays back is
 * sat out. Going back to a plan that was left needs twice the sum of the last time. When the plan
 * cannot continue (ranks are gone, the memory does not hold a longer sequence) the best of what can
 * is taken at once.
 */
#ifndef RECKON_ADVISE_ADAPT_H
#define RECKON_ADVISE_ADAPT_H

#include "advise/switching.h"

#include <reckon/advise.h>

/* Of a step; what is not known is 0. */
struct adapt_record {
    uint64_t step;
    double step_s;
    double compute_s;    /* not communication, not waiting */
    double inner_s;      /* waiting for tensor, context, expert parallelism */
    double outer_s;      /* ... for data parallelism and messages between stages */
    double memory_bytes; /* peak of the fullest rank */
    double slowest;      /* the slowest rank's computing over the median rank's */
    uint64_t sequence, batch, ranks;
    uint64_t phase_left; /* steps until sequence or batch change, as the run's ramps have it */
};

/* What the machine is believed to be, as factors of what it is described as; 1: as described. */
enum adapt_factor { ADAPT_COMPUTE, ADAPT_INNER, ADAPT_OUTER, ADAPT_MEMORY, ADAPT_FACTORS };
extern const char *const adapt_factor_names[]; /* "compute", "inner", "outer", "memory" */

enum { ADAPT_WINDOW = 15 };

struct adapt_options {
    uint64_t steps;    /* of the whole run; 0: not known */
    double restart_s;  /* of processes and communicators, and to load what runs */
    double lost_steps; /* by a failure, since the last checkpoint */
    double least_gain; /* share of a step; less is no reason to switch */
    double room;       /* as in struct rk_aim: of the memory that is believed in */
    int threads;
    bool (*stop)(void *context);
    void *context;
};

struct adapt_options adapt_options_default(void); /* 60 s, 10 steps, 2 % */

enum adapt_event_kind {
    ADAPT_NOTHING,
    ADAPT_BELIEF,  /* a factor changed */
    ADAPT_SWITCH,  /* it pays */
    ADAPT_FORCED,  /* the plan could not continue */
    ADAPT_STRANDED /* it cannot, and no other plan can */
};
extern const char *const adapt_event_names[];

struct adapt_event {
    enum adapt_event_kind kind;
    uint64_t step;
    double factor[ADAPT_FACTORS];
    struct rk_plan from, to; /* of a switch */
    bool full;               /* the plan gone to leaves less memory than options say: none does */
    double filled;           /* ... the share that it is predicted to take of what is believed */
    double from_s, to_s;     /* a step, as believed; 0: cannot run */
    struct switching move;
    double cost_s;     /* all of the switch */
    double pays_steps; /* after so many */
    const char *why;   /* static */
};

struct adapt;

/* `plan` runs at first. NULL and an error when there is no memory, or the framework is calculon.
 * Model and system must outlive it. */
struct adapt *adapt_open(const struct rk_model *model, const struct rk_system *system,
                         const struct rk_plan *plan, const struct adapt_options *options,
                         struct rk_error *error);
void adapt_close(struct adapt *adapt);

/* Takes a record in; the plan that runs from now on is event->to after a switch. RK_NO_MEMORY: no
 * memory; RK_BAD_INPUT: other ranks of a machine of several clusters. */
enum rk_status adapt_take(struct adapt *adapt, const struct adapt_record *record,
                          struct adapt_event *event, struct rk_error *error);

const struct rk_plan *adapt_plan(const struct adapt *adapt);

/* The machine with these factors. Release it. */
enum rk_status adapt_machine(struct rk_system *to, const struct rk_system *from,
                             const double factor[ADAPT_FACTORS], struct rk_error *error);

#endif
