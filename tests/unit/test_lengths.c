/* Lengths of samples: what padding and packing make of them, against lengths drawn one by one. */
#include "layer_cases.h"
#include <reckon/lengths.h>

#include <math.h>
#include <reckon/catalog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEAR(value, wanted, share) cr_expect_float_eq(value, wanted, (share) * (wanted), #value)

static struct rk_lengths lengths_of(const char *text)
{
    char path[] = "lengths-XXXXXX";
    struct rk_lengths lengths;
    struct rk_error error;
    FILE *file = fdopen(mkstemp(path), "w");
    fputs(text, file);
    fclose(file);
    cr_assert_eq(rk_lengths_load(path, &lengths, &error), RK_OK, "%s", error.text);
    remove(path);
    return lengths;
}

/* A histogram, and the same samples as a list. */
static const char histogram[] = "# tokens samples\n100 50\n250 30\n\n900 15 # rare\n4000 5\n";
static const double drawn[] = {100, 250, 900, 4000};
static const int shares[] = {50, 80, 95, 100};

static double next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static double draw(uint64_t *state)
{
    const double u = 100 * next(state);
    int i = 0;
    while (u >= shares[i])
        i++;
    return drawn[i];
}

static int down(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The mean of the longest of microbatches, drawn; sorted: out of 50 microbatches that were. */
static double drawn_padded(int samples, bool sorted)
{
    enum { ROUNDS = 4000, MICROBATCHES = 50, MOST = 16 };
    uint64_t state = 7;
    double sum = 0, tokens[MICROBATCHES * MOST];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < MICROBATCHES * samples; i++)
            tokens[i] = draw(&state);
        if (sorted) qsort(tokens, (size_t)(MICROBATCHES * samples), sizeof *tokens, down);
        for (int at = 0; at < MICROBATCHES * samples; at += samples) {
            double longest = 0;
            for (int i = at; i < at + samples; i++)
                longest = fmax(longest, tokens[i]);
            sum += longest;
        }
    }
    return sum / ROUNDS / MICROBATCHES;
}

Test(lengths, padded_as_drawn)
{
    struct rk_lengths lengths = lengths_of(histogram);
    NEAR(rk_lengths_mean(&lengths), 460, 1e-12);
    NEAR(rk_lengths_padded(&lengths, 1), 460, 1e-12);
    for (int samples = 2; samples <= 16; samples *= 2) {
        NEAR(rk_lengths_padded(&lengths, (uint64_t)samples), drawn_padded(samples, false), 0.01);
        NEAR(rk_lengths_grouped(&lengths, (uint64_t)samples), drawn_padded(samples, true), 0.03);
    }
    rk_lengths_release(&lengths);
}

/* A list gives what its histogram does, in any order. */
Test(lengths, list_and_histogram)
{
    struct rk_lengths list = lengths_of("900\n100\n100\n4000\n"),
                      bars = lengths_of("4000\n900 1\n100 2\n");
    NEAR(rk_lengths_padded(&list, 3), rk_lengths_padded(&bars, 3), 1e-12);
    NEAR(rk_lengths_packed(&list), (2 * 1e4 + 81e4 + 1600e4) / 5100, 1e-12);
    rk_lengths_cut(&list, 1000);
    NEAR(rk_lengths_mean(&list), 525, 1e-12);
    rk_lengths_release(&list);
    rk_lengths_release(&bars);
}

/* Between mean and longest: the moments of the density, by its integral. */
Test(lengths, mean_and_longest)
{
    static const struct {
        const char *said;
        double mean, longest;
    } cases[] = {{"300:4096", 300, 4096},
                 {"2048:4096", 2048, 4096},
                 {"3500:4096", 3500, 4096},
                 {"512:512", 512, 512}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rk_lengths lengths;
        struct rk_error error;
        cr_assert_eq(rk_lengths_load(cases[i].said, &lengths, &error), RK_OK, "%s", error.text);
        NEAR(rk_lengths_mean(&lengths), cases[i].mean, 0.002);
        NEAR(rk_lengths_longest(&lengths), cases[i].longest, 1e-12);
        rk_lengths_release(&lengths);
    }
}

/* Of exponential lengths far below the longest, the longest of b is the mean times 1 + 1/2 + ... +
 * 1/b. */
Test(lengths, longest_of_exponential)
{
    struct rk_lengths lengths;
    struct rk_error error;
    cr_assert_eq(rk_lengths_load("200:20000", &lengths, &error), RK_OK, "%s", error.text);
    NEAR(rk_lengths_padded(&lengths, 4), 200 * (1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4), 0.005);
    rk_lengths_release(&lengths);
}

Test(lengths, refused)
{
    static const char *const wrong[] = {"0:100", "200:100", "1:5000", "no-such-file", "5:1e12"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct rk_lengths lengths;
        struct rk_error error;
        cr_expect_neq(rk_lengths_load(wrong[i], &lengths, &error), RK_OK, "%s", wrong[i]);
        rk_lengths_release(&lengths);
    }
}

/* ---- in a prediction ---- */

static struct rk_prediction predict(const char *words)
{
    static struct rk_prediction prediction;
    static struct rk_system system;
    static struct rk_model model;
    struct rk_error error;
    struct rk_plan plan;
    cr_assert_eq(rk_plan_load(words, &plan, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_model_load("llama2-7b", &model, &error), RK_OK);
    if (!system.memories)
        cr_assert_eq(rk_system_load("a100-sxm4-80g", &system, &error), RK_OK, "%s", error.text);
    rk_predict(&model, &system, &plan, &prediction);
    return prediction;
}

#define TUNED "framework=fsdp lora16 base=nf4-dq recompute=full mbs4 gbs16 "

/* Times and rates of samples that are all as long as the mean, memory of those that are longest. */
Test(lengths, time_of_the_mean_memory_of_the_longest)
{
    const struct rk_prediction both = predict(TUNED "seq2048 padded=512");
    const struct rk_prediction mean = predict(TUNED "seq512"), most = predict(TUNED "seq2048");
    cr_assert(both.timed && mean.timed && most.timed);
    cr_expect_eq(both.step_s, mean.step_s);
    cr_expect_eq(both.tokens_per_s, mean.tokens_per_s);
    cr_expect_eq(both.mfu, mean.mfu);
    cr_expect_eq(both.hbm_bytes, most.hbm_bytes);
    for (int i = 0; i < RK_HOLDING_COUNT; i++)
        cr_expect_eq(both.holds[i], most.holds[i], "%s", rk_holding_name((enum rk_holding)i));
}

Test(lengths, contradictions)
{
    static const char *const wrong[] = {"seq512 padded=1024", "seq2048 padded=512 packed=256"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char words[256];
        snprintf(words, sizeof words, TUNED "%s", wrong[i]);
        cr_expect_eq(predict(words).verdict, RK_BAD_OPTION, "%s", wrong[i]);
    }
}
