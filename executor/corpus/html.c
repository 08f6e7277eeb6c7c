#include "corpus/html.h"
#include "tokens/unicode.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Elements whose content is no text, and elements that begin a line. */
static const char *const silent[] = {"script", "style", "noscript", "template",
                                     "svg",    "head",  NULL};
static const char *const blocks[] = {
    "p",     "div", "br", "li",      "tr",      "h1",         "h2",  "h3", "h4", "h5",    "h6",
    "title", "ul",  "ol", "section", "article", "blockquote", "pre", "hr", "td", "table", NULL};

/* The entities that stand in most pages; others stay as they are. */
static const struct entity {
    const char *name;
    uint32_t code;
} entities[] = {{"amp", '&'},      {"lt", '<'},       {"gt", '>'},        {"quot", '"'},
                {"apos", '\''},    {"nbsp", ' '},     {"copy", 0xa9},     {"reg", 0xae},
                {"laquo", 0xab},   {"raquo", 0xbb},   {"middot", 0xb7},   {"ndash", 0x2013},
                {"mdash", 0x2014}, {"lsquo", 0x2018}, {"rsquo", 0x2019},  {"ldquo", 0x201c},
                {"rdquo", 0x201d}, {"bull", 0x2022},  {"hellip", 0x2026}, {"euro", 0x20ac}};

struct tag {
    const char *name;
    size_t size;
    bool closes;
};

static bool is_one_of(const struct tag *tag, const char *const *names)
{
    for (; *names; names++)
        if (strlen(*names) == tag->size && strncasecmp(*names, tag->name, tag->size) == 0)
            return true;
    return false;
}

/* The bytes of the tag or comment at `text`, which begins with '<'; 0 when it is none. */
static size_t tag_size(const char *text, size_t size, struct tag *tag)
{
    size_t at = 1;
    *tag = (struct tag){.name = text};
    if (size >= 4 && memcmp(text, "<!--", 4) == 0) {
        const char *end = memmem(text + 4, size - 4, "-->", 3);
        return end ? (size_t)(end + 3 - text) : size;
    }
    if (at < size && text[at] == '/') tag->closes = true, at++;
    if (at < size && !isalpha((unsigned char)text[at]) && text[at] != '!' && text[at] != '?')
        return 0;
    tag->name = text + at;
    while (at + tag->size < size && isalnum((unsigned char)tag->name[tag->size]))
        tag->size++;
    const char *end = memchr(text + at, '>', size - at);
    return end ? (size_t)(end + 1 - text) : size;
}

/* Offset after the end tag of a silent element that begins at `text`. */
static size_t silent_size(const char *text, size_t size, const struct tag *open)
{
    for (size_t at = 0; at < size;) {
        const char *found = memmem(text + at, size - at, "</", 2);
        struct tag tag;
        if (!found) break;
        at = (size_t)(found - text);
        const size_t length = tag_size(found, size - at, &tag);
        if (tag.size == open->size && strncasecmp(tag.name, open->name, tag.size) == 0)
            return at + length;
        at += 2;
    }
    return size;
}

/* The bytes of the entity at `text`, which begins with '&'; 0 when it is none that is known. */
static size_t entity_size(const char *text, size_t size, uint32_t *code)
{
    const size_t most = size < 12 ? size : 12;
    const char *end = memchr(text, ';', most);
    if (!end) return 0;
    const size_t length = (size_t)(end - text) - 1;
    if (text[1] == '#') {
        const bool hex = length > 1 && tolower((unsigned char)text[2]) == 'x';
        *code = (uint32_t)strtoul(text + (hex ? 3 : 2), NULL, hex ? 16 : 10);
        const bool valid = *code >= ' ' && *code <= UNICODE_LAST && (*code & 0xfff800) != 0xd800;
        return valid ? length + 2 : 0;
    }
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (strlen(entities[i].name) == length && memcmp(entities[i].name, text + 1, length) == 0) {
            *code = entities[i].code;
            return length + 2;
        }
    return 0;
}

/* White space runs become one character, a line feed when one was asked for. */
struct html_out {
    struct bytes *text;
    bool blank, line;
    size_t begin;
};

static bool put(struct html_out *out, const char *text, size_t size)
{
    const char *between = out->line ? "\n" : " ";
    if (out->text->size > out->begin && (out->blank || out->line) &&
        !bytes_add(out->text, between, 1))
        return false;
    out->blank = out->line = false;
    return bytes_add(out->text, text, size);
}

static bool put_entity(struct html_out *out, uint32_t code)
{
    char text[4];
    if (code != ' ') return put(out, text, unicode_put(text, code));
    out->blank = true;
    return true;
}

bool html_text(const char *page, size_t size, struct bytes *text)
{
    struct html_out out = {.text = text, .begin = text->size};
    for (size_t at = 0, length; at < size; at += length) {
        struct tag tag = {.size = 0};
        uint32_t code;
        length = 1;
        if (page[at] == '<' && (length = tag_size(page + at, size - at, &tag)) > 0) {
            if (is_one_of(&tag, blocks)) out.line = true;
            if (!tag.closes && is_one_of(&tag, silent))
                length += silent_size(page + at + length, size - at - length, &tag);
        } else if (page[at] == '&' && (length = entity_size(page + at, size - at, &code)) > 0) {
            if (!put_entity(&out, code)) return false;
        } else if (length = 1, isspace((unsigned char)page[at])) {
            out.blank = true;
        } else if (!put(&out, page + at, 1)) {
            return false;
        }
    }
    return true;
}
