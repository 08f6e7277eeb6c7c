#include "run/checkpoint_about.h"

#include "base/memory.h"
#include "base/open.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const char *const file_names[] = {CHECKPOINT_WEIGHTS, CHECKPOINT_MOMENTS};
static const char *const bytes_keys[] = {"model_bytes", "moments_bytes"};
static const char *const sum_keys[] = {"model_crc32", "moments_crc32"};

static enum rk_status fail_system(struct rk_error *error, const char *path)
{
    return rk_fail(error, RK_IO, path, 0, 0, "%s", strerror(errno));
}

static bool sum_file(const char *path, uint32_t *sum, uint64_t *size)
{
    static const size_t piece = 1 << 20;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    unsigned char *buffer = malloc(piece);
    ssize_t n = -1;
    *sum = (uint32_t)crc32(0, NULL, 0);
    *size = 0;
    while (file >= 0 && buffer && (n = read(file, buffer, piece)) > 0) {
        *sum = (uint32_t)crc32(*sum, buffer, (uInt)n);
        *size += (uint64_t)n;
    }
    const int why = errno;
    if (file >= 0) close(file);
    free(buffer);
    errno = why;
    return n == 0;
}

/* ---- reading ---- */

/* False: it is there and no count. */
static bool read_count(const json_t *root, const char *key, uint64_t *count)
{
    const json_t *value = json_object_get(root, key);
    if (!value) return true;
    if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
    *count = (uint64_t)json_integer_value(value);
    return true;
}

static bool is_text(const json_t *root, const char *key, const char *text)
{
    const char *said = json_string_value(json_object_get(root, key));
    return said && strcmp(said, text) == 0;
}

static bool read_members(const json_t *root, struct checkpoint_about *a)
{
    struct scaler *s = &a->scaler;
    const json_t *scale = json_object_get(root, "loss_scale");
    if (!json_is_integer(json_object_get(root, "step")) ||
        !json_is_integer(json_object_get(root, "seed")) || (scale && !json_is_number(scale)))
        return false;
    s->scale = json_number_value(scale);
    a->muon = is_text(root, "optimizer", "muon");
    a->neighbours = is_text(root, "turns", "neighbours");
    return read_count(root, "step", &a->step) && read_count(root, "seed", &a->seed) &&
           read_count(root, "batch", &a->batch) && read_count(root, "sequence", &a->sequence) &&
           read_count(root, "good_steps", &s->good) &&
           read_count(root, "skipped_steps", &s->skipped) && (s->scale == 0 || s->scale >= 1) &&
           isfinite(s->scale) && s->good <= a->step && s->skipped <= a->step;
}

static enum rk_status check_file(const json_t *root, const char *folder, int i,
                                 struct rk_error *error)
{
    char path[600];
    uint64_t bytes = 0, crc = UINT64_MAX, size;
    uint32_t sum;
    snprintf(path, sizeof path, "%s/%s", folder, file_names[i]);
    if (!sum_file(path, &sum, &size)) return fail_system(error, path);
    if (read_count(root, bytes_keys[i], &bytes) && read_count(root, sum_keys[i], &crc) &&
        size == bytes && sum == crc)
        return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                   "damaged: %llu bytes of sum %08x, %llu of %08llx were written",
                   (unsigned long long)size, sum, (unsigned long long)bytes,
                   (unsigned long long)crc);
}

enum rk_status checkpoint_about_read(const char *folder, bool sums, struct checkpoint_about *about,
                                     struct rk_error *error)
{
    char path[600];
    json_error_t where;
    enum rk_status status = RK_OK;
    *about = (struct checkpoint_about){.step = 0};
    snprintf(path, sizeof path, "%s/%s", folder, CHECKPOINT_ABOUT);
    if (access(path, R_OK) != 0) return fail_to_open(path, error);
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    if (!root)
        return rk_fail(error, RK_BAD_INPUT, path, where.line > 0 ? where.line : 1,
                       where.column > 0 ? where.column : 1, "%s", where.text);
    if (!read_members(root, about))
        status = rk_fail(error, RK_BAD_INPUT, path, 1, 1, "this is not what reckon train writes");
    for (int i = 0; i < 2 && status == RK_OK && sums; i++)
        status = check_file(root, folder, i, error);
    json_decref(root);
    return status;
}

/* ---- writing ---- */

static bool set_count(json_t *root, const char *key, uint64_t count)
{
    return json_object_set_new(root, key, json_integer((json_int_t)count)) == 0;
}

static bool set_members(json_t *root, const struct job *job, const struct scaler *scaler)
{
    bool ok = set_count(root, "batch", job->plan.batch) &&
              set_count(root, "sequence", job->sequence) &&
              json_object_set_new(root, "model", json_string(job->model.id)) == 0;
    if (ok && job->model.kv_rank)
        ok = json_object_set_new(root, "turns", json_string("neighbours")) == 0;
    if (ok && job->plan.optimizer == RK_MUON)
        ok = json_object_set_new(root, "optimizer", json_string("muon")) == 0;
    if (!ok || (!scaler->scales && !scaler->skipped)) return ok;
    const double scale = scaler->scales ? scaler->scale : 0;
    return json_object_set_new(root, "loss_scale", json_real(scale)) == 0 &&
           set_count(root, "good_steps", scaler->good) &&
           set_count(root, "skipped_steps", scaler->skipped);
}

static bool write_text(const char *path, const json_t *root)
{
    FILE *file = fopen(path, "w");
    if (!file) return false;
    const bool ok = json_dumpf(root, file, JSON_PRESERVE_ORDER) == 0 && fputc('\n', file) != EOF &&
                    fflush(file) == 0 && fsync(fileno(file)) == 0;
    return fclose(file) == 0 && ok;
}

enum rk_status checkpoint_about_write(const char *folder, const struct job *job, uint64_t step,
                                      const struct scaler *scaler, struct rk_error *error)
{
    char path[600];
    json_t *root = json_object();
    bool ok = root && set_count(root, "step", step) && set_count(root, "seed", job->settings.seed);
    enum rk_status status = RK_OK;
    for (int i = 0; i < 2 && ok && status == RK_OK; i++) {
        uint64_t size;
        uint32_t sum;
        snprintf(path, sizeof path, "%s/%s", folder, file_names[i]);
        if (!sum_file(path, &sum, &size)) status = fail_system(error, path);
        ok = set_count(root, bytes_keys[i], size) && set_count(root, sum_keys[i], sum);
    }
    if (status == RK_OK && !(ok && set_members(root, job, scaler))) status = no_memory(error);
    snprintf(path, sizeof path, "%s/%s", folder, CHECKPOINT_ABOUT);
    if (status == RK_OK && !write_text(path, root)) status = fail_system(error, path);
    json_decref(root);
    return status;
}
