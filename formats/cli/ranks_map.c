#include "cli/ranks_map.h"

#include "base/units.h"
#include "cli/pages.h"

#include <inttypes.h>

enum { SQUARE = 16, GAP = 2, PAD = 10, LINE = 18, RACKS_IN_ROW = 4, NODES_IN_RACK = 16 };
enum { SINGLE = 2048 }; /* of more devices, tensor groups are drawn, not each */

struct box {
    uint64_t x, y, width, height;
};

struct drawing {
    struct html_page *page;
    struct report_table *table;
    const struct clusters_plan *plan;
    const struct rk_machine *machine;
    struct box cluster[RK_MAX_CLUSTERS];
    bool together;
};

/* ---- where things are ---- */

/* Nodes below one leaf; a column of nodes where there are no leaves. */
static uint64_t rack_nodes(const struct rk_cluster *c)
{
    const uint64_t node = rk_cluster_node(c), nodes = rk_cluster_nodes(c);
    uint64_t rack = NODES_IN_RACK;
    if (c->system.networks > 2 && c->system.network[1].size < c->system.devices)
        rack = c->system.network[1].size / node;
    return rack < 1 ? 1 : rack < nodes ? rack : nodes;
}

static uint64_t node_width(const struct rk_cluster *c)
{
    return rk_cluster_node(c) * (SQUARE + GAP) + GAP;
}

static uint64_t rack_width(const struct rk_cluster *c)
{
    return node_width(c) + 2 * PAD;
}

static uint64_t rack_height(const struct rk_cluster *c)
{
    return rack_nodes(c) * (SQUARE + 3 * GAP) + 2 * PAD;
}

static uint64_t racks_of(const struct rk_cluster *c)
{
    return (rk_cluster_nodes(c) + rack_nodes(c) - 1) / rack_nodes(c);
}

static struct box rack_at(const struct drawing *d, int cluster, uint64_t rack)
{
    const struct rk_cluster *c = &d->machine->cluster[cluster];
    const struct box *all = &d->cluster[cluster];
    return (struct box){all->x + PAD + rack % RACKS_IN_ROW * (rack_width(c) + PAD),
                        all->y + PAD + LINE + rack / RACKS_IN_ROW * (rack_height(c) + PAD),
                        rack_width(c), rack_height(c)};
}

static struct box device_at(const struct drawing *d, int cluster, uint64_t node, uint64_t device)
{
    const uint64_t rack = rack_nodes(&d->machine->cluster[cluster]);
    const struct box at = rack_at(d, cluster, node / rack);
    return (struct box){at.x + PAD + GAP + device * (SQUARE + GAP),
                        at.y + PAD + GAP + node % rack * (SQUARE + 3 * GAP), SQUARE, SQUARE};
}

/* Clusters side by side. */
static void place_clusters(struct drawing *d)
{
    uint64_t x = 0;
    for (int i = 0; i < d->machine->clusters; i++) {
        const struct rk_cluster *c = &d->machine->cluster[i];
        const uint64_t racks = racks_of(c);
        const uint64_t wide = racks < RACKS_IN_ROW ? racks : RACKS_IN_ROW;
        const uint64_t high = (racks + RACKS_IN_ROW - 1) / RACKS_IN_ROW;
        uint64_t width = wide * (rack_width(c) + PAD) + PAD;
        if (width < 180) width = 180; /* room for its name */
        d->cluster[i] = (struct box){x, 0, width, high * (rack_height(c) + PAD) + PAD + LINE};
        x += width + 4 * PAD;
    }
}

/* ---- marks ---- */

static const struct report_column columns[] = {
    {.name = "kind"},
    {.name = "what"},
    {.name = "where"},
    {.name = "label", .title = "replica"},
    {.name = "sent_bytes", .title = "per step, each way", .unit = "B"},
    {.name = "left", .title = "left"},
    {.name = "right"},
    {.name = "top"},
    {.name = "bottom"},
};

static void add(const struct drawing *d, const char *kind, const char *what, const char *where,
                const char *label, double sent, const struct box *b)
{
    REPORT_ROW(&d->page->memory, d->table, cell_text(kind), cell_text(what), cell_text(where),
               cell_text(label), sent > 0 ? cell_number(sent) : cell_none(),
               cell_number((double)b->x), cell_number((double)b->x + (double)b->width),
               cell_number((double)b->y), cell_number((double)b->y + (double)b->height));
}

static void add_cluster(const struct drawing *d, int cluster)
{
    struct report *memory = &d->page->memory;
    const struct rk_cluster *c = &d->machine->cluster[cluster];
    const char *name = report_text(memory, "%s: %s", c->name, c->system.id);
    add(d, "cluster", name, "", name, 0, &d->cluster[cluster]);
    for (uint64_t rack = 0; rack < racks_of(c); rack++) {
        const struct box box = rack_at(d, cluster, rack);
        add(d, "rack", report_text(memory, "rack %" PRIu64, rack), c->name, "", 0, &box);
    }
    for (uint64_t node = 0; node < rk_cluster_nodes(c); node++) {
        struct box box = device_at(d, cluster, node, 0);
        box = (struct box){box.x - GAP, box.y - GAP, node_width(c), SQUARE + 2 * GAP};
        add(d, "node", report_text(memory, "%s-%" PRIu64, c->name, node), c->name, "", 0, &box);
    }
}

static const char *stage_name(const struct drawing *d, int stage)
{
    return report_text(&d->page->memory, "stage %d", stage);
}

static void add_rank(const struct drawing *d, uint64_t rank)
{
    struct report *memory = &d->page->memory;
    const struct rank_place at = clusters_place(d->plan, d->machine, rank);
    const struct clusters_stage *s = &d->plan->stage[at.stage];
    const uint64_t local = rank - clusters_first_rank(d->plan, at.stage);
    const uint64_t tensor = local % s->tensor, context = local / s->tensor % s->context;
    const uint64_t data = local / s->tensor / s->context;
    const char *where = report_text(memory, "%s-%" PRIu64 " device %" PRIu64,
                                    d->machine->cluster[at.cluster].name, at.node, at.device);
    const char *label = report_text(memory, "%" PRIu64, data);
    struct box box = device_at(d, at.cluster, at.node, at.device);
    const struct box group = {box.x, box.y, s->tensor * (SQUARE + GAP) - GAP, SQUARE};
    const char *what = report_text(
        memory, "rank %" PRIu64 ": data %" PRIu64 ", context %" PRIu64 ", tensor %" PRIu64, rank,
        data, context, tensor);
    if (!d->together)
        add(d, stage_name(d, at.stage), what, where, label, 0, &box);
    else if (!tensor)
        add(d, stage_name(d, at.stage), what, where, label, 0, &group);
    if (s->tensor == 1 || tensor || d->together) return;
    const struct box frame = {box.x - 1, box.y - 1, group.width + 2, SQUARE + 2};
    add(d, "tensor group", what, where, "", 0, &frame);
}

/* From the stage's last device to the next one's first. */
static void add_links(const struct drawing *d)
{
    struct report *memory = &d->page->memory;
    for (int i = 0; i + 1 < d->plan->stages; i++) {
        char sent[QUANTITY_TEXT];
        const double bytes = clusters_sent_bytes(d->plan, i);
        const bool link = d->plan->stage[i].cluster != d->plan->stage[i + 1].cluster;
        const uint64_t next = clusters_first_rank(d->plan, i + 1);
        const struct rank_place a = clusters_place(d->plan, d->machine, next - 1),
                                b = clusters_place(d->plan, d->machine, next);
        const struct box from = device_at(d, a.cluster, a.node, a.device),
                         to = device_at(d, b.cluster, b.node, b.device);
        quantity_format(sent, QUANTITY_BYTES, bytes);
        REPORT_ROW(
            memory, d->table, cell_text(link ? "over the link" : "within a cluster"),
            cell_text(report_text(memory, "stage %d to %d", i, i + 1)), cell_text(""),
            cell_text(link ? report_text(memory, "%s", sent) : ""), cell_number(bytes),
            cell_number((double)from.x + SQUARE / 2.0), cell_number((double)to.x + SQUARE / 2.0),
            cell_number((double)from.y + SQUARE / 2.0), cell_number((double)to.y + SQUARE / 2.0));
    }
}

static uint64_t devices_of(const struct rk_machine *machine)
{
    uint64_t devices = 0;
    for (int i = 0; i < machine->clusters; i++)
        devices += machine->cluster[i].system.devices;
    return devices;
}

/* Frames and links are no series of the ranks: they have marks of their own. */
static const struct chart_series marks[] = {
    {"cluster", CHART_GREY, CHART_FRAME},     {"rack", CHART_GREY, CHART_FRAME},
    {"node", CHART_GREY, CHART_FRAME},        {"tensor group", CHART_GREY, CHART_FRAME},
    {"over the link", CHART_RED, CHART_LINE}, {"within a cluster", CHART_DARK_GREY, CHART_LINE},
};
enum { MARKS = sizeof marks / sizeof *marks };

void clusters_map(struct html_page *page, const struct clusters_plan *plan,
                  const struct rk_machine *machine)
{
    const uint64_t devices = devices_of(machine);
    struct drawing d = {.page = page, .plan = plan, .machine = machine};
    if (devices > MAP_MOST_DEVICES) return;
    d.together = devices > SINGLE;
    d.table = page_table(page, columns, sizeof columns / sizeof *columns);
    place_clusters(&d);
    for (int i = 0; i < machine->clusters; i++)
        add_cluster(&d, i);
    for (uint64_t rank = 0; rank < clusters_ranks(plan); rank++)
        add_rank(&d, rank);
    add_links(&d);
    page_chart(page,
               &(struct chart){
                   .id = "map",
                   .title = "Placement of the ranks",
                   .kind = CHART_BOXES,
                   .plain = true,
                   .caption =
                       "Devices in nodes, racks and clusters, colored by stage; the numbers are "
                       "those of replicas, frames tensor groups, lines what a step sends to the "
                       "next stage.",
                   .table = d.table,
                   .role = {[CHART_X] = "left",
                            [CHART_X_END] = "right",
                            [CHART_Y] = "top",
                            [CHART_Y_END] = "bottom",
                            [CHART_SERIES] = "kind",
                            [CHART_LABEL] = "label"},
                   .series = marks,
                   .series_count = MARKS});
}

enum rk_status clusters_draw(const char *path, const struct clusters_plan *plan,
                             const struct rk_machine *machine, struct rk_error *error)
{
    struct html_page page = {.title = "Placement of the ranks"};
    if (devices_of(machine) > MAP_MOST_DEVICES)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--draw: %" PRIu64 " devices, at most %d can be drawn", devices_of(machine),
                       MAP_MOST_DEVICES);
    enum rk_status status = page_draws(path, error);
    if (status != RK_OK) return status;
    html_add(&page,
             &(struct html_block){
                 HTML_VERDICT,
                 .title = report_text(
                     &page.memory, "%" PRIu64 " ranks are on %" PRIu64 " devices of %d clusters.",
                     clusters_ranks(plan), devices_of(machine), machine->clusters)});
    clusters_map(&page, plan, machine);
    status = page_write(&page, path, NULL, NULL, PAGE_HTML, error);
    html_release(&page);
    return status;
}
