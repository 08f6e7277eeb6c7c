/* serve_words.c - which choices of a plan a pass of inference has, and what others are told. */
#include "catalog/plan_fields.h"
#include "cli/serve.h"

#include <string.h>

/* A choice that is not here changes nothing, and is refused by name: a new one of plan.def too. */
static const struct {
    const char *key, *instead; /* "": inference has it */
} known[] = {
#define ROW(...) {__VA_ARGS__},
#include "tables/serve-words.h"
#undef ROW
};

/* What to say of one that inference has no use for; NULL: it has it. */
static const char *instead_of(const char *key)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].key, key) == 0) return *known[i].instead ? known[i].instead : NULL;
    return "nothing is trained";
}

enum rk_status serve_check_words(const struct plan_draft *draft, struct rk_error *error)
{
    for (int i = 0; plan_fields[i].key; i++) {
        const char *key = plan_fields[i].key, *instead = instead_of(key);
        if (draft->given[i] && plan_fields[i].word && instead)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "the plan says %s, which reckon serve has no use for (%s): leave it out",
                           key, instead);
    }
    return RK_OK;
}
