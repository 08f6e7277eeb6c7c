/* classify.c - classification: which of four words is most frequent in a sample? The answer is read
 * off the last token's logits; other rows have no loss. */
#include "task.h"

enum { CLASSES = 4 };

static bool collate(void *context, uint64_t n, uint64_t sequence, uint32_t *token, uint32_t *target)
{
    const uint32_t most = task_random(n, 0) % CLASSES;
    (void)context;
    for (uint64_t i = 0; i < sequence; i++) {
        const uint32_t any = task_random(n, i + 1);
        token[i] = any % 100 < 40 ? most : any / 100 % CLASSES;
        target[i] = RK_NO_TARGET;
    }
    target[sequence - 1] = most;
    return true;
}

/* Softmax over the classes alone: words beyond them are neither right nor wrong. */
static double loss(void *context, const struct rk_rows *rows, double *gradient)
{
    double sum = 0, dx[CLASSES];
    (void)context;
    for (uint64_t r = 0; r < rows->rows; r++) {
        double *to = gradient + r * rows->words;
        const struct rk_rows one = {.rows = 1,
                                    .words = CLASSES,
                                    .logits = rows->logits + r * rows->words,
                                    .target = rows->target + r};
        sum += rk_cross_entropy(NULL, &one, dx);
        for (uint64_t w = 0; w < rows->words; w++)
            to[w] = w < CLASSES ? dx[w] : 0;
    }
    return sum;
}

struct score {
    uint64_t first;
    bool right[TASK_BATCH];
};

static void predict(void *context, const struct rk_rows *rows)
{
    struct score *score = context;
    for (uint64_t r = 0; r < rows->rows; r++) {
        const double *x = rows->logits + r * rows->words;
        uint32_t best = 0;
        if (rows->target[r] == RK_NO_TARGET) continue;
        for (uint32_t w = 1; w < CLASSES; w++)
            if (x[w] > x[best]) best = w;
        score->right[rows->sample[r] - score->first] = best == rows->target[r];
    }
}

int main(int argc, char **argv)
{
    char folder[] = P_tmpdir "/classify-XXXXXX", command[64];
    struct task task = task_of(argc > 1 ? argv[1] : "tp2");
    struct score score = {.first = 1000 * TASK_BATCH};
    if (!mkdtemp(folder)) return 1;
    const struct rk_functions functions = {
        .context = &score, .rows = 1, .collate = collate, .loss = loss, .predict = predict};
    task_train(&task, &functions, folder, 80);
    task_predict(&task, &functions, folder, score.first, TASK_BATCH);
    int right = 0;
    for (int i = 0; i < TASK_BATCH; i++)
        right += score.right[i];
    printf("right classes of unseen samples: %d of %d\n", right, TASK_BATCH);
    rk_system_release(&task.system);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0 || right * 10 < TASK_BATCH * 8;
}
