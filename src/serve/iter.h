/* Replicas that work by tokens: continuous batching at the granularity of iterations.
 *
 * An executor runs one *set* of members, requests of one replica, in its only slot. Each iteration processes prompt
 * tokens of those whose prompt isn't done, and makes one token for each of the others, all together: prompts are mixed
 * with who decodes. It takes base + per_prompt * (prompt tokens in it) + per_running * (members that decode) +
 * per_context * (tokens that these hold), times the noise of the set's oldest member. The iteration in which a prompt
 * ends makes its first token. With a chunk, prompt tokens are taken in the order of admission, so many an iteration at
 * most; reading a prompt's earlier chunks again costs nothing here.
 *
 * Memory: a member holds its prompt and what it made, and needs room for one token more before each iteration; the
 * whole prompt is reserved when it is admitted. Where that doesn't fit for all, the newest goes back to the head of its
 * queue, and when it comes again prompt and made tokens are processed anew, as a prompt. What could never fit is
 * dropped as LOST.
 *
 * Who joins is decided between iterations, by `step` of the batcher; without one the set is what `form` took (one
 * request, without a batcher), and nobody joins until all of them are answered. A boundary at which nothing has come,
 * gone, or been asked for needs no decision: iterations of equal membership are one event. Their ends are known in
 * closed form, to the same ns however many of them are looked at; who comes or asks meanwhile cuts the row at its next
 * boundary. O(members) an event.
 *
 * A central queue is open to all its replicas that have room: who is idle first, then whose iteration ends next. An
 * arrival there costs O(replicas that have room).
 *
 * Sources: Yu et al., Orca (OSDI 2022), iteration-level scheduling; Kwon et al., vLLM (SOSP 2023), preemption by
 * recomputing; Agrawal et al., Sarathi-Serve (OSDI 2024), chunks.
 */
#ifndef ORR_SERVE_ITER_H
#define ORR_SERVE_ITER_H

#include "serve/serving.h"

enum { ORR_SV_BEGAN = 1 }; /* of a request's flags: it was in a set before */

struct orr_sv_iter {
    bool on;               /* the slot holds a set */
    bool closed;           /* nobody joins it */
    bool room;             /* an arrival could */
    bool changed;          /* since the row was worked out */
    /* another variant has waited longer, and none joins; or a policy threw one out: the next boundary is looked at */
    bool crowded;
    int64_t chunk;         /* of the present iteration; 0: whole prompts */
    int64_t held;          /* tokens, by all members */
    /* of the row: seconds of the first iteration at rate 1, and by how much each is longer than the one before */
    double first, more;
    double done;           /* of the row's work, at the slot's `since` */
    int64_t count;         /* iterations until a member ends, or memory is full */
    int64_t passed, until; /* booked; at whose end the event is */
    uint8_t *gone;         /* records of those that end together */
    size_t gone_room;
};

static inline bool orr_serving_iter_on(const orr_sv_exec *e)
{
    return e->iter && e->iter->on;
}

static inline bool orr_serving_iter_room(const orr_sv_exec *e)
{
    return e->iter && e->iter->room;
}

bool orr_serving_iter_steps(const orr_serving *s, const orr_sv_replica *r); /* its set is `step`'s, not `form`'s */
/* A new set of what a form takes. False: nothing runs. */
bool orr_serving_iter_start(orr_serving *s, orr_exec_id exec, const orr_form *f, orr_sv_queue *q);
void orr_serving_iter_done(orr_serving *s, orr_exec_id exec); /* its event */
/* at the end of an instant in which something happened to it */
void orr_serving_iter_form(orr_serving *s, orr_exec_id exec);
void orr_serving_iter_rate(orr_serving *s, orr_exec_id exec, double rate);
void orr_serving_iter_settle(orr_serving *s, orr_exec_id exec); /* iterations that have ended by now are booked */
void orr_serving_iter_lost(orr_serving *s, orr_exec_id exec);   /* the set is: its members' caches are gone */
/* Something waits in the central queue: all that run and have room look at it, and as many of the idle as wait.
 * `except`: not this one. */
void orr_serving_iter_rouse(orr_serving *s, orr_variant_id variant, orr_exec_id except);
void orr_serving_iter_destroy(struct orr_sv_iter *it); /* takes NULL */

/* ---- form.c, for it ---- */
double orr_serving_factor(const orr_serving *s, const orr_sv_replica *r, int32_t size, uint32_t number);
orr_sv_queue *orr_serving_first_queue(orr_serving *s, const orr_sv_exec *e, orr_replica_id *replica);
orr_form orr_serving_fill(orr_serving *s, const orr_sv_queue *q, orr_replica_id replica);
void orr_serving_drop_heads(orr_serving *s, orr_sv_queue *q, int32_t n, orr_drop_why why);
void orr_serving_tell_done(orr_serving *s, orr_sv_exec *e, orr_sv_slot *slot, uint32_t stride);
void orr_serving_schedule_end(orr_serving *s, const orr_sv_exec *e, uint32_t place);

#endif
