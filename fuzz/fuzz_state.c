/* fuzz_state.c - the kept progress of a search with any bytes changed: a state that says what no
 * search does is refused, others go on to an end.
 *
 * The input is a list of changes to a state that a search kept: one byte for which one and whether
 * the checksum is made right again, then {place, 2 bytes; value, 1 byte}; what is left over, one or
 * two bytes, is how much the state is cut by.
 */
#include "base/hash.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <reckon/reckon.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STATES = 2, MOST_BYTES = 1 << 14, CHECKSUM = 32, CHECKED = 40 };

static const struct rk_query queries[STATES] = {{.top = 3, .threads = 1},
                                                {.top = 1, .threads = 1, .pareto = "time, hbm"}};

static struct kept {
    size_t size;
    unsigned char bytes[MOST_BYTES];
} kept[STATES];

static struct rk_space *space;

static bool keep(void *context, const void *state, size_t bytes)
{
    struct kept *to = context;
    assert(bytes <= MOST_BYTES);
    to->size = bytes;
    memcpy(to->bytes, state, bytes);
    return false;
}

/* A space of some hundred plans, and its states after the first round. */
static void prepare(void)
{
    static struct rk_model model = {.id = "small",
                                    .layers = 2,
                                    .hidden = 256,
                                    .feedforward = 1024,
                                    .heads = 4,
                                    .head_dim = 64,
                                    .vocabulary = 1024,
                                    .sequence = 1024};
    static struct rk_system system;
    static struct rk_plans_problem problem;
    if (space) return;
    assert(rk_system_load("matrix.bfloat16=300TFLOP/s vector.bfloat16=80TFLOP/s hbm=16GiB@2TB/s "
                          "net0=300GB/s,size=8",
                          &system, NULL) == RK_OK);
    rk_plans_problem_init(&problem, &model, &system, RK_MEGATRON, 4, 4, 0);
    space = rk_plans_open(&problem, NULL);
    assert(space);
    for (int i = 0; i < STATES; i++) {
        struct rk_query query = queries[i];
        struct rk_answer answer;
        query.keep = keep;
        query.context = &kept[i];
        assert(rk_ask(space, &query, &answer, NULL) == RK_OK && kept[i].size > CHECKED);
        rk_answer_release(&answer);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char bytes[MOST_BYTES];
    struct rk_error error = {0};
    struct rk_answer answer;
    prepare();
    if (size == 0) return 0;
    const struct kept *from = &kept[data[0] % STATES];
    struct rk_query query = queries[data[0] % STATES];
    memcpy(bytes, from->bytes, from->size);
    size_t length = from->size, at = 1;
    for (; at + 3 <= size; at += 3)
        bytes[(data[at] | data[at + 1] << 8) % (int)length] = data[at + 2];
    for (; at < size; at++)
        length -= data[at] < length ? data[at] : length;
    if (data[0] & 128 && length > CHECKED) {
        uint64_t sum = HASH_START;
        mix(&sum, bytes + CHECKED, length - CHECKED);
        memcpy(bytes + CHECKSUM, &sum, sizeof sum);
    }
    query.resume = bytes;
    query.resume_bytes = length;
    const enum rk_status status = rk_ask(space, &query, &answer, &error);
    assert(status == RK_OK || (status == RK_BAD_INPUT && error.text[0]));
    if (status == RK_OK)
        for (uint64_t i = 0; i < answer.found; i++)
            assert(answer.best[i].index < rk_space_count(space));
    rk_answer_release(&answer);
    return 0;
}
