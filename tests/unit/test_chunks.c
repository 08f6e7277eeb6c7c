/* Layers that take the sequence chunk by chunk [yao2024fpdt]: the waits are those of an event
 * simulation, what is computed is the same, memory falls, and what is published of it. */
#include "layouts.h"
#include "predict_cases.h"

#include "estimate/chunks.h"
#include "workload/layers.h"

#include <math.h>
#include <reckon/catalog.h>
#include <reckon/program.h>
#include <stdlib.h>
#include <string.h>

/* ---- the recurrence, pair by pair ---- */

struct engines {
    double computed, loaded, returned; /* when each has ended what it was given */
    double busy;
    int loads, returns;
};

/* A pair of `pair_s`; beside it one load and one return of what was there before, if any. The next
 * pair begins when all three have ended. */
static void run_pair(struct engines *e, double pair_s, double load_s, double return_s)
{
    const double start = fmax(e->computed, fmax(e->loaded, e->returned));
    e->computed = start + pair_s;
    if (load_s > 0) e->loaded = start + load_s;
    if (return_s > 0) e->returned = start + return_s;
    e->loads += load_s > 0;
    e->returns += return_s > 0;
    e->busy += pair_s;
}

static double end_of(const struct engines *e)
{
    return fmax(e->computed, fmax(e->loaded, e->returned));
}

/* Chunks that are on the GPU: those of the pair, and of the one before or the next. */
static double forward_by_events(const struct chunk_times *t, double *computing_s)
{
    const int u = (int)t->chunks, d = (int)t->back;
    const struct chunk_copies copies = chunks_forward_copies(t);
    struct engines e = {.busy = 0};
    for (int row = 0; row < u; row++)
        for (int at = row > d ? row - d : 0, first = at; at <= row; at++) {
            const int following = row + 1 > d ? row + 1 - d : 0;
            const int next = at < row ? at + 1 : row + 1 < u ? following : -1;
            const bool own = (at < row && next == row) || next > row; /* it was just made */
            const bool there = next == at || next < 0;                /* or is in use */
            run_pair(&e, at == row ? t->on : t->below, own || there ? 0 : t->load,
                     at == first ? t->returned : 0);
        }
    *computing_s = e.busy;
    NEAR(copies.loads, e.loads);
    NEAR(copies.returns, e.returns);
    return end_of(&e);
}

/* Beyond the events: the first chunk comes and the last gradient goes beside nothing. */
static double backward_by_events(const struct chunk_times *t, double *computing_s)
{
    const int u = (int)t->chunks, d = (int)t->back;
    const struct chunk_copies copies = chunks_backward_copies(t);
    struct engines e = {.busy = 0};
    bool first = true;
    for (int column = 0; column < u; column++)
        for (int at = column; at < u && at <= column + d; at++) {
            const bool more = at + 1 < u && at < column + d;
            const int next = more ? at + 1 : column + 1 < u ? column + 1 : -1;
            run_pair(&e, at == column ? t->on : t->below, next < 0 || next == at ? 0 : t->load,
                     first ? 0 : t->returned);
            first = false;
        }
    *computing_s = e.busy;
    NEAR(copies.loads, e.loads + 1);
    NEAR(copies.returns, e.returns + 1);
    NEAR(copies.columns, u);
    return end_of(&e);
}

static double some(double most)
{
    return most * rand() / RAND_MAX;
}

Test(chunks, waits_are_those_of_the_events)
{
    srand(17);
    for (int i = 0; i < 3000; i++) {
        const int u = 2 + rand() % 9;
        const struct chunk_times t = {.chunks = u,
                                      .back = i % 2 ? u - 1 : rand() % u,
                                      .below = some(2),
                                      .on = some(1),
                                      .load = some(3) + 1e-9,
                                      .returned = some(3) + 1e-9};
        double computing_s;
        const double forward_s = forward_by_events(&t, &computing_s);
        cr_expect_float_eq(chunks_computing_s(&t), computing_s, 1e-9);
        cr_expect_float_eq(chunks_computing_s(&t) + chunks_forward_wait_s(&t), forward_s, 1e-9);
        const double backward_s = backward_by_events(&t, &computing_s);
        cr_expect_float_eq(chunks_computing_s(&t), computing_s, 1e-9);
        cr_expect_float_eq(chunks_computing_s(&t) + chunks_backward_wait_s(&t), backward_s, 1e-9);
    }
}

/* By hand: four chunks, pairs of 1 and 2 s, loads of 3, nothing returned. Row 2 loads chunk 1
 * beside pair (2,0), row 3 chunks 1 and 2; chunk 0 comes beside (1,1) and (2,2). */
Test(chunks, four_chunks_by_hand)
{
    const struct chunk_times t = {4, 3, 2, 1, 3, 0};
    NEAR(chunks_computing_s(&t), 4 * 1 + 6 * 2);
    NEAR(chunks_forward_wait_s(&t), 3 * (3 - 2) + 2 * (3 - 1));
    /* Column 0 loads 1, 2, 3 and 1; column 1 2, 3 and 2; column 2 3, and chunk 3 stays. */
    NEAR(chunks_backward_wait_s(&t), 3 * (3 - 1) + 5 * (3 - 2));
}

/* ---- plans ---- */

#define HOST "mem2=250GB@20GB/s"

static struct rk_prediction prediction;

static const struct rk_prediction *predicted(const char *id, const char *machine, const char *text)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_plan plan;
    struct rk_error error;
    cr_assert_eq(rk_model_load(id, &model, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_system_load(machine, &system, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_plan_parse(text, &plan, &error), RK_OK, "%s", error.text);
    rk_predict(&model, &system, &plan, &prediction);
    rk_system_release(&system);
    return &prediction;
}

#define FPDT                                                                                       \
    "framework=deepspeed cp-kind=ulysses zero3 gbs1 recompute=full offload-activations=1 "         \
    "loss-in-chunks grad-overlap weight-overlap "

/* The same work and parameters, whatever the chunks. */
Test(chunks, work_is_conserved)
{
    const char *const plain = FPDT "gpus8 cp8 seq1048576";
    const struct rk_prediction whole = *predicted("llama3.1-8b", "a100-sxm4-80g " HOST, plain);
    double before = whole.hbm_bytes;
    for (int u = 2; u <= 64; u *= 2) {
        char text[256];
        snprintf(text, sizeof text, "%s seq-chunks%d", plain, u);
        const struct rk_prediction *p = predicted("llama3.1-8b", "a100-sxm4-80g " HOST, text);
        NEAR(p->model_flop, whole.model_flop);
        NEAR(p->kernel_flop, whole.kernel_flop);
        NEAR(p->parameters, whole.parameters);
        cr_expect_float_eq(p->context_sent_bytes / whole.context_sent_bytes, 1, 1e-9);
        cr_expect_lt(p->hbm_bytes, before, "%d chunks", u);
        cr_expect_geq(p->step_s, whole.step_s);
        before = p->hbm_bytes;
    }
}

/* By hand: of mistral-7b's window of 4,096 tokens, 8 chunks of 4,096 or 4 of 8,192 have one below
 * each but the first, 64 of 512 have eight. */
Test(chunks, windows_reach_a_few_chunks)
{
    const struct operation rows[] = {{.chunks = 8, .keys = 32768, .window = 4096},
                                     {.chunks = 4, .keys = 32768, .window = 4096},
                                     {.chunks = 64, .keys = 32768, .window = 4096},
                                     {.chunks = 4, .keys = 32768, .window = 1},
                                     {.chunks = 4, .keys = 32768}};
    const double back[] = {1, 1, 8, 0, 3}, below[] = {7, 3, 64 * 8 - 36, 0, 6};
    for (int i = 0; i < 5; i++) {
        cr_expect_eq(chunks_back(&rows[i]), back[i], "%d", i);
        cr_expect_eq(chunk_pairs_below(&rows[i]), below[i], "%d", i);
    }
    const char *const plain = FPDT "gpus8 cp8 seq1048576";
    const struct rk_prediction whole = *predicted("mistral-7b", "a100-sxm4-80g " HOST, plain);
    const struct rk_prediction *p =
        predicted("mistral-7b", "a100-sxm4-80g " HOST, FPDT "gpus8 cp8 seq1048576 seq-chunks32");
    cr_assert(p->timed);
    NEAR(p->kernel_flop, whole.kernel_flop);
    cr_expect_lt(p->hbm_bytes, whole.hbm_bytes);
}

/* A slow link is waited for, an infinite one is not. */
Test(chunks, a_slow_link_is_waited_for)
{
    const char *const text = FPDT "gpus8 cp8 seq1048576 seq-chunks64";
    const double none_s =
        predicted("llama3.1-8b", "a100-sxm4-80g mem2=250GB@unlimited", text)->offload_s;
    const double fast_s = predicted("llama3.1-8b", "a100-sxm4-80g " HOST, text)->offload_s;
    const double slow_s =
        predicted("llama3.1-8b", "a100-sxm4-80g mem2=250GB@2GB/s", text)->offload_s;
    NEAR(none_s, 0);
    cr_expect_lt(fast_s, slow_s);
    cr_expect_gt(slow_s, 1);
}

/* Stages are the sum of their passes, also where chunks are waited for. */
Test(chunks, passes_add_up_to_the_stages)
{
    const char *const text = "gpus16 pp2 vpp2 cp8 cp-kind=ulysses gbs4 zero1 seq1048576 "
                             "recompute=full offload-activations=1 loss-in-chunks seq-chunks128";
    struct rk_model model;
    struct rk_system system;
    struct rk_plan plan;
    struct rk_error error;
    static struct rk_passes passes;
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("a100-sxm4-80g mem2=250GB@4GB/s", &system, &error), RK_OK);
    cr_assert_eq(rk_plan_parse(text, &plan, &error), RK_OK, "%s", error.text);
    plan.attention = RK_FLASH;
    rk_predict(&model, &system, &plan, &prediction);
    cr_assert(prediction.timed);
    cr_expect_gt(prediction.offload_s, 0.01 * prediction.step_s);
    rk_predict_passes(&model, &system, &plan, &passes);
    for (int i = 0; i < passes.stages; i++) {
        double forward_s = 0, backward_s = 0;
        for (int at = i; at < passes.parts; at += passes.stages) {
            const struct rk_chunk *c = &passes.chunk[at];
            forward_s += c->forward_s + c->offload_s[RK_WAY_FORWARD] + c->data_s[RK_WAY_FORWARD];
            backward_s += c->recompute_s + c->input_s + c->weight_s +
                          c->offload_s[RK_WAY_BACKWARD] + c->data_s[RK_WAY_BACKWARD];
        }
        cr_expect_float_eq(forward_s / prediction.stage[i].forward_s, 1, 1e-9);
        cr_expect_float_eq(backward_s / prediction.stage[i].backward_s, 1, 1e-9);
    }
    rk_system_release(&system);
}

/* What DeepSpeed publishes of it (blogs/ulysses-offload of its repository, Fig. 1, 4 and 5): 2 Mi
 * tokens of an 8B model on 4 GPUs of 80 GB, 4 Mi on 8 with 68.0 GB, 4 Mi of 70B on 32, a node's
 * four GPUs with 1 TB of host memory; chunks of 64 Ki tokens. */
Test(chunks, published_lengths)
{
    const struct rk_prediction *p =
        predicted("llama3.1-8b", "a100-sxm4-80g " HOST, FPDT "gpus4 cp4 seq2097152 seq-chunks32");
    cr_expect_eq(p->verdict, RK_FITS);
    p = predicted("llama3.1-8b", "a100-sxm4-80g " HOST, FPDT "gpus4 cp4 seq4194304 seq-chunks64");
    cr_expect_eq(p->verdict, RK_MEMORY_EXCEEDED);
    p = predicted("llama3.1-8b", "a100-sxm4-80g " HOST, FPDT "gpus8 cp8 seq4194304 seq-chunks64");
    cr_expect_eq(p->verdict, RK_FITS);
    cr_expect_float_eq(p->hbm_bytes / 68.0e9, 1, 0.05, "%.1f GB", p->hbm_bytes / 1e9);
    p = predicted("llama3.1-70b", "a100-sxm4-80g " HOST,
                  FPDT "gpus32 cp32 seq4194304 seq-chunks64");
    cr_expect_eq(p->verdict, RK_FITS);
    p = predicted("llama3.1-8b", "a100-sxm4-80g " HOST, FPDT "gpus8 cp8 seq4194304");
    cr_expect_eq(p->verdict, RK_MEMORY_EXCEEDED, "whole layers do not fit");
}

/* Beside the layers' inputs host memory holds, of the layer that runs, queries, keys, values,
 * outputs, their gradients in 16 bits, and the queries' in 32. */
Test(chunks, host_memory_is_counted)
{
    const char *const plain = FPDT "gpus8 cp8 seq1048576";
    const char *const text = FPDT "gpus8 cp8 seq1048576 seq-chunks16";
    const double tokens = 1048576 / 8.0, h = 4096;
    const double inputs =
        predicted("llama3.1-8b", "a100-sxm4-80g " HOST, plain)->stage[0].away_bytes[0];
    const double all =
        predicted("llama3.1-8b", "a100-sxm4-80g " HOST, text)->stage[0].away_bytes[0];
    NEAR(all - inputs, tokens * (2 * (3 * h + 2 * 8 * 128) + 4 * h));
    cr_expect_geq(inputs, 32 * tokens * 2 * h);
    cr_expect_eq(predicted("llama3.1-8b", "a100-sxm4-80g mem2=10GB@20GB/s", text)->verdict,
                 RK_MEMORY_EXCEEDED);
}

/* ---- refused ---- */

Test(chunks, what_is_not_known_is_refused_by_name)
{
    static const struct {
        const char *model, *machine, *text, *what;
    } rows[] = {
        {"llama3.1-8b", "a100-sxm4-80g", FPDT "gpus8 cp8 seq131072 seq-chunks2", "memory tier"},
        {"llama3.1-8b", "a100-sxm4-80g " HOST,
         "gpus8 cp8 gbs1 recompute=full seq131072 seq-chunks2", "ulysses"},
        {"llama3.1-8b", "a100-sxm4-80g " HOST,
         "gpus8 cp8 cp-kind=ulysses gbs1 offload-activations=1 seq131072 seq-chunks2", "recompute"},
        {"llama3.1-8b", "a100-sxm4-80g " HOST, FPDT "gpus8 cp8 seq131072 seq-chunks3",
         "sequence by"},
        {"llama3.1-8b", "a100-sxm4-80g " HOST,
         FPDT "gpus8 cp8 seq131072 seq-chunks2 attention=unfused", "fused kernel"},
        {"llama3.1-8b", "a100-sxm4-80g " HOST,
         FPDT "gpus8 cp8 seq131072 seq-chunks2 recompute-layers4", "all layers"},
        {"llama3.1-8b", "a100-sxm4-80g " HOST,
         FPDT "gpus8 cp8 seq131072 seq-chunks2 full-attention", "causal"},
        {"nemotron-h-8b", "a100-sxm4-80g " HOST, FPDT "gpus8 tp8 seq131072 seq-chunks2",
         "recurrences"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct rk_prediction *p = predicted(rows[i].model, rows[i].machine, rows[i].text);
        cr_assert_gt(p->reasons, 0, "%s", rows[i].text);
        cr_expect(strstr(p->reason[0].what, rows[i].what), "%s: %s", rows[i].text,
                  p->reason[0].what);
    }
}

/* ---- programs ---- */

static struct rk_program program_of(const char *id, const char *machine, const char *text)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_plan plan;
    struct rk_program program;
    struct rk_error error;
    cr_assert_eq(rk_model_load(id, &model, &error), RK_OK);
    cr_assert_eq(rk_system_load(machine, &system, &error), RK_OK);
    cr_assert_eq(rk_plan_parse(text, &plan, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_program_of(&program, &model, &system, &plan, 0, &error), RK_OK, "%s: %s", text,
                 error.text);
    cr_assert_eq(rk_program_check(&program, &error), RK_OK, "%s: %s", text, error.text);
    rk_system_release(&system);
    return program;
}

static int count_of(const struct rk_program *p, const char *name, enum rk_work work)
{
    int count = 0;
    for (size_t i = 0; i < p->instructions; i++) {
        const struct rk_instruction *in = &p->instruction[i];
        count += in->task != RK_NONE && in->work == work && in->layer == 1 &&
                 strcmp(p->task[in->task].name, name) == 0;
    }
    return count;
}

/* By hand, of one layer: four chunks make 10 pairs, of which 2 and 3 bring keys and values beside
 * rows 1 to 3, one of them the next row's; forward, again, and backward. A window that reaches one
 * chunk makes 4 + 3 pairs, and needs nothing that is not at hand. */
Test(chunks, programs_have_every_pair)
{
    struct rk_program p =
        program_of("llama3.1-8b", "a100-sxm4-80g " HOST, FPDT "gpus8 cp8 seq131072 seq-chunks4");
    for (int again = 0; again < 2; again++) {
        const enum rk_work work = again ? RK_WORK_AGAIN : RK_WORK_FORWARD;
        cr_expect_eq(count_of(&p, "attention", work), 10);
        cr_expect_eq(count_of(&p, "query, key, value", work), 4);
        cr_expect_eq(count_of(&p, "query, key, value all-to-all", work), 4);
        cr_expect_eq(count_of(&p, "attention norm", work), 1);
        cr_expect_eq(count_of(&p, "chunk in", work), 2 + 1 + 2);
        cr_expect_eq(count_of(&p, "chunk out", work), 4);
    }
    cr_expect_eq(count_of(&p, "attention", RK_WORK_INPUT), 10);
    cr_expect_eq(count_of(&p, "mlp in", RK_WORK_WEIGHT), 4);
    /* keys and values of each column, queries of each pair but where (3, 3) has those of (3, 2) */
    cr_expect_eq(count_of(&p, "chunk in", RK_WORK_INPUT), 4 + 9);
    cr_expect_eq(count_of(&p, "chunk out", RK_WORK_INPUT), 10);
    rk_program_release(&p);
    p = program_of("mistral-7b", "a100-sxm4-80g " HOST, FPDT "gpus8 cp8 seq131072 seq-chunks4");
    cr_expect_eq(count_of(&p, "attention", RK_WORK_FORWARD), 7);
    cr_expect_eq(count_of(&p, "chunk in", RK_WORK_FORWARD), 0);
    rk_program_release(&p);
}

/* Without what is no tensor of the program: what CUDA takes, workspaces, what an allocator loses.
 */
static double predicted_bytes(const char *text)
{
    const struct rk_prediction *p = predicted("llama3.1-8b", "a100-sxm4-80g " HOST, text);
    const double *holds = p->stage[0].holds;
    return p->hbm_bytes - holds[RK_HOLD_context] - holds[RK_HOLD_fragmentation];
}

/* More chunks, less on the GPU: in the program, too. What is predicted counts two chunks of all the
 * layer's tensors, those of attention and of the MLP, which a program has one after the other. */
Test(chunks, programs_need_less_in_more_chunks)
{
    double before = INFINITY;
    for (int u = 1; u <= 16; u *= 2) {
        char text[256];
        struct rk_program_sums sums;
        snprintf(text, sizeof text, FPDT "gpus8 cp8 seq1048576 seq-chunks%d", u);
        struct rk_program p = program_of("llama3.1-8b", "a100-sxm4-80g " HOST, text);
        rk_program_sum(&p, &sums);
        cr_expect_lt(sums.live_bytes, before, "%d chunks: %g", u, sums.live_bytes);
        cr_expect_lt(sums.live_bytes, 1.01 * predicted_bytes(text), "%d chunks", u);
        cr_expect_gt(sums.live_bytes, 0.75 * predicted_bytes(text), "%d chunks", u);
        before = sums.live_bytes;
        rk_program_release(&p);
    }
}

/* Runs of layers of their own degrees: eight with two tensor ranks, the rest with two context
 * ranks. Each has its own chunks, and all are computed again whole. */
Test(chunks, runs_of_layers_have_chunks_of_their_own)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_plan plan;
    struct rk_program program;
    struct rk_program_sums sums;
    struct rk_error error;
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("a100-sxm4-80g " HOST, &system, &error), RK_OK);
    cr_assert_eq(rk_plan_parse("gpus8 cp2 cp-kind=ulysses gbs4 zero3 seq131072 recompute=full "
                               "offload-activations=1 loss-in-chunks seq-chunks4",
                               &plan, &error),
                 RK_OK);
    plan.attention = RK_FLASH;
    edit(&plan)->segments = 2;
    edit(&plan)->others = 1;
    edit(&plan)->other[0] = plan.local;
    edit(&plan)->other[0].tensor = 2;
    edit(&plan)->other[0].context = 1;
    edit(&plan)->segment[0] = (struct rk_segment){8, 1};
    edit(&plan)->segment[1] = (struct rk_segment){24, 0};
    rk_predict(&model, &system, &plan, &prediction);
    cr_assert(prediction.timed);
    cr_assert_eq(rk_program_of(&program, &model, &system, &plan, 0, &error), RK_OK, "%s",
                 error.text);
    rk_program_sum(&program, &sums);
    NEAR(8 * sums.flop, prediction.kernel_flop);
    rk_program_release(&program);
    edit(&plan)->other[0].recompute = RK_KEEP;
    rk_predict(&model, &system, &plan, &prediction);
    cr_assert_gt(prediction.reasons, 0);
    cr_expect(strstr(prediction.reason[0].what, "recompute"), "%s", prediction.reason[0].what);
    rk_system_release(&system);
}

/* Refused by name: passes that have one gradient, and programs that would have no end. */
Test(chunks, programs_that_are_not_there)
{
    static const struct {
        const char *text, *what;
        enum rk_status status;
    } rows[] = {
        {"gpus8 pp2 cp4 cp-kind=ulysses gbs4 seq131072 recompute=full seq-chunks2 "
         "schedule=zero-bubble",
         "schedule", RK_UNSUPPORTED},
        {FPDT "gpus8 cp8 seq1048576 seq-chunks1024", "300,000", RK_LIMIT},
    };
    for (size_t i = 0; i < 2; i++) {
        struct rk_model model;
        struct rk_system system;
        struct rk_plan plan;
        struct rk_program program;
        struct rk_error error;
        cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
        cr_assert_eq(rk_system_load("a100-sxm4-80g " HOST, &system, &error), RK_OK);
        cr_assert_eq(rk_plan_parse(rows[i].text, &plan, &error), RK_OK, "%s", error.text);
        cr_expect_eq(rk_program_of(&program, &model, &system, &plan, 0, &error), rows[i].status);
        cr_expect(strstr(error.text, rows[i].what), "%s", error.text);
        rk_program_release(&program);
        rk_system_release(&system);
    }
}
