/* shell_lex.c - the tokens of a script: words with their quotes, operators, line ends. */
#include "shell/shell_lex.h"

#include <string.h>

void shell_advance(struct shell_state *s, size_t n)
{
    for (; n && s->at < s->end; n--, s->at++) {
        if (s->fixed_place) continue;
        if (*s->at == '\n') {
            s->place.line++;
            s->place.column = 1;
        } else {
            s->place.column++;
        }
    }
}

static void skip_blanks(struct shell_state *s)
{
    while (s->at < s->end) {
        if (*s->at == ' ' || *s->at == '\t' || *s->at == '\r')
            shell_advance(s, 1);
        else if (*s->at == '\\' && s->at + 1 < s->end && s->at[1] == '\n')
            shell_advance(s, 2);
        else if (*s->at == '\\' && s->at + 2 < s->end && s->at[1] == '\r' && s->at[2] == '\n')
            shell_advance(s, 3);
        else
            break;
    }
    if (s->at < s->end && *s->at == '#') {
        const char *line = memchr(s->at, '\n', (size_t)(s->end - s->at));
        shell_advance(s, (size_t)((line ? line : s->end) - s->at));
    }
}

static const char *const operators[] = {"<<<", "<<-", "&>>", "&&", "||", ";;&", ";;", ";&",
                                        "|&",  "&>",  ">>",  "<<", ">&", "<&",  ">|", "<>",
                                        ";",   "&",   "|",   "<",  ">",  "(",   ")",  NULL};

static size_t operator_length(const char *at, const char *end)
{
    for (int i = 0; operators[i]; i++) {
        const size_t n = strlen(operators[i]);
        if ((size_t)(end - at) >= n && memcmp(at, operators[i], n) == 0) return n;
    }
    return 0;
}

static size_t word_length(struct shell_state *s)
{
    const char *p = s->at, *stops = s->bare ? " \t\r\n" : " \t\r\n;&|<>()";
    while (p < s->end && *p) {
        const size_t place = s->bare ? 0 : shell_placeholder(p, s->end);
        if (place) {
            p += place;
            continue;
        }
        if (strchr(stops, *p)) break;
        const char next = p + 1 < s->end ? p[1] : '\0';
        size_t n = 1;
        if (*p == '\\')
            n = next ? 2 : 1;
        else if (*p == '"' || *p == '\'' || *p == '`' ||
                 (*p == '$' && (next == '(' || next == '{' || (next == '[' && !s->bare))))
            n = shell_span(p, s->end);
        if (!n) {
            shell_fail(s, s->place, "%c is not closed", *p);
            return 0;
        }
        p += n;
    }
    return (size_t)(p - s->at);
}

static void use_document(struct shell_state *s, const struct shell_heredoc *document,
                         const char *text, size_t length, struct shell_place place)
{
    if (!document->file && !document->script) return;
    const struct shell_value value =
        document->plain ? (struct shell_value){shell_copy(s, text, length), 0, 0, place}
                        : shell_expand_document(s, text, length, place);
    if (document->script) {
        shell_follow(s, value.text, place);
        return;
    }
    shell_write(s, document->file, value);
}

/* The lines up to the one that holds the delimiter alone. */
static void skip_document(struct shell_state *s, const struct shell_heredoc *document)
{
    const char *const text = s->at;
    const struct shell_place place = s->place;
    while (s->at < s->end) {
        const char *line = s->at;
        const char *stop = memchr(line, '\n', (size_t)(s->end - line));
        const char *last = stop ? stop : s->end;
        shell_advance(s, (size_t)(last - line) + (stop != NULL));
        while (document->tabs && line < last && *line == '\t')
            line++;
        if ((size_t)(last - line) != document->length ||
            memcmp(line, document->delimiter, document->length) != 0)
            continue;
        use_document(s, document, text, (size_t)(line - text), place);
        return;
    }
}

static void end_line(struct shell_lexer *lexer)
{
    struct shell_state *s = lexer->s;
    shell_advance(s, 1);
    for (int i = 0; i < lexer->documents; i++)
        skip_document(s, &lexer->document[i]);
    lexer->documents = 0;
}

static struct shell_token read_token(struct shell_lexer *lexer)
{
    struct shell_state *s = lexer->s;
    skip_blanks(s);
    struct shell_token token = {SHELL_END, s->at, 0, s->place};
    if (s->at >= s->end || s->status != RK_OK) return token;
    if (*s->at == '\n') {
        end_line(lexer);
        token.kind = SHELL_LINE;
        token.length = 1;
        return token;
    }
    const bool process =
        !s->bare && (*s->at == '<' || *s->at == '>') && s->at + 1 < s->end && s->at[1] == '(';
    if (process) {
        const size_t n = shell_span(s->at + 1, s->end);
        token.kind = SHELL_WORD;
        token.length = n ? n + 1 : (size_t)(s->end - s->at);
    } else if (!s->bare && !shell_placeholder(s->at, s->end) &&
               (token.length = operator_length(s->at, s->end)) > 0) {
        token.kind = SHELL_OPERATOR;
    } else {
        token.kind = SHELL_WORD;
        token.length = word_length(s);
        if (!token.length) {
            shell_fail(s, s->place, "a byte that no script contains");
            token.kind = SHELL_END;
        }
    }
    shell_advance(s, token.length);
    return token;
}

struct shell_token shell_peek(struct shell_lexer *lexer)
{
    if (!lexer->peeked) {
        lexer->token = read_token(lexer);
        lexer->peeked = true;
    }
    return lexer->token;
}

struct shell_token shell_next(struct shell_lexer *lexer)
{
    const struct shell_token token = shell_peek(lexer);
    lexer->peeked = false;
    return token;
}

bool shell_token_is(struct shell_token token, const char *text)
{
    return token.length == strlen(text) && memcmp(token.raw, text, token.length) == 0 &&
           token.kind != SHELL_LINE;
}

void shell_heredoc(struct shell_lexer *lexer, bool tabs, struct shell_token word)
{
    if (lexer->documents == SHELL_MAX_DOCUMENTS || word.kind != SHELL_WORD) return;
    const bool quoted = word.length > 1 && (*word.raw == '\'' || *word.raw == '"');
    lexer->document[lexer->documents++] = (struct shell_heredoc){
        word.raw + quoted, word.length - 2 * quoted, tabs, quoted, NULL, false};
}
