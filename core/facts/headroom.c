#include <reckon/sure.h>

#include "base/units.h"
#include "search/clusters_space.h"

#include <stdio.h>
#include <string.h>

static enum rk_status size_room(const char *text, const struct rk_system *system, double *room,
                                struct rk_error *error)
{
    const double capacity = system->memory[0].capacity_bytes;
    struct units_error problem;
    double size;
    if (!quantity_parse(text, strlen(text), QUANTITY_BYTES, false, &size, &problem) || size < 0)
        return rk_fail(
            error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "`headroom` must be a size such as 8GiB, a share such as 10%%, learned or none; got "
            "\"%.40s\"",
            text);
    if (size >= capacity)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "`headroom`: %s has %.4g GiB, of which %.40s leaves nothing", system->id,
                       capacity / 0x1p30, text);
    *room = 1 - size / capacity;
    return RK_OK;
}

enum rk_status rk_headroom_share(const char *text, const struct rk_model *model,
                                 const struct rk_system *system, const struct rk_plan *plan,
                                 double *room, struct rk_error *error)
{
    double share;
    *room = 1;
    if (!text || strcmp(text, "learned") == 0) {
        *room = rk_fit_share(model, plan);
        return RK_OK;
    }
    if (strcmp(text, "none") == 0 || strcmp(text, "0") == 0) return RK_OK;
    const size_t digits = number_parse(text, strlen(text), &share);
    if (!digits || strcmp(text + digits, "%") != 0 || share < 0 || share >= 100)
        return size_room(text, system, room, error);
    *room = 1 - share / 100;
    return RK_OK;
}

enum rk_status rk_headroom_usable(const char *text, const struct rk_model *model,
                                  const struct rk_system *system, const struct rk_plan *plan,
                                  double *bytes, struct rk_error *error)
{
    const enum rk_status status = rk_headroom_share(text, model, system, plan, bytes, error);
    if (status == RK_OK) *bytes *= system->memory[0].capacity_bytes;
    return status;
}

enum rk_status rk_headroom_of_clusters(const char *text, struct rk_plans_problem *problem,
                                       struct rk_error *error)
{
    struct rk_plan words;
    enum rk_status status = clusters_words(problem, &words, error);
    for (int i = 0; i < problem->system->machine->clusters && status == RK_OK; i++) {
        const struct rk_system *system = rk_system_of(problem->system, i);
        double *bytes = &problem->usable_bytes[i];
        status = rk_headroom_usable(text, problem->model, system, &words, bytes, error);
        if (*bytes >= system->memory[0].capacity_bytes) *bytes = 0;
    }
    return status;
}

const char *rk_headroom_where(double usable_bytes, char where[static RK_HEADROOM_WHERE])
{
    snprintf(where, RK_HEADROOM_WHERE, "hbm_bytes <= %.17g", usable_bytes);
    return where;
}

double rk_headroom_beside(const struct rk_model *model, const struct rk_plan *plan,
                          double own_bytes, double capacity_bytes)
{
    enum { HALVINGS = 30 };
    const double own = rk_fit_chance_within(model, plan, own_bytes, capacity_bytes);
    double fits = own_bytes, fails = 2 * own_bytes;
    if (!(own > 0)) return own_bytes; /* not known either */
    for (int i = 0; i < HALVINGS; i++) {
        const double need = (fits + fails) / 2;
        if (rk_fit_chance_within(model, plan, need, capacity_bytes) >= rk_sure_usual.fits * own)
            fits = need;
        else
            fails = need;
    }
    return fits;
}
