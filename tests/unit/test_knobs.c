/* The keys that are tried, against the tables of the readers that they are of. */
#include "base/text.h"
#include "knobs/knobs.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct plan_format *format_of(const char *name)
{
    const struct plan_format *format = plan_formats;
    while (format->name && strcmp(format->name, name) != 0)
        format++;
    return format;
}

/* Is it one of "a|b", in letters of any case? */
static bool among(const char *words, const char *word, size_t length)
{
    for (const char *at = words; *at; at += strcspn(at, "|"), at += *at == '|')
        if (strcspn(at, "|") == length && strncasecmp(at, word, length) == 0) return true;
    return false;
}

static bool is_number(const char *word, size_t length)
{
    return length > 0 && (word[0] == 'x' || word[0] == '/' || strncmp(word, "batch", length) == 0);
}

static bool takes(const struct key *row, const char *word, size_t length)
{
    char text[64], *end;
    snprintf(text, sizeof text, "%.*s", (int)length, word);
    if (strcmp(text, "null") == 0) return true;
    switch (row->use) {
    case KEY_COUNT:
    case KEY_INTEGER:
    case KEY_NUMBER:
        strtod(text, &end);
        return is_number(word, length) || !*end;
    case KEY_FLAG:
    case KEY_ON:
    case KEY_OFF:
        return key_flag(text) >= 0;
    case KEY_WORD:
        return among(row->words, word, length);
    default: /* the reader's own business */
        return true;
    }
}

Test(knobs, are_read_by_their_format)
{
    const char *name, *values, *key;
    for (int i = 0; (key = knobs_key(i, &name, &values)); i++) {
        const struct plan_format *format = format_of(name);
        cr_assert(format->name, "%s: no format %s", key, name);
        const struct key *row = key_find(format->keys, key);
        cr_assert(row && !strchr(row->path, '*'), "%s has no key %s", name, key);
        cr_expect(row->use != KEY_NONE && row->use != KEY_LATER && row->use != KEY_SET &&
                      row->use != KEY_NOT_FOLLOWED && row->use != KEY_NOT_COVERED,
                  "%s does not read %s", name, key);
        for (const char *at = values; *at; at += strcspn(at, "|"), at += *at == '|')
            cr_expect(takes(row, at, strcspn(at, "|")), "%s: %s may not be %s", name, key, at);
    }
}
