#include "small.h"

#include <stdio.h>
#include <stdlib.h>

uint64_t small_below(small *s, uint64_t n)
{
    uint64_t z = s->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % n;
}

static int by_submission(const void *a, const void *b)
{
    const run_job *x = a, *y = b;
    return (x->submit > y->submit) - (x->submit < y->submit);
}

void small_make(small *s, uint64_t seed, small_shape shape)
{
    *s = (small){.state = seed, .count = shape.count};
    for (size_t i = 0; i < shape.count; i++) {
        s->jobs[i].submit = (double)small_below(s, (uint64_t)shape.span);
        s->jobs[i].gpus = 1 + (int32_t)small_below(s, (uint64_t)shape.gpus);
        s->jobs[i].duration = 1 + (double)small_below(s, (uint64_t)shape.work);
    }
    qsort(s->jobs, shape.count, sizeof *s->jobs, by_submission);
    for (size_t i = 0; i < shape.count; i++) {
        snprintf(s->ids[i], sizeof s->ids[i], "j%zu", i);
        s->jobs[i].id = s->ids[i];
    }
}
