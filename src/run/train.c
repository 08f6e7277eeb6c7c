#include "run/train.h"

#include "run/checkpoint.h"
#include "run/job.h"
#include "run/philox.h"
#include "workload/pattern.h"

#include <math.h>
#include <pthread.h>
#include <reckon/program.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct rk_train rk_train_default(void)
{
    return (struct rk_train){
        .steps = 100,
        .seed = 1,
        .threads = 1,
        .limit_s = 60,
        .rate = 3e-4,
        .least_rate = 3e-5,
        .warmup = 10,
        .rate_kind = RK_RATE_COSINE,
        .beta1 = 0.9,
        .beta2 = 0.95,
        .eps = 1e-8,
        .decay = 0.1,
        .clip = 1,
        .norm_eps = 1e-5,
        .rotary_base = 10000,
        .renormalise = true,
        .block_tokens = 0,
        .block_local = 8,
        .block_global = 1,
        .block_patterns = 1,
    };
}

/* ---- what the executor does not do, by name ---- */

static enum rk_status refuse(struct rk_error *error, const char *what, const char *instead)
{
    return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0, "the executor has no %s: %s", what, instead);
}

static enum rk_status check_members(const struct rk_model *m, const struct rk_plan *p,
                                    struct rk_error *error)
{
    static const char leave[] = "leave the word out";
    const struct {
        bool is;
        const char *what, *instead;
    } rows[] = {
        {p->framework == RK_CALCULON, "framework calculon", "say megatron, fsdp or deepspeed"},
        {p->precision != RK_FP32, "arithmetic but that of 32 bits", "say precision=fp32"},
        {p->attention == RK_UNFUSED, "attention with scores in memory", "say attention=flash"},
        {p->segments > 0, "strategies that differ by layer", "say one for all"},
        {p->gradient_overlap, "grad-overlap", leave},
        {p->weight_overlap, "weight-overlap", leave},
        {p->tensor_overlap != RK_OVERLAP_NONE, "tp-overlap", leave},
        {p->expert_overlap, "ep-overlap", leave},
        {p->messages_sharded, "messages-sharded", leave},
        {p->checkpoint_sharded, "checkpoint-sharded", leave},
        {p->recompute_rest, "recomputation by token", leave},
        {p->recompute_every > 1, "checkpoints of several layers", "say recompute-every1"},
        {p->frozen, "frozen weights", leave},
        {p->whole_logits, "whole-logits", leave},
        {p->full_attention, "full-attention", leave},
        {p->capacity_factor > 0, "capacity", leave},
        {m->experts && p->dispatcher != RK_ALL_TO_ALL, "dispatcher but alltoall", leave},
        {m->experts && m->shared_experts && has_mlp_biases(m), "shared experts with biases",
         "take another model"},
        {m->experts && p->recompute == RK_SELECTIVE &&
             p->recompute_parts & (1u << RK_PART_EXPERTS | 1u << RK_PART_SHARED_EXPERTS),
         "recomputation of experts alone", "say recompute=full"},
        {m->position != RK_POSITION_LEARNED && m->position != RK_POSITION_ROPE,
         "positions but learned and RoPE", "take another model"},
        {m->activation == RK_XIELU, "activation xielu", "take another model"},
        {m->parallel_block, "blocks whose halves read the same input", "take another model"},
        {m->block_norms > 2, "blocks of more than two norms", "take another model"},
        {m->attention_sinks, "attention sinks", "take another model"},
        {m->bidirectional || m->head_matrices, "encoders", "take another model"},
        {m->attention_cap, "capped attention scores", "take another model"},
        {m->qk_norm_wide, "norms with weights for each head", "take another model"},
        {m->local_heads || m->local_kv_heads || m->local_head_dim, "local layers of another shape",
         "take another model"},
        {m->kv_rank && has_qkv_biases(m), "latent attention with biases", "take another model"},
        {m->kv_rank && m->index_heads, "heads that choose what attention reads",
         "take another model"},
        {m->predict_layers > 0, "multi-token prediction", "take another model"},
        {m->router_biases, "router biases", "take another model"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].is) return refuse(error, rows[i].what, rows[i].instead);
    return RK_OK;
}

static enum rk_status check_operations(const struct job *job, struct rk_error *error)
{
    const struct engine_kind *kind = job->settings.double_precision ? &engine_f64 : &engine_f32;
    for (int k = 0; k < LAYER_KINDS; k++)
        for (int i = 0; job->used[k] && i < job->layer[k].operations; i++)
            if (!kind->knows(job->layer[k].operation[i].name))
                return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                               "the executor has no kernel for the operation \"%s\" of %s",
                               job->layer[k].operation[i].name, job->model.id);
    return RK_OK;
}

static enum rk_status check_blocks(const struct job *job, struct rk_error *error)
{
    const struct rk_train *t = &job->settings;
    if (!t->block_tokens) return RK_OK;
    if (!t->block_local || !t->block_global || t->block_local % t->block_global ||
        !t->block_patterns || t->block_patterns > t->block_local / t->block_global ||
        job->sequence / t->block_tokens > 512)
        return rk_fail(
            error, RK_USAGE, NULL, 0, 0,
            "blocks of %u tokens, %u of a window, %u of them global, %u patterns: the second "
            "must be a multiple of the third, no more patterns than their quotient, and a "
            "sequence of 512 blocks at most",
            t->block_tokens, t->block_local, t->block_global, t->block_patterns);
    return RK_OK;
}

/* ---- a job ---- */

bool job_uses_tier(const struct job *job, int tier)
{
    for (int i = 0; i < RK_SHARES; i++)
        if (job->plan.share[i][tier] > 0) return true;
    return false;
}

bool job_tier_is_drive(const struct job *job, int tier)
{
    const struct rk_memory *m = &job->system->memory[tier + 1];
    return m->read_Bps > 0 || m->write_Bps > 0 || m->endurance_bytes > 0;
}

void job_close(struct job *job)
{
    free(job->layer);
    blocks_release(&job->blocks);
    job->layer = NULL;
}

enum rk_status job_open(struct job *job, const struct rk_model *model, const struct rk_plan *plan,
                        const struct rk_train *train, struct rk_error *error)
{
    *job = (struct job){.model = *model, .plan = *plan, .settings = *train};
    enum rk_status status = check_members(model, plan, error);
    if (status != RK_OK) return status;
    if (job->plan.context_kind == RK_RING_ULYSSES && job->plan.ulysses <= 1)
        job->plan.context_kind = RK_RING;
    if (job->model.expert_feedforward == 0) job->model.expert_feedforward = model->feedforward;
    job->sequence = plan->sequence ? plan->sequence : model->sequence;
    job->data_ranks = rk_plan_data(plan);
    if (!job->data_ranks || plan->batch % (job->data_ranks * plan->microbatch))
        return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                       "a batch of %llu is no multiple of %llu copies * microbatches of %llu",
                       (unsigned long long)plan->batch, (unsigned long long)job->data_ranks,
                       (unsigned long long)plan->microbatch);
    job->microbatches = plan->batch / (job->data_ranks * plan->microbatch);
    job->map = rank_map_of(&job->plan);
    job->pipeline = (struct pipeline){.schedule = plan->schedule,
                                      .stages = (uint32_t)plan->pipeline,
                                      .chunks = (uint32_t)plan->chunks,
                                      .microbatches = job->microbatches};
    job->layer = calloc(LAYER_KINDS, sizeof *job->layer);
    if (!job->layer) return rk_fail(error, RK_IO, NULL, 0, 0, "no memory for the layers");
    job->used[LAYER_EMBEDDING] = job->used[LAYER_HEAD] = true;
    for (uint64_t i = 0; i < model->layers; i++)
        job->used[layer_kind_of(model, i)] = true;
    for (int k = 0; k < LAYER_KINDS; k++)
        if (job->used[k]) layer_build(&job->layer[k], (enum layer_kind)k, &job->model, &job->plan);
    status = check_operations(job, error);
    if (status == RK_OK) status = check_blocks(job, error);
    if (status == RK_OK && train->block_tokens &&
        !blocks_fixed(&job->blocks, (uint32_t)job->sequence, train->block_tokens,
                      train->block_local, train->block_global, train->block_patterns))
        status = rk_fail(error, RK_IO, NULL, 0, 0, "no memory for the layout of blocks");
    if (status == RK_OK && model->position == RK_POSITION_LEARNED && model->position_rows &&
        model->position_rows < job->sequence)
        status =
            rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                    "samples of %llu tokens, and %llu learned positions: say seq%llu",
                    (unsigned long long)job->sequence, (unsigned long long)model->position_rows,
                    (unsigned long long)model->position_rows);
    return status;
}

enum rk_status rk_train_check(const struct rk_model *model, const struct rk_plan *plan,
                              const struct rk_train *train, struct rk_error *error)
{
    struct job job;
    const enum rk_status status = job_open(&job, model, plan, train, error);
    job_close(&job);
    return status;
}

/* ---- one rank ---- */

struct team { /* what the ranks of this process share */
    const struct job *job;
    const struct rk_train_run *run;
    const struct engine_kind *kind;
    struct rk_train_result *result;
    const struct checkpoint *checkpoint; /* NULL: from the seed */
    pthread_mutex_t lock;
    bool stop;                     /* rank 0's */
    struct rk_token_score *scores; /* where job->score asks for them */
    bool alone;                    /* this process has one rank */
};

struct member {
    struct team *team;
    struct comm *comm;
    pthread_t thread;
};

static void report(struct team *team, uint64_t step, const struct step_result *r)
{
    const struct job *job = team->job;
    const struct rk_train_step said = {
        .step = step + 1,
        .loss = r->loss,
        .norm = r->norm,
        .rate = r->rate,
        .wall_s = r->wall_s,
        .tokens = (double)job->plan.batch * (double)job->sequence,
        .peak_bytes = r->peak_bytes,
    };
    struct rk_train_result *out = team->result;
    if (!out->steps) out->first_loss = r->loss;
    if (!out->steps || r->wall_s < out->step_s) out->step_s = r->wall_s;
    out->steps++;
    out->last_loss = r->loss;
    out->tokens += said.tokens;
    out->wall_s += r->wall_s;
    if (team->run->step && !team->run->step(team->run->context, &said)) team->stop = true;
}

/* The least seconds a step of each part, over the steps of a rank. */
struct least {
    struct ledger before, step;
    bool known;
};

static void note_step(struct least *least, const struct ledger *now)
{
    for (int i = 0; i < LEDGER_PARTS; i++) {
        const double cpu_s = now->part[i].cpu_s - least->before.part[i].cpu_s;
        const double wall_s = now->part[i].wall_s - least->before.part[i].wall_s;
        struct ledger_row *row = &least->step.part[i];
        if (!least->known || cpu_s < row->cpu_s) row->cpu_s = cpu_s;
        if (!least->known || wall_s < row->wall_s) row->wall_s = wall_s;
        row->sent_bytes = now->part[i].sent_bytes - least->before.part[i].sent_bytes;
    }
    least->before = *now;
    least->known = true;
}

static void count_up(struct team *team, const struct ledger *step, const struct engine *engine,
                     const struct step_result *last)
{
    const struct weights *weights = team->kind->weights(engine);
    const struct rk_train_state state = team->kind->state(engine);
    struct rk_train_result *out = team->result;
    uint64_t elements = 0;
    for (int g = 0; g < weights->groups; g++)
        elements += weights->group[g].size;
    pthread_mutex_lock(&team->lock);
    for (int i = 0; i < LEDGER_PARTS; i++) {
        const struct ledger_row *row = &step->part[i];
        if (row->cpu_s > out->part_cpu_s[i]) out->part_cpu_s[i] = row->cpu_s;
        if (row->wall_s > out->part_wall_s[i]) out->part_wall_s[i] = row->wall_s;
        out->part_sent_bytes[i] += (double)row->sent_bytes;
    }
    if (elements * team->kind->real_bytes > out->weights_bytes)
        out->weights_bytes = elements * team->kind->real_bytes;
    if (last->peak_bytes > out->peak_bytes) out->peak_bytes = last->peak_bytes;
    if (last->placed_bytes > out->placed_bytes) out->placed_bytes = last->placed_bytes;
    if (last->live_bytes > out->live_bytes) out->live_bytes = last->live_bytes;
    out->state.weight_bytes = fmax(out->state.weight_bytes, state.weight_bytes);
    out->state.gradient_bytes = fmax(out->state.gradient_bytes, state.gradient_bytes);
    out->state.tied_bytes = fmax(out->state.tied_bytes, state.tied_bytes);
    out->state.optimizer_bytes = fmax(out->state.optimizer_bytes, state.optimizer_bytes);
    pthread_mutex_unlock(&team->lock);
}

static void count_tiers(struct team *team, const struct rk_train_tier *now,
                        const struct rk_train_tier *before, uint64_t steps)
{
    const double n = (double)steps;
    pthread_mutex_lock(&team->lock);
    for (int i = 0; i < RK_SHARE_TIERS; i++) {
        struct rk_train_tier *out = &team->result->tier[i];
        out->weight_bytes += now[i].weight_bytes;
        out->optimizer_bytes += now[i].optimizer_bytes;
        out->activation_bytes += now[i].activation_bytes;
        out->handed_bytes += now[i].handed_bytes;
        out->written_bytes += (now[i].written_bytes - before[i].written_bytes) / n;
        out->read_bytes += (now[i].read_bytes - before[i].read_bytes) / n;
        out->write_s += (now[i].write_s - before[i].write_s) / n;
        out->read_s += (now[i].read_s - before[i].read_s) / n;
    }
    pthread_mutex_unlock(&team->lock);
}

/* What rank 0 says, all do. */
static bool agree_to_stop(struct comm *comm, bool stop, bool *all_stop)
{
    int ranks[comm->ranks];
    char flags[comm->ranks], mine = stop;
    for (int i = 0; i < comm->ranks; i++)
        ranks[i] = i;
    const struct comm_group world = {comm->ranks, comm->rank, ranks};
    const bool ok = comm_all_gather(comm, &world, "end of a step", &mine, flags, 1);
    *all_stop = ok && flags[0];
    return ok;
}

static bool take_steps(struct team *team, struct comm *comm, struct engine *engine)
{
    const struct job *job = team->job;
    const struct rk_train_run *run = team->run;
    struct step_result result = {.loss = 0};
    struct least least = {.known = false};
    uint64_t saved = UINT64_MAX, step = team->checkpoint ? team->checkpoint->step : 0, steps = 0;
    struct rk_train_tier before[RK_SHARE_TIERS] = {{0}}, now[RK_SHARE_TIERS] = {{0}};
    bool stop = false;
    team->kind->tiers(engine, before);
    while (step < job->settings.steps && !stop) {
        if (!team->kind->step(engine, step, &result)) return false;
        step++;
        steps++;
        note_step(&least, team->kind->ledger(engine));
        if (comm->rank == 0) report(team, step - 1, &result);
        if (!agree_to_stop(comm, team->stop && comm->rank == 0, &stop)) return false;
        if (run->save && run->save_every && step % run->save_every == 0) {
            if (!checkpoint_save(run->save, job, team->kind, engine, step)) return false;
            saved = step;
        }
    }
    team->kind->tiers(engine, now);
    if (steps) count_tiers(team, now, before, steps);
    if (run->save && saved != step && !checkpoint_save(run->save, job, team->kind, engine, step))
        return false;
    if (steps) count_up(team, &least.step, engine, &result);
    return true;
}

/* Scores that have come: the rank's first in this process writes them down. */
static bool note_scores(const struct team *team, struct comm *comm, uint64_t batch,
                        const double *pair, struct rk_token_score **next)
{
    const struct job *job = team->job;
    for (uint64_t b = 0; b < job->plan.batch; b++) {
        const uint64_t n = batch * job->plan.batch + b;
        if (n >= job->score->sequences) break;
        const struct rk_sequence *s = &job->score->sequence[n];
        for (uint64_t i = s->first; i < s->tokens; i++) {
            const double *one = pair + 2 * (b * job->sequence + i - 1);
            struct rk_error error;
            if (!isfinite(one[0])) {
                rk_fail(&error, RK_NOTHING_FITS, NULL, 0, 0,
                        "the log-likelihood of token %llu of sequence %llu is no number: the "
                        "weights, or --norm-eps and --rotary-base, are wrong, or 32 bits are too "
                        "few (--double)",
                        (unsigned long long)i, (unsigned long long)n);
                return comm_fail(comm, &error);
            }
            if (comm->rank == 0 || team->alone)
                *(*next)++ = (struct rk_token_score){one[0], one[1] > 0};
        }
    }
    return true;
}

static bool take_scores(struct team *team, struct comm *comm, struct engine *engine)
{
    const struct job *job = team->job;
    double *pair = malloc(job->plan.batch * job->sequence * 2 * sizeof *pair);
    struct rk_token_score *next = team->scores;
    bool ok = pair;
    for (uint64_t n = 0; ok && n * job->plan.batch < job->score->sequences; n++)
        ok = team->kind->score(engine, n, pair) && note_scores(team, comm, n, pair, &next);
    if (!pair) {
        struct rk_error error;
        rk_fail(&error, RK_IO, NULL, 0, 0, "rank %d has no memory for the scores", comm->rank);
        comm_fail(comm, &error);
    }
    free(pair);
    return ok;
}

static void run_rank(struct team *team, struct comm *comm)
{
    const struct engine_kind *kind = team->kind;
    struct engine *engine;
    enum rk_status status = kind->open(team->job, comm, &engine);
    if (status == RK_OK && team->checkpoint)
        status = checkpoint_load(team->checkpoint, kind, engine, &comm->error);
    if (status != RK_OK)
        comm_fail(comm, &comm->error);
    else if (team->job->score)
        take_scores(team, comm, engine);
    else
        take_steps(team, comm, engine);
    kind->close(engine);
}

static void *run_member(void *context)
{
    struct member *member = context;
    run_rank(member->team, member->comm);
    return NULL;
}

static enum rk_status run_threads(struct team *team, struct rk_error *error)
{
    const int ranks = (int)team->job->plan.ranks;
    struct comm_hub *hub = comm_hub_open(ranks, team->job->settings.limit_s);
    struct member *member = calloc((size_t)ranks, sizeof *member);
    int started = 0;
    if (!hub || !member) {
        comm_hub_close(hub);
        free(member);
        return rk_fail(error, RK_IO, NULL, 0, 0, "no memory for %d ranks", ranks);
    }
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 4 << 20);
    for (int i = 0; i < ranks; i++) {
        member[i] = (struct member){.team = team, .comm = comm_hub_rank(hub, i)};
        if (pthread_create(&member[i].thread, &attributes, run_member, &member[i]) == 0) {
            started++;
            continue;
        }
        struct rk_error why;
        rk_fail(&why, RK_IO, NULL, 0, 0, "cannot start rank %d of %d as a thread", i, ranks);
        comm_fail(member[i].comm, &why);
        break;
    }
    pthread_attr_destroy(&attributes);
    for (int i = 0; i < started; i++)
        pthread_join(member[i].thread, NULL);
    *error = comm_hub_error(hub);
    comm_hub_close(hub);
    free(member);
    return error->status;
}

/* What all ranks of this process keep at least, so many elements for each parameter, against the
 * machine's memory: without it a run is killed, or swaps for ever, before it says a word. */
static enum rk_status check_memory(const struct job *job, double share, int elements,
                                   struct rk_error *error)
{
    const double real_bytes = job->settings.double_precision ? 8 : 4;
    const double need = share * elements * real_bytes * (double)rk_model_parameters(&job->model);
    const double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
    if (need <= have) return RK_OK;
    return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                   "%s take %.3g GB at least, and this machine has %.3g GB of memory: take a "
                   "smaller model",
                   elements > 1 ? "weights, gradients and moments" : "the weights", need / 1e9,
                   have / 1e9);
}

/* Tiers that are drives need a folder. */
static enum rk_status check_drives(const struct job *job, struct rk_error *error)
{
    for (int t = 0; t < RK_SHARE_TIERS; t++)
        if (job_uses_tier(job, t) && job_tier_is_drive(job, t) && !job->drives)
            return rk_fail(error, RK_USAGE, NULL, 0, 0,
                           "memory tier %d of %s are drives: say where their files go, --drives "
                           "FOLDER",
                           t + 1, job->system->id);
    return RK_OK;
}

static enum rk_status check_samples(const struct job *job, const struct rk_train_run *run,
                                    struct rk_error *error)
{
    const uint64_t samples = job->settings.steps * job->plan.batch;
    if (job->settings.repeat || samples <= job->data->windows) return RK_OK;
    return rk_fail(
        error, RK_BAD_INPUT, run->data, 0, 0,
        "%llu samples of %llu tokens, and %llu steps take %llu: give more data, fewer steps, or "
        "--repeat",
        (unsigned long long)job->data->windows, (unsigned long long)job->sequence,
        (unsigned long long)job->settings.steps, (unsigned long long)samples);
}

static enum rk_status check_checkpoint(const struct checkpoint *c, const struct job *job,
                                       const char *path, struct rk_error *error)
{
    if (c->moments && c->seed != job->settings.seed)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "the run began with seed %llu, and goes on only with it: say --seed %llu",
                       (unsigned long long)c->seed, (unsigned long long)c->seed);
    if (c->step < job->settings.steps) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                   "%llu steps are done, and --steps %llu asks for no more",
                   (unsigned long long)c->step, (unsigned long long)job->settings.steps);
}

/* All that can be known before the first step. */
static enum rk_status prepare(struct job *job, struct data *data, struct checkpoint *checkpoint,
                              const struct rk_train_run *run, double share, struct rk_error *error)
{
    struct rk_program program = {.rank = 0};
    job->data = data;
    job->system = run->system;
    job->drives = run->drives;
    /* what the checker refuses, it refuses here */
    enum rk_status status = rk_program_of(&program, &job->model, run->system, &job->plan, 0, error);
    rk_program_release(&program);
    if (status == RK_OK) status = check_memory(job, share, 4, error);
    if (status == RK_OK) status = check_drives(job, error);
    if (status == RK_OK)
        status = data_open(data, run->data, job->sequence, job->model.vocabulary,
                           job->settings.seed, error);
    if (status == RK_OK) status = check_samples(job, run, error);
    if (status == RK_OK && run->load) status = checkpoint_open(checkpoint, run->load, job, error);
    if (status == RK_OK && run->load) status = check_checkpoint(checkpoint, job, run->load, error);
    /* one that was skipped because it is damaged is written again */
    const bool goes_on = run->load && run->save && strcmp(run->load, run->save) == 0;
    if (status == RK_OK && run->save)
        status = checkpoint_check(run->save, job, job->settings.double_precision ? 8 : 4,
                                  goes_on ? UINT64_MAX : checkpoint->step, error);
    return status;
}

/* `comm` is this process's only rank, or NULL: all ranks are threads. */
static enum rk_status run_team(struct team *team, struct comm *comm, struct rk_error *error)
{
    enum rk_status status;
    team->alone = comm != NULL;
    pthread_mutex_init(&team->lock, NULL);
    if (comm) {
        run_rank(team, comm);
        *error = comm->error;
        status = error->status;
    } else {
        status = run_threads(team, error);
    }
    pthread_mutex_destroy(&team->lock);
    return status;
}

/* A run from its begin to its end: `comm` is this process's only rank, or NULL: all ranks are
 * threads. */
static enum rk_status train(const struct rk_model *model, const struct rk_plan *plan,
                            const struct rk_train *settings, const struct rk_train_run *run,
                            struct comm *comm, struct rk_train_result *result,
                            struct rk_error *error)
{
    struct job job;
    struct data data = {.map = NULL};
    struct checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    *result = (struct rk_train_result){.steps = 0};
    if (!checkpoint) return rk_fail(error, RK_IO, NULL, 0, 0, "no memory for a run");
    enum rk_status status = job_open(&job, model, plan, settings, error);
    if (status == RK_OK)
        status = prepare(&job, &data, checkpoint, run, comm ? 1.0 / comm->ranks : 1, error);
    if (status == RK_OK) {
        struct team team = {.job = &job,
                            .run = run,
                            .kind = settings->double_precision ? &engine_f64 : &engine_f32,
                            .checkpoint = run->load ? checkpoint : NULL,
                            .result = result};
        status = run_team(&team, comm, error);
    }
    checkpoint_close(checkpoint);
    free(checkpoint);
    data_close(&data);
    job_close(&job);
    return status;
}

enum rk_status rk_train_threads(const struct rk_model *model, const struct rk_plan *plan,
                                const struct rk_train *settings, const struct rk_train_run *run,
                                struct rk_train_result *result, struct rk_error *error)
{
    return train(model, plan, settings, run, NULL, result, error);
}

enum rk_status train_rank(const struct rk_model *model, const struct rk_plan *plan,
                          const struct rk_train *settings, const struct rk_train_run *run,
                          struct comm *comm, struct rk_train_result *result, struct rk_error *error)
{
    if ((uint64_t)comm->ranks != plan->ranks)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "the plan has %llu ranks, and %d processes run: start %llu",
                       (unsigned long long)plan->ranks, comm->ranks,
                       (unsigned long long)plan->ranks);
    return train(model, plan, settings, run, comm, result, error);
}

/* ---- generation ---- */

/* Logits become weights of a random choice among the `top` likeliest words. */
static void soften(double *logits, uint64_t words, double temperature, uint64_t top)
{
    double most = logits[0], least = -INFINITY;
    for (uint64_t i = 1; i < words; i++)
        most = logits[i] > most ? logits[i] : most;
    if (top && top < words) { /* the top-th largest, by bisection of values */
        double low = -1e30, high = most;
        for (int round = 0; round < 100; round++) {
            const double middle = low < -1e29 ? most - exp2(round) : (low + high) / 2;
            uint64_t above = 0;
            for (uint64_t i = 0; i < words; i++)
                above += logits[i] >= middle;
            if (above >= top)
                low = middle;
            else
                high = middle;
        }
        least = low;
    }
    for (uint64_t i = 0; i < words; i++)
        logits[i] = logits[i] < least ? 0 : exp((logits[i] - most) / temperature);
}

static uint32_t choose(double *logits, uint64_t words, const struct rk_generate *g, uint64_t seed,
                       uint64_t n)
{
    uint32_t best = 0;
    if (!(g->temperature > 0)) {
        for (uint32_t i = 1; i < words; i++)
            if (logits[i] > logits[best]) best = i;
        return best;
    }
    double sum = 0, seen = 0;
    soften(logits, words, g->temperature, g->top);
    for (uint64_t i = 0; i < words; i++)
        sum += logits[i];
    const double wanted = philox_unit(philox(seed, 0x67656e, n).word[0]) * sum;
    for (uint32_t i = 0; i < words; i++) {
        if (!(logits[i] > 0)) continue;
        seen += logits[i];
        best = i;
        if (seen >= wanted) break;
    }
    return best;
}

static enum rk_status continue_prompt(const struct job *job, const struct engine_kind *kind,
                                      struct engine *engine, const struct rk_generate *g,
                                      struct rk_error *error)
{
    const uint64_t all = g->prompt_tokens + g->tokens;
    uint32_t *tokens = calloc(all, sizeof *tokens);
    double *logits = calloc(job->model.vocabulary, sizeof *logits);
    enum rk_status status = RK_OK;
    if (!tokens || !logits)
        status =
            rk_fail(error, RK_IO, NULL, 0, 0, "no memory for %llu tokens", (unsigned long long)all);
    if (tokens) memcpy(tokens, g->prompt, g->prompt_tokens * sizeof *tokens);
    for (uint64_t n = g->prompt_tokens; status == RK_OK && n < all; n++) {
        const uint64_t seen = n < job->sequence ? n : job->sequence;
        if (!kind->logits(engine, tokens + n - seen, seen, logits)) {
            *error = kind->comm(engine)->error;
            status = error->status;
            break;
        }
        tokens[n] = choose(logits, job->model.vocabulary, g, job->settings.seed, n);
        if (!g->token(g->context, tokens[n])) break;
    }
    free(tokens);
    free(logits);
    return status;
}

enum rk_status rk_generate_tokens(const struct rk_model *model, const struct rk_train *train,
                                  const struct rk_generate *g, struct rk_error *error)
{
    struct job job;
    struct engine *engine = NULL;
    struct rk_plan plan = rk_plan_default();
    struct checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    struct comm_hub *hub = comm_hub_open(1, train->limit_s);
    const struct engine_kind *kind = train->double_precision ? &engine_f64 : &engine_f32;
    plan.precision = RK_FP32;
    enum rk_status status = checkpoint && hub
                                ? job_open(&job, model, &plan, train, error)
                                : rk_fail(error, RK_IO, NULL, 0, 0, "no memory for a model");
    const bool opened = checkpoint && hub;
    job.system = g->system;
    for (uint64_t i = 0; status == RK_OK && i < g->prompt_tokens; i++)
        if (g->prompt[i] >= model->vocabulary)
            status = rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                             "token %u of the prompt is beyond the vocabulary, which ends at %llu",
                             g->prompt[i], (unsigned long long)model->vocabulary);
    if (status == RK_OK) status = check_memory(&job, 1, 1, error);
    if (status == RK_OK) status = checkpoint_open(checkpoint, g->load, &job, error);
    if (status == RK_OK) {
        checkpoint->moments = false;
        struct comm *comm = comm_hub_rank(hub, 0);
        status = kind->open(&job, comm, &engine);
        if (status != RK_OK) *error = comm->error;
    }
    if (status == RK_OK) status = checkpoint_load(checkpoint, kind, engine, error);
    if (status == RK_OK) status = continue_prompt(&job, kind, engine, g, error);
    kind->close(engine);
    if (checkpoint) checkpoint_close(checkpoint);
    free(checkpoint);
    comm_hub_close(hub);
    if (opened) job_close(&job);
    return status;
}

/* ---- scores ---- */

/* Checks sequences; the plan's samples become as long as the longest needs, in whole parts of all
 * its ranks. */
static enum rk_status fit_sequences(const struct rk_score *score, const struct rk_model *model,
                                    struct rk_plan *plan, struct rk_error *error)
{
    const uint64_t most = plan->sequence ? plan->sequence : model->sequence;
    const uint64_t unit = 2 * plan->context * plan->tensor;
    uint64_t longest = 1;
    for (uint64_t n = 0; n < score->sequences; n++) {
        const struct rk_sequence *s = &score->sequence[n];
        if (s->first < 1 || s->first >= s->tokens || s->tokens > most + 1)
            return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                           "sequence %llu has %llu tokens, scored from %llu on: 2 to %llu, and "
                           "the first is not scored",
                           (unsigned long long)n, (unsigned long long)s->tokens,
                           (unsigned long long)s->first, (unsigned long long)most + 1);
        for (uint64_t i = 0; i < s->tokens; i++)
            if (s->token[i] >= model->vocabulary)
                return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                               "token %llu of sequence %llu is %u, the vocabulary ends at %llu",
                               (unsigned long long)i, (unsigned long long)n, s->token[i],
                               (unsigned long long)model->vocabulary);
        if (s->tokens - 1 > longest) longest = s->tokens - 1;
    }
    longest = (longest + unit - 1) / unit * unit;
    plan->sequence = longest < most ? longest : most;
    return RK_OK;
}

static enum rk_status score_texts(const struct rk_model *model, const struct rk_plan *plan,
                                  const struct rk_train *settings, const struct rk_score *score,
                                  struct comm *comm, struct rk_token_score *scores,
                                  struct rk_error *error)
{
    struct job job;
    struct rk_plan fitted = *plan;
    struct rk_program program = {.rank = 0};
    enum rk_status status = fit_sequences(score, model, &fitted, error);
    if (status != RK_OK || !score->sequences) return status;
    struct checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    if (!checkpoint) return rk_fail(error, RK_IO, NULL, 0, 0, "no memory for a model");
    status = job_open(&job, model, &fitted, settings, error);
    job.system = score->system;
    job.score = score;
    if (status == RK_OK)
        status = rk_program_of(&program, &job.model, score->system, &job.plan, 0, error);
    rk_program_release(&program);
    if (status == RK_OK && score->load)
        status = checkpoint_open(checkpoint, score->load, &job, error);
    checkpoint->moments = false;
    if (status == RK_OK) {
        struct rk_train_result unused = {.steps = 0};
        struct team team = {.job = &job,
                            .kind = settings->double_precision ? &engine_f64 : &engine_f32,
                            .checkpoint = score->load ? checkpoint : NULL,
                            .result = &unused,
                            .scores = scores};
        status = run_team(&team, comm, error);
    }
    checkpoint_close(checkpoint);
    free(checkpoint);
    job_close(&job);
    return status;
}

enum rk_status rk_score_threads(const struct rk_model *model, const struct rk_plan *plan,
                                const struct rk_train *train, const struct rk_score *score,
                                struct rk_token_score *scores, struct rk_error *error)
{
    return score_texts(model, plan, train, score, NULL, scores, error);
}

enum rk_status score_rank(const struct rk_model *model, const struct rk_plan *plan,
                          const struct rk_train *train, const struct rk_score *score,
                          struct comm *comm, struct rk_token_score *scores, struct rk_error *error)
{
    if ((uint64_t)comm->ranks != plan->ranks)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "the plan has %llu ranks, and %d processes run: start %llu",
                       (unsigned long long)plan->ranks, comm->ranks,
                       (unsigned long long)plan->ranks);
    return score_texts(model, plan, train, score, comm, scores, error);
}
