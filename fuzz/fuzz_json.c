/* fuzz_json.c - any bytes as a JSON text; every value in it must be found again. */
#include "text/document.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_VALUES = 200 };

static void check_place(const struct place *place)
{
    struct rk_error error = {0};
    char text[PLACE_TEXT];
    place_describe(text, place);
    place_fail(place, &error, "here");
    assert(error.status == RK_BAD_INPUT && error.line >= 1 && error.column >= 1);
}

static int walk(const struct place *place, int seen)
{
    const char *key;
    json_t *value;
    struct place inside;
    if (seen >= MOST_VALUES) return seen;
    check_place(place);
    seen++;
    for (size_t i = 0; i < json_array_size(place->value); i++) {
        inside = place_element(place, i);
        seen = walk(&inside, seen);
    }
    json_object_foreach(place->value, key, value)
    {
        const bool found = place_member(place, key, &inside);
        assert(found);
        seen = walk(&inside, seen);
    }
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document document;
    struct rk_error error = {0};
    if (document_parse("x.json", data, size, &document, &error) == RK_OK) {
        const struct place root = place_root(&document);
        walk(&root, 0);
    } else {
        assert(error.status == RK_BAD_INPUT && error.text[0]);
    }
    document_release(&document);
    return 0;
}
