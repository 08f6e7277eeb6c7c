#include "keys/model_period.h"

#include <string.h>

bool model_period(char *to, size_t size, const char *letters, uint64_t layers)
{
    uint64_t period = 1;
    for (uint64_t i = 0; i < layers; i++)
        if (letters[i] != letters[i % period]) period = i + 1;
    if (period + 1 > size) return false;
    memcpy(to, letters, period);
    to[period] = '\0';
    return true;
}
