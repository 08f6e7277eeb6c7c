/* The memory that rk_train_count says beforehand is what each rank of a run then has, of random
 * plans of all that the executor trains under (run_random.h), in all precisions.
 *
 * Of experts on several ranks it knows no router. Where all experts see all tokens it is exact
 * there, too; else it is between what it would be if all layers got the fewest tokens that one got,
 * and the most. (What is dealt to lower tiers by its size goes elsewhere when it is larger, and
 * tokens that travel whole go to as many ranks as their experts are on, and what is over the
 * capacity depends on who comes: there all experts see all tokens, and below a capacity those that
 * come first.)
 */
#include "layouts.h"
#include "run/data.h"
#include "run/device.h"
#include "run/job.h"
#include "run_random.h"

#include <pthread.h>

enum { PLANS = 20, STEPS = 2, RANKS = 64, FEW_RANKS = 8 };
enum { BIGMAC = 4 }; /* of run_model() */

static const struct rk_system *machine(void)
{
    static struct rk_system system;
    struct rk_error error;
    if (!*system.id)
        cr_assert_eq(rk_system_load("h100-sxm5-80g mem2=1TiB@25GB/s ssd=4*samsung-980pro-1tb",
                                    &system, &error),
                     RK_OK, "%s", error.text);
    return &system;
}

/* Many ranks take long: where more plans are asked for than preset. */
static uint64_t most_ranks(void)
{
    return getenv("RECKON_SLOW") ? RANKS : FEW_RANKS;
}

/* ---- a run, with what each of its ranks had ---- */

struct member {
    const struct job *job;
    struct comm *comm;
    struct step_result result;
    pthread_t thread;
};

static void *run_member(void *context)
{
    struct member *m = context;
    struct engine *engine;
    bool ok = engine_f32.open(m->job, m->comm, &engine) == RK_OK;
    for (uint64_t step = 0; ok && step < STEPS; step++)
        ok = engine_f32.step(engine, step, &m->result);
    if (!ok) comm_fail(m->comm, &m->comm->error);
    engine_f32.close(engine);
    return NULL;
}

static struct rk_error run_all(const struct rk_model *model, const struct rk_plan *plan,
                               const struct rk_train *train, struct member *member)
{
    struct job job;
    struct data data = {.map = NULL};
    struct rk_error error = {.status = RK_OK};
    const int ranks = (int)plan->ranks;
    struct comm_hub *hub = comm_hub_open(ranks, 20);
    enum rk_status status = job_open(&job, model, plan, train, &error);
    if (status == RK_OK)
        status = data_open(&data, run_data(), job.sequence, model->vocabulary, 1, &error);
    job.system = machine();
    job.drives = run_drives;
    job.data = &data;
    for (int i = 0; status == RK_OK && i < ranks; i++) {
        member[i] = (struct member){.job = &job, .comm = comm_hub_rank(hub, i)};
        pthread_create(&member[i].thread, NULL, run_member, &member[i]);
    }
    for (int i = 0; status == RK_OK && i < ranks; i++)
        pthread_join(member[i].thread, NULL);
    if (status == RK_OK) error = comm_hub_error(hub);
    comm_hub_close(hub);
    data_close(&data);
    job_close(&job);
    return error;
}

/* ---- beside what is said beforehand ---- */

static struct rk_train_memory count(const struct rk_model *model, const struct rk_plan *plan,
                                    const struct rk_train *train, uint64_t rank, double imbalance,
                                    const char *label)
{
    const struct rk_train_run run = {.system = machine()};
    struct rk_train_memory memory;
    struct rk_error error;
    struct rk_plan routed = *plan;
    routed.imbalance = imbalance;
    for (int i = 0; i < rk_plan_layout(&routed)->others; i++)
        edit(&routed)->other[i].imbalance = imbalance;
    cr_assert_eq(rk_train_count(model, &routed, train, &run, rank, &memory, &error), RK_OK,
                 "%s: %s", label, error.text);
    return memory;
}

/* False: the plan does not run. */
static bool compare(const struct rk_model *model, const char *words, const struct rk_train *train,
                    const char *label, double *worst)
{
    static struct member member[RANKS];
    struct rk_plan plan;
    struct rk_error error;
    if (rk_plan_parse(words, &plan, &error) != RK_OK || plan.ranks > most_ranks()) {
        if (getenv("RECKON_SHOW")) fprintf(stderr, "%s\n", error.text);
        return false;
    }
    struct rk_program program = {.rank = 0};
    const bool lowers = rk_program_of(&program, model, machine(), &plan, 0, &error) == RK_OK;
    rk_program_release(&program);
    if (!lowers || rk_train_check(model, &plan, train, &error) != RK_OK) {
        if (getenv("RECKON_SHOW")) fprintf(stderr, "%s\n", error.text);
        return false;
    }
    error = run_all(model, &plan, train, member);
    cr_assert_eq(error.status, RK_OK, "%s: %s, %s: %s", label, model->id, words, error.text);
    double least = 1, most = 1;
    for (uint64_t r = 0; r < plan.ranks; r++) {
        if (!(member[r].result.most_came > 0)) continue;
        least = fmin(least, member[r].result.least_came);
        most = fmax(most, member[r].result.most_came);
    }
    for (uint64_t r = 0; r < plan.ranks; r++) {
        const double had = (double)member[r].result.peak_bytes;
        const struct rk_train_memory even = count(model, &plan, train, r, 1, label);
        const struct rk_train_memory high =
            most > 1 ? count(model, &plan, train, r, most, label) : even;
        const double above = had / (double)high.peak_bytes - 1,
                     below = (double)even.peak_bytes * least / had - 1;
        const double slack = least < 1 || most > 1 ? 0.02 : 0; /* else to the byte */
        *worst = fmax(*worst, fmax(above, below));
        cr_expect(above <= slack && below <= slack,
                  "%s: %s, %s: rank %d of %d had %.0f bytes, and %.0f to %.0f were counted "
                  "(routes %.3f to %.3f)",
                  label, model->id, words, (int)r, (int)plan.ranks, had,
                  (double)even.peak_bytes * least, (double)high.peak_bytes, least, most);
        if (getenv("RECKON_SHOW"))
            fprintf(stderr, "rank %d: %.0f for %.0f (%.2f %%), placed %.0f for %.0f\n", (int)r,
                    (double)even.peak_bytes, had, 100 * ((double)even.peak_bytes / had - 1),
                    (double)even.placed_bytes, (double)member[r].result.placed_bytes);
    }
    return true;
}

/* Every expert sees every token. */
static void all_see_all(struct rk_model *model)
{
    model->active_experts = model->experts;
    model->active_groups = model->expert_groups;
}

/* Shapes that no table has: other widths, lengths and vocabularies. */
static struct rk_model other_model(void)
{
    struct rk_model model = run_model((int)below(RUN_MODELS));
    model.hidden *= 1 + below(3);
    model.head_dim *= 1 + below(2);
    model.feedforward *= 1 + below(4);
    model.sequence *= 1 + below(4);
    model.vocabulary = below(3) ? model.vocabulary : 2000;
    if (model.experts && below(2)) all_see_all(&model);
    if (model.kv_rank && below(3) == 0) {
        model.experts = 4;
        model.expert_groups = model.active_groups = 0;
        model.active_experts = 1 + below(4);
        model.expert_feedforward = 24;
        model.shared_experts = below(2);
        model.dense_layers = below(2);
    }
    return model;
}

/* Below a capacity ranks with the first tokens of samples keep all, and others none: what these
 * get comes from those. */
Test(run_count, capacity)
{
    static const char *const shapes[] = {"tp4 sp dp2 mbs2 gbs8 ep2", "tp2 mbs2 gbs2 ep2 etp1",
                                         "cp4 cp-contiguous mbs1 gbs2 ep4"};
    static const char *const dispatchers[] = {"alltoall", "allgather", "deepep"};
    double worst = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t j = 0; j < sizeof dispatchers / sizeof *dispatchers; j++) {
            char line[128];
            struct rk_train settings = run_settings(STEPS);
            struct rk_model model = run_model(BIGMAC);
            settings.double_precision = false;
            all_see_all(&model);
            snprintf(line, sizeof line, "%s capacity=0.6 dispatcher=%s precision=fp32", shapes[i],
                     dispatchers[j]);
            cr_expect(compare(&model, line, &settings, line, &worst), "%s does not run", line);
        }
    unlink(run_data());
}

Test(run_count, rank_refused)
{
    const struct rk_train_run run = {.system = machine()};
    const struct rk_model model = run_model(0);
    struct rk_train train = run_settings(STEPS);
    struct rk_train_memory memory;
    struct rk_error error;
    struct rk_plan plan;
    train.double_precision = false;
    cr_assert_eq(rk_plan_parse("dp2 mbs1 gbs2 precision=fp32", &plan, &error), RK_OK);
    cr_expect_eq(rk_train_count(&model, &plan, &train, &run, 1, &memory, &error), RK_OK);
    cr_expect_eq(rk_train_count(&model, &plan, &train, &run, 2, &memory, &error), RK_BAD_ARGUMENT);
    train.rotary_stretch =
        (struct rk_rotary_stretch){.factor = 8, .context = 8192, .low = 4, .high = 4};
    cr_expect_eq(rk_train_count(&model, &plan, &train, &run, 0, &memory, &error), RK_BAD_ARGUMENT);
}

Test(run_count, random)
{
    static const char *const precisions[] = {" precision=fp32", " precision=fp32",
                                             " precision=bf16", " precision=fp16"};
    const struct drawn cases = drawn_cases(PLANS, 20 * PLANS);
    const uint64_t all = cases.end - cases.first;
    uint64_t ran = 0;
    double worst = 0;
    for (uint64_t n = cases.first; n < cases.end; n++) {
        char line[512], label[32];
        run_random_state = n * 104729;
        struct rk_train train = run_settings(STEPS);
        train.double_precision = false;
        train.rate = train.least_rate = 1e-4;
        struct rk_model model = other_model();
        train.arithmetic = run_arithmetic(&model);
        if (run_may_be_sparse(&model) && below(4) == 0) run_sparse(&train, 4);
        if (below(5) == 0)
            run_random_layers(&model, line, sizeof line);
        else
            run_random_plan(&model, line, sizeof line);
        strcat(line, RUN_PICK(precisions));
        if (strstr(line, "offload-activations") || strstr(line, "recompute-rest") ||
            strstr(line, "dispatcher=") || strstr(line, "capacity="))
            all_see_all(&model);
        snprintf(label, sizeof label, "seed %d", (int)n);
        if (getenv("RECKON_SHOW")) fprintf(stderr, "%s: %s: %s\n", label, model.id, line);
        ran += compare(&model, line, &train, label, &worst);
    }
    if (getenv("RECKON_SHOW"))
        fprintf(stderr, "%d of %d plans ran, worst %.3f %%\n", (int)ran, (int)all, 100 * worst);
    cr_expect(drawn_enough(ran * 5 >= all), "%d of %d plans ran", (int)ran, (int)all);
    unlink(run_data());
}

/* One rank of more than any array of a fixed length had room for: its queries against the keys of
 * all of them, with two runs of tokens on each. */
Test(run_count, many_context_ranks)
{
    static const char *const plans[] = {"cp400 cp-kind=gather mbs1 gbs1 dp1",
                                        "cp400 cp-kind=gather mbs1 gbs1 dp1 attention=unfused"};
    struct rk_train train = run_settings(1);
    struct rk_model model = run_model(0);
    train.double_precision = false;
    model.sequence = 800;
    for (size_t n = 0; n < sizeof plans / sizeof *plans; n++) {
        struct rk_train_memory memory;
        struct rk_error error;
        struct rk_plan plan;
        const struct rk_train_run run = {.system = machine()};
        cr_assert_eq(rk_plan_parse(plans[n], &plan, &error), RK_OK);
        cr_assert_eq(rk_train_count(&model, &plan, &train, &run, 399, &memory, &error), RK_OK,
                     "%s: %s", plans[n], error.text);
        const double keys = 800. * 2 * 4 * 8 * sizeof(float); /* of all ranks, in one layer */
        cr_expect_geq((double)memory.peak_bytes, keys);
    }
}
