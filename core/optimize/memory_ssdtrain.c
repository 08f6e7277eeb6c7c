/* memory_ssdtrain.c - the model of [wu2025ssdtrain] as its authors' code has it, quirks included:
 * the norm's time divides bytes but not FLOP by t, the embedding reads the whole table. */
#include <math.h>
#include <reckon/offload.h>

/* Bytes of a layer's activations: [authors' code], MLP 4h, FlashAttention, 16 bit. */
static double attention_bytes(const struct rk_ssdtrain *r)
{
    const double sbh = r->sequence * r->microbatch * r->hidden;
    return (15 * sbh + 8 * r->heads * r->sequence * r->microbatch) / r->tensor;
}

static double mlp_bytes(const struct rk_ssdtrain *r)
{
    return 18 * r->sequence * r->microbatch * r->hidden / r->tensor;
}

static double norm_bytes(const struct rk_ssdtrain *r)
{
    return 4 * r->sequence * r->microbatch * r->hidden / r->tensor;
}

static double all_bytes(const struct rk_ssdtrain *r)
{
    const double sb = r->sequence * r->microbatch;
    const double layer = attention_bytes(r) + mlp_bytes(r) + 2 * norm_bytes(r);
    const double ends = 2 * sb * r->hidden + 2 * sb * r->vocabulary + 4 * sb * r->hidden;
    return r->layers * layer + ends / r->tensor;
}

/* Of reductions and gathers [authors' code]: NVLink within eight GPUs, else InfiniBand. */
static const double near_Bps = 300e9, far_Bps = 200e9, least_s = 8e-6;
enum { NODE = 8 };

static double reduce_s(const struct rk_ssdtrain *r)
{
    if (r->tensor == 1) return 0;
    const double bytes = 4 * r->microbatch * r->sequence * r->hidden * (r->tensor - 1) / r->tensor;
    return fmax(bytes / near_Bps, least_s);
}

static double weights_of_layer(const struct rk_ssdtrain *r)
{
    return 12 * r->hidden * r->hidden + 2 * r->hidden;
}

static double gather_s(const struct rk_ssdtrain *r)
{
    const double link_Bps = r->data <= NODE ? near_Bps : far_Bps;
    return 2 * weights_of_layer(r) * (r->data - 1) / (r->data * link_Bps);
}

static double layer_s(const struct rk_ssdtrain *r)
{
    const double b = r->microbatch, s = r->sequence, h = r->hidden, t = r->tensor;
    const double F = r->achieved_FLOPps, H = r->hbm_Bps;
    const double attention = fmax((8 * b * s * h * h + 4 * b * s * s * h) / (t * F),
                                  (8 * h * h / t + attention_bytes(r)) / H);
    const double mlp = fmax(16 * b * s * h * h / (t * F), (16 * h * h / t + mlp_bytes(r)) / H);
    const double norm = fmax(5 * s * b * h / F, norm_bytes(r) / H);
    return fmax(attention + mlp + 2 * norm + 2 * reduce_s(r), gather_s(r));
}

static double state_bytes(const struct rk_ssdtrain *r)
{
    const double l = floor(r->layers / r->pipeline), h = r->hidden, t = r->tensor;
    const double ends = r->vocabulary * h + h;
    const double weights = l * (24 * h * h / t + 4 * h) + 2 * ends / t;
    const double rest = 16 * (l * weights_of_layer(r) + ends) / t;
    return (weights + rest) / (r->zero == 3 ? r->data : 1);
}

struct rk_ssdtrain_step rk_ssdtrain_step(const struct rk_ssdtrain *r)
{
    const double b = r->microbatch, s = r->sequence, h = r->hidden, V = r->vocabulary;
    const double t = r->tensor, p = r->pipeline, g = r->accumulation;
    struct rk_ssdtrain_step step = {
        .activation_bytes = all_bytes(r) * g / p,
        .layer_forward_s = layer_s(r),
        .state_bytes = state_bytes(r),
    };
    step.forward_s = floor(r->layers / p) * step.layer_forward_s + 2 * V * h / r->hbm_Bps +
                     reduce_s(r) + 2 * s * b * V * h / (t * p * r->achieved_FLOPps);
    step.step_s = 3 * g * step.forward_s + step.state_bytes / r->hbm_Bps;
    step.write_Bps = all_bytes(r) / p / (1.5 * step.forward_s);
    return step;
}

/* ---- its rule ---- */

double rk_adaptive_needs(const struct rk_adaptive_node *node, double forward_s)
{
    const double window_s = 3 * forward_s - 2 * node->before_s;
    const double bytes = node->before_bytes + 2 * node->bytes;
    return window_s > 0 ? bytes / window_s : bytes > 0 ? INFINITY : 0;
}

int rk_adaptive_first_kept(const struct rk_adaptive_node *node, int nodes, double forward_s,
                           double bandwidth_Bps)
{
    int i = 0;
    while (i < nodes && rk_adaptive_needs(&node[i], forward_s) <= bandwidth_Bps)
        i++;
    return i;
}

/* ---- drives ---- */

double rk_endurance_bytes(const struct rk_endurance *e)
{
    return e->drives * e->rated_bytes * (e->rated_amplification / e->amplification) *
           e->retention_gain;
}

double rk_life_s(double endurance_bytes, double step_s, double bytes_of_step)
{
    return bytes_of_step > 0 ? endurance_bytes * step_s / bytes_of_step : INFINITY;
}

/* Four 1 TB drives of 600 TB rated [vendor: Samsung 980 PRO], written in large blocks (2.5 against
 * 1), kept a day instead of three years (86) [paper]. */
const struct rk_endurance rk_ssdtrain_paper_drives = {4, 600e12, 2.5, 1, 86};

/* Four 12.8 TB drives, three drive writes a day for five years [authors' code]. */
const struct rk_endurance rk_ssdtrain_code_drives = {4, 12.8e12 * 3 * 365 * 5, 2.5, 1, 1};
