/* checkpoint.h - the state of a run in files, whatever plan wrote or reads them.
 *
 * A folder step-00000100 holds model.safetensors (weights under the names and in the layout of
 * Hugging Face), moments.safetensors (AdamW's, "first.NAME" and "second.NAME") and train.json: the
 * step, the seed, the size and the CRC-32 of each file, with fp16 the scale of the loss; and the
 * files that the run was given (checkpoint_beside.h). Each rank writes the boxes of the weights
 * that it has, at their places. The folder has another name until all of it is written; the two
 * newest are kept.
 *
 * Weights alone, from model.safetensors, its pieces model-00001-of-00005... or any files
 * *.safetensors of a folder, begin a run, too: then moments are zero and the step is 0. Elements
 * F16, BF16, F32 and F64 are read. What a model lacks, or has and is not there, is refused.
 */
#ifndef RECKON_RUN_CHECKPOINT_H
#define RECKON_RUN_CHECKPOINT_H

#include "run/checkpoint_about.h"
#include "shard/safetensors.h"

enum { CHECKPOINT_FILES = 64 };

struct checkpoint {
    int files;
    struct checkpoint_file {
        char path[512];
        struct safetensors header;
        int file;  /* descriptor */
        void *map; /* of all of it, where weights are read in place; NULL */
        size_t bytes;
    } file[CHECKPOINT_FILES];
    bool moments; /* of Muon there is no second one of matrices */
    struct checkpoint_about about;
    struct rk_error passed; /* why a newer one was not taken; RK_OK: there is none */
};

/* Finds `path`: a folder of a checkpoint, one that holds such folders (the newest that is whole),
 * or of weights. Checks sums, and that every weight of the model is there in its shape. */
enum rk_status checkpoint_open(struct checkpoint *checkpoint, const char *path,
                               const struct job *job, struct rk_error *error);
void checkpoint_close(struct checkpoint *checkpoint); /* a zeroed one is fine */

/* Fills an engine; no rank waits for another one. One that continues texts may read weights in the
 * files, until the checkpoint is closed. */
enum rk_status checkpoint_load(struct checkpoint *checkpoint, const struct engine_kind *kind,
                               struct engine *engine, struct rk_error *error);

/* Room in `folder` for another checkpoint, leave to write there, and none of a later step than
 * `begin`: the newest are kept, so that those of this run would not be. */
enum rk_status checkpoint_check(const char *folder, const struct job *job, size_t real_bytes,
                                uint64_t begin, struct rk_error *error);

/* A folder of checkpoints, and all of them. */
void checkpoint_remove_all(const char *folder);

/* Called by all ranks after `step` steps. Files of `run` are stored next to the weights; NULL:
 * none. When rank 0 cannot write (a full disk), it leaves nothing there; where `kept` is given, it
 * becomes false, and the run continues with a warning. */
bool checkpoint_save(const char *folder, const struct job *job, const struct engine_kind *kind,
                     struct engine *engine, uint64_t step, const struct rk_train_run *run,
                     bool *kept);

#endif
