/* Room that is taken and given back like a stack's: what has been taken stays where it is. */
#include "base/scratch.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

enum { ARRAYS = 200 };

static size_t length(size_t i)
{
    return i * i * 7 % 3001 + 1;
}

Test(scratch, arrays_stay)
{
    struct scratch s = {.first = NULL};
    for (int round = 0; round < 3; round++) {
        char *array[ARRAYS];
        for (size_t i = 0; i < ARRAYS; i++) {
            array[i] = scratch_take(&s, length(i));
            cr_assert(array[i] && (uintptr_t)array[i] % _Alignof(max_align_t) == 0);
            memset(array[i], (int)i, length(i));
            const struct scratch_mark mark = scratch_mark(&s); /* what a callee takes */
            memset(scratch_take(&s, 5000), 255, 5000);
            scratch_back(&s, mark);
        }
        for (size_t i = 0; i < ARRAYS; i++)
            for (size_t k = 0; k < length(i); k++)
                cr_assert_eq(array[i][k], (char)i, "array %zu, round %d", i, round);
        scratch_back(&s, (struct scratch_mark){.at = NULL});
    }
    scratch_release(&s);
}

Test(scratch, room_is_used_again)
{
    struct scratch s = {.first = NULL};
    const struct scratch_mark mark = scratch_mark(&s);
    void *first = scratch_take(&s, 100);
    scratch_back(&s, mark);
    cr_expect_eq(scratch_take(&s, 100), first);
    cr_expect_null(scratch_take(&s, SIZE_MAX - 3));
    scratch_release(&s);
}
