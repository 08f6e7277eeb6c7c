#include "cli/describe.h"
#include "base/number.h"
#include "catalog/model_fields.h"

#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- models ---- */

/* The word that model files have for a choice. */
static const char *choice_of(const struct rk_model *model, const char *key)
{
    const struct field *field = model_fields;
    while (strcmp(field->key, key) != 0)
        field++;
    return field->choices[model_field_value(model, field)];
}

/* As the field calls it. */
static const char *attention_of(const struct rk_model *model)
{
    if (model->kv_rank) return "latent";
    if (model->attention == RK_ATTENTION_MULTIQUERY || model->kv_heads == 1) return "multiquery";
    return model->kv_heads && model->kv_heads < model->heads ? "grouped-query" : "multihead";
}

/* clang-format off */
static const struct report_column model_columns[] = {
    {.name = "id"},
    {.name = "parameters", .unit = "n", .digits = 2, .help = "trainable parameters"},
    {.name = "layers", REPORT_OF(struct rk_model, layers),                  .help = "transformer blocks"},
    {.name = "hidden", REPORT_OF(struct rk_model, hidden),                  .help = "width of the residual stream"},
    {.name = "feedforward", REPORT_OF(struct rk_model, feedforward),             .help = "width inside the MLP"},
    {.name = "heads", REPORT_OF(struct rk_model, heads),                   .help = "attention heads"},
    {.name = "head_dim", REPORT_OF(struct rk_model, head_dim),                .help = "width of one head"},
    {.name = "sequence", REPORT_OF(struct rk_model, sequence),                .help = "tokens of one sample", .of_1024 = true},
    {.name = "vocabulary",              .help = "entries of the embedding table"},
    {.name = "attention",               .help = "which heads share keys and values"},
    {.name = "position",                .help = "how positions are told apart"},
    {.name = "tied_embeddings", REPORT_OF(struct rk_model, tied_embeddings),         .help = "the head shares the embedding's weights"},
    {.name = "biases", REPORT_OF(struct rk_model, biases),                  .help = "linear layers have biases"},
    {.name = "embedding_norm", REPORT_OF(struct rk_model, embedding_norm),          .help = "a LayerNorm after the embedding"},
};
/* clang-format on */

void describe_model(struct report *report, const struct rk_model *model, unsigned formats)
{
    const struct report_cell made[] = {
        cell_text(report_text(report, "%s", model->id)), cell_count(rk_model_parameters(model)),
        model->vocabulary ? cell_count(model->vocabulary) : cell_none(),
        cell_text(attention_of(model)), cell_text(choice_of(model, "position"))};
    report_item(report, REPORT_ONE(report, "model", "Model", formats, model_columns), model, made);
}

/* ---- systems ---- */

/* clang-format off */
static const struct report_column system_columns[] = {
    {.name = "id"},
    {.name = "devices",    .help = "accelerators there are; none given: as many as a plan asks for"},
    {.name = "processing", .help = "an operation takes its FLOP time and its memory time, or the longer"},
};
static const struct report_column engine_columns[] = {
    {.name = "datatype"},
    {.name = "matrix_FLOPps",     .title = "matrix peak", .unit = "FLOP/s", .digits = 2, .own_scale = true},
    {.name = "matrix_efficiency", .title = "achieved",    .unit = "%",      .digits = 1},
    {.name = "vector_FLOPps",     .title = "vector peak", .unit = "FLOP/s", .digits = 2, .own_scale = true},
    {.name = "vector_efficiency", .title = "achieved",    .unit = "%",      .digits = 1},
};
static const struct report_column memory_columns[] = {
    {.name = "tier"},
    {.name = "name"},
    {.name = "capacity_bytes", REPORT_OF(struct rk_memory, capacity_bytes), .title = "capacity",  .unit = "B",   .digits = 1, .own_scale = true},
    {.name = "bandwidth_Bps",  REPORT_OF(struct rk_memory, bandwidth_Bps), .title = "bandwidth", .unit = "B/s", .digits = 2, .own_scale = true},
    {.name = "efficiency",     .title = "achieved",  .unit = "%",   .digits = 1},
};
static const struct report_column network_columns[] = {
    {.name = "tier"},
    {.name = "name"},
    {.name = "size", REPORT_OF(struct rk_network, size)},
    {.name = "bandwidth_Bps",   REPORT_OF(struct rk_network, bandwidth_Bps), .title = "bandwidth",       .unit = "B/s", .digits = 1, .own_scale = true},
    {.name = "efficiency",      REPORT_OF(struct rk_network, efficiency), .title = "achieved",        .unit = "%",   .digits = 1},
    {.name = "latency_s",       REPORT_OF(struct rk_network, latency_s), .title = "latency",         .unit = "s",   .digits = 2, .own_scale = true},
    {.name = "must_be_filled", REPORT_OF(struct rk_network, must_be_filled)},
    {.name = "processor_usage", REPORT_OF(struct rk_network, processor_usage), .title = "costs of engine", .unit = "%",   .digits = 1},
    {.name = "reduce_scatter"},
    {.name = "all_gather"},
    {.name = "all_reduce"},
    {.name = "point_to_point"},
};
static const struct report_column curve_columns[] = {
    {.name = "of"},
    {.name = "achieved", .title = "achieved, by the size of the work"},
};
/* clang-format on */

static struct report_table *add_rows(struct report *report, const struct report_table *parent,
                                     const char *name, const char *title, unsigned formats,
                                     const struct report_column *columns, int count)
{
    return report_add(report, &(struct report_table){.name = name,
                                                     .title = title,
                                                     .formats = formats,
                                                     .parent = parent,
                                                     .columns = columns,
                                                     .column_count = count});
}

/* What the largest work achieves. */
static struct report_cell best_efficiency(const struct rk_curve *curve)
{
    return curve->steps ? cell_number(curve->step[0].efficiency) : cell_none();
}

static struct report_cell peak_cell(const struct rk_engine *engine)
{
    return engine->curve.steps ? cell_number(engine->peak_flops) : cell_none();
}

static void add_engines(struct report *report, const struct rk_system *system,
                        const struct report_table *parent, unsigned formats)
{
    struct report_table *table = add_rows(report, parent, "engines", "Engines, best case", formats,
                                          engine_columns, COUNT_OF(engine_columns));
    for (int i = 0; i < RK_DATATYPES; i++) {
        const struct rk_engine *matrix = &system->matrix[i], *vector = &system->vector[i];
        if (matrix->curve.steps || vector->curve.steps)
            REPORT_ROW(report, table, cell_text(rk_datatype_name((enum rk_datatype)i)),
                       peak_cell(matrix), best_efficiency(&matrix->curve), peak_cell(vector),
                       best_efficiency(&vector->curve));
    }
}

/* "8 accelerators share 2 TiB" */
static const char *shared_text(struct report *report, uint64_t shared_by, enum quantity quantity,
                               double part)
{
    char text[QUANTITY_TEXT];
    if (shared_by < 2) return NULL;
    return report_text(report, "%" PRIu64 " accelerators share %s", shared_by,
                       quantity_format(text, quantity, part * (double)shared_by));
}

/* What a part is a part of. */
static void say_shared(struct report *report, const struct rk_system *system)
{
    for (int i = 1; i < system->memories; i++) {
        const struct rk_memory *m = &system->memory[i];
        const char *held =
            shared_text(report, m->capacity_shared_by, QUANTITY_BYTES, m->capacity_bytes);
        const char *used =
            shared_text(report, m->bandwidth_shared_by, QUANTITY_BYTES_PER_S, m->bandwidth_Bps);
        if (held || used)
            report_paragraph(report,
                             report_text(report, "%s: %s%s%s; the table has the part of each",
                                         memory_name(report, system, i), held ? held : "",
                                         held && used ? ", " : "", used ? used : ""));
    }
}

static void add_memories(struct report *report, const struct rk_system *system,
                         const struct report_table *parent, unsigned formats)
{
    struct report_table *table = add_rows(report, parent, "memories", "Memory of a device", formats,
                                          memory_columns, COUNT_OF(memory_columns));
    for (int i = 0; i < system->memories; i++) {
        const struct rk_memory *memory = &system->memory[i];
        const struct report_cell made[] = {cell_count((uint64_t)i),
                                           cell_text(report_text(report, "%s", memory->name)),
                                           best_efficiency(&memory->curve)};
        report_item(report, table, memory, made);
    }
    if (formats & REPORT_IN_TEXT) say_shared(report, system);
}

/* "2 - 2/p" */
static struct report_cell volume_cell(struct report *report, const struct rk_network *network,
                                      enum rk_collective op)
{
    const double scale = network->collective[op].scale;
    const double offset = scale * network->collective[op].offset;
    if (offset == 0) return cell_text(report_text(report, "%g", scale));
    return cell_text(
        report_text(report, "%g %c %g/p", scale, offset < 0 ? '-' : '+', fabs(offset)));
}

static void add_networks(struct report *report, const struct rk_system *system,
                         const struct report_table *parent, unsigned formats)
{
    struct report_table *table =
        add_rows(report, parent, "networks",
                 "Networks, per device; what each of p ranks moves of n bytes, over n", formats,
                 network_columns, COUNT_OF(network_columns));
    for (int i = 0; i < system->networks; i++) {
        const struct rk_network *network = &system->network[i];
        const struct report_cell made[] = {
            cell_count((uint64_t)i),
            cell_text(report_text(report, "%s", network->name)),
            volume_cell(report, network, RK_REDUCE_SCATTER),
            volume_cell(report, network, RK_ALL_GATHER),
            volume_cell(report, network, RK_ALL_REDUCE),
            volume_cell(report, network, RK_POINT_TO_POINT),
        };
        report_item(report, table, network, made);
    }
}

/* "0.95 from 128 GFLOP, 0.9 from 16 GFLOP, 0.1 below" */
static void add_curve(struct report *report, struct report_table *table, const char *of,
                      const struct rk_curve *curve, enum quantity quantity)
{
    char text[1024] = "", from[QUANTITY_TEXT];
    size_t used = 0;
    for (int i = 0; i < curve->steps && used < sizeof text; i++) {
        const bool last = i == curve->steps - 1;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%g%s%s", i ? ", " : "",
                                 curve->step[i].efficiency,
                                 last ? (i ? " below" : " always") : " from ",
                                 last ? "" : quantity_format(from, quantity, curve->step[i].from));
    }
    if (curve->steps)
        REPORT_ROW(report, table, cell_text(of), cell_text(report_text(report, "%s", text)));
}

static void add_curves(struct report *report, const struct rk_system *system,
                       const struct report_table *parent, unsigned formats)
{
    struct report_table *table = add_rows(report, parent, "efficiencies", "Efficiencies", formats,
                                          curve_columns, COUNT_OF(curve_columns));
    for (int i = 0; i < RK_DATATYPES; i++) {
        const char *datatype = rk_datatype_name((enum rk_datatype)i);
        add_curve(report, table, report_text(report, "matrix %s", datatype),
                  &system->matrix[i].curve, QUANTITY_FLOP);
        add_curve(report, table, report_text(report, "vector %s", datatype),
                  &system->vector[i].curve, QUANTITY_FLOP);
    }
    for (int i = 0; i < system->memories; i++)
        add_curve(report, table, report_text(report, "memory %d", i), &system->memory[i].curve,
                  QUANTITY_BYTES);
}

/* Of a machine of several clusters. */
static void add_clusters(struct report *report, const struct rk_machine *machine, unsigned formats)
{
    static const struct report_column columns[] = {
        {.name = "cluster"},
        {.name = "system"},
        {.name = "gpus", .title = "GPUs"},
        {.name = "price", .title = "USD per hour", .digits = 4}};
    static const struct report_column link_columns[] = {
        {.name = "from"},
        {.name = "to"},
        {.name = "bandwidth_Bps", .title = "bandwidth", .unit = "B/s", .digits = 3},
        {.name = "latency_s", .title = "latency", .unit = "s", .digits = 3}};
    struct report_table *table = REPORT_LIST(report, "clusters", "Clusters", formats, columns);
    for (int i = 0; i < machine->clusters; i++) {
        const struct rk_cluster *c = &machine->cluster[i];
        REPORT_ROW(report, table, cell_text(report_text(report, "%s", c->name)),
                   cell_text(report_text(report, "%s", c->system.id)),
                   cell_count(c->system.devices),
                   c->price_USDph > 0 ? cell_number(c->price_USDph) : cell_none());
    }
    table = REPORT_LIST(report, "links", "Links", formats, link_columns);
    for (int a = 0; a < machine->clusters; a++)
        for (int b = a + 1; b < machine->clusters; b++)
            REPORT_ROW(report, table,
                       cell_text(report_text(report, "%s", machine->cluster[a].name)),
                       cell_text(report_text(report, "%s", machine->cluster[b].name)),
                       cell_number(machine->link[a][b].bandwidth_Bps),
                       cell_number(machine->link[a][b].latency_s));
}

void describe_system(struct report *report, const struct rk_system *system, unsigned formats)
{
    const struct report_table *record =
        REPORT_ONE(report, "system", "System", formats, system_columns);
    const struct report_cell cells[] = {
        cell_text(report_text(report, "%s", system->id)),
        system->devices ? cell_count(system->devices) : cell_none(),
        system->machine ? cell_none()
                        : cell_text(system->processing == RK_ROOFLINE ? "roofline" : "no_overlap"),
    };
    report_row(report, (struct report_table *)record, cells);
    if (system->machine) add_clusters(report, system->machine, formats);
    if (system->machine) return;
    add_engines(report, system, record, formats);
    add_memories(report, system, record, formats);
    add_networks(report, system, record, formats);
    add_curves(report, system, record, formats);
}

/* ---- tiers ---- */

const char *memory_name(struct report *report, const struct rk_system *system, int tier)
{
    const bool named = tier >= 0 && tier < system->memories && system->memory[tier].name[0];
    return named ? report_text(report, "memory tier %d (%s)", tier, system->memory[tier].name)
                 : report_text(report, "memory tier %d", tier);
}

const char *network_name(struct report *report, const struct rk_system *system, int tier)
{
    const bool named = tier >= 0 && tier < system->networks && system->network[tier].name[0];
    return named ? report_text(report, "network tier %d (%s)", tier, system->network[tier].name)
                 : report_text(report, "network tier %d", tier);
}
