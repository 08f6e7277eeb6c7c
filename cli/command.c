/* command.h: the commands as functions of a library. */
#include "base/memory.h"
#include "base/threads.h"
#include "catalog/catalog.h"
#include "catalog/hosts.h"
#include "catalog/model_fields.h"
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/pages.h"
#include "cli/plan_axes.h"
#include "cli/plan_input.h"
#include "cli/prediction.h"
#include "cli/progress.h"
#include "cli/streams.h"
#include <reckon/command.h>

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

static void prepare(void)
{
    plan_axes_prepare();
    plan_words_prepare();
}

/* ---- one command ---- */

static int run_words(int count, char **words)
{
    struct rk_error error;
    const struct command *command = options_command(main_commands, count ? words[0] : "", &error);
    if (!command) return options_fail(&error);
    page_given(count, words);
    if (command_is_for_programs(command)) return command->run(count, words);
    rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s is not for programs: run the executable",
            words[0]);
    return options_fail(&error);
}

/* Copies that the command may change. */
static char **copy_words(int count, const char *const words[])
{
    char **copy = calloc((size_t)count + 1, sizeof *copy);
    for (int i = 0; copy && i < count; i++) {
        copy[i] = strdup(words[i]);
        if (copy[i]) continue;
        while (i--)
            free(copy[i]);
        free(copy);
        return NULL;
    }
    return copy;
}

static void release_words(int count, char **words)
{
    for (int i = 0; i < count; i++)
        free(words[i]);
    free(words);
}

int rk_command(int count, const char *const words[], rk_command_progress *progress, void *context,
               struct rk_command_answer *answer)
{
    *answer = (struct rk_command_answer){.code = RK_NO_MEMORY};
    pthread_once(&prepared, prepare);
    pthread_mutex_lock(&one_at_a_time);
    char **copy = copy_words(count, words);
    progress_embed(true, progress, context);
    options_failure = &answer->error;
    const bool whole = copy && streams_run(run_words, count, copy, answer);
    options_failure = NULL;
    progress_embed(false, NULL, NULL);
    if (!whole) answer->code = no_memory(&answer->error);
    if (copy) release_words(count, copy);
    pthread_mutex_unlock(&one_at_a_time);
    answer->code = exit_code(answer->code);
    return answer->code;
}

void rk_command_release(struct rk_command_answer *answer)
{
    free(answer->text);
    free(answer->remarks);
    *answer = (struct rk_command_answer){.code = RK_OK};
}

/* ---- models and systems as texts ---- */

static enum rk_status without_memory(struct rk_error *error)
{
    return no_memory(error);
}

/* `name` and `description` are NULL where the entry has none. */
static const char *given(const char *text)
{
    return text && *text ? text : NULL;
}

enum rk_status rk_model_text(const char *name, char **text, struct rk_error *error)
{
    struct catalog_entry entry = {.id = NULL};
    struct hf_import import;
    char of_type[128];
    const char *sources[64];
    size_t count = 0;
    json_t *config = NULL;
    enum rk_status status = model_named(name, &import, error);
    if (status == RK_OK) status = model_config(name, &config, error);
    if (status == RK_OK && !import.type)
        status = catalog_describe(CATALOG_MODELS, name, &entry, error);
    if (status == RK_OK) {
        for (; count < entry.sources && count < sizeof sources / sizeof *sources; count++)
            sources[count] = entry.source[count].text;
        snprintf(of_type, sizeof of_type,
                 "config.json of Hugging Face transformers, model_type %.60s",
                 import.type ? import.type : "");
        if (import.type) sources[count++] = of_type;
        char *made = model_text_config(&import.model, given(entry.name), given(entry.description),
                                       config, sources, count);
        if (made)
            *text = made;
        else
            status = without_memory(error);
    }
    catalog_entry_release(&entry);
    json_decref(config);
    return status;
}

enum rk_status rk_system_text(const char *name, char **text, struct rk_error *error)
{
    struct rk_system system = {.id = ""};
    struct catalog_entry entry = {.id = NULL};
    enum rk_status status = rk_system_load(name, &system, error);
    if (status == RK_OK) status = catalog_describe(CATALOG_SYSTEMS, name, &entry, error);
    if (status == RK_OK) {
        const struct system_sources sources = {.whole = system.id, .kernels = system.id};
        char *made = system_text(&system, given(entry.name), given(entry.description), &sources);
        if (made)
            *text = made;
        else
            status = without_memory(error);
    }
    catalog_entry_release(&entry);
    rk_system_release(&system);
    return status;
}

void rk_text_free(char *text)
{
    free(text);
}

enum rk_status rk_plan_members(const char *words, char **text, struct rk_error *error)
{
    struct report report = {.first = NULL};
    struct rk_plan plan;
    size_t bytes = 0;
    pthread_once(&prepared, prepare);
    enum rk_status status = rk_plan_parse(words, &plan, error);
    if (status != RK_OK) return status;
    forecast_record(&report, &(struct forecast){.plan = &plan});
    FILE *file = open_memstream(text, &bytes);
    status = file ? report_write(&report, REPORT_AS_JSON, &(struct report_style){0}, file, error)
                  : without_memory(error);
    if (file && fclose(file) != 0 && status == RK_OK) status = without_memory(error);
    if (file && status != RK_OK) free(*text);
    report_release(&report);
    return status;
}

/* ---- many plans ---- */

struct batch {
    const struct plan_source *source;
    char **reasons;                 /* of each line; NULL: what is wrong with one fails all */
    const struct plan_input *input; /* the model and the system */
    const struct rk_figure *const *figures;
    size_t width;
};

/* Why the plan cannot run, first of all; NULL: no memory. */
static char *reason_text(const struct plan_input *input, const struct rk_prediction *prediction)
{
    struct report report = {.first = NULL};
    const struct forecast forecast = {.model = &input->model,
                                      .system = &input->system,
                                      .plan = &input->draft.plan,
                                      .prediction = prediction};
    const char *text = forecast_reason(&report, &forecast, 0);
    char *copy = strdup(text ? text : rk_verdict_name(prediction->verdict));
    report_release(&report);
    return copy;
}

static enum rk_status tell_line(const struct batch *batch, const struct plan_input *input,
                                double *values, int *verdict, char **reason, struct rk_error *error)
{
    struct rk_prediction prediction;
    *verdict = (int)rk_predict(&input->model, &input->system, &input->draft.plan, &prediction);
    for (size_t i = 0; i < batch->width; i++)
        values[i] =
            prediction.timed ? rk_figure_value(&prediction.outcome, batch->figures[i]) : NAN;
    if (!reason || *verdict == RK_FITS || !prediction.reasons) return RK_OK;
    *reason = reason_text(input, &prediction);
    return *reason ? RK_OK : without_memory(error);
}

/* A plan of known words that does not divide: an answer, where those are asked for. */
static enum rk_status refuse_line(const struct batch *batch, const struct plan_input *input,
                                  double *values, int *verdict, char **reason,
                                  struct rk_error *error)
{
    if (!reason || error->status != RK_BAD_ARGUMENT) return error->status;
    *verdict = plan_given(&input->draft, "batch") && strstr(error->text, "copies") ? RK_BAD_BATCH
                                                                                   : RK_BAD_DEGREES;
    for (size_t i = 0; i < batch->width; i++)
        values[i] = NAN;
    *reason = strdup(error->text);
    return *reason ? RK_OK : without_memory(error);
}

static enum rk_status predict_line(const struct batch *batch, const char *line, double *values,
                                   int *verdict, char **reason, struct rk_error *error)
{
    struct plan_input input = *batch->input;
    input.draft = plan_draft();
    struct rk_system made;
    char note[HOST_WORD];
    bool taken = false;
    enum rk_status status = plan_read_words(line, &input.draft, error);
    struct rk_plan plan = input.draft.plan;
    plan.ranks = plan_gpus(&input.draft, batch->source->gpus, &batch->input->system);
    if (status == RK_OK)
        status = host_take(&plan, batch->source->system, &batch->input->system, &made, &taken, note,
                           error);
    if (taken) input.system = made;
    if (status == RK_OK) {
        status = plan_settle(batch->source, &input, NULL, NULL, error);
        status = status == RK_OK ? tell_line(batch, &input, values, verdict, reason, error)
                                 : refuse_line(batch, &input, values, verdict, reason, error);
    }
    if (taken) rk_system_release(&made);
    return status;
}

/* The first fault in the order of the lines, whatever thread meets it. */
static enum rk_status predict_batch(const struct batch *batch, const char *const lines[],
                                    size_t count, int threads, double *values, int *verdicts,
                                    struct rk_error *error)
{
    struct rk_error first = {.status = RK_OK};
    size_t fault = count;
    (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
    for (size_t i = 0; i < count; i++) {
        struct rk_error own;
        if (predict_line(batch, lines[i], values + i * batch->width, &verdicts[i],
                         batch->reasons ? &batch->reasons[i] : NULL, &own) == RK_OK)
            continue;
#pragma omp critical(predict_lines_fault)
        if (i < fault) {
            fault = i;
            first = own;
        }
    }
    if (fault == count) return RK_OK;
    return rk_fail(error, first.status, "plans", (int)fault + 1, first.column, "%s", first.text);
}

static enum rk_status find_figures(const char *const names[], size_t width,
                                   const struct rk_figure **figures, struct rk_error *error)
{
    for (size_t i = 0; i < width; i++) {
        figures[i] = rk_figure_find(names[i]);
        if (!figures[i])
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "%s is not a figure: docs/python.md lists them", names[i]);
    }
    return RK_OK;
}

enum rk_status rk_predict_lines(const char *model, const char *system, uint64_t gpus,
                                const char *const lines[], size_t count,
                                const char *const figures[], size_t width, int threads,
                                double *values, int *verdicts, struct rk_error *error)
{
    return rk_predict_rows(model, system, gpus, lines, count, figures, width, threads, values,
                           verdicts, NULL, error);
}

enum rk_status rk_predict_rows(const char *model, const char *system, uint64_t gpus,
                               const char *const lines[], size_t count, const char *const figures[],
                               size_t width, int threads, double *values, int *verdicts,
                               char **reasons, struct rk_error *error)
{
    const struct plan_source source = {.model = model, .system = system, .gpus = gpus};
    const struct rk_figure **found = calloc(width + 1, sizeof(struct rk_figure *));
    struct plan_input input = {.assumed = ""};
    pthread_once(&prepared, prepare);
    enum rk_status status =
        found ? find_figures(figures, width, found, error) : without_memory(error);
    if (status == RK_OK) status = plan_inputs(&source, &input, error);
    if (status == RK_OK) {
        const struct batch batch = {&source, reasons, &input, found, width};
        status = predict_batch(&batch, lines, count, threads > 0 ? threads : usual_threads(),
                               values, verdicts, error);
    }
    plan_input_release(&input);
    free(found);
    return status;
}
