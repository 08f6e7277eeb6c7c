/* script.h - what is read of a script: words, commands, and what is not known. */
#ifndef RECKON_SHELL_SCRIPT_H
#define RECKON_SHELL_SCRIPT_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shell_place {
    int line, column;
};

/* Why something is unknown, and the name under which --set can give it. */
struct shell_unknown {
    char name[64];   /* "" when there is none */
    char why[96];    /* "is not set in this script" */
    bool unset;      /* and that is why */
    bool derived;    /* it is computed with what has this name */
    char give[64];   /* what decides the condition that it depends on; "" : the name itself */
    const char *was; /* its possible value, after that condition; NULL: not known */
    char asked[72];  /* what conditions compare it with: "true, false" */
    struct shell_place place;
};

struct shell_word {
    const char *text;   /* an unknown part stands as "$NAME" */
    size_t unknown;     /* index + 1 into shell.unknown; 0: all is known */
    size_t maybe;       /* index + 1 of a condition, without which there is no such word */
    bool empty_unknown; /* unquoted and nothing but the unknown: may be no word, or several */
    struct shell_place place;
};

/* A simple command: words first ... first + count - 1, those of assignments before it left out. */
struct shell_command {
    size_t first, count;
    bool maybe;                   /* under an unknown condition */
    struct shell_place condition; /* ... which stands here */
};

/* A variable that is not set and that `-z` or `-n` asks for: taken as empty. */
struct shell_assumed {
    const char *name;
    struct shell_place place;
};

struct shell {
    char path[256];
    size_t words, commands, unknowns;
    struct shell_word *word;
    struct shell_command *command;
    struct shell_unknown *unknown;
    size_t assumptions;
    struct shell_assumed *assumed;
    struct shell_state *state;
};

#endif
