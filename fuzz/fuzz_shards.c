/* fuzz_shards.c - any bytes as the headers of two shards; what is accepted says of every element of
 * every tensor where it is, within its file, and can be merged. */
#include "shard/store.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A slice's boxes are where the file has it. */
static void check_slice(const struct layout *l, const struct slice *s, uint64_t most)
{
    const struct tensor *t = &l->tensor[s->tensor];
    const unsigned bits = tensor_type_bits(t->type);
    assert(s->offset + (s->count * bits + 7) / 8 <= most);
    for (uint32_t i = 0; i < s->boxes; i++) {
        const struct box *b = &l->box[s->box + i];
        uint64_t first = 0, last = 0;
        for (int d = 0; d < t->rank; d++) {
            assert(b->size[d] > 0 && b->begin[d] + b->size[d] <= t->shape[d]);
            first = first * s->shape[d] + b->at[d];
            last = last * s->shape[d] + b->at[d] + b->size[d] - 1;
        }
        const uint64_t from = s->flat ? s->first : 0;
        assert(first >= from && last - from < s->count);
    }
}

static void check(const struct safetensors *files)
{
    static const char *const names[] = {"a.safetensors", "b.safetensors"};
    struct store store;
    struct rk_error error = {0};
    if (store_of_headers(files, names, 2, &store, &error) == RK_OK)
        for (size_t i = 0; i < store.layout.slices; i++)
            check_slice(&store.layout, &store.layout.slice[i], UINT64_C(1) << 40);
    else
        assert(error.status == RK_BAD_INPUT && error.text[0]);
    store_release(&store);
}

/* The two are parted by a zero byte; the first byte of each says how much data it has. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct safetensors files[2] = {{.count = 0}, {.count = 0}};
    const uint8_t *middle = size ? memchr(data, 0, size) : NULL;
    if (!middle || middle == data || middle + 1 == data + size) return 0;
    const uint8_t *begin[] = {data, middle + 1}, *end[] = {middle, data + size};
    int read = 0;
    while (read < 2 && safetensors_parse("x", (const char *)begin[read] + 1,
                                         (size_t)(end[read] - begin[read]) - 1, *begin[read],
                                         &files[read], NULL) == RK_OK)
        read++;
    if (read == 2) check(files);
    for (int i = 0; i < 2; i++)
        safetensors_release(&files[i]);
    return 0;
}
