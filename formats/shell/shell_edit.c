/* shell_edit.c - files that a script makes of templates in its folder: `cat a | sed s/X/3/ > b`. */
#include "shell/shell.h"
#include "shell/shell_run.h"

#include <string.h>

static bool is_literal(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (strchr("\\.*[]^$&", text[i])) return false;
    return length > 0;
}

static const char *replace_all(struct shell_state *s, const char *text, const char *from,
                               size_t from_length, const char *to, size_t to_length)
{
    size_t found = 0;
    const char *p = text;
    for (; (p = strstr(p, from)) != NULL; p += from_length)
        found++;
    char *made = shell_alloc(s, strlen(text) + found * to_length + 1), *at = made;
    if (!made) return text;
    for (p = text; *p;) {
        if (strncmp(p, from, from_length) == 0) {
            memcpy(at, to, to_length);
            at += to_length;
            p += from_length;
        } else {
            *at++ = *p++;
        }
    }
    return made;
}

/* "s/A/B/g" where A is no expression; false: it is something else. */
static bool substitute(struct shell_state *s, const struct shell_word *word,
                       struct shell_value *text)
{
    const char *command = word->text, bar = command[0] ? command[1] : 0;
    if (command[0] != 's' || !bar || bar == ' ') return false;
    const char *from = command + 2, *middle = strchr(from, bar);
    const char *end = middle ? strchr(middle + 1, bar) : NULL;
    if (!end || (end[1] && strcmp(end + 1, "g") != 0)) return false;
    const size_t length = (size_t)(middle - from), to = (size_t)(end - middle) - 1;
    if (!is_literal(from, length) || memchr(middle + 1, '\\', to) || memchr(middle + 1, '&', to))
        return false;
    const char *key = shell_copy(s, from, length);
    if (!strstr(text->text, key)) return true;
    if (word->unknown && !text->unknown) text->unknown = word->unknown;
    if (word->maybe && !text->maybe) text->maybe = word->maybe;
    text->text = replace_all(s, text->text, key, length, middle + 1, to);
    return true;
}

static bool load(struct shell_state *s, const struct shell_word *name, struct shell_value *text)
{
    struct shell_word written;
    const char *found = shell_file(s->shell, name->text, &written);
    *text = (struct shell_value){found, 0, 0, name->place};
    if (found) {
        text->unknown = written.unknown;
        text->maybe = written.maybe;
    } else {
        text->text = shell_source(s, name->text);
    }
    return text->text != NULL;
}

/* What comes out of the command, when what goes in is known. */
static bool pass(struct shell_state *s, const struct shell_word *words, size_t count)
{
    const bool cat = strcmp(words->text, "cat") == 0;
    const struct shell_word *script[16];
    size_t scripts = 0;
    bool have = s->streams;
    for (size_t i = 1; i < count; i++) {
        const bool option = strcmp(words[i].text, "-e") == 0;
        if (cat || (scripts && !option)) {
            if (words[i].text[0] == '-' || !load(s, &words[i], &s->stream)) return false;
            have = true;
        } else if (option && i + 1 < count && scripts < 16) {
            script[scripts++] = &words[++i];
        } else if (!option && words[i].text[0] != '-' && !scripts) {
            script[scripts++] = &words[i];
        } else {
            return false;
        }
    }
    for (size_t i = 0; have && i < scripts; i++)
        if (!substitute(s, script[i], &s->stream)) return false;
    return have;
}

void shell_edit(struct shell_state *s, const struct shell_word *words, size_t count,
                struct shell_token output)
{
    const bool editor =
        count && (strcmp(words->text, "cat") == 0 || strcmp(words->text, "sed") == 0);
    s->streams = editor && pass(s, words, count);
    if (!s->streams || !output.length) return;
    struct shell_words names = {0};
    shell_expand(s, output.raw, output.length, output.place, &names);
    if (names.count) shell_write(s, names.word->text, s->stream);
}
