/* learned.h - what the catalog's error bars (error_bar.h) say of a plan's memory.
 *
 * Read once from data/measured/error_bars.json of the catalog.
 */
#ifndef RECKON_FACTS_LEARNED_H
#define RECKON_FACTS_LEARNED_H

#include "facts/error_bar.h"

/* NULL where the catalog has none. */
const struct error_bars *learned_bars(void);

/* The share of the memory that a predicted peak takes with which three of four measured runs like
 * the plan's (framework, dense or with experts) fit; 1 where nothing is known, as of the published
 * model.
 */
double learned_room(const struct rk_model *model, const struct rk_plan *plan);

/* Share of similar runs that fit where this one is predicted; NAN where there are none. What it
 * means: sure.h. */
double learned_fit(const struct rk_model *model, const struct rk_system *system,
                   const struct rk_plan *plan, double hbm_bytes);

/* ... on a device of which no more is known. */
double learned_fit_within(const struct rk_model *model, const struct rk_plan *plan,
                          double need_bytes, double capacity_bytes);

#endif
