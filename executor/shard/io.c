#include "shard/io.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef RECKON_URING
#include <liburing.h>
#endif

enum { DEPTH = 64 };

struct operation_at {
    bool write, busy;
    int slot, file;
    char *buffer;
    size_t size;
    uint64_t offset;
};

struct io {
    bool uring;
    int error[IO_SLOTS]; /* the first of those since the last wait */
    int busy[IO_SLOTS];
    struct operation_at operation[DEPTH];
#ifdef RECKON_URING
    struct io_uring ring;
#endif
};

static void note(struct io *io, int slot, int error)
{
    if (!io->error[slot]) io->error[slot] = error;
}

/* ---- one after the other ---- */

static int run(const struct operation_at *o)
{
    for (size_t done = 0; done < o->size;) {
        const off_t at = (off_t)(o->offset + done);
        const ssize_t moved = o->write ? pwrite(o->file, o->buffer + done, o->size - done, at)
                                       : pread(o->file, o->buffer + done, o->size - done, at);
        if (moved < 0 && errno == EINTR) continue;
        if (moved < 0) return errno;
        if (moved == 0) return o->write ? EIO : ENODATA;
        done += (size_t)moved;
    }
    return 0;
}

/* ---- io_uring ---- */

#ifdef RECKON_URING
static bool open_ring(struct io *io)
{
    return io_uring_queue_init(DEPTH, &io->ring, 0) == 0;
}

static void close_ring(struct io *io)
{
    io_uring_queue_exit(&io->ring);
}

static void submit(struct io *io, struct operation_at *o)
{
    struct io_uring_sqe *entry = io_uring_get_sqe(&io->ring);
    while (!entry) {
        io_uring_submit(&io->ring);
        entry = io_uring_get_sqe(&io->ring);
    }
    if (o->write)
        io_uring_prep_write(entry, o->file, o->buffer, (unsigned)o->size, o->offset);
    else
        io_uring_prep_read(entry, o->file, o->buffer, (unsigned)o->size, o->offset);
    io_uring_sqe_set_data(entry, o);
}

/* Short ones continue with the rest. */
static void complete(struct io *io, struct operation_at *o, int moved)
{
    const bool again = moved == -EINTR || moved == -EAGAIN;
    if (!again && moved <= 0) {
        note(io, o->slot, moved < 0 ? -moved : o->write ? EIO : ENODATA);
    } else {
        const size_t done = again ? 0 : (size_t)moved;
        o->buffer += done;
        o->offset += done;
        o->size -= done;
        if (o->size) {
            submit(io, o);
            return;
        }
    }
    o->busy = false;
    io->busy[o->slot]--;
}

/* Waits for one at least. */
static void reap(struct io *io)
{
    struct io_uring_cqe *entry;
    int status = io_uring_submit_and_wait(&io->ring, 1);
    while (status >= 0 || status == -EINTR) {
        if (io_uring_peek_cqe(&io->ring, &entry) != 0) break;
        struct operation_at *o = io_uring_cqe_get_data(entry);
        const int moved = entry->res;
        io_uring_cqe_seen(&io->ring, entry);
        complete(io, o, moved);
    }
}
#else
static bool open_ring(struct io *io)
{
    (void)io;
    return false;
}
static void close_ring(struct io *io)
{
    (void)io;
}
static void submit(struct io *io, struct operation_at *o)
{
    (void)io;
    (void)o;
}
static void reap(struct io *io)
{
    (void)io;
}
#endif

static struct operation_at *free_operation(struct io *io)
{
    for (;;) {
        for (int i = 0; i < DEPTH; i++)
            if (!io->operation[i].busy) return &io->operation[i];
        reap(io);
    }
}

/* ---- both ---- */

struct io *io_open(enum io_kind kind)
{
    struct io *io = calloc(1, sizeof *io);
    if (!io) return NULL;
    io->uring = kind != IO_PLAIN && open_ring(io);
    if (kind == IO_URING && !io->uring) {
        free(io);
        return NULL;
    }
    return io;
}

void io_close(struct io *io)
{
    if (!io) return;
    for (int i = 0; i < IO_SLOTS; i++)
        io_wait(io, i);
    if (io->uring) close_ring(io);
    free(io);
}

bool io_is_uring(const struct io *io)
{
    return io->uring;
}

static void begin(struct io *io, const struct operation_at *o)
{
    if (!o->size) return;
    if (!io->uring) {
        const int error = run(o);
        if (error) note(io, o->slot, error);
        return;
    }
    struct operation_at *own = free_operation(io);
    *own = *o;
    own->busy = true;
    io->busy[o->slot]++;
    submit(io, own);
}

void io_read(struct io *io, int slot, int file, void *buffer, size_t size, uint64_t offset)
{
    begin(io, &(struct operation_at){
                  .slot = slot, .file = file, .buffer = buffer, .size = size, .offset = offset});
}

void io_write(struct io *io, int slot, int file, const void *buffer, size_t size, uint64_t offset)
{
    begin(io, &(struct operation_at){.write = true,
                                     .slot = slot,
                                     .file = file,
                                     .buffer = (char *)buffer,
                                     .size = size,
                                     .offset = offset});
}

int io_wait(struct io *io, int slot)
{
    while (io->busy[slot])
        reap(io);
    const int error = io->error[slot];
    io->error[slot] = 0;
    return error;
}
