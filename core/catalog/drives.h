/* drives.h - drives of the catalog (data/drives), and what an array of them is as a memory tier.
 *
 * An array of n drives, each of capacity C, writing w and rated for E bytes:
 *
 *     raid   capacity  reads  writes   can be written
 *     0      n C       n r    n w      n E
 *     1, 10  n C / 2   n r    n w / 2  n E / 2       (1: n = 2)
 *     5      (n-1) C   n r    (n-1) w  (n-1) E       whole stripes, as large writes are
 */
#ifndef RECKON_CATALOG_DRIVES_H
#define RECKON_CATALOG_DRIVES_H

#include <reckon/system.h>

struct drive {
    double capacity_bytes, read_Bps, write_Bps, latency_s;
    double endurance_bytes, rated_amplification, retention_gain, price_USD;
};

enum raid { RAID_0, RAID_1, RAID_5, RAID_10, RAIDS };
extern const char *const raid_names[]; /* "0", "1", "5", "10", NULL */

struct drive_array {
    char drive[64];  /* an id of the catalog or a file */
    uint64_t drives; /* of one accelerator */
    enum raid raid;
    bool through_host; /* without GPUDirect Storage */
    /* Of this use; 0: 1, and the drive's. */
    double write_amplification, retention_gain;
};

/* Sets name, capacity, rates, endurance and price of `memory`. `error` has no place in a file. */
enum rk_status drive_array_memory(const struct drive_array *array, struct rk_memory *memory,
                                  struct rk_error *error);

enum rk_status drive_load(const char *name, struct drive *drive, struct rk_error *error);

#endif
