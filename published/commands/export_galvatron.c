/* export_galvatron.c - a plan as the strategy file of Galvatron. */
#include "base/memory.h"
#include "cli/export_plan.h"
#include "galvatron/convert.h"
#include "keys/flat.h"

#include <stdio.h>

enum rk_status export_galvatron(FILE *file, const struct export_plan *plan, struct rk_plan *run,
                                struct notes *notes, struct rk_error *error)
{
    struct galvatron_question question;
    struct galvatron_answer answer;
    enum rk_status status =
        galvatron_of_plan(&plan->model, &plan->plan, &question, &answer, run, error);
    if (status == RK_OK) {
        json_t *json = galvatron_strategy_json(&question, &answer, true);
        if (!json)
            status = no_memory(error);
        else if (json_dumpf(json, file, JSON_INDENT(4)) == 0)
            putc('\n', file);
        json_decref(json);
    }
    if (status == RK_OK)
        layers_compare(&plan->model, &plan->plan, run, "a strategy file of Galvatron's", notes);
    galvatron_answer_release(&answer);
    return status;
}
