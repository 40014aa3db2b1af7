/* The measured set as a text: parts joined by commas: "all" or "completed", perhaps with "+censored" or "+carried",
 * "jobs:a..b", "time:t0..t1", "warmup:d", "cooldown:d". */
#include "base/text.h"
#include "metrics/tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

orr_measure orr_measure_default(void)
{
    return (orr_measure){.job_from = -1, .job_to = -1, .from = ORR_TIME_NONE, .to = ORR_TIME_NONE,
                         .warm_from = ORR_TIME_NONE, .cool_to = ORR_TIME_NONE};
}

static orr_err refuse(orr_error *e, const char *part, const char *why)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "the measured set can't be read: %s", why);
    orr_error_text(e, part, strlen(part));
    orr_error_hint(e, "all, completed, all+censored, jobs:100..200, time:1d..2d, warmup:1d or cooldown:1d; parts are "
                      "joined by commas");
    return ORR_E_BAD_VALUE;
}

static bool read_job(const char *text, int64_t *out)
{
    return text[0] == '\0' || (orr_parse_i64(text, strlen(text), out) && *out >= 0);
}

static bool read_time(const char *text, orr_time *out)
{
    return text[0] == '\0' || orr_time_parse_duration(text, out) == ORR_OK;
}

static orr_err parse_jobs(const char *part, const char *low, const char *high, orr_measure *m, orr_error *e)
{
    if (m->job_from >= 0 || m->job_to >= 0)
        return refuse(e, part, "the bounds of jobs are given twice");
    if (!read_job(low, &m->job_from) || !read_job(high, &m->job_to))
        return refuse(e, part, "a bound of jobs is no whole number from 0");
    if (m->job_from >= 0 && m->job_to >= 0 && m->job_from >= m->job_to)
        return refuse(e, part, "no job lies between these bounds");
    return ORR_OK;
}

static orr_err parse_time(const char *part, const char *low, const char *high, orr_measure *m, orr_error *e)
{
    if (m->from != ORR_TIME_NONE || m->to != ORR_TIME_NONE)
        return refuse(e, part, "the bounds of time are given twice");
    if (!read_time(low, &m->from) || !read_time(high, &m->to))
        return refuse(e, part, "a bound of time is no duration");
    if (m->from != ORR_TIME_NONE && m->to != ORR_TIME_NONE && m->from >= m->to)
        return refuse(e, part, "no time lies between these bounds");
    return ORR_OK;
}

static orr_err parse_range(const char *part, orr_measure *m, orr_error *e)
{
    char buf[128];
    bool jobs = strncmp(part, "jobs:", 5) == 0;
    if (!jobs && strncmp(part, "time:", 5) != 0)
        return refuse(e, part, "no measured set has this name");
    snprintf(buf, sizeof buf, "%s", part + 5);
    char *dots = strstr(buf, "..");
    if (!dots || (dots == buf && dots[2] == '\0'))
        return refuse(e, part, "bounds are written low..high");
    *dots = '\0';
    return jobs ? parse_jobs(part, buf, dots + 2, m, e) : parse_time(part, buf, dots + 2, m, e);
}

static orr_err parse_margin(const char *part, const char *text, orr_time *margin, orr_error *e)
{
    if (*margin)
        return refuse(e, part, "this margin is given twice");
    if (orr_time_parse_duration(text, margin) || *margin < 0)
        return refuse(e, part, "a margin is a duration");
    return ORR_OK;
}

static bool is_word(const char *at, size_t n, const char *word)
{
    return strlen(word) == n && strncmp(at, word, n) == 0;
}

/* "+censored+carried" */
static orr_err parse_additions(const char *part, const char *at, orr_measure *m, orr_error *e)
{
    for (size_t n; *at; at += n) {
        n = strcspn(++at, "+");
        if (is_word(at, n, "censored"))
            m->censored = true;
        else if (is_word(at, n, "carried"))
            m->carried = true;
        else
            return refuse(e, part, "what can be added is censored and carried");
    }
    return ORR_OK;
}

static orr_err parse_part(const char *part, orr_measure *m, orr_error *e)
{
    if (strncmp(part, "warmup:", 7) == 0)
        return parse_margin(part, part + 7, &m->warmup, e);
    if (strncmp(part, "cooldown:", 9) == 0)
        return parse_margin(part, part + 9, &m->cooldown, e);
    size_t n = strcspn(part, "+");
    bool completed = is_word(part, n, "completed");
    if (!completed && !is_word(part, n, "all"))
        return parse_range(part, m, e);
    m->completed_only |= completed;
    return parse_additions(part, part + n, m, e);
}

orr_err orr_measure_parse(const char *text, orr_measure *out, orr_error *e)
{
    orr_measure m = orr_measure_default();
    for (const char *at = text;; at++) {
        char part[128];
        size_t n = strcspn(at, ",");
        if (n >= sizeof part)
            return refuse(e, text, "it is too long");
        memcpy(part, at, n);
        part[n] = '\0';
        orr_err err = parse_part(part, &m, e);
        if (err)
            return err;
        at += n;
        if (*at == '\0')
            break;
    }
    *out = m;
    return ORR_OK;
}

static void add_time(char *buf, orr_time t)
{
    if (t != ORR_TIME_NONE)
        orr_time_format(t, buf + strlen(buf));
}

static void add_job(char *buf, int64_t job)
{
    if (job >= 0)
        snprintf(buf + strlen(buf), 24, "%" PRId64, job);
}

static void add_margin(char *buf, const char *name, orr_time margin)
{
    if (margin == 0)
        return;
    strcat(buf, name);
    add_time(buf, margin);
}

int orr_measure_format(const orr_measure *m, char *buf)
{
    buf[0] = '\0';
    if (m->completed_only || m->censored || m->carried)
        strcat(buf, m->completed_only ? ",completed" : ",all");
    strcat(buf, m->censored ? "+censored" : "");
    strcat(buf, m->carried ? "+carried" : "");
    if (m->job_from >= 0 || m->job_to >= 0) {
        strcat(buf, ",jobs:");
        add_job(buf, m->job_from);
        strcat(buf, "..");
        add_job(buf, m->job_to);
    }
    if (m->from != ORR_TIME_NONE || m->to != ORR_TIME_NONE) {
        strcat(buf, ",time:");
        add_time(buf, m->from);
        strcat(buf, "..");
        add_time(buf, m->to);
    }
    add_margin(buf, ",warmup:", m->warmup);
    add_margin(buf, ",cooldown:", m->cooldown);
    if (buf[0] == '\0')
        strcpy(buf, ",all");
    memmove(buf, buf + 1, strlen(buf));
    return (int)strlen(buf);
}

/* ---- against a trace ---- */

void orr_measure_on(orr_measure *m, const orr_trace *trace)
{
    size_t n = orr_trace_count(trace);
    const orr_trace_job *jobs = orr_trace_jobs(trace);
    if (n == 0)
        return;
    m->warm_from = m->warmup ? orr_time_add(jobs[0].submit, m->warmup) : ORR_TIME_NONE;
    m->cool_to = m->cooldown ? orr_time_add(jobs[n - 1].submit, -m->cooldown) : ORR_TIME_NONE;
}

static orr_time later(orr_time a, orr_time b)
{
    return a > b ? a : b; /* "none" is the least time there is */
}

static orr_time earlier_bound(orr_time a, orr_time b)
{
    if (a == ORR_TIME_NONE || b == ORR_TIME_NONE)
        return a == ORR_TIME_NONE ? b : a;
    return a < b ? a : b;
}

orr_time orr_measure_from(const orr_measure *m)
{
    return later(m->from, m->warm_from);
}

orr_time orr_measure_to(const orr_measure *m)
{
    return earlier_bound(m->to, m->cool_to);
}
