/* trainer_files.c - files that a configuration of a trainer names. */
#include "trainers/trainer_files.h"
#include "shell/shell.h"
#include "text/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIG_BYTES = 1 << 20, FOLDERS = 5 };

char *trainer_file(const struct config_source *source, const char *name)
{
    char path[4096], *text = NULL;
    size_t size;
    struct rk_error error;
    struct shell_word written = {.unknown = 0};
    const char *inner = source->script ? shell_file(source->script, name, &written) : NULL;
    if (inner) return written.unknown ? NULL : strdup(inner);
    const char *slash = strrchr(source->path, '/');
    const int folder = slash ? (int)(slash - source->path) + 1 : 0;
    for (int up = 0; up < FOLDERS; up++) {
        snprintf(path, sizeof path, "%.*s%.*s%s", *name == '/' ? 0 : folder, source->path,
                 *name == '/' ? 0 : 3 * up, "../../../../../", name);
        if (text_file_load(path, CONFIG_BYTES, &text, &size, &error) == RK_OK) return text;
    }
    return NULL;
}

/* The keys of a file as if they stood here below `section`; what begins with "_" is prose. */
static enum rk_status take_file(const struct config_source *source, struct settings *settings,
                                const struct setting *named, const char *section,
                                struct rk_error *error)
{
    struct settings file;
    char key[160];
    char *text = trainer_file(source, named->text);
    if (!text && strchr(named->text, '$')) return RK_OK; /* it is asked for */
    if (!text)
        return settings_fail(
            settings, named, error,
            "%.80s is not next to this file: put it there, or give --set %s= and its "
            "keys, as --set fsdp_config.activation_checkpointing=true",
            named->text, named->key);
    enum rk_status status = settings_read(&file, named->text, text, NULL, 0, error);
    for (size_t i = 0; status == RK_OK && i < file.count; i++) {
        const struct setting *s = &file.setting[i];
        if (*s->key == '_') continue;
        snprintf(key, sizeof key, "%s%.140s", section, strcmp(s->key, "fsdp") ? s->key : "fsdp.0");
        status = settings_put(settings, key, s->text, s->quoted, s->null, 0, error);
    }
    settings_release(&file);
    free(text);
    return status;
}

/* ms-swift's `--fsdp fsdp2` (swift/config/fsdp2.json) or a file that has its keys; else words. */
static enum rk_status take_fsdp(const struct config_source *source, struct settings *settings,
                                const struct setting *fsdp, struct rk_error *error)
{
    static const char words[] =
        " full_shard shard_grad_op no_shard hybrid_shard hybrid_shard_zero2 "
        "offload auto_wrap true True false False 1 0 none None ";
    static const char *const preset[][2] = {{"fsdp_config.fsdp_version", "2"},
                                            {"fsdp_config.activation_checkpointing", "true"}};
    char word[64];
    enum rk_status status = RK_OK;
    if (strcmp(fsdp->text, "fsdp2") == 0) {
        for (size_t i = 0; status == RK_OK && i < sizeof preset / sizeof *preset; i++)
            status = settings_put(settings, preset[i][0], preset[i][1], false, false, 0, error);
        return status;
    }
    const char *dot = strrchr(fsdp->text, '.');
    if (dot && strcmp(dot, ".json") == 0) return take_file(source, settings, fsdp, "", error);
    if (strchr(fsdp->text, '$')) return RK_OK;
    for (const char *at = fsdp->text; *at; at += strspn(at, " ,")) {
        const size_t n = strcspn(at, " ,");
        snprintf(word, sizeof word, " %.*s ", n < 60 ? (int)n : 60, at);
        if (n && !strstr(words, word))
            return settings_fail(settings, fsdp, error,
                                 "%.60s is none of full_shard, shard_grad_op, no_shard, "
                                 "hybrid_shard, hybrid_shard_zero2, offload, auto_wrap",
                                 fsdp->text);
        at += n;
    }
    return RK_OK;
}

enum rk_status trainer_fsdp_config(const struct config_source *source, struct settings *settings,
                                   struct rk_error *error)
{
    const struct setting *fsdp = settings_find(settings, "fsdp");
    enum rk_status status = RK_OK;
    if (fsdp && !fsdp->null) status = take_fsdp(source, settings, fsdp, error);
    const struct setting *named = settings_find(settings, "fsdp_config");
    if (status != RK_OK || !named || named->null || !*named->text) return status;
    return take_file(source, settings, named, "fsdp_config.", error);
}
