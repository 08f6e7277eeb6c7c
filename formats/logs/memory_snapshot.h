/* memory_snapshot.h - placed buffers as a memory snapshot of PyTorch.
 *
 * What torch.cuda.memory._dump_snapshot() writes and pytorch.org/memory_viz opens: a pickle of the
 * segments at the end and of every allocation and free on the way, each with a stack of frames;
 * here one segment, and the name of the buffer as its frame.
 */
#ifndef RECKON_LOGS_MEMORY_SNAPSHOT_H
#define RECKON_LOGS_MEMORY_SNAPSHOT_H

#include "logs/buffers.h"

/* `peak` is the size of the segment. Buffers that live to the last end are still there at the end.
 * RK_NO_MEMORY without memory; whether `out` took it all is for the caller to see. */
enum rk_status memory_snapshot_write(FILE *out, const struct buffers *buffers,
                                     const uint64_t *address, uint64_t peak,
                                     struct rk_error *error);

#endif
