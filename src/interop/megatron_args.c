/* megatron_args.c - from words to values, by the table of flags. */
#include "interop/megatron_args.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum rk_status megatron_args_fail(const struct megatron_args *args, const struct shell_word *word,
                                  const char *format, ...)
{
    char text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return rk_fail(args->error, *args->path ? RK_BAD_INPUT : RK_USAGE, args->path,
                   word ? word->place.line : 0, word ? word->place.column : 0, "%s", text);
}

void megatron_note(const struct megatron_args *args, enum note_kind kind, enum megatron_flag flag,
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

static bool choice_known(const char *choices, const char *text)
{
    const size_t n = strlen(text);
    for (const char *p = choices; *p;) {
        const size_t length = strcspn(p, "|");
        if (length == n && memcmp(p, text, n) == 0) return true;
        p += length + (p[length] == '|');
    }
    return false;
}

static enum rk_status read_word(const struct megatron_args *args,
                                const struct megatron_flag_facts *facts,
                                const struct shell_word *word)
{
    char quoted[TEXT_QUOTE];
    if (word->unknown || word->maybe) return shell_fail_unknown(args->shell, word, args->error);
    if (!*facts->choices || choice_known(facts->choices, word->text)) return RK_OK;
    return megatron_args_fail(args, word, "--%s: %s is not known: give one of %s", facts->name,
                              text_quote(quoted, word->text, strlen(word->text)), facts->choices);
}

static enum rk_status read_count(const struct megatron_args *args,
                                 const struct megatron_flag_facts *facts,
                                 const struct shell_word *word, uint64_t *count)
{
    char quoted[TEXT_QUOTE], *end;
    if (word->unknown || word->maybe) return shell_fail_unknown(args->shell, word, args->error);
    errno = 0;
    const unsigned long long value = strtoull(word->text, &end, 10);
    if (!isdigit((unsigned char)*word->text) || *end || errno || value > 1000000000)
        return megatron_args_fail(args, word,
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
    if (word->unknown || word->maybe) return shell_fail_unknown(args->shell, word, args->error);
    *number = strtod(word->text, &end);
    if (end == word->text || *end || !isfinite(*number))
        return megatron_args_fail(args, word, "--%s: must be a number, got %s", facts->name,
                                  text_quote(quoted, word->text, strlen(word->text)));
    return RK_OK;
}

static enum rk_status read_value(struct megatron_args *args, enum megatron_flag flag,
                                 const struct shell_word *word, size_t left)
{
    const struct megatron_flag_facts *facts = &megatron_flags[flag];
    struct megatron_value *value = &args->value[flag];
    const bool wants = facts->kind != MEGATRON_SWITCH && facts->kind != MEGATRON_REFUSED;
    *value = (struct megatron_value){.given = true, .word = word};
    if (!wants) return RK_OK;
    if (left == 0 || is_flag(word))
        return megatron_args_fail(args, left ? word : word - 1, "--%s needs a value", facts->name);
    for (value->words = 0; (size_t)value->words < left && !is_flag(&word[value->words]);) {
        enum rk_status status = RK_OK;
        const struct shell_word *next = &word[value->words++];
        if (facts->kind == MEGATRON_COUNT)
            status = read_count(args, facts, next, &value->count);
        else if (facts->kind == MEGATRON_NUMBER)
            status = read_number(args, facts, next, &value->number);
        else
            status = read_word(args, facts, next);
        if (status != RK_OK || facts->kind != MEGATRON_LIST) return status;
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
                          int until, int version)
{
    narrow(args, since, until);
    if (!version || (version >= since && (!until || version <= until))) return;
    if (version < since)
        notes_add(args->notes, NOTE_REFUSED, word->place.line, word->place.column, word->text, "",
                  "is not in Megatron Core 0.%d, only from 0.%d on", version, since);
    else
        notes_add(args->notes, NOTE_REFUSED, word->place.line, word->place.column, word->text, "",
                  "is not in Megatron Core 0.%d, only up to 0.%d", version, until);
}

static void note_unknown(const struct megatron_args *args, const struct shell_word *word)
{
    const char *nearest = megatron_flag_nearest(word->text + strspn(word->text, "-"));
    if (nearest)
        notes_add(args->notes, NOTE_UNKNOWN, word->place.line, word->place.column, word->text, "",
                  "is not known, did you mean --%s?", nearest);
    else
        notes_add(args->notes, NOTE_UNKNOWN, word->place.line, word->place.column, word->text, "",
                  "is not known");
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
        return megatron_args_fail(args, words, "--%s takes no value", facts->name);
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

static enum rk_status read_flag(struct megatron_args *args, const struct shell_word *words,
                                size_t count, int version, size_t *used)
{
    char name[128];
    int values = 2, since, until;
    const bool joined = strchr(words->text, '=');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(words->text, "="), words->text);
    const int flag = strncmp(name, "--", 2) == 0 ? megatron_flag_find(name) : -1;
    *used = 1;
    if (flag >= 0 && words->maybe) return shell_fail_unknown(args->shell, words, args->error);
    if (flag >= 0) {
        judge_version(args, words, megatron_flags[flag].since, megatron_flags[flag].until, version);
        return read_known(args, (enum megatron_flag)flag, words, count, used);
    }
    if (strncmp(name, "--", 2) == 0 && megatron_other_find(name + 2, &values, &since, &until))
        judge_version(args, words, since, until, version);
    else
        note_unknown(args, words);
    for (size_t most = joined ? 0 : (size_t)values; *used < count && !is_flag(&words[*used]);) {
        if (most < 2 && *used > most) break;
        ++*used;
    }
    return RK_OK;
}

/* "$EXTRA" that is not set, in the place of arguments: bash would leave it out. */
static enum rk_status judge_stray(struct megatron_args *args, const struct shell_word *word)
{
    char quoted[TEXT_QUOTE];
    if (word->unknown || word->maybe) return shell_fail_unknown(args->shell, word, args->error);
    return megatron_args_fail(args, word, "%s: an argument that begins with -- is expected here",
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

enum rk_status megatron_args_read(struct megatron_args *args, const struct shell_word *words,
                                  size_t count, int version)
{
    enum rk_status status = RK_OK;
    args->since = MEGATRON_OLDEST;
    args->until = MEGATRON_NEWEST;
    for (size_t i = 0; status == RK_OK && i < count;) {
        size_t used = 1;
        if (is_flag(&words[i]) && !words[i].unknown)
            status = read_flag(args, &words[i], count - i, version, &used);
        else if (*words[i].text || words[i].unknown)
            status = judge_stray(args, &words[i]);
        i += used;
    }
    if (status == RK_OK && args->since > args->until)
        notes_add(args->notes, NOTE_REFUSED, 0, 0, "the arguments", "",
                  "are in no single version of Megatron Core: some came with 0.%d, others left "
                  "behind 0.%d",
                  args->since, args->until);
    return status == RK_OK ? refuse_kinds(args) : status;
}
