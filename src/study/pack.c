/* A result as bytes between a process and the one that forked it: plain structs as they lie in memory, and texts with
 * their lengths in front. */
#include "study/story.h"

#include <stdlib.h>

#define ABSENT UINT64_MAX

/* ---- out ---- */

static void put(orr_text *out, const void *data, size_t n)
{
    orr_text_add(out, data, n);
}

static void put_text(orr_text *out, const char *text)
{
    const uint64_t n = text ? strlen(text) : ABSENT;
    put(out, &n, sizeof n);
    if (text)
        put(out, text, (size_t)n);
}

static void put_counts(orr_text *out, const orr_report_count *at, size_t n)
{
    put(out, &n, sizeof n);
    for (size_t i = 0; i < n; i++) {
        put_text(out, at[i].name);
        put(out, &at[i].count, sizeof at[i].count);
    }
}

/* The types' names are texts of the cluster. */
static void put_metrics(orr_text *out, const orr_metrics *m)
{
    put(out, m, sizeof *m);
    for (uint32_t i = 0; i < m->type_load_count; i++)
        put_text(out, m->type_loads[i].gpu_type);
}

static void put_report(orr_text *out, const orr_report_run *r)
{
    put(out, &r->max_wall_s, sizeof r->max_wall_s);
    put(out, &r->stop, sizeof r->stop);
    put(out, &r->end, sizeof r->end);
    put(out, &r->counts, sizeof r->counts);
    put(out, r->used, sizeof r->used);
    put_text(out, r->policy_resolved);
    put_text(out, r->costs_resolved);
    put_counts(out, r->notes, r->note_count);
    put_text(out, r->serve_resolved);
    put(out, &r->service_count, sizeof r->service_count);
    for (size_t i = 0; i < r->service_count; i++) {
        const orr_report_service *s = &r->services[i];
        put(out, &s->metrics, sizeof s->metrics);
        put(out, &s->batch_count, sizeof s->batch_count);
        put(out, s->batches, s->batch_count * sizeof *s->batches);
    }
}

void orr_case_result_pack(const orr_case_result *result, orr_text *out)
{
    put(out, &result->code, sizeof result->code);
    put(out, &result->stop, sizeof result->stop);
    put(out, &result->error, sizeof result->error);
    put(out, &result->story->sim_error, sizeof result->story->sim_error);
    put(out, &result->failed_count, sizeof result->failed_count);
    put(out, result->failed, result->failed_count * sizeof *result->failed);
    put_counts(out, result->rejected, result->rejected_count);
    put(out, &result->metrics_count, sizeof result->metrics_count);
    for (size_t i = 0; i < result->metrics_count; i++)
        put_metrics(out, &result->metrics[i]);
    put_report(out, result->report);
    for (size_t i = 0; i < result->report->custom_count; i++)
        put(out, &result->report->custom[i].value, sizeof(double));
    put_text(out, result->summary.at ? result->summary.at : "");
}

/* ---- in ---- */

typedef struct source {
    const char *at;
    size_t left;
    bool cut; /* something was missing */
    orr_arena *texts;
} source;

static void get(source *s, void *data, size_t n)
{
    s->cut = s->cut || n > s->left;
    if (s->cut || n == 0)
        return;
    memcpy(data, s->at, n);
    s->at += n;
    s->left -= n;
}

static const char *get_text(source *s)
{
    uint64_t n = ABSENT;
    get(s, &n, sizeof n);
    if (n == ABSENT || s->cut)
        return NULL;
    s->cut = n > s->left;
    if (s->cut)
        return NULL;
    const char *text = orr_arena_strdup(s->texts, s->at, (size_t)n);
    s->at += n;
    s->left -= (size_t)n;
    return text;
}

/* How many elements follow; each takes one byte at least. */
static size_t get_count(source *s)
{
    size_t n = 0;
    get(s, &n, sizeof n);
    s->cut = s->cut || n > s->left;
    return s->cut ? 0 : n;
}

static size_t get_counts(source *s, orr_report_count **at)
{
    const size_t n = get_count(s);
    *at = n ? orr_xcalloc(n, sizeof **at) : NULL;
    for (size_t i = 0; i < n; i++) {
        (*at)[i].name = get_text(s);
        get(s, &(*at)[i].count, sizeof (*at)[i].count);
    }
    return n;
}

static void get_metrics(source *s, orr_metrics *m)
{
    get(s, m, sizeof *m);
    for (uint32_t i = 0; !s->cut && i < m->type_load_count; i++)
        m->type_loads[i].gpu_type = get_text(s);
}

/* Their names are those of the services that the simulation was given. */
static void get_services(source *s, orr_report_run *r)
{
    r->service_count = get_count(s);
    r->services = orr_xcalloc(r->service_count + 1, sizeof *r->services);
    for (size_t i = 0; i < r->service_count; i++) {
        orr_report_service *to = &r->services[i];
        to->name = r->options->services->services[i].name;
        get(s, &to->metrics, sizeof to->metrics);
        to->batch_count = get_count(s);
        to->batches = orr_xcalloc(to->batch_count + 1, sizeof *to->batches);
        get(s, to->batches, to->batch_count * sizeof *to->batches);
    }
}

static void get_report(source *s, orr_report_run *r)
{
    get(s, &r->max_wall_s, sizeof r->max_wall_s);
    get(s, &r->stop, sizeof r->stop);
    get(s, &r->end, sizeof r->end);
    get(s, &r->counts, sizeof r->counts);
    get(s, r->used, sizeof r->used);
    r->policy_resolved = get_text(s);
    r->costs_resolved = get_text(s);
    r->note_count = get_counts(s, &r->notes);
    r->serve_resolved = get_text(s);
    get_services(s, r);
}

static void get_custom(source *s, struct orr_case_story *story)
{
    const orr_exprs *asked = &story->asked;
    story->custom = orr_xcalloc(asked->n + 1, sizeof *story->custom);
    for (size_t i = 0; i < asked->n; i++) {
        story->custom[i].expr = asked->exprs[i];
        get(s, &story->custom[i].value, sizeof(double));
    }
    story->report.custom = story->custom;
    story->report.custom_count = asked->n;
}

static void get_result(source *s, orr_case_result *out)
{
    get(s, &out->code, sizeof out->code);
    get(s, &out->stop, sizeof out->stop);
    get(s, &out->error, sizeof out->error);
    get(s, &out->story->sim_error, sizeof out->story->sim_error);
    out->failed_count = get_count(s);
    out->failed = out->failed_count ? orr_xcalloc(out->failed_count, sizeof *out->failed) : NULL;
    get(s, out->failed, out->failed_count * sizeof *out->failed);
    out->rejected_count = get_counts(s, &out->rejected);
    out->metrics_count = get_count(s);
    out->metrics = orr_xcalloc(out->metrics_count + 1, sizeof *out->metrics);
    for (size_t i = 0; i < out->metrics_count; i++)
        get_metrics(s, &out->metrics[i]);
    get_report(s, &out->story->report);
    get_custom(s, out->story);
    const char *summary = get_text(s);
    if (summary)
        orr_text_add(&out->summary, summary, strlen(summary));
}

orr_err orr_case_result_unpack(const orr_case *c, orr_stock *stock, const orr_text *bytes, orr_case_result *out,
                               orr_error *e)
{
    *out = (orr_case_result){0};
    struct orr_case_story *story = orr_story_begin(c, stock, e);
    if (!story)
        return e ? e->code : ORR_E_INVARIANT;
    source s = {.at = bytes->at, .left = bytes->n, .texts = &story->texts};
    orr_story_tell(story, out);
    get_result(&s, out);
    story->report.metrics = out->metrics;
    story->report.metrics_count = out->metrics_count;
    if (!s.cut)
        return ORR_OK;
    orr_case_result_fini(out);
    return orr_error_set(e, ORR_E_INVARIANT, "a result came back cut off");
}
