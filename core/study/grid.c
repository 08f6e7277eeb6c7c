#include "study/grid.h"

#include "base/memory.h"
#include "plan/names.h"
#include "study/axes.h"
#include "text/fields.h"

#include <stdlib.h>

#define MAX_GPUS     (UINT64_C(1) << 32)
#define MAX_SEQUENCE (UINT64_C(1) << 32)
#define MAX_BATCH    (UINT64_C(1) << 32)

void grid_release(struct grid *grid)
{
    free(grid->models.index);
    free(grid->systems.index);
    numbers_release(&grid->gpus);
    numbers_release(&grid->batch);
    numbers_release(&grid->sequence);
}

/* What a figure says itself, else what the file says for all. */
static bool find_key(const struct place *figure, const struct place *root, const char *key,
                     struct place *member)
{
    return place_member(figure, key, member) || place_member(root, key, member);
}

static enum rk_status need_key(const struct place *figure, const struct place *root,
                               const char *key, const char *what, struct place *member,
                               struct rk_error *error)
{
    if (find_key(figure, root, key, member)) return RK_OK;
    return place_fail(figure, error, "missing key \"%s\" (%s): add it here or to the file", key,
                      what);
}

static enum rk_status load_precision(const struct place *place, int *precision,
                                     struct rk_error *error)
{
    char got[PLACE_TEXT];
    const char *text = json_string_value(place->value);
    if (text && study_precision(text, precision)) return RK_OK;
    return place_fail(place, error,
                      "must be a precision (bf16, fp16, fp32, fp8-current, ...; float8, float16, "
                      "bfloat16, float32), got %s",
                      place_describe(got, place));
}

static enum rk_status load_precisions(const struct place *place, struct grid *grid,
                                      struct rk_error *error)
{
    if (!json_is_array(place->value)) {
        grid->precisions = 1;
        return load_precision(place, &grid->precision[0], error);
    }
    enum rk_status status = place_need_array(place, 1, RK_PRECISIONS, error);
    const size_t count = json_array_size(place->value);
    for (; grid->precisions < count && status == RK_OK; grid->precisions++) {
        const struct place element = place_element(place, grid->precisions);
        status = load_precision(&element, &grid->precision[grid->precisions], error);
        for (size_t i = 0; i < grid->precisions && status == RK_OK; i++)
            if (grid->precision[i] == grid->precision[grid->precisions])
                status = place_fail(&element, error, "stands there twice: remove one of the two");
    }
    return status;
}

const char *const study_mode_names[] = {[RK_SEARCH_PRUNED] = "pruned",
                                        [RK_SEARCH_EXHAUSTIVE] = "exhaustive",
                                        [RK_SEARCH_TWIN] = "", /* for tests */
                                        [STUDY_LAYERWISE] = "layerwise",
                                        NULL};

static enum rk_status load_mode(const struct place *place, const struct grid *grid, int *mode,
                                struct rk_error *error)
{
    static const char *const names[] = {"pruned", "exhaustive", "layerwise", NULL};
    const struct field field = {.type = FIELD_CHOICE, .choices = names};
    int chosen = 0;
    const enum rk_status status = field_load(place, &field, &chosen, error);
    if (status != RK_OK) return status;
    *mode = chosen == 2 ? STUDY_LAYERWISE : chosen;
    if (chosen == 2 && !rk_answerer(grid->framework)->layers)
        return place_fail(place, error,
                          "the Calculon model runs all layers alike: leave layerwise, or framework "
                          "calculon, out");
    return RK_OK;
}

/* One, or a list: each point in each of them. */
static enum rk_status load_modes(const struct place *place, struct grid *grid,
                                 struct rk_error *error)
{
    if (!json_is_array(place->value)) return load_mode(place, grid, &grid->mode[0], error);
    enum rk_status status = place_need_array(place, 1, STUDY_MODES, error);
    const size_t count = json_array_size(place->value);
    for (grid->modes = 0; grid->modes < count && status == RK_OK; grid->modes++) {
        const struct place element = place_element(place, grid->modes);
        status = load_mode(&element, grid, &grid->mode[grid->modes], error);
        for (size_t i = 0; i < grid->modes && status == RK_OK; i++)
            if (grid->mode[i] == grid->mode[grid->modes])
                status = place_fail(&element, error, "stands there twice: remove one of the two");
    }
    return status;
}

static enum rk_status load_settings(const struct place *root, struct grid *grid,
                                    struct rk_error *error)
{
    const struct field top = {.type = FIELD_COUNT, .min = 1, .max = STUDY_MAX_TOP};
    const struct field framework = {.type = FIELD_CHOICE, .choices = names_of_framework};
    static const char *const rooms[] = {"learned", "none", NULL};
    const struct field headroom = {.type = FIELD_CHOICE, .choices = rooms};
    struct place member;
    enum rk_status status = RK_OK;
    grid->precisions = 0;
    grid->framework = RK_MEGATRON;
    grid->top = 1;
    grid->headroom = 0;
    grid->modes = 1;
    grid->mode[0] = RK_SEARCH_PRUNED;
    grid->usual = !find_key(&grid->place, root, "framework", &member);
    if (!grid->usual) status = field_load(&member, &framework, &grid->framework, error);
    if (status != RK_OK) return status;
    if (find_key(&grid->place, root, "precision", &member) ||
        find_key(&grid->place, root, "datatype", &member)) {
        status = load_precisions(&member, grid, error);
    } else {
        grid->precision[0] = rk_answerer(grid->framework)->layers ? OPEN : RK_FP16;
        grid->precisions = 1;
    }
    if (status == RK_OK && find_key(&grid->place, root, "sequence", &member))
        status = numbers_load(&member, 1, MAX_SEQUENCE, true, &grid->sequence, error);
    if (status == RK_OK && find_key(&grid->place, root, "mode", &member))
        status = load_modes(&member, grid, error);
    if (status == RK_OK && find_key(&grid->place, root, "top", &member))
        status = field_load(&member, &top, &grid->top, error);
    if (status == RK_OK && find_key(&grid->place, root, "headroom", &member))
        status = field_load(&member, &headroom, &grid->headroom, error);
    return status;
}

/* Systems of the grid that are machines of several clusters. */
static size_t count_machines(const struct study *study, const struct grid *grid)
{
    size_t count = 0;
    for (size_t i = 0; i < grid->systems.count; i++)
        count += study->system[grid->systems.index[i]].machine != NULL;
    return count;
}

/* Machines of several clusters say themselves how many accelerators they have. */
static enum rk_status load_gpus(const struct place *root, const struct study *study,
                                struct grid *grid, struct rk_error *error)
{
    struct place member;
    if (count_machines(study, grid) == grid->systems.count) {
        const struct progression one = {.first = 1, .last = 1, .step = 1};
        if (place_member(&grid->place, "gpus", &member))
            return place_fail(&member, error,
                              "systems of several clusters say how many accelerators each has: "
                              "leave it out");
        return numbers_add(&grid->gpus, &one) ? RK_OK : no_memory(error);
    }
    const enum rk_status status =
        need_key(&grid->place, root, "gpus", "how many accelerators", &member, error);
    return status == RK_OK ? numbers_load(&member, 1, MAX_GPUS, true, &grid->gpus, error) : status;
}

/* What a search over several clusters does not have. */
static enum rk_status check_machines(const struct place *root, const struct study *study,
                                     const struct grid *grid, struct rk_error *error)
{
    static const char *const keys[] = {"framework", "mode", "unstartable"};
    static const char *const faults[] = {
        "framework calculon covers only one cluster",
        "the search over several clusters has one way to search, pruned",
        "the search over several clusters takes what frameworks start"};
    struct place member;
    if (!count_machines(study, grid)) return RK_OK;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!find_key(&grid->place, root, keys[i], &member)) continue;
        const bool wrong[] = {!rk_answerer(grid->framework)->layers,
                              grid->modes > 1 || grid->mode[0] != RK_SEARCH_PRUNED,
                              json_is_true(member.value)};
        if (wrong[i])
            return place_fail(&member, error,
                              "%s; leave it out, or put the systems of several clusters into a "
                              "figure of their own",
                              faults[i]);
    }
    return RK_OK;
}

enum rk_status grid_load(const struct place *root, struct study *study, struct grid *grid,
                         struct rk_error *error)
{
    const struct place *figure = &grid->place;
    struct place member;
    enum rk_status status = load_settings(root, grid, error);
    if (status == RK_OK) status = need_key(figure, root, "models", "which models", &member, error);
    if (status == RK_OK) status = entries_load_models(&member, study, &grid->models, error);
    if (status == RK_OK)
        status = need_key(figure, root, "systems", "which systems", &member, error);
    if (status == RK_OK) status = entries_load_systems(&member, study, &grid->systems, error);
    if (status == RK_OK) status = load_gpus(root, study, grid, error);
    if (status == RK_OK) status = check_machines(root, study, grid, error);
    if (status == RK_OK)
        status = need_key(figure, root, "batch", "the largest batch", &member, error);
    if (status == RK_OK) status = numbers_load(&member, 1, MAX_BATCH, true, &grid->batch, error);
    if (status != RK_OK) return status;
    grid->axes_place = *figure;
    const struct field flag = {.type = FIELD_BOOL};
    bool unstartable = false;
    if (find_key(figure, root, "unstartable", &member))
        status = field_load(&member, &flag, &unstartable, error);
    if (status != RK_OK) return status;
    if (unstartable && !rk_answerer(grid->framework)->runs)
        return place_fail(&member, error,
                          "no framework starts plans of the Calculon model: "
                          "leave unstartable, or framework calculon, out");
    const bool restricted = find_key(figure, root, "axes", &grid->axes_place);
    return axes_load(restricted ? &grid->axes_place : NULL, unstartable, study, &grid->axes, error);
}
