/* extremes.h - the larger and the smaller of two numbers, neither of which is NaN: without the
 * function call that the care of fmax() and fmin() for NaN takes. */
#ifndef RECKON_BASE_EXTREMES_H
#define RECKON_BASE_EXTREMES_H

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

#endif
