/* options.h - the command line as tables of rows, from which parsing, --help, man pages and
 * shell completions all come.
 *
 * A command has a `struct usage`: what it is for, its operands, its groups of options, examples.
 * options_parse writes what was given into the command's own struct of arguments, at the offset
 * of each row; what was not given keeps the value it had, so defaults are set before.
 *
 *     --name VALUE   --name=VALUE   -n VALUE   -nVALUE   -n (flags may be joined: -lp)   --
 *
 * An option of one value that is given twice is refused, and so are two names of one member;
 * OPTION_VALUES, OPTION_TEXTS and OPTION_WORD add up.
 */
#ifndef RECKON_CLI_OPTIONS_H
#define RECKON_CLI_OPTIONS_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MAX_NAMES = 256 }; /* among which the nearest one is looked for */

enum option_type {
    OPTION_FLAG,   /* bool: takes no value, sets true */
    OPTION_TEXT,   /* const char *: any text but none; points into argv */
    OPTION_OUTPUT, /* the same: a file to write, or -; refused at once where it cannot be written */
    OPTION_TEXTS,  /* struct option_texts: the same, given any number of times */
    OPTION_NUMBER, /* uint64_t: a whole number from `min` to `max` (0: to 2^53) */
    OPTION_COUNT,  /* double: a finite number above 0, K, M, B, T may follow: "300B" */
    OPTION_CHOICE, /* int: an index into `choices` */
    OPTION_WORD,   /* struct option_texts: a text with the option's name */
    OPTION_VALUES, /* struct option_values: numbers and ranges, or choices: "8,16", "1..64" */
    OPTION_HELP,   /* nothing is stored: options_parse reports that help was asked for */
    OPTION_HELP_ALL /* ... with all there is */
};

enum { OPTION_MAX_VALUES = 64, OPTION_GROUPS = 16, OPTION_EXAMPLES = 16, OPTION_SECTIONS = 6 };

/* What an OPTION_VALUES was given, as closed ranges; one value is a range of one. */
struct option_values {
    int count; /* 0: not given */
    struct {
        uint64_t low, high;
    } range[OPTION_MAX_VALUES];
};

/* What an OPTION_TEXTS was given, in order. */
struct option_texts {
    int count;
    const char *text[OPTION_MAX_VALUES]; /* point into argv; NULL: an option without its value */
    const char *name[OPTION_MAX_VALUES]; /* of the option; NULL: an operand */
};

/* A word that stands for a range of values, such as "both"; tables end with text NULL. */
struct option_alias {
    const char *text;
    uint64_t low, high;
};

struct option {
    char letter;      /* 'm' of -m; '\0': none */
    const char *name; /* "model" of --model; NULL ends a table */
    enum option_type type;
    const char *argument; /* what help calls the value, "FILE"; NULL: from the type */
    const char *help; /* what it does and its default, no full stop; NULL: in the texts, below */
    size_t offset;    /* of the member in the struct of arguments */
    const char *const *choices; /* ended by NULL */
    uint64_t min, max;
    bool zero;                          /* 0 is a value, too; only OPTION_COUNT */
    const struct option_alias *aliases; /* only OPTION_VALUES; the first one is what a missing
                                           value means, when `optional` */
    bool optional;                      /* the value may be left out; only OPTION_VALUES */
    bool common; /* --help of a command with many options shows those that are, and counts the
                    others */
    const char *complete; /* what the shell offers: "file", "model", "system", ... */
    bool data;            /* OPTION_OUTPUT: for programs, a name that ends in .html is refused */
};

/* What an option or operand does, by its name; tables end with name NULL. */
struct option_text {
    const char *name, *help;
};

/* Where an answer goes; `at` says where the file's name does, .offset = ... Below, what is less
 * often asked for, and what all commands that propose plans leave of the memory (reckon/sure.h).
 */
/* clang-format off */
#define OPTION_OUTPUT_ROW(at) \
    {.letter = 'o', .name = "output", .type = OPTION_OUTPUT, .argument = "FILE", at, .complete = "file", \
     .common = true}
#define OPTION_VERBOSE_ROW(at) {.letter = 'v', .name = "verbose", .type = OPTION_FLAG, at, .common = true}
#define OPTION_HEADROOM_ROW(at) \
    {.name = "headroom", .type = OPTION_TEXT, .argument = "SIZE|%|learned|none", at, .common = true}
/* clang-format on */

/* Rows under one heading of the help; without title, help leaves them out. `offset` is added to
 * theirs, so that commands share rows. */
struct option_group {
    const char *title;
    const struct option *rows;
    size_t offset;
    bool more; /* only --help-all explains them */
};

enum { OPERAND_MANY = 2 };

enum operand_fit {
    OPERAND_TAKES,  /* the word is this operand */
    OPERAND_PASSES, /* it is one of those after it */
    OPERAND_ADDS    /* it continues with what is given: "h100-sxm5-80g", "x8" */
};

/* An argument without a flag; the member is a const char *. A word is the first operand that is not
 * given yet and that it fits. */
struct operand {
    const char *name; /* "MODEL"; NULL ends the table */
    const char *help; /* NULL: in the texts */
    size_t offset;
    int optional; /* false, true, or OPERAND_MANY: all that follow, to a struct option_texts */
    const char *complete; /* as in struct option */
    bool listed;          /* the member is a struct option_texts, of which the word is one */
    /* Reports how `word` fits; `given` is what the operand is so far, NULL: nothing. Fails for a
     * word that no operand takes. NULL: any word fits. */
    enum rk_status (*fit)(const char *word, const char *given, enum operand_fit *fit,
                          struct rk_error *error);
};

/* A word that an operand is made of, for help, manual and completion. */
struct option_word {
    const char *spelling; /* "tpN, --tensor"; NULL ends the table */
    const char *help;
    bool common; /* --help explains it, too */
};

struct example {
    const char *command;
    const char *what; /* a sentence above it */
};

/* A section of the manual page that help leaves out. */
struct usage_section {
    const char *title; /* in capitals; NULL ends the list */
    const char *text;  /* paragraphs with an empty line between; one whose lines begin with spaces
                          stands as it is */
};

struct command;

struct usage {
    const char *name;                /* "search", "calculon llm" */
    const char *summary;             /* "rank all strategies": the one line in lists */
    const char *synopsis;            /* after the name: "--model MODEL ... [options]" */
    const char *description;         /* paragraphs with an empty line between */
    const struct operand *operands;  /* may be NULL */
    const char *words_title;         /* of `words`, "Words of a plan" */
    const struct option_word *words; /* may be NULL */
    struct option_group
        groups[OPTION_GROUPS + 1]; /* ended by rows NULL, at the latest after the last one */
    struct example examples[OPTION_EXAMPLES + 1]; /* ended by command NULL */
    struct usage_section sections[OPTION_SECTIONS + 1];
    const struct option_text *texts; /* of options and operands, where their rows have none:
                                        OPTIONS of man/commands/NAME.txt */
    const char *see_also;            /* more pages than the general ones; may be NULL */
    const struct command *commands;  /* those below it ("calculon llm"); may be NULL */
    const struct command_group *command_groups; /* of long lists; may be NULL */
    bool abbreviations;                         /* --top for --top-n where nothing else begins so */
};

enum help { HELP_NONE, HELP_USUAL, HELP_ALL };

/* One subcommand; tables end with name NULL. argv[0] is the subcommand's name. */
struct command {
    const char *name;
    int (*run)(int argc, char **argv); /* returns the exit code */
    const char *summary;
    const struct usage *usage; /* NULL: hidden from help, man pages and completions */
};

/* A heading above the command `first`; tables end with title NULL. */
struct command_group {
    const char *title, *first;
    bool more; /* --help only names the commands, --help-all explains them */
};

/* The group that begins with a command; NULL: none does. */
const struct command_group *options_group_of(const struct usage *usage,
                                             const struct command *command);

/* Does `group` continue with the title of the one before it? */
bool options_group_goes_on(const struct usage *usage, const struct option_group *group);

/* `-h, --help`; every command has this group. */
extern const struct option options_help_rows[];

/* Reads argv[1] .. argv[argc - 1] into `args`. RK_BAD_ARGUMENT and a message when something is
 * wrong: `args` is half filled then. *help is set when help was asked for: nothing else counts. */
enum rk_status options_parse(const struct usage *usage, int argc, char **argv, void *args,
                             enum help *help, struct rk_error *error);

/* What every command starts with: parses, prints the help to stdout or the message to stderr.
 * -1: continue; else the exit code to return. */
int options_read(const struct usage *usage, int argc, char **argv, void *args);

/* The command of that name; else NULL, with a message that names the nearest one. */
const struct command *options_command(const struct command *commands, const char *name,
                                      struct rk_error *error);

/* Runs the one of usage->commands that the first word names; without one help, or what to say. */
int options_run_command(const struct usage *usage, int argc, char **argv);

/* Prints "reckon: path:line:col: text" to stderr and returns the error's status, as exit code. */
int options_fail(const struct rk_error *error);

/* Where options_fail() leaves the message as its parts, for rk_command(); NULL: nowhere. */
extern struct rk_error *options_failure;

/* ---- single values, by the same rules ---- */

/* A whole number in decimal digits from `min` to `max`; `name` heads the message. */
enum rk_status option_number(const char *name, const char *text, uint64_t min, uint64_t max,
                             uint64_t *value, struct rk_error *error);
enum rk_status option_count(const char *name, const char *text, double *value,
                            struct rk_error *error);

/* ---- what is made from the tables ---- */

void options_print_help(FILE *out, const struct usage *usage, enum help help);

/* Section 1 of the manual, as roff. */
void options_print_man(FILE *out, const struct usage *usage);

/* A completion script for "bash", "zsh" or "fish"; false when the shell is unknown. */
bool options_print_completion(FILE *out, const char *shell, const struct command *commands);

/* What help says of an option or operand: its row, else the command's texts, else those that
 * commands share (man/commands/options.txt), else "". */
const char *option_help(const struct usage *usage, const char *name, const char *help);

/* How help writes an option: "-m, --model MODEL"; returns the length. */
int option_spelling(const struct option *option, char *buffer, size_t size);

#endif
