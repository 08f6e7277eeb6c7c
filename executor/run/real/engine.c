/* engine.c - opens and closes a rank: its groups, layers and batch. */
#include "run/real/engine.h"

#include "plan/layers.h"
#include "run/bf16.h"
#include "run/dump.h"
#include "run/real/offload.h"
#include "workload/pattern.h"

#include <math.h>
#include <stdlib.h>

/* ---- opening ---- */

static void group_of(struct engine *e, const struct rank_map *map, struct comm_group *g,
                     enum rank_groups kind, int **next)
{
    g->ranks = (int)ranks_of_group(map, kind);
    g->me = (int)rank_position(map, kind, (uint64_t)e->rank);
    g->rank = *next;
    for (int i = 0; i < g->ranks; i++)
        g->rank[i] = (int)rank_member(map, kind, (uint64_t)e->rank, (uint64_t)i);
    *next += g->ranks;
}

/* Neighbours that share a key head. */
static void key_group(struct engine *e, struct place *p, int **next)
{
    const int copies = (int)weights_key_copies(&e->job->model, p->plan);
    p->keys = (struct comm_group){copies, p->tensor.me % copies, *next};
    for (int i = 0; i < copies; i++)
        *(*next)++ = p->tensor.rank[p->tensor.me / copies * copies + i];
}

static void open_place(struct engine *e, struct place *p, const struct local_part *l, int **next)
{
    const struct rank_map *map = &l->map;
    const enum rk_context_kind kind = l->plan.context_kind;
    p->plan = &l->plan;
    group_of(e, map, &p->tensor, RANKS_OF_TENSOR, next);
    group_of(e, map, &p->context, RANKS_OF_CONTEXT, next);
    group_of(e, map, &p->shards, RANKS_OF_SHARDS, next);
    group_of(e, map, &p->copies, RANKS_OF_COPIES, next);
    group_of(e, map, &p->experts, RANKS_OF_EXPERT, next);
    group_of(e, map, &p->expert_tensor, RANKS_OF_EXPERT_TENSOR, next);
    group_of(e, map, &p->expert_shards, RANKS_OF_EXPERT_SHARDS, next);
    group_of(e, map, &p->expert_copies, RANKS_OF_EXPERT_COPIES, next);
    p->ulysses = p->ring = (struct comm_group){1, 0, NULL};
    if (kind == RK_ULYSSES || kind == RK_RING_ULYSSES)
        group_of(e, map, &p->ulysses, RANKS_OF_ULYSSES, next);
    if (kind != RK_ULYSSES) group_of(e, map, &p->ring, RANKS_OF_RING, next);
    key_group(e, p, next);
    p->context_rank = p->context.me;
    p->data_rank = (int)rank_position(map, RANKS_OF_DATA, (uint64_t)e->rank);
}

static bool open_groups(struct engine *e)
{
    const struct job *job = e->job;
    const int ranks = (int)job->plan.ranks;
    size_t places = (size_t)ranks;
    for (int i = 0; i < job->locals; i++) {
        places += (size_t)job->local[i].plan.tensor;
        for (int kind = 0; kind < RANK_GROUPS; kind++)
            places += ranks_of_group(&job->local[i].map, (enum rank_groups)kind);
    }
    int *next = e->group_ranks = calloc(places, sizeof *next);
    e->place = calloc((size_t)job->locals, sizeof *e->place);
    e->relayout = calloc((size_t)(job->locals * job->locals), sizeof *e->relayout);
    if (!next || !e->place || !e->relayout) return false;
    for (int i = 0; i < job->locals; i++)
        open_place(e, &e->place[i], &job->local[i], &next);
    group_of(e, &job->map, &e->stages, RANKS_OF_PIPELINE, &next);
    e->world = (struct comm_group){ranks, e->rank, next};
    for (int i = 0; i < ranks; i++)
        *next++ = i;
    e->here = e->place[0];
    e->at = 0;
    return true;
}

static struct store *store_of(struct engine *e, int id)
{
    for (int g = 0; g < e->weights.groups; g++)
        if (e->weights.group[g].id == id) return &e->store[g];
    return NULL;
}

/* Which block it is as: that of a prediction layer is as the last one. */
static uint64_t like_block(const struct engine *e, const struct at_layer *l)
{
    return l->depth ? e->job->model.layers - 1 : (uint64_t)l->layer;
}

static void open_block(struct engine *e, struct at_layer *l)
{
    const struct rk_model *m = &e->job->model;
    const uint64_t i = like_block(e, l);
    const bool local = mixer_of(m, i) == MIXER_LOCAL;
    const struct head_shape shape = head_shape_of(m, local);
    enter(e, l->depth ? 0 : plan_local_of(&e->job->plan, i));
    const size_t t = (size_t)e->tensor.ranks;
    l->place = e->at;
    l->kind = layer_kind_of(m, i);
    l->dense = store_of(e, group_of_block((uint64_t)l->layer, false));
    l->experts = store_of(e, group_of_block((uint64_t)l->layer, true));
    l->heads = (size_t)shape.heads / t;
    l->kv_heads = (size_t)shape.kv_heads > t ? (size_t)shape.kv_heads / t : 1;
    l->d = (size_t)shape.width;
    l->value = (size_t)shape.value;
    l->feedforward = m->feedforward / t;
    const bool sparse = job_is_sparse(e->job, i);
    if (local && !sparse) {
        l->mask.window = (uint32_t)m->window;
        l->mask.chunks = m->window_chunks;
    }
    if (sparse) l->mask.blocks = &e->job->blocks;
    l->mask.full = e->place[l->place].plan->full_attention;
}

static void add_head(struct engine *e, int part, int64_t layer, int depth)
{
    const struct rk_model *m = &e->job->model;
    struct at_layer *l = &e->layer[e->layers++];
    *l = (struct at_layer){.part = part, .layer = layer, .depth = depth, .kind = LAYER_HEAD};
    l->dense =
        store_of(e, depth ? group_of_predict(m, (uint64_t)depth - 1) : group_of_final_norm(m));
    l->table = store_of(e, GROUP_TABLE);
    l->head = store_of(e, group_of_head(m));
}

/* The model's head; prediction layers, of which each is three here. */
static void add_heads(struct engine *e, int part)
{
    const struct rk_model *m = &e->job->model;
    const int64_t blocks = (int64_t)m->layers, ahead = (int64_t)m->predict_layers;
    add_head(e, part, blocks + ahead, 0);
    for (int64_t i = 0; i < ahead; i++) {
        struct at_layer *l = &e->layer[e->layers++];
        const struct at_layer one = {.part = part, .layer = blocks + i, .depth = (int)i + 1};
        *l = one;
        l->kind = LAYER_PREDICT;
        l->dense = store_of(e, group_of_predict(m, (uint64_t)i));
        l->table = store_of(e, GROUP_TABLE);
        l = &e->layer[e->layers++];
        *l = one;
        open_block(e, l);
        add_head(e, part, blocks + i, (int)i + 1);
    }
}

static bool open_layers(struct engine *e, const struct weight_part *part, int parts)
{
    int count = 0;
    for (int p = 0; p < parts; p++)
        count += (int)part[p].layers + part[p].embeds +
                 part[p].heads * (1 + 3 * (int)e->job->model.predict_layers);
    e->layer = calloc((size_t)count, sizeof *e->layer);
    for (int p = 0; e->layer && p < parts; p++) {
        if (part[p].embeds) {
            struct at_layer *l = &e->layer[e->layers++];
            *l = (struct at_layer){.part = p, .layer = -1, .kind = LAYER_EMBEDDING};
            l->table = store_of(e, GROUP_TABLE);
            l->dense = store_of(e, GROUP_POSITIONS);
        }
        for (uint64_t i = 0; i < part[p].layers; i++) {
            struct at_layer *l = &e->layer[e->layers++];
            l->part = p;
            l->layer = (int64_t)(part[p].first + i);
            open_block(e, l);
        }
        if (part[p].heads) add_heads(e, p);
    }
    for (int i = 0; e->layer && i < e->layers; i++)
        if (!(e->layer[i].frame = calloc(e->job->microbatches, sizeof(struct frame)))) return false;
    return e->layer != NULL;
}

static bool open_rows(struct engine *e, struct place *p, const struct local_part *l)
{
    const struct job *job = e->job;
    const size_t mbs = job->microbatches;
    p->batch = l->plan.microbatch;
    p->local = job->sequence / l->plan.context;
    p->rows = p->batch * p->local;
    p->share = l->plan.sequence_parallel ? p->rows / (size_t)p->tensor.ranks : p->rows;
    p->spans = REAL(context_spans)(l, job->sequence, (uint32_t)p->context_rank, p->span);
    const size_t ahead = 2 * job->model.predict_layers;
    p->token = calloc((3 + ahead) * mbs * p->rows, sizeof *p->token);
    p->number = calloc(mbs * p->rows, sizeof *p->number);
    if (!p->token || !p->number) return false;
    p->target = p->token + mbs * p->rows;
    p->position = p->target + mbs * p->rows;
    p->ahead = p->position + mbs * p->rows;
    return true;
}

/* Tables of RoPE: one of its own for local layers, which is not stretched. */
static bool open_turns(struct engine *e)
{
    static const struct rk_rotary_stretch none = {.factor = 1};
    const struct job *job = e->job;
    const struct rk_arithmetic *has = &job->settings.arithmetic;
    const double width =
        job->model.kv_rank ? (double)job->model.rope_dim : head_shape_of(&job->model, false).width;
    const size_t d = (size_t)(has->rotary_part > 0 ? width * has->rotary_part + 1e-6 : width);
    e->turned = d;
    e->turn = room(job->sequence * d);
    if (!e->turn) return false;
    rotary_table(job->sequence, d, job->settings.rotary_base, &job->settings.rotary_stretch,
                 e->turn);
    if (has->local_base > 0) {
        if (!(e->local_turn = room(job->sequence * d))) return false;
        rotary_table(job->sequence, d, has->local_base, &none, e->local_turn);
    }
    for (int i = 0; i < e->layers; i++) {
        struct at_layer *l = &e->layer[i];
        if (l->kind == LAYER_EMBEDDING || l->kind == LAYER_HEAD || l->kind == LAYER_PREDICT)
            continue;
        const uint64_t n = like_block(e, l);
        const bool local = mixer_of(&job->model, n) == MIXER_LOCAL && e->local_turn;
        const bool turned = n / 64 >= RK_LAYER_WORDS || !(has->unturned[n / 64] >> n % 64 & 1);
        l->turn = !turned ? NULL : local ? e->local_turn : e->turn;
    }
    return true;
}

/* ALiBi's slopes: powers of two; heads between two powers have those of the next power, every
 * other one [press2022]. */
static bool open_slopes(struct engine *e)
{
    const size_t heads = e->job->model.heads;
    size_t power = 1;
    while (2 * power <= heads)
        power *= 2;
    e->slopes = room(heads);
    for (size_t i = 0; e->slopes && i < heads; i++)
        e->slopes[i] = (real)exp2(i < power ? -8.0 * (double)(i + 1) / (double)power
                                            : -4.0 * (double)(2 * (i - power) + 1) / (double)power);
    return e->slopes != NULL;
}

static bool open_batch(struct engine *e)
{
    const struct job *job = e->job;
    e->hidden = job->model.hidden;
    for (int i = 0; i < job->locals; i++)
        if (!open_rows(e, &e->place[i], &job->local[i])) return false;
    e->here = e->place[0];
    e->at = 0;
    e->sample = calloc(2 * job->sequence + 1, sizeof *e->sample);
    e->row_loss = calloc(2 * job->microbatches, sizeof *e->row_loss);
    e->sums = calloc((size_t)e->weights.ids * job->plan.ranks, sizeof *e->sums);
    e->reports = calloc(5 * job->plan.ranks, sizeof *e->reports);
    if (!e->sample || !e->row_loss || !e->sums || !e->reports) return false;
    if (job->model.position == RK_POSITION_ALIBI) return open_slopes(e);
    if (job->model.position != RK_POSITION_ROPE) return true;
    return open_turns(e);
}

static void frame_close(struct frame *f)
{
    REAL(mixture_free)(f);
    free(f->stored);
}

static void engine_close(struct engine *e)
{
    if (!e) return;
    if (!setjmp(e->escape)) /* what still comes, unless a rank has failed */
        for (int g = 0; e->store && g < e->weights.groups; g++)
            weights_settle(e, &e->store[g]);
    comm_begun_release(e->comm, &e->gathering);
    comm_begun_release(e->comm, &e->scattering);
    tiers_close(e); /* moves touch blocks of the pool */
    for (int g = 0; e->store && g < e->weights.groups; g++)
        store_close(e, &e->store[g]);
    for (int i = 0; e->layer && i < e->layers; i++) {
        for (uint64_t mb = 0; e->layer[i].frame && mb < e->job->microbatches; mb++)
            frame_close(&e->layer[i].frame[mb]);
        free(e->layer[i].frame);
        free(e->layer[i].cache);
    }
    REAL(pool_release)(&e->pool);
    weights_release(&e->weights);
    free(e->store);
    free(e->layer);
    free(e->rest);
    free(e->program);
    free(e->drops);
    free(e->group_ranks);
    for (int i = 0; e->place && i < e->job->locals; i++) {
        free(e->place[i].token);
        free(e->place[i].number);
    }
    if (e->relayout) relayouts_close(e);
    free(e->place);
    free(e->sample);
    free(e->row_loss);
    free(e->sums);
    free(e->event);
    free(e->came);
    free(e->mapped);
    dump_drop(e->dump);
    free(e->reports);
    free(e->turn);
    free(e->local_turn);
    free(e->slopes);
    free(e);
}

static int parts_of(const struct job *job, uint64_t stage, struct weight_part *part)
{
    const struct pipeline *pipe = &job->pipeline;
    const uint64_t chunks = pipeline_chunks(pipe), parts = pipeline_parts(pipe);
    for (uint64_t c = 0; c < chunks; c++) {
        const uint64_t at = pipeline_part(pipe, stage, c);
        part[c] = (struct weight_part){.embeds = at == 0, .heads = at + 1 == parts};
        for (uint64_t i = 0; i < at; i++)
            part[c].first += rk_plan_split(&job->plan, &job->model, i);
        part[c].layers = rk_plan_split(&job->plan, &job->model, at);
    }
    /* in the model's order, also with dualpipe */
    if (chunks == 2 && (part[0].first > part[1].first || part[1].embeds)) {
        const struct weight_part first = part[1];
        part[1] = part[0];
        part[0] = first;
    }
    return (int)chunks;
}

static bool open_all(struct engine *e, const struct weight_part *part, int parts)
{
    if (setjmp(e->escape)) return false;
    e->store = calloc((size_t)e->weights.groups, sizeof *e->store);
    bool ok = e->store && open_groups(e) && tiers_open(e);
    for (int g = 0; ok && g < e->weights.groups; g++)
        ok = store_open(e, &e->store[g], &e->weights.group[g]);
    return ok && open_layers(e, part, parts) && open_batch(e) && caches_open(e);
}

static enum narrow narrow_of(enum rk_precision precision)
{
    return precision == RK_FP16 ? NARROW_FP16 : precision == RK_BF16 ? NARROW_BF16 : NARROW_NONE;
}

static enum rk_status engine_open(const struct job *job, struct comm *comm, struct engine **engine)
{
    struct engine *e = calloc(1, sizeof *e);
    struct weight_part part[RK_MAX_CHUNKS];
    enum rk_status status = RK_OK;
    *engine = e;
    if (!e)
        return rk_fail(&comm->error, RK_NO_MEMORY, NULL, 0, 0, "no memory for rank %d", comm->rank);
    e->job = job;
    e->comm = comm;
    e->rank = comm->rank;
    e->threads = job->settings.threads;
    comm->clock.latency_s = job->system->network[0].latency_s;
    const uint64_t stage = rank_position(&job->map, RANKS_OF_PIPELINE, (uint64_t)e->rank);
    const int parts = parts_of(job, stage, part);
    e->dual = job->pipeline.schedule == RK_DUALPIPE;
    if (sizeof(real) == sizeof(float)) e->narrow = narrow_of(job->plan.precision);
    e->bf16 = e->narrow == NARROW_BF16 && bf16_library();
    e->scaler.scales = e->narrow == NARROW_FP16;
    e->scaler.scale = e->scaler.scales ? job->settings.loss_scale : 1;
    for (int i = 0; i < parts; i++)
        e->heads |= part[i].heads;
    status = weights_plan(&job->model, &job->settings.arithmetic, &job->plan, (uint64_t)e->rank,
                          part, parts, &e->weights, &comm->error);
    if (status != RK_OK) return status;
    const bool opened = open_all(e, part, parts);
    if (!opened && comm->error.status != RK_OK) return comm->error.status;
    if (!opened)
        return rk_fail(&comm->error, RK_NO_MEMORY, NULL, 0, 0,
                       "rank %d has no memory for its weights and their state", e->rank);
    return REAL(program_make)(e, &comm->error) ? RK_OK : comm->error.status;
}

static bool knows(enum op op)
{
    return kernel_table[op].known;
}

static const struct ledger *engine_ledger(const struct engine *e)
{
    return &e->ledger;
}
static const struct weights *engine_weights(const struct engine *e)
{
    return &e->weights;
}
static const struct rk_train_event *engine_trace(const struct engine *e, size_t *events)
{
    *events = e->events;
    return e->event;
}

static struct rk_train_state engine_state(const struct engine *e)
{
    struct rk_train_state state = {.weight_bytes = 0};
    for (int g = 0; g < e->weights.groups; g++) {
        const struct store *s = &e->store[g];
        double elements = 0;
        for (int i = 0; i < s->group->count; i++) {
            const struct weight *w = &e->weights.weight[s->group->first + i];
            elements += (double)w->box_rows * (double)w->box_cols;
        }
        const double all = elements * sizeof(real), shard = all / s->shards->ranks;
        const double low = s->is_low ? sizeof(uint16_t) / (double)sizeof(real) : 1;
        state.weight_bytes += low * (s->gathers ? shard : all);
        const int zero = e->place[s->place].plan->zero;
        const double width = e->narrow == NARROW_FP16 ? sizeof(uint16_t) / (double)sizeof(real) : 1;
        const double gradient = width * (zero >= 2 ? shard : all);
        state.gradient_bytes += gradient;
        if (s->head) state.tied_bytes += gradient;
        for (int t = 0; t < TIERS; t++) {
            *(s->is_low ? &state.optimizer_bytes : &state.weight_bytes) -=
                flat_away_bytes(&s->weights, t);
            state.weight_bytes -= flat_away_bytes(&s->lows, t);
            state.optimizer_bytes -=
                flat_away_bytes(&s->moment[0], t) + flat_away_bytes(&s->moment[1], t);
        }
        const double smalls = (double)s->smalls * sizeof(real);
        state.optimizer_bytes += ((s->is_low ? 2 : 1) + !s->small) * (zero ? shard : all) + smalls;
    }
    return state;
}

static void engine_tiers(const struct engine *e, struct rk_train_tier tier[RK_SHARE_TIERS])
{
    for (int t = 0; t < TIERS; t++) {
        if (!e->tier[t]) continue;
        const struct tier_counts c = tier_count(e->tier[t]);
        tier[t].activation_bytes += e->deal.dealt_bytes[t];
        tier[t].handed_bytes += e->deal.handed_bytes[t];
        tier[t].written_bytes += (double)c.written_bytes;
        tier[t].read_bytes += (double)c.read_bytes;
        tier[t].write_s += c.write_s;
        tier[t].read_s += c.read_s;
        for (int g = 0; g < e->weights.groups; g++) {
            const struct store *s = &e->store[g];
            *(s->is_low ? &tier[t].optimizer_bytes : &tier[t].weight_bytes) +=
                flat_away_bytes(&s->weights, t);
            tier[t].weight_bytes += flat_away_bytes(&s->lows, t);
            tier[t].optimizer_bytes +=
                flat_away_bytes(&s->moment[0], t) + flat_away_bytes(&s->moment[1], t);
        }
    }
}

static struct comm *engine_comm(const struct engine *e)
{
    return e->comm;
}

static struct scaler *engine_scaler(struct engine *e)
{
    return &e->scaler;
}

const struct engine_kind REAL(engine) = {
    .real_bytes = sizeof(real),
#ifdef RUN_F64
    .datatype = "F64",
#else
    .datatype = "F32",
#endif
    .knows = knows,
    .open = engine_open,
    .step = REAL(engine_step),
    .close = engine_close,
    .ledger = engine_ledger,
    .weights = engine_weights,
    .gather = REAL(engine_gather),
    .scatter = REAL(engine_scatter),
    .writes = REAL(engine_writes),
    .comm = engine_comm,
    .scaler = engine_scaler,
    .trace = engine_trace,
    .state = engine_state,
    .tiers = engine_tiers,
    .rows = REAL(engine_rows),
    .flat = REAL(engine_flat),
    .map = REAL(engine_map),
    .score = REAL(engine_score),
    .predict = REAL(engine_predict),
};
