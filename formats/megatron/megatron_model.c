/* megatron_model.c - the shape of the model that the arguments make. */
#include "base/text.h"
#include "keys/model_numbers.h"
#include "keys/model_period.h"
#include "keys/tokenizers.h"
#include "megatron/megatron_args.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FLAG(name)          MEGATRON_##name##_FLAG
#define HAS(name)           megatron_has(args, FLAG(name))
#define HAS_FLAG(flag)      megatron_has(args, flag)
#define COUNT(name, preset) megatron_count(args, FLAG(name), preset)

static void assume(const struct megatron_args *args, enum megatron_flag flag, uint64_t value,
                   const char *why)
{
    char text[32];
    if (args->value[flag].given) return;
    snprintf(text, sizeof text, "%" PRIu64, value);
    megatron_note(args, NOTE_ASSUMED, flag, text, "%s", why);
}

/* ---- sizes ---- */

static enum rk_status need(const struct megatron_args *args, enum megatron_flag flag,
                           uint64_t value)
{
    if (value) return RK_OK;
    if (!args->value[flag].given && *args->left_out)
        return megatron_args_break(args, "1.missing", NULL,
                                   "--%s is missing, and $%s is not set, which may have it: give "
                                   "--set %s=ARGUMENTS, as the caller of this script has them",
                                   megatron_flags[flag].name, args->left_out, args->left_out);
    return megatron_args_break(args, args->value[flag].given ? "1.value" : "1.missing",
                               args->value[flag].word, "--%s is %s: give it, Megatron-LM needs it",
                               megatron_flags[flag].name,
                               args->value[flag].given ? "0" : "missing");
}

static enum rk_status read_sizes(const struct megatron_args *args, struct rk_model *m)
{
    m->layers = COUNT(NUM_LAYERS, COUNT(ENCODER_NUM_LAYERS, 0));
    m->hidden = COUNT(HIDDEN_SIZE, 0);
    m->heads = COUNT(NUM_ATTENTION_HEADS, 0);
    m->sequence = COUNT(SEQ_LENGTH, COUNT(ENCODER_SEQ_LENGTH, 0));
    enum rk_status status = need(args, FLAG(NUM_LAYERS), m->layers);
    if (status == RK_OK) status = need(args, FLAG(HIDDEN_SIZE), m->hidden);
    if (status == RK_OK) status = need(args, FLAG(NUM_ATTENTION_HEADS), m->heads);
    if (status == RK_OK) status = need(args, FLAG(SEQ_LENGTH), m->sequence);
    if (status != RK_OK) return status;
    m->feedforward = COUNT(FFN_HIDDEN_SIZE, 0);
    if (!m->feedforward) {
        m->feedforward = HAS(SWIGLU) ? 4 * m->hidden * 2 / 3 / 64 * 64 : 4 * m->hidden;
        assume(args, FLAG(FFN_HIDDEN_SIZE), m->feedforward,
               HAS(SWIGLU) ? "not given: 8/3 of the hidden size with --swiglu, to a multiple of 64"
                           : "not given: 4 times the hidden size");
    }
    return need(args, FLAG(FFN_HIDDEN_SIZE), m->feedforward);
}

static enum rk_status read_heads(const struct megatron_args *args, struct rk_model *m)
{
    m->head_dim = COUNT(KV_CHANNELS, 0);
    if (!m->head_dim && m->hidden % m->heads)
        return megatron_args_break(args, "1.value", args->value[FLAG(NUM_ATTENTION_HEADS)].word,
                                   "%" PRIu64 " heads do not divide the hidden size %" PRIu64
                                   ": correct one of them, or give --kv-channels",
                                   m->heads, m->hidden);
    if (!m->head_dim) {
        m->head_dim = m->hidden / m->heads;
        if (!HAS(MLA)) assume(args, FLAG(KV_CHANNELS), m->head_dim, "not given: hidden / heads");
    }
    if (HAS(NUM_KV_HEADS) || megatron_is(args, FLAG(HEAD_TYPE), "multiquery")) {
        const uint64_t groups = HAS(NUM_KV_HEADS) ? COUNT(NUM_KV_HEADS, 1) : 1;
        if (!groups || m->heads % groups)
            return megatron_args_break(args, "1.value", args->value[FLAG(NUM_KV_HEADS)].word,
                                       "--num-key-value-heads: must divide the %" PRIu64 " heads",
                                       m->heads);
        m->kv_heads = groups == m->heads ? 0 : groups;
        return RK_OK;
    }
    if (!HAS(GROUP_QUERY_ATTENTION)) {
        if (HAS(NUM_QUERY_GROUPS) && COUNT(NUM_QUERY_GROUPS, 1) != m->heads)
            megatron_note(args, NOTE_WARNING, FLAG(NUM_QUERY_GROUPS), "",
                          "is not followed by Megatron-LM without --group-query-attention");
        return RK_OK;
    }
    if (HAS(MLA)) return RK_OK; /* refused by the checks */
    const uint64_t groups = COUNT(NUM_QUERY_GROUPS, args->until < 16 ? 1 : m->heads);
    assume(args, FLAG(NUM_QUERY_GROUPS), groups, "not given, with --group-query-attention");
    if (!groups || m->heads % groups)
        return megatron_args_break(args, "1.value", args->value[FLAG(NUM_QUERY_GROUPS)].word,
                                   "--num-query-groups: must divide the %" PRIu64 " heads",
                                   m->heads);
    m->kv_heads = groups == m->heads ? 0 : groups;
    return RK_OK;
}

static void read_latent(const struct megatron_args *args, struct rk_model *m)
{
    if (!HAS(MLA)) return;
    m->q_rank = COUNT(Q_LORA_RANK, 0);
    m->kv_rank = COUNT(KV_LORA_RANK, 32);
    m->head_dim = COUNT(QK_HEAD_DIM, 128);
    m->rope_dim = COUNT(QK_POS_HEAD_DIM, 64);
    m->value_dim = COUNT(V_HEAD_DIM, 128);
    assume(args, FLAG(KV_LORA_RANK), 32, "Megatron-LM's default");
    assume(args, FLAG(QK_HEAD_DIM), 128, "Megatron-LM's default");
    assume(args, FLAG(QK_POS_HEAD_DIM), 64, "Megatron-LM's default");
    assume(args, FLAG(V_HEAD_DIM), 128, "Megatron-LM's default");
    assume(args, FLAG(Q_LORA_RANK), 0, "not given: queries are not compressed");
    if (!HAS(QK_LAYERNORM))
        megatron_note(
            args, NOTE_WARNING, FLAG(MLA), "",
            "the norms of the latent vectors are counted, which only --qk-layernorm makes");
}

static enum rk_status check_latent(const struct megatron_args *args, const struct rk_model *m)
{
    if (!HAS(MLA)) return RK_OK;
    enum rk_status status = need(args, FLAG(KV_LORA_RANK), m->kv_rank);
    if (status == RK_OK) status = need(args, FLAG(QK_HEAD_DIM), m->head_dim);
    if (status == RK_OK) status = need(args, FLAG(QK_POS_HEAD_DIM), m->rope_dim);
    if (status == RK_OK) status = need(args, FLAG(V_HEAD_DIM), m->value_dim);
    return status;
}

/* ---- kinds ---- */

static void read_position(const struct megatron_args *args, struct rk_model *m)
{
    const char *type = HAS(USE_ROTARY) ? "rope" : megatron_text(args, FLAG(POSITION_TYPE));
    m->position = RK_POSITION_ROPE;
    if (!*type) {
        m->position = RK_POSITION_LEARNED;
        megatron_note(args, NOTE_ASSUMED, FLAG(POSITION_TYPE), "learned_absolute",
                      "Megatron-LM's default");
    } else if (strcmp(type, "learned_absolute") == 0 || strcmp(type, "absolute") == 0) {
        m->position = RK_POSITION_LEARNED;
    } else if (strcmp(type, "alibi") == 0) {
        m->position = RK_POSITION_ALIBI;
    } else if (strcmp(type, "relative") == 0) {
        m->position = RK_POSITION_RELATIVE;
    } else if (strcmp(type, "none") == 0) {
        megatron_note(args, NOTE_WARNING, FLAG(POSITION_TYPE), "none",
                      "is estimated as rope, which has no parameters either");
    }
    const uint64_t rows = COUNT(MAX_POSITIONS, m->sequence);
    if (m->position == RK_POSITION_LEARNED && rows != m->sequence) m->position_rows = rows;
}

static void read_kinds(const struct megatron_args *args, struct rk_model *m)
{
    const bool swish = HAS(SWIGLU) || megatron_is(args, FLAG(GLU), "swiglu");
    m->gated_mlp = swish || HAS(QUICK_GEGLU) || HAS(GEGLU) || HAS(GELU_TANH) || HAS(GLU);
    m->activation = swish ? RK_SILU : HAS(SQUARED_RELU) ? RK_SQUARED_RELU : RK_GELU;
    if (megatron_is(args, FLAG(GLU), "reglu")) m->activation = RK_RELU;
    if (megatron_is(args, FLAG(GLU), "liglu"))
        megatron_note(args, NOTE_WARNING, FLAG(GLU), "liglu", "is estimated as a gate of GELU");
    m->embedding_norm = HAS(EMBED_NORM);
    m->block_norms = HAS(POST_NORM) ? 4 : 0;
    m->attention_cap = megatron_number(args, FLAG(ATTENTION_CAP), 0) > 0;
    m->logit_cap = megatron_number(args, FLAG(LOGIT_CAP), 0) > 0;
    if (HAS(SOME_WINDOWS)) { /* as in Gemma 2: one layer in two */
        m->window = COUNT(SOME_WINDOWS, 0);
        m->window_every = 2;
    }
    m->norm = megatron_is(args, FLAG(NORMALIZATION), "RMSNorm") || HAS(RMS_NORM) ? RK_RMS_NORM
                                                                                 : RK_LAYER_NORM;
    m->biases = args->tool == MEGATRON_LLM ? HAS(USE_BIAS) : !HAS(DISABLE_BIAS_LINEAR);
    m->qkv_biases = HAS(ADD_QKV_BIAS) && !m->biases && !HAS(MLA);
    m->qk_norm = HAS(QK_LAYERNORM) && !HAS(MLA);
    m->tied_embeddings = !HAS(UNTIE);
    m->count_embeddings = true;
    m->no_dropout = megatron_number(args, FLAG(ATTENTION_DROPOUT), 0.1) <= 0 &&
                    megatron_number(args, FLAG(HIDDEN_DROPOUT), 0.1) <= 0;
    m->predict_layers = COUNT(MTP_NUM_LAYERS, 0);
    read_position(args, m);
    if (!HAS(NORMALIZATION))
        megatron_note(args, NOTE_ASSUMED, FLAG(NORMALIZATION), "LayerNorm",
                      "Megatron-LM's default");
    if (m->biases)
        megatron_note(args, NOTE_ASSUMED, FLAG(DISABLE_BIAS_LINEAR), "no",
                      "linear layers have biases, as is Megatron-LM's default");
    if (!HAS(UNTIE))
        megatron_note(args, NOTE_ASSUMED, FLAG(UNTIE), "no",
                      "the head shares the embedding's weights, as is Megatron-LM's default");
    if (!HAS(ATTENTION_DROPOUT) || !HAS(HIDDEN_DROPOUT))
        megatron_note(args, NOTE_ASSUMED,
                      HAS(ATTENTION_DROPOUT) ? FLAG(HIDDEN_DROPOUT) : FLAG(ATTENTION_DROPOUT),
                      "0.1", "not given: Megatron-LM's default, so that dropout is estimated");
}

/* "(4095,0)": the token itself and this number before it. */
static enum rk_status read_window(const struct megatron_args *args, struct rk_model *m)
{
    const char *text = megatron_text(args, FLAG(WINDOW_SIZE));
    char *end;
    if (!*text) return RK_OK;
    const char *number = text + strspn(text, "( ");
    const long before = strtol(number, &end, 10);
    if (end == number || before < -1 || before > 1000000000)
        return megatron_args_break(args, "1.value", args->value[FLAG(WINDOW_SIZE)].word,
                                   "--window-size: must be two numbers such as 4095,0");
    m->window = before < 0 ? 0 : (uint64_t)before + 1;
    const char *skip = megatron_text(args, FLAG(WINDOW_SKIP));
    if (!*skip || !m->window) return RK_OK;
    m->window_every = strtoul(skip, &end, 10);
    if (!*end && m->window_every) return RK_OK;
    return megatron_args_fail(
        args, args->value[FLAG(WINDOW_SKIP)].word,
        "--window-attn-skip-freq: only a number N is followed: every Nth layer sees all tokens");
}

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
    uint64_t x = a, y = b;
    while (y) {
        const uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

const char *megatron_multiple(const struct megatron_args *args, char *text)
{
    const uint64_t tensor = COUNT(TP, 1), context = COUNT(CP, 1), pipeline = COUNT(PP, 1),
                   expert = COUNT(EP, 1), of_experts = COUNT(ETP, tensor);
    const bool small = tensor < 4096 && context < 4096 && pipeline < 4096 && expert < 4096 &&
                       of_experts < 4096 && tensor && context && pipeline && expert && of_experts;
    const bool mixture =
        small && expert > 1 && (args->tool == MEGATRON_CORE || args->tool == MEGATRON_DEEPSPEED);
    const uint64_t gpus =
        !small ? 1
               : pipeline * common_multiple(tensor * context, mixture ? expert * of_experts : 1);
    *text = '\0';
    if (gpus > 1) snprintf(text, MEGATRON_WHY, " (a multiple of %" PRIu64 ")", gpus);
    return text;
}

/* ---- vocabulary ---- */

/* Does --tokenizer-model name a model of its own ("llm-jp-tokenizer-100k.model"), whose length the
 * class does not tell, rather than that of Llama ("tokenizer.model")? */
static bool names_own_tokenizer(const struct megatron_args *args, const char *type)
{
    const struct shell_word *word = args->value[FLAG(TOKENIZER_MODEL)].word;
    if (!HAS(TOKENIZER_MODEL) || word->unknown || word->maybe || !strcasestr(type, "llama"))
        return false;
    const char *slash = strrchr(word->text, '/'), *name = slash ? slash + 1 : word->text;
    return text_ends_in(name, ".model") && strncmp(name, "tokenizer.", 10) != 0 &&
           !strcasestr(name, "llama");
}

/* Is --vocab-file a list of a tokenizer of its own, rather than that of GPT-2? A path that is to
 * be filled in says nothing. */
static bool names_own_list(const struct megatron_args *args, const char *type)
{
    const struct shell_word *word = args->value[FLAG(VOCAB_FILE)].word;
    return strcmp(type, "GPT2BPETokenizer") == 0 && HAS(VOCAB_FILE) && !word->unknown &&
           !word->maybe && strchr(word->text, '/') && !strcasestr(word->text, "gpt") &&
           !strcasestr(word->text, "path") && !strpbrk(word->text, "<>$");
}

/* What a tokenizer's name or type tells. */
static uint64_t find_vocabulary(const struct megatron_args *args)
{
    static const enum megatron_flag names[] = {FLAG(TOKENIZER_MODEL), FLAG(TOKENIZER_NAME),
                                               FLAG(VOCAB_FILE), FLAG(TOKENIZER_TYPE)};
    const struct tokenizer *found = NULL;
    for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++) {
        const struct shell_word *word = args->value[names[i]].word;
        if (!HAS_FLAG(names[i]) || word->unknown || word->maybe) continue;
        if (names[i] != FLAG(TOKENIZER_TYPE))
            found = tokenizer_of_name(word->text);
        else if (!names_own_tokenizer(args, word->text) && !names_own_list(args, word->text))
            found = tokenizer_of_type(word->text);
        if (found)
            megatron_note(args, NOTE_ASSUMED, FLAG(VOCAB_SIZE), found->text,
                          "not given: as the tokenizer %s has it (%s)", found->name, found->source);
    }
    return found ? found->vocabulary : 0;
}

static enum rk_status read_vocabulary(const struct megatron_args *args, uint64_t given,
                                      struct rk_model *m)
{
    const char *type = megatron_text(args, FLAG(TOKENIZER_TYPE));
    char multiple[MEGATRON_WHY];
    m->vocabulary = given;
    if (!m->vocabulary) m->vocabulary = COUNT(PADDED_VOCAB_SIZE, 0);
    if (!m->vocabulary) m->vocabulary = COUNT(PAD_VOCAB_TO, 0);
    if (!m->vocabulary) m->vocabulary = COUNT(VOCAB_SIZE, 0);
    if (!m->vocabulary && (m->vocabulary = find_vocabulary(args)))
        m->vocabulary += COUNT(EXTRA_VOCAB, 0);
    if (m->vocabulary) return RK_OK;
    if (strcmp(type, "NullTokenizer") == 0)
        return megatron_args_break(args, "1.missing", args->value[FLAG(TOKENIZER_TYPE)].word,
                                   "--vocab-size is missing: give it, NullTokenizer has none");
    return megatron_args_fail(
        args, args->value[FLAG(TOKENIZER_TYPE)].word,
        "the vocabulary's size is in the files of the tokenizer%s%.40s%s%s: "
        "give --vocabulary N%s",
        *type ? " " : "", type, args->gpus ? "" : ", and nothing says how many GPUs are used",
        args->gpus ? "" : megatron_multiple(args, multiple), args->gpus ? "" : ", and --gpus N");
}

/* ---- mixtures ---- */

/* The first layers are dense, then every Nth is a mixture. */
static bool describe_pattern(const unsigned char *pattern, struct rk_model *m, bool *shifted)
{
    uint64_t mixtures = 0, first = m->layers, second = m->layers;
    for (uint64_t i = m->layers; i-- > 0;)
        if (pattern[i]) {
            mixtures++;
            second = first;
            first = i;
        }
    if (!mixtures) return false;
    const uint64_t step = second < m->layers ? second - first : 1;
    for (uint64_t i = first; i < m->layers; i++)
        if (pattern[i] != ((i - first) % step == 0)) return false;
    /* every n-th of the layers after the dense ones: the n-th itself is the mixture */
    m->expert_every = step > 1 ? step : 0;
    const uint64_t dense = first + 1 >= step ? first + 1 - step : 0;
    m->dense_layers = step > 1 ? dense : first;
    *shifted = step > 1 && first + 1 < step;
    return mixtures == (m->layers - m->dense_layers) / step;
}

static enum rk_status read_frequency(const struct megatron_args *args, struct rk_model *m)
{
    const struct shell_word *word = args->value[FLAG(MOE_LAYER_FREQ)].word;
    char why[MEGATRON_WHY];
    bool shifted = false;
    enum rk_status status = RK_OK;
    if (!HAS(MOE_LAYER_FREQ) || strcmp(word->text, "-1") == 0) return RK_OK; /* MindSpeed: all */
    if (m->layers > 100000)
        return megatron_args_fail(args, word, "--moe-layer-freq: too many layers");
    unsigned char *pattern = calloc(m->layers, 1);
    if (!pattern) return rk_fail(args->error, RK_NO_MEMORY, args->path, 0, 0, "out of memory");
    if (!megatron_pattern_read(word->text, m->layers, pattern, why))
        status = megatron_args_break(args, "1.value", word, "--moe-layer-freq: %s", why);
    if (status == RK_OK && m->dense_layers < m->layers) memset(pattern, 0, m->dense_layers);
    if (status == RK_OK && !describe_pattern(pattern, m, &shifted))
        status = megatron_args_fail(args, word,
                                    "--moe-layer-freq: only dense layers first, then every so "
                                    "many-th a mixture, is covered");
    if (status == RK_OK && shifted)
        megatron_note(args, NOTE_WARNING, FLAG(MOE_LAYER_FREQ), "",
                      "the mixtures are taken to stand at the end of each group of %" PRIu64
                      " layers, not at its beginning",
                      m->expert_every);
    free(pattern);
    return status;
}

static enum rk_status read_mixture(const struct megatron_args *args, struct rk_model *m)
{
    const bool deepspeed = args->tool == MEGATRON_DEEPSPEED;
    const uint64_t topk = megatron_is_old(args) ? 1 : 2;
    uint64_t shared = COUNT(MOE_SHARED, 0);
    m->experts = COUNT(NUM_EXPERTS, 0);
    if (deepspeed && m->experts == 1) m->experts = 0; /* its way to say a dense model */
    if (!m->experts) return RK_OK;
    m->active_experts = COUNT(TOPK, topk);
    assume(args, FLAG(TOPK), topk, "the tool's default");
    m->expert_feedforward = COUNT(MOE_FFN, m->feedforward);
    assume(args, FLAG(MOE_FFN), m->feedforward, "not given: --ffn-hidden-size");
    enum rk_status status = need(args, FLAG(MOE_FFN), m->expert_feedforward);
    if (status != RK_OK) return status;
    if (m->active_experts < 1 || m->active_experts > m->experts)
        return megatron_args_break(args, "1.value", args->value[FLAG(TOPK)].word,
                                   "--moe-router-topk: must be 1 to the %" PRIu64 " experts",
                                   m->experts);
    model_limit_groups(m, COUNT(ROUTER_GROUPS, 0), COUNT(ROUTER_GROUP_TOPK, 0));
    shared += COUNT(SHARED_EXPERTS, 0) * m->expert_feedforward;
    if (megatron_is(args, FLAG(MLP_TYPE), "residual"))
        return megatron_args_fail(args, args->value[FLAG(MLP_TYPE)].word,
                                  "--mlp-type residual: a dense MLP next to the experts is not "
                                  "covered");
    if (shared % m->expert_feedforward) { /* one of a width of its own */
        m->shared_experts = 1;
        m->shared_feedforward = shared;
    } else {
        m->shared_experts = shared / m->expert_feedforward;
    }
    m->shared_gate = shared && (HAS(SHARED_GATE) || HAS(ASCEND_SHARED_GATE));
    m->router_biases = HAS(EXPERT_BIAS);
    const double dense = megatron_number(args, FLAG(FIRST_DENSE), 0);
    m->dense_layers = dense > 0 && dense < 1e6 ? (uint64_t)dense : 0; /* -1: none */
    if (deepspeed) {
        const uint64_t every = COUNT(EXPERT_INTERVAL, 2);
        assume(args, FLAG(EXPERT_INTERVAL), 2, "Megatron-DeepSpeed's default");
        m->expert_every = every > 1 ? every : 0;
    }
    return read_frequency(args, m);
}

/* ---- linear attention ---- */

/* Megatron Core's --linear-attention-freq, "4" for three linear layers and one that attends to all,
 * or a list with 1 for linear; into letters. */
static enum rk_status read_linear_layers(const struct megatron_args *args, uint64_t layers,
                                         char *letters)
{
    const struct shell_word *word = args->value[FLAG(LINEAR_FREQ)].word;
    const uint64_t interval = COUNT(FULL_INTERVAL, 0); /* of MindSpeed */
    char why[MEGATRON_WHY], *end = NULL;
    const uint64_t every = interval ? interval : strtoull(word->text, &end, 10);
    const bool number = interval || (end != word->text && !*end && every);
    if (!number && !megatron_pattern_read(word->text, layers, (unsigned char *)letters, why))
        return megatron_args_break(args, "1.value", word, "--linear-attention-freq: %s", why);
    for (uint64_t i = 0; i < layers; i++)
        letters[i] = (number ? (i + 1) % every != 0 : letters[i]) ? 'r' : 'a';
    return RK_OK;
}

/* Which of the two tools' ways to say it the script has; NULL: none. */
static enum rk_status find_linear(const struct megatron_args *args, const struct shell_word **at)
{
    const struct shell_word *variant = args->value[FLAG(ATTENTION_VARIANT)].word;
    if (COUNT(FULL_INTERVAL, 0)) {
        *at = args->value[FLAG(FULL_INTERVAL)].word;
        return RK_OK;
    }
    if (!HAS(ATTENTION_VARIANT) || strcmp(variant->text, "None") == 0)
        return !COUNT(LINEAR_KEY_DIM, 0)
                   ? RK_OK
                   : megatron_args_break(args, "1.missing", args->value[FLAG(LINEAR_KEY_DIM)].word,
                                         "--linear-key-head-dim: which layers are linear is "
                                         "missing: give --experimental-attention-variant and "
                                         "--linear-attention-freq, or --full-attention-interval");
    if (strcmp(variant->text, "gdn") != 0 && strcmp(variant->text, "gated_delta_net") != 0)
        return megatron_args_fail(args, variant,
                                  "--experimental-attention-variant: %.40s is attention of another "
                                  "kind, which plans do not cover",
                                  variant->text);
    if (!HAS(LINEAR_FREQ))
        return megatron_args_break(args, "1.missing", variant,
                                   "--linear-attention-freq is missing: give it, Megatron-LM needs "
                                   "it for linear attention");
    *at = variant;
    return RK_OK;
}

static enum rk_status read_linear(const struct megatron_args *args, struct rk_model *m)
{
    const struct shell_word *at = NULL;
    enum rk_status status = find_linear(args, &at);
    m->attention_gate = HAS(ATTENTION_GATE) || COUNT(FULL_INTERVAL, 0); /* its q_proj has both */
    if (status != RK_OK || !at) return status;
    if (m->layers > 100000) return megatron_args_fail(args, at, "too many layers");
    char *letters = calloc(m->layers + 1, 1);
    if (!letters) return rk_fail(args->error, RK_NO_MEMORY, args->path, 0, 0, "out of memory");
    status = read_linear_layers(args, m->layers, letters);
    if (status == RK_OK && !model_period(m->mixers, sizeof m->mixers, letters, m->layers))
        status = megatron_args_fail(args, at, "the pattern of linear layers is too long");
    free(letters);
    m->recurrence = RK_GATED_DELTA;
    m->recurrent_norm = true;
    m->recurrent_heads = COUNT(LINEAR_VALUE_HEADS, 32); /* presets: transformer_config.py */
    m->recurrent_dim = COUNT(LINEAR_VALUE_DIM, 128);
    m->recurrent_groups = COUNT(LINEAR_KEY_HEADS, 16);
    m->state = COUNT(LINEAR_KEY_DIM, 128);
    m->convolution = COUNT(CONVOLUTION, COUNT(LINEAR_CONV, 4));
    return status;
}

/* ---- all ---- */

static enum rk_status check_stage(const struct megatron_args *args)
{
    if (!megatron_is(args, FLAG(STAGE), "dpo")) return RK_OK;
    return megatron_args_fail(args, args->value[FLAG(STAGE)].word,
                              "--stage dpo: pairs of answers next to a reference model are not "
                              "covered with Megatron-LM: say model and batch as words of reckon "
                              "predict, framework=fsdp objective=dpo");
}

/* What could not be counted exactly, or contradicts itself; as reckon-model(5) has it. */
static enum rk_status check_size(const struct megatron_args *args, const struct rk_model *m)
{
    if (m->dense_layers && m->dense_layers >= m->layers)
        return megatron_args_fail(args, args->value[FLAG(MOE_LAYER_FREQ)].word,
                                  "--moe-layer-freq: no layer has experts");
    const double wide = (double)m->feedforward * (m->gated_mlp ? 2 : 1);
    const double widest = (double)m->hidden > wide ? (double)m->hidden : wide;
    if ((double)rk_model_parameters(m) <= 0x1p53 && (double)m->sequence * widest <= 0x1p53 &&
        (double)m->heads * (double)m->sequence * (double)m->sequence <= 0x1p53)
        return RK_OK;
    return megatron_args_fail(args, args->value[FLAG(HIDDEN_SIZE)].word,
                              "the model is too large to count its parameters exactly");
}

enum rk_status megatron_model(const struct megatron_args *args, uint64_t vocabulary,
                              struct rk_model *model)
{
    struct rk_model m = {.id = ""};
    enum rk_status status = check_stage(args);
    if (status == RK_OK) status = read_sizes(args, &m);
    if (status == RK_OK) status = read_heads(args, &m);
    if (status != RK_OK) return status;
    read_latent(args, &m);
    status = check_latent(args, &m);
    if (status != RK_OK) return status;
    read_kinds(args, &m);
    status = read_window(args, &m);
    if (status == RK_OK) status = read_vocabulary(args, vocabulary, &m);
    if (status == RK_OK) status = read_mixture(args, &m);
    if (status == RK_OK) status = read_linear(args, &m);
    if (status == RK_OK) status = check_size(args, &m);
    if (status == RK_OK) *model = m;
    return status;
}
