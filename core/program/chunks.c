/* chunks.c - operations of a layer on a sequence in chunks [yao2024fpdt].
 *
 * A run of these operations goes through one chunk after the other. Forward, a chunk's queries meet
 * the keys and values of those before it, which come from memory tier 1, and its own, which are
 * offloaded there afterwards. Backward has keys and values in the outer loop: the operations after
 * attention run for a chunk when its queries are met first, those before attention when its column
 * ends. Other runs recompute what they need of a chunk. Loads are one pair ahead.
 */
#include "estimate/chunks.h"
#include "machine/part.h"
#include "program/pass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which operations ---- */

bool in_chunks(const struct pass_of_layer *p, int i)
{
    return i >= 0 && i < p->kind->flow.operations && operation_of(p, i)->chunks > 1;
}

int chunk_run_end(const struct pass_of_layer *p, int i)
{
    while (in_chunks(p, i))
        i++;
    return i;
}

int chunk_run_begin(const struct pass_of_layer *p, int i)
{
    while (in_chunks(p, i - 1))
        i--;
    return i;
}

/* Does anything beyond its run read what operation `i` brings? */
static bool leaves_run(const struct pass_of_layer *p, int i, int begin, int end)
{
    const struct flow *flow = &p->kind->flow;
    if (flow->output == i) return true;
    for (int k = 0; k < flow->operations; k++)
        for (int r = 0; r < flow->operation[k].reads; r++) {
            if (flow->operation[k].from[r] != i) continue;
            if (k < begin || k >= end) return true;
            if (flow->operation[k].in_place && leaves_run(p, k, begin, end)) return true;
        }
    return false;
}

static int attention_of(const struct pass_of_layer *p, int begin, int end)
{
    for (int i = begin; i < end; i++)
        if (operation_of(p, i)->kind == OPERATION_ATTENTION) return i;
    return -1;
}

/* Is it the input of a matrix product after attention, kept for the gradient of that product's
 * weights? */
static bool is_result(const struct pass_of_layer *p, int i, int begin, int end)
{
    const int at = attention_of(p, begin, end);
    for (int k = i + 1; k < end && at >= 0 && i >= at; k++)
        for (int r = 0; r < p->kind->flow.operation[k].reads; r++)
            if (p->kind->flow.operation[k].from[r] == i &&
                operation_of(p, k)->kind == OPERATION_MATRIX)
                return true;
    return false;
}

bool is_of_chunk(const struct pass_of_layer *p, int i, enum rk_tensor_kind kind)
{
    if (!in_chunks(p, i)) return false;
    const int begin = chunk_run_begin(p, i), end = chunk_run_end(p, i);
    if (kind != RK_TENSOR_GRADIENT && is_result(p, i, begin, end)) return false;
    return !leaves_run(p, i, begin, end);
}

/* Instances that are otherwise named alike are numbered. */
int32_t chunk_tensor(const struct pass_of_layer *p, int32_t form)
{
    const int32_t tensor = new_tensor(p->b, form, p->slot->layer, p->microbatch);
    if (p->chunk != NO_CHUNK && !p->b->failed)
        p->b->program->tensor[tensor].number = 2 + (uint32_t)p->live->numbered++;
    return tensor;
}

double chunk_again_s(const struct pass_of_layer *p, int i)
{
    const struct operation *op = operation_of(p, i);
    return op->again * p->kind->timed.waited_s[i][RK_FORWARD] / fmax(op->chunks, 1);
}

/* ---- pairs of chunks ---- */

struct pairs {
    const struct operation *op;
    struct chunk_times times;
    enum rk_pass pass;
    int at, chunks, back;
    int32_t task[2];        /* below the diagonal, on it */
    int32_t load, returned; /* tasks; the waits are the loads', or without loads the returns' */
    int32_t load_keys;      /* of a column, in backward: nobody waits for them */
};

static int32_t pair_task(const struct pass_of_layer *p, const struct pairs *pairs,
                         enum rk_work work, bool on)
{
    const struct operation *op = pairs->op;
    const double diagonal = chunk_pairs_on_diagonal(op);
    const double below = chunk_pairs_below(op);
    const double share = on          ? diagonal / op->pairs
                         : below > 0 ? (1 - op->chunks * diagonal / op->pairs) / below
                                     : 0;
    struct rk_task task = {.work = work,
                           .flop = share * op->flop[pairs->pass],
                           .useful_flop = pairs->pass == RK_FORWARD ? share * op->useful_flop : 0,
                           .access_bytes =
                               share * operation_access_bytes(&p->place->plan, op, pairs->pass),
                           .seconds = on ? pairs->times.on : pairs->times.below,
                           .working_bytes = op->working_bytes};
    task.op = op->op;
    strncpy(task.name, op_name(op->op), sizeof task.name - 1);
    strncpy(task.layer, layer_kind_name(p->slot->kind), sizeof task.layer - 1);
    return new_task(p->b, &task);
}

/* Which chunk of keys and values is loaded during the pair (`row`, `at`), for the next pair? -1:
 * none, the next pair's are here. */
static int next_keys(const struct pairs *pairs, int row, int at)
{
    const int following = row + 1 > pairs->back ? row + 1 - pairs->back : 0;
    const int next = at < row ? at + 1 : following;
    return next < row && (at < row || row + 1 < pairs->chunks) ? next : -1;
}

/* The chunk of queries to load, in backward: the first one of the next column is loaded during the
 * last pair of a column. */
static int next_queries(const struct pairs *pairs, int row, int column)
{
    const bool more = row + 1 < pairs->chunks && row < column + pairs->back;
    const int next = more ? row + 1 : column + 1;
    return next < pairs->chunks && next != row ? next : -1;
}

/* How often something is loaded: backward the first queries, too. */
static double loads_of(const struct pairs *pairs, bool backward)
{
    double loads = backward;
    for (int i = 0; i < pairs->chunks; i++) {
        const int first = i > pairs->back ? i - pairs->back : 0;
        const int last = i + pairs->back < pairs->chunks ? i + pairs->back : pairs->chunks - 1;
        for (int k = backward ? i : first; k <= (backward ? last : i); k++)
            loads += (backward ? next_queries(pairs, k, i) : next_keys(pairs, i, k)) >= 0;
    }
    return loads;
}

static struct pairs pairs_of(const struct pass_of_layer *p, int at, enum rk_work work)
{
    const bool backward = work == RK_WORK_INPUT;
    struct pairs pairs = {
        .op = operation_of(p, at),
        .at = at,
        .pass = backward ? RK_AGRAD : RK_FORWARD,
        .times = chunk_times_of(p->b->system, &p->place->plan, operation_of(p, at), backward)};
    const struct chunk_times *t = &pairs.times;
    pairs.chunks = (int)t->chunks;
    pairs.back = (int)t->back;
    const double loads = loads_of(&pairs, backward);
    const double waits_s = backward ? chunks_backward_wait_s(t) : chunks_forward_wait_s(t);
    const double returns = backward ? t->chunks + chunk_pairs_below(pairs.op) : t->chunks;
    pairs.task[0] = pair_task(p, &pairs, work, false);
    pairs.task[1] = pair_task(p, &pairs, work, true);
    p->b->draft.work = (uint8_t)work;
    pairs.load = step_task(p->b, p->slot, "chunk in", pairs.op->loaded_bytes[pairs.pass],
                           loads > 0 ? waits_s / loads : 0, t->load, 0);
    pairs.returned = step_task(p->b, p->slot, "chunk out", pairs.op->returned_bytes[pairs.pass],
                               loads > 0 ? 0 : waits_s / returns, t->returned, 0);
    const double keys = pairs.op->loaded_bytes[RK_FORWARD];
    const struct rk_memory host = memory_part(&p->b->system->memory[1], p->b->plan->ranks);
    const double keys_s = keys / rk_memory_read_Bps(&host) + host.latency_s;
    pairs.load_keys =
        backward ? step_task(p->b, p->slot, "chunk in", keys, 0, keys_s, 0) : pairs.load;
    return pairs;
}

/* A tensor of `bytes` bytes, here or in memory tier 1. */
static int32_t moved(const struct pass_of_layer *p, const char *name, double bytes, bool away)
{
    const int32_t form = new_form(p->b, away ? RK_TENSOR_AWAY : RK_TENSOR_REST, name, RK_IN_BYTES,
                                  ceil(bytes), 1, bytes);
    return chunk_tensor(p, form);
}

/* A load during the pair that is added next; it starts no sooner than the previous load ends. */
static int32_t load(const struct pass_of_layer *p, const struct pairs *pairs, enum rk_pass pass,
                    const int32_t *away, int count)
{
    static const char *const names[] = {[RK_FORWARD] = "keys, values", [RK_AGRAD] = "queries"};
    struct build *b = p->b;
    const int32_t here = moved(p, names[pass], pairs->op->loaded_bytes[pass], false);
    b->after = b->last[RK_ON_GPU];
    put_begin(b, RK_DO_RUN, RK_ON_IN, pass == pairs->pass ? pairs->load : pairs->load_keys);
    for (int i = 0; i < count; i++)
        put_read(b, away[i]);
    put_write(b, here);
    put_end(b);
    return here;
}

static int32_t give_back(const struct pass_of_layer *p, const struct pairs *pairs, const char *name,
                         const struct tensors *gone)
{
    struct build *b = p->b;
    const int32_t away = moved(p, name, pairs->op->returned_bytes[pairs->pass], true);
    put_begin(b, RK_DO_RUN, RK_ON_OUT, pairs->returned);
    for (int i = 0; i < gone->reads; i++)
        put_read(b, gone->read[i]);
    put_write(b, away);
    put_end(b);
    return away;
}

/* What the chunks of the attention of a layer have in memory tier 1. */
static int32_t *away_of(const struct pass_of_layer *p, int chunks)
{
    struct live *live = p->live;
    if (live->chunk_away) return live->chunk_away;
    live->chunk_away = malloc(2 * (size_t)chunks * sizeof *live->chunk_away);
    p->b->failed |= !live->chunk_away;
    for (int i = 0; live->chunk_away && i < 2 * chunks; i++)
        live->chunk_away[i] = NO_TENSOR;
    return live->chunk_away;
}

/* ---- forward ---- */

/* What the previous pair loaded, and what the previous row computed itself. */
struct ahead {
    int32_t tensor;
    int chunk;
    struct tensors before;
};

static void attention_forward(const struct pass_of_layer *p, struct pairs *pairs, enum rk_work work,
                              struct ahead *ahead, int32_t *brought)
{
    const struct flow_operation *flow = &p->kind->flow.operation[pairs->at];
    const bool again = work == RK_WORK_AGAIN;
    const enum rk_tensor_kind kind = again ? RK_TENSOR_AGAIN : RK_TENSOR_ACTIVATION;
    const int row = p->chunk, first = row > pairs->back ? row - pairs->back : 0;
    struct tensors own = {.reads = 0};
    for (int k = 0; k < flow->reads; k++)
        add_read(&own, pass_source(p, flow->from[k], again));
    if (row == 0 || is_of_chunk(p, pairs->at, kind)) *brought = pass_tensor(p, pairs->at, kind);
    const int32_t sums = pass_mask(p, pairs->at, again);
    p->b->draft.work = (uint8_t)work;
    for (int at = first; at <= row; at++) {
        struct tensors t = own;
        const int next = next_keys(pairs, row, at);
        if (at < row && ahead->chunk == at) add_read(&t, ahead->tensor);
        for (int k = 0; k < ahead->before.reads && at < row && ahead->chunk != at; k++)
            add_read(&t, ahead->before.read[k]);
        if (at > first) add_read(&t, *brought); /* to which it adds */
        add_write(&t, *brought);
        add_write(&t, sums);
        if (next >= 0) {
            ahead->tensor = load(p, pairs, RK_FORWARD, &p->live->chunk_away[next], 1);
            ahead->chunk = next;
        }
        pass_put(p, pairs->task[at == row], &t);
    }
    ahead->before = own;
    add_read(&own, *brought);
    add_read(&own, sums);
    p->live->chunk_away[row] = give_back(p, pairs, "chunk", &own);
}

void chunks_forward(const struct pass_of_layer *whole, int begin, enum rk_work work,
                    int32_t *brought)
{
    struct pass_of_layer p = *whole;
    const int end = chunk_run_end(&p, begin), at = attention_of(&p, begin, end);
    const int chunks = (int)operation_of(&p, begin)->chunks;
    struct pairs pairs = {.at = -1};
    struct ahead ahead = {.tensor = NO_TENSOR, .chunk = -1};
    p.chunks = chunks;
    if (at >= 0) pairs = pairs_of(&p, at, work);
    if (at >= 0 && !away_of(&p, chunks)) return;
    for (p.chunk = 0; p.chunk < chunks && !p.b->failed; p.chunk++)
        for (int i = begin; i < end; i++) {
            if (i == at)
                attention_forward(&p, &pairs, work, &ahead, &brought[i]);
            else
                pass_forward(&p, i, work, &brought[i]);
        }
}

/* ---- backward ---- */

/* In place of what the operations brought of a chunk. */
static void stand_for(const struct pass_of_layer *p, int begin, int end, int32_t tensor)
{
    for (int i = begin; i < end; i++)
        if (is_of_chunk(p, i, RK_TENSOR_AGAIN)) p->live->again[i] = tensor;
}

/* The chunk's gradients are not there yet, and what comes of other ranks is gathered once more. */
static void begin_chunk(const struct pass_of_layer *p, int begin, int end, int32_t tensor)
{
    stand_for(p, begin, end, tensor);
    for (int i = begin; i < end; i++) {
        if (is_of_chunk(p, i, RK_TENSOR_GRADIENT)) p->live->gradient[i] = NO_TENSOR;
        p->live->ungathered[i / 64] |= UINT64_C(1) << i % 64;
    }
}

static void backward_of(const struct pass_of_layer *p, int begin, int end, int last, bool of_weight)
{
    const bool final = p->chunk + 1 == (int32_t)p->chunks;
    for (int i = end - 1; i >= begin; i--) {
        p->b->draft.work = RK_WORK_INPUT;
        pass_input(p, i, final && i == last && !of_weight);
        p->b->draft.work = RK_WORK_WEIGHT;
        pass_weight(p, i, final && i == last && of_weight);
    }
}

/* What the backward of a chunk needs of the run, once more. */
static int32_t run_again(const struct pass_of_layer *p, int begin, int end)
{
    struct rk_task task = {.work = RK_WORK_AGAIN};
    struct tensors t = {.reads = 0};
    double bytes = 0;
    for (int i = begin; i < end; i++) {
        const struct flow_operation *flow = &p->kind->flow.operation[i];
        const struct operation *op = operation_of(p, i);
        task.seconds += chunk_again_s(p, i);
        if (op->again > 0 && op->parameters > 0) add_read(&t, weights_of(p->slot, op->expert));
        if (is_of_chunk(p, i, RK_TENSOR_AGAIN) && !flow->in_place) bytes += flow->bytes / p->chunks;
        for (int k = 0; k < flow->reads && t.reads < FLOW_READS; k++)
            if (flow->from[k] < begin) add_read(&t, pass_source(p, flow->from[k], true));
    }
    strncpy(task.name, "chunk again", sizeof task.name - 1);
    strncpy(task.layer, layer_kind_name(p->slot->kind), sizeof task.layer - 1);
    const int32_t form =
        new_form(p->b, RK_TENSOR_AGAIN, "chunk", RK_IN_BYTES, ceil(bytes), 1, bytes);
    const int32_t brought = chunk_tensor(p, form);
    add_write(&t, brought);
    p->b->draft.work = RK_WORK_AGAIN;
    pass_put(p, new_task(p->b, &task), &t);
    return brought;
}

struct columns {
    struct pairs pairs;
    int begin, end, last;
    bool of_weight;
    int32_t *away, *sums; /* (chunks) queries and more, the sum of their gradients */
    struct ahead ahead;
};

static void load_queries(const struct pass_of_layer *p, struct columns *c, int row)
{
    const int32_t from[] = {c->away[row], c->sums[row]};
    c->ahead.tensor = load(p, &c->pairs, RK_AGRAD, from, 2);
    c->ahead.chunk = row;
}

/* Operations after attention run for a row when its queries are met first. */
static void run_behind(const struct pass_of_layer *p, const struct columns *c, int row)
{
    struct pass_of_layer own = *p;
    const int at = c->pairs.at;
    own.chunk = row;
    begin_chunk(&own, at, c->end, c->ahead.tensor);
    stand_for(&own, c->begin, at, c->ahead.tensor);
    backward_of(&own, at + 1, c->end, -1, false);
}

static void run_pair(const struct pass_of_layer *p, struct columns *c, int row, int column,
                     int32_t keys)
{
    const int at = c->pairs.at, first = row > c->pairs.back ? row - c->pairs.back : 0;
    const int next = next_queries(&c->pairs, row, column);
    struct tensors t = {.reads = 0}, gone = {.reads = 0};
    if (c->ahead.chunk != row) load_queries(p, c, row);
    if (column == first) run_behind(p, c, row);
    if (column == first) add_read(&gone, p->live->gradient[at]);
    p->b->draft.work = RK_WORK_INPUT;
    add_read(&t, c->ahead.tensor);
    add_read(&t, keys);
    for (int i = 0; i < gone.reads; i++)
        add_read(&t, gone.read[i]);
    pass_add_gradients(p, at, &t);
    const int32_t sum = moved(p, "query sums", c->pairs.op->returned_bytes[RK_AGRAD], false);
    add_write(&t, sum);
    if (next >= 0) load_queries(p, c, next);
    pass_put(p, c->pairs.task[row == column], &t);
    add_read(&gone, sum);
    c->sums[row] = give_back(p, &c->pairs, "query sums", &gone);
}

static void attention_backward(struct pass_of_layer *p, struct columns *c)
{
    const int chunks = c->pairs.chunks;
    for (int column = 0; column < chunks && !p->b->failed; column++) {
        p->chunk = column;
        p->b->draft.work = RK_WORK_INPUT;
        const int32_t keys = load(p, &c->pairs, RK_FORWARD, &c->away[column], 1);
        begin_chunk(p, c->begin, c->pairs.at, keys);
        for (int row = column; row < chunks && row <= column + c->pairs.back; row++)
            run_pair(p, c, row, column, keys);
        stand_for(p, c->begin, c->pairs.at, keys);
        backward_of(p, c->begin, c->pairs.at, c->last, c->of_weight);
    }
}

void chunks_backward(const struct pass_of_layer *whole, int end, int last, bool last_of_weight)
{
    struct pass_of_layer p = *whole;
    const int begin = chunk_run_begin(&p, end - 1), at = attention_of(&p, begin, end);
    p.chunks = operation_of(&p, begin)->chunks;
    if (at >= 0) {
        int32_t *away = away_of(&p, (int)p.chunks);
        struct columns c = {.pairs = pairs_of(&p, at, RK_WORK_INPUT),
                            .begin = begin,
                            .end = end,
                            .last = last,
                            .of_weight = last_of_weight,
                            .away = away,
                            .sums = away ? away + (int)p.chunks : NULL,
                            .ahead = {.tensor = NO_TENSOR, .chunk = -1}};
        if (away) attention_backward(&p, &c);
        return;
    }
    for (p.chunk = 0; p.chunk < (int32_t)p.chunks && !p.b->failed; p.chunk++) {
        begin_chunk(&p, begin, end, run_again(&p, begin, end));
        backward_of(&p, begin, end, last, last_of_weight);
    }
}
