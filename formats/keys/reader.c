#include "keys/reader.h"

#include <stddef.h>

const struct plan_format plan_formats[] = {
#define FORMAT(id, name, tool, own, what, versions, example)                                       \
    {name, tool, id##_read, &id##_keys, own, what, versions},
    PLAN_FORMATS(FORMAT)
#undef FORMAT
        {.name = NULL},
};
