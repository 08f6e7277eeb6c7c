#include "galvatron/strategy.h"

#include <stdio.h>

const char *const galvatron_zero_names[] = {"ddp", "zero2", "zero3", NULL};

bool galvatron_power_of_two(long number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

int galvatron_log2(int power)
{
    int log = 0;
    while (power > 1) {
        power /= 2;
        log++;
    }
    return log;
}

int galvatron_split(const struct galvatron_strategy *strategy)
{
    return strategy->tensor > strategy->ulysses ? strategy->tensor : strategy->ulysses;
}

int galvatron_sharers(const struct galvatron_strategy *strategy)
{
    return strategy->data * strategy->ulysses;
}

bool galvatron_same(const struct galvatron_strategy *a, const struct galvatron_strategy *b)
{
    return a->pipeline == b->pipeline && a->tensor == b->tensor && a->ulysses == b->ulysses &&
           a->data == b->data && a->zero == b->zero && a->recompute == b->recompute;
}

const char *galvatron_name(char buffer[static GALVATRON_NAME],
                           const struct galvatron_strategy *strategy)
{
    const int split = galvatron_split(strategy);
    snprintf(buffer, GALVATRON_NAME, "%d-%d%s-%d%s%s%s", strategy->pipeline, split,
             split > 1 ? "*" : "", strategy->data, strategy->zero == GALVATRON_ZERO3 ? "f" : "",
             strategy->recompute ? "-c" : "", strategy->ulysses > 1 ? "-sp" : "");
    return buffer;
}

static bool wanted(const struct galvatron_space *space, bool embedding,
                   const struct galvatron_strategy *one)
{
    return !(space->no_pipeline && one->pipeline > 1) && !(space->no_tensor && one->tensor > 1) &&
           !(space->no_ulysses && one->ulysses > 1) && !(space->no_data && one->data > 1) &&
           !(space->no_zero3 && one->zero == GALVATRON_ZERO3) &&
           !(space->no_recompute && one->recompute) && !(embedding && one->recompute) &&
           !(embedding && space->no_embedding_tensor && one->tensor > 1) &&
           !(embedding && space->no_embedding_ulysses && one->ulysses > 1);
}

static size_t strategies(const struct galvatron_space *space, bool embedding, size_t room,
                         struct galvatron_strategy *list)
{
    size_t count = 0;
    for (int p = 1; p <= space->world && p <= space->max_pipeline; p *= 2)
        for (int t = 1; t <= space->world / p && t <= space->max_tensor; t *= 2)
            for (int u = 1; u <= (t > 1 ? 1 : space->world / p) && u <= space->max_ulysses; u *= 2)
                for (int twin = 0; twin < 4; twin++) {
                    const int d = space->world / p / t / u;
                    const struct galvatron_strategy one = {
                        .pipeline = p,
                        .tensor = t,
                        .ulysses = u,
                        .data = d,
                        .zero = d == 1     ? GALVATRON_DDP
                                : twin / 2 ? GALVATRON_ZERO3
                                           : space->ordinary,
                        .recompute = twin % 2,
                    };
                    if ((d == 1 && twin / 2) || !wanted(space, embedding, &one)) continue;
                    if (count < room) list[count] = one;
                    count++;
                }
    return count;
}

size_t galvatron_layer_strategies(const struct galvatron_space *space, size_t room,
                                  struct galvatron_strategy *list)
{
    return strategies(space, false, room, list);
}

size_t galvatron_embedding_strategies(const struct galvatron_space *space, size_t room,
                                      struct galvatron_strategy *list)
{
    return strategies(space, true, room, list);
}

/* ---- the tree ---- */

struct tree {
    bool pruned;
    size_t room, count;
    struct galvatron_leaf *leaf;
};

static bool has(const struct galvatron_leaf *leaf, char kind)
{
    for (int i = 0; i < leaf->levels; i++)
        if (leaf->level[i].kind == kind) return true;
    return false;
}

/* Every way to continue from `leaf` with `group` ranks left to split. */
static void grow(struct tree *tree, struct galvatron_leaf leaf, int group)
{
    if (group == 1) {
        if (tree->count < tree->room) tree->leaf[tree->count] = leaf;
        tree->count++;
        return;
    }
    for (const char *kind = "dst"; *kind; kind++) {
        if (has(&leaf, *kind)) continue;
        if (tree->pruned && *kind != 't' && has(&leaf, *kind == 'd' ? 's' : 'd')) continue;
        for (int degree = 2; degree <= group; degree *= 2) {
            struct galvatron_leaf next = leaf;
            next.level[next.levels++] = (struct galvatron_level){*kind, degree};
            grow(tree, next, group / degree);
        }
    }
}

size_t galvatron_tree(int world, bool pruned, size_t room, struct galvatron_leaf *leaf)
{
    struct tree tree = {pruned, room, 0, leaf};
    for (int p = 1; p <= world; p *= 2)
        grow(&tree, (struct galvatron_leaf){.pipeline = p}, world / p);
    return tree.count;
}
