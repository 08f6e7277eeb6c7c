/* A checkpoint to the ranks of a plan, back, and to another plan, beside `cp -r` on the same disk:
 * turn by turn. Checked first: what is merged is what was there.
 *
 *     bench_shard [FOLDER]     the disk to try (the current one)
 */
#include "bench.h"

#include "base/hash.h"
#include "shard/safetensors.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HIDDEN = 2048, FEEDFORWARD = 7168, HEADS = 16, GROUPS = 4, HEAD = 128, WORDS = 32000 };
enum { LAYERS = 10, RUNS = 5, BLOCK = 1 << 20, MOST = 16 * LAYERS };

static char base[512];

static const char *in(const char *name)
{
    static char path[4][600];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", base, name);
    return path[next];
}

static void shell(const char *format, const char *a, const char *b)
{
    char command[1400];
    snprintf(command, sizeof command, format, a, b);
    check(system(command) == 0, command);
}

static void add(struct safetensors *file, uint64_t rows, uint64_t columns, const char *name,
                int layer)
{
    char text[128];
    if (layer < 0)
        snprintf(text, sizeof text, "%s", name);
    else
        snprintf(text, sizeof text, "model.layers.%d.%s", layer, name);
    file->tensor[file->count++] = (struct tensor){.name = strdup(text),
                                                  .type = TENSOR_BF16,
                                                  .rank = columns ? 2 : 1,
                                                  .shape = {rows, columns}};
}

static void add_layer(struct safetensors *file, int i)
{
    add(file, HIDDEN, 0, "input_layernorm.weight", i);
    add(file, HIDDEN, 0, "post_attention_layernorm.weight", i);
    add(file, HEADS * HEAD, HIDDEN, "self_attn.q_proj.weight", i);
    add(file, GROUPS * HEAD, HIDDEN, "self_attn.k_proj.weight", i);
    add(file, GROUPS * HEAD, HIDDEN, "self_attn.v_proj.weight", i);
    add(file, HIDDEN, HEADS * HEAD, "self_attn.o_proj.weight", i);
    add(file, FEEDFORWARD, HIDDEN, "mlp.gate_proj.weight", i);
    add(file, FEEDFORWARD, HIDDEN, "mlp.up_proj.weight", i);
    add(file, HIDDEN, FEEDFORWARD, "mlp.down_proj.weight", i);
}

/* Bytes of the data. */
static double write_checkpoint(const char *folder)
{
    struct tensor tensors[MOST];
    struct safetensors file = {.tensor = tensors};
    struct bytes header = {.data = NULL};
    struct rk_error error;
    static uint64_t block[BLOCK / sizeof(uint64_t)];
    char path[700];
    for (int i = 0; i < LAYERS; i++)
        add_layer(&file, i);
    add(&file, WORDS, HIDDEN, "model.embed_tokens.weight", -1);
    add(&file, WORDS, HIDDEN, "lm_head.weight", -1);
    add(&file, HIDDEN, 0, "model.norm.weight", -1);
    check_status(safetensors_write("x", &file, &header, &error), &error);
    check(mkdir(folder, 0777) == 0, "a folder can be made");
    snprintf(path, sizeof path, "%s/config.json", folder);
    FILE *out = fopen(path, "w");
    check(out != NULL, "there is room for a file");
    fprintf(out,
            "{\"model_type\": \"llama\", \"hidden_size\": %d, \"intermediate_size\": %d, "
            "\"num_hidden_layers\": %d, \"num_attention_heads\": %d, \"num_key_value_heads\": %d, "
            "\"head_dim\": %d, \"vocab_size\": %d, \"max_position_embeddings\": 4096, "
            "\"hidden_act\": \"silu\", \"tie_word_embeddings\": false}\n",
            HIDDEN, FEEDFORWARD, LAYERS, HEADS, GROUPS, HEAD, WORDS);
    fclose(out);
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    out = fopen(path, "wb");
    const uint64_t end = tensors[file.count - 1].end;
    fwrite(header.data, 1, header.size, out);
    for (uint64_t at = header.size; at < end; at += BLOCK) {
        for (size_t i = 0; i < BLOCK / sizeof *block; i++)
            block[i] = hash_mix(at + i);
        fwrite(block, 1, end - at < BLOCK ? end - at : BLOCK, out);
    }
    check(fclose(out) == 0, "there is room for a checkpoint");
    for (size_t i = 0; i < file.count; i++)
        free(tensors[i].name);
    bytes_release(&header);
    return (double)(end - header.size);
}

static struct rk_plan plan_of(const char *words)
{
    struct rk_plan plan;
    struct rk_error error;
    check_status(rk_plan_parse(words, &plan, &error), &error);
    return plan;
}

enum what { COPY, SHARD, MERGE, RESHARD, WAYS };

static void run(enum what what, const struct rk_shard_options *options, const char *to)
{
    const struct rk_plan first = plan_of("tp8"), second = plan_of("tp2 pp2");
    struct rk_error error;
    switch (what) {
    case SHARD:
        check_status(rk_shard(in("checkpoint"), &first, options, to, NULL, &error), &error);
        break;
    case MERGE:
        check_status(rk_merge(in("shards"), options, to, NULL, &error), &error);
        break;
    default:
        check_status(rk_reshard(in("shards"), &second, options, to, NULL, &error), &error);
    }
}

static double processor_s(void)
{
    double sum_s = 0;
    for (int who = RUSAGE_CHILDREN; who <= RUSAGE_SELF; who++) { /* -1, 0 */
        struct rusage u;
        getrusage(who, &u);
        sum_s += (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
    }
    return sum_s;
}

/* Seconds, of the clock and of processors, of one run to a new folder, behind whatever the disk
 * still had to write. */
static double once_s(enum what what, const struct rk_shard_options *options, const char *from,
                     double *used_s)
{
    shell("rm -rf '%s'%s", in("timed"), "");
    sync();
    const double start_s = now_s(), before_s = processor_s();
    if (what == COPY)
        shell("cp -r '%s' '%s'", from, in("timed"));
    else
        run(what, options, in("timed"));
    *used_s += processor_s() - before_s;
    return now_s() - start_s;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Turn by turn with `cp -r` of what is read, so that both see the same disk: medians. */
static void compare(enum what what, enum rk_shard_io io, double bytes)
{
    static const char *const names[] = {"cp", "shard tp8", "merge tp8", "reshard tp8 to tp2 pp2"};
    static const char *const ways[] = {"best", "plain", "uring"};
    const struct rk_shard_options options = {.io = io};
    double ours[RUNS], ratio[RUNS], copying_s = 0, moving_s = 0;
    for (int i = 0; i < RUNS; i++) {
        const double copy_s =
            once_s(COPY, NULL, in(what == SHARD ? "checkpoint" : "shards"), &copying_s);
        ours[i] = once_s(what, &options, NULL, &moving_s);
        ratio[i] = copy_s / ours[i];
    }
    qsort(ours, RUNS, sizeof *ours, by_size);
    qsort(ratio, RUNS, sizeof *ratio, by_size);
    printf("{\"bench\": \"shard\", \"what\": \"%s\", \"io\": \"%s\", \"GB_per_s\": %.3f, "
           "\"of_cp\": %.2f, \"of_cp_least\": %.2f, \"of_cp_most\": %.2f, "
           "\"of_cp_by_processor\": %.2f}\n",
           names[what], ways[io], bytes / ours[RUNS / 2] / 1e9, ratio[RUNS / 2], ratio[0],
           ratio[RUNS - 1], copying_s / moving_s);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const struct rk_shard_options usual = {.model = NULL};
    struct rusage used;
    snprintf(base, sizeof base, "%s/bench-shard-%ld", argc > 1 ? argv[1] : ".", (long)getpid());
    check(mkdir(base, 0777) == 0, "a folder can be made");
    const double bytes = write_checkpoint(in("checkpoint"));
    run(SHARD, &usual, in("shards"));
    run(MERGE, &usual, in("merged"));
    shell("cmp '%s/model.safetensors' '%s/model.safetensors'", in("checkpoint"), in("merged"));
    for (enum what what = SHARD; what < WAYS; what++)
        for (unsigned io = RK_IO_BEST; io <= RK_IO_PLAIN; io++)
            compare(what, (enum rk_shard_io)io, bytes);
    getrusage(RUSAGE_SELF, &used);
    printf("{\"bench\": \"shard\", \"peak_MiB\": %.0f}\n", (double)used.ru_maxrss / 1024);
    shell("rm -rf '%s'%s", base, "");
    return 0;
}
