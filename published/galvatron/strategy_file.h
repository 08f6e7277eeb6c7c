/* strategy_file.h - the file that Galvatron's runtime is launched with: comma lists with an entry
 * for each layer, and the degrees that they share. */
#ifndef RECKON_GALVATRON_STRATEGY_FILE_H
#define RECKON_GALVATRON_STRATEGY_FILE_H

#include "galvatron/search.h"

/* As the search writes it, with `embed_sdp`; its runtime reads `vocab_sdp`, written as well where
 * `runtime`. The caller releases it; NULL: no memory. */
json_t *galvatron_strategy_json(const struct galvatron_question *question,
                                const struct galvatron_answer *answer, bool runtime);

/* What such a file says. */
struct galvatron_file {
    int world, batch, chunks, stages, layers;
    int pipeline; /* enum galvatron_pipeline */
    struct galvatron_strategy embedding;
    struct galvatron_strategy *layer; /* (layers) */
    int *division;                    /* (stages) */
    bool odd_key; /* `embed_sdp` without `vocab_sdp`: the runtime would not read it */
};

/* RK_BAD_INPUT at the key: missing and unknown keys, lists of other lengths, degrees that do not
 * multiply to the ranks, layers that do not add up. Release in every case. */
enum rk_status galvatron_strategy_read(const struct place *root, struct galvatron_file *file,
                                       struct rk_error *error);
void galvatron_file_release(struct galvatron_file *file);

#endif
