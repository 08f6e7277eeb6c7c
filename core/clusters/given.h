/* given.h - what a plan over clusters costs that somebody gives.
 *
 * Each stage has its layers, and its replicas: all of one kind on one cluster, or parts of several
 * kinds on several clusters, each with degrees and choices of its own. The samples of a round are
 * shared by speed: each goes to the replica that would be the first to end with it, which is the
 * exact minimum of the stage's time, as a replica's time grows with its samples; or all replicas
 * take the same, as frameworks do that know one kind. Gradients go round all replicas, as NCCL's
 * rings do: across each link once. Pure but for its memory.
 */
#ifndef RECKON_CLUSTERS_GIVEN_H
#define RECKON_CLUSTERS_GIVEN_H

#include "clusters/plan.h"

enum { GIVEN_PARTS = CLUSTERS_HOMES, GIVEN_REPLICAS = 4096 };

struct given_part {
    int cluster;
    uint64_t data;       /* replicas */
    struct rk_plan plan; /* degrees and choices of one layer; ranks, pipeline, batch do not count */
    uint64_t samples;    /* filled: of a round, all its replicas together */
    uint64_t least, most; /* filled: ... that a replica takes */
    double time_s;        /* filled: of a round, both passes */
};

struct given_stage {
    int layers, parts; /* layers: of all its chunks */
    bool equal;        /* its replicas take as many samples each */
    struct given_part part[GIVEN_PARTS];
};

struct given_plan {
    uint64_t round;
    int stages, chunks;
    uint16_t split[RK_MAX_CHUNKS]; /* (chunks, stages) layers, in the model's order */
    struct given_stage stage[RK_MAX_STAGES];
};

/* As given, what was found. `question` is what it was found for. */
void given_of(const struct clusters_question *question, const struct clusters_plan *plan,
              struct given_plan *given);

/* What is wrong with a part; reason.verdict RK_FITS: nothing is. */
struct given_fault {
    int stage, part;
    struct rk_reason reason;
};

/* question->words: the batch, a multiple of the round. The plan's first part stands for a stage in
 * `plan`; its times are those of the slowest. With a fault of memory `plan` is filled all the
 * same, with another one it is not. False: no memory. */
bool given_judge(const struct clusters_question *question, struct given_plan *given,
                 struct clusters_plan *plan, struct given_fault *fault);

/* The same, with all that rk_predict() tells; its verdict is the fault's. */
bool given_predict(const struct clusters_question *question, struct given_plan *given,
                   struct clusters_plan *plan, struct rk_prediction *prediction,
                   struct given_fault *fault);

/* Samples of each of `replicas` replicas; time_s[i * (samples + 1) + n] is what replica i takes for
 * n, growing with n, INFINITY what it cannot take. The largest time; INFINITY: nobody takes them.
 */
double given_shares(int replicas, uint64_t samples, const double *time_s, uint64_t *share);

#endif
