#include "cluster/nodelife.h"

#include "base/assert.h"

#include <stdlib.h>

/* ---- the table: which changes are legal, and why ---------------------------------------------------------------- */

typedef enum cause { DRAIN, RESUME, SLEEP, SLEPT, WAKE, WOKEN, LOSE, REGAIN } cause;

static const struct {
    orr_node_state from, to;
    cause why;
} legal[] = {
    {ORR_NODE_UP, ORR_NODE_DRAINING, DRAIN},
    {ORR_NODE_DRAINING, ORR_NODE_UP, RESUME},
    {ORR_NODE_UP, ORR_NODE_FALLING_ASLEEP, SLEEP},
    {ORR_NODE_DRAINING, ORR_NODE_FALLING_ASLEEP, SLEEP},
    {ORR_NODE_FALLING_ASLEEP, ORR_NODE_ASLEEP, SLEPT},
    {ORR_NODE_ASLEEP, ORR_NODE_WAKING, WAKE},
    {ORR_NODE_WAKING, ORR_NODE_UP, WOKEN},
    {ORR_NODE_UP, ORR_NODE_DOWN, LOSE},
    {ORR_NODE_DRAINING, ORR_NODE_DOWN, LOSE},
    {ORR_NODE_FALLING_ASLEEP, ORR_NODE_DOWN, LOSE},
    {ORR_NODE_ASLEEP, ORR_NODE_DOWN, LOSE},
    {ORR_NODE_WAKING, ORR_NODE_DOWN, LOSE},
    {ORR_NODE_DOWN, ORR_NODE_UP, REGAIN},
    {ORR_NODE_DOWN, ORR_NODE_DRAINING, REGAIN},
    {ORR_NODE_DOWN, ORR_NODE_ASLEEP, REGAIN},
};

static bool is_legal(orr_node_state from, orr_node_state to, cause why)
{
    for (size_t i = 0; i < sizeof legal / sizeof *legal; i++)
        if (legal[i].from == from && legal[i].to == to && legal[i].why == why)
            return true;
    return false;
}

const char *orr_node_state_name(orr_node_state state)
{
    static const char *const names[ORR_NODE_STATES] = {"up", "draining", "falling-asleep", "asleep", "waking", "down"};
    return (unsigned)state < ORR_NODE_STATES ? names[state] : "?";
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

/* The index follows the state. */
static void show(orr_nodelife *l, int32_t node)
{
    const orr_node_status *s = &l->nodes[node];
    bool there = s->state == ORR_NODE_UP || s->state == ORR_NODE_DRAINING;
    orr_cluster_set_up(l->cluster, node, there ? l->cluster->nodes[node].all & ~s->broken : 0, s->state == ORR_NODE_UP);
}

static void move_to(orr_nodelife *l, int32_t node, orr_node_state to, cause why)
{
    orr_node_status *s = &l->nodes[node];
    orr_node_state was = s->state;
    ORR_ASSERT(is_legal(was, to, why), "a node changed state in a way that its life doesn't know");
    s->state = to;
    show(l, node);
    if (to == ORR_NODE_DOWN) {
        l->losses++;
        l->evict(l->self, node, ~(uint64_t)0);
    }
    l->told(l->self, node, was);
}

static void heard(const orr_nodelife *l, int32_t node)
{
    if (l->beside)
        l->beside(l->self, node);
}

static bool is_empty(const orr_nodelife *l, int32_t node)
{
    const orr_node *n = &l->cluster->nodes[node];
    return n->idle == n->all && !l->busy(l->self, node);
}

static void schedule(orr_nodelife *l, int32_t node, orr_time delay)
{
    l->nodes[node].transition = orr_queue_add(l->queue, &(orr_queued){.at = orr_time_add(*l->now, delay),
                                                                      .class_ = ORR_CLASS_CAPACITY,
                                                                      .kind = l->kind,
                                                                      .cookie = (uint64_t)node});
}

/* It waits until it is empty: then settle() lets it go on. */
static void list(orr_nodelife *l, int32_t node)
{
    orr_node_status *s = &l->nodes[node];
    if (s->listed)
        return;
    s->listed = true;
    orr_cluster_watch(l->cluster);
    ORR_VEC_PUSH(&l->leaving, node);
}

static void fall_asleep(orr_nodelife *l, int32_t node)
{
    l->sleeps++;
    move_to(l, node, ORR_NODE_FALLING_ASLEEP, SLEEP);
    schedule(l, node, l->sleep_time);
}

static void leave(orr_nodelife *l, int32_t node)
{
    l->nodes[node].said |= ORR_LOSS_LEFT;
    l->nodes[node].losses++;
    move_to(l, node, ORR_NODE_DOWN, LOSE);
    heard(l, node);
}

/* One that is up or drains goes towards its wish. */
static void go_on(orr_nodelife *l, int32_t node)
{
    orr_node_status *s = &l->nodes[node];
    if (s->wish == ORR_WISH_TAKE && s->state == ORR_NODE_DRAINING)
        move_to(l, node, ORR_NODE_UP, RESUME);
    if (s->wish == ORR_WISH_TAKE)
        return;
    bool goes = s->wish != ORR_WISH_DRAIN;
    if (goes && is_empty(l, node)) {
        if (s->wish == ORR_WISH_SLEEP)
            fall_asleep(l, node);
        else
            leave(l, node);
        return;
    }
    if (s->state == ORR_NODE_UP)
        move_to(l, node, ORR_NODE_DRAINING, DRAIN);
    if (goes)
        list(l, node);
}

static bool wants_to_be_on(const orr_node_status *s)
{
    return s->wish == ORR_WISH_TAKE || s->wish == ORR_WISH_DRAIN;
}

/* Whatever state it is in, it does what brings it nearer to its wish; what takes time goes on when that is over. */
static void pursue(orr_nodelife *l, int32_t node)
{
    orr_node_status *s = &l->nodes[node];
    if (s->state == ORR_NODE_UP || s->state == ORR_NODE_DRAINING) {
        go_on(l, node);
    } else if (s->state == ORR_NODE_ASLEEP && wants_to_be_on(s)) {
        l->wakes++;
        move_to(l, node, ORR_NODE_WAKING, WAKE);
        schedule(l, node, l->wake_time);
    } else if (s->state == ORR_NODE_ASLEEP && s->wish == ORR_WISH_LEAVE) {
        leave(l, node);
    }
}

void orr_nodelife_dispatch(orr_nodelife *l, const orr_queued *event)
{
    int32_t node = (int32_t)event->cookie;
    orr_node_status *s = &l->nodes[node];
    s->transition = 0;
    if (s->state == ORR_NODE_FALLING_ASLEEP)
        move_to(l, node, ORR_NODE_ASLEEP, SLEPT);
    else
        move_to(l, node, ORR_NODE_UP, WOKEN);
    pursue(l, node);
}

/* ---- wishes ------------------------------------------------------------------------------------------------------ */

/* One that has left comes back before anything else is asked of it. */
void orr_nodelife_wish(orr_nodelife *l, int32_t node, orr_node_wish wish)
{
    l->nodes[node].wish = wish;
    if (wish != ORR_WISH_LEAVE)
        orr_nodelife_say(l, node, ORR_LOSS_LEFT, false);
    pursue(l, node);
    heard(l, node);
}

/* ---- losses ------------------------------------------------------------------------------------------------------ */

void orr_nodelife_lose(orr_nodelife *l, int32_t node)
{
    orr_node_status *s = &l->nodes[node];
    if (s->losses++ == 0) {
        orr_queue_cancel(l->queue, s->transition);
        s->transition = 0;
        move_to(l, node, ORR_NODE_DOWN, LOSE);
    }
    heard(l, node);
}

static void come_back(orr_nodelife *l, int32_t node)
{
    static const orr_node_state back[] = {[ORR_WISH_TAKE] = ORR_NODE_UP,
                                          [ORR_WISH_DRAIN] = ORR_NODE_DRAINING,
                                          [ORR_WISH_SLEEP] = ORR_NODE_ASLEEP,
                                          [ORR_WISH_LEAVE] = ORR_NODE_ASLEEP};
    move_to(l, node, back[l->nodes[node].wish], REGAIN);
    pursue(l, node);
}

void orr_nodelife_regain(orr_nodelife *l, int32_t node)
{
    orr_node_status *s = &l->nodes[node];
    if (s->losses == 0)
        return;
    s->losses--;
    if (s->losses == 0)
        come_back(l, node);
    heard(l, node);
}

void orr_nodelife_say(orr_nodelife *l, int32_t node, orr_node_loss reason, bool lost)
{
    orr_node_status *s = &l->nodes[node];
    if (((s->said & reason) != 0) == lost)
        return;
    s->said ^= (unsigned)reason;
    if (lost)
        orr_nodelife_lose(l, node);
    else
        orr_nodelife_regain(l, node);
}

void orr_nodelife_own(orr_nodelife *l, int32_t node)
{
    orr_node_status *s = &l->nodes[node];
    s->said |= ORR_LOSS_OWNED;
    s->losses++;
    s->state = ORR_NODE_DOWN;
    show(l, node);
}

/* ---- losses of single GPUs --------------------------------------------------------------------------------------- */

static void set_broken(orr_nodelife *l, int32_t node, uint64_t broken)
{
    orr_node_status *s = &l->nodes[node];
    uint64_t lost = broken & ~s->broken;
    if (broken == s->broken)
        return;
    s->broken = broken;
    show(l, node);
    bool there = s->state == ORR_NODE_UP || s->state == ORR_NODE_DRAINING;
    if (lost && there)
        l->evict(l->self, node, lost);
    if (there)
        l->told(l->self, node, s->state);
    heard(l, node);
}

/* What is broken follows from the reasons. */
static void count_gpu_losses(orr_nodelife *l, int32_t node)
{
    const orr_node_status *s = &l->nodes[node];
    uint64_t broken = s->failed_gpus;
    for (int g = 0; s->gpu_losses && g < ORR_NODE_MAX_GPUS; g++)
        broken |= s->gpu_losses[g] > 0 ? (uint64_t)1 << g : 0;
    set_broken(l, node, broken & l->cluster->nodes[node].all);
}

static void add_gpu_losses(orr_nodelife *l, int32_t node, uint64_t gpus, int32_t n)
{
    orr_node_status *s = &l->nodes[node];
    if (!s->gpu_losses)
        s->gpu_losses = orr_xcalloc(ORR_NODE_MAX_GPUS, sizeof *s->gpu_losses);
    for (uint64_t m = gpus; m; m &= m - 1)
        if (s->gpu_losses[orr_lowest_bit(m)] + n >= 0)
            s->gpu_losses[orr_lowest_bit(m)] += n;
    count_gpu_losses(l, node);
}

void orr_nodelife_lose_gpus(orr_nodelife *l, int32_t node, uint64_t gpus)
{
    add_gpu_losses(l, node, gpus, 1);
}

void orr_nodelife_regain_gpus(orr_nodelife *l, int32_t node, uint64_t gpus)
{
    add_gpu_losses(l, node, gpus, -1);
}

void orr_nodelife_say_gpus(orr_nodelife *l, int32_t node, uint64_t gpus, bool down)
{
    orr_node_status *s = &l->nodes[node];
    s->failed_gpus = down ? s->failed_gpus | gpus : s->failed_gpus & ~gpus;
    count_gpu_losses(l, node);
}

/* ---- becoming empty ---------------------------------------------------------------------------------------------- */

/* It may be ready now; those that wait no longer leave the list in settle(). */
static void look_at(void *self, int32_t node)
{
    orr_nodelife *l = self;
    const orr_node_status *s = &l->nodes[node];
    if (s->listed && s->state == ORR_NODE_DRAINING && !wants_to_be_on(s) && is_empty(l, node))
        go_on(l, node);
}

static bool still_waits(const orr_node_status *s)
{
    return s->state == ORR_NODE_DRAINING && !wants_to_be_on(s);
}

bool orr_nodelife_settle(orr_nodelife *l)
{
    size_t before = l->leaving.n, left = 0;
    if (!before)
        return false;
    uint64_t sleeps = l->sleeps, losses = l->losses;
    if (!orr_cluster_changes(l->cluster, &l->seen, look_at, l))
        for (size_t i = 0; i < before; i++)
            look_at(l, l->leaving.at[i]);
    if (l->sleeps == sleeps && l->losses == losses)
        return false;
    for (size_t i = 0; i < l->leaving.n; i++) {
        int32_t node = l->leaving.at[i];
        l->nodes[node].listed = still_waits(&l->nodes[node]);
        if (l->nodes[node].listed)
            l->leaving.at[left++] = node;
    }
    l->leaving.n = left;
    if (!left)
        l->seen = UINT64_MAX; /* the next one that waits begins with a look at all */
    return true;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

void orr_nodelife_init(orr_nodelife *l, orr_cluster *cluster, orr_queue *queue, const orr_time *now, uint32_t kind)
{
    *l = (orr_nodelife){.cluster = cluster, .queue = queue, .now = now, .kind = kind, .seen = UINT64_MAX};
    l->nodes = orr_xcalloc((size_t)cluster->count + 1, sizeof *l->nodes);
}

void orr_nodelife_fini(orr_nodelife *l)
{
    for (int32_t i = 0; l->nodes && i < l->cluster->count; i++)
        free(l->nodes[i].gpu_losses);
    free(l->nodes);
    ORR_VEC_FREE(&l->leaving);
    *l = (orr_nodelife){0};
}

orr_node_state orr_nodelife_state(const orr_nodelife *l, int32_t node)
{
    return l->nodes[node].state;
}

void orr_nodelife_clock(orr_nodelife *l, int32_t node, int32_t point)
{
    orr_node *n = &l->cluster->nodes[node];
    if (n->clock == point)
        return;
    n->clock = point;
    l->clocked(l->self, node);
}
