/* least_squares.h - what few terms sum to, some of them left out. */
#ifndef RECKON_RUN_LEAST_SQUARES_H
#define RECKON_RUN_LEAST_SQUARES_H

#include <stdbool.h>

enum { TERMS = 3 };

/* Least squares of sum of x times g's terms = 1: solves g x = r for the terms that are not left
 * out. */
static inline void least_squares(const double g[TERMS][TERMS], const double r[TERMS],
                                 const bool out[TERMS], double x[TERMS])
{
    double row[TERMS][TERMS + 1];
    for (int i = 0; i < TERMS; i++) {
        for (int j = 0; j < TERMS; j++)
            row[i][j] = out[i] || out[j] ? i == j : g[i][j];
        row[i][TERMS] = out[i] ? 0 : r[i];
    }
    for (int i = 0; i < TERMS; i++) /* positive definite: needs no other order */
        for (int k = 0; k < TERMS; k++) {
            const double times = k == i ? 0 : row[k][i] / row[i][i];
            for (int j = i; j <= TERMS; j++)
                row[k][j] -= times * row[i][j];
        }
    for (int i = 0; i < TERMS; i++)
        x[i] = row[i][TERMS] / row[i][i];
}

#endif
