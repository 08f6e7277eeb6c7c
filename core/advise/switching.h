/* switching.h - what it costs to continue with another plan: state that changes its rank, a
 * restart, steps that are lost.
 *
 * Each rank has boxes of the model: layers of its stage by the slice of its tensor (or expert)
 * ranks; weights whole or, with ZeRO 3, and optimizer state with ZeRO 1 and more, its shard of
 * these. What a rank of the new plan needs and the same rank of the old one has not is moved; over
 * several clusters all of it.
 */
#ifndef RECKON_ADVISE_SWITCHING_H
#define RECKON_ADVISE_SWITCHING_H

#include <reckon/plans.h>

struct switching {
    double moved_bytes;   /* of all ranks */
    double busiest_bytes; /* of the rank that receives most */
    double move_s;        /* as a message of that size across the outermost network */
};

struct switching switching_of(const struct rk_model *model, const struct rk_system *system,
                              const struct rk_plan *from, const struct rk_plan *to);

#endif
