/* search_names.c - names of a run in conditions and keys, said of the step. */
#include "base/units.h"
#include "cli/search_clusters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a step costs is known where every cluster has its price. */
static enum rk_status check_price(const struct search *search, const char *option,
                                  struct rk_error *error)
{
    const struct rk_machine *machine = search->problem.system->machine;
    for (int i = 0; machine && i < machine->clusters; i++)
        if (!(machine->cluster[i].price_USDph > 0))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "%s: step_usd: every cluster needs its price, as price=2.5 (USD for an "
                           "accelerator and hour): cluster %s has none",
                           option, machine->cluster[i].name);
    return RK_OK;
}

static const char *const names[] = {"days", "gpu_hours", "cost"};
enum { NAMES = sizeof names / sizeof *names };

static double sum_of(const struct run_sums *sums, int name)
{
    return (const double[NAMES]){sums->days, sums->gpu_hours, sums->cost}[name];
}

/* The shortest step whose run is not below `bound`, or with `at_most` is above it: a longer step
 * makes a longer run. */
static double step_at(const struct run_share *share, int name, double bound, bool at_most)
{
    double low = 0, high = 1e15; /* some million years */
    for (double middle; (middle = low + (high - low) / 2) > low && middle < high;) {
        const struct run_sums sums = run_sums_of(share, middle);
        const double value = sum_of(&sums, name);
        *((at_most ? value <= bound : value < bound) ? &low : &high) = middle;
    }
    return high;
}

/* Does nothing but a comparison end here? */
static bool ends(const char *at)
{
    at += strspn(at, " ");
    return !*at || *at == ')' || strncmp(at, "and ", 4) == 0 || strncmp(at, "or ", 3) == 0;
}

static bool begins(const char *text, const char *at)
{
    while (at > text && at[-1] == ' ')
        at--;
    const size_t before = (size_t)(at - text);
    return !before || at[-1] == '(' || (before >= 3 && strncmp(at - 3, "and", 3) == 0) ||
           (before >= 3 && strncmp(at - 3, "not", 3) == 0) ||
           (before >= 2 && strncmp(at - 2, "or", 2) == 0);
}

/* "days <= 30" at `at` of `text`: its length, and what it says of the step; 0: it is none. */
static size_t compared(const struct run_share *share, int name, const char *text, const char *at,
                       char *out, size_t size)
{
    const char *sign = at + strlen(names[name]);
    sign += strspn(sign, " ");
    const size_t signs = strspn(sign, "<>=");
    const char *number = sign + signs + strspn(sign + signs, " ");
    const size_t digits = strcspn(number, " )");
    struct units_error problem;
    double bound;
    if (!signs || signs > 2 || *sign == '=' || (signs == 2 && sign[1] != '=') ||
        !begins(text, at) || !ends(number + digits) ||
        !quantity_parse(number, digits, QUANTITY_COUNT, false, &bound, &problem))
        return 0;
    const bool at_most = (*sign == '<') == (signs == 2);
    snprintf(out, size, "step_s %s %.17g",
             *sign == '<' ? "<" : ">=", step_at(share, name, bound, at_most));
    return (size_t)(number + digits - at);
}

static enum rk_status refuse(const struct search *search, const char *option, int name,
                             struct rk_error *error)
{
    if (search_is_over_clusters(search))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s: %s follows from the GPUs that a plan uses of each cluster: say "
                       "step_s, or step_usd where every cluster has its price",
                       option, names[name]);
    if (!search->args->run.tokens)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s: %s is of a run: give --tokens, 15T or usual", option, names[name]);
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "%s: %s: no price of %s is known: give price=2.5 with the machine, a list that "
                   "has it with --prices, or --price",
                   option, names[name], search->problem.system->id);
}

static int find_name(const char *at, size_t length)
{
    for (int i = 0; i < NAMES; i++)
        if (strlen(names[i]) == length && strncmp(at, names[i], length) == 0) return i;
    return -1;
}

double search_run_value(const struct search *search, const char *name, double step_s)
{
    const int i = find_name(name, strlen(name));
    const struct run_sums sums = run_sums_of(&search->run, step_s);
    return i < 0 ? NAN : sum_of(&sums, i);
}

enum rk_status search_name_run(const struct search *search, const char *option, const char *text,
                               char *out, size_t size, struct rk_error *error)
{
    const struct run_share *share = &search->run;
    size_t used = 0;
    out[0] = '\0';
    for (const char *at = text; *at && used < size;) {
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
        const int name = find_name(at, length);
        char said[128];
        if (length == strlen("step_usd") && strncmp(at, "step_usd", length) == 0 &&
            check_price(search, option, error) != RK_OK)
            return error->status;
        const double factor = name < 0 ? 0 : sum_of(&share->of_a_second, name);
        if (name >= 0 && !(factor > 0)) return refuse(search, option, name, error);
        const size_t whole = name < 0 ? 0 : compared(share, name, text, at, said, sizeof said);
        if (name >= 0 && !whole)
            snprintf(said, sizeof said, "(step_s * %.17g + %.17g)", factor,
                     sum_of(&share->others, name));
        if (!length) length = 1;
        used += (size_t)(name >= 0 ? snprintf(out + used, size - used, "%s", said)
                                   : snprintf(out + used, size - used, "%.*s", (int)length, at));
        at += whole ? whole : length;
    }
    if (used < size) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: longer than %zu characters", option,
                   size - 1);
}
