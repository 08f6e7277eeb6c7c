/* transfer_job.h - what the files of transfer.h share: a transfer at work, its files and journal.
 */
#ifndef RECKON_SHARD_TRANSFER_JOB_H
#define RECKON_SHARD_TRANSFER_JOB_H

#include "shard/transfer_spec.h"

#define JOURNAL "reckon.journal"

enum { MOST_PATH = 4096 + 256 };

struct job {
    const struct transfer *t;
    size_t chunk;
    int *from, *to; /* descriptors; -1 */
    int journal;
    bool *done;    /* (tensors) */
    size_t *order; /* (tensors) in which they are read */
    struct transferred *sum;
};

/* RK_IO with what errno's `code` means. */
enum rk_status transfer_fail(struct rk_error *error, const char *path, const char *what, int code);

/* All files of both sides are open at the same time. */
void job_allow_files(size_t count);

enum rk_status job_open_sources(const struct job *job, struct rk_error *error);

/* What is not there yet of all files must have room. */
enum rk_status job_check_room(const struct job *job, struct rk_error *error);

/* Files of their full size with their headers; `again`: what is there stays. */
enum rk_status job_make_files(const struct job *job, bool again, struct rk_error *error);

enum rk_status job_finish_files(const struct job *job, struct rk_error *error);

/* Those that were not renamed when it was stopped. */
enum rk_status job_rename_rest(const struct job *job, struct rk_error *error);

enum journal { JOURNAL_NONE, JOURNAL_BEGUN, JOURNAL_ENDED };

/* What a journal of this very transfer says is done. */
enum rk_status job_read_journal(struct job *job, const char *path, enum journal *found,
                                struct rk_error *error);

enum rk_status job_open_journal(struct job *job, const char *path, bool again,
                                struct rk_error *error);

#endif
