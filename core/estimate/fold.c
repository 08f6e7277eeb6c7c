#include "estimate/fold.h"
#include "base/extremes.h"
#include "estimate/experts.h"
#include "estimate/fold_parts.h"
#include "estimate/operation_times.h"
#include "estimate/stages.h"
#include "plan/habits.h"

#include <stddef.h>
#include <string.h>

enum spending spending_of(const struct operation *op)
{
    static const enum spending by_kind[] = {[OPERATION_MATRIX] = SPENT_MATRIX,
                                            [OPERATION_ATTENTION] = SPENT_ATTENTION,
                                            [OPERATION_MEMORY] = SPENT_MEMORY};
#define GROUP(id, name, counted) SPENT_##counted,
    static const enum spending by_group[] = {RANK_GROUPS_OF(GROUP)};
#undef GROUP
    return op->kind == OPERATION_COMM ? by_group[comm_group(op->over)] : by_kind[op->kind];
}

static enum link link_of(const struct operation *op)
{
    const enum spending spending = spending_of(op);
    if (spending == SPENT_CONTEXT) return LINK_CONTEXT;
    return spending == SPENT_EXPERT ? LINK_EXPERT : LINK_TENSOR;
}

/* ---- recomputation ---- */

/* A bit next to those of parts: nothing from the operation on is kept for backward. */
#define PAST_THE_END (1u << 31)
#define STAYS        (1u << 30)

/* A part within a part (the activation of a mixture that is recomputed whole) goes with it. */
static unsigned parts_that_redo(const struct operation *op)
{
    const unsigned ends = (op->ends ? PAST_THE_END : 0) | (op->stays ? STAYS : 0);
    if (op->part == NOT_A_PART) return ends;
    return ends | 1u << op->part | (op->holding == RK_HOLD_mlp) << RK_PART_MLP |
           (op->holding == RK_HOLD_experts) << RK_PART_EXPERTS;
}

/* Since torch 2.1 a checkpoint that is not reentrant stops where all that backward needs is there
 * again; XLA drops what nobody reads. Those of Megatron-LM and DeepSpeed run to their end. */
static bool ends_early(const struct rk_plan *plan)
{
    return habits_of(plan)->ends_early && !plan->recompute_to_end && plan->recompute_every <= 1;
}

static bool is_redone(const struct rk_plan *plan, unsigned parts)
{
    if (plan->recompute == RK_WHOLE)
        return !(parts & STAYS) && !(parts & PAST_THE_END && ends_early(plan));
    return (plan->recompute == RK_SELECTIVE && (plan->recompute_parts & parts));
}

bool runs_again(const struct rk_plan *plan, const struct operation *op)
{
    return is_redone(plan, parts_that_redo(op));
}

/* ---- the fold ---- */

static void fold_link(struct layer_fold *fold, const struct timed_layer *timed, int at, int pass)
{
    const struct operation *op = &timed->layer.operation[at];
    if (op->kind != OPERATION_COMM) return;
    fold->link_s[link_of(op)] += timed->time_s[at][pass];
    fold->link_bytes[link_of(op)] += timed->sent_bytes[at][pass];
}

/* What attention waits for beyond its own time are chunks that come from another memory. */
static void spend_operation(struct layer_fold *fold, enum fold_pass pass,
                            const struct timed_layer *timed, int at, enum rk_pass of)
{
    const struct operation *op = &timed->layer.operation[at];
    const double waited_s = timed->waited_s[at][of], time_s = timed->time_s[at][of];
    const bool chunks = op->kind == OPERATION_ATTENTION && op->chunks > 1;
    const double fetch_s = chunks ? waited_s - time_s : 0;
    fold->spent_s[pass][spending_of(op)] += waited_s - fetch_s;
    fold->spent_s[pass][SPENT_OFFLOAD] += fetch_s;
    fold->pass_s[pass] += waited_s;
}

enum fold_pass fold_pass_of(const struct operation *op, int pass)
{
    const bool reads = op->kind == OPERATION_COMM && op->part == RK_PART_CORE_ATTENTION;
    return reads && pass == RK_WGRAD ? FOLD_AGRAD : (enum fold_pass)pass;
}

/* `bare` forward passes more that no backward follows. */
static void fold_times(struct layer_fold *fold, const struct timed_layer *timed, int at,
                       bool redone, int bare)
{
    const struct operation *op = &timed->layer.operation[at];
    for (int pass = 0; pass < RK_PASSES; pass++) {
        const int times = pass == RK_FORWARD ? 1 + bare : 1;
        for (int i = 0; i < times; i++) {
            spend_operation(fold, fold_pass_of(op, pass), timed, at, (enum rk_pass)pass);
            fold->kernel_flop += op->flop[pass];
            fold_link(fold, timed, at, pass);
        }
        if (pass != RK_FORWARD || !redone) continue;
        spend_operation(fold, FOLD_RECOMPUTE, timed, at, RK_FORWARD);
        fold->kernel_flop += op->flop[pass];
        fold_link(fold, timed, at, pass);
    }
}

/* Layers that are recomputed whole are all in memory when their backward pass begins. */
static double working_beside(const struct rk_plan *plan, double working, double released,
                             bool redone)
{
    return working - (redone && plan->recompute != RK_WHOLE ? 0 : released);
}

double working_of(const struct rk_plan *plan, const struct operation *op, bool redone)
{
    return working_beside(plan, op->working_bytes, op->released_bytes, redone);
}

static void fold_parameters(struct layer_fold *fold, const struct operation *op)
{
    if (op->op == OP_ADAPTER_EMBEDDING || op->op == OP_ADAPTER_HEAD) {
        fold->whole_parameters[op->op == OP_ADAPTER_HEAD] += op->parameters;
        return;
    }
    if (op->adapter) {
        fold->adapter_parameters[op->expert] += op->parameters;
        return;
    }
    *(op->expert ? &fold->expert_parameters : &fold->parameters) += op->parameters;
    if (op->parameters > 0) fold->weight_groups++;
    if (op->kind != OPERATION_MATRIX || !op->of_weights || !(op->parameters > 0)) return;
    fold->long_sides += op->count * larger(op->n, op->k);
    fold->short_sides += op->count * smaller(op->n, op->k);
}

static void fold_tensors(struct layer_fold *fold, const struct rk_plan *plan,
                         const struct operation *op, bool redone)
{
    fold->useful_flop += op->useful_flop;
    fold->masked_flop += op->masked_flop;
    fold->megatron_flop += op->megatron_flop;
    fold->lent_bytes += op->lent_bytes;
    if (redone) fold->again_flop += op->useful_flop;
    if (redone) fold->again_masked_flop += op->masked_flop;
    fold_parameters(fold, op);
    fold->put_off_bytes += op->put_off_bytes;
    if (op->narrow) fold->narrow_parameters += op->parameters;
    fold->copied_parameters += op->copied_parameters;
    if (op->kind == OPERATION_MATRIX && op->of_weights && !op->adapter)
        fold->weight_shapes += op->n * op->k;
    fold->working_bytes = larger(fold->working_bytes, working_of(plan, op, redone));
    if (op->buffer_bytes > fold->buffer_bytes) fold->buffer_bytes = op->buffer_bytes;
    if (op_facts[op->op].marks & MARK_LOSS) fold->loss_bytes += op->saved_bytes;
    if (redone && plan->recompute == RK_WHOLE) return;
    fold->saved_bytes[op->holding] += redone ? op->saved_recomputed_bytes : op->saved_bytes;
}

/* Host work before a microbatch in addition to its kernels (batch, masks, schedule), in kernel
 * launches; fitted to 272 functional tests of Megatron-LM, as long as a layer's kernels. */
#define MICROBATCH_STARTS 35

/* Kernels of all experts that one call starts in a loop of C++, over those that Python starts one
 * by one: 8 us, what PyTorch's C++ alone takes for a kernel, over 50 us (docs/notes/accuracy.md,
 * the host). */
#define LOOPED (8.0 / 50)

/* Python modules stand in front of each kernel where torch's own run one by one: the geometric mean
 * of a tuned program and of Megatron-LM's tests, whose hosts take 112 to 155 us where 50 us are
 * usual (docs/notes/accuracy.md, the host). */
#define EAGER 1.6

/* Also in fused programs a mixture's half of a layer is such modules; hosts that are slow
 * throughout, as those of the tests, are no slower there. */
#define EAGER_S 80e-6

static double modules_of(const struct bench *bench, const struct operation *op)
{
    const bool mixture = op->graph >= RK_GRAPH_ROUTER && op->graph < RK_GRAPH_PARTS;
    const double at_most = EAGER_S / bench->system->kernels.launch_s;
    return bench->plan->fused && mixture ? larger(1, smaller(EAGER, at_most)) : 1;
}

static double starts_of(const struct bench *bench, const struct operation *op, int pass)
{
    const double looped = larger(1, op->starts);
    const double calls = op->kernels[pass] / (op->kind == OPERATION_MATRIX ? 1 : looped);
    if (plan_captures(bench->plan, op->graph)) return 0;
    return modules_of(bench, op) * calls * (1 + LOOPED * (looped - 1));
}

double host_start_s(const struct rk_system *system, const struct rk_plan *plan)
{
    if (plan_captures(plan, RK_GRAPH_PARTS)) return 0;
    return (plan->fused ? 1 : EAGER) * system->kernels.launch_s;
}

/* The host starts the kernels of a pass while the device runs them: the longer of the two counts.
 */
double host_wait_s(const struct rk_system *system, const struct rk_plan *plan, double starts,
                   double device_s)
{
    return larger(0, starts * host_start_s(system, plan) - device_s);
}

static void find_starts(double starts[FOLD_PASSES], const struct bench *bench,
                        const struct layer *layer, enum treatment treatment)
{
    memset(starts, 0, FOLD_PASSES * sizeof *starts);
    if (layer->kind == LAYER_EMBEDDING) starts[FOLD_FORWARD] = MICROBATCH_STARTS;
    for (int i = 0; i < layer->operations; i++) {
        const struct operation *op = &layer->operation[i];
        for (int pass = 0; pass < RK_PASSES; pass++)
            starts[fold_pass_of(op, pass)] += starts_of(bench, op, pass);
        starts[FOLD_FORWARD] += rk_plan_bare_passes(bench->plan) * starts_of(bench, op, RK_FORWARD);
        if (treatment == RECOMPUTED && is_redone(bench->plan, parts_that_redo(op)))
            starts[FOLD_RECOMPUTE] += starts_of(bench, op, RK_FORWARD);
    }
}

static void fold_launches(struct layer_fold *fold, const struct bench *bench,
                          const double starts[FOLD_PASSES])
{
    for (int pass = 0; pass < FOLD_PASSES; pass++)
        fold_spend(fold, (enum fold_pass)pass, SPENT_LAUNCH,
                   host_wait_s(bench->system, bench->plan, starts[pass], fold->pass_s[pass]));
}

/* Layers of a group that is recomputed from one stored input. */
static double group_size(const struct rk_plan *plan)
{
    return plan->recompute_every > 1 ? (double)plan->recompute_every : 1;
}

/* Tensors of a layer that runs backward. In chunks of the sequence, norms and what attention brings
 * are whole; of the rest two chunks are here, the others in memory tier 1 or not made yet. */
static double there_of(const struct layer_fold *kept, const struct layer *layer,
                       const struct rk_plan *plan)
{
    const double whole =
        kept->saved_bytes[RK_HOLD_norms] + kept->swap.always_bytes - layer->input_bytes;
    if (plan->sequence_chunks <= 1) return kept->saved_total_bytes;
    return whole + (kept->saved_total_bytes - whole) * 2 / (double)plan->sequence_chunks;
}

static double cache_of(const struct layer *layer)
{
    double bytes = 0;
    for (int i = 0; i < layer->operations; i++)
        bytes += layer->operation[i].cache_kept_bytes;
    return bytes;
}

/* Recomputed whole, a layer keeps its share of a checkpoint; its tensors are there one group at a
 * time, while it runs backward. */
static void fold_whole(struct layer_fold *fold, const struct layer_fold *kept,
                       const struct layer *layer, const struct rk_plan *plan)
{
    const double group = group_size(plan);
    memset(fold->saved_bytes, 0, sizeof fold->saved_bytes);
    fold->saved_bytes[RK_HOLD_checkpoints] = layer->input_bytes / group;
    fold->saved_bytes[RK_HOLD_attention] = cache_of(layer);
    fold->working_bytes += there_of(kept, layer, plan) * group;
}

static void layer_fold_one(struct layer_fold *fold, const struct bench *bench,
                           const struct timed_layer *timed, enum treatment treatment)
{
    const struct layer *layer = &timed->layer;
    const int bare = rk_plan_bare_passes(bench->plan);
    double exchange_s[FOLD_PASSES] = {0}, starts[FOLD_PASSES];
    memset(fold, 0, sizeof *fold);
    for (int i = 0; i < layer->operations; i++) {
        const struct operation *op = &layer->operation[i];
        const bool redone = treatment == RECOMPUTED && is_redone(bench->plan, parts_that_redo(op));
        fold_times(fold, timed, i, redone, bare);
        experts_add(exchange_s, timed, i, redone, bare);
        fold_tensors(fold, bench->plan, op, redone);
    }
    find_starts(starts, bench, layer, treatment);
    const struct experts_beside beside = experts_begin(fold, bench, exchange_s, starts);
    fold_launches(fold, bench, starts);
    experts_end(fold, &beside);
}

/* Exchanges that overlap with attention belong to it: neither runs again. */
static bool is_attention(const struct operation *op)
{
    return op->kind == OPERATION_ATTENTION || op->beside_attention;
}

/* Everything runs again except attention, and what follows the last tensor that is kept. */
bool swap_runs_again(const struct layer *layer, int operation)
{
    if (is_attention(&layer->operation[operation])) return false;
    for (int i = operation; i < layer->operations; i++)
        if (layer->operation[i].saved_bytes > 0) return true;
    return false;
}

static struct swap_fold swap_of(const struct timed_layer *timed)
{
    const struct layer *layer = &timed->layer;
    const double *pass_s = timed->kept.pass_s;
    struct swap_fold swap = {.forward_s = pass_s[FOLD_FORWARD],
                             .backward_s = pass_s[FOLD_AGRAD] + pass_s[FOLD_WGRAD],
                             .always_bytes = layer->input_bytes};
    for (int i = 0; i < layer->operations; i++) {
        const struct operation *op = &layer->operation[i];
        if (op->kind == OPERATION_ATTENTION) swap.always_bytes += op->saved_bytes;
        if (!swap_runs_again(layer, i)) continue;
        swap.again_s += timed->waited_s[i][RK_FORWARD];
        swap.again_flop += op->useful_flop;
        swap.again_kernel_flop += op->flop[RK_FORWARD];
        if (op->kind != OPERATION_COMM) continue;
        swap.link_s[link_of(op)] += timed->time_s[i][RK_FORWARD];
        swap.link_bytes[link_of(op)] += timed->sent_bytes[i][RK_FORWARD];
    }
    return swap;
}

/* Lists the operations that may be recomputed, or that hold something. */
static void list_again(struct timed_layer *timed, const struct bench *bench)
{
    timed->again = 0;
    timed->steady_bytes = 0;
    for (int i = 0; i < timed->layer.operations; i++) {
        const struct operation *op = &timed->layer.operation[i];
        const struct again again = {timed->waited_s[i][RK_FORWARD],
                                    starts_of(bench, op, RK_FORWARD),
                                    op->saved_bytes,
                                    op->saved_recomputed_bytes,
                                    op->released_bytes > 0 ? op->working_bytes : 0,
                                    op->released_bytes,
                                    op->holding,
                                    parts_that_redo(op)};
        if (!(op->released_bytes > 0))
            timed->steady_bytes = larger(timed->steady_bytes, op->working_bytes);
        const bool matters = again.forward_s != 0 || again.starts != 0 || again.saved_bytes != 0 ||
                             again.saved_recomputed_bytes != 0;
        if (matters) timed->operation[timed->again++] = again;
    }
}

static void sum_saved(struct layer_fold *fold)
{
    fold->saved_total_bytes = 0;
    for (int i = 0; i < RK_HOLDING_COUNT; i++)
        fold->saved_total_bytes += fold->saved_bytes[i];
}

static void add_copied(struct copied_fold *sum, const struct chunk_times *t,
                       const struct chunk_copies *copies, const struct operation *op, bool backward,
                       double column_s)
{
    const enum rk_pass pass = backward ? RK_AGRAD : RK_FORWARD;
    sum->in_s += copies->loads * t->load + copies->columns * column_s;
    sum->out_s += copies->returns * t->returned;
    sum->in_bytes +=
        copies->loads * op->loaded_bytes[pass] + copies->columns * op->loaded_bytes[RK_FORWARD];
    sum->out_bytes += copies->returns * op->returned_bytes[pass];
}

/* Layers in chunks are recomputed whole, which copies as forward does. */
static void fold_copied(struct layer_fold *fold, const struct bench *bench,
                        const struct layer *layer)
{
    for (int i = 0; i < layer->operations; i++) {
        const struct operation *op = &layer->operation[i];
        if (op->kind != OPERATION_ATTENTION || op->chunks <= 1) continue;
        const struct chunk_times go = chunk_times_of(bench->system, bench->plan, op, false);
        const struct chunk_times back = chunk_times_of(bench->system, bench->plan, op, true);
        const struct chunk_copies gone = chunks_forward_copies(&go);
        const struct chunk_copies came = chunks_backward_copies(&back);
        add_copied(&fold->copied[RK_WAY_FORWARD], &go, &gone, op, false, 0);
        add_copied(&fold->copied[RK_WAY_BACKWARD], &go, &gone, op, false, 0);
        add_copied(&fold->copied[RK_WAY_BACKWARD], &back, &came, op, true, go.load);
    }
}

static void time_kind(struct timed_layer *timed, enum layer_kind kind, const struct rk_model *model,
                      const struct bench *bench)
{
    const struct layer *layer = &timed->layer;
    layer_build(&timed->layer, kind, model, bench->plan);
    for (int i = 0; i < layer->operations; i++)
        operation_times(bench, &layer->operation[i], timed->time_s[i]);
    for (int i = 0; i < layer->operations; i++)
        fold_waits(timed, bench, i);
    layer_fold_one(&timed->kept, bench, timed, AS_IT_IS);
    sum_saved(&timed->kept);
    timed->kept.swap = swap_of(timed);
    fold_step(&timed->kept, bench, model, layer);
    fold_copied(&timed->kept, bench, layer);
    list_again(timed, bench);
}

static void fold_kind(struct layer_folds *fold, const struct timed_layer *timed,
                      const struct bench *bench)
{
    const struct layer *layer = &timed->layer;
    const enum layer_kind kind = layer->kind;
    struct layer_fold *redone = &fold->layer[kind][RECOMPUTED];
    fold->layer[kind][AS_IT_IS] = *redone = timed->kept;
    if (is_block(kind)) {
        if (bench->plan->recompute != RK_KEEP) layer_fold_one(redone, bench, timed, RECOMPUTED);
        if (bench->plan->recompute == RK_WHOLE)
            fold_whole(redone, &timed->kept, layer, bench->plan);
        redone->swap = timed->kept.swap;
        memcpy(redone->step, timed->kept.step, sizeof redone->step);
        memcpy(redone->copied, timed->kept.copied, sizeof redone->copied);
        sum_saved(redone);
        if (layer->message_bytes > fold->message_bytes) fold->message_bytes = layer->message_bytes;
    }
}

static void find_kinds(bool present[LAYER_KINDS], const struct rk_model *model)
{
    double counts[LAYER_KINDS] = {[LAYER_EMBEDDING] = 1, [LAYER_HEAD] = 1};
    layer_count(model, 0, model->layers, counts);
    counts[LAYER_PREDICT] = (double)model->predict_layers;
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        present[kind] = counts[kind] > 0;
}

static void fold_begin(struct layer_folds *fold, const bool present[LAYER_KINDS])
{
    fold->message_bytes = 0;
    fold->blocks = 0;
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        fold->present[kind] = present[kind];
        if (present[kind] && is_block((enum layer_kind)kind) && kind != LAYER_PREDICT)
            fold->block[fold->blocks++] = (enum layer_kind)kind;
    }
}

/* How busy a node is follows from the ranks, their distances from their order; a table that the
 * head shares is copied where it is on a rank of its own; narrow products share a cast of their
 * weights among the microbatches of a step. */
void layer_key(uint64_t key[LAYER_KEY], const struct rk_model *model,
               const struct rk_system *system, const struct rk_plan *plan)
{
    static const enum rank_groups groups[] = {RANKS_OF_TENSOR, RANKS_OF_CONTEXT, RANKS_OF_EXPERT,
                                              RANKS_OF_EXPERT_TENSOR};
    const bool narrow = operand_of(plan->precision, true) != operand_of(plan->precision, false);
    const struct rank_map map = rank_map_of(plan);
    for (int i = 0; i < 4; i++) {
        key[2 * i] = ranks_of_group(&map, groups[i]);
        key[2 * i + 1] = key[2 * i] > 1 ? rank_stride(&map, groups[i]) : 0;
    }
    key[8] = plan->microbatch;
    key[9] = !rk_plan_joins_ends(plan) && (model->tied_embeddings || model->predict_layers);
    key[10] = narrow ? plan->microbatch * rk_plan_data(plan) : 0;
    key[11] = plan->ranks;
    const double share = busy_share_of(system, plan);
    memcpy(&key[12], &share, sizeof share);
}

void time_layers(struct timed_layers *timed, const struct rk_model *model,
                 const struct rk_system *system, const struct rk_plan *plan)
{
    struct bench bench = bench_of(model, system, plan);
    bench.known = timed->known;
    find_kinds(timed->present, model);
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        if (timed->present[kind])
            time_kind(&timed->layer[kind], (enum layer_kind)kind, model, &bench);
}

void time_layer(struct timed_layer *timed, enum layer_kind kind, const struct rk_model *model,
                const struct rk_system *system, const struct rk_plan *plan)
{
    const struct bench bench = bench_of(model, system, plan);
    time_kind(timed, kind, model, &bench);
}

void fold_timed(struct layer_folds *fold, const struct timed_layers *timed,
                const struct rk_system *system, const struct rk_plan *plan)
{
    const struct bench bench = bench_of(NULL, system, plan);
    fold_begin(fold, timed->present);
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        if (fold->present[kind]) fold_kind(fold, &timed->layer[kind], &bench);
}

static size_t outline_bytes(const struct rk_plan *plan)
{
    return plan->recompute_rest ? offsetof(struct layer_fold, spent_s)
                                : offsetof(struct layer_fold, swap);
}

/* The part of fold_kind that the outline needs: recomputation changes the time spent again and the
 * saved bytes. Sums are in the order of the operations. */
static void outline_redone(struct layer_fold *fold, const struct timed_layer *timed,
                           const struct rk_system *system, const struct rk_plan *plan)
{
    double saved[RK_HOLDING_COUNT] = {0}, again_s = 0, starts = 0;
    double working = timed->steady_bytes;
    for (int i = 0; i < timed->again; i++) {
        const struct again *op = &timed->operation[i];
        const bool redone = is_redone(plan, op->parts);
        if (redone) again_s += op->forward_s;
        if (redone) starts += op->starts;
        saved[op->holding] += redone ? op->saved_recomputed_bytes : op->saved_bytes;
        working =
            larger(working, working_beside(plan, op->working_bytes, op->released_bytes, redone));
    }
    fold->working_bytes = working;
    fold->pass_s[FOLD_RECOMPUTE] = again_s + host_wait_s(system, plan, starts, again_s);
    memcpy(fold->saved_bytes, saved, sizeof saved);
    if (plan->recompute == RK_WHOLE) fold_whole(fold, &timed->kept, &timed->layer, plan);
    sum_saved(fold);
}

/* Where the experts' exchange is hidden, that depends on details. */
void fold_outline(struct layer_folds *fold, const struct timed_layers *timed,
                  const struct rk_system *system, const struct rk_plan *plan)
{
    if (plan->expert_overlap) {
        fold_timed(fold, timed, system, plan);
        return;
    }
    fold_begin(fold, timed->present);
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        const struct timed_layer *layer = &timed->layer[kind];
        struct layer_fold *redone = &fold->layer[kind][RECOMPUTED];
        if (!fold->present[kind]) continue;
        memcpy(&fold->layer[kind][AS_IT_IS], &layer->kept, outline_bytes(plan));
        memcpy(redone, &layer->kept, outline_bytes(plan));
        if (!is_block((enum layer_kind)kind)) continue;
        if (plan->recompute != RK_KEEP) outline_redone(redone, layer, system, plan);
        fold->message_bytes = larger(fold->message_bytes, layer->layer.message_bytes);
    }
}

void fold_copy_outline(struct layer_folds *to, const struct layer_folds *fold,
                       const struct rk_plan *plan)
{
    fold_begin(to, fold->present);
    to->message_bytes = fold->message_bytes;
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        for (int i = 0; i < TREATMENTS && fold->present[kind]; i++)
            memcpy(&to->layer[kind][i], &fold->layer[kind][i], outline_bytes(plan));
}

/* One kind at a time: a list of operations is large. */
void fold_layers(struct layer_folds *fold, const struct rk_model *model,
                 const struct rk_system *system, const struct rk_plan *plan)
{
    const struct bench bench = bench_of(model, system, plan);
    struct timed_layer timed;
    bool present[LAYER_KINDS];
    find_kinds(present, model);
    fold_begin(fold, present);
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        if (!fold->present[kind]) continue;
        time_kind(&timed, (enum layer_kind)kind, model, &bench);
        fold_kind(fold, &timed, &bench);
    }
}
