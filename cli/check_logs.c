/* reckon check --logs: what the ranks of a run did, from a file for each of them. */
#include "cli/check.h"
#include "interop/text_file.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LOG_BYTES = 1 << 30, MOST_RANKS = 1 << 20 };

struct log_files {
    char **path; /* (ranks) NULL: none */
    uint32_t ranks, room;
};

static void files_release(struct log_files *files)
{
    for (uint32_t i = 0; i < files->room; i++)
        free(files->path[i]);
    free(files->path);
}

/* The number at the end of a name, its ending left out: "rank-12.log", "7.txt", "trace_3". */
static bool rank_of(const char *path, uint64_t *rank)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    size_t end = strlen(name);
    const char *dot = strrchr(name, '.');
    if (dot && dot > name && !isdigit((unsigned char)dot[1])) end = (size_t)(dot - name);
    size_t first = end;
    while (first && isdigit((unsigned char)name[first - 1]))
        first--;
    if (first == end || end - first > 9) return false;
    *rank = strtoull(name + first, NULL, 10);
    return true;
}

static enum rk_status add_file(struct log_files *files, const char *path, struct rk_error *error)
{
    uint64_t rank;
    if (!rank_of(path, &rank) || rank >= MOST_RANKS)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "the name does not end in the number of a rank: rank-12.log, 12.txt");
    if (rank >= files->room) {
        const uint32_t room = (uint32_t)rank * 2 + 16;
        char **grown = realloc(files->path, room * sizeof *grown);
        if (!grown) return rk_fail(error, RK_IO, NULL, 0, 0, "out of memory");
        memset(grown + files->room, 0, (room - files->room) * sizeof *grown);
        files->path = grown;
        files->room = room;
    }
    if (files->path[rank])
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "rank %" PRIu64 " has two logs: %s", rank,
                       files->path[rank]);
    if (rank >= files->ranks) files->ranks = (uint32_t)rank + 1;
    files->path[rank] = strdup(path);
    return files->path[rank] ? RK_OK : rk_fail(error, RK_IO, NULL, 0, 0, "out of memory");
}

static enum rk_status add_folder(struct log_files *files, const char *path, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    char name[4096];
    DIR *folder = opendir(path);
    if (!folder) return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "cannot be opened");
    for (struct dirent *entry; status == RK_OK && (entry = readdir(folder));) {
        uint64_t rank;
        if (*entry->d_name == '.' || !rank_of(entry->d_name, &rank)) continue;
        snprintf(name, sizeof name, "%.2000s/%.2000s", path, entry->d_name);
        status = add_file(files, name, error);
    }
    closedir(folder);
    return status;
}

static enum rk_status find_files(const struct option_texts *paths, struct log_files *files,
                                 struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (int i = 0; i < paths->count && status == RK_OK; i++) {
        struct stat about;
        const bool folder = stat(paths->text[i], &about) == 0 && S_ISDIR(about.st_mode);
        status = (folder ? add_folder : add_file)(files, paths->text[i], error);
    }
    if (status == RK_OK && !files->ranks)
        return rk_fail(error, RK_BAD_INPUT, paths->text[0], 0, 0, "has no logs of ranks");
    for (uint32_t i = 0; status == RK_OK && i < files->ranks; i++)
        if (!files->path[i])
            status = rk_fail(error, RK_BAD_INPUT, paths->text[0], 0, 0,
                             "rank %" PRIu32 " has no log, and others do up to rank %" PRIu32, i,
                             files->ranks - 1);
    return status;
}

static enum rk_status read_files(const struct log_files *files, struct rk_logs *logs,
                                 struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (uint32_t i = 0; i < files->ranks && status == RK_OK; i++) {
        char *text = NULL;
        size_t size = 0;
        status = text_file_load(files->path[i], LOG_BYTES, &text, &size, error);
        if (status == RK_OK) status = rk_logs_read(logs, i, files->path[i], text, size, error);
        free(text);
    }
    return status;
}

int check_log_files(const struct check_logs *asked)
{
    struct log_files files = {.path = NULL};
    struct rk_findings *findings = calloc(1, sizeof *findings);
    struct rk_logs *logs = NULL;
    struct rk_error error;
    char title[64];
    enum rk_status status = findings ? find_files(asked->paths, &files, &error)
                                     : rk_fail(&error, RK_IO, NULL, 0, 0, "out of memory");
    if (status == RK_OK) status = rk_logs_new(files.ranks, &logs, &error);
    if (status == RK_OK) status = read_files(&files, logs, &error);
    if (status == RK_OK) status = rk_logs_check(logs, &asked->options, findings, &error);
    snprintf(title, sizeof title, "logs of %" PRIu32 " ranks", files.ranks);
    const struct checked checked = {
        .title = title, .path = "", .paths = (const char *const *)files.path};
    const int code = status == RK_OK ? check_write(findings, &checked, asked->format, asked->output)
                                     : options_fail(&error);
    rk_logs_release(logs);
    files_release(&files);
    free(findings);
    return code;
}
