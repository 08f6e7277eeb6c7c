/* text.c - programs as texts: a line for each instruction, in the grammar of logs of operations. */
#include "base/memory.h"
#include "program/build.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME(value, word, help) word,
#define NAMES(list)                                                                                \
    static const char *const names_of_##list[] = {RK_NAMES_##list(NAME)};                          \
    const char *rk_program_##list##_name(int value)                                                \
    {                                                                                              \
        const int count = (int)(sizeof names_of_##list / sizeof *names_of_##list);                 \
        return value >= 0 && value < count ? names_of_##list[value] : NULL;                        \
    }
RK_NAMES_PROGRAM(NAMES)

/* ---- names ---- */

/* Blanks and commas have a meaning in a line. */
static size_t copy_word(char *to, size_t room, const char *from)
{
    size_t used = 0;
    for (; *from && used + 1 < room; from++)
        if (*from != ',') to[used++] = *from == ' ' ? '_' : *from;
    to[used] = '\0';
    return used;
}

static void layer_word(const struct rk_program *p, int32_t layer, char text[24])
{
    const int32_t blocks = (int32_t)p->layers, predict = (int32_t)p->predict_layers;
    if (layer == RK_LAYER_EMBEDDING)
        strcpy(text, "embedding");
    else if (layer == blocks + predict)
        strcpy(text, "head");
    else if (layer >= blocks)
        snprintf(text, 24, "predict%d", (int)(layer - blocks));
    else
        snprintf(text, 24, "%d", (int)layer);
}

int rk_program_tensor_name(const struct rk_program *p, uint32_t tensor, char *text, size_t size)
{
    const struct rk_tensor *t = &p->tensor[tensor];
    const struct rk_form *form = &p->form[t->form];
    const char *kind = names_of_tensor_kind[form->kind];
    char name[RK_TASK_NAME], layer[24], microbatch[16] = "", number[16] = "";
    copy_word(name, sizeof name, form->name);
    layer_word(p, t->layer, layer);
    if (t->microbatch != RK_NONE)
        snprintf(microbatch, sizeof microbatch, ".%d", (int)t->microbatch);
    if (t->number) snprintf(number, sizeof number, "'%u", (unsigned)t->number);
    return snprintf(text, size, "%s%s%s.%s%s%s", kind, *kind && *name ? ":" : "", name, layer,
                    microbatch, number);
}

/* ---- lines ---- */

enum { LINE_ROOM = 1 << 16 };

struct line {
    const struct rk_program *p;
    FILE *out;
    char text[LINE_ROOM];
    size_t used;
    bool failed;
    bool plain; /* without times, and numbers of tasks and events */
};

static void flush(struct line *l)
{
    if (!l->out) return; /* one line, for who compares it */
    l->failed |= fwrite(l->text, 1, l->used, l->out) != l->used;
    l->used = 0;
}

static void add_text(struct line *l, const char *text)
{
    const size_t length = strlen(text);
    if (l->used + length >= LINE_ROOM) flush(l);
    if (l->used + length >= LINE_ROOM) return;
    memcpy(l->text + l->used, text, length);
    l->used += length;
}

static void add_count(struct line *l, uint64_t count)
{
    char digits[24];
    size_t used = sizeof digits;
    digits[--used] = '\0';
    do {
        digits[--used] = (char)('0' + count % 10);
        count /= 10;
    } while (count);
    add_text(l, digits + used);
}

/* Every digit of sizes, which mostly are whole. */
static void add_number(struct line *l, double number)
{
    char text[32];
    if (number >= 0 && number < 0x1p63 && number == floor(number)) {
        add_count(l, (uint64_t)number);
        return;
    }
    snprintf(text, sizeof text, "%.17g", number);
    add_text(l, text);
}

static void add_key(struct line *l, const char *key, double number)
{
    if (number == 0) return;
    add_text(l, key);
    add_number(l, number);
}

static void add_seconds(struct line *l, const char *key, double seconds)
{
    char text[32];
    if (seconds == 0 || l->plain) return;
    snprintf(text, sizeof text, "%s%.9g", key, seconds);
    add_text(l, text);
}

static void add_word(struct line *l, const char *key, const char *word)
{
    char text[RK_TASK_NAME];
    copy_word(text, sizeof text, word);
    add_text(l, key);
    add_text(l, text);
}

static void add_tensor(struct line *l, uint32_t tensor)
{
    char text[RK_TENSOR_NAME];
    rk_program_tensor_name(l->p, tensor, text, sizeof text);
    add_text(l, text);
}

static void add_tensors(struct line *l, const char *key, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        add_text(l, i ? "," : key);
        add_tensor(l, l->p->reference[first + i]);
    }
}

/* "0-7:1", "3,11": runs of three and more members at equal distances are a range. */
static void add_group(struct line *l, const struct rk_group *group)
{
    for (uint32_t i = 0; i < group->ranks;) {
        const uint32_t *rank = &group->rank[i];
        uint32_t run = 1;
        while (i + run < group->ranks && rank[1] > rank[0] &&
               rank[run] == rank[run - 1] + (rank[1] - rank[0]))
            run++;
        if (i) add_text(l, ",");
        add_count(l, *rank);
        if (run > 2) {
            add_text(l, "-");
            add_count(l, rank[run - 1]);
            add_text(l, ":");
            add_count(l, rank[1] - rank[0]);
        }
        i += run > 2 ? run : 1;
    }
}

static void add_stream(struct line *l, const struct rk_instruction *in)
{
    add_text(l, " stream=");
    add_text(l, names_of_stream[in->stream]);
}

static void add_layer(struct line *l, const struct rk_instruction *in)
{
    char layer[24];
    if (in->layer == RK_LAYER_NONE) return;
    layer_word(l->p, in->layer, layer);
    add_text(l, " layer=");
    add_text(l, layer);
    if (in->microbatch != RK_NONE) {
        add_text(l, " mb=");
        add_count(l, (uint64_t)in->microbatch);
    }
}

static void add_drops(struct line *l, const struct rk_task *task)
{
    bool any = false;
    for (int i = 0; i < RK_HOLDING_COUNT; i++) {
        if (task->drops[i] == 0) continue;
        add_text(l, any ? "," : " drops=");
        add_text(l, rk_holding_name((enum rk_holding)i));
        add_text(l, ":");
        add_number(l, task->drops[i]);
        any = true;
    }
}

static void add_product(struct line *l, const struct rk_task *task)
{
    for (int i = 0; i < 4 && task->product[0] > 0; i++) {
        add_text(l, i ? "x" : " product=");
        add_number(l, task->product[i]);
    }
}

static void add_task(struct line *l, const struct rk_instruction *in)
{
    const struct rk_task *task = &l->p->task[in->task];
    if (in->what >= RK_DO_ALL_REDUCE && in->what <= RK_DO_BROADCAST)
        add_word(l, " over=", l->p->group[in->other].name);
    if (!l->plain) {
        add_text(l, " op=");
        add_count(l, (uint64_t)in->task);
    }
    add_word(l, " name=", task->name);
    if (*task->layer) add_word(l, " kind=", task->layer);
    add_product(l, task);
    add_key(l, " flop=", task->flop);
    add_key(l, " useful=", task->useful_flop);
    add_key(l, " access=", task->access_bytes);
    add_key(l, " sent=", task->sent_bytes);
    add_key(l, " working=", task->working_bytes);
    add_key(l, " parameters=", task->parameters);
    if (task->expert) add_text(l, " expert=yes");
    if (task->keeps_bytes > 0) {
        add_key(l, " keeps=", task->keeps_bytes);
        add_word(l, " hold=", rk_holding_name(task->holding));
    }
    add_drops(l, task);
    add_seconds(l, " s=", task->seconds);
    add_seconds(l, " link=", task->link_s);
}

static void add_alloc(struct line *l, const struct rk_instruction *in)
{
    const struct rk_tensor *tensor = &l->p->tensor[in->other];
    const struct rk_form *form = &l->p->form[tensor->form];
    add_text(l, " ");
    add_tensor(l, in->other);
    add_stream(l, in);
    add_layer(l, in);
    add_text(l, " shape=");
    add_number(l, form->shape[0]);
    add_text(l, "x");
    add_number(l, form->shape[1]);
    add_text(l, " dtype=");
    add_text(l, names_of_element[form->element]);
    add_text(l, " bytes=");
    add_number(l, form->bytes);
}

/* What stands between the word and the stream. */
static void add_head(struct line *l, const struct rk_instruction *in)
{
    add_text(l, " ");
    if (in->what == RK_DO_RECORD || in->what == RK_DO_WAIT) {
        add_text(l, "e");
        if (!l->plain) add_count(l, in->other);
    } else if (in->what == RK_DO_SEND || in->what == RK_DO_RECV) {
        add_count(l, in->other);
    } else if (in->what == RK_DO_RUN) {
        add_word(l, "", l->p->task[in->task].name);
    } else {
        add_group(l, &l->p->group[in->other]);
    }
    if (in->what == RK_DO_RECORD || in->what == RK_DO_WAIT || in->what == RK_DO_RUN) return;
    add_text(l, " ");
    add_text(l, names_of_element[in->element]);
    add_text(l, " ");
    add_count(l, in->count);
    if (in->what != RK_DO_SEND && in->what != RK_DO_RECV) return;
    add_text(l, " tag=");
    add_count(l, in->tag);
}

static void add_line(struct line *l, const struct rk_instruction *in)
{
    add_text(l, names_of_do[in->what]);
    switch (in->what) {
    case RK_DO_ALLOC:
        add_alloc(l, in);
        break;
    case RK_DO_FREE:
        add_text(l, " ");
        add_tensor(l, in->other);
        add_stream(l, in);
        break;
    case RK_DO_BEGIN:
    case RK_DO_END:
        add_stream(l, in);
        break;
    case RK_DO_RECORD:
    case RK_DO_WAIT:
        add_head(l, in);
        add_stream(l, in);
        break;
    default:
        add_head(l, in);
        add_stream(l, in);
        add_tensors(l, " reads=", in->tensors, in->reads);
        add_tensors(l, " writes=", in->tensors + in->reads, in->writes);
        add_text(l, " pass=");
        add_text(l, names_of_work[in->work]);
        add_layer(l, in);
        add_key(l, " chunk=", in->chunk);
        if (in->task != RK_NONE) add_task(l, in);
    }
    add_text(l, "\n");
}

/* Does nothing; says whose program it is. */
static void add_title(struct line *l)
{
    const struct rk_program *p = l->p;
    const struct {
        const char *key;
        uint32_t value;
    } keys[] = {{" rank=", p->rank},
                {" ranks=", p->ranks},
                {" stage=", p->stage},
                {" layers=", p->layers},
                {" predict=", p->predict_layers},
                {" microbatches=", p->microbatches}};
    add_text(l, "run program stream=gpu");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        add_text(l, keys[i].key);
        add_count(l, keys[i].value);
    }
    add_text(l, "\n");
}

enum rk_status rk_program_write(const struct rk_program *program, FILE *out, struct rk_error *error)
{
    struct line *line = malloc(sizeof *line);
    if (!line) return no_memory(error);
    line->p = program;
    line->out = out;
    line->used = 0;
    line->failed = line->plain = false;
    add_title(line);
    for (size_t i = 0; i < program->instructions && !line->failed; i++)
        add_line(line, &program->instruction[i]);
    flush(line);
    const bool failed = line->failed;
    free(line);
    return failed ? rk_fail(error, RK_IO, NULL, 0, 0, "cannot write the program: %s",
                            errno ? strerror(errno) : "an earlier write failed")
                  : RK_OK;
}

/* ---- differences ---- */

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return hash;
}

static void plain_line(struct line *l, const struct rk_program *p, size_t i)
{
    l->p = p;
    l->out = NULL;
    l->used = 0;
    l->plain = true;
    add_line(l, &p->instruction[i]);
}

static uint64_t *hashes_of(struct line *l, const struct rk_program *p)
{
    uint64_t *hashes = malloc((p->instructions + 1) * sizeof *hashes);
    for (size_t i = 0; hashes && i < p->instructions; i++) {
        plain_line(l, p, i);
        hashes[i] = hash_of(l->text, l->used);
    }
    return hashes;
}

struct side {
    const struct rk_program *p;
    const uint64_t *hashes;
    size_t at;
};

/* How far to go on both sides, together as little as can be, until they agree again. */
static void agree(const struct side *a, const struct side *b, size_t *more_a, size_t *more_b)
{
    enum { WINDOW = 4096 };
    const size_t left_a = a->p->instructions - a->at, left_b = b->p->instructions - b->at;
    for (size_t sum = 1; sum < WINDOW; sum++)
        for (size_t i = sum < left_b ? 0 : sum - left_b; i <= sum && i <= left_a; i++) {
            const size_t k = sum - i;
            const bool ends = i == left_a && k == left_b;
            if (!ends &&
                (i >= left_a || k >= left_b || a->hashes[a->at + i] != b->hashes[b->at + k]))
                continue;
            *more_a = i;
            *more_b = k;
            return;
        }
    *more_a = left_a;
    *more_b = left_b;
}

static void tell(struct line *l, FILE *out, const struct side *side, size_t i, char sign)
{
    plain_line(l, side->p, i);
    l->failed |= fprintf(out, "%c%zu: %.*s", sign, i + 1, (int)l->used, l->text) < 0;
}

enum rk_status rk_program_diff(const struct rk_program *program, const struct rk_program *other,
                               FILE *out, size_t most, size_t *differences, struct rk_error *error)
{
    struct line *l = calloc(1, sizeof *l);
    uint64_t *first = l ? hashes_of(l, program) : NULL, *second = l ? hashes_of(l, other) : NULL;
    struct side a = {program, first, 0}, b = {other, second, 0};
    enum rk_status status = RK_OK;
    *differences = 0;
    if (!first || !second) {
        status = no_memory(error);
        goto out;
    }
    while (a.at < program->instructions || b.at < other->instructions) {
        size_t more_a, more_b;
        if (a.at < program->instructions && b.at < other->instructions &&
            first[a.at] == second[b.at]) {
            a.at++;
            b.at++;
            continue;
        }
        agree(&a, &b, &more_a, &more_b);
        for (; more_a; more_a--, a.at++)
            if ((*differences)++ < most) tell(l, out, &a, a.at, '-');
        for (; more_b; more_b--, b.at++)
            if ((*differences)++ < most) tell(l, out, &b, b.at, '+');
    }
    if (l->failed) status = rk_fail(error, RK_IO, NULL, 0, 0, "the differences cannot be written");
out:
    free(first);
    free(second);
    free(l);
    return status;
}
