/* bench_generate: GPT-2 124M's shape continues texts, beside what memory gives.
 *
 * A token reads each weight once, so that the least time is their bytes over the rate at which one
 * thread reads memory, which is measured between the tokens. Before times count, texts are
 * compared: one alone, eight together, and on two threads. Prints JSON lines.
 */
#include <reckon/reckon.h>
#include <reckon/train.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TOKENS = 24, TEXTS = 8, PROMPT = 8, ARRAY = 1 << 26 };

/* This thread's processor time, which waits for memory but for no other program. */
static double passed_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* 256 MiB, in eight sums. */
static double read_all(const uint64_t *x)
{
    uint64_t sum[8] = {0};
    const double from = passed_s();
    for (size_t i = 0; i < ARRAY / 2; i += 8)
        for (size_t l = 0; l < 8; l++)
            sum[l] ^= x[i + l];
    const double took_s = passed_s() - from;
    return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7] == 1 ? 0 : took_s;
}

struct watch {
    const uint64_t *array;
    double since_s, token_s, read_s; /* the least of each */
    uint64_t texts, seen;
    uint32_t token[TEXTS][TOKENS];
    uint64_t count[TEXTS];
};

static bool on_token(void *context, uint64_t text, uint32_t token)
{
    struct watch *w = context;
    w->token[text][w->count[text]++] = token;
    if (++w->seen % w->texts) return true;
    const double took_s = passed_s() - w->since_s;
    if (w->seen > 2 * w->texts && took_s < w->token_s) w->token_s = took_s;
    const double read_s = read_all(w->array);
    if (read_s < w->read_s) w->read_s = read_s;
    w->since_s = passed_s();
    return true;
}

static void fail(const char *text)
{
    fprintf(stderr, "%s\n", text);
    exit(1);
}

static void bench(struct watch *w, const struct rk_model *model, const char *load, uint64_t texts,
                  int threads)
{
    struct rk_error error;
    struct rk_system system;
    struct rk_train train = rk_train_default();
    uint32_t prompt[TEXTS][PROMPT];
    struct rk_prompt prompts[TEXTS];
    for (uint32_t t = 0; t < TEXTS; t++) {
        for (uint32_t i = 0; i < PROMPT; i++)
            prompt[t][i] = (t * 7919 + i * 104729) % 50257;
        prompts[t] = (struct rk_prompt){prompt[t], PROMPT};
    }
    if (rk_system_load("h100-sxm5-80g", &system, &error) != RK_OK) fail(error.text);
    train.threads = threads;
    memset(w->count, 0, sizeof w->count);
    w->texts = texts;
    w->seen = 0;
    w->token_s = w->read_s = 1e9;
    const struct rk_generate g = {.load = load,
                                  .system = &system,
                                  .prompt = prompts,
                                  .prompts = texts,
                                  .tokens = TOKENS,
                                  .token = on_token,
                                  .context = w};
    if (rk_generate_tokens(model, &train, &g, &error) != RK_OK) fail(error.text);
    rk_system_release(&system);
    const double positions = (double)model->sequence * (double)model->hidden;
    const double bytes = 4 * (rk_model_parameters(model) - positions);
    const double rate = ARRAY / 2 * 8.0 / w->read_s;
    printf(
        "{\"bench\": \"generate\", \"model\": \"%s\", \"texts\": %d, \"threads\": %d, "
        "\"token_ms\": %.2f, \"tokens_per_s\": %.1f, \"read_GBps\": %.2f, \"memory_GBps\": %.2f, "
        "\"share\": %.3f}\n",
        model->id, (int)texts, threads, 1e3 * w->token_s, (double)texts / w->token_s,
        bytes / w->token_s / 1e9, rate / 1e9, bytes / w->token_s / rate);
    fflush(stdout);
}

static void train_once(const struct rk_model *model, const char *data, const char *folder)
{
    struct rk_error error;
    struct rk_system system;
    struct rk_plan plan;
    struct rk_train_result result;
    struct rk_train train = rk_train_default();
    train.steps = 1;
    const struct rk_train_run run = {.data = data, .system = &system, .save = folder};
    if (rk_system_load("h100-sxm5-80g", &system, &error) != RK_OK ||
        rk_plan_parse("gbs1 seq64 precision=fp32", &plan, &error) != RK_OK ||
        rk_train_threads(model, &plan, &train, &run, &result, &error) != RK_OK)
        fail(error.text);
    rk_system_release(&system);
}

int main(void)
{
    static struct watch one, many, threads;
    struct rk_model model;
    struct rk_error error;
    char folder[] = "bench-generate-XXXXXX", data[64], remove[96];
    uint64_t *array = malloc(ARRAY / 2 * sizeof *array);
    if (!array || !mkdtemp(folder) || rk_model_load("gpt2-124m", &model, &error) != RK_OK) return 1;
    for (size_t i = 0; i < ARRAY / 2; i++)
        array[i] = i;
    snprintf(data, sizeof data, "%s/data", folder);
    FILE *file = fopen(data, "w");
    for (int i = 0; file && i < 4096; i++)
        fputc(i * 7919 % 251, file);
    if (!file || fclose(file) != 0) return 1;
    train_once(&model, data, folder);
    one.array = many.array = threads.array = array;
    bench(&one, &model, folder, 1, 1);
    bench(&threads, &model, folder, 1, 2);
    bench(&many, &model, folder, TEXTS, 1);
    if (memcmp(one.token[0], many.token[0], sizeof one.token[0]) != 0 ||
        memcmp(one.token[0], threads.token[0], sizeof one.token[0]) != 0)
        fail("texts differ by their company, or by the number of threads");
    snprintf(remove, sizeof remove, "rm -r %s", folder);
    free(array);
    return system(remove) != 0;
}
