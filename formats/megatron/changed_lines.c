#include "megatron/changed_lines.h"
#include "keys/target.h"
#include "megatron/megatron_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 512, CORE_VERSION = 16 };

static void write_lines(FILE *file, const struct target *target, const struct rk_model *model,
                        const struct rk_plan *plan)
{
    char *words[WORDS];
    if (target) {
        target->write(file, model, plan, 0);
        return;
    }
    const size_t count = megatron_run_words(model, plan, CORE_VERSION, words, WORDS);
    for (size_t i = 0; i + 1 < count; i += 2)
        fprintf(file, "%s%s%s\n", words[i], *words[i + 1] ? " " : "", words[i + 1]);
    for (size_t i = 0; i < count; i++)
        free(words[i]);
}

static char *lines_of(const struct target *target, const struct rk_model *model,
                      const struct rk_plan *plan)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file) return NULL;
    write_lines(file, target, model, plan);
    fclose(file);
    return text;
}

static bool has_line(const char *text, const char *line, size_t length)
{
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (strcspn(text, "\n") == length && strncmp(text, line, length) == 0) return true;
    return false;
}

static void join_changed(const char *before, const char *after, char line[static CHANGED_LINES])
{
    const char *section = "", *said = "";
    size_t used = 0;
    for (const char *at = after; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const size_t length = strcspn(at, "\n"), blanks = strspn(at, " ");
        if (*at == '[') section = at;
        if (!length || *at == '[' || has_line(before, at, length)) continue;
        const bool new = section != said;
        const int title = new ? (int)strcspn(section, "\n") : 0;
        const bool comma = at[length - 1] == ',';
        if (used + (size_t)title + length + 4 > CHANGED_LINES) return;
        const bool below = used && line[used - 1] == ':'; /* of a mapping */
        used += (size_t)snprintf(line + used, CHANGED_LINES - used, "%s%.*s%s%.*s",
                                 below  ? " "
                                 : used ? "; "
                                        : "",
                                 title, section, title ? " " : "", (int)(length - blanks - comma),
                                 at + blanks);
        said = section;
    }
}

void changed_lines(const struct target *target, const struct rk_model *model,
                   const struct rk_plan *from, const struct rk_plan *to, char line[CHANGED_LINES])
{
    char *before = lines_of(target, model, from), *after = lines_of(target, model, to);
    line[0] = '\0';
    if (before && after) join_changed(before, after, line);
    free(before);
    free(after);
}
