/* chunks.h - attention over chunks of the sequence whose keys and values come from another memory,
 * two buffers deep [yao2024fpdt].
 *
 * Of u chunks there are u pairs on the diagonal and, where a chunk meets the d before it, u d - d
 * (d + 1) / 2 below it: u (u - 1) / 2 where it meets all. During a pair, the data of the next one
 * are loaded and the results of the last one returned, each way at a rate of its own; a pair begins
 * when the one before and its own load have ended:
 *
 *     time = sum over pairs of max(pair, load of the next one, return of the last one)
 *
 * Forward goes row by row: chunk i meets i - d ... i, or 0 ... i. The chunk before it is still
 * there. Backward goes column by column, from the diagonal down.
 */
#ifndef RECKON_ESTIMATE_CHUNKS_H
#define RECKON_ESTIMATE_CHUNKS_H

struct chunk_times {       /* seconds */
    double chunks, back;   /* u, d < u */
    double below, on;      /* a pair below the diagonal, on it */
    double load, returned; /* each; 0: nothing to wait for */
};

/* All pairs, one after the other. */
double chunks_computing_s(const struct chunk_times *t);

/* Number of loads and returns of a pair's data. In backward also the keys and values of each
 * column, which are never exposed. */
struct chunk_copies {
    double loads, columns, returns;
};
struct chunk_copies chunks_forward_copies(const struct chunk_times *t);
struct chunk_copies chunks_backward_copies(const struct chunk_times *t);

/* What is waited for beyond that, in the order of forward and of backward. */
double chunks_forward_wait_s(const struct chunk_times *t);
double chunks_backward_wait_s(const struct chunk_times *t);

#endif
