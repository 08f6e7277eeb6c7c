/* shell_output.c - `$(command)` of commands that only compute: nothing is run, they are imitated.
 */
#include "shell/shell_state.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 4096 };

static struct shell_value text_value(struct shell_state *s, const char *text, size_t length,
                                     struct shell_place place)
{
    return (struct shell_value){shell_copy(s, text, length), 0, 0, place};
}

static struct shell_value join_words(struct shell_state *s, const struct shell_word *words,
                                     size_t count, struct shell_place place)
{
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += strlen(words[i].text) + 1;
    char *text = shell_alloc(s, length + 1);
    for (size_t i = 0, used = 0; text && i < count; i++)
        used +=
            (size_t)snprintf(text + used, length + 1 - used, "%s%s", i ? " " : "", words[i].text);
    return (struct shell_value){text ? text : "", 0, 0, place};
}

/* `seq 4`, `seq 0 3`, `seq 0 2 6` */
static bool sequence(struct shell_state *s, const struct shell_word *words, size_t count,
                     struct shell_place place, struct shell_value *value)
{
    long long number[3] = {1, 1, 0};
    for (size_t i = 0; i < count; i++) {
        char *end;
        const size_t at = count == 1 ? 2 : count == 2 ? 2 * i : i;
        if (count > 3) return false;
        number[at] = strtoll(words[i].text, &end, 10);
        if (end == words[i].text || *end) return false;
    }
    if (!count || number[1] == 0 || (number[2] - number[0]) / number[1] > MOST_NUMBERS)
        return false;
    char *text = shell_alloc(s, (size_t)MOST_NUMBERS * 24);
    size_t used = 0;
    for (long long i = number[0]; text && (number[1] > 0 ? i <= number[2] : i >= number[2]);
         i += number[1])
        used += (size_t)snprintf(text + used, (size_t)MOST_NUMBERS * 24 - used, "%s%lld",
                                 used ? "\n" : "", i);
    *value = (struct shell_value){text ? text : "", 0, 0, place};
    return text != NULL;
}

/* Digits and operators only: what bash and bc compute alike, where nothing is left over. */
static bool compute(struct shell_state *s, const char *text, struct shell_place place,
                    struct shell_value *value)
{
    size_t unknown = 0;
    char number[32];
    bool divides = false;
    for (const char *p = text; *p; p++) {
        if (!isdigit((unsigned char)*p) && !strchr(" +-*/%()", *p)) return false;
        divides |= *p == '/' || *p == '%';
    }
    if (!strpbrk(text, "0123456789") || (divides && strstr(text, "/0"))) return false;
    const int64_t result = shell_arithmetic(s, text, place, &unknown);
    snprintf(number, sizeof number, "%" PRId64, result);
    *value = text_value(s, number, strlen(number), place);
    return !unknown;
}

/* `dirname a/b`, `basename a/b.sh .sh` */
static bool part_of_path(struct shell_state *s, const struct shell_word *words, size_t count,
                         bool folder, struct shell_place place, struct shell_value *value)
{
    if (count > 2 && strcmp(words[1].text, "--") == 0) {
        words++;
        count--;
    }
    if (count < 2 || count > 3 || words[1].text[0] == '-') return false;
    const char *path = words[1].text, *slash = strrchr(path, '/');
    if (folder) {
        *value = slash == path ? text_value(s, "/", 1, place)
                 : slash       ? text_value(s, path, (size_t)(slash - path), place)
                               : text_value(s, ".", 1, place);
        return !slash || slash[1];
    }
    const char *base = slash ? slash + 1 : path;
    size_t length = strlen(base);
    const size_t ending = count == 3 ? strlen(words[2].text) : 0;
    if (ending && ending < length && strcmp(base + length - ending, words[2].text) == 0)
        length -= ending;
    *value = text_value(s, base, length, place);
    return length > 0;
}

static bool read_command(struct shell_state *s, const char *text, size_t length,
                         struct shell_place place, struct shell_words *words);
static bool is_known(const struct shell_words *words);

/* `realpath a`, `readlink -f a`: as if no part of it were a link. */
static bool real_path(struct shell_state *s, const struct shell_word *words, size_t count,
                      struct shell_place place, struct shell_value *value)
{
    size_t i = 1;
    for (; i < count && words[i].text[0] == '-'; i++)
        if (strncmp(words[i].text, "--relative", 10) == 0) return false; /* another path */
    if (i + 1 != count) return false;
    *value = text_value(s, words[i].text, strlen(words[i].text), place);
    return true;
}

/* `cd a && pwd`: a, without the output that is thrown away and "--". */
static bool folder_of(struct shell_state *s, const char *command, size_t length,
                      struct shell_place place, struct shell_value *value)
{
    struct shell_words words = {0};
    const char *end = command + length, *stop = end;
    while (stop > command && !(stop[-1] == '&' || stop[-1] == ';'))
        stop--;
    const char *last = stop + strspn(stop, " \t\n");
    if (end - last < 3 || strncmp(last, "pwd", 3) != 0 || stop == command) return false;
    if (memchr(command, '|', length)) return false; /* another program changes it, or `||` */
    while (stop > command && strchr("&; \t", stop[-1]))
        stop--;
    for (const char *p = command; p + 1 < stop; p++) /* "cd a > /dev/null 2>&1" */
        if (*p == '>') {
            stop = p;
            while (stop > command && strchr("&12 \t", stop[-1]))
                stop--;
        }
    if (!read_command(s, command, (size_t)(stop - command), place, &words) || !is_known(&words))
        return false;
    return real_path(s, words.word, words.count, place, value);
}

/* `printf "%d" 5`, `printf %s text`: one conversion and nothing else. */
static bool formatted(struct shell_state *s, const struct shell_word *words, size_t count,
                      struct shell_place place, struct shell_value *value)
{
    if (count == 2 && !strpbrk(words[1].text, "%\\"))
        *value = text_value(s, words[1].text, strlen(words[1].text), place);
    else if (count == 3 &&
             (strcmp(words[1].text, "%s") == 0 || strcmp(words[1].text, "%d") == 0 ||
              strcmp(words[1].text, "%s\\n") == 0 || strcmp(words[1].text, "%d\\n") == 0) &&
             words[2].text[0] != '0')
        *value = text_value(s, words[2].text, strlen(words[2].text), place);
    else
        return false;
    return true;
}

/* `which swift`, `command -v swift`: the program, wherever it is. */
static bool program_of(struct shell_state *s, const struct shell_word *words, size_t count,
                       struct shell_place place, struct shell_value *value)
{
    const char *name = words[count - 1].text;
    const bool which = strcmp(words[0].text, "which") == 0 && count == 2;
    const bool command = count == 3 && strcmp(words[1].text, "-v") == 0;
    if ((!which && !command) || *name == '-') return false;
    *value = text_value(s, name, strlen(name), place);
    return true;
}

static bool imitate(struct shell_state *s, const struct shell_word *words, size_t count, bool bc,
                    struct shell_place place, struct shell_value *value)
{
    const char *name = words[0].text;
    if (bc && strcmp(name, "echo") == 0)
        return compute(s, join_words(s, words + 1, count - 1, place).text, place, value);
    if (bc) return false;
    if (strcmp(name, "echo") == 0 && !(count > 1 && words[1].text[0] == '-')) {
        *value = join_words(s, words + 1, count - 1, place);
        return true;
    }
    if (strcmp(name, "seq") == 0) return sequence(s, words + 1, count - 1, place, value);
    if (strcmp(name, "expr") == 0)
        return compute(s, join_words(s, words + 1, count - 1, place).text, place, value);
    if (strcmp(name, "printf") == 0) return formatted(s, words, count, place, value);
    if (strcmp(name, "dirname") == 0 || strcmp(name, "basename") == 0)
        return part_of_path(s, words, count, *name == 'd', place, value);
    if (strcmp(name, "realpath") == 0 || strcmp(name, "readlink") == 0)
        return real_path(s, words, count, place, value);
    if (strcmp(name, "which") == 0 || strcmp(name, "command") == 0)
        return program_of(s, words, count, place, value);
    return false;
}

/* The words of a command without operators; quotes are honoured. */
static bool read_command(struct shell_state *s, const char *text, size_t length,
                         struct shell_place place, struct shell_words *words)
{
    const char *end = text + length;
    for (const char *p = text; p < end;) {
        size_t n = 0;
        if (isspace((unsigned char)*p)) {
            p++;
            continue;
        }
        while (p + n < end && !isspace((unsigned char)p[n])) {
            if (strchr(";&|<>()#", p[n]) && p[n]) return false;
            const bool opens =
                strchr("\"'`", p[n]) || (p[n] == '$' && p + n + 1 < end && strchr("({", p[n + 1]));
            const size_t span = p[n] == '\\' ? 2 : opens ? shell_span(p + n, end) : 1;
            if (!span || p + n + span > end) return false;
            n += span;
        }
        shell_expand(s, p, n, place, words);
        p += n;
    }
    return words->count > 0;
}

static bool is_known(const struct shell_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->word[i].unknown || words->word[i].maybe) return false;
    return true;
}

bool shell_output(struct shell_state *s, const char *command, size_t length,
                  struct shell_place place, struct shell_value *value)
{
    struct shell_words words = {0};
    static const char *const known[] = {"echo",    "seq",      "expr",     "printf",
                                        "dirname", "basename", "realpath", "readlink",
                                        "which ",  "command ", "cd ",      NULL};
    bool begins = false, bc = false;
    while (length && isspace((unsigned char)*command)) {
        command++;
        length--;
    }
    while (length && isspace((unsigned char)command[length - 1]))
        length--;
    for (int i = 0; known[i]; i++)
        begins |= strncmp(command, known[i], strlen(known[i])) == 0;
    if (!begins) return false;
    if (strncmp(command, "cd ", 3) == 0) return folder_of(s, command, length, place, value);
    if (length > 4 && memcmp(command + length - 2, "bc", 2) == 0) {
        size_t n = length - 2;
        while (n && command[n - 1] == ' ')
            n--;
        bc = n && command[n - 1] == '|';
        if (bc) length = n - 1;
    }
    return read_command(s, command, length, place, &words) && is_known(&words) &&
           imitate(s, words.word, words.count, bc, place, value);
}
