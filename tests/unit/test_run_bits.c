/* What must not change a bit: pairs of plans that bring the same losses and norms, and threads. */
#include "run_random.h"

enum { STEPS = RUN_STEPS };

static const struct exact {
    int model;
    const char *plan, *same;
} exact[] = {
    /* the pipeline's degree, schedule, chunks and split */
    {0, "mbs2 gbs16 dp1", "mbs2 gbs16 pp2 dp1"},
    {0, "mbs2 gbs16 dp1", "mbs2 gbs16 pp4 dp1"},
    {0, "mbs2 gbs16 dp1", "mbs2 gbs16 pp2 vpp2 dp1"},
    {0, "mbs2 gbs16 dp1", "mbs2 gbs16 pp2 dp1 schedule=gpipe"},
    {0, "mbs2 gbs16 dp1", "mbs2 gbs16 pp4 dp1 schedule=zero-bubble"},
    {1, "mbs2 gbs16 dp1", "mbs2 gbs16 pp2 dp1 split=1,3"},
    {2, "mbs2 gbs16 tp2 sp dp1", "mbs2 gbs16 tp2 sp pp2 dp1"},
    /* recomputation */
    {0, "mbs2 gbs16 dp1", "mbs2 gbs16 dp1 recompute=full"},
    {1, "mbs2 gbs16 dp1", "mbs2 gbs16 dp1 recompute=full"},
    {1, "mbs2 gbs16 dp1", "mbs2 gbs16 dp1 recompute=full recompute-every2"},
    {1, "mbs2 gbs16 dp2 zero3",
     "mbs2 gbs16 dp2 zero3 recompute=full recompute-every2 offload-weights=0.5"},
    {1, "mbs2 gbs16 tp2 sp dp1",
     "mbs2 gbs16 tp2 sp dp1 recompute=selective recompute-parts=core_attn+mlp+layernorm"},
    {2, "mbs2 gbs16 cp2 dp1", "mbs2 gbs16 cp2 dp1 recompute=selective"},
    {2, "mbs2 gbs16 dp1 attention=unfused",
     "mbs2 gbs16 pp2 dp1 attention=unfused recompute=selective"},
    {3, "mbs2 gbs16 dp1", "mbs2 gbs16 dp1 recompute=full"},
    {0, "mbs2 gbs16 tp2 dp1", "mbs2 gbs16 tp2 pp2 dp1 recompute=full checkpoint-sharded"},
    {5, "mbs2 gbs16 tp2 dp1",
     "mbs2 gbs16 tp2 dp1 recompute=full recompute-every2 checkpoint-sharded"},
    {4, "mbs2 gbs16 dp2 ep2", "mbs2 gbs16 pp2 dp2 ep2 recompute=full"},
    {4, "mbs2 gbs16 dp1", "mbs2 gbs16 dp1 recompute=selective recompute-parts=moe_act"},
    {3, "mbs2 gbs16 dp1", "mbs2 gbs16 dp1 recompute=selective recompute-parts=moe"},
    {3, "mbs2 gbs16 tp2 sp dp2 ep2 etp1",
     "mbs2 gbs16 tp2 sp dp2 ep2 etp1 recompute=selective recompute-parts=moe+layernorm"},
    {3, "mbs2 gbs16 tp2 sp dp1",
     "mbs2 gbs16 tp2 sp dp1 recompute=selective recompute-parts=shared_experts"},
    {4, "mbs2 gbs16 dp2 ep2",
     "mbs2 gbs16 dp2 ep2 recompute=selective recompute-parts=mlp+moe offload-activations=1"},
    {5, "mbs2 gbs16 tp2 sp dp1", "mbs2 gbs16 tp2 sp pp2 dp1 recompute=full"},
    {6, "mbs2 gbs16 dp1", "mbs2 gbs16 dp1 recompute=selective recompute-parts=mla_up_proj"},
    /* whole rows of the vocabulary, worked on shard by shard */
    {0, "mbs2 gbs16 tp2 dp1", "mbs2 gbs16 tp2 dp1 whole-logits"},
    {1, "mbs2 gbs16 tp4 sp dp1", "mbs2 gbs16 tp4 sp dp1 whole-logits"},
    /* ZeRO 0 and 1, 2 and 3 */
    {3, "mbs2 gbs16 dp4 ep2 zero2", "mbs2 gbs16 dp4 ep2 zero3"},
    {3, "mbs2 gbs16 dp4 ep2", "mbs2 gbs16 dp4 ep2 zero1"},
    {0, "mbs2 gbs16 dp4", "mbs2 gbs16 dp4 zero1"},
    {1, "mbs2 gbs16 dp2 cp2", "mbs2 gbs16 dp2 cp2 zero1"},
    {0, "mbs2 gbs16 dp4 zero2", "mbs2 gbs16 dp4 zero3"},
    {0, "mbs2 gbs16 dp4 zero3", "mbs2 gbs16 dp4 zero3 keep-gathered"},
    {1, "mbs2 gbs16 dp2 tp2 zero2", "mbs2 gbs16 dp2 tp2 zero3"},
    /* what goes on beside computing */
    {0, "mbs2 gbs16 dp4", "mbs2 gbs16 dp4 grad-overlap"},
    {1, "mbs2 gbs16 dp2 cp2", "mbs2 gbs16 dp2 cp2 zero1 grad-overlap weight-overlap"},
    {0, "mbs2 gbs16 pp2 dp2", "mbs2 gbs16 pp2 vpp2 dp2 zero1 grad-overlap weight-overlap"},
    {3, "mbs2 gbs16 dp4 ep2 zero2", "mbs2 gbs16 dp4 ep2 zero2 grad-overlap weight-overlap"},
    {1, "mbs2 gbs16 dp2 tp2 zero3", "mbs2 gbs16 dp2 tp2 zero3 grad-overlap weight-overlap"},
    {2, "mbs2 gbs16 dp4 zero3",
     "mbs2 gbs16 dp4 zero3 keep-gathered grad-overlap weight-overlap recompute=full"},
    {3, "mbs2 gbs16 tp2 sp dp2 ep2 etp1", "mbs2 gbs16 tp2 sp dp2 ep2 etp1 ep-overlap"},
    {1, "mbs2 gbs16 tp2 pp2 dp1", "mbs2 gbs16 tp2 pp2 dp1 messages-sharded"},
};

/* Every pair in one of the two types: the sources are the same (executor/run/real). */
Test(run_bits, exact)
{
    struct rk_train train = run_settings(STEPS);
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        for (int wide = 0; wide < 2; wide++) {
            if (run_left_out(i, wide)) continue;
            train.double_precision = wide;
            same_bits(exact[i].model, exact[i].plan, &train, exact[i].same, &train);
        }
    unlink(run_data());
}

Test(run_bits, threads)
{
    struct rk_train one = run_settings(2), three = one;
    three.threads = 3;
    for (int wide = 0; wide < 2; wide++) {
        one.double_precision = three.double_precision = wide;
        for (int model = 0; model < RUN_MODELS; model++)
            same_bits(model, "mbs16 gbs16 dp1", &one, "mbs16 gbs16 dp1", &three);
    }
    unlink(run_data());
}
