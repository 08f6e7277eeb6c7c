#include "keys/asks.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_TEXT = 128, IGNORED_TEXT = 480, LINE_TEXT = 800, REST_TEXT = 1024 };

/* All sizes, degrees and batches can be one, and one divides all. */
#define STAND_IN       "1"
#define STAND_IN_MODEL "llama3.1-8b"

struct asking {
    struct asks with;
    char option[ASKS_MOST][OPTION_TEXT]; /* "--set TP=VALUE" */
    char given[ASKS_MOST][OPTION_TEXT];  /* "TP=8" */
    int options;
    char ignored[IGNORED_TEXT]; /* "a,b": names for --ignore */
    bool ends;                  /* nothing can stand for the last of them */
};

struct asks asks_of(const char *path, const char *const *sets, size_t set_count,
                    const char *const *ignored, size_t ignored_count)
{
    struct asks asks = {.path = path};
    while (asks.set_count < set_count && asks.set_count < ASKS_SETS - ASKS_MOST) {
        asks.sets[asks.set_count] = sets[asks.set_count];
        asks.set_count++;
    }
    while (asks.ignored_count < ignored_count && asks.ignored_count < ASKS_SETS - ASKS_MOST) {
        asks.ignored[asks.ignored_count] = ignored[asks.ignored_count];
        asks.ignored_count++;
    }
    return asks;
}

/* ---- one option of a message ---- */

/* "VALUE" and "N" have a number in their place, "true" itself, a PATH nothing. */
static const char *stand_in(const char *value)
{
    if (strcmp(value, "VALUE") == 0 || strcmp(value, "N") == 0) return STAND_IN;
    for (const char *p = value; *p; p++)
        if (islower((unsigned char)*p) || isdigit((unsigned char)*p)) return value;
    return NULL;
}

/* "(it is compared with true, false)": "true/false" in `all`, and the first of them. */
static bool compared(const char *message, char *all, size_t size, char *first, size_t first_size)
{
    const char *from = strstr(message, "is compared with ");
    size_t used = 0;
    if (!from) return false;
    from += strlen("is compared with ");
    const size_t number = strspn(from, "0123456789");
    if (number && strchr(",)", from[number])) return false; /* a bound, more often than a choice */
    snprintf(first, first_size, "%.*s", (int)strcspn(from, ",)"), from);
    for (; *from && *from != ')' && used + 1 < size; from++)
        if (*from != ' ') all[used++] = (char)(*from == ',' ? '/' : *from);
    all[used] = '\0';
    return true;
}

/* "A=PATH, or --set B=N": what has a value that can stand there. */
static void take_set(struct asking *a, const char *value, const char *message, int at)
{
    char name[96], end[96] = "", all[64], first[64];
    if (sscanf(value, "%95[^= ]=%95[^ ,;)]", name, end) < 1) return;
    const char *other = strstr(value, ", or --set ");
    if (!stand_in(end) && other) return take_set(a, other + strlen(", or --set "), message, at);
    const char *with = stand_in(end);
    if (strcmp(end, "VALUE") == 0 && compared(message, all, sizeof all, first, sizeof first)) {
        with = first;
        snprintf(end, sizeof end, "%s", all);
    }
    a->ends = !with;
    snprintf(a->option[at], OPTION_TEXT, "--set %.60s=%.60s", name, *end ? end : "VALUE");
    snprintf(a->given[at], OPTION_TEXT, "%.60s=%.60s", name, with ? with : "");
    if (with) a->with.sets[a->with.set_count++] = a->given[at];
}

/* All names go into one option, which stands where the first one did. */
static void take_ignore(struct asking *a, const char *value, int at)
{
    const int n = (int)strcspn(value, " :;)");
    const size_t used = strlen(a->ignored);
    snprintf(a->given[at], OPTION_TEXT, "%.*s", n, value);
    snprintf(a->option[at], OPTION_TEXT, "--ignore %.*s", n, value);
    snprintf(a->ignored + used, sizeof a->ignored - used, "%s%.*s", used ? "," : "", n, value);
    a->with.ignored[a->with.ignored_count++] = a->given[at];
}

static void take_number(struct asking *a, int at, const char *name, uint64_t *number)
{
    snprintf(a->option[at], OPTION_TEXT, "%s N", name);
    a->ends = *number != 0;
    *number = (uint64_t)atoi(STAND_IN);
}

/* The option that stands at `text`; false: none that is known, or one that was asked for. */
static bool take_option(struct asking *a, const char *text, const char *message)
{
    const int at = a->options;
    if (at == ASKS_MOST || a->ends) return false;
    a->option[at][0] = '\0';
    if (strncmp(text, "--set ", 6) == 0)
        take_set(a, text + 6, message, at);
    else if (strncmp(text, "--ignore ", 9) == 0)
        take_ignore(a, text + 9, at);
    else if (strncmp(text, "--gpus N", 8) == 0)
        take_number(a, at, "--gpus", &a->with.gpus);
    else if (strncmp(text, "--vocabulary N", 14) == 0)
        take_number(a, at, "--vocabulary", &a->with.vocabulary);
    else if (strncmp(text, "--model is missing", 18) == 0) {
        snprintf(a->option[at], OPTION_TEXT, "--model MODEL");
        a->with.model = STAND_IN_MODEL;
    } else if (strncmp(text, "--variant 1 to", 14) == 0) {
        snprintf(a->option[at], OPTION_TEXT, "--variant N");
        a->with.variant = 1;
    }
    for (int i = 0; i < at; i++)
        if (strcmp(a->option[i], a->option[at]) == 0) return false;
    a->options += a->option[at][0] != '\0';
    return a->options > at;
}

/* ---- the options of a message ---- */

/* " (as said there) --set B=VALUE", ", and --gpus N": after one option, another that is wanted as
 * well; NULL: none. */
static const char *next_option(const char *at)
{
    at += strcspn(at, " ");
    at += strspn(at, " ");
    at += strcspn(at, " ");
    at += strspn(at, " ");
    if (strncmp(at, "and ", 4) == 0) at += 4;
    if (*at == '(') {
        at += strcspn(at, ")");
        at += *at == ')';
        at += strspn(at, " ");
    }
    return strncmp(at, "--", 2) == 0 ? at : NULL;
}

/* Does it ask for what the file does not have? A value that is wrong is none of them, nor what
 * became so by what stands for another. */
static const char *find_option(const struct asking *a, const char *text)
{
    static const char *const starts[] = {"--model is missing", "--variant 1 to", "give --",
                                         "give --ignore", NULL};
    if (a->options &&
        (strstr(text, "correct it, or give --set") || strstr(text, " " STAND_IN " is not")))
        return NULL;
    for (int i = 0; starts[i]; i++) {
        const char *found = strstr(text, starts[i]);
        if (found) return strstr(found, "--");
    }
    return NULL;
}

static bool take_options(struct asking *a, const char *text)
{
    const int before = a->options;
    for (const char *at = find_option(a, text); at && take_option(a, at, text);)
        at = next_option(at);
    return a->options > before;
}

/* ---- the message ---- */

struct rest {
    char text[REST_TEXT];
    int unknown;
};

/* What is said of one more: without its remedy, which the line of all has. Keys that are not known
 * are counted: their names stand there, too. */
static void add_other(const struct rk_error *error, const char *own, struct rest *rest)
{
    const char *end = strstr(error->text, ": give ");
    const int length = end ? (int)(end - error->text) : (int)strlen(error->text);
    const size_t used = strlen(rest->text);
    char line[64] = "";
    if (strstr(error->text, "is not known") && strstr(error->text, "--ignore")) {
        rest->unknown++;
        return;
    }
    if (error->line)
        snprintf(line, sizeof line, "line %d: ", error->line);
    else if (*error->path && strcmp(error->path, own) != 0)
        snprintf(line, sizeof line, "%.60s: ", error->path);
    snprintf(rest->text + used, sizeof rest->text - used, "; %s%.*s", line,
             length < 100 ? length : 100, error->text);
}

static void add_line(const struct asking *a, char *line, size_t size)
{
    size_t used = 0;
    *line = '\0';
    for (int i = 0; i < a->options && used + strlen(a->option[i]) + 2 < size; i++)
        if (strncmp(a->option[i], "--ignore", 8) != 0)
            used += (size_t)snprintf(line + used, size - used, " %s", a->option[i]);
    if (*a->ignored) snprintf(line + used, size - used, " --ignore %s", a->ignored);
}

/* The first message, as many of the others as there is room for, and the line. */
static void tell(const struct asking *a, const struct rest *rest, struct rk_error *error)
{
    char line[LINE_TEXT], unknown[48] = "", text[sizeof error->text];
    add_line(a, line, sizeof line);
    if (rest->unknown)
        snprintf(unknown, sizeof unknown, "; %d key%s not known", rest->unknown,
                 rest->unknown > 1 ? "s are" : " is");
    const char *more = "; and in one line:";
    const size_t first = strlen(error->text), all = strlen(rest->text),
                 left = sizeof text - strlen(line) - strlen(more) - strlen(unknown) - 16,
                 cut = first < left ? first : left;
    size_t said = all < left - cut ? all : left - cut;
    while (said && said < all && strncmp(rest->text + said, "; ", 2) != 0)
        said--;
    snprintf(text, sizeof text, "%.*s%.*s%s%s%s%s", (int)cut, error->text, (int)said, rest->text,
             said < all ? "; and more" : "", unknown, more, line);
    snprintf(error->text, sizeof error->text, "%s", text);
}

/* Where one cannot stand among arguments, nothing can; and one GPU divides what stands there. */
static enum rk_status read_with(asks_reader *read, void *of, struct asking *a,
                                struct rk_error *next)
{
    char *last = a->given[a->options - 1], *value = strchr(last, '=');
    for (int tries = 0;; tries++) {
        *next = (struct rk_error){.status = RK_OK};
        const enum rk_status status = read(of, &a->with, next);
        if (status == RK_OK || find_option(a, next->text) || tries == 2) return status;
        if (tries == 0 && *last == '@' && value) value[1] = '\0';
        if (tries == 1) a->with.gpus = 1;
    }
}

void asks_tell_all(asks_reader *read, void *of, const struct asks *given, struct rk_error *error)
{
    struct asking *a = calloc(1, sizeof *a);
    struct rk_error next = *error;
    struct rest rest = {.unknown = 0};
    int others = 0;
    if (!a) return;
    a->with = *given;
    while (take_options(a, next.text)) {
        if (others++) add_other(&next, given->path, &rest);
        if (a->ends || read_with(read, of, a, &next) == RK_OK) break;
    }
    /* keys alone: all of them are in the notes */
    if (others > 1 && (*rest.text || !strstr(error->text, "--ignore"))) tell(a, &rest, error);
    free(a);
}
