#include "base/lists.h"
#include "base/units.h"

#include <string.h>

static const char no_number[] =
    "expected a number, \"8..64\", \"8..64 step 8\", \"8..64 +8\" or \"8..64 x2\"";
static const char too_large[] = "numbers are at most 2^53";

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " \t");
}

/* "1024" or "1k"; `fault` where there are none or too many. */
static const char *read_digits(const char *at, uint64_t *value, const char **fault)
{
    const size_t used = whole_parse(at, strlen(at), value);
    if (used == 0) *fault = no_number;
    if (*value > UINT64_C(1) << 53) *fault = too_large;
    return skip_spaces(at + used);
}

/* "1024" or "2^10" */
static const char *read_number(const char *at, uint64_t *value, const char **fault)
{
    uint64_t base, exponent;
    at = read_digits(skip_spaces(at), value, fault);
    if (*fault || *at != '^') return at;
    base = *value;
    at = read_digits(skip_spaces(at + 1), &exponent, fault);
    *value = 1;
    for (; exponent && base != 1 && !*fault; exponent--)
        if (__builtin_mul_overflow(*value, base, value) || *value > UINT64_C(1) << 53)
            *fault = too_large;
    return at;
}

static const char *read_stride(const char *at, struct progression *p, const char **fault)
{
    const bool factor = *at == 'x' || *at == '*', word = strncmp(at, "step", 4) == 0;
    uint64_t by;
    if (!factor && *at != '+' && !word) {
        *fault = no_number;
        return at;
    }
    at = read_digits(skip_spaces(at + (word ? 4 : 1)), &by, fault);
    p->step = factor ? 0 : by;
    p->factor = factor ? by : 0;
    if (!*fault && by == 0 && !factor) *fault = "a step of 0 never arrives: give 1 or more";
    if (!*fault && by < 2 && factor) *fault = "a factor below 2 never arrives: give 2 or more";
    return at;
}

const char *progression_parse(const char *text, bool doubles, struct progression *p)
{
    const char *fault = NULL;
    *p = (struct progression){.step = !doubles, .factor = doubles ? 2 : 0};
    const char *at = read_number(text, &p->first, &fault);
    p->last = p->first;
    if (!fault && strncmp(at, "..", 2) == 0) {
        at = read_number(at + 2, &p->last, &fault);
        if (!fault && *at) at = read_stride(at, p, &fault);
    }
    if (!fault && *at) fault = no_number;
    if (!fault && p->last < p->first)
        fault = "the range runs backwards: put the smaller number first";
    return fault;
}

bool progression_next(const struct progression *p, uint64_t *value)
{
    uint64_t next = *value + p->step;
    if (!p->step && __builtin_mul_overflow(*value, p->factor, &next)) return false;
    if (next <= *value || next > p->last) return false; /* 0 x2 stays 0 */
    *value = next;
    return true;
}
