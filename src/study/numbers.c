#include "study/numbers.h"

#include "catalog/fields.h"
#include "study/study.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- one progression ---- */

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " \t");
}

/* Digits up to 2^53; NULL when there are none. */
static const char *read_digits(const char *at, uint64_t *value)
{
    const size_t digits = strspn(at, "0123456789");
    *value = 0;
    if (digits == 0 || digits > 16) return NULL;
    for (size_t i = 0; i < digits; i++)
        *value = 10 * *value + (uint64_t)(at[i] - '0');
    return at + digits;
}

/* What follows "first..last": nothing, "step N" or "xN". */
static bool read_stride(const char *at, struct progression *p)
{
    if (!*at) return true;
    const bool factor = *at == 'x';
    if (!factor && strncmp(at, "step", 4) != 0) return false;
    at = read_digits(skip_spaces(at + (factor ? 1 : 4)), factor ? &p->factor : &p->step);
    if (factor) p->step = 0;
    return at && !*skip_spaces(at);
}

static bool read_text(const char *text, struct progression *p)
{
    const char *at = read_digits(skip_spaces(text), &p->first);
    p->last = p->first;
    if (!at) return false;
    at = skip_spaces(at);
    if (!*at) return true;
    if (strncmp(at, "..", 2) != 0) return false;
    at = read_digits(skip_spaces(at + 2), &p->last);
    return at && read_stride(skip_spaces(at), p);
}

static enum rk_status check_text(const struct place *place, const struct progression *p,
                                 struct rk_error *error)
{
    if (p->first > p->last)
        return place_fail(place, error, "the range runs backwards: put the smaller number first");
    if (p->factor == 0 && p->step == 0)
        return place_fail(place, error, "a step of 0 never arrives: give 1 or more");
    if (p->step == 0 && p->factor < 2)
        return place_fail(place, error, "a factor of %llu never arrives: give 2 or more",
                          (unsigned long long)p->factor);
    return RK_OK;
}

enum rk_status progression_load(const struct place *place, uint64_t min, uint64_t max,
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
    if (!read_text(json_string_value(place->value), p))
        return place_fail(place, error,
                          "expected a number, \"8..64\", \"8..64 step 8\" or \"8..64 x2\", got %s",
                          place_describe(got, place));
    const enum rk_status status = check_text(place, p, error);
    if (status != RK_OK || (p->first >= min && p->last <= max)) return status;
    return place_fail(place, error, "must lie in %llu..%llu, got %s", (unsigned long long)min,
                      (unsigned long long)max, place_describe(got, place));
}

/* ---- lists ---- */

static bool numbers_push(struct numbers *numbers, uint64_t value)
{
    if (numbers->count == STUDY_MAX_POINTS) return false;
    if ((numbers->count & (numbers->count - 1)) == 0) { /* room doubles at 1, 2, 4, ... */
        const size_t room = numbers->count ? 2 * numbers->count : 1;
        uint64_t *grown = realloc(numbers->value, room * sizeof *grown);
        if (!grown) return false;
        numbers->value = grown;
    }
    numbers->value[numbers->count++] = value;
    return true;
}

bool numbers_add(struct numbers *numbers, const struct progression *p)
{
    uint64_t value = p->first;
    while (value <= p->last) {
        if (!numbers_push(numbers, value)) return false;
        const uint64_t next = p->step ? value + p->step : value * p->factor;
        if (next <= value) break; /* 0 x2 stays 0 */
        value = next;
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_once(struct numbers *numbers)
{
    size_t kept = 0;
    qsort(numbers->value, numbers->count, sizeof *numbers->value, compare);
    for (size_t i = 0; i < numbers->count; i++)
        if (i == 0 || numbers->value[i] != numbers->value[kept - 1])
            numbers->value[kept++] = numbers->value[i];
    numbers->count = kept;
}

static enum rk_status load_one(const struct place *place, uint64_t min, uint64_t max,
                               struct numbers *numbers, struct rk_error *error)
{
    struct progression progression;
    const enum rk_status status = progression_load(place, min, max, &progression, error);
    if (status != RK_OK || numbers_add(numbers, &progression)) return status;
    return place_fail(place, error,
                      "more than %d numbers: make the range smaller or the step larger",
                      STUDY_MAX_POINTS);
}

enum rk_status numbers_load(const struct place *place, uint64_t min, uint64_t max,
                            struct numbers *numbers, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    *numbers = (struct numbers){0};
    if (json_is_array(place->value)) {
        status = place_need_array(place, 1, STUDY_MAX_POINTS, error);
        for (size_t i = 0; status == RK_OK && i < json_array_size(place->value); i++) {
            const struct place element = place_element(place, i);
            status = load_one(&element, min, max, numbers, error);
        }
    } else {
        status = load_one(place, min, max, numbers, error);
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
