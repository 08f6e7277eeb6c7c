#include "search/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- fingerprint: FNV-1a over values, never over padding ---- */

static void mix(uint64_t *hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++)
        *hash = (*hash ^ byte[i]) * UINT64_C(0x100000001b3);
}

static void mix_number(uint64_t *hash, uint64_t value)
{
    mix(hash, &value, sizeof value);
}
static void mix_real(uint64_t *hash, double value)
{
    mix(hash, &value, sizeof value);
}

static void mix_curve(uint64_t *hash, const struct rk_curve *curve)
{
    for (int i = 0; i < curve->steps; i++) {
        mix_real(hash, curve->step[i].from);
        mix_real(hash, curve->step[i].rate);
    }
}

static void mix_model(uint64_t *hash, const struct rk_model *m)
{
    const uint64_t shape[] = {m->layers,   m->hidden,   m->feedforward, m->heads,
                              m->head_dim, m->sequence, m->attention};
    mix(hash, shape, sizeof shape);
}

static void mix_network(uint64_t *hash, const struct rk_network *n)
{
    mix_real(hash, n->bandwidth_Bps);
    mix_real(hash, n->efficiency);
    mix_real(hash, n->latency_s);
    mix_number(hash, n->size);
    mix_number(hash, n->must_be_filled);
    mix_real(hash, n->processor_usage);
    for (int op = 0; op < RK_COLLECTIVES; op++) {
        mix_real(hash, n->collective[op].scale);
        mix_real(hash, n->collective[op].offset);
    }
}

static void mix_system(uint64_t *hash, const struct rk_system *s)
{
    mix_number(hash, s->processing);
    for (int d = 0; d < RK_DATATYPES; d++) {
        mix_curve(hash, &s->matrix[d].curve);
        mix_curve(hash, &s->vector[d].curve);
    }
    for (int i = 0; i < s->memories; i++) {
        mix_real(hash, s->memory[i].capacity_bytes);
        mix_curve(hash, &s->memory[i].curve);
    }
    for (int i = 0; i < s->networks; i++)
        mix_network(hash, &s->network[i]);
}

uint64_t state_fingerprint(const struct rk_problem *p, const struct rk_search_options *options)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    mix_model(&hash, p->model);
    mix_system(&hash, p->system);
    mix_number(&hash, p->ranks);
    mix_number(&hash, p->max_batch);
    mix_number(&hash, p->datatype);
    for (int axis = 0; axis < RK_AXES; axis++) {
        mix_number(&hash, (uint64_t)p->pinned[axis].count);
        for (int i = 0; i < p->pinned[axis].count; i++) {
            mix_number(&hash, p->pinned[axis].value[i]);
            mix_number(&hash, p->pinned[axis].to[i]);
        }
    }
    mix_number(&hash, options->mode);
    mix_number(&hash, options->top);
    return hash;
}

/* ---- the file: a header, then the candidates ---- */

struct header {
    char magic[8];
    uint64_t fingerprint;
    uint64_t candidates;
    uint64_t checksum; /* of state and candidates */
    struct search_state state;
};

/* The layout changes with the structs: another size is another version. */
static const char magic[8] = {'r', 'k', 's', 't', 'a', 't', 'e', '1'};

static uint64_t checksum(const struct search_state *state, const struct topk *best)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    mix(&hash, state, sizeof *state);
    mix(&hash, best->heap, best->count * sizeof *best->heap);
    return hash;
}

static enum rk_status unreadable(const char *path, struct rk_error *error)
{
    return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                   "not a whole search state: remove it to start over");
}

static enum rk_status read_state(FILE *file, const char *path, uint64_t fingerprint,
                                 struct search_state *state, struct topk *best,
                                 struct rk_error *error)
{
    struct header h;
    if (fread(&h, sizeof h, 1, file) != 1 || memcmp(h.magic, magic, sizeof magic) != 0)
        return unreadable(path, error);
    if (h.fingerprint != fingerprint)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "state of another search (model, system, gpus, batch, restrictions, mode or "
                       "top differ): name another file or remove this one");
    if (h.candidates > best->room ||
        fread(best->heap, sizeof *best->heap, h.candidates, file) != h.candidates)
        return unreadable(path, error);
    best->count = h.candidates;
    if (h.checksum != checksum(&h.state, best)) return unreadable(path, error);
    *state = h.state;
    return RK_OK;
}

enum rk_status state_load(const char *path, uint64_t fingerprint, struct search_state *state,
                          struct topk *best, bool *found, struct rk_error *error)
{
    *found = false;
    FILE *file = fopen(path, "rb");
    if (!file && errno == ENOENT) return RK_OK;
    if (!file) return rk_fail(error, RK_IO, path, 0, 0, "cannot be read: %s", strerror(errno));
    const enum rk_status status = read_state(file, path, fingerprint, state, best, error);
    fclose(file);
    *found = status == RK_OK;
    if (status != RK_OK) topk_clear(best);
    return status;
}

static bool write_state(FILE *file, uint64_t fingerprint, const struct search_state *state,
                        const struct topk *best)
{
    struct header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.fingerprint = fingerprint;
    h.candidates = best->count;
    h.state = *state;
    h.checksum = checksum(&h.state, best);
    return fwrite(&h, sizeof h, 1, file) == 1 &&
           fwrite(best->heap, sizeof *best->heap, best->count, file) == best->count &&
           fflush(file) == 0;
}

enum rk_status state_save(const char *path, uint64_t fingerprint, const struct search_state *state,
                          const struct topk *best, struct rk_error *error)
{
    char beside[4096];
    if (snprintf(beside, sizeof beside, "%s.%ld.tmp", path, (long)getpid()) >= (int)sizeof beside)
        return rk_fail(error, RK_IO, path, 0, 0, "the name is too long");
    FILE *file = fopen(beside, "wb");
    bool ok = file && write_state(file, fingerprint, state, best);
    const int reason = errno;
    if (file) ok = fclose(file) == 0 && ok;
    if (ok && rename(beside, path) == 0) return RK_OK;
    if (file) remove(beside);
    return rk_fail(error, RK_IO, path, 0, 0, "cannot be written: %s", strerror(reason));
}
