/* Every plan brings what one rank brings. RECKON_SEED=N starts there, RECKON_PLANS=N tries so many.
 */
#include "run_cases.h"

#include <math.h>

enum { PLANS = 16, STEPS = 3 };

/* ---- random plans that the checker allows ---- */

static uint64_t state;

static unsigned below(unsigned n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

static const char *pick(const char *const *of, unsigned n)
{
    return of[below(n)];
}

static void random_plan(const struct rk_model *model, char *line, size_t size)
{
    static const char *const kinds[] = {"ring", "gather", "ulysses", "ring+ulysses ulysses2"};
    static const char *const again[] = {
        "",
        "",
        "recompute=full",
        "recompute=full recompute-layers1",
        "recompute=full recompute-every2",
        "recompute=full checkpoint-sharded",
        "recompute=selective",
        "recompute=selective recompute-parts=core_attn+layernorm+mlp",
        "recompute-rest",
        "recompute-rest offload-activations=0.4"};
    static const char *const orders[] = {"", "", "order=tp-cp-pp-dp", "order=dp-pp-cp-tp",
                                         "order=pp-tp-dp-cp"};
    const unsigned t = 1u << below(3), c = 1u << below(3), p = 1u << below(3), d = 1u << below(2);
    const unsigned v = p > 1 && p * 2 <= model->layers && below(3) == 0 ? 2 : 1;
    const unsigned mbs = 1 + below(2), m = (p > 1 ? 2 * p : 1 + below(3));
    const char *schedule = p > 1 && v == 1 ? below(3) == 0   ? "schedule=gpipe"
                                             : below(2) == 0 ? "schedule=zero-bubble"
                                                             : ""
                                           : "";
    char split[32] = "";
    if (p == 2 && v == 1 && below(3) == 0) snprintf(split, sizeof split, "split=1,3");
    const bool dual = p > 1 && v == 1 && below(5) == 0;
    if (dual) schedule = "schedule=dualpipe";
    if (dual) split[0] = 0;
    const unsigned zero = schedule[0] && schedule[9] == 'z' ? below(2) : below(4);
    snprintf(line, size, "tp%u cp%u pp%u dp%u mbs%u gbs%u zero%u %s %s %s %s%s %s %s", t, c, p, d,
             mbs, mbs * m * d, zero, v == 2 ? "vpp2" : "", t > 1 && below(2) ? "sp" : "", schedule,
             c > 1 ? "cp-kind=" : "", c > 1 ? pick(kinds, 4) : "", pick(again, 10),
             pick(orders, 5));
    if (c > 1 && below(4) == 0 && !strstr(line, "ulysses"))
        strncat(line, " cp-contiguous", size - strlen(line) - 1);
    if (zero == 1 && below(3) == 0) strncat(line, " whole-grads", size - strlen(line) - 1);
    if (zero && d * c > 2 && below(3) == 0) strncat(line, " shard2", size - strlen(line) - 1);
    strncat(line, " ", size - strlen(line) - 1);
    strncat(line, split, size - strlen(line) - 1);
    if (d * c > 1 && below(2)) { /* what the checker asks of the one, it asks of the other */
        strncat(line, " grad-overlap", size - strlen(line) - 1);
        if (zero && below(2)) strncat(line, " weight-overlap", size - strlen(line) - 1);
    }
    if (strstr(line, " sp ") && below(2)) strncat(line, " tp-overlap", size - strlen(line) - 1);
    if (p > 1 && t > 1 && below(3) == 0)
        strncat(line, " messages-sharded", size - strlen(line) - 1);
    if (model->experts) {
        const unsigned e = 1u << below(3);
        if (t * c * d % e == 0) { /* without etp an expert is cut as the rest */
            char word[16];
            snprintf(word, sizeof word, below(2) ? " ep%u etp1" : " ep%u", e);
            strncat(line, word, size - strlen(line) - 1);
        }
    }
}

/* The same batch on one rank. */
static void one_rank(const struct rk_model *model, const char *line, struct run_trace *trace)
{
    const struct rk_train train = run_settings(STEPS);
    struct rk_error error;
    struct rk_plan plan;
    char words[64];
    cr_assert_eq(rk_plan_parse(line, &plan, &error), RK_OK);
    snprintf(words, sizeof words, "mbs%d gbs%d", 1, (int)plan.batch);
    cr_assert_eq(run_plan(model, words, &train, trace, &error), RK_OK, "%s: %s", words, error.text);
}

Test(run_plans, random)
{
    const struct rk_train train = run_settings(STEPS);
    const char *seed = getenv("RECKON_SEED"), *plans = getenv("RECKON_PLANS");
    const uint64_t first = seed ? strtoull(seed, NULL, 10) : 1;
    const uint64_t count = plans ? strtoull(plans, NULL, 10) : PLANS;
    int ran = 0;
    for (uint64_t n = first; n < first + count; n++) {
        struct run_trace trace, one;
        struct rk_error error;
        char line[512];
        state = n * 7919;
        const struct rk_model model = run_model((int)below(RUN_MODELS));
        random_plan(&model, line, sizeof line);
        if (getenv("RECKON_SHOW")) fprintf(stderr, "seed %d: %s %s\n", (int)n, model.id, line);
        const enum rk_status status = run_plan(&model, line, &train, &trace, &error);
        if (status == RK_NOTHING_FITS && !trace.steps) {
            if (getenv("RECKON_SHOW")) fprintf(stderr, "  %s\n", error.text);
            continue; /* the checker allows it not */
        }
        cr_assert_eq(status, RK_OK, "seed %d, %s %s: %s", (int)n, model.id, line, error.text);
        one_rank(&model, line, &one);
        for (int i = 0; i < STEPS; i++)
            cr_expect(off(trace.loss[i], one.loss[i]) < 1e-11 &&
                          off(trace.norm[i], one.norm[i]) < 1e-11,
                      "seed %d, %s %s, step %d: loss %.17g for %.17g, norm %.17g for %.17g", (int)n,
                      model.id, line, i, trace.loss[i], one.loss[i], trace.norm[i], one.norm[i]);
        ran++;
    }
    cr_expect(ran * 3 >= (int)count, "%d of %d plans ran", ran, (int)count);
    unlink(run_data());
}

/* One of each that random plans may miss. */
Test(run_plans, each)
{
    static const struct {
        int model;
        const char *plan;
    } each[] = {
        {1, "tp4 dp1 mbs1 gbs4"},           /* keys that ranks share */
        {1, "tp8 sp dp1 mbs1 gbs2 zero3"},  /* ... */
        {0, "tp4 pp2 dp2 mbs1 gbs8 zero1"}, /* a tied table on two stages */
        {0, "pp4 dp2 mbs1 gbs16 schedule=dualpipe"},
        {2, "cp4 tp2 dp1 mbs1 gbs2 cp-contiguous"},
        {3, "tp4 dp1 mbs1 gbs4 ep2 etp2"},
        {4, "tp2 sp dp2 mbs1 gbs4 ep4 etp1 zero2"},
        {5, "tp2 sp pp2 dp1 mbs1 gbs4 schedule=zero-bubble"},
        /* by token, of all kinds of slots */
        {0, "pp2 dp2 mbs2 gbs8 recompute-rest"},
        {1, "tp2 sp dp1 mbs4 gbs8 recompute-rest offload-activations=0.4"},
        {1, "tp2 sp tp-overlap dp1 mbs4 gbs8 recompute-rest offload-activations=0.4"},
        {2, "cp2 dp1 mbs4 gbs8 recompute-rest offload-activations=0.3+1.3"},
        {1, "cp2 cp-kind=ulysses dp1 mbs4 gbs8 recompute-rest offload-activations=0.5"},
        {2, "cp2 cp-kind=gather dp1 mbs4 gbs8 recompute-rest offload-activations=1"},
        {5, "tp2 sp dp1 mbs4 gbs8 recompute-rest offload-activations=0.5"},
        {6, "dp1 mbs4 gbs8 recompute-rest offload-activations=2"},
    };
    const struct rk_train train = run_settings(STEPS);
    for (size_t n = 0; n < sizeof each / sizeof *each; n++) {
        const struct rk_model model = run_model(each[n].model);
        struct run_trace trace, one;
        struct rk_error error;
        cr_assert_eq(run_plan(&model, each[n].plan, &train, &trace, &error), RK_OK, "%s %s: %s",
                     model.id, each[n].plan, error.text);
        one_rank(&model, each[n].plan, &one);
        for (int i = 0; i < STEPS; i++)
            cr_expect(off(trace.loss[i], one.loss[i]) < 1e-11 &&
                          off(trace.norm[i], one.norm[i]) < 1e-11,
                      "%s %s, step %d: norm %.17g for %.17g", model.id, each[n].plan, i,
                      trace.norm[i], one.norm[i]);
    }
    unlink(run_data());
}

/* ---- what must not change a bit ---- */

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
    {3, "mbs2 gbs16 dp1", "mbs2 gbs16 dp1 recompute=full"},
    {0, "mbs2 gbs16 tp2 dp1", "mbs2 gbs16 tp2 pp2 dp1 recompute=full checkpoint-sharded"},
    {5, "mbs2 gbs16 tp2 dp1",
     "mbs2 gbs16 tp2 dp1 recompute=full recompute-every2 checkpoint-sharded"},
    {4, "mbs2 gbs16 dp2 ep2", "mbs2 gbs16 pp2 dp2 ep2 recompute=full"},
    {4, "mbs2 gbs16 dp1", "mbs2 gbs16 dp1 recompute=selective recompute-parts=moe_act"},
    {5, "mbs2 gbs16 tp2 sp dp1", "mbs2 gbs16 tp2 sp pp2 dp1 recompute=full"},
    {6, "mbs2 gbs16 dp1", "mbs2 gbs16 dp1 recompute=selective recompute-parts=mla_up_proj"},
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

Test(run_plans, exact)
{
    struct rk_train train = run_settings(STEPS);
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        for (int wide = 0; wide < 2; wide++) {
            train.double_precision = wide;
            same_bits(exact[i].model, exact[i].plan, &train, exact[i].same, &train);
        }
    unlink(run_data());
}

Test(run_plans, threads)
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

/* 20 steps in 32 bits stay near those of one rank. */
Test(run_plans, single_precision)
{
    struct rk_train train = run_settings(20);
    struct run_trace a, b;
    struct rk_error error;
    train.double_precision = false;
    train.rate = train.least_rate = 3e-4;
    for (int i = 0; i < 3; i++) {
        const struct rk_model model = run_model(i);
        cr_assert_eq(run_plan(&model, "mbs2 gbs8", &train, &a, &error), RK_OK);
        cr_assert_eq(run_plan(&model, "mbs1 gbs8 tp2 sp pp2 dp2 cp2 zero3", &train, &b, &error),
                     RK_OK, "%s", error.text);
        for (int s = 0; s < 20; s++)
            cr_expect(off(b.loss[s], a.loss[s]) < 1e-5, "%s, step %d: %.9g for %.9g", model.id, s,
                      b.loss[s], a.loss[s]);
        cr_expect(a.loss[19] < a.loss[0] - 0.005, "it learns: %g to %g", a.loss[0], a.loss[19]);
    }
    unlink(run_data());
}
