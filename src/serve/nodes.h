/* Nodes that fail, that belong to serving, and that are lent: see nodes.c and loans.c. */
#ifndef ORR_SERVE_NODES_H
#define ORR_SERVE_NODES_H

#include "serve/serving.h"

/* ---- nodes.c ---- */
void orr_serving_nodes_begin(orr_serving *s); /* before executors are made */
void orr_serving_nodes_end(orr_serving *s);
orr_cluster *orr_serving_cluster_of(const orr_serving *s, int32_t node); /* in which executors on it are booked */
void orr_serving_node_enter(orr_serving *s, const orr_sv_exec *e);
void orr_serving_node_leave(orr_serving *s, const orr_sv_exec *e);
void orr_serving_exec_take(orr_serving *s, orr_exec_id exec, orr_gone_why why);
/* GPUs of a node of all are lost. O(executors of the node). */
void orr_serving_evict(orr_serving *s, int32_t node, uint64_t gpus);
void orr_serving_house(
    orr_serving *s); /* places executors that wait for room, if there is more of it; O(those that wait) then */
bool orr_serving_hopes(orr_serving *s); /* requests and executors wait for a node to come back */
/* Whatever is the matter with a node has changed. */
void orr_serving_node_beside(orr_serving *s, int32_t node);
bool orr_serving_node_serves(const orr_serving *s, int32_t node); /* ours, here, and takes executors */

/* ---- loans.c ---- */
/* What is done to jobs is done now, although nothing happened to them so far: they have an instant of their own. */
void orr_serving_step_out(orr_serving *s);
/* A lent node comes back; who is on it is interrupted. */
void orr_serving_loan_ends(orr_serving *s, int32_t node);
void orr_serving_loan_due(orr_serving *s, int32_t node); /* its event */

#endif
