/* headroom.h - memory that proposed plans leave free: --headroom.
 *
 * Predicted peaks are off by some percent, and the fastest plans are those that fill the memory. So
 * what is proposed leaves by default what was learned from measured peaks: so much that three of
 * four such runs fit. Where no plan leaves so much, the best that fits is named as such (rk_offer).
 */
#ifndef RECKON_FACTS_HEADROOM_H
#define RECKON_FACTS_HEADROOM_H

#include <reckon/reckon.h>

/* The share of the device's memory that plans may take, as `text` says: "8GiB" and "10%" less than
 * all; "learned" and NULL as above; "none" 1. RK_BAD_ARGUMENT when it says none of these or leaves
 * nothing.
 */
enum rk_status headroom_room(const char *text, const struct rk_model *model,
                             const struct rk_system *system, const struct rk_plan *plan,
                             double *room, struct rk_error *error);

/* ... in bytes. */
enum rk_status headroom_usable(const char *text, const struct rk_model *model,
                               const struct rk_system *system, const struct rk_plan *plan,
                               double *bytes, struct rk_error *error);

/* ... of each cluster of a problem's system, into problem->usable_bytes: 0 where it is all. */
enum rk_status headroom_of_clusters(const char *text, struct rk_plans_problem *problem,
                                    struct rk_error *error);

/* What a changed plan of a run that fits, and is predicted to need `own_bytes`, may be predicted to
 * need: three of four such runs that fit with the one fit with the other, if both predictions are
 * off by the same factor. */
double headroom_beside(const struct rk_model *model, const struct rk_plan *plan, double own_bytes,
                       double capacity_bytes);

/* "hbm_bytes <= 8.1e10", for rk_query.where. */
enum { HEADROOM_WHERE = 48 };
const char *headroom_where(double usable_bytes, char where[static HEADROOM_WHERE]);

#endif
