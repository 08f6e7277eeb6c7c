/* megatron_change.c - the arguments of a script that another plan wants otherwise, and the script
 * with them: in its own spelling and order, the rest of the text as it was. */
#include "base/limits.h"
#include "catalog/plan_compare.h"
#include "megatron/megatron.h"
#include "megatron/megatron_args.h"
#include "shell/shell_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct change_work {
    struct megatron_changes *changes;
    char *a[MEGATRON_PLAN_WORDS], *b[MEGATRON_PLAN_WORDS];
    size_t count_a, count_b;
    /* where the script has each: offsets come from line and column */
    struct shell_place flag[MEGATRON_MAX_CHANGES], value[MEGATRON_MAX_CHANGES];
    struct shell_place anchor; /* of an argument that every run has */
    const char *text;          /* the script */
    size_t size;
};

static const char *find(char *const *words, size_t count, const char *flag)
{
    for (size_t i = 0; i < count; i += 2)
        if (strcmp(words[i], flag) == 0) return words[i + 1];
    return NULL;
}

/* Several ways to say one thing: what is new takes the place of these. */
static const char *const replaced[][4] = {
    {"--num-layers-per-virtual-pipeline-stage", "--num-virtual-stages-per-pipeline-rank",
     "--pipeline-model-parallel-layout", NULL},
    {"--recompute-granularity", "--recompute-activations", NULL, NULL},
    {"--attention-backend", "--use-flash-attn", NULL, NULL},
    {"--cuda-graph-impl", "--enable-cuda-graph", "--external-cuda-graph", NULL},
};

static void add(struct change_work *w, const char *flag, const char *before, const char *after)
{
    struct megatron_changes *all = w->changes;
    for (int i = 0; i < all->count; i++)
        if (strcmp(all->change[i].flag, flag) == 0) return;
    RK_REQUIRE(all->count < MEGATRON_MAX_CHANGES);
    struct megatron_change *c = &all->change[all->count++];
    const int row = megatron_flag_find(flag, NULL);
    *c = (struct megatron_change){
        .was = before, .is = after, .keys = row >= 0 ? megatron_flags[row].sets : ""};
    snprintf(c->flag, sizeof c->flag, "%s", flag);
    snprintf(c->before, sizeof c->before, "%s", before ? before : "");
    snprintf(c->after, sizeof c->after, "%s", after ? after : "");
}

static bool is_given(const struct shell_word *words, size_t count, const char *flag)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i].text, flag) == 0) return true;
    return false;
}

/* What differs between the two plans' arguments, as far as the script is concerned. */
static void find_changes(struct change_work *w, const struct shell_word *words, size_t count)
{
    for (size_t i = 0; i < w->count_a; i += 2) { /* gone, or with another value */
        const char *after = find(w->b, w->count_b, w->a[i]);
        if (after && strcmp(after, w->a[i + 1]) == 0) continue;
        if (after || is_given(words, count, w->a[i])) add(w, w->a[i], w->a[i + 1], after);
    }
    for (size_t i = 0; i < w->count_b; i += 2)
        if (!find(w->a, w->count_a, w->b[i])) add(w, w->b[i], NULL, w->b[i + 1]);
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) {
        bool touched = false;
        for (int k = 0; k < 4 && replaced[i][k]; k++) {
            const char *x = find(w->a, w->count_a, replaced[i][k]);
            const char *y = find(w->b, w->count_b, replaced[i][k]);
            touched |= (x == NULL) != (y == NULL) || (x && strcmp(x, y) != 0);
        }
        for (int k = 0; touched && k < 4 && replaced[i][k]; k++)
            if (is_given(words, count, replaced[i][k])) add(w, replaced[i][k], "", NULL);
    }
}

/* Where the script has them; what it has decides what it was. */
static void locate(struct change_work *w, const struct shell_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i].text, "--micro-batch-size") == 0) w->anchor = words[i].place;
        for (int c = 0; c < w->changes->count; c++) {
            struct megatron_change *change = &w->changes->change[c];
            if (strcmp(words[i].text, change->flag) != 0) continue;
            change->line = words[i].place.line;
            change->was = true;
            change->before[0] = '\0';
            w->flag[c] = words[i].place;
            w->value[c] = (struct shell_place){0, 0};
            for (size_t k = i + 1; k < count && words[k].text[0] != '-'; k++) {
                const size_t n = strlen(change->before);
                if (k == i + 1) w->value[c] = words[k].place;
                snprintf(change->before + n, sizeof change->before - n, "%s%s", n ? " " : "",
                         words[k].text);
            }
        }
    }
    for (int c = 0; c < w->changes->count; c++)
        if (!w->changes->change[c].line) w->changes->change[c].was = false;
}

/* Nothing to do: the script says it already, or never said it. */
static void drop_idle(struct change_work *w)
{
    int kept = 0;
    for (int c = 0; c < w->changes->count; c++) {
        const struct megatron_change *change = &w->changes->change[c];
        const bool same = change->was == change->is && strcmp(change->before, change->after) == 0;
        if (same) continue;
        w->changes->change[kept] = *change;
        w->flag[kept] = w->flag[c];
        w->value[kept++] = w->value[c];
    }
    w->changes->count = kept;
}

/* In the order of the script, new ones last. */
static void sort(struct change_work *w)
{
    for (int i = 1; i < w->changes->count; i++)
        for (int k = i; k > 0; k--) {
            const struct megatron_change *x = &w->changes->change[k - 1], *y = x + 1;
            const int p = x->line ? x->line : 1 << 30, q = y->line ? y->line : 1 << 30;
            if (p <= q) break;
            const struct megatron_change c = *x;
            w->changes->change[k - 1] = *y;
            w->changes->change[k] = c;
            const struct shell_place f = w->flag[k - 1], v = w->value[k - 1];
            w->flag[k - 1] = w->flag[k];
            w->value[k - 1] = w->value[k];
            w->flag[k] = f;
            w->value[k] = v;
        }
}

/* ---- the environment ---- */

static const char queues[] = "CUDA_DEVICE_MAX_CONNECTIONS";

/* Where the script sets one queue, but for comments: how often, and the last place of its value. */
static int find_one_queue(const char *text, size_t size, size_t *value, int *line)
{
    static const char set[] = "CUDA_DEVICE_MAX_CONNECTIONS=1";
    const size_t n = sizeof set - 1;
    size_t begin = 0;
    int at_line = 1, found = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n') begin = i + 1, at_line++;
        if (i + n > size || memcmp(text + i, set, n) != 0) continue;
        if (i + n < size && !strchr(" \t\n\"'()}\\;\r", text[i + n])) continue;
        if (text[begin + strspn(text + begin, " \t")] == '#') continue;
        *value = i + n - 1;
        *line = at_line;
        found++;
    }
    return found;
}

/* FSDP gathers on a queue of its own, so Megatron-LM refuses it together with the single queue that
 * other overlaps need [megatron-lm]. Eight is CUDA's default. */
static void add_queues(struct change_work *w)
{
    struct megatron_changes *all = w->changes;
    size_t value;
    int line;
    const bool sharded = find(w->b, w->count_b, "--use-megatron-fsdp") ||
                         find(w->b, w->count_b, "--use-torch-fsdp2");
    if (!sharded || !find_one_queue(w->text, w->size, &value, &line)) return;
    RK_REQUIRE(all->count < MEGATRON_MAX_CHANGES);
    all->change[all->count++] = (struct megatron_change){
        .before = "1", .after = "8", .was = true, .is = true, .line = line, .keys = ""};
    snprintf(all->change[all->count - 1].flag, sizeof all->change[0].flag, "%s", queues);
}

static void use_words(void *context, const struct shell_word *words, size_t count)
{
    struct change_work *w = context;
    find_changes(w, words, count);
    locate(w, words, count);
    drop_idle(w);
    add_queues(w);
    sort(w);
}

/* ---- the text ---- */

struct edit {
    size_t at, length; /* taken out */
    char text[2 * MEGATRON_CHANGE_TEXT + 70];
};

/* The offset at which `what` stands, from a place on: a quote or an assignment may come first. */
static bool find_text(const char *text, size_t size, struct shell_place place, const char *what,
                      size_t *at)
{
    size_t offset = 0;
    for (int line = 1; line < place.line; line++) {
        const char *end = memchr(text + offset, '\n', size - offset);
        if (!end) return false;
        offset = (size_t)(end - text) + 1;
    }
    const char *line_end = memchr(text + offset, '\n', size - offset);
    const size_t end = line_end ? (size_t)(line_end - text) : size, n = strlen(what);
    for (size_t i = offset + (size_t)(place.column > 0 ? place.column - 1 : 0); n && i + n <= end;
         i++) {
        const char next = i + n < end ? text[i + n] : ' ';
        if (memcmp(text + i, what, n) != 0 || !strchr(" \t\"')}\\;\r", next)) continue;
        *at = i;
        return true;
    }
    return false;
}

/* The only place of a text in the script, as a word of its own but for what stands before it. */
static bool find_only(const char *text, size_t size, const char *what, size_t *at)
{
    const size_t n = strlen(what);
    int found = 0;
    for (size_t i = 0; n && i + n <= size; i++) {
        const char before = i ? text[i - 1] : ' ', next = i + n < size ? text[i + n] : ' ';
        if (memcmp(text + i, what, n) != 0 || !strchr(" \t\n\"'()}\\;\r=", next)) continue;
        if (!strchr(" \t\n\"'(;", before)) continue;
        *at = i;
        found++;
    }
    return found == 1;
}

/* Where a flag is written: at its place, or where it stands only once, as in texts that
 * `bash -c "$CMD"` runs. */
static bool find_flag(const char *text, size_t size, struct shell_place place, const char *flag,
                      size_t *at)
{
    return find_text(text, size, place, flag, at) || find_only(text, size, flag, at);
}

/* "--flag ${NAME}": where NAME=value is written; or the value itself. */
static bool find_value(const char *text, size_t size, size_t flag, const char *before, size_t *at)
{
    char name[96], assigned[160];
    size_t i = flag + strcspn(text + flag, " \t=\n");
    i += strspn(text + i, " \t=\"'");
    if (strncmp(text + i, before, strlen(before)) == 0) {
        *at = i;
        return true;
    }
    if (text[i] != '$') return false;
    i += 1 + (text[i + 1] == '{');
    const size_t n = shell_name_length(text + i, text + size);
    if (!n || n >= sizeof name) return false;
    snprintf(name, sizeof name, "%.*s", (int)n, text + i);
    snprintf(assigned, sizeof assigned, "%s=%.60s", name, before);
    if (!find_only(text, size, assigned, at)) return false;
    *at += n + 1;
    return true;
}

/* The end of a flag's values on its line: up to the next flag, a quote, a bracket or the
 * backslash. */
static size_t end_of_values(const char *text, size_t size, size_t at)
{
    size_t end = at;
    for (size_t i = at; i < size && !strchr("\n\"')\\#", text[i]); i++) {
        if (text[i] == '-' && i && strchr(" \t", text[i - 1])) break;
        if (!strchr(" \t\r", text[i])) end = i + 1;
    }
    return end;
}

/* A value as a word of a shell: in quotes where it has what a shell reads, unless it stands in
 * some. */
static const char *spelled(char text[static MEGATRON_CHANGE_TEXT + 2], const char *value,
                           char before)
{
    const bool quoted = strpbrk(value, "|&;<>()*?[]$`") && !strchr("'\"", before);
    snprintf(text, MEGATRON_CHANGE_TEXT + 2, quoted ? "'%s'" : "%s", value);
    return text;
}

static bool make_edit(const struct change_work *w, int c, const char *text, size_t size,
                      struct edit *edit)
{
    const struct megatron_change *change = &w->changes->change[c];
    const char *first = strrchr(change->before, ' ');
    char value[MEGATRON_CHANGE_TEXT + 2];
    if (strcmp(change->flag, queues) == 0) {
        int line;
        edit->length = 1;
        snprintf(edit->text, sizeof edit->text, "%s", change->after);
        return find_one_queue(text, size, &edit->at, &line) == 1;
    }
    if (!change->was) { /* in front of an argument that every run has */
        if (!find_flag(text, size, w->anchor, "--micro-batch-size", &edit->at)) return false;
        edit->length = 0;
        snprintf(edit->text, sizeof edit->text, "%s%s%s ", change->flag, *change->after ? " " : "",
                 spelled(value, change->after, ' '));
        return true;
    }
    if (change->is && *change->before && !first) { /* where the value is written, perhaps above */
        size_t flag;
        if (!find_text(text, size, w->value[c], change->before, &edit->at) &&
            (!find_only(text, size, change->flag, &flag) ||
             !find_value(text, size, flag, change->before, &edit->at)))
            return false;
        edit->length = strlen(change->before);
        snprintf(edit->text, sizeof edit->text, "%s",
                 spelled(value, change->after, edit->at ? text[edit->at - 1] : ' '));
        return true;
    }
    if (!find_flag(text, size, w->flag[c], change->flag, &edit->at)) return false;
    edit->length = end_of_values(text, size, edit->at + strlen(change->flag)) - edit->at;
    snprintf(edit->text, sizeof edit->text, "%s%s%s", change->is ? change->flag : "",
             change->is && *change->after ? " " : "",
             change->is ? spelled(value, change->after, ' ') : "");
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct edit *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static char *apply(const char *text, size_t size, const struct edit *edits, int count)
{
    char *out = NULL;
    size_t made, at = 0;
    FILE *file = open_memstream(&out, &made);
    if (!file) return NULL;
    for (int i = 0; i < count; i++) {
        if (edits[i].at < at) continue; /* within what an edit before took out */
        fwrite(text + at, 1, edits[i].at - at, file);
        fputs(edits[i].text, file);
        at = edits[i].at + edits[i].length;
    }
    fwrite(text + at, 1, size - at, file);
    fclose(file);
    return out;
}

/* The script as it would be: does it run the plan? */
static enum rk_status check(const char *path, const char *text,
                            const struct megatron_options *options, const struct rk_model *model,
                            const struct rk_plan *b, struct rk_error *error)
{
    struct megatron_import *import = calloc(1, sizeof *import);
    struct plan_difference *list = calloc(PLAN_MAX_FIELDS, sizeof *list);
    enum rk_status status = import && list ? RK_OK : RK_NO_MEMORY;
    if (status == RK_OK) status = megatron_read(path, text, strlen(text), options, import, error);
    if (status == RK_OK) {
        const struct rk_plan x = plan_canonical(model, b);
        struct rk_plan y = plan_canonical(model, &import->plan);
        plan_take_dealing(model, &y, &x);
        const int count = plan_compare(&x, &y, list);
        if (count)
            status = rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                             "the changed script would run %s %s, not %s: change it by hand",
                             plan_fields[list[0].row].key, list[0].b, list[0].a);
    }
    free(list);
    free(import);
    return status;
}

static enum rk_status edit_script(const struct change_work *w, const char *path, const char *text,
                                  size_t size, char **changed, struct rk_error *error)
{
    struct edit *edits = calloc(MEGATRON_MAX_CHANGES, sizeof *edits);
    enum rk_status status =
        edits ? RK_OK : rk_fail(error, RK_NO_MEMORY, path, 0, 0, "out of memory");
    for (int c = 0; status == RK_OK && c < w->changes->count; c++)
        if (!make_edit(w, c, text, size, &edits[c]))
            status = rk_fail(error, RK_BAD_INPUT, path, w->changes->change[c].line, 0,
                             "%s: does not stand where it could be changed: change it by hand",
                             w->changes->change[c].flag);
    if (status == RK_OK) {
        qsort(edits, (size_t)w->changes->count, sizeof *edits, by_place);
        *changed = apply(text, size, edits, w->changes->count);
    }
    free(edits);
    return status;
}

enum rk_status megatron_change(const char *path, const char *text, size_t size,
                               const struct megatron_options *options, const struct rk_model *model,
                               const struct rk_plan *a, const struct rk_plan *b,
                               struct megatron_changes *changes, char **changed,
                               struct rk_error *error)
{
    struct change_work *w = calloc(1, sizeof *w);
    const int version = options->version ? options->version : MEGATRON_NEWEST;
    if (!w) return rk_fail(error, RK_NO_MEMORY, path, 0, 0, "out of memory");
    changes->count = 0;
    w->changes = changes;
    w->text = text;
    w->size = size;
    w->count_a = megatron_plan_words(model, a, version, w->a, MEGATRON_PLAN_WORDS);
    w->count_b = megatron_plan_words(model, b, version, w->b, MEGATRON_PLAN_WORDS);
    enum rk_status status = megatron_with_words(path, text, size, options, use_words, w, error);
    if (status == RK_OK && changed) {
        *changed = NULL;
        status = edit_script(w, path, text, size, changed, error);
        if (status == RK_OK) status = check(path, *changed, options, model, b, error);
        if (status != RK_OK) {
            free(*changed);
            *changed = NULL;
        }
    }
    for (size_t i = 0; i < w->count_a; i++)
        free(w->a[i]);
    for (size_t i = 0; i < w->count_b; i++)
        free(w->b[i]);
    free(w);
    return status;
}
