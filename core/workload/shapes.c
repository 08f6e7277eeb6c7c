#include <reckon/shapes.h>

#include "base/number.h"

#include <assert.h>
#include <math.h>

const struct rk_shape_rule rk_shape_rule_paper = {
    .blocks_low = 128,
    .blocks_high = 512,
    .ratio_low = 192,
    .ratio_high = 320,
    .hidden_step = 1024,
};

double rk_shape_ratio(const struct rk_shape_rule *rule, uint64_t blocks)
{
    assert(rule->blocks_low != rule->blocks_high);
    const double slope = (rule->ratio_high - rule->ratio_low) /
                         ((double)rule->blocks_high - (double)rule->blocks_low);
    return fmax(1, rule->ratio_low + slope * ((double)blocks - (double)rule->blocks_low));
}

bool rk_shape_is_published(const struct rk_shape_rule *rule, uint64_t blocks)
{
    return blocks >= rule->blocks_low && blocks <= rule->blocks_high;
}

/* Narrow models have heads of 64: Llama 3.2 1B, GPT-2, Qwen2.5 0.5B. */
enum { NARROW = 3072 };

/* Within the study, hidden / blocks, rounded; beyond it the first usual width that divides. */
static uint64_t head_dim_of(const struct rk_shape_rule *rule, uint64_t blocks, uint64_t hidden)
{
    static const uint64_t usual[] = {64, 128, 64, 96, 256};
    for (size_t i = hidden < NARROW ? 0 : 1; i < sizeof usual / sizeof *usual; i++)
        if (!rk_shape_is_published(rule, blocks) && hidden % usual[i] == 0) return usual[i];
    return (uint64_t)fmax(1, rint((double)hidden / (double)blocks));
}

struct rk_model rk_shape_of(const struct rk_shape_rule *rule, uint64_t blocks, uint64_t sequence)
{
    assert(blocks > 0 && rule->hidden_step > 0);
    const double step = (double)rule->hidden_step;
    const double steps = fmax(1, round(rk_shape_ratio(rule, blocks) * (double)blocks / step));
    const uint64_t hidden = (uint64_t)steps * rule->hidden_step;
    const uint64_t head_dim = head_dim_of(rule, blocks, hidden);
    const bool usual = !rk_shape_is_published(rule, blocks) && hidden % head_dim == 0;
    return (struct rk_model){
        .layers = blocks,
        .hidden = hidden,
        .feedforward = 4 * hidden,
        .heads = usual ? hidden / head_dim : blocks,
        .head_dim = head_dim,
        .sequence = sequence,
        .vocabulary = 51200,
        .attention = RK_ATTENTION_MULTIHEAD,
        .position = RK_POSITION_LEARNED,
        .tied_embeddings = true,
        .biases = true,
        .count_embeddings = false,
    };
}

double rk_shape_parameters(uint64_t blocks, uint64_t hidden)
{
    return 12 * (double)blocks * (double)hidden * (double)hidden;
}

double rk_shape_parameters_by_heads(uint64_t blocks, uint64_t hidden)
{
    const double L = (double)blocks, h = (double)hidden;
    const double head_dim = rint(h / L / 32) * 32;
    return 8 * L * h * h + 4 * L * h * L * head_dim;
}

static uint64_t divisors(uint64_t n)
{
    uint64_t count = 0;
    for (uint64_t d = 1; d <= n / d; d++)
        if (n % d == 0) count += d == n / d ? 1 : 2;
    return count;
}

uint64_t rk_shape_splits(const struct rk_model *model)
{
    return divisors(common_divisor(model->hidden, model->heads)) * divisors(model->layers);
}

/* How far off, as a factor: 0 is exact. */
static double distance(const struct rk_shape_rule *rule, uint64_t blocks, double parameters)
{
    const struct rk_model model = rk_shape_of(rule, blocks, 1);
    return fabs(log(rk_shape_parameters(blocks, model.hidden) / parameters));
}

size_t rk_shape_nearest(const struct rk_shape_rule *rule, double parameters, uint64_t step,
                        uint64_t *blocks, size_t most)
{
    assert(step > 0 && parameters > 0);
    size_t count = 0;
    for (uint64_t candidate = step; candidate <= RK_SHAPE_MOST_BLOCKS; candidate += step) {
        const double here = distance(rule, candidate, parameters);
        size_t at = count;
        while (at > 0 && distance(rule, blocks[at - 1], parameters) > here)
            at--;
        if (at == most) continue;
        count += count < most;
        for (size_t i = count - 1; i > at; i--)
            blocks[i] = blocks[i - 1];
        blocks[at] = candidate;
    }
    return count;
}
