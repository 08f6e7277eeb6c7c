/* plan.c - the plan of a row: cells into the members of struct rk_plan, by the table of its fields.
 */
#include "catalog/plan_fields.h"
#include "facts/fact.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells ---- */

/* Columns are named as the members of a plan file or their words, but for these. */
static const char *const other_names[][2] = {
    {"batch", "global_batch"},
    {"microbatch", "micro_batch"},
};

/* Parts and splits have a notation of their own; data parallelism follows from the rest. */
static bool is_cell(const struct field *field)
{
    return field->word && field->type != FIELD_SET && field->type != FIELD_OTHER &&
           strcmp(field->key, "data") != 0;
}

/* The column of a member that the row has; its key when it has none. */
static const char *column_of(const struct row *row, const struct field *field)
{
    if (row_get(row, field->key)[0]) return field->key;
    if (row_get(row, field->word)[0]) return field->word;
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (strcmp(other_names[i][0], field->key) == 0) return other_names[i][1];
    return field->key;
}

/* clang-format off */
/* Cells that may be "?": open. */
static const struct {
    const char *column;
    enum open_axis axis;
} open_columns[] = {
    {"tp",          OPEN_TENSOR},
    {"cp",          OPEN_CONTEXT},
    {"pp",          OPEN_PIPELINE},
    {"vpp",         OPEN_CHUNKS},
    {"micro_batch", OPEN_MICROBATCH},
    {"recompute",   OPEN_RECOMPUTE},
    {"sp",          OPEN_SEQUENCE_PARALLEL},
};
/* clang-format on */

static bool is_open(const char *column, struct fact *fact)
{
    for (size_t i = 0; i < sizeof open_columns / sizeof *open_columns; i++) {
        if (strcmp(open_columns[i].column, column) != 0) continue;
        fact->open |= 1u << open_columns[i].axis;
        return true;
    }
    return false;
}

static bool is_one_of(const char *text, const char *a, const char *b)
{
    return strcmp(text, a) == 0 || strcmp(text, b) == 0;
}

static bool read_choice(const struct field *field, const char *column, const char *text,
                        struct fact *fact, double *number)
{
    for (int i = 0; field->choices[i]; i++)
        if (strcmp(field->choices[i], text) == 0) {
            *number = i;
            return true;
        }
    return fact_fail(fact, "%s: \"%.80s\" is not known", column, text);
}

static bool read_bool(const char *column, const char *text, struct fact *fact, double *number)
{
    *number = is_one_of(text, "1", "yes");
    return *number != 0 || is_one_of(text, "0", "no") ||
           fact_fail(fact, "%s: \"%.80s\" is neither 0 nor 1", column, text);
}

static bool read_number(const struct row *row, const struct field *field, const char *column,
                        struct fact *fact, double *number)
{
    uint64_t count = 0;
    const char *text = row_get(row, column);
    switch (field->type) {
    case FIELD_CHOICE:
        if (field->switches && is_one_of(text, "0", "1"))
            return read_bool(column, text, fact, number);
        return read_choice(field, column, text, fact, number);
    case FIELD_BOOL:
        return read_bool(column, text, fact, number);
    case FIELD_NUMBER:
    case FIELD_SHARE:
        return fact_number(row, column, fact, number);
    default:
        if (!fact_count(row, column, fact, &count)) return false;
        *number = (double)count;
        return true;
    }
}

static bool read_member(const struct row *row, const struct field *field, struct fact *fact)
{
    struct plan_draft draft = {.plan = fact->plan};
    const char *column = column_of(row, field), *text = row_get(row, column);
    double number = 0;
    if (!text[0]) return true;
    if (strcmp(text, "?") == 0 && is_open(column, fact)) return true;
    if (!read_number(row, field, column, fact, &number)) return false;
    field_store(field, &draft, number);
    fact->plan = draft.plan;
    return true;
}

/* ---- what one cell does not say alone ---- */

/* A name, or the name followed by "_proj", as Hugging Face has it: "q_proj". */
static bool names_it(const char *name, const char *text, size_t length)
{
    static const char tail[] = "_proj";
    const size_t known = strlen(name);
    if (length < known || memcmp(name, text, known) != 0) return false;
    return length == known ||
           (length - known == sizeof tail - 1 && memcmp(text + known, tail, sizeof tail - 1) == 0);
}

/* "core_attn mlp", "q+v": names of a set, separated by blanks, commas or plus signs. */
static bool read_names(const struct row *row, const char *column, const char *const *names,
                       unsigned *bits, struct fact *fact)
{
    const char *text = row_get(row, column);
    while (*text) {
        const size_t length = strcspn(text, " ,+");
        int i = 0;
        while (names[i] && length && !names_it(names[i], text, length))
            i++;
        if (!names[i]) return fact_fail(fact, "%s: \"%.60s\" is not known", column, text);
        if (length) *bits |= 1u << i;
        text += length + (text[length] != 0);
    }
    return true;
}

static bool read_sets(const struct row *row, struct fact *fact)
{
    struct rk_plan *plan = &fact->plan;
    return read_names(row, "recompute_parts", names_of_part, &plan->recompute_parts, fact) &&
           read_names(row, "graph_parts", names_of_graph_part, &plan->graph_parts, fact) &&
           read_names(row, "lora_targets", names_of_target, &plan->lora_targets, fact);
}

/* "16, 18": blocks of each virtual stage. With split_ends the first and the last count embedding
 * and head as one each. */
static bool read_split(const struct row *row, struct fact *fact)
{
    const char *text = row_get(row, "split");
    struct rk_layout layout = *rk_plan_layout(&fact->plan);
    while (*text) {
        char *end;
        const long blocks = strtol(text, &end, 10);
        if (end == text || blocks < 0 || blocks > 65535 || layout.splits == RK_MAX_CHUNKS)
            return fact_fail(fact, "split: \"%.60s\" is not a list of layers",
                             row_get(row, "split"));
        layout.split[layout.splits++] = (uint16_t)blocks;
        text = end + strspn(end, ", ");
    }
    if (layout.splits && strcmp(row_get(row, "split_ends"), "1") == 0) {
        layout.split[0]--;
        layout.split[layout.splits - 1]--;
    }
    fact->plan.layout = rk_layout_keep(&layout);
    return true;
}

/* Microbatches for each stage of a pipeline, where a source gives no batch: the median of 566
 * measured runs of which both are known. */
enum { MICROBATCHES_A_STAGE = 16 };

enum { OPEN_DEGREES = 1u << OPEN_TENSOR | 1u << OPEN_CONTEXT | 1u << OPEN_PIPELINE };

/* GPUs and batch from the others, where the source leaves them out. */
static bool derive(const struct row *row, struct fact *fact)
{
    struct rk_plan *plan = &fact->plan;
    uint64_t data = 0, accumulation = 0;
    if (!fact_count(row, "dp", fact, &data)) return false;
    if (!fact_count(row, "grad_accum", fact, &accumulation)) return false;
    if (!row_get(row, "gpus")[0]) {
        if (!data || fact->open & OPEN_DEGREES)
            return fact_fail(fact, "the row gives neither GPUs nor the degrees that make them");
        plan->ranks = plan->tensor * plan->context * plan->pipeline * data;
    }
    const bool known = data && !(fact->open & OPEN_DEGREES);
    const uint64_t all = plan->tensor * plan->context * plan->pipeline * data;
    if (known && all != plan->ranks)
        return fact_fail(fact,
                         "dp: tensor %" PRIu64 " * context %" PRIu64 " * pipeline %" PRIu64
                         " * data %" PRIu64 " = %" PRIu64 " is not gpus = %" PRIu64,
                         plan->tensor, plan->context, plan->pipeline, data, all, plan->ranks);
    if (!row_get(row, "global_batch")[0]) {
        const uint64_t ranks = rk_plan_data(plan);
        if (!ranks) return fact_fail(fact, "the row gives no batch, nor what it follows from");
        if (!accumulation || fact->open & 1u << OPEN_MICROBATCH)
            accumulation = MICROBATCHES_A_STAGE * plan->pipeline;
        plan->batch = plan->microbatch * accumulation * ranks;
    }
    return true;
}

/* "14": the number of last layers that are in bf16, as in some recipes of 8 and 4 bits. Not where
 * degrees are open: layers have copies of them. */
static bool read_bf16(const struct row *row, struct fact *fact)
{
    struct rk_plan *plan = &fact->plan;
    const uint64_t layers = fact->model.layers;
    uint64_t last = 0;
    if (!fact_count(row, "bf16_last", fact, &last)) return false;
    if (!last || last >= layers || layers > 65535 || fact->open) return true;
    if (plan->precision == RK_BF16) return true;
    struct rk_layout layout = *rk_plan_layout(plan);
    layout.others = 1;
    layout.other[0] = plan->local;
    layout.other[0].precision = RK_BF16;
    layout.segments = 2;
    layout.segment[0] = (struct rk_segment){.layers = (uint16_t)(layers - last)};
    layout.segment[1] = (struct rk_segment){.layers = (uint16_t)last, .local = 1};
    plan->layout = rk_layout_keep(&layout);
    return true;
}

static void add_run(struct rk_layout *layout, uint64_t layers, uint16_t local)
{
    if (layers && layout->segments < RK_MAX_SEGMENTS)
        layout->segment[layout->segments++] = (struct rk_segment){(uint16_t)layers, local};
}

/* "4, 3, 0, 0": the number of first layers that each stage recomputes whole. */
static bool read_recomputed(const struct row *row, struct fact *fact)
{
    struct rk_plan *plan = &fact->plan;
    struct rk_layout layout = *rk_plan_layout(plan);
    const char *text = row_get(row, "recompute_stages");
    if (!*text) return true;
    for (uint64_t i = 0; i < plan->pipeline; i++) {
        char *end;
        const uint64_t blocks = rk_plan_split(plan, &fact->model, i);
        const long again = strtol(text, &end, 10);
        if (end == text || again < 0 || (uint64_t)again > blocks || plan->chunks > 1)
            return fact_fail(fact, "recompute_stages: \"%.60s\" is not a list of layers of stages",
                             row_get(row, "recompute_stages"));
        add_run(&layout, (uint64_t)again, 1);
        add_run(&layout, blocks - (uint64_t)again, 0);
        text = end + strspn(end, ", ");
    }
    layout.others = 1;
    layout.other[0] = plan->local;
    layout.other[0].recompute = RK_WHOLE;
    plan->layout = rk_layout_keep(&layout);
    return true;
}

/* Stages that the layers do not fill evenly, and with embedding and head would: they count. */
static void count_ends(struct fact *fact)
{
    struct rk_plan *plan = &fact->plan;
    const uint64_t stages = plan->pipeline * plan->chunks, layers = fact->model.layers;
    if (rk_plan_layout(plan)->splits || plan->first_layers || plan->last_layers || stages <= 1)
        return;
    if (layers % stages && (layers + 2) % stages == 0)
        plan->embedding_counts = plan->head_counts = true;
}

bool fact_plan(const struct row *row, struct fact *fact)
{
    fact->plan = rk_plan_default();
    for (const struct field *field = plan_fields; field->key; field++)
        if (is_cell(field) && !read_member(row, field, fact)) return false;
    if (!read_sets(row, fact) || !read_split(row, fact) || !derive(row, fact)) return false;
    struct rk_plan *plan = &fact->plan;
    if (!plan->sequence) plan->sequence = fact->model.sequence;
    if (!read_bf16(row, fact)) return false;
    count_ends(fact);
    if (!read_recomputed(row, fact)) return false;
    if (plan->ranks == 0 || plan->batch == 0 || plan->microbatch == 0 || plan->tensor == 0 ||
        plan->pipeline == 0 || plan->context == 0)
        return fact_fail(fact, "a degree or the batch is 0");
    fact->lone_batch = (double)plan->batch;
    return true;
}
