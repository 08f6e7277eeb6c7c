#include "galvatron/profile.h"

/* Centred, so that nothing cancels. */
struct galvatron_line galvatron_fit_line(int count, const double *x, const double *y)
{
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        mean_x += x[i] / count;
        mean_y += y[i] / count;
    }
    for (int i = 0; i < count; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    return (struct galvatron_line){xy / xx, mean_y - xy / xx * mean_x};
}

/* In polynomials orthogonal on the points [forsythe1957]: 1, u, u^2 - a u - b with u = x - mean. */
double galvatron_fit_parabola(int count, const double *x, const double *y, double at)
{
    const struct galvatron_line line = galvatron_fit_line(count, x, y);
    double mean = 0, uu = 0, uuu = 0, pp = 0, py = 0;
    for (int i = 0; i < count; i++)
        mean += x[i] / count;
    for (int i = 0; i < count; i++) {
        const double u = x[i] - mean;
        uu += u * u;
        uuu += u * u * u;
    }
    const double a = uuu / uu, b = uu / count;
    for (int i = 0; i < count; i++) {
        const double u = x[i] - mean, p = u * u - a * u - b;
        pp += p * p;
        py += p * y[i];
    }
    const double u = at - mean;
    return line.slope * at + line.offset + py / pp * (u * u - a * u - b);
}
