/* memory_store.c - a step whose first modules' activations are written and read back, simulated. */
#include <math.h>
#include <reckon/offload.h>
#include <stdlib.h>

/* Bytes come or go. */
struct change {
    double time_s, bytes;
};

struct run {
    const struct rk_store_module *module;
    int modules;
    const struct rk_store *store;
    double ready_s[RK_STORE_MOST], written_s[RK_STORE_MOST];
    struct change change[4 * RK_STORE_MOST];
    int changes;
    struct rk_store_run result;
};

static void change(struct run *r, double time_s, double bytes)
{
    r->change[r->changes++] = (struct change){time_s, bytes};
}

static double run_forward(struct run *r)
{
    double now_s = 0, out_s = 0;
    for (int i = 0; i < r->modules; i++) {
        now_s += r->module[i].forward_s;
        r->ready_s[i] = now_s;
        change(r, now_s, r->module[i].bytes);
        if (i >= r->store->stored) continue;
        out_s = fmax(out_s, now_s) + r->module[i].bytes / r->store->write_Bps;
        r->written_s[i] = out_s;
    }
    return now_s;
}

/* The read of module i is issued when backward of module i + ahead begins. What is not yet written
 * then stays. */
static void run_backward(struct run *r, double now_s)
{
    const struct rk_store *store = r->store;
    double in_s = 0, there_s[RK_STORE_MOST] = {0};
    int issued = store->stored - 1;
    for (int i = r->modules - 1; i >= 0; i--) {
        for (; issued >= 0 && issued >= i - store->ahead; issued--) {
            const double bytes = r->module[issued].bytes;
            if (!(r->written_s[issued] <= now_s)) continue; /* handed on */
            const double start_s = fmax(in_s, now_s);
            change(r, r->written_s[issued], -bytes);
            change(r, start_s, bytes);
            in_s = there_s[issued] = start_s + bytes / store->read_Bps;
            r->result.written_bytes += bytes;
            r->result.read_bytes += bytes;
        }
        if (there_s[i] > now_s) {
            r->result.wait_s += there_s[i] - now_s;
            now_s = there_s[i];
        }
        now_s += r->module[i].backward_s;
        change(r, now_s, -r->module[i].bytes);
    }
    r->result.step_s = now_s;
}

/* At the same time, what goes goes first. */
static int by_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->time_s != y->time_s) return x->time_s < y->time_s ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

struct rk_store_run rk_store_simulate(const struct rk_store_module *module, int modules,
                                      const struct rk_store *store)
{
    static _Thread_local struct run r;
    double held = 0;
    r.module = module;
    r.modules = modules;
    r.store = store;
    r.changes = 0;
    r.result = (struct rk_store_run){0};
    run_backward(&r, run_forward(&r) + store->turn_s);
    qsort(r.change, (size_t)r.changes, sizeof *r.change, by_time);
    for (int i = 0; i < r.changes; i++) {
        held += r.change[i].bytes;
        r.result.peak_bytes = fmax(r.result.peak_bytes, held);
    }
    return r.result;
}
