/* plan_word_stages.c - the words split=, blocks= and stages= of a plan's line. */
#include "base/text.h"
#include "catalog/one_line.h"
#include "catalog/plan_fields.h"
#include "catalog/plan_stages.h"
#include "catalog/plan_word.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Up to 65535 in digits; what follows them goes to `rest`. */
static bool read_blocks(struct span *rest, uint64_t *number)
{
    size_t digits = 0;
    for (*number = 0; digits < rest->length && isdigit((unsigned char)rest->at[digits]); digits++) {
        *number = 10 * *number + (uint64_t)(rest->at[digits] - '0');
        if (*number > UINT16_MAX) return false;
    }
    rest->at += digits;
    rest->length -= digits;
    return digits > 0;
}

enum rk_status plan_word_read_split(const struct parser *parser, struct span rest)
{
    struct rk_plan *plan = &parser->draft->plan;
    struct rk_layout layout = *rk_plan_layout(plan);
    char said[TEXT_QUOTE];
    layout.splits = 0;
    for (bool more = true; more;) {
        const struct span item = rest;
        uint64_t blocks, times = 1;
        bool good = read_blocks(&rest, &blocks);
        if (good && rest.length && rest.at[0] == '*') {
            rest = (struct span){rest.at + 1, rest.length - 1};
            good = read_blocks(&rest, &times) && times > 0;
        }
        more = good && rest.length && rest.at[0] == ',';
        if (!good || (rest.length && !more))
            return fail(parser, item.at,
                        "split needs blocks of each virtual stage, 10,11,11,10 or 10,11*2,10; got "
                        "%s",
                        plan_word_quote(said, item));
        if (times > (uint64_t)(RK_MAX_CHUNKS - layout.splits))
            return fail(parser, item.at, "split has more than %d entries", RK_MAX_CHUNKS);
        while (times--)
            layout.split[layout.splits++] = (uint16_t)blocks;
        if (more) rest = (struct span){rest.at + 1, rest.length - 1};
    }
    plan->layout = rk_layout_keep(&layout);
    return RK_OK;
}

/* Reads the number after the last `mark` of the span and cuts the span there; `otherwise` when
 * there is no mark. False: the text after the mark is not a number. */
static bool cut_number(struct span *span, char mark, uint64_t otherwise, uint64_t *number)
{
    const char *at = memrchr(span->at, mark, span->length);
    *number = otherwise;
    if (!at) return true;
    struct span rest = {at + 1, span->length - (size_t)(at + 1 - span->at)};
    span->length = (size_t)(at - span->at);
    return read_blocks(&rest, number) && rest.length == 0;
}

/* Cuts the span at its first `mark`, and tells whether there is one; what follows goes to `rest`.
 */
static bool cut(struct span *span, char mark, struct span *rest)
{
    const char *end = span->at + span->length, *at = memchr(span->at, mark, span->length);
    *rest = at ? (struct span){at + 1, (size_t)(end - at - 1)} : (struct span){end, 0};
    if (at) span->length = (size_t)(at - span->at);
    return at != NULL;
}

static enum rk_status fail_stage(const struct parser *parser, struct span stage)
{
    char said[TEXT_QUOTE];
    return fail(
        parser, stage.at,
        "stages need layers of each virtual stage, 10,11*2,10, with runs of other layers as "
        "4/tp2/recompute=full~6, or over clusters replicas of each, 16:20/dp4,12@1/dp8; got %s",
        plan_word_quote(said, stage));
}

/* Words after "/": "tp2/recompute=full"; of replicas also "dp4" and "equal". */
static enum rk_status read_locals(const struct parser *inner, struct span words,
                                  struct rk_stage_part *part)
{
    enum rk_status status = RK_OK;
    for (bool more = true; more && status == RK_OK;) {
        const struct span next = words;
        struct span rest, digits = {words.at + 2, words.length > 2 ? words.length - 2 : 0};
        uint64_t data;
        more = cut(&words, '/', &rest);
        if (digits.at + digits.length > words.at + words.length)
            digits.length = words.length > 2 ? words.length - 2 : 0;
        const bool replicas = words.length > 2 && memcmp(words.at, "dp", 2) == 0 &&
                              read_blocks(&digits, &data) && !digits.length && data;
        if (part && replicas)
            part->data = (uint32_t)data;
        else if (part && span_is(words, "equal"))
            part->equal = 1;
        else
            status = words.length ? plan_word_read(inner, words) : fail_stage(inner, next);
        words = rest;
    }
    return status;
}

/* "4/tp2/recompute=full" */
static enum rk_status read_run(const struct parser *parser, struct span run,
                               struct plan_stages *stages)
{
    struct plan_draft draft = {.plan.local = stages->plan->local};
    const struct parser inner = {parser->text, &draft, parser->error, .layers = true};
    const struct span whole = run;
    enum rk_status status = RK_OK;
    uint64_t layers;
    struct span words;
    const bool more = cut(&run, '/', &words);
    if (!read_blocks(&run, &layers) || run.length) return fail_stage(parser, whole);
    if (more) status = read_locals(&inner, words, NULL);
    if (status == RK_OK && !plan_stages_run(stages, layers, &draft.plan.local))
        return fail(parser, whole.at, "stages: %s", stages->fault);
    return status;
}

/* "@1/dp4/tp2" */
static enum rk_status read_part(const struct parser *parser, struct span text,
                                struct rk_stage_part *part, struct plan_stages *stages)
{
    struct plan_draft draft = {.plan.local = stages->plan->local};
    const struct parser inner = {parser->text, &draft, parser->error, .layers = true};
    const struct span whole = text;
    enum rk_status status = RK_OK;
    struct span words;
    uint64_t cluster = 0;
    const bool more = cut(&text, '/', &words);
    if (text.length) {
        struct span digits = {text.at + 1, text.length - 1};
        if (*text.at != '@' || !read_blocks(&digits, &cluster) || digits.length)
            return fail_stage(parser, whole);
    }
    part->cluster = (uint16_t)cluster;
    part->data = 1;
    if (more) status = read_locals(&inner, words, part);
    draft.plan.sequence_parallel &= draft.plan.tensor > 1;
    if (status == RK_OK && !plan_stages_part(stages, part, &draft.plan.local))
        return fail(parser, whole.at, "stages: %s", stages->fault);
    return status;
}

/* "20/dp4", "12@1/dp2/tp2~@0/dp1": the layers of a stage, and its replicas; of its further runs the
 * layers alone. */
static enum rk_status read_replicas(const struct parser *parser, struct span stage,
                                    struct plan_stages *stages)
{
    const struct span whole = stage;
    struct rk_stage_part part = {.equal = 0};
    enum rk_status status = RK_OK;
    uint64_t layers;
    if (!read_blocks(&stage, &layers)) return fail_stage(parser, whole);
    if (!plan_stages_run(stages, layers, NULL))
        return fail(parser, whole.at, "stages: %s", stages->fault);
    for (bool more = stage.length > 0; more && status == RK_OK;) {
        struct span rest;
        more = cut(&stage, '~', &rest);
        status = read_part(parser, stage, &part, stages);
        stage = rest;
    }
    return status;
}

/* "4/tp2~6" */
static enum rk_status read_stage(const struct parser *parser, struct span stage,
                                 struct plan_stages *stages)
{
    const struct span whole = stage;
    const bool parts = stages->layout.round || memchr(stage.at, '@', stage.length);
    enum rk_status status = RK_OK;
    if (parts) status = read_replicas(parser, stage, stages);
    for (bool more = stage.length > 0 && !parts; more && status == RK_OK;) {
        struct span rest;
        more = cut(&stage, '~', &rest);
        status = read_run(parser, stage, stages);
        stage = rest;
    }
    if (status == RK_OK && !plan_stages_end_stage(stages))
        return fail(parser, whole.at, "stages: %s", stages->fault);
    return status;
}

/* "16:" in front: samples that all replicas of a stage take at a time. */
static uint64_t read_round(struct span *list)
{
    struct span rest = *list;
    uint64_t round;
    if (!read_blocks(&rest, &round) || !rest.length || *rest.at != ':') return 0;
    *list = (struct span){rest.at + 1, rest.length - 1};
    return round;
}

enum rk_status plan_word_read_stages(const struct parser *parser, struct span list)
{
    const char *start = list.at;
    enum rk_status status = RK_OK;
    struct plan_stages stages;
    plan_stages_begin(&stages, &parser->draft->plan);
    stages.layout.round = read_round(&list);
    for (bool more = true; more && status == RK_OK;) {
        struct span rest;
        uint64_t times;
        more = cut(&list, ',', &rest);
        const struct span item = list;
        if (!cut_number(&list, '*', 1, &times) || !times || !list.length)
            return fail_stage(parser, item);
        while (times-- && status == RK_OK)
            status = read_stage(parser, list, &stages);
        list = rest;
    }
    if (status == RK_OK && !plan_stages_end(&stages))
        return fail(parser, start, "stages: %s", stages.fault);
    return status;
}
