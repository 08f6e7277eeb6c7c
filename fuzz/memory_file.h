/* memory_file.h - bytes as a file that readers can open by name. */
#ifndef RECKON_FUZZ_MEMORY_FILE_H
#define RECKON_FUZZ_MEMORY_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct memory_file {
    int descriptor;
    char path[64];
};

static inline struct memory_file memory_file(const uint8_t *data, size_t size)
{
    struct memory_file file = {.descriptor = memfd_create("fuzz", 0)};
    if (file.descriptor < 0 || write(file.descriptor, data, size) != (ssize_t)size) abort();
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
    return file;
}

static inline void memory_file_close(const struct memory_file *file)
{
    close(file->descriptor);
}

#endif
