/* The life of nodes: which state each is in, why, and what comes next. Every change of state is a row of one table.
 *
 * A node has a wish: what policy or operator want it to do (take jobs, drain, sleep, leave), and losses: reasons for
 * which it is not there, each to be made good on its own. While it is lost it is down; else it goes towards the wish:
 * one that shall sleep or leave drains until nobody holds anything of it. Switching on and off takes time. After a
 * loss a node is as it would have been: one that slept sleeps.
 *
 * It moves the cluster's index (orr_cluster_set_up) and decides nothing: who is on a lost node is thrown out by
 * `evict`. Nodes that nobody ever spoke of cost nothing; a wish that waits for a node to become empty is looked at
 * when the room of that node changes.
 */
#ifndef ORR_CLUSTER_NODELIFE_H
#define ORR_CLUSTER_NODELIFE_H

#include "base/mem.h"
#include "cluster/cluster.h"
#include "engine/queue.h"

#include <orrery/node.h>

typedef enum orr_node_wish { ORR_WISH_TAKE, ORR_WISH_DRAIN, ORR_WISH_SLEEP, ORR_WISH_LEAVE } orr_node_wish;

/* Reasons for which a node is lost that can be there once only; others are counted. */
typedef enum orr_node_loss {
    ORR_LOSS_FAILED = 1, /* it was said to be down, and not yet to be up */
    ORR_LOSS_LENT = 2,   /* it belongs to somebody else for now */
    ORR_LOSS_LEFT = 4,   /* it left when it was empty, as wished */
    ORR_LOSS_OWNED = 8   /* it serves, and isn't lent to jobs */
} orr_node_loss;

typedef struct orr_node_status {
    orr_node_state state;
    orr_node_wish wish;
    int32_t losses;          /* reasons for which it is down */
    unsigned said;           /* which of them are an orr_node_loss: bits */
    uint64_t broken;         /* GPUs that are down on their own */
    uint64_t failed_gpus;    /* of them, those that were said to be down */
    int32_t *gpu_losses;     /* [64] of the others, NULL until there are any */
    orr_event_id transition; /* when it is switched on or off */
    bool listed;             /* among those that wait to become empty */
    int32_t planned;         /* 1 + its place in the plan being made; 0: not in it */
} orr_node_status;

typedef struct orr_nodelife {
    orr_cluster *cluster;
    orr_queue *queue;
    uint32_t kind; /* of the queue events that say that a node is switched on or off; cookie: the node */
    orr_time sleep_time, wake_time;
    orr_node_status *nodes;
    ORR_VEC(int32_t) leaving; /* shall be empty, and aren't */
    uint64_t seen;            /* of the cluster's changes */
    uint64_t wakes, sleeps, losses;
    /* Somebody holds these GPUs of a node, or the whole of it (~0), which is lost: they must go. Called when the index
     * says so already. */
    void (*evict)(void *self, int32_t node, uint64_t gpus);
    /* Its state, or which of its GPUs work, has changed; `was` is the state before. */
    void (*told)(void *self, int32_t node, orr_node_state was);
    void (*clocked)(void *self, int32_t node); /* its GPUs run at another clock */
    bool (*busy)(void *self, int32_t node); /* somebody is on it who holds no GPU */
    /* Reasons, broken GPUs or its wish have changed, whether its state has or not: for whom it serves. NULL: nobody. */
    void (*beside)(void *self, int32_t node);
    void (*noticed)(void *self, int32_t node, orr_time due); /* it will be taken away from jobs then */
    void (*freed)(void *self, int32_t node);  /* who isn't a job has left GPUs of it */
    void *self;
    const orr_time *now;
} orr_nodelife;

/* The callbacks and times are set by the caller. */
void orr_nodelife_init(orr_nodelife *life, orr_cluster *cluster, orr_queue *queue, const orr_time *now, uint32_t kind);
void orr_nodelife_fini(orr_nodelife *life);
orr_node_state orr_nodelife_state(const orr_nodelife *life, int32_t node);

/* What it shall do from now on. */
void orr_nodelife_wish(orr_nodelife *life, int32_t node, orr_node_wish wish);
/* One more reason for which it is lost; or one less. */
void orr_nodelife_lose(orr_nodelife *life, int32_t node);
void orr_nodelife_regain(orr_nodelife *life, int32_t node);
/* It is there, or not there, for this reason; saying it again changes nothing. */
void orr_nodelife_say(orr_nodelife *life, int32_t node, orr_node_loss reason, bool lost);
/* Before anything happens: it is ORR_LOSS_OWNED from the beginning, and nobody is told. */
void orr_nodelife_own(orr_nodelife *life, int32_t node);
/* The same of single GPUs. */
void orr_nodelife_lose_gpus(orr_nodelife *life, int32_t node, uint64_t gpus);
void orr_nodelife_regain_gpus(orr_nodelife *life, int32_t node, uint64_t gpus);
void orr_nodelife_say_gpus(orr_nodelife *life, int32_t node, uint64_t gpus, bool down);

/* Its GPUs run at this point from now on, whatever it does. */
void orr_nodelife_clock(orr_nodelife *life, int32_t node, int32_t point);

/* A queue event of this kind is due. */
void orr_nodelife_dispatch(orr_nodelife *life, const orr_queued *event);
/* Nodes that have become empty go where they were wished: to be called when the changes of an instant are made. True:
 * something changed. O(nodes whose room changed), and nothing while no node is wished away. */
bool orr_nodelife_settle(orr_nodelife *life);

#endif
