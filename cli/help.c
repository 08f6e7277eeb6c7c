/* help.c - the help text of a command, 80 columns wide, from its tables. */
#include "cli/options.h"

#include <string.h>

enum { WIDTH = 80, HELP_COLUMN = 30 };

/* Prints words from `column` on, wrapped at WIDTH and indented by `indent`; ends the line. */
static void print_wrapped(FILE *out, const char *text, int column, int indent)
{
    for (bool first = true; *text; first = false) {
        const int length = (int)strcspn(text, " ");
        if (!first && column + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", length, text);
        column += length;
        text += length + (text[length] == ' ');
    }
    fputc('\n', out);
}

/* "yes|no" from the choices or the aliases, or what the type asks for. */
static void value_name(const struct option *option, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    if (option->argument) {
        snprintf(buffer, size, "%s", option->argument);
        return;
    }
    for (int i = 0; option->choices && option->choices[i] && used < size; i++)
        used +=
            (size_t)snprintf(buffer + used, size - used, "%s%s", i ? "|" : "", option->choices[i]);
    if (used >= size) { /* the first ones: "tp-cp-dp-pp|tp-cp-pp-dp|..." */
        buffer[size - sizeof "..."] = '\0';
        strcpy(strrchr(buffer, '|') + 1, "...");
    }
    if (used) return;
    snprintf(buffer, size, "%s",
             option->type == OPTION_TEXT || option->type == OPTION_TEXTS ||
                     option->type == OPTION_OUTPUT
                 ? "TEXT"
                 : "N");
}

int option_spelling(const struct option *option, char *buffer, size_t size)
{
    char letter[5] = "", value[160];
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    if (option->type == OPTION_FLAG || option->type == OPTION_HELP ||
        option->type == OPTION_HELP_ALL)
        return snprintf(buffer, size, "%s--%s", letter, option->name);
    value_name(option, value, sizeof value);
    return snprintf(buffer, size, option->optional ? "%s--%s [%s]" : "%s--%s %s", letter,
                    option->name, value);
}

/* What commands share. */
static const struct usage shared = {
#include "help/options.h"
};

const char *option_help(const struct usage *usage, const char *name, const char *help)
{
    const struct option_text *const texts[] = {usage->texts, shared.texts};
    for (size_t i = 0; !help && i < sizeof texts / sizeof *texts; i++)
        for (const struct option_text *t = texts[i]; !help && t && t->name; t++)
            if (strcmp(t->name, name) == 0) help = t->help;
    return help ? help : "";
}

static void print_option(FILE *out, const struct usage *usage, const struct option *option)
{
    char spelling[256];
    const int indent = option->letter ? 2 : 6;
    const int width = indent + option_spelling(option, spelling, sizeof spelling);
    fprintf(out, "%*s%s", indent, "", spelling);
    if (width + 2 > HELP_COLUMN)
        fprintf(out, "\n%*s", HELP_COLUMN, "");
    else
        fprintf(out, "%*s", HELP_COLUMN - width, "");
    print_wrapped(out, option_help(usage, option->name, option->help), HELP_COLUMN, HELP_COLUMN);
}

static void print_paragraphs(FILE *out, const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        const size_t length = end ? (size_t)(end - text) : strlen(text);
        char paragraph[2048];
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)length, text);
        for (char *c = paragraph; *c; c++)
            if (*c == '\n') *c = ' ';
        print_wrapped(out, paragraph, 0, 0);
        text += length + (end ? 2 : 0);
        if (*text) fputc('\n', out);
    }
}

const struct command_group *options_group_of(const struct usage *usage,
                                             const struct command *command)
{
    const struct command_group *group = usage->command_groups;
    while (group && group->title && strcmp(group->first, command->name) != 0)
        group++;
    return group && group->title ? group : NULL;
}

/* A heading, and below it words with commas, of which print_listed() prints one. */
static int begin_list(FILE *out)
{
    fputs("\nMore commands (--help-all explains them):", out);
    return WIDTH;
}

static int print_listed(FILE *out, int column, const char *word, int length, const char *end)
{
    const int width = length + (int)strlen(end);
    if (column + width + 1 > WIDTH) {
        fputs("\n  ", out);
        column = 2;
    } else {
        fputc(' ', out);
        column++;
    }
    fprintf(out, "%.*s%s", length, word, end);
    return column + width;
}

static void print_commands(FILE *out, const struct usage *usage, enum help help)
{
    bool more = false;
    int column = 0;
    if (usage->commands && !usage->command_groups) fputs("\nCommands:\n", out);
    for (const struct command *c = usage->commands; c && c->name; c++) {
        const struct command_group *group = options_group_of(usage, c);
        if (group && help != HELP_ALL && group->more && !more) column = begin_list(out);
        if (group) more = group->more && help != HELP_ALL;
        if (group && !more) fprintf(out, "\n%s:\n", group->title);
        if (!c->usage) continue;
        if (more) {
            column =
                print_listed(out, column, c->name, (int)strlen(c->name), c[1].usage ? "," : "\n");
            continue;
        }
        fprintf(out, "  %-*s", HELP_COLUMN - 2, c->name);
        print_wrapped(out, c->summary, HELP_COLUMN, HELP_COLUMN);
    }
}

static void print_lists(FILE *out, const struct usage *usage, enum help help)
{
    print_commands(out, usage, help);
    if (usage->operands) fputs("\nArguments:\n", out);
    for (const struct operand *o = usage->operands; o && o->name; o++) {
        fprintf(out, "  %-*s", HELP_COLUMN - 2, o->name);
        print_wrapped(out, option_help(usage, o->name, o->help), HELP_COLUMN, HELP_COLUMN);
    }
}

static void print_word(FILE *out, const char *spelling, const struct option_word *word)
{
    const int width = 2 + (int)strlen(spelling);
    fprintf(out, "  %s", spelling);
    if (width + 2 > HELP_COLUMN)
        fprintf(out, "\n%*s", HELP_COLUMN, "");
    else
        fprintf(out, "%*s", HELP_COLUMN - width, "");
    print_wrapped(out, word->help, HELP_COLUMN, HELP_COLUMN);
}

/* The common words without their options, "tpN", and without choices that take a line, "order=...".
 */
static void print_common_words(FILE *out, const struct usage *usage)
{
    int more = 0;
    for (const struct option_word *word = usage->words; word->spelling; word++) {
        char spelling[HELP_COLUMN];
        const int length = (int)strcspn(word->spelling, ",");
        const bool fits = length + 4 < HELP_COLUMN;
        snprintf(spelling, sizeof spelling, "%.*s%s",
                 fits ? length : (int)strcspn(word->spelling, "="), word->spelling,
                 fits ? "" : "=...");
        more += !word->common;
        if (word->common) print_word(out, spelling, word);
    }
    if (more) fprintf(out, "\n%d more words: reckon %s --help-all\n", more, usage->name);
}

static void print_words(FILE *out, const struct usage *usage, enum help help)
{
    if (!usage->words) return;
    fprintf(out, "\n%s:\n", usage->words_title);
    if (help != HELP_ALL) print_common_words(out, usage);
    for (const struct option_word *word = usage->words; help == HELP_ALL && word->spelling; word++)
        print_word(out, word->spelling, word);
}

/* Of the options that have a place in the help: those that --help-all alone explains. */
static bool is_hidden(const struct option_group *group, const struct option *row, bool many)
{
    const bool help = row->type == OPTION_HELP || row->type == OPTION_HELP_ALL;
    return group->more || (many && !row->common && !help);
}

static int count_options(const struct usage *usage, bool many, bool hidden)
{
    int count = 0;
    for (const struct option_group *group = usage->groups; group->rows; group++)
        for (const struct option *row = group->rows; group->title && row->name; row++)
            count += is_hidden(group, row, many) == hidden;
    return count;
}

static bool has_many(const struct usage *usage)
{
    enum { FEW = 16 };
    return count_options(usage, false, false) > FEW;
}

static bool has_more(const struct usage *usage)
{
    const struct command_group *group = usage->command_groups;
    while (group && group->title && !group->more)
        group++;
    return usage->words || (group && group->title) ||
           count_options(usage, has_many(usage), true) > 0;
}

bool options_group_goes_on(const struct usage *usage, const struct option_group *group)
{
    return group > usage->groups && group[-1].title && strcmp(group[-1].title, group->title) == 0;
}

static void print_title(FILE *out, const char *text)
{
    char title[256];
    fputc('\n', out);
    snprintf(title, sizeof title, "%s:", text);
    print_wrapped(out, title, 0, 2);
}

static void print_groups(FILE *out, const struct usage *usage, enum help help)
{
    const bool many = has_many(usage);
    const char *title = NULL;
    for (const struct option_group *group = usage->groups; group->rows; group++)
        for (const struct option *row = group->rows; group->title && row->name; row++) {
            if (help != HELP_ALL && is_hidden(group, row, many)) continue;
            if (row->type == OPTION_HELP_ALL && !has_more(usage)) continue;
            if (!title || strcmp(title, group->title) != 0) print_title(out, group->title);
            title = group->title;
            print_option(out, usage, row);
        }
    const int hidden = help == HELP_ALL ? 0 : count_options(usage, many, true);
    if (hidden) fprintf(out, "\n%d more options: reckon %s --help-all\n", hidden, usage->name);
}

void options_print_help(FILE *out, const struct usage *usage, enum help help)
{
    char text[1024];
    snprintf(text, sizeof text, "usage: reckon%s%s %s", *usage->name ? " " : "", usage->name,
             usage->synopsis);
    print_wrapped(out, text, 0, 7);
    fputc('\n', out);
    print_paragraphs(out, usage->description);
    print_lists(out, usage, help);
    print_groups(out, usage, help);
    print_words(out, usage, help);
    if (usage->examples[0].command) fputs("\nExamples:\n", out);
    for (const struct example *e = usage->examples; e->command; e++) {
        if (e->what) fputs("  ", out);
        if (e->what) print_wrapped(out, e->what, 2, 2);
        fprintf(out, "    %s\n", e->command);
    }
}
