#include "cli/import_node.h"

#include "base/memory.h"
#include "base/units.h"
#include "catalog/readers.h"
#include "cli/show.h"
#include "machine/node_tiers.h"
#include "machines/node.h"
#include "text/output.h"

#include <inttypes.h>
#include <math.h>
#include <reckon/catalog.h>
#include <string.h>

struct node_args {
    const char *file, *system, *adapter, *output;
    uint64_t nodes;
    bool table;
    struct show_args show;
};

typedef enum rk_status node_reader(const struct document *document, struct node_topology *node,
                                   struct rk_error *error);

/* clang-format off */
#define AT(member) .offset = offsetof(struct node_args, member)
static const struct option node_options[] = {
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "SYSTEM", AT(system), .complete = "systems"},
    {.name = "nodes", .type = OPTION_NUMBER, AT(nodes), .min = 1, .max = 1 << 20},
    {.name = "adapter", .type = OPTION_TEXT, .argument = "RATE", AT(adapter)},
    {.name = "table", .type = OPTION_FLAG, AT(table)},
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};
static const struct operand node_operands[] = {{.name = "FILE", AT(file), .complete = "file"}, {.name = NULL}};

#define NODE_GROUPS {{"Machine", node_options, 0}, {"Form", show_options, offsetof(struct node_args, show)}, {"General", options_help_rows, 0}}

const struct usage import_hwloc_usage = {
#include "help/import-hwloc.h"
    .operands = node_operands,
    .groups = NODE_GROUPS,
};
const struct usage import_nvidia_smi_usage = {
#include "help/import-nvidia-smi.h"
    .operands = node_operands,
    .groups = NODE_GROUPS,
};

static const struct report_column node_columns[] = {
    {.name = "accelerator"}, {.name = "joined", .title = "joined with"}, {.name = "adapters", .title = "takes"},
    {.name = "distance", .title = "which are at"}, {.name = "rate_Bps", .title = "rate", .unit = "B/s", .digits = 1, .own_scale = true},
};
/* clang-format on */

struct answer {
    const struct node_args *args;
    const struct node_topology *node;
    const char *base;
    struct rk_system system;
    struct node_tiers tiers;
    int domain;
    double links_Bps;                /* of an accelerator; 0: not said */
    double adapter_Bps, network_Bps; /* said, or of the system; of an accelerator */
};

/* ---- the line ---- */

/* Rates to half a per cent are the same. */
static bool differs(double rate, double other)
{
    return fabs(rate - other) > 0.005 * other;
}

/* Do the entry's links join several nodes, and all accelerators of this one? */
static bool is_of_rack(const struct answer *a)
{
    return a->tiers.links >= 0 && a->system.network[a->tiers.links].size > NODE_LARGEST &&
           a->domain == a->node->accelerators;
}

/* Words after the catalog entry, for values in which the node differs from it. */
static void write_words(const struct answer *a, FILE *file)
{
    const struct node_topology *node = a->node;
    const struct node_tiers *t = &a->tiers;
    if (a->args->nodes) fprintf(file, " x%" PRIu64, a->args->nodes * (uint64_t)node->accelerators);
    if (t->links >= 0)
        fprintf(file, " net%d.size=%" PRIu64, t->links,
                is_of_rack(a) ? a->system.network[t->links].size : (uint64_t)a->domain);
    if (t->links >= 0 && a->domain > 1 && a->links_Bps > 0 &&
        differs(a->links_Bps, a->system.network[t->links].bandwidth_Bps))
        fprintf(file, " net%d.bandwidth=%.6gGB/s", t->links, a->links_Bps / 1e9);
    if (t->bus >= 0) fprintf(file, " net%d.size=%d", t->bus, node->accelerators);
    if (a->network_Bps > 0 && t->fabric < 0)
        fprintf(file, " net%d=%.6gGB/s,size=65536,efficiency=0.9,latency=20us,name=NIC",
                a->system.networks, a->network_Bps / 1e9); /* as entries of the catalog assume */
    else if (a->network_Bps > 0 &&
             differs(a->network_Bps, a->system.network[t->fabric].bandwidth_Bps))
        fprintf(file, " net%d.bandwidth=%.6gGB/s", t->fabric, a->network_Bps / 1e9);
}

static enum rk_status write_line(const struct answer *a, struct rk_error *error)
{
    struct output output;
    char words[512] = "", line[2048];
    const char *path = a->args->output ? a->args->output : "-";
    FILE *file = fmemopen(words, sizeof words, "w");
    if (!file) return no_memory(error);
    write_words(a, file);
    fclose(file);
    if (*words && !synthetic_join(line, sizeof line, a->base, words + 1))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--system: the line would be too long");
    const enum rk_status status = output_open(&output, path, error);
    if (status != RK_OK) return status;
    fprintf(output.file, "%s\n", *words ? line : a->base);
    return output_commit(&output, error);
}

/* ---- the table ---- */

static const char *listed(struct report *report, const char *before, const char *name)
{
    return report_text(report, "%s%s%s", before, *before ? " " : "", name);
}

static void show_accelerator(const struct answer *a, struct report *report,
                             struct report_table *table, int i)
{
    const struct node_topology *node = a->node;
    const char *joined = "", *taken = "", *distance = "";
    double rate_Bps = 0;
    for (int k = 0; k < node->accelerators; k++)
        if (node->joins_said && node->joined[i][k])
            joined = listed(report, joined, report_text(report, "%d", k));
    for (int k = 0; k < node->adapters; k++) {
        if (!node_uses(node, i, k)) continue;
        taken = listed(report, taken, report_text(report, "%s", node->adapter[k].name));
        distance = node_distance_names[node->distance[i][k]];
        rate_Bps += a->args->adapter || !(node->adapter[k].rate_Bps > 0)
                        ? a->adapter_Bps
                        : node->adapter[k].rate_Bps;
    }
    REPORT_ROW(report, table, cell_count((uint64_t)i), *joined ? cell_text(joined) : cell_none(),
               *taken ? cell_text(taken) : cell_none(),
               *distance ? cell_text(distance) : cell_none(),
               rate_Bps > 0 ? cell_number(rate_Bps) : cell_none());
}

static int show_node(const struct answer *a)
{
    struct report report = {.first = NULL};
    report_note(&report,
                report_text(&report, "%s: %d of %s, %d adapters", a->args->file,
                            a->node->accelerators, *a->node->model ? a->node->model : a->base,
                            a->node->adapters));
    struct report_table *table =
        REPORT_LIST(&report, "node", "A node", REPORT_IN_ALL, node_columns);
    for (int i = 0; i < a->node->accelerators; i++)
        show_accelerator(a, &report, table, i);
    return show_end(&report, &a->args->show, a->args->output, RK_OK, RK_OK, NULL);
}

/* ---- the question ---- */

/* The system that they are, and the groups that links make of them. */
static enum rk_status settle_links(struct answer *a, struct rk_error *error)
{
    const struct node_args *args = a->args;
    const struct node_topology *node = a->node;
    a->base = args->system ? args->system : node->system;
    if (!a->base)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s does not say what its accelerators%s%s are in the catalog: add --system "
                       "h100-sxm5-80g or another one of `reckon systems`",
                       args->file, *node->model ? ", " : "", node->model);
    const enum rk_status status = rk_system_load(a->base, &a->system, error);
    if (status != RK_OK) return status;
    if (args->nodes && a->system.devices)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--system: \"%s\" has %" PRIu64
                       " accelerators, and --nodes says how many there are: leave one of them out",
                       a->base, a->system.devices);
    a->tiers = node_tiers_of(&a->system);
    a->domain = node_domain(node);
    if (!node->joins_said && a->tiers.links >= 0 &&
        a->tiers.bus >= 0) /* bridges, if there are any */
        a->domain = node->accelerators % (int)a->system.network[a->tiers.links].size
                        ? 1
                        : (int)a->system.network[a->tiers.links].size;
    if (!a->domain)
        return rk_fail(error, RK_BAD_INPUT, args->file, 0, 0,
                       "its accelerators are not joined in equal groups, all with all (accelerator "
                       "0 has links to %d others, %d to %d): no network of equal ranks is like "
                       "that. Is a link down? Else describe it by hand, net0.size=2 with net1=RATE",
                       node_joined(node, 0), node_odd(node), node_joined(node, node_odd(node)));
    if (a->domain == 1 && node->accelerators > 1 && a->tiers.links >= 0 && a->tiers.bus < 0)
        return rk_fail(
            error, RK_BAD_INPUT, args->file, 0, 0,
            "its accelerators have no links of their own, those of %s have: say what they "
            "are with --system (nvidia-smi topo -m shows links, -mp does not)",
            a->base);
    if (a->tiers.links >= 0)
        a->links_Bps = node_links_Bps(node, &a->system.network[a->tiers.links]);
    return RK_OK;
}

static enum rk_status settle_adapters(struct answer *a, struct rk_error *error)
{
    const struct node_args *args = a->args;
    struct units_error problem;
    if (a->tiers.fabric >= 0) a->adapter_Bps = a->system.network[a->tiers.fabric].bandwidth_Bps;
    if (args->adapter && !quantity_parse(args->adapter, strlen(args->adapter), QUANTITY_BYTES_PER_S,
                                         false, &a->adapter_Bps, &problem))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--adapter: %s", problem.text);
    a->network_Bps = node_network_Bps(a->node, args->adapter ? a->adapter_Bps : 0);
    if (!(a->network_Bps > 0)) a->network_Bps = node_network_Bps(a->node, a->adapter_Bps);
    return RK_OK;
}

/* What the line cannot have of the file, or takes from the catalog in its place. */
static void say_notes(const struct answer *a)
{
    const struct node_topology *node = a->node;
    if (is_of_rack(a))
        fprintf(stderr,
                "reckon: %s: the links of %s join %" PRIu64
                " accelerators over several nodes, which one node does not show: net%d.size says "
                "how many\n",
                a->args->file, a->base, a->system.network[a->tiers.links].size, a->tiers.links);
    for (int i = 0; i < node->accelerators; i++)
        if (node_near(node, i) == NODE_SYS && node->adapters > 1) {
            fprintf(stderr,
                    "reckon: %s: accelerator %d is near to none of %d adapters: all count as its, "
                    "--table shows them\n",
                    a->args->file, i, node->adapters);
            break;
        }
    if (!node->joins_said && a->tiers.links >= 0 && node->accelerators > 1)
        fprintf(stderr,
                "reckon: %s does not say which accelerators links join: groups of %d, as %s has "
                "them; net%d.size says another number\n",
                a->args->file, a->domain, a->base, a->tiers.links);
    if (a->tiers.links < 0 && node->joins_said && a->domain > 1)
        fprintf(stderr,
                "reckon: %s: links join its accelerators in groups of %d, %s has none: left out\n",
                a->args->file, a->domain, a->base);
}

static enum rk_status check_arguments(const struct node_args *args, struct rk_error *error)
{
    if (args->table || args->show.format == REPORT_AS_TEXT) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--format is of the table, the line is text: add --table, or leave it out");
}

static int import_node(const struct usage *usage, node_reader *read, int argc, char **argv)
{
    struct node_args args = {.file = NULL};
    struct document document = {.text = NULL};
    static struct node_topology node; /* large */
    struct rk_error error;
    const int done = options_read(usage, argc, argv, &args);
    if (done >= 0) return done;
    struct answer answer = {.args = &args, .node = &node};
    enum rk_status status = check_arguments(&args, &error);
    if (status == RK_OK) status = document_load_text(args.file, &document, &error);
    if (status == RK_OK) status = read(&document, &node, &error);
    if (status == RK_OK) status = settle_links(&answer, &error);
    if (status == RK_OK) status = settle_adapters(&answer, &error);
    if (status == RK_OK) say_notes(&answer);
    int code = RK_OK;
    if (status == RK_OK && args.table)
        code = show_node(&answer);
    else if (status == RK_OK)
        status = write_line(&answer, &error);
    rk_system_release(&answer.system);
    document_release(&document);
    return status == RK_OK ? code : options_fail(&error);
}

int import_hwloc(int argc, char **argv)
{
    return import_node(&import_hwloc_usage, hwloc_read, argc, argv);
}

int import_nvidia_smi(int argc, char **argv)
{
    return import_node(&import_nvidia_smi_usage, nvidia_smi_read, argc, argv);
}
