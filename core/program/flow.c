#include "program/flow.h"

#include <math.h>

/* ---- who reads what ---- */

/* A source: the first of `of` that stands in front of the operation, the last of its kind. */
enum { ALTERNATIVES = 12 };
enum { PREVIOUS = OPS, STREAM_IN, TOKENS };
enum { R0 = 1, R1 = 2, R2 = 4, R3 = 8, OWN = 1 << FLOW_READS };

struct source {
    bool unread; /* counts where nobody has read it yet */
    uint16_t of[ALTERNATIVES];
};

#define FROM(...)                                                                                  \
    {                                                                                              \
        .of = { __VA_ARGS__ }                                                                      \
    }
#define UNREAD(...)                                                                                \
    {                                                                                              \
        .unread = true, .of = { __VA_ARGS__ }                                                      \
    }
#define NOWHERE                                                                                    \
    {                                                                                              \
        .of = { OP_NONE }                                                                          \
    }

static const struct reads {
    unsigned again;
    struct source source[FLOW_READS];
} reads[OPS] = {
#define OP(id, name, class, marks, keeps, again, ...) [OP_##id] = {again, {__VA_ARGS__}},
#include "workload/op.def"
};

static bool is_lowered(enum op op)
{
    return reads[op].source[0].of[0] != OP_NONE;
}

static bool adds_to_stream(enum op op)
{
    return op_facts[op].marks & MARK_STREAM && reads[op].source[0].of[0] == STREAM_IN;
}

struct tracing {
    const struct layer *layer;
    const struct rk_model *model;
    const struct rk_plan *plan;
    struct flow *flow;
    int stream;                /* the latest of it */
    int logits;                /* the operation that brings them */
    double logit_rows;         /* of all rows, how many are there at once: a chunk's */
    bool read[MAX_OPERATIONS]; /* by somebody */
};

enum { NOBODY = -3 };

static bool is_cast(const struct layer *layer, int i)
{
    return i >= 0 && layer->operation[i].op == OP_CAST;
}

/* The last operation in front of `at` that is one. */
static int find(const struct tracing *t, int at, unsigned op)
{
    if (op == PREVIOUS) return is_cast(t->layer, at - 1) ? at - 2 : at - 1;
    if (op == STREAM_IN) return t->stream;
    if (op == TOKENS) return FLOW_TOKENS;
    for (int i = at - 1; i >= 0; i--)
        if (t->layer->operation[i].op == op) return i;
    return NOBODY;
}

static int find_first(const struct tracing *t, int at, const struct source *source)
{
    for (const uint16_t *op = source->of; *op != OP_NONE; op++) {
        const int found = find(t, at, *op);
        if (found == NOBODY) continue;
        return source->unread && found >= 0 && t->read[found] ? NOBODY : found;
    }
    return NOBODY;
}

static void add_source(struct tracing *t, int at, int from, bool again)
{
    struct flow_operation *op = &t->flow->operation[at];
    for (int i = 0; i < op->reads; i++)
        if (op->from[i] == from) return;
    op->again |= (unsigned)again << op->reads;
    op->from[op->reads++] = from;
    if (from >= 0) t->read[from] = true;
}

/* A cast reads what the product after it would have read, and the product reads the cast. */
static void trace_sources(struct tracing *t, int at)
{
    const struct reads *r = &reads[t->layer->operation[at].op];
    for (int i = 0; i < FLOW_READS && r->source[i].of[0] != OP_NONE; i++) {
        const int found = find_first(t, at, &r->source[i]);
        if (found != NOBODY) add_source(t, at, found, r->again >> i & 1);
    }
    t->flow->operation[at].again |= r->again & OWN;
    if (!is_cast(t->layer, at - 1)) return;
    t->flow->operation[at - 1].reads = 1;
    t->flow->operation[at - 1].from[0] = t->flow->operation[at].from[0];
    t->flow->operation[at].from[0] = at - 1;
}

/* ---- what is brought ---- */

enum rk_element flow_element(const struct rk_plan *plan, double bytes)
{
    if (bytes == 4) return RK_IN_FP32;
    if (bytes == 2) return plan->precision == RK_FP16 ? RK_IN_FP16 : RK_IN_BF16;
    return RK_IN_BYTES;
}

double flow_element_bytes(enum rk_element element)
{
    return element == RK_IN_FP32 ? 4 : element == RK_IN_BYTES ? 1 : 2;
}

struct extent {
    double rows, width;
};

static struct extent extent_of(const struct tracing *t, int from)
{
    const double rows = t->flow->rows;
    if (from == FLOW_INPUT) return (struct extent){rows, t->flow->width};
    if (from == FLOW_TOKENS)
        return (struct extent){(double)t->plan->microbatch *
                                   rk_tokens_of_sample(t->model, t->plan) /
                                   (double)t->plan->context,
                               1};
    return (struct extent){t->flow->operation[from].rows, t->flow->operation[from].width};
}

static bool divides(double part, double all)
{
    return part > 0 && fmod(all, part) == 0;
}

/* So many elements: as wide as `like`, or as high. */
static struct extent shaped(double elements, struct extent like, bool as_wide)
{
    if (!as_wide && divides(like.rows, elements))
        return (struct extent){like.rows, elements / like.rows};
    return like.width > 0 ? (struct extent){elements / like.width, like.width}
                          : (struct extent){elements, 1};
}

static double ranks_over(const struct rk_plan *plan, enum comm_over over)
{
    const struct rank_map map = rank_map_of(plan);
    return (double)ranks_of_group(&map, comm_group(over));
}

static struct extent extent_of_comm(const struct tracing *t, const struct operation *op,
                                    struct extent in)
{
    const double chunks = op->chunks > 1 ? op->chunks : 1;
    const double whole = chunks * op->comm_bytes[RK_FORWARD] / op->comm_element[RK_FORWARD];
    if (op->what[RK_FORWARD] == COMM_REDUCE_SCATTER)
        return shaped(whole / ranks_over(t->plan, op->over), in, true);
    if (op->what[RK_FORWARD] == COMM_SEND) /* those of all */
        return shaped(whole * (op->comm_times[RK_FORWARD] + 1), in, true);
    return shaped(whole, in, true);
}

/* What an operation keeps in addition to its result: the mask of dropout, the row sums of
 * attention. */
static double mask_bytes_of(const struct operation *op, double bytes)
{
    switch (op_facts[op->op].keeps) {
    case KEEPS_ROWS:
        return op->saved_bytes - op->saved_recomputed_bytes;
    case KEEPS_REST:
        return op->saved_bytes - bytes;
    case KEEPS_SAVED:
        return op->saved_bytes;
    default:
        return 0;
    }
}

/* Logits of one chunk of tokens, with the gradients that forward computes in the same pass: of
 * their input and of the weights. */
static void find_logits(struct tracing *t)
{
    for (int i = 0; i < t->layer->operations && t->plan->loss_in_chunks; i++) {
        const struct operation *op = &t->layer->operation[i];
        if (op->op != OP_LOGITS) continue;
        t->logits = i;
        t->logit_rows =
            op->working_bytes / (op->count * op->m * op->n) / flow_element_bytes(t->flow->element);
    }
}

static void shape(const struct tracing *t, int at)
{
    const struct operation *op = &t->layer->operation[at];
    const unsigned marks = op_facts[op->op].marks;
    struct flow_operation *flow = &t->flow->operation[at];
    const struct extent in = extent_of(t, flow->from[0]);
    struct extent out = in;
    flow->element = t->flow->element;
    if (op->kind == OPERATION_MATRIX)
        out = (struct extent){op->count * op->m, op->n};
    else if (op->kind == OPERATION_ATTENTION)
        out = (struct extent){op->batch * op->queries, op->heads * op->value_dim};
    else if (op->kind == OPERATION_COMM && !flow->alias)
        out = extent_of_comm(t, op, in);
    else if (op->kind == OPERATION_MEMORY && !flow->in_place)
        out = shaped(op->elements, in, marks & MARK_AS_WIDE);
    if (at >= t->logits) out.rows *= t->logit_rows;
    if (marks & MARK_LOSS) out = (struct extent){in.rows, 1};
    double bytes = out.rows * out.width * flow_element_bytes(flow->element);
    if (marks & MARK_LOSS) flow->element = RK_IN_FP32, bytes = 4 * out.rows;
    if (op->kind == OPERATION_COMM && !flow->alias) {
        flow->element = flow_element(t->plan, op->comm_element[RK_FORWARD]);
        bytes = out.rows * out.width * op->comm_element[RK_FORWARD];
    }
    if (is_cast(t->layer, at)) {
        const double narrow = narrow_kept_bytes(t->plan);
        flow->element = flow_element(t->plan, narrow);
        bytes = out.rows * out.width * narrow;
    }
    flow->mask_bytes = at == t->logits ? op->saved_bytes : mask_bytes_of(op, bytes);
    flow->rows = out.rows;
    flow->width = out.width;
    flow->bytes = bytes;
}

/* ---- what there is to do ---- */

static void find_passes(const struct tracing *t, int at)
{
    const struct operation *op = &t->layer->operation[at];
    struct flow_operation *flow = &t->flow->operation[at];
    for (int pass = 0; pass < RK_PASSES; pass++)
        flow->passes[pass] = op->kind == OPERATION_COMM ? op->comm_bytes[pass] > 0
                             : op->kind == OPERATION_MEMORY
                                 ? op->bytes[pass] > 0 || (pass == RK_FORWARD)
                                 : op->flop[pass] > 0;
    flow->alias = op->kind == OPERATION_COMM && !flow->passes[RK_FORWARD];
}

static const char *trace(struct tracing *t, int at)
{
    struct flow_operation *flow = &t->flow->operation[at];
    const enum op op = t->layer->operation[at].op;
    find_passes(t, at);
    if (is_cast(t->layer, at)) return NULL; /* with what follows */
    if (!is_lowered(op)) return op_name(op);
    trace_sources(t, at);
    if (flow->reads == 0) return op_name(op);
    if (is_cast(t->layer, at - 1)) shape(t, at - 1);
    flow->in_place = flow->alias || op_facts[op].marks & MARK_IN_PLACE;
    flow->is_stream = op_facts[op].marks & MARK_STREAM;
    flow->adds = adds_to_stream(op);
    flow->is_loss = op_facts[op].marks & MARK_LOSS;
    shape(t, at);
    if (flow->is_stream) t->stream = at;
    return NULL;
}

/* Of the embedding all that it brings is the stream. */
static void find_output(struct tracing *t)
{
    struct flow *flow = t->flow;
    flow->output = t->layer->kind == LAYER_EMBEDDING ? flow->operations - 1 : t->stream;
    if (t->layer->kind == LAYER_EMBEDDING) flow->operation[flow->output].is_stream = true;
}

const char *flow_of(struct flow *flow, const struct layer *layer, const struct rk_model *model,
                    const struct rk_plan *plan)
{
    struct tracing t = {.layer = layer,
                        .model = model,
                        .plan = plan,
                        .flow = flow,
                        .logits = layer->operations,
                        .logit_rows = 1};
    const bool wide = plan->precision == RK_FP32 || plan->precision == RK_TF32;
    const double tokens = extent_of(&t, FLOW_TOKENS).rows;
    *flow = (struct flow){.operations = layer->operations, .element = RK_IN_BF16};
    flow->element = flow_element(plan, wide ? 4 : 2);
    flow->rows = plan->sequence_parallel ? tokens / (double)plan->tensor : tokens;
    flow->width = (double)model->hidden;
    flow->bytes = flow->rows * flow->width * flow_element_bytes(flow->element);
    t.stream = FLOW_INPUT;
    find_logits(&t);
    for (int i = 0; i < layer->operations; i++) {
        const char *unknown = trace(&t, i);
        if (unknown) return unknown;
    }
    find_output(&t);
    return NULL;
}
