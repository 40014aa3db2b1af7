/* The same services, asked for more or less often, or measured from later on: for --scale-load and --warmup. */
#ifndef ORR_STUDY_SERVICES_SCALED_H
#define ORR_STUDY_SERVICES_SCALED_H

#include <orrery/services.h>

/* Requests come `load` times as often: drawn ones by their rates, recorded ones by their clock; a closed loop keeps its
 * clients. `warm_up` 0: as the services say. All else is shared with `services`, which must live longer. Freed by
 * orr_services_scaled_free. O(services). */
orr_services *orr_services_scaled(const orr_services *services, double load, orr_time warm_up);
void orr_services_scaled_free(orr_services *scaled); /* takes NULL */

#endif
