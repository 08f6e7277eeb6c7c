/* fuzz_plan.c - any bytes as a plan file; what is read is written as words that read as the same.
 */
#include "catalog/plan_fields.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <reckon/catalog.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[RK_PLAN_TEXT], again[RK_PLAN_TEXT];
    struct document document;
    struct rk_error error = {0};
    struct rk_plan plan, read;
    enum rk_status status = document_parse("x.json", data, size, &document, &error);
    if (status == RK_OK) status = plan_read_file(&document, &plan, &error);
    document_release(&document);
    if (status != RK_OK) {
        assert(status == RK_BAD_INPUT && error.text[0]);
        return 0;
    }
    assert(rk_plan_data(&plan) >= 1 && plan.batch % (rk_plan_data(&plan) * plan.microbatch) == 0);
    assert(rk_plan_text(&plan, text, sizeof text) < sizeof text);
    assert(rk_plan_parse(text, &read, &error) == RK_OK);
    rk_plan_text(&read, again, sizeof again);
    assert(strcmp(text, again) == 0);
    return 0;
}
