/* limits.h - how much of something there may be, and what becomes of more: limits.def. */
#ifndef RECKON_BASE_LIMITS_H
#define RECKON_BASE_LIMITS_H

enum {
#define LIMIT(name, value, what, on_overflow) name = (value),
#include "base/limits.def"
#undef LIMIT
};

/* What is proved where it stands: should the proof be wrong, the process ends by name instead of
 * going on with an answer that lacks something. Also with NDEBUG. require.c */
#define RK_REQUIRE(proved) ((proved) ? (void)0 : require_failed(#proved, __FILE__, __LINE__))
_Noreturn void require_failed(const char *proved, const char *file, int line);

#endif
