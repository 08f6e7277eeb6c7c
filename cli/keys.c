#include "cli/keys.h"

#include "cli/commands.h"
#include "report/report.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { OPTION_NAME = 48 };

/* Members whose options have other names. */
static const char *const others[][2] = {
    {"block_tokens", "--blocks"}, {"double_precision", "--double"}, {"model", "-m"}};

static bool is_option(const struct command *commands, const char *name)
{
    for (const struct command *c = commands; c && c->name; c++) {
        if (!c->usage) continue;
        for (const struct option_group *g = c->usage->groups; g->rows; g++)
            for (const struct option *o = g->rows; o->name; o++)
                if (strcmp(o->name, name) == 0) return true;
        if (is_option(c->usage->commands, name)) return true;
    }
    return strcmp(name, "help") == 0;
}

/* "`least_rate`..." is --least-rate: how much of the text that is; 0: no option is named here. */
static size_t option_of(const char *at, char option[OPTION_NAME])
{
    const size_t length = *at == '`' ? strcspn(at + 1, "` ") : 0;
    if (!length || at[1 + length] != '`' || length >= OPTION_NAME - 2) return 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i][0]) == length && memcmp(at + 1, others[i][0], length) == 0) {
            snprintf(option, OPTION_NAME, "%s", others[i][1]);
            return length + 2;
        }
    snprintf(option, OPTION_NAME, "--%.*s", (int)length, at + 1);
    for (char *c = option; *c; c++)
        if (*c == '_') *c = '-';
    return is_option(main_commands, option + 2) ? length + 2 : 0;
}

static void say(const char *text, char *said, size_t size)
{
    char option[OPTION_NAME];
    size_t used = 0;
    while (*text && used + 1 < size) {
        const size_t named = option_of(text, option);
        const int written =
            snprintf(said + used, size - used, named ? "%s" : "%.1s", named ? option : text);
        used += (size_t)written;
        text += named ? named : 1;
    }
    said[used < size ? used : size - 1] = '\0';
}

void keys_say_error(const struct rk_error *error, char *text, size_t size)
{
    char plain[sizeof error->path + sizeof error->text + 32];
    rk_error_format(error, plain, sizeof plain);
    say(plain, text, size);
}

const char *keys_said(struct report *report, const char *text)
{
    char said[1024];
    if (!text || !strchr(text, '`')) return text;
    say(text, said, sizeof said);
    return report_text(report, "%s", said);
}
