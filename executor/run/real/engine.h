/* engine.h - one rank: its weights, what it holds of each microbatch, and its program.
 *
 * A frame holds what one layer keeps of one microbatch, in slots. An operation of the predictor's
 * list (workload/layers.h) has a kernel here by its name, for each kind of work: it reads slots,
 * makes others, frees what nobody reads again. The program says in which order.
 *
 * A function that cannot continue (no memory, a peer that has failed) leaves the step by `give_up`;
 * the pool knows all blocks, so nothing is lost.
 */
#ifndef RECKON_RUN_REAL_ENGINE_H
#define RECKON_RUN_REAL_ENGINE_H

#include "run/real/state.h"

#include <time.h>

#define give_up(e) longjmp((e)->escape, 1)

/* ---- pool ---- */

real *REAL(pool_take)(struct engine *e, size_t count);
real *REAL(pool_zeros)(struct engine *e, size_t count);
void REAL(pool_free)(struct engine *e, real *data);
void REAL(pool_release)(struct pool *pool);
/* Around a step; before the second one addresses are found. False: no memory, which is said. */
bool REAL(pool_begin)(struct engine *e);
void REAL(pool_end)(struct engine *e);
void REAL(pool_forget)(struct pool *pool); /* the next step is watched again */
size_t REAL(pool_bytes)(size_t count);     /* that so many reals take */
size_t REAL(pool_bytes_of)(const struct pool *pool, const real *data);
#define pool_begin    REAL(pool_begin)
#define pool_end      REAL(pool_end)
#define pool_forget   REAL(pool_forget)
#define pool_bytes    REAL(pool_bytes)
#define pool_bytes_of REAL(pool_bytes_of)
#define take          REAL(pool_take)
#define take_zeros    REAL(pool_zeros)
#define give          REAL(pool_free)

/* Bytes until the instruction ends, which the pool does not count: places and lengths of messages.
 */
void *REAL(scratch_of)(struct engine *e, size_t bytes);
#define SCRATCH(e, type, count) ((type *)REAL(scratch_of)(e, (size_t)(count) * sizeof(type)))

/* Slots of a frame. */
static inline real *make(struct engine *e, struct frame *f, enum slot slot, size_t count)
{
    if (!f->slot[slot]) {
        f->slot[slot] = take(e, count);
        f->count[slot] = count;
        f->rounded[slot] = f->packed[slot] = false;
    }
    return f->slot[slot];
}

static inline void drop(struct engine *e, struct frame *f, enum slot slot)
{
    if (f->slot[slot]) give(e, f->slot[slot]);
    f->slot[slot] = NULL;
    f->rounded[slot] = f->packed[slot] = false;
}

static inline void move(struct engine *e, struct frame *f, enum slot from, enum slot to)
{
    drop(e, f, to);
    f->slot[to] = f->slot[from];
    f->count[to] = f->count[from];
    f->slot[from] = NULL;
}

/* The first of two readers of a slot only leaves its mark; the second frees it. */
static inline void read_once(struct engine *e, struct frame *f, enum slot slot)
{
    if (f->done[slot]) drop(e, f, slot);
    f->done[slot] = !f->done[slot];
}

/* ---- weights of a group ---- */

/* Weights of 16 bits, while all of them are here. */
static inline uint16_t *low_of(const struct store *s)
{
    return (uint16_t *)s->lows.all;
}

/* All of them, while a pass has asked for weights. */
static inline uint16_t *low_here(const struct store *s)
{
    return s->low ? s->low : low_of(s);
}

void REAL(use_weights)(struct engine *e, struct store *s);
#define use_weights REAL(use_weights)

static inline bool has(const struct store *s, enum weight_role role)
{
    return s && s->group->at[role] >= 0;
}

static inline const real *weight(struct engine *e, struct store *s, enum weight_role role)
{
    if (!has(s, role)) return NULL;
    if (!s->whole || s->weights.moving || s->gather.open) use_weights(e, s);
    return s->whole + s->group->at[role];
}

/* Gradients of one pass or of all, to which kernels add; those of matrices are products' alone. */
real *REAL(gradients_of)(struct engine *e, struct store *s, bool head);
static inline real *gradient(struct engine *e, struct store *s, enum weight_role role)
{
    return has(s, role) ? REAL(gradients_of)(e, s, false) + s->group->at[role] : NULL;
}

/* Where a product leaves gradients: from an element of the group on. */
struct gradient_at {
    struct store *store;
    size_t at;
    bool head; /* in the head's, of a tied table */
};

static inline struct gradient_at gradient_at(struct store *s, enum weight_role role)
{
    return (struct gradient_at){s, (size_t)s->group->at[role], false};
}

/* The `n` elements there; `add`: to what is there, which the step's first product only writes. */
real *REAL(gradient_of_product)(struct engine *e, struct gradient_at to, size_t n, bool *add);

/* ---- products (products.c) ---- */

/* Weights as products read them: as they are kept in bf16, or NULL, and reals. */
struct matrix {
    const uint16_t *low;
    const real *plain;
    const struct store *store; /* of what lies in files: whose, and where in the group; NULL */
    size_t at;
};

struct matrix REAL(matrix_of)(struct engine *e, struct store *s, enum weight_role role);
/* Do products alone read it? A table's rows are looked up, too. */
bool REAL(is_multiplied)(enum weight_role role);
/* Is it read as it is kept, and of `whole` not there? */
bool REAL(stays_low)(const struct engine *e, const struct weight *w);
/* As matrix_forward and the others (kernels.h). */
void REAL(product_forward)(struct engine *e, size_t m, size_t n, size_t k, const real *x,
                           struct matrix w, const real *bias, real *y);
void REAL(product_input)(struct engine *e, size_t m, size_t n, size_t k, const real *dy,
                         struct matrix w, real *dx);
void REAL(product_weight)(struct engine *e, size_t m, size_t n, size_t k, const real *dy,
                          const real *x, struct gradient_at to);
#define is_multiplied   REAL(is_multiplied)
#define matrix_of       REAL(matrix_of)
#define stays_low       REAL(stays_low)
#define product_forward REAL(product_forward)
#define product_input   REAL(product_input)
#define product_weight  REAL(product_weight)

/* ---- groups of ranks ---- */

/* The plan is seen as the layer, or the store, at hand sees it. */
static inline void enter(struct engine *e, int place)
{
    if (e->at == place) return;
    e->here = e->place[place];
    e->at = place;
}

static inline bool shards_gradients(const struct engine *e)
{
    return e->plan->zero >= 2;
}

/* Of dualpipe's two copies of the weights one counts. */
static inline bool is_second_copy(const struct engine *e)
{
    return e->dual && e->stages.me >= e->stages.ranks / 2;
}

/* ---- storage of weights (store.c) ---- */

bool REAL(store_open)(struct engine *e, struct store *s, const struct weight_group *g);
void REAL(store_close)(struct engine *e, struct store *s);
/* The layer's work on a microbatch is over; `asked`: DO_FETCH has, where there is one. */
void REAL(store_finish)(struct engine *e, struct store *s, enum work work, bool asked);
void REAL(store_clear)(struct engine *e, struct store *s); /* gradients */
/* AdamW on resident weights, in three steps, so that offloaded ones are transferred meanwhile. */
void REAL(store_come)(struct engine *e, struct store *s);
void REAL(store_update)(struct engine *e, struct store *s, const struct run_adam *settings);
void REAL(store_leave)(struct engine *e, struct store *s);
/* Gradients (gradients.c): storage of `n` zeros, NULL without memory; zeros again; reals of the
 * sums from `begin` on, which go back by gradients_read. Of 16 bits these take memory: those that
 * need not see all of them at once take so many at a time as gradients_piece says. */
void *REAL(gradients_open)(const struct engine *e, size_t n);
void REAL(gradients_clear)(struct engine *e, struct store *s);
const real *REAL(read_gradients)(struct engine *e, struct store *s, size_t begin, size_t n);
void REAL(gradients_read)(struct engine *e, const real *gradients);
size_t REAL(gradients_piece)(const struct engine *e, size_t n); /* of n that are left */
/* A pass over a layer has ended; all of a step are summed over ranks. */
void REAL(gradients_pass)(struct engine *e, struct store *s);
void REAL(gradients_sum)(struct engine *e);
#define gradients_open  REAL(gradients_open)
#define gradients_clear REAL(gradients_clear)
#define read_gradients  REAL(read_gradients)
#define gradients_read  REAL(gradients_read)
#define gradients_piece REAL(gradients_piece)
#define gradients_pass  REAL(gradients_pass)
#define gradients_sum   REAL(gradients_sum)
/* Collectives that overlap with computation: the gradients of a layer and microbatch are complete;
 * collectives under way have ended; weights of the next pass are requested; they are here. */
void REAL(gradients_ready)(struct engine *e, struct store *s);
void REAL(gradients_land)(struct engine *e);
void REAL(weights_begin)(struct engine *e, struct store *s);
void REAL(weights_settle)(struct engine *e, struct store *s);
#define gradients_ready REAL(gradients_ready)
#define gradients_land  REAL(gradients_land)
#define weights_begin   REAL(weights_begin)
#define weights_settle  REAL(weights_settle)
#define store_open      REAL(store_open)
#define store_close     REAL(store_close)
#define store_finish    REAL(store_finish)
#define store_clear     REAL(store_clear)
#define store_update    REAL(store_update)
#define store_come      REAL(store_come)
#define store_leave     REAL(store_leave)
real *REAL(room)(size_t n); /* of zeros; NULL: no memory, or none asked for */
#define room REAL(room)

/* ---- Muon (muon.c) ---- */

bool REAL(is_muon)(const struct engine *e, const struct weight_group *g); /* moves its matrices */
/* Storage of `small` for the `n` elements of the group from `begin` on; where that of element `at`
 * is; between it and an array of all `n`. */
bool REAL(smalls_open)(struct engine *e, struct store *s, size_t begin, size_t n);
real *REAL(small_at)(struct engine *e, struct store *s, size_t begin, size_t at);
void REAL(smalls_copy)(struct engine *e, struct store *s, size_t begin, size_t n, real *all,
                       bool back);
/* All matrices of these elements: gradients, moments and weights are of them. */
void REAL(muon_update)(struct engine *e, struct store *s, const struct run_adam *settings,
                       size_t begin, size_t n, const real *g, real *first, real *weights);

/* ---- a step (pass.c, update.c) ---- */

void REAL(load_batch)(struct engine *e, uint64_t step);
void REAL(run_instruction)(struct engine *e, const struct instruction *i, uint64_t step,
                           struct step_result *result);
void REAL(release_frames)(struct engine *e);
void REAL(finish_step)(struct engine *e, uint64_t step, struct step_result *result);
#define load_batch REAL(load_batch)
/* Of a layer's input this tensor rank keeps its part alone, where the plan says so. */
void REAL(share_checkpoint)(struct engine *e, int layer, struct frame *f);
#define share_checkpoint REAL(share_checkpoint)
#define run_instruction  REAL(run_instruction)
#define release_frames   REAL(release_frames)
#define finish_step      REAL(finish_step)

/* Is it done without gradients, too? */
static inline bool is_forward(const struct instruction *i)
{
    const bool message = i->what == DO_SEND || i->what == DO_RECEIVE;
    return message
               ? !i->back
               : i->work == WORK_FORWARD && (i->what == DO_OPERATION || i->what == DO_LAYER_END);
}

/* Dumps of steps that are asked for (dumped.c): false, an error. `loss` is this rank's part. */
bool REAL(dump_begin)(struct engine *e, uint64_t step);
void REAL(dump_operation)(struct engine *e, const struct instruction *i);
void REAL(dump_gradients)(struct engine *e);
void REAL(dump_state)(struct engine *e);
bool REAL(dump_end)(struct engine *e, double loss);
#define dump_begin     REAL(dump_begin)
#define dump_operation REAL(dump_operation)
#define dump_gradients REAL(dump_gradients)
#define dump_state     REAL(dump_state)
#define dump_end       REAL(dump_end)

/* What an engine_kind is made of (job.h). */
bool REAL(engine_step)(struct engine *e, uint64_t step, struct step_result *result);
bool REAL(engine_gather)(struct engine *e, int group, int which, void *to);
bool REAL(engine_scatter)(struct engine *e, int group, int which, const void *from);
bool REAL(engine_writes)(const struct engine *e, int group);
bool REAL(engine_rows)(struct engine *e, const struct run_rows *rows, double *logits);
void *REAL(engine_flat)(struct engine *e, int group);
bool REAL(engine_map)(struct engine *e, const struct weight *w, const struct mapped *mapped);
/* Rows `first` ... of a table that is looked up (products.c). */
void REAL(look_up)(struct engine *e, struct matrix table, size_t row, real *to);
#define look_up REAL(look_up)
/* Room for the keys and values of job.texts (score.c). */
bool REAL(caches_open)(struct engine *e);
#define caches_open REAL(caches_open)
bool REAL(engine_score)(struct engine *e, uint64_t batch, double *pair);
bool REAL(engine_predict)(struct engine *e, uint64_t batch, uint64_t first, uint64_t end);

/* The loss is a mean over so many rows of a step. */
static inline double rows_of_loss(const struct job *job)
{
    const struct rk_functions *f = job->functions;
    return (double)job->plan.batch * (double)(f && f->rows ? f->rows : job->sequence);
}

static inline double clock_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Books what has passed since both clocks were read, less what has been booked apart of it. */
static inline void book(struct engine *e, enum ledger_part part, double cpu_s, double wall_s)
{
    struct ledger_row *row = &e->ledger.part[part];
    row->times++;
    row->cpu_s += clock_s(CLOCK_THREAD_CPUTIME_ID) - cpu_s - e->apart_cpu_s;
    row->wall_s += clock_s(CLOCK_MONOTONIC) - wall_s - e->apart_wall_s;
    e->apart_cpu_s = e->apart_wall_s = 0;
    row->sent_bytes += e->comm->sent_bytes - e->booked_bytes;
    e->booked_bytes = e->comm->sent_bytes;
    comm_clock_work(e->comm);
    row->clock_s += e->comm->clock.now_s - e->booked_s;
    e->booked_s = e->comm->clock.now_s;
}

/* What was waited for ranks that came later to a collective is no part of its messages. */
static inline void book_late(struct engine *e, enum ledger_part part)
{
    const double late_s = comm_clock_late_s(e->comm);
    e->ledger.part[part].clock_s -= late_s;
    e->ledger.part[PART_WAITS].clock_s += late_s;
}

/* A stretch within an operation that is of another part than the operation. */
struct stretch {
    enum ledger_part around;
    double apart_cpu_s, apart_wall_s; /* of what is around it, so far */
    double cpu_s, wall_s;
};

static inline struct stretch stretch_begin(struct engine *e, enum ledger_part part)
{
    const enum ledger_part around = e->part;
    comm_clock_work(e->comm);
    e->ledger.part[around].clock_s += e->comm->clock.now_s - e->booked_s;
    e->booked_s = e->comm->clock.now_s;
    e->part = part;
    comm_clock_meet(e->comm);
    const struct stretch begin = {around, e->apart_cpu_s, e->apart_wall_s,
                                  clock_s(CLOCK_THREAD_CPUTIME_ID), clock_s(CLOCK_MONOTONIC)};
    e->apart_cpu_s = e->apart_wall_s = 0;
    return begin;
}

static inline void stretch_end(struct engine *e, struct stretch begin)
{
    const double spent_s = clock_s(CLOCK_THREAD_CPUTIME_ID) - begin.cpu_s;
    const double passed_s = clock_s(CLOCK_MONOTONIC) - begin.wall_s;
    book(e, e->part, begin.cpu_s, begin.wall_s);
    if (e->part == PART_COMM || e->part == PART_DATA) book_late(e, e->part);
    e->part = begin.around;
    e->apart_cpu_s = begin.apart_cpu_s + spent_s;
    e->apart_wall_s = begin.apart_wall_s + passed_s;
}

/* Collectives within layers, but for those of data parallelism. */
static inline struct stretch talk_begin(struct engine *e)
{
    const bool data = e->part == PART_DATA || e->part == PART_OPTIMIZER;
    return stretch_begin(e, data ? PART_DATA : PART_COMM);
}

/* ---- collectives of reals; they give up on failure ---- */

void REAL(add_doubles)(void *y, const void *x, size_t bytes);
#define add_doubles REAL(add_doubles)
void REAL(reduce_all)(struct engine *e, const struct comm_group *g, const char *what, real *x,
                      size_t n);
void REAL(reduce_part)(struct engine *e, const struct comm_group *g, const char *what,
                       const real *all, real *part, size_t n);
void REAL(gather_all)(struct engine *e, const struct comm_group *g, const char *what,
                      const real *part, real *all, size_t n);
#define reduce_all  REAL(reduce_all)
#define reduce_part REAL(reduce_part)
#define gather_all  REAL(gather_all)

/* Where the parts of an all-to-all lie, and how long they are: in the instruction's scratch. */
struct parts {
    size_t *at, *bytes, total; /* (ranks) */
};
struct parts REAL(even_parts)(struct engine *e, size_t ranks, size_t bytes);
struct parts REAL(same_part)(struct engine *e, size_t ranks, size_t bytes); /* one, to all */
struct parts REAL(parts_of_rows)(struct engine *e, size_t ranks, const size_t *rows, size_t bytes);
/* Gives up on failure. */
void REAL(exchange_parts)(struct engine *e, const struct comm_group *g, const char *what,
                          const void *from, struct parts out, void *to, struct parts in);
#define even_parts     REAL(even_parts)
#define same_part      REAL(same_part)
#define parts_of_rows  REAL(parts_of_rows)
#define exchange_parts REAL(exchange_parts)

/* One in halves (comm.h) of `bytes` a part, among the ranks that share a store. */
void REAL(begin_over_shards)(struct engine *e, struct store *s, struct comm_begun *begun,
                             const char *what, const void *from, size_t bytes, bool parts);
void REAL(end_sum)(struct engine *e, struct comm_begun *begun, real *part);
void REAL(end_gather)(struct engine *e, struct comm_begun *begun, void *all);
#define begin_over_shards REAL(begin_over_shards)
#define end_sum           REAL(end_sum)
#define end_gather        REAL(end_gather)

/* ---- 16 bits (narrow.c) ---- */

void REAL(pack_16)(const struct engine *e, size_t n, const real *x, uint16_t *y);
void REAL(unpack_16)(const struct engine *e, size_t n, const uint16_t *x, real *y);
/* y += x, each sum rounded to fp16 */
void REAL(add_fp16)(size_t n, const uint16_t *x, uint16_t *y);
void REAL(add_to_fp16)(size_t n, const real *x, uint16_t *y);
uint16_t *REAL(take_16)(struct engine *e, size_t count);
/* After an operation, its results are rounded. Packs one slot, or all that is kept, and unpacks
 * it. */
void REAL(narrow_slots)(struct engine *e, struct frame *f, enum ledger_part part);
void REAL(pack_slot)(struct engine *e, struct frame *f, int slot);
void REAL(pack_frame)(struct engine *e, struct frame *f);
void REAL(unpack_frame)(struct engine *e, struct frame *f);
void REAL(gather_16)(struct engine *e, const struct comm_group *g, const char *what,
                     const real *part, real *all, size_t n);
void REAL(reduce_16)(struct engine *e, const struct comm_group *g, const char *what,
                     const real *all, real *part, size_t n);
void REAL(reduce_all_16)(struct engine *e, const struct comm_group *g, const char *what, real *x,
                         size_t n);
#define pack_16       REAL(pack_16)
#define unpack_16     REAL(unpack_16)
#define add_fp16      REAL(add_fp16)
#define add_to_fp16   REAL(add_to_fp16)
#define take_16       REAL(take_16)
#define narrow_slots  REAL(narrow_slots)
#define pack_slot     REAL(pack_slot)
#define pack_frame    REAL(pack_frame)
#define unpack_frame  REAL(unpack_frame)
#define gather_16     REAL(gather_16)
#define reduce_16     REAL(reduce_16)
#define reduce_all_16 REAL(reduce_all_16)

/* ---- computing again by token (rest.c) ---- */

/* A unit's slots leave: alike on all ranks. */
void REAL(rest_leave)(struct engine *e, struct frame *f, enum half half);
/* Of a slot whose first rows leave alone: they go to its front, so many bytes; SIZE_MAX: it leaves
 * whole. Back to their places. */
size_t REAL(rest_pack)(struct engine *e, struct frame *f, int slot);
void REAL(rest_unpack)(struct engine *e, struct frame *f, int slot);
void REAL(rest_again)(struct engine *e, const struct instruction *i);
void REAL(rest_join)(struct engine *e); /* puts recomputed rows in their places */
/* The experts (tokens, k) of the rows at hand, when these are recomputed by token; or NULL. */
const uint32_t *REAL(rest_routes)(const struct engine *e);
#define rest_leave  REAL(rest_leave)
#define rest_routes REAL(rest_routes)
#define rest_pack   REAL(rest_pack)
#define rest_unpack REAL(rest_unpack)
#define rest_again  REAL(rest_again)
#define rest_join   REAL(rest_join)

/* ---- products in tiles that overlap with their messages (tiles.c) ---- */

/* Forward: to (rows, n) = from (rows, k) w^T + bias; back: to (rows, k) = from (rows, n) w. */
struct product {
    size_t n, k;
    const real *from, *bias;
    struct matrix w;
    real *to;
    const real *plus; /* as `to`: added to it; NULL */
    bool back;
};

bool REAL(tiles_wanted)(const struct engine *e);
/* The rows of all tensor ranks begin to come to `all`; all of them are there. */
void REAL(tiles_begin)(struct engine *e, const real *part, real *all, const char *what);
void REAL(tiles_settle)(struct engine *e);
void REAL(product_of_gathered)(struct engine *e, const struct product *p);
/* Its result is summed over tensor ranks by the operation `what` that follows. */
void REAL(product_to_sum)(struct engine *e, const struct product *p, const char *what);
#define tiles_wanted        REAL(tiles_wanted)
#define tiles_begin         REAL(tiles_begin)
#define tiles_settle        REAL(tiles_settle)
#define product_of_gathered REAL(product_of_gathered)
#define product_to_sum      REAL(product_to_sum)

/* ---- the table of kernels ---- */

typedef void kernel(struct engine *e, struct at_layer *l, struct frame *f, size_t microbatch);

struct kernels {
    bool known; /* the executor runs it; with all of the below 0 another operation does its work */
    enum ledger_part part;
    kernel *forward, *input, *weight; /* NULL: nothing to do */
    enum slot kept[3];                /* what it brings and backward reads; 0 ends */
};

/* "attention residual": between the halves of a block. */
static inline bool ends_half(const struct kernels *k)
{
    return k->kept[0] == SLOT_R;
}

extern const struct kernels REAL(kernel_table)[OPS];
#define kernel_table REAL(kernel_table)

bool REAL(program_make)(struct engine *e, struct rk_error *error);

/* kernels of attention over several ranks, and of mixtures */
/* Runs of a sample's tokens on context rank `c` of a local part of the plan. */
int REAL(context_spans)(const struct local_part *local, uint64_t sequence, uint32_t c,
                        struct run_span span[2]);

/* The stream of a microbatch, from how one place lays it to how another one does; `data` is given
 * back to the pool (relayout.c). */
real *REAL(relay)(struct engine *e, int from, int to, real *data);
void REAL(relayouts_close)(struct engine *e);
#define relay           REAL(relay)
#define relayouts_close REAL(relayouts_close)

/* Whole rows of what is cut over the sequence, and the way back (ops.c). */
const real *REAL(whole_input)(struct engine *e, struct frame *f, enum slot shard, enum slot whole,
                              const char *what);
void REAL(gather_back)(struct engine *e, struct frame *f, enum slot slot, const char *what);
#define whole_input REAL(whole_input)
#define gather_back REAL(gather_back)
size_t REAL(wide)(const struct engine *e, size_t feedforward);
enum weight_role REAL(first_of)(const struct engine *e, enum weight_role gate);
enum run_activation REAL(activation_of)(const struct job *job);
#define wide          REAL(wide)
#define first_of      REAL(first_of)
#define activation_of REAL(activation_of)

static inline bool sequence_parallel(const struct engine *e)
{
    return e->plan->sequence_parallel && e->tensor.ranks > 1;
}

/* Norms on slots (ops.c): forward; and the gradient that the stream gains. */
void REAL(norm_run)(struct engine *e, struct store *s, enum weight_role role, struct frame *f,
                    enum slot x, enum slot y, enum slot stats);
void REAL(norm_back)(struct engine *e, struct store *s, enum weight_role role, struct frame *f,
                     enum slot x, enum slot dy, enum slot stats, enum slot before);
/* The output of a product over tensor ranks: parts are summed. Its gradient on all rows: gathered,
 * or what there is. */
void REAL(reduce_forward)(struct engine *e, struct frame *f, enum slot slot, const char *what);
const real *REAL(whole_gradient)(struct engine *e, struct frame *f, enum slot shard,
                                 enum slot whole, const char *what);
#define norm_run       REAL(norm_run)
#define norm_back      REAL(norm_back)
#define reduce_forward REAL(reduce_forward)
#define whole_gradient REAL(whole_gradient)

void REAL(mixture_free)(struct frame *f);
/* The biases of a router, from how many tokens of the step chose each expert (route.c). */
void REAL(balance_experts)(struct engine *e, size_t n, const real *tokens, real *bias);

/* The user's loss of rows `row` ... of a microbatch (task.c): their logits (rows, box), this rank's
 * shard of the words, become gradients; returns the sum. */
double REAL(task_loss)(struct engine *e, size_t row, size_t rows, size_t count, size_t box,
                       uint32_t first, double scale, real *logits);
#define task_loss REAL(task_loss)

/* embedding and head (ends.c) */
kernel REAL(embed), REAL(embed_input), REAL(embed_reduce), REAL(positions), REAL(positions_input),
    REAL(embed_norm), REAL(embed_norm_input), REAL(final_norm), REAL(final_norm_input),
    REAL(head_gather), REAL(head_gather_input), REAL(cross_entropy);

/* multi-token prediction (ahead.c) */
kernel REAL(next_norm), REAL(next_norm_input), REAL(stream_norm), REAL(stream_norm_input),
    REAL(predict_in), REAL(predict_in_input), REAL(predict_in_weight), REAL(predict_gather),
    REAL(predict_gather_input);

#define MIXTURE(X)                                                                                 \
    X(router)                                                                                      \
    X(routing)                                                                                     \
    X(descend)                                                                                     \
    X(permute)                                                                                     \
    X(dispatch)                                                                                    \
    X(expert_gather)                                                                               \
    X(expert_sort)                                                                                 \
    X(experts_in)                                                                                  \
    X(expert_activation)                                                                           \
    X(experts_out)                                                                                 \
    X(expert_unsort)                                                                               \
    X(expert_reduce)                                                                               \
    X(combine)                                                                                     \
    X(unpermute)                                                                                   \
    X(ascend)                                                                                      \
    X(tokens_gather)                                                                               \
    X(shared_gather)                                                                               \
    X(shared_in) X(shared_activation) X(shared_out) X(shared_reduce) X(shared_gate) X(shared_sum)
#define FORWARD_AND_BACK(name) kernel REAL(name), REAL(name##_input);
MIXTURE(FORWARD_AND_BACK)
kernel REAL(router_weight), REAL(descend_weight), REAL(experts_in_weight), REAL(experts_out_weight),
    REAL(ascend_weight), REAL(shared_in_weight), REAL(shared_out_weight);

#define LATENT(X)          X(query_norm) X(query_gather) X(kv_norm) X(kv_gather) X(latent_rotary)
#define LATENT_PRODUCTS(X) X(query) X(query_down) X(query_up) X(kv_down) X(kv_up)
#define AND_WEIGHT(name)   FORWARD_AND_BACK(name) kernel REAL(name##_weight);
LATENT(FORWARD_AND_BACK)
LATENT_PRODUCTS(AND_WEIGHT)

kernel REAL(scores_run), REAL(scores_input), REAL(softmax_run), REAL(softmax_input),
    REAL(values_run), REAL(values_input);
kernel REAL(attention_run), REAL(attention_input), REAL(across_forward), REAL(across_input),
    REAL(back_across_forward), REAL(back_across_input), REAL(keys_gather_forward),
    REAL(keys_gather_input);

#endif
