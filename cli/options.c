#include "cli/options.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST_WHOLE ((uint64_t)1 << 53) /* every whole number up to here is a double */

const struct option options_help_rows[] = {
    {.letter = 'h', .name = "help", .type = OPTION_HELP},
    {.name = "help-all", .type = OPTION_HELP_ALL},
    {.name = NULL},
};

/* One command line on its way. */
struct reader {
    const struct usage *usage;
    char **next;
    char **end;
    char *args;
    enum help help;
    struct rk_error *error;
    struct given {
        const void *member; /* of the arguments: options of one member are one */
        const struct option *option;
        const char *value;
    } * given; /* the options of one value so far: at most one for each word */
    int given_count;
    const char *peek, *peeked; /* only an option's value is asked for, and that is it so far */
};

/* ---- numbers ---- */

static enum rk_status refuse(struct rk_error *error, const char *name, const char *text,
                             const char *why)
{
    char quoted[TEXT_QUOTE];
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: %s %s", name,
                   text_quote(quoted, text, strlen(text)), why);
}

/* What kind of text stands where a whole number should; NULL when it is one. */
static const char *number_fault(const char *text)
{
    uint64_t value;
    const size_t digits = whole_parse(text, strlen(text), &value);
    if (text[0] == '\0') return "is empty: give a whole number";
    if (text[0] == '-') return "is negative or not a number: give a whole number without a sign";
    if (digits == 0) return "is not a number: give a whole number";
    if (text[digits] == '.' || text[digits] == 'e' || text[digits] == 'E')
        return "is not a whole number: write out its digits";
    if (text[digits] != '\0')
        return "has characters after its digits: give a whole number, such as 8192 or 8k";
    return NULL;
}

enum rk_status option_number(const char *name, const char *text, uint64_t min, uint64_t max,
                             uint64_t *value, struct rk_error *error)
{
    const char *fault = number_fault(text);
    const uint64_t last = max && max < LARGEST_WHOLE ? max : LARGEST_WHOLE;
    uint64_t number;
    if (fault) return refuse(error, name, text, fault);
    whole_parse(text, strlen(text), &number);
    if (number < min)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s: %.80s is too small: give at least %llu", name, text,
                       (unsigned long long)min);
    if (number > last)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s: %.80s is too large: give at most %llu", name, text,
                       (unsigned long long)last);
    *value = number;
    return RK_OK;
}

enum rk_status option_count(const char *name, const char *text, double *value,
                            struct rk_error *error)
{
    struct units_error problem;
    double count;
    if (!quantity_parse(text, strlen(text), QUANTITY_COUNT, false, &count, &problem))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: %s", name, problem.text);
    if (!(count > 0)) return refuse(error, name, text, "is too small: give more than 0");
    *value = count;
    return RK_OK;
}

/* ---- words ---- */

/* Index of the choice, or -1 with a message that lists them all. */
static int choice_index(const char *name, const char *const *choices, const char *text,
                        struct rk_error *error)
{
    char list[256] = "", quoted[TEXT_QUOTE];
    size_t used = 0;
    for (int i = 0; choices[i]; i++) {
        if (strcmp(text, choices[i]) == 0) return i;
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                     choices[i]);
    }
    const char *nearest = text_nearest(text, choices);
    rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: %s is not known%s%s%s one of: %s", name,
            text_quote(quoted, text, strlen(text)), nearest ? ", did you mean " : "",
            nearest ? nearest : "", nearest ? "? It is" : ": give", list);
    return -1;
}

static const struct option_alias *find_alias(const struct option *option, const char *text)
{
    const struct option_alias *alias = option->aliases;
    while (alias && alias->text && strcmp(alias->text, text) != 0)
        alias++;
    return alias && alias->text ? alias : NULL;
}

/* ---- lists of values and ranges ---- */

static enum rk_status add_range(const char *name, struct option_values *values, uint64_t low,
                                uint64_t high, struct rk_error *error)
{
    if (values->count == OPTION_MAX_VALUES)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s: more than %d values: write runs of them as ranges, 1..64", name,
                       OPTION_MAX_VALUES);
    values->range[values->count].low = low;
    values->range[values->count++].high = high;
    return RK_OK;
}

/* One "8", "1..64" or "none"; `item` is changed. */
static enum rk_status read_item(const struct option *option, const char *name, char *item,
                                struct option_values *values, struct rk_error *error)
{
    const struct option_alias *alias = find_alias(option, item);
    uint64_t low, high;
    if (alias) return add_range(name, values, alias->low, alias->high, error);
    if (option->choices) {
        const int index = choice_index(name, option->choices, item, error);
        if (index < 0) return RK_BAD_ARGUMENT;
        return add_range(name, values, (uint64_t)index, (uint64_t)index, error);
    }
    char *dots = strstr(item, "..");
    if (dots) *dots = '\0';
    enum rk_status status = option_number(name, item, option->min, option->max, &low, error);
    high = low;
    if (status == RK_OK && dots)
        status = option_number(name, dots + 2, option->min, option->max, &high, error);
    if (status != RK_OK) return status;
    if (high < low)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s: the range %llu..%llu runs backwards", name, (unsigned long long)low,
                       (unsigned long long)high);
    return add_range(name, values, low, high, error);
}

static enum rk_status read_values(const struct option *option, const char *name, const char *text,
                                  struct option_values *values, struct rk_error *error)
{
    char *copy = strdup(text);
    if (!copy) return no_memory(error);
    enum rk_status status = RK_OK;
    char *rest = copy, *item;
    while (status == RK_OK && (item = strsep(&rest, ",")))
        status = read_item(option, name, item, values, error);
    free(copy);
    return status;
}

/* ---- one option ---- */

static enum rk_status add_text(const char *name, const char *option, struct option_texts *texts,
                               const char *value, struct rk_error *error)
{
    if (value && !*value)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: the value is empty", name);
    if (texts->count == OPTION_MAX_VALUES)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: given more than %d times", name,
                       OPTION_MAX_VALUES);
    texts->name[texts->count] = option;
    texts->text[texts->count++] = value;
    return RK_OK;
}

/* A file that cannot be written is found before the work whose result it is to take. */
static enum rk_status check_output(const char *name, const char *path, struct rk_error *error)
{
    char folder[4096];
    struct stat there;
    if (!*path) return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: the value is empty", name);
    if (strcmp(path, "-") == 0) return RK_OK;
    if (stat(path, &there) == 0) {
        if (S_ISDIR(there.st_mode))
            errno = EISDIR;
        else if (access(path, W_OK) == 0)
            return RK_OK;
        return rk_fail(error, RK_IO, path, 0, 0, "cannot write: %s", strerror(errno));
    }
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 0;
    if (length >= sizeof folder)
        return rk_fail(error, RK_IO, NULL, 0, 0, "%s: the name of the file is too long", name);
    snprintf(folder, sizeof folder, "%.*s", (int)length, path);
    if (!slash) strcpy(folder, ".");
    if (slash == path) strcpy(folder, "/");
    if (access(folder, W_OK | X_OK) == 0) return RK_OK;
    return rk_fail(error, RK_IO, path, 0, 0, "cannot write: folder %s: %s", folder,
                   strerror(errno));
}

static enum rk_status store(struct reader *r, const struct option *option, void *member,
                            const char *name, char *value)
{
    int index;
    switch (option->type) {
    case OPTION_FLAG:
        *(bool *)member = true;
        return RK_OK;
    case OPTION_HELP:
        if (r->help == HELP_NONE) r->help = HELP_USUAL;
        return RK_OK;
    case OPTION_HELP_ALL:
        r->help = HELP_ALL;
        return RK_OK;
    case OPTION_TEXT:
        if (!*value)
            return rk_fail(r->error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: the value is empty", name);
        *(const char **)member = value;
        return RK_OK;
    case OPTION_OUTPUT:
        *(const char **)member = value;
        if (option->data && text_ends_in(value, ".html"))
            return rk_fail(
                r->error, RK_BAD_ARGUMENT, NULL, 0, 0,
                "%s: %s ends in .html, but this option writes data, not a page: name another "
                "file; `reckon report` and `reckon place --draw` write pages",
                name, value);
        return check_output(name, value, r->error);
    case OPTION_TEXTS:
        return add_text(name, NULL, member, value, r->error);
    case OPTION_WORD:
        return add_text(name, option->name, member, value, r->error);
    case OPTION_NUMBER:
        return option_number(name, value, option->min, option->max, member, r->error);
    case OPTION_COUNT:
        if (option->zero && strcmp(value, "0") == 0) {
            *(double *)member = 0;
            return RK_OK;
        }
        return option_count(name, value, member, r->error);
    case OPTION_CHOICE:
        index = choice_index(name, option->choices, value, r->error);
        if (index >= 0) *(int *)member = index;
        return index < 0 ? RK_BAD_ARGUMENT : RK_OK;
    case OPTION_VALUES:
        if (!value)
            return add_range(name, member, option->aliases[0].low, option->aliases[0].high,
                             r->error);
        return read_values(option, name, value, member, r->error);
    }
    return RK_OK;
}

static bool takes_one(const struct option *option)
{
    return option->type == OPTION_TEXT || option->type == OPTION_OUTPUT ||
           option->type == OPTION_NUMBER || option->type == OPTION_COUNT ||
           option->type == OPTION_CHOICE;
}

/* A second value of an option that takes one would drop the first. */
static enum rk_status note_given(struct reader *r, const struct option *option, const void *member,
                                 const char *value)
{
    char first[TEXT_QUOTE], second[TEXT_QUOTE];
    for (int i = 0; i < r->given_count; i++) {
        const struct given *g = &r->given[i];
        if (g->member == member)
            return rk_fail(r->error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "--%s %s and --%s %s: one value is taken, leave one out",
                           g->option->name, text_quote(first, g->value, strlen(g->value)),
                           option->name, text_quote(second, value, strlen(value)));
    }
    r->given[r->given_count++] = (struct given){member, option, value};
    return RK_OK;
}

static bool takes_value(const struct option *option)
{
    return option->type != OPTION_FLAG && option->type != OPTION_HELP &&
           option->type != OPTION_HELP_ALL;
}

static bool same_name(const char *known, const char *typed, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (known[i] != (typed[i] == '_' ? '-' : typed[i])) return false;
    return known[length] == '\0';
}

/* The row of a long name (letter '\0') or of a letter; *group is where it stands. */
static const struct option *find_option(const struct usage *usage, const char *name, size_t length,
                                        char letter, const struct option_group **group)
{
    for (*group = usage->groups; (*group)->rows; (*group)++)
        for (const struct option *row = (*group)->rows; row->name; row++)
            if (letter ? row->letter == letter : same_name(row->name, name, length)) return row;
    return NULL;
}

/* Is `text` a flag of this command, so that it is no value of the one before it? */
static bool is_flag(const struct usage *usage, const char *text)
{
    const struct option_group *group;
    if (strncmp(text, "--", 2) != 0) return false;
    return !text[2] || find_option(usage, text + 2, strcspn(text + 2, "="), '\0', &group);
}

/* Can the next word be the value of an option whose value may be left out? */
static bool is_value_of(const struct option *option, const char *text)
{
    char first[64];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(text, ","), text);
    if (find_alias(option, first) || (!option->choices && isdigit((unsigned char)first[0])))
        return true;
    for (int i = 0; option->choices && option->choices[i]; i++)
        if (strcmp(option->choices[i], first) == 0) return true;
    return false;
}

/* Takes the option's value from the next word, unless `value` was joined to it. */
static enum rk_status read_option(struct reader *r, const struct option *option,
                                  const struct option_group *group, const char *name, char *value)
{
    char quoted[TEXT_QUOTE];
    if (!takes_value(option) && value)
        return rk_fail(r->error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s takes no value: leave out %s",
                       name, text_quote(quoted, value, strlen(value)));
    if (takes_value(option) && !value) {
        const bool there = r->next < r->end && !is_flag(r->usage, *r->next);
        if (!option->optional && !there) {
            char spelling[240];
            option_spelling(option, spelling, sizeof spelling);
            return rk_fail(r->error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s needs a value: %s, %.300s",
                           name, spelling, option_help(r->usage, option->name, option->help));
        }
        const bool only = !r->usage->operands && there && **r->next != '-';
        if (there && (!option->optional || only || is_value_of(option, *r->next)))
            value = *r->next++; /* without operands, a word can only be the value */
    }
    if (r->peek) {
        if (strcmp(option->name, r->peek) == 0) r->peeked = value;
        return RK_OK;
    }
    void *member = r->args + group->offset + option->offset;
    if (takes_one(option)) {
        const enum rk_status status = note_given(r, option, member, value);
        if (status != RK_OK) return status;
    }
    return store(r, option, member, name, value);
}

/* "params" for "parameters": the first name that begins alike; NULL: none does. */
static const char *begins_alike(const char *word, const char *const *names)
{
    enum { ALIKE = 4 };
    for (; strlen(word) >= ALIKE && *names; names++)
        if (strncmp(*names, word, ALIKE) == 0) return *names;
    return NULL;
}

static enum rk_status unknown_option(const struct reader *r, const char *typed, size_t length)
{
    const char *names[MAX_NAMES + 1] = {NULL};
    char word[TEXT_QUOTE], quoted[TEXT_QUOTE];
    size_t count = 0;
    snprintf(word, sizeof word, "%.*s", (int)(length < TEXT_QUOTE ? length : TEXT_QUOTE), typed);
    for (int rare = 0; rare < 2; rare++) /* of names equally near the first one is meant */
        for (const struct option_group *group = r->usage->groups; group->rows; group++)
            for (const struct option *row = group->rows; row->name && count < MAX_NAMES; row++)
                if (row->common != rare) names[count++] = row->name;
    const char *nearest = text_nearest(word, names);
    if (!nearest) nearest = begins_alike(word, names);
    text_quote(quoted, typed - 2, length + 2);
    if (nearest)
        return rk_fail(r->error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s is not known, did you mean --%s? reckon %s --help-all lists all flags",
                       quoted, nearest, r->usage->name);
    return rk_fail(r->error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "%s is not known: reckon %s --help-all lists all flags", quoted, r->usage->name);
}

/* The only option that begins so, as the published tool's parser takes them; NULL when there is
 * none or more than one. */
static const struct option *find_abbreviated(const struct usage *usage, const char *name,
                                             size_t length, const struct option_group **group)
{
    const struct option *found = NULL;
    for (const struct option_group *g = usage->groups; usage->abbreviations && g->rows; g++)
        for (const struct option *row = g->rows; row->name; row++) {
            if (length == 0 || strncmp(row->name, name, length) != 0) continue;
            if (found) return NULL;
            found = row;
            *group = g;
        }
    return found;
}

static enum rk_status read_long(struct reader *r, char *word)
{
    const struct option_group *group;
    const size_t length = strcspn(word + 2, "=");
    const struct option *option = find_option(r->usage, word + 2, length, '\0', &group);
    char name[72];
    if (!option) option = find_abbreviated(r->usage, word + 2, length, &group);
    if (!option) return unknown_option(r, word + 2, length);
    snprintf(name, sizeof name, "--%s", option->name);
    return read_option(r, option, group, name, word[2 + length] ? word + 3 + length : NULL);
}

/* "-m", "-mNAME", "-lp": letters up to the first that takes a value. */
static enum rk_status read_short(struct reader *r, char *word)
{
    char quoted[TEXT_QUOTE];
    enum rk_status status = RK_OK;
    for (char *letter = word + 1; *letter && status == RK_OK; letter++) {
        const struct option_group *group;
        const struct option *option = find_option(r->usage, NULL, 0, *letter, &group);
        const char name[3] = {'-', *letter, '\0'};
        if (!option)
            return rk_fail(r->error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "%s is not known: reckon %s --help-all lists all flags",
                           text_quote(quoted, word, strlen(word)), r->usage->name);
        char *value = takes_value(option) && letter[1] ? letter + 1 : NULL;
        status = read_option(r, option, group, name, value && *value == '=' ? value + 1 : value);
        if (takes_value(option)) break;
    }
    return status;
}

static enum rk_status missing_operand(const struct reader *r, const struct operand *operand)
{
    return rk_fail(r->error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "%s is missing: %s; reckon %s --help says more", operand->name,
                   option_help(r->usage, operand->name, operand->help), r->usage->name);
}

/* What an operand is so far, by an option of the same member or a word before; NULL: nothing. */
static const char **operand_member(const struct reader *r, const struct operand *operand)
{
    void *member = r->args + operand->offset;
    if (!operand->listed) return member;
    struct option_texts *texts = member;
    return &texts->text[texts->count ? texts->count - 1 : 0];
}

static bool is_given(const struct reader *r, const struct operand *operand)
{
    return *operand_member(r, operand) != NULL;
}

/* "h100-sxm5-80g" and "x8" are one text, of one operand of a command line. */
static enum rk_status join_word(const struct operand *operand, const char **member,
                                const char *word, struct rk_error *error)
{
    static char line[1024];
    const size_t used = strlen(*member);
    if (used + 1 + strlen(word) >= sizeof line)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: longer than %zu bytes: give a file",
                       operand->name, sizeof line - 1);
    if (*member != line) memcpy(line, *member, used);
    line[used] = ' ';
    strcpy(line + used + 1, word);
    *member = line;
    return RK_OK;
}

static enum rk_status read_operand(const struct reader *r, const char *word)
{
    static const struct operand none = {.name = NULL};
    const struct option_group *group;
    const struct operand *operand = r->usage->operands ? r->usage->operands : &none;
    for (; operand->name; operand++) {
        void *texts = r->args + operand->offset;
        enum operand_fit fit = OPERAND_TAKES;
        if (operand->optional == OPERAND_MANY)
            return add_text(operand->name, NULL, texts, word, r->error);
        const char **member = operand_member(r, operand), *given = *member;
        const enum rk_status status =
            operand->fit ? operand->fit(word, given, &fit, r->error) : RK_OK;
        if (status != RK_OK) return status;
        if (fit == OPERAND_ADDS) return join_word(operand, member, word, r->error);
        if (given || fit == OPERAND_PASSES) continue;
        if (operand->listed) return add_text(operand->name, NULL, texts, word, r->error);
        *member = word;
        return RK_OK;
    }
    return refuse(r->error, "too many arguments", word,
                  find_option(r->usage, "plan", 4, '\0', &group)
                      ? "is not expected: --help shows the usage; words of a plan go to --plan"
                      : "is not expected: --help shows the usage");
}

/* Words without a flag, after all options: operands that an option gave are passed over. */
static enum rk_status read_operands(const struct reader *r, char **words, int count)
{
    enum rk_status status = RK_OK;
    for (int i = 0; i < count && status == RK_OK; i++)
        status = read_operand(r, words[i]);
    for (const struct operand *o = r->usage->operands; status == RK_OK && o && o->name; o++)
        if (!o->optional && !is_given(r, o)) return missing_operand(r, o);
    return status;
}

/* Two answers in one file would be one of them. Devices take any number. */
static enum rk_status check_outputs_differ(const struct reader *r)
{
    const struct option *first[MAX_NAMES];
    const char *path[MAX_NAMES];
    struct stat there;
    int count = 0;
    for (const struct option_group *group = r->usage->groups; group->rows; group++)
        for (const struct option *row = group->rows; row->name && count < MAX_NAMES; row++) {
            if (row->type != OPTION_OUTPUT) continue;
            const char *value =
                *(const char *const *)(const void *)(r->args + group->offset + row->offset);
            if (!value || strcmp(value, "-") == 0) continue;
            if (stat(value, &there) == 0 && !S_ISREG(there.st_mode)) continue;
            for (int i = 0; i < count; i++)
                if (path[i] != value && strcmp(path[i], value) == 0)
                    return rk_fail(r->error, RK_BAD_ARGUMENT, NULL, 0, 0,
                                   "--%s and --%s name the same file, %s: give two names",
                                   first[i]->name, row->name, value);
            first[count] = row;
            path[count++] = value;
        }
    return RK_OK;
}

enum rk_status options_parse(const struct usage *usage, int argc, char **argv, void *args,
                             enum help *help, struct rk_error *error)
{
    struct reader r = {usage, argv + (argc > 0), argv + argc, args, HELP_NONE, error, NULL, 0, NULL,
                       NULL};
    char *words[2 * OPTION_MAX_VALUES];
    enum rk_status status = RK_OK;
    bool flags = true;
    int count = 0;
    *help = HELP_NONE;
    r.given = calloc((size_t)(argc > 0 ? argc : 1), sizeof *r.given);
    if (!r.given) return no_memory(error);
    while (r.next < r.end && status == RK_OK && !r.help) {
        char *word = *r.next++;
        if (flags && strcmp(word, "--") == 0)
            flags = false;
        else if (flags && strncmp(word, "--", 2) == 0)
            status = read_long(&r, word);
        else if (flags && word[0] == '-' && word[1])
            status = read_short(&r, word);
        else if (count < 2 * OPTION_MAX_VALUES)
            words[count++] = word;
        else
            status = refuse(error, "too many arguments", word, "is not expected");
    }
    free(r.given);
    *help = r.help;
    if (status == RK_OK && !r.help) status = check_outputs_differ(&r);
    return status == RK_OK && !r.help ? read_operands(&r, words, count) : status;
}
