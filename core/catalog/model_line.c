#include "catalog/catalog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_MOST = 64, VALUE_MOST = 128 };

bool model_line_is(const char *name)
{
    return strchr(name, ' ') && access(name, F_OK) != 0;
}

/* A whole number, a number, true, false, or a word. */
static json_t *value_of(const char *text)
{
    char *end = NULL;
    if (strcmp(text, "true") == 0) return json_true();
    if (strcmp(text, "false") == 0) return json_false();
    errno = 0;
    const long long whole = strtoll(text, &end, 10);
    if (end != text && !*end && errno == 0) return json_integer(whole);
    const double number = strtod(text, &end);
    if (end != text && !*end) return json_real(number);
    return json_string(text);
}

/* KEY=VALUE into the object; `word` is `length` long. */
static enum rk_status set_word(json_t *root, const char *line, const char *word, size_t length,
                               struct rk_error *error)
{
    char key[KEY_MOST], value[VALUE_MOST];
    const int column = (int)(word - line) + 1;
    const char *equals = memchr(word, '=', length);
    const size_t before = equals ? (size_t)(equals - word) : 0, after = length - before - 1;
    if (!before || before >= sizeof key || !after || after >= sizeof value)
        return rk_fail(
            error, RK_BAD_INPUT, line, 1, column,
            "\"%.*s\": after the model's name come KEY=VALUE, as in \"llama-7b layers=16\"",
            (int)length, word);
    snprintf(key, sizeof key, "%.*s", (int)before, word);
    snprintf(value, sizeof value, "%.*s", (int)after, equals + 1);
    if (document_word(line, key) != word)
        return rk_fail(error, RK_BAD_INPUT, line, 1, column, "%s is given twice: leave one out",
                       key);
    if (json_object_set_new(root, key, value_of(value)) == 0) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, line, 1, column, "%s: the value is not text", key);
}

static enum rk_status set_words(json_t *root, const char *line, const char *words,
                                struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (const char *at = words + strspn(words, " "); *at && status == RK_OK;
         at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        status = set_word(root, line, at, length, error);
        at += length;
    }
    return status;
}

/* What is wrong in the text is told with its column, and with the line as its name. */
static enum rk_status parse_again(json_t *root, const char *line, struct document *document,
                                  struct rk_error *error)
{
    char *text = json_dumps(root, JSON_COMPACT);
    if (!text) return rk_fail(error, RK_IO, line, 0, 0, "out of memory");
    document_release(document);
    const enum rk_status status = document_parse(line, text, strlen(text), document, error);
    free(text);
    if (status != RK_OK) return status;
    document->line = strdup(line);
    return document->line ? RK_OK : rk_fail(error, RK_NO_MEMORY, line, 0, 0, "out of memory");
}

enum rk_status model_line_base(const char *line, char base[static MODEL_LINE_BASE],
                               struct rk_error *error)
{
    const size_t length = strcspn(line, " ");
    if (!length || length >= MODEL_LINE_BASE)
        return rk_fail(error, RK_BAD_INPUT, line, 0, 0, "begins with no model's name");
    snprintf(base, MODEL_LINE_BASE, "%.*s", (int)length, line);
    return RK_OK;
}

enum rk_status model_line_change(const char *line, const char *base, struct document *document,
                                 struct rk_error *error)
{
    enum rk_status status = RK_OK;
    json_t *root = json_deep_copy(document->root);
    if (!root) return rk_fail(error, RK_IO, line, 0, 0, "out of memory");
    if (!json_is_object(root))
        status = rk_fail(error, RK_BAD_INPUT, base, 0, 0, "is not an object");
    if (status == RK_OK) status = set_words(root, line, line + strlen(base), error);
    if (status == RK_OK) status = parse_again(root, line, document, error);
    json_decref(root);
    return status;
}
