/* fuzz_hf.c - any bytes as a config.json, by its own type and by one of those that are known, which
 * the last byte chooses. */
#include "catalog/model_fields.h"
#include "catalog/readers.h"
#include "huggingface/hf.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was imported is written and read as the same number of parameters. */
static void check_again(const struct rk_model *model)
{
    const char *const source = "fuzz";
    struct document document;
    struct rk_error error;
    struct rk_model again;
    char *text = model_text(model, NULL, NULL, &source, 1);
    assert(text);
    assert(document_parse("m.json", text, strlen(text), &document, &error) == RK_OK);
    assert(model_read(&document, "m", &again, &error) == RK_OK);
    assert(rk_model_parameters(&again) == rk_model_parameters(model));
    assert(rk_model_active_parameters(&again) == rk_model_active_parameters(model));
    document_release(&document);
    free(text);
}

static void check_type(const struct document *document, int type)
{
    const struct hf_options options = {.type = type};
    struct rk_error error = {0};
    struct hf_import import;
    if (hf_read(document, "x", &options, &import, &error) == RK_OK) {
        assert(rk_model_parameters(&import.model) <= UINT64_C(1) << 53);
        assert(rk_model_active_parameters(&import.model) <= rk_model_parameters(&import.model));
        check_again(&import.model);
    } else {
        assert(error.status == RK_BAD_INPUT && error.text[0]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document document;
    struct rk_error error = {0};
    int types = 0;
    if (document_parse("x.json", data, size, &document, &error) != RK_OK) return 0;
    while (hf_type_names[types])
        types++;
    check_type(&document, -1);
    check_type(&document, data[size - 1] % types);
    document_release(&document);
    return 0;
}
