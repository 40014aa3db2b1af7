/* The measured set as its text says: "completed+carried,jobs:100..,time:1d..2d,warmup:1h". */
#include "verify/proof.h"

#include <stdio.h>

static bool is_word(const char *at, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(at, word, n) == 0;
}

/* "all+censored+carried" */
static bool read_set(const char *part, measure *m)
{
    size_t n = strcspn(part, "+");
    m->completed = is_word(part, n, "completed");
    bool well = m->completed || is_word(part, n, "all");
    for (const char *at = part + n; *at; at += n) {
        n = strcspn(++at, "+");
        m->censored |= is_word(at, n, "censored");
        m->carried |= is_word(at, n, "carried");
        well &= is_word(at, n, "censored") || is_word(at, n, "carried");
    }
    return well;
}

static bool read_job(const char *text, int64_t *out)
{
    return !text[0] || orr_parse_i64(text, strlen(text), out);
}

static bool read_time(const char *text, orr_time *out)
{
    return !text[0] || orr_time_parse_duration(text, out) == ORR_OK;
}

static bool read_range(char *part, measure *m)
{
    const bool jobs = strncmp(part, "jobs:", 5) == 0;
    char *dots = strstr(part, "..");
    if (!dots || (!jobs && strncmp(part, "time:", 5) != 0))
        return false;
    *dots = '\0';
    return jobs ? read_job(part + 5, &m->job_from) && read_job(dots + 2, &m->job_to)
                : read_time(part + 5, &m->from) && read_time(dots + 2, &m->to);
}

static bool read_part(char *part, measure *m)
{
    if (strncmp(part, "warmup:", 7) == 0)
        return read_time(part + 7, &m->warmup);
    if (strncmp(part, "cooldown:", 9) == 0)
        return read_time(part + 9, &m->cooldown);
    return strchr(part, ':') ? read_range(part, m) : read_set(part, m);
}

static void set_bounds(const orr_log_header *header, measure *m)
{
    const orr_time warm = m->warmup ? orr_time_add(header->first_asked, m->warmup) : ORR_TIME_NONE;
    const orr_time cool = m->cooldown ? orr_time_add(header->last_asked, -m->cooldown) : ORR_TIME_MAX;
    const orr_time to = m->to == ORR_TIME_NONE ? ORR_TIME_MAX : m->to;
    m->lower = m->from > warm ? m->from : warm;
    m->upper = to < cool ? to : cool;
}

bool orr_measure_read(const char *text, const orr_log_header *header, measure *out)
{
    bool well = true;
    *out = (measure){.job_from = -1, .job_to = -1, .from = ORR_TIME_NONE, .to = ORR_TIME_NONE};
    char *copy = orr_xstrdup(text[0] ? text : "all");
    for (char *part = copy, *next; part && well; part = next) {
        next = strchr(part, ',');
        if (next)
            *next++ = '\0';
        well = read_part(part, out);
    }
    free(copy);
    set_bounds(header, out);
    return well;
}

bool orr_measure_ranges(const measure *m, const facts *f, uint64_t place)
{
    return (m->job_from < 0 || place >= (uint64_t)m->job_from) && (m->job_to < 0 || place < (uint64_t)m->job_to) &&
           f->submit >= m->lower && (f->submit < m->upper || m->upper == ORR_TIME_MAX);
}

bool orr_measure_takes(const measure *m, const facts *f, uint64_t place)
{
    if (!orr_measure_ranges(m, f, place) || (f->censored && !m->censored) || (f->carried && !m->carried))
        return false;
    return f->stage == DONE || (!m->completed && (f->stage == FAILED || f->stage == KILLED));
}
