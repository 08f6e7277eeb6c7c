/* predicted.h - profiles in Galvatron's form, predicted instead of measured, so that its search
 * works for any model and machine of the catalog.
 *
 * Bandwidths are those of a collective of 256 MB; times of a layer are its forward pass on one
 * rank, memory what it keeps for backward with its sequence split over tensor ranks. Overlapping
 * communication slows nothing down (overlap_coe 1), as in reckon-predict.
 */
#ifndef RECKON_GALVATRON_PREDICTED_H
#define RECKON_GALVATRON_PREDICTED_H

#include "text/document.h"
#include <reckon/model.h>
#include <reckon/plan.h>
#include <reckon/system.h>

/* {"models": {ID: ...}, "hardware": {ID: ...}} for `ranks` ranks, a power of two; sequence 0: the
 * model's. Kinds of layers that take turns, which the form cannot say, are one kind, their mean
 * (`mixed`). RK_BAD_ARGUMENT: other numbers of ranks, a precision that the machine lacks. The
 * caller releases *profiles. */
enum rk_status galvatron_predict(const struct rk_model *model, const struct rk_system *system,
                                 uint64_t ranks, uint64_t sequence, enum rk_precision precision,
                                 json_t **profiles, bool *mixed, struct rk_error *error);

#endif
