/* megatron_args.c - from words to values, by the table of flags. */
#include "megatron/megatron_args.h"
#include "base/text.h"
#include "keys/keys.h"
#include "megatron/megatron_loop.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum rk_status megatron_args_fail(const struct megatron_args *args, const struct shell_word *word,
                                  const char *format, ...)
{
    char text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return rk_fail(args->error, *args->path ? RK_BAD_INPUT : RK_BAD_ARGUMENT, args->path,
                   word ? word->place.line : 0, word ? word->place.column : 0, "%s", text);
}

enum rk_status megatron_args_break(const struct megatron_args *args, const char *rule,
                                   const struct shell_word *word, const char *format, ...)
{
    char text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (args->options->collect)
        notes_add_rule(args->notes, rule, NOTE_REFUSED, word ? word->place.line : 0,
                       word ? word->place.column : 0, "", "", "", "%s", text);
    return megatron_args_fail(args, word, "%s", text);
}

void megatron_refuse(const struct megatron_args *args, const char *rule, enum megatron_flag flag,
                     const char *format, ...)
{
    char why[256], what[72];
    const struct shell_word *word = args->value[flag].given ? args->value[flag].word : NULL;
    va_list values;
    va_start(values, format);
    vsnprintf(why, sizeof why, format, values);
    va_end(values);
    snprintf(what, sizeof what, "--%s", megatron_flags[flag].name);
    notes_add_rule(args->notes, rule, NOTE_REFUSED, word ? word->place.line : 0,
                   word ? word->place.column : 0, what, "", "", "%s", why);
}

void megatron_note(const struct megatron_args *args, enum rk_severity kind, enum megatron_flag flag,
                   const char *value, const char *format, ...)
{
    char why[256], what[72];
    const struct shell_word *word = args->value[flag].given ? args->value[flag].word : NULL;
    va_list values;
    va_start(values, format);
    vsnprintf(why, sizeof why, format, values);
    va_end(values);
    snprintf(what, sizeof what, "--%s", megatron_flags[flag].name);
    notes_add(args->notes, kind, word ? word->place.line : 0, word ? word->place.column : 0, what,
              value, "%s", why);
}

bool megatron_is(const struct megatron_args *args, enum megatron_flag flag, const char *text)
{
    return args->value[flag].given && strcmp(args->value[flag].word->text, text) == 0;
}

bool megatron_lists(const struct megatron_args *args, enum megatron_flag flag, const char *text)
{
    const struct megatron_value *value = &args->value[flag];
    for (int i = 0; value->given && i < value->words; i++)
        if (strcmp(value->word[i].text, text) == 0) return true;
    return false;
}

/* ---- values ---- */

static bool is_flag(const struct shell_word *word)
{
    const char *text = word->text;
    return text[0] == '-' && !isdigit((unsigned char)text[1]) && text[1] && text[1] != '.';
}

/* The choice that the text is, whatever its case: Megatron-DeepSpeed writes them small. */
static const char *find_choice(const char *choices, const char *text, size_t *length)
{
    const size_t n = strlen(text);
    for (const char *p = choices; *p; p += *length + (p[*length] != '\0')) {
        *length = strcspn(p, "|;");
        if (*length == n && strncasecmp(p, text, n) == 0) return p;
        if (*length == 1 && *p == '*') return text;
    }
    return NULL;
}

/* What the value is for helps to give it. */
static enum rk_status fail_value(const struct megatron_args *args,
                                 const struct megatron_flag_facts *facts,
                                 const struct shell_word *word)
{
    const enum rk_status status = shell_fail_unknown(args->shell, word, args->error);
    const size_t used = strlen(args->error->text);
    const bool number = facts->kind == MEGATRON_COUNT || facts->kind == MEGATRON_COUNTS;
    const int choices = (int)strcspn(facts->choices, ";");
    if (used + 8 < sizeof args->error->text)
        snprintf(args->error->text + used, sizeof args->error->text - used, ", for --%s%s%.*s",
                 facts->name,
                 number    ? ": a whole number"
                 : choices ? ": one of "
                           : "",
                 choices < 120 ? choices : 0, facts->choices);
    return status;
}

static enum rk_status read_word(struct megatron_args *args, enum megatron_flag flag,
                                const struct shell_word *word)
{
    const struct megatron_flag_facts *facts = &megatron_flags[flag];
    char quoted[TEXT_QUOTE];
    size_t n;
    if (word->unknown || word->maybe) return fail_value(args, facts, word);
    const char *choice = find_choice(facts->choices, word->text, &n);
    if (choice && memcmp(choice, word->text, n) != 0 && facts->kind == MEGATRON_WORD &&
        n < sizeof args->choice[flag]) {
        memcpy(args->choice[flag], choice, n);
        args->joined[flag] = *word;
        args->joined[flag].text = args->choice[flag];
        args->value[flag].word = &args->joined[flag];
    }
    const bool known = args->options->core && !args->foreign
                           ? megatron_is_choice(facts->choices, word->text)
                           : choice != NULL;
    if (!*facts->choices || known) return RK_OK;
    return megatron_args_break(args, "1.value", word, "--%s: %s is not known: give one of %.*s",
                               facts->name, text_quote(quoted, word->text, strlen(word->text)),
                               (int)strcspn(facts->choices, ";"), facts->choices);
}

static enum rk_status read_count(const struct megatron_args *args,
                                 const struct megatron_flag_facts *facts,
                                 const struct shell_word *word, uint64_t *count)
{
    char quoted[TEXT_QUOTE], *end;
    if (word->unknown || word->maybe) return fail_value(args, facts, word);
    errno = 0;
    const unsigned long long value = strtoull(word->text, &end, 10);
    if (!isdigit((unsigned char)*word->text) || *end || errno || value > 1000000000)
        return megatron_args_break(args, "1.value", word,
                                   "--%s: must be a whole number up to 1000000000, got %s",
                                   facts->name, text_quote(quoted, word->text, strlen(word->text)));
    *count = value;
    return RK_OK;
}

static enum rk_status read_number(const struct megatron_args *args,
                                  const struct megatron_flag_facts *facts,
                                  const struct shell_word *word, double *number)
{
    char quoted[TEXT_QUOTE], *end;
    if (word->unknown || word->maybe) return fail_value(args, facts, word);
    *number = strtod(word->text, &end);
    if (end == word->text || *end || !isfinite(*number))
        return megatron_args_break(args, "1.value", word, "--%s: must be a number, got %s",
                                   facts->name, text_quote(quoted, word->text, strlen(word->text)));
    return RK_OK;
}

/* "64 64 128": only where all are the same is there one kind of layer. */
static enum rk_status read_counts(const struct megatron_args *args,
                                  const struct megatron_flag_facts *facts,
                                  const struct shell_word *word, bool first, uint64_t *count)
{
    uint64_t next = 0;
    const enum rk_status status = read_count(args, facts, word, &next);
    if (status == RK_OK && !first && next != *count)
        return megatron_args_fail(args, word,
                                  "--%s: differs from layer to layer, which is not "
                                  "covered",
                                  facts->name);
    *count = next;
    return status;
}

static enum rk_status read_value(struct megatron_args *args, enum megatron_flag flag,
                                 const struct shell_word *word, size_t left)
{
    const struct megatron_flag_facts *facts = &megatron_flags[flag];
    struct megatron_value *value = &args->value[flag];
    const bool wants = facts->kind != MEGATRON_SWITCH && facts->kind != MEGATRON_REFUSED;
    *value = (struct megatron_value){.given = true, .word = left ? word : word - 1};
    if (!wants) return RK_OK;
    if (facts->kind == MEGATRON_PATH) {
        value->words = left && !is_flag(word);
        value->given = value->words;
        if (!value->words && args->options->collect && !args->foreign)
            return megatron_args_break(args, "1.value", word - 1, "--%s needs a value",
                                       facts->name);
        return RK_OK;
    }
    if (left == 0 || is_flag(word))
        return megatron_args_break(args, "1.value", value->word,
                                   "--%s needs a value: the value is missing, or a "
                                   "variable that is empty",
                                   facts->name);
    for (value->words = 0; (size_t)value->words < left && !is_flag(&word[value->words]);) {
        enum rk_status status = RK_OK;
        const struct shell_word *next = &word[value->words++];
        if (facts->kind == MEGATRON_COUNT)
            status = read_count(args, facts, next, &value->count);
        else if (facts->kind == MEGATRON_COUNTS)
            status = read_counts(args, facts, next, value->words == 1, &value->count);
        else if (facts->kind == MEGATRON_NUMBER)
            status = read_number(args, facts, next, &value->number);
        else
            status = read_word(args, flag, next);
        if (status != RK_OK || (facts->kind != MEGATRON_LIST && facts->kind != MEGATRON_COUNTS))
            return status;
    }
    return RK_OK;
}

/* ---- flags ---- */

static void narrow(struct megatron_args *args, int since, int until)
{
    if (since > args->since) args->since = since;
    if (until && until < args->until) args->until = until;
}

static void judge_version(struct megatron_args *args, const struct shell_word *word, int since,
                          int until)
{
    const int version = args->options->version;
    if (!since) return; /* never in core */
    narrow(args, since, until);
    if (!version || (version >= since && (!until || version <= until))) return;
    if (version < since)
        notes_add_rule(args->notes, "1.unknown", NOTE_REFUSED, word->place.line, word->place.column,
                       word->text, "", "", "is not in Megatron Core 0.%d, only from 0.%d on",
                       version, since);
    else
        notes_add_rule(args->notes, "1.unknown", NOTE_REFUSED, word->place.line, word->place.column,
                       word->text, "", "", "is not in Megatron Core 0.%d, only up to 0.%d", version,
                       until);
}

static bool is_ignored(const struct megatron_args *args, const char *name)
{
    return key_ignored(args->options->ignored, args->options->ignored_count, name, false);
}

static void note_unknown(struct megatron_args *args, const struct shell_word *word,
                         const char *name)
{
    const char *nearest = megatron_flag_nearest(name);
    char why[160] = "is not known", text[128];
    if (is_ignored(args, name)) return;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(word->text, "="), word->text);
    if (!args->options->collect && !megatron_name_matters(name)) {
        notes_add(args->notes, NOTE_WARNING, word->place.line, word->place.column, word->text, "",
                  "is not known: passed over, since by its name it is about files, logs, data, "
                  "seeds or learning rates");
        return;
    }
    if (nearest) snprintf(why, sizeof why, "is not known, did you mean --%s?", nearest);
    args->unknown++;
    notes_add_rule(args->notes, "1.unknown", NOTE_UNKNOWN, word->place.line, word->place.column,
                   text, "", "", "%s", why);
}

static enum rk_status refuse_costly(const struct megatron_args *args, const struct rk_finding *note)
{
    return rk_fail(args->error, *args->path ? RK_BAD_INPUT : RK_BAD_ARGUMENT, args->path,
                   note->line, note->column,
                   "%s: is not known to Megatron-LM or its relatives" KEY_MAY_COST
                   ": correct it, or say model, batch and degrees as words of reckon predict",
                   note->what);
}

/* All of them in one message, with what lets them pass. */
static enum rk_status refuse_unknown(const struct megatron_args *args)
{
    char names[240] = "";
    const struct rk_finding *first = NULL;
    size_t used = 0;
    for (int i = 0; i < args->notes->count && used + 66 < sizeof names; i++) {
        const struct rk_finding *note = &args->notes->note[i];
        if (note->severity != NOTE_UNKNOWN) continue;
        const bool media = key_of_media(note->what);
        if (!media && key_may_cost(note->what)) return refuse_costly(args, note);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", first ? "," : "",
                                 note->what + strspn(note->what, "-"));
        if (!first || (media && !key_of_media(first->what))) first = note;
    }
    if (!first) return RK_OK;
    if (key_of_media(first->what))
        return rk_fail(args->error, *args->path ? RK_BAD_INPUT : RK_BAD_ARGUMENT, args->path,
                       first->line, first->column,
                       "%s: is of images, video or sound, which plans do not cover: give --ignore "
                       "%s to estimate the text's model alone",
                       first->what, names);
    return rk_fail(args->error, *args->path ? RK_BAD_INPUT : RK_BAD_ARGUMENT, args->path,
                   first->line, first->column,
                   "%s: is not known to Megatron-LM or its relatives: correct it, or if nothing of "
                   "shape, time and memory depends on it, give --ignore %s",
                   first->what, names);
}

static enum rk_status read_known(struct megatron_args *args, enum megatron_flag flag,
                                 const struct shell_word *words, size_t count, size_t *used)
{
    const struct megatron_flag_facts *facts = &megatron_flags[flag];
    const char *equals = strchr(words->text, '=');
    if (facts->kind == MEGATRON_REFUSED) {
        while (*used < count && !is_flag(&words[*used]))
            ++*used;
        return read_value(args, flag, words, 1);
    }
    if (facts->kind == MEGATRON_SWITCH && equals)
        return megatron_args_break(args, "1.value", words, "--%s takes no value", facts->name);
    if (facts->kind == MEGATRON_SWITCH) return read_value(args, flag, words, 1);
    if (equals) {
        args->joined[flag] = *words;
        args->joined[flag].text = equals + 1;
        return read_value(args, flag, &args->joined[flag], 1);
    }
    const enum rk_status status = read_value(args, flag, words + 1, count - 1);
    *used = 1 + (size_t)args->value[flag].words;
    return status;
}

static void note_effect(struct megatron_args *args, const struct shell_word *word,
                        const struct megatron_other *other)
{
    if (other->effect == MEGATRON_NONE || is_ignored(args, other->name)) return;
    if (other->effect == MEGATRON_NOT_COVERED)
        notes_add_rule(
            args->notes, "1.covered", NOTE_REFUSED, word->place.line, word->place.column,
            word->text, "", "",
            "%s, which plans do not cover: give --ignore %s to estimate the run without it",
            other->why, other->name);
    else
        notes_add(args->notes, NOTE_WARNING, word->place.line, word->place.column, word->text, "",
                  "is not followed: %s", other->why);
}

/* Words that an argument takes, and more: argparse would stop there, but they say nothing. */
static size_t pass_over(struct megatron_args *args, const struct shell_word *words, size_t count,
                        size_t most)
{
    size_t used = 1, stray = 0;
    for (; used < count && !is_flag(&words[used]); used++) {
        if (used <= most || most > 1) continue;
        if (words[used].unknown && words[used].empty_unknown) break; /* may hold arguments */
        if (!stray++)
            notes_add(args->notes, NOTE_WARNING, words[used].place.line, words[used].place.column,
                      words->text, words[used].text,
                      "is a word too many after this argument: it is passed over, but the run "
                      "itself would stop here");
    }
    return used;
}

/* Names of before, and those of now, of Megatron-LM. */
static const char *const removed[][2] = {
    {"model-parallel-size", "--tensor-model-parallel-size"},
    {"batch-size", "--micro-batch-size"},
    {"warmup", "--lr-warmup-fraction"},
    {"checkpoint-activations", "--recompute-granularity"},
    {"activations-checkpoint-method", "--recompute-method"},
    {"checkpoint-num-layers", "--recompute-num-layers"},
    {"activations-checkpoint-num-layers", "--recompute-num-layers"},
    {"distribute-checkpointed-activations", "--distribute-saved-activations"},
    {"use-checkpoint-lr-scheduler", "--use-checkpoint-opt_param-scheduler"},
    {"override-lr-scheduler", "--override-opt_param-scheduler"},
    {"fp8-e4m3", "--fp8-format e4m3"},
    {"fp8-hybrid", "--fp8-format hybrid"},
};

/* Arguments that current Megatron-LM does not know, though its ancestors or relatives do; true:
 * that is refused. */
static bool judge_elsewhere(struct megatron_args *args, const struct shell_word *word,
                            const char *name, int tools)
{
    char fix[208];
    if (!args->options->collect || args->foreign) return false;
    for (size_t i = 0; i < sizeof removed / sizeof *removed; i++) {
        if (strcmp(name, removed[i][0]) != 0 || (args->deepspeed && (tools & MEGATRON_DEEPSPEED)))
            continue;
        snprintf(fix, sizeof fix, "give %s", removed[i][1]);
        notes_add_rule(args->notes, "1.removed", NOTE_REFUSED, word->place.line, word->place.column,
                       word->text, "", fix, "is no longer an argument");
        return true;
    }
    if (tools & MEGATRON_CORE) return false;
    const bool relative = tools & ~MEGATRON_2 & (args->deepspeed ? ~0 : ~MEGATRON_DEEPSPEED);
    if (relative && !args->options->core) return false;
    const char *nearest = megatron_flag_nearest(name);
    snprintf(fix, sizeof fix, "did you mean --%.60s?", nearest ? nearest : "");
    notes_add_rule(args->notes, "1.unknown", NOTE_REFUSED, word->place.line, word->place.column,
                   word->text, "", nearest ? fix : "", "is not known to Megatron-LM");
    return true;
}

static void judge_twice(struct megatron_args *args, const struct shell_word *word,
                        enum megatron_flag flag)
{
    if (args->options->collect && !args->foreign && args->value[flag].given)
        notes_add_rule(args->notes, "1.twice", NOTE_REFUSED, word->place.line, word->place.column,
                       word->text, "", "leave one out", "is given twice");
}

static void add_tools(struct megatron_args *args, int tools)
{
    args->tools |= tools;
    if ((tools & (tools - 1)) == 0) args->sure |= tools;
}

static enum rk_status read_flag(struct megatron_args *args, const struct shell_word *words,
                                size_t count, size_t *used)
{
    char name[128];
    int tools;
    struct megatron_other other;
    const bool joined = strchr(words->text, '=');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(words->text, "="), words->text);
    const bool is_long = strncmp(name, "--", 2) == 0;
    const int flag = is_long ? megatron_flag_find(name, &tools) : -1;
    *used = 1;
    if (flag >= 0 && words->maybe) return shell_fail_unknown(args->shell, words, args->error);
    const bool elsewhere = flag >= 0 && judge_elsewhere(args, words, name + 2, tools);
    if (flag >= 0) {
        if (!elsewhere) judge_twice(args, words, (enum megatron_flag)flag);
        if (tools == MEGATRON_CORE)
            judge_version(args, words, megatron_flags[flag].since, megatron_flags[flag].until);
        else
            add_tools(args, tools);
        const enum rk_status status =
            read_known(args, (enum megatron_flag)flag, words, count, used);
        if (megatron_flags[flag].kind == MEGATRON_PATH)
            *used = pass_over(args, words, count, !joined);
        return status;
    }
    if (is_long && megatron_other_find(name + 2, &other)) {
        const bool gone =
            judge_elsewhere(args, words, name + 2, other.since ? MEGATRON_CORE : other.tools);
        megatron_loop_take(args, &other, words, count);
        judge_version(args, words, other.since, other.until);
        add_tools(args, other.tools);
        note_effect(args, words, &other);
        if (!gone) megatron_judge_value(args, &other, words, count);
        if (strcmp(other.name, "spec") == 0 && !is_ignored(args, other.name))
            megatron_judge_spec(args, words, count);
        if (other.values >= MEGATRON_ONE_COUNT) other.values = MEGATRON_ONE_VALUE;
    } else {
        other.values = MEGATRON_MANY_VALUES;
        note_unknown(args, words, is_long ? name + 2 : name);
    }
    *used = pass_over(args, words, count, joined ? 0 : (size_t)other.values);
    return RK_OK;
}

/* "$EXTRA" that is not set, in the place of arguments: bash would leave it out. */
static enum rk_status judge_stray(struct megatron_args *args, const struct shell_word *word)
{
    char quoted[TEXT_QUOTE];
    const char *name = args->shell ? shell_never_set(args->shell, word) : NULL;
    if (name) {
        if (!*args->left_out) snprintf(args->left_out, sizeof args->left_out, "%s", name);
        notes_add(args->notes, NOTE_ASSUMED, word->place.line, word->place.column, word->text,
                  "not set",
                  "the script does not set it, so that bash gives nothing here: give --set %s=... "
                  "otherwise",
                  name);
        return RK_OK;
    }
    if (word->unknown || word->maybe) return shell_fail_unknown(args->shell, word, args->error);
    return megatron_args_break(args, "1.unknown", word,
                               "%s: an argument that begins with -- is expected here",
                               text_quote(quoted, word->text, strlen(word->text)));
}

static enum rk_status refuse_kinds(struct megatron_args *args)
{
    for (int i = 0; i < MEGATRON_FLAG_COUNT; i++)
        if (args->value[i].given && megatron_flags[i].kind == MEGATRON_REFUSED)
            return megatron_args_fail(args, args->value[i].word,
                                      "--%s: %s, which plans do not cover", megatron_flags[i].name,
                                      megatron_flags[i].sets);
    return RK_OK;
}

/* Whose arguments they are: what only one of them has decides. */
static enum megatron_tool find_tool(const struct megatron_args *args)
{
    static const enum megatron_tool tools[] = {MEGATRON_LLM, MEGATRON_DEEPSPEED, MEGATRON_MINDSPEED,
                                               MEGATRON_PAI, MEGATRON_2};
    if (args->foreign) return (enum megatron_tool)args->foreign;
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (args->sure & tools[i]) return tools[i];
    return (args->tools & MEGATRON_OLD) ? MEGATRON_2 : MEGATRON_CORE;
}

/* What is not known or not a value ends it: nothing that follows could be judged. What plans do not
 * cover does not. */
static bool has_findings(const struct megatron_args *args)
{
    for (int i = 0; i < args->notes->count; i++)
        if (args->notes->note[i].severity == NOTE_REFUSED &&
            strcmp(args->notes->note[i].rule, "1.covered") != 0)
            return true;
    return false;
}

enum rk_status megatron_args_read(struct megatron_args *args, const struct shell_word *words,
                                  size_t count)
{
    enum rk_status status = RK_OK, first = RK_OK;
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i].text, "--num_layers") == 0) args->sure |= MEGATRON_LLM;
    for (size_t i = 0; i < count; i++)
        args->deepspeed |= strncmp(words[i].text, "--deepspeed", strlen("--deepspeed")) == 0;
    args->since = MEGATRON_OLDEST;
    args->until = MEGATRON_NEWEST;
    for (size_t i = 0; status == RK_OK && i < count;) {
        size_t used = 1;
        if (is_flag(&words[i]) && !words[i].unknown)
            status = read_flag(args, &words[i], count - i, &used);
        else if (*words[i].text || words[i].unknown)
            status = judge_stray(args, &words[i]);
        if (status != RK_OK && args->options->collect && notes_count(args->notes, NOTE_REFUSED)) {
            first = first == RK_OK ? status : first;
            status = RK_OK;
            used = used > 1 ? used : pass_over(args, &words[i], count - i, 2);
        }
        i += used;
    }
    if (status == RK_OK) status = first;
    args->tool = find_tool(args);
    if (status == RK_OK && args->unknown) status = refuse_unknown(args);
    if (status == RK_OK && args->options->collect && has_findings(args))
        return notes_refusal(args->notes, args->path, args->error);
    if (status == RK_OK && args->tool == MEGATRON_CORE && !args->foreign &&
        args->since > args->until + 1) /* one: of the development between two releases */
        notes_add_rule(args->notes, "1.unknown", NOTE_REFUSED, 0, 0, "the arguments", "", "",
                       "are not in any single version of Megatron Core: some came with 0.%d, "
                       "others were removed "
                       "after 0.%d",
                       args->since, args->until);
    return status == RK_OK ? refuse_kinds(args) : status;
}

/* Is `key` one of "a, b, c"? */
static bool in_list(const char *list, const char *key)
{
    const size_t n = strlen(key);
    for (const char *p = list; (p = strstr(p, key)); p += n) {
        const bool begins = p == list || p[-1] == ' ';
        if (begins && (p[n] == '\0' || p[n] == ',')) return true;
    }
    return false;
}

static bool is_blamed(const struct rk_finding *finding, int flag)
{
    const char *key = strcmp(finding->what, "gpus") == 0 ? "tensor" : finding->what;
    return in_list(megatron_flags[flag].sets, key);
}

static void blame(struct rk_finding *finding, int flag, int line, int column)
{
    finding->line = line;
    finding->column = column;
    snprintf(finding->what, sizeof finding->what, "--%s", megatron_flags[flag].name);
}

void megatron_blame(const struct megatron_args *args, struct rk_finding *finding)
{
    for (int i = 0; i < MEGATRON_FLAG_COUNT; i++)
        if (args->value[i].given && is_blamed(finding, i)) {
            blame(finding, i, args->value[i].word->place.line, args->value[i].word->place.column);
            return;
        }
}

void megatron_place(const struct megatron_import *import, struct rk_finding *finding)
{
    for (int i = 0; i < MEGATRON_FLAG_COUNT; i++)
        if (import->place[i].line && is_blamed(finding, i)) {
            blame(finding, i, import->place[i].line, import->place[i].column);
            return;
        }
}
