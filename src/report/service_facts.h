/* What services need and what their executors can do, for `orrery describe`: ahead of any simulation, from profiles
 * alone. */
#ifndef ORR_REPORT_SERVICE_FACTS_H
#define ORR_REPORT_SERVICE_FACTS_H

#include "base/text.h"
#include <cjson/cJSON.h>
#include <orrery/services.h>

void orr_service_facts_text(const orr_services *services, orr_text *out);
/* An object of schema "orrery.service-facts/1"; to be freed with cJSON_Delete. */
cJSON *orr_service_facts_json(const orr_services *services);

/* The numbers behind both. */

/* Requests a second that come from outside, in the mean; NaN: it depends on the answers (a closed loop). */
double orr_source_mean_rate(const orr_source *source);
typedef struct orr_best_batch {
    int32_t batch;  /* 0: not even one request is answered in time */
    double seconds; /* of that batch */
    double rate;    /* requests a second of one slot that runs such batches one after the other */
} orr_best_batch;

/* The batch of the greatest rate whose own time is within `slo`. Of tokens the means of the source decide: a batch
 * is so many sequences, and `seconds` what one of them takes. */
orr_best_batch orr_profile_best(const orr_variant *variant, const orr_exec_profile *profile, const orr_source *source,
                                orr_time slo);
/* Requests a second. `capacity` is what its executors can answer at best within the tightest SLO, each as if it had them
 * to itself and took its best variant there; 0: none in time. */
typedef struct orr_service_load {
    double rate;       /* asked, from outside and by other services; NaN: it depends on the answers */
    double capacity;
    int64_t executors; /* that host it */
} orr_service_load;

/* One a service; to be freed. */
orr_service_load *orr_service_loads(const orr_services *services);

#endif
