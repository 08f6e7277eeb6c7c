/* transfer.h - moves the bytes of tensors from one layout to another.
 *
 * A tensor goes through memory in tiles: whole rows of it, at most a chunk. The source's pieces of
 * a tile are read into place, those of each target file gathered and written; intersections of the
 * slices' boxes say where. So nothing is planned ahead, memory is threads * 4 * chunk whatever the
 * model, and a tile is read once for all ranks.
 *
 * Files are written as NAME.part and renamed when all are complete. A journal in the folder says
 * which tensors are done, so that the same transfer resumes where it was stopped. Bytes that no
 * tensor has (padding) are zero.
 */
#ifndef RECKON_SHARD_TRANSFER_H
#define RECKON_SHARD_TRANSFER_H

#include "shard/transfer_spec.h"

/* Does a folder hold a journal? */
bool transfer_begun(const char *folder);

/* RK_IO: a disk that is full (said before the first byte), or fails; the journal stays. */
enum rk_status transfer_run(const struct transfer *transfer, struct transferred *done,
                            struct rk_error *error);

/* The transfer is over and its index written: the journal goes. */
enum rk_status transfer_end(const char *folder, struct rk_error *error);

#endif
