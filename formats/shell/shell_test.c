/* shell_test.c - conditions: strings and numbers are compared, files are not looked at. */
#include "base/regex.h"
#include "shell/shell_state.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

struct test {
    struct shell_state *s;
    const struct shell_word *next, *end;
    int depth;
};

static bool is(const struct test *t, const char *text)
{
    return t->next < t->end && strcmp(t->next->text, text) == 0;
}

static bool take(struct test *t, const char *text)
{
    if (!is(t, text)) return false;
    t->next++;
    return true;
}

static enum shell_truth truth(bool value)
{
    return value ? SHELL_TRUE : SHELL_FALSE;
}

static enum shell_truth negate(enum shell_truth value)
{
    return value == SHELL_PERHAPS ? value : truth(value == SHELL_FALSE);
}

static const char *const comparisons[] = {"=",   "==",  "!=",  "=~",  "<",   ">", "-eq",
                                          "-ne", "-lt", "-le", "-gt", "-ge", NULL};

static bool is_comparison(const char *text)
{
    for (int i = 0; comparisons[i]; i++)
        if (strcmp(text, comparisons[i]) == 0) return true;
    return false;
}

/* "010" is eight for [[ and ten for [. */
static bool octal(const char *text)
{
    return text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

static enum shell_truth compare_numbers(struct test *t, const struct shell_word *a, const char *op,
                                        const struct shell_word *b)
{
    size_t unknown[2];
    const int64_t x = shell_arithmetic(t->s, a->text, a->place, &unknown[0]);
    const int64_t y = shell_arithmetic(t->s, b->text, b->place, &unknown[1]);
    if (unknown[0] || unknown[1] || octal(a->text) || octal(b->text)) return SHELL_PERHAPS;
    if (strcmp(op, "-eq") == 0) return truth(x == y);
    if (strcmp(op, "-ne") == 0) return truth(x != y);
    if (strcmp(op, "-lt") == 0) return truth(x < y);
    if (strcmp(op, "-le") == 0) return truth(x <= y);
    if (strcmp(op, "-gt") == 0) return truth(x > y);
    return truth(x >= y);
}

/* `[[ 7B =~ ^([0-9]+)B$ ]]`, which leaves its parts in BASH_REMATCH. */
static enum shell_truth search(struct shell_state *s, const struct shell_word *subject,
                               const char *pattern)
{
    enum { PARTS = 10 };
    regmatch_t found[PARTS];
    struct shell_value part[PARTS];
    regex_t expression;
    size_t parts = 0;
    if (regex_compile(&expression, pattern, 0) != 0) return SHELL_PERHAPS;
    const bool matches = regexec(&expression, subject->text, PARTS, found, 0) == 0;
    for (; matches && parts <= expression.re_nsub && parts < PARTS; parts++) {
        const regmatch_t *m = &found[parts];
        part[parts] = (struct shell_value){
            m->rm_so < 0 ? ""
                         : shell_copy(s, subject->text + m->rm_so, (size_t)(m->rm_eo - m->rm_so)),
            0, 0, subject->place};
    }
    regfree(&expression);
    if (matches) shell_assign(s, "BASH_REMATCH", strlen("BASH_REMATCH"), part, parts, true, false);
    return truth(matches);
}

/* An argument of the script, by its number or by the variable that it was assigned to. */
static bool is_argument(const struct shell_unknown *u)
{
    return isdigit((unsigned char)u->name[0]) || strncmp(u->why, "is argument ", 12) == 0;
}

/* Does the branch of the `if` at hand set a variable, and not exit? What is without a value has its
 * default there: `if [ -z "$STAGE" ]; then STAGE=2; fi`. */
static bool branch_sets(const struct shell_state *s)
{
    char text[400];
    const size_t left = (size_t)(s->end - s->at);
    snprintf(text, sizeof text, "%.*s", left < sizeof text ? (int)left : (int)sizeof text - 1,
             s->at);
    char *end = strstr(text, "fi"), *equals = strchr(text, '=');
    const char *then = strstr(text, "then");
    while (end && (isalnum((unsigned char)end[2]) || !strchr(" \t\n;", end[-1])))
        end = strstr(end + 2, "fi");
    if (!then || !end || end < then || !equals) return false;
    *end = '\0';
    return equals > then && equals < end && !strstr(then, "exit");
}

/* "$X" and no more, where the script never sets X, under no name that launchers set; "$1" of a loop
 * over the script's arguments, of which there are none. */
static bool is_unset(struct shell_state *s, const struct shell_word *word)
{
    const struct shell_unknown *u = word->unknown ? &s->shell->unknown[word->unknown - 1] : NULL;
    const bool argument = u && ((s->in_loop_condition && strcmp(u->name, "1") == 0) ||
                                (is_argument(u) && branch_sets(s)));
    if (!u || word->maybe || !(u->unset || argument) || shell_from_outside(u->name)) return false;
    const bool whole = word->text[0] == SHELL_HOLE
                           ? !word->text[SHELL_HOLE_LENGTH]
                           : word->text[0] == '$' && strcmp(word->text + 1, u->name) == 0;
    if (whole) shell_assume(s, u->name, word->place);
    return whole;
}

/* A variable that the script sets only where it does not come, as in a loop over arguments that it
 * has none of: empty. */
static bool is_left_out(struct shell_state *s, const struct shell_word *word)
{
    const struct shell_unknown *u = word->unknown ? &s->shell->unknown[word->unknown - 1] : NULL;
    return u && !is_argument(u) && shell_assigns(s, u->name) && is_unset(s, word);
}

static enum shell_truth compare(struct test *t, const struct shell_word *a, const char *op,
                                const struct shell_word *b)
{
    const struct shell_word empty = {.text = "", .place = a->place};
    const bool with_nothing = !b->unknown && !*b->text; /* as -n and -z ask */
    if (strchr("=!", op[0]) && (is_left_out(t->s, a) || (with_nothing && is_unset(t->s, a))))
        a = &empty;
    if (!b->unknown && strchr("=!", op[0]) && op[1] != '~') shell_asked(t->s, a->unknown, b->text);
    if (a->unknown || b->unknown || a->maybe || b->maybe) return SHELL_PERHAPS;
    if (strcmp(op, "=~") == 0) return search(t->s, a, b->text);
    if (op[0] == '-') return compare_numbers(t, a, op, b);
    if (op[0] == '<') return truth(strcmp(a->text, b->text) < 0);
    if (op[0] == '>') return truth(strcmp(a->text, b->text) > 0);
    const bool same = fnmatch(b->text, a->text, 0) == 0 || strcmp(a->text, b->text) == 0;
    return truth(same == (op[0] == '='));
}

static enum shell_truth disjunction(struct test *t);

/* "-f FILE", which is not looked for: true or false by "@41:17=true", the place of the file. */
static enum shell_truth about_file(struct shell_state *s, const struct shell_word *word)
{
    char name[32];
    snprintf(name, sizeof name, "@%d:%d", word->place.line, word->place.column);
    const struct shell_variable *v = shell_find(s, name, strlen(name));
    if (v && v->set) return truth(strcmp(v->value[0].text, "true") == 0);
    s->cause = shell_unknown(s, name, "is a file that is not looked for", word->place);
    shell_asked(s, s->cause, "true");
    shell_asked(s, s->cause, "false");
    return SHELL_PERHAPS;
}

static enum shell_truth primary(struct test *t)
{
    if (t->next == t->end) return SHELL_FALSE;
    const size_t left = (size_t)(t->end - t->next);
    const struct shell_word *word = t->next;
    if (left >= 3 && is_comparison(word[1].text)) {
        t->next += 3;
        return compare(t, word, word[1].text, word + 2);
    }
    if (++t->depth > SHELL_MAX_DEPTH) {
        t->next = t->end;
        return SHELL_PERHAPS;
    }
    if (left > 1 && take(t, "!")) return negate(primary(t));
    if (left > 1 && take(t, "(")) {
        const enum shell_truth inner = disjunction(t);
        take(t, ")");
        return inner;
    }
    const bool empty = strcmp(word->text, "-z") == 0, full = strcmp(word->text, "-n") == 0;
    const bool unary = word->text[0] == '-' && word->text[1] && !word->text[2];
    t->next++;
    if (unary && left > 1) {
        const bool exists = strcmp(word->text, "-v") == 0;
        word = t->next++;
        if (exists && !word->unknown && !word->maybe) {
            const struct shell_variable *v = shell_find(t->s, word->text, strlen(word->text));
            if (v && v->set) return SHELL_TRUE;
            if (shell_from_outside(word->text)) return SHELL_PERHAPS;
            shell_assume(t->s, word->text, word->place);
            return SHELL_FALSE;
        }
        if ((empty || full) && is_unset(t->s, word)) return truth(empty);
        if (!empty && !full) return about_file(t->s, word);
        if (word->unknown || word->maybe) return SHELL_PERHAPS;
        return truth((*word->text == '\0') == empty);
    }
    if (empty) return SHELL_TRUE; /* `[ -z $X ]` with an empty X */
    return word->unknown || word->maybe ? SHELL_PERHAPS : truth(*word->text != '\0');
}

static enum shell_truth conjunction(struct test *t)
{
    enum shell_truth all = primary(t);
    while (take(t, "&&") || take(t, "-a")) {
        const enum shell_truth next = primary(t);
        if (all == SHELL_TRUE || next == SHELL_FALSE) all = next;
    }
    return all;
}

static enum shell_truth disjunction(struct test *t)
{
    enum shell_truth any = conjunction(t);
    while (take(t, "||") || take(t, "-o")) {
        const enum shell_truth next = conjunction(t);
        if (any == SHELL_FALSE || next == SHELL_TRUE) any = next;
    }
    return any;
}

enum shell_truth shell_test(struct shell_state *s, const struct shell_word *word, size_t count)
{
    struct test t = {s, word, word + count, 0};
    const enum shell_truth value = disjunction(&t);
    if (t.next == t.end && value != SHELL_PERHAPS) return value;
    for (size_t i = 0; i < count && !s->cause; i++)
        s->cause = word[i].unknown ? word[i].unknown : word[i].maybe;
    return SHELL_PERHAPS;
}
