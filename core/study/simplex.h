/* simplex.h - the least of a function of a few variables, without derivatives: the simplex of
 * [nelder1965].
 *
 * Deterministic: the same function and start give the same result. Variables are bounded and above
 * 0; the search runs over the logit of the logarithm of where each lies between its bounds.
 */
#ifndef RECKON_STUDY_SIMPLEX_H
#define RECKON_STUDY_SIMPLEX_H

enum { SIMPLEX_MOST = 16 };

struct simplex_variable {
    double low, high; /* 0 < low < high */
    double value;     /* start, then result; clamped into the bounds */
};

/* Called with all values set. */
typedef double simplex_function(const void *context, const struct simplex_variable *variables);

/* Requires 1 <= count <= SIMPLEX_MOST. Returns the least found, never above the start's. */
double simplex_minimise(simplex_function *function, const void *context, int count,
                        struct simplex_variable *variables, int iterations);

#endif
