/* From a case to the part of the trace it is about: the only work is in times, which may be calendar text on the
 * trace's own calendar. */
#include "study/case.h"
#include "trace/civil.h"

static orr_err bad_time(const char *key, const char *text, const char *why, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "--%s: %s", key, why);
    orr_error_text(e, text, strlen(text));
    return ORR_E_BAD_VALUE;
}

static orr_err on_calendar(const char *key, const char *text, const orr_trace *trace, orr_time *out, orr_error *e)
{
    const char *origin_text = orr_trace_origin(trace);
    orr_civil origin, given;
    if (orr_civil_parse(text, strlen(text), &given))
        return bad_time(key, text, "this is no calendar time", e);
    if (!origin_text[0] || orr_civil_parse(origin_text, strlen(origin_text), &origin))
        return bad_time(key, text, "the trace's calendar is not known: give a duration since its origin, or --epoch",
                        e);
    if (origin.zoned && !given.zoned)
        return bad_time(key, text, "the trace's times have zones: add Z or an offset such as +08:00", e);
    if (!origin.zoned && given.zoned)
        return bad_time(key, text, "the trace's times have no zone: leave it away, or give --tz", e);
    *out = (given.local - given.offset_minutes * ORR_MINUTE) - (origin.local - origin.offset_minutes * ORR_MINUTE);
    return ORR_OK;
}

static bool is_given(const char *text)
{
    return text && text[0];
}

static orr_err take_time(const char *key, const char *text, const orr_trace *trace, orr_time *out, orr_error *e)
{
    if (!is_given(text))
        return ORR_OK;
    if (orr_civil_looks_like(text, strlen(text)))
        return on_calendar(key, text, trace, out, e);
    return orr_time_parse_duration(text, out) ? bad_time(key, text, "this is neither a duration nor a calendar time", e)
                                              : ORR_OK;
}

static bool is_asked(const orr_case *c)
{
    return is_given(c->where) || is_given(c->from) || is_given(c->to) || c->vcs.n || c->users.n || c->min_gpus ||
           c->max_gpus || c->sample < 1 || c->scale_load < 1 || c->scale_load > 1 || c->limit;
}

static orr_selection conditions_of(const orr_case *c)
{
    orr_selection s = orr_selection_all();
    s.vcs = c->vcs.at;
    s.vc_count = c->vcs.n;
    s.users = c->users.at;
    s.user_count = c->users.n;
    s.min_gpus = (int32_t)c->min_gpus;
    s.max_gpus = (int32_t)c->max_gpus;
    s.where = is_given(c->where) ? c->where : NULL;
    s.sample = c->sample;
    s.seed = c->seed;
    s.scale_load = c->scale_load;
    s.limit = c->limit;
    return s;
}

orr_err orr_case_select(const orr_case *c, const char *to, const orr_trace *trace, orr_trace **part, orr_error *e)
{
    orr_selection selection = conditions_of(c);
    orr_error own = {0};
    *part = NULL;
    if (!is_asked(c))
        return ORR_OK;
    if (!take_time("from", c->from, trace, &selection.from, &own) &&
        !take_time(to ? to : "to", c->to, trace, &selection.to, &own))
        *part = orr_trace_select(trace, &selection, &own);
    if (e && !*part)
        *e = own;
    return own.code;
}

static const char *given(const char *text)
{
    return is_given(text) ? text : NULL;
}

orr_trace_options orr_case_trace_options(const orr_case *c)
{
    return (orr_trace_options){.format = given(c->format),
                               .keep_cpu_jobs = c->cpu_jobs == 1,
                               .strict = c->strict,
                               .replay_attempts = c->attempts == 1,
                               .tables = given(c->tables),
                               .gpu_type = given(c->gpu_type),
                               .tz = given(c->tz),
                               .epoch = given(c->epoch)};
}
