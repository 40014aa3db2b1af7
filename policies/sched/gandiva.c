/* gandiva: introspection. Nobody waits outside: a job is given a home, and where a home has more jobs than GPUs, its
 * jobs take turns.
 *
 *   home       nodes are grouped by the size of the jobs they take (1, 2, 3-4, 5-8, …): the least loaded node of the group that
 *              has GPUs left; else a free node, which joins the group; else the least loaded of the group, which then has too many
 *   turns      each `quantum`, on a node where somebody is suspended, those that ran go to the end of its ring, and the ring is
 *              given GPUs from its head on; who gets none is suspended
 *   packing    where somebody is suspended, he joins a running job of his size on the same GPUs, if neither keeps a GPU busier
 *              than `pack_util`. After `window` their measured speeds are looked at: below `pack_keep` in all, they part again
 *   migration  when GPUs of a home are idle, a suspended job of the most crowded node moves in. For a gang that is wider than
 *              any node, nodes are emptied by moving their jobs into the gaps of others
 *   growing    while nobody is suspended or waits, jobs that can be resized take the idle GPUs of their home, those that came
 *              first before others; they give them back when somebody waits there, or is suspended anywhere
 *
 * Gangs wider than a node, parts of GPUs and jobs without GPUs have no home: the placer starts them, in the order in
 * which they came, whoever fits. Source: Xiao et al., Gandiva, OSDI'18, sections 4 and 5. */
#include <orrery/policy.h>

#include <string.h>

typedef struct settings {
    orr_time quantum, window;
    bool pack, migrate, grow;
    double pack_util, pack_keep;
} settings;

typedef struct own { /* by job */
    int32_t home;      /* node; -1: none */
    orr_job *partner;  /* whom it shares its GPUs with */
    uint32_t refused;  /* 1 + index of the job with which it didn't get on, the last time */
    int32_t failures;  /* of trials */
    bool guest;        /* it came to its partner */
    bool part;         /* the trial is over, and it failed */
} own;

typedef struct home { /* a node */
    orr_line ring;
    int32_t gpus, demand; /* that it has; that its jobs ask */
    int32_t group;        /* of sizes; -1: none */
    size_t suspended;     /* of its jobs, when it was last looked at */
    bool dirty, turn;     /* it is to be looked at; the next are due */
} home;

typedef struct state {
    home *homes;
    int32_t nodes;
    orr_line arrivals, homeless; /* no home yet; started by the placer */
    orr_line trials, scratch;    /* hosts on trial */
    orr_line grown;              /* that have more than they asked */
    int32_t *dirty, dirty_count;
    size_t suspended;        /* jobs with a home that hold nothing */
    bool ticking, gap;       /* turns are under way; emptying nodes may help where it did not before */
} state;

enum { TURN = 0, TRIAL = 1 };  /* cookies; the latter + the host's index */
enum { MOST_FAILURES = 3 };    /* then a job isn't tried any more */

static own *of(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_state_of(ctx, job);
}

static void touch(orr_ctx *ctx, int32_t node)
{
    state *st = orr_state(ctx);
    if (!st->homes[node].dirty)
        st->dirty[st->dirty_count++] = node;
    st->homes[node].dirty = true;
}

/* ---- homes ------------------------------------------------------------------------------------------------------- */

static int32_t group_of(int32_t gpus)
{
    int32_t group = 0;
    while ((1 << group) < gpus)
        group++;
    return group;
}

static bool may_live(orr_ctx *ctx, const orr_job *job, int32_t node)
{
    const int64_t cpus = orr_node_cpus(ctx, node), mem = orr_node_mem(ctx, node);
    return orr_job_gpus(job) <= orr_node_gpus(ctx, node) && orr_node_vc(ctx, node) == orr_job_vc(job) &&
           orr_node_suits(ctx, job, node) && (!cpus || orr_job_cpu_milli(job) <= 1000 * cpus) &&
           (!mem || orr_job_mem(job) <= mem);
}

static bool is_better(const home *h, const home *best)
{
    return !best || (int64_t)h->demand * best->gpus < (int64_t)best->demand * h->gpus;
}

/* One pass over the nodes an arrival, as the source's scheduler: it was made for hundreds of servers. */
static int32_t choose_home(orr_ctx *ctx, const orr_job *job)
{
    state *st = orr_state(ctx);
    const int32_t group = group_of(orr_job_gpus(job)), gpus = orr_job_gpus(job);
    const home *roomy = NULL, *crowded = NULL, *any = NULL, *empty = NULL;
    for (int32_t i = 0; i < st->nodes; i++) {
        const home *h = &st->homes[i];
        if (!may_live(ctx, job, i))
            continue;
        if (h->group == group && h->demand + gpus <= h->gpus && is_better(h, roomy))
            roomy = h;
        if (h->group == group && is_better(h, crowded))
            crowded = h;
        if (h->demand == 0 && !empty && orr_node_room(ctx, job, i) >= gpus)
            empty = h;
        if (is_better(h, any))
            any = h;
    }
    const home *best = roomy ? roomy : empty ? empty : crowded ? crowded : any;
    return best ? (int32_t)(best - st->homes) : -1;
}

static void move_in(orr_ctx *ctx, orr_job *job, int32_t node)
{
    state *st = orr_state(ctx);
    home *h = &st->homes[node];
    of(ctx, job)->home = node;
    if (h->group < 0)
        h->group = group_of(orr_job_gpus(job));
    h->demand += orr_job_gpus(job);
    touch(ctx, node);
    orr_line_add(ctx, &h->ring, job);
}

static void move_out(orr_ctx *ctx, orr_job *job)
{
    home *h = &((state *)orr_state(ctx))->homes[of(ctx, job)->home];
    orr_line_remove(&h->ring, job);
    h->demand -= orr_job_gpus(job);
    touch(ctx, of(ctx, job)->home);
    if (h->ring.n == 0)
        h->group = -1;
    of(ctx, job)->home = -1;
}

/* ---- who runs ---------------------------------------------------------------------------------------------------- */

static bool can_start(orr_plan *plan, const orr_job *job)
{
    return orr_job_state_now(job) == ORR_JOB_QUEUED && !orr_plan_held(plan, job);
}

static bool start_at(orr_plan *plan, orr_job *job, int32_t node)
{
    orr_alloc *out = orr_plan_alloc(plan);
    return !orr_alloc_take(out, plan, node, orr_job_gpus(job)) && !orr_plan_try_assign(plan, job, out);
}

static void part(orr_ctx *ctx, orr_job *job)
{
    own *o = of(ctx, job);
    if (!o->partner)
        return;
    own *p = of(ctx, o->partner);
    orr_job *host = o->guest ? o->partner : job;
    if (orr_line_remove(&((state *)orr_state(ctx))->trials, host))
        orr_disarm(ctx, TRIAL + orr_job_index(host));
    o->partner = p->partner = NULL;
    o->guest = p->guest = o->part = p->part = false;
}

/* Those that ran stand behind the others from now on, both in their order. */
static void turn_ring(orr_ctx *ctx, orr_plan *plan, home *h)
{
    orr_line *behind = &((state *)orr_state(ctx))->scratch;
    size_t left = 0;
    behind->n = 0;
    for (size_t i = 0; i < h->ring.n; i++) {
        if (orr_plan_held(plan, h->ring.at[i]))
            orr_line_add(ctx, behind, h->ring.at[i]);
        else
            h->ring.at[left++] = h->ring.at[i];
    }
    if (behind->n)
        memcpy(h->ring.at + left, behind->at, behind->n * sizeof *behind->at);
}

/* A guest leaves with its host. */
static void suspend(orr_ctx *ctx, orr_plan *plan, orr_job *job)
{
    orr_job *partner = of(ctx, job)->partner;
    const bool goes_along = partner && !of(ctx, job)->guest && orr_plan_held(plan, partner) && orr_job_preemptible(partner);
    part(ctx, job);
    orr_plan_preempt(plan, job);
    if (goes_along)
        orr_plan_preempt(plan, partner);
    else if (partner && orr_plan_held(plan, partner))
        orr_plan_reshare(plan, partner, 1000);
}

/* What the jobs of a home can have: idle GPUs and those that they hold themselves, without what must stay. */
static int32_t gpus_to_give(orr_ctx *ctx, orr_plan *plan, const home *h)
{
    int32_t left = 0;
    for (uint64_t m = orr_node_free_gpus(ctx, (int32_t)(h - ((state *)orr_state(ctx))->homes)); m; m &= m - 1)
        left++;
    for (size_t i = 0; i < h->ring.n; i++) {
        const orr_job *job = h->ring.at[i];
        if (orr_plan_held(plan, job) && !of(ctx, job)->guest && orr_job_preemptible(job))
            left += orr_job_gpus(job);
    }
    return left;
}

/* Everybody's turn: from the head on, as far as the GPUs go; the others leave. */
static void next_turn(orr_ctx *ctx, orr_plan *plan, home *h)
{
    int32_t left = gpus_to_give(ctx, plan, h);
    turn_ring(ctx, plan, h);
    for (size_t i = 0; i < h->ring.n; i++) {
        orr_job *job = h->ring.at[i];
        const bool held = orr_plan_held(plan, job) != NULL;
        if (of(ctx, job)->guest || (held ? !orr_job_preemptible(job) : !can_start(plan, job)))
            continue;
        if (orr_job_gpus(job) <= left)
            left -= orr_job_gpus(job);
        else if (held)
            suspend(ctx, plan, job);
    }
}

static void fill(orr_plan *plan, const home *h, int32_t node)
{
    for (size_t i = 0; i < h->ring.n; i++)
        if (can_start(plan, h->ring.at[i]))
            start_at(plan, h->ring.at[i], node);
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

static bool is_light(orr_ctx *ctx, const orr_job *job)
{
    const double util = orr_job_gpu_util(ctx, job);
    return util >= 0 && util <= ((const settings *)orr_knobs(ctx))->pack_util && of(ctx, job)->failures < MOST_FAILURES;
}

static bool may_pack(orr_ctx *ctx, orr_plan *plan, const orr_job *guest, const orr_job *host)
{
    return host != guest && orr_plan_held(plan, host) && !of(ctx, host)->partner &&
           orr_job_gpus(host) == orr_job_gpus(guest) && of(ctx, guest)->refused != orr_job_index(host) + 1 &&
           of(ctx, host)->refused != orr_job_index(guest) + 1 && is_light(ctx, host);
}

static void pack(orr_ctx *ctx, orr_plan *plan, orr_job *guest, const home *h)
{
    const settings *s = orr_knobs(ctx);
    for (size_t i = 0; i < h->ring.n; i++) {
        orr_job *host = h->ring.at[i];
        if (!may_pack(ctx, plan, guest, host) || orr_plan_join(plan, guest, host) != ORR_OK)
            continue;
        of(ctx, guest)->partner = host;
        of(ctx, host)->partner = guest;
        of(ctx, guest)->guest = true;
        orr_line_add(ctx, &((state *)orr_state(ctx))->trials, host);
        orr_arm(ctx, TRIAL + orr_job_index(host), orr_time_add(orr_now(ctx), s->window));
        orr_note_decision(ctx, guest, "packed");
        return;
    }
}

static void pack_home(orr_ctx *ctx, orr_plan *plan, const home *h)
{
    for (size_t i = 0; i < h->ring.n; i++)
        if (can_start(plan, h->ring.at[i]) && is_light(ctx, h->ring.at[i]))
            pack(ctx, plan, h->ring.at[i], h);
}

/* The guest goes; the host has its GPUs for itself again. */
static void unpack_failed(orr_ctx *ctx, orr_plan *plan, home *h)
{
    for (size_t i = 0; i < h->ring.n; i++) {
        orr_job *job = h->ring.at[i], *host = of(ctx, job)->partner;
        if (!of(ctx, job)->part || !of(ctx, job)->guest || !orr_plan_held(plan, job) || !orr_job_preemptible(job))
            continue;
        of(ctx, job)->refused = orr_job_index(host) + 1;
        of(ctx, host)->refused = orr_job_index(job) + 1;
        of(ctx, job)->failures++;
        of(ctx, host)->failures++;
        suspend(ctx, plan, job);
        orr_note_decision(ctx, job, "unpacked");
    }
}

/* Who was left by a partner that ended has the GPUs for itself. */
static void make_whole(orr_ctx *ctx, orr_plan *plan, const home *h)
{
    for (size_t i = 0; i < h->ring.n; i++) {
        const orr_alloc *held = orr_plan_held(plan, h->ring.at[i]);
        if (held && !of(ctx, h->ring.at[i])->partner && orr_alloc_milli(held) < 1000 * (int64_t)orr_alloc_gpus(held))
            orr_plan_reshare(plan, h->ring.at[i], 1000);
    }
}

/* ---- growing ----------------------------------------------------------------------------------------------------- */

/* Those of a home, or of all (-1), have what they asked again. */
static void shrink(orr_ctx *ctx, orr_plan *plan, int32_t node)
{
    state *st = orr_state(ctx);
    size_t left = 0;
    for (size_t i = 0; i < st->grown.n; i++) {
        orr_job *job = st->grown.at[i];
        const int32_t lives = of(ctx, job)->home;
        if ((node >= 0 && lives != node) ||
            orr_plan_resize(plan, job, orr_job_gpus(job), (orr_scope){.vc = orr_job_vc(job)}) != ORR_OK)
            st->grown.at[left++] = job;
        else
            touch(ctx, lives);
    }
    st->grown.n = left;
}

static void grow(orr_ctx *ctx, orr_plan *plan, int32_t node)
{
    state *st = orr_state(ctx);
    for (size_t i = 0; i < st->homes[node].ring.n; i++) {
        orr_job *job = st->homes[node].ring.at[i];
        const orr_alloc *held = of(ctx, job)->partner ? NULL : orr_plan_held(plan, job);
        const int32_t has = held ? orr_alloc_gpus(held) : 0, room = has ? orr_node_room(ctx, job, node) : 0;
        const int32_t most = orr_job_max_gpus(job) < has + room ? orr_job_max_gpus(job) : has + room;
        if (most <= has || orr_plan_resize(plan, job, most, (orr_scope){.vc = orr_job_vc(job)}) != ORR_OK)
            continue;
        if (has == orr_job_gpus(job))
            orr_line_add(ctx, &st->grown, job);
        orr_note_decision(ctx, job, "grown");
    }
}

static bool somebody_waits(orr_plan *plan, const home *h)
{
    for (size_t i = 0; i < h->ring.n; i++)
        if (can_start(plan, h->ring.at[i]))
            return true;
    return false;
}

/* ---- migration --------------------------------------------------------------------------------------------------- */

/* A suspended job that fits into what is idle on `to`, of the most crowded node that has one. O(nodes), when somebody
 * is suspended and GPUs of a home became idle. */
static orr_job *suspended_for(orr_ctx *ctx, orr_plan *plan, int32_t to)
{
    state *st = orr_state(ctx);
    const home *most = NULL;
    orr_job *found = NULL;
    for (int32_t i = 0; i < st->nodes; i++) {
        const home *h = &st->homes[i];
        if (i == to || h->demand <= h->gpus || (most && !is_better(most, h)))
            continue;
        for (size_t k = 0; k < h->ring.n; k++) {
            orr_job *job = h->ring.at[k];
            if (!can_start(plan, job) || !may_live(ctx, job, to) || orr_node_room(ctx, job, to) < orr_job_gpus(job))
                continue;
            most = h;
            found = job;
            break;
        }
    }
    return found;
}

static void invite(orr_ctx *ctx, orr_plan *plan, int32_t node)
{
    state *st = orr_state(ctx);
    home *h = &st->homes[node];
    orr_job *job;
    while (h->demand < h->gpus && (job = suspended_for(ctx, plan, node)) != NULL && start_at(plan, job, node)) {
        move_out(ctx, job);
        move_in(ctx, job, node);
        orr_note_decision(ctx, job, "moved to idle GPUs");
    }
}

/* The fullest other home of its own VC with a gap for it. */
static int32_t gap_for(orr_ctx *ctx, const orr_job *job, int32_t from)
{
    const state *st = orr_state(ctx);
    const orr_scope scope = {.vc = orr_job_vc(job)};
    for (int32_t free = orr_job_gpus(job); free < orr_scope_widest(ctx, scope); free++)
        for (int32_t node = -1; (node = orr_node_with_free(ctx, scope, free, node)) >= 0;)
            if (node != from && st->homes[node].demand + orr_job_gpus(job) <= st->homes[node].gpus &&
                may_live(ctx, job, node) && orr_node_room(ctx, job, node) >= orr_job_gpus(job))
                return node;
    return -1;
}

/* Moves every job of a node into gaps of others, or none. */
static bool empty_node(orr_ctx *ctx, orr_plan *plan, int32_t node)
{
    home *h = &((state *)orr_state(ctx))->homes[node];
    const uint32_t mark = orr_plan_mark(plan);
    int32_t to[ORR_LIST_MAX];
    const size_t n = h->ring.n;
    if (n == 0 || n > ORR_LIST_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        orr_job *job = h->ring.at[i];
        const bool moves = orr_job_state_now(job) == ORR_JOB_RUNNING && orr_job_preemptible(job) && !of(ctx, job)->partner;
        to[i] = moves && orr_plan_held(plan, job) ? gap_for(ctx, job, node) : -1;
        if (to[i] < 0 || !start_at(plan, job, to[i])) {
            orr_plan_undo(plan, mark);
            return false;
        }
    }
    for (size_t i = 0; i < n; i++) {
        orr_job *job = h->ring.at[0];
        move_out(ctx, job);
        move_in(ctx, job, to[i]);
        orr_note_decision(ctx, job, "moved to make room");
    }
    return true;
}

/* Empties nodes, the least loaded first, until the gang fits or none can be emptied. */
static bool make_room(orr_ctx *ctx, orr_plan *plan, orr_job *job)
{
    state *st = orr_state(ctx);
    for (int32_t load = 1; load < orr_scope_widest(ctx, (orr_scope){.vc = orr_job_vc(job)}); load++)
        for (int32_t i = 0; i < st->nodes; i++)
            if (st->homes[i].demand == load && orr_node_vc(ctx, i) == orr_job_vc(job) && empty_node(ctx, plan, i) &&
                orr_plan_start(plan, job) == ORR_OK)
                return true;
    return false;
}

/* ---- one decision ------------------------------------------------------------------------------------------------ */

static void find_homes(orr_ctx *ctx)
{
    state *st = orr_state(ctx);
    for (size_t i = 0; i < st->arrivals.n; i++) {
        orr_job *job = st->arrivals.at[i];
        const bool whole = orr_job_gpus(job) > 0 && orr_job_gpu_milli(job) == 1000;
        const int32_t node = whole ? choose_home(ctx, job) : -1;
        if (node < 0)
            orr_line_add(ctx, &st->homeless, job);
        else
            move_in(ctx, job, node);
        st->gap |= node < 0;
    }
    st->arrivals.n = 0;
}

static void start_homeless(orr_ctx *ctx, orr_plan *plan)
{
    const settings *s = orr_knobs(ctx);
    state *st = orr_state(ctx);
    size_t left = 0;
    for (size_t i = 0; i < st->homeless.n; i++) {
        orr_job *job = st->homeless.at[i];
        const bool first = left == 0; /* nodes are emptied for the first that doesn't fit only */
        const bool moves = first && s->migrate && st->gap && orr_job_gpu_milli(job) == 1000 && orr_job_gpus(job) > 0;
        if (!can_start(plan, job) || (orr_plan_start(plan, job) != ORR_OK && !(moves && make_room(ctx, plan, job))))
            st->homeless.at[left++] = job;
    }
    st->homeless.n = left;
    st->gap = false;
}

static size_t recount(orr_ctx *ctx, orr_plan *plan, home *h)
{
    state *st = orr_state(ctx);
    st->suspended -= h->suspended;
    h->suspended = 0;
    for (size_t i = 0; i < h->ring.n; i++)
        h->suspended += !orr_plan_held(plan, h->ring.at[i]);
    st->suspended += h->suspended;
    return h->suspended;
}

static void look_after(orr_ctx *ctx, orr_plan *plan, int32_t node)
{
    const settings *s = orr_knobs(ctx);
    state *st = orr_state(ctx);
    home *h = &st->homes[node];
    if (st->grown.n && somebody_waits(plan, h))
        shrink(ctx, plan, node);
    unpack_failed(ctx, plan, h);
    make_whole(ctx, plan, h);
    if (h->turn && recount(ctx, plan, h))
        next_turn(ctx, plan, h);
    h->turn = false;
    fill(plan, h, node);
    if (s->pack)
        pack_home(ctx, plan, h);
    recount(ctx, plan, h);
}

/* Homes in which nothing has happened aren't looked at. */
static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    const settings *s = orr_knobs(ctx);
    state *st = orr_state(ctx);
    find_homes(ctx);
    int32_t looked_at = st->dirty_count;
    for (int32_t i = 0; i < looked_at; i++)
        look_after(ctx, plan, st->dirty[i]);
    if (st->suspended || st->homeless.n)
        shrink(ctx, plan, -1);
    looked_at = st->dirty_count;
    start_homeless(ctx, plan);
    for (int32_t i = 0; s->migrate && st->suspended && i < looked_at; i++)
        invite(ctx, plan, st->dirty[i]);
    for (int32_t i = 0; s->grow && !st->suspended && !st->homeless.n && i < looked_at; i++)
        grow(ctx, plan, st->dirty[i]);
    for (int32_t i = 0; i < st->dirty_count; i++) {
        recount(ctx, plan, &st->homes[st->dirty[i]]);
        st->homes[st->dirty[i]].dirty = false;
    }
    st->dirty_count = 0;
    if (!st->suspended || st->ticking)
        return ORR_OK;
    st->ticking = true;
    return orr_arm(ctx, TURN, orr_time_add(orr_now(ctx), s->quantum));
}

/* ---- what happens ------------------------------------------------------------------------------------------------ */

static void forget(state *st, const own *o, const orr_job *job)
{
    if (o->home < 0 && !orr_line_remove(&st->arrivals, job))
        orr_line_remove(&st->homeless, job);
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    state *st = orr_state(ctx);
    own *o = of(ctx, job);
    switch (event->kind) {
    case ORR_EV_SUBMITTED:
        o->home = -1;
        orr_line_add(ctx, &st->arrivals, job);
        break;
    case ORR_EV_STARTED:
        forget(st, o, job); /* by the start state */
        break;
    case ORR_EV_PREEMPTED:
    case ORR_EV_RETRIED:
    case ORR_EV_INTERRUPTED:
        part(ctx, job);
        orr_line_remove(&st->grown, job);
        if (o->home >= 0 && event->kind == ORR_EV_INTERRUPTED)
            move_out(ctx, job);
        if (o->home >= 0)
            touch(ctx, o->home);
        else
            orr_line_add(ctx, &st->arrivals, job);
        break;
    case ORR_EV_ENDED:
        part(ctx, job);
        orr_line_remove(&st->grown, job);
        if (o->home >= 0)
            move_out(ctx, job);
        forget(st, o, job);
        st->gap = true;
        break;
    default:
        break;
    }
}

/* A trial's end: who get less done together than one would alone, part. One that pays costs has shown nothing yet:
 * false. */
static bool end_trial(orr_ctx *ctx, orr_job *host)
{
    const settings *s = orr_knobs(ctx);
    orr_job *guest = of(ctx, host)->partner;
    const double x = orr_job_rate(ctx, host), y = orr_job_rate(ctx, guest);
    if (x <= 0 || y <= 0) {
        orr_arm(ctx, TRIAL + orr_job_index(host), orr_time_add(orr_now(ctx), s->window));
        return false;
    }
    if (x + y >= s->pack_keep)
        return true;
    of(ctx, guest)->part = true;
    touch(ctx, of(ctx, guest)->home);
    return true;
}

/* Once a quantum all nodes are looked at for those with more jobs than GPUs. */
static void begin_turns(orr_ctx *ctx)
{
    state *st = orr_state(ctx);
    st->ticking = false;
    for (int32_t i = 0; i < st->nodes; i++) {
        if (!st->homes[i].suspended)
            continue;
        st->homes[i].turn = true;
        touch(ctx, i);
    }
}

static void on_timer(orr_ctx *ctx, uint64_t cookie)
{
    state *st = orr_state(ctx);
    if (cookie == TURN) {
        begin_turns(ctx);
        return;
    }
    for (size_t i = 0; i < st->trials.n; i++) {
        orr_job *host = st->trials.at[i];
        if (orr_job_index(host) + TRIAL != cookie)
            continue;
        if (end_trial(ctx, host))
            orr_line_remove(&st->trials, host);
        return;
    }
}

static void on_node(orr_ctx *ctx, int32_t node, const orr_event *event)
{
    if (node >= 0 && event->kind == ORR_EV_NODE_UP)
        touch(ctx, node);
}

static orr_err init(orr_ctx *ctx)
{
    state *st = orr_state(ctx);
    st->nodes = orr_cluster_nodes(ctx);
    st->homes = orr_alloc_memory(ctx, (size_t)st->nodes * sizeof *st->homes);
    st->dirty = orr_alloc_memory(ctx, (size_t)st->nodes * sizeof *st->dirty);
    for (int32_t i = 0; i < st->nodes; i++)
        st->homes[i] = (home){.gpus = orr_node_gpus(ctx, i), .group = -1};
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"quantum", ORR_KNOB_TIME, offsetof(settings, quantum), "60s", "0.001..inf", "length of a turn"},
    {"pack", ORR_KNOB_BOOL, offsetof(settings, pack), "on", NULL, "suspended jobs may join running ones on trial"},
    {"pack_util", ORR_KNOB_NUMBER, offsetof(settings, pack_util), "0.6", "0..1", "only jobs that keep a GPU no busier than this"},
    {"pack_keep", ORR_KNOB_NUMBER, offsetof(settings, pack_keep), "1", "0..inf", "they stay together from this sum of speeds on"},
    {"window", ORR_KNOB_TIME, offsetof(settings, window), "60s", "0.001..inf", "how long a trial lasts"},
    {"migrate", ORR_KNOB_BOOL, offsetof(settings, migrate), "on", NULL, "suspended jobs move to idle GPUs, and nodes are emptied"},
    {"grow", ORR_KNOB_BOOL, offsetof(settings, grow), "on", NULL, "jobs that can be resized take idle GPUs of their node"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(gandiva) = {
    .summary = "turns on oversubscribed nodes, packing on trial, migration, growing into idle GPUs",
    .cite = "Xiao et al., Gandiva, OSDI'18",
    .deviations = "gangs wider than a node wait for free nodes instead of taking turns; jobs are chosen for packing by their "
                  "profiled utilisation",
    .know = {[ORR_Q_PROFILE] = ORR_KNOW_PROFILED, [ORR_Q_RATE] = ORR_KNOW_OBSERVED},
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .init = init,
    .on_job = on_job,
    .on_timer = on_timer,
    .on_node = on_node,
    .schedule = schedule,
};
