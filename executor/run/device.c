#include "run/device.h"

#include <stdio.h>
#include <string.h>

const struct device devices[] = {
    {"cpu", &engine_f32, &engine_f64},
    {NULL, NULL, NULL},
};

static const struct device *device_named(const char *name)
{
    for (const struct device *d = devices; d->name; d++)
        if (!name || strcmp(d->name, name) == 0) return d;
    return NULL;
}

static void list_names(char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (const struct device *d = devices; d->name && used < size; d++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", d == devices ? "" : ", ", d->name);
}

const struct engine_kind *device_engine(const struct rk_train *train, struct rk_error *error)
{
    char names[128];
    const struct device *device = device_named(train->device);
    const struct engine_kind *kind = !device                   ? NULL
                                     : train->double_precision ? device->wide
                                                               : device->single;
    if (kind) return kind;
    list_names(names, sizeof names);
    if (device)
        rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "device %s supports %d-bit arithmetic only",
                device->name, train->double_precision ? 32 : 64);
    else
        rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                "device \"%s\" is not built in: give one of: %s", train->device, names);
    return NULL;
}
