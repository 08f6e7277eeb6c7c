/* The published tool's files: numbers, documents, refusals, and what reading them refuses. */
#include "calculon/calculon_read.h"
#include "calculon/calculon_refusal.h"
#include "calculon/calculon_write.h"
#include "calculon/estimate.h"
#include "text/output.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- numbers ---- */

static void expect_number(double value, bool integer, const char *expected)
{
    char text[CALCULON_NUMBER];
    const int length = calculon_number(text, value, integer);
    cr_assert_str_eq(text, expected);
    cr_assert_eq(length, (int)strlen(expected));
}

Test(calculon, numbers_are_the_shortest_that_read_back)
{
    expect_number(0.1, false, "0.1");
    expect_number(0.1 + 0.2, false, "0.30000000000000004");
    expect_number(1e-5, false, "1e-05");
    expect_number(1.0 / 3, false, "0.3333333333333333");
    expect_number(27682856960.0, false, "27682856960.0");
    expect_number(0, false, "0.0");
    expect_number(-2.5, false, "-2.5");
    expect_number(20964926554112.0, true, "20964926554112");
    expect_number(0x1p62, true, "4611686018427387904");
    expect_number(1.5, true, "1.5");
    expect_number(0x1p70, true, "1.1805916207174113e+21");
    expect_number(1.0 / 0.0, false, "null");
}

static void expect_human(double value, enum calculon_scale scale, const char *expected)
{
    char text[CALCULON_NUMBER];
    calculon_human(text, value, scale);
    cr_assert_str_eq(text, expected);
}

Test(calculon, sizes_for_people)
{
    expect_human(0, CALCULON_BYTES, "0.000 iB");
    expect_human(1023, CALCULON_BYTES, "1023.000 iB");
    expect_human(1024, CALCULON_BYTES, "1.000 kiB");
    expect_human(80 * 0x1p30, CALCULON_BYTES, "80.000 GiB");
    expect_human(8e10 * 0x1p30, CALCULON_BYTES, "74.506 EiB");
    expect_human(1e30, CALCULON_BANDWIDTH, "1000000000000.000 EB/s");
    expect_human(3.488e9, CALCULON_BANDWIDTH, "3.488 GB/s");
    expect_human(1.008e12, CALCULON_BASE10, "1.008 T");
}

/* ---- the tables ---- */

Test(calculon, statistics_are_different_figures)
{
    for (int i = 0; i < CALCULON_STATISTICS; i++)
        for (int j = 0; j < i; j++) {
            cr_assert_str_neq(calculon_statistics[i].name, calculon_statistics[j].name);
            cr_assert_neq(calculon_statistics[i].offset, calculon_statistics[j].offset, "%s, %s",
                          calculon_statistics[i].name, calculon_statistics[j].name);
        }
}

Test(calculon, fields_keep_what_is_set)
{
    struct calculon_execution execution;
    memset(&execution, 0, sizeof execution);
    for (int i = 0; i < CALCULON_FIELDS; i++)
        calculon_field_set(&execution, &calculon_fields[i], 1);
    for (int i = 0; i < CALCULON_FIELDS; i++)
        cr_assert_eq(calculon_field_get(&execution, &calculon_fields[i]), 1, "%s",
                     calculon_fields[i].name);
    calculon_field_set(&execution, &calculon_fields[0], UINT64_C(1) << 53);
    cr_assert_eq(execution.strategy.ranks, UINT64_C(1) << 53);
    cr_assert_eq(execution.strategy.weight_offload, 1);
    cr_assert_eq(execution.attention, RK_ATTENTION_MULTIQUERY);
}

/* 2 blocks of h 4, f 8, 2 heads of 3, 5 tokens: matrices 2*4*8 + 4*4*6 = 160, biases
 * 4 + 8 + 3*6 + 4 = 34, norms 16; embeddings (51200 + 5) * 4. */
Test(calculon, parameters_by_hand)
{
    const struct rk_model model = {
        .layers = 2, .hidden = 4, .feedforward = 8, .heads = 2, .head_dim = 3, .sequence = 5};
    cr_assert_eq(calculon_parameters(&model), 2 * (160 + 34 + 16) + 51205 * 4);
}

/* ---- documents ---- */

static char *peers_of(uint64_t tensor, uint64_t pipeline, uint64_t data, enum calculon_style style)
{
    const struct rk_strategy strategy = {.tensor = tensor, .pipeline = pipeline, .data = data};
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    calculon_write_peers(to, style, &strategy);
    cr_assert_eq(fclose(to), 0);
    return text;
}

Test(calculon, peers_by_hand)
{
    char *text = peers_of(2, 1, 2, CALCULON_LINE);
    cr_assert_str_eq(text, "{\"0\": {\"tensor\": [0, 1], \"data\": [0, 2]}, "
                           "\"1\": {\"tensor\": [0, 1], \"data\": [1, 3]}, "
                           "\"2\": {\"tensor\": [2, 3], \"data\": [0, 2]}, "
                           "\"3\": {\"tensor\": [2, 3], \"data\": [1, 3]}}");
    free(text);
    text = peers_of(1, 3, 1, CALCULON_LINE);
    cr_assert_str_eq(text, "{\"0\": {\"pipeline\": 1}, \"1\": {\"pipeline\": 2}, "
                           "\"2\": {\"pipeline\": 0}}");
    free(text);
    text = peers_of(1, 1, 1, CALCULON_INDENTED);
    cr_assert_str_eq(text, "{\n  \"0\": {}\n}");
    free(text);
}

/* ---- files ---- */

static char folder[] = "calculon-test-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[4][512];
    static int next;
    char *at = path[next++ % 4];
    snprintf(at, sizeof path[0], "%s/%s", folder, name);
    return at;
}

static void enter(void)
{
    cr_assert(mkdtemp(folder));
}

static void leave(void)
{
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(calculon_files, .init = enter, .fini = leave);

static int files_there(void)
{
    char command[600];
    char count[32] = "";
    snprintf(command, sizeof command, "ls -A '%s' | wc -l", folder);
    FILE *pipe = popen(command, "r");
    cr_assert(pipe && fgets(count, sizeof count, pipe));
    pclose(pipe);
    return atoi(count);
}

Test(calculon_files, output_appears_whole_or_not_at_all)
{
    struct output output;
    struct rk_error error;
    cr_assert_eq(output_open(&output, in_folder("a.json"), &error), RK_OK);
    fputs("one", output.file);
    cr_assert_neq(access(in_folder("a.json"), F_OK), 0);
    output_abandon(&output);
    cr_assert_eq(files_there(), 0);
    cr_assert_eq(output_open(&output, in_folder("a.json"), &error), RK_OK);
    fputs("two", output.file);
    cr_assert_eq(output_commit(&output, &error), RK_OK);
    output_abandon(&output);
    cr_assert_eq(files_there(), 1);
    cr_assert_eq(access(in_folder("a.json"), F_OK), 0);
}

Test(calculon_files, output_that_cannot_be_written)
{
    struct output output;
    struct rk_error error;
    cr_assert_eq(output_open(&output, in_folder("none/a.json"), &error), RK_IO);
    cr_assert(strstr(error.text, "No such file"));
    cr_assert_eq(output_open(&output, folder, &error), RK_IO);
    cr_assert_eq(output_open(&output, "/dev/full", &error), RK_OK);
    for (int i = 0; i < 100000; i++)
        fputs("more than a buffer", output.file);
    cr_assert_eq(output_commit(&output, &error), RK_IO);
    cr_assert_eq(access("/dev/full", F_OK), 0);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
}

/* What reading `text` as an execution says, as "line:column: text". */
static const char *execution_error(const char *text)
{
    static char message[1024];
    struct calculon_execution execution;
    struct rk_error error;
    write_file(in_folder("x.json"), text);
    cr_assert_eq(calculon_read_execution(in_folder("x.json"), &execution, &error), RK_BAD_INPUT);
    snprintf(message, sizeof message, "%d:%d: %s", error.line, error.column, error.text);
    return message;
}

#define REST                                                                                       \
    "\"tensor_par_net\": 0, \"pipeline_par_net\": 0, \"data_par_net\": 0,\n"                       \
    "\"datatype\": \"float16\", \"fused_activation\": true, \"attention_type\": \"multihead\",\n"  \
    "\"activation_recompute\": \"none\", \"pipeline_interleaving\": 1,\n"                          \
    "\"optimizer_sharding\": false, \"tensor_par_comm_type\": \"ar\",\n"                           \
    "\"tensor_par_overlap\": \"none\", \"seq_par_ag_redo\": false,\n"                              \
    "\"data_par_overlap\": false, \"weight_offload\": false, \"activations_offload\": false,\n"    \
    "\"optimizer_offload\": false, \"training\": true}"

Test(calculon_files, executions_point_at_what_is_wrong)
{
    cr_assert(strstr(execution_error("{\"num_procs\": 8, \"tensor_par\": 2,\n"
                                     "\"pipeline_par\": 2, \"data_par\": 3, \"batch_size\": 6,\n"
                                     "\"microbatch_size\": 1, " REST),
                     "1:15: num_procs: must be tensor_par * pipeline_par * data_par = 2 * 2 * 3 = "
                     "12, got 8"));
    cr_assert(strstr(execution_error("{\"num_procs\": 12, \"tensor_par\": 2,\n"
                                     "\"pipeline_par\": 2, \"data_par\": 3, \"batch_size\": 7,\n"
                                     "\"microbatch_size\": 1, " REST),
                     "2:49: batch_size: must be a multiple of data_par 3, got 7"));
    cr_assert(strstr(execution_error("{\"num_procs\": 12, \"tensor_par\": 2,\n"
                                     "\"pipeline_par\": 2, \"data_par\": 3, \"batch_size\": 6,\n"
                                     "\"microbatch_size\": 0, " REST),
                     "3:20: microbatch_size: "));
    cr_assert(strstr(execution_error("{\"num_procs\": 12, \"tensor_par\": 2,\n"
                                     "\"pipeline_par\": 2, \"data_par\": 3, \"batch_size\": 6,\n"
                                     "\"microbatch_sise\": 1, " REST),
                     "microbatch_size"));
    cr_assert(strstr(execution_error(""), "empty"));
    cr_assert(strstr(execution_error("[]"), "1:1: "));
}

Test(calculon_files, a_second_memory_of_nothing_is_kept_until_dropped)
{
    struct rk_system system;
    struct rk_error error;
    cr_assert_eq(calculon_read_system(RECKON_TEST_SOURCE "/tests/golden/systems/h100_nomem2.json",
                                      &system, &error),
                 RK_OK);
    cr_assert_str_eq(system.id, "h100_nomem2");
    cr_assert_eq(system.memories, 2);
    cr_assert_eq(system.memory[1].capacity_bytes, 0);
    cr_assert_eq(system.memory[0].capacity_bytes, 80 * 0x1p30);
    cr_assert_eq(system.network[0].latency_s, 1e-5);
    cr_assert_eq(system.matrix[RK_FLOAT8].peak_flops, 2000e12);
    cr_assert_eq(system.matrix[RK_FLOAT32].curve.steps, 0);
    calculon_drop_absent_memory(&system);
    cr_assert_eq(system.memories, 1);
    rk_system_release(&system);
}

/* ---- refusals ---- */

static const char *refusal_of(struct rk_strategy strategy, bool infeasible)
{
    static struct calculon_refusal refusal;
    static const struct rk_model model = {
        .layers = 8, .hidden = 64, .feedforward = 256, .heads = 4, .head_dim = 16, .sequence = 32};
    struct rk_system system;
    struct rk_estimate estimate;
    struct rk_error error;
    cr_assert_eq(calculon_read_system(RECKON_TEST_SOURCE "/tests/golden/systems/a100_80g.json",
                                      &system, &error),
                 RK_OK);
    strategy.ranks = strategy.tensor * strategy.pipeline * strategy.data;
    strategy.batch = strategy.data;
    strategy.microbatch = 1;
    strategy.datatype = RK_FLOAT16;
    strategy.training = true;
    strategy.recompute = RK_RECOMPUTE_NONE;
    cr_assert_neq(rk_estimate(&model, &system, &strategy, &estimate), RK_FITS);
    calculon_refuse(&model, &system, &strategy, &estimate, &refusal);
    rk_system_release(&system);
    cr_assert_eq(refusal.infeasible, infeasible);
    return refusal.text;
}

/* The first thing that tool would trip over, in its words. */
Test(calculon, refusals)
{
    cr_assert_str_eq(
        refusal_of((struct rk_strategy){.tensor = 4, .pipeline = 4, .data = 1, .interleaving = 3},
                   true),
        "Network tier0 isn't big enough");
    cr_assert_str_eq(
        refusal_of((struct rk_strategy){.tensor = 3, .pipeline = 1, .data = 1, .interleaving = 1},
                   true),
        "Network tier0 isn't fully used");
    cr_assert_str_eq(
        refusal_of((struct rk_strategy){.tensor = 1, .pipeline = 4, .data = 1, .interleaving = 3},
                   true),
        "Pipeline interleaving must be less than or equal to the number of blocks per "
        "processor");
    cr_assert_str_eq(
        refusal_of((struct rk_strategy){.tensor = 1, .pipeline = 2, .data = 1, .interleaving = 3},
                   true),
        "Pipeline interleaving must be a factor value of the number of blocks per "
        "processor");
    cr_assert_str_eq(
        refusal_of(
            (struct rk_strategy){
                .tensor = 1, .pipeline = 4, .data = 1, .interleaving = 1, .weight_offload = 1},
            true),
        "Offloading requires each processor to handle at least 3 blocks");
    cr_assert_str_eq(
        refusal_of((struct rk_strategy){.tensor = 8, .pipeline = 1, .data = 1, .interleaving = 1},
                   false),
        "attn_heads 4 is not divisible by tensor_par 8");
}
