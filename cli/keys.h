/* keys.h - what messages of the library name, as the command line calls it.
 *
 * The library names what a caller gives in backquotes, "a lower `rate`" (status.h). Here that is an
 * option: "a lower --rate".
 */
#ifndef RECKON_CLI_KEYS_H
#define RECKON_CLI_KEYS_H

#include <reckon/status.h>
#include <stddef.h>

struct report;

/* "path:line:column: text" of an error, with options. */
void keys_say_error(const struct rk_error *error, char *text, size_t size);

/* The same of a text; the report's, which releases it. */
const char *keys_said(struct report *report, const char *text);

#endif
