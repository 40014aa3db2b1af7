/* Progress is lazy: (left, debt) are true at `since`, and events say when something will come of it. */
#include "job/progress.h"

#include <math.h>

static orr_time worked(const orr_job *job, orr_time progress)
{
    if (job->rate == 1.0)
        return progress < job->left ? progress : job->left;
    double w = floor((double)progress * job->rate);
    return w < (double)job->left ? (orr_time)w : job->left;
}

orr_time orr_life_debt(const orr_life *life, const orr_job *job)
{
    orr_time past = life->now - job->since;
    if (!orr_holds(job) || past <= 0)
        return job->debt;
    return past < job->debt ? job->debt - past : 0;
}

orr_time orr_life_left(const orr_life *life, const orr_job *job)
{
    orr_time past = life->now - job->since - job->debt;
    if (!orr_holds(job) || past <= 0)
        return job->left;
    return job->left - worked(job, past);
}

orr_time orr_life_held(const orr_life *life, const orr_job *job)
{
    bool now = (orr_holds(job) || job->state == ORR_JOB_CHECKPOINTING) && life->now > job->hold_start;
    return job->held_before + (now ? life->now - job->hold_start : 0);
}

orr_wide orr_life_service(const orr_life *life, const orr_job *job)
{
    bool now = orr_holds(job) && life->now > job->since;
    return job->service + (now ? (orr_wide)(life->now - job->since) * job->held.milli : 0);
}

/* Brings the lazy state up to now. */
void orr_progress_accrue(orr_life *life, orr_job *job)
{
    orr_time past = life->now - job->since;
    if (past <= 0)
        return;
    orr_time paid = past < job->debt ? past : job->debt;
    job->service += (orr_wide)past * job->held.milli;
    job->overhead += (orr_wide)paid * job->held.milli;
    job->hold_overhead += paid;
    job->debt -= paid;
    job->left -= worked(job, past - paid);
    job->since = life->now;
}

void orr_life_advance(orr_life *life, orr_job *job, orr_time done)
{
    orr_progress_accrue(life, job);
    job->left = done < job->left ? job->left - done : 0;
    orr_progress_arm(life, job);
}

/* When its work left comes down to this. */
static orr_time when_left(const orr_life *life, const orr_job *job, orr_time left)
{
    orr_time run = job->left > left ? job->left - left : 0;
    if (job->rate == 0.0 && run > 0) /* it stands still until its speed changes */
        return ORR_TIME_MAX;
    if (job->rate != 1.0 && run > 0) {
        double t = ceil((double)run / job->rate);
        run = t < 9e18 ? (orr_time)t : ORR_TIME_MAX;
    }
    orr_time at = orr_time_add(orr_time_add(job->since, job->debt), run);
    return orr_life_on_grid(life, at);
}

orr_event_id orr_progress_schedule(orr_life *life, orr_job *job, orr_time at, orr_class class_, orr_life_event kind,
                                   uint64_t cookie)
{
    return orr_queue_add(life->queue, &(orr_queued){.at = at, .class_ = class_, .kind = kind, .what = job, .cookie = cookie});
}

/* ---- thresholds -------------------------------------------------------------------------------------------------- */

/* The first ns at which the watched quantity is at or over its value, ORR_TIME_MAX if it doesn't move now. */
static orr_time crossing(const orr_life *life, const orr_job *job, orr_watched what)
{
    double ns = ceil(job->watch_value[what] > 0 ? job->watch_value[what] * 1e9 : 0);
    if (ns >= 9e18)
        return ORR_TIME_MAX;
    if (what == ORR_WATCH_WAITING) {
        if (job->state != ORR_JOB_QUEUED)
            return ORR_TIME_MAX;
        orr_time at = orr_time_add(job->wait_since, (orr_time)ns);
        return at > life->now ? at : life->now;
    }
    orr_wide missing = (orr_wide)ns * ORR_WHOLE_GPU - orr_life_service(life, job);
    if (missing <= 0)
        return life->now;
    if (!orr_holds(job) || job->held.milli == 0)
        return ORR_TIME_MAX;
    orr_time from = job->since > life->now ? job->since : life->now;
    return orr_time_add(from, (orr_time)((missing + job->held.milli - 1) / job->held.milli));
}

static void arm_watch(orr_life *life, orr_job *job, orr_watched what)
{
    if (isnan(job->watch_value[what]))
        return;
    orr_time at = orr_life_on_grid(life, crossing(life, job, what));
    orr_event_id *id = &job->watch_event[what];
    if (at == ORR_TIME_MAX) {
        orr_queue_cancel(life->queue, *id);
        *id = 0;
    } else if (!orr_queue_move(life->queue, *id, at)) {
        *id = orr_progress_schedule(life, job, at, ORR_CLASS_THRESHOLD, ORR_LIFE_WATCH, (uint64_t)what);
    }
}

void orr_progress_arm_watches(orr_life *life, orr_job *job)
{
    for (int w = 0; w < ORR_WATCH_COUNT; w++)
        arm_watch(life, job, (orr_watched)w);
}

void orr_life_watch(orr_life *life, orr_job *job, orr_watched what, double value)
{
    orr_life_unwatch(life, job, what);
    if (orr_ended(job))
        return;
    job->watch_value[what] = value;
    arm_watch(life, job, what);
}

void orr_life_unwatch(orr_life *life, orr_job *job, orr_watched what)
{
    job->watch_value[what] = NAN;
    orr_queue_cancel(life->queue, job->watch_event[what]);
    job->watch_event[what] = 0;
}

static void arm_mark(orr_life *life, orr_job *job, orr_mark m)
{
    orr_event_id *event = &job->mark_event[m];
    if (!job->mark[m] && !*event)
        return;
    orr_time at = job->mark[m] && orr_holds(job) ? when_left(life, job, job->mark[m]) : ORR_TIME_MAX;
    at = at > life->now ? at : life->now;
    if (at == ORR_TIME_MAX) {
        orr_queue_cancel(life->queue, *event);
        *event = 0;
    } else if (!orr_queue_move(life->queue, *event, at))
        *event = orr_progress_schedule(life, job, at, ORR_CLASS_THRESHOLD, ORR_LIFE_MARK, (uint64_t)m);
}

void orr_life_mark(orr_life *life, orr_job *job, orr_mark mark, orr_time left)
{
    job->mark[mark] = left;
    arm_mark(life, job, mark);
}

/* Completion, the mark and "delays are paid" follow from the state at `since`. */
void orr_progress_arm(orr_life *life, orr_job *job)
{
    orr_time end = when_left(life, job, 0);
    for (int m = 0; m < ORR_MARKS; m++)
        arm_mark(life, job, (orr_mark)m);
    if (end == ORR_TIME_MAX) {
        orr_queue_cancel(life->queue, job->end_event);
        job->end_event = 0;
    } else if (!orr_queue_move(life->queue, job->end_event, end))
        job->end_event = orr_progress_schedule(life, job, end, ORR_CLASS_END, ORR_LIFE_END, 0);
    orr_queue_cancel(life->queue, job->paid_event);
    job->paid_event = 0;
    orr_time paid = orr_time_add(job->since, job->debt);
    if (paid > life->now)
        job->paid_event = orr_progress_schedule(life, job, paid, ORR_CLASS_CAPACITY, ORR_LIFE_PAID, 0);
}

void orr_progress_disarm(orr_life *life, orr_job *job)
{
    orr_queue_cancel(life->queue, job->end_event);
    orr_queue_cancel(life->queue, job->paid_event);
    job->end_event = job->paid_event = 0;
    for (int m = 0; m < ORR_MARKS; m++) {
        orr_queue_cancel(life->queue, job->mark_event[m]);
        job->mark_event[m] = 0;
    }
}
