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

#include "shard/io.h"
#include "shard/layout.h"

struct transfer {
    const struct layout *from; /* whose tensors are those of `to`, in the same order */
    struct layout *to;         /* offsets set */
    enum rk_status (*header)(void *context, uint32_t file, struct bytes *header,
                             struct rk_error *error); /* of a file of `to` */
    void *context;
    uint64_t fingerprint; /* of source, plan and headers: what a journal must agree with */
    unsigned threads;
    enum io_kind io;
    bool sync; /* to the disk before files are renamed */
};

struct transferred {
    uint64_t bytes_read, bytes_written; /* of tensors */
    uint64_t tensors, done_before;      /* done_before: as the journal said */
    bool uring;
};

/* Does a folder hold a journal? */
bool transfer_begun(const char *folder);

/* RK_IO: a disk that is full (said before the first byte), or fails; the journal stays. */
enum rk_status transfer_run(const struct transfer *transfer, struct transferred *done,
                            struct rk_error *error);

/* The transfer is over and its index written: the journal goes. */
enum rk_status transfer_end(const char *folder, struct rk_error *error);

#endif
