/* shell_lex.h - the tokens of a script, one ahead. */
#ifndef RECKON_SHELL_SHELL_LEX_H
#define RECKON_SHELL_SHELL_LEX_H

#include "shell/shell_state.h"

enum shell_kind { SHELL_END, SHELL_LINE, SHELL_OPERATOR, SHELL_WORD };

struct shell_token {
    enum shell_kind kind;
    const char *raw; /* quotes and all */
    size_t length;
    struct shell_place place;
};

struct shell_heredoc {
    const char *delimiter;
    size_t length;
    bool tabs;        /* stripped, "<<-" */
    bool plain;       /* quoted delimiter: nothing is expanded */
    const char *file; /* that the document is written to; NULL: to none */
    bool script;      /* a shell reads it: `sbatch <<EOF` */
};

enum { SHELL_MAX_DOCUMENTS = 8 };

struct shell_lexer {
    struct shell_state *s;
    bool peeked;
    struct shell_token token;
    int documents; /* that begin after this line */
    struct shell_heredoc document[SHELL_MAX_DOCUMENTS];
};

void shell_advance(struct shell_state *s, size_t n);
struct shell_token shell_peek(struct shell_lexer *lexer);
struct shell_token shell_next(struct shell_lexer *lexer);
bool shell_token_is(struct shell_token token, const char *text);

/* A "here document" begins after this line and ends with `word`. */
void shell_heredoc(struct shell_lexer *lexer, bool tabs, struct shell_token word);

#endif
