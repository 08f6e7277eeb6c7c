#include "run/checkpoint_beside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {
#define NAME(name) name,
    RK_TRAIN_FILES(NAME)
#undef NAME
};

enum { NAMES = sizeof names / sizeof *names };

static bool is_known(const char *name)
{
    for (int i = 0; i < NAMES; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static enum rk_status write_file(const char *folder, const struct rk_train_file *f,
                                 struct rk_error *error)
{
    char path[600];
    if (!is_known(f->name))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%.100s is not a name of RK_TRAIN_FILES",
                       f->name);
    snprintf(path, sizeof path, "%s/%s", folder, f->name);
    FILE *file = fopen(path, "w");
    bool ok = file && fwrite(f->text, 1, f->bytes, file) == f->bytes && fflush(file) == 0 &&
              fsync(fileno(file)) == 0;
    const int why = errno;
    if (file && fclose(file) != 0 && ok)
        return rk_fail(error, RK_IO, path, 0, 0, "%s", strerror(errno));
    return ok ? RK_OK : rk_fail(error, RK_IO, path, 0, 0, "%s", strerror(why));
}

enum rk_status checkpoint_beside_write(const char *folder, const struct rk_train_run *run,
                                       struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (uint64_t i = 0; i < run->files && status == RK_OK; i++)
        status = write_file(folder, &run->file[i], error);
    return status;
}

void checkpoint_beside_remove(const char *folder)
{
    char path[600];
    for (int i = 0; i < NAMES; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
}
