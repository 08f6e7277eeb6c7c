#include "advise/clusters_state.h"

#include "base/hash.h"
#include "base/memory.h"
#include "search/fingerprint.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the search is about ---- */

static void mix_machine(uint64_t *hash, const struct rk_machine *machine)
{
    mix_number(hash, (uint64_t)machine->clusters);
    for (int i = 0; i < machine->clusters; i++) {
        fingerprint_system(hash, &machine->cluster[i].system);
        mix_number(hash, machine->cluster[i].system.devices);
        mix_real(hash, machine->cluster[i].price_USDph);
        for (int k = 0; k < i; k++) {
            const struct rk_cluster_link *link = &machine->link[i][k];
            mix_real(hash, link->bandwidth_Bps);
            mix_real(hash, link->latency_s);
            mix_real(hash, link->cap_Bps);
        }
    }
}

/* What is predicted of each machine: another version of which another time comes out has other
 * states. */
static bool mix_predictions(uint64_t *hash, const struct clusters_question *q)
{
    struct rk_prediction *prediction = malloc(sizeof *prediction);
    if (!prediction) return false;
    for (int i = 0; i < q->machine->clusters; i++) {
        struct rk_plan plan = q->words;
        plan.tensor = plan.context = plan.pipeline = plan.expert = plan.ranks = 1;
        plan.batch = plan.microbatch = 1;
        rk_predict(q->model, &q->machine->cluster[i].system, &plan, prediction);
        mix_real(hash, prediction->step_s);
    }
    free(prediction);
    return true;
}

static bool fingerprint_of(const struct clusters_input *input, const char *where, uint64_t *hash)
{
    const struct clusters_question *q = &input->question;
    const bool said[] = {q->tensor,  q->context, q->expert, q->recompute,
                         q->offload, q->round,   q->apart};
    *hash = HASH_START;
    fingerprint_model(hash, q->model);
    fingerprint_plan(hash, &q->words);
    mix_machine(hash, q->machine);
    mix(hash, said, sizeof said);
    mix(hash, q->usable_bytes, sizeof q->usable_bytes);
    mix_text(hash, where);
    mix_number(hash, (uint64_t)input->kept.most);
    mix_number(hash, sizeof(struct clusters_answer));
    return mix_predictions(hash, q);
}

/* ---- keeping ---- */

/* Behind the fingerprint, and the rest of what a plan has to be aligned to. */
enum { IN_FRONT = 16 };

static bool keep(void *context, const void *progress, size_t count)
{
    struct clusters_state *s = context;
    if (s->room < IN_FRONT + count) {
        char *bytes = realloc(s->bytes, IN_FRONT + count);
        if (!bytes) return s->failed = true, false;
        s->bytes = bytes;
        s->room = IN_FRONT + count;
    }
    memset(s->bytes, 0, IN_FRONT);
    memcpy(s->bytes, &s->fingerprint, sizeof s->fingerprint);
    memcpy(s->bytes + IN_FRONT, progress, count);
    return s->keep(s->keeper, s->bytes, IN_FRONT + count);
}

enum rk_status clusters_state_open(struct clusters_state *state, struct clusters_input *input,
                                   const char *where, const void *kept, size_t bytes,
                                   struct rk_error *error)
{
    const char *at = kept;
    uint64_t fingerprint;
    if (!fingerprint_of(input, where, &state->fingerprint)) return no_memory(error);
    input->question.keep = keep;
    input->question.keeper = state;
    if (!kept) return RK_OK;
    if (bytes >= IN_FRONT) memcpy(&fingerprint, at, sizeof fingerprint);
    if (bytes < IN_FRONT || fingerprint != state->fingerprint ||
        !clusters_progress_fits(at + IN_FRONT, bytes - IN_FRONT, input->kept.most))
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                       "state of another search (model, system, batch, words, restrictions or top "
                       "differ): name another file or remove this one");
    input->question.progress = at + IN_FRONT;
    return RK_OK;
}

void clusters_state_close(struct clusters_state *state)
{
    free(state->bytes);
    state->bytes = NULL;
}
