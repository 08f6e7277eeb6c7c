/* megatron_values.c - values of arguments that neither shape nor plan depends on: their types and
 * choices, which argparse asks for all the same [megatron-lm]. */
#include "megatron/megatron_args.h"

#include <stdlib.h>
#include <string.h>

/* Those that have had the same choices since core 0.9, or only more of them. */
static const struct {
    const char *name, *choices;
} chosen[] = {
    {"dataloader-type", "single|cyclic|external"},
    {"distributed-backend", "nccl|gloo"},
    {"lr-decay-style", "constant|linear|cosine|inverse-square-root|WSD"},
    {"moe-router-dtype", "fp32|fp64"},
    {"moe-router-load-balancing-type",
     "aux_loss|seq_aux_loss|global_aux_loss|sinkhorn|quantile_balancing|none"},
    {"timing-log-option", "max|minmax|all"},
    {"weight-decay-incr-style", "constant|linear|cosine"},
};

static const char *choices_of(const char *name)
{
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (strcmp(chosen[i].name, name) == 0) return chosen[i].choices;
    return NULL;
}

bool megatron_is_choice(const char *choices, const char *text)
{
    const size_t n = strlen(text);
    for (const char *p = choices; *p && *p != ';';) {
        const size_t length = strcspn(p, "|;");
        if (length == n && strncmp(p, text, n) == 0) return true;
        p += length + (p[length] == '|');
    }
    return false;
}

/* As Python reads it: "6_348_800", too. */
static bool is_number(const char *said, bool whole)
{
    char text[64], *end;
    size_t n = 0;
    for (const char *p = said; *p && n + 1 < sizeof text; p++)
        if (*p != '_' || p == said || p[-1] == '_' || !p[1]) text[n++] = *p;
    text[n] = '\0';
    if (whole)
        (void)strtoll(text, &end, 10);
    else
        (void)strtod(text, &end);
    return end != text && !*end;
}

void megatron_judge_value(struct megatron_args *args, const struct megatron_other *other,
                          const struct shell_word *words, size_t count)
{
    const char *equals = strchr(words->text, '='), *choices = choices_of(other->name);
    const bool number = other->values >= MEGATRON_ONE_COUNT;
    if (!args->options->collect || args->foreign || !other->since || (!number && !choices)) return;
    if (!equals && count < 2) return;
    const struct shell_word *word = equals ? words : words + 1;
    const char *text = equals ? equals + 1 : word->text;
    if (word->unknown || word->maybe || strncmp(text, "--", 2) == 0) return;
    if (number ? is_number(text, other->values == MEGATRON_ONE_COUNT)
               : megatron_is_choice(choices, text))
        return;
    notes_add_rule(args->notes, "1.value", NOTE_REFUSED, word->place.line, word->place.column,
                   words->text, text, "", "%s%s",
                   choices                               ? "must be one of "
                   : other->values == MEGATRON_ONE_COUNT ? "must be a whole number"
                                                         : "must be a number",
                   choices ? choices : "");
}

/* Blocks that --spec builds in addition to the arguments' own, by a part of its name, of
 * MindSpeed-LLM's tasks/models/spec; other specs build what the arguments say. */
static const struct {
    const char *part, *why;
} specs[] = {
    {"longcat_spec", "a layer has two attentions and a dense MLP next to its experts"},
    {"deepseek4_spec", "attention is compressed, and there are several residual streams"},
    {"mamba", "layers are state spaces"},
    {"hybrid_layer_specs", "layers are state spaces"},
};

void megatron_judge_spec(struct megatron_args *args, const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count && words[i].text[0] != '-'; i++)
        for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
            if (strstr(words[i].text, specs[k].part))
                notes_add_rule(args->notes, "1.covered", NOTE_REFUSED, words->place.line,
                               words->place.column, words->text, words[i].text, "",
                               "%s, which plans do not cover", specs[k].why);
}
