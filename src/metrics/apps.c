/* Jobs are gathered into apps; apps are stays like jobs, so that their average company comes from the same walk. */
#include "metrics/apps.h"

#include "base/mem.h"
#include "base/text.h"
#include "metrics/dist.h"
#include "metrics/presence.h"
#include "metrics/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct app {
    int32_t vc;
    bool open, measured;  /* some job has not ended; some job is of the measured set */
    uint64_t stopped;     /* jobs in range that the scenario stopped early */
    orr_time from, to, longest; /* of its jobs alone */
    double work;          /* GPU·s */
    double jct, rho;
} app;

struct orr_apps {
    ORR_VEC(app) apps;
};

static bool takes_part(const orr_kept_job *job)
{
    bool admitted = orr_kept_submitted(job) && job->record.state != ORR_JOB_REJECTED;
    return admitted && job->vc >= 0 && job->record.trace->gpus > 0;
}

/* What it would take alone; of a job that was cut short, the time for which it had its GPUs. */
static orr_time alone(const orr_kept_job *job)
{
    orr_time d = job->record.trace->duration;
    bool cut = job->record.reason[0] != '\0';
    return cut && job->record.held < d ? job->record.held : d;
}

static app *app_of(orr_apps *a, orr_names *names, const orr_kept_job *job, uint32_t *of_name)
{
    const char *group = job->record.trace->group;
    size_t at = a->apps.n;
    if (group[0]) {
        uint32_t known = orr_names_count(names), id = orr_names_id(names, group, strlen(group));
        if (id == known)
            of_name[id] = (uint32_t)at;
        at = of_name[id];
    }
    if (at == a->apps.n)
        ORR_VEC_PUSH(&a->apps, ((app){.vc = job->vc, .from = job->record.submit, .to = ORR_TIME_NONE}));
    return &a->apps.at[at];
}

static void add(app *into, const orr_kept_job *job, const orr_measure *measure, orr_time now)
{
    const orr_job_record *r = &job->record;
    orr_time end = orr_kept_ended(job) ? r->end : now, d = alone(job);
    into->from = r->submit < into->from ? r->submit : into->from;
    into->to = end > into->to ? end : into->to;
    into->longest = d > into->longest ? d : into->longest;
    into->work += orr_time_seconds(d) * orr_kept_gpus(job);
    into->open |= !orr_kept_ended(job);
    into->measured |= orr_measure_counts(measure, job);
    into->stopped += orr_measure_in_range(measure, job) && strcmp(r->reason, "early-stop") == 0;
}

static void judge(app *a, const orr_stay *stay, int64_t gpus)
{
    a->jct = a->rho = NAN;
    if (a->open || !a->measured)
        return;
    orr_wide stayed = (orr_wide)a->to - a->from;
    double shared = orr_time_seconds(a->to - a->from), on_all = a->work / (double)gpus;
    double ideal = fmax(orr_time_seconds(a->longest), on_all);
    a->jct = shared;
    if (stayed > 0 && ideal > 0)
        a->rho = shared / (ideal * ((double)stay->company / (double)stayed));
}

static void judge_all(orr_apps *a, const orr_run_end *end, bool split)
{
    orr_stay *stays = orr_xcalloc(a->apps.n + 1, sizeof *stays);
    for (size_t i = 0; i < a->apps.n; i++)
        stays[i] = (orr_stay){
            .from = a->apps.at[i].from, .to = a->apps.at[i].to, .pool = split ? a->apps.at[i].vc : 0};
    orr_presence(stays, a->apps.n, split ? end->vcs : 1);
    for (size_t i = 0; i < a->apps.n; i++)
        judge(&a->apps.at[i], &stays[i], split ? end->vc_gpus[a->apps.at[i].vc] : end->gpus);
    free(stays);
}

static bool any_group(const orr_kept_job *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (jobs[i].record.trace->group && jobs[i].record.trace->group[0])
            return true;
    return false;
}

orr_apps *orr_apps_of(const orr_kept_job *jobs, size_t n, const orr_measure *measure, const orr_run_end *end, bool split)
{
    if (!any_group(jobs, n))
        return NULL;
    orr_apps *a = orr_xcalloc(1, sizeof *a);
    orr_names *names = orr_names_create();
    uint32_t *of_name = orr_xcalloc(n + 1, sizeof *of_name);
    for (size_t i = 0; i < n; i++)
        if (takes_part(&jobs[i]))
            add(app_of(a, names, &jobs[i], of_name), &jobs[i], measure, end->now);
    judge_all(a, end, split);
    free(of_name);
    orr_names_destroy(names);
    return a;
}

void orr_apps_destroy(orr_apps *a)
{
    if (!a)
        return;
    ORR_VEC_FREE(&a->apps);
    free(a);
}

void orr_apps_tell(const orr_apps *a, int32_t pool, orr_metrics *m)
{
    m->without_apps = !a;
    m->app_jct = m->app_rho = orr_dist_none();
    if (!a)
        return;
    double *jcts = orr_xcalloc(a->apps.n + 1, sizeof *jcts), *rhos = orr_xcalloc(a->apps.n + 1, sizeof *rhos);
    size_t n = 0, fair = 0;
    for (size_t i = 0; i < a->apps.n; i++) {
        const app *p = &a->apps.at[i];
        if (pool >= 0 && p->vc != pool)
            continue;
        m->early_stops += p->stopped;
        if (!isnan(p->jct))
            jcts[n++] = p->jct;
        if (!isnan(p->rho))
            rhos[fair++] = p->rho;
    }
    m->app_jct = orr_dist_of(jcts, n);
    m->app_rho = orr_dist_of(rhos, fair);
    free(jcts);
    free(rhos);
}
