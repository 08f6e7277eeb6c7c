/* fuzz_raw_text.c - any bytes as documents of a corpus; the first byte says of which kind. What is
 * read becomes UTF-8, as plain text, as the text of a page, and as a line of JSON. */
#include "corpus/clean.h"
#include "corpus/html.h"
#include "corpus/jsonl.h"
#include "corpus/reader.h"
#include "memory_file.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <jansson.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text, size_t size)
{
    struct bytes page = {.data = NULL}, clean = {.data = NULL}, line = {.data = NULL};
    struct clean_counts counts = {0};
    bool done = html_text(text, size, &page) && clean_text(page.data, page.size, &clean, &counts);
    done = done && clean_text(text, size, &clean, &counts);
    assert(done && counts.characters <= clean.size);
    const struct jsonl_line said = {.text = clean.data, .size = clean.size};
    done = jsonl_put(&said, &line);
    assert(done);
    json_t *value = json_loadb(line.data, line.size, JSON_ALLOW_NUL, NULL);
    const json_t *member = json_object_get(value, "text");
    assert(json_string_length(member) == clean.size);
    assert(!clean.size || !memcmp(json_string_value(member), clean.data, clean.size));
    json_decref(value);
    bytes_release(&page);
    bytes_release(&clean);
    bytes_release(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct reader *reader = NULL;
    struct reader_record record;
    struct rk_error error = {0};
    bool end = false;
    if (size < 1) return 0;
    const struct memory_file file = memory_file(data + 1, size - 1);
    const struct reader_options options = {
        .unit = READER_FILE + data[0] % (READER_UNITS - READER_FILE), .most_bytes = 1 << 16};
    enum rk_status status = reader_open(file.path, &options, &reader, &error);
    while (status == RK_OK) {
        status = reader_next(reader, &record, &end, &error);
        if (status != RK_OK || end) break;
        if (record.reason == REASON_NONE) check_text(record.text, record.size);
    }
    if (status != RK_OK) assert(error.text[0]);
    reader_close(reader);
    memory_file_close(&file);
    return 0;
}
