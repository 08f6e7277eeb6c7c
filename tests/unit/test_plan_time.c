/* Data parallelism, offload, optimizer and pipeline of a step, by hand. */
#include "estimate/stages.h"
#include "predict_cases.h"

static struct machine machine;

/* 1000 B/s in a node of 8, 100 B/s beyond, 1000 B/s of memory, 100 B/s of the second one. */
static const struct rk_system *slow(void)
{
    machine_init(&machine, 1e30);
    machine.network[0].bandwidth_Bps = 1e3;
    machine.network[1].bandwidth_Bps = 1e2;
    machine.memory[0].bandwidth_Bps = 1e3;
    machine.memory[1].bandwidth_Bps = 1e2;
    return &machine.system;
}

/* Dense weights over 4 ranks; experts' over 2, and 2 copies, 2 ranks apart. */
static const struct sharing sharing = {
    .bytes = {.weight = 2,
              .gradient = 4,
              .optimizer = 12,
              .master = 4,
              .sent_weight = 2,
              .sent_gradient = 4},
    .shards = {{4, 1}, {2, 1}},
    .copies = {{1, 4}, {2, 2}},
    .microbatches = 4,
};

static struct stage_sum stage_of(double parameters, double experts)
{
    return (struct stage_sum){
        .blocks = 5,
        .parameters = parameters,
        .expert_parameters = experts,
        .pass_s = {[FOLD_FORWARD] = 10, [FOLD_AGRAD] = 12, [FOLD_WGRAD] = 5, [FOLD_RECOMPUTE] = 3},
    };
}

static struct rk_plan plan_with(int zero)
{
    struct rk_plan plan = rk_plan_default();
    plan.zero = zero;
    return plan;
}

/* ---- what is sent ---- */

/* Dense: 4000 B of gradients scattered over 4, 3 s. Experts: 16000 B over 2, 8 s, and their 8000 B
 * a shard all-reduced over 2 copies, 8 s. Weights 2000 B * 3/4 and 8000 B / 2: 5.5 s,
 * twice, behind the step of either optimizer. */
Test(plan_time, exchanges)
{
    const struct rk_system *system = slow();
    const struct stage_sum sum = stage_of(1000, 4000);
    const struct rk_plan plan = plan_with(1);
    struct exchange e = exchange_of(&sum, system, &sharing, &plan);
    NEAR(e.reduce.time_s, 3 + 8 + 8);
    NEAR(e.gather.time_s, 2 * 5.5);
    const struct stage_sum dense = stage_of(1000, 0);
    e = exchange_of(&dense, system, &sharing, &plan);
    NEAR(e.reduce.time_s, 3);
    NEAR(e.gather.time_s, 1.5);
}

/* All-reduced whole: 4000 B over 4, 6 s; 16000 B over 2, 16 s, and again over the copies. */
Test(plan_time, whole_gradients)
{
    const struct rk_system *system = slow();
    const struct stage_sum sum = stage_of(1000, 4000);
    struct rk_plan plan = plan_with(1);
    plan.whole_gradients = true;
    NEAR(exchange_of(&sum, system, &sharing, &plan).reduce.time_s, 6 + 16 + 16);
    plan.zero = 2;
    NEAR(exchange_of(&sum, system, &sharing, &plan).reduce.time_s, 19);
}

/* ZeRO-3 moves each of 5 blocks on its own, DeepSpeed 6 modules of each: a second for each of three
 * reductions and two gathers. */
Test(plan_time, collectives_of_blocks)
{
    const struct rk_system *system = slow();
    const struct stage_sum sum = stage_of(1000, 4000);
    struct rk_plan plan = plan_with(3);
    machine.network[0].link.base_s = 1;
    struct exchange e = exchange_of(&sum, system, &sharing, &plan);
    NEAR(e.reduce.time_s, 19 + 5 * 3);
    NEAR(e.gather.time_s, 5.5 + 5 * 2);
    plan.framework = RK_DEEPSPEED;
    e = exchange_of(&sum, system, &sharing, &plan);
    NEAR(e.gather.time_s, 5.5 + 30 * 2);
    plan.zero = 2;
    e = exchange_of(&sum, system, &sharing, &plan);
    NEAR(e.gather.time_s, 5.5 + 2);
    plan.framework = RK_MEGATRON; /* behind the step of either optimizer, unless forward does */
    NEAR(exchange_of(&sum, system, &sharing, &plan).gather.time_s, 2 * (5.5 + 2));
    plan.weight_overlap = true;
    NEAR(exchange_of(&sum, system, &sharing, &plan).gather.time_s, 5.5 + 2);
    /* the executor: those of each block, its experts' and of three operations of the ends apart */
    struct rk_system measured = *system;
    struct stage_sum ends = sum;
    measured.kernels.optimizer_rates = (struct rk_stream_rates){1, {1e6}, {2e3}};
    ends.end_groups = 3;
    for (plan.zero = 1; plan.zero <= 3; plan.zero += 2) {
        e = exchange_of(&ends, &measured, &sharing, &plan);
        NEAR(e.reduce.time_s, 19 + 8 + 2 * 5);
        NEAR(e.gather.time_s, 5.5 + 8 + 5);
    }
    /* and sums up the norm over all 8 ranks, 8 bytes each, of a tier of 1 kB/s */
    const struct exchange none = {.copied = false};
    const struct rank_group all = {8, 1};
    plan.ranks = 8;
    const double norm_s = collective_time_s(&measured, ALL_REDUCE, all, 64);
    cr_assert_gt(norm_s, 1);
    NEAR(stage_end_of(&sum, &none, &measured, &sharing, &plan).data_s, norm_s);
    NEAR(stage_end_of(&sum, &none, system, &sharing, &plan).data_s, 0);
    plan.pipeline = 2;
    NEAR(stage_end_of(&sum, &none, &measured, &sharing, &plan).data_s, 0);
}

/* ---- for each microbatch ---- */

static struct stage_sum moved(struct rk_plan plan, double reduce_s, double gather_s)
{
    struct stage_sum sum = stage_of(1000, 4000);
    const struct exchange exchange = {{reduce_s, 0}, {gather_s, 0}, false};
    stage_moves(&sum, &exchange, slow(), &sharing, &plan);
    return sum;
}

/* Reducing takes 3 s, gathering 2. ZeRO-3 gathers forward and once more backward, ZeRO-2 reduces
 * alone, ZeRO-1 does neither before the end. */
Test(plan_time, zero_for_each_microbatch)
{
    struct rk_plan plan = plan_with(3);
    struct stage_sum sum = moved(plan, 3, 2);
    NEAR(sum.data_s[FOLD_FORWARD], 2);
    NEAR(sum.data_s[FOLD_AGRAD], 2 + 3);
    NEAR(sum.data_link_s, 7);
    plan.keep_gathered = true;
    sum = moved(plan, 3, 2);
    NEAR(sum.data_s[FOLD_AGRAD], 3);
    NEAR(sum.data_link_s, 5);
    for (int zero = 0; zero <= 2; zero++) {
        sum = moved(plan_with(zero), 3, 2);
        NEAR(sum.data_s[FOLD_FORWARD], 0);
        NEAR(sum.data_s[FOLD_AGRAD], zero == 2 ? 3 : 0);
    }
}

/* Beside 10 s of forward and 20 s of backward of five layers: one of them has nothing beside it.
 * Of 20 s forward 20 - 10 * 4/5 are left, of 40 + 3 backward 43 - 20 * 4/5. */
Test(plan_time, zero_beside_computing)
{
    struct rk_plan plan = plan_with(3);
    plan.gradient_overlap = plan.weight_overlap = true;
    struct stage_sum sum = moved(plan, 3, 2);
    NEAR(sum.data_s[FOLD_FORWARD], 2.0 / 5);
    NEAR(sum.data_s[FOLD_AGRAD], 5.0 / 5);
    sum = moved(plan, 3, 20);
    NEAR(sum.data_s[FOLD_FORWARD], 12);
    NEAR(sum.data_s[FOLD_AGRAD], 23 - 20 * 4.0 / 5);
    NEAR(moved(plan, 23, 20).data_s[FOLD_AGRAD], 43 - 20 * 4.0 / 5);
}

/* Half of 8000 B a microbatch go to the second memory at 100 B/s, 40 s, and come back: 40 - 10 *
 * 4/5 s are waited for forward, 40 - 20 * 4/5 backward. Then a quarter of the weights, too: 5000 *
 * 2 B / 4, 25 s more. */
Test(plan_time, offload)
{
    struct rk_plan plan = plan_with(0);
    struct stage_sum sum = stage_of(1000, 4000);
    const struct exchange none = {.copied = false};
    rk_plan_offload_activations(&plan, 0.5);
    sum.saved_total_bytes = 8000;
    stage_moves(&sum, &none, slow(), &sharing, &plan);
    NEAR(sum.spent_s[FOLD_FORWARD][SPENT_OFFLOAD], 32);
    NEAR(sum.spent_s[FOLD_AGRAD][SPENT_OFFLOAD], 24);
    NEAR(sum.pass_s[FOLD_FORWARD], 10 + 32);
    NEAR(sum.pass_s[FOLD_AGRAD], 12 + 24);
    plan.share[RK_SHARE_WEIGHTS][0] = 0.25;
    sum = stage_of(1000, 4000);
    sum.saved_total_bytes = 8000;
    stage_moves(&sum, &none, slow(), &sharing, &plan);
    NEAR(sum.spent_s[FOLD_FORWARD][SPENT_OFFLOAD], 32 + 25);
}

/* 6 bytes of each of 5000 parameters at 1000 B/s. */
Test(plan_time, gradients_are_added)
{
    struct sharing adding = sharing;
    struct stage_sum sum = stage_of(1000, 4000);
    const struct exchange none = {.copied = false};
    const struct rk_plan plan = plan_with(0);
    adding.bytes.added = 6;
    stage_moves(&sum, &none, slow(), &adding, &plan);
    NEAR(sum.spent_s[FOLD_AGRAD][SPENT_MEMORY], 30);
    NEAR(sum.pass_s[FOLD_AGRAD], 12 + 30);
}

/* ---- the end ---- */

static struct stage_end end_of(struct rk_plan plan)
{
    const struct stage_sum sum = stage_of(1000, 4000);
    const struct exchange exchange = {{3, 0}, {2, 0}, false};
    return stage_end_of(&sum, &exchange, slow(), &sharing, &plan);
}

/* A tenth of computing is taken while messages go on beside it: of 5 s backward, of the gather of 2
 * s behind the step; of 43 s beside 20, 20. Alone, and reduced once a step, they take none. */
Test(plan_time, messages_take_from_computing)
{
    struct rk_plan plan = plan_with(3);
    plan.bucket = 1; /* layer by layer */
    struct stage_sum sum = stage_of(1000, 4000);
    const struct exchange takes = {{3, 0.3}, {2, 0.2}, false},
                          longer = {{41, 4.1}, {2, 0.2}, false};
    stage_moves(&sum, &takes, slow(), &sharing, &plan);
    NEAR(sum.data_s[FOLD_AGRAD], 5);
    plan.gradient_overlap = plan.weight_overlap = true;
    sum = stage_of(1000, 4000);
    stage_moves(&sum, &takes, slow(), &sharing, &plan);
    NEAR(sum.data_s[FOLD_AGRAD], 5.0 / 5 + 0.5);
    NEAR(sum.data_link_s, 7);
    sum = stage_of(1000, 4000);
    stage_moves(&sum, &longer, slow(), &sharing, &plan);
    NEAR(sum.data_s[FOLD_AGRAD], 43 - 20 * 4 / 5.0 + 2);
    sum = stage_of(1000, 4000);
    plan.zero = 1;
    NEAR(stage_end_of(&sum, &takes, slow(), &sharing, &plan).data_s, 3 / 5.0 + 2 / 5.0 + 0.2);
}

/* A quarter of the engines for 1 kB/s: 4000 B scattered over 4, 16000 B over 2 and 8000 B
 * all-reduced over 2 copies pass on 3, 8 and 8 kB; gathers 5.5 kB. */
Test(plan_time, what_messages_take)
{
    const struct rk_system *system = slow();
    const struct stage_sum sum = stage_of(1000, 4000);
    struct rk_plan plan = plan_with(2);
    plan.weight_overlap = true;
    machine.network[0].processor_usage = machine.network[1].processor_usage = 0.25;
    const struct exchange e = exchange_of(&sum, system, &sharing, &plan);
    NEAR(e.reduce.engine_s, 0.25 * e.reduce.time_s);
    NEAR(e.gather.engine_s, 0.25 * e.gather.time_s);
    machine.network[0].processor_usage = machine.network[1].processor_usage = 0;
}

/* What was not sent before: gradients without ZeRO-2, updated weights of ZeRO-1 and 2. */
Test(plan_time, data_parallelism_in_the_end)
{
    static const double waited_s[] = {3, 5, 2, 0};
    for (int zero = 0; zero <= 3; zero++) {
        NEAR(end_of(plan_with(zero)).data_s, waited_s[zero]);
        NEAR(end_of(plan_with(zero)).data_link_s, waited_s[zero]);
    }
    struct rk_plan plan = plan_with(1); /* five layers: a fifth has nothing beside it */
    plan.bucket = 1;
    plan.gradient_overlap = true;
    NEAR(end_of(plan).data_s, 3 / 5.0 + 2);
    plan.weight_overlap = true;
    NEAR(end_of(plan).data_s, 5 / 5.0);
    const struct stage_sum sum = stage_of(1000, 4000); /* what computes copies: nothing is beside */
    const struct exchange copied = {{3, 0}, {2, 0}, true};
    NEAR(stage_end_of(&sum, &copied, slow(), &sharing, &plan).data_s, 5);
    plan.chunks = 5; /* one layer a chunk: all of the last one's */
    NEAR(end_of(plan).data_s, 5);
}

/* The last bucket has nothing beside it: of 5000 parameters in 2500 a half, in more all, and 40
 * million where nothing is said; a million for each of 64 ranks; torch sends layer by layer. */
Test(plan_time, the_last_bucket)
{
    const struct exchange takes = {{10, 0}, {0, 0}, false};
    const struct stage_sum few = stage_of(1000, 4000), many = stage_of(128e6, 0);
    struct rk_plan plan = plan_with(1);
    plan.gradient_overlap = true;
    plan.bucket = 2500;
    NEAR(stage_end_of(&few, &takes, slow(), &sharing, &plan).data_s, 10 / 2.0);
    plan.bucket = 0;
    NEAR(stage_end_of(&few, &takes, slow(), &sharing, &plan).data_s, 10);
    NEAR(stage_end_of(&many, &takes, slow(), &sharing, &plan).data_s, 10 * 40 / 128.0);
    plan.ranks = 64;
    NEAR(stage_end_of(&many, &takes, slow(), &sharing, &plan).data_s, 10 * 64 / 128.0);
    plan.framework = RK_FSDP;
    NEAR(stage_end_of(&few, &takes, slow(), &sharing, &plan).data_s, 10 / 5.0);
}

/* A rank steps 1000 / 4 + 4000 / 2 = 2250 parameters: it reads the gradient twice, once for its
 * norm, reads and writes it clipped, reads and writes 12 bytes of state, and reads the master copy
 * to write weights. Megatron-LM's buffer of 5000 gradients is set to zero and looked through for
 * NaN; of two ranks, it is read and written to be scaled. The executor's is written by products: it
 * sets an embedding's 600 to zero, or, where sums are apart, those that it has. Offloaded, gradient
 * and weight of its share travel at 100 B/s. */
Test(plan_time, optimizer)
{
    struct sharing without = sharing;
    struct rk_plan plan = plan_with(1);
    const struct exchange none = {.copied = false};
    const struct stage_sum sum = stage_of(1000, 4000);
    const double step_s = end_of(plan).optimizer_s, zeroed_s = 5000 * 4 / 1e3;
    without.bytes.weight = 0;
    NEAR(stage_end_of(&sum, &none, slow(), &without, &plan).optimizer_s,
         2250 * (4 * 4 + 2 * 12 + 4) / 1e3 + 2 * zeroed_s);
    plan.ranks = 2;
    NEAR(end_of(plan).optimizer_s, step_s + 2 * zeroed_s);
    struct rk_system measured = *slow(); /* at 2 kB/s, of a step that scales nothing */
    const struct rk_stream_rates rates = {1, {1e6}, {2e3}};
    measured.kernels.optimizer_rates = rates;
    const double adam_s = 2250 * (2 * 4 + 2 * 12 + 2 * 2) / 2e3;
    struct stage_sum first = sum;
    first.embedding_parameters = 600;
    NEAR(stage_end_of(&sum, &none, &measured, &sharing, &plan).optimizer_s, adam_s);
    NEAR(stage_end_of(&first, &none, &measured, &sharing, &plan).optimizer_s,
         adam_s + 600 * 4 / 2e3);
    for (plan.zero = 1; plan.zero <= 3; plan.zero++) {
        plan.precision = plan.zero == 1 ? RK_FP16 : RK_FP32;
        NEAR(stage_end_of(&first, &none, &measured, &sharing, &plan).optimizer_s,
             adam_s + (plan.zero == 1 ? 5000 : 2250) * 4 / 2e3);
    }
    plan.zero = 1;
    plan.precision = RK_BF16;
    measured.busy = measured.kernels; /* at 1 kB/s when both of a node step */
    measured.busy.optimizer_rates.rate_Bps[0] = 1e3;
    measured.busy_devices = 2;
    NEAR(stage_end_of(&sum, &none, &measured, &sharing, &plan).optimizer_s, 2 * adam_s);
    plan.ranks = 1;
    NEAR(step_s, 2250 * (4 * 4 + 2 * 12 + 4 + 2) / 1e3 + 2 * zeroed_s);
    plan.share[RK_SHARE_OPTIMIZER][0] = 0.25;
    NEAR(end_of(plan).optimizer_s,
         0.75 * step_s + 0.25 * 2 * zeroed_s + 0.25 * 2250 * (4 + 2) / 1e2);
    /* the host's processors, at 8 % of 1 kB/s: state read and written, gradient read, weight
     * written; DeepSpeed's at 25 %, FSDP's at 19 % */
    struct rk_system host = *slow();
    struct rk_memory tiers[2] = {host.memory[0], host.memory[1]};
    tiers[1].update_Bps = 1e3;
    host.memory = tiers;
    NEAR(stage_end_of(&sum, &none, &host, &sharing, &plan).optimizer_s,
         0.75 * step_s + 0.25 * 2 * zeroed_s + 0.25 * 2250 * (2 * 12 + 4 + 2) / 80);
    plan.framework = RK_DEEPSPEED; /* keeps no buffer that is set to zero */
    NEAR(stage_end_of(&sum, &none, &host, &sharing, &plan).optimizer_s,
         0.75 * (step_s - 2 * zeroed_s) + 0.25 * 2250 * (2 * 12 + 4 + 2) / 250);
    plan.framework = RK_MEGATRON;
    /* a half of it on drives behind that: read at 50, then written at 25 B/s, the longer part */
    struct rk_system drives = *slow();
    struct rk_memory memory[3] = {drives.memory[0], drives.memory[1]};
    memory[2] = (struct rk_memory){.bandwidth_Bps = 50, .write_Bps = 25, .capacity_bytes = 1e9};
    drives.memory = memory;
    drives.memories = 3;
    plan.share[RK_SHARE_OPTIMIZER][0] = 0;
    plan.share[RK_SHARE_OPTIMIZER][1] = 0.5;
    const double kept_s = 0.5 * step_s + 0.5 * 2 * zeroed_s, state = 0.5 * 2250 * 12;
    NEAR(stage_end_of(&sum, &none, &drives, &sharing, &plan).optimizer_s,
         kept_s + state / 50 + state / 25);
    /* with 400 elements of tables, of which 100 are its own, 4 bytes more of each: Muon's */
    struct sharing muon = sharing;
    struct stage_sum tables = sum;
    muon.bytes.of_tables = 4;
    tables.ends_parameters = 400;
    const double there = 0.5 * 100 * 4;
    NEAR(stage_end_of(&tables, &none, &drives, &muon, &plan).optimizer_s,
         kept_s + 2 * there / 1e3 + (state + there) / 50 + (state + there) / 25);
    memory[2].through_host = 1; /* 27 kB and gradients and weights at 100 B/s: still less */
    memory[1].bandwidth_Bps = 10;
    NEAR(stage_end_of(&sum, &none, &drives, &sharing, &plan).optimizer_s,
         kept_s + (2 * state + 0.5 * 2250 * (4 + 2)) / 10);
}

/* ---- the step ---- */

static struct step_outline outline_of(const struct rk_plan *plan, const struct stage_end *ends,
                                      double microbatches)
{
    struct stage_map map = {.stages = 2, .classes = 2, .class_of = {0, 1}, .first_of = {0, 1}};
    const struct stage_sum sum = {.blocks = 1, .pass_s = {[FOLD_FORWARD] = 1, [FOLD_AGRAD] = 2}};
    const struct stage_sum sums[2] = {sum, sum};
    const struct staged staged = {&map, sums, ends, 0.5, microbatches};
    struct step_outline outline;
    step_outline(&outline, &staged, plan);
    return outline;
}

/* p = 2, four microbatches of 1 s and 2 s on each stage: 12 s, and 3 s that the pipeline takes to
 * fill and to drain. Messages take half a second: one each way then, and one each way for each
 * microbatch. Interleaved over 3 chunks, passes of 1/3 and 2/3 s, they run beside computing: one
 * each way at the ends; two turns there and back, each of which waits 1 s for the first microbatch
 * to come round; and 1 s that pairs of passes wait between them. test_timeline.c simulates it. */
Test(plan_time, messages)
{
    const struct stage_end none[2] = {{.data_s = 0}, {.data_s = 0}};
    struct rk_plan plan = rk_plan_default();
    plan.pipeline = 2;
    struct step_outline o = outline_of(&plan, none, 4);
    NEAR(o.bubble_s, 3);
    NEAR(o.pipeline_s, 2 * 0.5 + 4 * 2 * 0.5);
    NEAR(o.step_s, 12 + 3 + 5);
    plan.chunks = 3;
    o = outline_of(&plan, none, 4);
    NEAR(o.bubble_s, 1);
    NEAR(o.pipeline_s, 2 * 0.5 + 2 * 2 * 1.0 + 1);
    plan.pipeline_blocking = true;
    o = outline_of(&plan, none, 4);
    NEAR(o.pipeline_s, 2 * 0.5 + 4 * 3 * 2 * 0.5);
}

/* Ranks that copy messages: of m microbatches a stage in the middle copies each in and out, there
 * and back. The last of two copies one in and one out for each, between the copy out and the copy
 * in of the first: m + 1 of a message's both halves. */
Test(plan_time, messages_that_ranks_copy)
{
    const double microbatches = 4, both_s = 0.5;
    const struct stage_end none[2] = {{.data_s = 0}, {.data_s = 0}};
    struct rk_network threads = {.bandwidth_Bps = 1e30, .size = 8, .link = {.efficiency = 1}};
    const struct rk_system system = {.networks = 1, .network = &threads};
    const struct layer_folds fold = {.message_bytes = 1};
    struct rk_plan plan = rk_plan_default();
    threads.link.base_s = both_s;
    plan.ranks = plan.pipeline = 2;
    NEAR(send_s_of(&fold, &system, &plan), both_s);
    threads.link.copied = true;
    NEAR(send_s_of(&fold, &system, &plan), both_s / 2);
    const struct step_outline o = outline_of(&plan, none, microbatches);
    NEAR(o.pipeline_s * send_s_of(&fold, &system, &plan) / 0.5, (microbatches + 1) * both_s);
    plan.ranks = plan.pipeline = 4;
    NEAR(send_s_of(&fold, &system, &plan), both_s);
}

/* The last stage puts off 1 s of its four microbatches: the first one waits a quarter of it less in
 * front of a backward pass, going there and back, and that second runs while the first drains. Of
 * 3 s it does so for 2; the third is waited for. */
Test(plan_time, gradients_that_are_put_off)
{
    const struct stage_end none[2] = {{.data_s = 0}, {.data_s = 0}};
    const struct stage_end some[2] = {{.data_s = 0}, {.put_off_s = 1}};
    const struct stage_end all[2] = {{.data_s = 0}, {.put_off_s = 3}};
    struct rk_plan plan = rk_plan_default();
    plan.pipeline = 2;
    const double step_s = outline_of(&plan, none, 4).step_s;
    NEAR(outline_of(&plan, some, 4).step_s, step_s - 2 * 0.25);
    NEAR(outline_of(&plan, all, 4).step_s, step_s - 2 * 0.75 + 1);
}

/* The second stage ends 2 s before the first one: what it does then is waited for beyond that. */
Test(plan_time, the_last_stage_to_end)
{
    struct rk_plan plan = rk_plan_default();
    plan.pipeline = 2;
    const struct stage_end first[2] = {{.data_s = 1, .optimizer_s = 2},
                                       {.data_s = 1, .optimizer_s = 2}};
    struct step_outline o = outline_of(&plan, first, 4);
    cr_expect_eq(o.last, 0);
    NEAR(o.data_end_s, 1);
    NEAR(o.optimizer_s, 2);
    NEAR(o.step_s, 12 + 3 + 5 + 3);
    const struct stage_end second[2] = {{.data_s = 1, .optimizer_s = 2},
                                        {.data_s = 4, .optimizer_s = 2}};
    o = outline_of(&plan, second, 4);
    cr_expect_eq(o.last, 1);
    NEAR(o.data_end_s, 2);
    NEAR(o.optimizer_s, 2);
    const struct stage_end late[2] = {{.data_s = 0, .optimizer_s = 1},
                                      {.data_s = 1, .optimizer_s = 4}};
    o = outline_of(&plan, late, 4);
    NEAR(o.data_end_s, 0); /* within the 2 s, and 1 of the optimizer's 4 */
    NEAR(o.optimizer_s, 3);
}
