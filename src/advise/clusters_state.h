/* clusters_state.h - the progress of a search over clusters as bytes of a file: what it is about
 * stands in front. */
#ifndef RECKON_ADVISE_CLUSTERS_STATE_H
#define RECKON_ADVISE_CLUSTERS_STATE_H

#include "advise/clusters_input.h"

struct clusters_state {
    uint64_t fingerprint;
    bool (*keep)(void *keeper, const void *bytes, size_t count);
    void *keeper;
    char *bytes; /* room for what is kept */
    size_t room;
    bool failed; /* there was no memory, which ended the search */
};

/* The search of `input`, whose question is ready, gives its progress to `keep`, and goes on from
 * `kept` (NULL: nothing is), which stays the caller's. `where`: the condition, NULL: none.
 * RK_BAD_INPUT: `kept` is of another search, or version. Close in any case, behind the search. */
enum rk_status clusters_state_open(struct clusters_state *state, struct clusters_input *input,
                                   const char *where, const void *kept, size_t bytes,
                                   struct rk_error *error);
void clusters_state_close(struct clusters_state *state);

#endif
