#include "program/flow.h"

#include <math.h>
#include <string.h>

/* ---- who reads what ---- */

/* Sources: names in front of the operation, the first one that is there, the last of its name;
 * "$prev" is what stands before it, "$stream" the residual stream, "$tokens" those of the batch. A
 * source that begins with '+' counts where nobody has read it yet. `again`: what the gradient of
 * the input reads, '0' ... '3' a source, 'o' its own result. */
enum { STREAM = 1, IN_PLACE = 2, LOSS = 4 };

#define NORMED   "attention gather|attention norm"
#define MLP_NORM "mlp norm|attention norm"
#define HEADS    "query, key, value all-to-all|rotary up|query, key norm|query, key, value"
#define VALUES   "query, key, value all-to-all|query, key, value"
#define CORE     "attention|scores times values"
#define BACK     "attention output all-to-all|" CORE

/* clang-format off */
static const struct row {
    const char *name;
    const char *from[FLOW_READS];
    const char *again;
    unsigned marks;
} table[] = {
    /* name                            reads                                                        again   marks */
    {"attention norm",                {"$stream"},                                                   "0", 0},
    {"recurrence norm",               {"$stream"},                                                   "0", 0},
    {"mlp norm",                      {"$stream"},                                                   "0", 0},
    {"shared norm",                   {"$stream"},                                                   "0", 0},

    {"attention gather",              {"attention norm"},                                            "",  0},
    {"query, key, value",             {NORMED},                                                      "",  0},
    {"query, key norm",               {"query, key, value"},                                         "0", 0},
    {"query",                         {NORMED},                                                      "",  0},
    {"query down",                    {"attention norm"},                                            "",  0},
    {"query norm",                    {"query down"},                                                "0", 0},
    {"query gather",                  {"query norm"},                                                "",  0},
    {"query up",                      {"query gather|query norm"},                                   "",  0},
    {"key, value down",               {"attention norm"},                                            "",  0},
    {"key, value norm",               {"key, value down"},                                           "0", 0},
    {"key, value gather",             {"key, value norm"},                                           "",  0},
    {"key, value up",                 {"key, value gather|key, value norm"},                         "",  0},
    {"rotary",                        {"query, key norm|query, key, value"},                         "",  IN_PLACE},
    {"rotary up",                     {"query up|query", "key, value up", "key, value down"},       "",  0}, /* latent */
    {"query, key, value all-to-all",  {"rotary up|query, key norm|query, key, value", "query, key, value"},       "",  0},
    {"key, value all-gather",         {HEADS, VALUES},                                               "",  0},
    {"key, value ring",               {HEADS, VALUES},                                               "",  0},
    {"scores",                        {HEADS, "key, value all-gather|key, value ring"},              "01", 0},
    {"softmax",                       {"scores"},                                                    "o", 0},
    {"attention dropout",             {"softmax"},                                                   "o", 0},
    {"scores times values",           {"attention dropout|softmax", VALUES "|" HEADS},               "01", 0},
    {"attention",                     {HEADS, "key, value all-gather|key, value ring", VALUES},      "012o", 0},
    {"attention output all-to-all",   {CORE},                                                        "",  0},
    {"attention gate",                {BACK, "query, key, value"},                                   "01", 0},
    {"attention out",                 {"attention gate|" BACK},                                      "",  0},
    {"attention reduce",              {"attention out", "+recurrence out"},                          "",  0},
    {"attention post norm",           {"attention reduce|attention out", "+recurrence out"},         "0", 0},
    {"attention residual",            {"$stream", "attention post norm|attention reduce|attention out", "+recurrence out"}, "", STREAM},

    {"recurrence gather",             {"recurrence norm"},                                           "",  0},
    {"recurrence in",                 {"recurrence gather|recurrence norm|" NORMED},                 "",  0},
    {"gates down",                    {"recurrence gather|recurrence norm|" NORMED},                 "",  0},
    {"gates up",                      {"gates down"},                                                "",  0},
    {"convolution",                   {"recurrence in"},                                             "0", 0},
    {"chunk keys",                    {"convolution|recurrence in"},                                 "0", 0},
    {"chunk inverse",                 {"chunk keys"},                                                "0", 0},
    {"corrected keys",                {"chunk inverse", "convolution|recurrence in"},                "01", 0},
    {"corrected values",              {"chunk inverse", "convolution|recurrence in"},                "01", 0},
    {"state corrections",             {"corrected keys", "corrected values"},                        "01", 0},
    {"chunk scores",                  {"convolution|recurrence in"},                                 "0", 0},
    {"chunk states",                  {"state corrections|convolution|recurrence in", "+gates up"},  "01", 0},
    {"state passing",                 {"chunk states"},                                              "0", 0},
    {"outputs from states",           {"state passing", "convolution|recurrence in"},                "01", 0},
    {"chunk outputs",                 {"chunk scores", "outputs from states", "convolution|recurrence in"}, "02", 0},
    {"gate, recurrence norm",         {"chunk outputs", "recurrence in"},                            "01", 0},
    {"recurrence out",                {"gate, recurrence norm"},                                     "",  0},
    {"recurrence reduce",             {"recurrence out"},                                            "",  0},
    {"recurrence post norm",          {"recurrence reduce|recurrence out"},                          "0", 0},
    {"recurrence residual",           {"$stream", "recurrence post norm|recurrence reduce|recurrence out"}, "", STREAM},

    {"mlp gather",                    {"mlp norm"},                                                  "",  0},
    {"mlp in",                        {"mlp gather|mlp norm|" NORMED},                               "",  0},
    {"activation",                    {"mlp in"},                                                    "0", 0},
    {"mlp out",                       {"activation"},                                                "",  0},
    {"mlp reduce",                    {"mlp out", "+attention out"},                                 "",  0},
    {"mlp post norm",                 {"shared sum|tokens gather|ascend|unpermute|combine|expert reduce|expert unsort|experts out|mlp reduce|mlp out"}, "0", 0},
    {"mlp residual",                  {"$stream", "mlp post norm|$prev"},                            "",  STREAM},
    {"residual",                      {"$stream", "$prev", "+attention reduce|attention out"},       "",  STREAM},

    {"router",                        {MLP_NORM},                                                    "",  0},
    {"routing",                       {"router"},                                                    "o", 0},
    {"descend",                       {MLP_NORM},                                                    "",  0},
    {"permute",                       {"descend|" MLP_NORM, "routing"},                              "1", 0},
    {"dispatch",                      {"permute|descend|" MLP_NORM},                                 "",  0},
    {"expert gather",                 {"dispatch|permute|descend|" MLP_NORM},                        "",  0},
    {"expert sort",                   {"expert gather|dispatch|permute|descend|" MLP_NORM, "routing"}, "1", 0},
    {"experts in",                    {"expert sort|expert gather|dispatch|permute|descend|" MLP_NORM}, "", 0},
    {"expert activation",             {"experts in", "routing"},                                     "01", 0},
    {"experts out",                   {"expert activation"},                                         "",  0},
    {"expert biases",                 {"experts out", "routing"},                                    "1", 0},
    {"expert unsort",                 {"$prev", "routing"},                                          "1", 0},
    {"expert reduce",                 {"$prev"},                                                     "",  0},
    {"combine",                       {"$prev"},                                                     "",  0},
    {"unpermute",                     {"$prev", "routing"},                                          "1", 0},
    {"ascend",                        {"$prev"},                                                     "",  0},
    {"tokens gather",                 {"$prev"},                                                     "",  0},
    {"shared gather",                 {"shared norm|" MLP_NORM},                                     "",  0},
    {"shared in",                     {"shared gather|shared norm|" MLP_NORM},                       "",  0},
    {"shared activation",             {"shared in"},                                                 "0", 0},
    {"shared out",                    {"shared activation"},                                         "",  0},
    {"shared reduce",                 {"shared out"},                                                "",  0},
    {"shared gate",                   {"shared reduce|shared out", "shared norm|" MLP_NORM},         "01", 0},
    {"shared sum",                    {"shared gate|shared reduce|shared out", "tokens gather|ascend|unpermute|combine|expert reduce|expert unsort|expert biases|experts out"}, "", 0},

    {"embedding",                     {"$tokens"},                                                   "0", 0},
    {"embedding reduce",              {"embedding"},                                                 "",  0},
    {"positions",                     {"$prev"},                                                     "",  0},
    {"embedding norm",                {"$prev"},                                                     "0", 0},
    {"embedding dropout",             {"$prev"},                                                     "",  0},

    {"next norm",                     {"embedding reduce|embedding"},                                "0", 0},
    {"stream norm",                   {"$stream"},                                                   "0", 0},
    {"prediction gather",             {"next norm", "stream norm"},                                  "",  0},
    {"prediction in",                 {"prediction gather|next norm", "+stream norm"},               "",  STREAM},
    {"prediction all-gather",         {"prediction in"},                                             "",  STREAM},
    {"final norm",                    {"$stream"},                                                   "0", 0},
    {"logits gather",                 {"final norm"},                                                "",  0},
    {"logits",                        {"logits gather|final norm"},                                  "",  0},
    {"logit cap",                     {"logits"},                                                    "o", 0},
    {"logits all-gather",             {"logit cap|logits"},                                          "",  0},
    {"loss reduce",                   {"logit cap|logits"},                                          "",  0},
    {"cross entropy",                 {"logits all-gather|logit cap|logits", "+loss reduce"},        "0", LOSS},
};
/* clang-format on */

/* Latent attention has a rotary of its own, which puts queries, keys and values together. */
static const char *name_of(const struct layer *layer, int i, const struct rk_model *model)
{
    const char *name = layer->operation[i].name;
    return model->kv_rank && strcmp(name, "rotary") == 0 ? "rotary up" : name;
}

static const struct row *row_of(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0) return &table[i];
    return NULL;
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
    return i >= 0 && strcmp(layer->operation[i].name, "cast") == 0;
}

/* The last operation in front of `at` of that name. */
static int find(const struct tracing *t, int at, const char *name, size_t length)
{
    if (length == 5 && memcmp(name, "$prev", 5) == 0)
        return is_cast(t->layer, at - 1) ? at - 2 : at - 1;
    if (length == 7 && memcmp(name, "$stream", 7) == 0) return t->stream;
    if (length == 7 && memcmp(name, "$tokens", 7) == 0) return FLOW_TOKENS;
    for (int i = at - 1; i >= 0; i--) {
        const char *own = name_of(t->layer, i, t->model);
        if (strlen(own) == length && memcmp(own, name, length) == 0) return i;
    }
    return NOBODY;
}

static int find_first(const struct tracing *t, int at, const char *names)
{
    const bool unread = *names == '+';
    for (const char *name = names + unread; *name;) {
        const size_t length = strcspn(name, "|");
        const int found = find(t, at, name, length);
        if (found != NOBODY) return unread && found >= 0 && t->read[found] ? NOBODY : found;
        name += length + (name[length] == '|');
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

/* A cast reads what the product behind it would, which then reads the cast. */
static void trace_sources(struct tracing *t, int at, const struct row *row)
{
    for (int i = 0; i < FLOW_READS && row->from[i]; i++) {
        const int found = find_first(t, at, row->from[i]);
        if (found != NOBODY) add_source(t, at, found, strchr(row->again, '0' + i) != NULL);
    }
    if (strchr(row->again, 'o')) t->flow->operation[at].again |= 1u << FLOW_READS;
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
        return (struct extent){
            (double)t->plan->microbatch *
                (double)(t->plan->sequence ? t->plan->sequence : t->model->sequence) /
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
    if (over == OVER_TENSOR) return (double)plan->tensor;
    if (over == OVER_EXPERT) return (double)plan->expert;
    if (over == OVER_EXPERT_TENSOR) return (double)rk_plan_expert_tensor(plan);
    return 1;
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

static bool ends_in(const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    return length >= end && strcmp(name + length - end, ending) == 0;
}

/* What an operation keeps beside its result: what dropout left, the sums of attention's rows. */
static double mask_bytes_of(const struct operation *op, double bytes)
{
    if (op->kind == OPERATION_ATTENTION) return op->saved_bytes - op->saved_recomputed_bytes;
    if (strcmp(op->name, "attention dropout") == 0) return op->saved_bytes - bytes;
    return ends_in(op->name, "residual") || ends_in(op->name, "dropout") ? op->saved_bytes : 0;
}

/* Logits of one chunk of the tokens, and beside them the gradients that forward brings: of their
 * input and weights. */
static void find_logits(struct tracing *t)
{
    for (int i = 0; i < t->layer->operations && t->plan->loss_in_chunks; i++) {
        const struct operation *op = &t->layer->operation[i];
        if (op->kind != OPERATION_MATRIX || strcmp(op->name, "logits") != 0) continue;
        t->logits = i;
        t->logit_rows =
            op->working_bytes / (op->count * op->m * op->n) / flow_element_bytes(t->flow->element);
    }
}

static void shape(const struct tracing *t, int at, const struct row *row)
{
    const struct operation *op = &t->layer->operation[at];
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
        out = shaped(op->elements, in, strstr(op->name, "permute") || strstr(op->name, "sort"));
    if (at >= t->logits) out.rows *= t->logit_rows;
    if (row && row->marks & LOSS) out = (struct extent){in.rows, 1};
    double bytes = out.rows * out.width * flow_element_bytes(flow->element);
    if (row && row->marks & LOSS) flow->element = RK_IN_FP32, bytes = 4 * out.rows;
    if (op->kind == OPERATION_COMM && !flow->alias) {
        flow->element = flow_element(t->plan, op->comm_element[RK_FORWARD]);
        bytes = out.rows * out.width * op->comm_element[RK_FORWARD];
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
    const struct row *row = row_of(name_of(t->layer, at, t->model));
    find_passes(t, at);
    if (is_cast(t->layer, at)) return NULL; /* with what follows */
    if (!row) return t->layer->operation[at].name;
    trace_sources(t, at, row);
    if (flow->reads == 0) return row->name;
    if (is_cast(t->layer, at - 1)) shape(t, at - 1, NULL);
    flow->in_place = flow->alias || row->marks & IN_PLACE;
    flow->is_stream = row->marks & STREAM;
    flow->adds = flow->is_stream && strcmp(row->from[0], "$stream") == 0;
    flow->is_loss = row->marks & LOSS;
    shape(t, at, row);
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
