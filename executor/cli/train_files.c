#include "cli/train_files.h"

#include "base/text.h"
#include "cli/keys.h"
#include "cli/train_config.h"
#include "text/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST = 64 << 20, PATH = 4096 };

static const char *const names[] = {
#define NAME(name) name,
    RK_TRAIN_FILES(NAME)
#undef NAME
};

enum { NAMES = sizeof names / sizeof *names };
_Static_assert(sizeof names / sizeof *names <= TRAIN_FILES, "a place for each");

static const char config_name[] = "config.json";

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool join(char path[PATH], const char *folder, const char *name)
{
    return (size_t)snprintf(path, PATH, "%s/%s", folder, name) < PATH;
}

/* Where the model's config.json lies; "": nowhere. */
static void find_config(const char *name, char path[PATH])
{
    bool found = is_folder(name) ? join(path, name, config_name)
                                 : (size_t)snprintf(path, PATH, "%s", name) < PATH;
    if (!found || !is_file(path) || !text_ends_in(path, ".json")) *path = '\0';
}

/* A model file of another name may be anywhere: files in its folder are not part of it. */
static bool is_named_config(const char *path)
{
    return strcmp(path, config_name) == 0 || text_ends_in(path, "/config.json");
}

static void add(struct train_files *files, const char *name, char *text, size_t bytes)
{
    files->file[files->count++] = (struct rk_train_file){name, text, bytes};
}

/* How many of them there were. */
static int copy_from(const char *folder, struct train_files *files)
{
    char path[PATH];
    int found = 0;
    for (int i = 0; i < NAMES; i++) {
        char *text = NULL;
        size_t bytes = 0;
        struct rk_error error;
        if (strcmp(names[i], config_name) == 0 || !join(path, folder, names[i]) || !is_file(path))
            continue;
        if (text_file_load(path, LARGEST, &text, &bytes, &error) == RK_OK) {
            add(files, names[i], text, bytes);
            found++;
        } else {
            char said[512];
            keys_say_error(&error, said, sizeof said);
            fprintf(stderr, "reckon: warning: checkpoints go without %s: %s\n", names[i], said);
        }
    }
    return found;
}

/* The folder of a file, "." where its name has none. */
static void folder_of(const char *path, char folder[PATH])
{
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(folder, PATH, "%.*s", (int)(slash - path), path);
    else
        strcpy(folder, ".");
}

void train_files_collect(const char *name, const char *load, const struct rk_model *model,
                         const struct rk_train *train, struct train_files *files)
{
    char config[PATH], folder[PATH];
    *files = (struct train_files){.count = 0};
    find_config(name, config);
    char *text = train_config_text(*config ? config : NULL, model, train);
    if (text)
        add(files, config_name, text, strlen(text));
    else
        fprintf(stderr,
                "reckon: warning: checkpoints go without config.json: transformers has no type of "
                "this shape whose tensors have these names\n");
    folder_of(config, folder);
    const bool beside = is_named_config(config) && copy_from(folder, files);
    if (!beside && load) copy_from(load, files);
}

void train_files_release(struct train_files *files)
{
    for (uint64_t i = 0; i < files->count; i++)
        free((char *)files->file[i].text);
    files->count = 0;
}
