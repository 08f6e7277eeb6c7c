/* distill.c - distillation: a smaller model learns what a teacher says, word by word, softened
 * [hinton2015]. The teacher predicts all samples once; the student's loss looks its logits up. */
#include "task.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 4 * TASK_BATCH };

static const double temperature = 2;

struct lesson {
    float *logits; /* (SAMPLES, tokens, words): the teacher's */
};

static bool collate(void *context, uint64_t n, uint64_t sequence, uint32_t *token, uint32_t *target)
{
    (void)context;
    for (uint64_t i = 0; i <= sequence; i++) {
        const uint32_t word = (task_random(n % SAMPLES, 0) + (uint32_t)(i * i)) % TASK_WORDS;
        if (i < sequence) token[i] = word;
        if (i > 0) target[i - 1] = word;
    }
    return true;
}

/* The teacher's logits are written down. */
static void write_down(void *context, const struct rk_rows *rows)
{
    struct lesson *lesson = context;
    for (uint64_t r = 0; r < rows->rows; r++)
        for (uint64_t w = 0; w < rows->words; w++)
            lesson->logits[(rows->sample[r] * TASK_TOKENS + rows->position[r]) * TASK_WORDS + w] =
                (float)rows->logits[r * rows->words + w];
}

static double soften(const double *x, double *p)
{
    double most = x[0], sum = 0;
    for (int w = 1; w < TASK_WORDS; w++)
        most = fmax(most, x[w]);
    for (int w = 0; w < TASK_WORDS; w++)
        sum += p[w] = exp((x[w] - most) / temperature);
    for (int w = 0; w < TASK_WORDS; w++)
        p[w] /= sum;
    return most / temperature + log(sum);
}

/* T^2 KL(teacher || student) of the softened; its gradient is T (student - teacher). */
static double loss(void *context, const struct rk_rows *rows, double *gradient)
{
    const struct lesson *lesson = context;
    double sum = 0, x[TASK_WORDS], teacher[TASK_WORDS], student[TASK_WORDS];
    for (uint64_t r = 0; r < rows->rows; r++) {
        const uint64_t at = rows->sample[r] % SAMPLES * TASK_TOKENS + rows->position[r];
        const double *y = rows->logits + r * rows->words;
        for (int w = 0; w < TASK_WORDS; w++)
            x[w] = (double)lesson->logits[at * TASK_WORDS + (uint64_t)w];
        const double from = soften(x, teacher), to = soften(y, student);
        for (int w = 0; w < TASK_WORDS; w++) {
            const double logs = (x[w] - y[w]) / temperature - from + to;
            sum += temperature * temperature * teacher[w] * logs;
            gradient[r * rows->words + (uint64_t)w] = temperature * (student[w] - teacher[w]);
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    char folder[] = P_tmpdir "/distill-XXXXXX", command[64];
    struct task teacher = task_of(argc > 1 ? argv[1] : "pp2 mbs4"), student = teacher;
    struct lesson lesson = {calloc((size_t)SAMPLES * TASK_TOKENS * TASK_WORDS, sizeof(float))};
    if (!mkdtemp(folder) || !lesson.logits) return 1;
    const struct rk_functions teaches = {
        .context = &lesson, .collate = collate, .predict = write_down};
    const struct rk_functions learns = {.context = &lesson, .collate = collate, .loss = loss};
    task_train(&teacher, &teaches, folder, 30);
    task_predict(&teacher, &teaches, folder, 0, SAMPLES);
    student.model.hidden = 32;
    student.model.head_dim = 8;
    const struct rk_train_result result = task_train(&student, &learns, NULL, 60);
    free(lesson.logits);
    rk_system_release(&teacher.system); /* the student's, too */
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0 || !(result.last_loss < 0.5 * result.first_loss);
}
