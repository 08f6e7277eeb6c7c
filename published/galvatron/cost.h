/* cost.h - Galvatron's cost model [wang2024]: time and memory of a layer, of embedding and head, of
 * a pipeline, digit for digit; docs/layerwise.md says it in formulas. Times in seconds, memory in
 * MB of 2^20 bytes. Pure.
 *
 * Kept as published: gradients of one chunk are those of all of them, divided again; a message
 * between stages is charged at both ends and to the last stage, too; the layer that is being
 * recomputed takes no memory; the buffer of gathers is halved in every precision
 * (galvatron_buffer_MB); a change of layout costs a hundred times what its units say
 * (galvatron_change_s).
 */
#ifndef RECKON_GALVATRON_COST_H
#define RECKON_GALVATRON_COST_H

#include "galvatron/profile.h"

struct galvatron_job {
    const struct galvatron_hardware *hardware;
    const struct galvatron_model *model;
    int batch, chunks;   /* samples a step; microbatches they are cut into */
    bool half;           /* 16-bit weights and activations */
    bool async;          /* gradients are reduced while others are computed */
    bool gpipe;          /* else 1F1B */
    double change_scale; /* of a change of layout: 1e-7 as published, 1e-9 by its units */
};

struct galvatron_time {
    double sync_s, s; /* with and without the reduction of gradients */
};

struct galvatron_memory {
    double states_MB, activation_MB;
};

/* One layer of a kind. */
struct galvatron_time galvatron_layer_time(const struct galvatron_job *job,
                                           const struct galvatron_strategy *strategy, int kind);
struct galvatron_memory galvatron_layer_memory(const struct galvatron_job *job,
                                               const struct galvatron_strategy *strategy, int kind,
                                               int stage);

/* What a stage has of embedding and head: nothing between the ends, but for the context of
 * GALVATRON_CONTEXT_MB that is in galvatron_end_MB. */
enum { GALVATRON_CONTEXT_MB = 1024 };
struct galvatron_time galvatron_end_time(const struct galvatron_job *job,
                                         const struct galvatron_strategy *strategy, int stage);
double galvatron_end_MB(const struct galvatron_job *job, const struct galvatron_strategy *strategy,
                        int stage);

/* The buffer for gathered activations, of ranks that split layers by `buffer`. */
double galvatron_buffer_MB(const struct galvatron_job *job, int pipeline, int buffer);

/* Between two neighbours, the latter of a kind: the new layout, or a bias that sorts equals. */
double galvatron_change_s(const struct galvatron_job *job, const struct galvatron_strategy *former,
                          const struct galvatron_strategy *latter, int kind);

/* A step: `stage_s` (stages) of layers and ends without, `sync_s` of layers with the reduction of
 * gradients. */
double galvatron_step_s(int stages, int chunks, const double *stage_s, const double *sync_s);

/* Layers of each stage: even, the rest on the last one. */
void galvatron_division(int layers, int stages, int *division);

/* In the order of additions of the published code's library: eight sums from eight terms on. */
double galvatron_sum(int count, const double *term);

#endif
