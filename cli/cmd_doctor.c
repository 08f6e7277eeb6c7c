/* reckon doctor: why is a run slower than predicted, and what to look at first. */
#include "base/units.h"
#include "cli/commands.h"
#include "cli/doctor_memory.h"
#include "cli/doctor_parts.h"
#include "cli/plan_input.h"
#include "cli/prediction.h"
#include "cli/show.h"
#include "interop/train_log.h"
#include "report/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct doctor_args {
    const char *log;
    struct plan_source source;
    const char *output;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct doctor_args, member)

/* clang-format off */
static const struct operand doctor_operands[] = {
    {.name = "LOG", .help = "what the run printed: lines of Megatron-LM, NeMo, torchtitan, DeepSpeed or nanotron; or a profile of PyTorch, export_chrome_trace(); or metrics that Weights & Biases or TensorBoard export (CSV, JSON); or, of a run that ran out of memory, the traceback, what torch.cuda.memory_summary() printed, or a memory snapshot; - is standard input", AT(log), .complete = "file"},
    {.name = "PLAN", .help = "words that say how it is trained, as of reckon predict",
     .offset = offsetof(struct doctor_args, source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option doctor_output[] = {
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};

const struct usage doctor_usage = {
    .name = "doctor",
    .summary = "why a run is slower than predicted, and what to look at first",
    .synopsis = "LOG --model MODEL --system SYSTEM [options] [PLAN]...",
    .description =
        "Reads the times of steps from a run's log, predicts the same step, and lays them side by side: how far "
        "apart they are, whether that is usual for such runs (error bars of reckon predict), and where the "
        "predicted time goes. Then it asks what would explain the difference: one thing at a time is changed, in the "
        "plan (the run does not overlap, computes more again, has slower kernels) or the machine (a slow host, a fabric "
        "at a part of its rate, sunken clocks), and the step predicted again. What comes nearest to the "
        "measured time stands first, with what to look at.\n\n"
        "Of a profile the device's time is laid beside the prediction part by part: products, attention, other "
        "kernels, communication with nothing beside it, and gaps in which nothing runs; what the run loses most to "
        "is said.\n\n"
        "Of a run that ran out of memory (the text of the OutOfMemoryError with its traceback, the table of "
        "torch.cuda.memory_summary(), a pickle of torch.cuda.memory._dump_snapshot(), which is read as data and "
        "never executed) what holds the memory is laid beside the prediction, with the change of the plan to make "
        "first and its line in the launch file.\n\n"
        "The first tenth of the logged steps is warm-up and left out. An explanation that fits is no proof: "
        "several may fit alike, and a profile decides. reckon calibrate --log takes the same log over into a system file.",
    .operands = doctor_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Plan", plan_source_options, offsetof(struct doctor_args, source)},
        {"Output", doctor_output, 0},
        {"Form", show_options, offsetof(struct doctor_args, show)},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon doctor train.log -m llama3.1-8b -s h100-sxm5-80g --gpus 8 framework=fsdp zero3 grad-overlap weight-overlap recompute=full gbs32",
         "Why does this run take so long?"},
        {"reckon doctor train.log -m llama3.1-70b -s h100-sxm5-80g --plan plan.json",
         "With the plan that reckon import made of its launch script:"},
        {"reckon doctor oom.txt -m llama3.1-70b -s h100-sxm5-80g --plan plan.json",
         "What held the memory of a run that ran out of it, and the line to change first:"},
    },
    .see_also = "reckon-predict(1), reckon-import(1), reckon-calibrate(1)",
};
/* clang-format on */

/* ---- what may be otherwise ---- */

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
    p->system.network[p->system.networks - 1].bandwidth_Bps /= 4;
}
static void slow_node(struct patient *p)
{
    p->system.network[0].bandwidth_Bps /= 4;
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
} causes[] = {
    {"host starts kernels from Python, 150 us each", "host gaps in a profile; torch.compile, captured graphs, larger microbatches", slow_host},
    {"graphs are captured",                          "cuda-graphs=yes in the plan", graphs},
    {"products at 0.8 of their rate",                "clocks, power limit and temperature under load (nvidia-smi -q -d CLOCK,POWER)", low_clocks},
    {"products at 1.25 of their rate",               "a machine that holds its clocks: reckon calibrate --log", more_power},
    {"network between nodes at a quarter",           "nccl-tests over the nodes; adapters per GPU, RDMA, who else uses it", slow_fabric},
    {"links within the node at a quarter",           "nccl-tests on one node; NVLink state, peer access", slow_node},
    {"all layers are computed again",                "the run's recomputation setting", all_again},
    {"nothing is computed again",                    "the run's recomputation setting", nothing_again},
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
enum { CAUSES = sizeof causes / sizeof *causes };

struct finding {
    const struct cause *cause;
    double step_s, off; /* off: |log(step / measured)| */
};

static int by_off(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    if (x->off != y->off) return x->off < y->off ? -1 : 1;
    return (x->cause > y->cause) - (x->cause < y->cause);
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
static enum rk_status find_causes(const struct plan_input *input, double step_s, double measured_s,
                                  struct finding findings[static CAUSES], int *count,
                                  struct rk_error *error)
{
    static struct rk_prediction p;
    const double before = fabs(log(step_s / measured_s));
    *count = 0;
    for (int i = 0; i < CAUSES; i++) {
        const enum rk_status status = try_cause(input, &causes[i], &p, error);
        if (status != RK_OK) return status;
        if (!p.timed || !(p.step_s > 0)) continue;
        const double off = fabs(log(p.step_s / measured_s));
        if (off < before - 0.01) findings[(*count)++] = (struct finding){&causes[i], p.step_s, off};
    }
    qsort(findings, (size_t)*count, sizeof *findings, by_off);
    return RK_OK;
}

/* ---- the answer ---- */

struct measured {
    const char *format;
    size_t steps;
    double first_s, median_s, ninth_s; /* 10, 50, 90 % of the steps are below */
};

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct measured measure(struct train_log *log)
{
    const size_t warm = train_log_warm(log), count = log->steps - warm;
    double *steps = log->step_s + warm;
    qsort(steps, count, sizeof *steps, by_value);
    return (struct measured){log->format, count, steps[count / 10], steps[count / 2],
                             steps[count - 1 - count / 10]};
}

static void add_headline(struct report *report, const struct forecast *f, const struct measured *m)
{
    char measured[QUANTITY_TEXT], low[QUANTITY_TEXT], high[QUANTITY_TEXT], predicted[QUANTITY_TEXT];
    const double step_s = f->prediction->step_s, ratio = m->median_s / step_s;
    report_note(report,
                report_text(report,
                            "measured: %s a step (%zu steps of %s behind the warm-up, 80 %% of "
                            "them %s to %s)",
                            quantity_format(measured, QUANTITY_SECONDS, m->median_s), m->steps,
                            m->format, quantity_format(low, QUANTITY_SECONDS, m->first_s),
                            quantity_format(high, QUANTITY_SECONDS, m->ninth_s)));
    report_note(report, report_text(report, "predicted: %s; the run takes %.2f times as long",
                                    quantity_format(predicted, QUANTITY_SECONDS, step_s), ratio));
    forecast_plan(report, f);
    if (m->ninth_s > 1.1 * m->median_s)
        report_note(report,
                    "  a tenth of the steps takes 10 % longer than the median or more: data "
                    "loading, checkpoints, evaluation or a slow rank come and go");
}

/* The parts of the predicted step, and below them the measured one. */
static void add_chart(struct report *report, const struct forecast *f, const struct measured *m)
{
    static const struct report_column columns[] = {
        {.name = "of"},
        {.name = "part"},
        {.name = "time_s", .title = "time", .unit = "s"},
        {.name = "low_s", .title = "10 %", .unit = "s"},
        {.name = "high_s", .title = "90 %", .unit = "s"}};
    static const struct chart chart = {.id = "measured",
                                       .title = "Measured step and the parts of the predicted one",
                                       .caption = "The whisker has 80 % of the measured steps.",
                                       .kind = CHART_BARS,
                                       .role = {[CHART_Y] = "of",
                                                [CHART_VALUE] = "time_s",
                                                [CHART_SERIES] = "part",
                                                [CHART_LOW] = "low_s",
                                                [CHART_HIGH] = "high_s"},
                                       .x = {.title = "time per step"}};
    struct report_table *table = REPORT_LIST(report, NULL, NULL, REPORT_IN_PAGE, columns);
    if (table) table->chart = &chart;
    report_row(report, table,
               (struct report_cell[]){cell_text("measured"), cell_text("measured step"),
                                      cell_number(m->median_s), cell_number(m->first_s),
                                      cell_number(m->ninth_s)});
    for (const struct rk_figure *part = NULL; (part = rk_figure_next(part, RK_BY_RECKON));) {
        const double time_s = rk_figure_value(&f->prediction->outcome, part);
        if (part->time && time_s > 0)
            report_row(
                report, table,
                (struct report_cell[]){
                    cell_text("predicted"),
                    cell_text(report_text(report, "%.*s", (int)strlen(part->name) - 2, part->name)),
                    cell_number(time_s), cell_none(), cell_none()});
    }
}

/* Within the 50 % interval of such runs it is as predicted, within the 90 % one nothing unusual. */
static void add_verdict(struct report *report, const struct forecast *f, const struct measured *m,
                        const struct finding *nearest)
{
    char measured[QUANTITY_TEXT], predicted[QUANTITY_TEXT];
    double at[FORECAST_QUANTILES];
    const double ratio = m->median_s / f->prediction->step_s;
    const bool known = forecast_range(f, at);
    const enum report_tone tone =
        m->median_s <= (known ? at[3] : 1.1 * f->prediction->step_s)   ? REPORT_GOOD
        : m->median_s <= (known ? at[4] : 1.5 * f->prediction->step_s) ? REPORT_UNSURE
                                                                       : REPORT_BAD;
    report->title = report_text(report, "%s on %s: measured and predicted step", f->model->id,
                                f->system->id);
    report_verdict(report, tone,
                   report_text(report,
                               "The run takes %s per step, %.2f times the predicted %s%s.%s%s",
                               quantity_format(measured, QUANTITY_SECONDS, m->median_s), ratio,
                               quantity_format(predicted, QUANTITY_SECONDS, f->prediction->step_s),
                               tone == REPORT_GOOD     ? ", as such runs do"
                               : tone == REPORT_UNSURE ? ", longer than most such runs"
                                                       : ", longer than such runs do",
                               nearest && tone != REPORT_GOOD ? " Nearest explanation: " : "",
                               nearest && tone != REPORT_GOOD ? nearest->cause->what : ""));
}

static void add_record(struct report *report, const struct forecast *f, const struct measured *m)
{
    static const struct report_column columns[] = {{.name = "command"},
                                                   {.name = "format"},
                                                   {.name = "steps"},
                                                   {.name = "measured_s"},
                                                   {.name = "predicted_s"}};
    report_row(report, REPORT_ONE(report, NULL, NULL, REPORT_IN_JSON, columns),
               (struct report_cell[]){cell_text("doctor"), cell_text(m->format),
                                      cell_count(m->steps), cell_number(m->median_s),
                                      cell_number(f->prediction->step_s)});
}

/* clang-format off */
static const struct report_column finding_columns[] = {
    {.name = "if"},
    {.name = "step_s", .title = "the step would take", .unit = "s", .digits = 3, .own_scale = true},
    {.name = "measured_over", .title = "measured over that", .digits = 2},
    {.name = "look_at", .title = "look at"},
};
/* clang-format on */

static void add_findings(struct report *report, const struct finding *findings, int count,
                         const struct measured *m)
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
                   (struct report_cell[]){cell_text(findings[i].cause->what),
                                          cell_number(findings[i].step_s),
                                          cell_number(m->median_s / findings[i].step_s),
                                          cell_text(findings[i].cause->look)});
}

/* A run that ran out of memory. */
static enum rk_status examine_memory(struct report *report, const struct memory_report *memory,
                                     const struct plan_input *input, struct rk_error *error)
{
    static struct rk_prediction p;
    const struct rk_plan *plan = &input->draft.plan;
    rk_predict(&input->model, &input->system, plan, &p);
    const struct forecast f = {&input->model, &input->system, plan, &p, input->assumed};
    if (!p.timed)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                       "this plan cannot be predicted: %s; is it the one that ran?",
                       rk_verdict_name(p.verdict));
    doctor_memory(report, &f, memory);
    return RK_OK;
}

static enum rk_status examine(struct report *report, struct doctor_args *args,
                              const struct plan_input *input, struct rk_error *error)
{
    static struct train_log log;
    static struct rk_prediction p;
    struct finding findings[CAUSES];
    int count;
    const struct rk_plan *plan = &input->draft.plan;
    const double sequence = (double)(plan->sequence ? plan->sequence : input->model.sequence);
    const struct train_log_scale scale = {(double)plan->batch,
                                          (double)plan->batch * sequence / (double)plan->ranks};
    struct memory_report memory;
    enum rk_status status = doctor_memory_load(args->log, &memory, error);
    if (status == RK_OK && memory.kind) return examine_memory(report, &memory, input, error);
    if (status == RK_OK) status = train_log_load(args->log, &scale, &log, error);
    if (status != RK_OK) return status;
    rk_predict(&input->model, &input->system, plan, &p);
    const struct forecast f = {&input->model, &input->system, plan, &p, input->assumed};
    if (!p.timed)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                       "this plan cannot be predicted: %s; is it the one that ran?",
                       rk_verdict_name(p.verdict));
    const struct measured m = measure(&log);
    add_headline(report, &f, &m);
    add_record(report, &f, &m);
    forecast_errors(report, &f);
    if (!log.trace.kernels) add_chart(report, &f, &m);
    if (log.trace.kernels)
        doctor_parts(report, &log.trace, &p);
    else
        forecast_times(report, &f);
    status = find_causes(input, p.step_s, m.median_s, findings, &count, error);
    if (status == RK_OK) add_findings(report, findings, count, &m);
    if (status == RK_OK) add_verdict(report, &f, &m, count ? findings : NULL);
    return status;
}

int cmd_doctor(int argc, char **argv)
{
    struct doctor_args args = {.source = {.model = NULL}};
    struct plan_input input = {.assumed = ""};
    struct report report = {.first = NULL};
    struct rk_error error;
    const int done = options_read(&doctor_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = plan_gather(&args.source, &input, &error);
    if (status == RK_OK) status = plan_settle(&args.source, &input, NULL, NULL, &error);
    if (status == RK_OK) status = examine(&report, &args, &input, &error);
    const int code = status == RK_OK ? show_report(&report, &args.show, args.output, RK_OK)
                                     : options_fail(&error);
    report_release(&report);
    plan_input_release(&input);
    return code;
}
