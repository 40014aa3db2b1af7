/* Two yardsticks for the event queue, in the shapes that simulators commonly have. Both order by (time, sequence),
 * so that all queues of a comparison pop in the same order.
 *
 * indexed: a binary heap of 64-byte tags, and a hash map from handle to heap position that every move of a tag keeps
 * current; events can be found, cancelled and moved by handle. bare:    a 4-ary heap of 16-byte keys and nothing
 * else: no payload, no handle. The least that a heap can do.
 */
#ifndef ORR_BENCH_BASELINE_H
#define ORR_BENCH_BASELINE_H

#include <orrery/time.h>

typedef struct indexed_heap indexed_heap;
indexed_heap *indexed_create(void);
void indexed_destroy(indexed_heap *h);
uint64_t indexed_push(indexed_heap *h, orr_time at, int64_t priority, void *what); /* the handle */
bool indexed_cancel(indexed_heap *h, uint64_t handle);
orr_time indexed_pop(indexed_heap *h, void **what); /* not from an empty heap */

typedef struct bare_heap bare_heap;
bare_heap *bare_create(void);
void bare_destroy(bare_heap *h);
void bare_push(bare_heap *h, orr_time at);
orr_time bare_pop(bare_heap *h);

#endif
