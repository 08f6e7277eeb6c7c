/* search_job.h - what `reckon search` was asked, and one search of it on its way. */
#ifndef RECKON_CLI_SEARCH_JOB_H
#define RECKON_CLI_SEARCH_JOB_H

#include "cli/axes.h"
#include "cli/number_list.h"
#include "cli/options.h"
#include "cli/plan_axes.h"
#include "cli/progress.h"
#include "cli/show.h"
#include "cli/state_file.h"
#include "search/expression.h"
#include <reckon/reckon.h>

enum search_space { SPACE_CLASSIC, SPACE_MODERN };

struct search_args {
    struct option_texts models, systems;
    const char *gpus, *batch; /* number lists; NULL: not given */
    int datatype;             /* -1: not given */
    struct axis_values axes;
    struct plan_axis_values plan_axes;
    int space, framework; /* -1: not given */
    uint64_t sequence;    /* 0: not given */
    struct option_texts words;
    uint64_t top, threads;
    bool exhaustive, explain, quiet;
    const char *output, *state;
    const char *where, *sort, *pareto, *all;
    bool why, sensitivity;
    struct show_args show;
};

/* The defaults of an empty command line. */
#define SEARCH_ARGS_INIT                                                                           \
    {                                                                                              \
        .datatype = -1, .space = -1, .framework = -1, .top = 10                                    \
    }

static inline bool search_selects(const struct search_args *args)
{
    return args->where || args->sort || args->pareto;
}

/* One problem and its answer. */
struct search {
    const struct search_args *args;
    const struct rk_model *model;
    const struct rk_system *system;
    uint64_t top; /* how many of the best are wanted */
    struct rk_problem problem;
    struct rk_space *space; /* NULL until search_open() */
    struct rk_answer result;
    bool selected; /* the answer is a selection: --where, --sort, --pareto */
};

/* What the searches of a command share. */
struct search_session {
    struct progress progress;
    uint64_t before, total;        /* strategies of the searches before this one, and of all */
    size_t searches, all_searches; /* begun, and how many there are to be */
    struct state_file state;       /* path "": none is kept */
    bool resumed;                  /* not from the start: rates would mislead */
};

/* Is this the process that prints and writes files? */
bool search_speaks(void);

/* Fills search->problem from the arguments, with the sizes given. RK_USAGE when the system does not
 * support the datatype or lacks a tier that was asked for. */
enum rk_status search_set_problem(struct search *search, uint64_t gpus, uint64_t batch,
                                  struct rk_error *error);

/* Asks of a space what the arguments say, with `top` best ones; what --state kept is gone on from.
 * answer->complete is false when it was stopped. */
enum rk_status search_ask(struct search_session *session, const struct search_args *args,
                          const struct rk_space *space, uint64_t top, struct rk_answer *answer,
                          struct rk_error *error);

/* Opens the space and asks it. */
enum rk_status search_run(struct search *search, struct search_session *session,
                          struct rk_error *error);
void search_release(struct search *search);

/* The exit code of an answer: 0, 1, or 128 + the signal that stopped it. */
int search_code(const struct search *search);

/* The best plan of a problem that satisfies --where, by a search of its own; false when there is
 * none, or when the problem cannot be set up. */
struct search_best {
    uint64_t index;
    struct rk_strategy strategy;
    struct rk_estimate estimate;
};
bool search_find_best(const struct rk_problem *problem, const struct search_args *args,
                      struct search_best *best);

#endif
