/* Systems in one line of text. */
#include "catalog/readers.h"
#include "catalog_cases.h"

#include <math.h>
#include <reckon/catalog.h>

static struct rk_system loaded(const char *text)
{
    struct rk_system system = {.id = ""};
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_system_load(text, &system, &error), RK_OK, "%s", formatted(&error));
    return system;
}

Test(synthetic, devices_and_domain)
{
    struct rk_system system = loaded("h100-80g x4096 nvl16");
    cr_expect_str_eq(system.id, "h100-80g x4096 nvl16");
    cr_expect_eq(system.devices, 4096);
    cr_expect_eq(system.network[0].size, 16);
    cr_expect_eq(system.network[1].size, 65536);
    rk_system_release(&system);
}

Test(synthetic, memories)
{
    struct rk_system system = loaded("h100-80g hbm=120GiB mem2=1TiB@100GB/s mem3=10TB@unlimited");
    cr_assert_eq(system.memories, 3);
    cr_expect_eq(system.memory[0].capacity_bytes, 120 * 1073741824.0);
    cr_expect_eq(system.memory[0].bandwidth_Bps, 3072e9, "as in the base");
    cr_expect_eq(system.memory[1].capacity_bytes, 1099511627776.0);
    cr_expect_eq(system.memory[1].bandwidth_Bps, 100e9);
    cr_expect_eq(system.memory[1].curve.step[0].rate, 95e9, "the curve of the base, the new rate");
    cr_expect_str_eq(system.memory[2].name, "mem3");
    cr_expect(isinf(system.memory[2].bandwidth_Bps) && isinf(system.memory[2].curve.step[0].rate));
    rk_system_release(&system);
    system = loaded("h100-80g mem2=none");
    cr_expect_eq(system.memories, 1);
    rk_system_release(&system);
}

/* Behind "then" stands what counts; a tier that is gone, drives and leaves may come again. */
Test(synthetic, then)
{
    struct rk_system system = loaded("h100-80g x8 hbm=40GiB then hbm=120GiB x16 nvl4 net0.size=2");
    cr_expect_eq(system.devices, 16);
    cr_expect_eq(system.memory[0].capacity_bytes, 120 * 1073741824.0);
    cr_expect_eq(system.network[0].size, 2, "two words for one thing: the later one");
    rk_system_release(&system);
    system = loaded("h100-80g mem2=none mem2=1TiB@100GB/s leaf=256 leaf=1024 "
                    "ssd=1*samsung-980pro-1tb ssd=2*samsung-980pro-1tb");
    cr_expect_eq(system.memories, 4);
    rk_system_release(&system);
    char text[64];
    cr_expect(synthetic_join(text, sizeof text, "h100-80g x8", "nvl4"));
    cr_expect_str_eq(text, "h100-80g x8 nvl4");
    cr_expect(synthetic_join(text, sizeof text, "h100-80g nvl8", "nvl4"));
    cr_expect_str_eq(text, "h100-80g nvl8 then nvl4");
    cr_expect_not(synthetic_join(text, 20, "h100-80g nvl8", "nvl4"));
}

/* Every figure of the whole is divided, in whatever order it is said; a base's shares stay. */
Test(synthetic, shared_memories)
{
    static const char *const said[] = {
        "a100-pcie-40g "
        "mem2=2TB@24GB/s,read=30GB/s,write=18GB/s,endurance=16PB,price=800,latency=1us,"
        "capacity_shared_by=8,bandwidth_shared_by=3",
        "a100-pcie-40g mem2=1B@1B/s,capacity_shared_by=8 mem2.bandwidth_shared_by=3 "
        "mem2.latency=1us "
        "mem2.price=800 mem2.endurance=16PB mem2.write=18GB/s mem2.read=30GB/s mem2.capacity=2TB "
        "mem2.bandwidth=24GB/s",
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        struct rk_system system = loaded(said[i]);
        const struct rk_memory *m = &system.memory[1];
        cr_expect_eq(m->capacity_bytes, 250e9);
        cr_expect_eq(m->endurance_bytes, 2e15);
        cr_expect_eq(m->price_USD, 100);
        cr_expect_eq(m->bandwidth_Bps, 8e9);
        cr_expect_eq(m->curve.step[0].rate, 8e9);
        cr_expect_eq(m->read_Bps, 10e9);
        cr_expect_eq(m->write_Bps, 6e9);
        cr_expect_eq(m->latency_s, 1e-6, "waited for by each");
        cr_expect_eq(m->capacity_shared_by, 8);
        cr_expect_eq(m->bandwidth_shared_by, 3);
        rk_system_release(&system);
    }
    struct rk_system few =
        loaded("a100-pcie-40g x4 mem2=2TB@24GB/s,capacity_shared_by=8,bandwidth_shared_by=2");
    cr_expect_eq(few.memory[1].capacity_bytes, 500e9, "there are but four");
    cr_expect_eq(few.memory[1].bandwidth_Bps, 12e9);
    cr_expect_eq(few.memory[1].capacity_shared_by, 4);
    rk_system_release(&few);
    struct rk_system eight =
                         loaded("a100-pcie-40g mem2=1TB@50GB/s ssd=8*samsung-980pro-1tb,raid=10,"
                                "capacity_shared_by=8,bandwidth_shared_by=4"),
                     one = loaded("a100-pcie-40g mem2=1TB@50GB/s ssd=2*samsung-980pro-1tb,raid=1");
    cr_expect_eq(eight.memory[2].capacity_bytes, one.memory[2].capacity_bytes / 2);
    cr_expect_eq(eight.memory[2].endurance_bytes, one.memory[2].endurance_bytes / 2);
    cr_expect_eq(eight.memory[2].price_USD, one.memory[2].price_USD / 2);
    cr_expect_eq(eight.memory[2].read_Bps, one.memory[2].read_Bps);
    cr_expect_eq(eight.memory[2].write_Bps, one.memory[2].write_Bps);
    rk_system_release(&eight);
    rk_system_release(&one);
}

Test(synthetic, networks)
{
    struct rk_system system = loaded("h100-80g net0=900GB/s,latency=2us,efficiency=0.8 "
                                     "net1.bandwidth=800Gb/s net1.all_reduce=2:-1 "
                                     "net2=1GB/s,size=1000000,must_be_filled=yes,name=wan");
    cr_assert_eq(system.networks, 3);
    cr_expect_eq(system.network[0].bandwidth_Bps, 900e9);
    cr_expect_eq(system.network[0].latency_s, 2e-6);
    cr_expect_eq(system.network[0].efficiency, 0.8);
    cr_expect_eq(system.network[0].size, 8);
    cr_expect_eq(system.network[1].bandwidth_Bps, 100e9);
    cr_expect_eq(system.network[1].collective[RK_ALL_REDUCE].scale, 2);
    cr_expect_eq(system.network[1].collective[RK_ALL_REDUCE].offset, -1);
    cr_expect_str_eq(system.network[2].name, "wan");
    cr_expect(system.network[2].must_be_filled);
    cr_expect_eq(system.network[2].collective[RK_ALL_GATHER].offset, -1, "a ring");
    rk_system_release(&system);
    system = loaded("h100-80g net1=none");
    cr_expect_eq(system.networks, 1);
    rk_system_release(&system);
}

/* What a message loses until it streams is a time: the H100's 4 MB are 80 us at its 50 GB/s. */
Test(synthetic, ramp_follows_the_rate)
{
    struct rk_system system = loaded("h100-sxm5-80g net1.bandwidth=12.5GB/s");
    cr_expect_eq(system.network[1].link.ramp_bytes, 1e6);
    rk_system_release(&system);
    system = loaded("h100-sxm5-80g net1=25GB/s,efficiency=0.9");
    cr_expect_eq(system.network[1].link.ramp_bytes, 2e6);
    rk_system_release(&system);
    system = loaded("h100-sxm5-80g net1.bandwidth=unlimited");
    cr_expect_eq(system.network[1].link.ramp_bytes, 4e6);
    rk_system_release(&system);
}

Test(synthetic, leaves)
{
    struct rk_system system = loaded("h100-80g x1024 leaf=32,over=2 leaf=256,over=4");
    cr_assert_eq(system.networks, 4);
    cr_expect_str_eq(system.network[1].name, "leaf");
    cr_expect_str_eq(system.network[2].name, "pod");
    cr_expect_str_eq(system.network[3].name, "spine");
    cr_expect_eq(system.network[1].size, 32);
    cr_expect_eq(system.network[2].size, 256);
    cr_expect_eq(system.network[3].size, 65536);
    cr_expect_eq(system.network[1].bandwidth_Bps, 50e9);
    cr_expect_eq(system.network[2].bandwidth_Bps, 25e9);
    cr_expect_eq(system.network[3].bandwidth_Bps, 6.25e9);
    cr_expect_eq(system.network[3].latency_s, system.network[1].latency_s);
    rk_system_release(&system);
}

Test(synthetic, engines)
{
    struct rk_system system =
        loaded("h100-80g matrix.float16=500TFLOP/s matrix.efficiency=1TFLOP:0.9/0:0.2 "
               "vector.float8=none matrix.float8=none processing=roofline");
    cr_expect_eq(system.matrix[RK_FLOAT16].peak_flops, 500e12);
    cr_expect_eq(system.matrix[RK_FLOAT16].curve.steps, 2);
    cr_expect_eq(system.matrix[RK_FLOAT16].curve.step[0].from, 1e12);
    cr_expect_eq(system.matrix[RK_FLOAT16].curve.step[0].rate, 450e12);
    cr_expect_eq(system.matrix[RK_BFLOAT16].curve.step[1].rate, 200e12);
    cr_expect_eq(system.matrix[RK_FLOAT8].curve.steps, 0);
    cr_expect_eq(system.vector[RK_FLOAT8].curve.steps, 0);
    cr_expect_eq(system.processing, RK_ROOFLINE);
    rk_system_release(&system);
}

/* Without a base, everything is as given: efficiency 1, no latency, rings. */
Test(synthetic, a_whole_machine)
{
    struct rk_system system =
        loaded("matrix.float16=312TFLOP/s vector.float16=78TFLOP/s hbm=80GiB@2TB/s "
               "net0=300GB/s,size=8 net1=25GB/s,size=65536");
    cr_expect_eq(system.matrix[RK_FLOAT16].curve.step[0].rate, 312e12);
    cr_expect_eq(system.vector[RK_FLOAT16].curve.step[0].rate, 78e12);
    cr_expect_eq(system.memory[0].curve.step[0].rate, 2e12);
    cr_expect_str_eq(system.memory[0].name, "hbm");
    cr_expect_eq(system.network[0].latency_s, 0);
    cr_expect_eq(system.network[0].efficiency, 1);
    cr_expect_eq(system.network[0].collective[RK_ALL_REDUCE].scale, 2);
    cr_expect_eq(system.network[1].size, 65536);
    cr_expect_eq(system.devices, 0);
    rk_system_release(&system);
}

Test(synthetic, spaces_do_not_matter)
{
    struct rk_system system = loaded("h100-80g   x8\tnvl8 ");
    cr_expect_str_eq(system.id, "h100-80g x8 nvl8");
    rk_system_release(&system);
}

Test(synthetic, bases_may_be_paths)
{
    struct rk_system system = loaded(RECKON_TEST_SOURCE "/data/systems/h100-80g-nvl8.json x8");
    cr_expect_eq(system.devices, 8);
    rk_system_release(&system);
}

/* { text, what follows the quoted text in the message } */
static const struct bad_case texts[] = {
    {"h100-80g hbm=400G", "1:17: \"400G\" is ambiguous: write 400GiB (of 1024) or 400GB (of "
                          "1000)"},
    {"h100-80g net0=400G", "1:18: \"400G\" is ambiguous: write 400GB/s (bytes) or 400Gb/s (bits)"},
    {"h100-80g hbm=80", "1:14: \"80\" has no unit: write a size such as \"80GiB\""},
    {"h100-80g mem2=1TiB@100", "1:20: \"100\" has no unit: write a rate such as \"100GB/s\" or "
                               "\"400Gb/s\""},
    {"h100-80g hbm=-80GiB", "1:14: must be > 0"},
    {"h100-80g hbm=0GiB", "1:14: must be > 0"},
    {"h100-80g nvl0", "1:13: must be a number of accelerators from 1 to 2^53: nvl8"},
    {"h100-80g leaf=3", "1:15: a leaf joins more than the network below it, 8, and less than the "
                        "whole, 65536"},
    {"h100-80g leaf=33", "1:15: a leaf joins whole nodes of 8: 40 is the nearest"},
    {"h100-80g leaf=32,over=0.5", "1:23: must be >= 1, got 0.5"},
    {"h100-80g leaf=32,ov=2", "1:18: a leaf has only over=RATIO: leaf=256,over=2"},
    {"h100-80g x0", "1:11: must be a number of accelerators from 1 to 2^53: x4096"},
    {"h100-80g x9007199254740993", "1:11: must be a number of accelerators from 1 to 2^53: x4096"},
    {"h100-80g 4096", "1:10: \"4096\" is neither xN, nvlN nor a setting such as hbm=80GiB; the "
                      "base comes first"},
    {"h100-80g x8 nvl8 x16", "1:18: x16 is given before, as x8: leave one out, or write \"then\" "
                             "between them"},
    {"h100-80g nvl8 then nvl4 nvl2", "1:25: nvl2 is given before, as nvl4: leave one out, or write "
                                     "\"then\" between them"},
    {"h100-80g net0.size=4 hbm=80GiB net0.size=8",
     "1:32: net0.size=8 is given before, as net0.size=4: leave one out, or write \"then\" between "
     "them"},
    {"h100-80g mem2=1TiB@100GB/s,read=1GB/s,read=2GB/s",
     "1:39: read is given twice: leave one out"},
    {"h100-80g hbm=", "1:14: expected a value after hbm="},
    {"h100-80g hbn=80GiB", "1:10: unknown part \"hbn\": did you mean \"hbm\"?"},
    {"h100-80g hbm.capacty=80GiB", "1:14: unknown property \"capacty\": did you mean "
                                   "\"capacity\"?"},
    {"h100-80g hbm.=80GiB", "1:14: expected a property after the dot"},
    {"h100-80g mem0=80GiB", "1:10: number the mem tiers from mem1 on"},
    {"h100-80g mem4=80GiB@1GB/s", "1:10: there are 2 such tiers: the next one is mem3"},
    {"h100-80g mem3=80GiB", "1:20: a new memory needs a rate: 80GiB@100GB/s"},
    {"h100-80g mem3.bandwidth=1GB/s", "1:10: no such memory yet: write mem3=SIZE@RATE first"},
    {"h100-80g mem1=none", "1:15: a system needs its first memory"},
    {"h100-80g hbm.capacity_shared_by=8",
     "1:10: the first memory is not shared by accelerators: only lower ones, mem2 and on, can "
     "be"},
    {"h100-80g mem2.bandwidth_shared_by=0", "1:35: must be an integer from 1 to 2^53"},
    {"h100-80g mem2.bandwidth_shared_by=1.5", "1:35: must be an integer from 1 to 2^53"},
    {"h100-80g kernels=3", "1:17: say which constant: kernels.matrix_efficiency=0.7"},
    {"h100-80g kernels.matrix_eficiency=1",
     "1:18: unknown property \"matrix_eficiency\": did you mean matrix_efficiency?"},
    {"h100-80g kernels.like=1",
     "1:18: unknown property \"like\"; reckon-system(5) lists those of kernels"},
    {"h100-80g kernels.matrix_efficiency=2", "1:36: must be > 0 and <= 1"},
    {"h100-80g kernels.matrix_efficiency=x", "1:36: \"x\" is not a number"},
    {"h100-80g kernels.tile_m=17.5", "1:25: must be >= 16 and <= 65536, an integer"},
    {"h100-80g kernels.kernel_us=3GB",
     "1:28: \"3GB\" is not a time: write a time such as \"10us\" or \"30min\""},
    {"h100-80g net3=1GB/s,size=2", "1:10: there are 2 such tiers: the next one is net2"},
    {"h100-80g net2=1GB/s", "1:20: a new network needs a size: 1GB/s,size=65536"},
    {"h100-80g net2.size=2", "1:10: no such network yet: write net2=RATE,size=N first"},
    {"h100-80g net0=1GB/s,8", "1:21: expected property=value after the comma"},
    {"h100-80g net0=1GB/s,laency=1us", "1:21: unknown property \"laency\": did you mean "
                                       "\"latency\"?"},
    {"h100-80g net0.latency=10",
     "1:23: \"10\" has no unit: write a time such as \"10us\" or \"30min\""},
    {"h100-80g net0.latency=-1us", "1:23: must be >= 0"},
    {"h100-80g net0.efficiency=1.5", "1:26: must be > 0 and <= 1, got 1.5"},
    {"h100-80g net0.efficiency=nan", "1:26: \"nan\" is not a number"},
    {"h100-80g net0.processor_usage=1", "1:31: must be >= 0 and < 1, got 1"},
    {"h100-80g net0.must_be_filled=1", "1:30: must be yes or no, got \"1\""},
    {"h100-80g net0.size=8.5", "1:20: must be an integer from 1 to 2^53"},
    {"h100-80g net0.all_reduce=0", "1:26: must be > 0, got 0"},
    {"h100-80g net0.all_reduce=1:-2", "1:28: must be >= -1, got -2"},
    {"h100-80g net0.point_to_point=1:1", "1:30: point_to_point has two ends: leave the offset "
                                         "out"},
    {"h100-80g net0.name=a/b", "1:21: a name is made of letters, digits, '.', '_', '-'"},
    {"h100-80g hbm.efficiency=1MB:0.9", "1:25: the last step must start at 0: end with "
                                        "\"/0:0.5\""},
    {"h100-80g hbm.efficiency=0:0.9/1MB:0.5", "1:31: the steps must descend: put the largest size "
                                              "first"},
    {"h100-80g matrix.float64=1TFLOP/s", "1:17: unknown datatype \"float64\": did you mean "
                                         "\"float8\"?"},
    {"h100-80g matrix.float32=1TFLOP/s", "1:33: the vector engine lacks float32, which the matrix "
                                         "engine has: add vector.float32=78TFLOP/s"},
    {"h100-80g processing=rofline", "1:21: unknown processing \"rofline\": did you mean "
                                    "\"roofline\"?"},
    {"h100-80h x8", "1:1: unknown system \"h100-80h\": did you mean \"h100-80g\"? (\"reckon "
                    "systems\" lists them; a file's name ends in .json)"},
    {"hbm=80GiB@2TB/s", "1:16: no engines: start with a system's id, or add "
                        "matrix.float16=312TFLOP/s vector.float16=78TFLOP/s"},
    {"matrix.float16=1TFLOP/s vector.float16=1TFLOP/s", "1:48: no memory: add hbm=80GiB@2TB/s"},
    {"matrix.float16=1TFLOP/s vector.float16=1TFLOP/s hbm=1GiB@1GB/s",
     "1:63: no network: add net0=300GB/s,size=8"},
    {"matrix=1TFLOP/s", "1:1: name a datatype: matrix.float16=312TFLOP/s"},
    {"nvl8 x8", "1:4: no network yet: write net0=RATE,size=N first"},
};

Test(synthetic, bad_texts)
{
    use_source_catalog();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct rk_system system = {.devices = 77};
        struct rk_error error = {0};
        cr_expect_eq(rk_system_load(texts[i].input, &system, &error), RK_BAD_ARGUMENT, "%s",
                     texts[i].input);
        const char *message = strstr(formatted(&error), "\":1:");
        cr_expect_str_eq(message ? message + 2 : formatted(&error), texts[i].message, "%s: %s",
                         texts[i].input, formatted(&error));
        cr_expect_eq(system.devices, 77, "untouched on failure");
    }
}

Test(synthetic, the_message_quotes_the_text)
{
    struct rk_system system;
    struct rk_error error;
    use_source_catalog();
    cr_expect_eq(rk_system_load("h100-80g hbm=400G", &system, &error), RK_BAD_ARGUMENT);
    cr_expect_str_eq(formatted(&error), "\"h100-80g hbm=400G\":1:17: \"400G\" is ambiguous: write "
                                        "400GiB (of 1024) or 400GB (of 1000)");
}

Test(synthetic, constants_of_kernels)
{
    struct rk_system system;
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_system_load("h100-sxm5-80g kernels.matrix_efficiency=0.65 kernels.kernel_us=5 "
                                "kernels.launch_us=7000ns kernels.float4_TFLOPps=1PFLOP/s "
                                "kernels.tile_m=64",
                                &system, &error),
                 RK_OK, "%s", formatted(&error));
    cr_expect_eq(system.kernels.matrix_efficiency, 0.65);
    cr_expect_eq(system.kernels.kernel_s, 5e-6);
    cr_expect_float_eq(system.kernels.launch_s, 7e-6, 1e-18);
    cr_expect_eq(system.kernels.float4_FLOPps, 1e15);
    cr_expect_eq(system.kernels.tile_m, 64);
    cr_expect_eq(system.kernels.tile_n, 256);
    cr_expect_eq(system.busy.matrix_efficiency, 0.65); /* of busy devices, too */
    cr_expect_eq(system.busy.kernel_s, 5e-6);
    rk_system_release(&system);
}
