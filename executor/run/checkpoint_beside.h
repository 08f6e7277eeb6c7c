/* checkpoint_beside.h - files that other programs need to open a checkpoint: those that the run was
 * given, copied next to the weights. Nothing here reads them; a run resumes without them.
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
