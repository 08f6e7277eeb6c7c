/* reckon shapes: well-shaped models for a number of parameters. */
#include "cli/commands.h"
#include "cli/show.h"
#include <reckon/shapes.h>

#include <math.h>

struct shapes_args {
    double parameters;
    struct option_values blocks;
    bool grid;
    uint64_t top, step, hidden_step, sequence;
    const char *output;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct shapes_args, member)

enum { MOST_ROWS = 64, COARSE = 32, FINE = 4, MOST_HIDDEN_STEP = 65536, MOST_SEQUENCE = 1 << 24 };

#define NEAR 0.1 /* of the parameters */

/* clang-format off */
static const struct option shapes_options[] = {
    {.letter = 'p', .name = "params", .type = OPTION_COUNT, AT(parameters), .argument = "COUNT"},
    {.name = "blocks", .type = OPTION_VALUES, AT(blocks), .argument = "N,N..N", .min = 1, .max = RK_SHAPE_MOST_BLOCKS},
    {.name = "grid", .type = OPTION_FLAG, AT(grid)},
    {.letter = 'k', .name = "top", .type = OPTION_NUMBER, AT(top), .argument = "K", .min = 1, .max = MOST_ROWS},
    {.name = "step", .type = OPTION_NUMBER, AT(step), .min = 1, .max = RK_SHAPE_MOST_BLOCKS},
    {.name = "hidden-step", .type = OPTION_NUMBER, AT(hidden_step), .min = 1, .max = MOST_HIDDEN_STEP},
    {.name = "sequence", .type = OPTION_NUMBER, AT(sequence), .min = 1, .max = MOST_SEQUENCE},
    {.letter = 'o', .name = "output", .data = true, .type = OPTION_OUTPUT, .argument = "FILE", AT(output), .complete = "file"},
    {.name = NULL},
};

const struct usage shapes_usage = {
#include "help/shapes.h"
    .groups = {
        {"Proposals", shapes_options, 0},
        {"Form", show_options, offsetof(struct shapes_args, show)},
        {"General", options_help_rows, 0},
    },
};

static const struct report_column shape_columns[] = {
    {.name = "blocks"}, {.name = "hidden"},
    {.name = "ratio", .digits = 4},
    {.name = "heads"}, {.name = "head_dim"}, {.name = "feedforward"},
    {.name = "parameters", .unit = "n", .digits = 2, .own_scale = true},
    {.name = "off_target", .unit = "%", .digits = 1},
    {.name = "splits"},
    {.name = "rule"},
};

/* What --hidden-step is by default, by the parameters aimed at. */
static const struct {
    double parameters;
    uint64_t hidden_step;
} hidden_steps[] = {
    {500e9, 1024},
    {  3e9,  512},
    {    0,  128},
};
/* clang-format on */

static uint64_t default_hidden_step(double parameters)
{
    int row = 0;
    while (parameters > 0 && parameters < hidden_steps[row].parameters)
        row++;
    return hidden_steps[row].hidden_step;
}

/* The largest power of two from FINE to COARSE with a model near the target. */
static uint64_t default_step(const struct rk_shape_rule *rule, double parameters)
{
    uint64_t step = COARSE, blocks = 0;
    for (; parameters > 0 && step > FINE; step /= 2) {
        rk_shape_nearest(rule, parameters, step, &blocks, 1);
        const struct rk_model model = rk_shape_of(rule, blocks, 1);
        if (fabs(rk_shape_parameters(blocks, model.hidden) / parameters - 1) <= NEAR) break;
    }
    return step;
}

static void add_shape(struct report *report, struct report_table *table,
                      const struct rk_shape_rule *rule, const struct shapes_args *args,
                      uint64_t blocks)
{
    const struct rk_model model = rk_shape_of(rule, blocks, args->sequence);
    const double parameters = rk_shape_parameters(blocks, model.hidden);
    REPORT_ROW(report, table, cell_count(blocks), cell_count(model.hidden),
               cell_number((double)model.hidden / (double)blocks), cell_count(model.heads),
               cell_count(model.head_dim), cell_count(model.feedforward), cell_number(parameters),
               args->parameters > 0 ? cell_number(parameters / args->parameters - 1) : cell_none(),
               cell_count(rk_shape_splits(&model)),
               cell_text(rk_shape_is_published(rule, blocks) ? "as published" : "extrapolated"));
}

/* The numbers of blocks that --blocks lists. */
static size_t listed_blocks(const struct shapes_args *args, uint64_t step, uint64_t *blocks)
{
    size_t count = 0;
    for (int i = 0; i < args->blocks.count; i++) {
        const uint64_t low = args->blocks.range[i].low, high = args->blocks.range[i].high;
        for (uint64_t n = low; n <= high && count < MOST_ROWS; n++)
            if (low == high || n % step == 0) blocks[count++] = n;
    }
    return count;
}

/* ---- the map: Fig. 3 of [isaev2023scaling] ---- */

enum { GRID_LOW = 96, GRID_HIGH = 512, GRID_STEP = 32, GRID_COLUMNS = 14, GRID_HIDDEN = 8192 };

/* "41T", "1k", "853" */
static const char *short_number(struct report *report, double value)
{
    static const char *const letters[] = {"", "k", "M", "G", "T", "P", "E"};
    int scale = 0;
    for (; value >= 1000 && scale < 6; scale++)
        value /= 1000;
    return report_text(report, "%.0f%s", value, letters[scale]);
}

static void add_grid(struct report *report)
{
    struct report_column *columns =
        report_alloc(report, (GRID_COLUMNS + 1) * sizeof(struct report_column));
    if (!columns) return;
    columns[0].name = "hidden";
    for (int c = 0; c < GRID_COLUMNS; c++)
        columns[c + 1].name = report_text(report, "%d", GRID_LOW + c * GRID_STEP);
    struct report_table *table =
        report_list(report, "grid", "parameters / ratio, by hidden size and blocks", REPORT_IN_ALL,
                    columns, GRID_COLUMNS + 1);
    for (uint64_t hidden = 163840; hidden >= 16384; hidden -= GRID_HIDDEN) {
        struct report_cell cells[GRID_COLUMNS + 1] = {cell_count(hidden)};
        for (int c = 0; c < GRID_COLUMNS; c++) {
            const uint64_t blocks = GRID_LOW + (uint64_t)c * GRID_STEP;
            const char *size = short_number(report, rk_shape_parameters_by_heads(blocks, hidden));
            const char *ratio = short_number(report, (double)hidden / (double)blocks);
            cells[c + 1] = cell_text(report_text(report, "%s/%s", size, ratio));
        }
        report_row(report, table, cells);
    }
}

/* ---- a model file ---- */

/* clang-format off */
#define OF(member) REPORT_OF(struct rk_model, member)
static const struct report_column file_columns[] = {
    {.name = "name"}, {.name = "description"}, {.name = "layers", OF(layers)}, {.name = "hidden", OF(hidden)}, {.name = "feedforward", OF(feedforward)},
    {.name = "heads", OF(heads)}, {.name = "head_dim", OF(head_dim)}, {.name = "sequence", OF(sequence), .of_1024 = true}, {.name = "vocabulary", OF(vocabulary)}, {.name = "attention"},
    {.name = "position"}, {.name = "tied_embeddings", OF(tied_embeddings)}, {.name = "biases", OF(biases)}, {.name = "count_embeddings", OF(count_embeddings)},
    {.name = "source"},
};
/* clang-format on */

static void add_model_file(struct report *report, const struct rk_model *model)
{
    const double parameters = rk_shape_parameters(model->layers, model->hidden);
    const struct report_cell made[] = {
        cell_text(report_text(report, "%s, %d blocks", short_number(report, parameters),
                              (int)model->layers)),
        cell_text(
            model->heads == model->layers
                ? "Proposed by reckon shapes. Feed-forward 4 * hidden, heads = blocks."
                : "Proposed by reckon shapes. Feed-forward 4 * hidden, heads of a usual width."),
        cell_text("multihead"),
        cell_text("learned"),
        cell_text("the aspect ratio of [isaev2023scaling] section III"),
    };
    report_item(report, REPORT_ONE(report, NULL, NULL, REPORT_IN_ALL, file_columns), model, made);
}

static int write_model(const struct rk_model *model, const char *path)
{
    struct report report = {.first = NULL};
    const struct show_args show = {.format = REPORT_AS_JSON, .colour = COLOUR_NEVER};
    add_model_file(&report, model);
    return show_end(&report, &show, path, RK_OK, RK_OK, NULL);
}

/* ---- the command ---- */

static const double MOST_PARAMETERS = 1e18; /* of 3,584 blocks */

static enum rk_status check_args(const struct shapes_args *args, struct rk_error *error)
{
    const int questions = (args->parameters > 0) + (args->blocks.count > 0) + args->grid;
    if (questions != 1)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "say what to propose: one of --params COUNT, --blocks N, --grid");
    if (args->parameters > MOST_PARAMETERS)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--params: %g is more than %g, as far as the rule is continued",
                       args->parameters, MOST_PARAMETERS);
    if (args->grid && args->output)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--output: a grid is not a model; use --params or --blocks");
    return RK_OK;
}

/* A size that is close enough for a model that splits well to be preferred to one that is nearer.
 */
#define CLOSE_ENOUGH 0.15
enum { WELL_SPLIT = 40, LOOKED_AT = 64 };

static bool splits_well(const struct rk_shape_rule *rule, uint64_t blocks, double parameters)
{
    const struct rk_model model = rk_shape_of(rule, blocks, 1);
    const double off = rk_shape_parameters(blocks, model.hidden) / parameters - 1;
    return fabs(off) <= CLOSE_ENOUGH && rk_shape_splits(&model) >= WELL_SPLIT;
}

/* The nearest ones; before them, of those that are close enough, the ones that split well: 248
 * blocks and heads are 8 * 31, and hardly any machine is. */
static size_t propose(const struct rk_shape_rule *rule, const struct shapes_args *args,
                      uint64_t step, uint64_t *blocks)
{
    uint64_t nearest[LOOKED_AT];
    const size_t count = rk_shape_nearest(rule, args->parameters, step, nearest, LOOKED_AT);
    size_t chosen = 0;
    for (int well = 1; well >= 0; well--)
        for (size_t i = 0; i < count && chosen < args->top; i++)
            if (splits_well(rule, nearest[i], args->parameters) == well)
                blocks[chosen++] = nearest[i];
    return chosen;
}

static int print_shapes(const struct shapes_args *args)
{
    struct report report = {.first = NULL};
    struct rk_shape_rule rule = rk_shape_rule_paper;
    uint64_t blocks[MOST_ROWS];
    rule.hidden_step =
        args->hidden_step ? args->hidden_step : default_hidden_step(args->parameters);
    const uint64_t step = args->step ? args->step : default_step(&rule, args->parameters);
    const size_t count =
        args->blocks.count ? listed_blocks(args, step, blocks) : propose(&rule, args, step, blocks);
    if (count == 0) {
        struct rk_error error;
        rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                "--blocks: no multiple of %d in the range; try --step 1", (int)step);
        return options_fail(&error);
    }
    int code = RK_OK;
    if (args->output) {
        const struct rk_model model = rk_shape_of(&rule, blocks[0], args->sequence);
        code = write_model(&model, args->output);
    }
    struct report_table *table = REPORT_LIST(&report, "shapes", NULL, REPORT_IN_ALL, shape_columns);
    for (size_t i = 0; i < count; i++)
        add_shape(&report, table, &rule, args, blocks[i]);
    if (code == RK_OK && !(args->output && args->output[0] == '-' && !args->output[1]))
        code = show_report(&report, &args->show, NULL, RK_OK);
    report_release(&report);
    return code;
}

int cmd_shapes(int argc, char **argv)
{
    struct shapes_args args = {.top = 3, .sequence = 8192};
    struct rk_error error;
    const int done = options_read(&shapes_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (check_args(&args, &error) != RK_OK) return options_fail(&error);
    if (!args.grid) return print_shapes(&args);
    struct report report = {.first = NULL};
    add_grid(&report);
    return show_end(&report, &args.show, NULL, RK_OK, RK_OK, NULL);
}
