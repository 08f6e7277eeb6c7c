/* ops.c - the operations of layers on the slots of a frame. */
#include "run/real/halves.h"

#include "workload/pattern.h"

#include <string.h>

/* ---- helpers ---- */

/* The biases of a norm; those after halves have none. */
static bool has_biases(enum weight_role norm)
{
    return norm != WEIGHT_NORM_1_POST && norm != WEIGHT_NORM_2_POST;
}

real *REAL(bias_gradient)(struct engine *e, struct store *s, enum weight_role norm)
{
    return has_biases(norm) ? gradient(e, s, (enum weight_role)(norm + 1)) : NULL;
}

struct REAL(norm) REAL(norm_of)(struct engine *e, struct store *s, enum weight_role role)
{
    return (struct REAL(norm)){
        .rms = e->job->model.norm == RK_RMS_NORM,
        .eps = e->job->settings.norm_eps,
        .w = weight(e, s, role),
        .b = has_biases(role) ? weight(e, s, (enum weight_role)(role + 1)) : NULL,
        .offset = (real)e->job->settings.arithmetic.norm_offset,
    };
}

/* Is the gradient of the stream another one than that of what joins it? */
static bool splits(const struct engine *e)
{
    return is_parallel(e) || has_norms_after(e) || e->job->settings.arithmetic.residual_scale > 0;
}

static void set_stream(struct engine *e, struct frame *f)
{
    move(e, f, SLOT_DX, SLOT_DSTREAM);
    f->done[SLOT_DSTREAM] = true; /* it has one reader */
}

/* What joins the stream gets its gradient; `copied`: products read copies of it. */
void REAL(join_back)(struct engine *e, struct frame *f, enum slot dout, bool copied)
{
    const double scale = e->job->settings.arithmetic.residual_scale;
    if (!splits(e)) {
        f->slot[dout] = f->slot[SLOT_DX];
        f->slot[SLOT_DX] = NULL;
        if (copied) f->done[dout] = !f->done[dout];
        return;
    }
    set_stream(e, f);
    f->done[dout] = !copied;
    if (has_norms_after(e)) return; /* which makes it */
    copy_bytes(make(e, f, dout, e->share * e->hidden), f->slot[SLOT_DSTREAM],
               e->share * e->hidden * sizeof(real));
    if (scale > 0) scale_by(e->share * e->hidden, scale, f->slot[dout]);
}

/* ---- norms ---- */

void norm_run(struct engine *e, struct store *s, enum weight_role role, struct frame *f,
              enum slot x, enum slot y, enum slot stats)
{
    const struct REAL(norm) norm = norm_of(e, s, role);
    norm_forward(e->threads, &norm, e->share, e->hidden, f->slot[x], e->hidden,
                 make(e, f, y, e->share * e->hidden), e->hidden, make(e, f, stats, 2 * e->share));
}

/* The stream's gradient gains what comes back through the norm. The old one stays as `before`, for
 * weight gradients may read it later. */
void norm_back(struct engine *e, struct store *s, enum weight_role role, struct frame *f,
               enum slot x, enum slot dy, enum slot stats, enum slot before)
{
    const struct REAL(norm) norm = norm_of(e, s, role);
    real *base = before == SLOTS ? NULL : f->slot[before];
    real *dx = take(e, e->share * e->hidden);
    norm_backward(e->threads, &norm, e->share, e->hidden, f->slot[x], e->hidden, f->slot[stats],
                  f->slot[dy], e->hidden, base, dx, e->hidden, gradient(e, s, role),
                  bias_gradient(e, s, role));
    drop(e, f, SLOT_DX);
    f->slot[SLOT_DX] = dx;
    drop(e, f, dy);
    drop(e, f, stats);
    if (before != SLOTS) read_once(e, f, before);
}

/* A half whose norm is after it reads the stream. */
static void read_stream(struct engine *e, struct frame *f, enum slot x, enum slot y)
{
    copy_bytes(make(e, f, y, e->share * e->hidden), f->slot[x],
               e->share * e->hidden * sizeof(real));
}

static void read_stream_back(struct engine *e, struct frame *f, enum slot dy)
{
    add_to(e->share * e->hidden, f->slot[SLOT_DSTREAM], f->slot[dy]);
    drop(e, f, SLOT_DSTREAM);
    f->done[SLOT_DSTREAM] = false;
    move(e, f, dy, SLOT_DX);
}

static void norm_1(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    if (e->job->settings.arithmetic.norms_after)
        read_stream(e, f, SLOT_X, SLOT_N_1);
    else
        norm_run(e, l->dense, WEIGHT_NORM_1, f, SLOT_X, SLOT_N_1, SLOT_STATS_1);
}

static void norm_1_input(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    if (f->slot[SLOT_DLATENT])
        add_to(e->share * e->hidden, f->slot[SLOT_DLATENT], f->slot[SLOT_DN_1]);
    drop(e, f, SLOT_DLATENT);
    if (e->job->settings.arithmetic.norms_after)
        read_stream_back(e, f, SLOT_DN_1);
    else
        norm_back(e, l->dense, WEIGHT_NORM_1, f, SLOT_X, SLOT_DN_1, SLOT_STATS_1,
                  splits(e) ? SLOT_DSTREAM : SLOT_DOUT_1);
    drop(e, f, SLOT_X);
}

static void norm_2(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const enum slot stream = is_parallel(e) ? SLOT_X : SLOT_R;
    if (e->job->settings.arithmetic.norms_after)
        read_stream(e, f, stream, SLOT_N_2);
    else
        norm_run(e, l->dense, WEIGHT_NORM_2, f, stream, SLOT_N_2, SLOT_STATS_2);
}

static void norm_2_input(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const enum slot stream = is_parallel(e) ? SLOT_X : SLOT_R;
    if (e->job->settings.arithmetic.norms_after)
        read_stream_back(e, f, SLOT_DN_2);
    else
        norm_back(e, l->dense, WEIGHT_NORM_2, f, stream, SLOT_DN_2, SLOT_STATS_2,
                  splits(e) ? SLOT_DSTREAM : SLOT_DOUT_2);
    if (is_parallel(e))
        set_stream(e, f); /* to which attention's norm adds */
    else
        drop(e, f, SLOT_R);
}

/* ---- norms after halves ---- */

static void norm_after(struct engine *e, struct store *s, enum weight_role role, struct frame *f,
                       enum slot raw, enum slot out)
{
    if (f->slot[out]) move(e, f, out, raw); /* else it runs again */
    norm_run(e, s, role, f, raw, out, (enum slot)(raw + 1));
}

static void norm_after_back(struct engine *e, struct store *s, enum weight_role role,
                            struct frame *f, enum slot raw, enum slot out, enum slot dout)
{
    const struct REAL(norm) norm = norm_of(e, s, role);
    if (f->slot[raw])
        drop(e, f, out); /* of a forward that ran again */
    else
        move(e, f, out, raw); /* ... up to this norm */
    norm_backward(e->threads, &norm, e->share, e->hidden, f->slot[raw], e->hidden, f->slot[raw + 1],
                  f->slot[SLOT_DSTREAM], e->hidden, NULL, make(e, f, dout, e->share * e->hidden),
                  e->hidden, gradient(e, s, role), NULL);
    drop(e, f, raw);
    drop(e, f, (enum slot)(raw + 1));
}

static void post_norm_1(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    norm_after(e, l->dense, WEIGHT_NORM_1_POST, f, SLOT_RAW_1, SLOT_OUT_1);
}

static void post_norm_1_input(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    norm_after_back(e, l->dense, WEIGHT_NORM_1_POST, f, SLOT_RAW_1, SLOT_OUT_1, SLOT_DOUT_1);
}

static void post_norm_2(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    norm_after(e, l->dense, WEIGHT_NORM_2_POST, f, SLOT_RAW_2, SLOT_OUT_2);
}

static void post_norm_2_input(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    norm_after_back(e, l->dense, WEIGHT_NORM_2_POST, f, SLOT_RAW_2, SLOT_OUT_2, SLOT_DOUT_2);
}

/* ---- from shards of the sequence to whole rows, and back ---- */

/* The input of a product over tensor ranks: gathered where each has a shard of the sequence. */
const real *whole_input(struct engine *e, struct frame *f, enum slot shard, enum slot whole,
                        const char *what)
{
    if (!sequence_parallel(e)) return f->slot[shard];
    tiles_settle(e);
    if (!f->slot[whole])
        gather_all(e, &e->tensor, what, f->slot[shard], make(e, f, whole, e->rows * e->hidden),
                   e->share * e->hidden);
    return f->slot[whole];
}

/* That input as a product reads it, which may begin with what is here. */
const real *REAL(tiled_input)(struct engine *e, struct frame *f, enum slot shard, enum slot whole,
                              const char *what)
{
    return e->gathering.open ? f->slot[whole] : whole_input(e, f, shard, whole, what);
}

/* The operation that gathers: all comes, or in tiles it begins to come. */
static void gather(struct engine *e, struct frame *f, enum slot shard, enum slot whole,
                   const char *what)
{
    tiles_settle(e);
    if (tiles_wanted(e) && !f->slot[whole])
        tiles_begin(e, f->slot[shard], make(e, f, whole, e->rows * e->hidden), what);
    else
        whole_input(e, f, shard, whole, what);
}

/* The gradient of that input: parts are summed. */
void gather_back(struct engine *e, struct frame *f, enum slot slot, const char *what)
{
    const size_t n = e->rows * e->hidden;
    if (e->tensor.ranks == 1) return;
    if (e->scattering.open) {
        real *sum = take(e, e->share * e->hidden);
        end_sum(e, &e->scattering, sum);
        drop(e, f, slot);
        f->slot[slot] = sum;
        return;
    }
    if (!sequence_parallel(e)) {
        reduce_all(e, &e->tensor, what, f->slot[slot], n);
        return;
    }
    real *part = take(e, e->share * e->hidden);
    reduce_part(e, &e->tensor, what, f->slot[slot], part, e->share * e->hidden);
    drop(e, f, slot);
    f->slot[slot] = part;
}

/* The output of a product over tensor ranks: parts are summed. */
void reduce_forward(struct engine *e, struct frame *f, enum slot slot, const char *what)
{
    gather_back(e, f, slot, what);
}

/* Its gradient on all rows: gathered, or what there is. */
const real *whole_gradient(struct engine *e, struct frame *f, enum slot shard, enum slot whole,
                           const char *what)
{
    return whole_input(e, f, shard, whole, what);
}

static void gather_1(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    if (e->job->model.kv_rank)
        whole_input(e, f, SLOT_N_1, SLOT_WHOLE_1, "attention gather");
    else
        gather(e, f, SLOT_N_1, SLOT_WHOLE_1, "attention gather");
}

static void gather_1_input(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    gather_back(e, f, SLOT_DN_1, "attention gather");
}

static void gather_2(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    if (l->experts)
        whole_input(e, f, SLOT_N_2, SLOT_WHOLE_2, "mlp gather");
    else
        gather(e, f, SLOT_N_2, SLOT_WHOLE_2, "mlp gather");
}

static void gather_2_input(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    gather_back(e, f, SLOT_DN_2, "mlp gather");
}

static void reduce_1(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    reduce_forward(e, f, SLOT_OUT_1, "attention reduce");
}

static void reduce_1_input(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    gather(e, f, SLOT_DOUT_1, SLOT_DWHOLE_OUT_1, "attention reduce");
}

static void reduce_2(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    reduce_forward(e, f, SLOT_OUT_2, "mlp reduce");
}

static void reduce_2_input(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    gather(e, f, SLOT_DOUT_2, SLOT_DWHOLE_OUT_2, "mlp reduce");
    if (!is_parallel(e) || !sequence_parallel(e)) return;
    tiles_settle(e);
    copy_bytes(make(e, f, SLOT_DWHOLE_OUT_1, e->rows * e->hidden), f->slot[SLOT_DWHOLE_OUT_2],
               e->rows * e->hidden * sizeof(real));
    drop(e, f, SLOT_DOUT_2);
}

/* The slot of an output's gradient. */
enum slot REAL(gradient_slot)(const struct engine *e, enum slot shard, enum slot whole)
{
    return sequence_parallel(e) ? whole : shard;
}

/* ---- after attention ---- */

static void out_forward(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct product p = {.n = e->hidden,
                              .k = l->heads * l->value,
                              .from = f->slot[SLOT_ATT],
                              .w = matrix_of(e, l->dense, WEIGHT_OUT),
                              .to = make(e, f, SLOT_OUT_1, e->rows * e->hidden)};
    if (is_parallel(e)) /* the MLP's is added first */
        product_of_gathered(e, &p);
    else
        product_to_sum(e, &p, "attention reduce");
}

static void out_input(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const enum slot dy = gradient_slot(e, SLOT_DOUT_1, SLOT_DWHOLE_OUT_1);
    const size_t k = l->heads * l->value;
    const struct product p = {.n = e->hidden,
                              .k = k,
                              .from = f->slot[dy],
                              .w = matrix_of(e, l->dense, WEIGHT_OUT),
                              .to = make(e, f, SLOT_DATT, e->rows * k),
                              .back = true};
    product_of_gathered(e, &p);
    if (dy != SLOT_DOUT_1) read_once(e, f, dy);
}

static void out_weight(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const enum slot dy = gradient_slot(e, SLOT_DOUT_1, SLOT_DWHOLE_OUT_1);
    tiles_settle(e);
    product_weight(e, e->rows, e->hidden, l->heads * l->value, f->slot[dy], f->slot[SLOT_ATT],
                   gradient_at(l->dense, WEIGHT_OUT));
    read_once(e, f, dy);
    read_once(e, f, SLOT_ATT); /* attention's backward reads it, too */
}

/* What a half brings is added to the stream, and its bias. */
void REAL(join)(struct engine *e, struct store *s, enum weight_role bias, struct frame *f,
                enum slot stream, enum slot out)
{
    const double scale = e->job->settings.arithmetic.residual_scale;
    const real *b = weight(e, s, bias);
    if (scale > 0 && b) add_bias(e->share, e->hidden, b, f->slot[out]);
    if (scale > 0) scale_by(e->share * e->hidden, scale, f->slot[out]);
    add_residual(e->share, e->hidden, f->slot[stream], scale > 0 ? NULL : b, f->slot[out]);
}

static void residual_1(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    join(e, l->dense, WEIGHT_OUT_BIAS, f, SLOT_X, SLOT_OUT_1);
    move(e, f, SLOT_OUT_1, SLOT_R);
}

static void residual_1_input(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    join_back(e, f, SLOT_DOUT_1, sequence_parallel(e));
    if (has(l->dense, WEIGHT_OUT_BIAS))
        column_sums(e->share, e->hidden, f->slot[SLOT_DOUT_1],
                    gradient(e, l->dense, WEIGHT_OUT_BIAS));
}

/* ---- the table ---- */

#define ONCE(slot)                                                                                 \
    {                                                                                              \
        slot, 0, 0                                                                                 \
    }

#define KERNEL(id, ...) [OP_##id] = {true, __VA_ARGS__},

/* clang-format off */
const struct kernels kernel_table[OPS] = {
    /*     operation             part           forward               input                weight          brings */
    KERNEL(EMBEDDING,           PART_MEMORY,    REAL(embed), REAL(embed_input), NULL, {SLOT_OUT_1})
    KERNEL(EMBEDDING_REDUCE,    PART_COMM,      REAL(embed_reduce), NULL, NULL, {0})
    KERNEL(POSITIONS,           PART_MEMORY,    REAL(positions), REAL(positions_input), NULL, {0})
    KERNEL(EMBEDDING_NORM,      PART_MEMORY,    REAL(embed_norm), REAL(embed_norm_input), NULL, {0})
    KERNEL(EMBEDDING_DROPOUT,   PART_MEMORY,    NULL, NULL, NULL, {0})
    KERNEL(ATTENTION_NORM,      PART_MEMORY,    norm_1, norm_1_input, NULL, {SLOT_N_1, SLOT_STATS_1})
    KERNEL(ATTENTION_GATHER,    PART_COMM,      gather_1, gather_1_input, NULL, {0})
    KERNEL(QKV,                 PART_MATRIX,    REAL(qkv), REAL(qkv_input), REAL(qkv_weight), {SLOT_QKV})
    KERNEL(QUERY,               PART_MATRIX,    REAL(query), REAL(query_input), REAL(query_weight), {SLOT_Q})
    KERNEL(QUERY_DOWN,          PART_MATRIX,    REAL(query_down), REAL(query_down_input), REAL(query_down_weight), {SLOT_CQ})
    KERNEL(QUERY_NORM,          PART_MEMORY,    REAL(query_norm), REAL(query_norm_input), NULL, {SLOT_CQN, SLOT_STATS_CQ})
    KERNEL(QUERY_GATHER,        PART_COMM,      REAL(query_gather), REAL(query_gather_input), NULL, {0})
    KERNEL(QUERY_UP,            PART_MATRIX,    REAL(query_up), REAL(query_up_input), REAL(query_up_weight), {SLOT_Q})
    KERNEL(KV_DOWN,             PART_MATRIX,    REAL(kv_down), REAL(kv_down_input), REAL(kv_down_weight), {SLOT_CKV})
    KERNEL(KV_NORM,             PART_MEMORY,    REAL(kv_norm), REAL(kv_norm_input), NULL, {SLOT_CKVN, SLOT_STATS_CKV})
    KERNEL(KV_GATHER,           PART_COMM,      REAL(kv_gather), REAL(kv_gather_input), NULL, {0})
    KERNEL(KV_UP,               PART_MATRIX,    REAL(kv_up), REAL(kv_up_input), REAL(kv_up_weight), {SLOT_KVU})
    KERNEL(QK_NORM,             PART_MEMORY,    REAL(head_norms), REAL(head_norms_input), NULL, {SLOT_RAW, SLOT_STATS_QK})
    KERNEL(ROTARY,              PART_MEMORY,    REAL(rotary_forward), REAL(rotary_input), NULL, {SLOT_QKV})
    KERNEL(ROTARY_LATENT,       PART_MEMORY,    REAL(rotary_forward), REAL(rotary_input), NULL, {SLOT_QKV})
    KERNEL(QKV_ACROSS,          PART_COMM,      REAL(across_forward), REAL(across_input), NULL, {SLOT_QKV_ACROSS})
    KERNEL(KV_ALL_GATHER,       PART_COMM,      REAL(keys_gather_forward), REAL(keys_gather_input), NULL, {0})
    KERNEL(KV_RING,             PART_COMM,      NULL, NULL, NULL, {0})
    KERNEL(ATTENTION,           PART_ATTENTION, REAL(attention_run), REAL(attention_input), NULL, {SLOT_LOG, SLOT_ATT_ACROSS, SLOT_ATT})
    KERNEL(SCORES,              PART_MATRIX,    REAL(scores_run), REAL(scores_input), NULL, {0})
    KERNEL(SOFTMAX,             PART_MEMORY,    REAL(softmax_run), REAL(softmax_input), NULL, {SLOT_SCORES})
    KERNEL(ATTENTION_DROPOUT,   PART_MEMORY,    NULL, NULL, NULL, {0})
    KERNEL(VALUES_SUM,          PART_MATRIX,    REAL(values_run), REAL(values_input), NULL, {SLOT_SCORES, SLOT_ATT_ACROSS, SLOT_ATT})
    KERNEL(ATTENTION_BACK,      PART_COMM,      REAL(back_across_forward), REAL(back_across_input), NULL, {SLOT_ATT})
    KERNEL(ATTENTION_OUT,       PART_MATRIX,    out_forward, out_input, out_weight, {SLOT_RAW_1})
    KERNEL(ATTENTION_REDUCE,    PART_COMM,      reduce_1, reduce_1_input, NULL, {0})
    KERNEL(ATTENTION_POST_NORM, PART_MEMORY,    post_norm_1, post_norm_1_input, NULL, {SLOT_STATS_RAW_1})
    KERNEL(ATTENTION_RESIDUAL,  PART_MEMORY,    residual_1, residual_1_input, NULL, {SLOT_R})
    KERNEL(MLP_NORM,            PART_MEMORY,    norm_2, norm_2_input, NULL, {SLOT_N_2, SLOT_STATS_2})
    KERNEL(MLP_GATHER,          PART_COMM,      gather_2, gather_2_input, NULL, {0})
    KERNEL(MLP_IN,              PART_MATRIX,    REAL(mlp_in), REAL(mlp_in_input), REAL(mlp_in_weight), {SLOT_IN})
    KERNEL(ACTIVATION,          PART_MEMORY,    REAL(activate), REAL(activate_input), NULL, {SLOT_ACT})
    KERNEL(MLP_OUT,             PART_MATRIX,    REAL(mlp_out), REAL(mlp_out_input), REAL(mlp_out_weight), {SLOT_RAW_2})
    KERNEL(MLP_REDUCE,          PART_COMM,      reduce_2, reduce_2_input, NULL, {0})
    KERNEL(MLP_POST_NORM,       PART_MEMORY,    post_norm_2, post_norm_2_input, NULL, {SLOT_STATS_RAW_2})
    KERNEL(RESIDUAL,            PART_MEMORY,    REAL(residual_both), REAL(residual_both_input), NULL, {0})
    KERNEL(MLP_RESIDUAL,        PART_MEMORY,    REAL(residual_2), REAL(residual_2_input), NULL, {0})
    KERNEL(ROUTER,              PART_MATRIX,    REAL(router), REAL(router_input), REAL(router_weight), {SLOT_ROUTES})
    KERNEL(ROUTING,             PART_MEMORY,    REAL(routing), REAL(routing_input), NULL, {SLOT_WEIGHTS})
    KERNEL(DESCEND,             PART_MATRIX,    REAL(descend), REAL(descend_input), REAL(descend_weight), {SLOT_NARROW})
    KERNEL(PERMUTE,             PART_MEMORY,    REAL(permute), REAL(permute_input), NULL, {SLOT_SENT, SLOT_SORTED})
    KERNEL(DISPATCH,            PART_COMM,      REAL(dispatch), REAL(dispatch_input), NULL, {SLOT_SORTED})
    KERNEL(EXPERT_GATHER,       PART_COMM,      REAL(expert_gather), REAL(expert_gather_input), NULL, {0})
    KERNEL(EXPERT_SORT,         PART_MEMORY,    REAL(expert_sort), REAL(expert_sort_input), NULL, {0})
    KERNEL(EXPERTS_IN,          PART_MATRIX,    REAL(experts_in), REAL(experts_in_input), REAL(experts_in_weight), {SLOT_IN})
    KERNEL(EXPERT_ACTIVATION,   PART_MEMORY,    REAL(expert_activation), REAL(expert_activation_input), NULL, {SLOT_ACT})
    KERNEL(EXPERTS_OUT,         PART_MATRIX,    REAL(experts_out), REAL(experts_out_input), REAL(experts_out_weight), {SLOT_BACK})
    KERNEL(EXPERT_BIASES,       PART_MEMORY,    NULL, NULL, NULL, {0})
    KERNEL(EXPERT_UNSORT,       PART_MEMORY,    REAL(expert_unsort), REAL(expert_unsort_input), NULL, {0})
    KERNEL(EXPERT_REDUCE,       PART_COMM,      REAL(expert_reduce), REAL(expert_reduce_input), NULL, {0})
    KERNEL(COMBINE,             PART_COMM,      REAL(combine), REAL(combine_input), NULL, {0})
    KERNEL(UNPERMUTE,           PART_MEMORY,    REAL(unpermute), REAL(unpermute_input), NULL, {SLOT_SUM})
    KERNEL(ASCEND,              PART_MATRIX,    REAL(ascend), REAL(ascend_input), REAL(ascend_weight), {0})
    KERNEL(TOKENS_GATHER,       PART_COMM,      REAL(tokens_gather), REAL(tokens_gather_input), NULL, {0})
    KERNEL(SHARED_GATHER,       PART_COMM,      REAL(shared_gather), REAL(shared_gather_input), NULL, {0})
    KERNEL(SHARED_IN,           PART_MATRIX,    REAL(shared_in), REAL(shared_in_input), REAL(shared_in_weight), {SLOT_SHARED_IN})
    KERNEL(SHARED_ACTIVATION,   PART_MEMORY,    REAL(shared_activation), REAL(shared_activation_input), NULL, {SLOT_SHARED_ACT})
    KERNEL(SHARED_OUT,          PART_MATRIX,    REAL(shared_out), REAL(shared_out_input), REAL(shared_out_weight), {SLOT_SHARED})
    KERNEL(SHARED_REDUCE,       PART_COMM,      REAL(shared_reduce), REAL(shared_reduce_input), NULL, {0})
    KERNEL(SHARED_GATE,         PART_MEMORY,    REAL(shared_gate), REAL(shared_gate_input), NULL, {SLOT_GATES})
    KERNEL(SHARED_SUM,          PART_MEMORY,    REAL(shared_sum), REAL(shared_sum_input), NULL, {0})
    KERNEL(NEXT_NORM,           PART_MEMORY,    REAL(next_norm), REAL(next_norm_input), NULL, {SLOT_STATS_2})
    KERNEL(STREAM_NORM,         PART_MEMORY,    REAL(stream_norm), REAL(stream_norm_input), NULL, {SLOT_STATS_1})
    KERNEL(PREDICTION_GATHER,   PART_COMM,      NULL, NULL, NULL, {0})
    KERNEL(PREDICTION_IN,       PART_MATRIX,    REAL(predict_in), REAL(predict_in_input), REAL(predict_in_weight), {SLOT_IN})
    KERNEL(PREDICTION_ALL_GATHER, PART_COMM,    REAL(predict_gather), REAL(predict_gather_input), NULL, {0})
    KERNEL(FINAL_NORM,          PART_MEMORY,    REAL(final_norm), REAL(final_norm_input), NULL, {SLOT_N_1, SLOT_STATS_1})
    KERNEL(LOGITS_GATHER,       PART_COMM,      REAL(head_gather), REAL(head_gather_input), NULL, {0})
    KERNEL(LOGITS,              PART_MATRIX,    NULL, NULL, NULL, {0})
    KERNEL(LOGIT_CAP,           PART_MEMORY,    NULL, NULL, NULL, {0})
    KERNEL(LOSS_REDUCE,         PART_COMM,      NULL, NULL, NULL, {0})
    KERNEL(LOGITS_ALL_GATHER,   PART_COMM,      NULL, NULL, NULL, {0})
    KERNEL(CROSS_ENTROPY,       PART_MATRIX,    REAL(cross_entropy), NULL, NULL, {0})
};
/* clang-format on */
