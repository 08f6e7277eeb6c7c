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

enum rk_status trainer_fsdp_config(const struct config_source *source, struct settings *settings,
                                   struct rk_error *error)
{
    const struct setting *named = settings_find(settings, "fsdp_config");
    struct settings file;
    char key[160];
    if (!named || named->null || !*named->text) return RK_OK;
    char *text = trainer_file(source, named->text);
    if (!text)
        return settings_fail(
            settings, named, error,
            "%.80s is not next to this file: put it there, or give --set fsdp_config= and its "
            "keys, as --set fsdp_config.activation_checkpointing=true",
            named->text);
    enum rk_status status = settings_read(&file, named->text, text, NULL, 0, error);
    for (size_t i = 0; status == RK_OK && i < file.count; i++) {
        const struct setting *s = &file.setting[i];
        snprintf(key, sizeof key, "fsdp_config.%.140s", s->key);
        status = settings_put(settings, key, s->text, s->quoted, s->null, 0, error);
    }
    settings_release(&file);
    free(text);
    return status;
}
