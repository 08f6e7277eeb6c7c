/* program.h - Galvatron's dynamic programming over the layers of a stage and whole units of memory.
 *
 *     f[i][v][s] = min over s' of f[i-1][v - memory[i][s]][s'] + change[i][s'][s] + time[i][s]
 *
 * Published as a table over every v. As a function of v each f falls in steps, so the steps are
 * kept instead: at which v a smaller time, or a smaller predecessor of the same time, is reached.
 * Times, choices and ties (the smallest s) are those of the table.
 */
#ifndef RECKON_GALVATRON_PROGRAM_H
#define RECKON_GALVATRON_PROGRAM_H

#include <stdbool.h>

struct galvatron_program {
    int layers, strategies;
    int budget;                  /* largest v that will be asked for */
    const int *const *memory;    /* (layers) rows of (strategies): whole units, 1 or more */
    const double *const *time;   /* (layers) rows of (strategies), seconds */
    const double *const *change; /* (layers) tables of (strategies, strategies), [from][to]; NULL:
                                    no cost */
};

struct galvatron_steps; /* what solving leaves, and room for the next one */

struct galvatron_steps *galvatron_steps_new(void); /* NULL: no memory */
void galvatron_steps_free(struct galvatron_steps *steps);

/* False when there is no memory. The rows of `program` are needed until the last answer. */
bool galvatron_program_solve(const struct galvatron_program *program,
                             struct galvatron_steps *steps);

struct galvatron_path {
    double time_s;
    int remaining; /* of `memory` */
};

/* The best choice (layers) in `memory` units, at most the budget of the program; false when
 * nothing fits. */
bool galvatron_program_answer(const struct galvatron_program *program,
                              const struct galvatron_steps *steps, int memory, int *choice,
                              struct galvatron_path *path);

/* The least memory of any choice. */
long galvatron_program_least(const struct galvatron_program *program);

#endif
