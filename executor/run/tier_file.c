#include "run/tier_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef RECKON_URING
#include <liburing.h>
#endif

/* ---- the file ---- */

static int open_unnamed(const char *folder, int flags)
{
    const int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return file;
    char path[4096]; /* a file system without O_TMPFILE */
    if (snprintf(path, sizeof path, "%s/.reckon-XXXXXX", folder) >= (int)sizeof path) return -1;
    const int named = mkostemp(path, O_CLOEXEC | flags);
    if (named >= 0) unlink(path);
    return named;
}

int tier_file_open(const char *folder, bool *direct, struct rk_error *error)
{
    int file = open_unnamed(folder, O_DIRECT);
    *direct = file >= 0;
    if (file < 0 && errno == EINVAL) file = open_unnamed(folder, 0);
    if (file < 0)
        rk_fail(error, RK_IO, folder, 0, 0, "no file for what is offloaded: %s", strerror(errno));
    return file;
}

/* ---- one piece after another ---- */

static bool move_plainly(int file, bool out, char *data, size_t bytes, uint64_t place)
{
    while (bytes > 0) {
        const ssize_t moved =
            out ? pwrite(file, data, bytes, (off_t)place) : pread(file, data, bytes, (off_t)place);
        if (moved < 0 && errno == EINTR) continue;
        if (moved == 0) errno = EIO; /* the file ends */
        if (moved <= 0) return false;
        data += moved;
        place += (uint64_t)moved;
        bytes -= (size_t)moved;
    }
    return true;
}

/* ---- pieces together ---- */

#ifdef RECKON_URING

enum { PIECE = 1 << 20, DEPTH = 8 };

struct tier_ring {
    struct io_uring uring;
};

struct tier_ring *tier_ring_open(void)
{
    struct tier_ring *ring = calloc(1, sizeof *ring);
    if (!ring || io_uring_queue_init(DEPTH, &ring->uring, 0) == 0) return ring;
    free(ring);
    return NULL;
}

void tier_ring_close(struct tier_ring *ring)
{
    if (ring) io_uring_queue_exit(&ring->uring);
    free(ring);
}

struct piece {
    char *data;
    size_t bytes;
    uint64_t place;
};

static bool submit(struct tier_ring *ring, int file, bool out, struct piece *p)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);
    if (!sqe) return false;
    if (out)
        io_uring_prep_write(sqe, file, p->data, (unsigned)p->bytes, p->place);
    else
        io_uring_prep_read(sqe, file, p->data, (unsigned)p->bytes, p->place);
    io_uring_sqe_set_data(sqe, p);
    int done;
    do {
        done = io_uring_submit(&ring->uring);
    } while (done == -EINTR);
    if (done < 0) errno = -done;
    return done >= 0;
}

/* What a piece has not moved is moved plainly. */
static bool finish(int file, bool out, const struct piece *p, int moved)
{
    if (moved < 0 && moved != -EAGAIN && moved != -EINTR) errno = -moved;
    if (moved < 0 && moved != -EAGAIN && moved != -EINTR) return false;
    const size_t done = moved < 0 ? 0 : (size_t)moved;
    return move_plainly(file, out, p->data + done, p->bytes - done, p->place + done);
}

/* The next piece of a list of moves. */
static bool next_piece(const struct tier_move **move, size_t *at, struct piece *piece)
{
    const struct tier_move *m = *move;
    if (!m) return false;
    const size_t left = m->bytes - *at;
    *piece = (struct piece){(char *)m->data + *at, left < PIECE ? left : PIECE, m->place + *at};
    *at += piece->bytes;
    if (*at < m->bytes) return true;
    *move = m->next;
    *at = 0;
    return true;
}

static bool move_by_ring(int file, struct tier_ring *ring, const struct tier_move *move)
{
    const bool out = move->out;
    struct piece piece[DEPTH];
    int unused[DEPTH], unused_pieces = DEPTH, why = 0;
    size_t at = 0;
    for (int i = 0; i < DEPTH; i++)
        unused[i] = i;
    for (;;) {
        while (unused_pieces > 0 && !why &&
               next_piece(&move, &at, &piece[unused[unused_pieces - 1]]))
            if (submit(ring, file, out, &piece[unused[unused_pieces - 1]]))
                unused_pieces--;
            else
                why = errno;
        if (unused_pieces == DEPTH) break;
        struct io_uring_cqe *cqe;
        const int waited = io_uring_wait_cqe(&ring->uring, &cqe);
        if (waited == -EINTR) continue;
        if (waited < 0) { /* nothing can be known of those that are under way */
            errno = -waited;
            return false;
        }
        const struct piece *p = io_uring_cqe_get_data(cqe);
        if (!finish(file, out, p, cqe->res)) why = errno;
        unused[unused_pieces++] = (int)(p - piece);
        io_uring_cqe_seen(&ring->uring, cqe);
    }
    errno = why;
    return why == 0;
}

#else

struct tier_ring *tier_ring_open(void)
{
    return NULL;
}

void tier_ring_close(struct tier_ring *ring)
{
    (void)ring;
}

#endif

bool tier_file_move(int file, struct tier_ring *ring, const struct tier_move *move)
{
#ifdef RECKON_URING
    if (ring) return move_by_ring(file, ring, move);
#endif
    (void)ring;
    for (; move; move = move->next)
        if (!move_plainly(file, move->out, move->data, move->bytes, move->place)) return false;
    return true;
}
