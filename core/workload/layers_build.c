#include "workload/layers_build.h"
#include "plan/habits.h"

#include <assert.h>
#include <math.h>

/* ---- precision ---- */

static bool is_narrow(const struct rk_plan *plan)
{
    return plan->precision >= RK_FP8_DELAYED;
}

static double element_of(const struct rk_plan *plan)
{
    return plan->precision == RK_FP32 || plan->precision == RK_TF32 ? 4 : 2;
}

/* Narrow elements with their scales, and what a cast of a 16-bit tensor to them reads and writes:
 * itself and transposed, for the product of the weight gradient. Scales of the tensor itself need
 * its maximum first: it is read twice. Scales of rows are found while a row is cast, those of
 * columns, for the other product, in a pass of their own. Scales are of 4 bytes for 128 values
 * [deepseek2024v3], of one for 32 [rouhani2023] or for 16 [nvidia2025]. With int8 the gradient of
 * weights is of the 16-bit input, which is kept. */
/* clang-format off */
static const struct narrow {
    double kept, cast;
} narrows[RK_PRECISIONS] = {
    /*                   kept            cast                      */
    [RK_FP8_DELAYED] = { 1,              2 + 2 },
    [RK_FP8_CURRENT] = { 1,              2 + 2 + 2 },
    [RK_FP8_ROW]     = { 1,              2 + 1 + 2 + 2 + 1 },
    [RK_FP8_BLOCK]   = { 1 + 4.0 / 128,  2 + 2 * (1 + 4.0 / 128) },
    [RK_MXFP8]       = { 1 + 1.0 / 32,   2 + 2 * (1 + 1.0 / 32) },
    [RK_NVFP4]       = { 0.5 + 1.0 / 16, 2 + 2 + 2 * (0.5 + 1.0 / 16) },
    [RK_INT8]        = { 2,              2 + 2 + 1 },
};
/* clang-format on */

/* Transformer Engine keeps the cast input; torch's float8 linear layers keep what they were given.
 */
double narrow_kept_bytes(const struct rk_plan *plan)
{
    if (!is_narrow(plan) || habits_of(plan)->keeps_given) return element_of(plan);
    return narrows[plan->precision].kept;
}

/* torchtitan's tensor parallelism casts before it gathers where one scale is enough for the whole
 * tensor, forward and backward (Float8ColwiseParallel, enable_float8_tensorwise_tp). */
static double gathered_of(const struct rk_plan *plan)
{
    const bool torch = habits_of(plan)->keeps_given && plan->precision == RK_FP8_CURRENT;
    return torch ? narrows[RK_FP8_CURRENT].kept : narrow_kept_bytes(plan);
}

struct build build_begin(struct layer *layer, const struct rk_model *model,
                         const struct rk_plan *plan)
{
    const double batch = (double)(plan->microbatch * rk_plan_answers(plan));
    const double context = (double)plan->context;
    const double sequence = (double)(plan->sequence ? plan->sequence : model->sequence);
    const double tensor = (double)plan->tensor, tokens = batch * sequence / context;
    return (struct build){
        .layer = layer,
        .model = model,
        .plan = plan,
        .batch = batch,
        .sequence = sequence,
        .tensor = tensor,
        .context = context,
        .tokens = tokens,
        .shard = plan->sequence_parallel ? tokens / tensor : tokens,
        .hidden = (double)model->hidden,
        .element = element_of(plan),
        .kept = narrow_kept_bytes(plan),
        .gathered = gathered_of(plan),
        .graph = RK_GRAPH_PARTS,
    };
}

double encoder_tokens(const struct build *build)
{
    return build->batch * (double)build->model->encoder_sequence / build->context;
}

double encoder_shard(const struct build *build)
{
    const double tokens = encoder_tokens(build);
    return build->plan->sequence_parallel ? tokens / build->tensor : tokens;
}

void in_encoder(struct build *build)
{
    build->tokens = encoder_tokens(build);
    build->shard = encoder_shard(build);
    build->sequence = (double)build->model->encoder_sequence;
    build->two_way = true;
}

/* ---- operations ---- */

struct operation *add_operation(struct build *build, enum op id, struct place_in in)
{
    struct layer *layer = build->layer;
    assert(layer->operations < MAX_OPERATIONS);
    struct operation *op = &layer->operation[layer->operations++];
    *op = (struct operation){
        .op = id,
        .kind = op_facts[id].kind,
        .narrow = op_facts[id].marks & MARK_NARROW,
        .part = in.part,
        .holding = in.holding,
        .graph = build->graph,
        .comm_times = {1, 1, 1},
    };
    return op;
}

/* Gradients run two products, of the same FLOP each. In backward the gradients of both operands or,
 * of weights, those of input and output are there. */
static struct operation *add_matrix(struct build *build, enum op id, struct place_in in,
                                    const struct product *p, bool of_weights)
{
    const double flop = 2 * p->count * p->m * p->n * p->k, e = build->element;
    const double input = p->count * p->m * p->k, output = p->count * p->m * p->n;
    const double other = p->count * p->n * p->k, touched = (input + output + other) * e;
    struct operation *op = add_operation(build, id, in);
    op->count = p->count;
    op->m = p->m;
    op->n = p->n;
    op->k = p->k;
    op->of_weights = of_weights;
    op->useful_flop = flop;
    op->flop[RK_FORWARD] = flop;
    op->flop[RK_AGRAD] = of_weights ? flop : 2 * flop;
    op->flop[RK_WGRAD] = of_weights ? flop : 0;
    op->bytes[RK_FORWARD] = touched;
    op->bytes[RK_AGRAD] = of_weights ? touched : 2 * touched;
    op->bytes[RK_WGRAD] = of_weights ? touched : 0;
    op->kernels[RK_FORWARD] = 1;
    op->kernels[RK_AGRAD] = of_weights ? 1 : 2;
    op->kernels[RK_WGRAD] = of_weights ? 1 : 0;
    op->working_bytes = (input + output + (of_weights ? 0 : other)) * e;
    return op;
}

struct operation *add_product(struct build *build, enum op id, struct place_in in,
                              const struct product *product)
{
    return add_matrix(build, id, in, product, false);
}

struct operation *add_trained(struct build *build, enum op id, struct place_in in,
                              const struct product *product)
{
    struct operation *op = add_matrix(build, id, in, product, true);
    op->parameters = product->count * product->n * product->k;
    return op;
}

struct operation *add_linear(struct build *build, enum op id, struct place_in in,
                             const struct product *product)
{
    struct operation *op = add_trained(build, id, in, product);
    if (rk_plan_freezes(build->plan))
        op->flop[RK_WGRAD] = op->bytes[RK_WGRAD] = op->kernels[RK_WGRAD] = 0;
    return op;
}

/* Products with scales of rows and columns are CUTLASS's, not cuBLAS's. Fitted to two steps of an
 * 8B model on eight H100, rows against the tensor, 6,768 and 7,689.5 tokens/s [torchao2025]. */
#define SLOWER_ROWS 1.16

/* Products with a scale for each few values, in the hardware of Blackwell, against those with one
 * of the tensor: 0.89 to 0.95 of their rate, slopes of the time with n where casts stand apart (m
 * of 8,192 and k of 4,096 and more; TensorRT-LLM 1.3 on B200, GB200, B300, GB300
 * [aiconfigurator2026]). */
#define SLOWER_BLOCKS 1.07

static double slower_by(enum rk_precision precision)
{
    return precision == RK_FP8_ROW ? SLOWER_ROWS : precision == RK_MXFP8 ? SLOWER_BLOCKS : 0;
}

/* Weights are cast once a step: frameworks keep the casts from microbatch to microbatch. */
static double weight_share(const struct rk_plan *plan)
{
    const double ranks = (double)(plan->microbatch * rk_plan_data(plan));
    return plan->weights_fp8 || ranks <= 0 ? 0 : fmin(1, ranks / (double)plan->batch);
}

/* Before 0.43.2 bitsandbytes turns 4 bits into the fp16 that it quantised from (Params4bit.cuda),
 * and that into what is multiplied. */
double dequantized_bytes(const struct build *build, double elements)
{
    if (!(base_element_bytes(build->plan) > 0) || build->served) return 0;
    return elements * (build->element + (build->plan->frozen_inputs ? 2 : 0));
}

/* A matrix of a base in 4 or 8 bits is turned into 16 bits in front of its product, forward and
 * backward, and is not kept so: bitsandbytes saves the narrow one alone (autograd/_functions.py of
 * 0.43.2), torchao likewise (nf4_tensor.py). Inputs that it put into the context of backward
 * (ctx.tensors), which backward does not free, are there as long as the loss is. */
static double add_dequantize(struct build *build, struct place_in in, const struct product *p)
{
    const double base = base_element_bytes(build->plan), e = build->element;
    if (!(base > 0) || build->served) return 0;
    struct operation *op = add_memory(build, OP_DEQUANTIZE, in, p->count * p->n * p->k,
                                      (struct traffic){base + e, base + e, 1, 1});
    op->working_bytes = 0; /* the product's */
    if (build->plan->inputs_linger) op->saved_bytes = p->count * p->m * p->k * e;
    return dequantized_bytes(build, p->n * p->k);
}

struct operation *add_base_linear(struct build *build, enum op id, struct place_in in,
                                  const struct product *p)
{
    const double copied = add_dequantize(build, in, p);
    struct operation *op = add_linear(build, id, in, p);
    op->working_bytes += copied;
    op->narrow = true;
    return op;
}

struct operation *add_narrow_linear(struct build *build, enum op id, struct place_in in,
                                    const struct product *p, double rows)
{
    const double copied = add_dequantize(build, in, p);
    if (is_narrow(build->plan) && !build->served) {
        const double cast = narrows[build->plan->precision].cast;
        const double weights = p->n * p->k * weight_share(build->plan);
        struct operation *op = add_operation(build, OP_CAST, in);
        op->elements = p->count * rows * p->k;
        op->bytes[RK_FORWARD] = p->count * (rows * p->k + weights) * cast;
        op->bytes[RK_AGRAD] = p->count * p->m * p->n * cast;
        op->kernels[RK_FORWARD] = op->kernels[RK_AGRAD] = 1;
    }
    struct operation *op = add_linear(build, id, in, p);
    op->working_bytes += copied;
    op->slower = slower_by(build->plan->precision);
    return op;
}

struct operation *add_memory(struct build *build, enum op id, struct place_in in, double elements,
                             struct traffic traffic)
{
    struct operation *op = add_operation(build, id, in);
    op->elements = elements;
    op->bytes[RK_FORWARD] = elements * traffic.forward;
    op->bytes[RK_AGRAD] = elements * traffic.backward;
    op->kernels[RK_FORWARD] = traffic.forward_kernels;
    op->kernels[RK_AGRAD] = traffic.backward_kernels;
    op->working_bytes = 2 * elements * build->element; /* gradients of input and output */
    return op;
}

/* ---- norms ---- */

/* One kernel reads its input and writes its output; backward reads gradient and input and writes a
 * gradient. RMSNorm as models write it out in torch [zhang2019]: cast to fp32, square, mean, scale,
 * cast back, weigh; torch has LayerNorm in one kernel, which its autocast runs in fp32 between two
 * casts. */
static struct traffic norm_traffic(const struct build *build)
{
    const double e = build->element;
    const bool layer_norm = build->model->norm != RK_RMS_NORM;
    const bool autocast = habits_of(build->plan)->autocasts && e < 4;
    if (build->plan->fused || (layer_norm && !autocast))
        return (struct traffic){2 * e, 3 * e, 1, 1};
    if (layer_norm) return (struct traffic){2 * e + 16, 2 * e + 20, 3, 3};
    return (struct traffic){4 * e + 28, 8 * e + 48, 6, 9};
}

/* Bytes of the input of a norm that backward reads: written out in torch, its fp32 copy and, for
 * the gradient of the weights, the scaled input in front of them. */
static double norm_input_bytes(const struct build *build)
{
    if (build->plan->fused || build->model->norm != RK_RMS_NORM)
        return build->plan->residual_fp32 ? 4 : build->element;
    return 4 + (rk_plan_freezes(build->plan) ? 0 : build->element);
}

struct operation *add_norm(struct build *build, enum op id, struct place_in in, double rows,
                           double width, double kept)
{
    const double x = rows * width;
    struct operation *op = add_memory(build, id, in, x, norm_traffic(build));
    op->memory = MEMORY_NORM;
    op->parameters = norm_parameters(build->model, width);
    op->saved_bytes = x * (norm_input_bytes(build) + kept);
    op->saved_recomputed_bytes = x * build->element;
    return op;
}

/* ---- communication ---- */

struct operation *add_comm(struct build *build, enum op id, struct place_in in, enum comm_over over,
                           enum comm_what forward, enum comm_what backward, double bytes)
{
    struct operation *op = add_operation(build, id, in);
    op->over = over;
    op->what[RK_FORWARD] = forward;
    op->what[RK_AGRAD] = op->what[RK_WGRAD] = backward;
    op->comm_bytes[RK_FORWARD] = op->comm_bytes[RK_AGRAD] = bytes;
    for (int pass = 0; pass < RK_PASSES; pass++)
        op->comm_element[pass] = build->element;
    op->kernels[RK_FORWARD] = op->kernels[RK_AGRAD] = 1;
    return op;
}

void add_gather(struct build *build, enum op id, struct place_in in, double width, double element)
{
    const double x = build->tokens * width;
    if (build->tensor <= 1) return;
    struct operation *op = add_comm(build, id, in, OVER_TENSOR, COMM_ALL_GATHER,
                                    COMM_REDUCE_SCATTER, x * build->element);
    op->beside_matrix = true;
    if (!build->plan->sequence_parallel) { /* nothing forward; gradients are summed */
        op->what[RK_AGRAD] = COMM_ALL_REDUCE;
        op->comm_bytes[RK_FORWARD] = op->kernels[RK_FORWARD] = 0;
        return;
    }
    op->comm_bytes[RK_FORWARD] = x * element;
    op->comm_element[RK_FORWARD] = op->comm_element[RK_WGRAD] = element;
    op->what[RK_WGRAD] = COMM_ALL_GATHER; /* the input was kept as a shard */
    op->comm_bytes[RK_WGRAD] = rk_plan_freezes(build->plan) ? 0 : x * element;
    op->kernels[RK_WGRAD] = rk_plan_freezes(build->plan) ? 0 : 1;
    op->working_bytes = 2 * x * build->element; /* gathered input and its gradient */
    if (plan_lacks_engine(build->plan)) gather_into_buffer(build);
}

void gather_into_buffer(struct build *build)
{
    struct operation *op = &build->layer->operation[build->layer->operations - 1];
    if (op->over != OVER_TENSOR || !build->plan->sequence_parallel) return;
    op->buffer_bytes = op->comm_bytes[RK_FORWARD];
    op->working_bytes -= op->buffer_bytes;
}

void add_reduce(struct build *build, enum op id, struct place_in in, double width)
{
    const bool shards = build->plan->sequence_parallel;
    const double x = build->tokens * width;
    if (build->tensor <= 1) return;
    struct operation *op =
        add_comm(build, id, in, OVER_TENSOR, shards ? COMM_REDUCE_SCATTER : COMM_ALL_REDUCE,
                 COMM_ALL_GATHER, x * build->element);
    op->beside_matrix = true;
    if (!shards) op->comm_bytes[RK_AGRAD] = op->kernels[RK_AGRAD] = 0;
}

/* ---- the end of a half ---- */

void add_residual(struct build *build, enum op id, double streams)
{
    const struct rk_model *model = build->model;
    const double e = build->element, x = build->shard * build->hidden;
    const bool drops = !model->no_dropout, fused = build->plan->fused;
    const double bias = model->biases && !fused ? 2 * e : 0;
    const double apart = drops && !fused ? 2 * e + 1 : 0;
    const double mask = drops && fused ? 1 : 0;
    const struct traffic traffic = {
        .forward = streams * e + 2 * e + bias + apart + mask,
        .backward = 3 * e + (drops ? 2 * e + 1 : 0),
        .forward_kernels = 1 + (bias > 0) + (apart > 0),
        .backward_kernels = drops ? 2 : 1,
    };
    struct operation *op =
        add_memory(build, id, (struct place_in){RK_HOLD_norms, NOT_A_PART}, x, traffic);
    if (streams == 1 && !drops) op->memory = MEMORY_RESIDUAL;
    if (build->served) op->kernels[RK_FORWARD] = 0; /* the norm after it sums */
    op->saved_bytes = op->saved_recomputed_bytes = drops ? streams * x : 0; /* masks */
}
