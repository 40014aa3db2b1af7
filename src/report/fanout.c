/* One sink that is many. */
#include "report/report.h"

#include "base/mem.h"
#include <stdlib.h>

struct orr_fanout {
    ORR_VEC(orr_sink) sinks;
};

static void each_job(void *self, const orr_job_record *record)
{
    orr_fanout *f = self;
    for (size_t i = 0; i < f->sinks.n; i++)
        if (f->sinks.at[i].job)
            f->sinks.at[i].job(f->sinks.at[i].self, record);
}

static void each_hold(void *self, const orr_hold *hold)
{
    orr_fanout *f = self;
    for (size_t i = 0; i < f->sinks.n; i++)
        if (f->sinks.at[i].hold)
            f->sinks.at[i].hold(f->sinks.at[i].self, hold);
}

static void each_levels(void *self, orr_time at, const orr_levels *levels)
{
    orr_fanout *f = self;
    for (size_t i = 0; i < f->sinks.n; i++)
        if (f->sinks.at[i].levels)
            f->sinks.at[i].levels(f->sinks.at[i].self, at, levels);
}

orr_fanout *orr_fanout_create(void)
{
    return orr_xcalloc(1, sizeof(orr_fanout));
}

void orr_fanout_destroy(orr_fanout *fanout)
{
    if (!fanout)
        return;
    ORR_VEC_FREE(&fanout->sinks);
    free(fanout);
}

void orr_fanout_add(orr_fanout *fanout, orr_sink sink)
{
    ORR_VEC_PUSH(&fanout->sinks, sink);
}

orr_sink orr_fanout_sink(orr_fanout *fanout)
{
    return (orr_sink){.self = fanout, .job = each_job, .hold = each_hold, .levels = each_levels};
}
