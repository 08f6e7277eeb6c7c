/* Projections one by one and fused: each row is where Megatron-LM has it, there and back is the
 * identity, over any plan in between. */
#include "shard/safetensors.h"

#include <criterion/criterion.h>
#include <reckon/catalog.h>
#include <reckon/shard.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HIDDEN = 32, HEADS = 8, GROUPS = 2, HEAD = 4, WIDE = 48, WORDS = 64, LAYERS = 2 };
enum { MOST = 64, ROW = 2 * WIDE };

static char base[64];

static const char *in(const char *name)
{
    static char path[8][128];
    static int next;
    next = (next + 1) % 8;
    snprintf(path[next], sizeof path[next], "%s/%s", base, name);
    return path[next];
}

/* Every two bytes of a row say whose row it is. */
static uint16_t mark(const char *name, uint64_t row)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return (uint16_t)(hash * 31 + row * 7919);
}

static void add(struct safetensors *file, const char *format, int layer, uint64_t rows,
                uint64_t columns)
{
    char name[128];
    snprintf(name, sizeof name, format, layer);
    file->tensor[file->count++] = (struct tensor){.name = strdup(name),
                                                  .type = TENSOR_BF16,
                                                  .rank = columns ? 2 : 1,
                                                  .shape = {rows, columns}};
}

static void write_checkpoint(void)
{
    struct tensor tensors[MOST];
    struct safetensors file = {.tensor = tensors};
    struct bytes header = {.data = NULL};
    struct rk_error error;
    mkdir(in("ck"), 0777);
    add(&file, "model.embed_tokens.weight", 0, WORDS, HIDDEN);
    add(&file, "lm_head.weight", 0, WORDS, HIDDEN);
    add(&file, "model.norm.weight", 0, HIDDEN, 0);
    for (int i = 0; i < LAYERS; i++) {
        add(&file, "model.layers.%d.input_layernorm.weight", i, HIDDEN, 0);
        add(&file, "model.layers.%d.post_attention_layernorm.weight", i, HIDDEN, 0);
        add(&file, "model.layers.%d.self_attn.q_proj.weight", i, HEADS * HEAD, HIDDEN);
        add(&file, "model.layers.%d.self_attn.k_proj.weight", i, GROUPS * HEAD, HIDDEN);
        add(&file, "model.layers.%d.self_attn.v_proj.weight", i, GROUPS * HEAD, HIDDEN);
        add(&file, "model.layers.%d.self_attn.q_proj.bias", i, HEADS * HEAD, 0);
        add(&file, "model.layers.%d.self_attn.k_proj.bias", i, GROUPS * HEAD, 0);
        add(&file, "model.layers.%d.self_attn.v_proj.bias", i, GROUPS * HEAD, 0);
        add(&file, "model.layers.%d.self_attn.o_proj.weight", i, HIDDEN, HEADS * HEAD);
        add(&file, "model.layers.%d.mlp.gate_proj.weight", i, WIDE, HIDDEN);
        add(&file, "model.layers.%d.mlp.up_proj.weight", i, WIDE, HIDDEN);
        add(&file, "model.layers.%d.mlp.down_proj.weight", i, HIDDEN, WIDE);
    }
    cr_assert_eq(safetensors_write("x", &file, &header, &error), RK_OK, "%s", error.text);
    FILE *out = fopen(in("ck/model.safetensors"), "wb");
    fwrite(header.data, 1, header.size, out);
    for (size_t i = 0; i < file.count; i++) {
        const struct tensor *t = &tensors[i];
        for (uint64_t row = 0; row < t->shape[0]; row++)
            for (uint64_t k = 0; k < (t->rank == 2 ? t->shape[1] : 1); k++) {
                const uint16_t value = mark(t->name, row);
                fwrite(&value, 2, 1, out);
            }
        free(t->name);
    }
    cr_assert_eq(fclose(out), 0);
    bytes_release(&header);
    out = fopen(in("ck/config.json"), "w");
    fprintf(out,
            "{\"model_type\": \"qwen2\", \"hidden_size\": %d, \"intermediate_size\": %d, "
            "\"num_hidden_layers\": %d, \"num_attention_heads\": %d, \"num_key_value_heads\": %d, "
            "\"vocab_size\": %d, \"max_position_embeddings\": 64, \"hidden_act\": \"silu\", "
            "\"tie_word_embeddings\": false}\n",
            HIDDEN, WIDE, LAYERS, HEADS, GROUPS, WORDS);
    cr_assert_eq(fclose(out), 0);
}

/* Whose row stands where, by the layouts' definitions. */
static void origin(const char *name, uint64_t row, char from[static 160], uint64_t *at)
{
    const uint64_t queries = HEADS / GROUPS * HEAD, unit = queries + 2 * HEAD;
    const char *qkv = strstr(name, "self_attention.linear_qkv");
    const char *fc1 = strstr(name, "mlp.linear_fc1");
    const char *out = strstr(name, "self_attention.linear_proj");
    const char *fc2 = strstr(name, "mlp.linear_fc2"), *dot = strrchr(name, '.');
    const uint64_t group = row / unit, local = row % unit;
    *at = row;
    snprintf(from, 160, "%s", name);
    if (qkv && local < queries) {
        snprintf(from, 160, "%.*sself_attn.q_proj%s", (int)(qkv - name), name, dot);
        *at = group * queries + local;
    } else if (qkv) {
        snprintf(from, 160, "%.*sself_attn.%c_proj%s", (int)(qkv - name), name,
                 local < queries + HEAD ? 'k' : 'v', dot);
        *at = group * HEAD + (local - queries) % HEAD;
    } else if (fc1) {
        snprintf(from, 160, "%.*smlp.%s_proj%s", (int)(fc1 - name), name,
                 row < WIDE ? "gate" : "up", dot);
        *at = row % WIDE;
    } else if (out) {
        snprintf(from, 160, "%.*sself_attn.o_proj%s", (int)(out - name), name, dot);
    } else if (fc2) {
        snprintf(from, 160, "%.*smlp.down_proj%s", (int)(fc2 - name), name, dot);
    }
}

static void check_checkpoint(const char *folder, size_t tensors)
{
    char path[160], from[160];
    struct safetensors file = {.count = 0};
    struct rk_error error;
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    cr_assert_eq(safetensors_read(path, &file, &error), RK_OK, "%s", error.text);
    cr_expect_eq(file.count, tensors, "%s: %zu tensors", folder, file.count);
    FILE *data = fopen(path, "rb");
    for (size_t i = 0; i < file.count; i++) {
        const struct tensor *t = &file.tensor[i];
        fseek(data, (long)t->begin, SEEK_SET);
        for (uint64_t row = 0; row < t->shape[0]; row++) {
            uint64_t at;
            origin(t->name, row, from, &at);
            for (uint64_t k = 0; k < (t->rank == 2 ? t->shape[1] : 1); k++) {
                uint16_t value;
                cr_assert_eq(fread(&value, 2, 1, data), 1);
                cr_assert_eq(value, mark(from, at), "%s: %s, row %d", folder, t->name, (int)row);
            }
        }
    }
    fclose(data);
    safetensors_release(&file);
}

static void merge(const char *from, enum rk_shard_fuse fuse, const char *to, size_t tensors)
{
    const struct rk_shard_options options = {.fuse = fuse};
    struct rk_error error;
    cr_assert_eq(rk_merge(in(from), &options, in(to), NULL, &error), RK_OK, "%s", error.text);
    check_checkpoint(in(to), tensors);
}

static void shard(const char *from, const char *words, enum rk_shard_fuse fuse, const char *to)
{
    const struct rk_shard_options options = {.fuse = fuse};
    struct rk_plan plan;
    struct rk_error error;
    cr_assert_eq(rk_plan_parse(words, &plan, &error), RK_OK);
    cr_assert_eq(rk_shard(in(from), &plan, &options, in(to), NULL, &error), RK_OK, "%s",
                 error.text);
}

enum { APART = 3 + 12 * LAYERS, FUSED = 3 + 7 * LAYERS };

Test(shard_fuse, there_and_back)
{
    snprintf(base, sizeof base, "fuse-XXXXXX");
    cr_assert(mkdtemp(base));
    write_checkpoint();
    check_checkpoint(in("ck"), APART);
    merge("ck", RK_FUSE_MEGATRON, "fused", FUSED);
    merge("fused", RK_FUSE_MEGATRON, "fused-again", FUSED);
    merge("fused", RK_FUSE_HF, "apart", APART);
    shard("ck", "tp4 pp2", RK_FUSE_MEGATRON, "shards"); /* two ranks share a group */
    merge("shards", RK_FUSE_NONE, "merged", FUSED);
    merge("shards", RK_FUSE_HF, "merged-apart", APART);
    shard("fused", "tp2", RK_FUSE_HF, "shards-apart");
    merge("shards-apart", RK_FUSE_NONE, "merged-2", APART);
    merge("shards-apart", RK_FUSE_MEGATRON, "merged-3", FUSED);
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", base);
    cr_assert_eq(system(command), 0);
}
