/* Arrivals of one service, pulled one after the other. The stream is the source's own, by the master seed and the
 * service's name; what a request carries is drawn by its number. */
#ifndef ORR_SERVE_SOURCE_H
#define ORR_SERVE_SOURCE_H

#include <orrery/services.h>

typedef struct orr_pull orr_pull; /* a cursor over one source */

typedef struct orr_arrival {
    orr_time at;
    int64_t tokens_in, tokens_out; /* 0: not stated */
    uint64_t input;
    uint8_t class_;
} orr_arrival;

orr_pull *orr_pull_create(const orr_service *service, uint64_t seed);
void orr_pull_destroy(orr_pull *p); /* takes NULL */
/* The next arrival; ORR_TIME_MAX: none, or, of a closed loop, none until somebody is answered. */
orr_time orr_pull_peek(orr_pull *p);
void orr_pull_next(orr_pull *p, orr_arrival *out);
/* Of a closed loop: an answer was given, or a request dropped, at `at`; that client thinks, and asks again. Others:
 * nothing. */
void orr_pull_answered(orr_pull *p, orr_time at);
double orr_pull_rate(const orr_pull *p, orr_time at); /* requests a second, as the source has it then */

#endif
