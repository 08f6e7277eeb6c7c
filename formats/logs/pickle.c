#include "logs/pickle.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096, MOST_STACK = 1 << 20, MOST_MEMO = 1 << 26 };

struct block {
    struct block *next;
    struct pickle_value value[BLOCK];
};

struct pickle_memory {
    struct block *block;
    size_t used;
};

struct machine {
    const unsigned char *at, *end;
    const char *path;
    struct rk_error *error;
    struct pickle_memory *memory;
    struct pickle_value **stack; /* NULL is a mark */
    size_t height, room;
    struct pickle_value **memo;
    size_t memos, memo_room;
    bool small; /* memory ran out */
};

static enum rk_status fail(const struct machine *m, const char *what)
{
    return m->small ? rk_fail(m->error, RK_NO_MEMORY, m->path, 0, 0, "out of memory")
                    : rk_fail(m->error, RK_BAD_INPUT, m->path, 0, 0, "%s", what);
}

/* ---- values ---- */

static struct pickle_value *make(struct machine *m, enum pickle_type type)
{
    struct pickle_memory *memory = m->memory;
    if (!memory->block || memory->used == BLOCK) {
        struct block *block = malloc(sizeof *block);
        if (!block) {
            m->small = true;
            return NULL;
        }
        block->next = memory->block;
        memory->block = block;
        memory->used = 0;
    }
    struct pickle_value *value = &memory->block->value[memory->used++];
    *value = (struct pickle_value){.type = type};
    return value;
}

static bool grow(struct machine *m, struct pickle_value ***list, size_t *room, size_t need,
                 size_t most)
{
    if (need <= *room) return true;
    size_t size = *room ? *room : 16;
    while (size < need)
        size *= 2;
    struct pickle_value **grown = need <= most ? realloc(*list, size * sizeof *grown) : NULL;
    if (!grown) m->small = need <= most;
    if (!grown) return false;
    *list = grown;
    *room = size;
    return true;
}

static bool push(struct machine *m, struct pickle_value *value)
{
    if (!grow(m, &m->stack, &m->room, m->height + 1, MOST_STACK)) return false;
    m->stack[m->height++] = value;
    return true;
}

static bool push_new(struct machine *m, struct pickle_value *value)
{
    return value && push(m, value);
}

static bool push_number(struct machine *m, double number)
{
    struct pickle_value *value = make(m, PICKLE_NUMBER);
    if (value) value->number = number;
    return push_new(m, value);
}

static bool append(struct machine *m, struct pickle_value *to, struct pickle_value *value)
{
    if (value == to || !value) return false;
    if (!grow(m, &to->item, &to->room, to->count + 1, SIZE_MAX / 64)) return false;
    to->item[to->count++] = value;
    return true;
}

/* ---- numbers ---- */

static uint64_t little(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static double big_double(const unsigned char *at)
{
    uint64_t bits = 0;
    double value;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | at[i];
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Two's complement of any length; longer than a double's digits only its size is right. */
static double long_value(const unsigned char *at, size_t bytes)
{
    double value = 0;
    if (!bytes) return 0;
    const bool minus = at[bytes - 1] & 0x80;
    for (size_t i = bytes; i-- > 0;)
        value = value * 256 + (minus ? (unsigned char)~at[i] : at[i]);
    return minus ? -value - 1 : value;
}

static bool left(const struct machine *m, uint64_t bytes)
{
    return (uint64_t)(m->end - m->at) >= bytes;
}

/* ---- opcodes ---- */

/* Texts and bytes: the length stands in so many bytes. */
static bool read_text(struct machine *m, int bytes)
{
    if (!left(m, (uint64_t)bytes)) return false;
    const uint64_t length = little(m->at, bytes);
    m->at += bytes;
    if (!left(m, length)) return false;
    struct pickle_value *value = make(m, PICKLE_TEXT);
    if (!value) return false;
    value->text = (const char *)m->at;
    value->length = (size_t)length;
    m->at += length;
    return push(m, value);
}

static bool read_int(struct machine *m, int bytes)
{
    if (!left(m, (uint64_t)bytes)) return false;
    const uint64_t value = little(m->at, bytes);
    m->at += bytes;
    return push_number(m, bytes == 4 ? (double)(int32_t)(uint32_t)value : (double)value);
}

static bool read_long(struct machine *m, int bytes)
{
    if (!left(m, (uint64_t)bytes)) return false;
    const uint64_t length = little(m->at, bytes);
    m->at += bytes;
    if (!left(m, length)) return false;
    m->at += length;
    return push_number(m, long_value(m->at - length, (size_t)length));
}

static bool memo_put(struct machine *m, uint64_t index)
{
    if (!m->height || !m->stack[m->height - 1] || index >= MOST_MEMO) return false;
    if (index > m->memos + 1024) return false; /* writers number them in turn */
    if (!grow(m, &m->memo, &m->memo_room, (size_t)index + 1, MOST_MEMO)) return false;
    while (m->memos <= index)
        m->memo[m->memos++] = NULL;
    m->memo[index] = m->stack[m->height - 1];
    return true;
}

static bool memo_get(struct machine *m, int bytes)
{
    if (!left(m, (uint64_t)bytes)) return false;
    const uint64_t index = little(m->at, bytes);
    m->at += bytes;
    return index < m->memos && m->memo[index] && push(m, m->memo[index]);
}

static bool put_at(struct machine *m, int bytes)
{
    if (!left(m, (uint64_t)bytes)) return false;
    m->at += bytes;
    return memo_put(m, little(m->at - bytes, bytes));
}

/* What stands above the last mark goes into a value; `fresh`: a new one, else that below the mark.
 */
static bool collect(struct machine *m, enum pickle_type type, bool fresh)
{
    size_t mark = m->height;
    while (mark && m->stack[mark - 1])
        mark--;
    if (!mark || (!fresh && mark < 2)) return false;
    struct pickle_value *to = fresh ? make(m, type) : m->stack[mark - 2];
    if (!to || to->type != type || (type == PICKLE_DICT && (m->height - mark) % 2)) return false;
    for (size_t i = mark; i < m->height; i++)
        if (!append(m, to, m->stack[i])) return false;
    m->height = mark - 1;
    return !fresh || push(m, to);
}

/* The last `count` of the stack: into a new tuple, or into the value below them. */
static bool take(struct machine *m, size_t count, enum pickle_type type, bool fresh)
{
    if (m->height < count + !fresh) return false;
    struct pickle_value *to = fresh ? make(m, type) : m->stack[m->height - count - 1];
    if (!to || to->type != type) return false;
    for (size_t i = m->height - count; i < m->height; i++)
        if (!append(m, to, m->stack[i])) return false;
    m->height -= count;
    return !fresh || push(m, to);
}

static bool read_float(struct machine *m, int bytes)
{
    if (!left(m, (uint64_t)bytes)) return false;
    m->at += bytes;
    return push_number(m, big_double(m->at - bytes));
}

static bool skip(struct machine *m, int bytes)
{
    if (!left(m, (uint64_t)bytes)) return false;
    m->at += bytes;
    return true;
}

static bool mark(struct machine *m, int none)
{
    (void)none;
    return push(m, NULL);
}

static bool pop(struct machine *m, int count)
{
    if (m->height < (size_t)count) return false;
    m->height -= (size_t)count;
    return true;
}

static bool empty(struct machine *m, int type)
{
    return push_new(m, make(m, (enum pickle_type)type));
}

static bool truth(struct machine *m, int value)
{
    return push_number(m, value);
}

static bool fill(struct machine *m, int type)
{
    return collect(m, (enum pickle_type)type, false);
}

static bool gather(struct machine *m, int type)
{
    return collect(m, (enum pickle_type)type, true);
}

static bool put_one(struct machine *m, int type)
{
    return take(m, type == PICKLE_DICT ? 2 : 1, (enum pickle_type)type, false);
}

static bool tuple(struct machine *m, int count)
{
    return take(m, (size_t)count, PICKLE_LIST, true);
}

static bool memoize(struct machine *m, int none)
{
    (void)none;
    return memo_put(m, m->memos);
}

/* clang-format off */
static const struct opcode {
    unsigned char op;
    bool (*run)(struct machine *m, int argument);
    int argument;
} opcodes[] = {
    {0x80, skip, 1},            /* PROTO */
    {0x95, skip, 8},            /* FRAME */
    {'(', mark, 0},             /* MARK */
    {'0', pop, 1},              /* POP */
    {'N', empty, PICKLE_NONE},  /* NONE */
    {0x88, truth, 1},           /* NEWTRUE */
    {0x89, truth, 0},           /* NEWFALSE */
    {'K', read_int, 1},         /* BININT1 */
    {'M', read_int, 2},         /* BININT2 */
    {'J', read_int, 4},         /* BININT */
    {0x8a, read_long, 1},       /* LONG1 */
    {0x8b, read_long, 4},       /* LONG4 */
    {'G', read_float, 8},       /* BINFLOAT */
    {0x8c, read_text, 1},       /* SHORT_BINUNICODE */
    {'X', read_text, 4},        /* BINUNICODE */
    {0x8d, read_text, 8},       /* BINUNICODE8 */
    {'U', read_text, 1},        /* SHORT_BINSTRING */
    {'T', read_text, 4},        /* BINSTRING */
    {'C', read_text, 1},        /* SHORT_BINBYTES */
    {'B', read_text, 4},        /* BINBYTES */
    {0x8e, read_text, 8},       /* BINBYTES8 */
    {'}', empty, PICKLE_DICT},  /* EMPTY_DICT */
    {']', empty, PICKLE_LIST},  /* EMPTY_LIST */
    {')', empty, PICKLE_LIST},  /* EMPTY_TUPLE */
    {'u', fill, PICKLE_DICT},   /* SETITEMS */
    {'e', fill, PICKLE_LIST},   /* APPENDS */
    {'d', gather, PICKLE_DICT}, /* DICT */
    {'l', gather, PICKLE_LIST}, /* LIST */
    {'t', gather, PICKLE_LIST}, /* TUPLE */
    {'s', put_one, PICKLE_DICT}, /* SETITEM */
    {'a', put_one, PICKLE_LIST}, /* APPEND */
    {0x85, tuple, 1},           /* TUPLE1 */
    {0x86, tuple, 2},           /* TUPLE2 */
    {0x87, tuple, 3},           /* TUPLE3 */
    {'q', put_at, 1},           /* BINPUT */
    {'r', put_at, 4},           /* LONG_BINPUT */
    {0x94, memoize, 0},         /* MEMOIZE */
    {'h', memo_get, 1},         /* BINGET */
    {'j', memo_get, 4},         /* LONG_BINGET */
};
/* clang-format on */

/* One opcode; false: damaged, or not known. */
static bool step(struct machine *m, unsigned char op)
{
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (opcodes[i].op == op) return opcodes[i].run(m, opcodes[i].argument);
    return false;
}

/* Opcodes that name or call something of Python: c, i, o, R, b, \x81, \x92, \x93, P, Q, \x82 ... */
static bool calls(unsigned char op)
{
    return (op && strchr("cioRbPQ", op)) || op == 0x81 || op == 0x92 || op == 0x93 ||
           (op >= 0x82 && op <= 0x84);
}

static enum rk_status run(struct machine *m)
{
    while (m->at < m->end && *m->at != '.') {
        const unsigned char op = *m->at++;
        if (calls(op))
            return fail(m, "the pickle names or calls something of Python, which is never done: a "
                           "memory snapshot holds only numbers, texts, lists and dictionaries");
        if (!step(m, op)) return fail(m, "is damaged, or no pickle of plain data");
    }
    if (m->at == m->end) return fail(m, "ends in the middle of a pickle");
    if (m->height != 1 || !m->stack[0]) return fail(m, "is damaged: no single value is left");
    return RK_OK;
}

enum rk_status pickle_read(const void *bytes, size_t size, const char *path, struct pickle *pickle,
                           struct rk_error *error)
{
    *pickle = (struct pickle){.memory = calloc(1, sizeof *pickle->memory)};
    struct machine m = {.at = bytes,
                        .end = (const unsigned char *)bytes + size,
                        .path = path,
                        .error = error,
                        .memory = pickle->memory,
                        .small = !pickle->memory};
    enum rk_status status = m.small ? fail(&m, "") : run(&m);
    if (status == RK_OK) pickle->root = m.stack[0];
    free(m.stack);
    free(m.memo);
    return status;
}

void pickle_release(struct pickle *pickle)
{
    struct block *block = pickle->memory ? pickle->memory->block : NULL;
    size_t used = pickle->memory ? pickle->memory->used : 0;
    while (block) {
        struct block *next = block->next;
        for (size_t i = 0; i < used; i++)
            free(block->value[i].item);
        free(block);
        block = next;
        used = BLOCK;
    }
    free(pickle->memory);
    *pickle = (struct pickle){.root = NULL};
}

const struct pickle_value *pickle_member(const struct pickle_value *value, const char *key)
{
    const size_t n = strlen(key);
    if (!value || value->type != PICKLE_DICT) return NULL;
    for (size_t i = 0; i + 1 < value->count; i += 2)
        if (value->item[i]->type == PICKLE_TEXT && value->item[i]->length == n &&
            memcmp(value->item[i]->text, key, n) == 0)
            return value->item[i + 1];
    return NULL;
}
