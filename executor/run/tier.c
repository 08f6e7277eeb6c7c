#include "run/tier.h"

#include "base/clock.h"
#include "base/memory.h"
#include "run/tier_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct room {
    uint64_t place;
    size_t bytes;
};

struct lane { /* one way: its queue and its thread */
    struct tier *tier;
    struct tier_move *first, **last;
    pthread_cond_t filled;
    pthread_t thread;
    bool started;
};

struct tier {
    pthread_mutex_t lock;
    pthread_cond_t done;
    struct lane lane[2];      /* in, out */
    bool ends, failed, waits; /* waits: the rank, for `done` */
    struct rk_error error;
    const char *folder; /* NULL: memory */
    int file;
    uint64_t end;      /* of the file */
    struct room *room; /* that were given back */
    size_t rooms;
    void **block; /* (blocks) of memory, all that there are */
    size_t blocks;
    uint64_t here_bytes;
    struct tier_counts counts;
};

/* ---- moving ---- */

static bool move_now(const struct tier *tier, struct tier_ring *ring, const struct tier_move *m)
{
    if (tier->folder) return tier_file_move(tier->file, ring, m);
    for (; m; m = m->next) {
        void *there = (void *)(uintptr_t)m->place;
        memcpy(m->out ? there : m->data, m->out ? m->data : there, m->bytes);
    }
    return true;
}

/* The moves of a list are done. */
static void note(struct tier *tier, struct tier_move *m, bool ok, int why, double seconds)
{
    struct tier_counts *c = &tier->counts;
    *(m->out ? &c->write_s : &c->read_s) += seconds;
    if (!ok && !tier->failed) {
        tier->failed = true;
        rk_fail(&tier->error, RK_IO, tier->folder, 0, 0, "what is offloaded cannot be %s: %s",
                m->out ? "written" : "read back", strerror(why));
    }
    for (struct tier_move *next; m; m = next) {
        next = m->next;
        *(m->out ? &c->written_bytes : &c->read_bytes) += m->bytes;
        m->state = MOVE_DONE;
    }
    if (tier->waits) pthread_cond_signal(&tier->done);
}

/* All that is in the queue. */
static struct tier_move *next_of(struct lane *lane)
{
    struct tier *tier = lane->tier;
    while (!lane->first && !tier->ends)
        pthread_cond_wait(&lane->filled, &tier->lock);
    struct tier_move *first = tier->ends ? NULL : lane->first;
    for (struct tier_move *m = first; m; m = m->next)
        m->state = MOVE_RUNNING;
    lane->first = NULL;
    lane->last = &lane->first;
    return first;
}

static void *run_lane(void *context)
{
    struct lane *lane = context;
    struct tier *tier = lane->tier;
    struct tier_ring *ring = tier->folder ? tier_ring_open() : NULL;
    pthread_mutex_lock(&tier->lock);
    tier->counts.ring |= ring != NULL;
    for (struct tier_move *m; (m = next_of(lane));) {
        pthread_mutex_unlock(&tier->lock);
        const double from_s = now_s();
        errno = 0;
        const bool ok = move_now(tier, ring, m);
        const int why = errno;
        const double seconds = now_s() - from_s;
        pthread_mutex_lock(&tier->lock);
        note(tier, m, ok, why, seconds);
    }
    pthread_mutex_unlock(&tier->lock);
    tier_ring_close(ring);
    return NULL;
}

void tier_start(struct tier *tier, struct tier_move *move)
{
    struct lane *lane = &tier->lane[move->out];
    pthread_mutex_lock(&tier->lock);
    move->next = NULL;
    move->state = MOVE_QUEUED;
    if (!lane->first) pthread_cond_signal(&lane->filled);
    *lane->last = move;
    lane->last = &move->next;
    pthread_mutex_unlock(&tier->lock);
}

bool tier_wait(struct tier *tier, struct tier_move *move)
{
    pthread_mutex_lock(&tier->lock);
    tier->waits = true;
    while (!tier->failed && (move->state == MOVE_QUEUED || move->state == MOVE_RUNNING))
        pthread_cond_wait(&tier->done, &tier->lock);
    tier->waits = false;
    const bool ok = !tier->failed;
    pthread_mutex_unlock(&tier->lock);
    return ok;
}

/* ---- room ---- */

static bool new_block(struct tier *tier, size_t bytes, uint64_t *place)
{
    const bool room = ARRAY_ROOM(tier->block, tier->blocks);
    void *data = room ? aligned_alloc(TIER_PAGE, bytes) : NULL;
    if (!data) return false;
    tier->block[tier->blocks++] = data;
    *place = (uint64_t)(uintptr_t)data;
    return true;
}

static bool new_room(struct tier *tier, size_t bytes, uint64_t *place)
{
    if (!tier->folder) return new_block(tier, bytes, place);
    *place = tier->end;
    if (posix_fallocate(tier->file, (off_t)tier->end, (off_t)bytes) != 0) return false;
    tier->end += bytes;
    return true;
}

bool tier_take(struct tier *tier, size_t bytes, uint64_t *place)
{
    bool found = false;
    for (size_t i = tier->rooms; i-- > 0 && !found;) {
        if (tier->room[i].bytes != bytes) continue;
        *place = tier->room[i].place;
        tier->room[i] = tier->room[--tier->rooms];
        found = true;
    }
    if (!found && !new_room(tier, bytes, place)) {
        rk_fail(&tier->error, RK_IO, tier->folder, 0, 0,
                "no room for another %zu bytes in addition to %llu that are offloaded", bytes,
                (unsigned long long)tier->here_bytes);
        return false;
    }
    tier->here_bytes += bytes;
    if (tier->here_bytes > tier->counts.most_bytes) tier->counts.most_bytes = tier->here_bytes;
    return true;
}

void tier_give(struct tier *tier, uint64_t place, size_t bytes)
{
    tier->here_bytes -= bytes;
    if (!ARRAY_ROOM(tier->room, tier->rooms)) return; /* it is not used again */
    tier->room[tier->rooms++] = (struct room){place, bytes};
}

/* ---- begin and end ---- */

static bool start_lanes(struct tier *tier)
{
    for (int way = 0; way < 2; way++) {
        struct lane *lane = &tier->lane[way];
        *lane = (struct lane){.tier = tier, .last = &lane->first};
        pthread_cond_init(&lane->filled, NULL);
        lane->started = pthread_create(&lane->thread, NULL, run_lane, lane) == 0;
        if (!lane->started) return false;
    }
    return true;
}

enum rk_status tier_open(struct tier **to, const char *folder, struct rk_error *error)
{
    struct tier *tier = *to = calloc(1, sizeof *tier);
    if (!tier) return no_memory(error);
    pthread_mutex_init(&tier->lock, NULL);
    pthread_cond_init(&tier->done, NULL);
    tier->folder = folder;
    tier->file = -1;
    if (folder) tier->file = tier_file_open(folder, &tier->counts.direct, error);
    if (folder && tier->file < 0) return error->status;
    if (start_lanes(tier)) return RK_OK;
    return rk_fail(error, RK_IO, NULL, 0, 0, "no threads to move what is offloaded");
}

void tier_close(struct tier *tier)
{
    if (!tier) return;
    pthread_mutex_lock(&tier->lock);
    tier->ends = true;
    for (int way = 0; way < 2; way++)
        if (tier->lane[way].tier) pthread_cond_signal(&tier->lane[way].filled);
    pthread_mutex_unlock(&tier->lock);
    for (int way = 0; way < 2; way++)
        if (tier->lane[way].started) pthread_join(tier->lane[way].thread, NULL);
    for (size_t i = 0; i < tier->blocks; i++)
        free(tier->block[i]);
    free(tier->block);
    if (tier->file >= 0) close(tier->file);
    pthread_cond_destroy(&tier->done);
    pthread_mutex_destroy(&tier->lock);
    free(tier->room);
    free(tier);
}

struct tier_counts tier_count(struct tier *tier)
{
    pthread_mutex_lock(&tier->lock);
    const struct tier_counts counts = tier->counts;
    pthread_mutex_unlock(&tier->lock);
    return counts;
}

const struct rk_error *tier_error(const struct tier *tier)
{
    return &tier->error;
}
