/* rank_files.h - a folder of rank-0.log, rank-1.log ..., which gets all of them or none.
 *
 * They are written to a folder inside, ".part-PID", and change places with those of before when all
 * are there. A folder with logs of other ranks is refused: who reads it would take them for ranks
 * of the same plan.
 */
#ifndef RECKON_CLI_RANK_FILES_H
#define RECKON_CLI_RANK_FILES_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rank_files {
    const char *folder;
    const uint64_t *rank; /* (count); the caller's */
    size_t count;
    bool made; /* the folder is new */
};

struct rank_file_name {
    char text[4096];
};

/* rank-N.log in the folder, as messages name it. */
struct rank_file_name rank_file_of(const struct rank_files *files, size_t i);

/* Where it is to be written. */
struct rank_file_name rank_file_part(const struct rank_files *files, size_t i);

/* Makes the folders; on failure there is nothing to end. */
enum rk_status rank_files_begin(struct rank_files *files, struct rk_error *error);

/* `status` RK_OK: all are written, and get their names; else the folder is as it was. */
enum rk_status rank_files_end(struct rank_files *files, enum rk_status status,
                              struct rk_error *error);

#endif
