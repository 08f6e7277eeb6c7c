/* shell_arith.c - $(( )): integers, the operators of C, variables by name. */
#include "shell/shell_state.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arith {
    struct shell_state *s;
    const char *at;
    struct shell_place place;
    size_t unknown;
    int depth;
};

/* From the loosest to the tightest. */
static const struct operator
{
    const char *text;
    int level;
}
operators[] = {
    {"||", 1}, {"&&", 2},  {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"<<", 8},
    {">>", 8}, {"**", 11}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},
    {"+", 9},  {"-", 9},   {"*", 10}, {"/", 10}, {"%", 10},
};

static int64_t ternary(struct arith *a);

static void skip_space(struct arith *a)
{
    while (isspace((unsigned char)*a->at))
        a->at++;
}

static void fail(struct arith *a, const char *what)
{
    if (!a->unknown) a->unknown = shell_unknown(a->s, "", what, a->place);
    a->at += strlen(a->at);
}

static int64_t variable(struct arith *a, const char *name, size_t length)
{
    const struct shell_variable *v = shell_find(a->s, name, length);
    if (!v || !v->set || v->count == 0) {
        const char *copy = shell_copy(a->s, name, length);
        a->unknown = shell_unknown(a->s, copy, "is not set in this script", a->place);
        return 0;
    }
    if (v->value[0].unknown || v->value[0].maybe) {
        a->unknown = v->value[0].unknown ? v->value[0].unknown : v->value[0].maybe;
        return 0;
    }
    if (a->depth > SHELL_MAX_DEPTH) {
        fail(a, "is arithmetic of variables that stand for each other");
        return 0;
    }
    struct arith inner = {a->s, v->value[0].text, a->place, 0, a->depth + 1};
    const int64_t value = *inner.at ? ternary(&inner) : 0;
    if (inner.unknown) a->unknown = inner.unknown;
    return value;
}

/* What `name op= value` leaves in the variable. */
static int64_t set(struct arith *a, const char *name, size_t length, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    const struct shell_value one = {shell_copy(a->s, text, strlen(text)), a->unknown, 0, a->place};
    shell_assign(a->s, name, length, &one, 1, false, false);
    return value;
}

/* "=", "*=", "<<=" at the cursor: how long; 0: no assignment. */
static size_t assignment(const char *at)
{
    static const char *const twice[] = {"<<", ">>"};
    for (int i = 0; i < 2; i++)
        if (strncmp(at, twice[i], 2) == 0 && at[2] == '=') return 3;
    if (*at == '=' && at[1] != '=') return 1;
    return *at && strchr("+-*/%&|^", *at) && at[1] == '=' ? 2 : 0;
}

static int64_t apply(struct arith *a, const char *op, int64_t x, int64_t y);

/* A variable, whatever is done to it: "x", "x++", "x += 2". */
static int64_t named(struct arith *a, size_t length)
{
    const char *name = a->at;
    a->at += length;
    skip_space(a);
    const size_t n = assignment(a->at);
    if (n == 1) {
        a->at++;
        return set(a, name, length, ternary(a));
    }
    const int64_t value = variable(a, name, length);
    if (n) {
        char op[3] = "";
        memcpy(op, a->at, n - 1);
        a->at += n;
        const int64_t by = ternary(a);
        return set(a, name, length, apply(a, op, value, by));
    }
    if ((*a->at == '+' || *a->at == '-') && a->at[1] == *a->at) {
        set(a, name, length, *a->at == '+' ? value + 1 : value - 1);
        a->at += 2;
    }
    return value;
}

/* "++x" */
static int64_t stepped(struct arith *a)
{
    const int64_t by = *a->at == '+' ? 1 : -1;
    a->at += 2;
    skip_space(a);
    const char *name = a->at;
    const size_t length = shell_name_length(name, name + strlen(name));
    a->at += length;
    return length ? set(a, name, length, variable(a, name, length) + by) : 0;
}

static int64_t number(struct arith *a)
{
    char *end;
    int64_t value = strtoll(a->at, &end, 0);
    if (*end == '#' && value >= 2 && value <= 36) value = strtoll(end + 1, &end, (int)value);
    a->at = end;
    return value;
}

static int64_t primary(struct arith *a)
{
    skip_space(a);
    if (++a->depth > 8 * SHELL_MAX_DEPTH) {
        fail(a, "is arithmetic that is nested too deeply");
        return 0;
    }
    int64_t value = 0;
    const size_t name = shell_name_length(a->at, a->at + strlen(a->at));
    if ((*a->at == '+' || *a->at == '-') && a->at[1] == *a->at) {
        value = stepped(a);
    } else if (strchr("!-+~", *a->at) && *a->at) {
        const char sign = *a->at++;
        value = primary(a);
        value = sign == '!'   ? !value
                : sign == '-' ? (int64_t)(0 - (uint64_t)value)
                : sign == '~' ? ~value
                              : value;
    } else if (*a->at == '(') {
        a->at++;
        value = ternary(a);
        skip_space(a);
        if (*a->at == ')')
            a->at++;
        else
            fail(a, "is arithmetic without a closing parenthesis");
    } else if (isdigit((unsigned char)*a->at)) {
        value = number(a);
    } else if (name) {
        value = named(a, name);
    } else {
        fail(a, "is arithmetic that lacks a number");
    }
    a->depth--;
    return value;
}

static const struct operator* next_operator(struct arith *a)
{
    skip_space(a);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strncmp(a->at, operators[i].text, strlen(operators[i].text)) == 0) return &operators[i];
    return NULL;
}

static int64_t power(int64_t base, int64_t exponent)
{
    uint64_t value = 1;
    for (int i = 0; i < 64 && i < exponent; i++)
        value *= (uint64_t)base;
    return (int64_t)value;
}

/* Wraps around where bash does. */
static int64_t apply(struct arith *a, const char *op, int64_t x, int64_t y)
{
    const uint64_t u = (uint64_t)x, w = (uint64_t)y;
    if ((*op == '/' || *op == '%') && (y == 0 || (y == -1 && x == INT64_MIN))) {
        if (!a->unknown) fail(a, "is a division by 0");
        return 0;
    }
    if (strcmp(op, "||") == 0) return x || y;
    if (strcmp(op, "&&") == 0) return x && y;
    if (strcmp(op, "==") == 0) return x == y;
    if (strcmp(op, "!=") == 0) return x != y;
    if (strcmp(op, "<=") == 0) return x <= y;
    if (strcmp(op, ">=") == 0) return x >= y;
    if (strcmp(op, "<<") == 0) return (int64_t)(u << (w & 63));
    if (strcmp(op, ">>") == 0) return x >> (w & 63);
    if (strcmp(op, "**") == 0) return power(x, y);
    switch (*op) {
    case '|':
        return x | y;
    case '^':
        return x ^ y;
    case '&':
        return x & y;
    case '<':
        return x < y;
    case '>':
        return x > y;
    case '+':
        return (int64_t)(u + w);
    case '-':
        return (int64_t)(u - w);
    case '*':
        return (int64_t)(u * w);
    case '/':
        return x / y;
    default:
        return x % y;
    }
}

static int64_t binary(struct arith *a, int level)
{
    int64_t value = primary(a);
    for (;;) {
        const struct operator* op = next_operator(a);
        if (!op || op->level < level) return value;
        a->at += strlen(op->text);
        const int64_t right = binary(a, op->level + 1);
        value = apply(a, op->text, value, right);
    }
}

static int64_t ternary(struct arith *a)
{
    const int64_t condition = binary(a, 0);
    skip_space(a);
    if (*a->at != '?') return condition;
    if (++a->depth > SHELL_MAX_DEPTH) {
        fail(a, "is arithmetic that is nested too deeply");
        return 0;
    }
    a->at++;
    const int64_t yes = ternary(a);
    skip_space(a);
    if (*a->at != ':') {
        fail(a, "is arithmetic with a '?' and no ':'");
        return 0;
    }
    a->at++;
    const int64_t no = ternary(a);
    a->depth--;
    return condition ? yes : no;
}

int64_t shell_arithmetic(struct shell_state *s, const char *text, struct shell_place place,
                         size_t *unknown)
{
    struct arith a = {s, text, place, 0, 0};
    skip_space(&a);
    int64_t value = *a.at ? ternary(&a) : 0;
    for (skip_space(&a); *a.at == ','; skip_space(&a)) {
        a.at++;
        value = ternary(&a);
    }
    if (*a.at && !a.unknown) fail(&a, "is arithmetic that bash would not understand");
    *unknown = a.unknown;
    return value;
}
