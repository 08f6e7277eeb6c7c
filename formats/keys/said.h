/* said.h - what a configuration that no reader reads says by the names of its keys, as words. */
#ifndef RECKON_KEYS_SAID_H
#define RECKON_KEYS_SAID_H

#include <stddef.h>

/* `-m "MODEL layers=32 hidden=4096" tp4 mbs1`, of names that stand before whole numbers in YAML,
 * JSON, TOML, Python and command lines. A word that is said with two values is left out. "": none.
 */
void said_words(const char *text, char *words, size_t size);

#endif
