#include "keys/reader.h"

#include "base/text.h"
#include "text/python_data.h"

#include <stddef.h>

enum rk_status source_settings(const struct config_source *source, struct settings *settings,
                               struct rk_error *error)
{
    static const char *const python[] = {".py", NULL};
    if (text_ends_in_any(source->path, python))
        return python_calls(settings, source->path, source->text, NULL, 0, source->sets,
                            source->set_count, error);
    return settings_read(settings, source->path, source->text, source->sets, source->set_count,
                         error);
}

const struct plan_format plan_formats[] = {
#define FORMAT(id, name, tool, own, what, versions, example)                                       \
    {name, tool, id##_read, &id##_keys, own, what, versions},
    PLAN_FORMATS(FORMAT)
#undef FORMAT
        {.name = NULL},
};
