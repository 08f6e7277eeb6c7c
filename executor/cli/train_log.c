#include "cli/train_log.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* `digits` of loss and norm, which are fewer than the numbers have. The norm of a step that was
 * skipped is no number. */
bool train_log_step(FILE *log, int digits, const struct rk_train_step *s)
{
    char norm[64] = "", scale[64] = "", balance[64] = "", ahead[64] = "";
    if (!s->skipped) snprintf(norm, sizeof norm, "\"norm\": %.*g, ", digits, s->norm);
    if (s->scale > 0)
        snprintf(scale, sizeof scale, "\"loss_scale\": %.9g, \"skipped\": %d, ", s->scale,
                 s->skipped);
    if (s->balance > 0)
        snprintf(balance, sizeof balance, "\"balance\": %.*g, ", digits, s->balance);
    if (s->ahead > 0) snprintf(ahead, sizeof ahead, "\"ahead\": %.*g, ", digits, s->ahead);
    return fprintf(log,
                   "{\"step\": %llu, \"loss\": %.*g, %s%s%s\"rate\": %.6g, %s\"seconds\": "
                   "%.6g, "
                   "\"tokens_per_s\": %.6g, \"peak_bytes\": %llu, \"compute_s\": %.6g, "
                   "\"slowest\": %.4g, \"slowest_rank\": %d}\n",
                   (unsigned long long)s->step, digits, s->loss, balance, ahead, norm, s->rate,
                   scale, s->wall_s, s->tokens / s->wall_s, (unsigned long long)s->peak_bytes,
                   s->compute_s, s->slowest, s->slowest_rank) > 0 &&
           fflush(log) == 0;
}

/* Keeps the lines of the steps before `step`, from which a resumed run continues. Pipes and devices
 * have nothing to cut. */
void train_log_cut(FILE *log, uint64_t step)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    off_t end = 0;
    unsigned long long at;
    struct stat about;
    if (fstat(fileno(log), &about) != 0 || !S_ISREG(about.st_mode)) return;
    rewind(log);
    while ((length = getline(&line, &room, log)) > 0 && line[length - 1] == '\n' &&
           sscanf(line, "{\"step\": %llu", &at) == 1 && at < step)
        end += length;
    free(line);
    const int cut = ftruncate(fileno(log), end);
    (void)cut;
    clearerr(log);
    fseeko(log, 0, SEEK_END);
}
