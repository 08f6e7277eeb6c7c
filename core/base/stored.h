/* stored.h - members of a struct by offset: their C type decides how they are read and written. */
#ifndef RECKON_BASE_STORED_H
#define RECKON_BASE_STORED_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum stored { STORED_U64, STORED_BOOL, STORED_INT, STORED_KINDS };

static inline uint64_t stored_get(const void *member, enum stored as)
{
    uint64_t number = 0;
    int choice = 0;
    if (as == STORED_BOOL) return *(const bool *)member;
    if (as == STORED_U64) memcpy(&number, member, sizeof number);
    if (as == STORED_INT) memcpy(&choice, member, sizeof choice);
    return as == STORED_U64 ? number : (uint64_t)choice;
}

static inline void stored_set(void *member, enum stored as, uint64_t value)
{
    const int choice = (int)value;
    if (as == STORED_U64) memcpy(member, &value, sizeof value);
    if (as == STORED_BOOL) *(bool *)member = value != 0;
    if (as == STORED_INT) memcpy(member, &choice, sizeof choice);
}

#endif
