/* advise.h - what a search alone does not say: the plan to take where none is said, which limit
 * keeps which plans out, what single change would let a better one in or save memory, and what of
 * the machine matters.
 *
 * Nothing is guessed: every change is made in a copy of the problem and searched, under whichever
 * predictor the problem's framework asks for. A model and a system belong to the caller.
 */
#ifndef RECKON_ADVISE_H
#define RECKON_ADVISE_H

#include <reckon/plans.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a plan must be to count; a zeroed one: it fits. */
struct rk_aim {
    const char *where; /* a condition, as in struct rk_query; NULL: none */
    /* The same of a problem with other GPUs or another batch, where it follows from them; false:
     * nothing can be said. NULL: `where` as it is. */
    bool (*where_at)(void *context, const struct rk_plans_problem *changed, char *where,
                     size_t size);
    double samples_per_s;        /* more than this */
    const char *sort;            /* as in struct rk_query; NULL: the fastest is the best */
    double room;                 /* share of the device's memory that it may take; 0: all */
    int threads;                 /* as in struct rk_query */
    bool (*stop)(void *context); /* asked between searches; NULL: never */
    bool (*progress)(void *context, uint64_t decided, uint64_t total,
                     double best_step_s); /* as in struct rk_query, of rk_find and rk_offer */
    void *context;
};

struct rk_found {
    struct rk_plan plan;
    struct rk_outcome outcome;
};

/* The best plan of a problem that counts; false when there is none. */
RK_API bool rk_find(const struct rk_plans_problem *problem, const struct rk_aim *aim,
                    struct rk_found *found);

/* The plan to propose: the best that counts; where none leaves so much memory, the best that fits.
 * False: none does. */
struct rk_offer {
    struct rk_found found;
    bool leaves_room; /* what the aim asks to be left */
};
RK_API bool rk_offer(const struct rk_plans_problem *problem, const struct rk_aim *aim,
                     struct rk_offer *offer);

/* ---- the plan to take where none is said ---- */

struct rk_choice {
    struct rk_plan plan; /* as rk_offer; where none fits, the one that misses the memory by least */
    bool fits, leaves_room;
    uint64_t plans; /* in the space */
};

/* False when the space has no plan, or none that more memory would let in. */
RK_API bool rk_choose(const struct rk_plans_problem *problem, const struct rk_aim *aim,
                      struct rk_choice *choice);

/* With twice the ranks, four times, ... as far as 1,024 times (and likewise the batch, if it
 * `grows`): the first number with which a plan counts, and the best of them. */
RK_API bool rk_choose_ranks(const struct rk_plans_problem *problem, const struct rk_aim *aim,
                            bool grows, struct rk_found *found);

/* ---- which limit keeps plans out ---- */

enum rk_limit { RK_LIMIT_MEMORY, RK_LIMIT_NETWORK };

/* A plan that one limit alone keeps out. */
struct rk_miss {
    double need, have;     /* of the limit: bytes, as rk_predict has them, or ranks */
    double free;           /* bytes of these that are to be left free */
    struct rk_found found; /* on the system without the limit: its time */
};

enum { RK_MISSES = 3 };

/* Those that tier `tier` of the memories or networks keeps out, by what they need of it, the least
 * first; of those that need the same, the fastest. Returns how many there are: none over several
 * clusters. */
RK_API int rk_misses(const struct rk_plans_problem *problem, const struct rk_aim *aim,
                     enum rk_limit limit, int tier, struct rk_miss missed[RK_MISSES]);

/* ---- what single change would let a plan in ---- */

enum rk_change_kind {
    RK_CHANGE_MEMORY,       /* a tier with more of it: the least that helps */
    RK_CHANGE_ADDED_MEMORY, /* a second tier, at RK_ADDED_TIER_BPS */
    RK_CHANGE_NETWORK,      /* a tier with larger domains */
    RK_CHANGE_RESTRICTION,  /* without what is pinned on an axis */
    RK_CHANGE_START,        /* with plans that the framework cannot start */
    RK_CHANGE_FEWER_GPUS,
    RK_CHANGE_MORE_GPUS,
    RK_CHANGE_SMALLER_BATCH,
    RK_CHANGE_LARGER_BATCH,
    RK_CHANGE_KINDS
};

#define RK_ADDED_TIER_BPS 100e9 /* a host's memory over one accelerator's link */

struct rk_change {
    enum rk_change_kind kind;
    int cluster;            /* whose, of several; 0: the system's own */
    int tier;               /* of memories or networks; -1: none */
    enum rk_plan_axis axis; /* RK_CHANGE_RESTRICTION */
    bool helps;
    double from, to;       /* bytes, ranks or samples; `to` counts when it helps */
    struct rk_found found; /* with the change, when it helps */
};

/* "memory", "larger_batch"; NULL outside the range. */
RK_API const char *rk_change_name(enum rk_change_kind kind);

/* Tries every change in the order of the list and hands each one to `take`. GPUs and batches are
 * tried when any plan will do: steps of other sizes do not compare. Of several clusters each is
 * changed by itself; there the least memory that helps is the first of some sizes. */
RK_API void rk_changes(const struct rk_plans_problem *problem, const struct rk_aim *aim,
                       void (*take)(void *context, const struct rk_change *change), void *context);

/* ---- what single changes of a plan save ---- */

enum { RK_SAVING_WORDS = 256, RK_MAX_SAVINGS = 64 };

struct rk_saving {
    char words[RK_SAVING_WORDS]; /* that change the plan: "zero2" */
    const char *what;            /* in a few words; static storage */
    double need_bytes;           /* of its tightest stage */
    double states_bytes;         /* weights, gradients and optimizer of the stage with most */
    double saved_bytes;          /* > 0; of the memory tier that is too small, else of the device */
    double left_bytes;           /* of the same; < 0: too little */
    double step_s;
    bool fits;
    int short_tier;     /* the memory that is too small, where it does not fit; else -1 */
    double short_bytes; /* ... by so much */
    bool fewer_bits;    /* numbers are stored in fewer: the results differ */
};

/* The changes that save memory on the tightest stage, of the first tier that is too small: where
 * the plan does not fit, those that make it fit first, from the fastest on, but of those within 3 %
 * of the fastest the one that saves most; then by what they save. `prediction` is the plan's, and
 * timed. Returns how many there are. */
RK_API int rk_savings(const struct rk_model *model, const struct rk_system *system,
                      const struct rk_plan *plan, const struct rk_prediction *prediction,
                      struct rk_saving saving[RK_MAX_SAVINGS]);

/* Of those that count the one to make first: of all within 3 % of the fastest the one that saves
 * most; NULL: none counts. */
RK_API const struct rk_saving *rk_saving_first(const struct rk_saving *saving, const bool *counts,
                                               int count);

/* The fastest two of them that fit together, where no single one does; false: no two do. With
 * `any_code` also those that the plan's framework has no option for. */
RK_API bool rk_savings_pair(const struct rk_model *model, const struct rk_system *system,
                            const struct rk_plan *plan, const struct rk_prediction *prediction,
                            bool any_code, struct rk_saving *pair);

/* ---- what of the machine matters ---- */

/* One number of the machine, and the best time of the batch with 10 % more and less of it. */
struct rk_effect {
    int cluster, other; /* whose, of several clusters; the other end of a link, -1: no link */
    const char *part;   /* "matrix", "attention", "vector", "host", "memory", "network", "link" */
    const char *parameter; /* "peak_FLOPps", "efficiency", ... */
    const char *unit;      /* "FLOP/s", "B/s", "B", "s" or "" */
    int tier;              /* of memories and networks; -1: none */
    double value;
    double more_s, less_s; /* infinite: nothing fits; NaN: the number cannot be so */
    double sensitivity;    /* relative change of the time per relative change of the number */
};

struct rk_effects {
    double now_s; /* the best time of the batch as things are */
    int count;
    struct rk_effect *effect; /* (count): the largest first */
};

/* Numbers that are unlimited or 0 are left out. RK_NOTHING_FITS when no plan counts,
 * RK_INTERRUPTED when it was stopped. Release in any case. */
RK_API enum rk_status rk_effects_find(const struct rk_plans_problem *problem,
                                      const struct rk_aim *aim, struct rk_effects *effects,
                                      struct rk_error *error);
/* The same of one plan of the problem, held as it is. */
RK_API enum rk_status rk_effects_of_plan(const struct rk_plans_problem *problem,
                                         const struct rk_aim *aim, const struct rk_plan *plan,
                                         struct rk_effects *effects, struct rk_error *error);
RK_API void rk_effects_release(struct rk_effects *effects);

#ifdef __cplusplus
}
#endif
#endif
