/* layers_experts.c - a mixture of experts: router, dispatch, experts, combine [shazeer2017],
 * [lepikhin2020]; shared experts [dai2024]; tokens that travel narrowed [jin2025].
 *
 * Each rank routes its own shard of the tokens. With e ranks that share the experts and x ranks
 * that share each of them, of n tokens, k experts a token:
 *
 *     sent        = n k                  copies, 1/e of which stay
 *     received    = n k x * crowding     by the busiest rank: shards of x ranks come together
 *     an expert's = received * e / experts
 */
#include "base/extremes.h"
#include "plan/habits.h"
#include "workload/layers.h"
#include "workload/layers_build.h"

#include <math.h>

static const struct place_in experts_place = {RK_HOLD_experts, RK_PART_EXPERTS};
static const struct place_in experts_activation = {RK_HOLD_experts, RK_PART_ACTIVATION};
static const struct place_in shared_place = {RK_HOLD_experts, RK_PART_SHARED_EXPERTS};

struct mixture {
    double experts, local; /* of the layer, of this rank */
    double ranks;          /* that share the experts; e */
    double tensor;         /* that share one expert; x */
    double active;         /* experts a token goes to; k */
    double reach;          /* share of the experts, neighbours, that they are chosen from */
    double routed;         /* tokens that this rank routes; n */
    double crowding;       /* copies of the busiest rank over the mean, as they are computed */
    double width;          /* of tokens on their way */
    double feedforward;    /* inside an expert */
};

/* How a router that nobody forces spreads tokens lies between evenly and all on the same experts:
 * the geometric mean of both. */
double rk_busiest_expert(const struct rk_model *model)
{
    return sqrt((double)model->experts / (double)model->active_experts);
}

/* Experts of a token on the rank that has most of them, if chance picks k of `experts`: the sum
 * over all m of the probability that some rank has more, with ranks taken one by one. */
static double most_on_one(double experts, double k, double ranks)
{
    const double own = experts / ranks, others = experts - own;
    double most = 0, exactly = 1;
    if (others < k) return k / ranks;
    for (double i = 0; i < k; i++)
        exactly *= (others - i) / (experts - i);
    for (double m = 0, at_most = exactly; m < fmin(k, own); m++) {
        most += m < k / ranks ? 1 : 1 - pow(at_most, ranks);
        exactly *= (own - m) * (k - m) / ((m + 1) * (others - k + m + 1));
        at_most += exactly;
    }
    return most;
}

/* Likewise of ranks: evenly, and all on the same experts, the geometric mean of both. */
static double busiest_rank(const struct rk_model *model, double ranks)
{
    const double active = (double)model->active_experts;
    if (ranks <= 1) return 1;
    return sqrt(most_on_one((double)model->experts, active, ranks) * ranks / active);
}

/* Copies of tokens over the mean: of the busiest rank; cut at the capacity, or filled up to it, or
 * to the busiest expert. */
static double crowding_of(const struct rk_model *model, const struct rk_plan *plan)
{
    const double capacity = plan->capacity_factor;
    if (plan->capacity_padded && capacity > 0) return capacity;
    if (plan->capacity_padded && !(plan->imbalance > 1)) return rk_busiest_expert(model);
    const double natural = plan->natural_load ? busiest_rank(model, (double)plan->expert) : 1;
    const double busiest = plan->imbalance > 1 ? plan->imbalance : natural;
    return capacity > 0 ? fmin(busiest, capacity) : busiest;
}

/* A token's experts are chosen within the best groups, such as those of 4 of 8 nodes
 * [deepseek2024v3, 2.1.2]. */
static double reach_of(const struct rk_model *model)
{
    return model->active_groups ? (double)model->active_groups / (double)model->expert_groups : 1;
}

static struct mixture mixture_of(const struct build *build)
{
    const struct rk_model *model = build->model;
    const struct rk_plan *plan = build->plan;
    return (struct mixture){
        .experts = (double)model->experts,
        .local = (double)model->experts / (double)plan->expert,
        .ranks = (double)plan->expert,
        .tensor = (double)rk_plan_expert_tensor(plan),
        .active = (double)model->active_experts,
        .reach = reach_of(model),
        .routed = build->tokens / build->tensor,
        .crowding = crowding_of(model, plan),
        .width = model->expert_hidden ? (double)model->expert_hidden : build->hidden,
        .feedforward = (double)model->expert_feedforward,
    };
}

/* Copies on this rank, the busiest one, for all the shards that it works on. */
static double copies(const struct mixture *mix)
{
    return mix->routed * mix->active * mix->tensor * mix->crowding;
}

/* ---- router ---- */

/* Kernels that the host starts one by one: of Megatron-Core (0.12 to 0.17) the softmax, top-k and
 * masks of moe_utils.py, the auxiliary loss, and what token_dispatcher.py counts for its messages;
 * of torchtitan (models/moe.py) and DeepSpeed (sharded_moe.py) likewise. Captured, few are left. */
static struct traffic routing_traffic(const struct build *build)
{
    const struct habits *habits = habits_of(build->plan);
    struct traffic routing = build->plan->fused ? (struct traffic){4 + 4 + 1, 4 + 4 + 1, 2, 1}
                                                : (struct traffic){7 * 4 + 3, 5 * 4 + 1, 8, 5};
    if (build->served || plan_captures(build->plan, RK_GRAPH_ROUTER)) return routing;
    routing.forward_kernels = fmax(routing.forward_kernels, habits->routes);
    routing.backward_kernels = fmax(routing.backward_kernels, habits->routes_back);
    return routing;
}

/* Its FLOP are left out of model FLOP, as published counts leave them out [jin2025]. Scores and
 * probabilities are fp32; which expert a token goes to is a byte each. */
static void add_router(struct build *build, const struct mixture *mix)
{
    const double scores = mix->routed * mix->experts, all = mix->experts;
    struct operation *op = add_linear(build, OP_ROUTER, experts_place,
                                      &(struct product){1, mix->routed, all, build->hidden});
    op->useful_flop = 0;
    op->parameters += build->model->router_biases ? all : 0;
    op->saved_bytes = 4 * scores;
    op = add_memory(build, OP_ROUTING, experts_place, scores, routing_traffic(build));
    op->saved_bytes = (4 + 1) * scores;
}

/* ---- tokens on their way ---- */

/* Expected number of ranks that k random experts of the share that is reached are on: copies of a
 * token when those for one rank travel once. */
static double ranks_met(const struct mixture *mix)
{
    const double reached = fmax(1, mix->ranks * mix->reach);
    return reached * (1 - pow(1 - 1 / reached, mix->active));
}

/* Copies of a token that are sent; DeepEP sends one to each rank. */
static double copies_sent(const struct build *build, const struct mixture *mix)
{
    if (build->plan->dispatcher != RK_DEEPEP) return mix->active;
    return ranks_met(mix);
}

/* DeepSeek-V3 sends tokens forward, and gradients backward, to the experts in 8 bits
 * [deepseek2024v3]. */
static double sent_element(const struct build *build)
{
    const struct rk_plan *plan = build->plan;
    const bool narrow = plan->dispatcher == RK_DEEPEP && plan->precision == RK_FP8_BLOCK;
    return narrow ? build->kept : build->element;
}

/* Ranks tell each other first how many copies come for each expert. */
static double told_bytes(const struct build *build, double experts)
{
    const double count_bytes = 8;
    return build->plan->dispatcher == RK_ALL_TO_ALL ? count_bytes * experts : 0;
}

/* `to_experts` is the pass in which tokens go to them and not back. */
static void add_exchange(struct build *build, const struct mixture *mix, enum op id,
                         enum rk_pass to_experts)
{
    const bool dispatch = to_experts == RK_FORWARD;
    const double tokens = mix->routed * mix->width;
    if (mix->ranks <= 1) return;
    if (build->plan->dispatcher == RK_ALL_GATHER_TOKENS) {
        const double whole = tokens * mix->ranks * build->element;
        struct operation *op = add_comm(build, id, experts_place, OVER_EXPERT,
                                        dispatch ? COMM_ALL_GATHER : COMM_REDUCE_SCATTER,
                                        dispatch ? COMM_REDUCE_SCATTER : COMM_ALL_GATHER, whole);
        op->working_bytes = whole;
        return;
    }
    const double elements = tokens * copies_sent(build, mix) * mix->crowding;
    struct operation *op = add_comm(build, id, experts_place, OVER_EXPERT, COMM_ALL_TO_ALL,
                                    COMM_ALL_TO_ALL, elements * build->element);
    op->comm_bytes[to_experts] = elements * sent_element(build);
    op->comm_element[to_experts] = sent_element(build);
    op->copies = build->plan->dispatcher == RK_DEEPEP ? mix->active : 0;
    op->reach = mix->reach;
    op->told_bytes = dispatch ? told_bytes(build, mix->experts) : 0;
    op->working_bytes = 2 * elements * build->element;
}

/* Shards of the ranks that share an expert come together, and its outputs are summed. */
static void add_expert_tensor(struct build *build, const struct mixture *mix, enum op id,
                              bool dispatch)
{
    if (mix->tensor <= 1) return;
    const bool gathered = build->plan->dispatcher == RK_ALL_GATHER_TOKENS;
    const double tokens = gathered ? mix->routed * mix->ranks * mix->tensor : copies(mix);
    struct operation *op = add_comm(build, id, experts_place, OVER_EXPERT_TENSOR,
                                    dispatch ? COMM_ALL_GATHER : COMM_REDUCE_SCATTER,
                                    dispatch ? COMM_REDUCE_SCATTER : COMM_ALL_GATHER,
                                    tokens * mix->width * build->element);
    op->told_bytes = dispatch ? told_bytes(build, mix->experts * mix->tensor) : 0;
}

/* Rows that are not in order, over those that are: SimuMax measured permutations on a B200 at 0.50
 * of the memory's rate where other kernels have 0.67. */
#define SCATTERED (0.67 / 0.50)

/* Rows that torch adds up to those of tokens: what experts bring, and gradients of what they were
 * given. Compiled, they are added two or more elements at a time, as fast as memory is. */
static void add_rows(const struct build *build, struct operation *op, enum rk_pass pass)
{
    const struct rk_plan *plan = build->plan;
    if (!habits_of(plan)->adds_rows || plan->compiled_rows || plan->xla || build->served) return;
    if (pass == RK_AGRAD && !(plan->grouped && plan->gathered_copies)) return;
    op->added[pass] = op->elements;
}

/* A copy of each token for each of its experts, and their sum: `spread` goes one way forward and
 * the other backward. Fused, one kernel; torch adds into a tensor of zeros. */
static struct operation *add_permutation(struct build *build, enum op id, double elements,
                                         bool spread)
{
    const double e = build->element;
    const double sum = build->plan->fused ? 2 * e : 4 * e, kernels = build->plan->fused ? 1 : 2;
    struct operation *op = add_memory(build, id, experts_place, elements,
                                      spread ? (struct traffic){2 * e, sum, 1, kernels}
                                             : (struct traffic){sum, 2 * e, kernels, 1});
    op->bytes[RK_FORWARD] *= SCATTERED;
    op->bytes[RK_AGRAD] *= SCATTERED;
    return op;
}

/* (brought.to(fp32) * score).to(bf16), before copies are summed: the cast is kept. Backward has the
 * gradient in fp32, what goes on from it, and its product with the cast for the score's. */
static void weigh_wide(const struct build *build, struct operation *sum, double elements)
{
    if (!habits_of(build->plan)->weighs_wide || !build->plan->grouped || build->served) return;
    sum->saved_bytes += 4 * elements;
    sum->working_bytes = larger(sum->working_bytes, (4 + 4 + 4) * elements);
}

/* Copies are sorted by expert before they leave (DeepEP sends tokens, and copies them where they
 * arrive), and once more by expert when several ranks' have come. */
static bool sorts_before(const struct build *build, const struct mixture *mix)
{
    return mix->ranks <= 1 || build->plan->dispatcher == RK_ALL_TO_ALL;
}

static bool sorts_behind(const struct build *build, const struct mixture *mix)
{
    const bool several = mix->ranks > 1 || mix->tensor > 1;
    return several && (mix->local > 1 || !sorts_before(build, mix));
}

static void add_dispatch(struct build *build, const struct mixture *mix)
{
    const double elements = copies(mix) * mix->width;
    if (sorts_before(build, mix))
        add_rows(build, add_permutation(build, OP_PERMUTE, elements / mix->tensor, true), RK_AGRAD);
    build->graph = RK_GRAPH_EXPERTS;
    add_exchange(build, mix, OP_DISPATCH, RK_FORWARD);
    add_expert_tensor(build, mix, OP_EXPERT_GATHER, true);
    if (sorts_behind(build, mix)) add_permutation(build, OP_EXPERT_SORT, elements, true);
}

static void add_combine(struct build *build, const struct mixture *mix)
{
    const double elements = copies(mix) * mix->width;
    if (sorts_behind(build, mix)) add_permutation(build, OP_EXPERT_UNSORT, elements, false);
    add_expert_tensor(build, mix, OP_EXPERT_REDUCE, false);
    add_exchange(build, mix, OP_COMBINE, RK_AGRAD);
    if (!sorts_before(build, mix)) return;
    struct operation *sum = add_permutation(build, OP_UNPERMUTE, elements / mix->tensor, false);
    add_rows(build, sum, RK_FORWARD);
    weigh_wide(build, sum, elements / mix->tensor);
}

/* ---- experts ---- */

/* Transformer Engine's grouped product is one product of each expert, with one cast of each,
 * started by the host. Whole steps that are captured do without the host, in one kernel. */
static bool starts_each(const struct build *build)
{
    return habits_of(build->plan)->starts_each_expert && build->plan->grouped &&
           !plan_captures(build->plan, RK_GRAPH_EXPERTS);
}

/* Kernels that cast the tensor of one expert; delayed scaling has one for those of all, 0. Maximum,
 * scale, cast; cast, and scales put in the order that products want; both, and a rotation. */
static const double cast_kernels[RK_PRECISIONS] = {
    [RK_FP8_CURRENT] = 3, [RK_FP8_ROW] = 3, [RK_FP8_BLOCK] = 1,
    [RK_MXFP8] = 2,       [RK_NVFP4] = 4,   [RK_INT8] = 3};

static void start_each(struct build *build, struct operation *op, double local)
{
    const double casts = cast_kernels[build->plan->precision];
    if (!starts_each(build)) return;
    op->starts = local;
    if (!(casts > 0)) return;
    struct operation *cast = op - 1; /* add_narrow_linear puts it in front */
    for (int pass = 0; pass < RK_WGRAD; pass++)
        cast->kernels[pass] = casts * local;
    cast->starts = local;
}

/* Of this rank's experts those that a token goes to: of n tokens each chooses k of all. Training
 * has so many tokens that it is all of them. */
static double experts_met(const struct build *build, const struct mixture *mix)
{
    if (!build->served) return mix->local;
    const double tokens = copies(mix) * mix->experts / (mix->active * mix->local);
    return mix->local * (1 - pow(1 - mix->active / mix->experts, tokens));
}

/* One grouped product, or one after the other. Model FLOP are those of the mean rank. */
static struct operation *add_expert_linear(struct build *build, const struct mixture *mix,
                                           enum op id, double columns, double inner)
{
    const double met = experts_met(build, mix), rows = copies(mix) / met;
    struct operation *op = add_narrow_linear(build, id, experts_place,
                                             &(struct product){met, rows, columns, inner}, rows);
    op->parameters = mix->local * columns * inner;
    op->expert = true;
    op->useful_flop /= mix->crowding;
    start_each(build, op, mix->local);
    if (build->plan->grouped) return op;
    for (int pass = 0; pass < RK_PASSES; pass++)
        op->kernels[pass] *= mix->local;
    return op;
}

/* Megatron-LM weighs by the router's probability within the kernels of gated activations; after
 * other activations it keeps both sides of the product. */
static double weighed_bytes(const struct build *build, double elements)
{
    const struct rk_model *model = build->model;
    const bool apart =
        habits_of(build->plan)->weighs_apart && !model->gated_mlp && model->activation == RK_GELU;
    return apart ? elements * build->element : 0;
}

/* Biases after the second matrix, weighed by fp32 probabilities, expert by expert: Megatron-LM
 * multiplies, adds, puts together and casts back, in 4 + (2 + 4 + 4) + (4 + 4) + (4 + 2) bytes an
 * element; backward (2 + 4) for the cast, (4 + 2) + (2 + 2) for the products' gradients, put
 * together, and twice 4 + 4 + 4 for the sums over tokens and over columns. */
static void add_biases(struct build *build, const struct mixture *mix)
{
    const double each = mix->local;
    if (!has_mlp_biases(build->model) || !starts_each(build)) return;
    add_memory(build, OP_EXPERT_BIASES, experts_place, copies(mix) * mix->width,
               (struct traffic){28, 40, 2 * each + 2, 5 * each + 2});
}

static void add_expert_adapter(struct build *build, const struct mixture *mix,
                               enum rk_target target, double in, double out)
{
    add_adapter(build, experts_place,
                &(struct adapted){target, mix->local, copies(mix) / mix->local, in, out, true});
}

/* Experts in a loop of Python: each looks for its tokens (three kernels, which the host waits for),
 * takes them, weighs what it brings and adds it, and has an activation of its own; backward undoes
 * what changes values (transformers, modeling_mixtral.py to 4.5x). */
static void add_loop(struct build *build, const struct mixture *mix)
{
    struct operation *activation = &build->layer->operation[build->layer->operations - 1];
    if (build->plan->grouped || build->served) return;
    activation->kernels[RK_FORWARD] = mix->local * (activation->kernels[RK_FORWARD] + 6);
    activation->kernels[RK_AGRAD] = mix->local * (activation->kernels[RK_AGRAD] + 6);
}

/* What goes in is kept, what comes out of the first matrix, and of the activation, which also
 * weighs by the router's probability (fp32, one for each copy). */
static void add_routed(struct build *build, const struct mixture *mix)
{
    const struct rk_model *model = build->model;
    const double inner = mix->feedforward / mix->tensor, rows = copies(mix), w = mix->width;
    const double wide = (model->gated_mlp ? 2 : 1) * inner;
    struct operation *op = add_expert_linear(build, mix, OP_EXPERTS_IN, wide, w);
    op->parameters += has_mlp_biases(model) ? mix->local * wide : 0;
    op->released_bytes = activation_input_bytes(build, rows * wide);
    op->saved_bytes = op->released_bytes;
    if (keeps_input(build, TARGETS_IN)) op->saved_bytes += rows * w * build->kept;
    if (model->gated_mlp) add_expert_adapter(build, mix, RK_TARGET_GATE, w, inner);
    add_expert_adapter(build, mix, RK_TARGET_UP, w, inner);
    add_activation(build, OP_EXPERT_ACTIVATION, experts_activation, rows, inner);
    add_loop(build, mix);
    op = &build->layer->operation[build->layer->operations - 1];
    op->parameters = mix->local * activation_parameters(model);
    op->expert = true;
    op = add_expert_linear(build, mix, OP_EXPERTS_OUT, w, inner);
    op->parameters += has_mlp_biases(model) ? mix->local * w : 0;
    op->saved_bytes = 4 * rows + weighed_bytes(build, rows * inner);
    add_expert_adapter(build, mix, RK_TARGET_DOWN, inner, w);
    add_biases(build, mix);
}

/* BigMac's way in and out: each rank narrows its tokens before they leave, and widens their sum
 * when it is back [jin2025]. Both matrices are whole on each rank. */
static void add_turn(struct build *build, const struct mixture *mix, bool down)
{
    const double h = build->hidden, w = mix->width, rows = mix->routed;
    if (w == h) return; /* not narrowed */
    const struct product product = {1, rows, down ? w : h, down ? h : w};
    struct operation *op =
        add_narrow_linear(build, down ? OP_DESCEND : OP_ASCEND, experts_place, &product, rows);
    op->parameters += build->model->biases ? product.n : 0;
    if (!down || build->kept < build->element) op->saved_bytes = rows * product.k * build->kept;
}

/* A sigmoid of one product a token times what the shared experts bring (Qwen2-MoE): reads their
 * input and output, and writes; backward reads the gradient besides, and writes two. */
static void add_shared_gate(struct build *build)
{
    const double x = build->shard * build->hidden, e = build->element;
    if (!build->model->shared_gate) return;
    struct operation *op =
        add_memory(build, OP_SHARED_GATE, shared_place, x, (struct traffic){3 * e, 5 * e, 3, 4});
    op->parameters = build->hidden;
    op->saved_bytes = x * e;
}

static void add_shared(struct build *build, bool reduces)
{
    const double width = shared_width(build->model);
    const double x = build->shard * build->hidden, e = build->element;
    if (!(width > 0)) return;
    build_mlp(build, &(struct mlp){.width = width,
                                   .in = shared_place,
                                   .gather = OP_SHARED_GATHER,
                                   .in_id = OP_SHARED_IN,
                                   .activation = OP_SHARED_ACTIVATION,
                                   .out_id = OP_SHARED_OUT,
                                   .reduce = OP_SHARED_REDUCE,
                                   .input_kept = build->kept < e ? x * build->kept : 0,
                                   .gathers = true,
                                   .reduces = reduces});
    add_shared_gate(build);
    build->graph = RK_GRAPH_EXPERTS; /* it needs what the experts bring */
    add_memory(build, OP_SHARED_SUM, experts_place, x, (struct traffic){3 * e, 0, 1, 0});
}

/* Without sequence parallelism each tensor rank routes its part of the tokens that all have; their
 * sums, and the gradients, come together again. */
static void add_tokens_gather(struct build *build)
{
    if (build->tensor <= 1 || build->plan->sequence_parallel) return;
    add_comm(build, OP_TOKENS_GATHER, experts_place, OVER_TENSOR, COMM_ALL_GATHER, COMM_ALL_GATHER,
             build->tokens * build->hidden * build->element);
}

/* Engines of inference whose tensor ranks share the experts among themselves: all of them have all
 * tokens, each works on the copies for its own experts (or its part of each), and the sums come
 * together once, with those of shared experts. */
static bool is_among_tensor(const struct build *build, const struct mixture *mix)
{
    return build->served && mix->ranks * mix->tensor == build->tensor;
}

static void build_among_tensor(struct build *build, const struct mixture *mix)
{
    struct mixture all = *mix;
    const double elements = copies(mix) * mix->width;
    all.routed = build->tokens;
    add_router(build, &all);
    add_turn(build, &all, true);
    add_permutation(build, OP_PERMUTE, elements, true);
    add_routed(build, mix);
    add_permutation(build, OP_UNPERMUTE, elements, false);
    add_turn(build, &all, false);
    add_shared(build, false);
    add_reduce(build, OP_EXPERTS_REDUCE, experts_place, build->hidden);
}

void build_experts(struct build *build)
{
    const struct mixture mix = mixture_of(build);
    if (is_among_tensor(build, &mix)) {
        build_among_tensor(build, &mix);
        return;
    }
    add_router(build, &mix);
    build->graph = RK_GRAPH_PREPROCESS;
    add_turn(build, &mix, true);
    add_dispatch(build, &mix);
    add_routed(build, &mix);
    add_combine(build, &mix);
    add_turn(build, &mix, false);
    add_tokens_gather(build);
    build->graph = RK_GRAPH_ROUTER;
    add_shared(build, true);
    build->graph = RK_GRAPH_EXPERTS;
}
