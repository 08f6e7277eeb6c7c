#include "cli/eval_set.h"

#include "base/memory.h"
#include "cli/executor.h"

#include <stdlib.h>
#include <string.h>

bool eval_add(struct eval_set *set, size_t at, size_t tokens, size_t first)
{
    if (!ARRAY_ROOM(set->sequence, set->count) || !ARRAY_ROOM(set->at, set->count)) return false;
    set->at[set->count] = at;
    set->sequence[set->count++] = (struct rk_sequence){.tokens = tokens, .first = first};
    set->scored += tokens - first;
    return true;
}

bool eval_windows(struct eval_set *set, size_t at, size_t end, uint64_t sequence, uint64_t stride)
{
    size_t next = at + 1; /* to be scored */
    while (next < end) {
        const size_t step = next == at + 1 ? sequence : stride;
        const size_t last = end - next < step ? end : next + step;
        const size_t begin = last - at > sequence + 1 ? last - sequence - 1 : at;
        if (!eval_add(set, begin, last - begin, next - begin)) return false;
        next = last;
    }
    return true;
}

enum rk_status eval_score(struct eval_set *set, const struct eval_model *m,
                          struct rk_token_score **scores, struct rk_error *error)
{
    *scores = calloc(set->scored ? set->scored : 1, sizeof **scores);
    if (!*scores) return no_memory(error);
    for (size_t i = 0; i < set->count; i++)
        set->sequence[i].token = set->ids.id + set->at[i];
    const struct rk_score score = {
        .load = m->load, .system = &m->system, .sequence = set->sequence, .sequences = set->count};
    return cli_executor->score(&m->model, &m->plan, &m->train, &score, *scores, error);
}

enum rk_status eval_check_tokenizer(const struct eval_model *m, struct rk_error *error)
{
    const uint64_t words = m->model.vocabulary;
    const bool bytes = !m->tokenizer_path || strcmp(m->tokenizer_path, "bytes") == 0;
    if ((bytes || m->tokenizer.ids <= words) && words <= 2 * (uint64_t)m->tokenizer.ids)
        return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, bytes ? NULL : m->tokenizer_path, 0, 0,
                   "%s %u ids, the model's vocabulary %llu: say the model's own --tokenizer",
                   bytes ? "the tokenizer bytes has" : "has", m->tokenizer.ids,
                   (unsigned long long)words);
}

void eval_set_release(struct eval_set *set)
{
    token_list_release(&set->ids);
    free(set->sequence);
    free(set->at);
    *set = (struct eval_set){.count = 0};
}
