/* unicode.h - what tokenizers and text statistics need to know of characters.
 *
 * Bytes that are not UTF-8 [rfc3629] are characters too: each stands for itself, of class other,
 * with a code above UNICODE_LAST, so that nothing is lost. Pure but for unicode_nfc, which
 * allocates.
 */
#ifndef RECKON_TOKENS_UNICODE_H
#define RECKON_TOKENS_UNICODE_H

#include "base/bytes.h"

#include <stdint.h>

/* In the order of the table made by tools/make-unicode. */
enum char_class {
    CLASS_OTHER,    /* punctuation, symbols, controls, what is not assigned */
    CLASS_LETTER,   /* L */
    CLASS_UNSPACED, /* L of a script that writes words without spaces: Han, Kana, Thai, ... */
    CLASS_MARK,     /* M */
    CLASS_NUMBER,   /* N */
    CLASS_SPACE     /* White_Space */
};

enum { UNICODE_LAST = 0x10ffff, UNICODE_BROKEN = 0x110000 /* + the byte */ };

struct character {
    uint32_t code;
    uint8_t size;  /* in bytes, 0 at the end of the text */
    uint8_t class; /* enum char_class */
};

/* unicode_at where the first byte, which must be there, is no ASCII. */
struct character unicode_beyond_ascii(const char *text, size_t length);

extern const uint8_t unicode_ascii_class[0x80];

/* The character at the beginning of `length` bytes; at the end of the text `size` is 0 and
 * `class` other. */
static inline struct character unicode_at(const char *text, size_t length)
{
    const unsigned char byte = length ? (unsigned char)text[0] : 0;
    if (byte >= 0x80) return unicode_beyond_ascii(text, length);
    return (struct character){.code = byte, .size = length > 0, .class = unicode_ascii_class[byte]};
}

/* Writes a code from unicode_at back; returns the length, at most 4. */
size_t unicode_put(char buffer[static 4], uint32_t code);

static inline bool is_letter(struct character c)
{
    return c.class == CLASS_LETTER || c.class == CLASS_UNSPACED;
}

/* The small letter of a capital whose small letter leads back to it, and the reverse; 0 when there
 * is none. */
uint32_t unicode_small(uint32_t code);
uint32_t unicode_capital(uint32_t code);

/* Is the text in Normalization Form C as far as a quick look can tell? A false may be wrong. */
bool unicode_is_nfc(const char *text, size_t length);

/* Appends the text in Normalization Form C (Unicode Standard Annex 15). False: no memory. */
bool unicode_nfc(const char *text, size_t length, struct bytes *out);

#endif
