/* names.h - the names and meanings of a plan's choices as lists, by value, ended by NULL. */
#ifndef RECKON_PLAN_NAMES_H
#define RECKON_PLAN_NAMES_H

#include <reckon/plan.h>

#define NAMES_DECLARED(list)                                                                       \
    extern const char *const names_of_##list[];                                                    \
    extern const char *const meanings_of_##list[];
RK_NAMES(NAMES_DECLARED)
#undef NAMES_DECLARED

/* The key that a word of a plan's line stands for: "tensor" of "tp"; NULL: there is none. */
const char *plan_key_of_word(const char *word);

#endif
