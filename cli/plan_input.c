#include "cli/plan_input.h"
#include "advise/clusters_run.h"
#include "base/memory.h"
#include "catalog/hosts.h"

#include "cli/machine_products.h"
#include "cli/model_input.h"
#include "cli/plan_axes.h"
#include "plan/habits.h"

#include <inttypes.h>
#include <reckon/machine.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) .offset = offsetof(struct plan_source, member)

static const char *const batching_names[] = {"plan", "pad", "grouped", "packed", "joined", NULL};

/* clang-format off */
const struct option plan_source_options[] = {
    {.letter = 'm', .name = "model", .common = true, .type = OPTION_TEXT, .argument = "MODEL", AT(model), .complete = "models"},
    {.letter = 's', .name = "system", .common = true, .type = OPTION_TEXT, .argument = "SYSTEM", AT(system), .complete = "systems"},
    {.letter = 'g', .name = "gpus", .common = true, .type = OPTION_NUMBER, AT(gpus), .min = 1},
    {.letter = 'p', .name = "plan", .common = true, .type = OPTION_TEXT, .argument = "FILE|WORDS", AT(file), .complete = "file"},
    {.name = "lengths", .type = OPTION_TEXT, .argument = "FILE|MEAN:LONGEST", AT(lengths), .complete = "file"},
    {.name = "batching", .type = OPTION_CHOICE, .argument = "HOW", AT(batching), .choices = batching_names},
    {.name = NULL},
};
/* clang-format on */

/* ---- the words ---- */

struct option_word plan_words[PLAN_MAX_FIELDS + 1];
static char spellings[PLAN_MAX_FIELDS][160], helps[PLAN_MAX_FIELDS][320];

/* What --help explains: --help-all has the others. */
static const char *const common_words[] = {"framework", "precision", "tp",   "pp",        "vpp",
                                           "cp",        "dp",        "ep",   "mbs",       "gbs",
                                           "seq",       "sp",        "zero", "recompute", NULL};

static bool is_common(const char *word)
{
    const char *const *common = common_words;
    while (*common && strcmp(*common, word) != 0)
        common++;
    return *common != NULL;
}

static void join(const struct field *field, const char *mark, char *buffer, size_t size)
{
    size_t used = strlen(buffer);
    for (int i = 0; field->choices[i] && used < size; i++)
        used +=
            (size_t)snprintf(buffer + used, size - used, "%s%s", i ? mark : "", field->choices[i]);
}

/* Of the 24 orders of ranks the first ones: "tp-cp-dp-pp|tp-cp-pp-dp|...". */
static void shorten(char *choices)
{
    enum { MOST = 120 };
    if (strlen(choices) <= MOST) return;
    choices[MOST] = '\0';
    strcpy(strrchr(choices, '|') + 1, "...");
}

static void spell_word(const struct field *field, char *buffer, size_t size)
{
    const bool glued = strlen(field->word) <= 4;
    switch (field->type) {
    case FIELD_BOOL:
        snprintf(buffer, size, "%s%s", field->preset != 0 ? "[no-]" : "", field->word);
        break;
    case FIELD_CHOICE:
        snprintf(buffer, size, "%s=", field->word);
        join(field, "|", buffer, size);
        shorten(buffer);
        break;
    case FIELD_SET:
        snprintf(buffer, size, "%s=PART+PART...", field->word);
        break;
    case FIELD_OTHER:
        snprintf(buffer, size,
                 strcmp(field->key, "split") == 0 ? "%s=N,N,..." : "%s=N[/WORD][~N],...",
                 field->word);
        break;
    case FIELD_NUMBER:
        snprintf(buffer, size, "%s=%s", field->word, field->max == 1 ? "SHARE" : "X");
        break;
    default:
        snprintf(buffer, size, glued ? "%sN" : "%s=N", field->word);
        break;
    }
}

/* ... and its option. */
static void spell(const struct field *field, char *buffer, size_t size)
{
    spell_word(field, buffer, size);
    const size_t used = strlen(buffer);
    snprintf(buffer + used, size - used, ", --%s", field->key);
    for (char *c = buffer + used; c < buffer + size && *c; c++)
        if (*c == '_') *c = '-';
}

/* With the parts there are, and the choice that is made where none is. */
static void explain(const struct field *field, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s", field->help);
    const size_t used = strlen(buffer);
    if (field->type == FIELD_CHOICE)
        snprintf(buffer + used, size - used, " (default: %s)", field->choices[(int)field->preset]);
    if (field->type == FIELD_BOOL && field->preset != 0)
        snprintf(buffer + used, size - used, " (default: yes)");
    if (field->type != FIELD_SET) return;
    snprintf(buffer + used, size - used, ": ");
    join(field, ", ", buffer, size);
}

/* ---- the same as options ---- */

struct option plan_options[PLAN_OPTIONS];
static char names[PLAN_OPTIONS][32];
static const char *const no_yes[] = {"no", "yes", NULL};
static const struct option_alias all_or_none[] = {{"yes", 1, 1}, {"no", 0, 0}, {NULL, 0, 0}};

static struct option option_row(const char *key, char name[32], const struct field *field)
{
    const bool flag = field->type == FIELD_BOOL;
    snprintf(name, 32, "%s", key);
    for (char *c = name; *c; c++)
        if (*c == '_') *c = '-';
    return (struct option){
        .letter = strcmp(name, "batch") == 0 ? 'b' : '\0',
        .name = name,
        .type = OPTION_WORD,
        .help = field->help,
        AT(words),
        .choices = flag ? no_yes : field->choices,
        .aliases = flag || field->type == FIELD_SHARE ? all_or_none : NULL,
        .optional = flag || field->switches || field->type == FIELD_SHARE,
    };
}

static void options_prepare(void)
{
    int rows = 0;
    for (const struct field *field = plan_fields; field->key; field++) {
        if (!field->word || strcmp(field->key, "gpus") == 0) continue;
        plan_options[rows] = option_row(field->key, names[rows], field);
        rows++;
    }
    plan_options[rows].name = NULL;
}

void plan_words_prepare(void)
{
    int count = 0;
    for (const struct field *field = plan_fields; field->key; field++) {
        if (!field->word) continue;
        spell(field, spellings[count], sizeof spellings[count]);
        explain(field, helps[count], sizeof helps[count]);
        plan_words[count] =
            (struct option_word){spellings[count], helps[count], is_common(field->word)};
        count++;
    }
    options_prepare();
}

void plan_words_print(FILE *out)
{
    for (const struct field *field = plan_fields; field->key; field++) {
        if (!field->word) continue;
        const bool choice = field->type == FIELD_CHOICE;
        for (int i = 0; choice && field->choices[i]; i++)
            fprintf(out, "%s=%s\n", field->word, field->choices[i]);
        if (choice) continue;
        const bool glued = field->type == FIELD_BOOL || strlen(field->word) <= 4;
        fprintf(out, "%s%s%s\n", field->type == FIELD_BOOL && field->preset != 0 ? "no-" : "",
                field->word, glued ? "" : "=");
    }
}

/* ---- reading ---- */

static enum rk_status need(const struct plan_source *source, struct rk_error *error)
{
    const int inputs = (source->model && strcmp(source->model, "-") == 0) +
                       (source->system && strcmp(source->system, "-") == 0) +
                       (source->file && strcmp(source->file, "-") == 0);
    if (!source->model) return model_missing(error);
    if (!source->system) return system_missing(error);
    if (inputs > 1)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "standard input (-) can be read once: give files for the others");
    return RK_OK;
}

/* One word, or an option as one: "tensor=8". */
static int put_word(char *line, size_t size, const struct option_texts *words, int i)
{
    const char *name = words->name[i], *text = words->text[i];
    return snprintf(line, size, "%s%s%s%s", i ? " " : "", name ? name : "", name && text ? "=" : "",
                    text ? text : "");
}

/* The words as one line, so that a column can be named. */
enum rk_status plan_read_texts(const struct option_texts *words, struct plan_draft *draft,
                               struct rk_error *error)
{
    char line[PLAN_LINE] = "";
    size_t used = 0;
    for (int i = 0; i < words->count; i++) {
        used += (size_t)put_word(line + used, sizeof line - used, words, i);
        if (used >= sizeof line)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "the words of the plan are longer than %zu bytes: give a file, --plan",
                           sizeof line - 1);
    }
    return plan_read_words(line, draft, error);
}

enum rk_status plan_inputs(const struct plan_source *source, struct plan_input *input,
                           struct rk_error *error)
{
    enum rk_status status = need(source, error);
    if (status == RK_OK)
        status = model_open_why(source->model, &input->model, input->sequence_why, error);
    if (status == RK_OK && source->cluster)
        return rk_system_copy(&input->system, source->cluster, error);
    return status == RK_OK ? rk_system_load(source->system, &input->system, error) : status;
}

/* What is offloaded goes to the memory of the nodes, where the system says no other. */
static enum rk_status take_host(const struct plan_source *source, struct plan_input *input,
                                struct rk_error *error)
{
    char note[HOST_WORD] = "";
    struct rk_plan plan = input->draft.plan;
    plan.ranks = plan_gpus(&input->draft, source->gpus, &input->system);
    const enum rk_status status = host_add(&plan, source->system, &input->system, note, error);
    if (*note) plan_assume(input, "%s", note);
    return status;
}

/* ---- several clusters ---- */

/* The best plan with what the words say; where none leaves the headroom, the best that fits. */
static enum rk_status find_over_clusters(const struct plan_source *source, struct plan_input *input,
                                         struct rk_error *error)
{
    const struct rk_plan *words = &input->draft.plan;
    struct rk_plans_problem *problem = malloc(sizeof *problem);
    struct rk_aim aim = {.where = NULL};
    struct rk_offer offer;
    if (!problem) return no_memory(error);
    if (!plan_given(&input->draft, "batch")) {
        free(problem);
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--batch is missing: add --batch 256, or the word gbs256");
    }
    plan_take_framework(&input->draft, &input->system);
    rk_plans_problem_init(problem, &input->model, &input->system, words->framework, 0, words->batch,
                          words->sequence);
    problem->launchable = source->alike;
    enum rk_status status = plan_problem_take(&input->draft, problem, error);
    if (status == RK_OK) status = rk_headroom_of_clusters(NULL, problem, error);
    if (status == RK_OK && !rk_offer(problem, &aim, &offer))
        status = rk_plans_best(problem, &offer.found.plan, NULL, error); /* it says why */
    if (status == RK_OK && !offer.leaves_room)
        fputs("reckon: no plan leaves the headroom of the memory: this is the best that fits\n",
              stderr);
    if (status == RK_OK) {
        input->draft = plan_draft_of(&offer.found.plan);
        input->draft.given[plan_row("precision")] = true;
        input->searched = true;
        plan_assume(input, "stages as the search over the clusters finds them");
    }
    free(problem);
    return status;
}

/* What all stages have in common, which words of the line override. */
static enum rk_status read_staged(struct clusters_file *file, struct plan_draft *draft,
                                  struct rk_error *error)
{
    enum rk_status status = clusters_file_read(file, error);
    if (status == RK_OK) status = clusters_file_words(file, draft, error);
    memset(draft->words, 0, sizeof draft->words);
    return status;
}

/* What `--plan` names: stages over clusters, the file; a plan, or a line of words, the draft. */
static enum rk_status read_named(const char *name, struct clusters_file *file,
                                 struct plan_draft *draft, bool *staged, struct rk_error *error)
{
    *staged = false;
    if (!name) return RK_OK;
    if (plan_is_line(name)) return plan_read_words(name, draft, error);
    const enum rk_status status = document_load(name, &file->document, error);
    if (status != RK_OK) return status;
    *staged = clusters_file_is(&file->document);
    return *staged ? read_staged(file, draft, error) : plan_read(&file->document, draft, error);
}

static enum rk_status read_over_clusters(const struct plan_source *source,
                                         struct clusters_file *file, struct plan_input *input,
                                         struct rk_error *error)
{
    struct plan_draft *draft = &input->draft;
    bool staged = false;
    enum rk_status status = read_named(source->file, file, draft, &staged, error);
    if (status == RK_OK) status = plan_read_texts(&source->words, draft, error);
    if (status == RK_OK && staged) {
        status = clusters_file_settle(file, &input->model, &input->system, draft, error);
        draft->given[plan_row("precision")] = true;
        return status;
    }
    if (status != RK_OK || source->unsearched || rk_plan_layout(&draft->plan)->parts) return status;
    return find_over_clusters(source, input, error);
}

static enum rk_status gather_several(const struct plan_source *source, struct plan_input *input,
                                     struct rk_error *error)
{
    struct clusters_file file = {.batch = 0};
    if (source->lengths)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--lengths does not go with several clusters: give seq and padded");
    if (source->gpus)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--gpus does not go with several clusters: each says how many it has");
    enum rk_status status =
        model_open_why(source->model, &input->model, input->sequence_why, error);
    if (status == RK_OK) status = rk_system_load_several(source->system, &input->system, error);
    if (status == RK_OK) status = read_over_clusters(source, &file, input, error);
    clusters_file_release(&file);
    return status;
}

enum rk_status plan_gather(const struct plan_source *source, struct plan_input *input,
                           struct rk_error *error)
{
    enum rk_status status = need(source, error);
    input->draft = plan_draft();
    if (status == RK_OK && source->several && rk_machine_is_several(source->system))
        return gather_several(source, input, error);
    if (status == RK_OK && source->file) status = plan_named(source->file, &input->draft, error);
    if (status == RK_OK) status = plan_read_texts(&source->words, &input->draft, error);
    if (status == RK_OK) status = plan_inputs(source, input, error);
    if (status == RK_OK) status = plan_take_lengths(source, input, error);
    return status == RK_OK ? take_host(source, input, error) : status;
}

void plan_input_release(struct plan_input *input)
{
    rk_system_release(&input->system);
}

/* ---- what was not said ---- */

void plan_assume(struct plan_input *input, const char *format, ...)
{
    size_t used = strlen(input->assumed);
    va_list values;
    if (used) used += (size_t)snprintf(input->assumed + used, PLAN_NOTES - used, ", ");
    if (used >= PLAN_NOTES) return;
    va_start(values, format);
    vsnprintf(input->assumed + used, PLAN_NOTES - used, format, values);
    va_end(values);
}

static void give(struct plan_draft *draft, const char *key)
{
    draft->given[plan_row(key)] = true;
}

static bool in_words(const struct plan_draft *draft, const char *key)
{
    return draft->words[plan_row(key)];
}

/* --gpus overrides the GPUs of a file, and its data parallelism follows; it must agree with words,
 * and with a data-parallel degree that the file gives without GPUs. */
static enum rk_status settle_gpus(const struct plan_source *source, struct plan_input *input,
                                  struct rk_error *error)
{
    struct plan_draft *draft = &input->draft;
    const uint64_t gpus = source->gpus;
    if (gpus && in_words(draft, "gpus") && draft->plan.ranks != gpus)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--gpus: %" PRIu64 ", but the words say gpus%" PRIu64 ": leave one out",
                       gpus, draft->plan.ranks);
    if (!gpus && plan_take_devices(draft, &input->system))
        plan_assume(input, "gpus %" PRIu64 " (all of the system)", draft->plan.ranks);
    if (!gpus) return RK_OK;
    const bool counted = plan_given(draft, "gpus");
    draft->plan.ranks = gpus;
    give(draft, "gpus");
    if (counted && !in_words(draft, "data")) draft->data = 0; /* the file's */
    return RK_OK;
}

static void settle_precision(struct plan_input *input)
{
    plan_take_framework(&input->draft, &input->system);
    if (plan_take_precision(&input->draft, &input->system))
        plan_assume(input, "precision %s", rk_precision_name(input->draft.plan.precision));
}

/* Those that matter most of what the plan leaves as it is. */
/* A table of learned positions that would end within the samples. */
static void say_positions(struct plan_input *input)
{
    const struct rk_model *m = &input->model;
    const uint64_t rows = rk_model_positions(m, 0), tokens = input->draft.plan.sequence;
    if (m->position == RK_POSITION_LEARNED && tokens > rows)
        plan_assume(input, "learned positions %" PRIu64 " (the model's table has %" PRIu64 ")",
                    tokens, rows);
}

/* Padded to the busiest expert, the router's load is most of a layer. */
static void say_load(struct plan_input *input)
{
    const struct rk_plan *plan = &input->draft.plan;
    if (input->model.experts && plan->capacity_padded && !(plan->capacity_factor > 0) &&
        !(plan->imbalance > 1) && plan->framework != RK_MEGATRON)
        plan_assume(input, "imbalance %.3g (of the busiest expert, to which all are padded)",
                    rk_busiest_expert(&input->model));
}

/* What more GPUs share than run is shared by those that do. */
static void say_shared(struct plan_input *input)
{
    const uint64_t gpus = input->draft.plan.ranks;
    for (int i = 1; i < input->system.memories; i++) {
        const struct rk_memory *m = &input->system.memory[i];
        const uint64_t most = m->capacity_shared_by > m->bandwidth_shared_by
                                  ? m->capacity_shared_by
                                  : m->bandwidth_shared_by;
        if (most > gpus)
            plan_assume(input,
                        "%s for this run alone, %" PRIu64 " of the %" PRIu64 " GPUs that share it",
                        m->name, gpus, most);
    }
}

/* Messages that the framework overlaps unless told not to, and the plan does not. */
static void say_overlap(struct plan_input *input)
{
    const struct plan_draft *draft = &input->draft;
    const struct rk_plan *plan = &draft->plan;
    if (!rk_answerer(plan->framework)->layers || rk_plan_data(plan) < 2 ||
        plan->zero < habits_of(plan)->overlaps_by_itself)
        return;
    const bool gradients = !plan->gradient_overlap && !plan_given(draft, "gradient_overlap");
    const bool weights =
        plan->zero && !plan->weight_overlap && !plan_given(draft, "weight_overlap");
    if (gradients || weights)
        plan_assume(input, "%s not overlapped (%s overlaps by itself: say%s%s)",
                    gradients && weights ? "gradients and weights"
                    : gradients          ? "gradients"
                                         : "weights",
                    rk_framework_name(plan->framework), gradients ? " grad-overlap" : "",
                    weights ? " weight-overlap" : "");
}

/* A machine that was measured is as fast as what multiplied then. */
static void say_products(const struct plan_source *source, struct plan_input *input)
{
    char text[192];
    if (machine_products(source->system, text, sizeof text))
        plan_assume(input, "products by %s, as measured", text);
}

void plan_assume_reference(struct plan_input *input, const struct rk_plan *plan)
{
    if (!plan_given(&input->draft, "reference") && plan->reference)
        plan_assume(input, "reference %s (evaluated before training: say none)",
                    rk_reference_name(plan->reference));
}

static void say_presets(const struct plan_source *source, struct plan_input *input, bool batch)
{
    const bool microbatch = source->batches || plan_given(&input->draft, "microbatch");
    const struct plan_draft *draft = &input->draft;
    const struct rk_plan *plan = &draft->plan;
    const char *why = input->sequence_why;
    const int length = model_why_length(why);
    if (!plan_given(draft, "framework"))
        plan_assume(input, "framework %s", rk_framework_name(plan->framework));
    if (!microbatch) plan_assume(input, "microbatch %" PRIu64, plan->microbatch);
    if (!batch) plan_assume(input, "batch %" PRIu64 " (4 * gpus * microbatch)", plan->batch);
    if (!plan_given(draft, "sequence") || plan->sequence == 0)
        plan_assume(input, "sequence %" PRIu64 " (%.*s%s)", input->model.sequence, length, why,
                    why[length] ? "; seqN sets another" : "");
    say_positions(input);
    say_load(input);
    say_shared(input);
    say_overlap(input);
    if (!source->batches) plan_assume_reference(input, plan);
    if (!plan_given(draft, "attention") && rk_answerer(plan->framework)->layers)
        plan_assume(input, "attention %s", rk_attention_kernel_name(plan->attention));
}

/* Of a plan whose stages have replicas of their own. */
static enum rk_status settle_several(struct plan_input *input, struct rk_error *error)
{
    struct plan_fault fault;
    struct plan_draft *draft = &input->draft;
    settle_precision(input);
    const bool batch = plan_given(draft, "batch");
    if (!plan_complete(draft, &fault)) return plan_fail(draft, &fault, error);
    if (!batch) plan_assume(input, "batch %" PRIu64 " (4 rounds)", draft->plan.batch);
    return RK_OK;
}

/* Adapters are on a checkpoint as it is stored. */
static void settle_base(const struct plan_source *source, struct plan_input *input)
{
    if (plan_take_checkpoint(&input->draft, source->model))
        plan_assume(input, "base %s (the checkpoint's name)", rk_base_name(input->draft.plan.base));
}

/* Words of the line that do nothing in this plan. */
static void say_idle(const struct plan_input *input)
{
    const char *because, *word;
    for (int next = 0;
         (word = rk_plan_idle_word(&input->model, &input->draft.plan, &next, &because));)
        if (input->draft.words[next - 1])
            fprintf(stderr, "reckon: note: %s has no effect: %s\n", word, because);
}

enum rk_status plan_settle(const struct plan_source *source, struct plan_input *input,
                           plan_choose *choose, void *context, struct rk_error *error)
{
    struct plan_fault fault;
    if (input->system.machine) return settle_several(input, error);
    const enum rk_status status = settle_gpus(source, input, error);
    if (status != RK_OK) return status;
    settle_precision(input);
    settle_base(source, input);
    input->draft.system = &input->system;
    plan_imply(&input->draft); /* before a search begins with the kernel */
    if (choose) choose(input, context);
    const bool batch = source->batches || plan_given(&input->draft, "batch");
    if (plan_complete(&input->draft, &fault)) {
        say_presets(source, input, batch);
        say_products(source, input);
        say_idle(input);
        return RK_OK;
    }
    if (fault.row == plan_row("gpus") && source->gpus)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--gpus: %s", fault.text);
    return plan_fail(&input->draft, &fault, error);
}
