/* cases.h - lines of JSON that each say one case: a plan or file with model and machine, or the
 * logs of all ranks. docs/check.md has their keys. */
#ifndef RECKON_CHECK_CASES_H
#define RECKON_CHECK_CASES_H

#include <reckon/check.h>

enum { CASE_ID = 128 };

/* Machines and models are read once for all lines; zeroed at first. */
struct case_cache {
    struct rk_model model;
    struct rk_system system;
    char model_name[256], system_name[256];
};
void case_cache_release(struct case_cache *cache);

/* Judges one line. RK_BAD_INPUT: it is no case, or cannot be judged; `id` is "" if it has none. */
enum rk_status check_case(const char *path, int line, const char *text, size_t size,
                          struct case_cache *cache, char id[static CASE_ID],
                          struct rk_findings *findings, struct rk_error *error);

#endif
