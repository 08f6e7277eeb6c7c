/* layers_adapters.c - matrices whose weights are frozen, and their adapters.
 *
 *     y = W x + s B A dropout(x)      A: r x in, B: out x r        [hu2021lora]
 *
 * A product of a frozen matrix saves the matrix for backward, not its input, which only the
 * gradient of the weights reads (torch's derivatives of mm and linear). A saves its input: the one
 * that all matrices after a norm share, or with dropout a copy and a mask of its own, of 1 byte an
 * element; B saves A x (huggingface/peft v0.10 to 0.18, src/peft/tuners/lora/layer.py). DoRA
 * computes the norm of W + s B A in every forward pass, and saves both results (dora.py).
 *
 * Several adapters: summed, each has all of this (layer.py goes round the active ones); mixed, the
 * products are one grouped product of all tokens, of all adapters' weights stacked, a copy that is
 * saved (prime-rl, trainer/models/layers/lora/multi_linear.py); idle, weights (estimate).
 */
#include "plan/habits.h"
#include "workload/layers_build.h"

/* clang-format off */
/* Blocks of 64 weights with a maximum of 4 bytes, or of 1 byte and of 4 for 256 of these
 * (bitsandbytes, functional.py, quantize_4bit; torchao's NF4 likewise); groups of 128 with a scale
 * of 2 bytes and a zero of half a byte (AutoGPTQ). Rows of int8 have 4 bytes each, a thousandth. */
static const double base_bytes[RK_BASES] = {
    [RK_BASE_NF4]    = 0.5 + 4.0 / 64,
    [RK_BASE_NF4_DQ] = 0.5 + 1.0 / 64 + 4.0 / (64 * 256),
    [RK_BASE_GPTQ4]  = 0.5 + 2.0 / 128 + 0.5 / 128,
    [RK_BASE_INT8]   = 1,
};
/* clang-format on */

double base_element_bytes(const struct rk_plan *plan)
{
    return rk_plan_freezes(plan) ? base_bytes[plan->base] : 0;
}

static const unsigned all_targets =
    (TARGETS_QKV ^ 1 << RK_TARGET_QKV) | TARGETS_O | TARGETS_IN | TARGETS_DOWN;

static unsigned targets_of(const struct rk_plan *plan)
{
    if (!plan->lora) return 0;
    return plan->lora_targets ? plan->lora_targets : all_targets;
}

/* bitsandbytes puts the input of an 8-bit product into the context of backward whatever is trained,
 * of a 4-bit one until 0.43.2 (autograd/_functions.py: MatMul8bitLt, MatMul4Bit). */
bool keeps_input(const struct build *build, unsigned targets)
{
    const struct rk_plan *plan = build->plan;
    const bool eights = plan->base == RK_BASE_INT8 && !(targets & TARGETS_HEAD);
    if (!rk_plan_freezes(plan) || plan->frozen_inputs || eights) return true;
    if (targets & TARGETS_HEAD && plan->lora_whole >> RK_END_HEAD & 1) return true;
    return (targets_of(plan) & targets) && !(plan->lora_dropout > 0);
}

/* Trained in all three passes, where model FLOP count two of what is frozen. */
static struct operation *add_factor(struct build *build, enum op id, struct place_in in,
                                    const struct adapted *adapted, const struct product *product)
{
    struct operation *op = add_trained(build, id, in, product);
    op->useful_flop *= 3.0 / 2;
    if (build->plan->adapters_run == RK_ADAPTERS_MIXED && build->plan->adapters > 1) {
        op->parameters *= (double)build->plan->adapters;
        op->saved_bytes += op->parameters * build->element;
    }
    op->adapter = true;
    op->expert = adapted->expert;
    return op;
}

/* PEFT's adapters are in fp32 where activations have 16 bits: each casts its input for itself
 * (_cast_input_dtype of layer.py), and autocast casts it back for the product. */
static bool casts_input(const struct build *build)
{
    return build->plan->lora_element_bytes > build->element && !habits_of(build->plan)->engine;
}

/* What an adapter does with its input before A reads it, and, where it casts, the sum of its
 * gradient and the matrix's. */
static void prepare_input(struct build *build, struct place_in in, double elements)
{
    const double e = build->element, wide = build->plan->lora_element_bytes;
    const bool drops = build->plan->lora_dropout > 0, casts = casts_input(build);
    struct traffic traffic = {0};
    if (drops) traffic = (struct traffic){2 * (casts ? wide : e) + 1, 0, 1, 1};
    traffic.forward += casts ? 2 * (e + wide) : 0;
    traffic.backward = traffic.forward + (casts ? 3 * e : 0);
    traffic.forward_kernels += casts ? 2 : 0;
    traffic.backward_kernels += casts ? 3 : 0;
    if (!drops && !casts) return;
    struct operation *op = add_memory(build, OP_ADAPTER_INPUT, in, elements, traffic);
    if (drops) op->saved_bytes = op->saved_recomputed_bytes = elements * (e + 1);
}

/* B A and W + s B A whole, twice read for the norm; both results are kept, and a magnitude of each
 * output is trained. */
static void weigh(struct build *build, struct place_in in, const struct adapted *a)
{
    const double e = build->element, weights = a->count * a->in * a->out;
    if (!build->plan->dora) return;
    struct operation *op =
        add_memory(build, OP_ADAPTER_NORM, in, weights, (struct traffic){6 * e, 0, 4, 0});
    op->parameters = a->count * a->out;
    op->adapter = true;
    op->expert = a->expert;
    op->working_bytes = 2 * a->in * a->out * e;
    op->saved_bytes = op->saved_recomputed_bytes = 2 * a->count * a->rows * a->out * e;
}

void add_adapter(struct build *build, struct place_in in, const struct adapted *adapted)
{
    struct adapted all = *adapted;
    const struct adapted *a = &all;
    if (build->plan->adapters_run == RK_ADAPTERS_SUMMED) all.count *= (double)build->plan->adapters;
    const double rank = (double)build->plan->lora, e = build->element;
    if (!(targets_of(build->plan) >> a->target & 1) || build->served || !(a->out > 0)) return;
    prepare_input(build, in, a->count * a->rows * a->in);
    struct operation *op =
        add_factor(build, OP_ADAPTER_IN, in, a, &(struct product){a->count, a->rows, rank, a->in});
    op->saved_recomputed_bytes = a->count * a->rows * rank * e;
    op->saved_bytes += op->saved_recomputed_bytes;
    add_factor(build, OP_ADAPTER_OUT, in, a, &(struct product){a->count, a->rows, a->out, rank});
    weigh(build, in, a);
    const struct traffic sum = /* compiled, after the product of B */
        build->plan->fused && !casts_input(build) ? (struct traffic){2 * e, e, 0, 0}
                                                  : (struct traffic){5 * e, 2 * e, 2, 1};
    add_memory(build, OP_ADAPTER_SUM, in, a->count * a->rows * a->out, sum);
}

/* The frozen module stays, and a copy of it is trained (huggingface/peft, utils/other.py,
 * ModulesToSaveWrapper): its gradient is one product more, or rows of a table that are added to. */
void add_whole_end(struct build *build, struct place_in in, enum rk_end end, double rows,
                   double columns)
{
    const double h = build->hidden;
    if (build->served || !(build->plan->lora_whole >> end & 1)) return;
    struct operation *op;
    if (end == RK_END_EMBEDDING) {
        const struct traffic added = {0, build->element + 2 * build->element, 0, 1};
        op = add_memory(build, OP_ADAPTER_EMBEDDING, in, rows * h, added);
    } else {
        op = add_trained(build, OP_ADAPTER_HEAD, in, &(struct product){1, rows, columns, h});
        op->useful_flop /= 2; /* one pass, where model FLOP count two of what is frozen */
        for (int pass = 0; pass < RK_PASSES; pass++)
            if (pass != RK_WGRAD) op->flop[pass] = op->bytes[pass] = op->kernels[pass] = 0;
        op->working_bytes = 0; /* there is one result, the gradient */
    }
    op->parameters = columns * h;
    op->adapter = true;
}
