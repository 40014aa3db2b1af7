#include "model/truth.h"

#include "model/host.h"
#include "model/interference.h"
#include "model/net.h"
#include "model/rate.h"

#include <math.h>

/* Its speed beside the others on one GPU. */
static double on_gpu(const orr_truth *truth, const orr_job *job, int32_t node, int gpu)
{
    orr_job *on[ORR_MAX_RESIDENTS];
    orr_resident residents[ORR_MAX_RESIDENTS];
    int32_t n = orr_life_residents(truth->life, node, gpu, on, ORR_MAX_RESIDENTS), self = -1;
    n = n < ORR_MAX_RESIDENTS ? n : ORR_MAX_RESIDENTS;
    for (int32_t i = 0; i < n; i++) {
        const int32_t asked = on[i]->record->gpu_milli;
        residents[i] = (orr_resident){on[i]->profile, orr_job_milli_on(on[i], node), asked};
        self = on[i] == job ? i : self;
    }
    return self < 0 ? 1 : orr_interference_speed(truth->interference, truth->profiles, residents, n, self);
}

/* A gang is as fast as the slowest of its GPUs. Whole GPUs and MIG instances have no neighbours. */
static double beside(const orr_truth *truth, const orr_job *job)
{
    double least = INFINITY;
    if (!truth->interference || truth->interference->kind == ORR_INTERFERENCE_NONE)
        return 1;
    for (int32_t i = 0; i < job->held.count; i++) {
        const orr_slice *s = &orr_slices(&job->held)[i];
        const bool alone = s->milli >= ORR_WHOLE_GPU || truth->life->cluster->nodes[s->node].mig;
        for (uint64_t m = alone ? 0 : s->gpus; m; m &= m - 1)
            least = fmin(least, on_gpu(truth, job, s->node, orr_lowest_bit(m)));
        if (s->gpus && alone)
            least = fmin(least, 1);
    }
    return isinf(least) ? 1 : least;
}

double orr_truth_rate(void *self, const orr_job *job)
{
    const orr_truth *truth = self;
    const double computing = orr_host_rate(truth->life->cluster, job) * beside(truth, job);
    const double speed = truth->net ? orr_net_speed(truth->net, job, computing) : computing;
    return orr_rate_linear(job, job->held.gpus) * speed;
}
