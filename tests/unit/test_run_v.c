/* V-shaped schedules bring the bits of one stage: the first rank has both ends, tied or not, and
 * the last one hands to itself. */
#include "run_random.h"

static const struct {
    int model;
    const char *plan, *same;
} exact[] = {
    {0, "mbs2 gbs16 dp1", "mbs2 gbs16 pp2 vpp2 dp1 schedule=v-zero"},
    {1, "mbs2 gbs16 dp1", "mbs2 gbs16 pp2 vpp2 dp1 schedule=v-half"},
    {2, "mbs2 gbs16 cp2 dp1", "mbs2 gbs16 pp2 vpp2 cp2 dp1 schedule=v-min"},
    {0, "mbs2 gbs16 dp1", "mbs2 gbs16 pp3 vpp2 dp1 schedule=v-half embedding-counts head-counts"},
    {1, "mbs1 gbs3 dp1", "mbs1 gbs3 pp3 vpp2 dp1 schedule=v-min embedding-counts head-counts"},
    {1, "mbs1 gbs1 dp1", "mbs1 gbs1 pp2 vpp2 dp1 schedule=v-zero"},
    {0, "tp2 dp2 mbs1 gbs8 zero2", "pp2 vpp2 tp2 dp2 mbs1 gbs8 zero2 schedule=v-zero"},
    {1, "mbs2 gbs16 dp2 zero3", "mbs2 gbs16 pp2 vpp2 dp2 zero3 schedule=v-zero split=2,0,1,1"},
    {0, "mbs2 gbs16 dp2 zero1",
     "mbs2 gbs16 pp2 vpp2 dp2 zero1 grad-overlap weight-overlap schedule=v-half"},
    {3, "mbs2 gbs16 dp1", "mbs2 gbs16 pp2 vpp2 dp1 schedule=v-min recompute=full"},
    {4, "dp2 ep2 mbs1 gbs8", "pp2 vpp2 dp2 ep2 mbs1 gbs8 schedule=v-min"},
    {5, "tp2 sp dp1 mbs1 gbs5", "pp2 vpp2 tp2 sp dp1 mbs1 gbs5 schedule=v-half recompute=full"},
    {6, "mbs2 gbs16 dp1",
     "mbs2 gbs16 pp2 vpp2 dp1 schedule=v-zero recompute=selective recompute-parts=mla_up_proj"},
    {1, "mbs2 gbs16 dp1", "mbs2 gbs16 pp2 vpp2 dp1 schedule=v-zero offload-activations=0.5"},
};

Test(run_v, the_bits_of_one_stage)
{
    const struct rk_train train = run_settings(RUN_STEPS);
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        same_bits(exact[i].model, exact[i].plan, &train, exact[i].same, &train);
    unlink(run_data());
}
