/* plan_text.c - a plan in one line of words, "tp8 pp4 sp recompute=full"; reckon-plan(5). */
#include "base/text.h"
#include "base/units.h"
#include "catalog/plan_fields.h"
#include "catalog/plan_stages.h"

#include <ctype.h>
#include <math.h>
#include <reckon/catalog.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct span { /* a piece of the text */
    const char *at;
    size_t length;
};

struct parser {
    const char *text;
    struct plan_draft *draft;
    struct rk_error *error;
    bool layers; /* words of a run of layers: what one layer sees */
};

/* One word: what it sets, and to what. */
struct word {
    struct span whole, value;
    const struct field *field;
    bool valued, negated; /* "tp8" or "tp=8"; "no-fused" */
};

static int column_of(const char *text, const char *at)
{
    int column = 1;
    for (; text < at; text++)
        column += ((unsigned char)*text & 0xc0) != 0x80;
    return column;
}

static enum rk_status fail(const struct parser *parser, const char *at, const char *format, ...)
    RK_PRINTF(3, 4);

static enum rk_status fail(const struct parser *parser, const char *at, const char *format, ...)
{
    char said[TEXT_QUOTE], text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return rk_fail(parser->error, RK_BAD_ARGUMENT,
                   text_quote(said, parser->text, strlen(parser->text)), 1,
                   column_of(parser->text, at), "%s", text);
}

static const char *quote(char buffer[static TEXT_QUOTE], struct span span)
{
    return text_quote(buffer, span.at, span.length);
}

static bool is(struct span span, const char *text)
{
    return strlen(text) == span.length && memcmp(text, span.at, span.length) == 0;
}

/* "offload-optimizer", "optimizer_offload" */
static bool is_name(struct span span, const char *name)
{
    if (!span.length || span.at[0] != name[0])
        return false; /* most are another by the first letter */
    for (size_t i = 0; i < span.length; i++)
        if ((span.at[i] == '_' ? '-' : span.at[i]) != (name[i] == '_' ? '-' : name[i]))
            return false; /* also at the end of the name */
    return name[span.length] == '\0';
}

static struct span next_word(const char *at)
{
    at += strspn(at, " \t\r\n");
    return (struct span){at, strcspn(at, " \t\r\n")};
}

/* ---- what a word names ---- */

/* Of a share, all of it or nothing. */
static struct span value_of(const struct field *field, struct span value)
{
    if (field && field->type == FIELD_SHARE && is(value, "yes")) return (struct span){"1", 1};
    if (field && field->type == FIELD_SHARE && is(value, "no")) return (struct span){"0", 1};
    return value;
}

static const struct field *find_field(struct span name)
{
    for (const struct field *field = plan_fields; field->key; field++)
        if (field->word && (is_name(name, field->word) || is_name(name, field->key))) return field;
    return NULL;
}

static bool is_numeric(const struct field *field)
{
    return field->type == FIELD_COUNT || field->type == FIELD_TIER || field->type == FIELD_NUMBER ||
           field->type == FIELD_SHARE;
}

static bool is_whole(const struct field *field)
{
    return field->type == FIELD_COUNT || field->type == FIELD_TIER;
}

/* Is it said with yes and no, or alone? */
static bool is_switch(const struct field *field)
{
    return field->type == FIELD_BOOL || field->switches;
}

/* "tp8", "seq1M": the digits at the end, and what multiplies them, are the value of a number. */
static bool find_glued(struct word *word)
{
    size_t length = word->whole.length;
    if (length > 1 && strchr("kKMGT", word->whole.at[length - 1]) &&
        isdigit((unsigned char)word->whole.at[length - 2]))
        length--;
    while (length && (isdigit((unsigned char)word->whole.at[length - 1]) ||
                      word->whole.at[length - 1] == '.'))
        length--;
    word->value = (struct span){word->whole.at + length, word->whole.length - length};
    if (!word->value.length) return false;
    word->field = find_field((struct span){word->whole.at, length});
    word->valued = true;
    return word->field && is_numeric(word->field);
}

static bool find_negated(struct word *word)
{
    const size_t skip = strlen("no-");
    if (word->whole.length <= skip ||
        (strncmp(word->whole.at, "no-", skip) != 0 && strncmp(word->whole.at, "no_", skip) != 0))
        return false;
    word->field = find_field((struct span){word->whole.at + skip, word->whole.length - skip});
    word->negated = true;
    return word->field && is_switch(word->field);
}

static bool find_word(struct span span, struct word *word)
{
    const char *equals = memchr(span.at, '=', span.length);
    const struct word empty = {.whole = span};
    *word = empty;
    if (equals) {
        const size_t length = (size_t)(equals - span.at);
        word->field = find_field((struct span){span.at, length});
        word->value = value_of(word->field, (struct span){equals + 1, span.length - length - 1});
        word->valued = true;
        return word->field != NULL;
    }
    if (find_glued(word)) return true;
    *word = empty;
    word->field = find_field(span);
    return word->field || find_negated(word);
}

bool plan_is_word(const char *text, size_t length)
{
    struct word word;
    return find_word((struct span){text, length}, &word);
}

/* Whose value is it? "fsdp" alone is meant to be framework=fsdp. */
static const struct field *field_of_choice(struct span value)
{
    for (const struct field *field = plan_fields; field->key; field++)
        for (int i = 0; field->choices && field->choices[i]; i++)
            if (is(value, field->choices[i])) return field;
    return NULL;
}

/* The name that the word seems to mean: without its value, without the digits at its end. */
static struct span name_of(struct span span)
{
    const char *equals = memchr(span.at, '=', span.length);
    if (equals) return (struct span){span.at, (size_t)(equals - span.at)};
    while (span.length > 1 && isdigit((unsigned char)span.at[span.length - 1]))
        span.length--;
    return span;
}

static const char *nearest_name(struct span span)
{
    const char *names[2 * PLAN_MAX_FIELDS + 1] = {NULL};
    char name[64];
    size_t count = 0;
    for (const struct field *field = plan_fields; field->key; field++) {
        if (!field->word) continue;
        names[count++] = field->word;
        names[count++] = field->key;
    }
    if (span.length >= sizeof name) return NULL;
    snprintf(name, sizeof name, "%.*s", (int)span.length, span.at);
    return text_nearest(name, names);
}

/* "seq1Mi" is meant to be a number of tokens. */
static const struct field *field_of_number(struct span span, struct span *value)
{
    size_t length = 0;
    while (length < span.length && !isdigit((unsigned char)span.at[length]))
        length++;
    *value = (struct span){span.at + length, span.length - length};
    const struct field *field = value->length ? find_field((struct span){span.at, length}) : NULL;
    return field && is_numeric(field) ? field : NULL;
}

static enum rk_status fail_number(const struct parser *parser, const struct field *field,
                                  struct span value)
{
    char said[TEXT_QUOTE];
    return fail(parser, value.at, "%s must be a number, got %s%s", field->word, quote(said, value),
                is_whole(field) ? ": write out its digits" : "");
}

static enum rk_status fail_unknown(const struct parser *parser, const struct word *word)
{
    char said[TEXT_QUOTE];
    const struct span span = word->whole, name = name_of(span);
    const struct field *choice = field_of_choice(span);
    const char *nearest = nearest_name(name);
    struct span value;
    const struct field *number = field_of_number(span, &value);
    if (number) return fail_number(parser, number, value);
    if (word->negated && word->field)
        return fail(parser, span.at, "%s cannot be taken back: it takes a value",
                    word->field->word);
    if (choice)
        return fail(parser, span.at, "%s is a value: write %s%s%.*s", quote(said, span),
                    plan_is_parts(choice) ? "recompute" : choice->word,
                    plan_is_parts(choice) ? "=selective:" : "=", (int)span.length, span.at);
    if (nearest)
        return fail(parser, span.at, "unknown word %s: did you mean \"%s\"?", quote(said, name),
                    nearest);
    if (span.length > 5 && memcmp(span.at + span.length - 5, ".json", 5) == 0)
        return fail(parser, span.at, "%s is a file, not a word: give a plan's file with `plan`",
                    quote(said, span));
    return fail(parser, span.at,
                "unknown word %s: there are tp, pp, cp, ep, dp, mbs, gbs, zero, sp, recompute and "
                "others, see reckon-plan(5)",
                quote(said, span));
}

/* ---- values ---- */

static enum rk_status fail_range(const struct parser *parser, const struct word *word)
{
    char said[TEXT_QUOTE], range[128];
    field_range(word->field, range, sizeof range);
    return fail(parser, word->value.at, "%s must be %s, got %s", word->field->word, range,
                quote(said, word->value));
}

/* "8192", "8k" */
static bool read_whole(struct span value, double *number)
{
    uint64_t whole;
    if (whole_parse(value.at, value.length, &whole) != value.length) return false;
    *number = (double)whole;
    return true;
}

static enum rk_status read_number(const struct parser *parser, const struct word *word,
                                  double *number)
{
    char said[TEXT_QUOTE];
    const struct span value = word->value;
    const bool whole = is_whole(word->field);
    if (!word->valued && word->field->type == FIELD_SHARE) { /* all of it */
        *number = 1;
        return RK_OK;
    }
    if (!value.length)
        return fail(parser, word->whole.at + word->whole.length, "%s needs a number: %s%s%.0f",
                    word->field->word, word->field->word, strlen(word->field->word) > 4 ? "=" : "",
                    word->field->max > 0 && word->field->max < 8 ? word->field->max : 8);
    if (!(whole && read_whole(value, number)) &&
        (number_parse(value.at, value.length, number) != value.length || !isfinite(*number)))
        return fail_number(parser, word->field, value);
    if (whole && *number != floor(*number))
        return fail(parser, value.at, "%s must be an integer, got %s", word->field->word,
                    quote(said, value));
    if (whole && *number > 0x1p53)
        return fail(parser, value.at, "%s must be at most 2^53, got %s", word->field->word,
                    quote(said, value));
    return field_allows(word->field, *number) ? RK_OK : fail_range(parser, word);
}

/* "sp", "no-sp", "sp=yes"; false when it is something else. */
static bool read_switch(const struct word *word, double *number)
{
    static const char *const names[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
    *number = !word->negated;
    if (!word->valued) return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is(word->value, names[i])) {
            *number = i & 1;
            return true;
        }
    return false;
}

static enum rk_status read_flag(const struct parser *parser, const struct word *word,
                                double *number)
{
    char said[TEXT_QUOTE];
    if (read_switch(word, number)) return RK_OK;
    return fail(parser, word->value.at, "%s must be yes or no, got %s", word->field->word,
                quote(said, word->value));
}

static enum rk_status read_choice(const struct parser *parser, struct span name, const char *what,
                                  const char *const *choices, double *index)
{
    char said[TEXT_QUOTE], list[256], copy[64];
    for (int i = 0; choices[i]; i++)
        if (is(name, choices[i])) {
            *index = i;
            return RK_OK;
        }
    snprintf(copy, sizeof copy, "%.*s", (int)(name.length < sizeof copy ? name.length : 0),
             name.at);
    const char *nearest = text_nearest(copy, choices);
    field_list(choices, list, sizeof list);
    return fail(parser, name.at, "%s must be one of %s; got %s%s%s%s", what, list,
                quote(said, name), nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                nearest ? "\"?" : "");
}

/* "core_attn+moe_act" */
static enum rk_status read_set(const struct parser *parser, struct span value,
                               const struct field *field, double *bits)
{
    unsigned set = 0;
    for (const char *at = value.at, *end = value.at + value.length; at <= end;) {
        const char *plus = memchr(at, '+', (size_t)(end - at));
        const struct span name = {at, (size_t)((plus ? plus : end) - at)};
        double index = 0;
        const enum rk_status status =
            read_choice(parser, name, field->word, field->choices, &index);
        if (status != RK_OK) return status;
        if (set >> (unsigned)index & 1)
            return fail(parser, at, "%s stands there twice: leave one out",
                        field->choices[(int)index]);
        set |= 1u << (unsigned)index;
        at += name.length + 1;
    }
    *bits = set;
    return RK_OK;
}

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

/* "10,11*2,10" */
static enum rk_status read_split(const struct parser *parser, struct span rest)
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
                        quote(said, item));
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
        quote(said, stage));
}

static enum rk_status read_word(const struct parser *parser, struct span span);

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
        else if (part && is(words, "equal"))
            part->equal = 1;
        else
            status = words.length ? read_word(inner, words) : fail_stage(inner, next);
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

/* "4/tp2~6,10*3" */
static enum rk_status read_stages(const struct parser *parser, struct span list)
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

/* ---- words ---- */

static bool said(const struct plan_draft *draft, const char *key)
{
    return draft->words[plan_row(key)];
}

/* The line's data degree overrides ranks from elsewhere, and its ranks a data degree. */
static void note(const struct parser *parser, const char *key, const char *at)
{
    struct plan_draft *draft = parser->draft;
    const int row = plan_row(key);
    draft->words[row] = draft->given[row] = true;
    draft->at[row].line = 1;
    draft->at[row].column = column_of(parser->text, at);
    if (strcmp(key, "data") == 0 && !said(draft, "gpus")) draft->given[plan_row("gpus")] = false;
    if (strcmp(key, "gpus") == 0 && !said(draft, "data")) {
        draft->given[plan_row("data")] = false;
        draft->data = 0;
    }
}

/* "core_attn+moe_act" where a mode stands: those are recomputed, as tables print them. */
static bool begins_with_part(struct span value, const struct field *parts)
{
    const char *plus = memchr(value.at, '+', value.length);
    const struct span first = {value.at, plus ? (size_t)(plus - value.at) : value.length};
    for (int i = 0; parts->choices[i]; i++)
        if (is(first, parts->choices[i])) return true;
    return false;
}

/* "selective", "selective:core_attn+moe_act", "core_attn+moe_act" */
static enum rk_status read_recompute(const struct parser *parser, const struct word *word,
                                     double *mode)
{
    const struct field *parts = &plan_fields[plan_row("recompute_parts")];
    const struct span value = word->value;
    const char *colon = memchr(value.at, ':', value.length);
    const struct span name = {value.at, colon ? (size_t)(colon - value.at) : value.length};
    const bool bare = !colon && begins_with_part(value, parts);
    const char *list = bare ? value.at : colon ? colon + 1 : NULL;
    double bits = 0;
    enum rk_status status = RK_OK;
    *mode = RK_SELECTIVE;
    if (!bare) status = read_choice(parser, name, word->field->word, word->field->choices, mode);
    if (status != RK_OK) return status;
    if (list && *mode != RK_SELECTIVE)
        return fail(parser, colon, "only recompute=selective has parts");
    if (list)
        status = read_set(parser, (struct span){list, (size_t)(value.at + value.length - list)},
                          parts, &bits);
    if (status != RK_OK || said(parser->draft, "recompute_parts")) return status;
    field_store(parts, parser->draft, bits);
    if (list) note(parser, "recompute_parts", list);
    return RK_OK;
}

static enum rk_status read_value(const struct parser *parser, const struct word *word,
                                 double *number)
{
    const struct field *field = word->field;
    if (!word->valued && !is_numeric(field) && !is_switch(field)) {
        char list[256] = "10,11,11,10";
        if (field->choices) field_list(field->choices, list, sizeof list);
        return fail(parser, word->whole.at + word->whole.length, "%s needs a value: %s=%s%s",
                    field->word, field->word, field->choices ? "one of " : "", list);
    }
    switch (field->type) {
    case FIELD_BOOL:
        return read_flag(parser, word, number);
    case FIELD_CHOICE:
        if (strcmp(field->key, "recompute") == 0) return read_recompute(parser, word, number);
        if (field->switches && read_switch(word, number)) return RK_OK;
        return read_choice(parser, word->value, field->word, field->choices, number);
    case FIELD_SET:
        return read_set(parser, word->value, field, number);
    case FIELD_OTHER:
        return (strcmp(field->key, "split") == 0 ? read_split : read_stages)(parser, word->value);
    default:
        return read_number(parser, word, number);
    }
}

/* "0.3+1.5": shares in several columns. Cuts the word's value to the first. */
static struct span cut_shares(struct word *word)
{
    const struct span none = {NULL, 0};
    if (word->field->type != FIELD_SHARE || !word->valued) return none;
    const char *plus = memchr(word->value.at, '+', word->value.length);
    if (!plus) return none;
    const struct span rest = {plus + 1, word->value.length - (size_t)(plus + 1 - word->value.at)};
    word->value.length = (size_t)(plus - word->value.at);
    return rest;
}

/* What a word says that stands at `at`. */
static enum rk_status take_word(const struct parser *parser, struct word *word, const char *at)
{
    const struct field *field = word->field;
    double number = 0;
    if (said(parser->draft, field->key))
        return fail(parser, at, "%s is given twice: leave one out", field->word);
    if (parser->layers && !plan_is_local(field))
        return fail(parser, at, "%s is of the whole plan, not of a layer", field->word);
    struct span rest = cut_shares(word);
    enum rk_status status = read_value(parser, word, &number);
    if (status != RK_OK) return status;
    field_store(field, parser->draft, number);
    while (rest.at) {
        word->value = rest;
        rest = cut_shares(word);
        status = read_value(parser, word, &number);
        if (status != RK_OK) return status;
        field_add_share(field, parser->draft, number);
    }
    note(parser, field->key, at);
    return RK_OK;
}

static enum rk_status read_word(const struct parser *parser, struct span span)
{
    struct word word;
    if (!find_word(span, &word)) return fail_unknown(parser, &word);
    return take_word(parser, &word, span.at);
}

/* The words about stages, or all others; `left`: there are words of the other kind. */
static enum rk_status read_all(const struct parser *parser, bool stages, bool *left)
{
    for (struct span span = next_word(parser->text); span.length;
         span = next_word(span.at + span.length)) {
        struct word word;
        if (!find_word(span, &word)) return fail_unknown(parser, &word);
        if ((strcmp(word.field->key, "stages") == 0) != stages) {
            *left = true;
            continue;
        }
        const enum rk_status status = take_word(parser, &word, span.at);
        if (status != RK_OK) return status;
    }
    return RK_OK;
}

enum rk_status plan_read_words(const char *text, struct plan_draft *draft, struct rk_error *error)
{
    struct plan_draft read = *draft;
    const struct parser parser = {text, &read, error, .layers = false};
    memset(read.words, 0, sizeof read.words);
    snprintf(read.text, sizeof read.text, "%s", text);
    bool of_stages = false, others;
    enum rk_status status = read_all(&parser, false, &of_stages);
    for (int row = 0; status == RK_OK && plan_fields[row].key; row++)
        if (read.words[row]) plan_follow(&read.plan, &draft->plan, &plan_fields[row]);
    plan_settle_attention(&read);
    if (status == RK_OK && of_stages) /* they go by what the others say */
        status = read_all(&parser, true, &others);
    if (status == RK_OK) *draft = read;
    return status;
}

enum rk_status plan_fail(const struct plan_draft *draft, const struct plan_fault *fault,
                         struct rk_error *error)
{
    char said_text[TEXT_QUOTE];
    const struct field *field = &plan_fields[fault->row];
    const bool said = draft->words[fault->row], of_file = !said && *draft->path;
    const int line = said || of_file ? draft->at[fault->row].line : 0;
    const int column = said || of_file ? draft->at[fault->row].column : 0;
    const char *path = said      ? text_quote(said_text, draft->text, strlen(draft->text))
                       : of_file ? draft->path
                                 : NULL;
    return rk_fail(error, of_file ? RK_BAD_INPUT : RK_BAD_ARGUMENT, path, line, column,
                   "%s%s%s: %s", of_file ? field->key : field->word, *fault->have ? " " : "",
                   fault->have, fault->text);
}

enum rk_status rk_plan_parse(const char *text, struct rk_plan *plan, struct rk_error *error)
{
    struct plan_draft draft = plan_draft();
    struct plan_fault fault;
    const enum rk_status status = plan_read_words(text, &draft, error);
    if (status != RK_OK) return status;
    if (!plan_complete(&draft, &fault)) return plan_fail(&draft, &fault, error);
    *plan = draft.plan;
    return RK_OK;
}
