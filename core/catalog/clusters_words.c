#include "catalog/clusters_words.h"

#include "plan/names.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Text that grows in a buffer of `size`; what does not fit is cut, and ends in "...". */
struct words {
    char *text;
    size_t size, used;
};

static void add(struct words *w, const char *format, ...) RK_PRINTF(2, 3);

static void add(struct words *w, const char *format, ...)
{
    va_list values;
    if (w->used >= w->size) return;
    va_start(values, format);
    w->used += (size_t)vsnprintf(w->text + w->used, w->size - w->used, format, values);
    va_end(values);
    if (w->used >= w->size) strcpy(w->text + w->size - sizeof "...", "...");
}

static void add_part(struct words *w, const struct rk_machine *machine,
                     const struct given_part *part, uint64_t round, bool alone)
{
    const struct rk_plan *plan = &part->plan;
    add(w, "%s%stp%" PRIu64, alone ? "" : machine->cluster[part->cluster].name, alone ? "" : " ",
        plan->tensor);
    if (plan->context > 1) add(w, " cp%" PRIu64, plan->context);
    if (plan->expert > 1) add(w, " ep%" PRIu64, plan->expert);
    add(w, " dp%" PRIu64, part->data);
    if (alone) add(w, " mbs%" PRIu64, round / part->data);
    if (plan->zero > 1) add(w, " zero%d", (int)plan->zero);
    if (plan->expert_overlap) add(w, " ep-overlap");
    if (plan->recompute != RK_KEEP)
        add(w, " recompute=%s", names_of_recompute_mode[plan->recompute]);
    if (plan->share[RK_SHARE_ATTENTION][0] > 0)
        add(w, " activation-offload=%g", plan->share[RK_SHARE_ATTENTION][0]);
    if (plan->share[RK_SHARE_OPTIMIZER][0] > 0)
        add(w, " optimizer-offload=%g", plan->share[RK_SHARE_OPTIMIZER][0]);
}

static void add_layers(struct words *w, const struct given_plan *plan, int stage)
{
    for (int k = 0; k < plan->chunks; k++)
        add(w, "%s%u", k ? "," : "", plan->split[k * plan->stages + stage]);
}

void clusters_words_of(const struct clusters_question *question, const struct given_plan *plan,
                       char *text, size_t size)
{
    struct words w = {text, size, 0};
    add(&w, "gbs%" PRIu64 " round%" PRIu64, question->words.batch, plan->round);
    for (int i = 0; i < plan->stages; i++) {
        const struct given_stage *stage = &plan->stage[i];
        const bool alone = stage->parts == 1;
        add(&w, "; %s%s", alone ? question->machine->cluster[stage->part[0].cluster].name : "",
            alone ? ": " : "");
        add_layers(&w, plan, i);
        add(&w, " layers%s", alone ? " " : ": ");
        for (int k = 0; k < stage->parts; k++) {
            if (k) add(&w, " + ");
            add_part(&w, question->machine, &stage->part[k], plan->round, alone);
        }
    }
}

void clusters_order_of(const struct rk_machine *machine, const struct given_plan *plan, char *text,
                       size_t size)
{
    struct words w = {text, size, 0};
    for (int i = 0; i < plan->stages; i++) {
        const struct given_stage *stage = &plan->stage[i];
        const bool again = i && stage->parts == 1 && plan->stage[i - 1].parts == 1 &&
                           stage->part[0].cluster == plan->stage[i - 1].part[0].cluster;
        for (int k = 0; k < stage->parts && !again; k++)
            add(&w, "%s%s",
                k   ? " + "
                : i ? ", "
                    : "",
                machine->cluster[stage->part[k].cluster].name);
    }
}
