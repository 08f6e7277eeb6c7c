#include "search/fingerprint.h"

#include "base/hash.h"

/* ---- models and plans: the rows of their tables ---- */

void fingerprint_model(uint64_t *hash, const struct rk_model *m)
{
#define MODEL_COUNT(key, need, least, most, help) mix_number(hash, m->key);
#define MODEL_FLAG(key, preset, help)             mix_number(hash, m->key);
#define MODEL_CHOICE(key, type, names, help)      mix_number(hash, m->key);
#define MODEL_TEXT(key, size, help)               mix_text(hash, m->key);
#include <reckon/model.def>
}

#define MIX_NUMBER(member) mix_number(hash, (uint64_t)p->member);
#define MIX_REAL(member)   mix_real(hash, p->member);

/* clang-format off */
static void mix_local(uint64_t *hash, const struct rk_local *p)
{
#define OF_LOCAL(mixed, member) mixed(member)
#define OF_WHOLE(mixed, member)
#define PLAN_COUNT(scope, by, member, preset, least, most, word, help) OF_##scope(MIX_NUMBER, member)
#define PLAN_LEVEL(scope, by, member, preset, least, most, word, help) OF_##scope(MIX_NUMBER, member)
#define PLAN_FLAG(scope, by, member, preset, word, help) OF_##scope(MIX_NUMBER, member)
#define PLAN_NUMBER(scope, by, member, preset, least, most, word, help) OF_##scope(MIX_REAL, member)
#define PLAN_CHOICE(scope, by, member, list, preset, word, help) OF_##scope(MIX_NUMBER, member)
#define PLAN_PARTS(scope, by, member, list, word, help) OF_##scope(MIX_NUMBER, member)
#include <reckon/plan.def>
#undef OF_LOCAL
#undef OF_WHOLE
    mix(hash, p->share, sizeof p->share);
}

static void mix_whole(uint64_t *hash, const struct rk_plan *p)
{
#define OF_LOCAL(mixed, member)
#define OF_WHOLE(mixed, member) mixed(member)
#define PLAN_RANKS(scope, by, key, member, preset, least, most, word, help) OF_##scope(MIX_NUMBER, member)
#define PLAN_COUNT(scope, by, member, preset, least, most, word, help) OF_##scope(MIX_NUMBER, member)
#define PLAN_LEVEL(scope, by, member, preset, least, most, word, help) OF_##scope(MIX_NUMBER, member)
#define PLAN_FLAG(scope, by, member, preset, word, help) OF_##scope(MIX_NUMBER, member)
#define PLAN_NUMBER(scope, by, member, preset, least, most, word, help) OF_##scope(MIX_REAL, member)
#define PLAN_CHOICE(scope, by, member, list, preset, word, help) OF_##scope(MIX_NUMBER, member)
#define PLAN_PARTS(scope, by, member, list, word, help) OF_##scope(MIX_NUMBER, member)
#include <reckon/plan.def>
#undef OF_LOCAL
#undef OF_WHOLE
}
/* clang-format on */

void fingerprint_plan(uint64_t *hash, const struct rk_plan *p)
{
    mix_local(hash, &p->local);
    mix_whole(hash, p);
    const struct rk_layout *layout = rk_plan_layout(p);
    mix_number(hash, (uint64_t)layout->splits);
    mix(hash, layout->split, (size_t)layout->splits * sizeof *layout->split);
    mix_number(hash, layout->round);
    mix_number(hash, (uint64_t)layout->parts);
    mix(hash, layout->part, (size_t)layout->parts * sizeof *layout->part);
    mix_number(hash, (uint64_t)layout->segments);
    mix(hash, layout->segment, (size_t)layout->segments * sizeof *layout->segment);
    mix_number(hash, (uint64_t)layout->others);
    for (int i = 0; i < layout->others; i++)
        mix_local(hash, &layout->other[i]);
}

/* ---- systems ---- */

static void mix_curve(uint64_t *hash, const struct rk_curve *curve)
{
    mix_number(hash, (uint64_t)curve->steps);
    for (int i = 0; i < curve->steps; i++)
        mix(hash, &curve->step[i], sizeof curve->step[i]); /* doubles alone */
}

static void mix_engine(uint64_t *hash, const struct rk_engine *engine)
{
    mix_real(hash, engine->peak_flops);
    mix_curve(hash, &engine->curve);
}

static void mix_memory(uint64_t *hash, const struct rk_memory *m)
{
#define MEMORY_NUMBER(member, help) mix_real(hash, m->member);
#define MEMORY_COUNT(member, help)  mix_number(hash, m->member);
#include <reckon/system.def>
    mix_curve(hash, &m->curve);
}

static void mix_rates(uint64_t *hash, const struct rk_stream_rates *r)
{
    mix_number(hash, (uint64_t)r->sizes);
    if (!r->sizes) return;
    mix(hash, r->bytes, sizeof r->bytes); /* doubles alone */
    mix(hash, r->rate_Bps, sizeof r->rate_Bps);
}

static void mix_network(uint64_t *hash, const struct rk_network *n)
{
#define NETWORK_NUMBER(member, help) mix_real(hash, n->member);
#define NETWORK_COUNT(member, help)  mix_number(hash, n->member);
#define NETWORK_FLAG(member, help)   mix_number(hash, n->member);
#define LINK_NUMBER(member, help)    mix_real(hash, n->link.member);
#define LINK_FLAG(member, help)      mix_number(hash, n->link.member);
#include <reckon/system.def>
    mix_rates(hash, &n->link.rates);
    for (int i = 0; n->link.exchange[0].sizes && i < RK_EXCHANGES; i++) /* all or none */
        mix_rates(hash, &n->link.exchange[i]);
    mix(hash, n->collective, sizeof n->collective); /* doubles alone */
}

static void mix_kernels(uint64_t *hash, const struct rk_kernels *k)
{
#define KERNEL_COUNT(member, help)     mix_number(hash, k->member);
#define KERNEL_NUMBER(member, help)    mix_real(hash, k->member);
#define KERNEL_PAIR(member, help)      mix(hash, k->member, sizeof k->member);
#define KERNEL_SET(member, list, help) mix_number(hash, k->member);
#include <reckon/system.def>
    const struct rk_attention_rates *a = &k->attention_rates;
    mix_number(hash, (uint64_t)a->dims);
    if (a->dims) {
        mix_number(hash, (uint64_t)a->keys); /* doubles alone, zeros where there are no rates */
        mix(hash, a->dim, sizeof a->dim);
        mix(hash, a->key, sizeof a->key);
        mix(hash, a->rate_FLOPps, sizeof a->rate_FLOPps);
    }
    mix_rates(hash, &k->optimizer_rates);
    mix_rates(hash, &k->memory_rates);
    static const double none[RK_KERNELS][2];
    if (memcmp(k->element_s, none, sizeof none) != 0) mix(hash, k->element_s, sizeof none);
}

void fingerprint_system(uint64_t *hash, const struct rk_system *s)
{
    mix_number(hash, s->devices);
    mix_number(hash, s->processing);
    for (int d = 0; d < RK_DATATYPES; d++) {
        mix_engine(hash, &s->matrix[d]);
        mix_engine(hash, &s->vector[d]);
    }
    mix_kernels(hash, &s->kernels);
    if (s->busy_devices) mix_number(hash, s->busy_devices);
    if (s->busy_devices) mix_kernels(hash, &s->busy);
    mix_number(hash, (uint64_t)s->memories);
    for (int i = 0; i < s->memories; i++)
        mix_memory(hash, &s->memory[i]);
    mix_number(hash, (uint64_t)s->networks);
    for (int i = 0; i < s->networks; i++)
        mix_network(hash, &s->network[i]);
}
