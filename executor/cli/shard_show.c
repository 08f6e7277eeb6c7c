#include "cli/shard_show.h"

#include "base/units.h"
#include "catalog/plan_fields.h"
#include "cli/plan_input.h"
#include "shard/split.h"
#include "shard/split_cost.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define AT(member) .offset = offsetof(struct move_args, member)

static const char *const io_names[] = {"best", "plain", "uring", NULL};

/* clang-format off */
const struct option shard_move_options[] = {
    {.name = "threads", .type = OPTION_NUMBER, AT(threads), .min = 1, .max = 16},
    {.name = "io", .type = OPTION_CHOICE, .choices = io_names, AT(io)},
    {.name = "fuse", .type = OPTION_CHOICE, .choices = shard_fuse_names, AT(fuse)},
    {.name = "sync", .type = OPTION_FLAG, AT(sync)},
    {.name = NULL},
};
/* clang-format on */

void shard_take_moves(const struct move_args *args, struct rk_shard_options *options)
{
    options->threads = (unsigned)args->threads;
    options->io = (enum rk_shard_io)args->io;
    options->sync = args->sync;
    options->fuse = (enum rk_shard_fuse)args->fuse;
}

enum rk_status shard_read_plan(const char *file, const struct option_texts *words,
                               struct rk_plan *plan, struct rk_error *error)
{
    struct plan_draft draft = plan_draft();
    struct plan_fault fault;
    enum rk_status status = RK_OK;
    if (!file && words->count == 0)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "a plan is missing: words such as tp8 pp2, or --plan");
    if (file) {
        status = rk_plan_load(file, &draft.plan, error);
        if (status != RK_OK || words->count == 0) {
            *plan = draft.plan;
            return status;
        }
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "give words, or --plan, and not both");
    }
    status = plan_read_texts(words, &draft, error);
    if (status != RK_OK) return status;
    if (!plan_complete(&draft, &fault)) return plan_fail(&draft, &fault, error);
    *plan = draft.plan;
    return RK_OK;
}

enum rk_status shard_check_cut(enum rk_shard_cut cut, const struct rk_plan *plan,
                               struct rk_error *error)
{
    if (!cut || plan->zero) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--zero cuts what the plan's ZeRO shards, and the plan has zero0: add zero1, "
                   "zero2 or zero3");
}

/* ---- files ---- */

static const struct report_column file_columns[] = {
    {.name = "file"},
    {.name = "stage"},
    {.name = "tensor"},
    {.name = "expert"},
    {.name = "ranks"},
    {.name = "tensors"},
    {.name = "bytes", .unit = "B", .digits = 2},
    {.name = "parameters"},
    {.name = "predicted", .title = "as predicted"},
};

struct file_sum {
    uint64_t ranks, tensors, bits;
};

static struct file_sum *sum_files(struct report *report, const struct sharding *s)
{
    struct file_sum *sum = report_alloc(report, (s->to.files + 1) * sizeof *sum);
    for (size_t i = 0; sum && i < s->to.slices; i++) {
        const struct slice *slice = &s->to.slice[i];
        sum[slice->file].tensors++;
        sum[slice->file].bits += slice->count * tensor_type_bits(s->to.tensor[slice->tensor].type);
    }
    for (uint64_t i = 0; sum && i < s->placed.ranks; i++)
        if (s->placed.file_of_rank[i] < s->to.files) sum[s->placed.file_of_rank[i]].ranks++;
    return sum;
}

/* What is not by roles is not as the predictor has it; nor are recurrences that it only counts. */
static bool is_comparable(const struct sharding *s)
{
    return s->options->split == RK_SPLIT_ROLES && !rk_model_unmodelled(&s->from.model, 0) &&
           s->from.model.vocabulary > 0;
}

static void add_files(struct report *report, const struct sharding *s, unsigned formats)
{
    const struct file_sum *sum = sum_files(report, s);
    const bool placed = s->placed.file && s->placed.ranks;
    struct report_table *table = REPORT_LIST(report, "files", "Files", formats, file_columns);
    for (uint32_t i = 0; sum && i < s->to.files; i++) {
        const struct placed_file *f = placed ? &s->placed.file[i] : NULL;
        const bool one = s->options->only_rank > 0;
        if (one && s->to.files > 1 && sum[i].tensors == 0) continue;
        const bool compare = f && !one && is_comparable(s);
        const double predicted = compare ? placed_predicted(&s->from.model, &s->plan, f->stage) : 0;
        REPORT_ROW(report, table, cell_text(s->to.file[i].name),
                   f && !one ? cell_count(f->stage) : cell_none(),
                   f && !one ? cell_count(f->tensor) : cell_none(),
                   f && !one ? cell_count(f->expert) : cell_none(),
                   f && !one ? cell_count(sum[i].ranks) : cell_none(), cell_count(sum[i].tensors),
                   cell_number((double)(sum[i].bits / 8)),
                   f && !one ? cell_count(f->parameters) : cell_none(),
                   compare ? cell_count((uint64_t)predicted) : cell_none());
    }
}

/* The first file whose parameters are not the predictor's; NULL: none. */
static const char *disagreement(struct report *report, const struct sharding *s)
{
    if (!s->placed.file || s->options->only_rank || !is_comparable(s)) return NULL;
    for (uint32_t i = 0; i < s->to.files; i++) {
        const struct placed_file *f = &s->placed.file[i];
        const double predicted = placed_predicted(&s->from.model, &s->plan, f->stage);
        if ((double)f->parameters != predicted)
            return report_text(
                report,
                "%s has %" PRIu64 " parameters, the predictor counts %.0f: the "
                "checkpoint has tensors that the model's shape has not, or lacks some",
                s->to.file[i].name, f->parameters, predicted);
    }
    return NULL;
}

/* ---- tensors ---- */

static const struct report_column tensor_columns[] = {
    {.name = "tensors", .title = "tensor"},
    {.name = "count", .title = "number"},
    {.name = "type"},
    {.name = "shape"},
    {.name = "role"},
    {.name = "on_rank", .title = "on a rank"},
    {.name = "parts", .title = "on ranks 0, 1, ... of those that have it"},
};

static const char *shape_text(struct report *report, int rank, const uint64_t *shape)
{
    char text[256];
    size_t used = 0;
    text[0] = '\0';
    for (int d = 0; d < rank; d++)
        used += (size_t)snprintf(text + used, sizeof text - used, d ? " x %" PRIu64 : "%" PRIu64,
                                 shape[d]);
    return report_text(report, "%s", rank ? text : "one");
}

/* "0:128, :" of each box, with "+" between them. */
static size_t box_text(char *text, size_t size, const struct tensor *t, const struct box *box)
{
    size_t used = 0;
    for (int d = 0; d < t->rank && used < size; d++) {
        const bool all = box->begin[d] == 0 && box->size[d] == t->shape[d];
        if (d) used += (size_t)snprintf(text + used, size - used, ",");
        if (used < size && all) used += (size_t)snprintf(text + used, size - used, ":");
        if (used < size && !all)
            used += (size_t)snprintf(text + used, size - used, "%" PRIu64 ":%" PRIu64,
                                     box->begin[d], box->begin[d] + box->size[d]);
    }
    return used < size ? used : size;
}

enum { MOST_PARTS = 4 };

static const char *parts_text(struct report *report, const struct layout *l, size_t tensor)
{
    const struct tensor *t = &l->tensor[tensor];
    char text[512];
    size_t used = 0;
    int parts = 0;
    for (size_t i = l->of_tensor[tensor]; i < l->of_tensor[tensor + 1]; i++) {
        const struct slice *s = &l->slice[i];
        if (parts == MOST_PARTS) {
            used += (size_t)snprintf(text + used, sizeof text - used, " | ...");
            break;
        }
        if (parts++) used += (size_t)snprintf(text + used, sizeof text - used, " | ");
        for (uint32_t b = 0; b < s->boxes && b < 3 && used + 100 < sizeof text; b++) {
            if (b) used += (size_t)snprintf(text + used, sizeof text - used, " + ");
            used += box_text(text + used, sizeof text - used - 20, t, &l->box[s->box + b]);
        }
        if (used + 100 > sizeof text) break;
    }
    return report_text(report, "%s", parts ? text : "");
}

/* The name with its numbers left out: what layers and experts have in common. */
static void pattern_of(const char *name, char pattern[static 256])
{
    size_t to = 0;
    for (const char *c = name; *c && to + 3 < 256; c++) {
        const bool begins = c == name || c[-1] == '.';
        const size_t digits = begins ? strspn(c, "0123456789") : 0;
        if (digits && (c[digits] == '.' || !c[digits])) {
            pattern[to++] = '*';
            c += digits - 1;
        } else {
            pattern[to++] = *c;
        }
    }
    pattern[to] = '\0';
}

struct alike {
    char pattern[256];
    size_t tensor;
    uint64_t count;
};

static struct alike *find_alike(struct alike *list, size_t count, const char *pattern,
                                const struct layout *l, const struct tensor *t)
{
    for (size_t i = 0; i < count; i++) {
        const struct tensor *other = &l->tensor[list[i].tensor];
        if (strcmp(list[i].pattern, pattern) == 0 && other->rank == t->rank &&
            other->type == t->type && memcmp(other->shape, t->shape, sizeof t->shape) == 0)
            return &list[i];
    }
    return NULL;
}

static void add_tensors(struct report *report, const struct sharding *s)
{
    const struct layout *l = &s->to;
    struct alike *list = report_alloc(report, l->tensors * sizeof *list);
    size_t count = 0;
    for (size_t i = 0; list && i < l->tensors; i++) {
        char pattern[256];
        if (l->of_tensor[i] == l->of_tensor[i + 1]) continue;
        pattern_of(l->tensor[i].name, pattern);
        struct alike *found = find_alike(list, count, pattern, l, &l->tensor[i]);
        if (!found) {
            found = &list[count++];
            *found = (struct alike){.tensor = i};
            strcpy(found->pattern, pattern);
        }
        found->count++;
    }
    struct report_table *table = REPORT_LIST(report, "tensors_by_rank",
                                             "Tensors by rank; * is the number of a "
                                             "layer or expert, the first is shown",
                                             REPORT_IN_ALL, tensor_columns);
    for (size_t i = 0; i < count; i++) {
        const size_t at = list[i].tensor;
        const struct tensor *t = &l->tensor[at];
        const struct slice *slice = &l->slice[l->of_tensor[at]];
        REPORT_ROW(report, table, cell_text(list[i].pattern), cell_count(list[i].count),
                   cell_text(tensor_type_name(t->type)),
                   cell_text(shape_text(report, t->rank, t->shape)),
                   cell_text(shard_role_name(part_of(t->name, s->from.type).role)),
                   cell_text(slice->flat ? report_text(report, "%" PRIu64 " elements", slice->count)
                                         : shape_text(report, t->rank, slice->shape)),
                   cell_text(parts_text(report, l, at)));
    }
}

/* What tensor ranks send for a token, compared with other splits. */
static void add_sends(struct report *report, const struct sharding *s)
{
    static const struct report_column columns[] = {
        {.name = "split"},
        {.name = "bytes_per_token", .title = "a token", .unit = "B", .digits = 2}};
    if (s->plan.tensor < 2) return;
    struct report_table *table = REPORT_LIST(report, "sends",
                                             "What a tensor rank sends, forward and "
                                             "backward, for all layers with attention "
                                             "and MLP, embedding and head",
                                             REPORT_IN_TEXT | REPORT_IN_JSON, columns);
    for (int split = 0; split < RK_SHARD_SPLITS; split++) {
        struct rk_shard_options options = {.split = (enum rk_shard_split)split};
        int *axis = report_alloc(report, (s->to.tensors + 1) * sizeof *axis);
        if (!axis || split_axes(&s->to, s->from.type, &options, &s->from.model, &s->plan, axis,
                                NULL) != RK_OK)
            continue;
        const double sent = split_sends(&s->to, s->from.type, &s->from.model, &s->plan, axis);
        if (!(sent < INFINITY)) continue;
        REPORT_ROW(report, table, cell_text(shard_split_names[split]), cell_number(sent));
    }
}

/* ---- the answer ---- */

struct sums {
    double whole, shards; /* bytes */
};

static struct sums sum_bytes(const struct sharding *s)
{
    struct sums sums = {0, 0};
    for (size_t i = 0; i < s->to.tensors; i++) {
        uint64_t bytes;
        tensor_bytes(s->to.tensor[i].type, s->to.tensor[i].rank, s->to.tensor[i].shape, &bytes);
        sums.whole += (double)bytes;
    }
    for (size_t i = 0; i < s->to.slices; i++)
        sums.shards += (double)s->to.slice[i].count *
                       tensor_type_bits(s->to.tensor[s->to.slice[i].tensor].type) / 8;
    return sums;
}

static const char *plan_of(struct report *report, const struct sharding *s)
{
    char *words = s->placed.ranks ? report_alloc(report, RK_PLAN_TEXT) : NULL;
    if (words) rk_plan_text(&s->plan, words, RK_PLAN_TEXT);
    return words;
}

static const char *bytes_text(struct report *report, double bytes)
{
    char text[QUANTITY_TEXT];
    return report_text(report, "%s", quantity_format(text, QUANTITY_BYTES, bytes));
}

static void add_headline(struct report *report, const struct sharding *s,
                         const struct transferred *done, const struct sharding_moves *moves)
{
    const struct sums sums = sum_bytes(s);
    const char *plan = plan_of(report, s);
    report_note(report, report_text(report, "%zu tensors, %s; %zu file%s, %s", s->to.tensors,
                                    bytes_text(report, sums.whole), s->to.files,
                                    s->to.files == 1 ? "" : "s", bytes_text(report, sums.shards)));
    if (plan) report_note(report, report_text(report, "  plan: %s", plan));
    if (moves)
        report_note(report,
                    report_text(report,
                                "  of what the ranks hold %s stay where they are, %s come "
                                "from other ranks",
                                bytes_text(report, moves->stay), bytes_text(report, moves->move)));
    if (!done) {
        report_note(report, "  nothing was written");
        return;
    }
    report_note(report,
                report_text(report, "  %s read, %s written%s",
                            bytes_text(report, (double)done->bytes_read),
                            bytes_text(report, (double)done->bytes_written),
                            done->done_before
                                ? report_text(report, "; %" PRIu64 " tensors were there already",
                                              done->done_before)
                                : ""));
}

static void add_record(struct report *report, const struct sharding *s,
                       const struct transferred *done, const struct sharding_moves *moves)
{
    const struct sums sums = sum_bytes(s);
    REPORT_OBJECT(report, NULL, {"plan_words", cell_text(plan_of(report, s))},
                  {"tensors", cell_count(s->to.tensors)},
                  {"checkpoint_bytes", cell_number(sums.whole)},
                  {"shards_bytes", cell_number(sums.shards)},
                  {"read_bytes", done ? cell_count(done->bytes_read) : cell_none()},
                  {"written_bytes", done ? cell_count(done->bytes_written) : cell_none()},
                  {"stay_bytes", moves ? cell_number(moves->stay) : cell_none()},
                  {"moved_bytes", moves ? cell_number(moves->move) : cell_none()});
}

int shard_show(const struct sharding *s, const struct transferred *done, bool explain,
               const struct show_args *show)
{
    struct report report = {.first = NULL};
    struct sharding_moves moves;
    const bool moved = s->kind == SHARDING_AGAIN && sharding_moves(s, &moves);
    add_headline(&report, s, done, moved ? &moves : NULL);
    add_record(&report, s, done, moved ? &moves : NULL);
    const char *warning = disagreement(&report, s);
    if (warning) fprintf(stderr, "reckon: warning: %s\n", warning);
    if (s->odd_padding)
        fprintf(stderr, "reckon: warning: %s: its padding is not zero, and is cut off\n",
                s->odd_padding);
    if (explain) add_tensors(&report, s);
    if (explain) add_sends(&report, s);
    add_files(&report, s, explain || s->to.files > 64 ? REPORT_IN_JSON : REPORT_IN_ALL);
    return show_end(&report, show, NULL, RK_OK, RK_OK, NULL);
}
