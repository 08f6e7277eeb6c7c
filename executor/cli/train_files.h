/* train_files.h - what a run's checkpoints are given, so that other programs open their folders:
 * config.json, and the tokenizer of the model's folder. */
#ifndef RECKON_CLI_TRAIN_FILES_H
#define RECKON_CLI_TRAIN_FILES_H

#include <reckon/train.h>

enum { TRAIN_FILES = 16 };

struct train_files {
    struct rk_train_file file[TRAIN_FILES]; /* (count) their texts are owned */
    uint64_t count;
};

/* `name`: the model as in train_model_open. Files next to its config.json are copied or, where
 * there are none, those of the `load` folder. Files that cannot be read are named on standard
 * error. */
void train_files_collect(const char *name, const char *load, const struct rk_model *model,
                         const struct rk_train *train, struct train_files *files);
void train_files_release(struct train_files *files); /* a zeroed one is fine */

#endif
