/* run_cases.h - small models and data for tests of the executor. */
#ifndef TESTS_RUN_CASES_H
#define TESTS_RUN_CASES_H

#include <criterion/criterion.h>
#include <math.h>
#include <reckon/reckon.h>
#include <reckon/train.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUN_MODELS = 16 };

static inline struct rk_model run_model(int which)
{
/* What all of them share; what those of Llama's shape share. */
#define SIZE    .layers = 4, .head_dim = 8, .sequence = 32
#define SMALL   SIZE, .block_norms = 2
#define SMALL_1 SIZE, .block_norms = 1
#define GPT     SMALL, .position = RK_POSITION_LEARNED, .norm = RK_LAYER_NORM, .activation = RK_GELU
#define GATED                                                                                      \
    SIZE, .vocabulary = 256, .position = RK_POSITION_ROPE, .norm = RK_RMS_NORM, .gated_mlp = true, \
          .activation = RK_SILU
#define LLAMA   GATED, .block_norms = 2
#define LLAMA_4 GATED, .block_norms = 4
#define NARROW  .hidden = 32, .heads = 4, .kv_heads = 4
    static const struct rk_model models[] = {
        /* GPT-2's shape */
        {.id = "gpt",
         GPT,
         NARROW,
         .feedforward = 64,
         .vocabulary = 250,
         .tied_embeddings = true,
         .biases = true},
        /* Qwen 3's: grouped keys, norms of heads, a gate */
        {.id = "qwen",
         LLAMA,
         .hidden = 48,
         .feedforward = 64,
         .heads = 8,
         .kv_heads = 2,
         .qk_norm = true},
        /* Mistral's windows in turns, tied */
        {.id = "windows",
         LLAMA,
         NARROW,
         .feedforward = 32,
         .qkv_biases = true,
         .tied_embeddings = true,
         .window = 8,
         .window_every = 2},
        /* a mixture with a shared expert */
        {.id = "mixture",
         LLAMA,
         NARROW,
         .feedforward = 32,
         .experts = 4,
         .active_experts = 2,
         .expert_feedforward = 16,
         .shared_experts = 1,
         .shared_gate = true},
        /* BigMac's: narrowed tokens, biases, one dense layer */
        {.id = "bigmac",
         GPT,
         NARROW,
         .feedforward = 64,
         .vocabulary = 256,
         .biases = true,
         .experts = 8,
         .active_experts = 3,
         .expert_feedforward = 32,
         .expert_hidden = 8,
         .dense_layers = 1},
        /* DeepSeek's latent attention, with queries compressed and not */
        {.id = "latent",
         LLAMA,
         NARROW,
         .feedforward = 48,
         .q_rank = 12,
         .kv_rank = 10,
         .rope_dim = 4,
         .value_dim = 6},
        {.id = "latent-plain",
         LLAMA,
         NARROW,
         .feedforward = 48,
         .kv_rank = 10,
         .rope_dim = 4,
         .value_dim = 8},
        /* ... with DeepSeek-V3's mixture: shared experts, groups of experts, biases of routers, one
           dense layer */
        {.id = "latent-mixture",
         LLAMA,
         NARROW,
         .feedforward = 48,
         .kv_rank = 10,
         .rope_dim = 4,
         .value_dim = 6,
         .experts = 8,
         .active_experts = 3,
         .expert_feedforward = 16,
         .shared_experts = 2,
         .expert_groups = 4,
         .active_groups = 2,
         .router_biases = true,
         .dense_layers = 1},
        /* Mixtral's, every other layer dense */
        {.id = "sparse-mixture",
         LLAMA,
         NARROW,
         .feedforward = 32,
         .window = 16,
         .experts = 8,
         .active_experts = 2,
         .expert_feedforward = 16,
         .expert_every = 2},
        /* those of arithmetic of their own (run_arithmetic()): halves that read one norm's output,
           as GPT-J's */
        {.id = "parallel",
         SMALL_1,
         NARROW,
         .feedforward = 64,
         .vocabulary = 250,
         .position = RK_POSITION_ROPE,
         .norm = RK_LAYER_NORM,
         .activation = RK_GELU,
         .biases = true,
         .head_biases = true,
         .parallel_block = true},
        /* ... or two, as GPT-NeoX's, with Bloom's ALiBi and norm of words */
        {.id = "alibi",
         SMALL,
         NARROW,
         .feedforward = 64,
         .vocabulary = 256,
         .position = RK_POSITION_ALIBI,
         .norm = RK_LAYER_NORM,
         .activation = RK_GELU,
         .tied_embeddings = true,
         .embedding_norm = true,
         .biases = true,
         .parallel_block = true},
        /* Gemma 2's four norms and caps */
        {.id = "caps",
         LLAMA_4,
         .hidden = 32,
         .heads = 4,
         .kv_heads = 2,
         .feedforward = 48,
         .tied_embeddings = true,
         .attention_cap = true,
         .logit_cap = true,
         .window = 8,
         .window_every = 2},
        /* OLMo 2's norms, after halves and over all heads */
        {.id = "after", LLAMA_4, NARROW, .feedforward = 32, .qk_norm = true, .qk_norm_wide = true},
        /* gpt-oss' sinks and mixture, norms with weights for each head, multipliers, layers
           without RoPE */
        {.id = "sinks",
         LLAMA,
         .hidden = 32,
         .heads = 4,
         .kv_heads = 2,
         .feedforward = 32,
         .qk_norm = true,
         .qk_norm_wide = true,
         .attention_sinks = true,
         .mlp_biases = true,
         .router_biases = true,
         .experts = 4,
         .active_experts = 2,
         .expert_feedforward = 16,
         .expert_every = 2},
        /* multi-token prediction, with a table that is the head, too, and with one that is not */
        {.id = "ahead",
         LLAMA,
         .hidden = 32,
         .heads = 4,
         .kv_heads = 2,
         .feedforward = 48,
         .tied_embeddings = true,
         .predict_layers = 2},
        {.id = "ahead-mixture",
         LLAMA,
         NARROW,
         .feedforward = 32,
         .experts = 4,
         .active_experts = 2,
         .expert_feedforward = 16,
         .shared_experts = 1,
         .router_biases = true,
         .dense_layers = 1,
         .predict_layers = 1},
    };
#undef SIZE
#undef SMALL
#undef SMALL_1
#undef GPT
#undef GATED
#undef LLAMA
#undef LLAMA_4
#undef NARROW
    return models[which];
}

/* What the shapes above do not say. */
static inline struct rk_arithmetic run_arithmetic(const struct rk_model *model)
{
    static const struct {
        const char *id;
        struct rk_arithmetic has;
    } rows[] = {
        {"parallel", {.naming = RK_NAMES_GPTJ, .rotary_part = 0.5, .neighbours = true}},
        {"alibi", {.naming = RK_NAMES_NEOX}},
        {"caps",
         {.naming = RK_NAMES_LLAMA,
          .embedding_scale = 5.5,
          .attention_scale = 0.3,
          .attention_cap = 0.5,
          .logit_cap = 2,
          .norm_offset = 1,
          .local_base = 100}},
        {"after", {.naming = RK_NAMES_LLAMA, .norms_after = true, .wide_norms = true}},
        {"sinks",
         {.naming = RK_NAMES_GPT_OSS,
          .residual_scale = 0.4,
          .logit_scale = 0.5,
          .gate_limit = 0.1,
          .routers_add = true,
          .unturned = {1 << 1 | 1 << 2}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].id, model->id) == 0) return rows[i].has;
    return (struct rk_arithmetic){0};
}

static inline const char *run_data(void)
{
    static char path[64];
    if (*path) return path;
    snprintf(path, sizeof path, P_tmpdir "/reckon-run-%d", (int)getpid());
    FILE *file = fopen(path, "wb");
    uint32_t x = 1;
    for (int i = 0; i < 40000; i++) {
        x = x * 1664525 + 1013904223;
        fputc((int)((x >> 24) % 40 + (i % 7) * 30), file); /* something to learn */
    }
    cr_assert_eq(fclose(file), 0);
    return path;
}

struct run_trace {
    int steps;
    double loss[64], balance[64], ahead[64], norm[64], scale[64];
    bool skipped[64];
};

static inline bool run_note(void *context, const struct rk_train_step *step)
{
    struct run_trace *trace = context;
    trace->loss[trace->steps] = step->loss;
    trace->balance[trace->steps] = step->balance;
    trace->ahead[trace->steps] = step->ahead;
    trace->scale[trace->steps] = step->scale;
    trace->skipped[trace->steps] = step->skipped;
    trace->norm[trace->steps++] = step->norm;
    return true;
}

/* Large steps, so that a gradient that is a little off shows in the next loss. */
static inline struct rk_train run_settings(uint64_t steps)
{
    struct rk_train train = rk_train_default();
    train.steps = steps;
    train.rate = train.least_rate = 3e-3;
    train.warmup = 0;
    train.double_precision = true;
    train.limit_s = 300; /* nothing is stuck: a machine with other work is slow */
    return train;
}

static const char *run_drives = P_tmpdir; /* for what is offloaded */

static inline enum rk_status run_plan_result(const struct rk_model *model, const char *words,
                                             const struct rk_train *train, struct run_trace *trace,
                                             struct rk_train_result *result, struct rk_error *error)
{
    static struct rk_system system;
    struct rk_plan plan;
    char line[512];
    memset(trace, 0, sizeof *trace);
    if (!*system.id) /* with the host's memory and drives */
        cr_assert_eq(rk_system_load("h100-sxm5-80g mem2=1TiB@25GB/s ssd=4*samsung-980pro-1tb",
                                    &system, error),
                     RK_OK, "%s", error->text);
    snprintf(line, sizeof line, "%s%s", words, strstr(words, "precision") ? "" : " precision=fp32");
    if (rk_plan_parse(line, &plan, error) != RK_OK) return RK_NOTHING_FITS;
    struct rk_train of_model = *train;
    of_model.arithmetic = run_arithmetic(model);
    const struct rk_train_run run = {.data = run_data(),
                                     .system = &system,
                                     .drives = run_drives,
                                     .step = run_note,
                                     .context = trace};
    return rk_train_threads(model, &plan, &of_model, &run, result, error);
}

static inline enum rk_status run_plan(const struct rk_model *model, const char *words,
                                      const struct rk_train *train, struct run_trace *trace,
                                      struct rk_error *error)
{
    struct rk_train_result result;
    return run_plan_result(model, words, train, trace, &result, error);
}

/* How far a is from b, of b. */
static inline double off(double a, double b)
{
    return fabs(a - b) / fmax(fabs(b), 1e-300);
}

/* Where rows of a table are run in two ways: one of them, in turn; with RECKON_SLOW both. */
static inline bool run_left_out(size_t row, size_t way)
{
    return row % 2 != way && !getenv("RECKON_SLOW");
}

/* The trace of a plan; of plans that many are compared with, it is run once. */
static inline const struct run_trace *run_once(int model, const char *words,
                                               const struct rk_train *train)
{
    enum { KEPT = 24, WORDS = 128 };
    static struct kept {
        int model;
        char words[WORDS];
        struct rk_train train;
        struct run_trace trace;
    } kept[KEPT];
    static int runs;
    const struct rk_model m = run_model(model);
    struct rk_error error;
    for (int i = 0; i < KEPT && i < runs; i++)
        if (kept[i].model == model && strcmp(kept[i].words, words) == 0 &&
            memcmp(&kept[i].train, train, sizeof *train) == 0)
            return &kept[i].trace;
    struct kept *new = &kept[runs++ % KEPT];
    cr_assert_lt(strlen(words), WORDS);
    new->model = model;
    strcpy(new->words, words);
    memcpy(&new->train, train, sizeof *train);
    cr_assert_eq(run_plan(&m, words, train, &new->trace, &error), RK_OK, "%s %s: %s", m.id, words,
                 error.text);
    return &new->trace;
}

/* Two plans, each with its settings, bring the same bits. */
static inline void same_bits(int model, const char *plan, const struct rk_train *a,
                             const char *same, const struct rk_train *b)
{
    const struct rk_model m = run_model(model);
    const struct run_trace *x = run_once(model, plan, a);
    struct run_trace y;
    struct rk_error error;
    cr_assert_eq(run_plan(&m, same, b, &y, &error), RK_OK, "%s %s: %s", m.id, same, error.text);
    for (int i = 0; i < x->steps; i++)
        cr_expect(x->loss[i] == y.loss[i] && x->norm[i] == y.norm[i],
                  "%s: %s, %s, step %d: %.17g %.17g, %.17g %.17g", m.id, plan, same, i, x->loss[i],
                  y.loss[i], x->norm[i], y.norm[i]);
}

#endif
