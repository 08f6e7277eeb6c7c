#include "keys/settings_check.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const struct setting *check_find(const struct settings_check *c, const char *key)
{
    const struct setting *s = settings_find(c->settings, key);
    return s && !s->null && strcmp(s->text, "auto") != 0 ? s : NULL;
}

bool check_is_on(const struct settings_check *c, const char *key)
{
    const struct setting *s = check_find(c, key);
    return s && key_flag(s->text) == 1;
}

static bool check_is_off(const struct settings_check *c, const char *key)
{
    const struct setting *s = check_find(c, key);
    return s && key_flag(s->text) == 0;
}

bool check_says(const struct settings_check *c, const char *key, const char *text)
{
    const struct setting *s = check_find(c, key);
    return s && strcasecmp(s->text, text) == 0;
}

double check_number(const struct settings_check *c, const char *key)
{
    const struct setting *s = check_find(c, key);
    char *end = NULL;
    const double value = s ? strtod(s->text, &end) : NAN;
    return s && end != s->text && !*end ? value : NAN;
}

void check_refuse(const struct settings_check *c, const char *rule, const char *key,
                  const char *fix, const char *need)
{
    const struct setting *s = settings_find(c->settings, key);
    notes_add_rule(c->notes, rule, NOTE_REFUSED, s ? s->line : 0, s ? s->column : 0, key,
                   s ? s->text : "", fix, "%s", need);
}

void check_ranges_of(const struct settings_check *c, const struct check_range *ranges, size_t count)
{
    char need[96];
    for (const struct check_range *r = ranges; r < ranges + count; r++) {
        const double value = check_number(c, r->key);
        if (isnan(value)) continue;
        if (value >= r->least && (r->below ? value < r->most : value <= r->most)) continue;
        if (r->below)
            snprintf(need, sizeof need, "must be at least %.0f and below %.0f", r->least, r->most);
        else if (isfinite(r->most))
            snprintf(need, sizeof need, "must be from %.0f to %.0f", r->least, r->most);
        else
            snprintf(need, sizeof need, "must be at least %.0f", r->least);
        check_refuse(c, "1.value", r->key, "", need);
    }
}

void check_words_of(const struct settings_check *c, const struct check_words *words, size_t count)
{
    char need[208];
    for (const struct check_words *w = words; w < words + count; w++) {
        const struct setting *s = check_find(c, w->key);
        if (!s || text_word(w->words, s->text, strlen(s->text), true) >= 0) continue;
        snprintf(need, sizeof need, "must be one of %.180s", w->words);
        check_refuse(c, "1.value", w->key, "", need);
    }
}

void check_pairs_of(const struct settings_check *c, const struct check_pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pairs[i].broken)
            check_refuse(c, pairs[i].rule, pairs[i].key, pairs[i].fix, pairs[i].need);
}

/* ---- torchtitan: the classes of its configuration, its schedule and optimizers [torchtitan] ----
 */

static void check_torchtitan(const struct settings_check *c)
{
    static const struct check_range ranges[] = {
        {"training.steps", 1, INFINITY, false},
        {"metrics.log_freq", 1, INFINITY, false},
        {"checkpoint.interval", 1, INFINITY, false},
        {"checkpoint.keep_latest_k", 0, INFINITY, false},
        {"optimizer.lr", 0, INFINITY, false},
        {"optimizer.eps", 0, INFINITY, false},
        {"optimizer.weight_decay", 0, INFINITY, false},
        {"optimizer.beta1", 0, 1, true},
        {"optimizer.beta2", 0, 1, true},
        {"lr_scheduler.warmup_steps", 0, INFINITY, false},
        {"lr_scheduler.decay_ratio", 0, 1, false},
        {"lr_scheduler.min_lr_factor", 0, 1, false},
    };
    static const struct check_words words[] = {
        {"optimizer.implementation", "fused|foreach|for-loop|fused_opt_states_bf16"},
        {"lr_scheduler.decay_type", "linear|sqrt|cosine"},
        {"checkpoint.async_mode", "disabled|async|async_with_pinned_mem"},
        {"checkpoint.export_dtype", "float16|bfloat16|float32"},
    };
    const struct check_pair pairs[] = {
        {check_number(c, "checkpoint.keep_latest_k") == 1, "1.value", "checkpoint.keep_latest_k",
         "one may be half written: two are kept at least, or all (0)", "give 2"},
        {check_is_on(c, "checkpoint.initial_load_in_hf") &&
             check_is_off(c, "checkpoint.initial_load_model_only"),
         "12.needs", "checkpoint.initial_load_in_hf", "needs initial_load_model_only",
         "set it to true"},
        {check_is_on(c, "checkpoint.last_save_in_hf") &&
             check_is_off(c, "checkpoint.last_save_model_only"),
         "12.needs", "checkpoint.last_save_in_hf", "needs last_save_model_only", "set it to true"},
    };
    check_ranges_of(c, ranges, CHECK_COUNT(ranges));
    check_words_of(c, words, CHECK_COUNT(words));
    check_pairs_of(c, pairs, CHECK_COUNT(pairs));
}

/* ---- TrainingArguments of transformers, and the tools on it ---- */

static void check_training(const struct settings_check *c)
{
    static const struct check_range ranges[] = {
        {"per_device_train_batch_size", 1, INFINITY, false},
        {"micro_batch_size", 1, INFINITY, false},
        {"gradient_accumulation_steps", 1, INFINITY, false},
        {"learning_rate", 0, INFINITY, false},
        {"weight_decay", 0, INFINITY, false},
        {"adam_beta1", 0, 1, true},
        {"adam_beta2", 0, 1, true},
        {"adam_epsilon", 0, INFINITY, false},
        {"warmup_ratio", 0, 1, false},
    };
    check_ranges_of(c, ranges, CHECK_COUNT(ranges));
}

/* "no", "steps", "epoch" of eval_strategy and its name before. */
static const struct setting *evaluates(const struct settings_check *c)
{
    const struct setting *s = check_find(c, "eval_strategy");
    return s ? s : check_find(c, "evaluation_strategy");
}

static void check_trainer(const struct settings_check *c)
{
    static const struct check_words words[] = {
        {"lr_scheduler_type",
         "linear|cosine|cosine_with_restarts|polynomial|constant|constant_with_warmup|inverse_sqrt|"
         "reduce_lr_on_plateau|cosine_with_min_lr|cosine_warmup_with_min_lr|warmup_stable_decay|"
         "greedy"},
        {"eval_strategy", "no|steps|epoch"},
        {"evaluation_strategy", "no|steps|epoch"},
        {"save_strategy", "no|steps|epoch|best"},
        {"logging_strategy", "no|steps|epoch"},
    };
    const struct setting *evaluated = evaluates(c);
    const char *evaluation = evaluated ? evaluated->text : "no";
    const struct setting *saved = check_find(c, "save_strategy");
    const char *saving = saved ? saved->text : "steps";
    const bool best = check_is_on(c, "load_best_model_at_end") && strcasecmp(saving, "best") != 0;
    const bool in_steps = strcasecmp(saving, "steps") == 0;
    const double every = check_number(c, "save_steps"), eval = check_number(c, "eval_steps");
    const bool by_steps =
        !check_find(c, "logging_strategy") || check_says(c, "logging_strategy", "steps");
    const struct check_pair pairs[] = {
        {check_is_on(c, "fp16") && check_is_on(c, "bf16"), "12.excludes", "fp16",
         "cannot be on with bf16", "turn one of them off"},
        {best && strcasecmp(evaluation, saving) != 0, "12.needs", "load_best_model_at_end",
         "needs the same strategy for saving and evaluation", "make save_strategy eval_strategy"},
        {best && in_steps && strcasecmp(evaluation, saving) == 0 && every >= 1 && eval >= 1 &&
             fmod(every, eval) != 0,
         "3.divide", "save_steps", "is not a multiple of eval_steps, which the best model needs",
         "correct one of them"},
        {by_steps && check_number(c, "logging_steps") == 0, "1.value", "logging_steps",
         "must not be 0 where logs go by steps", "give logging_strategy no"},
        {strcasecmp(evaluation, "steps") == 0 && eval == 0 && check_number(c, "logging_steps") == 0,
         "1.value", "eval_steps", "must not be 0 where evaluations go by steps", "give a number"},
    };
    check_training(c);
    check_words_of(c, words, CHECK_COUNT(words));
    check_pairs_of(c, pairs, CHECK_COUNT(pairs));
}

/* ---- all ---- */

void settings_check(const char *format, const struct config_source *source, struct notes *notes)
{
    static const struct {
        const char *format;
        void (*check)(const struct settings_check *c);
    } checks[] = {
        {"torchtitan", check_torchtitan},
        {"trainer", check_trainer},
        {"llama-factory", check_trainer},
        {"axolotl", check_training},
    };
    struct settings settings;
    struct rk_error error;
    const struct settings_check c = {&settings, notes};
    if (settings_read(&settings, source->path, source->text, source->sets, source->set_count,
                      &error) == RK_OK) {
        if (strcmp(format, "deepspeed") == 0) deepspeed_check(&c, source->gpus);
        for (size_t i = 0; i < CHECK_COUNT(checks); i++)
            if (strcmp(checks[i].format, format) == 0) checks[i].check(&c);
    }
    settings_release(&settings);
}
