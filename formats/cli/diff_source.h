/* diff_source.h - the two plans that `reckon diff` compares, from wherever they are. */
#ifndef RECKON_CLI_DIFF_SOURCE_H
#define RECKON_CLI_DIFF_SOURCE_H

#include "catalog/hosts.h"
#include "cli/diff_input.h"
#include "cli/launch_input.h"
#include "cli/options.h"
#include "cli/plan_input.h"
#include "knobs/knobs.h"
#include "megatron/megatron.h"
#include <reckon/reckon.h>

/* Plans that were given by option are the first ones. */
enum rk_status diff_take_plans(struct diff_source *source, struct rk_error *error);

/* Reads everything and, without a second plan, searches it: the best one with the first one's GPUs,
 * batch, sequence, precision, kernel and framework. Release the input in any case. */
enum rk_status diff_gather(const struct diff_source *source, struct diff_input *input,
                           struct rk_error *error);

/* How a script is read; `version` 0: by any version of Megatron Core. */
struct megatron_options diff_options(const struct diff_source *source, int version);
void diff_input_release(struct diff_input *input);

#endif
