/* checkpoint_save.c - each rank writes the boxes that it has; see checkpoint.h. */
#include "run/checkpoint.h"

#include "base/memory.h"
#include "run/checkpoint_beside.h"
#include "run/checkpoint_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static uint64_t model_elements(const struct weights *all)
{
    uint64_t count = 0;
    for (int i = 0; i < all->weights; i++)
        count += all->weight[i].rows * all->weight[i].cols;
    return count;
}

enum rk_status checkpoint_check(const char *folder, const struct job *job, size_t real_bytes,
                                uint64_t begin, struct rk_error *error)
{
    struct statvfs room;
    struct stat info;
    struct weights all;
    unsigned long long newest;
    enum rk_status status = check_length(folder, error);
    if (status != RK_OK) return status;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) return fail_system(error, folder);
    if (access(folder, W_OK) != 0 || statvfs(folder, &room) != 0 || stat(folder, &info) != 0)
        return fail_system(error, folder);
    if (!S_ISDIR(info.st_mode))
        return rk_fail(error, RK_IO, folder, 0, 0, "is not a folder: `save` takes one");
    if (checkpoint_steps(folder, &newest, 1) && newest > begin)
        return rk_fail(error, RK_BAD_INPUT, folder, 0, 0,
                       "has step %llu, and this run begins after step %llu: go on from there with "
                       "`load`, or save to another folder",
                       newest, (unsigned long long)begin);
    status = whole_model(job, &all, error);
    if (status != RK_OK) return status;
    const double need = 3.0 * (double)model_elements(&all) * (double)real_bytes;
    const double have = (double)room.f_bavail * (double)room.f_frsize;
    weights_release(&all);
    if (need <= have) return RK_OK;
    return rk_fail(error, RK_IO, folder, 0, 0, "a checkpoint takes %.3g GB, and %.3g GB are free",
                   need / 1e9, have / 1e9);
}

/* Many releases of transformers read no file that does not say so. */
static bool say_format(struct safetensors *file)
{
    file->pair = calloc(1, sizeof *file->pair);
    if (!file->pair) return false;
    file->pairs = 1;
    file->pair->key = strdup("format");
    file->pair->value = strdup("pt");
    return file->pair->key && file->pair->value;
}

/* The header of one of the two files: weights, or first and second moments. */
static enum rk_status plan_file(const struct weights *all, bool moments, const char *datatype,
                                const char *path, struct safetensors *file, struct bytes *header,
                                struct rk_error *error)
{
    const size_t most = (size_t)all->weights * (moments ? 2 : 1);
    *file = (struct safetensors){.tensor = calloc(most, sizeof *file->tensor)};
    if (!moments && !say_format(file)) return no_memory(error);
    for (int i = 0; file->tensor && i < all->weights; i++) {
        if (!leads(&all->weight[i])) continue;
        for (int which = moments; which <= (moments ? 2 : 0); which++) {
            struct tensor *t = &file->tensor[file->count++];
            t->name = malloc(128);
            if (!t->name) return no_memory(error);
            snprintf(t->name, 128, "%s%s", prefix_of(which), all->weight[i].name);
            t->type = strcmp(datatype, "F64") == 0 ? TENSOR_F64 : TENSOR_F32;
            shape_of(&all->weight[i], &t->rank, t->shape);
        }
    }
    if (!file->tensor) return no_memory(error);
    return safetensors_write(path, file, header, error);
}

static enum rk_status create_file(const char *path, const struct safetensors *file,
                                  const struct bytes *header, struct rk_error *error)
{
    const uint64_t size = file->tensor[file->count - 1].end;
    const int out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out < 0) return fail_system(error, path);
    errno = posix_fallocate(out, 0, (off_t)size);
    bool ok = errno == 0 && pwrite(out, header->data, header->size, 0) == (ssize_t)header->size;
    const enum rk_status status = ok ? RK_OK : fail_system(error, path);
    close(out);
    return status;
}

static bool write_run(int file, const struct weight *w, const struct run *run, uint64_t begin,
                      size_t real_bytes, const char *from, char *line)
{
    const char *data = from + (w->at + run->at) * real_bytes;
    const size_t size = run->count * real_bytes;
    if (run->stride != 1) {
        for (uint64_t k = 0; k < run->count; k++)
            memcpy(line + k * real_bytes, data + k * run->stride * real_bytes, real_bytes);
        data = line;
    }
    for (size_t done = 0; done < size;) {
        const ssize_t n =
            pwrite(file, data + done, size - done, (off_t)(begin + run->file * real_bytes + done));
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

static const struct tensor *named(const struct safetensors *file, const char *prefix,
                                  const char *name)
{
    char whole[128];
    snprintf(whole, sizeof whole, "%s%s", prefix, name);
    for (size_t i = 0; i < file->count; i++)
        if (strcmp(file->tensor[i].name, whole) == 0) return &file->tensor[i];
    return NULL;
}

static bool write_group(const struct weights *all, const struct weight_group *group, int which,
                        int file, const struct safetensors *header, size_t real_bytes,
                        const char *buffer)
{
    for (int i = 0; i < group->count; i++) {
        const struct weight *w = &all->weight[group->first + i];
        const struct tensor *t = named(header, prefix_of(which), w->name);
        char *line = malloc(w->box_rows * w->box_cols * real_bytes + 1);
        bool ok = t && line;
        for (uint64_t r = 0; ok && w->counted && r < runs_of(w); r++) {
            const struct run run = run_at(w, r);
            ok = write_run(file, w, &run, t->begin, real_bytes, buffer, line);
        }
        free(line);
        if (!ok) return false;
    }
    return true;
}

/* What this rank has, once the files are there. */
static bool write_boxes(const struct engine_kind *kind, struct engine *engine, const char *folder,
                        const struct safetensors headers[2])
{
    const struct weights *all = kind->weights(engine);
    struct comm *comm = kind->comm(engine);
    int file[2];
    char path[2][600];
    bool ok = true;
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", folder, i ? moments_name : weights_name);
        file[i] = open(path[i], O_WRONLY | O_CLOEXEC);
    }
    for (int g = 0; g < all->groups && ok; g++) {
        const struct weight_group *group = &all->group[g];
        char *buffer = malloc(group->size * kind->real_bytes);
        for (int which = 0; which < 3 && ok; which++) {
            ok = buffer && file[0] >= 0 && file[1] >= 0 && kind->gather(engine, g, which, buffer);
            if (ok && kind->writes(engine, g))
                ok = write_group(all, group, which, file[which > 0], &headers[which > 0],
                                 kind->real_bytes, buffer);
        }
        free(buffer);
    }
    struct rk_error error;
    if (!ok && comm->error.status == RK_OK) {
        fail_system(&error, path[0]);
        comm_fail(comm, &error);
    }
    for (int i = 0; i < 2; i++)
        if (file[i] >= 0 && (fsync(file[i]) != 0 || close(file[i]) != 0) && ok) {
            fail_system(&error, path[i]);
            ok = comm_fail(comm, &error);
        }
    return ok;
}

static void remove_checkpoint(const char *folder)
{
    static const char *const names[] = {weights_name, moments_name, about_name};
    char path[600];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    checkpoint_beside_remove(folder);
    rmdir(folder);
}

void checkpoint_remove_all(const char *folder)
{
    enum { MOST = 8 };
    unsigned long long steps[MOST];
    char one[512];
    for (int i = 0, n = checkpoint_steps(folder, steps, MOST); i < n; i++) {
        snprintf(one, sizeof one, "%.480s/step-%08llu", folder, steps[i]);
        remove_checkpoint(one);
    }
    rmdir(folder);
}

/* The folder takes its name; of all but the two newest nothing is left. */
static enum rk_status finish(const char *folder, const char *part, const char *final,
                             struct rk_error *error)
{
    enum { KEPT = 2, MOST = 8 };
    unsigned long long steps[MOST];
    char old[512];
    if (is_there(final, about_name)) remove_checkpoint(final);
    if (rename(part, final) != 0) return fail_system(error, final);
    for (int i = KEPT, n = checkpoint_steps(folder, steps, MOST); i < n; i++) {
        snprintf(old, sizeof old, "%s/step-%08llu", folder, steps[i]);
        remove_checkpoint(old);
    }
    return RK_OK;
}

static enum rk_status create_files(const char *part, const struct safetensors headers[2],
                                   const struct bytes bytes[2], struct rk_error *error)
{
    char path[600];
    enum rk_status status = RK_OK;
    remove_checkpoint(part); /* of a run that ended while it wrote */
    if (mkdir(part, 0777) != 0 && errno != EEXIST) return fail_system(error, part);
    for (int i = 0; i < 2 && status == RK_OK; i++) {
        snprintf(path, sizeof path, "%s/%s", part, i ? moments_name : weights_name);
        status = create_file(path, &headers[i], &bytes[i], error);
    }
    return status;
}

/* What rank 0 says of its work, which all wait for. */
static bool tell(struct comm *comm, bool *ok)
{
    char said = *ok;
    const bool all = comm_agree(comm, "a checkpoint", &said);
    *ok = all && said;
    return all;
}

/* The run continues without this one, which rank 0 says, or ends. */
static bool do_without(struct comm *comm, const struct rk_train_run *run, bool *kept,
                       struct rk_error *error)
{
    const size_t length = strlen(error->text);
    if (!kept) return comm->rank == 0 ? comm_fail(comm, error) : tell(comm, &(bool){true});
    *kept = false;
    if (comm->rank != 0 || !run || !run->warn) return true;
    snprintf(error->text + length, sizeof error->text - length,
             ": step %llu is not saved, and the run goes on", (unsigned long long)comm->step);
    run->warn(run->context, error);
    return true;
}

bool checkpoint_save(const char *folder, const struct job *job, const struct engine_kind *kind,
                     struct engine *engine, uint64_t step, const struct rk_train_run *run,
                     bool *kept)
{
    struct comm *comm = kind->comm(engine);
    struct safetensors headers[2] = {{0}, {0}};
    struct bytes bytes[2] = {{0}, {0}};
    struct weights all = {.weight = NULL};
    struct rk_error error;
    char part[500], final[500];
    snprintf(final, sizeof final, "%s/step-%08llu", folder, (unsigned long long)step);
    snprintf(part, sizeof part, "%s/step-%08llu.part", folder, (unsigned long long)step);
    enum rk_status status = whole_model(job, &all, &error);
    for (int i = 0; i < 2 && status == RK_OK; i++)
        status = plan_file(&all, i, kind->datatype, part, &headers[i], &bytes[i], &error);
    bool ok = status == RK_OK || comm_fail(comm, &error), written = true;
    if (ok && comm->rank == 0) written = create_files(part, headers, bytes, &error) == RK_OK;
    ok = ok && tell(comm, &written);
    if (ok && written) {
        ok = write_boxes(kind, engine, part, headers) && tell(comm, &(bool){true});
        if (ok && comm->rank == 0) {
            status = checkpoint_about_write(part, job, step, kind->scaler(engine), &error);
            if (status == RK_OK && run) status = checkpoint_beside_write(part, run, &error);
            if (status == RK_OK) status = finish(folder, part, final, &error);
            written = status == RK_OK;
        }
        ok = ok && tell(comm, &written);
    }
    if (comm->rank == 0 && !(ok && written)) remove_checkpoint(part);
    if (ok && !written) ok = do_without(comm, run, kept, &error);
    for (int i = 0; i < 2; i++) {
        safetensors_release(&headers[i]);
        bytes_release(&bytes[i]);
    }
    weights_release(&all);
    return ok;
}
