#include "keys/said.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *word;
} names[] = {
#define FORMAT_KEY(name, effect, words, why, ...) {name, why},
#include "tables/said.h"
#undef FORMAT_KEY
};

enum { NAMES = sizeof names / sizeof *names, WORDS_MOST = 24 };

struct word {
    const char *name;
    unsigned long long value;
    bool twice; /* with another value */
};

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* "Micro-Batch-Size" is "micro_batch_size". */
static const char *word_of(const char *at, size_t length)
{
    char name[48];
    while (length && *at == '-') { /* "--seq-length" */
        at++;
        length--;
    }
    if (length >= sizeof name) return NULL;
    for (size_t i = 0; i < length; i++)
        name[i] = at[i] == '-' ? '_' : (char)tolower((unsigned char)at[i]);
    name[length] = '\0';
    for (size_t i = 0; i < NAMES; i++)
        if (strcmp(names[i].name, name) == 0) return names[i].word;
    return NULL;
}

/* What follows a name: `": 4`, ` = 4`, `=4`, of an argument ` 4`. */
static bool number_after(const char *at, bool argument, unsigned long long *value)
{
    char digits[24];
    size_t used = 0;
    at += *at == '"' || *at == '\'';
    at += strspn(at, " \t");
    const bool joined = *at == ':' || *at == '=';
    if (!joined && !argument) return false;
    at += joined;
    at += strspn(at, " \t");
    for (; (isdigit((unsigned char)*at) || *at == '_') && used + 1 < sizeof digits; at++)
        if (*at != '_') digits[used++] = *at;
    digits[used] = '\0';
    *value = strtoull(digits, NULL, 10);
    return used && !isalnum((unsigned char)*at) && *at != '.' && *at != '*';
}

/* So large a batch is in tokens. */
static bool is_tokens(const char *name, unsigned long long value)
{
    return strcmp(name, "gbs") == 0 && value >= 65536;
}

/* "peft.dim = 8": so small a width is a rank of adapters. */
static bool is_rank(const char *name, unsigned long long value)
{
    return strcmp(name, "model.hidden") == 0 && value <= 256;
}

static void add(struct word *words, int *count, const char *name, unsigned long long value)
{
    for (int i = 0; i < *count; i++)
        if (strcmp(words[i].name, name) == 0) {
            words[i].twice |= words[i].value != value;
            return;
        }
    if (*count < WORDS_MOST) words[(*count)++] = (struct word){name, value, false};
}

static int find(const char *text, struct word *words)
{
    int count = 0;
    for (const char *at = text; *at;) {
        size_t n = 0;
        while (in_name(at[n]))
            n++;
        const char *name = n ? word_of(at, n) : NULL;
        unsigned long long value;
        const bool said = name && number_after(at + n, strncmp(at, "--", 2) == 0, &value);
        if (said && value > (strlen(name) == 2) && /* of degrees 1 says nothing */
            !is_tokens(name, value) && !is_rank(name, value))
            add(words, &count, name, value);
        at += n ? n : 1;
    }
    return count;
}

void said_words(const char *text, char *words, size_t size)
{
    static const char of_model[] = "model.";
    struct word found[WORDS_MOST];
    const int count = find(text, found);
    size_t used = 0;
    bool model = false;
    *words = '\0';
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count && used < size; i++) {
            const bool is_model = strncmp(found[i].name, of_model, sizeof of_model - 1) == 0;
            if (found[i].twice || is_model != (pass == 0)) continue;
            const char *name = found[i].name + (is_model ? sizeof of_model - 1 : 0);
            const char *before = is_model ? model ? " " : "-m \"MODEL " : used ? " " : "";
            used += (size_t)snprintf(words + used, size - used, "%s%s=%llu", before, name,
                                     found[i].value);
            model |= is_model;
        }
        if (pass == 0 && model && used < size)
            used += (size_t)snprintf(words + used, size - used, "\"");
    }
}
