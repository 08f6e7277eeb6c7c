/* read.c - a program from its text. */
#include "base/limits.h"
#include "base/memory.h"
#include "base/text.h"
#include "program/build.h"
#include "program/read_names.h"
#include "workload/op.h"

#include <reckon/program.h>

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum rk_status program_read_fail(struct reader *r, const char *what, const char *word)
{
    char quoted[TEXT_QUOTE];
    return rk_fail(r->error, RK_BAD_INPUT, r->path, r->line, 0, "%s: %s", what,
                   text_quote(quoted, word, strlen(word)));
}

/* ---- words ---- */

int program_read_find_word(const char *(*name)(int), const char *word)
{
    for (int i = 0; name(i); i++)
        if (strcmp(name(i), word) == 0) return i;
    return -1;
}

bool program_read_read_whole(const char *text, uint64_t most, uint64_t *number)
{
    char *end;
    if (*text < '0' || *text > '9' || (*text == '0' && text[1])) return false;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return !*end && errno == 0 && *number <= most;
}

static bool read_number(const char *text, double *number)
{
    char *end;
    if (!strchr("0123456789.", *text) || !*text) return false;
    *number = strtod(text, &end);
    return !*end && *number >= 0 && *number < 1e300;
}

void program_read_spell(char *to, size_t room, const char *from)
{
    size_t used = 0;
    for (; *from && used + 1 < room; from++)
        if (*from != ',') to[used++] = *from == '_' ? ' ' : *from;
    to[used] = '\0';
}

bool program_read_read_layer(const struct rk_program *p, const char *text, int32_t *layer)
{
    uint64_t number;
    if (strcmp(text, "embedding") == 0)
        *layer = RK_LAYER_EMBEDDING;
    else if (strcmp(text, "head") == 0)
        *layer = (int32_t)(p->layers + p->predict_layers);
    else if (strncmp(text, "predict", 7) == 0 &&
             program_read_read_whole(text + 7, p->predict_layers, &number) &&
             number < p->predict_layers)
        *layer = (int32_t)(p->layers + number);
    else if (program_read_read_whole(text, p->layers, &number) && number < p->layers)
        *layer = (int32_t)number;
    else
        return false;
    return true;
}

/* ---- a line ---- */

struct parsing {
    struct rk_instruction in;
    struct rk_task task;
    struct rk_form *form; /* of an alloc */
    const char *what;     /* of a run: its word */
    const char *group;    /* of a collective, as it stands there */
    char over[24];        /* ... its name */
    uint64_t op;
    bool has_op;
};

static enum rk_status read_tensors(struct reader *r, struct parsing *l, char *list, bool writes)
{
    struct rk_program *p = r->p;
    char *rest = NULL;
    for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        uint32_t tensor = 0;
        if (!ARRAY_ROOM(p->reference, p->references)) return no_memory(r->error);
        const enum rk_status status = program_read_find_tensor(r, name, &tensor);
        if (status != RK_OK) return status;
        p->reference[p->references++] = tensor;
        *(writes ? &l->in.writes : &l->in.reads) += 1;
    }
    return RK_OK;
}

/* "a:1,b:2" into numbers by name; "1x2" into those of a list. */
static bool read_drops(char *text, double drops[RK_HOLDING_COUNT])
{
    char *rest = NULL;
    for (char *one = strtok_r(text, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        char *colon = strchr(one, ':');
        int holding = 0;
        if (!colon) return false;
        *colon = '\0';
        while (holding < RK_HOLDING_COUNT &&
               strcmp(rk_holding_name((enum rk_holding)holding), one) != 0)
            holding++;
        if (holding == RK_HOLDING_COUNT || !read_number(colon + 1, &drops[holding])) return false;
    }
    return true;
}

static bool read_list(char *text, double *numbers, int count)
{
    char *rest = NULL, *one = strtok_r(text, "x", &rest);
    for (int i = 0; i < count; i++, one = strtok_r(NULL, "x", &rest))
        if (!one || !read_number(one, &numbers[i])) return false;
    return !one;
}

static bool read_holding(const char *word, enum rk_holding *holding)
{
    for (int i = 0; i < RK_HOLDING_COUNT; i++)
        if (strcmp(rk_holding_name((enum rk_holding)i), word) == 0) {
            *holding = (enum rk_holding)i;
            return true;
        }
    return false;
}

/* ---- keys ---- */

typedef bool key_reader(struct reader *r, struct parsing *l, char *value);

static bool read_stream(struct reader *r, struct parsing *l, char *value)
{
    const int word = program_read_find_word(rk_program_stream_name, value);
    (void)r;
    l->in.stream = (uint8_t)word;
    return word >= 0;
}

static bool read_pass(struct reader *r, struct parsing *l, char *value)
{
    const int word = program_read_find_word(rk_program_work_name, value);
    (void)r;
    l->in.work = (uint8_t)word;
    l->task.work = (enum rk_work)word;
    return word >= 0;
}

static bool read_type(struct reader *r, struct parsing *l, char *value)
{
    const int word = program_read_find_word(rk_program_element_name, value);
    (void)r;
    if (l->form && word >= 0) l->form->element = (enum rk_element)word;
    return word >= 0;
}

static bool read_place(struct reader *r, struct parsing *l, char *value)
{
    return program_read_read_layer(r->p, value, &l->in.layer);
}

static bool read_microbatch(struct reader *r, struct parsing *l, char *value)
{
    uint64_t number;
    (void)r;
    if (!program_read_read_whole(value, INT32_MAX, &number)) return false;
    l->in.microbatch = (int32_t)number;
    return true;
}

static bool read_op(struct reader *r, struct parsing *l, char *value)
{
    (void)r;
    return l->has_op = program_read_read_whole(value, MOST_PROGRAM_OPS, &l->op);
}

static bool read_tag(struct reader *r, struct parsing *l, char *value)
{
    uint64_t number;
    (void)r;
    if (!program_read_read_whole(value, UINT32_MAX, &number)) return false;
    l->in.tag = (uint32_t)number;
    return true;
}

static bool read_chunk(struct reader *r, struct parsing *l, char *value)
{
    uint64_t number;
    (void)r;
    if (!program_read_read_whole(value, UINT16_MAX, &number)) return false;
    l->in.chunk = (uint16_t)number;
    return true;
}

static bool read_name(struct reader *r, struct parsing *l, char *value)
{
    (void)r;
    program_read_spell(l->task.name, sizeof l->task.name, value);
    return true;
}

static bool read_kind(struct reader *r, struct parsing *l, char *value)
{
    (void)r;
    program_read_spell(l->task.layer, sizeof l->task.layer, value);
    return true;
}

static bool read_over(struct reader *r, struct parsing *l, char *value)
{
    (void)r;
    if (l->group) program_read_spell(l->over, sizeof l->over, value);
    return l->group != NULL;
}

static bool read_hold(struct reader *r, struct parsing *l, char *value)
{
    (void)r;
    return read_holding(value, &l->task.holding);
}

static bool read_expert(struct reader *r, struct parsing *l, char *value)
{
    (void)r;
    return l->task.expert = strcmp(value, "yes") == 0;
}

static bool read_dropped(struct reader *r, struct parsing *l, char *value)
{
    (void)r;
    return read_drops(value, l->task.drops);
}

static bool read_product(struct reader *r, struct parsing *l, char *value)
{
    (void)r;
    return read_list(value, l->task.product, 4);
}

static bool read_shape(struct reader *r, struct parsing *l, char *value)
{
    (void)r;
    return !l->form || read_list(value, l->form->shape, RK_SHAPE_DIMS);
}

static bool read_bytes(struct reader *r, struct parsing *l, char *value)
{
    (void)r;
    return !l->form || read_number(value, &l->form->bytes);
}

/* A number of the task, or what reads the value. */
#define NUMBER(member) offsetof(struct rk_task, member), NULL
/* clang-format off */
static const struct {
    const char *key;
    size_t offset;
    key_reader *read;
} keys[] = {
    {"stream", 0, read_stream},   {"layer", 0, read_place},     {"mb", 0, read_microbatch},
    {"pass", 0, read_pass},       {"op", 0, read_op},           {"name", 0, read_name},
    {"kind", 0, read_kind},       {"chunk", 0, read_chunk},     {"over", 0, read_over},
    {"tag", 0, read_tag},         {"shape", 0, read_shape},     {"dtype", 0, read_type},
    {"bytes", 0, read_bytes},     {"hold", 0, read_hold},       {"drops", 0, read_dropped},
    {"product", 0, read_product}, {"expert", 0, read_expert},
    {"flop", NUMBER(flop)},       {"useful", NUMBER(useful_flop)},
    {"access", NUMBER(access_bytes)}, {"sent", NUMBER(sent_bytes)},
    {"working", NUMBER(working_bytes)}, {"parameters", NUMBER(parameters)},
    {"keeps", NUMBER(keeps_bytes)}, {"s", NUMBER(seconds)}, {"link", NUMBER(link_s)},
};
/* clang-format on */
#undef NUMBER

/* Keys that are not known are passed over. */
static bool read_key(struct reader *r, struct parsing *l, const char *key, char *value)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(key, keys[i].key) != 0) continue;
        if (keys[i].read) return keys[i].read(r, l, value);
        return read_number(value, (double *)((char *)&l->task + keys[i].offset));
    }
    return true;
}

/* What stands between the word and the keys. */
static enum rk_status read_operands(struct reader *r, struct parsing *l, char **rest)
{
    char *word = strtok_r(NULL, " ", rest);
    uint64_t number = 0;
    enum rk_status status = RK_OK;
    if (!word)
        return program_read_fail(r, "a line that ends early", rk_program_do_name(l->in.what));
    if (l->in.what == RK_DO_RUN && *word == ',')
        return program_read_fail(r, "no name of what is run", word);
    if (l->in.what == RK_DO_RUN) return l->what = word, RK_OK;
    if (l->in.what == RK_DO_ALLOC) {
        status = program_read_add_tensor(r, word);
        if (status != RK_OK) return status;
        l->in.other = (uint32_t)r->p->tensors - 1;
        l->form = &r->p->form[l->in.other];
        return RK_OK;
    }
    if (l->in.what == RK_DO_FREE) {
        status = program_read_find_tensor(r, word, &l->in.other);
        if (status == RK_OK) r->p->tensor[l->in.other].last = (int32_t)r->p->instructions;
        return status;
    }
    if (l->in.what == RK_DO_RECORD || l->in.what == RK_DO_WAIT) {
        if (*word != 'e' || !program_read_read_whole(word + 1, MOST_PROGRAM_EVENTS, &number))
            return program_read_fail(r, "no event, e12", word);
        l->in.other = (uint32_t)number;
        return RK_OK;
    }
    if (l->in.what == RK_DO_SEND || l->in.what == RK_DO_RECV) {
        if (!program_read_read_whole(word, UINT32_MAX, &number))
            return program_read_fail(r, "no rank", word);
        l->in.other = (uint32_t)number;
    } else {
        l->group = word;
    }
    word = strtok_r(NULL, " ", rest);
    const int element = word ? program_read_find_word(rk_program_element_name, word) : -1;
    if (element < 0) return program_read_fail(r, "no type of elements", word ? word : "");
    l->in.element = (uint8_t)element;
    word = strtok_r(NULL, " ", rest);
    if (!word || !program_read_read_whole(word, UINT64_MAX, &l->in.count))
        return program_read_fail(r, "no count of elements", word ? word : "");
    return RK_OK;
}

static const char title_name[] = "program"; /* what a title runs, and no operation is called */

/* Room for a number of a task, as the text has them. */
static bool room_for_op(struct reader *r, uint64_t op)
{
    if (op < r->ops) return true;
    const size_t ops = (size_t)op + 256;
    int32_t *moved = realloc(r->task_of, ops * sizeof *moved);
    if (!moved) return false;
    memset(moved + r->ops, 0xff, (ops - r->ops) * sizeof *moved);
    r->task_of = moved;
    r->ops = ops;
    return true;
}

/* Lines that say the same have one task, as they had when they were written; what is run has one in
 * any case. */
static enum rk_status keep_task(struct reader *r, struct parsing *l)
{
    struct rk_program *p = r->p;
    if (!l->has_op && l->in.what != RK_DO_RUN) return RK_OK;
    if (!*l->task.name && l->what) program_read_spell(l->task.name, sizeof l->task.name, l->what);
    if (l->what && strcmp(l->task.name, title_name) == 0)
        return program_read_fail(r, "a name that is reserved for the title", title_name);
    l->task.op = op_named(l->task.name);
    if ((l->has_op && !room_for_op(r, l->op)) || !ARRAY_ROOM(p->task, p->tasks))
        return no_memory(r->error);
    const int32_t known = l->has_op ? r->task_of[l->op] : RK_NONE;
    if (known != RK_NONE && same_task(&p->task[known], &l->task)) {
        l->in.task = known;
        return RK_OK;
    }
    l->in.task = (int32_t)p->tasks;
    p->task[p->tasks++] = l->task;
    if (l->has_op) r->task_of[l->op] = l->in.task;
    return RK_OK;
}

/* Is it the title that follows "run"? */
static bool names_title(const char *rest)
{
    rest += strspn(rest, " ");
    return strcspn(rest, " ") == strlen(title_name) &&
           strncmp(rest, title_name, strlen(title_name)) == 0;
}

/* "run program rank=3 ranks=8 ...": the first line. */
static enum rk_status read_title(struct reader *r, char *rest)
{
    struct rk_program *p = r->p;
    const struct {
        const char *key;
        uint32_t *to;
    } counts[] = {{"rank", &p->rank},
                  {"ranks", &p->ranks},
                  {"stage", &p->stage},
                  {"layers", &p->layers},
                  {"predict", &p->predict_layers},
                  {"microbatches", &p->microbatches}};
    for (char *word = strtok_r(NULL, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        uint64_t number;
        if (!value) return program_read_fail(r, "no KEY=VALUE", word);
        *value++ = '\0';
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            if (strcmp(word, counts[i].key) != 0) continue;
            if (!program_read_read_whole(value, 1 << 24, &number))
                return program_read_fail(r, "no count", value);
            *counts[i].to = (uint32_t)number;
        }
    }
    return RK_OK;
}

static enum rk_status read_line(struct reader *r, char *text)
{
    struct rk_program *p = r->p;
    char *rest = NULL, *word = strtok_r(text, " ", &rest);
    if (!word) return RK_OK;
    const int what = program_read_find_word(rk_program_do_name, word);
    if (what < 0) return program_read_fail(r, "no instruction of a program", word);
    if (what == RK_DO_RUN && names_title(rest)) {
        strtok_r(NULL, " ", &rest);
        return read_title(r, rest);
    }
    struct parsing l = {.in = {.what = (uint8_t)what,
                               .task = RK_NONE,
                               .layer = RK_LAYER_NONE,
                               .microbatch = RK_NONE,
                               .tensors = (uint32_t)p->references}};
    const bool bare = what == RK_DO_BEGIN || what == RK_DO_END;
    enum rk_status status = bare ? RK_OK : read_operands(r, &l, &rest);
    while (status == RK_OK && (word = strtok_r(NULL, " ", &rest))) {
        char *value = strchr(word, '=');
        if (!value) return program_read_fail(r, "no KEY=VALUE", word);
        *value++ = '\0';
        if (strcmp(word, "reads") == 0 || strcmp(word, "writes") == 0)
            status = read_tensors(r, &l, value, *word == 'w');
        else if (!read_key(r, &l, word, value))
            return program_read_fail(r, "a value that its key does not take", word);
    }
    if (status == RK_OK && l.group)
        status = program_read_find_group(r, l.group, l.over, &l.in.other);
    if (status == RK_OK) status = keep_task(r, &l);
    if (status != RK_OK) return status;
    if (!ARRAY_ROOM(p->instruction, p->instructions)) return no_memory(r->error);
    p->instruction[p->instructions++] = l.in;
    return RK_OK;
}

enum rk_status rk_program_read(struct rk_program *program, FILE *in, const char *path,
                               struct rk_error *error)
{
    struct reader r = {.p = program, .path = path, .error = error};
    enum rk_status status = RK_OK;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    *program = (struct rk_program){.rank = 0};
    while (status == RK_OK && (length = getline(&line, &room, in)) >= 0) {
        r.line++;
        if (length && line[length - 1] == '\n') line[length - 1] = '\0';
        status = memchr(line, '\0', (size_t)length - 1) ? program_read_fail(&r, "a zero byte", "")
                                                        : read_line(&r, line);
    }
    for (size_t i = 0; i < program->tensors; i++)
        free(r.name[i]);
    free(line);
    free(r.name);
    free(r.slot);
    free(r.task_of);
    return status;
}
