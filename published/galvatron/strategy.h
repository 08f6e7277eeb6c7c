/* strategy.h - the ways in which Galvatron [wang2024] may run one layer.
 *
 * A name is pipeline-tensor-data: "1-4*-2f-c" has four ranks that split a layer ('*' follows a
 * degree above 1), two that see other samples (f: ZeRO-3) and recomputation (-c); "-sp" says that
 * the four split the sequence (Ulysses) instead of the matrices. Degrees are powers of two. Pure.
 */
#ifndef RECKON_GALVATRON_STRATEGY_H
#define RECKON_GALVATRON_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>

enum { GALVATRON_DEGREES = 13, GALVATRON_MAX_DEGREE = 1 << (GALVATRON_DEGREES - 1) };

enum galvatron_zero { GALVATRON_DDP, GALVATRON_ZERO2, GALVATRON_ZERO3, GALVATRON_ZEROS };
extern const char *const galvatron_zero_names[]; /* ended by NULL */

struct galvatron_strategy {
    int pipeline, tensor, ulysses, data; /* tensor or ulysses is 1 */
    enum galvatron_zero zero;            /* GALVATRON_DDP when data is 1 */
    bool recompute;
};

/* What the search may use; all degrees 1 or more. */
struct galvatron_space {
    int world; /* a power of two */
    int max_pipeline, max_tensor, max_ulysses;
    enum galvatron_zero ordinary; /* of data parallelism that is not ZeRO-3 */
    bool no_pipeline, no_tensor, no_ulysses, no_data, no_zero3, no_recompute;
    bool no_embedding_tensor, no_embedding_ulysses;
};

/* Every strategy of a layer, in the order that decides ties: by pipeline, tensor, ulysses, data,
 * ZeRO, recomputation. Writes up to `room`; returns how many there are. */
size_t galvatron_layer_strategies(const struct galvatron_space *space, size_t room,
                                  struct galvatron_strategy *list);

/* Likewise of embedding and head, which are never recomputed. */
size_t galvatron_embedding_strategies(const struct galvatron_space *space, size_t room,
                                      struct galvatron_strategy *list);

/* Ranks that split a layer, of either kind. */
int galvatron_split(const struct galvatron_strategy *strategy);
/* Ranks that share one copy of the states: those of data and of Ulysses. */
int galvatron_sharers(const struct galvatron_strategy *strategy);
bool galvatron_same(const struct galvatron_strategy *a, const struct galvatron_strategy *b);

enum { GALVATRON_NAME = 48 };
/* Returns `buffer`. */
const char *galvatron_name(char buffer[static GALVATRON_NAME],
                           const struct galvatron_strategy *strategy);

bool galvatron_power_of_two(long number);
int galvatron_log2(int power);

/* ---- the decision tree of the first paper [miao2022] ----
 *
 * A leaf gives each factor of a group of ranks to a different one of data, sharded data and tensor
 * parallelism, from the inner ranks outwards; factors are powers of two above 1. Pruned: no leaf
 * has both data and sharded data parallelism. Recomputation gives each leaf a twin. */
struct galvatron_leaf {
    int pipeline, levels;
    struct galvatron_level {
        char kind; /* 'd', 's', 't' */
        int degree;
    } level[3];
};

/* The leaves of `world` ranks, by pipeline degree; writes up to `room`, returns how many. */
size_t galvatron_tree(int world, bool pruned, size_t room, struct galvatron_leaf *leaf);

#endif
