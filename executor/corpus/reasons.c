#include "corpus/reasons.h"

const struct reason_facts reason_facts[REASON_COUNT] = {
#define ENTRY(name, word, text) [REASON_##name] = {word, text},
    REASONS(ENTRY)
#undef ENTRY
};
