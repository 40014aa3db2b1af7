/* Synthetic traces for tests: made or the test fails. */
#ifndef TESTS_TRACE_MAKING_H
#define TESTS_TRACE_MAKING_H

#include <orrery/synth.h>

/* NULL never comes back. */
orr_trace *make(const orr_synth_options *o);
/* Of a shape, so many jobs, everything else as usual. */
orr_synth_options shaped(const char *shape, uint64_t jobs);
/* Fails unless |value - expected| <= share * |expected|. */
void check_near(const char *what, double value, double expected, double share);
/* Fails unless these options are refused with this code. */
void refused(const char *what, orr_synth_options o, orr_err code);

/* REFUSED(code, o.member = value, …) on otherwise usual options. */
#define REFUSED(code, ...)                                                                                             \
    do {                                                                                                               \
        orr_synth_options o = orr_synth_options_default();                                                             \
        __VA_ARGS__;                                                                                                   \
        refused(#__VA_ARGS__, o, code);                                                                                \
    } while (0)

/* By job, which columns differ between two traces, as bits; jobs are found by their ids. */
enum {
    SUBMIT = 1,
    GPUS = 2,
    DURATION = 4,
    VC = 8,
    USER = 16,
    NAME = 32,
    ENDING = 64,
    TYPE = 128,
    MODEL = 256,
    ATTEMPTS = 512,
    DEADLINE = 1024,
    WEIGHT = 2048,
    HOST = 4096,
    RANGE = 8192,
    GROUP = 16384,
    LIMIT = 32768,
    ATTRIBUTES = 65536,
    GPU_MEM = 131072
};
int columns_that_differ(const orr_synth_options *a, const orr_synth_options *b);

#endif
