/* shell_compound.c - if, case, for, while, [[ ]] and (( )). */
#include "shell/shell_run.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    const size_t mark = s->assigned, cause = s->cause, reason = s->reason;
    s->maybe = true;
    s->condition = place;
    s->reason = cause;
    shell_list(l);
    s->reason = reason;
    shell_poison(s, mark, place, cause);
    s->maybe = before;
    s->condition = condition;
    return SHELL_PERHAPS;
}

/* ---- if, case, for, while ---- */

/* Of a command that is taken to succeed, as a condition nothing is known. */
static enum shell_truth as_condition(enum shell_truth value)
{
    return value == SHELL_LIKELY ? SHELL_PERHAPS : value;
}

void shell_if_command(struct shell_lexer *l, struct shell_token opener)
{
    enum shell_truth taken = SHELL_FALSE;
    bool more = true;
    const bool usage = l->s->usage;
    while (more && l->s->status == RK_OK) {
        enum shell_truth when = SHELL_FALSE;
        if (taken == SHELL_TRUE) l->s->skip++;
        l->s->cause = 0;
        l->s->counted = false;
        when = as_condition(shell_list(l));
        l->s->usage = usage || l->s->counted;
        if (taken == SHELL_TRUE) l->s->skip--;
        shell_expect(l, "then", opener);
        if (taken == SHELL_TRUE) when = SHELL_FALSE;
        if (taken == SHELL_PERHAPS && when == SHELL_TRUE) when = SHELL_PERHAPS;
        branch(l, when, opener.place);
        l->s->usage = usage;
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
    shell_expect(l, "fi", opener);
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
        if (!text.unknown) shell_asked(s, subject->unknown, text.text);
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

void shell_case_command(struct shell_lexer *l, struct shell_token opener)
{
    const struct shell_token word = shell_next(l);
    struct shell_value subject = {"", 0, 0, word.place};
    enum shell_truth taken = SHELL_FALSE;
    if (shell_live(l->s)) subject = shell_expand_one(l->s, word.raw, word.length, word.place);
    shell_skip_lines(l);
    shell_expect(l, "in", opener);
    shell_skip_lines(l);
    bool through = false; /* ";&": the next one is run as well */
    while (!shell_token_is(shell_peek(l), "esac") && l->s->status == RK_OK) {
        enum shell_truth when = case_patterns(l, &subject);
        if (through) {
            when = taken;
            taken = SHELL_FALSE;
        }
        if (taken == SHELL_TRUE) when = SHELL_FALSE;
        if (taken == SHELL_PERHAPS && when == SHELL_TRUE) when = SHELL_PERHAPS;
        branch(l, when, opener.place);
        if (when != SHELL_FALSE && taken != SHELL_TRUE) taken = when;
        const struct shell_token end = shell_peek(l);
        if (end.kind == SHELL_OPERATOR && *end.raw == ';') shell_next(l);
        through = when != SHELL_FALSE && shell_token_is(end, ";&");
        shell_skip_lines(l);
        if (shell_peek(l).kind == SHELL_END)
            shell_fail(l->s, opener.place, "this case has no esac");
    }
    shell_expect(l, "esac", opener);
}

enum { MOST_TURNS = 1024 }; /* of a loop; no script that is meant has more */

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

/* "{1..4}" as its numbers; false: it is none. */
static bool range_items(struct shell_state *s, struct shell_token word, struct shell_words *items)
{
    long long from, to;
    char text[40], close = 0;
    int used = 0;
    if (word.length >= sizeof text || *word.raw != '{') return false;
    snprintf(text, sizeof text, "%.*s", (int)word.length, word.raw);
    if (sscanf(text, "{%lld..%lld%c%n", &from, &to, &close, &used) != 3 || close != '}' ||
        text[used] || llabs(to - from) > MOST_TURNS)
        return false;
    for (long long i = from;; i += from <= to ? 1 : -1) {
        snprintf(text, sizeof text, "%lld", i);
        shell_expand(s, shell_copy(s, text, strlen(text)), strlen(text), word.place, items);
        if (i == to) return true;
    }
}

static void for_items(struct shell_lexer *l, struct shell_words *items)
{
    if (!shell_token_is(shell_peek(l), "in")) return;
    shell_next(l);
    while (shell_peek(l).kind == SHELL_WORD) {
        const struct shell_token word = shell_next(l);
        if (shell_live(l->s) && !range_items(l->s, word, items))
            shell_expand(l->s, word.raw, word.length, word.place, items);
    }
}

/* After an iteration of a loop: does it continue? Keeps a `break` or `continue` of outer loops. */
static bool goes_on(struct shell_state *s)
{
    if (s->continues && --s->continues == 0) return shell_live(s);
    if (s->breaks)
        s->breaks--;
    else if (!s->continues)
        return shell_live(s);
    return false;
}

/* What a loop assigned, out of which it may have broken. */
static void end_loop(struct shell_lexer *l, size_t mark, struct shell_token opener, bool before)
{
    if (l->s->loose) shell_poison(l->s, mark, opener.place, l->s->cause);
    l->s->loose = before;
    shell_expect(l, "done", opener);
}

static void for_words(struct shell_lexer *l, struct shell_token opener, struct shell_token name,
                      const struct shell_words *items)
{
    struct shell_state *s = l->s;
    const size_t assigned = s->assigned;
    const bool loose = s->loose;
    shell_skip_lines(l);
    shell_expect(l, "do", opener);
    const struct mark body = mark_here(l);
    bool more = shell_live(s);
    s->loose = false;
    for (size_t i = 0; i < items->count && more; i++) {
        const struct shell_word *item = &items->word[i];
        const struct shell_value value = {item->text, item->unknown, item->maybe, item->place};
        if (i) go_back(l, &body);
        shell_assign(s, name.raw, name.length, &value, 1, false, false);
        branch(l, item->unknown || item->maybe ? SHELL_PERHAPS : SHELL_TRUE, opener.place);
        more = goes_on(s);
    }
    if (!items->count || s->status != RK_OK) branch(l, SHELL_FALSE, opener.place);
    end_loop(l, assigned, opener, loose);
}

/* The next part of "(i = 0; i < 4; i++)", from *at on. */
static struct shell_value loop_part(struct shell_state *s, const char **at, const char *end,
                                    struct shell_place place)
{
    const char *semicolon = memchr(*at, ';', (size_t)(end - *at));
    const char *stop = semicolon ? semicolon : end;
    const struct shell_value value = {shell_copy(s, *at, (size_t)(stop - *at)), 0, 0, place};
    *at = semicolon ? semicolon + 1 : end;
    return value;
}

static int64_t compute(struct shell_state *s, const struct shell_value *raw, size_t *unknown)
{
    const struct shell_value text = shell_expand_one(s, raw->text, strlen(raw->text), raw->place);
    *unknown = text.unknown ? text.unknown : text.maybe;
    return *unknown ? 0 : shell_arithmetic(s, text.text, raw->place, unknown);
}

/* for ((...; ...; ...)) */
static void for_numbers(struct shell_lexer *l, struct shell_token opener, struct shell_token head)
{
    struct shell_state *s = l->s;
    const size_t n = shell_span(head.raw, s->end), assigned = s->assigned;
    const bool loose = s->loose;
    size_t unknown = 0;
    if (n < 4 || head.raw[1] != '(') {
        shell_fail(s, head.place, "this (( has no ))");
        return;
    }
    const char *at = head.raw + 2, *end = head.raw + n - 2;
    const struct shell_value first = loop_part(s, &at, end, head.place);
    const struct shell_value condition = loop_part(s, &at, end, head.place);
    const struct shell_value step = loop_part(s, &at, end, head.place);
    l->peeked = false;
    shell_advance(s, n - (size_t)(s->at - head.raw));
    shell_skip_lines(l);
    shell_expect(l, "do", opener);
    const struct mark body = mark_here(l);
    bool more = shell_live(s), ran = false;
    s->loose = false;
    if (more) compute(s, &first, &unknown);
    for (int turns = 0; more; turns++) {
        const bool so = !*condition.text || compute(s, &condition, &unknown) || unknown;
        if (!so) break;
        if (ran) go_back(l, &body);
        ran = true;
        if (turns > MOST_TURNS) unknown = s->cause; /* it continues as it likes */
        branch(l, unknown || turns > MOST_TURNS ? SHELL_PERHAPS : SHELL_TRUE, opener.place);
        more = goes_on(s) && !unknown && turns <= MOST_TURNS;
        if (more) compute(s, &step, &unknown);
    }
    if (!ran || s->status != RK_OK) branch(l, SHELL_FALSE, opener.place);
    end_loop(l, assigned, opener, loose);
}

void shell_for_command(struct shell_lexer *l, struct shell_token opener)
{
    struct shell_words items = {0};
    const struct shell_token name = shell_next(l);
    if (*name.raw == '(') {
        for_numbers(l, opener, name);
    } else {
        for_items(l, &items);
        for_words(l, opener, name, &items);
    }
}

void shell_while_command(struct shell_lexer *l, struct shell_token opener)
{
    struct shell_state *s = l->s;
    const bool until = shell_token_is(opener, "until"), loose = s->loose;
    const struct mark head = mark_here(l);
    const size_t assigned = s->assigned;
    enum shell_truth when = SHELL_TRUE;
    s->loose = false;
    for (int turns = 0;; turns++) {
        if (turns) go_back(l, &head);
        s->cause = 0;
        s->in_loop_condition = true;
        when = as_condition(shell_list(l));
        s->in_loop_condition = false;
        if (until && when != SHELL_PERHAPS) when = when == SHELL_TRUE ? SHELL_FALSE : SHELL_TRUE;
        if (turns > MOST_TURNS) when = SHELL_PERHAPS;
        shell_expect(l, "do", opener);
        const size_t mark = s->assigned;
        const bool live = shell_live(s);
        branch(l, when, opener.place);
        if (!live || !goes_on(s) || when != SHELL_TRUE || s->loose || s->assigned == mark) break;
    }
    end_loop(l, assigned, opener, loose);
}

/* The expression after `=~`, which has parentheses and bars of its own. */
static struct shell_token read_expression(struct shell_lexer *l)
{
    struct shell_state *s = l->s;
    struct shell_token token = {SHELL_WORD, s->at, 0, s->place};
    int depth = 0;
    size_t n = 0;
    if (l->peeked) return shell_next(l);
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
        shell_advance(s, 1);
    token.raw = s->at;
    token.place = s->place;
    for (; s->at + n < s->end; n++) {
        const char c = s->at[n];
        if (c == '\\' && s->at + n + 1 < s->end) {
            n++;
            continue;
        }
        if (c == '\n' || (!depth && (c == ' ' || c == '\t'))) break;
        const size_t span = c == '"' || c == '\'' ? shell_span(s->at + n, s->end) : 0;
        n += span ? span - 1 : 0;
        depth += (c == '(') - (c == ')');
    }
    shell_advance(s, n);
    token.length = n;
    return token;
}

enum shell_truth shell_double_test(struct shell_lexer *l, struct shell_token opener)
{
    struct shell_state *s = l->s;
    struct shell_words words = {0};
    bool expression = false; /* comes next */
    for (;;) {
        const struct shell_token token = expression ? read_expression(l) : shell_next(l);
        if (!expression && shell_token_is(token, "]]")) break;
        expression = shell_token_is(token, "=~");
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

enum shell_truth shell_arithmetic_command(struct shell_lexer *l, struct shell_token opener)
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
    const struct shell_value text = {shell_copy(s, opener.raw + 2, n - 4), 0, 0, opener.place};
    const int64_t result = compute(s, &text, &unknown);
    if (unknown && !s->cause) s->cause = unknown;
    return unknown ? SHELL_PERHAPS : result ? SHELL_TRUE : SHELL_FALSE;
}
