#include "shell/shell_build.h"

#include "shell/shell_state.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

/* "$A" and "_b" are "${A}_b", not the variable A_b: a word may be read as a command once more. */
static void set_apart(struct builder *b)
{
    const size_t name = b->bare;
    b->bare = 0;
    shell_build(b, "{}", 2);
    memmove(b->text + name + 1, b->text + name, b->length - name - 2);
    b->text[name] = '{';
    b->text[b->length - 1] = '}';
}

void shell_build(struct builder *b, const char *text, size_t length)
{
    if (b->bare && length && (isalnum((unsigned char)*text) || *text == '_')) set_apart(b);
    if (length) b->bare = 0;
    if (b->length + length + 1 > b->room) {
        const size_t room = 2 * (b->length + length) + 32;
        char *larger = shell_alloc(b->s, room);
        if (!larger) return;
        if (b->length) memcpy(larger, b->text, b->length);
        b->text = larger;
        b->room = room;
    }
    memcpy(b->text + b->length, text, length);
    b->length += length;
    b->text[b->length] = '\0';
    b->started = true;
    if (length) b->all_unknown = false;
}

void shell_build_end(struct builder *b)
{
    if (!b->started || !b->words) return;
    struct shell_word *list =
        shell_grow(b->s, b->words->word, b->words->count, sizeof *b->words->word);
    if (!list) return;
    b->words->word = list;
    list[b->words->count++] = (struct shell_word){.text = b->text ? b->text : "",
                                                  .unknown = b->unknown,
                                                  .maybe = b->maybe,
                                                  .empty_unknown = b->all_unknown,
                                                  .place = b->origin};
    b->text = NULL;
    b->length = b->room = b->unknown = b->maybe = b->bare = 0;
    b->started = b->all_unknown = false;
    b->origin = b->place;
}

void shell_build_unknown(struct builder *b, size_t unknown, bool quoted)
{
    const bool first = !b->started;
    char hole[SHELL_HOLE_LENGTH] = {SHELL_HOLE};
    if (!unknown) return;
    const char *name = b->s->shell->unknown[unknown - 1].name;
    for (int i = 1; i < SHELL_HOLE_LENGTH; i++)
        hole[i] = (char)('@' + ((unknown - 1) >> (5 * (i - 1)) & 31));
    if (b->words) {
        shell_build(b, "$", 1);
        shell_build(b, *name ? name : "(...)", *name ? strlen(name) : 5);
        b->bare = *name ? b->length - strlen(name) : 0;
    } else {
        shell_build(b, hole, sizeof hole);
    }
    if (!b->unknown) b->unknown = unknown;
    b->all_unknown = first && !quoted;
}

static size_t hole_index(const char *hole)
{
    size_t index = 0;
    for (int i = 1; i < SHELL_HOLE_LENGTH; i++)
        index |= (size_t)((hole[i] - '@') & 31) << (5 * (i - 1));
    return index + 1;
}

/* Puts a value into words: holes become unknown, what stands between the marks makes its words
 * doubtful, and unless it is quoted, blanks end a word. */
static void shell_build_parts(struct builder *b, const struct shell_value *value, bool quoted)
{
    static const char marks[] = {SHELL_MAYBE, SHELL_SURE, SHELL_HOLE, 0};
    static const char stops[] = {' ', '\t', '\n', SHELL_MAYBE, SHELL_SURE, SHELL_HOLE, 0};
    const bool whole = value->maybe && !strchr(value->text, SHELL_MAYBE);
    bool doubtful = whole;
    for (const char *p = value->text; *p;) {
        const size_t n = strcspn(p, quoted ? marks : stops);
        if (n) shell_build(b, p, n);
        if (n == 0 && *p == SHELL_HOLE)
            shell_build_unknown(b, hole_index(p), quoted);
        else if (n == 0 && (*p == SHELL_MAYBE || *p == SHELL_SURE))
            doubtful = *p == SHELL_MAYBE;
        else if (n == 0)
            shell_build_end(b);
        if (doubtful && (n || *p == SHELL_HOLE) && !b->maybe) b->maybe = value->maybe;
        p += n ? n : *p == SHELL_HOLE ? SHELL_HOLE_LENGTH : 1;
    }
}

void shell_build_value(struct builder *b, const struct shell_value *value, bool quoted)
{
    if (!b->started && value->place.line) b->origin = value->place;
    if (quoted) shell_build(b, "", 0);
    if (b->words) {
        shell_build_parts(b, value, quoted);
    } else {
        shell_build(b, value->text, strlen(value->text));
        if (!b->unknown && strchr(value->text, SHELL_HOLE)) b->unknown = value->unknown;
        if (!b->maybe) b->maybe = value->maybe;
    }
    if (value->unknown && !strchr(value->text, SHELL_HOLE))
        shell_build_unknown(b, value->unknown, quoted);
}

void shell_build_list(struct builder *b, const struct shell_value *values, size_t count,
                      bool quoted, bool at)
{
    for (size_t i = 0; i < count; i++) {
        if (i && quoted && at && b->words)
            shell_build_end(b);
        else if (i && (quoted || !b->words))
            shell_build(b, " ", 1);
        else if (i)
            shell_build_end(b);
        shell_build_value(b, &values[i], quoted);
    }
}
