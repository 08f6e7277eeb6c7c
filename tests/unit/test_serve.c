/* Inference against published sizes of caches, sums by hand, and properties. */
#include <criterion/criterion.h>
#include <math.h>
#include <reckon/catalog.h>
#include <reckon/serve.h>

static struct rk_model model_of(const char *name)
{
    struct rk_model model;
    struct rk_error error = {0};
    cr_assert_eq(rk_model_load(name, &model, &error), RK_OK, "%s", error.text);
    return model;
}

static struct rk_plan plan_of(uint64_t ranks, uint64_t tensor)
{
    struct rk_plan plan = rk_plan_default();
    plan.ranks = ranks;
    plan.tensor = tensor;
    plan.batch = 4096 * ranks;
    plan.cuda_graphs = true;
    return plan;
}

static struct rk_serving serving_of(uint64_t prompt, uint64_t generated, uint64_t batch)
{
    return (struct rk_serving){.prompt = prompt,
                               .generated = generated,
                               .batch = batch,
                               .pass_tokens = 8192,
                               .cache_element_bytes = 2};
}

static struct rk_served serve(const struct rk_model *model, const char *machine,
                              const struct rk_plan *plan, const struct rk_serving *serving)
{
    struct rk_system system = {0};
    struct rk_error error = {0};
    struct rk_served served;
    cr_assert_eq(rk_system_load(machine, &system, &error), RK_OK, "%s", error.text);
    rk_serve(model, &system, plan, serving, &served);
    rk_system_release(&system);
    return served;
}

/* ---- the cache ---- */

static double cache_of_token(const char *name, uint64_t tensor)
{
    const struct rk_model model = model_of(name);
    const struct rk_plan plan = plan_of(64, tensor);
    struct rk_serving serving = serving_of(999, 1, 64);
    return serve(&model, "h100-sxm5-80g", &plan, &serving).sequence_bytes / 1000;
}

/* [zhao2025] table 1: 70.272 KB a token of DeepSeek-V3, 516.096 KB of LLaMA-3.1 405B, in bf16; and
 * 2 * 80 * 8 * 128 * 2 bytes of a Llama of 70 billion parameters. Of grouped queries tensor ranks
 * have a part each, of latent vectors all of them. */
Test(serve, caches_are_as_large_as_published)
{
    cr_expect_float_eq(cache_of_token("deepseek-v3", 1), 70272, 1e-6);
    cr_expect_float_eq(cache_of_token("llama3.1-405b", 1), 516096, 1e-6);
    cr_expect_float_eq(cache_of_token("llama2-70b", 1), 327680, 1e-6);
    cr_expect_float_eq(cache_of_token("llama2-70b", 8), 327680.0 / 8, 1e-6);
    cr_expect_float_eq(cache_of_token("llama2-70b", 16), 327680.0 / 8, 1e-6);
    cr_expect_float_eq(cache_of_token("deepseek-v3", 8), 70272, 1e-6);
}

/* Ranks that would have copies share the sequences: 16 ranks of 8 heads halve them again. */
Test(serve, a_split_cache_has_no_copies)
{
    const struct rk_model llama = model_of("llama2-70b"), palm = model_of("palm-540b-64-heads");
    struct rk_plan plan = plan_of(64, 16);
    struct rk_serving serving = serving_of(999, 1, 64);
    serving.cache_split = true;
    cr_expect_float_eq(serve(&llama, "h100-sxm5-80g", &plan, &serving).sequence_bytes / 1000,
                       327680.0 / 16, 1e-6);
    plan = plan_of(64, 64);
    cr_expect_float_eq(serve(&palm, "tpu-v4", &plan, &serving).sequence_bytes / 1000,
                       118.0 * 2 * 256 * 2 / 64, 1e-6);
}

/* A window holds so many tokens, a recurrence its state: longer samples need no more. */
Test(serve, windows_and_states_do_not_grow)
{
    struct rk_model model = model_of("mistral-7b");
    const struct rk_plan plan = plan_of(1, 1);
    struct rk_serving serving = serving_of(4095, 1, 1);
    model.window = 4096;
    model.window_every = 0;
    const struct rk_served filled = serve(&model, "h100-sxm5-80g", &plan, &serving);
    serving.prompt = 40000;
    const struct rk_served longer = serve(&model, "h100-sxm5-80g", &plan, &serving);
    cr_expect_float_eq(filled.sequence_bytes, longer.sequence_bytes, 1e-3);
    cr_expect_float_eq(filled.first.step_s, longer.first.step_s, 1e-9);
    const struct rk_model hybrid = model_of("nemotron-h-8b");
    serving.prompt = 999;
    const double at_1000 = serve(&hybrid, "h100-sxm5-80g", &plan, &serving).sequence_bytes;
    serving.prompt = 1999;
    const double at_2000 = serve(&hybrid, "h100-sxm5-80g", &plan, &serving).sequence_bytes;
    const double state = 2 * at_1000 - at_2000;           /* what is there at 0 tokens */
    cr_expect_gt(state, 24 * 128 * 64 * 128 * 4.0 * 0.9); /* 24 layers, heads, widths, fp32 */
    cr_expect_gt(at_2000, at_1000);
}

/* ---- time ---- */

/* One token of one sequence reads all weights: no step is faster than memory brings them, and on
 * one accelerator, with few kernels beside, not half as slow again. */
Test(serve, a_token_alone_takes_as_long_as_its_weights)
{
    const struct rk_model model = model_of("llama2-7b");
    const struct rk_plan plan = plan_of(1, 1);
    const struct rk_serving serving = serving_of(128, 128, 1);
    const struct rk_served served = serve(&model, "a100-sxm4-80g", &plan, &serving);
    const double weights_s = 2 * ((double)rk_model_parameters(&model) - 32000 * 4096) / 2.039e12;
    cr_expect_gt(served.first.step_s, weights_s);
    cr_expect_lt(served.first.step_s, 1.5 * weights_s);
    cr_expect_float_eq(served.weights_bytes, 2 * (double)rk_model_parameters(&model), 1e6);
}

/* Busy devices that read memory half as fast take up to twice as long; one alone does not. */
Test(serve, devices_that_share_a_node)
{
    const struct rk_model model = model_of("llama2-7b");
    const struct rk_serving serving = serving_of(128, 128, 1);
    struct rk_error error = {0};
    struct rk_system alone, busy;
    cr_assert_eq(rk_system_load("a100-sxm4-80g", &alone, &error), RK_OK, "%s", error.text);
    alone.kernels.kernel_s = 0;
    busy = alone;
    busy.busy = alone.kernels;
    busy.busy.memory_efficiency /= 2;
    busy.busy_devices = 2;
    for (uint64_t ranks = 1; ranks <= 2; ranks++) {
        const struct rk_plan plan = plan_of(ranks, ranks);
        struct rk_served as_alone, as_busy;
        rk_serve(&model, &alone, &plan, &serving, &as_alone);
        rk_serve(&model, &busy, &plan, &serving, &as_busy);
        const double slower = as_busy.first.matrix_s / as_alone.first.matrix_s;
        cr_expect(ranks > 1 ? slower > 1.5 && slower <= 2 : slower == 1);
        cr_expect_eq(as_busy.first.tensor_s, as_alone.first.tensor_s);
    }
    rk_system_release(&alone);
}

static double sum_of(const struct rk_served_step *step)
{
    return step->matrix_s + step->attention_s + step->memory_s + step->tensor_s + step->expert_s +
           step->launch_s + step->pipeline_s;
}

Test(serve, parts_sum_up_and_more_work_takes_longer)
{
    static const char *const models[] = {"llama2-70b", "mixtral-8x7b", "deepseek-v3",
                                         "nemotron-3-super-120b-a12b", "falcon-180b"};
    for (int i = 0; i < 5; i++) {
        const struct rk_model model = model_of(models[i]);
        struct rk_plan plan = plan_of(32, 4);
        plan.pipeline = 2;
        double before_s = 0, before_rate = 0;
        for (uint64_t batch = 4; batch <= 1024; batch *= 4) {
            const struct rk_serving serving = serving_of(1000, 100, batch);
            const struct rk_served s = serve(&model, "h200-sxm-141g", &plan, &serving);
            cr_assert(s.timed);
            cr_expect_float_eq(sum_of(&s.prefill), s.prefill.step_s, 1e-9 * s.prefill.step_s);
            cr_expect_float_eq(sum_of(&s.last), s.last.step_s, 1e-9 * s.last.step_s);
            cr_expect_geq(s.last.step_s, s.first.step_s);
            cr_expect_gt(s.generate_s, before_s, "%s", models[i]);
            cr_expect_gt(s.tokens_per_s, before_rate, "%s", models[i]);
            before_s = s.generate_s;
            before_rate = s.tokens_per_s;
        }
    }
}

/* Useful FLOP of a prompt: 2 for each parameter but the table, of which the head runs for the last
 * token alone, and 4 l h n (n + 1) / 2 of causal attention; in parts as whole. */
Test(serve, a_prompt_needs_two_flop_a_parameter)
{
    const struct rk_model model = model_of("llama2-7b");
    const struct rk_plan plan = plan_of(1, 1);
    struct rk_serving serving = serving_of(2048, 1, 1);
    const struct rk_served whole = serve(&model, "h100-sxm5-80g", &plan, &serving);
    const double tables = 2 * 32000.0 * 4096, n = 2048;
    const double flop = 2 * n * ((double)rk_model_parameters(&model) - tables) + tables +
                        4 * 32 * 4096.0 * n * (n + 1) / 2;
    const double norms = 2 * n * 65 * 4096;
    cr_expect_float_eq(whole.alone.flop, flop - norms, 0.05 * flop);
    serving.pass_tokens = 512;
    const struct rk_served parts = serve(&model, "h100-sxm5-80g", &plan, &serving);
    cr_expect_gt(parts.alone.step_s, whole.alone.step_s);
    cr_expect_lt(parts.alone.step_s, 1.5 * whole.alone.step_s);
}

/* 4,096 sequences of a token each have more logits and activations than a prompt's pass of 64
 * tokens: memory is that of the step of decoding, and no more sequences fit than a batch of them
 * does. */
Test(serve, memory_of_a_step_of_decoding)
{
    const struct rk_model model = model_of("llama2-7b");
    const struct rk_plan plan = plan_of(1, 1);
    struct rk_serving serving = serving_of(1, 1, 1);
    serving.pass_tokens = 64;
    const struct rk_served one = serve(&model, "h100-sxm5-80g", &plan, &serving);
    serving.batch = one.most_batch;
    cr_expect_eq(serve(&model, "h100-sxm5-80g", &plan, &serving).verdict, RK_FITS);
    serving.batch = one.most_batch + 1;
    cr_expect_eq(serve(&model, "h100-sxm5-80g", &plan, &serving).verdict, RK_MEMORY_EXCEEDED);
    serving.batch = 4096;
    const struct rk_served many = serve(&model, "h100-sxm5-80g", &plan, &serving);
    cr_expect_gt(many.working_bytes, 4096 * 32000 * 2.0);
    cr_expect_gt(many.working_bytes, 10 * one.working_bytes);
}

/* Of more than 64 parts of a prompt some stand for the others: 1,024 take longer than 16 times 64,
 * as long as a few less do, and 16 million are no harder. */
Test(serve, many_parts_are_timed_by_some)
{
    const struct rk_model model = model_of("llama2-7b");
    struct rk_plan plan = plan_of(2, 1);
    plan.pipeline = 2;
    struct rk_serving serving = serving_of(4096, 1, 1);
    serving.pass_tokens = 64; /* 64 parts: all of them */
    const double all_s = serve(&model, "h100-sxm5-80g", &plan, &serving).alone.step_s;
    serving.prompt = 4096 * 16;
    const double many_s = serve(&model, "h100-sxm5-80g", &plan, &serving).alone.step_s;
    cr_expect_gt(many_s, 16 * all_s);
    serving.pass_tokens = 65;
    const double other_s = serve(&model, "h100-sxm5-80g", &plan, &serving).alone.step_s;
    cr_expect_float_eq(other_s, many_s, 0.05 * many_s);
    serving.prompt = 1 << 24;
    serving.pass_tokens = 1;
    cr_expect(isfinite(serve(&model, "h100-sxm5-80g", &plan, &serving).alone.step_s));
}

/* Of 8 experts of which a token goes to 2, one token reads 2 and 64 nearly all. */
Test(serve, only_experts_that_are_met_are_read)
{
    const struct rk_model model = model_of("mixtral-8x7b");
    const struct rk_plan plan = plan_of(1, 1);
    struct rk_serving serving = serving_of(16, 2, 1);
    const double one_s = serve(&model, "h200-sxm-141g", &plan, &serving).first.matrix_s;
    serving.batch = 64;
    const double many_s = serve(&model, "h200-sxm-141g", &plan, &serving).first.matrix_s;
    /* 12.9 of 46.7 billion parameters */
    cr_expect_float_eq(one_s / many_s, 12.9 / 46.7, 0.04);
}

/* A head that reads its keys itself reads them as often as there are heads to a key. */
Test(serve, heads_apart_read_the_cache_more_often)
{
    const struct rk_model model = model_of("llama2-70b");
    const struct rk_plan plan = plan_of(8, 8);
    struct rk_serving serving = serving_of(100000, 2, 16);
    const double together_s = serve(&model, "h200-sxm-141g", &plan, &serving).first.attention_s;
    serving.heads_apart = true;
    const double apart_s = serve(&model, "h200-sxm-141g", &plan, &serving).first.attention_s;
    cr_expect_float_eq(apart_s / together_s, 8, 0.2);
}

/* ---- what fits, and what is refused ---- */

Test(serve, as_many_sequences_fit_as_it_says)
{
    const struct rk_model model = model_of("llama2-70b");
    const struct rk_plan plan = plan_of(16, 4);
    struct rk_serving serving = serving_of(2048, 512, 1);
    const uint64_t most = serve(&model, "h100-sxm5-80g", &plan, &serving).most_batch;
    cr_assert_gt(most, 64);
    serving.batch = most;
    cr_expect_eq(serve(&model, "h100-sxm5-80g", &plan, &serving).verdict, RK_FITS);
    serving.batch = most + 4;
    cr_expect_eq(serve(&model, "h100-sxm5-80g", &plan, &serving).verdict, RK_MEMORY_EXCEEDED);
}

Test(serve, what_has_no_meaning_is_refused)
{
    const struct rk_model model = model_of("llama2-7b");
    const struct rk_serving serving = serving_of(128, 128, 1);
    struct rk_plan plan = plan_of(8, 1);
    plan.context = 2;
    struct rk_served served = serve(&model, "h100-sxm5-80g", &plan, &serving);
    cr_expect_eq(served.verdict, RK_BAD_OPTION);
    cr_expect_not(served.timed);
    plan.context = 1;
    plan.tensor = 5;
    plan.ranks = 5;
    served = serve(&model, "h100-sxm5-80g", &plan, &serving);
    cr_expect_neq(served.verdict, RK_FITS);
}

/* Of ranks that have no sequence nothing is useful; ranks share no expert that only one has. */
Test(serve, idle_ranks_do_nothing_useful)
{
    const struct rk_model model = model_of("llama2-7b");
    const struct rk_plan one = plan_of(1, 1), eight = plan_of(8, 1);
    const struct rk_serving serving = serving_of(2048, 128, 1);
    const struct rk_served a = serve(&model, "h100-sxm5-80g", &one, &serving);
    const struct rk_served b = serve(&model, "h100-sxm5-80g", &eight, &serving);
    cr_expect_float_eq(b.alone.flop, a.alone.flop, 1e-9 * a.alone.flop);
    cr_expect_float_eq(b.prefill.flop, a.prefill.flop, 1e-9 * a.prefill.flop);
    cr_expect_float_eq(b.last.flop, a.last.flop, 1e-9 * a.last.flop);
    cr_expect_float_eq(8 * b.prefill.mfu, a.prefill.mfu, 1e-9);
}

Test(serve, gathered_experts_are_all_somewhere)
{
    const struct rk_model model = model_of("mixtral-8x7b");
    const struct rk_serving serving = serving_of(128, 1, 8);
    struct rk_plan plan = plan_of(8, 1);
    plan.zero = 3;
    const double apart = serve(&model, "h100-sxm5-80g", &plan, &serving).weights_bytes;
    for (uint64_t expert = 2; expert <= 8; expert *= 2) {
        plan.expert = expert;
        plan.expert_tensor = 1;
        const double bytes = serve(&model, "h100-sxm5-80g", &plan, &serving).weights_bytes;
        cr_expect_float_eq(bytes, apart, 1e-9 * apart, "%g of %g", bytes, apart);
    }
}
