/* What communication costs: the scenario's truth, the same for every policy compared.
 *
 *   none          nothing: every job communicates as fast as it was recorded
 *   alpha-beta    an iteration exchanges its gradient over the links of what the job holds, as if it were alone there
 *   flows         links are shared: each job has a flow for as long as it holds GPUs, max-min fair. An upper bound of
 *                 contention: as if jobs always communicated at the same time
 *   phases        the same, but a flow is there only while its job sends: iterations compute, then send. What jobs do
 *                 to each other depends on when they send. Two events an iteration of each job that communicates
 *
 * Settings, behind commas: `latency=F` times the constants of collective.h (1), `penalty=P` what a link loses to each
 * further flow (0; flows.h), and of phases `stride=N`, N iterations taken as one (1): as many bytes in N times as long
 * messages, for runs in which single iterations would be too many events.
 *
 * Profiles say how many bytes a model exchanges and how long its iteration takes, alone and consolidated. From that the
 * computation is what is left when the communication of the gang on as few nodes as can hold it, widest first, is taken
 * off. A job runs at the ratio of that iteration to the one it has now; without a profile, gradient or second GPU, as
 * recorded.
 */
#ifndef ORR_MODEL_NET_H
#define ORR_MODEL_NET_H

#include "job/life.h"
#include "model/flows.h"
#include "model/profile.h"

#include <orrery/policy.h>
#include <orrery/topology.h>

typedef enum orr_net_kind { ORR_NET_NONE, ORR_NET_ALPHA_BETA, ORR_NET_FLOWS, ORR_NET_PHASES } orr_net_kind;

typedef struct orr_net_model {
    orr_net_kind kind;
    double latency, penalty; /* >= 0 */
    int64_t stride;          /* >= 1 */
} orr_net_model;

/* NULL or "": none. ORR_E_BAD_VALUE. */
orr_err orr_net_parse(const char *text, orr_net_model *out, orr_error *e);
/* The resolved form, which parses back to the same; buf of at least 128. */
void orr_net_format(const orr_net_model *model, char *buf, size_t size);

typedef struct orr_net orr_net;

/* Hears from now on of what jobs of this life hold (orr_life.moved, .links, .marked). `fabric` may be NULL. */
orr_net *orr_net_create(const orr_net_model *model, orr_life *life, const orr_fabric *fabric);
void orr_net_destroy(orr_net *net);

/* How fast a job runs with what it holds, where computation alone would run at `computing`; linear scaling is not in
 * it. */
double orr_net_speed(const orr_net *net, const orr_job *job, double computing);

/* ---- what policies may do ---- */
/* How the job's messages go from now on, until it holds something else. A cap is in bytes of gradient a second; 0 holds
 * them back. One that waits to be let go goes. No effect on a job that has none. */
void orr_net_set_rule(orr_net *net, orr_job *job, orr_flow_rule rule);
/* Its messages wait until they are let go, and ORR_EV_MESSAGE tells of their beginnings and ends: as long as it holds
 * what it holds now. */
void orr_net_watch(orr_net *net, const orr_job *job);

bool orr_net_has_phases(const orr_net *net);
orr_message orr_net_state(const orr_net *net, const orr_job *job);
/* Bytes of gradient of its present message that are still to be sent; 0: none. */
double orr_net_left(const orr_net *net, const orr_job *job);
/* Seconds that a message of this job takes alone with what it holds; 0: it has none. */
double orr_net_alone(const orr_net *net, const orr_job *job);
/* Would messages of the two pass a link in common? */
bool orr_net_meet(const orr_net *net, const orr_job *a, const orr_job *b);
uint64_t orr_net_visited(const orr_net *net); /* flows worked out so far: counted work */

#endif
