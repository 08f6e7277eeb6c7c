/* doctor_causes.c - one thing at a time is otherwise, in the plan or the machine, and the step is
 * predicted again: what comes nearest to the measured time may explain it. */
#include "cli/doctor_causes.h"
#include "machine/part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
static const struct cause {
    const char *what, *look;
    void (*apply)(struct patient *);
} causes[DOCTOR_CAUSES] = {
    {"host starts kernels from Python, 150 us each", "host gaps in a profile; torch.compile, captured graphs, larger microbatches", slow_host},
    {"graphs are captured",                          "cuda-graphs=yes in the plan", graphs},
    {"products at 0.8 of their rate",                "clocks, power limit and temperature under load (nvidia-smi -q -d CLOCK,POWER)", low_clocks},
    {"products at 1.25 of their rate",               "a machine that holds its clocks: reckon calibrate --log", more_power},
    {"network between nodes at a quarter",           "nccl-tests over the nodes; adapters per GPU, RDMA, who else uses it", slow_fabric},
    {"links within the node at a quarter",           "nccl-tests on one node; NVLink state, peer access", slow_node},
    {"all layers are recomputed",                    "the run's recomputation setting", all_again},
    {"nothing is recomputed",                        "the run's recomputation setting", nothing_again},
    {"gradients are not overlapped",                 "overlap_grad_reduce, bucket sizes", late_gradients},
    {"gradients are overlapped",                     "grad-overlap in the plan", early_gradients},
    {"weights are not gathered ahead",               "overlap_param_gather, FSDP's prefetch and limit_all_gathers", late_weights},
    {"weights are gathered ahead",                   "weight-overlap in the plan", early_weights},
    {"tensor communication is not overlapped",       "tp_comm_overlap, async tensor parallelism", bare_tensor},
    {"attention is FlashAttention-2",                "which kernel runs, in a profile", older_attention},
    {"attention uses what the GPU has newest",       "attention=flash3 in the plan", newer_attention},
    {"scores of attention in memory",                "whether a fused kernel takes the run's mask, bias and head width", scores_in_memory},
    {"norms, activation and loss one kernel each step", "torch.compile or fused kernels", one_by_one},
    {"contiguous parts of the context",              "whether context parallelism is balanced (zig-zag)", contiguous},
    {"busiest experts have 1.5 times the mean",      "tokens of each expert rank", crowded},
};
/* clang-format on */
static int by_off(const void *a, const void *b)
{
    const struct cause_finding *x = a, *y = b;
    if (x->off != y->off) return x->off < y->off ? -1 : 1;
    return strcmp(x->what, y->what);
}

/* One change: RK_NO_MEMORY when there is no memory. */
static enum rk_status try_cause(const struct plan_input *input, const struct cause *cause,
                                struct rk_prediction *p, struct rk_error *error)
{
    struct patient patient = {.plan = input->draft.plan};
    const enum rk_status status = rk_system_copy(&patient.system, &input->system, error);
    if (status != RK_OK) return status;
    cause->apply(&patient);
    rk_predict(&input->model, &patient.system, &patient.plan, p);
    rk_system_release(&patient.system);
    return RK_OK;
}

/* Those that bring the prediction nearer to the measured time by a hundredth of it and more. */
enum rk_status causes_find(const struct plan_input *input, double step_s, double measured_s,
                           struct cause_finding findings[static DOCTOR_CAUSES], int *count,
                           struct rk_error *error)
{
    static struct rk_prediction p;
    const double before = fabs(log(step_s / measured_s));
    *count = 0;
    for (int i = 0; i < DOCTOR_CAUSES; i++) {
        const enum rk_status status = try_cause(input, &causes[i], &p, error);
        if (status != RK_OK) return status;
        if (!p.timed || !(p.step_s > 0)) continue;
        const double off = fabs(log(p.step_s / measured_s));
        if (off < before - 0.01)
            findings[(*count)++] =
                (struct cause_finding){causes[i].what, causes[i].look, p.step_s, off};
    }
    qsort(findings, (size_t)*count, sizeof *findings, by_off);
    return RK_OK;
}

/* ---- the table ---- */

/* clang-format off */
static const struct report_column finding_columns[] = {
    {.name = "if"},
    {.name = "step_s", .title = "the step would take", .unit = "s", .digits = 3, .own_scale = true},
    {.name = "measured_over", .title = "measured over that", .digits = 2},
    {.name = "look_at", .title = "look at"},
};
/* clang-format on */

void causes_table(struct report *report, const struct cause_finding *findings, int count,
                  double measured_s)
{
    if (count == 0) {
        report_note(report, "  nothing that was tried brings the prediction nearer to the run");
        return;
    }
    struct report_table *table =
        REPORT_LIST(report, "causes", "What would explain it, the nearest first", REPORT_IN_ALL,
                    finding_columns);
    for (int i = 0; i < count; i++)
        report_row(report, table,
                   (struct report_cell[]){
                       cell_text(findings[i].what), cell_number(findings[i].step_s),
                       cell_number(measured_s / findings[i].step_s), cell_text(findings[i].look)});
}
