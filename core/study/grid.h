/* grid.h - what a figure of a study asks for: models, systems and numbers whose every combination
 * is a point, with what the file says for all its figures. */
#ifndef RECKON_STUDY_GRID_H
#define RECKON_STUDY_GRID_H

#include "study/entries.h"
#include "study/numbers.h"
#include "study/study.h"

enum { OPEN = -1 }; /* a precision that nothing says */

struct grid {
    struct place place; /* the figure */
    int figure;
    struct indices models, systems;
    struct numbers gpus, batch;
    size_t precisions;
    int precision[RK_PRECISIONS];
    int framework; /* enum rk_framework */
    bool usual;    /* of each system, where no framework is named */
    struct numbers sequence;
    int axes;
    struct place axes_place;
    size_t modes;
    int mode[STUDY_MODES];
    uint64_t top;
    int headroom; /* 0: learned, 1: none */
};

/* Reads what `grid->place` and the file's `root` say; models and systems become the study's. What
 * it returns, the grid is to be released. */
enum rk_status grid_load(const struct place *root, struct study *study, struct grid *grid,
                         struct rk_error *error);
void grid_release(struct grid *grid);

#endif
