#include "base/lists.h"

#include <stdio.h>
#include <string.h>

const char *braces_find(struct braces *b, const char *line, const char **at)
{
    *b = (struct braces){.line = line, .lines = 1};
    for (*at = strchr(line, '{'); *at; *at = strchr(*at, '{')) {
        const char *close = strchr(*at, '}');
        if (!close) return "{ without }: x{64,128}";
        if (b->lists == BRACES_LISTS) return "more than 8 lists in braces";
        struct braces_list *list = &b->list[b->lists++];
        *list = (struct braces_list){*at, close, 1};
        for (const char *c = *at; c < close; c++)
            list->values += *c == ',';
        b->lines *= list->values;
        if (b->lines > BRACES_LINES) return "more than 1024 machines";
        *at = close;
    }
    return NULL;
}

static const char *value_of(const struct braces_list *list, int index, size_t *length)
{
    const char *at = list->open + 1;
    for (; index > 0; index--)
        at = strchr(at, ',') + 1;
    *length = strcspn(at, ",}");
    return at;
}

/* The word of a list, with its value: "x64", "net1=50GB/s"; of a word with several lists its part
 * of it. */
static size_t write_word(const struct braces *b, int i, const char *value, size_t length, char *out)
{
    const char *open = b->list[i].open, *end = b->list[i].close + 1;
    const char *begin = open, *least = i ? b->list[i - 1].close + 1 : b->line;
    while (begin > least && !strchr(" @,", begin[-1]))
        begin--;
    const char *most = i + 1 < b->lists ? b->list[i + 1].open : end + strlen(end);
    size_t after = 0;
    while (end + after < most && !strchr(" @,", end[after]))
        after++;
    memcpy(out, begin, (size_t)(open - begin));
    out += open - begin;
    memcpy(out, value, length);
    memcpy(out + length, end, after);
    out[length + after] = '\0';
    return (size_t)(open - begin) + length + after;
}

bool braces_write(const struct braces *b, int index, char line[BRACES_LINE],
                  char choice[BRACES_LINE])
{
    int digit[BRACES_LISTS];
    size_t used = 0, said = 0, length;
    const char *at = b->line;
    const size_t longest = strlen(b->line);
    if (longest >= BRACES_LINE) return false;
    *choice = '\0';
    for (int i = b->lists - 1; i >= 0; i--) {
        digit[i] = index % b->list[i].values;
        index /= b->list[i].values;
    }
    for (int i = 0; i < b->lists; i++) {
        const char *value = value_of(&b->list[i], digit[i], &length);
        const size_t before = (size_t)(b->list[i].open - at);
        if (used + before + length >= BRACES_LINE || said + length + longest + 3 >= BRACES_LINE)
            return false;
        memcpy(line + used, at, before);
        memcpy(line + used + before, value, length);
        used += before + length;
        if (i) said += (size_t)snprintf(choice + said, BRACES_LINE - said, ", ");
        said += write_word(b, i, value, length, choice + said);
        at = b->list[i].close + 1;
    }
    return snprintf(line + used, BRACES_LINE - used, "%s", at) < (int)(BRACES_LINE - used);
}
