/* A service's result cache: what a variant said to an input, kept for others who ask the same.
 *
 * Who asks what is being worked out already waits for that answer and shares its fate. What is kept is least recently
 * used, by second chance (ORR_CACHE_CLOCK), or least by a module's score.
 */
#ifndef ORR_SERVE_CACHE_H
#define ORR_SERVE_CACHE_H

#include "serve/journeys.h"

struct orr_sv_cache *orr_serving_cache_create(const orr_service *spec); /* NULL: it has none */
void orr_serving_cache_destroy(struct orr_sv_cache *c);                 /* takes NULL */
/* True: it was found, or waits for another's answer. False: it is to be worked out, as the record says (miss_at). */
bool orr_serving_cache_ask(orr_serving *s, orr_sv_service *v, uint8_t *record, orr_variant_id variant);
/* Of a record that was answered or dropped: if others waited for it, they are as well. */
void orr_serving_cache_answered(orr_serving *s, orr_sv_service *v, const uint8_t *record, const orr_sv_answer *answer);
void orr_serving_cache_dropped(orr_serving *s, orr_sv_service *v, const uint8_t *record, orr_drop_why why, orr_time at);

#endif
