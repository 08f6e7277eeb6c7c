/* case.h - what the rules are asked of. */
#ifndef RECKON_RULES_CASE_H
#define RECKON_RULES_CASE_H

#include <reckon/model.h>
#include <reckon/plan.h>
#include <reckon/system.h>

/* What the rules are asked of. */
struct rule_case {
    const struct rk_model *model;   /* NULL: only rules without one may be asked */
    const struct rk_system *system; /* NULL: what depends on it is not asked */
    const struct rk_plan *plan;
    const struct rk_plan *of; /* whose local part the plan is; NULL: it is whole */
    int local;
    unsigned who;                /* 1 << framework, and the tool that is to run it */
    uint64_t data, microbatches; /* 0: there is no such number */
    uint64_t domain;             /* ranks that the fastest links join; 0: it is not known */
    uint64_t group;              /* microbatches of a virtual stage in a row; 0: as the plan says */
    int version;                 /* of the tool; 0: any */
    bool lone_ends;              /* the embedding, or the head, may have a stage without layers */
    bool pads;                   /* the tool pads the vocabulary to what tensor divides */
};

#endif
