/* search_misses.c - where no plan satisfies a condition: how near plans come to each part of it. */
#include "base/units.h"
#include "cli/questions.h"
#include "cli/search_select.h"
#include "search/conjuncts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAID = 1024 };
_Static_assert(sizeof((struct search *)0)->said == SAID, "a part is at most the whole");

/* "hbm <= 60GiB" of a condition, and the others. */
struct part {
    char text[SAID], left[SAID], others[SAID];
    char key[2 * SAID]; /* what is to be small, as a search knows it */
};

/* One comparison that can be missed by a little? */
static bool compares(const char *text)
{
    const size_t sign = strcspn(text, "<>=!");
    const char *right = text + sign + strspn(text + sign, "<>=!");
    return (text[sign] == '<' || text[sign] == '>') && !strpbrk(right, "<>=!") &&
           strncmp(text, "not ", 4) != 0 && strncmp(text, "not(", 4) != 0;
}

/* Takes part `number`; false: there are no more. */
static bool take_part(const char *said, int number, struct part *part)
{
    size_t used = 0;
    bool found = false;
    part->others[0] = '\0';
    for (size_t first = 0, i = 0; said[first]; i++) {
        const size_t end = conjunct_end(said, first);
        const char *text = said + first + strspn(said + first, " ");
        int length = (int)(said + end - text);
        while (length && text[length - 1] == ' ')
            length--;
        if ((int)i == number)
            found = snprintf(part->text, SAID, "%.*s", length, text) > 0;
        else if (used < SAID)
            used += (size_t)snprintf(part->others + used, SAID - used, "%s%.*s",
                                     used ? " and " : "", length, text);
        first = said[end] ? end + strlen("and") : end;
    }
    return found && used < SAID; /* " and " is longer than the blanks of some: nothing is cut */
}

/* What is compared, and how far from holding, in names that a search knows. */
static bool set_key(const struct search *search, struct part *part, struct rk_error *error)
{
    char apart[2 * SAID], text[SAID];
    const int sign = (int)strcspn(part->text, "<>");
    const char *right = part->text + sign + strspn(part->text + sign, "<>=");
    int length = sign;
    while (length && part->text[length - 1] == ' ')
        length--;
    snprintf(part->left, SAID, "%.*s", length, part->text);
    if (part->text[sign] == '<')
        snprintf(apart, sizeof apart, "(%s) - (%s)", part->left, right);
    else
        snprintf(apart, sizeof apart, "(%s) - (%s)", right, part->left);
    memcpy(text, part->others, sizeof text);
    return search_name_run(search, "--where", apart, part->key, sizeof part->key, error) == RK_OK &&
           search_name_run(search, "--where", text, part->others, SAID, error) == RK_OK;
}

/* The plan that comes nearest to it of those that satisfy the others. */
static bool find_nearest(const struct search *search, const struct part *part,
                         struct rk_found *found)
{
    char where[SAID + 64];
    const bool roomy = isfinite(search->usable_bytes) && search->room != SEARCH_NO_ROOM;
    const struct rk_query query = {.where = *part->others || roomy ? where : NULL,
                                   .sort = part->key,
                                   .top = 1,
                                   .threads = (int)search->args->threads};
    struct rk_answer answer = {.found = 0};
    struct rk_prediction prediction;
    struct rk_error error;
    snprintf(where, sizeof where, "%s", part->others);
    if (roomy)
        snprintf(where, sizeof where, "%s%shbm_bytes <= %.17g", part->others,
                 *part->others ? " and " : "", search->usable_bytes);
    const bool any =
        rk_ask(search->space, &query, &answer, &error) == RK_OK && answer.complete && answer.found;
    if (any) {
        rk_plans_plan(search->space, answer.best[0].index, &found->plan);
        rk_predict(search->problem.model, search->problem.system, &found->plan, &prediction);
        found->outcome = prediction.outcome;
    }
    rk_answer_release(&answer);
    return any;
}

static const char *value_of(struct report *report, const struct search *search,
                            const struct part *part, const struct rk_found *found)
{
    const struct predictor *predictor = predictor_of(search->problem.base.framework);
    const struct rk_figure *figure = expression_figure(predictor, part->left);
    const double of_run = search_run_value(search, part->left, found->outcome.step_s);
    struct search_key key;
    struct rk_error error;
    char text[QUANTITY_TEXT];
    if (!isnan(of_run)) return report_text(report, "%.4g", of_run);
    if (expression_compile(&key.expression, predictor, part->left, strlen(part->left), 0, &error) !=
        RK_OK)
        return NULL;
    const double value = search_key_value(&key, &found->plan, &found->outcome);
    if (figure && strcmp(figure->unit, "B") == 0)
        return report_text(report, "%s", quantity_format(text, QUANTITY_BYTES, value));
    return report_text(report, "%.4g", value);
}

void print_nearest(struct report *report, const struct search *search)
{
    static const struct report_column columns[] = {
        {.name = "condition"},
        {.name = "nearest"},
        {.name = "step_s", .title = "step", .unit = "s", .digits = 4},
        {.name = "plan"},
    };
    struct report_table *table = NULL;
    struct part part;
    struct rk_error error;
    struct rk_found found;
    char words[RK_PLAN_TEXT];
    if (!search->where[0] || condition_has_or(search->said)) return;
    for (int i = 0; take_part(search->said, i, &part); i++) {
        if (!compares(part.text) || !set_key(search, &part, &error) ||
            !find_nearest(search, &part, &found))
            continue;
        if (!table)
            table = REPORT_LIST(report, "nearest_misses",
                                "Plans nearest to each condition, with the others kept",
                                REPORT_IN_TEXT | REPORT_IN_JSON, columns);
        rk_plan_text(&found.plan, words, sizeof words);
        REPORT_ROW(report, table, cell_text(report_text(report, "%s", part.text)),
                   cell_text(value_of(report, search, &part, &found)),
                   cell_number(found.outcome.step_s), cell_text(report_text(report, "%s", words)));
    }
}
