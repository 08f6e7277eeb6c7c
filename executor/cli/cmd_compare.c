/* reckon compare: where two dumps of a step part. */
#include "cli/commands.h"
#include "cli/dump_read.h"
#include "cli/show.h"

#include <math.h>
#include <string.h>

struct compare_args {
    const char *ours, *theirs, *output;
    uint64_t step;
    double tolerance;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct compare_args, member)

/* clang-format off */
static const struct operand operands[] = {
    {.name = "OURS", AT(ours), .complete = "file"},
    {.name = "THEIRS", AT(theirs), .complete = "file"},
    {.name = NULL},
};
static const struct option what_rows[] = {
    {.name = "step", .type = OPTION_NUMBER, AT(step), .argument = "STEP", .min = 1},
    {.name = "tolerance", .type = OPTION_COUNT, AT(tolerance), .argument = "SHARE"},
    {.letter = 'o', .name = "output", .type = OPTION_OUTPUT, .argument = "FILE", AT(output), .complete = "file"},
    {.name = NULL},
};

const struct usage compare_usage = {
#include "help/compare.h"
    .operands = operands,
    .groups = {
        {"What", what_rows, 0},
        {"Form", show_options, offsetof(struct compare_args, show)},
        {"General", options_help_rows, 0},
    },
};

static const struct report_column columns[] = {
    {.name = "tensor"}, {.name = "layer"}, {.name = "pass"}, {.name = "operation"},
    {.name = "error", .digits = 3, .help = "root of the sum of squares of the differences, over that of ours"},
    {.name = "row"}, {.name = "column"}, {.name = "ours", .digits = 6}, {.name = "theirs", .digits = 6},
    {.name = "rank", .help = "of theirs, that has the element that differs most"},
    {.name = "what"},
};
/* clang-format on */
enum { COLUMNS = sizeof columns / sizeof *columns };

/* ---- two tensors ---- */

struct difference {
    double error;
    uint64_t at; /* differs most */
    double ours, theirs, factor;
    bool factors, moved, zeros;
    int rank, alone; /* of theirs: has that element; has all that differ, though others have some */
    uint64_t missing; /* elements that theirs lack */
};

/* The one rank of theirs on which elements differ; -1: several, or it has all. */
static int rank_alone(const struct dump_tensor *t, const struct dump_whole *a,
                      const struct dump_whole *b, double least)
{
    int alone = -1;
    bool others = false;
    for (uint64_t i = 0; i < t->rows * t->cols; i++) {
        const bool differs = !(fabs(a->value[i] - b->value[i]) <= least);
        if (a->rank[i] < 0 || b->rank[i] < 0) continue;
        if (differs && alone >= 0 && alone != b->rank[i]) return -1;
        if (differs) alone = b->rank[i];
    }
    for (uint64_t i = 0; i < t->rows * t->cols; i++)
        others |= b->rank[i] >= 0 && b->rank[i] != alone;
    return others ? alone : -1;
}

static struct difference difference_of(const struct dump_tensor *t, const struct dump_whole *a,
                                       const struct dump_whole *b, double tolerance)
{
    struct difference d = {.rank = -1};
    double aa = 0, bb = 0, ab = 0, apart = 0, sum_a = 0, sum_b = 0, most = -1, size = 0;
    for (uint64_t i = 0; i < t->rows * t->cols; i++) {
        const double x = a->value[i], y = b->value[i], off = fabs(x - y);
        if (a->rank[i] < 0) continue;
        if (b->rank[i] < 0) {
            d.missing++;
            continue;
        }
        aa += x * x, bb += y * y, ab += x * y, apart += off * off;
        sum_a += x, sum_b += y, size += fabs(x);
        if (off > most || isnan(off)) {
            most = off;
            d.at = i;
        }
    }
    d.error = aa > 0 ? sqrt(apart / aa) : bb > 0 ? INFINITY : 0;
    d.ours = a->value[d.at];
    d.theirs = b->value[d.at];
    d.rank = b->rank[d.at];
    d.zeros = aa > 0 && !(bb > 0);
    d.factor = aa > 0 ? ab / aa : 0;
    double rest = 0;
    for (uint64_t i = 0; i < t->rows * t->cols; i++)
        if (a->rank[i] >= 0 && b->rank[i] >= 0)
            rest += pow(b->value[i] - d.factor * a->value[i], 2);
    d.factors = bb > 0 && sqrt(rest / bb) <= 10 * tolerance;
    d.alone =
        t->part ? -1 : rank_alone(t, a, b, tolerance * sqrt(aa / (double)(t->rows * t->cols)));
    d.moved = fabs(sum_a - sum_b) <= fmax(tolerance, 1e-7) * size &&
              fabs(aa - bb) <= fmax(tolerance, 1e-7) * aa;
    return d;
}

/* ---- words ---- */

struct place_name {
    char layer[24], pass[24];
    const char *operation;
};

/* "layer.3.forward.mlp in", "gradient.h.3.mlp.c_fc.weight" */
static struct place_name place_of(const char *name)
{
    struct place_name p = {.operation = name};
    char layer[24], pass[24];
    int end = 0;
    if (sscanf(name, "layer.%23[0-9].%23[a-z].%n", layer, pass, &end) == 2 && end) {
        snprintf(p.layer, sizeof p.layer, "%s", layer);
        snprintf(p.pass, sizeof p.pass, "%s", pass);
        p.operation = name + end;
    } else if (sscanf(name, "%23[a-z].%23[a-z].%n", layer, pass, &end) == 2 && end &&
               (strcmp(layer, "head") == 0 || strcmp(layer, "embedding") == 0)) {
        snprintf(p.layer, sizeof p.layer, "%s", layer);
        snprintf(p.pass, sizeof p.pass, "%s", pass);
        p.operation = name + end;
    } else if (sscanf(name, "%23[a-z].%n", pass, &end) == 1 && end) {
        snprintf(p.pass, sizeof p.pass, "%s", pass);
        p.operation = name + end;
    }
    return p;
}

static const char *numbers_of(struct report *report, const struct difference *d)
{
    if (d->zeros) return "theirs are zeros";
    if (d->factors)
        return report_text(report, "theirs are %.6g times ours: a wrong scale", d->factor);
    if (d->moved) return "the same numbers in other places: a wrong order or sharding";
    return "other numbers";
}

static const char *what_of(struct report *report, const struct difference *d,
                           const struct dump_whole *theirs)
{
    if (theirs->one >= 0)
        return report_text(
            report,
            "ranks %d and %d have copies that differ by %.2g: a sum or a broadcast over "
            "them is missing",
            theirs->one, theirs->other, theirs->apart);
    if (d->missing)
        return report_text(report, "%llu elements are on no rank: a wrong sharding",
                           (unsigned long long)d->missing);
    const char *numbers = numbers_of(report, d);
    return d->alone < 0
               ? numbers
               : report_text(report, "%s; on rank %d alone: its weights, tokens or positions",
                             numbers, d->alone);
}

/* ---- all of them ---- */

struct comparison {
    const struct compare_args *args;
    struct dump_set ours, theirs;
    double tolerance;
    uint64_t compared, missing, apart;
    struct report *report;
    struct report_table *table;
};

/* Logits are not dumped, what they are made of is. */
static const char *after_head(const struct comparison *c, const struct dump_tensor *t)
{
    static const char norm[] = "head.forward.final norm";
    const bool known = dump_set_find(&c->ours, norm) && dump_set_find(&c->theirs, norm);
    return known && strcmp(t->name, "loss") == 0
               ? "; what the head reads agrees: its product, scale or cap of logits, or targets"
               : "";
}

static void add_row(struct comparison *c, const struct dump_tensor *t, const struct difference *d,
                    const struct dump_whole *theirs)
{
    const struct place_name p = place_of(t->name);
    if (!c->table)
        c->table =
            REPORT_LIST(c->report, "first", "The first that differs", REPORT_IN_ALL, columns);
    report_row(c->report, c->table,
               (struct report_cell[COLUMNS]){
                   cell_text(report_text(c->report, "%s", t->name)),
                   *p.layer ? cell_text(report_text(c->report, "%s", p.layer)) : cell_none(),
                   cell_text(report_text(c->report, "%s", p.pass)),
                   cell_text(report_text(c->report, "%s", p.operation)), cell_number(d->error),
                   cell_count(d->at / t->cols), cell_count(d->at % t->cols), cell_number(d->ours),
                   cell_number(d->theirs),
                   d->rank >= 0 ? cell_count((uint64_t)d->rank) : cell_none(),
                   cell_text(report_text(c->report, "%s%s", what_of(c->report, d, theirs),
                                         after_head(c, t)))});
}

/* Sums over ranks, which a single rank has none of: then it is the product's result, which is whole
 * there. */
static const struct {
    const char *sum, *of;
} sums[] = {
    {".forward.embedding reduce", ".forward.embedding"},
    {".forward.attention reduce", ".forward.attention out"},
    {".forward.mlp reduce", ".forward.mlp out"},
    {".forward.shared reduce", ".forward.shared out"},
    {".gradient.attention gather", ".gradient.query, key, value"},
    {".gradient.mlp gather", ".gradient.mlp in"},
};

/* What theirs has as a sum of what ours has as one tensor; NULL: nothing, or ours has it as well.
 */
static const struct dump_tensor *sum_of(const struct comparison *c, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        const size_t end = strlen(sums[i].of);
        char sum[256];
        if (length <= end || strcmp(name + length - end, sums[i].of) != 0) continue;
        snprintf(sum, sizeof sum, "%.*s%s", (int)(length - end), name, sums[i].sum);
        return dump_set_find(&c->ours, sum) ? NULL : dump_set_find(&c->theirs, sum);
    }
    return NULL;
}

static enum rk_status compare_pair(struct comparison *c, const struct dump_tensor *t,
                                   const struct dump_tensor *other, struct rk_error *error)
{
    struct dump_whole a = {.value = NULL}, b = {.value = NULL};
    if (other->rows != t->rows || other->cols != t->cols)
        return rk_fail(error, RK_BAD_INPUT, c->args->theirs, 0, 0,
                       "%s is %llu x %llu, ours %llu x %llu: other samples, or another model",
                       t->name, (unsigned long long)other->rows, (unsigned long long)other->cols,
                       (unsigned long long)t->rows, (unsigned long long)t->cols);
    enum rk_status status = dump_set_whole(&c->ours, t, c->tolerance, &a, error);
    if (status == RK_OK) status = dump_set_whole(&c->theirs, other, c->tolerance, &b, error);
    if (status == RK_OK) {
        const struct difference d = difference_of(t, &a, &b, c->tolerance);
        c->compared++;
        if (!(d.error <= c->tolerance) || b.one >= 0 || d.missing) {
            if (!c->apart++) add_row(c, other, &d, &b);
        }
    }
    dump_whole_release(&a);
    dump_whole_release(&b);
    return status;
}

static enum rk_status compare_tensor(struct comparison *c, const struct dump_tensor *t,
                                     struct rk_error *error)
{
    const struct dump_tensor *other = dump_set_find(&c->theirs, t->name), *sum = sum_of(c, t->name);
    enum rk_status status = RK_OK;
    c->missing += !other;
    if (other) status = compare_pair(c, t, other, error);
    if (sum && status == RK_OK) status = compare_pair(c, t, sum, error);
    return status;
}

static bool is_wide(const struct dump_set *set)
{
    for (size_t i = 0; i < set->boxes; i++)
        if (set->box[i].tensor->type != TENSOR_F64) return false;
    return true;
}

static enum rk_status compare(struct comparison *c, struct rk_error *error)
{
    enum rk_status status = dump_set_open(c->args->ours, c->args->step, &c->ours, error);
    if (status == RK_OK) status = dump_set_open(c->args->theirs, c->args->step, &c->theirs, error);
    if (status != RK_OK) return status;
    c->tolerance = c->args->tolerance > 0                     ? c->args->tolerance
                   : is_wide(&c->ours) && is_wide(&c->theirs) ? 1e-9
                                                              : 1e-4;
    for (size_t i = 0; i < c->ours.tensors && status == RK_OK; i++)
        status = compare_tensor(c, &c->ours.tensor[i], error);
    if (status == RK_OK && !c->compared)
        status = rk_fail(error, RK_BAD_INPUT, c->args->theirs, 0, 0,
                         "no tensor of it has a name of ours");
    if (status != RK_OK) return status;
    report_note(
        c->report,
        report_text(c->report, "%llu tensors compared to %.2g of their size: %llu differ%s",
                    (unsigned long long)c->compared, c->tolerance, (unsigned long long)c->apart,
                    c->missing ? report_text(c->report, "; %llu are not in %s",
                                             (unsigned long long)c->missing, c->args->theirs)
                               : ""));
    return RK_OK;
}

int cmd_compare(int argc, char **argv)
{
    struct compare_args args = {.output = "-"};
    struct report report = {.first = NULL};
    struct rk_error error;
    const int done = options_read(&compare_usage, argc, argv, &args);
    if (done >= 0) return done;
    struct comparison c = {.args = &args, .report = &report};
    const enum rk_status status = compare(&c, &error);
    const int code = status != RK_OK ? options_fail(&error)
                                     : show_report(&report, &args.show, args.output,
                                                   c.apart ? RK_NOTHING_FITS : RK_OK);
    dump_set_close(&c.ours);
    dump_set_close(&c.theirs);
    report_release(&report);
    return code;
}
