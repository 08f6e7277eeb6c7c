/* search_all.h - `reckon search --all FILE`: every strategy that fits, in the order of the
 * enumeration, as CSV (compressed when the name ends in .gz) or as an SQLite database.
 *
 * Blocks of strategies are estimated on all threads and written in order (interop/scan.h), so that
 * memory does not grow with their number. The file appears whole or not at all. */
#ifndef RECKON_CLI_SEARCH_ALL_H
#define RECKON_CLI_SEARCH_ALL_H

#include "cli/search_job.h"

/* RK_BAD_ARGUMENT unless FILE's name tells one of the formats. */
enum rk_status search_all_check(const char *path, struct rk_error *error);

/* Writes the strategies of a finished search that fit and satisfy --where to --all; *written is how
 * many there are. RK_INTERRUPTED when it was stopped. */
enum rk_status search_all_write(const struct search *search, struct search_session *session,
                                uint64_t *written, struct rk_error *error);

#endif
