/* limits.h - how much of something there may be, and what becomes of more: limits.def. */
#ifndef RECKON_BASE_LIMITS_H
#define RECKON_BASE_LIMITS_H

enum {
#define LIMIT(name, value, what, on_overflow) name = (value),
#include "base/limits.def"
#undef LIMIT
};

#endif
