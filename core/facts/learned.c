#include "facts/learned.h"

#include "catalog/catalog.h"

#include <math.h>
#include <pthread.h>
#include <reckon/sure.h>
#include <stdio.h>

static struct error_bars bars;
static bool known;

static void read_bars(void)
{
    char folder[3072], path[4096];
    struct rk_error error;
    if (catalog_folder(folder, sizeof folder, &error) != RK_OK) return;
    snprintf(path, sizeof path, "%s/measured/error_bars.json", folder);
    known = error_bars_load(path, &bars, &error) == RK_OK;
}

const struct error_bars *learned_bars(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_bars);
    return known ? &bars : NULL;
}

/* Classes of peaks are of no device. */
static bool learned_peaks(const struct rk_model *model, const struct rk_plan *plan,
                          struct error_class *peaks)
{
    /* The Calculon model was compared with no such runs. */
    const struct error_bars *read = rk_answerer(plan->framework)->measured ? learned_bars() : NULL;
    const struct error_request request = {
        model, "", plan, (double)rk_model_parameters(model), 1, PUBLISHED_UNKNOWN};
    return read && error_bar_of_memory(read, &request, peaks);
}

double rk_fit_share(const struct rk_model *model, const struct rk_plan *plan)
{
    enum { THREE_OF_FOUR = 3 }; /* of error_shares */
    struct error_class peaks;
    return learned_peaks(model, plan, &peaks) ? 1 / fmax(1, peaks.ratio[THREE_OF_FOUR]) : 1;
}

double rk_fit_chance_within(const struct rk_model *model, const struct rk_plan *plan,
                            double need_bytes, double capacity_bytes)
{
    struct error_class peaks;
    if (!learned_peaks(model, plan, &peaks)) return NAN;
    return error_share_below(&peaks, capacity_bytes / need_bytes);
}

double rk_fit_chance(const struct rk_model *model, const struct rk_system *system,
                     const struct rk_plan *plan, double hbm_bytes)
{
    return rk_fit_chance_within(model, plan, hbm_bytes, system->memory[0].capacity_bytes);
}
