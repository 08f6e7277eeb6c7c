#include "knobs/knobs.h"

#include "base/memory.h"
#include "catalog/plan_compare.h"
#include "megatron/run_script.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the keys ---- */

/* `values`: those to try, "a|b"; "x2" and "/2" are of the value that the file has, or of `preset`;
 * "batch" is the samples of a step. `shares`: it changes the samples of a step, so that it is
 * changed with others and never alone. Keys and values are those of the formats' own readers. */
/* clang-format off */
#define DEGREES "x2|/2|x4|/4"
#define LOCAL "x2|/2|x4|/4|x8|/8"
static const struct knob {
    const char *format, *key, *preset, *values;
    bool shares;
    const char *what;
} knobs[] = {
#define ROW(format, key, preset, values, shares, what) {format, key, preset, values, shares, what},
#include "tables/knobs.h"
#undef ROW
};
/* clang-format on */
enum { KNOBS = sizeof knobs / sizeof *knobs, MOST_SETS = 96, MOST_TRIALS = 6000 };

const char *knobs_key(int i, const char **format, const char **values)
{
    if (i >= KNOBS) return NULL;
    *format = knobs[i].format;
    *values = knobs[i].values;
    return knobs[i].key;
}

/* ---- one try ---- */

struct trial {
    const struct knob_file *file;
    struct settings settings; /* the file's keys as they stand */
    struct rk_plan plan;      /* the file's own */
    struct rk_model *model;   /* scratch, like the others */
    struct notes *notes;
    struct rk_prediction *prediction;
    size_t tried;
    bool seeking; /* nothing fits yet */
};

struct value {
    const char *key;
    char text[KNOB_TEXT];
};

/* What the file's text gives with these keys set; false: the reader refuses it. */
static bool read_with(struct trial *t, const struct value *values, int count, struct rk_plan *plan)
{
    static const size_t line = KNOB_KEY + KNOB_TEXT + 2;
    char lines[KNOB_CHANGES + 2][KNOB_KEY + KNOB_TEXT + 2];
    const char *sets[MOST_SETS];
    struct config_source source = *t->file->source;
    struct rk_error ignored;
    if (source.set_count + (size_t)count > MOST_SETS || count > KNOB_CHANGES + 2) return false;
    for (size_t i = 0; i < source.set_count; i++)
        sets[i] = source.sets[i];
    for (int i = 0; i < count; i++) {
        snprintf(lines[i], line, "%s=%s", values[i].key, values[i].text);
        sets[source.set_count + (size_t)i] = lines[i];
    }
    source.sets = sets;
    source.set_count += (size_t)count;
    *t->model = *t->file->model;
    memset(t->notes, 0, sizeof *t->notes);
    t->tried++;
    const enum rk_status status =
        t->file->script ? run_script_read(t->file->format, &source, t->file->size, t->model, plan,
                                          t->notes, &ignored)
                        : t->file->format->read(&source, t->model, plan, t->notes, &ignored);
    if (status == RK_OK) plan_attend_on(plan, t->file->system);
    return status == RK_OK;
}

static bool same_work(const struct rk_plan *a, const struct rk_plan *b)
{
    return a->batch == b->batch && a->ranks == b->ranks && a->sequence == b->sequence &&
           a->precision == b->precision && a->packed == b->packed;
}

bool knobs_holds(const struct rk_prediction *p, double usable_bytes)
{
    for (int i = 0; i < p->reasons; i++)
        if (i >= RK_MAX_REASONS || p->reason[i].verdict != RK_MEMORY_EXCEEDED || p->reason[i].tier)
            return false;
    return p->timed && p->stage[p->tightest].total_bytes <= usable_bytes;
}

/* Longer than any step: what only lacks memory is as much worse as it needs more. */
static const double NO_FIT_S = 1e12;

static bool lacks_memory_alone(const struct rk_prediction *p)
{
    return knobs_holds(p, INFINITY);
}

/* The time of a plan that does the same work and fits; infinite otherwise, but while none is known
 * that does, the memory that it needs decides. */
static double time_of(struct trial *t, const struct rk_plan *plan)
{
    struct rk_prediction *p = t->prediction;
    if (!same_work(plan, &t->plan)) return INFINITY;
    rk_predict(t->file->model, t->file->system, plan, p);
    if (knobs_holds(p, t->file->usable_bytes)) return p->step_s;
    return t->seeking && lacks_memory_alone(p)
               ? NO_FIT_S * p->stage[p->tightest].total_bytes / t->file->usable_bytes
               : INFINITY;
}

/* ---- values ---- */

static const char *current(const struct trial *t, const struct knob *k)
{
    const struct setting *s = settings_find(&t->settings, k->key);
    if (s && s->null) return "null";
    return s && strcmp(s->text, "auto") != 0 ? s->text : k->preset;
}

/* The value of this word, relative to the text that the key has; false: there is none. */
static bool value_of(const char *word, size_t length, const char *now, uint64_t batch,
                     char text[KNOB_TEXT])
{
    char *end;
    const long long n = strtoll(now, &end, 10);
    const bool times = word[0] == 'x', half = word[0] == '/';
    if (length == 5 && strncmp(word, "batch", 5) == 0) {
        snprintf(text, KNOB_TEXT, "%llu", (unsigned long long)batch);
        return true;
    }
    if (!(times || half) || length != 2) {
        snprintf(text, KNOB_TEXT, "%.*s", (int)length, word);
        return strcmp(text, now) != 0;
    }
    const long long factor = word[1] - '0';
    if (end == now || *end || n < 1 || (half && n % factor)) return false;
    snprintf(text, KNOB_TEXT, "%lld", times ? n * factor : n / factor);
    return true;
}

/* Of a list "a|b", the i-th; NULL after the last. */
static const char *word_at(const char *list, int i, size_t *length)
{
    for (; i && list; i--) {
        list = strchr(list, '|');
        if (list) list++;
    }
    if (list) *length = strcspn(list, "|");
    return list;
}

/* ---- a change: one knob, and one that shares the batch with it ---- */

enum { MOST_MOVES = 640 };

struct move {
    int count;
    struct value value[KNOB_KEYS];
    const struct knob *knob;
    double step_s;
    struct rk_plan plan;
};

/* The text that a key has, the changes so far included. */
static const char *text_now(const struct trial *t, const struct knob *k, const struct value *so_far,
                            int count)
{
    for (int i = count - 1; i >= 0; i--)
        if (strcmp(so_far[i].key, k->key) == 0) return so_far[i].text;
    return current(t, k);
}

/* Where a key is set twice the later one counts. */
static int with_values(const struct value *so_far, int count, const struct move *m,
                       struct value all[KNOB_CHANGES + 2])
{
    int total = 0;
    for (int i = 0; i < count; i++) {
        bool again = false;
        for (int j = 0; j < m->count; j++)
            again |= strcmp(so_far[i].key, m->value[j].key) == 0;
        if (!again) all[total++] = so_far[i];
    }
    for (int j = 0; j < m->count && total < KNOB_CHANGES + 2; j++)
        all[total++] = m->value[j];
    return total;
}

static bool try_move(struct trial *t, const struct value *so_far, int count, struct move *m)
{
    struct value all[KNOB_CHANGES + 2];
    const int total = with_values(so_far, count, m, all);
    if (total > KNOB_CHANGES || !read_with(t, all, total, &m->plan)) return false;
    m->step_s = time_of(t, &m->plan);
    return isfinite(m->step_s);
}

/* With each of the knobs that share the batch; the first that keeps it. */
static bool try_shared(struct trial *t, const struct value *so_far, int count, struct move *m)
{
    for (int k = 0; k < KNOBS; k++) {
        const struct knob *other = &knobs[k];
        size_t length = 0;
        if (!other->shares || strcmp(other->format, t->file->format->name) != 0) continue;
        if (strcmp(other->key, m->value[0].key) == 0) continue;
        const char *now = text_now(t, other, so_far, count), *word;
        for (int i = 0; (word = word_at(other->values, i, &length)); i++) {
            m->count = 2;
            m->value[1].key = other->key;
            if (value_of(word, length, now, t->plan.batch, m->value[1].text) &&
                try_move(t, so_far, count, m))
                return true;
        }
    }
    m->count = 1;
    return false;
}

/* NeMo's two versions have different parts: a key of the other one means nothing there. */
static bool belongs(const struct trial *t, const struct knob *knob)
{
    char part[KNOB_KEY];
    if (strcmp(knob->format, "nemo") != 0 || !t->settings.count) return true;
    snprintf(part, sizeof part, "%.*s", (int)strcspn(knob->key, ".") + 1, knob->key);
    return settings_has(&t->settings, part);
}

/* All moves from here that can run and do the same work. */
static int moves_from(struct trial *t, const struct value *so_far, int count, struct move *moves)
{
    int found = 0;
    for (int k = 0; k < KNOBS && found < MOST_MOVES; k++) {
        const struct knob *knob = &knobs[k];
        size_t length = 0;
        const char *word;
        if (knob->shares || strcmp(knob->format, t->file->format->name) != 0) continue;
        if (!belongs(t, knob)) continue;
        const char *now = text_now(t, knob, so_far, count);
        for (int i = 0; (word = word_at(knob->values, i, &length)) && found < MOST_MOVES; i++) {
            struct move *m = &moves[found];
            *m = (struct move){.count = 1, .knob = knob, .value = {{.key = knob->key}}};
            if (!value_of(word, length, now, t->plan.batch, m->value[0].text)) continue;
            if (try_move(t, so_far, count, m) || try_shared(t, so_far, count, m)) found++;
        }
    }
    return found;
}

/* ---- begin and end ---- */

static void end_trial(struct trial *t)
{
    settings_release(&t->settings);
    free(t->model);
    free(t->notes);
    free(t->prediction);
}

/* Of a script the keys are those of the configuration that it names, which are not looked at. */
static bool begin_trial(struct trial *t, const struct knob_file *file)
{
    struct rk_error ignored;
    *t = (struct trial){.file = file,
                        .model = malloc(sizeof *t->model),
                        .notes = malloc(sizeof *t->notes),
                        .prediction = malloc(sizeof *t->prediction)};
    const struct config_source *s = file->source;
    if (!t->model || !t->notes || !t->prediction) return false;
    if (file->script ||
        settings_read(&t->settings, s->path, s->text, s->sets, s->set_count, &ignored) != RK_OK) {
        settings_release(&t->settings);
        t->settings = (struct settings){.count = 0};
    }
    return read_with(t, NULL, 0, &t->plan);
}

static void fill_set(const struct trial *t, const struct value *value, struct knob_set *set)
{
    const struct setting *s = settings_find(&t->settings, value->key);
    *set = (struct knob_set){.line = s && !s->given ? s->line : 0};
    for (int k = 0; k < KNOBS && !set->what; k++)
        if (strcmp(knobs[k].format, t->file->format->name) == 0 &&
            strcmp(knobs[k].key, value->key) == 0)
            set->what = knobs[k].what;
    snprintf(set->key, sizeof set->key, "%s", value->key);
    snprintf(set->before, sizeof set->before, "%.47s", s ? s->null ? "null" : s->text : "");
    snprintf(set->after, sizeof set->after, "%s", value->text);
}

/* ---- the answers ---- */

static int by_time(const void *a, const void *b)
{
    const struct knob_change *x = a, *y = b;
    if (x->step_s != y->step_s) return x->step_s < y->step_s ? -1 : 1;
    return strcmp(x->set[0].key, y->set[0].key);
}

/* The better of two values of one knob stays. */
static int keep_change(const struct trial *t, const struct move *m, struct knob_change *changes,
                       int count)
{
    int at = 0;
    while (at < count && strcmp(changes[at].set[0].key, m->value[0].key) != 0)
        at++;
    if (at == KNOB_SINGLES || (at < count && changes[at].step_s <= m->step_s)) return count;
    struct knob_change *c = &changes[at];
    *c = (struct knob_change){
        .sets = m->count, .what = m->knob->what, .plan = m->plan, .step_s = m->step_s};
    for (int i = 0; i < m->count; i++)
        fill_set(t, &m->value[i], &c->set[i]);
    return at == count ? count + 1 : count;
}

int knobs_try(const struct knob_file *file, double step_s, struct knob_change *changes)
{
    struct trial t;
    struct move *moves = calloc(MOST_MOVES, sizeof *moves);
    int kept = 0;
    if (begin_trial(&t, file) && moves) {
        const int found = moves_from(&t, NULL, 0, moves);
        for (int i = 0; i < found; i++)
            if (moves[i].step_s < step_s) kept = keep_change(&t, &moves[i], changes, kept);
        for (int i = 0; i < kept; i++) {
            rk_predict(file->model, file->system, &changes[i].plan, t.prediction);
            changes[i].total_bytes = t.prediction->stage[t.prediction->tightest].total_bytes;
        }
        qsort(changes, (size_t)kept, sizeof *changes, by_time);
    }
    free(moves);
    end_trial(&t);
    return kept;
}

/* The best single move, or pair of them, from here; false: none is better by a thousandth. */
static bool step_on(struct trial *t, struct move *moves, struct move *seconds, struct value *so_far,
                    int *count, double *step_s)
{
    struct value best[KNOB_CHANGES + 2], first[KNOB_CHANGES + 2];
    int best_count = -1;
    double least = *step_s * (1 - 1e-3);
    const int found = moves_from(t, so_far, *count, moves);
    for (int i = 0; i < found; i++) {
        if (moves[i].step_s >= least) continue;
        least = moves[i].step_s;
        best_count = with_values(so_far, *count, &moves[i], best);
    }
    for (int i = 0; i < found && best_count < 0 && t->tried < MOST_TRIALS;
         i++) { /* a pair only where no single one helps */
        const int n = with_values(so_far, *count, &moves[i], first);
        const int more = n < KNOB_CHANGES - 1 ? moves_from(t, first, n, seconds) : 0;
        for (int j = 0; j < more; j++) {
            if (seconds[j].step_s >= least) continue;
            least = seconds[j].step_s;
            best_count = with_values(first, n, &seconds[j], best);
        }
    }
    if (best_count < 0 || best_count > KNOB_CHANGES) return false;
    memcpy(so_far, best, sizeof best);
    *count = best_count;
    *step_s = least;
    return true;
}

/* What later changes made needless goes: the overlap of tensor communication without tensor ranks.
 */
static int prune(struct trial *t, struct value *so_far, int count, double step_s)
{
    struct value fewer[KNOB_CHANGES + 2];
    struct rk_plan plan;
    for (int i = 0; i < count;) {
        const int n = count - 1;
        memcpy(fewer, so_far, (size_t)i * sizeof *fewer);
        memcpy(fewer + i, so_far + i + 1, (size_t)(n - i) * sizeof *fewer);
        if (read_with(t, fewer, n, &plan) && time_of(t, &plan) <= step_s) {
            memcpy(so_far, fewer, (size_t)n * sizeof *fewer);
            count = n;
        } else {
            i++;
        }
    }
    return count;
}

enum rk_status knobs_best(const struct knob_file *file, struct knob_best *best,
                          struct rk_error *error)
{
    struct trial t;
    struct value so_far[KNOB_CHANGES + 2];
    struct move *moves = calloc(2 * MOST_MOVES, sizeof *moves);
    int count = 0;
    *best = (struct knob_best){.step_s = INFINITY};
    if (!begin_trial(&t, file) || !moves) {
        free(moves);
        end_trial(&t);
        return no_memory(error);
    }
    best->plan = t.plan;
    best->step_s = time_of(&t, &t.plan);
    t.seeking = !isfinite(best->step_s);
    if (t.seeking) best->step_s = time_of(&t, &t.plan);
    while (step_on(&t, moves, moves + MOST_MOVES, so_far, &count, &best->step_s))
        t.seeking &= best->step_s >= NO_FIT_S;
    count = prune(&t, so_far, count, best->step_s);
    if (count) read_with(&t, so_far, count, &best->plan);
    for (int i = 0; i < count; i++) { /* a key may be back where it was */
        struct knob_set *set = &best->set[best->sets];
        fill_set(&t, &so_far[i], set);
        best->sets += strcmp(set->before, set->after) != 0;
    }
    best->tried = t.tried;
    if (best->step_s >= NO_FIT_S) best->step_s = INFINITY;
    free(moves);
    end_trial(&t);
    return RK_OK;
}

static bool same_plan(const struct rk_model *model, const struct rk_plan *a,
                      const struct rk_plan *b)
{
    struct plan_difference differences[PLAN_MAX_FIELDS];
    const struct rk_plan x = plan_canonical(model, a), y = plan_canonical(model, b);
    return plan_compare(&x, &y, differences) == 0;
}

enum rk_status knobs_write(const struct knob_file *file, const struct knob_set *set, int sets,
                           const struct rk_plan *plan, char **text, struct rk_error *error)
{
    const char *path = file->source->path;
    struct config_source source = *file->source;
    struct knob_file changed = *file;
    struct trial t;
    char *now = strdup(source.text);
    for (int pass = 0; pass < 2; pass++) /* new keys shift the lines of those that are there */
        for (int i = 0; now && i < sets; i++) {
            if ((set[i].line == 0) != pass) continue;
            char *next = knob_edit(path, now, &set[i]);
            free(now);
            now = next;
            if (!now)
                return rk_fail(error, RK_BAD_INPUT, path, set[i].line, 0,
                               "%s: cannot be set to %s where it stands: set it by hand",
                               set[i].key, set[i].after);
        }
    if (!now) return no_memory(error);
    source.text = now;
    changed.source = &source;
    const bool same = begin_trial(&t, &changed) && same_plan(file->model, &t.plan, plan);
    end_trial(&t);
    if (same) {
        *text = now;
        return RK_OK;
    }
    free(now);
    return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                   "the changed file does not read as the plan that it should be: set the keys by "
                   "hand");
}
