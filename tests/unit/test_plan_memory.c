/* What a stage's memory holds, by hand. */
#include "estimate/stages.h"
#include "machine/part.h"
#include "predict_cases.h"

static struct machine machine;
static struct rk_prediction prediction;

static const double T = 128, h = 64; /* tokens, hidden */

static const struct rk_stage *stage_of(const struct rk_model *model, const struct rk_plan *plan,
                                       int stage)
{
    rk_predict(model, &machine.system, plan, &prediction);
    cr_assert(prediction.timed, "%s", prediction.reason[0].what);
    return &prediction.stage[stage];
}

static struct rk_plan plan_of(enum rk_framework framework, uint64_t ranks, int zero)
{
    struct rk_plan plan = rk_plan_default();
    machine_init(&machine, 1e6);
    plan.framework = framework;
    plan.ranks = plan.batch = ranks;
    plan.zero = zero;
    return plan;
}

/* ---- what the allocator does not split ---- */

/* Static bytes without the distributed optimizer, beyond those with it, on one rank. */
static double apart_bytes(const struct rk_model *model)
{
    struct rk_plan plan = plan_of(RK_MEGATRON, 1, 0);
    const double apart = stage_of(model, &plan, 0)->static_bytes;
    plan.zero = 1;
    return apart - stage_of(model, &plan, 0)->static_bytes;
}

/* 512 wide, matrices are 1 to 10 MiB in fp32: half a MiB of each 20 of weights, 2 bytes, and
 * optimizer, 12, of the blocks. Narrower and wider ones, and flat buffers, have nothing of it. */
Test(plan_memory, rests_of_segments)
{
    struct rk_model model = small, twice;
    cr_expect_eq(apart_bytes(&model), 0);
    model.hidden = 512;
    model.feedforward = 2048;
    twice = model;
    twice.layers = 2 * model.layers;
    struct rk_plan plan = plan_of(RK_MEGATRON, 1, 0);
    const double one = (double)stage_of(&model, &plan, 0)->parameters;
    const double blocks = (double)stage_of(&twice, &plan, 0)->parameters - one;
    NEAR(apart_bytes(&model), blocks * (2 + 12) / 40);
    NEAR(apart_bytes(&twice), 2 * blocks * (2 + 12) / 40);
    model.hidden = 4096;
    cr_expect_eq(apart_bytes(&model), 0);
}

/* ---- microbatches in flight ---- */

/* Never more than there are: m = 2 on stage 0 of 8; interleaved in two chunks, 4 of 4. */
Test(plan_memory, no_more_in_flight_than_microbatches)
{
    struct rk_plan plan = rk_plan_default();
    plan.pipeline = 8;
    NEAR(in_flight_of_plan(&plan, 2, 0), 2);
    NEAR(in_flight_of_plan(&plan, 20, 3), 5);
    plan.chunks = 2;
    NEAR(in_flight_of_plan(&plan, 2, 0), 2);
    NEAR(in_flight_of_plan(&plan, 16, 0), (2 * 7 + 8 + 1) / 2.0);
    plan.chunks = 1;
    plan.schedule = RK_DUALPIPE;
    NEAR(in_flight_of_plan(&plan, 16, 0), 9);
    NEAR(in_flight_of_plan(&plan, 6, 0), 6);
}

/* 1F1B on two stages: the first holds two microbatches of two blocks, the second one. The MLP keeps
 * 2 * 4 h elements of 2 bytes a token. */
Test(plan_memory, activations_in_flight)
{
    struct rk_plan plan = plan_of(RK_MEGATRON, 2, 0);
    plan.pipeline = 2;
    plan.batch = 8;
    NEAR(stage_of(&small, &plan, 0)->holds[RK_HOLD_mlp], 2 * 2 * T * 8 * h * 2);
    NEAR(prediction.stage[1].holds[RK_HOLD_mlp], 2 * T * 8 * h * 2);
}

/* Of two of eight microbatches the last stage keeps the gradients of the logits and the head's
 * input; of one that is all there is, none beside its own. */
Test(plan_memory, gradients_of_the_head_that_are_put_off)
{
    struct rk_plan plan = plan_of(RK_MEGATRON, 2, 0);
    plan.pipeline = 2;
    plan.batch = 8;
    const double before = stage_of(&small, &plan, 1)->allocated_bytes;
    const double first = prediction.stage[0].allocated_bytes;
    plan.deferred_wgrad = 2;
    NEAR(stage_of(&small, &plan, 1)->allocated_bytes, before + 2 * T * (1024 + h) * 2);
    NEAR(prediction.stage[0].allocated_bytes, first);
    plan.deferred_wgrad = 100;
    NEAR(stage_of(&small, &plan, 1)->allocated_bytes, before + 7 * T * (1024 + h) * 2);
}

/* Master copy and one moment of 4 bytes each, a second one of embedding, final norm and head. */
Test(plan_memory, muon_keeps_one_moment)
{
    for (int zero = 0; zero < 2; zero++) {
        struct rk_plan plan = plan_of(RK_MEGATRON, 2, zero);
        plan.optimizer = RK_MUON;
        const double parameters = 4.0 * SMALL_BLOCK + SMALL_ENDS;
        NEAR(stage_of(&small, &plan, 0)->holds[RK_HOLD_optimizer],
             (8 * parameters + 4.0 * SMALL_ENDS) / (zero ? 2 : 1));
    }
}

/* Of each of four blocks, matrices of 192, 64, 256 and 256 by 64: five times 4 a^2 b + 2 a^3 FLOP
 * at 1e6 a second. Dealt to two data ranks each does half; two tensor ranks both do all of it. */
Test(plan_memory, muon_makes_matrices_orthogonal)
{
    const double flop = 4 * 5 * (4 * 64.0 * 64 * (192 + 64 + 256 + 256) + 4 * 2 * 64.0 * 64 * 64);
    struct rk_plan plan = plan_of(RK_MEGATRON, 2, 0);
    plan.optimizer = RK_MUON;
    stage_of(&small, &plan, 0);
    NEAR(prediction.optimizer_s, flop / 1e6);
    plan.zero = 1;
    stage_of(&small, &plan, 0);
    NEAR(prediction.optimizer_s, flop / 2 / 1e6);
    /* FSDP has half of each on either rank: in 16 bits there and back. Of four blocks a rank of
     * eight has a matrix of each shape, or none. */
    machine.network[0].bandwidth_Bps = 1e6;
    plan.framework = RK_FSDP;
    plan.zero = 3;
    stage_of(&small, &plan, 0);
    const double sent = 2.0 * 4 * SMALL_BLOCK / 2;
    NEAR(prediction.optimizer_s,
         flop / 2 / 1e6 +
             2 * collective_time_s(&machine.system, ALL_TO_ALL, (struct rank_group){2, 1}, sent));
    plan.ranks = plan.batch = 8;
    stage_of(&small, &plan, 0);
    NEAR(prediction.optimizer_s,
         flop / 4 / 1e6 + 2 * collective_time_s(&machine.system, ALL_TO_ALL,
                                                (struct rank_group){8, 1}, sent / 4));
    machine.network[0].bandwidth_Bps = 1e30;
    plan.framework = RK_MEGATRON;
    plan.ranks = plan.batch = 2;
    plan.zero = 0;
    plan.tensor = 2;
    stage_of(&small, &plan, 0);
    NEAR(prediction.optimizer_s, flop / 1e6);
}

/* Rounds of five over four stages and three chunks: 2 * 3 + 2 * 5 + 1 passes of the first. */
Test(plan_memory, rounds_of_a_group)
{
    struct rk_plan plan = rk_plan_default();
    plan.pipeline = 4;
    plan.chunks = 3;
    NEAR(in_flight_of_plan(&plan, 20, 0), (2 * 3 + 2 * 4 + 1) / 3.0);
    plan.microbatch_group = 5;
    NEAR(in_flight_of_plan(&plan, 20, 0), (2 * 3 + 2 * 5 + 1) / 3.0);
}

/* What DeepSpeed's step takes beside all that: of N parameters over d ranks, in 16 bits, gradients
 * of 2 + 4 bytes and two buckets; its bf16 optimizer gathers all at once; others nothing. No more
 * than there is room for. */
Test(plan_memory, what_the_step_leaves_in_the_allocator)
{
    struct rk_plan plan = plan_of(RK_DEEPSPEED, 4, 1);
    plan.precision = RK_FP16;
    const struct rk_stage *stage = stage_of(&small, &plan, 0);
    const double N = stage->parameters;
    NEAR(stage->cached_bytes, (2 + 4) * N / 4 + 2 * (N + N));
    plan.precision = RK_BF16;
    NEAR(stage_of(&small, &plan, 0)->cached_bytes, (2 + 4) * N / 4 + 2 * (N + N));
    plan.gradient_element_bytes = 4;
    NEAR(stage_of(&small, &plan, 0)->cached_bytes, 2 * N);
    plan.gradient_element_bytes = 0;
    plan.zero = 2;
    NEAR(stage_of(&small, &plan, 0)->cached_bytes, (2 + 4) * N / 4 + 2 * (N + N));
    machine.system.memory[0].capacity_bytes = prediction.stage[0].total_bytes + 1;
    NEAR(stage_of(&small, &plan, 0)->cached_bytes, 1);
    plan.zero = 0;
    NEAR(stage_of(&small, &plan, 0)->cached_bytes, 0);
    plan = plan_of(RK_MEGATRON, 4, 1);
    NEAR(stage_of(&small, &plan, 0)->cached_bytes, 0);
}

/* Where that is more than the activations it decides: nearly all computed again, one short sample.
 */
Test(plan_memory, the_step_may_need_more_than_the_activations)
{
    struct rk_plan plan = plan_of(RK_DEEPSPEED, 2, 1);
    plan.precision = RK_FP16;
    plan.sequence = 8;
    const struct rk_stage *stage = stage_of(&small, &plan, 0);
    const double N = stage->parameters, states = (2 + 2 + 12 / 2.0) * N;
    NEAR(stage->allocated_bytes, states + 2 * machine.system.kernels.workspace_bytes + 3 * N);
}

/* Without ZeRO fp32 gradients of all parameters come on top: 2 + 12 + 2 + 4 bytes. Jean Zay's log
 * of June 2021 has 15,446.8 MiB allocated on stages whose activations are few, of 811.7 million
 * parameters, 19.95 each (bigscience, gpt2-meg-ds-3d/meg_ds_3d_gpt2_perf_n16-ds-on.out). */
Test(plan_memory, the_step_without_zero)
{
    struct rk_plan plan = plan_of(RK_DEEPSPEED, 1, 1);
    plan.precision = RK_FP16;
    plan.zero = 0;
    plan.sequence = 8;
    const struct rk_stage *stage = stage_of(&small, &plan, 0);
    NEAR(stage->allocated_bytes,
         20 * stage->parameters + 2 * machine.system.kernels.workspace_bytes);
}

/* DeepSpeed's bf16 optimizer keeps gradients in 16 bits and their sums in fp32, where
 * data_types.grad_accum_dtype says so; else ZeRO-1 has 16 bits alone. */
Test(plan_memory, deepspeed_sums_in_fp32_where_it_is_said)
{
    struct rk_plan plan = plan_of(RK_DEEPSPEED, 2, 1);
    const struct rk_stage *stage = stage_of(&small, &plan, 0);
    NEAR(stage->holds[RK_HOLD_gradients], 2 * stage->parameters);
    plan.gradient_element_bytes = 4;
    NEAR(stage_of(&small, &plan, 0)->holds[RK_HOLD_gradients], (2 + 4) * stage->parameters);
    plan.zero = 2;
    NEAR(stage_of(&small, &plan, 0)->holds[RK_HOLD_gradients], 4 / 2 * stage->parameters);
}

/* ---- state ---- */

/* Of 8 ranks, experts over 4: 8 share the dense optimizer, 2 that of a rank's 2 experts. */
Test(plan_memory, experts_state_is_shared_by_fewer)
{
    const struct rk_model model = small_mixture();
    struct rk_plan plan = plan_of(RK_MEGATRON, 8, 1);
    plan.expert = 4;
    const double dense = SMALL_ENDS + 4 * MIXTURE_DENSE, experts = 4 * 2 * MIXTURE_EXPERT;
    const struct rk_stage *s = stage_of(&model, &plan, 0);
    NEAR(s->parameters, dense + experts);
    NEAR(s->holds[RK_HOLD_optimizer], 12 * (dense / 8 + experts / 2));
    NEAR(s->holds[RK_HOLD_weights], 2 * (dense + experts));
    plan.zero = 2;
    NEAR(stage_of(&model, &plan, 0)->holds[RK_HOLD_gradients], 4 * (dense / 8 + experts / 2));
    plan.zero = 3;
    NEAR(stage_of(&model, &plan, 0)->holds[RK_HOLD_weights], 2 * (dense / 8 + experts / 2));
}

/* Each of two ranks has both stages, and with ZeRO-1 half of their optimizer each. */
Test(plan_memory, dualpipe_has_two_stages)
{
    struct rk_plan plan = plan_of(RK_MEGATRON, 2, 0);
    plan.pipeline = 2;
    plan.batch = 4;
    plan.schedule = RK_DUALPIPE;
    const double both = SMALL_ENDS + 4 * SMALL_BLOCK;
    for (int i = 0; i < 2; i++) {
        const struct rk_stage *s = stage_of(&small, &plan, i);
        NEAR(s->holds[RK_HOLD_weights], 2 * both);
        NEAR(s->holds[RK_HOLD_gradients], 4 * both);
        NEAR(s->holds[RK_HOLD_optimizer], 12 * both);
    }
    plan.zero = 1;
    NEAR(stage_of(&small, &plan, 0)->holds[RK_HOLD_optimizer], 12 * both / 2);
}

/* A rank of both ends has the table of a tied embedding, or of multi-token prediction, once: as
 * much as a pipeline of one stage. */
Test(plan_memory, dualpipe_has_a_shared_table_once)
{
    struct rk_model tied = small, predicts = small;
    tied.tied_embeddings = true;
    predicts.predict_layers = 1;
    const struct rk_model *models[] = {&tied, &predicts};
    for (int i = 0; i < 2; i++) {
        struct rk_plan plan = plan_of(RK_MEGATRON, 1, 0);
        plan.batch = 4;
        const double all = stage_of(models[i], &plan, 0)->holds[RK_HOLD_weights];
        plan.ranks = plan.pipeline = 2;
        plan.schedule = RK_DUALPIPE;
        NEAR(stage_of(models[i], &plan, 0)->holds[RK_HOLD_weights], all);
        NEAR(prediction.stage[1].holds[RK_HOLD_weights], all);
    }
}

/* 8 bits: of the blocks' linear layers, 12 h^2 each, two copies of a byte beside bf16. */
Test(plan_memory, copies_of_narrow_weights)
{
    struct rk_plan plan = plan_of(RK_MEGATRON, 1, 0);
    plan.precision = RK_FP8_CURRENT;
    const struct rk_stage *s = stage_of(&small, &plan, 0);
    NEAR(s->holds[RK_HOLD_weights], 2 * s->parameters + 2 * 4 * 12 * h * h);
}

/* FSDP gathers two blocks, embedding and head in 16 bits, and reduces one of these, the larger, in
 * 32; kept gathered, all weights, and one block's gradients. ZeRO-2: gradients of a block. */
Test(plan_memory, gathered)
{
    struct rk_plan plan = plan_of(RK_FSDP, 8, 3);
    const double block = SMALL_BLOCK, ends = SMALL_ENDS;
    NEAR(stage_of(&small, &plan, 0)->holds[RK_HOLD_gathered], (2 * block + ends) * 2 + ends * 4);
    plan.keep_gathered = true;
    NEAR(stage_of(&small, &plan, 0)->holds[RK_HOLD_gathered], (4 * block + ends) * 2 + block * 4);
    plan.zero = 2;
    NEAR(stage_of(&small, &plan, 0)->holds[RK_HOLD_gathered], block * 4);
    plan.zero = 1;
    NEAR(stage_of(&small, &plan, 0)->holds[RK_HOLD_gathered], 0);
}

/* XLA gathers a third of a block while it multiplies the largest matrix, the head here; gradients
 * have 16 bits. */
Test(plan_memory, gathered_by_matrix)
{
    struct rk_plan plan = plan_of(RK_FSDP, 8, 3);
    plan.xla = true;
    const double head = SMALL_TABLE + 2 * 64, third = SMALL_BLOCK / 3.0;
    NEAR(stage_of(&small, &plan, 0)->holds[RK_HOLD_gathered], (head + third) * 2 + head * 2);
    plan.framework = RK_MEGATRON;
    plan.zero = 1;
    rk_predict(&small, &machine.system, &plan, &prediction);
    cr_expect_eq(prediction.verdict, RK_BAD_OPTION);
}

/* Queries, keys and values of layers that are recomputed whole stay: 3 h of 16 bits, of four
 * blocks, and are not multiplied again. */
Test(plan_memory, products_that_stay)
{
    struct rk_plan plan = plan_of(RK_FSDP, 1, 0);
    plan.recompute = RK_WHOLE;
    const double before = stage_of(&small, &plan, 0)->holds[RK_HOLD_attention];
    const double time = prediction.step_s;
    plan.qkv_kept = true;
    NEAR(stage_of(&small, &plan, 0)->holds[RK_HOLD_attention], before + 4 * T * 3 * h * 2);
    cr_expect_lt(prediction.step_s, time);
    plan.recompute = RK_KEEP;
    rk_predict(&small, &machine.system, &plan, &prediction);
    cr_expect_eq(prediction.verdict, RK_BAD_OPTION);
}

/* ---- offload ---- */

/* Half of the activations go; of those, two of four blocks' are on their way. */
Test(plan_memory, offloaded_activations)
{
    struct rk_plan plan = plan_of(RK_MEGATRON, 1, 0);
    const double all = stage_of(&small, &plan, 0)->holds[RK_HOLD_mlp];
    rk_plan_offload_activations(&plan, 0.5);
    const struct rk_stage *s = stage_of(&small, &plan, 0);
    NEAR(s->holds[RK_HOLD_mlp], all / 2 + all / 2 * 2 / 4);
    cr_expect_geq(s->offloaded_bytes, all / 2);
}

/* What is said of the parts is said of the sums, too. */
Test(plan_memory, offloaded_state)
{
    struct rk_plan plan = plan_of(RK_MEGATRON, 1, 0);
    const struct rk_stage before = *stage_of(&small, &plan, 0);
    plan.share[RK_SHARE_OPTIMIZER][0] = 0.25;
    const struct rk_stage *s = stage_of(&small, &plan, 0);
    NEAR(s->holds[RK_HOLD_optimizer], 0.75 * 12 * s->parameters);
    NEAR(before.static_bytes - s->static_bytes, 0.25 * 12 * s->parameters);
    NEAR(before.total_bytes - s->total_bytes, 0.25 * 12 * s->parameters);
    NEAR(s->offloaded_bytes, 0.25 * 12 * s->parameters);
    plan.share[RK_SHARE_OPTIMIZER][0] = 0;
    plan.share[RK_SHARE_WEIGHTS][0] = 0.5;
    s = stage_of(&small, &plan, 0);
    NEAR(s->holds[RK_HOLD_weights], 0.5 * 2 * s->parameters);
    NEAR(before.static_bytes - s->static_bytes, 0.5 * 2 * s->parameters);
    NEAR(s->offloaded_bytes, 0.5 * 2 * s->parameters);
}

/* Weights and moments away, of FSDP; of gradients none, where each block steps with its own. */
Test(plan_memory, offloaded_state_that_steps_in_backward)
{
    struct rk_plan plan = plan_of(RK_FSDP, 1, 3);
    plan.share[RK_SHARE_OPTIMIZER][0] = plan.share[RK_SHARE_WEIGHTS][0] = 1;
    const double all = stage_of(&small, &plan, 0)->offloaded_bytes;
    plan.step_in_backward = true;
    const struct rk_stage *s = stage_of(&small, &plan, 0);
    NEAR(all - s->offloaded_bytes, 4 * s->parameters);
}

/* A quarter in tier 1, a half in tier 2; what is written of them in a step is as much. */
Test(plan_memory, state_of_several_tiers)
{
    struct rk_plan plan = plan_of(RK_MEGATRON, 1, 0);
    plan.share[RK_SHARE_OPTIMIZER][0] = 0.25;
    plan.share[RK_SHARE_OPTIMIZER][1] = plan.share[RK_SHARE_WEIGHTS][1] = 0.5;
    struct rk_memory memory[3] = {machine.memory[0], machine.memory[1], machine.memory[1]};
    struct rk_system three = machine.system;
    three.memory = memory;
    three.memories = 3;
    rk_predict(&small, &three, &plan, &prediction);
    const struct rk_stage *s = &prediction.stage[0];
    cr_assert_eq(prediction.verdict, RK_FITS);
    NEAR(s->holds[RK_HOLD_optimizer], 0.25 * 12 * s->parameters);
    NEAR(s->holds[RK_HOLD_weights], 0.5 * 2 * s->parameters);
    NEAR(s->away_bytes[0], 0.25 * 12 * s->parameters);
    NEAR(s->away_bytes[1], 0.5 * (12 + 2) * s->parameters);
    NEAR(s->written_bytes[1], 0.5 * (12 + 2) * s->parameters);
    memory[2].capacity_bytes = s->away_bytes[1] * (1 - 1e-9); /* whichever is too small */
    rk_predict(&small, &three, &plan, &prediction);
    cr_assert_eq(prediction.verdict, RK_MEMORY_EXCEEDED);
    cr_expect_eq(prediction.reasons, 1);
    cr_expect_eq(prediction.reason[0].tier, 2);
    memory[1].capacity_bytes = 1;
    rk_predict(&small, &three, &plan, &prediction);
    cr_expect_eq(prediction.reasons, 2);
    cr_expect_eq(prediction.reason[0].tier, 1);
}

/* Eight GPUs share 80 bytes, two a link of 6 B/s: two of them have 40 bytes and 3 B/s each, one has
 * all; sixteen have what eight have. */
Test(plan_memory, part_of_a_shared_memory)
{
    const struct rk_memory memory = {.capacity_bytes = 10,
                                     .endurance_bytes = 100,
                                     .bandwidth_Bps = 3,
                                     .write_Bps = 1,
                                     .capacity_shared_by = 8,
                                     .bandwidth_shared_by = 2};
    const struct rk_memory two = memory_part(&memory, 2), one = memory_part(&memory, 1);
    NEAR(two.capacity_bytes, 40);
    NEAR(two.endurance_bytes, 400);
    NEAR(two.bandwidth_Bps, 3);
    NEAR(one.capacity_bytes, 80);
    NEAR(one.bandwidth_Bps, 6);
    NEAR(one.write_Bps, 2);
    NEAR(memory_part_bytes(&memory, 16), 10);
    NEAR(memory_part_bytes(&(struct rk_memory){.capacity_bytes = 5}, 1), 5);
}

/* ---- the rest ---- */

/* A message and its gradient are received while others are at work: T h elements of 2 bytes. */
Test(plan_memory, messages)
{
    struct rk_plan plan = plan_of(RK_FSDP, 2, 0);
    plan.pipeline = 2;
    NEAR(stage_of(&small, &plan, 0)->holds[RK_HOLD_communication], 2 * T * h * 2);
    plan.pipeline = 1;
    NEAR(stage_of(&small, &plan, 0)->holds[RK_HOLD_communication], 0);
}

/* Context and two workspaces of cuBLAS, one of Transformer Engine; a tenth of what comes and goes.
 */
Test(plan_memory, what_libraries_take)
{
    struct rk_plan plan = plan_of(RK_MEGATRON, 1, 0);
    const struct rk_stage before = *stage_of(&small, &plan, 0);
    machine.system.kernels.reserve_bytes = 1e6;
    machine.system.kernels.workspace_bytes = 1e5;
    machine.system.kernels.engine_workspace_bytes = 1e4;
    machine.system.kernels.fragmentation = 0.1;
    const struct rk_stage *s = stage_of(&small, &plan, 0);
    const double coming = before.allocated_bytes - before.static_bytes;
    cr_assert_gt(coming, 0);
    NEAR(s->holds[RK_HOLD_context], 1e6 + 2e5 + 1e4);
    NEAR(s->holds[RK_HOLD_fragmentation], 0.1 * coming);
    NEAR(s->static_bytes, before.static_bytes + 2e5 + 1e4);
    NEAR(s->total_bytes, before.total_bytes + 1e6 + 2e5 + 1e4 + 0.1 * coming);
    plan.transformer_engine = false;
    NEAR(stage_of(&small, &plan, 0)->holds[RK_HOLD_context], 1e6 + 2e5);
}

/* Whatever the plan, the sum of what is held is the total. */
Test(plan_memory, holdings_are_the_total)
{
    const struct rk_model mixture = small_mixture();
    for (unsigned i = 0; i < 2 * 4 * 3 * 2 * 2 * 3; i++) {
        struct rk_plan plan = plan_of((enum rk_framework)(i / 48 % 3), 8, (int)(i / 2 % 4));
        const struct rk_model *model = i % 2 ? &mixture : &small;
        machine.system.kernels.reserve_bytes = 1e6;
        machine.system.kernels.workspace_bytes = 1e5;
        machine.system.kernels.fragmentation = 0.1;
        plan.batch = 64;
        plan.expert = i % 2 ? 2 : 1;
        plan.pipeline = i / 8 % 2 && plan.framework != RK_DEEPSPEED ? 2 : 1;
        plan.chunks = plan.pipeline > 1 && i / 16 % 2 ? 2 : 1;
        plan.recompute = (enum rk_recompute_mode)(i / 16 % 3);
        plan.recompute_parts = 1 << RK_PART_CORE_ATTENTION;
        rk_plan_offload_activations(&plan, i / 32 % 2 ? 0.5 : 0);
        const struct rk_stage *s = stage_of(model, &plan, 0);
        double sum = 0;
        for (int hold = 0; hold < RK_HOLDING_COUNT; hold++)
            sum += s->holds[hold];
        cr_expect(fabs(sum - s->total_bytes) < 1e-9 * sum, "plan %u: %.0f of %.0f", i, sum,
                  s->total_bytes);
    }
}
