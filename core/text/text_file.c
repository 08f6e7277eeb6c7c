#include "text/text_file.h"
#include "base/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *text_file_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "stdin" : path;
}

static enum rk_status read_all(int file, const char *path, size_t most, char **text, size_t *size,
                               struct rk_error *error)
{
    size_t room = 0;
    for (*size = 0;;) {
        if (room - *size < 2) {
            room = room ? 2 * room : 16384;
            char *larger = realloc(*text, room);
            if (!larger)
                return rk_fail(error, RK_NO_MEMORY, path, 0, 0, "no memory for the file's text");
            *text = larger;
        }
        const ssize_t count = read(file, *text + *size, room - *size - 1);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0)
            return rk_fail(error, errno == EISDIR ? RK_BAD_INPUT : RK_IO, path, 0, 0,
                           "cannot read: %s", strerror(errno));
        if (count == 0) break;
        *size += (size_t)count;
        if (*size > most)
            return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                           "is larger than %zu MiB: this cannot be such a file", most >> 20);
    }
    (*text)[*size] = '\0';
    return RK_OK;
}

enum rk_status text_file_load(const char *path, size_t most, char **text, size_t *size,
                              struct rk_error *error)
{
    const char *name = text_file_name(path);
    const bool standard = strcmp(path, "-") == 0;
    const int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    *text = NULL;
    if (file < 0) return fail_to_open(name, error);
    const enum rk_status status = read_all(file, name, most, text, size, error);
    if (!standard) close(file);
    if (status == RK_OK) return status;
    free(*text);
    *text = NULL;
    return status;
}
