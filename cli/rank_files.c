#include "cli/rank_files.h"

#include "base/open.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names ---- */

static struct rank_file_name part_folder(const struct rank_files *files)
{
    struct rank_file_name name;
    snprintf(name.text, sizeof name.text, "%.4000s/.part-%ld", files->folder, (long)getpid());
    return name;
}

static struct rank_file_name name_in(const char *folder, const char *kind, uint64_t rank)
{
    struct rank_file_name name;
    snprintf(name.text, sizeof name.text, "%.4060s/%s-%" PRIu64 ".log", folder, kind, rank);
    return name;
}

struct rank_file_name rank_file_of(const struct rank_files *files, size_t i)
{
    return name_in(files->folder, "rank", files->rank[i]);
}

struct rank_file_name rank_file_part(const struct rank_files *files, size_t i)
{
    return name_in(part_folder(files).text, "rank", files->rank[i]);
}

/* Where that of before waits until all are in their places. */
static struct rank_file_name before_of(const struct rank_files *files, size_t i)
{
    return name_in(part_folder(files).text, "before", files->rank[i]);
}

/* ---- the folder as it is ---- */

/* Is it one of those that are written, and named as they are ("rank-07.log" is not)? */
static bool is_ours(const struct rank_files *files, const char *name)
{
    char same[64];
    const uint64_t rank = strtoull(name + strlen("rank-"), NULL, 10);
    snprintf(same, sizeof same, "rank-%" PRIu64 ".log", rank);
    for (size_t i = 0; i < files->count; i++)
        if (files->rank[i] == rank) return strcmp(name, same) == 0;
    return false;
}

static enum rk_status check_entry(const struct rank_files *files, const char *name,
                                  struct rk_error *error)
{
    char path[4096];
    struct stat about;
    snprintf(path, sizeof path, "%.3800s/%.255s", files->folder, name);
    if (!is_ours(files, name))
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "is none of the %zu files to be written, and would pass for one of them: "
                       "remove such files, or name another folder",
                       files->count);
    if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return rk_fail(error, RK_IO, path, 0, 0,
                       "cannot write: this is not a file; remove it, or name another folder");
    return RK_OK;
}

static int is_of_rank(const struct dirent *entry)
{
    return fnmatch("rank-*.log", entry->d_name, 0) == 0;
}

static enum rk_status check_folder(const struct rank_files *files, struct rk_error *error)
{
    struct dirent **entry;
    enum rk_status status = RK_OK;
    const int count = scandir(files->folder, &entry, is_of_rank, versionsort);
    if (count < 0) return fail_to_open(files->folder, error);
    for (int i = 0; i < count; i++) {
        if (status == RK_OK) status = check_entry(files, entry[i]->d_name, error);
        free(entry[i]);
    }
    free(entry);
    return status;
}

enum rk_status rank_files_begin(struct rank_files *files, struct rk_error *error)
{
    if (strlen(files->folder) > 3800)
        return rk_fail(error, RK_IO, files->folder, 0, 0, "cannot write: the name is too long");
    files->made = mkdir(files->folder, 0777) == 0;
    if (!files->made && errno != EEXIST)
        return rk_fail(error, RK_IO, files->folder, 0, 0, "cannot make the folder: %s",
                       strerror(errno));
    enum rk_status status = check_folder(files, error);
    if (status == RK_OK && mkdir(part_folder(files).text, 0777) != 0)
        status = rk_fail(error, RK_IO, files->folder, 0, 0, "cannot write: %s", strerror(errno));
    if (status != RK_OK && files->made) rmdir(files->folder);
    return status;
}

/* ---- the end ---- */

/* A file that is there, or nothing, takes the other name. */
static bool move(struct rank_file_name from, struct rank_file_name to)
{
    return rename(from.text, to.text) == 0 || errno == ENOENT;
}

/* How many got their places; all but count: the next one cannot. */
static size_t put_in_place(const struct rank_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        if (!move(rank_file_of(files, i), before_of(files, i))) return i;
        if (rename(rank_file_part(files, i).text, rank_file_of(files, i).text) == 0) continue;
        const int why = errno;
        move(before_of(files, i), rank_file_of(files, i));
        errno = why;
        return i;
    }
    return files->count;
}

static void put_back(const struct rank_files *files, size_t placed)
{
    while (placed-- > 0) {
        move(rank_file_of(files, placed), rank_file_part(files, placed));
        move(before_of(files, placed), rank_file_of(files, placed));
    }
}

enum rk_status rank_files_end(struct rank_files *files, enum rk_status status,
                              struct rk_error *error)
{
    if (status == RK_OK) {
        const size_t placed = put_in_place(files);
        if (placed < files->count) {
            status = rk_fail(error, RK_IO, rank_file_of(files, placed).text, 0, 0,
                             "cannot write: %s", strerror(errno));
            put_back(files, placed);
        }
    }
    for (size_t i = 0; i < files->count; i++) {
        unlink(rank_file_part(files, i).text);
        unlink(before_of(files, i).text);
    }
    rmdir(part_folder(files).text);
    if (status != RK_OK && files->made) rmdir(files->folder);
    return status;
}
