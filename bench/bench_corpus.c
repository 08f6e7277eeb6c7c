/* Cleaning and encoding a text beside `cat` and `sort` of the same lines: ratios of one run. */
#include "bench.h"

#include "corpus/curate.h"
#include "tokens/encoder.h"
#include "tokens/train.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DOCUMENTS = 10000, WORDS = 250, DICTIONARY = 30000, RUNS = 3 };

static uint64_t state = 1;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

/* Every fifth document says nearly what the one before says. */
static double write_documents(const char *path, const char *text_path)
{
    static uint32_t word[WORDS];
    FILE *file = fopen(path, "w"), *plain = fopen(text_path, "w");
    check(file && plain, "there is room for a file");
    for (int i = 0; i < DOCUMENTS; i++) {
        for (int k = 0; k < WORDS && i % 5 != 4; k++)
            word[k] =
                draw(DICTIONARY) * draw(DICTIONARY) / DICTIONARY; /* rare ones and frequent ones */
        word[draw(WORDS)] = draw(DICTIONARY);
        fprintf(file, "{\"text\": \"");
        for (int k = 0; k < WORDS; k++) {
            char text[16];
            int size = 0;
            for (uint32_t rest = word[k] + 26; rest; rest /= 26)
                text[size++] = (char)('a' + rest % 26);
            fprintf(file, "%.*s%s", size, text, k % 15 == 14 ? ".\\n" : " ");
            fprintf(plain, "%.*s%s", size, text, k % 15 == 14 ? ".\n" : " ");
        }
        fprintf(file, "\"}\n");
    }
    const double bytes = (double)ftell(plain);
    fclose(file);
    fclose(plain);
    return bytes;
}

static double command_s(const char *command)
{
    double best_s = INFINITY;
    for (int run = 0; run < RUNS; run++) {
        const double start_s = now_s();
        check(system(command) == 0, command);
        best_s = fmin(best_s, now_s() - start_s);
    }
    return best_s;
}

static double clean_s(const char *input, const char *table, int threads)
{
    const struct curate_options options = {.input = &input,
                                           .inputs = 1,
                                           .folder = "corpus",
                                           .table = table,
                                           .threads = threads,
                                           .quality = false,
                                           .threshold = 0.8};
    double best_s = INFINITY;
    for (int run = 0; run < RUNS; run++) {
        struct curate_report report;
        struct languages *languages;
        struct rk_error error;
        check(system("rm -rf corpus") == 0, "rm");
        const double start_s = now_s();
        check_status(curate(&options, &report, &languages, &error), &error);
        best_s = fmin(best_s, now_s() - start_s);
        check(report.split[SPLIT_TRAIN].documents == DOCUMENTS - DOCUMENTS / 5,
              "each near duplicate is found, and nothing else");
        languages_free(languages);
    }
    return best_s;
}

static bool count_ids(void *context, const uint32_t *id, size_t count, bool ends)
{
    (void)id;
    (void)ends;
    *(uint64_t *)context += count;
    return true;
}

static double encode_s(const struct tokenizer *t, const char *text, size_t size, int threads)
{
    static uint64_t expected;
    double best_s = INFINITY;
    for (int run = 0; run < RUNS; run++) {
        struct encoder *encoder = encoder_open(t, threads);
        uint64_t ids = 0;
        const double start_s = now_s();
        check(encoder && encoder_put(encoder, text, size, true) &&
                  encoder_flush(encoder, count_ids, &ids),
              "the text is encoded");
        best_s = fmin(best_s, now_s() - start_s);
        if (!expected) expected = ids;
        check(ids == expected, "the same tokens for any number of threads");
        encoder_close(encoder);
    }
    return best_s;
}

static char *load(const char *path, size_t size)
{
    FILE *file = fopen(path, "r");
    char *text = malloc(size);
    check(file && text && fread(text, 1, size, file) == size, "the text is read back");
    fclose(file);
    return text;
}

static void say(const char *what, int threads, double bytes, double seconds, double cat_s,
                double sort_s)
{
    printf("{\"bench\": \"corpus\", \"what\": \"%s\", \"threads\": %d, \"MBps\": %.1f, "
           "\"times_cat\": %.1f, \"times_sort\": %.2f}\n",
           what, threads, bytes / seconds * 1e-6, seconds / cat_s, seconds / sort_s);
}

int main(void)
{
    char folder[] = "bench-corpus-XXXXXX", table[4096];
    const char *data = getenv("RECKON_DATA");
    struct tokenizer tokenizer;
    struct rk_error error;
    char *top = realpath(data ? data : "data", NULL);
    check(top != NULL, "RECKON_DATA names the data, or the bench runs where data/ is");
    snprintf(table, sizeof table, "%.4000s/corpus/declaration", top);
    check(mkdtemp(folder) && chdir(folder) == 0, "a folder to work in");
    const double bytes = write_documents("a.jsonl", "a.txt");
    const double cat_s = command_s("cat a.txt >b.txt");
    const double sort_s = command_s("LC_ALL=C sort --parallel=1 a.txt >b.txt");
    say("cat", 1, bytes, cat_s, cat_s, sort_s);
    say("sort", 1, bytes, sort_s, cat_s, sort_s);
    for (int threads = 1; threads <= 2; threads++)
        say("clean", threads, bytes, clean_s("a.jsonl", table, threads), cat_s, sort_s);

    char *text = load("a.txt", (size_t)bytes);
    const struct train_options options = {.cut = CUT_DEFAULT, .vocabulary = 8192, .least = 2};
    struct trainer *trainer = trainer_open(&options);
    const double start_s = now_s();
    check_status(trainer_add(trainer, text, (size_t)bytes, &error), &error);
    check_status(trainer_finish(trainer, &tokenizer, &error), &error);
    say("train 8192 tokens", 0, bytes, now_s() - start_s, cat_s, sort_s);
    trainer_close(trainer);
    for (int threads = 1; threads <= 2; threads++)
        say("tokenize", threads, bytes, encode_s(&tokenizer, text, (size_t)bytes, threads), cat_s,
            sort_s);
    tokenizer_release(&tokenizer);
    free(text);
    free(top);
    check(chdir("..") == 0, "cd ..");
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) != 0;
}
