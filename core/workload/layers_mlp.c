#include "workload/layers_build.h"

/* Bytes for each element of the output, of width f: fused, one kernel forward and one backward;
 * else as torch runs them one by one. `inner` is what backward needs besides the input and output
 * of the whole: silu(gate) where it has a kernel of its own [shazeer2020]. */
/* clang-format off */
static const struct activation_facts {
    double fused[2], apart[2]; /* elements read and written: forward, backward */
    double kernels[2];         /* apart */
    double inner;              /* apart: elements kept */
} facts[2] = {
    /*             fused     apart      kernels  inner */
    [false] = { {2, 3},   {2, 3},   {1, 1},  0 },
    [true]  = { {3, 5},   {5, 9},   {2, 3},  1 },
};
/* clang-format on */

static bool fuses(const struct build *build)
{
    return build->plan->fused && build->plan->activation_fused;
}

/* relu and square are two kernels; the first keeps its output, which is the second's input. */
static struct traffic traffic_of(const struct build *build)
{
    const struct rk_model *model = build->model;
    const struct activation_facts *f = &facts[model->gated_mlp];
    const double e = build->element;
    if (fuses(build)) return (struct traffic){f->fused[0] * e, f->fused[1] * e, 1, 1};
    const double square = model->activation == RK_SQUARED_RELU ? 1 : 0;
    const double bias = has_mlp_biases(model) ? 1 : 0;
    return (struct traffic){
        .forward = (f->apart[0] + 2 * square + 2 * bias) * e,
        .backward = (f->apart[1] + 3 * square) * e,
        .forward_kernels = f->kernels[0] + square + bias,
        .backward_kernels = f->kernels[1] + square,
    };
}

/* bitsandbytes' 4-bit products return the type that they were given (Linear4bit.forward of
 * nn/modules.py: `.to(inp_dtype)`), which after norms in fp32 is fp32. Attention casts to 16 bits,
 * the activation does not. */
static double activation_element(const struct build *build)
{
    const struct rk_plan *plan = build->plan;
    const bool of_4_bits = plan->base == RK_BASE_NF4 || plan->base == RK_BASE_NF4_DQ;
    return plan->residual_fp32 && of_4_bits ? 4 : build->element;
}

double activation_input_bytes(const struct build *build, double elements)
{
    return elements * (build->plan->activation_fp8 ? 1 : activation_element(build));
}

void add_activation(struct build *build, enum op id, struct place_in in, double rows, double width)
{
    const double x = rows * width;
    const double inner = fuses(build) ? 0 : facts[build->model->gated_mlp].inner;
    struct operation *op = add_memory(build, id, in, x, traffic_of(build));
    op->memory = MEMORY_ACTIVATION;
    const double kept = keeps_input(build, TARGETS_DOWN) ? build->kept : 0;
    const double e = activation_element(build);
    op->saved_bytes = x * (inner * e + kept);
    op->working_bytes = (build->model->gated_mlp ? 3 : 2) * x * e;
    if (build->plan->activation_fp8) op->working_bytes += 2 * x * build->element; /* cast back */
    op->released_bytes = x * kept;
}

/* Columns that the first matrix brings for each of the MLP's width. */
static double inputs_of(const struct rk_model *model)
{
    return model->gated_mlp ? 2 : 1;
}

void build_mlp(struct build *build, const struct mlp *mlp)
{
    const double width = mlp->width / build->tensor, h = build->hidden;
    const double wide = inputs_of(build->model) * width, rows = build->tokens;
    const bool biases = has_mlp_biases(build->model);
    struct place_in activation = mlp->in;
    if (mlp->in.part == RK_PART_MLP) activation.part = RK_PART_ACTIVATION;
    if (mlp->gathers) add_gather(build, mlp->gather, mlp->in, h, build->gathered);
    struct operation *op = add_narrow_linear(build, mlp->in_id, mlp->in,
                                             &(struct product){1, rows, wide, h}, build->shard);
    op->working_bytes -= dequantized_bytes(build, (wide - width) * h); /* gate, then up */
    op->parameters += biases ? wide : 0;
    op->released_bytes = activation_input_bytes(build, rows * wide);
    op->saved_bytes = op->released_bytes + mlp->input_kept;
    if (build->model->gated_mlp)
        add_adapter(build, mlp->in, &(struct adapted){RK_TARGET_GATE, 1, rows, h, width, false});
    add_adapter(build, mlp->in, &(struct adapted){RK_TARGET_UP, 1, rows, h, width, false});
    add_activation(build, mlp->activation, activation, rows, width);
    op = &build->layer->operation[build->layer->operations - 1];
    op->parameters = activation_parameters(build->model);
    op = add_narrow_linear(build, mlp->out_id, mlp->in, &(struct product){1, rows, h, width}, rows);
    op->parameters += biases ? h : 0;
    add_adapter(build, mlp->in, &(struct adapted){RK_TARGET_DOWN, 1, rows, width, h, false});
    if (mlp->reduces) add_reduce(build, mlp->reduce, mlp->in, h);
}
