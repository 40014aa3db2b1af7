/* Inside a cursor: a row of arrivals drawn ahead, and what each process keeps. A process refills the row; it needs
 * not look at `from`, `until` and `limit`.
 *
 * Time of a drawn process is `base` and, beyond it, `along` in nanoseconds as a double: gaps are added without being
 * rounded, and `along` stays small.
 */
#ifndef ORR_SERVE_SOURCE_PARTS_H
#define ORR_SERVE_SOURCE_PARTS_H

#include "serve/draw.h"
#include "serve/source.h"

enum { ORR_PULL_ROW = 64 };

/* A bin whose requests are being laid out. */
typedef struct orr_pull_bin {
    orr_time start, width;
    uint64_t count, done;
    uint64_t draws; /* state of its own stream */
    double x, unit; /* part of the width that is behind; GAMMA: of a gap of mean 1 */
} orr_pull_bin;

/* A Markov chain on the way: the state, how many there were before it, and how much of it is left, in ns. */
typedef struct orr_pull_chain {
    int32_t state;
    uint64_t before;
    double left;
} orr_pull_chain;

/* Where somebody looks at the chain: the state's end, in ns after `from`. */
typedef struct orr_pull_watch {
    orr_pull_chain chain;
    double ends;
} orr_pull_watch;

struct orr_pull {
    const orr_source *source;
    void (*fill)(orr_pull *p); /* puts at[0 .. ready); ready 0: there are no more */
    orr_time at[ORR_PULL_ROW];
    int32_t next, ready;
    uint64_t number, limit; /* requests taken; and at most */
    bool closed;            /* a loop of clients */
    bool plain;             /* requests carry nothing and are of one class */
    bool ended;             /* the row is the last one */
    orr_time last;          /* the latest that was put into a row */

    uint64_t draws; /* state of the stream of arrivals */
    orr_time base;
    double along;

    uint64_t stays, jumps; /* MMPP: keys */
    orr_pull_chain chain;
    orr_pull_watch *watch;

    uint64_t within; /* COUNTS, LIST: key of the bins' streams */
    size_t place;    /* the next bin or record */
    orr_pull_bin bin;
    uint64_t bin_in, bin_out; /* LIST: tokens of the bin */
    bool bin_says_in, bin_says_out;
    int64_t tokens_in, tokens_out; /* LIST: of the one request in the row; -1: not recorded */
    bool known_input;
    uint64_t input;

    orr_time *asks; /* CLOSED: when clients ask next; a heap, the earliest on top */
    int32_t asking, outstanding;
    uint64_t answers, think;
    orr_scattering think_spread;

    double *parts; /* cumulated, of the classes */
    int32_t classes;
    uint64_t class_key, in_key, out_key, input_key;
    orr_scattering in_spread, out_spread;
    orr_zipf inputs;
};

/* ORR_TIME_MAX where it would leave the range. */
orr_time orr_pull_time(orr_time base, double along);
/* t / speed, rounded; t itself at speed 1. Rises with t. */
orr_time orr_pull_scaled(const orr_pull *p, orr_time t);

void orr_pull_poisson(orr_pull *p);
void orr_pull_gamma(orr_pull *p);
void orr_pull_mmpp(orr_pull *p);
void orr_pull_regular(orr_pull *p);
void orr_pull_diurnal(orr_pull *p);
void orr_pull_counts(orr_pull *p);
void orr_pull_list(orr_pull *p);
void orr_pull_closed(orr_pull *p);
/* The state that the chain begins in, by the time spent in each. */
orr_pull_chain orr_pull_chain_start(const orr_pull *p);
void orr_pull_chain_step(const orr_pull *p, orr_pull_chain *chain);
void orr_pull_ask(orr_pull *p, orr_time at); /* CLOSED: a client will ask then */

#endif
