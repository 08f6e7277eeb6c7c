#include "base/units.h"
#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the units ---- */

/* clang-format off */
static const struct prefix {
    const char *name;
    double factor;
    bool binary;
} prefixes[] = {
    { "",   1,    false },
    { "k",  1e3,  false }, { "K",  1e3,  false }, { "M",  1e6,  false }, { "G",  1e9,  false },
    { "T",  1e12, false }, { "P",  1e15, false }, { "E",  1e18, false },
    { "Ki", 0x1p10, true }, { "Mi", 0x1p20, true }, { "Gi", 0x1p30, true }, { "Ti", 0x1p40, true },
    { "Pi", 0x1p50, true }, { "Ei", 0x1p60, true },
};

static const struct base_unit {
    const char *name;
    enum quantity quantity;
    double divisor; /* of the SI unit: a bit is 1/8 B */
    bool binary;    /* Ki, Mi, ... make sense */
} bases[] = {
    { "B",      QUANTITY_BYTES,       1, true  },
    { "B/s",    QUANTITY_BYTES_PER_S, 1, true  },
    { "Bps",    QUANTITY_BYTES_PER_S, 1, true  },
    { "b/s",    QUANTITY_BYTES_PER_S, 8, true  },
    { "bit/s",  QUANTITY_BYTES_PER_S, 8, true  },
    { "bps",    QUANTITY_BYTES_PER_S, 8, true  },
    { "FLOP",   QUANTITY_FLOP,        1, false },
    { "FLOP/s", QUANTITY_FLOP_PER_S,  1, false },
    { "FLOPS",  QUANTITY_FLOP_PER_S,  1, false },
    { "FLOPps", QUANTITY_FLOP_PER_S,  1, false },
};

/* Units that take no prefix. */
static const struct {
    const char *name;
    struct unit unit;
} fixed[] = {
    { "s",   { QUANTITY_SECONDS, 1, 1 } },    { "ms",  { QUANTITY_SECONDS, 1, 1e3 } },
    { "us",  { QUANTITY_SECONDS, 1, 1e6 } },  { "\xc2\xb5s", { QUANTITY_SECONDS, 1, 1e6 } },
    { "ns",  { QUANTITY_SECONDS, 1, 1e9 } },  { "min", { QUANTITY_SECONDS, 60, 1 } },
    { "h",   { QUANTITY_SECONDS, 3600, 1 } }, { "d",   { QUANTITY_SECONDS, 86400, 1 } },
};

static const struct { char name; double factor; } counts[] = {
    { 'k', 1e3 }, { 'K', 1e3 }, { 'M', 1e6 }, { 'G', 1e9 }, { 'B', 1e9 }, { 'T', 1e12 },
    { 'P', 1e15 },
};

static const struct { const char *noun, *example; } quantities[QUANTITIES] = {
    [QUANTITY_PLAIN]       = { "a number",       "a number" },
    [QUANTITY_COUNT]       = { "a number",       "a number such as 60, 3e-4 or 1.5T" },
    [QUANTITY_BYTES]       = { "a size",         "a size such as \"80GiB\"" },
    [QUANTITY_BYTES_PER_S] = { "a rate",         "a rate such as \"100GB/s\" or \"400Gb/s\"" },
    [QUANTITY_SECONDS]     = { "a time",         "a time such as \"10us\" or \"30min\"" },
    [QUANTITY_FLOP]        = { "an amount of work", "an amount of work such as \"16GFLOP\"" },
    [QUANTITY_FLOP_PER_S]  = { "a rate of work", "a rate of work such as \"312TFLOP/s\"" },
};
/* clang-format on */

#define LENGTH(table) (sizeof(table) / sizeof(table)[0])

const char *quantity_example(enum quantity quantity)
{
    return quantities[quantity].example;
}

double unit_to_si(const struct unit *unit, double number)
{
    return number * unit->factor / unit->divisor;
}

static bool same(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

static bool prefixed_unit(const char *name, size_t length, const struct prefix *prefix,
                          struct unit *unit)
{
    const size_t skip = strlen(prefix->name);
    if (length < skip || memcmp(name, prefix->name, skip) != 0) return false;
    for (size_t i = 0; i < LENGTH(bases); i++) {
        if (!same(bases[i].name, name + skip, length - skip)) continue;
        if (prefix->binary && !bases[i].binary) continue;
        *unit = (struct unit){bases[i].quantity, prefix->factor, bases[i].divisor};
        return true;
    }
    return false;
}

bool unit_find(const char *name, size_t length, struct unit *unit)
{
    for (size_t i = 0; i < LENGTH(fixed); i++)
        if (same(fixed[i].name, name, length)) {
            *unit = fixed[i].unit;
            return true;
        }
    for (size_t i = 0; i < LENGTH(prefixes); i++)
        if (prefixed_unit(name, length, &prefixes[i], unit)) return true;
    return false;
}

/* ---- reading ---- */

static size_t digits(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && isdigit((unsigned char)text[count]))
        count++;
    return count;
}

/* [-] digits [. digits] [e [+-] digits]; how many characters, 0 for no number. */
static size_t number_length(const char *text, size_t length)
{
    size_t used = length && text[0] == '-';
    const size_t whole = digits(text + used, length - used);
    if (!whole) return 0;
    used += whole;
    if (used + 1 < length && text[used] == '.') {
        const size_t fraction = digits(text + used + 1, length - used - 1);
        if (fraction) used += 1 + fraction;
    }
    if (used < length && (text[used] == 'e' || text[used] == 'E')) {
        size_t more = used + 1;
        if (more < length && (text[more] == '+' || text[more] == '-')) more++;
        const size_t exponent = digits(text + more, length - more);
        if (exponent) used = more + exponent;
    }
    return used;
}

size_t number_parse(const char *text, size_t length, double *value)
{
    char copy[64];
    const size_t used = number_length(text, length);
    if (!used || used >= sizeof copy) return 0;
    memcpy(copy, text, used);
    copy[used] = '\0';
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    *value = plain ? strtod_l(copy, NULL, plain) : strtod(copy, NULL);
    if (plain) freelocale(plain);
    return used;
}

size_t whole_parse(const char *text, size_t length, uint64_t *value)
{
    const size_t used = digits(text, length);
    *value = 0;
    for (size_t i = 0; i < used; i++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(text[i] - '0'), value))
            *value = UINT64_MAX;
    const char letter = used && used < length ? text[used] : ' ';
    const int times = letter == 'k' || letter == 'K' ? 1
                      : letter == 'M'                ? 2
                      : letter == 'G'                ? 3
                      : letter == 'T'                ? 4
                                                     : 0;
    for (int i = 0; i < times; i++)
        if (__builtin_mul_overflow(*value, 1024, value)) *value = UINT64_MAX;
    return used + (times > 0);
}

const char *whole_format(char buffer[static QUANTITY_TEXT], uint64_t value)
{
    static const char *const letters[] = {"", "K", "M", "G", "T"};
    int times = 0;
    for (; value && value % 1024 == 0 && times < 4; times++)
        value /= 1024;
    snprintf(buffer, QUANTITY_TEXT, "%" PRIu64 "%s", value, letters[times]);
    return buffer;
}

static bool refuse(struct units_error *error, size_t at, const char *text)
{
    error->at = at;
    snprintf(error->text, sizeof error->text, "%s", text);
    return false;
}

static const struct base_unit *base_of(enum quantity quantity)
{
    for (size_t i = 0; i < LENGTH(bases); i++)
        if (bases[i].quantity == quantity) return &bases[i];
    return NULL;
}

/* "400G": of what? */
static bool refuse_bare(const char *text, size_t number, size_t length, enum quantity quantity,
                        struct units_error *error)
{
    char said[TEXT_QUOTE];
    const int digits_shown = (int)(number < 20 ? number : 20), rest = (int)(length - number);
    const char *prefix = text + number;
    text_quote(said, text, length);
    error->at = rest ? number : 0;
    if (!rest)
        snprintf(error->text, sizeof error->text, "%s has no unit: write %s", said,
                 quantity_example(quantity));
    else if (quantity == QUANTITY_BYTES_PER_S)
        snprintf(error->text, sizeof error->text,
                 "%s is ambiguous: write %.*s%.*sB/s (bytes) or %.*s%.*sb/s (bits)", said,
                 digits_shown, text, rest, prefix, digits_shown, text, rest, prefix);
    else if (quantity == QUANTITY_BYTES && rest == 1)
        snprintf(error->text, sizeof error->text,
                 "%s is ambiguous: write %.*s%ciB (of 1024) or %.*s%cB (of 1000)", said,
                 digits_shown, text, toupper((unsigned char)*prefix), digits_shown, text, *prefix);
    else if (base_of(quantity))
        snprintf(error->text, sizeof error->text, "%s is ambiguous: write %.*s%.*s%s", said,
                 digits_shown, text, rest, prefix, base_of(quantity)->name);
    return false;
}

static bool is_prefix(const char *text, size_t length)
{
    for (size_t i = 0; i < LENGTH(prefixes); i++)
        if (same(prefixes[i].name, text, length)) return true;
    return false;
}

static bool refuse_unit(const char *text, size_t number, size_t length, enum quantity quantity,
                        struct units_error *error)
{
    char said[TEXT_QUOTE];
    const char *hint = "";
    const char *name = text + number;
    const size_t size = length - number;
    if (is_prefix(name, size)) {
        if (base_of(quantity)) return refuse_bare(text, number, length, quantity, error);
        if (!size) return refuse_bare(text, number, length, quantity, error);
    }
    if (quantity == QUANTITY_BYTES && size && (name[size - 1] == 'b' || memchr(name, '/', size)))
        hint = name[size - 1] == 'b' ? " (b is bits)" : " (this is a rate)";
    if (quantity == QUANTITY_BYTES_PER_S && size == 2 && name[1] == 'B') hint = " (per second?)";
    error->at = number;
    snprintf(error->text, sizeof error->text, "%s is not %s%s: write %s",
             text_quote(said, text, length), quantities[quantity].noun, hint,
             quantity_example(quantity));
    return false;
}

static bool count_factor(const char *text, size_t length, double *factor)
{
    *factor = 1;
    if (length == 0) return true;
    for (size_t i = 0; length == 1 && i < LENGTH(counts); i++)
        if (counts[i].name == *text) {
            *factor = counts[i].factor;
            return true;
        }
    return false;
}

bool quantity_parse(const char *text, size_t length, enum quantity quantity, bool unlimited,
                    double *value, struct units_error *error)
{
    struct unit unit = {quantity, 1, 1};
    double number;
    if (unlimited && same("unlimited", text, length)) {
        *value = INFINITY;
        return true;
    }
    size_t used = number_parse(text, length, &number);
    if (!used) {
        char said[TEXT_QUOTE];
        error->at = 0;
        snprintf(error->text, sizeof error->text, "%s is not %s: write %s%s",
                 text_quote(said, text, length), quantities[quantity].noun,
                 quantity_example(quantity), unlimited ? " or \"unlimited\"" : "");
        return false;
    }
    size_t at = used;
    while (at < length && text[at] == ' ')
        at++;
    if (quantity == QUANTITY_COUNT || quantity == QUANTITY_PLAIN) {
        const size_t rest = length - at;
        if (quantity == QUANTITY_PLAIN ? rest != 0 : !count_factor(text + at, rest, &unit.factor))
            return refuse_unit(text, at, length, quantity, error);
    } else if (!unit_find(text + at, length - at, &unit) || unit.quantity != quantity) {
        return refuse_unit(text, at, length, quantity, error);
    }
    const double si = unit_to_si(&unit, number);
    if (!isfinite(si)) return refuse(error, 0, "the number is too large");
    *value = si;
    return true;
}

/* ---- writing ---- */

struct scale {
    double from; /* of the value in SI units */
    struct unit unit;
    const char *name;
};

/* clang-format off */
#define DECIMAL(q, suffix) \
    { 1e18, { q, 1e18, 1 }, "E" suffix }, { 1e15, { q, 1e15, 1 }, "P" suffix }, \
    { 1e12, { q, 1e12, 1 }, "T" suffix }, { 1e9, { q, 1e9, 1 }, "G" suffix }, \
    { 1e6, { q, 1e6, 1 }, "M" suffix }, { 1e3, { q, 1e3, 1 }, "k" suffix }, \
    { 0, { q, 1, 1 }, suffix }

static const struct scale count_scales[] = {
    { 1e12, { QUANTITY_COUNT, 1e12, 1 }, "T" }, { 1e9, { QUANTITY_COUNT, 1e9, 1 }, "B" },
    { 1e6, { QUANTITY_COUNT, 1e6, 1 }, "M" },   { 1e3, { QUANTITY_COUNT, 1e3, 1 }, "k" },
    { 0, { QUANTITY_COUNT, 1, 1 }, "" },
};
static const struct scale byte_scales[] = {
    { 0x1p60, { QUANTITY_BYTES, 0x1p60, 1 }, "EiB" }, { 0x1p50, { QUANTITY_BYTES, 0x1p50, 1 }, "PiB" },
    { 0x1p40, { QUANTITY_BYTES, 0x1p40, 1 }, "TiB" }, { 0x1p30, { QUANTITY_BYTES, 0x1p30, 1 }, "GiB" },
    { 0x1p20, { QUANTITY_BYTES, 0x1p20, 1 }, "MiB" }, { 0x1p10, { QUANTITY_BYTES, 0x1p10, 1 }, "KiB" },
    { 0, { QUANTITY_BYTES, 1, 1 }, "B" },
};
static const struct scale second_scales[] = {
    { 172800, { QUANTITY_SECONDS, 86400, 1 }, "d" }, { 7200, { QUANTITY_SECONDS, 3600, 1 }, "h" },
    { 120, { QUANTITY_SECONDS, 60, 1 }, "min" },     { 1, { QUANTITY_SECONDS, 1, 1 }, "s" },
    { 1e-3, { QUANTITY_SECONDS, 1, 1e3 }, "ms" },    { 1e-6, { QUANTITY_SECONDS, 1, 1e6 }, "us" },
    { 1e-9, { QUANTITY_SECONDS, 1, 1e9 }, "ns" },    { 0, { QUANTITY_SECONDS, 1, 1 }, "s" },
};
static const struct scale rate_scales[] = { DECIMAL(QUANTITY_BYTES_PER_S, "B/s") };
static const struct scale flop_scales[] = { DECIMAL(QUANTITY_FLOP, "FLOP") };
static const struct scale flop_rate_scales[] = { DECIMAL(QUANTITY_FLOP_PER_S, "FLOP/s") };
static const struct scale plain_scales[] = { { 0, { QUANTITY_PLAIN, 1, 1 }, "" } };

static const struct scale *const scales[QUANTITIES] = {
    [QUANTITY_PLAIN] = plain_scales,       [QUANTITY_COUNT] = count_scales,
    [QUANTITY_BYTES] = byte_scales,        [QUANTITY_BYTES_PER_S] = rate_scales,
    [QUANTITY_SECONDS] = second_scales,    [QUANTITY_FLOP] = flop_scales,
    [QUANTITY_FLOP_PER_S] = flop_rate_scales,
};
/* clang-format on */

const char *quantity_format(char buffer[static QUANTITY_TEXT], enum quantity quantity, double value)
{
    const struct scale *scale = scales[quantity];
    if (isinf(value)) {
        snprintf(buffer, QUANTITY_TEXT, "unlimited");
        return buffer;
    }
    while (scale->from > 0 && fabs(value) < scale->from * (1 - 5e-5))
        scale++;
    const double number = value * scale->unit.divisor / scale->unit.factor;
    const char *space = *scale->name && quantity != QUANTITY_COUNT ? " " : "";
    const int decimals = fabs(number) < 9.9995 ? 3 : fabs(number) < 99.995 ? 2 : 1;
    if (number == floor(number) && fabs(number) < 1e6)
        snprintf(buffer, QUANTITY_TEXT, "%.0f%s%s", number, space, scale->name);
    else if (fabs(number) < 0.9995 || fabs(number) >= 1e6)
        snprintf(buffer, QUANTITY_TEXT, "%.4g%s%s", number, space, scale->name);
    else
        snprintf(buffer, QUANTITY_TEXT, "%.*f%s%s", decimals, number, space, scale->name);
    return buffer;
}
