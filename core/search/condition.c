/* condition.c - a condition on one plan, without a search. */
#include "base/memory.h"
#include "search/expression.h"

#include <stdlib.h>

struct rk_condition {
    struct expression expression;
};

struct rk_condition *rk_condition_open(const char *text, enum rk_framework framework,
                                       struct rk_error *error)
{
    struct rk_condition *condition = malloc(sizeof *condition);
    if (!condition) {
        no_memory(error);
        return NULL;
    }
    if (expression_compile_condition(&condition->expression, predictor_of(framework), text,
                                     error) == RK_OK)
        return condition;
    free(condition);
    return NULL;
}

void rk_condition_close(struct rk_condition *condition)
{
    free(condition);
}

bool rk_condition_holds(const struct rk_condition *condition, const struct rk_plan *plan,
                        const struct rk_outcome *outcome)
{
    struct outcome figures;
    if (!condition) return true;
    outcome_of(outcome, &figures);
    return expression_value(&condition->expression, plan, figures.figure) != 0;
}
