/* Queueing theory in closed form: what a service does in the long run, by formula instead of by simulation.
 *
 * For policies that size or choose by a formula (Model-Switching, Erlang C), and as a second opinion on the engine.
 * Rates are in requests a second, times in seconds, offered loads in erlangs (rate times service time). Arrivals are
 * Poisson, queues first come first served and without limit, unless said otherwise. Plain functions, O(1) unless
 * said otherwise; sound for thousands of servers: sums are recurrences without differences.
 *
 * Where more comes in than can be served there is no long run: waits, responses and numbers are INFINITY then, busy
 * and delayed are 1. Rates are >= 0 and times > 0.
 */
#ifndef ORRERY_QUEUEING_H
#define ORRERY_QUEUEING_H

#include <orrery/api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- how long service takes ---- */

/* Two moments of a random time: all that mean waits depend on with one server. */
typedef struct orr_moments {
    double mean, square; /* seconds, seconds^2 */
} orr_moments;

ORR_BEGIN

/* Of mean and coefficient of variation (standard deviation / mean): 0 constant, 1 exponential, 1/sqrt(k) Erlang-k. */
ORR_API orr_moments orr_moments_of(double mean, double cv);
/* `part[i]` of the requests take seconds[i] exactly; the parts sum to 1. */
ORR_API orr_moments orr_moments_mix(const double *part, const double *seconds, size_t n);

ORR_END

/* ---- servers and one queue ---- */

/* The long run. Means are of the requests that were let in. */
typedef struct orr_long_run {
    double busy;     /* part of the servers' time */
    double delayed;  /* part of the requests that wait at all */
    double lost;     /* part of all requests that is turned away */
    double wait, response;      /* mean, seconds */
    double waiting, in_system;  /* mean numbers; in_system with those in service */
} orr_long_run;

ORR_BEGIN

/* M/G/1 (Pollaczek and Khinchine). */
ORR_API orr_long_run orr_mg1(double rate, orr_moments service);
/* M/M/c: `servers` >= 1, each serving `each` requests a second. O(servers). */
ORR_API orr_long_run orr_mmc(double rate, double each, int32_t servers);
/* M/M/c/K: no more than `room` (>= servers) in the system, waiting or served; who comes then is turned away. Any load.
 * O(room). With room = servers it is Erlang's loss system, whose losses are the same for all laws of service. */
ORR_API orr_long_run orr_mmck(double rate, double each, int32_t servers, int64_t room);

/* Erlang B: part of the requests that finds all of `servers` (>= 0) busy where nobody waits. O(servers). */
ORR_API double orr_erlang_b(double load, int32_t servers);
/* Erlang C: part that has to wait in M/M/c; 1 where load >= servers. O(servers). */
ORR_API double orr_erlang_c(double load, int32_t servers);

/* Of M/M/c: the part that waits longer than `seconds` (>= 0); the part that is answered within `seconds`; the wait
 * and the response that the part `q` (0..1) stays within. O(servers). */
ORR_API double orr_mmc_wait_over(double rate, double each, int32_t servers, double seconds);
ORR_API double orr_mmc_within(double rate, double each, int32_t servers, double seconds);
ORR_API double orr_mmc_wait_quantile(double rate, double each, int32_t servers, double q);
ORR_API double orr_mmc_quantile(double rate, double each, int32_t servers, double q);

/* The least number of servers with which at most the part `q` (> 0) waits longer than `seconds`; -1: more than 2^30.
 * O(the answer). */
ORR_API int32_t orr_mmc_servers(double rate, double each, double seconds, double q);

ORR_END

/* ---- other ways to serve ---- */

typedef struct orr_load_class {
    double rate;
    orr_moments service;
} orr_load_class;

ORR_BEGIN

/* One server, classes by static priority, the first goes first. `preempts`: a request is interrupted by one of a
 * higher class and goes on later; else only those that wait are overtaken. response[i] and wait[i], either may be
 * NULL; preempted requests' wait is response - service. INFINITY from the class on with which there is more than can
 * be served. O(n). */
ORR_API void orr_priorities(const orr_load_class *classes, size_t n, bool preempts, double *wait, double *response);
/* One server shared evenly by all who are there, whatever the law of service: the mean response of a request that
 * takes so many seconds alone. */
ORR_API double orr_shared_response(double rate, double mean, double seconds);
/* Constant times in a row of stages, each with a queue: only the slowest makes anybody wait. Mean response. O(n). */
ORR_API double orr_pipeline_response(double rate, const double *stages, size_t n);

ORR_END

/* Service in batches: whenever the server is free and somebody waits it takes min(waiting, most) at once, for
 * seconds[size - 1]. */
typedef struct orr_bulk {
    double busy;
    double batch;     /* mean size */
    double response;  /* mean, seconds */
    double in_system; /* mean number */
} orr_bulk;

ORR_BEGIN

/* M/D(b)/1, from the chain at ends of batches; rounding alone separates it from the truth. False, and nothing set: more
 * comes in than can be served (rate * seconds[most - 1] >= most), or so nearly that the chain would need more than
 * ORR_BULK_STATES states. O(states * most * (arrivals in a batch)). */
enum { ORR_BULK_STATES = 1 << 14 };
ORR_API bool orr_bulk_service(double rate, const double *seconds, int32_t most, orr_bulk *out);

ORR_END

/* ---- arrivals ---- */

/* Renewal arrivals with Gamma gaps. */
typedef struct orr_gamma_gaps {
    double shape, scale;    /* scale in seconds */
    double mean, deviation; /* of a gap, seconds */
} orr_gamma_gaps;

/* Poisson arrivals of rates[i] while in state i, which is left leaves[i] times a second. */
typedef struct orr_mmpp2 {
    double rates[2], leaves[2]; /* leaves > 0 */
} orr_mmpp2;

typedef struct orr_mmpp2_moments {
    double part[2];    /* of the time in each state */
    double rate;       /* mean, requests a second */
    double dispersion; /* limit of variance / mean of the count in a long window */
    double gap;        /* mean, seconds */
    double gap_scv;    /* squared coefficient of variation of the gaps */
} orr_mmpp2_moments;

ORR_BEGIN

ORR_API orr_gamma_gaps orr_gamma_gaps_of(double rate, double cv); /* both > 0 */
ORR_API orr_mmpp2_moments orr_mmpp2_moments_of(const orr_mmpp2 *process);

ORR_END

/* ---- caches, votes, codes ---- */

ORR_BEGIN

/* Hit ratio of an LRU cache that holds `room` of n objects of one size, each request asking object i with the part
 * popularity[i] independently of the others (they need not sum to 1), by Che's approximation. 1 if room >= n. O(n). */
ORR_API double orr_lru_hits(const double *popularity, size_t n, double room);
/* The same where the i-th of n objects is asked in proportion to 1 / i^exponent. */
ORR_API double orr_lru_hits_zipf(int64_t n, double exponent, double room);

/* Condorcet: the majority of `voters` who are right independently, each with probability `right`, is right; an even
 * number's ties are decided by a coin. The optimistic bound for ensembles. */
ORR_API double orr_majority_right(int32_t voters, double right);

/* ParM: of a group of k answers and one parity each is missing independently with probability `missing`. The
 * probability that an answer is lost: it is missing, and so is another one of its group. */
ORR_API double orr_parity_lost(int32_t k, double missing);

ORR_END
#endif
