/* Nodes come and go. Within an instant what is lost and who loses it are told in any order: whether nobody holds what
 * doesn't work is asked when the instant is over. */
#include "verify/proof.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t all_gpus(const machine *m)
{
    return m->kind->gpus == 64 ? UINT64_MAX : ((uint64_t)1 << m->kind->gpus) - 1;
}

static uint32_t name_of(proof *p, const char *state)
{
    return orr_names_id(p->names, state, strlen(state));
}

void orr_nodes_make(proof *p)
{
    p->gpus_up = orr_xcalloc((size_t)p->pool_count + 1, sizeof *p->gpus_up);
    p->up_since = ORR_TIME_NONE;
    p->gpus_up[0] = p->gpus;
    for (int32_t v = 0; v < p->pool_count; v++)
        p->gpus_up[1 + v] = p->pool_gpus[v];
    for (int64_t i = 0; i < p->nodes; i++) {
        p->machines[i].up = all_gpus(&p->machines[i]);
        p->machines[i].takes = true;
        p->machines[i].state = name_of(p, "up");
    }
}

void orr_nodes_fini(proof *p)
{
    free(p->gpus_up);
    ORR_VEC_FREE(&p->changed_machines);
    ORR_VEC_FREE(&p->losses);
}

static int bits(uint64_t mask)
{
    int n = 0;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

/* ---- what there was ---------------------------------------------------------------------------------------------- */

static orr_time within(const proof *p, orr_time t)
{
    t = t < p->first_submit ? p->first_submit : t;
    return t < p->lower ? p->lower : t > p->upper ? p->upper : t;
}

void orr_nodes_sum(proof *p, orr_time at)
{
    if (p->first_submit != ORR_TIME_NONE && at > p->up_since) {
        const orr_wide span = (orr_wide)within(p, at) - within(p, p->up_since);
        for (int32_t v = 0; v <= p->pool_count; v++)
            p->sums[v].there += span * p->gpus_up[v];
    }
    p->up_since = at;
}

/* ---- a node changes ---------------------------------------------------------------------------------------------- */

static void touch(proof *p, int32_t node)
{
    if (p->machines[node].changed)
        return;
    p->machines[node].changed = true;
    ORR_VEC_PUSH(&p->changed_machines, node);
}

/* Whoever saved on GPUs that are lost doesn't block them any more. */
static void forget_savers(proof *p, const machine *m, uint64_t lost)
{
    for (int gpu = 0; gpu < m->kind->gpus; gpu++)
        if (lost >> gpu & 1)
            p->cards[m->first + gpu].blocked = ORR_TIME_NONE;
}

void orr_step_node(proof *p, const orr_log_record *r)
{
    char name[64];
    if (r->node >= p->nodes) {
        orr_proof_finds(p, RULE_NODE, NULL, "node %d is %s, and there are %" PRId64, r->node, r->state, p->nodes);
        return;
    }
    machine *m = &p->machines[r->node];
    orr_booked_node_name(p, r->node, name, sizeof name);
    if (r->up & ~all_gpus(m))
        orr_proof_finds(p, RULE_NODE, name, "GPUs of it work that this node of %d GPUs doesn't have", m->kind->gpus);
    orr_nodes_sum(p, p->now);
    const uint64_t up = r->up & all_gpus(m);
    const int more = bits(up) - bits(m->up);
    p->gpus_up[0] += more;
    if (m->pool >= 0) /* a quota stays what it is */
        p->gpus_up[1 + m->pool] += more;
    m->lost = m->up & ~up || !m->kind->gpus ? p->now : m->lost;
    if (up || strncmp(r->state, "down", 4) == 0)
        forget_savers(p, m, m->up & ~up);
    m->up = up;
    m->takes = r->takes;
    m->state = name_of(p, r->state);
    touch(p, r->node);
}

/* ---- a job loses its GPUs with one ------------------------------------------------------------------------------- */

static bool is_on(const live *l, int32_t node)
{
    for (size_t i = 0; i < l->slices.n; i++)
        if (l->slices.at[i].node == node)
            return true;
    return false;
}

void orr_step_interrupt(proof *p, live *l, const orr_log_record *r)
{
    if (r->node >= p->nodes || !is_on(l, r->node))
        orr_proof_finds(p, RULE_UP, NULL, "it is interrupted for node %d, of which it holds nothing", r->node);
    else
        ORR_VEC_PUSH(&p->losses, ((loss){r->node, l->f->id, 1}));
    if (orr_hold_due(p, l) < p->now)
        orr_proof_finds(p, RULE_WORK, NULL, "it is interrupted when its work was done");
    orr_step_take_back(p, l, r);
    orr_hold_release(p, l, p->now, "interrupted");
    orr_booked_give(p, l);
    l->f->interruptions++;
    p->counts.interruptions++;
    l->f->stage = WAITING;
    l->wait_since = p->now;
    l->slices.n = 0;
}

void orr_nodes_expect_loss(proof *p, const live *l)
{
    for (size_t i = 0; i < l->slices.n; i++)
        ORR_VEC_PUSH(&p->losses, ((loss){l->slices.at[i].node, l->f->id, l->slices.n - i}));
}

/* ---- may they be given? ------------------------------------------------------------------------------------------ */

/* A node that takes no new jobs leaves those that it has what they hold. */
void orr_nodes_check(proof *p, const live *l, const orr_log_slice *s)
{
    char name[64];
    const machine *m = &p->machines[s->node];
    uint64_t may = m->takes ? m->up : 0;
    bool own = false;
    for (size_t i = 0; i < l->slices.n; i++)
        if (l->slices.at[i].node == s->node) {
            may |= l->slices.at[i].gpus & m->up;
            own = true;
        }
    if (!(s->gpus & ~may) && (s->gpus || m->takes || own))
        return;
    orr_booked_node_name(p, s->node, name, sizeof name);
    orr_proof_finds(p, RULE_UP, name, "it is given GPUs that don't work or a place on a node that takes no jobs: %s",
                    orr_names_text(p->names, m->state));
}

/* ---- an instant is over ------------------------------------------------------------------------------------------ */

static void check_guests(proof *p, int32_t node)
{
    char name[64];
    const machine *m = &p->machines[node];
    for (uint64_t mask = all_gpus(m) & ~m->up; mask; mask &= mask - 1) {
        const int gpu = bits((mask & (~mask + 1)) - 1);
        if (!p->cards[m->first + gpu].used)
            continue;
        orr_booked_gpu_name(p, node, gpu, name, sizeof name);
        orr_proof_finds(p, RULE_UP, name, "it doesn't work any more, and a job holds it");
    }
    if (m->kind->gpus || !m->guests || strcmp(orr_names_text(p->names, m->state), "down") != 0)
        return;
    orr_booked_node_name(p, node, name, sizeof name);
    orr_proof_finds(p, RULE_UP, name, "it is down, and a job is on it");
}

static void check_loss(proof *p, const loss *l)
{
    bool lost = false;
    for (size_t i = 0; i < l->group; i++)
        lost |= p->machines[l[i].node].lost == p->now;
    p->job = l->job;
    if (!lost)
        orr_proof_finds(p, RULE_UP, NULL, "it loses what it had on node %d, which lost nothing", l->node);
}

void orr_nodes_settle(proof *p)
{
    const char *job = p->job;
    p->job = NULL;
    for (size_t i = 0; i < p->changed_machines.n; i++) {
        check_guests(p, p->changed_machines.at[i]);
        p->machines[p->changed_machines.at[i]].changed = false;
    }
    for (size_t i = 0; i < p->losses.n; i += p->losses.at[i].group)
        check_loss(p, &p->losses.at[i]);
    p->changed_machines.n = p->losses.n = 0;
    p->job = job;
}
