/* savings.c - what single changes of a plan save, and at what price. */
#include "catalog/plan_fields.h"
#include "clusters/predict.h"
#include "machine/part.h"
#include "plan/habits.h"
#include "plan/layers.h"
#include "workload/parts.h"
#include <reckon/advise.h>
#include <reckon/machine.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum change_kind {
    CHANGE_TO,     /* the words as they stand */
    CHANGE_BITS,   /* likewise; numbers are stored in fewer bits */
    CHANGE_TIMES,  /* a degree times 2 */
    CHANGE_HALF,   /* a count by 2 */
    CHANGE_PART,   /* one more part of selective recomputation */
    CHANGE_BLOCKS, /* whole recomputation of half the blocks of a virtual stage */
    CHANGE_AWAY,   /* likewise, with what the framework needs for it */
    CHANGE_SHARE   /* as much of it as the lower tier that is too small has room for */
};

/* The one that torchtitan has: parts.h. */
#define ONE_SELECTION "recompute=selective:moe_act+layernorm"

/* What FSDP offloads together. */
#define BOTH_AWAY "offload-optimizer offload-weights"

static const struct change {
    enum change_kind kind;
    const char *key;   /* of plan files: what is changed; CHANGE_PART: the part */
    const char *words; /* CHANGE_TO, CHANGE_BITS, CHANGE_AWAY */
    const char *what;
} table[] = {
    {CHANGE_TO, "sequence_parallel", "sp", "shard the sequence of norms and dropout"},
    {CHANGE_TO, "attention", "attention=flash", "keep attention scores out of memory"},
    {CHANGE_TO, "fused", "fused", "fuse kernels, which store less"},
    {CHANGE_PART, "core_attn", NULL, "recompute attention's core"},
    {CHANGE_PART, "layernorm", NULL, "recompute norms"},
    {CHANGE_PART, "moe_act", NULL, "recompute activation functions"},
    {CHANGE_TO, "recompute", ONE_SELECTION, "recompute all but matrix products and attention"},
    {CHANGE_PART, "mla_up_proj", NULL, "recompute latent up-projections"},
    {CHANGE_PART, "mlp", NULL, "recompute dense MLPs"},
    {CHANGE_PART, "moe", NULL, "recompute mixtures, with their all-to-all"},
    {CHANGE_PART, "shared_experts", NULL, "recompute shared experts"},
    {CHANGE_BLOCKS, "recompute_layers", NULL, "recompute half of the layers"},
    {CHANGE_TO, "recompute", "recompute=full", "recompute whole layers"},
    {CHANGE_TO, "checkpoint_sharded", "checkpoint-sharded",
     "shard recompute inputs over tensor ranks"},
    {CHANGE_HALF, "microbatch", NULL, "halve the microbatch"},
    {CHANGE_TIMES, "tensor", NULL, "double tensor, halve data parallelism"},
    {CHANGE_TIMES, "pipeline", NULL, "double the stages, halve data parallelism"},
    {CHANGE_TIMES, "context", NULL, "double context, halve data parallelism"},
    {CHANGE_TIMES, "expert", NULL, "put the experts on twice the ranks"},
    {CHANGE_TIMES, "expert_tensor", NULL, "put each expert on twice the ranks"},
    {CHANGE_TO, "zero", "zero1", "shard the optimizer state"},
    {CHANGE_TO, "zero", "zero2", "shard gradients too"},
    {CHANGE_TO, "zero", "zero3", "shard weights too"},
    {CHANGE_TO, "shard_ranks", "shard0", "shard over all data ranks"},
    {CHANGE_TO, "keep_gathered", "keep-gathered=no", "gather weights again in backward"},
    {CHANGE_TO, "chunks", "vpp1", "disable interleaving"},
    {CHANGE_TO, "schedule", "schedule=1f1b", "use a schedule with fewer microbatches in flight"},
    {CHANGE_BITS, "gradient_element_bytes", "gradient-bytes=2", "store gradients in 16 bits"},
    {CHANGE_BITS, "moment1_element_bytes", "moment1-bytes=2 moment2-bytes=2",
     "store moments in 16 bits"},
    {CHANGE_BITS, "optimizer", "optimizer=adam-8bit", "store moments in 8 bits (bitsandbytes)"},
    {CHANGE_BITS, "base", "base=nf4-dq", "store frozen weights in 4 bits (QLoRA)"},
    {CHANGE_TO, "loss_in_chunks", "loss-in-chunks",
     "compute head and loss in chunks of tokens (Liger)"},
    {CHANGE_BITS, "weights_fp8", "weights-fp8", "store weights only in 8 bits"},
    {CHANGE_AWAY, "optimizer_offload", "offload-optimizer",
     "offload optimizer state to memory tier 1"},
    {CHANGE_AWAY, "optimizer_offload", BOTH_AWAY,
     "offload weights and optimizer state to memory tier 1"},
    {CHANGE_AWAY, "activation_offload", "offload-activations=0.5",
     "offload half the activations to memory tier 1"},
    {CHANGE_AWAY, "activation_offload", "offload-activations",
     "offload activations to memory tier 1"},
    {CHANGE_AWAY, "weight_offload", "offload-weights", "offload weights to memory tier 1"},
    {CHANGE_TO, "optimizer_offload", "offload-optimizer=0", "keep optimizer state on the GPU"},
    {CHANGE_TO, "activation_offload", "offload-activations=0", "keep activations on the GPU"},
    {CHANGE_TO, "weight_offload", "offload-weights=0", "keep weights on the GPU"},
    {CHANGE_SHARE, "optimizer_offload", NULL, "offload optimizer state as far as memory allows"},
    {CHANGE_SHARE, "activation_offload", NULL, "offload activations as far as memory allows"},
    {CHANGE_SHARE, "weight_offload", NULL, "offload weights as far as memory allows"},
};

enum { TABLE = sizeof table / sizeof *table };

/* ---- the words of a change ---- */

/* The bit of the part of that name. */
static unsigned part_bit(const char *name)
{
    int part = 0;
    while (strcmp(rk_part_name((enum rk_part)part), name) != 0)
        part++;
    return 1u << part;
}

static bool add_part(const struct rk_model *model, const struct rk_plan *plan, unsigned bit,
                     char words[RK_SAVING_WORDS])
{
    const unsigned had = plan->recompute == RK_SELECTIVE ? plan->recompute_parts : 0;
    size_t used = (size_t)snprintf(words, RK_SAVING_WORDS, "recompute=selective");
    if (plan->recompute == RK_WHOLE || had & bit) return false;
    if (!(plan_parts(model, plan) & bit)) return false;
    if (!parts_start(plan->framework, had | bit)) return false;
    const char *mark = ":";
    for (int i = 0; i < RK_PARTS; i++) {
        if (!((had | bit) >> i & 1)) continue;
        used += (size_t)snprintf(words + used, RK_SAVING_WORDS - used, "%s%s", mark,
                                 rk_part_name((enum rk_part)i));
        mark = "+";
    }
    return true;
}

static bool half_the_blocks(const struct rk_model *model, const struct rk_plan *plan,
                            char words[RK_SAVING_WORDS])
{
    const uint64_t blocks = model->layers / (plan->pipeline * plan->chunks);
    if (plan->recompute == RK_WHOLE || blocks < 2) return false;
    snprintf(words, RK_SAVING_WORDS, "recompute=full recompute-layers=%" PRIu64, (blocks + 1) / 2);
    return true;
}

static double count_of(const struct rk_plan *plan, const char *key)
{
    const struct plan_draft draft = {.plan = *plan};
    const double count = field_value(&plan_fields[plan_row(key)], &draft);
    return strcmp(key, "expert_tensor") == 0 ? (double)rk_plan_expert_tensor(plan) : count;
}

static bool is_offload(const struct change *change)
{
    return strstr(change->key, "_offload") != NULL;
}

/* What is trained, and on what; which memory tier is too small for the plan, else 0. */
struct job {
    const struct rk_model *model;
    const struct rk_system *system;
    int tier;
    bool any_code; /* also what the framework has no option for */
};

static struct job job_of(const struct rk_model *model, const struct rk_system *system,
                         const struct rk_prediction *p)
{
    const bool lower = p->verdict == RK_MEMORY_EXCEEDED && p->reason[0].tier > 0;
    return (struct job){model, system, lower ? p->reason[0].tier : 0, false};
}

/* Over several clusters: what is left on the tightest stage, the fullest by its share; of a lower
 * tier, where least is. */
static double least_left(const struct job *job, const struct rk_prediction *p)
{
    const struct rk_stage *tightest = &p->stage[p->tightest];
    double least = INFINITY;
    if (job->tier == 0)
        return rk_system_of(job->system, tightest->cluster)->memory[0].capacity_bytes -
               tightest->total_bytes;
    for (int i = 0; i < p->stages; i++) {
        const struct rk_system *system = rk_system_of(job->system, p->stage[i].cluster);
        const double need = p->stage[i].away_bytes[job->tier - 1];
        if (job->tier < system->memories)
            least = fmin(least, system->memory[job->tier].capacity_bytes - need);
    }
    return least;
}

/* Bytes of the stage that has most of them in the tier. */
static double needed_bytes(const struct job *job, const struct rk_prediction *p)
{
    double most = 0;
    if (job->tier == 0) return p->stage[p->tightest].total_bytes;
    for (int i = 0; i < p->stages; i++)
        if (p->stage[i].away_bytes[job->tier - 1] > most)
            most = p->stage[i].away_bytes[job->tier - 1];
    return most;
}

/* Weights, gradients and optimizer of the stage that has most of them. */
static double states_of(const struct rk_prediction *p)
{
    double most = 0;
    for (int i = 0; i < p->stages; i++)
        most =
            fmax(most, p->stage[i].holds[RK_HOLD_weights] + p->stage[i].holds[RK_HOLD_gradients] +
                           p->stage[i].holds[RK_HOLD_optimizer]);
    return most;
}

static double room_of(const struct job *job, const struct rk_plan *plan)
{
    return memory_part_bytes(&job->system->memory[job->tier], plan->ranks);
}

/* ---- shares ---- */

static void set_share(struct rk_plan *plan, const char *key, int tier, double share)
{
    if (strcmp(key, "activation_offload") == 0) {
        for (int i = RK_SHARE_ATTENTION; i <= RK_SHARE_CHECKPOINTS; i++)
            plan->share[i][tier - 1] = share;
        return;
    }
    const bool weights = strcmp(key, "weight_offload") == 0;
    plan->share[weights ? RK_SHARE_WEIGHTS : RK_SHARE_OPTIMIZER][tier - 1] = share;
}

static const double *shares_of(const struct rk_plan *plan, const char *key)
{
    if (strcmp(key, "activation_offload") == 0) return plan->share[RK_SHARE_ATTENTION];
    const bool weights = strcmp(key, "weight_offload") == 0;
    return plan->share[weights ? RK_SHARE_WEIGHTS : RK_SHARE_OPTIMIZER];
}

/* Bytes of a tier grow in line with each share: the largest thousandths that fit. */
static bool largest_share(const struct change *change, const struct job *job,
                          const struct rk_plan *plan, const struct rk_prediction *before,
                          char words[RK_SAVING_WORDS])
{
    if (job->system->machine) return false; /* stages have shares of their own */
    const double share = job->tier ? shares_of(plan, change->key)[job->tier - 1] : 0;
    struct rk_plan without = *plan;
    struct rk_prediction p;
    if (!(share > 0)) return false;
    set_share(&without, change->key, job->tier, 0);
    rk_predict(job->model, job->system, &without, &p);
    if (!p.timed) return false;
    const double have = room_of(job, plan);
    const double least = needed_bytes(job, &p), all = needed_bytes(job, before);
    const double fits = floor(1e3 * share * (have - least) / (all - least)) / 1e3;
    if (!(fits > 0) || fits >= share) return false;
    set_share(&without, change->key, job->tier, fits);
    const double *shares = shares_of(&without, change->key);
    const char *word = plan_fields[plan_row(change->key)].word;
    size_t used = (size_t)snprintf(words, RK_SAVING_WORDS, "%s", word);
    const char *mark = "=";
    for (int tier = 0; tier < RK_SHARE_TIERS; tier++) {
        if (!(shares[tier] > 0)) continue;
        used += (size_t)snprintf(words + used, RK_SAVING_WORDS - used, "%s%.10g", mark,
                                 tier + shares[tier]);
        mark = "+";
    }
    return true;
}

/* Has every cluster a lower memory? */
static bool has_lower(const struct rk_system *system)
{
    bool has = system->memories > 1;
    for (int i = 0; system->machine && i < system->machine->clusters; i++)
        has &= system->machine->cluster[i].system.memories > 1;
    return has;
}

static bool is_of_libraries(const struct change *change)
{
    return strcmp(change->key, "optimizer") == 0 || strcmp(change->key, "loss_in_chunks") == 0;
}

/* Adam in 8 bits takes the place of Adam alone. */
static bool takes_libraries(const struct change *change, const struct rk_plan *plan)
{
    const bool other = strcmp(change->key, "optimizer") == 0 && plan->optimizer != RK_ADAM;
    return habits_of(plan)->libraries && !other;
}

/* What the framework offloads, with the sharding that it needs for that. */
static bool offload_words(const struct change *change, const struct job *job,
                          const struct rk_plan *plan, char words[RK_SAVING_WORDS])
{
    const struct habits *habits = habits_of(plan);
    const bool optimizer = strcmp(change->key, "optimizer_offload") == 0;
    const bool weights = strcmp(change->key, "weight_offload") == 0;
    const int least = optimizer ? habits->zero_of_optimizer : weights ? habits->zero_of_weights : 0;
    if (habits->offloads_optimizer && !optimizer && !job->any_code) return false;
    if (optimizer && rk_plan_offloaded(plan, RK_SHARE_OPTIMIZER) >= 1) return false;
    if (habits->offloads_both != (strcmp(change->words, BOTH_AWAY) == 0) && (optimizer || weights))
        return false;
    if (plan->zero < least)
        snprintf(words, RK_SAVING_WORDS, "zero%d %s", least, change->words);
    else
        snprintf(words, RK_SAVING_WORDS, "%s", change->words);
    return true;
}

/* False where the change does not apply. */
static bool words_of(const struct change *change, const struct job *job, const struct rk_plan *plan,
                     const struct rk_prediction *before, char words[RK_SAVING_WORDS])
{
    if (change->kind == CHANGE_SHARE) return largest_share(change, job, plan, before, words);
    if (is_offload(change) && !has_lower(job->system)) return false;
    if (change->kind == CHANGE_PART)
        return add_part(job->model, plan, part_bit(change->key), words);
    if (change->kind == CHANGE_BLOCKS) return half_the_blocks(job->model, plan, words);
    if (change->kind == CHANGE_AWAY) return offload_words(change, job, plan, words);
    if (change->kind == CHANGE_TO || change->kind == CHANGE_BITS) {
        if (strcmp(change->words, ONE_SELECTION) == 0 && !habits_of(plan)->one_selection)
            return false;
        if (is_of_libraries(change) && !job->any_code && !takes_libraries(change, plan))
            return false;
        snprintf(words, RK_SAVING_WORDS, "%s", change->words);
        return true;
    }
    if (strcmp(change->key, "pipeline") == 0 && !habits_of(plan)->makes_stages) return false;
    const char *word = plan_fields[plan_row(change->key)].word;
    const double had = count_of(plan, change->key);
    const double now = change->kind == CHANGE_TIMES ? 2 * had : had / 2;
    if (now != (double)(uint64_t)now || now < 1) return false;
    snprintf(words, RK_SAVING_WORDS, "%s%.0f", word, now);
    return true;
}

/* ---- what it does ---- */

static bool add_text(char words[RK_SAVING_WORDS], const char *format, ...) RK_PRINTF(2, 3);

static bool add_text(char words[RK_SAVING_WORDS], const char *format, ...)
{
    const size_t used = strlen(words);
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(words + used, RK_SAVING_WORDS - used, format, values);
    va_end(values);
    return length >= 0 && (size_t)length < RK_SAVING_WORDS - used;
}

/* What was dealt to another number of stages is dealt anew, as even as it goes, and the words say
 * so. */
static bool deal_again(const struct rk_model *model, struct rk_plan *plan,
                       char words[RK_SAVING_WORDS])
{
    const uint64_t stages = plan->pipeline * plan->chunks;
    const bool uneven = plan->first_layers || plan->last_layers,
               split = rk_plan_layout(plan)->splits > 0;
    plan_be_even(plan);
    plan->first_layers = plan->last_layers = 0;
    if (uneven && !add_text(words, " first-layers=0 last-layers=0")) return false;
    if (!split) return true;
    if (stages > RK_MAX_CHUNKS) return false;
    for (uint64_t i = 0, same; i < stages; i += same) {
        const uint64_t layers = rk_plan_split(plan, model, i);
        for (same = 1; i + same < stages && rk_plan_split(plan, model, i + same) == layers;)
            same++;
        if (!add_text(words, "%s%" PRIu64, i ? "," : " split=", layers)) return false;
        if (same > 1 && !add_text(words, "*%" PRIu64, same)) return false;
    }
    uint16_t layers[RK_MAX_CHUNKS];
    for (uint64_t i = 0; i < stages; i++)
        layers[i] = (uint16_t)rk_plan_split(plan, model, i);
    plan_set_split(plan, layers, (int)stages);
    return true;
}

/* Over several clusters the replicas of each stage give way to its degrees, and the words say so. A
 * degree of the pipeline stays: its stages were dealt to clusters. */
static bool deal_replicas(const struct rk_plan *plan, struct rk_plan *changed,
                          char words[RK_SAVING_WORDS])
{
    struct rk_layout layout = *changed->layout;
    char stages[RK_SAVING_WORDS];
    bool dealt = false;
    if (changed->pipeline != plan->pipeline || changed->chunks != plan->chunks) return false;
    for (int i = 0; i < layout.parts; i++) {
        struct rk_stage_part *part = &layout.part[i];
        const struct rk_local *was =
            part->local ? &plan->layout->other[part->local - 1] : &plan->local;
        const struct rk_local *now = part->local ? &layout.other[part->local - 1] : &changed->local;
        const uint64_t before = was->tensor * was->context, after = now->tensor * now->context;
        if (part->data * before % after) return false;
        dealt |= before != after;
        part->data = (uint32_t)(part->data * before / after);
    }
    if (!dealt) return true;
    changed->layout = rk_layout_keep(&layout);
    return plan_stages_text(changed, stages, sizeof stages) < sizeof stages &&
           add_text(words, " stages=%s", stages);
}

/* Data parallelism gives way to the other degrees. Completes the words by what follows. */
static bool apply(const struct job *job, const struct rk_plan *plan, char words[RK_SAVING_WORDS],
                  struct rk_plan *changed)
{
    struct plan_draft draft = plan_draft_of(plan);
    struct plan_fault fault;
    draft.system = job->system->machine ? NULL : job->system;
    if (plan_read_words(words, &draft, NULL) != RK_OK) return false;
    if (draft.plan.recompute != RK_SELECTIVE) draft.plan.recompute_parts = 0;
    if (rk_plan_layout(plan)->parts && !deal_replicas(plan, &draft.plan, words)) return false;
    const bool other = draft.plan.pipeline * draft.plan.chunks != plan->pipeline * plan->chunks;
    if (other && !plan_given(&draft, "split") && !deal_again(job->model, &draft.plan, words))
        return false;
    if (!plan_complete(&draft, &fault)) return false;
    *changed = draft.plan;
    return true;
}

/* A change on its way: the plan it makes, and that plan's prediction. */
struct trial {
    struct rk_plan plan;
    struct rk_prediction prediction;
};

/* Every part of a stage as a plan of its own, on its cluster; of none that is known, yes. */
static bool clusters_start(const struct job *job, const struct rk_plan *plan,
                           const struct given_plan *given)
{
    struct rk_reason reason;
    for (int i = 0; i < given->stages; i++)
        for (int k = 0; k < given->stage[i].parts; k++) {
            struct rk_plan own = plan_like_part(plan, given, i, k);
            struct rk_system system =
                job->system->machine->cluster[given->stage[i].part[k].cluster].system;
            system.devices = 0;
            plan_attend_on(&own, &system);
            if (!rk_plan_starts(job->model, &system, &own, &reason)) return false;
        }
    return true;
}

static bool framework_starts(const struct job *job, const struct rk_plan *plan)
{
    struct rk_reason reason;
    if (!job->system->machine) return rk_plan_starts(job->model, job->system, plan, &reason);
    struct clusters_judged *judged = malloc(sizeof *judged);
    struct rk_prediction *prediction = malloc(sizeof *prediction);
    bool good = true;
    if (judged && prediction) {
        predict_clusters(job->model, job->system, plan, prediction, judged);
        good = !prediction->stages || clusters_start(job, plan, &judged->given);
    }
    free(prediction);
    free(judged);
    return good;
}

/* Would a framework start the plan, other than `as_is`? */
static bool starts(const struct job *job, const struct rk_plan *plan, const struct rk_plan *as_is)
{
    return job->any_code || framework_starts(job, plan) || !framework_starts(job, as_is);
}

static bool try_change(const struct change *change, const struct job *job,
                       const struct rk_plan *plan, const struct rk_prediction *before,
                       struct trial *trial, struct rk_saving *saving)
{
    const struct rk_prediction *p = &trial->prediction;
    if (!words_of(change, job, plan, before, saving->words)) return false;
    if (!apply(job, plan, saving->words, &trial->plan)) return false;
    if (!starts(job, &trial->plan, plan)) return false;
    rk_predict(job->model, job->system, &trial->plan, &trial->prediction);
    if (!p->timed) return false;
    saving->what = change->what;
    saving->need_bytes = p->stage[p->tightest].total_bytes;
    saving->states_bytes = states_of(p);
    saving->fewer_bits = change->kind == CHANGE_BITS;
    saving->saved_bytes = needed_bytes(job, before) - needed_bytes(job, p);
    saving->left_bytes = room_of(job, plan) - needed_bytes(job, p);
    if (job->system->machine) {
        saving->left_bytes = least_left(job, p);
        saving->saved_bytes = saving->left_bytes - least_left(job, before);
    }
    saving->step_s = p->step_s;
    saving->fits = p->verdict == RK_FITS;
    const bool memory = p->verdict == RK_MEMORY_EXCEEDED;
    saving->short_tier = memory ? p->reason[0].tier : -1;
    saving->short_bytes = memory ? p->reason[0].need - p->reason[0].have : 0;
    return saving->saved_bytes > 0;
}

/* Those that make it fit first, from the fastest on; then by what they save. */
static int compare_rescues(const void *left, const void *right)
{
    const struct rk_saving *a = left, *b = right;
    if (a->fits != b->fits) return a->fits ? -1 : 1;
    if (a->fits && a->step_s != b->step_s) return a->step_s < b->step_s ? -1 : 1;
    if (a->saved_bytes != b->saved_bytes) return a->saved_bytes > b->saved_bytes ? -1 : 1;
    return strcmp(a->words, b->words);
}

static int compare_savings(const void *left, const void *right)
{
    const struct rk_saving *a = left, *b = right;
    if (a->saved_bytes != b->saved_bytes) return a->saved_bytes > b->saved_bytes ? -1 : 1;
    return strcmp(a->words, b->words);
}

/* Steps whose times are so near are not told apart: a quarter of the mean error of a dense
 * step that docs/accuracy.md has. */
static const double ALIKE = 1.03;

/* What saves most first, but what needs another memory after what does not. */
static int compare_alike(const void *left, const void *right)
{
    const struct rk_saving *a = left, *b = right;
    const bool away = strstr(a->words, "offload-") != NULL;
    if (away != (strstr(b->words, "offload-") != NULL)) return away ? 1 : -1;
    return compare_savings(left, right);
}

const struct rk_saving *rk_saving_first(const struct rk_saving *saving, const bool *counts,
                                        int count)
{
    const struct rk_saving *fastest = NULL, *first = NULL;
    for (int i = 0; i < count; i++)
        if (counts[i] && (!fastest || saving[i].step_s < fastest->step_s)) fastest = &saving[i];
    for (int i = 0; i < count; i++)
        if (counts[i] && saving[i].step_s <= ALIKE * fastest->step_s &&
            (!first || compare_alike(&saving[i], first) < 0))
            first = &saving[i];
    return first;
}

/* Of those that make it fit and take about as long as the fastest, what saves most comes first. */
static void prefer_savers(struct rk_saving *saving, int count)
{
    int alike = 0;
    while (alike < count && saving[alike].fits && saving[alike].step_s <= ALIKE * saving[0].step_s)
        alike++;
    qsort(saving, (size_t)alike, sizeof *saving, compare_alike);
}

int rk_savings(const struct rk_model *model, const struct rk_system *system,
               const struct rk_plan *plan, const struct rk_prediction *prediction,
               struct rk_saving saving[RK_MAX_SAVINGS])
{
    _Static_assert((int)TABLE <= (int)RK_MAX_SAVINGS, "room for all");
    const struct job job = job_of(model, system, prediction);
    const bool fits = prediction->verdict == RK_FITS;
    struct trial trial;
    int count = 0;
    for (int i = 0; i < TABLE; i++)
        count += try_change(&table[i], &job, plan, prediction, &trial, &saving[count]);
    qsort(saving, (size_t)count, sizeof *saving, fits ? compare_savings : compare_rescues);
    if (!fits) prefer_savers(saving, count);
    return count;
}

bool rk_savings_pair(const struct rk_model *model, const struct rk_system *system,
                     const struct rk_plan *plan, const struct rk_prediction *prediction,
                     bool any_code, struct rk_saving *pair)
{
    struct job job = job_of(model, system, prediction);
    job.any_code = any_code;
    struct rk_saving first, second;
    struct trial one, two;
    struct rk_plan both;
    bool found = false;
    for (int i = 0; i < TABLE; i++) {
        if (!try_change(&table[i], &job, plan, prediction, &one, &first)) continue;
        for (int k = 0; k < TABLE; k++) {
            if (!try_change(&table[k], &job, &one.plan, &one.prediction, &two, &second)) continue;
            char words[RK_SAVING_WORDS] = "";
            if (!second.fits || (found && second.step_s >= pair->step_s)) continue;
            if (!add_text(words, "%s %s", first.words, second.words) ||
                !apply(&job, plan, words, &both) || memcmp(&both, &two.plan, sizeof both) != 0)
                continue; /* one takes the other back */
            *pair = second;
            memcpy(pair->words, words, sizeof words);
            found = true;
        }
    }
    return found;
}
