#include "keys/target.h"
#include "base/memory.h"
#include "catalog/model_fields.h"

#include <stdlib.h>
#include <string.h>

static bool is_one(const char *const *outside, const char *key)
{
    for (; outside && *outside; outside++)
        if (strcmp(*outside, key) == 0) return true;
    return false;
}

/* The tool's reading of a file of the plan; `model` becomes the file's. */
static enum rk_status read_text(const struct target *t, const char *text,
                                const struct rk_plan *plan, struct rk_model *model,
                                struct rk_plan *run, struct notes *notes, struct rk_error *error)
{
    char sets[TARGET_SETS][80];
    const char *list[TARGET_SETS];
    const int count = t->sets ? t->sets(model, plan, sets) : 0;
    for (int i = 0; i < count; i++)
        list[i] = sets[i];
    const struct config_source source = {
        .path = t->file,
        .text = text,
        .sets = list,
        .set_count = (size_t)count,
        .gpus = t->given_gpus ? plan->ranks : 0,
        .keys = {.ignored = &t->ignored, .ignored_count = t->ignored ? 1 : 0}};
    return t->read(&source, model, run, notes, error);
}

/* ---- which tools of fine-tuning have a value ---- */

static bool differs(const struct rk_model *model, const struct rk_plan *a, const struct rk_plan *b,
                    int row, struct plan_difference *list)
{
    const struct rk_plan left = plan_canonical(model, a), right = plan_canonical(model, b);
    const int count = plan_compare(&left, &right, list);
    for (int i = 0; i < count; i++)
        if (list[i].row == row) return true;
    return false;
}

bool target_reads(const struct target *t, const struct rk_model *model, const struct rk_plan *plan,
                  struct rk_plan *run)
{
    char *text = NULL;
    size_t size = 0;
    struct rk_model same = *model;
    struct rk_error none;
    struct notes *spare = calloc(1, sizeof *spare);
    FILE *memory = spare ? open_memstream(&text, &size) : NULL;
    bool reads = false;
    if (memory) {
        t->write(memory, model, plan, 0);
        reads = fclose(memory) == 0 && read_text(t, text, plan, &same, run, spare, &none) == RK_OK;
    }
    free(text);
    free(spare);
    return reads;
}

/* Does the tool's file, read back, have the plan's value of that row of plan_fields? */
static bool expresses(const struct target *t, const struct rk_model *model,
                      const struct rk_plan *plan, int row)
{
    struct rk_plan run;
    struct plan_difference *list = calloc(PLAN_MAX_FIELDS, sizeof *list);
    const bool has =
        list && target_reads(t, model, plan, &run) && !differs(model, plan, &run, row, list);
    free(list);
    return has;
}

bool target_says_change(const struct target *t, const struct rk_model *model,
                        const struct rk_plan *from, const struct rk_plan *to)
{
    struct plan_difference *list = calloc(PLAN_MAX_FIELDS, sizeof *list);
    const struct rk_plan a = plan_canonical(model, from), b = plan_canonical(model, to);
    const int count = list ? plan_compare(&a, &b, list) : 0;
    bool says = list != NULL;
    for (int i = 0; i < count && says; i++)
        says = is_one(t->outside, plan_fields[list[i].row].key) ||
               expresses(t, model, to, list[i].row);
    free(list);
    return says;
}

/* What to do instead: the tools whose files train it. */
static void advise(const struct rk_model *model, const struct rk_plan *plan, int row, char *fix,
                   size_t size)
{
    static const struct target *const tuning[] = {&axolotl_target, &llama_factory_target,
                                                  &trl_target, &torchtune_target};
    size_t used = 0;
    struct rk_plan tuned = *plan;
    tuned.framework = RK_FSDP;
    for (size_t i = 0; i < sizeof tuning / sizeof *tuning; i++)
        if (expresses(tuning[i], model, &tuned, row))
            used += (size_t)snprintf(fix + used, size - used, "%s%.*s",
                                     used ? ", " : "files that train it: reckon export ",
                                     (int)strcspn(tuning[i]->file, "."), tuning[i]->file);
    if (!used)
        snprintf(fix, size, "no file of reckon export says it: leave it out");
    else if (plan->framework != RK_FSDP)
        snprintf(fix + used, size - used, " (framework=fsdp)");
}

static const char *const trained[] = {TARGET_TRAINED, NULL};

enum rk_status target_compare(const struct rk_model *model, const struct rk_plan *plan,
                              const struct rk_plan *run, const char *tool,
                              const char *const *outside, struct notes *notes,
                              struct rk_error *error)
{
    char fix[208];
    struct plan_difference *list = calloc(PLAN_MAX_FIELDS, sizeof *list);
    if (!list) return no_memory(error);
    const struct rk_plan b = plan_canonical(model, run);
    struct rk_plan a = plan_canonical(model, plan);
    plan_take_dealing(model, &a, &b); /* which may be said in several ways */
    const int count = plan_compare(&a, &b, list);
    for (int i = 0; i < count; i++) {
        const char *key = plan_fields[list[i].row].key;
        if (is_one(outside, key))
            notes_add(notes, NOTE_WARNING, 0, 0, key, list[i].a,
                      "is not decided by %s: see to it in the training code", tool);
        else if (is_one(trained, key)) {
            advise(model, plan, list[i].row, fix, sizeof fix);
            notes_add_rule(notes, "", NOTE_REFUSED, 0, 0, key, list[i].a, fix,
                           "cannot be expressed in %s: the run has %s and trains something else",
                           tool, strcmp(list[i].b, "no") == 0 ? "none of it" : list[i].b);
        } else
            notes_add(notes, NOTE_WARNING, 0, 0, key, list[i].a,
                      "cannot be expressed in %s: the run has %s", tool, list[i].b);
    }
    free(list);
    return notes_refusal(notes, NULL, error) == RK_OK ? RK_OK : (error->status = RK_UNSUPPORTED);
}

/* A number of the model that the file does not have: the tool has its own. */
static void note_number(const struct target *t, const struct rk_model *model,
                        const struct field *field, struct notes *notes)
{
    char value[32];
    if (!(model_field_number(model, field) > 0)) return;
    snprintf(value, sizeof value, "%.15g", model_field_number(model, field));
    notes_add(notes, NOTE_WARNING, 0, 0, field->key, value,
              "is not written: see that %s has it of this model", t->name);
}

static void compare_models(const struct target *t, const struct rk_model *model,
                           const struct rk_model *run, struct notes *notes)
{
    for (const struct field *f = model_fields; t->conventions && f->key; f++)
        if (is_one(t->conventions, f->key))
            continue;
        else if (f->type == FIELD_NUMBER)
            note_number(t, model, f, notes);
        else if (!model_fields_equal(model, run, f))
            notes_add(notes, NOTE_REFUSED, 0, 0, f->key, "", "%s: %s has no such model", f->help,
                      t->name);
}

/* What the reader refuses, the tool would: the plan's and not the file's fault. */
static void take_refusals(const struct notes *from, struct notes *notes)
{
    for (int i = 0; i < from->count; i++)
        if (from->note[i].severity == NOTE_REFUSED)
            notes_add(notes, NOTE_REFUSED, 0, 0, from->note[i].what, from->note[i].have, "%s",
                      from->note[i].need);
}

static enum rk_status read_back(const struct target *t, const char *text,
                                const struct rk_model *model, const struct rk_plan *plan,
                                struct notes *notes, struct rk_error *error)
{
    struct notes *spare = calloc(1, sizeof *spare);
    struct rk_model same = *model;
    struct rk_plan run;
    if (!spare) return no_memory(error);
    enum rk_status status = read_text(t, text, plan, &same, &run, spare, error);
    if (status != RK_OK) take_refusals(spare, notes);
    free(spare);
    if (status == RK_OK) compare_models(t, model, &same, notes);
    if (notes_refusal(notes, NULL, error) != RK_OK) return error->status = RK_UNSUPPORTED;
    if (status != RK_OK) return status;
    if (t->conventions) run.sequence = plan->sequence; /* it is the model's */
    return target_compare(model, plan, &run, t->name, t->outside, notes, error);
}

void target_refuse(const struct rule_case *c, unsigned parts, struct notes *notes)
{
    enum rule broken[RULES];
    const int count = rules_broken(c, parts, broken);
    for (int i = 0; i < count; i++) {
        const struct rule_words w = rule_words(broken[i], c);
        notes_add_rule(notes, w.id, NOTE_REFUSED, 0, 0, w.key, w.have, w.fix, "%s", w.need);
    }
}

enum rk_status target_write(const struct target *t, FILE *file, const struct rk_model *model,
                            const struct rk_plan *plan, uint64_t gpus_per_node, struct notes *notes,
                            struct rk_error *error)
{
    char *text = NULL;
    size_t size = 0;
    struct rule_case c = rule_case_of(model, NULL, plan);
    c.who |= t->who;
    target_refuse(&c, 1u << CHECK_DEGREES | 1u << CHECK_BATCH | 1u << CHECK_TOOL, notes);
    if (notes_refusal(notes, NULL, error) != RK_OK) return error->status = RK_UNSUPPORTED;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return no_memory(error);
    t->write(memory, model, plan, gpus_per_node);
    const bool whole = fclose(memory) == 0;
    const enum rk_status status =
        whole ? read_back(t, text, model, plan, notes, error) : no_memory(error);
    if (status == RK_OK && t->head) {
        t->head(file, model, plan);
        for (int i = 0; i < notes->count; i++)
            fprintf(file, "# %s %s: %s\n", notes->note[i].what, notes->note[i].have,
                    notes->note[i].need);
    }
    if (status == RK_OK) fputs(text, file);
    free(text);
    return status;
}
