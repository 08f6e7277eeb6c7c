/* Plans whose layers go through two buffers, predicted: memory tiers, the recurrence of transfers,
 * verdicts; and tiers made of drives. */
#include "predict_cases.h"

#include "catalog/catalog.h"
#include "catalog/drives.h"
#include <math.h>
#include <reckon/catalog.h>
#include <reckon/offload.h>
#include <stdlib.h>
#include <string.h>

static struct rk_prediction predict(const char *model_id, const char *system_id, const char *text)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_plan plan;
    struct rk_error error;
    static struct rk_prediction p;
    cr_assert_eq(rk_model_load(model_id, &model, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_system_load(system_id, &system, &error), RK_OK, "%s", error.text);
    system.kernels.attention_kernels = 0; /* any */
    cr_assert_eq(rk_plan_parse(text, &plan, &error), RK_OK, "%s", error.text);
    rk_predict(&model, &system, &plan, &p);
    rk_system_release(&system);
    return p;
}

#define NODE "a800-sxm4-80g mem2=250GB@"
#define PLAN "gpus8 tp8 sp gbs1 seq131072 "

/* All of the rest offloaded over a link that takes no time: the step of a plan that keeps all. */
Test(swap, infinite_link_is_no_offload)
{
    const struct rk_prediction all = predict("llama3.1-8b", NODE "unlimited", PLAN);
    const struct rk_prediction away =
        predict("llama3.1-8b", NODE "unlimited", PLAN "offload-activations=1 recompute-rest");
    NEAR(away.step_s, all.step_s);
    NEAR(away.offload_s, 0);
    NEAR(away.recompute_s, 0);
    cr_expect_lt(away.hbm_bytes, all.hbm_bytes);
}

/* Step time is that of the recurrence over the layers. */
Test(swap, time_is_the_recurrence)
{
    const char *const shares[] = {"0", "0.3", "0.75", "1"};
    for (int i = 0; i < 4; i++) {
        char text[128];
        snprintf(text, sizeof text, PLAN "offload-activations=%s recompute-rest", shares[i]);
        const struct rk_prediction none = predict("llama3.1-8b", NODE "unlimited", PLAN);
        const struct rk_prediction p = predict("llama3.1-8b", NODE "2GB/s", text);
        const struct rk_prediction free_link = predict("llama3.1-8b", NODE "unlimited", text);
        /* 30 of 32 layers are written, at 2 GB/s each way */
        const double bytes = p.stage[0].away_bytes[0] / 30;
        struct rk_model model;
        rk_model_load("llama3.1-8b", &model, NULL);
        const double again_s = free_link.recompute_s / 30;
        const double ends_s = 0; /* the blocks' share is bounded from both sides below */
        const struct rk_swap_layer fast = {.forward_s = none.stage[0].forward_s / 32,
                                           .backward_s = none.stage[0].backward_s / 32,
                                           .again_s = again_s,
                                           .bytes = bytes};
        const struct rk_swap_layer slow = {.forward_s = 0.9 * fast.forward_s,
                                           .backward_s = 0.9 * fast.backward_s,
                                           .again_s = again_s,
                                           .bytes = bytes};
        const struct rk_swap_time least = rk_swap_time_alike(&fast, 32, 2e9, 2e9, false);
        const struct rk_swap_time most = rk_swap_time_alike(&slow, 32, 2e9, 2e9, false);
        cr_expect_geq(p.offload_s, (least.forward_wait_s + least.backward_wait_s) * 0.999 + ends_s);
        cr_expect_leq(p.offload_s, (most.forward_wait_s + most.backward_wait_s) * 1.001 + 1e-9);
        NEAR(p.step_s - p.offload_s, free_link.step_s);
    }
}

/* Bytes on the host: 2 of 16 units always, a share of 14; the GPT block of [zhao2025memo]. */
Test(swap, bytes_are_those_of_the_paper)
{
    const struct rk_prediction half =
        predict("memo-7b", NODE "12GB/s",
                "gpus8 tp8 sp gbs1 seq131072 offload-activations=0.5 recompute-rest");
    const struct rk_prediction full =
        predict("memo-7b", NODE "12GB/s",
                "gpus8 tp8 sp gbs1 seq131072 offload-activations=1 recompute-rest");
    const double unit = 2.0 * 131072 * 4096 / 8, logs = 131072.0 * 4 * 4;
    NEAR(full.stage[0].away_bytes[0], 30 * (16 * unit + logs));
    NEAR(half.stage[0].away_bytes[0], 30 * (9 * unit + logs));
    NEAR(half.stage[0].written_bytes[0], half.stage[0].away_bytes[0]);
}

Test(swap, verdicts_of_tiers)
{
    const struct rk_prediction p = predict("llama3.1-8b", "a800-sxm4-80g mem2=4GB@12GB/s",
                                           PLAN "offload-activations=1 recompute-rest");
    cr_expect_eq(p.verdict, RK_MEMORY_EXCEEDED);
    cr_expect_eq(p.reason[p.reasons - 1].tier, 1);
    NEAR(p.reason[p.reasons - 1].have, 4e9);
    const struct rk_prediction none =
        predict("llama3.1-8b", "a800-sxm4-80g", PLAN "recompute-rest");
    cr_expect_eq(none.verdict, RK_BAD_MEMORY);
    const struct rk_prediction twice =
        predict("llama3.1-8b", NODE "12GB/s", PLAN "recompute-rest recompute=full");
    cr_expect_eq(twice.verdict, RK_BAD_OPTION);
    const struct rk_prediction third =
        predict("llama3.1-8b", NODE "12GB/s", PLAN "offload-activations=1.5");
    cr_expect_eq(third.verdict, RK_BAD_MEMORY);
}

/* More of a link never slows a step, and more that is stored never raises what the GPU holds. */
Test(swap, monotonous)
{
    const char *const rates[] = {"1GB/s", "2GB/s", "5GB/s", "12GB/s", "50GB/s"};
    double step_s = INFINITY, hbm = INFINITY;
    for (int i = 0; i < 5; i++) {
        char system[64];
        snprintf(system, sizeof system, NODE "%s", rates[i]);
        const struct rk_prediction p =
            predict("llama3.1-8b", system, PLAN "offload-activations=0.6 recompute-rest");
        cr_expect_leq(p.step_s, step_s * (1 + 1e-12));
        step_s = p.step_s;
    }
    for (int i = 0; i <= 4; i++) {
        char text[128];
        snprintf(text, sizeof text, PLAN "offload-activations=%g", 0.25 * i);
        const struct rk_prediction p = predict("llama3.1-8b", NODE "12GB/s", text);
        if (i > 0) cr_expect_leq(p.hbm_bytes, hbm * (1 + 1e-12) + p.hbm_bytes * (i == 1));
        hbm = p.hbm_bytes;
    }
}

/* A third tier: drives. Its own rate counts, and the bytes are there. */
Test(swap, activations_on_drives)
{
    const char *const machine = "a100-pcie-40g mem2=100GiB@25GB/s ssd=4*samsung-980pro-1tb";
    const struct rk_prediction host =
        predict("llama3.1-8b", machine, "gpus8 tp8 sp gbs1 seq32768 offload-activations=1");
    const struct rk_prediction drives =
        predict("llama3.1-8b", machine, "gpus8 tp8 sp gbs1 seq32768 offload-activations=2");
    NEAR(drives.stage[0].away_bytes[1], host.stage[0].away_bytes[0]);
    NEAR(drives.stage[0].away_bytes[0], 0);
    cr_expect_geq(drives.offload_s, host.offload_s);
}

/* ---- drives ---- */

Test(drives, arrays)
{
    static const struct {
        enum raid raid;
        uint64_t drives;
        double capacity, reads, writes, endurance; /* of one drive's */
    } arrays[] = {{RAID_0, 4, 4, 4, 4, 4},
                  {RAID_1, 2, 1, 2, 1, 1},
                  {RAID_5, 4, 3, 4, 3, 3},
                  {RAID_10, 4, 2, 4, 2, 2}};
    for (int i = 0; i < 4; i++) {
        struct drive_array array = {.drives = arrays[i].drives, .raid = arrays[i].raid};
        struct rk_memory memory = {.name = ""};
        strcpy(array.drive, "samsung-980pro-1tb");
        cr_assert_eq(drive_array_memory(&array, &memory, NULL), RK_OK);
        NEAR(memory.capacity_bytes, arrays[i].capacity * 1e12);
        NEAR(rk_memory_read_Bps(&memory), arrays[i].reads * 7e9);
        NEAR(rk_memory_write_Bps(&memory), arrays[i].writes * 5e9);
        NEAR(rk_memory_endurance_bytes(&memory), arrays[i].endurance * 600e12 * 2.5 * 86);
        array.retention_gain = 1;
        cr_assert_eq(drive_array_memory(&array, &memory, NULL), RK_OK);
        NEAR(rk_memory_endurance_bytes(&memory), arrays[i].endurance * 600e12 * 2.5);
    }
    struct drive_array odd = {.drives = 3, .raid = RAID_10};
    struct rk_memory memory;
    struct rk_error error;
    strcpy(odd.drive, "samsung-980pro-1tb");
    cr_expect_eq(drive_array_memory(&odd, &memory, &error), RK_BAD_INPUT);
    strcpy(odd.drive, "samsung-980pro-2tb");
    cr_expect_eq(drive_array_memory(&odd, &memory, &error), RK_BAD_ARGUMENT);
}

/* The drives of [wu2025ssdtrain] are in the catalog: 516 PB. */
Test(drives, of_the_paper)
{
    struct drive drive;
    cr_assert_eq(drive_load("samsung-980pro-1tb", &drive, NULL), RK_OK);
    NEAR(4 * drive.endurance_bytes * drive.rated_amplification * drive.retention_gain, 516e15);
    NEAR(4 * drive.price_USD, 360);
}

/* ---- a million tokens on one node: [zhao2025memo] ---- */

static struct rk_swap swap_of(const char *text)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_plan plan;
    cr_assert_eq(rk_model_load("memo-7b", &model, NULL), RK_OK);
    cr_assert_eq(rk_system_load(NODE "12GB/s", &system, NULL), RK_OK);
    cr_assert_eq(rk_plan_parse(text, &plan, NULL), RK_OK);
    const struct rk_swap swap = rk_swap_of_plan(&model, &system, &plan);
    rk_system_release(&system);
    return swap;
}

/* 4 TiB of skeletal tensors; what the predictor has beside them are attention's log-sums. */
Test(swap, layers_of_the_paper)
{
    const struct rk_swap s = swap_of("gpus8 tp8 sp gbs1 seq1048576 recompute-rest");
    const double skeletal = 4398046511104.0 / 8 / 32, logs = 1048576.0 * 4 * 4;
    NEAR(s.always_bytes + s.token_bytes, skeletal + logs);
    NEAR(s.always_bytes, skeletal / 8 + logs);
    cr_expect_eq(s.layers, 32);
}

/* Everything swapped is hidden behind a layer's forward from 192 Ki tokens on, not at 128 Ki. */
Test(swap, crossing_of_the_paper)
{
    char text[96];
    for (int k = 64; k <= 512; k += 64) {
        snprintf(text, sizeof text, "gpus8 tp8 sp gbs1 seq%d recompute-rest", k * 1024);
        const struct rk_swap s = swap_of(text);
        cr_expect_eq(rk_swap_share_hidden(&s) >= 1, k >= 192, "%d Ki: %g", k,
                     rk_swap_share_hidden(&s));
    }
}

/* 52.3 % within 2 points, with 6 P + 6 n h s FLOP a token; at 1 Mi tokens, in 80 GiB and a node's
 * host memory. */
Test(swap, mfu_of_the_paper)
{
    const double tokens = 1048576, P = 6854156288;
    const struct rk_swap s = swap_of("gpus8 cp8 cp-kind=ulysses zero3 gbs1 seq1048576 "
                                     "loss-in-chunks recompute-rest");
    char text[256];
    snprintf(text, sizeof text,
             "gpus8 cp8 cp-kind=ulysses zero3 gbs1 seq1048576 loss-in-chunks recompute-rest "
             "offload-activations=%.15g",
             rk_swap_share_memo(&s) * (1 - 1e-12));
    const struct rk_prediction p = predict("memo-7b", NODE "12GB/s", text);
    const double flop = (6 * P + 6 * 32 * 4096 * tokens) * tokens;
    cr_expect_eq(p.verdict, RK_FITS);
    cr_expect_leq(fabs(flop / (p.step_s * 8 * 312e12) - 0.523), 0.02, "%g s", p.step_s);
}

/* Shares of two tiers in words and files, and back. */
Test(swap, shares_of_two_tiers)
{
    struct rk_plan plan, again;
    char text[RK_PLAN_TEXT];
    cr_assert_eq(rk_plan_parse("tp8 offload-activations=0.25+1.5 recompute-rest", &plan, NULL),
                 RK_OK);
    cr_expect_eq(plan.share[RK_SHARE_ATTENTION][0], 0.25);
    cr_expect_eq(plan.share[RK_SHARE_NORMS][1], 0.5);
    rk_plan_text(&plan, text, sizeof text);
    cr_expect(strstr(text, "offload-activations=0.25+1.5"), "%s", text);
    cr_assert_eq(rk_plan_parse(text, &again, NULL), RK_OK);
    cr_expect_eq(memcmp(plan.share, again.share, sizeof plan.share), 0);
    cr_expect_neq(rk_plan_parse("tp8 offload-activations=0.25+x", &plan, NULL), RK_OK);
    cr_expect_neq(rk_plan_parse("tp8 offload-activations=0.25+", &plan, NULL), RK_OK);
    const struct rk_prediction p =
        predict("llama3.1-8b", "a100-pcie-40g mem2=100GiB@25GB/s ssd=4*samsung-980pro-1tb",
                "gpus8 tp8 gbs1 seq32768 recompute-rest offload-activations=0.25+1.5");
    cr_expect_gt(p.stage[0].away_bytes[0], 0);
    cr_expect_gt(p.stage[0].away_bytes[1], 0);
    const struct rk_prediction over =
        predict("llama3.1-8b", "a100-pcie-40g mem2=100GiB@25GB/s ssd=4*samsung-980pro-1tb",
                "gpus8 tp8 gbs1 seq32768 recompute-rest offload-activations=0.75+1.5");
    cr_expect_eq(over.verdict, RK_BAD_OPTION); /* more than all of it */
}

/* What a stage holds sums up to its total, as of any plan. */
Test(swap, holdings_sum_up)
{
    const char *const plans[] = {
        "gpus8 tp8 sp gbs4 seq65536 recompute-rest offload-activations=0.5",
        "gpus8 tp2 pp4 gbs8 seq65536 recompute-rest offload-activations=1"};
    for (int i = 0; i < 2; i++) {
        const struct rk_prediction p = predict("llama3.1-8b", NODE "12GB/s", plans[i]);
        for (int stage = 0; stage < p.stages; stage++) {
            double sum = 0;
            for (int h = 0; h < RK_HOLDING_COUNT; h++)
                sum += p.stage[stage].holds[h];
            NEAR(sum, p.stage[stage].total_bytes);
        }
    }
}

/* Drives behind the host take its link as well. */
Test(swap, through_the_host)
{
    const char *const plan = "gpus8 tp8 gbs1 seq32768 offload-activations=2";
    const struct rk_prediction direct =
        predict("llama3.1-8b", "a100-pcie-40g mem2=100GiB@1GB/s ssd=4*samsung-980pro-1tb", plan);
    const struct rk_prediction host = predict(
        "llama3.1-8b", "a100-pcie-40g mem2=100GiB@1GB/s ssd=4*samsung-980pro-1tb,path=host", plan);
    cr_expect_gt(host.offload_s, 5 * direct.offload_s);
}

/* Of a GPT block 16 of 24 units of s h^2 FLOP are computed again, not attention, nor the MLP's last
 * matrix, whose result nothing keeps. */
Test(swap, work_that_is_done_again)
{
    const double s = 65536, h = 4096;
    const struct rk_prediction p =
        predict("memo-7b", NODE "12GB/s", "gpus8 tp8 sp gbs1 seq65536 recompute-rest");
    NEAR(p.executed_flop - p.model_flop, 30 * 16 * s * h * h);
    const struct rk_prediction half =
        predict("memo-7b", NODE "12GB/s",
                "gpus8 tp8 sp gbs1 seq65536 recompute-rest offload-activations=0.5");
    NEAR(half.executed_flop - half.model_flop, 30 * 8 * s * h * h);
}

/* Every drive loads, says where its numbers are from, and is possible. */
Test(drives, of_the_catalog)
{
    struct catalog_list list = {.count = 0};
    cr_assert_eq(catalog_list(CATALOG_DRIVES, &list, NULL), RK_OK);
    cr_expect_geq(list.count, 10);
    for (size_t i = 0; i < list.count; i++) {
        struct drive drive;
        struct catalog_entry entry = {.id = NULL};
        struct rk_error error;
        cr_assert_eq(drive_load(list.id[i], &drive, &error), RK_OK, "%s", error.text);
        cr_assert_eq(catalog_describe(CATALOG_DRIVES, list.id[i], &entry, &error), RK_OK);
        cr_expect_gt(entry.sources, 0, "%s", list.id[i]);
        cr_expect(drive.write_Bps <= drive.read_Bps && drive.read_Bps < 32e9, "%s", list.id[i]);
        /* between 0.1 and 100 writes of the drive a day for five years */
        const double writes = drive.endurance_bytes / drive.capacity_bytes / (5 * 365);
        cr_expect(writes > 0.1 && writes < 100, "%s: %g a day", list.id[i], writes);
        catalog_entry_release(&entry);
    }
    catalog_list_release(&list);
}
