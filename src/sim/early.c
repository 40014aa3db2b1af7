#include "sim/early.h"

#include "base/rng.h"
#include "base/text.h"
#include "sched/groups.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static orr_err bad(const orr_sim *sim, orr_error *e)
{
    const orr_said *said = &sim->early.how->said;
    if (said->file[0])
        orr_error_at(e, said->file, said->line, said->column);
    return ORR_E_BAD_SCENARIO;
}

/* Numbers the groups of the trace; returns how many there are. */
static uint32_t number_apps(orr_early *early, const orr_trace *trace)
{
    const orr_trace_job *jobs = orr_trace_jobs(trace);
    orr_names *names = orr_names_create();
    for (size_t i = 0; i < orr_trace_count(trace); i++) {
        const char *group = jobs[i].group;
        early->trials[i].app = group[0] ? (int32_t)orr_names_id(names, group, strlen(group)) : -1;
    }
    uint32_t n = orr_names_count(names);
    orr_names_destroy(names);
    return n;
}

/* ---- rungs ------------------------------------------------------------------------------------------------------- */

typedef struct graded {
    int32_t app;
    double quality;
    uint32_t job;
} graded;

static int by_quality(const void *a, const void *b)
{
    const graded *x = a, *y = b;
    if (x->app != y->app)
        return x->app < y->app ? -1 : 1;
    if (x->quality != y->quality)
        return x->quality > y->quality ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

static orr_err no_quality(const orr_sim *sim, const orr_trace_job *job, const char *text, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_SCENARIO, "trial '%.80s' has no number in the column '%.80s'", job->id,
                  sim->early.how->quality);
    if (text[0])
        orr_error_text(e, text, strlen(text));
    return bad(sim, e);
}

/* Drawn by the master seed and the job alone, or read. */
static orr_err quality_of(const orr_sim *sim, uint32_t job, double *out, orr_error *e)
{
    static const char stream[] = "trial-quality";
    const orr_trace_job *record = &orr_trace_jobs(sim->trace)[job];
    const char *column = sim->early.how->quality;
    if (!column[0]) {
        uint64_t seed = orr_hash64(sim->options.seed, stream, sizeof stream - 1);
        *out = (double)(orr_mix64(seed ^ orr_mix64(job)) >> 11);
        return ORR_OK;
    }
    const char *text = orr_trace_attribute(sim->trace, record, column);
    return orr_parse_double(text, strlen(text), out) ? ORR_OK : no_quality(sim, record, text, e);
}

/* Of `count` trials that of this rank, 0 the best, goes on from the k-th rung while fewer than count / eta^k are
 * better. */
static double stops_at(const orr_early_stop *how, int32_t rank, int32_t count)
{
    double left = count;
    for (double part = how->rung; part < 1; part *= how->eta) {
        left /= how->eta;
        if (rank >= ceil(left - 1e-9))
            return part;
    }
    return 1;
}

static orr_err rank_trials(orr_sim *sim, orr_error *e)
{
    orr_early *early = &sim->early;
    size_t jobs = orr_trace_count(sim->trace), n = 0;
    graded *list = orr_xcalloc(jobs + 1, sizeof *list);
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < jobs && !err; i++) {
        if (early->trials[i].app < 0)
            continue;
        list[n] = (graded){.app = early->trials[i].app, .job = i};
        err = quality_of(sim, i, &list[n++].quality, e);
    }
    qsort(list, n, sizeof *list, by_quality);
    for (size_t first = 0, end; first < n && !err; first = end) {
        for (end = first; end < n && list[end].app == list[first].app;)
            end++;
        for (size_t k = first; k < end; k++)
            early->trials[list[k].job].part = stops_at(early->how, (int32_t)(k - first), (int32_t)(end - first));
    }
    free(list);
    return err;
}

/* What it has left, in its present attempt, where it is to stop; 0: that isn't in this attempt. */
static orr_time left_then(const orr_trial *trial, const orr_job *job)
{
    const orr_trace_job *r = job->record;
    orr_time attempt = r->attempts ? r->attempts[job->attempt] : r->duration;
    orr_time left = attempt + job->done_before - job->ran - (orr_time)(trial->part * (double)r->duration);
    return trial->part < 1 && left > 0 && left <= attempt ? left : 0;
}

static void marked(void *self, orr_job *job)
{
    orr_capacity_kill(self, job, "early-stop");
}

/* ---- what happens to jobs ---------------------------------------------------------------------------------------- */

/* Behind the ends of this instant. */
static void schedule(orr_sim *sim, int32_t app)
{
    orr_queue_add(sim->world.queue, &(orr_queued){.at = sim->life.now,
                                                  .class_ = ORR_CLASS_CAPACITY,
                                                  .kind = ORR_CAPACITY_EARLY,
                                                  .cookie = (uint64_t)app});
}

void orr_early_waits(orr_sim *sim, orr_job *job)
{
    orr_early *early = &sim->early;
    if (!early->how || early->trials[job->index].app < 0)
        return;
    const orr_trial *trial = &early->trials[job->index];
    early->apps[trial->app].group = job->group;
    if (early->apps[trial->app].over)
        schedule(sim, trial->app);
    else
        orr_life_mark(&sim->life, job, ORR_MARK_RUNG, left_then(trial, job));
}

void orr_early_ended(orr_sim *sim, const orr_job *job)
{
    orr_early *early = &sim->early;
    if (!early->how || early->how->rule != ORR_EARLY_FIRST || job->state != ORR_JOB_DONE)
        return;
    int32_t app = early->trials[job->index].app;
    if (app < 0 || early->apps[app].over)
        return;
    early->apps[app].over = true;
    schedule(sim, app);
}

void orr_early_due(orr_sim *sim, uint32_t app)
{
    orr_job *const *jobs = NULL;
    int32_t group = sim->early.apps[app].group;
    for (size_t i = 0; i < orr_groups_members(sim->world.groups, group, &jobs);) {
        if (orr_capacity_may_kill(jobs[i]))
            orr_capacity_kill(sim, jobs[i], "early-stop");
        else
            i++; /* it saves: when it waits, it is its turn */
    }
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

orr_err orr_early_begin(orr_sim *sim, orr_error *e)
{
    orr_early *early = &sim->early;
    const orr_scenario *scenario = sim->options.scenario;
    if (!scenario || scenario->early_stop.rule == ORR_EARLY_NONE)
        return ORR_OK;
    early->how = &scenario->early_stop;
    early->trials = orr_xcalloc(orr_trace_count(sim->trace) + 1, sizeof *early->trials);
    for (size_t i = 0; i < orr_trace_count(sim->trace); i++)
        early->trials[i].part = 1;
    uint32_t apps = number_apps(early, sim->trace);
    early->apps = orr_xcalloc((size_t)apps + 1, sizeof *early->apps);
    for (uint32_t a = 0; a < apps; a++)
        early->apps[a].group = -1;
    sim->life.marked[ORR_MARK_RUNG] = marked;
    sim->life.marked_self[ORR_MARK_RUNG] = sim;
    if (apps)
        return early->how->rule == ORR_EARLY_HALVING ? rank_trials(sim, e) : ORR_OK;
    orr_error_set(e, ORR_E_BAD_SCENARIO, "the scenario stops trials early, and no job of the trace is in a group");
    orr_error_hint(e, "the column 'group' names the trials of one app");
    return bad(sim, e);
}

void orr_early_fini(orr_early *early)
{
    free(early->trials);
    free(early->apps);
}
