#include "cli/search_grid.h"

#include "base/limits.h"
#include "base/lists.h"
#include "base/memory.h"
#include "catalog/hosts.h"
#include "cli/model_input.h"
#include "cli/plan_input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 256 };

/* Names one by one; they point into `text`. */
struct names {
    int count;
    const char *name[NAMES];
    const char *choice[NAMES]; /* of lists in braces; NULL: the name has none */
    char **text;               /* (texts) copies */
    int texts;
};

static void names_release(struct names *names)
{
    for (int i = 0; i < names->texts; i++)
        free(names->text[i]);
    free(names->text);
}

/* A copy that lives as long; NULL: no memory. */
static char *names_copy(struct names *names, const char *text)
{
    if (!ARRAY_ROOM(names->text, names->texts)) return NULL;
    char *copy = strdup(text);
    if (copy) names->text[names->texts++] = copy;
    return copy;
}

/* A description of a system has spaces, or values after '='. */
static bool is_description(const char *text)
{
    return strpbrk(text, " =") != NULL;
}

static enum rk_status add_name(struct names *names, const char *option, const char *name,
                               struct rk_error *error)
{
    if (!*name) return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: a name is empty", option);
    if (names->count == NAMES)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: more than %d names", option, NAMES);
    names->name[names->count++] = name;
    return RK_OK;
}

/* "x{16,32}": a machine for each choice; among others each is called by its whole line. */
static enum rk_status add_choices(struct names *names, const char *option, const char *text,
                                  bool alone, struct rk_error *error)
{
    char line[BRACES_LINE], choice[BRACES_LINE];
    struct braces braces;
    const char *at;
    const char *fault = braces_find(&braces, text, &at);
    enum rk_status status = RK_OK;
    if (fault) return rk_fail(error, RK_BAD_ARGUMENT, option, 1, (int)(at - text) + 1, "%s", fault);
    for (int i = 0; i < braces.lines && status == RK_OK; i++) {
        if (!braces_write(&braces, i, line, choice))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: the line is too long", option);
        const char *name = names_copy(names, line), *chosen = names_copy(names, choice);
        if (!name || !chosen) return no_memory(error);
        status = add_name(names, option, name, error);
        if (status == RK_OK && *chosen) names->choice[names->count - 1] = alone ? chosen : name;
    }
    return status;
}

static enum rk_status split(struct names *names, const char *option,
                            const struct option_texts *given, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    *names = (struct names){.count = 0};
    for (int i = 0; i < given->count && status == RK_OK; i++) {
        if (is_description(given->text[i])) {
            status = add_choices(names, option, given->text[i], given->count == 1, error);
            continue;
        }
        char *rest = names_copy(names, given->text[i]), *name;
        if (!rest) return no_memory(error);
        while (status == RK_OK && (name = strsep(&rest, ",")))
            status = add_name(names, option, name, error);
    }
    return status;
}

/* "-" can be read once. */
static enum rk_status check_inputs(const struct names *models, const struct names *systems,
                                   struct rk_error *error)
{
    int inputs = 0;
    for (int i = 0; i < models->count; i++)
        inputs += strcmp(models->name[i], "-") == 0;
    for (int i = 0; i < systems->count; i++)
        inputs += strcmp(systems->name[i], "-") == 0;
    if (inputs <= 1) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "standard input (-) can be read once: give files for the others");
}

/* Says which tokens of a sample were taken where neither the model nor the user says how many. */
static void say_sequence(const struct search_args *args, const struct hf_import *import,
                         const char *name)
{
    char why[MODEL_WHY];
    model_sequence_why(import, why);
    if (!args->sequence && import->type)
        fprintf(stderr, "reckon: %s: sequence %" PRIu64 ": %s\n", name, import->model.sequence,
                why);
}

/* The system with the memory of the nodes, for each number of GPUs: so many share it. */
static enum rk_status load_hosted(struct search_grid *grid, const char *line,
                                  struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (int size = 0; status == RK_OK && size < grid->sizes; size++)
        status = host_join(line, &grid->system[grid->systems],
                           grid->gpus.count ? grid->gpus.value[size] : 0,
                           &grid->hosted[grid->systems * grid->sizes + size], error);
    return status;
}

static enum rk_status load(struct search_grid *grid, const struct search_args *args,
                           const struct names *models, const struct names *systems,
                           struct rk_error *error)
{
    grid->sizes = grid->gpus.count ? grid->gpus.count : 1;
    grid->model = calloc((size_t)models->count, sizeof *grid->model);
    grid->system = calloc((size_t)systems->count, sizeof *grid->system);
    grid->hosted = calloc((size_t)systems->count * (size_t)grid->sizes, sizeof *grid->hosted);
    grid->line = calloc((size_t)systems->count, sizeof *grid->line);
    grid->choice = calloc((size_t)systems->count, sizeof *grid->choice);
    if (!grid->model || !grid->system || !grid->hosted || !grid->line || !grid->choice)
        return no_memory(error);
    enum rk_status status = RK_OK;
    for (; status == RK_OK && grid->models < models->count; grid->models++) {
        struct hf_import import;
        status = model_named(models->name[grid->models], &import, error);
        if (status != RK_OK) break;
        if (search_speaks()) {
            model_warn(&import, models->name[grid->models]);
            say_sequence(args, &import, models->name[grid->models]);
        }
        grid->model[grid->models] = import.model;
    }
    for (; status == RK_OK && grid->systems < systems->count; grid->systems++) {
        const int i = grid->systems;
        status = rk_system_load_several(systems->name[i], &grid->system[i], error);
        if (status == RK_OK) status = load_hosted(grid, systems->name[i], error);
        if (status == RK_OK && !(grid->line[i] = strdup(systems->name[i])))
            status = no_memory(error);
        if (status == RK_OK && systems->choice[i] &&
            !(grid->choice[i] = strdup(systems->choice[i])))
            status = no_memory(error);
    }
    return status;
}

/* The first system that does not say how many devices it has decides the message. */
static enum rk_status check_sizes(struct search_grid *grid, struct rk_error *error)
{
    for (int i = 0; grid->gpus.count == 0 && i < grid->systems; i++)
        if (!host_gpus(&grid->system[i])) return gpus_missing(&grid->system[i], error);
    for (int i = 0; grid->gpus.count && i < grid->systems; i++)
        if (grid->system[i].machine)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "--gpus does not go with several clusters: each says how many it has");
    if (grid->batch.count == 0)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--batch is missing: give the samples of a step, over all GPUs");
    const size_t gpus = grid->gpus.count ? (size_t)grid->gpus.count : 1;
    grid->problems =
        (size_t)grid->models * (size_t)grid->systems * gpus * (size_t)grid->batch.count;
    if (grid->problems > MOST_PROBLEMS)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%zu problems are more than the %d that one search takes: `reckon study` "
                       "keeps larger grids",
                       grid->problems, MOST_PROBLEMS);
    return RK_OK;
}

enum rk_status search_grid_open(struct search_grid *grid, const struct search_args *args,
                                struct rk_error *error)
{
    struct names models = {.count = 0}, systems = {.count = 0};
    *grid = (struct search_grid){.models = 0};
    enum rk_status status = RK_OK;
    if (args->gpus) status = number_list_parse("--gpus", args->gpus, &grid->gpus, error);
    if (status == RK_OK && args->batch)
        status = number_list_parse("--batch", args->batch, &grid->batch, error);
    if (status == RK_OK && !args->models.count) status = model_missing(error);
    if (status == RK_OK && !args->systems.count) status = system_missing(error);
    if (status == RK_OK) status = split(&models, "--model", &args->models, error);
    if (status == RK_OK) status = split(&systems, "--system", &args->systems, error);
    if (status == RK_OK) status = check_inputs(&models, &systems, error);
    if (status == RK_OK) status = load(grid, args, &models, &systems, error);
    if (status == RK_OK) status = check_sizes(grid, error);
    names_release(&models);
    names_release(&systems);
    return status;
}

void search_grid_release(struct search_grid *grid)
{
    for (int i = 0; grid->choice && i < grid->systems * grid->sizes; i++)
        if (*grid->hosted[i].id) rk_system_release(&grid->hosted[i]);
    for (int i = 0; grid->choice && i < grid->systems; i++) {
        rk_system_release(&grid->system[i]);
        free(grid->line[i]);
        free(grid->choice[i]);
    }
    free(grid->line);
    free(grid->choice);
    free(grid->hosted);
    free(grid->system);
    free(grid->model);
    *grid = (struct search_grid){.models = 0};
}

struct grid_problem search_grid_at(const struct search_grid *grid, size_t i)
{
    const size_t batches = (size_t)grid->batch.count;
    const size_t gpus = grid->gpus.count ? (size_t)grid->gpus.count : 1;
    const size_t rest = i / batches, pair = rest / gpus;
    const size_t at = pair % (size_t)grid->systems;
    const struct rk_system *system = &grid->system[at];
    const struct rk_system *hosted = &grid->hosted[at * (size_t)grid->sizes + rest % gpus];
    return (struct grid_problem){
        .model = &grid->model[pair / (size_t)grid->systems],
        .system = system,
        .hosted = *hosted->id ? hosted : NULL,
        .line = grid->line[at],
        .choice = grid->choice[at],
        .gpus = grid->gpus.count ? grid->gpus.value[rest % gpus] : host_gpus(system),
        .batch = grid->batch.value[i % batches],
    };
}
