#include "study/numbers.h"

#include "base/memory.h"
#include "base/number.h"
#include "study/study.h"
#include "text/fields.h"

#include <stdlib.h>

enum rk_status progression_load(const struct place *place, uint64_t min, uint64_t max, bool doubles,
                                struct progression *p, struct rk_error *error)
{
    char got[PLACE_TEXT];
    *p = (struct progression){.step = 1};
    if (!json_is_string(place->value)) {
        const struct field field = {.type = FIELD_COUNT, .min = (double)min, .max = (double)max};
        const enum rk_status status = field_load(place, &field, &p->first, error);
        p->last = p->first;
        return status;
    }
    const char *fault = progression_parse(json_string_value(place->value), doubles, p);
    if (fault) return place_fail(place, error, "%s, got %s", fault, place_describe(got, place));
    if (p->first >= min && p->last <= max) return RK_OK;
    return place_fail(place, error, "must lie in %llu..%llu, got %s", (unsigned long long)min,
                      (unsigned long long)max, place_describe(got, place));
}

/* ---- lists ---- */

static bool numbers_push(struct numbers *numbers, uint64_t value)
{
    if (numbers->count == STUDY_MAX_POINTS) return false;
    if (!ARRAY_ROOM(numbers->value, numbers->count)) return false;
    numbers->value[numbers->count++] = value;
    return true;
}

bool numbers_add(struct numbers *numbers, const struct progression *p)
{
    uint64_t value = p->first;
    do
        if (!numbers_push(numbers, value)) return false;
    while (progression_next(p, &value));
    return true;
}

static void sort_once(struct numbers *numbers)
{
    size_t kept = 0;
    qsort(numbers->value, numbers->count, sizeof *numbers->value, by_count);
    for (size_t i = 0; i < numbers->count; i++)
        if (i == 0 || numbers->value[i] != numbers->value[kept - 1])
            numbers->value[kept++] = numbers->value[i];
    numbers->count = kept;
}

static enum rk_status load_one(const struct place *place, uint64_t min, uint64_t max, bool doubles,
                               struct numbers *numbers, struct rk_error *error)
{
    struct progression progression;
    const enum rk_status status = progression_load(place, min, max, doubles, &progression, error);
    if (status != RK_OK || numbers_add(numbers, &progression)) return status;
    return place_fail(place, error,
                      "more than %d numbers: make the range smaller or the step larger",
                      STUDY_MAX_POINTS);
}

enum rk_status numbers_load(const struct place *place, uint64_t min, uint64_t max, bool doubles,
                            struct numbers *numbers, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    *numbers = (struct numbers){0};
    if (json_is_array(place->value)) {
        status = place_need_array(place, 1, STUDY_MAX_POINTS, error);
        for (size_t i = 0; status == RK_OK && i < json_array_size(place->value); i++) {
            const struct place element = place_element(place, i);
            status = load_one(&element, min, max, doubles, numbers, error);
        }
    } else {
        status = load_one(place, min, max, doubles, numbers, error);
    }
    if (status == RK_OK)
        sort_once(numbers);
    else
        numbers_release(numbers);
    return status;
}

void numbers_release(struct numbers *numbers)
{
    free(numbers->value);
    *numbers = (struct numbers){0};
}
