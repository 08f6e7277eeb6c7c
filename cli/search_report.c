/* search_report.c - all that is said of one search: its answer, and what is asked beyond it. */
#include "cli/questions.h"
#include "cli/search_clusters.h"
#include "cli/search_job.h"
#include "cli/search_select.h"

/* Of the row that is printed first: of the fastest, searched again on each machine; of one that is
 * first by something else, held as it is. */
static void fill_sensitivity(struct report *report, const struct search *search,
                             const struct rk_aim *aim)
{
    struct rk_plan plan;
    const bool held = (search->args->sort || search->args->pareto) && search->result.found > 0;
    if (held) search_plan(search, 0, &plan);
    print_sensitivity(report, &search->problem, aim, held ? &plan : NULL);
    if (search_is_over_clusters(search)) search_clusters_links(report, search);
}

/* What is asked beyond the best ones, added to the report: on the process that speaks. */
static void fill_questions(struct report *report, const struct search *search)
{
    const struct search_args *args = search->args;
    const struct rk_aim aim = search_aim(search);
    if (!search->result.complete || !search_speaks()) return;
    const bool quick = !search_is_over_clusters(search); /* to ask without being asked */
    if (search->result.found == 0 && quick && search->result.counts.verdict[RK_FITS][0])
        print_nearest(report, search);
    /* of a model that is not predicted nothing of the machine is to blame */
    const bool blind =
        rk_search_count(&search->result.counts, RK_BAD_MODEL) == search->result.counts.total;
    if (blind && search->result.found == 0 && search->result.counts.total) return;
    if (args->why || (search->result.found == 0 && quick))
        print_why(report, &search->problem, &aim);
    if (args->sensitivity) fill_sensitivity(report, search, &aim);
}

/* With --tokens, what becomes of the best plan: the whole run. */
static enum rk_status fill_run(struct report *report, const struct search *search,
                               struct rk_error *error)
{
    const struct rk_plans_problem *p = &search->problem;
    struct rk_prediction prediction;
    struct rk_plan plan;
    if (!search->result.found || !search_speaks()) return RK_OK;
    search_plan(search, 0, &plan);
    rk_predict(p->model, p->system, &plan, &prediction);
    const struct forecast forecast = {p->model, p->system, &plan, &prediction, "", NULL};
    return search_is_over_clusters(search)
               ? run_section(report, &search->args->run, &forecast, NULL, NULL, error)
               : run_section(report, &search->args->run, &forecast, p, &search->run, error);
}

enum rk_status search_report(struct report *report, const struct search *search,
                             const struct search_keys *keys, struct rk_error *error)
{
    search_answer_fill(report, search, keys);
    fill_questions(report, search);
    const enum rk_status status = fill_run(report, search, error);
    return status == RK_OK ? search_answer_nearest(report, search, error) : status;
}
