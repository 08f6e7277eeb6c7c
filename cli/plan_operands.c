#include "cli/plan_operands.h"

#include "catalog/catalog.h"
#include "catalog/plan_fields.h"

#include <reckon/status.h>

#include <string.h>
#include <unistd.h>

/* By its first word, where it is a line of them. */
static bool is_of_plan(const char *word)
{
    return plan_is_word(word, strcspn(word, " \t"));
}

static bool is_of_system(const char *word)
{
    return !is_of_plan(word) && catalog_is_system_word(word);
}

/* Is the first word of it, "h100" of "h100 x8", an id of the catalog? */
static bool is_known(enum catalog_kind kind, const char *text)
{
    char id[256];
    snprintf(id, sizeof id, "%.*s", (int)strcspn(text, " "), text);
    return catalog_has(kind, id);
}

/* What only an id can be: no file, no line that describes one, no list. */
static bool is_unknown_id(enum catalog_kind kind, const char *word)
{
    return catalog_form(kind, word) == CATALOG_ID && !strpbrk(word, ",{") &&
           !(kind == CATALOG_MODELS && model_line_is(word)) && !catalog_has(kind, word) &&
           access(word, F_OK) != 0;
}

/* What is wrong with the word as a plan's, and as a model or a machine. */
static enum rk_status fail_both(enum catalog_kind kind, const char *word, struct rk_error *error)
{
    struct plan_draft draft = plan_draft();
    struct rk_error as_plan, as_id;
    struct document document;
    char id[256];
    plan_read_words(word, &draft, &as_plan);
    if (catalog_open(kind, word, &document, id, sizeof id, &as_id) == RK_OK) return RK_OK;
    if (catalog_has(kind == CATALOG_MODELS ? CATALOG_SYSTEMS : CATALOG_MODELS, word)) {
        *error = as_id; /* of the other kind */
        return error->status;
    }
    if (strstr(as_plan.text, ": there are ")) { /* near no word */
        *error = as_id;
        return error->status;
    }
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%.400s; as a word of a plan: %.400s",
                   as_id.text, as_plan.text);
}

static enum rk_status fit_any(enum catalog_kind kind, const char *word, const char *given,
                              enum operand_fit *fit, struct rk_error *error)
{
    *fit = given || is_of_plan(word) ? OPERAND_PASSES : OPERAND_TAKES;
    return *fit == OPERAND_TAKES && is_unknown_id(kind, word) ? fail_both(kind, word, error)
                                                              : RK_OK;
}

enum rk_status operand_model(const char *word, const char *given, enum operand_fit *fit,
                             struct rk_error *error)
{
    return fit_any(CATALOG_MODELS, word, given, fit, error);
}

enum rk_status operand_system(const char *word, const char *given, enum operand_fit *fit,
                              struct rk_error *error)
{
    if (!given || !is_of_system(word)) return fit_any(CATALOG_SYSTEMS, word, given, fit, error);
    *fit = OPERAND_ADDS;
    return RK_OK;
}

enum rk_status operand_known_model(const char *word, const char *given, enum operand_fit *fit,
                                   struct rk_error *error)
{
    (void)error; /* another operand takes what is not known */
    *fit = !given && is_known(CATALOG_MODELS, word) ? OPERAND_TAKES : OPERAND_PASSES;
    return RK_OK;
}

enum rk_status operand_known_system(const char *word, const char *given, enum operand_fit *fit,
                                    struct rk_error *error)
{
    (void)error;
    const bool adds = given && is_of_system(word);
    *fit = adds                                        ? OPERAND_ADDS
           : !given && is_known(CATALOG_SYSTEMS, word) ? OPERAND_TAKES
                                                       : OPERAND_PASSES;
    return RK_OK;
}
