/* fuzz_study_database.c - any bytes as the database of a study: what is believed can be read to its
 * end, and of a good one says what was written.
 *
 * The input is a database, or (a first byte below 128) changes to a good one of the corpus' making:
 * {place, 3 bytes; value, 1 byte}.
 */
#include "base/hash.h"
#include "study/study.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <reckon/catalog.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 1 << 20 };

/* SQLite follows links to files in memory to names that are none. */
static char path[] = P_tmpdir "/fuzz-study-XXXXXX";

static unsigned char good[MOST_BYTES];
static size_t good_size;

static const char study_text[] =
    "{\"models\": [\"llama3.1-8b\"], \"systems\": [\"h100-sxm5-80g\"], \"gpus\": 8, \"batch\": 8,"
    "\"axes\": {\"tensor\": 8, \"pipeline\": 1, \"context\": 1, \"recompute\": \"full\"}}";

static void read_all(FILE *file)
{
    good_size = file ? fread(good, 1, MOST_BYTES, file) : 0;
    assert(good_size > 0 && good_size < MOST_BYTES);
    fclose(file);
}

static void leave_nothing(void)
{
    char beside[sizeof path + 4];
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (int i = 0; i < 3; i++) {
        snprintf(beside, sizeof beside, "%s%s", path, ends[i]);
        unlink(beside);
    }
}

static void write_all(const unsigned char *bytes, size_t size)
{
    leave_nothing();
    FILE *file = fopen(path, "wb");
    assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* SQLite's own memory from libc: the sanitizer's malloc would be most of the time. */
enum { HEAD = 16 }; /* in front of each piece: its size */

void *__libc_malloc(size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *old);

static void *with_head(void *piece, int size)
{
    if (!piece) return NULL;
    memcpy(piece, &size, sizeof size);
    return (char *)piece + HEAD;
}

static void *plain_malloc(int size)
{
    return with_head(__libc_malloc((size_t)size + HEAD), size);
}

static void plain_free(void *old)
{
    if (old) __libc_free((char *)old - HEAD);
}

static void *plain_realloc(void *old, int size)
{
    return with_head(__libc_realloc((char *)old - HEAD, (size_t)size + HEAD), size);
}

static int plain_size(void *old)
{
    int size = 0;
    if (old) memcpy(&size, (char *)old - HEAD, sizeof size);
    return size;
}

static int plain_round(int size)
{
    return (size + 7) & ~7;
}
static int plain_begin(void *context)
{
    return (void)context, SQLITE_OK;
}
static void plain_end(void *context)
{
    (void)context;
}

static const struct sqlite3_mem_methods plain_memory = {
    plain_malloc, plain_free, plain_realloc, plain_size, plain_round, plain_begin, plain_end, NULL};

static void prepare(void)
{
    struct study *study = NULL;
    struct study_database *database = NULL;
    struct study_plan plan = {0};
    if (good_size) return;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &plain_memory);
    const int descriptor = mkstemp(path);
    assert(descriptor >= 0);
    close(descriptor);
    assert(study_parse("s.json", study_text, strlen(study_text), rk_model_load, &study, NULL) ==
           RK_OK);
    assert(study_database_open(path, STUDY_WRITE, &database, NULL) == RK_OK);
    assert(study_plan(study, -1, database, &plan, NULL) == RK_OK);
    assert(study_update(study, database, &plan, 1, NULL, NULL, NULL) == RK_OK);
    study_plan_release(&plan);
    study_database_close(database);
    study_close(study);
    read_all(fopen(path, "rb"));
    atexit(leave_nothing);
    LLVMFuzzerTestOneInput((const uint8_t *)"", 1); /* what it says unchanged */
}

/* Into a sum over all that the rows say. */
static enum rk_status take_row(void *context, int columns, const char *const *names,
                               const struct study_value *values, struct rk_error *error)
{
    uint64_t *sum = context;
    (void)error;
    for (int i = 0; i < columns; i++) {
        const struct study_value *v = &values[i];
        assert(names[i]);
        const uint64_t value = v->type == STUDY_TEXT      ? hash_bytes(v->text, strlen(v->text))
                               : v->type == STUDY_REAL    ? hash_bytes(&v->real, sizeof v->real)
                               : v->type == STUDY_INTEGER ? (uint64_t)v->integer
                                                          : 0;
        *sum = hash_pair(*sum, hash_pair((uint64_t)v->type, value));
    }
    return RK_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char bytes[MOST_BYTES];
    static const char *const tables[] = {"SELECT * FROM result", "SELECT * FROM progress"};
    struct study_database *database = NULL;
    struct rk_error error = {0};
    static uint64_t good_sum;
    uint64_t sum = 0;
    size_t length = size;
    prepare();
    if (size == 0 || size > MOST_BYTES) return 0;
    if (data[0] < 128) {
        length = good_size;
        memcpy(bytes, good, length);
        for (size_t i = 1; i + 4 <= size; i += 4)
            bytes[(data[i] | data[i + 1] << 8 | data[i + 2] << 16) % (int)length] = data[i + 3];
    } else {
        memcpy(bytes, data, size);
    }
    write_all(bytes, length);
    enum rk_status status = study_database_open(path, STUDY_READ, &database, &error);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == RK_OK; i++)
        status = study_query(database, tables[i], take_row, &sum, &error);
    assert(status == RK_OK || error.text[0]);
    assert(status == RK_OK || size > 1 || data[0] >= 128); /* nothing was changed */
    if (status == RK_OK && data[0] < 128 && size == 1) good_sum = sum;
    if (status == RK_OK && data[0] < 128 && good_sum) assert(sum == good_sum);
    study_database_close(database);
    return 0;
}
