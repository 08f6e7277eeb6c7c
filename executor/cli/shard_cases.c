#include "cli/shard_cases.h"

#include "base/memory.h"
#include "cli/options.h"
#include "text/document.h"

#include <stdlib.h>
#include <string.h>

/* ---- one case ---- */

struct tree {
    size_t leaves;
    struct redco_leaf *leaf;
    uint64_t (*shape)[TENSOR_MAX_RANK];
};

static enum rk_status fail(struct rk_error *error, const char *text)
{
    return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "%s", text);
}

static enum rk_status read_leaf(struct tree *tree, const char *path, const json_t *sizes,
                                struct rk_error *error)
{
    uint64_t *shape = tree->shape[tree->leaves];
    const size_t rank = json_array_size(sizes);
    if (!json_is_array(sizes) || rank > TENSOR_MAX_RANK)
        return fail(error, "a shape must be a list of at most 8 sizes");
    for (size_t i = 0; i < rank; i++) {
        const json_t *size = json_array_get(sizes, i);
        if (!json_is_integer(size) || json_integer_value(size) < 0)
            return fail(error, "sizes must be whole numbers of at least 0");
        shape[i] = (uint64_t)json_integer_value(size);
    }
    tree->leaf[tree->leaves++] = (struct redco_leaf){path, (int)rank, shape};
    return RK_OK;
}

static enum rk_status read_tree(const json_t *shapes, struct tree *tree, struct rk_error *error)
{
    const size_t size = json_object_size(shapes);
    const char *path;
    json_t *sizes;
    enum rk_status status = RK_OK;
    if (!json_is_object(shapes)) return fail(error, "shapes, an object, is missing");
    tree->leaf = calloc(size + 1, sizeof *tree->leaf);
    tree->shape = calloc(size + 1, sizeof *tree->shape);
    if (!tree->leaf || !tree->shape) return no_memory(error);
    json_object_foreach((json_t *)shapes, path, sizes)
    {
        status = read_leaf(tree, path, sizes, error);
        if (status != RK_OK) break;
    }
    return status;
}

static void add_rules(json_t *answer, const struct redco_rules *rules)
{
    json_t *split = json_object();
    for (size_t i = 0; i < rules->count; i++) {
        const int dimension = rules->rule[i].dimension;
        json_object_set_new(split, rules->rule[i].key,
                            dimension < 0 ? json_null() : json_integer(dimension));
    }
    json_object_set_new(answer, "split_dimension", split);
}

static enum rk_status answer_case(const json_t *given, enum redco_generation generation,
                                  json_t *answer, struct rk_error *error)
{
    struct tree tree = {.leaf = NULL};
    struct redco_rules rules = {.count = 0};
    const json_t *shards = json_object_get(given, "shards");
    const char *named = json_string_value(json_object_get(given, "generation"));
    if (named) generation = strcmp(named, "first") == 0 ? REDCO_FIRST : REDCO_CURRENT;
    enum rk_status status = json_is_integer(shards) && json_integer_value(shards) >= 1
                                ? read_tree(json_object_get(given, "shapes"), &tree, error)
                                : fail(error, "shards, a whole number of at least 1, is missing");
    if (status == RK_OK)
        status = redco_rules_of(generation, tree.leaves, tree.leaf,
                                (uint64_t)json_integer_value(shards), &rules, error);
    if (status == RK_OK) add_rules(answer, &rules);
    redco_release(&rules);
    free(tree.leaf);
    free(tree.shape);
    return status;
}

/* All members of the case but its shapes and what it expects, then the answer. */
static int print_case(json_t *given, enum redco_generation generation)
{
    struct rk_error error;
    const char *key;
    json_t *value, *answer = json_object();
    json_object_foreach(given, key, value)
    {
        if (strcmp(key, "shapes") != 0 && strcmp(key, "split_dimension") != 0)
            json_object_set(answer, key, value);
    }
    const enum rk_status status = answer_case(given, generation, answer, &error);
    if (status != RK_OK) json_object_set_new(answer, "error", json_string(error.text));
    char *line = json_dumps(answer, JSON_COMPACT);
    puts(line ? line : "{\"error\":\"no memory\"}");
    free(line);
    json_decref(answer);
    return status == RK_OK ? RK_OK : RK_CHECK_FAILED;
}

/* ---- all of them ---- */

static int worse(int a, int b)
{
    return a > b ? a : b;
}

static int print_list(json_t *root, enum redco_generation generation)
{
    int code = RK_OK;
    if (!json_is_array(root)) return print_case(root, generation);
    for (size_t i = 0; i < json_array_size(root); i++)
        code = worse(code, print_case(json_array_get(root, i), generation));
    return code;
}

static enum rk_status print_lines(const struct document *text, enum redco_generation generation,
                                  int *code, struct rk_error *error)
{
    const char *const last = text->text + text->size; /* no NUL stands there */
    int number = 1;
    for (const char *line = text->text, *end; line < last; line = end + 1, number++) {
        struct document document;
        end = memchr(line, '\n', (size_t)(last - line));
        if (!end) end = last;
        const char *first = line;
        while (first < end && strchr(" \t\r", *first))
            first++;
        if (first == end) continue;
        const enum rk_status status =
            document_parse(text->path, line, (size_t)(end - line), &document, error);
        if (status != RK_OK) {
            error->line = number;
            return status;
        }
        *code = worse(*code, print_list(document.root, generation));
        document_release(&document);
    }
    return RK_OK;
}

int shard_cases(const char *path, enum redco_generation generation)
{
    struct document document = {.root = NULL};
    struct rk_error error;
    int code = RK_OK;
    enum rk_status status = document_load_text(path, &document, &error);
    if (status == RK_OK) {
        struct document whole;
        if (document_parse(document.path, document.text, document.size, &whole, &error) == RK_OK) {
            code = print_list(whole.root, generation);
            document_release(&whole);
        } else {
            status = print_lines(&document, generation, &code, &error);
        }
    }
    document_release(&document);
    return status == RK_OK ? code : options_fail(&error);
}
