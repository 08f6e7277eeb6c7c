/* checkpoint_about.h - train.json of a checkpoint: which step of which run it is, and what its
 * files must sum up to. */
#ifndef RECKON_RUN_CHECKPOINT_ABOUT_H
#define RECKON_RUN_CHECKPOINT_ABOUT_H

#include "run/job.h"

struct checkpoint_about {
    uint64_t step, seed;
    uint64_t batch, sequence; /* 0: it was written by an earlier reckon, which did not say */
    bool muon;                /* moments are Muon's */
    bool neighbours;          /* rows that positions turn are as Hugging Face has them */
    struct scaler scaler;     /* scale 0: none was in use */
};

#define CHECKPOINT_WEIGHTS "model.safetensors"
#define CHECKPOINT_MOMENTS "moments.safetensors"
#define CHECKPOINT_ABOUT   "train.json"

/* Reads train.json of a folder, and compares sizes and CRC-32 of both files with it when `sums`. */
enum rk_status checkpoint_about_read(const char *folder, bool sums, struct checkpoint_about *about,
                                     struct rk_error *error);

/* Checksums both files, and writes train.json next to them. */
enum rk_status checkpoint_about_write(const char *folder, const struct job *job, uint64_t step,
                                      const struct scaler *scaler, struct rk_error *error);

#endif
