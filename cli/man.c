/* man.c - manual pages of section 1 from the tables of options, as man(7). */
#include "cli/options.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *code, *meaning;
} exits[] = {
    {"0", "Done."},
    {"1", "Nothing fits, or a plan cannot run."},
    {"2", "A flag or an argument is wrong."},
    {"3", "The content of a file is wrong."},
    {"4", "A file or database could not be written, the disk is full, or there was no memory. (A "
          "file that cannot be read is bad input, 3.)"},
    {"130", "Interrupted by SIGINT; what was printed is the best so far."},
    {"143", "The same by SIGTERM."},
};

static const struct {
    const char *name, *meaning;
} variables[] = {
    {"RECKON_DATA", "The folder of the catalog, instead of the installed one."},
    {"NO_COLOR", "When set and not empty, no colour unless --color=always."},
    {"LC_ALL, LC_CTYPE, LANG", "Characters beyond ASCII are printed where these say UTF-8."},
};

/* One line of text with what roff would take for itself escaped. */
static void put(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'') fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '\n')
            fputc(' ', out);
        else
            fputc(*text, out);
    }
}

static void put_line(FILE *out, const char *before, const char *text)
{
    fputs(before, out);
    put(out, text);
    fputc('\n', out);
}

/* The first one stands right below a heading, which needs no macro. */
static void put_paragraphs(FILE *out, const char *text)
{
    const char *macro = "";
    for (const char *end; *text; text = end + (*end ? 2 : 0)) {
        char paragraph[2048];
        end = strstr(text, "\n\n");
        if (!end) end = text + strlen(text);
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)(end - text), text);
        put_line(out, macro, paragraph);
        macro = ".PP\n";
    }
}

/* A paragraph that begins with a space is an example: its lines stay as they are. */
static void put_section(FILE *out, const struct usage_section *section)
{
    fprintf(out, ".SH %s\n", section->title);
    const char *macro = "";
    for (const char *text = section->text, *end; *text; text = end + (*end ? 2 : 0)) {
        char paragraph[2048];
        end = strstr(text, "\n\n");
        if (!end) end = text + strlen(text);
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)(end - text), text);
        if (*text == ' ') {
            fprintf(out, "%s.EX\n", macro);
            for (char *rest = paragraph, *line; (line = strsep(&rest, "\n"));)
                put_line(out, "", line);
            fputs(".EE\n", out);
        } else {
            put_line(out, macro, paragraph);
        }
        macro = ".PP\n";
    }
}

static void put_item(FILE *out, const char *name, const char *text)
{
    put_line(out, ".TP\n.B ", name);
    put_line(out, "", text);
}

static void put_synopsis(FILE *out, const struct usage *usage)
{
    fputs(".B reckon", out);
    if (*usage->name) {
        fputc(' ', out);
        put(out, usage->name);
    }
    fputc('\n', out);
    put_line(out, "", usage->synopsis);
}

static void put_operands(FILE *out, const struct usage *usage, const char *heading)
{
    for (const struct operand *o = usage->operands; o && o->name; o++) {
        if (o == usage->operands) fprintf(out, "%s ARGUMENTS\n", heading);
        put_item(out, o->name, option_help(usage, o->name, o->help));
    }
}

/* `title` comes before the title of each group: a macro. */
static void put_options(FILE *out, const struct usage *usage, const char *title)
{
    for (const struct option_group *group = usage->groups; group->rows; group++) {
        if (!group->title) continue;
        if (!options_group_goes_on(usage, group)) put_line(out, title, group->title);
        for (const struct option *row = group->rows; row->name; row++) {
            char spelling[256];
            option_spelling(row, spelling, sizeof spelling);
            put_item(out, spelling, option_help(usage, row->name, row->help));
        }
    }
}

static void put_words(FILE *out, const struct usage *usage)
{
    if (!usage->words) return;
    fputs(".SH ", out);
    for (const char *letter = usage->words_title; *letter; letter++)
        fputc(toupper((unsigned char)*letter), out);
    fputc('\n', out);
    for (const struct option_word *word = usage->words; word->spelling; word++)
        put_item(out, word->spelling, word->help);
}

static void put_examples(FILE *out, const struct usage *usage, const char *macro)
{
    for (const struct example *e = usage->examples; e->command; e++) {
        if (e->what) put_line(out, macro, e->what);
        put_line(out, e->what ? ".PP\n.EX\n" : ".EX\n", e->command);
        fputs(".EE\n", out);
        macro = ".PP\n";
    }
}

static void put_commands(FILE *out, const struct usage *usage)
{
    if (usage->commands) fputs(".SH COMMANDS\n", out);
    for (const struct command *c = usage->commands; c && c->name; c++) {
        const struct command_group *group = options_group_of(usage, c);
        if (group) fprintf(out, ".SS %s\n", group->title);
        if (c->usage) put_item(out, c->name, c->summary);
    }
}

/* The commands below one that is not reckon itself stand on its page. */
static void put_below(FILE *out, const struct usage *usage)
{
    const struct usage *before = NULL;
    for (const struct command *c = usage->commands; *usage->name && c && c->name; c++) {
        if (!c->usage || c->usage == before) continue; /* a second name of the same */
        before = c->usage;
        fputs(".SH ", out);
        for (const char *letter = c->usage->name; *letter; letter++)
            fputc(toupper((unsigned char)*letter), out);
        fputc('\n', out);
        put_synopsis(out, c->usage);
        fputs(".PP\n", out);
        put_paragraphs(out, c->usage->description);
        put_operands(out, c->usage, ".SS");
        put_options(out, c->usage, ".PP\n");
        put_examples(out, c->usage, ".PP\n");
    }
}

static void put_title(FILE *out, const struct usage *usage)
{
    char name[128];
    snprintf(name, sizeof name, "reckon%s%s", *usage->name ? "-" : "", usage->name);
    fputs(".\\\" Made from the tables of options by reckon __man: do not edit.\n.TH ", out);
    for (const char *letter = name; *letter; letter++)
        fputc(toupper((unsigned char)*letter), out);
    fprintf(out, " 1 \"\" \"reckon %s\" \"Reckon\"\n.SH NAME\n", RECKON_VERSION);
    put(out, name);
    put_line(out, " \\- ", usage->summary);
}

void options_print_man(FILE *out, const struct usage *usage)
{
    put_title(out, usage);
    fputs(".SH SYNOPSIS\n", out);
    put_synopsis(out, usage);
    fputs(".SH DESCRIPTION\n", out);
    put_paragraphs(out, usage->description);
    put_commands(out, usage);
    put_below(out, usage);
    put_operands(out, usage, ".SH");
    fputs(".SH OPTIONS\n", out);
    put_options(out, usage, ".SS ");
    put_words(out, usage);
    for (const struct usage_section *section = usage->sections; section->title; section++)
        put_section(out, section);
    if (usage->examples[0].command) fputs(".SH EXAMPLES\n", out);
    put_examples(out, usage, "");
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sizeof exits / sizeof *exits; i++)
        put_item(out, exits[i].code, exits[i].meaning);
    fputs(".SH ENVIRONMENT\n", out);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        put_item(out, variables[i].name, variables[i].meaning);
    put_line(out, ".SH SEE ALSO\n", usage->see_also ? usage->see_also : "reckon(1)");
}
