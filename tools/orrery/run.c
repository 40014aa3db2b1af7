#include "run.h"

#include "folder.h"
#include "manifest.h"
#include "progress.h"
#include "signals.h"
#include "timing.h"
#include <stdio.h>
#include <stdlib.h>

enum { LOOK_EVERY = 32 }; /* instants between two looks at the real clock */

/* Why jobs were rejected; reasons are few and live as long as the simulation. */
typedef ORR_VEC(orr_report_count) reasons;

/* All that listens to a run. */
typedef struct listeners {
    orr_collector *collector;
    orr_fanout *fanout;
    orr_csv_sink *attempts, *timeline;
    reasons rejected;
} listeners;

orr_sim_options run_options(const settings *s, const orr_registry *registry)
{
    orr_sim_options o = orr_sim_options_default();
    o.registry = registry;
    o.seed = s->seed;
    o.costs = s->costs;
    o.clock = s->clock;
    o.know = (orr_know)s->know;
    o.until = s->until;
    o.max_events = s->max_events;
    o.skip_violations = s->on_violation == 1;
    o.ignore_vcs = s->ignore_vcs;
    o.reject_unknown_vc = s->unknown_vc == 1;
    return o;
}

orr_err run_check(const scenario *s, const orr_sim_options *options, orr_error *e)
{
    orr_error own = {0};
    orr_sim *sim = orr_sim_create(s->trace, s->cluster, options, NULL, &own);
    orr_sim_destroy(sim);
    if (e)
        *e = own;
    return sim ? ORR_OK : own.code;
}

/* ---- listening ---- */

static void count_rejection(void *self, const orr_job_record *record)
{
    reasons *r = self;
    if (record->state != ORR_JOB_REJECTED)
        return;
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->at[i].name, record->reason) == 0) {
            r->at[i].count++;
            return;
        }
    ORR_VEC_PUSH(r, ((orr_report_count){record->reason, 1}));
}

static void ignore_hold(void *self, const orr_hold *hold)
{
    (void)self, (void)hold;
}

static void ignore_levels(void *self, orr_time at, const orr_levels *levels)
{
    (void)self, (void)at, (void)levels;
}

static void path_in(const run *r, const char *file, orr_text *path)
{
    orr_text_clear(path);
    orr_text_addf(path, "%s/%s", r->dir, file);
}

static orr_err open_files(listeners *l, const run *r, const scenario *s, orr_error *e)
{
    orr_text path = {0};
    orr_err err = folder_make(r->dir, e);
    if (!err) {
        path_in(r, "attempts.csv", &path);
        l->attempts = orr_attempts_csv_create(path.at, e);
    }
    if (l->attempts) {
        path_in(r, "timeline.csv", &path);
        l->timeline = orr_timeline_csv_create(path.at, s->cluster, e);
    }
    orr_text_fini(&path);
    if (!l->timeline)
        return err ? err : ORR_E_CREATE;
    orr_fanout_add(l->fanout, orr_csv_sink_sink(l->attempts));
    orr_fanout_add(l->fanout, orr_csv_sink_sink(l->timeline));
    return ORR_OK;
}

static orr_err listen(listeners *l, const run *r, const scenario *s, const orr_measure *measure, orr_error *e)
{
    l->collector = orr_collector_create(measure);
    l->fanout = orr_fanout_create();
    orr_fanout_add(l->fanout, orr_collector_sink(l->collector));
    orr_fanout_add(l->fanout, (orr_sink){&l->rejected, count_rejection, ignore_hold, ignore_levels});
    return r->dir ? open_files(l, r, s, e) : ORR_OK;
}

static void stop_listening(listeners *l)
{
    orr_csv_sink_abandon(l->attempts);
    orr_csv_sink_abandon(l->timeline);
    orr_fanout_destroy(l->fanout);
    orr_collector_destroy(l->collector);
    ORR_VEC_FREE(&l->rejected);
}

/* ---- driving ---- */

/* Looks at the real clock: progress, and the limit of real time. */
static void look(run *r, progress *p, orr_sim *sim, orr_time max_wall)
{
    const double now = wall_seconds();
    if (signals_take_progress())
        progress_once(p, sim, now);
    progress_tick(p, sim, now);
    if (max_wall == ORR_TIME_MAX || now - p->began < orr_time_seconds(max_wall))
        return;
    r->hit_wall = true;
    orr_sim_interrupt(sim, ORR_STOP_LIMIT);
}

static void drive(run *r, const app *a, orr_sim *sim)
{
    progress p;
    bool more = true;
    progress_begin(&p, a, r->spec);
    for (uint32_t n = 0; more; n++) {
        if (n % LOOK_EVERY == 0)
            look(r, &p, sim, a->set->max_wall);
        if (signals_interrupted())
            orr_sim_interrupt(sim, ORR_STOP_INTERRUPTED);
        if (orr_sim_step(sim, &more, &r->error))
            break;
    }
    progress_end(&p);
    r->wall_s = wall_seconds() - p.began;
}

/* ---- telling how it ended ---- */

static uint64_t ended(const orr_sim_counts *c)
{
    return c->done + c->failed + c->killed + c->rejected;
}

static void early_end(const run *r, orr_err code, const char *why, orr_error *e)
{
    char some[ORR_DOUBLE_BUF], all[ORR_DOUBLE_BUF];
    orr_format_count(ended(&r->report.counts), some);
    orr_format_count(r->report.counts.trace, all);
    orr_error_set(e, code, "%s: %s after %s of %s jobs; results are partial", r->spec, why, some, all);
    orr_error_when(e, r->report.end, NULL);
}

static int tell_end(run *r, app *a)
{
    orr_error e = {0};
    if (r->error.code)
        return say_error(&a->say, &r->error);
    if (r->report.stop == ORR_STOP_INTERRUPTED)
        early_end(r, ORR_E_INTERRUPTED, "interrupted", &e);
    else if (r->report.stop == ORR_STOP_LIMIT)
        early_end(r, ORR_E_LIMIT, r->hit_wall ? "--max-wall ended the run" : "--max-events ended the run", &e);
    return e.code ? say_error(&a->say, &e) : 0;
}

static void tell_rejections(const run *r, app *a, const reasons *rejected)
{
    for (size_t i = 0; i < rejected->n; i++) {
        char count[ORR_DOUBLE_BUF];
        orr_format_count(rejected->at[i].count, count);
        say_warning(&a->say, "jobs-rejected", NULL, 0, "%s: %s %s rejected: %s", r->spec, count,
                    rejected->at[i].count == 1 ? "job was" : "jobs were", rejected->at[i].name);
    }
}

/* ---- writing ---- */

static void keep_first(int *status, int other)
{
    if (!*status)
        *status = other;
}

static int write_summary(const run *r, app *a)
{
    orr_text path = {0}, text = {0};
    orr_error e = {0};
    path_in(r, "summary.json", &path);
    if (!orr_summary_json(&r->report, true, &text, &e))
        (void)!orr_report_write(path.at, &text, &e);
    orr_text_fini(&path);
    orr_text_fini(&text);
    return e.code ? say_error(&a->say, &e) : 0;
}

static int write_manifest(const run *r, app *a)
{
    orr_text path = {0}, text = {0};
    orr_error e = {0};
    path_in(r, "manifest.json", &path);
    if (!manifest_text(r, a, &text, &e))
        (void)!orr_report_write(path.at, &text, &e);
    orr_text_fini(&path);
    orr_text_fini(&text);
    return e.code ? say_error(&a->say, &e) : 0;
}

static int write_jobs(const run *r, app *a, const orr_collector *collector)
{
    orr_text path = {0};
    orr_error e = {0};
    path_in(r, "jobs.csv", &path);
    (void)!orr_jobs_csv_write(path.at, collector, &e);
    orr_text_fini(&path);
    return e.code ? say_error(&a->say, &e) : 0;
}

static int commit(orr_csv_sink **csv, app *a)
{
    orr_error e = {0};
    (void)!orr_csv_sink_commit(*csv, &e);
    *csv = NULL;
    return e.code ? say_error(&a->say, &e) : 0;
}

/* A file that fails doesn't keep the others from being written; the manifest comes last. */
static int write_files(const run *r, app *a, listeners *l)
{
    int status = commit(&l->attempts, a);
    keep_first(&status, commit(&l->timeline, a));
    keep_first(&status, write_jobs(r, a, l->collector));
    keep_first(&status, write_summary(r, a));
    keep_first(&status, write_manifest(r, a));
    return status;
}

/* ---- one run ---- */

/* For the report, where 0 says that there is none: a limit of no time at all shows as the least that there is. */
static double max_wall_of(const settings *s)
{
    return s->max_wall == ORR_TIME_MAX ? 0 : s->max_wall == 0 ? 1e-9 : orr_time_seconds(s->max_wall);
}

static void fill_report(run *r, const app *a, const scenario *s, const orr_sim *sim, orr_collector *collector)
{
    size_t n = 0;
    const orr_metrics *metrics = orr_collector_finish(collector, sim, &n);
    r->metrics = orr_xcalloc(n + 1, sizeof *metrics);
    memcpy(r->metrics, metrics, n * sizeof *metrics);
    r->report = (orr_report_run){.trace = s->trace,
                                 .cluster = s->cluster,
                                 .options = &r->options,
                                 .metrics = r->metrics,
                                 .metrics_count = n,
                                 .error = &r->error,
                                 .cluster_asked = a->set->cluster,
                                 .max_wall_s = max_wall_of(a->set)};
    orr_report_from_sim(&r->report, sim);
}

/* The simulation goes; what the report says of it in words stays. */
static void detach(run *r)
{
    const orr_report_run *p = &r->report;
    r->policy_resolved = p->policy_resolved ? orr_xstrdup(p->policy_resolved) : NULL;
    r->costs_resolved = p->costs_resolved ? orr_xstrdup(p->costs_resolved) : NULL;
    r->report.policy_resolved = r->policy_resolved;
    r->report.costs_resolved = r->costs_resolved;
    orr_report_run_fini(&r->report);
    r->report.notes = NULL;
    r->report.note_count = 0;
}

static void summarize(run *r, app *a, bool pretty)
{
    orr_error e = {0};
    if (orr_summary_json(&r->report, pretty, &r->json, &e))
        keep_first(&r->status, say_error(&a->say, &e));
}

/* Decisions are timed when a manifest will tell it. */
static void set_timing(run *r, const app *a, timing *t)
{
    if (!r->dir || !a->set->wall)
        return;
    r->options.on_decision = timing_mark;
    r->options.on_decision_self = t;
}

static void simulate(run *r, app *a, const scenario *s, listeners *l, bool alone)
{
    timing t = {0};
    const orr_sink sink = orr_fanout_sink(l->fanout);
    set_timing(r, a, &t);
    orr_sim *sim = orr_sim_create(s->trace, s->cluster, &r->options, &sink, &r->error);
    if (!sim) {
        r->status = say_error(&a->say, &r->error);
        return;
    }
    drive(r, a, sim);
    timing_sum_up(&t, r->decide_us);
    timing_fini(&t);
    r->options.on_decision_self = NULL;
    fill_report(r, a, s, sim, l->collector);
    r->status = tell_end(r, a);
    tell_rejections(r, a, &l->rejected);
    if (r->dir)
        keep_first(&r->status, write_files(r, a, l));
    if (a->set->json)
        summarize(r, a, alone);
    detach(r);
    orr_sim_destroy(sim);
}

int run_do(run *r, app *a, const scenario *s, const orr_measure *measure, bool alone)
{
    listeners l = {0};
    orr_error e = {0};
    if (listen(&l, r, s, measure, &e))
        r->status = say_error(&a->say, &e);
    else
        simulate(r, a, s, &l, alone);
    stop_listening(&l);
    return r->status;
}

void run_fini(run *r)
{
    free(r->dir);
    free(r->metrics);
    free(r->policy_resolved);
    free(r->costs_resolved);
    orr_text_fini(&r->json);
}
