#include "keys/reader.h"

#include "base/text.h"
#include "text/python_data.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* A task of MosaicML's cloud as the configuration that it is given, /mnt/config/parameters.yaml:
 * what stands below "parameters:", each line in its place, and the GPUs of "gpu_num:" or
 * "compute:". NULL: it is none, or there is no memory. Free it. */
static char *task_parameters(const char *text)
{
    static const char counts[] = "compute.gpus";
    const bool task =
        strstr(text, "\nparameters:") && (begins(text, "command:") || strstr(text, "\ncommand:"));
    const size_t size = strlen(text);
    char *plain = task ? malloc(2 * size + 1) : NULL, *to = plain;
    const char *section = "";
    size_t indent = 0;
    for (const char *line = text; plain && *line;) {
        const size_t n = strcspn(line, "\n"), blanks = strspn(line, " ");
        const char *word = line + blanks;
        const bool says = blanks < n && *word != '#';
        if (says && !blanks) section = line, indent = 0;
        if (says && blanks && !indent) indent = blanks;
        const bool within = blanks && begins(section, "parameters:");
        const bool gpus =
            begins(line, "gpu_num:") || (begins(section, "compute:") && begins(word, "gpus:"));
        if (gpus) {
            memcpy(to, counts, sizeof counts - 1);
            to += sizeof counts - 1;
            word += strcspn(word, ":");
        } else if (within && says)
            word = line + (blanks < indent ? blanks : indent);
        else
            word = line + n;
        memcpy(to, word, (size_t)(line + n - word));
        to += line + n - word;
        line += n;
        if (*line) *to++ = *line++;
    }
    if (plain) *to = '\0';
    return plain;
}

enum rk_status source_settings(const struct config_source *source, struct settings *settings,
                               struct rk_error *error)
{
    static const char *const python[] = {".py", NULL};
    if (text_ends_in_any(source->path, python))
        return python_calls(settings, source->path, source->text, NULL, 0, source->sets,
                            source->set_count, error);
    char *task = task_parameters(source->text);
    const enum rk_status status = settings_read(settings, source->path, task ? task : source->text,
                                                source->sets, source->set_count, error);
    free(task);
    return status;
}

const struct plan_format plan_formats[] = {
#define FORMAT(id, name, tool, own, what, versions, example)                                       \
    {name, tool, id##_read, &id##_keys, own, what, versions},
    PLAN_FORMATS(FORMAT)
#undef FORMAT
        {.name = NULL},
};
