/* What must hold of any schedule, proved from what was reported and from nothing else. */
#ifndef TESTS_LAWS_CHECK_H
#define TESTS_LAWS_CHECK_H

#include "world.h"

typedef struct rules {
    bool any_vc;       /* the policy may place jobs outside their VC */
    bool splits;       /* the placer takes GPUs wherever they are: infeasible means too few of them */
    bool work_conserving; /* nothing is paid or lost, and time is exact: never idle while somebody waits */
    bool calm;         /* it decides when something happens, and at no times of its own */
    orr_time tick;     /* ends are seen on this grid */
    orr_time save;     /* GPUs are kept so long after a preemption */
} rules;

enum { CHECK_TEXT = 256 };

/* NULL: all is well. Else what is broken, in `text`. The stage has run. */
const char *check_schedule(const world *w, const stage *s, const rules *r, char text[CHECK_TEXT]);

#endif
