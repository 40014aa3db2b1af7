/* The availability calendar: how many GPUs of a scope are believed free, from now on for ever.
 *
 * The free count is a step function (calendar_tree.h); a reservation changes it at its begin and its end. The earliest
 * room is looked for from stretch to stretch with enough free: the first that is long enough is it. With thousands of
 * reservations most stretches are too short, and planning a queue would pass the same ones for each job. But as long as
 * reservations only take GPUs away, an answer stays a bound: where so many GPUs didn't fit for so long, no more will
 * fit for longer. So answers are kept by size class and length class, and a question begins at the greatest bound of
 * the classes up to its own. GPUs given back for good, or a reset, void them.
 *
 * Times saturate: an interval that would end past the clock's range has no end, and what starts there never starts.
 * What lies before the calendar's `now` is not kept: a question about the past is answered as of `now`.
 */
#include <orrery/drive.h>

#include "sched/calendar_tree.h"

/* Classes: as a floating number of so many bits behind the leading one, 2 and 8 to a doubling. */
enum { GPU_BITS = 1, LENGTH_BITS = 3, GPU_CLASSES = 64, LENGTH_CLASSES = 490 };

/* An answer that took passing fewer stretches than this is not worth remembering. */
enum { WORTH = 4 };

typedef struct bound {
    uint64_t age; /* void unless the table's */
    orr_time before;
} bound;

typedef struct interval {
    orr_time from, end;
    int32_t gpus; /* 0: none */
} interval;

/* Two-dimensional prefix maxima (Fenwick 1994): cell (i, j) covers the classes that the lowest bits of i and j tell. */
typedef struct bounds {
    orr_time from;     /* no bound tells of times before this */
    interval returned; /* given back since; bounds are as if it weren't */
    uint64_t age;
    bound cells[GPU_CLASSES][LENGTH_CLASSES];
} bounds;

struct orr_calendar {
    orr_steps free;
    bounds *bounds; /* behind a pointer: asking a const calendar may remember the answer */
};

/* ---- what earlier answers tell ----------------------------------------------------------------------------------- */

/* The greatest class not above v or, if `up`, the least not below it. */
static uint32_t class_of(uint64_t v, uint32_t bits, bool up)
{
    uint32_t shift = 0;
    for (uint32_t by = 32; by; by /= 2)
        if (v >> (shift + by) >> bits)
            shift += by;
    return (shift << bits) + (uint32_t)(v >> shift) + (up && v >> shift << shift != v);
}

static uint32_t gpu_class(int32_t gpus, bool up)
{
    return class_of((uint64_t)gpus, GPU_BITS, up);
}

static uint32_t length_class(orr_time length, bool up)
{
    return class_of((uint64_t)length, LENGTH_BITS, up) + 1; /* a length may be 0, a place in the table not */
}

static orr_time bound_of(const bounds *b, orr_time length, int32_t gpus)
{
    orr_time best = b->from;
    for (uint32_t i = gpu_class(gpus, false); i; i &= i - 1)
        for (uint32_t j = length_class(length, false); j; j &= j - 1) {
            const bound *cell = &b->cells[i][j];
            if (cell->age == b->age && cell->before > best)
                best = cell->before;
        }
    if (!b->returned.gpus)
        return best;
    orr_time touching = orr_time_add(b->returned.from, -length); /* what starts later may use what was given back */
    if (touching < b->from)
        return b->from;
    return touching < best ? touching : best;
}

static void learn(bounds *b, orr_time length, int32_t gpus, orr_time start)
{
    for (uint32_t i = gpu_class(gpus, true); i < GPU_CLASSES; i += i & -i)
        for (uint32_t j = length_class(length, true); j < LENGTH_CLASSES; j += j & -j) {
            bound *cell = &b->cells[i][j];
            if (cell->age != b->age || cell->before < start)
                *cell = (bound){b->age, start};
        }
}

static void forget(bounds *b, orr_time now)
{
    b->age++;
    b->from = now;
    b->returned.gpus = 0;
}

/* One interval may be given back without harm, if it is then taken again as it was: so a planner asks whether
 * somebody can move up. Another one, or other GPUs taken first, and it is given back for good. */
static void note(bounds *b, interval taken, orr_time now)
{
    interval *r = &b->returned;
    if (r->gpus && taken.gpus == r->gpus && taken.from == r->from && taken.end == r->end) {
        r->gpus = 0;
        return;
    }
    if (r->gpus)
        forget(b, now);
    if (taken.gpus < 0)
        *r = (interval){taken.from, taken.end, -taken.gpus};
}

/* ---- the interface ----------------------------------------------------------------------------------------------- */

static orr_time now_of(const orr_calendar *c)
{
    return orr_step_time(&c->free, ORR_STEP_FIRST);
}

/* `passed`: how many stretches were too short. */
static orr_time search(const orr_steps *steps, orr_time start, orr_time length, int32_t gpus, int64_t *passed)
{
    orr_stand here = orr_steps_stand(steps, start);
    *passed = 0;
    if (here.value < gpus) {
        here = orr_steps_turn(steps, here, gpus);
        start = orr_step_time(steps, here.at);
    }
    for (; here.at; ++*passed) {
        orr_stand past = orr_steps_turn(steps, here, gpus);
        if (!past.at || orr_time_add(start, length) <= orr_step_time(steps, past.at))
            return start;
        here = orr_steps_turn(steps, past, gpus);
        start = orr_step_time(steps, here.at);
    }
    return ORR_TIME_MAX;
}

orr_calendar *orr_calendar_create(orr_time now, int32_t free)
{
    orr_calendar *c = orr_xcalloc(1, sizeof *c);
    c->bounds = orr_xcalloc(1, sizeof *c->bounds);
    orr_calendar_reset(c, now, free);
    return c;
}

void orr_calendar_destroy(orr_calendar *calendar)
{
    if (!calendar)
        return;
    orr_steps_fini(&calendar->free);
    free(calendar->bounds);
    free(calendar);
}

void orr_calendar_reset(orr_calendar *calendar, orr_time now, int32_t free)
{
    orr_steps_reset(&calendar->free, now, free);
    forget(calendar->bounds, now);
}

void orr_calendar_reserve(orr_calendar *calendar, orr_time from, orr_time length, int32_t gpus)
{
    orr_time end = orr_time_add(from, length), now = now_of(calendar);
    if (from < now)
        from = now;
    if (end <= from || gpus == 0)
        return;
    note(calendar->bounds, (interval){from, end, gpus}, now);
    orr_steps_change(&calendar->free, from, -gpus);
    if (end != ORR_TIME_MAX)
        orr_steps_change(&calendar->free, end, gpus);
}

/* A bound tells of the times since b->from. A later question moves that up, since callers' clocks don't run back; an
 * earlier one is answered without bounds. */
orr_time orr_calendar_fit(const orr_calendar *calendar, orr_time from, orr_time length, int32_t gpus)
{
    bounds *b = calendar->bounds;
    int64_t passed;
    if (from < now_of(calendar))
        from = now_of(calendar);
    if (length < 0) /* as without one; a class it has not */
        length = 0;
    if (from < b->from || gpus <= 0)
        return search(&calendar->free, from, length, gpus, &passed);
    b->from = from;
    orr_time start = search(&calendar->free, bound_of(b, length, gpus), length, gpus, &passed);
    if (passed >= WORTH)
        learn(b, length, gpus, start);
    return start;
}

int32_t orr_calendar_free(const orr_calendar *calendar, orr_time at)
{
    return orr_steps_stand(&calendar->free, at < now_of(calendar) ? now_of(calendar) : at).value;
}
