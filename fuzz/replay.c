/* replay.c - runs a fuzz target over files and folders of inputs, without libFuzzer: replay NAME
 * PATH... All targets are in one executable; each is compiled with its entry called fuzz_NAME. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef int target_fn(const uint8_t *data, size_t size);

#define TARGET(name) target_fn fuzz_##name;
#include "targets.h"
#undef TARGET

#define TARGET(name) {#name, fuzz_##name},
static const struct target {
    const char *name;
    target_fn *run;
} targets[] = {
#include "targets.h"
};
#undef TARGET

static int replay_file(target_fn *target, const char *path)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    int files = -1;
    if (!file || fstat(fileno(file), &info) != 0) goto out;
    const size_t size = (size_t)info.st_size;
    data = malloc(size ? size : 1); /* exact, so that reading past it is seen */
    if (!data || fread(data, 1, size, file) != size) goto out;
    target(data, size);
    files = 1;
out:
    if (files < 0) perror(path);
    free(data);
    if (file) fclose(file);
    return files;
}

static int replay_folder(target_fn *target, const char *path)
{
    struct dirent **entries;
    const int count = scandir(path, &entries, NULL, alphasort);
    int files = count < 0 ? -1 : 0;
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (files >= 0 && entries[i]->d_name[0] != '.')
            files = replay_file(target, name) < 0 ? -1 : files + 1;
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    return files;
}

static target_fn *target_of(const char *name)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i].name, name) == 0) return targets[i].run;
    return NULL;
}

int main(int argc, char **argv)
{
    int files = 0;
    target_fn *const target = argc > 1 ? target_of(argv[1]) : NULL;
    if (!target) {
        fprintf(stderr, "usage: replay TARGET PATH...\n");
        return 2;
    }
    target((const uint8_t *)"", 0);
    for (int i = 2; i < argc; i++) {
        struct stat info;
        if (stat(argv[i], &info) != 0) continue; /* no corpus yet */
        const int more =
            S_ISDIR(info.st_mode) ? replay_folder(target, argv[i]) : replay_file(target, argv[i]);
        if (more < 0) return 1;
        files += more;
    }
    printf("%d inputs replayed\n", files);
    return 0;
}
