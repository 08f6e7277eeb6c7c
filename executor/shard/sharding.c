#include "shard/sharding.h"

#include "base/hash.h"
#include "base/memory.h"
#include "catalog/model_fields.h"
#include "shard/fuse.h"
#include "shard/manifest.h"
#include "shard/shapes.h"
#include "shard/split.h"

#include <reckon/catalog.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES(list)                      const char *const list##_names[] = {RK_NAMES_##list(NAME_OF_VALUE) NULL};
#define NAME_OF_VALUE(value, name, help) name,
NAMES(shard_cut)
NAMES(shard_split)
NAMES(shard_unknown)
NAMES(shard_fuse)

static const uint64_t usual_file_bytes = 5000000000; /* Hugging Face's max_shard_size, 5GB */
enum { USUAL_THREADS = 4 };

/* ---- what is there ---- */

static enum rk_status open_source(struct sharding *s, const char *source, struct rk_error *error)
{
    const struct rk_model *model = s->options->model;
    const bool whole = s->kind == SHARDING_MERGE && s->options->fuse && !store_is_shards(source);
    if (source && (whole || s->kind == SHARDING_SPLIT))
        return store_open_checkpoint(source, &s->from, error);
    if (source) return store_open_shards(source, &s->from, error);
    s->imagined = true;
    if (!model)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "a checkpoint, or a model, is missing");
    return manifest_of(model, TENSOR_BF16, &s->from.layout, error);
}

static enum rk_status take_model(struct sharding *s, struct rk_error *error)
{
    if (s->options->model) {
        s->from.model = *s->options->model;
        s->from.has_model = true;
    }
    if (s->from.has_model) return RK_OK;
    if (s->options->split == RK_SPLIT_REDCO || s->options->split == RK_SPLIT_REDCO_FIRST) {
        const uint64_t layers = shapes_layers(&s->from); /* stages need no more */
        s->from.model = (struct rk_model){.layers = layers ? layers : 1};
        return RK_OK;
    }
    if (s->from.config.status) {
        if (error) *error = s->from.config;
        return s->from.config.status;
    }
    return rk_fail(
        error, RK_BAD_INPUT, s->from.layout.folder, 0, 0,
        "has no config.json: what model is it? `model` MODEL says it; `split` redco needs none");
}

/* ---- to a plan ---- */

static enum rk_status place(struct sharding *s, struct rk_error *error)
{
    const struct rk_shard_options *o = s->options;
    const bool redco = o->unknown == RK_UNKNOWN_REDCO;
    struct placing placing = {.rules = {s->from.model, &s->plan, o->copy_scales},
                              .type = s->from.type,
                              .zero = (enum shard_zero)o->cut,
                              .replicate_unknown = o->unknown == RK_UNKNOWN_REPLICATE,
                              .only = (int64_t)o->only_rank - 1};
    if (placing.only >= (int64_t)s->plan.ranks)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "`rank` %" PRId64 ": the plan has ranks 0 to %" PRIu64, placing.only,
                       s->plan.ranks - 1);
    enum rk_status status = layout_copy_tensors(&s->to, &s->from.layout, error);
    if (status == RK_OK && (o->split != RK_SPLIT_ROLES || redco)) {
        s->axis = calloc(s->to.tensors + 1, sizeof *s->axis);
        if (!s->axis) return no_memory(error);
        status = split_axes(&s->to, s->from.type, o, &s->from.model, &s->plan, s->axis, error);
        placing.axis = s->axis;
    }
    return status == RK_OK ? place_plan(&placing, &s->to, &s->placed, error) : status;
}

/* ---- to a checkpoint ---- */

static uint64_t bytes_of(const struct tensor *t)
{
    uint64_t bytes;
    return tensor_bytes(t->type, t->rank, t->shape, &bytes) ? bytes : 0;
}

/* In the order of names, as many in a file as it may hold. */
static enum rk_status fill_files(struct sharding *s, uint32_t *files, bool add,
                                 struct rk_error *error)
{
    struct layout *to = &s->to;
    const uint64_t most = s->options->most_bytes ? s->options->most_bytes : usual_file_bytes;
    uint64_t used = 0;
    enum rk_status status = RK_OK;
    *files = 1;
    for (size_t i = 0; i < to->tensors && status == RK_OK; i++) {
        const uint64_t bytes = bytes_of(&to->tensor[i]);
        if (used && used + bytes > most) {
            ++*files;
            used = 0;
        }
        used += bytes;
        if (add) status = layout_add_whole(to, i, *files - 1, error);
    }
    return status;
}

static enum rk_status gather(struct sharding *s, struct rk_error *error)
{
    uint32_t files = 0;
    enum rk_status status = layout_copy_tensors(&s->to, &s->from.layout, error);
    if (status == RK_OK) status = fill_files(s, &files, false, error);
    for (uint32_t i = 0; i < files && status == RK_OK; i++) {
        char name[64];
        if (files == 1)
            snprintf(name, sizeof name, "model.safetensors");
        else
            snprintf(name, sizeof name, "model-%05u-of-%05u.safetensors", i + 1, files);
        status = layout_add_file(&s->to, name, error);
    }
    if (status == RK_OK) status = fill_files(s, &files, true, error);
    return status == RK_OK ? layout_finish(&s->to, false, error) : status;
}

enum rk_status sharding_plan(enum sharding_kind kind, const char *source,
                             const struct rk_plan *plan, const struct rk_shard_options *options,
                             struct sharding *s, struct rk_error *error)
{
    *s = (struct sharding){.kind = kind, .options = options};
    if (plan) s->plan = *plan;
    enum rk_status status = open_source(s, source, error);
    if (status == RK_OK && options->fuse) status = take_model(s, error);
    if (status == RK_OK && options->fuse)
        status =
            fuse_layout(&s->from.layout, &s->from.model, options->fuse == RK_FUSE_MEGATRON, error);
    if (status != RK_OK || !plan) return status == RK_OK ? gather(s, error) : status;
    status = take_model(s, error);
    return status == RK_OK ? place(s, error) : status;
}

void sharding_release(struct sharding *s)
{
    store_release(&s->from);
    layout_release(&s->to);
    placed_release(&s->placed);
    free(s->axis);
    *s = (struct sharding){.kind = SHARDING_SPLIT};
}

/* ---- padding ---- */

static bool is_zero(int file, uint64_t begin, uint64_t end)
{
    char buffer[65536];
    while (begin < end) {
        const size_t want = end - begin < sizeof buffer ? (size_t)(end - begin) : sizeof buffer;
        const ssize_t got = pread(file, buffer, want, (off_t)begin);
        if (got <= 0) return true; /* the transfer says so */
        for (ssize_t i = 0; i < got; i++)
            if (buffer[i]) return false;
        begin += (uint64_t)got;
    }
    return true;
}

/* Rows of a slice after those of its tensor are padding of a vocabulary. */
static bool has_odd_padding(const struct layout *l, const struct slice *s)
{
    const struct tensor *t = &l->tensor[s->tensor];
    const struct box *box = s->boxes ? &l->box[s->box] : NULL;
    const uint64_t rows = box ? box->size[0] : 0;
    char path[4096 + 256];
    if (s->flat || s->boxes > 1 || t->rank == 0 || rows >= s->shape[0] || (box && box->at[0]))
        return false;
    const uint64_t row = s->count / s->shape[0] * tensor_type_bits(t->type) / 8;
    snprintf(path, sizeof path, "%s/%s", l->folder, l->file[s->file].name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool odd =
        file >= 0 && !is_zero(file, s->offset + rows * row, s->offset + s->shape[0] * row);
    if (file >= 0) close(file);
    return odd;
}

static void check_padding(struct sharding *s)
{
    const struct layout *l = &s->from.layout;
    for (size_t i = 0; i < l->slices && !s->odd_padding; i++)
        if (has_odd_padding(l, &l->slice[i])) s->odd_padding = l->tensor[l->slice[i].tensor].name;
}

/* ---- writing ---- */

static bool is_free(const char *folder)
{
    DIR *files = opendir(folder);
    const struct dirent *entry;
    bool free = true;
    while (files && (entry = readdir(files)))
        free &= entry->d_name[0] == '.';
    if (files) closedir(files);
    return free;
}

static enum rk_status make_folder(const char *folder, struct layout *to, struct rk_error *error)
{
    if (strlen(folder) + 256 > sizeof to->folder)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "the name of the folder is too long");
    strcpy(to->folder, folder);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return rk_fail(error, RK_IO, folder, 0, 0, "cannot be made: %s", strerror(errno));
    if (transfer_begun(folder) || is_free(folder)) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, folder, 0, 0,
                   "is not empty: name a new folder, or one where the same command was stopped");
}

enum { MOST_PAIRS = 8 };

/* What the index of shards says, and (the first ones) each file. Texts live as long as `plan` and
 * `model` do. */
static size_t pairs_of(struct sharding *s, char *plan, char *model, struct pair *pair)
{
    size_t count = 0;
    if (s->kind == SHARDING_MERGE) {
        if (s->from.source.key) pair[count++] = s->from.source;
        return count;
    }
    pair[count++] = (struct pair){"reckon.version", "1"};
    pair[count++] = (struct pair){"reckon.plan", plan};
    pair[count++] = (struct pair){"reckon.cut", (char *)shard_cut_names[s->options->cut]};
    if (s->from.source.key) pair[count++] = s->from.source;
    if (*s->from.type) pair[count++] = (struct pair){"reckon.type", s->from.type};
    if (model) pair[count++] = (struct pair){"reckon.model", model};
    return count;
}

static uint64_t fingerprint_of(const struct sharding *s, uint64_t headers)
{
    uint64_t hash = hash_pair(s->from.fingerprint, headers);
    for (size_t i = 0; i < s->to.files; i++)
        hash = hash_pair(hash, hash_bytes(s->to.file[i].name, strlen(s->to.file[i].name)));
    return hash;
}

static enum rk_status make_header(void *context, uint32_t file, struct bytes *header,
                                  struct rk_error *error)
{
    return store_header(context, file, header, error);
}

/* Files of other ranks are not written. */
static void keep_only(struct sharding *s)
{
    struct layout *to = &s->to;
    if (!s->options->only_rank) return;
    const uint32_t own = s->placed.file_of_rank[s->options->only_rank - 1];
    for (uint32_t i = 0; i < to->files; i++)
        if (i != own) free(to->file[i].name);
    to->file[0] = to->file[own];
    to->files = 1;
    for (size_t i = 0; i < to->slices; i++)
        to->slice[i].file = 0;
}

enum rk_status sharding_write(struct sharding *s, const char *folder, struct transferred *done,
                              struct rk_error *error)
{
    const struct rk_shard_options *o = s->options;
    const bool merges = s->kind == SHARDING_MERGE;
    struct pair pairs[MOST_PAIRS];
    struct store_headers headers = {.layout = NULL};
    char *plan = malloc(RK_PLAN_TEXT),
         *model = s->from.has_model ? model_text(&s->from.model, NULL, NULL, NULL, 0) : NULL;
    enum rk_status status = RK_OK;
    if (!plan) status = no_memory(error);
    if (s->imagined)
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "a model of the catalog has no weights to write: name a checkpoint");
    if (plan) rk_plan_text(&s->plan, plan, RK_PLAN_TEXT);
    if (status == RK_OK) keep_only(s);
    if (status == RK_OK && s->kind != SHARDING_SPLIT && !o->fuse) check_padding(s);
    const size_t count = pairs_of(s, plan, model, pairs);
    const size_t in_files = count - (!merges && model);
    if (status == RK_OK) status = make_folder(folder, &s->to, error);
    if (status == RK_OK)
        status = store_headers_open(&s->to, pairs, in_files, !merges, &headers, error);
    if (status == RK_OK) {
        const struct transfer transfer = {.from = &s->from.layout,
                                          .to = &s->to,
                                          .header = make_header,
                                          .context = &headers,
                                          .fingerprint = fingerprint_of(s, headers.hash),
                                          .threads = o->threads ? o->threads : USUAL_THREADS,
                                          .io = (enum io_kind)o->io,
                                          .sync = o->sync};
        status = transfer_run(&transfer, done, error);
    }
    if (status == RK_OK) status = store_copy_rest(s->from.layout.folder, folder, error);
    if (status == RK_OK && !merges && !o->only_rank)
        status = store_write_shards_index(&s->to, &s->placed, pairs, count, error);
    if (status == RK_OK && merges && s->to.files > 1) status = store_write_index(&s->to, error);
    if (status == RK_OK) status = transfer_end(folder, error);
    store_headers_release(&headers);
    free(plan);
    free(model);
    return status;
}

/* ---- what moves ---- */

/* A rank's file of the old plan and of the new one, and how many ranks have both. */
struct file_pair {
    uint32_t old, new;
    double ranks;
};

static int by_pair(const void *a, const void *b)
{
    const struct file_pair *x = a, *y = b;
    if (x->old != y->old) return x->old < y->old ? -1 : 1;
    return x->new < y->new ? -1 : x->new > y->new;
}

static size_t pair_files(const struct sharding *s, struct file_pair *pair, uint64_t ranks)
{
    size_t count = 0;
    for (uint64_t i = 0; i < ranks; i++)
        pair[i] = (struct file_pair){s->from.file_of_rank[i], s->placed.file_of_rank[i], 1};
    qsort(pair, ranks, sizeof *pair, by_pair);
    for (uint64_t i = 0; i < ranks; i++) {
        if (count && by_pair(&pair[count - 1], &pair[i]) == 0)
            pair[count - 1].ranks++;
        else
            pair[count++] = pair[i];
    }
    return count;
}

static double common(const struct layout *a, const struct slice *x, const struct layout *b,
                     const struct slice *y, int rank)
{
    double sum = 0;
    for (uint32_t i = 0; i < x->boxes; i++)
        for (uint32_t k = 0; k < y->boxes; k++) {
            const struct box *p = &a->box[x->box + i], *q = &b->box[y->box + k];
            double volume = 1;
            for (int d = 0; d < rank; d++) {
                const uint64_t from = p->begin[d] > q->begin[d] ? p->begin[d] : q->begin[d];
                const uint64_t m = p->begin[d] + p->size[d], n = q->begin[d] + q->size[d];
                const uint64_t to = m < n ? m : n;
                volume *= to > from ? (double)(to - from) : 0;
            }
            sum += volume;
        }
    return sum;
}

/* Flat shards of thousands of ranks on both sides are not compared with each other. */
static const double most_comparisons = 5e7;

static double comparisons(const struct sharding *s)
{
    double sum = 0;
    for (size_t t = 0; t < s->to.tensors; t++)
        sum += (double)(s->to.of_tensor[t + 1] - s->to.of_tensor[t]) *
               (double)(s->from.layout.of_tensor[t + 1] - s->from.layout.of_tensor[t]);
    return sum;
}

bool sharding_moves(const struct sharding *s, struct sharding_moves *moves)
{
    const uint64_t old = s->from.ranks, new = s->placed.ranks, ranks = old < new ? old : new;
    struct file_pair *pair = malloc((ranks + 1) * sizeof *pair);
    *moves = (struct sharding_moves){0, 0};
    if (!pair || !ranks || s->options->only_rank) {
        free(pair);
        return false;
    }
    const size_t pairs = pair_files(s, pair, ranks);
    if (comparisons(s) > most_comparisons) {
        free(pair);
        return false;
    }
    double *held = calloc(s->to.files + 1, sizeof *held); /* ranks of a new file */
    for (uint64_t i = 0; held && i < new; i++)
        held[s->placed.file_of_rank[i]]++;
    const struct layout *a = &s->from.layout, *b = &s->to;
    for (size_t t = 0; held && t < b->tensors; t++)
        for (size_t i = b->of_tensor[t]; i < b->of_tensor[t + 1]; i++) {
            const struct slice *y = &b->slice[i];
            const double bytes = tensor_type_bits(b->tensor[t].type) / 8.;
            moves->move += held[y->file] * bytes * common(b, y, b, y, b->tensor[t].rank);
            for (size_t k = a->of_tensor[t]; k < a->of_tensor[t + 1]; k++) {
                const struct file_pair key = {a->slice[k].file, y->file, 0};
                const struct file_pair *found = bsearch(&key, pair, pairs, sizeof key, by_pair);
                if (found)
                    moves->stay +=
                        found->ranks * bytes * common(a, &a->slice[k], b, y, b->tensor[t].rank);
            }
        }
    moves->move -= moves->stay;
    free(pair);
    free(held);
    return held != NULL;
}

/* ---- the public functions ---- */

static enum rk_status run(enum sharding_kind kind, const char *source, const struct rk_plan *plan,
                          const struct rk_shard_options *options, const char *folder,
                          struct rk_shard_result *result, struct rk_error *error)
{
    static const struct rk_shard_options usual;
    struct sharding s;
    struct transferred done = {.tensors = 0};
    enum rk_status status =
        sharding_plan(kind, source, plan, options ? options : &usual, &s, error);
    if (status == RK_OK) status = sharding_write(&s, folder, &done, error);
    if (status == RK_OK && result)
        *result = (struct rk_shard_result){.tensors = done.tensors,
                                           .files = s.to.files,
                                           .bytes_read = done.bytes_read,
                                           .bytes_written = done.bytes_written,
                                           .done_before = done.done_before,
                                           .uring = done.uring};
    sharding_release(&s);
    return status;
}

enum rk_status rk_shard(const char *checkpoint, const struct rk_plan *plan,
                        const struct rk_shard_options *options, const char *folder,
                        struct rk_shard_result *result, struct rk_error *error)
{
    return run(SHARDING_SPLIT, checkpoint, plan, options, folder, result, error);
}

enum rk_status rk_merge(const char *shards, const struct rk_shard_options *options,
                        const char *folder, struct rk_shard_result *result, struct rk_error *error)
{
    return run(SHARDING_MERGE, shards, NULL, options, folder, result, error);
}

enum rk_status rk_reshard(const char *shards, const struct rk_plan *plan,
                          const struct rk_shard_options *options, const char *folder,
                          struct rk_shard_result *result, struct rk_error *error)
{
    return run(SHARDING_AGAIN, shards, plan, options, folder, result, error);
}
