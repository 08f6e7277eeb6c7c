#include "machines/slurm.h"

#include "base/memory.h"
#include "base/text.h"
#include "machines/slurm_list.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_SWITCHES = 1 << 14 };

/* ---- lines ---- */

/* A switch or a block. */
struct group {
    char name[SLURM_NAME];
    char *nodes, *below; /* the lists; NULL: none */
    int line, above;
    bool block, sum; /* sum: a block of blocks, whose nodes are said with these */
    uint64_t count;  /* of the names in `nodes` */
    uint64_t inside; /* nodes of the leaves below */
};

struct reader {
    const struct document *document;
    struct rk_error *error;
    size_t at;   /* of what follows the line */
    int number;  /* of the line, from 1 */
    char *line;  /* without its end and comment, the lines joined that end in \ */
    size_t room; /* of `line` */
    int continued;
    int count;
    struct group *group; /* (count) */
    struct slurm_seen seen;
};

static enum rk_status fail(const struct reader *r, const char *format, ...) RK_PRINTF(2, 3);
static enum rk_status fail(const struct reader *r, const char *format, ...)
{
    char text[384];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return rk_fail(r->error, RK_BAD_INPUT, r->document->path, r->number, 1, "%s", text);
}

/* False: the text has ended, or memory (*status). */
static bool next_line(struct reader *r, enum rk_status *status)
{
    const struct document *document = r->document;
    size_t used = 0;
    bool more = r->at < document->size;
    if (!more) return false;
    r->number += r->continued;
    r->continued = 0;
    while (more) {
        const char *from = document->text + r->at;
        const size_t left = document->size - r->at;
        const char *end = memchr(from, '\n', left);
        size_t length = end ? (size_t)(end - from) : left;
        r->at += length + (end != NULL);
        r->continued++;
        if (length && from[length - 1] == '\r') length--;
        more = length && from[length - 1] == '\\' && r->at < document->size;
        if (more) length--;
        if (!ARRAY_RESERVE(r->line, r->room, used + length + 1)) {
            *status = no_memory(r->error);
            return false;
        }
        memcpy(r->line + used, from, length);
        used += length;
        r->line[used] = '\0';
    }
    r->line[strcspn(r->line, "#")] = '\0';
    return true;
}

static int find_group(const struct reader *r, const char *name)
{
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->group[i].name, name) == 0) return i;
    return -1;
}

/* ---- words of a line ---- */

static enum rk_status read_name(struct reader *r, const char *key, const char *value,
                                struct group *into)
{
    if (into->name[0]) return fail(r, "%s is given twice in a line", key);
    into->sum = strcasecmp(key, "AggregatedBlock") == 0;
    into->block = into->sum || strcasecmp(key, "BlockName") == 0;
    if (!into->sum && slurm_count(value) != 1) return fail(r, "%s is one name", key);
    snprintf(into->name, sizeof into->name, "%s", value);
    return RK_OK;
}

static enum rk_status read_list(struct reader *r, const char *key, const char *value, char **into)
{
    char said[TEXT_QUOTE];
    if (*into) return fail(r, "%s is given twice in a line", key);
    if (strcasecmp(value, "ALL") == 0)
        return fail(r, "%s=ALL does not say how many: what `scontrol show topology` prints does",
                    key);
    if (slurm_count(value) < 0)
        return fail(r, "%s=%s is not a list such as n[00-15],m1", key,
                    text_quote(said, value, strlen(value)));
    *into = strdup(value);
    return *into ? RK_OK : no_memory(r->error);
}

/* BlockSizes=18,36: numbers of nodes. Jobs are placed by them; they are no part of the network. */
static enum rk_status read_sizes(struct reader *r, const char *key, const char *value)
{
    char said[TEXT_QUOTE];
    if (*value && value[strspn(value, "0123456789,")] == '\0') return RK_OK;
    return fail(r, "%s=%s is not a list of numbers such as 18,36", key,
                text_quote(said, value, strlen(value)));
}

static enum rk_status read_word(struct reader *r, const char *word, struct group *into)
{
    char said[TEXT_QUOTE], key[32] = "";
    static const char *const keys[] = {"SwitchName", "Switches",  "Nodes",      "LinkSpeed",
                                       "Level",      "BlockName", "BlockSizes", NULL};
    static const char *const names[] = {"SwitchName", "BlockName", "AggregatedBlock"};
    static const char *const sizes[] = {"BlockSizes", "BlockSize", "BlockIndex"};
    static const char *const others[] = {"LinkSpeed", "Level"};
    const char *equals = strchr(word, '=');
    if (equals && equals - word < (int)sizeof key)
        snprintf(key, sizeof key, "%.*s", (int)(equals - word), word);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(key, names[i]) == 0) return read_name(r, names[i], equals + 1, into);
    if (strcasecmp(key, "Nodes") == 0) return read_list(r, "Nodes", equals + 1, &into->nodes);
    if (strcasecmp(key, "Switches") == 0) return read_list(r, "Switches", equals + 1, &into->below);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcasecmp(key, sizes[i]) == 0) return read_sizes(r, sizes[i], equals + 1);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcasecmp(key, others[i]) == 0) return RK_OK;
    const char *nearest = text_nearest(key, keys);
    return fail(r, "unknown word %s: %s%s%s", text_quote(said, word, strlen(word)),
                nearest ? "did you mean \""
                        : "expected SwitchName=, Nodes=, Switches=, or BlockName=, Nodes=",
                nearest ? nearest : "", nearest ? "\"?" : "");
}

static enum rk_status check_group(struct reader *r, struct group *into)
{
    if (!into->name[0]) return fail(r, "expected SwitchName=NAME or BlockName=NAME");
    if (find_group(r, into->name) >= 0)
        return fail(r, "a second %s \"%s\"", into->block ? "block" : "switch", into->name);
    if (into->block && into->below) return fail(r, "a block has Nodes=, not Switches=");
    if (!into->nodes && !into->below)
        return fail(r, into->block ? "a block has Nodes=" : "a switch has Nodes= or Switches=");
    if (r->count && r->group[0].block != into->block)
        return fail(
            r, "switches and blocks: say one of them, which TopologyPlugin of slurm.conf names");
    into->count = into->nodes ? (uint64_t)slurm_count(into->nodes) : 0;
    return RK_OK;
}

static enum rk_status read_group(struct reader *r)
{
    char said[TEXT_QUOTE], *rest = r->line, *word = strtok_r(rest, " \t", &rest);
    if (!word) return RK_OK;
    if (strncasecmp(word, "BlockSizes=", 11) == 0) { /* a line of its own */
        struct group none = {.line = 0};
        const enum rk_status status = read_word(r, word, &none);
        const char *next = strtok_r(rest, " \t", &rest);
        if (status != RK_OK || !next) return status;
        return fail(r, "BlockSizes= has a line of its own: write %s on the next one",
                    text_quote(said, next, strlen(next)));
    }
    if (r->count == MOST_SWITCHES) return fail(r, "too many switches");
    if (!ARRAY_ROOM(r->group, r->count)) return no_memory(r->error);
    struct group *into = &r->group[r->count];
    *into = (struct group){.line = r->number, .above = -1};
    enum rk_status status = RK_OK;
    for (; status == RK_OK && word; word = strtok_r(rest, " \t", &rest))
        status = read_word(r, word, into);
    if (status == RK_OK) status = check_group(r, into);
    r->count++; /* so that it is released */
    return status;
}

/* ---- the tree ---- */

struct joint {
    struct reader *reader;
    int above;
    char wrong[SLURM_NAME];
    bool twice;
};

static bool join(void *context, const char *name)
{
    struct joint *j = context;
    const int below = find_group(j->reader, name);
    j->twice = below >= 0 && j->reader->group[below].above >= 0;
    if (below < 0 || j->twice) {
        snprintf(j->wrong, sizeof j->wrong, "%s", name);
        return false;
    }
    j->reader->group[below].above = j->above;
    return true;
}

static enum rk_status join_switches(struct reader *r)
{
    for (int i = 0; i < r->count; i++) {
        struct joint joint = {.reader = r, .above = i};
        if (!r->group[i].below || slurm_names(r->group[i].below, join, &joint)) continue;
        r->number = r->group[i].line;
        return fail(r,
                    joint.twice ? "switch \"%s\" is below two others" : "there is no switch \"%s\"",
                    joint.wrong);
    }
    return RK_OK;
}

/* ---- networks ---- */

/* The top switch above one, all of which get its nodes; -1: it is above itself. */
static int top_of(struct reader *r, int i)
{
    const uint64_t nodes = r->group[i].below ? 0 : r->group[i].count;
    for (int steps = 0; steps <= r->count; steps++) {
        r->group[i].inside += nodes;
        if (r->group[i].above < 0) return i;
        i = r->group[i].above;
    }
    return -1;
}

struct finding {
    struct reader *reader;
    int place, other;
    char name[SLURM_NAME];
};

static bool see(void *context, const char *name)
{
    struct finding *f = context;
    f->other = slurm_see(&f->reader->seen, name, f->place);
    snprintf(f->name, sizeof f->name, "%s", name);
    return f->other == -1;
}

/* No node twice, as of a node with a switch for each of its rails: Slurm's tree has no such. */
static enum rk_status check_nodes(struct reader *r, int i)
{
    struct finding f = {.reader = r, .place = i};
    r->number = r->group[i].line;
    if (r->seen.count + r->group[i].count > SLURM_MOST_NAMES)
        return fail(r, "more than %d nodes", SLURM_MOST_NAMES);
    if (slurm_names(r->group[i].nodes, see, &f)) return RK_OK;
    if (f.other < 0) return no_memory(r->error);
    return fail(r, "node \"%s\" is of \"%s\" already: a node is below one switch, or in one block",
                f.name, r->group[f.other].name);
}

/* What a switch above others says of its nodes is what these have, or the text was cut. */
static enum rk_status check_sums(struct reader *r)
{
    for (int i = 0; i < r->count; i++) {
        const struct group *group = &r->group[i];
        if (!group->below || !group->nodes || group->inside == group->count) continue;
        r->number = group->line;
        return fail(r,
                    "switch \"%s\" has %" PRIu64 " nodes, but the switches below it %" PRIu64
                    ": is a line missing or cut?",
                    group->name, group->count, group->inside);
    }
    return RK_OK;
}

static enum rk_status collect(struct reader *r, struct slurm_topology *topology)
{
    int *place = calloc((size_t)r->count + 1, sizeof *place); /* of a top switch, from 1 */
    topology->network = calloc((size_t)r->count + 1, sizeof *topology->network);
    topology->blocks = r->count && r->group[0].block;
    enum rk_status status = place && topology->network ? RK_OK : no_memory(r->error);
    for (int i = 0; status == RK_OK && i < r->count; i++) {
        const struct group *leaf = &r->group[i];
        const int top = leaf->block ? 0 : top_of(r, i);
        r->number = leaf->line;
        if (top < 0) {
            status = fail(r, "switch \"%s\" is below itself", leaf->name);
            break;
        }
        if (leaf->below || leaf->sum) continue;
        status = check_nodes(r, i);
        if (!place[top]) {
            place[top] = ++topology->networks;
            snprintf(topology->network[place[top] - 1].name, SLURM_NAME, "%s",
                     leaf->block ? "blocks" : r->group[top].name);
        }
        struct slurm_network *network = &topology->network[place[top] - 1];
        network->nodes += leaf->count;
        if (!network->leaves++ || leaf->count < network->leaf_nodes)
            network->leaf_nodes = leaf->count;
    }
    free(place);
    if (status == RK_OK) status = check_sums(r);
    if (status == RK_OK && !topology->networks)
        status = fail(r, "no switch with nodes: expected SwitchName=s0 Nodes=n[0-7]");
    return status;
}

void slurm_topology_release(struct slurm_topology *topology)
{
    free(topology->network);
    *topology = (struct slurm_topology){.networks = 0};
}

enum rk_status slurm_topology_read(const struct document *document, struct slurm_topology *topology,
                                   struct rk_error *error)
{
    struct reader r = {.document = document, .error = error, .number = 1};
    enum rk_status status = RK_OK;
    *topology = (struct slurm_topology){.networks = 0};
    while (status == RK_OK && next_line(&r, &status))
        status = read_group(&r);
    if (status == RK_OK) status = join_switches(&r);
    if (status == RK_OK) status = collect(&r, topology);
    if (status != RK_OK) slurm_topology_release(topology);
    for (int i = 0; i < r.count; i++) {
        free(r.group[i].nodes);
        free(r.group[i].below);
    }
    free(r.group);
    free(r.line);
    slurm_seen_release(&r.seen);
    return status;
}
