/* expression_value.c - compiled expressions, evaluated: a stack machine. */
#include "search/expression_parser.h"

#include <string.h>

static double combine(int kind, double a, double b)
{
    switch (kind) {
    case TERM_ADD:
        return a + b;
    case TERM_SUBTRACT:
        return a - b;
    case TERM_MULTIPLY:
        return a * b;
    case TERM_DIVIDE:
        return a / b;
    case TERM_LESS:
        return a < b;
    case TERM_LESS_EQUAL:
        return a <= b;
    case TERM_GREATER:
        return a > b;
    case TERM_GREATER_EQUAL:
        return a >= b;
    case TERM_EQUAL:
        return a == b;
    case TERM_UNEQUAL:
        return a != b;
    case TERM_AND:
        return a != 0 && b != 0;
    default:
        return a != 0 || b != 0;
    }
}

double expression_value(const struct expression *expression, const struct rk_plan *plan,
                        const double *figure)
{
    const struct predictor *predictor = expression->predictor;
    double stack[EXPRESSION_TERMS] = {0};
    int top = -1;
    for (int i = 0; i < expression->terms; i++) {
        const struct term *t = &expression->term[i];
        switch (t->kind) {
        case TERM_NUMBER:
            stack[++top] = t->number;
            break;
        case TERM_FIGURE:
            stack[++top] = figure[t->place];
            break;
        case TERM_AXIS:
            stack[++top] = (double)predictor->axis_get(plan, t->place);
            break;
        case TERM_BATCH:
            stack[++top] = (double)predictor->batch(plan);
            break;
        case TERM_NEGATE:
            stack[top] = -stack[top];
            break;
        case TERM_NOT:
            stack[top] = stack[top] == 0;
            break;
        default:
            top--;
            stack[top] = combine(t->kind, stack[top], stack[top + 1]);
            break;
        }
    }
    return stack[0];
}

int expression_names(const struct expression *e)
{
    int names = 0;
    for (int i = 0; i < e->terms; i++)
        names += e->term[i].kind == TERM_FIGURE || e->term[i].kind == TERM_AXIS;
    return names;
}

/* Is the name in the list, which NULL ends? */
static bool among(const char *name, const char *const *list)
{
    while (*list && strcmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

bool expression_keeps_to(const struct expression *e, const char *const *figures,
                         const char *const *no_axes, const char **name)
{
    for (int i = 0; i < e->terms; i++) {
        const struct term *term = &e->term[i];
        if (term->kind == TERM_FIGURE) {
            *name = rk_figures()[term->place].name;
            if (!among(*name, figures)) return false;
        } else if (term->kind == TERM_AXIS) {
            *name = e->predictor->axis_name(term->place);
            if (among(*name, no_axes)) return false;
        }
    }
    return true;
}
