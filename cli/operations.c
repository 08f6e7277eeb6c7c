/* operations.c - the operations of the layers as a table: `reckon predict --layers`. */
#include "cli/prediction.h"

#include <stdlib.h>
#include <string.h>

/* How a column gets its value from an operation. */
enum source { SOURCE_TEXT, SOURCE_NUMBER, SOURCE_FLAG };

#define AT(member) offsetof(struct rk_operation, member)
#define COLUMN(key, heading, units, decimals)                                                      \
    {                                                                                              \
        .name = key, .title = heading, .unit = units, .digits = decimals                           \
    }

/* clang-format off */
static const struct operation_column {
    struct report_column column;
    enum source source;
    size_t offset;
    bool in_text;
} operation_columns[] = {
    {COLUMN("layer", NULL, NULL, 0),                              SOURCE_TEXT,   AT(layer),                      true},
    {COLUMN("layers", NULL, NULL, 0),                             SOURCE_NUMBER, AT(layers),                     false},
    {COLUMN("name", "operation", NULL, 0),                        SOURCE_TEXT,   AT(name),                       true},
    {COLUMN("inputs", NULL, "n", 1),                              SOURCE_NUMBER, AT(inputs),                     false},
    {COLUMN("outputs", NULL, "n", 1),                             SOURCE_NUMBER, AT(outputs),                    false},
    {COLUMN("forward_flop", "forward", "FLOP", 2),                SOURCE_NUMBER, AT(flop[RK_FORWARD]),           true},
    {COLUMN("agrad_flop", "act. grad", "FLOP", 2),                SOURCE_NUMBER, AT(flop[RK_AGRAD]),             true},
    {COLUMN("wgrad_flop", "weight grad", "FLOP", 2),              SOURCE_NUMBER, AT(flop[RK_WGRAD]),             true},
    {COLUMN("forward_access_bytes", NULL, "B", 2),                SOURCE_NUMBER, AT(access_bytes[RK_FORWARD]),   false},
    {COLUMN("agrad_access_bytes", NULL, "B", 2),                  SOURCE_NUMBER, AT(access_bytes[RK_AGRAD]),     false},
    {COLUMN("wgrad_access_bytes", NULL, "B", 2),                  SOURCE_NUMBER, AT(access_bytes[RK_WGRAD]),     false},
    {COLUMN("forward_s", "forward", "s", 3),                      SOURCE_NUMBER, AT(time_s[RK_FORWARD]),         true},
    {COLUMN("agrad_s", "act. grad", "s", 3),                      SOURCE_NUMBER, AT(time_s[RK_AGRAD]),           true},
    {COLUMN("wgrad_s", "weight grad", "s", 3),                    SOURCE_NUMBER, AT(time_s[RK_WGRAD]),           true},
    {COLUMN("optimizer_flop", NULL, "FLOP", 2),                   SOURCE_NUMBER, AT(optimizer_flop),             false},
    {COLUMN("optimizer_access_bytes", NULL, "B", 2),              SOURCE_NUMBER, AT(optimizer_access_bytes),     false},
    {COLUMN("optimizer_s", "optimizer", "s", 3),                  SOURCE_NUMBER, AT(optimizer_s),                true},
    {COLUMN("base_forward_comm_bytes", NULL, "B", 2),             SOURCE_NUMBER, AT(comm_bytes[0][0]),           false},
    {COLUMN("edge_forward_comm_bytes", NULL, "B", 2),             SOURCE_NUMBER, AT(comm_bytes[0][1]),           false},
    {COLUMN("base_backward_comm_bytes", NULL, "B", 2),            SOURCE_NUMBER, AT(comm_bytes[1][0]),           false},
    {COLUMN("edge_backward_comm_bytes", NULL, "B", 2),            SOURCE_NUMBER, AT(comm_bytes[1][1]),           false},
    {COLUMN("base_redo_comm_bytes", NULL, "B", 2),                SOURCE_NUMBER, AT(comm_bytes[2][0]),           false},
    {COLUMN("edge_redo_comm_bytes", NULL, "B", 2),                SOURCE_NUMBER, AT(comm_bytes[2][1]),           false},
    {COLUMN("base_forward_comm_link_s", "comm fwd", "s", 3),      SOURCE_NUMBER, AT(comm_link_s[0][0]),          true},
    {COLUMN("edge_forward_comm_link_s", NULL, "s", 3),            SOURCE_NUMBER, AT(comm_link_s[0][1]),          false},
    {COLUMN("base_backward_comm_link_s", "comm bwd", "s", 3),     SOURCE_NUMBER, AT(comm_link_s[1][0]),          true},
    {COLUMN("edge_backward_comm_link_s", NULL, "s", 3),           SOURCE_NUMBER, AT(comm_link_s[1][1]),          false},
    {COLUMN("base_redo_comm_link_s", NULL, "s", 3),               SOURCE_NUMBER, AT(comm_link_s[2][0]),          false},
    {COLUMN("edge_redo_comm_link_s", NULL, "s", 3),               SOURCE_NUMBER, AT(comm_link_s[2][1]),          false},
    {COLUMN("base_forward_comm_exposed_s", NULL, "s", 3),         SOURCE_NUMBER, AT(comm_exposed_s[0][0]),       false},
    {COLUMN("edge_forward_comm_exposed_s", NULL, "s", 3),         SOURCE_NUMBER, AT(comm_exposed_s[0][1]),       false},
    {COLUMN("base_backward_comm_exposed_s", NULL, "s", 3),        SOURCE_NUMBER, AT(comm_exposed_s[1][0]),       false},
    {COLUMN("edge_backward_comm_exposed_s", NULL, "s", 3),        SOURCE_NUMBER, AT(comm_exposed_s[1][1]),       false},
    {COLUMN("base_redo_comm_exposed_s", NULL, "s", 3),            SOURCE_NUMBER, AT(comm_exposed_s[2][0]),       false},
    {COLUMN("edge_redo_comm_exposed_s", NULL, "s", 3),            SOURCE_NUMBER, AT(comm_exposed_s[2][1]),       false},
    {COLUMN("parameters", NULL, "n", 1),                          SOURCE_NUMBER, AT(parameters),                 false},
    {COLUMN("weight_bytes", "weights", "B", 1),                   SOURCE_NUMBER, AT(weight_bytes),               true},
    {COLUMN("activation_bytes", "activations", "B", 1),           SOURCE_NUMBER, AT(activation_bytes),           true},
    {COLUMN("activation_grad_bytes", NULL, "B", 1),               SOURCE_NUMBER, AT(activation_grad_bytes),      false},
    {COLUMN("weight_grad_bytes", NULL, "B", 1),                   SOURCE_NUMBER, AT(weight_grad_bytes),          false},
    {COLUMN("optimizer_bytes", NULL, "B", 1),                     SOURCE_NUMBER, AT(optimizer_bytes),            false},
    {COLUMN("recomputed", "redone", NULL, 0),                     SOURCE_FLAG,   AT(recomputed),                 true},
    {COLUMN("recommunicated", NULL, NULL, 0),                     SOURCE_FLAG,   AT(recommunicated),             false},
    {COLUMN("keeps_input", "keeps input", NULL, 0),                      SOURCE_FLAG,   AT(keeps_input),                true},
    {COLUMN("keeps_output", "keeps output", NULL, 0),                       SOURCE_FLAG,   AT(keeps_output),               true},
    {COLUMN("reuses_buffer", NULL, NULL, 0),                      SOURCE_FLAG,   AT(reuses_buffer),              false},
};
/* clang-format on */

enum { OPERATION_COLUMNS = sizeof operation_columns / sizeof *operation_columns };

static struct report_cell operation_cell(const struct rk_operation *operation,
                                         const struct operation_column *column)
{
    const char *member = (const char *)operation + column->offset;
    const char *text;
    double number;
    bool flag;
    switch (column->source) {
    case SOURCE_TEXT:
        memcpy(&text, member, sizeof text);
        return cell_text(text);
    case SOURCE_FLAG:
        memcpy(&flag, member, sizeof flag);
        return cell_flag(flag);
    default:
        memcpy(&number, member, sizeof number);
        return cell_number(number);
    }
}

/* For programs all columns; for people those where something stands. */
static bool is_wanted(const struct operation_column *column, const struct rk_operation *operations,
                      int count, bool text)
{
    if (!text) return true;
    for (int i = 0; column->in_text && i < count; i++) {
        const char *member = (const char *)&operations[i] + column->offset;
        double number = 1;
        bool flag = true;
        if (column->source == SOURCE_NUMBER) memcpy(&number, member, sizeof number);
        if (column->source == SOURCE_FLAG) memcpy(&flag, member, sizeof flag);
        if (flag && number != 0) return true;
    }
    return false;
}

static void add_operations(struct report *report, const struct rk_operation *operations, int count,
                           bool text)
{
    struct report_cell cells[OPERATION_COLUMNS];
    struct report_column *columns = report_alloc(report, OPERATION_COLUMNS * sizeof *columns);
    bool wanted[OPERATION_COLUMNS];
    int used = 0;
    if (!columns) return;
    for (int i = 0; i < OPERATION_COLUMNS; i++) {
        wanted[i] = is_wanted(&operation_columns[i], operations, count, text);
        if (wanted[i]) columns[used++] = operation_columns[i].column;
    }
    struct report_table *table = report_list(
        report, "operations", "Operations of a layer of each kind, one microbatch on one GPU",
        text ? REPORT_IN_TEXT : REPORT_IN_JSON | REPORT_IN_CSV, columns, used);
    for (int row = 0; row < count; row++) {
        used = 0;
        for (int i = 0; i < OPERATION_COLUMNS; i++)
            if (wanted[i]) cells[used++] = operation_cell(&operations[row], &operation_columns[i]);
        report_row(report, table, cells);
    }
}

void forecast_operations(struct report *report, const struct forecast *f)
{
    const int count = rk_predict_operations(f->model, f->system, f->plan, NULL, 0);
    struct rk_operation *operations = calloc((size_t)count, sizeof *operations);
    if (!operations) return;
    rk_predict_operations(f->model, f->system, f->plan, operations, count);
    add_operations(report, operations, count, true);
    add_operations(report, operations, count, false);
    free(operations);
}
