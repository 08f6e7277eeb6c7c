/* diff_input.h - what a comparison of two plans is made of: from where, and what was read. */
#ifndef RECKON_CLI_DIFF_INPUT_H
#define RECKON_CLI_DIFF_INPUT_H

#include "catalog/hosts.h"
#include "cli/launch_input.h"
#include "cli/options.h"
#include "cli/plan_input.h"
#include "knobs/knobs.h"
#include <reckon/reckon.h>

struct diff_source {
    const char *a, *b; /* plan file, line of words, or launch script; b NULL: the best there is */
    const char *model, *system;
    const char *headroom; /* of the best there is: sure.h; NULL: learned */
    uint64_t gpus, vocabulary, variant;
    struct option_texts sets, ignored;
    struct option_texts plans;  /* before a and b: diff_take_plans() */
    struct plan_source changes; /* its words: of the second plan, or of the first as the second */
};

struct diff_input {
    struct rk_model model;
    struct rk_system system;
    struct rk_plan a, b;
    char name_a[48], name_b[48];
    char host[HOST_WORD];  /* what was assumed of the host's memory; "": nothing */
    struct launch *launch; /* A, when it is a launch script or a configuration; else NULL */
    struct launch_source from;
    const char *script; /* A's text, when its arguments are Core's; else NULL */
    const char *tool;   /* whose arguments or keys A's are; NULL: it is no launch file */
    size_t script_size;
    int version;            /* the newest of Megatron Core that knows its arguments */
    struct knob_best *best; /* of a configuration: how its keys say B; NULL: B was given */
    double usable_bytes;    /* of a GPU, where `best` is */
};

#endif
