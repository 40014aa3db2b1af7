/* Bookings: the plans of many on the same slots (slots.h), and a second set of them on trial beside the present one.
 *
 *     orr_bookings_try(b, now, length, gpus);          nobody has anything yet
 *     for everybody: orr_bookings_fill or orr_bookings_keep
 *     if it didn't work out: orr_bookings_drop(b);     as if nothing had happened
 *
 * All functions act on the set that was begun last and not dropped. Plain functions of numbers: nothing here knows of a
 * simulation.
 */
#ifndef ORRERY_BOOKINGS_H
#define ORRERY_BOOKINGS_H

#include <orrery/slots.h>

/* Somebody's plan in both sets. Zeroed memory: none in either. The members are the library's. */
typedef struct orr_booking {
    struct {
        uint64_t set;
        size_t from, count;
        orr_outcome out;
    } in[2];
} orr_booking;

/* Zeroed memory: nobody has anything, and before the first try there are no slots. */
typedef struct orr_bookings {
    orr_slots slots[2];
    orr_stretches plans[2];
    uint64_t set[2], sets; /* a plan is there if it is of this set */
    int which;
} orr_bookings;

ORR_BEGIN

/* Another set, with so many GPUs in each slot from now on; the present one is the former one then. O(1). */
ORR_API void orr_bookings_try(orr_bookings *b, orr_time now, orr_time length, int32_t gpus);
ORR_API void orr_bookings_drop(orr_bookings *b); /* the former set is the present one again; once a try */
ORR_API void orr_bookings_fini(orr_bookings *b);

ORR_API const orr_slots *orr_bookings_slots(const orr_bookings *b);
ORR_API bool orr_bookings_reach(const orr_bookings *b, orr_time now); /* is this the slot in which the set was begun? */
ORR_API void orr_bookings_advance(orr_bookings *b, orr_time now);     /* within that slot */

/* The next four are for who has a plan, or none: what it had is given back, unless it finds no room (false). Each costs
 * what the functions of slots.h cost that they stand for. */
ORR_API bool orr_bookings_fill(orr_bookings *b, orr_booking *k, const orr_demand *d); /* orr_slots_fill */
ORR_API bool orr_bookings_hold(orr_bookings *b, orr_booking *k, const orr_demand *d, int32_t size);
ORR_API void orr_bookings_put(orr_bookings *b, orr_booking *k, orr_stretch stretch, const orr_outcome *out);
ORR_API void orr_bookings_clear(orr_bookings *b, orr_booking *k);
/* What holding this size would come to; nothing changes. */
ORR_API bool orr_bookings_ask(orr_bookings *b, orr_booking *k, const orr_demand *d, int32_t size, orr_outcome *out);
/* As the former set has it, as far as there is room and, with `d`, if it is done in time so. */
ORR_API bool orr_bookings_keep(orr_bookings *b, orr_booking *k, const orr_demand *d);

/* orr_slots_follow */
ORR_API bool orr_bookings_follow(const orr_bookings *b, const orr_booking *k, const orr_demand *d);
ORR_API bool orr_bookings_has(const orr_bookings *b, const orr_booking *k);
ORR_API orr_outcome orr_bookings_outcome(const orr_bookings *b, const orr_booking *k); /* zeros: it has none */
/* GPUs that it has in the present slot; -1: it has no plan, or one that begins later. */
ORR_API int32_t orr_bookings_now(const orr_bookings *b, const orr_booking *k);
/* The slot, later than this one, in which its plan says something else for the first time; INT64_MAX: it has none. */
ORR_API int64_t orr_bookings_change(const orr_bookings *b, const orr_booking *k);

ORR_END
#endif
