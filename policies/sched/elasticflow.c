/* elasticflow: a job that comes with a deadline is taken in only if it can be done by then without any other missing its
 * own; how many GPUs it gets is the scheduler's affair.
 *
 *   admission  time is cut into slots. In the order of deadlines each job is given the least that does, its minimum
 *              satisfactory share: of 1, 2, 4, … GPUs the fewest with which the slots before its deadline, the last one
 *              first, are enough; where fewer are free it has the largest size that fits, and in slots before those it
 *              needs the next smaller one. Who can't be fitted in behind the others is rejected, and so is who would
 *              push out one of them
 *   elastic    GPUs that nobody needs now go one size at a time to whom they save most GPU time for each GPU more; who
 *              has none comes first. The rest of such a job's plan is made anew. Nobody gets more who isn't done sooner
 *              by it
 *   best       jobs without deadlines are promised nothing and have a part in the elastic phase alone, and so are those
 *              whose deadline has passed or can't be met (`admission=off`, failures, wrong estimates), which come before
 *              them
 *   place      jobs stand on aligned blocks of powers of two, so that numbers of GPUs are all that matters: those that
 *              are in the way are moved (orr_plan_blocks)
 *
 * All is planned anew once in a slot in which something happens that plans depend on; within a slot who comes is planned
 * for besides those that are there, if that does, and GPUs that somebody leaves go on being dealt where the elastic phase
 * had stopped. Who can't be fitted in so, a node that fails and an attempt that fails make everything anew at once. The
 * present plan is kept where a new one would not do: so who was taken in is in time, provided that durations and speeds
 * are what they are said to be and that starts, restores and changes of size or place cost no more than the knob
 * `overhead`.
 *
 * Source: Gu et al., ElasticFlow, ASPLOS'23, section 4, and its public simulator. Planning anew costs O(slots that jobs
 * use), all in all once a slot; besides, an arrival costs the slots until it is due, and a step of the elastic phase
 * those of one job. Who can't be fitted in beside the others costs a plan of all. */
#include <orrery/blocks.h>
#include <orrery/bookings.h>
#include <orrery/policy.h>

#include <math.h>
#include <string.h>

typedef struct settings {
    orr_time slot, overhead;
    bool admission;
    int32_t place, vc;
} settings;

enum { PLACE_BUDDY, PLACE_COUNTS };

typedef struct own { /* by job */
    orr_job *job;
    bool listed, promised, steady, saves, changed;
    orr_sizes sizes;
    orr_time deadline;   /* ORR_TIME_MAX: none */
    int32_t held, size;  /* GPUs now; what it was dealt, as one of its sizes, -1: nothing */
    orr_booking plan;
    orr_time work;       /* left at the last look, without what is to be paid */
    orr_time paid_until; /* it stands still until then at the latest */
    double gain;
    uint64_t asked; /* the deal's step at which `gain` was true */
    int32_t place;  /* in one of the heaps: with a size or without */
} own;

typedef struct pool { /* a VC's nodes, or all */
    orr_scope scope;
    orr_line line; /* by deadline, those without one behind them; then by submission */
    orr_bookings plans;
    bool dirty, anew; /* something happened; and the present plans don't do any more */
    orr_time made;    /* the plans are those of this instant */
    int32_t left;     /* GPUs to deal out now */
    uint64_t steps;
    orr_line changed;       /* since all was planned or dealt: who came, and who was given something */
    orr_heap waiting, gain; /* who has nothing, who may have more, but for those that were tried in this slot in vain */
    bool has_waiting, has_gain; /* they are filled */
} pool;

typedef struct state {
    pool *pools;
    int32_t count;
    orr_block_ask *asks;
    size_t asks_cap;
} state;

static const settings *set_of(const orr_ctx *ctx)
{
    return orr_knobs(ctx);
}

static own *own_of(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_state_of(ctx, job);
}

static pool *pool_of(orr_ctx *ctx, const orr_job *job)
{
    state *s = orr_state(ctx);
    return &s->pools[s->count > 1 ? orr_job_vc(job) : 0];
}

static own *nth(orr_ctx *ctx, const orr_line *line, size_t i)
{
    return own_of(ctx, line->at[i]);
}

/* The plans are those of the present slot. */
static bool may_add(const orr_ctx *ctx, const pool *p)
{
    return !p->anew && orr_bookings_reach(&p->plans, orr_now(ctx));
}

/* ---- what a job needs -------------------------------------------------------------------------------------------- */

static bool is_whole(const own *o)
{
    return o->sizes.gpus[0] > 0 && orr_job_gpu_milli(o->job) == 1000;
}

static void know(orr_ctx *ctx, orr_job *job)
{
    own *o = own_of(ctx, job);
    if (o->job)
        return;
    const orr_time due = orr_job_deadline(ctx, job);
    *o = (own){.job = job, .deadline = due == ORR_TIME_NONE ? ORR_TIME_MAX : due, .size = -1};
    orr_job_sizes(ctx, job, &o->sizes);
    o->steady = !orr_job_preemptible(job) || !is_whole(o);
}

/* What is left includes what is to be paid, which is planned for apart. While it pays or waits its work is what it was,
 * unless some was lost. */
static void look_at_work(orr_ctx *ctx, own *o)
{
    const orr_time left = orr_est_remaining_time(ctx, o->job), overhead = set_of(ctx)->overhead;
    const bool runs = orr_job_state_now(o->job) == ORR_JOB_RUNNING;
    if (runs || overhead == 0)
        o->work = left;
    else if (o->work <= 0 && orr_job_starts(o->job) == 0)
        o->work = orr_time_from_seconds(orr_est_duration(ctx, o->job));
    else
        o->work = left - overhead > o->work ? left - overhead : o->work;
    if (runs)
        o->paid_until = 0;
    if (o->work <= 0 && orr_job_holds(o->job)) /* about to end, or the estimate is used up */
        o->promised = false;
    o->work = o->work > 0 ? o->work : 1;
}

static orr_demand demand_of(orr_ctx *ctx, const own *o)
{
    const orr_time now = orr_now(ctx);
    return (orr_demand){.sizes = &o->sizes,
                        .work = o->work,
                        .due = o->deadline,
                        .held = o->held,
                        .paying = o->paid_until > now ? o->paid_until - now : 0,
                        .change = set_of(ctx)->overhead,
                        .steady = o->steady};
}

/* Promised nothing: it may take as long as it takes. */
static orr_demand loose_demand_of(orr_ctx *ctx, const own *o)
{
    orr_demand d = demand_of(ctx, o);
    d.due = o->promised ? d.due : ORR_TIME_MAX;
    return d;
}

/* ---- planning ---------------------------------------------------------------------------------------------------- */

static int32_t size_of(const own *o, int32_t gpus)
{
    int32_t i = o->sizes.count - 1;
    while (i > 0 && o->sizes.gpus[i] != gpus)
        i--;
    return i;
}

static bool is_reserved(const own *o)
{
    return o->steady && orr_job_holds(o->job);
}

/* What can't be taken from it any more: so many GPUs until it is done. */
static void reserve(orr_ctx *ctx, pool *p, own *o)
{
    const orr_slots *slots = orr_bookings_slots(&p->plans);
    const orr_time pays = o->paid_until > orr_now(ctx) ? o->paid_until - orr_now(ctx) : 0;
    const double speed = o->sizes.speed[size_of(o, o->held)];
    const orr_time works = speed == 1 ? o->work : orr_time_from_seconds(orr_time_seconds(o->work) / speed);
    const orr_time takes = orr_time_add(pays, works);
    const orr_time end = orr_time_add(orr_now(ctx), takes);
    const int64_t most = slots->first + ORR_SLOTS_MOST, to = (end - 1) / slots->length + 1;
    const orr_outcome out = {.end = end, .gpu_time = o->held * orr_time_seconds(takes)};
    orr_bookings_put(&p->plans, &o->plan, (orr_stretch){slots->first, to < most ? to : most, o->held}, &out);
}

static bool fit_in(orr_ctx *ctx, pool *p, own *o)
{
    const orr_demand d = demand_of(ctx, o);
    return orr_bookings_fill(&p->plans, &o->plan, &d);
}

static void begin_plans(orr_ctx *ctx, pool *p)
{
    orr_bookings_try(&p->plans, orr_now(ctx), set_of(ctx)->slot, orr_scope_gpus(ctx, p->scope));
    orr_note_decision(ctx, NULL, "all-planned");
    for (size_t i = 0; i < p->line.n; i++)
        if (is_reserved(nth(ctx, &p->line, i)))
            reserve(ctx, p, nth(ctx, &p->line, i));
}

/* Plans for all that are promised something, those before `changed` as they are. False: there are none, and nothing
 * happened. */
static bool plan_promised(orr_ctx *ctx, pool *p, size_t changed)
{
    begin_plans(ctx, p);
    for (size_t i = 0; i < p->line.n; i++) {
        own *o = nth(ctx, &p->line, i);
        if (!o->promised || is_reserved(o))
            continue;
        if (i < changed ? orr_bookings_keep(&p->plans, &o->plan, NULL) : fit_in(ctx, p, o))
            continue;
        orr_bookings_drop(&p->plans);
        return false;
    }
    return true;
}

/* The last resort: the present plans, which do. Whose doesn't, because fewer GPUs are left or more work is than was said,
 * is promised nothing any more. */
static void keep_plans(orr_ctx *ctx, pool *p)
{
    begin_plans(ctx, p);
    for (size_t i = 0; i < p->line.n; i++) {
        own *o = nth(ctx, &p->line, i);
        if (!o->promised || is_reserved(o))
            continue;
        orr_demand d = demand_of(ctx, o);
        d.work = d.work > 2 ? d.work - 2 : 1; /* the present stretch has been rounded already */
        o->promised = orr_bookings_keep(&p->plans, &o->plan, &d);
        if (!o->promised)
            orr_note_decision(ctx, o->job, "promise-lost");
    }
}

/* Who was too late or too much may fit in by now. */
static void promise_more(orr_ctx *ctx, pool *p, own *o)
{
    if (!o->promised && !is_reserved(o) && o->deadline > orr_now(ctx) && o->deadline < ORR_TIME_MAX)
        o->promised = fit_in(ctx, p, o);
}

static void look_at_all(orr_ctx *ctx, const pool *p)
{
    for (size_t i = 0; i < p->line.n; i++)
        look_at_work(ctx, nth(ctx, &p->line, i));
}

static void plan_all(orr_ctx *ctx, pool *p)
{
    look_at_all(ctx, p);
    if (!plan_promised(ctx, p, p->made == orr_now(ctx) ? p->line.n : 0))
        keep_plans(ctx, p);
    for (size_t i = 0; i < p->line.n; i++)
        promise_more(ctx, p, nth(ctx, &p->line, i));
}

/* ---- at the door ------------------------------------------------------------------------------------------------- */

static bool is_due_before(const own *a, const own *b)
{
    return a->deadline != b->deadline ? a->deadline < b->deadline : orr_job_index(a->job) < orr_job_index(b->job);
}

/* Where it is in line, or belongs. */
static size_t place_of(orr_ctx *ctx, const pool *p, const own *o)
{
    size_t low = 0, high = p->line.n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (is_due_before(nth(ctx, &p->line, mid), o))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static size_t list(orr_ctx *ctx, pool *p, own *o)
{
    const size_t at = place_of(ctx, p, o);
    orr_line_insert(ctx, &p->line, at, o->job);
    o->listed = true;
    return at;
}

static void unlist(orr_ctx *ctx, pool *p, own *o)
{
    const size_t at = place_of(ctx, p, o);
    if (!o->listed)
        return;
    memmove(p->line.at + at, p->line.at + at + 1, (--p->line.n - at) * sizeof *p->line.at);
    o->listed = false;
}

/* With all plans made anew, those before `at` excepted if they are of this instant. */
static bool fit_anew(orr_ctx *ctx, pool *p, size_t at)
{
    const bool fresh = p->made == orr_now(ctx);
    if (!fresh)
        look_at_all(ctx, p);
    if (!plan_promised(ctx, p, fresh ? at : 0))
        return false;
    p->made = orr_now(ctx);
    p->anew = true;
    return true;
}

static bool admit(orr_ctx *ctx, const orr_job *asked)
{
    orr_job *job = (orr_job *)(uintptr_t)asked; /* the lines keep what plans need */
    pool *p = pool_of(ctx, job);
    if (!set_of(ctx)->admission || orr_job_deadline(ctx, job) == ORR_TIME_NONE)
        return true;
    know(ctx, job);
    own *o = own_of(ctx, job);
    const size_t at = list(ctx, p, o);
    look_at_work(ctx, o);
    o->promised = true;
    if (may_add(ctx, p))
        orr_bookings_advance(&p->plans, orr_now(ctx));
    if ((may_add(ctx, p) && fit_in(ctx, p, o)) || fit_anew(ctx, p, at))
        return true;
    unlist(ctx, p, o);
    orr_note_decision(ctx, job, "deadline-not-admitted");
    return false;
}

static void touch(orr_ctx *ctx, pool *p, own *o)
{
    if (!o->changed)
        orr_line_add(ctx, &p->changed, o->job);
    o->changed = true;
}

/* What it had is free. */
static void leave(orr_ctx *ctx, pool *p, own *o)
{
    unlist(ctx, p, o);
    orr_heap_remove(o->size < 0 ? &p->waiting : &p->gain, o);
    if (o->changed)
        orr_line_remove(&p->changed, o->job);
    if (may_add(ctx, p))
        orr_bookings_clear(&p->plans, &o->plan);
}

static void took_place(orr_ctx *ctx, own *o, orr_event_kind kind)
{
    const orr_time now = orr_now(ctx), overhead = set_of(ctx)->overhead;
    const bool besides = kind != ORR_EV_STARTED && o->paid_until > now;
    o->paid_until = orr_time_add(besides ? o->paid_until : now, overhead);
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    pool *p = pool_of(ctx, job);
    know(ctx, job);
    own *o = own_of(ctx, job);
    switch (event->kind) {
    case ORR_EV_SUBMITTED:
        if (!o->listed)
            list(ctx, p, o);
        o->held = orr_job_holds(job) ? orr_job_gpus(job) : 0;
        touch(ctx, p, o);
        p->dirty = true;
        return;
    case ORR_EV_STARTED:
    case ORR_EV_RESIZED:
    case ORR_EV_MIGRATED:
        took_place(ctx, o, event->kind);
        return;
    case ORR_EV_ENDED:
        leave(ctx, p, o);
        p->dirty = true;
        p->made = ORR_TIME_NONE;
        return;
    case ORR_EV_SAVING:
        o->saves = true;
        return;
    case ORR_EV_PREEMPTED: /* at once, as it was dealt; or when it has saved */
        p->dirty |= o->saves;
        p->anew |= o->saves;
        o->saves = false;
        return;
    case ORR_EV_RETRIED:
    case ORR_EV_INTERRUPTED:
        o->held = 0;
        o->work = 0;
        break;
    default:
        return;
    }
    p->dirty = p->anew = true;
    p->made = ORR_TIME_NONE;
}

/* ---- the elastic phase ------------------------------------------------------------------------------------------- */

/* It neither waits nor holds anything: it saves. */
static bool is_away(const own *o)
{
    return !orr_job_holds(o->job) && orr_job_state_now(o->job) != ORR_JOB_QUEUED;
}

static int32_t gpus_dealt(const own *o)
{
    return o->size < 0 ? 0 : o->sizes.gpus[o->size];
}

static int32_t more_with(const own *o, int32_t size)
{
    return o->sizes.gpus[size] - gpus_dealt(o);
}

/* Promised nothing and free to go again: it is a matter of the present slot, and of how long it would take. */
static bool is_loose(const own *o)
{
    return !o->promised && !o->steady;
}

static orr_outcome loosely(orr_ctx *ctx, const own *o, const orr_demand *d, int32_t size)
{
    const int32_t gpus = o->sizes.gpus[size];
    const orr_time delay = gpus == o->held ? d->paying : d->change + (o->held ? d->paying : 0);
    const double takes = orr_time_seconds(delay) + orr_time_seconds(d->work) / o->sizes.speed[size];
    return (orr_outcome){.end = orr_time_add(orr_now(ctx), orr_time_from_seconds(takes)), .gpu_time = gpus * takes};
}

/* From now on it has this size. False: it isn't in time so, or finds no room. */
static bool raise(orr_ctx *ctx, pool *p, own *o, int32_t size)
{
    look_at_work(ctx, o);
    const orr_demand d = loose_demand_of(ctx, o);
    const int64_t now = orr_bookings_slots(&p->plans)->first;
    const orr_outcome out = loosely(ctx, o, &d, size);
    if (more_with(o, size) > p->left)
        return false;
    if (is_loose(o))
        orr_bookings_put(&p->plans, &o->plan, (orr_stretch){now, now + 1, o->sizes.gpus[size]}, &out);
    else if (!orr_bookings_hold(&p->plans, &o->plan, &d, size))
        return false;
    p->left -= more_with(o, size);
    o->size = size;
    p->steps++;
    touch(ctx, p, o);
    return true;
}

/* GPU time that the next size saves for each GPU more; NaN: it can't have it, or isn't done sooner. */
static double gain_of(orr_ctx *ctx, pool *p, own *o)
{
    const int32_t size = o->size + 1;
    if (size >= o->sizes.count || more_with(o, size) > p->left)
        return NAN;
    look_at_work(ctx, o);
    const orr_demand d = loose_demand_of(ctx, o);
    orr_outcome out = loosely(ctx, o, &d, size);
    const orr_outcome has = orr_bookings_outcome(&p->plans, &o->plan);
    if (!is_loose(o) && !orr_bookings_ask(&p->plans, &o->plan, &d, size, &out))
        return NAN;
    return out.end < has.end ? (has.gpu_time - out.gpu_time) / more_with(o, size) : NAN;
}

static bool is_first(void *self, const void *a, const void *b)
{
    (void)self;
    return is_due_before(a, b);
}

static bool gains_more(void *self, const void *a, const void *b)
{
    const own *x = a, *y = b;
    (void)self;
    return x->gain != y->gain ? x->gain > y->gain : is_due_before(x, y);
}

static int32_t *place_in(void *self, void *item)
{
    (void)self;
    return &((own *)item)->place;
}

/* Its gain is asked anew; false: there is none. */
static bool ask(orr_ctx *ctx, pool *p, own *o)
{
    o->gain = gain_of(ctx, p, o);
    o->asked = p->steps;
    return o->gain == o->gain;
}

static void enter(orr_ctx *ctx, pool *p, own *o)
{
    if (o->size < 0 && p->has_waiting && !is_away(o))
        orr_heap_add(ctx, &p->waiting, o);
    if (o->size >= 0 && p->has_gain && !o->steady && ask(ctx, p, o))
        orr_heap_add(ctx, &p->gain, o);
}

static void fill_heap(orr_ctx *ctx, pool *p, bool *has, bool with_size)
{
    if (*has)
        return;
    *has = true;
    for (size_t i = 0; i < p->line.n; i++) {
        own *o = nth(ctx, &p->line, i);
        if ((o->size >= 0) == with_size)
            enter(ctx, p, o);
    }
}

static void empty_heap(orr_heap *heap, bool *has)
{
    while (heap->count > 0)
        ((own *)heap->at[--heap->count])->place = 0;
    *has = false;
}

/* Those that were tried once and found no room wait for the next slot. */
static void start_waiting(orr_ctx *ctx, pool *p)
{
    if (p->left > 0)
        fill_heap(ctx, p, &p->has_waiting, false);
    while (p->left > 0 && p->waiting.count > 0) {
        own *o = p->waiting.at[0];
        orr_heap_remove(&p->waiting, o);
        if (raise(ctx, p, o, 0))
            enter(ctx, p, o);
    }
}

/* With each step less is free, and gains change; only the one in front is asked again. */
static void raise_by_gain(orr_ctx *ctx, pool *p)
{
    if (p->left > 0)
        fill_heap(ctx, p, &p->has_gain, true);
    while (p->left > 0 && p->gain.count > 0) {
        own *o = p->gain.at[0];
        if (o->asked == p->steps)
            raise(ctx, p, o, o->size + 1);
        if (ask(ctx, p, o))
            orr_heap_moved(&p->gain, o);
        else
            orr_heap_remove(&p->gain, o);
    }
}

/* What the plan says of now. */
static int32_t size_planned(const pool *p, const own *o)
{
    const int32_t gpus = orr_bookings_now(&p->plans, &o->plan);
    return gpus < 0 ? -1 : size_of(o, gpus);
}

static void count_left(pool *p)
{
    const orr_slots *slots = orr_bookings_slots(&p->plans);
    const int32_t free = orr_slots_free(slots, slots->first);
    p->left = free > 0 ? free : 0;
}

static void deal_anew(orr_ctx *ctx, pool *p)
{
    empty_heap(&p->waiting, &p->has_waiting);
    empty_heap(&p->gain, &p->has_gain);
    for (size_t i = 0; i < p->line.n; i++) {
        own *o = nth(ctx, &p->line, i);
        o->size = size_planned(p, o);
    }
    count_left(p);
    for (size_t i = 0; i < p->line.n; i++) {
        own *o = nth(ctx, &p->line, i);
        if (o->size < 0 && !is_away(o))
            raise(ctx, p, o, 0);
    }
    raise_by_gain(ctx, p);
}

/* Who came since has a plan from its admission, or gets one if there is room for it. */
static void deal_come(orr_ctx *ctx, pool *p)
{
    const size_t come = p->changed.n;
    for (size_t i = 0; i < come; i++) {
        own *o = nth(ctx, &p->changed, i);
        look_at_work(ctx, o);
        if (!orr_bookings_has(&p->plans, &o->plan))
            promise_more(ctx, p, o);
        o->size = size_planned(p, o);
    }
    count_left(p);
    for (size_t i = 0; i < come; i++) {
        own *o = nth(ctx, &p->changed, i);
        if (o->size < 0)
            raise(ctx, p, o, 0);
        enter(ctx, p, o);
    }
}

static void deal_more(orr_ctx *ctx, pool *p)
{
    orr_bookings_advance(&p->plans, orr_now(ctx));
    p->steps++;
    deal_come(ctx, p);
    start_waiting(ctx, p);
    raise_by_gain(ctx, p);
}

/* ---- placing ----------------------------------------------------------------------------------------------------- */

/* Would it still be in time if it had to pay for a move? */
static bool may_move(orr_ctx *ctx, const pool *p, const own *o)
{
    orr_demand d = demand_of(ctx, o);
    d.paying += d.change;
    return !o->promised || set_of(ctx)->overhead == 0 || orr_bookings_follow(&p->plans, &o->plan, &d);
}

static void ask_for(orr_ctx *ctx, const pool *p, own *o, size_t *n)
{
    state *s = orr_state(ctx);
    const int32_t gpus = gpus_dealt(o);
    if (!is_whole(o) || is_away(o) || (gpus == 0 && o->held == 0))
        return;
    if (*n == s->asks_cap) {
        orr_block_ask *more = orr_alloc_memory(ctx, (s->asks_cap = 2 * s->asks_cap + 64) * sizeof *more);
        for (size_t i = 0; i < *n; i++)
            more[i] = s->asks[i];
        s->asks = more;
    }
    s->asks[(*n)++] = (orr_block_ask){o->job, gpus, gpus == o->held && !may_move(ctx, p, o)};
}

/* True: it got what it was dealt. */
static bool look_at_held(const orr_plan *plan, own *o)
{
    const orr_alloc *held = orr_plan_held(plan, o->job);
    o->held = held ? orr_alloc_gpus(held) : 0;
    return o->held == gpus_dealt(o) && (held != NULL) == (o->size >= 0);
}

static bool look_at_line(orr_ctx *ctx, const pool *p, orr_plan *plan, const orr_line *line)
{
    bool placed = true;
    for (size_t i = 0; i < line->n; i++) {
        own *o = nth(ctx, line, i);
        if (!is_whole(o) && o->size >= 0 && !orr_job_holds(o->job) && !is_away(o))
            orr_plan_start_in(plan, o->job, p->scope);
        placed &= look_at_held(plan, o) || is_away(o);
        o->changed = false;
    }
    return placed;
}

static bool stage(orr_ctx *ctx, pool *p, orr_plan *plan, const orr_line *line)
{
    const state *s = orr_state(ctx);
    size_t n = 0;
    for (size_t i = 0; i < line->n; i++)
        ask_for(ctx, p, nth(ctx, line, i), &n);
    if (set_of(ctx)->place == PLACE_BUDDY)
        orr_plan_blocks(plan, p->scope, s->asks, n);
    else
        orr_plan_counts(plan, p->scope, s->asks, n);
    return look_at_line(ctx, p, plan, line);
}

/* The next slot in which the plan says something else than now; INT64_MAX: none. */
static int64_t next_change(orr_ctx *ctx, const pool *p)
{
    int64_t next = INT64_MAX;
    for (size_t i = 0; i < p->line.n; i++) {
        const own *o = nth(ctx, &p->line, i);
        const int64_t changes = o->promised ? orr_bookings_change(&p->plans, &o->plan) : INT64_MAX;
        next = changes < next ? changes : next;
    }
    return next;
}

/* What is left undone, and who found no room, is for the very next slot. */
static void decide(orr_ctx *ctx, pool *p, orr_plan *plan, uint64_t cookie)
{
    const bool adds = may_add(ctx, p);
    if (adds) {
        deal_more(ctx, p);
    } else {
        plan_all(ctx, p);
        deal_anew(ctx, p);
    }
    const bool placed = stage(ctx, p, plan, adds ? &p->changed : &p->line);
    const int64_t next = adds || !placed ? orr_bookings_slots(&p->plans)->first + 1 : next_change(ctx, p);
    if (next == INT64_MAX)
        orr_disarm(ctx, cookie);
    else
        orr_arm(ctx, cookie, orr_time_mul(set_of(ctx)->slot, next));
    p->changed.n = 0;
    p->anew = !placed;
    p->made = ORR_TIME_NONE;
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    state *s = orr_state(ctx);
    for (int32_t i = 0; i < s->count; i++) {
        pool *p = &s->pools[i];
        if (p->dirty)
            decide(ctx, p, plan, (uint64_t)i);
        p->dirty = false;
    }
    return ORR_OK;
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

static void on_timer(orr_ctx *ctx, uint64_t cookie)
{
    ((state *)orr_state(ctx))->pools[cookie].dirty = true;
}

static void on_node(orr_ctx *ctx, int32_t node, const orr_event *event)
{
    state *s = orr_state(ctx);
    (void)node, (void)event;
    for (int32_t i = 0; i < s->count; i++) {
        s->pools[i].dirty = s->pools[i].anew = true;
        s->pools[i].made = ORR_TIME_NONE;
    }
}

static orr_err init(orr_ctx *ctx)
{
    state *s = orr_state(ctx);
    const bool apart = set_of(ctx)->vc == ORR_VC_ISOLATED && !orr_vcs_are_tenants(ctx);
    s->count = apart ? orr_cluster_vcs(ctx) : 1;
    s->pools = orr_alloc_memory(ctx, (size_t)s->count * sizeof *s->pools);
    for (int32_t i = 0; i < s->count; i++) {
        s->pools[i].scope = (orr_scope){.vc = apart ? i : -1};
        s->pools[i].made = ORR_TIME_NONE;
        s->pools[i].anew = true;
        s->pools[i].waiting = (orr_heap){.before = is_first, .place = place_in};
        s->pools[i].gain = (orr_heap){.before = gains_more, .place = place_in};
    }
    if (!apart)
        orr_reach_all(ctx);
    return ORR_OK;
}

static void fini(orr_ctx *ctx)
{
    state *s = orr_state(ctx);
    for (int32_t i = 0; i < s->count; i++)
        orr_bookings_fini(&s->pools[i].plans);
}

static const orr_knob knobs[] = {
    {"slot", ORR_KNOB_TIME, offsetof(settings, slot), "60s", "1ms..1h", "plans are made of slots so long"},
    {"admission", ORR_KNOB_BOOL, offsetof(settings, admission), "on", NULL,
     "reject jobs that can't be done by their deadline"},
    {"overhead", ORR_KNOB_TIME, offsetof(settings, overhead), "0", "0..7d",
     "plan so much for each start, restore or change of GPUs"},
    {"place", ORR_KNOB_CHOICE, offsetof(settings, place), "buddy", "buddy|counts",
     "aligned blocks, and jobs move for them; or where the placer says, by numbers alone"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared",
     "plan each VC by itself, or one for all nodes"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(elasticflow) = {
    .summary = "deadlines kept by elastic jobs: admission by minimum satisfactory shares, then marginal gains",
    .cite = "Gu et al., ElasticFlow, ASPLOS'23",
    .deviations = "who comes is dealt what is free at once, where the simulator waits for a slot to pass; gains are asked "
                  "anew for the job in front only; the executor's restarts after 100 decisions are not modelled, changes "
                  "cost what the scenario says; GPU types are not told apart",
    .needs = ORR_CAP_DEADLINE,
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE, [ORR_Q_LIMIT] = ORR_KNOW_DECLARED,
             [ORR_Q_SCALING] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .admit = admit,
    .init = init,
    .fini = fini,
    .on_job = on_job,
    .on_node = on_node,
    .on_timer = on_timer,
    .schedule = schedule,
};
