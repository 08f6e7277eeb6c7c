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
#ifndef RECKON_CLI_LONGEST_H
#define RECKON_CLI_LONGEST_H

#include <reckon/reckon.h>

enum longest_kind { LONGEST_SWAPPED, LONGEST_MEGATRON, LONGEST_DEEPSPEED, LONGEST_CHUNKED };
enum { LONGEST_KINDS = LONGEST_CHUNKED + 1 }; /* as a kind: all of them */

extern const char *const longest_kind_names[LONGEST_KINDS]; /* "two buffers", ... */

struct longest_candidate {
    uint64_t tensor, pipeline, data, expert;
    enum rk_context_kind context_kind;
    enum longest_kind kind;
    int zero;
    bool again; /* whole layers, of Megatron-LM's */
};

/* What was found for a candidate at a length, over several clusters. */
struct longest_tried {
    size_t candidate;
    uint64_t tokens;
    bool fits;
    struct rk_plan plan;
    struct rk_outcome outcome;
};

struct longest {
    const struct rk_model *model;
    const struct rk_system *system[LONGEST_KINDS]; /* with as much memory as plans may take */
    struct rk_plan words;                          /* what all candidates keep */
    bool expert_given;                             /* they say the expert degree, too */
    bool attention_given;                          /* ... and attention's kernel */
    uint64_t gpus, step;                           /* lengths are multiples of `step` */
    uint64_t most;                                 /* ... up to here */
    size_t candidates;
    struct longest_candidate *candidate;
    struct rk_prediction prediction; /* of the plan asked about last */

    /* Of several clusters: what all candidates are searched with, and what was found; NULL: one. */
    const struct rk_plans_problem *over;
    size_t tries;
    struct longest_tried *tried;
    char limit[96]; /* what longest_limit() says there */
};

/* Samples of a step over several clusters: as many microbatches as the longest pipeline on one has
 * stages. */
enum { LONGEST_SAMPLES = 16 };

/* Whose plans they are. */
enum rk_framework longest_framework(enum longest_kind kind, const struct rk_system *system);

/* Lists the candidates for p->gpus anew; RK_NO_MEMORY without memory. */
enum rk_status longest_list(struct longest *p, struct rk_error *error);
void longest_release(struct longest *p);
void longest_forget(struct longest *p); /* what was found, when memory or words change */

/* The plan of a candidate at a length, with its share or chunks chosen, and its prediction; true:
 * it fits. */
bool longest_fits(struct longest *p, const struct longest_candidate *c, uint64_t tokens,
                  struct rk_plan *plan);

/* Tokens of each kind and, last, of all; 0: none. */
void longest_find(struct longest *p, uint64_t tokens[LONGEST_KINDS + 1]);

/* The fastest that fits at a length, of one kind or all; false: none. */
bool longest_fastest(struct longest *p, uint64_t tokens, enum longest_kind kind,
                     struct rk_plan *best, struct rk_outcome *outcome);

/* The memory that is too small at more than `tokens`, by the candidate of the kind that is nearest
 * to fitting. */
const char *longest_limit(struct longest *p, uint64_t tokens, enum longest_kind kind);

/* ---- over several clusters: longest_over.c, requires p->over ---- */

bool longest_fits_over(struct longest *p, const struct longest_candidate *c, uint64_t tokens,
                       struct rk_plan *plan);
const char *longest_limit_over(struct longest *p, uint64_t tokens, enum longest_kind kind);

#endif
