#include "cli/search_select.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- expressions ---- */

/* Short names of figures in expressions (select.h). */
static const struct {
    const char *name, *figure;
} aliases[] = {
    {"time", "step_s"}, {"hbm", "hbm_bytes"}, {"mem2", "offload_bytes"}, {"rate", "samples_per_s"}};

static const struct rk_figure *find_figure(const char *text)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(text, aliases[i].name) == 0) text = aliases[i].figure;
    return rk_figure_find(text);
}

/* The message of a wrong expression, with the option in front. */
static enum rk_status blame(const char *option, struct rk_error *error)
{
    char text[sizeof error->text];
    memcpy(text, error->text, sizeof text);
    return rk_fail(error, error->status, NULL, 0, error->column, "%s: %s", option, text);
}

static enum rk_status check(const char *option, const char *text, struct rk_error *error)
{
    struct expression expression;
    if (!text) return RK_OK;
    if (expression_compile(&expression, text, strlen(text), 0, error) == RK_OK) return RK_OK;
    return blame(option, error);
}

static enum rk_status add_key(struct search_keys *keys, const char *option, const char *text,
                              size_t length, size_t first, struct rk_error *error)
{
    if (keys->count == SEARCH_KEYS)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "%s: at most %d expressions, in column %d begins one more", option,
                       SEARCH_KEYS, (int)first + 1);
    struct search_key *key = &keys->key[keys->count++];
    if (expression_compile(&key->expression, text, length, first, error) != RK_OK)
        return blame(option, error);
    while (length && isspace((unsigned char)*text)) {
        text++;
        length--;
    }
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    snprintf(key->text, sizeof key->text, "%.*s", (int)length, text);
    key->figure = find_figure(key->text);
    return RK_OK;
}

enum rk_status search_keys_open(const struct search_args *args, struct search_keys *keys,
                                struct rk_error *error)
{
    keys->count = 0;
    if (args->pareto && args->sort)
        return rk_fail(
            error, RK_USAGE, NULL, 0, 0,
            "--sort and --pareto exclude each other: a frontier has an order of its own");
    enum rk_status status = check("--where", args->where, error);
    if (status == RK_OK && args->sort)
        status = add_key(keys, "--sort", args->sort, strlen(args->sort), 0, error);
    const char *start = args->pareto;
    while (status == RK_OK && start) {
        const char *comma = strchr(start, ',');
        const size_t length = comma ? (size_t)(comma - start) : strlen(start);
        status = add_key(keys, "--pareto", start, length, (size_t)(start - args->pareto), error);
        start = comma ? comma + 1 : NULL;
    }
    return status;
}

double search_key_value(const struct search_key *key, const struct rk_strategy *strategy,
                        const struct rk_estimate *estimate)
{
    return expression_value(&key->expression, strategy, estimate);
}

/* ---- the selection as an answer ---- */

static bool step(void *context, uint64_t decided, uint64_t total)
{
    return progress_step(context, decided, total, INFINITY);
}

/* The rows of a selection as those of a search: with their times. */
static enum rk_status take_rows(struct search *search, const struct rk_selection *selection,
                                struct rk_error *error)
{
    struct rk_search_result *result = &search->result;
    result->best = malloc((selection->found + 1) * sizeof *result->best);
    if (!result->best)
        return rk_fail(error, RK_IO, NULL, 0, 0, "not enough memory for the selection");
    for (uint64_t i = 0; i < selection->found; i++) {
        struct rk_strategy strategy;
        struct rk_estimate estimate;
        rk_space_strategy(search->space, selection->row[i].index, &strategy);
        rk_estimate(search->model, search->system, &strategy, &estimate);
        result->best[i] = (struct rk_candidate){.samples_per_s = estimate.samples_per_s,
                                                .step_s = estimate.step_s,
                                                .index = selection->row[i].index};
    }
    result->counts = selection->counts;
    result->found = selection->found;
    result->complete = selection->complete;
    search->matches = selection->matches;
    return RK_OK;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum rk_status search_select(struct search *search, struct search_session *session,
                             struct rk_error *error)
{
    const struct search_args *args = search->args;
    const struct rk_query query = {
        .where = args->where,
        .sort = args->sort,
        .pareto = args->pareto,
        .top = search->top,
        .threads = (int)args->threads,
        .progress = step,
        .context = &session->progress,
    };
    struct rk_selection selection;
    const double start_s = now_s();
    search->selected = true;
    search->space = rk_space_open(&search->problem, error);
    if (!search->space) return error->status;
    enum rk_status status = rk_select(search->space, &query, &selection, error);
    if (status != RK_OK) return status;
    status = take_rows(search, &selection, error);
    search->result.seconds = now_s() - start_s;
    rk_selection_release(&selection);
    return status;
}
