/* sure.h - does a run fit, does it not, or is that unsure, and what memory should be left free.
 *
 * Predicted peaks are off by some percent, so whether a plan fits has a probability: the share of
 * similar measured runs that fit where this one is predicted, by the catalog's error bars
 * (data/measured/error_bars.json). Between two bounds of it nobody knows: answers then say unsure,
 * `reckon fits` exits with 2, and `reckon validate` counts such runs apart.
 *
 * The fastest plans are those that fill the memory. So what is proposed leaves by default a
 * headroom: so much that three of four such runs fit. Where no plan leaves so much, the best that
 * fits is named as such (rk_offer).
 */
#ifndef RECKON_SURE_H
#define RECKON_SURE_H

#include <reckon/plans.h>
#include <reckon/predict.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the probability ---- */

/* That a run with this predicted peak fits: the share of similar runs that do. NAN where there are
 * none. */
RK_API double rk_fit_chance(const struct rk_model *model, const struct rk_system *system,
                            const struct rk_plan *plan, double hbm_bytes);

/* ... on a device of which no more is known. */
RK_API double rk_fit_chance_within(const struct rk_model *model, const struct rk_plan *plan,
                                   double need_bytes, double capacity_bytes);

/* The share of the memory that a predicted peak takes with which three of four measured runs like
 * the plan's (framework, dense or with experts) fit; 1 where nothing is known, as of the published
 * model. */
RK_API double rk_fit_share(const struct rk_model *model, const struct rk_plan *plan);

/* ---- the judgement ---- */

/* Probabilities of fitting, compared in whole percents: at least `fits` fits, less than `fails`
 * does not. */
struct rk_sure_bounds {
    double fits, fails;
};

/* Chosen on measured runs, docs/notes/accuracy.md: what fits. */
RK_API extern const struct rk_sure_bounds rk_sure_usual;

enum rk_sure { RK_SURE_FITS, RK_SURE_NOT, RK_SURE_UNSURE };
RK_API const char *rk_sure_name(enum rk_sure sure);

/* Whether a run with this predicted peak fits. Without similar measured runs the need alone
 * decides. `bounds` NULL: the usual ones, whose upper one is that of rk_fit_share(). */
RK_API enum rk_sure rk_sure_of(const struct rk_model *model, const struct rk_plan *plan,
                               double need_bytes, double capacity_bytes,
                               const struct rk_sure_bounds *bounds);

/* The share of the memory up to which a predicted need surely fits; 0: none does. */
RK_API double rk_sure_share(const struct rk_model *model, const struct rk_plan *plan,
                            const struct rk_sure_bounds *bounds);

/* Bytes of weights, gradients and optimizer: however the rest is predicted, a device with less
 * memory does not hold the stage. */
RK_API double rk_sure_states(const double holds[RK_HOLDING_COUNT]);

/* Percentages, "75,20"; "50" for both: never unsure. NULL leaves the usual. RK_BAD_ARGUMENT for
 * other texts. */
RK_API enum rk_status rk_sure_read(const char *text, struct rk_sure_bounds *bounds,
                                   struct rk_error *error);

/* ---- the headroom ---- */

/* The share of the device's memory that plans may take, as `text` says: "8GiB" and "10%" less than
 * all; "learned" and NULL rk_fit_share(); "none" 1. RK_BAD_ARGUMENT when it says none of these or
 * leaves nothing. */
RK_API enum rk_status rk_headroom_share(const char *text, const struct rk_model *model,
                                        const struct rk_system *system, const struct rk_plan *plan,
                                        double *share, struct rk_error *error);

/* ... in bytes. */
RK_API enum rk_status rk_headroom_usable(const char *text, const struct rk_model *model,
                                         const struct rk_system *system, const struct rk_plan *plan,
                                         double *bytes, struct rk_error *error);

/* ... of each cluster of a problem's system, into problem->usable_bytes: 0 where it is all. */
RK_API enum rk_status rk_headroom_of_clusters(const char *text, struct rk_plans_problem *problem,
                                              struct rk_error *error);

/* What a changed plan of a run that fits, and is predicted to need `own_bytes`, may be predicted to
 * need: three of four such runs that fit with the one fit with the other, if both predictions are
 * off by the same factor. */
RK_API double rk_headroom_beside(const struct rk_model *model, const struct rk_plan *plan,
                                 double own_bytes, double capacity_bytes);

/* "hbm_bytes <= 8.1e10", for rk_query.where. */
enum { RK_HEADROOM_WHERE = 48 };
RK_API const char *rk_headroom_where(double usable_bytes, char where[RK_HEADROOM_WHERE]);

#ifdef __cplusplus
}
#endif
#endif
