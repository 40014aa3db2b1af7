/* elasticflow: a job that comes with a deadline is taken in only if it can be done by then without any other missing its own; how
 * many GPUs it gets is the scheduler's affair.
 *
 *   admission  time is cut into slots. In the order of deadlines each job is given the least that does, its minimum satisfactory
 *              share: of 1, 2, 4, … GPUs the fewest with which the slots before its deadline, the last one first, are enough;
 *              where fewer are free it has the largest size that fits, and in slots before those it needs the next smaller
 *              one. Who can't be fitted in behind the others is rejected, and so is who would push out one of them
 *   elastic    GPUs that nobody needs now go one size at a time to whom they save most GPU time for each GPU more; who has
 *              none comes first. The rest of such a job's plan is made anew. Nobody gets more who isn't done sooner by it
 *   best       jobs without deadlines are promised nothing and have a part in the elastic phase alone, and so are those whose
 *              deadline has passed or can't be met (`admission=off`, failures, wrong estimates), which come before them
 *   place      jobs stand on aligned blocks of powers of two, so that numbers of GPUs are all that matters: those that are in
 *              the way are moved (orr_plan_blocks)
 *
 * All is planned anew whenever a job comes or goes, a node fails or comes back, and in slots in which the plan changes. The present
 * plan is kept where a new one would not do: so who was taken in is in time, provided that durations and speeds are what they are
 * said to be and that starts, restores and changes of size or place cost no more than the knob `overhead`.
 *
 * Source: Gu et al., ElasticFlow, ASPLOS'23, section 4, and its public simulator. A plan costs O(slots that jobs use), an arrival
 * those of the jobs due after it, a step of the elastic phase those of one job: all active jobs are looked at because the shares of
 * all depend on each other, and their slots together are bounded by what the cluster can do until the last deadline. */
#include <orrery/blocks.h>
#include <orrery/policy.h>
#include <orrery/slots.h>

#include <math.h>

typedef struct settings {
    orr_time slot, overhead;
    bool admission;
    int32_t place, vc;
} settings;

enum { PLACE_BUDDY, PLACE_COUNTS };

typedef struct own { /* by job */
    orr_job *job;
    int32_t pool;
    bool listed, promised, steady, saves;
    orr_sizes sizes;
    int32_t held, size; /* GPUs now; what it was dealt, as one of its sizes, -1: nothing */
    size_t from, count; /* its plan, among the pool's */
    orr_outcome out;    /* of that */
    size_t next_from, next_count;
    orr_outcome next_out;
    orr_time work;       /* left at the last look, without what is to be paid */
    orr_time paid_until; /* it stands still until then at the latest */
    double gain;
    uint64_t asked; /* the deal's step at which `gain` was true */
    int32_t order, place;
} own;

typedef struct pool { /* a VC's nodes, or all */
    orr_scope scope;
    orr_line due, best; /* by deadline; by submission */
    orr_slots slots;
    orr_stretches plans, next;
    bool dirty;
    orr_time made; /* the plans are those of this instant */
    int32_t left;  /* GPUs to deal out now */
    uint64_t steps;
    orr_heap heap;
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

/* Its stretches; NULL where nobody has any. */
static const orr_stretch *plan_of(const pool *p, const own *o)
{
    return p->plans.at ? p->plans.at + o->from : NULL;
}

/* ---- what a job needs -------------------------------------------------------------------------------------------- */

static void add_size(orr_ctx *ctx, own *o, int32_t gpus)
{
    orr_sizes *s = &o->sizes;
    const double speed = orr_job_scaling(ctx, o->job, gpus, 0, -1);
    if (s->count == ORR_SIZES || !(speed > (s->count ? s->speed[s->count - 1] : 0)))
        return; /* more GPUs without more speed serve nobody */
    s->gpus[s->count] = gpus;
    s->speed[s->count++] = speed;
}

/* Powers of two within its range, or the least that it may have. */
static void find_sizes(orr_ctx *ctx, own *o)
{
    const int32_t least = orr_job_min_gpus(o->job), most = orr_job_max_gpus(o->job);
    o->sizes.count = 0;
    if (orr_job_gpu_milli(o->job) == 1000 && least > 0)
        for (int64_t gpus = 1; gpus <= most; gpus *= 2)
            if (gpus >= least)
                add_size(ctx, o, (int32_t)gpus);
    if (o->sizes.count == 0)
        o->sizes = (orr_sizes){.count = 1, .gpus = {least}, .speed = {1}};
    if (least == most || o->sizes.gpus[0] == 0)
        o->sizes.speed[0] = 1;
}

static bool is_whole(const own *o)
{
    return o->sizes.gpus[0] > 0 && orr_job_gpu_milli(o->job) == 1000;
}

static void know(orr_ctx *ctx, orr_job *job)
{
    own *o = own_of(ctx, job);
    if (o->job)
        return;
    *o = (own){.job = job, .size = -1, .steady = !orr_job_preemptible(job)};
    find_sizes(ctx, o);
    o->steady |= !is_whole(o);
}

/* What is left includes what is to be paid, which is planned for apart. While it pays or waits its work is what it was, unless some was
 * lost. */
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

static orr_time due_of(orr_ctx *ctx, const own *o)
{
    const orr_time due = orr_job_deadline(ctx, o->job);
    return due == ORR_TIME_NONE || !o->promised ? ORR_TIME_MAX : due;
}

static orr_demand demand_of(orr_ctx *ctx, const own *o)
{
    const orr_time now = orr_now(ctx);
    return (orr_demand){.sizes = &o->sizes,
                        .work = o->work,
                        .due = due_of(ctx, o),
                        .held = o->held,
                        .paying = o->paid_until > now ? o->paid_until - now : 0,
                        .change = set_of(ctx)->overhead,
                        .steady = o->steady};
}

/* ---- planning ---------------------------------------------------------------------------------------------------- */

static void note_plan(pool *p, own *o, size_t from, const orr_outcome *out)
{
    o->next_from = from;
    o->next_count = p->next.n - from;
    o->next_out = *out;
    orr_slots_take(&p->slots, p->next.at + from, o->next_count);
}

static int32_t size_of(const own *o, int32_t gpus)
{
    int32_t i = o->sizes.count - 1;
    while (i > 0 && o->sizes.gpus[i] != gpus)
        i--;
    return i;
}

/* What can't be taken from it any more: so many GPUs until it is done. */
static void reserve(orr_ctx *ctx, pool *p, own *o)
{
    const orr_time pays = o->paid_until > orr_now(ctx) ? o->paid_until - orr_now(ctx) : 0;
    const double speed = o->sizes.speed[size_of(o, o->held)];
    const orr_time takes = orr_time_add(pays, speed == 1 ? o->work : orr_time_from_seconds(orr_time_seconds(o->work) / speed));
    const orr_time end = orr_time_add(orr_now(ctx), takes);
    const int64_t most = p->slots.first + ORR_SLOTS_MOST, to = (end - 1) / p->slots.length + 1;
    const size_t from = p->next.n;
    orr_stretches_add(&p->next, (orr_stretch){p->slots.first, to < most ? to : most, o->held});
    note_plan(p, o, from, &(orr_outcome){.end = end, .gpu_time = o->held * orr_time_seconds(takes)});
}

static void reserve_steady(orr_ctx *ctx, pool *p, const orr_line *line)
{
    for (size_t i = 0; i < line->n; i++) {
        own *o = own_of(ctx, line->at[i]);
        o->next_count = 0;
        if (o->steady && orr_job_holds(o->job))
            reserve(ctx, p, o);
    }
}

static bool is_reserved(const own *o)
{
    return o->steady && orr_job_holds(o->job);
}

static bool fit_in(orr_ctx *ctx, pool *p, own *o)
{
    const size_t from = p->next.n;
    orr_demand d = demand_of(ctx, o);
    orr_outcome out = {0};
    d.due = orr_job_deadline(ctx, o->job);
    if (!orr_slots_fill(&p->slots, &d, &p->next, &out))
        return false;
    note_plan(p, o, from, &out);
    return true;
}

/* It goes on as planned, as far as there is room. */
static bool go_on(pool *p, own *o)
{
    const size_t from = p->next.n;
    for (size_t i = o->from; i < o->from + o->count; i++) {
        orr_stretch s = p->plans.at[i];
        s.from = s.from > p->slots.first ? s.from : p->slots.first;
        if (s.from >= s.to)
            continue;
        if (orr_slots_least(&p->slots, s.from, s.to) < s.gpus) {
            p->next.n = from;
            return false;
        }
        orr_stretches_add(&p->next, s);
    }
    const orr_outcome out = o->out;
    note_plan(p, o, from, &out);
    return true;
}

static void begin_plans(orr_ctx *ctx, pool *p)
{
    orr_slots_reset(&p->slots, orr_now(ctx), set_of(ctx)->slot, orr_scope_gpus(ctx, p->scope));
    p->next.n = 0;
    reserve_steady(ctx, p, &p->due);
    reserve_steady(ctx, p, &p->best);
}

/* Plans for all that are promised something, those before `changed` as they are. False: there are none. */
static bool plan_promised(orr_ctx *ctx, pool *p, size_t changed)
{
    begin_plans(ctx, p);
    for (size_t i = 0; i < p->due.n; i++) {
        own *o = own_of(ctx, p->due.at[i]);
        if (o->promised && !is_reserved(o) && !(i < changed ? go_on(p, o) : fit_in(ctx, p, o)))
            return false;
    }
    return true;
}

/* The last resort: the present plans, which do. Whose doesn't, because fewer GPUs are left or more work is than was said, is promised
 * nothing any more. */
static void keep_plans(orr_ctx *ctx, pool *p)
{
    orr_outcome out;
    begin_plans(ctx, p);
    for (size_t i = 0; i < p->due.n; i++) {
        own *o = own_of(ctx, p->due.at[i]);
        if (!o->promised || is_reserved(o))
            continue;
        orr_demand d = demand_of(ctx, o);
        d.work = d.work > 2 ? d.work - 2 : 1; /* the present stretch has been rounded already */
        o->promised = orr_slots_follow(&p->slots, &d, plan_of(p, o), o->count, &out) && go_on(p, o);
        if (!o->promised)
            orr_note_decision(ctx, o->job, "promise-lost");
    }
}

static void adopt(orr_ctx *ctx, pool *p)
{
    const orr_stretches plans = p->plans;
    p->plans = p->next;
    p->next = plans;
    for (size_t i = 0; i < p->due.n + p->best.n; i++) {
        own *o = own_of(ctx, i < p->due.n ? p->due.at[i] : p->best.at[i - p->due.n]);
        o->from = o->next_from;
        o->count = o->next_count;
        o->out = o->next_out;
    }
    p->made = orr_now(ctx);
}

/* Who was too late or too much may fit in by now. */
static void promise_more(orr_ctx *ctx, pool *p)
{
    for (size_t i = 0; i < p->due.n; i++) {
        own *o = own_of(ctx, p->due.at[i]);
        if (!o->promised && !is_reserved(o) && orr_job_deadline(ctx, o->job) > orr_now(ctx))
            o->promised = fit_in(ctx, p, o);
    }
}

static void plan_all(orr_ctx *ctx, pool *p)
{
    const bool fresh = p->made == orr_now(ctx);
    for (size_t i = 0; i < p->due.n + p->best.n; i++)
        look_at_work(ctx, own_of(ctx, i < p->due.n ? p->due.at[i] : p->best.at[i - p->due.n]));
    if (!plan_promised(ctx, p, fresh ? p->due.n : 0))
        keep_plans(ctx, p);
    promise_more(ctx, p);
    adopt(ctx, p);
}

/* ---- at the door ------------------------------------------------------------------------------------------------- */

static size_t place_due(orr_ctx *ctx, const orr_line *line, const orr_job *job)
{
    size_t low = 0, high = line->n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        const orr_time a = orr_job_deadline(ctx, line->at[mid]), b = orr_job_deadline(ctx, job);
        if (a > b || (a == b && orr_job_index(line->at[mid]) > orr_job_index(job)))
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static size_t place_best(const orr_line *line, const orr_job *job)
{
    size_t at = line->n;
    while (at && orr_job_index(line->at[at - 1]) > orr_job_index(job))
        at--;
    return at;
}

/* Returns its place. */
static size_t list(orr_ctx *ctx, orr_job *job)
{
    pool *p = pool_of(ctx, job);
    const bool due = orr_job_deadline(ctx, job) != ORR_TIME_NONE;
    orr_line *line = due ? &p->due : &p->best;
    const size_t at = due ? place_due(ctx, line, job) : place_best(line, job);
    orr_line_insert(ctx, line, at, job);
    own_of(ctx, job)->listed = true;
    return at;
}

static void unlist(orr_ctx *ctx, const orr_job *job)
{
    pool *p = pool_of(ctx, job);
    if (!orr_line_remove(&p->due, job))
        orr_line_remove(&p->best, job);
    own_of(ctx, job)->listed = false;
}

static bool admit(orr_ctx *ctx, const orr_job *asked)
{
    orr_job *job = (orr_job *)(uintptr_t)asked; /* the lines keep what plans need */
    pool *p = pool_of(ctx, job);
    if (!set_of(ctx)->admission || orr_job_deadline(ctx, job) == ORR_TIME_NONE)
        return true;
    know(ctx, job);
    own *o = own_of(ctx, job);
    const bool fresh = p->made == orr_now(ctx);
    const size_t at = list(ctx, job);
    for (size_t i = 0; i < p->due.n + p->best.n && !fresh; i++)
        look_at_work(ctx, own_of(ctx, i < p->due.n ? p->due.at[i] : p->best.at[i - p->due.n]));
    look_at_work(ctx, o);
    o->promised = true;
    if (plan_promised(ctx, p, fresh ? at : 0)) {
        adopt(ctx, p);
        return true;
    }
    unlist(ctx, job);
    orr_note_decision(ctx, job, "deadline-not-admitted");
    return false;
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
            list(ctx, job);
        o->held = orr_job_holds(job) ? orr_job_gpus(job) : 0;
        p->dirty = true;
        return;
    case ORR_EV_STARTED:
    case ORR_EV_RESIZED:
    case ORR_EV_MIGRATED:
        took_place(ctx, o, event->kind);
        return;
    case ORR_EV_ENDED:
        unlist(ctx, job);
        break;
    case ORR_EV_SAVING:
        o->saves = true;
        return;
    case ORR_EV_PREEMPTED: /* at once, as it was dealt; or when it has saved */
        p->dirty |= o->saves;
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
    p->dirty = true;
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

/* What it would be with this size from now on: its plan is added to the pool's, nothing is taken. False: it isn't in time, or finds no
 * room. */
static bool try_size(orr_ctx *ctx, pool *p, own *o, int32_t size, orr_outcome *out)
{
    if (o->sizes.gpus[size] - gpus_dealt(o) > p->left)
        return false;
    const orr_demand d = demand_of(ctx, o);
    orr_slots_give(&p->slots, plan_of(p, o), o->count);
    const bool fits = orr_slots_hold(&p->slots, &d, size, &p->plans, out);
    orr_slots_take(&p->slots, plan_of(p, o), o->count);
    return fits;
}

/* Promised nothing and free to go again: it is a matter of the present slot, and of how long it would take. */
static bool try_loosely(orr_ctx *ctx, pool *p, const own *o, int32_t size, orr_outcome *out)
{
    const orr_demand d = demand_of(ctx, o);
    const int32_t gpus = o->sizes.gpus[size];
    if (gpus - gpus_dealt(o) > p->left)
        return false;
    const orr_time delay = gpus == o->held ? d.paying : d.change + (o->held ? d.paying : 0);
    const double takes = orr_time_seconds(delay) + orr_time_seconds(d.work) / o->sizes.speed[size];
    *out = (orr_outcome){.end = orr_time_add(orr_now(ctx), orr_time_from_seconds(takes)), .gpu_time = gpus * takes};
    orr_stretches_add(&p->plans, (orr_stretch){p->slots.first, p->slots.first + 1, gpus});
    return true;
}

static bool try_out(orr_ctx *ctx, pool *p, own *o, int32_t size, orr_outcome *out)
{
    return o->promised || o->steady ? try_size(ctx, p, o, size, out) : try_loosely(ctx, p, o, size, out);
}

static bool raise(orr_ctx *ctx, pool *p, own *o, int32_t size)
{
    const size_t from = p->plans.n;
    orr_outcome out = {0};
    if (!try_out(ctx, p, o, size, &out))
        return false;
    orr_slots_give(&p->slots, plan_of(p, o), o->count);
    orr_slots_take(&p->slots, p->plans.at + from, p->plans.n - from);
    p->left -= o->sizes.gpus[size] - gpus_dealt(o);
    o->size = size;
    o->from = from;
    o->count = p->plans.n - from;
    o->out = out;
    p->steps++;
    return true;
}

/* GPU time that the next size saves for each GPU more; NaN: it can't have it, or isn't done sooner. */
static double gain_of(orr_ctx *ctx, pool *p, own *o)
{
    const size_t from = p->plans.n;
    const int32_t size = o->size + 1;
    orr_outcome out = {0};
    if (size >= o->sizes.count || !try_out(ctx, p, o, size, &out))
        return NAN;
    p->plans.n = from;
    return out.end < o->out.end ? (o->out.gpu_time - out.gpu_time) / (o->sizes.gpus[size] - gpus_dealt(o)) : NAN;
}

static bool before(void *self, const void *a, const void *b)
{
    const own *x = a, *y = b;
    (void)self;
    return x->gain != y->gain ? x->gain > y->gain : x->order < y->order;
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

static void enter(orr_ctx *ctx, pool *p, const orr_line *line, int32_t order)
{
    for (size_t i = 0; i < line->n; i++) {
        own *o = own_of(ctx, line->at[i]);
        o->order = order + (int32_t)i;
        if (o->size >= 0 && !o->steady && ask(ctx, p, o))
            orr_heap_add(ctx, &p->heap, o);
    }
}

/* With each step less is free, and gains change; only the one in front is asked again. */
static void raise_by_gain(orr_ctx *ctx, pool *p)
{
    p->heap.count = 0;
    enter(ctx, p, &p->due, 0);
    enter(ctx, p, &p->best, (int32_t)p->due.n);
    while (p->left > 0 && p->heap.count > 0) {
        own *o = p->heap.at[0];
        if (o->asked == p->steps)
            raise(ctx, p, o, o->size + 1);
        if (ask(ctx, p, o))
            orr_heap_moved(&p->heap, o);
        else
            orr_heap_remove(&p->heap, o);
    }
}

/* What the plan says of now. */
static void deal_planned(orr_ctx *ctx, pool *p, const orr_line *line)
{
    for (size_t i = 0; i < line->n; i++) {
        own *o = own_of(ctx, line->at[i]);
        const orr_stretch *s = plan_of(p, o);
        const bool now = o->count > 0 && s->from <= p->slots.first;
        o->size = now ? size_of(o, s->gpus) : -1;
    }
}

static void deal_first(orr_ctx *ctx, pool *p, const orr_line *line)
{
    for (size_t i = 0; i < line->n; i++) {
        own *o = own_of(ctx, line->at[i]);
        if (o->size < 0 && !is_away(o))
            raise(ctx, p, o, 0);
    }
}

static void deal(orr_ctx *ctx, pool *p)
{
    deal_planned(ctx, p, &p->due);
    deal_planned(ctx, p, &p->best);
    const int32_t free = orr_slots_free(&p->slots, p->slots.first);
    p->left = free > 0 ? free : 0;
    deal_first(ctx, p, &p->due);
    deal_first(ctx, p, &p->best);
    if (p->left > 0)
        raise_by_gain(ctx, p);
}

/* ---- placing ----------------------------------------------------------------------------------------------------- */

/* Would it still be in time if it had to pay for a move? */
static bool may_move(orr_ctx *ctx, const pool *p, const own *o)
{
    orr_outcome out;
    orr_demand d = demand_of(ctx, o);
    if (!o->promised || set_of(ctx)->overhead == 0)
        return true;
    d.due = orr_job_deadline(ctx, o->job);
    d.paying += d.change;
    return orr_slots_follow(&p->slots, &d, plan_of(p, o), o->count, &out);
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

/* Fewer first: who wants more finds what they gave back. Where there is no room a job keeps what it has. */
static void stage_counts(orr_plan *plan, orr_scope scope, const orr_block_ask *asks, size_t n)
{
    for (int more = 0; more < 2; more++)
        for (size_t i = 0; i < n; i++) {
            const orr_alloc *held = orr_plan_held(plan, asks[i].job);
            const int32_t has = held ? orr_alloc_gpus(held) : 0;
            if (asks[i].gpus == has || (asks[i].gpus > has) != more)
                continue;
            if (asks[i].gpus == 0)
                orr_plan_preempt(plan, asks[i].job);
            else
                orr_plan_resize(plan, asks[i].job, asks[i].gpus, scope);
        }
}

/* True: it got what it was dealt. */
static bool look_at_held(const orr_plan *plan, own *o)
{
    const orr_alloc *held = orr_plan_held(plan, o->job);
    o->held = held ? orr_alloc_gpus(held) : 0;
    return o->held == gpus_dealt(o) && (held != NULL) == (o->size >= 0);
}

static bool stage(orr_ctx *ctx, pool *p, orr_plan *plan)
{
    const state *s = orr_state(ctx);
    const size_t all = p->due.n + p->best.n;
    bool placed = true;
    size_t n = 0;
    for (size_t i = 0; i < all; i++)
        ask_for(ctx, p, own_of(ctx, i < p->due.n ? p->due.at[i] : p->best.at[i - p->due.n]), &n);
    if (set_of(ctx)->place == PLACE_BUDDY)
        orr_plan_blocks(plan, p->scope, s->asks, n);
    else
        stage_counts(plan, p->scope, s->asks, n);
    for (size_t i = 0; i < all; i++) {
        own *o = own_of(ctx, i < p->due.n ? p->due.at[i] : p->best.at[i - p->due.n]);
        if (!is_whole(o) && o->size >= 0 && !orr_job_holds(o->job) && !is_away(o))
            orr_plan_start_in(plan, o->job, p->scope);
        placed &= look_at_held(plan, o) || is_away(o);
    }
    return placed;
}

/* The next slot in which the plan says something else than now; or the very next one, where not all found room. */
static void arm(orr_ctx *ctx, const pool *p, uint64_t cookie, bool placed)
{
    int64_t next = placed ? INT64_MAX : p->slots.first + 1;
    for (size_t i = 0; i < p->due.n; i++) {
        const own *o = own_of(ctx, p->due.at[i]);
        const orr_stretch *s = plan_of(p, o);
        if (!o->promised || o->count == 0)
            continue;
        const int64_t changes = s->from > p->slots.first ? s->from : s->to;
        next = changes < next ? changes : next;
    }
    if (next == INT64_MAX)
        orr_disarm(ctx, cookie);
    else
        orr_arm(ctx, cookie, orr_time_mul(p->slots.length, next));
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    state *s = orr_state(ctx);
    for (int32_t i = 0; i < s->count; i++) {
        pool *p = &s->pools[i];
        if (!p->dirty)
            continue;
        p->dirty = false;
        plan_all(ctx, p);
        deal(ctx, p);
        arm(ctx, p, (uint64_t)i, stage(ctx, p, plan));
        p->made = ORR_TIME_NONE;
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
        s->pools[i].dirty = true;
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
        s->pools[i].heap = (orr_heap){.before = before, .place = place_in};
    }
    if (!apart)
        orr_reach_all(ctx);
    return ORR_OK;
}

static void fini(orr_ctx *ctx)
{
    state *s = orr_state(ctx);
    for (int32_t i = 0; i < s->count; i++) {
        orr_slots_fini(&s->pools[i].slots);
        orr_stretches_fini(&s->pools[i].plans);
        orr_stretches_fini(&s->pools[i].next);
    }
}

static const orr_knob knobs[] = {
    {"slot", ORR_KNOB_TIME, offsetof(settings, slot), "60s", "1ms..1h", "plans are made of slots so long"},
    {"admission", ORR_KNOB_BOOL, offsetof(settings, admission), "on", NULL, "reject jobs that can't be done by their deadline"},
    {"overhead", ORR_KNOB_TIME, offsetof(settings, overhead), "0", "0..7d", "plan so much for each start, restore or change of GPUs"},
    {"place", ORR_KNOB_CHOICE, offsetof(settings, place), "buddy", "buddy|counts",
     "aligned blocks, and jobs move for them; or where the placer says, by numbers alone"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "plan each VC by itself, or one for all nodes"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(elasticflow) = {
    .summary = "deadlines kept by elastic jobs: admission by minimum satisfactory shares, then marginal gains",
    .cite = "Gu et al., ElasticFlow, ASPLOS'23",
    .deviations = "decides at once when a job comes or goes, where the simulator waits for a slot to pass; gains are asked anew for the "
                  "job in front only; the executor's restarts after 100 decisions are not modelled, changes cost what the scenario says; "
                  "GPU types are not told apart",
    .needs = ORR_CAP_DEADLINE,
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE, [ORR_Q_LIMIT] = ORR_KNOW_DECLARED, [ORR_Q_SCALING] = ORR_KNOW_PROFILED},
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
