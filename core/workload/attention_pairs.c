#include "workload/attention_pairs.h"

#include "plan/habits.h"
#include "workload/layers_build.h"

#include <math.h>

static double across_of(const struct rk_plan *plan)
{
    if (plan->context_kind == RK_ULYSSES) return (double)plan->context;
    if (plan->context_kind == RK_RING_ULYSSES && plan->ulysses) return (double)plan->ulysses;
    return 1;
}

struct heads attention_heads_of(const struct build *build, bool local)
{
    const struct head_shape shape = head_shape_of(build->model, local);
    const double t = build->tensor, shared = shape.kv_heads / t, across = across_of(build->plan);
    return (struct heads){
        .queries = shape.heads / t,
        .keys = fmax(shared, 1),
        .shared = shared,
        .width = shape.width,
        .value = shape.value,
        .across = across,
        .around = build->context / across,
    };
}

/* Query-key pairs of one head of one sample that the mask leaves: s (s + 1) / 2 or, within a window
 * of w, w (w + 1) / 2 and w for each later token. */
static double causal_pairs(double s, double window)
{
    const double w = window > 0 ? fmin(window, s) : s;
    return w * (w + 1) / 2 + (s - w) * w;
}

/* Likewise where each chunk of w tokens is a sample of its own. */
static double chunk_pairs(double s, double w)
{
    const double whole = floor(s / w), rest = s - whole * w;
    return whole * causal_pairs(w, 0) + causal_pairs(rest, 0);
}

/* Where the last `globals` tokens of each whole chunk are seen by all later chunks, too, as in
 * DeepSpeed's fixed pattern: the pairs of those. */
static double global_pairs(double s, double w, double globals)
{
    const double whole = floor(s / w);
    return globals * (whole * s - w * whole * (whole + 1) / 2);
}

static double sparse_pairs(const struct build *build, double s)
{
    const double w = (double)build->model->window;
    return chunk_pairs(s, w) + global_pairs(s, w, (double)build->model->window_globals);
}

/* Keys that a token of a local layer may see: its window, and what is global of all chunks. */
static double local_keys(const struct build *build)
{
    const double s = build->sequence, w = (double)build->model->window;
    return fmin(s, w + (double)build->model->window_globals * floor(s / w));
}

double attention_window_of(const struct build *build, bool local)
{
    return local ? (double)build->model->window : 0;
}

/* Does the kernel also compute pairs with later tokens? */
static bool computes_all(const struct build *build)
{
    return build->plan->full_attention || build->model->bidirectional || build->two_way;
}

double attention_keys_of_sample(const struct build *build)
{
    if (build->crossing) return (double)build->model->encoder_sequence;
    return build->sequence + (build->served ? build->served->cached : 0);
}

double attention_keys_of_rank(const struct build *build)
{
    return build->crossing ? encoder_tokens(build) : build->tokens;
}

double attention_served_pairs(const struct build *build, bool local)
{
    const double n = build->served->cached, s = build->sequence,
                 w = attention_window_of(build, local);
    if (build->model->bidirectional) return s * (n + s);
    if (local && build->model->window_chunks)
        return sparse_pairs(build, n + s) - sparse_pairs(build, n);
    return causal_pairs(n + s, w) - causal_pairs(n, w);
}

/* Kernels of packed samples (flash_attn_varlen_func, cu_seqlens of cuDNN) skip what is of another
 * text. All texts as long as the mean: those of several lengths have more pairs. */
static bool is_packed(const struct build *build, bool local)
{
    const double packed = (double)build->plan->packed;
    return packed > 0 && packed < build->sequence && !local && !computes_all(build) &&
           !build->crossing && !build->served;
}

double attention_fused_pairs(const struct build *build, bool local)
{
    const double s = build->sequence, w = attention_window_of(build, local);
    if (build->served) return attention_served_pairs(build, local);
    if (build->crossing) return s * attention_keys_of_sample(build);
    if (local && build->model->window_chunks)
        return computes_all(build) ? s * local_keys(build) : sparse_pairs(build, s);
    if (is_packed(build, local)) return chunk_pairs(s, (double)build->plan->packed);
    if (!computes_all(build)) return causal_pairs(s, w);
    return local ? s * fmin(s, 2 * attention_window_of(build, true) - 1) : s * s;
}

double attention_crowding_of(const struct build *build, bool local, double around)
{
    const bool uneven = build->plan->context_contiguous && !computes_all(build) && !local;
    return uneven ? 2 - 1 / around : 1;
}

/* Pairs that counts of attention in full include: every token with every token of its window,
 * before or after it, [korthikanti2022], [chowdhery2022]. */
static double full_pairs(const struct build *build, bool local)
{
    const double s = build->sequence;
    if (build->crossing) return s * attention_keys_of_sample(build);
    return local ? s * local_keys(build) : s * s;
}

/* What model FLOP count: the pairs that the mask leaves, whatever the kernel computes. */
static double useful_pairs(const struct build *build, bool local)
{
    const double s = build->sequence;
    if (build->served) return attention_served_pairs(build, local);
    if (build->crossing || build->model->bidirectional || build->two_way)
        return full_pairs(build, local);
    if (is_packed(build, local)) return chunk_pairs(s, (double)build->plan->packed);
    return local && build->model->window_chunks
               ? sparse_pairs(build, s)
               : causal_pairs(s, attention_window_of(build, local));
}

void attention_count_pairs(struct operation *op, const struct build *build, bool local, double each)
{
    const double useful = useful_pairs(build, local);
    const double half = build->sequence * build->sequence / 2;
    op->useful_flop = each * useful;
    op->masked_flop = build->served ? 0 : each * (full_pairs(build, local) - useful);
    op->megatron_flop = build->served || build->crossing ? 0 : each * (half - useful);
}
