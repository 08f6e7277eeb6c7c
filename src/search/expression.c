#include "search/expression.h"

#include "base/text.h"
#include "base/units.h"

#include <ctype.h>
#include <string.h>

enum term_kind {
    TERM_NUMBER,
    TERM_FIGURE,
    TERM_AXIS,
    TERM_BATCH,
    TERM_NEGATE,
    TERM_NOT,
    TERM_ADD,
    TERM_SUBTRACT,
    TERM_MULTIPLY,
    TERM_DIVIDE,
    TERM_LESS,
    TERM_LESS_EQUAL,
    TERM_GREATER,
    TERM_GREATER_EQUAL,
    TERM_EQUAL,
    TERM_UNEQUAL,
    TERM_AND,
    TERM_OR,
};

/* ---- names ---- */

#define FIGURE(member) offsetof(struct rk_estimate, member)

static const struct {
    const char *name;
    size_t offset;
} aliases[] = {
    {"time", FIGURE(step_s)},
    {"hbm", FIGURE(hbm_bytes)},
    {"mem2", FIGURE(offload_bytes)},
    {"rate", FIGURE(samples_per_s)},
};

static const size_t quick[] = {FIGURE(step_s), FIGURE(hbm_bytes), FIGURE(offload_bytes),
                               FIGURE(samples_per_s), FIGURE(tokens_per_s)};

static const size_t more_is_better[] = {FIGURE(samples_per_s), FIGURE(tokens_per_s), FIGURE(mfu),
                                        FIGURE(compute_efficiency), FIGURE(system_efficiency)};

static bool listed(const size_t *list, size_t count, size_t offset)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == offset) return true;
    return false;
}

bool expression_is_quick(size_t offset)
{
    return listed(quick, sizeof quick / sizeof *quick, offset);
}

static bool find_figure(const char *name, size_t *offset)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(aliases[i].name, name) == 0) {
            *offset = aliases[i].offset;
            return true;
        }
    const struct rk_figure *figure = rk_figure_find(name);
    if (figure) *offset = figure->offset;
    return figure != NULL;
}

/* Names in expressions have '_' where flags have '-'. */
static bool same_axis_name(const char *name, const char *axis)
{
    while (*name && (*name == *axis || (*name == '_' && *axis == '-'))) {
        name++;
        axis++;
    }
    return *name == *axis;
}

static bool find_axis(const char *name, enum rk_axis *axis)
{
    for (int i = 0; i < RK_AXES; i++)
        if (same_axis_name(name, rk_axis((enum rk_axis)i)->name)) {
            *axis = (enum rk_axis)i;
            return true;
        }
    return false;
}

/* The value of a word such as "ring" on an axis of choices; -1 when it has none. */
static int find_choice(const char *word, enum rk_axis axis)
{
    const char *const *choices = rk_axis(axis)->choices;
    for (int i = 0; choices && choices[i]; i++)
        if (strcmp(choices[i], word) == 0) return i;
    return -1;
}

/* ---- parser ---- */

enum { WORD = 64, DEPTH = 32 };

struct parser {
    struct expression *out;
    const char *text;
    size_t length, at, first;
    struct rk_error *error;
    bool failed;
    int depth;
    bool comparing; /* `compared` is the axis of choices on the left of a comparison */
    enum rk_axis compared;
};

/* `more` are up to three further pieces of the message. */
static void fail(struct parser *p, size_t at, const char *what, const char *const more[3])
{
    static const char *const nothing[3] = {"", "", ""};
    if (p->failed) return;
    p->failed = true;
    if (!more) more = nothing;
    rk_fail(p->error, RK_USAGE, NULL, 0, (int)(p->first + at + 1),
            "column %d of \"%.*s\": %s%s%s%s", (int)at + 1,
            (int)(p->length < 200 ? p->length : 200), p->text, what, more[0], more[1], more[2]);
}

static void emit(struct parser *p, struct term term)
{
    if (p->out->terms < EXPRESSION_TERMS)
        p->out->term[p->out->terms++] = term;
    else
        fail(p, p->at, "the expression is too long", NULL);
}

static void emit_kind(struct parser *p, enum term_kind kind)
{
    emit(p, (struct term){.kind = kind});
}

static void skip_space(struct parser *p)
{
    while (p->at < p->length && isspace((unsigned char)p->text[p->at]))
        p->at++;
}

static bool word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The word at the cursor, "" when there is none; the cursor stays. */
static size_t peek_word(struct parser *p, char word[WORD])
{
    skip_space(p);
    size_t length = 0;
    while (p->at + length < p->length && word_character(p->text[p->at + length]))
        length++;
    const size_t kept = length < WORD ? length : WORD - 1;
    memcpy(word, p->text + p->at, kept);
    word[kept] = '\0';
    return length;
}

static bool accept_word(struct parser *p, const char *wanted)
{
    char word[WORD];
    const size_t length = peek_word(p, word);
    if (strcmp(word, wanted) != 0) return false;
    p->at += length;
    return true;
}

static bool accept_sign(struct parser *p, const char *sign)
{
    skip_space(p);
    const size_t length = strlen(sign);
    if (p->length - p->at < length || memcmp(p->text + p->at, sign, length) != 0) return false;
    p->at += length;
    return true;
}

static void parse_or(struct parser *p);

/* Is this the "/s" of a rate, not the beginning of a division by a name? */
static bool per_second(const struct parser *p, size_t at)
{
    return p->length - at >= 2 && p->text[at] == '/' && p->text[at + 1] == 's' &&
           (p->length - at == 2 || !word_character(p->text[at + 2]));
}

/* 60GiB, 10us, 0.5: a number, and a unit when letters follow at once. */
static void parse_number(struct parser *p)
{
    double value;
    const size_t digits = number_parse(p->text + p->at, p->length - p->at, &value);
    if (digits == 0) {
        fail(p, p->at, "not a number", NULL);
        return;
    }
    size_t end = p->at + digits;
    while (end < p->length && isalpha((unsigned char)p->text[end]))
        end++;
    if (end > p->at + digits && per_second(p, end)) end += 2;
    struct unit unit;
    const size_t letters = end - p->at - digits;
    if (letters > 0 && !unit_find(p->text + p->at + digits, letters, &unit))
        fail(p, p->at + digits, "unknown unit; write a size such as 60GiB or a time such as 10us",
             NULL);
    else if (letters > 0)
        value = unit_to_si(&unit, value);
    emit(p, (struct term){.kind = TERM_NUMBER, .number = value});
    p->at = end;
}

/* Suggests the nearest figure, axis or short name. */
static void fail_name(struct parser *p, size_t at, const char *word)
{
    const char *const *choices = p->comparing ? rk_axis(p->compared)->choices : NULL;
    if (choices) {
        const char *choice = text_nearest(word, choices);
        fail(p, at, "no such value: ",
             (const char *const[]){word, "; did you mean ", choice ? choice : choices[0]});
        return;
    }
    const char *names[512];
    int count = 0;
    for (const struct rk_figure *f = rk_figures(); f->name && count < 400; f++)
        names[count++] = f->name;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        names[count++] = aliases[i].name;
    for (int i = 0; i < RK_AXES; i++)
        names[count++] = rk_axis((enum rk_axis)i)->name;
    names[count] = NULL;
    const char *near = text_nearest(word, names);
    if (near)
        fail(p, at, "unknown name ", (const char *const[]){word, "; did you mean ", near});
    else
        fail(p, at, "neither a figure nor an axis: ", (const char *const[]){word, "", ""});
}

static bool parse_choice(struct parser *p, const char *word)
{
    if (strcmp(word, "yes") == 0 || strcmp(word, "true") == 0) {
        emit(p, (struct term){.kind = TERM_NUMBER, .number = 1});
        return true;
    }
    if (strcmp(word, "no") == 0 || strcmp(word, "false") == 0) {
        emit_kind(p, TERM_NUMBER);
        return true;
    }
    const int choice = p->comparing ? find_choice(word, p->compared) : -1;
    if (choice >= 0) emit(p, (struct term){.kind = TERM_NUMBER, .number = choice});
    return choice >= 0;
}

static void parse_name(struct parser *p)
{
    char word[WORD];
    const size_t at = p->at, length = peek_word(p, word);
    struct term term = {0};
    p->at += length;
    if (parse_choice(p, word)) return;
    if (find_figure(word, &term.offset)) {
        term.kind = TERM_FIGURE;
        p->out->needs_estimate |= !expression_is_quick(term.offset);
        emit(p, term);
    } else if (find_axis(word, &term.axis)) {
        term.kind = TERM_AXIS;
        emit(p, term);
    } else if (strcmp(word, "batch") == 0) {
        emit_kind(p, TERM_BATCH);
    } else {
        fail_name(p, at, word);
    }
}

static void parse_unary(struct parser *p)
{
    if (++p->depth > DEPTH) {
        fail(p, p->at, "nested too deep", NULL);
        return;
    }
    skip_space(p);
    if (accept_sign(p, "-")) {
        parse_unary(p);
        emit_kind(p, TERM_NEGATE);
    } else if (accept_sign(p, "(")) {
        parse_or(p);
        if (!accept_sign(p, ")")) fail(p, p->at, "')' expected", NULL);
    } else if (p->at == p->length) {
        fail(p, p->at, "a number or a name is missing", NULL);
    } else if (isdigit((unsigned char)p->text[p->at])) {
        parse_number(p);
    } else if (word_character(p->text[p->at])) {
        parse_name(p);
    } else {
        fail(p, p->at, "a number or a name expected", NULL);
    }
    p->depth--;
}

static void parse_product(struct parser *p)
{
    parse_unary(p);
    while (!p->failed) {
        enum term_kind kind;
        if (accept_sign(p, "*"))
            kind = TERM_MULTIPLY;
        else if (accept_sign(p, "/"))
            kind = TERM_DIVIDE;
        else
            return;
        parse_unary(p);
        emit_kind(p, kind);
    }
}

static void parse_sum(struct parser *p)
{
    parse_product(p);
    while (!p->failed) {
        enum term_kind kind;
        if (accept_sign(p, "+"))
            kind = TERM_ADD;
        else if (accept_sign(p, "-"))
            kind = TERM_SUBTRACT;
        else
            return;
        parse_product(p);
        emit_kind(p, kind);
    }
}

static void parse_comparison(struct parser *p)
{
    static const struct {
        const char *sign;
        enum term_kind kind;
    } signs[] = {{"<=", TERM_LESS_EQUAL}, {">=", TERM_GREATER_EQUAL}, {"==", TERM_EQUAL},
                 {"!=", TERM_UNEQUAL},    {"<", TERM_LESS},           {">", TERM_GREATER},
                 {"=", TERM_EQUAL}};
    const int before = p->out->terms;
    parse_sum(p);
    for (size_t i = 0; i < sizeof signs / sizeof *signs && !p->failed; i++) {
        if (!accept_sign(p, signs[i].sign)) continue;
        const struct term *left = &p->out->term[before];
        p->comparing = p->out->terms == before + 1 && left->kind == TERM_AXIS;
        if (p->comparing) p->compared = left->axis;
        parse_sum(p);
        p->comparing = false;
        emit_kind(p, signs[i].kind);
        return;
    }
}

static void parse_not(struct parser *p)
{
    bool negated = false;
    while (accept_word(p, "not"))
        negated = !negated;
    parse_comparison(p);
    if (negated) emit_kind(p, TERM_NOT);
}

static void parse_and(struct parser *p)
{
    parse_not(p);
    while (!p->failed && accept_word(p, "and")) {
        parse_not(p);
        emit_kind(p, TERM_AND);
    }
}

static void parse_or(struct parser *p)
{
    parse_and(p);
    while (!p->failed && accept_word(p, "or")) {
        parse_and(p);
        emit_kind(p, TERM_OR);
    }
}

enum rk_status expression_compile(struct expression *expression, const char *text, size_t length,
                                  size_t first, struct rk_error *error)
{
    struct parser p = {
        .out = expression, .text = text, .length = length, .first = first, .error = error};
    expression->terms = 0;
    expression->needs_estimate = expression->more_is_better = false;
    parse_or(&p);
    skip_space(&p);
    if (p.at < p.length) fail(&p, p.at, "what follows here is not part of the expression", NULL);
    if (p.failed) return RK_USAGE;
    const struct term *only = &expression->term[0];
    expression->more_is_better =
        expression->terms == 1 && only->kind == TERM_FIGURE &&
        listed(more_is_better, sizeof more_is_better / sizeof *more_is_better, only->offset);
    return RK_OK;
}

/* ---- evaluation ---- */

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

double expression_value(const struct expression *expression, const struct rk_strategy *strategy,
                        const struct rk_estimate *estimate)
{
    double stack[EXPRESSION_TERMS] = {0};
    int top = -1;
    for (int i = 0; i < expression->terms; i++) {
        const struct term *t = &expression->term[i];
        switch (t->kind) {
        case TERM_NUMBER:
            stack[++top] = t->number;
            break;
        case TERM_FIGURE:
            memcpy(&stack[++top], (const char *)estimate + t->offset, sizeof *stack);
            break;
        case TERM_AXIS:
            stack[++top] = (double)rk_axis_get(strategy, t->axis);
            break;
        case TERM_BATCH:
            stack[++top] = (double)strategy->batch;
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
