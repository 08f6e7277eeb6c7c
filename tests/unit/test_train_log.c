/* Times of steps from lines as five frameworks print them. */
#include "interop/train_log.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct train_log log_;
static struct rk_error error_;

/* 256 samples of 4096 tokens on 8 GPUs. */
static const struct train_log_scale scale = {256, 256 * 4096 / 8.0};

static enum rk_status load(const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "test_train_log.%ld", (long)getpid());
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    const enum rk_status status = train_log_load(path, &scale, &log_, &error_);
    remove(path);
    return status;
}

Test(train_log, lines_of_five_frameworks)
{
    static const struct {
        const char *format, *line;
        double step_s;
        uint64_t step, batch;
        double memory_GiB;
    } rows[] = {
        {"Megatron-LM",
         " [2024-05-01 10:00:00] iteration       10/      50 | consumed samples:         2560 | "
         "elapsed time per iteration (ms): 1234.5 | throughput per GPU (TFLOP/s/GPU): 400.1 | "
         "learning rate: 1.000000E-05 | global batch size:   256 |",
         1.2345, 10, 256, 0},
        {"NeMo",
         "Training epoch 0, iteration 5/99 | lr: 1.5e-06 | global_batch_size: 256 | global_step: 5 "
         "| reduced_train_loss: 11.03 | train_step_timing in s: 5.125 | consumed_samples: 1536",
         5.125, 5, 0, 0},
        {"torchtitan",
         "[titan] 2024-12-01 10:00:00,000 - root - INFO - step: 10  loss:  7.9  memory: "
         "52.1GiB(65.0%)  tps: 5,762  mfu: 33.20%",
         131072 / 5762.0, 10, 0, 52.1},
        {"DeepSpeed",
         "[2024-05-01 10:00:00,000] [INFO] [timer.py:199:stop] "
         "epoch=0/micro_step=40/global_step=10, "
         "RunningAvgSamplesPerSec=120.1, CurrSamplesPerSec=128.0, MemAllocated=5.1GB, "
         "MaxMemAllocated=6.25GB",
         2, 10, 0, 6.25},
        {"nanotron",
         "[INFO|DP=0]: iteration: 10 / 100 | consumed_tokens: 5.24M | "
         "elapsed_time_per_iteration_ms: 1.25K | tokens_per_sec: 436K | lm_loss: 10.1",
         1.25, 10, 0, 0},
        {"nanotron",
         "01/10/2025 12:00:00 [INFO|DP=0|PP=0|TP=0]: iteration: 10 / 100 | consumed_tokens: 5.24M "
         "| "
         "time_per_iteration_ms: 1.25K | tokens_per_sec: 436K | lm_loss: 10.1",
         1.25, 10, 0, 0},
        {"Megatron-LM",
         "[default7]: iteration       10/      50 | consumed samples:         2560 | consumed "
         "tokens: 5242880 | elapsed time per iteration (s): 9.25 | global batch size:   256 |",
         9.25, 10, 256, 0},
        {"NeMo",
         "Epoch 0: :   1%|1         | 10/1000 [01:23<2:17:00, v_num=0, reduced_train_loss=10.80, "
         "global_step=9.000, consumed_samples=2560.0, train_step_timing in s=5.12]",
         5.12, 9, 0, 0},
        {"DeepSpeed", "steps: 10 loss: 9.8123 iter time (s): 4.250 samples/sec: 60.235", 4.25, 10,
         0, 0},
        {"torchtitan",
         "2024-05-01 10:00:00,000 - root - INFO - step: 10  loss:  7.9  memory: 52.1GiB(65.0%)  "
         "wps: 5,762  mfu: 33.20%",
         131072 / 5762.0, 10, 0, 52.1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(load(rows[i].line), RK_OK, "%s", error_.text);
        cr_expect_str_eq(log_.format, rows[i].format);
        cr_expect_eq(log_.steps, 1);
        cr_expect_float_eq(log_.step_s[0], rows[i].step_s, 1e-9 * rows[i].step_s);
        struct train_log_line said;
        cr_assert(train_log_read_line(rows[i].line, &scale, &said));
        cr_expect_eq(said.step_s, log_.step_s[0]);
        cr_expect_eq(said.step, rows[i].step, "%s", rows[i].format);
        cr_expect_eq(said.batch, rows[i].batch, "%s", rows[i].format);
        cr_expect_float_eq(said.memory_bytes, rows[i].memory_GiB * 0x1p30, 1);
    }
}

Test(train_log, other_lines_and_other_formats_are_skipped)
{
    cr_assert_eq(load("loading checkpoint\n"
                      "elapsed time per iteration (ms): 9000\n"
                      "validation loss at iteration 2 | lm loss value: 7.1\n"
                      "elapsed time per iteration (ms): nonsense\n"
                      "train_step_timing in s: 7\n"
                      "elapsed time per iteration (ms): 1000.0 | x\r\n"
                      "elapsed time per iteration (ms): -5\n"
                      "elapsed time per iteration (ms): 1100"),
                 RK_OK);
    cr_expect_str_eq(log_.format, "Megatron-LM");
    cr_assert_eq(log_.steps, 3);
    cr_expect_float_eq(log_.step_s[2], 1.1, 1e-12);
    cr_expect_eq(train_log_warm(&log_), 1);
}

/* A bar that is drawn over itself is one line to a newline. */
Test(train_log, progress_bars)
{
    cr_assert_eq(load("Epoch 0: 1/9 [00:09, global_step=0.000, train_step_timing in s=9.5]\r"
                      "Epoch 0: 2/9 [00:14, global_step=1.000, train_step_timing in s=5.25]\r\n"
                      "Epoch 0: 3/9 [00:19, global_step=2.000, train_step_timing in s=5]\n"),
                 RK_OK);
    cr_assert_eq(log_.steps, 3);
    cr_expect_eq(log_.step_s[0], 9.5);
    cr_expect_eq(log_.step_s[1], 5.25);
    cr_expect_eq(log_.step_s[2], 5);
}

Test(train_log, no_line_of_a_known_format)
{
    cr_expect_eq(load("hello\nstep 5: 3.2 s\n"), RK_BAD_INPUT);
    cr_expect(strstr(error_.text, "elapsed time per iteration"), "%s", error_.text);
    cr_expect_eq(load(""), RK_BAD_INPUT);
    cr_expect_eq(train_log_load("no such file", &scale, &log_, &error_), RK_BAD_INPUT);
}

/* Of more steps than there is room for the last ones are kept. */
Test(train_log, the_last_steps)
{
    static char text[(TRAIN_LOG_STEPS + 10) * 48];
    char *at = text;
    for (int i = 1; i <= TRAIN_LOG_STEPS + 5; i++)
        at += sprintf(at, "elapsed time per iteration (ms): %d\n", i);
    cr_assert_eq(load(text), RK_OK);
    cr_expect_eq(log_.steps, TRAIN_LOG_STEPS);
    cr_expect_float_eq(log_.step_s[0], 6e-3, 1e-12);
    cr_expect_float_eq(log_.step_s[TRAIN_LOG_STEPS - 1], (TRAIN_LOG_STEPS + 5) * 1e-3, 1e-12);
    cr_expect_eq(train_log_warm(&log_), TRAIN_LOG_STEPS / 10);
}
