#include "cli/validate_fit.h"
#include "base/memory.h"
#include "base/text.h"
#include "catalog/kernels.h"
#include "report/report.h"
#include "study/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- --only ---- */

static int class_named(const char *text, size_t length)
{
    for (int i = 0; fact_class_names[i]; i++)
        if (strlen(fact_class_names[i]) == length && memcmp(fact_class_names[i], text, length) == 0)
            return i;
    return -1;
}

static bool takes(const struct fact *fact, const void *context)
{
    const struct option_texts *only = context;
    bool named[FACT_CLASSES] = {false}, taken[FACT_CLASSES] = {false};
    for (int i = 0; i < only->count; i++) {
        const char *mark = strchr(only->text[i], '=');
        const int class = class_named(only->text[i], (size_t)(mark - only->text[i]));
        named[class] = true;
        if (strcmp(fact->class_of[class], mark + 1) == 0) taken[class] = true;
    }
    for (int i = 0; i < FACT_CLASSES; i++)
        if (named[i] && !taken[i]) return false;
    return true;
}

static enum rk_status check_only(const struct option_texts *only, struct rk_error *error)
{
    for (int i = 0; i < only->count; i++) {
        const char *text = only->text[i], *mark = strchr(text, '=');
        if (!mark || class_named(text, (size_t)(mark - text)) < 0)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "--only: \"%.60s\" is not a CLASS=NAME with a class of --by", text);
    }
    return RK_OK;
}

/* Each name is that of a row at least; else the nearest that is. */
static enum rk_status check_names(const struct facts *facts, const struct option_texts *only,
                                  struct rk_error *error)
{
    for (int i = 0; i < only->count; i++) {
        const char *name = strchr(only->text[i], '=') + 1, *nearest = NULL;
        const int class = class_named(only->text[i], (size_t)(name - 1 - only->text[i]));
        size_t row = 0;
        bool longer = false; /* the nearest begins with the name */
        for (; row < facts->count && strcmp(facts->fact[row].class_of[class], name) != 0; row++) {
            const char *other = facts->fact[row].class_of[class];
            const bool begins = *name && strncmp(name, other, strlen(name)) == 0;
            if (longer ||
                (nearest && !begins && text_distance(name, other) >= text_distance(name, nearest)))
                continue;
            nearest = other;
            longer = begins;
        }
        if (row < facts->count) continue;
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--only: no row has %s; the nearest is %s=%s (--by %s lists all)",
                       only->text[i], fact_class_names[class], nearest ? nearest : "",
                       fact_class_names[class]);
    }
    return RK_OK;
}

enum rk_status validate_only(struct facts *facts, const struct option_texts *only,
                             struct rk_error *error)
{
    size_t kept = 0;
    if (check_only(only, error) != RK_OK || check_names(facts, only, error) != RK_OK)
        return RK_BAD_ARGUMENT;
    for (size_t i = 0; i < facts->count; i++) {
        if (takes(&facts->fact[i], only))
            facts->fact[kept++] = facts->fact[i];
        else
            fact_release(&facts->fact[i]);
    }
    facts->count = kept;
    if (kept == 0 && only->count)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--only: no row has all that is asked");
    return RK_OK;
}

/* ---- errors ---- */

static bool any_step(const struct result *r, const void *context)
{
    (void)context;
    return r->kind == FIGURE_STEP;
}

static bool of_fit(const struct result *r, const void *context)
{
    return r->kind == FIGURE_STEP && strcmp(r->class_of[CLASS_FIT], context) == 0;
}

static enum rk_status score_facts(const struct facts *facts, struct score *all, struct score *held,
                                  struct rk_error *error)
{
    struct results results = {0};
    enum rk_status status = results_add(&results, facts, error);
    if (status == RK_OK) status = score_of(&results, any_step, NULL, all, error);
    if (status == RK_OK) status = score_of(&results, of_fit, "held out", held, error);
    results_release(&results);
    return status;
}

/* ---- --fit ---- */

static enum rk_status read_keys(char *keys, struct fit *fit, struct rk_error *error)
{
    for (char *key = strtok(keys, ","); key; key = strtok(NULL, ",")) {
        if (fit->constants == FIT_CONSTANTS)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--fit: at most %d constants",
                           FIT_CONSTANTS);
        fit->constant[fit->constants++].key = key;
    }
    return fit->constants ? RK_OK
                          : rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--fit: name a constant");
}

static void add_fit(struct report *report, const struct fit *fit)
{
    static const struct report_column columns[] = {
        {.name = "constant"}, {.name = "before", .digits = 4}, {.name = "after", .digits = 4}};
    report_note(report,
                report_text(report, "%zu runs: mean error %.2f %% before the fit, %.2f %% after",
                            fit->runs, 100 * expm1(fit->before), 100 * expm1(fit->after)));
    struct report_table *table = REPORT_LIST(report, "constants", NULL, REPORT_IN_ALL, columns);
    for (int i = 0; i < fit->constants; i++)
        REPORT_ROW(report, table, cell_text(fit->constant[i].key),
                   cell_number(fit->constant[i].before), cell_number(fit->constant[i].after));
}

int validate_fit(struct facts *facts, const struct option_texts *only, const char *keys,
                 const struct show_args *show)
{
    struct report report = {.first = NULL};
    struct fit fit = {.constants = 0};
    struct rk_error error;
    char *copy = strdup(keys);
    enum rk_status status = copy ? RK_OK : no_memory(&error);
    if (status == RK_OK) status = check_only(only, &error);
    if (status == RK_OK) status = read_keys(copy, &fit, &error);
    if (status == RK_OK) status = fit_runs(facts, takes, only, &fit, &error);
    if (status == RK_OK) add_fit(&report, &fit);
    const int code =
        status == RK_OK ? show_report(&report, show, NULL, RK_OK) : options_fail(&error);
    report_release(&report);
    free(copy);
    return code;
}

/* ---- --constants ---- */

static bool all_facts(const struct fact *fact, const void *context)
{
    (void)context;
    return !fact->reason[0];
}

static void scale_all(struct facts *facts, const struct field *field, double factor)
{
    for (size_t i = 0; i < facts->count; i++)
        *(double *)((char *)&facts->fact[i].system.kernels + field->offset) *= factor;
}

struct worth {
    double preset, preset_held, more, less;
};

static enum rk_status worth_of(struct facts *facts, const struct field *field, struct worth *worth,
                               struct rk_error *error)
{
    struct score all, held;
    double *kept = malloc((facts->count + 1) * sizeof *kept);
    if (!kept) return no_memory(error);
    for (size_t i = 0; i < facts->count; i++)
        kept[i] = *(double *)((char *)&facts->fact[i].system.kernels + field->offset);
    scale_all(facts, field, 1.1);
    enum rk_status status = score_facts(facts, &all, &held, error);
    worth->more = all.mean;
    scale_all(facts, field, 0.9 / 1.1);
    if (status == RK_OK) status = score_facts(facts, &all, &held, error);
    worth->less = all.mean;
    if (status == RK_OK) status = fit_set(facts, all_facts, NULL, field->key, field->preset, error);
    if (status == RK_OK) status = score_facts(facts, &all, &held, error);
    worth->preset = all.mean;
    worth->preset_held = held.mean;
    for (size_t i = 0; i < facts->count; i++)
        *(double *)((char *)&facts->fact[i].system.kernels + field->offset) = kept[i];
    free(kept);
    return status;
}

/* clang-format off */
static const struct report_column worth_columns[] = {
    {.name = "constant"},
    {.name = "preset", .digits = 4},
    {.name = "error_with_preset", REPORT_OF(struct worth, preset), .unit = "%", .digits = 2},
    {.name = "held_out_with_preset", REPORT_OF(struct worth, preset_held), .unit = "%", .digits = 2},
    {.name = "error_with_10_pct_more", REPORT_OF(struct worth, more), .title = "with 10 % more", .unit = "%", .digits = 2},
    {.name = "error_with_10_pct_less", REPORT_OF(struct worth, less), .title = "with 10 % less", .unit = "%", .digits = 2},
};
/* clang-format on */

static enum rk_status add_worths(struct report *report, struct facts *facts, struct rk_error *error)
{
    struct score all, held;
    enum rk_status status = score_facts(facts, &all, &held, error);
    report_note(report,
                report_text(report, "mean error of %zu times %.2f %%, of the %zu held out %.2f %%",
                            all.count, 100 * all.mean, held.count, 100 * held.mean));
    struct report_table *table =
        REPORT_LIST(report, "constants", NULL, REPORT_IN_ALL, worth_columns);
    for (const struct field *f = kernels_fields; f->key && status == RK_OK; f++) {
        struct worth worth = {0};
        if (f->type != FIELD_NUMBER) continue;
        status = worth_of(facts, f, &worth, error);
        report_item(report, table, &worth,
                    (struct report_cell[]){cell_text(f->key), cell_number(f->preset)});
    }
    return status;
}

int validate_constants(struct facts *facts, const struct show_args *show)
{
    struct report report = {.first = NULL};
    struct rk_error error;
    const enum rk_status status = add_worths(&report, facts, &error);
    const int code =
        status == RK_OK ? show_report(&report, show, NULL, RK_OK) : options_fail(&error);
    report_release(&report);
    return code;
}
