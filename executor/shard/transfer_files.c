#include "shard/transfer_job.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ---- files ---- */

static void transfer_path(char path[static MOST_PATH], const struct layout *layout, uint32_t file,
                          const char *ending)
{
    snprintf(path, MOST_PATH, "%s/%s%s", layout->folder, layout->file[file].name, ending);
}

enum rk_status transfer_fail(struct rk_error *error, const char *path, const char *what, int code)
{
    return rk_fail(error, RK_IO, path, 0, 0, "%s: %s", what, strerror(code));
}

void job_allow_files(size_t count)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count + 64) return;
    limit.rlim_cur = count + 64 < limit.rlim_max ? count + 64 : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

enum rk_status job_open_sources(const struct job *job, struct rk_error *error)
{
    const struct layout *from = job->t->from;
    for (uint32_t i = 0; i < from->files; i++) {
        char path[MOST_PATH];
        transfer_path(path, from, i, "");
        job->from[i] = open(path, O_RDONLY | O_CLOEXEC);
        if (job->from[i] < 0)
            return transfer_fail(error, path,
                                 errno == EMFILE ? "too many files, see ulimit -n" : "cannot read",
                                 errno);
        posix_fadvise(job->from[i], 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    return RK_OK;
}

enum rk_status job_check_room(const struct job *job, struct rk_error *error)
{
    const struct layout *to = job->t->to;
    struct statvfs disk;
    uint64_t need = 0;
    if (statvfs(to->folder, &disk) != 0)
        return transfer_fail(error, to->folder, "no folder", errno);
    for (uint32_t i = 0; i < to->files; i++) {
        char path[MOST_PATH];
        struct stat info;
        uint64_t have = 0;
        transfer_path(path, to, i, ".part");
        if (stat(path, &info) == 0) have = (uint64_t)info.st_blocks * 512;
        if (have < to->file[i].bytes) need += to->file[i].bytes - have;
    }
    const uint64_t room = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (need <= room) return RK_OK;
    return rk_fail(error, RK_IO, to->folder, 0, 0,
                   "no room: %" PRIu64 " bytes are to be written, %" PRIu64
                   " are free; nothing was "
                   "written",
                   need, room);
}

/* A file of its full size, which reads as zeros. A file system that cannot promise room is fine. */
static int make_file(const struct job *job, uint32_t file, const char *path,
                     const struct bytes *header)
{
    const off_t size = (off_t)job->t->to->file[file].bytes;
    job->to[file] = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (job->to[file] < 0) return errno;
    if (fallocate(job->to[file], 0, 0, size) != 0 && errno != EOPNOTSUPP && errno != EINVAL &&
        errno != ENOSYS)
        return errno;
    if (ftruncate(job->to[file], size) != 0) return errno;
    for (size_t done = 0; done < header->size;) {
        const ssize_t moved =
            pwrite(job->to[file], header->data + done, header->size - done, (off_t)done);
        if (moved < 0 && errno != EINTR) return errno;
        if (moved > 0) done += (size_t)moved;
    }
    return 0;
}

enum rk_status job_make_files(const struct job *job, bool again, struct rk_error *error)
{
    const struct layout *to = job->t->to;
    struct bytes header = {.data = NULL};
    enum rk_status status = RK_OK;
    for (uint32_t i = 0; i < to->files && status == RK_OK; i++) {
        char path[MOST_PATH];
        transfer_path(path, to, i, ".part");
        if (!again) unlink(path);
        status = job->t->header(job->t->context, i, &header, error);
        const int code = status == RK_OK ? make_file(job, i, path, &header) : 0;
        if (code) status = transfer_fail(error, path, "cannot write", code);
    }
    bytes_release(&header);
    return status;
}

enum rk_status job_finish_files(const struct job *job, struct rk_error *error)
{
    const struct layout *to = job->t->to;
    for (uint32_t i = 0; i < to->files; i++) {
        char part[MOST_PATH], path[MOST_PATH];
        transfer_path(part, to, i, ".part");
        transfer_path(path, to, i, "");
        if (job->t->sync && fsync(job->to[i]) != 0)
            return transfer_fail(error, part, "cannot write", errno);
        if (rename(part, path) != 0) return transfer_fail(error, path, "cannot rename", errno);
    }
    return RK_OK;
}

enum rk_status job_rename_rest(const struct job *job, struct rk_error *error)
{
    const struct layout *to = job->t->to;
    for (uint32_t i = 0; i < to->files; i++) {
        char part[MOST_PATH], path[MOST_PATH];
        transfer_path(part, to, i, ".part");
        transfer_path(path, to, i, "");
        if (access(path, F_OK) != 0 && rename(part, path) != 0)
            return transfer_fail(error, path, "cannot rename", errno);
    }
    return RK_OK;
}

/* ---- the journal ----
 *
 * "reckon FINGERPRINT BOOT", then a line for each tensor that is written, then "end" when all are
 * and files are being renamed. What was written before the machine went down may not be on its
 * disk: the journal of another boot says nothing, unless files were synced. */

static void boot_id(char id[static 64])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    id[0] = '\0';
    if (file && fscanf(file, "%63s", id) != 1) id[0] = '\0';
    if (file) fclose(file);
    if (!*id) snprintf(id, 64, "-");
}

bool transfer_begun(const char *folder)
{
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s/" JOURNAL, folder);
    return access(path, F_OK) == 0;
}

enum rk_status transfer_end(const char *folder, struct rk_error *error)
{
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s/" JOURNAL, folder);
    return unlink(path) == 0 ? RK_OK : transfer_fail(error, path, "cannot remove", errno);
}

/* Are all unfinished files there, as large as they are to be? */
static bool has_parts(const struct job *job)
{
    const struct layout *to = job->t->to;
    for (uint32_t i = 0; i < to->files; i++) {
        char path[MOST_PATH];
        struct stat info;
        transfer_path(path, to, i, ".part");
        if (stat(path, &info) != 0 || (uint64_t)info.st_size != to->file[i].bytes) return false;
    }
    return true;
}

enum rk_status job_read_journal(struct job *job, const char *path, enum journal *found,
                                struct rk_error *error)
{
    char line[64], boot[64], said_boot[64] = "";
    uint64_t fingerprint = 0, tensor;
    FILE *file = fopen(path, "r");
    *found = JOURNAL_NONE;
    if (!file) return RK_OK;
    const int said = fscanf(file, "reckon %" SCNx64 " %63s\n", &fingerprint, said_boot);
    boot_id(boot);
    if (said >= 1 && fingerprint != job->t->fingerprint) {
        fclose(file);
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "is of another transfer that was not finished: finish it, or remove %s",
                       job->t->to->folder);
    }
    const bool valid = said == 2 && strcmp(boot, said_boot) == 0;
    if (valid) *found = JOURNAL_BEGUN;
    while (valid && fgets(line, sizeof line, file)) {
        const bool whole = strchr(line, '\n') != NULL;
        if (whole && strcmp(line, "end\n") == 0) *found = JOURNAL_ENDED;
        if (whole && sscanf(line, "%" SCNu64, &tensor) == 1 && tensor < job->t->from->tensors &&
            !job->done[tensor]) {
            job->done[tensor] = true;
            job->sum->done_before++;
        }
    }
    fclose(file);
    if (*found == JOURNAL_BEGUN && !has_parts(job)) *found = JOURNAL_NONE;
    return RK_OK;
}

enum rk_status job_open_journal(struct job *job, const char *path, bool again,
                                struct rk_error *error)
{
    char boot[64];
    job->journal =
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (again ? 0 : O_TRUNC), 0666);
    if (job->journal < 0) return transfer_fail(error, path, "cannot write", errno);
    boot_id(boot);
    /* a line that was cut off is ended */
    const int written =
        again ? dprintf(job->journal, "\n")
              : dprintf(job->journal, "reckon %016" PRIx64 " %s\n", job->t->fingerprint, boot);
    return written < 0 ? transfer_fail(error, path, "cannot write", errno) : RK_OK;
}
