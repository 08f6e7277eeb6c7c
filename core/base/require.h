/* require.h - what is proved where it stands: should the proof be wrong, the process ends by name
 * instead of going on with an answer that lacks something. Also with NDEBUG. */
#ifndef RECKON_BASE_REQUIRE_H
#define RECKON_BASE_REQUIRE_H

#define RK_REQUIRE(proved) ((proved) ? (void)0 : require_failed(#proved, __FILE__, __LINE__))

_Noreturn void require_failed(const char *proved, const char *file, int line);

#endif
