/* measure_tiers.c - what lower memory tiers take, moved as the executor moves it. */
#include "base/clock.h"
#include "run/tier.h"

#include <math.h>
#include <reckon/train.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

enum { MOVES = 8, MOVE_BYTES = 8 << 20 };

/* Seconds for all of them, one way; infinity: it failed. */
static double move_all(struct tier *tier, const uint64_t *place, char *data, bool out)
{
    struct tier_move move[MOVES];
    const double from_s = now_s();
    for (int i = 0; i < MOVES; i++) {
        move[i] = (struct tier_move){
            .data = data + i * MOVE_BYTES, .bytes = MOVE_BYTES, .place = place[i], .out = out};
        tier_start(tier, &move[i]);
    }
    bool ok = true;
    for (int i = 0; i < MOVES; i++)
        ok = tier_wait(tier, &move[i]) && ok;
    return ok ? now_s() - from_s : INFINITY;
}

static enum rk_status measure(const char *folder, double seconds, struct rk_measured_tier *out,
                              struct rk_error *error)
{
    struct tier *tier;
    uint64_t place[MOVES];
    char *data = aligned_alloc(TIER_PAGE, (size_t)MOVES * MOVE_BYTES);
    enum rk_status status =
        data ? tier_open(&tier, folder, error)
             : rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory to measure transfers with");
    if (!data) return status;
    memset(data, 1, (size_t)MOVES * MOVE_BYTES);
    for (int i = 0; status == RK_OK && i < MOVES; i++)
        if (!tier_take(tier, MOVE_BYTES, &place[i])) status = RK_IO;
    double write_s = INFINITY, read_s = INFINITY;
    const double end_s = now_s() + seconds;
    while (status == RK_OK && now_s() < end_s) {
        write_s = fmin(write_s, move_all(tier, place, data, true));
        read_s = fmin(read_s, move_all(tier, place, data, false));
        if (!isfinite(write_s) || !isfinite(read_s)) status = RK_IO;
    }
    if (status != RK_OK && tier && tier_error(tier)->status != RK_OK) *error = *tier_error(tier);
    out->write_Bps = (double)MOVES * MOVE_BYTES / write_s;
    out->read_Bps = (double)MOVES * MOVE_BYTES / read_s;
    tier_close(tier);
    free(data);
    return status;
}

enum rk_status rk_measure_tiers(const char *drives, double seconds, struct rk_measured_tier tier[2],
                                struct rk_error *error)
{
    struct statvfs room;
    memset(tier, 0, 2 * sizeof *tier);
    enum rk_status status = measure(NULL, seconds / 2, &tier[0], error);
    if (status == RK_OK) status = measure(drives, seconds / 2, &tier[1], error);
    if (status == RK_OK && statvfs(drives, &room) == 0)
        tier[1].capacity_bytes = (double)room.f_bavail * (double)room.f_frsize;
    return status;
}
