/* config_words.c - configurations that describe model and run as Megatron-LM's arguments do, under
 * their own names: GPT-NeoX, nanotron, NeMo, Megatron-Bridge.
 *
 * Keys: gpt-neox' megatron/neox_arguments, nanotron's config/config.py and models_config.py, NeMo's
 * megatron_gpt_config.yaml, Megatron-Bridge's training/config.py. */
#include "megatron/config_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* clang-format off */
static const struct key neox_rows[] = {
#include "tables/gpt-neox-plan.h"
#include "tables/gpt-neox.h"
};

static const struct key nanotron_rows[] = {
#include "tables/nanotron.h"
};

static const struct key nemo_rows[] = {
    VALUE("model.recompute_modules.*", NULL), VALUE("model.cuda_graph_scope.*", NULL),
#include "tables/nemo.h"
};
/* clang-format on */

const struct key_table gpt_neox_keys = KEY_TABLE(neox_rows);
const struct key_table nanotron_keys = KEY_TABLE(nanotron_rows);
const struct key_table nemo_keys = KEY_TABLE(nemo_rows);
const struct key_table bridge_recipe_keys = KEY_TABLE(nemo_rows);

/* ---- lists of words ---- */

void words_put(struct list *l, const char *text, size_t length, const struct setting *at)
{
    if (l->count == MOST_WORDS || l->used + length + 1 > sizeof l->text) {
        l->full = true;
        return;
    }
    char *copy = l->text + l->used;
    memcpy(copy, text, length);
    copy[length] = '\0';
    l->used += length + 1;
    l->word[l->count++] =
        (struct shell_word){.text = copy, .place = {at ? at->line : 0, at ? at->column : 0}};
}

static void words_put_all(struct list *l, const char *text, size_t length, const struct setting *at)
{
    while (length) {
        const char *blank = memchr(text, ' ', length);
        const size_t n = blank ? (size_t)(blank - text) : length;
        if (n) words_put(l, text, n, at);
        text += n + (blank != NULL);
        length -= n + (blank != NULL);
    }
}

void words_format(struct list *l, const char *format, ...)
{
    char text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    words_put_all(l, text, strlen(text), NULL);
}

/* "silu=--swiglu|gelu=" as "silu, gelu". */
static void mapped_names(const char *words, char *names, size_t size)
{
    size_t used = 0;
    *names = '\0';
    for (const char *p = words; *p && used < size; p += strcspn(p, "|"), p += *p == '|')
        used += (size_t)snprintf(names + used, size - used, "%s%.*s", used ? ", " : "",
                                 (int)strcspn(p, "="), p);
}

/* "silu=--swiglu|gelu=": what the value stands for. */
static enum rk_status put_mapped(struct list *l, const struct key *row, const struct setting *s)
{
    const size_t n = strlen(s->text);
    for (const char *p = row->words; *p;) {
        const size_t length = strcspn(p, "|");
        if (strncasecmp(p, s->text, n) == 0 && p[n] == '=') {
            words_put_all(l, p + n + 1, length - n - 1, s);
            return RK_OK;
        }
        p += length + (p[length] == '|');
    }
    char names[160];
    mapped_names(row->words, names, sizeof names);
    return settings_fail(l->settings, s, l->error,
                         "%.60s is not covered: give --set %.80s=VALUE, one of %s, to estimate the "
                         "run with it",
                         s->text, s->key, names);
}

enum rk_status words_row(struct list *l, const struct key *row, const struct setting *s)
{
    const int flag = key_flag(s->text);
    if (s->null) return RK_OK;
    if (row->use == KEY_MAP) return put_mapped(l, row, s);
    if (row->use == KEY_ON || row->use == KEY_OFF) {
        if (flag == (row->use == KEY_ON)) words_put_all(l, row->why, strlen(row->why), s);
        return RK_OK;
    }
    if (row->use != KEY_VALUE || (row->why && !*row->why)) return RK_OK;
    if (row->why) words_put(l, row->why, strlen(row->why), s); /* NULL: continues with a list */
    words_put(l, s->text, strlen(s->text), s);
    return RK_OK;
}

static enum rk_status put_rows(struct list *l, const struct key_table *table)
{
    enum rk_status status = RK_OK;
    for (size_t i = 0; status == RK_OK && i < l->settings->count; i++) {
        const struct setting *s = &l->settings->setting[i];
        const struct key *row = key_find(table, s->key);
        if (row) status = words_row(l, row, s);
    }
    return status;
}

/* ---- the end of all of them ---- */

static void put_degrees(struct list *l, const struct run *run, uint64_t *gpus)
{
    const uint64_t t = run->tensor ? run->tensor : 1, p = run->pipeline ? run->pipeline : 1;
    const uint64_t c = run->context ? run->context : 1, model = t * p * c;
    words_format(l,
                 "--tensor-model-parallel-size %" PRIu64 " --pipeline-model-parallel-size %" PRIu64
                 " --context-parallel-size %" PRIu64,
                 t, p, c);
    if (run->microbatch) words_format(l, "--micro-batch-size %" PRIu64, run->microbatch);
    if (!*gpus && run->gpus) *gpus = run->gpus;
    if (!*gpus && run->nodes && run->devices) *gpus = run->nodes * run->devices;
    if (!*gpus && run->data) *gpus = run->data * model;
    if (!*gpus) *gpus = notes_machine(l->notes, l->source->machine);
    uint64_t batch = run->batch;
    if (!batch && *gpus && model && *gpus % model == 0)
        batch = *gpus / model * run->microbatch * (run->accumulation ? run->accumulation : 1);
    if (batch) words_format(l, "--global-batch-size %" PRIu64, batch);
}

enum rk_status words_finish(struct list *l, const char *tool, uint64_t gpus,
                            struct megatron_import *import)
{
    const struct megatron_options options = {.gpus = gpus,
                                             .machine = l->source->machine,
                                             .vocabulary = l->source->vocabulary,
                                             .ignored = l->source->keys.ignored,
                                             .ignored_count = l->source->keys.ignored_count};
    if (l->full)
        return rk_fail(l->error, RK_BAD_INPUT, l->settings->path, 0, 0, "has too many keys");
    return megatron_read_list(l->settings->path, tool, strcmp(tool, "GPT-NeoX") == 0, l->word,
                              l->count, &options, import, l->error);
}

enum rk_status words_read(const struct config_source *source, const struct key_table *table,
                          words_interpreter *interpret, struct rk_model *model,
                          struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    struct words_reading *r = calloc(1, sizeof *r);
    if (!r) return rk_fail(error, RK_NO_MEMORY, source->path, 0, 0, "out of memory");
    enum rk_status status = settings_read(&r->settings, source->path, source->text, source->sets,
                                          source->set_count, error);
    settings_underscore(&r->settings); /* "pipe-parallel-size" is "pipe_parallel_size" */
    r->list.source = source;
    r->list.settings = &r->settings;
    r->list.notes = notes;
    r->list.error = error;
    const bool read = status == RK_OK;
    if (read) status = keys_read(&r->settings, table, &source->keys, &r->run, notes, error);
    if (read) { /* errors of arguments are reported in addition to those of keys */
        struct rk_error later;
        r->list.error = status == RK_OK ? error : &later;
        const enum rk_status second = interpret(r, source, r->list.error);
        if (status == RK_OK) status = second;
        for (int i = 0; i < r->import.notes.count && notes->count < NOTES_MAX; i++)
            notes->note[notes->count++] = r->import.notes.note[i];
    }
    if (status == RK_OK) {
        *model = r->import.model;
        *plan = r->import.plan;
    }
    settings_release(&r->settings);
    free(r);
    return status;
}

/* ---- GPT-NeoX ---- */

/* The width inside the MLP. Of a gated one two thirds, of which one half each for gate and value,
 * so that a gate costs nothing (ParallelMLP of megatron/model/transformer.py, since 2024); the MLP
 * of `mlp_type: llama`, before that, took the width as it is, and without one 8/3 of the hidden
 * size, to a multiple of 256 (LLaMAParallelMLP). */
static void put_neox_width(struct words_reading *r)
{
    const struct setting *activation = settings_find(&r->settings, "activation");
    const struct setting *hidden = settings_find(&r->settings, "hidden_size");
    const bool glu = activation && strstr(activation->text, "glu");
    const bool gated = glu && !settings_find(&r->settings, "mlp_type");
    const struct setting *type = settings_find(&r->settings, "mlp_type");
    const bool thirds = type && !r->run.width && !(r->run.expansion > 0) &&
                        (strcmp(type->text, "llama") == 0 || strcmp(type->text, "gated") == 0);
    const uint64_t h = hidden ? strtoull(hidden->text, NULL, 10) : 0;
    const uint64_t multiple = r->run.multiple ? r->run.multiple : thirds ? 256 : 1;
    const uint64_t all = r->run.width           ? r->run.width
                         : r->run.expansion > 0 ? (uint64_t)(r->run.expansion * (double)h)
                         : thirds               ? 8 * h / 3
                                                : 4 * h;
    const uint64_t one = gated ? all * 2 / 3 / 2 : all;
    if (!gated && !thirds && !r->run.width && !(r->run.expansion > 0)) return; /* 4 h */
    const uint64_t width = multiple * ((one + multiple - 1) / multiple);
    words_format(&r->list, "--ffn-hidden-size %" PRIu64, width);
    if (!gated) return;
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, width);
    notes_add(
        &r->import.notes, NOTE_ASSUMED, 0, 0, "intermediate_size", text,
        "a gated MLP has a third of it for gate and for value, as GPT-NeoX has it since 2024");
}

/* "[[["flash"], 32]]": the kinds of layers; only those that attend to all tokens are covered. */
static enum rk_status check_neox_layers(const struct words_reading *r, struct rk_error *error)
{
    for (size_t i = 0; i < r->settings.count; i++) {
        const struct setting *s = &r->settings.setting[i];
        const bool kind = strncmp(s->key, "attention_config", 16) == 0;
        const bool number = strspn(s->text, "0123456789") == strlen(s->text);
        if (!kind || number || s->null || strcmp(s->text, "all") == 0 ||
            strcmp(s->text, "global") == 0 || strcmp(s->text, "flash") == 0)
            continue;
        return settings_fail(&r->settings, s, error,
                             "layers of this kind, which plans do not cover");
    }
    return RK_OK;
}

/* "silu" is the activation of a gate (mlp_type llama or gated); alone models do not describe it. */
static enum rk_status check_neox_gate(const struct words_reading *r, struct rk_error *error)
{
    const struct setting *activation = settings_find(&r->settings, "activation");
    const struct setting *type = settings_find(&r->settings, "mlp_type");
    const bool gated =
        type && (strcmp(type->text, "llama") == 0 || strcmp(type->text, "gated") == 0);
    if (!activation || gated || strcmp(activation->text, "silu") != 0) return RK_OK;
    return settings_fail(&r->settings, activation, error,
                         "is not covered without a gate: give swiglu, or mlp_type: gated");
}

/* One file of several has not all of it: all that is missing, at once. */
static enum rk_status need_neox(const struct words_reading *r, const struct config_source *source,
                                struct rk_error *error)
{
    static const char *const names[] = {"num_layers", "hidden_size", "num_attention_heads",
                                        "seq_length", "train_micro_batch_size_per_gpu"};
    enum { NAMES = sizeof names / sizeof *names };
    char sets[256] = "";
    size_t used = 0;
    int missing = 0;
    const char *first = NULL;
    for (int i = 0; i < NAMES; i++) {
        if (i + 1 < NAMES ? settings_find(&r->settings, names[i]) != NULL : r->run.microbatch)
            continue;
        if (!missing++) first = names[i];
        used += (size_t)snprintf(sets + used, sizeof sets - used, " --set %s=VALUE", names[i]);
    }
    if (!missing) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, r->settings.path, 0, 0,
                   "%s is not in this file: give the files of the run merged into one, or%s%s%s",
                   first, sets, source->vocabulary ? "" : " --vocabulary N",
                   source->gpus || r->run.gpus ? "" : " --gpus N");
}

static enum rk_status interpret_neox(struct words_reading *r, const struct config_source *source,
                                     struct rk_error *error)
{
    uint64_t gpus = source->gpus;
    enum rk_status status = put_rows(&r->list, &gpt_neox_keys);
    const struct setting *fp16 = settings_find(&r->settings, "fp16.enabled");
    const struct setting *type = settings_find(&r->settings, "fp16.type");
    if (status == RK_OK) status = check_neox_layers(r, error);
    if (status == RK_OK) status = check_neox_gate(r, error);
    if (status == RK_OK) status = need_neox(r, source, error);
    if (!r->run.pipeline) r->run.pipeline = 1; /* 0: no pipeline module */
    put_neox_width(r);
    if (!settings_find(&r->settings, "attention_dropout"))
        words_format(&r->list, "--attention-dropout 0"); /* unlike Megatron-LM's 0.1 */
    if (!settings_find(&r->settings, "hidden_dropout"))
        words_format(&r->list, "--hidden-dropout 0");
    if (fp16 && key_flag(fp16->text) == 1 && !settings_find(&r->settings, "precision"))
        words_format(&r->list, type && strcmp(type->text, "bfloat16") == 0 ? "--bf16" : "--fp16");
    put_degrees(&r->list, &r->run, &gpus);
    words_format(&r->list, "--deepspeed --zero-stage %d", r->run.zero);
    if (r->run.checkpointing)
        words_format(&r->list, "--checkpoint-activations --checkpoint-num-layers %" PRIu64,
                     r->run.every ? r->run.every : 1);
    const struct setting *flash = settings_find(&r->settings, "attention_config.0.0.0");
    if (flash && strncmp(flash->text, "flash", 5) == 0) words_format(&r->list, "--use-flash-attn");
    if (status == RK_OK) status = words_finish(&r->list, "GPT-NeoX", gpus, &r->import);
    r->import.model.parallel_block = r->run.parallel; /* attention and MLP in parallel */
    r->import.plan.share[RK_SHARE_OPTIMIZER][0] =
        r->run.zero && (r->run.host_optimizer || r->run.cpu_offload);
    r->import.plan.share[RK_SHARE_WEIGHTS][0] = r->run.zero == 3 && r->run.host_weights;
    return status;
}

enum rk_status gpt_neox_read(const struct config_source *source, struct rk_model *model,
                             struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    return words_read(source, &gpt_neox_keys, interpret_neox, model, plan, notes, error);
}

/* ---- nanotron ---- */

static enum rk_status interpret_nanotron(struct words_reading *r,
                                         const struct config_source *source, struct rk_error *error)
{
    uint64_t gpus = source->gpus;
    enum rk_status status = put_rows(&r->list, &nanotron_keys);
    put_degrees(&r->list, &r->run, &gpus);
    words_format(&r->list,
                 "--normalization RMSNorm --disable-bias-linear --position-embedding-type "
                 "rope --attention-dropout 0 --hidden-dropout 0 --transformer-impl local "
                 "--use-flash-attn");
    if (r->run.zero) words_format(&r->list, "--use-distributed-optimizer");
    if (r->run.checkpointing)
        words_format(&r->list, "--recompute-granularity full --recompute-method uniform "
                               "--recompute-num-layers 1");
    else if (r->run.moe_checkpointing)
        words_format(&r->list, "--moe-layer-recompute");
    const struct setting *act = settings_find(&r->settings, "model.model_config.hidden_act");
    const struct setting *engine = settings_find(&r->settings, "parallelism.pp_engine");
    const struct setting *multiple =
        settings_find(&r->settings, "model.make_vocab_size_divisible_by");
    if (!act) words_format(&r->list, "--swiglu");
    if (!settings_find(&r->settings, "model.model_config.tie_word_embeddings"))
        words_format(&r->list, "--untie-embeddings-and-output-weights"); /* LlamaConfig */
    if (!settings_find(&r->settings, "model.dtype")) { /* ModelArgs.__post_init__ */
        words_format(&r->list, "--bf16");
        notes_add(r->list.notes, NOTE_ASSUMED, 0, 0, "model.dtype", "bfloat16",
                  "nanotron's default");
    }
    if (!multiple) words_format(&r->list, "--make-vocab-size-divisible-by 1");
    if (status == RK_OK) status = words_finish(&r->list, "nanotron", gpus, &r->import);
    if (r->run.pipeline > 1 && (!engine || strcasecmp(engine->text, "afab") == 0))
        r->import.plan.schedule = RK_GPIPE; /* all forward, all backward */
    if (r->import.plan.tensor == 1) r->import.plan.tensor_overlap = RK_OVERLAP_NONE;
    (void)error;
    return status;
}

enum rk_status nanotron_read(const struct config_source *source, struct rk_model *model,
                             struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    return words_read(source, &nanotron_keys, interpret_nanotron, model, plan, notes, error);
}

/* ---- NeMo ---- */

/* A file of overrides, or one whose model is in the checkpoint that it names. */
static enum rk_status fail_without_model(const struct words_reading *r, struct rk_error *error)
{
    const bool restores = settings_find(&r->settings, "model.restore_from_path") ||
                          settings_find(&r->settings, "model.language_model_path");
    return rk_fail(error, RK_BAD_INPUT, r->settings.path, 0, 0, "model.num_layers is missing: %s",
                   restores
                       ? "the model is in the checkpoint that the file names: give --set "
                         "model.num_layers=N --set model.hidden_size=N --set "
                         "model.num_attention_heads=N --set model.ffn_hidden_size=N --set "
                         "model.encoder_seq_length=N and what else shapes it"
                       : "a file that only overrides a recipe does not say the model: give the "
                         "recipe to reckon import bridge-recipe, and what this file overrides "
                         "with --set");
}

static enum rk_status interpret_nemo(struct words_reading *r, const struct config_source *source,
                                     struct rk_error *error)
{
    uint64_t gpus = source->gpus;
    if (!settings_find(&r->settings, "model.num_layers")) return fail_without_model(r, error);
    enum rk_status status = put_rows(&r->list, &nemo_keys);
    put_degrees(&r->list, &r->run, &gpus);
    if (status == RK_OK) status = words_finish(&r->list, "NeMo", gpus, &r->import);
    r->import.model.parallel_block = r->run.parallel;
    return status;
}

enum rk_status nemo_read(const struct config_source *source, struct rk_model *model,
                         struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    return words_read(source, &nemo_keys, interpret_nemo, model, plan, notes, error);
}
