#include "shard/transfer.h"

#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define JOURNAL "reckon.journal"

enum { MOST_CHUNK = 1 << 20, LEAST_CHUNK = 256 << 10, MEMORY = 64 << 20 };

/* ---- files ---- */

enum { MOST_PATH = 4096 + 256 };

static void path_of(char path[static MOST_PATH], const struct layout *layout, uint32_t file,
                    const char *ending)
{
    snprintf(path, MOST_PATH, "%s/%s%s", layout->folder, layout->file[file].name, ending);
}

static enum rk_status fail_errno(struct rk_error *error, const char *path, const char *what,
                                 int code)
{
    return rk_fail(error, RK_IO, path, 0, 0, "%s: %s", what, strerror(code));
}

struct job {
    const struct transfer *t;
    size_t chunk;
    int *from, *to; /* descriptors; -1 */
    int journal;
    bool *done;    /* (tensors) */
    size_t *order; /* (tensors) in which they are read */
    struct transferred *sum;
};

/* All files of both sides are open at the same time. */
static void allow_files(size_t count)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count + 64) return;
    limit.rlim_cur = count + 64 < limit.rlim_max ? count + 64 : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static enum rk_status open_sources(const struct job *job, struct rk_error *error)
{
    const struct layout *from = job->t->from;
    for (uint32_t i = 0; i < from->files; i++) {
        char path[MOST_PATH];
        path_of(path, from, i, "");
        job->from[i] = open(path, O_RDONLY | O_CLOEXEC);
        if (job->from[i] < 0)
            return fail_errno(error, path,
                              errno == EMFILE ? "too many files, see ulimit -n" : "cannot read",
                              errno);
        posix_fadvise(job->from[i], 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    return RK_OK;
}

/* What is not there yet of all files must have room. */
static enum rk_status check_room(const struct job *job, struct rk_error *error)
{
    const struct layout *to = job->t->to;
    struct statvfs disk;
    uint64_t need = 0;
    if (statvfs(to->folder, &disk) != 0) return fail_errno(error, to->folder, "no folder", errno);
    for (uint32_t i = 0; i < to->files; i++) {
        char path[MOST_PATH];
        struct stat info;
        uint64_t have = 0;
        path_of(path, to, i, ".part");
        if (stat(path, &info) == 0) have = (uint64_t)info.st_blocks * 512;
        if (have < to->file[i].bytes) need += to->file[i].bytes - have;
    }
    const uint64_t room = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (need <= room) return RK_OK;
    return rk_fail(error, RK_IO, to->folder, 0, 0,
                   "no room: %" PRIu64 " bytes are to be written, %" PRIu64
                   " are free; nothing was "
                   "written",
                   need, room);
}

/* A file of its full size, which reads as zeros. A file system that cannot promise room is fine. */
static int make_file(const struct job *job, uint32_t file, const char *path,
                     const struct bytes *header)
{
    const off_t size = (off_t)job->t->to->file[file].bytes;
    job->to[file] = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (job->to[file] < 0) return errno;
    if (fallocate(job->to[file], 0, 0, size) != 0 && errno != EOPNOTSUPP && errno != EINVAL &&
        errno != ENOSYS)
        return errno;
    if (ftruncate(job->to[file], size) != 0) return errno;
    for (size_t done = 0; done < header->size;) {
        const ssize_t moved =
            pwrite(job->to[file], header->data + done, header->size - done, (off_t)done);
        if (moved < 0 && errno != EINTR) return errno;
        if (moved > 0) done += (size_t)moved;
    }
    return 0;
}

static enum rk_status make_files(const struct job *job, bool again, struct rk_error *error)
{
    const struct layout *to = job->t->to;
    struct bytes header = {.data = NULL};
    enum rk_status status = RK_OK;
    for (uint32_t i = 0; i < to->files && status == RK_OK; i++) {
        char path[MOST_PATH];
        path_of(path, to, i, ".part");
        if (!again) unlink(path);
        status = job->t->header(job->t->context, i, &header, error);
        const int code = status == RK_OK ? make_file(job, i, path, &header) : 0;
        if (code) status = fail_errno(error, path, "cannot write", code);
    }
    bytes_release(&header);
    return status;
}

static enum rk_status finish_files(const struct job *job, struct rk_error *error)
{
    const struct layout *to = job->t->to;
    for (uint32_t i = 0; i < to->files; i++) {
        char part[MOST_PATH], path[MOST_PATH];
        path_of(part, to, i, ".part");
        path_of(path, to, i, "");
        if (job->t->sync && fsync(job->to[i]) != 0)
            return fail_errno(error, part, "cannot write", errno);
        if (rename(part, path) != 0) return fail_errno(error, path, "cannot rename", errno);
    }
    return RK_OK;
}

/* ---- the journal ----
 *
 * "reckon FINGERPRINT BOOT", then a line for each tensor that is written, then "end" when all are
 * and files are being renamed. What was written before the machine went down may not be on its
 * disk: the journal of another boot says nothing, unless files were synced. */

static void boot_id(char id[static 64])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    id[0] = '\0';
    if (file && fscanf(file, "%63s", id) != 1) id[0] = '\0';
    if (file) fclose(file);
    if (!*id) snprintf(id, 64, "-");
}

bool transfer_begun(const char *folder)
{
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s/" JOURNAL, folder);
    return access(path, F_OK) == 0;
}

enum rk_status transfer_end(const char *folder, struct rk_error *error)
{
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s/" JOURNAL, folder);
    return unlink(path) == 0 ? RK_OK : fail_errno(error, path, "cannot remove", errno);
}

enum journal { JOURNAL_NONE, JOURNAL_BEGUN, JOURNAL_ENDED };

/* Are all unfinished files there, as large as they are to be? */
static bool has_parts(const struct job *job)
{
    const struct layout *to = job->t->to;
    for (uint32_t i = 0; i < to->files; i++) {
        char path[MOST_PATH];
        struct stat info;
        path_of(path, to, i, ".part");
        if (stat(path, &info) != 0 || (uint64_t)info.st_size != to->file[i].bytes) return false;
    }
    return true;
}

/* What a journal of this very transfer says is done. */
static enum rk_status read_journal(struct job *job, const char *path, enum journal *found,
                                   struct rk_error *error)
{
    char line[64], boot[64], said_boot[64] = "";
    uint64_t fingerprint = 0, tensor;
    FILE *file = fopen(path, "r");
    *found = JOURNAL_NONE;
    if (!file) return RK_OK;
    const int said = fscanf(file, "reckon %" SCNx64 " %63s\n", &fingerprint, said_boot);
    boot_id(boot);
    if (said >= 1 && fingerprint != job->t->fingerprint) {
        fclose(file);
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "is of another transfer that was not finished: finish it, or remove %s",
                       job->t->to->folder);
    }
    const bool valid = said == 2 && strcmp(boot, said_boot) == 0;
    if (valid) *found = JOURNAL_BEGUN;
    while (valid && fgets(line, sizeof line, file)) {
        const bool whole = strchr(line, '\n') != NULL;
        if (whole && strcmp(line, "end\n") == 0) *found = JOURNAL_ENDED;
        if (whole && sscanf(line, "%" SCNu64, &tensor) == 1 && tensor < job->t->from->tensors &&
            !job->done[tensor]) {
            job->done[tensor] = true;
            job->sum->done_before++;
        }
    }
    fclose(file);
    if (*found == JOURNAL_BEGUN && !has_parts(job)) *found = JOURNAL_NONE;
    return RK_OK;
}

static enum rk_status open_journal(struct job *job, const char *path, bool again,
                                   struct rk_error *error)
{
    char boot[64];
    job->journal =
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (again ? 0 : O_TRUNC), 0666);
    if (job->journal < 0) return fail_errno(error, path, "cannot write", errno);
    boot_id(boot);
    /* a line that was cut off is ended */
    const int written =
        again ? dprintf(job->journal, "\n")
              : dprintf(job->journal, "reckon %016" PRIx64 " %s\n", job->t->fingerprint, boot);
    return written < 0 ? fail_errno(error, path, "cannot write", errno) : RK_OK;
}

/* ---- a tensor in bytes ---- */

struct view {
    int rank; /* at least 1 */
    uint64_t shape[TENSOR_MAX_RANK];
    uint64_t element;   /* bytes */
    uint64_t pack, per; /* of less than a byte: `pack` elements are `per` bytes; else 1, 1 */
};

static struct view view_of(const struct tensor *t)
{
    const unsigned bits = tensor_type_bits(t->type);
    struct view v = {.rank = t->rank, .element = bits / 8, .pack = 1, .per = 1};
    memcpy(v.shape, t->shape, sizeof v.shape);
    if (v.rank == 0) v.shape[v.rank++] = 1;
    if (bits >= 8) return v;
    v.element = 1;
    v.pack = bits == 4 ? 2 : 4;
    v.per = bits == 4 ? 1 : 3;
    return v;
}

/* The last axis counts bytes, where elements are less than one. */
static bool in_bytes(const struct view *v, uint64_t *count)
{
    const bool whole = *count % v->pack == 0;
    *count = *count / v->pack * v->per;
    return whole;
}

static bool box_in_bytes(const struct view *v, struct box *box)
{
    const int last = v->rank - 1;
    if (v->pack == 1) return true;
    return in_bytes(v, &box->begin[last]) && in_bytes(v, &box->size[last]) &&
           in_bytes(v, &box->at[last]);
}

static uint64_t flat_index(const struct view *v, const uint64_t *shape, const uint64_t *at)
{
    uint64_t index = 0;
    for (int d = 0; d < v->rank; d++)
        index = index * shape[d] + at[d];
    return index;
}

/* ---- tiles ---- */

struct tile {
    struct box box; /* of the tensor; `at` is not used */
    uint64_t first; /* element of the tensor */
    uint64_t bytes;
    char *data; /* (bytes) in C order */
};

/* A part of a tile that is a part of a slice: runs of `run` bytes. */
struct piece {
    uint64_t size[TENSOR_MAX_RANK];
    uint64_t tile_step[TENSOR_MAX_RANK], slice_step[TENSOR_MAX_RANK]; /* bytes */
    int outer; /* dimensions in front of a run */
    uint64_t run;
    uint64_t in_tile, in_slice; /* bytes of the first */
    uint64_t end;               /* behind the last, in the slice */
    uint64_t bytes;
};

/* Shape of the slice in bytes' elements. */
struct target {
    const struct slice *slice;
    uint64_t shape[TENSOR_MAX_RANK];
    uint64_t first;
};

static bool target_of(const struct view *v, const struct slice *slice, struct target *t)
{
    t->slice = slice;
    t->first = slice->flat ? slice->first : 0;
    memcpy(t->shape, slice->shape, sizeof t->shape);
    if (slice->shape[0] == 0 || v->rank > TENSOR_MAX_RANK) t->shape[0] = 1;
    if (v->pack == 1) return true;
    return in_bytes(v, &t->shape[v->rank - 1]) && in_bytes(v, &t->first);
}

static bool piece_of(const struct view *v, const struct tile *tile, const struct target *t,
                     const struct box *box, struct piece *p)
{
    uint64_t at[TENSOR_MAX_RANK], local[TENSOR_MAX_RANK], whole = v->element, own = v->element;
    for (int d = 0; d < v->rank; d++) {
        const uint64_t a = tile->box.begin[d], b = a + tile->box.size[d];
        const uint64_t x = box->begin[d], y = x + box->size[d];
        at[d] = a > x ? a : x;
        const uint64_t end = b < y ? b : y;
        if (at[d] >= end) return false;
        p->size[d] = end - at[d];
        local[d] = box->at[d] + at[d] - x;
    }
    p->run = v->element;
    p->outer = v->rank;
    bool joined = true;
    for (int d = v->rank - 1; d >= 0; d--) {
        p->tile_step[d] = whole;
        p->slice_step[d] = own;
        if (joined) {
            p->run *= p->size[d];
            p->outer = d;
            joined = p->size[d] == v->shape[d] && p->size[d] == t->shape[d];
        }
        whole *= v->shape[d];
        own *= t->shape[d];
    }
    p->in_tile = (flat_index(v, v->shape, at) - tile->first) * v->element;
    p->in_slice = (flat_index(v, t->shape, local) - t->first) * v->element;
    p->bytes = p->run;
    p->end = p->in_slice + p->run;
    for (int d = 0; d < p->outer; d++) {
        p->bytes *= p->size[d];
        p->end += (p->size[d] - 1) * p->slice_step[d];
    }
    return true;
}

/* Calls for each run. */
typedef void on_run(void *context, uint64_t in_tile, uint64_t in_slice, uint64_t bytes);

static void each_run(const struct piece *p, on_run *call, void *context)
{
    uint64_t index[TENSOR_MAX_RANK] = {0}, tile = p->in_tile, slice = p->in_slice;
    for (int d = p->outer; d >= 0;) {
        call(context, tile, slice, p->run);
        for (d = p->outer - 1; d >= 0; d--) {
            tile += p->tile_step[d];
            slice += p->slice_step[d];
            if (++index[d] < p->size[d]) break;
            tile -= index[d] * p->tile_step[d];
            slice -= index[d] * p->slice_step[d];
            index[d] = 0;
        }
    }
}

/* ---- pieces of one slice in one tile ---- */

enum { MOST_PIECES = 2048 };

struct slot {
    struct tile tile;
    char *memory; /* (chunk) what is read but not yet in place, or gathered to be written */
    size_t used;
    struct late *late; /* (lates) reads that are to be put in place */
    size_t lates, late_room;
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
    if (s->lates == s->late_room) {
        const size_t room = s->late_room ? 2 * s->late_room : 64;
        struct late *grown = realloc(s->late, room * sizeof *grown);
        if (!grown) return false;
        s->late = grown;
        s->late_room = room;
    }
    s->late[s->lates++] = (struct late){*piece, at, begin};
    return true;
}

/* Pieces that are one range of the file, all of it theirs: one operation. */
static void move_range(struct mover *m, int slot, const struct piece *piece, int count,
                       const struct by_run *run, uint64_t begin, uint64_t bytes)
{
    struct slot *s = &m->slot[slot];
    if (count == 1 && piece->outer == 0) {
        each_run(piece, move_run, (void *)run);
        return;
    }
    if (s->used + bytes > m->job->chunk) { /* no room to gather: run by run */
        for (int i = 0; i < count; i++)
            each_run(&piece[i], move_run, (void *)run);
        return;
    }
    char *memory = s->memory + s->used;
    struct in_memory copy = {s->tile.data, memory, begin, true};
    for (int i = 0; i < count && run->write; i++)
        each_run(&piece[i], copy_run, &copy);
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
            each_run(p, move_run, (void *)run);
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
        if (!box_in_bytes(v, &box)) {
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

static bool boxes_meet(const struct box *a, const struct box *b, int rank)
{
    for (int d = 0; d < rank; d++)
        if (a->begin[d] >= b->begin[d] + b->size[d] || b->begin[d] >= a->begin[d] + a->size[d])
            return false;
    return true;
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

/* Tiles of a tensor are whole units of dimension `cut`, as many as a chunk holds, within one index
 * of the dimensions in front. */
struct tiling {
    struct view view;
    int cut;
    uint64_t unit;      /* elements */
    uint64_t units;     /* at most, in one tile */
    uint64_t next, all; /* elements */
};

static struct tiling tiling_of(const struct tensor *t, size_t chunk, bool *whole)
{
    struct tiling g = {.view = view_of(t), .unit = 1};
    struct view *v = &g.view;
    *whole = v->pack == 1 || in_bytes(v, &v->shape[v->rank - 1]);
    g.all = 1;
    for (int d = 0; d < v->rank; d++)
        g.all *= v->shape[d];
    g.cut = v->rank - 1;
    while (g.cut > 0 && g.unit * v->shape[g.cut] * v->element <= chunk)
        g.unit *= v->shape[g.cut--];
    g.units = chunk / (g.unit * v->element);
    return g;
}

static bool next_tile(struct tiling *g, struct tile *tile)
{
    const struct view *v = &g->view;
    if (g->next >= g->all) return false;
    uint64_t rest = g->next / g->unit;
    const uint64_t row = rest % v->shape[g->cut], left = v->shape[g->cut] - row;
    const uint64_t units = left < g->units ? left : g->units;
    for (int d = g->cut; d >= 0; d--) {
        tile->box.begin[d] = rest % v->shape[d];
        tile->box.size[d] = 1;
        rest /= v->shape[d];
    }
    tile->box.size[g->cut] = units;
    for (int d = g->cut + 1; d < v->rank; d++) {
        tile->box.begin[d] = 0;
        tile->box.size[d] = v->shape[d];
    }
    tile->first = g->next;
    tile->bytes = units * g->unit * v->element;
    g->next += units * g->unit;
    return true;
}

/* What was read beside its place. */
static void put_in_place(struct mover *m, int slot)
{
    struct slot *s = &m->slot[slot];
    for (size_t i = 0; i < s->lates; i++) {
        struct in_memory copy = {s->tile.data, s->memory + s->late[i].at, s->late[i].begin, false};
        each_run(&s->late[i].piece, copy_run, &copy);
    }
    s->lates = 0;
    s->used = 0;
}

/* Writes of one slot run beside the reads of the other. */
static void move_tensor(struct mover *m, size_t tensor)
{
    const struct transfer *t = m->job->t;
    bool whole;
    struct tiling g = tiling_of(&t->from->tensor[tensor], m->job->chunk, &whole);
    if (!whole) {
        m->code = EINVAL;
        m->what = "its last axis is no whole number of bytes";
    }
    for (int slot = 0; !m->code && next_tile(&g, &m->slot[slot].tile); slot = !slot) {
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
    return rk_fail(error, m->code == EINVAL ? RK_BAD_INPUT : RK_IO, job->t->to->folder, 0, 0,
                   "%.160s: %s: %s; the same command goes on from here",
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
        if (!m.io) m.what = "io_uring cannot be had here, --io plain does without";
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
    enum rk_status status = read_journal(job, journal, &found, error);
    if (status == RK_OK && found != JOURNAL_ENDED) {
        status = check_room(job, error);
        if (status == RK_OK) status = open_sources(job, error);
        if (status == RK_OK && found == JOURNAL_NONE) {
            job->sum->done_before = 0;
            memset(job->done, 0, job->t->from->tensors);
        }
        if (status == RK_OK) status = open_journal(job, journal, found == JOURNAL_BEGUN, error);
        if (status == RK_OK) status = make_files(job, found == JOURNAL_BEGUN, error);
        if (status == RK_OK) status = move_tensors(job, error);
        if (status == RK_OK && dprintf(job->journal, "end\n") < 0)
            status = fail_errno(error, journal, "cannot write", errno);
        return status == RK_OK ? finish_files(job, error) : status;
    }
    /* stopped while files were renamed: the rest of them */
    for (uint32_t i = 0; i < job->t->to->files && status == RK_OK; i++) {
        char part[MOST_PATH], path[MOST_PATH];
        path_of(part, job->t->to, i, ".part");
        path_of(path, job->t->to, i, "");
        if (access(path, F_OK) != 0 && rename(part, path) != 0)
            status = fail_errno(error, path, "cannot rename", errno);
    }
    return status;
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
    allow_files(t->from->files + t->to->files);
    enum rk_status status = job.from && job.to && job.done && job.order
                                ? RK_OK
                                : rk_fail(error, RK_IO, NULL, 0, 0, "no memory");
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
