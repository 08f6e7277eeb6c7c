#include "interop/megatron_flags.h"
#include "base/text.h"

#include <stddef.h>
#include <string.h>

const struct megatron_flag_facts megatron_flags[MEGATRON_FLAG_COUNT] = {
#define FACTS(id, name, kind, since, until, choices, sets)                                         \
    [MEGATRON_##id##_FLAG] = {name, MEGATRON_##kind, since, until, choices, sets},
    MEGATRON_FLAGS(FACTS)
#undef FACTS
};

int megatron_flag_find(const char *name)
{
    if (strncmp(name, "--", 2) == 0) name += 2;
    for (int i = 0; i < MEGATRON_FLAG_COUNT; i++)
        if (strcmp(name, megatron_flags[i].name) == 0) return i;
    return -1;
}

bool megatron_flag_in(enum megatron_flag flag, int minor)
{
    const struct megatron_flag_facts *facts = &megatron_flags[flag];
    return minor >= facts->since && (!facts->until || minor <= facts->until);
}

const char *megatron_flag_nearest(const char *name)
{
    const char *names[MEGATRON_FLAG_COUNT + 1];
    for (int i = 0; i < MEGATRON_FLAG_COUNT; i++)
        names[i] = megatron_flags[i].name;
    names[MEGATRON_FLAG_COUNT] = NULL;
    return text_nearest(name, names);
}
