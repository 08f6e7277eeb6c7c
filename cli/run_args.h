/* run_args.h - what a whole run is, beyond a step: its tokens, prices, failures, checkpoints. One
 * group of options for every command that knows a plan, and one section of their answers. */
#ifndef RECKON_CLI_RUN_ARGS_H
#define RECKON_CLI_RUN_ARGS_H

#include "cli/options.h"
#include "cli/prediction.h"
#include "report/report.h"
#include <reckon/reckon.h>

struct run_args {
    const char *tokens;                      /* "15.6T", "usual"; NULL: no run is asked for */
    const char *price;                       /* "2.5", "reserved"; NULL: the cheapest of the list */
    const char *prices;                      /* a file; NULL: the catalog's */
    const char *mtbf;                        /* hours of a GPU, "never"; NULL: as published */
    const char *storage;                     /* "2TB/s" */
    const char *interval, *restart, *repair; /* "30min" */
    int checkpoints;                         /* 0: sync, 1: async, 2: memory */
    uint64_t spares;                         /* UINT64_MAX: the default */
    double carbon, seed;
};

#define RUN_ARGS_INIT                                                                              \
    {                                                                                              \
        .spares = UINT64_MAX                                                                       \
    }

extern const struct option run_options[];

/* The campaign of a plan under these arguments. RK_USAGE with the option when something is wrong.
 * `assumed` says what was not said. */
enum { RUN_NOTES = 512 };
enum rk_status run_campaign(const struct run_args *args, const struct forecast *f,
                            struct rk_campaign *campaign, char assumed[RUN_NOTES],
                            struct rk_error *error);

/* "The run": days, failures, goodput, money, energy, and what single changes of how failures are
 * met would bring. Nothing without --tokens. */
enum rk_status run_section(struct report *report, const struct run_args *args,
                           const struct forecast *f, struct rk_error *error);

/* The runs of two plans side by side, likewise. */
enum rk_status run_compare(struct report *report, const struct run_args *args,
                           const struct forecast *a, const struct forecast *b,
                           struct rk_error *error);

#endif
