/* Time zones: a fixed offset, or a place whose clock changes, by the system's zone files (TZif, under
 * /usr/share/zoneinfo). Needed where a log holds clock faces without a zone: differences across a change to or from
 * daylight saving time are wrong unless the place is known.
 */
#ifndef ORR_TRACE_ZONE_H
#define ORR_TRACE_ZONE_H

#include <orrery/time.h>

typedef struct orr_zone orr_zone;

/* How often a clock face occurred: when clocks are set back an hour comes twice, when set forward an hour never. */
typedef enum orr_face { ORR_FACE_ONCE, ORR_FACE_TWICE, ORR_FACE_NEVER } orr_face;

/* "UTC", "Z", "+08:00", "-0730", or a name such as "America/Los_Angeles". NULL and `e` (ORR_E_BAD_VALUE) otherwise. */
orr_zone *orr_zone_open(const char *name, orr_error *e);
/* The same from the bytes of a zone file, for tests. */
orr_zone *orr_zone_from_bytes(const char *name, const void *bytes, size_t n, orr_error *e);
void orr_zone_close(orr_zone *zone);
/* Nanoseconds since 1970 in UTC of a clock face. One that came twice is taken the first time, one that never came as if
 * clocks had not been changed yet. O(log changes). */
orr_face orr_zone_utc(const orr_zone *zone, orr_time local, orr_time *utc);
/* Local minus UTC, in minutes, at a time in UTC. */
int32_t orr_zone_offset(const orr_zone *zone, orr_time utc);

#endif
