/* task.h - what the three examples have in common: a small model, and how it is trained. A task of
 * one's own is three functions (reckon/train.h): collate makes samples, loss judges logits, predict
 * takes them. The plan is words; the functions know nothing of it.
 *
 *     cc language.c $(pkg-config --cflags --libs reckon-run) -o language
 *     ./language "tp2 dp2 zero1"
 */
#ifndef EXAMPLES_TASK_H
#define EXAMPLES_TASK_H

#include <reckon/reckon.h>
#include <reckon/train.h>
#include <stdio.h>
#include <stdlib.h>

enum { TASK_WORDS = 64, TASK_TOKENS = 32, TASK_BATCH = 32 };

static inline struct rk_model task_model(void)
{
    return (struct rk_model){.id = "task",
                             .layers = 2,
                             .hidden = 64,
                             .feedforward = 128,
                             .heads = 4,
                             .head_dim = 16,
                             .kv_heads = 4,
                             .sequence = TASK_TOKENS,
                             .vocabulary = TASK_WORDS,
                             .position = RK_POSITION_ROPE,
                             .norm = RK_RMS_NORM,
                             .block_norms = 2,
                             .gated_mlp = true,
                             .activation = RK_SILU};
}

static inline void task_need(enum rk_status status, const struct rk_error *error)
{
    char text[1024];
    if (status == RK_OK) return;
    rk_error_format(error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(1);
}

/* What is trained under which plan; the machine plays no role for the numbers. */
struct task {
    struct rk_model model;
    struct rk_plan plan;
    struct rk_system system;
    struct rk_train train;
};

static inline struct task task_of(const char *words)
{
    struct task task = {.model = task_model(), .train = rk_train_default()};
    struct rk_error error;
    char line[512];
    snprintf(line, sizeof line, "gbs%d precision=fp32 %s", TASK_BATCH, words);
    task_need(rk_plan_parse(line, &task.plan, &error), &error);
    task_need(rk_system_load("h100-sxm5-80g", &task.system, &error), &error);
    task.train.rate = 3e-3;
    return task;
}

/* Trains, and leaves a checkpoint in `folder` unless that is NULL. */
static inline struct rk_train_result task_train(struct task *task, const struct rk_functions *f,
                                                const char *folder, uint64_t steps)
{
    struct rk_train_result result;
    struct rk_error error;
    const struct rk_train_run run = {.functions = f, .system = &task->system, .save = folder};
    task->train.steps = steps;
    task_need(rk_train_threads(&task->model, &task->plan, &task->train, &run, &result, &error),
              &error);
    printf("loss %.3f -> %.3f in %d steps\n", result.first_loss, result.last_loss, (int)steps);
    return result;
}

static inline void task_predict(struct task *task, const struct rk_functions *f, const char *folder,
                                uint64_t first, uint64_t samples)
{
    struct rk_error error;
    const struct rk_train_run run = {.functions = f, .system = &task->system, .load = folder};
    task_need(
        rk_predict_samples(&task->model, &task->plan, &task->train, &run, first, samples, &error),
        &error);
}

/* Numbers that depend on the sample alone, as all samples must. */
static inline uint32_t task_random(uint64_t n, uint64_t i)
{
    uint64_t x = (n + 1) * UINT64_C(0x9e3779b97f4a7c15) + i * UINT64_C(0xd1342543de82ef95);
    x ^= x >> 29;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(x >> 32);
}

#endif
