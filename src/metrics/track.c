/* Rectangle sums; nothing is held, busy or queued before the first report, so only the total reaches back. */
#include "metrics/track.h"

void orr_track_bound(orr_track *track, orr_time from, orr_time to)
{
    track->bounded = true;
    track->lower = from; /* "none" is the least time there is */
    track->upper = to == ORR_TIME_NONE ? ORR_TIME_MAX : to;
}

static orr_time within(const orr_track *track, orr_time at)
{
    if (!track->bounded)
        return at;
    at = at < track->lower ? track->lower : at;
    return at > track->upper ? track->upper : at;
}

static void advance(orr_track *track, orr_time at)
{
    ORR_ASSERT(at >= track->last, "counters were reported out of order");
    orr_wide dt = (orr_wide)within(track, at) - within(track, track->last);
    track->total += dt * track->now.gpus_total;
    track->held += dt * track->now.milli_held;
    track->busy += dt * track->now.milli_busy;
    track->jobs_queued += dt * track->now.jobs_queued;
    track->milli_queued += dt * track->now.milli_queued;
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

void orr_track_begin(orr_track *track, orr_time at)
{
    if (!track->seen)
        return;
    advance(track, at);
    track->total = 0;
    track->first = at;
    track->first_total = track->now.gpus_total;
}

void orr_track_close(orr_track *track, orr_time from, orr_time to, int64_t gpus)
{
    if (!track->seen)
        orr_track_set(track, from, &(orr_levels){.gpus_total = gpus});
    advance(track, to > track->last ? to : track->last);
    track->total += ((orr_wide)within(track, track->first) - from) * track->first_total;
}
