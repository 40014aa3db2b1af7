/* One simulation of a case: the collector and the files listen, the caller is asked before each instant whether to
 * go on, and what came of it is kept in the result. */
#include "study/case.h"

#include "model/costs.h"
#include "model/interference.h"
#include "model/net.h"
#include "sim/sim.h"
#include "study/run_files.h"
#include "study/story.h"
#include "study/wall.h"

#include <stdlib.h>

typedef struct listeners {
    orr_collector *collector;
    orr_fanout *fanout;
    orr_run_files files;
    ORR_VEC(orr_report_count) rejected; /* reasons are few and live as long as the simulation */
    orr_wall_timing *timing; /* decisions are timed when a manifest will tell it; or NULL */
} listeners;

static const char *text_or(const char *text, const char *otherwise)
{
    return text && text[0] ? text : otherwise;
}

orr_err orr_case_measure(const orr_case *c, orr_measure *out, orr_error *e)
{
    orr_err err = orr_measure_parse(text_or(c->measure, "all"), out, e);
    if (err)
        return err;
    if ((c->warmup && out->warmup) || (c->cooldown && out->cooldown))
        return orr_error_set(e, ORR_E_CONFLICT, "a margin is given twice, by --measure and by an option of its own");
    out->warmup = c->warmup ? c->warmup : out->warmup;
    out->cooldown = c->cooldown ? c->cooldown : out->cooldown;
    return ORR_OK;
}

/* Whoever gives one of these wants something that wouldn't happen. */
static orr_err check_jobs_are_meant(const orr_case *c, orr_error *e)
{
    const struct {
        const char *key;
        bool given;
    } keys[] = {{"where", text_or(c->where, "")[0]},
                {"from", text_or(c->from, "")[0]},
                {"to", text_or(c->to, "")[0]},
                {"vc", c->vcs.n > 0},
                {"user", c->users.n > 0},
                {"min-gpus", c->min_gpus > 0},
                {"max-gpus", c->max_gpus > 0},
                {"sample", c->sample < 1},
                {"limit", c->limit > 0},
                {"cooldown", c->cooldown > 0}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !orr_case_has_jobs(c); i++)
        if (keys[i].given) {
            orr_error_set(e, ORR_E_CONFLICT, "'%s' is about jobs, and only requests are served", keys[i].key);
            orr_error_hint(e, "which requests there are is said by `arrivals` in the file of services");
            return ORR_E_CONFLICT;
        }
    return ORR_OK;
}

orr_err orr_case_check(const orr_case *c, orr_error *e)
{
    orr_measure measure;
    orr_exprs asked = {0};
    orr_costs costs;
    orr_interference interference;
    orr_net_model net;
    orr_time round, tick;
    orr_err err = check_jobs_are_meant(c, e);
    if (!err)
        err = orr_case_measure(c, &measure, e);
    if (!err)
        err = orr_exprs_parse(c->metrics.at, c->metrics.n, &asked, e);
    orr_exprs_fini(&asked);
    if (!err)
        err = orr_costs_parse(text_or(c->costs, "zero"), &costs, e);
    if (!err)
        err = orr_interference_parse(c->interference, &interference, e);
    if (!err)
        err = orr_net_parse(c->net, &net, e);
    return err ? err : orr_sim_parse_clock(text_or(c->clock, "exact"), &round, &tick, e);
}

orr_err orr_case_try(const orr_case *c, orr_stock *stock, orr_error *e)
{
    orr_error own = {0};
    const orr_cluster_spec *cluster = orr_stock_cluster(stock, c, &own);
    const orr_trace *trace = cluster ? orr_stock_trace(stock, c, &own) : NULL;
    orr_sim_options options = orr_case_options(c, stock);
    if (trace && !orr_stock_profiles(stock, c, &options.profiles, &own) &&
        !orr_stock_throughputs(stock, c, &options.throughputs, &own) &&
        !orr_stock_applications(stock, c, &options.applications, &own) &&
        !orr_stock_scenario(stock, c, &options.scenario, &own) &&
        !orr_stock_services(stock, c, &options.services, &own))
        orr_sim_destroy(orr_sim_create(trace, cluster, &options, NULL, &own));
    if (e && own.code)
        *e = own;
    return own.code;
}

/* ---- listening ---- */

static void count_rejection(void *self, const orr_job_record *record)
{
    listeners *l = self;
    if (record->state != ORR_JOB_REJECTED)
        return;
    for (size_t i = 0; i < l->rejected.n; i++)
        if (strcmp(l->rejected.at[i].name, record->reason) == 0) {
            l->rejected.at[i].count++;
            return;
        }
    ORR_VEC_PUSH(&l->rejected, ((orr_report_count){record->reason, 1}));
}

static orr_err listen(listeners *l, const orr_case *c, const orr_case_hooks *hooks, const orr_cluster_spec *cluster,
                      const orr_services *services, const orr_measure *measure, orr_error *e)
{
    l->collector = orr_collector_create(measure);
    l->fanout = orr_fanout_create();
    orr_fanout_add(l->fanout, orr_collector_sink(l->collector));
    orr_fanout_add(l->fanout, (orr_sink){.self = l, .job = count_rejection});
    orr_fanout_add(l->fanout, hooks->sink);
    if (!hooks->dir)
        return ORR_OK;
    l->timing = hooks->no_wall ? NULL : orr_wall_timing_create();
    const orr_err err = orr_run_files_open(&l->files, c, hooks, cluster, l->fanout, e);
    return err ? err : orr_run_files_serving(&l->files, hooks, services, e);
}

static void stop_listening(listeners *l)
{
    orr_run_files_abandon(&l->files);
    orr_fanout_destroy(l->fanout);
    orr_collector_destroy(l->collector);
    orr_wall_timing_destroy(l->timing);
    ORR_VEC_FREE(&l->rejected);
}

/* ---- driving ---- */

static double drive(orr_sim *sim, const orr_case_hooks *hooks, orr_error *e)
{
    const double began = orr_wall_seconds();
    for (bool more = true; more;) {
        if (hooks->more && !hooks->more(hooks->more_self, sim))
            orr_sim_interrupt(sim, ORR_STOP_INTERRUPTED);
        if (orr_sim_step(sim, &more, e))
            break;
    }
    return orr_wall_seconds() - began;
}

/* ---- telling how it ended ---- */

static uint64_t ended(const orr_sim_counts *c)
{
    return c->done + c->failed + c->killed + c->rejected;
}

static void early_end(const struct orr_case_story *story, orr_err code, const char *why, orr_error *e)
{
    char some[ORR_DOUBLE_BUF], all[ORR_DOUBLE_BUF];
    const orr_report_run *r = &story->report;
    orr_format_count(ended(&r->counts), some);
    orr_format_count(r->counts.trace, all);
    if (r->without_jobs)
        orr_error_set(e, code, "%s: %s; results are partial", r->label, why);
    else
        orr_error_set(e, code, "%s: %s after %s of %s jobs; results are partial", r->label, why, some, all);
    orr_error_when(e, r->end, NULL);
}

static void tell_end(const struct orr_case_story *story, orr_error *e)
{
    const orr_report_run *r = &story->report;
    const uint64_t max = story->options.max_events;
    if (story->sim_error.code)
        *e = story->sim_error;
    else if (r->stop == ORR_STOP_INTERRUPTED)
        early_end(story, ORR_E_INTERRUPTED, "interrupted", e);
    else if (r->stop == ORR_STOP_LIMIT && max && (r->counts.events >= max || r->max_wall_s <= 0))
        early_end(story, ORR_E_LIMIT, "--max-events ended the run", e);
    else if (r->stop == ORR_STOP_LIMIT)
        early_end(story, ORR_E_LIMIT, "--max-wall ended the run", e);
}

static const char *kept(struct orr_case_story *story, const char *text)
{
    return text ? orr_arena_strdup(&story->texts, text, strlen(text)) : NULL;
}

/* The simulation goes; what is said of it in words stays. */
static void detach(struct orr_case_story *story, orr_case_result *result)
{
    orr_report_run *r = &story->report;
    r->policy_resolved = kept(story, r->policy_resolved);
    r->costs_resolved = kept(story, r->costs_resolved);
    r->serve_resolved = kept(story, r->serve_resolved);
    for (size_t i = 0; i < r->note_count; i++)
        r->notes[i].name = kept(story, r->notes[i].name);
    for (size_t i = 0; i < result->rejected_count; i++)
        result->rejected[i].name = kept(story, result->rejected[i].name);
}

static void fill(struct orr_case_story *story, const orr_sim *sim, listeners *l, orr_case_result *result)
{
    size_t n = 0;
    const orr_metrics *metrics = orr_collector_finish(l->collector, sim, &n);
    result->metrics = orr_xcalloc(n + 1, sizeof *metrics);
    memcpy(result->metrics, metrics, n * sizeof *metrics);
    result->metrics_count = n;
    result->rejected = l->rejected.at;
    result->rejected_count = l->rejected.n;
    l->rejected.at = NULL;
    story->custom = orr_collector_custom(l->collector, &story->asked);
    story->report.metrics = result->metrics;
    story->report.metrics_count = n;
    story->report.custom = story->custom;
    story->report.custom_count = story->asked.n;
    orr_report_from_sim(&story->report, sim);
    result->stop = story->report.stop;
    tell_end(story, &result->error);
}

static void add_failure(orr_case_result *result, const orr_error *e)
{
    result->failed = orr_xrealloc(result->failed, result->failed_count + 1, sizeof *result->failed);
    result->failed[result->failed_count++] = *e;
}

static void finish(const orr_case *c, const orr_case_hooks *hooks, orr_sim *sim, listeners *l, double wall_s,
                   orr_case_result *result)
{
    orr_error e = {0};
    orr_run_done done = {c, hooks, result->report, l->collector, orr_sim_serving(sim), wall_s, {-1, -1, -1}};
    fill(result->story, sim, l, result);
    if (l->timing)
        orr_wall_timing_sum_up(l->timing, done.decide_us);
    if (hooks->dir)
        orr_run_files_finish(&l->files, &done, result);
    if (orr_summary_json(result->report, false, &result->summary, &e) && !hooks->dir)
        add_failure(result, &e);
    detach(result->story, result);
    result->code = result->error.code ? result->error.code : result->failed_count ? result->failed[0].code : ORR_OK;
}

static void simulate(const orr_case *c, const orr_case_hooks *hooks, listeners *l, orr_case_result *result,
                     orr_error *e)
{
    const orr_sink sink = orr_fanout_sink(l->fanout);
    struct orr_case_story *story = result->story;
    story->options.on_decision = l->timing ? orr_wall_timing_mark : NULL;
    story->options.on_decision_self = l->timing;
    orr_serving_sink serving;
    if (orr_run_files_listener(&l->files, &serving))
        story->options.serving_sink = &serving;
    orr_sim *sim = orr_sim_create(story->report.trace, story->report.cluster, &story->options, &sink, e);
    story->options.serving_sink = NULL; /* it was copied */
    if (!sim)
        return;
    const double wall_s = drive(sim, hooks, &story->sim_error);
    story->options.on_decision = NULL;
    story->options.on_decision_self = NULL;
    finish(c, hooks, sim, l, wall_s, result);
    orr_sim_destroy(sim);
}

static void run(const orr_case *c, orr_stock *stock, const orr_case_hooks *hooks, orr_case_result *out, orr_error *e)
{
    listeners l = {0};
    orr_measure measure;
    struct orr_case_story *story = orr_case_check(c, e) ? NULL : orr_story_begin(c, stock, e);
    if (!story || orr_case_measure(c, &measure, e))
        return;
    story->report.max_wall_s = hooks->max_wall_s;
    orr_story_tell(story, out);
    if (!listen(&l, c, hooks, story->report.cluster, story->options.services, &measure, e))
        simulate(c, hooks, &l, out, e);
    stop_listening(&l);
}

orr_err orr_case_run(const orr_case *c, orr_stock *stock, const orr_case_hooks *hooks, orr_case_result *out,
                     orr_error *e)
{
    static const orr_case_hooks none = {0};
    orr_error own = {0};
    *out = (orr_case_result){0};
    run(c, stock, hooks ? hooks : &none, out, &own);
    if (own.code)
        orr_case_result_fini(out);
    else if (out->code)
        own = out->error.code ? out->error : out->failed[0];
    if (e && own.code)
        *e = own;
    return out->story ? ORR_OK : own.code;
}
