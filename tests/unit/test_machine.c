/* Several clusters, in one line and in files. */
#include <criterion/criterion.h>
#include <math.h>
#include <reckon/catalog.h>
#include <reckon/machine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(machine, a_line_of_two_clusters)
{
    struct rk_machine machine;
    struct rk_error error;
    const char *line = "h100-sxm5-80g x256 name=big price=2.5 + a100-sxm4-80g x128 "
                       "link=100Gb/s@50us,cap=400Gb/s,price=0.02";
    cr_assert(rk_machine_is_several(line));
    cr_assert_eq(rk_machine_load(line, &machine, &error), RK_OK, "%s", error.text);
    cr_expect_eq(machine.clusters, 2);
    cr_expect_str_eq(machine.cluster[0].name, "big");
    cr_expect_str_eq(machine.cluster[1].name, "1");
    cr_expect_eq(machine.cluster[0].system.devices, 256);
    cr_expect_eq(rk_cluster_nodes(&machine.cluster[1]), 16);
    cr_expect_eq(machine.cluster[0].price_USDph, 2.5);
    cr_expect_eq(machine.link[1][0].bandwidth_Bps, 12.5e9);
    cr_expect_eq(machine.link[0][1].latency_s, 50e-6);
    cr_expect_eq(machine.link[0][1].cap_Bps, 50e9);
    cr_expect_float_eq(machine.link[0][1].price_USD, 2e-11, 1e-25);
    rk_machine_release(&machine);
}

Test(machine, one_cluster_is_a_system)
{
    struct rk_machine machine;
    struct rk_system system;
    struct rk_error error;
    cr_expect_not(rk_machine_is_several("h100-sxm5-80g x64"));
    cr_assert_eq(rk_machine_load("h100-sxm5-80g x64", &machine, &error), RK_OK);
    cr_assert_eq(rk_system_load("h100-sxm5-80g x64", &system, &error), RK_OK);
    cr_expect_eq(machine.clusters, 1);
    cr_expect_str_eq(machine.cluster[0].system.id, system.id);
    cr_expect_eq(machine.cluster[0].system.networks, system.networks);
    cr_expect_arr_eq(machine.cluster[0].system.network, system.network,
                     (size_t)system.networks * sizeof *system.network);
    rk_machine_release(&machine);
    rk_system_release(&system);
}

Test(machine, a_node_is_what_shares_a_bus)
{
    struct rk_machine machine;
    struct rk_error error;
    const char *line =
        "h100-pcie-80g x16 + h100-sxm5-80g x16 adapters=mlx5_0,mlx5_1 interface=eth0 "
        "link=100Gb/s";
    cr_assert_eq(rk_machine_load(line, &machine, &error), RK_OK, "%s", error.text);
    cr_expect_eq(rk_cluster_node(&machine.cluster[0]), 8); /* bridges join pairs of its node */
    cr_expect_eq(rk_cluster_node(&machine.cluster[1]), 8);
    cr_expect_str_eq(machine.cluster[0].adapters, "");
    cr_expect_str_eq(machine.cluster[1].adapters, "mlx5_0,mlx5_1");
    cr_expect_str_eq(machine.cluster[1].interface, "eth0");
    rk_machine_release(&machine);
    cr_expect_neq(
        rk_machine_load("h100-sxm5-80g x8 adapters=mlx5_0, + l4 x8 link=1GB/s", &machine, &error),
        RK_OK);
    cr_expect_eq(error.column, 27);
}

Test(machine, links_of_pairs)
{
    struct rk_machine machine;
    struct rk_error error;
    const char *line = "a100-sxm4-80g x8 name=ib + a100-sxm4-80g x8 name=ro-ce + h100-sxm5-80g x8 "
                       "link=10Gb/s link:ib-ro-ce=200Gb/s@5us";
    cr_assert_eq(rk_machine_load(line, &machine, &error), RK_OK, "%s", error.text);
    cr_expect_eq(machine.link[0][1].bandwidth_Bps, 25e9);
    cr_expect_eq(machine.link[0][2].bandwidth_Bps, 1.25e9);
    cr_expect_eq(machine.link[2][1].bandwidth_Bps, 1.25e9);
    cr_expect(isinf(machine.link[2][1].cap_Bps));
    rk_machine_release(&machine);
}

static void expect_refused(const char *line, int column, const char *part)
{
    struct rk_machine machine = {.clusters = 77};
    struct rk_error error = {.column = 0};
    cr_expect_neq(rk_machine_load(line, &machine, &error), RK_OK, "%s", line);
    cr_expect_eq(machine.clusters, 77);
    cr_expect_eq(error.column, column, "%s: column %d: %s", line, error.column, error.text);
    cr_expect(strstr(error.text, part), "%s: %s", line, error.text);
}

Test(machine, what_is_wrong_is_pointed_at)
{
    expect_refused("h100-sxm5-80g x8 + a100-sxm4-80g x8 link=0Gb/s", 42, "above 0");
    expect_refused("h100-sxm5-80g x8 + a100-sxm4-80g x8 link=100G", 45, "");
    expect_refused("h100-sxm5-80g x8 + a100-sxm4-80g x8", 36, "no link between 0 and 1");
    expect_refused("h100-sxm5-80g x8 + a100-sxm4-80g link=1Gb/s", 20, "add x256");
    expect_refused("h100-sxm5-80g x8 + a100-sxm4-80g x12 link=1Gb/s", 20, "x16 is the nearest");
    expect_refused("h100-sxm5-80g x8 name=a + a100-sxm4-80g x8 name=a link=1Gb/s", 27,
                   "two clusters are named \"a\"");
    expect_refused("h100-sxm5-80g x8 + h10-sxm5-80g x8 link=1Gb/s", 20, "did you mean");
    expect_refused("h100-sxm5-80g x8 + a100-sxm4-80g x8 hbn=8GiB link=1Gb/s", 37, "unknown part");
    expect_refused("h100-sxm5-80g x8 + link=1Gb/s", 30, "expected a system");
    expect_refused("h100-sxm5-80g x8 + a100-sxm4-80g x8 link:0-2=1Gb/s", 42, "two clusters");
    expect_refused("h100-sxm5-80g x8 + a100-sxm4-80g x8 link=1Gb/s,cup=3", 48, "cap=RATE");
    expect_refused("h100-sxm5-80g x8 name=a/b + a100-sxm4-80g x8 link=1Gb/s", 23, "a name is");
    expect_refused("h100-sxm5-80g x8 + ", 20, "expected a system");
    expect_refused("h100-sxm5-80g x8 + a100-sxm4-80g x8 link=1Gb/s link=2Gb/s", 48, "given twice");
    expect_refused("h100-sxm5-80g x8 + a100-sxm4-80g x8 link:0-1=1Gb/s link:1-0=2Gb/s", 57,
                   "between 1 and 0 is given twice");
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fputs(text, file);
    fclose(file);
}

Test(machine, files)
{
    const char *folder = getenv("TMPDIR");
    char path[256];
    struct rk_machine machine;
    struct rk_error error;
    snprintf(path, sizeof path, "%s/reckon-machine-XXXXXX.json", folder ? folder : P_tmpdir);
    const int out = mkstemps(path, 5);
    cr_assert(out >= 0);
    close(out);
    write_file(path,
               "{\"clusters\": [{\"name\": \"a\", \"system\": \"h100-sxm5-80g\", \"devices\": 16,\n"
               "\"price_USDph\": 2}, {\"system\": \"a100-sxm4-80g x8\"}],\n"
               "\"links\": [{\"between\": [\"a\", \"1\"], \"bandwidth_GBps\": \"100Gb/s\", "
               "\"latency_us\": 50}]}");
    cr_expect(rk_machine_is_several(path));
    cr_assert_eq(rk_machine_load(path, &machine, &error), RK_OK, "%s", error.text);
    cr_expect_eq(machine.cluster[0].system.devices, 16);
    cr_expect_eq(machine.link[0][1].bandwidth_Bps, 12.5e9);
    cr_expect(isinf(machine.link[0][1].cap_Bps));
    rk_machine_release(&machine);
    write_file(path, "{\"clusters\": [{\"name\": \"aa\", \"system\": \"h100-sxm5-80g x8\"},\n"
                     "{\"system\": \"a100-sxm4-80g x8\"}],\n"
                     "\"links\": [{\"between\": [\"ab\", \"1\"], \"bandwidth_GBps\": 1}]}");
    cr_expect_eq(rk_machine_load(path, &machine, &error), RK_BAD_INPUT);
    cr_expect_eq(error.line, 3);
    cr_expect(strstr(error.text, "did you mean \"aa\""), "%s", error.text);
    unlink(path);
}
