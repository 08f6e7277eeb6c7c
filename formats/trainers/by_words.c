/* by_words.c - configurations of trainers over torch's FSDP and DeepSpeed whose keys are words of a
 * plan: litgpt, oumi, NeMo Automodel, llm-foundry, lingua, XTuner. What a key means is a line of
 * data/formats; what a tool does that no key says is a row of `tools` here.
 *
 * Keys and presets: litgpt 0.5 (finetune/full.py, lora.py, pretrain.py, args.py), oumi 0.4
 * (core/configs/params), Automodel 0.4 (components/distributed/config.py,
 * training/step_scheduler.py, _peft/lora.py), llm-foundry 0.18 (command_utils/train.py), lingua of
 * 2024 (distributed.py, apps/main/train.py), XTuner 0.1 (model/sft.py, tools/train.py: checkpoints
 * and adapters on all matrices unless told otherwise; `--deepspeed` is an argument of its command).
 */
#include "trainers/by_words.h"
#include "catalog/plan_fields.h"
#include "keys/key_rows.h"
#include "keys/reader.h"
#include "trainers/trainer_tuning.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST = 1000000000, NODE = 8, LINE_BYTES = 1024, RANK = 8 }; /* RANK: all have this default */
#define UNSAID UINT64_MAX
enum mixed { MIXED_BF16 = 1, MIXED_HALF }; /* of oumi's mixed_precision_dtype */
enum strategy { FULL_SHARD, SHARD_GRAD_OP, HYBRID_SHARD, HYBRID_SHARD_2, NO_SHARD };

/* Values that are no words of a plan by themselves. */
struct job {
    uint64_t nodes, gpus, shard, copies, microbatch, local, accumulation, batch, rank;
    uint64_t sequence, packed_sequence, per_stage, pipeline_microbatch;
    double dropout;
    int strategy, sharded, mixed;
    const char *type, *devices; /* "auto": all of a node */
    bool adapters, all_linear, quantized, doubled, unfused_step;
    int without_q, with_k, without_v, with_o, with_mlp, with_head; /* litgpt's adapters */
};

#define AT(member) offsetof(struct job, member)

static const struct key litgpt_rows[] = {
#include "tables/litgpt.h"
};
static const struct key oumi_rows[] = {
#include "tables/oumi.h"
};
static const struct key automodel_rows[] = {
#include "tables/automodel.h"
};
static const struct key llm_foundry_rows[] = {
#include "tables/llm-foundry.h"
};
static const struct key xtuner_rows[] = {
#include "tables/xtuner.h"
};
static const struct key lingua_rows[] = {
#include "tables/lingua.h"
};
const struct key_table litgpt_keys = KEY_TABLE(litgpt_rows);
const struct key_table oumi_keys = KEY_TABLE(oumi_rows);
const struct key_table automodel_keys = KEY_TABLE(automodel_rows);
const struct key_table llm_foundry_keys = KEY_TABLE(llm_foundry_rows);
const struct key_table xtuner_keys = KEY_TABLE(xtuner_rows);
const struct key_table lingua_keys = KEY_TABLE(lingua_rows);

/* What weights are kept in, and what multiplies. */
enum storage { MIXED, HALF, HALF_FP16, MIXED_FP16, SINGLE };

/* clang-format off */
static const struct {
    const char *name;
    enum storage storage;
} types[] = {
    {"bf16-mixed", MIXED}, {"bf16-true", HALF}, {"16-mixed", MIXED_FP16}, {"16-true", HALF_FP16}, {"32-true", SINGLE},
    {"amp_bf16", MIXED}, {"amp_fp16", MIXED_FP16},
    {"bfloat16", HALF}, {"bf16", HALF}, {"torch.bfloat16", HALF}, {"float16", HALF_FP16}, {"fp16", HALF_FP16}, {"torch.float16", HALF_FP16},
    {"float32", SINGLE}, {"fp32", SINGLE}, {"torch.float32", SINGLE},
};

struct tool {
    const struct key_table *keys;
    const char *words;       /* whatever the file says */
    const char *sharded;     /* where ranks share weights */
    const char *whole;       /* words that this key adds: of litgpt's pretraining */
    const char *whole_words; /* there, where HYBRID_SHARD is the strategy */
    const char *targets;     /* the list of matrices with adapters; NULL: switches say them */
    const char *switches[2]; /* each of its own section, which counts when it is on */
    const char *adapters;    /* adapters where a key begins so; NULL: a switch says it */
    const char *needs;       /* nothing is sharded without this section; "": without being told */
    enum storage unsaid, of_single, of_half;
    bool mixed;              /* adapters' units have frozen weights in them */
    bool wide_adapters;      /* PEFT's: in fp32 but on a base of 4 bits */
    bool clips;              /* a microbatch to what a rank has of the batch */
    uint64_t microbatch, batch; /* where the file has none; batch 0: of the microbatches */
};

static const struct tool
    litgpt = {.keys = &litgpt_keys, .words = "framework=fsdp grad-overlap no-fused qkv-joined loss=narrow",
              .sharded = "weight-overlap flat-units unsynced-grads recompute=full", .whole = "model_name", .whole_words = "fused recompute=none", .adapters = "lora_",
              .of_single = SINGLE, .of_half = HALF, .mixed = true, .microbatch = 1, .batch = 16},
    oumi = {.keys = &oumi_keys, .words = "framework=fsdp grad-overlap no-fused loss=padded", .sharded = "weight-overlap flat-units",
            .targets = "peft.lora_target_modules", .switches = {"deepspeed.enable_deepspeed", "fsdp.enable_fsdp"}, .needs = "", .unsaid = SINGLE, .of_single = SINGLE, .of_half = HALF, .wide_adapters = true, .microbatch = 8},
    automodel = {.keys = &automodel_keys, .words = "framework=fsdp grad-overlap no-fused", .sharded = "weight-overlap unsynced-grads",
                 .targets = "peft.target_modules", .adapters = "peft.", .unsaid = HALF, .of_single = MIXED, .of_half = HALF, .microbatch = 1},
    llm_foundry = {.keys = &llm_foundry_keys, .words = "framework=fsdp grad-overlap loss=narrow", .sharded = "weight-overlap flat-units",
                   .targets = "model.peft_config.target_modules", .adapters = "model.peft_config.", .needs = "fsdp_config.", .of_single = SINGLE, .mixed = true, .clips = true, .microbatch = 1},
    xtuner = {.keys = &xtuner_keys, .words = "framework=fsdp grad-overlap no-fused loss=padded recompute=full", .targets = "model.lora.target_modules", .adapters = "model.lora.", .needs = "",
              .unsaid = MIXED, .of_single = SINGLE, .of_half = HALF, .wide_adapters = true, .microbatch = 1},
    lingua = {.keys = &lingua_keys, .words = "framework=fsdp grad-overlap no-fused loss=wide", .sharded = "weight-overlap keep-gathered",
              .needs = "", .of_single = SINGLE, .microbatch = 1};
/* clang-format on */

struct reading {
    const struct tool *tool;
    const struct config_source *source;
    struct settings settings;
    struct job j;
    const struct rk_model *m;
    struct rk_plan *p;
    struct plan_draft draft;
    struct notes *notes;
    struct rk_error *error;
};

static void assume(const struct reading *r, const char *what, uint64_t value, const char *why)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    notes_add(r->notes, NOTE_ASSUMED, 0, 0, what, text, "%s", why);
}

/* ---- words of the rows ---- */

/* "a=words|b=more": the words of a value. */
static enum rk_status mapped(struct reading *r, const struct setting *s, const char *map,
                             const char **words, size_t *length)
{
    const size_t n = strlen(s->text);
    for (const char *at = map; *at; at += strcspn(at, "|"), at += *at == '|')
        if (strncasecmp(at, s->text, n) == 0 && at[n] == '=') {
            *words = at + n + 1;
            *length = strcspn(*words, "|");
            return RK_OK;
        }
    return settings_fail(&r->settings, s, r->error,
                         "%.60s is not covered: give --ignore %.80s to estimate the run without",
                         s->text, s->key);
}

static enum rk_status put_words(struct reading *r, const char *words, size_t length)
{
    char line[LINE_BYTES];
    snprintf(line, sizeof line, "%.*s", (int)length, words);
    return *line ? plan_read_words(line, &r->draft, r->error) : RK_OK;
}

static enum rk_status put_row(struct reading *r, const struct key *row, const struct setting *s)
{
    const char *words = row->why;
    size_t length = words ? strlen(words) : 0;
    char line[LINE_BYTES];
    const int flag = key_flag(s->text);
    enum rk_status status = RK_OK;
    if (row->use == KEY_MAP)
        status = mapped(r, s, row->words, &words, &length);
    else if (row->use == KEY_VALUE) {
        if (!*s->text || strcasecmp(s->text, "none") == 0) return RK_OK;
        snprintf(line, sizeof line, "%s=%.100s", row->why, s->text);
        if (plan_read_words(line, &r->draft, r->error) == RK_OK) return RK_OK;
        return settings_fail(&r->settings, s, r->error, "%.60s is not a value that it has",
                             s->text);
    } else if (row->use != KEY_ON && row->use != KEY_OFF)
        return RK_OK;
    else if (flag != (row->use == KEY_ON))
        return RK_OK;
    return status == RK_OK ? put_words(r, words, length) : status;
}

/* A section is left alone whose switch is off, as it is unless told. */
static bool is_off(const struct reading *r, const char *key)
{
    const char *const *switches = r->tool->switches;
    for (size_t i = 0; i < sizeof r->tool->switches / sizeof *switches && switches[i]; i++) {
        const struct setting *s = settings_find(&r->settings, switches[i]);
        if (strncmp(key, switches[i], strcspn(switches[i], ".") + 1) == 0)
            return !s || key_flag(s->text) != 1;
    }
    return false;
}

static enum rk_status put_rows(struct reading *r)
{
    const struct key_options *options = &r->source->keys;
    enum rk_status status = RK_OK;
    for (size_t i = 0; i < r->settings.count && status == RK_OK; i++) {
        const struct setting *s = &r->settings.setting[i];
        const struct key *row = key_find(r->tool->keys, s->key);
        if (row && !s->null && !is_off(r, s->key) &&
            !key_ignored(options->ignored, options->ignored_count, s->key, true))
            status = put_row(r, row, s);
    }
    return status;
}

/* ---- ranks and batch ---- */

/* "4", or their numbers "0,1,2,3"; 0: the file leaves it open, as "auto" and "-1" do. */
static uint64_t devices(const struct reading *r)
{
    const char *text = r->j.devices ? r->j.devices : "auto";
    uint64_t count = 0;
    if (!strchr(text, ',')) return *text == '-' ? 0 : strtoull(text, NULL, 10);
    for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
        text += strcspn(text, ", ");
        count++;
    }
    return count;
}

static uint64_t degrees(const struct rk_plan *p)
{
    return p->tensor * p->pipeline * p->context;
}

static enum rk_status count_ranks(struct reading *r)
{
    const struct job *j = &r->j;
    struct rk_plan *p = r->p;
    const uint64_t each = degrees(p), copies = j->copies ? j->copies : 1;
    p->ranks = r->source->gpus;
    if (!p->ranks) p->ranks = j->gpus;
    if (!p->ranks) p->ranks = devices(r) * (j->nodes ? j->nodes : 1);
    if (!p->ranks && j->shard) p->ranks = j->shard * copies * each;
    if (!p->ranks && r->draft.data) p->ranks = r->draft.data * each;
    if (!p->ranks) p->ranks = notes_machine(r->notes, r->source->machine);
    if (!p->ranks)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "the file does not say how many GPUs are used: give --gpus N");
    if (p->ranks > MOST || p->ranks % (each * copies))
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "the degrees' product %" PRIu64 " does not divide the %" PRIu64
                       " GPUs: give another --gpus",
                       each * copies, p->ranks);
    return RK_OK;
}

/* Copies within nodes: of as many ranks as a node has, 8 where nothing says it. */
static void share_in_nodes(struct reading *r)
{
    struct rk_plan *p = r->p;
    const uint64_t node = devices(r) ? devices(r) : NODE,
                   all = p->ranks / (p->tensor * p->pipeline);
    if (r->j.copies > 1)
        p->shard_ranks = all / r->j.copies;
    else if (all > node && all % node == 0) {
        p->shard_ranks = node;
        assume(r, "GPUs of a node", node, "each node has a copy of the weights (HYBRID_SHARD)");
    }
}

static enum rk_status read_sharding(struct reading *r)
{
    static const int stages[] = {3, 2, 3, 2, 0};
    const struct tool *t = r->tool;
    struct rk_plan *p = r->p;
    const bool whole = t->whole && settings_find(&r->settings, t->whole);
    const enum strategy strategy = whole ? HYBRID_SHARD : (enum strategy)r->j.strategy;
    const bool told =
        r->j.sharded || !t->needs || (*t->needs && settings_has(&r->settings, t->needs));
    const bool shards = told && p->ranks / (p->tensor * p->pipeline) > 1;
    if (p->framework != RK_FSDP) return RK_OK; /* its words say it */
    p->zero = shards ? stages[strategy] : 0;
    if (!told && p->ranks > 1)
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "sharding", "none",
                  "the file asks for none: every GPU keeps all weights");
    if (!p->zero) return RK_OK;
    enum rk_status status = put_words(r, t->sharded, strlen(t->sharded));
    if (status == RK_OK && whole) status = put_words(r, t->whole_words, strlen(t->whole_words));
    if (strategy == HYBRID_SHARD || strategy == HYBRID_SHARD_2 || r->j.copies > 1)
        share_in_nodes(r);
    return status;
}

/* What only gathered weights have, whichever key or word has decided that there are none. */
static void drop_gathering(struct rk_plan *p)
{
    if (p->framework != RK_FSDP || p->zero == 3) return;
    p->weight_overlap = p->unsynced_gradients = p->flat_units = p->keep_gathered = false;
    if (!p->zero) p->shard_ranks = 0;
}

static enum rk_status read_batch(struct reading *r)
{
    const struct tool *t = r->tool;
    struct job *j = &r->j;
    struct rk_plan *p = r->p;
    const uint64_t data = rk_plan_data(p);
    if (j->microbatch == UNSAID) {
        j->microbatch = j->local ? j->local : t->microbatch;
        if (!j->local) assume(r, "microbatch", j->microbatch, "the tool's default");
    }
    if (!j->batch && t->batch && j->microbatch) {
        j->batch = t->batch;
        assume(r, "global batch", t->batch, "the tool's default");
    }
    p->microbatch =
        p->pipeline > 1 && j->pipeline_microbatch ? j->pipeline_microbatch : j->microbatch;
    const uint64_t accumulation = j->accumulation ? j->accumulation : 1;
    if (j->microbatch > MOST || accumulation > MOST || j->batch > MOST || !p->microbatch)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "batches must be at least 1, and at most %d", MOST);
    p->batch = j->batch ? j->batch : j->microbatch * accumulation * data;
    if (t->clips && p->batch % data == 0 && p->batch / data < p->microbatch)
        p->microbatch = p->batch / data;
    if (p->batch % (p->microbatch * data))
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "the batch %" PRIu64 " is not a multiple of microbatch %" PRIu64
                       " times %" PRIu64 " data ranks: correct it, or give another --gpus",
                       p->batch, p->microbatch, data);
    return RK_OK;
}

static void read_sequence(struct reading *r)
{
    uint64_t said = r->j.packed_sequence ? r->j.packed_sequence : r->j.sequence;
    r->p->sequence = said == r->m->sequence ? 0 : said;
    if (!said) assume(r, "sequence", r->m->sequence, "the model's: the file has none");
}

/* A stage of so many layers is one of several that a rank has. */
static enum rk_status read_stages(struct reading *r)
{
    struct rk_plan *p = r->p;
    const uint64_t each = r->j.per_stage * p->pipeline;
    if (p->pipeline == 1 || !each) return RK_OK;
    p->chunks = (r->m->layers + each - 1) / each;
    if (p->chunks * p->pipeline <= RK_MAX_CHUNKS && p->chunks * p->pipeline <= r->m->layers)
        return RK_OK;
    return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                   "%" PRIu64 " layers per stage leave no even split of %" PRIu64 " layers",
                   r->j.per_stage, r->m->layers);
}

/* ---- adapters and what is stored ---- */

static enum rk_status read_targets(struct reading *r)
{
    const char *list = r->tool->targets;
    const size_t n = strlen(list);
    unsigned bits = 0;
    for (size_t i = 0; i < r->settings.count && !r->j.all_linear; i++) {
        const struct setting *s = &r->settings.setting[i];
        if (strncmp(s->key, list, n) != 0 || s->null || (s->key[n] && s->key[n] != '.')) continue;
        const char *name = s->text + strspn(s->text, "*.");
        if (!*name || strcmp(name, "_proj") == 0 || strcmp(name, "proj") == 0) return RK_OK;
        if (!trainer_tuning_target(name, strlen(name), &bits))
            return settings_fail(&r->settings, s, r->error,
                                 "%.60s is not a matrix of a block that is known: give --set "
                                 "%.80s=all-linear, or the names",
                                 s->text, s->key);
    }
    r->p->lora_targets = bits;
    return RK_OK;
}

static void read_target_switches(struct reading *r)
{
    const struct job *j = &r->j;
    const unsigned mlp = 1u << RK_TARGET_GATE | 1u << RK_TARGET_UP | 1u << RK_TARGET_DOWN;
    r->p->lora_targets =
        (j->without_q ? 0 : 1u << RK_TARGET_Q) | (j->with_k ? 1u << RK_TARGET_K : 0) |
        (j->without_v ? 0 : 1u << RK_TARGET_V) | (j->with_o ? 1u << RK_TARGET_O : 0) |
        (j->with_mlp ? mlp : 0) | (j->with_head ? 1u << RK_TARGET_HEAD : 0);
}

static bool has_adapters(const struct reading *r)
{
    return r->tool->adapters ? settings_has(&r->settings, r->tool->adapters) : r->j.adapters;
}

/* Of a run without adapters. oumi's peft section is left alone then. */
static enum rk_status read_plain(struct reading *r)
{
    if (r->tool->adapters && (r->j.quantized || r->p->base != RK_BASE_PLAIN))
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "weights of 4 or 8 bits cannot be trained: give adapters (LoRA), or load "
                       "16 bits");
    return RK_OK;
}

static enum rk_status read_adapters(struct reading *r)
{
    struct rk_plan *p = r->p;
    if (!has_adapters(r)) return read_plain(r);
    p->lora = r->j.rank;
    if (p->lora == UNSAID) {
        p->lora = RANK;
        assume(r, "rank of adapters", RANK, "the tool's default: the file has none");
    }
    if (!p->lora)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "adapters of rank 0 train nothing: give a rank of at least 1");
    p->gradient_element_bytes = p->moment1_element_bytes = p->moment2_element_bytes = 0;
    p->lora_dropout = r->j.dropout;
    p->mixed_units = r->tool->mixed && p->zero == 3;
    if (r->j.quantized) p->base = r->j.doubled ? RK_BASE_NF4_DQ : RK_BASE_NF4;
    if (r->tool->targets) return read_targets(r);
    read_target_switches(r);
    return RK_OK;
}

/* 2 bytes of whatever no word gives a width. */
static void keep_half(struct rk_plan *p)
{
    double *const widths[] = {&p->weight_element_bytes, &p->gradient_element_bytes,
                              &p->moment1_element_bytes, &p->moment2_element_bytes};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (*widths[i] == 0) *widths[i] = 2;
}

/* Next to mixed precision FSDP keeps what is trained in fp32 (accelerate); weights that are loaded
 * in fp32 stay so anywhere, frozen ones too. */
static enum storage mixed_of(const struct reading *r, enum storage storage)
{
    const bool single = storage == SINGLE, half = r->j.mixed == MIXED_HALF;
    struct rk_plan *p = r->p;
    if (!r->j.mixed) return storage;
    if (single && p->lora && p->base == RK_BASE_PLAIN && p->framework == RK_FSDP)
        p->weight_element_bytes = 4;
    if (single || (p->zero && !p->lora)) return half ? MIXED_FP16 : MIXED;
    return half ? HALF_FP16 : HALF;
}

static enum rk_status read_type(struct reading *r)
{
    const struct tool *t = r->tool;
    const char *name = r->j.type;
    struct rk_plan *p = r->p;
    enum storage storage = t->unsaid;
    bool known = !name || strcmp(name, "auto") == 0;
    for (size_t i = 0; !known && i < sizeof types / sizeof *types; i++) {
        known = strcmp(types[i].name, name) == 0;
        storage = types[i].storage == SINGLE ? t->of_single
                  : types[i].storage == HALF ? t->of_half
                                             : types[i].storage;
    }
    if (!known)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "%.60s is not a type of weights that is known", name);
    storage = mixed_of(r, storage);
    const bool half = storage == HALF || storage == HALF_FP16;
    if (p->precision == RK_BF16)
        p->precision = storage == SINGLE                               ? RK_FP32
                       : storage == HALF_FP16 || storage == MIXED_FP16 ? RK_FP16
                                                                       : RK_BF16;
    if (half && p->lora)
        p->lora_element_bytes = r->tool->wide_adapters && p->base == RK_BASE_PLAIN ? 4 : 2;
    else if (half && p->framework == RK_FSDP) /* DeepSpeed keeps masters in fp32 */
        keep_half(p);
    p->autocast = !half && storage != SINGLE && p->zero != 3 && p->framework == RK_FSDP;
    if (!name)
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "type of weights", half ? "16 bits" : "fp32",
                  "the tool's default, or the checkpoint's");
    return RK_OK;
}

/* ---- all of it ---- */

static enum rk_status interpret(struct reading *r)
{
    r->draft = plan_draft();
    r->p = &r->draft.plan;
    enum rk_status status = put_words(r, r->tool->words, strlen(r->tool->words));
    struct reading first = *r;
    if (status == RK_OK) { /* degrees and framework, before what follows from them */
        first.p = &first.draft.plan;
        status = put_rows(&first);
    }
    if (status != RK_OK) return status;
    r->draft = first.draft;
    if (status == RK_OK) status = count_ranks(r);
    if (status == RK_OK) status = read_sharding(r);
    if (status == RK_OK) status = put_rows(r); /* win over the tool's */
    drop_gathering(r->p);
    if (status == RK_OK) status = count_ranks(r);
    if (status == RK_OK) status = read_batch(r);
    if (status == RK_OK) status = read_stages(r);
    if (status == RK_OK) status = read_adapters(r);
    if (status == RK_OK) status = read_type(r);
    if (status != RK_OK) return status;
    read_sequence(r);
    trainer_tuning_refer(r->p, r->notes);
    if (r->p->expert > 1) r->p->expert_tensor = 1;
    r->p->foreach_step &= !r->j.unfused_step;
    return RK_OK;
}

static enum rk_status read(const struct tool *tool, const struct config_source *source,
                           const struct rk_model *model, struct rk_plan *plan, struct notes *notes,
                           struct rk_error *error)
{
    struct reading r = {.tool = tool,
                        .source = source,
                        .m = model,
                        .notes = notes,
                        .error = error,
                        .j = {.rank = UNSAID, .microbatch = UNSAID}};
    enum rk_status status = source_settings(source, &r.settings, error);
    if (status == RK_OK)
        status = keys_read(&r.settings, tool->keys, &source->keys, &r.j, notes, error);
    if (status == RK_OK) status = interpret(&r);
    if (status == RK_OK) *plan = *r.p;
    settings_release(&r.settings);
    return status;
}

#define READER(tool)                                                                               \
    enum rk_status tool##_read(const struct config_source *source, struct rk_model *model,         \
                               struct rk_plan *plan, struct notes *notes, struct rk_error *error)  \
    {                                                                                              \
        return read(&tool, source, model, plan, notes, error);                                     \
    }
READER(litgpt)
READER(oumi)
READER(automodel)
READER(llm_foundry)
READER(xtuner)
READER(lingua)
