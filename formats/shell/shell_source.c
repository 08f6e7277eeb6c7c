/* shell_source.c - the files that a script sources: read, never run. */
#include "shell/shell_run.h"
#include "text/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SOURCE_BYTES = 1 << 20, SOURCE_PATH = 4096 };

static const char *load(struct shell_state *s, const char *path)
{
    struct stat facts;
    struct rk_error error;
    char *text;
    size_t size;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) return NULL; /* no pipes, no devices */
    if (text_file_load(path, SOURCE_BYTES, &text, &size, &error) != RK_OK) return NULL;
    bool is_text = true; /* nor has it the marks within values */
    for (size_t i = 0; i < size; i++)
        is_text &= text[i] < 0 || text[i] > SHELL_HOLE;
    const char *copy = is_text ? shell_copy(s, text, size) : NULL;
    if (copy) s->source = shell_copy(s, path, strlen(path));
    free(text);
    return copy;
}

enum { MOST_FOLDERS = 6 }; /* above that of the script */

/* In the folder of the script or one above it; of a script in a folder that is not said, above the
 * one we are in. */
static const char *climb(struct shell_state *s, const char *name)
{
    char path[SOURCE_PATH];
    const char *script = s->shell->path, *slash = strrchr(script, '/'), *text = NULL;
    int up = 0;
    for (int end = slash ? (int)(slash - script) + 1 : 0; !text && up <= MOST_FOLDERS; up++) {
        snprintf(path, sizeof path, "%.*s%s", end, script, name);
        text = load(s, path);
        if (end == 0) break;
        do
            end--;
        while (end > 0 && script[end - 1] != '/');
    }
    for (int above = 1; !text && *script != '/' && up + above <= MOST_FOLDERS; above++) {
        snprintf(path, sizeof path, "%.*s%s", 3 * above, "../../../../../../", name);
        text = load(s, path);
    }
    return text;
}

/* Scripts are started in their folder or, equally often, from one above it. The end of a path on
 * another machine, "/run/conf/a.sh" or "$DIR/conf/a.sh", is found here: at least a folder and the
 * name, or the name in the script's folder. */
const char *shell_source(struct shell_state *s, const char *name)
{
    char path[SOURCE_PATH];
    const char *script = s->shell->path, *slash = strrchr(script, '/'), *base = strrchr(name, '/');
    const char *text = *name == '/' ? load(s, name) : climb(s, name);
    const char *rest = *name == '/' || *name == '$' || *name == '~' ? strchr(name, '/') : NULL;
    for (; !text && rest && rest < base; rest = strchr(rest + 1, '/'))
        text = climb(s, rest + 1);
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - script) + 1 : 0, script,
             base ? base + 1 : name);
    return text ? text : load(s, path);
}

const char *shell_beside(const struct shell *shell, const char *name)
{
    return shell->state ? shell_source(shell->state, name) : NULL;
}

const char *shell_beside_path(const struct shell *shell)
{
    return shell->state ? shell->state->source : NULL;
}
