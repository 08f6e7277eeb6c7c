#include "run/checkpoint.h"

#include "base/memory.h"
#include "run/checkpoint_beside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char weights_name[] = CHECKPOINT_WEIGHTS, moments_name[] = CHECKPOINT_MOMENTS,
                  about_name[] = CHECKPOINT_ABOUT;

/* Folders are joined with names of their own in paths of 512 and 600 bytes. */
enum { LONGEST_FOLDER = 450 };

static enum rk_status fail_system(struct rk_error *error, const char *path)
{
    return rk_fail(error, RK_IO, path, 0, 0, "%s", strerror(errno));
}

/* ---- the tensors of a whole model ---- */

static enum rk_status whole_model(const struct job *job, struct weights *all,
                                  struct rk_error *error)
{
    struct rk_plan plan = job->plan;
    plan.ranks = plan.tensor = plan.pipeline = plan.context = plan.expert = plan.chunks = 1;
    plan.expert_tensor = 0;
    plan.vocabulary_multiple = 0;
    plan.shard_ranks = 0;
    plan.layout = NULL;
    const struct weight_part part = {.layers = job->model.layers, .embeds = true, .heads = true};
    return weights_plan(&job->model, &plan, 0, &part, 1, all, error);
}

/* Is it the first of those that lie in the same tensor of a file (q, k and v of GPT-2)? */
static bool leads(const struct weight *w)
{
    return w->file_at == 0;
}

static void shape_of(const struct weight *w, int *rank, uint64_t shape[2])
{
    *rank = w->file_cols == 1 && !w->decays ? 1 : 2;
    shape[0] = w->transposed ? w->file_cols : w->file_rows;
    shape[1] = w->transposed ? w->file_rows : w->file_cols;
}

/* ---- runs of elements: where a box lies in the file and in memory ---- */

struct run {
    uint64_t file;       /* first element in the tensor of the file */
    uint64_t count;      /* elements, one behind another in the file */
    uint64_t at, stride; /* in memory, from the weight's begin */
};

static uint64_t runs_of(const struct weight *w)
{
    const uint64_t rows = w->row0 >= w->rows                ? 0
                          : w->rows - w->row0 < w->box_rows ? w->rows - w->row0
                                                            : w->box_rows;
    if (!rows) return 0;
    if (w->turn) return rows;
    if (w->transposed) return w->box_cols;
    return w->box_cols == w->file_cols ? 1 : rows;
}

/* Where a row is whose positions turn neighbours in the file, and halves here. */
static uint64_t file_row(const struct weight *w, uint64_t row)
{
    const uint64_t within = row % w->turn_width, first = w->turn_width - w->turn;
    if (within < first) return row;
    const uint64_t i = within - first, half = w->turn / 2;
    return row - i + (i < half ? 2 * i : 2 * (i - half) + 1);
}

static struct run run_at(const struct weight *w, uint64_t i)
{
    const uint64_t rows = w->rows - w->row0 < w->box_rows ? w->rows - w->row0 : w->box_rows;
    const uint64_t first = w->file_at + w->row0;
    if (w->turn)
        return (struct run){file_row(w, w->row0 + i) * w->file_cols + w->col0, w->box_cols,
                            i * w->box_cols, 1};
    if (w->transposed)
        return (struct run){(w->col0 + i) * w->file_rows + first, rows, i, w->box_cols};
    if (w->box_cols == w->file_cols)
        return (struct run){first * w->file_cols, rows * w->box_cols, 0, 1};
    return (struct run){(first + i) * w->file_cols + w->col0, w->box_cols, i * w->box_cols, 1};
}

/* ---- reading ---- */

static enum rk_status check_length(const char *folder, struct rk_error *error)
{
    if (strlen(folder) <= LONGEST_FOLDER) return RK_OK;
    return rk_fail(error, RK_IO, folder, 0, 0,
                   "the name of a folder of checkpoints has at most %d bytes", LONGEST_FOLDER);
}

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
    const bool whole =
        w->col0 == 0 && w->box_cols == w->file_cols && !w->turn && w->row0 + w->box_rows <= w->rows;
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

static const char *const which_prefix[] = {"", "first.", "second."};

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
        snprintf(name, sizeof name, "%s%s", which_prefix[which], w->name);
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

static bool is_there(const char *folder, const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
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
    if (!dir) return fail_system(error, folder);
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
static int find_steps(const char *folder, unsigned long long *steps, int most)
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

/* What files of weights hold beside weights: tables of masks and angles, and the copy of a table
 * that is the head's, too. */
static bool is_no_weight(const struct rk_model *model, const char *name)
{
    static const char *const ends[] = {".attn.bias", ".attn.masked_bias", ".rotary_emb.inv_freq"};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t end = strlen(ends[i]);
        if (length >= end && strcmp(name + length - end, ends[i]) == 0) return true;
    }
    return model->tied_embeddings && strcmp(name, "lm_head.weight") == 0;
}

/* The files of weights: those of moments hold the same names with a word in front. */
static int weight_files(const struct checkpoint *c)
{
    return c->moments ? 1 : c->files;
}

/* All that is there is read: else it is another model, of more layers or with biases. */
static enum rk_status check_all_used(const struct checkpoint *c, const struct rk_model *model,
                                     bool *const *used, struct rk_error *error)
{
    for (int f = 0; f < weight_files(c); f++) {
        const struct safetensors *h = &c->file[f].header;
        for (size_t i = 0; i < h->count; i++)
            if (!used[f][i] && !is_no_weight(model, h->tensor[i].name))
                return rk_fail(error, RK_BAD_INPUT, c->file[f].path, 0, 0,
                               "has %s, and the model does not: it is of another model",
                               h->tensor[i].name);
    }
    return RK_OK;
}

static enum rk_status check_tensor(const struct checkpoint *c, const char *path,
                                   const struct weight *w, bool *const *used,
                                   struct rk_error *error)
{
    uint64_t shape[2];
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
    if (t->rank == rank && t->shape[0] == shape[0] && (rank < 2 || t->shape[1] == shape[1]))
        return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, c->file[file].path, 0, 0,
                   "%s is %llu x %llu, the model's %llu x %llu: it is of another model", w->name,
                   (unsigned long long)t->shape[0],
                   (unsigned long long)(t->rank > 1 ? t->shape[1] : 1),
                   (unsigned long long)shape[0], (unsigned long long)(rank > 1 ? shape[1] : 1));
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
    if (status == RK_OK) status = check_all_used(c, &job->model, used, error);
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
        status != RK_OK || is_there(path, about_name) ? 0 : find_steps(path, steps, TRIED);
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
    if (!is_there(path, about_name) && find_steps(path, &step, 1))
        snprintf(folder, sizeof folder, "%s/step-%08llu", path, step);
    if (!is_there(folder, about_name)) return RK_OK;
    status = checkpoint_about_read(folder, false, &read, error);
    if (status == RK_OK)
        *about = (struct rk_train_about){read.step, read.seed, read.batch, read.sequence};
    return status;
}

/* ---- writing ---- */

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
        return rk_fail(error, RK_IO, folder, 0, 0, "is no folder: `save` takes one");
    if (find_steps(folder, &newest, 1) && newest > begin)
        return rk_fail(error, RK_BAD_INPUT, folder, 0, 0,
                       "has step %llu, and this run begins behind step %llu: go on from there with "
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
            snprintf(t->name, 128, "%s%s", which_prefix[which], all->weight[i].name);
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
        const struct tensor *t = named(header, which_prefix[which], w->name);
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
    for (int i = 0, n = find_steps(folder, steps, MOST); i < n; i++) {
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
    for (int i = KEPT, n = find_steps(folder, steps, MOST); i < n; i++) {
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

/* The run goes on without this one, which rank 0 says, or ends. */
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
