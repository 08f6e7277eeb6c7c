#include "keys/asks.h"
#include "keys/keys.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_TEXT = 256,
    NAMES_TEXT = 480,
    COST_TEXT = 128,
    LINE_TEXT = 720,
    REST_TEXT = 1024,
    REMARK_TEXT = 256
};

/* All sizes, degrees and batches can be one, and one divides all. */
#define STAND_IN       "1"
#define STAND_IN_LARGE "65536" /* of ranks, by which degrees are divided */
#define STAND_IN_MODEL "llama3.1-8b"
#define LISTED         ", one of "
#define OF_GPUS        ": use " /* of "12 GPUs are not a multiple of ...: use 8 or 16" */

/* "a,b" or "a, b": whole names, as many as find room. */
struct names {
    char text[NAMES_TEXT];
    int count, more; /* in the text; that found no room */
};

struct asking {
    struct asks with;
    char option[ASKS_MOST][OPTION_TEXT]; /* "--set TP=VALUE" */
    char given[ASKS_MOST][OPTION_TEXT];  /* "TP=8" */
    int options;
    struct names ignored, costly; /* for --ignore; of those what may decide the cost */
    bool ends;                    /* nothing can stand for the last of them */
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

/* The first of the names that are listed which is not for debugging. */
static void take_listed(const char *names, char *first, size_t size)
{
    const char *at = names;
    while (strstr(at, ", ") && strstr(at, "debug") && strstr(at, "debug") < at + strcspn(at, ","))
        at = strstr(at, ", ") + 2;
    snprintf(first, size, "%.*s", (int)strcspn(at, ",;"), at);
}

/* "A=PATH, or --set B=N": what has a value that can stand there. */
static void take_set(struct asking *a, const char *value, const char *message, int at)
{
    char name[96], end[96] = "", all[64], first[64];
    if (sscanf(value, "%95[^= ]=%95[^ ,;)]", name, end) < 1) return;
    const char *other = strstr(value, ", or --set ");
    if (!stand_in(end) && other) return take_set(a, other + strlen(", or --set "), message, at);
    const char *with = stand_in(end);
    const char *listed = strstr(value, LISTED);
    if (!with && listed) {
        take_listed(listed + strlen(LISTED), first, sizeof first);
        with = first;
    }
    if (strcmp(end, "VALUE") == 0 && compared(message, all, sizeof all, first, sizeof first)) {
        with = first;
        snprintf(end, sizeof end, "%s", all);
    }
    a->ends = !with;
    snprintf(a->option[at], OPTION_TEXT, "--set %.60s=%.60s", name, *end ? end : "VALUE");
    snprintf(a->given[at], OPTION_TEXT, "%.60s=%.60s", name, with ? with : "");
    if (with) a->with.sets[a->with.set_count++] = a->given[at];
}

/* The names of "a,b: and so on". */
static size_t names_length(const char *text)
{
    return strcspn(text, " :;)");
}

static int names_count(const char *text)
{
    int count = 1;
    for (size_t i = 0; i < names_length(text); i++)
        count += text[i] == ',';
    return count;
}

/* "betas.0", "betas.1": elements, for which their list stands. */
static size_t list_length(const char *name, size_t length)
{
    size_t digits = 0;
    while (digits < length && isdigit((unsigned char)name[length - digits - 1]))
        digits++;
    return digits && length > digits + 1 && name[length - digits - 1] == '.' ? length - digits - 1
                                                                             : length;
}

static bool has_name(const struct names *names, const char *between, const char *name, size_t n)
{
    for (const char *at = names->text; *at;) {
        const size_t length = strcspn(at, ",");
        if (length == n && strncmp(at, name, n) == 0) return true;
        at += length;
        if (*at) at += strlen(between);
    }
    return false;
}

static void add_names(struct names *names, size_t size, const char *between, const char *text,
                      size_t length)
{
    for (size_t at = 0, n; at < length; at += n + 1) {
        const size_t used = strlen(names->text);
        n = strcspn(text + at, ",");
        if (n > length - at) n = length - at;
        const size_t shown = list_length(text + at, n);
        if (has_name(names, between, text + at, shown)) continue;
        if (names->more || used + shown + strlen(between) + 1 > size) {
            names->more++;
            continue;
        }
        snprintf(names->text + used, size - used, "%s%.*s", used ? between : "", (int)shown,
                 text + at);
        names->count++;
    }
}

/* "my_degree: is not known, and may decide ...", which no option is offered for; NULL: another. */
static const char *costly_name(const char *message)
{
    return strstr(message, KEY_MAY_COST) ? message + strspn(message, "-") : NULL;
}

/* All names go into one option; those of keys that may decide what the run costs are said before
 * it, too. */
static void take_ignore(struct asking *a, const char *value, const char *message, int at)
{
    const int n = (int)names_length(value);
    const bool cost = strstr(message, KEY_MAY_COST) != NULL;
    snprintf(a->given[at], OPTION_TEXT, "%.*s", n, value);
    snprintf(a->option[at], OPTION_TEXT, "--ignore %.*s", n, value);
    if (cost) add_names(&a->costly, COST_TEXT, ", ", value, (size_t)n);
    add_names(&a->ignored, NAMES_TEXT, ",", value, (size_t)n);
    a->with.ignored[a->with.ignored_count++] = a->given[at];
}

static void take_number(struct asking *a, int at, const char *name, uint64_t *number)
{
    snprintf(a->option[at], OPTION_TEXT, "%s N", name);
    a->ends = *number != 0;
    *number = (uint64_t)atoi(STAND_IN);
}

/* "use 96 or 128": the last of them. */
static void take_gpus(struct asking *a, const char *numbers, int at)
{
    const char *last = strstr(numbers, " or ");
    a->with.gpus = strtoull(last ? last + strlen(" or ") : numbers, NULL, 10);
    snprintf(a->option[at], OPTION_TEXT, "--gpus %llu", (unsigned long long)a->with.gpus);
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
        take_ignore(a, text + 9, message, at);
    else if (text == costly_name(message))
        take_ignore(a, text, message, at);
    else if (strncmp(text, OF_GPUS, strlen(OF_GPUS)) == 0)
        take_gpus(a, text + strlen(OF_GPUS), at);
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

/* Does a number stand for a value? Degrees and GPUs may be no more than that. */
static bool has_set(const struct asking *a)
{
    for (int i = 0; i < a->options; i++)
        if (strncmp(a->option[i], "--set ", 6) == 0) return true;
    return false;
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
    if (costly_name(text)) return costly_name(text);
    if (strstr(text, " GPUs are not a multiple of ") && !a->with.gpus && !has_set(a))
        return strstr(text, OF_GPUS);
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

/* The names that a message of keys that are not known lists; NULL: it is another. */
static const char *names_unknown(const char *text)
{
    const char *names = strstr(text, "--ignore ");
    if (costly_name(text)) return costly_name(text);
    return names && strstr(text, "is not known") ? names + strlen("--ignore ") : NULL;
}

/* What is said of one more: without its remedy, which the line of all has. Keys that are not known
 * are counted: their names stand there, too, or in what is said of costs. */
static void add_other(const struct rk_error *error, const char *own, struct rest *rest)
{
    const char *end = strstr(error->text, ": give "), *unknown = names_unknown(error->text);
    const char *listed = strstr(error->text, LISTED);
    const int length = end ? (int)(end - error->text) : (int)strlen(error->text);
    const size_t used = strlen(rest->text);
    char line[80] = "";
    if (unknown) {
        if (!strstr(error->text, KEY_MAY_COST)) rest->unknown += names_count(unknown);
        return;
    }
    if (error->line && error->column)
        snprintf(line, sizeof line, "line %d:%d: ", error->line, error->column);
    else if (error->line)
        snprintf(line, sizeof line, "line %d: ", error->line);
    else if (*error->path && strcmp(error->path, own) != 0)
        snprintf(line, sizeof line, "%.60s: ", error->path);
    snprintf(rest->text + used, sizeof rest->text - used, "; %s%.*s", line,
             length < 100 ? length : 100, error->text);
    if (listed)
        snprintf(rest->text + strlen(rest->text), sizeof rest->text - strlen(rest->text), "%.300s",
                 listed);
}

static void more_names(const struct names *names, char *more, size_t size)
{
    *more = '\0';
    if (names->more) snprintf(more, size, " and %d more", names->more);
}

/* The options, as many as find room with the names. */
static void add_line(const struct asking *a, char *line, size_t size)
{
    char ignored[NAMES_TEXT + 40] = "";
    size_t used = 0;
    if (a->ignored.more) /* import_answer.c lists them */
        snprintf(ignored, sizeof ignored, " --ignore NAMES, with commas, the %d that are listed",
                 a->ignored.count + a->ignored.more);
    else if (a->ignored.count)
        snprintf(ignored, sizeof ignored, " --ignore %s", a->ignored.text);
    size -= strlen(ignored);
    *line = '\0';
    for (int i = 0; i < a->options && used + strlen(a->option[i]) + 2 < size; i++)
        if (strncmp(a->option[i], "--ignore", 8) != 0)
            used += (size_t)snprintf(line + used, size - used, " %s", a->option[i]);
    snprintf(line + used, size + strlen(ignored) - used, "%s", ignored);
}

/* What is said of keys, after the first message and the others. */
static void add_remark(const struct asking *a, const struct rest *rest, bool first_unknown,
                       char *remark, size_t size)
{
    const char *other = first_unknown ? "more " : "";
    const char *them = a->costly.count == 1 ? "it" : "them";
    char more[24];
    size_t used = 0;
    *remark = '\0';
    if (rest->unknown)
        used = (size_t)snprintf(remark, size, "; %d %skey%s not known", rest->unknown, other,
                                rest->unknown > 1 ? "s are" : " is");
    more_names(&a->costly, more, sizeof more);
    if (a->costly.count)
        snprintf(remark + used, size - used,
                 "; %.127s%s may decide what the run costs: say %s by --set and this tool's keys",
                 a->costly.text, more, them);
}

/* The first message, as many of the others as there is room for, and the line. */
static void tell(const struct asking *a, const struct rest *rest, struct rk_error *error)
{
    char line[LINE_TEXT], remark[REMARK_TEXT], text[sizeof error->text];
    add_line(a, line, sizeof line);
    add_remark(a, rest, names_unknown(error->text) != NULL, remark, sizeof remark);
    const char *more = *line ? "; and in one line:" : "";
    const size_t first = strlen(error->text), all = strlen(rest->text),
                 left = sizeof text - strlen(line) - strlen(more) - strlen(remark) - 16,
                 cut = first < left ? first : left;
    size_t said = all < left - cut ? all : left - cut;
    while (said && said < all && strncmp(rest->text + said, "; ", 2) != 0)
        said--;
    snprintf(text, sizeof text, "%.*s%.*s%s%s%s%s", (int)cut, error->text, (int)said, rest->text,
             said < all ? "; and more" : "", remark, more, line);
    snprintf(error->text, sizeof error->text, "%s", text);
}

/* Messages of the library say "`set`", which commands write as here. */
static void spell_options(char *text)
{
    for (char *at = text; (at = strstr(at, "`set`"));)
        memcpy(at, "--set", strlen("--set"));
}

static enum rk_status read_once(asks_reader *read, void *of, const struct asking *a,
                                struct rk_error *next, bool *on)
{
    *next = (struct rk_error){.status = RK_OK};
    const enum rk_status status = read(of, &a->with, next);
    spell_options(next->text);
    *on = status == RK_OK || find_option(a, next->text);
    return status;
}

/* A batch of so many for each replica is none for one rank: many stand for one of the values. */
static enum rk_status read_large(asks_reader *read, void *of, struct asking *a,
                                 struct rk_error *next, enum rk_status status)
{
    const struct rk_error was = *next;
    bool on = false;
    for (int i = 0; i < a->options && !on; i++) {
        char *value = strchr(a->given[i], '=');
        if (!value || strcmp(value + 1, STAND_IN) != 0) continue;
        strcpy(value + 1, STAND_IN_LARGE);
        status = read_once(read, of, a, next, &on);
        if (!on) strcpy(value + 1, STAND_IN);
    }
    if (!on) *next = was;
    return on ? status : was.status;
}

/* Where one cannot stand among arguments, nothing can; one GPU divides what stands there. */
static enum rk_status read_with(asks_reader *read, void *of, struct asking *a,
                                struct rk_error *next)
{
    char *last = a->given[a->options - 1], *value = strchr(last, '=');
    const uint64_t gpus = a->with.gpus;
    bool on = false;
    enum rk_status status = read_once(read, of, a, next, &on);
    if (!on && *last == '@' && value) {
        value[1] = '\0';
        status = read_once(read, of, a, next, &on);
    }
    if (on) return status;
    a->with.gpus = 1;
    status = read_once(read, of, a, next, &on);
    if (on) return status;
    a->with.gpus = gpus;
    return read_large(read, of, a, next, status);
}

/* "--num-layers is missing", "\"chunk\" is not known: give one of": no value that stands there is
 * the reason. */
static bool is_own(const struct rk_error *error)
{
    const char *after = error->text + strcspn(error->text, " :");
    const char *word = strstr(error->text, "\" is not known: give one of ");
    after += *after == ':';
    return error->status != RK_OK &&
           (strncmp(after, " is missing", 11) == 0 ||
            (word && word > error->text && isalpha((unsigned char)word[-1])));
}

void asks_tell_all(asks_reader *read, void *of, const struct asks *given, struct rk_error *error)
{
    struct asking *a = calloc(1, sizeof *a);
    struct rk_error next = *error;
    struct rest rest = {.unknown = 0};
    int others = 0;
    if (!a) return;
    a->with = *given;
    spell_options(next.text);
    while (take_options(a, next.text)) {
        if (others++) add_other(&next, given->path, &rest);
        if (a->ends || read_with(read, of, a, &next) == RK_OK) break;
    }
    bool missing = others && is_own(&next) && !find_option(a, next.text);
    if (others && strstr(next.text, KEY_OF_ANOTHER)) { /* what it lacks does not help */
        *error = next;
        others = 0;
        missing = false;
    }
    if (missing) add_other(&next, given->path, &rest);
    /* keys alone: all of them are in the notes */
    if ((others > 1 || missing) && (*rest.text || !names_unknown(error->text)))
        tell(a, &rest, error);
    free(a);
}
