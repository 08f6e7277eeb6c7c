#include "galvatron/cases.h"

#include "base/memory.h"

static enum rk_status find(const struct place *group, const char *kind, const char *name,
                           struct place *member, struct rk_error *error)
{
    enum rk_status status = place_need_object(group, error);
    if (status != RK_OK || place_member(group, name, member)) return status;
    return place_fail(group, error, "has no %s \"%.100s\"", kind, name);
}

static enum rk_status need(const struct place *object, const char *key, struct place *member,
                           struct rk_error *error)
{
    enum rk_status status = place_need_object(object, error);
    if (status != RK_OK || place_member(object, key, member)) return status;
    return place_fail(object, error, "has no \"%s\"", key);
}

/* The profiles, and how many ranks they are of. */
struct found {
    struct place root, models, machines, model,
        machine; /* root holds the two groups, which hold the two */
    int ranks;
};

static enum rk_status find_both(const struct document *profiles,
                                const struct galvatron_question *question, struct found *found,
                                struct rk_error *error)
{
    int nodes = 1, per_node = 1;
    found->root = place_root(profiles);
    enum rk_status status = need(&found->root, "models", &found->models, error);
    if (status == RK_OK) status = need(&found->root, "hardware", &found->machines, error);
    if (status == RK_OK)
        status = find(&found->models, "model", question->model, &found->model, error);
    if (status == RK_OK)
        status = find(&found->machines, "machine", question->hardware, &found->machine, error);
    if (status == RK_OK) status = galvatron_read_ranks(&found->machine, &nodes, &per_node, error);
    found->ranks = nodes * per_node;
    return status;
}

static enum rk_status read_both(const struct found *found,
                                const struct galvatron_question *question,
                                struct galvatron_setting *setting, struct rk_error *error)
{
    const struct galvatron_needs *needs = &setting->choice.needs;
    const enum rk_status status =
        galvatron_read_hardware(&found->machine, needs, &setting->hardware, error);
    return status == RK_OK ? galvatron_read_model(&found->model, &question->shape, needs,
                                                  &setting->model, error)
                           : status;
}

enum rk_status galvatron_set(const struct document *profiles,
                             const struct galvatron_question *question,
                             struct galvatron_setting *setting, struct rk_error *error)
{
    struct found found;
    *setting = (struct galvatron_setting){.choice = {.layers = 0}};
    enum rk_status status = find_both(profiles, question, &found, error);
    if (status == RK_OK) status = galvatron_choose(question, found.ranks, &setting->choice, error);
    return status == RK_OK ? read_both(&found, question, setting, error) : status;
}

enum rk_status galvatron_set_for(const struct document *profiles,
                                 const struct galvatron_question *question,
                                 const struct galvatron_file *file,
                                 struct galvatron_setting *setting, struct rk_error *error)
{
    struct found found;
    *setting = (struct galvatron_setting){.choice = {.layers = 0}};
    const enum rk_status status = find_both(profiles, question, &found, error);
    if (status != RK_OK) return status;
    if (found.ranks != file->world)
        return place_fail(&found.machine, error,
                          "has %d ranks, world_size of the strategy file is %d", found.ranks,
                          file->world);
    for (int i = 0; i < file->layers; i++)
        galvatron_need(&setting->choice.needs, &file->layer[i]);
    galvatron_need(&setting->choice.needs, &file->embedding);
    return read_both(&found, question, setting, error);
}

void galvatron_setting_release(struct galvatron_setting *setting)
{
    galvatron_choice_release(&setting->choice);
}

/* ---- answers ---- */

static json_t *numbers(int count, const int *number)
{
    json_t *array = json_array();
    for (int i = 0; array && i < count; i++)
        json_array_append_new(array, json_integer(number[i]));
    return array;
}

/* Runs of equal layers, [[14, "1-4*-2f-c"], ...]. */
static json_t *runs(const struct galvatron_answer *answer)
{
    json_t *array = json_array();
    for (int i = 0, next; array && i < answer->layers; i = next) {
        char name[GALVATRON_NAME];
        for (next = i + 1; next < answer->layers; next++)
            if (!galvatron_same(&answer->layer[i], &answer->layer[next])) break;
        json_array_append_new(array,
                              json_pack("[is]", next - i, galvatron_name(name, &answer->layer[i])));
    }
    return array;
}

/* What a file of cases has under "expected", computed. NULL: no memory. */
static json_t *galvatron_expected(const struct galvatron_question *question,
                                  const struct galvatron_answer *answer)
{
    if (!answer->found) return json_pack("{sn}", "throughput_samples_per_s");
    const struct galvatron_strategy *end = &answer->embedding;
    return json_pack("{sf sf si si si so so so s{si si si} so so}", "throughput_samples_per_s",
                     answer->samples_per_s, "step_s", answer->step_s, "batch", answer->batch,
                     "chunks", answer->chunks, "pp", answer->stages, "pp_division",
                     numbers(answer->stages, answer->division), "memory_used_MB",
                     numbers(answer->stages, answer->used_MB), "memory_remaining_MB",
                     numbers(answer->stages, answer->left_MB), "embedding", "tp_or_sp",
                     galvatron_split(end), "ulysses", end->ulysses > 1, "zero3",
                     end->zero == GALVATRON_ZERO3, "layers", runs(answer), "config",
                     galvatron_strategy_json(question, answer, false));
}

enum rk_status galvatron_cases(const struct place *root, struct place *cases,
                               struct rk_error *error)
{
    const enum rk_status status = need(root, "cases", cases, error);
    return status == RK_OK ? place_need_array(cases, 0, 1000000, error) : status;
}

enum rk_status galvatron_case(const struct document *profiles, const struct place *cases,
                              size_t index, json_t **line, struct rk_error *error)
{
    const struct place one = place_element(cases, index);
    struct galvatron_question question;
    struct galvatron_setting setting = {.choice = {.layers = 0}};
    struct galvatron_answer answer = {.found = false};
    struct place input;
    enum rk_status status = need(&one, "input", &input, error);
    if (status == RK_OK) status = galvatron_read_question(&input, &question, error);
    if (status == RK_OK) status = galvatron_set(profiles, &question, &setting, error);
    if (status == RK_OK)
        status = galvatron_search(&question, &setting.hardware, &setting.model, &setting.choice,
                                  &answer, error);
    if (status == RK_OK) {
        *line = json_pack("{sI so}", "index", (json_int_t)index, "expected",
                          galvatron_expected(&question, &answer));
        if (!*line) status = no_memory(error);
    }
    galvatron_answer_release(&answer);
    galvatron_setting_release(&setting);
    return status;
}
