/* transfer_spec.h - what is to be moved from files to files, and what was. */
#ifndef RECKON_SHARD_TRANSFER_SPEC_H
#define RECKON_SHARD_TRANSFER_SPEC_H

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

#endif
