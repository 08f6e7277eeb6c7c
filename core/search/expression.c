#include "search/expression_parser.h"

#include "base/text.h"
#include "base/units.h"
#include "plan/names.h"
#include "search/expression.h"

#include <ctype.h>
#include <string.h>

/* ---- names ---- */

static const struct {
    const char *name, *figure;
} aliases[] = {{"time", "step_s"},      {"step", "step_s"},        {"hbm", "hbm_bytes"},
               {"memory", "hbm_bytes"}, {"mem2", "offload_bytes"}, {"rate", "samples_per_s"}};

static const char *const quick[QUICK_FIGURES] = {
    [QUICK_STEP] = "step_s",
    [QUICK_SAMPLES] = "samples_per_s",
    [QUICK_TOKENS] = "tokens_per_s",
    [QUICK_HBM] = "hbm_bytes",
    [QUICK_LOWER] = "offload_bytes",
    [QUICK_MFU] = "mfu",
    [QUICK_HFU] = "hfu",
    [QUICK_MFU_FULL] = "mfu_full",
    [QUICK_MFU_AS_MEGATRON] = "mfu_as_megatron",
};

static const char *const more_is_better[] = {
    "samples_per_s",      "tokens_per_s",      "mfu", "hfu", "mfu_full", "mfu_as_megatron",
    "compute_efficiency", "system_efficiency", NULL};

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
    if (found < 0) return READS_SLOW;
    return found > QUICK_LOWER ? READS_WORK : found == QUICK_LOWER ? READS_LOWER : 0;
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

enum { WORD = 128, NAMES = 512 };

void parser_fail(struct parser *p, size_t at, const char *what, const char *const more[3])
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
        parser_fail(p, p->at, "the expression is too long", NULL);
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
        parser_fail(p, p->at, "not a number", NULL);
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
        parser_fail(p, p->at + digits,
                    "unknown unit; write a size such as 60GiB or a time such as 10us", NULL);
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
        parser_fail(p, at, "no such value: ",
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
        parser_fail(p, at, "unknown name ", (const char *const[]){word, "; did you mean ", near});
    else
        parser_fail(p, at, "unknown name ",
                    (const char *const[]){word,
                                          ": give a figure or an axis, such as time, hbm, mfu or "
                                          "tensor (reckon-search(1) lists them)",
                                          ""});
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
    if (++p->depth > EXPRESSION_DEPTH) {
        parser_fail(p, p->at, "nested too deep", NULL);
        return;
    }
    skip_space(p);
    if (accept_sign(p, "-")) {
        parse_unary(p);
        emit_kind(p, TERM_NEGATE);
    } else if (accept_sign(p, "(")) {
        parse_or(p);
        if (!accept_sign(p, ")")) parser_fail(p, p->at, "')' expected", NULL);
    } else if (p->at == p->length) {
        parser_fail(p, p->at, "a number or a name is missing", NULL);
    } else if (isdigit((unsigned char)p->text[p->at])) {
        parse_number(p);
    } else if (word_character(p->text[p->at])) {
        parse_name(p);
    } else {
        parser_fail(p, p->at, "a number or a name expected", NULL);
    }
    p->depth--;
}

/* `part`s joined by either of two signs, from the left. */
static void parse_joined(struct parser *p, void (*part)(struct parser *), const char *const sign[2],
                         const enum term_kind kind[2])
{
    part(p);
    while (!p->failed) {
        const int which = accept_sign(p, sign[0]) ? 0 : accept_sign(p, sign[1]) ? 1 : -1;
        if (which < 0) return;
        part(p);
        emit_kind(p, kind[which]);
    }
}

static void parse_product(struct parser *p)
{
    parse_joined(p, parse_unary, (const char *const[]){"*", "/"},
                 (const enum term_kind[]){TERM_MULTIPLY, TERM_DIVIDE});
}

static void parse_sum(struct parser *p)
{
    parse_joined(p, parse_product, (const char *const[]){"+", "-"},
                 (const enum term_kind[]){TERM_ADD, TERM_SUBTRACT});
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
    if (p.at < p.length)
        parser_fail(&p, p.at, "what follows here is not part of the expression", NULL);
    if (!p.failed) parser_check_units(&p);
    if (p.failed) return RK_BAD_ARGUMENT;
    const struct term *only = &expression->term[0];
    if (expression->terms == 1 && only->kind == TERM_FIGURE)
        expression->more_is_better =
            position(rk_figures()[only->place].name, more_is_better, NAMES) >= 0;
    return RK_OK;
}

enum rk_status expression_compile_condition(struct expression *expression,
                                            const struct predictor *predictor, const char *text,
                                            struct rk_error *error)
{
    struct parser p = {.out = expression, .text = text, .length = strlen(text), .error = error};
    const enum rk_status status =
        expression_compile(expression, predictor, text, p.length, 0, error);
    if (status != RK_OK) return status;
    parser_check_decides(&p);
    return p.failed ? RK_BAD_ARGUMENT : RK_OK;
}
