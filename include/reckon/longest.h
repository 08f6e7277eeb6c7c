/* longest.h - the longest sequence that any of a set of plans can train.
 *
 * Candidates are all splits of the GPUs, treated in all ways. Whether one fits falls with its
 * length, but for chunks of the sequence, whose size depends on what divides its tokens: so each is
 * bisected over the lengths that it can split, and with chunks a few lengths past the end are
 * tried, too. `tests/unit/test_longest.c` compares with trying every length.
 *
 * Over several clusters a candidate is a way to treat layers, and has the best plan that the search
 * over clusters finds for it.
 */
#ifndef RECKON_LONGEST_H
#define RECKON_LONGEST_H

#include <reckon/plans.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rk_longest_kind {
    RK_LONGEST_SWAPPED,
    RK_LONGEST_MEGATRON,
    RK_LONGEST_DEEPSPEED,
    RK_LONGEST_CHUNKED
};
enum { RK_LONGEST_KINDS = RK_LONGEST_CHUNKED + 1 }; /* as a kind: all of them */

RK_API const char *rk_longest_kind_name(enum rk_longest_kind kind); /* "two buffers", ... */

struct rk_longest_candidate {
    uint64_t tensor, pipeline, data, expert;
    enum rk_context_kind context_kind;
    enum rk_longest_kind kind;
    int zero;
    bool again; /* whole layers, of Megatron-LM's */
};

/* What was found for a candidate at a length, over several clusters. */
struct rk_longest_tried {
    size_t candidate;
    uint64_t tokens;
    bool fits;
    struct rk_plan plan;
    struct rk_outcome outcome;
};

struct rk_longest {
    const struct rk_model *model;
    const struct rk_system *system[RK_LONGEST_KINDS]; /* with as much memory as plans may take */
    struct rk_plan words;                             /* what all candidates keep */
    bool expert_given;                                /* they say the expert degree, too */
    bool attention_given;                             /* ... and attention's kernel */
    bool xla_given;                                   /* ... and xla */
    uint64_t gpus, step;                              /* lengths are multiples of `step` */
    uint64_t most;                                    /* ... up to here */
    size_t candidates;
    struct rk_longest_candidate *candidate;
    struct rk_prediction prediction; /* of the plan asked about last */

    /* Of several clusters: what all candidates are searched with, and what was found; NULL: one. */
    const struct rk_plans_problem *over;
    size_t tries;
    struct rk_longest_tried *tried;
    char limit[96]; /* what rk_longest_limit() says there */
};

/* Samples of a step over several clusters: as many microbatches as the longest pipeline on one has
 * stages. */
enum { RK_LONGEST_SAMPLES = 16 };

/* Whose plans they are, with such words. */
RK_API enum rk_framework rk_longest_framework(enum rk_longest_kind kind,
                                              const struct rk_system *system,
                                              const struct rk_plan *words);

/* Lists the candidates for p->gpus anew; RK_NO_MEMORY without memory. */
RK_API enum rk_status rk_longest_list(struct rk_longest *p, struct rk_error *error);
RK_API void rk_longest_release(struct rk_longest *p);
RK_API void
rk_longest_forget(struct rk_longest *p); /* what was found, when memory or words change */

/* The plan of a candidate at a length, with its share or chunks chosen, and its prediction; true:
 * it fits. */
RK_API bool rk_longest_fits(struct rk_longest *p, const struct rk_longest_candidate *c,
                            uint64_t tokens, struct rk_plan *plan);

/* Tokens of each kind and, last, of all; 0: none. */
RK_API void rk_longest_find(struct rk_longest *p, uint64_t tokens[RK_LONGEST_KINDS + 1]);

/* The fastest that fits at a length, of one kind or all; false: none. */
RK_API bool rk_longest_fastest(struct rk_longest *p, uint64_t tokens, enum rk_longest_kind kind,
                               struct rk_plan *best, struct rk_outcome *outcome);

/* The memory that is too small at more than `tokens`, by the candidate of the kind that is nearest
 * to fitting. */
RK_API const char *rk_longest_limit(struct rk_longest *p, uint64_t tokens,
                                    enum rk_longest_kind kind);

#ifdef __cplusplus
}
#endif

#endif
