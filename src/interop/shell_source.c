/* shell_source.c - the files that a script sources: read, never run. */
#include "interop/shell_run.h"
#include "interop/text_file.h"

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

/* Scripts are started in the folder where they are or, as often, from one above it. A folder that
 * is not known, "$DIR/", is taken as that of the script. */
const char *shell_source(struct shell_state *s, const char *name)
{
    char path[SOURCE_PATH];
    const char *script = s->shell->path, *slash = strrchr(script, '/');
    const int folder = slash ? (int)(slash - script) + 1 : 0;
    const char *base = strrchr(name, '/');
    base = base ? base + 1 : name;
    if (*name == '/') {
        const char *text = load(s, name);
        if (text) return text;
    }
    int up = 0;
    for (int end = folder; *name != '/' && up <= MOST_FOLDERS; up++) {
        snprintf(path, sizeof path, "%.*s%s", end, script, name);
        const char *text = load(s, path);
        if (text) return text;
        if (end == 0) break;
        do
            end--;
        while (end > 0 && script[end - 1] != '/');
    }
    for (int above = 1; *name != '/' && *script != '/' && up + above <= MOST_FOLDERS; above++) {
        snprintf(path, sizeof path, "%.*s%s", 3 * above, "../../../../../../", name);
        const char *text = load(s, path);
        if (text) return text;
    }
    const char *rest = *name == '$' ? strchr(name, '/') : NULL;
    if (rest && rest + 1 != base) return shell_source(s, rest + 1);
    snprintf(path, sizeof path, "%.*s%s", folder, script, base);
    return load(s, path);
}

const char *shell_beside(const struct shell *shell, const char *name)
{
    return shell->state ? shell_source(shell->state, name) : NULL;
}

const char *shell_beside_path(const struct shell *shell)
{
    return shell->state ? shell->state->source : NULL;
}
