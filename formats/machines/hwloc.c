/* The XML of hwloc: a tree of <object>, of which PCI devices, the bridges above them and what they
 * are to the operating system count here; and the matrix NVLinkBandwidth. Of version 1, 2 and 3 of
 * the format only the numbers of osdev_type differ, so that adapters are known by their PCI class.
 */
#include "base/memory.h"
#include "machines/node.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_OBJECTS = 1 << 20,
    MOST_ENDS = 4 * NODE_MOST,
    NVIDIA = 0x10de,
    AMD = 0x1002,
    VGA = 0x0300
};

static const struct {
    unsigned vendor, device;
    const char *system;
} accelerators[] = {
#define ROW(...) {__VA_ARGS__},
#include "tables/pci-accelerators.h"
#undef ROW
};
static const struct {
    unsigned device;
    double Gbps;
} adapters[] = {
#define ROW(device, Gbps, card) {device, Gbps},
#include "tables/pci-adapters.h"
#undef ROW
};
enum { MELLANOX = 0x15b3 };

enum kind { OTHER, MACHINE, HOST_BRIDGE, BRIDGE, ACCELERATOR, ADAPTER };

struct object {
    enum kind kind;
    int above; /* -1: the root */
    unsigned vendor, device, class;
    unsigned long number; /* gp_index */
    char name[NODE_NAME]; /* of an adapter */
};

struct reader {
    XML_Parser parser;
    const struct document *document;
    struct node_topology *node;
    struct rk_error *error;
    enum rk_status status;
    int count, at; /* at: the object that is open; -1: none */
    struct object *object;
    int accelerator[NODE_MOST], adapter[NODE_MOST];
    /* NVLinkBandwidth */
    bool links, text_wanted;
    int ends, values;
    int end[MOST_ENDS]; /* the accelerator's object, then its number; -1: something else */
    bool switches[MOST_ENDS];
    double *value; /* (ends, ends) MB/s */
    char *text;
    size_t text_size;
};

static void stop(struct reader *r, const char *text)
{
    if (r->status != RK_OK) return;
    r->status =
        rk_fail(r->error, RK_BAD_INPUT, r->document->path, (int)XML_GetCurrentLineNumber(r->parser),
                (int)XML_GetCurrentColumnNumber(r->parser) + 1, "%s", text);
    XML_StopParser(r->parser, XML_FALSE);
}

static void out_of_memory(struct reader *r)
{
    r->status = no_memory(r->error);
    XML_StopParser(r->parser, XML_FALSE);
}

static const char *attribute(const XML_Char **attributes, const char *key)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], key) == 0) return attributes[1];
    return "";
}

/* ---- objects ---- */

/* pci_type="0302 [10de:20b2] [10de:1463] a1 00": class, vendor, device. */
static enum kind kind_of(struct object *object, const XML_Char **attributes)
{
    const char *type = attribute(attributes, "type");
    if (strcmp(type, "Machine") == 0) return MACHINE;
    if (strcmp(type, "Bridge") == 0)
        return *attribute(attributes, "bridge_type") == '0' ? HOST_BRIDGE : BRIDGE;
    if (strcmp(type, "PCIDev") != 0 ||
        sscanf(attribute(attributes, "pci_type"), "%4x [%4x:%4x]", &object->class, &object->vendor,
               &object->device) != 3)
        return OTHER;
    const unsigned base = object->class >> 8;
    const bool display = base == 0x03 || base == 0x12;
    if (display && object->vendor == NVIDIA) return ACCELERATOR;
    if (display && object->vendor == AMD && object->class != VGA) return ACCELERATOR; /* Instinct */
    /* an adapter of InfiniBand, or Ethernet of a maker whose cards do RDMA */
    if (object->class == 0x0207 || (base == 0x02 && object->vendor == MELLANOX)) return ADAPTER;
    return OTHER;
}

static void open_object(struct reader *r, const XML_Char **attributes)
{
    struct object object = {.above = r->at,
                            .number = strtoul(attribute(attributes, "gp_index"), NULL, 10)};
    struct node_topology *node = r->node;
    if (r->count == MOST_OBJECTS) {
        stop(r, "too many objects");
        return;
    }
    if (!ARRAY_ROOM(r->object, r->count)) {
        out_of_memory(r);
        return;
    }
    object.kind = kind_of(&object, attributes);
    int *number = object.kind == ACCELERATOR ? &node->accelerators
                  : object.kind == ADAPTER   ? &node->adapters
                                             : NULL;
    if (number && *number == NODE_MOST) {
        stop(r, "more than 64 accelerators or adapters in a node");
        return;
    }
    if (object.kind == ADAPTER)
        snprintf(object.name, sizeof object.name, "%s", attribute(attributes, "pci_busid"));
    if (number) (object.kind == ACCELERATOR ? r->accelerator : r->adapter)[(*number)++] = r->count;
    /* what the operating system calls the adapter above: mlx5_0 rather than ibp12s0 */
    if (strcmp(attribute(attributes, "type"), "OSDev") == 0 && r->at >= 0 &&
        r->object[r->at].kind == ADAPTER) {
        const char *name = attribute(attributes, "name");
        struct object *card = &r->object[r->at];
        if (strchr(card->name, ':') || strchr(name, '_'))
            snprintf(card->name, sizeof card->name, "%s", name);
    }
    r->object[r->count] = object;
    r->at = r->count++;
}

/* <info name="GPUModel" value="NVIDIA A100-SXM4-80GB"/> below an accelerator. */
static void read_info(struct reader *r, const XML_Char **attributes)
{
    if (strcmp(attribute(attributes, "name"), "GPUModel") != 0) return;
    for (int i = r->at; i >= 0; i = r->object[i].above)
        if (r->object[i].kind == ACCELERATOR)
            snprintf(r->node->model, sizeof r->node->model, "%s", attribute(attributes, "value"));
}

/* ---- links ---- */

static int ancestor_of_kind(const struct reader *r, int at, enum kind kind)
{
    while (at >= 0 && r->object[at].kind != kind)
        at = r->object[at].above;
    return at;
}

static void add_end(struct reader *r, const char *word)
{
    const char *colon = strchr(word, ':');
    const unsigned long number = strtoul(colon ? colon + 1 : word, NULL, 10);
    if (r->ends == MOST_ENDS) {
        stop(r, "more ends of links than a node has");
        return;
    }
    const int i = r->ends++;
    r->end[i] = -1;
    r->switches[i] = colon && strncmp(word, "PCIDev", 6) == 0;
    for (int k = 0; k < r->count; k++) {
        if (r->object[k].number != number) continue;
        r->end[i] = ancestor_of_kind(r, k, ACCELERATOR);
        return;
    }
}

static void add_value(struct reader *r, const char *word)
{
    if (!r->value) r->value = calloc((size_t)r->ends * (size_t)r->ends + 1, sizeof *r->value);
    if (!r->value)
        out_of_memory(r);
    else if (r->values < r->ends * r->ends)
        r->value[r->values++] = strtod(word, NULL);
    else
        stop(r, "more values than pairs of ends");
}

static int number_of(const struct reader *r, int card)
{
    for (int a = 0; card >= 0 && a < r->node->accelerators; a++)
        if (r->accelerator[a] == card) return a;
    return -1;
}

/* Joined are those with links to each other, and all that have links to switches: the matrix has no
 * links between switches. hwloc writes it only where there are links: when none is left, the
 * switches were left out. */
static void join_accelerators(struct reader *r)
{
    struct node_topology *node = r->node;
    const int n = r->ends;
    bool switched[NODE_MOST] = {false};
    if (!n || r->values != n * n) return;
    for (int i = 0; i < n; i++)
        r->end[i] = number_of(r, r->end[i]);
    for (int i = 0; i < n; i++) {
        double all = 0;
        if (r->end[i] < 0) continue;
        for (int k = 0; k < n; k++) {
            const double rate = k == i ? 0 : r->value[i * n + k];
            if (!(rate > 0) || (r->end[k] < 0 && !r->switches[k])) continue;
            if (r->end[k] >= 0) node->joined[r->end[i]][r->end[k]] = true;
            if (r->switches[k]) switched[r->end[i]] = true;
            all += rate;
        }
        if (node->links_Bps == 0 || all * 1e6 < node->links_Bps) node->links_Bps = all * 1e6;
    }
    for (int i = 0; i < node->accelerators; i++)
        for (int k = 0; k < i; k++) {
            const bool joined =
                node->joined[i][k] || node->joined[k][i] || (switched[i] && switched[k]);
            node->joined[i][k] = node->joined[k][i] = joined;
            node->joins_said |= joined;
        }
}

/* ---- elements ---- */

static void XMLCALL open_element(void *data, const XML_Char *name, const XML_Char **attributes)
{
    struct reader *r = data;
    if (r->status != RK_OK) return;
    if (strcmp(name, "object") == 0)
        open_object(r, attributes);
    else if (strcmp(name, "info") == 0)
        read_info(r, attributes);
    else if (strncmp(name, "distances2", 10) == 0)
        r->links = strcmp(attribute(attributes, "name"), "NVLinkBandwidth") == 0 && !r->ends;
    r->text_wanted = r->links && (strcmp(name, "indexes") == 0 || strcmp(name, "u64values") == 0);
    r->text_size = 0;
}

static void XMLCALL add_text(void *data, const XML_Char *text, int length)
{
    struct reader *r = data;
    if (!r->text_wanted || r->status != RK_OK) return;
    char *more = realloc(r->text, r->text_size + (size_t)length + 1);
    if (!more) {
        out_of_memory(r);
        return;
    }
    r->text = more;
    memcpy(more + r->text_size, text, (size_t)length);
    r->text_size += (size_t)length;
    more[r->text_size] = '\0';
}

static void XMLCALL close_element(void *data, const XML_Char *name)
{
    struct reader *r = data;
    if (r->status != RK_OK) return;
    if (strcmp(name, "object") == 0 && r->at >= 0) r->at = r->object[r->at].above;
    if (r->text_wanted && r->text_size) {
        char *rest = r->text, *word;
        while (r->status == RK_OK && (word = strtok_r(rest, " \t\r\n", &rest)))
            (strcmp(name, "indexes") == 0 ? add_end : add_value)(r, word);
    }
    if (strncmp(name, "distances2", 10) == 0) r->links = false;
    r->text_wanted = false;
}

/* ---- distances ---- */

static bool is_above(const struct reader *r, int top, int at)
{
    while (at >= 0 && at != top)
        at = r->object[at].above;
    return at == top && at >= 0;
}

static enum node_distance distance_of(const struct reader *r, int card, int adapter)
{
    int common = r->object[card].above, bridges = 0;
    while (common >= 0 && !is_above(r, common, adapter)) {
        bridges += r->object[common].kind == BRIDGE;
        common = r->object[common].above;
    }
    if (common < 0 || r->object[common].kind == MACHINE) return NODE_SYS;
    if (r->object[common].kind == HOST_BRIDGE) return NODE_PHB;
    if (r->object[common].kind != BRIDGE) return NODE_NODE;
    for (int i = r->object[adapter].above; i != common; i = r->object[i].above)
        bridges += r->object[i].kind == BRIDGE;
    return bridges <= 2 ? NODE_PIX : NODE_PXB; /* the two downward ports of one switch */
}

static void describe_node(struct reader *r)
{
    struct node_topology *node = r->node;
    const struct object *first = &r->object[r->accelerator[0]];
    for (size_t i = 0; i < sizeof accelerators / sizeof *accelerators; i++)
        if (accelerators[i].vendor == first->vendor && accelerators[i].device == first->device)
            node->system = accelerators[i].system;
    for (int k = 0; k < node->adapters; k++) {
        const struct object *card = &r->object[r->adapter[k]];
        snprintf(node->adapter[k].name, NODE_NAME, "%s", card->name);
        for (size_t i = 0; i < sizeof adapters / sizeof *adapters; i++)
            if (card->vendor == MELLANOX && adapters[i].device == card->device)
                node->adapter[k].rate_Bps = adapters[i].Gbps * 1e9 / 8;
        for (int i = 0; i < node->accelerators; i++)
            node->distance[i][k] = distance_of(r, r->accelerator[i], r->adapter[k]);
    }
}

/* A display adapter on a board that also has compute cards is not an accelerator. */
static void drop_displays(struct reader *r)
{
    int kept = 0, computing = 0;
    for (int i = 0; i < r->node->accelerators; i++)
        computing += r->object[r->accelerator[i]].class != VGA;
    for (int i = 0; i < r->node->accelerators; i++)
        if (!computing || r->object[r->accelerator[i]].class != VGA)
            r->accelerator[kept++] = r->accelerator[i];
    r->node->accelerators = kept;
}

static enum rk_status check_node(struct reader *r)
{
    const struct node_topology *node = r->node;
    const char *path = r->document->path;
    if (!node->accelerators)
        return rk_fail(
            r->error, RK_BAD_INPUT, path, 0, 0,
            "no accelerator of NVIDIA or AMD among its PCI devices: is it of a node that "
            "has some, written without --no-io?");
    const struct object *first = &r->object[r->accelerator[0]];
    for (int i = 1; i < node->accelerators; i++) {
        const struct object *other = &r->object[r->accelerator[i]];
        if (other->vendor != first->vendor || other->device != first->device)
            return rk_fail(
                r->error, RK_BAD_INPUT, path, 0, 0,
                "two kinds of accelerator, [%04x:%04x] and [%04x:%04x]: a cluster has one",
                first->vendor, first->device, other->vendor, other->device);
    }
    return RK_OK;
}

enum rk_status hwloc_read(const struct document *document, struct node_topology *node,
                          struct rk_error *error)
{
    struct reader *r = calloc(1, sizeof *r);
    enum rk_status status = no_memory(error);
    *node = (struct node_topology){.accelerators = 0};
    if (!r) return status;
    r->document = document;
    r->node = node;
    r->error = error;
    r->status = RK_OK;
    r->at = -1;
    r->parser = XML_ParserCreate(NULL);
    if (!r->parser) goto out;
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, open_element, close_element);
    XML_SetCharacterDataHandler(r->parser, add_text);
    if (XML_Parse(r->parser, document->text, (int)document->size, XML_TRUE) == XML_STATUS_ERROR)
        stop(r, XML_ErrorString(XML_GetErrorCode(r->parser)));
    drop_displays(r);
    if (r->status == RK_OK) r->status = check_node(r);
    if (r->status == RK_OK) join_accelerators(r);
    if (r->status == RK_OK) describe_node(r);
    status = r->status;
out:
    if (r->parser) XML_ParserFree(r->parser);
    free(r->object);
    free(r->value);
    free(r->text);
    free(r);
    return status;
}
