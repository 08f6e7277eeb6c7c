/* reckon calibrate: an accelerator's constants from what was measured on it. */
#include "catalog/catalog.h"
#include "cli/calibrate_runs.h"
#include "cli/commands.h"
#include "cli/show.h"
#include "logs/measured.h"
#include "study/calibrate.h"
#include "text/output.h"

#include <reckon/catalog.h>

#include <stdlib.h>
#include <string.h>

struct calibrate_args {
    const char *system, *output, *collective;
    struct option_texts products, collectives, runs, profiles;
    struct calibrate_log log;
    uint64_t ranks;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct calibrate_args, member)

/* clang-format off */
static const struct operand calibrate_operands[] = {
    {.name = "SYSTEM", .offset = offsetof(struct calibrate_args, system), .optional = false, .complete = "systems"},
    {.name = NULL},
};

static const struct option measured_rows[] = {
    {.letter = 's', .name = "system", .common = true, .type = OPTION_TEXT, .argument = "SYSTEM", AT(system), .complete = "systems"},
    {.name = "gemm", .common = true, .type = OPTION_TEXTS, .argument = "FILE", AT(products), .complete = "file"},
    {.name = "nccl", .common = true, .type = OPTION_TEXTS, .argument = "FILE", AT(collectives), .complete = "file"},
    {.name = "runs", .type = OPTION_TEXTS, .argument = "FILE", AT(runs), .complete = "file"},
    {.name = "log", .common = true, .type = OPTION_TEXT, .argument = "FILE", AT(log.path), .complete = "file"},
    {.name = "galvatron", .type = OPTION_TEXTS, .argument = "FILE", AT(profiles), .complete = "file"},
    {.letter = 'm', .name = "model", .common = true, .type = OPTION_TEXT, .argument = "MODEL", AT(log.model), .complete = "models"},
    {.letter = 'p', .name = "plan", .common = true, .type = OPTION_TEXT, .argument = "FILE|WORDS", AT(log.plan), .complete = "file"},
    {.name = "collective", .type = OPTION_TEXT, .argument = "NAME", AT(collective)},
    {.name = "ranks", .type = OPTION_NUMBER, AT(ranks), .min = 2, .max = UINT64_C(1) << 24},
    {.letter = 'o', .name = "output", .data = true, .common = true, .type = OPTION_OUTPUT, .argument = "FILE", AT(output), .complete = "file"},
    {.name = NULL},
};

const struct usage calibrate_usage = {
#include "help/calibrate.h"
    .operands = calibrate_operands,
    .groups = {
        {"Measurements", measured_rows, 0},
        {"Form", show_options, offsetof(struct calibrate_args, show)},
        {"General", options_help_rows, 0},
    },
};

static const struct report_column error_columns[] = {
    {.name = "of", REPORT_OF(struct calibration_group, name)}, {.name = "network"}, {.name = "measurements", REPORT_OF(struct calibration_group, samples)},
    {.name = "before_mean", REPORT_OF(struct calibration_group, before.mean),    .title = "before", .unit = "%", .digits = 1},
    {.name = "before_ninety", REPORT_OF(struct calibration_group, before.ninety),    .title = "90 % within", .unit = "%", .digits = 1},
    {.name = "after_mean", REPORT_OF(struct calibration_group, after.mean),     .title = "after", .unit = "%", .digits = 1},
    {.name = "after_ninety", REPORT_OF(struct calibration_group, after.ninety),     .title = "90 % within", .unit = "%", .digits = 1},
    {.name = "validated_mean", .title = "cross-validated", .unit = "%", .digits = 1},
    {.name = "validated_ninety", .title = "90 % within", .unit = "%", .digits = 1},
};
static const struct report_column constant_columns[] = {
    {.name = "constant", REPORT_OF(struct calibration_constant, key)}, {.name = "network"},
    {.name = "before", REPORT_OF(struct calibration_constant, before), .digits = 4}, {.name = "after", REPORT_OF(struct calibration_constant, after), .digits = 4},
};
/* clang-format on */

static struct report_cell tier_cell(int tier)
{
    return tier < 0 ? cell_none() : cell_count((uint64_t)tier);
}

static void add_errors(struct report *report, const struct calibration *calibration)
{
    struct report_table *table = REPORT_LIST(report, "errors", "Error of predicted times, mean",
                                             REPORT_IN_ALL, error_columns);
    for (int i = 0; i < calibration->groups; i++) {
        const struct calibration_group *g = &calibration->group[i];
        const struct report_cell made[] = {
            tier_cell(g->tier), g->validation ? cell_number(g->validated.mean) : cell_none(),
            g->validation ? cell_number(g->validated.ninety) : cell_none()};
        report_item(report, table, g, made);
    }
}

static void add_constants(struct report *report, const struct calibration *calibration)
{
    struct report_table *table =
        REPORT_LIST(report, "constants", "Constants, in the units of system files", REPORT_IN_ALL,
                    constant_columns);
    for (int i = 0; i < calibration->constants; i++) {
        const struct calibration_constant *c = &calibration->constant[i];
        report_item(report, table, c, (struct report_cell[]){tier_cell(c->tier)});
    }
}

/* ---- the file ---- */

/* "fitted to 400 products: mean error 4.1 %, cross-validated 4.6 %; else as h100-sxm5-80g" */
static void fitted_text(const struct calibration *calibration, int tier, const char *base,
                        char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < calibration->groups; i++) {
        const struct calibration_group *g = &calibration->group[i];
        if (g->tier != tier || used >= size) continue;
        used += (size_t)snprintf(
            text + used, size - used, "%s to %zu %s: mean error %.1f %%, before %.1f %%",
            used ? "," : "fitted", g->samples, g->name, g->after.mean * 100, g->before.mean * 100);
        if (g->validation && used < size)
            used += (size_t)snprintf(text + used, size - used, ", cross-validated %.1f %%",
                                     g->validated.mean * 100);
    }
    if (used < size)
        snprintf(text + used, size - used, "%sas %.200s", used ? "; the others " : "", base);
}

enum { SOURCE_SIZE = 1024 };

static enum rk_status write_system(const struct calibrate_args *args,
                                   const struct rk_system *system,
                                   const struct calibration *calibration, struct rk_error *error)
{
    char kernels[SOURCE_SIZE], whole[SOURCE_SIZE], name[320];
    char(*link)[SOURCE_SIZE] = calloc((size_t)system->networks, SOURCE_SIZE);
    const char **links = calloc((size_t)system->networks, sizeof *links);
    struct output output = {.file = NULL};
    char *text = NULL;
    enum rk_status status = RK_OK;
    if (link && links) {
        for (int i = 0; i < system->networks; i++) {
            fitted_text(calibration, i, system->id, link[i], SOURCE_SIZE);
            links[i] = link[i];
        }
        fitted_text(calibration, -1, system->id, kernels, sizeof kernels);
        snprintf(whole, sizeof whole, "reckon calibrate; what is not fitted as %.255s", system->id);
        snprintf(name, sizeof name, "%.255s, calibrated", system->id);
        text = system_text(system, name, NULL, &(struct system_sources){whole, kernels, links});
    }
    if (!text)
        status = rk_fail(error, RK_NO_MEMORY, args->output, 0, 0, "cannot write: out of memory");
    if (status == RK_OK) status = output_open(&output, args->output, error);
    if (status == RK_OK) {
        fprintf(output.file, "%s\n", text);
        status = output_commit(&output, error);
    }
    free(text);
    free(links);
    free(link);
    return status;
}

/* ---- the command ---- */

/* What samples of steps point to. */
struct runs {
    struct facts tables;
    struct fact log;
    struct rk_model model; /* of profiles */
};

static enum rk_status read_measurements(const struct calibrate_args *args,
                                        const struct rk_system *system, struct runs *runs,
                                        struct samples *samples, struct rk_error *error)
{
    const struct collectives_options options = {args->collective, args->ranks,
                                                system->network[0].size};
    enum rk_status status = RK_OK;
    for (int i = 0; status == RK_OK && i < args->products.count; i++)
        status = measured_products(args->products.text[i], samples, error);
    for (int i = 0; status == RK_OK && i < args->collectives.count; i++)
        status = measured_collectives(args->collectives.text[i], &options, samples, error);
    const bool layers = args->profiles.count && args->log.model;
    if (status == RK_OK && layers) status = rk_model_load(args->log.model, &runs->model, error);
    for (int i = 0; status == RK_OK && i < args->profiles.count; i++)
        status = measured_galvatron(args->profiles.text[i], layers ? &runs->model : NULL, samples,
                                    error);
    if (status == RK_OK && args->runs.count)
        status = calibrate_runs(&args->runs, args->system, system, &runs->tables, samples, error);
    if (status == RK_OK && args->log.path)
        status = calibrate_log(&args->log, args->system, &runs->log, samples, error);
    if (status == RK_OK && !samples->count)
        status = args->runs.count
                     ? rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                               "calibrate: no row of --runs is a time on %s that can be predicted",
                               system->id)
                     : rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                               "calibrate: no measurements: give --gemm FILE, --nccl FILE, --runs "
                               "FILE, --galvatron FILE or --log FILE");
    return status;
}

static int print_calibration(const struct calibrate_args *args,
                             const struct calibration *calibration)
{
    struct report report = {.first = NULL};
    add_errors(&report, calibration);
    add_constants(&report, calibration);
    return show_end(&report, &args->show, NULL, RK_OK, RK_OK, NULL);
}

/* A share that the fit drives to 1 cannot be true. */
static void warn(const struct calibration *calibration)
{
    for (int i = 0; i < calibration->constants; i++) {
        const struct calibration_constant *c = &calibration->constant[i];
        if (!strstr(c->key, "efficiency") || c->after < 0.995) continue;
        fprintf(stderr,
                "reckon: warning: calibrate: %s would have to be 1 or more: the measurements are "
                "faster than the system's peak; is it the right system?\n",
                c->key);
    }
}

int cmd_calibrate(int argc, char **argv)
{
    struct calibrate_args args = {.system = NULL};
    struct rk_system system = {.memories = 0};
    struct samples samples = {.count = 0};
    struct runs runs = {.tables = {.count = 0}};
    struct calibration calibration;
    struct rk_error error;
    const int done = options_read(&calibrate_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = rk_system_load(args.system, &system, &error);
    if (status == RK_OK) status = read_measurements(&args, &system, &runs, &samples, &error);
    if (status == RK_OK) status = calibrate(&samples, &system, &calibration, &error);
    if (status == RK_OK && args.output) status = write_system(&args, &system, &calibration, &error);
    samples_release(&samples);
    facts_release(&runs.tables);
    fact_release(&runs.log);
    rk_system_release(&system);
    if (status != RK_OK) return options_fail(&error);
    warn(&calibration);
    if (args.output && strcmp(args.output, "-") == 0) return RK_OK;
    return print_calibration(&args, &calibration);
}
