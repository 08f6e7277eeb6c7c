#include "cli/train_switch.h"

#include "cli/executor.h"
#include "cli/keys.h"
#include "cli/plan_input.h"
#include "cli/train_model.h"

#include <jansson.h>
#include <reckon/program.h>
#include <string.h>

static void warn(const struct train_switch *s, const char *what)
{
    fprintf(stderr, "reckon: warning: %s:%llu: %s\n", s->path, (unsigned long long)s->line, what);
}

/* An event of reckon adapt: "switch" and "forced" name a plan, others are news. */
static void read_event(struct train_switch *s, const char *line)
{
    json_error_t why;
    json_t *event = json_loads(line, 0, &why);
    const char *kind = json_string_value(json_object_get(event, "event"));
    const char *to = json_string_value(json_object_get(event, "to"));
    if (!json_is_object(event))
        warn(s, "is not an event of reckon adapt, and is passed over");
    else if (kind && (strcmp(kind, "switch") == 0 || strcmp(kind, "forced") == 0)) {
        if (!to || strlen(to) >= sizeof s->to)
            warn(s, "says no plan: \"to\" has its words");
        else
            strcpy(s->to, to);
        s->step = (uint64_t)json_integer_value(json_object_get(event, "step"));
    }
    json_decref(event);
}

/* Lines that have come, up to the first that names a plan. */
static void read_lines(struct train_switch *s)
{
    clearerr(s->file); /* it may have grown */
    while (!*s->to && fgets(s->text + s->read, (int)(sizeof s->text - s->read), s->file)) {
        s->read += strlen(s->text + s->read);
        if (s->text[s->read - 1] != '\n' && s->read + 1 < sizeof s->text) continue;
        s->line++;
        s->read = 0;
        read_event(s, s->text);
    }
}

static bool apply(struct train_switch *s, struct rk_plan *plan, struct rk_error *error)
{
    struct plan_draft draft;
    struct option_texts none = {.count = 0};
    if (train_plan_read(s->to, &none, s->ranks, NULL, &draft, error) != RK_OK) return false;
    if (!plan_given(&draft, "batch")) draft.plan.batch = plan->batch;
    if (!plan_given(&draft, "sequence")) draft.plan.sequence = plan->sequence;
    if (!plan_given(&draft, "optimizer")) draft.plan.optimizer = plan->optimizer;
    struct rk_layout layout = *rk_plan_layout(&draft.plan);
    for (int i = 0; i < layout.others; i++)
        layout.other[i].sequence = draft.plan.sequence;
    draft.plan.layout = rk_layout_keep(&layout);
    if (draft.plan.batch != plan->batch || draft.plan.sequence != plan->sequence) {
        rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "a run keeps its batch and its sequence");
        return false;
    }
    if (draft.plan.optimizer != plan->optimizer) {
        rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "a run keeps its optimizer");
        return false;
    }
    struct rk_program program = {.rank = 0};
    const bool runs = cli_executor->check(s->model, &draft.plan, s->train, error) == RK_OK &&
                      rk_program_of(&program, s->model, s->system, &draft.plan, 0, error) == RK_OK;
    rk_program_release(&program);
    if (runs) *plan = draft.plan;
    return runs;
}

/* The next event that is due; false: none is. */
static bool next_due(struct train_switch *s, uint64_t step)
{
    if (s->file) read_lines(s);
    return *s->to && s->step <= step;
}

bool train_switch_next(struct train_switch *s, uint64_t step, struct rk_plan *plan)
{
    bool changed = false;
    while (!changed && next_due(s, step)) {
        struct rk_error error;
        char text[4096], why[1024];
        error = (struct rk_error){.status = RK_OK};
        changed = apply(s, plan, &error);
        error.path[0] = '\0';
        keys_say_error(&error, why, sizeof why);
        snprintf(text, sizeof text, "%s: %s; the run goes on as it is", s->to, why);
        if (changed)
            fprintf(stderr, "reckon: after step %llu: %s\n", (unsigned long long)step, s->to);
        else
            warn(s, text);
        *s->to = '\0';
    }
    return changed;
}
