#include <reckon/system.h>

void rk_curve_set_peak(struct rk_curve *curve, double peak)
{
    for (int i = 0; i < curve->steps; i++)
        curve->step[i].rate = peak * curve->step[i].efficiency;
}
