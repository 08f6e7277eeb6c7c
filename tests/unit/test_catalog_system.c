/* System files: what is read, and each thing that can be wrong with one. */
#include "catalog/catalog.h"
#include "catalog/readers.h"
#include "catalog_cases.h"

#include <math.h>
#include <reckon/catalog.h>
#include <stdio.h>

static enum rk_status read_text(const char *text, struct rk_system *system, struct rk_error *error)
{
    struct document document;
    enum rk_status status = document_parse("x.json", text, strlen(text), &document, error);
    if (status == RK_OK) status = system_read(&document, "x", 0, system, error);
    document_release(&document);
    return status;
}

static const char complete[] =
    "{\n"
    "  \"matrix\": {\"float16\": {\"peak_TFLOPps\": 312}, \"efficiency_from_GFLOP\": [[1, 0.9], "
    "[0, 0.1]]},\n"
    "  \"vector\": {\"float16\": {\"peak_TFLOPps\": 78, \"efficiency_from_GFLOP\": [[0, 0.5]]}},\n"
    "  \"memory\": [{\"capacity_GiB\": 80, \"bandwidth_GBps\": 2048, \"efficiency_from_MB\": "
    "[[10, 0.9], [0, 0.3]]}],\n"
    "  \"network\": [{\"bandwidth_GBps\": 300, \"efficiency\": 0.65, \"latency_us\": 10, "
    "\"size\": 8}]\n"
    "}\n";

Test(catalog_system, si_units_and_presets)
{
    struct rk_system system;
    struct rk_error error;
    cr_assert_eq(read_text(complete, &system, &error), RK_OK, "%s", formatted(&error));
    cr_expect_str_eq(system.id, "x");
    cr_expect_eq(system.devices, 0);
    cr_expect_eq(system.processing, RK_NO_OVERLAP);
    const struct rk_curve *matrix = &system.matrix[RK_FLOAT16].curve;
    cr_expect_eq(system.matrix[RK_FLOAT16].peak_flops, 312e12);
    cr_expect_eq(matrix->steps, 2);
    cr_expect_eq(matrix->step[0].from, 1e9);
    cr_expect_eq(matrix->step[0].rate, 312e12 * 0.9);
    cr_expect_eq(matrix->step[1].from, 0);
    cr_expect_eq(matrix->step[1].rate, 312e12 * 0.1);
    cr_expect_eq(system.matrix[RK_FLOAT8].curve.steps, 0);
    cr_expect_eq(system.vector[RK_FLOAT16].curve.step[0].rate, 39e12);
    cr_assert_eq(system.memories, 1);
    cr_expect_str_eq(system.memory[0].name, "hbm");
    cr_expect_eq(system.memory[0].capacity_bytes, 80 * 1073741824.0);
    cr_expect_eq(system.memory[0].bandwidth_Bps, 2048e9);
    cr_expect_eq(system.memory[0].curve.step[0].from, 10e6);
    cr_expect_eq(system.memory[0].curve.step[0].rate, 2048e9 * 0.9);
    cr_assert_eq(system.networks, 1);
    const struct rk_network *network = &system.network[0];
    cr_expect_str_eq(network->name, "net0");
    cr_expect_eq(network->bandwidth_Bps, 300e9);
    cr_expect_eq(network->efficiency, 0.65);
    cr_expect_eq(network->latency_s, 1e-5);
    cr_expect_eq(network->size, 8);
    cr_expect_not(network->must_be_filled);
    cr_expect_eq(network->processor_usage, 0);
    cr_expect_eq(network->collective[RK_POINT_TO_POINT].scale, 1);
    cr_expect_eq(network->collective[RK_ALL_GATHER].scale, 1);
    cr_expect_eq(network->collective[RK_ALL_GATHER].offset, -1);
    cr_expect_eq(network->collective[RK_ALL_REDUCE].scale, 2);
    cr_expect_eq(network->collective[RK_ALL_REDUCE].offset, -1);
    rk_system_release(&system);
    cr_expect_null(system.memory);
}

/* { what is replaced, by what, the message } */
static const struct {
    const char *mark, *by, *message;
} cases[] = {
    {"\"bandwidth_GBps\": 300", "\"bandwidth_GBps\": -3",
     "x.json:5:34: network[0].bandwidth_GBps: must be > 0 GB/s, got -3"},
    {"\"bandwidth_GBps\": 300", "\"bandwidth_GBps\": \"400G\"",
     "x.json:5:34: network[0].bandwidth_GBps: \"400G\" is ambiguous: write 400GB/s (bytes) or "
     "400Gb/s (bits)"},
    {"\"bandwidth_GBps\": 300", "\"bandwidth_GBps\": 1e300",
     "x.json:5:34: network[0].bandwidth_GBps: must be finite: the number is too large"},
    {"\"bandwidth_GBps\": 300", "\"bandwith_GBps\": 300",
     "x.json:5:16: network[0]: unknown key \"bandwith_GBps\"; did you mean \"bandwidth_GBps\"?"},
    {"\"bandwidth_GBps\": 300, ", "",
     "x.json:5:15: network[0]: missing key \"bandwidth_GBps\" (peak rate per accelerator and "
     "direction): add it"},
    {"\"efficiency\": 0.65", "\"efficiency\": 0",
     "x.json:5:53: network[0].efficiency: must be > 0 and <= 1, got 0"},
    {"\"efficiency\": 0.65", "\"efficiency\": 65",
     "x.json:5:53: network[0].efficiency: must be > 0 and <= 1, got 65"},
    {"\"efficiency\": 0.65", "\"efficiency\": \"65%\"",
     "x.json:5:53: network[0].efficiency: must be a number, got the string \"65%\""},
    {"\"latency_us\": 10", "\"latency_us\": -10",
     "x.json:5:73: network[0].latency_us: must be >= 0 us, got -10"},
    {"\"size\": 8", "\"size\": 0", "x.json:5:85: network[0].size: must be >= 1, got 0"},
    {"\"size\": 8", "\"size\": 8, \"processor_usage\": 1",
     "x.json:5:107: network[0].processor_usage: must be >= 0 and < 1, got 1"},
    {"\"size\": 8", "\"size\": 8, \"collectives\": {\"all_reduce\": {\"scale\": 0}}",
     "x.json:5:128: network[0].collectives.all_reduce.scale: must be > 0, got 0"},
    {"\"size\": 8",
     "\"size\": 8, \"collectives\": {\"all_reduce\": {\"scale\": 1, \"offset\": "
     "-2}}",
     "x.json:5:141: network[0].collectives.all_reduce.offset: must be >= -1, got -2"},
    {"\"size\": 8",
     "\"size\": 8, \"collectives\": {\"point_to_point\": {\"scale\": 1, \"offset\": 1}}",
     "x.json:5:122: network[0].collectives.point_to_point: a message has two ends: remove "
     "\"offset\""},
    {"\"capacity_GiB\": 80", "\"capacity_GiB\": 0",
     "x.json:4:31: memory[0].capacity_GiB: must be > 0 GiB, got 0"},
    {"\"capacity_GiB\": 80", "\"capacity_GiB\": \"80Gb\"",
     "x.json:4:31: memory[0].capacity_GiB: \"80Gb\" is not a size (b is bits): write a size such "
     "as \"80GiB\""},
    {"\"capacity_GiB\": 80",
     "\"name\": \"a name of more than thirty-one bytes\", "
     "\"capacity_GiB\": 80",
     "x.json:4:23: memory[0].name: is 36 bytes long: at most 31"},
    {"[10, 0.9], [0, 0.3]", "[0, 0.3], [10, 0.9]",
     "x.json:4:92: memory[0].efficiency_from_MB[1]: the steps must descend: put the largest size "
     "first"},
    {"[10, 0.9], [0, 0.3]", "[10, 0.9]",
     "x.json:4:82: memory[0].efficiency_from_MB[0]: the last step must start at 0, so that every "
     "size has one"},
    {"[10, 0.9], [0, 0.3]", "[10, 0.9], [0, 1.3]",
     "x.json:4:97: memory[0].efficiency_from_MB[1][1]: must be > 0 and <= 1, got 1.3"},
    {"[10, 0.9], [0, 0.3]", "[10, 0.9], [0]",
     "x.json:4:93: memory[0].efficiency_from_MB[1]: must have at least 2 elements, has 1"},
    {"[10, 0.9], [0, 0.3]", "",
     "x.json:4:81: memory[0].efficiency_from_MB: must have at least 1 "
     "element, has 0"},
    {"\"memory\": [{", "\"memory\": {\"a\": [{", NULL /* not JSON any more: only that it fails */},
    {"\"peak_TFLOPps\": 312", "\"peak_TFLOPps\": 0",
     "x.json:2:42: matrix.float16.peak_TFLOPps: must be > 0 TFLOP/s, got 0"},
    {"\"float16\": {\"peak_TFLOPps\": 312}", "\"fp16\": {\"peak_TFLOPps\": 312}",
     "x.json:2:14: matrix: unknown key \"fp16\"; known here: float8, float16, bfloat16, float32, "
     "efficiency_from_GFLOP, source"},
    {"\"float16\": {\"peak_TFLOPps\": 312}", "\"float8\": {\"peak_TFLOPps\": 312}",
     "x.json:3:13: vector: no \"float8\", which \"matrix\" has: add it"},
    {"\"float16\": {\"peak_TFLOPps\": 312}, ", "",
     "x.json:2:13: matrix: no datatype: add \"float16\" or another one"},
    {", \"efficiency_from_GFLOP\": [[0, 0.5]]", "",
     "x.json:3:25: vector.float16: no efficiency: add \"efficiency_from_GFLOP\" here or to the "
     "group"},
    {"\"matrix\"", "\"processing\": \"both\", \"matrix\"",
     "x.json:2:17: processing: must be one of no_overlap, roofline; got the string \"both\""},
    {"\"matrix\"", "\"memory\": [], \"matrix\"",
     "x.json:4:3: key given twice: remove one of the two"},
};

Test(catalog_system, bad_files)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rk_system system = {.devices = 77};
        struct rk_error error = {0};
        char *text = replaced(complete, cases[i].mark, cases[i].by);
        cr_expect_eq(read_text(text, &system, &error), RK_BAD_INPUT, "%s", cases[i].by);
        if (cases[i].message)
            cr_expect_str_eq(formatted(&error), cases[i].message, "%s", formatted(&error));
        cr_expect_eq(system.devices, 77, "untouched on failure");
        free(text);
    }
}

enum { TIERS = 100 };

/* To be freed. */
static char *tiers_text(int networks)
{
    char *text = malloc(200 * TIERS + sizeof complete), *at = text;
    const char *memory = strstr(complete, "[{\"capacity");
    at += sprintf(at, "%.*s[", (int)(memory - complete), complete);
    for (int i = 0; i < TIERS; i++)
        at += sprintf(at,
                      "%s{\"capacity_GiB\": %d, \"bandwidth_GBps\": 1, "
                      "\"efficiency_from_MB\": [[0, 1]]}",
                      i ? "," : "", i + 1);
    at += sprintf(at, "],\n\"network\": [");
    for (int i = 0; i < networks; i++)
        at += sprintf(at,
                      "%s{\"bandwidth_GBps\": 1, \"efficiency\": 1, \"latency_us\": 0, "
                      "\"size\": %d}",
                      i ? "," : "", i + 1);
    sprintf(at, "]\n}");
    return text;
}

Test(catalog_system, lists_of_many_tiers)
{
    struct rk_system system;
    struct rk_error error;
    char *text = tiers_text(RK_MAX_NETWORKS);
    cr_assert_eq(read_text(text, &system, &error), RK_OK, "%s", formatted(&error));
    cr_expect_eq(system.memories, TIERS);
    cr_expect_eq(system.networks, RK_MAX_NETWORKS);
    cr_expect_str_eq(system.memory[99].name, "mem100");
    cr_expect_eq(system.network[RK_MAX_NETWORKS - 1].size, RK_MAX_NETWORKS);
    rk_system_release(&system);
    free(text);
    text = tiers_text(RK_MAX_NETWORKS + 1);
    cr_expect_eq(read_text(text, &system, &error), RK_BAD_INPUT);
    cr_expect(strstr(formatted(&error), "network"), "%s", formatted(&error));
    free(text);
}

Test(catalog_system, unlimited)
{
    struct rk_system system;
    struct rk_error error;
    char *text = replaced(complete, "2048", "\"unlimited\"");
    cr_assert_eq(read_text(text, &system, &error), RK_OK, "%s", formatted(&error));
    cr_expect(isinf(system.memory[0].bandwidth_Bps) && isinf(system.memory[0].curve.step[1].rate));
    rk_system_release(&system);
    free(text);
}

Test(catalog_system, one_line_in_a_file)
{
    struct rk_system system;
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(read_text("{\"synthetic\": \"h100-80g-nvl8 nvl16\"}", &system, &error), RK_OK,
                 "%s", formatted(&error));
    cr_expect_str_eq(system.id, "x");
    cr_expect_eq(system.network[0].size, 16);
    rk_system_release(&system);
    cr_expect_eq(read_text("{\n\"synthetic\": \"h100-80g hbm=80G\"}", &system, &error),
                 RK_BAD_INPUT);
    cr_expect_str_eq(formatted(&error),
                     "x.json:2:14: synthetic: at column 16 of the text: \"80G\" is ambiguous: "
                     "write 80GiB (of 1024) or 80GB (of 1000)");
}

/* A file that names itself is stopped. */
Test(catalog_system, circles)
{
    char path[] = "reckon-circle-XXXXXX.json", text[128];
    struct rk_system system;
    struct rk_error error;
    const int descriptor = mkstemps(path, 5);
    cr_assert_geq(descriptor, 0);
    FILE *file = fdopen(descriptor, "w");
    fprintf(file, "{\"synthetic\": \"./%s nvl8\"}", path);
    fclose(file);
    cr_expect_eq(rk_system_load(path, &system, &error), RK_BAD_INPUT);
    snprintf(text, sizeof text,
             "./%s:1:15: synthetic: systems that name each other 8 times: is it a circle?", path);
    cr_expect_str_eq(formatted(&error), text, "%s", formatted(&error));
    remove(path);
}

Test(catalog_system, copies_are_deep)
{
    struct rk_system system, copy;
    struct rk_error error;
    cr_assert_eq(read_text(complete, &system, &error), RK_OK);
    cr_assert_eq(rk_system_copy(&copy, &system, &error), RK_OK);
    cr_expect_neq(copy.memory, system.memory);
    cr_expect_neq(copy.network, system.network);
    rk_system_release(&system);
    cr_expect_eq(copy.memory[0].bandwidth_Bps, 2048e9);
    cr_expect_eq(copy.network[0].size, 8);
    rk_system_release(&copy);
    rk_system_release(&copy); /* a cleared one is fine */
}

/* ---- kernels and links ---- */

Test(catalog_system, kernels_have_presets_and_units)
{
    struct rk_system system;
    struct rk_error error;
    cr_assert_eq(read_text(complete, &system, &error), RK_OK, "%s", formatted(&error));
    cr_expect_eq(system.kernels.multiprocessors, 120);
    cr_expect_eq(system.kernels.matrix_efficiency, 0.75);
    cr_expect_eq(system.kernels.reserve_bytes, 1.5 * 1073741824.0);
    cr_expect_eq(system.network[0].link.efficiency, 0); /* the network's own */
    rk_system_release(&system);

    char *text = replaced(complete, "\"memory\"",
                          "\"kernels\": {\"multiprocessors\": 108, \"float4_TFLOPps\": 9000, "
                          "\"kernel_us\": 2.5, \"attention_backward\": 0.4}, \"memory\"");
    cr_assert_eq(read_text(text, &system, &error), RK_OK, "%s", formatted(&error));
    cr_expect_eq(system.kernels.multiprocessors, 108);
    cr_expect_eq(system.kernels.float4_FLOPps, 9e15);
    cr_expect_eq(system.kernels.kernel_s, 2.5e-6);
    cr_expect_eq(system.kernels.attention_efficiency[1], 0.4);
    cr_expect_eq(system.kernels.attention_efficiency[0], 0.6); /* preset */
    rk_system_release(&system);
    free(text);
}

Test(catalog_system, measured_rates)
{
    struct rk_system system;
    struct rk_error error;
    char *text = replaced(complete, "\"memory\"",
                          "\"kernels\": {\"attention_rates\": [[32, 8, 1, 2], [32, 64, 3, 4], "
                          "[64, 8, 5, 6], [64, 64, 7, 8]], \"optimizer_rates\": [[1, 50], [8, "
                          "40]], \"memory_rates\": [[3, 7]], \"weights_GBps\": 25, "
                          "\"element_ns\": {\"gelu\": [2, 3], \"residual\": [4, 0]}}, \"busy\": "
                          "{\"devices\": 4, \"kernels\": {\"weights_GBps\": 20, "
                          "\"element_ns\": {\"gelu\": [5, 6]}}}, \"memory\"");
    cr_assert_eq(read_text(text, &system, &error), RK_OK, "%s", formatted(&error));
    const struct rk_attention_rates *a = &system.kernels.attention_rates;
    cr_expect_eq(a->dims, 2);
    cr_expect_eq(a->keys, 2);
    cr_expect_eq(a->dim[1], 64);
    cr_expect_eq(a->key[1], 64);
    cr_expect_eq(a->rate_FLOPps[0][1][0], 5e9);
    cr_expect_eq(a->rate_FLOPps[1][0][1], 4e9);
    cr_expect_eq(system.kernels.weights_Bps, 25e9);
    cr_expect_eq(system.kernels.memory_rates.sizes, 1);
    cr_expect_eq(system.kernels.memory_rates.bytes[0], 3e6);
    cr_expect_eq(system.kernels.memory_rates.rate_Bps[0], 7e9);
    cr_expect_eq(system.kernels.optimizer_rates.sizes, 2);
    cr_expect_eq(system.kernels.optimizer_rates.bytes[1], 8e6);
    cr_expect_eq(system.kernels.optimizer_rates.rate_Bps[0], 50e9);
    cr_expect_float_eq(system.kernels.element_s[RK_KERNEL_gelu][1], 3e-9, 1e-20);
    cr_expect_eq(system.kernels.element_s[RK_KERNEL_residual][1], 0);
    cr_expect_eq(system.kernels.element_s[RK_KERNEL_silu][0], 0);
    /* busy devices differ in what is said of them */
    cr_expect_eq(system.busy_devices, 4);
    cr_expect_eq(system.busy.weights_Bps, 20e9);
    cr_expect_float_eq(system.busy.element_s[RK_KERNEL_gelu][0], 5e-9, 1e-20);
    cr_expect_eq(system.busy.optimizer_rates.rate_Bps[0], 50e9);
    free(text);
    /* written, and read again */
    struct rk_system again;
    text = system_text(&system, "x", "y", &(struct system_sources){.whole = "z", .kernels = "z"});
    cr_assert_eq(read_text(text, &again, &error), RK_OK, "%s", formatted(&error));
    cr_expect_eq(again.busy_devices, 4);
    cr_expect_float_eq(again.busy.weights_Bps, 20e9, 1);
    cr_expect_float_eq(again.busy.element_s[RK_KERNEL_gelu][0], 5e-9, 1e-20);
    cr_expect_float_eq(again.kernels.element_s[RK_KERNEL_residual][0], 4e-9, 1e-20);
    rk_system_release(&again);
    rk_system_release(&system);
    free(text);
}

static const char exchanges_of[] =
    "\"link\": {\"efficiency\": 1, \"base_us\": 0, \"hop_us\": 1, \"exchange_rates\": {"
    "\"all_reduce\": [[1, 2]], \"reduce_scatter\": [[1, 3]], \"all_gather\": [[1, 4]], "
    "\"all_to_all\": [[1, 5]], \"send\": [[1, 6]], \"pass\": [[1, 7], [2, 8]], "
    "\"sum_whole\": [[1, 8]], \"sum_part\": [[1, 9]]%s}}, \"size\": 8";

Test(catalog_system, exchanges_measured_one_by_one)
{
    struct rk_system system, again;
    struct rk_error error;
    char link[1024];
    snprintf(link, sizeof link, exchanges_of, ", \"gather_here\": [[1, 10]]");
    char *text = replaced(complete, "\"size\": 8", link);
    cr_assert_eq(read_text(text, &system, &error), RK_OK, "%s", formatted(&error));
    free(text);
    text = system_text(&system, "x", "y", &(struct system_sources){.whole = "z", .kernels = "z"});
    cr_assert_eq(read_text(text, &again, &error), RK_OK, "%s", formatted(&error));
    for (int i = 0; i < RK_EXCHANGES; i++) {
        const struct rk_stream_rates *r = &system.network[0].link.exchange[i];
        cr_expect_eq(r->sizes, i == RK_EXCHANGE_pass ? 2 : 1);
        cr_expect_eq(r->bytes[0], 1e6);
        cr_expect_eq(r->rate_Bps[0], 1e9 * (i + 2));
        cr_expect_eq(memcmp(r, &again.network[0].link.exchange[i], sizeof *r), 0);
    }
    rk_system_release(&again);
    rk_system_release(&system);
    free(text);
    snprintf(link, sizeof link, exchanges_of, "");
    text = replaced(complete, "\"size\": 8", link);
    cr_expect_eq(read_text(text, &system, &error), RK_BAD_INPUT);
    cr_expect(strstr(formatted(&error),
                     "link.exchange_rates: \"gather_here\" is missing: all exchanges or none"),
              "%s", formatted(&error));
    free(text);
}

Test(catalog_system, kernels_like_those_of_another_system)
{
    struct rk_system system, other;
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_system_load("a100-sxm4-80g", &other, &error), RK_OK);
    char *text = replaced(complete, "\"memory\"",
                          "\"kernels\": {\"like\": \"a100-sxm4-80g\", \"kernel_us\": 7}, "
                          "\"memory\"");
    cr_assert_eq(read_text(text, &system, &error), RK_OK, "%s", formatted(&error));
    cr_expect_eq(system.kernels.matrix_efficiency, other.kernels.matrix_efficiency);
    cr_expect_eq(system.kernels.kernel_s, 7e-6);
    rk_system_release(&system);
    rk_system_release(&other);
    free(text);
}

Test(catalog_system, links)
{
    struct rk_system system;
    struct rk_error error;
    char *text = replaced(complete, "\"size\": 8",
                          "\"size\": 8, \"link\": {\"efficiency\": 0.8, \"base_us\": 5, "
                          "\"hop_us\": 1, \"ramp_MB\": 4, \"mesh\": true, \"copied\": true}");
    cr_assert_eq(read_text(text, &system, &error), RK_OK, "%s", formatted(&error));
    cr_expect_eq(system.network[0].link.efficiency, 0.8);
    cr_expect_eq(system.network[0].link.base_s, 5e-6);
    cr_expect_eq(system.network[0].link.hop_s, 1e-6);
    cr_expect_eq(system.network[0].link.ramp_bytes, 4e6);
    cr_expect_eq(system.network[0].link.in_network, 0);
    cr_expect(system.network[0].link.mesh);
    cr_expect(system.network[0].link.copied);
    rk_system_release(&system);
    free(text);
}

Test(catalog_system, wrong_kernels_and_links)
{
    static const struct {
        const char *mark, *by, *message;
    } wrong[] = {
        {"\"memory\"", "\"kernels\": 3, \"memory\"",
         "x.json:4:14: kernels: must be an object, {...}, got 3"},
        {"\"memory\"", "\"kernels\": {\"matrix_eficiency\": 1}, \"memory\"",
         "x.json:4:15: kernels: unknown key \"matrix_eficiency\"; did you mean "
         "\"matrix_efficiency\"?"},
        {"\"memory\"", "\"kernels\": {\"matrix_efficiency\": 1.5}, \"memory\"",
         "x.json:4:36: kernels.matrix_efficiency: must be > 0 and <= 1, got 1.5"},
        {"\"memory\"", "\"kernels\": {\"tile_m\": 8}, \"memory\"",
         "x.json:4:25: kernels.tile_m: must be >= 16 and <= 65536, got 8"},
        {"\"memory\"", "\"kernels\": {\"like\": \"a100-sxm4-80gb\"}, \"memory\"",
         "x.json:4:23: kernels.like: unknown system \"a100-sxm4-80gb\": did you mean "
         "\"a100-sxm4-80g\"? (\"reckon systems\" lists them; a file's name ends in .json)"},
        {"\"memory\"",
         "\"kernels\": {\"attention_rates\": [[32, 8, 1, 2], [64, 9, 5, 6]]}, \"memory\"",
         "x.json:4:50: kernels.attention_rates[1]: rows ascend by head dimension (4 at most), then "
         "by keys (8 at most), and each head dimension has the same keys"},
        {"\"memory\"", "\"kernels\": {\"element_ns\": {\"gelo\": [1, 1]}}, \"memory\"",
         "x.json:4:30: kernels.element_ns: unknown key \"gelo\"; did you mean \"gelu\"?"},
        {"\"memory\"", "\"kernels\": {\"element_ns\": {\"gelu\": [0, 1]}}, \"memory\"",
         "x.json:4:39: kernels.element_ns.gelu[0]: must be > 0 ns, got 0"},
        {"\"memory\"", "\"busy\": {\"devices\": 1, \"kernels\": {}}, \"memory\"",
         "x.json:4:23: busy.devices: must be >= 2, got 1"},
        {"\"memory\"", "\"busy\": {\"devices\": 2}, \"memory\"",
         "x.json:4:11: busy: missing key \"kernels\" (those constants of kernels that are others "
         "then): add it"},
        {"\"memory\"", "\"busy\": {\"devices\": 2, \"kernels\": {\"like\": \"x\"}}, \"memory\"",
         "x.json:4:46: busy.kernels.like: these change the system's own kernels: remove it"},
        {"\"memory\"", "\"kernels\": {\"optimizer_rates\": [[2, 8], [1, 9]]}, \"memory\"",
         "x.json:4:43: kernels.optimizer_rates[1]: rows ascend by their size"},
        {"\"size\": 8", "\"size\": 8, \"link\": {\"efficiency\": 0.8}",
         "x.json:5:96: network[0].link: missing key \"base_us\" (time of any collective, whatever "
         "its ranks and bytes): add it"},
    };
    use_source_catalog();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct rk_system system;
        struct rk_error error;
        char *text = replaced(complete, wrong[i].mark, wrong[i].by);
        cr_expect_eq(read_text(text, &system, &error), RK_BAD_INPUT);
        cr_expect_str_eq(formatted(&error), wrong[i].message);
        free(text);
    }
}

/* Every accelerator that is sold has constants of its own, and a node's tier has a link. */
Test(catalog_system, the_base_of_a_description_gives_its_kernels)
{
    struct rk_system system, base;
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_system_load("a100-sxm4-80g", &base, &error), RK_OK);
    cr_assert_eq(rk_system_load("a100-sxm4-80g x512", &system, &error), RK_OK);
    cr_expect_eq(memcmp(&system.kernels, &base.kernels, sizeof base.kernels), 0);
    cr_expect_eq(system.networks, 2);
    cr_expect_eq(system.network[0].size, 8);
    cr_expect_eq(system.network[1].bandwidth_Bps, 25e9);
    cr_expect_gt(system.network[1].link.efficiency, 0);
    rk_system_release(&system);
    rk_system_release(&base);
    cr_assert_eq(rk_system_load("matrix.float16=312TFLOP/s vector.float16=78TFLOP/s "
                                "hbm=80GiB@2TB/s net0=300GB/s,size=8",
                                &system, &error),
                 RK_OK);
    cr_expect_eq(system.kernels.multiprocessors, 120);
    rk_system_release(&system);
}
