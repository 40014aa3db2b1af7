/* Rectangle sums; nothing is held, busy or queued before the first report, so only the total reaches back. */
#include "metrics/track.h"

static void advance(orr_track *track, orr_time at)
{
    ORR_ASSERT(at >= track->last, "counters were reported out of order");
    orr_wide dt = (orr_wide)at - track->last;
    track->total += dt * track->now.gpus_total;
    track->held += dt * track->now.gpus_held;
    track->busy += dt * track->now.gpus_busy;
    track->jobs_queued += dt * track->now.jobs_queued;
    track->gpus_queued += dt * track->now.gpus_queued;
    track->last = at;
}

void orr_track_set(orr_track *track, orr_time at, const orr_levels *levels)
{
    if (track->seen) {
        advance(track, at);
    } else {
        track->seen = true;
        track->first = track->last = at;
        track->first_total = levels->gpus_total;
    }
    track->now = *levels;
}

void orr_track_close(orr_track *track, orr_time from, orr_time to, int64_t gpus)
{
    if (!track->seen)
        orr_track_set(track, from, &(orr_levels){.gpus_total = gpus});
    advance(track, to);
    track->total += ((orr_wide)track->first - from) * track->first_total;
}
