/* Plans on slots. Going backwards a stretch is as long as it is until it changes, and what a job does in it is counted
 * anew with each slot that is added: so a change costs what it costs once, whatever the length. */
#include <orrery/slots.h>

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- slots ------------------------------------------------------------------------------------------------------- */

static void insert(orr_slots *s, size_t i, int64_t from, int32_t free)
{
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->from = orr_xrealloc(s->from, s->cap, sizeof *s->from);
        s->free = orr_xrealloc(s->free, s->cap, sizeof *s->free);
    }
    memmove(s->from + i + 1, s->from + i, (s->count - i) * sizeof *s->from);
    memmove(s->free + i + 1, s->free + i, (s->count - i) * sizeof *s->free);
    s->from[i] = from;
    s->free[i] = free;
    s->count++;
}

void orr_slots_reset(orr_slots *s, orr_time now, orr_time length, int32_t gpus)
{
    s->now = now;
    s->length = length;
    s->first = now / length;
    s->count = 0;
    insert(s, 0, s->first, gpus);
}

void orr_slots_fini(orr_slots *s)
{
    free(s->from);
    free(s->free);
    *s = (orr_slots){0};
}

void orr_stretches_add(orr_stretches *s, orr_stretch stretch)
{
    ORR_VEC_PUSH(s, stretch);
}

void orr_stretches_fini(orr_stretches *s)
{
    free(s->at);
    *s = (orr_stretches){0};
}

/* The step that this slot (the present one or later) lies in. */
static size_t step_at(const orr_slots *s, int64_t slot)
{
    size_t low = 0, high = s->count;
    while (high - low > 1) {
        const size_t mid = (low + high) / 2;
        if (s->from[mid] <= slot)
            low = mid;
        else
            high = mid;
    }
    return low;
}

int32_t orr_slots_free(const orr_slots *s, int64_t slot)
{
    return s->free[step_at(s, slot)];
}

int32_t orr_slots_least(const orr_slots *s, int64_t from, int64_t to)
{
    int32_t least = orr_slots_free(s, from);
    for (size_t i = step_at(s, from); i < s->count && s->from[i] < to; i++)
        least = s->free[i] < least ? s->free[i] : least;
    return least;
}

/* A step begins there. */
static size_t cut(orr_slots *s, int64_t slot)
{
    const size_t i = step_at(s, slot);
    if (s->from[i] == slot)
        return i;
    insert(s, i + 1, slot, s->free[i]);
    return i + 1;
}

/* Steps that are alike become one. */
static void join(orr_slots *s, size_t i)
{
    if (i == 0 || i >= s->count || s->free[i] != s->free[i - 1])
        return;
    s->count--;
    memmove(s->from + i, s->from + i + 1, (s->count - i) * sizeof *s->from);
    memmove(s->free + i, s->free + i + 1, (s->count - i) * sizeof *s->free);
}

static void add(orr_slots *s, const orr_stretch *plan, size_t n, int32_t sign)
{
    for (size_t k = 0; k < n; k++) {
        const int64_t from = plan[k].from > s->first ? plan[k].from : s->first;
        if (from >= plan[k].to)
            continue;
        const size_t a = cut(s, from), b = cut(s, plan[k].to);
        for (size_t i = a; i < b; i++)
            s->free[i] += sign * plan[k].gpus;
        join(s, b);
        join(s, a);
    }
}

void orr_slots_take(orr_slots *s, const orr_stretch *plan, size_t n)
{
    add(s, plan, n, -1);
}

void orr_slots_give(orr_slots *s, const orr_stretch *plan, size_t n)
{
    add(s, plan, n, 1);
}

static orr_time begin_of(const orr_slots *s, int64_t slot)
{
    const orr_time at = s->length * slot;
    return at > s->now ? at : s->now;
}

static orr_time end_of(const orr_slots *s, int64_t to, orr_time due)
{
    const orr_time end = s->length * to;
    return end < due ? end : due;
}

/* Of these slots, until it is due. */
static orr_time time_in(const orr_slots *s, int64_t from, int64_t to, orr_time due)
{
    return end_of(s, to, due) - begin_of(s, from);
}

/* Where the step ends, or `to` if that is sooner. */
static int64_t step_to(const orr_slots *s, size_t i, int64_t to)
{
    return i + 1 < s->count && s->from[i + 1] < to ? s->from[i + 1] : to;
}

static orr_time due_within(const orr_slots *s, orr_time due)
{
    const orr_time last = s->length * (s->first + ORR_SLOTS_MOST);
    return due < last ? due : last;
}

/* The largest of the first `count` sizes that fits; -1: none. */
static int32_t size_within(const orr_sizes *sizes, int32_t count, int32_t free)
{
    while (count > 0 && sizes->gpus[count - 1] > free)
        count--;
    return count - 1;
}

/* ---- what gets done ---------------------------------------------------------------------------------------------- */

/* Multiples of it are exact: then nothing is lost by rounding. */
static bool is_even(double speed)
{
    return speed * 1024 == floor(speed * 1024);
}

static orr_time worked(double speed, orr_time time)
{
    if (time <= 0)
        return 0;
    if (speed == 1.0)
        return time;
    const double w = floor((double)time * speed) - !is_even(speed);
    return w < 0 ? 0 : w < 9e18 ? (orr_time)w : ORR_TIME_MAX;
}

/* How long that takes. */
static orr_time needs(double speed, orr_time work)
{
    if (speed == 1.0)
        return work;
    const double t = ceil((double)(work + (is_even(speed) ? 0 : 2)) / speed);
    return t < 9e18 ? (orr_time)t : ORR_TIME_MAX;
}

/* A plan as it is made: stretches one after the other, the last one open. */
typedef struct course {
    const orr_slots *slots;
    const orr_demand *d;
    orr_stretches *plan;
    size_t since;    /* its own in `plan` begin here */
    int32_t size;    /* of the open one; -1: none, or it holds nothing */
    int64_t from;
    orr_time begin, length, delay; /* of the open one */
    orr_time unpaid; /* when the last one ended, */
    int64_t unpaid_at; /* with this slot: who changes directly then pays it besides */
    orr_time left;   /* work, before the open one */
    bool fresh;      /* its first stretch may go on with what it holds now */
    double gpu_time;
    uint64_t *looked; /* counts steps of slots */
} course;

static orr_time delay_of(const course *c, int32_t size, int64_t slot)
{
    const orr_demand *d = c->d;
    const bool now = c->fresh && slot == c->slots->first;
    if (now && d->held > 0 && d->sizes->gpus[size] == d->held)
        return d->paying;
    return now && d->held > 0 ? d->change + d->paying : d->change;
}

static void close(course *c, int64_t to)
{
    if (c->size < 0)
        return;
    const int32_t gpus = c->d->sizes->gpus[c->size];
    ORR_VEC_PUSH(c->plan, ((orr_stretch){.from = c->from, .to = to, .gpus = gpus}));
    c->left -= worked(c->d->sizes->speed[c->size], c->length - c->delay);
    c->unpaid = c->length < c->delay ? c->delay - c->length : 0;
    c->unpaid_at = to;
    c->gpu_time += gpus * orr_time_seconds(c->length);
    c->size = -1;
}

/* With this size in these slots, or with nothing. True: that is the end of it. */
static bool step(course *c, int32_t size, int64_t slot, int64_t to, orr_outcome *out)
{
    if (size != c->size) {
        close(c, slot);
        c->size = size;
        c->from = slot;
        c->begin = begin_of(c->slots, slot);
        c->length = 0;
        c->delay = size < 0 ? 0 : delay_of(c, size, slot) + (c->unpaid_at == slot ? c->unpaid : 0);
    }
    if (size < 0)
        return false;
    c->length += time_in(c->slots, slot, to, c->d->due);
    const double speed = c->d->sizes->speed[size];
    if (worked(speed, c->length - c->delay) < c->left)
        return false;
    const orr_time takes = orr_time_add(c->delay, needs(speed, c->left));
    c->length = takes < c->length ? takes : c->length;
    out->end = c->begin + c->length;
    close(c, (out->end - 1) / c->slots->length + 1);
    out->gpu_time = c->gpu_time;
    return true;
}

static course course_of(const orr_slots *slots, const orr_demand *d, orr_stretches *plan, orr_outcome *out)
{
    return (course){.slots = slots, .d = d, .plan = plan, .since = plan ? plan->n : 0, .size = -1, .left = d->work,
                    .fresh = true, .looked = &out->looked};
}

/* ---- the least that does ----------------------------------------------------------------------------------------- */

/* With this size until the end of the step and then for `length` more, it does what is left: since when at the latest?
 * `done`: behind that. */
static int64_t latest(const course *c, int32_t size, int64_t from, orr_time end, orr_time length, orr_time done)
{
    const orr_time takes = orr_time_add(needs(c->d->sizes->speed[size], c->left - done), c->d->change);
    const orr_time begin = end - (takes > length ? takes - length : 0);
    const int64_t slot = begin > 0 ? (begin < end ? begin : end - 1) / c->slots->length : 0;
    return slot > from ? slot : from;
}

/* The slot from which on backwards filling with the first `count` sizes is enough; -1: it never is. */
static int64_t enough_from(const course *c, int64_t from, int64_t to, int32_t count)
{
    const orr_sizes *sizes = c->d->sizes;
    int32_t size = -1;
    orr_time done = 0, length = 0;
    for (size_t i = step_at(c->slots, to - 1) + 1; i-- > 0 && to > from;) {
        const int64_t begin = c->slots->from[i] > from ? c->slots->from[i] : from;
        ++*c->looked;
        const int32_t now = size_within(sizes, count, c->slots->free[i]);
        if (now != size) {
            done = orr_time_add(done, size < 0 ? 0 : worked(sizes->speed[size], length - c->d->change));
            size = now;
            length = 0;
        }
        const orr_time more = time_in(c->slots, begin, to, c->d->due);
        if (now >= 0 && orr_time_add(done, worked(sizes->speed[now], length + more - delay_of(c, now, begin))) >= c->left)
            return latest(c, now, begin, end_of(c->slots, to, c->d->due), length, done);
        length += more;
        to = begin;
    }
    return -1;
}

/* The same on end, with one size. */
static int64_t steady_from(const course *c, int64_t from, int64_t to, int32_t size)
{
    orr_time length = 0;
    for (size_t i = step_at(c->slots, to - 1) + 1; i-- > 0 && to > from;) {
        const int64_t begin = c->slots->from[i] > from ? c->slots->from[i] : from;
        ++*c->looked;
        const bool room = c->slots->free[i] >= c->d->sizes->gpus[size];
        const orr_time more = time_in(c->slots, begin, to, c->d->due);
        if (room && worked(c->d->sizes->speed[size], length + more - delay_of(c, size, begin)) >= c->left)
            return latest(c, size, begin, end_of(c->slots, to, c->d->due), length, 0);
        length = room ? length + more : 0;
        to = begin;
    }
    return -1;
}

/* From `point` on with sizes up to the `count`th as they are free, before it with less than that. */
static bool go(course *c, int64_t from, int64_t point, int64_t to, int32_t count, orr_outcome *out)
{
    from = count == 1 && from < point ? point : from; /* with less than the least there is nothing to do */
    for (size_t i = step_at(c->slots, from); from < to; i++) {
        const int64_t end = step_to(c->slots, i, to), before = end < point ? end : point;
        ++*c->looked;
        const int32_t less = size_within(c->d->sizes, count - 1, c->slots->free[i]);
        const int32_t full = size_within(c->d->sizes, count, c->slots->free[i]);
        if (from < point && step(c, less, from, before, out))
            return true;
        from = from > before ? from : before;
        if (from < end && from >= point && step(c, full, from, end, out))
            return true;
        from = end;
    }
    return false;
}

static bool fill_with(course *c, int64_t from, int64_t to, int32_t count, orr_outcome *out)
{
    const int64_t point = enough_from(c, from, to, count);
    return point >= 0 && go(c, from, point, to, count, out);
}

static bool steady_with(course *c, int64_t from, int64_t to, int32_t size, orr_outcome *out)
{
    const int64_t point = steady_from(c, from, to, size);
    return point >= 0 && step(c, size, point, to, out);
}

/* Begins in this slot. */
static bool fill_from(course *c, int64_t from, orr_outcome *out)
{
    const course begun = *c;
    const size_t stretches = c->plan->n;
    const orr_time left = c->d->due - begin_of(c->slots, from);
    if (left <= 0)
        return false;
    const int64_t to = (c->d->due - 1) / c->slots->length + 1;
    for (int32_t k = 0; k < c->d->sizes->count; k++) {
        if (worked(c->d->sizes->speed[k], left) < c->left)
            continue;
        if (c->d->steady ? steady_with(c, from, to, k, out) : fill_with(c, from, to, k + 1, out))
            return true;
        *c = begun;
        c->plan->n = stretches;
    }
    return false;
}

bool orr_slots_fill(const orr_slots *slots, const orr_demand *demand, orr_stretches *plan, orr_outcome *out)
{
    orr_demand d = *demand;
    d.due = due_within(slots, d.due);
    course c = course_of(slots, &d, plan, out);
    return fill_from(&c, slots->first, out);
}

/* Where this size isn't free any more, or where it has done the work at the latest. */
static int64_t free_until(const course *c, int32_t size, int64_t to)
{
    const orr_slots *s = c->slots;
    const orr_time takes = orr_time_add(delay_of(c, size, s->first), needs(c->d->sizes->speed[size], c->left));
    int64_t slot = s->first;
    for (size_t i = 0; slot < to && i < s->count && s->free[i] >= c->d->sizes->gpus[size]; i++) {
        if (slot > s->first && time_in(s, s->first, slot, c->d->due) >= takes)
            break;
        slot = step_to(s, i, to);
        ++*c->looked;
    }
    return slot;
}

bool orr_slots_hold(const orr_slots *slots, const orr_demand *demand, int32_t size, orr_stretches *plan, orr_outcome *out)
{
    orr_demand d = *demand;
    d.due = due_within(slots, d.due);
    course c = course_of(slots, &d, plan, out);
    const int64_t to = (d.due - 1) / slots->length + 1;
    const int64_t slot = free_until(&c, size, to);
    if (slot > slots->first && step(&c, size, slots->first, slot, out))
        return true;
    close(&c, slot);
    c.fresh = slot == slots->first;
    if (!d.steady && fill_from(&c, slot, out))
        return true;
    plan->n = c.since;
    return false;
}

static int32_t size_of(const orr_sizes *sizes, int32_t gpus)
{
    int32_t i = 0;
    while (i < sizes->count && sizes->gpus[i] != gpus)
        i++;
    return i < sizes->count ? i : -1;
}

bool orr_slots_follow(const orr_slots *slots, const orr_demand *d, const orr_stretch *plan, size_t n, orr_outcome *out)
{
    orr_stretches none = {0};
    course c = course_of(slots, d, &none, out);
    bool done = false;
    for (size_t k = 0; k < n && !done; k++) {
        const int64_t slot = plan[k].from > slots->first ? plan[k].from : slots->first;
        if (k > 0 && plan[k - 1].to < slot)
            step(&c, -1, plan[k - 1].to, slot, out);
        if (slot < plan[k].to && begin_of(slots, slot) < d->due)
            done = step(&c, size_of(d->sizes, plan[k].gpus), slot, plan[k].to, out);
    }
    orr_stretches_fini(&none);
    return done;
}
