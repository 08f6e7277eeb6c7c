#include "cli/import_slurm.h"

#include "machine/node_tiers.h"
#include "machines/node.h"
#include "machines/slurm.h"
#include "text/output.h"

#include <inttypes.h>
#include <reckon/machine.h>

struct slurm_args {
    const char *file, *system, *link, *output;
    uint64_t gpus, over;
};

/* clang-format off */
#define AT(member) .offset = offsetof(struct slurm_args, member)
static const struct operand slurm_operands[] = {
    {.name = "FILE", AT(file), .complete = "file"},
    {.name = NULL},
};
static const struct option slurm_options[] = {
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "SYSTEM", AT(system), .complete = "systems"},
    {.name = "gpus-per-node", .type = OPTION_NUMBER, AT(gpus), .min = 1, .max = 4096},
    {.name = "over", .type = OPTION_NUMBER, .argument = "RATIO", AT(over), .min = 1, .max = 1024},
    {.name = "link", .type = OPTION_TEXT, .argument = "RATE@LATENCY", AT(link)},
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};

const struct usage import_slurm_usage = {
#include "help/import-slurm.h"
    .operands = slurm_operands,
    .groups = {{"Machine", slurm_options, 0}, {"General", options_help_rows, 0}},
};
/* clang-format on */

/* " net0.size=4" where the system's node is another one. Links that join the nodes of a rack join
 * those of the smallest block at most. */
static void write_node(const struct slurm_args *args, const struct slurm_topology *topology,
                       const struct rk_system *system, char *text, size_t size)
{
    const struct node_tiers tiers = node_tiers_of(system);
    const uint64_t links = tiers.links >= 0 ? system->network[tiers.links].size : 0;
    const bool rack = links > NODE_LARGEST;
    uint64_t most = args->gpus;
    if (rack) most = topology->blocks ? topology->network[0].leaf_nodes * args->gpus : links;
    size_t used = 0;
    *text = '\0';
    if (tiers.links >= 0 && (links > most || (links != most && !rack && tiers.bus < 0)))
        used = (size_t)snprintf(text, size, " net%d.size=%" PRIu64, tiers.links, most);
    if (tiers.bus >= 0 && system->network[tiers.bus].size != args->gpus)
        snprintf(text + used, size - used, " net%d.size=%" PRIu64, tiers.bus, args->gpus);
}

/* A leaf joins more than links do, or there is nothing to oversubscribe. */
static enum rk_status check_leaves(const struct slurm_args *args,
                                   const struct slurm_topology *topology,
                                   const struct rk_system *system, struct rk_error *error)
{
    const struct node_tiers tiers = node_tiers_of(system);
    const uint64_t links = tiers.links >= 0 ? system->network[tiers.links].size : 0;
    for (int i = 0; args->over > 1 && links > NODE_LARGEST && i < topology->networks; i++) {
        const uint64_t leaf = topology->network[i].leaf_nodes * args->gpus;
        if (topology->network[i].leaves > 1 && leaf <= links)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "--over: a leaf of %s joins %" PRIu64
                           " accelerators, which the links of %s join already: leave it out",
                           topology->network[i].name, leaf, args->system);
    }
    return RK_OK;
}

/* How many nodes there are, in which clusters, is the topology's to say. */
static enum rk_status check_system(const struct slurm_args *args, const struct rk_machine *machine,
                                   struct rk_error *error)
{
    const uint64_t devices = machine->cluster[0].system.devices;
    if (machine->clusters > 1)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--system: this is a machine of %d clusters; give what the nodes are, one "
                       "system such as h100-sxm5-80g: %s says which clusters there are",
                       machine->clusters, args->file);
    if (devices)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--system: \"%s\" has %" PRIu64
                       " accelerators, and %s says how many there are: leave the number out",
                       args->system, devices, args->file);
    return RK_OK;
}

/* Accelerators of a node where --gpus-per-node does not say. */
static enum rk_status settle_node(struct slurm_args *args, const struct rk_system *system,
                                  struct rk_error *error)
{
    if (!args->gpus) args->gpus = node_size_of(system);
    if (args->gpus) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "the links of %s join %" PRIu64
                   " accelerators of several nodes: say how many a node has, --gpus-per-node 4",
                   args->system, system->network[0].size);
}

/* The line, in `text`; false: it does not fit. */
static bool write_text(const struct slurm_args *args, const struct slurm_topology *topology,
                       const char *node, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < topology->networks && used < size; i++) {
        const struct slurm_network *network = &topology->network[i];
        char leaves[64] = "", name[48] = "";
        if (args->over > 1 && network->leaves > 1)
            snprintf(leaves, sizeof leaves, " leaf=%" PRIu64 ",over=%" PRIu64,
                     network->leaf_nodes * args->gpus, args->over);
        if (topology->networks > 1) snprintf(name, sizeof name, " name=%.31s", network->name);
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s x%" PRIu64 "%s%s%s", i ? " + " : "",
                             args->system, network->nodes * args->gpus, node, leaves, name);
    }
    if (topology->networks > 1 && used < size)
        used += (size_t)snprintf(text + used, size - used, " link=%s", args->link);
    return used < size;
}

/* Only a line that reckon takes is printed. */
static enum rk_status write_line(struct slurm_args *args, const struct slurm_topology *topology,
                                 struct rk_error *error)
{
    char text[4096], node[64];
    struct output output;
    struct rk_machine machine;
    enum rk_status status = rk_machine_load(args->system, &machine, error);
    if (status != RK_OK) return status;
    status = check_system(args, &machine, error);
    if (status == RK_OK) status = settle_node(args, &machine.cluster[0].system, error);
    if (status == RK_OK) status = check_leaves(args, topology, &machine.cluster[0].system, error);
    if (status == RK_OK) write_node(args, topology, &machine.cluster[0].system, node, sizeof node);
    rk_machine_release(&machine);
    if (status != RK_OK) return status;
    if (!write_text(args, topology, node, text, sizeof text))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--system: the line would be too long");
    status = rk_machine_load(text, &machine, error);
    if (status != RK_OK) return status;
    rk_machine_release(&machine);
    status = output_open(&output, args->output ? args->output : "-", error);
    if (status != RK_OK) return status;
    fprintf(output.file, "%s\n", text);
    return output_commit(&output, error);
}

static enum rk_status check(const struct slurm_args *args, const struct slurm_topology *topology,
                            struct rk_error *error)
{
    if (topology->networks > RK_MAX_CLUSTERS)
        return rk_fail(error, RK_BAD_INPUT, args->file, 0, 0,
                       "%d networks that no switch joins: a machine has at most %d clusters",
                       topology->networks, RK_MAX_CLUSTERS);
    if (topology->networks == 1 && args->link)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--link: the switches of %s join all nodes, leave it out", args->file);
    if (topology->networks > 1 && !args->link)
        return rk_fail(
            error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "%s has %d networks that no switch joins, %s and %s%s: say what does, --link "
            "100Gb/s@50us",
            args->file, topology->networks, topology->network[0].name, topology->network[1].name,
            topology->networks > 2 ? ", ..." : "");
    return RK_OK;
}

int import_slurm(int argc, char **argv)
{
    struct slurm_args args = {.system = "h100-sxm5-80g", .over = 1};
    struct document document = {.text = NULL};
    struct slurm_topology topology = {.networks = 0};
    struct rk_error error;
    const int done = options_read(&import_slurm_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = document_load_text(args.file, &document, &error);
    if (status == RK_OK) status = slurm_topology_read(&document, &topology, &error);
    if (status == RK_OK) status = check(&args, &topology, &error);
    if (status == RK_OK) status = write_line(&args, &topology, &error);
    slurm_topology_release(&topology);
    document_release(&document);
    return status == RK_OK ? RK_OK : options_fail(&error);
}
