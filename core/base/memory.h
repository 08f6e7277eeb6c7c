/* memory.h - arrays that grow, and what is said when there is no memory. */
#ifndef RECKON_BASE_MEMORY_H
#define RECKON_BASE_MEMORY_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>

/* Makes room for one more element after the `count` of `array`, a pointer that is NULL at first.
 * The capacity follows from `count` (8, then 16, 32 and so on), so nobody has to store it. Contents
 * past `count` may be lost. False when memory runs out; the array is then unchanged. */
enum { ARRAY_LEAST = 8 };

#define ARRAY_ROOM(array, count) array_room(&(array), (size_t)(count), sizeof *(array))

/* Room for `count` elements of an array that ARRAY_ROOM is to make grow further. */
#define ARRAY_SIZED(array, count) array_sized(&(array), (size_t)(count), sizeof *(array))

bool array_sized(void *array, size_t count, size_t size);

/* Room for `need` elements, half as many more at once when there is too little; `room` is a size_t
 * that says how many there is room for, 0 at first. What is there stays. */
#define ARRAY_RESERVE(array, room, need) array_reserve(&(array), &(room), (need), sizeof *(array))

bool array_reserve(void *array, size_t *room, size_t need, size_t size);
bool array_grow(void *array, size_t room, size_t size);

static inline bool array_room(void *array, size_t count, size_t size)
{
    const bool full = count < ARRAY_LEAST ? count == 0 : (count & (count - 1)) == 0;
    return !full || array_grow(array, count < ARRAY_LEAST ? ARRAY_LEAST : 2 * count, size);
}

/* RK_NO_MEMORY: "out of memory". */
enum rk_status no_memory(struct rk_error *error);

#endif
