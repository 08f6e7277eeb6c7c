#include "catalog/folder.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *name, *folder, *command;
} kinds[] = {
    [CATALOG_MODELS] = {"model", "models", "\"reckon models\" lists them"},
    [CATALOG_SYSTEMS] = {"system", "systems", "\"reckon systems\" lists them"},
    [CATALOG_PLANS] = {"plan", "plans", "give a file's path"},
    [CATALOG_DRIVES] = {"drive", "drives", "or give a file's path"},
};

const char *catalog_kind_name(enum catalog_kind kind)
{
    return kinds[kind].name;
}

const char *catalog_kind_folder(enum catalog_kind kind)
{
    return kinds[kind].folder;
}

const char *catalog_kind_hint(enum catalog_kind kind)
{
    return kinds[kind].command;
}

/* ---- the folder ---- */

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* A catalog is a folder with a folder of models or systems in it. */
static bool holds_catalog(const char *path)
{
    char inside[FOLDER_PATH + 16];
    for (int kind = 0; kind < CATALOG_KINDS; kind++) {
        snprintf(inside, sizeof inside, "%s/%s", path, kinds[kind].folder);
        if (is_folder(inside)) return true;
    }
    return false;
}

/* `file` is an executable or a library: its data is next to it, or where an installation puts
 * it. */
static bool folder_near(const char *file, char *buffer, size_t size)
{
    static const char *const places[] = {"/data", "/../data", "/../share/reckon",
                                         "/../../share/reckon"};
    const char *slash = strrchr(file, '/');
    if (!slash) return false;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const int length = snprintf(buffer, size, "%.*s%s", (int)(slash - file), file, places[i]);
        if (length > 0 && (size_t)length < size && holds_catalog(buffer)) return true;
    }
    return false;
}

static bool folder_near_executable(char *buffer, size_t size)
{
    char file[FOLDER_PATH];
    const ssize_t length = readlink("/proc/self/exe", file, sizeof file - 1);
    if (length <= 0) return false;
    file[length] = '\0';
    return folder_near(file, buffer, size);
}

static bool folder_near_library(char *buffer, size_t size)
{
    static const char inside = 0; /* an address in this library */
    Dl_info info;
    return dladdr(&inside, &info) && info.dli_fname && folder_near(info.dli_fname, buffer, size);
}

enum rk_status catalog_folder(char *buffer, size_t size, struct rk_error *error)
{
    const char *given = getenv("RECKON_DATA");
    if (given && *given) {
        snprintf(buffer, size, "%s", given);
        if (holds_catalog(buffer)) return RK_OK;
        return rk_fail(error, RK_IO, given, 0, 0,
                       "holds no catalog: RECKON_DATA must name a folder with models/ or "
                       "systems/ in it");
    }
    if (folder_near_library(buffer, size) || folder_near_executable(buffer, size)) return RK_OK;
#ifdef RECKON_INSTALLED_DATA
    snprintf(buffer, size, "%s", RECKON_INSTALLED_DATA);
    if (holds_catalog(buffer)) return RK_OK;
#endif
    return rk_fail(error, RK_IO, NULL, 0, 0,
                   "the catalog's folder was not found: set RECKON_DATA to it");
}

enum rk_status catalog_folder_of_kind(enum catalog_kind kind, char *buffer, size_t size,
                                      struct rk_error *error)
{
    const enum rk_status status = catalog_folder(buffer, size, error);
    const size_t used = status == RK_OK ? strlen(buffer) : 0;
    if (status == RK_OK) snprintf(buffer + used, size - used, "/%s", kinds[kind].folder);
    return status;
}
