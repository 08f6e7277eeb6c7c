/* checkpoint_parts.h - what reading and writing checkpoints share: the tensors of a whole model,
 * and where a box of a weight lies in its file. */
#ifndef RECKON_RUN_CHECKPOINT_PARTS_H
#define RECKON_RUN_CHECKPOINT_PARTS_H

#include "run/job.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define weights_name CHECKPOINT_WEIGHTS
#define moments_name CHECKPOINT_MOMENTS
#define about_name   CHECKPOINT_ABOUT

/* In front of a weight's name: itself, its first and second moment. */
static inline const char *prefix_of(int which)
{
    return which == 2 ? "second." : which ? "first." : "";
}

/* Steps of the newest checkpoints in a folder, at most `most` of them, newest first; how many. */
int checkpoint_steps(const char *folder, unsigned long long *steps, int most);

/* Folders are joined with names of their own in paths of 512 and 600 bytes. */
enum { LONGEST_FOLDER = 450 };

static inline enum rk_status fail_system(struct rk_error *error, const char *path)
{
    return rk_fail(error, RK_IO, path, 0, 0, "%s", strerror(errno));
}

/* ---- the tensors of a whole model ---- */

static inline enum rk_status whole_model(const struct job *job, struct weights *all,
                                         struct rk_error *error)
{
    struct rk_plan plan = job->plan;
    plan.ranks = plan.tensor = plan.pipeline = plan.context = plan.expert = plan.chunks = 1;
    plan.expert_tensor = 0;
    plan.vocabulary_multiple = 0;
    plan.shard_ranks = 0;
    plan.layout = NULL;
    const struct weight_part part = {.layers = job->model.layers, .embeds = true, .heads = true};
    return weights_plan(&job->model, &job->settings.arithmetic, &plan, 0, &part, 1, all, error);
}

/* Is it the first of those that lie in the same tensor of a file (q, k and v of GPT-2)? */
static inline bool leads(const struct weight *w)
{
    return w->file_at == 0 && w->file_col == 0;
}

static inline void shape_of(const struct weight *w, int *rank, uint64_t shape[3])
{
    *rank = w->file_cols == 1 && !w->decays && !w->file_wide ? 1 : 2;
    shape[0] = w->transposed ? w->file_cols : w->file_rows;
    shape[1] = w->transposed ? w->file_rows : w->file_cols;
    if (w->file_wide) {
        shape[0] = w->file_rows / w->file_wide;
        shape[1] = w->file_wide;
    }
    if (!w->file_experts) return;
    *rank = w->file_cols > 1 ? 3 : 2;
    shape[0] = w->file_experts;
    shape[1] = (w->transposed ? w->file_cols : w->file_rows) / w->file_experts;
    shape[2] = w->transposed ? w->file_rows : w->file_cols;
}

/* ---- runs of elements: where a box lies in the file and in memory ---- */

struct run {
    uint64_t file;       /* first element in the tensor of the file */
    uint64_t count;      /* elements, contiguous in the file */
    uint64_t at, stride; /* in memory, from the weight's begin */
};

static inline uint64_t runs_of(const struct weight *w)
{
    const uint64_t rows = w->row0 >= w->rows                ? 0
                          : w->rows - w->row0 < w->box_rows ? w->rows - w->row0
                                                            : w->box_rows;
    if (!rows) return 0;
    if (w->transposed && w->file_unit) return rows * w->box_cols;
    if (w->turn || w->file_unit) return rows;
    if (w->transposed) return w->box_cols;
    return w->box_cols == w->file_cols ? 1 : rows;
}

/* Where a row is whose positions turn neighbours in the file, and halves here. */
static inline uint64_t turned_row(const struct weight *w, uint64_t row)
{
    const uint64_t within = w->turn ? row % w->turn_width : 0, i = within - w->turn_at;
    const uint64_t half = w->turn / 2;
    if (within < w->turn_at || i >= w->turn) return row;
    return row - i + (i < half ? 2 * i : 2 * (i - half) + 1);
}

static inline uint64_t file_row(const struct weight *w, uint64_t row)
{
    const uint64_t turned = turned_row(w, row);
    if (!w->file_unit) return w->file_at + turned;
    return w->file_at + turned / w->file_unit * w->file_step + turned % w->file_unit;
}

static inline struct run run_at(const struct weight *w, uint64_t i)
{
    const uint64_t rows = w->rows - w->row0 < w->box_rows ? w->rows - w->row0 : w->box_rows;
    const uint64_t first = w->file_at + w->row0;
    if (w->transposed && w->file_unit) {
        const uint64_t col = i / rows, row = i % rows;
        return (struct run){(w->file_col + w->col0 + col) * w->file_rows +
                                file_row(w, w->row0 + row),
                            1, row * w->box_cols + col, 1};
    }
    if (w->turn || w->file_unit)
        return (struct run){file_row(w, w->row0 + i) * w->file_cols + w->col0, w->box_cols,
                            i * w->box_cols, 1};
    if (w->transposed)
        return (struct run){(w->file_col + w->col0 + i) * w->file_rows + first, rows, i,
                            w->box_cols};
    if (w->box_cols == w->file_cols)
        return (struct run){first * w->file_cols, rows * w->box_cols, 0, 1};
    return (struct run){(first + i) * w->file_cols + w->col0, w->box_cols, i * w->box_cols, 1};
}

static inline enum rk_status check_length(const char *folder, struct rk_error *error)
{
    if (strlen(folder) <= LONGEST_FOLDER) return RK_OK;
    return rk_fail(error, RK_IO, folder, 0, 0,
                   "the name of a folder of checkpoints has at most %d bytes", LONGEST_FOLDER);
}

static inline bool is_there(const char *folder, const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

#endif
