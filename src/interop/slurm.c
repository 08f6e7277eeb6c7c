#include "interop/slurm.h"

#include "base/text.h"
#include "interop/lines.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_NAMES = 1 << 20, MOST_SWITCHES = 1 << 14 };

/* ---- lists of names ---- */

typedef bool name_visit(void *context, const char *name);

struct expansion {
    char name[SLURM_NAME];
    int64_t count; /* so far */
    name_visit *visit;
    void *context;
};

static bool expand(struct expansion *e, size_t used, const char *at, const char *end);

/* The numbers first ... last, as wide as they are written, each with what follows. */
static bool expand_range(struct expansion *e, size_t used, const char *range, const char *range_end,
                         const char *rest, const char *end)
{
    uint64_t number[2] = {0, 0};
    int which = 0, width = 0, digits[2] = {0, 0};
    for (const char *at = range; at < range_end; at++) {
        if (*at == '-' && which == 0 && digits[0]) {
            which = 1;
        } else if (isdigit((unsigned char)*at) && digits[which] < 9) {
            number[which] = 10 * number[which] + (uint64_t)(*at - '0');
            digits[which]++;
        } else {
            return false;
        }
    }
    width = digits[0];
    if (!digits[which]) return false;
    if (which == 0) number[1] = number[0];
    if (number[1] < number[0] || number[1] - number[0] >= MOST_NAMES) return false;
    for (uint64_t i = number[0]; i <= number[1]; i++) {
        const int more = snprintf(e->name + used, sizeof e->name - used, "%0*" PRIu64, width, i);
        if (used + (size_t)more >= sizeof e->name) return false;
        if (!expand(e, used + (size_t)more, rest, end)) return false;
    }
    return true;
}

/* What stands from `at` on, behind e->name up to `used`. */
static bool expand(struct expansion *e, size_t used, const char *at, const char *end)
{
    while (at < end && *at != '[') {
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at)) return false;
        if (used + 1 >= sizeof e->name) return false;
        e->name[used++] = *at++;
    }
    e->name[used] = '\0';
    if (at == end) return used && ++e->count <= MOST_NAMES && e->visit(e->context, e->name);
    const char *close = memchr(at, ']', (size_t)(end - at));
    if (!close) return false;
    for (const char *range = at + 1; range <= close;) {
        const char *comma = memchr(range, ',', (size_t)(close - range));
        const char *range_end = comma ? comma : close;
        if (!expand_range(e, used, range, range_end, close + 1, end)) return false;
        range = range_end + 1;
    }
    return true;
}

/* False: no such list, or `visit` said so. */
static bool visit_names(const char *list, name_visit *visit, void *context, int64_t *count)
{
    struct expansion e = {.visit = visit, .context = context};
    for (const char *at = list;;) {
        const char *end = at;
        for (bool inside = false; *end && (inside || *end != ','); end++)
            inside = *end == '[' || (inside && *end != ']');
        if (!expand(&e, 0, at, end)) return false;
        if (!*end) break;
        at = end + 1;
    }
    *count = e.count;
    return true;
}

static bool any_name(void *context, const char *name)
{
    (void)context;
    (void)name;
    return true;
}

int64_t slurm_count(const char *list)
{
    int64_t count;
    return visit_names(list, any_name, NULL, &count) ? count : -1;
}

/* ---- switches ---- */

struct slurm_switch {
    char name[SLURM_NAME];
    char *below; /* Switches=; NULL: none */
    int line, above;
    uint64_t nodes;
};

struct reader {
    struct lines lines;
    struct rk_error *error;
    int count;
    struct slurm_switch *at; /* (count) */
};

static int find_switch(const struct reader *r, const char *name)
{
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->at[i].name, name) == 0) return i;
    return -1;
}

static enum rk_status read_word(struct reader *r, const char *word, struct slurm_switch *into)
{
    char said[TEXT_QUOTE];
    static const char *const keys[] = {"SwitchName", "Switches", "Nodes",
                                       "LinkSpeed",  "Level",    NULL};
    const char *equals = strchr(word, '=');
    char key[32] = "";
    if (equals && equals - word < (int)sizeof key)
        snprintf(key, sizeof key, "%.*s", (int)(equals - word), word);
    if (strcasecmp(key, "BlockName") == 0 || strcasecmp(key, "BlockSizes") == 0)
        return lines_fail(&r->lines, r->error,
                          "blocks (topology/block) are not read; topology/tree is");
    if (strcasecmp(key, "SwitchName") == 0) {
        if (slurm_count(equals + 1) != 1)
            return lines_fail(&r->lines, r->error, "SwitchName is one name");
        snprintf(into->name, sizeof into->name, "%s", equals + 1);
    } else if (strcasecmp(key, "Nodes") == 0) {
        const int64_t nodes = slurm_count(equals + 1);
        if (nodes < 0)
            return lines_fail(&r->lines, r->error, "%s is no list of nodes such as n[00-15],m1",
                              text_quote(said, equals + 1, strlen(equals + 1)));
        into->nodes = (uint64_t)nodes;
    } else if (strcasecmp(key, "Switches") == 0) {
        into->below = strdup(equals + 1);
        if (!into->below) return rk_fail(r->error, RK_IO, NULL, 0, 0, "no memory");
    } else if (strcasecmp(key, "LinkSpeed") != 0 && strcasecmp(key, "Level") != 0) {
        const char *nearest = text_nearest(key, keys);
        return lines_fail(&r->lines, r->error, "unknown word %s: %s%s%s",
                          text_quote(said, word, strlen(word)),
                          nearest ? "did you mean \"" : "expected SwitchName=, Nodes=, Switches=",
                          nearest ? nearest : "", nearest ? "\"?" : "");
    }
    return RK_OK;
}

static enum rk_status read_switch(struct reader *r)
{
    if (r->count == MOST_SWITCHES) return lines_fail(&r->lines, r->error, "too many switches");
    struct slurm_switch *more = realloc(r->at, (size_t)(r->count + 1) * sizeof *more);
    if (!more) return rk_fail(r->error, RK_IO, NULL, 0, 0, "no memory");
    r->at = more;
    struct slurm_switch *into = &r->at[r->count];
    *into = (struct slurm_switch){.line = r->lines.number, .above = -1};
    enum rk_status status = RK_OK;
    for (int i = 0; status == RK_OK && i < r->lines.words; i++)
        status = read_word(r, r->lines.word[i], into);
    if (status == RK_OK && !into->name[0])
        status = lines_fail(&r->lines, r->error, "expected SwitchName=NAME");
    if (status == RK_OK && find_switch(r, into->name) >= 0)
        status = lines_fail(&r->lines, r->error, "a second switch \"%s\"", into->name);
    if (status == RK_OK && !into->nodes == !into->below)
        status = lines_fail(&r->lines, r->error, "a switch has either Nodes= or Switches=");
    r->count++; /* so that it is released */
    return status;
}

struct joint {
    struct reader *reader;
    int above;
    char wrong[SLURM_NAME]; /* "": nothing is */
    bool twice;
};

static bool join(void *context, const char *name)
{
    struct joint *j = context;
    const int below = find_switch(j->reader, name);
    j->twice = below >= 0 && j->reader->at[below].above >= 0;
    if (below < 0 || j->twice) {
        snprintf(j->wrong, sizeof j->wrong, "%s", name);
        return false;
    }
    j->reader->at[below].above = j->above;
    return true;
}

static enum rk_status join_switches(struct reader *r)
{
    for (int i = 0; i < r->count; i++) {
        struct joint joint = {.reader = r, .above = i};
        int64_t count;
        if (!r->at[i].below || visit_names(r->at[i].below, join, &joint, &count)) continue;
        r->lines.number = r->at[i].line;
        if (!joint.wrong[0])
            return lines_fail(&r->lines, r->error, "Switches= is no list such as s[0-3]");
        return lines_fail(&r->lines, r->error,
                          joint.twice ? "switch \"%s\" is below two others"
                                      : "there is no switch \"%s\"",
                          joint.wrong);
    }
    return RK_OK;
}

/* ---- networks ---- */

/* The top switch above one; -1: it is above itself. */
static int top_of(const struct reader *r, int i)
{
    for (int steps = 0; steps <= r->count; steps++) {
        if (r->at[i].above < 0) return i;
        i = r->at[i].above;
    }
    return -1;
}

static enum rk_status collect(struct reader *r, struct slurm_topology *topology)
{
    int *place = calloc((size_t)r->count + 1, sizeof *place); /* of a top switch, from 1 */
    topology->network = calloc((size_t)r->count + 1, sizeof *topology->network);
    enum rk_status status =
        place && topology->network ? RK_OK : rk_fail(r->error, RK_IO, NULL, 0, 0, "no memory");
    for (int i = 0; status == RK_OK && i < r->count; i++) {
        const int top = top_of(r, i);
        r->lines.number = r->at[i].line;
        if (top < 0) {
            status =
                lines_fail(&r->lines, r->error, "switch \"%s\" is below itself", r->at[i].name);
            break;
        }
        if (!r->at[i].nodes) continue;
        if (!place[top]) {
            place[top] = ++topology->networks;
            snprintf(topology->network[place[top] - 1].name, SLURM_NAME, "%s", r->at[top].name);
        }
        struct slurm_network *network = &topology->network[place[top] - 1];
        network->nodes += r->at[i].nodes;
        if (!network->leaves++ || r->at[i].nodes < network->leaf_nodes)
            network->leaf_nodes = r->at[i].nodes;
    }
    free(place);
    if (status == RK_OK && !topology->networks)
        status = lines_fail(&r->lines, r->error,
                            "no switch with nodes: expected SwitchName=s0 Nodes=n[0-7]");
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
    struct reader r = {.lines = {.document = document}, .error = error};
    enum rk_status status = RK_OK;
    *topology = (struct slurm_topology){.networks = 0};
    while (status == RK_OK && lines_next(&r.lines)) {
        if (strlen(r.lines.text) + 1 >= LINE_SIZE)
            status =
                lines_fail(&r.lines, error, "a line of more than %d characters", LINE_SIZE - 2);
        char *comment = strchr(r.lines.text, '#');
        if (comment) *comment = '\0';
        lines_split(&r.lines, false);
        if (status == RK_OK && r.lines.words) status = read_switch(&r);
    }
    if (status == RK_OK) status = join_switches(&r);
    if (status == RK_OK) status = collect(&r, topology);
    if (status != RK_OK) slurm_topology_release(topology);
    for (int i = 0; i < r.count; i++)
        free(r.at[i].below);
    free(r.at);
    return status;
}
