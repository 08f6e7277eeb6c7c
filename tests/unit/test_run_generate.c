/* Generation: what is worked out once and kept brings what whole texts bring; texts do not depend
 * on their company; choices are what they are said to be; weights in files are read right. */
#include "run/choose.h"
#include "run/real/decode.h"
#include "run/real/sixteen.h"
#include "run_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROMPT = 5, TEXTS = 3, MOST = 64 };

struct texts {
    uint32_t token[TEXTS][MOST];
    uint64_t count[TEXTS];
};

static bool note(void *context, uint64_t text, uint32_t token)
{
    struct texts *t = context;
    t->token[text][t->count[text]++] = token;
    return true;
}

static const struct rk_system *any_system(void)
{
    static struct rk_system system;
    struct rk_error error;
    if (!*system.id) cr_assert_eq(rk_system_load("h100-sxm5-80g", &system, &error), RK_OK);
    return &system;
}

/* A checkpoint of a model that has learned a little; the caller removes it. */
static const char *trained(const struct rk_model *model, struct rk_train train)
{
    static char folder[64];
    struct rk_plan plan;
    struct rk_train_result result;
    struct rk_error error;
    snprintf(folder, sizeof folder, P_tmpdir "/reckon-generate-%d", (int)getpid());
    const struct rk_train_run run = {.data = run_data(), .system = any_system(), .save = folder};
    cr_assert_eq(rk_plan_parse("mbs2 gbs4 precision=fp32", &plan, &error), RK_OK);
    cr_assert_eq(rk_train_threads(model, &plan, &train, &run, &result, &error), RK_OK, "%s",
                 error.text);
    return folder;
}

static void forget(const char *folder)
{
    char line[128];
    snprintf(line, sizeof line, "rm -r %s", folder);
    cr_assert_eq(system(line), 0);
}

/* Texts from `first` on, of different lengths. */
static void generate(const struct rk_model *model, const struct rk_train *train, const char *load,
                     struct rk_generate g, uint64_t first, uint64_t count, struct texts *texts)
{
    uint32_t token[TEXTS][MOST];
    struct rk_prompt prompt[TEXTS];
    struct rk_error error;
    for (uint64_t t = 0; t < count; t++) {
        const uint64_t n = PROMPT + 3 * (first + t);
        for (uint32_t i = 0; i < n; i++)
            token[t][i] = (uint32_t)((first + t) * 31 + i * 17) % 250;
        prompt[t] = (struct rk_prompt){token[t], n};
    }
    g.load = load;
    g.system = any_system();
    g.prompt = prompt;
    g.prompts = count;
    g.token = note;
    g.context = texts;
    memset(texts, 0, sizeof *texts);
    cr_assert_eq(rk_generate_tokens(model, train, &g, &error), RK_OK, "%s: %s", model->id,
                 error.text);
}

/* Each token must be the likeliest behind the whole text before it, by a forward pass over all. */
static void check_greedy(const struct rk_model *model, const struct rk_train *train,
                         const char *load, const struct texts *texts)
{
    uint32_t token[MOST];
    struct rk_token_score scores[MOST];
    struct rk_plan plan;
    struct rk_error error;
    for (uint32_t i = 0; i < PROMPT; i++)
        token[i] = i * 17 % 250;
    memcpy(token + PROMPT, texts->token[0], texts->count[0] * sizeof *token);
    const struct rk_sequence sequence = {token, PROMPT + texts->count[0], PROMPT};
    const struct rk_score score = {
        .load = load, .system = any_system(), .sequence = &sequence, .sequences = 1};
    cr_assert_eq(rk_plan_parse("precision=fp32", &plan, &error), RK_OK);
    cr_assert_eq(rk_score_threads(model, &plan, train, &score, scores, &error), RK_OK, "%s",
                 error.text);
    for (uint64_t i = 0; i < texts->count[0]; i++)
        cr_expect(scores[i].likeliest, "%s: token %llu", model->id, (unsigned long long)i);
}

Test(run_generate, as_whole_texts)
{
    for (int i = 0; i < RUN_MODELS; i++)
        for (int wide = 0; wide < 2; wide++) {
            const struct rk_model model = run_model(i);
            struct rk_train train = run_settings(3);
            struct texts texts;
            train.double_precision = wide;
            train.arithmetic = run_arithmetic(&model);
            const char *folder = trained(&model, train);
            generate(&model, &train, folder, (struct rk_generate){.tokens = 20}, 0, 1, &texts);
            check_greedy(&model, &train, folder, &texts);
            forget(folder);
        }
    unlink(run_data());
}

Test(run_generate, in_any_company)
{
    const struct rk_model model = run_model(1);
    struct rk_train train = run_settings(3), more;
    struct texts all, one;
    const struct rk_generate greedy = {.tokens = 16}, warm = {.tokens = 16, .temperature = 1};
    train.double_precision = false;
    more = train;
    more.threads = 3;
    const char *folder = trained(&model, train);
    generate(&model, &more, folder, greedy, 0, TEXTS, &all);
    for (uint64_t t = 0; t < TEXTS; t++) {
        generate(&model, &train, folder, greedy, t, 1, &one);
        cr_expect(memcmp(one.token[0], all.token[t], 16 * sizeof(uint32_t)) == 0, "text %d",
                  (int)t);
    }
    generate(&model, &train, folder, warm, 0, 1, &one);
    generate(&model, &more, folder, warm, 0, TEXTS, &all);
    cr_expect(memcmp(one.token[0], all.token[0], 16 * sizeof(uint32_t)) == 0);
    cr_expect(memcmp(all.token[0], all.token[1], 16 * sizeof(uint32_t)) != 0);
    forget(folder);
    unlink(run_data());
}

/* Logits that are halved are those of twice the temperature. */
Test(run_generate, scaled_logits)
{
    const struct rk_model model = run_model(13);
    struct rk_train half = run_settings(3), whole;
    struct texts a, b, c;
    half.arithmetic = run_arithmetic(&model);
    whole = half;
    whole.arithmetic.logit_scale = 0;
    const char *folder = trained(&model, half);
    generate(&model, &half, folder, (struct rk_generate){.tokens = 20, .temperature = 1}, 0, 1, &a);
    generate(&model, &whole, folder, (struct rk_generate){.tokens = 20, .temperature = 2}, 0, 1,
             &b);
    generate(&model, &whole, folder, (struct rk_generate){.tokens = 20, .temperature = 1}, 0, 1,
             &c);
    cr_expect(memcmp(a.token[0], b.token[0], 20 * sizeof(uint32_t)) == 0);
    cr_expect(memcmp(a.token[0], c.token[0], 20 * sizeof(uint32_t)) != 0);
    forget(folder);
    unlink(run_data());
}

/* A text of more than the context goes on; what came before is what it was. */
Test(run_generate, beyond_the_context)
{
    const struct rk_model model = run_model(0);
    struct rk_train train = run_settings(3);
    struct texts full, longer, again;
    const char *folder = trained(&model, train);
    generate(&model, &train, folder, (struct rk_generate){.tokens = 27}, 0, 1, &full);
    generate(&model, &train, folder, (struct rk_generate){.tokens = 60}, 0, 1, &longer);
    generate(&model, &train, folder, (struct rk_generate){.tokens = 60}, 0, 1, &again);
    cr_expect_eq(longer.count[0], 60);
    cr_expect(memcmp(full.token[0], longer.token[0], 27 * sizeof(uint32_t)) == 0);
    cr_expect(memcmp(again.token[0], longer.token[0], 60 * sizeof(uint32_t)) == 0);
    forget(folder);
    unlink(run_data());
}

/* ---- choices ---- */

enum { WORDS = 40, DRAWS = 20000 };

static double weight_of(uint32_t i)
{
    return (i * 2654435761u % 1000) / 1000.0 * 5;
}

/* How often each word comes, and how many words do. */
static int draw(const struct choice *choice, int *times)
{
    double logits[WORDS], scratch[WORDS];
    int found = 0;
    memset(times, 0, WORDS * sizeof *times);
    for (int n = 0; n < DRAWS; n++) {
        for (uint32_t i = 0; i < WORDS; i++)
            logits[i] = weight_of(i);
        times[choose_word(choice, logits, WORDS, (n + 1.0) / DRAWS, scratch)]++;
    }
    for (int i = 0; i < WORDS; i++)
        found += times[i] > 0;
    return found;
}

static int by_weight(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

Test(run_generate, choices)
{
    int times[WORDS];
    double weight[WORDS], sum = 0, kept = 0;
    for (uint32_t i = 0; i < WORDS; i++)
        sum += weight[i] = exp(weight_of(i) / 0.7);
    cr_expect_eq(draw(&(struct choice){.temperature = 0}, times), 1);
    for (uint64_t top = 1; top <= WORDS; top += 3)
        cr_expect_eq(draw(&(struct choice){.temperature = 9, .top = top}, times), (int)top);
    draw(&(struct choice){.temperature = 0.7}, times);
    for (int i = 0; i < WORDS; i++)
        cr_expect(fabs(times[i] - DRAWS * weight[i] / sum) < 2, "word %d: %d", i, times[i]);
    qsort(weight, WORDS, sizeof *weight, by_weight);
    for (int n = 0; n < WORDS; n++) { /* just below and above what n + 1 words reach */
        kept += weight[n];
        const double share = kept / sum;
        if (n + 1 < WORDS &&
            draw(&(struct choice){.temperature = 0.7, .share = share * 1.0001}, times) != n + 2)
            cr_expect(weight[n + 1] / sum * DRAWS < 2, "%d words and one more", n + 1);
        if (draw(&(struct choice){.temperature = 0.7, .share = share * 0.9999}, times) != n + 1)
            cr_expect(weight[n] / sum * DRAWS < 2, "%d words", n + 1);
    }
}

/* ---- weights in files ---- */

static float value_in(const struct mapped *w, size_t at)
{
    return w->type == MAPPED_F32    ? ((const float *)w->data)[at]
           : w->type == MAPPED_BF16 ? of_bf16(((const uint16_t *)w->data)[at])
                                    : of_fp16(((const uint16_t *)w->data)[at]);
}

static void check_mapped(size_t m, size_t n, size_t k, enum mapped_type type, bool turned)
{
    const size_t ld = (turned ? n : k) + 5, elements = ld * (turned ? k : n);
    float *wide = malloc(elements * sizeof *wide), *x = malloc(m * k * sizeof *x);
    float *y = malloc(m * (n + 3) * sizeof *y);
    uint16_t *low = malloc(elements * sizeof *low);
    cr_assert(wide && x && y && low);
    for (size_t i = 0; i < elements; i++) {
        wide[i] = (float)rand() / (float)RAND_MAX - 0.5f;
        low[i] = type == MAPPED_BF16 ? bf16_of(wide[i]) : fp16_of(wide[i]);
    }
    for (size_t i = 0; i < m * k; i++)
        x[i] = (float)rand() / (float)RAND_MAX - 0.5f;
    const struct mapped w = {type == MAPPED_F32 ? (void *)wide : low, type, turned ? 1 : ld,
                             turned ? ld : 1};
    cr_assert(mapped_product(2, m, n, k, x, &w, y, n + 3));
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++)
                sum += (double)x[i * k + l] * (double)value_in(&w, j * w.row + l * w.col);
            cr_assert(fabs((double)y[i * (n + 3) + j] - sum) < 1e-5 * sqrt((double)k),
                      "%zu x %zu x %zu, type %d", m, n, k, type);
        }
    free(wide);
    free(x);
    free(y);
    free(low);
}

Test(run_generate, weights_in_files)
{
    static const size_t shapes[][2] = {{1, 1}, {5, 7}, {64, 48}, {300, 33}, {31, 300}, {700, 530}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t m = 1; m < 20; m += m < 3 ? 1 : 8)
            for (int type = MAPPED_F32; type <= MAPPED_F16; type++)
                for (int turned = 0; turned < 2; turned++)
                    check_mapped(m, shapes[s][0], shapes[s][1], (enum mapped_type)type, turned);
}
