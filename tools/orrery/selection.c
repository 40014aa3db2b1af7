/* From settings to a selection: the only work is in times, which may be calendar text on the trace's own calendar. */
#include "selection.h"
#include "trace/civil.h"

#include <string.h>

static orr_err bad_time(const char *option, const char *text, const char *why, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "--%s: %s", option, why);
    orr_error_text(e, text, strlen(text));
    return ORR_E_BAD_VALUE;
}

static orr_err on_calendar(const char *option, const char *text, const orr_trace *trace, orr_time *out, orr_error *e)
{
    const char *origin_text = orr_trace_origin(trace);
    orr_civil origin, given;
    if (orr_civil_parse(text, strlen(text), &given))
        return bad_time(option, text, "this is no calendar time", e);
    if (!origin_text[0] || orr_civil_parse(origin_text, strlen(origin_text), &origin))
        return bad_time(option, text, "the trace's calendar is not known: give a duration since its origin, or --epoch", e);
    if (origin.zoned && !given.zoned)
        return bad_time(option, text, "the trace's times have zones: add Z or an offset such as +08:00", e);
    if (!origin.zoned && given.zoned)
        return bad_time(option, text, "the trace's times have no zone: leave it away, or give --tz", e);
    *out = (given.local - given.offset_minutes * ORR_MINUTE) - (origin.local - origin.offset_minutes * ORR_MINUTE);
    return ORR_OK;
}

static orr_err take_time(const char *option, const char *text, const orr_trace *trace, orr_time *out, orr_error *e)
{
    if (!text)
        return ORR_OK;
    if (orr_civil_looks_like(text, strlen(text)))
        return on_calendar(option, text, trace, out, e);
    return orr_time_parse_duration(text, out) ? bad_time(option, text, "this is neither a duration nor a calendar time", e)
                                              : ORR_OK;
}

static bool asked(const settings *s)
{
    return s->where || s->from || s->to || s->only_vcs.n || s->only_users.n || s->least_gpus || s->most_gpus ||
           s->sample < 1 || s->scale_load < 1 || s->scale_load > 1 || s->first_jobs;
}

orr_err selection_apply(const settings *s, orr_trace **trace, orr_error *e)
{
    orr_selection selection = orr_selection_all();
    if (!asked(s))
        return ORR_OK;
    selection.vcs = s->only_vcs.at;
    selection.vc_count = s->only_vcs.n;
    selection.users = s->only_users.at;
    selection.user_count = s->only_users.n;
    selection.min_gpus = (int32_t)s->least_gpus;
    selection.max_gpus = (int32_t)s->most_gpus;
    selection.where = s->where;
    selection.sample = s->sample;
    selection.seed = s->seed;
    selection.scale_load = s->scale_load;
    selection.limit = s->first_jobs;
    const char *to = s->convert_to ? "until" : "to"; /* --to names the format there */
    if (take_time("from", s->from, *trace, &selection.from, e) || take_time(to, s->to, *trace, &selection.to, e))
        return e->code;
    orr_trace *part = orr_trace_select(*trace, &selection, e);
    if (!part)
        return e->code;
    orr_trace_destroy(*trace);
    *trace = part;
    return ORR_OK;
}
