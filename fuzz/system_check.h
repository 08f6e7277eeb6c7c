/* system_check.h - what holds for every system that a loader accepts. */
#ifndef RECKON_FUZZ_SYSTEM_CHECK_H
#define RECKON_FUZZ_SYSTEM_CHECK_H

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <reckon/system.h>

static inline void check_curve(const struct rk_curve *curve)
{
    assert(curve->steps >= 0 && curve->steps <= RK_CURVE_STEPS);
    for (int i = 0; i < curve->steps; i++) {
        assert(curve->step[i].efficiency > 0 && curve->step[i].efficiency <= 1);
        assert(curve->step[i].rate > 0);
        assert(i == 0 || curve->step[i].from < curve->step[i - 1].from);
    }
    assert(curve->steps == 0 || curve->step[curve->steps - 1].from == 0);
}

static inline void check_system(const struct rk_system *system)
{
    assert(system->memories >= 1 && system->networks >= 1);
    for (int i = 0; i < RK_DATATYPES; i++) {
        check_curve(&system->matrix[i].curve);
        check_curve(&system->vector[i].curve);
    }
    for (int i = 0; i < system->memories; i++) {
        assert(system->memory[i].capacity_bytes > 0 && system->memory[i].bandwidth_Bps > 0);
        check_curve(&system->memory[i].curve);
    }
    for (int i = 0; i < system->networks; i++) {
        const struct rk_network *network = &system->network[i];
        assert(network->bandwidth_Bps > 0 && network->size >= 1 && network->latency_s >= 0);
        assert(network->efficiency > 0 && network->efficiency <= 1);
        assert(network->processor_usage >= 0 && network->processor_usage < 1);
        assert(network->collective[RK_POINT_TO_POINT].offset == 0);
    }
}

#endif
