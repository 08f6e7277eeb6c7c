/* run_args.h - what a whole run is, beyond a step: its tokens, prices, failures, checkpoints. One
 * group of options for every command that knows a plan, and one section of their answers. */
#ifndef RECKON_CLI_RUN_ARGS_H
#define RECKON_CLI_RUN_ARGS_H

#include "cli/options.h"
#include "cli/prediction.h"
#include "report/report.h"
#include <reckon/reckon.h>

/* A text for each member of a run, as the option has it; NULL: it is not said. */
struct run_args {
#define RUN_TOKENS(member, ...)       const char *member; /* NULL: no run is asked for */
#define RUN_PRICE(member, offer, ...) const char *member;
#define RUN_NAME(member, ...)         const char *member;
#define RUN_RARE(member, ...)         const char *member;
#define RUN_COUNT(member, ...)        uint64_t member; /* UINT64_MAX: it is not said */
#define RUN_MEASURE(member, ...)      const char *member;
#define RUN_CHECKPOINTS(member, ...)  int member; /* enum rk_checkpoints */
#define RUN_NUMBER(member, ...)       double member;
#include <reckon/run.def>
    const char *prices; /* a file; NULL: the catalog's */
    const char *phases; /* "252M gbs512 seq4096; rest"; NULL: one */
    double seed;
    bool elastic;
    const char *samples; /* of an epoch; NULL: tokens are said, if anything */
    double epochs;       /* 0: one */
    char of_samples[32]; /* what `tokens` then is */
};

#define RUN_ARGS_INIT                                                                              \
    {                                                                                              \
        .spares = UINT64_MAX                                                                       \
    }

extern const struct option run_options[];

/* --samples and --epochs, for commands of one plan. */
extern const struct option samples_options[];

/* The arguments with the tokens of their samples under a plan, padding included; of packs,
 * `pack_tokens` are in a sample (0: no packs are said). `own` points into itself. run_samples.c */
enum rk_status run_take_samples(const struct run_args *args, const struct rk_model *model,
                                const struct rk_plan *plan, double pack_tokens,
                                struct run_args *own, struct rk_error *error);

/* What the arguments stand for once the facts are read. */
enum { RUN_NOTES = 1024 };
struct run_terms {
    const struct run_args *args;
    struct rk_run run;
    struct rk_campaign_facts *facts; /* NULL: no run is asked for */
    /* Of a search (NULL: the plan is given): where plans of other phases and of fewer accelerators
     * are looked for, and those that were found for its rows. */
    const struct rk_plans_problem *space;
    const struct run_share *share;
};

/* RK_BAD_ARGUMENT when something of a run is said, but not its tokens. */
enum rk_status run_check(const struct run_args *args, struct rk_error *error);

/* Of simulated runs: --seed, else 1. */
uint64_t run_seed(const struct run_args *args);

/* Reads arguments and facts, and checks as above. Close the terms in any case. */
enum rk_status run_terms_open(struct run_terms *terms, const struct run_args *args,
                              struct rk_error *error);
void run_terms_close(struct run_terms *terms);

/* The campaign of a plan over `tokens` tokens. RK_BAD_ARGUMENT with the option when something is
 * wrong. `assumed` (may be NULL) says what was not said. */
enum rk_status run_campaign(const struct run_terms *terms, const struct forecast *f, double tokens,
                            struct rk_campaign *campaign, char assumed[RUN_NOTES],
                            struct rk_error *error);

/* A phase has the spare nodes of the whole run, of so many tokens, where none are said. */
void run_keep_spares(struct rk_campaign *phase, double tokens);

/* ---- phases: run_phases.c ---- */

enum { RUN_PHASES = 32 };

/* The phases of a run and their plans; one phase with the plan itself where none are said. */
struct run_phases {
    size_t count;
    struct rk_campaign campaign[RUN_PHASES];
    struct rk_plan plan[RUN_PHASES];
    struct rk_prediction prediction[RUN_PHASES];
    char assumed[RUN_NOTES];
};

/* The space of the terms is searched for the best plan of each phase, of which those are taken that
 * finish first, changes of plan included; without one the plan stays but for the phase's words. To
 * be freed; NULL: the error says why. */
struct run_phases *run_phases_open(const struct run_terms *terms, const struct forecast *f,
                                   struct rk_error *error);

/* What of a run is so many times the step of a plan, for expressions, and what its other phases
 * add.
 */
struct run_share {
    struct run_sums {
        double days, gpu_hours, cost;
    } of_a_second, others;
    struct rk_campaign asked;        /* the same with a step of a second */
    struct rk_plan best[RUN_PHASES]; /* of the phases whose batch or sequence is another one */
    bool found[RUN_PHASES];
    double tokens; /* of all phases: with the step they say how many spare nodes; 0: that is said */
};

/* For plans of the terms' space in its batch and sequence: the phases that have these, all of the
 * run where there are none; the others run under their own best plans, with a change of plan
 * between. */
enum rk_status run_share(const struct run_terms *terms, struct run_share *share,
                         struct rk_error *error);

/* The whole run of a plan with that step, as reckon predict has it: the interval of checkpoints,
 * which follows from the step too, is its own. Zeros: no run is asked about. */
struct run_sums run_sums_of(const struct run_share *share, double step_s);

/* ---- answers: run_show.c ---- */

/* "The run": days, failures, goodput, money, energy, phases, and what single changes of how
 * failures are met would bring. Nothing without --tokens. `space` and `share` (may be NULL) as in
 * struct run_terms. */
enum rk_status run_section(struct report *report, const struct run_args *args,
                           const struct forecast *f, const struct rk_plans_problem *space,
                           const struct run_share *share, struct rk_error *error);

/* Over several clusters, what each kind of accelerator has of the run; else nothing. run_kinds.c */
void run_kinds(struct report *report, const struct run_terms *terms, const struct forecast *f,
               const struct rk_campaign_outcome *outcome);

/* The runs of two plans side by side. */
enum rk_status run_compare(struct report *report, const struct run_args *args,
                           const struct forecast *a, const struct forecast *b,
                           struct rk_error *error);

#endif
