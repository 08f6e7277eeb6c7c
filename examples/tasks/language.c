/* language.c - language modelling: the next word of a text. Sentences of a made-up language count
 * up in steps that their second word tells. */
#include "task.h"

static uint32_t word_at(uint64_t n, uint64_t i)
{
    const uint32_t start = task_random(n, 0) % TASK_WORDS, step = 1 + task_random(n, 1) % 3;
    return (uint32_t)((start + i * step) % TASK_WORDS);
}

static bool collate(void *context, uint64_t n, uint64_t sequence, uint32_t *token, uint32_t *target)
{
    (void)context;
    for (uint64_t i = 0; i < sequence; i++) {
        token[i] = word_at(n, i);
        target[i] = word_at(n, i + 1);
    }
    return true;
}

/* How often the likeliest word is the right one, from the third on: samples are of one thread each,
 * and each has its own place. */
struct score {
    uint64_t first;
    double right[TASK_BATCH];
};

static void predict(void *context, const struct rk_rows *rows)
{
    struct score *score = context;
    for (uint64_t r = 0; r < rows->rows; r++) {
        const double *x = rows->logits + r * rows->words;
        uint32_t best = 0;
        for (uint32_t w = 1; w < rows->words; w++)
            if (x[w] > x[best]) best = w;
        if (rows->position[r] > 1)
            score->right[rows->sample[r] - score->first] +=
                (best == rows->target[r]) / (double)(TASK_TOKENS - 2);
    }
}

int main(int argc, char **argv)
{
    char folder[] = P_tmpdir "/language-XXXXXX", command[64];
    struct task task = task_of(argc > 1 ? argv[1] : "dp2 zero1");
    struct score score = {.first = 1000 * TASK_BATCH};
    if (!mkdtemp(folder)) return 1;
    /* loss NULL: cross entropy of the next word */
    const struct rk_functions functions = {
        .context = &score, .collate = collate, .predict = predict};
    task_train(&task, &functions, folder, 60);
    task_predict(&task, &functions, folder, score.first, TASK_BATCH);
    double right = 0;
    for (int i = 0; i < TASK_BATCH; i++)
        right += score.right[i] / TASK_BATCH;
    printf("right words of unseen sentences: %.1f %%\n", 100 * right);
    rk_system_release(&task.system);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0 || right < 0.9;
}
