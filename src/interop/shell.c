/* shell.c - follows a script statement by statement, without running anything. */
#include "interop/shell.h"
#include "interop/shell_run.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- where we are ---- */

bool shell_live(const struct shell_state *s)
{
    return !s->skip && !s->stopped && !s->returned && s->status == RK_OK;
}

static const char *const terminators[] = {"then", "elif", "else", "fi", "do",
                                          "done", "esac", "}",    NULL};

static bool ends_list(struct shell_token token)
{
    if (token.kind == SHELL_END || shell_token_is(token, ")") || shell_token_is(token, ";;") ||
        shell_token_is(token, ";&") || shell_token_is(token, ";;&"))
        return true;
    for (int i = 0; terminators[i]; i++)
        if (shell_token_is(token, terminators[i])) return true;
    return false;
}

static void expect(struct shell_lexer *l, const char *text, struct shell_token opener)
{
    const struct shell_token token = shell_next(l);
    if (shell_token_is(token, text)) return;
    shell_fail(l->s, token.place, "'%s' is expected here, for the '%.*s' in line %d", text,
               (int)(opener.length < 20 ? opener.length : 20), opener.raw, opener.place.line);
}

/* A list that runs if so, is skipped, or may have run. */
static enum shell_truth branch(struct shell_lexer *l, enum shell_truth when,
                               struct shell_place place)
{
    struct shell_state *s = l->s;
    if (when == SHELL_TRUE) return shell_list(l);
    if (when == SHELL_FALSE || !shell_live(s)) {
        s->skip++;
        shell_list(l);
        s->skip--;
        return SHELL_FALSE;
    }
    const bool before = s->maybe;
    const struct shell_place condition = s->condition;
    const size_t mark = s->assigned, cause = s->cause;
    s->maybe = true;
    s->condition = place;
    shell_list(l);
    shell_poison(s, mark, place, cause);
    s->maybe = before;
    s->condition = condition;
    return SHELL_PERHAPS;
}

/* ---- if, case, for, while ---- */

static void if_command(struct shell_lexer *l, struct shell_token opener)
{
    enum shell_truth taken = SHELL_FALSE;
    bool more = true;
    while (more && l->s->status == RK_OK) {
        enum shell_truth when = SHELL_FALSE;
        if (taken == SHELL_TRUE) l->s->skip++;
        l->s->cause = 0;
        when = shell_list(l);
        if (taken == SHELL_TRUE) l->s->skip--;
        expect(l, "then", opener);
        if (taken == SHELL_TRUE) when = SHELL_FALSE;
        if (taken == SHELL_PERHAPS && when == SHELL_TRUE) when = SHELL_PERHAPS;
        branch(l, when, opener.place);
        if (when != SHELL_FALSE && taken != SHELL_TRUE) taken = when;
        more = shell_token_is(shell_peek(l), "elif");
        if (more) shell_next(l);
    }
    if (shell_token_is(shell_peek(l), "else")) {
        shell_next(l);
        branch(l,
               taken == SHELL_TRUE    ? SHELL_FALSE
               : taken == SHELL_FALSE ? SHELL_TRUE
                                      : SHELL_PERHAPS,
               opener.place);
    }
    expect(l, "fi", opener);
}

void shell_skip_lines(struct shell_lexer *l)
{
    while (shell_peek(l).kind == SHELL_LINE || shell_token_is(shell_peek(l), ";"))
        shell_next(l);
}

static enum shell_truth matches(struct shell_state *s, const struct shell_value *subject,
                                struct shell_token pattern)
{
    if (!shell_live(s)) return SHELL_FALSE;
    const struct shell_value text = shell_expand_one(s, pattern.raw, pattern.length, pattern.place);
    if (strcmp(text.text, "*") == 0) return SHELL_TRUE;
    if (subject->unknown || subject->maybe || text.unknown) {
        s->cause = subject->unknown ? subject->unknown : subject->maybe;
        return SHELL_PERHAPS;
    }
    return fnmatch(text.text, subject->text, 0) == 0 ? SHELL_TRUE : SHELL_FALSE;
}

/* "a | b)"; whether one of them matches. */
static enum shell_truth case_patterns(struct shell_lexer *l, const struct shell_value *subject)
{
    enum shell_truth any = SHELL_FALSE;
    if (shell_token_is(shell_peek(l), "(")) shell_next(l);
    for (;;) {
        const struct shell_token token = shell_next(l);
        if (token.kind == SHELL_WORD) {
            const enum shell_truth one = matches(l->s, subject, token);
            if (any == SHELL_FALSE || one == SHELL_TRUE) any = one;
        } else if (shell_token_is(token, ")")) {
            return any;
        } else if (!shell_token_is(token, "|")) {
            shell_fail(l->s, token.place, "a pattern and ')' are expected in this case");
            return any;
        }
    }
}

static void case_command(struct shell_lexer *l, struct shell_token opener)
{
    const struct shell_token word = shell_next(l);
    struct shell_value subject = {"", 0, 0, word.place};
    enum shell_truth taken = SHELL_FALSE;
    if (shell_live(l->s)) subject = shell_expand_one(l->s, word.raw, word.length, word.place);
    shell_skip_lines(l);
    expect(l, "in", opener);
    shell_skip_lines(l);
    while (!shell_token_is(shell_peek(l), "esac") && l->s->status == RK_OK) {
        enum shell_truth when = case_patterns(l, &subject);
        if (taken == SHELL_TRUE) when = SHELL_FALSE;
        if (taken == SHELL_PERHAPS && when == SHELL_TRUE) when = SHELL_PERHAPS;
        branch(l, when, opener.place);
        if (when != SHELL_FALSE && taken != SHELL_TRUE) taken = when;
        const struct shell_token end = shell_peek(l);
        if (end.kind == SHELL_OPERATOR && *end.raw == ';') shell_next(l);
        shell_skip_lines(l);
        if (shell_peek(l).kind == SHELL_END)
            shell_fail(l->s, opener.place, "this case has no esac");
    }
    expect(l, "esac", opener);
}

/* The cursor of a lexer, to come back to. */
struct mark {
    const char *at, *end;
    struct shell_place place;
    struct shell_lexer lexer;
};

static struct mark mark_here(const struct shell_lexer *l)
{
    return (struct mark){l->s->at, l->s->end, l->s->place, *l};
}

static void go_back(struct shell_lexer *l, const struct mark *mark)
{
    l->s->at = mark->at;
    l->s->end = mark->end;
    l->s->place = mark->place;
    *l = mark->lexer;
}

static void for_items(struct shell_lexer *l, struct shell_words *items)
{
    if (!shell_token_is(shell_peek(l), "in")) return;
    shell_next(l);
    while (shell_peek(l).kind == SHELL_WORD) {
        const struct shell_token word = shell_next(l);
        if (shell_live(l->s)) shell_expand(l->s, word.raw, word.length, word.place, items);
    }
}

static void for_command(struct shell_lexer *l, struct shell_token opener)
{
    struct shell_state *s = l->s;
    struct shell_words items = {0};
    const struct shell_token name = shell_next(l);
    if (*name.raw == '(') { /* for ((...; ...; ...)) */
        int depth = 1;
        while (depth && shell_peek(l).kind != SHELL_END) {
            const struct shell_token token = shell_next(l);
            depth += shell_token_is(token, "(") - shell_token_is(token, ")");
        }
    } else {
        for_items(l, &items);
    }
    shell_skip_lines(l);
    expect(l, "do", opener);
    const struct mark body = mark_here(l);
    for (size_t i = 0; i < items.count && shell_live(s); i++) {
        const struct shell_word *item = &items.word[i];
        const struct shell_value value = {item->text, item->unknown, item->maybe, item->place};
        if (i) go_back(l, &body);
        shell_assign(s, name.raw, name.length, &value, 1, false, false);
        branch(l, item->unknown || item->maybe ? SHELL_PERHAPS : SHELL_TRUE, opener.place);
    }
    if (!items.count || !shell_live(s)) {
        go_back(l, &body);
        branch(l, *name.raw == '(' ? SHELL_PERHAPS : SHELL_FALSE, opener.place);
    }
    expect(l, "done", opener);
}

static void while_command(struct shell_lexer *l, struct shell_token opener)
{
    l->s->cause = 0;
    const enum shell_truth condition = shell_list(l);
    const bool until = shell_token_is(opener, "until");
    expect(l, "do", opener);
    branch(l, condition == (until ? SHELL_TRUE : SHELL_FALSE) ? SHELL_FALSE : SHELL_PERHAPS,
           opener.place);
    expect(l, "done", opener);
}

/* [[ ... ]]: words are not split, operators are words. */
static enum shell_truth double_test(struct shell_lexer *l, struct shell_token opener)
{
    struct shell_state *s = l->s;
    struct shell_words words = {0};
    for (;;) {
        const struct shell_token token = shell_next(l);
        if (shell_token_is(token, "]]")) break;
        if (token.kind == SHELL_END) {
            shell_fail(s, opener.place, "this [[ has no ]]");
            return SHELL_PERHAPS;
        }
        if (token.kind == SHELL_LINE || !shell_live(s)) continue;
        const struct shell_value value =
            token.kind == SHELL_WORD
                ? shell_expand_one(s, token.raw, token.length, token.place)
                : (struct shell_value){shell_copy(s, token.raw, token.length), 0, 0, token.place};
        struct shell_word *list_of = shell_grow(s, words.word, words.count, sizeof *words.word);
        if (!list_of) return SHELL_PERHAPS;
        words.word = list_of;
        list_of[words.count++] =
            (struct shell_word){.text = value.text,
                                .unknown = value.unknown ? value.unknown : value.maybe,
                                .place = value.place};
    }
    return shell_live(s) ? shell_test(s, words.word, words.count) : SHELL_PERHAPS;
}

/* ((...)), whose first parenthesis was read. */
static enum shell_truth arithmetic_command(struct shell_lexer *l, struct shell_token opener)
{
    struct shell_state *s = l->s;
    size_t unknown = 0;
    const size_t n = shell_span(opener.raw, s->end);
    if (n < 4) {
        shell_fail(s, opener.place, "this (( has no ))");
        return SHELL_PERHAPS;
    }
    l->peeked = false;
    shell_advance(s, n - (size_t)(s->at - opener.raw));
    if (!shell_live(s)) return SHELL_PERHAPS;
    const char *text = shell_copy(s, opener.raw + 2, n - 4);
    for (const char *p = text; *p; p++) /* assignments: what they change is not followed */
        if ((*p == '=' && p[1] != '=' && p > text && !strchr("=!<>", p[-1])) ||
            (strchr("+-", *p) && p[1] == *p))
            return SHELL_PERHAPS;
    const struct shell_value value = shell_expand_one(s, text, strlen(text), opener.place);
    const int64_t result = shell_arithmetic(s, value.text, opener.place, &unknown);
    return unknown || value.unknown ? SHELL_PERHAPS : result ? SHELL_TRUE : SHELL_FALSE;
}

/* ---- commands ---- */

static enum shell_truth group(struct shell_lexer *l, struct shell_token opener)
{
    if (*opener.raw == '(' && opener.raw + 1 < l->s->end && opener.raw[1] == '(')
        return arithmetic_command(l, opener);
    const size_t mark = l->s->assigned;
    const enum shell_truth result = shell_list(l);
    if (*opener.raw == '(') shell_restore(l->s, mark);
    expect(l, *opener.raw == '(' ? ")" : "}", opener);
    return result;
}

static void compound_tail(struct shell_lexer *l)
{
    while (shell_reads_line(shell_peek(l)) && l->s->status == RK_OK) {
        const struct shell_token token = shell_peek(l);
        if (!shell_is_redirection(token) && !shell_is_descriptor(l, token)) return;
        shell_next(l);
        if (shell_is_redirection(token)) shell_redirect(l, token);
    }
}

static bool is_definition(struct shell_lexer *l, struct shell_token name)
{
    return !l->peeked && shell_name_length(name.raw, name.raw + name.length) == name.length &&
           l->s->at + 1 < l->s->end && l->s->at[0] == '(' && l->s->at[1] == ')';
}

static enum shell_truth compound(struct shell_lexer *l, struct shell_token opener)
{
    enum shell_truth result = SHELL_PERHAPS;
    shell_next(l);
    if (shell_token_is(opener, "if"))
        if_command(l, opener);
    else if (shell_token_is(opener, "case"))
        case_command(l, opener);
    else if (shell_token_is(opener, "for") || shell_token_is(opener, "select"))
        for_command(l, opener);
    else if (shell_token_is(opener, "while") || shell_token_is(opener, "until"))
        while_command(l, opener);
    else if (shell_token_is(opener, "[["))
        result = double_test(l, opener);
    else
        result = group(l, opener);
    compound_tail(l);
    return result;
}

static bool opens_compound(struct shell_token token)
{
    static const char *const words[] = {"if",    "case", "for", "select", "while",
                                        "until", "[[",   "(",   "{",      NULL};
    for (int i = 0; words[i]; i++)
        if (shell_token_is(token, words[i])) return true;
    return false;
}

enum shell_truth shell_command(struct shell_lexer *l)
{
    struct shell_state *s = l->s;
    const struct shell_token token = shell_peek(l);
    enum shell_truth result = SHELL_PERHAPS;
    if (++s->steps > SHELL_MAX_STEPS) shell_fail(s, token.place, "the script does not end");
    if (++s->depth > SHELL_MAX_DEPTH) shell_fail(s, token.place, "nested too deeply");
    if (s->status != RK_OK) return result;
    if (token.kind == SHELL_OPERATOR && !shell_token_is(token, "(") &&
        !shell_is_redirection(token)) {
        shell_fail(s, token.place, "a command is expected before %.*s", (int)token.length,
                   token.raw);
    } else if (shell_token_is(token, "function")) {
        shell_next(l);
        const struct shell_token name = shell_next(l);
        if (shell_token_is(shell_peek(l), "(")) {
            shell_next(l);
            expect(l, ")", name);
        }
        shell_define(l, name);
    } else if (token.kind == SHELL_WORD && s->at + 1 < s->end && *s->at == '(') {
        l->peeked = false;
        if (is_definition(l, token)) {
            shell_advance(s, 2);
            shell_define(l, token);
        } else {
            l->peeked = true;
            result = shell_simple(l);
        }
    } else if (opens_compound(token)) {
        result = compound(l, token);
    } else {
        result = shell_simple(l);
    }
    s->depth--;
    return result;
}

static enum shell_truth pipeline(struct shell_lexer *l)
{
    const bool negated = shell_token_is(shell_peek(l), "!");
    if (negated) shell_next(l);
    enum shell_truth result = shell_command(l);
    while (shell_token_is(shell_peek(l), "|") || shell_token_is(shell_peek(l), "|&")) {
        shell_next(l);
        shell_skip_lines(l);
        shell_command(l);
        result = SHELL_PERHAPS;
    }
    if (!negated || result == SHELL_PERHAPS) return result;
    return result == SHELL_TRUE ? SHELL_FALSE : SHELL_TRUE;
}

/* Behind `a &&` whose outcome is not known, b is taken to run, behind `a ||` perhaps. */
static enum shell_truth and_or(struct shell_lexer *l)
{
    struct shell_state *s = l->s;
    enum shell_truth result = pipeline(l);
    for (;;) {
        const struct shell_token token = shell_peek(l);
        const bool and = shell_token_is(token, "&&");
        if ((!and&&!shell_token_is(token, "||")) || s->status != RK_OK) return result;
        shell_next(l);
        shell_skip_lines(l);
        const bool skipped = result == (and? SHELL_FALSE : SHELL_TRUE);
        const bool perhaps = !skipped && !and&&result == SHELL_PERHAPS && shell_live(s);
        const size_t mark = s->assigned;
        const bool before = s->maybe;
        const struct shell_place condition = s->condition;
        s->skip += skipped;
        if (perhaps) {
            s->maybe = true;
            s->condition = token.place;
        }
        const enum shell_truth right = pipeline(l);
        s->skip -= skipped;
        s->maybe = before;
        s->condition = condition;
        if (perhaps) shell_poison(s, mark, token.place, 0);
        if (!skipped) result = result == SHELL_PERHAPS && right != SHELL_FALSE ? result : right;
    }
}

enum shell_truth shell_list(struct shell_lexer *l)
{
    enum shell_truth result = SHELL_TRUE;
    for (;;) {
        while (shell_peek(l).kind == SHELL_LINE || shell_token_is(shell_peek(l), ";") ||
               shell_token_is(shell_peek(l), "&"))
            shell_next(l);
        if (ends_list(shell_peek(l)) || l->s->status != RK_OK) return result;
        result = and_or(l);
    }
}

/* ---- a script ---- */

/* The marks within values, which no text from outside may have. */
static const char *find_mark(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] >= SHELL_MAYBE && text[i] <= SHELL_HOLE) return text + i;
    return NULL;
}

static enum rk_status give(struct shell_state *s, const char *const *sets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *equals = strchr(sets[i], '=');
        if (!equals || equals == sets[i] || find_mark(sets[i], strlen(sets[i])))
            return rk_fail(s->error, RK_USAGE, NULL, 0, 0,
                           "--set: \"%.60s\" is no assignment: give NAME=VALUE", sets[i]);
        const struct shell_value value = {equals + 1, 0, 0, {0, 0}};
        shell_assign(s, sets[i], (size_t)(equals - sets[i]), &value, 1, false, false);
        struct shell_variable *v = shell_find(s, sets[i], (size_t)(equals - sets[i]));
        if (v) v->given = true;
    }
    return s->status;
}

static enum rk_status open_text(struct shell *shell, const char *path, const char *text,
                                size_t size, const char *const *sets, size_t set_count,
                                struct rk_error *error)
{
    *shell = (struct shell){.words = 0};
    snprintf(shell->path, sizeof shell->path, "%s", path);
    struct shell_state *s = calloc(1, sizeof *s);
    if (!s) return rk_fail(error, RK_IO, path, 0, 0, "out of memory");
    shell->state = s;
    *s = (struct shell_state){.shell = shell, .error = error, .place = {1, 1}};
    if (size > SHELL_MAX_BYTES)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "too large for a launch script");
    if (find_mark(text, size))
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "is no text: it has control characters");
    s->at = shell_copy(s, text, size); /* ends in 0, outlives the caller's text */
    s->end = s->at + size;
    return give(s, sets, set_count);
}

enum rk_status shell_read(struct shell *shell, const char *path, const char *text, size_t size,
                          const char *const *sets, size_t set_count, struct rk_error *error)
{
    const enum rk_status status = open_text(shell, path, text, size, sets, set_count, error);
    if (status != RK_OK) return status;
    struct shell_state *s = shell->state;
    struct shell_lexer lexer = {.s = s};
    shell_list(&lexer);
    const struct shell_token rest = shell_peek(&lexer);
    if (s->status == RK_OK && rest.kind != SHELL_END)
        shell_fail(s, rest.place, "'%.*s' ends nothing", (int)(rest.length < 20 ? rest.length : 20),
                   rest.raw);
    return s->status;
}

enum rk_status shell_read_words(struct shell *shell, const char *path, const char *text,
                                size_t size, const char *const *sets, size_t set_count,
                                struct rk_error *error)
{
    struct shell_words words = {0};
    const enum rk_status status = open_text(shell, path, text, size, sets, set_count, error);
    if (status != RK_OK) return status;
    struct shell_state *s = shell->state;
    struct shell_lexer lexer = {.s = s};
    s->bare = true;
    for (;;) {
        const struct shell_token token = shell_next(&lexer);
        if (token.kind == SHELL_END) break;
        if (token.kind == SHELL_WORD) shell_expand(s, token.raw, token.length, token.place, &words);
    }
    if (words.count) shell_record(s, words.word, words.count);
    return s->status;
}
