/* gradients.c - gradients of weights: where they lie, and whose sums they become: of microbatches,
 * of tensor ranks, of both directions of a pipeline, of both ends of a tied table, of data ranks.
 *
 * They are reals. With fp16 they are of 16 bits, as Megatron-LM has them: a pass works on reals and
 * is added, rounded once; sums over ranks are rounded with each addend, in the order of ranks.
 */
#include "run/pages.h"
#include "run/real/engine.h"

#include <string.h>

/* ---- numbers ---- */

static bool are_low(const struct engine *e)
{
    return e->narrow == NARROW_FP16;
}

static size_t element_bytes(const struct engine *e)
{
    return are_low(e) ? sizeof(uint16_t) : sizeof(real);
}

static void *at(const struct engine *e, void *data, size_t n)
{
    return (char *)data + n * element_bytes(e);
}

static void *borrow(struct engine *e, size_t n)
{
    return are_low(e) ? (void *)take_16(e, n) : take(e, n);
}

static void add_reals(void *y, const void *x, size_t bytes)
{
    add_to(bytes / sizeof(real), x, y);
}

static void add_low(void *y, const void *x, size_t bytes)
{
    add_fp16(bytes / sizeof(uint16_t), x, y);
}

static comm_add *adder(const struct engine *e)
{
    return are_low(e) ? add_low : add_reals;
}

static void add(const struct engine *e, size_t n, const void *x, void *y)
{
    adder(e)(y, x, n * element_bytes(e));
}

void *gradients_open(const struct engine *e, size_t n)
{
    const size_t bytes = n * element_bytes(e);
    void *data = n ? pages_take(bytes) : NULL;
    if (data) clear_bytes(data, bytes);
    return data;
}

static size_t count_of(const struct engine *e, const struct store *s)
{
    return shards_gradients(e) ? s->share : s->group->size;
}

/* Does a pass over a layer work on reals of its own? With ZeRO-2 a microbatch's gradients are
 * whole, and of 16 bits is only their sum. */
static bool works_apart(const struct engine *e)
{
    return shards_gradients(e) || are_low(e);
}

/* ---- what a step's first product writes, and what it need not clear ---- */

/* Are the table's gradients 0 but for the rows of this rank's tokens? */
static bool is_sparse(const struct engine *e, const struct store *s)
{
    return s->head && !s->tied && !e->dual && !works_apart(e) && !e->job->model.predict_layers;
}

static void swap_ends(struct store *s)
{
    void *head = s->head;
    s->head = s->gradient;
    s->gradient = head;
}

static bool *stale_of(const struct store *s, bool head)
{
    return s->stale + (head ? s->group->count : 0);
}

static void begin_sums(struct engine *e, struct store *s, bool head, real *data)
{
    bool *stale = stale_of(s, head);
    size_t at = 0; /* up to here all is 0, or stale */
    for (int i = 0; i < s->group->count; i++) {
        const struct weight *w = &e->weights.weight[s->group->first + i];
        stale[i] = is_multiplied(w->role) && (head || w->role != WEIGHT_TABLE);
        if (!stale[i]) continue;
        clear_bytes(data + at, (w->at - at) * sizeof *data);
        at = w->at + w->box_rows * w->box_cols;
    }
    clear_bytes(data + at, (s->group->size - at) * sizeof *data);
}

/* What no product has reached, such as experts without tokens, is 0. */
static void end_sums(struct engine *e, struct store *s, bool head, real *data)
{
    bool *stale = stale_of(s, head);
    for (int i = 0; i < s->group->count; i++) {
        const struct weight *w = &e->weights.weight[s->group->first + i];
        if (stale[i]) clear_bytes(data + w->at, w->box_rows * w->box_cols * sizeof *data);
        stale[i] = false;
    }
}

real *REAL(gradient_of_product)(struct engine *e, struct gradient_at to, size_t n, bool *add)
{
    struct store *s = to.store;
    real *data = REAL(gradients_of)(e, s, to.head);
    bool *stale = stale_of(s, to.head);
    *add = true;
    for (int i = 0; i < s->group->count; i++) {
        const struct weight *w = &e->weights.weight[s->group->first + i];
        if (w->at < to.at || w->at >= to.at + n) continue;
        if (stale[i]) *add = false; /* as all are that are multiplied together */
        stale[i] = false;
    }
    return data + to.at;
}

void gradients_clear(struct engine *e, struct store *s)
{
    const size_t bytes = count_of(e, s) * element_bytes(e);
    if (works_apart(e)) {
        clear_bytes(s->gradient, bytes);
        if (s->head) clear_bytes(s->head, bytes);
        return;
    }
    if (is_sparse(e, s))
        swap_ends(s); /* back, as they were before sum_sparse() */
    else
        begin_sums(e, s, false, s->gradient);
    if (s->head) begin_sums(e, s, true, s->head);
}

const real *read_gradients(struct engine *e, struct store *s, size_t begin, size_t n)
{
    if (!are_low(e)) return at(e, s->gradient, begin);
    real *wide = take(e, n);
    unpack_16(e, n, at(e, s->gradient, begin), wide);
    return wide;
}

void gradients_read(struct engine *e, const real *gradients)
{
    if (are_low(e)) give(e, (real *)gradients);
}

size_t gradients_piece(const struct engine *e, size_t n)
{
    enum { PIECE = 1 << 16 };
    return are_low(e) && n > PIECE ? PIECE : n;
}

/* ---- over ranks ---- */

static void sum_all(struct engine *e, const struct comm_group *g, const char *what, void *x,
                    size_t n)
{
    const size_t bytes = element_bytes(e);
    if (g->ranks == 1) return;
    void *scratch = borrow(e, n / (size_t)g->ranks + 1);
    const struct stretch begin = talk_begin(e);
    if (!comm_all_reduce(e->comm, g, what, x, n * bytes, bytes, scratch, adder(e))) give_up(e);
    stretch_end(e, begin);
    give(e, scratch);
}

static void sum_part(struct engine *e, const struct comm_group *g, const void *all, void *part,
                     size_t n)
{
    const struct stretch begin = talk_begin(e);
    if (!comm_reduce_scatter(e->comm, g, "gradients", all, part, n * element_bytes(e), adder(e)))
        give_up(e);
    stretch_end(e, begin);
}

static void end_begun(struct engine *e, struct comm_begun *begun, void *part)
{
    const struct stretch begin = talk_begin(e);
    if (!comm_end_reduce_scatter(e->comm, begun, part, adder(e))) give_up(e);
    stretch_end(e, begin);
}

static void begin_sum(struct engine *e, struct store *s, const void *from)
{
    begin_over_shards(e, s, &s->sum, "gradients", from, s->share * element_bytes(e), true);
}

/* ---- of microbatches ---- */

real *REAL(gradients_of)(struct engine *e, struct store *s, bool head)
{
    real **pass = head ? &s->head_pass : &s->pass;
    if (!works_apart(e)) return head ? s->head : s->gradient;
    if (*pass) return *pass;
    *pass = take(e, s->group->size);
    begin_sums(e, s, head, *pass);
    return *pass;
}

/* What a pass has brought goes to its owners. */
static void scatter_pass(struct engine *e, struct store *s, void *pass, void *sum)
{
    if (e->plan->gradient_overlap) {
        gradients_land(e);
        begin_sum(e, s, pass);
        e->summing = s;
        s->summed = pass;
        s->into = sum;
        return;
    }
    void *part = borrow(e, s->share);
    sum_part(e, s->shards, pass, part, s->share);
    add(e, s->share, part, sum);
    give(e, part);
    give(e, pass);
}

static void end_pass(struct engine *e, struct store *s, bool head, void *sum)
{
    const size_t n = s->group->size;
    real **pass = head ? &s->head_pass : &s->pass;
    real *wide = *pass;
    *pass = NULL;
    if (!wide) return;
    end_sums(e, s, head, wide);
    if (!shards_gradients(e)) {
        add_to_fp16(n, wide, sum);
        give(e, wide);
    } else if (!are_low(e)) {
        scatter_pass(e, s, wide, sum);
    } else {
        uint16_t *low = take_16(e, n);
        pack_16(e, n, wide, low);
        give(e, wide);
        scatter_pass(e, s, low, sum);
    }
}

/* The layer's work on a microbatch is over. */
void gradients_pass(struct engine *e, struct store *s)
{
    if (!works_apart(e)) return;
    end_pass(e, s, false, s->gradient);
    end_pass(e, s, true, s->head);
}

void gradients_land(struct engine *e)
{
    struct store *s = e->summing;
    if (!s) return;
    void *part = borrow(e, s->share);
    end_begun(e, &s->sum, part);
    add(e, s->share, part, s->into);
    give(e, part);
    give(e, s->summed);
    s->summed = s->into = NULL;
    e->summing = NULL;
}

/* ---- of a step ---- */

/* Gradients that tensor ranks have parts of: sums over the part [begin, begin + count) that is
 * here. */
static void sum_replicated(struct engine *e, struct store *s, void *gradient, size_t begin,
                           size_t count)
{
    for (int i = 0; i < s->group->count; i++) {
        const struct weight *w = &e->weights.weight[s->group->first + i];
        const size_t from = w->at > begin ? w->at : begin;
        const size_t end = w->at + w->box_rows * w->box_cols;
        const size_t to = end < begin + count ? end : begin + count;
        if (w->sum == SUM_NONE || from >= to) continue;
        sum_all(e, w->sum == SUM_KEYS ? &e->keys : &e->tensor, w->name,
                at(e, gradient, from - begin), to - from);
    }
}

static void gather_shards(struct engine *e, struct store *s, void *gradient)
{
    const struct stretch begin = talk_begin(e);
    if (!comm_all_gather(e->comm, s->shards, "gradients", at(e, gradient, s->begin), gradient,
                         s->share * element_bytes(e)))
        give_up(e);
    stretch_end(e, begin);
}

static void reduce_gradient(struct engine *e, struct store *s, void *gradient)
{
    const size_t size = s->group->size;
    const int zero = e->plan->zero;
    if (zero >= 2) {
        sum_replicated(e, s, gradient, s->begin, s->share);
        sum_all(e, s->copies, "gradients", gradient, s->share);
        return;
    }
    const bool begun = s->sum.open, whole = zero == 0 || e->plan->whole_gradients;
    if (!begun) sum_replicated(e, s, gradient, 0, size);
    if (begun || !whole) {
        void *part = borrow(e, s->share);
        if (begun)
            end_begun(e, &s->sum, part);
        else
            sum_part(e, s->shards, gradient, part, s->share);
        copy_bytes(at(e, gradient, s->begin), part, s->share * element_bytes(e));
        give(e, part);
        if (whole) gather_shards(e, s, gradient);
    } else {
        sum_all(e, s->shards, "gradients", gradient, size);
    }
    sum_all(e, s->copies, "gradients", at(e, gradient, zero ? s->begin : 0),
            zero ? s->share : size);
}

/* Work that grad-overlap begins after a layer's last microbatch. Both ends of a tied table, and
 * both directions of DualPipe, are summed before data ranks shard them. */
void gradients_ready(struct engine *e, struct store *s)
{
    if (!s || --s->passes_left || !e->plan->gradient_overlap || shards_gradients(e)) return;
    if (s->head || s->tied || e->dual || s->shards->ranks == 1) return;
    end_sums(e, s, false, s->gradient);
    sum_replicated(e, s, s->gradient, 0, s->group->size);
    begin_sum(e, s, s->gradient);
}

/* Of two directions through the pipeline each copy of the weights has seen one. */
static void sum_directions(struct engine *e, void *gradient, size_t n)
{
    const int peer = e->stages.rank[e->stages.ranks - 1 - e->stages.me];
    const size_t bytes = n * element_bytes(e);
    void *other = borrow(e, n);
    if (!comm_send(e->comm, peer, COMM_COLLECTIVE, "both directions", gradient, bytes) ||
        !comm_receive(e->comm, peer, COMM_COLLECTIVE, "both directions", other, bytes))
        give_up(e);
    add(e, n, other, gradient);
    give(e, other);
}

/* Rows of this rank's tokens are added to the head's, once each, and are 0 for the next step. */
static void sum_sparse(struct engine *e, struct store *s)
{
    const struct weight *w = &e->weights.weight[s->group->first];
    real *rows = s->gradient, *sum = s->head;
    for (size_t i = 0; !COUNTS && i < e->job->microbatches * e->rows; i++) {
        const size_t row = e->token[i] - w->row0;
        if (row >= w->box_rows) continue;
        add_to(e->hidden, rows + row * e->hidden, sum + row * e->hidden);
        clear_bytes(rows + row * e->hidden, e->hidden * sizeof *rows);
    }
    swap_ends(s);
}

/* A table of both ends: what the head and prediction layers have found is added to what the
 * embedding has, on both stages that have it. */
static void sum_tied(struct engine *e, struct store *s)
{
    const size_t n = count_of(e, s), bytes = n * element_bytes(e);
    const struct stretch begin = stretch_begin(e, s->tied ? PART_MESSAGES : PART_OPTIMIZER);
    if (!s->tied) {
        if (is_sparse(e, s))
            sum_sparse(e, s);
        else
            add(e, n, s->head, s->gradient);
        stretch_end(e, begin);
        return;
    }
    /* the first and the last stage have one each */
    const bool first = e->stages.me == 0;
    int ends[2] = {e->stages.rank[0], e->stages.rank[e->stages.ranks - 1]};
    const struct comm_group both = {2, first ? 0 : 1, ends};
    void *own = first || !s->head ? s->gradient : s->head, *other = borrow(e, n);
    if (own == s->head && e->job->model.predict_layers) add(e, n, s->gradient, own);
    if (!comm_pass_on(e->comm, &both, "tied embedding", own, other, bytes)) give_up(e);
    add(e, n, other, own);
    if (own != s->gradient) copy_bytes(s->gradient, own, bytes);
    give(e, other);
    stretch_end(e, begin);
}

/* A tied table is summed before data ranks cut it, as the program has it; with ZeRO-2 and 3 each
 * microbatch's gradients have been cut already. */
static void reduce_store(struct engine *e, struct store *s)
{
    const bool ends = s->head || s->tied, first = ends && !shards_gradients(e);
    if (first) sum_tied(e, s);
    /* of a tied table on two stages each has one part, but for prediction layers' lookups */
    const bool looks_up = !s->tied || e->stages.me == 0 || e->job->model.predict_layers;
    if (first || looks_up) reduce_gradient(e, s, s->gradient);
    if (s->head && !first) reduce_gradient(e, s, s->head);
    if (ends && !first) sum_tied(e, s);
}

void gradients_sum(struct engine *e)
{
    gradients_land(e);
    for (int g = 0; g < e->weights.groups; g++) {
        struct store *s = &e->store[g];
        enter(e, s->place);
        if (!works_apart(e)) end_sums(e, s, false, s->gradient);
        if (!works_apart(e) && s->head) end_sums(e, s, true, s->head);
        if (e->dual) sum_directions(e, s->gradient, count_of(e, s));
        if (e->dual && s->head) sum_directions(e, s->head, count_of(e, s));
        reduce_store(e, s);
    }
}
