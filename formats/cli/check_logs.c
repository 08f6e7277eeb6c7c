/* reckon check --logs: what the ranks of a run did, from a file for each of them. */
#include "base/limits.h"
#include "base/memory.h"
#include "base/open.h"
#include "cli/check.h"
#include "cli/plan_input.h"
#include "text/text_file.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LOG_BYTES = 1 << 30 };

struct log_files {
    char **path; /* (ranks) NULL: none */
    uint32_t ranks;
};

static void files_release(struct log_files *files)
{
    for (uint32_t i = 0; i < files->ranks; i++)
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
    struct stat info;
    if (stat(path, &info) != 0) return fail_to_open(path, error);
    if (!rank_of(path, &rank) || rank >= MOST_LOG_RANKS)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "the name does not end in the number of a rank: rank-12.log, 12.txt");
    while (files->ranks <= rank) {
        if (!ARRAY_ROOM(files->path, files->ranks)) return no_memory(error);
        files->path[files->ranks++] = NULL;
    }
    if (files->path[rank])
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "rank %" PRIu64 " has two logs: %s", rank,
                       files->path[rank]);
    files->path[rank] = strdup(path);
    return files->path[rank] ? RK_OK : no_memory(error);
}

/* NCCL's logs have names of hosts and processes: each is the next one. */
static enum rk_status add_any(struct log_files *files, const char *path, struct rk_error *error)
{
    if (!ARRAY_ROOM(files->path, files->ranks)) return no_memory(error);
    files->path[files->ranks++] = strdup(path);
    return files->path[files->ranks - 1] ? RK_OK : no_memory(error);
}

static enum rk_status add_folder(struct log_files *files, const char *path, bool any,
                                 struct rk_error *error)
{
    enum rk_status status = RK_OK;
    char name[4096];
    DIR *folder = opendir(path);
    if (!folder) return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "cannot be opened");
    for (struct dirent *entry; status == RK_OK && (entry = readdir(folder));) {
        uint64_t rank;
        if (*entry->d_name == '.' || (!any && !rank_of(entry->d_name, &rank))) continue;
        snprintf(name, sizeof name, "%.2000s/%.2000s", path, entry->d_name);
        status = (any ? add_any : add_file)(files, name, error);
    }
    closedir(folder);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum rk_status find_files(const struct check_logs *asked, struct log_files *files,
                                 struct rk_error *error)
{
    const struct option_texts *paths = asked->paths;
    const bool any = asked->kind == CHECK_NCCL;
    enum rk_status status = RK_OK;
    for (int i = 0; i < paths->count && status == RK_OK; i++) {
        struct stat about;
        const bool folder = stat(paths->text[i], &about) == 0 && S_ISDIR(about.st_mode);
        if (folder)
            status = add_folder(files, paths->text[i], any, error);
        else
            status = (any ? add_any : add_file)(files, paths->text[i], error);
    }
    if (status == RK_OK && !files->ranks)
        return rk_fail(error, RK_BAD_INPUT, paths->text[0], 0, 0, "has no logs of ranks");
    if (any && files->ranks) qsort(files->path, files->ranks, sizeof *files->path, by_name);
    for (uint32_t i = 0; status == RK_OK && i < files->ranks && asked->kind != CHECK_FLIGHT; i++)
        if (!files->path[i])
            status = rk_fail(error, RK_BAD_INPUT, paths->text[0], 0, 0,
                             "rank %" PRIu32 " has no log, and others do up to rank %" PRIu32, i,
                             files->ranks - 1);
    return status;
}

/* ---- operations ---- */

/* With what the plan's programs do. */
static enum rk_status compare(const struct check_logs *asked, const struct rk_logs *logs,
                              uint32_t ranks, struct rk_findings *findings, struct rk_error *error)
{
    const struct plan_input *input = asked->plan;
    const struct rk_plan *plan = &input->draft.plan;
    struct rk_logs *expected = NULL;
    enum rk_status status = rk_logs_new(ranks, &expected, error);
    if (status == RK_OK && plan->ranks != ranks)
        status = rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                         "the plan has %" PRIu64 " ranks, there are logs of %" PRIu32
                         ": say how many GPUs the plan has, or give all its logs",
                         plan->ranks, ranks);
    for (uint32_t rank = 0; rank < ranks && status == RK_OK; rank++) {
        struct rk_program program = {.rank = 0};
        status = rk_program_of(&program, &input->model, &input->system, plan, rank, error);
        if (status == RK_OK) status = rk_logs_add_program(expected, &program, error);
        rk_program_release(&program);
    }
    if (status == RK_OK) status = rk_logs_compare(logs, expected, findings, error);
    rk_logs_release(expected);
    return status;
}

static enum rk_status check_operations(const struct check_logs *asked,
                                       const struct log_files *files, struct rk_findings *findings,
                                       struct rk_error *error)
{
    struct rk_logs *logs = NULL;
    enum rk_status status = rk_logs_new(files->ranks, &logs, error);
    for (uint32_t i = 0; i < files->ranks && status == RK_OK; i++) {
        char *text = NULL;
        size_t size = 0;
        status = text_file_load(files->path[i], LOG_BYTES, &text, &size, error);
        if (status == RK_OK) status = rk_logs_read(logs, i, files->path[i], text, size, error);
        free(text);
    }
    if (status == RK_OK && asked->plan)
        status = compare(asked, logs, files->ranks, findings, error);
    if (status == RK_OK) status = rk_logs_check(logs, &asked->options, findings, error);
    rk_logs_release(logs);
    return status;
}

/* ---- what runs left ---- */

struct texts {
    struct rk_text *text; /* (count) */
    uint32_t *rank;
    size_t count;
};

static void texts_release(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free((char *)(uintptr_t)texts->text[i].text);
    free(texts->text);
    free(texts->rank);
}

static enum rk_status load_texts(const struct log_files *files, struct texts *texts,
                                 struct rk_error *error)
{
    enum rk_status status = RK_OK;
    texts->text = calloc(files->ranks, sizeof *texts->text);
    texts->rank = calloc(files->ranks, sizeof *texts->rank);
    if (!texts->text || !texts->rank) return no_memory(error);
    for (uint32_t i = 0; i < files->ranks && status == RK_OK; i++) {
        char *text = NULL;
        size_t size = 0;
        if (!files->path[i]) continue;
        status = text_file_load(files->path[i], LOG_BYTES, &text, &size, error);
        if (status != RK_OK) break;
        texts->rank[texts->count] = i;
        texts->text[texts->count++] = (struct rk_text){files->path[i], text, size};
    }
    return status;
}

/* The files of the ranks, in *paths, which the caller frees. */
static enum rk_status check_nccl(const struct check_logs *asked, const struct texts *texts,
                                 uint32_t *ranks, const char ***paths, struct rk_findings *findings,
                                 struct rk_error *error)
{
    struct rk_logs *logs = NULL;
    size_t *file = NULL;
    enum rk_status status =
        rk_nccl_logs(texts->text, texts->count, &logs, ranks, &file, findings, error);
    if (status == RK_OK) status = rk_logs_check(logs, &asked->options, findings, error);
    *paths = calloc(*ranks + 1, sizeof **paths);
    for (uint32_t i = 0; status == RK_OK && *paths && i < *ranks; i++)
        (*paths)[i] = texts->text[file[i]].path;
    if (status == RK_OK && !*paths) status = no_memory(error);
    free(file);
    rk_logs_release(logs);
    return status;
}

int check_log_files(const struct check_logs *asked)
{
    struct log_files files = {.path = NULL};
    struct texts texts = {.count = 0};
    struct rk_findings *findings = calloc(1, sizeof *findings);
    const char **paths = NULL;
    struct rk_error error;
    char title[64];
    enum rk_status status = findings ? find_files(asked, &files, &error) : no_memory(&error);
    uint32_t ranks = files.ranks;
    if (status == RK_OK && asked->kind != CHECK_OPERATIONS)
        status = load_texts(&files, &texts, &error);
    if (status == RK_OK && asked->kind == CHECK_OPERATIONS)
        status = check_operations(asked, &files, findings, &error);
    else if (status == RK_OK && asked->kind == CHECK_FLIGHT)
        status = rk_check_flight(texts.text, texts.rank, texts.count, findings, &error);
    else if (status == RK_OK)
        status = check_nccl(asked, &texts, &ranks, &paths, findings, &error);
    snprintf(title, sizeof title, "logs of %" PRIu32 " ranks", ranks);
    const struct checked checked = {
        .title = title, .path = "", .paths = paths ? paths : (const char *const *)files.path};
    const int code = status == RK_OK ? check_write(findings, &checked, asked->format, asked->output)
                                     : options_fail(&error);
    free(paths);
    texts_release(&texts);
    files_release(&files);
    free(findings);
    return code;
}
