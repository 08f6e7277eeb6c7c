/* checkpoint_beside.h - what other programs open a checkpoint's folder by: the files that a run was
 * given, beside the weights. Nothing here reads them: a run goes on without.
 */
#ifndef RECKON_RUN_CHECKPOINT_BESIDE_H
#define RECKON_RUN_CHECKPOINT_BESIDE_H

#include <reckon/train.h>

/* RK_BAD_ARGUMENT: a name that is none of RK_TRAIN_FILES. */
enum rk_status checkpoint_beside_write(const char *folder, const struct rk_train_run *run,
                                       struct rk_error *error);

/* All of RK_TRAIN_FILES, whichever run wrote them. */
void checkpoint_beside_remove(const char *folder);

#endif
