/* Bad texts: each gets one message with line and column, whatever they were meant to be. */
#include "catalog_cases.h"
#include "text/document.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static const struct bad_case texts[] = {
    {"", "x.json:1:1: is empty: expected a JSON object"},
    {" \n\t\n", "x.json:1:1: is empty: expected a JSON object"},
    {"{", "x.json:1:2: the text ends in the middle of a value: is the file complete?"},
    {"{\n  \"a\": [1, 2",
     "x.json:2:13: the text ends in the middle of a value: is the file complete?"},
    {"{\n  \"a\": 1,\n  \"a\": 2\n}", "x.json:3:3: key given twice: remove one of the two"},
    {"{\"a\": 1,}", "x.json:1:9: not JSON: string or '}' expected near '}'"},
    {"{\"a\" 1}", "x.json:1:6: not JSON: ':' expected near '1'"},
    {"{\n\"a\": nan}", "x.json:2:6: not JSON: invalid token near 'nan'"},
    {"{\"a\": Infinity}", "x.json:1:7: not JSON: invalid token near 'Infinity'"},
    {"{\"a\": 1e999}", "x.json:1:7: number too large: integers go up to 2^53, others to 1.8e308"},
    {"{\"a\": 123456789012345678901}",
     "x.json:1:7: number too large: integers go up to 2^53, others to 1.8e308"},
    {"{} {}", "x.json:1:4: something follows the closing bracket: one JSON value per file"},
    {"{\"a\": \"\xff\"}", "x.json:1:8: bytes that are not UTF-8: save the file as UTF-8 text"},
    {"{\"a\": \"\xc3\x28\"}", "x.json:1:8: bytes that are not UTF-8: save the file as UTF-8 text"},
    {"\xef\xbb\xbf{}",
     "x.json:1:1: begins with a byte order mark: save the file as UTF-8 without it"},
    {"\x89PNG\r\n", "x.json:1:1: bytes that are not UTF-8: save the file as UTF-8 text"},
    {"hello", "x.json:1:1: not JSON: invalid token near 'hello'"},
};

Test(catalog_json, bad_texts)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct document document;
        struct rk_error error = {0};
        const enum rk_status status =
            document_parse("x.json", texts[i].input, strlen(texts[i].input), &document, &error);
        cr_expect_eq(status, RK_BAD_INPUT);
        cr_expect_str_eq(formatted(&error), texts[i].message, "%zu: %s", i, formatted(&error));
        cr_expect_null(document.text);
    }
}

Test(catalog_json, a_nul_byte)
{
    static const char text[] = "{\"a\":\n \"b\0c\"}";
    struct document document;
    struct rk_error error;
    cr_expect_eq(document_parse("x.json", text, sizeof text - 1, &document, &error), RK_BAD_INPUT);
    cr_expect_str_eq(formatted(&error), "x.json:2:4: a NUL byte: this is not a text file");
}

Test(catalog_json, a_million_brackets)
{
    enum { SIZE = 1000000 };
    char *text = malloc(SIZE);
    struct document document;
    struct rk_error error;
    memset(text, '[', SIZE);
    cr_expect_eq(document_parse("x.json", text, SIZE, &document, &error), RK_BAD_INPUT);
    cr_expect_str_eq(formatted(&error),
                     "x.json:1:2049: brackets are nested too deeply: this cannot "
                     "be a file meant for reckon");
    free(text);
}

/* ---- files ---- */

static char folder[] = "reckon-test-XXXXXX";

static void make_folder(void)
{
    cr_assert(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static void remove_folder(void)
{
    cr_assert_eq(chdir(".."), 0);
    rmdir(folder);
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(data, 1, size, file) == size);
    fclose(file);
}

static void expect_refused(const char *path, const char *message)
{
    struct document document;
    struct rk_error error = {0};
    cr_expect_eq(document_load(path, &document, &error), RK_BAD_INPUT, "%s", path);
    cr_expect_str_eq(formatted(&error), message, "%s", formatted(&error));
}

TestSuite(catalog_files, .init = make_folder, .fini = remove_folder);

Test(catalog_files, what_cannot_be_read)
{
    expect_refused("none.json",
                   "none.json: cannot open: No such file or directory; check the path");
    expect_refused(".", ".: is a directory: name a file in it");
    write_file("empty.json", "", 0);
    expect_refused("empty.json", "empty.json:1:1: is empty: expected a JSON object");
    unlink("empty.json");
    if (geteuid() == 0) return; /* root reads everything */
    write_file("closed.json", "{}", 2);
    chmod("closed.json", 0);
    expect_refused("closed.json", "closed.json: cannot open: Permission denied; check the path");
    unlink("closed.json");
}

/* 100 MB: refused by its size, without reading it. */
Test(catalog_files, noise)
{
    write_file("noise.json", "x", 1);
    cr_assert_eq(truncate("noise.json", 100 << 20), 0);
    expect_refused("noise.json",
                   "noise.json: is larger than 64 MiB: this cannot be a file meant for reckon");
    unlink("noise.json");
}

static void write_gzip(const char *path, const char *text, size_t times)
{
    gzFile file = gzopen(path, "wb");
    for (size_t i = 0; i < times; i++)
        cr_assert_gt(gzputs(file, text), 0);
    gzclose(file);
}

Test(catalog_files, gzip_is_read_through)
{
    struct document document;
    struct rk_error error;
    write_gzip("x.json.gz", "{\"a\": 5}", 1);
    cr_assert_eq(document_load("x.json.gz", &document, &error), RK_OK, "%s", formatted(&error));
    cr_expect_eq(json_integer_value(json_object_get(document.root, "a")), 5);
    document_release(&document);
    cr_assert_eq(truncate("x.json.gz", 15), 0);
    expect_refused("x.json.gz",
                   "x.json.gz: is damaged or cut gzip data (ends too early): fetch it again");
    unlink("x.json.gz");
}

Test(catalog_files, a_bomb_is_stopped)
{
    char spaces[65537];
    memset(spaces, ' ', sizeof spaces - 1);
    spaces[sizeof spaces - 1] = '\0';
    write_gzip("bomb.json.gz", spaces, 1100); /* 72 MB in 70 kB */
    expect_refused("bomb.json.gz",
                   "bomb.json.gz: is larger than 64 MiB: this cannot be a file meant for reckon");
    unlink("bomb.json.gz");
}

/* ---- places ---- */

Test(catalog_json, places_are_found_again)
{
    static const char text[] = "{ \"a\" : [10, {\"b\\\"\" : [\"x]\\\"\", {}, -1.5]}],\n"
                               "  \"\\u0063\": {\"\xc3\xa4\": null, \"e\": true}\n}";
    struct document document;
    struct rk_error error;
    cr_assert_eq(document_parse("x.json", text, sizeof text - 1, &document, &error), RK_OK, "%s",
                 formatted(&error));
    const struct place root = place_root(&document);
    struct place a, b, c, e;
    cr_assert(place_member(&root, "a", &a) && place_member(&root, "c", &c));
    const struct place second = place_element(&a, 1);
    cr_assert(place_member(&second, "b\"", &b));
    const struct place number = place_element(&b, 2);
    place_fail(&number, &error, "here");
    cr_expect_str_eq(formatted(&error), "x.json:1:36: a[1].\"b\"\"[2]: here", "%s",
                     formatted(&error));
    cr_assert(place_member(&c, "e", &e));
    place_fail(&e, &error, "here");
    cr_expect_str_eq(formatted(&error), "x.json:2:30: c.e: here", "%s", formatted(&error));
    place_fail_key(&e, &error, "here");
    cr_expect_str_eq(formatted(&error), "x.json:2:25: c: here", "%s", formatted(&error));
    place_fail(&root, &error, "here");
    cr_expect_str_eq(formatted(&error), "x.json:1:1: here");
    document_release(&document);
}
