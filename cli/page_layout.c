/* Which ranks form a group, and in which network domains they stand. */
#include "cli/describe.h"
#include "cli/pages.h"
#include "cli/ranks_map.h"
#include "clusters/predict.h"
#include "plan/ranks.h"

#include <stdlib.h>

enum { MOST_SPANS = 256, FIRST_RANKS = 64 };

/* One parallelism: its groups are runs of `stride * degree` ranks, its members runs of `stride`. */
struct parallelism {
    const char *group;
    enum rank_groups ranks;
    uint64_t degree, stride;
};

/* clang-format off */
static const struct parallelism parallelisms[] = {
    {.group = "tensor rank",    .ranks = RANKS_OF_TENSOR},
    {.group = "context rank",   .ranks = RANKS_OF_CONTEXT},
    {.group = "expert rank",    .ranks = RANKS_OF_EXPERT},
    {.group = "data replica",   .ranks = RANKS_OF_DATA},
    {.group = "pipeline stage", .ranks = RANKS_OF_PIPELINE},
};
/* clang-format on */
enum { LEVELS = sizeof parallelisms / sizeof *parallelisms };

struct layout {
    struct html_page *page;
    const struct page_plan *plan;
    struct parallelism level[LEVELS];
    const char *source;
};

/* Calculon has networks in place of an order: tensor, pipeline, data from the innermost one on. */
static void find_levels(struct layout *l)
{
    struct rk_plan plan = *l->plan->forecast->plan;
    if (!rk_answerer(plan.framework)->layers) plan.order = RK_ORDER_TP_CP_PP_DP;
    const struct rank_map map = rank_map_of(&plan);
    for (int i = 0; i < LEVELS; i++) {
        l->level[i] = parallelisms[i];
        l->level[i].degree = ranks_of_group(&map, parallelisms[i].ranks);
        l->level[i].stride = l->level[i].degree > 1 ? rank_stride(&map, parallelisms[i].ranks) : 1;
    }
}

/* The innermost network whose domains hold a whole group. */
static int network_of(const struct rk_system *system, const struct parallelism *level)
{
    int tier = 0;
    while (tier + 1 < system->networks &&
           system->network[tier].size < level->stride * level->degree)
        tier++;
    return tier;
}

static void run_row(const struct layout *l, struct report_table *table, const char *row,
                    const char *label, uint64_t first, uint64_t last)
{
    REPORT_ROW(&l->page->memory, table, cell_text(row), cell_text(label), cell_count(first),
               cell_count(last), cell_count(last - first));
}

/* Runs of `length` ranks up to `ranks`, numbered modulo `degree` (0: not). */
static void runs(const struct layout *l, struct report_table *table, const char *row,
                 uint64_t length, uint64_t degree, uint64_t ranks)
{
    if (length == 0 || ranks / length > MOST_SPANS) return;
    for (uint64_t first = 0, i = 0; first < ranks; first += length, i++)
        run_row(
            l, table, row,
            report_text(&l->page->memory, "%llu", (unsigned long long)(degree ? i % degree : i)),
            first, first + length < ranks ? first + length : ranks);
}

static void layout_chart(const struct layout *l, const char *id, const char *title, uint64_t ranks)
{
    static const struct report_column columns[] = {
        {.name = "row", .title = "what"},
        {.name = "number"},
        {.name = "first", .title = "from rank"},
        {.name = "end", .title = "to before rank"},
        {.name = "ranks"},
    };
    const struct rk_system *system = l->plan->forecast->system;
    struct report *memory = &l->page->memory;
    struct report_table *table = page_table(l->page, columns, 5);
    for (int tier = system->networks - 1; tier >= 0; tier--)
        runs(l, table, report_text(memory, "%s domain", system->network[tier].name),
             system->network[tier].size, 0, ranks);
    for (int i = LEVELS - 1; i >= 0; i--)
        if (l->level[i].degree > 1)
            runs(l, table, l->level[i].group, l->level[i].stride, l->level[i].degree, ranks);
    page_chart(
        l->page,
        &(struct chart){.id = id,
                        .title = title,
                        .kind = CHART_SPANS,
                        .caption =
                            "Ranks in the order of their numbers. A row with more than 256 pieces "
                            "is left out.",
                        .source = l->source,
                        .table = table,
                        .role = {[CHART_X] = "first",
                                 [CHART_X_END] = "end",
                                 [CHART_Y] = "row",
                                 [CHART_SERIES] = "row",
                                 [CHART_LABEL] = "number"},
                        .x = {.title = "rank"}});
}

static void summary(const struct layout *l)
{
    static const struct report_column columns[] = {
        {.name = "parallelism"},
        {.name = "degree"},
        {.name = "network"},
        {.name = "stride", .title = "ranks between neighbours"},
        {.name = "domains", .title = "innermost domains of a group"},
    };
    const struct rk_system *system = l->plan->forecast->system;
    struct report_table *table = page_table(l->page, columns, 5);
    for (int i = 0; i < LEVELS; i++) {
        const struct parallelism *level = &l->level[i];
        if (level->degree <= 1) continue;
        const uint64_t span = level->stride * (level->degree - 1) + 1;
        const uint64_t size = system->network[0].size;
        REPORT_ROW(&l->page->memory, table, cell_text(level->group), cell_count(level->degree),
                   cell_text(network_name(&l->page->memory, system, network_of(system, level))),
                   cell_count(level->stride),
                   cell_count(level->stride >= size ? level->degree : (span + size - 1) / size));
    }
    page_show(l->page, "Groups", table, l->source);
}

/* Over several clusters each stage has ranks of its own: where they are is drawn. */
static void page_map(struct html_page *page, const struct forecast *f)
{
    struct clusters_judged *judged = malloc(sizeof *judged);
    struct rk_prediction *again = malloc(sizeof *again);
    bool regular = judged && again;
    if (regular) predict_clusters(f->model, f->system, f->plan, again, judged);
    for (int i = 0; regular && i < judged->plan.stages; i++)
        regular = !judged->plan.stage[i].homes || judged->plan.stage[i].regular;
    if (regular) page_section(page, "layout", "Ranks", NULL);
    if (regular) clusters_map(page, &judged->plan, f->system->machine);
    free(again);
    free(judged);
}

void page_layout(struct html_page *page, const struct page_plan *plan)
{
    if (plan->forecast->system->machine) {
        page_map(page, plan->forecast);
        return;
    }
    struct layout l = {.page = page, .plan = plan};
    l.source = report_text(&page->memory, "reckon report %s --charts DIR", plan->arguments);
    const uint64_t ranks = plan->forecast->plan->ranks;
    find_levels(&l);
    page_section(
        page, "layout", "Ranks over the network",
        "Ranks are counted in the order of the plan; neighbours of its first parallelism share "
        "the fastest links.");
    if (ranks > FIRST_RANKS) {
        const uint64_t size = plan->forecast->system->network[0].size;
        const uint64_t first = size > FIRST_RANKS && size <= MOST_SPANS ? size : FIRST_RANKS;
        layout_chart(&l, "layout", "All ranks", ranks);
        if (first < ranks)
            layout_chart(
                &l, "layout-first",
                report_text(&page->memory, "The first %llu ranks", (unsigned long long)first),
                first);
    } else {
        layout_chart(&l, "layout", "All ranks", ranks);
    }
    summary(&l);
}
