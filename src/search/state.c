#include "search/state.h"

#include <string.h>

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
    const uint64_t shape[] = {m->layers,      m->hidden,          m->feedforward, m->heads,
                              m->head_dim,    m->sequence,        m->attention,   m->kv_heads,
                              m->norm,        m->gated_mlp,       m->no_dropout,  m->parallel_block,
                              m->block_norms, m->flash_attention, m->causal_skip};
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

/* ---- a header, then the candidates ---- */

struct header {
    char magic[8];
    uint64_t fingerprint;
    uint64_t candidates;
    uint64_t checksum; /* of state and candidates */
    struct search_state state;
};

static const char magic[8] = {'r', 'k', 's', 't', 'a', 't', 'e', '1'};

static uint64_t checksum(const struct search_state *state, const struct topk *best)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    mix(&hash, state, sizeof *state);
    mix(&hash, best->heap, best->count * sizeof *best->heap);
    return hash;
}

size_t state_size(const struct topk *best)
{
    return sizeof(struct header) + best->count * sizeof *best->heap;
}

void state_write(void *bytes, uint64_t fingerprint, const struct search_state *state,
                 const struct topk *best)
{
    struct header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.fingerprint = fingerprint;
    h.candidates = best->count;
    h.state = *state;
    h.checksum = checksum(&h.state, best);
    memcpy(bytes, &h, sizeof h);
    memcpy((char *)bytes + sizeof h, best->heap, best->count * sizeof *best->heap);
}

enum rk_status state_read(const void *bytes, size_t size, uint64_t fingerprint,
                          struct search_state *state, struct topk *best, struct rk_error *error)
{
    struct header h = {0};
    if (size >= sizeof h) memcpy(&h, bytes, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) != 0 || h.candidates > best->room ||
        size != sizeof h + h.candidates * sizeof *best->heap)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                       "not a whole search state: remove it to start over");
    if (h.fingerprint != fingerprint)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                       "state of another search (model, system, gpus, batch, restrictions, mode or "
                       "top differ): name another file or remove this one");
    memcpy(best->heap, (const char *)bytes + sizeof h, h.candidates * sizeof *best->heap);
    best->count = h.candidates;
    *state = h.state;
    if (h.checksum == checksum(state, best)) return RK_OK;
    topk_clear(best);
    return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                   "the search state is damaged: remove it to start over");
}
