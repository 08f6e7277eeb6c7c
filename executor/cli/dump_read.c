#include "cli/dump_read.h"

#include "base/memory.h"
#include "base/open.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- opening ---- */

static int by_order(const void *a, const void *b)
{
    const struct dump_tensor *x = a, *y = b;
    const int order = strcmp(x->order, y->order);
    return order ? order : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    const struct dump_box *x = a, *y = b;
    const size_t n = x->length < y->length ? x->length : y->length;
    const int name = strncmp(x->name, y->name, n);
    if (name || x->length != y->length) return name ? name : x->length < y->length ? -1 : 1;
    return x->rank - y->rank;
}

const struct dump_tensor *dump_set_find(const struct dump_set *set, const char *name)
{
    for (size_t i = 0; i < set->tensors; i++)
        if (strcmp(set->tensor[i].name, name) == 0) return &set->tensor[i];
    return NULL;
}

/* "ORDER|ROWS|COLS|part|NAME" */
static enum rk_status read_line(struct dump_set *set, const struct dump_file *f, const char *line,
                                size_t length, struct rk_error *error)
{
    unsigned long long rows, cols;
    char kind[8];
    int end = 0;
    const char *bar = memchr(line, '|', length);
    struct dump_tensor t = {.order = NULL};
    if (bar && sscanf(bar, "|%llu|%llu|%7[a-z]|%n", &rows, &cols, kind, &end) == 3 && end) {
        t = (struct dump_tensor){.rows = rows, .cols = cols, .part = strcmp(kind, "part") == 0};
        t.order = strndup(line, (size_t)(bar - line));
        t.name = strndup(bar + end, length - (size_t)(bar + end - line));
    }
    if (!t.order || !t.name || !*t.name || !rows || !cols || rows > (1ull << 40) / cols) {
        free(t.order);
        free(t.name);
        return rk_fail(error, RK_BAD_INPUT, f->path, 0, 0,
                       "its metadata's \"tensors\" has a line that is none: %.*s", (int)length,
                       line);
    }
    const struct dump_tensor *known = dump_set_find(set, t.name);
    const bool same = known && known->rows == t.rows && known->cols == t.cols;
    if (!known && ARRAY_ROOM(set->tensor, set->tensors)) {
        set->tensor[set->tensors++] = t;
        return RK_OK;
    }
    free(t.order);
    free(t.name);
    if (same) return RK_OK;
    return known ? rk_fail(error, RK_BAD_INPUT, f->path, 0, 0,
                           "%s is as large as in another rank's file no more", known->name)
                 : no_memory(error);
}

static enum rk_status read_lines(struct dump_set *set, const struct dump_file *f,
                                 struct rk_error *error)
{
    const char *line = safetensors_value(&f->header, "tensors");
    enum rk_status status = RK_OK;
    if (!line)
        return rk_fail(error, RK_BAD_INPUT, f->path, 0, 0,
                       "its metadata has no \"tensors\": reckon train --dump writes such files");
    while (*line && status == RK_OK) {
        const size_t length = strcspn(line, "\n");
        if (length) status = read_line(set, f, line, length, error);
        line += length + (line[length] == '\n');
    }
    return status;
}

static enum rk_status read_boxes(struct dump_set *set, int file, struct rk_error *error)
{
    const struct dump_file *f = &set->file[file];
    for (size_t i = 0; i < f->header.count; i++) {
        const struct tensor *t = &f->header.tensor[i];
        const char *at = strrchr(t->name, '@');
        unsigned long long row, col;
        if (!at || sscanf(at, "@%llu,%llu", &row, &col) != 2 || t->rank != 2 ||
            (t->type != TENSOR_F32 && t->type != TENSOR_F64))
            return rk_fail(error, RK_BAD_INPUT, f->path, 0, 0,
                           "%s: a box is NAME@ROW,COL, of two dimensions, F32 or F64", t->name);
        if (!ARRAY_ROOM(set->box, set->boxes)) return no_memory(error);
        set->box[set->boxes++] =
            (struct dump_box){t->name, (size_t)(at - t->name), file, f->rank, t, row, col};
    }
    return RK_OK;
}

static enum rk_status add_file(struct dump_set *set, const char *folder, const char *name, int rank,
                               struct rk_error *error)
{
    size_t count = (size_t)set->files;
    if (!ARRAY_ROOM(set->file, count)) return no_memory(error);
    struct dump_file *f = &set->file[set->files];
    *f = (struct dump_file){.rank = rank};
    snprintf(f->path, sizeof f->path, "%s/%s", folder, name);
    enum rk_status status = safetensors_read(f->path, &f->header, error);
    if (status != RK_OK) return status;
    set->files++;
    f->data = fopen(f->path, "rb");
    if (!f->data) return fail_to_open(f->path, error);
    return read_lines(set, f, error);
}

static enum rk_status add_files(struct dump_set *set, const char *folder, struct rk_error *error)
{
    DIR *dir = opendir(folder);
    enum rk_status status = RK_OK;
    if (!dir) return fail_to_open(folder, error);
    for (const struct dirent *one; status == RK_OK && (one = readdir(dir));) {
        int rank, end = 0;
        if (sscanf(one->d_name, "rank-%d.safetensors%n", &rank, &end) == 1 && end &&
            !one->d_name[end])
            status = add_file(set, folder, one->d_name, rank, error);
    }
    closedir(dir);
    return status;
}

/* The first step of a folder from `step` on; 0: none. */
static unsigned long long step_of(const char *folder, uint64_t step)
{
    unsigned long long first = 0, n;
    DIR *dir = opendir(folder);
    for (const struct dirent *one; dir && (one = readdir(dir));)
        if (sscanf(one->d_name, "step-%llu", &n) == 1 && n >= step && (!first || n < first))
            first = n;
    if (dir) closedir(dir);
    return first;
}

/* Another step than the one that is asked for, of a folder that has steps. */
static enum rk_status refuse_step(const char *folder, unsigned long long step,
                                  unsigned long long other, struct rk_error *error)
{
    return rk_fail(error, RK_BAD_INPUT, folder, 0, 0,
                   "holds no step %llu, but step %llu: give --step %llu", step, other, other);
}

enum rk_status dump_set_open(const char *folder, uint64_t step, struct dump_set *set,
                             struct rk_error *error)
{
    char inner[512];
    memset(set, 0, sizeof *set);
    unsigned long long found = step_of(folder, step);
    if (!found) found = step_of(folder, 0);
    if (step && found && found != step) return refuse_step(folder, step, found, error);
    snprintf(inner, sizeof inner, found ? "%s/step-%08llu" : "%s", folder, found);
    enum rk_status status = add_files(set, inner, error);
    if (status == RK_OK && !set->files)
        status = rk_fail(error, RK_BAD_INPUT, folder, 0, 0,
                         "holds no dump: rank-00000.safetensors, or step-00000001 with such files");
    for (int i = 0; i < set->files && status == RK_OK; i++)
        status = read_boxes(set, i, error);
    if (status == RK_OK) {
        qsort(set->tensor, set->tensors, sizeof *set->tensor, by_order);
        qsort(set->box, set->boxes, sizeof *set->box, by_name);
    }
    return status;
}

void dump_set_close(struct dump_set *set)
{
    for (int i = 0; i < set->files; i++) {
        safetensors_release(&set->file[i].header);
        if (set->file[i].data) fclose(set->file[i].data);
    }
    for (size_t i = 0; i < set->tensors; i++) {
        free(set->tensor[i].order);
        free(set->tensor[i].name);
    }
    free(set->file);
    free(set->tensor);
    free(set->box);
    memset(set, 0, sizeof *set);
}

/* ---- whole tensors ---- */

void dump_whole_release(struct dump_whole *w)
{
    free(w->value);
    free(w->rank);
    memset(w, 0, sizeof *w);
}

static enum rk_status read_box(const struct dump_set *set, const struct dump_box *b, double *to,
                               struct rk_error *error)
{
    const struct dump_file *f = &set->file[b->file];
    const size_t n = b->tensor->shape[0] * b->tensor->shape[1];
    float *narrow = (float *)to; /* widened from the end on */
    const bool wide = b->tensor->type == TENSOR_F64;
    if (fseeko(f->data, (off_t)b->tensor->begin, SEEK_SET) != 0 ||
        fread(to, wide ? sizeof *to : sizeof *narrow, n, f->data) != n)
        return rk_fail(error, RK_IO, f->path, 0, 0, "%s ends early", b->name);
    for (size_t i = n; !wide && i-- > 0;) {
        float value;
        memcpy(&value, narrow + i, sizeof value);
        to[i] = (double)value;
    }
    return RK_OK;
}

/* How far a box is from what is there already; parts are added. */
static void place_box(const struct dump_tensor *t, const struct dump_box *b, int rank,
                      const double *from, double tolerance, struct dump_whole *w)
{
    const uint64_t rows = b->tensor->shape[0], cols = b->tensor->shape[1];
    double apart = 0, size = 0;
    int other = -1;
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < cols; j++) {
            const uint64_t at = (b->row + i) * t->cols + b->col + j;
            const double value = from[i * cols + j];
            if (w->rank[at] >= 0 && !t->part) {
                apart += (value - w->value[at]) * (value - w->value[at]);
                size += value * value;
                other = w->rank[at];
                continue;
            }
            w->value[at] += value;
            w->rank[at] = rank;
        }
    const double share = size > 0 ? sqrt(apart / size) : apart > 0 ? INFINITY : 0;
    if (w->one >= 0 || other < 0 || share <= tolerance) return;
    w->one = other;
    w->other = rank;
    w->apart = share;
}

enum rk_status dump_set_whole(const struct dump_set *set, const struct dump_tensor *t,
                              double tolerance, struct dump_whole *w, struct rk_error *error)
{
    const uint64_t n = t->rows * t->cols;
    const size_t length = strlen(t->name);
    enum rk_status status = RK_OK;
    *w = (struct dump_whole){.value = calloc(n, sizeof *w->value),
                             .rank = malloc(n * sizeof *w->rank),
                             .one = -1,
                             .other = -1};
    if (!w->value || !w->rank) return no_memory(error);
    for (uint64_t i = 0; i < n; i++)
        w->rank[i] = -1;
    for (size_t i = 0; i < set->boxes && status == RK_OK; i++) {
        const struct dump_box *b = &set->box[i];
        if (b->length != length || memcmp(b->name, t->name, length) != 0) continue;
        const uint64_t rows = b->tensor->shape[0], cols = b->tensor->shape[1];
        if (rows > t->rows || b->row > t->rows - rows || cols > t->cols || b->col > t->cols - cols)
            return rk_fail(error, RK_BAD_INPUT, set->file[b->file].path, 0, 0,
                           "%s is not within %llu x %llu", b->name, (unsigned long long)t->rows,
                           (unsigned long long)t->cols);
        double *room = malloc((rows * cols + 1) * sizeof *room);
        status = room ? read_box(set, b, room, error) : no_memory(error);
        if (status == RK_OK) place_box(t, b, set->file[b->file].rank, room, tolerance, w);
        free(room);
    }
    return status;
}
