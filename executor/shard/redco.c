#include "shard/redco.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- parts of paths ---- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *last_parts(const char *path, int parts)
{
    const char *from = path + strlen(path);
    while (from > path)
        if (*--from == '/' && --parts == 0) return from + 1;
    return path;
}

static bool is(const char *part, const char *name)
{
    return strcmp(part, name) == 0;
}

/* Python compares tuples part by part: '/' ends a part, and so comes before every byte. */
static int compare_paths(const char *a, const char *b)
{
    for (;; a++, b++) {
        const int x = *a == '/' ? 1 : *a ? (unsigned char)*a + 1 : 0;
        const int y = *b == '/' ? 1 : *b ? (unsigned char)*b + 1 : 0;
        if (x != y || !x) return x - y;
    }
}

static bool has_empty_part(const char *path)
{
    return !*path || *path == '/' || path[strlen(path) - 1] == '/' || strstr(path, "//");
}

static bool under_attention(const char *path)
{
    return strcasestr(path, "attention") || strcasestr(path, "attn");
}

/* The first part of a key. */
struct name {
    const char *text;
    size_t length;
};

static struct name name_of(const char *key)
{
    return (struct name){key, strcspn(key, "/")};
}

static bool begins(struct name n, const char *with)
{
    return n.length >= strlen(with) && memcmp(n.text, with, strlen(with)) == 0;
}

static bool ends(struct name n, const char *with)
{
    const size_t length = strlen(with);
    return n.length >= length && memcmp(n.text + n.length - length, with, length) == 0;
}

static bool begins_or_ends(struct name n, const char *letters)
{
    return strchr(letters, n.text[0]) || strchr(letters, n.text[n.length - 1]);
}

/* Split at underscores. */
static bool has_word(struct name n, const char *word)
{
    const size_t length = strlen(word);
    for (size_t at = 0; at <= n.length;) {
        size_t end = at;
        while (end < n.length && n.text[end] != '_')
            end++;
        if (end - at == length && memcmp(n.text + at, word, length) == 0) return true;
        at = end + 1;
    }
    return false;
}

/* ---- the current generation ---- */

/* What all leaves of a key have in common. */
struct group {
    bool split;                     /* kernels or embeddings, of one rank */
    bool attention;                 /* all of them belong to it */
    int possible;                   /* how many dimensions all of them divide */
    int dimension[TENSOR_MAX_RANK]; /* (possible) these, the first first */
};

static struct group group_of(size_t count, const struct redco_leaf *const *leaf, uint64_t shards)
{
    const char *last = last_part(leaf[0]->path);
    const int rank = leaf[0]->rank;
    struct group group = {.split = is(last, "kernel") || is(last, "embedding"), .attention = true};
    for (size_t i = 0; i < count; i++) {
        group.split &= leaf[i]->rank == rank;
        group.attention &= under_attention(leaf[i]->path);
    }
    for (int d = 0; group.split && d < rank; d++) {
        bool divides = true;
        for (size_t i = 0; i < count; i++)
            divides &= leaf[i]->shape[d] % shards == 0;
        if (divides) group.dimension[group.possible++] = d;
    }
    return group;
}

/* Rows in the order in which they are tried; "else" is what is left. */
enum takes { TAKES_FIRST, TAKES_LAST, TAKES_ANOTHER };

static enum takes taken_by(const char *key, const struct group *group)
{
    const struct name n = name_of(key);
    if (is(last_part(key), "embedding")) return TAKES_FIRST;
    if (group->attention && begins_or_ends(n, "qkv")) return TAKES_LAST;
    if (group->attention && begins_or_ends(n, "o")) return TAKES_FIRST;
    if (begins(n, "up") || begins(n, "gate") || begins(n, "wi") || has_word(n, "in"))
        return TAKES_LAST;
    if (begins(n, "down") || begins(n, "wo") || has_word(n, "out")) return TAKES_FIRST;
    if (begins(n, "head") || ends(n, "head")) return TAKES_LAST;
    return TAKES_ANOTHER;
}

/* `before`: what the last key that took another one took. */
static int choose(const char *key, const struct group *group, int *before)
{
    if (!group->possible) return -1;
    const enum takes takes = taken_by(key, group);
    const int first = group->dimension[0], last = group->dimension[group->possible - 1];
    if (takes != TAKES_ANOTHER) return takes == TAKES_FIRST ? first : last;
    *before = last == *before && group->possible > 1 ? group->dimension[group->possible - 2] : last;
    return *before;
}

static int current_key_parts(const char *path)
{
    return is(last_part(path), "kernel") ? 2 : 1;
}

static int by_key(const void *a, const void *b)
{
    const struct redco_leaf *x = *(const struct redco_leaf *const *)a;
    const struct redco_leaf *y = *(const struct redco_leaf *const *)b;
    return compare_paths(last_parts(x->path, current_key_parts(x->path)),
                         last_parts(y->path, current_key_parts(y->path)));
}

static bool add_rule(struct redco_rules *rules, const char *key, int dimension)
{
    struct redco_rule *rule = &rules->rule[rules->count];
    *rule = (struct redco_rule){strdup(key), dimension};
    rules->count += rule->key != NULL;
    return rule->key != NULL;
}

static bool current(size_t leaves, const struct redco_leaf **leaf, uint64_t shards,
                    struct redco_rules *rules)
{
    int before = -1;
    qsort(leaf, leaves, sizeof *leaf, by_key);
    for (size_t i = 0, next; i < leaves; i = next) {
        const char *key = last_parts(leaf[i]->path, current_key_parts(leaf[i]->path));
        for (next = i + 1; next < leaves && by_key(&leaf[i], &leaf[next]) == 0; next++)
            ;
        const struct group group = group_of(next - i, leaf + i, shards);
        if (!add_rule(rules, key, choose(key, &group, &before))) return false;
    }
    return true;
}

/* ---- the first one ---- */

static int parts_of(const char *path)
{
    int parts = 1;
    for (; *path; path++)
        parts += *path == '/';
    return parts;
}

static int by_length(const void *a, const void *b)
{
    const struct redco_leaf *x = *(const struct redco_leaf *const *)a;
    const struct redco_leaf *y = *(const struct redco_leaf *const *)b;
    const int lengths = parts_of(x->path) - parts_of(y->path);
    return lengths ? lengths : compare_paths(x->path, y->path);
}

static struct redco_rule *find_rule(const struct redco_rules *rules, const char *key)
{
    for (size_t i = 0; i < rules->count; i++)
        if (is(rules->rule[i].key, key)) return &rules->rule[i];
    return NULL;
}

static bool is_vector(const struct redco_leaf *leaf)
{
    int wide = 0;
    for (int i = 0; i < leaf->rank; i++)
        wide += leaf->shape[i] != 1;
    return wide == 1;
}

/* -1: neither begins nor ends as a part of attention does. Each end is looked at by itself, the
 * beginning first. */
static int attention_dimension(const char *key)
{
    const struct name n = name_of(key);
    const char ends_of[] = {n.text[0], n.text[n.length - 1]};
    for (int i = 0; i < 2; i++) {
        if (ends_of[i] == 'o') return 0;
        if (strchr("qkv", ends_of[i])) return 1;
    }
    return -1;
}

/* Dimensions count from the last one, so that leaves of different ranks alternate. */
static int another(const struct redco_leaf *leaf, uint64_t shards, int *before)
{
    for (int d = 1; d <= leaf->rank; d++)
        if (d != *before && leaf->shape[leaf->rank - d] % shards == 0) {
            *before = d;
            return leaf->rank - d;
        }
    const int same = *before;
    return same > 0 && same <= leaf->rank && leaf->shape[leaf->rank - same] % shards == 0
               ? leaf->rank - same
               : -1;
}

static enum rk_status fail_leaf(struct rk_error *error, const char *path, const char *what)
{
    char quoted[TEXT_QUOTE];
    return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "leaf %s: %s",
                   text_quote(quoted, path, strlen(path)), what);
}

static enum rk_status first_of_leaf(const struct redco_leaf *leaf, uint64_t shards, int *before,
                                    struct redco_rules *rules, struct rk_error *error)
{
    const char *last = last_part(leaf->path), *key = last_parts(leaf->path, 2);
    if (is(last, "bias") || is(last, "scale"))
        return leaf->rank == 1 ? RK_OK : fail_leaf(error, leaf->path, "must have one dimension");
    if (is(last, "embedding")) {
        if (leaf->rank != 2) return fail_leaf(error, leaf->path, "must have two dimensions");
        if (leaf->shape[0] % shards) find_rule(rules, "embedding")->dimension = 1;
        return RK_OK;
    }
    const struct redco_rule *known = find_rule(rules, key);
    int dimension = -1;
    if (!is_vector(leaf)) {
        if (known) {
            const int d = known->dimension;
            return d < 0 || d >= leaf->rank || leaf->shape[d] % shards == 0
                       ? RK_OK
                       : fail_leaf(error, leaf->path, "the dimension of its key does not divide");
        }
        if (under_attention(leaf->path)) dimension = attention_dimension(key);
        if (dimension < 0) dimension = another(leaf, shards, before);
    }
    if (known) {
        find_rule(rules, key)->dimension = dimension;
        return RK_OK;
    }
    return add_rule(rules, key, dimension) ? RK_OK : no_memory(error);
}

static enum rk_status first(size_t leaves, const struct redco_leaf **leaf, uint64_t shards,
                            struct redco_rules *rules, struct rk_error *error)
{
    int before = 0;
    enum rk_status status = RK_OK;
    qsort(leaf, leaves, sizeof *leaf, by_length);
    if (!add_rule(rules, "(bias|scale)", -1) || !add_rule(rules, "embedding", 0))
        return no_memory(error);
    for (size_t i = 0; status == RK_OK && i < leaves; i++)
        status = first_of_leaf(leaf[i], shards, &before, rules, error);
    return status;
}

/* ---- both ---- */

enum rk_status redco_rules_of(enum redco_generation generation, size_t leaves,
                              const struct redco_leaf *leaf, uint64_t shards,
                              struct redco_rules *rules, struct rk_error *error)
{
    *rules = (struct redco_rules){.rule = calloc(leaves + 2, sizeof *rules->rule)};
    const struct redco_leaf **sorted = malloc((leaves + 1) * sizeof(*sorted));
    enum rk_status status = rules->rule && sorted ? RK_OK : no_memory(error);
    for (size_t i = 0; status == RK_OK && i < leaves; i++) {
        sorted[i] = &leaf[i];
        if (has_empty_part(leaf[i].path))
            status = fail_leaf(error, leaf[i].path, "a part of its path is empty");
    }
    if (status == RK_OK && generation == REDCO_FIRST)
        status = first(leaves, sorted, shards, rules, error);
    else if (status == RK_OK && !current(leaves, sorted, shards, rules))
        status = no_memory(error);
    free(sorted);
    if (status != RK_OK) redco_release(rules);
    return status;
}

void redco_release(struct redco_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        free(rules->rule[i].key);
    free(rules->rule);
    *rules = (struct redco_rules){.count = 0};
}

int redco_dimension(enum redco_generation generation, const struct redco_rules *rules,
                    const char *path)
{
    const char *last = last_part(path);
    const char *key = last_parts(path, generation == REDCO_FIRST ? 2 : current_key_parts(path));
    if (generation == REDCO_FIRST && (is(last, "bias") || is(last, "scale"))) return -1;
    if (generation == REDCO_FIRST && is(last, "embedding")) key = last;
    const struct redco_rule *rule = find_rule(rules, key);
    return rule ? rule->dimension : -1;
}
