/* config_destinations.c - configurations whose keys are the names of Megatron-LM's arguments:
 * Megatron-LM's own YAML, Primus, FlagScale.
 *
 * Keys: Primus' primus/configs, FlagScale's flagscale/runner/runner_train.py. */
#include "base/text.h"
#include "megatron/config_words.h"
#include "megatron/megatron_flags.h"
#include "megatron/primus_frameworks.h"
#include "text/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
/* Destinations of arguments whose name says the opposite, in argparse's way. */
static const struct key destination_rows[] = {
    VALUE("params_dtype", ""),
    NONE("patch_primus_pipeline"), NONE("pp_algorithm"), NONE("patch_zero_bubble"), /* see read_algorithm */
#include "tables/megatron-yaml.h"
};

static const struct key primus_rows[] = {
    READ("modules.pre_trainer.framework", KEY_TEXT, framework), READ("modules.pre_trainer.model", KEY_TEXT, model), READ("modules.pre_trainer.config", KEY_TEXT, config),
    LATER("modules.pre_trainer.overrides.*"), SET("*"),
#include "tables/primus.h"
};
/* clang-format on */

const struct key_table megatron_yaml_keys = KEY_TABLE(destination_rows);
const struct key_table primus_keys = KEY_TABLE(primus_rows);

/* ---- Megatron-LM's arguments by their destinations ---- */

/* "recompute_modules.1" continues with the list of .0 */
static bool continues_list(const char *key)
{
    const char *dot = strrchr(key, '.');
    return dot && strspn(dot + 1, "0123456789") == strlen(dot + 1) && strcmp(dot, ".0") != 0;
}

/* Keys of Primus' zero-bubble patch, whose presets are on without it. */
static bool of_zero_bubble(const char *key)
{
    return strncmp(key, "zero_bubble_", 12) == 0 || strcmp(key, "enable_zero_bubble") == 0 ||
           strcmp(key, "enable_zb_runtime") == 0 || strcmp(key, "enable_1f1b_v") == 0 ||
           strcmp(key, "patch_zero_bubble") == 0;
}

/* "--num-layers" of num_layers; gives the argument, -1 if it is none. */
static int argument_of(const char *key, char name[128], size_t *length)
{
    size_t n = 2;
    memcpy(name, "--", 3);
    for (const char *p = key; *p && *p != '.' && n + 1 < 128; p++)
        name[n++] = *p == '_' ? '-' : *p;
    name[n] = '\0';
    *length = n;
    return megatron_flag_find(name, NULL);
}

static enum rk_status put_destination(struct list *l, const char *key, const struct setting *s)
{
    char name[128];
    size_t n;
    struct megatron_other other;
    key += strspn(key, "_"); /* "--" of arguments as Megatron-LM's tests write them */
    const struct key *row = key_find(&megatron_yaml_keys, key);
    const int flag = argument_of(key, name, &n), truth = key_flag(s->text);
    if (s->null) return RK_OK;
    if (row && flag >= 0 && strchr(row->path, '*')) row = NULL; /* disable_*, but not this one */
    const bool plain = row && (l->defaults || !strchr(row->path, '*')) && row->use == KEY_NONE;
    if (plain || key_passes(row, key, s, l->notes)) return RK_OK;
    if (row && row->use == KEY_NONE) row = NULL; /* an argument of that name, if there is one */
    if (l->even_pipeline && of_zero_bubble(key)) return RK_OK;
    if (row && strcmp(row->path, "swiglu") != 0) return words_row(l, row, s);
    if (continues_list(key)) {
        words_put(l, s->text, strlen(s->text), s);
        return RK_OK;
    }
    const bool is_switch = flag >= 0 && (megatron_flags[flag].kind == MEGATRON_SWITCH ||
                                         megatron_flags[flag].kind == MEGATRON_REFUSED);
    const bool passed = flag < 0 && megatron_other_find(name + 2, &other);
    const bool known = flag >= 0 || passed;
    if ((is_switch || passed || (l->defaults && !known)) && truth == 0) return RK_OK; /* off */
    if (l->defaults && !known) return RK_OK; /* a default of the tool's own files */
    words_put(l, name, n, s);
    if (!is_switch && !(passed && !other.values)) words_put(l, s->text, strlen(s->text), s);
    return RK_OK;
}

static enum rk_status put_destinations(struct list *l, const struct settings *settings,
                                       const char *prefix)
{
    const size_t n = strlen(prefix);
    enum rk_status status = RK_OK;
    for (size_t i = 0; status == RK_OK && i < settings->count; i++)
        if (strncmp(settings->setting[i].key, prefix, n) == 0)
            status = put_destination(l, settings->setting[i].key + n, &settings->setting[i]);
    return status;
}

/* Megatron-LM's tests do not say which program they start. The vocabularies of BERT and T5 are
 * lists of word pieces (vocab.txt), those of GPT are not. */
static enum rk_status check_program(const struct words_reading *r, struct rk_error *error)
{
    if (!settings_find(&r->settings, "MODEL_ARGS.__micro_batch_size")) return RK_OK;
    const struct setting *words = settings_find(&r->settings, "MODEL_ARGS.__vocab_file");
    if (words && text_ends_in(words->text, ".txt"))
        return rk_fail(error, RK_BAD_INPUT, r->list.source->path, words->line, words->column,
                       "the vocabulary is that of BERT or T5: encoders are not covered, decoders "
                       "are");
    const struct setting *image = settings_find(&r->settings, "MODEL_ARGS.__img_h");
    if (image)
        return rk_fail(error, RK_BAD_INPUT, r->list.source->path, image->line, image->column,
                       "the model takes images, which models here do not describe");
    notes_add(r->list.notes, NOTE_ASSUMED, 0, 0, "the program", "pretrain_gpt.py",
              "the file does not say for which program its arguments are");
    return RK_OK;
}

static enum rk_status interpret_yaml(struct words_reading *r, const struct config_source *source,
                                     struct rk_error *error)
{
    uint64_t gpus = source->gpus;
    const struct setting *world = settings_find(&r->settings, "world_size");
    if (check_program(r, error) != RK_OK) return error->status;
    if (!gpus && world) gpus = strtoull(world->text, NULL, 10);
    enum rk_status status = put_destinations(&r->list, &r->settings, "language_model.");
    for (size_t i = 0; status == RK_OK && i < r->settings.count; i++) {
        const char *key = r->settings.setting[i].key, *dot = strchr(key, '.');
        const bool section = strncmp(key, "language_model.", 15) == 0;
        const bool model =
            strncmp(key, "model_parallel.", 15) == 0 || strncmp(key, "MODEL_ARGS.", 11) == 0;
        const bool run = strcmp(key, "world_size") == 0 || strncmp(key, "ENV_VARS.", 9) == 0;
        if (section || run) continue;
        status = put_destination(&r->list, model ? dot + 1 : key, &r->settings.setting[i]);
    }
    return status == RK_OK ? words_finish(&r->list, "", gpus, &r->import) : status;
}

enum rk_status megatron_yaml_read(const struct config_source *source, struct rk_model *model,
                                  struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    static const struct key rows[] = {LATER("*")}; /* the arguments' own tables judge them */
    static const struct key_table any = KEY_TABLE(rows);
    return words_read(source, &any, interpret_yaml, model, plan, notes, error);
}

/* ---- Primus ---- */

enum { PRIMUS_BYTES = 1 << 20, PRIMUS_DEPTH = 8 };

/* Keys of an earlier file override those of a later one. */
static bool is_seen(const struct list *l, const char *key, size_t before)
{
    const size_t n = strcspn(key, ".");
    for (size_t i = 0; i < before; i++)
        if (strncmp(l->key[i], key, n) == 0 && !l->key[i][n]) return true;
    return false;
}

static void see(struct list *l, const char *key)
{
    const size_t n = strcspn(key, ".");
    if (l->seen == MOST_WORDS || l->used + n + 1 > sizeof l->text) {
        l->full = true;
        return;
    }
    char *copy = l->text + l->used;
    memcpy(copy, key, n);
    copy[n] = '\0';
    l->used += n + 1;
    l->key[l->seen++] = copy;
}

/* "${VAR:default}" is the default, unless --set gives VAR. */
static enum rk_status put_primus_value(struct list *l, const char *key, const struct setting *s)
{
    struct setting plain = *s;
    char text[256];
    plain.null |= strcmp(s->text, "null") == 0; /* of a command line */
    if (strncmp(s->text, "${", 2) == 0) {
        const char *colon = strchr(s->text, ':'), *end = strrchr(s->text, '}');
        if (!colon || !end || end < colon) return RK_OK;
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)(colon - s->text - 2), s->text + 2);
        const struct setting *given = settings_find(l->settings, name);
        snprintf(text, sizeof text, "%.*s", (int)(end - colon - 1), colon + 1);
        plain.text = given ? given->text : text;
        plain.null = !*plain.text || strcmp(plain.text, "null") == 0;
    }
    return put_destination(l, key, &plain);
}

/* The settings below a prefix, but for keys of files before. */
static enum rk_status put_primus_values(struct list *l, const struct settings *file,
                                        const char *prefix)
{
    const size_t n = strlen(prefix), before = l->seen;
    enum rk_status status = RK_OK;
    for (size_t i = 0; status == RK_OK && i < file->count; i++) {
        const char *key = file->setting[i].key + n;
        if (strncmp(file->setting[i].key, prefix, n) != 0 || is_seen(l, key, before)) continue;
        if (strncmp(key, "extends", 7) == 0 || strncmp(key, "includes", 8) == 0) continue;
        status = put_primus_value(l, key, &file->setting[i]);
        see(l, key);
    }
    return status;
}

/* A file of Primus' own, "configs/models/megatron/NAME", above the experiment. */
static enum rk_status put_primus_file(struct list *l, const char *folder, const char *name,
                                      int depth)
{
    char path[4096], *text = NULL;
    size_t size;
    struct rk_error error;
    struct settings file;
    const char *slash = strrchr(l->source->path, '/');
    const int here = slash ? (int)(slash - l->source->path) + 1 : 0;
    enum rk_status status = RK_BAD_INPUT;
    if (depth > PRIMUS_DEPTH)
        return rk_fail(l->error, RK_BAD_INPUT, l->settings->path, 0, 0,
                       "%.80s: Primus' files extend each other without end: correct extends in "
                       "primus/configs/%s",
                       name, folder);
    for (int up = 0; up < 7 && status != RK_OK; up++) {
        snprintf(path, sizeof path, "%.*s%.*sprimus/configs/%s/%s", here, l->source->path, 3 * up,
                 "../../../../../../", folder, name);
        status = text_file_load(path, PRIMUS_BYTES, &text, &size, &error);
    }
    if (status != RK_OK)
        return rk_fail(
            l->error, RK_BAD_INPUT, l->settings->path, 0, 0,
            "%.80s: Primus' file of that name is not above this one (primus/configs/%s): "
            "give the model's sizes with --set modules.pre_trainer.overrides.KEY=VALUE",
            name, folder);
    status = settings_read(&file, path, text, NULL, 0, l->error);
    free(text);
    if (status == RK_OK) status = put_primus_values(l, &file, "");
    for (size_t i = 0; status == RK_OK && i < file.count; i++)
        if (strncmp(file.setting[i].key, "extends", 7) == 0 ||
            strncmp(file.setting[i].key, "includes", 8) == 0)
            status = put_primus_file(l, folder, file.setting[i].text, depth + 1);
    settings_release(&file);
    return status;
}

/* Primus' own pipeline, which runs instead of Megatron-LM's. */
static enum rk_status read_algorithm(struct words_reading *r, const struct config_source *source,
                                     struct rk_error *error)
{
    static const struct {
        const char *name;
        enum rk_schedule schedule;
    } algorithms[] = {{"1f1b", RK_1F1B},
                      {"1f1b-interleaved", RK_1F1B},
                      {"zero-bubble", RK_ZERO_BUBBLE},
                      {"zbv-formatted", RK_V_ZERO},
                      {"v-half", RK_V_HALF},
                      {"v-min", RK_V_MIN}};
    const struct setting *patch =
        settings_find(&r->settings, "modules.pre_trainer.overrides.patch_primus_pipeline");
    const struct setting *named =
        settings_find(&r->settings, "modules.pre_trainer.overrides.pp_algorithm");
    if (!patch || key_flag(patch->text) != 1 || !named) return RK_OK;
    /* "${PRIMUS_PP_ALGO:v-half}" too */
    const char *colon = strncmp(named->text, "${", 2) == 0 ? strchr(named->text, ':') : NULL;
    const char *name = colon ? colon + 1 : named->text;
    const size_t length = colon ? strcspn(name, "}") : strlen(name);
    for (size_t i = 0; i < COUNT_OF(algorithms); i++)
        if (strlen(algorithms[i].name) == length && !strncmp(name, algorithms[i].name, length)) {
            r->import.plan.schedule = algorithms[i].schedule;
            return RK_OK;
        }
    return rk_fail(error, RK_BAD_INPUT, source->path, 0, 0,
                   "pp_algorithm %.40s is not read: give 1f1b, 1f1b-interleaved, zero-bubble, "
                   "zbv-formatted, v-half or v-min",
                   named->text);
}

/* Megatron-LM's own; of the others that are read the file is that tool's in another form. */
static enum rk_status read_framework(struct words_reading *r, const struct config_source *source,
                                     struct rk_error *error)
{
    const struct run *run = &r->run;
    const char *name = run->framework ? run->framework : "missing";
    const bool titan = strcmp(name, "torchtitan") == 0;
    if (!titan && strcmp(name, "maxtext") != 0)
        return rk_fail(error, RK_BAD_INPUT, source->path, 0, 0,
                       "modules.pre_trainer.framework is %.40s: megatron, torchtitan and maxtext "
                       "are read here",
                       name);
    if (titan && !source->find_model)
        return rk_fail(error, RK_BAD_INPUT, source->path, 0, 0,
                       "trains with torchtitan, which this question is not answered for: give the "
                       "experiment to reckon import primus");
    return primus_read_framework(source, &r->settings, name, run->model, run->config,
                                 &r->import.model, &r->import.plan, r->list.notes, error);
}

static enum rk_status interpret_primus(struct words_reading *r, const struct config_source *source,
                                       struct rk_error *error)
{
    static const char overrides[] = "modules.pre_trainer.overrides.";
    const struct run *run = &r->run;
    enum rk_status status = RK_OK;
    if (!run->framework || strcmp(run->framework, "megatron") != 0)
        return read_framework(r, source, error);
    const struct setting *patch =
        settings_find(&r->settings, "modules.pre_trainer.overrides.patch_zero_bubble");
    r->list.even_pipeline = !patch || key_flag(patch->text) != 1;
    status = put_primus_values(&r->list, &r->settings, overrides);
    r->list.defaults = true;
    if (status == RK_OK && run->model) { /* "${PRIMUS_MODEL:llama3.1_8B}.yaml" too */
        const char *colon = strstr(run->model, "${") ? strchr(run->model, ':') : NULL;
        const char *end = colon ? strchr(colon, '}') : NULL;
        char name[160];
        snprintf(name, sizeof name, "%.*s%s", end ? (int)(end - colon - 1) : 150,
                 end ? colon + 1 : run->model, end ? end + 1 : "");
        status = put_primus_file(&r->list, "models/megatron", name, 0);
    }
    if (status == RK_OK && run->config)
        status = put_primus_file(&r->list, "modules/megatron", run->config, 0);
    if (status == RK_OK) status = words_finish(&r->list, "Primus", source->gpus, &r->import);
    return status == RK_OK ? read_algorithm(r, source, error) : status;
}

enum rk_status primus_read(const struct config_source *source, struct rk_model *model,
                           struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    return words_read(source, &primus_keys, interpret_primus, model, plan, notes, error);
}
