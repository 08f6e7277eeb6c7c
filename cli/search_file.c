#include "cli/search_file.h"

#include "base/memory.h"
#include "text/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const framework_names[] = {"megatron", "fsdp", "deepspeed", "calculon", NULL};

#define AT(member) .offset = offsetof(struct search_file, member)

/* clang-format off */
static const struct row {
    const char *object;
    struct field field;
} rows[] = {
    {"model",   {.key = "id",         .type = FIELD_TEXT,   AT(model),  .size = sizeof((struct search_file *)0)->model}},
    {"system",  {.key = "id",         .type = FIELD_TEXT,   AT(system), .size = sizeof((struct search_file *)0)->system}},
    {"problem", {.key = "gpus",       .type = FIELD_COUNT,  AT(gpus),      .min = 1}},
    {"problem", {.key = "batch",      .type = FIELD_COUNT,  AT(batch),     .min = 1}},
    {"problem", {.key = "sequence",   .type = FIELD_COUNT,  AT(sequence),  .min = 1}},
    {"problem", {.key = "framework",  .type = FIELD_CHOICE, AT(framework), .choices = framework_names}},
    {"counts",  {.key = "plans",      .type = FIELD_COUNT,  AT(plans)}},
    {"counts",  {.key = "fits",       .type = FIELD_COUNT,  AT(fits)}},
};
static const struct field candidate_fields[] = {
    {.key = "index",  .type = FIELD_COUNT,  .offset = offsetof(struct rk_candidate, index)},
    {.key = "step_s", .type = FIELD_NUMBER, .offset = offsetof(struct rk_candidate, step_s)},
};
/* clang-format on */

bool search_file_is(const struct document *document)
{
    const char *command = json_string_value(json_object_get(document->root, "command"));
    return (command && strcmp(command, "search") == 0) || json_object_get(document->root, "best") ||
           json_object_get(document->root, "counts");
}

void search_file_release(struct search_file *file)
{
    free(file->best);
    *file = (struct search_file){.best = NULL};
}

static enum rk_status need_member(const struct place *object, const char *key, struct place *member,
                                  struct rk_error *error)
{
    if (place_member(object, key, member)) return RK_OK;
    return place_fail(object, error,
                      "\"%s\" is missing: this is not a complete output of `reckon search --format "
                      "json`",
                      key);
}

static enum rk_status read_candidate(const struct place *element, struct rk_candidate *candidate,
                                     struct rk_error *error)
{
    struct place member;
    enum rk_status status = place_need_object(element, error);
    for (int i = 0; i < 2 && status == RK_OK; i++) {
        status = need_member(element, candidate_fields[i].key, &member, error);
        if (status == RK_OK) status = field_load(&member, &candidate_fields[i], candidate, error);
    }
    return status;
}

static enum rk_status read_best(const struct place *root, struct search_file *file,
                                struct rk_error *error)
{
    struct place list;
    enum rk_status status = need_member(root, "best", &list, error);
    if (status == RK_OK) status = place_need_array(&list, 0, 1000000, error);
    if (status != RK_OK) return status;
    file->found = json_array_size(list.value);
    file->best = calloc(file->found + 1, sizeof *file->best);
    if (!file->best) return no_memory(error);
    for (size_t i = 0; i < file->found && status == RK_OK; i++) {
        const struct place element = place_element(&list, i);
        status = read_candidate(&element, &file->best[i], error);
    }
    return status;
}

/* Null when there were several. */
static enum rk_status read_precision(const struct place *root, struct search_file *file,
                                     struct rk_error *error)
{
    struct place problem, member;
    enum rk_status status = need_member(root, "problem", &problem, error);
    if (status == RK_OK) status = need_member(&problem, "precision", &member, error);
    const char *name = status == RK_OK ? json_string_value(member.value) : NULL;
    snprintf(file->precision, sizeof file->precision, "%s", name ? name : "");
    return status;
}

enum rk_status search_file_read(const struct document *document, struct search_file *file,
                                struct rk_error *error)
{
    const struct place root = place_root(document);
    enum rk_status status = place_need_object(&root, error);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == RK_OK; i++) {
        struct place object, member;
        status = need_member(&root, rows[i].object, &object, error);
        if (status == RK_OK) status = place_need_object(&object, error);
        if (status == RK_OK) status = need_member(&object, rows[i].field.key, &member, error);
        if (status == RK_OK) status = field_load(&member, &rows[i].field, file, error);
    }
    if (status == RK_OK) status = read_precision(&root, file, error);
    return status == RK_OK ? read_best(&root, file, error) : status;
}

/* ---- the same search again ---- */

static enum rk_status differs(const struct document *document, const char *what, double theirs,
                              double ours, struct rk_error *error)
{
    return rk_fail(
        error, RK_BAD_INPUT, document->path, 0, 0,
        "%s: the file says %.17g, the same search now gives %.17g: give the restrictions, "
        "the model and the system that it was made with, or make it again with this "
        "version",
        what, theirs, ours);
}

enum rk_status search_file_check(const struct document *document, const struct search_file *file,
                                 const struct rk_answer *result, struct rk_error *error)
{
    if (file->plans != result->counts.total)
        return differs(document, "plans", (double)file->plans, (double)result->counts.total, error);
    if (file->fits != result->counts.verdict[RK_FITS][0])
        return differs(document, "fits", (double)file->fits,
                       (double)result->counts.verdict[RK_FITS][0], error);
    if (file->found > result->found)
        return differs(document, "best", (double)file->found, (double)result->found, error);
    for (size_t i = 0; i < file->found; i++) {
        if (file->best[i].index != result->best[i].index)
            return differs(document, "best: index", (double)file->best[i].index,
                           (double)result->best[i].index, error);
        if (fabs(file->best[i].step_s / result->best[i].step_s - 1) > 1e-12)
            return differs(document, "best: step_s", file->best[i].step_s, result->best[i].step_s,
                           error);
    }
    return RK_OK;
}
