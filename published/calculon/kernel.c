#include "calculon/kernel.h"

#include "calculon/step.h"
#include "schedule/flight.h"

#include <stdlib.h>
#include <string.h>

#define BODY static inline __attribute__((always_inline))

/* ---- bodies: plain loops over lanes, for the compiler to vectorise ---- */

/* The same steps as curve_time_s: the first whose threshold is not above n. */
BODY double curve_lane_s(double n, int steps, const double *from, const double *rate)
{
    double r = rate[steps - 1];
    for (int k = steps - 2; k >= 0; k--)
        r = n >= from[k] ? rate[k] : r;
    return n / r;
}

BODY void transfer_steps(const struct transfer_job *j, int steps)
{
    const double *restrict weights = j->weights, *restrict kept = j->kept;
    const double *restrict state = j->state;
    double *restrict slowest = j->slowest_s;
    const double w = j->on[0], k = j->on[1], s = j->on[2];
    const int forward = j->forward, lanes = j->lanes;
#pragma omp simd
    for (int i = 0; i < lanes; i++) {
        const double in = weights[i] * w, out = kept[i] * k;
        const double larger = in > out ? in : out;
        const double bytes = forward ? larger : in + out + state[i] * s;
        const double time_s = curve_lane_s(bytes, steps, j->from, j->rate);
        slowest[i] = time_s > slowest[i] ? time_s : slowest[i];
    }
}

BODY void transfer_body(const struct transfer_job *j)
{
    if (j->steps == SHORT_CURVE)
        transfer_steps(j, SHORT_CURVE); /* unrolled */
    else
        transfer_steps(j, LONG_CURVE);
}

/* What stays in tier 0. */
BODY uint64_t memory_first(const struct memory_job *j, int keep)
{
    const double *restrict weights = j->weights, *restrict working = j->working;
    const double *restrict stored = j->stored, *restrict checkpoint = j->checkpoint;
    const double *restrict agrads = j->activation_grads, *restrict full = j->grads_full;
    const double *restrict grads = j->grads, *restrict state = j->state;
    const double *restrict m = j->microbatches;
    double *restrict penalty = j->penalty, *restrict hbm = j->hbm;
    const double blocks = j->blocks, pipeline = j->pipeline, interleaving = j->interleaving;
    const double weight_blocks = j->weight_blocks, grad_blocks = j->grad_blocks;
    const double state_blocks = j->state_blocks, capacity = j->capacity[0];
    const int leave = j->activations_leave, lanes = j->lanes;
    int refused = 0;
#pragma omp simd reduction(+ : refused)
    for (int i = 0; i < lanes; i++) {
        const double in_flight = flight_published(m[i], pipeline, interleaving);
        const double kept = leave ? working[i] + stored[i]
                                  : activations_of(working[i], stored[i], blocks, in_flight);
        const double need = tier_sum(weight_blocks * weights[i], kept,
                                     checkpoints_of(checkpoint[i], blocks, in_flight), agrads[i],
                                     full[i] + grads[i] * grad_blocks, state_blocks * state[i]);
        if (keep) hbm[i] = need;
        penalty[i] = need > capacity ? INFINITY : 0;
        refused += need > capacity ? 1 : 0;
    }
    return (uint64_t)refused;
}

BODY uint64_t memory_lower(const struct memory_job *j, int tier, int keep)
{
    const double *restrict weights = j->weights, *restrict working = j->working;
    const double *restrict stored = j->stored, *restrict grads = j->grads;
    const double *restrict state = j->state, *restrict m = j->microbatches;
    double *restrict penalty = j->penalty, *restrict lower = j->lower;
    const double blocks = j->blocks, pipeline = j->pipeline, interleaving = j->interleaving;
    const double capacity = j->capacity[tier];
    const int lanes = j->lanes;
    const double w = j->on[tier][0] * blocks, a = j->on[tier][1], o = j->on[tier][2] * blocks;
    int refused = 0;
#pragma omp simd reduction(+ : refused)
    for (int i = 0; i < lanes; i++) {
        const double in_flight = flight_published(m[i], pipeline, interleaving);
        const double kept = activations_of(working[i], stored[i], blocks, in_flight);
        const double need = tier_sum(w * weights[i], a * kept, 0, 0, o * grads[i], o * state[i]);
        const int misses = need > capacity && penalty[i] == 0;
        if (keep) lower[i] += need;
        penalty[i] = misses ? INFINITY : penalty[i];
        refused += misses;
    }
    return (uint64_t)refused;
}

/* Where nothing fits any more, lower tiers need no look, unless somebody wants the figures. */
BODY void memory_tiers(const struct memory_job *j, int keep)
{
    uint64_t refused = memory_first(j, keep);
    j->refused[0] += refused;
    for (int i = 0; keep && i < j->lanes; i++)
        j->lower[i] = 0;
    for (int tier = 1; tier < j->tiers; tier++) {
        if (j->on[tier][0] + j->on[tier][1] + j->on[tier][2] == 0) continue;
        if (!keep && refused == (uint64_t)j->lanes) return;
        const uint64_t more = memory_lower(j, tier, keep);
        j->refused[tier] += more;
        refused += more;
    }
}

BODY void memory_body(const struct memory_job *j)
{
    if (j->hbm)
        memory_tiers(j, 1);
    else
        memory_tiers(j, 0);
}

BODY void block_body(const struct block_job *j)
{
    const double *restrict f0 = j->forward_s[0], *restrict f1 = j->forward_s[1];
    const double *restrict b0 = j->backward_s[0], *restrict b1 = j->backward_s[1];
    const double *restrict fa = j->forward_access_s, *restrict ba = j->backward_access_s;
    const double *restrict ft = j->forward_transfer_s, *restrict bt = j->backward_transfer_s;
    const double *restrict message = j->message_s;
    double *restrict base = j->base_s, *restrict edge = j->edge_s;
    double *restrict base_back = j->base_backward_s, *restrict edge_back = j->edge_backward_s;
    const double unsent = j->alone;
    const int lanes = j->lanes;
#pragma omp simd
    for (int i = 0; i < lanes; i++) {
        const double edge_f = f1[i] + message[i], edge_b = b1[i] + message[i];
        const double forward0 = f0[i] + offload_wait_s(ft[i], fa[i], f0[i]);
        const double forward1 = edge_f + offload_wait_s(ft[i], fa[i], edge_f);
        const double backward0 = b0[i] + offload_wait_s(bt[i], ba[i], b0[i]);
        const double backward1 = edge_b + offload_wait_s(bt[i], ba[i], edge_b);
        const double skip = unsent * message[i];
        base[i] = forward0 + backward0;
        edge[i] = (forward1 - skip) + (backward1 - skip);
        base_back[i] = backward0;
        edge_back[i] = backward1;
    }
}

/* Time of a step whose data parallelism exposes `exposed_s`. */
BODY double lane_step_s(const struct time_job *j, int i, double exposed_s)
{
    const double idle = idle_chunks_of(j->pipeline, j->interleaving, j->shortage[i]);
    const double chunk_s = chunk_of(j->base_s[i], j->edge_s[i], j->bases);
    const double all = j->microbatches[i] * j->interleaving;
    return step_of(all + idle, chunk_s, 0, j->optimizer_s[i], exposed_s) + j->penalty[i];
}

BODY double bound_body(const struct time_job *job)
{
    const struct time_job j = *job;
    double least = INFINITY;
#pragma omp simd reduction(min : least)
    for (int i = 0; i < j.lanes; i++) {
        const double step_s = lane_step_s(&j, i, j.reduce_s[i]);
        least = step_s < least ? step_s : least;
    }
    return least;
}

BODY int plain_body(const struct time_job *job, double limit)
{
    const struct time_job j = *job;
    double *restrict out = j.step_s;
    int hits = 0;
#pragma omp simd reduction(+ : hits)
    for (int i = 0; i < j.lanes; i++) {
        const double step_s = lane_step_s(&j, i, j.blocks * j.reduce_s[i]);
        out[i] = step_s;
        hits += step_s <= limit ? 1 : 0;
    }
    return hits;
}

/* See data_exposed_s in estimate.c. */
BODY double lane_exposed_s(const struct time_job *j, int i, int meets)
{
    const double bases = j->bases, usage = j->usage, reduce_s = j->reduce_s[i];
    const double base_s =
        hiding_s(j->base_backward_s[i], j->access_s[i], j->optimizer_hides_s[i], j->link_s[0][i]);
    const double edge_s =
        hiding_s(j->edge_backward_s[i], j->access_s[i], j->optimizer_hides_s[i], j->link_s[1][i]);
    const double chunk_hiding_s = chunk_of(base_s, edge_s, bases);
    const double tail_s = tail_of(chunk_hiding_s, j->message_s[i], j->base_backward_s[i],
                                  j->edge_backward_s[i], j->optimizer_hides_s[i], bases);
    const double chunk_compute_s = (bases + 1) * j->compute_s[i];
    const double chunk_reduce_s = (bases + 1) * reduce_s, tail_reduce_s = bases * reduce_s;
    double collided_s = 0;
    if (meets)
        collided_s = collisions_of(chunk_reduce_s,
                                   chunk_of(j->base_backward_s[i], j->edge_backward_s[i], bases),
                                   j->last_round[i]) *
                     j->message_s[i];
    const double excess_s = chunks_excess_of(chunk_reduce_s, j->pipeline, chunk_hiding_s,
                                             collided_s, chunk_compute_s, usage);
    const double tail_excess_s = tail_excess_of(tail_reduce_s, j->compute_s[i], usage, tail_s);
    return data_exposed_of(reduce_s, visible_of(excess_s, chunk_reduce_s, usage),
                           visible_of(tail_excess_s, tail_reduce_s, usage), j->interleaving);
}

BODY int overlapped_loop(const struct time_job *job, double limit, int meets)
{
    const struct time_job j = *job;
    double *restrict out = j.step_s;
    int hits = 0;
#pragma omp simd reduction(+ : hits)
    for (int i = 0; i < j.lanes; i++) {
        const double step_s = lane_step_s(&j, i, lane_exposed_s(&j, i, meets));
        out[i] = step_s;
        hits += step_s <= limit ? 1 : 0;
    }
    return hits;
}

BODY int overlapped_body(const struct time_job *j, double limit)
{
    return j->meets_messages ? overlapped_loop(j, limit, 1) : overlapped_loop(j, limit, 0);
}

/* ---- the same bodies for several vector units ---- */

#define KERNELS(suffix, label, target)                                                             \
    target static void transfer_##suffix(const struct transfer_job *j)                             \
    {                                                                                              \
        transfer_body(j);                                                                          \
    }                                                                                              \
    target static void memory_##suffix(const struct memory_job *j)                                 \
    {                                                                                              \
        memory_body(j);                                                                            \
    }                                                                                              \
    target static void block_##suffix(const struct block_job *j)                                   \
    {                                                                                              \
        block_body(j);                                                                             \
    }                                                                                              \
    target static double bound_##suffix(const struct time_job *j)                                  \
    {                                                                                              \
        return bound_body(j);                                                                      \
    }                                                                                              \
    target static int plain_##suffix(const struct time_job *j, double limit)                       \
    {                                                                                              \
        return plain_body(j, limit);                                                               \
    }                                                                                              \
    target static int overlapped_##suffix(const struct time_job *j, double limit)                  \
    {                                                                                              \
        return overlapped_body(j, limit);                                                          \
    }                                                                                              \
    static const struct kernels kernels_##suffix = {                                               \
        label,          transfer_##suffix, memory_##suffix,     block_##suffix,                    \
        bound_##suffix, plain_##suffix,    overlapped_##suffix,                                    \
    };

#define NO_TARGET
KERNELS(baseline, "baseline", NO_TARGET)

#if defined(__x86_64__)
#if defined(__clang__)
#define WIDE
#else
#define WIDE ",prefer-vector-width=512"
#endif
KERNELS(sse42, "sse4.2", __attribute__((target("sse4.2"))))
KERNELS(avx2, "avx2", __attribute__((target("avx2"))))
KERNELS(avx512, "avx512", __attribute__((target("avx512f,avx512dq,avx512vl" WIDE))))
#endif

const struct kernels *kernels(void)
{
#if defined(__x86_64__)
    const char *most = getenv("RECKON_VECTOR");
    const int any = most == NULL;
    __builtin_cpu_init();
    if ((any || strcmp(most, "avx512") == 0) && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &kernels_avx512;
    if ((any || strcmp(most, "avx512") == 0 || strcmp(most, "avx2") == 0) &&
        __builtin_cpu_supports("avx2"))
        return &kernels_avx2;
    if ((any || strcmp(most, "baseline") != 0) && __builtin_cpu_supports("sse4.2"))
        return &kernels_sse42;
#endif
    return &kernels_baseline;
}
