/* Redco's rules against what the published code says: redco_rules.json (trees of five models, the
 * current generation) and redco_random.jsonl (made trees with odd names, shapes and ranks, both
 * generations), outputs of github.com/tanyuqian/redco, commits 8129ab3 and d87b409. */
#include "shard/redco.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEAVES = 64 };

struct tree {
    size_t leaves;
    struct redco_leaf leaf[MOST_LEAVES];
    uint64_t shape[MOST_LEAVES][TENSOR_MAX_RANK];
};

static void read_tree(json_t *shapes, struct tree *tree)
{
    const char *path;
    json_t *sizes;
    tree->leaves = 0;
    json_object_foreach(shapes, path, sizes)
    {
        const size_t i = tree->leaves++;
        for (size_t d = 0; d < json_array_size(sizes); d++)
            tree->shape[i][d] = (uint64_t)json_integer_value(json_array_get(sizes, d));
        tree->leaf[i] = (struct redco_leaf){path, (int)json_array_size(sizes), tree->shape[i]};
    }
}

static void check_rules(const json_t *expected, const struct redco_rules *rules, const char *name)
{
    cr_assert_eq(rules->count, json_object_size(expected), "%s: %zu keys", name, rules->count);
    for (size_t i = 0; i < rules->count; i++) {
        const json_t *d = json_object_get(expected, rules->rule[i].key);
        const int want = json_is_integer(d) ? (int)json_integer_value(d) : -1;
        cr_assert(d, "%s: %s", name, rules->rule[i].key);
        cr_assert_eq(rules->rule[i].dimension, want, "%s: %s: %d", name, rules->rule[i].key,
                     rules->rule[i].dimension);
    }
}

/* Once as given, once with the leaves turned round: the order says nothing. */
static void check_case(json_t *given)
{
    static struct tree tree;
    struct redco_rules rules;
    struct rk_error error;
    const char *said = json_string_value(json_object_get(given, "generation"));
    const enum redco_generation generation =
        said && strcmp(said, "first") == 0 ? REDCO_FIRST : REDCO_CURRENT;
    const char *name = json_string_value(json_object_get(given, "tree"));
    read_tree(json_object_get(given, "shapes"), &tree);
    for (int turn = 0; turn < 2; turn++) {
        const enum rk_status status = redco_rules_of(
            generation, tree.leaves, tree.leaf,
            (uint64_t)json_integer_value(json_object_get(given, "shards")), &rules, &error);
        cr_assert_eq(status, RK_OK, "%s", error.text);
        check_rules(json_object_get(given, "split_dimension"), &rules, name ? name : "made");
        redco_release(&rules);
        for (size_t i = 0; i < tree.leaves / 2; i++) {
            const struct redco_leaf leaf = tree.leaf[i];
            tree.leaf[i] = tree.leaf[tree.leaves - 1 - i];
            tree.leaf[tree.leaves - 1 - i] = leaf;
        }
    }
}

Test(shard_redco, models)
{
    json_t *cases = json_load_file(RECKON_TEST_SOURCE "/tests/golden/redco_rules.json", 0, NULL);
    cr_assert_eq(json_array_size(cases), 13);
    for (size_t i = 0; i < json_array_size(cases); i++)
        check_case(json_array_get(cases, i));
    json_decref(cases);
}

Test(shard_redco, made_trees)
{
    FILE *file = fopen(RECKON_TEST_SOURCE "/tests/golden/redco_random.jsonl", "r");
    static char line[8192];
    int count = 0;
    cr_assert(file);
    while (fgets(line, sizeof line, file)) {
        json_t *given = json_loads(line, 0, NULL);
        cr_assert(given);
        check_case(given);
        json_decref(given);
        count++;
    }
    fclose(file);
    cr_assert_gt(count, 150);
}

/* The dimension of a leaf, by its key; leaves of the first generation's patterns. */
Test(shard_redco, of_a_leaf)
{
    static const uint64_t square[] = {64, 64}, odd[] = {65, 64};
    static const struct redco_leaf leaves[] = {{"h/0/attn/q/kernel", 2, square},
                                               {"h/0/attn/o/kernel", 2, square},
                                               {"wte/embedding", 2, odd},
                                               {"h/0/attn/o/bias", 1, square}};
    struct redco_rules rules;
    for (int g = 0; g < 2; g++) {
        const enum redco_generation generation = g ? REDCO_FIRST : REDCO_CURRENT;
        cr_assert_eq(redco_rules_of(generation, 4, leaves, 8, &rules, NULL), RK_OK);
        cr_assert_eq(redco_dimension(generation, &rules, "h/0/attn/q/kernel"), 1);
        cr_assert_eq(redco_dimension(generation, &rules, "h/0/attn/o/kernel"), 0);
        cr_assert_eq(redco_dimension(generation, &rules, "wte/embedding"), 1); /* 65 rows */
        cr_assert_eq(redco_dimension(generation, &rules, "h/0/attn/o/bias"), -1);
        redco_release(&rules);
    }
}

Test(shard_redco, refusals)
{
    static const uint64_t one[] = {64}, square[] = {64, 64}, odd[] = {65, 65};
    static const struct redco_leaf empty = {"a//kernel", 2, square};
    static const struct redco_leaf flat = {"wte/embedding", 1, one};
    static const struct redco_leaf pair[] = {{"a/0/up/kernel", 2, square},
                                             {"a/1/up/kernel", 2, odd}};
    struct redco_rules rules;
    struct rk_error error;
    cr_assert_eq(redco_rules_of(REDCO_CURRENT, 1, &empty, 2, &rules, &error), RK_BAD_INPUT);
    cr_assert(strstr(error.text, "\"a//kernel\""), "%s", error.text);
    cr_assert_eq(redco_rules_of(REDCO_FIRST, 1, &flat, 2, &rules, &error), RK_BAD_INPUT);
    cr_assert_eq(redco_rules_of(REDCO_FIRST, 2, pair, 8, &rules, &error), RK_BAD_INPUT);
    cr_assert(strstr(error.text, "a/1/up/kernel"), "%s", error.text);
}
