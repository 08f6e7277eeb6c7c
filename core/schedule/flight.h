/* flight.h - microbatches in flight: forward has begun, the last of backward has not ended.
 *
 * They follow from the order of passes (order.h): those before the first backward, the one that
 * then follows, and those whose weight gradient waits; those of a V are counted along its order.
 * Pure.
 */
#ifndef RECKON_SCHEDULE_FLIGHT_H
#define RECKON_SCHEDULE_FLIGHT_H

#include "schedule/order.h"

/* Of a V, passes of chunks `first` ... `last` of a rank in flight at the same time, at most. The
 * first 4p microbatches have all that can happen. */
uint64_t flight_along(const struct pipeline *p, uint64_t stage, uint32_t first, uint32_t last);

static inline bool flight_is_counted(const struct pipeline *p)
{
    return rk_schedule_folds(p->schedule) && !p->forward_only;
}

/* Passes of chunks that are in flight at the same time on a rank, at most. */
static inline uint64_t flight_chunks(const struct pipeline *p, uint64_t stage)
{
    if (flight_is_counted(p)) return flight_along(p, stage, 0, 1);
    const uint64_t all = p->microbatches * p->chunks;
    const uint64_t most = pipeline_warmup(p, stage) + 1 + pipeline_delay(p, stage);
    return all < most ? all : most;
}

/* In whole stages. */
static inline double flight_of_stage(const struct pipeline *p, uint64_t stage)
{
    return (double)flight_chunks(p, stage) / (double)p->chunks;
}

/* Of the model's first part alone, which with chunks runs two rounds before the first of them is
 * back; with two chunks no more of the second than the pipeline is deep, there and back. */
static inline uint64_t flight_of_rounds(const struct pipeline *p)
{
    const uint64_t round = pipeline_round(p), deep = 2 * p->stages - 1;
    if (p->chunks == 1) return p->stages;
    return round + (p->chunks == 2 && deep < round ? deep : round);
}

static inline double flight_of_first(const struct pipeline *p)
{
    if (flight_is_counted(p)) return (double)flight_along(p, 0, 0, 0);
    const uint64_t most = p->schedule == RK_GPIPE            ? p->microbatches
                          : p->schedule == RK_ZERO_BUBBLE_2P ? 2 * p->stages - 1
                                                             : flight_of_rounds(p);
    return (double)(most < p->microbatches ? most : p->microbatches);
}

/* Of the last part, whose forward is followed by its backward. */
static inline double flight_of_last(const struct pipeline *p)
{
    if (flight_is_counted(p)) return (double)flight_along(p, 0, 1, 1);
    return p->schedule == RK_GPIPE ? (double)p->microbatches : 1;
}

/* Of the first stage, as the Calculon model has it: [narayanan2021], section 2.2. That of
 * flight_of_stage when the stages divide the microbatches, but for rounding. */
static inline __attribute__((always_inline)) double flight_published(double microbatches,
                                                                     double stages, double chunks)
{
    const double rounds = microbatches < stages ? microbatches : stages;
    const double more = chunks > 1 ? (stages - 1) / (chunks * stages) : 0;
    return rounds * (1 + more);
}

#endif
