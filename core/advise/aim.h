/* aim.h - what the questions share. */
#ifndef RECKON_ADVISE_AIM_H
#define RECKON_ADVISE_AIM_H

#include "machine/part.h"
#include <reckon/advise.h>

enum { AIM_TEXT = 1024 };

/* The aim as a condition, in `text` unless it is a condition already; NULL: everything counts. */
const char *aim_condition(const struct rk_aim *aim, char text[AIM_TEXT]);

/* What is asked: the problem on a machine whose device has as much less memory as is left free. */
struct aimed {
    struct rk_plans_problem problem;
    struct roomy_system machine;
};
const struct rk_plans_problem *aim_at(struct aimed *to, const struct rk_plans_problem *problem,
                                      const struct rk_aim *aim);

/* What a device must have for `bytes` of a plan and what is left free: not a bit too little. */
double aim_memory(const struct rk_aim *aim, double bytes);

/* Of a system, or of a cluster of several, in a copy that is to be changed. */
static inline int aim_clusters(const struct rk_system *system)
{
    return system->machine ? system->machine->clusters : 1;
}
static inline struct rk_system *aim_part(struct rk_system *copy, int cluster)
{
    return copy->machine ? &copy->machine->cluster[cluster].system : copy;
}

static inline bool aim_stopped(const struct rk_aim *aim)
{
    return aim->stop && aim->stop(aim->context);
}

#endif
