/* Error bars: what is learned from results, and what a request takes. */
#include "catalog/model_fields.h"
#include "catalog/plan_fields.h"
#include "facts/choices.h"
#include "facts/error_learn.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEAR(a, b)                                                                                 \
    cr_expect(fabs((a) - (b)) < 1e-4, "%.17g, expected %.17g", (double)(a), (double)(b))

/* `count` results of one source on a system with these errors: i * step. */
static void add(struct results *results, size_t count, const char *source, const char *system,
                uint64_t gpus, uint64_t experts, double step)
{
    results->result = realloc(results->result, (results->count + count) * sizeof *results->result);
    for (size_t i = 0; i < count; i++) {
        struct result *r = &results->result[results->count++];
        memset(r, 0, sizeof *r);
        r->kind = FIGURE_STEP;
        r->products = 1;
        r->came = 20261124;
        r->error = r->came_error = (double)(i + 1) * step;
        snprintf(r->class_of[CLASS_SOURCE], sizeof r->class_of[0], "%s", source);
        snprintf(r->system, sizeof r->system, "%s", system);
        r->model.experts = experts;
        r->model.sequence = 2048;
        r->judgement.plan = rk_plan_default();
        r->judgement.plan.ranks = gpus;
        r->judgement.plan.tensor = 8;
        r->judgement.parameters = 1e9;
    }
}

/* One run a source, measured at 1.1, 1.2, ... of what is predicted. */
static void add_sources(struct results *results, int sources, const char *system, uint64_t gpus,
                        uint64_t experts)
{
    for (int i = 1; i <= sources; i++) {
        char source[8];
        snprintf(source, sizeof source, "s%d", i);
        add(results, 1, source, system, gpus, experts, 1 / (1 + 0.1 * i) - 1);
    }
}

static struct error_bars *learn(struct results *results)
{
    struct rk_error error;
    struct error_bars *bars = malloc(sizeof *bars);
    cr_assert_eq(error_bars_learn(bars, results, &error), RK_OK);
    free(results->result);
    return bars;
}

static struct error_bars *learned(void)
{
    struct results results = {0};
    add_sources(&results, 9, "h100-sxm5-80g nvl8", 128, 0);
    add_sources(&results, 4, "a100-sxm4-80g", 8, 0);
    add_sources(&results, 6, "a100-sxm4-80g", 1024, 8);
    return learn(&results);
}

static bool ask(const struct error_bars *bars, const char *system, uint64_t gpus, uint64_t experts,
                struct error_class *bar)
{
    static struct rk_model model;
    static struct rk_plan plan;
    model = (struct rk_model){.experts = experts, .sequence = 2048};
    plan = rk_plan_default();
    plan.ranks = gpus;
    plan.tensor = 8;
    const struct error_request request = {&model, system, &plan, 1e9, 1, PUBLISHED_UNKNOWN};
    return error_bar_of(bars, &request, bar);
}

Test(error_bars, the_most_specific_class_that_has_a_run)
{
    struct error_bars *bars = learned();
    struct error_class c;
    cr_assert(ask(bars, "h200-sxm-141g", 256, 0, &c)); /* Hopper too */
    cr_expect_str_eq(c.of, "Hopper, dense, megatron");
    cr_expect_eq(c.runs, 9);
    cr_expect_eq(c.sources, 9);
    cr_assert(ask(bars, "a100-sxm4-80g", 8, 0, &c));
    cr_expect_str_eq(c.of, "Ampere, dense, megatron");
    cr_expect_eq(c.runs, 4);
    cr_assert(ask(bars, "gaudi3", 8, 0, &c)); /* nobody's generation */
    cr_expect_str_eq(c.of, "dense, megatron");
    cr_expect_eq(c.runs, 13);
    cr_expect_eq(c.sources, 9);
    free(bars);
}

/* ---- against the definition ---- */

/* A generator of its own (xorshift, [marsaglia2003]). */
static uint64_t state;
static uint64_t drawn(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

static const char *const systems[] = {"h100-sxm5-80g", "a100-sxm4-80g", "gaudi3"};

static void add_drawn(struct results *results)
{
    char source[8];
    const uint64_t number = drawn(12);
    snprintf(source, sizeof source, "s%llu", (unsigned long long)number);
    add(results, 1, source, systems[drawn(3)], 8, drawn(2) * 8, 0);
    struct result *r = &results->result[results->count - 1];
    r->error = -0.6 + 0.001 * (double)drawn(1000);
    r->products = 0.01 * (double)drawn(101);
    r->came = number % 2 ? 20261124 : 0;
    r->came_error = r->came ? -0.6 + 0.001 * (double)drawn(1000) : NAN;
    r->judgement.plan.framework = drawn(2) ? RK_FSDP : RK_MEGATRON;
}

/* What `r` counts in the class of `asked`, for the middle or the ends: by hand. */
static double counted(const struct results *results, const struct result *r,
                      const struct result *asked, bool ends)
{
    size_t rows = 0;
    for (size_t i = 0; i < results->count; i++)
        rows += strcmp(results->result[i].class_of[CLASS_SOURCE], r->class_of[CLASS_SOURCE]) == 0;
    double weight = (r->came ? 1 : 1 / 12.0) / (double)rows;
    if (strcmp(r->system, asked->system) != 0 && !ends) weight /= 2;
    if (!r->model.experts != !asked->model.experts) weight /= 2;
    if (r->judgement.plan.framework != asked->judgement.plan.framework && !ends) weight /= 4;
    return weight;
}

static double grown(const struct result *r)
{
    const double wider = exp(1.4 * fmax(0, 0.85 - r->products));
    return (r->came ? -log(1 + r->came_error) : -1.5 * log(1 + r->error)) / wider;
}

/* The least error of a run such that it and all below count as much as they must. */
static double expected(const struct results *results, const struct result *asked, double share)
{
    const bool ends = share < 0.1 || share > 0.9;
    double all = 0, squares = 0, least = INFINITY;
    for (int source = 0; source < 12; source++) {
        double own = 0;
        char name[16];
        snprintf(name, sizeof name, "s%d", source);
        for (size_t i = 0; i < results->count; i++)
            if (strcmp(results->result[i].class_of[CLASS_SOURCE], name) == 0)
                own += counted(results, &results->result[i], asked, ends);
        all += own;
        squares += own * own;
    }
    const double beyond = share < 0.5 ? -0.3 : share > 0.5 ? 0.3 : 0;
    const double at = all * (share + beyond / (fmin(all, all * all / squares) + 1));
    for (size_t i = 0; i < results->count; i++) {
        double below = 0;
        for (size_t k = 0; k < results->count; k++)
            if (grown(&results->result[k]) <= grown(&results->result[i]))
                below += counted(results, &results->result[k], asked, ends);
        if (below >= at - 1e-12) least = fmin(least, grown(&results->result[i]));
    }
    return least;
}

Test(error_bars, ratios_are_those_of_the_definition)
{
    struct rk_error error;
    struct error_bars *bars = malloc(sizeof *bars);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct results results = {0};
        state = seed * 88172645463325252u;
        for (int i = 0; i < 80; i++)
            add_drawn(&results);
        cr_assert_eq(error_bars_learn(bars, &results, &error), RK_OK);
        for (size_t i = 0; i < 10; i++) {
            const struct result *r = &results.result[i];
            const struct error_request request = error_request_of(r);
            struct error_class c;
            cr_assert(error_bar_of(bars, &request, &c));
            for (int k = 1; k < ERROR_SHARES - 1; k++) {
                const double ratio =
                    expected(&results, r, error_shares[k]) * error_width(r->products);
                cr_expect(fabs(log(c.ratio[k]) - ratio) < 1e-9, "seed %llu, row %zu, %g: %g, %g",
                          (unsigned long long)seed, i, error_shares[k], log(c.ratio[k]), ratio);
            }
            const double least =
                fmin(expected(&results, r, 0.05) * error_width(r->products), log(c.ratio[1]));
            cr_expect(fabs(log(c.ratio[0]) - least) < 1e-9, "seed %llu, row %zu",
                      (unsigned long long)seed, i);
        }
        free(results.result);
    }
    free(bars);
}

/* A hundred runs of one source count as much as one of another. */
Test(error_bars, each_source_counts_once)
{
    struct results results = {0};
    struct error_class c;
    add_sources(&results, 9, "h100-sxm5-80g", 128, 0);
    add(&results, 100, "many", "h100-sxm5-80g", 128, 0, 0); /* all at 1 */
    struct error_bars *bars = learn(&results);
    cr_assert(ask(bars, "h100-sxm5-80g", 128, 0, &c));
    cr_expect_eq(c.runs, 109);
    cr_expect_eq(c.sources, 10);
    NEAR(c.ratio[0], 1);
    NEAR(c.ratio[2], 1.4);
    NEAR(c.ratio[4], 1.9);
    free(bars);
}

/* What is not products is less certain, and a new source less than one that was read. */
Test(error_bars, wider_where_less_is_known)
{
    struct error_bars *bars = learned();
    struct rk_model model = {.sequence = 2048};
    const struct rk_plan plan = rk_plan_default();
    struct error_class sure, unsure;
    struct error_request request = {&model, "h100-sxm5-80g", &plan, 1e9, 1, PUBLISHED_UNKNOWN};
    cr_assert(error_bar_of(bars, &request, &sure));
    request.products = 0.35;
    cr_assert(error_bar_of(bars, &request, &unsure));
    for (int i = 0; i < ERROR_SHARES; i++)
        NEAR(log(unsure.ratio[i]), log(sure.ratio[i]) * exp(0.7));
    free(bars);
}

Test(error_bars, a_new_source_is_further_off_than_one_that_was_read)
{
    struct error_class unread, read;
    for (int again = 0; again < 2; again++) {
        struct results results = {0};
        add_sources(&results, 9, "h100-sxm5-80g", 128, 0);
        for (size_t i = 0; again && i < results.count; i++) {
            results.result[i].came = 0;
            results.result[i].came_error = NAN;
        }
        struct error_bars *bars = learn(&results);
        cr_assert(ask(bars, "h100-sxm5-80g", 128, 0, again ? &read : &unread));
        free(bars);
    }
    for (int i = 0; i < ERROR_SHARES; i++) { /* and those that were read are few sources' worth */
        const double grown = 1.5 * log(unread.ratio[i]), now = log(read.ratio[i]);
        cr_expect(i < 2 ? now <= grown + 1e-12 : i > 2 ? now >= grown - 1e-12 : true);
    }
    NEAR(log(read.ratio[2]), 1.5 * log(unread.ratio[2]));
    cr_expect_lt(log(read.ratio[1]), 1.5 * log(unread.ratio[1]));
    cr_expect_gt(log(read.ratio[3]), 1.5 * log(unread.ratio[3]));
}

/* What was read for afterwards is not what a new source will get: the first prediction stays. */
Test(error_bars, sources_count_as_they_came)
{
    struct results results = {0};
    struct error_class c;
    add_sources(&results, 9, "h100-sxm5-80g", 128, 0);
    for (size_t i = 0; i < results.count; i++)
        results.result[i].error = 0;
    struct error_bars *bars = learn(&results);
    cr_assert(ask(bars, "h100-sxm5-80g", 128, 0, &c));
    NEAR(c.ratio[2], 1.5);
    free(bars);
}

/* Benchmarks and ordinary runs have ranges of their own where somebody asks for one of them. */
Test(error_bars, published_apart)
{
    struct results results = {0};
    add_sources(&results, 9, "h100-sxm5-80g", 128, 0);
    for (size_t i = 0; i < results.count; i++)
        snprintf(results.result[i].class_of[CLASS_PUBLISHED], FACT_TEXT, "%s",
                 i < 5 ? "benchmark" : "ordinary");
    struct error_bars *bars = learn(&results);
    struct rk_model model = {.sequence = 2048};
    const struct rk_plan plan = rk_plan_default();
    struct error_request request = {&model, "h100-sxm5-80g", &plan, 1e9, 1, PUBLISHED_BENCHMARK};
    struct error_class all, benchmarks, ordinary;
    cr_assert(error_bar_of(bars, &request, &benchmarks));
    cr_expect_str_eq(benchmarks.of, "Hopper, dense, megatron, benchmarks");
    cr_expect_eq(benchmarks.runs, 5);
    request.published = PUBLISHED_ORDINARY;
    cr_assert(error_bar_of(bars, &request, &ordinary));
    request.published = PUBLISHED_UNKNOWN;
    cr_assert(error_bar_of(bars, &request, &all));
    cr_expect_eq(all.runs, 9);
    cr_expect_lt(benchmarks.ratio[2], all.ratio[2]);
    cr_expect_lt(all.ratio[2], ordinary.ratio[2]);
    free(bars);
}

Test(error_bars, share_of_runs_below_a_ratio)
{
    const struct error_class c = {.ratio = {0.9, 1, 1.1, 1.2, 1.4}};
    NEAR(error_share_below(&c, 1.1), 0.5);
    NEAR(error_share_below(&c, 1.05), 0.375);
    NEAR(error_share_below(&c, 0.85), 0.025);
    NEAR(error_share_below(&c, 0.5), 0);
    NEAR(error_share_below(&c, 1.5), 0.975);
    NEAR(error_share_below(&c, 2), 1);
}

/* Sources alike: the one that is left out lies within the others' ranges; one that is far off does
 * not. */
Test(error_bars, how_often_they_hold)
{
    struct results results = {0};
    struct error_coverage coverage;
    struct rk_error error;
    add_sources(&results, 9, "h100-sxm5-80g", 128, 0);
    cr_assert_eq(error_bars_coverage(&results, ERROR_TIMES, TRIAL_EACH, &coverage, &error), RK_OK);
    cr_expect_eq(coverage.sources, 9);
    NEAR(coverage.most, 7 / 9.0); /* but for the first and the last */
    NEAR(coverage.most_of_runs, 7 / 9.0);
    NEAR(coverage.one, coverage.score);  /* all of one class */
    NEAR(coverage.best, log(1.9 / 1.1)); /* holds them all */
    const double width = log(1.9 / 1.1), ends = log(1.2 / 1.1) + log(1.9 / 1.8);
    NEAR(coverage.score, width - ends / 9 + 20 * ends / 9);
    cr_assert_eq(error_bars_coverage(&results, ERROR_TIMES, TRIAL_THIRDS, &coverage, &error),
                 RK_OK);
    NEAR(coverage.most, 7 / 9.0); /* 1, 4, 7 of the six others; ... */
    results.result[0].came = 0;
    results.result[0].came_error = NAN;
    cr_assert_eq(error_bars_coverage(&results, ERROR_TIMES, TRIAL_UNREAD, &coverage, &error),
                 RK_OK);
    cr_expect_eq(coverage.sources, 8);
    cr_assert_eq(error_bars_coverage(&results, ERROR_TIMES, TRIAL_OLDER, &coverage, &error), RK_OK);
    cr_expect_eq(coverage.sources, 8);
    NEAR(coverage.most, 0); /* learned from the first alone, at 1.5 of its error */
    results.result[4].came++;
    cr_assert_eq(error_bars_coverage(&results, ERROR_TIMES, TRIAL_OLDER, &coverage, &error), RK_OK);
    NEAR(coverage.most, 1 / 8.0); /* the fifth is learned from all others */
    free(results.result);
}

Test(error_bars, warnings_outside_what_was_validated)
{
    struct error_bars *bars = learned();
    const struct rk_model model = {.sequence = 1 << 20};
    struct rk_plan plan = rk_plan_default();
    plan.ranks = 1 << 17;
    plan.tensor = 8;
    plan.precision = RK_NVFP4;
    const struct error_request request = {&model, "h100-sxm5-80g",  &plan, 1e9,
                                          1,      PUBLISHED_UNKNOWN};
    char text[160];
    cr_assert(error_bar_warning(bars, &request, 0, text, sizeof text));
    cr_expect_str_eq(text, "GPUs: 131072; compared runs had 8 to 1024");
    cr_assert(error_bar_warning(bars, &request, 1, text, sizeof text));
    cr_expect_str_eq(text, "tokens of a sample: 1048576; compared runs had 2048 to 2048");
    cr_assert(error_bar_warning(bars, &request, 2, text, sizeof text));
    cr_expect_str_eq(text, "precision nvfp4: no compared run had it");
    cr_expect_not(error_bar_warning(bars, &request, 3, text, sizeof text), "%s", text);
    free(bars);
}

static bool is_named(const struct rk_model *model, const struct rk_plan *plan, const char *name)
{
    static char names[MOST_CHOICES][CHOICE_TEXT];
    const int count = choices_of(model, plan, "Hopper", names);
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* A member is one choice, or one for each tier. */
Test(error_bars, choices_have_room)
{
    int most = 1; /* the generation */
    for (const struct field *field = plan_fields; field->key; field++)
        most += field->type == FIELD_SHARE ? FIELD_COLUMNS : 1;
    for (const struct field *field = model_fields; field->key; field++)
        most++;
    cr_expect_leq(most, MOST_CHOICES);
}

/* By hand; and whatever member of the table is not as usual has a name, so that none is forgotten.
 */
Test(error_bars, choices_by_name)
{
    static char names[MOST_CHOICES][CHOICE_TEXT];
    struct rk_model model = {.encoder_sequence = 512, .experts = 8, .gated_mlp = true};
    struct rk_plan plan = rk_plan_default();
    const int few = choices_of(&model, &plan, "Hopper", names);
    cr_expect_eq(few,
                 6); /* with what a file without the keys would have: tied_embeddings, biases */
    cr_expect(is_named(&model, &plan, "model no-biases"));
    cr_expect(is_named(&model, &plan, "model encoder_sequence"));
    cr_expect(is_named(&model, &plan, "generation Hopper"));
    plan.sequence_chunks = 8;
    plan.recompute_rest = plan.sequence_parallel = true;
    plan.tensor = 2; /* else the latter means nothing */
    plan.fused = false;
    plan.zero = 2;
    plan.schedule = RK_ZERO_BUBBLE; /* of one stage: means nothing */
    plan.recompute = RK_SELECTIVE;
    plan.recompute_parts = 1u << RK_PART_MLP;
    rk_plan_offload_activations(&plan, 0.5);
    plan.share[RK_SHARE_ATTENTION][1] = 0.25;
    plan.share[RK_SHARE_OPTIMIZER][0] = 1;
    static const char *const said[] = {"seq-chunks",
                                       "recompute-rest",
                                       "sp",
                                       "no-fused",
                                       "zero 2",
                                       "recompute selective",
                                       "recompute-parts mlp",
                                       "offload-activations",
                                       "offload-optimizer",
                                       "offload-activations to memory tier 2"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        cr_expect(is_named(&model, &plan, said[i]), "%s", said[i]);
    cr_expect_not(is_named(&model, &plan, "schedule zero-bubble"));
    cr_expect_eq(choices_of(&model, &plan, "Hopper", names), few + 11);
    plan.pipeline = 2;
    cr_expect(is_named(&model, &plan, "schedule zero-bubble"));
    model.experts = plan.expert = plan.context = 2; /* so that all members mean something */
    plan.recompute = RK_SELECTIVE;
    for (const struct field *field = plan_fields; field->key; field++) {
        struct plan_draft draft = {.plan = plan}, usual = plan_draft();
        if (!field->word || !field_size(field)) continue;
        if (strcmp(field->key, "recompute_layers") == 0) draft.plan.recompute = RK_WHOLE;
        double number = field_value(field, &usual) + 1;
        field_store(field, &draft, field_value(field, &usual));
        const int without = choices_of(&model, &draft.plan, "Hopper", names);
        if (field->type == FIELD_BOOL) number = field_value(field, &usual) == 0;
        if (field->type == FIELD_SHARE) number = 0.5;
        field_store(field, &draft, number);
        const bool derived = strcmp(field->key, "data") == 0; /* of the draft alone */
        cr_expect(derived || choices_of(&model, &draft.plan, "Hopper", names) > without, "%s",
                  field->key);
    }
}

Test(error_bars, the_file_says_the_same)
{
    static const char path[] = "test_facts_error_bar.json";
    struct error_bars *bars = learned(), *again = malloc(sizeof *again);
    struct rk_error error = {.text = ""};
    char *text = error_bars_text(bars);
    FILE *file = fopen(path, "w");
    cr_assert(text && file);
    fputs(text, file);
    fclose(file);
    cr_assert_eq(error_bars_load(path, again, &error), RK_OK, "%s", error.text);
    remove(path);
    cr_expect_eq(again->classes, bars->classes);
    cr_expect_eq(again->seens, bars->seens);
    struct error_class c;
    cr_assert(ask(again, "h100-sxm5-80g", 128, 0, &c));
    cr_expect_str_eq(c.of, "Hopper, dense, megatron");
    NEAR(c.ratio[4], 1.9);
    free(text);
    free(bars);
    free(again);
}

Test(error_bars, the_catalog_has_them)
{
    struct error_bars *bars = malloc(sizeof *bars);
    struct rk_error error = {.text = ""};
    cr_assert_eq(error_bars_load(RECKON_TEST_SOURCE "/data/measured/error_bars.json", bars, &error),
                 RK_OK, "%s", error.text);
    struct error_class c;
    cr_assert(ask(bars, "h100-sxm5-80g nvl8", 128, 0, &c));
    cr_expect_geq(c.sources, 6);
    cr_expect(c.ratio[0] > 0.2 && c.ratio[4] < 5);
    free(bars);
}

/* Peaks have classes of their own, by framework; static bytes do not count. */
Test(error_bars, peaks_of_memory)
{
    struct results results = {0};
    add_sources(&results, 7, "h100-sxm5-80g", 128, 0);
    for (size_t i = 0; i < 7; i++)
        results.result[i].kind = i % 2 ? FIGURE_ALLOCATED : FIGURE_USED;
    add_sources(&results, 9, "h100-sxm5-80g", 8, 0);
    for (size_t i = 7; i < 16; i++) {
        results.result[i].kind = i < 10 ? FIGURE_RESERVED : FIGURE_STATIC;
        results.result[i].judgement.plan.framework = RK_FSDP;
    }
    struct error_bars *bars = learn(&results);
    struct rk_model model = {.sequence = 2048};
    struct rk_plan plan = rk_plan_default();
    struct error_class c;
    const struct error_request request = {&model, "a100-sxm4-80g",  &plan, 1e9,
                                          1,      PUBLISHED_UNKNOWN};
    cr_assert(error_bar_of_memory(bars, &request, &c));
    cr_expect_str_eq(c.of, "peak memory, megatron, dense");
    cr_expect_eq(c.runs, 7);
    plan.framework = RK_FSDP;
    cr_assert(error_bar_of_memory(bars, &request, &c));
    cr_expect_str_eq(c.of, "peak memory, fsdp, dense");
    cr_expect_eq(c.runs, 3);
    plan.framework = RK_DEEPSPEED;
    cr_assert(error_bar_of_memory(bars, &request, &c));
    cr_expect_str_eq(c.of, "peak memory, dense");
    cr_expect_eq(c.runs, 10);
    free(bars);
}

/* Steps that leave a quarter of the variance: half of the ends' logarithms, a quarter of the
 * middle's; the class's own median fades as they correct it. All of it left changes nothing,
 * nothing left is certainty. */
Test(facts_error_bar, narrowed_by_measured_steps)
{
    const struct error_class whole = {.ratio = {0.5, 0.8, 1.1, 1.3, 2}};
    struct error_class bar = whole;
    error_bar_narrow(&bar, 1);
    for (int i = 0; i < ERROR_SHARES; i++)
        cr_expect_float_eq(bar.ratio[i], whole.ratio[i], 1e-12);
    error_bar_narrow(&bar, 0.25);
    cr_expect_float_eq(bar.ratio[2], pow(1.1, 0.25), 1e-12);
    cr_expect_float_eq(bar.ratio[0], pow(1.1, 0.25) * sqrt(0.5 / 1.1), 1e-12);
    cr_expect_float_eq(bar.ratio[1], pow(1.1, 0.25) * pow(0.8 / 1.1, 0.25), 1e-12);
    cr_expect_float_eq(bar.ratio[3], pow(1.3, 0.25), 1e-12);
    cr_expect_float_eq(bar.ratio[4], pow(1.1, 0.25) * sqrt(2 / 1.1), 1e-12);
    bar = whole;
    error_bar_narrow(&bar, 0);
    for (int i = 0; i < ERROR_SHARES; i++)
        cr_expect_float_eq(bar.ratio[i], 1, 1e-12);
}
