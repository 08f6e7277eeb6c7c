#include "trainers/trainer_tuning.h"

#include "catalog/names.h"
#include "keys/keys.h"
#include "keys/settings_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct reading {
    const struct settings *settings;
    const struct trainer_tuning *t;
    struct rk_plan *p;
    struct notes *notes;
    struct rk_error *error;
};

static enum rk_status refuse(const struct reading *r, const char *key, const char *why)
{
    return settings_fail(r->settings, settings_find(r->settings, key), r->error, "%s", why);
}

/* ---- targets ---- */

#define BIT(target) (1u << RK_TARGET_##target)

/* clang-format off */
/* Modules as Hugging Face's models call them; "all-linear" is what a plan means by none. */
static const struct {
    const char *name;
    unsigned bits;
} modules[] = {
#define ROW(name, bits) {name, bits},
#include "tables/modules.h"
#undef ROW
};
/* clang-format on */

/* The name after the last dot: "model.layers.0.q_proj". */
bool trainer_tuning_target(const char *name, size_t length, unsigned *bits)
{
    for (size_t i = length; i-- > 0;)
        if (name[i] == '.') {
            name += i + 1;
            length -= i + 1;
            break;
        }
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (strlen(modules[i].name) == length && memcmp(modules[i].name, name, length) == 0) {
            *bits |= modules[i].bits;
            return true;
        }
    return false;
}

/* PEFT takes a text that is no list as a regular expression of whole names: the matrices that stand
 * in it, but for what follows "(?!", are those that it can match. */
static bool add_expression(const char *text, unsigned *bits)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    bool found = false;
    if (!text[strcspn(text, "(|\\*^$")]) return false;
    while (*text) {
        if (strncmp(text, "(?!", 3) == 0) text += strcspn(text, ")");
        const size_t length = strspn(text, word);
        if (length) found |= trainer_tuning_target(text, length, bits);
        text += length + (length == 0 && *text);
    }
    return found;
}

static enum rk_status add_list(const struct reading *r, const struct setting *setting,
                               const char *text, unsigned *bits)
{
    if (add_expression(text, bits)) return RK_OK;
    while (*text) {
        const size_t length = strcspn(text, ", ");
        if (length && !trainer_tuning_target(text, length, bits))
            return settings_fail(r->settings, setting, r->error,
                                 "%.*s is not a matrix of a block that is known: q_proj, k_proj, "
                                 "v_proj, o_proj, gate_proj, up_proj, down_proj, lm_head and other "
                                 "names of these are: give --set %.40s=all-linear, or those that "
                                 "have adapters",
                                 (int)length, text, setting->key);
        text += length + (text[length] != 0);
    }
    return RK_OK;
}

/* The key by which a program of one's own switches adapters on; NULL: there is none. */
static const char *own_switch(const struct settings *settings)
{
    static const char *const keys[] = {"use_lora", "lora_enable", "lora"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (settings_find(settings, keys[i])) return keys[i];
    return NULL;
}

/* A rank above 0 of DeepSpeed-Chat's or InternVL's programs: adapters on all matrices of the
 * blocks. */
static const struct setting *own_rank(const struct settings *settings)
{
    const struct setting *rank = settings_find(settings, "lora_dim");
    if (!rank) rank = settings_find(settings, "use_llm_lora");
    return rank && strcmp(rank->text, "0") != 0 ? rank : NULL;
}

static enum rk_status read_targets(const struct reading *r)
{
    static const char *const keys[] = {"lora_target_modules", "target_modules", "lora_target",
                                       "lora_attn_modules", "trainable"};
    enum rk_status status = RK_OK;
    unsigned bits = 0;
    const struct setting *llava = settings_find(r->settings, "lora_enable");
    bool said = r->t->all_linear || r->t->habits.all_linear || own_rank(r->settings);
    for (size_t i = 0; i < r->settings->count && status == RK_OK; i++) {
        const struct setting *s = &r->settings->setting[i];
        for (size_t k = 0; k < sizeof keys / sizeof *keys && status == RK_OK; k++) {
            const size_t length = strlen(keys[k]);
            if (strncmp(s->key, keys[k], length) != 0 || s->null ||
                (s->key[length] && s->key[length] != '.'))
                continue;
            status = add_list(r, s, s->text, &bits);
            said = true;
        }
    }
    if (r->t->all_linear && bits & ~(unsigned)BIT(HEAD)) bits &= BIT(HEAD);
    if (!said && llava) {
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "target_modules", "all-linear",
                  "LLaVA's find_all_linear_names, where none are said");
    } else if (!said && own_switch(r->settings)) {
        return refuse(r, own_switch(r->settings),
                      "trains adapters on matrices that the program's own code names: give --set "
                      "lora_target_modules=all-linear, or q_proj,v_proj and the like");
    } else if (!said) {
        bits = BIT(Q) | BIT(V);
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "target_modules", "q_proj, v_proj",
                  "PEFT's of Llama, Mistral, Qwen and Gemma where none are said");
    }
    r->p->lora_targets = bits;
    return status;
}

/* ---- modules that are trained whole next to adapters ---- */

/* clang-format off */
/* Ends as Hugging Face's models call them. */
static const struct {
    const char *name;
    enum rk_end end;
} ends[] = {
    {"embed_tokens", RK_END_EMBEDDING}, {"wte", RK_END_EMBEDDING}, {"word_embeddings", RK_END_EMBEDDING},
    {"embed_in", RK_END_EMBEDDING}, {"tok_embeddings", RK_END_EMBEDDING}, {"embedding", RK_END_EMBEDDING},
    {"lm_head", RK_END_HEAD}, {"output", RK_END_HEAD}, {"embed_out", RK_END_HEAD}, {"output_layer", RK_END_HEAD},
};
/* clang-format on */

static bool add_end(const char *name, size_t length, unsigned *bits)
{
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t own = strlen(ends[i].name);
        const bool last = length == own || (length > own && name[length - own - 1] == '.');
        if (!last || memcmp(name + length - own, ends[i].name, own) != 0) continue;
        *bits |= 1u << ends[i].end;
        return true;
    }
    return false;
}

/* A key, or an element of its list; names are between commas. */
static void add_ends(const struct reading *r, const struct setting *s, const char *key)
{
    for (const char *text = s->null ? "" : s->text; *text;) {
        const size_t length = strcspn(text, ", ");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        if (length && !add_end(text, length, &r->p->lora_whole))
            notes_add(r->notes, NOTE_WARNING, 0, 0, key, name,
                      "is not counted, though it is trained whole: only the embedding and the "
                      "head are");
        text += length + (text[length] != 0);
    }
}

/* PEFT's modules_to_save: copies in the type that the model was loaded in, since
 * autocast_adapter_dtype casts adapters alone; LLaMA-Factory casts all that is trained to fp32
 * (model/adapter.py), as its adapters are. */
static void read_whole(const struct reading *r)
{
    static const char *const keys[] = {"additional_target", "lora_modules_to_save",
                                       "modules_to_save"};
    for (size_t i = 0; i < r->settings->count; i++) {
        const struct setting *s = &r->settings->setting[i];
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            const size_t length = strlen(keys[k]);
            if (strncmp(s->key, keys[k], length) == 0 && (!s->key[length] || s->key[length] == '.'))
                add_ends(r, s, keys[k]);
        }
    }
    if (r->p->lora_whole & r->p->lora_targets >> RK_TARGET_HEAD << RK_END_HEAD)
        r->p->lora_targets &= ~(unsigned)BIT(HEAD); /* PEFT wraps what it saves last */
    const bool wide = r->t->habits.upcasts || (r->t->habits.loads_wide && !r->t->type);
    if (r->p->lora_whole && !wide && r->p->lora_element_bytes > 2) r->p->lora_whole_bytes = 2;
}

/* ---- adapters ---- */

static bool is(const char *text, const char *name)
{
    return text && strcasecmp(text, name) == 0;
}

bool trainer_tuning_loads(const struct trainer_tuning *tuning, const char *type)
{
    return is(tuning->type, type);
}

static bool has_adapters(const struct reading *r)
{
    const struct trainer_tuning *t = r->t;
    return own_rank(r->settings) || t->peft || t->own || is(t->adapter, "lora") ||
           is(t->adapter, "qlora") || is(t->finetuning, "lora");
}

static enum rk_status check_kind(const struct reading *r)
{
    const struct trainer_tuning *t = r->t;
    if (t->adapter && *t->adapter && !has_adapters(r))
        return refuse(r, "adapter", "is none of lora and qlora, which plans know");
    if (t->finetuning && !is(t->finetuning, "full") && !is(t->finetuning, "lora"))
        return refuse(r, "finetuning_type", "is none of full and lora, which plans know");
    /* of MiniCPM-V's finetune.py and its like; with adapters it says what they do anyway */
    const struct setting *trained = settings_find(r->settings, "tune_llm");
    if (trained && key_flag(trained->text) == 0 && !has_adapters(r))
        return refuse(r, "tune_llm",
                      "freezes the language model, and what is trained next to it plans do not "
                      "cover: give --set tune_llm=true to estimate the run with all of it trained");
    static const char *const ranks[] = {"lora_r", "lora_rank"};
    for (size_t i = 0; t->habits.peft_decides && i < sizeof ranks / sizeof *ranks; i++)
        if (settings_find(r->settings, ranks[i]) && !settings_find(r->settings, "use_peft") &&
            !own_switch(r->settings))
            return refuse(r, ranks[i],
                          "is an adapter's, but nothing says that one is trained: give --set "
                          "use_peft=true where the program trains it, use_peft=false where (as in "
                          "trl without that key) all weights are trained");
    return RK_OK;
}

/* PEFT's adapters are in fp32 next to 16-bit weights (autocast_adapter_dtype), and so are
 * LLaMA-Factory's (upcast of trainable parameters); ZeRO and FSDP both gather layers whole. */
static enum rk_status read_adapters(const struct reading *r)
{
    const struct trainer_tuning *t = r->t;
    struct rk_plan *p = r->p;
    if (!has_adapters(r)) return RK_OK;
    if (t->own && !settings_find(r->settings, "lora_r") && !settings_find(r->settings, "lora_rank"))
        return refuse(r, own_switch(r->settings),
                      "trains adapters of a rank that the program's own code has: give --set "
                      "lora_r=N, and --set lora_target_modules=q_proj,v_proj where not all "
                      "matrices have them");
    if (!t->rank || t->rank > 65536)
        return refuse(r, settings_find(r->settings, "lora_r") ? "lora_r" : "adapter",
                      "needs a rank: give --set lora_r=16");
    p->lora = t->rank;
    p->lora_dropout = t->dropout;
    p->lora_element_bytes = t->pure ? 2 : 4;
    p->dora = t->dora;
    if (t->other_adapter) {
        p->adapters = 2;
        p->adapters_run = RK_ADAPTERS_IDLE;
    }
    if (t->adapter_type && *t->adapter_type && !is(t->adapter_type, "None"))
        p->lora_element_bytes = is(t->adapter_type, "float32") ? 4 : 2;
    if (settings_find(r->settings, "lora_dim") &&
        !settings_find(r->settings, "only_optimize_lora") &&
        !settings_find(r->settings, "mark_only_lora_as_trainable"))
        notes_add(r->notes, NOTE_WARNING, 0, 0, "lora_dim", "",
                  "is followed for the matrices alone: embeddings and norms are trained, too, "
                  "unless the program is told only_optimize_lora");
    const enum rk_status status = read_targets(r);
    if (status == RK_OK) read_whole(r);
    return status;
}

/* ---- the base ---- */

static enum rk_base base_of_checkpoint(const struct settings *settings)
{
    static const char *const keys[] = {"model_name_or_path", "base_model", "model",
                                       "base_model_name_or_path"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const struct setting *s = settings_find(settings, keys[k]);
        const enum rk_base base = s ? names_base(s->text) : RK_BASE_PLAIN;
        if (base != RK_BASE_PLAIN) return base;
    }
    return RK_BASE_PLAIN;
}

static enum rk_status read_base(const struct reading *r)
{
    const struct trainer_tuning *t = r->t;
    struct rk_plan *p = r->p;
    const bool four = t->four_bits || t->bits == 4, eight = t->eight_bits || t->bits == 8;
    const bool hqq = t->method && strcasecmp(t->method, "hqq") == 0;
    const bool doubles = !hqq && (t->double_ ? is(t->double_, "true") : t->doubles);
    const bool gptq = t->gptq && is(t->gptq, "true");
    const char *bits = settings_find(r->settings, "load_in_kbits")  ? "load_in_kbits"
                       : settings_find(r->settings, "bits")         ? "bits"
                       : settings_find(r->settings, "load_in_bits") ? "load_in_bits"
                                                                    : "quantization_bit";
    if (!four && !eight && !gptq && t->bits && t->bits != 16)
        return refuse(r, bits, "is neither 4 nor 8, which plans know");
    if (four || eight || gptq)
        p->base = gptq    ? RK_BASE_GPTQ4
                  : eight ? RK_BASE_INT8
                          : (doubles ? RK_BASE_NF4_DQ : RK_BASE_NF4);
    if (hqq && four)
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "base", "nf4",
                  "in bytes: HQQ's 4 bits have 32 more for each 64 values, too");
    const enum rk_base came = base_of_checkpoint(r->settings);
    if (came != RK_BASE_PLAIN) {
        p->base = came;
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "base", rk_base_name(came),
                  "what the checkpoint's name says");
    }
    const bool narrow = p->base == RK_BASE_NF4 || p->base == RK_BASE_NF4_DQ;
    if (narrow && t->habits.on_4_bits > 0) p->lora_element_bytes = t->habits.on_4_bits;
    if (p->base != RK_BASE_PLAIN && !p->lora)
        return refuse(r,
                      came != RK_BASE_PLAIN ? "model_name_or_path"
                      : t->four_bits        ? "load_in_4bit"
                      : t->bits             ? bits
                                            : "load_in_8bit",
                      "weights of 4 or 8 bits cannot be trained: give adapters (LoRA), "
                      "or load 16 bits");
    return RK_OK;
}

/* ---- what is learned ---- */

/* clang-format off */
static const struct {
    const char *name;
    enum rk_objective objective;
} objectives[] = {
    {"dpo", RK_DPO}, {"ipo", RK_DPO}, {"sigmoid", RK_DPO}, {"hinge", RK_DPO},
    {"simpo", RK_SIMPO}, {"cpo", RK_SIMPO}, {"orpo", RK_ORPO}, {"kto", RK_KTO},
    {"kto_pair", RK_DPO},
};
/* clang-format on */

void trainer_tuning_refer(struct rk_plan *p, struct notes *notes)
{
    if (p->objective != RK_DPO && p->objective != RK_KTO) return;
    p->reference = p->lora ? RK_REFERENCE_ADAPTERS : RK_REFERENCE_COPY;
    notes_add(notes, NOTE_ASSUMED, 0, 0, "reference", rk_reference_name(p->reference),
              p->lora ? "the trainer switches adapters off" : "the trainer loads a copy");
}

static enum rk_status take_objective(const struct reading *r, const char *key, const char *name)
{
    for (size_t i = 0; i < sizeof objectives / sizeof *objectives; i++) {
        if (!is(name, objectives[i].name)) continue;
        r->p->objective = objectives[i].objective;
        trainer_tuning_refer(r->p, r->notes);
        return RK_OK;
    }
    return refuse(r, key,
                  "the loss needs more than one pass of one model, which plans do not "
                  "cover: dpo, ipo, simpo, orpo, cpo and kto are known");
}

/* Keys of GRPO, whose beta is no preference's: what it generates is refused by its rows. */
static bool generates(const struct reading *r)
{
    static const char *const keys[] = {"num_generations", "reward_funcs", "reward_funcs.0",
                                       "max_completion_length"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (settings_find(r->settings, keys[i])) return true;
    return false;
}

static enum rk_status read_objective(const struct reading *r)
{
    const struct trainer_tuning *t = r->t;
    if (t->objective && *t->objective) return take_objective(r, "rl", t->objective);
    if (settings_find(r->settings, "dpo_beta")) return take_objective(r, "dpo_beta", "dpo");
    if (settings_find(r->settings, "gamma_beta_ratio"))
        return take_objective(r, "gamma_beta_ratio", "simpo"); /* of SimPO's own trainer */
    if (t->beta > 0 && !generates(r))
        return refuse(r, "beta",
                      "is of a trainer of preferences, which the file does not name: give --set "
                      "rl=dpo (or ipo, simpo, orpo, cpo, kto), or --ignore beta for supervised "
                      "fine-tuning");
    if (!t->stage || is(t->stage, "sft") || is(t->stage, "pt")) return RK_OK;
    if (is(t->stage, "dpo") && t->preference) return take_objective(r, "pref_loss", t->preference);
    return take_objective(r, "stage", t->stage);
}

/* ---- the optimizer ---- */

/* clang-format off */
/* Names of Hugging Face's OptimizerNames (transformers 4.56, training_args.py); what begins so. */
static const struct {
    const char *name;
    enum rk_optimizer optimizer;
} optimizers[] = {
    {"adamw_8bit", RK_ADAM_8BIT}, {"adamw_bnb_8bit", RK_ADAM_8BIT}, {"adamw_torch_8bit", RK_ADAM_8BIT},
    {"ao_adamw_8bit", RK_ADAM_8BIT}, {"ao_adamw_fp8", RK_ADAM_8BIT}, {"ao_adamw_4bit", RK_ADAM_4BIT}, {"adamw_torch_4bit", RK_ADAM_4BIT},
    {"ademamix", RK_ADAM}, {"rmsprop", RK_MOMENTUM}, {"adagrad", RK_MOMENTUM},
    {"adamw", RK_ADAM}, {"adam", RK_ADAM}, {"adafactor", RK_ADAFACTOR}, {"lion", RK_LION}, {"sgd", RK_SGD},
    {"galore_adamw", RK_GALORE}, {"apollo_adamw", RK_APOLLO}, {"muon", RK_MUON}, {"lomo", RK_SGD}, {"adalomo", RK_ADAFACTOR},
};
/* clang-format on */

/* Hooks step each parameter as its gradient comes. */
static bool steps_early(const struct trainer_tuning *t, const char *name)
{
    return t->layerwise || strstr(name, "layerwise") || is(name, "lomo") || is(name, "adalomo");
}

/* optim_args of TrainingArguments: 128 where they have none. */
static uint64_t rank_said(const char *arguments)
{
    const char *rank = arguments ? strstr(arguments, "rank=") : NULL;
    const uint64_t said = rank ? strtoull(rank + strlen("rank="), NULL, 10) : 0;
    return said ? said : 128;
}

/* With an fp32 maximum per 256 values. */
static const double in_eight = 1 + 4.0 / 256;

/* In bits: bitsandbytes' 8-bit optimizers leave the embedding alone (Trainer.create_optimizer of
 * transformers, for all of them since 4.52, pull request 37331). */
static void keep_in_bits(const struct reading *r, const char *name)
{
    struct rk_plan *p = r->p;
    const bool own = !strstr(name, "torch") && strncmp(name, "ao_", 3) != 0;
    const bool mixes = strncmp(name, "ademamix", 8) == 0, eight = strstr(name, "8bit");
    const bool table = !has_adapters(r) || p->lora_whole >> RK_END_EMBEDDING & 1;
    if (mixes) { /* two first moments, and fp32 where not 8 bits (bitsandbytes) */
        p->moment1_element_bytes = 2 * (eight ? in_eight : 4);
        p->moment2_element_bytes = eight ? in_eight : 4;
    }
    if (!eight) return;
    if (p->optimizer == RK_GALORE || p->optimizer == RK_LION || p->optimizer == RK_MOMENTUM)
        p->moment1_element_bytes = in_eight;
    if (p->optimizer == RK_ADAM_8BIT && own && table) p->embedding_fp32 = true;
}

/* Framework deepspeed keeps a master copy, which the plan's bytes have in any case. */
static void read_optimizer(const struct reading *r)
{
    const char *name = r->t->optimizer   ? r->t->optimizer
                       : r->t->adafactor ? "adafactor" /* before --optim, transformers 4.13 */
                                         : "adamw";
    struct rk_plan *p = r->p;
    p->optimizer_paged = strncmp(name, "paged_", 6) == 0;
    if (p->optimizer_paged) name += 6;
    p->optimizer_rank = r->t->galore ? r->t->galore_rank : r->t->apollo ? r->t->apollo_rank : 0;
    if (r->t->galore) name = "galore_adamw";
    if (r->t->apollo) name = "apollo_adamw";
    if (r->t->muon) name = "muon";
    p->step_in_backward = steps_early(r->t, name);
    for (size_t i = 0; i < sizeof optimizers / sizeof *optimizers; i++) {
        if (strncmp(name, optimizers[i].name, strlen(optimizers[i].name)) != 0) continue;
        p->optimizer = optimizers[i].optimizer;
        if (strstr(name, "8bit") && p->optimizer == RK_ADAM && strncmp(name, "ademamix", 8) != 0)
            p->optimizer = RK_ADAM_8BIT;
        if ((p->optimizer == RK_GALORE || p->optimizer == RK_APOLLO) && !p->optimizer_rank)
            p->optimizer_rank = rank_said(r->t->arguments);
        keep_in_bits(r, name);
        return;
    }
    notes_add(r->notes, NOTE_WARNING, 0, 0, "optimizer", name,
              "is not followed: is estimated as AdamW, with two moments");
}

/* ---- what is kept ---- */

/* Moments of torch's optimizers are of the parameter's type, those of bitsandbytes in fp32. */
static void keep_narrow(const struct trainer_tuning *t, struct rk_plan *p)
{
    const char *name = t->optimizer ? t->optimizer : "";
    const bool own = strstr(name, "bnb") || strstr(name, "32bit") || strncmp(name, "paged", 5) == 0;
    p->weight_element_bytes = p->gradient_element_bytes = 2;
    const bool moments =
        p->optimizer <= RK_MUON || p->optimizer == RK_LION || p->optimizer == RK_MOMENTUM;
    if (moments && !(p->moment1_element_bytes > 0)) /* not said by its name */
        p->moment1_element_bytes = p->moment2_element_bytes = own ? 4 : 2;
}

/* FSDP's mixed precision (accelerate casts what is trained to fp32) and DeepSpeed say themselves
 * what a trained weight is kept in; autocast leaves it as it was loaded. */
static void keep_weights(const struct trainer_tuning *t, bool by_fsdp, struct rk_plan *p,
                         struct notes *notes)
{
    const bool wide = t->type ? trainer_tuning_loads(t, "float32") : t->habits.loads_wide;
    const bool half = p->precision == RK_FP16, free = p->framework == RK_FSDP &&
                                                      (!by_fsdp || t->unmixed) &&
                                                      (half || p->precision == RK_BF16);
    if (p->lora) {
        if (wide && p->base == RK_BASE_PLAIN && p->framework == RK_FSDP) {
            p->weight_element_bytes = 4;
            notes_add(notes, NOTE_ASSUMED, 0, 0, "dtype", "float32",
                      "the trainer's: frozen weights are loaded so, too");
        }
        return;
    }
    if (!free) return;
    if (!half && (t->pure || (!wide && !t->habits.upcasts))) {
        keep_narrow(t, p);
        notes_add(notes, NOTE_ASSUMED, 0, 0, "weights", "bf16",
                  t->unmixed ? "as they are loaded: bf16=full has no mixed precision"
                             : "as they are loaded: neither FSDP nor DeepSpeed keeps them in fp32");
    } else {
        p->autocast = true;
        notes_add(notes, NOTE_ASSUMED, 0, 0, "weights", "fp32",
                  half                ? "GradScaler wants them so: autocast computes in fp16"
                  : t->habits.upcasts ? "the trainer casts what is trained to fp32"
                                      : "the trainer's: autocast computes in bf16");
    }
}

void trainer_tuning_keep(const struct trainer_tuning *tuning, bool by_fsdp, struct rk_plan *plan,
                         struct notes *notes)
{
    keep_weights(tuning, by_fsdp, plan, notes);
    if (plan->embedding_fp32)
        notes_add(notes, NOTE_ASSUMED, 0, 0, "embedding-fp32", "on",
                  "the embedding's moments are not in 8 bits, since transformers 4.52");
    if (is(tuning->optimizer, "adamw_torch") && plan->framework == RK_FSDP)
        plan->foreach_step = true;
    if (!plan->loss_in_chunks && !plan->fused && plan->framework != RK_MEGATRON &&
        plan->precision >= RK_FP16) {
        plan->loss = RK_LOSS_PADDED;
        notes_add(notes, NOTE_ASSUMED, 0, 0, "loss", "padded", "that of transformers since 4.49");
    }
}

/* LLaMA-Factory 0.9, train/{pt,sft,dpo,kto}/workflow.py: "if training_args.do_train", which
 * TrainingArguments preset to false. The command may give it, too. */
static void say_untrained(const struct reading *r)
{
    const struct setting *s = settings_find(r->settings, "do_train");
    if (!r->t->habits.asked || r->t->trains) return;
    notes_add_rule(r->notes, "1.missing", NOTE_WARNING, s ? s->line : 0, s ? s->column : 0,
                   "do_train", s ? s->text : "", "give do_train: true",
                   "nothing is trained without it");
}

enum rk_status trainer_tuning_read(const struct settings *settings,
                                   const struct trainer_tuning *tuning, struct rk_plan *plan,
                                   struct notes *notes, struct rk_error *error)
{
    const struct reading r = {settings, tuning, plan, notes, error};
    enum rk_status status = check_kind(&r);
    say_untrained(&r);
    if (status == RK_OK) status = read_adapters(&r);
    read_optimizer(&r);
    if (status == RK_OK) status = read_base(&r);
    if (status == RK_OK) status = read_objective(&r);
    return status;
}
