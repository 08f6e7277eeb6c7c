/* state_file.h - the progress of a command's searches, in a file (--state), so that a search that
 * was stopped resumes and ends with the same answer.
 *
 * The file holds the answers of the searches that are finished and the progress of the next one
 * (struct rk_query.keep). A temporary file is written, synced and renamed, so at any moment the
 * file is complete or absent. Writing takes a twentieth of the time at most.
 */
#ifndef RECKON_CLI_STATE_FILE_H
#define RECKON_CLI_STATE_FILE_H

#include <reckon/search.h>

/* What is kept of a finished search. */
struct state_answer {
    uint64_t fingerprint; /* of the problem and the options */
    uint64_t found;       /* 0, or 1 and `best` */
    struct rk_candidate best;
    uint64_t matches;
    struct rk_search_counts counts;
    struct rk_search_explain explain;
};

struct state_file {
    char path[4000], beside[4008];
    bool writes;                 /* false: another process of the team does */
    struct state_answer *answer; /* (finished) */
    size_t finished;
    void *progress; /* of the search after them; NULL: it has not begun */
    size_t progress_bytes;
    double written_s, took_s;
    struct rk_error error; /* why state_file_keep() failed; status RK_OK: it did not */
};

/* Reads the file if it is there, and makes sure that it can be written. RK_BAD_INPUT when it is no
 * whole state, RK_IO when it cannot be read or written. */
enum rk_status state_file_open(struct state_file *file, const char *path, bool writes,
                               struct rk_error *error);

/* struct rk_query.keep, with a struct state_file as context. */
bool state_file_keep(void *context, const void *progress, size_t bytes);

/* The next search is finished: the state is written before another one begins. */
enum rk_status state_file_finish(struct state_file *file, const struct state_answer *answer,
                                 struct rk_error *error);

/* All is done: removes the file. */
void state_file_remove(struct state_file *file);

void state_file_close(struct state_file *file); /* a zeroed one is fine */

#endif
