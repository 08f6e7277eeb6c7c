/* entries.h - the models and systems that a study names, and their products of changed fields. */
#ifndef RECKON_STUDY_ENTRIES_H
#define RECKON_STUDY_ENTRIES_H

#include "study/study.h"
#include "text/document.h"

/* Indices into study->model, study->system or study->axes, in the order of the file. */
struct indices {
    size_t count;
    int *index; /* (count) */
};

/* Adds what a "models" or "systems" list names to the study, each once. The caller frees
 * indices->index, also on failure. */
enum rk_status entries_load_models(const struct place *list, struct study *study,
                                   struct indices *indices, struct rk_error *error);
enum rk_status entries_load_systems(const struct place *list, struct study *study,
                                    struct indices *indices, struct rk_error *error);
void entries_release_systems(struct study *study);

#endif
