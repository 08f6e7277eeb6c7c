/* fuzz_calculon_model.c - any bytes as a model file of the published tool. */
#include "calculon/calculon_read.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document document;
    struct rk_error error = {0};
    struct rk_model model;
    enum rk_status status = document_parse("x.json", data, size, &document, &error);
    if (status == RK_OK) status = calculon_parse_model(&document, &model, &error);
    if (status == RK_OK)
        assert(model.layers >= 1 && model.hidden >= 1 && isfinite(calculon_parameters(&model)));
    else
        assert(status == RK_BAD_INPUT && error.text[0]);
    document_release(&document);
    return 0;
}
