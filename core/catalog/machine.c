/* machine.c - several clusters: in one line, with "+" between them, or a file with "clusters". */
#include "base/memory.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/one_line.h"
#include "text/fields.h"

#include <reckon/machine.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t rk_cluster_node(const struct rk_cluster *cluster)
{
    const struct rk_network *network = cluster->system.network;
    uint64_t size = network[0].size;
    for (int i = 1; i < cluster->system.networks; i++)
        if (strncmp(network[i].name, "PCI", 3) == 0) size = network[i].size;
    const uint64_t devices = cluster->system.devices;
    return devices && size > devices ? devices : size;
}

uint64_t rk_cluster_nodes(const struct rk_cluster *cluster)
{
    return cluster->system.devices / rk_cluster_node(cluster);
}

/* ---- what line and file share ---- */

static int find_cluster(const struct rk_machine *machine, const char *name, size_t length)
{
    for (int i = 0; i < machine->clusters; i++)
        if (strlen(machine->cluster[i].name) == length &&
            memcmp(machine->cluster[i].name, name, length) == 0)
            return i;
    return -1;
}

/* What is wrong with a cluster that has been read; NULL: nothing. */
static const char *fault_of_cluster(const struct rk_machine *machine, int index, char text[128])
{
    const struct rk_cluster *cluster = &machine->cluster[index];
    const uint64_t node = rk_cluster_node(cluster), devices = cluster->system.devices;
    if (!devices) return "how many accelerators? add x256";
    if (find_cluster(machine, cluster->name, strlen(cluster->name)) != index) {
        snprintf(text, 128, "two clusters are named \"%s\": rename one", cluster->name);
        return text;
    }
    if (devices % node == 0) return NULL;
    snprintf(text, 128,
             "x%llu is not a whole number of nodes of %llu: x%llu is the nearest that is",
             (unsigned long long)devices, (unsigned long long)node,
             (unsigned long long)((devices + node / 2) / node * node));
    return text;
}

static const struct rk_cluster_link no_link = {.cap_Bps = INFINITY};

static void set_link(struct rk_machine *machine, int a, int b, const struct rk_cluster_link *link)
{
    machine->link[a][b] = machine->link[b][a] = *link;
}

static bool is_linked(const struct rk_machine *machine, int a, int b)
{
    return machine->link[a][b].bandwidth_Bps > 0;
}

/* The first pair without a link; false: there is none. */
static bool find_unlinked(const struct rk_machine *machine, int *a, int *b)
{
    for (*a = 0; *a < machine->clusters; ++*a)
        for (*b = *a + 1; *b < machine->clusters; ++*b)
            if (!is_linked(machine, *a, *b)) return true;
    return false;
}

/* ---- one line ---- */

struct line {
    const char *text;
    struct rk_machine *machine;
    struct rk_error *error;
    struct span link[2 * RK_MAX_CLUSTERS * RK_MAX_CLUSTERS];
    int links;      /* words about links, which are read when all names are known */
    unsigned given; /* words of the cluster that is read, a bit each */
};

/* Words of a cluster that are none of its system. */
enum cluster_word { WORD_NAME, WORD_PRICE, WORD_ADAPTERS, WORD_INTERFACE, CLUSTER_WORDS };
static const char *const cluster_words[] = {"name=", "price=", "adapters=", "interface=", NULL};

static bool is_plus(struct span word)
{
    return word.length == 1 && *word.at == '+';
}

#define fail(line, at, ...) one_line_fail((line)->error, (line)->text, at, __VA_ARGS__)

static enum rk_status read_quantity(const struct line *line, struct span word,
                                    enum quantity quantity, double *value)
{
    struct units_error problem;
    if (quantity_parse(word.at, word.length, quantity, quantity == QUANTITY_BYTES_PER_S, value,
                       &problem))
        return RK_OK;
    return fail(line, word.at + problem.at, "%s", problem.text);
}

static enum rk_status read_price(const struct line *line, struct span word, double *price)
{
    if (word.length && number_parse(word.at, word.length, price) == word.length &&
        isfinite(*price) && *price >= 0)
        return RK_OK;
    return fail(line, word.at, "a price is a number of USD, 0 or more");
}

static enum rk_status read_rate(const struct line *line, struct span word, bool cap, double *rate)
{
    const enum rk_status status = read_quantity(line, word, QUANTITY_BYTES_PER_S, rate);
    if (status != RK_OK || *rate > 0) return status;
    return fail(line, word.at,
                cap ? "a cap is above 0; without cap= there is none"
                    : "a link needs a bandwidth above 0; clusters that nothing joins are searched "
                      "one by one");
}

/* RATE[@LATENCY]{,cap=RATE|,price=USD} */
static enum rk_status read_link(const struct line *line, struct span value,
                                struct rk_cluster_link *link)
{
    enum rk_status status = RK_OK;
    *link = no_link;
    for (const char *end = value.at + value.length, *at = value.at; status == RK_OK && at <= end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        struct span part = {at, (size_t)((comma ? comma : end) - at)};
        const char *sign = memchr(part.at, '@', part.length);
        const struct span latency = {sign ? sign + 1 : end,
                                     sign ? part.length - (size_t)(sign + 1 - part.at) : 0};
        const bool first = at == value.at;
        at += part.length + 1;
        if (first) {
            if (sign) part.length = (size_t)(sign - part.at);
            status = read_rate(line, part, false, &link->bandwidth_Bps);
            if (status == RK_OK && sign)
                status = read_quantity(line, latency, QUANTITY_SECONDS, &link->latency_s);
            if (status == RK_OK && link->latency_s < 0)
                status = fail(line, latency.at, "a latency is 0 or more");
        } else if (span_begins(part, "cap=")) {
            status =
                read_rate(line, (struct span){part.at + 4, part.length - 4}, true, &link->cap_Bps);
        } else if (span_begins(part, "price=")) {
            status =
                read_price(line, (struct span){part.at + 6, part.length - 6}, &link->price_USD);
            link->price_USD /= 1e9;
        } else {
            status = fail(line, part.at,
                          "expected cap=RATE or price=USD (of a GB): "
                          "link=100Gb/s@50us,cap=400Gb/s,price=0.02");
        }
    }
    return status;
}

/* "link:A-B=...": one pair, by names or numbers; "link=...": all that have none of their own. */
static enum rk_status apply_link(const struct line *line, struct span word)
{
    struct rk_machine *machine = line->machine;
    struct rk_cluster_link link;
    const char *equals = memchr(word.at, '=', word.length);
    const struct span value = {equals + 1, word.length - (size_t)(equals + 1 - word.at)};
    const enum rk_status status = read_link(line, value, &link);
    if (status != RK_OK) return status;
    if (word.at[4] == '=') {
        for (int a = 0; a < machine->clusters; a++)
            for (int b = 0; b < a; b++)
                if (!is_linked(machine, a, b)) set_link(machine, a, b, &link);
        return RK_OK;
    }
    const char *pair = word.at + 5;
    for (const char *dash = pair; dash < equals; dash++) {
        const int a = *dash == '-' ? find_cluster(machine, pair, (size_t)(dash - pair)) : -1;
        const int b = a < 0 ? -1 : find_cluster(machine, dash + 1, (size_t)(equals - dash - 1));
        if (b < 0) continue;
        if (a == b) return fail(line, pair, "a link is between two clusters");
        if (is_linked(machine, a, b))
            return fail(line, pair, "the link between %s and %s is given twice: remove one",
                        machine->cluster[a].name, machine->cluster[b].name);
        set_link(machine, a, b, &link);
        return RK_OK;
    }
    char names[256] = "";
    for (int i = 0; i < machine->clusters; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 machine->cluster[i].name);
    return fail(line, pair, "expected the names of two clusters, link:A-B=...; there are %s",
                names);
}

static bool is_name(struct span name)
{
    if (!name.length || name.length > 31) return false;
    for (size_t i = 0; i < name.length; i++)
        if (!isalnum((unsigned char)name.at[i]) && !strchr("._-", name.at[i])) return false;
    return true;
}

/* What NCCL's settings take: names with commas between them, or one. */
static bool is_device_list(struct span list, size_t size, bool several)
{
    if (!list.length || list.length >= size) return false;
    for (size_t i = 0; i < list.length; i++) {
        const bool comma = list.at[i] == ',';
        const bool lone = comma && (i == 0 || i + 1 == list.length || list.at[i - 1] == ',');
        if (lone || (comma && !several)) return false;
        if (!isalnum((unsigned char)list.at[i]) && !strchr(",._:-", list.at[i])) return false;
    }
    return true;
}

static enum rk_status read_word(const struct line *line, enum cluster_word which, struct span value,
                                struct rk_cluster *cluster)
{
    switch (which) {
    case WORD_NAME:
        if (!is_name(value))
            return fail(line, value.at, "a name is 1 to 31 letters, digits, '.', '_', '-'");
        snprintf(cluster->name, sizeof cluster->name, "%.*s", (int)value.length, value.at);
        return RK_OK;
    case WORD_PRICE:
        return read_price(line, value, &cluster->price_USDph);
    case WORD_ADAPTERS:
        if (!is_device_list(value, sizeof cluster->adapters, true))
            return fail(line, value.at, "adapters are names such as mlx5_0,mlx5_1");
        snprintf(cluster->adapters, sizeof cluster->adapters, "%.*s", (int)value.length, value.at);
        return RK_OK;
    default:
        if (!is_device_list(value, sizeof cluster->interface, false))
            return fail(line, value.at, "an interface is a name such as eth0");
        snprintf(cluster->interface, sizeof cluster->interface, "%.*s", (int)value.length,
                 value.at);
        return RK_OK;
    }
}

/* Takes a word that is none of a system; `taken` says whether it was. */
static enum rk_status take_word(struct line *line, struct span word, struct rk_cluster *cluster,
                                bool *taken)
{
    *taken = true;
    if (span_begins(word, "link=") ||
        (span_begins(word, "link:") && memchr(word.at, '=', word.length))) {
        if (line->links == (int)(sizeof line->link / sizeof *line->link))
            return fail(line, word.at, "too many links");
        line->link[line->links++] = word;
        return RK_OK;
    }
    for (int i = 0; i < CLUSTER_WORDS; i++) {
        const size_t length = strlen(cluster_words[i]);
        if (!span_begins(word, cluster_words[i])) continue;
        if (line->given & 1u << i)
            return fail(line, word.at, "%s is given twice: remove one", cluster_words[i]);
        line->given |= 1u << i;
        return read_word(line, (enum cluster_word)i,
                         (struct span){word.at + length, word.length - length}, cluster);
    }
    *taken = false;
    return RK_OK;
}

/* What is wrong with the words of a system at `begin`, as of the whole line; a word that nearly is
 * one of a cluster is said to be. */
static enum rk_status fail_system(const struct line *line, const char *begin,
                                  const struct rk_error *inner)
{
    static const char *const others[] = {"name", "price", "adapters", "interface", "link", NULL};
    char key[32] = "";
    if (!inner->line || (*inner->path != '"' && strchr(inner->path, '/')))
        return inner->path[0] ? (*line->error = *inner, inner->status)
                              : fail(line, begin, "%s", inner->text);
    const char *at = begin;
    for (int column = 1; *at && column < inner->column; column++)
        do
            at++;
        while (((unsigned char)*at & 0xc0) == 0x80);
    const size_t length = strcspn(at, "=: \t\n+");
    if (at[length] == '=' && length < sizeof key)
        snprintf(key, sizeof key, "%.*s", (int)length, at);
    const char *nearest = *key ? text_nearest(key, others) : NULL;
    if (nearest && strncmp(inner->text, "unknown part", 12) == 0)
        return fail(line, at, "unknown part \"%s\": did you mean \"%s=\"?", key, nearest);
    (void)fail(line, at, "%s", inner->text);
    line->error->status = inner->status;
    return inner->status;
}

/* The words up to "+" or the end, which is set. */
static enum rk_status read_cluster(struct line *line, const char *begin, const char **end)
{
    struct rk_machine *machine = line->machine;
    const int index = machine->clusters;
    struct rk_cluster *cluster = &machine->cluster[index];
    struct rk_error inner;
    char *copy = strdup(begin);
    enum rk_status status = copy ? RK_OK : no_memory(line->error);
    *cluster = (struct rk_cluster){.price_USDph = 0};
    line->given = 0;
    snprintf(cluster->name, sizeof cluster->name, "%d", index);
    struct span word = span_next(begin);
    size_t length = 0; /* of the words of the system */
    for (; status == RK_OK && word.length && !is_plus(word);
         word = span_next(word.at + word.length)) {
        bool taken;
        status = take_word(line, word, cluster, &taken);
        if (taken)
            memset(copy + (word.at - begin), ' ', word.length);
        else
            length = (size_t)(word.at - begin) + word.length;
    }
    *end = word.at;
    if (status == RK_OK && !length)
        status = fail(line, word.at, "expected a system, as h100-sxm5-80g x256");
    if (status == RK_OK) {
        copy[length] = '\0';
        status = rk_system_load(copy, &cluster->system, &inner);
        if (status == RK_OK)
            machine->clusters++;
        else
            status = fail_system(line, begin, &inner);
    }
    free(copy);
    char text[128];
    const char *fault = status == RK_OK ? fault_of_cluster(machine, index, text) : NULL;
    return fault ? fail(line, begin, "%s", fault) : status;
}

static enum rk_status read_line(const char *text, struct rk_machine *machine,
                                struct rk_error *error)
{
    struct line line = {.text = text, .machine = machine, .error = error};
    enum rk_status status = RK_OK;
    int a, b;
    for (const char *at = span_next(text).at; status == RK_OK;) {
        if (machine->clusters == RK_MAX_CLUSTERS)
            return fail(&line, at, "more than %d clusters", RK_MAX_CLUSTERS);
        status = read_cluster(&line, at, &at);
        if (status != RK_OK || !*at) break;
        at = span_next(at + 1).at;
    }
    for (int all = 0, given = 0; all < 2; all++)
        for (int i = 0; status == RK_OK && i < line.links; i++) {
            if (span_begins(line.link[i], "link=") != (all == 1)) continue;
            status = all && given++ ? fail(&line, line.link[i].at,
                                           "link= is given twice: remove one, or name the clusters "
                                           "of each, link:A-B=...")
                                    : apply_link(&line, line.link[i]);
        }
    if (status == RK_OK && find_unlinked(machine, &a, &b))
        status = fail(&line, text + strlen(text),
                      "no link between %s and %s: add link=100Gb/s@50us, or link:%s-%s=...",
                      machine->cluster[a].name, machine->cluster[b].name, machine->cluster[a].name,
                      machine->cluster[b].name);
    return status;
}

/* ---- a file ---- */

/* clang-format off */
struct cluster_said { char name[32], system[256], adapters[128], interface[32]; uint64_t devices; double price; };
struct link_said { struct rk_cluster_link link; int pair[2]; };
#define SAID(member) .offset = offsetof(struct cluster_said, member)
#define LINK(member) .offset = offsetof(struct link_said, link.member)
static const struct field cluster_fields[] = {
    { "name",        FIELD_TEXT,   SAID(name), .size = 32, .help = "unique; default its number" },
    { "system",      FIELD_TEXT,   FIELD_REQUIRED, SAID(system), .size = 256, .help = "an id, a path, or a description in one line" },
    { "devices",     FIELD_COUNT,  SAID(devices), .help = "accelerators; default what the system says" },
    { "price_USDph", FIELD_NUMBER, SAID(price), .help = "price of an accelerator for an hour" },
    { "adapters",    FIELD_TEXT,   SAID(adapters), .size = 128, .help = "of a node, as NCCL_IB_HCA has them: mlx5_0,mlx5_1" },
    { "interface",   FIELD_TEXT,   SAID(interface), .size = 32, .help = "of a node for sockets: eth0" },
    { "source",      FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};
static enum rk_status load_pair(const struct place *place, void *target, struct rk_error *error);
static const struct field link_said_fields[] = {
    { "between",        FIELD_OTHER,  FIELD_REQUIRED, .offset = offsetof(struct link_said, pair), .load = load_pair, .help = "the names of two clusters" },
    { "bandwidth_GBps", FIELD_NUMBER, FIELD_REQUIRED, "GB/s", LINK(bandwidth_Bps), .above_min = true, .unlimited = true, .help = "of a node's NIC" },
    { "latency_us",     FIELD_NUMBER, FIELD_OPTIONAL, "us",   LINK(latency_s), .help = "of a message" },
    { "cap_GBps",       FIELD_NUMBER, FIELD_OPTIONAL, "GB/s", LINK(cap_Bps), .help = "of the pair together; 0: no limit" },
    { "price_USDpGB",   FIELD_NUMBER, LINK(price_USD), .help = "for a GB that crosses it" },
    { "source",         FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};
/* clang-format on */

/* Names are resolved later; here only the two strings are checked. */
static enum rk_status load_pair(const struct place *place, void *target, struct rk_error *error)
{
    (void)target;
    enum rk_status status = place_need_array(place, 2, 2, error);
    for (size_t i = 0; status == RK_OK && i < 2; i++) {
        const struct place name = place_element(place, i);
        if (!json_is_string(name.value)) status = place_fail(&name, error, "must be a name");
    }
    return status;
}

static enum rk_status load_cluster(const struct place *place, struct rk_machine *machine,
                                   struct rk_error *error)
{
    struct cluster_said said;
    struct rk_error inner;
    struct place name;
    const int index = machine->clusters;
    struct rk_cluster *cluster = &machine->cluster[index];
    memset(&said, 0, sizeof said);
    snprintf(said.name, sizeof said.name, "%d", index);
    enum rk_status status = fields_load(place, cluster_fields, &said, error);
    if (status != RK_OK) return status;
    place_member(place, "system", &name);
    *cluster = (struct rk_cluster){.price_USDph = said.price};
    if (!is_name((struct span){said.name, strlen(said.name)}))
        return place_fail(place, error, "name: 1 to 31 letters, digits, '.', '_', '-'");
    if (*said.adapters &&
        !is_device_list((struct span){said.adapters, strlen(said.adapters)}, 128, true))
        return place_fail(place, error, "adapters: names such as mlx5_0,mlx5_1");
    if (*said.interface &&
        !is_device_list((struct span){said.interface, strlen(said.interface)}, 32, false))
        return place_fail(place, error, "interface: a name such as eth0");
    memcpy(cluster->name, said.name, sizeof cluster->name);
    memcpy(cluster->adapters, said.adapters, sizeof cluster->adapters);
    memcpy(cluster->interface, said.interface, sizeof cluster->interface);
    if (rk_system_load(said.system, &cluster->system, &inner) != RK_OK)
        return place_fail(&name, error, "%s", inner.text);
    machine->clusters++;
    if (said.devices) cluster->system.devices = said.devices;
    char text[128];
    const char *fault = fault_of_cluster(machine, index, text);
    return fault ? place_fail(place, error, "%s", fault) : RK_OK;
}

static enum rk_status load_link(const struct place *place, struct rk_machine *machine,
                                struct rk_error *error)
{
    struct link_said said;
    struct place between;
    int pair[2];
    memset(&said, 0, sizeof said);
    enum rk_status status = fields_load(place, link_said_fields, &said, error);
    if (status != RK_OK) return status;
    place_member(place, "between", &between);
    for (size_t i = 0; i < 2; i++) {
        const struct place name = place_element(&between, i);
        const char *text = json_string_value(name.value);
        pair[i] = find_cluster(machine, text, strlen(text));
        if (pair[i] < 0) {
            const char *names[RK_MAX_CLUSTERS + 1] = {NULL};
            for (int k = 0; k < machine->clusters; k++)
                names[k] = machine->cluster[k].name;
            const char *nearest = text_nearest(text, names);
            return place_fail(&name, error, "no cluster of that name: did you mean \"%s\"?",
                              nearest ? nearest : names[0]);
        }
    }
    if (pair[0] == pair[1]) return place_fail(&between, error, "a link is between two clusters");
    if (is_linked(machine, pair[0], pair[1]))
        return place_fail(&between, error, "the link between %s and %s is given twice: remove one",
                          machine->cluster[pair[0]].name, machine->cluster[pair[1]].name);
    if (!(said.link.cap_Bps > 0)) said.link.cap_Bps = INFINITY;
    said.link.price_USD /= 1e9;
    set_link(machine, pair[0], pair[1], &said.link);
    return RK_OK;
}

static enum rk_status read_file(const struct document *document, struct rk_machine *machine,
                                struct rk_error *error)
{
    static const char *const keys[] = {"name", "description", "clusters", "links", "source", NULL};
    const struct place root = place_root(document);
    struct place clusters, links;
    int a, b;
    enum rk_status status = place_need_keys(&root, keys, error);
    place_member(&root, "clusters", &clusters);
    if (status == RK_OK) status = place_need_array(&clusters, 1, RK_MAX_CLUSTERS, error);
    for (size_t i = 0; status == RK_OK && i < json_array_size(clusters.value); i++) {
        const struct place cluster = place_element(&clusters, i);
        status = load_cluster(&cluster, machine, error);
    }
    if (status == RK_OK && place_member(&root, "links", &links)) {
        status = place_need_array(&links, 0, RK_MAX_CLUSTERS * RK_MAX_CLUSTERS, error);
        for (size_t i = 0; status == RK_OK && i < json_array_size(links.value); i++) {
            const struct place link = place_element(&links, i);
            status = load_link(&link, machine, error);
        }
    }
    if (status == RK_OK && find_unlinked(machine, &a, &b))
        status = place_fail(&root, error, "no link between %s and %s: add it to \"links\"",
                            machine->cluster[a].name, machine->cluster[b].name);
    return status;
}

/* ---- either ---- */

static bool has_plus(const char *text)
{
    for (struct span word = span_next(text); word.length; word = span_next(word.at + word.length))
        if (is_plus(word)) return true;
    return false;
}

static bool is_path(const char *name)
{
    const size_t length = strlen(name);
    return !strpbrk(name, " \t\n=") && length > 5 &&
           (strchr(name, '/') || strcmp(name + length - 5, ".json") == 0);
}

static bool open_several(const char *name, struct document *document)
{
    struct place clusters;
    struct rk_error error;
    if (!is_path(name) || document_load(name, document, &error) != RK_OK) return false;
    const struct place root = place_root(document);
    if (place_member(&root, "clusters", &clusters)) return true;
    document_release(document);
    return false;
}

bool rk_machine_is_several(const char *name)
{
    struct document document = {.text = NULL};
    const bool several = has_plus(name) || open_several(name, &document);
    document_release(&document);
    return several;
}

enum rk_status rk_machine_load(const char *name, struct rk_machine *machine, struct rk_error *error)
{
    struct rk_machine read = {.clusters = 0};
    struct document document = {.text = NULL};
    struct rk_error unsaid;
    enum rk_status status;
    if (!error) error = &unsaid;
    if (has_plus(name)) {
        status = read_line(name, &read, error);
    } else if (open_several(name, &document)) {
        status = read_file(&document, &read, error);
    } else {
        status = rk_system_load(name, &read.cluster[0].system, error);
        snprintf(read.cluster[0].name, sizeof read.cluster[0].name, "0");
        read.clusters = status == RK_OK;
    }
    document_release(&document);
    if (status == RK_OK)
        *machine = read;
    else
        rk_machine_release(&read);
    return status;
}

/* The clusters go to the system, also where this fails. */
static enum rk_status join(struct rk_machine *from, const char *name, struct rk_system *system,
                           struct rk_error *error)
{
    struct rk_machine *machine = malloc(sizeof *machine);
    enum rk_status status = machine ? RK_OK : no_memory(error);
    if (status == RK_OK) status = rk_system_copy(system, &from->cluster[0].system, error);
    if (status != RK_OK) {
        rk_machine_release(from);
        free(machine);
        return status;
    }
    *machine = *from;
    system->machine = machine;
    system->devices = 0;
    for (int i = 0; i < machine->clusters; i++)
        system->devices += machine->cluster[i].system.devices;
    snprintf(system->id, sizeof system->id, "%s", name);
    return RK_OK;
}

enum rk_status rk_system_load_several(const char *name, struct rk_system *system,
                                      struct rk_error *error)
{
    struct rk_machine *read = malloc(sizeof *read);
    if (!rk_machine_is_several(name)) {
        free(read);
        return rk_system_load(name, system, error);
    }
    enum rk_status status = read ? rk_machine_load(name, read, error) : no_memory(error);
    if (status == RK_OK) status = join(read, name, system, error);
    free(read);
    return status;
}
