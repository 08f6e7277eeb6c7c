/* fuzz_tokenizer.c - any bytes as a tokenizer.json; what is accepted encodes the bytes and gives
 * them back. */
#include "text/document.h"
#include "tokens/tokenizer.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round_trip(const struct tokenizer *t, const char *text, size_t size)
{
    struct tokenizer_scratch scratch = {.normal = {.data = NULL}};
    struct token_list ids = {.id = NULL};
    struct bytes back = {.data = NULL};
    assert(tokenizer_encode(t, &scratch, text, size, &ids));
    for (size_t i = 0; i < ids.count; i++)
        assert(ids.id[i] < t->ids);
    assert(tokenizer_decode(t, ids.id, ids.count, &back));
    if (!t->nfc) assert(back.size == size && (size == 0 || memcmp(back.data, text, size) == 0));
    tokenizer_scratch_release(&scratch);
    token_list_release(&ids);
    bytes_release(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document document;
    struct tokenizer t;
    struct rk_error error = {0};
    if (document_parse("x.json", data, size, &document, &error) != RK_OK) return 0;
    if (tokenizer_read(&document, &t, &error) == RK_OK) {
        check_round_trip(&t, (const char *)data, size);
        tokenizer_release(&t);
    } else {
        assert(error.status == RK_BAD_INPUT && error.text[0]);
    }
    document_release(&document);
    return 0;
}
