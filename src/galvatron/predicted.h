/* predicted.h - profiles in Galvatron's form, not measured but predicted: so that its search can be
 * asked about any model and machine of the catalog.
 *
 * Bandwidths are those of a collective of 256 MB; times of a layer are its forward pass in bf16 on
 * one rank, memory what it keeps for backward with its sequence split over tensor ranks. Nothing
 * slows down beside communication (overlap_coe 1), as reckon-predict has it.
 */
#ifndef RECKON_GALVATRON_PREDICTED_H
#define RECKON_GALVATRON_PREDICTED_H

#include "catalog/document.h"
#include <reckon/model.h>
#include <reckon/system.h>

/* {"models": {ID: ...}, "hardware": {ID: ...}} for `ranks` ranks, a power of two; sequence 0: the
 * model's. RK_USAGE names what the form cannot say: other numbers of ranks, kinds of layers that
 * come again. The caller releases *profiles. */
enum rk_status galvatron_predict(const struct rk_model *model, const struct rk_system *system,
                                 uint64_t ranks, uint64_t sequence, json_t **profiles,
                                 struct rk_error *error);

#endif
