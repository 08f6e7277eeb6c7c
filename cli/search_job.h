/* search_job.h - what `reckon search` was asked, and one search of it on its way. */
#ifndef RECKON_CLI_SEARCH_JOB_H
#define RECKON_CLI_SEARCH_JOB_H

#include "catalog/hosts.h"
#include "cli/number_list.h"
#include "cli/options.h"
#include "cli/plan_axes.h"
#include "cli/progress.h"
#include "cli/run_args.h"
#include "cli/save.h"
#include "cli/show.h"
#include "cli/state_file.h"
#include "report/report.h"
#include <reckon/reckon.h>

struct search_args {
    struct option_texts models, systems;
    const char *gpus, *batch; /* number lists; NULL: not given */
    struct plan_axis_values axes;
    int framework;     /* enum rk_framework; -1: not given */
    uint64_t sequence; /* 0: not given */
    const char *plan;  /* a file, or words; NULL: none */
    struct option_texts words;
    uint64_t top; /* 0: ten, or all of a frontier */
    uint64_t threads;
    bool exhaustive, unstartable, launchable, explain, quiet, verbose;
    const char *output, *state;
    struct save_args save;
    const char *where, *sort, *pareto, *all;
    const char *headroom; /* "8GiB", "10%", "learned", "none"; NULL: learned, unless `where` or
                             another order says "hbm" */
    struct run_args run;
    bool why, sensitivity, layerwise, nearest;
    struct show_args show;
};

/* The defaults of an empty command line. */
#define SEARCH_ARGS_INIT                                                                           \
    {                                                                                              \
        .framework = -1, .top = 0, .run = RUN_ARGS_INIT                                            \
    }

/* The best plans of all leave what is to be left; the best does, slower ones are left out; others
 * are in their place that do; those alone were asked for; none does. */
enum search_room {
    SEARCH_ROOM_ENOUGH,
    SEARCH_ROOM_FASTEST,
    SEARCH_LEAVES_ROOM,
    SEARCH_ROOM_ASKED,
    SEARCH_NO_ROOM
};

/* One problem and its answer. */
struct search {
    const struct search_args *args;
    const char *line; /* the system as it was said */
    struct rk_plans_problem problem;
    /* What is asked of plans, in names that the engine knows; "": nothing. */
    char where[1024];
    char said[1024]; /* ... as the user says it */
    char sort[512], pareto[1024];
    struct run_share run;   /* of the run, for a second of its step; 0: no --tokens */
    const char *why;        /* that predictor, where nothing was asked for; NULL: the usual one */
    struct rk_space *space; /* NULL until search_run() */
    struct rk_answer result;
    char assumed[HOST_WORD]; /* the host's memory, which the system does not state; "": none is */
    struct rk_found alone;   /* the fastest without it, where the best offloads; step_s 0: none */
    /* What plans take at most of the device's memory, unless none takes so little: its share, and
     * in bytes; INFINITY: all of it. */
    double share, usable_bytes;
    enum search_room room;
    struct rk_found left_out; /* with SEARCH_LEAVES_ROOM: the fastest, which takes more */
};

static inline bool search_is_over_clusters(const struct search *search)
{
    return search->problem.system->machine != NULL;
}

static inline bool search_is_published(const struct search *search)
{
    return !rk_answerer(search->problem.base.framework)->layers;
}

/* What the searches of a command share. */
struct search_session {
    struct progress progress;
    uint64_t before, total;        /* plans of the searches before this one, and of all */
    size_t searches, all_searches; /* begun, and how many there are to be */
    struct state_file state;       /* path "": none is kept */
    bool resumed;                  /* not from the start: rates would mislead */
};

/* Is this the process that prints and writes files? */
bool search_speaks(void);

/* Sets search->problem from the arguments: framework, restrictions, words. RK_BAD_ARGUMENT when
 * they do not go together or the system lacks something that was asked for. `hosted` is the system
 * with the memory of its nodes, which a framework can offload to; NULL: it is not known. */
enum rk_status search_set(struct search *search, const struct rk_model *model,
                          const struct rk_system *system, const struct rk_system *hosted,
                          uint64_t gpus, uint64_t batch, struct rk_error *error);

/* Words of --gpus, --batch and --sequence become these options; their texts are in `text`. */
enum { SEARCH_SIZES = 4 };
enum rk_status search_take_sizes(struct search_args *args, char text[SEARCH_SIZES][24],
                                 struct rk_error *error);

/* Words of a plan: what all plans have. RK_BAD_ARGUMENT when an option says the same.
 * search_words.c */
enum rk_status search_take_words(const struct search_args *args, struct rk_plans_problem *problem,
                                 struct rk_error *error);

/* `text` with days, gpu_hours and cost as what the engine knows, the step: what is compared with a
 * number as the rows have it, in other sums as a multiple of the step. search_names.c */
enum rk_status search_name_run(const struct search *search, const char *option, const char *text,
                               char *out, size_t size, struct rk_error *error);

/* "days" and the like of the run of a plan whose step takes so long; NAN: `name` is no such name.
 */
double search_run_value(const struct search *search, const char *name, double step_s);

/* Opens the space and asks it, for `top` best ones; resumes from what --state kept.
 * search->result.complete is false when it was stopped. */
enum rk_status search_run(struct search *search, struct search_session *session, uint64_t top,
                          struct rk_error *error);
void search_release(struct search *search);

/* Where the best plan offloads to the host's memory that is assumed: search->alone. */
void search_alone(struct search *search);

/* Asks search->space for the best `top` that take no more than usable_bytes, into search->result,
 * and says in search->room what became of that. */
typedef enum rk_status search_asker(void *context, const struct rk_space *space,
                                    struct rk_query *query, struct rk_answer *answer,
                                    struct rk_error *error);

/* How many of the found ones are printed. */
uint64_t search_rows(const struct search *search);

/* The best plan `i`. */
void search_plan(const struct search *search, uint64_t i, struct rk_plan *plan);

/* What the questions of advise.h look for. */
struct rk_aim search_aim(const struct search *search);

/* ---- what is said of one search: search_answer.c ---- */

/* Model and system as commands that are proposed name them, each one word of a shell. */
const char *search_model_word(struct report *report, const struct search *search);
const char *search_system_word(struct report *report, const struct search *search);

struct search_keys;
enum rk_status
search_answer_nearest(struct report *report, const struct search *search,
                      struct rk_error *error); /* of the best; in text with --nearest */
void search_answer_fill(struct report *report, const struct search *search,
                        const struct search_keys *keys);
/* All of it: the answer, --why and --sensitivity, --tokens, --nearest. search_report.c */
enum rk_status search_report(struct report *report, const struct search *search,
                             const struct search_keys *keys, struct rk_error *error);
void search_answer_rate(const struct search *search, const struct search_session *session);
void search_answer_explain(const struct search *search);

/* Why no plan was found, in a few words; lives in the report. */
const char *search_reason(struct report *report, const struct search *search);

/* The name of the model that the search uses, for messages. */
const char *search_model_name(const struct search *search);

#endif
