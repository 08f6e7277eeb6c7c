#include "run/checkpoint.h"

#include "base/memory.h"
#include "base/open.h"
#include "run/checkpoint_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ---- reading ---- */

static const struct tensor *tensor_named(const struct checkpoint *c, const char *name, int *file)
{
    for (*file = 0; *file < c->files; ++*file) {
        const struct safetensors *h = &c->file[*file].header;
        for (size_t i = 0; i < h->count; i++)
            if (strcmp(h->tensor[i].name, name) == 0) return &h->tensor[i];
    }
    return NULL;
}

/* Other names of the same: in front of GPT-2's, and Mixtral's for what Qwen's mixtures have. */
static const struct tensor *find_tensor(const struct checkpoint *c, const char *name, int *file)
{
    static const struct {
        const char *part, *other;
    } mixtral[] = {{"mlp.gate.weight", "block_sparse_moe.gate.weight"},
                   {"gate_proj.weight", "w1.weight"},
                   {"up_proj.weight", "w3.weight"},
                   {"down_proj.weight", "w2.weight"}};
    char other[256];
    const struct tensor *t = tensor_named(c, name, file);
    if (t) return t;
    snprintf(other, sizeof other, "transformer.%s", name);
    if ((t = tensor_named(c, other, file))) return t;
    const char *mlp = strstr(name, ".mlp."), *shared = strstr(name, "shared_experts.");
    if (shared) { /* as Qwen's are called, and earlier ones wrote them */
        snprintf(other, sizeof other, "%.*sshared_expert.%s", (int)(shared - name), name,
                 strchr(shared, '.') + 1);
        if ((t = tensor_named(c, other, file))) return t;
    }
    for (size_t i = 0; mlp && i < sizeof mixtral / sizeof *mixtral; i++) {
        const char *part = strstr(mlp, mixtral[i].part);
        if (!part) continue;
        snprintf(other, sizeof other, i ? "%.*s.block_sparse_moe.%.*s%s" : "%.*s.%.*s%s",
                 (int)(mlp - name), name, i ? (int)(part - mlp - 5) : 0, mlp + 5, mixtral[i].other);
        if ((t = tensor_named(c, other, file))) return t;
    }
    return NULL;
}

static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    const double size = exponent == 0    ? ldexp(mantissa, -24)
                        : exponent == 31 ? (mantissa ? NAN : INFINITY)
                                         : ldexp(mantissa + 1024, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

static double element(enum tensor_type type, const unsigned char *at)
{
    uint16_t half;
    uint32_t word;
    float single;
    double value;
    switch (type) {
    case TENSOR_F64:
        memcpy(&value, at, 8);
        return value;
    case TENSOR_F32:
        memcpy(&single, at, 4);
        return single;
    case TENSOR_BF16:
        memcpy(&half, at, 2);
        word = (uint32_t)half << 16;
        memcpy(&single, &word, 4);
        return single;
    default:
        memcpy(&half, at, 2);
        return half_value(half);
    }
}

static bool is_read(enum tensor_type type)
{
    return type == TENSOR_F64 || type == TENSOR_F32 || type == TENSOR_BF16 || type == TENSOR_F16;
}

static enum rk_status read_weight(const struct checkpoint *c, const struct weight *w,
                                  const char *name, size_t real_bytes, char *to,
                                  struct rk_error *error)
{
    int file;
    const struct tensor *t = find_tensor(c, name, &file);
    if (!t)
        return rk_fail(error, RK_BAD_INPUT, c->files ? c->file[0].path : NULL, 0, 0,
                       "%s is not there", name);
    const size_t bytes = tensor_type_bits(t->type) / 8;
    unsigned char *buffer = malloc(w->box_rows * w->box_cols * bytes + 1);
    enum rk_status status = RK_OK;
    if (!buffer) return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory to read %s", name);
    for (uint64_t i = 0; i < runs_of(w) && status == RK_OK; i++) {
        const struct run run = run_at(w, i);
        const size_t size = run.count * bytes;
        for (size_t got = 0; got < size && status == RK_OK;) {
            const ssize_t n = pread(c->file[file].file, buffer + got, size - got,
                                    (off_t)(t->begin + run.file * bytes + got));
            if (n <= 0)
                status = rk_fail(error, RK_IO, c->file[file].path, 0, 0, "%s ends early", name);
            else
                got += (size_t)n;
        }
        for (uint64_t k = 0; k < run.count && status == RK_OK; k++) {
            const double value = element(t->type, buffer + k * bytes);
            const uint64_t at = w->at + run.at + k * run.stride;
            if (real_bytes == 8)
                ((double *)to)[at] = value;
            else
                ((float *)to)[at] = (float)value;
        }
    }
    free(buffer);
    return status;
}

/* ---- weights where they lie ---- */

static const unsigned char *mapped_file(struct checkpoint_file *f)
{
    struct stat about;
    if (!f->map && fstat(f->file, &about) == 0) {
        f->bytes = (size_t)about.st_size;
        f->map = mmap(NULL, f->bytes, PROT_READ, MAP_SHARED, f->file, 0);
        if (f->map == MAP_FAILED) f->map = NULL;
    }
    return f->map;
}

/* Gives an engine that has use for it the weight's place in its file; false: it must be read. */
static bool map_weight(struct checkpoint *c, const struct engine_kind *kind, struct engine *engine,
                       const struct weight *w)
{
    static const enum mapped_type types[TENSOR_TYPE_COUNT] = {
        [TENSOR_F32] = MAPPED_F32, [TENSOR_BF16] = MAPPED_BF16, [TENSOR_F16] = MAPPED_F16};
    int file;
    if (!kind->map(engine, w, NULL)) return false;
    const struct tensor *t = find_tensor(c, w->name, &file);
    const bool whole = w->col0 == 0 && w->box_cols == w->file_cols && !w->turn && !w->file_unit &&
                       !w->file_experts && w->row0 + w->box_rows <= w->rows;
    const size_t bytes = t ? tensor_type_bits(t->type) / 8 : 0;
    const uint64_t first = w->file_at + w->row0;
    if (!t || !types[t->type] || !whole || t->begin % bytes != 0) return false;
    const unsigned char *data = mapped_file(&c->file[file]);
    if (!data || t->end > c->file[file].bytes) return false;
    const struct mapped m = {.data = data + t->begin +
                                     bytes * (w->transposed ? first : first * w->file_cols),
                             .type = types[t->type],
                             .row = w->transposed ? 1 : w->file_cols,
                             .col = w->transposed ? w->file_rows : 1};
    return kind->map(engine, w, &m);
}

static enum rk_status read_group(struct checkpoint *c, const struct engine_kind *kind,
                                 struct engine *engine, const struct weight_group *group, int which,
                                 char *to, struct rk_error *error)
{
    const struct weights *all = kind->weights(engine);
    enum rk_status status = RK_OK;
    for (int i = 0; i < group->count && status == RK_OK; i++) {
        const struct weight *w = &all->weight[group->first + i];
        char name[128];
        if (which == 0 && map_weight(c, kind, engine, w)) continue;
        snprintf(name, sizeof name, "%s%s", prefix_of(which), w->name);
        status = read_weight(c, w, name, kind->real_bytes, to, error);
    }
    return status;
}

static enum rk_status load_group(struct checkpoint *c, const struct engine_kind *kind,
                                 struct engine *engine, int group, int which,
                                 struct rk_error *error)
{
    const struct weight_group *g = &kind->weights(engine)->group[group];
    char *here = which == 0 ? kind->flat(engine, group) : NULL;
    if (here) return read_group(c, kind, engine, g, which, here, error);
    char *buffer = calloc(g->size, kind->real_bytes);
    if (!buffer) return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory to read a checkpoint");
    enum rk_status status = read_group(c, kind, engine, g, which, buffer, error);
    if (status == RK_OK && !kind->scatter(engine, group, which, buffer)) {
        *error = kind->comm(engine)->error;
        status = error->status;
    }
    free(buffer);
    return status;
}

enum rk_status checkpoint_load(struct checkpoint *c, const struct engine_kind *kind,
                               struct engine *engine, struct rk_error *error)
{
    const struct weights *all = kind->weights(engine);
    enum rk_status status = RK_OK;
    for (int g = 0; g < all->groups && status == RK_OK; g++)
        for (int which = 0; which < (c->moments ? 3 : 1) && status == RK_OK; which++)
            status = load_group(c, kind, engine, g, which, error);
    struct scaler *scaler = kind->scaler(engine);
    scaler->skipped = c->about.scaler.skipped;
    if (!scaler->scales || !(c->about.scaler.scale > 0)) return status;
    scaler->scale = c->about.scaler.scale;
    scaler->good = c->about.scaler.good;
    return status;
}

/* ---- opening ---- */

static enum rk_status open_file(struct checkpoint *c, const char *folder, const char *name,
                                struct rk_error *error)
{
    if (c->files == CHECKPOINT_FILES)
        return rk_fail(error, RK_BAD_INPUT, folder, 0, 0, "more than %d files *.safetensors",
                       CHECKPOINT_FILES);
    struct checkpoint_file *f = &c->file[c->files];
    snprintf(f->path, sizeof f->path, "%s/%s", folder, name);
    const enum rk_status status = safetensors_read(f->path, &f->header, error);
    if (status != RK_OK) return status;
    f->file = open(f->path, O_RDONLY | O_CLOEXEC);
    if (f->file < 0) {
        safetensors_release(&f->header);
        return fail_system(error, f->path);
    }
    c->files++;
    return RK_OK;
}

/* Files of weights that belong together: model.safetensors; else the pieces model-00001-of-00005
 * ..., of which none may be missing; else all files *.safetensors of the folder. */
enum weight_files { WHOLE, PIECES, ALL_FILES };

static bool belongs(enum weight_files kind, const char *name, int *of)
{
    const size_t length = strlen(name);
    int number, end = 0;
    if (length <= 12 || strcmp(name + length - 12, ".safetensors") != 0) return false;
    if (kind == WHOLE) return strcmp(name, weights_name) == 0;
    if (kind == ALL_FILES) return true;
    return sscanf(name, "model-%d-of-%d.safetensors%n", &number, of, &end) == 2 && end &&
           !name[end];
}

static int count_files(const char *folder, enum weight_files kind, int *of)
{
    DIR *dir = opendir(folder);
    int count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        count += belongs(kind, entry->d_name, of);
    if (dir) closedir(dir);
    return count;
}

static enum rk_status open_weights(struct checkpoint *c, const char *folder, struct rk_error *error)
{
    enum weight_files kind = WHOLE;
    enum rk_status status = RK_OK;
    int pieces = 0, of = 0;
    if (!is_there(folder, weights_name))
        kind = (pieces = count_files(folder, PIECES, &of)) ? PIECES : ALL_FILES;
    if (pieces < of)
        return rk_fail(error, RK_BAD_INPUT, folder, 0, 0,
                       "holds %d of the %d files model-...-of-%05d.safetensors: bring the others, "
                       "too",
                       pieces, of, of);
    DIR *dir = opendir(folder);
    if (!dir) return fail_to_open(folder, error);
    for (struct dirent *entry; status == RK_OK && (entry = readdir(dir));)
        if (belongs(kind, entry->d_name, &of)) status = open_file(c, folder, entry->d_name, error);
    closedir(dir);
    if (status == RK_OK && !c->files)
        status =
            rk_fail(error, RK_BAD_INPUT, folder, 0, 0, "holds no checkpoint and no *.safetensors");
    return status;
}

static enum rk_status open_folder(struct checkpoint *c, const char *folder, struct rk_error *error)
{
    if (!is_there(folder, about_name)) {
        if (!is_there(folder, moments_name)) return open_weights(c, folder, error);
        return rk_fail(error, RK_BAD_INPUT, folder, 0, 0,
                       "has %s, and no %s that says what they are of: load %s from a folder of its "
                       "own to begin a run with the weights alone",
                       moments_name, about_name, weights_name);
    }
    enum rk_status status = checkpoint_about_read(folder, true, &c->about, error);
    c->moments = true;
    if (status == RK_OK) status = open_file(c, folder, weights_name, error);
    if (status == RK_OK) status = open_file(c, folder, moments_name, error);
    return status;
}

/* The numbers of folders step-N, the largest first; at most `most`. */
int checkpoint_steps(const char *folder, unsigned long long *steps, int most)
{
    DIR *dir = opendir(folder);
    int count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        unsigned long long step;
        int end = 0;
        if (sscanf(entry->d_name, "step-%llu%n", &step, &end) != 1 || entry->d_name[end]) continue;
        int at = count < most ? count++ : most;
        for (; at > 0 && steps[at - 1] < step; at--)
            if (at < most) steps[at] = steps[at - 1];
        if (at < most) steps[at] = step;
    }
    if (dir) closedir(dir);
    return count;
}

/* Of a prediction layer: a copy of the table or of the head, or anything where such layers are left
 * out. */
static bool is_ahead(const struct job *job, const char *name)
{
    const uint64_t first = job->model.layers;
    unsigned long long layer;
    int end = 0;
    if (sscanf(name, "model.layers.%llu.%n", &layer, &end) != 1 || layer < first) return false;
    if (layer < first + job->left_ahead) return true;
    const bool copy = strcmp(name + end, "embed_tokens.weight") == 0 ||
                      strcmp(name + end, "shared_head.head.weight") == 0;
    return copy && layer < first + job->model.predict_layers;
}

/* Tensors of weight files that are not weights: tables of masks and angles, and copies of the
 * embedding table for the head and of both for prediction layers. */
static bool is_no_weight(const struct job *job, const char *name)
{
    static const char *const ends[] = {".attn.bias", ".attn.masked_bias", ".attention.bias",
                                       ".attention.masked_bias", ".rotary_emb.inv_freq"};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t end = strlen(ends[i]);
        if (length >= end && strcmp(name + length - end, ends[i]) == 0) return true;
    }
    if (is_ahead(job, name)) return true;
    return job->model.tied_embeddings && strcmp(name, "lm_head.weight") == 0;
}

/* The files of weights: those of moments hold the same names with a word in front. */
static int weight_files(const struct checkpoint *c)
{
    return c->moments ? 1 : c->files;
}

/* All that is there is read: else it is another model, of more layers or with biases. */
static enum rk_status check_all_used(const struct checkpoint *c, const struct job *job,
                                     bool *const *used, struct rk_error *error)
{
    for (int f = 0; f < weight_files(c); f++) {
        const struct safetensors *h = &c->file[f].header;
        for (size_t i = 0; i < h->count; i++)
            if (!used[f][i] && !is_no_weight(job, h->tensor[i].name))
                return rk_fail(error, RK_BAD_INPUT, c->file[f].path, 0, 0,
                               "has %s, and the model does not: it is of another model",
                               h->tensor[i].name);
    }
    return RK_OK;
}

/* "768 x 1" of a vector, too. */
static void say_shape(int rank, const uint64_t *shape, char *text, size_t room)
{
    size_t used = 0;
    for (int i = 0; (i < rank || i < 2) && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%llu", i ? " x " : "",
                                 (unsigned long long)(i < rank ? shape[i] : 1));
}

static enum rk_status check_tensor(const struct checkpoint *c, const char *path,
                                   const struct weight *w, bool *const *used,
                                   struct rk_error *error)
{
    uint64_t shape[3] = {1, 1, 1};
    char theirs[72], ours[72];
    int rank, file;
    const struct tensor *t = find_tensor(c, w->name, &file);
    shape_of(w, &rank, shape);
    if (!t)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "lacks %s: it is of another model",
                       w->name);
    used[file][t - c->file[file].header.tensor] = true;
    if (!is_read(t->type))
        return rk_fail(error, RK_BAD_INPUT, c->file[file].path, 0, 0,
                       "%s is of type %s: F16, BF16, F32 and F64 are read", w->name,
                       tensor_type_name(t->type));
    if (t->rank == rank && memcmp(t->shape, shape, (size_t)rank * sizeof *shape) == 0) return RK_OK;
    say_shape(t->rank, t->shape, theirs, sizeof theirs);
    say_shape(rank, shape, ours, sizeof ours);
    return rk_fail(error, RK_BAD_INPUT, c->file[file].path, 0, 0,
                   "%s is %s, the model's %s: it is of another model", w->name, theirs, ours);
}

static enum rk_status check_tensors(const struct checkpoint *c, const char *path,
                                    const struct job *job, struct rk_error *error)
{
    struct weights all;
    bool *used[CHECKPOINT_FILES] = {NULL};
    enum rk_status status = whole_model(job, &all, error);
    for (int f = 0; f < c->files && status == RK_OK; f++)
        if (!(used[f] = calloc(c->file[f].header.count + 1, sizeof **used)))
            status = no_memory(error);
    for (int i = 0; status == RK_OK && i < all.weights; i++)
        status = check_tensor(c, path, &all.weight[i], used, error);
    if (status == RK_OK) status = check_all_used(c, job, used, error);
    for (int f = 0; f < c->files; f++)
        free(used[f]);
    weights_release(&all);
    return status;
}

void checkpoint_close(struct checkpoint *c)
{
    for (int i = 0; i < c->files; i++) {
        safetensors_release(&c->file[i].header);
        if (c->file[i].map) munmap(c->file[i].map, c->file[i].bytes);
        close(c->file[i].file);
    }
    c->files = 0;
}

/* The newest folder of `path` that is whole; the first reason why a newer one is not stays in
 * c->passed. */
static enum rk_status open_newest(struct checkpoint *c, const char *path,
                                  const unsigned long long *steps, int count,
                                  struct rk_error *error)
{
    struct rk_error passed = {.status = RK_OK};
    enum rk_status status = RK_OK;
    for (int i = 0; i < count; i++) {
        char folder[512];
        snprintf(folder, sizeof folder, "%s/step-%08llu", path, steps[i]);
        status = open_folder(c, folder, error);
        c->passed = passed;
        if (status == RK_OK) return RK_OK;
        if (passed.status == RK_OK)
            rk_fail(&passed, error->status, error->path, error->line, error->column,
                    "%.440s: the checkpoint before it is taken", error->text);
        checkpoint_close(c);
        memset(c, 0, sizeof *c);
    }
    return status;
}

enum rk_status checkpoint_open(struct checkpoint *c, const char *path, const struct job *job,
                               struct rk_error *error)
{
    enum { TRIED = 4 };
    unsigned long long steps[TRIED];
    memset(c, 0, sizeof *c);
    enum rk_status status = check_length(path, error);
    const int count =
        status != RK_OK || is_there(path, about_name) ? 0 : checkpoint_steps(path, steps, TRIED);
    if (status == RK_OK)
        status = count ? open_newest(c, path, steps, count, error) : open_folder(c, path, error);
    if (status == RK_OK && c->moments && job->model.kv_rank && !c->about.neighbours)
        status = rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                         "was written by an earlier reckon, whose rows of latent attention are in "
                         "another order: go "
                         "on with that one");
    if (status == RK_OK) status = check_tensors(c, path, job, error);
    if (status != RK_OK) checkpoint_close(c);
    return status;
}

enum rk_status rk_train_look(const char *path, struct rk_train_about *about, struct rk_error *error)
{
    unsigned long long step;
    char folder[512];
    struct checkpoint_about read;
    enum rk_status status = check_length(path, error);
    *about = (struct rk_train_about){.step = 0};
    if (status != RK_OK) return status;
    snprintf(folder, sizeof folder, "%s", path);
    if (!is_there(path, about_name) && checkpoint_steps(path, &step, 1))
        snprintf(folder, sizeof folder, "%s/step-%08llu", path, step);
    if (!is_there(folder, about_name)) return RK_OK;
    status = checkpoint_about_read(folder, false, &read, error);
    if (status == RK_OK)
        *about = (struct rk_train_about){read.step, read.seed, read.batch, read.sequence};
    return status;
}
