#include "timing.h"

#include "base/stat.h"
#include "progress.h"

void timing_mark(void *self, bool begins)
{
    timing *t = self;
    const double now = wall_seconds();
    if (begins)
        t->began = now;
    else
        ORR_VEC_PUSH(&t->us, (now - t->began) * 1e6);
}

void timing_sum_up(timing *t, double us[3])
{
    us[0] = us[1] = us[2] = -1;
    if (t->us.n == 0)
        return;
    orr_sort_doubles(t->us.at, t->us.n);
    us[0] = orr_quantile(t->us.at, t->us.n, 0.5);
    us[1] = orr_quantile(t->us.at, t->us.n, 0.99);
    us[2] = t->us.at[t->us.n - 1];
}

void timing_fini(timing *t)
{
    ORR_VEC_FREE(&t->us);
}
