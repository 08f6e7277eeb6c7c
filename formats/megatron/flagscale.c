/* flagscale.c - FlagScale's training files: the sections system, model and data hold arguments of
 * Megatron-LM by name, however deep; a file of a run names the one that has them.
 *
 * Keys and how they become arguments: FlagScale's flagscale/runner/runner_train.py and utils.py
 * (flatten_dict_to_args); the width of its MLPs: flagscale/runner/auto_tuner/utils.py. */
#include "megatron/config_words.h"
#include "megatron/megatron_flags.h"
#include "text/text_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct key rows[] = {
    READ("experiment.runner.nnodes", KEY_COUNT, nodes), READ("experiment.runner.nproc_per_node", KEY_COUNT, devices),
    READ("experiment.task.backend", KEY_TEXT, framework), READ("experiment.task.entrypoint", KEY_TEXT, model), READ("experiment.task.type", KEY_TEXT, config),
    LATER("system.*"), LATER("model.*"), LATER("data.*"), LATER("train.*"),
#include "tables/flagscale.h"
};

/* FlagScale's own arguments; those of Megatron-LM are in its own tables. */
static const struct key own_rows[] = {
    NONE("multiple_of"), NONE("hidden_dim_multiplier"), /* see put_width */
#include "tables/flagscale-arguments.h"
};
/* clang-format on */

const struct key_table flagscale_keys = KEY_TABLE(rows);
static const struct key_table own_keys = KEY_TABLE(own_rows);

static const char *const sections[] = {"system.", "model.", "data.", NULL};

/* The part of a key below the sections, or NULL: "train.model.x" is that too. */
static const char *below(const char *key)
{
    if (strncmp(key, "train.", 6) == 0) key += 6;
    for (int i = 0; sections[i]; i++)
        if (strncmp(key, sections[i], strlen(sections[i])) == 0) return key;
    return NULL;
}

static bool is_number(const char *text, size_t length)
{
    return length && strspn(text, "0123456789") >= length;
}

/* What "${experiment.seed}" refers to, in the run's own file; NULL: nothing there. */
static const char *refer(const struct settings *outer, const char *text)
{
    char name[160];
    const size_t n = strlen(text);
    if (strncmp(text, "${", 2) != 0 || text[n - 1] != '}') return text;
    snprintf(name, sizeof name, "%.*s", (int)n - 3, text + 2);
    const struct setting *found = settings_find(outer, name);
    return found ? found->text : NULL;
}

/* "model.optimizer.lr" is --lr, "model.recompute_modules.0" begins a list, ".1" continues with it.
 */
static enum rk_status put_argument(struct list *l, const struct settings *outer,
                                   const struct setting *s)
{
    char name[128] = "--";
    const char *text = refer(outer, s->text);
    const char *end = s->key + strlen(s->key), *leaf = end;
    bool first = true;
    for (;;) { /* back over the indices */
        while (leaf > s->key && leaf[-1] != '.')
            leaf--;
        if (leaf == s->key || !is_number(leaf, (size_t)(end - leaf))) break;
        first &= end - leaf == 1 && *leaf == '0';
        end = leaf - 1;
        leaf = end;
    }
    snprintf(name + 2, sizeof name - 2, "%.*s", (int)(end - leaf), leaf);
    const struct key *row = key_find(&own_keys, name + 2);
    if (s->null || key_passes(row, name + 2, s, l->notes)) return RK_OK;
    for (char *p = name; *p; p++)
        if (*p == '_') *p = '-';
    const bool matters = megatron_flag_find(name, NULL) >= 0 && strcmp(name, "--ckpt-format") != 0;
    if (!text && !matters) return RK_OK;
    if (!text)
        return settings_fail(l->settings, s, l->error,
                             "%.80s refers to what is not in this file: give --set %.80s=VALUE",
                             s->text, s->key);
    const int flag = s->quoted || is_number(text, strlen(text)) ? -1 : key_flag(text);
    if (flag == 0) return RK_OK;
    if (first) words_put(l, name, strlen(name), s);
    if (flag < 0) words_put(l, text, strlen(text), s);
    return RK_OK;
}

/* The value in the run's own file, or else in the one that it names. */
static const struct setting *value_of(const struct settings *outer, const struct settings *inner,
                                      const char *key)
{
    char longer[160];
    snprintf(longer, sizeof longer, "train.%s", key);
    const struct setting *found = settings_find(outer, key);
    if (!found) found = settings_find(outer, longer);
    return found ? found : settings_find(inner, key);
}

/* `multiple_of`: two thirds of four times the hidden size, rounded up. */
static void put_width(struct list *l, const struct settings *outer, const struct settings *inner)
{
    const struct setting *multiple = value_of(outer, inner, "model.multiple_of");
    const struct setting *swiglu = value_of(outer, inner, "model.swiglu");
    const struct setting *factor = value_of(outer, inner, "model.hidden_dim_multiplier");
    const struct setting *hidden = value_of(outer, inner, "model.hidden_size");
    if (!multiple || !hidden || !swiglu || key_flag(swiglu->text) != 1 ||
        value_of(outer, inner, "model.ffn_hidden_size"))
        return;
    const uint64_t of = strtoull(multiple->text, NULL, 10);
    double width = floor(8.0 * strtod(hidden->text, NULL) / 3);
    if (factor) width = floor(width * strtod(factor->text, NULL));
    if (!of || of > 1000000000 || !(width >= 0 && width < 1e9)) return;
    words_format(l, "--ffn-hidden-size %" PRIu64, ((uint64_t)width + of - 1) / of * of);
}

enum { FILE_BYTES = 1 << 20 };

/* The file of `defaults: [train: NAME]`, in the folder train next to this one. */
static enum rk_status open_inner(const struct words_reading *r, struct settings *inner,
                                 const struct key_options *options, struct rk_error *error)
{
    struct run run;
    char path[4096], *text = NULL;
    size_t size;
    const char *name = NULL, *from = r->settings.path, *slash = strrchr(from, '/');
    for (size_t i = 0; i < r->settings.count && !name; i++) {
        const char *key = r->settings.setting[i].key, *dot = strrchr(key, '.');
        if (strncmp(key, "defaults.", 9) == 0 && strcmp(dot, ".train") == 0)
            name = r->settings.setting[i].text;
    }
    if (!name) return RK_OK;
    snprintf(path, sizeof path, "%.*strain/%s.yaml", slash ? (int)(slash - from) + 1 : 0, from,
             name);
    enum rk_status status = text_file_load(path, FILE_BYTES, &text, &size, error);
    if (status != RK_OK)
        return rk_fail(error, RK_BAD_INPUT, from, 0, 0,
                       "defaults.train %.80s: %.200s is not next to this file: give that one", name,
                       path);
    status = settings_read(inner, path, text, NULL, 0, error);
    free(text);
    struct notes *notes = calloc(1, sizeof *notes);
    if (!notes) return rk_fail(error, RK_NO_MEMORY, from, 0, 0, "out of memory");
    if (status == RK_OK) status = keys_read(inner, &flagscale_keys, options, &run, notes, error);
    free(notes);
    return status;
}

static enum rk_status judge_task(const char *path, const char *type, const char *backend,
                                 const char *program, struct rk_error *error)
{
    if ((type && strcmp(type, "train") != 0) || (backend && strcmp(backend, "megatron") != 0))
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "experiment.task is %.40s by %.40s: only training by megatron is read here",
                       type ? type : "train", backend ? backend : "megatron");
    if (program && !strstr(program, "gpt") && !strstr(program, "aquila"))
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "experiment.task.entrypoint %.80s trains no decoder of text that is known",
                       program);
    return RK_OK;
}

/* What the arguments of a file without a run are for says the run's file in the folder above. */
static enum rk_status judge_above(const struct words_reading *r, struct rk_error *error)
{
    char path[4096], *text = NULL;
    size_t size;
    struct rk_error none;
    struct settings above = {.count = 0};
    const char *from = r->settings.path, *slash = strrchr(from, '/');
    snprintf(path, sizeof path, "%.*s../train.yaml", slash ? (int)(slash - from) + 1 : 0, from);
    if (text_file_load(path, FILE_BYTES, &text, &size, &none) != RK_OK) return RK_OK;
    enum rk_status status = settings_read(&above, path, text, NULL, 0, error);
    free(text);
    const struct setting *type = settings_find(&above, "experiment.task.type");
    const struct setting *backend = settings_find(&above, "experiment.task.backend");
    const struct setting *program = settings_find(&above, "experiment.task.entrypoint");
    if (status == RK_OK)
        status = judge_task(path, type ? type->text : NULL, backend ? backend->text : NULL,
                            program ? program->text : NULL, error);
    settings_release(&above);
    return status;
}

/* Which file wins depends on where _self_ stands among Hydra's defaults: the two must agree. */
static enum rk_status put_inner(struct words_reading *r, const struct settings *inner,
                                struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (size_t i = 0; status == RK_OK && i < inner->count; i++) {
        const struct setting *s = &inner->setting[i];
        const struct setting *said = below(s->key) ? value_of(&r->settings, inner, s->key) : NULL;
        if (!said || said->given) continue;
        if (strcmp(said->text, s->text) != 0)
            return settings_fail(
                &r->settings, said, error,
                "is %.60s here and %.60s in the file of defaults.train: give --set "
                "%.80s=VALUE",
                said->text, s->text, said->key);
        status = put_argument(&r->list, &r->settings, s);
    }
    return status;
}

static enum rk_status interpret(struct words_reading *r, const struct config_source *source,
                                struct rk_error *error)
{
    struct settings inner = {.count = 0};
    uint64_t gpus = source->gpus;
    const struct run *run = &r->run;
    enum rk_status status =
        judge_task(source->path, run->config, run->framework, run->model, error);
    if (!run->model && !settings_has(&r->settings, "experiment")) status = judge_above(r, error);
    if (status == RK_OK) status = open_inner(r, &inner, &source->keys, error);
    if (status == RK_OK) status = put_inner(r, &inner, error);
    for (size_t i = 0; status == RK_OK && i < r->settings.count; i++)
        if (below(r->settings.setting[i].key))
            status = put_argument(&r->list, &r->settings, &r->settings.setting[i]);
    if (status == RK_OK) put_width(&r->list, &r->settings, &inner);
    if (!gpus) gpus = r->run.nodes * r->run.devices;
    if (status == RK_OK) status = words_finish(&r->list, "FlagScale", gpus, &r->import);
    settings_release(&inner);
    return status;
}

enum rk_status flagscale_read(const struct config_source *source, struct rk_model *model,
                              struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    return words_read(source, &flagscale_keys, interpret, model, plan, notes, error);
}
