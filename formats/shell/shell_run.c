/* shell_run.c - simple commands of a script that is read: assignments, functions, `bash -c`. */
#include "shell/shell_run.h"

#include "base/text.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* ---- functions ---- */

void shell_define(struct shell_lexer *l, struct shell_token name)
{
    struct shell_state *s = l->s;
    shell_skip_lines(l);
    const struct shell_token opener = shell_peek(l);
    if (shell_live(s)) {
        struct shell_function *functions =
            shell_grow(s, s->function, s->functions, sizeof *s->function);
        if (!functions) return;
        s->function = functions;
        functions[s->functions++] = (struct shell_function){shell_copy(s, name.raw, name.length),
                                                            opener.raw, s->end, opener.place};
    }
    s->skip++;
    shell_command(l);
    s->skip--;
}

static const struct shell_function *find_function(const struct shell_state *s, const char *name)
{
    for (size_t i = s->functions; i-- > 0;)
        if (strcmp(s->function[i].name, name) == 0) return &s->function[i];
    return NULL;
}

/* Reads text from elsewhere in the place of this command. */
static enum shell_truth run_text(struct shell_state *s, const char *at, const char *end,
                                 struct shell_place place, bool fixed, bool all)
{
    enum shell_truth result = SHELL_LIKELY;
    const struct shell_state before = *s;
    struct shell_lexer inner = {.s = s};
    if (++s->depth > SHELL_MAX_DEPTH) {
        shell_fail(s, place, "commands that call each other without end");
        return result;
    }
    s->at = at;
    s->end = end;
    s->place = place;
    s->fixed_place = fixed || before.fixed_place;
    if (all) {
        while (shell_peek(&inner).kind != SHELL_END && s->status == RK_OK) {
            result = shell_list(&inner);
            if (shell_peek(&inner).kind != SHELL_END) shell_next(&inner);
        }
    } else {
        result = shell_command(&inner);
    }
    s->at = before.at;
    s->end = before.end;
    s->place = before.place;
    s->fixed_place = before.fixed_place;
    s->depth = before.depth;
    return result;
}

static enum shell_truth call(struct shell_state *s, const struct shell_function *function,
                             struct shell_word *words, size_t count)
{
    struct shell_word *const argument = s->argument;
    const size_t arguments = s->arguments;
    const size_t locals = s->locals;
    s->argument = words;
    s->arguments = count;
    s->calls++;
    const enum shell_truth result =
        run_text(s, function->body, function->end, function->place, false, false);
    s->calls--;
    shell_take_back(s, locals);
    s->argument = argument;
    s->arguments = arguments;
    if (!s->returned) return result;
    s->returned = false;
    return (enum shell_truth)s->answer;
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

/* "[7b]=32 [13b]=40": every word has a key. */
static bool keyed_words(const struct shell_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->word[i].text[0] != '[' || !strstr(words->word[i].text, "]=")) return false;
    return words->count > 0;
}

static void assign_keyed(struct shell_state *s, const char *name, size_t length,
                         const struct shell_words *words, bool append)
{
    if (!append) shell_assign(s, name, length, NULL, 0, true, false);
    struct shell_variable *v = shell_find(s, name, length);
    if (v && s->keyed && !append) v->keyed = true;
    for (size_t i = 0; i < words->count; i++) {
        const struct shell_word *word = &words->word[i];
        const char *close = strstr(word->text, "]=");
        const struct shell_value key = {
            shell_copy(s, word->text + 1, (size_t)(close - word->text) - 1), 0, 0, word->place};
        const struct shell_value value = {close + 2, word->unknown, word->maybe, word->place};
        shell_assign_element(s, name, length, &key, &value, false);
    }
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
        if (shell_live(s)) shell_expand(s, token.raw, token.length, token.place, &words);
    }
    if (!shell_live(s)) return;
    if (keyed_words(&words)) {
        assign_keyed(s, name, length, &words, append);
        return;
    }
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
    if (!shell_live(s)) return true;
    const struct shell_place place = {token.place.line, token.place.column + (int)n};
    const struct shell_value value =
        shell_expand_one(s, token.raw + n, token.length - n, s->fixed_place ? token.place : place);
    if (element) {
        const size_t close = n - 1 - append - 1;
        const struct shell_value key =
            shell_expand_one(s, token.raw + name + 1, close - name - 1, token.place);
        shell_assign_element(s, token.raw, name, &key, &value, append);
        return true;
    }
    shell_assign(s, token.raw, name, &value, 1, false, append);
    return true;
}

struct shell_token shell_redirect(struct shell_lexer *l, struct shell_token operator)
{
    const struct shell_token target = shell_next(l);
    if (target.kind != SHELL_WORD)
        shell_fail(l->s, target.place,
                   "a file's name is expected after %.*s: is this a script of sh or bash?",
                   (int)operator.length, operator.raw);
    else if (shell_token_is(operator, "<<") || shell_token_is(operator, "<<-"))
        shell_heredoc(l, operator.length == 3, target);
    return target;
}

bool shell_is_redirection(struct shell_token token)
{
    return token.kind == SHELL_OPERATOR &&
           (memchr(token.raw, '<', token.length) || memchr(token.raw, '>', token.length));
}

/* "2" of "2>&1" */
bool shell_is_descriptor(const struct shell_lexer *l, struct shell_token token)
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

bool shell_reads_line(struct shell_token token)
{
    return token.kind == SHELL_WORD || shell_is_redirection(token);
}

/* `cat <<EOF > name` writes a file, `sbatch <<EOF` and `bash <<EOF` run a script. */
static void use_input(struct shell_lexer *l, struct shell_heredoc *document,
                      const struct shell_words *words, struct shell_token output)
{
    static const char *const shells[] = {"bash", "sh", "sbatch", NULL};
    struct shell_words names = {0};
    for (int i = 0; shells[i]; i++)
        document->script |= strcmp(words->word->text, shells[i]) == 0;
    if (output.length && words->count == 1 && strcmp(words->word->text, "cat") == 0)
        shell_expand(l->s, output.raw, output.length, output.place, &names);
    if (names.count) document->file = names.word->text;
}

/* `declare -A name`, `local -i name`: what the names that follow are. */
static void declare(struct shell_state *s, struct shell_token opener, struct shell_token token)
{
    const bool own =
        s->calls && !shell_token_is(opener, "export") && !shell_token_is(opener, "readonly");
    const size_t name = shell_name_length(token.raw, token.raw + token.length);
    if (*token.raw == '-') {
        s->keyed |= memchr(token.raw, 'A', token.length) != NULL;
        s->number |= memchr(token.raw, 'i', token.length) != NULL;
        s->global |= memchr(token.raw, 'g', token.length) != NULL;
        return;
    }
    if (!name || token.length == opener.length) return;
    if (own && !s->global) {
        shell_keep(s, token.raw, name);
        struct shell_variable *v = shell_find(s, token.raw, name);
        if (v && !v->given)
            *v = (struct shell_variable){.name = v->name,
                                         .set = true,
                                         .value = shell_alloc(s, sizeof *v->value),
                                         .count = 0};
    }
    struct shell_variable *v = s->keyed || s->number ? shell_find_or_add(s, token.raw, name) : NULL;
    if (!v || v->given) return;
    v->keyed |= s->keyed;
    v->number |= s->number;
    if (v->keyed) v->set = v->array = true;
}

/* The words of a simple command; assignments are carried out on the way. Returns how many of them
 * stand in front of the first word. */
static size_t read_words(struct shell_lexer *l, struct shell_words *words,
                         struct shell_token *output)
{
    struct shell_state *s = l->s;
    const struct shell_token opener = shell_peek(l);
    const bool declaration = declares(opener);
    const int documents = l->documents;
    bool first = true; /* no word yet: assignments are */
    size_t before = s->assigned;
    s->keyed = s->number = s->global = false;
    while (shell_reads_line(shell_peek(l)) && s->status == RK_OK) {
        const struct shell_token token = shell_next(l);
        if (declaration && shell_live(s) && token.kind == SHELL_WORD) declare(s, opener, token);
        if (shell_is_redirection(token)) {
            const struct shell_token target = shell_redirect(l, token);
            if (shell_token_is(token, ">")) *output = target;
        } else if ((first || declaration) && assign(l, token)) {
            if (first) before = s->assigned;
        } else if (!shell_is_descriptor(l, token)) {
            first = false;
            if (shell_live(s)) shell_expand(s, token.raw, token.length, token.place, words);
        }
        if (l->documents > documents && words->count && shell_live(s)) /* before the line ends */
            use_input(l, &l->document[documents], words, *output);
    }
    return before;
}

void shell_record(struct shell_state *s, const struct shell_word *words, size_t count)
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

/* The text that `bash -c` in front of it runs; 0: none. */
static size_t shell_text(const struct shell_word *words, size_t count, size_t *shell)
{
    for (size_t i = 0; i + 2 < count; i++) {
        const char *name = strrchr(words[i].text, '/');
        name = name ? name + 1 : words[i].text;
        if (strcmp(name, "bash") != 0 && strcmp(name, "sh") != 0) continue;
        *shell = i;
        for (size_t k = i + 1; k + 1 < count && words[k].text[0] == '-'; k++)
            if (text_ends_in(words[k].text, "c")) return k + 1;
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

void shell_read_word(struct shell *shell, size_t command, size_t word)
{
    const size_t first = shell->command[command].first;
    const struct shell_word text = shell->word[first + word];
    struct shell_state *s = shell->state;
    s->stopped = s->returned = false;
    run_nested(s, &shell->word[first], word, &text);
}

void shell_follow(struct shell_state *s, const char *text, struct shell_place place)
{
    run_text(s, text, text + strlen(text), place, true, true);
}

/* Files that only set up where programs and libraries are. */
static bool sets_up(const char *path)
{
    static const char *const names[] = {"*/activate", "*rc",    "*set_env*.sh", "*setvars.sh",
                                        "*conda*.sh", "/etc/*", "*profile*",    "*/modules/*",
                                        "*/init*",    "*venv*", "/opt/*",       "activate",
                                        "*module*"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fnmatch(names[i], path, 0) == 0) return true;
    return false;
}

/* Each of the files that are not at hand, once. */
static void add_unread(struct shell_state *s, const char *name)
{
    const size_t had = s->unread ? strlen(s->unread) : 0, n = strlen(name);
    for (const char *at = s->unread; at && (at = strstr(at, name)); at += n)
        if ((at == s->unread || at[-1] == ' ') && (!at[n] || at[n] == ',')) return;
    char *text = shell_alloc(s, had + n + 3);
    if (text) sprintf(text, "%s%s%s", had ? s->unread : "", had ? ", " : "", name);
    if (text) s->unread = text;
}

/* What the file says stands where it is sourced. */
static void run_source(struct shell_state *s, const struct shell_word *name)
{
    const char *text = shell_source(s, name->text);
    if (text)
        shell_follow(s, text, name->place);
    else if (!sets_up(name->text))
        add_unread(s, name->text);
}

/* `mpirun -np 16 bash entry.sh a b`, where entry.sh is in the script's folder: followed with its
 * arguments, prefixed by the words of the launcher. False: there is no entry.sh. */
static bool run_script(struct shell_state *s, struct shell_word *words, size_t count)
{
    size_t at = 0;
    while (at < count && !(text_ends_in(words[at].text, ".sh") && words[at].text[0] != '-'))
        at++;
    if (at == count || s->depth > SHELL_MAX_SCRIPTS) return false;
    const bool shell =
        at && (strcmp(words[at - 1].text, "bash") == 0 || strcmp(words[at - 1].text, "sh") == 0);
    const char *text = shell || at == 0 ? shell_source(s, words[at].text) : NULL;
    if (!text) return false;
    struct shell_word *const argument = s->argument;
    const size_t arguments = s->arguments;
    const bool stopped = s->stopped;
    s->argument = words + at + 1;
    s->arguments = count - at - 1;
    const struct shell_word all = {.text = text, .place = words[at].place};
    run_nested(s, words, at - shell, &all);
    s->argument = argument;
    s->arguments = arguments;
    s->stopped = stopped; /* an `exit` there ends only that script */
    return true;
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

static void shift(struct shell_state *s, const struct shell_word *words, size_t count)
{
    size_t unknown = 0;
    const int64_t by = count > 1 ? shell_arithmetic(s, words[1].text, words[1].place, &unknown) : 1;
    if (unknown || by < 0 || (size_t)by > s->arguments) return;
    s->argument += by;
    s->arguments -= (size_t)by;
}

/* `break 2`, `continue`, in loops. */
static void leave(struct shell_state *s, const struct shell_word *words, size_t count)
{
    size_t unknown = 0;
    const int64_t loops =
        count > 1 ? shell_arithmetic(s, words[1].text, words[1].place, &unknown) : 1;
    if (s->maybe)
        s->loose = true;
    else if (*words[0].text == 'b')
        s->breaks = (int)(loops < 1 ? 1 : loops > SHELL_MAX_DEPTH ? SHELL_MAX_DEPTH : loops);
    else
        s->continues = (int)(loops < 1 ? 1 : loops > SHELL_MAX_DEPTH ? SHELL_MAX_DEPTH : loops);
}

static void go_back_from(struct shell_state *s, const struct shell_word *words, size_t count)
{
    s->answer = SHELL_LIKELY;
    if (count > 1 && !words[1].unknown && !words[1].maybe)
        s->answer = strcmp(words[1].text, "0") == 0 ? SHELL_TRUE : SHELL_FALSE;
    s->returned |= !s->maybe;
}

/* `let "V = 3" W++` */
static enum shell_truth let(struct shell_state *s, const struct shell_word *words, size_t count)
{
    enum shell_truth result = SHELL_PERHAPS;
    for (size_t i = 0; i < count; i++) {
        size_t unknown = 0;
        const int64_t value = shell_arithmetic(s, words[i].text, words[i].place, &unknown);
        result = unknown ? SHELL_PERHAPS : value ? SHELL_TRUE : SHELL_FALSE;
    }
    return result;
}

/* `set -- a b`: the arguments of the script, or of the function that runs. */
static void set_arguments(struct shell_state *s, struct shell_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i].text, "--") == 0) {
            s->argument = words + i + 1;
            s->arguments = count - i - 1;
            return;
        }
    if (count && words[0].text[0] != '-' && words[0].text[0] != '+') {
        s->argument = words;
        s->arguments = count;
    }
}

/* Commands that only set something up, and succeed. */
static bool succeeds(const char *name)
{
    static const char *const names[] = {"export", "declare", "local",  "readonly", "typeset",
                                        "echo",   "printf",  "set",    "shopt",    "trap",
                                        "umask",  "alias",   "ulimit", NULL};
    for (int i = 0; names[i]; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
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
    if (function) return call(s, function, words + 1, count - 1);
    if (strcmp(name, "let") == 0) return let(s, words + 1, count - 1);
    if (strcmp(name, "break") == 0 || strcmp(name, "continue") == 0) {
        leave(s, words, count);
    } else if (strcmp(name, "exit") == 0) {
        s->stopped |= !s->maybe && !s->usage;
    } else if (strcmp(name, "return") == 0) {
        go_back_from(s, words, count);
    } else if (strcmp(name, "shift") == 0) {
        shift(s, words, count);
    } else if (strcmp(name, "set") == 0) {
        set_arguments(s, words + 1, count - 1);
    } else if (strcmp(name, "eval") == 0 && count > 1) {
        run_eval(s, words + 1, count - 1);
    } else if ((strcmp(name, "source") == 0 || strcmp(name, ".") == 0) && count > 1) {
        run_source(s, &words[1]);
    } else if (strcmp(name, "unset") == 0) {
        forget(s, words + 1, count - 1, NULL);
    } else if (strcmp(name, "read") == 0 || strcmp(name, "mapfile") == 0 ||
               strcmp(name, "readarray") == 0 || strcmp(name, "getopts") == 0) {
        forget(s, words + 1, count - 1, "is read from a file or a person");
    } else if (strcmp(name, "printf") == 0 && count > 2 && strcmp(words[1].text, "-v") == 0) {
        forget(s, words + 2, 1, "is what printf makes");
    } else {
        const size_t text = shell_text(words, count, &shell);
        if (text)
            run_nested(s, words, shell, &words[text]);
        else if (!run_script(s, words, count))
            shell_record(s, words, count);
    }
    return succeeds(name) ? SHELL_TRUE : SHELL_LIKELY;
}

/* `NAME=VALUE command`: restores the variables after the command. */
static void end_environment(struct shell_state *s, size_t from, size_t to)
{
    for (size_t i = to; i-- > from;) {
        const struct shell_variable *before = &s->assignment[i];
        struct shell_variable *v = shell_find(s, before->name, strlen(before->name));
        struct shell_variable *list_of =
            shell_grow(s, s->environment, s->environments, sizeof *s->environment);
        if (!v || !list_of) return;
        s->environment = list_of;
        list_of[s->environments++] = *v;
        if (!v->given) *v = *before;
    }
}

enum shell_truth shell_simple(struct shell_lexer *l)
{
    struct shell_state *s = l->s;
    struct shell_words words = {0};
    struct shell_token output = {.length = 0};
    const size_t from = s->assigned, to = read_words(l, &words, &output);
    if (!shell_live(s)) return SHELL_PERHAPS;
    if (!words.count) return SHELL_TRUE;
    shell_edit(s, words.word, words.count, output);
    const enum shell_truth result = run_simple(s, words.word, words.count);
    end_environment(s, from, to);
    return result;
}
