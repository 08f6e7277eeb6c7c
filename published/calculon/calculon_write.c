#include "calculon/calculon_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

int calculon_number(char text[CALCULON_NUMBER], double value, bool integer)
{
    int length = 0;
    if (!isfinite(value)) return snprintf(text, CALCULON_NUMBER, "null");
    if (integer && value == trunc(value) && fabs(value) < 0x1p63)
        return snprintf(text, CALCULON_NUMBER, "%" PRId64, (int64_t)value);
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(text, CALCULON_NUMBER, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    if (!strpbrk(text, ".e"))
        length += snprintf(text + length, (size_t)(CALCULON_NUMBER - length), ".0");
    return length;
}

int calculon_human(char text[CALCULON_NUMBER], double value, enum calculon_scale scale)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    static const char *const units[] = {
        [CALCULON_BASE10] = "", [CALCULON_BYTES] = "iB", [CALCULON_BANDWIDTH] = "B/s"};
    const double step = scale == CALCULON_BYTES ? 1024 : 1000;
    size_t prefix = 0;
    while (fabs(value) >= step && prefix + 1 < sizeof prefixes / sizeof *prefixes) {
        value /= step;
        prefix++;
    }
    return snprintf(text, CALCULON_NUMBER, "%.3f %s%s", value, prefixes[prefix], units[scale]);
}

/* ---- nested values ---- */

struct writer {
    FILE *to;
    enum calculon_style style;
    int depth;
    bool filled;    /* the innermost object or list has a member */
    bool after_key; /* the next value belongs to a key */
};

static void new_line(const struct writer *writer)
{
    if (writer->style == CALCULON_INDENTED) fprintf(writer->to, "\n%*s", 2 * writer->depth, "");
}

/* What stands before a value or a key. */
static void begin(struct writer *writer)
{
    if (!writer->after_key && writer->depth > 0) {
        if (writer->filled) fputs(writer->style == CALCULON_INDENTED ? "," : ", ", writer->to);
        new_line(writer);
    }
    writer->after_key = false;
    writer->filled = true;
}

static void open_with(struct writer *writer, char bracket)
{
    begin(writer);
    fputc(bracket, writer->to);
    writer->depth++;
    writer->filled = false;
}

static void close_with(struct writer *writer, char bracket)
{
    writer->depth--;
    if (writer->filled) new_line(writer);
    fputc(bracket, writer->to);
    writer->filled = true;
}

/* Names and words of the tables only: nothing in them needs escaping. */
static void put_word(struct writer *writer, const char *word)
{
    const char quote = writer->style == CALCULON_PYTHON ? '\'' : '"';
    begin(writer);
    fprintf(writer->to, "%c%s%c", quote, word, quote);
}

static void put_key(struct writer *writer, const char *name)
{
    put_word(writer, name);
    fputs(": ", writer->to);
    writer->after_key = true;
}

static void put_flag(struct writer *writer, bool flag)
{
    begin(writer);
    if (writer->style == CALCULON_PYTHON)
        fputs(flag ? "True" : "False", writer->to);
    else
        fputs(flag ? "true" : "false", writer->to);
}

static void put_count(struct writer *writer, uint64_t count)
{
    begin(writer);
    fprintf(writer->to, "%" PRIu64, count);
}

static void put_number(struct writer *writer, double value, bool integer)
{
    char text[CALCULON_NUMBER];
    begin(writer);
    calculon_number(text, value, integer);
    fputs(text, writer->to);
}

static void put_nothing(struct writer *writer)
{
    begin(writer);
    fputs(writer->style == CALCULON_PYTHON ? "None" : "null", writer->to);
}

/* ---- executions and statistics ---- */

static void put_execution(struct writer *writer, const struct calculon_execution *execution)
{
    open_with(writer, '{');
    for (int i = 0; i < CALCULON_FIELDS; i++) {
        const struct calculon_field *field = &calculon_fields[i];
        const uint64_t value = calculon_field_get(execution, field);
        put_key(writer, field->name);
        if (field->type == CALCULON_CHOICE)
            put_word(writer, field->choices[value]);
        else if (field->type == CALCULON_FLAG || field->type == CALCULON_OFFLOAD)
            put_flag(writer, value != 0);
        else
            put_count(writer, value);
    }
    close_with(writer, '}');
}

/* The figures of an operation that come once per pass; a communication's third pass is its
 * recomputation. Names are of the form PREFIX + SUFFIX. */
static const struct pass_names {
    const char *flops, *bytes, *intensity, *time;
    const char *base, *edge; /* prefixes of the communication figures */
} pass_names[RK_PASSES] = {
    [RK_FORWARD] = {"fw_flops", "fw_mem_accessed", "fw_arithmetic_intensity", "fw_processing_time",
                    "baseblock_fw_tp_comm", "edgeblock_fw_tp_comm"},
    [RK_AGRAD] = {"agrad_flops", "agrad_mem_accessed", "agrad_arithmetic_intensity",
                  "agrad_processing_time", "baseblock_bw_tp_comm", "edgeblock_bw_tp_comm"},
    [RK_WGRAD] = {"wgrad_flops", "wgrad_mem_accessed", "wgrad_arithmetic_intensity",
                  "wgrad_processing_time", "baseblock_recomm", "edgeblock_recomm"},
};

static void put_named(struct writer *writer, const char *name, double value, bool integer)
{
    put_key(writer, name);
    put_number(writer, value, integer);
}

static void put_both_blocks(struct writer *writer, const struct pass_names *names,
                            const char *suffix, const double value[2], bool integer)
{
    for (int edge = 0; edge < 2; edge++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", edge ? names->edge : names->base, suffix);
        put_named(writer, name, value[edge], integer);
    }
}

/* FLOP per byte; 0 without FLOP, as that tool has it. */
static double intensity(double flop, double bytes)
{
    return flop == 0 ? 0 : flop / bytes;
}

/* A pure communication: that tool counts what it takes on the engines as time on the link. */
static bool is_communication(const struct rk_operation *op)
{
    return op->weight_bytes == 0 && op->comm_bytes[RK_FORWARD][1] + op->comm_bytes[RK_AGRAD][1] > 0;
}

static void put_pass(struct writer *writer, const struct rk_operation *op, enum rk_pass pass)
{
    const struct pass_names *names = &pass_names[pass];
    put_named(writer, names->flops, op->flop[pass], true);
    put_named(writer, names->bytes, op->access_bytes[pass], true);
    put_named(writer, names->intensity, intensity(op->flop[pass], op->access_bytes[pass]), false);
    put_named(writer, names->time, is_communication(op) ? 0 : op->time_s[pass], false);
    put_both_blocks(writer, names, "_tile", op->comm_tile_bytes[pass], true);
    put_both_blocks(writer, names, "_size", op->comm_bytes[pass], true);
    put_both_blocks(writer, names, "_time", op->comm_link_s[pass], false);
    put_both_blocks(writer, names, "_time_exposed", op->comm_exposed_s[pass], false);
}

static void put_operation(struct writer *writer, const struct rk_operation *op)
{
    open_with(writer, '{');
    put_key(writer, "name");
    put_word(writer, op->name);
    put_named(writer, "inputs_size", op->inputs, true);
    put_named(writer, "outputs_size", op->outputs, true);
    for (enum rk_pass pass = 0; pass < RK_PASSES; pass++)
        put_pass(writer, op, pass);
    put_named(writer, "optim_flops", op->optimizer_flop, false);
    put_named(writer, "optim_mem_accessed", op->optimizer_access_bytes, false);
    put_named(writer, "optim_arithmetic_intensity",
              intensity(op->optimizer_flop, op->optimizer_access_bytes), false);
    put_named(writer, "optim_processing_time", op->optimizer_s, false);
    put_named(writer, "weight", op->weight_bytes, true);
    put_named(writer, "activation", op->activation_bytes, true);
    put_named(writer, "weight_grad", op->weight_grad_bytes, false);
    put_named(writer, "activation_grad", op->activation_grad_bytes, true);
    put_named(writer, "optimizer", op->optimizer_bytes, false);
    close_with(writer, '}');
}

/* That tool's sums expose as much of a recomputed communication as of forward's, but its list of
 * operations shows its own exposed time: next to an overlapped matrix it is shorter by the
 * reduction's work. */
static double redone_exposed_s(const struct rk_operation *op, const struct rk_strategy *strategy)
{
    const double tiles = (double)strategy->tensor;
    const double first_s = op->comm_link_s[RK_FORWARD][0], again_s = op->comm_link_s[RK_WGRAD][0];
    const bool extra_tile = strategy->tensor_overlap == RK_OVERLAP_PIPE;
    const double excess_s = op->comm_exposed_s[RK_FORWARD][0] - (extra_tile ? first_s / tiles : 0) -
                            (tiles - 1) * (first_s - again_s) / tiles;
    return fmax(0, excess_s) + (extra_tile ? again_s / tiles : 0);
}

static void put_layers(struct writer *writer, const struct calculon_run *run)
{
    struct rk_operation operations[RK_MAX_OPERATIONS];
    struct rk_strategy strategy = run->execution->strategy;
    strategy.training = true; /* that tool lists all passes in inference, too */
    const int count = rk_block_operations(run->model, run->system, &strategy, operations);
    open_with(writer, '[');
    for (int i = 0; i < count; i++) {
        struct rk_operation *op = &operations[i];
        if (strategy.tensor_overlap != RK_OVERLAP_NONE && op->comm_exposed_s[RK_WGRAD][0] > 0)
            op->comm_exposed_s[RK_WGRAD][0] = op->comm_exposed_s[RK_WGRAD][1] =
                redone_exposed_s(op, &strategy);
        put_operation(writer, op);
    }
    close_with(writer, ']');
}

static void put_stats(struct writer *writer, const struct calculon_run *run, bool layers)
{
    open_with(writer, '{');
    for (int i = 0; i < CALCULON_STATISTICS; i++) {
        const struct calculon_statistic *statistic = &calculon_statistics[i];
        put_named(writer, statistic->name, calculon_statistic_value(run->estimate, statistic),
                  statistic->integer);
    }
    if (layers) {
        put_key(writer, "layers");
        put_layers(writer, run);
    }
    close_with(writer, '}');
}

void calculon_write_stats(FILE *to, enum calculon_style style, const struct calculon_run *run,
                          bool layers)
{
    struct writer writer = {.to = to, .style = style};
    put_stats(&writer, run, layers);
}

void calculon_write_ranking(FILE *to, enum calculon_style style, const struct calculon_run *runs,
                            size_t count, bool layers)
{
    struct writer writer = {.to = to, .style = style};
    open_with(&writer, '{');
    for (size_t i = 0; i < count; i++) {
        char place[CALCULON_NUMBER];
        snprintf(place, sizeof place, "%zu", i);
        put_key(&writer, place);
        open_with(&writer, '{');
        put_key(&writer, "execution");
        put_execution(&writer, runs[i].execution);
        put_key(&writer, "stats");
        put_stats(&writer, &runs[i], layers);
        close_with(&writer, '}');
    }
    close_with(&writer, '}');
}

/* ---- peers ---- */

/* Ranks first, first + stride, ...: `count` of them. */
static void put_ranks(struct writer *writer, const char *name, uint64_t first, uint64_t stride,
                      uint64_t count)
{
    put_key(writer, name);
    open_with(writer, '[');
    for (uint64_t i = 0; i < count; i++)
        put_count(writer, first + i * stride);
    close_with(writer, ']');
}

/* Rank (d, p, t), tensor parallelism innermost, is d * pipeline * tensor + p * tensor + t. */
static void put_peers(struct writer *writer, const struct rk_strategy *strategy, uint64_t rank)
{
    const uint64_t tensor = strategy->tensor, stages = strategy->pipeline;
    const uint64_t replica = tensor * stages;
    const uint64_t t = rank % tensor, stage = rank / tensor % stages, first = rank - rank % replica;

    open_with(writer, '{');
    if (tensor > 1) put_ranks(writer, "tensor", rank - t, 1, tensor);
    if (stages > 1) {
        put_key(writer, "pipeline");
        put_count(writer, first + (stage + 1) % stages * tensor + t);
    }
    if (strategy->data > 1) put_ranks(writer, "data", rank - first, replica, strategy->data);
    close_with(writer, '}');
}

void calculon_write_peers(FILE *to, enum calculon_style style, const struct rk_strategy *strategy)
{
    struct writer writer = {.to = to, .style = style};
    const uint64_t ranks = strategy->tensor * strategy->pipeline * strategy->data;
    open_with(&writer, '{');
    for (uint64_t rank = 0; rank < ranks && !ferror(to); rank++) {
        char name[CALCULON_NUMBER];
        snprintf(name, sizeof name, "%" PRIu64, rank);
        put_key(&writer, name);
        put_peers(&writer, strategy, rank);
    }
    close_with(&writer, '}');
}

/* ---- systems, for the readable text ---- */

/* A number of a file: an integer where it is one. */
static void put_plain(struct writer *writer, const char *name, double value)
{
    put_named(writer, name, value, true);
}

static void put_curve(struct writer *writer, const char *name, const struct rk_curve *curve,
                      double unit)
{
    put_key(writer, name);
    open_with(writer, '[');
    for (int i = 0; i < curve->steps; i++) {
        open_with(writer, '[');
        put_number(writer, curve->step[i].from / unit, true);
        put_number(writer, curve->step[i].efficiency, true);
        close_with(writer, ']');
    }
    close_with(writer, ']');
}

static void put_engine(struct writer *writer, const char *name, const struct rk_engine *engines)
{
    put_key(writer, name);
    open_with(writer, '{');
    for (enum rk_datatype type = 0; type < RK_DATATYPES; type++) {
        if (!engines[type].curve.steps) continue;
        put_key(writer, rk_datatype_name(type));
        open_with(writer, '{');
        put_plain(writer, "tflops", engines[type].peak_flops / 1e12);
        put_curve(writer, "gflops_efficiency", &engines[type].curve, 1e9);
        close_with(writer, '}');
    }
    close_with(writer, '}');
}

static void put_memory(struct writer *writer, const char *name, const struct rk_memory *memory)
{
    put_key(writer, name);
    open_with(writer, '{');
    put_plain(writer, "GiB", memory->capacity_bytes / 0x1p30);
    put_plain(writer, "GBps", memory->bandwidth_Bps / 1e9);
    put_curve(writer, "MB_efficiency", &memory->curve, 1e6);
    close_with(writer, '}');
}

static void put_collectives(struct writer *writer, const struct rk_network *network)
{
    static const char *const names[RK_COLLECTIVES] = {[RK_POINT_TO_POINT] = "p2p",
                                                      [RK_REDUCE_SCATTER] = "reduce_scatter",
                                                      [RK_ALL_GATHER] = "all_gather",
                                                      [RK_ALL_REDUCE] = "all_reduce"};
    put_key(writer, "ops");
    open_with(writer, '{');
    for (enum rk_collective c = 0; c < RK_COLLECTIVES; c++) {
        put_key(writer, names[c]);
        open_with(writer, '[');
        put_number(writer, network->collective[c].scale, false);
        if (c == RK_POINT_TO_POINT)
            put_nothing(writer);
        else
            put_number(writer, network->collective[c].offset, true);
        close_with(writer, ']');
    }
    close_with(writer, '}');
}

static void put_network(struct writer *writer, const struct rk_network *network)
{
    open_with(writer, '{');
    put_plain(writer, "bandwidth", network->bandwidth_Bps / 1e9);
    put_plain(writer, "efficiency", network->efficiency);
    put_key(writer, "size");
    put_count(writer, network->size);
    put_plain(writer, "latency", network->latency_s);
    put_collectives(writer, network);
    put_key(writer, "must_be_filled");
    put_flag(writer, network->must_be_filled);
    put_plain(writer, "processor_usage", network->processor_usage);
    close_with(writer, '}');
}

static void put_system(struct writer *writer, const struct rk_system *system)
{
    open_with(writer, '{');
    put_engine(writer, "matrix", system->matrix);
    put_engine(writer, "vector", system->vector);
    put_memory(writer, "mem1", &system->memory[0]);
    if (system->memories > 1) put_memory(writer, "mem2", &system->memory[1]);
    put_key(writer, "processing_mode");
    put_word(writer, system->processing == RK_ROOFLINE ? "roofline" : "no_overlap");
    put_key(writer, "networks");
    open_with(writer, '[');
    for (int i = 0; i < system->networks; i++)
        put_network(writer, &system->network[i]);
    close_with(writer, ']');
    close_with(writer, '}');
}

/* ---- the readable text ---- */

enum unit { AS_SECONDS, AS_BYTES, AS_BANDWIDTH, AS_PERCENT, AS_RATE };

#define IN(member) offsetof(struct rk_estimate, member)
/* clang-format off */
static const struct line {
    const char *label;
    enum unit unit;
    size_t offset;
} lines[] = {
    { "Weights",                         AS_BYTES,     IN(weight_bytes) },
    { "Act",                             AS_BYTES,     IN(activation_bytes) },
    { "Act CP",                          AS_BYTES,     IN(checkpoint_bytes) },
    { "Act grad",                        AS_BYTES,     IN(activation_grad_bytes) },
    { "Weight grad",                     AS_BYTES,     IN(weight_grad_bytes) },
    { "Optim space",                     AS_BYTES,     IN(optimizer_bytes) },
    { "Batch FW time",                   AS_SECONDS,   IN(forward_s) },
    { "Batch BW time",                   AS_SECONDS,   IN(backward_s) },
    { "Batch optim time",                AS_SECONDS,   IN(optimizer_s) },
    { "Batch FW offload overhead",       AS_SECONDS,   IN(forward_offload_exposed_s) },
    { "Batch BW offload overhead",       AS_SECONDS,   IN(backward_offload_exposed_s) },
    { "Batch recompute overhead",        AS_SECONDS,   IN(recompute_s) },
    { "Batch recomm overhead",           AS_SECONDS,   IN(recompute_comm_exposed_s) },
    { "Batch bubble overhead",           AS_SECONDS,   IN(bubble_s) },
    { "Batch TP comm overhead",          AS_SECONDS,   IN(tensor_comm_exposed_s) },
    { "Batch PP comm overhead",          AS_SECONDS,   IN(pipeline_comm_exposed_s) },
    { "Batch DP comm overhead",          AS_SECONDS,   IN(data_comm_exposed_s) },
    { "Batch TP comm time on link",      AS_SECONDS,   IN(tensor_comm_link_s) },
    { "Batch PP comm time on link",      AS_SECONDS,   IN(pipeline_comm_link_s) },
    { "Batch DP comm time on link",      AS_SECONDS,   IN(data_comm_link_s) },
    { "Batch total time",                AS_SECONDS,   IN(step_s) },
    { "Activation offload required BW",  AS_BANDWIDTH, IN(activation_required_Bps) },
    { "Weight offload required BW",      AS_BANDWIDTH, IN(weight_required_Bps) },
    { "Optimizer offload required BW",   AS_BANDWIDTH, IN(optimizer_required_Bps) },
    { "Total offload required BW",       AS_BANDWIDTH, IN(offload_required_Bps) },
    { "Mem tier1 capacity requirement",  AS_BYTES,     IN(hbm_bytes) },
    { "Mem tier2 capacity requirement",  AS_BYTES,     IN(offload_bytes) },
    { "Mem tier2 BW for offload",        AS_BANDWIDTH, IN(offload_required_Bps) },
    { "Compute efficiency",              AS_PERCENT,   IN(compute_efficiency) },
    { "System efficiency",               AS_PERCENT,   IN(system_efficiency) },
    { "Total efficiency",                AS_PERCENT,   IN(mfu) },
    { "Sample rate",                     AS_RATE,      IN(samples_per_s) },
};
/* clang-format on */
#undef IN

static void put_line(FILE *to, const struct line *line, const struct rk_estimate *estimate)
{
    char text[CALCULON_NUMBER] = "";
    double value;
    memcpy(&value, (const char *)estimate + line->offset, sizeof value);
    switch (line->unit) {
    case AS_SECONDS:
        snprintf(text, sizeof text, "%.4f", value);
        break;
    case AS_BYTES:
        calculon_human(text, value, CALCULON_BYTES);
        break;
    case AS_BANDWIDTH:
        calculon_human(text, value, CALCULON_BANDWIDTH);
        break;
    case AS_PERCENT:
        snprintf(text, sizeof text, "%.2f%%", value * 100);
        break;
    case AS_RATE:
        snprintf(text, sizeof text, "%.2f", value);
        break;
    }
    fprintf(to, "%s: %s;\n", line->label, text);
}

void calculon_write_text(FILE *to, const struct calculon_run *run)
{
    const struct rk_model *model = run->model;
    const struct rk_strategy *strategy = &run->execution->strategy;
    const uint64_t stages = strategy->pipeline;
    struct writer writer = {.to = to, .style = CALCULON_PYTHON};

    for (int i = 0; i < 80; i++)
        fputc('=', to);
    fprintf(to, "\nblocks=%" PRIu64 ", hidden=%" PRIu64 ", feedforward=%" PRIu64 "\n",
            model->layers, model->hidden, model->feedforward);
    fprintf(to, "num attn heads: %" PRIu64 ", attn_size=%" PRIu64 "\n", model->heads,
            model->head_dim);
    fprintf(to, "Run on %" PRIu64 " processors with:\n", strategy->ranks);
    fprintf(to, "TP=%" PRIu64 "\nPP=%" PRIu64 "\nDP=%" PRIu64 "\n", strategy->tensor, stages,
            strategy->data);
    fprintf(to, "Blocks per processor: %" PRIu64 "\n",
            model->layers / stages + (model->layers % stages != 0));
    fputs("Execution: ", to);
    put_execution(&writer, run->execution);
    fputs(";\nSystem: ", to);
    put_system(&writer, run->system);
    fputs(";\n", to);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        put_line(to, &lines[i], run->estimate);
    fputc('\n', to);
}

/* ---- CSV ---- */

void calculon_write_header(FILE *to, bool indexed, bool layers)
{
    for (int i = 0; i < CALCULON_FIELDS; i++)
        fprintf(to, "%s%s", i || indexed ? "," : "", calculon_fields[i].name);
    for (int i = 0; i < CALCULON_STATISTICS; i++)
        fprintf(to, ",%s", calculon_statistics[i].name);
    fputs(layers ? ",layers\n" : "\n", to);
}

static void write_field(FILE *to, const struct calculon_execution *execution,
                        const struct calculon_field *field)
{
    const uint64_t value = calculon_field_get(execution, field);
    if (field->type == CALCULON_CHOICE)
        fputs(field->choices[value], to);
    else if (field->type == CALCULON_FLAG || field->type == CALCULON_OFFLOAD)
        fputs(value ? "True" : "False", to);
    else
        fprintf(to, "%" PRIu64, value);
}

void calculon_write_row(FILE *to, const struct calculon_execution *execution,
                        const struct rk_estimate *estimate, struct calculon_columns *columns)
{
    for (int i = 0; i < CALCULON_FIELDS; i++) {
        if (i) fputc(',', to);
        write_field(to, execution, &calculon_fields[i]);
    }
    for (int i = 0; i < CALCULON_STATISTICS; i++) {
        const struct calculon_statistic *statistic = &calculon_statistics[i];
        const double value = calculon_statistic_value(estimate, statistic);
        if (!columns->cell[i].length || columns->cell[i].value != value) {
            columns->cell[i].value = value;
            columns->cell[i].length =
                calculon_number(columns->cell[i].text, value, statistic->integer);
        }
        fputc(',', to);
        fwrite(columns->cell[i].text, 1, (size_t)columns->cell[i].length, to);
    }
}

void calculon_write_layers_cell(FILE *to, const struct calculon_run *run)
{
    char *json = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&json, &size);
    fputs(",\"", to);
    if (text) {
        struct writer writer = {.to = text, .style = CALCULON_LINE};
        put_layers(&writer, run);
        if (fclose(text) != 0) size = 0;
    }
    for (size_t i = 0; i < size; i++) {
        if (json[i] == '"') fputc('"', to);
        fputc(json[i], to);
    }
    fputc('"', to);
    free(json);
}
