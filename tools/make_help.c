/* make_help FILE.txt FILE.h - what the manual of a command says (man/commands/NAME.txt), as members
 * of its struct usage (cli/options.h). A line in capitals below an empty one begins a section:
 * NAME, SYNOPSIS, DESCRIPTION, OPTIONS, EXAMPLES, SEE ALSO, or one of the command's own. Lines of a
 * paragraph are joined, but for those that begin with a blank; indented lines of OPTIONS are what
 * the --name above them does; a line of EXAMPLES is what the indented one below it, the command, is
 * for. A file that does not begin so becomes a string. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 1000, LONGEST = 1000 };
static char lines[MOST_LINES][LONGEST];
static int count;

static bool is_heading(const char *line)
{
    return isupper((unsigned char)*line) && line[1] &&
           strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ ") == strlen(line);
}

/* The line after the section that begins at `at`, blank lines at its end left out by *end. */
static int section_end(int at, int *end)
{
    int next = at;
    while (next < count && (!is_heading(lines[next]) || *lines[next - 1]))
        next++;
    for (*end = next; *end > at && !*lines[*end - 1];)
        --*end;
    return next;
}

static void put(FILE *file, const char *text)
{
    for (; *text; text++)
        fprintf(file, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
}

static void put_text(FILE *file, int at, int end)
{
    fputc('"', file);
    for (int i = at; i < end; i++) {
        const bool begins = i == at || !*lines[i - 1];
        if (!*lines[i]) continue;
        if (begins)
            fputs(i == at ? "" : "\\n\\n", file);
        else
            fputs(*lines[i] == ' ' || *lines[i - 1] == ' ' ? "\\n" : " ", file);
        put(file, lines[i]);
    }
    fputs("\"", file);
}

static void put_examples(FILE *file, int at, int end)
{
    fputs(".examples = {", file);
    for (int i = at; i < end; i++) {
        if (*lines[i] != ' ') continue;
        fputs("{\"", file);
        put(file, lines[i] + strspn(lines[i], " "));
        fputs("\", \"", file);
        put(file, lines[i - 1]);
        fputs("\"}, ", file);
    }
    fputs("},\n", file);
}

static void put_options(FILE *file, int at, int end)
{
    fputs(".texts = (const struct option_text[]){", file);
    for (int i = at, first; i < end; i = first) {
        fprintf(file, "{\"%s\", \"", lines[i] + strspn(lines[i], "-"));
        first = ++i;
        for (; first < end && *lines[first] == ' '; first++) {
            fputs(first > i ? " " : "", file);
            put(file, lines[first] + strspn(lines[first], " "));
        }
        fputs("\"}, ", file);
    }
    fputs("{NULL, NULL}},\n", file);
}

/* What begins the member that a section is; NULL: it is a section of the command's own. */
static const char *member_of(const char *name)
{
    static const char *const members[][2] = {
        {"NAME", ".name = "},     {"SYNOPSIS", ".synopsis = "}, {"DESCRIPTION", ".description = "},
        {"OPTIONS", ".texts = "}, {"EXAMPLES", ".examples = "}, {"SEE ALSO", ".see_also = "}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(members[i][0], name) == 0) return members[i][1];
    return NULL;
}

/* "budget - find the largest model" */
static void put_name(FILE *file, char *line)
{
    char *dash = strstr(line, " - ");
    if (dash) *dash = '\0';
    fprintf(file, ".name = \"%s\",\n.summary = \"", line);
    put(file, dash ? dash + 3 : "");
    fputs("\",\n", file);
}

/* A text, the options or the examples, under the name of its member. */
static void put_member(FILE *file, const char *name, int at, int end)
{
    if (strcmp(name, "EXAMPLES") == 0)
        put_examples(file, at, end);
    else if (strcmp(name, "OPTIONS") == 0)
        put_options(file, at, end);
    else if (strcmp(name, "NAME") == 0)
        put_name(file, lines[at]);
    else {
        fputs(member_of(name), file);
        put_text(file, at, end);
        fputs(",\n", file);
    }
}

static void put_manual(FILE *file)
{
    int end, own = 0;
    for (int i = 0, next; i < count; i = next) {
        next = section_end(i + 1, &end);
        if (member_of(lines[i])) put_member(file, lines[i], i + 1, end);
        own += !member_of(lines[i]);
    }
    if (own) fputs(".sections = {", file);
    for (int i = 0, next; i < count; i = next) {
        next = section_end(i + 1, &end);
        if (member_of(lines[i])) continue;
        fprintf(file, "{\"%s\", ", lines[i]);
        put_text(file, i + 1, end);
        fputs("}, ", file);
    }
    if (own) fputs("},\n", file);
}

/* Any other text as it is. */
static void put_lines(FILE *file)
{
    for (int i = 0; i < count; i++) {
        fputc('"', file);
        put(file, lines[i]);
        fputs("\\n\"\n", file);
    }
}

int main(int argc, char **argv)
{
    FILE *from = argc == 3 ? fopen(argv[1], "r") : NULL;
    bool good = from != NULL;
    while (good && count < MOST_LINES && fgets(lines[count], LONGEST, from)) {
        char *end = strchr(lines[count], '\n');
        good = end != NULL;
        if (end) *end = '\0';
        count++;
    }
    good = good && feof(from) && count;
    if (!good) {
        fprintf(stderr, "%s: cannot be read, or has lines too long\n",
                argc > 1 ? argv[1] : "usage: make_help FILE.txt FILE.h");
        return 1;
    }
    FILE *to = fopen(argv[2], "w");
    if (!to) return 1;
    if (is_heading(lines[0]))
        put_manual(to);
    else
        put_lines(to);
    const bool written = !ferror(to);
    return fclose(to) == 0 && written ? 0 : 1;
}
