/* Small random scenarios, the same from the same seed on every machine. */
#ifndef TESTS_POLICIES_SMALL_H
#define TESTS_POLICIES_SMALL_H

#include "run.h"

enum { SMALL_MAX = 64 };

typedef struct small {
    uint64_t state;
    run_job jobs[SMALL_MAX];
    char ids[SMALL_MAX][8];
    size_t count;
} small;

typedef struct small_shape {
    size_t count;
    int gpus;       /* gangs of 1..gpus */
    int span, work; /* submissions 0..span-1 s, durations 1..work s */
} small_shape;

/* Whole seconds; jobs are called j0, j1, … in the order of submission. */
void small_make(small *s, uint64_t seed, small_shape shape);
/* 0..n-1, from the scenario's own stream. */
uint64_t small_below(small *s, uint64_t n);

#endif
