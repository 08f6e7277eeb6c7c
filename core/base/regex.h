/* regex.h - POSIX's extended regular expressions of foreign texts. */
#ifndef RECKON_BASE_REGEX_H
#define RECKON_BASE_REGEX_H

#include <regex.h>

/* regcomp() with REG_EXTENDED, which copies what is repeated: of repetitions in each other, as in
 * "((a{9})+)+", there would be 2^n copies and more. REG_BADRPT: more than 1,000. */
int regex_compile(regex_t *compiled, const char *pattern, int flags);

#endif
