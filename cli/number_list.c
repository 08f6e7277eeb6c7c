#include "cli/number_list.h"

#include "cli/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum rk_status add(const char *name, struct number_list *list, uint64_t value,
                          struct rk_error *error)
{
    for (int i = 0; i < list->count; i++)
        if (list->value[i] == value) return RK_OK;
    if (list->count == NUMBER_LIST_MAX)
        return rk_fail(error, RK_USAGE, NULL, 0, 0, "%s: more than %d numbers: ask for fewer", name,
                       NUMBER_LIST_MAX);
    list->value[list->count++] = value;
    return RK_OK;
}

/* "1024" or "2^10"; `text` is changed. */
static enum rk_status read_number(const char *name, char *text, uint64_t *value,
                                  struct rk_error *error)
{
    const uint64_t largest = UINT64_C(1) << 53;
    uint64_t base, exponent;
    char *caret = strchr(text, '^');
    if (!caret) return option_number(name, text, 1, 0, value, error);
    *caret = '\0';
    enum rk_status status = option_number(name, text, 1, 0, &base, error);
    if (status == RK_OK) status = option_number(name, caret + 1, 0, 64, &exponent, error);
    if (status != RK_OK) return status;
    *value = 1;
    for (uint64_t i = 0; i < exponent; i++)
        if (__builtin_mul_overflow(*value, base, value) || *value > largest)
            return rk_fail(error, RK_USAGE, NULL, 0, 0, "%s: %s^%s is too large", name, text,
                           caret + 1);
    return RK_OK;
}

/* How a range goes on. */
struct stride {
    uint64_t factor, step;
};

/* The "x4" or "+512" at the end of `text`, which is cut off; doubling without one. */
static enum rk_status read_stride(const char *name, char *text, struct stride *stride,
                                  struct rk_error *error)
{
    char *sign = strpbrk(text, "x*+");
    *stride = (struct stride){.factor = 2};
    if (!sign) return RK_OK;
    const bool adds = *sign == '+';
    uint64_t by;
    *sign = '\0';
    const enum rk_status status = option_number(name, sign + 1, adds ? 1 : 2, 0, &by, error);
    if (status == RK_OK) *stride = adds ? (struct stride){1, by} : (struct stride){by, 0};
    return status;
}

static enum rk_status read_range(const char *name, char *low_text, char *high_text,
                                 struct number_list *list, struct rk_error *error)
{
    struct stride stride;
    uint64_t low, high;
    enum rk_status status = read_stride(name, high_text, &stride, error);
    if (status == RK_OK) status = read_number(name, low_text, &low, error);
    if (status == RK_OK) status = read_number(name, high_text, &high, error);
    if (status != RK_OK) return status;
    if (high < low)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "%s: the range %" PRIu64 "..%" PRIu64 " runs backwards", name, low, high);
    for (uint64_t at = low; at <= high && status == RK_OK;) {
        status = add(name, list, at, error);
        if (__builtin_mul_overflow(at, stride.factor, &at)) break;
        at += stride.step;
    }
    return status;
}

enum rk_status number_list_parse(const char *name, const char *text, struct number_list *list,
                                 struct rk_error *error)
{
    char *copy = strdup(text);
    if (!copy) return rk_fail(error, RK_IO, NULL, 0, 0, "out of memory");
    enum rk_status status = RK_OK;
    char *rest = copy, *item;
    while (status == RK_OK && (item = strsep(&rest, ","))) {
        char *dots = strstr(item, "..");
        uint64_t value;
        if (dots) {
            *dots = '\0';
            status = read_range(name, item, dots + 2, list, error);
            continue;
        }
        status = read_number(name, item, &value, error);
        if (status == RK_OK) status = add(name, list, value, error);
    }
    free(copy);
    return status;
}
