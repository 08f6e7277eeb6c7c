/* shell_values.c - memory, variables and unknowns of a script that is read. */
#include "shell/shell_state.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shell_block {
    struct shell_block *next;
    _Alignas(max_align_t) char bytes[];
};

void *shell_alloc(struct shell_state *s, size_t size)
{
    struct shell_block *block = NULL;
    s->allocated += size;
    if (s->allocated > SHELL_MAX_MEMORY) {
        shell_fail(s, s->place, "the script makes texts without end");
        return NULL;
    }
    block = calloc(1, sizeof *block + size);
    if (!block) {
        if (s->status == RK_OK)
            s->status = rk_fail(s->error, RK_NO_MEMORY, s->shell->path, 0, 0, "out of memory");
        return NULL;
    }
    block->next = s->memory;
    s->memory = block;
    return block->bytes;
}

const char *shell_copy(struct shell_state *s, const char *text, size_t length)
{
    char *copy = shell_alloc(s, length + 1);
    if (!copy) return "";
    memcpy(copy, text, length);
    return copy;
}

void *shell_grow(struct shell_state *s, void *array, size_t count, size_t size)
{
    if (count && (count & (count - 1))) return array;
    void *larger = shell_alloc(s, (count ? 2 * count : 1) * size);
    if (larger && count) memcpy(larger, array, count * size);
    return larger;
}

void shell_fail(struct shell_state *s, struct shell_place place, const char *format, ...)
{
    char text[400];
    va_list values;
    if (s->status != RK_OK) return;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    s->status =
        rk_fail(s->error, RK_BAD_INPUT, s->shell->path, place.line, place.column, "%s", text);
}

size_t shell_unknown(struct shell_state *s, const char *name, const char *why,
                     struct shell_place place)
{
    struct shell *shell = s->shell;
    struct shell_unknown *list =
        shell_grow(s, shell->unknown, shell->unknowns, sizeof *shell->unknown);
    if (!list) return 0;
    shell->unknown = list;
    struct shell_unknown *unknown = &list[shell->unknowns++];
    snprintf(unknown->name, sizeof unknown->name, "%s", name);
    snprintf(unknown->why, sizeof unknown->why, "%s", why);
    unknown->place = place;
    return shell->unknowns;
}

size_t shell_derived(struct shell_state *s, size_t unknown)
{
    if (!unknown) return 0;
    const struct shell_unknown of = s->shell->unknown[unknown - 1];
    const size_t index = shell_unknown(s, of.name, of.why, of.place);
    if (!index) return unknown;
    struct shell_unknown *made = &s->shell->unknown[index - 1];
    *made = of;
    made->derived = true;
    made->asked[0] = '\0';
    return index;
}

void shell_asked(struct shell_state *s, size_t unknown, const char *text)
{
    if (!unknown) return;
    struct shell_unknown *u = &s->shell->unknown[unknown - 1];
    const char *name = u->name;
    if (!*name || !*text || strchr(text, SHELL_HOLE) || u->derived) return;
    for (size_t i = 0; i < unknown; i++) /* what is first known of it has them all */
        if (strcmp(s->shell->unknown[i].name, name) == 0) {
            u = &s->shell->unknown[i];
            break;
        }
    const size_t used = strlen(u->asked), length = strlen(text);
    const char *there = strstr(u->asked, text);
    if (there && strchr(", ", there[length]) && (there == u->asked || there[-1] == ' ')) return;
    if (used + length + 3 > sizeof u->asked) return;
    snprintf(u->asked + used, sizeof u->asked - used, "%s%s", used ? ", " : "", text);
}

void shell_assume(struct shell_state *s, const char *name, struct shell_place place)
{
    struct shell *shell = s->shell;
    for (size_t i = 0; i < shell->assumptions; i++)
        if (strcmp(shell->assumed[i].name, name) == 0) return;
    struct shell_assumed *list_of =
        shell_grow(s, shell->assumed, shell->assumptions, sizeof *shell->assumed);
    if (!list_of) return;
    shell->assumed = list_of;
    list_of[shell->assumptions++] =
        (struct shell_assumed){shell_copy(s, name, strlen(name)), place};
}

bool shell_from_outside(const char *name)
{
    static const char *const names[] = {
        "SLURM*",   "PBS*",   "LSB_*",    "LSF*",   "PMI*",    "OMPI*",  "MPI*",
        "PALS*",    "FLUX*",  "PET_*",    "MLP_*",  "ARNOLD*", "DLC*",   "KUBERNETES*",
        "COBALT*",  "*RANK*", "MASTER_*", "NODE*",  "HOST*",   "CUDA_*", "ASCEND*",
        "*JOB*ID*", "USER",   "HOME",     "*_HOME", "*PATH*",  "CONDA*", "VIRTUAL_ENV",
        "TMP*",     "PWD",    "SHELL",    "WORLD*", "*_ADDR",  "*_PORT", "NCCL*",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fnmatch(names[i], name, 0) == 0) return true;
    return false;
}

#define NAME "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"

/* The next NAME= of a script; *length is the name's. */
static const char *next_assignment(const char *at, size_t *length)
{
    for (; at && *at; at += *length ? *length : 1) {
        *length = strspn(at, NAME);
        if (*length && at[*length] == '=' && !isdigit((unsigned char)*at)) return at;
    }
    return NULL;
}

bool shell_assigns(const struct shell_state *s, const char *name)
{
    const size_t n = strlen(name);
    size_t length;
    for (const char *at = next_assignment(s->whole, &length); at;
         at = next_assignment(at + length, &length))
        if (n && length == n && strncmp(at, name, n) == 0 &&
            (at == s->whole || strchr(" \t\n;(", at[-1])))
            return true;
    return false;
}

struct shell_variable *shell_find(const struct shell_state *s, const char *name, size_t length)
{
    for (size_t i = 0; i < s->variables; i++)
        if (strncmp(s->variable[i].name, name, length) == 0 && !s->variable[i].name[length])
            return &s->variable[i];
    return NULL;
}

struct shell_variable *shell_find_or_add(struct shell_state *s, const char *name, size_t length)
{
    struct shell_variable *found = shell_find(s, name, length);
    if (found) return found;
    struct shell_variable *list = shell_grow(s, s->variable, s->variables, sizeof *s->variable);
    const char *copy = shell_copy(s, name, length);
    if (!list || s->status != RK_OK) return NULL;
    s->variable = list;
    found = &list[s->variables++];
    *found = (struct shell_variable){.name = copy};
    return found;
}

static void note_assignment(struct shell_state *s, const struct shell_variable *before)
{
    struct shell_variable *list_of =
        shell_grow(s, s->assignment, s->assigned, sizeof *s->assignment);
    if (!list_of) return;
    s->assignment = list_of;
    list_of[s->assigned++] = *before;
}

static struct shell_value join(struct shell_state *s, struct shell_value a, struct shell_value b)
{
    const size_t first = strlen(a.text), second = strlen(b.text);
    char *text = shell_alloc(s, first + second + 1);
    if (!text) return a;
    memcpy(text, a.text, first);
    memcpy(text + first, b.text, second);
    return (struct shell_value){text, a.unknown ? a.unknown : b.unknown,
                                a.maybe ? a.maybe : b.maybe, a.place};
}

/* What is the output of a command, or an argument of the script, can be given under the name that
 * it is assigned to: what is assigned is nothing else. */
static void name_unknown(struct shell_state *s, const char *name, const struct shell_value *value)
{
    if (!value->unknown) return;
    struct shell_unknown *unknown = &s->shell->unknown[value->unknown - 1];
    const bool alone = value->text[0] == SHELL_HOLE && !value->text[SHELL_HOLE_LENGTH];
    const bool argument = isdigit((unsigned char)unknown->name[0]);
    if (unknown->name[0] && !argument) return;
    if (!*unknown->give) snprintf(unknown->give, sizeof unknown->give, "%s", name);
    if (!alone) return; /* a part of it has no name of its own */
    if (argument)
        snprintf(unknown->why, sizeof unknown->why, "is argument %.8s of this script",
                 unknown->name);
    snprintf(unknown->name, sizeof unknown->name, "%s", name);
}

/* declare -i: the value is computed, and += adds. */
static void assign_number(struct shell_state *s, struct shell_variable *v,
                          const struct shell_value *value, bool append)
{
    size_t unknown = 0;
    char text[32];
    int64_t number = shell_arithmetic(s, value->text, value->place, &unknown);
    if (append && v->set && v->count && !unknown)
        number += shell_arithmetic(s, v->value[0].text, value->place, &unknown);
    snprintf(text, sizeof text, "%" PRId64, number);
    struct shell_value *one = shell_alloc(s, sizeof *one);
    if (!one) return;
    *one = (struct shell_value){shell_copy(s, text, strlen(text)), unknown, 0, value->place};
    v->value = one;
    v->count = 1;
    v->set = true;
}

void shell_assign(struct shell_state *s, const char *name, size_t length,
                  const struct shell_value *values, size_t count, bool array, bool append)
{
    struct shell_variable *v = shell_find_or_add(s, name, length);
    if (!v) return;
    note_assignment(s, v);
    if (v->given) return;
    for (size_t i = 0; i < count; i++)
        name_unknown(s, v->name, &values[i]);
    const bool keep = append && v->set;
    if (keep && v->count && !array && !v->array && !v->number) {
        struct shell_value *joined = shell_alloc(s, sizeof *joined);
        if (!joined) return;
        *joined = join(s, v->value[0], values[0]);
        v->value = joined;
        return;
    }
    if (v->number && !array && !values[0].unknown && !values[0].maybe) {
        assign_number(s, v, &values[0], append);
        return;
    }
    const size_t before = keep ? v->count : 0;
    struct shell_value *all = shell_alloc(s, (before + count + 1) * sizeof *all);
    if (!all) return;
    if (before) memcpy(all, v->value, before * sizeof *all);
    if (count) memcpy(all + before, values, count * sizeof *all);
    v->value = all;
    v->count = before + count;
    v->array = array || (keep && v->array);
    v->set = true;
}

int64_t shell_key(const struct shell_variable *variable, const char *key)
{
    for (size_t i = 0; variable->keyed && i < variable->count; i++)
        if (strcmp(variable->key[i], key) == 0) return (int64_t)i;
    return -1;
}

enum { MOST_ELEMENTS = 4096 };

/* A copy with room for `count` elements, and the keys likewise. */
static bool widen(struct shell_state *s, struct shell_variable *v, size_t count)
{
    const size_t size = count > v->count ? count : v->count;
    struct shell_value *values = shell_alloc(s, (size + 1) * sizeof *values);
    const char **keys = shell_alloc(s, (size + 1) * sizeof *keys);
    if (!values || !keys) return false;
    for (size_t i = 0; i < size; i++) {
        values[i] = i < v->count ? v->value[i] : (struct shell_value){.text = ""};
        keys[i] = v->keyed && i < v->count ? v->key[i] : "";
    }
    v->value = values;
    v->key = keys;
    v->count = size;
    return true;
}

void shell_assign_element(struct shell_state *s, const char *name, size_t length,
                          const struct shell_value *key, const struct shell_value *value,
                          bool append)
{
    struct shell_variable *v = shell_find_or_add(s, name, length);
    size_t unknown = key->unknown ? key->unknown : key->maybe;
    if (!v) return;
    note_assignment(s, v);
    if (v->given) return;
    int64_t index = -1;
    if (v->keyed && !unknown) {
        index = shell_key(v, key->text);
        if (index < 0) index = (int64_t)v->count;
    } else if (!unknown) {
        index = shell_arithmetic(s, key->text, key->place, &unknown);
        if (index < 0) index += (int64_t)v->count;
    }
    if (unknown || index < 0 || index >= MOST_ELEMENTS) {
        const char *copy = shell_copy(s, name, length);
        const struct shell_value all = {
            "",
            shell_unknown(s, copy, "has an element of which is not known where it stands",
                          key->place),
            0, key->place};
        shell_assign(s, name, length, &all, 1, false, false);
        return;
    }
    const bool fresh = (size_t)index >= v->count;
    if (!widen(s, v, (size_t)index + 1)) return;
    if (v->keyed) v->key[index] = key->text;
    v->value[index] = append && !fresh ? join(s, v->value[index], *value) : *value;
    v->array = v->set = true;
}

void shell_keep(struct shell_state *s, const char *name, size_t length)
{
    struct shell_variable *v = shell_find_or_add(s, name, length);
    struct shell_variable *list_of = shell_grow(s, s->local, s->locals, sizeof *s->local);
    if (!v || !list_of) return;
    s->local = list_of;
    list_of[s->locals++] = *v;
}

void shell_take_back(struct shell_state *s, size_t mark)
{
    for (; s->locals > mark; s->locals--) {
        const struct shell_variable *before = &s->local[s->locals - 1];
        struct shell_variable *v = shell_find(s, before->name, strlen(before->name));
        if (v && !v->given) *v = *before;
    }
}

/* Are the elements of `before` the first of `now`? */
static bool extends(const struct shell_variable *now, const struct shell_variable *before)
{
    if (!before->set || (!before->array && !before->count) || !now->set ||
        now->array != before->array || now->keyed || now->count < before->count)
        return false;
    if (!now->array)
        return strncmp(now->value[0].text, before->value[0].text, strlen(before->value[0].text)) ==
                   0 &&
               now->value[0].unknown == before->value[0].unknown;
    for (size_t i = 0; i < before->count; i++)
        if (now->value[i].text != before->value[i].text) return false;
    return true;
}

/* What was appended is marked as doubtful. */
static void doubt(struct shell_state *s, struct shell_variable *now,
                  const struct shell_variable *before, size_t condition)
{
    static const char open[] = {SHELL_MAYBE, 0}, close[] = {SHELL_SURE, 0};
    struct shell_value *all = shell_alloc(s, (now->count + 1) * sizeof *all);
    if (!all) return;
    memcpy(all, now->value, now->count * sizeof *all);
    for (size_t i = before->count; i < now->count; i++)
        if (!all[i].maybe) all[i].maybe = condition;
    if (!now->array) {
        const struct shell_value tail = {all[0].text + strlen(before->value[0].text), 0, condition,
                                         all[0].place};
        const struct shell_value marks[2] = {{open, 0, 0, tail.place}, {close, 0, 0, tail.place}};
        all[0] = join(s, join(s, before->value[0], marks[0]), join(s, tail, marks[1]));
    }
    now->value = all;
}

/* What is unknown because of a condition is given by giving what the condition depends on. */
static size_t unknown_by(struct shell_state *s, const char *name, const char *why,
                         struct shell_place place, size_t cause)
{
    const size_t index = shell_unknown(s, name, why, place);
    if (!index || !cause) return index;
    struct shell_unknown *list = s->shell->unknown;
    const char *give = *list[cause - 1].give ? list[cause - 1].give : list[cause - 1].name;
    snprintf(list[index - 1].give, sizeof list->give, "%s", give);
    return index;
}

void shell_poison(struct shell_state *s, size_t mark, struct shell_place place, size_t cause)
{
    char why[96];
    const size_t last = s->assigned;
    snprintf(why, sizeof why, "depends on the condition in line %d, which the script does not tell",
             place.line);
    for (size_t i = mark; i < last; i++) {
        const struct shell_variable before = s->assignment[i];
        struct shell_variable *v = shell_find(s, before.name, strlen(before.name));
        bool first = true; /* assignment since the mark */
        for (size_t k = mark; k < i; k++)
            first &= s->assignment[k].name != before.name;
        if (!v || v->given || !first) continue;
        if (extends(v, &before)) {
            doubt(s, v, &before, unknown_by(s, "", why, place, cause));
            continue;
        }
        struct shell_value *value = shell_alloc(s, sizeof *value);
        if (!value) return;
        const char *was = v->set && v->count && !v->array ? v->value[0].text : NULL;
        *value = (struct shell_value){"", unknown_by(s, before.name, why, place, cause), 0, place};
        if (value->unknown) s->shell->unknown[value->unknown - 1].was = was;
        v->value = value;
        v->count = 1;
        v->set = true;
    }
}

void shell_restore(struct shell_state *s, size_t mark)
{
    for (; s->assigned > mark; s->assigned--) {
        const struct shell_variable *before = &s->assignment[s->assigned - 1];
        struct shell_variable *v = shell_find(s, before->name, strlen(before->name));
        if (v && !v->given) *v = *before;
    }
}

const char *shell_variable(const struct shell *shell, const char *name)
{
    const struct shell_state *s = shell->state;
    const struct shell_variable *v = s ? shell_find(s, name, strlen(name)) : NULL;
    for (size_t i = s ? s->environments : 0; i-- > 0 && !(v && v->set);)
        if (strcmp(s->environment[i].name, name) == 0) v = &s->environment[i];
    return v && v->set && v->count && !v->array && !v->value[0].unknown && !v->value[0].maybe
               ? v->value[0].text
               : NULL;
}

const char *shell_missing(const struct shell *shell)
{
    return shell->state ? shell->state->unread : NULL;
}

bool shell_stopped(const struct shell *shell)
{
    return shell->state && shell->state->stopped;
}

const char *shell_program(const struct shell *shell)
{
    for (size_t i = 0; i < shell->words; i++) {
        const char *text = shell->word[i].text;
        const size_t n = strlen(text);
        if (n > 3 && strcmp(text + n - 3, ".py") == 0 && text[0] != '-') return text;
    }
    return NULL;
}

const char *shell_variable_with(const struct shell *shell, bool (*is)(const char *text))
{
    const struct shell_state *s = shell->state;
    for (size_t i = 0; s && i < s->variables; i++)
        for (size_t k = 0; s->variable[i].set && k < s->variable[i].count; k++)
            if (is(s->variable[i].value[k].text)) return s->variable[i].name;
    return NULL;
}

void shell_write(struct shell_state *s, const char *name, struct shell_value text)
{
    struct shell_written *files = shell_grow(s, s->file, s->files, sizeof *s->file);
    if (!files) return;
    s->file = files;
    if (s->maybe && !text.unknown) {
        char why[96];
        snprintf(why, sizeof why,
                 "depends on the condition in line %d, which the script does not tell",
                 s->condition.line);
        text.unknown = unknown_by(s, "", why, s->condition, s->reason);
    }
    files[s->files++] = (struct shell_written){name, text};
}

/* "./a.yaml" is a.yaml. */
static const char *plain_path(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        path += 2 + strspn(path + 2, "/");
    return path;
}

const char *shell_file(const struct shell *shell, const char *name, struct shell_word *word)
{
    const struct shell_state *s = shell->state;
    for (size_t i = s ? s->files : 0; i-- > 0;) {
        const struct shell_value *value = &s->file[i].text;
        if (strcmp(plain_path(s->file[i].name), plain_path(name)) != 0) continue;
        *word = (struct shell_word){value->text, value->unknown, value->maybe, false, value->place};
        return value->text;
    }
    return NULL;
}

const char *shell_never_set(const struct shell *shell, const struct shell_word *word)
{
    const struct shell_unknown *u = word->unknown ? &shell->unknown[word->unknown - 1] : NULL;
    const bool alone = u && word->empty_unknown && !word->maybe && word->text[0] == '$' &&
                       strcmp(word->text + 1, u->name) == 0;
    return alone && u->unset && !shell->state->unread && !shell_from_outside(u->name) ? u->name
                                                                                      : NULL;
}

/* As many of "a.sh, b.sh" as find room, at least the first. */
static int listed_length(const char *names, size_t room)
{
    size_t length = strcspn(names, ",");
    for (size_t next = length; names[next] && next < room;
         next += 2 + strcspn(names + next + 2, ","))
        length = next;
    if (strlen(names) < room) length = strlen(names);
    return (int)(length < room ? length : room);
}

/* ", which it compares with true, false", ", nor is model.sh at hand, which it sources": what helps
 * to give a value. */
static void add_help(const struct shell *shell, const struct shell_unknown *u, const char *name,
                     char *text, size_t size)
{
    const char *asked = "", *unread = u->unset ? shell->state->unread : NULL;
    for (size_t i = 0; i < shell->unknowns && !*asked; i++)
        if (strcmp(shell->unknown[i].name, name) == 0) asked = shell->unknown[i].asked;
    *text = '\0';
    if (*asked)
        snprintf(text, size, " (it is compared with %s)", asked);
    else if (unread)
        snprintf(text, size, ", or have %.*s next to the script, which it sources",
                 listed_length(unread, 120), unread);
}

enum rk_status shell_fail_unknown(const struct shell *shell, const struct shell_word *word,
                                  struct rk_error *error)
{
    const size_t index = word->unknown ? word->unknown : word->maybe;
    const struct shell_unknown *u = &shell->unknown[index - 1];
    const char *give = *u->give ? u->give : u->name;
    char help[200];
    const char *file =
        u->unset ? strrchr(shell->state->unread ? shell->state->unread : "", '$') : 0;
    if (file && file[1 + strspn(file + 1, NAME)] != '/')
        return rk_fail(error, RK_BAD_INPUT, shell->path, u->place.line, u->place.column,
                       "$%s %s, but it sources %.80s: give --set %.*s=VALUE", u->name, u->why,
                       shell->state->unread, (int)strspn(file + 1, NAME), file + 1);
    add_help(shell, u, give, help, sizeof help);
    if (!word->unknown && *u->give)
        return rk_fail(error, RK_BAD_INPUT, shell->path, word->place.line, word->place.column,
                       "%.40s %s: give --set %s=VALUE%s", word->text, u->why, give, help);
    if (!word->unknown)
        return rk_fail(error, RK_BAD_INPUT, shell->path, word->place.line, word->place.column,
                       "%.40s %s: give the variables of that condition with --set NAME=VALUE",
                       word->text, u->why);
    if (!u->name[0] && *u->give)
        return rk_fail(error, RK_BAD_INPUT, shell->path, u->place.line, u->place.column,
                       "this %s: give --set %s=VALUE%s", u->why, give, help);
    if (!u->name[0])
        return rk_fail(error, RK_BAD_INPUT, shell->path, u->place.line, u->place.column,
                       "this %s: give --set @%d:%d=VALUE", u->why, u->place.line, u->place.column);
    return rk_fail(error, RK_BAD_INPUT, shell->path, u->place.line, u->place.column,
                   "$%s %s: give --set %s=VALUE%s", u->name, u->why, give, help);
}

enum rk_status shell_fail_stopped(const struct shell *shell, struct rk_error *error)
{
    if (!shell->assumptions || !shell_stopped(shell)) return RK_OK;
    const struct shell_assumed *last = &shell->assumed[shell->assumptions - 1];
    return rk_fail(error, RK_BAD_INPUT, shell->path, last->place.line, last->place.column,
                   "$%s is not set in this script, which ends without it: give --set %s=VALUE",
                   last->name, last->name);
}

void shell_release(struct shell *shell)
{
    struct shell_block *block = shell->state ? shell->state->memory : NULL;
    while (block) {
        struct shell_block *next = block->next;
        free(block);
        block = next;
    }
    free(shell->state);
    *shell = (struct shell){.words = 0};
}
