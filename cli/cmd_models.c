/* reckon models: what there is to train. */
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/entry.h"
#include "cli/model_input.h"
#include "cli/show.h"
#include "report/chart.h"

struct models_args {
    const char *name, *output;
    bool all;
    struct show_args show;
};

/* clang-format off */
static const struct operand models_operands[] = {
    {.name = "MODEL", .offset = offsetof(struct models_args, name), .optional = true, .complete = "models"},
    {.name = NULL},
};

static const struct option models_options[] = {
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "MODEL", .offset = offsetof(struct models_args, name), .complete = "models"},
    {.name = "all", .type = OPTION_FLAG, .offset = offsetof(struct models_args, all)},
    OPTION_OUTPUT_ROW(.offset = offsetof(struct models_args, output)),
    {.name = NULL},
};

const struct usage models_usage = {
#include "help/models.h"
    .operands = models_operands,
    .groups = {
        {"Models", models_options, 0},
        {"Form", show_options, offsetof(struct models_args, show)},
        {"General", options_help_rows, 0},
    },
};

#define OF(member) REPORT_OF(struct rk_model, member)
static const struct report_column columns[] = {
    {.name = "id"},
    {.name = "parameters", .unit = "n", .digits = 1, .own_scale = true},
    {.name = "active_parameters", .title = "active", .unit = "n", .digits = 1, .own_scale = true},
    {.name = "layers", OF(layers)}, {.name = "hidden", OF(hidden)}, {.name = "feedforward", OF(feedforward)},
    {.name = "heads", OF(heads)}, {.name = "kv_heads"}, {.name = "sequence", OF(sequence), .of_1024 = true},
    {.name = "vocabulary"}, {.name = "name"},
};
/* clang-format on */

static const struct chart sizes_chart = {
    .title = "Parameters, and those that a token passes",
    .caption = "Dense models are on the diagonal, mixtures of experts below it.",
    .kind = CHART_XY,
    .role = {[CHART_X] = "parameters", [CHART_Y] = "active_parameters", [CHART_LABEL] = "id"},
    .x = {.log = true},
    .y = {.log = true}};

static uint64_t kv_heads(const struct rk_model *model)
{
    if (model->attention == RK_ATTENTION_MULTIQUERY) return 1;
    return model->kv_heads ? model->kv_heads : model->heads;
}

/* Why a model is counted but not predicted; NULL: it is. */
static const char *unpredicted(const struct rk_model *model)
{
    return rk_model_unmodelled(model, model->sequence ? model->sequence : 1);
}

static void note_unpredicted(struct report *report, const char *id, const struct rk_model *model)
{
    const char *why = unpredicted(model);
    if (why) report_note(report, report_text(report, "%s: %s", id, why));
}

static enum rk_status add_model(struct report *report, struct report_table *table, const char *id,
                                struct rk_error *error)
{
    struct rk_model model;
    struct catalog_entry entry = {.id = NULL};
    enum rk_status status = rk_model_load(id, &model, error);
    if (status == RK_OK) status = catalog_describe(CATALOG_MODELS, id, &entry, error);
    if (status == RK_OK) {
        const struct report_cell made[] = {
            cell_text(id),
            cell_count(rk_model_parameters(&model)),
            cell_count(rk_model_active_parameters(&model)),
            cell_count(kv_heads(&model)),
            model.vocabulary ? cell_count(model.vocabulary) : cell_none(),
            cell_text(report_text(report, "%s", entry.name ? entry.name : "")),
        };
        report_item(report, table, &model, made);
        note_unpredicted(report, id, &model);
    }
    catalog_entry_release(&entry);
    return status;
}

static enum rk_status list_models(struct report *report, struct catalog_list *list, bool all,
                                  struct rk_error *error)
{
    struct report_table *table = REPORT_LIST(report, "models", NULL, REPORT_IN_ALL, columns);
    enum rk_status status = catalog_list(CATALOG_MODELS, list, error);
    size_t hidden = 0;
    for (size_t i = 0; status == RK_OK && i < list->count; i++) {
        const bool shown = all || !list->museum[i];
        hidden += !shown;
        if (shown && add_model(report, table, list->id[i], error) != RK_OK)
            options_fail(error); /* a bad one is said, not fatal */
    }
    if (table) table->chart = &sizes_chart;
    report->title = "Models of the catalog";
    report_verdict(
        report, REPORT_PLAIN,
        report_text(report, "The catalog lists %zu models here.", table ? table->rows : 0));
    if (hidden)
        report_note(report, report_text(report, "--all lists %zu more, of papers and earlier years",
                                        hidden));
    return status;
}

static enum rk_status show_model(struct report *report, const char *name, struct rk_error *error)
{
    struct rk_model model;
    struct catalog_entry entry = {.id = NULL};
    enum rk_status status = model_open(name, &model, error);
    if (status == RK_OK) status = entry_describe(CATALOG_MODELS, name, &entry, error);
    if (status == RK_OK) {
        entry_headline(report, &entry);
        note_unpredicted(report, entry.id ? entry.id : name, &model);
        describe_model(report, &model, REPORT_IN_ALL);
        entry_shape(report, &model);
        entry_sources(report, &entry);
    }
    catalog_entry_release(&entry);
    return status;
}

int cmd_models(int argc, char **argv)
{
    struct models_args args = {.name = NULL};
    struct report report = {.first = NULL};
    struct catalog_list list = {.count = 0};
    struct rk_error error;
    const int done = options_read(&models_usage, argc, argv, &args);
    if (done >= 0) return done;

    const enum rk_status status = args.name ? show_model(&report, args.name, &error)
                                            : list_models(&report, &list, args.all, &error);
    const int code = show_end(&report, &args.show, args.output, status, RK_OK, &error);
    catalog_list_release(&list);
    return code;
}
