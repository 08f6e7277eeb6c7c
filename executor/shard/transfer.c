#include "shard/transfer.h"

#include "base/memory.h"
#include "shard/transfer_job.h"
#include "shard/transfer_tiles.h"

#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CHUNK = 1 << 20, LEAST_CHUNK = 256 << 10, MEMORY = 64 << 20 };

/* ---- pieces of one slice in one tile ---- */

enum { MOST_PIECES = 2048 };

struct slot {
    struct tile tile;
    char *memory; /* (chunk) what is read but not yet in place, or gathered to be written */
    size_t used;
    struct late *late; /* (lates) reads that are to be put in place */
    size_t lates;
};

struct late {
    struct piece piece;
    size_t at;      /* in memory */
    uint64_t begin; /* of the slice, of what is there */
};

struct mover {
    struct job *job;
    struct io *io;
    struct slot slot[IO_SLOTS];
    struct piece *piece; /* (MOST_PIECES) */
    int code;            /* errno */
    const char *what;
    uint64_t read, written;
};

struct by_run {
    struct mover *m;
    int slot, file;
    bool write;
    uint64_t offset;
};

static void move_run(void *context, uint64_t in_tile, uint64_t in_slice, uint64_t bytes)
{
    const struct by_run *r = context;
    char *data = r->m->slot[r->slot].tile.data + in_tile;
    if (r->write)
        io_write(r->m->io, r->slot, r->file, data, bytes, r->offset + in_slice);
    else
        io_read(r->m->io, r->slot, r->file, data, bytes, r->offset + in_slice);
}

struct in_memory {
    char *tile, *memory;
    uint64_t begin; /* of the slice, of the memory */
    bool gather;
};

static void copy_run(void *context, uint64_t in_tile, uint64_t in_slice, uint64_t bytes)
{
    const struct in_memory *c = context;
    char *memory = c->memory + (in_slice - c->begin), *tile = c->tile + in_tile;
    if (c->gather)
        memcpy(memory, tile, bytes);
    else
        memcpy(tile, memory, bytes);
}

static bool keep_late(struct slot *s, const struct piece *piece, size_t at, uint64_t begin)
{
    if (!ARRAY_ROOM(s->late, s->lates)) return false;
    s->late[s->lates++] = (struct late){*piece, at, begin};
    return true;
}

/* Pieces that are one range of the file, all of it theirs: one operation. */
static void move_range(struct mover *m, int slot, const struct piece *piece, int count,
                       const struct by_run *run, uint64_t begin, uint64_t bytes)
{
    struct slot *s = &m->slot[slot];
    if (count == 1 && piece->outer == 0) {
        piece_runs(piece, move_run, (void *)run);
        return;
    }
    if (s->used + bytes > m->job->chunk) { /* no room to gather: run by run */
        for (int i = 0; i < count; i++)
            piece_runs(&piece[i], move_run, (void *)run);
        return;
    }
    char *memory = s->memory + s->used;
    struct in_memory copy = {s->tile.data, memory, begin, true};
    for (int i = 0; i < count && run->write; i++)
        piece_runs(&piece[i], copy_run, &copy);
    for (int i = 0; i < count && !run->write; i++)
        if (!keep_late(s, &piece[i], s->used, begin)) m->code = ENOMEM;
    if (run->write)
        io_write(m->io, slot, run->file, memory, bytes, run->offset + begin);
    else
        io_read(m->io, slot, run->file, memory, bytes, run->offset + begin);
    s->used += bytes;
}

static void move_pieces(struct mover *m, int slot, int count, const struct by_run *run)
{
    uint64_t begin = UINT64_MAX, end = 0, bytes = 0;
    for (int i = 0; i < count; i++) {
        if (m->piece[i].in_slice < begin) begin = m->piece[i].in_slice;
        if (m->piece[i].end > end) end = m->piece[i].end;
        bytes += m->piece[i].bytes;
    }
    if (end - begin == bytes) {
        move_range(m, slot, m->piece, count, run, begin, bytes);
        return;
    }
    for (int i = 0; i < count; i++) {
        const struct piece *p = &m->piece[i];
        if (p->end - p->in_slice == p->bytes)
            move_range(m, slot, p, 1, run, p->in_slice, p->bytes);
        else
            piece_runs(p, move_run, (void *)run);
    }
}

/* What a slice has of the tile at hand. */
static void move_slice(struct mover *m, int slot, const struct view *v, const struct layout *layout,
                       const struct slice *slice, int file, bool write)
{
    const struct by_run run = {m, slot, file, write, slice->offset};
    struct target target;
    int count = 0;
    if (!target_of(v, slice, &target)) {
        m->code = EINVAL;
        m->what = "a cut within a byte";
        return;
    }
    for (uint32_t i = 0; i < slice->boxes; i++) {
        struct box box = layout->box[slice->box + i];
        if (v->rank == 1 && box.size[0] == 0) box.size[0] = 1; /* of no dimension */
        if (!view_box(v, &box)) {
            m->code = EINVAL;
            m->what = "a cut within a byte";
            return;
        }
        if (!piece_of(v, &m->slot[slot].tile, &target, &box, &m->piece[count])) continue;
        *(write ? &m->written : &m->read) += m->piece[count].bytes;
        if (++count == MOST_PIECES) {
            move_pieces(m, slot, count, &run);
            count = 0;
        }
    }
    if (count) move_pieces(m, slot, count, &run);
}

static void move_all(struct mover *m, int slot, const struct view *v, const struct layout *layout,
                     const int *files, size_t tensor, bool write)
{
    for (size_t i = layout->of_tensor[tensor]; i < layout->of_tensor[tensor + 1] && !m->code; i++) {
        const struct slice *s = &layout->slice[i];
        if (write || !s->copy) move_slice(m, slot, v, layout, s, files[s->file], write);
    }
}

/* Does a target have anything of the tile? Elements of less than a byte are not looked at. */
static bool is_wanted(const struct mover *m, int slot, const struct view *v, size_t tensor)
{
    const struct layout *to = m->job->t->to;
    const struct tensor *t = &to->tensor[tensor];
    for (size_t i = to->of_tensor[tensor]; i < to->of_tensor[tensor + 1]; i++)
        for (uint32_t b = 0; b < to->slice[i].boxes; b++)
            if (v->pack > 1 ||
                boxes_meet(&to->box[to->slice[i].box + b], &m->slot[slot].tile.box, t->rank))
                return true;
    return false;
}

static void wait_for(struct mover *m, int slot, const char *what)
{
    const int code = io_wait(m->io, slot);
    if (!code || m->code) return;
    m->code = code;
    m->what = what;
}

/* ---- the loop over tiles ---- */

/* Moves the pieces that were read elsewhere to their places. */
static void put_in_place(struct mover *m, int slot)
{
    struct slot *s = &m->slot[slot];
    for (size_t i = 0; i < s->lates; i++) {
        struct in_memory copy = {s->tile.data, s->memory + s->late[i].at, s->late[i].begin, false};
        piece_runs(&s->late[i].piece, copy_run, &copy);
    }
    s->lates = 0;
    s->used = 0;
}

/* Writes of one slot overlap with the reads of the other. */
static void move_tensor(struct mover *m, size_t tensor)
{
    const struct transfer *t = m->job->t;
    bool whole;
    struct tiling g = tiling_of(&t->from->tensor[tensor], m->job->chunk, &whole);
    if (!whole) {
        m->code = EINVAL;
        m->what = "its last axis is not a whole number of bytes";
    }
    for (int slot = 0; !m->code && tiling_next(&g, &m->slot[slot].tile); slot = !slot) {
        if (!is_wanted(m, slot, &g.view, tensor)) continue;
        move_all(m, slot, &g.view, t->from, m->job->from, tensor, false);
        wait_for(m, slot, "cannot read");
        if (m->code) break;
        put_in_place(m, slot);
        move_all(m, slot, &g.view, t->to, m->job->to, tensor, true);
        wait_for(m, !slot, "cannot write"); /* its buffers are for the next tile */
        m->slot[!slot].used = 0;
    }
    for (int slot = 0; slot < IO_SLOTS; slot++) {
        wait_for(m, slot, "cannot write");
        m->slot[slot].used = m->slot[slot].lates = 0;
    }
}

/* ---- threads ---- */

static bool open_mover(struct mover *m, struct job *job)
{
    bool ok = true;
    *m = (struct mover){.job = job, .io = io_open(job->t->io)};
    m->piece = malloc(MOST_PIECES * sizeof *m->piece);
    for (int i = 0; i < IO_SLOTS; i++) {
        m->slot[i].tile.data = malloc(job->chunk);
        m->slot[i].memory = malloc(job->chunk);
        ok &= m->slot[i].tile.data && m->slot[i].memory;
    }
    return ok && m->io && m->piece;
}

static void close_mover(struct mover *m)
{
    io_close(m->io);
    free(m->piece);
    for (int i = 0; i < IO_SLOTS; i++) {
        free(m->slot[i].tile.data);
        free(m->slot[i].memory);
        free(m->slot[i].late);
    }
}

static enum rk_status fail_tensor(const struct job *job, const struct mover *m, size_t tensor,
                                  struct rk_error *error)
{
    return rk_fail(error,
                   m->code == EINVAL ? RK_BAD_INPUT
                   : m->what         ? RK_IO
                                     : RK_NO_MEMORY,
                   job->t->to->folder, 0, 0, "%.160s: %s: %s; the same command goes on from here",
                   job->t->from->tensor[tensor].name, m->what ? m->what : "no memory",
                   m->code == ENODATA ? "the file is shorter than its header says"
                                      : strerror(m->code));
}

static void book(struct job *job, const struct mover *m)
{
    job->sum->bytes_read += m->read;
    job->sum->bytes_written += m->written;
    job->sum->uring |= m->io && io_is_uring(m->io);
}

static enum rk_status move_tensors(struct job *job, struct rk_error *error)
{
    const size_t tensors = job->t->from->tensors;
    enum rk_status status = RK_OK;
    int failed = 0;
#pragma omp parallel num_threads((int)job->t->threads)
    {
        struct mover m;
        const bool open = open_mover(&m, job);
        size_t at = 0;
        if (!open) m.code = m.io ? ENOMEM : ENOSYS;
        if (!m.io) m.what = "io_uring cannot be had here, `io` plain does without";
#pragma omp for schedule(dynamic, 1)
        for (size_t i = 0; i < tensors; i++) {
            int stop;
#pragma omp atomic read
            stop = failed;
            if (stop || m.code || job->done[job->order[i]]) continue;
            at = job->order[i];
            move_tensor(&m, at);
            if (!m.code && dprintf(job->journal, "%zu\n", at) < 0) {
                m.code = errno;
                m.what = "cannot write the journal";
            }
            if (m.code) {
#pragma omp atomic write
                failed = 1;
#pragma omp critical
                if (status == RK_OK) status = fail_tensor(job, &m, at, error);
            }
        }
#pragma omp critical
        {
            book(job, &m);
            if (!open && status == RK_OK) status = fail_tensor(job, &m, 0, error);
        }
        close_mover(&m);
    }
    return status;
}

/* ---- all of it ---- */

static int by_place(const void *a, const void *b, void *context)
{
    const struct layout *l = context;
    const struct slice *x = &l->slice[l->of_tensor[*(const size_t *)a]];
    const struct slice *y = &l->slice[l->of_tensor[*(const size_t *)b]];
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return 0;
}

/* As they stand in the source. */
static void sort_tensors(struct job *job)
{
    const struct layout *from = job->t->from;
    for (size_t i = 0; i < from->tensors; i++)
        job->order[i] = i;
    for (size_t i = 0; i < from->tensors; i++)
        if (from->of_tensor[i] == from->of_tensor[i + 1]) return; /* of nothing */
    qsort_r(job->order, from->tensors, sizeof *job->order, by_place, (void *)from);
}

static void close_files(int *files, size_t count)
{
    for (size_t i = 0; files && i < count; i++)
        if (files[i] >= 0) close(files[i]);
    free(files);
}

static int *no_files(size_t count)
{
    int *files = malloc((count + 1) * sizeof *files);
    for (size_t i = 0; files && i <= count; i++)
        files[i] = -1;
    return files;
}

static enum rk_status run(struct job *job, const char *journal, struct rk_error *error)
{
    enum journal found;
    enum rk_status status = job_read_journal(job, journal, &found, error);
    if (status == RK_OK && found != JOURNAL_ENDED) {
        status = job_check_room(job, error);
        if (status == RK_OK) status = job_open_sources(job, error);
        if (status == RK_OK && found == JOURNAL_NONE) {
            job->sum->done_before = 0;
            memset(job->done, 0, job->t->from->tensors);
        }
        if (status == RK_OK) status = job_open_journal(job, journal, found == JOURNAL_BEGUN, error);
        if (status == RK_OK) status = job_make_files(job, found == JOURNAL_BEGUN, error);
        if (status == RK_OK) status = move_tensors(job, error);
        if (status == RK_OK && dprintf(job->journal, "end\n") < 0)
            status = transfer_fail(error, journal, "cannot write", errno);
        return status == RK_OK ? job_finish_files(job, error) : status;
    }
    return status == RK_OK ? job_rename_rest(job, error) : status;
}

enum rk_status transfer_run(const struct transfer *t, struct transferred *done,
                            struct rk_error *error)
{
    const size_t per_thread = MEMORY / 4 / (t->threads ? t->threads : 1);
    const size_t chunk = per_thread < MOST_CHUNK ? per_thread : MOST_CHUNK;
    char journal[MOST_PATH];
    *done = (struct transferred){.tensors = t->from->tensors};
    struct job job = {.t = t,
                      .chunk = chunk > LEAST_CHUNK ? chunk : LEAST_CHUNK,
                      .from = no_files(t->from->files),
                      .to = no_files(t->to->files),
                      .journal = -1,
                      .done = calloc(t->from->tensors + 1, sizeof *job.done),
                      .order = malloc((t->from->tensors + 1) * sizeof *job.order),
                      .sum = done};
    snprintf(journal, sizeof journal, "%s/" JOURNAL, t->to->folder);
    job_allow_files(t->from->files + t->to->files);
    enum rk_status status = job.from && job.to && job.done && job.order ? RK_OK : no_memory(error);
    if (status == RK_OK) {
        sort_tensors(&job);
        status = run(&job, journal, error);
    }
    if (job.journal >= 0) close(job.journal);
    close_files(job.from, t->from->files);
    close_files(job.to, t->to->files);
    free(job.done);
    free(job.order);
    return status;
}
