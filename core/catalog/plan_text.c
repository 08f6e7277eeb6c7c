/* plan_text.c - a plan in one line of words, "tp8 pp4 sp recompute=full"; reckon-plan(5). */
#include "base/text.h"
#include "base/units.h"
#include "catalog/one_line.h"
#include "catalog/plan_fields.h"
#include "catalog/plan_stages.h"
#include "catalog/plan_word.h"

#include <ctype.h>
#include <math.h>
#include <reckon/catalog.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *plan_word_quote(char buffer[static TEXT_QUOTE], struct span span)
{
    return text_quote(buffer, span.at, span.length);
}

/* "offload-optimizer", "optimizer_offload" */
static bool is_name(struct span span, const char *name)
{
    if (!span.length) return false;
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
    if (field && field->type == FIELD_SHARE && span_is(value, "yes")) return (struct span){"1", 1};
    if (field && field->type == FIELD_SHARE && span_is(value, "no")) return (struct span){"0", 1};
    return value;
}

static const struct field *find_field(struct span name)
{
    for (const struct field *field = plan_fields; field->key; field++) {
        if (!field->word || (field->word[0] != *name.at && field->key[0] != *name.at))
            continue; /* most are another by the first letter */
        if (is_name(name, field->word) || is_name(name, field->key)) return field;
    }
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
            if (span_is(value, field->choices[i])) return field;
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
    return fail(parser, value.at, "%s must be a number, got %s%s", field->word,
                plan_word_quote(said, value), is_whole(field) ? ": write out its digits" : "");
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
        return fail(parser, span.at, "%s is a value: write %s%s%.*s", plan_word_quote(said, span),
                    plan_is_parts(choice) ? "recompute" : choice->word,
                    plan_is_parts(choice) ? "=selective:" : "=", (int)span.length, span.at);
    if (nearest)
        return fail(parser, span.at, "unknown word %s: did you mean \"%s\"?",
                    plan_word_quote(said, name), nearest);
    if (span.length > 5 && memcmp(span.at + span.length - 5, ".json", 5) == 0)
        return fail(parser, span.at, "%s is a file, not a word: give a plan's file with `plan`",
                    plan_word_quote(said, span));
    return fail(parser, span.at,
                "unknown word %s: there are tp, pp, cp, ep, dp, mbs, gbs, zero, sp, recompute and "
                "others, see reckon-plan(5)",
                plan_word_quote(said, span));
}

/* ---- values ---- */

static enum rk_status fail_range(const struct parser *parser, const struct word *word)
{
    char said[TEXT_QUOTE], range[128];
    field_range(word->field, range, sizeof range);
    return fail(parser, word->value.at, "%s must be %s, got %s", word->field->word, range,
                plan_word_quote(said, word->value));
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
                    plan_word_quote(said, value));
    if (whole && *number > 0x1p53)
        return fail(parser, value.at, "%s must be at most 2^53, got %s", word->field->word,
                    plan_word_quote(said, value));
    return field_allows(word->field, *number) ? RK_OK : fail_range(parser, word);
}

/* "sp", "no-sp", "sp=yes"; false when it is something else. */
static bool read_switch(const struct word *word, double *number)
{
    static const char *const names[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
    *number = !word->negated;
    if (!word->valued) return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (span_is(word->value, names[i])) {
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
                plan_word_quote(said, word->value));
}

/* Objectives that people ask for and plans do not have, and what to ask instead. */
static const char *asked_instead(struct span name)
{
    static const char *const policies[] = {"grpo", "ppo", "rloo", "reinforce", NULL};
    for (int i = 0; policies[i]; i++)
        if (span_is(name, policies[i]))
            return "what generates its samples holds memory and takes time that plans do not know "
                   "(an engine's share of the GPU, or a cache of all samples); its training pass "
                   "alone is about objective=dpo reference=none, with half the samples "
                   "of a microbatch as pairs, each of prompt and answer";
    return NULL;
}

static enum rk_status read_choice(const struct parser *parser, struct span name, const char *what,
                                  const char *const *choices, double *index)
{
    char said[TEXT_QUOTE], list[256], copy[64];
    for (int i = 0; choices[i]; i++)
        if (span_is(name, choices[i])) {
            *index = i;
            return RK_OK;
        }
    const char *instead = strcmp(what, "objective") == 0 ? asked_instead(name) : NULL;
    if (instead)
        return fail(parser, name.at, "objective %.*s: %s", (int)name.length, name.at, instead);
    snprintf(copy, sizeof copy, "%.*s", (int)(name.length < sizeof copy ? name.length : 0),
             name.at);
    const char *nearest = text_nearest(copy, choices);
    field_list(choices, list, sizeof list);
    return fail(parser, name.at, "%s must be one of %s; got %s%s%s%s", what, list,
                plan_word_quote(said, name), nearest ? "; did you mean \"" : "",
                nearest ? nearest : "", nearest ? "\"?" : "");
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

/* ---- words ---- */

static bool is_said(const struct plan_draft *draft, const char *key)
{
    return draft->words[plan_row(key)];
}

static int column_of(const struct parser *parser, const char *at)
{
    struct text_mark *mark = parser->mark;
    if (!mark || at < mark->at) return text_column(parser->text, at);
    *mark = (struct text_mark){at, mark->column + text_column(mark->at, at) - 1};
    return mark->column;
}

/* The line's data degree overrides ranks from elsewhere, and its ranks a data degree. */
static void note(const struct parser *parser, const struct field *field, const char *at)
{
    struct plan_draft *draft = parser->draft;
    const char *key = field->key;
    const ptrdiff_t row = field - plan_fields;
    draft->words[row] = draft->given[row] = true;
    draft->at[row].line = 1;
    draft->at[row].column = column_of(parser, at);
    if (strcmp(key, "data") == 0 && !is_said(draft, "gpus")) draft->given[plan_row("gpus")] = false;
    if (strcmp(key, "gpus") == 0 && !is_said(draft, "data")) {
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
        if (span_is(first, parts->choices[i])) return true;
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
    if (status != RK_OK || is_said(parser->draft, "recompute_parts")) return status;
    field_store(parts, parser->draft, bits);
    if (list) note(parser, parts, list);
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
        return (strcmp(field->key, "split") == 0 ? plan_word_read_split
                                                 : plan_word_read_stages)(parser, word->value);
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
    if (parser->draft->words[field - plan_fields])
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
    note(parser, field, at);
    return RK_OK;
}

enum rk_status plan_word_read(const struct parser *parser, struct span span)
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
    struct text_mark mark = {text, 1};
    const struct parser parser = {text, &read, error, .mark = &mark};
    memset(read.words, 0, sizeof read.words);
    snprintf(read.text, sizeof read.text, "%s", text);
    bool of_stages = false, others;
    enum rk_status status = read_all(&parser, false, &of_stages);
    for (int row = 0; status == RK_OK && plan_fields[row].key; row++)
        if (read.words[row]) plan_follow(&read.plan, &draft->plan, &plan_fields[row]);
    plan_imply(&read);
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
