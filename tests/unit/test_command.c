/* rk_command: what the executable prints, without its streams and signals. */
#include <criterion/criterion.h>
#include <math.h>
#include <reckon/reckon.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static struct rk_command_answer answered(int count, const char *const words[])
{
    struct rk_command_answer answer;
    rk_command(count, words, NULL, NULL, &answer);
    return answer;
}

static const char *const step[] = {"predict", "-m",    "llama3.1-8b", "-s",  "h100-sxm5-80g",
                                   "tp8",     "gbs32", "--format",    "json"};
enum { STEP_WORDS = sizeof step / sizeof *step };

Test(command, answers_alike_and_leaves_the_streams_alone)
{
    FILE *const out = stdout, *const messages = stderr;
    struct rk_command_answer one = answered(STEP_WORDS, step);
    struct rk_command_answer two = answered(STEP_WORDS, step);
    cr_assert_eq(one.code, RK_OK);
    cr_assert_eq(strlen(one.text), one.bytes);
    cr_assert_str_eq(one.text, two.text);
    cr_assert_str_eq(one.remarks, "");
    cr_assert_eq(one.error.status, RK_OK);
    cr_assert(stdout == out && stderr == messages);
    rk_command_release(&one);
    rk_command_release(&two);
    cr_assert_null(one.text);
}

Test(command, says_what_is_wrong_as_its_parts)
{
    static const char *const wrong[] = {"predict",       "-m", "llama3.1-8b", "-s",
                                        "h100-sxm5-80g", "tpp"};
    struct rk_command_answer answer = answered(6, wrong);
    cr_assert_eq(answer.code, RK_BAD_ARGUMENT);
    cr_assert_eq(answer.error.status, RK_BAD_ARGUMENT);
    cr_assert(strstr(answer.error.text, "tpp"));
    cr_assert_str_eq(answer.text, "");
    rk_command_release(&answer);
}

Test(command, refuses_what_becomes_another_program)
{
    static const char *const refused[] = {"train", "generate", "measure", "__man", "nonsense"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct rk_command_answer answer = answered(1, &refused[i]);
        cr_assert_eq(answer.code, RK_BAD_ARGUMENT, "%s", refused[i]);
        rk_command_release(&answer);
    }
    struct rk_command_answer none = answered(0, NULL);
    cr_assert_eq(none.code, RK_BAD_ARGUMENT);
    rk_command_release(&none);
}

static bool stop(void *context, uint64_t done, uint64_t total, double best_s)
{
    (void)done;
    (void)total;
    (void)best_s;
    ++*(int *)context;
    return false;
}

Test(command, stops_when_told_and_touches_no_signal)
{
    static const char *const long_one[] = {"search", "-m", "gpt3-175b", "-s", "h100-sxm5-80g", "-g",
                                           "1024",   "-b", "1536",      "-q", "--exhaustive"};
    struct rk_command_answer answer;
    struct sigaction before, after;
    int calls = 0;
    sigaction(SIGINT, NULL, &before);
    cr_assert_eq(rk_command(11, long_one, stop, &calls, &answer), 130);
    sigaction(SIGINT, NULL, &after);
    cr_assert_eq(calls, 1);
    cr_assert(before.sa_handler == after.sa_handler);
    rk_command_release(&answer);
}

Test(command, predicts_lines_as_one_by_one)
{
    static const char *const lines[] = {"tp8 gbs32", "tp2 pp2 gbs64 zero1", "tp4 pp3"};
    static const char *const names[] = {"step_s", "hbm_bytes"};
    struct rk_prediction prediction;
    struct rk_system system;
    struct rk_model model;
    struct rk_plan plan;
    struct rk_error error;
    double values[8];
    int verdicts[4];
    cr_assert_eq(rk_predict_lines("llama3.1-8b", "h100-sxm5-80g", 0, lines, 3, names, 2, 2, values,
                                  verdicts, &error),
                 RK_OK);
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &system, &error), RK_OK);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(rk_plan_parse(lines[i], &plan, &error), RK_OK);
        cr_assert_eq(rk_predict(&model, &system, &plan, &prediction), (enum rk_verdict)verdicts[i]);
        cr_assert_eq(prediction.timed, !isnan(values[2 * i]));
        if (!prediction.timed) continue;
        cr_assert_eq(values[2 * i], prediction.step_s);
        cr_assert_eq(values[2 * i + 1], prediction.hbm_bytes);
    }
    rk_system_release(&system);
    static const char *const wrong[] = {"tp8", "tp2", "tp8 pq2", "qq"};
    cr_assert_eq(rk_predict_lines("llama3.1-8b", "h100-sxm5-80g", 0, wrong, 4, names, 2, 0, values,
                                  verdicts, &error),
                 RK_BAD_ARGUMENT);
    cr_assert_eq(error.line, 3);
}

Test(command, predicts_rows_with_a_verdict_each)
{
    /* 8 GPUs: tensor 3 does not divide them, 33 samples are no multiple of 8 copies */
    static const char *const lines[] = {"tp8 gbs32", "tp3 gbs32", "dp8 gbs33", "tp8 zero9x"};
    static const char *const names[] = {"step_s"};
    static const int expected[] = {RK_FITS, RK_BAD_DEGREES, RK_BAD_BATCH};
    struct rk_error error;
    double values[4];
    int verdicts[4];
    char *reasons[4] = {NULL};
    cr_assert_eq(rk_predict_rows("llama3.1-8b", "h100-sxm5-80g", 8, lines, 3, names, 1, 2, values,
                                 verdicts, reasons, &error),
                 RK_OK);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq((int)verdicts[i], expected[i], "row %d: %d", i, verdicts[i]);
        cr_assert_eq(isnan(values[i]), verdicts[i] != RK_FITS);
        cr_assert_eq(reasons[i] == NULL, verdicts[i] == RK_FITS);
        rk_text_free(reasons[i]);
        reasons[i] = NULL;
    }
    cr_assert_eq(rk_predict_rows("llama3.1-8b", "h100-sxm5-80g", 8, lines, 4, names, 1, 2, values,
                                 verdicts, reasons, &error),
                 RK_BAD_ARGUMENT);
    cr_assert_eq(error.line, 4);
    for (int i = 0; i < 4; i++)
        rk_text_free(reasons[i]);
}

Test(command, a_plan_of_words_has_all_its_members)
{
    struct rk_error error;
    char *text = NULL;
    cr_assert_eq(rk_plan_members("tp8 pp2 gbs32 zero1", &text, &error), RK_OK);
    cr_assert(strstr(text, "\"tensor\": 8") && strstr(text, "\"gpus\": 16") &&
              strstr(text, "\"imbalance\": 1"));
    rk_text_free(text);
    cr_assert_eq(rk_plan_members("tp8 qq", &text, &error), RK_BAD_ARGUMENT);
}

Test(command, texts_of_models_and_systems_load_again)
{
    struct rk_error error;
    char *text = NULL;
    cr_assert_eq(rk_model_text("llama3.1-8b", &text, &error), RK_OK);
    cr_assert(strstr(text, "\"layers\": 32"));
    rk_text_free(text);
    cr_assert_eq(rk_system_text("h100-sxm5-80g", &text, &error), RK_OK);
    cr_assert(strstr(text, "\"network\""));
    rk_text_free(text);
    cr_assert_eq(rk_system_text("nowhere", &text, &error), RK_BAD_ARGUMENT);
}
