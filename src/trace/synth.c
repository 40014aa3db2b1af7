/* Synthetic traces: the steps in their order, and the records.
 *
 * Machines agree: drawing uses + - * / and GSL's generator, whose output is integer; ln, exp, pow, sqrt and the normal
 * quantile may differ between C libraries in the last bit, which whole seconds hide but for odds of about 1e-10 a
 * job.
 */
#include "trace/synth.h"
#include "model/applications.h"
#include "model/throughputs.h"
#include "trace/synth_shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_SPAN_SECONDS 4.5e9 /* a trace takes submissions up to 4.6e9 s */

int32_t orr_synth_gpus(const synth *s, size_t i)
{
    return s->jobs[i].gpus ? s->jobs[i].gpus : s->model->classes.at[s->jobs[i].size].gpus;
}

/* GPU-seconds, shares of GPUs as shares: at most 1e9 jobs of 2,048 GPUs and 4.7e6 s, just in range. */
static int64_t work_of(const synth *s)
{
    int64_t work = 0;
    for (size_t i = 0; i < s->n; i++) {
        const synth_class *c = &s->model->classes.at[s->jobs[i].size];
        if (s->jobs[i].gpus)
            work += s->jobs[i].seconds * s->jobs[i].gpus;
        else
            work += s->jobs[i].seconds * c->gpus * c->gpu_milli / 1000;
    }
    return work;
}

static orr_err find_span(synth *s, orr_error *e)
{
    const orr_synth_options *o = s->plan.options;
    const orr_synth_model *m = s->model;
    double seconds = (double)s->n * m->gap;
    if (o->span != ORR_TIME_NONE)
        seconds = (double)(o->span / ORR_SECOND);
    else if (o->load > 0)
        seconds = ceil((double)work_of(s) / ((double)o->gpus * o->load));
    else if (m->measured)
        seconds = ceil((double)s->n * (double)m->span / (double)m->jobs);
    if (!(seconds <= MAX_SPAN_SECONDS))
        return orr_error_set(e, ORR_E_RANGE, "the submissions would span more than the clock's range");
    s->span = seconds < 1 ? 1 : (int64_t)seconds;
    return ORR_OK;
}

/* ---- the trace ---- */

static void format_index(char *buf, size_t size, const char *form, int32_t index)
{
    buf[0] = '\0';
    if (index >= 0)
        snprintf(buf, size, "%s%d", form, (int)index);
}

static const char *share_text(const synth_share *shares, int32_t index)
{
    return index >= 0 ? shares[index].text : "";
}

static const char *model_text(const synth *s, int32_t model)
{
    int64_t gpus;
    const orr_throughputs *table = s->plan.options->throughputs;
    const orr_applications *applications = s->plan.options->applications;
    if (applications)
        return orr_application_name(orr_applications_at(applications, model));
    if (!table)
        return share_text(s->model->models.at, model);
    return model < 0 ? "" : orr_throughputs_model(table, model, &gpus);
}

static orr_err add_job(const synth *s, synth_fill *fill, orr_trace *trace, size_t i, orr_error *e)
{
    const synth_draft *d = &s->jobs[i];
    const synth_class *c = &s->model->classes.at[d->size];
    char id[24], vc[24], user[24], name[24];
    snprintf(id, sizeof id, "%zu", i + 1);
    format_index(vc, sizeof vc, "vc", d->vc);
    format_index(user, sizeof user, "u", d->user);
    format_index(name, sizeof name, "job-", d->name);
    orr_trace_job job = orr_trace_job_default();
    job.id = id;
    job.vc = s->plan.vcs < 0 && d->vc >= 0 ? s->model->vcs.at[d->vc].text : vc;
    job.user = user;
    job.name = name;
    job.gpu_type = share_text(s->model->types.at, d->type);
    job.model = model_text(s, d->model);
    job.submit = d->submit * ORR_SECOND;
    job.duration = d->seconds * ORR_SECOND;
    job.gpus = job.min_gpus = job.max_gpus = orr_synth_gpus(s, i);
    job.gpu_milli = s->plan.options->applications ? 1000 : c->gpu_milli;
    job.ending = d->ending;
    if (d->limit > 0)
        job.limit = d->limit * ORR_SECOND;
    if (d->deadline > 0)
        job.deadline = (d->submit + d->deadline) * ORR_SECOND;
    orr_synth_fill_job(fill, i, &job);
    return orr_trace_add(trace, &job, e);
}

static orr_trace *build(const synth *s, orr_error *e)
{
    char name[64];
    snprintf(name, sizeof name, "synth:%s", s->model->name);
    orr_trace *trace = orr_trace_create(name);
    if (s->plan.arrivals == SYNTH_MEASURED)
        memcpy(trace->origin, s->model->origin, sizeof trace->origin);
    synth_fill *fill = orr_synth_fill_create(s, trace);
    orr_err err = ORR_OK;
    for (size_t i = 0; i < s->n && !err; i++)
        err = add_job(s, fill, trace, i, e);
    orr_synth_fill_destroy(fill);
    if (!err)
        err = orr_trace_finish(trace, e);
    if (!err)
        return trace;
    orr_trace_destroy(trace);
    return NULL;
}

static orr_trace *make(synth *s, orr_error *e)
{
    orr_trace *trace = NULL;
    s->n = (size_t)s->plan.options->jobs;
    s->jobs = orr_xcalloc(s->n, sizeof *s->jobs);
    orr_synth_draw(s);
    orr_synth_cut_trials(s);
    if (!find_span(s, e) && !orr_synth_arrive(s, e)) {
        orr_synth_gather_trials(s);
        trace = build(s, e);
    }
    free(s->jobs);
    return trace;
}

orr_trace *orr_synth(const orr_synth_options *options, orr_error *e)
{
    orr_synth_model *shape = options->model ? NULL : orr_synth_shape_model(options->shape, e);
    synth s = {.model = options->model ? options->model : shape};
    if (!s.model)
        return NULL;
    s.plan.options = options;
    s.plan.model = s.model;
    orr_trace *trace = orr_synth_plan(&s.plan, e) ? NULL : make(&s, e);
    orr_synth_model_destroy(shape);
    return trace;
}
