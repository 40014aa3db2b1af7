/* What synthetic traces are drawn from: one form for the published shapes (synth_shapes.c) and for what was measured in
 * a trace (synth_fit.c). A class is a size together with what comes with it; a law says how long its jobs take and how
 * they end.
 */
#ifndef ORR_TRACE_SYNTH_MODEL_H
#define ORR_TRACE_SYNTH_MODEL_H

#include "base/mem.h"
#include "trace/civil.h"
#include <orrery/synth.h>

enum { SYNTH_PARTS = 7, SYNTH_KNOTS = 97, SYNTH_WEEK = 7 * 24, SYNTH_PACES = 16 };

/* A lognormal of a mixture. */
typedef struct synth_part {
    double weight, mu, sigma; /* of ln seconds; weights of a law sum to 1, unused parts are 0 */
} synth_part;

typedef struct synth_law {
    synth_part parts[SYNTH_PARTS];
    const double *knots;   /* ln seconds at the probabilities orr_synth_knot(0..SYNTH_KNOTS - 1), straight in between;
                            * NULL: the mixture */
    double failed, killed; /* shares; the rest is done */
} synth_law;

typedef struct synth_class {
    int32_t gpus, gpu_milli;
    int32_t law;
    int32_t vc;        /* among the model's; -1: drawn by itself */
    const char *stage; /* what the attribute `type` says; NULL: nothing */
    double weight;     /* any scale */
} synth_class;

/* How gaps between submissions vary while jobs come at about one rate. */
typedef struct synth_pace {
    double rate;        /* from this rate on, jobs a second, up to the next pace's */
    const double *gaps; /* in units of what the rate expects: quantiles at the knots */
} synth_pace;

/* A text and how many jobs have it. */
typedef struct synth_share {
    const char *text;
    double weight;
} synth_share;

typedef struct synth_person {
    int32_t vc; /* -1: there are none */
    double weight;
} synth_person;

struct orr_synth_model {
    orr_arena arena; /* all texts and tables */
    const char *name, *about;
    ORR_VEC(synth_law) laws;
    ORR_VEC(synth_class) classes;
    double longest;             /* seconds; lognormals are cut here */
    double gap;                 /* usual seconds between submissions */
    double user_zipf;           /* usual exponent of the users' shares */
    double recurrence;          /* usual share of jobs that are named after how long they run */
    int32_t names_a_user;       /* at most */
    int32_t names_by_size;      /* so many laws are told apart by names; the others share theirs */
    ORR_VEC(synth_share) types; /* gpu_type; "" is any; none: the column stays empty */
    double week[SYNTH_WEEK];    /* weights of the hours of the week, Monday's midnight first */

    /* What only a measured model has. */
    bool measured;
    ORR_VEC(synth_share) models;
    ORR_VEC(synth_share) vcs;
    ORR_VEC(synth_person) people;  /* users by VC */
    ORR_VEC(double) days;          /* level of each day against its weekday, from that of the first submission on */
    synth_pace paces[SYNTH_PACES]; /* by rate; the first from 0 on */
    int32_t pace_count;
    int64_t jobs, span; /* seconds from the first submission to the last */
    int64_t first;      /* of the first submission, on the clock of the trace */
    int64_t phase;      /* seconds from a Monday's midnight to the first submission */
    char origin[ORR_CIVIL_BUF];
};

/* Probabilities of the knots of quantile tables, 0 to 1, closer together towards both ends. */
double orr_synth_knot(int i);
/* The value at probability u in a table over the knots. O(log knots). */
double orr_synth_quantile(const double *knots, double u);
/* A new, empty model: nothing but the defaults that published shapes share. */
orr_synth_model *orr_synth_model_create(const char *name, const char *about);
synth_law *orr_synth_add_law(orr_synth_model *model);
void orr_synth_add_class(orr_synth_model *model, synth_class c);
const char *orr_synth_keep(orr_synth_model *model, const char *text);
/* orr_synth_model_read of bytes in memory, with a NUL behind them; `path` is for messages. */
orr_synth_model *orr_synth_model_parse(const char *path, const char *data, size_t size, orr_error *e);

#endif
