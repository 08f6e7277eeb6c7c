#include "megatron/primus_frameworks.h"

#include "text/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES = 1 << 20, MOST_KEYS = 1024, DEPTH = 8, FOLDERS_UP = 7 };

/* "KEY=VALUE" of all files; what was there first wins. */
struct gathered {
    const struct config_source *source;
    const char *framework;
    struct rk_error *error;
    char *set[MOST_KEYS];
    size_t count;
};

/* The key without the number in a list: a list is replaced as a whole. */
static size_t stem(const char *key, size_t length)
{
    size_t n = length;
    while (n && key[n - 1] >= '0' && key[n - 1] <= '9')
        n--;
    return n < length && n && key[n - 1] == '.' ? n : length;
}

static bool is_there(const struct gathered *g, const char *key, size_t before)
{
    const size_t n = stem(key, strlen(key));
    for (size_t i = 0; i < before; i++) {
        const size_t has = stem(g->set[i], strcspn(g->set[i], "="));
        if (has == n && strncmp(g->set[i], key, n) == 0) return true;
    }
    return false;
}

static enum rk_status put(struct gathered *g, const char *key, const char *value)
{
    const size_t size = strlen(key) + strlen(value) + 2;
    char *text = g->count < MOST_KEYS ? malloc(size) : NULL;
    if (!text)
        return rk_fail(g->error, RK_BAD_INPUT, g->source->path, 0, 0, "has more than %d keys",
                       MOST_KEYS);
    snprintf(text, size, "%s=%s", key, value);
    g->set[g->count++] = text;
    return RK_OK;
}

/* "${VAR:default}" is the default; null says nothing. */
static enum rk_status put_all(struct gathered *g, const struct settings *file, const char *prefix)
{
    const size_t n = strlen(prefix), before = g->count;
    enum rk_status status = RK_OK;
    for (size_t i = 0; status == RK_OK && i < file->count; i++) {
        const struct setting *s = &file->setting[i];
        const char *key = s->key + n, *colon = strchr(s->text, ':');
        char text[256];
        if (strncmp(s->key, prefix, n) != 0 || s->null || is_there(g, key, before) ||
            strncmp(key, "extends", 7) == 0 || strncmp(key, "includes", 8) == 0)
            continue;
        snprintf(text, sizeof text, "%.255s", s->text);
        if (strncmp(s->text, "${", 2) == 0 && colon)
            snprintf(text, sizeof text, "%.*s", (int)strcspn(colon + 1, "}"), colon + 1);
        status = put(g, key, text);
    }
    return status;
}

/* A file of Primus' own, "primus/configs/models/torchtitan/NAME", above the experiment. */
static enum rk_status put_file(struct gathered *g, const char *folder, const char *name, int depth)
{
    char path[4096], *text = NULL;
    size_t size;
    struct rk_error missing;
    struct settings file;
    const char *slash = strrchr(g->source->path, '/'), *colon = strstr(name, "${");
    const int here = slash ? (int)(slash - g->source->path) + 1 : 0;
    char plain[160];
    snprintf(plain, sizeof plain, "%.159s", name);
    if (colon && (colon = strchr(colon, ':'))) { /* "${PRIMUS_MODEL:llama3.1_8B}.yaml" */
        const int n = (int)strcspn(colon + 1, "}");
        const char *rest = colon[1 + n] ? colon + 2 + n : "";
        snprintf(plain, sizeof plain, "%.*s%.40s", n < 100 ? n : 100, colon + 1, rest);
    }
    enum rk_status status = RK_BAD_INPUT;
    for (int up = 0; depth < DEPTH && up < FOLDERS_UP && status != RK_OK; up++) {
        snprintf(path, sizeof path, "%.*s%.*sprimus/configs/%s/%s/%s", here, g->source->path,
                 3 * up, "../../../../../../", folder, g->framework, plain);
        status = text_file_load(path, FILE_BYTES, &text, &size, &missing);
    }
    if (status != RK_OK)
        return rk_fail(g->error, RK_BAD_INPUT, g->source->path, 0, 0,
                       "%.80s: Primus' file of that name is not above this one "
                       "(primus/configs/%s/%s): give the experiment within a checkout of Primus",
                       plain, folder, g->framework);
    status = settings_read(&file, path, text, NULL, 0, g->error);
    free(text);
    if (status == RK_OK) status = put_all(g, &file, "");
    for (size_t i = 0; status == RK_OK && i < file.count; i++)
        if (strncmp(file.setting[i].key, "extends", 7) == 0 ||
            strncmp(file.setting[i].key, "includes", 8) == 0)
            status = put_file(g, folder, file.setting[i].text, depth + 1);
    settings_release(&file);
    return status;
}

static enum rk_status read(struct gathered *g, struct rk_model *model, struct rk_plan *plan,
                           struct notes *notes)
{
    struct config_source as = *g->source;
    as.text = "{}\n";
    as.sets = (const char *const *)g->set;
    as.set_count = g->count;
    enum rk_status status = RK_OK;
    if (strcmp(g->framework, "maxtext") == 0)
        return maxtext_read(&as, model, plan, notes, g->error);
    if (as.find_model && as.find_model(&as, model, notes, g->error) != RK_OK)
        return rk_fail(g->error, RK_BAD_INPUT, g->source->path, 0, 0,
                       "model.flavor, by which torchtitan's model is found in the catalog, is "
                       "missing or not there: write what stands below overrides into a file of "
                       "its own, for reckon import torchtitan --model MODEL --gpus N");
    return status == RK_OK ? torchtitan_read(&as, model, plan, notes, g->error) : status;
}

enum rk_status primus_read_framework(const struct config_source *source,
                                     const struct settings *experiment, const char *framework,
                                     const char *model_file, const char *config_file,
                                     struct rk_model *model, struct rk_plan *plan,
                                     struct notes *notes, struct rk_error *error)
{
    struct gathered *g = calloc(1, sizeof *g);
    if (!g) return rk_fail(error, RK_NO_MEMORY, source->path, 0, 0, "out of memory");
    g->source = source;
    g->framework = framework;
    g->error = error;
    enum rk_status status = RK_OK;
    for (size_t i = 0; status == RK_OK && i < source->set_count; i++) { /* by the tool's keys */
        const char *equals = strchr(source->sets[i], '=');
        char key[160];
        if (!equals || strncmp(source->sets[i], "modules.", 8) == 0) continue;
        snprintf(key, sizeof key, "%.*s", (int)(equals - source->sets[i]), source->sets[i]);
        status = put(g, key, equals + 1);
    }
    if (status == RK_OK) status = put_all(g, experiment, "modules.pre_trainer.overrides.");
    if (status == RK_OK && model_file) status = put_file(g, "models", model_file, 0);
    if (status == RK_OK && config_file) status = put_file(g, "modules", config_file, 0);
    if (status == RK_OK) status = read(g, model, plan, notes);
    for (size_t i = 0; i < g->count; i++)
        free(g->set[i]);
    free(g);
    return status;
}
