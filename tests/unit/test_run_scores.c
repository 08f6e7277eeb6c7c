/* Scores of texts: against the loss of training, against each text alone, under any plan. */
#include "run_cases.h"

#include <math.h>

enum { TEXTS = 8, LENGTH = 32, SCORES = TEXTS * LENGTH };

static unsigned char data[SCORES + 1];
static uint32_t token[SCORES + 1];
static struct rk_sequence sequence[TEXTS];

static void make_texts(void)
{
    FILE *file = fopen(run_data(), "rb");
    cr_assert_eq(fread(data, 1, sizeof data, file), sizeof data);
    fclose(file);
    for (int i = 0; i <= SCORES; i++)
        token[i] = data[i];
    for (int i = 0; i < TEXTS; i++)
        sequence[i] = (struct rk_sequence){token + i * LENGTH, LENGTH + 1, 1};
}

static enum rk_status score(const struct rk_model *model, const char *words,
                            const struct rk_train *train, const struct rk_sequence *of, int count,
                            struct rk_token_score *scores, struct rk_error *error)
{
    struct rk_plan plan;
    struct rk_system system;
    char line[256];
    snprintf(line, sizeof line, "%s precision=fp32", words);
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &system, error), RK_OK);
    cr_assert_eq(rk_plan_parse(line, &plan, error), RK_OK, "%s: %s", words, error->text);
    const struct rk_score texts = {.system = &system, .sequence = of, .sequences = (uint64_t)count};
    const enum rk_status status = rk_score_threads(model, &plan, train, &texts, scores, error);
    rk_system_release(&system);
    return status;
}

/* The loss of the first step over the same texts, before any weight has changed. */
static double trained_loss(const struct rk_model *model)
{
    struct run_trace trace = {.steps = 0};
    struct rk_train_result result;
    struct rk_train train = run_settings(1);
    struct rk_plan plan;
    struct rk_system system;
    struct rk_error error;
    char path[64];
    train.arithmetic = run_arithmetic(model);
    snprintf(path, sizeof path, P_tmpdir "/reckon-scores-%d", (int)getpid());
    FILE *file = fopen(path, "wb");
    cr_assert_eq(fwrite(data, 1, sizeof data, file), sizeof data);
    fclose(file);
    cr_assert_eq(rk_plan_parse("gbs8 precision=fp32", &plan, &error), RK_OK);
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &system, &error), RK_OK);
    const struct rk_train_run run = {
        .data = path, .system = &system, .step = run_note, .context = &trace};
    cr_assert_eq(rk_train_threads(model, &plan, &train, &run, &result, &error), RK_OK, "%s",
                 error.text);
    rk_system_release(&system);
    unlink(path);
    return trace.loss[0];
}

Test(scores, are_those_of_training)
{
    make_texts();
    for (int m = 0; m < RUN_MODELS; m++) {
        const struct rk_model model = run_model(m);
        struct rk_train train = run_settings(1);
        struct rk_token_score scores[SCORES];
        struct rk_error error;
        double sum = 0;
        train.arithmetic = run_arithmetic(&model);
        cr_assert_eq(score(&model, "gbs1", &train, sequence, TEXTS, scores, &error), RK_OK, "%s",
                     error.text);
        for (int i = 0; i < SCORES; i++)
            sum -= scores[i].loglik;
        cr_assert_float_eq(sum / SCORES, trained_loss(&model), 1e-12, "%s", model.id);
    }
    unlink(run_data());
}

Test(scores, are_the_same_under_any_plan)
{
    static const struct {
        const char *words;
        bool same_bits;
    } plans[] = {
        {"dp2 gbs2", true},
        {"dp3 gbs3", true}, /* the last batch is not full */
        {"dp4 zero3 gbs8", true},
        {"pp2 gbs2", true},
        {"pp4 schedule=zero-bubble gbs4", true},
        {"pp2 vpp2 gbs2", true},
        {"pp2 schedule=gpipe recompute=full gbs2", true},
        {"pp2 schedule=dualpipe gbs4", true},
        {"mbs4 gbs4", false},
        {"tp2 gbs1", false},
        {"tp2 sp pp2 cp2 dp2 gbs4", false},
        {"cp2 cp-kind=gather gbs1", false},
    };
    make_texts();
    const struct rk_model model = run_model(1);
    struct rk_train train = run_settings(1);
    struct rk_token_score one[SCORES], other[SCORES];
    struct rk_error error;
    cr_assert_eq(score(&model, "gbs1", &train, sequence, TEXTS, one, &error), RK_OK);
    train.threads = 3;
    for (size_t p = 0; p < sizeof plans / sizeof *plans; p++) {
        cr_assert_eq(score(&model, plans[p].words, &train, sequence, TEXTS, other, &error), RK_OK,
                     "%s: %s", plans[p].words, error.text);
        for (int i = 0; i < SCORES; i++) {
            cr_assert_float_eq(one[i].loglik, other[i].loglik, plans[p].same_bits ? 1e-300 : 1e-11,
                               "%s, token %d", plans[p].words, i);
            cr_assert_eq(one[i].likeliest, other[i].likeliest);
        }
    }
    unlink(run_data());
}

/* Texts of all lengths, scored from any token on: each as if it were alone, and a longer one's
 * begin as the shorter one. */
Test(scores, do_not_know_of_each_other)
{
    make_texts();
    const struct rk_model model = run_model(0);
    const struct rk_train train = run_settings(1);
    struct rk_sequence some[TEXTS];
    struct rk_token_score whole[SCORES], all[SCORES], alone[LENGTH];
    struct rk_error error;
    for (int i = 0; i < TEXTS; i++)
        some[i] = (struct rk_sequence){token + i * LENGTH, (uint64_t)(2 + 4 * i), 1 + (uint64_t)i};
    cr_assert_eq(score(&model, "gbs1", &train, sequence, TEXTS, whole, &error), RK_OK);
    cr_assert_eq(score(&model, "dp2 mbs2 gbs4", &train, some, TEXTS, all, &error), RK_OK);
    const struct rk_token_score *next = all;
    for (int i = 0; i < TEXTS; i++) {
        cr_assert_eq(score(&model, "gbs1", &train, some + i, 1, alone, &error), RK_OK);
        for (uint64_t t = some[i].first; t < some[i].tokens; t++, next++) {
            cr_assert_float_eq(next->loglik, alone[t - some[i].first].loglik, 1e-11);
            cr_assert_float_eq(next->loglik, whole[i * LENGTH + (int)t - 1].loglik, 1e-11);
        }
    }
    unlink(run_data());
}

Test(scores, what_cannot_be_scored_is_refused)
{
    make_texts();
    const struct rk_model model = run_model(0); /* 250 words */
    const struct rk_train train = run_settings(1);
    const uint32_t beyond[] = {1, 250};
    const struct rk_sequence wrong[] = {
        {token, LENGTH + 2, 1}, {token, 1, 1}, {token, 4, 0}, {token, 4, 4}, {beyond, 2, 1}};
    struct rk_token_score scores[SCORES];
    struct rk_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_assert_eq(score(&model, "gbs1", &train, wrong + i, 1, scores, &error), RK_BAD_INPUT);
    unlink(run_data());
}
