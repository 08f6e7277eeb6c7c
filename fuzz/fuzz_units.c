/* fuzz_units.c - any text as a quantity; what is printed is read back within its digits. */
#include "base/text.h"
#include "base/units.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_printed(enum quantity quantity, double value)
{
    char text[QUANTITY_TEXT];
    double again;
    struct units_error error;
    quantity_format(text, quantity, value);
    if (!(fabs(value) > 1e-12 && fabs(value) < 1e15)) return;
    assert(quantity_parse(text, strlen(text), quantity, true, &again, &error));
    assert(fabs(again - value) <= 1e-3 * fabs(value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct units_error error = {.text = ""};
    char quoted[TEXT_QUOTE];
    double value = NAN;
    if (size < 1) return 0;
    const enum quantity quantity = (enum quantity)(data[0] % QUANTITIES);
    const char *text = (const char *)data + 1;
    if (quantity_parse(text, size - 1, quantity, data[0] & 128, &value, &error)) {
        assert(!isnan(value));
        check_printed(quantity, value);
    } else {
        assert(isnan(value) && error.text[0] && error.at <= size);
    }
    assert(strlen(text_quote(quoted, text, size - 1)) < TEXT_QUOTE);
    return 0;
}
