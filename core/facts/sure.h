/* sure.h - does a run fit, does it not, or is that unsure: the one judgement of all commands.
 *
 * Predicted peaks are off by some percent, so whether a plan fits has a probability (learned.h).
 * Between two bounds of it nobody knows: answers then say unsure, `reckon fits` exits with 2, and
 * `reckon validate` counts such runs apart. --headroom learned keeps plans to the upper one.
 */
#ifndef RECKON_FACTS_SURE_H
#define RECKON_FACTS_SURE_H

#include <reckon/catalog.h>
#include <reckon/plan.h>
#include <reckon/predict.h>

/* Probabilities of fitting, compared in whole percents: at least `fits` fits, less than `fails`
 * does not. */
struct sure_bounds {
    double fits, fails;
};

/* Chosen on measured runs, docs/notes/accuracy.md: what fits. */
extern const struct sure_bounds sure_usual;

enum sure { SURE_FITS, SURE_NOT, SURE_UNSURE };
const char *sure_name(enum sure sure);

/* Whether a run with this predicted peak fits. Without similar measured runs the need alone
 * decides. `bounds` NULL: the usual ones, whose upper one is that of learned_room(). */
enum sure sure_of(const struct rk_model *model, const struct rk_plan *plan, double need_bytes,
                  double capacity_bytes, const struct sure_bounds *bounds);

/* Bytes of weights, gradients and optimizer: however the rest is predicted, a device with less
 * memory does not hold the stage. */
double sure_states(const double holds[RK_HOLDING_COUNT]);

/* Percentages, "75,20"; "50" for both: never unsure. NULL leaves the usual. RK_BAD_ARGUMENT for
 * other texts. */
enum rk_status sure_read(const char *text, struct sure_bounds *bounds, struct rk_error *error);

#endif
