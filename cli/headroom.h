/* headroom.h - memory that the plans of an answer leave free: --headroom.
 *
 * Predicted peaks are off by some percent, and the fastest plans are those that fill the memory. So
 * an answer of today's plans leaves by default what was learned from measured peaks: so much that
 * three of four such runs fit. Where no plan leaves so much, the memory is filled.
 */
#ifndef RECKON_CLI_HEADROOM_H
#define RECKON_CLI_HEADROOM_H

#include <reckon/reckon.h>

#define HEADROOM_ARGUMENT "SIZE|%|learned|none"

/* What `text` leaves of the device's memory: "8GiB" and "10%" less; "learned" and NULL as above;
 * "none" all of it. RK_USAGE when it says none of these or leaves nothing. */
enum rk_status headroom_usable(const char *text, const struct rk_model *model,
                               const struct rk_system *system, const struct rk_plan *plan,
                               double *bytes, struct rk_error *error);

/* "hbm_bytes <= 8.1e10", for rk_query.where. */
enum { HEADROOM_WHERE = 48 };
const char *headroom_where(double usable_bytes, char where[static HEADROOM_WHERE]);

#endif
