/* shell.c - follows a script statement by statement, without running anything. */
#include "shell/shell.h"
#include "shell/shell_run.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- where we are ---- */

bool shell_live(const struct shell_state *s)
{
    return !s->skip && !s->stopped && !s->returned && !s->breaks && !s->continues &&
           s->status == RK_OK;
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

void shell_expect(struct shell_lexer *l, const char *text, struct shell_token opener)
{
    const struct shell_token token = shell_next(l);
    if (shell_token_is(token, text)) return;
    shell_fail(l->s, token.place, "'%s' is expected here, for the '%.*s' in line %d", text,
               (int)(opener.length < 20 ? opener.length : 20), opener.raw, opener.place.line);
}

/* ---- commands ---- */

static enum shell_truth group(struct shell_lexer *l, struct shell_token opener)
{
    if (*opener.raw == '(' && opener.raw + 1 < l->s->end && opener.raw[1] == '(')
        return shell_arithmetic_command(l, opener);
    const size_t mark = l->s->assigned;
    const enum shell_truth result = shell_list(l);
    if (*opener.raw == '(') shell_restore(l->s, mark);
    shell_expect(l, *opener.raw == '(' ? ")" : "}", opener);
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
    enum shell_truth result = SHELL_LIKELY;
    shell_next(l);
    if (shell_token_is(opener, "if"))
        shell_if_command(l, opener);
    else if (shell_token_is(opener, "case"))
        shell_case_command(l, opener);
    else if (shell_token_is(opener, "for") || shell_token_is(opener, "select"))
        shell_for_command(l, opener);
    else if (shell_token_is(opener, "while") || shell_token_is(opener, "until"))
        shell_while_command(l, opener);
    else if (shell_token_is(opener, "[["))
        result = shell_double_test(l, opener);
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
    enum shell_truth result = SHELL_LIKELY;
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
            shell_expect(l, ")", name);
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

/* "time -p" in front of a command says nothing about it. */
static void skip_time(struct shell_lexer *l)
{
    if (!shell_token_is(shell_peek(l), "time")) return;
    shell_next(l);
    if (shell_token_is(shell_peek(l), "-p")) shell_next(l);
}

static enum shell_truth pipeline(struct shell_lexer *l)
{
    const bool negated = shell_token_is(shell_peek(l), "!");
    if (negated) shell_next(l);
    skip_time(l);
    const size_t mark = l->s->assigned;
    l->s->streams = false;
    enum shell_truth result = shell_command(l);
    const bool piped = shell_token_is(shell_peek(l), "|") || shell_token_is(shell_peek(l), "|&");
    while (shell_token_is(shell_peek(l), "|") || shell_token_is(shell_peek(l), "|&")) {
        shell_next(l);
        shell_skip_lines(l);
        shell_command(l);
        result = SHELL_LIKELY;
    }
    if (piped) shell_restore(l->s, mark); /* each of them is a shell of its own */
    if (!negated) return result;
    return result == SHELL_TRUE ? SHELL_FALSE : result == SHELL_FALSE ? SHELL_TRUE : SHELL_PERHAPS;
}

/* The outcome of `a && b`, `a || b`, of which b was run, or perhaps. */
static enum shell_truth join_truths(bool and, enum shell_truth a, enum shell_truth b)
{
    const enum shell_truth ends = and? SHELL_FALSE : SHELL_TRUE;
    if (a != SHELL_PERHAPS && (and || a != SHELL_LIKELY)) return b;
    return b == ends ? b : a;
}

/* After `a &&` whose outcome is not known, b may or may not run, unless `a` is a command, which is
 * taken to succeed, and not a condition. After `a ||`, b may or may not run. */
static enum shell_truth and_or(struct shell_lexer *l)
{
    struct shell_state *s = l->s;
    const size_t outer = s->cause;
    s->cause = 0;
    enum shell_truth result = pipeline(l);
    for (;;) {
        const struct shell_token token = shell_peek(l);
        const bool and = shell_token_is(token, "&&");
        if (!s->cause) s->cause = outer;
        if ((!and&&!shell_token_is(token, "||")) || s->status != RK_OK) return result;
        shell_next(l);
        shell_skip_lines(l);
        const bool skipped = result == (and? SHELL_FALSE : SHELL_TRUE);
        const bool unsure = result == SHELL_PERHAPS || (result == SHELL_LIKELY && !and);
        const bool perhaps = unsure && shell_live(s);
        const size_t mark = s->assigned, cause = s->cause;
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
        if (perhaps) shell_poison(s, mark, token.place, cause);
        if (!skipped) result = join_truths(and, result, right);
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
            return rk_fail(s->error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "--set: \"%.60s\" is not an assignment: give NAME=VALUE", sets[i]);
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
    if (!s) return rk_fail(error, RK_NO_MEMORY, path, 0, 0, "out of memory");
    shell->state = s;
    *s = (struct shell_state){.shell = shell, .error = error, .place = {1, 1}};
    if (size > SHELL_MAX_BYTES)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "too large for a launch script");
    if (find_mark(text, size))
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "is not text: it has control characters");
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
    s->whole = s->at;
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
