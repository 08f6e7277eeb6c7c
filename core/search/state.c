#include "search/state.h"

#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

/* ---- a header, then the candidates, then the frontier ---- */

struct header {
    char magic[8];
    uint64_t fingerprint;
    uint64_t candidates, points;
    uint64_t checksum; /* of state, candidates and points */
    struct search_state state;
};

static const char magic[8] = {'r', 'k', 's', 't', 'a', 't', 'e', '3'};

static size_t bytes_of(uint64_t candidates, uint64_t points)
{
    return candidates * sizeof(struct rk_candidate) + points * sizeof(struct point);
}

static uint64_t checksum(const struct search_state *state, const void *rest, size_t size)
{
    uint64_t hash = HASH_START;
    mix(&hash, state, sizeof *state);
    mix(&hash, rest, size);
    return hash;
}

size_t state_size(const struct finds *f)
{
    return sizeof(struct header) + bytes_of(f->best.count, f->frontier.count);
}

void state_write(void *bytes, uint64_t fingerprint, const struct search_state *state,
                 const struct finds *f)
{
    struct header h;
    char *rest = (char *)bytes + sizeof h;
    const size_t candidates = f->best.count * sizeof *f->best.heap;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.fingerprint = fingerprint;
    h.candidates = f->best.count;
    h.points = f->frontier.count;
    h.state = *state;
    memcpy(rest, f->best.heap, candidates);
    if (h.points)
        memcpy(rest + candidates, f->frontier.point, h.points * sizeof *f->frontier.point);
    h.checksum = checksum(&h.state, rest, bytes_of(h.candidates, h.points));
    memcpy(bytes, &h, sizeof h);
}

/* Whatever the checksum says: nothing outside the space, and a next round that comes to an end. */
static bool is_sound(const struct header *h, const char *rest, uint64_t plans)
{
    for (uint64_t i = 0; i < h->candidates; i++) {
        struct rk_candidate candidate;
        memcpy(&candidate, rest + i * sizeof candidate, sizeof candidate);
        if (candidate.index >= plans) return false;
    }
    rest += h->candidates * sizeof(struct rk_candidate);
    for (uint64_t i = 0; i < h->points; i++) {
        struct point point;
        memcpy(&point, rest + i * sizeof point, sizeof point);
        if (point.index >= plans) return false;
    }
    return h->state.part >= 0 && h->state.first >= 0 && h->state.size > 0;
}

static enum rk_status take(struct finds *f, const struct header *h, const char *rest,
                           struct rk_error *error)
{
    const size_t candidates = h->candidates * sizeof *f->best.heap;
    struct point *points = NULL;
    if (!ARRAY_SIZED(points, h->points)) return no_memory(error);
    memcpy(f->best.heap, rest, candidates);
    memcpy(points, rest + candidates, h->points * sizeof *points);
    f->best.count = h->candidates;
    f->frontier = (struct frontier){.count = h->points, .point = points};
    return RK_OK;
}

enum rk_status state_read(const void *bytes, size_t size, uint64_t fingerprint, uint64_t plans,
                          struct search_state *state, struct finds *f, struct rk_error *error)
{
    struct header h = {0};
    const char *rest = (const char *)bytes + sizeof h;
    if (size >= sizeof h) memcpy(&h, bytes, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) != 0 ||
        h.candidates > size / sizeof(struct rk_candidate) ||
        h.points > size / sizeof(struct point) ||
        size != sizeof h + bytes_of(h.candidates, h.points))
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                       "not a whole search state: remove it to start over");
    if (h.fingerprint != fingerprint)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                       "state of another search (model, system, gpus, batch, restrictions, mode or "
                       "top differ): name another file or remove this one");
    if (h.candidates > f->best.room || h.checksum != checksum(&h.state, rest, size - sizeof h) ||
        !is_sound(&h, rest, plans))
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                       "the search state is damaged: remove it to start over");
    *state = h.state;
    return take(f, &h, rest, error);
}
