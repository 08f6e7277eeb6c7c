/* fuzz_check_logs.c - any bytes as the logs of three ranks (parts between form feeds), as a log of
 * NCCL, and as a dump of a flight recorder. */
#include <reckon/check.h>

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RANKS = 3 };

static struct rk_findings findings;

static void look(uint32_t ranks)
{
    assert(findings.count >= 0 && findings.count <= RK_MAX_FINDINGS);
    for (int i = 0; i < findings.count; i++) {
        const struct rk_finding *f = &findings.finding[i];
        assert(f->rank < (int)ranks && f->line >= 0 && strlen(f->need) < sizeof f->need);
    }
    findings.count = findings.dropped = 0;
}

static void check_operations(const char *text, size_t size)
{
    const struct rk_logs_options options = {.tags = size % 2, .eager_bytes = size % 3};
    struct rk_error error = {0};
    struct rk_logs *logs = NULL;
    assert(rk_logs_new(RANKS, &logs, &error) == RK_OK);
    enum rk_status status = RK_OK;
    for (uint32_t rank = 0; rank < RANKS && status == RK_OK; rank++) {
        const char *stop = memchr(text, '\f', size);
        const size_t part = stop ? (size_t)(stop - text) : size;
        status = rk_logs_read(logs, rank, "log", text, part, &error);
        text += part + (stop != NULL);
        size -= part + (stop != NULL);
    }
    if (status == RK_OK) status = rk_logs_check(logs, &options, &findings, &error);
    assert(status == RK_OK || error.text[0]);
    rk_logs_release(logs);
    look(RANKS);
}

static void check_nccl(const char *text, size_t size)
{
    const struct rk_text texts[] = {{"nccl.log", text, size}};
    struct rk_error error = {0};
    struct rk_logs *logs = NULL;
    uint32_t ranks = 0;
    size_t *file = NULL;
    if (rk_nccl_logs(texts, 1, &logs, &ranks, &file, &findings, &error) == RK_OK)
        rk_logs_check(logs, NULL, &findings, &error);
    rk_logs_release(logs);
    free(file);
    look(ranks);
}

static void check_flight(const char *text, size_t size)
{
    const struct rk_text dumps[] = {{"dump", text, size}, {"dump", text, size}};
    const uint32_t rank[] = {0, 1};
    struct rk_error error = {0};
    rk_check_flight(dumps, rank, 2, &findings, &error);
    look(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_operations((const char *)data, size);
    check_nccl((const char *)data, size);
    check_flight((const char *)data, size);
    return 0;
}
