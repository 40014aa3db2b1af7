/* The event queue: what happens next.
 *
 * Order is (time, class, sequence): the class fixes the order of kinds within an instant, the sequence counts
 * insertions, so that ties never depend on the heap's shape. Add, cancel and move by handle are O(log n); peek is O(1).
 * A 4-ary heap whose 16-byte keys lie four children to a cache line; payloads stay put in slots, the heap moves keys
 * and slot numbers only. Handles carry a generation, so that a stale one is recognised and refused.
 */
#ifndef ORR_ENGINE_QUEUE_H
#define ORR_ENGINE_QUEUE_H

#include <orrery/time.h>

/* Classes in the order they are dealt with inside an instant. */
typedef enum orr_class {
    ORR_CLASS_END,       /* completions, failures, ends of saving: free resources */
    ORR_CLASS_CAPACITY,  /* delays paid, nodes up or down */
    ORR_CLASS_SUBMIT,
    ORR_CLASS_THRESHOLD,
    ORR_CLASS_TIMER,
    ORR_CLASS_DECIDE     /* rounds and ticks */
} orr_class;

typedef uint64_t orr_event_id; /* 0: none */

typedef struct orr_queued {
    orr_time at;
    orr_class class_;
    uint32_t kind;   /* the owner's */
    void *what;
    uint64_t cookie;
} orr_queued;

typedef struct orr_queue orr_queue;

orr_queue *orr_queue_create(void);
void orr_queue_destroy(orr_queue *q);
orr_event_id orr_queue_add(orr_queue *q, const orr_queued *event);
/* False: the handle is stale (fired, cancelled) or 0. */
bool orr_queue_cancel(orr_queue *q, orr_event_id id);
/* Moves to another time, behind what is already there in its class. False: stale. */
bool orr_queue_move(orr_queue *q, orr_event_id id, orr_time at);
/* The earliest event, NULL if none; borrowed until the next change. */
const orr_queued *orr_queue_peek(const orr_queue *q);
bool orr_queue_pop(orr_queue *q, orr_queued *out);
size_t orr_queue_count(const orr_queue *q);
uint64_t orr_queue_compares(const orr_queue *q); /* key comparisons so far: counted work */

#endif
