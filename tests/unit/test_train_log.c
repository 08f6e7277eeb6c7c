/* Times of steps from lines as five frameworks print them. */
#include "logs/train_log.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct train_log log_;
static struct rk_error error_;

/* 256 samples of 4096 tokens on 8 GPUs. */
static const struct train_log_scale scale = {256, 256 * 4096 / 8.0};

static enum rk_status load_of(double samples, const char *text)
{
    const struct train_log_scale own = {samples, scale.tokens_per_gpu};
    char path[64];
    snprintf(path, sizeof path, "test_train_log.%ld", (long)getpid());
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    const enum rk_status status = train_log_load(path, &own, &log_, &error_);
    remove(path);
    return status;
}

static enum rk_status load(const char *text)
{
    return load_of(scale.samples, text);
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

/* Logs that people showed, each with where; their first lines of steps. */
Test(train_log, logs_that_people_showed)
{
    static const struct {
        const char *where, *format, *text;
        double step_s; /* of the last step */
        size_t steps;
    } rows[] = {
        {"github.com/epfLLM/Megatron-LLM/issues/11", "Megatron-LM",
         " iteration      122/  250000 | consumed samples:       124928 | elapsed time per "
         "iteration "
         "(ms): 86545.2 | learning rate: 9.150E-06 | global batch size:  1024 | lm loss: "
         "2.504220E+00 | loss scale: 1.0 | grad norm: 0.231 |\n",
         86.5452, 1},
        {"github.com/NVIDIA/Megatron-LM/issues/756", "Megatron-LM",
         "[Rank 1] (after 1 iterations) memory (MB) | allocated: 54250.97802734375 | max "
         "allocated: "
         "54250.98583984375 | reserved: 61480.0 | max reserved: 61480.0\n"
         " [2024-04-06 02:59:36] iteration       43/     100 | consumed samples:         5504 | "
         "elapsed time per iteration (ms): 5444.9 | throughput per GPU (TFLOP/s/GPU): 239.8 | "
         "global batch size:   128 | lm loss: 1.825991E+00 |\n"
         " [2024-04-06 02:59:41] iteration       44/     100 | consumed samples:         5632 | "
         "elapsed time per iteration (ms): 5533.8 | throughput per GPU (TFLOP/s/GPU): 236.0 |\n",
         5.5338, 2},
        {"github.com/NVIDIA/nccl/issues/743", "Megatron-LM",
         " iteration       10/ 1000000 | consumed samples:           40 | elapsed time per "
         "iteration "
         "(ms): 356.2 | learning rate: 0.000E+00 | global batch size:     4 |\n"
         "time (ms) | forward-compute: 193.77 | backward-compute: 73.02 | optimizer: 63.01\n"
         " iteration       20/ 1000000 | consumed samples:           80 | elapsed time per "
         "iteration "
         "(ms): 140.6 | learning rate: 2.020E-08 | global batch size:     4 |\n",
         0.1406, 2},
        {"github.com/NVIDIA-NeMo/Megatron-Bridge/pull/841, folded at 80 columns", "Megatron-LM",
         " [2025-10-02 22:52:07] iteration       10/      50 | consumed samples:         5120 |\n"
         "elapsed time per iteration (ms): 13212.7 | learning rate: 3.000000E-04 | global batch\n"
         "size:   512 | lm loss: 4.474437E+00 | loss scale: 1.0 |\n"
         "Step Time : 14.26s GPU utilization: 58.2TFLOP/s/GPU\n"
         " [2025-10-02 22:54:30] iteration       20/      50 | consumed samples:        10240 |\n"
         "elapsed time per iteration (ms): 14260.3 | learning rate: 2.604594E-04 | global batch\n",
         14.2603, 2},
        {"github.com/NVIDIA-NeMo/Megatron-Bridge/pull/388", "Megatron-Bridge",
         "Step Time : 12.78s GPU utilization: 528.1 TFLOP/s/GPU\n", 12.78, 1},
        {"github.com/NVIDIA-BioNeMo/bionemo-recipes/pull/740", "NeMo",
         "Training epoch 0, iteration 120/149 | lr: 3e-05 | consumed_samples: 121 | "
         "global_batch_size: 1 | global_step: 120 | reduced_train_loss: 1.233 | train_step_timing "
         "in "
         "s: 0.03146 | val_loss: 4.106\n",
         0.03146, 1},
        {"github.com/NVIDIA-NeMo/Speech/issues/7957", "NeMo",
         "Epoch 0: :   3%|3         | 9000/301500 [1:42:42<55:37:46, v_num=0-56, "
         "reduced_train_loss=nan.0, global_step=9e+3, consumed_samples=6.3e+5, train_step_timing "
         "in "
         "s=0.615, val_loss=7.040]\n",
         0.615, 1},
        {"github.com/NVIDIA/NeMo-Framework-Launcher/issues/55", "a progress bar",
         "Loading: 100%|##########| 2/2 [00:03<00:00,  1.60s/it]\n"
         "Epoch 0:   1%|          | 795/77225 [9:07:58<878:01:48, 41.36s/it, loss=3.1, v_num=, "
         "reduced_train_loss=3.090, global_step=794.0, consumed_samples=1.63e+6]\n",
         41.36, 1},
        {"github.com/deepspeedai/DeepSpeed/issues/1825", "DeepSpeed",
         "[2022-03-11 02:06:58,985] [INFO] [logging.py:69:log_dist] [Rank 0] step=40, skipped=2, "
         "lr=[5e-05], mom=[[0.9, 0.999]]\n"
         "[2022-03-11 02:06:58,985] [INFO] [timer.py:189:stop] 0/40, "
         "SamplesPerSec=83.48609168106144, MemAllocated=0.26GB, MaxMemAllocated=9.02GB\n",
         256 / 83.48609168106144, 1},
        {"github.com/deepspeedai/DeepSpeed/issues/255", "DeepSpeed",
         "[INFO 2020-06-08 05:26:19] 0/2650, SamplesPerSec=13.19749106827976\n"
         "[INFO 2020-06-08 05:26:34] 0/2700, SamplesPerSec=13.198177991591365\n",
         256 / 13.198177991591365, 2},
        {"github.com/deepspeedai/DeepSpeed/issues/2629", "DeepSpeed",
         "stdout: [2022-12-20 08:26:26,101] [INFO] [timer.py:197:stop] 0/17, "
         "RunningAvgSamplesPerSec=158.31157878546472, CurrSamplesPerSec=159.628891629629, "
         "MemAllocated=1.75GB, MaxMemAllocated=2.6GB\n"
         "stdout: [2022-12-20 08:26:26,325] [INFO] [timer.py:197:stop] 0/18, "
         "RunningAvgSamplesPerSec=157.41495682912333, CurrSamplesPerSec=145.0889530760849, "
         "MemAllocated=1.75GB, MaxMemAllocated=2.6GB\n",
         256 / 145.0889530760849, 2},
        {"github.com/deepspeedai/DeepSpeed/issues/3742, of GPT-NeoX", "Megatron-LM",
         "[2023-07-25 21:03:17,269] [INFO] [timer.py:215:stop] "
         "epoch=0/micro_step=34/global_step=34, RunningAvgSamplesPerSec=7.864669709950182, "
         "CurrSamplesPerSec=8.00912418308922, MemAllocated=59.65GB, MaxMemAllocated=63.31GB\n"
         " samples/sec: 7.799 | iteration       34/   10000 | elapsed time per iteration (ms): "
         "4103.1 | learning rate: 2.111E-06 | approx flops per GPU: 112.9TFLOPS |\n"
         "[2023-07-25 21:03:21,492] [INFO] [timer.py:215:stop] "
         "epoch=0/micro_step=35/global_step=35, RunningAvgSamplesPerSec=7.86, "
         "CurrSamplesPerSec=8.0, MemAllocated=59.65GB, MaxMemAllocated=63.31GB\n",
         4.1031, 1},
        {"github.com/huggingface/nanotron/pull/23", "nanotron",
         "01/17/2024 13:47:27 [INFO|DP=0|PP=0|TP=0|ip-26-0-160-225]: iteration: 991 / 1000 | "
         "consumed_tokens: 634K | elapsed_time_per_iteration_ms: 45 | tokens_per_sec: 14.2K | "
         "tokens_per_sec_per_gpu: 1.78K | global_batch_size: 20 | lm_loss: 10.6 |\n"
         "01/17/2024 13:47:27 [INFO|DP=0|PP=0|TP=0|ip-26-0-160-225]: iteration: 992 / 1000 | "
         "consumed_tokens: 635K | elapsed_time_per_iteration_ms: 41.2 | tokens_per_sec: 15.5K |\n",
         0.0412, 2},
        {"github.com/huggingface/nanotron/issues/390", "nanotron",
         "10/17/2025 16:31:56 [INFO|DP=0|PP=0|TP=0]: iteration: 327281 / 378950 | consumed_tokens: "
         "85.8G | elapsed_time_per_iteration_ms: 11.5K | tokens_per_sec: 22.8K |\n",
         11.5, 1},
        {"github.com/pytorch/torchtitan/pull/2389, each rank its line", "torchtitan",
         "[titan] 2026-02-24 19:46:17,508 - root - INFO - step:  4  loss:  7.62585  grad_norm: "
         "26.6250  memory: 66.91GiB(37.51%)  tps: 10,050  tflops: 314.71  mfu: 13.99%\n"
         "[titan] 2026-02-24 19:46:17,508 - root - INFO - step:  4  loss:  7.62585  grad_norm: "
         "26.6250  memory: 66.91GiB(37.51%)  tps: 10,049  tflops: 314.68  mfu: 13.99%\n"
         "[titan] 2026-02-24 19:46:19,145 - root - INFO - step:  5  loss:  7.07623  grad_norm: "
         "46.5000  memory: 66.91GiB(37.51%)  tps: 10,007  tflops: 313.36  mfu: 13.93%\n",
         131072 / 10007.0, 2},
        {"github.com/pytorch/torchtitan/pull/3393", "torchtitan",
         "[rank0]:[titan] 2026-05-18 16:04:46,338 - root - INFO - step: 14  loss:  3.24405  "
         "grad_norm:  0.8319  memory:  9.46GiB(64.99%)  tps: 7,282  tflops: 0.52  mfu: 0.17%\n",
         131072 / 7282.0, 1},
        {"github.com/pytorch/torchtitan/pull/1287", "torchtitan",
         "[rank0]:[titan] 2025-06-16 22:30:48,735 - root - INFO - [GC] Peforming periodical GC "
         "collection. 0.06 seconds.\n"
         "[rank0]:[titan] 2025-06-16 22:30:50,322 - root - INFO - step: 200  loss:  6.1384  "
         "memory: "
         "49.66GiB(52.28%)  tps: 5,856  tflops: 339.16  mfu: 34.29%\n"
         "[rank0]:[titan] 2025-06-16 22:31:04,970 - root - INFO - step: 210  loss:  6.0388  "
         "memory: "
         "49.66GiB(52.28%)  tps: 5,593  tflops: 323.92  mfu: 32.75%\n",
         131072 / 5593.0, 2},
        {"github.com/pytorch/torchtitan/pull/950", "torchtitan",
         "[rank0]:[titan] 2025-03-12 11:10:21,511 - root - INFO - step: 22  loss:  6.2250  memory: "
         " "
         "1.41GiB(1.79%)  tps: 193,831  tflops: 18.36  mfu: 1.86%\n",
         131072 / 193831.0, 1},
        {"github.com/pytorch/torchtitan/pull/183", "torchtitan",
         "[rank1]:2024-04-01 17:54:52,734 - root - INFO - step:  1  loss: 10.9746  memory:  "
         "9.53GiB(10.03%)  wps: 1,228  mfu: 0.02%\n"
         "[rank1]:2024-04-01 17:54:52,734 - root - INFO - Synchronizing and adjusting timeout for "
         "all ProcessGroups to 0:00:05\n",
         131072 / 1228.0, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *said = strstr(rows[i].text, "batch size:");
        if (!said) said = strstr(rows[i].text, "batch_size:");
        const double batch = said ? strtod(said + strlen("batch size:"), NULL) : 0;
        cr_assert_eq(load_of(batch > 0 ? batch : 256, rows[i].text), RK_OK, "%s: %s", rows[i].where,
                     error_.text);
        cr_expect_str_eq(log_.format, rows[i].format, "%s: %s", rows[i].where, log_.format);
        cr_assert_eq(log_.steps, rows[i].steps, "%s: %zu", rows[i].where, log_.steps);
        cr_expect_float_eq(log_.step_s[log_.steps - 1], rows[i].step_s, 1e-9 * rows[i].step_s, "%s",
                           rows[i].where);
    }
}

/* Of a ramp-up the steps of the plan's batch; none of them is another run's log. */
Test(train_log, steps_of_another_batch_are_left_out)
{
#define STEP(n, ms, batch)                                                                         \
    "iteration " n "/ 9 | elapsed time per iteration (ms): " ms " | global batch size: " batch     \
    " |\n"
    cr_assert_eq(load(STEP("1", "500", "128") STEP("2", "900", "256") STEP("3", "910", "256")),
                 RK_OK);
    cr_expect_eq(log_.steps, 2);
    cr_expect_eq(log_.other_batch, 128);
    cr_expect_float_eq(log_.step_s[0], 0.9, 1e-12);
    cr_expect_eq(load(STEP("1", "500", "512") STEP("2", "500", "512")), RK_BAD_INPUT);
    cr_expect(strstr(error_.text, "a batch of 512, the plan one of 256: give gbs512"), "%s",
              error_.text);
#undef STEP
}

/* Both of DeepSpeed: the second is the mean of all steps so far, and without a number. */
Test(train_log, of_one_framework_the_first_format_counts)
{
    static const char *const texts[] = {
        "steps: 1 loss: 9.8 iter time (s): 2.000 samples/sec: 128\n0/1, SamplesPerSec=4.0\n"
        "steps: 2 loss: 9.8 iter time (s): 2.000 samples/sec: 128\n0/2, SamplesPerSec=4.0\n",
        "0/1, SamplesPerSec=4.0\nsteps: 1 loss: 9.8 iter time (s): 2.000 samples/sec: 128\n"
        "0/2, SamplesPerSec=4.0\nsteps: 2 loss: 9.8 iter time (s): 2.000 samples/sec: 128\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cr_assert_eq(load(texts[i]), RK_OK);
        cr_assert_eq(log_.steps, 2, "%zu", log_.steps);
        cr_expect_eq(log_.step_s[0], 2);
        cr_expect_eq(log_.step_s[1], 2);
    }
}

/* A bar of loading in front, one of evaluation with more steps within and behind it. */
Test(train_log, the_bar_that_takes_most_time)
{
    cr_assert_eq(load("Loading: 15/30 [00:30<00:30,  2.00s/it]\rLoading: 30/30 [01:00<00:00, "
                      " 2.00s/it]\n"
                      "  1/100 [00:04<06:36,  4.00s/it]\r 50/100 [01:40<01:40,  2.00s/it]\n"
                      "  1/1000 [00:09<9:00:00,  9.00s/it]\r1000/1000 [01:40<00:00, 10.00it/s]\n"
                      " 99/100 [03:18<00:02,  1.02it/s]\r100/100 [03:20<00:00,  2.00s/it]\n"
                      "  1/1000 [00:09<9:00:00,  9.00s/it]\r1000/1000 [01:40<00:00, 10.00it/s]\n"),
                 RK_OK);
    cr_assert_eq(log_.steps, 4, "%zu", log_.steps);
    cr_expect_eq(log_.step_s[0], 4);
    cr_expect_eq(log_.step_s[1], 2);
    cr_expect_float_eq(log_.step_s[2], 1 / 1.02, 1e-12);
    cr_expect_eq(log_.step_s[3], 2);
}

/* Steps a second above one, and bars that tell no rate. */
Test(train_log, bars_of_fast_steps)
{
    cr_assert_eq(load(" 10%|#         | 40/400 [00:20<03:00,  2.00it/s]\r"
                      " 11%|#         | 41/400 [00:20<03:00, ?it/s]\r"
                      " 12%|#         | 42/400 [00:21<03:00,  2.50it/s]\n"
                      "x 9s/it, 3it/s [ 4/5 [,it/s\n"),
                 RK_OK);
    cr_assert_eq(log_.steps, 2);
    cr_expect_eq(log_.step_s[0], 0.5);
    cr_expect_eq(log_.step_s[1], 0.4);
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
