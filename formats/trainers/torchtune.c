/* torchtune.c - recipes' configurations of torchtune (YAML), read and written: components by their
 * names, adapters, batch, checkpoints, FSDP2; the model is the caller's.
 *
 * Keys and presets: torchtune 0.3 to 0.6, recipes/full_finetune_distributed.py,
 * lora_finetune_distributed.py, models/llama3_1/_model_builders.py, modules/peft/lora.py. Weights,
 * gradients, moments and adapters are of the file's dtype; qlora_ builders quantise with torchao's
 * NF4, whose scales are quantised too. */
#include "keys/key_rows.h"
#include "keys/reader.h"
#include "keys/settings_check.h"
#include "keys/target.h"
#include "trainers/sample_lengths.h"

#include <inttypes.h>
#include <string.h>

enum dtype { BF16, FP16, FP32 };

struct recipe {
    const char *builder, *optimizer, *loss;
    uint64_t rank, microbatch, accumulation, sequence, model_sequence, tensor, context, replicas;
    int64_t shard;
    double dropout;
    int dtype;
    bool mlp, output, dora, base, packed, early, checkpoints, offload, host, compile, fused;
    int reshard;
};

#define AT(member) offsetof(struct recipe, member)

/* clang-format off */
static const struct key rows[] = {
#include "tables/torchtune-plan.h"
#include "tables/torchtune.h"
};

static const struct {
    const char *name;
    enum rk_optimizer optimizer;
} optimizers[] = { /* what the component ends in */
    {"PagedAdamW8bit", RK_ADAM_8BIT}, {"AdamW8bit", RK_ADAM_8BIT}, {"AdamW4bit", RK_ADAM_4BIT}, {"Adam8bit", RK_ADAM_8BIT},
    {"AdamW", RK_ADAM}, {"AdamWFp8", RK_ADAM_8BIT}, {"Adam", RK_ADAM}, {"SGD", RK_SGD}, {"Lion", RK_LION}, {"Adafactor", RK_ADAFACTOR},
};

static const struct {
    const char *name;
    enum rk_target target;
} attention[] = {
    {"q_proj", RK_TARGET_Q}, {"k_proj", RK_TARGET_K}, {"v_proj", RK_TARGET_V}, {"output_proj", RK_TARGET_O},
};
/* clang-format on */

enum { ATTENTION = sizeof attention / sizeof *attention };

const struct key_table torchtune_keys = KEY_TABLE(rows);

struct reading {
    const struct config_source *source;
    struct settings settings;
    struct recipe t;
    const struct rk_model *m;
    struct rk_plan *p;
    struct notes *notes;
    struct rk_error *error;
};

static const char *last_part(const char *component)
{
    const char *dot = component ? strrchr(component, '.') : NULL;
    return dot ? dot + 1 : component ? component : "";
}

static enum rk_status refuse(const struct reading *r, const char *key, const char *why)
{
    return settings_fail(&r->settings, settings_find(&r->settings, key), r->error, "%s", why);
}

/* ---- adapters ---- */

static enum rk_status read_target(const struct reading *r, const struct setting *s)
{
    for (const char *text = s->text; *text;) {
        const size_t length = strcspn(text, ", ");
        int i = 0;
        while (i < ATTENTION && (strlen(attention[i].name) != length ||
                                 memcmp(attention[i].name, text, length) != 0))
            i++;
        if (length && i == ATTENTION)
            return settings_fail(&r->settings, s, r->error,
                                 "%.*s is none of q_proj, k_proj, v_proj and output_proj",
                                 (int)length, text);
        if (length) r->p->lora_targets |= 1u << attention[i].target;
        text += length + (text[length] != 0);
    }
    return RK_OK;
}

static enum rk_status read_targets(const struct reading *r)
{
    static const char key[] = "model.lora_attn_modules";
    enum rk_status status = RK_OK;
    for (size_t i = 0; i < r->settings.count && status == RK_OK; i++) {
        const struct setting *s = &r->settings.setting[i];
        if (strncmp(s->key, key, sizeof key - 1) == 0 && !s->null) status = read_target(r, s);
    }
    if (r->t.mlp)
        r->p->lora_targets |= 1u << RK_TARGET_GATE | 1u << RK_TARGET_UP | 1u << RK_TARGET_DOWN;
    static const unsigned block = 1u << RK_TARGET_Q | 1u << RK_TARGET_K | 1u << RK_TARGET_V |
                                  1u << RK_TARGET_O | 1u << RK_TARGET_GATE | 1u << RK_TARGET_UP |
                                  1u << RK_TARGET_DOWN;
    if (r->t.output) r->p->lora_targets |= 1u << RK_TARGET_HEAD;
    if (status == RK_OK && r->p->lora_targets == block) {
        r->p->lora_targets = 0; /* all of a block, as a plan says it */
        return RK_OK;
    }
    if (status == RK_OK && !r->p->lora_targets)
        return refuse(r, "model.lora_attn_modules", "names no matrix that has an adapter");
    return status;
}

static enum rk_status read_adapters(const struct reading *r)
{
    const char *builder = last_part(r->t.builder);
    const bool quantised = strncmp(builder, "qlora_", 6) == 0 || r->t.base;
    const bool adapters =
        quantised || strncmp(builder, "lora_", 5) == 0 || strncmp(builder, "dora_", 5) == 0;
    struct rk_plan *p = r->p;
    if (!adapters) return RK_OK;
    p->lora = r->t.rank ? r->t.rank : 8;
    p->lora_dropout = r->t.dropout;
    p->lora_element_bytes = r->t.dtype == FP32 ? 4 : 2;
    p->dora = r->t.dora || strncmp(builder, "dora_", 5) == 0;
    if (quantised) p->base = RK_BASE_NF4_DQ;
    return read_targets(r);
}

/* ---- the rest of the plan ---- */

static enum rk_status read_degrees(const struct reading *r)
{
    const struct recipe *t = &r->t;
    struct rk_plan *p = r->p;
    const uint64_t shard = t->shard > 0 ? (uint64_t)t->shard : 0;
    p->tensor = t->tensor;
    p->context = t->context;
    if (p->context > 1) p->context_kind = RK_GATHER;
    p->ranks = r->source->gpus ? r->source->gpus
               : shard         ? shard * t->replicas * t->tensor * t->context
                               : 0;
    if (!p->ranks) p->ranks = notes_machine(r->notes, r->source->machine);
    if (!p->ranks)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "the file does not say how many GPUs the recipe is started on: give "
                       "--gpus N");
    const uint64_t degrees = t->tensor * t->context * t->replicas;
    if (!degrees || !t->microbatch || !t->accumulation || p->ranks % degrees)
        return refuse(r, "tensor_parallel_dim",
                      "and the other degrees do not divide the GPUs: give another --gpus");
    p->zero = p->ranks / p->tensor > 1 ? 3 : 0;
    if (t->replicas > 1 && p->zero) p->shard_ranks = p->ranks / p->tensor / t->replicas;
    p->microbatch = t->microbatch;
    p->batch = t->microbatch * t->accumulation * rk_plan_data(p);
    return RK_OK;
}

static uint64_t said_sequence(const struct reading *r)
{
    return r->t.sequence ? r->t.sequence : r->t.model_sequence;
}

static void read_sequence(const struct reading *r)
{
    const uint64_t said = said_sequence(r);
    char text[32];
    r->p->sequence = said == r->m->sequence ? 0 : said;
    if (r->t.packed && !r->p->packed)
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "dataset.packed", "true",
                  "samples are full; give packed=N, the tokens of a text in the mean");
    if (said) return;
    snprintf(text, sizeof text, "%" PRIu64, r->m->sequence);
    notes_add(r->notes, NOTE_ASSUMED, 0, 0, "sequence", text,
              "the model's, which bounds it: tokenizer.max_seq_len is not given");
}

static enum rk_status read_optimizer(const struct reading *r)
{
    const char *name = last_part(r->t.optimizer ? r->t.optimizer : "AdamW");
    struct rk_plan *p = r->p;
    p->optimizer_paged = strncmp(name, "Paged", 5) == 0;
    if (p->optimizer_paged) name += 5;
    p->step_in_backward = r->t.early;
    for (size_t i = 0; i < sizeof optimizers / sizeof *optimizers; i++) {
        if (strcmp(name, optimizers[i].name) != 0) continue;
        p->optimizer = optimizers[i].optimizer;
        p->foreach_step = p->optimizer == RK_ADAM && !r->t.fused && !p->optimizer_paged;
        return RK_OK;
    }
    return refuse(r, "optimizer._component_",
                  "is not an optimizer of plans: use AdamW, AdamW8bit, AdamW4bit, their paged "
                  "forms, SGD, Lion or Adafactor");
}

/* CEWithChunkedOutputLoss keeps the 16-bit logits of all tokens, and of each chunk log-softmax in
 * fp32 and a gradient: 2 + 4 + 2 bytes of a logit. */
static enum rk_status read_loss(const struct reading *r)
{
    const char *name = last_part(r->t.loss);
    struct rk_plan *p = r->p;
    if (strcmp(name, "LinearCrossEntropyLoss") == 0)
        p->loss_in_chunks = true;
    else if (strcmp(name, "CEWithChunkedOutputLoss") == 0)
        p->loss = r->t.compile ? RK_LOSS_NARROW : RK_LOSS_COPIED;
    else if (strcmp(name, "CrossEntropyLoss") == 0)
        p->loss = RK_LOSS_NARROW;
    else if (strcmp(name, "DPOLoss") == 0) {
        p->objective = RK_DPO;
        p->reference = p->lora ? RK_REFERENCE_ADAPTERS : RK_REFERENCE_COPY;
    } else if (*name)
        return refuse(r, "loss._component_",
                      "is not a loss of plans: use LinearCrossEntropyLoss, "
                      "CEWithChunkedOutputLoss, CrossEntropyLoss or DPOLoss");
    return RK_OK;
}

static void read_memory(const struct reading *r)
{
    const struct recipe *t = &r->t;
    struct rk_plan *p = r->p;
    static const enum rk_precision precisions[] = {RK_BF16, RK_FP16, RK_FP32};
    p->precision = precisions[t->dtype];
    if (t->dtype != FP32 && !p->lora)
        p->weight_element_bytes = p->gradient_element_bytes = p->moment1_element_bytes =
            p->moment2_element_bytes = 2;
    if (t->optimizer && strncmp(t->optimizer, "bitsandbytes.", 13) == 0 && !p->lora)
        p->moment1_element_bytes = p->moment2_element_bytes = 0; /* in fp32, or 8 bits */
    p->attention = RK_FLASH;
    p->fused = t->compile;
    p->recompute = t->checkpoints ? RK_WHOLE : RK_KEEP;
    if (t->offload) rk_plan_offload_activations(p, 1);
    p->keep_gathered = p->zero == 3 && t->reshard == 0;
    p->weight_overlap = p->zero == 3;
    if (t->host && p->zero == 3)
        p->share[RK_SHARE_WEIGHTS][0] = p->share[RK_SHARE_OPTIMIZER][0] = 1;
}

static enum rk_status interpret(struct reading *r)
{
    *r->p = rk_plan_default();
    r->p->framework = RK_FSDP;
    r->p->gradient_overlap = true;
    enum rk_status status = read_degrees(r);
    if (status == RK_OK) status = read_adapters(r);
    if (status == RK_OK) status = read_optimizer(r);
    if (status == RK_OK) status = read_loss(r);
    if (status != RK_OK) return status;
    const uint64_t sequence = said_sequence(r);
    status = sample_lengths_read(r->source, sequence ? sequence : r->m->sequence, r->p, r->notes,
                                 r->error);
    if (status != RK_OK) return status;
    read_sequence(r);
    read_memory(r);
    return RK_OK;
}

enum rk_status torchtune_read(const struct config_source *source, struct rk_model *model,
                              struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    struct reading r = {.source = source, .m = model, .p = plan, .notes = notes, .error = error};
    enum rk_status status = settings_read(&r.settings, source->path, source->text, source->sets,
                                          source->set_count, error);
    if (status == RK_OK)
        status = keys_read(&r.settings, &torchtune_keys, &source->keys, &r.t, notes, error);
    if (status == RK_OK) status = interpret(&r);
    settings_release(&r.settings);
    return status;
}
