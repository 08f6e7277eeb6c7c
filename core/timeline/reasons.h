/* reasons.h - what makes plans of a simulation: why it may differ from a formula, bits of a plan's
 * reasons; and what is made alike. */
#ifndef RECKON_TIMELINE_REASONS_H
#define RECKON_TIMELINE_REASONS_H

#include "timeline/timeline.h"

enum reason {
    /* of the published estimate */
    REASON_SPLIT,
    REASON_UNEQUAL,
    REASON_LAST_ROUND,
    REASON_REDUCE_BESIDE,
    REASON_MESSAGES,
    REASON_INFERENCE,
    REASON_GPIPE_MEMORY,
    REASON_ROUNDED_MEMORY,
    /* of the prediction */
    REASON_UNEQUAL_STAGES,
    REASON_UNEQUAL_CHUNKS,
    REASON_UNEQUAL_HALVES,
    REASON_MESSAGES_BESIDE,
    REASON_REDUCE_CHUNKS,
    REASON_BUCKETS,
    REASON_DRAIN,
    REASON_WEIGHT_GRADIENTS,
    REASON_TWO_STAGES,
    REASON_HELD_CHUNKS,
    REASON_PUT_OFF,
    REASON_COUNT
};

static inline unsigned reason_if(bool holds, enum reason reason)
{
    return holds ? 1u << reason : 0;
}

/* RK_BAD_ARGUMENT when there are more than TIMELINE_MAX_PASSES. */
enum rk_status timeline_check_length(uint64_t stages, uint64_t chunks, uint64_t microbatches,
                                     struct rk_error *error);

/* Sets total_s. */
void timeline_sum_up(struct timeline_duration *duration);

#endif
