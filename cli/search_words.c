/* search_words.c - words of a plan as what all plans of a search have: an axis is restricted to its
 * word, everything else is so in every plan. */
#include "catalog/plan_fields.h"
#include "cli/plan_input.h"
#include "cli/search_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Said elsewhere, or found by the search. */
static const struct {
    const char *key, *instead;
} elsewhere[] = {
    {"gpus", "--gpus"}, /* of a text of several words: alone they are the options */
    {"batch", "--batch"},
    {"sequence", "--sequence"},
    {"split", "--split"},
    {"stages", "--split, or the whole plan to reckon predict"},
    {"first_layers", "--split"},
    {"last_layers", "--split"},
    {"embedding_counts", "--split ends"},
    {"head_counts", "--split ends"},
};

static enum rk_status check_words(const struct plan_draft *draft, struct rk_error *error)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (plan_given(draft, elsewhere[i].key))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "\"%s\" is not a word of a search: give %s",
                           plan_fields[plan_row(elsewhere[i].key)].word, elsewhere[i].instead);
    return RK_OK;
}

/* "gpus8", "gbs64", "seq2048": what one word says, as the option says it. False: another word. */
static bool take_size(const char *word, struct search_args *args, char text[24], bool *twice)
{
    struct plan_draft draft = plan_draft();
    struct rk_error ignored;
    if (strchr(word, ' ') || plan_read_words(word, &draft, &ignored) != RK_OK) return false;
    const bool gpus = plan_given(&draft, "gpus"), batch = plan_given(&draft, "batch");
    if (plan_given(&draft, "sequence")) {
        *twice = args->sequence != 0;
        args->sequence = draft.plan.sequence;
        return true;
    }
    if (!gpus && !batch) return false;
    const char **option = gpus ? &args->gpus : &args->batch;
    snprintf(text, 24, "%" PRIu64, gpus ? draft.plan.ranks : draft.plan.batch);
    *twice = *option != NULL;
    *option = text;
    return true;
}

enum rk_status search_take_sizes(struct search_args *args, char text[SEARCH_SIZES][24],
                                 struct rk_error *error)
{
    int kept = 0, taken = 0;
    struct option_texts *words = &args->words;
    for (int i = 0; i < words->count; i++) {
        bool twice = false;
        if (taken < SEARCH_SIZES && take_size(words->text[i], args, text[taken], &twice)) {
            taken++;
            if (twice)
                return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                               "\"%s\" says what is given already: give it once", words->text[i]);
            continue;
        }
        words->name[kept] = words->name[i];
        words->text[kept++] = words->text[i];
    }
    words->count = kept;
    return RK_OK;
}

/* Of a file, whose size the search has of its own. */
static enum rk_status read_plan(const char *name, struct plan_draft *draft, struct rk_error *error)
{
    static const char *const sizes[] = {"gpus", "batch", "sequence", "data"};
    const enum rk_status status = plan_named(name, draft, error);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && *draft->path; i++)
        draft->given[plan_row(sizes[i])] = false;
    return status;
}

enum rk_status search_take_words(const struct search_args *args, struct rk_plans_problem *problem,
                                 struct rk_error *error)
{
    const struct option_texts *words = &args->words;
    struct plan_draft draft = plan_draft();
    if (!args->plan && words->count == 0) return RK_OK;
    enum rk_status status = args->plan ? read_plan(args->plan, &draft, error) : RK_OK;
    if (status == RK_OK) status = plan_read_texts(words, &draft, error);
    if (status == RK_OK) status = check_words(&draft, error);
    if (status == RK_OK && args->framework >= 0 && plan_given(&draft, "framework"))
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "--framework and a word of the plan say the same: give one of them");
    if (status != RK_OK) return status;
    if (args->framework < 0 && !plan_given(&draft, "framework") && rk_plan_is_torchs(&draft.plan)) {
        draft.plan.framework = rk_usual_framework_of(problem->system, &draft.plan);
        draft.given[plan_row("framework")] = true;
    }
    return plan_problem_take(&draft, problem, error);
}
