/* memory_swap.c - layers swapped through two buffers, a share of them recomputed. */
#include <assert.h>
#include <math.h>
#include <reckon/offload.h>
#include <stddef.h>

/* ---- the recurrence ---- */

/* A stage; layer i is first[i * stride]: stride 0 when all are alike. */
struct swapped {
    const struct rk_swap_layer *first;
    int stride, layers, swapped;
};

static const struct rk_swap_layer *layer_of(const struct swapped *s, int i)
{
    return s->first + (ptrdiff_t)i * s->stride;
}

/* Of layer i: its buffer is free when the copy of i - 2 is out. */
static double forwards_s(const struct swapped *s, double out_Bps)
{
    double now_s = 0, out_s = 0, out_before_s = 0; /* the last copy ends, and the one before */
    for (int i = 0; i < s->layers; i++) {
        const struct rk_swap_layer *layer = layer_of(s, i);
        now_s = fmax(now_s, out_before_s) + layer->forward_s;
        out_before_s = out_s;
        if (i < s->swapped) out_s = fmax(now_s, out_s) + layer->bytes / out_Bps;
    }
    return now_s;
}

/* The copy in of layer i goes into the buffer of i + 2: it begins when that one's backward ends and
 * the copy in before it is there. */
static double backwards_s(const struct swapped *s, double in_Bps)
{
    double now_s = 0, in_s = 0, freed_s[2] = {0, 0}; /* by i mod 2: the buffer is free */
    for (int i = s->layers - 1; i >= 0; i--) {
        const struct rk_swap_layer *layer = layer_of(s, i);
        if (i < s->swapped) {
            in_s = fmax(in_s, freed_s[i % 2]) + layer->bytes / in_Bps;
            now_s = fmax(now_s, in_s) + layer->again_s;
        }
        now_s += layer->backward_s;
        freed_s[i % 2] = now_s;
    }
    return now_s;
}

static struct rk_swap_time time_of(const struct swapped *s, double out_Bps, double in_Bps)
{
    double forward_s = 0, backward_s = 0;
    for (int i = 0; i < s->layers; i++) {
        const struct rk_swap_layer *layer = layer_of(s, i);
        forward_s += layer->forward_s;
        backward_s += layer->backward_s + (i < s->swapped ? layer->again_s : 0);
    }
    struct rk_swap_time time = {.forward_s = forwards_s(s, out_Bps),
                                .backward_s = backwards_s(s, in_Bps)};
    time.forward_wait_s = fmax(0, time.forward_s - forward_s);
    time.backward_wait_s = fmax(0, time.backward_s - backward_s);
    return time;
}

static int swapped_of(int layers, bool all)
{
    return all ? layers : layers > 2 ? layers - 2 : 0;
}

struct rk_swap_time rk_swap_time(const struct rk_swap_layer *layer, int layers, double out_Bps,
                                 double in_Bps, bool all)
{
    const struct swapped s = {layer, 1, layers, swapped_of(layers, all)};
    return time_of(&s, out_Bps, in_Bps);
}

struct rk_swap_time rk_swap_time_alike(const struct rk_swap_layer *layer, int layers,
                                       double out_Bps, double in_Bps, bool all)
{
    const struct swapped s = {layer, 0, layers, swapped_of(layers, all)};
    return time_of(&s, out_Bps, in_Bps);
}

/* ---- one share for all layers ---- */

double rk_swap_share_hidden(const struct rk_swap *s)
{
    if (s->layers <= 2) return INFINITY;
    return (s->bandwidth_Bps * s->forward_s - s->always_bytes) / s->token_bytes;
}

double rk_swap_share_host(const struct rk_swap *s)
{
    if (s->layers <= 2) return INFINITY;
    return (s->host_bytes / (s->layers - 2) - s->always_bytes) / s->token_bytes;
}

double rk_swap_share_memo(const struct rk_swap *s)
{
    const double host = rk_swap_share_host(s), share = fmin(rk_swap_share_hidden(s), host);
    if (host < 0) return -1;
    return fmin(1, fmax(0, share));
}

/* In closed form, as layers are alike. */
struct rk_swap_time rk_swap_at(const struct rk_swap *s, double share)
{
    const double n = s->layers, tf = s->forward_s, tb = s->backward_s;
    struct rk_swap_time time = {.forward_s = n * tf, .backward_s = n * tb};
    if (s->layers <= 2) return time;
    const double copy_s = (s->always_bytes + share * s->token_bytes) / s->bandwidth_Bps;
    const double again_s = s->again_s * (1 - share);
    time.forward_wait_s = (n - 2) * fmax(0, copy_s - tf);
    time.backward_wait_s = fmax(0, copy_s - tb) + (n - 3) * fmax(0, copy_s - tb - again_s);
    time.forward_s += time.forward_wait_s;
    time.backward_s += (n - 2) * again_s + time.backward_wait_s;
    return time;
}

double rk_swap_share_best(const struct rk_swap *s)
{
    const double host = rk_swap_share_host(s), most = fmin(1, host);
    if (host < 0) return -1;
    const double always_s = s->always_bytes / s->bandwidth_Bps;
    const double token_s = s->token_bytes / s->bandwidth_Bps;
    const double corners[] = {
        most,
        (s->forward_s - always_s) / token_s,
        (s->backward_s - always_s) / token_s,
        (s->backward_s + s->again_s - always_s) / (token_s + s->again_s),
        0,
    };
    double best = most, best_s = INFINITY;
    for (int i = 0; i < (int)(sizeof corners / sizeof *corners); i++) {
        const double share = fmin(most, fmax(0, corners[i]));
        const struct rk_swap_time time = rk_swap_at(s, share);
        if (time.forward_s + time.backward_s < best_s) {
            best_s = time.forward_s + time.backward_s;
            best = share;
        }
    }
    return best;
}

/* ---- by tensor ---- */

/* Does a byte of `a` take longer to compute again than one of `b`? */
static bool dearer(const struct rk_swap_tensor *a, const struct rk_swap_tensor *b)
{
    return a->again_s * b->bytes > b->again_s * a->bytes;
}

double rk_swap_by_tensor(const struct rk_swap_tensor *tensor, int count, double bytes,
                         double *share)
{
    bool done[RK_SWAP_TENSORS] = {false};
    double left_s = 0;
    assert(count <= RK_SWAP_TENSORS);
    for (int i = 0; i < count && share; i++)
        share[i] = 0;
    for (int k = 0; k < count; k++) {
        int next = -1;
        for (int i = 0; i < count; i++)
            if (!done[i] && (next < 0 || dearer(&tensor[i], &tensor[next]))) next = i;
        done[next] = true;
        const struct rk_swap_tensor *t = &tensor[next];
        const double part = t->bytes > 0 ? fmin(1, fmax(0, bytes) / t->bytes) : 1;
        bytes -= part * t->bytes;
        left_s += (1 - part) * t->again_s;
        if (share) share[next] = part;
    }
    return left_s;
}
