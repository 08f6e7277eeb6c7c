/* megatron_layout.c - the two little languages of Megatron-LM's arguments: pipeline layouts and
 * layer patterns. */
#include "megatron/megatron_args.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- layouts ---- */

enum { LAYOUT_TEXT = 1 << 16, MOST_TIMES = 4096 };

static size_t put_times(char *to, size_t used, const char *from, size_t length, long times)
{
    for (long i = 0; i < times; i++) {
        if (used + length >= LAYOUT_TEXT) return LAYOUT_TEXT;
        memmove(to + used, from, length);
        used += length;
    }
    return used;
}

/* "(tt|)*29": its group, its factor, and how many characters it takes; 0: no group begins here. */
static size_t group_at(const char *at, const char **group, size_t *length, long *times)
{
    char *end;
    const char *close = *at == '(' ? strchr(at, ')') : NULL;
    if (!close || close[1] != '*' || !isdigit((unsigned char)close[2])) return 0;
    *group = at + 1;
    *length = (size_t)(close - at) - 1;
    *times = strtol(close + 2, &end, 10);
    return *length && *times <= MOST_TIMES ? (size_t)(end - at) : 0;
}

/* Unrolls "( )*n", then "x*n", as Megatron-LM does; false when it becomes too long. */
static bool unroll(const char *text, char *flat, char *scratch)
{
    size_t used = 0, length;
    const char *group;
    long times;
    for (const char *p = text; *p && used < LAYOUT_TEXT;) {
        const size_t n = group_at(p, &group, &length, &times);
        if (n)
            used = put_times(scratch, used, group, length, times);
        else if (*p != ',')
            used = put_times(scratch, used, p, 1, 1);
        p += n ? n : 1;
    }
    if (used >= LAYOUT_TEXT) return false;
    scratch[used] = '\0';
    used = 0;
    for (const char *p = scratch; *p && used < LAYOUT_TEXT;) {
        char *end;
        const bool many = p[1] == '*' && isdigit((unsigned char)p[2]);
        times = many ? strtol(p + 2, &end, 10) : 1;
        if (times > MOST_TIMES) return false;
        used = put_times(flat, used, p, 1, times);
        p = many ? end : p + 1;
    }
    if (used >= LAYOUT_TEXT) return false;
    flat[used] = '\0';
    return true;
}

static bool complain(char *why, const char *text)
{
    snprintf(why, MEGATRON_WHY, "%s", text);
    return false;
}

static bool count_stages(const char *flat, struct megatron_layout *layout, char *why)
{
    const size_t length = strlen(flat);
    *layout = (struct megatron_layout){.stages = 1, .predict_stage = -1};
    layout->lost = true;
    if (flat[0] != 'E' || strchr(flat + 1, 'E')) return complain(why, "must begin with its only E");
    if (flat[length - 1] != 'L' || strchr(flat, 'L') != flat + length - 1)
        return complain(why, "must end with its only L");
    layout->lost = false;
    for (const char *p = flat; *p; p++) {
        if (layout->stages > RK_MAX_CHUNKS) return complain(why, "has too many stages");
        uint16_t *blocks = &layout->blocks[layout->stages - 1];
        if (*p == '|') {
            if (++layout->stages > RK_MAX_CHUNKS) return complain(why, "has more than 512 stages");
        } else if (*p == 't') {
            if (layout->predict) return complain(why, "has a t after an m");
            if (*blocks == UINT16_MAX) return complain(why, "has too many blocks in a stage");
            ++*blocks;
            layout->all++;
        } else if (*p == 'm') {
            if (layout->predict && layout->predict_stage != layout->stages - 1)
                return complain(why, "must have all m in one stage");
            layout->predict++;
            layout->predict_stage = layout->stages - 1;
        } else if (*p != 'E' && *p != 'L') {
            snprintf(why, MEGATRON_WHY, "'%c' is none of E, t, m, L and |",
                     isprint((unsigned char)*p) ? *p : '?');
            return false;
        }
    }
    return true;
}

bool megatron_layout_read(const char *text, struct megatron_layout *layout, char *why)
{
    char *flat = malloc(2 * (size_t)LAYOUT_TEXT);
    if (!flat) return complain(why, "there is no memory to read it");
    bool good = *text && unroll(text, flat, flat + LAYOUT_TEXT) && *flat;
    good = good ? count_stages(flat, layout, why) : complain(why, "is empty or too long");
    free(flat);
    return good;
}

/* ---- patterns ---- */

/* expression: term {"+" term}; term: factor {"*" number}; factor: list or "(" expression ")" */
struct pattern {
    const char *at;
    unsigned char *out;
    uint64_t used, room;
    int depth;
    bool failed;
};

static void skip_space(struct pattern *p)
{
    while (*p->at == ' ')
        p->at++;
}

static bool take(struct pattern *p, char c)
{
    skip_space(p);
    if (*p->at != c) return false;
    p->at++;
    return true;
}

static void list(struct pattern *p)
{
    while (!p->failed && !take(p, ']')) {
        skip_space(p);
        if ((*p->at != '0' && *p->at != '1') || p->used == p->room) {
            p->failed = true;
            return;
        }
        p->out[p->used++] = (unsigned char)(*p->at++ - '0');
        if (!take(p, ',')) {
            p->failed |= !take(p, ']');
            return;
        }
    }
}

static void expression(struct pattern *p);

static void term(struct pattern *p)
{
    const uint64_t first = p->used;
    if (++p->depth > 32) p->failed = true;
    if (p->failed) return;
    if (take(p, '(')) {
        expression(p);
        p->failed |= !take(p, ')');
    } else if (take(p, '[')) {
        list(p);
    } else {
        p->failed = true;
    }
    const uint64_t length = p->used - first;
    while (!p->failed && take(p, '*')) {
        char *end;
        skip_space(p);
        const long times = isdigit((unsigned char)*p->at) ? strtol(p->at, &end, 10) : -1;
        if (times < 0 || (length && (uint64_t)times > p->room / length)) {
            p->failed = true;
            return;
        }
        p->at = end;
        const uint64_t whole = p->used - first;
        if (whole * (uint64_t)times > p->room - first) {
            p->failed = true;
            return;
        }
        for (uint64_t i = whole; i < whole * (uint64_t)times; i++)
            p->out[first + i] = p->out[first + i - whole];
        p->used = first + whole * (uint64_t)times;
    }
    p->depth--;
}

static void expression(struct pattern *p)
{
    do
        term(p);
    while (!p->failed && take(p, '+'));
}

/* "2": layers 0, 2, 4, ... are mixtures. */
static bool every(const char *text, uint64_t layers, unsigned char *pattern, char *why)
{
    char *end;
    const unsigned long n = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || n == 0)
        return complain(why, "must be a number or a list such as ([0]*3+[1]*58)");
    for (uint64_t i = 0; i < layers; i++)
        pattern[i] = i % n == 0;
    return true;
}

bool megatron_pattern_read(const char *text, uint64_t layers, unsigned char *pattern, char *why)
{
    if (!strchr(text, '[')) return every(text, layers, pattern, why);
    struct pattern p = {.at = text, .out = pattern, .room = layers};
    expression(&p);
    skip_space(&p);
    if (!p.failed && !*p.at && p.used == layers) return true;
    if (p.failed || *p.at)
        return complain(why, "is not understood, or longer than the layers: lists of 0 and 1 are, "
                             "such as ([0]*3+[1]*58)");
    snprintf(why, MEGATRON_WHY, "has %llu entries for %llu layers", (unsigned long long)p.used,
             (unsigned long long)layers);
    return false;
}
