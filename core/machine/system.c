#include <math.h>
#include <reckon/system.h>

void rk_curve_set_peak(struct rk_curve *curve, double peak)
{
    for (int i = 0; i < curve->steps; i++)
        curve->step[i].rate = peak * curve->step[i].efficiency;
}

double rk_memory_endurance_bytes(const struct rk_memory *m)
{
    const double rated = m->rated_amplification > 0 ? m->rated_amplification : 1;
    const double own = m->write_amplification > 0 ? m->write_amplification : 1;
    const double gain = m->retention_gain > 0 ? m->retention_gain : 1;
    return m->endurance_bytes > 0 ? m->endurance_bytes * rated / own * gain : INFINITY;
}
