/* agree_cases.h - a model, a machine and a plan by chance, as a person says them: a model file, a
 * system in one line, a plan in words. The same from the same seed. */
#ifndef RECKON_TESTS_AGREE_CASES_H
#define RECKON_TESTS_AGREE_CASES_H

#include "catalog/model_fields.h"
#include "random_plans.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <reckon/reckon.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct agree_case {
    uint64_t seed;
    struct rk_model model;
    char folder[64]; /* of files, this case's and the test's */
    char model_file[96];
    char system[128];
    char words[RK_PLAN_TEXT];
    int lower_tiers;
};

#define ONE_OF(...)                                                                                \
    ((const char *const[]){                                                                        \
        __VA_ARGS__})[draw(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))]

static inline bool one_in(uint64_t n)
{
    return draw(n) == 0;
}

static inline void add_words(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline void add_words(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list values;
    va_start(values, format);
    vsnprintf(text + used, size - used, format, values);
    va_end(values);
}

#define SAY(c, ...) add_words((c)->words, sizeof(c)->words, " " __VA_ARGS__)

/* ---- models ---- */

static inline void draw_mixture(struct rk_model *m)
{
    m->experts = UINT64_C(4) << draw(4);
    m->active_experts = 1 + draw(4);
    m->expert_feedforward = 128 * (1 + draw(12));
    m->shared_experts = draw(2);
    m->dense_layers = draw(m->layers);
}

static inline void draw_latent(struct rk_model *m)
{
    m->kv_rank = 128;
    m->rope_dim = 32;
    m->value_dim = m->head_dim;
    m->q_rank = one_in(2) ? 256 : 0;
    m->kv_heads = 0;
}

static inline void draw_hybrid(struct rk_model *m)
{
    m->recurrence = RK_MAMBA_2;
    m->recurrent_heads = 16;
    m->recurrent_dim = m->state = 64;
    m->recurrent_groups = 8;
    m->convolution = 4;
    snprintf(m->mixers, sizeof m->mixers, "%s", ONE_OF("ra", "rra", "r", "arr", "b"));
}

static inline struct rk_model draw_model(void)
{
    struct rk_model m = {.id = "random", .head_dim = UINT64_C(32) << draw(3)};
    m.layers = 1 + draw(24);
    m.heads = UINT64_C(2) << draw(5);
    m.hidden = 256 * (1 + draw(16));
    m.feedforward = 256 * (1 + draw(32));
    m.sequence = UINT64_C(512) << draw(6);
    m.vocabulary = 1000 + draw(60000);
    m.kv_heads = one_in(2) ? (m.heads + 3) / 4 : 0;
    m.position = (enum rk_position[]){RK_POSITION_ROPE, RK_POSITION_LEARNED}[draw(2)];
    m.norm = one_in(2) ? RK_RMS_NORM : RK_LAYER_NORM;
    m.gated_mlp = one_in(2);
    m.tied_embeddings = one_in(2);
    m.biases = one_in(3);
    m.bidirectional = one_in(12);
    if (one_in(3)) draw_mixture(&m);
    if (one_in(5))
        draw_latent(&m);
    else if (one_in(5))
        draw_hybrid(&m);
    else if (one_in(5))
        m.window = 256;
    return m;
}

/* ---- machines ---- */

static inline void draw_system(struct agree_case *c)
{
    snprintf(c->system, sizeof c->system, "%s",
             ONE_OF("h100-sxm5-80g", "a100-sxm4-80g", "a100-sxm4-40g", "b200-sxm-180g",
                    "h800-sxm5-80g", "v100-sxm2-32g", "mi300x", "rtx4090", "rtx3090", "l40s"));
    c->lower_tiers = one_in(3) ? 1 + (int)draw(2) : 0;
    if (c->lower_tiers > 0)
        add_words(c->system, sizeof c->system, " mem2=%sGiB@%sGB/s", ONE_OF("64", "256", "1024"),
                  ONE_OF("12", "50", "200"));
    if (c->lower_tiers > 1)
        add_words(c->system, sizeof c->system, " mem3=%sTiB@3GB/s", ONE_OF("1", "4"));
}

/* ---- plans ---- */

static inline uint64_t draw_degree(uint64_t *left, uint64_t most)
{
    uint64_t degree = 1;
    while (*left % 2 == 0 && degree < most && draw(100) < 45) {
        degree *= 2;
        *left /= 2;
    }
    return degree;
}

struct degrees {
    uint64_t tensor, pipeline, context, data;
};

static inline struct degrees draw_degrees(struct agree_case *c)
{
    struct degrees d = {.data = UINT64_C(1) << draw(7)};
    d.tensor = draw_degree(&d.data, 8);
    d.context = draw_degree(&d.data, 8);
    d.pipeline = draw_degree(&d.data, 8);
    const uint64_t microbatch = 1 + draw(3), rounds = 1 + draw(8);
    SAY(c, "dp%" PRIu64 " tp%" PRIu64 " pp%" PRIu64 " cp%" PRIu64 " mbs%" PRIu64 " gbs%" PRIu64,
        d.data, d.tensor, d.pipeline, d.context, microbatch, d.data * microbatch * rounds);
    if (c->model.experts && one_in(2) && d.data * d.context % 2 == 0)
        SAY(c, "ep2%s", d.tensor > 1 && one_in(2) ? " etp1" : "");
    if (c->model.experts && one_in(3))
        SAY(c, "%s",
            ONE_OF("dispatcher=allgather", "dispatcher=deepep", "ep-overlap", "no-grouped",
                   "capacity=1.25", "imbalance=1.3"));
    if (d.tensor > 1 && one_in(2)) SAY(c, "%s", ONE_OF("sp", "sp tp-overlap", "tp-overlap=ring"));
    if (d.context > 1)
        SAY(c, "cp-kind=%s",
            ONE_OF("ring", "gather", "ulysses", "ring cp-contiguous", "ring+ulysses ulysses=2"));
    return d;
}

/* Runs of layers of several kinds: the first half of a stage is computed again. */
static inline void draw_kinds(struct agree_case *c, uint64_t stages)
{
    const uint64_t each = c->model.layers / stages;
    for (uint64_t i = 0; i < stages; i++) {
        const uint64_t own = i + 1 < stages ? each : c->model.layers - each * i;
        add_words(c->words, sizeof c->words, "%s%" PRIu64 "/recompute=full~%" PRIu64,
                  i ? "," : " stages=", own / 2, own - own / 2);
    }
}

static inline void draw_stages(struct agree_case *c, const struct degrees *d)
{
    const uint64_t stages = d->pipeline, layers = c->model.layers;
    if (stages > 1 && layers >= stages && one_in(3)) {
        if (layers >= 2 * stages && one_in(2)) return draw_kinds(c, stages);
        SAY(c, "split=");
        for (uint64_t i = 0; i < stages; i++)
            add_words(c->words, sizeof c->words, "%" PRIu64 "%s",
                      i + 1 < stages ? UINT64_C(1) : layers - (stages - 1),
                      i + 1 < stages ? "," : "");
        return;
    }
    if (stages > 1 && one_in(3) && layers % (2 * stages) == 0)
        SAY(c, "vpp2");
    else if (stages > 1 && one_in(3))
        SAY(c, "schedule=%s", ONE_OF("gpipe", "zero-bubble", "dualpipe", "v-half", "v-min"));
    if (stages > 1 && one_in(5))
        SAY(c, "%s", ONE_OF("messages-sharded", "pipeline-blocking", "head-counts"));
    SAY(c, "%s",
        ONE_OF("", "", "recompute=full", "recompute=selective", "recompute=selective:mlp+layernorm",
               "recompute=full recompute-layers=1", "recompute=full recompute-every=2",
               "recompute=full recompute-stride=2"));
}

static inline void draw_offload(struct agree_case *c)
{
    if (c->lower_tiers > 1 && one_in(4))
        SAY(c, "offload-activations=0.3+1.3");
    else if (one_in(3))
        SAY(c, "offload-activations=%s%s", ONE_OF("0.3", "0.41", "1"),
            strstr(c->words, "recompute") || one_in(2) ? "" : " recompute-rest");
    if (one_in(4)) SAY(c, "offload-optimizer");
    if (one_in(8)) SAY(c, "offload-weights");
    if (one_in(8)) SAY(c, "seq-chunks=4");
}

/* What fine-tuning and small machines are run with. */
static inline void draw_tuning(struct agree_case *c)
{
    if (one_in(4))
        SAY(c, "%s",
            ONE_OF("lora=16", "lora=8 lora-targets=q+v", "lora=16 base=nf4", "lora=16 dora",
                   "lora=8 lora-bytes=4", "lora=16 objective=dpo", "objective=dpo",
                   "objective=simpo", "objective=kto reference=copy", "frozen"));
    if (one_in(6))
        SAY(c, "optimizer=%s",
            ONE_OF("adam-8bit", "adam-8bit embedding-fp32", "adam-4bit", "muon", "adafactor",
                   "lion", "sgd", "galore optimizer-rank=64"));
    if (one_in(8)) SAY(c, "%s", ONE_OF("packed=300", "packed=90", "padded=200"));
    if (one_in(8)) SAY(c, "%s", ONE_OF("attention-fp8", "activation-fp8", "residual-fp32"));
}

/* Offloading to nodes whose memory is assumed. */
static inline void draw_assumed_host(struct agree_case *c)
{
    SAY(c, "%s",
        ONE_OF("offload-optimizer", "offload-activations=0.4", "offload-activations=1",
               "offload-optimizer offload-activations=1 recompute=full"));
}

static inline void draw_any_plan(struct agree_case *c)
{
    SAY(c, "framework=%s", ONE_OF("megatron", "megatron", "fsdp", "deepspeed"));
    const struct degrees d = draw_degrees(c);
    const uint64_t zero = strstr(c->words, "fsdp") ? 2 + draw(2) : draw(4);
    SAY(c, "zero%" PRIu64, zero);
    if (zero && one_in(4) && d.data * d.context > 2)
        SAY(c, "shard=%" PRIu64, d.data * d.context / 2);
    if (one_in(2)) SAY(c, "grad-overlap");
    if (zero && one_in(2)) SAY(c, "weight-overlap");
    if (zero == 3 && one_in(3)) SAY(c, "keep-gathered");
    draw_stages(c, &d);
    if (c->lower_tiers)
        draw_offload(c);
    else if (one_in(6))
        draw_assumed_host(c);
    draw_tuning(c);
    if (one_in(5)) SAY(c, "precision=%s", ONE_OF("fp16", "fp8-current", "fp8-block", "fp32"));
    if (one_in(3))
        SAY(c, "%s",
            ONE_OF("attention=unfused", "attention=flash", "no-fused", "full-attention",
                   "whole-logits", "loss-compiled", "loss-in-place", "loss-in-chunks",
                   "logits-linger", "no-transformer-engine", "cuda-graphs", "gradient-bytes=2",
                   "vocab-multiple=128", "order=tp-cp-pp-dp"));
    if (one_in(4)) SAY(c, "seq=%" PRIu64, UINT64_C(1024) << draw(7));
}

/* ... or what one of the tools can express, of a model that is published. */
static inline void draw_tool_plan(struct agree_case *c)
{
    static const char *const names[] = {"llama3.1-8b", "mixtral-8x7b", "qwen3-8b", "gpt2-124m"};
    struct rk_error error;
    const uint64_t tool = draw(5);
    const char *name = tool == 4 ? "qwen2.5-7b" : names[draw(4)];
    cr_assert_eq(rk_model_load(name, &c->model, &error), RK_OK, "%s", error.text);
    snprintf(c->model_file, sizeof c->model_file, "%s", name);
    struct rk_plan plan = tool == 0   ? random_megatron(&c->model)
                          : tool == 1 ? random_deepspeed()
                          : tool == 2 ? random_torchtitan()
                          : tool == 3 ? random_accelerate()
                                      : random_nanotron(&c->model);
    if (tool == 0 && one_in(2)) plan.sequence = UINT64_C(512) << draw(4);
    rk_plan_text(&plan, c->words, sizeof c->words);
    if (plan.pipeline == 1) SAY(c, "pp1"); /* fits searches where no degree is said */
}

static inline void save_model(struct agree_case *c)
{
    char *text = model_text(&c->model, "random", NULL, NULL, 0);
    snprintf(c->model_file, sizeof c->model_file, "%s/model.json", c->folder);
    FILE *file = fopen(c->model_file, "w");
    cr_assert(text && file && fputs(text, file) >= 0 && fclose(file) == 0);
    free(text);
}

/* The line that starts accelerate, which has what its configuration cannot: a comment there. */
static inline void save_launch(const char *file, const char *path)
{
    char line[512] = "";
    FILE *from = fopen(file, "r"), *to = fopen(path, "w");
    cr_assert(from && to);
    while (fgets(line, sizeof line, from) && !strstr(line, "accelerate launch"))
        continue;
    const char *at = strstr(line, "accelerate launch");
    fprintf(to, "#!/bin/sh\n%s", at ? at : "");
    fclose(from);
    fclose(to);
}

/* What may be refused; the caller draws on until it is predicted. */
static inline void draw_case(struct agree_case *c)
{
    c->words[0] = '\0';
    draw_system(c);
    if (one_in(3)) return draw_tool_plan(c);
    c->model = draw_model();
    save_model(c);
    draw_any_plan(c);
}

#endif
