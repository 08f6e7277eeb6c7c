#include "search/expression.h"
#include "search/plans_axes.h"

#include "base/text.h"
#include "base/units.h"
#include "plan/names.h"

#include <ctype.h>
#include <math.h>
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

static const struct {
    const char *name, *figure;
} aliases[] = {{"time", "step_s"},      {"step", "step_s"},        {"hbm", "hbm_bytes"},
               {"memory", "hbm_bytes"}, {"mem2", "offload_bytes"}, {"rate", "samples_per_s"}};

static const char *const quick[QUICK_FIGURES] = {
    [QUICK_STEP] = "step_s",   [QUICK_SAMPLES] = "samples_per_s", [QUICK_TOKENS] = "tokens_per_s",
    [QUICK_HBM] = "hbm_bytes", [QUICK_LOWER] = "offload_bytes",
};

static const char *const more_is_better[] = {
    "samples_per_s",      "tokens_per_s",      "mfu", "hfu", "mfu_full", "mfu_as_megatron",
    "compute_efficiency", "system_efficiency", NULL};
static const char *const shares[] = {
    "mfu", "hfu", "mfu_full", "mfu_as_megatron", "compute_efficiency", "system_efficiency", NULL};

static int position(const char *name, const char *const *list, int count)
{
    for (int i = 0; i < count && list[i]; i++)
        if (strcmp(list[i], name) == 0) return i;
    return -1;
}

/* The place of a figure; -1 when there is none of that name. */
static int find_figure(const struct predictor *predictor, const char *name)
{
    const struct rk_figure *figures = rk_figures();
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(aliases[i].name, name) == 0) name = aliases[i].figure;
    for (int i = 0; figures[i].name; i++)
        if (figures[i].by & predictor->by && strcmp(figures[i].name, name) == 0) return i;
    return -1;
}

const struct rk_figure *expression_figure(const struct predictor *predictor, const char *name)
{
    const int place = find_figure(predictor, name);
    return place < 0 ? NULL : &rk_figures()[place];
}

void quick_places(const struct predictor *predictor, int place[QUICK_FIGURES])
{
    for (int i = 0; i < QUICK_FIGURES; i++)
        place[i] = find_figure(predictor, quick[i]);
}

/* What it takes to know a figure. */
static unsigned reads_of(const struct rk_figure *figure)
{
    const int found = position(figure->name, quick, QUICK_FIGURES);
    return found < 0 ? READS_SLOW : found == QUICK_LOWER ? READS_LOWER : 0;
}

/* Names in expressions may have '_' where flags have '-'. */
static bool same_name(const char *name, const char *flag)
{
    while (*name && (*name == *flag || (*name == '_' && *flag == '-'))) {
        name++;
        flag++;
    }
    return *name == *flag;
}

static int find_axis(const struct predictor *predictor, const char *name)
{
    for (int i = 0; i < predictor->axes; i++)
        if (same_name(name, predictor->axis_name(i))) return i;
    const char *key = plan_key_of_word(name); /* "tp", as a plan's words say */
    return key && strcmp(key, name) != 0 ? find_axis(predictor, key) : -1;
}

/* ---- parser ---- */

enum { WORD = 128, DEPTH = 32, NAMES = 512 };

struct parser {
    struct expression *out;
    const char *text;
    size_t length, at, first;
    struct rk_error *error;
    bool failed;
    int depth;
    int compared; /* the axis on the left of a comparison; -1: there is none */
};

/* `more` are up to three further pieces of the message. */
static void fail(struct parser *p, size_t at, const char *what, const char *const more[3])
{
    static const char *const nothing[3] = {"", "", ""};
    if (p->failed) return;
    p->failed = true;
    if (!more) more = nothing;
    rk_fail(p->error, RK_BAD_ARGUMENT, NULL, 0, (int)(p->first + at + 1),
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

/* 60GiB, 10us, 0.5, 50%: a number, and a unit when letters follow at once. */
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
    if (end == p->at + digits && end < p->length && p->text[end] == '%') {
        emit(p, (struct term){.kind = TERM_NUMBER,
                              .number = value / 100,
                              .quantity = QUANTITY_COUNT,
                              .at = (int)p->at});
        p->at = end + 1;
        return;
    }
    struct unit unit;
    const size_t letters = end - p->at - digits;
    if (letters > 0 && !unit_find(p->text + p->at + digits, letters, &unit))
        fail(p, p->at + digits, "unknown unit; write a size such as 60GiB or a time such as 10us",
             NULL);
    else if (letters > 0)
        value = unit_to_si(&unit, value);
    emit(p, (struct term){.kind = TERM_NUMBER,
                          .number = value,
                          .quantity = letters > 0 ? (int)unit.quantity : QUANTITIES,
                          .at = (int)p->at});
    p->at = end;
}

/* Words of the axis on the left of the comparison at hand; NULL: they have no names. */
static const char *const *compared_words(const struct parser *p)
{
    return p->compared < 0 ? NULL : p->out->predictor->axis_words(p->compared);
}

/* Suggests the nearest figure, axis or short name. */
static void fail_name(struct parser *p, size_t at, const char *word)
{
    const struct predictor *predictor = p->out->predictor;
    const char *const *choices = compared_words(p);
    if (choices) {
        const char *choice = text_nearest(word, choices);
        fail(p, at, "no such value: ",
             (const char *const[]){word, "; did you mean ", choice ? choice : choices[0]});
        return;
    }
    const char *names[NAMES];
    int count = 0;
    for (const struct rk_figure *f = rk_figures(); f->name && count < MAX_FIGURES; f++)
        if (f->by & predictor->by) names[count++] = f->name;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        names[count++] = aliases[i].name;
    for (int i = 0; i < predictor->axes; i++)
        names[count++] = predictor->axis_name(i);
    names[count] = NULL;
    const char *near = text_nearest(word, names);
    if (near)
        fail(p, at, "unknown name ", (const char *const[]){word, "; did you mean ", near});
    else
        fail(p, at, "neither a figure nor an axis: ", (const char *const[]){word, "", ""});
}

static void emit_number(struct parser *p, double number)
{
    emit(p, (struct term){
                .kind = TERM_NUMBER, .number = number, .quantity = QUANTITIES, .at = (int)p->at});
}

/* A value of the axis, with '-' or '_' in it: "zero_bubble". */
static bool find_value(const struct parser *p, const char *word, uint64_t *value)
{
    char other[WORD];
    const struct predictor *predictor = p->out->predictor;
    if (!compared_words(p)) return false;
    if (predictor->axis_parse(p->compared, word, value)) return true;
    for (size_t i = 0; (other[i] = word[i] == '_' ? '-' : word[i]) != '\0';)
        i++;
    return predictor->axis_parse(p->compared, other, value);
}

/* The longest value at the cursor: "ring", "ring+ulysses", "zero-bubble". */
static bool parse_value(struct parser *p)
{
    char word[WORD];
    uint64_t value;
    size_t length = 0;
    while (p->at + length < p->length && length < WORD - 1 &&
           (word_character(p->text[p->at + length]) || strchr("+-", p->text[p->at + length])))
        length++;
    memcpy(word, p->text + p->at, length);
    for (; length > 0; length--) {
        if (p->at + length < p->length && word_character(p->text[p->at + length])) continue;
        word[length] = '\0';
        if (!find_value(p, word, &value)) continue;
        emit_number(p, (double)value);
        p->at += length;
        return true;
    }
    return false;
}

static bool parse_truth(struct parser *p, const char *word)
{
    static const char *const words[] = {"no", "false", "yes", "true", NULL};
    const int found = position(word, words, 4);
    if (found >= 0) emit_number(p, found >= 2);
    return found >= 0;
}

/* The longest name of an axis at the cursor, also with '-' in it as flags have it; else the word.
 */
static size_t peek_name(struct parser *p, char name[WORD])
{
    char word[WORD];
    const size_t least = peek_word(p, name);
    size_t end = least;
    while (end < WORD - 1 && p->at + end + 1 < p->length && p->text[p->at + end] == '-' &&
           word_character(p->text[p->at + end + 1])) {
        for (end++;
             end < WORD - 1 && p->at + end < p->length && word_character(p->text[p->at + end]);)
            end++;
        memcpy(word, p->text + p->at, end);
        word[end] = '\0';
        if (find_axis(p->out->predictor, word) < 0) continue;
        memcpy(name, word, end + 1);
        return end;
    }
    return least;
}

static void parse_name(struct parser *p)
{
    char word[WORD];
    const struct predictor *predictor = p->out->predictor;
    const size_t at = p->at, length = peek_name(p, word);
    if (parse_value(p)) return;
    p->at += length;
    if (parse_truth(p, word)) return;
    const int figure = find_figure(predictor, word), axis = find_axis(predictor, word);
    if (figure >= 0) {
        p->out->reads |= reads_of(&rk_figures()[figure]);
        emit(p, (struct term){.kind = TERM_FIGURE, .place = figure, .at = (int)at});
    } else if (axis >= 0 || strcmp(word, "batch") == 0 || strcmp(word, "gbs") == 0) {
        p->out->reads |= READS_PLAN;
        emit(p, (struct term){
                    .kind = axis >= 0 ? TERM_AXIS : TERM_BATCH, .place = axis, .at = (int)at});
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
        if (p->out->terms == before + 1 && left->kind == TERM_AXIS) p->compared = left->place;
        parse_sum(p);
        p->compared = -1;
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

/* ---- units ---- */

/* Exponents of second, byte and FLOP. A factor of a thousand or more makes the whole `scaled`: it
 * was written to get rid of the unit. */
struct dimension {
    int second, byte, flop;
    bool scaled, any; /* any: a plain number */
    bool counts;      /* axes and the batch */
    bool full;        /* figures whose names say the unit, hbm_bytes */
    double number;    /* of what is plain */
    bool percent;
};

static struct dimension dimension_of_quantity(int quantity)
{
    static const struct dimension known[QUANTITIES + 1] = {
        [QUANTITY_COUNT] = {.any = true},
        [QUANTITY_BYTES] = {.byte = 1},
        [QUANTITY_BYTES_PER_S] = {-1, .byte = 1},
        [QUANTITY_SECONDS] = {.second = 1},
        [QUANTITY_FLOP] = {.flop = 1},
        [QUANTITY_FLOP_PER_S] = {-1, .flop = 1},
        [QUANTITIES] = {.any = true},
    };
    return known[quantity];
}

static struct dimension dimension_of_figure(const struct rk_figure *figure)
{
    static const struct {
        const char *unit;
        struct dimension dimension;
    } known[] = {
        {"s", {.second = 1}}, {"1/s", {.second = -1}}, {"B", {.byte = 1}}, {"FLOP", {.flop = 1}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].unit, figure->unit) == 0) return known[i].dimension;
    return (struct dimension){.any = false};
}

static bool has_unit(const struct dimension *d)
{
    return d->second || d->byte || d->flop;
}

static bool is_percentage(const struct dimension *d)
{
    return d->any && d->percent;
}

/* Tables print memory in GiB, expressions count bytes: "hbm <= 60" does not say what was meant. */
static bool needs_unit(const struct dimension *d)
{
    return d->byte && !d->scaled && !d->full;
}

/* Can they stand on two sides of a comparison or a sum? */
static bool agree(const struct dimension *a, const struct dimension *b)
{
    if (a->any || b->any) return true;
    if ((a->scaled || b->scaled) && (!has_unit(a) || !has_unit(b))) return true;
    return a->second == b->second && a->byte == b->byte && a->flop == b->flop;
}

static bool is_scale(const struct dimension *d)
{
    return d->any && (fabs(d->number) >= 1e3 || fabs(d->number) <= 1e-3);
}

static struct dimension product(struct dimension a, struct dimension b, int sign)
{
    const double factor = sign > 0 ? b.number : 1 / b.number;
    return (struct dimension){
        .second = a.second + sign * b.second,
        .byte = a.byte + sign * b.byte,
        .flop = a.flop + sign * b.flop,
        .scaled = a.scaled || b.scaled || (a.any != b.any && (is_scale(&a) || is_scale(&b))),
        .any = a.any && b.any,
        .counts = sign > 0 && (a.counts || b.counts),
        .full = (a.full || !a.byte) && (b.full || !b.byte),
        .number = a.number * factor,
    };
}

/* "bytes", "seconds", "1/s", "FLOP/s"; what has no unit is "a plain number". */
static const char *dimension_text(const struct dimension *d)
{
    if (!has_unit(d)) return "a plain number";
    if (d->second == 1 && !d->byte && !d->flop) return "seconds";
    if (d->byte == 1 && !d->second && !d->flop) return "bytes";
    if (d->flop == 1 && !d->second && !d->byte) return "FLOP";
    if (d->second == -1 && !d->byte && !d->flop) return "a rate";
    if (d->second == -1 && d->byte == 1 && !d->flop) return "bytes a second";
    if (d->second == -1 && d->flop == 1 && !d->byte) return "FLOP a second";
    return "of another unit";
}

/* Does a name stand there in full? */
static bool is_full(const struct parser *p, const struct term *name)
{
    const char *full = rk_figures()[name->place].name;
    const size_t length = strlen(full);
    return p->length - (size_t)name->at >= length && memcmp(p->text + name->at, full, length) == 0;
}

static struct dimension of_term(const struct parser *p, const struct term *t)
{
    struct dimension d = {.counts = t->kind == TERM_AXIS || t->kind == TERM_BATCH};
    if (t->kind == TERM_NUMBER) {
        d = dimension_of_quantity(t->quantity);
        d.number = t->number;
        if (t->quantity == QUANTITY_COUNT) d.percent = true;
    } else if (t->kind == TERM_FIGURE) {
        d = dimension_of_figure(&rk_figures()[t->place]);
        d.full = is_full(p, t);
    }
    return d;
}

/* What is wrong with a plain number beside that; NULL: nothing. */
static const char *wrong_beside(const struct dimension *number, const struct dimension *other)
{
    if (!number->any || other->any) return NULL;
    if (is_percentage(number) && (has_unit(other) || other->counts))
        return "a percentage is of shares, mfu > 50%; of a size it is a factor, hbm < 90% * 80GiB";
    if (needs_unit(other) && number->number != 0)
        return other->second ? "a rate needs its unit, such as 3GB/s"
                             : "a size needs its unit, such as 60GiB";
    return NULL;
}

/* Both in one unit, or with a plain number that can be meant. */
static struct dimension combine_units(struct parser *p, const struct term *t,
                                      const struct dimension side[2], const int at[2])
{
    const struct dimension a = side[0], b = side[1];
    if (t->kind == TERM_MULTIPLY) return product(a, b, 1);
    if (t->kind == TERM_DIVIDE) return product(a, b, -1);
    if (t->kind == TERM_AND || t->kind == TERM_OR) return (struct dimension){.any = true};
    for (int i = 0; i < 2; i++) {
        const char *wrong = wrong_beside(&side[i], &side[!i]);
        if (wrong) fail(p, (size_t)at[i], wrong, NULL);
    }
    if (!agree(&a, &b))
        fail(p, (size_t)at[1], "this is ",
             (const char *const[]){dimension_text(&b), ", what it is put beside is ",
                                   dimension_text(&a)});
    if (t->kind != TERM_ADD && t->kind != TERM_SUBTRACT) return (struct dimension){.any = true};
    struct dimension sum = a.any ? b : a;
    sum.full = (a.full || a.any) && (b.full || b.any);
    sum.number = t->kind == TERM_ADD ? a.number + b.number : a.number - b.number;
    return sum;
}

/* Tables print shares in percent, expressions count to 1: "mfu > 50" does not say what was meant.
 */
static void check_share(struct parser *p, const struct term *name, const struct term *number)
{
    if (name->kind != TERM_FIGURE || number->kind != TERM_NUMBER) return;
    if (position(rk_figures()[name->place].name, shares, NAMES) >= 0 && number->number > 1 &&
        (number->quantity == QUANTITIES || number->quantity == QUANTITY_COUNT))
        fail(p, (size_t)number->at, "a share is at most 1: write 50% or 0.5", NULL);
}

static void check_units(struct parser *p)
{
    struct dimension stack[EXPRESSION_TERMS];
    int from[EXPRESSION_TERMS], top = -1; /* from: where an operand begins */
    for (int i = 0; i < p->out->terms; i++) {
        const struct term *t = &p->out->term[i];
        if (t->kind <= TERM_BATCH) {
            stack[++top] = of_term(p, t);
            from[top] = t->at;
        } else if (t->kind == TERM_NOT) {
            stack[top] = (struct dimension){.any = true};
        } else if (t->kind == TERM_NEGATE) {
            stack[top].number = -stack[top].number;
        } else {
            if (t->kind >= TERM_LESS && t->kind <= TERM_UNEQUAL) {
                check_share(p, t - 2, t - 1);
                check_share(p, t - 1, t - 2);
            }
            top--;
            stack[top] = combine_units(p, t, stack + top, from + top);
        }
    }
}

enum rk_status expression_compile(struct expression *expression, const struct predictor *predictor,
                                  const char *text, size_t length, size_t first,
                                  struct rk_error *error)
{
    struct parser p = {.out = expression,
                       .text = text,
                       .length = length,
                       .first = first,
                       .error = error,
                       .compared = -1};
    expression->predictor = predictor;
    expression->terms = 0;
    expression->reads = 0;
    expression->more_is_better = false;
    parse_or(&p);
    skip_space(&p);
    if (p.at < p.length) fail(&p, p.at, "what follows here is not part of the expression", NULL);
    if (!p.failed) check_units(&p);
    if (p.failed) return RK_BAD_ARGUMENT;
    const struct term *only = &expression->term[0];
    if (expression->terms == 1 && only->kind == TERM_FIGURE)
        expression->more_is_better =
            position(rk_figures()[only->place].name, more_is_better, NAMES) >= 0;
    return RK_OK;
}

/* Is `value`, the figure that it begins with, something that holds or does not? */
static bool decides(struct parser *p, const struct term *value)
{
    if (!value) return true;
    fail(p, (size_t)value->at, "this is no condition: compare it, as in hbm < 60GiB", NULL);
    return false;
}

/* Each value on the stack: NULL, or the first term of what is no condition. */
static void check_decides(struct parser *p)
{
    const struct term *stack[EXPRESSION_TERMS] = {NULL};
    int top = -1;
    for (int i = 0; i < p->out->terms && !p->failed; i++) {
        const struct term *t = &p->out->term[i];
        if (t->kind <= TERM_BATCH)
            stack[++top] = t->kind == TERM_FIGURE || t->kind == TERM_BATCH ? t : NULL;
        else if (t->kind == TERM_NOT)
            decides(p, stack[top]);
        else if (t->kind == TERM_AND || t->kind == TERM_OR) {
            if (decides(p, stack[top - 1])) decides(p, stack[top]);
            top--;
        } else if (t->kind != TERM_NEGATE) {
            top--;
            if (t->kind >= TERM_LESS)
                stack[top] = NULL;
            else if (!stack[top])
                stack[top] = stack[top + 1];
        }
    }
    if (!p->failed) decides(p, stack[0]);
}

enum rk_status expression_compile_condition(struct expression *expression,
                                            const struct predictor *predictor, const char *text,
                                            struct rk_error *error)
{
    struct parser p = {.out = expression, .text = text, .length = strlen(text), .error = error};
    const enum rk_status status =
        expression_compile(expression, predictor, text, p.length, 0, error);
    if (status != RK_OK) return status;
    check_decides(&p);
    return p.failed ? RK_BAD_ARGUMENT : RK_OK;
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

bool expression_keeps_to(const struct expression *e, const char *const *figures,
                         const char *const *no_axes, const char **name)
{
    for (int i = 0; i < e->terms; i++) {
        const struct term *term = &e->term[i];
        if (term->kind == TERM_FIGURE) {
            *name = rk_figures()[term->place].name;
            if (position(*name, figures, NAMES) < 0) return false;
        } else if (term->kind == TERM_AXIS) {
            *name = e->predictor->axis_name(term->place);
            if (position(*name, no_axes, NAMES) >= 0) return false;
        }
    }
    return true;
}
