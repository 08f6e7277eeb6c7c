/* MLPerf's logs and submissions: tests/data/mlperf has one of a made-up submitter, in the form of
 * those of v4.0 to v5.1, of which 72 rows were compared with what was read of them by hand. */
#include "logs/mllog.h"
#include "logs/mlperf.h"
#include "logs/train_log.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#define ROUND RECKON_TEST_SOURCE "/tests/data/mlperf/round_v0"

static const struct mlperf_result *result_of(const struct mlperf *mlperf, const char *where)
{
    for (size_t i = 0; i < mlperf->results; i++)
        if (strstr(mlperf->result[i].where, where)) return &mlperf->result[i];
    cr_fatal("no result %s", where);
}

static const char *read_text(const char *lines, struct mllog *log)
{
    static struct rk_error error;
    char *text = strdup(lines);
    const enum rk_status status = mllog_read("log", text, log, &error);
    free(text);
    return status == RK_OK ? NULL : error.text;
}

#define EVENT(ms, key, value, metadata)                                                            \
    ":::MLLOG {\"time_ms\": " #ms ", \"key\": \"" key "\", \"value\": " value                      \
    ", \"metadata\": {" metadata "}}\n"
#define BATCH EVENT(1700000000000, "global_batch_size", "8", "")
#define BLOCK "\"samples_count\": "

static void near(double value, double wanted)
{
    cr_assert_float_eq(value, wanted, 1e-9 * wanted, "%.12g, not %.12g", value, wanted);
}

Test(mllog, takes_the_mean_of_a_block_before_single_steps)
{
    struct mllog log;
    cr_assert_null(read_text(
        BATCH EVENT(1, "tracked_stats", "{\"train_step_time\": 0.3, \"reduced_train_loss\": 2}", "")
            EVENT(2, "tracked_stats", "{\"train_step_time\": 0.2}", "")
                EVENT(3, "tracked_stats", "{\"train_step_time\": 0.4}", ""),
        &log));
    cr_assert_eq(mllog_best(&log), MLLOG_STEP_MEAN);
    near(mllog_median(&log, MLLOG_STEP_MEAN), 0.3);
    cr_assert_eq(log.steps[MLLOG_STEP], 1);
    cr_assert_eq(log.year, 2023);
    mllog_release(&log);
}

/* Cumulative counts: 80 samples of ten steps between the starts; 12.5 s of the first block. */
Test(mllog, counts_blocks_by_the_next_start)
{
    struct mllog log;
    cr_assert_null(read_text(BATCH EVENT(1000, "block_start", "null", BLOCK "0")
                                 EVENT(13500, "block_stop", "null", BLOCK "0")
                                     EVENT(20000, "block_start", "null", BLOCK "80")
                                         EVENT(40000, "block_stop", "null", BLOCK "80")
                                             EVENT(40001, "block_start", "null", BLOCK "160"),
                             &log));
    cr_assert_eq(log.steps[MLLOG_BLOCK], 1, "a block with an evaluation in it is left out");
    near(log.step_s[MLLOG_BLOCK][0], 1.25);
    mllog_release(&log);
}

Test(mllog, says_where_a_line_is_wrong)
{
    struct mllog log;
    cr_assert_not_null(strstr(read_text("x\n:::MLLOG {\"key\": }\n", &log), "not JSON"));
    cr_assert_not_null(strstr(read_text("iteration 1\n", &log), "no line begins with :::MLLOG"));
}

Test(mllog, is_a_log_of_training)
{
    static struct train_log log;
    struct rk_error error;
    cr_assert_eq(train_log_load(ROUND "/Acme/results/dgx_n2/llama31_8b/result_0.txt",
                                &(struct train_log_scale){32, 1}, &log, &error),
                 RK_OK);
    cr_assert_str_eq(log.format, "MLPerf");
    cr_assert_eq(log.steps, 1);
    near(log.step_s[0], 0.50);
}

Test(mlperf, chooses_the_configuration_that_nothing_contradicts)
{
    struct mlperf mlperf;
    struct rk_error error;
    static const char *const cells[][2] = {{"gpu", "NVIDIA H100-SXM5-80GB"},
                                           {"gpus", "16"},
                                           {"tp", "2"},
                                           {"pp", "1"},
                                           {"dp", "8"},
                                           {"micro_batch", "2"},
                                           {"global_batch", "32"},
                                           {"precision", "fp8"},
                                           {"tensor_overlap", "1"},
                                           {"sp", "1"},
                                           {"cuda_graphs", "1"},
                                           {"gradient_overlap", "1"},
                                           {"layers", "32"},
                                           {"year", "2025"},
                                           {"metric_value", "0.5100"},
                                           {"recompute", "none"},
                                           {"zero", "1"},
                                           {"source", "mlcommons/round_v0"}};
    cr_assert_eq(mlperf_read(ROUND, &mlperf, &error), RK_OK, "%s", error.text);
    cr_assert_eq(mlperf.results, 3);
    const struct mlperf_result *result = result_of(&mlperf, "dgx_n2");
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        cr_expect_str_eq(mlperf_get(result, cells[i][0]), cells[i][1], "%s: %s", cells[i][0],
                         mlperf_get(result, cells[i][0]));
    cr_expect_not_null(strstr(mlperf_get(result, "notes"), "tp2pp1cp1_8b.sh"));
    mlperf_release(&mlperf);
}

/* LoRA: frozen weights in 8 bits (fp8_params of its yaml is FP8), and what else makes room in
 * memory, which no column can say. */
Test(mlperf, says_what_makes_room)
{
    struct mlperf mlperf;
    struct rk_error error;
    cr_assert_eq(mlperf_read(RECKON_TEST_SOURCE "/tests/data/mlperf/round_v1", &mlperf, &error),
                 RK_OK, "%s", error.text);
    const struct mlperf_result *result = result_of(&mlperf, "lora_n1");
    cr_expect_str_eq(mlperf_get(result, "precision"), "fp8");
    cr_expect_str_eq(mlperf_get(result, "weights_fp8"), "1");
    cr_expect_str_eq(mlperf_get(result, "metric_value"), "2.0000");
    cr_expect_str_eq(mlperf_get(result, "activation_fp8"), "1");
    cr_expect_str_eq(mlperf_get(result, "attention_fp8"), "1");
    cr_expect_not_null(
        strstr(mlperf_get(result, "notes"), "activations of 11 layers go to the host"), "%s",
        mlperf_get(result, "notes"));
    /* Two configurations fit: graphs, which only the second one names, are not known. */
    cr_expect_not_null(strstr(mlperf_get(result, "notes"), "that fit differ in cuda_graphs;"));
    cr_expect_str_eq(mlperf_get(result, "cuda_graphs"), "");
    mlperf_release(&mlperf);
    cr_assert_eq(mlperf_read(ROUND, &mlperf, &error), RK_OK);
    cr_expect_str_eq(mlperf_get(result_of(&mlperf, "dgx_n2"), "weights_fp8"), "");
    cr_expect_str_eq(mlperf_get(result_of(&mlperf, "dgx_n2"), "attention_fp8"), "");
    mlperf_release(&mlperf);
}

struct wanted {
    const char *where, *cell, *value;
};

/* The README names one of two that fit; folders and GPUs called otherwise; AMD's variables. */
Test(mlperf, finds_configurations_where_submitters_keep_them)
{
    static const struct wanted wanted[] = {{"told_n1", "precision", "nvfp4"},
                                           {"told_n1", "bucket", "768000000"},
                                           {"told_n1", "weights_fp8", "0"},
                                           {"told_n1", "attention", ""},
                                           {"called_n1", "tp", "1"},
                                           {"called_n1", "precision", "fp8"},
                                           {"called_n1", "bucket", ""},
                                           {"cdna_n1", "precision", "fp8"},
                                           {"cdna_n1", "micro_batch", "2"},
                                           {"cdna_n1", "dp", "8"},
                                           {"cdna_n1", "weights_fp8", "1"},
                                           {"cdna_n1", "attention", "flash3"},
                                           {"cdna_n1", "metric_value", "1.0000"}};
    struct mlperf mlperf;
    struct rk_error error;
    cr_assert_eq(mlperf_read(RECKON_TEST_SOURCE "/tests/data/mlperf/round_v2", &mlperf, &error),
                 RK_OK, "%s", error.text);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const struct mlperf_result *result = result_of(&mlperf, wanted[i].where);
        const char *value = mlperf_get(result, wanted[i].cell);
        cr_expect_str_eq(value, wanted[i].value, "%s %s: %s", wanted[i].where, wanted[i].cell,
                         value);
    }
    mlperf_release(&mlperf);
}

Test(mlperf, leaves_open_what_no_configuration_says)
{
    struct mlperf mlperf;
    struct rk_error error;
    cr_assert_eq(mlperf_read(ROUND "/Acme/results/tpu_n4", &mlperf, &error), RK_OK);
    const struct mlperf_result *result = result_of(&mlperf, "tpu_n4");
    cr_assert_str_eq(mlperf_get(result, "tp"), "");
    cr_assert_str_eq(mlperf_get(result, "framework"), "");
    cr_assert_not_null(strstr(mlperf_get(result, "unmodelled"), "no configuration"));
    /* two blocks of ten steps, of 120 and 121 s; the third holds an evaluation, and the throughput
     * counts tokens */
    cr_assert_str_eq(mlperf_get(result, "metric_value"), "12.0500");
    mlperf_release(&mlperf);
}

Test(mlperf, names_what_is_no_row_and_no_submission)
{
    struct mlperf mlperf;
    struct rk_error error;
    cr_assert_eq(mlperf_read(ROUND "/Acme", &mlperf, &error), RK_OK);
    cr_assert_not_null(strstr(result_of(&mlperf, "quiet")->why, "no time of a step"));
    mlperf_release(&mlperf);
    cr_assert_eq(mlperf_read(RECKON_TEST_SOURCE "/tests/data/hf", &mlperf, &error), RK_BAD_INPUT);
    cr_assert_not_null(strstr(error.text, "SUBMITTER/results"));
    cr_assert_eq(mlperf_read(ROUND "/nobody", &mlperf, &error), RK_BAD_INPUT);
}
