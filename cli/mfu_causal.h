/* mfu_causal.h - MFU with the scores that a causal mask leaves, 6 P + 6 n h s FLOP a token of a
 * dense model. Windows, latent heads, recurrences and encoders count as they are. */
#ifndef RECKON_CLI_MFU_CAUSAL_H
#define RECKON_CLI_MFU_CAUSAL_H

#include <reckon/reckon.h>

/* Of a plan that was timed. */
double mfu_causal(const struct rk_model *model, const struct rk_plan *plan,
                  const struct rk_outcome *outcome);

#endif
