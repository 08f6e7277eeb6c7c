/* io.h - reads and writes of whole ranges, many at a time: by io_uring where the kernel allows it,
 * else one after the other. One struct io belongs to one thread.
 */
#ifndef RECKON_SHARD_IO_H
#define RECKON_SHARD_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum io_kind {
    IO_BEST,  /* io_uring if it can be had */
    IO_PLAIN, /* pread and pwrite */
    IO_URING
};

enum { IO_SLOTS = 2 };

struct io;

/* NULL without memory, or when IO_URING is asked for and cannot be had. */
struct io *io_open(enum io_kind kind);
void io_close(struct io *io); /* NULL is fine */
bool io_is_uring(const struct io *io);

/* Begins to read, or to write, all of `size` bytes; `buffer` stays as it is until io_wait of its
 * slot. What fails is kept for io_wait. */
void io_read(struct io *io, int slot, int file, void *buffer, size_t size, uint64_t offset);
void io_write(struct io *io, int slot, int file, const void *buffer, size_t size, uint64_t offset);

/* Until all that was begun in the slot is done: 0, or the first errno (ENODATA: a file ended). */
int io_wait(struct io *io, int slot);

#endif
