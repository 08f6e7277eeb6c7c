/* catalog.h - models, systems and plans from files, by name, or from one line of text.
 *
 * A name is looked for in this order: "-" is standard input; something with a '/' or ending in
 * ".json" is a path; else an id of the catalog (data/models, data/systems); a system may also be
 * a synthetic description such as "h100-80g x4096 nvl8 hbm=120GiB mem2=1TiB@100GB/s"
 * (reckon-system(5) has the grammar). Catalog directories: $RECKON_DATA, else the installed or
 * the built one.
 *
 * Each function leaves its output untouched on failure and fills `error` with path, line and
 * column of what is wrong and how to mend it.
 */
#ifndef RECKON_CATALOG_H
#define RECKON_CATALOG_H

#include <reckon/model.h>
#include <reckon/plan.h>
#include <reckon/status.h>
#include <reckon/system.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

RK_API enum rk_status rk_model_load(const char *name, struct rk_model *model,
                                    struct rk_error *error);

/* The caller releases the system with rk_system_release. */
RK_API enum rk_status rk_system_load(const char *name, struct rk_system *system,
                                     struct rk_error *error);
/* Does the system describe its kernels, for the detailed model? Otherwise that model uses typical
 * ones. */
RK_API bool rk_system_describes_kernels(const struct rk_system *system);

/* A plan from a file ("-", or a name with a '/' or ending in ".json"), or else from a line of
 * words, "tp8 pp4 dp2 sp zero1 mbs1 gbs512 recompute=full"; reckon-plan(5) has both. What it does
 * not say is as rk_plan_default() has it, ranks follow from the degrees, a batch is 4 samples for
 * each rank and sample of a microbatch. That the choices go together is checked, that they suit a
 * model and a system is not: rk_predict says so. */
RK_API enum rk_status rk_plan_load(const char *name, struct rk_plan *plan, struct rk_error *error);

/* A line of words only. */
RK_API enum rk_status rk_plan_parse(const char *text, struct rk_plan *plan, struct rk_error *error);

/* The shortest line that gives this plan, and always its batch; as snprintf: at most `size` bytes
 * with the 0 at the end, the whole length is returned. RK_PLAN_TEXT is room enough for any. */
enum { RK_PLAN_TEXT = 32768 };
RK_API size_t rk_plan_text(const struct rk_plan *plan, char *buffer, size_t size);

/* The word of the next member from *next on (0 at first) that is not at its default and does
 * nothing; NULL: there are no more. */
RK_API const char *rk_plan_idle_word(const struct rk_model *model, const struct rk_plan *plan,
                                     int *next, const char **because);

/* Writes a plan file with the members that a plan needs, to a temporary file that is renamed to
 * `path`. "-" is standard output. */
RK_API enum rk_status rk_plan_save(const char *path, const struct rk_plan *plan,
                                   struct rk_error *error);

#ifdef __cplusplus
}
#endif
#endif
