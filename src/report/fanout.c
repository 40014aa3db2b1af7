/* One sink that is many. */
#include "report/report.h"

#include "base/mem.h"
#include <stdlib.h>

struct orr_fanout {
    ORR_VEC(orr_sink) sinks;
};

/* Calls `member` of each sink that has it. */
#define EACH(f, member, ...)                                                                                           \
    for (size_t i = 0; i < (f)->sinks.n; i++)                                                                          \
        if ((f)->sinks.at[i].member)                                                                                   \
            (f)->sinks.at[i].member((f)->sinks.at[i].self, __VA_ARGS__)

static void each_job(void *self, const orr_job_record *record)
{
    const orr_fanout *f = self;
    EACH(f, job, record);
}

static void each_hold(void *self, const orr_hold *hold)
{
    const orr_fanout *f = self;
    EACH(f, hold, hold);
}

static void each_levels(void *self, orr_time at, const orr_levels *levels)
{
    const orr_fanout *f = self;
    EACH(f, levels, at, levels);
}

static void each_begin(void *self, const orr_sim *sim)
{
    const orr_fanout *f = self;
    EACH(f, begin, sim);
}

static void each_submit(void *self, orr_time at, const orr_job *job)
{
    const orr_fanout *f = self;
    EACH(f, submit, at, job);
}

static void each_decision(void *self, orr_time at, uint64_t number, bool begins)
{
    const orr_fanout *f = self;
    EACH(f, decision, at, number, begins);
}

static void each_grant(void *self, const orr_grant *grant)
{
    const orr_fanout *f = self;
    EACH(f, grant, grant);
}

static void each_preempt(void *self, const orr_preemption *preemption)
{
    const orr_fanout *f = self;
    EACH(f, preempt, preemption);
}

static void each_speed(void *self, const orr_speed *speed)
{
    const orr_fanout *f = self;
    EACH(f, speed, speed);
}

static void each_node(void *self, const orr_node_change *change)
{
    const orr_fanout *f = self;
    EACH(f, node, change);
}

static void each_interrupt(void *self, const orr_interruption *interruption)
{
    const orr_fanout *f = self;
    EACH(f, interrupt, interruption);
}

static void each_end(void *self, const orr_sim *sim)
{
    const orr_fanout *f = self;
    EACH(f, end, sim);
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
    return (orr_sink){.self = fanout, .job = each_job, .hold = each_hold, .levels = each_levels, .begin = each_begin,
                      .submit = each_submit, .decision = each_decision, .grant = each_grant, .preempt = each_preempt,
                      .end = each_end, .speed = each_speed, .node = each_node, .interrupt = each_interrupt};
}
