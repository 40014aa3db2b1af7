/* The availability calendar: how many GPUs of a scope are believed free, from now on for ever.
 *
 * A step function kept as segments in ascending time; each holds from its own time until the next one's, the last for
 * ever. Reserving splits at both ends of the interval and changes what lies between; neighbours that became equal are
 * joined again, so that the number of segments stays within twice the number of reservations that are alive. Times
 * saturate: an interval that would end past the clock's range has no end, and what starts there never starts.
 *
 * What lies before the calendar's `now` is not kept: a question about the past is answered as of `now`.
 */
#include <orrery/drive.h>

#include "base/mem.h"
#include <stdlib.h>

typedef struct segment {
    orr_time from;
    int32_t free;
} segment;

struct orr_calendar {
    ORR_VEC(segment) segments; /* at least one; strictly ascending times, neighbours differ in `free` */
};

/* The last segment that begins at or before `at`; the first one for earlier times. */
static size_t segment_of(const orr_calendar *c, orr_time at)
{
    size_t low = 0, high = c->segments.n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (c->segments.at[middle].from <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Makes a segment begin exactly at `at`; returns its index. `at` is not before the first segment. */
static size_t split(orr_calendar *c, orr_time at)
{
    size_t i = segment_of(c, at);
    if (c->segments.at[i].from == at)
        return i;
    segment half = {at, c->segments.at[i].free};
    ORR_VEC_PUSH(&c->segments, half);
    segment *s = c->segments.at;
    memmove(&s[i + 2], &s[i + 1], (c->segments.n - i - 2) * sizeof *s);
    s[i + 1] = half;
    return i + 1;
}

/* Joins segment `i` to the one before it if nothing changes there. */
static void join(orr_calendar *c, size_t i)
{
    segment *s = c->segments.at;
    if (i == 0 || i >= c->segments.n || s[i].free != s[i - 1].free)
        return;
    memmove(&s[i], &s[i + 1], (c->segments.n - i - 1) * sizeof *s);
    c->segments.n--;
}

orr_calendar *orr_calendar_create(orr_time now, int32_t free)
{
    orr_calendar *c = orr_xcalloc(1, sizeof *c);
    orr_calendar_reset(c, now, free);
    return c;
}

void orr_calendar_destroy(orr_calendar *calendar)
{
    if (!calendar)
        return;
    ORR_VEC_FREE(&calendar->segments);
    free(calendar);
}

void orr_calendar_reset(orr_calendar *calendar, orr_time now, int32_t free)
{
    segment first = {now, free};
    calendar->segments.n = 0;
    ORR_VEC_PUSH(&calendar->segments, first);
}

void orr_calendar_reserve(orr_calendar *calendar, orr_time from, orr_time length, int32_t gpus)
{
    orr_time end = orr_time_add(from, length), now = calendar->segments.at[0].from;
    if (from < now)
        from = now;
    if (end <= from || gpus == 0)
        return;
    size_t first = split(calendar, from);
    size_t past = end == ORR_TIME_MAX ? calendar->segments.n : split(calendar, end);
    for (size_t i = first; i < past; i++)
        calendar->segments.at[i].free -= gpus;
    join(calendar, past);
    join(calendar, first);
}

orr_time orr_calendar_fit(const orr_calendar *calendar, orr_time from, orr_time length, int32_t gpus)
{
    const segment *s = calendar->segments.at;
    size_t n = calendar->segments.n;
    orr_time start = from < s[0].from ? s[0].from : from;
    for (size_t i = segment_of(calendar, start); i < n; i++) {
        if (s[i].free < gpus) { /* nothing that covers this segment can do */
            start = i + 1 < n ? s[i + 1].from : ORR_TIME_MAX;
            continue;
        }
        orr_time end = orr_time_add(start, length);
        if (i + 1 == n || (end != ORR_TIME_MAX && end <= s[i + 1].from))
            break;
    }
    return start;
}

int32_t orr_calendar_free(const orr_calendar *calendar, orr_time at)
{
    return calendar->segments.at[segment_of(calendar, at)].free;
}
