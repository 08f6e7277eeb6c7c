/* profile.h - what Galvatron measured of a machine and of a model, in its own units: milliseconds
 * and MB of 2^20 bytes.
 *
 * Its files are flat JSON objects whose keys carry the sizes ("allreduce_size_4_consec_0",
 * "layertype_0_bsz2_seq2048"). Constants between the sizes are fits by least squares. What a search
 * needs and a file does not have is refused by name.
 */
#ifndef RECKON_GALVATRON_PROFILE_H
#define RECKON_GALVATRON_PROFILE_H

#include "galvatron/strategy.h"
#include "text/document.h"

enum { GALVATRON_KINDS = 8, GALVATRON_SIZES = 64 };

struct galvatron_line {
    double slope, offset;
};

/* Numbers by degree, at the index of its logarithm. */
struct galvatron_by_degree {
    unsigned known; /* bit i: degree 2^i is there */
    double value[GALVATRON_DEGREES];
};

/* Times of one collective among one number of ranks. */
struct galvatron_messages {
    int count;
    double MB[GALVATRON_SIZES], ms[GALVATRON_SIZES]; /* (count) */
    struct galvatron_line ms_of_MB;
};

struct galvatron_hardware {
    int nodes, gpus_per_node;
    double overlap;                                    /* slow-down of what runs side by side */
    struct galvatron_by_degree allreduce_ms_per_MB[2]; /* ranks apart, and neighbours */
    struct galvatron_by_degree p2p_ms_per_MB;          /* by pipeline degree */
    struct galvatron_messages gather[GALVATRON_DEGREES], exchange[GALVATRON_DEGREES];
};

/* One kind of layer. */
struct galvatron_layers {
    int layers, sequence;
    double hidden, parameter_MB;              /* 4 bytes a parameter */
    struct galvatron_by_degree activation_MB; /* of one sample */
    double checkpoint_MB;                     /* its input alone */
    struct galvatron_line forward_ms;         /* of samples */
};

/* Embedding and head, or one of them. */
struct galvatron_end {
    struct galvatron_by_degree states_MB, activation_MB;
};

struct galvatron_model {
    int kinds;
    struct galvatron_layers kind[GALVATRON_KINDS];
    struct galvatron_line other_ms; /* forward of embedding and head, of samples */
    struct galvatron_end whole, first, last;
};

/* Which figures a search looks up: bits of degrees. */
struct galvatron_needs {
    unsigned split, tensor; /* of layers and ends: degrees that split them; of tensor alone */
    bool checkpoint, whole, staged;
    unsigned allreduce[2], pipeline, gather, exchange;
};

void galvatron_need(struct galvatron_needs *needs, const struct galvatron_strategy *strategy);

/* The layers of a question: what it asks of a profile. */
struct galvatron_shape {
    int kinds;
    int layers[GALVATRON_KINDS], sequence[GALVATRON_KINDS];
};

/* An object {nodes, gpus_per_node, allreduce, p2p, overlap, sp}, each of the last four the content
 * of one file. RK_BAD_INPUT names the key. */
enum rk_status galvatron_read_hardware(const struct place *object,
                                       const struct galvatron_needs *needs,
                                       struct galvatron_hardware *hardware, struct rk_error *error);

/* The ranks alone. */
enum rk_status galvatron_read_ranks(const struct place *object, int *nodes, int *gpus_per_node,
                                    struct rk_error *error);

/* An object {hidden, time, memory, time_mode, memory_mode}: the second and third are files. */
enum rk_status galvatron_read_model(const struct place *object, const struct galvatron_shape *shape,
                                    const struct galvatron_needs *needs,
                                    struct galvatron_model *model, struct rk_error *error);

/* ---- fits by least squares; (count) points, not all x alike ---- */

struct galvatron_line galvatron_fit_line(int count, const double *x, const double *y);
/* The value at `at` of the parabola through three or more points. */
double galvatron_fit_parabola(int count, const double *x, const double *y, double at);

#endif
