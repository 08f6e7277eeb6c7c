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

static enum rk_status check(const struct predictor *predictor, const char *option, const char *text,
                            struct rk_error *error)
{
    struct expression expression;
    if (!text) return RK_OK;
    if (expression_compile(&expression, predictor, text, strlen(text), 0, error) == RK_OK)
        return RK_OK;
    return blame(option, error);
}

static enum rk_status add_key(struct search_keys *keys, const struct predictor *predictor,
                              const char *option, const char *text, size_t length, size_t first,
                              struct rk_error *error)
{
    if (keys->count == SEARCH_KEYS)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "%s: at most %d expressions, in column %d begins one more", option,
                       SEARCH_KEYS, (int)first + 1);
    struct search_key *key = &keys->key[keys->count++];
    if (expression_compile(&key->expression, predictor, text, length, first, error) != RK_OK)
        return blame(option, error);
    while (length && isspace((unsigned char)*text)) {
        text++;
        length--;
    }
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    snprintf(key->text, sizeof key->text, "%.*s", (int)length, text);
    key->figure = expression_figure(predictor, key->text);
    return RK_OK;
}

enum rk_status search_keys_open(const struct search_args *args, enum rk_framework framework,
                                struct search_keys *keys, struct rk_error *error)
{
    const struct predictor *predictor = predictor_of(framework);
    keys->count = 0;
    if (args->pareto && args->sort)
        return rk_fail(
            error, RK_USAGE, NULL, 0, 0,
            "--sort and --pareto exclude each other: a frontier has an order of its own");
    enum rk_status status = check(predictor, "--where", args->where, error);
    if (status == RK_OK && args->sort)
        status = add_key(keys, predictor, "--sort", args->sort, strlen(args->sort), 0, error);
    const char *start = args->pareto;
    while (status == RK_OK && start) {
        const char *comma = strchr(start, ',');
        const size_t length = comma ? (size_t)(comma - start) : strlen(start);
        status = add_key(keys, predictor, "--pareto", start, length, (size_t)(start - args->pareto),
                         error);
        start = comma ? comma + 1 : NULL;
    }
    return status;
}

enum rk_status search_condition_open(const char *where, enum rk_framework framework,
                                     struct search_key *key, struct rk_error *error)
{
    *key = (struct search_key){.figure = NULL};
    if (expression_compile(&key->expression, predictor_of(framework), where, strlen(where), 0,
                           error) == RK_OK)
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
