#include "calculon/folio.h"

#include "calculon/check.h"

#include <string.h>

/* The (recompute, communication, repeated gather) of all kinds, sharded or not. */
static int distinct_kinds(const struct strategies *space, bool tensor, struct kind kinds[MAX_KINDS])
{
    int count = 0;
    for (int o = tensor ? 4 : 0; o < (tensor ? 8 : 4); o++)
        for (int k = 0; k < space->options[o].kinds; k++) {
            const struct kind *kind = &space->options[o].kind[k];
            bool known = false;
            for (int i = 0; i < count; i++)
                known |= kinds[i].recompute == kind->recompute && kinds[i].comm == kind->comm &&
                         kinds[i].redo == kind->redo;
            if (!known) kinds[count++] = *kind;
        }
    return count;
}

static void rows_add(struct rows *rows, const struct kind *kind, const struct options *options)
{
    const struct values *overlap = &options->inner[INNER_TENSOR_OVERLAP];
    const struct values *fused = &options->inner[INNER_FUSED_ACTIVATION];
    for (int o = 0; o < overlap->count; o++)
        for (int f = 0; f < fused->count; f++)
            rows->row[rows->count++] = (struct row){
                .recompute = kind->recompute,
                .comm = kind->comm,
                .redo = kind->redo,
                .overlap = (enum rk_tensor_overlap)overlap->value[o],
                .fused = fused->value[f] != 0,
                .at_overlap = o,
                .at_fused = f,
            };
}

void rows_open(struct rows *rows, const struct strategies *space, bool tensor)
{
    struct kind kinds[MAX_KINDS];
    const int count = distinct_kinds(space, tensor, kinds);
    rows->count = 0;
    for (int full = 1; full >= 0; full--) {
        for (int k = 0; k < count; k++)
            if ((kinds[k].recompute == RK_RECOMPUTE_FULL) == full)
                rows_add(rows, &kinds[k], &space->options[tensor ? 4 : 0]);
        if (full) rows->full = rows->count;
    }
}

bool folio_uses_network(const struct rk_system *system, uint64_t tensor, uint64_t network)
{
    return check_network(&system->network[network], (double)tensor) == RK_FITS;
}

size_t folio_bytes(const struct strategies *space, const struct rows *rows, uint64_t tensor)
{
    const size_t networks = tensor > 1 ? (size_t)space->problem.system->networks : 1;
    return (size_t)rows->count * networks * sizeof(struct folio_entry);
}

static struct block_split split_of_row(const struct folio *folio, const struct rk_problem *p,
                                       const struct row *row, uint64_t microbatch)
{
    return (struct block_split){
        .tensor = (double)folio->tensor,
        .microbatch = (double)microbatch,
        .element_bytes = rk_datatype_bytes(p->datatype),
        .sequence_parallel = row->comm == RK_COMM_RS_AG,
        .overlapped = row->overlap != RK_OVERLAP_NONE,
        .fused_activation = row->fused,
    };
}

/* What the operations of a block cost on each network, by kind and overlap of communication; those
 * recomputed or not share it. Worked out when first asked for. */
struct comm_table {
    const struct block_cost *work;
    bool known[RK_TENSOR_COMMS][RK_TENSOR_OVERLAPS];
    struct comm_op_cost op[RK_TENSOR_COMMS][RK_TENSOR_OVERLAPS][MAX_COMM_OPS];
};

static const struct comm_op_cost *comm_look_up(struct comm_table *table, const struct row *row,
                                               const struct rk_network *network, double ranks)
{
    struct comm_op_cost *ops = table->op[row->comm][row->overlap];
    const struct comm_choice choice = {
        .network = network, .ranks = ranks, .type = row->comm, .overlap = row->overlap};
    if (!table->known[row->comm][row->overlap])
        for (int i = 0; i < table->work->comm_ops; i++)
            comm_op_fold(&ops[i], table->work, table->work->comm_op[i], &choice);
    table->known[row->comm][row->overlap] = true;
    return ops;
}

/* The rows that share an operation list with row `first`; they are marked as done. */
static int like_rows(const struct rows *rows, int first, bool done[MAX_ROWS], int like[MAX_ROWS])
{
    const struct row *a = &rows->row[first];
    int count = 0;
    for (int r = first; r < rows->count; r++) {
        const struct row *b = &rows->row[r];
        if (done[r] || (a->comm == RK_COMM_RS_AG) != (b->comm == RK_COMM_RS_AG) ||
            (a->overlap == RK_OVERLAP_NONE) != (b->overlap == RK_OVERLAP_NONE) ||
            a->fused != b->fused)
            continue;
        like[count++] = r;
        done[r] = true;
    }
    return count;
}

static void fold_like(struct folio *folio, const struct rk_problem *p, int microbatch,
                      const int *like, int count, const struct block_cost *work)
{
    struct recompute_cost recompute[MAX_ROWS];
    for (int i = 0; i < count; i++) {
        const struct row *row = &folio->rows->row[like[i]];
        recompute_fold(&recompute[i], work, row->recompute, row->redo, true);
    }
    for (int n = 0; n < folio->networks; n++) {
        const bool used = folio_uses_network(p->system, folio->tensor, (uint64_t)n);
        struct comm_table table;
        table.work = work;
        memset(table.known, 0, sizeof table.known);
        for (int i = 0; i < count; i++) {
            const struct row *row = &folio->rows->row[like[i]];
            struct comm_cost comm = {0}; /* what no network changes is read from tier 0 */
            if (used)
                comm_sum(&comm, work,
                         comm_look_up(&table, row, &p->system->network[n], (double)folio->tensor),
                         conditions_of(row->recompute, row->redo));
            layer_join(&folio_layer(folio, microbatch, like[i], n)->cost, work, &recompute[i],
                       &comm, true);
        }
    }
}

void folio_fold(struct folio *folio, const struct rk_problem *p, int microbatch)
{
    const struct rows *rows = folio->rows;
    bool done[MAX_ROWS] = {false};
    int like[MAX_ROWS];
    for (int first = 0; first < rows->count; first++) {
        if (done[first]) continue;
        const struct block_split split =
            split_of_row(folio, p, &rows->row[first], folio->microbatch[microbatch]);
        struct block block;
        struct block_cost work;
        const int count = like_rows(rows, first, done, like);
        block_build(&block, p->model, &split);
        block_cost_fold(&work, &block, p->system, p->datatype);
        fold_like(folio, p, microbatch, like, count, &work);
    }
}

void folio_fold_weights(struct folio *folio, const struct rk_problem *p)
{
    for (int overlapped = 0; overlapped < 2; overlapped++) {
        const struct block_split split = {
            .tensor = (double)folio->tensor,
            .microbatch = (double)folio->microbatch[0],
            .element_bytes = rk_datatype_bytes(p->datatype),
            .overlapped = overlapped,
            .fused_activation = true,
        };
        struct folio_weights *w = &folio->weights[overlapped];
        block_build(&w->block, p->model, &split);
        block_cost_fold(&w->cost, &w->block, p->system, p->datatype);
    }
}
