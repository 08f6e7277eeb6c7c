#include "search/layerwise_needs.h"

#include "machine/part.h"

#include <math.h>

/* Is there a mix of a shape in so much? By the relaxation, or one that is found. */
static bool fits_in(struct shape *s, const struct capacity *capacity, bool relaxed)
{
    enum { FEW_LABELS = 48 };
    struct stages_answer answer;
    shape_set_capacity(s, capacity);
    struct stages_problem problem = shape_problem(s, 0);
    problem.label_limit = FEW_LABELS;
    problem.any = true;
    if (isinf(stages_bound(&problem))) return false;
    if (relaxed) return true;
    if (!stages_solve(&problem, &answer)) {
        s->failed = true;
        return false;
    }
    const bool found = answer.found;
    stages_answer_release(&answer);
    return found;
}

static bool fits_hbm(struct shape *s, double bytes, bool relaxed)
{
    struct capacity capacity = shape_capacity(s);
    capacity.bytes = bytes - s->constant_bytes;
    return fits_in(s, &capacity, relaxed);
}

static bool fits_lower(struct shape *s, int watched, double bytes)
{
    struct capacity capacity = shape_capacity(s);
    capacity.lower[watched] = bytes - s->lower_constant_bytes[watched];
    return capacity.lower[watched] > 0 && fits_in(s, &capacity, false);
}

/* Times the memory that there is: more is not looked at. */
enum { MOST_TIMES = 64 };

/* The least bytes of an accelerator in which a mix of a shape is found, where that is less than
 * `least`; within a thousandth. */
static double least_bytes(struct shape *s, double least)
{
    const double most = MOST_TIMES * s->system->memory[0].capacity_bytes;
    double low = 0, high = fmin(least, most);
    shape_allow(s, -1);
    if (!fits_hbm(s, high, !s->watched)) return least;
    for (int i = 0; i < 30; i++) {
        const double middle = (low + high) / 2;
        if (fits_hbm(s, middle, true))
            high = middle;
        else
            low = middle;
    }
    for (high = low; high < least && !fits_hbm(s, high, false) && !s->failed;) {
        if (high > most) return least;
        high *= 1.1;
    }
    for (low = fmax(low, high / 1.1); high - low > 1e-3 * high && !s->failed;) {
        const double middle = (low + high) / 2;
        if (fits_hbm(s, middle, false))
            high = middle;
        else
            low = middle;
    }
    return fmin(least, high);
}

/* The same of a lower memory, its part of an accelerator. */
static double least_lower(struct shape *s, int watched, double least)
{
    const double have = memory_part_bytes(&s->system->memory[s->tier[watched] + 1], s->base.ranks);
    double low = 0, high = fmin(least, MOST_TIMES * have);
    shape_allow(s, -1);
    if (!fits_lower(s, watched, high)) return least;
    while (high - low > 1e-3 * high && !s->failed) {
        const double middle = (low + high) / 2;
        if (fits_lower(s, watched, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

void needs_add(struct needs *needs, struct shape *s)
{
    if (!shape_watch_all(s)) return;
    needs->lower |= s->watched > 0;
    needs->bytes[0] = least_bytes(s, needs->bytes[0]);
    for (int t = 0; t < s->watched; t++) {
        double *bytes = &needs->bytes[s->tier[t] + 1];
        *bytes = least_lower(s, t, *bytes);
    }
}

/* What an accelerator has of a memory. */
static double part_of(const struct rk_plans_problem *problem, int tier)
{
    const struct rk_memory *memory = &problem->system->memory[tier];
    return tier ? memory_part_bytes(memory, problem->base.ranks) : memory->capacity_bytes;
}

/* The same of plans whose layers are alike. */
static double least_alike(const struct rk_plans_problem *problem, double least, int tier)
{
    enum { STEPS = 9 };
    struct rk_plans_problem roomy = *problem;
    struct rk_system system;
    if (tier >= problem->system->memories || isinf(part_of(problem, tier))) return least;
    const double part = part_of(problem, tier),
                 whole = problem->system->memory[tier].capacity_bytes;
    double low = part, high = isinf(least) ? MOST_TIMES * part : least;
    if (rk_system_copy(&system, problem->system, NULL) != RK_OK) return least;
    roomy.system = &system;
    for (int i = -isinf(least); i < STEPS && high - low > 1e-3 * high; i++) {
        const double bytes = i < 0 ? high : (low + high) / 2;
        system.memory[tier].capacity_bytes = tier ? whole * (bytes / part) : bytes;
        if (rk_plans_best(&roomy, NULL, NULL, NULL) == RK_OK)
            least = high = bytes;
        else if (i < 0)
            break;
        else
            low = bytes;
    }
    rk_system_release(&system);
    return least;
}

/* "2 GiB", and of a lower memory " of memory tier 1 (mem2)": in four pieces of a message. */
#define AMOUNT "%.4g GiB%s%s%s"
#define AMOUNT_OF(system, bytes, tier)                                                             \
    (bytes) / 0x1p30, of_tier[tier], (tier) ? (system)->memory[tier].name : "", (tier) ? ")" : ""
static const char *const of_tier[] = {"", " of memory tier 1 (", " of memory tier 2 (",
                                      " of memory tier 3 (", " of memory tier 4 ("};
_Static_assert(sizeof of_tier / sizeof *of_tier == 1 + RK_SHARE_TIERS, "one for each");

enum rk_status needs_fail(const struct needs *needs, const struct rk_plans_problem *problem,
                          struct rk_error *error)
{
    const struct rk_system *system = problem->system;
    double least[2] = {0};
    int tier[2] = {0}, found = 0;
    for (int t = 0; t <= RK_SHARE_TIERS && found < 2; t++) {
        least[found] = least_alike(problem, needs->bytes[t], t);
        tier[found] = t;
        found += !isinf(least[found]);
    }
    const int first = found ? tier[0] : 0;
    const double have = part_of(problem, first);
    if (!found && !needs->lower)
        return rk_fail(
            error, RK_NOTHING_FITS, NULL, 0, 0,
            "%s on %s: no way to run its layers on this number of GPUs with this batch and "
            "these restrictions",
            problem->model->id, system->id);
    if (!found)
        return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                       "%s on %s: no mix of ways to run layers fits in " AMOUNT
                       " and the lower memories, nor with one of them %d times as large"
                       ": give more GPUs, or offload less",
                       problem->model->id, system->id, AMOUNT_OF(system, have, 0), MOST_TIMES);
    if (found == 1)
        return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                       "%s on %s: no mix of ways to run layers fits in " AMOUNT
                       "; the smallest memory that does is about %.4g GiB: give more GPUs, or a "
                       "machine with more memory",
                       problem->model->id, system->id, AMOUNT_OF(system, have, first),
                       least[0] / 0x1p30);
    return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                   "%s on %s: no mix of ways to run layers fits in " AMOUNT " and " AMOUNT
                   "; the smallest memory that does is about %.4g GiB, or " AMOUNT
                   ": give more GPUs, or a machine with more memory",
                   problem->model->id, system->id, AMOUNT_OF(system, have, first),
                   AMOUNT_OF(system, part_of(problem, tier[1]), tier[1]), least[0] / 0x1p30,
                   AMOUNT_OF(system, least[1], tier[1]));
}
