/* search.h - Galvatron's whole search: batches, chunks, pipeline degrees, modes and buffers, and
 * for each the strategies of layers by dynamic programming (fine) or one for all (coarse).
 *
 * Of equals the first in that order wins, as published. `docs/layerwise.md` says what is odd and
 * kept.
 */
#ifndef RECKON_GALVATRON_SEARCH_H
#define RECKON_GALVATRON_SEARCH_H

#include "galvatron/cost.h"
#include "text/fields.h"

#include <stdint.h>

enum galvatron_precision { GALVATRON_BF16, GALVATRON_FP16, GALVATRON_FP32 };
enum galvatron_pipeline { GALVATRON_1F1B, GALVATRON_GPIPE };

/* What is asked; the keys of `input` in a file of cases. */
struct galvatron_question {
    char name[128], model[128], hardware[128];
    struct galvatron_shape shape;
    uint64_t memory_GB;
    uint64_t batch, chunks; /* 0: all of the range, every divisor */
    uint64_t min_batch, max_batch, batch_step;
    uint64_t fine, embedding_tensor, embedding_ulysses;
    int ordinary, pipeline, precision; /* enums above */
    bool async;
    uint64_t max_pipeline, max_tensor, max_ulysses;
    uint64_t no_pipeline, no_tensor, no_ulysses, no_data, no_zero3, no_recompute;
    double change_scale;
};

extern const char *const galvatron_pipeline_names[], *const galvatron_precision_names[];

/* RK_BAD_INPUT names the key. */
enum rk_status galvatron_read_question(const struct place *object,
                                       struct galvatron_question *question, struct rk_error *error);

/* What continues together: the strategies of the question on so many ranks, and the figures of them
 * that a search of it looks up. */
struct galvatron_choice {
    size_t layers, embeddings;
    struct galvatron_strategy *layer, *embedding; /* (layers), (embeddings) */
    struct galvatron_needs needs;
};

/* RK_NO_MEMORY: no memory. Release in every case; a zeroed one is fine. */
enum rk_status galvatron_choose(const struct galvatron_question *question, int world,
                                struct galvatron_choice *choice, struct rk_error *error);
void galvatron_choice_release(struct galvatron_choice *choice);

struct galvatron_answer {
    bool found;
    uint64_t least_GB; /* the smallest memory in which a plan fits; 0: the batch has no split */
    double samples_per_s, step_s;
    int batch, chunks, stages, layers;
    struct galvatron_strategy embedding;
    struct galvatron_strategy *layer;  /* (layers) */
    int *division, *used_MB, *left_MB; /* (stages) */
};

/* RK_NO_MEMORY: no memory. Release in every case; a zeroed one is fine. */
enum rk_status galvatron_search(const struct galvatron_question *question,
                                const struct galvatron_hardware *hardware,
                                const struct galvatron_model *model,
                                const struct galvatron_choice *choice,
                                struct galvatron_answer *answer, struct rk_error *error);
void galvatron_answer_release(struct galvatron_answer *answer);

/* MB of the memory that the search may use: above 20 GB a fifth is left to the allocator. */
int galvatron_budget_MB(uint64_t memory_GB, int *reserved_MB);

#endif
