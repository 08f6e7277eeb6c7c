/* offload.h - what of a rank's tensors lies in lower memory tiers (run/tier.h), and its way.
 *
 * The plan says which share of weights, optimizer state and activations goes to which tier. Of a
 * flat buffer it is the first elements, in whole pages. Activations are dealt tensor by tensor:
 * each goes where most is owed, so that a step is within one tensor of the plan's shares.
 *
 * A unit is the half of a block that attention or the MLP keeps of a microbatch, or another layer.
 * It goes when its forward ends and is gone when the next unit's ends; it comes while backward
 * works on the unit before it (transfers.c). What would come back at once is handed on and never
 * written [wu2025ssdtrain]. All of this follows from the program, so that memory does, too.
 */
#ifndef RECKON_RUN_REAL_OFFLOAD_H
#define RECKON_RUN_REAL_OFFLOAD_H

#include "run/real/away.h"
#include "run/real/real.h"
#include "run/tier.h"

#include <reckon/plan.h>

struct engine;
struct instruction;

/* Of zeros. False: no memory, or no room in a tier. */
bool REAL(flat_open)(struct engine *e, struct flat *f, enum rk_share share, size_t count);
void REAL(flat_close)(struct flat *f);
void REAL(flat_come)(struct engine *e, struct flat *f); /* begins to fetch it */
real *REAL(flat_use)(struct engine *e, struct flat *f); /* all of it, when it is there */
void REAL(flat_go)(struct engine *e, struct flat *f);   /* begins to write it back */
void REAL(flat_leave)(struct engine *e, struct flat *f);
#define flat_open  REAL(flat_open)
#define flat_close REAL(flat_close)
#define flat_come  REAL(flat_come)
#define flat_use   REAL(flat_use)
#define flat_go    REAL(flat_go)
#define flat_leave REAL(flat_leave)

/* ---- activations ---- */

bool REAL(tiers_open)(struct engine *e);
void REAL(tiers_close)(struct engine *e);
void REAL(offload_begin)(struct engine *e); /* of a step */
#define tiers_open    REAL(tiers_open)
#define tiers_close   REAL(tiers_close)
#define offload_begin REAL(offload_begin)

/* The instructions: DO_STORE, DO_STORED, DO_RETURN, DO_RETURNED, DO_FETCH, DO_HAND. */
bool REAL(run_transfer)(struct engine *e, const struct instruction *i);
#define run_transfer REAL(run_transfer)

/* Puts them where they belong in the engine's program; `away` (layers, microbatches) says whose
 * activations the plan sends away. False: no memory. */
struct store;
bool REAL(weights_are_away)(const struct store *s); /* in part, and come for each pass */
#define weights_are_away REAL(weights_are_away)
/* ZeRO-3's weights of the next pass come while the half before it runs. */
bool REAL(gathers_ahead)(const struct engine *e, const struct store *s);
#define gathers_ahead REAL(gathers_ahead)
bool REAL(transfers_put)(struct engine *e, const bool *away);
#define transfers_put REAL(transfers_put)

/* ---- SSDTrain's amount ---- */

/* After the first step: what stays from now on, by its times and the tiers' rates. */
void REAL(offload_adapt)(struct engine *e);
#define offload_adapt REAL(offload_adapt)

#endif
