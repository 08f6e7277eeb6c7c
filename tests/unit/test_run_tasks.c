/* Three functions of the user's: the same under every plan, and the built-in task's numbers. */
#include "run_cases.h"

#include "run/device.h"
#include "run/job.h"

#include <math.h>
#include <stdatomic.h>

enum { TOKENS = 32, WORDS = 250, SAMPLES = 8 };

struct seen { /* by predict */
    atomic_int rows[SAMPLES][TOKENS];
    double logit[SAMPLES][TOKENS]; /* of word 7 */
};

static FILE *text;

/* The text, window by window: the same function of n for all ranks. */
static bool collate(void *context, uint64_t n, uint64_t sequence, uint32_t *token, uint32_t *target)
{
    unsigned char window[TOKENS + 1];
    (void)context;
    const ssize_t got = pread(fileno(text), window, sequence + 1, (off_t)(n * sequence));
    for (uint64_t i = 0; i < sequence; i++) {
        token[i] = window[i];
        target[i] = window[i + 1];
    }
    return got == (ssize_t)sequence + 1;
}

static void note_rows(void *context, const struct rk_rows *rows)
{
    struct seen *seen = context;
    for (uint64_t r = 0; r < rows->rows; r++) {
        const uint64_t n = rows->sample[r];
        atomic_fetch_add(&seen->rows[n][rows->position[r]], 1);
        seen->logit[n][rows->position[r]] = rows->logits[r * rows->words + 7];
    }
}

static enum rk_status run(const char *words, const struct rk_functions *f, bool predicts,
                          struct run_trace *trace, struct rk_error *error)
{
    static struct rk_system system;
    const struct rk_model model = run_model(0);
    const struct rk_train train = run_settings(3);
    struct rk_train_result result;
    struct rk_plan plan;
    char line[256];
    memset(trace, 0, sizeof *trace);
    if (!*system.id) cr_assert_eq(rk_system_load("h100-sxm5-80g", &system, error), RK_OK);
    snprintf(line, sizeof line, "%s precision=fp32", words);
    cr_assert_eq(rk_plan_parse(line, &plan, error), RK_OK, "%s", error->text);
    const struct rk_train_run r = {
        .functions = f, .system = &system, .step = run_note, .context = trace};
    return predicts ? rk_predict_samples(&model, &plan, &train, &r, 2, 5, error)
                    : rk_train_threads(&model, &plan, &train, &r, &result, error);
}

static void expect_near(const struct run_trace *a, const struct run_trace *b, const char *words)
{
    for (int i = 0; i < 3; i++)
        cr_expect(fabs(a->loss[i] / b->loss[i] - 1) < 1e-11 &&
                      fabs(a->norm[i] / b->norm[i] - 1) < 1e-11,
                  "%s, step %d: %.17g for %.17g, norm %.17g for %.17g", words, i, a->loss[i],
                  b->loss[i], a->norm[i], b->norm[i]);
}

static const char *const plans[] = {"mbs2 gbs4 tp2 sp", "mbs1 gbs4 pp2 cp2", "mbs1 gbs4 dp4 zero3",
                                    "mbs1 gbs4 tp2 dp2 pp2 zero1"};
enum { PLANS = sizeof plans / sizeof *plans };

/* -log p of the target and a part of the logits' squares, which no built-in loss has. */
static double with_squares(void *context, const struct rk_rows *rows, double *gradient)
{
    double loss = rk_cross_entropy(context, rows, gradient);
    for (uint64_t i = 0; i < rows->rows * rows->words; i++) {
        loss += 1e-3 * rows->logits[i] * rows->logits[i];
        gradient[i] += 2e-3 * rows->logits[i];
    }
    return loss;
}

Test(run_tasks, plans)
{
    struct run_trace one, many;
    struct rk_error error;
    text = fopen(run_data(), "rb");
    for (int squares = 0; squares < 2; squares++) {
        const struct rk_functions f = {.collate = collate, .loss = squares ? with_squares : NULL};
        cr_assert_eq(run("mbs2 gbs4", &f, false, &one, &error), RK_OK, "%s", error.text);
        for (int i = 0; i < PLANS; i++) {
            cr_assert_eq(run(plans[i], &f, false, &many, &error), RK_OK, "%s", error.text);
            expect_near(&many, &one, plans[i]);
        }
    }
    fclose(text);
    unlink(run_data());
}

/* Along the gradient the loss changes by its length: central differences of one step of descent are
 * in test_run_gradients; here the function's own gradient is tried. */
Test(run_tasks, cross_entropy)
{
    double x[10] = {0.3, -1, 2, 0.1, 0, 1, 2, 3, 4, 5}, d[10], none[10];
    const uint32_t target[2] = {2, RK_NO_TARGET};
    const struct rk_rows rows = {.rows = 2, .words = 5, .logits = x, .target = target};
    rk_cross_entropy(NULL, &rows, d);
    for (int i = 0; i < 10; i++) {
        const double was = x[i], step = 1e-6;
        x[i] = was + step;
        const double up = rk_cross_entropy(NULL, &rows, none);
        x[i] = was - step;
        const double down = rk_cross_entropy(NULL, &rows, none);
        x[i] = was;
        cr_expect_float_eq(d[i], (up - down) / (2 * step), 1e-8);
    }
}

Test(run_tasks, predict)
{
    static struct seen one, many;
    struct run_trace trace;
    struct rk_error error;
    text = fopen(run_data(), "rb");
    const struct rk_functions f = {.context = &one, .collate = collate, .predict = note_rows};
    cr_assert_eq(run("mbs2 gbs4", &f, true, &trace, &error), RK_OK, "%s", error.text);
    for (int i = 0; i < PLANS; i++) {
        memset(&many, 0, sizeof many);
        const struct rk_functions g = {.context = &many, .collate = collate, .predict = note_rows};
        cr_assert_eq(run(plans[i], &g, true, &trace, &error), RK_OK, "%s", error.text);
        for (int n = 0; n < SAMPLES; n++)
            for (int t = 0; t < TOKENS; t++) {
                cr_assert_eq(many.rows[n][t], n >= 2 && n < 7, "%s: sample %d", plans[i], n);
                cr_assert_float_eq(many.logit[n][t], one.logit[n][t], 1e-12);
            }
    }
    fclose(text);
    unlink(run_data());
}

static bool no_sample(void *context, uint64_t n, uint64_t sequence, uint32_t *token,
                      uint32_t *target)
{
    (void)context;
    memset(token, 0, sequence * sizeof *token);
    memset(target, 0, sequence * sizeof *target);
    if (n == 6) token[3] = WORDS;
    return n < 9;
}

Test(run_tasks, refused)
{
    struct run_trace trace;
    struct rk_error error;
    const struct rk_functions none = {.collate = NULL}, few = {.collate = no_sample};
    cr_expect_eq(run("gbs1", &none, false, &trace, &error), RK_BAD_ARGUMENT);
    cr_expect_eq(run("gbs4", &none, true, &trace, &error), RK_BAD_ARGUMENT);
    cr_expect_eq(run("gbs4", &few, false, &trace, &error), RK_BAD_INPUT);
    cr_expect(strstr(error.text, "token 3 of sample 6 is 250"), "%s", error.text);
    cr_expect_eq(run("gbs16 dp2", &few, false, &trace, &error), RK_BAD_INPUT);
}

/* Every yes or no of a plan is run, changes nothing that is computed, or is refused by name:
 * whoever adds one says which, here or in the rows of core/rules/rules.def. */
static const char *const taken[] = {"embedding_counts",
                                    "head_counts",
                                    "messages_sharded",
                                    "pipeline_blocking",
                                    "sequence_parallel",
                                    "context_contiguous",
                                    "full_attention",
                                    "whole_logits",
                                    "whole_gradients",
                                    "gradient_overlap",
                                    "weight_overlap",
                                    "keep_gathered",
                                    "capacity_padded",
                                    "natural_load",
                                    "gathered_copies",
                                    "compiled_rows",
                                    "expert_overlap",
                                    "grouped",
                                    "fused",
                                    "gradient_fusion",
                                    "loss_compiled",
                                    "loss_in_place",
                                    "loss_in_chunks",
                                    "transformer_engine",
                                    "cuda_graphs",
                                    "recompute_rest",
                                    "recompute_to_end",
                                    "checkpoint_sharded",
                                    NULL};

static void check_choice(const char *key, const char *words)
{
    const struct rk_model model = run_model(0);
    const struct rk_train train = run_settings(1);
    struct run_trace trace;
    struct rk_error error = {.text = ""};
    bool known = false;
    for (int i = 0; taken[i]; i++)
        known |= strcmp(taken[i], key) == 0;
    const enum rk_status status = run_plan(&model, words, &train, &trace, &error);
    cr_expect_eq(status == RK_OK, known, "%s: %s", key, status == RK_OK ? "runs" : error.text);
}

/* Operations that no kernel does: a new one is either done or named here. */
Test(run_tasks, knows_every_operation)
{
    static const enum op without[] = {OP_RECURRENCE_NORM,
                                      OP_SHARED_NORM,
                                      OP_ATTENTION_GATE,
                                      OP_RECURRENCE_GATHER,
                                      OP_RECURRENCE_IN,
                                      OP_GATES_DOWN,
                                      OP_GATES_UP,
                                      OP_CONVOLUTION,
                                      OP_CHUNK_KEYS,
                                      OP_CHUNK_INVERSE,
                                      OP_CORRECTED_KEYS,
                                      OP_CORRECTED_VALUES,
                                      OP_STATE_CORRECTIONS,
                                      OP_CHUNK_SCORES,
                                      OP_CHUNK_STATES,
                                      OP_STATE_PASSING,
                                      OP_OUTPUTS_FROM_STATES,
                                      OP_CHUNK_OUTPUTS,
                                      OP_RECURRENCE_GATE,
                                      OP_RECURRENCE_OUT,
                                      OP_RECURRENCE_REDUCE,
                                      OP_RECURRENCE_POST_NORM,
                                      OP_RECURRENCE_RESIDUAL,
                                      OP_CAST,
                                      OP_DEQUANTIZE,
                                      OP_ADAPTER_INPUT,
                                      OP_ADAPTER_IN,
                                      OP_ADAPTER_OUT,
                                      OP_ADAPTER_NORM,
                                      OP_ADAPTER_SUM,
                                      OP_ADAPTER_EMBEDDING,
                                      OP_ADAPTER_HEAD,
                                      OP_CROSS_NORM,
                                      OP_CROSS_GATHER,
                                      OP_CROSS_QUERY,
                                      OP_ENCODER_GATHER,
                                      OP_CROSS_KV,
                                      OP_CROSS_REDUCE,
                                      OP_CROSS_POST_NORM,
                                      OP_CROSS_RESIDUAL,
                                      OP_EXPERTS_REDUCE,
                                      OP_HEAD_MATRIX,
                                      OP_ENCODER_FINAL_NORM,
                                      OP_CHOICE,
                                      OP_QUERIES_ACROSS,
                                      OP_OUTPUTS_ACROSS};
    for (enum op op = OP_NONE + 1; op < OPS; op++) {
        bool left = false;
        for (size_t i = 0; i < sizeof without / sizeof *without; i++)
            left |= without[i] == op;
        cr_expect_neq(left, engine_f64.knows(op), "%s", op_name(op));
        cr_expect_eq(engine_f64.knows(op), engine_f32.knows(op), "%s", op_name(op));
    }
}

Test(run_tasks, knows_every_choice)
{
    char words[128];
#define PLAN_FLAG(scope, by, member, preset, word, help)                                           \
    snprintf(words, sizeof words, "gbs2 %s%s", preset ? "no-" : "", word);                         \
    check_choice(#member, words);
#include <reckon/plan.def>
}
