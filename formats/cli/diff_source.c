#include "cli/diff_source.h"

#include "base/memory.h"
#include "base/text.h"
#include "catalog/plan_fields.h"
#include "cli/diff_config.h"
#include "cli/import_answer.h"
#include "cli/model_input.h"
#include "cli/plan_input.h"
#include "cli/progress.h"
#include "megatron/megatron.h"
#include "plan/layers.h"
#include "search/clusters_space.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum form { PLAN_FILE, PLAN_WORDS, PLAN_CHANGES, PLAN_SCRIPT };

/* "x.json" is a plan, "+tp4" a change of the other plan, "tp8 pp4" words; else it is a script. */
static enum form form_of(const char *text)
{
    struct stat about;
    const size_t word = strcspn(text, " \t");
    if (text_ends_in(text, ".json") || text_ends_in(text, ".json.gz") || strcmp(text, "-") == 0)
        return PLAN_FILE;
    if (*text == '+') return PLAN_CHANGES;
    const bool file = stat(text, &about) == 0 && !S_ISDIR(about.st_mode);
    return plan_is_word(text, word) && !file ? PLAN_WORDS : PLAN_SCRIPT;
}

struct megatron_options diff_options(const struct diff_source *source, int version)
{
    return (struct megatron_options){.sets = source->sets.text,
                                     .set_count = (size_t)source->sets.count,
                                     .gpus = source->gpus,
                                     .machine = launch_machine(source->system),
                                     .vocabulary = source->vocabulary,
                                     .variant = (int)source->variant,
                                     .ignored = source->ignored.text,
                                     .ignored_count = (size_t)source->ignored.count,
                                     .version = version};
}

static struct launch_source launch_of(const struct diff_source *source, const char *path)
{
    return (struct launch_source){.path = path,
                                  .model = source->model,
                                  .gpus = source->gpus,
                                  .machine = launch_machine(source->system),
                                  .vocabulary = source->vocabulary,
                                  .variant = source->variant,
                                  .sets = source->sets.text,
                                  .set_count = (size_t)source->sets.count,
                                  .ignored = source->ignored.text,
                                  .ignored_count = (size_t)source->ignored.count};
}

/* What may be changed in A's file. */
static void keep_launch(struct diff_input *keep, struct launch *launch,
                        const struct launch_source *from)
{
    keep->launch = launch;
    keep->from = *from;
    keep->tool = launch->tool;
    if (!launch->core) return;
    keep->script = launch->text;
    keep->script_size = launch->size;
    keep->version = launch->version;
}

/* A launch file also has a model, or --model is it. */
static enum rk_status read_script(const struct diff_source *source, const char *path,
                                  struct rk_plan *plan, struct rk_model *model,
                                  struct diff_input *keep, struct rk_error *error)
{
    const struct launch_source from = launch_of(source, path);
    struct launch *launch = calloc(1, sizeof *launch);
    if (!launch) return no_memory(error);
    const enum rk_status status = launch_open(&from, launch, error);
    import_warn(&launch->notes, path);
    if (status == RK_OK) {
        *plan = launch->plan;
        *model = launch->model;
    }
    if (status == RK_OK && keep) {
        keep_launch(keep, launch, &from);
        return RK_OK;
    }
    launch_release(launch);
    free(launch);
    return status;
}

static void take_gpus(struct plan_draft *draft, uint64_t gpus)
{
    draft->plan.ranks = gpus;
    draft->given[plan_row("gpus")] = true;
}

/* What the words leave open is as in the other plan, its GPUs and its batch, or as reckon predict
 * takes it on the system. */
static enum rk_status complete(const struct diff_source *source, struct plan_draft *draft,
                               const struct rk_plan *other, const struct rk_system *system,
                               struct rk_plan *plan, struct rk_error *error)
{
    struct plan_fault fault;
    if (other && !plan_given(draft, "gpus") && !plan_given(draft, "data"))
        take_gpus(draft, other->ranks);
    if (other && !plan_given(draft, "batch")) {
        draft->plan.batch = other->batch;
        draft->given[plan_row("batch")] = true;
    }
    if (!system->machine) plan_take_system(draft, system);
    plan_take_checkpoint(draft, source->model);
    if (!plan_complete(draft, &fault)) return plan_fail(draft, &fault, error);
    *plan = draft->plan;
    return RK_OK;
}

/* `gpus`: 0, or as many as both plans have unless their words say another number. */
static enum rk_status read_words(const struct diff_source *source, const char *text,
                                 const struct rk_plan *other, bool changes,
                                 const struct rk_system *system, struct rk_plan *plan,
                                 struct rk_error *error)
{
    const uint64_t gpus = source->gpus;
    struct plan_draft draft = other && changes ? plan_draft_of(other) : plan_draft();
    const enum rk_status status = plan_read_words(changes ? text + 1 : text, &draft, error);
    if (status == RK_OK && gpus && !changes && plan_given(&draft, "gpus") &&
        draft.plan.ranks != gpus)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--gpus: %" PRIu64 ", but the words say gpus%" PRIu64 ": leave one out",
                       gpus, draft.plan.ranks);
    if (status == RK_OK && gpus && !plan_given(&draft, "gpus")) take_gpus(&draft, gpus);
    return status == RK_OK ? complete(source, &draft, other, system, plan, error) : status;
}

/* Options change the second plan, or the first one where there is no second. */
static enum rk_status take_options(const struct diff_source *source, struct diff_input *input,
                                   struct rk_error *error)
{
    const struct rk_plan before = source->b ? input->b : input->a;
    struct plan_draft draft = plan_draft_of(&before);
    const enum rk_status status = plan_read_texts(&source->changes.words, &draft, error);
    if (status != RK_OK) return status;
    snprintf(input->name_b, sizeof input->name_b, "%.40s",
             source->b ? input->name_b : "A with options");
    return complete(source, &draft, &before, &input->system, &input->b, error);
}

static void name_plan(const char *text, enum form form, char name[static 48])
{
    enum { MOST = 40 };
    const char *base = form == PLAN_WORDS || form == PLAN_CHANGES ? NULL : strrchr(text, '/');
    base = base ? base + 1 : text;
    int n = (int)strlen(base);
    const bool cut = n > MOST;
    if (cut) /* whole words, if there is more than one */
        for (n = MOST; n > 1 && base[n] != ' ';)
            n--;
    snprintf(name, 48, "%.*s%s", cut && n == 1 ? MOST : n, base, cut ? " ..." : "");
}

/* Over several clusters: a file, the stages in words, or words that the best plan is to have. */
static enum rk_status read_several(const struct diff_source *source, const char *text,
                                   enum form form, struct rk_plan *plan, struct rk_error *error)
{
    struct plan_input input = {.assumed = ""};
    struct plan_source from = {.model = source->model,
                               .system = source->system,
                               .file = form == PLAN_FILE ? text : NULL,
                               .gpus = source->gpus,
                               .several = true};
    if (form != PLAN_FILE) from.words = (struct option_texts){.count = 1, .text = {text}};
    if (form == PLAN_SCRIPT)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%.80s: over several clusters a plan is a file (.json) or words; a script "
                       "says none",
                       text);
    enum rk_status status = plan_gather(&from, &input, error);
    if (status == RK_OK) status = plan_settle(&from, &input, NULL, NULL, error);
    if (status == RK_OK) *plan = input.draft.plan;
    plan_input_release(&input);
    return status;
}

static enum rk_status read_plan(const struct diff_source *source, const char *text,
                                const struct rk_plan *other, const struct rk_system *system,
                                struct rk_plan *plan, struct rk_model *model, bool *has_model,
                                char name[static 48], struct diff_input *keep,
                                struct rk_error *error)
{
    const enum form form = form_of(text);
    enum rk_status status;
    name_plan(text, form, name);
    *has_model = form == PLAN_SCRIPT;
    if (system->machine && form != PLAN_CHANGES)
        return read_several(source, text, form, plan, error);
    if (form == PLAN_FILE || form == PLAN_SCRIPT) {
        status = form == PLAN_FILE ? plan_named_on(text, system, source->gpus, plan, error)
                                   : read_script(source, text, plan, model, keep, error);
        if (form == PLAN_FILE && status == RK_BAD_INPUT && launch_is_config(text)) {
            status = read_script(source, text, plan, model, keep, error);
            *has_model = true;
        }
        if (status == RK_OK) plan_attend_on(plan, system);
        return status;
    }
    if (form == PLAN_CHANGES && !other)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "\"%.40s\": changes (+) need a plan before them", text);
    return read_words(source, text, other, form == PLAN_CHANGES, system, plan, error);
}

/* Into input->b, with a bar where it takes long. */
static enum rk_status propose(const struct rk_plans_problem *problem, double room,
                              struct diff_input *input, struct rk_error *error)
{
    struct progress progress;
    struct rk_offer offer;
    const struct rk_aim aim = {.room = room, .progress = progress_step, .context = &progress};
    progress_start(&progress, "plans");
    const bool any = rk_offer(problem, &aim, &offer);
    if (progress_end(&progress))
        return rk_fail(error, RK_INTERRUPTED, NULL, 0, 0, "stopped before it was done");
    if (!any) return rk_plans_best(problem, &input->b, NULL, error); /* it says why */
    const double free_GiB = (1 - room) * problem->system->memory[0].capacity_bytes / 0x1p30;
    input->b = offer.found.plan;
    snprintf(input->name_b, sizeof input->name_b, "best");
    if (problem->system->machine && !offer.leaves_room)
        snprintf(input->name_b, sizeof input->name_b, "best, none leaves room");
    if (room < 1)
        snprintf(input->name_b, sizeof input->name_b,
                 offer.leaves_room ? "best that leaves %.1f GiB" : "best, none leaves %.1f GiB",
                 free_GiB);
    return RK_OK;
}

/* What all stages of A have holds for B, too. */
static enum rk_status find_over_clusters(const struct diff_source *source, struct diff_input *input,
                                         struct rk_error *error)
{
    const struct rk_plan *a = &input->a;
    struct rk_plans_problem *problem = malloc(sizeof *problem);
    if (!problem) return no_memory(error);
    rk_plans_problem_init(problem, &input->model, &input->system, a->framework, 0, a->batch,
                          a->sequence);
    clusters_pin_words(problem, a);
    enum rk_status status = rk_headroom_of_clusters(source->headroom, problem, error);
    if (status == RK_OK) status = propose(problem, 1, input, error);
    free(problem);
    return status;
}

static enum rk_status find_best(const struct diff_source *source, struct diff_input *input,
                                struct rk_error *error)
{
    double room;
    if (input->system.machine) return find_over_clusters(source, input, error);
    if (input->launch && input->launch->format) return config_best(source, input, error);
    struct rk_plans_problem *problem = malloc(sizeof *problem);
    const struct rk_plan *a = &input->a;
    if (!problem) return no_memory(error);
    rk_plans_problem_init(problem, &input->model, &input->system, a->framework, a->ranks, a->batch,
                          a->sequence);
    problem->base = *a; /* bytes, imbalance, vocabulary: what no axis chooses stays as it is */
    plan_be_even(&problem->base);
    problem->base.first_layers = problem->base.last_layers = 0;
    problem->base.embedding_counts = problem->base.head_counts = false;
    enum rk_status status = diff_room(source, input, &room, error);
    if (status == RK_OK) status = propose(problem, room, input, error);
    free(problem);
    return status;
}

static enum rk_status same_model(const struct rk_model *a, const struct rk_model *b,
                                 struct rk_error *error)
{
    if (rk_model_parameters(a) == rk_model_parameters(b) && a->sequence == b->sequence)
        return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                   "the two scripts train different models, of %llu and %llu parameters: a "
                   "difference of plans would mean nothing",
                   (unsigned long long)rk_model_parameters(a),
                   (unsigned long long)rk_model_parameters(b));
}

enum rk_status diff_take_plans(struct diff_source *source, struct rk_error *error)
{
    const char *plans[OPTION_MAX_VALUES + 3] = {NULL};
    int count = 0;
    for (; count < source->plans.count; count++)
        plans[count] = source->plans.text[count];
    if (source->a) plans[count++] = source->a;
    if (source->b) plans[count++] = source->b;
    if (!count)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "A, the first plan, is missing: a plan file, a "
                       "launch script or words, \"tp8 pp4\"");
    if (count > 2)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%d plans are given (--plan, A, B): two are compared", count);
    source->a = plans[0];
    source->b = plans[1];
    return RK_OK;
}

/* Both plans are on one machine, with the memory of its nodes where one of them offloads. */
static enum rk_status take_host(const struct diff_source *source, struct diff_input *input,
                                struct rk_error *error)
{
    const struct rk_plan *plan[2] = {&input->a, &input->b};
    for (int i = 0; i < 2; i++) {
        if (input->system.machine) continue;
        const enum rk_status status =
            host_add(plan[i], source->system, &input->system, input->host, error);
        if (status != RK_OK) return status;
    }
    return RK_OK;
}

enum rk_status diff_gather(const struct diff_source *source, struct diff_input *input,
                           struct rk_error *error)
{
    struct rk_model second;
    bool first_has = false, second_has = false;
    char why[MODEL_WHY];
    *input = (struct diff_input){.name_a = ""};
    if (!source->system) return system_missing(error);
    enum rk_status status = rk_system_load_several(source->system, &input->system, error);
    if (status == RK_OK)
        status = read_plan(source, source->a, NULL, &input->system, &input->a, &input->model,
                           &first_has, input->name_a, input, error);
    if (status == RK_OK && source->b)
        status = read_plan(source, source->b, &input->a, &input->system, &input->b, &second,
                           &second_has, input->name_b, NULL, error);
    if (status == RK_OK && first_has && second_has)
        status = same_model(&input->model, &second, error);
    if (status == RK_OK && !first_has && second_has) input->model = second;
    if (status == RK_OK && source->model) {
        status = model_open_why(source->model, &input->model, why, error);
        if (status == RK_OK && !first_has && !second_has)
            model_warn_sequence(source->model, &input->model, why, input->a.sequence);
    } else if (status == RK_OK && !first_has && !second_has)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--model is missing: only launch scripts have one");
    if (status != RK_OK) return status;
    if (source->changes.words.count) status = take_options(source, input, error);
    if (status == RK_OK) status = take_host(source, input, error);
    if (status == RK_OK && !source->changes.words.count && !source->b)
        status = find_best(source, input, error);
    return status;
}

void diff_input_release(struct diff_input *input)
{
    rk_system_release(&input->system);
    if (input->launch) launch_release(input->launch);
    free(input->launch);
    free(input->best);
}
