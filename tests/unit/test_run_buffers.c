/* What a run of Megatron-LM asks PyTorch's allocator for from its start: by hand, and against what
 * SimuMax measured. */
#include "logs/run_buffers.h"
#include "predict_cases.h"

#include <math.h>
#include <reckon/allocator.h>
#include <reckon/catalog.h>
#include <stdlib.h>

static void run_of(struct buffers *buffers, struct rk_program *program,
                   const struct rk_model *model, const char *text, uint64_t rank)
{
    struct rk_system system;
    struct rk_plan plan;
    struct rk_error error;
    cr_assert_eq(rk_system_load("b200-sxm-180g", &system, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_plan_parse(text, &plan, &error), RK_OK, "%s", error.text);
    cr_assert(run_buffers_known(&plan));
    cr_assert_eq(rk_program_of(program, model, &system, &plan, rank, &error), RK_OK, "%s: %s", text,
                 error.text);
    cr_assert_eq(run_buffers(buffers, program, &plan, &error), RK_OK);
    rk_system_release(&system);
}

static struct rk_model model_of(const char *id, uint64_t layers)
{
    struct rk_model model;
    struct rk_error error;
    cr_assert_eq(rk_model_load(id, &model, &error), RK_OK, "%s", error.text);
    if (layers) model.layers = layers;
    return model;
}

/* ---- against measured runs ---- */

/* Peaks of one rank, GiB: MooreThreads/SimuMax, docs/b200/b200_release_v1.2_summary.json, as in
 * data/measured/runs.csv. `rows`: of how many, which differ in the number of microbatches. */
static const struct {
    const char *model;
    int layers, rows;
    const char *plan;
    uint64_t rank;
    double allocated, reserved;
} measured[] = {
    {"llama3.1-70b", 12, 3, "gpus8 dp4 pp2 gbs16 seq4096", 0, 66.55, 70.88},
    {"llama3.1-70b", 12, 3, "gpus8 dp4 tp2 gbs16 seq4096 sp", 0, 60.68, 62.53},
    {"llama3.1-70b", 12, 3, "gpus8 dp2 tp4 gbs8 seq4096 sp", 0, 39.07, 40.18},
    {"llama3.1-70b", 12, 3, "gpus8 tp8 gbs4 seq4096 sp", 0, 28.29, 29.12},
    {"deepseek-v3", 4, 3, "gpus8 dp8 ep8 etp1 gbs32 seq4096", 0, 104.3, 110.18},
    {"deepseek-v3", 4, 3, "gpus8 dp4 pp2 ep4 etp1 gbs16 seq4096", 7, 114.0, 118.61},
    {"llama3.1-70b", 12, 1, "gpus8 tp2 cp4 gbs4 seq32768 sp", 0, 68.43, 70.33},
    {"llama3.1-70b", 12, 1, "gpus8 cp8 gbs4 seq32768", 0, 104.51, 111.94},
    {"llama3.1-405b", 4, 1, "gpus8 tp2 cp4 gbs4 seq32768 sp", 0, 87.03, 91.15},
    {"llama3.1-405b", 4, 1, "gpus8 cp8 gbs4 seq32768", 0, 139.22, 152.14},
    {"llama3.1-405b", 4, 1, "gpus8 tp2 cp4 gbs4 seq131072 sp", 0, 118.13, 127.5},
};

Test(run_buffers, reserved_is_what_was_measured)
{
    double error = 0, allocated_error = 0;
    int rows = 0;
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        struct rk_model model = model_of(measured[i].model, (uint64_t)measured[i].layers);
        struct rk_program program;
        struct buffers b;
        struct rk_allocator_result r;
        char text[256];
        if (model.experts) model.dense_layers = 1, model.predict_layers = 0;
        snprintf(text, sizeof text, "%s zero1 loss-compiled", measured[i].plan);
        run_of(&b, &program, &model, text, measured[i].rank);
        cr_assert_eq(rk_allocator_run(b.buffer, b.count, NULL, NULL, &r, NULL), RK_OK);
        const double ratio = (double)r.reserved / (double)r.allocated;
        error += measured[i].rows * fabs(ratio * measured[i].allocated / measured[i].reserved - 1);
        allocated_error +=
            measured[i].rows * fabs((double)r.allocated / 0x1p30 / measured[i].allocated - 1);
        rows += measured[i].rows;
        buffers_release(&b);
        rk_program_release(&program);
    }
    cr_assert_eq(rows, 23);
    cr_expect_lt(error / rows, 0.02, "%.2f %%", 100 * error / rows);
    cr_expect_lt(allocated_error / rows, 0.004, "%.2f %%", 100 * allocated_error / rows);
}

/* ---- by hand ---- */

static double bytes_at(const struct buffers *b, int64_t time)
{
    double sum = 0;
    for (size_t i = 0; i < b->count; i++)
        if (b->buffer[i].start <= time && time < b->buffer[i].end) sum += (double)b->buffer[i].size;
    return sum;
}

static int64_t last_of(const struct buffers *b)
{
    int64_t last = 0;
    for (size_t i = 0; i < b->count; i++)
        if (b->buffer[i].end > last) last = b->buffer[i].end;
    return last - 1;
}

/* Llama 3.1 8B on eight ranks that share the optimizer: 8,030,261,248 parameters of 2 + 4 + 12/8
 * bytes, and a placeholder of 2 bytes for each shape of weights: 4096 x (6144, 4096, 28672, 14336
 * turned, 128256). As the weights are built their memory is there, and none of the buffers. */
Test(run_buffers, what_lasts_is_the_state)
{
    const struct rk_model model = model_of("llama3.1-8b", 0);
    struct rk_program program;
    struct buffers b;
    run_of(&b, &program, &model, "gpus8 dp8 gbs8 zero1", 0);
    const double parameters = 8030261248;
    const double shapes = 4096.0 * (6144 + 4096 + 28672 + 14336 + 128256);
    cr_expect_float_eq(bytes_at(&b, last_of(&b)) / (parameters * 7.5 + 2 * shapes), 1, 1e-3);
    const int64_t operations =
        32 * 6 + 3; /* four products and two norms; ends: table, norm, head */
    cr_expect_float_eq(bytes_at(&b, operations - 1) / (2 * parameters), 1, 1e-3);
    buffers_release(&b);
    rk_program_release(&program);
}

/* The second step asks for what the first one did. */
Test(run_buffers, steps_are_alike)
{
    const struct rk_model model = model_of("llama3.1-8b", 0);
    struct rk_program program;
    struct buffers b;
    run_of(&b, &program, &model, "gpus8 dp4 tp2 gbs8 zero1 sp", 0);
    const int64_t length = (int64_t)program.instructions + 1, end = last_of(&b);
    double first = 0, second = 0;
    for (size_t i = 0; i < b.count; i++) {
        const struct rk_buffer *at = &b.buffer[i];
        if (at->end == end + 1) continue; /* lasts */
        if (at->start >= end - length) second += (double)at->size;
    }
    for (uint32_t i = 0; i < program.tensors; i++)
        if (program.tensor[i].last != RK_NONE)
            first += ceil(program.form[program.tensor[i].form].bytes);
    cr_expect_geq(second, first); /* and the embedding's gradient */
    cr_expect_leq(second, first * 1.1);
    buffers_release(&b);
    rk_program_release(&program);
}

/* What is not known of other programs is not made up. */
Test(run_buffers, others_are_not_known)
{
    static const char *const texts[] = {"gpus8 framework=fsdp zero3", "gpus8 framework=deepspeed",
                                        "gpus8 zero3", "gpus8 frozen", "gpus8 offload-optimizer=1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct rk_plan plan;
        cr_assert_eq(rk_plan_parse(texts[i], &plan, NULL), RK_OK, "%s", texts[i]);
        cr_expect_not(run_buffers_known(&plan), "%s", texts[i]);
    }
}
