#include "cli/search_select.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- expressions ---- */

/* The message of a wrong expression, with the option in front. */
static enum rk_status blame(const char *option, struct rk_error *error)
{
    char text[sizeof error->text];
    memcpy(text, error->text, sizeof text);
    return rk_fail(error, error->status, NULL, 0, error->column, "%s: %s", option, text);
}

static enum rk_status check_where(const struct predictor *predictor, const char *text,
                                  struct rk_error *error)
{
    struct expression expression;
    if (!*text || expression_compile_condition(&expression, predictor, text, error) == RK_OK)
        return RK_OK;
    return blame("--where", error);
}

/* `said` is what the user wrote, `text` the same in names that the predictor knows. */
static enum rk_status add_key(struct search_keys *keys, const struct predictor *predictor,
                              const char *option, const char *said, const char *text,
                              struct rk_error *error)
{
    const char *end = keys->list ? "," : "";
    const size_t length = strcspn(text, end), said_length = strcspn(said, end);
    if (keys->count == SEARCH_KEYS)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s: at most %d expressions, in column %d begins one more", option,
                       SEARCH_KEYS, keys->column + 1);
    struct search_key *key = &keys->key[keys->count++];
    if (expression_compile(&key->expression, predictor, text, length, (size_t)keys->column,
                           error) != RK_OK)
        return blame(option, error);
    const size_t blank = strspn(said, " \t\n");
    int kept = (int)(said_length > blank ? said_length - blank : 0);
    while (kept && isspace((unsigned char)said[blank + (size_t)kept - 1]))
        kept--;
    snprintf(key->text, sizeof key->text, "%.*s", kept, said + blank);
    key->figure = expression_figure(predictor, key->text);
    keys->column += (int)said_length + 1;
    return RK_OK;
}

enum rk_status search_keys_open(const struct search *search, struct search_keys *keys,
                                struct rk_error *error)
{
    const struct search_args *args = search->args;
    const struct predictor *predictor = search->problem.system->machine
                                            ? &clusters_predictor
                                            : predictor_of(search->problem.base.framework);
    keys->count = keys->column = 0;
    keys->list = args->pareto != NULL;
    if (args->pareto && args->sort)
        return rk_fail(
            error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "--sort and --pareto exclude each other: a frontier has an order of its own");
    enum rk_status status = check_where(predictor, search->where, error);
    if (status == RK_OK && args->sort)
        status = add_key(keys, predictor, "--sort", args->sort, search->sort, error);
    const char *said = args->pareto, *text = search->pareto;
    while (status == RK_OK && said) {
        if (said[strspn(said, " ,")] == '\0' || said[strspn(said, " ")] == ',')
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "--pareto: \"%.60s\": an expression is missing next to a comma",
                           args->pareto);
        status = add_key(keys, predictor, "--pareto", said, text, error);
        said = strchr(said, ',') ? strchr(said, ',') + 1 : NULL;
        text = strchr(text, ',') ? strchr(text, ',') + 1 : "";
    }
    return status;
}

enum rk_status search_condition_open(const char *where, enum rk_framework framework,
                                     struct search_key *key, struct rk_error *error)
{
    *key = (struct search_key){.figure = NULL};
    if (expression_compile_condition(&key->expression, predictor_of(framework), where, error) ==
        RK_OK)
        return RK_OK;
    return blame("--where", error);
}

double search_key_value(const struct search_key *key, const struct rk_plan *plan,
                        const struct rk_outcome *outcome)
{
    struct outcome figures;
    outcome_of(outcome, &figures);
    return expression_value(&key->expression, plan, figures.figure);
}
