/* absent.c - in the place of what commands do with Galvatron's files, where it is not built. */
#include "cli/export_plan.h"
#include "cli/measure_profile.h"

static enum rk_status refuse(struct rk_error *error)
{
    return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0,
                   "Galvatron's files are not built in (RECKON_PUBLISHED)");
}

enum rk_status export_galvatron(FILE *file, const struct export_plan *plan, struct rk_plan *run,
                                struct notes *notes, struct rk_error *error)
{
    (void)file;
    (void)plan;
    (void)run;
    (void)notes;
    return refuse(error);
}

enum rk_status measure_profile_try(const struct measure_profile *args, struct rk_error *error)
{
    (void)args;
    return refuse(error);
}

enum rk_status measure_profile(const struct measure_profile *args, const char *system,
                               struct rk_error *error)
{
    (void)args;
    (void)system;
    return refuse(error);
}
