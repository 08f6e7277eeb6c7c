/* clusters_effects.h - how the best step over clusters depends on each number of each cluster, and
 * on each link. */
#ifndef RECKON_ADVISE_CLUSTERS_EFFECTS_H
#define RECKON_ADVISE_CLUSTERS_EFFECTS_H

#include "advise/effects.h"
#include "clusters/search.h"

struct clusters_effects {
    struct rk_effects effects; /* by sensitivity, the largest first; now_s: the best step */
    struct effect_place {
        int cluster, other; /* other -1: a number of the cluster, else of the link to that one */
    } * place;              /* (effects.count) */
};

/* Searches again for each. `now_s` is the best step of the question. RK_INTERRUPTED where the
 * question is stopped. Release in any case. */
enum rk_status clusters_effects_find(const struct clusters_question *question, double now_s,
                                     struct clusters_effects *effects, struct rk_error *error);
void clusters_effects_release(struct clusters_effects *effects);

#endif
