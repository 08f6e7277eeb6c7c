/* fuzz_plan_words.c - any text as a line of words of a plan. */
#include "catalog/plan_fields.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <reckon/catalog.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char written[RK_PLAN_TEXT], again[RK_PLAN_TEXT];
    struct rk_error error = {0};
    struct rk_plan plan, read;
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    if (rk_plan_parse(text, &plan, &error) == RK_OK) {
        assert(rk_plan_text(&plan, written, sizeof written) < sizeof written);
        assert(rk_plan_parse(written, &read, &error) == RK_OK);
        rk_plan_text(&read, again, sizeof again);
        assert(strcmp(written, again) == 0);
    } else {
        assert(error.status == RK_BAD_ARGUMENT && error.text[0]);
        plan_is_word(text, strcspn(text, " "));
    }
    free(text);
    return 0;
}
