/* Flows that share links: who gets how much, max-min fair.
 *
 * A flow runs over a set of links, and at rate r it puts load * r on each: a collective is one flow with a load a link,
 * and advances at the rate of its slowest member. Classes are strict: a class gets what those before it left. Inside a
 * class rates rise together, in proportion to the weights, until a link of the flow is full or the flow's cap is
 * reached (progressive filling). A cap of 0 holds a flow back: it takes nothing and counts for nobody.
 *
 * Changes mark links; `orr_flows_settle` works out anew only the connected components, by flows that share links of
 * finite capacity, in which something was marked, and reports each flow whose rate moved. Within a component everything
 * is done in the order of the flows' keys and the links' numbers: rates don't depend on the order of changes, not in
 * the last bit. A component of U uses costs O(U log U).
 *
 * With `penalty` p > 0 a link that k flows share carries only k / (k + (k - 1) p) of its capacity in all: what
 * congestion wastes on top of a fair split.
 */
#ifndef ORR_MODEL_FLOWS_H
#define ORR_MODEL_FLOWS_H

#include <orrery/api.h>

typedef struct orr_flow_use {
    int32_t link;
    double load; /* > 0: on the link for each unit of the flow's rate */
} orr_flow_use;

typedef struct orr_flow_rule {
    int32_t rank;  /* of its class: lower ones are served first */
    double weight; /* > 0: its share inside the class */
    double cap;    /* its rate at most; INFINITY: none; 0: held back */
} orr_flow_rule;

typedef struct orr_flows orr_flows;

/* Links are numbered from 0; capacities (> 0, or INFINITY) in units of load. `capacity` is copied. */
orr_flows *orr_flows_create(const double *capacity, int32_t links, double penalty);
void orr_flows_destroy(orr_flows *flows);

/* A new flow over `n` different links, in the order of their numbers. `key` orders flows and must be unique among those
 * alive. Returns its number, which may be used again after its removal. Its rate is -1 until the next settle, which
 * tells of it whatever it gets. */
uint32_t orr_flows_add(orr_flows *flows, uint64_t key, void *owner, const orr_flow_use *uses, int32_t n,
                       orr_flow_rule rule);
void orr_flows_set(orr_flows *flows, uint32_t flow, orr_flow_rule rule);
void orr_flows_remove(orr_flows *flows, uint32_t flow);
void orr_flows_set_capacity(orr_flows *flows, int32_t link, double capacity);

/* Calls `moved` for each flow whose rate is another than before, in the order of their keys. It may mark jobs, but must
 * not change flows. */
void orr_flows_settle(orr_flows *flows, void (*moved)(void *self, void *owner, double rate), void *self);

double orr_flows_rate(const orr_flows *flows, uint32_t flow);
/* The rate of a flow with such uses were it alone and without a cap; INFINITY: nothing limits it. */
double orr_flows_alone(const orr_flows *flows, const orr_flow_use *uses, int32_t n);
/* Do two flows use a link of finite capacity in common? O(uses). */
bool orr_flows_meet(const orr_flows *flows, uint32_t a, uint32_t b);
uint64_t orr_flows_visited(const orr_flows *flows); /* flows worked out so far: counted work */

#endif
