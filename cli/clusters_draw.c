#include "cli/clusters_draw.h"

#include "base/units.h"
#include "interop/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SQUARE = 14, GAP = 2, PAD = 10, LINE = 16, RACKS_IN_ROW = 4, NODES_IN_RACK = 16 };

struct box {
    uint64_t x, y, width, height;
};

struct drawing {
    FILE *file;
    const struct clusters_plan *plan;
    const struct rk_machine *machine;
    struct box cluster[RK_MAX_CLUSTERS];
    uint64_t width, height;
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

/* Clusters beside each other, room below for what each boundary sends. */
static void place_clusters(struct drawing *d)
{
    uint64_t x = PAD, deepest = 0;
    for (int i = 0; i < d->machine->clusters; i++) {
        const struct rk_cluster *c = &d->machine->cluster[i];
        const uint64_t racks = racks_of(c);
        const uint64_t wide = racks < RACKS_IN_ROW ? racks : RACKS_IN_ROW;
        const uint64_t high = (racks + RACKS_IN_ROW - 1) / RACKS_IN_ROW;
        uint64_t width = wide * (rack_width(c) + PAD) + PAD;
        if (width < 300) width = 300; /* room for its name */
        d->cluster[i] = (struct box){x, PAD, width, high * (rack_height(c) + PAD) + PAD + LINE};
        x += width + 4 * PAD;
        if (d->cluster[i].height > deepest) deepest = d->cluster[i].height;
    }
    d->width = x;
    if (d->width < 900) d->width = 900; /* room for what is sent */
    d->height = deepest + 3 * PAD + (uint64_t)d->plan->stages * LINE + LINE;
}

/* ---- marks ---- */

static void draw_text(const struct drawing *d, uint64_t x, uint64_t y, const char *text)
{
    fprintf(d->file, "<text x=\"%" PRIu64 "\" y=\"%" PRIu64 "\">", x, y);
    for (; *text; text++)
        if (*text == '<' || *text == '&')
            fprintf(d->file, "&#%d;", *text);
        else
            fputc(*text, d->file);
    fprintf(d->file, "</text>\n");
}

static void draw_box(const struct drawing *d, const struct box *box, const char *kind)
{
    fprintf(d->file,
            "<rect class=\"%s\" x=\"%" PRIu64 "\" y=\"%" PRIu64 "\" width=\"%" PRIu64
            "\" height=\"%" PRIu64 "\" rx=\"3\"/>\n",
            kind, box->x, box->y, box->width, box->height);
}

static void draw_cluster(const struct drawing *d, int cluster)
{
    const struct rk_cluster *c = &d->machine->cluster[cluster];
    char text[160];
    draw_box(d, &d->cluster[cluster], "cluster");
    snprintf(text, sizeof text, "%s: %.100s", c->name, c->system.id);
    draw_text(d, d->cluster[cluster].x + PAD, d->cluster[cluster].y + LINE, text);
    for (uint64_t rack = 0; rack < racks_of(c); rack++) {
        const struct box box = rack_at(d, cluster, rack);
        draw_box(d, &box, "rack");
    }
    for (uint64_t node = 0; node < rk_cluster_nodes(c); node++) {
        struct box box = device_at(d, cluster, node, 0);
        box = (struct box){box.x - GAP, box.y - GAP, node_width(c), SQUARE + 2 * GAP};
        draw_box(d, &box, "node");
    }
}

/* Stages have hues a golden angle apart; replicas that follow each other other shades. */
static void draw_rank(const struct drawing *d, uint64_t rank)
{
    const struct rank_place at = clusters_place(d->plan, d->machine, rank);
    const struct clusters_stage *s = &d->plan->stage[at.stage];
    const uint64_t local = rank - clusters_first_rank(d->plan, at.stage);
    const uint64_t tensor = local % s->tensor, context = local / s->tensor % s->context;
    const uint64_t data = local / s->tensor / s->context;
    const struct box box = device_at(d, at.cluster, at.node, at.device);
    fprintf(d->file,
            "<rect x=\"%" PRIu64 "\" y=\"%" PRIu64
            "\" width=\"%d\" height=\"%d\" fill=\"hsl(%d,60%%,%d%%)\">"
            "<title>rank %" PRIu64 ": stage %d, data %" PRIu64 ", context %" PRIu64
            ", tensor %" PRIu64 "; %s-%" PRIu64 " device %" PRIu64 "</title></rect>\n",
            box.x, box.y, SQUARE, SQUARE, 137 * at.stage % 360, data % 2 ? 72 : 58, rank, at.stage,
            data, context, tensor, d->machine->cluster[at.cluster].name, at.node, at.device);
    if (s->tensor == 1 || tensor) return;
    const struct box frame = {box.x - 1, box.y - 1, s->tensor * (SQUARE + GAP) - GAP + 2,
                              SQUARE + 2};
    draw_box(d, &frame, "tensor");
}

/* ---- what is sent ---- */

static void draw_traffic(const struct drawing *d, uint64_t y)
{
    char text[320], sent[QUANTITY_TEXT], gradients[QUANTITY_TEXT];
    for (int i = 0; i < d->plan->stages; i++, y += LINE) {
        const struct clusters_stage *s = &d->plan->stage[i];
        fprintf(d->file,
                "<rect x=\"%d\" y=\"%" PRIu64
                "\" width=\"10\" height=\"10\" fill=\"hsl(%d,60%%,58%%)\"/>\n",
                PAD, y - 9, 137 * i % 360);
        quantity_format(gradients, QUANTITY_BYTES, s->gradient_bytes);
        int used = snprintf(text, sizeof text,
                            "stage %d on %s: %" PRIu64 " layers, tp%" PRIu64 " cp%" PRIu64
                            " dp%" PRIu64 ", gradients %s a GPU",
                            i, d->machine->cluster[s->cluster].name, s->layers, s->tensor,
                            s->context, s->data, gradients);
        double messages;
        const int behind = clusters_behind(d->plan, i, &messages);
        quantity_format(sent, QUANTITY_BYTES, clusters_sent_bytes(d->plan, i));
        if (messages > 0)
            snprintf(text + used, sizeof text - (size_t)used,
                     "; to stage %d %s a step each way, over %s", behind, sent,
                     d->plan->stage[behind].cluster == s->cluster ? "the cluster's network"
                                                                 : "the link");
        draw_text(d, PAD + 16, y, text);
    }
}

/* A line from the stage's last device to the next one's first. */
static void draw_links(const struct drawing *d)
{
    char sent[QUANTITY_TEXT];
    for (int i = 0; i + 1 < d->plan->stages; i++) {
        quantity_format(sent, QUANTITY_BYTES, clusters_sent_bytes(d->plan, i));
        const bool link = d->plan->stage[i].cluster != d->plan->stage[i + 1].cluster;
        const uint64_t next = clusters_first_rank(d->plan, i + 1);
        const struct rank_place a = clusters_place(d->plan, d->machine, next - 1),
                                b = clusters_place(d->plan, d->machine, next);
        const struct box from = device_at(d, a.cluster, a.node, a.device),
                         to = device_at(d, b.cluster, b.node, b.device);
        fprintf(d->file,
                "<line class=\"%s\" x1=\"%" PRIu64 "\" y1=\"%" PRIu64 "\" x2=\"%" PRIu64
                "\" y2=\"%" PRIu64 "\"/>\n",
                link ? "link" : "message", from.x + SQUARE / 2, from.y + SQUARE / 2,
                to.x + SQUARE / 2, to.y + SQUARE / 2);
        if (link) draw_text(d, (from.x + to.x) / 2 + SQUARE, (from.y + to.y) / 2, sent);
    }
}

static const char style[] =
    "<style>.map text{font:12px sans-serif;fill:#333}.map rect.cluster{fill:#f6f6f4;stroke:#888}"
    ".map rect.rack{fill:#fff;stroke:#bbb}.map rect.node{fill:#eee;stroke:none}"
    ".map rect.tensor{fill:none;stroke:#333;stroke-width:1}.map "
    "line.link{stroke:#c00;stroke-width:3}"
    ".map line.message{stroke:#333;stroke-width:1;stroke-dasharray:3 2}</style>\n";

static uint64_t devices_of(const struct rk_machine *machine)
{
    uint64_t devices = 0;
    for (int i = 0; i < machine->clusters; i++)
        devices += machine->cluster[i].system.devices;
    return devices;
}

static void draw(FILE *file, const struct clusters_plan *plan, const struct rk_machine *machine)
{
    struct drawing d = {.file = file, .plan = plan, .machine = machine};
    place_clusters(&d);
    fprintf(d.file,
            "<svg class=\"map\" style=\"background:#fff\" xmlns=\"http://www.w3.org/2000/svg\" "
            "width=\"%" PRIu64 "\" height=\"%" PRIu64 "\" viewBox=\"0 0 %" PRIu64 " %" PRIu64
            "\">\n%s",
            d.width, d.height, d.width, d.height, style);
    for (int i = 0; i < machine->clusters; i++)
        draw_cluster(&d, i);
    for (uint64_t rank = 0; rank < clusters_ranks(plan); rank++)
        draw_rank(&d, rank);
    draw_links(&d);
    draw_traffic(&d, d.height - (uint64_t)plan->stages * LINE);
    fprintf(d.file, "</svg>\n");
}

enum rk_status clusters_draw(const char *path, const struct clusters_plan *plan,
                             const struct rk_machine *machine, struct rk_error *error)
{
    struct output output;
    if (devices_of(machine) > DRAW_MOST_DEVICES)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--draw: %" PRIu64 " devices, at most %d can be drawn", devices_of(machine),
                       DRAW_MOST_DEVICES);
    const enum rk_status status = output_open(&output, path, error);
    if (status != RK_OK) return status;
    draw(output.file, plan, machine);
    return output_commit(&output, error);
}

const char *clusters_drawn(struct report *memory, const struct clusters_plan *plan,
                           const struct rk_machine *machine)
{
    char *text = NULL, *kept = NULL;
    size_t size = 0;
    FILE *file = devices_of(machine) <= DRAW_MOST_DEVICES ? open_memstream(&text, &size) : NULL;
    if (!file) return NULL;
    draw(file, plan, machine);
    if (fclose(file) == 0) kept = report_alloc(memory, size + 1);
    if (kept) memcpy(kept, text, size + 1);
    free(text);
    return kept;
}
