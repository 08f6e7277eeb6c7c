/* read.c - a program from its text. */
#include "base/limits.h"
#include "base/memory.h"
#include "base/text.h"
#include "program/build.h"
#include "workload/op.h"

#include <reckon/program.h>

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct rk_program *p;
    const char *path;
    struct rk_error *error;
    int line;
    int32_t *task_of; /* (ops) the task of each number in the text; RK_NONE: none yet */
    size_t ops;
    uint32_t *slot; /* (slots) of a hash table of names of tensors: number + 1 */
    char **name;    /* (tensors) */
    size_t slots;
};

static enum rk_status fail(struct reader *r, const char *what, const char *word)
{
    char quoted[TEXT_QUOTE];
    return rk_fail(r->error, RK_BAD_INPUT, r->path, r->line, 0, "%s: %s", what,
                   text_quote(quoted, word, strlen(word)));
}

/* ---- words ---- */

static int find_word(const char *(*name)(int), const char *word)
{
    for (int i = 0; name(i); i++)
        if (strcmp(name(i), word) == 0) return i;
    return -1;
}

/* As it is written: "06" would be another name of what "6" names. */
static bool read_whole(const char *text, uint64_t most, uint64_t *number)
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

/* The word as tables have it: blanks come back; commas are in no word that is written. */
static void spell(char *to, size_t room, const char *from)
{
    size_t used = 0;
    for (; *from && used + 1 < room; from++)
        if (*from != ',') to[used++] = *from == '_' ? ' ' : *from;
    to[used] = '\0';
}

static bool read_layer(const struct rk_program *p, const char *text, int32_t *layer)
{
    uint64_t number;
    if (strcmp(text, "embedding") == 0)
        *layer = RK_LAYER_EMBEDDING;
    else if (strcmp(text, "head") == 0)
        *layer = (int32_t)(p->layers + p->predict_layers);
    else if (strncmp(text, "predict", 7) == 0 && read_whole(text + 7, p->predict_layers, &number) &&
             number < p->predict_layers)
        *layer = (int32_t)(p->layers + number);
    else if (read_whole(text, p->layers, &number) && number < p->layers)
        *layer = (int32_t)number;
    else
        return false;
    return true;
}

/* ---- tensors by name ---- */

static size_t hash_of(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return (size_t)(hash ^ hash >> 29);
}

static uint32_t *slot_of(const struct reader *r, const char *name)
{
    size_t at = hash_of(name) % r->slots;
    while (r->slot[at] && strcmp(r->name[r->slot[at] - 1], name) != 0)
        at = (at + 1) % r->slots;
    return &r->slot[at];
}

static bool more_slots(struct reader *r)
{
    if (2 * (r->p->tensors + 1) < r->slots) return true;
    const size_t slots = r->slots ? 2 * r->slots : 1024;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot) return false;
    free(r->slot);
    r->slot = slot;
    r->slots = slots;
    for (size_t i = 0; i < r->p->tensors; i++)
        *slot_of(r, r->name[i]) = (uint32_t)i + 1;
    return true;
}

/* "kind:name.layer.microbatch'number", of which some may be missing. */
static bool read_tensor_name(const struct rk_program *p, const char *text, struct rk_tensor *tensor,
                             struct rk_form *form)
{
    char copy[RK_TENSOR_NAME], *part = copy, *end;
    uint64_t number;
    if (strlen(text) >= sizeof copy) return false;
    strcpy(copy, text);
    if ((end = strchr(copy, '\''))) {
        *end = '\0';
        if (!read_whole(end + 1, UINT32_MAX, &number)) return false;
        tensor->number = (uint32_t)number;
    }
    char *layer = strchr(copy, '.');
    if (!layer) return false;
    *layer++ = '\0';
    tensor->microbatch = RK_NONE;
    if ((end = strchr(layer, '.'))) {
        *end = '\0';
        if (!read_whole(end + 1, INT32_MAX, &number)) return false;
        tensor->microbatch = (int32_t)number;
    }
    if (!read_layer(p, layer, &tensor->layer)) return false;
    int kind = find_word(rk_program_tensor_kind_name, copy);
    if ((end = strchr(copy, ':'))) {
        *end = '\0';
        kind = find_word(rk_program_tensor_kind_name, copy);
        part = end + 1;
    } else if (kind > 0) {
        part = copy + strlen(copy);
    } else {
        kind = RK_TENSOR_ACTIVATION;
    }
    if (kind < 0) return false;
    form->kind = (enum rk_tensor_kind)kind;
    spell(form->name, sizeof form->name, part);
    return true;
}

static enum rk_status add_tensor(struct reader *r, const char *name)
{
    struct rk_program *p = r->p;
    if (!more_slots(r) || !ARRAY_ROOM(p->tensor, p->tensors) || !ARRAY_ROOM(p->form, p->tensors) ||
        !ARRAY_ROOM(r->name, p->tensors))
        return no_memory(r->error);
    uint32_t *slot = slot_of(r, name);
    if (*slot) return fail(r, "the tensor is allocated twice", name);
    p->tensor[p->tensors] = (struct rk_tensor){
        .form = (uint32_t)p->tensors, .first = (int32_t)p->instructions, .last = RK_NONE};
    p->form[p->tensors] = (struct rk_form){.kind = RK_TENSOR_ACTIVATION};
    if (!read_tensor_name(p, name, &p->tensor[p->tensors], &p->form[p->tensors]))
        return fail(r, "no name of a tensor, KIND:NAME.LAYER.MICROBATCH", name);
    if (!(r->name[p->tensors] = strdup(name))) return no_memory(r->error);
    *slot = (uint32_t)++p->tensors;
    p->forms = p->tensors;
    return RK_OK;
}

static enum rk_status find_tensor(struct reader *r, const char *name, uint32_t *tensor)
{
    if (!r->slots || !*slot_of(r, name)) return fail(r, "a tensor that is not allocated", name);
    *tensor = *slot_of(r, name) - 1;
    return RK_OK;
}

/* ---- groups ---- */

/* "0-7:1", "3,11" */
static bool read_group(const char *text, uint32_t *ranks, uint32_t most, uint32_t *count)
{
    *count = 0;
    while (*text) {
        char *end;
        const uint64_t first = strtoull(text, &end, 10);
        uint64_t last = first, step = 1;
        if (end == text) return false;
        if (*end == '-') {
            last = strtoull(end + 1, &end, 10);
            if (*end != ':') return false;
            step = strtoull(end + 1, &end, 10);
        }
        if (step == 0 || last < first || (*end && *end != ',')) return false;
        for (uint64_t rank = first; rank <= last; rank += step) {
            if (*count == most) return false;
            ranks[(*count)++] = (uint32_t)rank;
        }
        text = end + (*end == ',');
    }
    return *count > 0;
}

static enum rk_status find_group(struct reader *r, const char *text, const char *name,
                                 uint32_t *group)
{
    struct rk_program *p = r->p;
    uint32_t count, *ranks = malloc((p->ranks + 1) * sizeof *ranks);
    if (!ranks || !ARRAY_ROOM(p->group, p->groups)) {
        free(ranks);
        return no_memory(r->error);
    }
    if (!read_group(text, ranks, p->ranks, &count)) {
        free(ranks);
        return fail(r, "no group of ranks, 0-7:1 or 3,11", text);
    }
    for (*group = 0; *group < p->groups; ++*group) {
        const struct rk_group *known = &p->group[*group];
        if (known->ranks != count || strcmp(known->name, name) != 0 ||
            memcmp(known->rank, ranks, count * sizeof *ranks) != 0)
            continue;
        free(ranks);
        return RK_OK;
    }
    p->group[p->groups] = (struct rk_group){.ranks = count, .rank = ranks};
    strcpy(p->group[p->groups++].name, name);
    return RK_OK;
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
        const enum rk_status status = find_tensor(r, name, &tensor);
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
    const int word = find_word(rk_program_stream_name, value);
    (void)r;
    l->in.stream = (uint8_t)word;
    return word >= 0;
}

static bool read_pass(struct reader *r, struct parsing *l, char *value)
{
    const int word = find_word(rk_program_work_name, value);
    (void)r;
    l->in.work = (uint8_t)word;
    l->task.work = (enum rk_work)word;
    return word >= 0;
}

static bool read_type(struct reader *r, struct parsing *l, char *value)
{
    const int word = find_word(rk_program_element_name, value);
    (void)r;
    if (l->form && word >= 0) l->form->element = (enum rk_element)word;
    return word >= 0;
}

static bool read_place(struct reader *r, struct parsing *l, char *value)
{
    return read_layer(r->p, value, &l->in.layer);
}

static bool read_microbatch(struct reader *r, struct parsing *l, char *value)
{
    uint64_t number;
    (void)r;
    if (!read_whole(value, INT32_MAX, &number)) return false;
    l->in.microbatch = (int32_t)number;
    return true;
}

static bool read_op(struct reader *r, struct parsing *l, char *value)
{
    (void)r;
    return l->has_op = read_whole(value, MOST_PROGRAM_OPS, &l->op);
}

static bool read_tag(struct reader *r, struct parsing *l, char *value)
{
    uint64_t number;
    (void)r;
    if (!read_whole(value, UINT32_MAX, &number)) return false;
    l->in.tag = (uint32_t)number;
    return true;
}

static bool read_chunk(struct reader *r, struct parsing *l, char *value)
{
    uint64_t number;
    (void)r;
    if (!read_whole(value, UINT16_MAX, &number)) return false;
    l->in.chunk = (uint16_t)number;
    return true;
}

static bool read_name(struct reader *r, struct parsing *l, char *value)
{
    (void)r;
    spell(l->task.name, sizeof l->task.name, value);
    return true;
}

static bool read_kind(struct reader *r, struct parsing *l, char *value)
{
    (void)r;
    spell(l->task.layer, sizeof l->task.layer, value);
    return true;
}

static bool read_over(struct reader *r, struct parsing *l, char *value)
{
    (void)r;
    if (l->group) spell(l->over, sizeof l->over, value);
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
    if (!word) return fail(r, "a line that ends early", rk_program_do_name(l->in.what));
    if (l->in.what == RK_DO_RUN && *word == ',') return fail(r, "no name of what is run", word);
    if (l->in.what == RK_DO_RUN) return l->what = word, RK_OK;
    if (l->in.what == RK_DO_ALLOC) {
        status = add_tensor(r, word);
        if (status != RK_OK) return status;
        l->in.other = (uint32_t)r->p->tensors - 1;
        l->form = &r->p->form[l->in.other];
        return RK_OK;
    }
    if (l->in.what == RK_DO_FREE) {
        status = find_tensor(r, word, &l->in.other);
        if (status == RK_OK) r->p->tensor[l->in.other].last = (int32_t)r->p->instructions;
        return status;
    }
    if (l->in.what == RK_DO_RECORD || l->in.what == RK_DO_WAIT) {
        if (*word != 'e' || !read_whole(word + 1, MOST_PROGRAM_EVENTS, &number))
            return fail(r, "no event, e12", word);
        l->in.other = (uint32_t)number;
        return RK_OK;
    }
    if (l->in.what == RK_DO_SEND || l->in.what == RK_DO_RECV) {
        if (!read_whole(word, UINT32_MAX, &number)) return fail(r, "no rank", word);
        l->in.other = (uint32_t)number;
    } else {
        l->group = word;
    }
    word = strtok_r(NULL, " ", rest);
    const int element = word ? find_word(rk_program_element_name, word) : -1;
    if (element < 0) return fail(r, "no type of elements", word ? word : "");
    l->in.element = (uint8_t)element;
    word = strtok_r(NULL, " ", rest);
    if (!word || !read_whole(word, UINT64_MAX, &l->in.count))
        return fail(r, "no count of elements", word ? word : "");
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
    if (!*l->task.name && l->what) spell(l->task.name, sizeof l->task.name, l->what);
    if (l->what && strcmp(l->task.name, title_name) == 0)
        return fail(r, "a name that is reserved for the title", title_name);
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
        if (!value) return fail(r, "no KEY=VALUE", word);
        *value++ = '\0';
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            if (strcmp(word, counts[i].key) != 0) continue;
            if (!read_whole(value, 1 << 24, &number)) return fail(r, "no count", value);
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
    const int what = find_word(rk_program_do_name, word);
    if (what < 0) return fail(r, "no instruction of a program", word);
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
        if (!value) return fail(r, "no KEY=VALUE", word);
        *value++ = '\0';
        if (strcmp(word, "reads") == 0 || strcmp(word, "writes") == 0)
            status = read_tensors(r, &l, value, *word == 'w');
        else if (!read_key(r, &l, word, value))
            return fail(r, "a value that its key does not take", word);
    }
    if (status == RK_OK && l.group) status = find_group(r, l.group, l.over, &l.in.other);
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
        status = memchr(line, '\0', (size_t)length - 1) ? fail(&r, "a zero byte", "")
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
