/* The longest sequence by bisection is the longest of all that are tried one by one. */
#include <reckon/longest.h>

#include <criterion/criterion.h>
#include <math.h>
#include <reckon/catalog.h>
#include <string.h>

static struct rk_model model;
static struct rk_system system_;
static struct rk_longest problem;

static void open_problem(const char *id, const char *machine, uint64_t gpus, uint64_t step,
                         uint64_t most)
{
    struct rk_error error;
    cr_assert_eq(rk_model_load(id, &model, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_system_load(machine, &system_, &error), RK_OK, "%s", error.text);
    problem = (struct rk_longest){.model = &model,
                                  .system = {&system_, &system_, &system_, &system_},
                                  .words = rk_plan_default(),
                                  .gpus = gpus,
                                  .step = step,
                                  .most = most};
    cr_assert_eq(rk_longest_list(&problem, &error), RK_OK);
    cr_assert_gt(problem.candidates, 0);
}

static void close_problem(void)
{
    rk_longest_release(&problem);
    rk_system_release(&system_);
}

static void try_all(uint64_t tokens[RK_LONGEST_KINDS + 1])
{
    memset(tokens, 0, (RK_LONGEST_KINDS + 1) * sizeof *tokens);
    for (uint64_t at = problem.step; at <= problem.most; at += problem.step)
        for (size_t i = 0; i < problem.candidates; i++) {
            struct rk_plan plan;
            if (!rk_longest_fits(&problem, &problem.candidate[i], at, &plan)) continue;
            tokens[problem.candidate[i].kind] = tokens[RK_LONGEST_KINDS] = at;
        }
}

/* Dense, experts, latent attention, windows, recurrences, an encoder; memories of several sizes so
 * that GPU, host and neither are the limit; numbers of GPUs that are no powers of two. */
Test(longest, bisection_is_trying_every_length)
{
    static const struct {
        const char *model, *machine;
        uint64_t gpus, step, most;
    } rows[] = {
        {"memo-7b", "a800-sxm4-80g mem2=20GB@12GB/s", 8, 32768, 3000000},
        {"memo-7b", "a800-sxm4-80g mem2=60GB@12GB/s", 4, 32768, 3000000},
        {"memo-7b", "a800-sxm4-80g", 8, 8192, 1000000},
        {"llama3.1-8b", "h100-sxm5-80g mem2=50GB@25GB/s", 12, 32768, 3000000},
        /* 185 and 187 steps fit in chunks, 186 do not */
        {"llama3.1-8b", "h100-sxm5-80g mem2=260GB@25GB/s", 8, 32768, 6500000},
        {"gpt2-355m", "a100-80g-nvl8 mem2=2GB@12GB/s", 6, 50000, 9000000},
        {"gpt2-355m", "a100-80g-nvl8 mem2=2GB@12GB/s", 7, 65536, 9000000},
        {"mixtral-8x7b", "h100-sxm5-80g mem2=30GB@25GB/s", 16, 131072, 3000000},
        {"qwen3-30b-a3b", "h100-sxm5-80g mem2=10GB@25GB/s", 12, 65536, 3000000},
        {"deepseek-v3", "h100-sxm5-80g mem2=250GB@25GB/s", 256, 8388608, 40000000},
        {"mistral-7b", "h100-sxm5-80g mem2=30GB@25GB/s", 8, 32768, 2000000},
        {"nemotron-h-8b", "h100-sxm5-80g mem2=100GB@25GB/s", 8, 32768, 2000000},
        {"t5-base", "h100-sxm5-80g mem2=10GB@25GB/s", 4, 131072, 6000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t found[RK_LONGEST_KINDS + 1], tried[RK_LONGEST_KINDS + 1];
        open_problem(rows[i].model, rows[i].machine, rows[i].gpus, rows[i].step, rows[i].most);
        rk_longest_find(&problem, found);
        try_all(tried);
        cr_expect_gt(tried[RK_LONGEST_KINDS], 0, "%s: none fits", rows[i].model);
        cr_expect_lt(tried[RK_LONGEST_KINDS], rows[i].most / rows[i].step * rows[i].step,
                     "%s on %s: no end in view", rows[i].model, rows[i].machine);
        for (int kind = 0; kind <= RK_LONGEST_KINDS; kind++)
            cr_expect_eq(found[kind], tried[kind], "%s on %s, %d GPUs, kind %d: %lu, tried %lu",
                         rows[i].model, rows[i].machine, (int)rows[i].gpus, kind,
                         (unsigned long)found[kind], (unsigned long)tried[kind]);
        close_problem();
    }
}
