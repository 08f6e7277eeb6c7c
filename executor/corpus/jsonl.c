#include "corpus/jsonl.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* Room for one character: 6 bytes at most, \u0000. */
static size_t put_character(char *out, const char *text, size_t size)
{
    const unsigned char byte = (unsigned char)text[0];
    if (byte == '\n') return (size_t)sprintf(out, "\\n");
    if (byte == '\t') return (size_t)sprintf(out, "\\t");
    if (byte == '"' || byte == '\\') return (size_t)sprintf(out, "\\%c", byte);
    if (byte < ' ') return (size_t)sprintf(out, "\\u%04x", byte);
    if (size == 0) return (size_t)sprintf(out, "\xef\xbf\xbd");
    memcpy(out, text, size);
    return size;
}

static bool put_string(const char *text, size_t size, struct bytes *out)
{
    if (!bytes_reserve(out, 6 * size + 8)) return false;
    char *end = out->data + out->size;
    *end++ = '"';
    for (size_t at = 0, length; at < size; at += length ? length : 1) {
        length = text_utf8_length(text + at, size - at);
        end += put_character(end, text + at, length);
    }
    *end++ = '"';
    out->size = (size_t)(end - out->data);
    return true;
}

static bool put_member(const char *key, const char *text, struct bytes *out)
{
    return bytes_add(out, key, strlen(key)) && put_string(text, strlen(text), out);
}

bool jsonl_put(const struct jsonl_line *line, struct bytes *out)
{
    char number[48] = "";
    if (line->record)
        snprintf(number, sizeof number, ", \"record\": %llu", (unsigned long long)line->record);
    return bytes_add(out, "{\"text\": ", 9) && put_string(line->text, line->size, out) &&
           (!line->source || put_member(", \"source\": ", line->source, out)) &&
           bytes_add(out, number, strlen(number)) &&
           (!line->language || put_member(", \"language\": ", line->language, out)) &&
           bytes_add(out, "}\n", 2);
}
