/* Searches over clusters once more, with something changed: links, choices taken away, fewer nodes.
 */
#include "cli/clusters_tables.h"

#include "base/memory.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>

/* clang-format off */
static const struct report_column link_columns[] = {
    {.name = "link"},
    {.name = "bandwidth_Bps", .title = "bandwidth", .unit = "B/s", .digits = 1, .own_scale = true},
    {.name = "objective_s", .title = "objective", .unit = "s", .digits = 4},
    {.name = "saves", .unit = "%", .digits = 2},
    {.name = "clusters", .title = "clusters used"},
};
static const struct report_column why_columns[] = {
    {.name = "restriction", .title = "if"},
    {.name = "objective_s", .title = "objective", .unit = "s", .digits = 4},
    {.name = "slower", .title = "over the best", .unit = "%", .digits = 2},
    {.name = "stages"},
    {.name = "clusters", .title = "clusters used"},
};
static const struct report_column pareto_columns[] = {
    {.name = "machine", .title = "nodes there"},
    {.name = "gpus", .title = "GPUs used"},
    {.name = "step_s", .title = "step", .unit = "s", .digits = 4},
    {.name = "usd", .title = "USD a step", .unit = "", .digits = 4},
    {.name = "samples_per_usd", .title = "samples a USD", .unit = "", .digits = 5},
    {.name = "stages"},
    {.name = "clusters", .title = "clusters used"},
};
/* clang-format on */

/* ---- links ---- */

static bool show_link(const struct clusters_shown *show, struct report_table *table, int a, int b)
{
    static const double shares[] = {0.25, 0.5, 2, 4, 1024};
    struct rk_machine machine = *show->question->machine;
    struct clusters_question asked = *show->question;
    struct clusters_answer *answer = malloc(sizeof *answer);
    const struct rk_cluster_link *link = &show->question->machine->link[a][b];
    const double now_s = show->answer->proved.value_s;
    char rate[QUANTITY_TEXT];
    bool good = answer != NULL;
    asked.machine = &machine;
    for (size_t i = 0; good && i < sizeof shares / sizeof *shares; i++) {
        machine.link[a][b].bandwidth_Bps = machine.link[b][a].bandwidth_Bps =
            shares[i] * link->bandwidth_Bps;
        good = clusters_search(&asked, answer);
        const struct report_cell cells[] = {
            cell_text(report_text(show->report, "%s - %s", machine.cluster[a].name,
                                  machine.cluster[b].name)),
            cell_number(machine.link[a][b].bandwidth_Bps),
            cell_number(answer->proved.value_s),
            cell_number(1 - answer->proved.value_s / now_s),
            cell_text(clusters_text(show->report, show->question->machine, &answer->proved)),
        };
        if (good) report_row(show->report, table, cells);
    }
    free(answer);
    const double even = good ? clusters_break_even(show->question, a, b) : NAN;
    if (isnan(even)) return false;
    quantity_format(rate, QUANTITY_BYTES_PER_S, even);
    report_note(
        show->report,
        isinf(even) ? "no bandwidth of the link makes several clusters better than the best one"
        : even <= 0
            ? "several clusters are better than one at any bandwidth looked at"
            : report_text(show->report, "below %s a node, several clusters are no better than one",
                          rate));
    return true;
}

bool clusters_show_links(const struct clusters_shown *show)
{
    struct report_table *table = REPORT_LIST(show->report, "links", "What other links would do",
                                             REPORT_IN_TEXT | REPORT_IN_JSON, link_columns);
    for (int a = 0; a < show->question->machine->clusters; a++)
        for (int b = a + 1; b < show->question->machine->clusters; b++)
            if (!show_link(show, table, a, b)) return false;
    return true;
}

/* ---- why ---- */

/* The search again, with something taken away; INFINITY is "nothing fits". */
static bool show_without(const struct clusters_shown *show, struct report_table *table,
                         const char *what, const struct clusters_question *asked)
{
    struct clusters_answer *answer = malloc(sizeof *answer);
    const bool good = answer && clusters_search(asked, answer);
    if (good) {
        const bool fits = !isinf(answer->proved.value_s);
        const double over = answer->proved.value_s / show->answer->proved.value_s - 1;
        const struct report_cell cells[] = {
            cell_text(what),
            fits ? cell_number(answer->proved.value_s) : cell_none(),
            fits ? cell_number(fabs(over) < 1e-9 ? 0 : over) : cell_none(),
            fits ? cell_count((uint64_t)answer->proved.stages) : cell_none(),
            cell_text(fits ? clusters_text(show->report, show->question->machine, &answer->proved)
                           : "nothing fits"),
        };
        report_row(show->report, table, cells);
    }
    free(answer);
    return good;
}

/* One tensor degree, one mode, for all stages; embeddings that are not tied. */
bool clusters_show_why(const struct clusters_shown *show)
{
    const struct clusters_question *q = show->question;
    struct report_table *table = REPORT_LIST(show->report, "why", "What other choices would cost",
                                             REPORT_IN_TEXT | REPORT_IN_JSON, why_columns);
    uint64_t node = 1;
    bool good = true;
    for (int i = 0; i < q->machine->clusters; i++)
        if (rk_cluster_node(&q->machine->cluster[i]) > node)
            node = rk_cluster_node(&q->machine->cluster[i]);
    for (uint64_t t = 1; good && !q->tensor && t <= node; t++) {
        struct clusters_question asked = *q;
        asked.tensor = true;
        asked.words.tensor = t;
        if (node % t) continue;
        good = show_without(
            show, table, report_text(show->report, "every stage has tp%llu", (unsigned long long)t),
            &asked);
    }
    for (int mode = RK_KEEP; good && !q->recompute && mode <= RK_WHOLE; mode++) {
        struct clusters_question asked = *q;
        asked.recompute = true;
        asked.words.recompute = (enum rk_recompute_mode)mode;
        good = show_without(show, table,
                            report_text(show->report, "every stage has recompute=%s",
                                        rk_recompute_mode_name((enum rk_recompute_mode)mode)),
                            &asked);
    }
    if (good && show->answer->best.stage[0].homes) {
        struct clusters_question asked = *q;
        asked.apart = true;
        good = show_without(show, table, "every stage is in one cluster", &asked);
    }
    bool away = false;
    for (int i = 0; i < show->answer->best.stages; i++)
        away |= show->answer->best.stage[i].activations_away > 0 ||
                show->answer->best.stage[i].optimizer_away > 0;
    if (good && away && !q->offload) {
        struct clusters_question asked = *q;
        asked.offload = true;
        good = show_without(show, table, "nothing is offloaded", &asked);
    }
    if (good && q->model->tied_embeddings && q->machine->clusters > 1) {
        struct rk_model untied = *q->model;
        struct clusters_question asked = *q;
        untied.tied_embeddings = false;
        asked.model = &untied;
        good = show_without(show, table, "embeddings are not tied", &asked);
    }
    return good;
}

/* ---- time against price ---- */

enum { SHARES = 4, MOST_TRIED = 1024 }; /* quarters of four clusters, all of them */

struct priced {
    const char *machine, *clusters;
    double step_s, usd;
    uint64_t gpus;
    int stages;
};

/* The best plan when only so many quarters of each cluster's nodes are there. */
static bool try_shares(const struct clusters_shown *show, const int *quarters, struct priced *tried)
{
    const struct rk_machine *whole = show->question->machine;
    struct rk_machine *machine = malloc(sizeof *machine);
    struct clusters_answer *answer = malloc(sizeof *answer);
    struct clusters_question asked = *show->question;
    bool good = machine && answer;
    *tried = (struct priced){.machine = "", .usd = INFINITY};
    if (good) *machine = (struct rk_machine){.clusters = 0};
    int from[RK_MAX_CLUSTERS];
    for (int i = 0; good && i < whole->clusters; i++) {
        const struct rk_cluster *c = &whole->cluster[i];
        const uint64_t nodes = rk_cluster_nodes(c) * (uint64_t)quarters[i] / SHARES;
        if (!nodes) continue;
        from[machine->clusters] = i;
        asked.usable_bytes[machine->clusters] = show->question->usable_bytes[i];
        struct rk_cluster *to = &machine->cluster[machine->clusters++];
        *to = *c;
        to->system.devices = nodes * rk_cluster_node(c);
        tried->machine =
            report_text(show->report, "%s%s%llu %s", tried->machine, *tried->machine ? ", " : "",
                        (unsigned long long)nodes, c->name);
    }
    for (int a = 0; good && a < machine->clusters; a++)
        for (int b = 0; b < machine->clusters; b++)
            machine->link[a][b] = whole->link[from[a]][from[b]];
    asked.machine = machine;
    if (good && machine->clusters) {
        good = clusters_search(&asked, answer);
        if (good && !isinf(answer->best.value_s)) {
            tried->step_s = answer->best.simulated_s;
            tried->usd = clusters_price(machine, &answer->best);
            tried->gpus = clusters_gpus_used(&answer->best);
            tried->stages = answer->best.stages;
            tried->clusters = clusters_text(show->report, machine, &answer->best);
        }
    }
    free(machine);
    free(answer);
    return good;
}

static bool outdone(const struct priced *all, int count, int i)
{
    for (int k = 0; k < count; k++)
        if (all[k].step_s <= all[i].step_s && all[k].usd <= all[i].usd &&
            (all[k].step_s < all[i].step_s || all[k].usd < all[i].usd || k < i))
            return true;
    return false;
}

static int by_time(const void *a, const void *b)
{
    const struct priced *x = a, *y = b;
    return (x->step_s > y->step_s) - (x->step_s < y->step_s);
}

bool clusters_show_pareto(const struct clusters_shown *show)
{
    const struct report_table shape = {.name = "pareto",
                                       .title = "Time against price, by nodes there",
                                       .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                       .columns = pareto_columns,
                                       .column_count =
                                           sizeof pareto_columns / sizeof *pareto_columns};
    struct priced *tried = NULL;
    struct report_table *table = report_add(show->report, &shape);
    int count = 0, all = 1;
    bool good = true;
    for (int i = 0; i < show->question->machine->clusters; i++)
        all *= SHARES + 1;
    int code = 1;
    for (; good && code < all && count < MOST_TRIED; code++) {
        int quarters[RK_MAX_CLUSTERS] = {0};
        for (int i = 0, rest = code; i < show->question->machine->clusters; i++, rest /= SHARES + 1)
            quarters[i] = rest % (SHARES + 1);
        good = ARRAY_ROOM(tried, count) && try_shares(show, quarters, &tried[count]);
        if (good && isfinite(tried[count].usd)) count++;
    }
    if (good && code < all)
        report_note(show->report,
                    report_text(show->report,
                                "Pareto: %d shares of the clusters' nodes are not tried",
                                all - code));
    if (good && count) qsort(tried, (size_t)count, sizeof *tried, by_time);
    for (int i = 0; good && i < count; i++) {
        const struct priced *t = &tried[i];
        const struct report_cell cells[] = {
            cell_text(t->machine),
            cell_count(t->gpus),
            cell_number(t->step_s),
            cell_number(t->usd),
            cell_number((double)show->question->words.batch / t->usd),
            cell_count((uint64_t)t->stages),
            cell_text(t->clusters),
        };
        if (!outdone(tried, count, i)) report_row(show->report, table, cells);
    }
    free(tried);
    return good;
}
