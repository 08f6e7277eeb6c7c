/* doctor.c - a measured step and its prediction. */
#include "machine/part.h"
#include "workload/layers.h"

#include <reckon/doctor.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

static double tokens_of(const struct rk_model *model, const struct rk_plan *plan)
{
    return (double)plan->batch * rk_tokens_trained(model, plan);
}

/* Model FLOP/s of all GPUs at the peak: MFU is a share of it. */
static double peak_flops(const struct rk_prediction *p)
{
    return p->mfu > 0 ? p->model_flop / p->step_s / p->mfu : INFINITY;
}

double rk_speed_step_s(const struct rk_speed *n, const struct rk_model *model,
                       const struct rk_plan *plan, const struct rk_prediction *p)
{
    const double gpus = (double)plan->ranks, tokens = tokens_of(model, plan);
    double step_s = n->step_s;
    if (n->tflops > 0) step_s = p->model_flop / (n->tflops * 1e12 * gpus);
    if (n->tokens_per_s > 0) step_s = tokens / n->tokens_per_s;
    if (n->tokens_per_s_per_gpu > 0) step_s = tokens / (n->tokens_per_s_per_gpu * gpus);
    if (n->mfu_percent > 0) step_s = p->model_flop / (peak_flops(p) * n->mfu_percent / 100);
    return step_s;
}

struct rk_speed rk_speed_of(double step_s, const struct rk_model *model, const struct rk_plan *plan,
                            const struct rk_prediction *p)
{
    const double gpus = (double)plan->ranks, tokens_per_s = tokens_of(model, plan) / step_s;
    return (struct rk_speed){.step_s = step_s,
                             .tflops = p->model_flop / step_s / gpus / 1e12,
                             .tokens_per_s = tokens_per_s,
                             .tokens_per_s_per_gpu = tokens_per_s / gpus,
                             .mfu_percent = 100 * p->model_flop / step_s / peak_flops(p)};
}

/* ---- parts of a profile ---- */

/* The profile does not tell recomputation apart: it is in the kernels of each kind. */
void rk_step_parts(const struct rk_profile *t, const struct rk_prediction *p,
                   struct rk_step_part parts[RK_STEP_PARTS])
{
    const double computed_s = p->matrix_s + p->attention_s + p->memory_s;
    const double again = computed_s > 0 ? 1 + p->recompute_s / computed_s : 1;
    const struct rk_step_part all_parts[RK_STEP_PARTS] = {
        {"matrix products", "clocks and power under load; shapes that fill tiles; precision",
         t->matrix_s, again * p->matrix_s},
        {"attention", "which kernel runs: a fused one, the newest that the GPU has", t->attention_s,
         again * p->attention_s},
        {"norms, activations, optimizer, copies",
         "torch.compile or fused kernels; casts and copies", t->memory_s,
         again * p->memory_s + p->optimizer_s},
        {"exposed communication",
         "overlap of gradients, weights and tensor communication; nccl-tests", t->exposed_s,
         p->tensor_s + p->context_s + p->expert_s + p->pipeline_s + p->data_s},
        {"GPU idle: host or pipeline",
         "captured graphs, torch.compile, larger microbatches; data loading; more microbatches",
         t->gap_s, p->launch_s + p->bubble_s},
    };
    memcpy(parts, all_parts, sizeof all_parts);
}

/* ---- causes ---- */

struct patient {
    struct rk_system system; /* a copy */
    struct rk_plan plan;
};

static void slow_host(struct patient *p)
{
    p->system.kernels.launch_s = fmax(p->system.kernels.launch_s, 150e-6);
}
static void set_sustained(struct rk_kernels *kernels, double factor)
{
    kernels->sustained = fmin(1, factor * kernels->sustained);
}
static void graphs(struct patient *p)
{
    p->plan.cuda_graphs = true;
    p->plan.graph_parts = 0;
}
static void low_clocks(struct patient *p)
{
    set_sustained(&p->system.kernels, 0.8);
    set_sustained(&p->system.busy, 0.8);
}
static void more_power(struct patient *p)
{
    set_sustained(&p->system.kernels, 1 / 0.8);
    set_sustained(&p->system.busy, 1 / 0.8);
}
static void slow_fabric(struct patient *p)
{
    network_at(&p->system.network[p->system.networks - 1], 1.0 / 4);
}
static void slow_node(struct patient *p)
{
    network_at(&p->system.network[0], 1.0 / 4);
}
static void all_again(struct patient *p)
{
    p->plan.recompute = RK_WHOLE;
    p->plan.recompute_layers = p->plan.recompute_every = p->plan.recompute_stride = 0;
}
static void nothing_again(struct patient *p)
{
    p->plan.recompute = RK_KEEP;
    p->plan.recompute_parts = 0;
}
static void late_gradients(struct patient *p)
{
    p->plan.gradient_overlap = false;
}
static void early_gradients(struct patient *p)
{
    p->plan.gradient_overlap = true;
}
static void late_weights(struct patient *p)
{
    p->plan.weight_overlap = false;
}
static void early_weights(struct patient *p)
{
    p->plan.weight_overlap = true;
}
static void bare_tensor(struct patient *p)
{
    p->plan.tensor_overlap = RK_OVERLAP_NONE;
}
static void older_attention(struct patient *p)
{
    if (p->plan.attention == RK_FLASH_3) p->plan.attention = RK_FLASH;
}
static void newer_attention(struct patient *p)
{
    if (p->plan.attention == RK_FLASH &&
        rk_attends(p->system.kernels.attention_kernels, RK_FLASH_3))
        p->plan.attention = RK_FLASH_3;
}
static void scores_in_memory(struct patient *p)
{
    p->plan.attention = RK_UNFUSED;
}
static void one_by_one(struct patient *p)
{
    p->plan.fused = false;
}
static void contiguous(struct patient *p)
{
    p->plan.context_contiguous = true;
}
static void crowded(struct patient *p)
{
    p->plan.imbalance = fmax(p->plan.imbalance, 1.5);
}

/* clang-format off */
static const struct otherwise {
    const char *what, *look;
    void (*apply)(struct patient *);
    bool chosen; /* a launch file says which */
} all[RK_CAUSES] = {
    {"host starts kernels from Python, 150 us each", "host gaps in a profile; torch.compile, captured graphs, larger microbatches", slow_host, false},
    {"graphs are captured",                          "cuda-graphs=yes in the plan", graphs, true},
    {"products at 0.8 of their rate",                "clocks, power limit and temperature under load (nvidia-smi -q -d CLOCK,POWER)", low_clocks, false},
    {"products at 1.25 of their rate",               "a machine that holds its clocks: reckon calibrate fits one to a log", more_power, false},
    {"network between nodes at a quarter",           "nccl-tests over the nodes; adapters per GPU, RDMA, who else uses it", slow_fabric, false},
    {"links within the node at a quarter",           "nccl-tests on one node; NVLink state, peer access", slow_node, false},
    {"all layers are recomputed",                    "the run's recomputation setting", all_again, true},
    {"nothing is recomputed",                        "the run's recomputation setting", nothing_again, true},
    {"gradients are not overlapped",                 "overlap_grad_reduce, bucket sizes", late_gradients, true},
    {"gradients are overlapped",                     "grad-overlap in the plan", early_gradients, true},
    {"weights are not gathered ahead",               "overlap_param_gather, FSDP's prefetch and limit_all_gathers", late_weights, true},
    {"weights are gathered ahead",                   "weight-overlap in the plan", early_weights, true},
    {"tensor communication is not overlapped",       "tp_comm_overlap, async tensor parallelism", bare_tensor, true},
    {"attention is FlashAttention-2",                "which kernel runs, in a profile", older_attention, false},
    {"attention uses what the GPU has newest",       "attention=flash3 in the plan", newer_attention, false},
    {"scores of attention in memory",                "whether a fused kernel takes the run's mask, bias and head width", scores_in_memory, true},
    {"norms, activation and loss one kernel each step", "torch.compile or fused kernels", one_by_one, true},
    {"contiguous parts of the context",              "whether context parallelism is balanced (zig-zag)", contiguous, true},
    {"busiest experts have 1.5 times the mean",      "tokens of each expert rank", crowded, false},
};
/* clang-format on */

static int by_off(const void *a, const void *b)
{
    const struct rk_cause *x = a, *y = b;
    if (x->off != y->off) return x->off < y->off ? -1 : 1;
    return strcmp(x->what, y->what);
}

enum rk_status rk_causes(const struct rk_model *model, const struct rk_system *system,
                         const struct rk_plan *plan, double step_s, double measured_s,
                         struct rk_cause causes[RK_CAUSES], int *count, struct rk_error *error)
{
    struct rk_prediction *p = malloc(sizeof *p);
    enum rk_status status = p ? RK_OK : rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory");
    const double before = fabs(log(step_s / measured_s));
    *count = 0;
    for (int i = 0; status == RK_OK && i < RK_CAUSES; i++) {
        struct patient patient = {.plan = *plan};
        status = rk_system_copy(&patient.system, system, error);
        if (status != RK_OK) break;
        all[i].apply(&patient);
        rk_predict(model, &patient.system, &patient.plan, p);
        rk_system_release(&patient.system);
        if (!p->timed || !(p->step_s > 0)) continue;
        const double off = fabs(log(p->step_s / measured_s));
        if (off < before - 0.01)
            causes[(*count)++] =
                (struct rk_cause){all[i].what, all[i].look, p->step_s, off, all[i].chosen};
    }
    free(p);
    qsort(causes, (size_t)*count, sizeof *causes, by_off);
    return status;
}
