/* Feeds a collector by hand: jobs of our own making behind the sink, without a simulation. Times are seconds; NEVER
 * where something didn't happen. */
#ifndef FEED_H
#define FEED_H

#include "metrics/collector.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEVER (-1.0)

typedef struct feed_job {
    const char *id, *user, *reason;
    int32_t vc, gpus;
    double submit, duration, first_start, end, held;
    orr_job_state state;
    double deadline;  /* 0: none */
    double overhead, lost_work;
    int32_t starts, preemptions, migrations, resizes;
    bool censored, carried;
    uint32_t index;   /* set by feed_jobs */
    orr_trace_job trace;
} feed_job;

typedef struct feed_level {
    double at;
    int32_t vc; /* -1: the cluster */
    int64_t total, held, busy, jobs_queued, gpus_queued, running;
} feed_level;

static inline orr_time feed_time(double s)
{
    return s == NEVER ? ORR_TIME_NONE : orr_time_from_seconds(s);
}

static inline const feed_job *feed_of(const orr_job *job)
{
    return (const feed_job *)(const void *)job;
}

static inline uint32_t feed_index(const orr_job *job)
{
    return feed_of(job)->index;
}

static inline int32_t feed_vc(const orr_job *job)
{
    return feed_of(job)->vc;
}

static inline const char *feed_id(const orr_job *job)
{
    return feed_of(job)->id;
}

static inline orr_job_access feed_access(void)
{
    return (orr_job_access){.index = feed_index, .vc = feed_vc, .id = feed_id};
}

static inline orr_trace_job feed_trace_job(const feed_job *j)
{
    orr_trace_job t = {.id = j->id, .user = j->user ? j->user : "", .vc = "", .name = "", .model = "", .gpu_type = ""};
    t.submit = feed_time(j->submit);
    t.duration = feed_time(j->duration);
    t.deadline = j->deadline > 0 ? feed_time(j->deadline) : ORR_TIME_NONE;
    t.gpus = j->gpus;
    t.gpu_milli = 1000;
    t.censored = j->censored;
    t.carried = j->carried;
    return t;
}

static inline orr_job_record feed_record(feed_job *j)
{
    j->trace = feed_trace_job(j);
    return (orr_job_record){
        .job = (const orr_job *)(const void *)j,
        .trace = &j->trace,
        .state = j->state,
        .reason = j->reason ? j->reason : "",
        .submit = feed_time(j->submit),
        .first_start = feed_time(j->first_start),
        .end = feed_time(j->end),
        .held = feed_time(j->held),
        .service = j->held * j->gpus,
        .overhead = j->overhead,
        .lost_work = j->lost_work,
        .starts = j->starts,
        .preemptions = j->preemptions,
        .migrations = j->migrations,
        .resizes = j->resizes,
        .attempts = 1,
    };
}

/* Reports the jobs last to first, so that nothing can lean on the order of arrival. */
static inline void feed_jobs(orr_collector *c, feed_job *jobs, size_t n)
{
    orr_sink sink = orr_collector_sink(c);
    for (size_t i = n; i-- > 0;) {
        jobs[i].index = (uint32_t)i;
        orr_job_record record = feed_record(&jobs[i]);
        sink.job(sink.self, &record);
    }
}

static inline void feed_levels(orr_collector *c, const feed_level *levels, size_t n)
{
    orr_sink sink = orr_collector_sink(c);
    for (size_t i = 0; i < n; i++) {
        const feed_level *l = &levels[i];
        orr_levels report = {l->vc, l->total, l->held * 1000, l->busy * 1000, l->jobs_queued, l->gpus_queued * 1000, l->running};
        sink.levels(sink.self, feed_time(l->at), &report);
    }
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

static inline double feed_get(const orr_metrics *m, const char *key)
{
    double v = 0;
    assert_true(orr_metrics_get(m, key, &v));
    return v;
}

#define assert_metric(m, key, want)                                                                                    \
    do {                                                                                                               \
        double got_ = feed_get((m), (key)), want_ = (want);                                                            \
        if (isnan(want_) ? !isnan(got_) : !(fabs(got_ - want_) <= 1e-12 * fabs(want_)))                                \
            fail_msg("%s is %.17g, should be %.17g", (key), got_, want_);                                              \
    } while (0)

#endif
