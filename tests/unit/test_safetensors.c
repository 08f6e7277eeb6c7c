/* Headers of safetensors files: what is written is read again, and every kind of fault is refused
 * with the tensor and the byte. */
#include "shard/safetensors.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum rk_status parse(const char *header, uint64_t data, struct safetensors *file,
                            struct rk_error *error)
{
    return safetensors_parse("x.safetensors", header, strlen(header), data, file, error);
}

Test(safetensors, reads)
{
    struct safetensors file;
    struct rk_error error = {0};
    const char *header = "{\"__metadata__\":{\"format\":\"pt\"},"
                         "\"b\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[4,16]},"
                         "\"a\":{\"data_offsets\":[0,4],\"shape\":[],\"dtype\":\"F32\"},"
                         "\"none\":{\"dtype\":\"I8\",\"shape\":[0,7],\"data_offsets\":[4,4]}}  ";
    cr_assert_eq(parse(header, 16, &file, &error), RK_OK, "%s", error.text);
    cr_assert_eq(file.count, 3);
    cr_assert_str_eq(file.tensor[0].name, "a");
    cr_assert_str_eq(file.tensor[1].name, "none");
    cr_assert_str_eq(file.tensor[2].name, "b");
    cr_assert_eq(file.tensor[2].begin, 8 + strlen(header) + 4);
    cr_assert_eq(file.tensor[2].shape[1], 3);
    cr_assert_str_eq(safetensors_value(&file, "format"), "pt");
    safetensors_release(&file);
}

/* clang-format off */
#define A(dtype, shape, offsets) "{\"a\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}}"
static const struct {
    const char *header;
    uint64_t data;
    const char *says;
} bad[] = {
    {"", 0, "must begin with"},
    {" {}", 0, "must begin with"},
    {"{", 0, "byte 1 of the header"},
    {"{}x", 0, "data after the end of the header"},
    {"{\"a\"}", 0, "\":\" is missing"},
    {"{\"a\":1}", 0, "must be an object"},
    {"{1:{}}", 0, "must be a text"},
    {"{\"__metadata__\":{\"a\":1}}", 0, "object of texts"},
    {"{\"__metadata__\":{\"a\":\"1\"},\"__metadata__\":{\"a\":\"2\"}}", 0, "twice"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "data_offsets is missing"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":1}}", 4, "has more than"},
    {A("\"F33\"", "[1]", "[0,4]"), 4, "F33 is not known"},
    {A("\"F32\"", "1", "[0,4]"), 4, "shape must be a list"},
    {A("\"F32\"", "[-1]", "[0,4]"), 4, "shape[0] must be"},
    {A("\"F32\"", "[1.0]", "[0,4]"), 4, "shape[0] must be"},
    {A("\"F32\"", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4, "9 dimensions"},
    {A("\"F32\"", "[1]", "[4,0]"), 4, "data_offsets must be"},
    {A("\"F32\"", "[1]", "[0,4,5]"), 4, "data_offsets must be"},
    {A("\"F32\"", "[2]", "[0,8]"), 4, "is it cut off"},
    {A("\"F32\"", "[2]", "[0,4]"), 4, "takes 8 bytes, its data_offsets 4"},
    {A("\"F32\"", "[4294967296,4294967296]", "[0,4]"), 4, "beyond what a file can hold"},
    {A("\"F32\"", "[4611686018427387904]", "[0,0]"), 0, "beyond what a file can hold"},
    {A("\"F32\"", "[99999999999999999999]", "[0,4]"), 4, "byte 5 of the header"},
    {A("\"F4\"", "[3]", "[0,1]"), 1, "beyond what a file can hold"},
    {A("\"F32\"", "[1]", "[0,4]"), 5, "1 bytes of data come after"},
    {A("\"F32\"", "[1]", "[1,5]"), 5, "hole in front of it"},
    {"{\"\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "without a name"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]}}", 3, "tensor \"b\" (byte 1 of the data): overlaps"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}", 2, "is there twice"},
};
/* clang-format on */

Test(safetensors, refuses)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct safetensors file;
        struct rk_error error = {0};
        cr_expect_eq(parse(bad[i].header, bad[i].data, &file, &error), RK_BAD_INPUT, "case %zu", i);
        cr_expect(strstr(error.text, bad[i].says), "case %zu: %s", i, error.text);
        cr_expect_eq(file.count, 0);
    }
}

Test(safetensors, writes_what_it_reads)
{
    struct tensor made[] = {
        {.name = strdup("z"), .type = TENSOR_F32, .rank = 1, .shape = {3}},
        {.name = strdup("a.\"quoted\""), .type = TENSOR_BF16, .rank = 2, .shape = {5, 7}},
        {.name = strdup("b"), .type = TENSOR_F4, .rank = 1, .shape = {6}},
        {.name = strdup("c"), .type = TENSOR_BF16, .rank = 0},
    };
    struct pair pair = {"format", "pt"};
    struct safetensors file = {4, made, 1, &pair}, again;
    struct bytes header = {.data = NULL};
    struct rk_error error = {0};
    cr_assert_eq(safetensors_write("x", &file, &header, &error), RK_OK, "%s", error.text);
    cr_assert_eq(header.size % 8, 0);
    /* wide types first, then names: 12, 70, 2 and 3 bytes */
    cr_assert_str_eq(made[0].name, "z");
    cr_assert_str_eq(made[1].name, "a.\"quoted\"");
    cr_assert_str_eq(made[2].name, "c");
    cr_assert_eq(made[3].end, header.size + 12 + 70 + 2 + 3);
    cr_assert_eq(safetensors_parse("x", header.data + 8, header.size - 8, 87, &again, &error),
                 RK_OK, "%s", error.text);
    cr_assert_eq(again.count, 4);
    for (int i = 0; i < 4; i++) {
        cr_assert_str_eq(again.tensor[i].name, made[i].name);
        cr_assert_eq(again.tensor[i].begin, made[i].begin);
        cr_assert_eq(again.tensor[i].type, made[i].type);
        free(made[i].name);
    }
    safetensors_release(&again);
    bytes_release(&header);
}

/* clang-format off */
static const struct { const char *bytes; size_t size; const char *says; } files[] = {
    {"1234", 4, "not a safetensors file"},
    {"\xff\xff\xff\xff\xff\xff\xff\xff{}", 10, "at most 100000000 are allowed"},
    {"\x08\0\0\0\0\0\0\0{}", 10, "is it cut off"},
    {"\x02\0\0\0\0\0\0\0{} ", 11, "1 bytes of data come after"},
};
/* clang-format on */

Test(safetensors, refuses_files)
{
    char path[] = "safetensors-XXXXXX";
    struct safetensors file;
    struct rk_error error = {0};
    const int fd = mkstemp(path);
    close(fd);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FILE *out = fopen(path, "wb");
        fwrite(files[i].bytes, 1, files[i].size, out);
        fclose(out);
        cr_expect_eq(safetensors_read(path, &file, &error), RK_BAD_INPUT);
        cr_expect(strstr(error.text, files[i].says), "%s", error.text);
    }
    remove(path);
    cr_assert_eq(safetensors_read(path, &file, &error), RK_BAD_INPUT);
    cr_assert_eq(safetensors_read(".", &file, &error), RK_BAD_INPUT);
}
