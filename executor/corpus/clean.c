#include "corpus/clean.h"
#include "tokens/unicode.h"

static bool is_control(uint32_t code)
{
    return (code < ' ' && code != '\t' && code != '\n') || (code >= 0x7f && code < 0xa0) ||
           code == 0xfeff;
}

/* The code that stands for the character; 0: none. */
static uint32_t cleaned(struct character c, char next, struct clean_counts *counts)
{
    if (c.code > UNICODE_LAST) {
        counts->broken++;
        return 0xfffd;
    }
    if (c.code == '\r') {
        counts->line_ends++;
        return next == '\n' ? 0 : '\n';
    }
    if (!is_control(c.code)) return c.code;
    counts->controls++;
    return 0;
}

bool clean_text(const char *text, size_t size, struct bytes *out, struct clean_counts *counts)
{
    size_t kept = 0, characters = 0; /* up to the last one that is no white space */
    *counts = (struct clean_counts){.broken = 0};
    out->size = 0;
    for (size_t at = 0; at < size;) {
        const struct character c = unicode_at(text + at, size - at);
        at += c.size;
        const uint32_t code = cleaned(c, at < size ? text[at] : '\0', counts);
        const bool space = code == '\n' || c.class == CLASS_SPACE;
        if (!code || (space && out->size == 0)) continue;
        if (!bytes_reserve(out, 4)) return false;
        out->size += unicode_put(out->data + out->size, code);
        characters++;
        if (space) continue;
        kept = out->size;
        counts->characters = characters;
    }
    out->size = kept;
    return true;
}
