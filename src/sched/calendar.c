/* The availability calendar: how many GPUs of a scope are believed free, from now on for ever.
 *
 * The free count is a step function (calendar_tree.h); a reservation changes it at its begin and its end. The earliest
 * room is looked for from stretch to stretch with enough free: the first that is long enough is it. With thousands of
 * reservations most stretches are too short, and planning a queue would pass the same ones for each job. But as long as
 * reservations only take GPUs away, an answer stays a bound: where so many GPUs didn't fit for so long, no more will fit
 * for longer. So answers are kept by size class and length class, and a question begins at the greatest bound of the
 * classes up to its own. A reservation that gives GPUs back, or a reset, voids them.
 *
 * Times saturate: an interval that would end past the clock's range has no end, and what starts there never starts.
 * What lies before the calendar's `now` is not kept: a question about the past is answered as of `now`.
 */
#include <orrery/drive.h>

#include "sched/calendar_tree.h"

/* Classes: as a floating number of so many bits behind the leading one, 2 and 8 to a doubling. */
enum { GPU_BITS = 1, LENGTH_BITS = 3, GPU_CLASSES = 64, LENGTH_CLASSES = 490 };

/* Two-dimensional prefix maxima (Fenwick 1994): before[i][j] covers the classes that the lowest bits of i and j tell. */
typedef struct bounds {
    orr_time from; /* no bound tells of times before this */
    uint64_t age, ages[GPU_CLASSES]; /* rows of another age are void */
    orr_time before[GPU_CLASSES][LENGTH_CLASSES];
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
    uint32_t column = length_class(length, false);
    for (uint32_t i = gpu_class(gpus, false); i; i &= i - 1)
        for (uint32_t j = b->ages[i] == b->age ? column : 0; j; j &= j - 1)
            if (b->before[i][j] > best)
                best = b->before[i][j];
    return best;
}

static void renew_row(bounds *b, uint32_t i)
{
    if (b->ages[i] == b->age)
        return;
    b->ages[i] = b->age;
    for (uint32_t j = 0; j < LENGTH_CLASSES; j++)
        b->before[i][j] = ORR_TIME_NONE;
}

static void learn(bounds *b, orr_time length, int32_t gpus, orr_time start)
{
    uint32_t column = length_class(length, true);
    for (uint32_t i = gpu_class(gpus, true); i < GPU_CLASSES; i += i & -i) {
        renew_row(b, i);
        for (uint32_t j = column; j < LENGTH_CLASSES; j += j & -j)
            if (b->before[i][j] < start)
                b->before[i][j] = start;
    }
}

/* ---- the interface ----------------------------------------------------------------------------------------------- */

static orr_time now_of(const orr_calendar *c)
{
    return orr_step_time(&c->free, ORR_STEP_FIRST);
}

static void forget(orr_calendar *c)
{
    c->bounds->age++;
    c->bounds->from = now_of(c);
}

static orr_time search(const orr_steps *steps, orr_time start, orr_time length, int32_t gpus)
{
    orr_stand here = orr_steps_stand(steps, start);
    if (here.value < gpus) {
        here = orr_steps_turn(steps, here, gpus);
        start = orr_step_time(steps, here.at);
    }
    while (here.at) {
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
    forget(calendar);
}

void orr_calendar_reserve(orr_calendar *calendar, orr_time from, orr_time length, int32_t gpus)
{
    orr_time end = orr_time_add(from, length), now = now_of(calendar);
    if (from < now)
        from = now;
    if (end <= from || gpus == 0)
        return;
    if (gpus < 0)
        forget(calendar);
    orr_steps_change(&calendar->free, from, -gpus);
    if (end != ORR_TIME_MAX)
        orr_steps_change(&calendar->free, end, gpus);
}

/* A bound tells of the times since b->from. A later question moves that up, since callers' clocks don't run back; an
 * earlier one is answered without bounds. */
orr_time orr_calendar_fit(const orr_calendar *calendar, orr_time from, orr_time length, int32_t gpus)
{
    bounds *b = calendar->bounds;
    if (from < now_of(calendar))
        from = now_of(calendar);
    if (length < 0) /* as without one; a class it has not */
        length = 0;
    if (from < b->from || gpus <= 0)
        return search(&calendar->free, from, length, gpus);
    b->from = from;
    orr_time bound = bound_of(b, length, gpus);
    if (bound == ORR_TIME_MAX)
        return ORR_TIME_MAX;
    orr_time start = search(&calendar->free, bound, length, gpus);
    if (start > from) /* else it tells nothing */
        learn(b, length, gpus, start);
    return start;
}

int32_t orr_calendar_free(const orr_calendar *calendar, orr_time at)
{
    return orr_steps_stand(&calendar->free, at < now_of(calendar) ? now_of(calendar) : at).value;
}
