/* shell.c - follows a script statement by statement, without running anything. */
#include "interop/shell.h"
#include "interop/shell_lex.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- where we are ---- */

static bool live(const struct shell_state *s)
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

static enum shell_truth list(struct shell_lexer *l);
static enum shell_truth command(struct shell_lexer *l);

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
    if (when == SHELL_TRUE) return list(l);
    if (when == SHELL_FALSE || !live(s)) {
        s->skip++;
        list(l);
        s->skip--;
        return SHELL_FALSE;
    }
    const bool before = s->maybe;
    const struct shell_place condition = s->condition;
    const size_t mark = s->assigned;
    s->maybe = true;
    s->condition = place;
    list(l);
    shell_poison(s, mark, place);
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
        when = list(l);
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

static void skip_lines(struct shell_lexer *l)
{
    while (shell_peek(l).kind == SHELL_LINE || shell_token_is(shell_peek(l), ";"))
        shell_next(l);
}

static enum shell_truth matches(struct shell_state *s, const struct shell_value *subject,
                                struct shell_token pattern)
{
    if (!live(s)) return SHELL_FALSE;
    const struct shell_value text = shell_expand_one(s, pattern.raw, pattern.length, pattern.place);
    if (strcmp(text.text, "*") == 0) return SHELL_TRUE;
    if (subject->unknown || subject->maybe || text.unknown) return SHELL_PERHAPS;
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
    if (live(l->s)) subject = shell_expand_one(l->s, word.raw, word.length, word.place);
    skip_lines(l);
    expect(l, "in", opener);
    skip_lines(l);
    while (!shell_token_is(shell_peek(l), "esac") && l->s->status == RK_OK) {
        enum shell_truth when = case_patterns(l, &subject);
        if (taken == SHELL_TRUE) when = SHELL_FALSE;
        if (taken == SHELL_PERHAPS && when == SHELL_TRUE) when = SHELL_PERHAPS;
        branch(l, when, opener.place);
        if (when != SHELL_FALSE && taken != SHELL_TRUE) taken = when;
        const struct shell_token end = shell_peek(l);
        if (end.kind == SHELL_OPERATOR && *end.raw == ';') shell_next(l);
        skip_lines(l);
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
        if (live(l->s)) shell_expand(l->s, word.raw, word.length, word.place, items);
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
    skip_lines(l);
    expect(l, "do", opener);
    const struct mark body = mark_here(l);
    for (size_t i = 0; i < items.count && live(s); i++) {
        const struct shell_word *item = &items.word[i];
        const struct shell_value value = {item->text, item->unknown, item->maybe, item->place};
        if (i) go_back(l, &body);
        shell_assign(s, name.raw, name.length, &value, 1, false, false);
        branch(l, item->unknown || item->maybe ? SHELL_PERHAPS : SHELL_TRUE, opener.place);
    }
    if (!items.count || !live(s)) {
        go_back(l, &body);
        branch(l, *name.raw == '(' ? SHELL_PERHAPS : SHELL_FALSE, opener.place);
    }
    expect(l, "done", opener);
}

static void while_command(struct shell_lexer *l, struct shell_token opener)
{
    const enum shell_truth condition = list(l);
    const bool until = shell_token_is(opener, "until");
    expect(l, "do", opener);
    branch(l, condition == (until ? SHELL_TRUE : SHELL_FALSE) ? SHELL_FALSE : SHELL_PERHAPS,
           opener.place);
    expect(l, "done", opener);
}

/* ---- functions ---- */

static void define(struct shell_lexer *l, struct shell_token name)
{
    struct shell_state *s = l->s;
    skip_lines(l);
    const struct shell_token opener = shell_peek(l);
    if (live(s)) {
        struct shell_function *functions =
            shell_grow(s, s->function, s->functions, sizeof *s->function);
        if (!functions) return;
        s->function = functions;
        functions[s->functions++] = (struct shell_function){shell_copy(s, name.raw, name.length),
                                                            opener.raw, s->end, opener.place};
    }
    s->skip++;
    command(l);
    s->skip--;
}

static const struct shell_function *find_function(const struct shell_state *s, const char *name)
{
    for (size_t i = s->functions; i-- > 0;)
        if (strcmp(s->function[i].name, name) == 0) return &s->function[i];
    return NULL;
}

/* Reads text from elsewhere in the place of this command. */
static void run_text(struct shell_state *s, const char *at, const char *end,
                     struct shell_place place, bool fixed, bool all)
{
    const struct shell_state before = *s;
    struct shell_lexer inner = {.s = s};
    if (++s->depth > SHELL_MAX_DEPTH) {
        shell_fail(s, place, "commands that call each other without end");
        return;
    }
    s->at = at;
    s->end = end;
    s->place = place;
    s->fixed_place = fixed || before.fixed_place;
    if (all) {
        while (shell_peek(&inner).kind != SHELL_END && s->status == RK_OK) {
            list(&inner);
            if (shell_peek(&inner).kind != SHELL_END) shell_next(&inner);
        }
    } else {
        command(&inner);
    }
    s->at = before.at;
    s->end = before.end;
    s->place = before.place;
    s->fixed_place = before.fixed_place;
    s->depth = before.depth;
}

static void call(struct shell_state *s, const struct shell_function *function,
                 struct shell_word *words, size_t count)
{
    struct shell_word *const argument = s->argument;
    const size_t arguments = s->arguments;
    s->argument = words;
    s->arguments = count;
    run_text(s, function->body, function->end, function->place, false, false);
    s->argument = argument;
    s->arguments = arguments;
    s->returned = false;
}

/* ---- simple commands ---- */

/* Length of "NAME=", "NAME+=" or "NAME[...]=" at the start of a word; 0: none. */
static size_t assignment_length(struct shell_token token, bool *append, bool *element)
{
    const char *end = token.raw + token.length;
    size_t n = shell_name_length(token.raw, end);
    *append = *element = false;
    if (!n) return 0;
    if (n < token.length && token.raw[n] == '[') {
        const char *close = memchr(token.raw + n, ']', token.length - n);
        if (!close) return 0;
        n = (size_t)(close - token.raw) + 1;
        *element = true;
    }
    if (n < token.length && token.raw[n] == '+') {
        *append = true;
        n++;
    }
    return n < token.length && token.raw[n] == '=' ? n + 1 : 0;
}

static void assign_array(struct shell_lexer *l, const char *name, size_t length, bool append)
{
    struct shell_state *s = l->s;
    const struct shell_token opener = shell_next(l); /* ( */
    struct shell_words words = {0};
    for (;;) {
        const struct shell_token token = shell_next(l);
        if (shell_token_is(token, ")")) break;
        if (token.kind == SHELL_LINE) continue;
        if (token.kind != SHELL_WORD) {
            shell_fail(s, token.place,
                       token.kind == SHELL_END
                           ? "the array that begins in line %d is not closed"
                           : "an operator within the array that begins in line %d: quote it",
                       opener.place.line);
            return;
        }
        if (live(s)) shell_expand(s, token.raw, token.length, token.place, &words);
    }
    if (!live(s)) return;
    struct shell_value *values = shell_alloc(s, (words.count + 1) * sizeof *values);
    for (size_t i = 0; values && i < words.count; i++)
        values[i] = (struct shell_value){words.word[i].text, words.word[i].unknown,
                                         words.word[i].maybe, words.word[i].place};
    if (values) shell_assign(s, name, length, values, words.count, true, append);
}

/* Carries out an assignment whose word was just read; false when it is none. */
static bool assign(struct shell_lexer *l, struct shell_token token)
{
    struct shell_state *s = l->s;
    bool append, element;
    const size_t n = assignment_length(token, &append, &element);
    if (!n) return false;
    const size_t name = shell_name_length(token.raw, token.raw + token.length);
    const bool array = n == token.length && s->at < s->end && *s->at == '(' && !l->peeked;
    if (array) {
        assign_array(l, token.raw, name, append);
        return true;
    }
    if (!live(s)) return true;
    const struct shell_place place = {token.place.line, token.place.column + (int)n};
    struct shell_value value =
        shell_expand_one(s, token.raw + n, token.length - n, s->fixed_place ? token.place : place);
    if (element) {
        const char *copy = shell_copy(s, token.raw, name);
        value.unknown =
            shell_unknown(s, copy, "is set element by element, which is not followed", token.place);
    }
    shell_assign(s, token.raw, name, &value, 1, false, append);
    return true;
}

static void redirect(struct shell_lexer *l, struct shell_token operator)
{
    const struct shell_token target = shell_next(l);
    if (target.kind != SHELL_WORD)
        shell_fail(l->s, target.place, "a name is expected behind %.*s",
                   (int)operator.length, operator.raw);
    else if (shell_token_is(operator, "<<") || shell_token_is(operator, "<<-"))
        shell_heredoc(l, operator.length == 3, target);
}

static bool is_redirection(struct shell_token token)
{
    return token.kind == SHELL_OPERATOR &&
           (memchr(token.raw, '<', token.length) || memchr(token.raw, '>', token.length));
}

/* "2" of "2>&1" */
static bool is_descriptor(const struct shell_lexer *l, struct shell_token token)
{
    for (size_t i = 0; i < token.length; i++)
        if (!isdigit((unsigned char)token.raw[i])) return false;
    return l->s->at < l->s->end && (*l->s->at == '<' || *l->s->at == '>');
}

static bool declares(struct shell_token token)
{
    static const char *const words[] = {"export", "declare", "local", "readonly", "typeset", NULL};
    for (int i = 0; words[i]; i++)
        if (shell_token_is(token, words[i])) return true;
    return false;
}

static bool reads_line(struct shell_token token)
{
    return token.kind == SHELL_WORD || is_redirection(token);
}

/* The words of a simple command; assignments are carried out on the way. */
static void read_words(struct shell_lexer *l, struct shell_words *words)
{
    struct shell_state *s = l->s;
    const bool declaration = declares(shell_peek(l));
    bool first = true; /* no word yet: assignments are */
    while (reads_line(shell_peek(l)) && s->status == RK_OK) {
        const struct shell_token token = shell_next(l);
        if (is_redirection(token)) {
            redirect(l, token);
        } else if ((first || declaration) && assign(l, token)) {
            /* done */
        } else if (!is_descriptor(l, token)) {
            first = false;
            if (live(s)) shell_expand(s, token.raw, token.length, token.place, words);
        }
    }
}

static void record(struct shell_state *s, const struct shell_word *words, size_t count)
{
    struct shell *shell = s->shell;
    struct shell_command *commands =
        shell_grow(s, shell->command, shell->commands, sizeof *shell->command);
    if (!commands) return;
    shell->command = commands;
    commands[shell->commands++] =
        (struct shell_command){shell->words, s->prefixes + count, s->maybe, s->condition};
    for (size_t i = 0; i < s->prefixes + count; i++) {
        struct shell_word *all = shell_grow(s, shell->word, shell->words, sizeof *shell->word);
        if (!all) return;
        shell->word = all;
        all[shell->words++] = i < s->prefixes ? s->prefix[i] : words[i - s->prefixes];
    }
}

static bool ends_in(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcmp(text + n - m, ending) == 0;
}

/* The text that `bash -c` in front of it runs; 0: none. */
static size_t shell_text(const struct shell_word *words, size_t count, size_t *shell)
{
    for (size_t i = 0; i + 2 < count; i++) {
        const char *name = strrchr(words[i].text, '/');
        name = name ? name + 1 : words[i].text;
        if (strcmp(name, "bash") != 0 && strcmp(name, "sh") != 0) continue;
        *shell = i;
        for (size_t k = i + 1; k + 1 < count && words[k].text[0] == '-'; k++)
            if (ends_in(words[k].text, "c")) return k + 1;
    }
    return 0;
}

static void run_nested(struct shell_state *s, const struct shell_word *words, size_t prefixes,
                       const struct shell_word *text)
{
    const struct shell_word *const before = s->prefix;
    const size_t had = s->prefixes;
    struct shell_word *all = shell_alloc(s, (had + prefixes + 1) * sizeof *all);
    if (!all) return;
    if (had) memcpy(all, before, had * sizeof *all);
    if (prefixes) memcpy(all + had, words, prefixes * sizeof *all);
    s->prefix = all;
    s->prefixes = had + prefixes;
    run_text(s, text->text, text->text + strlen(text->text), text->place, true, true);
    s->prefix = before;
    s->prefixes = had;
}

static void run_eval(struct shell_state *s, const struct shell_word *words, size_t count)
{
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += strlen(words[i].text) + 1;
    char *text = shell_alloc(s, length + 1);
    if (!text) return;
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, length + 1 - used, "%s ", words[i].text);
    const struct shell_word all = {.text = text, .place = words[0].place};
    run_nested(s, NULL, 0, &all);
}

static void forget(struct shell_state *s, const struct shell_word *words, size_t count,
                   const char *why)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = words[i].text;
        if (*name == '-' || !*name || shell_name_length(name, name + strlen(name)) != strlen(name))
            continue;
        const struct shell_value value = {"", why ? shell_unknown(s, name, why, words[i].place) : 0,
                                          0, words[i].place};
        shell_assign(s, name, strlen(name), &value, 1, false, false);
        struct shell_variable *v = shell_find(s, name, strlen(name));
        if (v && !why && !v->given) v->set = false;
    }
}

static enum shell_truth run_simple(struct shell_state *s, struct shell_word *words, size_t count)
{
    const char *name = words[0].text;
    const struct shell_function *function = find_function(s, name);
    size_t shell;
    if (strcmp(name, "[") == 0 && count > 1 && strcmp(words[count - 1].text, "]") == 0)
        return shell_test(s, words + 1, count - 2);
    if (strcmp(name, "test") == 0) return shell_test(s, words + 1, count - 1);
    if (strcmp(name, "true") == 0 || strcmp(name, ":") == 0) return SHELL_TRUE;
    if (strcmp(name, "false") == 0) return SHELL_FALSE;
    if (function) {
        call(s, function, words + 1, count - 1);
    } else if (strcmp(name, "exit") == 0) {
        s->stopped |= !s->maybe;
    } else if (strcmp(name, "return") == 0) {
        s->returned |= !s->maybe;
    } else if (strcmp(name, "eval") == 0 && count > 1) {
        run_eval(s, words + 1, count - 1);
    } else if (strcmp(name, "unset") == 0) {
        forget(s, words + 1, count - 1, NULL);
    } else if (strcmp(name, "read") == 0) {
        forget(s, words + 1, count - 1, "is read from a file or a person");
    } else {
        const size_t text = shell_text(words, count, &shell);
        if (text)
            run_nested(s, words, shell, &words[text]);
        else
            record(s, words, count);
    }
    return SHELL_PERHAPS;
}

static enum shell_truth simple(struct shell_lexer *l)
{
    struct shell_words words = {0};
    read_words(l, &words);
    if (!live(l->s)) return SHELL_PERHAPS;
    return words.count ? run_simple(l->s, words.word, words.count) : SHELL_TRUE;
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
        if (token.kind == SHELL_LINE || !live(s)) continue;
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
    return live(s) ? shell_test(s, words.word, words.count) : SHELL_PERHAPS;
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
    if (!live(s)) return SHELL_PERHAPS;
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
    const enum shell_truth result = list(l);
    expect(l, *opener.raw == '(' ? ")" : "}", opener);
    return result;
}

static void compound_tail(struct shell_lexer *l)
{
    while (reads_line(shell_peek(l)) && l->s->status == RK_OK) {
        const struct shell_token token = shell_peek(l);
        if (!is_redirection(token) && !is_descriptor(l, token)) return;
        shell_next(l);
        if (is_redirection(token)) redirect(l, token);
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

static enum shell_truth command(struct shell_lexer *l)
{
    struct shell_state *s = l->s;
    const struct shell_token token = shell_peek(l);
    enum shell_truth result = SHELL_PERHAPS;
    if (++s->steps > SHELL_MAX_STEPS) shell_fail(s, token.place, "the script does not end");
    if (++s->depth > SHELL_MAX_DEPTH) shell_fail(s, token.place, "nested too deeply");
    if (s->status != RK_OK) return result;
    if (token.kind == SHELL_OPERATOR && !shell_token_is(token, "(") && !is_redirection(token)) {
        shell_fail(s, token.place, "a command is expected before %.*s", (int)token.length,
                   token.raw);
    } else if (shell_token_is(token, "function")) {
        shell_next(l);
        const struct shell_token name = shell_next(l);
        if (shell_token_is(shell_peek(l), "(")) {
            shell_next(l);
            expect(l, ")", name);
        }
        define(l, name);
    } else if (token.kind == SHELL_WORD && s->at + 1 < s->end && *s->at == '(') {
        l->peeked = false;
        if (is_definition(l, token)) {
            shell_advance(s, 2);
            define(l, token);
        } else {
            l->peeked = true;
            result = simple(l);
        }
    } else if (opens_compound(token)) {
        result = compound(l, token);
    } else {
        result = simple(l);
    }
    s->depth--;
    return result;
}

static enum shell_truth pipeline(struct shell_lexer *l)
{
    const bool negated = shell_token_is(shell_peek(l), "!");
    if (negated) shell_next(l);
    enum shell_truth result = command(l);
    while (shell_token_is(shell_peek(l), "|") || shell_token_is(shell_peek(l), "|&")) {
        shell_next(l);
        skip_lines(l);
        command(l);
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
        skip_lines(l);
        const bool skipped = result == (and? SHELL_FALSE : SHELL_TRUE);
        const bool perhaps = !skipped && !and&&result == SHELL_PERHAPS && live(s);
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
        if (perhaps) shell_poison(s, mark, token.place);
        if (!skipped) result = result == SHELL_PERHAPS && right != SHELL_FALSE ? result : right;
    }
}

static enum shell_truth list(struct shell_lexer *l)
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

enum rk_status shell_read(struct shell *shell, const char *path, const char *text, size_t size,
                          const char *const *sets, size_t set_count, struct rk_error *error)
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
    const char *copy = shell_copy(s, text, size); /* ends in 0, outlives the caller's text */
    enum rk_status status = give(s, sets, set_count);
    if (status != RK_OK) return status;
    struct shell_lexer lexer = {.s = s};
    s->at = copy;
    s->end = copy + size;
    list(&lexer);
    const struct shell_token rest = shell_peek(&lexer);
    if (s->status == RK_OK && rest.kind != SHELL_END)
        shell_fail(s, rest.place, "'%.*s' ends nothing", (int)(rest.length < 20 ? rest.length : 20),
                   rest.raw);
    return s->status;
}
